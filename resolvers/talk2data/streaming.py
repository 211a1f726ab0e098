"""Following a turn: the events that stand, then each one as it happens, until the last.

Events come from the store alone, so a stream that is opened late, twice or in another process shows the same ones. No
connection to the store is held while nothing happens.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated

from pydantic import Field

from persistence.queries.chat import TurnRow
from persistence.signals import Bell
from persistence.store import Shelves
from resolvers.context import Context
from resolvers.operation import operation
from resolvers.talk2data.sessions import SessionId
from resolvers.talk2data.turns import TurnId, own_turn
from schema.errors import DatabaseError, InvalidParameter
from schema.governance.permission import Permission
from schema.talk2data.turn import TaskState
from schema.talk2data.turn_event import TurnEvent, TurnEventType

EVENTS_AT_ONCE = 200
"""How many events one look at the store brings."""
PATIENCE = 30.0
"""How many seconds a store that does not answer is asked again before the stream breaks off."""

LastEventId = Annotated[
    int, Field(ge=0, le=2_000_000_000, description="The `sequence` of the last event seen: those after it follow.")
]


@operation(needs=Permission.CAN_READ)
async def stream_turn(
    ctx: Context, *, session_id: SessionId, turn_id: TurnId, last_event_id: LastEventId = 0
) -> AsyncIterator[TurnEvent]:
    """Follow a turn of one of the caller's own sessions: every event from the first, as they happen.

    The last event has `final: true`, and nothing comes after it. A stream that broke off is taken up again by the
    header `Last-Event-ID` (or `last_event_id`); none is lost or told twice. A caller may follow a bounded number at
    once (429 QUOTA_EXCEEDED).
    """

    def work(shelves: Shelves) -> TurnRow:
        row = shelves.turns.row(turn_id=own_turn(ctx, shelves, session_id, turn_id).turn_id)
        assert row is not None
        return row

    turn = await ctx.store.read(work)
    if last_event_id > turn.last_sequence:
        raise InvalidParameter(
            f"This turn has had {turn.last_sequence} events so far, so none after {last_event_id} can follow.",
            field="last_event_id",
        )
    return _Following(ctx, turn, last_event_id)


class _Following(AsyncIterator[TurnEvent]):
    """A place among the caller's streams, from the moment that the stream is granted until it is closed."""

    def __init__(self, ctx: Context, turn: TurnRow, after: int) -> None:
        self._place = ctx.services.signals.place(ctx.caller.principal)
        self._place.__enter__()  # refused here, before anything is streamed
        self._events = _events(ctx, turn, after)
        self._open = True

    async def __anext__(self) -> TurnEvent:
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


async def _events(ctx: Context, turn: TurnRow, after: int) -> AsyncGenerator[TurnEvent, None]:
    signals = ctx.services.signals
    with signals.listen(f"turn:{turn.turn_id}") as bell:
        while not signals.closed:
            found, stands = await _looked(ctx, turn, after, bell)
            for event in found:
                yield event
                after = event.sequence
                if event.final:
                    return
            if not stands:
                yield _deleted(ctx, turn, after)
                return
            if stands == "over" and not found:
                return  # the last event was seen before
            if len(found) < EVENTS_AT_ONCE:
                await bell.wait()


async def _looked(ctx: Context, turn: TurnRow, after: int, bell: Bell) -> tuple[list[TurnEvent], str]:
    """The next events, and whether the turn is open, over or gone (an empty text)."""

    def work(shelves: Shelves) -> tuple[list[TurnEvent], str]:
        found = shelves.turns.events_of(turn.turn_id, after, EVENTS_AT_ONCE)
        if found:
            return found, "open"
        row = shelves.turns.row(turn_id=turn.turn_id)
        if row is None:
            return [], ""
        return [], "over" if row.over and row.last_sequence <= after else "open"

    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE
    while True:
        try:
            return await ctx.store.read(work)
        except DatabaseError:
            if loop.time() > end:
                raise
            await bell.wait(1.0)


def _deleted(ctx: Context, turn: TurnRow, after: int) -> TurnEvent:
    """The end of a stream whose session was deleted while it was open; there is no record left to hold it."""
    return TurnEvent(
        sequence=after + 1,
        event=TurnEventType.DONE,
        turn_id=turn.turn_id,
        task_id=turn.task_id,
        final=True,
        data={"state": TaskState.CANCELED, "message": "The session was deleted."},
        created_at=ctx.now(),
    )
