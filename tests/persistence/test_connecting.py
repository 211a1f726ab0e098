"""A connection whose caller is gone is made to its end and closed; nothing is left half made on the server."""

import asyncio
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from persistence import connecting
from persistence.connecting import Connecting

pytestmark = pytest.mark.anyio


class Server:
    """Answers connections when it is let to, and notes which were closed."""

    def __init__(self) -> None:
        self.answers, self.closed, self.asked = asyncio.Event(), 0, asyncio.Event()

    async def connect(self, *_given: Any, **_named: Any) -> Any:
        self.asked.set()
        await self.answers.wait()
        return SimpleNamespace(pgconn=SimpleNamespace(finish=self.finish))

    def finish(self) -> None:
        self.closed += 1


async def _cancelled(connect: Connecting, server: Server) -> None:
    caller = asyncio.create_task(connect("somewhere"))
    await server.asked.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller


async def test_a_connection_whose_caller_is_gone_is_closed_once_it_is_made() -> None:
    server = Server()
    connect = Connecting(server.connect)
    await _cancelled(connect, server)
    assert server.closed == 0
    server.answers.set()
    await connect.close()
    assert server.closed == 1


async def test_a_connection_that_somebody_waits_for_stays_open() -> None:
    server = Server()
    server.answers.set()
    connect = Connecting(server.connect)
    assert await connect("somewhere") is not None
    await connect.close()
    assert server.closed == 0


async def test_closing_breaks_off_what_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "CLOSING_SECONDS", 0.01)
    server = Server()
    connect = Connecting(server.connect)
    await _cancelled(connect, server)
    await connect.close()
    server.answers.set()
    await asyncio.sleep(0)
    assert server.closed == 0


async def test_a_failure_whose_caller_is_gone_troubles_nobody(caplog: pytest.LogCaptureFixture) -> None:
    server = Server()

    async def refuse() -> Any:
        await server.connect()
        raise psycopg.OperationalError("no room")

    connect = Connecting(refuse)
    caller = asyncio.create_task(connect())
    await server.asked.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    server.answers.set()
    await connect.close()
    assert caplog.records == []


async def test_it_makes_connections_of_psycopg(postgres_url: str) -> None:
    connect = Connecting()
    connection = await connect(postgres_url, autocommit=True)
    assert await (await connection.execute("select 1")).fetchone() == (1,)
    await connection.close()
    await connect.close()
