"""Questions about a column that several tables have: countries of both customers and suppliers."""

from dataclasses import replace

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Combined, Output, Plan
from resolvers.engines.nl2sql.planner.frame import Cond
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column

_WAYS = {"and": "intersect", "or": "union", "not": "except"}


def across(resolver: Resolver) -> Plan | None:
    """What two tables have in common, together, or one without the other; None when that is not the question."""
    frame = resolver.frame
    if len(frame.items) not in (1, 2) or frame.groups or frame.sorts or frame.limit or frame.shown:
        return None
    item = frame.items[0]
    if item.ref is None or item.count or item.aggregates or item.ref.tables:
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
    for other in frame.items[1:]:
        named.append((resolver.table(other.ref) or "", None))
    if len(named) != 2 or named[0][0] == named[1][0]:
        return None
    keys = [_column(resolver, item.ref.columns, table) for table, _ in named]
    if keys[0] is None or keys[1] is None:
        return None
    second = named[1][1]
    first = named[0][1]
    if owner is not None and second is not None and _tells_rows(resolver, keys[0]):
        return None  # names of those that have none: told by the keys between the tables
    if first is not None and first.negated:
        return None
    if second is None:
        way = "or" if frame.items[-1].either else "and" if frame.both else ""
        if not way:
            return None
    elif second.negated:
        way = "not"
    elif second.joined == "or":
        way = "or"
    elif frame.both or (second.joined == "and" and first is not None and frame.which):
        way = "and"
    else:
        return None
    if way == "and" and not frame.both and first is None:
        return None
    plans = [Plan(key.table, (Output(as_column(key)),)) for key in keys if key is not None]
    how = _WAYS[way]
    return replace(plans[0], combined=Combined(how, plans[1]))  # type: ignore[arg-type]


def _tells_rows(resolver: Resolver, key: ColumnKey) -> bool:
    """Whether a column is what rows are told apart by, or called by."""
    catalog = resolver.catalog
    return key in catalog.names(key.table) or key == catalog.key(key.table)


def _column(resolver: Resolver, mentions: list, table: str) -> ColumnKey | None:  # type: ignore[type-arg]
    """The column of a table that the words name exactly."""
    for mention in mentions:
        if mention.column is not None and mention.column.table == table and mention.score >= 0.9:
            found: ColumnKey = mention.column
            return found
    return None
