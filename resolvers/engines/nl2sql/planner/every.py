"""Rows that have all there is of something: `players who took every course`."""

from typing import Final

from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Column,
    Comparison,
    Condition,
    Figure,
    Member,
    Nested,
    Operator,
    Output,
    Plan,
)
from resolvers.engines.nl2sql.planner.catalog import FAR
from resolvers.engines.nl2sql.planner.frame import Cond
from resolvers.engines.nl2sql.planner.parts import Part
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column

EVERY: Final = "every"
"""How things are had of which none is left out."""


def every(resolver: Resolver, cond: Cond, table: str, main: str, within: Condition | None) -> Part | None:
    """That a row is tied to as many rows of a table as there are `within` it; None where nothing ties the two."""
    catalog = resolver.catalog
    mine, theirs = catalog.key(main), catalog.key(table)
    if mine is None or theirs is None or main == table or catalog.distance(main, table) >= FAR:
        return None
    some = Figure(Aggregate.COUNT, as_column(theirs), distinct=True)
    whole = Nested(Plan(table, (Output(some),), within))
    bridge = _between(resolver, main, table) if within is None else None
    if bridge is None:
        value, start, several = as_column(mine), table, some
    else:
        value, start, several = bridge[0], bridge[0].table, Figure(Aggregate.COUNT, bridge[1], distinct=True)
    having = Comparison(several, Operator.EQUAL, (whole,))
    counted = Plan(start, (Output(value),), within, groups=(value,), having=having)
    return Part(Member(as_column(mine), counted), cond)


def _between(resolver: Resolver, main: str, table: str) -> tuple[Column, Column] | None:
    """The columns of the one table between two that tell of either, where they refer to its key."""
    catalog = resolver.catalog
    mine, theirs = catalog.key(main), catalog.key(table)
    single = [key for key in catalog.keys if len(key.columns) == 1]
    found = [
        (one, other)
        for one in single
        for other in single
        if one.table == other.table and one is not other and (one.to, other.to) == (main, table)
    ]
    if len(found) != 1:
        return None
    ours, other = found[0]
    if mine is None or theirs is None:
        return None
    if ours.to_columns[0] != mine.column or other.to_columns[0] != theirs.column:
        return None
    return Column(ours.table, ours.columns[0]), Column(other.table, other.columns[0])
