"""Questions about a column that several tables have: countries of both customers and suppliers."""

from dataclasses import replace

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Combined, Output, Plan
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.frame import Cond
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column

_WAYS = {"and": "intersect", "or": "union", "not": "except"}


def across(resolver: Resolver) -> Plan | None:
    """Return what two tables have in common, together, or one without the other; None when that is not the question."""
    frame = resolver.frame
    if not frame.items or frame.groups or frame.sorts or frame.limit or frame.shown:
        return None
    item = frame.items[0]
    asked = [one for one in frame.items if one is item or one.owner is not None]
    others = frame.items[len(asked) :]
    if len(others) > 1 or len({id(one.owner) for one in asked}) > 1 or any(one.owner is not None for one in others):
        return None
    refs = [one.ref for one in asked if one.ref is not None and not (one.count or one.aggregates or one.ref.tables)]
    if len(refs) != len(asked):
        return None
    named: list[tuple[str, Cond | None]] = []
    owner = resolver.table(item.owner)
    if owner is not None:
        named.append((owner, None))
    for cond in frame.conditions:
        table = resolver.table(cond.table) if cond.kind == "exists" and cond.count is None and not cond.inner else None
        if table is None:
            return None
        named.append((table, cond))
    for other in others:
        named.append((resolver.table(other.ref) or "", None))
    if len(named) != 2 or not named[1][0] or named[0][0] == named[1][0]:
        return None
    told = [[_columns(resolver, ref, table) for ref in refs] for table, _ in named]
    if not all(map(all, told)):
        return None
    shown = [[key for keys in one for key in keys] for one in told]
    if len(shown[0]) != len(shown[1]):
        return None
    second = named[1][1]
    first = named[0][1]
    apart = resolver.catalog.distance(named[0][0], named[1][0]) > 1
    together = apart and owner is not None and not frame.both and not frame.which and not frame.distinct
    if owner is not None and second is not None and _tells_rows(resolver, shown[0][0]):
        return None  # names of those that have none: told by the keys between the tables
    if first is not None and first.negated:
        return None
    if second is None:
        way = "or" if frame.items[-1].either or together else "and" if frame.both else ""
        if not way:
            return None
    elif second.negated:
        way = "not"
    elif second.joined == "or":
        way = "or"
    elif frame.both or (second.joined == "and" and first is not None):
        way = "and"
    else:
        return None
    if way == "and" and not frame.both and first is None:
        return None
    plans = [Plan(keys[0].table, tuple(Output(as_column(key)) for key in keys)) for keys in shown]
    how = _WAYS[way]
    return replace(plans[0], combined=Combined(how, plans[1]))  # type: ignore[arg-type]


def _tells_rows(resolver: Resolver, key: ColumnKey) -> bool:
    """Return whether a column is what rows are told apart by, or called by."""
    catalog = resolver.catalog
    return key in catalog.names(key.table) or key == catalog.key(key.table)


def _columns(resolver: Resolver, ref: Ref, table: str) -> tuple[ColumnKey, ...]:
    """The column of a table that the words name exactly; what its rows are called, where only their names are asked."""
    for mention in ref.columns:
        if mention.column is not None and mention.column.table == table and mention.score >= 0.9:
            return (mention.column,)
    named = resolver.cut.linked.words(ref.first, ref.last) == ["name"]
    return resolver.catalog.names(table) if named else ()
