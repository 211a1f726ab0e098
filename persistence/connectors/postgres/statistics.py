"""Defines what PostgreSQL's ANALYZE knows of a table, from pg_stats, which shows a user only the columns that they may
read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, LiteralString

from persistence.connectors.postgres.catalog import ESTIMATE
from schema.data_readiness.source import KnownColumn, KnownStatistics, Row

TABLE: Final[LiteralString] = f"""
    select case when c.relkind = 'p' then
               (select case when count(*) = count(e.rows) then sum(e.rows)::bigint end from (
                   select {ESTIMATE.format("leaf")} as rows
                   from pg_partition_tree(c.oid) t join pg_catalog.pg_class leaf on leaf.oid = t.relid where t.isleaf
               ) e)
           else ({ESTIMATE.format("c")})::bigint end,
           greatest(pg_stat_get_last_analyze_time(c.oid), pg_stat_get_last_autoanalyze_time(c.oid))
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = %(schema)s and c.relname = %(name)s and c.relkind in ('r', 'p', 'm')
"""  # noqa: S608 - put together from constants
"""(rows, when it was analysed) of a table."""

COLUMNS: Final[LiteralString] = """
    select distinct on (a.attnum) s.attname::text, s.null_frac::float8, s.n_distinct::float8,
           s.most_common_vals::text::text[], s.most_common_freqs::float8[], s.histogram_bounds::text::text[],
           s.avg_width, s.correlation::float8
    from pg_catalog.pg_stats s
    join pg_catalog.pg_namespace n on n.nspname = s.schemaname
    join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = s.tablename
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = s.attname
    where s.schemaname = %(schema)s and s.tablename = %(name)s
    order by a.attnum, s.inherited desc
"""
"""One row for each column that was analysed; those of a partitioned table are over all its partitions."""


def statistics(table: Sequence[Row], columns: Sequence[Row]) -> KnownStatistics | None:
    """The rows of TABLE and COLUMNS as known statistics; None for a view, or a table that was never analysed."""
    if not table or (table[0][0] is None and not columns):
        return None
    ((rows, analysed_at),) = table
    return KnownStatistics(rows, tuple(_column(rows, column) for column in columns), analysed_at)


def _column(rows: int | None, found: Row) -> KnownColumn:
    name, null_fraction, distinct, values, shares, bounds, width, correlation = found
    common = zip(values or (), shares or (), strict=False)
    return KnownColumn(
        name=name,
        null_fraction=null_fraction,
        distinct_count=_distinct(rows, distinct),
        common_values=tuple((value, share) for value, share in common),
        histogram_bounds=tuple(bounds or ()),
        average_width=float(width) if width is not None else None,
        correlation=correlation,
    )


def _distinct(rows: int | None, stated: float | None) -> int | None:
    """A negative number is a share of the rows, for a count that grows with the table; 0 is unknown."""
    if not stated:
        return None
    if stated > 0:
        return round(stated)
    return None if rows is None else round(-stated * rows)
