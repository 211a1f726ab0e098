"""The data of a real MariaDB: queries, streams, samples, what is refused, time-outs and being cancelled."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pymysql
import pytest
import sqlglot
from sqlglot import exp

from persistence.connectors.core.base import Connector, ConnectorError
from persistence.connectors.mysql.reading import with_histogram
from resolvers.engines.profiling import Header, profile_table
from schema.data_readiness.profile import ProfileTier
from schema.data_readiness.source import ColumnFacts, KnownColumn, TableFacts
from tests.persistence.connectors.sql_support import opened
from tests.support.mariadb import MariadbServer

ROWS = 120_000
DOC = '{"a": [1]}'
MOMENT = datetime.fromisoformat("2024-01-02 03:04:05")

SCHEMA = (
    "create table small (id int primary key, name varchar(50), amount decimal(10, 2), `Odd ``Name` date, doc json,"
    " at datetime, seen timestamp null)",
    "insert into small values (1, 'Ada', 1.50, '2024-02-29', '{\"a\": [1]}', '2024-01-02 03:04:05', null),"
    " (2, null, null, null, null, null, null), (3, 'it''s \\\\ 100%', -3.25, '0001-01-01', '[]', null, null)",
    "set sql_mode = ''",
    "insert into small (id, `Odd ``Name`) values (4, '0000-00-00')",
    "create table large (id int primary key, name varchar(50), kind int, key (kind))",
    f"insert into large select seq, concat('name ', seq), seq % 7 from seq_1_to_{ROWS}",
    "create view seen as select id, name from large",
    "analyze table large persistent for all",
    "analyze table small persistent for all",
)


@pytest.fixture(scope="module")
def database(mariadb_server: MariadbServer) -> Iterator[tuple[MariadbServer, str]]:
    """A server and the name of a database on it with the tables above."""
    name = mariadb_server.create_database()
    connection = pymysql.connect(
        host=mariadb_server.host,
        port=mariadb_server.port,
        user=mariadb_server.user,
        password=mariadb_server.password,
        database=name,
        autocommit=True,
    )
    with connection, connection.cursor() as cursor:
        for statement in SCHEMA:
            cursor.execute(statement)
    yield mariadb_server, name
    mariadb_server.drop_database(name)


Database = tuple[MariadbServer, str]


def connector(database: Database, *, selected: list[dict[str, Any]] | None = None, **settings: Any) -> Connector:
    server, name = database
    config = {"host": server.host, "port": server.port, "database": name, "selected_tables": selected or []}
    return opened("mysql", config, {"username": server.user, "password": server.password}, **settings)


@contextmanager
def source(database: Database, **options: Any) -> Iterator[Any]:
    with connector(database, **options) as opened_one, opened_one.source() as reading:
        yield reading


def everything(table: exp.Table) -> exp.Select:
    return exp.select("*").from_(table)


def query(database: Database, text: str) -> Any:
    """A query in DuckDB's dialect, in which {large} and {small} stand for the tables."""
    names = {name: f'"{database[1]}"."{name}"' for name in ("large", "small", "seen")}
    return sqlglot.parse_one(text.format(**names), dialect="duckdb")


def test_a_query_answers_with_the_values_that_stand_in_the_table(database: Database) -> None:
    with source(database) as reading:
        table = reading.relation(database[1], database[1], "small")
        rows = reading.ask(everything(table).order_by(exp.column("id", quoted=True)))
    assert rows == [
        (
            1,
            "Ada",
            Decimal("1.50"),
            date(2024, 2, 29),
            '{"a": [1]}',
            datetime.fromisoformat("2024-01-02 03:04:05"),
            None,
        ),
        (2, None, None, None, None, None, None),
        (3, "it's \\ 100%", Decimal("-3.25"), date(1, 1, 1), "[]", None, None),
        (4, None, None, "0000-00-00", None, None, None),
    ]


def test_bits_are_numbers_and_a_single_one_is_true_or_false(database: Database) -> None:
    server, name = database
    server.execute(
        f"use {name}",
        "create table bits (id int primary key, flag bit(1), mask bit(8), wide bit(64))",
        "insert into bits values (1, b'0', b'101', 0xFFFFFFFFFFFFFFFF), (2, b'1', b'0', 1), (3, null, null, null),"
        " (4, b'1', b'101', 2)",
    )
    text = f'select flag, mask, wide, max(flag) over (), flag = true from "{name}".bits order by id'
    with source(database) as reading:
        found = reading.ask(sqlglot.parse_one(text, dialect="duckdb"))
    assert found == [(0, 5, 2**64 - 1, 1, 0), (1, 0, 1, 1, 1), (None, None, None, 1, None), (1, 5, 2, 1, 1)]
    kinds = {"id": "INTEGER", "flag": "BOOLEAN", "mask": "BIT"}
    columns = tuple(
        ColumnFacts(f"s.{name}.{name}.bits.{one}", one, at, kind) for at, (one, kind) in enumerate(kinds.items(), 1)
    )
    facts = TableFacts(f"s.{name}.{name}.bits", "data:a:b:s", name, name, "bits", columns)
    for tier in (ProfileTier.SAMPLE, ProfileTier.FULL):
        with source(database) as opened_one:
            made = profile_table(opened_one, facts, Header("p", "r", datetime.now(UTC)), tier=tier)
        _, flag, mask = made.columns
        assert (flag.kind, flag.null_count, flag.distinct_count) == ("boolean", 1, 2)
        assert [(one.value, one.count) for one in flag.top_values] == [("true", 2), ("false", 1)]
        assert (mask.kind, mask.null_count) == ("other", 1)


def test_what_is_written_for_duckdb_is_sent_in_the_dialect_of_the_source(database: Database) -> None:
    with source(database) as reading:
        assert reading.dialect == "mysql"
        ((count, text, wide),) = reading.ask(
            query(database, "select count(*), 'a\\' || '''%s', cast(max(\"id\") as text) from {large}")
        )
    assert (count, text, wide) == (ROWS, "a\\'%s", str(ROWS))


def test_long_answers_are_refused_and_streamed_instead(database: Database) -> None:
    with source(database) as reading:
        table = reading.relation(database[1], database[1], "large")
        with pytest.raises(ConnectorError, match="more than 100,000 rows"):
            reading.ask(everything(table))
        sizes = [len(batch) for batch in reading.stream(everything(table), size=7000)]
        assert sizes == [7000] * (ROWS // 7000) + [ROWS % 7000]
        stream = reading.stream(everything(table), size=10)
        assert len(next(stream)) == 10
        stream.close()
        assert reading.ask(query(database, "select count(*) from {large}")) == [(ROWS,)]


def test_a_sample_of_a_large_table_is_spread_over_it_and_the_same_when_repeated(database: Database) -> None:
    with source(database) as reading:
        table = reading.relation(database[1], database[1], "large")
        sample = reading.sample(table, ["id", "name"], 1000)
        again = reading.sample(table, ["id", "name"], 1000)
        small = reading.sample(reading.relation(database[1], database[1], "small"), ["id"], 4)
        view = reading.sample(reading.relation(database[1], database[1], "seen"), ["id"], 100)
    assert sample == again
    assert not sample.is_whole
    assert 700 <= len(sample.rows) <= 1000
    ids = [row[0] for row in sample.rows]
    assert ROWS * 0.4 < sum(ids) / len(ids) < ROWS * 0.6
    assert small.is_whole
    assert small.rows == ((1,), (2,), (3,), (4,))
    assert len(view.rows) == 100
    assert not view.is_whole


def test_the_session_itself_refuses_to_write(database: Database) -> None:
    with source(database) as reading:
        for statement in (f"insert into {database[1]}.small (id) values (9)", f"create table {database[1]}.n (id int)"):
            with pytest.raises(ConnectorError, match="READ ONLY"):
                list(reading.batches(statement, 10, 5.0))
        assert reading.ask(query(database, "select count(*) from {small}")) == [(4,)]


def test_only_selected_tables_can_be_read(database: Database) -> None:
    name = database[1]
    selected = [{"database_name": name, "schemas": [{"schema_name": name, "tables": ["small"]}]}]
    with source(database, selected=selected) as reading:
        assert reading.ask(everything(reading.relation(name, name, "small")).limit(1))
        for schema, table in ((name, "large"), ("mysql", "user"), ("information_schema", "tables")):
            with pytest.raises(ConnectorError, match="not a table that this connection reads"):
                reading.relation(name, schema, table)
            with pytest.raises(ConnectorError, match="not a table that this connection reads"):
                reading.ask(everything(exp.table_(table, db=schema, quoted=True)))
        with pytest.raises(ConnectorError, match="not a table that this connection reads"):
            reading.ask(sqlglot.parse_one('select * from "small"', dialect="duckdb"))


ENDLESS = 'select count(*) as "{0}" from {{large}} a join {{large}} b on a.id + b.id < 0'


def test_a_statement_on_data_has_a_time_limit_of_its_own(database: Database) -> None:
    with source(database, statement_timeout=60, source_statement_timeout=1) as reading:
        with pytest.raises(ConnectorError, match="within 1 seconds") as late:
            reading.ask(query(database, ENDLESS.format("late")))
        assert late.value.kind == "timeout"
        assert reading.ask(query(database, "select count(*) from {small}")) == [(4,)]


def running(server: MariadbServer, words: str) -> int:
    connection = pymysql.connect(host=server.host, port=server.port, user=server.user, password=server.password)
    with connection, connection.cursor() as cursor:
        cursor.execute(
            "select count(*) from information_schema.processlist where info like %s and id <> connection_id()",
            [f"%{words}%"],
        )
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.05)


def test_cancelling_from_another_thread_stops_the_statement_in_the_server(database: Database) -> None:
    failures: list[ConnectorError] = []
    with connector(database) as opened_one:

        def work() -> None:
            with opened_one.source() as reading:
                for text in (ENDLESS.format("by_thread"), "select count(*) from {small}"):
                    try:
                        reading.ask(query(database, text))
                    except ConnectorError as error:
                        failures.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        until(lambda: running(database[0], "by_thread") == 1)
        for _ in range(100):
            opened_one.cancel()
            thread.join(0.3)
            if not thread.is_alive():
                break
    assert [failure.kind for failure in failures] == ["cancelled", "cancelled"]
    until(lambda: running(database[0], "by_thread") == 0)


def test_leaving_a_long_answer_does_not_read_the_rest_of_it(database: Database) -> None:
    endless = "select a.id, b.name from {large} a, {large} b"
    with source(database) as reading:
        stream = reading.stream(query(database, endless))
        next(stream)
        stream.close()
        assert reading.ask(query(database, "select count(*) from {small}")) == [(4,)]
    until(lambda: running(database[0], "`b`.`name`") == 0)


def test_a_failed_query_does_not_quote_the_data(database: Database) -> None:
    failing = exp.select(exp.func("json_compact", exp.column("name", quoted=True)))
    with source(database) as reading:
        table = reading.relation(database[1], database[1], "small")
        with pytest.raises(ConnectorError) as failed:
            reading.ask(failing.from_(table).where("pow(10, 1000) > 0"))
    assert "Ada" not in failed.value.reason


def test_a_view_on_a_table_that_is_gone_is_no_lack_of_rights(database: Database) -> None:
    server, name = database
    server.execute(
        "create table short (x int)", "create view left_over as select x from short", "drop table short", database=name
    )
    try:
        with source(database) as reading, pytest.raises(ConnectorError) as refused:
            reading.ask(everything(reading.relation(name, name, "left_over")))
    finally:
        server.execute("drop view left_over", database=name)
    assert refused.value.kind == "permission"  # so that it is left out, and the other tables are read
    assert "tables or columns that are gone" in refused.value.reason
    assert "Grant" not in refused.value.reason


def test_what_the_server_knows_of_a_table_is_told(database: Database) -> None:
    with source(database) as reading:
        known = reading.statistics(database[1], database[1], "large")
        view = reading.statistics(database[1], database[1], "seen")
    assert known is not None
    assert known.row_count == pytest.approx(ROWS, rel=0.1)
    kind, ids = known.column("kind"), known.column("id")
    assert kind is not None
    assert ids is not None
    assert kind.distinct_count == pytest.approx(7, abs=1)
    assert kind.null_fraction == 0
    assert (kind.minimum, kind.maximum) == ("0", "6")
    assert ids.distinct_count == pytest.approx(ROWS, rel=0.1)
    assert view is None


def test_histograms_of_mysql_are_understood() -> None:
    """As MySQL's manual shows them; MariaDB has none."""
    singleton = {
        "buckets": [["base64:type254:YQ==", 0.2], ["base64:type254:YsO8", 0.75]],
        "null-values": 0.25,
        "histogram-type": "singleton",
    }
    heights = {
        "buckets": [[1, 10, 0.5, 8], [11, 99, 1.0, 20]],
        "null-values": 0.0,
        "histogram-type": "equi-height",
    }
    found = with_histogram(KnownColumn("c"), json.dumps(singleton))
    assert found.null_fraction == 0.25
    assert found.distinct_count == 2
    assert [value for value, _ in found.common_values] == ["bü", "a"]
    assert [share for _, share in found.common_values] == pytest.approx([0.55, 0.2])
    found = with_histogram(KnownColumn("c"), json.dumps(heights))
    assert (found.histogram_bounds, found.distinct_count, found.null_fraction) == (("1", "10", "99"), 28, 0.0)
    assert with_histogram(KnownColumn("c"), None) == KnownColumn("c")


PEAK = """
import resource, sys
sys.path.insert(0, {path!r})
from sqlglot import exp
from tests.persistence.connectors.sql_support import opened
config = {config!r}
with opened("mysql", config, {credentials!r}) as connector, connector.source() as source:
    query = exp.select("*").from_(source.relation(config["database"], config["database"], "long"))
    next(source.stream(query.limit(1)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rows = sum(len(batch) for batch in source.stream(query))
    print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_streaming_many_rows_takes_constant_memory(database: Database) -> None:
    server, name = database
    server.execute("create view `long` as select seq as id, repeat('x', 300) as t from seq_1_to_500000", database=name)
    config = {"host": server.host, "port": server.port, "database": name}
    script = PEAK.format(
        path=str(Path(__file__).resolve().parents[3]),
        config=config,
        credentials={"username": server.user, "password": server.password},
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    rows, grown = map(int, ended.stdout.split())
    assert rows == 500_000
    assert grown < 48 * 1024, "kilobytes; the rows are 150 megabytes"
