"""A database of PostgreSQL to read from: its tables, a connection to it, and what tests of reading share."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import sqlglot
from sqlglot import exp

from persistence.connectors.core.base import Connector
from persistence.samples.postgres import database_name
from tests.persistence.connectors.sql_support import opened
from tests.support.postgres import PostgresServer

Database = tuple[PostgresServer, str, str]
"""The server, the name of the database, and its URL."""

ROWS = 120_000

SCHEMA = f"""
    create schema other;
    create table small (
        id int primary key, name text, amount numeric(10, 2), "Odd ""Name" date, doc jsonb, tags text[]
    );
    insert into small values
        (1, 'Ada', 1.50, '2024-02-29', '{{"a": [1]}}', array['x', 'y']),
        (2, null, null, 'infinity', null, null),
        (3, 'it''s \\ 100%', -3.25, '0044-03-15 BC', '[]', '{{}}');
    create table large as
        select i as id, 'name ' || i as name, case when i % 10 = 0 then null else i / 4.0 end as amount
        from generate_series(1, {ROWS}) i;
    create table parted (id int, year int) partition by list (year);
    create table parted_1 partition of parted for values in (1);
    create table parted_2 partition of parted for values in (2);
    insert into parted select i, i % 2 + 1 from generate_series(1, 40000) i;
    create view seen as select id, name from large;
    create table other.hidden (id int);
    insert into other.hidden values (7);
    analyze;
"""


@contextmanager
def read_from(postgres_server: PostgresServer) -> Iterator[Database]:
    """A server, the name of a database on it with the tables above, and the database's URL."""
    url = postgres_server.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(SCHEMA)
    yield postgres_server, database_name(url), url
    postgres_server.drop_database(url)


def connector(database: Database, *, selected: list[dict[str, Any]] | None = None, **settings: Any) -> Connector:
    server, name, _ = database
    config = {"host": server.host, "port": server.port, "database": name, "selected_tables": selected or []}
    return opened("postgres", config, {"username": server.user, "password": server.password}, **settings)


@contextmanager
def source(database: Database, **options: Any) -> Iterator[Any]:
    with connector(database, **options) as opened_one, opened_one.source() as reading:
        yield reading


def parsed(text: str) -> Any:
    return sqlglot.parse_one(text, dialect="duckdb")


def everything(table: exp.Table) -> exp.Select:
    return exp.select("*").from_(table)


def running(url: str, words: str) -> int:
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(
            "select count(*) from pg_stat_activity"
            " where backend_type = 'client backend' and state = 'active' and query like %s and pid <> pg_backend_pid()",
            [f"%{words}%"],
        ).fetchone()
    return int(row[0]) if row else 0


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.05)


ENDLESS = 'select count(*) as "{0}" from "public"."large" a join "public"."large" b on a.id + b.id < 0'


def cancel(opened_one: Connector, thread: threading.Thread) -> None:
    """Cancel until the thread has ended, as the gateway does."""
    for _ in range(100):
        opened_one.cancel()
        thread.join(0.3)
        if not thread.is_alive():
            return
    raise AssertionError("it goes on")
