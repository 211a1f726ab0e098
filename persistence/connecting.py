"""Connections to PostgreSQL that are made to their end, whatever becomes of who asked for them.

A caller who is cancelled while their connection is being made would leave it half made to the garbage collector. Until
then, or until `authentication_timeout` (60 s), the server's process waits for a password, and does not take part in
what all of them must agree to: DROP DATABASE, for one, waits for it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

CLOSING_SECONDS = 5.0
"""How long closing waits for connections that are still being made."""


async def _psycopg(*given: Any, **named: Any) -> Any:
    import psycopg

    return await psycopg.AsyncConnection.connect(*given, **named)


async def steady(*given: Any, **named: Any) -> Any:
    """A connection for reading, which waits for large answers at less cost."""
    from persistence.steady import SteadyConnection

    return await SteadyConnection.connect(*given, **named)


class Connecting:
    """Makes connections for one event loop. Close it there."""

    def __init__(self, connect: Callable[..., Awaitable[Any]] = _psycopg) -> None:
        self._connect = connect
        self._making: set[asyncio.Future[Any]] = set()

    async def __call__(self, *given: Any, **named: Any) -> Any:
        """A new psycopg connection. That of a caller who is cancelled is closed as soon as it has been made."""
        making = asyncio.ensure_future(self._connect(*given, **named))
        self._making.add(making)
        making.add_done_callback(self._making.discard)
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(_finished)
            raise

    async def close(self) -> None:
        """Wait for what is still being made, and break off what takes too long."""
        making = set(self._making)
        if making:
            _, late = await asyncio.wait(making, timeout=CLOSING_SECONDS)
            for one in late:
                one.cancel()
            await asyncio.sleep(0)  # those who are told when it is done come after the wait


def _finished(made: "asyncio.Future[Any]") -> None:
    if not made.cancelled() and made.exception() is None:
        made.result().pgconn.finish()
