"""The kinds whose products cannot be had for a test: the driver's calls against a recorded stand-in, and what is real.

The stand-ins answer the very statements that the connectors send with rows as the products document them. What can be
tried for real without a server (network failures of the Oracle driver) is tried for real.
"""

import gc
import json
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from persistence.connectors import connector_class
from persistence.connectors.core.base import Connector, ConnectorError, ConnectorSettings, KeyInfo
from tests.persistence.connectors.sql_support import SENTINEL, Loopback, Refusing, listening, opened, self_signed
from tests.support.postgres import free_port


class Recorded:
    """A DB-API connection that answers by the first piece of text that a statement contains."""

    version = "23.4.0.24.05"

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.sent: list[tuple[str, Any]] = []
        self.options: dict[str, Any] = {}
        self.closed = False
        self.description: list[tuple[str]] = []
        self._rows: Sequence[Any] = ()
        self.session = self

    def __call__(self, **options: Any) -> "Recorded":
        self.options = options
        return self

    def cursor(self) -> "Recorded":
        return self

    def __enter__(self) -> "Recorded":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def execute(self, statement: str, values: Any = None) -> None:
        self.sent.append((statement, values))
        answer = next((rows for text, rows in self.answers.items() if text in statement), ())
        if isinstance(answer, Exception):
            raise answer
        if answer and isinstance(answer[0], dict):
            self.description = [(name.upper(),) for name in answer[0]]
            answer = [tuple(row.values()) for row in answer]
        self._rows = answer

    def fetchall(self) -> list[Any]:
        return list(self._rows)

    def rollback(self) -> None:
        self._rows = ()

    def close(self) -> None:
        self.closed = True

    # What impyla's cursor offers underneath.
    def _execute_async(self, start: Callable[[], None]) -> None:
        start()

    def _wait_to_finish(self) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("get_"):
            raise AttributeError(name)
        return lambda *patterns: self.execute(name, patterns)


def built(kind: str, config: dict[str, Any], credentials: dict[str, Any], connect: Any, outbound: Any = None) -> Any:
    found: Any = connector_class(kind)
    checked = found.config_model.model_validate(config), found.credentials_model.model_validate(credentials)
    return found(*checked, ConnectorSettings(statement_timeout=20), outbound or Loopback(), connect=connect)


SNOWFLAKE = {
    "show terse databases": [{"created_on": 0, "name": "SHOP"}, {"created_on": 0, "name": "SNOWFLAKE"}],
    "select table_schema, table_name": [("PUBLIC", "ORDERS"), ("PUBLIC", 'o"d'), ("INFORMATION_SCHEMA", "TABLES")],
    "select schema_name, comment": [("PUBLIC", "What we sell"), ("INFORMATION_SCHEMA", None)],
    "select table_name, table_type, row_count": [
        ("ORDERS", "BASE TABLE", 42, ""),
        ('o"d', "MATERIALIZED VIEW", None, "c"),
    ],
    "select table_name, view_definition": [('o"d', "create view ...")],
    "select table_name, column_name": [
        ("ORDERS", "TOTAL", "NUMBER", None, 18, 2, "YES", None, "With tax", 2),
        ("ORDERS", "ID", "NUMBER", None, 38, 0, "NO", None, None, 1),
        ('o"d', "NAME", "TEXT", 40, None, None, "YES", "'x'", None, 1),
    ],
    "show primary keys": [
        {"table_name": "ORDERS", "column_name": "B", "key_sequence": 2, "constraint_name": "PK"},
        {"table_name": "ORDERS", "column_name": "A", "key_sequence": 1, "constraint_name": "PK"},
    ],
    "show imported keys": [
        {
            **{"fk_schema_name": "PUBLIC", "fk_table_name": "ORDERS", "fk_name": "FK", "fk_column_name": "CUSTOMER"},
            **{"pk_schema_name": "CRM", "pk_table_name": "CUSTOMERS", "pk_column_name": "ID", "key_sequence": 1},
        }
    ],
    "current_version": [("9.30.1",)],
}


def test_snowflake_is_read_whole() -> None:
    recorded = Recorded(SNOWFLAKE)
    config = {"host": "AB12345.eu-central-1.snowflakecomputing.com", "options": {"warehouse": "W", "role": "READER"}}
    source = built("snowflake", config, {"username": "u", "password": SENTINEL}, recorded)
    (schema,) = source.schemas()
    assert (schema.database, schema.name, schema.comment) == ("SHOP", "PUBLIC", "What we sell")
    recorded.sent.clear()
    orders, odd = source.tables("SHOP", "PUBLIC", schema.tables)
    assert len(recorded.sent) == 6
    assert [(c.name, c.data_type, c.data_type_display, c.nullable) for c in orders.columns] == [
        ("ID", "NUMERIC", "NUMBER(38,0)", False),
        ("TOTAL", "NUMERIC", "NUMBER(18,2)", True),
    ]
    assert (orders.row_count, orders.comment, orders.table_type) == (42, None, "TABLE")
    assert orders.keys == (
        KeyInfo("PRIMARY_KEY", "PK", ("A", "B")),
        KeyInfo("FOREIGN_KEY", "FK", ("CUSTOMER",), "CRM", "CUSTOMERS", ("ID",)),
    )
    assert (odd.table_type, odd.definition, odd.columns[0].data_length) == (
        "MATERIALIZED_VIEW",
        "create view ...",
        40,
    )
    assert recorded.options["account"] == "ab12345.eu-central-1"
    assert recorded.options["session_parameters"]["STATEMENT_TIMEOUT_IN_SECONDS"] == 20
    assert recorded.options["session_parameters"]["TIMEZONE"] == "UTC"
    assert recorded.options["role"] == "READER"
    assert source.verify().details["tables"] == 2
    source.close()
    assert recorded.closed


def test_snowflake_takes_a_private_key_and_tells_when_it_is_none() -> None:
    recorded = Recorded(SNOWFLAKE)
    config = {"host": "a.snowflakecomputing.com", "auth_type": "key_pair", "database": "SHOP"}
    key = self_signed("x")[1].decode()
    built("snowflake", config, {"username": "u", "private_key": key}, recorded).schemas()
    assert isinstance(recorded.options["private_key"], bytes)
    assert "password" not in recorded.options
    for wrong in ({}, {"private_key": SENTINEL}):
        with pytest.raises(ConnectorError) as raised:
            built("snowflake", config, {"username": "u", **wrong}, recorded).schemas()
        assert raised.value.kind == "bad_config"
        assert SENTINEL not in "".join(traceback.format_exception(raised.value))


DATABRICKS = {
    "show catalogs": [("main",), ("system",), ("hive_metastore",)],
    "select table_schema, table_name": [("default", "orders"), ("default", "v")],
    "select schema_name, comment": [("default", None), ("information_schema", None)],
    "select table_name, table_type, comment": [("orders", "MANAGED", "Bought"), ("v", "VIEW", None)],
    "select table_name, view_definition": [("v", "select 1")],
    "k.constraint_name": [
        ("orders", "PRIMARY KEY", "pk", "id", None, None, None),
        ("orders", "FOREIGN KEY", "fk", "customer", "crm", "customers", "id"),
    ],
    "select table_name, column_name": [
        ("orders", "id", "LONG", "bigint", 0, None, None, "NO", None, None, 0),
        ("orders", "total", "DECIMAL", "decimal(18,2)", 0, 18, 2, "YES", None, "With tax", 1),
        ("v", "x", "ARRAY", "array<string>", 0, None, None, "YES", None, None, 0),
    ],
    "current_version": [("2026.30",)],
}


def test_databricks_is_read_whole() -> None:
    recorded = Recorded(DATABRICKS)
    config = {"host": "dbc.cloud.databricks.com", "options": {"http_path": "/sql/1.0/warehouses/abc"}}
    source = built("databricks", config, {"token": SENTINEL}, recorded)
    (schema,) = source.schemas()
    assert (schema.database, schema.name, schema.tables) == ("main", "default", ("orders", "v"))
    recorded.sent.clear()
    orders, view = source.tables("main", "default", schema.tables)
    assert len(recorded.sent) == 4
    assert recorded.sent[0][1] == {"schema": "default", "n0": "orders", "n1": "v"}
    assert [(c.name, c.data_type, c.ordinal_position, c.precision) for c in orders.columns] == [
        ("id", "BIGINT", 1, None),
        ("total", "NUMERIC", 2, 18),
    ]
    assert [key.kind for key in orders.keys] == ["PRIMARY_KEY", "FOREIGN_KEY"]
    assert orders.keys[1].target_table == "customers"
    assert (view.table_type, view.definition, view.columns[0].data_type_display) == (
        "VIEW",
        "select 1",
        "array<string>",
    )
    assert recorded.options["access_token"] == SENTINEL
    assert recorded.options["use_cloud_fetch"] is False
    assert source.verify().message.startswith("Connected to Databricks SQL 2026.30")


ORACLE = {
    "select owner, table_name from": [("SHOP", "ORDERS"), ("SHOP", "MV"), ("SYS", "X")],
    "select username": [("SHOP",), ("EMPTY",)],
    "select n.name": [
        ("ORDERS", "TABLE", 42, "Bought", None),
        ("MV", "MATERIALIZED_VIEW", 1, None, None),
        ("MV", "MATERIALIZED_VIEW", None, None, "select 1"),
    ],
    "k.constraint_type": [
        ("ORDERS", "P", "PK", "A", None, None, None),
        ("ORDERS", "P", "PK", "B", None, None, None),
        ("ORDERS", "R", "FK", "C", "CRM", "CUSTOMERS", "ID"),
    ],
    "select t.table_name": [
        ("ORDERS", "NAME", "VARCHAR2", None, 160, 40, None, None, "N", "'x' ", "NO", "Who", 2),
        ("ORDERS", "ID", "NUMBER", None, 22, 0, 10, 0, "N", "S.nextval", "YES", None, 1),
        ("ORDERS", "AT", "TIMESTAMP(6) WITH TIME ZONE", None, 13, 0, None, 6, "Y", None, "NO", None, 3),
        ("ORDERS", "SPOT", "PLACE", "SHOP", 1, 0, None, None, "Y", None, "NO", None, 4),
    ],
}


def test_the_days_of_an_oracle_are_those_of_utc_wherever_this_process_stands() -> None:
    zoned = "alter session set time_zone = '+00:00'"
    config, credentials = {"host": "db.example", "database": "XEPDB1"}, {"user": "u", "password": SENTINEL}
    recorded = Recorded(ORACLE)
    source = built("oracle", config, credentials, recorded)
    for _ in range(2):
        source.schemas()
    sent = [statement for statement, _ in recorded.sent]
    assert (sent[0], sent.count(zoned)) == (zoned, 1)
    # A session of which the zone cannot be set is not used, and not left open.
    refusing = Recorded({zoned: RuntimeError("ORA-01031: insufficient privileges")})
    with pytest.raises(ConnectorError):
        built("oracle", config, credentials, refusing).schemas()
    assert refusing.closed


def test_oracle_is_read_whole_in_read_only_transactions() -> None:
    recorded = Recorded(ORACLE)
    source = built(
        "oracle", {"host": "db.example", "database": "XEPDB1"}, {"user": "u", "password": SENTINEL}, recorded
    )
    empty, shop = source.schemas()
    assert (empty.name, empty.tables) == ("EMPTY", ())
    assert (shop.database, shop.name, shop.tables) == ("XEPDB1", "SHOP", ("MV", "ORDERS"))
    recorded.sent.clear()
    mv, orders = source.tables("XEPDB1", "SHOP", shop.tables)
    assert [statement for statement, _ in recorded.sent].count("set transaction read only") == 3
    assert len(recorded.sent) == 6
    assert (mv.table_type, mv.columns) == ("MATERIALIZED_VIEW", ())
    assert [(c.name, c.data_type, c.data_type_display, c.default) for c in orders.columns] == [
        ("ID", "NUMERIC", "NUMBER(10,0)", "generated as identity"),
        ("NAME", "VARCHAR", "VARCHAR2(40)", "'x'"),
        ("AT", "TIMESTAMPTZ", "TIMESTAMP(6) WITH TIME ZONE", None),
        ("SPOT", "STRUCT", "PLACE", None),
    ]
    assert orders.keys == (
        KeyInfo("PRIMARY_KEY", "PK", ("A", "B")),
        KeyInfo("FOREIGN_KEY", "FK", ("C",), "CRM", "CUSTOMERS", ("ID",)),
    )
    assert (recorded.options["host"], recorded.options["protocol"]) == ("127.0.0.1", "tcp")
    assert source.verify().message.startswith("Connected to Oracle Database 23.4")


HIVE = {
    "get_databases": [("default", ""), ("sales", ""), ("sys", "")],
    "get_tables": [
        ("", "sales", "orders", "TABLE", "Bought"),
        ("", "sales", "v", "VIEW", None),
        ("", "sales_old", "orders", "TABLE", None),
    ],
    "get_table_schema": [
        ("", "sales", "orders", "total", 3, "DECIMAL(18,2)", 18, None, 2, 10, 1, "With tax", None, *[None] * 3, 2),
        ("", "sales", "orders", "id", -5, "BIGINT", 19, None, 0, 10, 1, None, None, *[None] * 3, 1),
        ("", "sales_old", "orders", "no", 4, "INT", 10, None, 0, 10, 1, None, None, *[None] * 3, 1),
        ("", "sales", "v", "m", 2000, "map<string,int>", None, None, None, None, 1, None, None, *[None] * 3, 1),
    ],
}


def test_hive_is_read_whole_by_metadata_calls_alone() -> None:
    recorded = Recorded(HIVE)
    source = built("hive", {"host": "hive.example"}, {"username": "u", "password": SENTINEL}, recorded)
    default, sales = source.schemas()
    assert (default.name, default.tables) == ("default", ())
    assert (sales.database, sales.name, sales.tables) == ("default", "sales", ("orders", "v"))
    recorded.sent.clear()
    orders, view = source.tables("default", "sales", sales.tables)
    assert [call for call, _ in recorded.sent] == ["get_tables", "get_table_schema"]
    assert [(c.name, c.data_type, c.precision, c.scale, c.comment) for c in orders.columns] == [
        ("id", "BIGINT", None, None, None),
        ("total", "NUMERIC", 18, 2, "With tax"),
    ]
    assert (view.table_type, view.columns[0].data_type) == ("VIEW", "MAP")
    assert (recorded.options["host"], recorded.options["use_ssl"]) == ("127.0.0.1", False)
    assert source.verify().details["tables"] == 2


def test_bigquery_takes_only_a_whole_key_and_never_its_token_address() -> None:
    taken: dict[str, Any] = {}

    class Client:
        def list_datasets(self, **_: Any) -> list[Any]:
            return []

    def connect(**options: Any) -> Client:
        taken.update(options)
        return Client()

    key = {"type": "service_account", "private_key": SENTINEL, "token_uri": "http://169.254.169.254/token"}
    config = {"database": "my-project"}
    source = built("bigquery", config, {"service_account": key}, connect)
    assert source.schemas() == []
    assert taken["key"]["token_uri"] == "https://oauth2.googleapis.com/token"
    assert taken["client_options"] == {"api_endpoint": "https://bigquery.googleapis.com"}
    built("bigquery", config, {"service_account": json.dumps(key)}, connect).schemas()
    for wrong in (SENTINEL, json.dumps({"type": "authorized_user", "refresh_token": SENTINEL})):
        with pytest.raises(ConnectorError) as raised:
            built("bigquery", config, {"service_account": wrong}, connect)
        assert raised.value.kind == "bad_config"
        assert SENTINEL not in "".join(traceback.format_exception(raised.value))


class Coded(Exception):
    """An exception as drivers raise them: with a number and words."""

    def __init__(self, words: str, **numbers: Any) -> None:
        super().__init__(words)
        for name, value in numbers.items():
            setattr(self, name, value)


KEY = {"type": "service_account", "private_key": SENTINEL}
CASES = {
    "snowflake": ({"host": "a.snowflakecomputing.com", "database": "D"}, {"username": "u", "password": SENTINEL}),
    "databricks": ({"host": "d.example", "database": "D", "options": {"http_path": "/x"}}, {"token": SENTINEL}),
    "oracle": ({"host": "db.example", "database": "D"}, {"username": "u", "password": SENTINEL}),
    "hive": ({"host": "db.example", "database": "D"}, {"username": "u", "password": SENTINEL}),
    "bigquery": ({"database": "my-project"}, {"service_account": KEY}),
}
DRIVERS = {
    "snowflake": "snowflake.connector",
    "databricks": "databricks.sql",
    "oracle": "oracledb",
    "hive": "impala.dbapi",
    "bigquery": "google.cloud.bigquery",
}


@pytest.mark.parametrize(
    ("kind", "raised", "expected"),
    [
        ("snowflake", Coded("250001: Incorrect username or password was specified.", errno=250001), "authentication"),
        ("snowflake", Coded("Database 'D' does not exist", errno=2043), "not_found"),
        ("snowflake", Coded("Insufficient privileges", errno=3001), "permission"),
        ("snowflake", Coded("Statement reached its timeout", errno=630), "timeout"),
        ("databricks", Coded("Error during request to server: 401 Invalid access token"), "authentication"),
        ("databricks", Coded("[INSUFFICIENT_PERMISSIONS] no USE CATALOG"), "permission"),
        ("databricks", Coded("[NO_SUCH_CATALOG_EXCEPTION] Catalog 'D'"), "not_found"),
        ("oracle", Coded("ORA-01017: invalid credential or not authorized"), "authentication"),
        ("oracle", Coded("DPY-6001: Service D is not registered (ORA-12514)"), "not_found"),
        ("oracle", Coded("ORA-01045: user U lacks CREATE SESSION privilege"), "permission"),
        ("oracle", Coded("DPY-4024: call timeout of 20000 ms exceeded"), "timeout"),
        ("hive", Coded("Bad status: 3 (b'Error validating the login')"), "authentication"),
        ("hive", Coded("Could not connect to any of [('127.0.0.1', 10000)]"), "unreachable"),
        ("hive", TimeoutError("timed out"), "timeout"),
        ("bigquery", Coded("forbidden", code=403), "permission"),
        ("bigquery", Coded("no such project", code=404), "not_found"),
        ("bigquery", Coded("unauthorized", code=401), "authentication"),
        *((kind, ConnectionRefusedError("refused"), "unreachable") for kind in CASES),
        *((kind, Coded("ssl: certificate verify failed: unable to get issuer"), "tls") for kind in CASES),
        *((kind, Coded(f"something odd with {SENTINEL} in it"), "failed") for kind in CASES),
    ],
)
def test_each_failure_of_a_driver_has_its_kind_and_tells_no_secret(kind: str, raised: Exception, expected: str) -> None:
    def connect(**_: Any) -> Any:
        raise raised

    source = built(kind, *CASES[kind], connect)
    with pytest.raises(ConnectorError) as caught:
        source.verify()
    assert caught.value.kind == expected
    told = [str(caught.value), repr(source), "".join(traceback.format_exception(caught.value))]
    assert not any(SENTINEL in text for text in told)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("kind", CASES)
def test_a_driver_that_is_not_installed_says_how_to_install_it(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, DRIVERS[kind], None)
    with pytest.raises(ConnectorError) as raised:
        opened(kind, *CASES[kind]).verify()
    assert raised.value.kind == "missing_extra"
    assert f"pip install 'stoa-platform[{kind}]'" in raised.value.reason


@pytest.mark.parametrize("kind", CASES)
def test_a_refused_address_is_never_handed_to_the_driver(kind: str) -> None:
    def connect(**_: Any) -> Any:
        raise AssertionError("connected")

    with pytest.raises(ConnectorError) as raised:
        built(kind, *CASES[kind], connect, outbound=Refusing()).verify()
    assert raised.value.kind == "refused_address"


def oracle(port: int, **config: Any) -> Connector:
    whole = {"host": "db.example", "port": port, "database": "XEPDB1"} | config
    return opened("oracle", whole, {"username": "u", "password": SENTINEL}, connect_timeout=1)


def oracle_failure(port: int, **config: Any) -> ConnectorError:
    with pytest.raises(ConnectorError) as raised:
        oracle(port, **config).verify()
    assert SENTINEL not in "".join(traceback.format_exception(raised.value))
    return raised.value


# The driver leaves a socket open when its handshake fails; it is collected inside this test.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_oracle_driver_itself_meets_a_closed_port_silence_and_a_stranger() -> None:
    assert oracle_failure(free_port()).kind == "unreachable"
    with listening() as port:
        assert oracle_failure(port).kind == "timeout"
    with listening(b"SSH-2.0-OpenSSH_9\r\n", hang_up=True) as port:
        assert oracle_failure(port).kind in ("unreachable", "failed")
    with listening(hang_up=True) as port:
        assert oracle_failure(port, ssl_mode="require").kind in ("unreachable", "tls")
    gc.collect()
