"""The catalog of a real PostgreSQL, read whole."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from persistence.connectors.core.base import Connector, ConnectorError, KeyInfo, TableInfo
from tests.persistence.connectors.sql_support import Loopback, opened
from tests.support.postgres import PostgresServer, database_name

LONG = "x" * 62 + "Z"
ODD = "Odd. Name \"q\" 'a' ünï 表 %s %(x)s"

ODD_QUOTED = ODD.replace('"', '""')

SCRIPT = f"""
create schema "Sales.EU";
comment on schema "Sales.EU" is 'What we sell';
create schema empty;
create type mood as enum ('sad', 'happy');
create type place as (street text, zip int);
create domain positive as numeric(12, 3) not null check (value > 0);
create table customers (
    id bigint generated always as identity primary key,
    email citext not null unique,
    name varchar(40) default 'nobody',
    dropped int,
    balance positive default 1,
    rounded numeric(10, -2),
    plain numeric,
    tags text[] not null default '{{}}',
    codes varchar(5)[],
    feeling mood,
    home place,
    span int4range,
    spans int4multirange,
    extra jsonb,
    raw json,
    twice numeric generated always as (rounded * 2) stored,
    born date,
    seen timestamptz(3),
    at timestamp,
    flags bit(4),
    letter char(2),
    photo bytea,
    uid uuid,
    ok boolean not null default false,
    ratio double precision,
    small smallint,
    wait interval,
    addr inet,
    spot point
);
alter table customers drop column dropped;
comment on table customers is 'People who buy';
comment on column customers.email is 'Where we write, é';
create table "Sales.EU".orders (
    customer bigint not null references customers (id),
    number int not null,
    a int, b int,
    primary key (customer, number),
    constraint both_ways unique (b, a)
);
create table lines (
    number int, customer bigint, note text,
    foreign key (customer, number) references "Sales.EU".orders (customer, number)
);
create unique index lines_note on lines (note);
create unique index lines_some on lines (note) where note <> '';
create unique index lines_lower on lines (lower(note));
create table "{ODD_QUOTED}" ("A.b c" int, "ü""x" text);
create table "{LONG}" ("{LONG}" int);
create table nothing ();
create table zzz (x int);
create view "V" as select id, name from customers;
create materialized view mat as select count(*) as n from customers;
create table events (id int not null, day date not null, primary key (id, day)) partition by range (day);
create table events_2024 partition of events for values from ('2024-01-01') to ('2025-01-01');
create table events_2025 partition of events for values from ('2025-01-01') to ('2026-01-01') partition by list (id);
create table events_2025_1 partition of events_2025 for values in (1);
create table pointing (id int, day date, foreign key (id, day) references events (id, day));
insert into events select 1, '2024-01-01'::date + i from generate_series(0, 99) i;
insert into events select 1, '2025-01-01'::date + i from generate_series(0, 49) i;
insert into zzz select generate_series(1, 7);
create foreign data wrapper fdw;
create server elsewhere foreign data wrapper fdw;
create foreign table remote (id int) server elsewhere;
create temporary table fleeting (x int);
create table brought_along (x int);
alter extension plpgsql add table brought_along;
"""


@pytest.fixture(scope="module")
def shop(postgres_server: PostgresServer) -> Iterator[str]:
    """A database with one of everything."""
    url = postgres_server.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        known = connection.execute("select from pg_available_extensions where name = 'citext'").fetchone()
        # Where the server comes without its extensions, a domain of the same name looks just like it.
        connection.execute("create domain citext as text" if known is None else "create extension citext")
        connection.execute(SCRIPT.encode())
        connection.execute("analyze")
        connection.execute("create table fresh (x int)")
        connection.execute("insert into fresh select generate_series(1, 9)")
    yield url
    postgres_server.drop_database(url)


def connector(server: PostgresServer, url: str, **config: Any) -> Connector:
    address = {"host": "db.example", "port": server.port, "database": database_name(url)}
    return opened("postgres", address | config, {"username": server.user, "password": server.password})


def read(server: PostgresServer, url: str, schema: str = "public", **config: Any) -> dict[str, TableInfo]:
    with connector(server, url, **config) as source:
        names = next((s.tables for s in source.schemas() if s.name == schema), ())
        return {table.name: table for table in source.tables(database_name(url), schema, names)}


def test_schemas_come_with_comments_and_without_system_schemas_partitions_and_extensions(
    postgres_server: PostgresServer, shop: str
) -> None:
    with connector(postgres_server, shop) as source:
        schemas = {schema.name: schema for schema in source.schemas()}
    assert list(schemas) == ["Sales.EU", "empty", "public"]
    assert schemas["Sales.EU"].comment == "What we sell"
    assert schemas["Sales.EU"].database == database_name(shop)
    assert schemas["empty"].tables == ()
    assert schemas["public"].tables == tuple(
        sorted(
            [
                *("customers", "events", "fresh", "lines", "mat", "nothing", "pointing", "remote", "zzz", "V"),
                *(LONG, ODD),
            ]
        )
    )


def test_every_kind_of_relation_is_told_apart_with_its_rows_comment_and_definition(
    postgres_server: PostgresServer, shop: str
) -> None:
    tables = read(postgres_server, shop)
    assert list(tables) == sorted(tables)
    assert {name: table.table_type for name, table in tables.items() if table.table_type != "TABLE"} == {
        "V": "VIEW",
        "mat": "MATERIALIZED_VIEW",
        "remote": "EXTERNAL",
    }
    assert tables["zzz"].row_count == 7
    assert tables["events"].row_count == 150  # the sum over the leaves of its partitions
    assert tables["customers"].row_count == 0
    assert tables["fresh"].row_count is None  # never analysed, and not empty
    assert tables["V"].row_count is None
    assert tables["customers"].comment == "People who buy"
    assert tables["zzz"].comment is None
    assert tables["nothing"].columns == ()
    assert "SELECT" in (tables["V"].definition or "")
    assert "public.customers" in (tables["mat"].definition or "")
    assert tables["customers"].definition is None


def test_columns_carry_neutral_type_spelling_sizes_default_and_comment(
    postgres_server: PostgresServer, shop: str
) -> None:
    columns = {column.name: column for column in read(postgres_server, shop)["customers"].columns}
    assert [column.ordinal_position for column in columns.values()] == list(range(1, 29))
    assert {name: (c.data_type, c.data_type_display) for name, c in columns.items()} == {
        "id": ("BIGINT", "bigint"),
        "email": ("TEXT", "public.citext"),
        "name": ("VARCHAR", "character varying(40)"),
        "balance": ("NUMERIC", "public.positive"),
        "rounded": ("NUMERIC", "numeric(10,-2)"),
        "plain": ("NUMERIC", "numeric"),
        "tags": ("ARRAY", "text[]"),
        "codes": ("ARRAY", "character varying(5)[]"),
        "feeling": ("ENUM", "public.mood"),
        "home": ("STRUCT", "public.place"),
        "span": ("RANGE", "int4range"),
        "spans": ("RANGE", "int4multirange"),
        "extra": ("JSON", "jsonb"),
        "raw": ("JSON", "json"),
        "twice": ("NUMERIC", "numeric"),
        "born": ("DATE", "date"),
        "seen": ("TIMESTAMPTZ", "timestamp(3) with time zone"),
        "at": ("TIMESTAMP", "timestamp without time zone"),
        "flags": ("BIT", "bit(4)"),
        "letter": ("CHAR", "character(2)"),
        "photo": ("BINARY", "bytea"),
        "uid": ("UUID", "uuid"),
        "ok": ("BOOLEAN", "boolean"),
        "ratio": ("DOUBLE", "double precision"),
        "small": ("SMALLINT", "smallint"),
        "wait": ("INTERVAL", "interval"),
        "addr": ("INET", "inet"),
        "spot": ("GEOMETRY", "point"),
    }
    sizes = {name: (c.precision, c.scale, c.data_length) for name, c in columns.items()}
    assert sizes["name"] == (None, None, 40)
    assert sizes["balance"] == (12, 3, None)
    assert sizes["rounded"] == (10, -2, None)
    assert sizes["plain"] == sizes["id"] == sizes["tags"] == (None, None, None)
    assert sizes["codes"] == (None, None, 5)
    assert sizes["letter"] == (None, None, 2)
    assert sizes["seen"] == (3, None, None)
    nullable = {name for name, column in columns.items() if column.nullable}
    assert {"id", "email", "tags", "ok", "balance"}.isdisjoint(nullable)
    assert "name" in nullable
    defaults = {name: column.default for name, column in columns.items() if column.default}
    assert defaults == {
        "id": "generated always as identity",
        "name": "'nobody'::character varying",
        "balance": "1",
        "tags": "'{}'::text[]",
        "twice": "generated always as (rounded * (2)::numeric)",
        "ok": "false",
    }
    assert columns["email"].comment == "Where we write, é"


def test_keys_keep_the_order_of_their_columns_and_cross_schemas(postgres_server: PostgresServer, shop: str) -> None:
    tables = read(postgres_server, shop)
    orders = read(postgres_server, shop, "Sales.EU")["orders"]
    assert [(key.kind, key.columns) for key in tables["customers"].keys] == [
        ("PRIMARY_KEY", ("id",)),
        ("UNIQUE", ("email",)),
    ]
    assert orders.keys == (
        KeyInfo("PRIMARY_KEY", "orders_pkey", ("customer", "number")),
        KeyInfo("UNIQUE", "both_ways", ("b", "a")),
        KeyInfo("FOREIGN_KEY", "orders_customer_fkey", ("customer",), "public", "customers", ("id",)),
    )
    assert tables["lines"].keys == (
        KeyInfo("UNIQUE", "lines_note", ("note",)),
        KeyInfo(
            "FOREIGN_KEY",
            "lines_customer_number_fkey",
            ("customer", "number"),
            "Sales.EU",
            "orders",
            ("customer", "number"),
        ),
    )
    # A key to or from a partitioned table shows once, not once for each partition.
    assert [key.kind for key in tables["events"].keys] == ["PRIMARY_KEY"]
    assert [(key.kind, key.target_table) for key in tables["pointing"].keys] == [("FOREIGN_KEY", "events")]


def test_odd_names_are_read_as_they_are(postgres_server: PostgresServer, shop: str) -> None:
    tables = read(postgres_server, shop)
    assert [column.name for column in tables[ODD].columns] == ["A.b c", 'ü"x']
    assert [column.name for column in tables[LONG].columns] == [LONG]


def test_the_selection_is_exact_and_an_empty_list_means_the_whole_schema(
    postgres_server: PostgresServer, shop: str
) -> None:
    def selected(*schemas: dict[str, Any]) -> dict[str, tuple[str, ...]]:
        chosen = [{"database_name": database_name(shop), "schemas": list(schemas)}]
        with connector(postgres_server, shop, selected_tables=chosen) as source:
            return {schema.name: schema.tables for schema in source.schemas()}

    assert selected({"schema_name": "public", "tables": ["zzz", "CUSTOMERS"], "views": ["V"]}) == {
        "public": ("V", "zzz")
    }
    assert selected({"schema_name": "Sales.EU"}) == {"Sales.EU": ("orders",)}
    assert selected({"schema_name": "sales.eu"}) == {}
    assert len(selected()) == 3
    with connector(postgres_server, shop, db_schema="empty") as source:
        assert [schema.name for schema in source.schemas()] == ["empty"]
    chosen = [{"database_name": database_name(shop), "schemas": [{"schema_name": "public", "tables": ["zzz"]}]}]
    with connector(postgres_server, shop, selected_tables=chosen) as source:
        asked = ["zzz", "customers"]  # not even by asking for it does one get more than the selection
        assert [t.name for t in source.tables(database_name(shop), "public", asked)] == ["zzz"]


def test_verification_counts_and_names_what_is_missing(postgres_server: PostgresServer, shop: str) -> None:
    database = database_name(shop)
    schemas = [{"schema_name": "public", "tables": ["zzz", "gone"]}, {"schema_name": "nowhere"}]
    chosen = [{"database_name": database, "schemas": schemas}]
    with connector(postgres_server, shop, selected_tables=chosen) as source:
        found = source.verify()
    assert found.details["server_version"].startswith("PostgreSQL ")
    assert (found.details["schemas"], found.details["tables"]) == (1, 1)
    assert found.details["missing"] == [f"{database}.nowhere", f"{database}.public.gone"]
    lost = [{"database_name": database, "schemas": [{"schema_name": "nowhere"}]}]
    with connector(postgres_server, shop, selected_tables=lost) as source, pytest.raises(ConnectorError) as raised:
        source.verify()
    assert raised.value.kind == "not_found"
    assert f"{database}.nowhere" in raised.value.reason


def test_a_table_that_vanished_is_left_out_and_other_databases_hold_nothing(
    postgres_server: PostgresServer, shop: str
) -> None:
    with connector(postgres_server, shop) as source:
        assert [t.name for t in source.tables(database_name(shop), "public", ["gone", "zzz", "gone"])] == ["zzz"]
        assert list(source.tables(database_name(shop), "public", [])) == []
        assert list(source.tables("template1", "public", ["zzz"])) == []
        assert list(source.tables(database_name(shop), "pg_catalog", ["pg_class"])) == []


def test_the_session_is_read_only_and_limited(postgres_server: PostgresServer, shop: str) -> None:
    with connector(postgres_server, shop) as source:
        show = (
            "select current_setting('default_transaction_read_only'), current_setting('statement_timeout'),"
            " current_setting('lock_timeout'), current_setting('application_name')"
        )
        assert source._rows(show, {}) == [("on", "20s", "10s", "stoa")]  # type: ignore[attr-defined]
        with pytest.raises(ConnectorError) as raised:
            source._rows("create table public.mine (x int) ", {})  # type: ignore[attr-defined]
    assert "read-only" in raised.value.reason
    with connector(postgres_server, shop) as source:
        source.settings = type(source.settings)(statement_timeout=0.2)  # type: ignore[attr-defined]
        with pytest.raises(ConnectorError) as raised:
            source._rows("select pg_sleep(5)", {})  # type: ignore[attr-defined]
    assert raised.value.kind == "timeout"


def test_the_number_of_statements_does_not_grow_with_the_tables(
    postgres_server: PostgresServer, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = "".join(f"create table t{i} (a int primary key, b text);" for i in range(300))
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(tables.encode())
    sent: list[str] = []
    execute, stream = psycopg.Cursor.execute, psycopg.Cursor.stream

    def counted_execute(self: Any, query: Any, *args: Any, **named: Any) -> Any:
        sent.append(query)
        return execute(self, query, *args, **named)

    def counted_stream(self: Any, query: Any, *args: Any, **named: Any) -> Any:
        sent.append(query)
        return stream(self, query, *args, **named)

    monkeypatch.setattr(psycopg.Cursor, "execute", counted_execute)
    monkeypatch.setattr(psycopg.Cursor, "stream", counted_stream)
    with connector(postgres_server, postgres_url) as source:
        (schema,) = source.schemas()
        one = len(sent)
        assert len(list(source.tables(schema.database, schema.name, schema.tables[:1]))) == 1
        few, sent[:] = len(sent) - one, []
        read = list(source.tables(schema.database, schema.name, schema.tables))
        assert len(read) == 300
        assert all(len(table.columns) == 2 and len(table.keys) == 1 for table in read)
        assert len(sent) == few == 3


def test_tables_stream_and_may_be_abandoned_halfway(postgres_server: PostgresServer, shop: str) -> None:
    with connector(postgres_server, shop) as source:
        names = next(s.tables for s in source.schemas() if s.name == "public")
        some = source.tables(database_name(shop), "public", names)
        next(some)
        some.close()  # type: ignore[attr-defined]
        assert len(source.schemas()) == 3  # the connection is still good
    assert [s.name for s in source.schemas()][:1] == ["Sales.EU"]  # and comes back after a close
    source.close()
    source.close()


def test_what_the_user_may_not_read_is_not_shown(postgres_server: PostgresServer, postgres_url: str) -> None:
    role = f"reader_{database_name(postgres_url)}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            f"create role {role} login password 'reader-password';"
            "create table open (x int); create table closed (x int); create table partly (x int, y int);"
            "create schema private; create table private.t (x int);".encode()
        )
        try:
            config = {"host": "h", "port": postgres_server.port, "database": database_name(postgres_url)}
            with opened("postgres", config, {"user": role, "password": "reader-password"}) as source:
                with pytest.raises(ConnectorError) as raised:
                    source.verify()
                assert raised.value.kind == "permission"
                assert "SELECT" in raised.value.reason
                connection.execute(f"grant select on open to {role}; grant select (y) on partly to {role}".encode())
                assert [(s.name, s.tables) for s in source.schemas()] == [("public", ("open", "partly"))]
                assert source.verify().details["tables"] == 2
        finally:
            connection.execute(f"drop owned by {role}; drop role {role}".encode())


def test_the_connection_goes_to_the_vetted_address_and_not_to_the_name(
    postgres_server: PostgresServer, shop: str
) -> None:
    policy = Loopback()
    config = {"host": "localhost.invalid", "port": postgres_server.port, "database": database_name(shop)}
    credentials = {"username": postgres_server.user, "password": postgres_server.password}
    with opened("postgres", config, credentials, outbound=policy) as source:
        assert policy.asked == []
        source.verify()
    assert policy.asked == [("localhost.invalid", postgres_server.port)]
