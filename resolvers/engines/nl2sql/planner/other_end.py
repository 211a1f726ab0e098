"""Rows of one kind that a table ties to one another: the friends of Ann are those at the other end of her ties."""

from collections.abc import Sequence

from resolvers.engines.nl2sql.joining.keys import Key
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Column, Output, Plan
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.counting import Item
from resolvers.engines.nl2sql.planner.operands import equal_to
from resolvers.engines.nl2sql.planner.resolving import Resolver
from resolvers.engines.nl2sql.planner.roles import tied
from resolvers.engines.nl2sql.planner.ways import is_called_as_its_table


def at_the_other_end(resolver: Resolver, items: Sequence[Item]) -> Plan | None:
    """`Ann's friends`, `the friends of Ann`: whom a row of the tie is about, where the one that has it is named.

    Only where nothing else is said of them, and one of the two keys is called as the table is.
    """
    frame, catalog = resolver.frame, resolver.catalog
    if frame.sorts or frame.groups or frame.shown or not items or any(item.figures for item in items):
        return None
    named = [cond for cond in frame.conditions if cond.kind != "exists" and len(cond.values) == 1]
    others = [cond for cond in frame.conditions if cond not in named]
    if len(named) != 1 or named[0].negated or any(one.negated or one.count or one.inner for one in others):
        return None
    value = named[0].values[0]
    found = resolver.value(value, ())
    if found is None or found[0] not in catalog.names(found[0].table):
        return None
    table = found[0].table
    said = [ref for ref in frame.tables if _is_owned(resolver, ref, value)]
    ends = [keys for ref in said if (keys := _ends(catalog, resolver.table(ref), table)) is not None]
    had = {resolver.table(one.table) for one in others} - {table}
    if not ends or had - {ends[0][0].table} or any(item.table not in (table, ends[0][0].table) for item in items):
        return None
    whose, whom = ends[0]
    instance, shown = tied(resolver, whom)
    other, held = tied(resolver, whose)
    outputs = [one for item in items for one in (item.columns if item.table == table else catalog.names(table))]
    terms = tuple(Output(Column(one.table, one.column, instance)) for one in dict.fromkeys(outputs))
    where = equal_to(Column(table, found[0].column, other), list(found[1]))
    return Plan(whose.table, terms, where, via=(shown, held))


def _ends(catalog: Catalog, tie: str | None, table: str) -> tuple[Key, Key] | None:
    """The key of a tie that tells whose it is, and the one that tells whom it is about, as it is called so."""
    keys = catalog.forked(table).get(tie, []) if tie is not None and tie != table else []
    about = [is_called_as_its_table(catalog, ColumnKey(key.table, key.columns[0])) for key in keys]
    if len(keys) != 2 or sum(about) != 1:
        return None
    return keys[about.index(False)], keys[about.index(True)]


def _is_owned(resolver: Resolver, ref: Ref, value: Ref) -> bool:
    """Return whether words are said to be of a value: `Ann's friends`, `friends of Ann`."""
    tokens = resolver.cut.linked.tokens
    between = [one.lemma for one in tokens[value.last : ref.first]]
    behind = [one.lemma for one in tokens[ref.last : value.first]]
    return between == ["'s"] or behind[:1] == ["of"]
