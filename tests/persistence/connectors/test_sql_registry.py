"""Opening a connector by its name: what is refused before anything is connected, and the deadline around calls."""

import subprocess
import sys
import threading
import time
import traceback
from typing import Any

import pytest

from persistence.connectors import CONNECTION_TYPES, connector_class, in_thread, open_connector
from persistence.connectors.core.base import Connector, ConnectorError, ConnectorSettings, SchemaInfo
from persistence.connectors.core.sql import Selection, SqlConnector, among, with_columns
from schema.assets.connection_configs.databases import SelectedDatabase
from tests.persistence.connectors.sql_support import SENTINEL, Loopback, opened

SQL_KINDS = ("postgres", "redshift", "mysql", "bigquery", "snowflake", "databricks", "oracle", "hive")
DRIVERS = ("psycopg", "pymysql", "oracledb", "snowflake", "databricks", "google.cloud", "impala", "pymongo", "obstore")


def test_the_connection_types_are_those_of_the_contract() -> None:
    others = ("couchbase", "mongodb", "s3", "gcs", "minio", "nfs", "smb")
    assert sorted(CONNECTION_TYPES) == sorted(SQL_KINDS + others)


@pytest.mark.parametrize("kind", SQL_KINDS)
def test_every_sql_kind_is_a_connector_that_knows_its_name(kind: str) -> None:
    found = connector_class(kind)
    assert issubclass(found, SqlConnector)
    assert issubclass(found, Connector)
    assert found.kind == kind
    assert found.config_section == "database_config"
    assert found.default_port > 0


@pytest.mark.parametrize("kind", SQL_KINDS)
def test_every_sql_kind_says_what_it_was_verified_against(kind: str) -> None:
    verified = sys.modules[connector_class(kind).__module__].VERIFIED
    assert isinstance(verified, str)
    assert len(verified) < 120


def test_an_unknown_type_is_refused_with_the_list_of_known_ones() -> None:
    with pytest.raises(ConnectorError) as raised:
        connector_class("os:system")
    assert raised.value.kind == "bad_config"
    assert "snowflake" in raised.value.reason


def test_naming_a_kind_imports_no_driver_but_its_own() -> None:
    script = (
        "import sys\nfrom persistence.connectors import connector_class\n"
        f"kinds = {[k for k in SQL_KINDS if k not in ('postgres', 'redshift')]!r}\n"
        "for kind in kinds: connector_class(kind)\n"
        f"print([d for d in {DRIVERS!r} if d in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("config", "path"),
    [
        ({}, "database_config.host"),
        ({"host": "db.example"}, "database_config.database"),
        ({"host": "a,b", "database": "d"}, "database_config.host"),
        ({"host": "postgres://x@h/d", "database": "d"}, "database_config.host"),
        ({"host": "h\nh", "database": "d"}, "database_config.host"),
        ({"host": "h", "database": "d", "port": 70000}, "database_config.port"),
        ({"host": "h", "database": "d", "ssl_mode": "prefer"}, "database_config.ssl_mode"),
        ({"host": "h", "database": "d", "ssl_mod": "require"}, "database_config.ssl_mod"),
        ({"host": "h", "database": "d", "options": {"service": "x"}}, "database_config.options.service"),
        ({"host": "h", "database": "d", "selected_tables": [{"database_name": "e"}]}, "selected_tables names e"),
        ({"host": "h", "database": "d", "auth_type": "kerberos"}, "kerberos"),
    ],
)
def test_a_config_that_does_not_fit_is_refused_with_its_path(config: dict[str, Any], path: str) -> None:
    with pytest.raises(ConnectorError) as raised:
        opened("postgres", config, {"username": "u", "password": SENTINEL})
    assert raised.value.kind == "bad_config"
    assert path in raised.value.reason
    assert SENTINEL not in "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    ("credentials", "path"),
    [
        ({"password": SENTINEL}, "credentials.username"),
        ({"username": "u", "password": [SENTINEL]}, "credentials.password"),
        ({"username": "u", "passwd": SENTINEL}, "credentials.passwd"),
        ({"username": {"secret": SENTINEL}, "password": "x"}, "credentials.username"),
        ({"username": f"{SENTINEL}\x00"}, "credentials.username"),
    ],
)
def test_credentials_that_do_not_fit_are_refused_without_their_value(credentials: dict[str, Any], path: str) -> None:
    with pytest.raises(ConnectorError) as raised:
        opened("postgres", {"host": "h", "database": "d"}, credentials)
    assert raised.value.kind == "bad_config"
    assert path in raised.value.reason
    whole = raised.value.reason + repr(raised.value) + "".join(traceback.format_exception(raised.value))
    assert SENTINEL not in whole
    assert raised.value.__context__ is None


def test_null_fields_count_as_left_out_and_brackets_of_an_address_are_taken_off() -> None:
    config = {"host": "[fd00::1]", "port": None, "database": "d", "ssl_mode": None, "options": None, "db_schema": None}
    source = opened("postgres", config, {"user": "u", "password": None})
    assert isinstance(source, SqlConnector)
    assert (source.config.host, source.port, source.config.ssl_mode) == ("fd00::1", 5432, "disable")


def test_opening_connects_to_nothing() -> None:
    policy = Loopback()
    for kind in ("postgres", "mysql", "redshift", "oracle", "hive"):
        config = {"host": "h", "database": "d"}
        open_connector(kind, config, {"username": "u", "password": SENTINEL}, ConnectorSettings(), policy).close()
    assert policy.asked == []


def selection(*databases: dict[str, Any], db_schema: str | None = None) -> Selection:
    return Selection([SelectedDatabase.model_validate(database) for database in databases], db_schema)


def test_nothing_selected_selects_everything() -> None:
    everything = selection()
    assert everything.has_database("a")
    assert everything.has_table("a", "b", "c")
    assert everything.databases() is None
    assert everything.missing([]) == []


def test_a_schema_without_names_selects_all_of_it_and_one_with_names_only_those() -> None:
    some = selection(
        {"database_name": "d", "schemas": [{"schema_name": "whole"}, {"schema_name": "part", "views": ["v"]}]},
        {"database_name": "all"},
    )
    assert some.has_table("d", "whole", "anything")
    assert some.has_table("d", "part", "v")
    assert not some.has_table("d", "part", "t")
    assert not some.has_schema("d", "other")
    assert some.has_table("all", "x", "y")
    assert not some.has_database("D")
    assert some.databases() == ["all", "d"]


def test_the_same_schema_named_twice_selects_the_union() -> None:
    twice = [{"schema_name": "s", "tables": ["a"]}, {"schema_name": "s", "tables": ["b"]}]
    both = selection({"database_name": "d", "schemas": twice})
    assert both.has_table("d", "s", "a")
    assert both.has_table("d", "s", "b")
    for entries in ([twice[0], {"schema_name": "s"}], [{"schema_name": "s"}, twice[0]]):
        assert selection({"database_name": "d", "schemas": entries}).has_table("d", "s", "z")


def test_selected_tables_take_precedence_over_the_default_schema() -> None:
    assert not selection(db_schema="s").has_schema("d", "t")
    assert selection({"database_name": "d"}, db_schema="s").has_schema("d", "t")


def test_what_was_selected_and_not_found_is_named() -> None:
    some = selection({"database_name": "d", "schemas": [{"schema_name": "s", "tables": ["a", "b"]}]})
    assert some.missing([SchemaInfo("d", "s", ("a",))]) == ["d.s.b"]
    assert some.missing([]) == ["d.s"]


def test_columns_join_their_tables_in_order_and_tables_without_columns_are_kept() -> None:
    rows = iter([("a", 1), ("a", 2), ("b", 3), ("d", 4)])
    assert list(with_columns(["a", "aa", "c", "d", "z"], rows)) == [
        ("a", [("a", 1), ("a", 2)]),
        ("aa", []),
        ("c", []),
        ("d", [("d", 4)]),
        ("z", []),
    ]


def test_past_a_number_of_names_a_condition_limits_nothing() -> None:
    assert among("t", ["a", "b"]) == ("t in (%(n0)s, %(n1)s)", {"n0": "a", "n1": "b"})
    assert among("t", ["a", "b"], style=":{0}", limit=1) == ("1 = 1", {})


@pytest.mark.anyio
async def test_a_call_in_a_thread_gives_back_its_result_or_its_failure() -> None:
    assert await in_thread(lambda: threading.current_thread().name, timeout=60) == "stoa-connector"

    def fails() -> None:
        raise ConnectorError("tls", "no.")

    with pytest.raises(ConnectorError, match=r"no\."):
        await in_thread(fails, timeout=60)


@pytest.mark.anyio
async def test_a_call_that_hangs_is_a_timeout_and_is_left_behind() -> None:
    release = threading.Event()
    with pytest.raises(ConnectorError) as raised:
        await in_thread(lambda: release.wait(60), timeout=0.05)
    assert raised.value.kind == "timeout"
    assert "0.05 seconds" in raised.value.reason
    assert [t.daemon for t in threading.enumerate() if t.name == "stoa-connector"] == [True]
    release.set()
    while any(t.name == "stoa-connector" for t in threading.enumerate()):
        time.sleep(0.01)


@pytest.mark.anyio
async def test_a_time_out_of_the_call_itself_is_passed_on_as_it_is() -> None:
    def times_out() -> None:
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        await in_thread(times_out, timeout=60)
