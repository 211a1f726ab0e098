"""The connection to Stoa's own store: whole units of work, one hop each, on SQLite and PostgreSQL alike.

A unit of work is a plain function of a SQLAlchemy `Connection`. On SQLite it runs in a thread (one hop for the whole
unit, which measured 6 to 13 times cheaper than a hop per statement); on PostgreSQL it runs through psycopg's
asynchronous connection by SQLAlchemy's greenlet bridge. The function is the same, so there is one code path.
"""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import orjson
import sqlalchemy as sa
from pydantic import BaseModel, Field, SecretStr, field_validator
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.util import greenlet_spawn

from persistence.connecting import Connecting, steady
from persistence.pipeline import NotAsked, Pipeline
from persistence.private import private_database
from schema.errors import ApiError, DatabaseError

T = TypeVar("T")
Work = Callable[[sa.Connection], T]
Values = Mapping[str, Any] | tuple[Any, ...]
"""What a statement asks with, by name or by position."""

BeforeCommit = Callable[[], Awaitable[None]]

log = logging.getLogger("stoa.persistence")

HELD_UP_SECONDS = 0.025
"""How long one read of SQLite may take before the reads after it go past it."""

IDLE_SECONDS = 60
"""After which PostgreSQL ends a transaction of a process that froze in its middle; nobody else waits for longer."""

SQLITE_PATIENCE_SECONDS = 30
"""How long a connection of SQLite waits for others that write."""

RESTED_SECONDS = 1.0
"""How long a PostgreSQL connection may lie unused before it is tried out first."""


def checked_store_url(value: SecretStr) -> SecretStr:
    """The address of a store, or ValueError with what is wrong with it and no part of it: it may hold a password."""
    url = value.get_secret_value()
    if not url.startswith(("postgresql://", "postgres://", "sqlite:///")):
        raise ValueError("it must start with postgresql://, or be left out for SQLite in the data folder")
    try:
        read = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        read = None
    # A raw @ of a password would be looked up, and shown, as a part of the host's name.
    if read is None or "@" in (read.host or ""):
        raise ValueError(
            "it cannot be read; write it as postgresql://user:password@host:5432/name, "
            "with @ / : # ? % in a password as %40 %2F %3A %23 %3F %25"
        )
    return value


def driver_url(url: str) -> str:
    """A checked address as SQLAlchemy takes it."""
    _, _, rest = url.partition("://")
    return f"postgresql+psycopg://{rest}" if url.startswith("postgres") else url


class DatabaseSettings(BaseModel):
    """Where the platform keeps its own records."""

    data: Path = Field(Path("stoa-data"), description="Folder of the embedded store, blobs, keys and job log.")
    database_url: SecretStr | None = Field(
        None, description="postgresql://user:password@host/name; unset: SQLite in the data folder."
    )
    database_pool: int = Field(
        10, ge=1, le=200, description="Connections to PostgreSQL for reads, and as many for writes."
    )

    @field_validator("database_url")
    @classmethod
    def _known_store(cls, value: SecretStr | None) -> SecretStr | None:
        return value if value is None else checked_store_url(value)

    @property
    def resolved_database_url(self) -> str:
        """The SQLAlchemy address in force."""
        if self.database_url is None:
            return f"sqlite:///{self.data / 'stoa.sqlite'}"
        return driver_url(self.database_url.get_secret_value())


class Database:
    """Runs units of work; `read` may run many at once, `write` is one transaction each."""

    def __init__(self, url: str, *, pool_size: int = 10) -> None:
        self.dialect = sa.make_url(url).get_backend_name()
        self._side: _Sqlite | _Postgres
        if self.dialect == "sqlite":
            self._side = _Sqlite(url)
        elif self.dialect == "postgresql":
            self._side = _Postgres(url, pool_size)
        else:
            raise ValueError(f"STOA_DATABASE_URL must name postgresql or be left out for SQLite, not {self.dialect}.")

    @property
    def reads_one_state(self) -> bool:
        """Return whether all statements of a unit that only reads see one state of the store."""
        return self.dialect == "sqlite"

    @property
    def sync_engines(self) -> tuple[sa.Engine, ...]:
        """The engines underneath, for listening to statements."""
        return self._side.engines

    async def read(self, work: Work[T]) -> T:
        """Run a unit that only reads. Raises DatabaseError when the store fails."""
        try:
            return await self._side.read(work)
        except sa.exc.DBAPIError as error:
            raise _translated(error) from error

    async def write(self, work: Work[T], *, before_commit: BeforeCommit | None = None) -> T:
        """Run a unit as one transaction: all of it or, when anything raises, nothing.

        `before_commit` is awaited between the work and the commit, for a second store that must agree.
        Raises DatabaseError when the store fails; `sqlalchemy.exc.IntegrityError` passes through.
        """
        try:
            return await self._side.write(work, before_commit)
        except sa.exc.DBAPIError as error:
            raise _translated(error) from error

    async def glance(self, statement: str, values: Values, *, binary: bool = False) -> list[Any]:
        """Ask something so short that getting ready for it would cost more than the answer; the driver's own rows.

        It runs beside the pools, one statement after another, and sees all that was committed before it was asked. So
        it is for what finds a few rows by a key. The statement is spelled as the driver of the store wants it; `binary`
        is better where rows hold bytes. Raises DatabaseError when the store fails.
        """
        # Who listens to statements hears this one too, and whatever is wrong is told as it always was: for both, the
        # statement goes the usual way.
        if not any(engine.dispatch.before_cursor_execute for engine in self._side.engines):
            found = await self._side.glance(statement, values, binary)
            if found is not None:
                return found
        given = dict(values) if isinstance(values, Mapping) else values
        return await self.read(lambda connection: list(connection.exec_driver_sql(statement, given)))

    async def flush(self) -> bool:
        """Put all that was committed so far where a power cut does not take it back; whether that was possible.

        PostgreSQL does so at each commit. SQLite, as it is used here, keeps its order through a power cut, but may lose
        the last commits.
        """
        try:
            return await self._side.flush()
        except (sa.exc.DBAPIError, sqlite3.Error):
            return False

    async def close(self) -> None:
        """Give back every connection."""
        await self._side.close()


def _translated(error: sa.exc.DBAPIError) -> Exception:
    if isinstance(error, sa.exc.IntegrityError):
        return error
    log.error("the store failed: %s", type(error.orig).__name__, exc_info=error)
    failure: ApiError = DatabaseError("The store could not answer. Retry shortly.")
    return failure


class _Readers:
    """One thread for SQLite's reads, and a few more that help out while that one is held up by a slow read.

    The driver gives up Python's lock at every row, so that threads that read at the same time mostly hand it to and
    fro: with four of them a read of 500 rows cost twice the CPU of one thread's (17.9 against 7.8 ms).
    """

    def __init__(self) -> None:
        self._first = ThreadPoolExecutor(1, thread_name_prefix="stoa-read")
        self._helpers = ThreadPoolExecutor(3, thread_name_prefix="stoa-slow-read")
        self._since: float | None = None

    async def run(self, unit: Callable[[], T]) -> T:
        """Run a unit in whichever thread is free soon."""
        loop = asyncio.get_running_loop()
        since = self._since
        if since is not None and time.monotonic() - since > HELD_UP_SECONDS:
            return await loop.run_in_executor(self._helpers, unit)
        return await loop.run_in_executor(self._first, self._timed, unit)

    def _timed(self, unit: Callable[[], T]) -> T:
        self._since = time.monotonic()
        try:
            return unit()
        finally:
            self._since = None

    def close(self) -> None:
        """Wait for what is running, and end the threads."""
        for threads in (self._first, self._helpers):
            threads.shutdown(wait=True)


class _Sqlite:
    """Readers in a small pool of threads, one writer at a time with BEGIN IMMEDIATE."""

    def __init__(self, url: str) -> None:
        database = sa.make_url(url).database
        private_database(database)
        self._reader, self._writer = (_sqlite_engine(url, begin) for begin in ("BEGIN", "BEGIN IMMEDIATE"))
        self.engines = (self._reader, self._writer)
        self._database = database
        self._aside: sqlite3.Connection | None = None
        self._readers = _Readers()
        self._write_thread = ThreadPoolExecutor(1, thread_name_prefix="stoa-write")
        self._one_writer = asyncio.Lock()

    async def read(self, work: Work[T]) -> T:
        def unit() -> T:
            with self._reader.connect() as connection:
                return work(connection)

        return await self._readers.run(unit)

    async def glance(self, statement: str, values: Values, _binary: bool) -> list[Any] | None:
        # In the loop itself: a look into a small table takes some ten microseconds, a hop to a thread ten times that.
        # It waits for nobody (readers of a write-ahead log need not), and the usual way is asked where it would.
        try:
            if self._aside is None:
                self._aside = sqlite3.connect(self._database or "", isolation_level=None, timeout=0)
            return self._aside.execute(statement, values).fetchall()
        except sqlite3.Error:
            return None

    async def write(self, work: Work[T], before_commit: BeforeCommit | None) -> T:
        async with self._one_writer:
            if before_commit is None:
                return await self._hop(lambda: self._whole(work))
            connection = await self._hop(self._writer.connect)
            try:
                result = await self._hop(lambda: work(connection))
                await before_commit()
                await self._hop(connection.commit)
            finally:
                await self._hop(connection.close)
            return result

    def _whole(self, work: Work[T]) -> T:
        with self._writer.begin() as connection:
            return work(connection)

    async def flush(self) -> bool:
        async with self._one_writer:
            return await self._hop(self._checkpointed)

    def _checkpointed(self) -> bool:
        connection = self._writer.raw_connection()  # a checkpoint cannot be part of a transaction
        try:
            busy, written, moved = connection.cursor().execute("pragma wal_checkpoint(full)").fetchone()
            return not busy and written == moved
        finally:
            connection.close()

    async def _hop(self, step: Callable[[], T]) -> T:
        # A cancelled caller must not release the writer lock while the thread still works: finish the hop first.
        future = asyncio.get_running_loop().run_in_executor(self._write_thread, step)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            await asyncio.wait([future])
            raise

    async def close(self) -> None:
        self._readers.close()
        self._write_thread.shutdown(wait=True)
        if self._aside is not None:
            self._aside.close()
            self._aside = None
        for engine in self.engines:
            engine.dispose()


def prepare_sqlite(connection: sqlite3.Connection) -> None:
    """Give a new connection of SQLite its write-ahead log and its patience.

    Raises sqlite3.OperationalError when others hold the file for longer than that patience.
    """
    connection.execute(f"pragma busy_timeout={SQLITE_PATIENCE_SECONDS * 1000}")
    end = time.monotonic() + SQLITE_PATIENCE_SECONDS
    while True:
        # Of two processes that open a new file at once, one is refused: SQLite waits for nobody in this statement.
        try:
            connection.execute("pragma journal_mode=wal")
            break
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(0.01)
    connection.execute("pragma synchronous=normal")
    connection.execute("pragma foreign_keys=on")


def _sqlite_engine(url: str, begin: str) -> sa.Engine:
    engine = sa.create_engine(url, json_serializer=_dump_json, json_deserializer=orjson.loads, pool_size=5)

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the driver's own implicit BEGIN loses updates silently
        prepare_sqlite(connection)

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


class _Postgres:
    """A pool for writes, and one for reads, which run outside a transaction and so save two round trips each.

    The reads' connections are set up for that once: setting it at each use would be a step that a cancelled caller
    can break off after the connection is taken and before anybody could give it back.

    Nothing is compiled to machine code: where statistics are old, PostgreSQL takes walks along relations for long ones,
    and compiled for 0.3 seconds what then ran for 10 milliseconds.
    """

    def __init__(self, url: str, pool_size: int) -> None:
        self._connecting, self._connecting_reads = Connecting(), Connecting(steady)
        self._aside = Pipeline(self._connected_aside)
        self._engine, self._reading = (
            create_async_engine(
                url,
                pool_size=pool_size,
                max_overflow=0,
                json_serializer=_dump_json,
                json_deserializer=orjson.loads,
                connect_args={
                    "options": f"-c idle_in_transaction_session_timeout={IDLE_SECONDS}s -c jit=off",
                    "async_creator_fn": connecting,
                },
                **isolation,
            )
            for connecting, isolation in (
                (self._connecting, {}),
                (self._connecting_reads, {"isolation_level": "AUTOCOMMIT"}),
            )
        )
        self._reader = self._reading.sync_engine
        self.engines = (self._engine.sync_engine, self._reader)
        for engine in self.engines:
            _try_rested_connections(engine)

    async def read(self, work: Work[T]) -> T:
        def unit() -> T:
            with self._reader.connect() as connection:
                return work(connection)

        # One switch for the whole unit: SQLAlchemy's asynchronous connection makes one per step and a task to close.
        try:
            return await greenlet_spawn(unit)
        except sa.exc.DBAPIError as error:
            if not error.connection_invalidated:
                raise
            return await greenlet_spawn(unit)  # the server hung up; a read may be asked again

    async def glance(self, statement: str, values: Values, binary: bool) -> list[Any] | None:
        assert isinstance(values, Mapping)
        for _ in range(2):  # the server may have hung up since the last time
            try:
                return await self._aside.ask(statement, values, binary=binary)
            except (NotAsked, self._reader.dialect.loaded_dbapi.Error):
                pass
        return None

    async def _connected_aside(self) -> Any:
        arguments, named = self._reader.dialect.create_connect_args(self._reader.url)
        return await self._connecting(*arguments, **named, autocommit=True)

    async def write(self, work: Work[T], before_commit: BeforeCommit | None) -> T:
        async with self._engine.begin() as connection:
            result = await connection.run_sync(work)
            if before_commit is not None:
                await before_commit()
            return result

    async def flush(self) -> bool:
        return True

    async def close(self) -> None:
        await self._aside.close()
        for connecting in (self._connecting, self._connecting_reads):
            await connecting.close()
        await self._engine.dispose()
        await self._reading.dispose()


def _try_rested_connections(engine: sa.Engine) -> None:
    """Replace connections that the server has dropped meanwhile, without a round trip for each use of a busy one."""

    @sa.event.listens_for(engine, "checkin")
    def _rests(_connection: Any, record: Any) -> None:
        record.info["since"] = time.monotonic()

    @sa.event.listens_for(engine, "checkout")
    def _wakes(connection: Any, record: Any, _proxy: Any) -> None:
        if time.monotonic() - record.info.get("since", time.monotonic()) < RESTED_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise sa.exc.InvalidatePoolError from error


def _dump_json(value: Any) -> str:
    return orjson.dumps(value).decode()
