"""The rows of a COPY as they come over the wire: in any pieces, with notices between, broken off, or no COPY at all."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import psycopg
import pytest

from persistence.connectors.postgres import wire as postgres_wire

ROWS = [b"header and the first", b"", b"x" * 5, b"y" * 30_000, bytes(range(256)), b"d\0\0\0\x05z", b"\xff\xff"]


def message(kind: bytes, body: bytes = b"") -> bytes:
    return kind + struct.pack(">I", len(body) + 4) + body


WHOLE = b"".join(
    [
        message(b"H", b"\1\0\1\0\1"),
        *(message(b"d", row) for row in ROWS),
        message(b"c"),
        message(b"C", b"COPY 7\0"),
        message(b"Z", b"I"),
    ]
)
END = message(b"C", b"COPY\0")
CANCELLED = message(b"E", b"SERROR\0VERROR\0C57014\0Mcanceling statement due to user request\0\0")

Wire = Callable[[list[bytes], int], list[bytes]]


@pytest.fixture
def wire() -> Iterator[Wire]:
    """What comes of some bytes that a server sends one after the other, in blocks of so many bytes."""
    ours, theirs = socket.socketpair()
    senders: list[threading.Thread] = []

    def send(pieces: list[bytes]) -> None:
        for piece in pieces:
            theirs.sendall(piece)
        theirs.shutdown(socket.SHUT_WR)

    def read(pieces: list[bytes], size: int) -> list[bytes]:
        senders.append(threading.Thread(target=send, args=(pieces,)))
        senders[-1].start()
        found = []
        for raw, starts, ends in postgres_wire._by_socket(SimpleNamespace(socket=ours.fileno()), size, 40):
            assert len(raw) >= ends[-1] + 40
            found += [bytes(raw[start:end]) for start, end in zip(starts, ends, strict=True)]
        return found

    with ours, theirs:
        yield read
        for one in senders:
            one.join()


@pytest.mark.parametrize("size", [1, 8_192, 9_000, 40_000, 1 << 20])
@pytest.mark.parametrize("piece", [1, 7, 1_000, 1 << 20])
def test_rows_come_whole_in_whatever_pieces_they_are_sent(wire: Wire, size: int, piece: int) -> None:
    many = WHOLE if piece > 1 else WHOLE.replace(message(b"d", ROWS[3]), message(b"d", ROWS[3][:300]))
    rows = [row if piece > 1 else row[:300] for row in ROWS]
    assert wire([many[at : at + piece] for at in range(0, len(many), piece)], size) == rows


def test_more_than_one_block(wire: Wire) -> None:
    rows = [bytes([at % 256]) * (at % 700) for at in range(5_000)]
    sent = b"".join([message(b"H", b"\1\0\0"), *(message(b"d", row) for row in rows), END])
    assert wire([sent], 20_000) == rows


def test_notices_and_parameters_between_rows_are_passed_over(wire: Wire) -> None:
    notice = message(b"N", b"SNOTICE\0C00000\0Mhello\0\0") + message(b"S", b"TimeZone\0UTC\0")
    sent = [message(b"H", b"\1\0\0"), notice, message(b"d", b"a"), notice, message(b"d", b"b"), END]
    assert wire(sent, 1) == [b"a", b"b"]


@pytest.mark.parametrize(
    ("sent", "kind", "words"),
    [
        ([CANCELLED], psycopg.errors.QueryCanceled, "user request"),
        ([WHOLE[:60], b""], psycopg.OperationalError, "closed the connection"),
        ([WHOLE[:20_000]], psycopg.OperationalError, "closed the connection"),
        ([], psycopg.OperationalError, "closed the connection"),
        ([message(b"d", b"a"), CANCELLED], psycopg.errors.QueryCanceled, "user request"),
        ([message(b"E", b"CZZZZZ\0Mstrange\0\0")], psycopg.DatabaseError, "strange"),
        ([message(b"E", b"")], psycopg.DatabaseError, "no reason"),
        ([b"HTTP/1.1 400 Bad Request\r\n\r\n"], psycopg.OperationalError, "invalid response"),
        ([message(b"d", b"a"), b"d\xff\xff\xff\xff" + bytes(20)], psycopg.OperationalError, "invalid response"),
        ([message(b"T", b"\0\0")], psycopg.OperationalError, "invalid response"),
    ],
)
def test_what_is_not_a_whole_copy_is_told(wire: Wire, sent: list[bytes], kind: type[psycopg.Error], words: str) -> None:
    with pytest.raises(kind, match=words):
        wire(sent, 1 << 20)
