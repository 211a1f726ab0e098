"""Places at data connections: how many tasks may use one at once, over all processes; leased, and given in turn."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar
from uuid import uuid4

from pydantic import BaseModel, Field

from persistence.signals import Signals
from schema.errors import DatabaseError

if TYPE_CHECKING:
    from persistence.store import Store

T = TypeVar("T")

log = logging.getLogger("stoa.slots")

LOOK_SECONDS: Final = 0.25
"""How often one who waits looks whether another process has left a place."""

Waiting = Callable[[], AbstractAsyncContextManager[None]]
"""Entered while a place is waited for."""


class RunSettings(BaseModel):
    """How much runs may do at once, and for how long."""

    connection_concurrency: int = Field(
        4,
        ge=1,
        le=256,
        description="Tasks of runs that may use one data connection at once, over all processes; a connection's "
        "options.max_concurrency is stronger.",
    )
    connection_lease_seconds: float = Field(
        30.0, ge=1, le=3600, description="Silence after which a process that used a connection has lost its place."
    )
    task_timeout_seconds: float = Field(
        3600.0, ge=1, le=86_400, description="How long one task of a run may work; a run may ask for less."
    )


@asynccontextmanager
async def place_at(
    store: "Store",
    signals: Signals,
    settings: RunSettings,
    organization_id: str,
    uri: str,
    *,
    who: str,
    limit: int | None = None,
    waiting: Waiting = contextlib.nullcontext,
) -> AsyncIterator[None]:
    """Use a connection within its limit: waits for a place, in the order of asking, and gives it back at the end.

    `who` names the use over all processes: begun again after a kill, it has the place that it had. A wait can be
    cancelled at any time.
    """
    most, lease = limit or settings.connection_concurrency, settings.connection_lease_seconds
    token, topic = str(uuid4()), f"place:{organization_id}:{uri}"
    try:
        with signals.listen(topic) as bell:
            asked = await _whole(
                store.write(lambda uow: uow.slots.ask(who, token, organization_id, uri, limit=most, lease=lease))
            )
            if not asked:
                async with waiting(), _renewing(store, who, token, lease):
                    await _turn(store, bell.wait, who, token, organization_id, uri, most, lease)
        async with _renewing(store, who, token, lease):
            yield
    finally:
        # A process that is killed here, or whose store is away, loses its place with its lease.
        with contextlib.suppress(DatabaseError):
            await _whole(store.write(lambda uow: uow.slots.give_back(who, token)))
        signals.notify(topic)


async def _turn(
    store: "Store",
    wait: Callable[[float], Awaitable[bool]],
    who: str,
    token: str,
    organization_id: str,
    uri: str,
    limit: int,
    lease: float,
) -> None:
    while True:
        await wait(LOOK_SECONDS)
        if not await _whole(store.read(lambda uow: uow.slots.turn(who, organization_id, uri, limit=limit))):
            continue
        given = await _whole(
            store.write(lambda uow: uow.slots.again(who, token, organization_id, uri, limit=limit, lease=lease))
        )
        if given:
            return
        if given is None:  # the lease was over, or another process has begun the same work: stand behind the others
            await _whole(
                store.write(lambda uow: uow.slots.ask(who, token, organization_id, uri, limit=limit, lease=lease))
            )


@asynccontextmanager
async def _renewing(store: "Store", who: str, token: str, lease: float) -> AsyncIterator[None]:
    """Keep a place, or one's turn, for as long as the block lasts."""

    async def renew() -> None:
        while True:
            await asyncio.sleep(lease / 3)
            try:
                if not await _whole(store.write(lambda uow: uow.slots.renew(who, token, lease=lease))):
                    log.warning("%s has lost its place at a connection: it was silent for too long", who)
                    return
            except DatabaseError:
                continue  # the lease outlasts a store that is away for a moment

    renewal = asyncio.create_task(renew())
    try:
        yield
    finally:
        renewal.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await renewal


async def _whole(step: Coroutine[Any, Any, T]) -> T:
    """A step that a cancelled caller does not break off in the middle, with a connection to the store in its hands."""
    task = asyncio.ensure_future(step)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
