"""The rows of a twin's store: whether they changed, how they differ from what stood first, and putting them back."""

import re
import sqlite3
from pathlib import Path
from typing import Any, Protocol

import psycopg
from psycopg.sql import SQL, Identifier, Literal

UNLIKE = {
    ("relation_tuples", "created_at"),  # a moment that a store writes by its own clock
    ("audit_entries", "door"),
    ("audit_entries", "request_id"),
    ("audit_entries", "previous_hash"),
    ("audit_entries", "hash"),
    ("audit_heads", "last_hash"),
}
"""Columns that may differ: what tells the door or the request, and what is made of it."""
UNSEEN = ("workers", "job_ledger")
NEW = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b|v1\.[\w-]+\.[\w-]+\.[\w-]+"
)
"""What is made at random: uuids, with dashes and without, and what is sealed."""


class Rows(Protocol):
    """The rows of a store; those that stood when this was made are the stock."""

    def stamp(self) -> Any:
        """Changes with every commit, by whomever."""

    def copy(self) -> Any:
        """The rows as they are now."""

    def put_back(self, copy: Any) -> None:
        """Make them what they were."""

    def differences(self) -> dict[str, list[Any]]:
        """The rows that the stock does not have (`+ table`) and those that only it has (`- table`)."""

    def ids(self) -> set[str]:
        """Everything in the stock that was made at random."""

    def close(self) -> None:
        """Give the connection back."""


class SqliteRows:
    """Rows in a file, copied page by page."""

    def __init__(self, folder: Path) -> None:
        self._live = sqlite3.connect(folder / "data" / "stoa.sqlite", isolation_level=None)
        self._live.execute("pragma synchronous=off")
        self._tables: dict[str, str] = {}
        """Each table with the columns that are compared."""
        self._stamps = 0
        names = self._live.execute("select name from sqlite_master where type='table' order by name").fetchall()
        for (table,) in names:
            if table not in UNSEEN and not table.startswith("sqlite_"):
                info = self._live.execute(f'pragma table_info("{table}")').fetchall()
                shown = [f'"{name}"' for _, name, *_ in info if (table, name) not in UNLIKE]
                self._tables[table] = ",".join(shown)
        self._live.execute("attach ? as base", (str(folder / "base.sqlite"),))
        with sqlite3.connect(folder / "base.sqlite") as base:
            self._live.backup(base)

    def stamp(self) -> Any:
        """Changes with every commit, by whomever."""
        (stamp,) = self._live.execute("pragma data_version").fetchone()
        return int(stamp), self._stamps

    def copy(self) -> Any:
        """The rows as they are now."""
        rows = sqlite3.connect(":memory:", isolation_level=None)
        self._live.backup(rows)
        return rows

    def put_back(self, copy: Any) -> None:
        """Make them what they were."""
        copy.backup(self._live)
        self._stamps += 1

    def differences(self) -> dict[str, list[Any]]:
        """The rows that the stock does not have (`+ table`) and those that only it has (`- table`)."""
        found: dict[str, list[Any]] = {}
        for table, columns in self._tables.items():
            for sign, one, other in (("-", "base", "main"), ("+", "main", "base")):
                query = f'select {columns} from {one}."{table}" except select {columns} from {other}."{table}"'
                rows = self._live.execute(query).fetchall()
                if rows:
                    found[f"{sign} {table}"] = rows
        return found

    def ids(self) -> set[str]:
        """Everything in the stock that was made at random."""
        found: set[str] = set()
        for table in self._tables:
            for row in self._live.execute(f'select * from base."{table}"'):
                found.update(text for value in row if isinstance(value, str) for text in NEW.findall(value))
        return found

    def close(self) -> None:
        """Give the connection back."""
        self._live.close()


class PostgresRows:
    """Rows in PostgreSQL, of which a copy stands in a schema of its own; they can be put back to the stock alone."""

    def __init__(self, url: str) -> None:
        self._live = psycopg.connect(url, autocommit=True)
        self._tables: dict[str, list[str]] = {}
        self._stamps = 0
        query = """select table_name, column_name from information_schema.columns join information_schema.tables
            using (table_schema, table_name) where table_schema = 'public' and table_type = 'BASE TABLE'
            and is_generated = 'NEVER' order by table_name, ordinal_position"""
        for table, column in self._live.execute(query):
            if table not in UNSEEN:
                self._tables.setdefault(table, []).append(column)
        self._live.execute("create schema stock")
        for table in self._tables:
            self._live.execute(
                SQL("create table {} as table {}").format(self._at("stock", table), self._at("public", table))
            )
        sequences = self._live.execute("select sequencename from pg_sequences where schemaname = 'public'").fetchall()
        self._sequences = {
            name: self._live.execute(
                SQL("select last_value, is_called from {}").format(self._at("public", name))
            ).fetchone()
            for (name,) in sequences
        }
        parts = [
            SQL("(select {}, {}, told from ({} except {}) as rows)").format(
                Literal(sign), Literal(table), self._told(one, table), self._told(other, table)
            )
            for table in self._tables
            for sign, one, other in (("-", "stock", "public"), ("+", "public", "stock"))
        ]
        self._differences = SQL(" union all ").join(parts)

    def stamp(self) -> Any:
        """Changes with every commit, by whomever."""
        (stamp,) = self._live.execute("select pg_snapshot_xmax(pg_current_snapshot())::text").fetchone() or ("",)
        return stamp, self._stamps

    def copy(self) -> Any:
        """The stock, which is all that is kept."""
        assert not self.differences(), "only the stock can be put back"
        return None

    def put_back(self, copy: Any) -> None:
        """Make them the stock."""
        tables = {key.partition(" ")[2] for key in self.differences()}
        with self._live.transaction():
            self._live.execute("set local session_replication_role = replica")  # no trigger asks for what is gone
            for table in tables:
                columns = SQL(",").join(map(Identifier, self._tables[table]))
                live, stock = self._at("public", table), self._at("stock", table)
                self._live.execute(SQL("delete from {}").format(live))
                self._live.execute(
                    SQL("insert into {} ({}) overriding system value select {} from {}").format(
                        live, columns, columns, stock
                    )
                )
            for name, (value, called) in self._sequences.items():
                self._live.execute("select setval(%s, %s, %s)", (f'public."{name}"', value, called))
        self._stamps += 1

    def differences(self) -> dict[str, list[Any]]:
        """The rows that the stock does not have (`+ table`) and those that only it has (`- table`)."""
        found: dict[str, list[Any]] = {}
        for sign, table, told in self._live.execute(self._differences):
            found.setdefault(f"{sign} {table}", []).append(told)
        return found

    def ids(self) -> set[str]:
        """Everything in the stock that was made at random."""
        found: set[str] = set()
        for table in self._tables:
            for (told,) in self._live.execute(self._told("stock", table)):
                found.update(NEW.findall(told))
        return found

    def close(self) -> None:
        """Give the connection back."""
        self._live.close()

    def _told(self, schema: str, table: str) -> Any:
        shown = [name for name in self._tables[table] if (table, name) not in UNLIKE]
        columns = SQL(",").join(map(Identifier, shown))
        return SQL("select row({})::text as told from {}").format(columns, self._at(schema, table))

    @staticmethod
    def _at(schema: str, table: str) -> Identifier:
        return Identifier(schema, table)
