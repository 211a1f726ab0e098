"""Following the events of a project as they happen, from the store alone, so that any process can be asked.

Who follows must be allowed to all the while: the stream ends when the caller's permission or token does, and after a
bounded time in any case. A client goes on after the place of the last event that it saw, and misses none.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Annotated

from pydantic import Field

from persistence.signals import Bell
from resolvers.context import Context
from resolvers.granted_stream import EVENTS_AT_ONCE, GrantedStream
from resolvers.operation import operation
from resolvers.utils.event_sequencing import topic_of
from resolvers.utils.events import AssetName
from schema.data_readiness.violation import Severity
from schema.errors import InvalidParameter
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.utils.event import Domain, EventType, PlatformEvent

LastSequence = Annotated[
    int,
    Field(
        ge=0,
        le=2_000_000_000,
        description="The `sequence` of the last event seen: those after it follow. Left out: those from now on.",
    ),
]
Wanted = Callable[[PlatformEvent], bool]


@operation(needs=Permission.CAN_READ)
async def stream_events(
    ctx: Context,
    *,
    type: EventType | None = None,
    asset_fqn: AssetName | None = None,
    severity: Severity | None = None,
    domain: Domain | None = None,
    last_event_id: LastSequence | None = None,
) -> AsyncIterator[PlatformEvent]:
    """Follow the events of the selected project as they happen.

    Go on with the header `Last-Event-ID` (or `last_event_id`), the `sequence` of the last event seen: none is lost or
    told twice. A stream ends after a bounded time, and when the caller's token or permission does. A caller may follow
    a bounded number of streams at once (429 QUOTA_EXCEEDED).
    """
    head = await ctx.store.read(lambda uow: uow.events.last_sequence(ctx.scope))
    if last_event_id is not None and last_event_id > head:
        raise InvalidParameter(
            f"This project has had {head} events so far, so none after {last_event_id} can follow.",
            field="last_event_id",
        )
    under = None if asset_fqn is None else str(Fqn.parse(asset_fqn))

    def wanted(event: PlatformEvent) -> bool:
        about = event.asset_fqn or ""
        return (
            type in (None, event.type)
            and severity in (None, event.severity)
            and domain in (None, event.domain)
            and (under is None or about == under or about.startswith(f"{under}."))
        )

    return EventFeed(ctx, head if last_event_id is None else last_event_id, wanted)


class EventFeed(GrantedStream[PlatformEvent]):
    """The events of a project that one caller wants."""

    def __init__(self, ctx: Context, after: int, wanted: Wanted) -> None:
        self._wanted = wanted
        super().__init__(ctx, stream_events, self._told(after))

    async def _told(self, after: int) -> AsyncGenerator[PlatformEvent, None]:
        ctx, signals = self._ctx, self._ctx.services.signals
        end = self._started + signals.settings.event_stream_seconds
        with signals.listen(topic_of(ctx.organization_id, ctx.project_id)) as bell:
            while not signals.closed and await self._refused(bell) is None:
                found = await self._looked(after, bell)
                for event in found:
                    after = event.sequence
                    if self._wanted(event):
                        yield event
                if len(found) < EVENTS_AT_ONCE:
                    left = end - asyncio.get_running_loop().time()
                    if left <= 0:
                        return
                    await bell.wait(min(left, signals.settings.stream_poll_seconds))

    async def _looked(self, after: int, bell: Bell) -> list[PlatformEvent]:
        return await self._read(lambda uow: uow.events.after(self._ctx.scope, after, EVENTS_AT_ONCE), bell)
