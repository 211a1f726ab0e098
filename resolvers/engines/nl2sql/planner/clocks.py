"""Times of the day, of moments that have a day as well: after 18:00, before noon, between 9:00 and 10:30."""

from collections.abc import Sequence

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Column, Comparison, Literal, Operator, Span, Unit
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.frame import Cond
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind

_TELLING = (ColumnKind.MOMENT, ColumnKind.TIME)


def clock_column(resolver: Resolver, cond: Cond, column: ColumnKey | None, tables: Sequence[str]) -> ColumnKey | None:
    """The column that a time of the day is compared with: the one that is named, or the first that tells one."""
    catalog = resolver.catalog
    if column is not None and (catalog.kind(column) in _TELLING or not catalog.is_moment_like(column)):
        return column
    before = set(resolver.cut.linked.words(0, cond.values[0].first))
    for table in tables:
        times = [key for key in catalog.of(table) if catalog.kind(key) in _TELLING]
        named = [key for key in times if before & set(catalog.words(key))] or times
        if len(named) > 1:
            resolver.doubt("several columns tell a time of the day", 0.2)
        if named:
            return named[0]
    return None


def says_clock(cond: Cond) -> bool:
    """Return whether nothing but times of the day is compared with."""
    return bool(cond.values) and cond.nest is None and all(_time(ref) is not None for ref in cond.values)


def by_clock(resolver: Resolver, cond: Cond, column: ColumnKey, operator: Operator) -> Comparison | None:
    """A moment or a time of the day compared with such times; None where a column tells none."""
    kind = resolver.catalog.kind(column)
    times = [time for ref in cond.values if (time := _time(ref)) is not None]
    if kind not in _TELLING or len(times) != (2 if operator is Operator.BETWEEN else 1):
        return None
    resolver.used.update((ref.first, ref.last) for ref in cond.values)
    left: Column | Span = as_column(column)
    if kind is ColumnKind.MOMENT:
        left = Span(as_column(column), Unit.CLOCK, True)
    return Comparison(left, operator, tuple(times), cond.negated)


def _time(ref: Ref) -> Literal | None:
    return next((one.values[0] for one in ref.literals if one.how == "time" and one.values), None)
