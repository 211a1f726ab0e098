"""The store's connections: a server that hung up is noticed, and no caller pays for it."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from persistence import engine
from persistence.engine import Database
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.anyio


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[Database]:
    """A store on PostgreSQL with one connection."""
    opened = Database(postgres_url.replace("postgresql://", "postgresql+psycopg://", 1), pool_size=1)
    yield opened
    await opened.close()


def _backend(connection: sa.Connection) -> int:
    pid: int = connection.exec_driver_sql("select pg_backend_pid()").scalar_one()
    return pid


async def _hang_up(server: PostgresServer, pid: int) -> None:
    await asyncio.to_thread(server.execute, f"select pg_terminate_backend({pid}, 5000)")


async def test_a_read_is_asked_again_when_the_server_hung_up(
    database: Database, postgres_server: PostgresServer
) -> None:
    first = await database.read(_backend)
    await _hang_up(postgres_server, first)
    assert await database.read(_backend) != first


async def test_a_rested_connection_is_tried_out_before_a_write(
    database: Database, postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "RESTED_SECONDS", 0)
    first = await database.write(_backend)
    await _hang_up(postgres_server, first)
    assert await database.write(_backend) != first


async def test_a_cancelled_read_leaves_the_pool_whole(database: Database) -> None:
    sleeping = asyncio.create_task(database.read(lambda connection: connection.exec_driver_sql("select pg_sleep(600)")))
    await asyncio.sleep(0.3)
    sleeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sleeping
    async with asyncio.timeout(120):
        assert await database.read(_backend) > 0


async def test_a_failing_read_gives_its_connection_back(database: Database) -> None:
    def fails(connection: sa.Connection) -> None:
        connection.exec_driver_sql("select 1")
        raise LookupError

    for _ in range(3):
        with pytest.raises(LookupError):
            await database.read(fails)
    async with asyncio.timeout(120):
        assert await database.read(_backend) > 0


@pytest.fixture
async def file_store(tmp_path: Path) -> AsyncIterator[Database]:
    """A store in a SQLite file with one number in it."""
    opened = Database(f"sqlite:///{tmp_path / 'stoa.sqlite'}")
    await opened.write(lambda c: c.exec_driver_sql("create table numbers (n integer)"))
    await opened.write(lambda c: c.exec_driver_sql("insert into numbers values (0)"))
    yield opened
    await opened.close()


def _number(connection: sa.Connection) -> int:
    found: int = connection.exec_driver_sql("select n from numbers").scalar_one()
    return found


def _count_up(connection: sa.Connection) -> None:
    connection.exec_driver_sql("update numbers set n = ?", (_number(connection) + 1,))


async def test_forty_transactions_at_once_lose_no_update_in_sqlite(file_store: Database, tmp_path: Path) -> None:
    other = Database(f"sqlite:///{tmp_path / 'stoa.sqlite'}")  # as another process would have it
    await asyncio.gather(*(one.write(_count_up) for _ in range(20) for one in (file_store, other)))
    await other.close()
    assert await file_store.read(_number) == 40


def test_a_new_file_that_another_process_writes_to_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("begin immediate")
        other.execute("create table first (number integer)")
        timer = threading.Timer(0.3, lambda: other.execute("commit"))
        timer.start()
        with closing(sqlite3.connect(path)) as connection:
            engine.prepare_sqlite(connection)
            assert connection.execute("pragma journal_mode").fetchone() == ("wal",)
            assert connection.execute("select count(*) from first").fetchone() == (0,)
        timer.join()


def test_a_file_that_another_process_never_leaves_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SQLITE_PATIENCE_SECONDS", 0)
    path = tmp_path / "new.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as other, closing(sqlite3.connect(path)) as connection:
        other.execute("begin immediate")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            engine.prepare_sqlite(connection)


async def test_a_slow_read_of_sqlite_does_not_hold_up_those_after_it(file_store: Database) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def slow(connection: sa.Connection) -> int:
        begun.set()
        assert may_end.wait(300)
        return _number(connection)

    held_up = asyncio.create_task(file_store.read(slow))
    await asyncio.to_thread(begun.wait, 300)
    await asyncio.sleep(engine.HELD_UP_SECONDS * 2)
    async with asyncio.timeout(120):
        assert await asyncio.gather(*(file_store.read(_number) for _ in range(10))) == [0] * 10
    assert not held_up.done()
    may_end.set()
    assert await held_up == 0


async def test_a_transaction_that_nobody_goes_on_with_is_ended_by_the_server(database: Database) -> None:
    def limit(connection: sa.Connection) -> str:
        return str(connection.exec_driver_sql("show idle_in_transaction_session_timeout").scalar_one())

    assert await database.write(limit) == await database.read(limit) == "1min"


async def test_postgresql_compiles_nothing_to_machine_code(database: Database) -> None:
    def compiles(connection: sa.Connection) -> str:
        return str(connection.exec_driver_sql("show jit").scalar_one())

    assert await database.write(compiles) == await database.read(compiles) == "off"
