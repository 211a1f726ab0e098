"""Formulas between columns: which are found, which cell of a broken row is named, and the rules that come of them."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlglot

from benchmarks.quality.twins import drafts_for, judge, loaded, outcomes
from resolvers.engines.checks.formulas import formula_condition
from resolvers.engines.checks.model import CannotEvaluate, Check
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Sign
from resolvers.engines.error_detection.formula_arguments import arguments_of, formula_of
from resolvers.engines.error_detection.formula_fits import find_formulas
from resolvers.engines.error_detection.formulas import told
from resolvers.engines.error_detection.table import encode
from resolvers.engines.rules.dbt import write_dbt
from resolvers.engines.rules.odcs import read_odcs, write_odcs
from schema.data_readiness.rule import RuleOutcome
from tests.engines.test_checks import STORES, Shape, Store, mariadb_server
from tests.engines.test_rules import NOW, T

__all__ = ["mariadb_server"]

Row = list[Any]
DAY = date(2021, 1, 1)


def made(of: Callable[[random.Random], Row], rows: int = 300) -> list[Row]:
    chance = random.Random(3)
    return [of(chance) for _ in range(rows)]


def sale(c: random.Random) -> Row:
    number, price, less, tax = (
        c.randint(1, 40),
        round(c.uniform(1, 300), 2),
        c.choice([0, 5, 10, 15]),
        c.choice([7, 19]),
    )
    net = round(number * price * (1 - less / 100), 2)
    duty = round(net * tax / 100, 2)
    return [number, price, less, net, tax, duty, round(net + duty, 2)]


SALE = ("number", "price", "less", "net", "tax", "duty", "gross")


def stay(c: random.Random) -> Row:
    came = DAY + timedelta(days=c.randrange(900))
    nights, rate, extra = c.randint(1, 30), c.randrange(40, 200), c.choice([0, 0, 15, 30])
    left = came + timedelta(days=nights)
    return [came.isoformat(), left.isoformat(), nights, rate, extra, nights * rate + extra, came.year, came.month]


STAY = ("came", "left", "nights", "rate", "extra", "total", "year", "month")


def counted(c: random.Random) -> Row:
    men, women, km = c.randint(50, 4000), c.randint(50, 4000), round(c.uniform(2, 900), 1)
    part, more = round(c.uniform(1, 60), 1), round(c.uniform(1, 39), 1)
    share = round(100 * men / (men + women), 1)
    return [men, women, men + women, share, km, round(km / 1.609344, 1), part, more, round(100 - part - more, 1)]


COUNTED = ("men", "women", "all", "men_share", "km", "miles", "a", "b", "c")


def person(c: random.Random) -> Row:
    born, seen = DAY - timedelta(days=c.randrange(6000, 25_000)), DAY + timedelta(days=c.randrange(700))
    age = seen.year - born.year - ((seen.month, seen.day) < (born.month, born.day))
    cold = round(c.uniform(-20, 35), 1)
    return [born.isoformat(), seen.isoformat(), age, cold, round(1.8 * cold + 32, 1), c.randint(1, 90)]


PERSON = ("born", "seen", "age", "celsius", "fahrenheit", "points")


def account(c: random.Random) -> Row:
    first, more, less = (round(c.uniform(5, 900), 2) for _ in range(3))
    fee, gift = c.choice([0, 2.5, 4.9]), round(c.uniform(0, 9), 2)
    return [first, more, less, fee, gift, round(first + more - less - fee + gift, 2)]


ACCOUNT = ("opening", "paid_in", "paid_out", "fee", "gift", "closing")
TABLES = {"sale": (SALE, sale), "stay": (STAY, stay), "counted": (COUNTED, counted), "person": (PERSON, person),
          "account": (ACCOUNT, account)}  # fmt: skip


def found(name: str, rows: list[Row] | None = None) -> set[str]:
    columns, of = TABLES[name]
    return {told(one.formula, columns) for one in find_formulas(encode(columns, rows or made(of)))}


@pytest.mark.parametrize(
    ("name", "formulas"),
    [
        ("sale", {"net = number * price * (1 - less / 100)", "gross = net + duty", "duty = 0.01 * net * tax"}),
        (
            "stay",
            {"nights = days from came to left", "total = nights * rate + extra", "year = year of came",
             "month = month of came"},
        ),
        (
            "counted",
            {"all = men + women", "100 = a + b + c", "men_share = 100 * men / all"},
        ),
        ("person", {"age = whole years from born to seen", "fahrenheit = 1.8 * celsius + 32"}),
        ("account", {"closing = opening + paid_in - paid_out - fee + gift"}),
    ],
)  # fmt: skip
def test_what_columns_are_worked_out_of_is_found(name: str, formulas: set[str]) -> None:
    assert formulas <= found(name)


def test_one_unit_in_another_is_a_factor() -> None:
    (one,) = [text for text in found("counted") if "miles" in text]
    assert one.startswith(("miles = 0.62", "km = 1.60", "km = 1.61"))


def test_formulas_hold_among_wrong_cells_and_what_follows_is_not_said_again() -> None:
    rows = made(counted)
    chance = random.Random(4)
    for row in rows:
        for at in range(len(row)):
            if chance.random() < 0.03:
                row[at] = round(row[at] * chance.choice([10, 0.5, 1.3]), 1)
    texts = found("counted", rows)
    assert {"all = men + women", "100 = a + b + c"} <= texts
    assert len(texts) <= 5  # women's share and the like follow


def flat(c: random.Random) -> Row:
    size = c.randint(20, 200)
    return [size, c.randint(1, 6), c.randint(1, 3), size * c.randint(1500, 5200), 0, 12, c.gauss(5, 2), c.randint(0, 1)]


def doubled(c: random.Random) -> Row:
    number = c.randint(1, 5000)
    return [number, number, 0, c.choice([0] * 30 + [1]), c.randint(1, 9)]


@pytest.mark.parametrize("of", [flat, doubled, lambda c: [c.randint(0, 3) for _ in range(12)]])
def test_where_nothing_is_worked_out_nothing_is_found(of: Callable[[random.Random], Row]) -> None:
    rows = [[number, *row] for number, row in enumerate(made(of), start=1)]
    names = [f"c{at}" for at in range(len(rows[0]))]
    assert [told(one.formula, names) for one in find_formulas(encode(names, rows))] == []


def test_a_fee_that_some_rows_have_is_no_error() -> None:
    rows = made(lambda c: (lambda a, b: [a, b, a + b + c.choice([0] * 9 + [25])])(c.randint(1, 900), c.randint(1, 900)))
    assert find_errors(("a", "b", "both"), rows) == []


def named_in(columns: tuple[str, ...], rows: list[Row], row: int) -> dict[str, str | None]:
    """The cells of a row that a formula is held against, with what should stand there."""
    return {
        one.column: one.repair
        for one in find_errors(columns, rows)
        if one.row == row and any(reason.sign is Sign.FORMULA for reason in one.reasons)
    }


@pytest.mark.parametrize(
    ("column", "wrong"), [("net", 2.0), ("gross", 0.9), ("duty", 1.3), ("number", 10)]
)  # fmt: skip
def test_the_cell_that_breaks_what_the_others_keep_to_is_named(column: str, wrong: float) -> None:
    rows, at = made(sale), SALE.index(column)
    right = rows[100][at]
    rows[100][at] = round(right * wrong, 2)
    ((name, repair),) = named_in(SALE, rows, 100).items()
    assert (name, float(repair or 0)) == (column, right)


def test_where_nothing_tells_cells_apart_all_are_named() -> None:
    rows = made(lambda c: (lambda a, b: [a, b, a + b])(c.randint(100, 900), c.randint(100, 900)))
    rows[7][2] += 113
    assert set(named_in(("a", "b", "both"), rows, 7)) == {"a", "b", "both"}


def test_rows_that_keep_to_their_formulas_are_left_alone() -> None:
    for columns, of in TABLES.values():
        assert [one for one in find_errors(columns, made(of)) if one.reasons[0].sign is Sign.FORMULA] == []


def spoiled(rows: list[Row], at: int) -> list[Row]:
    """One cell in thirty off."""
    wrong, chance = [list(row) for row in rows], random.Random(6)
    for row in wrong[::30]:
        row[at] = round(row[at] * chance.uniform(1.1, 3), 2)
    return wrong


def test_a_rule_is_drawn_up_holds_without_the_errors_and_finds_them() -> None:
    clean = made(sale, 600)
    twin = judge(SALE, spoiled(clean, 6), clean)
    rules = {draft.description: draft for draft in twin.drafts if draft.metric == "brokenFormulas"}
    rule = rules["gross = net + duty."]
    assert twin.on_clean[rule.key] is RuleOutcome.PASSED
    assert twin.on_dirty[rule.key] is RuleOutcome.FAILED
    assert rule.arguments["result"] == "gross"
    assert rule.arguments["tolerance"] == pytest.approx(0.0051)
    assert rule.evidence["held_out"]["exceptions"] == 0
    assert rule.expected_false_positive_rate == pytest.approx(3 / rule.evidence["held_out"]["rows"], abs=1e-4)
    assert all(twin.on_clean[one.key] is RuleOutcome.PASSED for one in rules.values())


def test_every_formula_is_written_read_and_evaluated_as_it_was_found() -> None:
    for columns, of in TABLES.values():
        rows = made(of)
        for one in find_formulas(encode(columns, rows)):
            said = arguments_of(one.formula, columns)
            back, names = formula_of(said)
            assert arguments_of(back, names) == said
        with loaded(columns, rows) as table:
            drafts = [draft for draft in drafts_for(table, NOW) if draft.metric == "brokenFormulas"]
            assert drafts
            assert set(outcomes(table, drafts, NOW).values()) == {RuleOutcome.PASSED}
            written = write_odcs(drafts, id="c", name="c")
            assert written.left_out == []
            again = read_odcs(written.text, [table.facts])
            assert again.not_understood == []
            assert {one.key: one.arguments for one in again.drafts} == {one.key: one.arguments for one in drafts}
            assert len(write_dbt(drafts).left_out) == len(drafts)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, "`formula` is one of"),
        ({"formula": "sum", "columns": []}, "1 to 16 columns"),
        ({"formula": "sum", "columns": ["a"] * 17}, "1 to 16 columns"),
        ({"formula": "product", "columns": ["a", "b"]}, "needs `result`"),
        ({"formula": "sum", "result": "a", "columns": ["a", "b"]}, "stands in a formula once"),
        ({"formula": "sum", "result": "c", "columns": ["a", "b"], "factors": [1]}, "a number for each"),
        ({"formula": "sum", "result": "c", "columns": ["a"], "factors": ["x"]}, "takes numbers"),
        ({"formula": "sum", "result": "c", "columns": ["a"], "constant": float("inf")}, "finite"),
        ({"formula": "product", "result": "c", "columns": ["a"], "factors": [2]}, "1, or -1"),
        ({"formula": "product", "result": "c", "columns": ["a"], "rate": "b", "rateScale": 0}, "is not 0"),
        ({"formula": "part", "result": "c", "columns": ["a"], "part": "century"}, "`part` is one of"),
        ({"formula": "span", "result": "c", "columns": ["a"]}, "takes 2"),
    ],
)
def test_what_is_no_formula_is_refused(said: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        formula_of(said)
    with loaded(("a", "b", "c"), [[1, 2, 3]]) as table:
        check = Check("k", "brokenFormulas", T, "m", said)
        with pytest.raises(CannotEvaluate, match=words):
            formula_condition(check, table.facts, "duckdb")


LINES = Shape(
    "sold",
    "create table sold (id int primary key, n int, price decimal(9,2), less varchar(9), net decimal(9,2), "
    "came date, gone timestamp null, days int, year int, age int, born date)",
    """(1, 2, 10.50, '0', 21.00, '2021-01-05', '2021-01-07 00:00:00', 2, 2021, 20, '2000-06-01'),
       (2, 3, 10.00, '10', 27.00, '2021-02-27', '2021-03-01 00:00:00', 2, 2021, 21, '2000-02-27'),
       (3, 3, 10.00, '10', 30.00, '2020-02-27', '2020-03-01 00:00:00', 2, 2021, 20, '2000-02-28'),
       (4, null, 10.00, '0', 30.00, '2021-01-09', null, 2, 2020, 21, '2000-01-10'),
       (5, 1, 9.99, 'none', 9.99, '2021-01-09', '2021-01-08 12:00:00', 2, 2021, 22, '2000-01-10')""",
    {"id": "INTEGER", "n": "INTEGER", "price": "DECIMAL", "less": "VARCHAR", "net": "DECIMAL", "came": "DATE",
     "gone": "TIMESTAMP", "days": "INTEGER", "year": "INTEGER", "age": "INTEGER", "born": "DATE"},
)  # fmt: skip
NET = {"formula": "product", "result": "net", "columns": ["n", "price"], "rate": "less", "rateScale": -100,
       "tolerance": 0.0051}  # fmt: skip
FIGURES: dict[str, tuple[dict[str, Any], tuple[int, int]]] = {
    "product": (NET, (2, 3)),
    "quotient": (
        {"formula": "product", "result": "price", "columns": ["net", "n"], "factors": [1, -1], "tolerance": 0.0051},
        (3, 4),
    ),
    "sum": ({"formula": "sum", "result": "net", "columns": ["n", "price"], "factors": [9, 0.1],
             "constant": -1, "tolerance": 2.1}, (2, 4)),
    "span": ({"formula": "span", "result": "days", "columns": ["gone", "came"], "tolerance": 0.51}, (2, 4)),
    "part": ({"formula": "part", "result": "year", "columns": ["came"], "part": "year"}, (3, 5)),
    "years": ({"formula": "years", "result": "age", "columns": ["came", "born"]}, (2, 5)),
    "order": ({"formula": "order", "result": "came", "columns": ["gone"]}, (3, 4)),
}  # fmt: skip


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with STORES[request.param](request, tmp_path, LINES) as opened:
        yield opened


def test_formulas_count_the_same_in_every_store(store: Store) -> None:
    checks = {name: store.check("brokenFormulas", key=name, **said) for name, (said, _) in FIGURES.items()}
    done = store.run(*checks.values())
    found = {name: (done.results[name].numerator, done.results[name].denominator) for name in checks}
    assert found == {name: figures for name, (_, figures) in FIGURES.items()}, [
        one.reason for one in done.results.values() if one.reason
    ]
    (example,) = done.results["product"].examples
    assert example["key"] == {"id": "3"}
    assert set(example["values"]) == {"net", "n", "price", "less"}
    wrong = store.check("brokenFormulas", formula="sum", result="came", columns=["net"])
    assert "holds no numbers" in (store.run(wrong).results[wrong.key].reason or "")


@pytest.mark.parametrize("dialect", ["oracle", "snowflake", "databricks", "hive", "bigquery", "redshift"])
def test_formulas_are_written_in_every_dialect(dialect: str) -> None:
    with loaded(("a", "b"), [[1, 2]]) as table:
        columns = tuple(
            replace(table.facts.columns[0], name=name, data_type=kind) for name, kind in LINES.columns.items()
        )
        facts = replace(table.facts, columns=columns)
        for said, _ in FIGURES.values():
            condition = formula_condition(Check("k", "brokenFormulas", T, "m", said), facts, dialect)
            text = sqlglot.exp.select("1").from_("x").where(condition.bad).sql(dialect)
            assert sqlglot.parse_one(text, read=dialect).find(sqlglot.exp.Where)


def span(c: random.Random) -> Row:
    begun = DAY + timedelta(days=c.randrange(500))
    low = c.randint(20, 90)
    return [begun.isoformat(), (begun + timedelta(days=c.randint(0, 40))).isoformat(), low, low + c.randint(0, 9)]


def test_columns_in_order_become_a_rule_unless_some_rows_are_not() -> None:
    columns, clean = ("begun", "ended", "least", "most"), made(span)
    dirty = [list(row) for row in clean]
    dirty[5][0], dirty[5][1] = dirty[5][1], (DAY - timedelta(days=9)).isoformat()
    twin = judge(columns, dirty, clean)
    rules = {draft.name: draft for draft in twin.drafts if draft.metric == "brokenFormulas"}
    assert set(rules) == {"formula.begun.ended", "formula.least.most"}
    assert {twin.on_clean[rule.key] for rule in rules.values()} == {RuleOutcome.PASSED}
    assert rules["formula.least.most"].threshold == (0.0,)
    loose = [[*row[:3], row[3] if at % 20 else row[2] - 1] for at, row in enumerate(clean)]
    assert "formula.least.most" not in {draft.name for draft in judge(columns, loose, clean).drafts}
