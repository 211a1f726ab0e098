"""Tables that two keys tie together: straight, as the leader of a trip, or over a third, as those who took part."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final
from weakref import WeakKeyDictionary

from resolvers.engines.nl2sql.joining.keys import Key
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.language.words import IDENTIFYING
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Both, Column, Condition, Member, Plan, Related
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.resolving import Resolver
from resolvers.engines.nl2sql.planner.ways import chosen, keys_between
from resolvers.engines.nl2sql.sql_writing.uses import columns_in, figures_in, parts_of, terms_in

Bridge = tuple[str, tuple[Key, Key], Key]
"""A table, its keys to two others, and the key that ties those two."""
_FOUND: Final[WeakKeyDictionary[Catalog, tuple[Bridge, ...]]] = WeakKeyDictionary()
Pairs = tuple[tuple[Column, Column], ...]


def over_bridges(plan: Plan, resolver: Resolver) -> Plan:
    """The plan joined over the tables that the question names between two others."""
    catalog, frame = resolver.catalog, resolver.frame
    if not any(len(set(above)) > 1 for above in catalog.above.values()):
        return plan
    tables = [resolver.table(cond.table) for cond in frame.conditions if cond.table is not None]
    named = {*resolver.mentioned(), *(one for one in tables if one is not None)}
    said = {root_of(word) for word in resolver.cut.linked.words()}
    joined: set[tuple[str, frozenset[str]]] = set()
    for bridge, ends, straight in bridges_of(catalog):
        roles = _roles(catalog, straight)
        if not roles or not {one.to for one in ends} <= _used(plan) or roles & said:
            continue
        deed = _deed(catalog, bridge, ends, said)
        if deed is False:
            continue
        words = set(catalog.table_words(bridge)).difference(*(catalog.table_words(one.to) for one in ends))
        if not deed and bridge not in named and not said & {root_of(word) for word in words}:
            resolver.doubt("tables are tied in two ways, and nothing says which", 0.2)
            continue
        between = (bridge, frozenset(one.to for one in ends))
        if between in joined or _is_another_way(resolver, bridge, ends):
            continue  # a crossing goes from a port and to one: along both keys the port would have to be the same
        joined.add(between)
        pairs = tuple((Column(bridge, one.columns[0]), Column(one.to, one.to_columns[0])) for one in ends)
        plan = _along(plan, bridge, {one.to for one in ends}, pairs)
    return plan


def _is_another_way(resolver: Resolver, bridge: str, ends: tuple[Key, Key]) -> bool:
    """Return whether words speak for another of several keys to the same table: `starting in Dover`, of where it goes
    to.
    """
    for end in ends:
        beside = keys_between(resolver.catalog, bridge, end.to)
        if not beside:
            continue
        meant = chosen(resolver.catalog, beside, resolver.cut.linked.words())
        if meant is not None and meant != end:
            return True
        if meant is None:
            resolver.doubt("tables are tied in two ways, and nothing says which", 0.2)
    return False


def _deed(catalog: Catalog, bridge: str, ends: tuple[Key, Key], said: set[str]) -> bool | None:
    """Return whether a word says the part that one end plays in what ties two tables: borrowed, of a loan's borrower.
    False where the part of another key to the same table is said instead.
    """
    for end in ends:
        beside = keys_between(catalog, bridge, end.to)
        if not beside:
            continue
        told = [key for key in beside if said & _roles(catalog, key)]
        if told:
            return end in told
    return None


def bridges_of(catalog: Catalog) -> Sequence[Bridge]:
    """Each table that ties two others which a key ties as well, looked for once."""
    found = _FOUND.get(catalog)
    if found is None:
        found = _FOUND[catalog] = tuple(_bridges(catalog))
    return found


def _bridges(catalog: Catalog) -> Iterator[Bridge]:
    """A view is no such table: what it shows, the keys of its tables tie already."""
    plain = [key for key in catalog.keys if len(key.columns) == 1 and key.table != key.to]
    straight = {frozenset((key.table, key.to)): key for key in plain}
    by_table: dict[str, list[Key]] = {}
    for key in plain:
        by_table.setdefault(key.table, []).append(key)
    for bridge, keys in by_table.items():
        if catalog.is_view(bridge):
            continue
        for one, other in combinations(keys, 2):
            if one.to != other.to and (direct := straight.get(frozenset((one.to, other.to)))) is not None:
                yield bridge, (one, other), direct


def _roles(catalog: Catalog, key: Key) -> set[str]:
    """Return what a row is to the other: the leader, the winner."""
    words = set(catalog.words(ColumnKey(key.table, key.columns[0]))) - IDENTIFYING - set(catalog.table_words(key.to))
    return {root_of(word) for word in words}


def _along(plan: Plan, bridge: str, ends: set[str], pairs: Pairs) -> Plan:
    """The plan and those in it that use both ends, joined over the bridge."""
    parts = [_condition(one, plan.main, bridge, ends, pairs) for one in parts_of(plan.where)]
    bridged = any(one not in parts_of(plan.where) for one in parts) or ends <= _own(plan)
    kept = [one for one in parts if not (bridged and _is_bare(one, bridge))]
    where = None if not kept else kept[0] if len(kept) == 1 else Both(tuple(kept))
    found = replace(plan, where=where)
    if ends <= _own(plan):
        found = replace(found, via=(*plan.via, *pairs))
    if plan.combined is not None:
        other = _along(plan.combined.plan, bridge, ends, pairs)
        found = replace(found, combined=replace(plan.combined, plan=other))
    return found


def _condition(one: Condition, main: str, bridge: str, ends: set[str], pairs: Pairs) -> Condition:
    if isinstance(one, Related):
        inner = _along(one.plan, bridge, ends, pairs)
        if ends <= {one.to or main, *_own(inner)} and not inner.via:
            inner = replace(inner, via=pairs)
        return replace(one, plan=inner)
    if isinstance(one, Member):
        return replace(one, plan=_along(one.plan, bridge, ends, pairs))
    return one


def _is_bare(one: Condition, bridge: str) -> bool:
    """Return whether a condition only says that there are rows of the bridge."""
    return isinstance(one, Related) and not one.negated and one.plan.main == bridge and one.plan.where is None


def _own(plan: Plan) -> set[str]:
    """The tables that a plan joins itself."""
    terms = [*(one.term for one in plan.outputs), *plan.groups, *(one.term for one in plan.orders)]
    terms += [term for one in (*parts_of(plan.where), *parts_of(plan.having)) for term in terms_in(one)]
    counted = [figure.rows_of for term in terms for figure in figures_in(term) if figure.rows_of is not None]
    return {plan.main, *plan.also, *counted, *(column.table for term in terms for column in columns_in(term))}


def _used(plan: Plan) -> set[str]:
    """The tables of a plan and of all that stands in it."""
    inner: Sequence[Plan] = [one.plan for one in parts_of(plan.where) if isinstance(one, Related | Member)]
    inner = [*inner, *([plan.combined.plan] if plan.combined is not None else [])]
    return _own(plan).union(*(_used(one) for one in inner))
