"""The store's connections: a server that hung up is noticed, and no caller pays for it."""

import asyncio
from collections.abc import AsyncIterator

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
    sleeping = asyncio.create_task(database.read(lambda connection: connection.exec_driver_sql("select pg_sleep(60)")))
    await asyncio.sleep(0.3)
    sleeping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sleeping
    async with asyncio.timeout(10):
        assert await database.read(_backend) > 0


async def test_a_failing_read_gives_its_connection_back(database: Database) -> None:
    def fails(connection: sa.Connection) -> None:
        connection.exec_driver_sql("select 1")
        raise LookupError

    for _ in range(3):
        with pytest.raises(LookupError):
            await database.read(fails)
    async with asyncio.timeout(10):
        assert await database.read(_backend) > 0
