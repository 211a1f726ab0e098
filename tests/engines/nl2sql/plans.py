"""Short ways to write plans over the shop."""

from decimal import Decimal

from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Column,
    Comparison,
    Figure,
    Literal,
    Nested,
    Operator,
    Order,
    Output,
    Plan,
    Term,
)
from tests.engines.nl2sql.shop import fqn

CUSTOMER, ORDERS, LINE, PRODUCT, EMPLOYEE = map(fqn, ("customer", "orders", "line", "product", "employee"))


def column(path: str, instance: int = 0) -> Column:
    """A column by `table.column`."""
    table, name = path.split(".")
    return Column(fqn(table), name, instance)


def outputs(*terms: Term | str) -> tuple[Output, ...]:
    """Outputs of terms, columns by `table.column`."""
    return tuple(Output(column(one) if isinstance(one, str) else one) for one in terms)


def number(value: float | str) -> Literal:
    """An exact number."""
    return Literal("number", Decimal(str(value)))


def text(value: str) -> Literal:
    """A text."""
    return Literal("text", value)


def day(value: str) -> Literal:
    """A day."""
    return Literal("date", value)


def where(left: Term | str, operator: Operator, *right: Term, negated: bool = False) -> Comparison:
    """A comparison, a column by `table.column`."""
    return Comparison(column(left) if isinstance(left, str) else left, operator, right, negated)


def equal(left: Term | str, right: Term, negated: bool = False) -> Comparison:
    """That two sides are equal."""
    return where(left, Operator.EQUAL, right, negated=negated)


def figure(
    aggregate: Aggregate, of: Term | str | None = None, distinct: bool = False, rows: str | None = None
) -> Figure:
    """An aggregate, a column by `table.column`, a table by its name."""
    term = column(of) if isinstance(of, str) else of
    return Figure(aggregate, term, distinct, fqn(rows) if rows else None)


def rows_of(table: str) -> Figure:
    """The number of rows of a table."""
    return figure(Aggregate.COUNT, rows=table)


def best(term: Term | str, limit: int | None = None, descending: bool = True) -> tuple[Order, ...]:
    """One order."""
    return (Order(column(term) if isinstance(term, str) else term, descending),)


def single(main: str, term: Term) -> Nested:
    """The single value of a figure of a table."""
    return Nested(Plan(fqn(main), (Output(term),)))


COUNT = Figure(Aggregate.COUNT)


NAME = outputs("customer.name")
TOTAL = figure(Aggregate.SUM, "orders.total")
