"""Months and years that rows are put together by: those of the time that is named, `each month of 1997 by shipped
date`, rather than of the first one that rows have.
"""

from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Plan, Running, Span, Term
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column
from resolvers.engines.nl2sql.sql_writing.uses import columns_in, parts_of, terms_in

_NAMED: Final = 0.9
"""How well words must fit a time for it to be named."""


def of_one_time(resolver: Resolver, plan: Plan) -> Plan:
    """The plan with its spans of time made of the only time that is named, where that of the spans is not."""
    spans = [one for one in plan.groups if isinstance(one, Span) and not one.of.instance]
    if len({one.of for one in spans}) != 1:
        return plan
    guessed = ColumnKey(spans[0].of.table, spans[0].of.column)
    named = [key for key in _named_times(resolver) if key.table == guessed.table]
    told = [*(one.term for one in plan.outputs), *plan.groups, *(one.term for one in plan.orders)]
    used = [column for term in told for column in columns_in(term)]
    limited = [column for part in parts_of(plan.where) for term in terms_in(part) for column in columns_in(term)]
    if len(named) != 1 or guessed in named or as_column(named[0]) in used or as_column(guessed) in limited:
        return plan
    meant = as_column(named[0])

    def turned(term: Term) -> Term:
        if isinstance(term, Running):
            return replace(term, along=turned(term.along))
        return replace(term, of=meant) if isinstance(term, Span) and term in spans else term

    return replace(
        plan,
        outputs=tuple(replace(one, term=turned(one.term)) for one in plan.outputs),
        groups=tuple(replace(one, of=meant) if isinstance(one, Span) and one in spans else one for one in plan.groups),
        orders=tuple(replace(one, term=turned(one.term)) for one in plan.orders),
    )


def _named_times(resolver: Resolver) -> list[ColumnKey]:
    """The columns of times that words name, but for words that are a part of what names another."""
    catalog = resolver.catalog
    mentions = [
        (one, one.column)
        for one in resolver.cut.linked.mentions
        if one.kind is MentionKind.COLUMN and one.column is not None and one.score >= _NAMED
        if catalog.is_moment_like(one.column)
    ]
    whole = [
        key
        for one, key in mentions
        if not any(
            other.first <= one.first and one.last <= other.last and other.last - other.first > one.last - one.first
            for other, _ in mentions
        )
    ]
    return list(dict.fromkeys(whole))
