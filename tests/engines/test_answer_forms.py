"""The form that a message wishes its answer in, the chart that was asked for, and what a ranking shows."""

from datetime import date
from decimal import Decimal

import pytest
import sqlglot
from sqlglot import exp

from resolvers.engines.answering.charts import Undrawable, chart_as, png_of
from resolvers.engines.answering.forms import AnswerForm, FormWish, wish_of
from resolvers.engines.answering.ranking import adds_up, limit_of, one_more, tied, with_order_shown
from resolvers.engines.answering.sentence import sentence_of
from tests.engines.test_answering import answer


@pytest.mark.parametrize(
    ("said", "form", "rest"),
    [
        ("as a pie chart", "pie", None), ("Pie chart, please!", "pie", None), ("make it a bar chart", "bar", None),
        ("turn that into a line graph", "line", None), ("can I have it as CSV?", "csv", None), ("csv", "csv", None),
        ("and as Excel?", "xlsx", None), ("export the rows to a spreadsheet", "xlsx", None), ("draw it", "chart", None),
        ("show me a chart", "chart", None), ("download it", "file", None), ("as a table", "table", None),
        ("without a chart", "table", None), ("JSON please", "json", None), ("as a doughnut chart", "pie", None),
        ("Orders by month as a line chart.", "line", "Orders by month"),
        ("How many orders are there by month, as a bar chart?", "bar", "How many orders are there by month?"),
        ("Draw a pie chart of customers by city", "pie", "Show customers by city"),
        ("Histogram of totals", "histogram", "Show totals"), ("plot sales by month", "chart", "Show sales by month"),
        ("sales by month, draw it as bars", "bar", "sales by month"), ("export all customers to CSV", "csv",
        "Show all customers"), ("give me a CSV of customers", "csv", "Show customers"),
        ("the second one, as a bar chart", "bar", "the second one"), ("totals in JSON", "json", "totals"),
    ],
)  # fmt: skip
def test_a_wish_is_taken_out_of_what_is_said(said: str, form: str, rest: str | None) -> None:
    wish = wish_of(said)
    assert wish is not None
    assert (wish.form, wish.rest) == (form, rest)


@pytest.mark.parametrize(
    "said",
    [
        "How many files are stored as CSV?", "Which files are in JSON?", "Which songs were on the chart?", "table",
        "Show the table of customers", "show orders with lines", "compare orders to the table",
        "What tables are there?", "How many plots are there?",
        "What is the average bar chart position?", "show me the SQL", "explain it",
        "as a favour", f"{'x' * 3000} as a pie chart",
    ],
)  # fmt: skip
def test_what_is_no_wish(said: str) -> None:
    assert wish_of(said) is None


def test_words_that_data_may_have_too_are_no_certain_wish() -> None:
    assert wish_of("plot names by year") == FormWish(AnswerForm.CHART, "Show names by year", "plot", is_certain=False)
    assert wish_of("names as a pie chart") == FormWish(AnswerForm.PIE, "names", "pie chart", is_certain=True)


CITIES = answer("city n", ("Bonn", 3), ("Kiel", 1), ("Ulm", 2))
MONTHS = answer("month n", *((date(2026, month, 1), month) for month in (1, 2, 3)))


def mark_of(form: str, rows: object = CITIES, **how: bool) -> str:
    """Return what a chart is drawn of."""
    spec = chart_as(rows, "A title", AnswerForm(form), **how)  # type: ignore[arg-type]
    assert png_of(spec).startswith(b"\x89PNG")
    mark: str = spec["mark"] if isinstance(spec["mark"], str) else spec["mark"]["type"]
    return mark


def test_the_chart_that_is_asked_for_is_drawn() -> None:
    assert [mark_of("pie"), mark_of("bar"), mark_of("chart")] == ["arc", "bar", "bar"]
    assert [mark_of("line", MONTHS), mark_of("bar", MONTHS), mark_of("pie", MONTHS)] == ["line", "bar", "arc"]
    named = answer("first last n", ("Ada", "Bo", 3), ("Ada", "Cy", 1))
    assert chart_as(named, "A title", AnswerForm.PIE)["data"]["values"][0] == {"c0": "Ada, Bo", "c1": 3.0, "at": 0}
    assert mark_of("scatter", answer("name weight height", ("a", 1, 2), ("b", 2, 3))) == "point"
    assert mark_of("histogram", answer("n", (1,), (2,))) == "bar"
    months = chart_as(MONTHS, "A title", AnswerForm.BAR, ordered=False)
    assert [one["c0"] for one in months["data"]["values"]] == ["2026-01", "2026-02", "2026-03"]
    assert months["encoding"]["y"]["sort"] is None, "time keeps its course"


def test_a_pie_has_few_slices_and_the_rest_is_one() -> None:
    spec = chart_as(answer("city n", *((f"c{at}", at) for at in range(30))), "A title", AnswerForm.PIE)
    values = spec["data"]["values"]
    assert len(values) == 10
    assert (values[0]["c0"], values[-1]["c0"]) == ("c29", "21 others")
    assert sum(one["c1"] for one in values) == sum(range(30))


@pytest.mark.parametrize(
    ("form", "rows", "why"),
    [
        ("line", CITIES, "no column of it holds any"), ("scatter", CITIES, "two columns of figures"),
        ("pie", answer("city n", ("a", -1), ("b", 2)), "below zero"),
        ("pie", answer("city n", ("a", 0), ("b", 0)), "nothing"),
        ("pie", answer("city n", ("a", 1), ("a", 2)), "the same name"), ("bar", answer("a b", ("x", "y"), ("u", "v")),
        "figures"), ("bar", answer("n", (3,), (4,)), "names or moments"),
        ("pie", answer("city n", ("a", 1)), "two rows"),
        ("bar", answer("city n", ("a", 1), ("b", 1), is_cut_off=True), "a part"),
        ("pie", answer("city n", ("a", Decimal("NaN")), ("b", 1)), "no number"),
        ("line", answer("day kind n", *((date(2026, 1, 1), f"k{at}", at) for at in range(9))), "more than 8 lines"),
    ],
)  # fmt: skip
def test_what_rows_cannot_be_drawn_as_is_said(form: str, rows: object, why: str) -> None:
    with pytest.raises(Undrawable, match=why):
        mark_of(form, rows)


def test_averages_make_no_pie() -> None:
    sql = "select city, avg(x) as mean, sum(x) as total from t group by city"
    assert [adds_up(sql, "postgres", name) for name in ("mean", "total", "city")] == [False, True, True]
    with pytest.raises(Undrawable, match="averages"):
        mark_of("pie", adds_up=False)


@pytest.mark.parametrize("dialect", ["postgres", "mysql", "duckdb"])
def test_a_ranking_shows_what_it_goes_by(dialect: str) -> None:
    def shown(sql: str, counted: str | None = None) -> list[str] | None:
        there = sqlglot.transpile(sql, read="postgres", write=dialect)[0]
        longer = with_order_shown(there, dialect, {"id"}, counted)
        query = None if longer is None else sqlglot.parse_one(longer, dialect=dialect)
        return query.named_selects if isinstance(query, exp.Query) else None

    assert shown("select city from t group by city order by count(*) desc limit 3") == ["city", "count_t"]
    assert shown("select city from t group by city order by sum(price)") == ["city", "total_price"]
    assert shown("select name from t order by price desc limit 1") == ["name", "price"]
    assert shown("select name from t order by price - cost desc limit 2") == ["name", "by_price"]
    joined = "select a.n from a join b on a.id = b.a_id group by a.n order by count(*) desc limit 3"
    assert shown(joined) == ["n", "count"]
    assert shown(joined, "b") == ["n", "count_b"]
    apart = "(select distinct k, price as value_1 from t) as apart"
    assert shown(f"select k from {apart} group by k order by avg(value_1) desc") == ["k", "average_price"]
    for same in (
        "select city, count(*) as n from t group by city order by n desc limit 3",
        "select city, count(*) from t group by city order by count(*) desc limit 3",
        "select name from t order by 1 limit 3", "select name from t order by id limit 3",
        "select name from t order by price", "select distinct name from t order by name limit 3",
        "select * from t order by price limit 3", "select name from t", "select 1 from t order by random() limit 2",
        "select a from t union select b from t order by a limit 2",
    ):  # fmt: skip
        assert shown(same) is None, same


def test_the_row_behind_a_cut_tells_whether_it_is_one() -> None:
    query = sqlglot.parse_one("select a, count(*) as n from t group by a order by n desc limit 2", dialect="postgres")
    assert isinstance(query, exp.Query)
    assert limit_of(query) == 2
    assert one_more(query, 2).sql("postgres").endswith("LIMIT 3")
    assert limit_of(query) == 2
    assert [tied(query, ("x", 3), ("y", 3)), tied(query, ("x", 3), ("y", 2))] == [1, None]
    assert tied(query, ("x", None), ("y", None)) is None
    other = sqlglot.parse_one("select a from t order by n desc, a limit 2", dialect="postgres")
    assert isinstance(other, exp.Query)
    assert tied(other, ("x",), ("x",)) is None, "what it goes by is not all there"
    said = sentence_of(answer("city n", ("Bonn", 3), ("Kiel", 2)), tied=1)
    assert said.text.endswith(" At least one more has the same n as the last one, 2, and is left out.")
    assert said.figures[-1].told() == {"text": "2", "row": 1, "column": 1}
