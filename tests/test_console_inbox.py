"""A steward in the console: start a run, see it end, decide what it proposes and what is wrong, by keyboard."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import pairwise
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


COLUMNS = ("id", "name", "country", "code", "email", "price", "weight", "created_at")
TABLES = ("customers", "partners", "people", "suppliers")


class Keyboard:
    """The keys of a person, counted."""

    def __init__(self, tab: Page) -> None:
        self._tab, self.strokes = tab, 0

    def __call__(self, *keys: str) -> None:
        """Press keys one after another."""
        for key in keys:
            self.strokes += 1
            self._tab.press(key, code={"Enter": 13, "ArrowDown": DOWN}.get(key) or ord(key.upper()))

    def decide(self, key: str) -> None:
        """Decide about the group that has the focus: look at what would change, and say yes."""
        row = self._tab.evaluate("document.activeElement.dataset.row")
        self(key)
        self._tab.wait_for("document.activeElement.type === 'submit' && !!document.querySelector('.sample tbody tr')")
        self("Enter")
        self._tab.wait_for(f"""!document.querySelector('dialog, [data-row="{row}"]')""")
        # The focus follows as soon as the page is drawn.
        self._tab.wait_for("document.activeElement.matches('[data-row]') || !document.querySelector('[data-row]')")


@contextmanager
def serving(place: Path, files: dict[str, str]) -> Iterator[tuple[Server, Client, str]]:
    """A server with the tables of a folder, ingested, and a token of its owner."""
    folder = place / "files" / "North"
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    stoa(place, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    settings = {"filesystem_roots": f"acme={place / 'files'}"}
    with Server(place, settings=settings).ready() as server, Client(place, server) as client:
        source = {"name": "North", "connection_type": "nfs", "filesystem_config": {"path": str(folder)}}
        run(client, "service-ingestion", resource_uri=client("POST", "/assets/data", json=source)["resource_uri"])
        yield server, client, DevelopmentIssuer(place / "data").issue("olga", "acme", ttl=timedelta(hours=1))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Server, Client, str]]:
    """A server with one table."""
    with serving(tmp_path, {"people.csv": PEOPLE}) as served:
        yield served


@pytest.fixture
def ruled(tmp_path: Path) -> Iterator[tuple[Client, str, str]]:
    """A server with tables for which many rules are proposed: a client, the path of their run, its page."""
    files = {}
    for table in TABLES:
        rows = [
            f"{at},{table} {at},{'NPC'[at % 3]},AB-{at:03},{table}{at}@shop.example,"
            f"{at * 3 if at % 9 else ''},{at % 7},2024-01-{at % 28 + 1:02}"
            for at in range(60)
        ]
        files[f"{table}.csv"] = "\n".join([",".join(COLUMNS), *rows, ""])
    with serving(tmp_path, files) as (server, client, token):
        run(client, "profiling", asset_fqn="north")
        run(client, "dq-rule-generation", asset_fqn="north")
        [made] = client("GET", "/data-readiness/workflows/runs?workflow_type=dq-rule-generation")["data"]
        page = f"{server.address}/console#/inbox?run={made['id']}&token={token}"
        yield client, f"/data-readiness/workflows/runs/{made['id']}", page


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
    assert waiting > 1
    assert "Stands now" in tab.text(".detail")
    single = "[...document.querySelectorAll('[data-row]')].findIndex((one) => !one.hasAttribute('aria-expanded'))"
    if tab.evaluate(single) < 0:
        tab.click("[data-row]")
        tab.wait_for(f"{single} >= 0")
    tab.evaluate(f"document.querySelectorAll('[data-row]')[{single}].focus()")
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

    # What was rejected is found again, and taken back.
    tab.evaluate("location.hash = '#/inbox'")
    tab.wait_for("document.querySelectorAll('.empty .after a').length === 2")  # where to go when nothing waits
    tab.click("[aria-label=Rejected] a")
    tab.wait_for(f"{ROWS} === 1")
    tab.evaluate("document.querySelector('[data-row]').focus()")
    tab.press("u", code=ord("U"))
    tab.wait_for("document.querySelector('.outcome')?.innerText.startsWith('1 proposal taken up again')")
    decided = client("GET", f"/data-readiness/workflows/runs/{run_id}/approval")
    assert (decided["rejected"], decided["pending"]) == (0, 1)

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
    tab.evaluate("document.querySelector('[data-row]').focus()")
    alike = int(tab.text(".group h2 small"))
    tab.press("C", code=ord("C"), shift=True)
    tab.wait_for("document.activeElement.type === 'submit' && !!document.querySelector('.sample tbody tr')")
    assert tab.text("dialog h2").startswith(f"Acknowledge {alike} violation")
    assert client("GET", "/data-readiness/violations?status=acknowledged")["pagination"]["total_items"] == 0
    tab.press("Enter", code=13)
    tab.wait_for("document.querySelector('.outcome')?.innerText.startsWith('Acknowledge: ')")
    assert client("GET", "/data-readiness/violations?status=acknowledged")["pagination"]["total_items"] == alike

    # What was decided is found again, and taken back; a key is for the marked row before anything has the focus.
    tab.evaluate(
        "((select) => { select.value = 'FALSE_POSITIVE'; select.dispatchEvent(new Event('change', {bubbles: true})) })"
        "(document.querySelector('.filter select'))"
    )
    tab.wait_for(f"document.querySelector('[data-row]')?.dataset.row === '{first}'")
    tab.evaluate("document.activeElement.blur()")
    tab.press("o", code=ord("O"))
    tab.wait_for("document.activeElement.type === 'submit'")
    tab.press("Enter", code=13)
    tab.wait_for("document.querySelector('.outcome')?.innerText === 'Reopen: 1 violation.'")
    assert client("GET", f"/data-readiness/violations/{first}")["status"] == "open"

    tab.evaluate("location.hash = '#/runs'")
    tab.wait_for("document.querySelectorAll('.runs li').length === 3")

    tab.evaluate("location.hash = '#/access?user=bob'")
    tab.wait_for("document.querySelector('.permissions .status')?.ariaLabel === 'no'")
    assert "bob as viewer of the project" in tab.evaluate("document.querySelector('.permissions').textContent")
    tab.evaluate("document.querySelectorAll('.part form button')[0].click()")
    tab.wait_for("document.querySelector('.permissions .status')?.ariaLabel === 'yes'")
    taken = "document.querySelector('.holders [aria-label=\"Take away: Viewer, bob\"]')"
    tab.wait_for(f"!!{taken}")
    tab.evaluate(f"{taken}.click()")
    tab.wait_for("document.querySelector('dialog')?.innerText.includes('The role Viewer of bob.')")
    tab.click("dialog button[type=submit]")
    tab.wait_for(f"!{taken}")
    tab.open("about:blank")


def test_what_breaks_a_rule_is_said_in_words(tab: Page, served: tuple[Server, Client, str]) -> None:
    server, client, token = served
    rule = {
        "name": "values.death_country", "asset_fqn": "north.North.root.people.death_country", "type": "library",
        "metric": "invalidValues", "arguments": {"validValues": ["Cuba"]}, "operator": "mustBe", "threshold": [0],
    }  # fmt: skip
    client("POST", "/data-readiness/quality-rules", json=rule)
    run(client, "dq-execution", asset_fqn="north")
    said = "No row may have another value than the one known (Cuba); 2 of 4 do."
    tab.open(f"{server.address}/console#/inbox?of=violations&token={token}")
    tab.wait_for(ROWS)
    tab.click("[data-row]")
    tab.wait_for("!!document.querySelector('.detail h3')")
    assert tab.text(".detail h3") == said
    tab.wait_for_element(".detail code")
    assert "values.death_country" not in tab.text("main")

    tab.evaluate("location.hash = '#/asset?fqn=north.North.root.people'")
    tab.wait_for(f"document.querySelector('main').innerText.includes({said!r})")
    tab.wait_for("document.querySelector('main').innerText.includes('than the one known (Cuba). ')")
    assert "values.death_country" not in tab.text("main")
    tab.open("about:blank")


def test_fifty_proposals_are_decided_in_forty_key_strokes(tab: Page, ruled: tuple[Client, str, str]) -> None:
    client, path, page = ruled
    pending = client("GET", f"{path}/approval")["pending"]
    groups = client("GET", f"{path}/proposals/groups")["pagination"]["total_items"]
    assert pending >= 50
    tab.open(page)
    tab.wait_for(f"document.querySelectorAll('[aria-expanded]').length > 1 && {ROWS} === {min(groups, 10)}")
    tab.evaluate("document.querySelector('[data-row]').focus()")
    keys = Keyboard(tab)
    assert "nullValues" not in tab.text(".board"), "rules are told in words"

    keys("Enter")
    tab.wait_for("document.querySelectorAll('.within').length > 2")
    keys("ArrowDown", "r", "r")
    tab.wait_for("document.querySelector('.outcome')?.innerText.startsWith('2 proposals rejected')")
    tab.evaluate("document.querySelector('[data-row]').focus()")
    keys.decide("a")
    assert client("GET", f"{path}/approval")["rejected"] == 2
    keys.decide("r")  # the focus stands on what came to the place of the group
    while tab.evaluate("document.activeElement.matches('[aria-expanded]')"):
        keys.decide("a")
    while tab.evaluate("document.activeElement.matches('[data-row]')"):
        keys("a")
    tab.wait_for("document.querySelector('main').innerText.includes('All decided')")
    assert keys.strokes <= 40

    decided = client("GET", f"{path}/approval")
    assert decided["pending"] == 0
    assert decided["approved"] > decided["rejected"] > 2
    tab.open("about:blank")


def test_a_filter_is_decided_after_what_it_would_change_was_shown(tab: Page, ruled: tuple[Client, str, str]) -> None:
    client, path, page = ruled
    each = f"{path}/proposals?joined=false&limit=1"
    about = f"{each}&assets_like=*country*"
    meant, before = (client("GET", one)["pagination"]["total_items"] for one in (about, each))
    assert 0 < meant < before
    tab.open(page)
    tab.wait_for(ROWS)
    sure = client("GET", f"{each}&min_confidence=0.9&state=proposed")["pagination"]["total_items"]
    assert sure > 0
    tab.click(".surest button")
    tab.wait_for(f"document.querySelector('dialog h2')?.innerText.startsWith('Accept {sure} proposal')")
    tab.press("Escape", code=27)
    tab.click(".filter input")
    tab.type("country")
    tab.wait_for(f"document.querySelector('.filter .all')?.innerText === 'Accept all {meant} …'")
    assert "like=country" in tab.evaluate("location.hash"), "a link and a new start keep the filter"
    tab.click(".filter .all + button")
    tab.wait_for(f"document.querySelector('dialog h2')?.innerText.startsWith('Reject {meant} proposal')")
    assert "names like *country*" in tab.text("dialog")
    assert client("GET", f"{path}/approval")["rejected"] == 0, "to look changes nothing"
    tab.press("Enter", code=13)
    tab.wait_for("document.querySelector('main').innerText.includes('None of these')")
    decided = client("GET", f"{path}/approval")
    assert (decided["rejected"], decided["pending"]) == (meant, before - meant)

    tab.click(".outcome button")
    tab.wait_for(f"document.querySelector('dialog h2')?.innerText.startsWith('Take up {meant} proposal')")
    tab.press("Enter", code=13)
    tab.wait_for(f"document.querySelector('.filter .all')?.innerText === 'Accept all {meant} …'")
    assert client("GET", f"{path}/approval")["pending"] == before

    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False}
    tab.browser.call("Emulation.setDeviceMetricsOverride", size, tab.session)
    assert not tab.evaluate("!!document.querySelector('.detail').offsetParent"), "a narrow window shows the rows"
    tab.click("[data-row]")
    tab.wait_for("!!document.querySelector('.detail').offsetParent && !document.querySelector('.board').offsetParent")
    headings = "[...document.querySelectorAll('main :is(h1, h2, h3, h4)')].filter((one) => one.offsetParent)"
    levels = [int(one[1]) for one in tab.evaluate(f"{headings}.map((one) => one.tagName)")]
    assert all(below - above <= 1 for above, below in pairwise(levels)), f"no level is left out: {levels}"
    tab.click(".back")
    tab.wait_for("!!document.querySelector('.board').offsetParent && document.activeElement.matches('[data-row]')")
    tab.open("about:blank")
