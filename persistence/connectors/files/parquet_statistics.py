"""Defines what the footers of Parquet files say of a table: exact counts, and bounds where they are sure."""

# ruff: noqa: S608 - paths are made by the reading, types are DuckDB's own words

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from persistence.connectors.core.duckdb_reading import literal
from schema.data_readiness.source import KnownColumn, KnownStatistics

_NESTED = ("STRUCT", "MAP", "UNION", "VARIANT")
_FLOATS = ("FLOAT", "DOUBLE")
_TEXTS = ("VARCHAR", "BLOB")


def statistics(session: Any, paths: Sequence[str], types: Mapping[str, str]) -> KnownStatistics:
    """Of the files at some paths; `types` are the columns of the table that the files hold, in DuckDB's types."""
    files = f"[{', '.join(literal(path) for path in paths)}]"
    ((total,),) = session.execute(
        f"select coalesce(sum(num_rows), 0)::bigint from parquet_file_metadata({files})"
    ).fetchall()
    found = {
        row[0]: row[1:]
        for row in session.execute(
            "select path_in_schema, sum(row_group_num_rows)::bigint,"
            " case when bool_and(stats_null_count is not null) then sum(stats_null_count)::bigint end,"
            " bool_and(stats_min_value is not null or stats_null_count = row_group_num_rows),"
            " bool_and(coalesce(min_is_exact and max_is_exact, stats_null_count = row_group_num_rows, false)),"
            " bool_and(coalesce(stats_nan_count = 0, false)),"
            " list(distinct stats_min_value), list(distinct stats_max_value)"
            f" from parquet_metadata({files}) group by path_in_schema"
        ).fetchall()
    }
    columns = []
    for name, kind in types.items():
        if name not in found or kind.endswith("]") or kind.startswith(_NESTED):
            continue
        rows, nulls, bounded, exact, no_nan, lows, highs = found[name]
        sure = bounded and (kind not in _TEXTS or exact) and (kind not in _FLOATS or no_nan)
        columns.append(
            KnownColumn(
                name,
                # A file that lacks the column counts as if it were null throughout.
                null_fraction=None if nulls is None or not total else (nulls + total - rows) / total,
                minimum=_extreme(session, "min", lows, kind) if sure else None,
                maximum=_extreme(session, "max", highs, kind) if sure else None,
            )
        )
    return KnownStatistics(int(total), tuple(columns), is_exact=True)


def _extreme(session: Any, which: str, values: Sequence[str | None], kind: str) -> str | None:
    """The least or greatest of some values, compared as their type compares, as text."""
    held = [value for value in values if value is not None]
    if not held:
        return None
    listed = f"[{', '.join(literal(value) for value in held)}]"
    ((count, value),) = session.execute(
        f"select count(v), {which}(v)::varchar from (select try_cast(unnest({listed}) as {kind}) as v)"
    ).fetchall()
    return value if count == len(held) else None
