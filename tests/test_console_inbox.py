"""A steward in the console: start a run, see it end, decide what it proposes and what is wrong, by keyboard."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from auth.issuer import DevelopmentIssuer
from tests.support.browser import Page
from tests.support.server import Client, Server, stoa
from tests.test_console_browser import PEOPLE, browser, run, tab

__all__ = ["browser", "tab"]

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.timeout(600)]

ROWS = "document.querySelectorAll('[data-row]').length"
DOWN = 40


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Server, Client, str]]:
    """A server with one ingested table, and a token of its owner."""
    folder = tmp_path / "files" / "North"
    folder.mkdir(parents=True)
    (folder / "people.csv").write_text(PEOPLE)
    stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    settings = {"filesystem_roots": f"acme={tmp_path / 'files'}"}
    with Server(tmp_path, settings=settings).ready() as server, Client(tmp_path, server) as client:
        source = {"name": "North", "connection_type": "nfs", "filesystem_config": {"path": str(folder)}}
        run(client, "service-ingestion", resource_uri=client("POST", "/assets/data", json=source)["resource_uri"])
        yield server, client, DevelopmentIssuer(tmp_path / "data").issue("olga", "acme", ttl=timedelta(hours=1))


def test_a_steward_starts_a_run_and_decides_what_comes_of_it(tab: Page, served: tuple[Server, Client, str]) -> None:
    server, client, token = served
    tab.open(f"{server.address}/console#/find?kind=TABLE&token={token}")
    tab.click(".hit")
    tab.click(".start summary")
    tab.wait_for_element(".choice")
    begun = "[...document.querySelectorAll('.choice button')].find((one) => one.innerText === 'Metadata enrichment')"
    tab.evaluate(f"{begun}.click()")
    tab.wait_for("document.querySelector('.facts .status')?.innerText === 'completed'")
    run_id = str(tab.evaluate("new URLSearchParams(location.hash.split('?')[1]).get('run')"))

    tab.click(".part .button")
    waiting = int(tab.wait_for(ROWS))
    assert waiting > 2
    assert "Stands now" in tab.text(".detail")
    tab.evaluate("document.querySelector('[data-row]').focus()")
    tab.press("ArrowDown", code=DOWN)
    chosen = tab.wait_for("document.activeElement.dataset.row")
    tab.press("r", code=ord("R"))
    tab.wait_for("document.querySelector('.outcome')?.innerText.startsWith('1 proposal rejected')")
    assert tab.evaluate("document.activeElement.dataset.row") not in (None, chosen), "the focus moves on"
    while tab.evaluate(ROWS):
        tab.evaluate("document.querySelector('[data-row]').focus()")
        group = tab.evaluate("document.querySelectorAll('.group').length")
        tab.press("A", code=ord("A"), shift=True)
        tab.wait_for("document.querySelector('dialog h2')?.innerText.startsWith('Accept ')")
        tab.click("dialog button[type=submit]")
        tab.wait_for(f"document.querySelectorAll('.group').length < {group} && !document.querySelector('dialog')")
    tab.wait_for("document.querySelector('main').innerText.includes('All decided')")
    decided = client("GET", f"/data-readiness/workflows/runs/{run_id}/approval")
    assert (decided["rejected"], decided["pending"]) == (1, 0)

    run(client, "metadata-assessment", asset_fqn="north")
    tab.evaluate("location.hash = '#/inbox?of=violations'")
    tab.wait_for(ROWS)
    tab.evaluate("document.querySelector('[data-row]').focus()")
    first = tab.evaluate("document.activeElement.dataset.row")
    tab.press("d", code=ord("D"))
    tab.wait_for_element("dialog textarea")
    tab.click("dialog textarea")
    tab.type("Nobody owns samples.")
    tab.click("dialog button[type=submit]")
    tab.wait_for("document.querySelector('.outcome')?.innerText === 'Dismiss: 1 violation.'")
    violation = client("GET", f"/data-readiness/violations/{first}")
    assert (violation["status"], violation["resolution_notes"]) == ("false_positive", "Nobody owns samples.")

    tab.evaluate("location.hash = '#/runs'")
    tab.wait_for("document.querySelectorAll('.runs li').length === 3")

    tab.evaluate("location.hash = '#/access?user=bob'")
    tab.wait_for("document.querySelector('.permissions .status')?.innerText === 'no'")
    assert "bob as viewer of the project" in tab.evaluate("document.querySelector('.permissions').textContent")
    tab.evaluate("document.querySelectorAll('.part form button')[0].click()")
    tab.wait_for("document.querySelector('.permissions .status')?.innerText === 'yes'")
    tab.open("about:blank")
