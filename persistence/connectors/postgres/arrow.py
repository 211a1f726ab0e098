"""Whole tables of PostgreSQL as Arrow record batches: the server's binary COPY, several times as fast as rows.

It needs the optional extra `arrow`; without it rows are streamed by psycopg.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Any

import psycopg
from psycopg import pq

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.core.reading import unfit_value
from persistence.connectors.core.sql import statement_timed_out
from persistence.connectors.postgres.blocks import blocks, result
from persistence.connectors.postgres.connection import PostgresConnection

_BATCH_BYTES = 4 << 20
_AHEAD = 2
"""Batches that are decoded before they are asked for."""


def driver() -> Any:
    """The module that decodes, or None where what it needs is not installed."""
    try:
        from persistence.connectors.postgres import copy as postgres_copy
    except ImportError:
        return None
    return postgres_copy


class ArrowStream:
    """One query on a connection of its own; the batches may be read once."""

    def __init__(self, connector: PostgresConnection, seconds: float) -> None:
        self._connector = connector
        self._seconds = seconds
        self._connection: psycopg.Connection[Any] | None = None

    def batches(self, module: Any, statement: str) -> Iterator[Any]:
        """Connect, run the statement read-only, and hand out what comes."""
        with closing(self._connected()) as connection:
            self._connection = connection
            failure: ConnectorError | None = None
            try:
                with closing(self._ahead(self._decoded(module, connection, statement))) as batches:
                    yield from batches
            except psycopg.errors.QueryCanceled:
                failure = statement_timed_out(self._seconds)
            except module.UnreadableCopy:
                failure = unfit_value()
            finally:
                self._connection = None
            if failure is not None:
                raise failure

    def _ahead(self, told: Iterator[Any]) -> Generator[Any]:
        """The batches, the next ones decoded while one is worked on; an end before the last stops the server first."""
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

    def _decoded(self, module: Any, connection: psycopg.Connection[Any], statement: str) -> Iterator[Any]:
        names, oids = _described(connection.pgconn, statement)
        if not all(module.is_known(oid) for oid in oids):
            statement, oids = _with_texts(module, statement, names, oids)
        decoder = module.Decoder(names, oids)
        copied = f"copy ({statement}) to stdout (format binary)"
        begun = over = False
        for raw, starts, ends in blocks(connection.pgconn, copied, _BATCH_BYTES, decoder.beyond):
            if not begun:
                begun = True
                starts[0] += module.header(memoryview(raw)[starts[0] : ends[0]])
            if over:
                raise module.UnreadableCopy
            over = raw[starts[-1] : ends[-1]] == module.TRAILER
            rows = len(starts) - over
            if rows:
                yield decoder.batch(raw, starts[:rows], ends[:rows])
        if not over:
            raise module.UnreadableCopy

    def interrupt(self) -> None:
        """Stop it in the server, from another thread."""
        connection = self._connection
        if connection is not None and not connection.closed:
            try:
                connection.cancel_safe(timeout=max(2, self._connector.settings.connect_timeout))
            except psycopg.Error:
                # It has ended by itself, or the authorities that were checked against are there no more: the plain
                # request holds no more than a number that this one session was given.
                with suppress(psycopg.Error):
                    connection.cancel()

    def _connected(self) -> psycopg.Connection[Any]:
        milliseconds = int(self._seconds * 1000)
        with self._connector.trusted() as trust:
            return psycopg.connect(
                **{**self._connector.target(), **trust},
                connect_timeout=max(2, math.ceil(self._connector.settings.connect_timeout)),
                autocommit=True,
                prepare_threshold=None,
                options=f"-c default_transaction_read_only=on -c statement_timeout={milliseconds}"
                f" -c idle_in_transaction_session_timeout={milliseconds} -c search_path=pg_catalog -c timezone=UTC",
            )


def _described(connection: pq.abc.PGconn, statement: str) -> tuple[list[str], list[int]]:
    """Names and types of the columns of a query, which is only parsed. Raises psycopg.Error."""
    connection.send_prepare(b"", statement.encode())
    result(connection, pq.ExecStatus.COMMAND_OK)
    connection.send_describe_prepared(b"")
    told = result(connection, pq.ExecStatus.COMMAND_OK)
    places = range(told.nfields)
    return [(told.fname(place) or b"").decode() for place in places], [told.ftype(place) for place in places]


def _with_texts(module: Any, statement: str, names: list[str], oids: list[int]) -> tuple[str, list[int]]:
    """The query with values of types that are not known as texts, and its types."""
    places = [f"c{place}" for place in range(len(names))]
    chosen = [place if module.is_known(oid) else f"{place}::text" for place, oid in zip(places, oids, strict=True)]
    text = psycopg.adapters.types["text"].oid
    known = [oid if module.is_known(oid) else text for oid in oids]
    outer = f"select {', '.join(chosen)} from ({statement}) as asked ({', '.join(places)})"  # noqa: S608 - guarded
    return outer, known
