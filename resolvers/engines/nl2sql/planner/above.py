"""A row and the one of its own table that it refers to: an employee and the manager."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.forms import SYNONYM, related
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.language.verbs import is_kin
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Column, Member, Plan, Term
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.items import Item
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column
from resolvers.engines.nl2sql.sql_writing.uses import columns_in, parts_of, terms_in

ABOVE: Final = 1
"""The use of the table that stands above the one asked for."""
_WHOSE: Final = word_set("of the their its his her each")
_FOLLOWING: Final = frozenset(("report", "answer", "work"))
"""Verbs of those who stand below: `reports to`, `works under`."""
_WAYS: Final = (frozenset(("from", "by", "after")), frozenset(("to", "into", "before")))
"""Words that point from a row to where it comes from, and to what comes of it."""
_NAMED: Final = 0.7
"""How well words fit a key that is taken for who stands above."""

Pair = tuple[Column, Column]


def without_following(linked: Linked, catalog: Catalog) -> Linked:
    """The mentions without those that take `clerks report` in `clerks report to Ann` for the key `ReportsTo`."""
    tokens = linked.tokens
    verbs = {
        at + 1
        for at, (verb, to) in enumerate(pairwise(tokens))
        if verb.lemma in _FOLLOWING and to.lemma in ("to", "under")
    }
    if not verbs:
        return linked

    def is_key(one: Mention) -> bool:
        column = one.column if one.kind is MentionKind.COLUMN and one.last in verbs else None
        return column is not None and link_above(catalog, column, column.table) is not None

    return replace(linked, mentions=tuple(one for one in linked.mentions if not is_key(one)))


def link_above(catalog: Catalog, column: ColumnKey, table: str) -> Pair | None:
    """How a row is joined to the one above it, where a column tells that one."""
    key = catalog.reference(column)
    if key is None or not key.table == key.to == table == column.table:
        return None
    return Column(table, column.column), Column(table, key.to_columns[0], ABOVE)


def said_above(resolver: Resolver, column: ColumnKey, table: str, first: int) -> Pair | None:
    """`is supervised by Ann`, `reports to Ann`: how a row is joined to the one above it, which a value names."""
    if column.table != table or column not in resolver.catalog.names(table) or first < 2:
        return None
    verb, by = resolver.cut.linked.tokens[first - 2 : first]
    for key in resolver.catalog.joins.keys_of(table):
        if len(key.columns) != 1 or not key.table == key.to == table:
            continue
        role = resolver.catalog.words(ColumnKey(table, key.columns[0]))
        led = by.lemma == "by" and any(is_kin(verb.lemma, word) for word in role)
        if led or (by.lemma in ("to", "under") and verb.lemma in _FOLLOWING):
            _explained(resolver, verb.lemma)
            return link_above(resolver.catalog, ColumnKey(table, key.columns[0]), table)
    return None


def _explained(resolver: Resolver, verb: str) -> None:
    """A verb that is unknown to the catalog says who stands above."""
    unknown = resolver.frame.unknown
    unknown[:] = [span for span in unknown if resolver.cut.linked.words(*span) != [verb]]


def group_above(resolver: Resolver, item: Item, items: list[Item]) -> tuple[Item, Pair] | None:
    """`how many clerks each boss has`: rows by the one above them, who is shown by name; what named him is left out."""
    catalog = resolver.catalog
    pair = link_above(catalog, item.columns[0], item.table) if len(item.columns) == 1 else None
    names = catalog.names(item.table)
    if pair is None or not names or not any(one.counted == item.table for one in items):
        return None
    words = resolver.cut.linked.words(item.noun.ref.first, item.noun.ref.last) if item.noun.ref is not None else ()
    if {"id", "code", "number"} & set(words):
        return None
    for verb in _FOLLOWING:
        _explained(resolver, verb)
    items[:] = [one for one in items if one.figures or one.columns != names or one.noun.owner is not None]
    return replace(item, terms=[Column(one.table, one.column, ABOVE) for one in names], entity=None), pair


def items_above(resolver: Resolver, items: list[Item]) -> list[Pair]:
    """`the name of their manager`: shows the row above in place of the row itself, and says how it is joined."""
    frame, linked = resolver.frame, resolver.cut.linked
    pairs: list[Pair] = []
    for at, item in enumerate(items):
        ref = item.noun.ref
        if ref is not None and (pair := _named_above(resolver, item, ref)) is not None:
            items[at] = replace(
                item,
                terms=[Column(one.table, one.column, ABOVE) for one in resolver.catalog.names(item.table)],
                entity=None,
            )
            pairs.append(pair)
            continue
        for span in list(frame.loose) if ref is not None and not item.figures and at else ():
            between = {token.text.lower() for token in linked.tokens[ref.last : span[0]]} if ref is not None else set()
            if not between or not between <= _WHOSE:
                continue
            for one in linked.mentions:
                if (one.first, one.last) != span or one.kind is not MentionKind.COLUMN or one.score < _NAMED:
                    continue
                pair = link_above(resolver.catalog, one.column, item.table) if one.column is not None else None
                if pair is None:
                    continue
                terms = [replace(term, instance=ABOVE) if isinstance(term, Column) else term for term in item.terms]
                items[at] = replace(item, terms=terms, entity=None)
                frame.loose.remove(span)
                pairs.append(pair)
                break
    return pairs


def items_behind(resolver: Resolver, items: list[Item]) -> list[Pair]:
    """`Who is the leader of the Greens`: the one that a key tells is shown by name, and not by the key."""
    catalog, pairs = resolver.catalog, []
    for at, item in enumerate(items):
        key = catalog.reference(item.columns[0]) if item.noun.wh == "who" and len(item.columns) == 1 else None
        if (
            key is None
            and item.noun.wh == "who"
            and item.columns
            and all(map(catalog.vocabulary.is_identifier, item.columns))
        ):
            resolver.doubt("who is asked, and only a key is shown", 0.5)
        if key is None or item.figures or key.to == item.table or not catalog.names(key.to):
            continue
        names = catalog.names(key.to)
        pairs.append((Column(item.table, key.columns[0]), Column(key.to, key.to_columns[0])))
        items[at] = replace(item, terms=[Column(one.table, one.column) for one in names], entity=None, columns=names)
    return pairs


def above(item: Item, items: list[Item], pairs: list[Pair]) -> Item:
    """Return what a further sentence shows of the one who stands above, where nothing else is asked for."""
    if len(items) != 1 or not pairs or item.figures or item.table != items[0].table:
        return item
    terms = [replace(term, instance=ABOVE) if isinstance(term, Column) else term for term in item.terms]
    return replace(item, terms=terms, entity=None)


def _named_above(resolver: Resolver, item: Item, ref: Ref) -> Pair | None:
    """`the boss of Ann`: who stands above a row is shown by name, where only the key tells."""
    catalog = resolver.catalog
    if item.figures or len(item.columns) != 1 or not catalog.names(item.table):
        return None
    words = set(resolver.cut.linked.words(ref.first, ref.last))
    meant = {other for word in words for other, near in related(word) if near >= SYNONYM}
    said = words & {"id", "code", "number", "key"} or not meant & set(catalog.words(item.columns[0]))
    if not said and _goes_the_other_way(resolver, item.columns[0], ref):
        resolver.doubt("what comes of a row is asked for, and the one that it comes from is known", 0.9)
    return None if said else link_above(catalog, item.columns[0], item.table)


def _goes_the_other_way(resolver: Resolver, column: ColumnKey, ref: Ref) -> bool:
    """`What does it evolve into`, of a column `EvolvesFrom`."""
    behind = {token.lemma for token in resolver.cut.linked.tokens[ref.last : ref.last + 1]}
    called = set(tokens_of(column.column))
    return any(called & ours and behind & theirs for ours, theirs in (_WAYS, _WAYS[::-1]))


def doubt_above(resolver: Resolver, items: Sequence[Item], plan: Plan) -> None:
    """`the manager of Pia`: a row and the one it refers to in its own table are not told apart yet."""
    catalog = resolver.catalog
    tables = dict.fromkeys(item.table for item in items)
    keys = [key for table in tables for key in catalog.joins.keys_of(table) if key.table == key.to == table]
    if not keys:
        return
    said = set(resolver.cut.linked.words())
    terms = [*(output.term for output in plan.outputs), *plan.groups, *(order.term for order in plan.orders)]
    where = parts_of(plan.where)
    terms += [term for part in where for term in terms_in(part)]
    terms += [output.term for part in where if isinstance(part, Member) for output in part.plan.outputs]
    used = {ColumnKey(one.table, one.column) for one in columns_among(terms)}
    used |= {ColumnKey(one.table, one.column) for pair in plan.via for one in pair}
    for key in keys:
        if len(key.columns) != 1:
            continue
        column = ColumnKey(key.table, key.columns[0])
        told = [ColumnKey(one.table, one.column) for one in columns_among(plan.groups)]
        seen = [output.term for output in plan.outputs]
        above_all = any(isinstance(one, Column) and one.instance == ABOVE for one in seen)
        if column in told and as_column(column) not in seen and not above_all:
            resolver.doubt("rows are grouped by those above them, which are not shown", 0.9)
        roles = set(catalog.words(column)) - {"id", "code", "number", "no", "key"} - set(catalog.table_words(key.table))
        if column not in used and {root_of(role) for role in roles} & {root_of(word) for word in said}:
            resolver.doubt("a row is asked for by another row that it stands above", 0.9)


def columns_among(terms: Sequence[Term]) -> list[Column]:
    """The columns that terms are made of."""
    return [column for term in terms for column in columns_in(term)]
