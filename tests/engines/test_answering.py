"""What is said and drawn of the rows of an answer."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.engines.answering.charts import chart_of, png_of, with_names
from resolvers.engines.answering.ranking import grouped_by
from resolvers.engines.answering.sentence import Sentence, sentence_of
from resolvers.engines.answering.shape import Rows


def answer(columns: str, *rows: tuple[Any, ...], total: int | None = None, is_cut_off: bool = False) -> Rows:
    """An answer with the named columns."""
    return Rows(tuple(columns.split()), rows, len(rows) if total is None else total, is_cut_off)


def said(columns: str, *rows: tuple[Any, ...], **how: Any) -> str:
    """Return what is said of an answer."""
    return sentence_of(answer(columns, *rows, **how)).text


def test_one_figure_is_said_with_its_name() -> None:
    assert said("total", (Decimal("2328.60"),)) == "Total: 2,328.60."
    assert said("singers", (6,)) == "Singers: 6."
    assert said("mean", (None,)) == "Mean: nothing."
    assert sentence_of(answer("count_orders", (4,)), "The number of orders.").text == "The number of orders: 4."
    assert sentence_of(answer("n", (4,)), "The number of orders since 2014.").text == "N: 4."
    told = "Answered as people answered the same question: “How many?”. Nobody has checked that answer yet."
    assert sentence_of(answer("odd_orders", (4,)), told).text == "Odd orders: 4."


@pytest.mark.parametrize("name", ["created_at", "birth_date", "dateOfBirth"])
def test_a_moment_of_which_a_policy_shows_the_year_has_no_thousands(name: str) -> None:
    assert said(name, (2026,)).endswith(": 2026.")


def test_years_and_ids_have_no_thousands_and_long_fractions_are_rounded() -> None:
    assert said("yearID", (1989,)) == "YearID: 1989."
    assert said("customer_id", (12345,)) == "Customer id: 12345."
    assert said("year", (Decimal("1997"),)) == said("year", (1997.0,)) == "Year: 1997."
    assert said("number_of_years", (12345,)) == "Number of years: 12,345."
    assert said("mean", (Decimal("2179278.379084967320"),)) == "Mean: about 2,179,278.38."
    assert said("mean", (0.000123456789,)) == "Mean: about 0.000123."
    assert said("mean", (Decimal("12.3456"),)) == "Mean: 12.3456."
    (figure,) = sentence_of(answer("mean", (1.23456789,))).figures
    assert figure.told() == {"text": "about 1.23", "row": 0, "column": 0, "calculation": "rounded"}


def test_a_value_that_ends_in_a_stop_ends_its_sentence() -> None:
    assert said("name", ("Acme Ltd.",)) == "Name: Acme Ltd."
    assert said("name", ("Bob",), ("Acme Ltd.",)) == "2 values of name: Bob, Acme Ltd."
    assert said("name town", ("Bob", "St. Ives Inc.")) == "Name: Bob; town: St. Ives Inc."
    cut = said("name", ("Acme Ltd.",), ("Bob Inc.",), is_cut_off=True)
    assert cut == "2 values of name: Acme Ltd., Bob Inc. There are more; only the first 2 were taken."


def test_a_figure_is_called_as_people_call_it() -> None:
    told = said("shipper count_orders_percent", ("North", 30), ("South", 70))
    assert told == "2 rows. The greatest number of orders in percent is 70 (South), the least 30 (North)."
    assert said("total_Total", (Decimal("5"),)) == "Total: 5."
    assert said("total_sales_percent", (5,)) == "Total sales in percent: 5."
    assert said("percent", (5,)) == "Percent: 5."


def test_no_row_is_said_plainly() -> None:
    assert said("name") == "No row fits the question."


def test_a_list_is_counted_and_named() -> None:
    assert said("name", ("Ann",), ("Bob",)) == "2 values of name: Ann, Bob."
    many = said("name", *((f"n{index}",) for index in range(12)))
    assert many.startswith("12 values of name: n0, ")
    assert many.endswith("n9, and so on.")


def test_groups_are_said_by_their_greatest_and_least() -> None:
    text = said("country total", ("USA", Decimal("523.06")), ("Peru", Decimal("12")), ("Italy", Decimal("50")))
    assert text == "3 rows. The greatest total is 523.06 (USA), the least 12 (Peru)."


def test_counts_are_called_so_and_ties_are_told() -> None:
    text = said("kind count_Boat", ("ketch", 3), ("sloop", 9), ("yawl", 9), ("cutter", 3), ("raft", 3))
    assert text == "5 rows. The greatest number of boats is 9 (sloop, among others), the least 3 (ketch, among others)."
    assert said("month count_orders", (date(2026, 1, 1), 7)) == "Month: 2026-01-01; number of orders: 7."
    assert said("count", (7,)) == "Count: 7."
    assert sentence_of(answer("value", (Decimal("24.0"),)), "100 times the number.").text == "Value: 24.0."


@pytest.mark.parametrize("nan", [Decimal("NaN"), float("nan")])
def test_what_is_no_number_is_neither_the_greatest_nor_the_least(nan: Any) -> None:
    text = said("country total", ("USA", nan), ("Peru", 12), ("Italy", 50))
    assert text == "3 rows. The greatest total is 50 (Italy), the least 12 (Peru)."
    assert said("country total", ("USA", nan), ("Peru", nan)).startswith("2 rows. The first: country: USA; ")


def test_years_are_what_figures_are_told_by() -> None:
    text = said("mean yearID", (Decimal("10.5"), 1994), (Decimal("2"), 1985))
    assert text == "2 rows. The greatest mean is 10.5 (1994), the least 2 (1985)."


def test_what_was_cut_off_is_told() -> None:
    assert said("n", (1,), (2,), is_cut_off=True).endswith("There are more; only the first 2 were taken.")
    assert "greatest" not in said("name n", ("a", 1), ("b", 2), total=9)


VALUES = st.one_of(st.none(), st.integers(), st.decimals(allow_nan=False, places=2), st.text(max_size=9), st.dates())


@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[VALUES] * width), max_size=14)))
def test_every_number_of_a_sentence_is_a_cell_or_a_calculation_that_is_named(rows: list[tuple[Any, ...]]) -> None:
    names = " ".join("abcd"[: len(rows[0])]) if rows else "a"
    sentence = sentence_of(answer(names, *rows))
    left = sentence.text
    for figure in sentence.figures:
        assert figure.calculation in ("rounded", None if figure.row is not None else "rows of the answer")
        if figure.row is None:
            assert figure.text == f"{len(rows):,}"
        assert figure.text in left
        left = left.replace(figure.text, "", 1)
    assert not re.search(r"\d", left)


def test_a_figure_tells_where_it_comes_from() -> None:
    sentence: Sentence = sentence_of(answer("country total", ("USA", 5), ("Peru", 1)))
    assert [figure.told() for figure in sentence.figures[:2]] == [
        {"text": "2", "calculation": "rows of the answer"},
        {"text": "5", "row": 0, "column": 1},
    ]


@pytest.mark.parametrize(
    ("rows", "mark"),
    [
        (answer("day n", *((date(2026, 1, day), day) for day in range(1, 6))), "line"),
        (answer("year n", *((year, year * 2) for year in range(2010, 2015))), "line"),
        (answer("day low high", *((date(2026, 1, day), day, 2 * day) for day in range(1, 6))), "line"),
        (answer("day kind n", *((date(2026, 1, day), "ab"[day % 2], day) for day in range(1, 6))), "line"),
        (answer("genre n", ("Rock", 3), ("Jazz", 1)), "bar"),
        (answer("genre country n", ("Rock", "USA", 3), ("Jazz", "USA", 1), ("Rock", "Peru", 2)), "bar"),
        (answer("weight height", *((index, index**2) for index in range(9))), "point"),
        (answer("amount", *((index % 7,) for index in range(30))), "bar"),
        # The best days, the best first: a line between them would tell of a course that nobody asked for.
        (answer("day n", *((date(2026, 1, day), n) for day, n in ((9, 30), (2, 20), (5, 20)))), "bar"),
        (answer("year n", (2019, 30), (2003, 20), (2011, 20)), "bar"),
        # Days in no order, as groups come: a course.
        (answer("day n", *((date(2026, 1, day), n) for day, n in ((9, 30), (2, 10), (5, 20)))), "line"),
        (answer("id name n", *((index, f"g{index}", index * 2) for index in range(5))), "bar"),
    ],
)
def test_the_kind_of_a_chart_follows_from_the_shape_of_the_answer(rows: Rows, mark: str) -> None:
    spec = chart_of(rows, "A title")
    assert spec is not None
    assert (spec["mark"] if isinstance(spec["mark"], str) else spec["mark"]["type"]) == mark
    assert len(spec["data"]["values"]) == rows.total
    assert png_of(spec).startswith(b"\x89PNG")


@pytest.mark.parametrize(("ordered", "sort"), [(True, None), (False, "-x")])
def test_bars_keep_the_order_that_was_asked_for_and_show_the_greatest_first_else(
    ordered: bool, sort: str | None
) -> None:
    spec = chart_of(answer("genre n", ("Jazz", 1), ("Rock", 3), ("Pop", 2)), "A title", ordered=ordered)
    assert spec is not None
    assert spec["encoding"]["y"]["sort"] == sort
    assert png_of(spec).startswith(b"\x89PNG")


def test_of_many_bars_the_greatest_are_drawn_and_the_rest_is_said() -> None:
    rows = [("none", None), *((f"g{index}", index) for index in range(1040))]
    greatest = chart_of(answer("genre n", *rows), "A title", ordered=False)
    assert greatest is not None
    assert [value["c1"] for value in greatest["data"]["values"]] == list(range(1039, 1019, -1))
    assert greatest["title"] == {"text": "A title", "subtitle": "The greatest 20 of 1,041; 1,021 are left out."}
    assert png_of(greatest).startswith(b"\x89PNG")

    first = chart_of(answer("genre n", *rows), "A title")
    assert first is not None
    assert [value["c0"] for value in first["data"]["values"]][:2] == ["none", "g0"]
    assert first["title"]["subtitle"].startswith("The first 20 of 1,041")


@pytest.mark.parametrize(
    "rows",
    [
        answer("n", (3,)),
        answer("name", ("Ann",), ("Bob",)),
        answer("genre n", ("Rock", 3), ("Rock", 1)),
        answer("genre country n", ("Rock", "USA", 3), ("Rock", "USA", 1), ("Jazz", "Peru", 2)),
        answer("genre n", ("Rock", 3), ("Jazz", 1), is_cut_off=True),
        answer("genre n", ("Rock", 3), ("Jazz", 1), total=7),
        answer("id other", *((index, index) for index in range(9))),
        answer("id", *((index,) for index in range(30))),
        answer("order_id", *((index,) for index in range(30))),
        answer("playerid", *((index,) for index in range(30))),
        answer("name customerID", *((f"g{index}", index) for index in range(5))),
    ],
)
def test_rows_that_are_read_as_easily_have_no_chart(rows: Rows) -> None:
    assert chart_of(rows, "A title") is None


def test_bars_of_two_labels_stand_side_by_side_as_averages_do_not_add_up() -> None:
    spec = chart_of(
        answer("genre country mean", ("Rock", "USA", 3), ("Jazz", "USA", 1), ("Rock", "Peru", 2)), "A title"
    )
    assert spec is not None
    assert spec["encoding"]["yOffset"]["field"] == spec["encoding"]["color"]["field"]
    assert spec["encoding"]["x"]["stack"] is None


def test_numbers_that_rows_were_grouped_by_are_the_names_of_bars() -> None:
    sql = 'SELECT avg("power") AS "mean", "cylinders" FROM "cars" GROUP BY "cylinders"'
    assert grouped_by(sql, "duckdb") == {1}
    assert grouped_by('SELECT "power", "cylinders" FROM "cars"', "duckdb") == frozenset()
    rows = answer("mean cylinders", (158.5, 8), (99.25, 3), (78.5, 4), (82.3, 5), (101.5, 6))
    named, ordered = with_names(rows, {1}, ordered=False)
    spec = chart_of(named, "A title", ordered=ordered)
    assert spec is not None
    assert spec["mark"]["type"] == "bar"
    assert [value["c1"] for value in spec["data"]["values"]] == ["3", "4", "5", "6", "8"]

    kept = answer("n year", *((at, 2000 + at) for at in range(9)))
    assert with_names(kept, {1}, ordered=True)[0] is kept, "years stay moments"
    many = answer("mean age", *((at / 2, at) for at in range(90)))
    assert with_names(many, {1}, ordered=False) == (many, False), "more than there are bars for"


@pytest.mark.parametrize("name", ["paid", "amount_paid", "bid"])
def test_a_figure_whose_name_ends_as_identifiers_do_is_a_figure(name: str) -> None:
    assert chart_of(answer(name, *((index % 9 + 0.5,) for index in range(30))), "A title") is not None
    assert chart_of(answer(f"who {name}", ("Ann", 3), ("Bob", 5)), "A title") is not None


def test_moments_of_a_chart_are_drawn_as_utc_wherever_it_is_looked_at() -> None:
    days = chart_of(answer("day n", *((date(2026, 1, day), day) for day in range(1, 6))), "A title")
    assert days is not None
    assert days["data"]["values"][0]["c0"] == "2026-01-01T00:00:00Z"
    assert days["encoding"]["x"]["scale"] == {"type": "utc"}
    east = timezone(timedelta(hours=2))
    without = datetime(2026, 1, 1, 5, 30, tzinfo=UTC).replace(tzinfo=None)
    moments = [datetime(2026, 1, 1, 1, tzinfo=east), without, datetime(2026, 1, 2, tzinfo=UTC)]
    spec = chart_of(answer("at n", *((moment, n) for n, moment in enumerate(moments))), "A title")
    assert spec is not None
    assert [value["c0"] for value in spec["data"]["values"]] == [
        "2025-12-31T23:00:00Z",
        "2026-01-01T05:30:00Z",
        "2026-01-02T00:00:00Z",
    ]


def test_months_of_a_chart_say_their_year() -> None:
    spec = chart_of(answer("month n", *((date(2025 + m // 12, m % 12 + 1, 1), m) for m in range(7, 23))), "A title")
    assert spec is not None
    assert spec["encoding"]["x"]["axis"] == {"format": "%b %Y", "tickCount": "month"}
    best = chart_of(answer("month n", (date(2026, 8, 1), 9), (date(2025, 3, 1), 7), (date(2026, 1, 1), 7)), "A title")
    assert best is not None
    assert [value["c0"] for value in best["data"]["values"]] == ["2026-08", "2025-03", "2026-01"]


def test_a_number_of_any_size_can_be_drawn() -> None:
    spec = chart_of(answer("genre n", ("Rock", 10**40), ("Jazz", -(10**25))), "A title")
    assert spec is not None
    assert png_of(spec).startswith(b"\x89PNG")
    assert orjson.loads(orjson.dumps(spec)) == spec
    vast = chart_of(answer("genre n", ("Rock", 10**400), ("Jazz", 1)), "A title")
    assert vast is not None
    assert vast["data"]["values"][0]["c1"] is None


def test_odd_names_and_values_do_not_break_a_chart() -> None:
    columns = ('time\'s "x"', "a.b[0]", "c\\'d")
    rows = Rows(columns, [(date(2026, 1, day), float("nan"), Decimal("NaN")) for day in range(1, 6)], 5)
    spec = chart_of(rows, "x" * 500)
    assert spec is not None
    assert png_of(spec).startswith(b"\x89PNG")


def test_one_row_tells_whose_figures_it_has() -> None:
    rows = Rows(("first", "last", "total_runs"), (("Ann", "Lee", 12),), 1)
    assert sentence_of(rows).text.startswith("Ann Lee: ")
