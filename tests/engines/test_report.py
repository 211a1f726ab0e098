"""The report is one page that needs nothing else, tells what was measured, and repeats no text as markup."""

import re
import sys
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser

import pytest

from resolvers.data_readiness.report_findings import told_once
from resolvers.engines.report import charts, maps
from resolvers.engines.report.measures import is_measure
from resolvers.engines.report.page import ROOM, rendered
from resolvers.engines.report.values import (
    LineageLine,
    ReportData,
    ReportLineage,
    ReportReference,
    TableLine,
    TrendPoint,
    Unmeasured,
    ViolationSummary,
)
from resolvers.engines.report.wording import figure, percent
from schema.data_readiness.profile import HistogramBin, ValueKind
from schema.data_readiness.scorecard import AssessmentScore
from schema.data_readiness.violation import Severity
from tests.support.report import HOSTILE, NOW, cell, column, profile, scorecard, shop


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
        "+10.0 points since the run before",
        "4 of 40 open violations of the data",
        "At most 2 of 100 rows may be empty; 4 are (40 of 1,000).",
        "3 of 12 cells",
        "97 of 100",
        "PII.Phone",
        "83.0%",
    ):
        assert told in page
    # dimensions, two trends, rules, personal data, missing values, relationships
    assert page.count("<svg") == 7


def test_the_report_of_a_table_shows_distributions_and_hides_personal_data() -> None:
    page = rendered(shop("table"))
    assert "Values are hidden: the column holds personal data." in page
    assert page.count("<svg") == 7 + 3  # columns that are not masked and tell more than rows apart
    assert "Approximate, from a sample of 1,000 rows: distinct count, quantiles." in page
    assert "≈420" in page


def test_a_report_of_nothing_says_what_to_run() -> None:
    empty = shop()
    nothing = replace(
        empty,
        scorecard=scorecard(empty.scorecard.scope).model_copy(
            update={"data_quality": AssessmentScore(), "metadata": AssessmentScore(), "dimensions": []}
        ),
        trend=[],
        metadata_trend=[],
        tables=[_table("one", 0)],
        tables_total=1,
        classifications=[],
        rules=[],
        actions=[],
        violations_total=0,
        gaps=[],
        cells=[],
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


def test_what_is_not_described_is_summed_up_apart_from_what_is_wrong() -> None:
    gap = ViolationSummary("Missing owner", Severity.MEDIUM, 15, ["shop.db.sales.orders"], 1)
    page = rendered(replace(shop(), gaps=[gap]))
    first, apart = page.index("of 40 open violations of the data"), page.index("What is not described")
    assert first < apart < page.index("Missing owner")
    assert "and 14 more" not in page
    assert "and 2 more" in rendered(replace(shop(), gaps=[replace(gap, places_total=3)]))
    assert "What is not described" not in rendered(replace(shop(), gaps=[]))


def test_the_worst_cells_stand_with_value_row_reason_and_repair() -> None:
    page = rendered(shop())
    row = page[page.index("customers.<wbr>status</td>") :].partition("</tr>")[0]
    for told in ("id 7", "<code>pad</code>", "<code>paid</code>", "97 of 100", "is nearly &#39;paid&#39;"):
        assert told in row
    sure = cell("status", None, None, probability=1.0)
    row = rendered(replace(shop(), cells=[sure])).partition("customers.<wbr>status</td>")[2].partition("</tr>")[0]
    for told in (">empty<", ">not known<", "&gt;99 of 100"):
        assert told in row


def test_cells_that_are_wrong_alike_are_told_once() -> None:
    cells = [cell("status", value, "paid", id=str(at)) for at, value in enumerate(["pad", "pad", "piad"])]
    table, column = cells[0].table_fqn, cells[0].asset_fqn
    assert [one.id for one in told_once(cells, {table: frozenset()}, 8)] == ["0", "2"]
    assert [one.id for one in told_once(cells, {table: frozenset({column})}, 8)] == ["0"], "nothing of them is shown"
    assert [one.id for one in told_once(cells, {table: frozenset()}, 1)] == ["0"]


def test_a_score_does_not_stand_without_the_cells_that_look_wrong() -> None:
    data = replace(shop(), cells_total=120)
    line = replace(data.tables[0], row_count=100, column_count=12)
    assert "10.0% of the cells look wrong" in rendered(replace(data, tables=[line], tables_total=1))
    assert "120 cells look wrong" in rendered(replace(data, tables=[line], tables_total=2)), "not all sizes are known"
    assert "look wrong" not in rendered(replace(data, cells_total=0))


def test_a_change_that_nobody_can_see_is_none() -> None:
    score = float(str(shop().scorecard.data_quality.score))
    page = rendered(replace(shop(), previous_metadata=None, previous_score=f"{score - 0.0003:.4f}"))
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
    assert page.index("It is damaged.") < page.index("of 40 open violations")
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
    assert page.count("<svg") == 5  # dimensions, two trends, rules, personal data


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


def test_the_map_of_relationships_fits_the_page_however_many_tables_it_has() -> None:
    pairs = [ReportReference(f"a_table_called_{n}", f"another_called_{n}", "id", False) for n in range(30)]
    page = rendered(replace(shop(), relations=pairs))
    (width,) = re.findall(r'<svg[^>]* width="([0-9.]+)"', page.partition('id="relations"')[2])
    assert float(width) <= ROOM


def _histogram(*counts: int, bounds: list[float]) -> list[HistogramBin]:
    ends = [f"{one:g}" for one in bounds]
    return [
        HistogramBin(lower=low, upper=high, count=count)
        for low, high, count in zip(ends, ends[1:], counts, strict=False)
    ]


def test_what_lies_far_off_is_told_and_not_drawn() -> None:
    bins = _histogram(2, 10, 30, 20, 5, 1, bounds=[-900, 0, 10, 20, 30, 40, 99_999])
    age = column("age", 1, ValueKind.NUMBER).model_copy(update={"histogram": bins})
    spec = charts.distribution(age)
    assert spec is not None
    assert [row["count"] for row in spec["data"]["values"]] == [10, 30, 20, 5]
    assert spec["encoding"]["x"]["axis"]["title"] == "0 to 40"
    said = "Not drawn: 2 below 0, from -900 and 1 from 40 up to 99,999."
    assert charts.outlying(age)[1] == said
    customers = shop("table").tables[0]
    assert customers.profile is not None
    whole = replace(customers, profile=customers.profile.model_copy(update={"columns": [age]}))
    assert said in rendered(replace(shop("table"), tables=[whole]))
    even = age.model_copy(update={"histogram": bins[1:5]})
    assert charts.outlying(even) == (bins[1:5], None)


@pytest.mark.parametrize(
    ("name", "least", "greatest", "distinct", "measures"),
    [
        ("price", "0.5", "99", 400, True), ("number_of_rooms", "1", "9", 9, True), ("age", "18", "99", 80, True),
        ("years_of_schooling", "0", "22", 22, True), ("days_overdue", "0", "900", 300, True),
        ("customer_id", "1", "5000", 420, False), ("ZIPCode", "1001", "99950", 420, False),
        ("room_number", "1", "900", 420, False), ("branch_code", "10", "99", 40, False),
        ("yearID", "1985", "2016", 32, False), ("founded", "1851", "2001", 90, False),
        ("birthMonth", "1", "12", 12, False), ("index", "1", "1000", 1000, False), ("rank_no", "3", "900", 9, False),
        ("tally", "1", "1000", 1000, False), ("phone", "2055550100", "9365550199", 900, False),
    ],
)  # fmt: skip
def test_only_what_measures_has_a_mean(name: str, least: str, greatest: str, distinct: int, measures: bool) -> None:
    changes = {"minimum": least, "maximum": greatest, "distinct_count": distinct}
    one = column(name, 1, ValueKind.NUMBER).model_copy(update={**changes, "mean": 4321.5})
    assert is_measure(one) is measures
    customers = shop("table").tables[0]
    assert customers.profile is not None
    whole = replace(customers, profile=customers.profile.model_copy(update={"columns": [one]}))
    assert ("4,322" in rendered(replace(shop("table"), tables=[whole]))) is measures


def test_figures_are_written_to_be_read() -> None:
    numbers = [2_085_634.05, 0.012344, 33.0, 1e20, 0.0, 12345.6]
    assert [figure(one) for one in numbers] == ["2,086,000", "0.01234", "33", "1e+20", "0", "12,350"]
    assert [figure(one, ValueKind.NUMBER) for one in ("33000000", "2016", "-41000", "0.5")] == [
        "33,000,000", "2016", "-41,000", "0.5",
    ]  # fmt: skip


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


def test_a_report_tells_what_a_table_is_made_of_and_what_of_it() -> None:
    lineage = ReportLineage(
        made_of=tuple(LineageLine("a.b.c.t", f"a.b.c.{HOSTILE}{at}", at + 1, ("x",) * 10) for at in range(40)),
        goes_into=(LineageLine("a.b.c.t", "a.b.c.board", 2),),
        hidden=3,
        complete=False,
    )
    for level in ("schema", "table"):
        page = rendered(replace(shop(level), lineage=lineage))
        assert HOSTILE not in page
        for told in ("Made of", "30 of 40.", "and 2 more", "Goes into", "its rows", "3 more of other connections"):
            assert told in page
        assert "There is more than was followed." in page
    assert 'id="lineage"' not in rendered(shop())
