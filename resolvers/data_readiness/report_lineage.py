"""The lineage in a report: what its tables are made of, and what is made of its one table.

Whoever may read the project may read a report, whatever else they may read. So tables of other connections than those
that the report is about are counted and never named.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from persistence.queries.lineage_walks import DEEPEST, Place, Walker, tables_of
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.engines.report.values import LineageLine, ReportLineage
from schema.data_readiness.source import TableFacts

MOST_LINES: Final = 500
"""Lines that a report gets of what its tables are made of and what is made of them, each."""


def lineage_of(
    uow: UnitOfWork, scope: Scope, tables: Sequence[TableFacts], as_of: datetime | None, *, single: bool
) -> ReportLineage:
    """All that one table is made of and goes into, or what is read right before each of several tables."""
    names = {one.fqn for one in tables}
    own = {one.resource_uri for one in tables}
    made_of: list[LineageLine] = []
    goes_into: list[LineageLine] = []
    unnamed: set[str] = set()
    complete = True
    for upstream, lines in ((True, made_of), (False, goes_into)) if single else ((True, made_of),):
        walker = Walker(uow.lineage, scope, as_of)
        walker.read_around(names, DEEPEST if single else 0, upstream=upstream)
        walks = {fqn: walker.visited(Place(fqn, None), DEEPEST if single else 1, upstream=upstream) for fqn in names}
        reached = {table for found in walks.values() for table, _ in found.steps}
        resources = uow.lineage.resources_of(scope, reached)
        for fqn in sorted(walks):
            found = walks[fqn]
            # Of several tables the first step alone is asked for, so that more follows is no gap.
            complete &= found.complete or not single
            for table, steps, columns in tables_of(found, without=fqn):
                if resources.get(table) in own:
                    lines.append(LineageLine(fqn, table, steps, tuple(columns)))
                else:
                    unnamed.add(table)
    complete &= len(made_of) <= MOST_LINES and len(goes_into) <= MOST_LINES
    return ReportLineage(tuple(made_of[:MOST_LINES]), tuple(goes_into[:MOST_LINES]), len(unnamed), complete)
