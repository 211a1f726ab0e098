"""The rows of a binary COPY, many at a time.

Where nothing is encrypted they are read from the socket; libpq would hand them out one by one, which takes as long as
all work on them. What libpq has encrypted comes through libpq.

Source: PostgreSQL's documentation, Frontend/Backend Protocol, "Message Flow" (COPY Operations) and "Message Formats".
"""

from __future__ import annotations

import selectors
import socket
import struct
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

_HEAD: Final = struct.Struct(">BI")
"""The kind of a message, and its length with that of the length itself."""

_DATA, _COMPLETE, _ERROR = b"dCE"
_PASSED_OVER: Final = frozenset(b"HcNSA")
"""That a COPY begins or has no more rows; and notices, parameters and notifications, which may come at any time."""

_LONGEST: Final = 1 << 30
"""Bytes that PostgreSQL's messages have at most."""

_LEAST_ROOM: Final = 1 << 13


class Block(NamedTuple):
    """Rows that came together."""

    raw: Any
    """The bytes that hold them; so many more as were asked for follow the last row. Good until the next block is asked
    for."""
    starts: list[int]
    ends: list[int]
    """Where each row begins in `raw`, and where the byte after it is."""


def blocks(connection: pq.abc.PGconn, statement: str, size: int, beyond: int) -> Iterator[Block]:
    """Return what a COPY sends, in blocks of at least `size` bytes; `beyond` bytes follow each.

    The connection is of no more use afterwards. Raises psycopg.Error.
    """
    connection.send_query(statement.encode())
    if connection.ssl_in_use or connection.used_gssapi:
        return _by_libpq(connection, size, beyond)
    while connection.flush():
        _wait(connection, sending=True)
    return _by_socket(connection, size, beyond)


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


def _by_libpq(connection: pq.abc.PGconn, size: int, beyond: int) -> Iterator[Block]:
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


def _by_socket(connection: pq.abc.PGconn, size: int, beyond: int) -> Iterator[Block]:
    room = max(size, _LEAST_ROOM)
    buffer = bytearray(room + beyond)
    held = told = 0
    starts: list[int] = []
    ends: list[int] = []
    with socket.socket(fileno=socket.dup(connection.socket)) as stream, selectors.DefaultSelector() as selector:
        stream.setblocking(False)
        selector.register(stream, selectors.EVENT_READ)
        while True:
            held += _received(stream, selector, memoryview(buffer)[held:room])
            told, is_over = _told_apart(buffer, told, held, starts, ends)
            if starts and (is_over or held == room):
                yield Block(buffer, starts, ends)
            if is_over:
                return
            if held == room:
                # A message that is not whole yet begins the next block, which has room for all of it.
                left = bytes(memoryview(buffer)[told:held])
                whole = _HEAD.unpack_from(left)[1] + 1 if len(left) >= _HEAD.size else 0
                if whole > room:
                    room = whole
                    buffer = bytearray(room + beyond)
                buffer[: len(left)] = left
                held, told, starts, ends = len(left), 0, [], []


def _received(stream: socket.socket, selector: selectors.BaseSelector, place: memoryview) -> int:
    """Return how many bytes came in, one at least."""
    while True:
        try:
            count = stream.recv_into(place)
        except BlockingIOError:
            _let_pile(selector)
            continue
        except OSError:
            count = 0
        if not count:
            raise _closed()
        return count


def _told_apart(buffer: bytearray, at: int, held: int, starts: list[int], ends: list[int]) -> tuple[int, bool]:
    """Put down where the rows are in a part of the buffer; how far that went, and whether the COPY is over."""
    unpack, head = _HEAD.unpack_from, _HEAD.size
    while at + head <= held:
        kind, length = unpack(buffer, at)
        end = at + 1 + length
        if end > held:
            if length > _LONGEST:
                raise _garbled()
            break
        if kind == _DATA:
            starts.append(at + head)
            ends.append(end)
        elif kind == _COMPLETE:
            return end, True
        elif kind == _ERROR:
            raise _refused(bytes(buffer[at + head : end]))
        elif kind not in _PASSED_OVER:
            raise _garbled()
        at = end
    return at, False


def _refused(told: bytes) -> psycopg.Error:
    """Return what the server says is wrong."""
    parts = {part[:1]: part[1:].decode(errors="replace") for part in told.split(b"\0") if part}
    try:
        kind = psycopg.errors.lookup(parts.get(b"C", ""))
    except KeyError:
        kind = psycopg.DatabaseError
    return kind(parts.get(b"M", "the server gave no reason"))


def _closed() -> psycopg.Error:
    return psycopg.OperationalError("the server closed the connection unexpectedly")


def _garbled() -> psycopg.Error:
    return psycopg.OperationalError("received invalid response to a COPY")
