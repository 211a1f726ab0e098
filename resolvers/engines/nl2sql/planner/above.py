"""A row and the one of its own table that it refers to: an employee and the manager."""

from dataclasses import replace
from typing import Final

from resolvers.engines.describing.vocabulary import words as word_set
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Column
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.items import Item
from resolvers.engines.nl2sql.planner.resolving import Resolver

ABOVE: Final = 1
"""The use of the table that stands above the one asked for."""
_WHOSE: Final = word_set("of the their its his her each")
_NAMED: Final = 0.7
"""How well words fit a key that is taken for who stands above."""

Pair = tuple[Column, Column]


def link_above(catalog: Catalog, column: ColumnKey, table: str) -> Pair | None:
    """How a row is joined to the one above it, where a column tells that one."""
    key = catalog.reference(column)
    if key is None or not key.table == key.to == table == column.table:
        return None
    return Column(table, column.column), Column(table, key.to_columns[0], ABOVE)


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


def above(item: Item, items: list[Item], pairs: list[Pair]) -> Item:
    """What a further sentence shows of the one who stands above, where nothing else is asked for."""
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
    said = words & {"id", "code", "number", "key"} or not words & set(catalog.words(item.columns[0]))
    return None if said else link_above(catalog, item.columns[0], item.table)
