"""Groups without rows: `how many orders does each customer have, including those with none`."""

from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.plan import Aggregate, Figure, Plan
from resolvers.engines.nl2sql.planner.resolving import Resolver
from resolvers.engines.nl2sql.sql_writing.uses import columns_in, figures_in

_NOT_KEPT: Final = 0.6
"""What is doubted where groups without rows are asked for and cannot be kept."""


def all_kept(resolver: Resolver, plan: Plan) -> Plan:
    """The plan with all rows of the table that it groups by, where those are asked for that have none of the others."""
    if not any(atom.is_(Cue.NONE_TOO) for atom in resolver.cut.atoms):
        return plan
    figures = [figure for one in plan.outputs for figure in figures_in(one.term)]
    if not figures:
        return plan  # rows are listed, those that have none among them
    kept = {column.table for group in plan.groups for column in columns_in(group) if not column.instance}
    counted = all(isinstance(one, Figure) and one.aggregate in (Aggregate.COUNT, Aggregate.SUM) for one in figures)
    rows = {one.rows_of or plan.main for one in figures if isinstance(one, Figure) and one.of is None}
    rows |= {column.table for one in figures for column in columns_in(one)}
    if len(kept) != 1 or not counted or kept & rows or plan.also or plan.having is not None:
        resolver.doubt("groups without rows are asked for, and those that have some are shown", _NOT_KEPT)
        return plan
    return replace(plan, keep=tuple(kept))
