"""The databases of a real MariaDB, read whole."""

from collections.abc import Iterator
from typing import Any

import pytest

from persistence.connectors.core.base import Connector, ConnectorError, KeyInfo, TableInfo
from persistence.connectors.mysql.catalog import neutral_type
from persistence.connectors.mysql.connector import MysqlConnector
from tests.persistence.connectors.sql_support import Loopback, opened
from tests.support.mariadb import MariadbServer

ODD = "Odd. \"q\" 'a' ünï 表 %s `b`"
LONG = "y" * 63 + "Z"
SECOND = "second-DB.x"


@pytest.fixture(scope="module")
def shop(mariadb_server: MariadbServer) -> Iterator[str]:
    """A database with one of everything, and a second one with an odd name beside it."""
    name = mariadb_server.create_database()
    odd = ODD.replace("`", "``")
    mariadb_server.execute(
        f"use {name}",
        """create table customers (
            id int unsigned auto_increment primary key,
            email varchar(80) not null comment 'Where we write, é',
            name varchar(40) default 'it''s',
            balance decimal(12, 3) default 1,
            twice decimal(14, 3) as (balance * 2) stored,
            active tinyint(1) not null default 0,
            tiny tinyint, medium mediumint, big bigint unsigned,
            ratio double, share float,
            born date, at datetime(3), seen timestamp not null default current_timestamp on update current_timestamp,
            note longtext, photo mediumblob, code binary(4), feeling enum('sad', 'happy'), tags set('a', 'b'),
            spot point, flags bit(4), made year,
            unique key by_email (email)
        ) comment 'People who buy'""",
        """create table orders (
            number int, customer int unsigned not null, a int, b int,
            primary key (customer, number), unique key both_ways (b, a),
            constraint of_customer foreign key (customer) references customers (id)
        )""",
        """create table line_items (
            number int, customer int unsigned,
            constraint of_order foreign key (customer, number) references orders (customer, number)
        )""",
        "create table Orders (x int)",  # beside `orders`: names differ by case
        f"create table `{odd}` (`A.b c` int)",
        f"create table `{LONG}` (`{LONG}` int)",
        "create view v as select id, name from customers",
        "create sequence counter",
        "insert into Orders values (1), (2), (3)",
        "analyze table Orders",
    )
    mariadb_server.execute(
        f"create database if not exists `{SECOND}` comment 'The other one'",
        f"create table if not exists `{SECOND}`.t (x int, c int unsigned,"
        f" constraint across foreign key (c) references {name}.customers (id))",
    )
    yield name
    mariadb_server.execute(f"drop database `{SECOND}`", f"drop database {name}")


def connector(server: MariadbServer, **config: Any) -> Connector:
    return opened(
        "mysql",
        {"host": "db.example", "port": server.port} | config,
        {"user": server.user, "password": server.password},
    )


def read(server: MariadbServer, schema: str) -> dict[str, TableInfo]:
    with connector(server, database=schema) as source:
        ((found),) = source.schemas()
        return {table.name: table for table in source.tables(found.database, found.name, found.tables)}


def test_mysqls_databases_are_schemas_below_one_database_level(mariadb_server: MariadbServer, shop: str) -> None:
    def seen(**config: Any) -> set[tuple[str, str]]:
        with connector(mariadb_server, **config) as source:
            return {(s.database, s.name) for s in source.schemas()}

    assert {("def", shop), ("def", SECOND)} <= seen()
    assert not {name for _, name in seen()} & {"mysql", "information_schema", "performance_schema", "sys"}
    assert seen(database=shop) == {(shop, shop)}
    assert seen(db_schema=SECOND) == {("def", SECOND)}
    assert seen(database=shop, selected_tables=[{"database_name": SECOND}]) == {(shop, SECOND)}
    chosen = [{"database_name": "def", "schemas": [{"schema_name": shop, "tables": ["Orders"], "views": ["v"]}]}]
    with connector(mariadb_server, selected_tables=chosen) as source:
        assert [(s.name, s.tables) for s in source.schemas()] == [(shop, ("Orders", "v"))]
        assert [t.name for t in source.tables("def", shop, ["orders", "Orders"])] == ["Orders"]
    with connector(mariadb_server, db_schema=SECOND) as source:
        assert [s.comment for s in source.schemas()] == ["The other one"]


def test_tables_are_told_apart_even_when_only_the_case_differs(mariadb_server: MariadbServer, shop: str) -> None:
    tables = read(mariadb_server, shop)
    assert list(tables) == sorted(["customers", "orders", "line_items", "Orders", ODD, LONG, "v"])
    assert [column.name for column in tables["Orders"].columns] == ["x"]
    assert [column.name for column in tables["orders"].columns] == ["number", "customer", "a", "b"]
    assert tables["Orders"].keys == ()
    assert tables["Orders"].row_count == 3
    assert [column.name for column in tables[ODD].columns] == ["A.b c"]
    assert [column.name for column in tables[LONG].columns] == [LONG]
    assert (tables["v"].table_type, tables["v"].comment, tables["v"].row_count) == ("VIEW", None, None)
    assert "customers" in (tables["v"].definition or "")
    assert tables["customers"].comment == "People who buy"
    assert tables["customers"].table_type == "TABLE"


def test_columns_carry_neutral_type_spelling_sizes_default_and_comment(
    mariadb_server: MariadbServer, shop: str
) -> None:
    columns = {column.name: column for column in read(mariadb_server, shop)["customers"].columns}
    assert [column.ordinal_position for column in columns.values()] == list(range(1, 23))
    assert {name: column.data_type for name, column in columns.items()} == {
        "id": "INTEGER",
        "email": "VARCHAR",
        "name": "VARCHAR",
        "balance": "NUMERIC",
        "twice": "NUMERIC",
        "active": "BOOLEAN",
        "tiny": "TINYINT",
        "medium": "INTEGER",
        "big": "BIGINT",
        "ratio": "DOUBLE",
        "share": "REAL",
        "born": "DATE",
        "at": "TIMESTAMP",
        "seen": "TIMESTAMPTZ",
        "note": "TEXT",
        "photo": "BINARY",
        "code": "BINARY",
        "feeling": "ENUM",
        "tags": "SET",
        "spot": "GEOMETRY",
        "flags": "BIT",
        "made": "YEAR",
    }
    assert columns["id"].data_type_display == "int(10) unsigned"
    assert columns["feeling"].data_type_display == "enum('sad','happy')"
    assert (columns["balance"].precision, columns["balance"].scale) == (12, 3)
    assert (columns["big"].precision, columns["big"].scale, columns["note"].data_length) == (None, None, None)
    assert (columns["name"].data_length, columns["code"].data_length) == (40, 4)
    assert columns["at"].precision == 3
    assert {name for name, column in columns.items() if not column.nullable} == {"id", "email", "active", "seen"}
    assert {name: column.default for name, column in columns.items() if column.default} == {
        "id": "auto_increment",
        "name": "'it''s'",
        "balance": "1.000",
        "twice": "generated always as (`balance` * 2)",
        "active": "0",
        "seen": "current_timestamp() on update current_timestamp()",
    }
    assert columns["email"].comment == "Where we write, é"


def test_keys_keep_the_order_of_their_columns_and_cross_databases(mariadb_server: MariadbServer, shop: str) -> None:
    tables = read(mariadb_server, shop)
    assert tables["orders"].keys == (
        KeyInfo("PRIMARY_KEY", "PRIMARY", ("customer", "number")),
        KeyInfo("UNIQUE", "both_ways", ("b", "a")),
        KeyInfo("FOREIGN_KEY", "of_customer", ("customer",), shop, "customers", ("id",)),
    )
    assert tables["line_items"].keys == (
        KeyInfo("FOREIGN_KEY", "of_order", ("customer", "number"), shop, "orders", ("customer", "number")),
    )
    assert read(mariadb_server, SECOND)["t"].keys[0].target_schema == shop


def test_verification_tells_the_version_and_the_counts(mariadb_server: MariadbServer, shop: str) -> None:
    with connector(mariadb_server, database=shop) as source:
        found = source.verify()
    assert found.details["server_version"].startswith(("MariaDB ", "MySQL "))
    assert (found.details["schemas"], found.details["tables"]) == (1, 7)


def test_the_session_is_read_only_and_limited(mariadb_server: MariadbServer, shop: str) -> None:
    with connector(mariadb_server, database=shop) as source:
        assert isinstance(source, MysqlConnector)
        with pytest.raises(ConnectorError) as raised:
            source._rows("insert into Orders values (4)", {})
        assert "READ ONLY" in raised.value.reason
        source._rows("set session max_statement_time = 0.2", {})
        with pytest.raises(ConnectorError) as raised:
            source._rows("select sleep(5)", {})
        assert raised.value.kind == "timeout"
        ((limit, lock),) = source._rows("select @@global.max_statement_time, @@session.lock_wait_timeout", {})
        assert (float(limit), lock) == (0.0, 10)


def test_the_number_of_statements_does_not_grow_with_the_tables(
    mariadb_server: MariadbServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pymysql

    name = mariadb_server.create_database()
    mariadb_server.execute(f"use {name}", *(f"create table t{i} (a int primary key, b text)" for i in range(120)))
    sent: list[str] = []
    query = pymysql.connections.Connection.query

    def counted(self: Any, sql: Any, *args: Any, **named: Any) -> Any:
        sent.append(sql)
        return query(self, sql, *args, **named)

    with connector(mariadb_server, database=name) as source:
        (schema,) = source.schemas()
        monkeypatch.setattr(pymysql.connections.Connection, "query", counted)
        read = list(source.tables(schema.database, schema.name, schema.tables))
        assert len(read) == 120
        assert all(len(table.columns) == 2 and len(table.keys) == 1 for table in read)
        assert len(sent) == 4
    mariadb_server.drop_database(name)


def test_tables_may_be_abandoned_halfway_and_vanished_ones_are_left_out(
    mariadb_server: MariadbServer, shop: str
) -> None:
    with connector(mariadb_server, database=shop) as source:
        (schema,) = source.schemas()
        some = source.tables(schema.database, schema.name, schema.tables)
        next(some)
        some.close()  # type: ignore[attr-defined]
        assert [t.name for t in source.tables(shop, shop, ["gone", "orders"])] == ["orders"]
        assert list(source.tables(shop, "mysql", ["user"])) == []
        assert list(source.tables("elsewhere", shop, ["orders"])) == []


def test_the_connection_goes_to_the_vetted_address_and_not_to_the_name(
    mariadb_server: MariadbServer, shop: str
) -> None:
    policy = Loopback()
    config = {"host": "db.invalid", "port": mariadb_server.port, "database": shop}
    credentials = {"username": mariadb_server.user, "password": mariadb_server.password}
    with opened("mysql", config, credentials, outbound=policy) as source:
        source.verify()
    assert policy.asked == [("db.invalid", mariadb_server.port)]


@pytest.mark.parametrize(
    ("data_type", "display", "neutral"),
    [
        ("json", "json", "JSON"),
        ("tinyint", "tinyint(1)", "BOOLEAN"),
        ("tinyint", "tinyint(4)", "TINYINT"),
        ("geomcollection", "geomcollection", "GEOMETRY"),
        ("vector", "vector(3)", "VECTOR"),
        ("INT", "INT", "INTEGER"),
        ("bit", "bit(1)", "BOOLEAN"),
        ("BIT", "BIT(1)", "BOOLEAN"),
        ("bit", "bit(10)", "BIT"),
    ],
)
def test_types_that_only_some_servers_have_get_neutral_names(data_type: str, display: str, neutral: str) -> None:
    assert neutral_type(data_type, display) == neutral
