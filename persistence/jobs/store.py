"""Defines where the job engine keeps its own records, and how DBOS is kept quiet and in its place."""

import logging
import os
import sys
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from persistence.engine import IDLE_SECONDS, driver_url, prepare_sqlite
from persistence.jobs.port import JobSettings


class FolderInUse(RuntimeError):
    """Another process already runs jobs on the same SQLite file."""


def engine_url(own: str | None, data: Path, database_url: str) -> str:
    """The SQLAlchemy address of the engine's own store."""
    if own is None:
        return database_url if database_url.startswith("postgres") else f"sqlite:///{data / 'jobs.sqlite'}"
    return driver_url(own)


def sqlite_engine(url: str) -> sa.Engine:
    """The engine's own file, as DBOS would open it, but with a write-ahead log."""
    engine = sa.create_engine(url, pool_size=10, max_overflow=10)

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = "IMMEDIATE"
        prepare_sqlite(connection)

    return engine


def postgres_engine(url: str, settings: JobSettings) -> sa.Engine:
    return sa.create_engine(
        url,
        pool_size=min(5 + settings.job_concurrency, 20),
        max_overflow=5,
        pool_pre_ping=True,
        connect_args={"connect_timeout": 10, "options": f"-c idle_in_transaction_session_timeout={IDLE_SECONDS}s"},
    )


def retire(engine: sa.Engine) -> None:
    """Close all connections, and each one that is still in use as soon as it is given back."""

    @sa.event.listens_for(engine, "checkin")
    def _close(_connection: Any, record: Any) -> None:
        record.invalidate()

    engine.dispose()


class _Seldom(logging.Filter):
    """Lets a warning through once in 30 seconds: DBOS repeats itself at every look while its store is away."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is to be written."""
        start = str(record.msg)[:50]
        if record.levelno > logging.WARNING or record.created - self._last.get(start, 0.0) >= 30.0:
            self._last[start] = record.created
            return True
        return False


def quiet_dbos() -> None:
    """DBOS writes to the standard logger, and only what matters; without a handler it would print by itself."""
    logger = logging.getLogger("dbos")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    if not any(isinstance(known, _Seldom) for known in logger.filters):
        logger.addFilter(_Seldom())
    logger.setLevel(logging.WARNING)


def destroy_dbos() -> None:
    """End DBOS and forget its workflows. Blocks for as long as its threads take."""
    from dbos import DBOS

    DBOS.destroy(destroy_registry=True)


class FileLock:
    """An advisory lock that the operating system releases when its process dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> None:
        """Take the lock or raise FolderInUse."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(handle)
            raise FolderInUse(
                f"Another server already runs jobs in {self._path.parent}. Stop it, give this one a data folder of "
                "its own, or use PostgreSQL (STOA_DATABASE_URL), where several may run."
            ) from error
        self._handle = handle

    def release(self) -> None:
        """Let go. The file stays: removing it would let two processes hold two files of one name."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
