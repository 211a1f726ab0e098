"""The console in a real browser, at a real server: sign in, find a table, open it, ask, pick what was meant, save."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from auth.issuer import DevelopmentIssuer
from rest_compat.pages import CONSOLE_FILES, missing_files
from tests.support.browser import Browser, Page
from tests.support.needs import missing
from tests.support.server import Client, Server, stoa
from tests.test_explorer_browser import browser

__all__ = ["browser"]

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.timeout(600)]

PEOPLE = "id,name,birth_country,death_country\n" + "".join(
    f"{at},{name},{born},{died}\n"
    for at, (name, born, died) in enumerate(
        [
            ("Ada", "England", "England"),
            ("Bo", "Norway", "Peru"),
            ("Cy", "Norway", "Cuba"),
            ("Di", "<b>Peru</b>", "Cuba"),
        ]
    )
)
TURNS = "document.querySelectorAll('.turn').length"
LAST = "[...document.querySelectorAll('.turn')].at(-1)"
DONE = f"{LAST}?.getAttribute('aria-busy') === 'false'"

# Follows a link the very moment the page to sign in stands, before the browser has painted it.
FOLLOWED_AT_ONCE = """
const seen = new MutationObserver(() => {
  if (!document.querySelector('.welcome')) return;
  seen.disconnect();
  location.hash = '%s';
});
seen.observe(document, { childList: true, subtree: true });
"""


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A fresh tab that must stay free of errors."""
    if missing_files(CONSOLE_FILES):
        missing("The third-party code of the pages", "run `make setup`, which fetches it.")
    page = browser.new_page()
    yield page
    page.evaluate("1")
    assert page.console == []
    assert page.failures == []


def run(client: Client, kind: str, **config: str) -> None:
    """Run one workflow to its good end."""
    body = {"name": kind, "workflow_type": kind, "config": config}
    path = f"/data-readiness/workflows/{client('POST', '/data-readiness/workflows', json=body)['id']}/runs"
    begun = client("POST", path, json={})
    assert client.over(f"{path}/{begun['id']}")["status"] == "completed"


def test_a_person_finds_a_table_opens_it_asks_and_picks_what_was_meant(tab: Page, tmp_path: Path) -> None:
    folders = [tmp_path / "files" / name for name in ("North", "South")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "people.csv").write_text(PEOPLE)
    stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    settings = {"filesystem_roots": f"acme={tmp_path / 'files'}"}
    with Server(tmp_path, settings=settings).ready() as server, Client(tmp_path, server) as client:
        for folder in folders:
            source = {"name": folder.name, "connection_type": "nfs", "filesystem_config": {"path": str(folder)}}
            run(client, "service-ingestion", resource_uri=client("POST", "/assets/data", json=source)["resource_uri"])
        run(client, "profiling", asset_fqn="north")
        token = DevelopmentIssuer(tmp_path / "data").issue("olga", "acme", ttl=timedelta(hours=1))

        tab.before_each_load(FOLLOWED_AT_ONCE % f"#/find?q=peop&token={token}")
        tab.open(f"{server.address}/console")
        tab.wait_for("document.querySelector('.picker select')?.selectedOptions[0]?.text === 'shop'")

        assert "token" not in str(tab.evaluate("location.hash"))
        tab.wait_for("document.querySelector('#q')?.value === 'peop'")  # a link keeps its place
        tab.click("#q")
        tab.evaluate("document.querySelector('#q').select()")
        tab.type("peop")
        tab.wait_for("document.querySelector('.count')?.innerText === '2 results'")
        tab.click(".hit")
        tab.wait_for("document.querySelector('h1')?.innerText === 'people'")
        tab.wait_for("document.querySelector('.columns')?.innerText.includes('Norway')")
        assert "birth_country" in tab.text(".columns")
        assert "Nobody has described this table yet." in tab.text("main")

        tab.click(".button")
        tab.click("#question")
        tab.evaluate("document.querySelector('#question').select()")
        tab.type("How many people in each country?")
        tab.press("Enter", code=13)
        tab.wait_for(DONE)
        readings = tab.evaluate("[...document.querySelectorAll('.readings button')].map((one) => one.innerText)")
        assert len(readings) == 2, readings
        tab.click(".readings li:nth-child(2) button")
        tab.wait_for(f"{TURNS} === 2 && {DONE}")
        picked = tab.evaluate("document.querySelector('.readings .picked span').innerText")
        assert picked == tab.evaluate("document.querySelectorAll('.turn .question')[1].innerText")
        assert "Norway" in tab.evaluate(f"{LAST}.querySelector('.rows-table').innerText")
        assert "<b>Peru</b>" in tab.evaluate(f"{LAST}.querySelector('.rows-table').innerText"), "markup is text"
        assert "select" in tab.evaluate(f"{LAST}.querySelector('pre').textContent").lower()

        tab.wait_for(f"!!{LAST}.querySelector('svg')")  # which comes by a request of its own, above the button
        asked = len(tab.requests)
        tab.click(".csv")
        tab.wait_for("performance.getEntriesByType('resource').some((one) => one.name.includes('format=csv'))")
        assert any("format=csv" in one for one in tab.requests[asked:])

        tab.evaluate("window.before = true, location.reload()")
        tab.wait_for(f"!window.before && {TURNS} === 2 && !!{LAST}.querySelector('.rows-table')")
        kept = tab.evaluate("JSON.stringify({...localStorage})")
        assert token not in kept
        assert [one for one in tab.requests if not one.startswith((server.address, "data:", "blob:"))] == []

        tab.open(f"{server.address}/graphql")  # the other pages call the project by the name that it is picked by
        tab.wait_for("document.querySelector('#project')?.value === 'shop'")
        tab.click("#project")
        tab.wait_for("document.querySelector('#projects option')?.value === 'shop'")
        assert tab.evaluate("stoa.headers()['X-Project-ID']") == client.project
        # The server ends before the page does, which must not ask it anything then.
        tab.open("about:blank")


def test_who_may_not_is_told_so_in_words(browser: Browser, tmp_path: Path) -> None:
    stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    with Server(tmp_path).ready() as server, Client(tmp_path, server) as client:
        stranger = DevelopmentIssuer(tmp_path / "data").issue("nobody", "acme", ttl=timedelta(hours=1))
        page = browser.new_page()
        page.open(f"{server.address}/console#token={stranger}&project={client.project}")
        page.wait_for("document.querySelector('.refused')?.innerText.includes('You may not see this project')")
        assert "PROJECT_ACCESS_DENIED" in page.text(".refused")
