"""The unit that a figure is asked for in: `the average length in minutes`, of a column of milliseconds."""

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from resolvers.engines.nl2sql.language.measures import scale
from resolvers.engines.nl2sql.mention import Linked, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import OF_NUMBERS, Aggregate, Arithmetic, Column, Figure, Literal, Plan, Term
from resolvers.engines.nl2sql.planner.resolving import Resolver

_SAME = (*OF_NUMBERS, Aggregate.MIN, Aggregate.MAX)
"""Figures that are in the unit of the numbers that they are made of."""


def _said(linked: Linked) -> list[int]:
    """Where a word for a unit stands behind `in`, as people write it."""
    tokens = enumerate(pairwise(linked.tokens), 1)
    return [
        at
        for at, (before, one) in tokens
        if before.text.lower() == "in" and one.text.islower() and not one.quoted and scale(one.lemma, (one.lemma,))
    ]


def without_values(linked: Linked) -> Linked:
    """The mentions, where a unit that is asked for is no value: `in seconds`, though a track is called Seconds."""
    at = _said(linked)
    kept = [one for one in linked.mentions if one.kind is not MentionKind.VALUE or one.first not in at]
    return replace(linked, mentions=tuple(kept)) if at and len(kept) < len(linked.mentions) else linked


def in_asked_unit(resolver: Resolver, plan: Plan) -> Plan:
    """The plan with its figures in the unit that they are asked for in, where the name of a column tells another."""
    places = _said(resolver.cut.linked)
    units = {resolver.cut.linked.tokens[at].lemma for at in places}
    if len(units) != 1:
        return plan
    said = units.pop()
    outputs = tuple(replace(one, term=_turned(resolver, one.term, said)) for one in plan.outputs)
    if outputs == plan.outputs:
        return plan
    for left in (resolver.frame.loose, resolver.frame.unknown):
        left[:] = [span for span in left if span not in [(at, at + 1) for at in places]]
    return replace(plan, outputs=outputs)


def _turned(resolver: Resolver, term: Term, said: str) -> Term:
    of = term.of if isinstance(term, Figure) and term.aggregate in _SAME else term
    if not isinstance(of, Column) or not resolver.catalog.is_measure(key := ColumnKey(of.table, of.column)):
        return term
    factor = scale(said, resolver.catalog.words(key))
    if factor is None or factor == 1:
        return term
    larger = factor > 1
    by = Literal("number", factor if larger else Decimal(1) / factor)
    return Arithmetic("/" if larger else "*", term, by)
