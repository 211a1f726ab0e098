"""The report is one page that needs nothing else, tells what was measured, and repeats no text as markup."""

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from resolvers.engines.report import charts
from resolvers.engines.report.page import rendered
from resolvers.engines.report.values import TrendPoint
from tests.support.report import HOSTILE, NOW, scorecard, shop


class _Tags(HTMLParser):
    """Every element of a page, with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("level", ["schema", "table"])
def test_a_report_has_no_script_and_asks_nobody_for_anything(level: str) -> None:
    page = rendered(shop(level))
    tags = _Tags(page).found
    assert {tag for tag, _ in tags} & {"script", "link", "iframe", "img", "object", "form", "a"} == set()
    for tag, attributes in tags:
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            if name in ("href", "src", "xlink:href"):
                assert (value or "").startswith("#"), (tag, name, value)
    namespaces = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert set(re.findall(r"https?://[^\"'\s<]+", page)) <= namespaces
    assert HOSTILE not in page
    assert "<script" not in page


def test_a_report_tells_the_figures_of_its_data() -> None:
    page = rendered(shop())
    for told in (
        "82.5%",
        "+3.5 points since the run before",
        "40 open violations, the worst first",
        "PII.Phone",
        "83.0%",
    ):
        assert told in page
    assert page.count("<svg") == 6  # dimensions, trend, rules, personal data, missing values, relationships


def test_the_report_of_a_table_shows_distributions_and_hides_personal_data() -> None:
    page = rendered(shop("table"))
    assert "Values are hidden: the column holds personal data." in page
    assert page.count("<svg") == 6 + 4  # four columns that are not masked
    assert "Approximate, from a sample of 1,000 rows: distinct count, quantiles." in page
    assert "≈420" in page


def test_a_report_of_nothing_says_what_to_run() -> None:
    empty = shop()
    nothing = replace(
        empty,
        scorecard=scorecard(empty.scorecard.scope).model_copy(update={"overall_score": None, "dimensions": []}),
        trend=[],
        tables=[],
        tables_total=0,
        classifications=[],
        rules=[],
        troubles=[],
        violations_total=0,
        relations=[],
        previous_score=None,
    )
    page = rendered(nothing)
    assert "<svg" not in page
    for told in ("Nothing was measured yet.", "No open violation.", "run profiling", "run generate-pii-tags"):
        assert told in page


def test_without_the_charting_library_the_tables_stand_and_the_page_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    page = rendered(shop("table"))
    assert "<svg" not in page
    assert page.count("pip install &#39;stoa-platform[charts]&#39;") == 1
    assert "email is there" in page


def test_one_measurement_is_no_trend() -> None:
    assert charts.trend([TrendPoint(NOW, 0.5)]) is None
    assert charts.trend([]) is None


def test_the_largest_report_stays_bounded() -> None:
    data = shop()
    many = replace(
        data, tables=[data.tables[0]] * 5000, relations=list(data.relations) * 500, rules=list(data.rules) * 500
    )
    assert len(rendered(many)) < 2_000_000
