"""The rows of a twin's store: whether they changed, how they differ from what stood first, and putting them back."""

import re
import sqlite3
from collections import Counter
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
    ("server_calls", "request_id"),
    ("server_calls", "milliseconds"),
}
"""Columns that may differ: what tells the door, the request or how long it took, and what is made of it."""
UNSEEN = ("workers", "job_ledger", "asset_documents")
"""Tables that are not compared: what goes on beside a call, and what a read leaves behind some time after it."""
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

    def all_differences(self) -> dict[str, list[Any]]:
        """The same, looked for where nothing was noted, too; this is dear, and shows that nothing goes unnoticed."""

    def ids(self) -> set[str]:
        """Everything in the stock that was made at random."""

    def close(self) -> None:
        """Give the connection back."""


class SqliteRows:
    """Rows in a file, each table of which notes which of its rows were touched: only those can differ.

    Looking through all rows, and copying all pages back, was most of what the comparison cost. An index for words is a
    table that cannot note it: where a table that feeds one was touched, the pages are copied and it is compared whole.
    """

    def __init__(self, folder: Path) -> None:
        self._live = sqlite3.connect(folder / "data" / "stoa.sqlite", isolation_level=None)
        self._live.execute("pragma synchronous=off")
        self._stamps = 0
        self._columns: dict[str, list[str]] = {}
        """Of each table that notes what was touched; those whose triggers write into others come first."""
        self._shown: dict[str, list[int]] = {}
        """Where the columns stand that are compared."""
        listed = "select name from pragma_table_list where schema = 'main' and type {} order by name"
        tables = [name for (name,) in self._live.execute(listed.format("= 'table'")) if not name.startswith("sqlite_")]
        self._whole = [name for (name,) in self._live.execute(listed.format("in ('virtual', 'shadow')"))]
        """Tables of the indexes for words."""
        triggers = self._live.execute("select tbl_name, sql from sqlite_master where type = 'trigger'").fetchall()
        self._fed = {table for table, told in triggers if any(name in told for name in self._whole)}
        first = {table for table, _ in triggers}
        for table in sorted(tables, key=lambda name: (name not in first, name)):
            names = [name for _, name, *_ in self._live.execute(f'pragma table_info("{table}")')]
            self._columns[table] = names
            self._shown[table] = [at for at, name in enumerate(names, 1) if (table, name) not in UNLIKE]
        self._note()
        self._live.execute("attach ? as base", (str(folder / "base.sqlite"),))
        self._base = sqlite3.connect(folder / "base.sqlite", isolation_level=None)
        self._live.backup(self._base)

    def _note(self) -> None:
        """Let every table note the rows that change, and the identity of each that goes."""
        self._live.execute(
            'create table touched ("table" text, "row" integer, primary key ("table", "row")) without rowid'
        )
        for table in self._columns:
            for event, rows in (("insert", ["new"]), ("delete", ["old"]), ("update", ["old", "new"])):
                # What the statement does about conflicts would hold for its triggers too, so that there is none.
                noted = "".join(
                    f"""insert into touched select '{table}', {row}.rowid where not exists
                    (select 1 from touched where "table" = '{table}' and "row" = {row}.rowid);"""
                    for row in rows
                )
                self._live.execute(
                    f'create trigger "{table}_{event}_noted" after {event} on "{table}" begin {noted} end'
                )

    def stamp(self) -> Any:
        """Changes with every commit, by whomever."""
        (stamp,) = self._live.execute("pragma data_version").fetchone()
        return int(stamp), self._stamps

    def copy(self) -> Any:
        """The rows as they are now: those that differ from the stock, and the pages where they are needed."""
        pages, touched = None, self._touched()
        if self._fed & set(touched):
            pages = sqlite3.connect(":memory:", isolation_level=None)
            self._live.backup(pages)
        return pages, touched, {table: self._rows("main", table) for table in touched}

    def put_back(self, copy: Any) -> None:
        """Make them what they were."""
        pages, touched, rows = copy
        if pages is not None or self._fed & set(self._touched()):
            (pages or self._base).backup(self._live)
        if pages is None:
            self._put_rows_back(touched, rows)
        self._stamps += 1

    def _put_rows_back(self, touched: dict[str, list[int]], rows: dict[str, list[Any]]) -> None:
        self._live.execute("begin immediate")
        self._live.executemany(
            "insert or ignore into touched values (?, ?)", [(table, row) for table in touched for row in touched[table]]
        )
        for table, columns in self._columns.items():  # what its triggers touch comes after it
            if not self._live.execute('select 1 from touched where "table" = ?', (table,)).fetchone():
                continue
            names = ",".join(f'"{name}"' for name in columns)
            noted = f"""rowid in (select "row" from touched where "table" = '{table}')"""
            self._live.execute(f'delete from "{table}" where {noted}')
            if table in touched:
                places = ",".join("?" * (len(columns) + 1))
                self._live.executemany(f'insert into "{table}" (rowid, {names}) values ({places})', rows[table])
                kept = ",".join(map(str, touched[table]))
                noted += f" and rowid not in ({kept})"
            stock = f'select rowid, {names} from base."{table}" where {noted}'
            self._live.execute(f'insert into "{table}" (rowid, {names}) {stock}')
        self._live.execute("delete from touched")
        self._live.executemany(
            "insert into touched values (?, ?)", [(table, row) for table in touched for row in touched[table]]
        )
        self._live.execute("commit")

    def differences(self) -> dict[str, list[Any]]:
        """The rows that the stock does not have (`+ table`) and those that only it has (`- table`)."""
        found: dict[str, list[Any]] = {}
        touched = self._touched()
        for table in touched:
            if table not in UNSEEN:
                self._tell(found, table, *(self._compared(schema, table) for schema in ("base", "main")))
        if self._fed & set(touched):
            for table in self._whole:
                self._tell(found, table, *(self._all(schema, table) for schema in ("base", "main")))
        return found

    def all_differences(self) -> dict[str, list[Any]]:
        """The same, looked for in every row and column."""
        found: dict[str, list[Any]] = {}
        for table in (*self._columns, *self._whole):
            if table not in UNSEEN:
                self._tell(found, table, *(self._all(schema, table) for schema in ("base", "main")))
        return found

    @staticmethod
    def _tell(found: dict[str, list[Any]], table: str, stock: "Counter[Any]", live: "Counter[Any]") -> None:
        for sign, rows in (("-", stock - live), ("+", live - stock)):
            if rows:
                found[f"{sign} {table}"] = list(rows.elements())

    def _touched(self) -> dict[str, list[int]]:
        touched: dict[str, list[int]] = {}
        for table, row in self._live.execute("select * from touched"):
            touched.setdefault(table, []).append(row)
        return touched

    def _rows(self, schema: str, table: str) -> list[Any]:
        """Those of the touched rows that are there, each after its identity."""
        names = ",".join(f'"{name}"' for name in self._columns[table])
        query = f"""select rowid, {names} from {schema}."{table}" where rowid in
            (select "row" from main.touched where "table" = ?)"""
        return self._live.execute(query, (table,)).fetchall()

    def _compared(self, schema: str, table: str) -> "Counter[Any]":
        shown = self._shown[table]
        return Counter(tuple(row[at] for at in shown) for row in self._rows(schema, table))

    def _all(self, schema: str, table: str) -> "Counter[Any]":
        return Counter(self._live.execute(f'select * from {schema}."{table}"').fetchall())

    def ids(self) -> set[str]:
        """Everything in the stock that was made at random."""
        found: set[str] = set()
        for table in self._columns:
            if table not in UNSEEN:
                for row in self._live.execute(f'select * from base."{table}"'):
                    found.update(text for value in row if isinstance(value, str) for text in NEW.findall(value))
        return found

    def close(self) -> None:
        """Give the connections back."""
        self._live.close()
        self._base.close()


class PostgresRows:
    """Rows in PostgreSQL, of which a copy stands in a schema of its own; they can be put back to the stock alone.

    That a table was touched is noted by a trigger of it, and tables that were not touched are not compared.
    """

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
        self._note()

    def _note(self) -> None:
        """Let every statement note the table that it changes; two may note the same, so that none waits for another."""
        self._live.execute("create table stock.touched (name text)")
        self._live.execute(
            """create function stock.note() returns trigger language plpgsql as
            $$ begin insert into stock.touched values (tg_table_name); return null; end $$"""
        )
        for table in self._tables:
            self._live.execute(
                SQL(
                    """create trigger noted after insert or update or delete or truncate on {}
                    for each statement execute function stock.note()"""
                ).format(self._at("public", table))
            )

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
        tables = self._touched()
        with self._live.transaction():
            self._live.execute("set local session_replication_role = replica")  # no trigger asks for what is gone
            for table in tables:
                columns = SQL(",").join(map(Identifier, self._tables[table]))
                parts = {"live": self._at("public", table), "stock": self._at("stock", table), "columns": columns}
                for statement in (
                    "delete from {live} where row({columns})::text not in (select row({columns})::text from {stock})",
                    """insert into {live} ({columns}) overriding system value select {columns} from {stock}
                    where row({columns})::text not in (select row({columns})::text from {live})""",
                ):
                    self._live.execute(SQL(statement).format(**parts))
            for name, (value, called) in self._sequences.items():
                self._live.execute("select setval(%s, %s, %s)", (f'public."{name}"', value, called))
            self._live.execute("delete from stock.touched")
        self._stamps += 1

    def differences(self) -> dict[str, list[Any]]:
        """The rows that the stock does not have (`+ table`) and those that only it has (`- table`)."""
        return self._compared(self._touched())

    def all_differences(self) -> dict[str, list[Any]]:
        """The same, looked for in every table."""
        return self._compared(list(self._tables))

    def _touched(self) -> list[str]:
        return [name for (name,) in self._live.execute("select distinct name from stock.touched order by name")]

    def _compared(self, tables: list[str]) -> dict[str, list[Any]]:
        parts = [
            SQL("(select {}, {}, told from ({} except {}) as rows)").format(
                Literal(sign), Literal(table), self._told(one, table), self._told(other, table)
            )
            for table in tables
            for sign, one, other in (("-", "stock", "public"), ("+", "public", "stock"))
        ]
        found: dict[str, list[Any]] = {}
        if parts:
            for sign, table, told in self._live.execute(SQL(" union all ").join(parts)):
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
