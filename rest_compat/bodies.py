"""Defines what comes and goes with a request, bounded: bodies in size and in time, and answers to HEAD without
theirs.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import Message, Receive, Send

from schema.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class BodyBounds:
    """Holds how large a body may be, and how slowly it may come.

    `seconds` is how long the caller may be silent within a body, and how long the whole may take beside what its
    bytes take at `rate` bytes a second: a large file that comes steadily is never cut off, however long it takes.
    """

    most_bytes: int
    seconds: float
    rate: int


class TooSlow(InvalidRequest):
    """The body did not come, or came so slowly that nobody could wait for it."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"The body stopped coming, or came too slowly, for {seconds:g} seconds. Send it again, without a pause.",
            status=408,
        )

    @property
    def headers(self) -> dict[str, str]:
        """Return what is left of the body will not be read."""
        return {"Connection": "close"}


def bounded(receive: Receive, declared: str, bounds: BodyBounds, clock: Callable[[], float]) -> Receive:
    """A `receive` that raises 413 as soon as the body is known to be too large, and 408 when it does not come.

    Only the time in which somebody waits for the body counts, so a slow store is nobody's fault. After the body there
    is nothing to wait for but the end of the connection, which may take as long as the answer does.
    """
    seen, waited, ended = 0, 0.0, False

    async def receive_bounded() -> Message:
        nonlocal seen, waited, ended
        if declared.isdigit() and int(declared) > bounds.most_bytes:
            raise _too_large(bounds.most_bytes)
        if ended:
            return await receive()
        left = bounds.seconds + seen / bounds.rate - waited
        began = clock()
        try:
            async with asyncio.timeout(max(0.0, min(bounds.seconds, left))):
                message = await receive()
        except TimeoutError:
            raise TooSlow(bounds.seconds) from None
        waited += clock() - began
        seen += len(message.get("body", b""))
        ended = not message.get("more_body", False)
        if seen > bounds.most_bytes:
            raise _too_large(bounds.most_bytes)
        return message

    return receive_bounded


def bodiless(receive: Receive, send: Send) -> tuple[Receive, Send]:
    """A connection that takes the head of an answer and none of its body; to whoever answers, the caller has gone."""
    ended = False

    async def receive_until_answered() -> Message:
        return {"type": "http.disconnect"} if ended else await receive()

    async def send_head(message: Message) -> None:
        nonlocal ended
        if not ended and message["type"] == "http.response.start":
            ended = True
            await send(message)
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return receive_until_answered, send_head


def _too_large(limit: int) -> InvalidRequest:
    return InvalidRequest(f"The body is larger than the {limit} bytes that this deployment accepts.", status=413)
