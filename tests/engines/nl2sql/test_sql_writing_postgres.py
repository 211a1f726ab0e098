"""What is written for PostgreSQL answers there with the rows that it answers with on DuckDB."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import psycopg

from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Arithmetic,
    Column,
    Figure,
    Member,
    Nested,
    Operator,
    Plan,
    Related,
    Share,
    Span,
    Unit,
)
from tests.engines.nl2sql.plans import (
    COUNT,
    CUSTOMER,
    EMPLOYEE,
    LINE,
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
    rows_of,
    single,
    text,
    where,
)
from tests.engines.nl2sql.shop import ROWS, fqn, known, rows, sql

REVENUE = Figure(Aggregate.SUM, Arithmetic("*", column("line.amount"), column("product.price")))
TEA = equal("product.title", text("Tea"))

PLANS = [
    Plan(CUSTOMER, NAME, TEA),
    Plan(ORDERS, outputs("product.title", TOTAL, COUNT)),
    Plan(CUSTOMER, outputs("product.title", COUNT)),
    Plan(LINE, outputs("customer.city", figure(Aggregate.SUM, "line.amount"))),
    Plan(CUSTOMER, outputs("product.title", rows_of("line"))),
    Plan(CUSTOMER, outputs("customer.name", rows_of("orders"), TOTAL), keep=(CUSTOMER,)),
    Plan(CUSTOMER, outputs("customer.city", Share(COUNT))),
    Plan(PRODUCT, outputs("product.title"), orders=best("product.price"), limit=1, ties=True),
    Plan(CUSTOMER, outputs("customer.id"), orders=best(rows_of("orders"), descending=False), limit=1, ties=True),
    Plan(CUSTOMER, outputs("customer.city"), orders=best("customer.id"), distinct=True),
    Plan(CUSTOMER, NAME, Related(CUSTOMER, Plan(ORDERS, (), having=where(COUNT, Operator.MORE, number(1))))),
    Plan(CUSTOMER, NAME, Member(column("customer.id"), Plan(ORDERS, outputs("orders.customer_id")), negated=True)),
    Plan(PRODUCT, outputs("product.title"), where("product.code", Operator.MORE, number(10))),
    Plan(PRODUCT, outputs("product.title"), where("product.title", Operator.LIKE, text("%A%"))),
    Plan(ORDERS, outputs("orders.id"), where("orders.placed", Operator.AT_MOST, day("2020-01-31"))),
    Plan(ORDERS, outputs("orders.id"), equal("orders.placed", number(2021))),
    Plan(EMPLOYEE, outputs("employee.name"), where("employee.since", Operator.MORE, day("2012-07-01"))),
    Plan(EMPLOYEE, outputs("employee.name", column("employee.name", 1))),
    Plan(ORDERS, outputs("orders.customer_id", Arithmetic("/", TOTAL, COUNT))),
    Plan(CUSTOMER, outputs(Arithmetic("/", Nested(Plan(CUSTOMER, outputs(COUNT), TEA)), single("customer", COUNT)))),
    Plan(CUSTOMER, outputs("customer.id", REVENUE)),
]  # fmt: skip
SPANS = [
    Plan(fqn(path.split(".")[0]), outputs(Span(Column(fqn(path.split(".")[0]), path.split(".")[1]), unit, part), COUNT))
    for path in ("orders.placed", "customer.born", "employee.since")
    for unit in Unit
    if unit is not Unit.MINUTE and (unit not in (Unit.HOUR, Unit.CLOCK) or path == "orders.placed")
    for part in (False, True)
]


def plain(found: list[tuple[Any, ...]]) -> list[list[str]]:
    """Rows in an order of their own, with numbers and days in one form."""
    return sorted([_plain(value) for value in row] for row in found)


def _plain(value: Any) -> str:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return f"{float(value):.6f}"
    if isinstance(value, datetime):
        return value.date().isoformat()
    return value.isoformat() if isinstance(value, date) else str(value)


def test_the_rows_are_the_same(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(ROWS.replace("DOUBLE", "DOUBLE PRECISION"))
        for plan in (*PLANS, *SPANS):
            query = sql(plan, known(dialect="postgres"))
            assert plain(connection.execute(query).fetchall()) == plain(rows(plan)), query
