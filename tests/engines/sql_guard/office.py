"""A small office on DuckDB, in variants that differ only where a test says so."""

from typing import Any, Final

import duckdb
from sqlglot import exp

from resolvers.engines.sql_guard import Broken, Effect, GuardedQuery, MaskStyle, Policy, QueryRefused, Table, guard_sql

STAFF: Final = Table(
    "s.memory.main.staff",
    "memory",
    "main",
    "staff",
    ("id", "Name", "dept", "salary", "email", "born", "boss_id"),
    ("INTEGER", "VARCHAR", "VARCHAR", "INTEGER", "VARCHAR", "DATE", "INTEGER"),
    ((), (), (), (), ("PII.Email",), (), ()),
    (),
    "id",
)
ORDERS: Final = Table(
    "s.memory.main.orders",
    "memory",
    "main",
    "orders",
    ("oid", "staff_id", "amount", "placed"),
    ("INTEGER", "INTEGER", "DOUBLE", "TIMESTAMP"),
)
DEPTS: Final = Table("s.memory.main.depts", "memory", "main", "depts", ("dept", "title"), ("VARCHAR", "VARCHAR"))
TABLES: Final = (STAFF, ORDERS, DEPTS)


def office() -> duckdb.DuckDBPyConnection:
    """Twenty people in three departments of seven, seven and six, a hundred orders, five departments."""
    connection = duckdb.connect()
    connection.execute(
        """create table staff as select i as id, 'n'||i as "Name", 'd'||(i%3) as dept, 1000+i*10 as salary,
        'user'||i||'@example.com' as email, date '1980-01-01'+cast(i as int) as born,
        case when i>0 then i//2 end as boss_id from range(20) t(i)"""
    )
    connection.execute(
        """create table orders as select i as oid, i%25 as staff_id, i*1.5 as amount,
        timestamp '2020-01-01' + interval (i) day as placed from range(100) t(i)"""
    )
    connection.execute("create table depts as select 'd'||i as dept, 'Title '||i as title from range(5) t(i)")
    return connection


def policy(effect: str, name: str = "", **how: Any) -> Policy:
    """A policy of an effect, with an id that says which."""
    return Policy(id=name or effect, name=name or effect, effect=Effect(effect), **how)


def guarded(text: str, *policies: Policy | Broken, dialect: str = "duckdb", **how: Any) -> GuardedQuery:
    """The guard's verdict on a text, over the tables of the office."""
    return guard_sql(text, dialect=dialect, tables=TABLES, policies=policies, **how)


def rows(connection: duckdb.DuckDBPyConnection, text: str, *policies: Policy | Broken, **how: Any) -> list[Any]:
    """The rows that a guarded text answers with."""
    return connection.execute(guarded(text, *policies, **how).query.sql("duckdb")).fetchall()


def refusal(text: str, *policies: Policy | Broken, **how: Any) -> str:
    """The rule that refuses a text; an empty text when none does."""
    try:
        guarded(text, *policies, **how)
    except QueryRefused as refused:
        return refused.rule
    return ""


def nodes(query: exp.Query, kind: type[exp.Expr]) -> list[Any]:
    """The nodes of a kind in a query."""
    return list(query.find_all(kind))


__all__ = ["DEPTS", "ORDERS", "STAFF", "TABLES", "MaskStyle", "guarded", "nodes", "office", "policy", "refusal", "rows"]
