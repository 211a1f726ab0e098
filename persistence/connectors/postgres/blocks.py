"""The rows of a binary COPY, many at a time, as libpq hands them out.

Source: PostgreSQL's documentation, libpq, "Functions Associated with the COPY Command".
"""

from __future__ import annotations

import selectors
import time
from collections.abc import Iterator
from functools import partial
from itertools import accumulate, takewhile
from operator import itemgetter
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import pq

_PILE: Final = 0.001
"""Seconds that rows are left to come in before they are read together."""

_END: Final = (-1, b"")
"""What libpq tells when a COPY has ended; (0, b"") tells that the next row is still to come."""


class Block(NamedTuple):
    """Rows that came together."""

    raw: bytes
    """The bytes that hold them; so many more as were asked for follow the last row."""
    starts: list[int]
    ends: list[int]
    """Where each row begins in `raw`, and where the byte after it is."""


def blocks(connection: pq.abc.PGconn, statement: str, size: int, beyond: int) -> Iterator[Block]:
    """Yield what a COPY sends, in blocks of at least `size` bytes; `beyond` bytes follow each.

    The connection is of no more use afterwards. Raises psycopg.Error.
    """
    connection.send_query(statement.encode())
    pieces: list[bytes] = []
    lengths: list[int] = []
    held = 0
    for messages in _messages(connection):
        pieces.append(b"".join(map(itemgetter(1), messages)))
        lengths.extend(map(itemgetter(0), messages))
        held += len(pieces[-1])
        if held >= size:
            yield _joined(pieces, lengths, beyond)
            pieces, lengths, held = [], [], 0
    if lengths:
        yield _joined(pieces, lengths, beyond)


def result(connection: pq.abc.PGconn, wanted: pq.ExecStatus) -> Any:
    """The next result, which is of the status that is wanted. Raises psycopg.Error.

    The last one of a command is followed by none, which is taken too.
    """
    while connection.flush():
        _wait(connection, sending=True)
    while connection.is_busy():
        _wait(connection)
    found = connection.get_result()
    if found is None:
        raise _closed()
    if found.status != wanted:
        raise psycopg.errors.error_from_result(found)
    if wanted != pq.ExecStatus.COPY_OUT:
        while connection.is_busy():
            _wait(connection)
        connection.get_result()
    return found


def _wait(connection: pq.abc.PGconn, *, sending: bool = False) -> None:
    """Wait until the server has sent something, or takes something, and read it."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection.socket, selectors.EVENT_READ | (selectors.EVENT_WRITE if sending else 0))
        selector.select()
    connection.consume_input()


def _joined(pieces: list[bytes], lengths: list[int], beyond: int) -> Block:
    ends = list(accumulate(lengths))
    return Block(b"".join([*pieces, bytes(beyond)]), [0, *ends[:-1]], ends)


def _messages(connection: pq.abc.PGconn) -> Iterator[list[tuple[int, Any]]]:
    """Yield what a COPY sends, each message with its length, in lists of those that are there."""
    result(connection, pq.ExecStatus.COPY_OUT)
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
                _let_pile(selector)
            connection.consume_input()
    result(connection, pq.ExecStatus.COMMAND_OK)


def _let_pile(selector: selectors.BaseSelector) -> None:
    """Wait for rows. To be woken for every few of them would cost both sides more than the rows do."""
    selector.select()
    time.sleep(_PILE)


def _closed() -> psycopg.Error:
    return psycopg.OperationalError("the server closed the connection unexpectedly")
