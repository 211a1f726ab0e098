"""Plans of rows, spans and names are written as queries that answer rightly, on DuckDB and readable in others."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from resolvers.engines.nl2sql.joining.joins import Ambiguous, NotConnected, joins_of
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Both,
    Condition,
    Either,
    Literal,
    Nested,
    Operator,
    Order,
    Output,
    Plan,
    Related,
    Span,
    Unit,
)
from resolvers.engines.nl2sql.sql_writing.comparing import Unwritable
from resolvers.engines.nl2sql.sql_writing.query import written
from schema.data_readiness.profile import ColumnProfile, TableProfile
from tests.engines.nl2sql.plans import (
    COUNT,
    CUSTOMER,
    EMPLOYEE,
    NAME,
    ORDERS,
    PRODUCT,
    TOTAL,
    best,
    column,
    day,
    equal,
    figure,
    number,
    outputs,
    text,
    where,
)
from tests.engines.nl2sql.shop import DIALECTS, ROWS, answer, fqn, known, sql, table
from tests.engines.nl2sql.test_joining import GAMES

# ruff: noqa: E501 - tables of cases


# Rows and conditions.


def test_one_table_needs_no_qualified_names() -> None:
    plan = Plan(CUSTOMER, NAME, equal("customer.city", text("Rome")))
    assert sql(plan) == 'SELECT "name" FROM "customer" WHERE "city" = \'Rome\''
    assert answer(plan) == [("Ann",), ("Bob",)]


@pytest.mark.parametrize(
    ("condition", "ids"),
    [
        (equal("customer.city", text("Rome")), [2, 3]),
        (equal("customer.city", text("Rome"), negated=True), [1]),
        (where("customer.city", Operator.IS_NULL), [4]),
        (where("customer.city", Operator.IS_NULL, negated=True), [1, 2, 3]),
        (where("customer.city", Operator.LIKE, text("%O%")), [1, 2, 3]),
        (where("customer.city", Operator.LIKE, text("%O"), negated=True), [2, 3]),
        (where("customer.id", Operator.LIKE, text("1%")), [1]),
        (where("customer.city", Operator.IN, text("Rome"), text("Oslo")), [1, 2, 3]),
        (where("customer.city", Operator.IN, text("Rome"), text("Bern"), negated=True), [1]),
        (where("customer.city", Operator.IN, text("Oslo")), [1]),
        (where("customer.id", Operator.BETWEEN, number(2), number(3)), [2, 3]),
        (where("customer.id", Operator.BETWEEN, number(2), number(3), negated=True), [1, 4]),
        (where("customer.id", Operator.LESS, number(2)), [1]),
        (where("customer.id", Operator.AT_MOST, number(2)), [1, 2]),
        (where("customer.id", Operator.MORE, number("2.5")), [3, 4]),
        (where("customer.id", Operator.AT_LEAST, number(4), negated=True), [1, 2, 3]),
        (equal("customer.id", text("3")), [3]),
        (equal("customer.name", number(3)), []),
        (equal("customer.active", Literal("boolean", True)), [1, 3]),
        (equal("customer.active", text("no")), [2]),
        (equal("customer.active", number(1)), [1, 3]),
        (Both((equal("customer.name", text("Ann")), equal("customer.city", text("Rome")))), [3]),
        (Either((equal("customer.id", number(1)), equal("customer.city", text("Rome")))), [1, 2, 3]),
        (
            Both((where("customer.id", Operator.LESS, number(4)), Either((equal("customer.id", number(1)), equal("customer.id", number(4)))))),
            [1],
        ),
    ],
)  # fmt: skip
def test_conditions_choose_rows(condition: Condition, ids: list[int]) -> None:
    plan = Plan(CUSTOMER, outputs("customer.id"), condition, orders=best("customer.id", descending=False))
    assert answer(plan) == [(one,) for one in ids]


def test_texts_that_hold_numbers_are_compared_as_numbers() -> None:
    plan = Plan(PRODUCT, outputs("product.title"), where("product.code", Operator.MORE, number(10)))
    assert answer(plan) == [("Jam",), ("Tea",)]
    assert answer(replace(plan, where=equal("product.code", number("20.0")))) == [("Jam",)]
    assert answer(Plan(PRODUCT, outputs(figure(Aggregate.SUM, "product.code")))) == [(127.0,)]


def test_values_that_a_column_can_never_hold_are_told() -> None:
    with pytest.raises(Unwritable, match="“many” is no number"):
        sql(Plan(CUSTOMER, NAME, equal("customer.id", text("many"))))
    with pytest.raises(Unwritable, match="neither true nor false"):
        sql(Plan(CUSTOMER, NAME, equal("customer.active", text("perhaps"))))
    with pytest.raises(Unwritable, match="no column nothing"):
        sql(Plan(CUSTOMER, outputs("customer.nothing")))


def test_quotes_in_values_stay_values() -> None:
    plan = Plan(CUSTOMER, NAME, equal("customer.city", text("x' OR '1'='1")))
    assert answer(plan) == []
    for dialect in DIALECTS:
        query = sqlglot.parse_one(sql(plan, known(dialect=dialect)), dialect=dialect)
        assert [one.this for one in query.find_all(exp.Literal)] == ["x' OR '1'='1"]


# Days and spans.


@pytest.mark.parametrize(
    ("operator", "days", "ids"),
    [
        (Operator.EQUAL, ["2020-01-31"], [1]),
        (Operator.LESS, ["2020-02-01"], [1]),
        (Operator.AT_MOST, ["2020-01-31"], [1]),
        (Operator.MORE, ["2020-01-31"], [2, 3, 4]),
        (Operator.AT_LEAST, ["2020-02-01"], [2, 3, 4]),
        (Operator.BETWEEN, ["2021-01-01", "2021-12-31"], [3, 4]),
        (Operator.IN, ["2020-01-31", "2021-12-31"], [1, 4]),
    ],
)
def test_a_day_means_all_of_the_day(operator: Operator, days: list[str], ids: list[int]) -> None:
    condition = where("orders.placed", operator, *map(day, days))
    plan = Plan(ORDERS, outputs("orders.id"), condition, orders=best("orders.id", descending=False))
    assert answer(plan) == [(one,) for one in ids]
    others = [one for one in (1, 2, 3, 4) if one not in ids]
    assert answer(replace(plan, where=replace(condition, negated=True))) == [(one,) for one in others]


def test_moments_are_compared_to_the_second() -> None:
    condition = where("orders.placed", Operator.MORE, Literal("moment", "2020-01-31T23:30:00"))
    assert answer(Plan(ORDERS, outputs("orders.id"), condition)) == [(2,), (3,), (4,)]


def test_dates_are_compared_as_dates_and_as_years() -> None:
    assert answer(Plan(CUSTOMER, outputs("customer.id"), equal("customer.born", day("1985-01-31")))) == [(2,), (4,)]
    assert answer(Plan(CUSTOMER, outputs("customer.id"), equal("customer.born", number(1990)))) == [(1,)]
    assert answer(Plan(CUSTOMER, outputs("customer.id"), where("customer.born", Operator.MORE, number(1985)))) == [(1,)]


def test_iso_dates_in_text_are_dates() -> None:
    name = outputs("employee.name")
    assert answer(Plan(EMPLOYEE, name, where("employee.since", Operator.MORE, day("2012-07-01")))) == [
        ("Fay",),
        ("Gus",),
    ]
    within = where("employee.since", Operator.BETWEEN, day("2012-01-01"), day("2012-12-31"))
    assert answer(Plan(EMPLOYEE, name, within)) == [("Dan",), ("Fay",)]


@pytest.mark.parametrize(
    ("path", "unit", "part", "expected"),
    [
        ("orders.placed", Unit.YEAR, False, [(2020, 2), (2021, 2)]),
        ("orders.placed", Unit.QUARTER, False, [(date(2020, 1, 1), 2), (date(2021, 1, 1), 1), (date(2021, 10, 1), 1)]),
        ("orders.placed", Unit.MONTH, False, [(date(2020, 1, 1), 1), (date(2020, 2, 1), 1), (date(2021, 3, 1), 1), (date(2021, 12, 1), 1)]),
        ("orders.placed", Unit.WEEK, False, [(date(2020, 1, 27), 2), (date(2021, 3, 1), 1), (date(2021, 12, 27), 1)]),
        ("orders.placed", Unit.DAY, False, [(date(2020, 1, 31), 1), (date(2020, 2, 1), 1), (date(2021, 3, 5), 1), (date(2021, 12, 31), 1)]),
        ("orders.placed", Unit.MONTH, True, [(1, 1), (2, 1), (3, 1), (12, 1)]),
        ("orders.placed", Unit.QUARTER, True, [(1, 3), (4, 1)]),
        ("customer.born", Unit.YEAR, False, [(1985, 2), (1990, 1), (None, 1)]),
        ("customer.born", Unit.MONTH, False, [(date(1985, 1, 1), 2), (date(1990, 5, 1), 1), (None, 1)]),
        ("employee.since", Unit.YEAR, False, [(2010, 1), (2012, 2), (2015, 1)]),
        ("employee.since", Unit.MONTH, False, [("2010-02", 1), ("2012-07", 1), ("2012-11", 1), ("2015-01", 1)]),
        ("employee.since", Unit.MONTH, True, [(1, 1), (2, 1), (7, 1), (11, 1)]),
        ("employee.since", Unit.QUARTER, True, [(1, 2), (3, 1), (4, 1)]),
        ("employee.since", Unit.QUARTER, False, [(date(2010, 1, 1), 1), (date(2012, 7, 1), 1), (date(2012, 10, 1), 1), (date(2015, 1, 1), 1)]),
    ],
)  # fmt: skip
def test_moments_are_grouped_by_spans(path: str, unit: Unit, part: bool, expected: list[tuple[Any, ...]]) -> None:
    span = Span(column(path), unit, part)
    plan = Plan(fqn(path.split(".")[0]), outputs(span, COUNT), orders=best(span, descending=False))
    assert answer(plan) == expected


def test_spans_are_compared() -> None:
    span = Span(column("orders.placed"), Unit.MONTH)
    plan = Plan(ORDERS, outputs("orders.id"), equal(span, day("2021-03-01")))
    assert answer(plan) == [(3,)]
    year = Span(column("orders.placed"), Unit.YEAR)
    assert answer(replace(plan, where=equal(year, number(2020)))) == [(1,), (2,)]
    assert answer(replace(plan, where=equal(year, day("2020-01-01")))) == [(1,), (2,)]
    month = Span(column("employee.since"), Unit.MONTH)
    assert answer(Plan(EMPLOYEE, outputs("employee.name"), equal(month, day("2012-07-01")))) == [("Dan",)]


def profile(name: str, of: str, *samples: str) -> dict[str, TableProfile]:
    """A profile that knows values of one text column."""
    figures = ColumnProfile.model_construct(
        name=of,
        masked=False,
        minimum=min(samples),
        maximum=max(samples),
        top_values=[],
        distinct_count=2,
        row_count=4,
        approximate=[],
        null_count=0,
        blank_count=0,
        patterns=[],
    )
    return {
        fqn(name): TableProfile.model_construct(
            asset_fqn=fqn(name), columns=[figures], candidate_keys=[], foreign_keys=[], row_count=4
        )
    }


def test_text_dates_that_cannot_be_put_in_order_are_told() -> None:
    knowledge = known(profiles=profile("employee", "since", "03/02/2010", "31/12/2011"))
    for plan in (
        Plan(EMPLOYEE, outputs("employee.name"), where("employee.since", Operator.MORE, day("2012-07-01"))),
        Plan(EMPLOYEE, outputs(Span(column("employee.since"), Unit.YEAR), COUNT)),
    ):
        with pytest.raises(Unwritable, match="kept as text"):
            sql(plan, knowledge)
    with pytest.raises(Unwritable, match="holds no dates"):
        sql(Plan(CUSTOMER, outputs(Span(column("customer.active"), Unit.MONTH), COUNT)))


def test_texts_that_are_years_are_years() -> None:
    knowledge = known(profiles=profile("employee", "since", "2010", "2011"))
    span = Span(column("employee.since"), Unit.YEAR)
    setup = ROWS.replace("'2010-02-03'", "'2010'").replace("'2012-07-01'", "'2012'")
    setup = setup.replace("'2012-11-30'", "'2012'").replace("'2015-01-01'", "'2015'")
    plan = Plan(EMPLOYEE, outputs(span, COUNT))
    assert answer(plan, knowledge=knowledge, setup=setup) == [(2010, 1), (2012, 2), (2015, 1)]
    after = Plan(EMPLOYEE, outputs("employee.name"), where("employee.since", Operator.MORE, day("2012-12-31")))
    assert answer(after, knowledge=knowledge, setup=setup) == [("Gus",)]


def test_figures_told_for_each_day_come_in_the_order_of_days() -> None:
    query = sql(Plan(CUSTOMER, outputs("customer.born", COUNT)))
    assert 'ORDER BY "born"' in query
    assert "ORDER BY" not in sql(Plan(CUSTOMER, outputs("customer.city", COUNT)))


def test_texts_that_hold_numbers_are_ordered_as_numbers() -> None:
    knowledge = known(profiles=profile("product", "code", "100", "4"))
    plan = Plan(PRODUCT, outputs("product.code"), orders=best("product.code"), limit=2)
    assert answer(plan, knowledge=knowledge) == [("100",), ("20",)]
    highest = Plan(PRODUCT, outputs(figure(Aggregate.MAX, "product.code")))
    assert answer(highest, knowledge=knowledge) == [(100.0,)]


# Names, ways and bounds.


def test_tables_are_named_in_full_only_where_needed() -> None:
    other = table("customer", "id INTEGER!, name VARCHAR", key=["id"], schema="old")
    knowledge = known(*known().tables, other)
    assert sql(Plan(CUSTOMER, NAME), knowledge) == 'SELECT "name" FROM "main"."customer"'
    assert sql(Plan(ORDERS, outputs("orders.id")), knowledge) == 'SELECT "id" FROM "orders"'


def test_columns_of_the_answer_have_names_of_their_own() -> None:
    plan = Plan(
        EMPLOYEE, (*outputs("employee.name", column("employee.name", 1), COUNT, COUNT), Output(TOTAL_PAY, "total"))
    )
    query = written(plan, known(), joins_of(known()))
    assert query.named_selects == ["name", "employee_name", "count", "count_2", "total"]


TOTAL_PAY = figure(Aggregate.SUM, "employee.pay")


def test_an_output_called_as_a_column_does_not_hide_the_column() -> None:
    plan = Plan(ORDERS, (Output(column("orders.customer_id")), Output(TOTAL, "total")), orders=best(TOTAL))
    plan = replace(plan, having=where(TOTAL, Operator.MORE, number(6)))
    assert answer(plan) == [(1, Decimal("30.00")), (3, Decimal("10.00"))]


def test_the_way_of_joining_is_the_plans() -> None:
    knowledge = known(*GAMES)
    setup = "CREATE TABLE team(id INTEGER, name VARCHAR); INSERT INTO team VALUES (1, 'A'), (2, 'B');"
    setup += (
        "CREATE TABLE game(id INTEGER, home_team_id INTEGER, away_team_id INTEGER); INSERT INTO game VALUES (5, 1, 2);"
    )
    plan = Plan(fqn("game"), outputs("team.name"))
    with pytest.raises(Ambiguous):
        sql(plan, knowledge)
    for name, expected in (("home_team_id", "A"), ("away_team_id", "B")):
        via = ((column(f"game.{name}"), column("team.id")),)
        assert answer(replace(plan, via=via), knowledge=knowledge, setup=setup) == [(expected,)]
    both = Plan(fqn("game"), outputs("team.name", column("team.name", 1)))
    assert answer(both, knowledge=knowledge, setup=setup) == [("A", "B")]


def test_tables_that_nothing_ties_are_told() -> None:
    with pytest.raises(NotConnected, match="customer and employee"):
        sql(Plan(CUSTOMER, outputs("customer.name", "employee.name")))


def test_what_cannot_be_meant_is_told() -> None:
    with pytest.raises(Unwritable, match="a sum, an average or a median"):
        sql(Plan(CUSTOMER, outputs(figure(Aggregate.SUM, "customer.born"))))
    with pytest.raises(Unwritable, match="the first few"):
        sql(Plan(CUSTOMER, NAME, Related(CUSTOMER, Plan(ORDERS, (), limit=1))))
    with pytest.raises(Unwritable, match="Only one table"):
        sql(Plan(CUSTOMER, outputs("customer.name", "orders.id"), keep=(CUSTOMER, ORDERS)))
    deep: Plan = Plan(CUSTOMER, outputs(COUNT))
    for _ in range(12):
        deep = Plan(CUSTOMER, outputs("customer.id"), where("customer.id", Operator.LESS, Nested(deep)))
    with pytest.raises(Unwritable, match="too deep"):
        sql(deep)


def test_weeks_begin_on_monday_in_every_dialect() -> None:
    plan = Plan(ORDERS, outputs(Span(column("orders.placed"), Unit.WEEK), COUNT))
    assert "WEEKDAY" in sql(plan, known(dialect="mysql"))
    assert "WEEK(MONDAY)" in sql(plan, known(dialect="bigquery"))


def test_the_first_row_keeps_its_order() -> None:
    plan = Plan(
        CUSTOMER, NAME, orders=(Order(column("customer.name")), Order(column("customer.id"), descending=True)), limit=3
    )
    assert answer(plan) == [("Ann",), ("Ann",), ("Bob",)]
