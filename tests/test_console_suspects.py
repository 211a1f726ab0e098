"""The suspect cells of a table in the console: filtered, decided by keyboard and by button, taken back, saved."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rest_compat.pages import STATIC_FOLDER
from schema.data_readiness.suspect import SuspectKind
from tests.support.browser import Page
from tests.support.server import Client
from tests.test_console_browser import browser, run, tab
from tests.test_console_inbox import ROWS, serving

__all__ = ["browser", "tab"]

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.timeout(600)]

TABLE = "north.North.root.visits"
FRUITS = ("Apple", "Mango", "Lemon", "Peach", "Grape")
MISSPELLED = {6: "Magno", 11: "Magno", 16: "Magno", 5: "Applle", 10: "Applle"}
ODD = {20: "x20/7", 30: "x30/7"}
SELECTS = ".suspects .filter label:nth-of-type({}) select"


def visits() -> str:
    """A table with wrong cities and odd codes, and an e-mail address that is none."""
    rows = [
        f"{at},{MISSPELLED.get(at, FRUITS[at % 5])},{at % 5 + 1}{at % 5 + 1},"
        f"{ODD.get(at, f'AB-{1000 + at}')},{'unreadable7' if at == 40 else f'guest{at}@inn.example'}"
        for at in range(1, 201)
    ]
    return "\n".join(["id,fruit,shelf,batch,email", *rows, ""])


def deliveries() -> str:
    """A table with more suspects in one column than are shown at first."""
    rows = [
        f"{at},{FRUITS[at % 5]}{'' if at % 27 else chr(97 + at // 27)},{at % 5 + 1}{at % 5 + 1}" for at in range(1, 301)
    ]
    return "\n".join(["id,fruit,shelf", *rows, ""])


@pytest.fixture
def suspected(tmp_path: Path) -> Iterator[tuple[Client, str]]:
    """A server with two assessed tables, and the page of one."""
    with serving(tmp_path, {"visits.csv": visits(), "deliveries.csv": deliveries()}) as (server, client, token):
        run(client, "profiling", asset_fqn="north")
        run(client, "dq-assessment", asset_fqn="north")
        yield client, f"{server.address}/console#/asset?fqn={TABLE}&token={token}"


def listed(client: Client, **asked: str) -> list[dict[str, Any]]:
    """The suspects of a table, through REST."""
    asked = {"asset_fqn": TABLE} | asked
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    found: list[dict[str, Any]] = client("GET", f"/data-readiness/suspect-cells?limit=100&{query}")["data"]
    return found


def choose(tab: Page, which: int, value: str) -> None:
    """Pick an option of one of the filters."""
    name = SELECTS.format(which)
    tab.wait_for_element(name)
    tab.evaluate(
        f"(() => {{ const one = document.querySelector('{name}'); one.value = '{value}';"
        " one.dispatchEvent(new Event('change', {bubbles: true})) })()"
    )


def test_a_steward_decides_suspect_cells_and_saves_them(tab: Page, suspected: tuple[Client, str]) -> None:
    client, page = suspected
    found = listed(client)
    assert len(found) == 8
    tab.open(page)
    tab.wait_for(f"{ROWS} === 5")  # cells that are wrong alike are one row
    first = tab.text(".suspects .row")
    assert "Applle" in first
    assert "Apple" in first
    assert "\N{MULTIPLICATION SIGN}2" in first
    assert "over 99%" in tab.evaluate("document.querySelector('.suspects .row svg').getAttribute('aria-label')")
    assert found[0]["reason"] in tab.text(".suspects .detail")
    assert "***" not in tab.text(".suspects")
    hidden = tab.text(".suspects [aria-label=email] .row")
    assert "masked" in hidden, "in words"
    names = "[...document.querySelectorAll('.suspects .group')].map((one) => one.getAttribute('aria-label'))"
    assert tab.evaluate(names)[-1] == "email", "what can be read comes first"
    tab.click(".suspects [aria-label=email] [data-row]")
    tab.wait_for("!!document.querySelector('.suspects .detail a')")
    assert "Another form than nearly all of the column." in tab.text(".suspects .detail")
    asked = tab.evaluate("document.querySelector('.suspects .detail a').getAttribute('href')")
    assert asked == "#/ask?q=email+of+visits+where+id+is+40"
    assert "unreadable7" not in tab.text("main")

    tab.click(".jumps a:nth-child(4)")
    tab.wait_for("document.activeElement.innerText.startsWith('Suspect cells')")
    assert "part=suspects" in tab.evaluate("location.hash"), "a link to a part is one to share"
    top = tab.evaluate("document.activeElement.getBoundingClientRect().top")
    assert 40 < top < 100, "the part stands below what leads to it"

    tab.wait_for("document.querySelectorAll('.actions li').length > 0")
    [action, *_] = client("GET", f"/data-readiness/actions?asset_fqn={TABLE}")["data"]
    assert "***" in action["what"]
    assert "1 of 200 rows is anything but an e-mail address." in tab.text(".actions li"), "what to do first"
    assert "***" not in tab.text(".actions li"), "an example that is masked shows nothing"
    assert tab.evaluate("document.querySelectorAll('#next a[href*=\"of=violations\"]').length") == 1

    tab.evaluate("document.querySelector('.suspects [data-row]').focus()")
    tab.press("w", code=ord("W"))
    tab.press("f", code=ord("F"))
    tab.wait_for("document.querySelector('.suspects .outcome')?.innerText.startsWith('3 cells are fine.')")
    tab.wait_for(f"{ROWS} === 3")
    assert tab.evaluate("document.activeElement.matches('[data-row]')"), "the focus moves on"
    assert [len(listed(client, verdict=one)) for one in ("wrong", "fine")] == [2, 3]
    tab.click(".suspects .outcome button")
    tab.wait_for(f"{ROWS} === 4")
    assert listed(client, verdict="fine") == []

    many = "document.querySelector('.suspects [data-row][aria-expanded]')"
    tab.evaluate(f"{many}.click()")
    tab.wait_for(f"{ROWS} === 7")  # each of them, behind the one that is for all
    tab.evaluate(f"{many}.click()")
    tab.wait_for(f"{ROWS} === 4")

    choose(tab, 1, f"{TABLE}.batch")
    tab.wait_for(f"{ROWS} === 2")
    tab.click(".detail .choices button:nth-of-type(3)")
    tab.wait_for("document.querySelector('.suspects .outcome')?.innerText.startsWith('1 cell is always fine.')")
    tab.wait_for("document.querySelector('.suspects').innerText.includes('None of these')")  # they have one form
    assert len(listed(client, verdict="always_fine")) == 2
    choose(tab, 1, "")
    choose(tab, 2, "PATTERN")
    tab.wait_for(f"{ROWS} === 1")
    choose(tab, 2, "")
    tab.wait_for(f"{ROWS} === 2")
    choose(tab, 3, "0.9")
    tab.wait_for(f"{ROWS} === 1")
    tab.evaluate("document.querySelector('.suspects [data-row]').focus()")
    tab.press("W", code=ord("W"), shift=True)
    tab.wait_for("document.querySelector('dialog h2')?.innerText === 'Confirm 3 wrong cells?'")
    assert len(listed(client, verdict="wrong")) == 2, "to look changes nothing"
    tab.press("Enter", code=13)
    tab.wait_for("document.querySelector('.suspects .outcome')?.innerText.startsWith('3 cells are wrong.')")
    assert len(listed(client, verdict="wrong")) == 5

    choose(tab, 4, "WRONG")
    tab.wait_for(f"{ROWS} === 2")
    tab.click(".suspects .csv")
    tab.wait_for("performance.getEntriesByType('resource').some((one) => one.name.includes('format=csv'))")
    tab.evaluate("document.querySelector('.suspects [data-row]').focus()")
    tab.press("u", code=ord("U"))
    tab.wait_for("document.querySelector('.suspects .outcome')?.innerText.includes('undecided again.')")
    tab.wait_for(f"{ROWS} === 1")
    assert len(listed(client, verdict="undecided")) > 2

    # A violation shows the rows that are wrong, each marked where it is and nowhere else, and leads to the cells.
    [violation] = client("GET", f"/data-readiness/violations?asset_fqn={TABLE}&name=implausible_values")["data"]
    examples = violation["details"]["examples"]
    assert len({name for one in examples for name in one["values"]}) > 1
    tab.evaluate("location.hash = '#/inbox?of=violations'")
    tab.wait_for_element(".board [data-row]")
    wrong = "[...document.querySelectorAll('[data-row]')].find((one) => /visits\\n.*cells/.test(one.innerText))"
    tab.evaluate(f"{wrong}.focus()")
    tab.wait_for(
        f"document.querySelectorAll('.detail .marked').length === {sum(len(one['values']) for one in examples)}"
    )
    assert "part=suspects" in tab.evaluate("document.querySelector('.detail a.button').href")
    tab.open("about:blank")


def test_many_suspects_of_a_column_wait_behind_a_button(tab: Page, suspected: tuple[Client, str]) -> None:
    client, page = suspected
    total = len(listed(client, asset_fqn=TABLE.replace("visits", "deliveries")))
    assert 10 < total <= 20
    tab.open(page.replace("visits", "deliveries"))
    tab.wait_for(f"{ROWS} === 3")
    tab.click(".suspects .group > .quiet-button")
    tab.wait_for(f"{ROWS} === {total}")
    choose(tab, 4, "")
    for width in (1280, 390):
        size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": False}
        tab.browser.call("Emulation.setDeviceMetricsOverride", size, tab.session)
        is_inside = "(one) => one.getBoundingClientRect().right <= innerWidth"
        inside = f"[...document.querySelectorAll('.suspects button')].every({is_inside})"
        assert tab.evaluate(inside), "four choices have room in a narrow window too"
    tab.open("about:blank")


def test_every_kind_has_words() -> None:
    text = (STATIC_FOLDER / "console" / "suspects.js").read_text("utf-8")
    kinds = json.loads("[" + text.partition("const KINDS = [")[2].partition("]")[0] + "]")
    assert kinds == [one.name for one in SuspectKind]
    english = (STATIC_FOLDER / "console" / "texts" / "en.js").read_text("utf-8")
    assert [kind for kind in kinds if f'"suspect.{kind}": ' not in english] == []
