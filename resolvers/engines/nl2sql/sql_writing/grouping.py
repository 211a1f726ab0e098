"""Defines what a plan is grouped by: all that its outputs need, and what keeps those of the same name apart."""

from collections.abc import Sequence
from dataclasses import replace

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.joining.joins import Joins
from resolvers.engines.nl2sql.joining.names import names_its_row
from resolvers.engines.nl2sql.model import Knowledge
from resolvers.engines.nl2sql.plan import Arithmetic, Column, Condition, Elapsed, Figure, Order, Plan, Span, Term
from resolvers.engines.nl2sql.schema_linking.kinds import kind_of
from resolvers.engines.nl2sql.sql_writing.uses import aggregates, columns_in, figures_in, on_figures, parts_of, terms_in


def completed(plan: Plan, joins: Joins) -> Plan:
    """The plan with all groups that its outputs need, and the keys that keep those of the same name apart."""
    having = [one for one in (*parts_of(plan.where), *parts_of(plan.having)) if on_figures(one)]
    if not is_grouped(plan, having):
        return plan
    groups: list[Column | Span] = list(plan.groups)
    shown = [one for output in plan.outputs for one in _row_parts(output.term)]
    counted = {_table_of(figure, plan.main) for figure in figures_of(plan, having)}
    groups += [one for one in shown if one not in groups]
    if groups:
        sorts = [one for order in plan.orders for one in _row_parts(order.term)]
        groups += [one for one in dict.fromkeys(sorts) if one not in groups]
    entities = {
        one.table
        for one in groups
        if isinstance(one, Column)
        and one.instance == 0
        and names_its_row(one.column, joins.finder.tables[one.table].name)
    }
    if any(one.table == plan.main for one in _columns(shown)) and not plan.groups and plan.main not in counted:
        entities.add(plan.main)
    for table in sorted(entities - counted):
        names = [one.column for one in groups if isinstance(one, Column) and one.table == table]
        if counted and not joins.is_unique(table, names):
            groups += [Column(table, name) for name in joins.key(table) if name not in names]
    return replace(plan, groups=tuple(groups))


def in_time(plan: Plan, known: Knowledge, joins: Joins) -> Plan:
    """The plan with its groups in order, where some are times and nobody asked for another order."""
    if plan.orders or plan.limit is not None:
        return plan
    shown = [one.term for one in plan.outputs if one.term in plan.groups]
    if not any(isinstance(one, Span) or (isinstance(one, Column) and _is_time(one, known, joins)) for one in shown):
        return plan
    return replace(plan, orders=tuple(map(Order, shown)))


def _is_time(column: Column, known: Knowledge, joins: Joins) -> bool:
    """Return whether a column holds years, days or moments."""
    table = joins.finder.tables[column.table]
    facts = next((one for one in table.columns if one.name == column.column), None)
    measured = known.profiles.get(column.table)
    profile = next((one for one in measured.columns if one.name == column.column), None) if measured else None
    return facts is not None and kind_of(facts, tokens_of(column.column), profile).is_temporal


def is_grouped(plan: Plan, having: Sequence[Condition]) -> bool:
    terms = [*(one.term for one in plan.outputs), *(one.term for one in plan.orders)]
    return bool(plan.groups or having) or any(aggregates(term) for term in terms)


def figures_of(plan: Plan, having: Sequence[Condition]) -> list[Figure]:
    terms = [*(one.term for one in plan.outputs), *(one.term for one in plan.orders)]
    terms += [term for one in having for term in terms_in(one)]
    return list(dict.fromkeys(figure for term in terms for figure in figures_in(term)))


def _table_of(figure: Figure, main: str) -> str:
    if figure.rows_of is not None:
        return figure.rows_of
    return next((one.table for one in columns_in(figure.of)), main) if figure.of is not None else main


def _row_parts(term: Term) -> list[Column | Span]:
    """Return what of a term must be grouped by."""
    match term:
        case Column() | Span():
            return [term]
        case Elapsed():
            return list(columns_in(term))
        case Arithmetic():
            return [*_row_parts(term.left), *_row_parts(term.right)]
    return []


def _columns(parts: Sequence[Column | Span]) -> list[Column]:
    return [one.of if isinstance(one, Span) else one for one in parts]
