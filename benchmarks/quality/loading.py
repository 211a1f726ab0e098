"""Databases of others in a private PostgreSQL, with the keys that they declare, as a steward would connect them."""

import csv
import re
import sqlite3
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import sql

from persistence.samples.postgres import PostgresServer

NORTHWIND: Final = "northwind_postgres.sql"

_WHOLE: Final = re.compile(r"^[+-]?\d{1,18}$")
_DAY: Final = re.compile(r"^\d{4}-\d\d-\d\d$")
_MOMENT: Final = re.compile(r"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$")


def found_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """The databases that a folder holds: name and file, strangers' first."""
    yield from ((file.stem, file) for file in sorted(folder.glob("questions/databases/*.sqlite")))
    yield from ((file.stem, file) for file in sorted(folder.glob("chinook/*.sqlite")))
    yield from ((file.parent.name, file) for file in sorted(folder.glob("dq_*/dirty.csv")))
    yield from (("northwind", file) for file in folder.glob(f"northwind/{NORTHWIND}"))


def load(server: PostgresServer, name: str, file: Path) -> str:
    """Load a database file under a name; its address. Raises psycopg.Error and OSError."""
    server.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    address = server.url(name)
    if file.suffix == ".sql":
        subprocess.run(["psql", "-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", address, "-f", file], check=True, text=True)
        return address
    if file.suffix == ".csv":
        with file.open(encoding="utf-8", newline="") as lines, psycopg.connect(address) as target:
            names, *rows = csv.reader(lines)
            _fill(target, name, names, ["text"] * len(names), [[value or None for value in row] for row in rows])
        return address
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as source, psycopg.connect(address) as target:
        source.text_factory = lambda raw: raw.decode("utf-8", "replace").replace("\0", "")
        _copy(source, target)
    return address


def _copy(source: sqlite3.Connection, target: psycopg.Connection[Any]) -> None:
    named = "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name"
    tables = [name for (name,) in source.execute(named)]
    lower = {name.lower(): name for name in tables}
    for table in tables:
        _table(source, target, table)
    for table in tables:
        references: dict[int, list[Any]] = {}
        for row in source.execute(f"pragma foreign_key_list({_quoted(table)})"):
            references.setdefault(row[0], []).append(row)
        for rows in references.values():
            _refer(source, target, table, lower.get(rows[0][2].lower()), sorted(rows, key=lambda row: row[1]))


def _table(source: sqlite3.Connection, target: psycopg.Connection[Any], table: str) -> None:
    columns = source.execute(f"pragma table_info({_quoted(table)})").fetchall()
    rows = source.execute(f"select * from {_quoted(table)}").fetchall()
    types = [_type(str(column[2]), [row[at] for row in rows]) for at, column in enumerate(columns)]
    filled = [all(row[at] is not None for row in rows) for at in range(len(columns))]
    parts = [
        sql.SQL("{} {} {}").format(
            sql.Identifier(column[1]), sql.SQL(kind), sql.SQL("not null" if column[3] and full else "")
        )
        for column, kind, full in zip(columns, types, filled, strict=True)
    ]
    key = [column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5]]
    at = {column[1]: place for place, column in enumerate(columns)}
    keys = [tuple(row[at[name]] for name in key) for row in rows]
    if key and len(set(keys)) == len(keys) and all(None not in one for one in keys):
        parts.append(sql.SQL("primary key ({})").format(sql.SQL(", ").join(map(sql.Identifier, key))))
    name = sql.Identifier(table)
    target.execute(sql.SQL("create table {} ({})").format(name, sql.SQL(", ").join(parts)))
    _write(target, name, types, rows)


def _fill(
    target: psycopg.Connection[Any], table: str, names: Sequence[str], types: Sequence[str], rows: Sequence[Any]
) -> None:
    """A table without keys."""
    columns = [sql.SQL("{} {}").format(sql.Identifier(n), sql.SQL(kind)) for n, kind in zip(names, types, strict=True)]
    name = sql.Identifier(table)
    target.execute(sql.SQL("create table {} ({})").format(name, sql.SQL(", ").join(columns)))
    _write(target, name, types, rows)


def _write(
    target: psycopg.Connection[Any], name: sql.Identifier, types: Sequence[str], rows: Sequence[Sequence[Any]]
) -> None:
    with target.cursor().copy(sql.SQL("copy {} from stdin").format(name)) as copy:
        for row in rows:
            copy.write_row([_value(value, kind) for value, kind in zip(row, types, strict=True)])


def _refer(
    source: sqlite3.Connection,
    target: psycopg.Connection[Any],
    table: str,
    to: str | None,
    rows: Sequence[Any],
) -> None:
    """Declare a foreign key, unless the data does not bear it out: then nobody can have declared it."""
    if to is None:
        return
    key = [row[1] for row in sorted(source.execute(f"pragma table_info({_quoted(to)})"), key=lambda r: r[5]) if row[5]]
    columns = [row[3] for row in rows]
    targets = [row[4] for row in rows] if rows[0][4] is not None else key[: len(columns)]
    statement = sql.SQL("alter table {} add foreign key ({}) references {} ({})").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.Identifier(to),
        sql.SQL(", ").join(map(sql.Identifier, targets)),
    )
    try:
        with target.transaction():
            target.execute(statement)
    except psycopg.Error:
        return


def _type(declared: str, values: Sequence[Any]) -> str:
    """Return what PostgreSQL calls a column: by what was declared, as far as all of its values are so."""
    some = [value for value in values if value is not None]
    kind = declared.upper()
    if any(isinstance(value, bytes) for value in some):
        return "bytea"
    if "INT" in kind and all(_WHOLE.match(str(value)) for value in some):
        return "bigint"
    is_number = any(name in kind for name in ("REAL", "FLOA", "DOUB", "NUM", "DEC", "INT"))
    if is_number and all(isinstance(value, int | float) for value in some):
        return "numeric" if "NUM" in kind or "DEC" in kind else "double precision"
    if "DATE" in kind or "TIME" in kind:
        if some and all(_DAY.match(str(value)) for value in some):
            return "date"
        if some and all(_MOMENT.match(str(value)) for value in some):
            return "timestamp"
    return "text"


def _value(value: Any, kind: str) -> Any:
    return str(value) if value is not None and kind == "text" else value


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
