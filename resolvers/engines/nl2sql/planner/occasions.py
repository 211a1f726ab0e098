"""When what a verb tells happened: `adopted a dog in 2021 but not in 2022` asks when it was adopted, both times."""

from collections.abc import Sequence
from typing import Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.forms import SYNONYM, related
from resolvers.engines.nl2sql.language.plans import is_planned
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.language.words import TIME_NAMES
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.resolving import Resolver

_BETWEEN: Final = word_set(
    "in on at during for and but or not nor again also never the both either neither year then yet"
)
"""Words between two times of one thing."""
_STEM: Final = 5
"""Letters that words of one family begin with alike, at least."""
_BEFORE: Final = 6
"""Tokens before a time that may tell what happened then."""


def occasion(resolver: Resolver, ref: Ref, last: ColumnKey | None, deed: str | None) -> ColumnKey | None:
    """The column that a time is said of: that of the time before it, of the verb's name, of the table of the verb."""
    catalog = resolver.catalog
    times = last is not None and (catalog.is_moment_like(last) or catalog.is_year(last))
    if times and _goes_on(resolver, ref):
        return last
    if (named := _named(resolver, ref, deed)) is not None:
        return named
    return resolver.time_column([deed], year=True) if deed is not None else None


def done_when(resolver: Resolver, table: str) -> ColumnKey | None:
    """When what a verb tells happened to a row of a table, which the rows that belong to it tell: last vaccinated.

    It is the time that is called as the verb, or the only one of rows that are.
    """
    catalog = resolver.catalog
    done = {root_of(atom.text.lower()) for atom in resolver.cut.atoms if atom.verbal and " " not in atom.text}
    own = {root_of(word) for key in catalog.of(table) for word in catalog.words(key) if catalog.is_moment_like(key)}
    if not done or done & own:
        return None
    told: list[ColumnKey] = []
    for one in catalog.below(table):
        times = [key for key in catalog.of(one) if catalog.is_time(key) and not is_planned(catalog.words(key))]
        named = [key for key in times if done & _roots(catalog.words(key))]
        rows = any(_is_alike(deed, root_of(word)) for deed in done for word in catalog.table_words(one))
        told += named or (times[:1] if rows else [])
    return told[0] if len(told) == 1 else None


def _is_alike(one: str, other: str) -> bool:
    """Return whether two roots are of one family: vaccinate, vaccination."""
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= _STEM and long.startswith(short))


def _goes_on(resolver: Resolver, ref: Ref) -> bool:
    """Return whether nothing but connectors stands between a time and the one before it."""
    tokens = resolver.cut.linked.tokens
    at = ref.first
    while at > 0 and tokens[at - 1].text.lower() in _BETWEEN:
        at -= 1
    return 0 < at < ref.first and tokens[at - 1].text.isdigit() and len(tokens[at - 1].text) == 4


def _named(resolver: Resolver, ref: Ref, deed: str | None) -> ColumnKey | None:
    """The one column of time, of the tables named and those beside them, that a word before the time names."""
    catalog = resolver.catalog
    roots = _roots([token.text for token in resolver.cut.linked.tokens[max(0, ref.first - _BEFORE) : ref.first]])
    tables = list(resolver.mentioned())
    happened = (*tables, *([deed] if deed is not None else []))  # orders were placed in March
    roots -= {root_of(word) for table in happened for word in catalog.table_words(table)}
    beside = [one for table in tables for one in catalog.links.get(table, ())]
    found = [
        key
        for table in dict.fromkeys([*tables, *beside])
        for key in catalog.of(table)
        if catalog.is_moment_like(key) and roots & _roots(catalog.words(key))
    ]
    return found[0] if len(found) == 1 else None


def _roots(words: Sequence[str]) -> set[str]:
    return {
        root_of(word.lower()) for word in words if word.isalpha() and word.lower() not in TIME_NAMES and len(word) > 3
    }


def guessed_of_people(resolver: Resolver, column: ColumnKey) -> bool:
    """Return whether people are asked for by a time, and no word says what of theirs was then: `members in May`."""
    catalog, lemmas = resolver.catalog, resolver.cut.linked.words()
    if not catalog.vocabulary.is_person(column.table) or catalog.is_year(column):
        return False
    words = catalog.words(column)
    meant = {root_of(other) for word in words for other, near in related(word) if near >= SYNONYM}
    return not set(map(root_of, lemmas)) & ({root_of(word) for word in words} | meant) and not _NEW & set(lemmas)


_NEW: Final = frozenset(("new", "newly", "newcomer"))
"""Words by which people are said to have come."""
