"""What policies make of a query means the same on PostgreSQL, MariaDB and DuckDB."""

import hashlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from decimal import Decimal
from typing import Any, Final

import psycopg
import pymysql
import pytest
from sqlglot import exp

from resolvers.engines.sql_guard import MaskStyle, Policy, Table, guard_sql
from tests.engines.sql_guard.office import TABLES, office, policy
from tests.support.mariadb import NoMariadb, shared_mariadb
from tests.support.needs import missing
from tests.support.postgres import NoPostgres, shared_postgres

Ask = Callable[..., list[tuple[Any, ...]]]

_COLUMNS: Final = {
    "staff": "id int primary key, {name} varchar(40), dept varchar(40), salary int, email varchar(40), born date, "
    "boss_id int",
    "orders": "oid int, staff_id int, amount double precision, placed timestamp null",
    "depts": "dept varchar(40), title varchar(40)",
}


def _relation(table: Table) -> exp.Table:
    return exp.table_(table.name, quoted=True)


def _asking(dialect: str, run: Callable[[str], list[tuple[Any, ...]]]) -> Ask:
    def ask(text: str, *policies: Policy) -> list[tuple[Any, ...]]:
        found = guard_sql(text, dialect=dialect, tables=TABLES, policies=policies, relation=_relation, most_rows=100)
        return [tuple(map(_plain, row)) for row in run(found.query.sql(dialect))]

    return ask


def _plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


def _filled(run: Callable[..., Any], name: str) -> None:
    """The same office as on DuckDB."""
    with closing(office()) as model:
        for table, described in _COLUMNS.items():
            run(f"create table {table} ({described.format(name=name)})")
            for row in model.execute(f"select * from {table}").fetchall():
                run(f"insert into {table} values ({', '.join(['%s'] * len(row))})", row)


def _postgres(closing_: ExitStack) -> Ask:
    server = shared_postgres()
    url = server.create_database()
    closing_.callback(server.drop_database, url)
    connection = closing_.enter_context(psycopg.connect(url, autocommit=True))
    _filled(lambda statement, values=(): connection.execute(statement.encode(), values), '"Name"')
    return _asking("postgres", lambda sent: connection.execute(sent.encode()).fetchall())


def _mysql(closing_: ExitStack) -> Ask:
    server = shared_mariadb()
    connection = pymysql.connect(
        host=server.host, port=server.port, user=server.user, password=server.password, charset="utf8mb4"
    )
    closing_.callback(connection.close)
    schema = f"office_{secrets.token_hex(4)}"

    def run(statement: str, values: tuple[Any, ...] | None = None) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            return list(cursor.fetchall())

    run(f"create database {schema}")
    closing_.callback(run, f"drop database {schema}")
    run(f"use {schema}")
    _filled(run, "Name")
    return _asking("mysql", run)


def _duckdb(closing_: ExitStack) -> Ask:
    connection = closing_.enter_context(closing(office()))
    return _asking("duckdb", lambda sent: connection.execute(sent).fetchall())


@pytest.fixture(scope="module", params=["postgres", "mysql", "duckdb"])
def ask(request: pytest.FixtureRequest) -> Iterator[Ask]:
    made = {"postgres": _postgres, "mysql": _mysql, "duckdb": _duckdb}[request.param]
    with ExitStack() as stack:
        try:
            yield made(stack)
        except (NoPostgres, NoMariadb) as error:
            missing(f"the engine for {request.param} ({error})", "see tests/support/postgres.py and mariadb.py")


D1: Final = policy("row_filter", tables=("staff",), condition="dept = 'd1' and lower(name) <> 'n4'")
PAY: Final = policy("aggregate_only", columns=("staff.salary",), minimum=3)
AMOUNTS: Final = policy("aggregate_only", "amounts", columns=("orders.amount",), minimum=3)
SEVEN: Final = policy("minimum_group_size", tables=("staff",), minimum=7)


@pytest.mark.parametrize(
    ("text", "policies", "expected"),
    [
        ("select count(*) from staff", (D1,), [(6,)]),
        ("select count(*) from orders where staff_id in (select id from staff where salary + 1 > 0)", (D1,), [(24,)]),
        ("select name from staff where exists (select * from orders where staff_id = id) order by salary desc limit 1",
         (D1,), [("n19",)]),
        ("select dept, avg(salary) from staff group by dept order by avg(salary) desc, dept limit 2", (PAY,),
         [("d1", 1100.0), ("d2", 1095.0)]),
        ("select avg(salary) from staff where id = 3", (PAY,), []),
        ("select avg(salary) from staff having avg(salary) > 1", (PAY, D1), [(1110.0,)]),
        ("select avg(s.salary) from staff s join orders o on o.staff_id = s.id", (PAY,), []),
        ("select sum(amount) from orders where oid < 4", (AMOUNTS,), [(9.0,)]),
        ("select sum(amount) from orders where oid < 2", (AMOUNTS,), []),
        ("select dept, count(*) from staff group by dept order by dept", (SEVEN,), [("d0", 7), ("d1", 7)]),
        ("select upper(dept) as u, count(*) from staff group by u having count(*) > 1 order by u", (SEVEN,),
         [("D0", 7), ("D1", 7)]),
        ("select s.id, count(*) from staff s cross join orders o group by s.id", (SEVEN,), []),
        ("select title, (select count(*) from staff s where s.dept = d.dept) from depts d order by 1 limit 3",
         (SEVEN,), [("Title 0", 7), ("Title 1", 7), ("Title 2", None)]),
    ],
)  # fmt: skip
def test_policies_mean_the_same_everywhere(
    text: str, policies: tuple[Policy, ...], expected: list[tuple[Any, ...]], ask: Ask
) -> None:
    assert ask(text, *policies) == expected


@pytest.mark.parametrize(
    ("style", "column", "shown"),
    [
        (MaskStyle.FULL, "email", "****"),
        (MaskStyle.FULL, "salary", None),
        (MaskStyle.FULL, "born", None),
        (MaskStyle.LAST4, "email", "****.com"),
        (MaskStyle.LAST4, "name", "****"),
        (MaskStyle.YEAR, "born", 1980),
        (MaskStyle.YEAR, "email", None),
        (MaskStyle.HASH, "email", hashlib.sha256(b"saltuser3@example.com").hexdigest()),
        (MaskStyle.HASH, "salary", hashlib.sha256(b"salt1030").hexdigest()),
    ],
)
def test_masks_show_the_same_everywhere(style: MaskStyle, column: str, shown: object, ask: Ask) -> None:
    how = policy("mask", columns=(f"staff.{column}",), mask=style, salt="salt" if style is MaskStyle.HASH else "")
    assert ask(f"select {column} as c from staff where id = 3", how) == [(shown,)]
    assert ask(f"select count(*) from staff where {column} is null", how) == [(20 if shown is None else 0,)]


def test_rows_that_are_filtered_out_cannot_be_told_from_an_error(ask: Ask) -> None:
    text = "select count(*) from staff where 1 / (salary - 1030) < 2 and 100 / (id - 3) < 200"
    assert ask(text, D1) == [(6,)]
