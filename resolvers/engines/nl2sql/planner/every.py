"""Rows that have all there is of something: `players who took every course`."""

from typing import Final

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Comparison, Figure, Member, Nested, Operator, Output, Plan
from resolvers.engines.nl2sql.planner.frame import Cond
from resolvers.engines.nl2sql.planner.parts import Part
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column

EVERY: Final = "every"
"""How things are had of which none is left out."""


def every(resolver: Resolver, cond: Cond, table: str, main: str) -> Part | None:
    """That a row is tied to as many rows of a table as there are; None where no table between the two tells."""
    catalog = resolver.catalog
    mine, theirs = catalog.key(main), catalog.key(table)
    if mine is None or theirs is None:
        return None
    single = [key for key in catalog.keys if len(key.columns) == 1]
    found = [
        (one, other)
        for one in single
        for other in single
        if one.table == other.table and one is not other and (one.to, other.to) == (main, table)
    ]
    if len(found) != 1:
        return None
    ours, other = (ColumnKey(key.table, key.columns[0]) for key in found[0])
    if found[0][0].to_columns[0] != mine.column or found[0][1].to_columns[0] != theirs.column:
        return None
    some = Figure(Aggregate.COUNT, as_column(other), distinct=True)
    whole = Nested(Plan(table, (Output(Figure(Aggregate.COUNT, as_column(theirs), distinct=True)),)))
    value = as_column(ours)
    having = Comparison(some, Operator.EQUAL, (whole,))
    counted = Plan(ours.table, (Output(value),), groups=(value,), having=having)
    return Part(Member(as_column(mine), counted), cond)
