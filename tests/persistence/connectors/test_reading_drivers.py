"""The data of products that cannot be had for a test: the statements that are sent, over a stand-in of the driver."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from persistence.connectors import connector_class
from persistence.connectors.core.base import ConnectorError, ConnectorSettings
from tests.persistence.connectors.sql_support import Loopback


class Driver:
    """A connection and its cursor in one: answers by the first piece of text that a statement contains."""

    version = "23.4"
    session_id = 77

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = {"oracle_maintained": [("SHOP",)], **answers}
        self.sent: list[str] = []
        self.stopped = threading.Event()
        self.closed = 0
        self.call_timeout = 0
        self.arraysize = 0
        self._rows: list[Any] = []

    def __call__(self, **options: Any) -> "Driver":
        return self

    def cursor(self) -> "Driver":
        return self

    def __enter__(self) -> "Driver":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def execute(self, statement: str, values: Any = None) -> None:
        self.sent.append(statement)
        answer = next((rows for text, rows in self.answers.items() if text in statement), [])
        if answer == "endless":
            assert self.stopped.wait(20), "nobody stopped it"
            raise RuntimeError("the statement was cancelled")
        self._rows = list(answer)

    def fetchall(self) -> list[Any]:
        return self._rows

    def fetchmany(self, size: int) -> list[Any]:
        rows, self._rows = self._rows[:size], self._rows[size:]
        return rows

    def rollback(self) -> None:
        self.sent.append("rollback")

    def close(self) -> None:
        self.closed += 1

    def cancel(self) -> None:
        self.stopped.set()

    cancel_operation = cancel


class Snowflake(Driver):
    """Statements are stopped by another statement."""

    def execute(self, statement: str, values: Any = None) -> None:
        super().execute(statement, values)
        if "cancel_all_queries(77)" in statement:
            self.stopped.set()


class Bigquery(Driver):
    """A client whose queries are jobs."""

    def query(self, statement: str, **options: Any) -> Any:
        self.sent.append(statement)
        answer = next((rows for text, rows in self.answers.items() if text in statement), [])

        def result(page_size: int, timeout: float) -> Any:
            if answer == "endless":
                assert self.stopped.wait(20), "nobody stopped it"
                raise RuntimeError("the job was cancelled")
            rows = [{str(at): value for at, value in enumerate(row)} for row in answer]
            return SimpleNamespace(pages=[rows[at : at + page_size] for at in range(0, len(rows), page_size)])

        return SimpleNamespace(result=result, cancel=self.cancel)

    def get_table(self, name: str, timeout: float) -> Any:
        self.sent.append(f"get {name}")
        return SimpleNamespace(table_type="TABLE", num_rows=self.answers.get("rows"))


KINDS: dict[str, tuple[type[Driver], dict[str, Any], dict[str, Any], str]] = {
    "oracle": (Driver, {"database": "ORCL"}, {"username": "u", "password": "p"}, "ORCL"),
    "snowflake": (Snowflake, {"host": "a.snowflakecomputing.com"}, {"username": "u", "password": "p"}, "DB"),
    "databricks": (Driver, {"options": {"http_path": "/x"}}, {"token": "p"}, "DB"),
    "hive": (Driver, {}, {"username": "u", "password": "p"}, "default"),
    "bigquery": (Bigquery, {"host": "bigquery.googleapis.com", "database": "my-project"}, {}, "my-project"),
}


@contextmanager
def source(kind: str, answers: dict[str, Any], **limits: Any) -> Iterator[tuple[Any, Any, Driver]]:
    """(connector, reading, driver) of a kind."""
    driver_class, config, credentials, _ = KINDS[kind]
    if kind == "bigquery":
        credentials = {"service_account": json.dumps({"type": "service_account", "private_key": "secret key"})}
    driver = driver_class(answers)
    found: Any = connector_class(kind)
    connector = found(
        found.config_model.model_validate({"host": "db.example", **config}),
        found.credentials_model.model_validate(credentials),
        ConnectorSettings(statement_timeout=20, **limits),
        Loopback(),
        connect=driver,
    )
    with connector, connector.source() as reading:
        yield connector, reading, driver


def level(kind: str) -> str:
    return KINDS[kind][3]


NAMES = {
    "oracle": '"SHOP"."T"',
    "snowflake": '"DB"."SHOP"."T"',
    "databricks": "`DB`.`SHOP`.`T`",
    "hive": "`SHOP`.`T`",
    "bigquery": "`my-project`.`SHOP`.`T`",
}

pytestmark = pytest.mark.parametrize("kind", list(KINDS))


@pytest.fixture(autouse=True)
def google(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one class of Google's package that a query needs."""
    package = ModuleType("google.cloud.bigquery")
    package.QueryJobConfig = SimpleNamespace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "google.cloud.bigquery", package)


def test_a_query_is_sent_in_the_dialect_with_every_name_quoted(kind: str) -> None:
    with source(kind, {"FROM": [(1, "x"), [2, "y"]]}) as (_, reading, driver):
        table = reading.relation(level(kind), "SHOP", "T")
        assert reading.ask(exp.select(exp.column("ID", quoted=True), "NAME").from_(table).limit(5)) == [
            (1, "x"),
            (2, "y"),
        ]
        (sent,) = [statement for statement in driver.sent if "FROM " + NAMES[kind] in statement]
        assert "ID" in sent
        mark = "`" if kind in {"databricks", "hive", "bigquery"} else '"'
        assert f"{mark}NAME{mark}" in sent
        assert ("FETCH FIRST 5 ROWS ONLY" if kind == "oracle" else "LIMIT 5") in sent
        if kind == "oracle":
            assert driver.sent[driver.sent.index(sent) - 1] == "set transaction read only"
            assert driver.sent[driver.sent.index(sent) + 1] == "rollback"
            assert driver.call_timeout == 600_000


def test_rows_come_in_lists_of_the_wanted_size(kind: str) -> None:
    with source(kind, {"FROM": [(number,) for number in range(25)]}) as (_, reading, driver):
        query = exp.select("*").from_(reading.relation(level(kind), "SHOP", "T"))
        assert [len(batch) for batch in reading.stream(query, size=10)] == [10, 10, 5]
        assert driver.arraysize == 10 or kind == "bigquery"


def test_tables_of_the_product_itself_cannot_be_read(kind: str) -> None:
    own = {
        "oracle": [("ORCL", "SYS", "USER$"), ("OTHER", "SHOP", "T")],
        "snowflake": [("SNOWFLAKE", "ACCOUNT_USAGE", "USERS"), ("DB", "INFORMATION_SCHEMA", "TABLES")],
        "databricks": [("system", "access", "audit"), ("DB", "information_schema", "tables")],
        "hive": [("default", "sys", "dbs"), ("other", "SHOP", "T")],
        "bigquery": [("my-project", "INFORMATION_SCHEMA", "TABLES"), ("my-project", "SHOP", "__TABLES__")],
    }
    with source(kind, {}) as (_, reading, driver):
        for names in own[kind]:
            with pytest.raises(ConnectorError, match="not a table that this connection reads"):
                reading.relation(*names)
        for text in ('select * from "T"', 'select * from "A"."B"."C"."D"', "select * from f('x')", "select 1 into x"):
            with pytest.raises(ConnectorError):
                reading.ask(sqlglot.parse_one(text, dialect="snowflake"))
        assert not [statement for statement in driver.sent if "FROM" in statement]


SAMPLES = {
    "oracle": ("num_rows", [(1_000_000,)], 'FROM "SHOP"."T" SAMPLE (0.12000000) SEED (42)'),
    "snowflake": ("row_count", [(1_000_000,)], 'FROM "DB"."SHOP"."T" TABLESAMPLE SYSTEM (0.12000000) SEED (42)'),
    "databricks": (
        "describe extended",
        [("Statistics", "123 bytes, 1000000 rows", None)],
        "FROM `DB`.`SHOP`.`T` TABLESAMPLE (0.12000000 PERCENT) REPEATABLE (42)",
    ),
    "hive": (
        "describe formatted",
        [("", "numRows             ", "1000000             ")],
        "FROM `SHOP`.`T` TABLESAMPLE (0.12000000 PERCENT)",
    ),
    "bigquery": ("rows", 1_000_000, "FROM `my-project`.`SHOP`.`T` TABLESAMPLE SYSTEM (0.12000000 PERCENT)"),
}


def test_a_sample_of_a_large_table_is_chosen_by_the_product(kind: str) -> None:
    text, answer, clause = SAMPLES[kind]
    rows = [(number,) for number in range(900)]
    with source(kind, {text: answer, "SAMPLE": rows, "LIMIT": rows[:5], "FETCH": rows[:5]}) as (_, reading, driver):
        table = reading.relation(level(kind), "SHOP", "T")
        sample = reading.sample(table, ["ID"], 1000)
        assert len(sample.rows) == 900
        assert not sample.is_whole
        bounded = f"{clause} {'FETCH' if kind == 'oracle' else 'LIMIT'}"
        assert [statement for statement in driver.sent if bounded in statement]
        assert reading.estimate(table) == 1_000_000
        assert reading.statistics(level(kind), "SHOP", "T").row_count == 1_000_000


def test_a_sample_of_a_table_of_unknown_size_is_its_beginning(kind: str) -> None:
    with source(kind, {"FROM": [(1,), (2,)]}) as (_, reading, driver):
        sample = reading.sample(reading.relation(level(kind), "SHOP", "T"), ["ID"], 1000)
        assert sample.rows == ((1,), (2,))
        assert sample.is_whole
        assert not [statement for statement in driver.sent if "SAMPLE" in statement]
        if kind != "oracle":
            assert reading.statistics(level(kind), "SHOP", "T") is None


def test_cancelling_stops_the_statement_with_the_drivers_own_means(kind: str) -> None:
    with source(kind, {'"ENDLESS"': "endless", "`ENDLESS`": "endless"}) as (connector, reading, driver):
        query = exp.select(exp.column("ENDLESS", quoted=True)).from_(reading.relation(level(kind), "SHOP", "T"))
        threading.Timer(0.2, connector.cancel).start()
        with pytest.raises(ConnectorError) as stopped:
            reading.ask(query)
        assert stopped.value.kind == "cancelled"
        assert driver.stopped.is_set()
        assert stopped.value.__context__ is None


def test_a_statement_that_takes_too_long_is_stopped(kind: str) -> None:
    answers = {'"ENDLESS"': "endless", "`ENDLESS`": "endless"}
    with source(kind, answers, source_statement_timeout=0.2) as (_, reading, driver):
        query = exp.select(exp.column("ENDLESS", quoted=True)).from_(reading.relation(level(kind), "SHOP", "T"))
        with pytest.raises(ConnectorError, match=r"within 0\.2 seconds") as late:
            reading.ask(query)
        assert late.value.kind == "timeout"
        assert driver.stopped.is_set()
