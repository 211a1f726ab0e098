"""Numbers of all the rows that belong to one: how many there are, and what they come to."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Figure, Literal, Nested, Operator, Output, Plan, Term
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.counting import is_amount
from resolvers.engines.nl2sql.planner.frame import Cond, Nest
from resolvers.engines.nl2sql.planner.operands import numbers
from resolvers.engines.nl2sql.planner.parts import also_of, conjoined
from resolvers.engines.nl2sql.planner.resolving import as_column

if TYPE_CHECKING:
    from resolvers.engines.nl2sql.planner.conditions import Conditions

_NAMED: Final = 0.2
"""How much less well a value of the rows asked for may fit than another, and still be the one that is compared with."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure of the rows of one table that belong to each of what is asked for, and what it is compared with."""

    table: str
    figure: Figure
    operator: Operator
    right: tuple[Term, ...]
    cond: Cond

    @property
    def number(self) -> Decimal | None:
        """The number of rows that it is compared with, where it is one."""
        one = self.right[0]
        plain = isinstance(one, Literal) and isinstance(one.value, Decimal) and self.figure.of is None
        return one.value if plain and isinstance(one, Literal) and isinstance(one.value, Decimal) else None


def count_of(table: str, operator: Operator, count: tuple[int, ...], cond: Cond) -> Compared:
    """`more than two courses`."""
    return Compared(table, Figure(Aggregate.COUNT, rows_of=table), operator, numbers(count), cond)


def count_beside(made: "Conditions", cond: Cond, table: str, main: str) -> Compared | None:
    """`more albums than Metallica`: as many rows as belong to another."""
    nest = cond.nest
    if nest is None or cond.operator is Operator.EQUAL or not _names_a_row(nest):
        return None  # in the same nursery as Ann
    figure = Figure(Aggregate.COUNT, rows_of=table)
    return Compared(table, figure, cond.operator, (_of_the_other(made, nest, figure, table, main),), cond)


def total(made: "Conditions", cond: Cond, column: ColumnKey, operator: Operator, main: str) -> Compared | None:
    """`at least 3000 hits`, where no season has as many, and `more hits than Ann`: what all rows of one come to."""
    catalog = made.catalog
    below = column.table != main and not catalog.refers(main, column.table)
    if not below or cond.negated or not catalog.is_measure(column) or catalog.is_year(column):
        return None
    figure = Figure(Aggregate.SUM, as_column(column))
    if cond.nest is not None:
        if cond.degree is not None or not _names_a_row(cond.nest):
            return None
        if not is_amount(catalog, column):
            made.resolver.doubt("the numbers of all rows of one are added up and compared", 0.2)
        other = _of_the_other(made, cond.nest, figure, column.table, main)
        return Compared(column.table, figure, operator, (other,), cond)
    if len(cond.values) != 1 or operator not in (Operator.MORE, Operator.AT_LEAST):
        return None
    operand = made.resolver.operand(column, operator, cond.values[0])
    if operand is None or len(operand[1]) != 1 or not _is_beyond(catalog, column, operand[1][0]):
        return None
    made.resolver.doubt("no row alone has as much, so all rows of one are added up", 0.1)
    return Compared(column.table, figure, operand[0], operand[1], cond)


def as_rows_of(nest: Nest, main: str, catalog: Catalog) -> None:
    """Takes `than France` for one of what is asked for, where one of them is called so."""
    names, taken = catalog.names(main), set()
    for ref in nest.said:
        own = [one for one in ref.values if one.column is not None and one.column.table == main]
        own = [one for one in own if one.column in names] or own
        own = [one for one in own if one.column not in taken] or own  # of two parts of a name the first is one
        if own and max(one.score for one in own) > ref.best(MentionKind.VALUE) - _NAMED:
            ref.mentions = tuple(one for one in ref.mentions if one.kind is not MentionKind.VALUE or one in own)
            taken.add(max(own, key=lambda one: one.score).column)


def _names_a_row(nest: Nest) -> bool:
    """Return whether another row is named, and nothing is computed of several."""
    return nest.aggregate is None and nest.noun is None and not nest.every and bool(nest.conditions)


def _of_the_other(made: "Conditions", nest: Nest, figure: Figure, table: str, main: str) -> Nested:
    as_rows_of(nest, main, made.catalog)
    inner = made.parts(nest.conditions, table)
    return Nested(Plan(table, (Output(figure),), where=conjoined(inner), also=also_of(inner, table)))


def _is_beyond(catalog: Catalog, column: ColumnKey, one: Literal) -> bool:
    """Return whether every row is known, and none has as much."""
    profile = catalog.profile(column)
    if profile is None or profile.maximum is None or "maximum" in profile.approximate:
        return False
    if not isinstance(one.value, Decimal):
        return False
    try:
        return one.value > Decimal(profile.maximum) > 0
    except InvalidOperation:
        return False
