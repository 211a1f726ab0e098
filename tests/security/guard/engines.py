"""The three real engines, each with the shop on it, and a reader with no more rights than reading.

The reader may read every table, also those that the guard must keep from it: the guard has to hold alone.
"""

import hashlib
import secrets
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import duckdb
import psycopg
import pymysql

from tests.security.guard.ground import columns, rows
from tests.support.mariadb import shared_mariadb
from tests.support.postgres import shared_postgres

SECONDS: Final = 2.0
"""How long one statement may take."""

_SCHEMAS: Final = ("sales", "vault")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one statement: its rows, or the error that it ended with."""

    rows: tuple[str, ...] = ()
    error: str | None = None
    late: bool = False

    @property
    def text(self) -> str:
        """All that a reader gets to see of it."""
        return "\n".join((*self.rows, self.error or ""))


class Engine(ABC):
    """One engine with the shop on it."""

    dialect: str
    types: dict[str, str]

    def __init__(self) -> None:
        for schema in _SCHEMAS:
            self.change(f"create schema {schema}")
        for table, described in columns().items():
            held = ", ".join(f"{name} {self.types[kind]}" + " primary key" * (name == "id") for name, kind in described)
            self.change(f"create table {table} ({held})")

    def load(self, variant: str) -> None:
        """Fill every table anew, so that both variants lie alike."""
        for table, described in columns().items():
            self.change(f"truncate table {table}")
            marks = ", ".join(self.mark for _ in described)
            self.insert(f"insert into {table} values ({marks})", rows(table, variant))

    def sums(self) -> str:
        """A checksum over what stands in the database: its objects, and the rows of every table."""
        found = [repr(self.seen(self.objects))]
        found += [repr(self.seen(f"select * from {table}")) for table in columns()]
        return hashlib.sha256("\n".join(found).encode()).hexdigest()

    mark = "%s"
    objects: str

    @abstractmethod
    def change(self, statement: str) -> None:
        """Run a statement as the owner."""

    @abstractmethod
    def insert(self, statement: str, values: Sequence[tuple[Any, ...]]) -> None:
        """Run an insert for many rows as the owner."""

    @abstractmethod
    def seen(self, query: str) -> list[Any]:
        """The rows of a query as the owner."""

    @abstractmethod
    def run(self, statement: str) -> Outcome:
        """Run a statement as the reader."""

    @abstractmethod
    def close(self) -> None:
        """Take the shop away."""


class Postgres(Engine):
    dialect = "postgres"
    types = {"int": "integer", "text": "text", "number": "numeric(12, 2)", "date": "date"}
    objects = (
        "select n.nspname, c.relname, c.relkind::text from pg_class c join pg_namespace n on n.oid = c.relnamespace"
        " where n.nspname not like 'pg_%' and n.nspname <> 'information_schema'"
        " union all select 'role', rolname, '' from pg_roles union all select 'function', proname, prosrc from pg_proc"
        " where pronamespace = 'sales'::regnamespace union all select 'large', oid::text, '' from"
        " pg_largeobject_metadata union all select 'extension', extname, '' from pg_extension order by 1, 2, 3"
    )

    def __init__(self) -> None:
        self._server = shared_postgres()
        self._url = self._server.create_database()
        self._role = f"reader_{secrets.token_hex(4)}"
        self._owner = psycopg.connect(self._url, autocommit=True)
        super().__init__()
        for table in columns():
            self.change(f"alter table {table} set (autovacuum_enabled = false)")
        self.change(f"create role {self._role} login password 'reader'")
        self.change(f"grant usage on schema sales, vault to {self._role}")
        self.change(f"grant select on all tables in schema sales, vault to {self._role}")
        self._reader = psycopg.connect(
            self._url,
            autocommit=True,
            user=self._role,
            password="reader",
            options=f"-c default_transaction_read_only=on -c statement_timeout={int(SECONDS * 1000)} "
            "-c search_path=sales -c jit=off",
        )
        self._reader.prepare_threshold = None

    def change(self, statement: str) -> None:
        self._owner.execute(statement.encode())

    def insert(self, statement: str, values: Sequence[tuple[Any, ...]]) -> None:
        with self._owner.cursor() as cursor:
            cursor.executemany(statement.encode(), values)

    def seen(self, query: str) -> list[Any]:
        return self._owner.execute(query.encode()).fetchall()

    def run(self, statement: str) -> Outcome:
        try:
            found = self._reader.execute(statement.encode())
            return Outcome(tuple(map(repr, found.fetchall() if found.description else [])))
        except psycopg.errors.QueryCanceled:
            return Outcome(late=True)
        except psycopg.Error as error:
            return Outcome(error=str(error))

    def close(self) -> None:
        self._reader.close()
        self._owner.close()
        self._server.drop_database(self._url)
        self._server.execute(f"drop role {self._role}")


class Mysql(Engine):
    dialect = "mysql"
    types = {"int": "bigint", "text": "varchar(200)", "number": "decimal(12, 2)", "date": "date"}
    objects = (
        "select table_schema, table_name, table_type from information_schema.tables where table_schema in"
        " ('sales', 'vault', 'mysql') union all select 'routine', routine_name, routine_type from"
        " information_schema.routines where routine_schema in ('sales', 'vault') union all"
        " select 'schema', schema_name, '' from information_schema.schemata order by 1, 2, 3"
    )

    def __init__(self) -> None:
        server = shared_mariadb()
        address: dict[str, Any] = {"host": server.host, "port": server.port, "charset": "utf8mb4", "autocommit": True}
        self._user = f"reader_{secrets.token_hex(4)}"
        self._owner = pymysql.connect(user=server.user, password=server.password, **address)
        for schema in _SCHEMAS:
            self.change(f"drop database if exists {schema}")
        super().__init__()
        self.change(f"create user {self._user}@'%' identified by 'reader'")
        for schema in _SCHEMAS:
            self.change(f"grant select on {schema}.* to {self._user}@'%'")
        self._reader = pymysql.connect(user=self._user, password="reader", database="sales", **address)
        self.run(f"set session sql_mode = '', max_statement_time = {SECONDS}, transaction_read_only = 1")

    def change(self, statement: str) -> None:
        with self._owner.cursor() as cursor:
            cursor.execute(statement)

    def insert(self, statement: str, values: Sequence[tuple[Any, ...]]) -> None:
        with self._owner.cursor() as cursor:
            cursor.executemany(statement, values)

    def seen(self, query: str) -> list[Any]:
        with self._owner.cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())

    def run(self, statement: str) -> Outcome:
        try:
            with self._reader.cursor() as cursor:
                cursor.execute(statement)
                return Outcome(tuple(map(repr, cursor.fetchall())))
        except pymysql.MySQLError as error:
            if error.args and error.args[0] == 1969:  # max_statement_time exceeded
                return Outcome(late=True)
            return Outcome(error=str(error))

    def close(self) -> None:
        self._reader.close()
        for schema in _SCHEMAS:
            self.change(f"drop database {schema}")
        self.change(f"drop user {self._user}@'%'")
        self._owner.close()


class Duck(Engine):
    dialect = "duckdb"
    mark = "?"
    types = {"int": "integer", "text": "varchar", "number": "decimal(12, 2)", "date": "date"}
    objects = (
        "select table_schema, table_name, table_type from information_schema.tables union all"
        " select 'database', database_name, '' from duckdb_databases() where not internal union all"
        " select 'view', view_name, '' from duckdb_views() where not internal order by 1, 2, 3"
    )

    def __init__(self) -> None:
        self._owner = duckdb.connect(":memory:")
        super().__init__()
        for statement in (
            "set threads = 1",
            "set memory_limit = '512MB'",
            "set enable_external_access = false",
            "set lock_configuration = true",
        ):
            self.change(statement)
        self._reader = self._owner.cursor()
        self._reader.execute("use sales")

    def change(self, statement: str) -> None:
        self._owner.execute(statement)

    def insert(self, statement: str, values: Sequence[tuple[Any, ...]]) -> None:
        self._owner.executemany(statement, values)

    def seen(self, query: str) -> list[Any]:
        return self._owner.execute(query).fetchall()

    def run(self, statement: str) -> Outcome:
        timer = threading.Timer(SECONDS, self._reader.interrupt)
        timer.daemon = True
        timer.start()
        try:
            return Outcome(tuple(map(repr, self._reader.execute(statement).fetchall())))
        except duckdb.InterruptException:
            return Outcome(late=True)
        except duckdb.Error as error:
            return Outcome(error=str(error))
        finally:
            timer.cancel()

    def close(self) -> None:
        self._reader.close()
        self._owner.close()


_KINDS: Final = {kind.dialect: kind for kind in (Postgres, Mysql, Duck)}


@contextmanager
def engine(dialect: str) -> Iterator[Engine]:
    """An engine with the first variant of the shop on it. Raises NoPostgres or NoMariadb where there is none."""
    made = _KINDS[dialect]()
    try:
        made.load("a")
        yield made
    finally:
        made.close()
