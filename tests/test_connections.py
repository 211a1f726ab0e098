"""What goes out of a connection, and in how many calls of the system."""

import asyncio
from typing import Any

import pytest

from rest_compat.connections import ConnectionTimeouts, _Gathering, patient_http

pytestmark = pytest.mark.anyio

HEAD, BODY = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n", b"{}"


class Line:
    """A transport that remembers each call, as far as a server uses one."""

    def __init__(self) -> None:
        self.calls: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        assert not self.closed
        self.calls.append(data)

    def writelines(self, parts: tuple[bytes, ...]) -> None:
        self.write(b"".join(parts))

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed

    def get_write_buffer_size(self) -> int:
        return 7


def gathering() -> tuple[Line, Any]:
    line: Any = Line()
    return line, _Gathering(line, asyncio.get_running_loop())


async def test_an_answer_goes_out_in_one_call() -> None:
    line, transport = gathering()
    for _ in range(2):
        transport.write(HEAD)
        transport.write(BODY)
    transport.write(b"more of it")
    assert line.calls == [HEAD + BODY, HEAD + BODY, b"more of it"]
    await asyncio.sleep(0)
    assert len(line.calls) == 3
    assert transport.get_write_buffer_size() == 7


async def test_a_head_that_nothing_follows_goes_out_with_the_turn() -> None:
    line, transport = gathering()
    transport.write(HEAD)
    assert line.calls == []
    await asyncio.sleep(0)
    assert line.calls == [HEAD]
    transport.write(BODY)
    assert line.calls == [HEAD, BODY]


async def test_what_is_left_goes_out_before_the_end_and_nothing_after_it() -> None:
    line, transport = gathering()
    transport.write(HEAD)
    transport.close()
    assert (line.calls, line.closed) == ([HEAD], True)
    cut, transport = gathering()
    transport.write(HEAD)
    cut.closed = True  # the caller hung up meanwhile
    await asyncio.sleep(0)
    assert cut.calls == []


async def test_the_server_hands_its_transport_to_every_protocol() -> None:
    kind = patient_http(ConnectionTimeouts(1, 1, 1))
    made: list[Any] = []

    class Base:
        loop = asyncio.get_running_loop()

        def connection_made(self, transport: Any) -> None:
            made.append(transport)

    heads = kind.__mro__[1]
    probe = type("Probe", (heads, Base), {"patience": ConnectionTimeouts(1, 1, 1)})()
    probe.connection_made(Line())
    assert isinstance(made[0], _Gathering)
    probe._stop_waiting()
