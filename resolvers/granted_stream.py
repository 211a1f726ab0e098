"""A stream of events from the store, which its caller may follow as long as they are allowed to.

Permissions and the store are asked from time to time; where they do not answer they are asked again for a while, so
that a moment without them breaks no stream off.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from datetime import datetime
from typing import Any, Final, Generic, TypeVar

from persistence.signals import Bell
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import Operation
from schema.errors import ApiError, DatabaseError, TokenExpired, UpstreamUnavailable

T = TypeVar("T")
V = TypeVar("V")

EVENTS_AT_ONCE: Final = 200
"""How many events one look at the store brings."""
PATIENCE: Final = 30.0
"""How many seconds a store, or an engine of permissions, that does not answer is asked again before the stream breaks
off."""
CHECK_SECONDS: Final = 5.0
"""How often a stream looks whether its caller still may follow."""


class GrantedStream(AsyncIterator[T], Generic[T]):
    """A place among the caller's streams, from the moment that the stream is granted until it is closed."""

    until: datetime | None = None
    """When the caller's token expires, where the door knows it and does not end the stream itself."""

    def __init__(self, ctx: Context, operation: Operation[Any, Any], events: AsyncGenerator[T, None]) -> None:
        """Take the place, for the operation that opened the stream. Raises ApiError where there is none left."""
        self._ctx, self._operation = ctx, operation
        self._place = ctx.services.signals.place(ctx.caller.principal)
        self._place.__enter__()  # refused here, before anything is streamed
        self._started = self._checked = asyncio.get_running_loop().time()
        self._events = events
        self._open = True

    async def __anext__(self) -> T:
        """The next event."""
        try:
            return await anext(self._events)
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        """Give everything back; the doors call it when the client goes."""
        if self._open:
            self._open = False
            self._place.__exit__(None, None, None)
            await self._events.aclose()

    async def _refused(self, bell: Bell) -> ApiError | None:
        """Return why the caller may not follow any longer; permissions are looked at from time to time."""
        ctx, loop = self._ctx, asyncio.get_running_loop()
        if self.until is not None and ctx.now() >= self.until:
            return TokenExpired("The token has expired. Obtain a new one and follow again.")
        start = loop.time()
        if start < self._checked + CHECK_SECONDS:
            return None
        while True:
            try:
                await self._operation.authorize(ctx.as_caller(ctx.caller), {})  # a guard that remembers no answer
            except UpstreamUnavailable:
                if loop.time() > start + PATIENCE:
                    raise
                await bell.wait(1.0)
            except ApiError as refused:
                return refused
            else:
                self._checked = loop.time()
                return None

    async def _read(self, work: Callable[[UnitOfWork], V], bell: Bell) -> V:
        """Return what the store says. Raises DatabaseError when it has not answered for some time."""
        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE
        while True:
            try:
                return await self._ctx.store.read(work)
            except DatabaseError:
                if loop.time() > end:
                    raise
                await bell.wait(1.0)
