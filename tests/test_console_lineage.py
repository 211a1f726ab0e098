"""The lineage of a table in the console: drawn with both kinds told apart, by mouse and keyboard, and said in words."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import Browser, Page
from tests.support.needs import missing
from tests.support.server import Client
from tests.test_console_browser import browser, run, tab
from tests.test_console_inbox import serving
from tests.test_console_places import AXE, looked_at, sized

__all__ = ["browser", "tab"]

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.timeout(600)]

BASE = "north.North.root"
FILES = {
    "customers.csv": "id,email,country\n1,a@inn.example,NO\n2,b@inn.example,PE\n",
    "orders.csv": "number,customer_id,amount,state\n1,1,20,paid\n2,2,30,open\n",
    "totals.csv": "country,customers,turnover\nNO,1,20\n",
    "board.csv": "country,share\nNO,1.0\n",
    "letters.csv": "country,turnover\nNO,20\n",
    "archive.csv": "share\n1\n",
    "lonely.csv": "id\n1\n",
}
STATEMENTS = (
    "insert into totals select c.country, count(distinct c.id), sum(o.amount) from orders o"
    " join customers c on c.id = o.customer_id where o.state = 'paid' group by c.country",
    "insert into board select country, turnover / 100 from totals where customers > 3",
    "insert into letters select country, turnover from totals",
    "insert into archive select share from board",
)
EDGES = "[...document.querySelectorAll('.drawing svg > g > .edge')]"
CELL = "[...document.querySelectorAll('.drawing .cell')].find((one) => one.getAttribute('aria-label').startsWith({}))"

# The server says that there is more, as it does to those who may not read it all.
LESS = """
const asked = window.fetch;
window.fetch = async (...given) => {
  const answer = await asked(...given);
  if (!given[1]?.body?.includes?.("ConsoleLineage(")) return answer;
  const body = await answer.json();
  if (window.refusing) return new Response(JSON.stringify({data: null, errors: [
    {message: "You may not.", extensions: {code: "FORBIDDEN"}}]}));
  Object.assign(body.data.upstream, {hidden: 3, complete: false});
  return new Response(JSON.stringify(body));
};
"""

# The profile of a table says that it refers to two others, one of them as it was declared.
REFERS = """
const before = window.fetch;
window.fetch = async (...given) => {
  const answer = await before(...given);
  if (!given[1]?.body?.includes?.("ConsoleProfile(")) return answer;
  const body = await answer.json();
  const key = (table, isDeclared) => ({columns: ["id"], targetFqn: `%s.${table}`, targetColumns: ["id"], isDeclared});
  const tells = (name, uniqueness, isDeclared, isExact) => ({columns: [name], uniqueness, isDeclared, isExact});
  const candidateKeys = [tells("one", 1, true, true), tells("two", 0.99, true, true), tells("three", 1, false, true),
    tells("four", 1, false, false), tells("five", 0.99, false, true)];
  const profile = {columns: [], candidateKeys, foreignKeys: [key("customers", true), key("orders", false)]};
  body.data.metadata.profile = profile;
  return new Response(JSON.stringify(body));
};
"""


@pytest.fixture
def told(tmp_path: Path) -> Iterator[tuple[Client, str, str]]:
    """A server with tables and statements that lead from one to the other: a client, the console, a token."""
    with serving(tmp_path, FILES) as (server, client, token):
        [source] = client("GET", "/assets/data")["data"]
        path = f"/utils/data_connection/{source['resource_uri']}/lineage/statements"
        for statement in STATEMENTS:
            assert client("POST", path, json={"statement": statement})["gaps"] == []
        yield client, f"{server.address}/console", token


def cell(name: str) -> str:
    """The expression of the drawn column whose label begins so."""
    return CELL.format(json.dumps(name))


def lit(tab: Page) -> tuple[int, int]:
    """How many lines stand out, and how many stand back."""
    counted = f"((kind) => {EDGES}.filter((one) => one.parentNode.matches(kind)).length)"
    return tab.evaluate(f"{counted}('.lit')"), tab.evaluate(f"{counted}('.dim')")


def test_a_table_is_drawn_between_what_it_is_made_of_and_what_is_made_of_it(
    tab: Page, told: tuple[Client, str, str]
) -> None:
    _, console, token = told
    tab.open(f"{console}#/asset?fqn={BASE}.totals&token={token}")
    tab.wait_for(f"{EDGES}.length > 3")
    lanes = tab.evaluate(
        "[...document.querySelectorAll('.drawing .box')].map((one) =>"
        " [one.querySelector('text').textContent, +one.querySelector('rect').getAttribute('x')])"
    )
    places = dict(lanes)
    assert places["customers"] == places["orders"] < places["totals"] < places["board"] == places["letters"]
    kinds = tab.evaluate(f"{EDGES}.map((one) => getComputedStyle(one).strokeDasharray)")
    assert {"none", "5px, 4px"} == set(kinds), "what only decides has another line"
    assert "values pass" in tab.text(".lineage-keys")
    assert "Further downstream: archive" in tab.text("#lineage").replace("\n", " ")

    whole = tab.evaluate(f"{EDGES}.length")
    tab.evaluate(f"{cell('amount')}.focus()")
    tab.wait_for(f"{EDGES}.some((one) => one.parentNode.matches('.dim'))")
    stands_out, stands_back = lit(tab)
    assert (stands_out, stands_back) == (1, whole - 1), "an amount is summed up, and nothing else"
    assert tab.evaluate(f"{cell('turnover of totals')}.matches('.lit')")
    tab.press("Enter", code=13)
    tab.evaluate("document.activeElement.blur()")
    assert lit(tab)[0] == 1, "what was chosen stays"
    assert tab.evaluate(f"{cell('amount')}.getAttribute('aria-pressed')") == "true"

    tab.evaluate("document.querySelector('.twist[aria-label$=\"totals\"]').focus()")
    tab.press("Enter", code=13)
    tab.wait_for(f"!{cell('turnover of totals')} && !!{cell('amount')}")
    tab.click("#lineage .lineage-keys button")
    tab.wait_for("!document.querySelector('.drawing .cell')")

    assert "As a list" in tab.text("#lineage summary")
    tab.click("#lineage summary")
    rows = tab.evaluate("[...document.querySelectorAll('#lineage tbody tr')].map((one) => one.innerText)")
    assert any(row.split("\t")[:2] == ["orders amount", "totals turnover"] and "direct" in row for row in rows), rows
    assert any("orders state" in row and "(its rows)" in row and "filters (indirect)" in row for row in rows)

    tab.evaluate("[...document.querySelectorAll('.drawing a')].find((one) => one.ariaLabel === 'board').focus()")
    tab.press("Enter", code=13)
    tab.wait_for("document.querySelector('h1')?.innerText === 'board' && !!document.querySelector('#lineage svg')")
    tab.evaluate(f"location.hash = '#/asset?fqn={BASE}.lonely'")
    tab.wait_for("document.querySelector('#lineage')?.innerText.includes('Nothing is known')")
    tab.open("about:blank")


def test_what_is_made_of_what_is_wrong_is_named_beside_it(tab: Page, told: tuple[Client, str, str]) -> None:
    client, console, token = told
    rule = {
        "name": "orders.amount", "asset_fqn": f"{BASE}.orders.amount", "type": "library", "metric": "invalidValues",
        "arguments": {"validValues": ["20"]}, "operator": "mustBe", "threshold": [0],
    }  # fmt: skip
    client("POST", "/data-readiness/quality-rules", json=rule)
    run(client, "dq-execution", asset_fqn="north")
    tab.open(f"{console}#/inbox?of=violations&like=orders&token={token}")
    tab.wait_for_element("[data-row]")
    tab.click("[data-row]")
    tab.wait_for("document.querySelector('.detail')?.innerText.includes('made of it')")
    assert "4 tables and views are made of it: totals, board, letters, archive" in tab.text(".detail")
    tab.open("about:blank")


def test_what_may_not_be_read_and_what_is_left_out_is_said(tab: Page, told: tuple[Client, str, str]) -> None:
    _, console, token = told
    tab.before_each_load(LESS)
    tab.before_each_load(REFERS % BASE)
    tab.open(f"{console}#/asset?fqn={BASE}.totals&token={token}")
    tab.wait_for("document.querySelector('#lineage')?.innerText.includes('3 more columns that you may not read')")
    assert "This is not all of it" in tab.text("#lineage")
    assert tab.evaluate("document.querySelector('.box.shut').textContent") == "3 more not open to you"
    drawn = "#lineage ~ .part .drawing"  # references are drawn by the same boxes and lines
    tab.wait_for(f"document.querySelectorAll('{drawn} .box').length === 3")
    assert tab.evaluate(f"[...document.querySelectorAll('{drawn} .box text')].map((one) => one.textContent)") == [
        "customers", "orders", "totals",
    ]  # fmt: skip
    assert tab.evaluate(f"document.querySelectorAll('{drawn} .edge.dashed').length") == 1, "one was only found"
    said = tab.evaluate("[...document.querySelectorAll('#lineage ~ .part li')].map((one) => one.innerText)")[:5]
    assert said == [
        "one tells rows apart (declared)", "two is declared to tell rows apart, and does not tell all of them apart",
        "three tells rows apart (measured)", "four tells the rows of a sample apart (measured)",
        "five tells nearly all rows apart, but not all (measured)",
    ]  # fmt: skip
    tab.evaluate(f"window.refusing = true; location.hash = '#/asset?fqn={BASE}.board'")
    tab.wait_for("document.querySelector('#lineage .refused')?.innerText.includes('not open to you')")
    tab.open("about:blank")


def test_the_picture_is_accessible_in_both_themes_and_scrolls_in_its_own_place(
    browser: Browser, told: tuple[Client, str, str]
) -> None:
    if not AXE.is_file():
        missing("axe-core", "run `npm ci` in tests/node")
    _, console, token = told
    for scheme in ("light", "dark"):
        page = browser.new_page()
        page.prefer(scheme)
        page.open(f"{console}#/asset?fqn={BASE}.totals&token={token}")
        page.evaluate(AXE.read_text("utf-8") + "; true")
        for width in (1280, 360):
            sized(page, width)
            page.wait_for(f"{EDGES}.length > 3 && !document.querySelector('.spinner')")
            page.evaluate(f"{cell('turnover of totals')}.focus()")
            assert looked_at(page) == [], (scheme, width)
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.open("about:blank")
