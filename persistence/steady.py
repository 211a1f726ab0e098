"""A connection to PostgreSQL that waits for its socket once for each statement, and not once for each packet.

The library asks the event loop for a readable socket, for a future and for a timer each time that it needs more bytes.
The server sends an answer of 800 KB in some hundred pieces, for which that took as long as everything else that the
client does with the answer. Here the loop watches the socket for as long as a statement takes, and every piece goes
straight to the library's own parser.
"""

import asyncio
import selectors
from collections.abc import Generator
from typing import Any, Final, cast

import psycopg
from psycopg.waiting import READY_R, READY_W, WAIT_W

Steps = Generator[int, int, Any]
"""What the library does between two looks at the socket; it says what it waits for and is told what is ready."""

_AT_ONCE: Final = 3
"""How often a socket is tried for writing, which it nearly always is, before the loop is asked to watch for it."""


class SteadyConnection(psycopg.AsyncConnection[Any]):
    """A connection of the library, which waits in another way."""

    async def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:  # noqa: ASYNC109 - its own
        """Carry out the steps of a statement. One that may take only so long is left to the library."""
        if timeout is not None:
            return await super().wait(gen, interval, timeout)
        try:
            return await _carried_out(gen, self.pgconn.socket)
        except (asyncio.CancelledError, KeyboardInterrupt) as stopped:
            return await super().wait(
                cast("Any", _Stopped(gen, stopped)), interval
            )  # which cancels the statement in the server


class _Stopped:
    """Steps that are stopped the first time that they are asked for, and go on after that: they end with an error."""

    def __init__(self, steps: Steps, stopped: BaseException) -> None:
        self._steps, self._stopped = steps, stopped
        self._told = False

    def __next__(self) -> int:
        if not self._told:
            self._told = True
            raise self._stopped
        return next(self._steps)

    def send(self, ready: int) -> int:
        """Go on."""
        return self._steps.send(ready)


async def _carried_out(steps: Steps, socket: int) -> Any:
    try:
        waits = next(steps)
        for _ in range(_AT_ONCE):
            if not waits & WAIT_W or not _writable(socket):
                break
            waits = steps.send(READY_W)
    except StopIteration as ended:
        return ended.value
    watch = _Watch(steps, socket)
    try:
        watch.begin(waits)
        return await watch.done
    except OSError as failure:
        raise psycopg.OperationalError("connection socket closed") from failure
    finally:
        watch.end()


class _Watch:
    """The steps of one statement, each taken as soon as the socket is ready for it."""

    def __init__(self, steps: Steps, socket: int) -> None:
        self._steps, self._socket = steps, socket
        self._loop = asyncio.get_running_loop()
        self._writes = False
        self.done: asyncio.Future[Any] = self._loop.create_future()

    def begin(self, waits: int) -> None:
        """Watch the socket; for reading all the time, for writing where something is left to be sent."""
        self._loop.add_reader(self._socket, self._go_on, READY_R)
        self._watch_writing(bool(waits & WAIT_W))

    def end(self) -> None:
        """Leave it alone."""
        self._loop.remove_reader(self._socket)
        self._watch_writing(False)

    def _watch_writing(self, wanted: bool) -> None:
        if wanted and not self._writes:
            self._loop.add_writer(self._socket, self._go_on, READY_W)
        elif self._writes and not wanted:
            self._loop.remove_writer(self._socket)
        self._writes = wanted

    def _go_on(self, ready: int) -> None:
        if self.done.done():
            return  # who waited is gone, or both kinds were ready at once
        try:
            self._watch_writing(bool(self._steps.send(ready) & WAIT_W))
        except StopIteration as ended:
            self.done.set_result(ended.value)
        except BaseException as failure:
            self.done.set_exception(failure)
        else:
            return
        self.end()


def _writable(socket: int) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(socket, selectors.EVENT_WRITE)
        return bool(selector.select(0))
