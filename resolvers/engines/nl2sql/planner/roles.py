"""Things named by the part that they play: the home team and the away team, the source and the destination city."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.joining.keys import Key
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind
from resolvers.engines.nl2sql.plan import Column, Term
from resolvers.engines.nl2sql.planner.atoms import ROLE, Ref
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.counting import Item
from resolvers.engines.nl2sql.planner.resolving import Resolver
from resolvers.engines.nl2sql.planner.ways import chosen, keys_between

_NAMED: Final = 0.9
"""How well words must fit a table or a column to name it."""
_LONGEST: Final = 4
"""Tokens of a noun with its part at most."""


def with_roles(linked: Linked, catalog: Catalog) -> Linked:
    """The mentions, where `home team` is the team that a key of a game tells, unless a column is called so."""
    more = list(_told(linked, catalog))
    return replace(linked, mentions=(*linked.mentions, *more)) if more else linked


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
    article = at > 0 and linked.tokens[at - 1].lemma == "the"
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


def _key(linked: Linked, catalog: Catalog, at: int, table: str) -> Key | None:
    """The one of several keys to a table that the word there speaks for; of the table that is named, if one is."""
    word = linked.tokens[at]
    if word.quoted or not word.text.isalpha() or word.lemma in ("to", "from", "into", "first", "old", "new"):
        return None
    beside = [one for one in catalog.links.get(table, ()) if keys_between(catalog, one, table)]
    said = {one.table for one in linked.mentions if one.kind is MentionKind.TABLE and one.score >= _NAMED}
    found = {one: key for one in beside if (key := chosen(catalog, keys_between(catalog, one, table), [word.lemma]))}
    likely = [one for one in found if one in said] or (list(found) if len(catalog.links.get(table, ())) == 1 else [])
    return found[likely[0]] if len(likely) == 1 else None


def role_of(resolver: Resolver, ref: Ref | None, table: str) -> Key | None:
    """The key that a word of a noun speaks for, where the noun is named by its part."""
    named = (one.column for one in ref.columns if one.how == ROLE) if ref is not None else ()
    if ref is None or not any(one is not None and one.table == table for one in named):
        return None
    keys = (_key(resolver.cut.linked, resolver.catalog, at, table) for at in range(ref.first, ref.last))
    return next((key for key in keys if key is not None), None)


def tied(resolver: Resolver, key: Key) -> tuple[int, tuple[Column, Column]]:
    """Which use of a table a key leads to, and how rows are joined to it."""
    if key not in resolver.ends:
        resolver.ends.append(key)
    instance = resolver.ends.index(key)
    return instance, (Column(key.table, key.columns[0]), Column(key.to, key.to_columns[0], instance))


def by_role(resolver: Resolver, item: Item) -> tuple[Item, tuple[Column, Column]] | None:
    """What is shown of the row that a key tells, with how it is joined; None for what plays no part."""
    key = None if item.figures else role_of(resolver, item.noun.ref, item.table)
    if key is None:
        return None
    instance, pair = tied(resolver, key)
    terms: list[Term] = [
        Column(one.table, one.column, instance) if isinstance(one, Column) else one for one in item.terms
    ]
    return replace(item, terms=terms, table=key.table, entity=None, columns=()), pair
