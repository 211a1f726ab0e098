"""The console as a newcomer, a viewer and somebody with bad luck meet it; and every place of it as axe sees it."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from auth.issuer import DevelopmentIssuer
from tests.support.browser import Browser, Page
from tests.support.needs import missing
from tests.support.node import FOLDER as NODE
from tests.support.server import Client, Server, stoa
from tests.test_console_browser import DONE, LAST, PEOPLE, browser, run, tab

__all__ = ["browser", "tab"]

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.timeout(900)]

AXE = NODE / "node_modules" / "axe-core" / "axe.min.js"
HEADING = "document.querySelector('h1')?.innerText"
SETTLED = "!!document.querySelector('h1') && !document.querySelector('.spinner')"
PLACES = (
    "#/find", "#/find?q=peop", "#/find?q=nosuchthing", "#/asset?fqn=north.North.root.people", "#/asset?fqn=no.such",
    "#/ask", "#/inbox", "#/inbox?of=violations", "#/inbox?of=terms", "#/runs", "#/sources",
    "#/runs?of=schedules", "#/sources?of=servers", "#/access", "#/access?of=projects", "#/access?of=secrets",
    "#/access?of=limits", "#/access?of=audit", "#/find?of=glossary&status=DRAFT", "#/ask?of=memories",
    "#/access?of=webhooks", "#/access?of=tokens",
)  # fmt: skip


@contextmanager
def serving(place: Path) -> Iterator[tuple[Server, Client, DevelopmentIssuer, Path]]:
    """A server with an empty project, and a folder of files that it may read."""
    folder = place / "files" / "North"
    folder.mkdir(parents=True)
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "visits.csv").write_text("id,person_id\n" + "".join(f"{at},{at % 4}\n" for at in range(40)))
    stoa(place, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    settings = {"filesystem_roots": f"acme={place / 'files'}"}
    # What it prints is a link that signs olga in.
    with (
        Server(place, "--user", "olga", "--org", "acme", settings=settings).ready() as server,
        Client(place, server) as client,
    ):
        yield server, client, DevelopmentIssuer(place / "data"), folder


def sized(page: Page, width: int, height: int = 900) -> None:
    """Give the window of a page another size."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    page.browser.call("Emulation.setDeviceMetricsOverride", metrics, page.session)


# What stands and moves, by a share of the window that one would notice, while the rest of a page comes.
MOVED = """
window.moved = [];
new PerformanceObserver((list) => {
  for (const one of list.getEntries()) {
    const what = one.sources.map(({ node }) => node?.className);
    if (!one.hadRecentInput && one.value > 0.02) moved.push(`${one.value}: ${what}`);
  }
}).observe({ type: "layout-shift", buffered: true });
"""


def looked_at(page: Page) -> list[str]:
    """Return what axe finds wrong with a page: rule, element, what is the matter."""
    found = page.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations.flatMap((one) =>"
        " one.nodes.map((node) => `${one.id}: ${node.target.join(' ')}: ${node.failureSummary}`)))"
    )
    return list(found)


def test_a_newcomer_connects_a_folder_reads_it_in_sees_it_and_asks(tab: Page, tmp_path: Path) -> None:
    with serving(tmp_path) as (server, _, _issuer, folder):
        link = server.link("olga")
        assert link.startswith(f"{server.address}/#token=")
        tab.open(link)
        tab.wait_for("location.pathname === '/console' && !!document.querySelector('.empty strong')")
        assert "The catalog of this project is empty" in tab.text(".empty")
        tab.evaluate("location.hash = '#/ask'")
        tab.wait_for("document.querySelectorAll('.empty a').length === 1 && !document.querySelector('#question')")
        tab.click(".empty a")
        tab.wait_for_element("details[open] .stacked select")
        tab.evaluate(
            "((select) => { select.value = 'NFS'; select.dispatchEvent(new Event('change', {bubbles: true})) })"
            "(document.querySelector('.stacked select'))"
        )
        tab.click("input[name=name]")
        tab.type("North")
        tab.click("input[name=path]")
        tab.type(str(folder.parent / "elsewhere"))
        tab.click(".stacked button")
        tab.wait_for_element(".sources .card")
        tab.click(".sources .card button + button")
        # A folder that is not there is told; when this comes, what stands below it has moved for the last time.
        tab.wait_for_element(".card .trouble[role=alert]")

        tab.click("details.part summary")
        tab.click("input[name=name]")
        tab.type("South")
        tab.click("input[name=path]")
        tab.type(str(folder))
        tab.click(".stacked button")
        tab.wait_for("document.querySelectorAll('.sources .card').length === 2")
        mine = "[...document.querySelectorAll('.card')].find((one) => one.innerText.includes('South'))"
        tab.evaluate(f"{mine}.querySelector('button').click()")
        tab.wait_for("document.querySelector('.facts .status')?.innerText === 'completed'")
        assert not tab.evaluate("!!document.querySelector('main progress')"), "what is over has no bar"
        assert "Enrich all tables" in tab.text(".part .acts"), "what comes next"
        tab.click(".part .button")  # what came in
        tab.wait_for("document.querySelector('.count')?.innerText === '2 results'")
        tab.evaluate("location.hash = '#/find?under=south&kind=COLUMN'")  # far below the source, too
        tab.wait_for("document.querySelector('.count')?.innerText === '6 results'")
        tab.click(".tree li:nth-child(2) a")
        tab.wait_for("document.querySelector('.count')?.innerText === '2 results'")
        tab.click(".hit")
        tab.wait_for(f"{HEADING} === 'people' && !!document.querySelector('.columns')")

        tab.evaluate("location.hash = '#/ask'")
        tab.click(".suggestions button")  # what can be asked, with examples to pick
        tab.wait_for(DONE)
        tab.click(".turn:last-child .suggestions button")
        tab.wait_for(f"document.querySelectorAll('.turn').length === 2 && {DONE}")
        assert "4" in tab.evaluate(f"{LAST}.querySelector('.rows-table').innerText")

        tab.evaluate("location.hash = '#/access'")
        tab.wait_for("[...document.querySelectorAll('.holders a')].some((one) => one.innerText === 'olga')")
        assert "The group project-viewers" in tab.text(".holders")

        tab.evaluate("location.hash = '#/access?of=secrets'")
        tab.click("input[name=name]")
        tab.type("lake")
        tab.click("input[name=value]")
        tab.type("open sesame")
        tab.click(".fields button")
        tab.wait_for("document.querySelector('.card')?.innerText.includes('lake')")
        assert "sesame" not in str(tab.evaluate("document.documentElement.innerHTML"))

        tab.evaluate("location.hash = '#/access?of=audit'")
        tab.wait_for("document.querySelector('.audit li')?.innerText.includes('created project secret')")
        assert "lake" in tab.text(".audit li")
        assert "sesame" not in tab.text(".audit")
        tab.evaluate("location.hash = '#/access?of=audit&outcome=REFUSED'")
        tab.wait_for("!!document.querySelector('.empty') && !document.querySelector('.audit li')")
        tab.open("about:blank")


def test_axe_finds_nothing_and_nothing_is_too_wide_or_moves_while_the_rest_comes(
    browser: Browser, tmp_path: Path
) -> None:
    if not AXE.is_file():
        missing("axe-core", "run `npm ci` in tests/node")
    with serving(tmp_path) as (server, client, issuer, folder):
        source = {"name": "North", "connection_type": "nfs", "filesystem_config": {"path": str(folder)}}
        run(client, "service-ingestion", resource_uri=client("POST", "/assets/data", json=source)["resource_uri"])
        for kind in ("profiling", "metadata-enrichment", "metadata-assessment"):
            run(client, kind, asset_fqn="north")
        server_ = {"name": "Tickets", "kind": "mcp", "url": f"{server.address}/mcp"}
        client("POST", "/assets/servers", json=server_)
        client("POST", "/data-readiness/glossary/terms", json={"name": "person", "definition": "Who visits."})
        [*_, oldest] = runs = client("GET", "/data-readiness/workflows/runs")["data"]
        enriched = next(one for one in runs if one["workflow_type"] == "metadata-enrichment")
        configuration = oldest["configuration_id"]
        places = (*PLACES, f"#/runs?run={oldest['id']}&configuration={configuration}", f"#/inbox?run={enriched['id']}")
        token = issuer.issue("olga", "acme", ttl=timedelta(hours=1))
        found: dict[str, list[str]] = {}
        for scheme in ("light", "dark"):
            page = browser.new_page()
            page.before_each_load(MOVED)
            page.prefer(scheme)
            page.open(f"{server.address}/console")
            page.wait_for("!!document.querySelector('.welcome h1')")
            page.evaluate(AXE.read_text("utf-8") + "; true")
            found[f"welcome, {scheme}"] = looked_at(page)
            page.evaluate(f"stoa.setToken({json.dumps(token)})")
            page.wait_for("document.querySelector('.picker select')?.value")
            for place in places:
                page.evaluate(f"window.moved = [], location.hash = {json.dumps(place)}")
                page.wait_for(f"location.hash.startsWith({json.dumps(place.partition('&')[0])}) && {SETTLED}")
                found[f"{place}, {scheme}, moved while it came"] = page.evaluate("window.moved")
                for width in (1280, 360):
                    sized(page, width)
                    page.wait_for(SETTLED)
                    found[f"{place}, {scheme}, {width}"] = looked_at(page)
                    wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                    assert wider <= 0, (place, width)
            page.open("about:blank")

        assert {where: what for where, what in found.items() if what} == {}


def test_an_owner_without_a_project_adds_one(tab: Page, tmp_path: Path) -> None:
    stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga").check_returncode()
    with Server(tmp_path, "--user", "olga", "--org", "acme").ready() as server:
        link = server.link("olga")
        tab.open(link)
        tab.wait_for("document.querySelector('.empty strong')?.innerText === 'No project'")
        tab.click("input[name=name]")
        tab.type("First")
        tab.click("form button[type=submit]")
        tab.wait_for("document.querySelector('.picker select')?.selectedOptions[0]?.innerText === 'First'")
        tab.wait_for(f"{HEADING} === 'Find'")
        tab.evaluate("location.hash = '#/access?of=projects'")
        tab.click("input[name=name]")
        tab.type("Second")
        tab.click("form button[type=submit]")
        tab.wait_for("[...document.querySelectorAll('.picker option')].some((one) => one.innerText === 'Second')")
        for of in ("projects", "limits"):
            tab.evaluate(f"location.hash = '#/access?of={of}'")
            tab.wait_for("!!document.querySelector('.hits .card, .figures dd') && !document.querySelector('.wrong')")
        tab.open("about:blank")


def test_the_language_is_the_browsers_until_another_one_is_chosen(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as (server, _, issuer, _folder):
        token = issuer.issue("olga", "acme", ttl=timedelta(hours=1))
        page = browser.new_page()
        agent = {"userAgent": "a browser", "acceptLanguage": "de-AT,de;q=0.9"}
        page.browser.call("Emulation.setUserAgentOverride", agent, page.session)
        page.open(f"{server.address}/console#/find?token={token}")
        page.wait_for(f"{HEADING} === 'Finden' && document.documentElement.lang === 'de'")
        page.evaluate("document.querySelector('.account').open = true")
        page.evaluate(
            "((select) => { select.value = 'en'; select.dispatchEvent(new Event('change', {bubbles: true})) })"
            "(document.querySelector('.account .language select'))"
        )
        page.wait_for(f"{HEADING} === 'Find'")
        kept = str(page.evaluate("JSON.stringify({...localStorage})"))
        assert json.loads(kept) == {"stoa.language": "en"}, "the token is not among what outlives the tab"
        page.open("about:blank")


def test_a_viewer_a_cut_line_and_a_session_that_ends_each_have_their_face(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path) as (server, client, issuer, folder):
        source = {"name": "North", "connection_type": "nfs", "filesystem_config": {"path": str(folder)}}
        run(client, "service-ingestion", resource_uri=client("POST", "/assets/data", json=source)["resource_uri"])
        grant = {"relation": "viewer", "resource_type": "project", "resource_id": client.project}
        client("POST", "/governance/permissions/grant", json={**grant, "user_or_group": "vera"})
        page = browser.new_page()
        token = issuer.issue("vera", "acme", ttl=timedelta(hours=1))
        page.open(f"{server.address}/console#/find?token={token}")
        page.wait_for("document.querySelector('.count')?.innerText === '2 tables'")
        page.evaluate("location.hash = '#/runs?of=sources'")  # where they were before they had a place of their own
        # Who may look may not bring in: nothing is offered that would be refused, and why stands in its place.
        page.wait_for("document.querySelector('.closed')?.innerText.includes('“Start runs and ask questions”')")
        assert page.evaluate("document.querySelectorAll('main button').length") == 0
        for place in ("ask", "inbox?of=violations", "runs?of=schedules", "access", "access?of=secrets"):
            page.evaluate(f"location.hash = '#/{place}'")
            page.wait_for("!!document.querySelector('.closed') && !document.querySelector('.spinner')")
            assert page.evaluate("document.querySelectorAll('main button, .wrong').length") == 0, place

        def cut(offline: bool) -> None:
            line = {"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
            page.browser.call("Network.emulateNetworkConditions", line, page.session)

        cut(True)
        page.evaluate("location.hash = '#/inbox?of=violations'")
        page.wait_for("document.querySelector('.face.wrong')?.innerText.includes('The server cannot be reached')")
        cut(False)
        page.click(".face.wrong button")
        page.wait_for("document.querySelector('.empty')?.innerText.includes('None open')")

        short = issuer.issue("vera", "acme", ttl=timedelta(seconds=20))
        ends = time.monotonic() + 26  # the server forgives clocks that differ by five seconds
        page.evaluate(f"stoa.setToken({json.dumps(short)})")
        page.wait_for("document.querySelector('.empty')?.innerText.includes('None open')")
        time.sleep(max(0.0, ends - time.monotonic()))
        page.evaluate("location.hash = '#/runs'")
        page.wait_for("document.querySelector('.face.wrong')?.innerText.includes('Your session has ended')")
        page.click(".face.wrong button")
        page.wait_for("!!document.querySelector('.welcome h1')")
        page.open("about:blank")
