"""Whom `who` asks for: a table of people, told by the rows that are spoken of and by what was done."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.verbs import is_kin
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.resolving import Resolver
from resolvers.engines.nl2sql.schema_linking.roles import says_who

_ANYBODY: Final = frozenset(("member", "person", "individual", "participant"))
"""What people are called who are something else in the data."""
_ANYBODYS, _HELD = 0.82, 0.95
"""How well such words fit the only table of people that may be meant, and how well others must fit what it holds."""
_PEOPLE: Final = frozenset(("person", "people", "individual"))
_PASSIVE: Final = frozenset(("who", "that", "was", "were", "is", "are", "got", "get", "have", "has", "been", "being"))
"""Words between people and what was done to them."""
_STEM = 4
"""Letters that a verb and those who do it share at least: supply, supplier."""
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
    if (led := _led(resolver)) is not None:
        return led
    if (owners := _owning(resolver, table)) is not None:
        return owners
    if is_person(table):
        return table
    agents = [one for one in sorted(catalog.links.get(table, ())) if _is_called_by_deed(resolver, one)]
    if len(agents) == 1:
        return agents[0]  # who supplies a product is a supplier, a person or not
    persons = _beside(resolver, _acted(resolver)) or _beside(resolver, table)
    if not persons and (persons := _beyond(resolver, table)) and not _acting(resolver, persons):
        resolver.doubt("who is asked, and those that may be meant are far away", 0.1)
    if len(persons) > 1:
        persons = _acting(resolver, persons) or persons
    shown = [key for one in resolver.frame.shown if (key := resolver.column(one)) is not None]
    if shown and shown[0].table != table:
        persons = _beside(resolver, shown[0].table)
    if len(persons) == 1:
        return persons[0]  # who wrote a book is an author
    resolver.doubt("who is asked, and no person is known", 0.5)
    return table


def named_by_deed(resolver: Resolver) -> ColumnKey | None:
    """`who directed Hamlet`: the column of words that is called by those who do what the verb says, `director`."""
    catalog, atoms = resolver.catalog, resolver.cut.atoms
    asks = next((at for at, atom in enumerate(atoms) if atom.is_(Cue.WHO)), len(atoms))
    behind = next((atom for atom in atoms[asks + 1 :] if not atom.is_(Cue.BE, Cue.HAVE, Cue.STOP)), None)
    if behind is None or not behind.verbal or behind.ref is None or behind.last - behind.first != 1:
        return None
    verb = resolver.cut.linked.tokens[behind.first].lemma
    named = (one.column for one in behind.ref.columns if one.column is not None and one.score >= _ACTED)
    found = [key for key in named if catalog.is_text(key) and catalog.reference(key) is None]
    found = [key for key in found if says_who(catalog.words(key)[-1]) and is_kin(verb, catalog.words(key)[-1])]
    held = {table for table in resolver.mentioned() if table is not None}
    found = [key for key in found if key.table in held] or found
    return found[0] if len({key.table for key in found}) == 1 else None


def _owning(resolver: Resolver, table: str) -> str | None:
    """`who owns Rex`: those whom the row that is named belongs to."""
    catalog = resolver.catalog
    atoms = resolver.cut.atoms
    asks = next((at for at, atom in enumerate(atoms) if atom.is_(Cue.WHO) and atom.text.lower() == "who"), None)
    behind = atoms[asks + 1 : asks + 2] if asks is not None else []
    if not behind or not behind[0].text.lower().startswith("own"):
        return None
    values = [cond.values[0] for cond in resolver.frame.conditions if cond.kind == "value" and cond.values]
    found = [one for ref in values if (one := resolver.value(ref, ())) is not None]
    keyed = [cond.noun.ref for cond in resolver.frame.conditions if cond.how == "key" and cond.noun is not None]
    called = any(key.table == table and key in catalog.names(table) for key, _ in found)
    if not called and table not in map(resolver.table, keyed):
        return None
    above = [one for one in sorted(catalog.above.get(table, ())) if one != table]
    above = above if len(above) == 1 else [one for one in above if catalog.vocabulary.is_person(one)]
    return above[0] if len(above) == 1 else None


def _led(resolver: Resolver) -> str | None:
    """`who is coached by Ann`: the people that refer to those whom a value behind `by` names."""
    tokens, catalog = resolver.cut.linked.tokens, resolver.catalog
    for cond in resolver.frame.conditions:
        first = cond.values[0].first if cond.kind == "value" and cond.values else 0
        if first < 2 or tokens[first - 1].lemma != "by" or tokens[first - 2].is_lemma:
            continue
        found = resolver.value(cond.values[0], cond.near)
        if found is None or not catalog.vocabulary.is_person(found[0].table):
            continue
        agent = found[0].table
        below = [one for one in catalog.below(agent) if catalog.vocabulary.is_person(one)]
        return below[0] if len(below) == 1 else None
    return None


def with_people(linked: Linked, catalog: Catalog) -> Linked:
    """The mentions, where `members` are the people whose table holds what else is named."""
    linked = _done_to(linked)
    named = {(one.first, one.last) for one in linked.mentions if one.score >= _ACTED}
    spans = [
        (at, at + 1)
        for at, token in enumerate(linked.tokens)
        if token.lemma in _ANYBODY and not token.is_lemma and (at, at + 1) not in named
    ]
    if not spans:
        return linked
    people = [one for one in catalog.tables if catalog.vocabulary.is_person(one)]
    held = {one.column.table for one in linked.mentions if one.column is not None and one.score >= _HELD}
    if held:
        people = [one for one in people if one in held] or sorted(held)
    if len(people) != 1:
        return linked
    more = [Mention(first, last, MentionKind.TABLE, _ANYBODYS, "name", table=people[0]) for first, last in spans]
    return replace(linked, mentions=(*linked.mentions, *more))


def _done_to(linked: Linked) -> Linked:
    """The mentions, where people are the rows of what was done to them: `how many people were stopped`, of stops."""
    tokens = linked.tokens
    done = {one.first: one for one in linked.mentions if one.kind is MentionKind.TABLE and one.score >= _HELD
            and one.last - one.first == 1 and tokens[one.first].text.lower().endswith("ed")}  # fmt: skip
    tables = {one.first for one in linked.mentions if one.kind is MentionKind.TABLE and one.score >= _ANYBODYS}
    found: dict[int, Mention] = {}
    for at, token in enumerate(tokens) if done else ():
        if token.lemma not in _PEOPLE or at in tables:
            continue
        behind = next((one for one in range(at + 1, len(tokens)) if tokens[one].text.lower() not in _PASSIVE), -1)
        if behind in done:
            found[at] = done[behind]._replace(first=at, last=at + 1)
    if not found:
        return linked
    kept = (one for one in linked.mentions if one.last - one.first > 1 or one.first not in found)
    return replace(linked, mentions=(*kept, *found.values()))


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
    verbs = _verbs(resolver)
    return [one for one in persons if any(is_kin(verb, resolver.catalog.table_words(one)[-1]) for verb in verbs)]


def _is_called_by_deed(resolver: Resolver, table: str) -> bool:
    """Return whether a table is called by those who do what a verb says: suppliers, of who supplies."""
    word = resolver.catalog.table_words(table)[-1]
    stems = {verb[: max(_STEM, len(verb) - 2)] for verb in _verbs(resolver) if len(verb) >= _STEM and verb != word}
    return word.endswith(("er", "or")) and any(map(word.startswith, stems))


def _verbs(resolver: Resolver) -> set[str]:
    """The lemmas of what may be verbs of the question."""
    words = resolver.cut.linked.words
    return {words(atom.first, atom.first + 1)[0] for atom in resolver.cut.atoms if atom.may_be_verb}


def _acted(resolver: Resolver) -> str | None:
    """The table that a verb speaks of: loans, of who borrowed a book; bookings, by when they were `booked_at`."""
    catalog = resolver.catalog
    for ref in (atom.ref for atom in resolver.cut.atoms if atom.verbal and atom.ref is not None):
        when = {
            one.column.table for one in ref.columns if one.column is not None and catalog.is_moment_like(one.column)
        }
        for said in ref.tables:
            if said.score >= _ACTED and (said.score >= ref.best(MentionKind.COLUMN) or said.table in when):
                return said.table
    return None
