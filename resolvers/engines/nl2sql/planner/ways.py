"""Which of several keys between two tables is meant: the airport a flight leaves, or the one that it goes to."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.joining.joins import Way
from resolvers.engines.nl2sql.joining.keys import Key
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.language.words import IDENTIFYING
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Both, Condition, Member, Plan, Related
from resolvers.engines.nl2sql.planner.catalog import Catalog

_FAMILIES: Final = (
    word_set(
        "from depart departure departing leave leaving source origin start begin outgoing outbound sender seller home "
        "winner win first src dep take takeoff send sell old previous away1 donor giver lender exporter"
    ),
    word_set(
        "to into arrive arrival arriving land landing destination dest end incoming inbound receiver recipient buyer "
        "away loser lose second reach head toward dst arr receive buy new next visitor guest borrower importer"
    ),
)
"""Words that go with one end of a way, and with the other."""


def keys_between(catalog: Catalog, one: str, other: str) -> list[Key]:
    """The single columns of a table that refer to another table, where there are several."""
    return catalog.forked(other).get(one, [])


def fit(
    catalog: Catalog, columns: Iterable[ColumnKey], said: Sequence[str], without: Collection[str] = frozenset()
) -> float:
    """How well the words around fit the columns of a key, but for words that all of them have."""
    best = 0.0
    roots = {root_of(word) for word in said}
    for column in columns:
        own = set(catalog.words(column)) - {"id", "code", "number", "key"} - set(catalog.table_words(column.table))
        own |= {"to"}.intersection(tokens_of(column.column))  # which is left out where names are told in words
        own -= set(without)
        for word in own:
            if word in said or root_of(word) in roots:
                best = max(best, 2.0)
            for family in _FAMILIES:
                if word in family:
                    hits = sum(1 for one in said if one in family)
                    best = max(best, 1.0 * bool(hits))
    return best


def shared_words(words: Sequence[set[str]]) -> set[str]:
    """The words that all of several names have: of those they tell nothing apart."""
    return set.intersection(*words) if words else set()


def chosen(catalog: Catalog, keys: Sequence[Key], said: Sequence[str]) -> Key | None:
    """The key that words speak for; None when they speak for none, or for several."""
    columns = [ColumnKey(key.table, key.columns[0]) for key in keys]
    column = fitting(catalog, columns, said)
    return keys[columns.index(column)] if column is not None else None


def fitting(catalog: Catalog, columns: Sequence[ColumnKey], said: Sequence[str]) -> ColumnKey | None:
    """The column that words speak for; None when they speak for none, or for several."""
    shared = shared_words([set(catalog.words(column)) for column in columns])
    fits = [fit(catalog, [column], _nearest(said), shared) for column in columns]
    best = max(fits, default=0.0)
    return columns[fits.index(best)] if best > 0 and fits.count(best) == 1 else None


def sided(catalog: Catalog, columns: Iterable[ColumnKey], said: Sequence[str]) -> list[ColumnKey]:
    """`from Oslo`: of several columns of one table that hold a value, the one that the words before it speak for."""
    by_table: dict[str, list[ColumnKey]] = {}
    for column in columns:
        by_table.setdefault(column.table, []).append(column)
    found = [fitting(catalog, beside, said) for beside in by_table.values() if len(beside) > 1]
    return [column for column in found if column is not None]


def contrary(catalog: Catalog, columns: Iterable[ColumnKey], said: Sequence[str]) -> list[ColumnKey]:
    """`travelled to York`: columns of the other end than the word right before a value says: the home city."""
    if said[-1:] not in (["to"], ["from"]):
        return []
    own, other = _FAMILIES if said[-1] == "from" else _FAMILIES[::-1]
    ends = {column: set(catalog.words(column)) for column in columns}
    if not any(words & own for words in ends.values()):
        return []
    return [column for column, words in ends.items() if words & other and not words & own]


def _nearest(said: Sequence[str]) -> Sequence[str]:
    """The words, without those before the last word that tells an end: `from A to` tells `to`."""
    for at in range(len(said) - 1, -1, -1):
        if any(said[at] in family for family in _FAMILIES):
            return said[at:] if said[at] not in ("to", "from") else [*said[max(0, at - 1) : at], *said[at:]]
    return said


def ranked(catalog: Catalog, ways: Sequence[Way], said: Sequence[str]) -> list[tuple[Way, float]]:
    """Ways to join with how well the question speaks for each, best first."""
    columns = [[ColumnKey(one.table, one.column) for pair in way for one in pair] for way in ways]
    shared = shared_words([{word for column in way for word in catalog.words(column)} for way in columns])
    found = [(way, fit(catalog, own, said, shared)) for way, own in zip(ways, columns, strict=True)]
    return sorted(found, key=lambda one: -one[1])


def by_subject(catalog: Catalog, ways: Sequence[Way], text: str) -> Way | None:
    """`students who have friends`: of the two keys of a table that ties rows of one kind, the one that tells who has.

    One key is called as the table is, `Friend.friend_id` and `Likes.liked_id`: it tells whom the row is about, unless
    the question turns it round, `those who are liked`. None where no key is called so, or both are.
    """
    if len(ways) != 2 or any(len(way) != 1 for way in ways):
        return None
    ends = [next((one for one in way[0] if catalog.reference(ColumnKey(one.table, one.column))), None) for way in ways]
    keys = [ColumnKey(one.table, one.column) for one in ends if one is not None]
    if len(keys) != 2 or keys[0].table != keys[1].table:
        return None
    objects = [is_called_as_its_table(catalog, key) for key in keys]
    if sum(objects) != 1:
        return None
    turned = _TURNED.search(text)
    deeds = catalog.table_words(keys[0].table)
    return ways[objects.index(turned is not None and any(is_akin(turned[1].lower(), one) for one in deeds))]


def is_called_as_its_table(catalog: Catalog, key: ColumnKey) -> bool:
    """Return whether a key is called as its table is, and so tells whom a row is about: `followed_id`, of who follows
    whom.
    """
    table = catalog.table_words(key.table)
    return all(any(is_akin(word, one) for one in table) for word in set(catalog.words(key)) - IDENTIFYING)


def is_akin(one: str, other: str) -> bool:
    """Return whether two words are forms of one: praised and praises, endorsed and endorsement."""
    short, long = sorted((one, other), key=len)
    return root_of(one) == root_of(other) or long.startswith(short[: max(_STEM, len(short) - 2)])


_STEM: Final = 4
"""Letters that two forms of a word begin with alike at least."""
_TURNED: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|being)(?: also| both| not| never)? ([a-z]+ed)\b", re.IGNORECASE
)


def with_way(plan: Plan, way: Way) -> Iterator[Plan]:
    """The plan joined that way: as a whole, or in what rows are related to."""
    yield replace(plan, via=(*plan.via, *way))
    inner = replace(plan, where=_related(plan.where, way))
    if inner != plan:
        yield inner
        yield replace(inner, via=(*plan.via, *way))
    if plan.combined is not None:
        for first in (replace(plan, via=(*plan.via, *way)), plan):
            for second in with_way(plan.combined.plan, way):
                yield replace(first, combined=replace(plan.combined, plan=second))


def _related(condition: Condition | None, way: Way) -> Condition | None:
    if isinstance(condition, Related):
        return replace(condition, plan=replace(condition.plan, via=(*condition.plan.via, *way)))
    if isinstance(condition, Member):
        return replace(condition, plan=replace(condition.plan, via=(*condition.plan.via, *way)))
    if isinstance(condition, Both):
        some = any(_goes(part, way) for part in condition.parts)
        parts = (_related(part, way) if _goes(part, way) or not some else part for part in condition.parts)
        return Both(tuple(one for one in parts if one is not None))
    return condition


def _goes(condition: Condition, way: Way) -> bool:
    """Return whether a condition is about rows of a table that a way leads from or to."""
    tables = {one.table for pair in way for one in pair}
    return isinstance(condition, Related | Member) and not tables.isdisjoint(
        (condition.plan.main, *condition.plan.also)
    )
