"""What rows are of that have no name of their own: what was bought, what was visited, and where in a row it stands."""

from collections.abc import Sequence
from typing import Final

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.counting import Item
from resolvers.engines.nl2sql.planner.resolving import Resolver

_EACH: Final = frozenset(("each", "every", "per"))
_SPENDING: Final = frozenset(("spend", "pay", "earn", "raise", "give", "donate", "make", "bring"))
"""Verbs of which a row above has several amounts."""
_PLACES: Final = frozenset(("number", "no", "order", "position", "sequence", "rank", "place", "step", "index", "seq"))
"""Last words of columns that tell where in a row of things each stands."""


def what_done(resolver: Resolver, table: str | None) -> tuple[ColumnKey, ...]:
    """Return what somebody did something with, as the rows of it tell: the goods of a purchase, or its only words."""
    if table is None:
        return ()
    catalog = resolver.catalog
    is_person = catalog.vocabulary.is_person
    things = [one for one in sorted(catalog.above.get(table, ())) if one != table and not is_person(one)]
    things = [one for one in things if catalog.names(one)]
    if len(things) == 1:
        return catalog.names(things[0])
    if catalog.names(table):
        return catalog.names(table)
    words = [one for one in catalog.of(table) if catalog.is_text(one) and not catalog.is_key(one)]
    words = [one for one in words if catalog.reference(one) is None and not catalog.is_moment_like(one)]
    if len(words) != 1:
        resolver.doubt("what was done is told by several columns", 0.5)
    return (words[0],) if words else catalog.entity(table)


def tells_apart(resolver: Resolver) -> bool:
    """Return whether a question asks for figures of each one rather than of all together."""
    return not _EACH.isdisjoint(resolver.cut.linked.words())


def spent(resolver: Resolver, table: str) -> bool:
    """`how much did Ann spend`: all that one row above has spent, where several rows tell of it."""
    said = {token.lemma for token in resolver.cut.linked.tokens}
    if not said & _SPENDING or tells_apart(resolver):
        return False
    values = [ref for cond in resolver.frame.conditions if cond.kind == "value" for ref in cond.values[:1]]
    found = [one for ref in values if (one := resolver.value(ref, ())) is not None]
    return any(key.table != table and resolver.catalog.refers(table, key.table) for key, _ in found)


def several_of(catalog: Catalog, item: Item, table: str) -> ColumnKey | None:
    """`towns that are stops on more than one trip`: the key by which rows of one value belong to several of a table."""
    if item.entity is not None or item.figures or len(item.columns) != 1 or catalog.is_key(item.columns[0]):
        return None
    ties = [key for key in catalog.joins.keys_of(item.table) if key.table == item.table and key.to == table]
    single = [key for key in ties if len(key.columns) == 1 and key.table != key.to]
    return ColumnKey(item.table, single[0].columns[0]) if len(ties) == len(single) == 1 else None


def place_in_order(catalog: Catalog, table: str) -> ColumnKey | None:
    """The column that tells in what order the rows of something come: `stop_no` of the stops of a trip."""
    found = [
        key
        for key in catalog.of(table)
        if catalog.is_number(key) and catalog.words(key)[-1] in _PLACES and catalog.key(table) != key
    ]
    found = [key for key in found if catalog.reference(key) is None]
    return found[0] if len(found) == 1 and catalog.above.get(table) else None


def doubt_strangers(resolver: Resolver, items: Sequence[Item]) -> None:
    """Doubts what is shown where `which club members` asks for rows, and not for yes and no."""
    frame, catalog = resolver.frame, resolver.catalog
    if not frame.which or not items:
        return
    for key in items[0].columns:
        if not items[0].figures and catalog.vocabulary.flag(key) is not None:
            resolver.doubt("whether is shown, where which is asked", 0.5)


def asked_value(resolver: Resolver) -> str | None:
    """The table of a value that stands for rows, right behind `which`: `which women were elected`."""
    asks = next((one for one in resolver.cut.atoms if one.is_(Cue.WHICH)), None)
    values = [ref for cond in resolver.frame.conditions for ref in cond.values if asks and ref.first == asks.last]
    found = resolver.value(values[0], ()) if values else None
    if found is None or found[0] in resolver.catalog.names(found[0].table):
        return None
    return found[0].table
