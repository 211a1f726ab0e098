"""A small school and a small shop in DuckDB, as the catalog knows them, for plans that are written and run."""

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import sqlglot
from sqlglot import exp

from resolvers.engines.nl2sql.joining.joins import joins_of
from resolvers.engines.nl2sql.model import Knowledge
from resolvers.engines.nl2sql.plan import Plan
from resolvers.engines.nl2sql.sql_writing.query import written
from schema.data_readiness.source import ColumnFacts, TableFacts

DIALECTS = ("duckdb", "postgres", "mysql", "snowflake", "bigquery", "sqlite")


def fqn(table: str) -> str:
    """The FQN of a table of the tests."""
    return f"svc.db.main.{table}"


def table(
    name: str,
    columns: str,
    *,
    key: Sequence[str] = (),
    refers: Mapping[str, str] | None = None,
    keys: Sequence[dict[str, Any]] = (),
    schema: str = "main",
) -> TableFacts:
    """A table of `name TYPE` columns; `!` behind a type says that it is never null; `refers` maps columns to t.c."""
    facts = []
    for at, said in enumerate(columns.split(", "), 1):
        column, kind = said.split(" ", 1)
        target = (refers or {}).get(column)
        references = (fqn(target.split(".")[0]), target.split(".")[1]) if target else None
        facts.append(
            ColumnFacts(
                fqn=f"svc.db.{schema}.{name}.{column}",
                name=column,
                ordinal_position=at,
                data_type=kind.rstrip("!"),
                nullable=not kind.endswith("!") and column not in key,
                is_primary_key=column in key,
                references=references,
            )
        )
    primary = [{"type": "PRIMARY_KEY", "columns": list(key)}] if key else []
    return TableFacts(
        fqn=f"svc.db.{schema}.{name}",
        resource_uri="connection:1",
        database="db",
        schema=schema,
        name=name,
        columns=tuple(facts),
        keys=(*primary, *keys),
    )


TABLES = (
    table("customer", "id INTEGER!, name VARCHAR!, city VARCHAR, active BOOLEAN, born DATE", key=["id"]),
    table(
        "orders",
        "id INTEGER!, customer_id INTEGER, placed TIMESTAMP, total DECIMAL, note VARCHAR",
        key=["id"],
        refers={"customer_id": "customer.id"},
    ),
    table(
        "line",
        "order_id INTEGER!, product_id INTEGER!, amount INTEGER",
        key=["order_id", "product_id"],
        refers={"order_id": "orders.id", "product_id": "product.id"},
    ),
    table("product", "id INTEGER!, title VARCHAR!, price DOUBLE, code VARCHAR", key=["id"]),
    table(
        "employee",
        "id INTEGER!, name VARCHAR, manager_id INTEGER, pay INTEGER, since VARCHAR",
        key=["id"],
        refers={"manager_id": "employee.id"},
    ),
)

ROWS = """
CREATE TABLE customer(id INTEGER, name VARCHAR, city VARCHAR, active BOOLEAN, born DATE);
INSERT INTO customer VALUES (1, 'Ann', 'Oslo', true, '1990-05-01'), (2, 'Bob', 'Rome', false, '1985-01-31'),
  (3, 'Ann', 'Rome', true, NULL), (4, 'Cid', NULL, NULL, '1985-01-31');
CREATE TABLE orders(id INTEGER, customer_id INTEGER, placed TIMESTAMP, total DECIMAL(10, 2), note VARCHAR);
INSERT INTO orders VALUES (1, 1, '2020-01-31 23:30:00', 10.00, 'x'), (2, 1, '2020-02-01 00:00:00', 20.00, NULL),
  (3, 2, '2021-03-05 12:00:00', 5.50, '7'), (4, 3, '2021-12-31 08:00:00', 10.00, '12');
CREATE TABLE line(order_id INTEGER, product_id INTEGER, amount INTEGER);
INSERT INTO line VALUES (1, 1, 2), (1, 2, 1), (2, 1, 4), (3, 2, 1), (4, 1, 1), (4, 3, 5);
CREATE TABLE product(id INTEGER, title VARCHAR, price DOUBLE, code VARCHAR);
INSERT INTO product VALUES (1, 'Tea', 2.5, '100'), (2, 'Jam', 4.0, '20'), (3, 'Oil', NULL, '3'), (4, 'Rye', 4.0, '4');
CREATE TABLE employee(id INTEGER, name VARCHAR, manager_id INTEGER, pay INTEGER, since VARCHAR);
INSERT INTO employee VALUES (1, 'Eve', NULL, 90, '2010-02-03'), (2, 'Dan', 1, 50, '2012-07-01'),
  (3, 'Fay', 1, 95, '2012-11-30'), (4, 'Gus', 2, 40, '2015-01-01');
"""


def known(*tables: TableFacts, dialect: str = "duckdb", **more: Any) -> Knowledge:
    """Knowledge of tables, of the shop's when none are given."""
    return Knowledge(tables=tables or TABLES, dialect=dialect, **more)


def sql(plan: Plan, knowledge: Knowledge | None = None) -> str:
    """The text of a plan, in the dialect of the knowledge."""
    knowledge = knowledge or known()
    return written(plan, knowledge, joins_of(knowledge)).sql(dialect=knowledge.dialect)


def rows(plan: Plan, knowledge: Knowledge | None = None, setup: str = ROWS) -> list[tuple[Any, ...]]:
    """The rows that DuckDB answers with. What is written parses again as one query in every other dialect."""
    knowledge = knowledge or known()
    for dialect in DIALECTS:
        other = Knowledge(tables=knowledge.tables, profiles=knowledge.profiles, dialect=dialect)
        try:
            text = sql(plan, other)
        except Exception:
            if dialect == "sqlite":
                continue
            raise
        again = sqlglot.parse_one(text, dialect=dialect)
        assert isinstance(again, exp.Query), text
    database = duckdb.connect(":memory:")
    try:
        database.execute(setup)
        return database.execute(sql(plan, knowledge)).fetchall()
    finally:
        database.close()


def ordered(found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows in an order of their own."""
    return sorted(found, key=lambda row: [(one is None, str(one)) for one in row])


def answer(plan: Plan, **more: Any) -> list[tuple[Any, ...]]:
    """The rows of a plan, in the plan's order, or in one of their own when it has none."""
    found = rows(plan, **more)
    return found if plan.orders else ordered(found)
