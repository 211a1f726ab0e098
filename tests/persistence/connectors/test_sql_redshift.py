"""The Redshift connector over a real wire: a PostgreSQL with stand-ins for the views that only Redshift has."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from persistence.connectors.core.base import Connector, ConnectorError, KeyInfo
from tests.persistence.connectors.sql_support import opened
from tests.support.postgres import PostgresServer, database_name

STAND_INS = """
create view svv_tables as
    select table_catalog, table_schema, table_name, table_type,
           obj_description(format('%I.%I', table_schema, table_name)::regclass) as remarks
    from information_schema.tables
    union all select current_database(), 'lake', 'clicks', 'EXTERNAL TABLE', null
    union all select current_database(), 'shop', 'daily', 'VIEW', null;
create view svv_columns as
    select table_schema, table_name, column_name, ordinal_position, data_type, character_maximum_length,
           numeric_precision, numeric_scale, is_nullable, column_default,
           col_description(format('%I.%I', table_schema, table_name)::regclass, ordinal_position) as remarks
    from information_schema.columns
    union all select 'lake', 'clicks', 'payload', 1, 'super', null, null, null, '', null, null;
create view svv_mv_info as
    select current_database()::char(128) as database_name, 'shop'::char(128) as schema_name, 'daily'::char(128) as name;
create view svv_table_info as select 'shop'::text as "schema", 'orders'::text as "table", 42::numeric as tbl_rows;
create schema lake;
create schema shop;
comment on schema shop is 'What we sell';
create table shop.customers (id int primary key, name varchar(40) not null default 'x');
create table shop.orders (
    number int, customer int references shop.customers (id), total numeric(18, 2), at timestamptz,
    primary key (customer, number), unique (number, total)
);
create table shop.lines (n int, c int, foreign key (c, n) references shop.orders (customer, number));
create table shop.mv_tbl__daily__0 (x int);
comment on table shop.orders is 'Bought';
comment on column shop.orders.total is 'With tax';
create view shop.names as select name from shop.customers;
"""


@pytest.fixture(scope="module")
def warehouse(postgres_server: PostgresServer) -> Iterator[str]:
    url = postgres_server.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(STAND_INS.encode())
    yield url
    postgres_server.drop_database(url)


def connector(server: PostgresServer, url: str, **config: Any) -> Connector:
    address = {"host": "db.example", "port": server.port, "database": database_name(url)}
    return opened("redshift", address | config, {"username": server.user, "password": server.password})


def test_the_warehouse_is_read_whole(postgres_server: PostgresServer, warehouse: str) -> None:
    with connector(postgres_server, warehouse) as source:
        schemas = {schema.name: schema for schema in source.schemas()}
        assert set(schemas) == {"lake", "public", "shop"}
        assert schemas["shop"].comment == "What we sell"
        assert schemas["shop"].tables == ("customers", "daily", "lines", "names", "orders")
        tables = {t.name: t for t in source.tables(database_name(warehouse), "shop", schemas["shop"].tables)}
        (clicks,) = source.tables(database_name(warehouse), "lake", ["clicks", "gone"])
    orders = tables["orders"]
    assert (orders.table_type, orders.comment, orders.row_count) == ("TABLE", "Bought", 42)
    assert [(c.name, c.data_type, c.data_type_display, c.comment) for c in orders.columns] == [
        ("number", "INTEGER", "integer", None),
        ("customer", "INTEGER", "integer", None),
        ("total", "NUMERIC", "numeric(18,2)", "With tax"),
        ("at", "TIMESTAMPTZ", "timestamp with time zone", None),
    ]
    assert (orders.columns[2].precision, orders.columns[2].scale) == (18, 2)
    assert [column.nullable for column in orders.columns] == [False, False, True, True]
    assert [(key.kind, key.columns) for key in orders.keys] == [
        ("PRIMARY_KEY", ("customer", "number")),
        ("UNIQUE", ("number", "total")),
        ("FOREIGN_KEY", ("customer",)),
    ]
    assert tables["lines"].keys == (
        KeyInfo("FOREIGN_KEY", "lines_c_n_fkey", ("c", "n"), "shop", "orders", ("customer", "number")),
    )
    assert tables["names"].table_type == "VIEW"
    assert "customers" in (tables["names"].definition or "")
    assert tables["daily"].table_type == "MATERIALIZED_VIEW"
    assert tables["daily"].columns == ()
    assert (clicks.table_type, clicks.columns[0].data_type, clicks.columns[0].nullable) == ("EXTERNAL", "JSON", None)


def test_every_statement_runs_in_a_read_only_transaction(postgres_server: PostgresServer, warehouse: str) -> None:
    with connector(postgres_server, warehouse) as source:
        assert source._rows("show transaction_read_only", {}) == [("on",)]  # type: ignore[attr-defined]
        assert source._rows("show statement_timeout", {}) == [("20s",)]  # type: ignore[attr-defined]
        with pytest.raises(ConnectorError):
            source._rows("create table t (x int)", {})  # type: ignore[attr-defined]
        assert source.schemas()  # and the connection is still good


def test_verification_selects_and_counts(postgres_server: PostgresServer, warehouse: str) -> None:
    chosen = [{"database_name": database_name(warehouse), "schemas": [{"schema_name": "shop", "tables": ["orders"]}]}]
    with connector(postgres_server, warehouse, selected_tables=chosen) as source:
        found = source.verify()
    assert found.details["tables"] == 1
    assert found.message.startswith("Connected to Redshift")
