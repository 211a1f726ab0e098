"""Rows as lines of SQL literals: how tables of containers come into DuckDB, each column with a type that holds it.

A column gets the first of its types that every value fits without losing anything, and is text where none does: what
a source declares, or its first rows show, decides what is tried, and never makes a value NULL or rounds it.
"""

# ruff: noqa: S608 - names and paths are made here, and columns are quoted

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from persistence.connectors.core.duckdb_reading import identifier, literal
from persistence.connectors.files.containers import TextColumn

_LONGEST_LINE: Final = 16 << 20
_TEXT: Final = "VARCHAR"
_MISFIT: Final = "a value that its type cannot hold"

_LOSSLESS: Final = {
    "BIGINT": "try_cast({0} as bigint) is not null and try_cast({0} as double) = try_cast({0} as bigint)",
    # Integers beyond 2^53 would be rounded.
    "DOUBLE": "try_cast({0} as double) is not null and (length({0}) <= 15 or contains({0}, '.') or contains({0}, 'e'))",
    "DATE": "try_cast({0} as date) is not null and length({0}) <= 10",
    "BOOLEAN": "{0} in ('0', '1')",
}
"""When a text may become a value of a type; of others, when it can."""
_DECIMAL: Final = "try_cast({0} as {1}) is not null and try_cast({0} as {1}) = try_cast({0} as double)"


def types_of(data_type: str, precision: int | None = None, scale: int | None = None) -> tuple[str, ...]:
    """The types of DuckDB that a column of a neutral type may get, best first."""
    if data_type == "NUMERIC":
        exact = precision is not None and 0 < precision <= 38 and 0 <= (scale or 0) <= precision
        return (*((f"DECIMAL({precision},{scale or 0})",) if exact else ()), "BIGINT", "DOUBLE")
    return _TYPES.get(data_type, ())


_TYPES: Final = {
    "BIGINT": ("BIGINT", "DOUBLE"),
    "DOUBLE": ("DOUBLE",),
    "BOOLEAN": ("BOOLEAN", "BIGINT", "DOUBLE"),
    "DATE": ("DATE", "TIMESTAMP"),
    "TIMESTAMP": ("TIMESTAMP",),
    "TIME": ("TIME",),
}


def take_in(session: Any, path: Path, name: str, columns: Sequence[TextColumn]) -> None:
    """Make a table of the lines of a file. Raises DuckDB's own errors."""
    given = ", ".join(f"c{at}: '{_TEXT}'" for at in range(len(columns)))
    source = (
        f"read_csv({literal(str(path))}, auto_detect = false, header = false, delim = ',', quote = '''', escape = '''',"
        f" nullstr = 'NULL', allow_quoted_nulls = false, new_line = '\\n', compression = 'none', parallel = true,"
        f" max_line_size = {_LONGEST_LINE}, columns = {{{given}}})"
    )
    first = [column.types[0] if column.types else _TEXT for column in columns]
    if not _made(session, name, columns, first, source):
        _made(session, name, columns, _fitting(session, columns, source), source)


def _made(session: Any, name: str, columns: Sequence[TextColumn], kinds: Sequence[str], source: str) -> bool:
    """Make the table with these types; whether every value fits its own, for nothing is made otherwise."""
    chosen = []
    for at, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
        value = f"unhex(c{at})" if column.in_hex else f"c{at}"
        if kind != _TEXT:
            value = (
                f"case when c{at} is null or ({_test(f'c{at}', kind)}) then c{at}::{kind} else error('{_MISFIT}') end"
            )
        chosen.append(f"{value} as {identifier(column.name)}")
    try:
        session.execute(f"create table main.{name} as select {', '.join(chosen)} from {source}")
    except Exception as error:
        if _MISFIT not in str(error):
            raise
        return False
    return True


def _fitting(session: Any, columns: Sequence[TextColumn], source: str) -> list[str]:
    """The first type of each column that all of its values fit."""
    tests = [(at, kind) for at, column in enumerate(columns) for kind in column.types]
    asked = ", ".join(f"coalesce(bool_and(c{at} is null or ({_test(f'c{at}', kind)})), true)" for at, kind in tests)
    (answers,) = session.execute(f"select {asked} from {source}").fetchall()
    fits = {test for test, fit in zip(tests, answers, strict=True) if fit}
    return [next((kind for kind in one.types if (at, kind) in fits), _TEXT) for at, one in enumerate(columns)]


def _test(column: str, kind: str) -> str:
    if kind.startswith("DECIMAL"):
        return _DECIMAL.format(column, kind)
    return _LOSSLESS.get(kind, f"try_cast({{0}} as {kind}) is not null").format(column)
