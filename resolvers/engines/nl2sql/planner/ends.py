"""Conditions along both of two keys: rides that begin and end in a town, clubs that were never at home nor away."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.joining.joins import Way
from resolvers.engines.nl2sql.language.verbs import VERBS
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Both,
    Column,
    Comparison,
    Condition,
    Either,
    Member,
    Operator,
    Output,
    Plan,
    Related,
)
from resolvers.engines.nl2sql.planner.atoms import Cut
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.ways import fit, shared_words
from resolvers.engines.nl2sql.sql_writing.uses import columns_in, parts_of, terms_in

EITHER: Final = 0.21
"""What it costs that either end is taken, where no word says which."""
BOTH: Final = 0.05
"""The same, where words speak for both."""


def at_ends(plan: Plan, ways: Sequence[Way], pieces: Cut, catalog: Catalog) -> tuple[Plan, float] | None:
    """The plan with its condition along both keys, or along either, with what that costs; None where it has no such."""
    if len(ways) != 2 or any(len(way) != 1 for way in ways):
        return None
    pairs = [_referring(way[0], catalog) for way in ways]
    keys = [pair[0] for pair in pairs if pair is not None]
    ends = [pair[1] for pair in pairs if pair is not None]
    if len(keys) != 2 or keys[0].table != keys[1].table or len(set(ends)) != 1 or plan.combined is not None:
        return None
    tokens = pieces.linked.tokens
    verbs = [one.lemma for one in tokens if one.lemma in VERBS]
    lemmas = [one.lemma for one in tokens]
    columns = [ColumnKey(key.table, key.column) for key in keys]
    shared = shared_words([set(catalog.words(column)) for column in columns])
    said, hinted = ([fit(catalog, [column], spoken, shared) > 0 for column in columns] for spoken in (verbs, lemmas))
    words = {token.text.lower() for token in tokens}
    if all(hinted) and words & {"neither", "nor", "both"}:
        said = hinted
    if not all(said) and any(hinted):
        return None
    where = _related(plan, ways, keys, not all(said) or ("or" in words and "neither" not in words))
    if where is not None:
        return replace(plan, where=where), BOTH if all(said) else EITHER
    where = _compared(plan, keys, ends[0], every=all(said) and "or" not in words)
    return (replace(plan, where=where), BOTH if all(said) else EITHER) if where is not None else None


def _referring(pair: tuple[Column, Column], catalog: Catalog) -> tuple[Column, Column] | None:
    """The side of a join that refers to the other first."""
    for one, other in (pair, pair[::-1]):
        key = catalog.reference(ColumnKey(one.table, one.column))
        if key is not None and key.to == other.table:
            return one, other
    return None


def _related(plan: Plan, ways: Sequence[Way], keys: Sequence[Column], either: bool) -> Condition | None:
    """That there are such rows along each key, or along one, or along none."""
    parts = list(parts_of(plan.where))
    found = [
        (at, part)
        for at, part in enumerate(parts)
        if isinstance(part, Related) and part.plan.main == keys[0].table and not part.plan.via
    ]
    if len(found) == len(ways) and all(part == found[0][1] for _, part in found):
        for (at, part), way in zip(found, ways, strict=True):
            parts[at] = replace(part, plan=replace(part.plan, via=tuple(way)))  # neither sent nor received
        return Both(tuple(parts))
    if len(found) != 1:
        return None
    at, part = found[0]
    each = tuple(replace(part, plan=replace(part.plan, via=tuple(way))) for way in ways)
    parts[at] = Either(each) if either and not part.negated else Both(each)
    return parts[0] if len(parts) == 1 else Both(tuple(parts))


def _compared(plan: Plan, keys: Sequence[Column], end: Column, *, every: bool) -> Condition | None:
    """That the rows at both ends fit what is compared, or those at one, where nothing else is asked of them."""
    parts = list(parts_of(plan.where))
    shown = [*(one.term for one in plan.outputs), *plan.groups, *(one.term for one in plan.orders)]
    shown += [term for part in parts_of(plan.having) for term in terms_in(part)]
    if plan.main != keys[0].table or end.table in {column.table for term in shown for column in columns_in(term)}:
        return None
    mine = [part for part in parts if end.table in {one.table for term in terms_in(part) for one in columns_in(term)}]
    if len(mine) != 1 or not isinstance(mine[0], Comparison) or mine[0].operator not in (Operator.EQUAL, Operator.IN):
        return None
    if any(isinstance(part, Related | Member) for part in parts) or end.table in plan.also:
        return None
    positive = replace(mine[0], negated=False)
    each = tuple(Member(key, Plan(end.table, (Output(end),), positive), mine[0].negated) for key in keys)
    parts[parts.index(mine[0])] = Both(each) if every or mine[0].negated else Either(each)
    return parts[0] if len(parts) == 1 else Both(tuple(parts))
