"""Connections that end when nobody is at the other side, or somebody who only wants to keep them busy.

The server's own protocols wait for ever for the rest of a request's head, and for a caller to take their answer. What
they lack is put over them here, for whichever of them is installed; bodies are bounded in `rest_compat.bodies`.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, ClassVar

from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

from rest_compat.errors import response_of
from rest_compat.middleware import state_for
from schema.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class ConnectionTimeouts:
    """Holds how long a connection may take for what.

    `head_seconds` is for the head of a request, counted from when the connection is made or its first byte comes.
    Within `stall_seconds` a caller who is behind takes at least as much of their answer as `least_rate` bytes a second.
    """

    head_seconds: float
    stall_seconds: float
    least_rate: int


def patient_http(patience: ConnectionTimeouts) -> type[asyncio.Protocol]:
    """The installed protocol for HTTP, with bounds."""
    return type("PatientHttp", (_Heads, _Stalls, AutoHTTPProtocol), {"patience": patience})


def patient_websockets(patience: ConnectionTimeouts) -> type[asyncio.Protocol] | None:
    """The installed protocol for WebSockets, with bounds; None where none is installed."""
    if AutoWebSocketsProtocol is None:
        return None
    bases: tuple[Any, ...] = (_Stalls, AutoWebSocketsProtocol)
    return type("PatientWebSockets", bases, {"patience": patience})


class _Stalls:
    """Cuts a connection whose caller does not take what is sent to them."""

    patience: ClassVar[ConnectionTimeouts]
    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    _stall: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """Too much waits to be taken: look whether it becomes less."""
        super().pause_writing()  # type: ignore[misc]
        self._watch()

    def resume_writing(self) -> None:
        """Enough was taken."""
        super().resume_writing()  # type: ignore[misc]
        self._unwatch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        self._unwatch()
        super().connection_lost(exc)  # type: ignore[misc]

    def _watch(self) -> None:
        if self._stall is None:
            waiting = self.transport.get_write_buffer_size()
            self._stall = self.loop.call_later(self.patience.stall_seconds, self._compare, waiting)

    def _unwatch(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    def _compare(self, waiting: int) -> None:
        self._stall = None
        left = self.transport.get_write_buffer_size()
        if left and waiting - left < self.patience.least_rate * self.patience.stall_seconds:
            self.transport.abort()  # closing would wait until all is taken
        elif left:
            self._watch()


class _Gathering:
    """A transport that sends the head of an answer together with what follows it, in one call of the system.

    The server's protocols write an answer in two parts. Of a small one, each of them costs as much as finding the
    answer. A head that nothing follows at once, as that of a stream, goes out with the turn of the loop.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._head: bytes | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send, or keep for what comes next if it is the whole head of an answer."""
        head = self._head
        if head is not None:
            self._head = None
            self._transport.writelines((head, data))
        elif data.startswith(b"HTTP/1.1 ") and data.endswith(b"\r\n\r\n"):
            self._head = data
            self._loop.call_soon(self._send)
        else:
            self._transport.write(data)

    def close(self) -> None:
        """Send what is left, and close."""
        self._send()
        self._transport.close()

    def _send(self) -> None:
        head, self._head = self._head, None
        if head is not None and not self._transport.is_closing():
            self._transport.write(head)


class _Heads(_Stalls):
    """Ends a connection on which no request begins, and answers in the envelope what is no request."""

    cycle: Any
    _waiting: asyncio.TimerHandle | None = None
    _heard = False

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Wait for the first request."""
        super().connection_made(_Gathering(transport, self.loop))  # type: ignore[misc]
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take in what came; from the first byte of a head on, the rest of it is waited for."""
        self._heard = True
        super().data_received(data)  # type: ignore[misc]
        if self._serves():
            self._stop_waiting()
        elif self._waiting is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def timeout_keep_alive_handler(self) -> None:
        """End a connection that was kept; what is still to be taken of the last answer is not waited for for ever."""
        super().timeout_keep_alive_handler()  # type: ignore[misc]
        if self.transport.get_write_buffer_size():
            self._watch()

    def send_400_response(self, _msg: str) -> None:
        """Answer what cannot be read as HTTP."""
        if self._serves() and self.cycle.response_started:
            self.transport.close()
            return
        self._refuse(InvalidRequest("This is no request of HTTP/1.1 that can be read. See RFC 9112 for its form."))

    def _serves(self) -> bool:
        """Return whether a request is being served, by this protocol or by the one that it has handed the connection
        to.
        """
        begun = self.cycle is not None and not self.cycle.response_complete
        current: object = self.transport.get_protocol()
        return begun or current is not self

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(self.patience.head_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if self._serves() or self.transport.is_closing():
            return
        if self._heard and self.cycle is None:
            seconds = f"{self.patience.head_seconds:g}"
            self._refuse(InvalidRequest(f"The head of the request did not come within {seconds} seconds.", status=408))
        else:
            self.transport.close()

    def _refuse(self, failure: InvalidRequest) -> None:
        """Answer without a request, and end the connection."""
        state = state_for(())
        answer = response_of(failure, path="", request_id=state.request_id, trace_id=state.trace_id)
        answer.headers.update({"X-Request-ID": state.request_id, "Connection": "close"})
        head = [b"%b: %b" % header for header in answer.raw_headers]
        line = b"HTTP/1.1 408 Request Timeout" if failure.status == 408 else b"HTTP/1.1 400 Bad Request"
        self.transport.write(b"\r\n".join([line, *head, b"", bytes(answer.body)]))
        self.transport.close()
