"""Whole tables of PostgreSQL as Arrow record batches: the server's binary COPY, several times as fast as rows.

It needs the optional extra `arrow`; without it rows are streamed by psycopg.
"""

from __future__ import annotations

import math
import selectors
import time
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from itertools import takewhile
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg import pq

from persistence.connectors.base import ConnectorError
from persistence.connectors.reading import unfit_value
from persistence.connectors.sql import statement_timed_out

if TYPE_CHECKING:
    from persistence.connectors.postgres import PostgresConnector

_BATCH_BYTES = 4 << 20
_AHEAD = 2
"""Batches that are decoded before they are asked for."""

_PILE: Final = 0.001
"""Seconds that rows are left to come in before they are read together."""

_END: Final = (-1, b"")
"""What libpq tells when a COPY has ended; (0, b"") tells that the next row is still to come."""


def driver() -> Any:
    """The module that decodes, or None where what it needs is not installed."""
    try:
        from persistence.connectors import postgres_copy
    except ImportError:
        return None
    return postgres_copy


class ArrowStream:
    """One query on a connection of its own; the batches may be read once."""

    def __init__(self, connector: PostgresConnector, seconds: float) -> None:
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
            except module.Unreadable:
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
        rows: list[bytes] = []
        lengths: list[int] = []
        held = 0
        begun = False
        for messages in _messages(connection.pgconn, f"copy ({statement}) to stdout (format binary)"):
            if not begun:
                first = bytes(module.without_header(messages[0][1]))
                messages[0], begun = (len(first), first), True
            rows.append(b"".join(map(itemgetter(1), messages)))
            lengths.extend(map(itemgetter(0), messages))
            held += len(rows[-1])
            if held >= _BATCH_BYTES and len(lengths) > 1:
                # The last one is kept back: it may be the sign that no more follow.
                last = lengths.pop()
                rows[-1], kept = rows[-1][: len(rows[-1]) - last], rows[-1][len(rows[-1]) - last :]
                yield decoder.batch(rows, lengths)
                rows, lengths, held = [kept], [last], last
        if not lengths or rows[-1][-2:] != module.TRAILER or lengths.pop() != len(module.TRAILER):
            raise module.Unreadable
        rows[-1] = rows[-1][:-2]
        if lengths:
            yield decoder.batch(rows, lengths)

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
    _result(connection, pq.ExecStatus.COMMAND_OK)
    connection.send_describe_prepared(b"")
    told = _result(connection, pq.ExecStatus.COMMAND_OK)
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


def _messages(connection: pq.abc.PGconn, statement: str) -> Iterator[list[tuple[int, Any]]]:
    """What a COPY sends, each message with its length, in lists of those that are there. Raises psycopg.Error."""
    connection.send_query(statement.encode())
    _result(connection, pq.ExecStatus.COPY_OUT)
    coming = iter(partial(connection.get_copy_data, 1), _END)
    with selectors.DefaultSelector() as selector:
        selector.register(connection.socket, selectors.EVENT_READ)
        while True:
            found = list(takewhile(itemgetter(1), coming))
            if found:
                yield found
            elif (following := next(coming, None)) is None:
                break
            elif following[0]:
                yield [following]
            else:
                selector.select()
                # To be woken for every few rows would cost both sides more than the rows do.
                time.sleep(_PILE)
            connection.consume_input()
    _result(connection, pq.ExecStatus.COMMAND_OK)


def _result(connection: pq.abc.PGconn, wanted: pq.ExecStatus) -> Any:
    """The next result, which is of the status that is wanted. Raises psycopg.Error.

    The last one of a command is followed by none, which is taken too.
    """
    while connection.flush():
        _wait(connection, sending=True)
    while connection.is_busy():
        _wait(connection)
    result = connection.get_result()
    if result is None:
        raise psycopg.OperationalError("the server closed the connection unexpectedly")
    if result.status != wanted:
        raise psycopg.errors.error_from_result(result)
    if wanted != pq.ExecStatus.COPY_OUT:
        while connection.is_busy():
            _wait(connection)
        connection.get_result()
    return result


def _wait(connection: pq.abc.PGconn, *, sending: bool = False) -> None:
    """Wait until the server has sent something, or takes something, and read it."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection.socket, selectors.EVENT_READ | (selectors.EVENT_WRITE if sending else 0))
        selector.select()
    connection.consume_input()
