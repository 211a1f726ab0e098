"""The report is one page that needs nothing else, tells what was measured, and repeats no text as markup."""

import re
import sys
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser

import pytest

from resolvers.engines.report import charts, maps
from resolvers.engines.report.page import rendered
from resolvers.engines.report.values import ReportData, TableLine, TrendPoint, Unmeasured, ViolationSummary
from resolvers.engines.report.wording import figure, percent
from schema.data_readiness.profile import HistogramBin, ValueKind
from schema.data_readiness.scorecard import AssessmentScore
from schema.data_readiness.violation import Severity
from tests.support.report import HOSTILE, NOW, column, profile, scorecard, shop


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
        scorecard=scorecard(empty.scorecard.scope).model_copy(
            update={"data_quality": AssessmentScore(), "dimensions": []}
        ),
        trend=[],
        tables=[_table("one", 0)],
        tables_total=1,
        classifications=[],
        rules=[],
        troubles=[],
        violations_total=0,
        relations=[],
        previous_score=None,
    )
    page = rendered(nothing)
    assert "<svg" not in page
    for told in ("No data was measured yet.", "No open violation.", "run generate-pii-tags"):
        assert told in page
    bare = rendered(replace(nothing, tables=[replace(nothing.tables[0], profile=None)]))
    assert "run profiling" in bare
    none = rendered(replace(nothing, tables=[], tables_total=0))
    assert "This schema has no tables." in none
    assert "Missing values" not in none


def test_what_is_wrong_in_one_place_many_times_stands_in_one_place() -> None:
    wrong = ViolationSummary("Inconsistent rows", Severity.MEDIUM, 15, ["shop.db.sales.orders"], 1)
    page = rendered(replace(shop(), troubles=[wrong], violations_total=15))
    assert "and 14 more" not in page
    assert "and 2 more" in rendered(replace(shop(), troubles=[replace(wrong, places_total=3)]))


def test_a_change_that_nobody_can_see_is_none() -> None:
    page = rendered(replace(shop(), previous_score=f"{float(str(shop().scorecard.data_quality.score)) - 0.0003:.4f}"))
    assert "since the run before" not in page


def test_without_the_charting_library_the_tables_stand_and_the_page_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    page = rendered(shop("table"))
    assert "<svg" not in page
    assert page.count("pip install &#39;stoa-platform[charts]&#39;") == 1
    assert "email is there" in page


@pytest.mark.parametrize(
    ("apart", "labels"),
    [
        (timedelta(milliseconds=700), [f"{NOW:%H:%M:%S}"]),
        (timedelta(hours=1), [f"{NOW:%H:%M}"]),
        (timedelta(days=40), [f"{NOW:%d %b %Y}", f"{NOW + timedelta(days=40):%d %b %Y}"]),
    ],
)
def test_the_trend_is_labelled_with_the_moments_of_its_runs(apart: timedelta, labels: list[str]) -> None:
    spec = charts.trend([TrendPoint(NOW, 0.9), TrendPoint(NOW + apart, 0.5)])
    assert spec is not None
    drawing = charts.drawn(spec)
    for told in labels:
        assert told in drawing
    assert ">.500<" not in drawing


def test_one_measurement_is_no_trend() -> None:
    assert charts.trend([TrendPoint(NOW, 0.5)]) is None
    assert charts.trend([]) is None


def test_the_largest_report_stays_bounded() -> None:
    data = shop()
    many = replace(
        data, tables=[data.tables[0]] * 5000, relations=list(data.relations) * 500, rules=list(data.rules) * 500
    )
    assert len(rendered(many)) < 2_000_000


def _with_tables(data: ReportData, *tables: TableLine) -> ReportData:
    return replace(data, tables=tables, tables_total=len(tables))


def _null_map(data: ReportData) -> charts.Spec:
    made = maps.null_map(data.tables, maps.emptiest(data.tables), "shop.db.sales")
    assert made is not None
    return made


def _table(name: str, *nulls: int) -> TableLine:
    """A table of 1,000 rows whose columns c1, c2, ... have so many nulls."""
    columns = [column(f"c{place}", place, ValueKind.NUMBER, nulls=number) for place, number in enumerate(nulls, 1)]
    return TableLine(f"shop.db.sales.{name}", name, None, len(columns), 1000, profile(name, columns))


def test_what_was_not_measured_stands_at_the_top_of_what_to_do() -> None:
    places = [f"shop.db.sales.{name}" for name in ("broken", "bad_one", "gone")]
    told = [
        Unmeasured("It is damaged.", "Mend it.", 5, places),
        Unmeasured("It was busy.", "Ask again.", 1, ["shop.db.sales.stock"], is_old=True),
    ]
    page = rendered(replace(shop(), tables_total=8, unmeasured=told))
    for words in (
        "of 3 of 8 tables</div>",
        "<b>5 of 8 tables were not measured.</b> The score says nothing about them.",
        "<b>1 of 8 tables could not be measured again.</b>",
        'broken, bad_<wbr>one, gone <span class="small">and 2 more</span>',
        "Mend it.",
    ):
        assert words in page
    assert page.index("It is damaged.") < page.index("40 open violations")
    assert "not measured" not in rendered(shop())


def test_a_table_of_very_many_columns_takes_no_more_room_than_any_other() -> None:
    wide = _table("wide", *range(300))  # c1 misses nothing, c300 the most
    drawn = charts.drawn(_null_map(_with_tables(shop(), wide, _table("narrow", 500), _table("full", 0))))
    assert float(re.findall(r'width="([0-9.]+)"', drawn)[0]) < 420
    assert "29.9%, +283" in drawn
    page = rendered(_with_tables(shop(), wide, _table("narrow", 500), _table("full", 0)))
    assert "2 of 3 tables with a profile miss values." in page
    assert "The emptiest 12 of 300 columns that miss values." in page
    assert page.index("narrow.<wbr>c1<") < page.index("wide.<wbr>c300<") < page.index("wide.<wbr>c299<")
    assert "full.<wbr>c1<" not in page


def test_where_nothing_is_missing_or_related_one_line_says_so() -> None:
    page = rendered(replace(_with_tables(shop(), _table("one", 0), _table("two", 0)), relations=[]))
    assert "No value is null or blank in the 2 tables that have a profile." in page
    assert "No relationship between these tables is known." in page
    assert page.count("<svg") == 4  # dimensions, trend, rules, personal data


def test_missing_values_are_of_the_moments_when_the_tables_were_profiled() -> None:
    def profiled(*days: int) -> str:
        tables = [_table(f"t{day}", day) for day in days]
        dated = [
            replace(
                one, profile=one.profile and one.profile.model_copy(update={"measured_at": NOW + timedelta(days=at)})
            )
            for at, one in zip(days, tables, strict=True)
        ]
        return rendered(_with_tables(shop(), *dated, TableLine("shop.db.sales.new", "new", None, 1, None, None)))

    first, last = (f"{NOW + timedelta(days=day):%Y-%m-%d %H:%M UTC}" for day in (0, 3))
    assert f"As profiled at {first}." in profiled(0)
    assert f"As profiled between {first} and {last}." in profiled(2, 0, 3)
    assert "As profiled" not in profiled()


def test_the_map_of_relationships_is_as_large_as_what_it_shows() -> None:
    few = charts.drawn(maps.relationships(shop().relations[:1]) or {})
    many = charts.drawn(maps.relationships(shop().relations) or {})
    sizes = [tuple(map(float, re.findall(r'(?:width|height)="([0-9.]+)"', svg)[:2])) for svg in (few, many)]
    assert sizes[0][0] * sizes[0][1] < 200 * 200 < sizes[1][0] * sizes[1][1]


def test_weights_are_shown_where_they_differ_and_shortly() -> None:
    data = shop()
    assert ">weight " not in rendered(data)
    first, *others = data.scorecard.dimensions
    heavier = data.scorecard.model_copy(update={"dimensions": [first.model_copy(update={"weight": "2.5000"}), *others]})
    page = rendered(replace(data, scorecard=heavier))
    assert ">weight 2.5<" in page
    assert page.count(">weight 1<") == len(others)


def test_what_is_not_all_is_not_written_as_all() -> None:
    written = {text: percent(text) for text in ("1.0000", "0.9997", "0.99999", "0.975", "0.0004", "0.0000", "0.00001")}
    assert list(written.values()) == ["100.0%", "99.97%", ">99.99%", "97.5%", "0.04%", "0.0%", "<0.01%"]


def test_names_stand_without_what_they_all_have_in_common_and_break_between_words_only() -> None:
    data = replace(shop(), asset_fqn="shop", level="service")
    page = rendered(data)
    assert "Names below stand under shop.db.sales." in page
    assert '<td class="main">order_<wbr>lines</td>' in page
    assert "overflow-wrap: anywhere" not in page.partition("td {")[2].partition("}")[0]


def test_names_in_descriptions_are_set_as_code_and_nothing_else_is_markup() -> None:
    data = shop()
    first, *others = data.tables
    lines = [replace(first, description="By `<b>x</b>` and `id`; a ` alone, and <i>"), *others]
    page = rendered(replace(data, tables=lines, description="Each row is an order, identified by `order_id`."))
    assert "<p>Each row is an order, identified by <code>order_id</code>.</p>" in page
    assert "By <code>&lt;b&gt;x&lt;/b&gt;</code> and <code>id</code>; a ` alone, and &lt;i&gt;" in page


def test_moments_are_written_to_the_minute_and_whole() -> None:
    written = [
        "2025-08-24T22:54:42.068523+00:00",
        "2025-08-24T22:54:42Z",
        "2025-08-24 22:54:42",
        "2025-08-24T00:00:00",
        "2025-08-24",
        "2025-08-24T22:54:42-07:00",
        "0044-03-15 BC",
    ]
    assert [figure(text, ValueKind.TEMPORAL) for text in written] == [
        "2025-08-24 22:54",
        "2025-08-24 22:54",
        "2025-08-24 22:54",
        "2025-08-24",
        "2025-08-24",
        "2025-08-24 22:54 -07:00",
        "0044-03-15 BC",
    ]
    assert figure(written[1], ValueKind.TEXT) == written[1]
    first, last = "2025-08-24T22:54:42.068523+00:00", "2026-11-23T00:23:42.068523+00:00"
    bins = [HistogramBin(lower=first, upper=first, count=3), HistogramBin(lower=first, upper=last, count=2)]
    spec = charts.distribution(column("at", 1, ValueKind.TEMPORAL).model_copy(update={"histogram": bins}))
    assert spec is not None
    assert spec["encoding"]["x"]["axis"]["title"] == "2025-08-24 22:54 to 2026-11-23 00:23"


def test_a_report_is_the_same_byte_for_byte() -> None:
    assert rendered(shop()) == rendered(shop())
