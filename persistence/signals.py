"""Waking up who waits for a change: at once within a process, by asking again across processes.

A signal carries nothing. It only says that it is worth looking at the store again, so one that is lost costs one
interval of polling and never a value. Topics are words such as `turn:<turn id>` and `run:<run id>`; whoever commits a
change calls `notify` after the commit.

    with signals.listen(f"run:{run_id}") as bell:
        while not over(state := await read()):
            yield state
            await bell.wait()          # rung, or the interval is over: read again

Listen first and read then: what is rung between the two is kept for the next `wait`.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pydantic import BaseModel, Field

from schema.errors import QuotaExceeded


class StreamSettings(BaseModel):
    """How events reach those who follow them."""

    stream_poll_seconds: float = Field(
        0.25, gt=0, le=60, description="How often a stream looks for what other processes have written."
    )
    stream_heartbeat_seconds: float = Field(
        15.0, gt=0, le=300, description="How long a stream may be silent before it sends a comment."
    )
    event_stream_seconds: float = Field(
        900.0, gt=0, le=86_400, description="After how long a stream of events ends; its client goes on with another."
    )
    streams_per_caller: int = Field(
        20, ge=1, le=10_000, description="Streams and subscriptions that one caller may have open in a process."
    )


class Bell:
    """One listener's ear: what was rung since its last `wait` counts."""

    def __init__(self, signals: "Signals") -> None:
        self._signals = signals
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake the listener up."""
        self._rung.set()

    async def wait(self, seconds: float | None = None) -> bool:
        """Return when the topic was notified since the last return, or after so many seconds: whether it was.

        Left out, they are the polling interval, which is what a reader of the store wants.
        """
        seconds = self._signals.settings.stream_poll_seconds if seconds is None else seconds
        if not self._signals.closed:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._rung.wait()
        rung = self._rung.is_set()
        self._rung.clear()
        return rung


class Signals:
    """The bells of one process. Use it on the server's event loop."""

    def __init__(self, settings: StreamSettings | None = None) -> None:
        self.settings = settings or StreamSettings()
        self.closed = False
        """Set when the process stops: streams end, and their clients resume at another process."""
        self._bells: dict[str, set[Bell]] = {}
        self._open: Counter[str] = Counter()

    def notify(self, topic: str) -> None:
        """Wake up everybody in this process who listens to the topic."""
        for bell in self._bells.get(topic, ()):
            bell.ring()

    @contextmanager
    def listen(self, topic: str) -> Iterator[Bell]:
        """A bell that hears the topic from here on; leaving the block forgets it."""
        bell = Bell(self)
        bells = self._bells.setdefault(topic, set())
        bells.add(bell)
        try:
            yield bell
        finally:
            bells.discard(bell)
            if not bells:
                self._bells.pop(topic, None)

    async def wait(self, topic: str, seconds: float | None = None) -> bool:
        """Wait for one notification from now on; whether it came. To read in between, use `listen`."""
        with self.listen(topic) as bell:
            return await bell.wait(seconds)

    @contextmanager
    def place(self, principal: str) -> Iterator[None]:
        """One of the streams that a caller may have open at once. Raises QuotaExceeded when there is none left."""
        most = self.settings.streams_per_caller
        if self._open[principal] >= most:
            raise QuotaExceeded(f"{most} streams of yours are open already. Close one and retry.", limit=most)
        self._open[principal] += 1
        try:
            yield
        finally:
            self._open[principal] -= 1
            if not self._open[principal]:
                del self._open[principal]

    @property
    def listeners(self) -> int:
        """Return how many bells hang in this process."""
        return sum(map(len, self._bells.values()))

    @property
    def streams(self) -> int:
        """Return how many places are taken in this process."""
        return self._open.total()

    def close(self) -> None:
        """End every wait, now and from now on."""
        self.closed = True
        for bells in self._bells.values():
            for bell in bells:
                bell.ring()
