"""Whole tables of PostgreSQL as Arrow record batches, through ADBC: the server's binary COPY, several times as fast.

The driver comes with the optional extra `adbc`; without it rows are streamed by psycopg.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from psycopg.conninfo import make_conninfo

from persistence.connectors.base import ConnectorError
from persistence.connectors.reading import unfit_value
from persistence.connectors.sql import statement_timed_out

if TYPE_CHECKING:
    from persistence.connectors.postgres import PostgresConnector

_BATCH_BYTES = 8 << 20
_AHEAD = 2
"""Batches that are decoded before they are asked for."""


def driver() -> Any:
    """The driver's module, or None where it is not installed."""
    try:
        import adbc_driver_postgresql.dbapi
        import pyarrow  # noqa: F401 - what the driver hands batches out as
    except ImportError:
        return None
    return adbc_driver_postgresql.dbapi


class ArrowStream:
    """One query on a connection of its own; the batches may be read once."""

    def __init__(self, connector: PostgresConnector, seconds: float) -> None:
        self._connector = connector
        self._seconds = seconds
        self._cursor: Any = None

    def batches(self, module: Any, statement: str) -> Iterator[Any]:
        """Connect, run the statement read-only, and hand out what comes."""
        with self._connector.trusted() as trust:
            connection = module.connect(self._address(trust))
        try:
            with connection.cursor() as cursor:
                cursor.adbc_statement.set_options(**{"adbc.postgresql.batch_size_hint_bytes": str(_BATCH_BYTES)})
                self._cursor = cursor
                failure: ConnectorError | None = None
                try:
                    cursor.execute(statement)
                    with closing(self._ahead(cursor.fetch_record_batch())) as batches:
                        yield from batches
                except Exception as error:
                    failure = self._failure(error)
                if failure is not None:
                    raise failure
        finally:
            self._cursor = None
            connection.close()

    def _ahead(self, reader: Any) -> Generator[Any]:
        """The batches, the next ones decoded while one is worked on; an end before the last stops the server first."""
        told = (batch for batch in reader)  # which asks no more after an error
        with ThreadPoolExecutor(1, "arrow") as decoder:
            coming = deque(decoder.submit(next, told, None) for _ in range(_AHEAD))
            try:
                while (batch := coming.popleft().result()) is not None:
                    coming.append(decoder.submit(next, told, None))
                    yield batch
            except BaseException:
                for one in coming:
                    one.cancel()
                self.interrupt()
                raise

    def _failure(self, error: Exception) -> ConnectorError:
        # What fails halfway has no SQLSTATE, and the server's words may quote a value.
        if "statement timeout" in str(error):
            return statement_timed_out(self._seconds)
        return unfit_value()

    def interrupt(self) -> None:
        """Stop it in the server, from another thread."""
        cursor = self._cursor
        if cursor is not None:
            with suppress(Exception):  # it has ended by itself
                cursor.adbc_cancel()

    def _address(self, trust: dict[str, str]) -> str:
        milliseconds = int(self._seconds * 1000)
        return make_conninfo(
            **self._connector.target(),
            **trust,
            connect_timeout=max(2, math.ceil(self._connector.settings.connect_timeout)),
            options=f"-c default_transaction_read_only=on -c statement_timeout={milliseconds}"
            f" -c idle_in_transaction_session_timeout={milliseconds} -c search_path=pg_catalog",
        )
