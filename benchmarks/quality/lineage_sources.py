"""Small databases in SQLite, DuckDB and PostgreSQL whose cells can be changed one at a time."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Protocol

import duckdb
import psycopg

from benchmarks.quality.lineage_pools import Wish

Shape = Mapping[str, Mapping[str, str]]
"""Tables with their columns, each with its kind: `int`, `num`, `text`, `date`, `timestamp` or `bool`."""
Cell = tuple[str, str, int, Any]
"""A table, a column, the number of a row from 0 on, and the value that it gets."""
Rows = list[tuple[Any, ...]]
Keep = Callable[[Rows], bool]
"""Says of the rows of a query whether the change that led to them stays."""

MOST_INSTRUCTIONS: Final = 2_000_000
"""Of one query in SQLite. One that joins all with all takes minutes, and is asked thousands of times."""
_AT_ONCE: Final = 10_000
_TYPES: Final = {
    "int": "bigint",
    "num": "double precision",
    "text": "varchar(200)",
    "date": "date",
    "timestamp": "timestamp",
    "bool": "boolean",
}


KEPT: Final = object()
"""Stands for the value that a cell has already."""


class Failed(Exception):
    """A statement that the database refuses."""


class TooMuch(Failed):
    """A query that takes more steps than it may."""


def never(_: Rows) -> bool:
    """No change stays."""
    return False


class Source(Protocol):
    """A database."""

    dialect: str

    def run(self, sql: str) -> None:
        """Run one statement. Raises Failed."""

    def rows(self, sql: str) -> Rows:
        """The rows of a query. Raises Failed."""

    def changed(self, sql: str, cells: Sequence[Cell], keep: Keep = never) -> Rows | None:
        """The rows of a query once some cells are changed; None when it fails then. The change stays if they please."""

    def close(self) -> None:
        """End it."""


def prepare(source: Source, shape: Shape, data: Mapping[str, Rows]) -> None:
    """Make the tables anew, with this data."""
    for table, columns in shape.items():
        source.run(
            f"create table {named(table)} ({', '.join(f'{named(a)} {_TYPES[kind]}' for a, kind in columns.items())})"
        )
        rows = (f"({', '.join(literal(one) for one in row)})" for row in data[table])
        source.run(f"insert into {named(table)} values {', '.join(rows)}")


def fitting(dialect: str, wish: Wish, columns: Mapping[str, str], rows: Rows) -> str:
    """The query for those of some rows that do what is wished of them."""
    values = ", ".join(f"({', '.join(literal(one) for one in row)})" for row in rows)
    names = ", ".join(named(one) for one in columns)
    # SQLite casts a day to the number of its year.
    cast = (
        names
        if dialect == "sqlite"
        else ", ".join(f"cast({named(a)} as {_TYPES[b]}) as {named(a)}" for a, b in columns.items())
    )
    return (
        f"with drawn ({names}) as (values {values}), {named(wish.alias)} as (select {cast} from drawn) "
        f"select * from {named(wish.alias)} where {wish.condition}"
    )


def named(name: str) -> str:
    """A name as SQL writes it, whatever word it is."""
    return f'"{name}"'


def _set(column: str, value: Any) -> str:
    return f"{named(column)} = {named(column) if value is KEPT else literal(value)}"


def literal(value: Any) -> str:
    """A value as SQL writes it."""
    if value is None:
        return "null"
    return str(value) if isinstance(value, int | float) else "'" + str(value).replace("'", "''") + "'"


def _plain(rows: Sequence[Sequence[Any]]) -> Rows:
    """Rows whose values can be counted, lists and structures too."""
    return [tuple(_countable(value) for value in row) for row in rows]


def _countable(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_countable, value))
    if isinstance(value, dict):
        return tuple((name, _countable(one)) for name, one in value.items())
    return value


class _Embedded:
    """What SQLite and DuckDB share: both number the rows of a table."""

    dialect = ""
    _errors: tuple[type[Exception], ...] = ()
    _first = 0

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def run(self, sql: str) -> None:
        try:
            self._connection.execute(sql)
        except self._errors as error:
            raise Failed(str(error)) from None

    def rows(self, sql: str) -> Rows:
        try:
            return _plain(self._connection.execute(sql).fetchall())
        except self._errors as error:
            raise Failed(str(error)) from None

    def changed(self, sql: str, cells: Sequence[Cell], keep: Keep = never) -> Rows | None:
        end = "rollback"
        self._connection.execute("begin")
        try:
            for table, column, row, value in cells:
                self._connection.execute(
                    f"update {named(table)} set {_set(column, value)} where rowid = {row + self._first}"
                )
            rows = self.rows(sql)
            end = "commit" if keep(rows) else end
            return rows
        except Failed:
            return None
        finally:
            self._connection.execute(end)

    def close(self) -> None:
        self._connection.close()


class Sqlite(_Embedded):
    """SQLite in memory."""

    dialect = "sqlite"
    _errors = (sqlite3.Error,)
    _first = 1

    def __init__(self) -> None:
        super().__init__(sqlite3.connect(":memory:", isolation_level=None))
        self._used = 0
        self._connection.set_progress_handler(self._is_too_much, _AT_ONCE)

    def rows(self, sql: str) -> Rows:
        self._used = 0
        try:
            return super().rows(sql)
        except Failed:
            if self._used > MOST_INSTRUCTIONS:
                raise TooMuch("The query takes too many steps.") from None
            raise

    def _is_too_much(self) -> bool:
        self._used += _AT_ONCE
        return self._used > MOST_INSTRUCTIONS


class DuckDb(_Embedded):
    """DuckDB in memory."""

    dialect = "duckdb"
    _errors = (duckdb.Error,)

    def __init__(self) -> None:
        super().__init__(duckdb.connect(":memory:", config={"threads": 1}))


class Postgres:
    """A database of a PostgreSQL server."""

    dialect = "postgres"

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._connection.execute("set client_min_messages = error; drop schema public cascade; create schema public")
        self._places: dict[tuple[str, int], str] = {}
        """Where the rows are that a change which stayed has moved."""

    def run(self, sql: str) -> None:
        try:
            self._connection.execute(sql.encode())
        except psycopg.Error as error:
            raise Failed(str(error)) from None

    def rows(self, sql: str) -> Rows:
        try:
            return _plain(self._connection.execute(sql.encode()).fetchall())
        except psycopg.Error as error:
            raise Failed(str(error)) from None

    def changed(self, sql: str, cells: Sequence[Cell], keep: Keep = never) -> Rows | None:
        end, places = "rollback", dict(self._places)
        self._connection.execute("begin")
        try:
            for table, column, row, value in cells:
                place = places.get((table, row), f"(0,{row + 1})")
                update = f"update {named(table)} set {_set(column, value)}"
                update += f" where ctid = '{place}' returning ctid::text"
                (places[table, row],) = self._connection.execute(update.encode()).fetchone() or ("",)
            rows = _plain(self._connection.execute(sql.encode()).fetchall())
            if keep(rows):
                end, self._places = "commit", places
            return rows
        except psycopg.Error:
            return None
        finally:
            self._connection.execute(end.encode())

    def close(self) -> None:
        self._connection.close()


@contextmanager
def fresh(dialect: str, url: str | None = None) -> Iterator[Source]:
    """An empty database. For PostgreSQL, the one at the URL, emptied."""
    source: Source = Sqlite() if dialect == "sqlite" else DuckDb() if url is None else Postgres(url)
    try:
        yield source
    finally:
        source.close()
