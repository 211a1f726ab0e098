"""Paths that answer with a stream of server-sent events.

What can be refused is refused before anything is streamed, in the ordinary envelope. Each event carries its sequence
number as `id`, so that a client that lost its connection goes on with `Last-Event-ID`. Silence is broken by comments.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, get_args

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from resolvers.context import Context
from rest_compat.request import ContextFactory
from rest_compat.route import OperationRoute

RESUME_HEADER = "Last-Event-ID"


class EventStream(Response):
    """An answer that goes on until its events end or the client goes; either way everything is given back at once."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[Any] | None = None, *, heartbeat: float = 15.0) -> None:
        super().__init__()
        del self.headers["content-length"]
        # A proxy that keeps events back, or keeps a copy of them, would make the stream worthless.
        self.headers.update({"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})
        self._events, self._heartbeat = events, heartbeat

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events as they come."""
        assert self._events is not None
        frames = _frames(self._events, self._heartbeat)
        telling = asyncio.ensure_future(self._tell(frames, send))
        listening = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({telling, listening}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (telling, listening):
                task.cancel()
            await asyncio.gather(telling, listening, return_exceptions=True)
            await frames.aclose()
            if (close := getattr(self._events, "aclose", None)) is not None:
                await close()
        if not telling.cancelled() and (failure := telling.exception()) is not None and not _is_loss(failure):
            raise failure

    async def _tell(self, frames: AsyncIterator[bytes], send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for frame in frames:
            await send({"type": "http.response.body", "body": frame, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class StreamRoute(OperationRoute):
    """A route that answers with events as they happen."""

    def answer_type(self) -> Any:
        """One event of the stream; the document shows it under `text/event-stream`."""
        (event,) = get_args(self.operation.returns)
        return event

    def _strings(self, request: Request) -> dict[str, Any]:
        strings = super()._strings(request)
        if RESUME_HEADER in request.headers and "last_event_id" in self.operation.arguments.model_fields:
            self.operation.parsed(strings)  # what is wrong is refused, even where the header takes its place
            strings["last_event_id"] = request.headers[RESUME_HEADER]
        return strings

    async def _called(self, request: Request, ctx: Context, arguments: dict[str, Any]) -> Response:
        await request.body()  # nobody reads it, and only behind it can be heard that the client has gone
        context_factory: ContextFactory = request.app.state.context_factory
        events = await self._events(request, ctx, arguments)
        return EventStream(events, heartbeat=context_factory.services.signals.settings.stream_heartbeat_seconds)

    async def _events(self, request: Request, ctx: Context, arguments: dict[str, Any]) -> AsyncIterator[Any]:
        """The events of one call. Raises ApiError before the first of them."""
        events: AsyncIterator[Any] = await self.operation(ctx, **arguments)
        return events


def frame_of(event: BaseModel) -> bytes:
    """One event as it goes over the wire. JSON holds no line break, so it is one line of data."""
    name, sequence = event.event, event.sequence  # type: ignore[attr-defined]
    return f"id: {sequence}\nevent: {name}\ndata: {event.model_dump_json()}\n\n".encode()


async def _frames(events: AsyncIterator[Any], heartbeat: float) -> AsyncGenerator[bytes, None]:
    """The events as bytes, with a comment whenever there was silence for so many seconds."""
    coming: asyncio.Future[Any] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(events, None))
            done, _ = await asyncio.wait({coming}, timeout=heartbeat)
            if not done:
                yield b": still here\n\n"
                continue
            event, coming = coming.result(), None
            if event is None:
                return
            yield frame_of(event)
    finally:
        if coming is not None:
            coming.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await coming


async def _gone(receive: Receive) -> None:
    """Return when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _is_loss(failure: BaseException) -> bool:
    return isinstance(failure, OSError)  # how a server says that nobody is there to send to
