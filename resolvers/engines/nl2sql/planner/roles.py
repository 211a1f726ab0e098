"""Things named by the part that they play: the home team and the away team, the source and the destination city."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.joining.keys import Key
from resolvers.engines.nl2sql.language.words import IDENTIFYING
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind
from resolvers.engines.nl2sql.plan import Both, Column, Output, Plan, Related, Term
from resolvers.engines.nl2sql.planner.atoms import ROLE, Ref
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.counting import Item
from resolvers.engines.nl2sql.planner.resolving import Resolver
from resolvers.engines.nl2sql.planner.ways import chosen

_NAMED: Final = 0.9
"""How well words must fit a table or a column to name it."""
_KEYED: Final = 0.76
"""How well a key is called by its words without `id`."""
_TABLED: Final = 0.6
_PLAYED: Final = 0.95
"""How well a word for a part stands for the name of the one who plays it."""
_ARTICLES: Final = frozenset(("the", "its", "their", "his", "her"))
_LONGEST: Final = 4
"""Tokens of a noun with its part at most."""


def with_roles(linked: Linked, catalog: Catalog) -> Linked:
    """The mentions, where `home team` is the team that a key of a game tells, unless a column is called so."""
    linked = _called_by_keys(linked, catalog)
    more = [*_told(linked, catalog), *_parts(linked, catalog)]
    return replace(linked, mentions=(*linked.mentions, *more)) if more else linked


def _called_by_keys(linked: Linked, catalog: Catalog) -> Linked:
    """The mentions, where the keys of several tables call the rows of one what it does not call itself: `student_id`,
    of friends and of likes, are the students, and no part that they play in one or the other.
    """
    keyed = (one for one in linked.mentions if one.column is not None and one.score >= _KEYED)
    spans = dict.fromkeys((one.first, one.last) for one in keyed if one.column in catalog.references)
    called: dict[tuple[int, int], str] = {}
    for first, last in spans:
        keys = _role_keys(linked, catalog, first, last)
        if len({key.table for key in keys}) > 1 and len({key.to for key in keys}) == 1 and catalog.names(keys[0].to):
            called[first, last] = keys[0].to
    if not called:
        return linked
    ends = {last for _, last in called}
    kept = (one for one in linked.mentions if not _is_key_of(one, linked, ends))
    more = (Mention(*span, MentionKind.TABLE, _PLAYED, "reference", table=table) for span, table in called.items())
    return replace(linked, mentions=(*kept, *more))


def _is_key_of(one: Mention, linked: Linked, ends: set[int]) -> bool:
    """Return whether words are a key of rows that are called by it: `id of students`, which are theirs and nobody
    else's.
    """
    return one.kind is MentionKind.COLUMN and one.last in ends and "of" in linked.words(one.first, one.last)


def _told(linked: Linked, catalog: Catalog) -> Iterator[Mention]:
    named = [one for one in linked.mentions if one.score >= _NAMED]
    whole = {(one.first, one.last) for one in named if one.kind is not MentionKind.LITERAL}
    for one in named:
        at, kinds = one.first - 1, (MentionKind.TABLE, MentionKind.COLUMN)
        if at < 0 or one.kind not in kinds or one.last - at > _LONGEST:
            continue
        yield from _owned(linked, catalog, one)
        if (at, one.last) in whole:
            continue
        table = one.table if one.kind is MentionKind.TABLE else one.column.table if one.column is not None else None
        if table is None or _key(linked, catalog, at, table) is None:
            continue
        names = catalog.names(table) if one.kind is MentionKind.TABLE else (one.column,)
        if names and names[0] is not None:
            yield Mention(at, one.last, MentionKind.COLUMN, one.score, ROLE, column=names[0])
            before = at - 2 if at > 1 and linked.tokens[at - 1].lemma in ("and", "or") else None
            if before is not None and _key(linked, catalog, before, table) is not None:
                yield Mention(before, before + 1, MentionKind.COLUMN, one.score, ROLE, column=names[0])


def _owned(linked: Linked, catalog: Catalog, one: Mention) -> Iterator[Mention]:
    """`the name of the source airport`: a column of the row that plays the part."""
    at = one.first - 1
    article = at > 0 and linked.tokens[at - 1].text.lower() in _ARTICLES
    of = at - 2 if article else at - 1
    if one.kind is not MentionKind.TABLE or one.table is None or of < 1 or linked.tokens[of].lemma != "of":
        return
    if _key(linked, catalog, at, one.table) is None:
        return
    for noun in linked.mentions:
        own = noun.column is not None and noun.column.table == one.table and noun.kind is MentionKind.COLUMN
        if noun.last == of and own and noun.score >= _NAMED:
            yield noun._replace(last=one.last, how=ROLE)
    names = catalog.names(one.table)
    if linked.tokens[of - 1].lemma == "name" and names:
        yield Mention(of - 1, one.last, MentionKind.COLUMN, one.score, ROLE, column=names[0])


def _parts(linked: Linked, catalog: Catalog) -> Iterator[Mention]:
    """`the driver of each ride`: a person, where nothing but a key of the ride says `driver`."""
    tokens = linked.tokens
    keyed = (one for one in linked.mentions if one.column is not None and one.score >= _KEYED)
    spans = dict.fromkeys((one.first, one.last) for one in keyed if one.column in catalog.references)
    for first, last in spans:
        key = part_key(linked, catalog, first, last)
        if key is None:
            continue
        if _is_listed(linked, first):
            continue
        names = catalog.names(key.to)
        yield Mention(first, last, MentionKind.COLUMN, _PLAYED, ROLE, column=names[0])
        if last < len(tokens) and tokens[last].lemma == "name":
            yield Mention(first, last + 1, MentionKind.COLUMN, _PLAYED, ROLE, column=names[0])
        if first > 1 and tokens[first - 1].lemma == "'s":
            owned = {one.table for one in linked.mentions if one.last == first - 1 and one.score >= _NAMED}
            if key.table in owned:
                yield Mention(first - 2, last, MentionKind.COLUMN, _PLAYED, ROLE, column=names[0])
        of = _of_before(linked, first)
        if of is None:
            continue
        if tokens[of - 1].lemma == "name":
            yield Mention(of - 1, last, MentionKind.COLUMN, _PLAYED, ROLE, column=names[0])
        for noun in linked.mentions:
            own = noun.column is not None and noun.column.table == key.to and noun.kind is MentionKind.COLUMN
            if noun.last == of and own and noun.score >= _NAMED:
                yield noun._replace(last=last, how=ROLE)


def _of_before(linked: Linked, first: int) -> int | None:
    """Where the `of` stands that words belong to, an article between them or not; None without one."""
    tokens = linked.tokens
    of = first - 2 if first and tokens[first - 1].text.lower() in _ARTICLES else first - 1
    return of if of > 0 and tokens[of].lemma == "of" else None


def _named_tables(linked: Linked) -> set[str | None]:
    return {one.table for one in linked.mentions if one.kind is MentionKind.TABLE and one.score >= _NAMED}


def _is_listed(linked: Linked, first: int) -> bool:
    """Return whether several columns are asked for of what begins there: `the first and last name of the driver`."""
    of = _of_before(linked, first)
    nouns = [one.first for one in linked.mentions if one.last == of and one.column is not None and one.score >= _NAMED]
    return any(linked.tokens[at - 1].text.lower() in ("and", ",") for at in nouns if at)


def part_key(linked: Linked, catalog: Catalog, first: int, last: int) -> Key | None:
    """The only key that is called by these words, but for `id`, where they name no table and none is called so."""
    found = _role_keys(linked, catalog, first, last)
    said = _named_tables(linked)
    likely = found if len(found) < 2 else [key for key in found if key.table in said]
    return likely[0] if len(likely) == 1 and catalog.names(likely[0].to) else None


def _role_keys(linked: Linked, catalog: Catalog, first: int, last: int) -> list[Key]:
    """The keys that are called by these words, but for `id`, where they name no table and none is called so."""
    words = [word for word in linked.words(first, last) if word not in IDENTIFYING]
    if not words or len(words) < last - first or linked.tokens[first].text.lower() in _ARTICLES:
        return []
    found: list[Key] = []
    for one in linked.mentions:
        if (one.first, one.last) != (first, last):
            continue
        if one.kind is MentionKind.TABLE and one.score >= _TABLED:
            return []
        if one.kind is not MentionKind.COLUMN or one.column is None or one.how == ROLE or one.score < _KEYED:
            continue
        key = catalog.reference(one.column)
        if key is None:
            if one.score >= _NAMED:
                return []
            continue
        role = [word for word in catalog.words(one.column) if word not in IDENTIFYING]
        if role == words and key.table != key.to and not set(role) & set(catalog.table_words(key.to)):
            found.append(key)
    return found


def _key(linked: Linked, catalog: Catalog, at: int, table: str) -> Key | None:
    """The one of several keys to a table that the word there speaks for; of the table that is named, if one is."""
    word = linked.tokens[at]
    if word.quoted or not word.text.isalpha() or word.lemma in ("to", "from", "into", "first", "old", "new"):
        return None
    forked = ((one, keys) for one, keys in catalog.forked(table).items() if one != table)
    found = {one: key for one, keys in forked if (key := chosen(catalog, keys, [word.lemma]))}
    if not found:
        return None
    said = _named_tables(linked)
    likely = [one for one in found if one in said] or (list(found) if len(catalog.links.get(table, ())) == 1 else [])
    return found[likely[0]] if len(likely) == 1 else None


def role_of(resolver: Resolver, ref: Ref | None, table: str) -> Key | None:
    """The key that a word of a noun speaks for, where the noun is named by its part."""
    named = (one.column for one in ref.columns if one.how == ROLE) if ref is not None else ()
    if ref is None or not any(one is not None and one.table == table for one in named):
        return None
    linked, catalog = resolver.cut.linked, resolver.catalog
    keys = [_key(linked, catalog, at, table) for at in range(ref.first, ref.last)]
    for last in (ref.last, ref.last - 1):
        keys += [part_key(linked, catalog, at, last) for at in range(ref.first, last)]
    return next((key for key in keys if key is not None and key.to == table), None)


def is_named(linked: Linked, table: str) -> bool:
    """Return whether some words name a table."""
    return any(one.table == table and one.score >= _NAMED for one in linked.mentions)


def in_both(resolver: Resolver, items: Sequence[Item]) -> Plan | None:
    """`Who has been both a driver and a conductor`: those whom either key tells, where nothing else is asked for."""
    keys = [role_of(resolver, item.noun.ref, item.table) for item in items]
    found = [key for key in keys if key is not None]
    table = items[0].table if items else ""
    frame = resolver.frame
    said = {token.text.lower() for token in resolver.cut.linked.tokens}
    if (
        "both" not in said
        or len(found) != 2
        or len(keys) != 2
        or len(set(found)) != 2
        or frame.conditions
        or frame.groups
    ):
        return None
    if any(key.to != table for key in found) or is_named(resolver.cut.linked, found[0].table):
        return None
    played = [
        Related(
            table, Plan(key.table, (), via=((Column(key.table, key.columns[0]), Column(table, key.to_columns[0])),))
        )
        for key in found
    ]
    names = resolver.catalog.names(table)
    return Plan(table, tuple(Output(Column(one.table, one.column)) for one in names), Both(tuple(played)))


def tied(resolver: Resolver, key: Key) -> tuple[int, tuple[Column, Column]]:
    """Which use of a table a key leads to, and how rows are joined to it."""
    if key not in resolver.ends:
        resolver.ends.append(key)
    instance = resolver.ends.index(key)
    return instance, (Column(key.table, key.columns[0]), Column(key.to, key.to_columns[0], instance))


def by_role(resolver: Resolver, item: Item) -> tuple[Item, tuple[Column, Column]] | None:
    """Return what is shown of the row that a key tells, with how it is joined; None for what plays no part."""
    key = None if item.figures else role_of(resolver, item.noun.ref, item.table)
    if key is None:
        return None
    instance, pair = tied(resolver, key)
    terms: list[Term] = [
        Column(one.table, one.column, instance) if isinstance(one, Column) else one for one in item.terms
    ]
    return replace(item, terms=terms, table=key.table, entity=None, columns=()), pair
