"""How a process learns that another one has queued work: PostgreSQL tells it, and SQLite's file is cheap to look at.

News carry nothing but the name of a queue. News that are lost cost one interval of the slow look that goes on beside
(`persistence/jobs/looking.py`); while none can come at all, `come` says so, and the fast look goes on instead.
"""

import asyncio
import contextlib
import logging
import secrets
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final, Protocol

import sqlalchemy as sa

from persistence.connecting import Connecting

log = logging.getLogger("stoa.jobs")

CHANNEL: Final = "stoa_jobs"
_PAUSES: Final = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds between tries to be told again; the last one for ever."""

Heard = Callable[[str | None], None]
"""Called with the queue that has something new; None for any."""


class News(Protocol):
    """Tells a process of what others have queued. Use it on the event loop, but `spread`."""

    come: bool
    """Whether what another process queues is told here."""

    def start(self, heard: Heard) -> None:
        """Listen from now on."""

    def spread(self, connection: sa.Connection, queue: str) -> None:
        """Tell the others once the transaction is committed. In any thread."""

    async def stop(self) -> None:
        """Listen no more."""


class _Listening(ABC):
    """Runs a listener in the background."""

    def __init__(self) -> None:
        self.come = False
        self._task: asyncio.Task[None] | None = None

    def start(self, heard: Heard) -> None:
        """Listen from now on."""
        self._task = asyncio.get_running_loop().create_task(self._listen(heard), name="stoa-jobs-news")

    async def stop(self) -> None:
        """Listen no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        self.come = False

    @abstractmethod
    async def _listen(self, heard: Heard) -> None:
        """Pass on what is told until cancelled."""


class FileNews(_Listening):
    """Looks whether the file of a SQLite store has changed, by whichever connection: some ten microseconds a look."""

    def __init__(self, path: str, seconds: float) -> None:
        super().__init__()
        self._path, self._seconds = path, seconds

    def spread(self, connection: sa.Connection, queue: str) -> None:
        """Do nothing: the file itself tells."""

    async def _listen(self, heard: Heard) -> None:
        seen: Any = None
        with contextlib.closing(sqlite3.connect(self._path, isolation_level=None, timeout=0)) as connection:
            while True:
                try:
                    version = connection.execute("pragma data_version").fetchone()
                    self.come = True
                except sqlite3.Error:
                    version, self.come = None, False
                if version != seen:
                    heard(None)
                seen = version
                await asyncio.sleep(self._seconds)


class PostgresNews(_Listening):
    """Listens to PostgreSQL's notifications over a connection of its own, which costs nothing while none comes."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._address = sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._connecting = Connecting()

    def spread(self, connection: sa.Connection, queue: str) -> None:
        """Tell the others once the transaction is committed."""
        connection.execute(_NOTIFY, {"channel": CHANNEL, "queue": queue})

    async def stop(self) -> None:
        """Listen no more."""
        await super().stop()
        await self._connecting.close()

    async def _listen(self, heard: Heard) -> None:
        import psycopg

        failures = 0
        while True:
            try:
                connection = await self._connecting(
                    self._address, autocommit=True, connect_timeout=10, keepalives_idle=30
                )
                try:
                    await self._hears(connection)
                    if failures:
                        log.warning("the job engine is told of new work again")
                    failures, self.come = 0, True
                    heard(None)  # what was queued before is told to nobody
                    await _told(connection, heard)
                finally:
                    self.come = False
                    await connection.close()
            except (psycopg.Error, OSError) as error:
                if not failures:
                    log.warning("the job engine is not told of new work and looks for it: %s", type(error).__name__)
                heard(None)
            await asyncio.sleep(_PAUSES[min(failures, len(_PAUSES) - 1)])
            failures += 1

    @staticmethod
    async def _hears(connection: Any) -> None:
        """Listen, and be sure of it: what hands connections round between statements takes it, and tells nothing."""
        echo, heard = secrets.token_hex(8), []
        connection.add_notify_handler(lambda notice: heard.append(notice.payload))
        await connection.execute(f"listen {CHANNEL}")
        await connection.execute("select pg_notify(%s, %s)", (CHANNEL, echo))
        if echo not in heard:
            raise ConnectionError("what this connection told was not heard on it")


_NOTIFY: Final = sa.text("select pg_notify(:channel, :queue)")


async def _told(connection: Any, heard: Heard) -> None:
    """Pass on what is told, until the connection is lost, which raises what the driver says.

    The socket is watched by the loop itself: the driver's own iterator wakes up ten times a second.
    """
    wire, loop = connection.pgconn, asyncio.get_running_loop()
    lost: asyncio.Future[None] = loop.create_future()

    def readable() -> None:
        try:
            wire.consume_input()
            while (notice := wire.notifies()) is not None:
                heard(notice.extra.decode(errors="replace"))
        except Exception as error:
            if not lost.done():
                lost.set_exception(error)

    socket = wire.socket
    loop.add_reader(socket, readable)
    try:
        await lost
    finally:
        loop.remove_reader(socket)
