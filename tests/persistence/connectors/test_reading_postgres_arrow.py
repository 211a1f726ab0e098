"""Whole tables of a real PostgreSQL as Arrow batches: what comes, on which session, and how it ends."""

import inspect
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest

import persistence.connectors.postgres
from persistence.connectors.core.base import ConnectorError
from persistence.connectors.postgres import arrow as postgres_arrow
from persistence.connectors.postgres.arrow import ArrowStream
from tests.persistence.connectors.postgres_data import (
    ENDLESS,
    ROWS,
    Database,
    connector,
    everything,
    parsed,
    read_from,
    running,
    source,
    until,
)
from tests.support.postgres import PostgresServer


@pytest.fixture(scope="module")
def database(postgres_server: PostgresServer) -> Iterator[Database]:
    """A database with the tables of `postgres_data.py`."""
    with read_from(postgres_server) as made:
        yield made


def test_whole_tables_come_as_arrow_batches_where_it_is_installed(database: Database) -> None:
    with source(database) as reading:
        query = everything(reading.relation(database[1], "public", "large"))
        batches = list(reading.arrow_batches(query))
        assert sum(batch.num_rows for batch in batches) == ROWS
        assert batches[0].schema.names == ["id", "name", "amount"]
        assert batches[0].column(0)[0].as_py() == 1
        with pytest.raises(ConnectorError, match="not a table that this connection reads"):
            reading.arrow_batches(parsed("select * from pg_catalog.pg_class"))
        failing = parsed('select cast("name" as integer) from "public"."large"')
        with pytest.raises(ConnectorError) as failed:
            list(reading.arrow_batches(failing))
        assert "name 1" not in failed.value.reason


def test_a_stream_of_batches_holds_the_only_session(database: Database) -> None:
    def sessions() -> int:
        with psycopg.connect(database[2]) as other:
            asked = "select count(*) from pg_stat_activity where datname = %s and application_name = 'stoa'"
            [(found,)] = other.execute(asked, [database[1]]).fetchall()
            return int(found)

    with source(database) as reading:
        large = reading.relation(database[1], "public", "large")
        count = parsed('select count(*) from "public"."large"')
        assert reading.ask(count) == [(ROWS,)]
        with closing(reading.arrow_batches(everything(large))) as batches:
            next(batches)
            until(lambda: sessions() == 1)
        # One that is in use is left alone.
        with closing(reading.stream(everything(large), 100)) as rows:
            next(rows)
            assert sum(batch.num_rows for batch in reading.arrow_batches(everything(large))) == ROWS
            assert len(next(rows)) == 100
        assert reading.ask(count) == [(ROWS,)]


def test_without_what_decodes_them_there_are_no_arrow_batches(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(persistence.connectors.postgres, "copy", raising=False)
    monkeypatch.setitem(sys.modules, "persistence.connectors.postgres.copy", None)
    with source(database) as reading:
        assert reading.arrow_batches(everything(reading.relation(database[1], "public", "large"))) is None


def test_a_stream_of_batches_is_stopped_in_the_server_by_cancelling(database: Database) -> None:
    with connector(database) as opened_one, opened_one.source() as reading:
        done = threading.Event()

        def stop() -> None:
            until(lambda: running(database[2], "by_arrow") == 1)
            while not done.wait(0.3):
                opened_one.cancel()

        stopper = threading.Thread(target=stop)
        stopper.start()
        with pytest.raises(ConnectorError) as stopped:
            list(reading.arrow_batches(parsed(ENDLESS.format("by_arrow"))))
        done.set()
        stopper.join(30)
    assert stopped.value.kind == "cancelled"
    until(lambda: running(database[2], "by_arrow") == 0)


def test_a_stream_of_batches_cancelled_between_two_of_them_closes_at_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams: list[Any] = []
    plain = ArrowStream.batches

    def kept(self: ArrowStream, module: Any, statement: str) -> Any:
        streams.append(plain(self, module, statement))
        return streams[-1]

    monkeypatch.setattr(ArrowStream, "batches", kept)
    monkeypatch.setattr(ArrowStream, "interrupt", lambda self: None)  # the next batch is here before it is felt
    with connector(database) as opened_one, opened_one.source() as reading:
        endless = 'select a.id from "public"."large" a cross join "public"."large" b'
        batches = reading.arrow_batches(parsed(endless))
        next(batches)
        reading.cancel()
        with pytest.raises(ConnectorError) as stopped:
            next(batches)
        assert stopped.value.kind == "cancelled"  # which still holds on to every frame that it came through
        assert [inspect.getgeneratorstate(one) for one in streams] == [inspect.GEN_CLOSED]


def test_closing_a_stream_of_batches_stops_the_server_that_the_next_one_waits_for(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_arrow, "_BATCH_BYTES", 64 << 10)
    with source(database) as reading:
        waiting = 'select "id" from "public"."large" union all ' + ENDLESS.format("by_close")
        batches = reading.arrow_batches(parsed(waiting))
        first = next(batches).num_rows
        read = first
        while read + 2 * first < ROWS - 1_000:  # those two are read ahead, and the second one never comes
            read += next(batches).num_rows
        batches.close()
        until(lambda: running(database[2], "by_close") == 0)
        assert first < read < ROWS
