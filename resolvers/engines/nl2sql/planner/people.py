"""Whom `who` asks for: a table of people, told by the rows that are spoken of and by what was done."""

from collections.abc import Sequence

from resolvers.engines.nl2sql.language.verbs import is_kin
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.planner.atoms import Atom
from resolvers.engines.nl2sql.planner.phrases import Cue
from resolvers.engines.nl2sql.planner.resolving import Resolver

_ACTED = 0.7
"""How well a verb must fit a table for it to be what was done."""


def asked_for(resolver: Resolver, table: str | None) -> str | None:
    """The table of people that is asked for where rows of a table, or of none, are spoken of; else that table."""
    catalog = resolver.catalog
    is_person = catalog.vocabulary.is_person
    if table is None:
        everybody = [one for one in catalog.tables if is_person(one)]
        if len(everybody) != 1:
            return None
        resolver.doubt("the only table of people is meant by who", 0.1)
        return everybody[0]
    if is_person(table):
        return table
    persons = _beside(resolver, _acted(resolver)) or _beside(resolver, table) or _beyond(resolver, table)
    if len(persons) > 1:
        persons = _acting(resolver, persons) or persons
    shown = [key for one in resolver.frame.shown if (key := resolver.column(one)) is not None]
    if shown and shown[0].table != table:
        persons = _beside(resolver, shown[0].table)
    if len(persons) == 1:
        return persons[0]  # who wrote a book is an author
    resolver.doubt("who is asked, and no person is known", 0.5)
    return table


def _beside(resolver: Resolver, table: str | None) -> list[str]:
    """The tables of people that a table is tied to; itself, if its rows are people."""
    is_person = resolver.catalog.vocabulary.is_person
    if table is None or is_person(table):
        return [table] if table is not None else []
    return [one for one in sorted(resolver.catalog.links.get(table, ())) if is_person(one)]


def _beyond(resolver: Resolver, table: str) -> list[str]:
    """The tables of people that a table is tied to by one between them: artists, of the acts they appear in."""
    near = resolver.catalog.distances(table).items()
    return sorted(one for one, far in near if far == 2 and resolver.catalog.vocabulary.is_person(one))


def _acting(resolver: Resolver, persons: Sequence[str]) -> list[str]:
    """Those that a verb of the question says: who bought is a customer, who collected a collector."""
    words = resolver.cut.linked.words
    verbs = {words(atom.first, atom.first + 1)[0] for atom in resolver.cut.atoms if _is_verb(atom)}
    return [one for one in persons if any(is_kin(verb, resolver.catalog.table_words(one)[-1]) for verb in verbs)]


def _is_verb(atom: Atom) -> bool:
    return atom.verbal or atom.is_unknown or atom.is_(Cue.LIGHT)


def _acted(resolver: Resolver) -> str | None:
    """The table that a verb speaks of: loans, of who borrowed a book."""
    verbs = [atom.ref for atom in resolver.cut.atoms if atom.verbal and atom.ref is not None]
    said = [one for ref in verbs for one in ref.tables if one.score >= max(_ACTED, ref.best(MentionKind.COLUMN))]
    return said[0].table if said else None
