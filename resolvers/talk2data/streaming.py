"""Following a turn: the events that stand, then each one as it happens, until the last.

Events come from the store alone, so a stream that is opened late, twice or in another process shows the same ones. No
connection to the store is held while nothing happens.

Who follows must be allowed to all the while: a stream ends when the caller's permission does, and when their token does
where the door says when that is. The turn goes on, and its stream can be taken up again by who may.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Final

from pydantic import Field

from persistence.queries.chat import TurnRow
from persistence.signals import Bell
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.granted_stream import EVENTS_AT_ONCE, GrantedStream
from resolvers.operation import operation
from resolvers.talk2data.sessions import SessionId
from resolvers.talk2data.turns import TurnId, own_turn
from schema.errors import ApiError, InvalidParameter
from schema.governance.permission import Permission
from schema.talk2data.turn import TaskState
from schema.talk2data.turn_event import TurnEvent, TurnEventType

LAST_EVENT: Final = 2_000_000_000
"""The greatest `sequence` that can be asked for."""
LastEventId = Annotated[
    int, Field(ge=0, le=LAST_EVENT, description="The `sequence` of the last event seen: those after it follow.")
]


@operation(needs=Permission.CAN_READ)
async def stream_turn(
    ctx: Context, *, session_id: SessionId, turn_id: TurnId, last_event_id: LastEventId = 0
) -> AsyncIterator[TurnEvent]:
    """Follow a turn of one of the caller's own sessions: every event from the first, as they happen.

    The last event has `final: true`, and nothing comes after it. A stream that broke off is taken up again by the
    header `Last-Event-ID` (or `last_event_id`); none is lost or told twice. A caller may follow a bounded number at
    once (429 QUOTA_EXCEEDED).

    When the caller's token expires or they lose the permission, the stream ends with an `error` that has a `code`, such
    as TOKEN_EXPIRED, and no `state`: the turn goes on. Its `sequence` is that of the event before, to resume after.
    """

    def work(uow: UnitOfWork) -> TurnRow:
        row = uow.turns.row(turn_id=own_turn(ctx, uow, session_id, turn_id).turn_id)
        assert row is not None
        return row

    turn = await ctx.store.read(work)
    if last_event_id > turn.last_sequence:
        raise InvalidParameter(
            f"This turn has had {turn.last_sequence} events so far, so none after {last_event_id} can follow.",
            field="last_event_id",
        )
    return TurnStream(ctx, turn, last_event_id)


class TurnStream(GrantedStream[TurnEvent]):
    """The events of a turn, for one caller."""

    def __init__(self, ctx: Context, turn: TurnRow, after: int) -> None:
        self._turn = turn
        super().__init__(ctx, stream_turn, self._told(after))

    async def _told(self, after: int) -> AsyncGenerator[TurnEvent, None]:
        ctx, turn, signals = self._ctx, self._turn, self._ctx.services.signals
        with signals.listen(f"turn:{turn.turn_id}") as bell:
            while not signals.closed:
                if (refused := await self._refused(bell)) is not None:
                    yield _broken_off(ctx, turn, after, refused)
                    return
                found, stands = await self._looked(after, bell)
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

    async def _looked(self, after: int, bell: Bell) -> tuple[list[TurnEvent], str]:
        """The next events, and whether the turn is open, over or gone (an empty text)."""

        def work(uow: UnitOfWork) -> tuple[list[TurnEvent], str]:
            found = uow.turns.events_of(self._turn.turn_id, after, EVENTS_AT_ONCE)
            if found:
                return found, "open"
            row = uow.turns.row(turn_id=self._turn.turn_id)
            if row is None:
                return [], ""
            return [], "over" if row.over and row.last_sequence <= after else "open"

        return await self._read(work, bell)


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


def _broken_off(ctx: Context, turn: TurnRow, after: int, why: ApiError) -> TurnEvent:
    """The end of a stream whose caller may not follow any longer. It moves no place: the turn goes on after it."""
    return TurnEvent(
        sequence=after,
        event=TurnEventType.ERROR,
        turn_id=turn.turn_id,
        task_id=turn.task_id,
        final=True,
        data={"code": why.code, "message": why.message},
        created_at=ctx.now(),
    )
