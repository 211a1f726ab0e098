"""The data of a real PostgreSQL: queries, streams, samples, what is refused, time-outs and being cancelled."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlglot
from sqlglot import exp

from persistence.connectors.core.base import Connector, ConnectorError, ConnectorSettings
from persistence.connectors.core.gateway import Gateway
from tests.persistence.connectors.postgres_data import (
    ENDLESS,
    ROWS,
    Database,
    cancel,
    connector,
    everything,
    parsed,
    read_from,
    running,
    source,
    until,
)
from tests.persistence.connectors.sql_support import Loopback
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def database(postgres_server: PostgresServer) -> Iterator[Database]:
    """A database with the tables of `postgres_data.py`."""
    with read_from(postgres_server) as made:
        yield made


def test_a_query_answers_with_the_values_that_stand_in_the_table(database: Database) -> None:
    with source(database) as reading:
        table = reading.relation(database[1], "public", "small")
        rows = reading.ask(everything(table).order_by(exp.column("id", quoted=True)))
    assert rows == [
        (1, "Ada", Decimal("1.50"), date(2024, 2, 29), '{"a": [1]}', ["x", "y"]),
        (2, None, None, "infinity", None, None),
        (3, "it's \\ 100%", Decimal("-3.25"), "0044-03-15 BC", "[]", []),
    ]


def test_what_is_written_for_duckdb_is_sent_in_the_dialect_of_the_source(database: Database) -> None:
    with source(database) as reading:
        assert reading.dialect == "postgres"
        ((nulls, halves, text),) = reading.ask(
            parsed(
                "select count(*) filter (where \"amount\" is null), quantile_cont(\"id\", 0.5), max('a\\' || '%s')"
                ' from "public"."large"'
            )
        )
    assert (nulls, halves, text) == (ROWS // 10, ROWS / 2 + 0.5, "a\\%s")


def test_an_answer_of_more_than_a_hundred_thousand_rows_is_refused_and_streamed_instead(database: Database) -> None:
    with source(database) as reading:
        table = reading.relation(database[1], "public", "large")
        with pytest.raises(ConnectorError, match="more than 100,000 rows"):
            reading.ask(everything(table))
        assert len(reading.ask(everything(table).limit(100_000))) == 100_000
        sizes = [len(batch) for batch in reading.stream(everything(table), size=7000)]
    assert sizes == [7000] * (ROWS // 7000) + [ROWS % 7000]


def test_a_stream_that_is_left_early_does_not_stand_in_the_way_of_the_next_question(database: Database) -> None:
    with source(database) as reading:
        table = reading.relation(database[1], "public", "large")
        stream = reading.stream(everything(table), size=10)
        assert len(next(stream)) == 10
        stream.close()
        assert reading.ask(parsed('select count(*) from "public"."large"')) == [(ROWS,)]


def test_a_sample_of_a_large_table_is_spread_over_it_and_the_same_when_repeated(database: Database) -> None:
    with source(database) as reading:
        table = reading.relation(database[1], "public", "large")
        sample = reading.sample(table, ["id", "name"], 1000)
        again = reading.sample(table, ["id", "name"], 1000)
    assert sample == again
    assert sample.columns == ("id", "name")
    assert not sample.is_whole
    assert 700 <= len(sample.rows) <= 1000
    ids = [row[0] for row in sample.rows]
    assert len(set(ids)) == len(ids)
    # An even spread has its mean near the middle; the first thousand rows would have it at 500.
    assert ROWS * 0.4 < sum(ids) / len(ids) < ROWS * 0.6


def test_a_partitioned_table_is_sampled_over_all_its_partitions(database: Database) -> None:
    with source(database) as reading:
        sample = reading.sample(reading.relation(database[1], "public", "parted"), ["year"], 500)
    assert not sample.is_whole
    assert {row[0] for row in sample.rows} == {1, 2}


def test_a_sample_of_a_small_table_is_all_of_it(database: Database) -> None:
    with source(database) as reading:
        table = reading.relation(database[1], "public", "small")
        sample = reading.sample(table, ["tags", "doc"], 3)
        assert sample.is_whole
        assert sample.rows == (('["x", "y"]', '{"a": [1]}'), (None, None), ("[]", "[]"))
        assert not reading.sample(table, ["id"], 2).is_whole


def test_a_table_that_was_never_analysed_is_sampled_all_over_too(database: Database) -> None:
    with psycopg.connect(database[2], autocommit=True) as connection:
        connection.execute(
            "create table loaded as select i as id, repeat('x', 50) as text from generate_series(1, 90000) i"
        )
    with source(database) as reading:
        sample = reading.sample(reading.relation(database[1], "public", "loaded"), ["id"], 1000)
    ids = [row[0] for row in sample.rows]
    assert 500 <= len(ids) <= 1000
    assert not sample.is_whole
    assert 90_000 * 0.4 < sum(ids) / len(ids) < 90_000 * 0.6


def test_a_scan_is_shared_among_processes_of_the_server(database: Database) -> None:
    with psycopg.connect(database[2], autocommit=True) as connection:
        connection.execute("alter table large set (parallel_workers = 2)")
    plans = "select count(*) from pg_stat_activity where backend_type = 'parallel worker' and query like '%by_many%'"
    seen: list[int] = []
    with connector(database) as opened_one, psycopg.connect(database[2], autocommit=True) as watch:

        def look() -> None:
            def workers() -> bool:
                row = watch.execute(plans).fetchone()
                return bool(row and row[0])

            until(workers)
            seen.append(1)
            while not done.wait(0.3):
                opened_one.cancel()

        done = threading.Event()
        thread = threading.Thread(target=look)
        thread.start()
        with opened_one.source() as reading, pytest.raises(ConnectorError, match="cancelled"):
            reading.ask(parsed(ENDLESS.format("by_many")))
        done.set()
        thread.join(30)
    assert seen == [1]


def test_a_view_is_sampled_by_its_first_rows(database: Database) -> None:
    with source(database) as reading:
        sample = reading.sample(reading.relation(database[1], "public", "seen"), ["id"], 100)
    assert len(sample.rows) == 100
    assert not sample.is_whole


@pytest.mark.parametrize(
    "text",
    [
        'insert into "public"."small" values (9)',
        'update "public"."small" set id = 9',
        'delete from "public"."small"',
        'drop table "public"."small"',
        'create table "public"."new" as select 1',
        'with gone as (delete from "public"."small" returning id) select * from gone',
        'select * into "public"."new" from "public"."small"',
        'select * from "public"."small" for update',
        "select * from pg_read_file('/etc/passwd')",
        "select * from dblink('x', 'y')",
        'copy "public"."small" to stdout',
        "set search_path = public",
        "select query_to_xml('select * from other.hidden', true, true, '')",
        "select pg_read_file('/etc/passwd')",
        "select pg_catalog.pg_read_file('/etc/passwd')",
        "select public.mine(1)",
        "select nextval('s'), set_config('a.b', 'c', false)",
        "select pg_sleep(100)",
    ],
)
def test_what_is_not_a_query_that_reads_is_never_sent(database: Database, text: str) -> None:
    sent: list[str] = []
    with source(database) as reading:
        reading.batches = lambda statement, size, seconds: sent.append(statement) or iter(())
        with pytest.raises(ConnectorError) as refused:
            reading.ask(sqlglot.parse_one(text, dialect="postgres"))
    assert refused.value.kind == "failed"
    assert sent == []


def test_the_session_itself_refuses_to_write(database: Database) -> None:
    with source(database) as reading:
        for statement in ("insert into public.small values (9)", "create table public.new (id int)"):
            with pytest.raises(ConnectorError, match="read-only transaction"):
                list(reading.batches(statement, 10, 5.0))
        # Not even when a statement before it asked for more.
        list(reading.batches("select set_config('default_transaction_read_only', 'off', false)", 10, 5.0))
        with pytest.raises(ConnectorError, match="read-only transaction"):
            list(reading.batches("insert into public.small values (9)", 10, 5.0))
        assert reading.ask(parsed('select count(*) from "public"."small"')) == [(3,)]


def test_only_selected_tables_can_be_read(database: Database) -> None:
    name = database[1]
    selected = [{"database_name": name, "schemas": [{"schema_name": "public", "tables": ["small", "seen"]}]}]
    with source(database, selected=selected) as reading:
        assert reading.ask(everything(reading.relation(name, "public", "small")).limit(1))
        for schema, table in (("public", "large"), ("other", "hidden"), ("public", "gone"), ("pg_catalog", "pg_class")):
            with pytest.raises(ConnectorError, match="not a table that this connection reads") as refused:
                reading.relation(name, schema, table)
            assert refused.value.kind == "not_found"
            with pytest.raises(ConnectorError, match="not a table that this connection reads"):
                reading.ask(everything(exp.table_(table, db=schema, quoted=True)))
        with pytest.raises(ConnectorError, match="not a table that this connection reads"):
            reading.relation("elsewhere", "public", "small")
        with pytest.raises(ConnectorError, match="not a table that this connection reads"):
            reading.ask(parsed('select * from "small"'))
        hidden = 'select id from "public"."small" where id in (select id from "other"."hidden")'
        with pytest.raises(ConnectorError, match=r"other\.hidden"):
            reading.ask(parsed(hidden))
        assert reading.ask(parsed('with a as (select 1 as one from "public"."small") select count(*) from a')) == [(3,)]


@pytest.mark.parametrize(
    "text",
    [
        "select * from (with pg_authid as (select 1) select * from pg_authid) a, pg_authid b",
        "with pg_authid as (select * from pg_authid) select * from pg_authid",
        "with a as (select * from pg_authid), pg_authid as (select 1) select * from a",
        "select (with pg_authid as (select 1) select 1), (select count(*) from pg_authid)",
    ],
)
def test_a_name_in_with_opens_no_table_of_the_same_name(database: Database, text: str) -> None:
    with source(database) as reading, pytest.raises(ConnectorError, match="'pg_authid' is not a table"):
        reading.ask(sqlglot.parse_one(text, dialect="postgres"))


@pytest.mark.parametrize(
    "text",
    [
        "with a as (select 1 as n), b as (select * from a) select n from b where n in (select n from a)",
        "with recursive a as (select 1 as n union all select n + 1 from a where n < 1) select n from a",
        "select n from (with a as (select 1 as n) select * from (select * from a) b) c",
        "with a as (select 1 as n) select n from a union select n from a",
    ],
)
def test_names_in_with_are_tables_where_they_are_in_force(database: Database, text: str) -> None:
    with source(database) as reading:
        assert reading.ask(sqlglot.parse_one(text, dialect="postgres")) == [(1,)]


def test_the_catalog_of_the_server_cannot_be_read_as_data(database: Database) -> None:
    with source(database) as reading:
        for name in ("pg_catalog.pg_authid", "information_schema.tables"):
            with pytest.raises(ConnectorError, match="not a table that this connection reads"):
                reading.ask(parsed(f"select * from {name}"))


def test_a_statement_on_data_has_a_time_limit_of_its_own(database: Database) -> None:
    slow = 'select count(*) from "public"."large" a join "public"."large" b on a.id + b.id < 0'
    with source(database, statement_timeout=60, source_statement_timeout=0.3) as reading:
        with pytest.raises(ConnectorError, match=r"within 0\.3 seconds") as late:
            reading.ask(parsed(slow))
        assert late.value.kind == "timeout"
        assert reading.ask(parsed('select count(*) from "public"."small"')) == [(3,)]


def test_a_failed_query_does_not_quote_the_data(database: Database) -> None:
    with source(database) as reading:
        failing = parsed('select cast("name" as integer) from "public"."small" where id = 1')
        with pytest.raises(ConnectorError) as failed:
            reading.ask(failing)
    assert "Ada" not in failed.value.reason
    assert failed.value.__context__ is None


def test_cancelling_from_another_thread_stops_the_statement_in_the_server(database: Database) -> None:
    failures: list[ConnectorError] = []
    with connector(database) as opened_one:

        def work() -> None:
            with opened_one.source() as reading:
                try:
                    reading.ask(parsed(ENDLESS.format("by_thread")))
                except ConnectorError as error:
                    failures.append(error)
                try:
                    reading.ask(parsed('select count(*) from "public"."small"'))
                except ConnectorError as error:
                    failures.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        until(lambda: running(database[2], "by_thread") == 1)
        cancel(opened_one, thread)
    assert [failure.kind for failure in failures] == ["cancelled", "cancelled"]
    assert running(database[2], "by_thread") == 0


def gateway() -> Gateway:
    return Gateway(ConnectorSettings(connect_timeout=5, statement_timeout=20), Loopback())


def used(database: Database, words: str, **options: Any) -> Any:
    server, name, _ = database

    def work(opened_one: Connector) -> None:
        with opened_one.source() as reading:
            reading.ask(parsed(ENDLESS.format(words)))

    return gateway().use(
        "postgres",
        {"host": server.host, "port": server.port, "database": name},
        {"username": server.user, "password": server.password},
        work,
        organization="acme",
        **options,
    )


async def test_no_statement_goes_on_when_the_waiting_task_is_cancelled(database: Database) -> None:
    task = asyncio.create_task(used(database, "by_task", timeout=60))
    while running(database[2], "by_task") == 0:
        await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    until(lambda: running(database[2], "by_task") == 0)


async def test_no_statement_goes_on_when_the_deadline_has_passed(database: Database) -> None:
    with pytest.raises(ConnectorError, match="did not answer within 1 seconds"):
        await used(database, "by_deadline", timeout=1)
    until(lambda: running(database[2], "by_deadline") == 0)


PEAK = """
import resource, sys
sys.path.insert(0, {path!r})
from sqlglot import exp
from tests.persistence.connectors.sql_support import opened
config = {config!r}
with opened("postgres", config, {credentials!r}) as connector, connector.source() as source:
    table = source.relation(config["database"], "public", "endless")
    query = exp.select("*").from_(table)
    next(source.stream(query.limit(1)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rows = sum(len(batch) for batch in source.stream(query))
    print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_streaming_millions_of_rows_takes_constant_memory(database: Database) -> None:
    server, name, url = database
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "create view endless as select i as id, repeat('x', 100) || i as text from generate_series(1, 2000000) i"
        )
    config = {"host": server.host, "port": server.port, "database": name}
    script = PEAK.format(
        path=str(Path(__file__).resolve().parents[3]),
        config=config,
        credentials={"username": server.user, "password": server.password},
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    rows, grown = map(int, ended.stdout.split())
    assert rows == 2_000_000
    assert grown < 64 * 1024, "kilobytes; the rows are 250 megabytes"  # the whole answer is four times as large


def test_moments_beyond_those_of_python_are_read_as_text(database: Database) -> None:
    with source(database) as reading:
        rows = reading.ask(
            sqlglot.parse_one(
                "select timestamp '2024-01-02 03:04:05', timestamp 'infinity', timestamptz '-infinity',"
                " time '24:00:00', date '10000-01-01' from \"public\".\"small\" limit 1",
                dialect="postgres",
            )
        )
    assert rows == [(datetime.fromisoformat("2024-01-02 03:04:05"), "infinity", "-infinity", "24:00:00", "10000-01-01")]


def test_what_analyze_knows_is_told(database: Database) -> None:
    with source(database) as reading:
        known = reading.statistics(database[1], "public", "large")
        parted = reading.statistics(database[1], "public", "parted")
        seen = reading.statistics(database[1], "public", "seen")
    assert known is not None
    assert known.row_count == ROWS
    assert known.analysed_at is not None
    assert not known.is_exact
    assert [column.name for column in known.columns] == ["id", "name", "amount"]
    ids, amounts = known.column("id"), known.column("amount")
    assert ids is not None
    assert amounts is not None
    assert ids.null_fraction == 0
    assert ids.distinct_count == ROWS
    assert ids.correlation == 1.0
    assert ids.average_width == 4
    assert ids.histogram_bounds[0] == "1" or 1 <= int(ids.histogram_bounds[0]) < ROWS / 50
    assert amounts.null_fraction == pytest.approx(0.1, abs=0.02)
    assert parted is not None
    assert parted.row_count == 40_000
    years = parted.column("year")
    assert years is not None
    assert {value for value, _ in years.common_values} == {"1", "2"}
    assert sum(share for _, share in years.common_values) == pytest.approx(1.0, abs=0.001)
    assert years.distinct_count == 2
    assert seen is None


def test_nothing_is_known_of_a_table_that_was_never_analysed(database: Database) -> None:
    with psycopg.connect(database[2], autocommit=True) as connection:
        connection.execute("create table fresh as select generate_series(1, 10) as id")
    with source(database) as reading:
        assert reading.statistics(database[1], "public", "fresh") is None
        with pytest.raises(ConnectorError, match="not a table that this connection reads"):
            reading.statistics(database[1], "pg_catalog", "pg_class")
