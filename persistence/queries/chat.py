"""Turns of chat sessions: what happened in them, and how a turn moves from event to event.

Every change of a turn is one conditional update of its row, which names the states it may come from and, for whoever
carries the turn out, the last event that they have seen. So a repeated step changes nothing, events are dense, and
a turn ends once. A transaction that changes both takes the session's row before the turn's, so that none can wait for
one another in a circle.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from persistence.repository import Repository, Scope
from persistence.tables.talk2data import (
    chat_sessions,
    turn_artifacts,
    turn_events,
    turn_feedback,
    turn_messages,
    turns,
)
from schema.pagination import Page
from schema.talk2data.feedback import Rating, TurnFeedback
from schema.talk2data.turn import ChatMessage, MessageRole, TaskUpdate, Turn, TurnArtifact, TurnOrder, TurnState
from schema.talk2data.turn_event import TurnEvent, TurnEventType

OPEN = (TurnState.CREATED, TurnState.WORKING)
MOVES: dict[TurnState, tuple[TurnState, ...]] = {
    TurnState.WORKING: OPEN,
    TurnState.COMPLETED: (TurnState.WORKING,),
    TurnState.FAILED: OPEN,
    TurnState.CANCELED: OPEN,
}
"""Where a turn may stand before it moves to a state; working is also kept from event to event."""


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event that is about to be stored."""

    event: TurnEventType
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnRow:
    """Holds what the worker needs to know of a turn."""

    turn_id: str
    session_id: str
    task_id: str
    organization_id: str
    project_id: str
    position: int
    state: TurnState
    last_sequence: int
    caller: dict[str, Any]

    @property
    def over(self) -> bool:
        """Return whether nothing more will happen."""
        return self.state not in OPEN


class TurnRepository(Repository[Turn]):
    """Turns with their messages, events, artifacts and feedback."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, Turn, turns, key="turn_id", noun="turn", order=[turns.c.position])

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """A bare turn; `filled` adds the rest."""
        return values | {"messages": [], "feedback": None, "task_updates": []}

    # --- reading ----------------------------------------------------------------------------------------------

    def listed(self, scope: Scope, session_id: str, order: TurnOrder, *, offset: int, limit: int) -> Page[Turn]:
        """One window of the turns of a session, bare, in the order that was asked for."""
        by = self.by_position(order)
        return self.page(scope, offset=offset, limit=limit, order=by, session_id=session_id)

    def by_position(self, order: TurnOrder) -> list[sa.ColumnElement[Any]]:
        """The order in which turns of a session are listed."""
        return [turns.c.position.desc() if order is TurnOrder.DESC else turns.c.position.asc()]

    def sessions_of(self, scope: Scope, turn_ids: Sequence[str]) -> dict[str, str]:
        """The session of each turn."""
        query = sa.select(turns.c.turn_id, turns.c.session_id).where(
            *self._within(scope), turns.c.turn_id.in_(turn_ids)
        )
        return {turn: session for turn, session in self._connection.execute(query)}

    def own(self, scope: Scope, turn_ids: Sequence[str], user_id: str) -> list[str]:
        """Those of some turns that are of a user's own sessions."""
        query = sa.select(turns.c.turn_id).where(turns.c.turn_id.in_(turn_ids), self._made_by(scope, user_id))
        return list(self._connection.execute(query).scalars())

    def _made_by(self, scope: Scope, user_id: str) -> sa.ColumnElement[bool]:
        own = sa.select(chat_sessions.c.session_id).where(
            chat_sessions.c.organization_id == scope.organization_id, chat_sessions.c.created_by == user_id
        )
        return turns.c.session_id.in_(own)

    def open_everywhere(self, limit: int) -> list[tuple[str, str]]:
        """The turns of all tenants that are not over, each with its task, the oldest first."""
        query = (
            sa.select(turns.c.turn_id, turns.c.task_id)
            .where(turns.c.state.in_(OPEN))
            .order_by(turns.c.created_at)
            .limit(limit)
        )
        return [(turn_id, task_id) for turn_id, task_id in self._connection.execute(query)]

    def filled(self, found: Sequence[Turn]) -> list[Turn]:
        """The turns with their messages, feedback and task updates: three statements, however many turns."""
        ids = [turn.turn_id for turn in found]
        messages: dict[str, list[ChatMessage]] = defaultdict(list)
        query = sa.select(*_columns(ChatMessage, turn_messages)).where(turn_messages.c.turn_id.in_(ids))
        for row in self._connection.execute(query.order_by(turn_messages.c.turn_id, turn_messages.c.position)):
            messages[row.turn_id].append(ChatMessage.model_validate(dict(row._mapping)))
        updates: dict[str, list[TaskUpdate]] = defaultdict(list)
        told = sa.select(turn_events).where(
            turn_events.c.turn_id.in_(ids), turn_events.c.event == TurnEventType.TASK_UPDATE
        )
        for row in self._connection.execute(told.order_by(turn_events.c.turn_id, turn_events.c.sequence)):
            common = {"turn_id": row.turn_id, "task_id": row.task_id, "created_at": row.created_at}
            updates[row.turn_id].append(TaskUpdate.model_validate(row.data | common))
        rated = sa.select(*_columns(TurnFeedback, turn_feedback)).where(turn_feedback.c.turn_id.in_(ids))
        feedback = {
            row.turn_id: TurnFeedback.model_validate(dict(row._mapping)) for row in self._connection.execute(rated)
        }
        return [
            turn.model_copy(
                update={
                    "messages": messages[turn.turn_id],
                    "task_updates": updates[turn.turn_id],
                    "feedback": feedback.get(turn.turn_id),
                }
            )
            for turn in found
        ]

    def events_of(self, turn_id: str, after: int, limit: int) -> list[TurnEvent]:
        """The events after a sequence number, in their order."""
        query = (
            sa.select(*_columns(TurnEvent, turn_events))
            .where(turn_events.c.turn_id == turn_id, turn_events.c.sequence > after)
            .order_by(turn_events.c.sequence)
            .limit(limit)
        )
        return [TurnEvent.model_validate(dict(row._mapping)) for row in self._connection.execute(query)]

    def artifacts_of(self, turn_ids: Sequence[str]) -> dict[str, list[TurnArtifact]]:
        """Return what the turns produced, in one statement."""
        query = (
            sa.select(turn_artifacts.c.turn_id, *_columns(TurnArtifact, turn_artifacts))
            .where(turn_artifacts.c.turn_id.in_(turn_ids))
            .order_by(turn_artifacts.c.turn_id, turn_artifacts.c.position)
        )
        found: dict[str, list[TurnArtifact]] = {turn_id: [] for turn_id in turn_ids}
        for turn_id, *values in self._connection.execute(query):
            named = dict(zip(TurnArtifact.model_fields, values, strict=True))
            found[turn_id].append(TurnArtifact.model_validate(named))
        return found

    def artifact_page(self, turn_id: str, *, offset: int, limit: int) -> Page[TurnArtifact]:
        """A window of what one turn produced."""
        mine = turn_artifacts.c.turn_id == turn_id
        total = self._connection.execute(sa.select(sa.func.count()).select_from(turn_artifacts).where(mine))
        query = sa.select(*_columns(TurnArtifact, turn_artifacts)).where(mine).order_by(turn_artifacts.c.position)
        items = [
            TurnArtifact.model_validate(dict(row._mapping))
            for row in self._connection.execute(query.offset(offset).limit(limit))
        ]
        return Page[Any].model_construct(items=items, total=total.scalar_one(), offset=offset, limit=limit)

    def row(self, **where: str) -> TurnRow | None:
        """A turn as the worker needs it, by `turn_id` or `task_id`."""
        return self._row(*(turns.c[name] == value for name, value in where.items()))

    def ids_of(self, session_id: str) -> list[str]:
        """The ids of a session's turns."""
        return list(
            self._connection.execute(sa.select(turns.c.turn_id).where(turns.c.session_id == session_id)).scalars()
        )

    def open_turn(self, session_id: str) -> TurnRow | None:
        """The turn of a session that is not over."""
        return self._row(turns.c.session_id == session_id, turns.c.state.in_(OPEN))

    def _row(self, *conditions: sa.ColumnElement[bool]) -> TurnRow | None:
        query = sa.select(*(turns.c[name] for name in TurnRow.__dataclass_fields__)).where(*conditions).limit(1)
        found = self._connection.execute(query).one_or_none()
        return None if found is None else TurnRow(**(found._asdict() | {"state": TurnState(found.state)}))

    def messages_before(self, turn: TurnRow, limit: int) -> list[ChatMessage]:
        """The last messages of the session's earlier turns, oldest first."""
        query = (
            sa.select(*_columns(ChatMessage, turn_messages))
            .join(turns, turns.c.turn_id == turn_messages.c.turn_id)
            .where(turns.c.session_id == turn.session_id, turns.c.position < turn.position)
            .order_by(turns.c.position.desc(), turn_messages.c.position.desc())
            .limit(limit)
        )
        found = [ChatMessage.model_validate(dict(row._mapping)) for row in self._connection.execute(query)]
        return found[::-1]

    def question_of(self, turn_id: str) -> ChatMessage:
        """Return what was asked."""
        query = sa.select(*_columns(ChatMessage, turn_messages)).where(
            turn_messages.c.turn_id == turn_id, turn_messages.c.position == 1
        )
        return ChatMessage.model_validate(dict(self._connection.execute(query).one()._mapping))

    # --- writing ----------------------------------------------------------------------------------------------

    def begin(self, turn: TurnRow, question: str, context: dict[str, Any] | None, now: datetime) -> None:
        """Write a new turn down, with the question as its first message. Its session has been counted up."""
        values = {name: getattr(turn, name) for name in TurnRow.__dataclass_fields__}
        self._connection.execute(turns.insert().values(**values, created_at=now, updated_at=now))
        self._say(turn, 1, MessageRole.USER, question, now, context=context)

    def _say(
        self,
        turn: TurnRow,
        position: int,
        role: MessageRole,
        content: str,
        now: datetime,
        *,
        artifacts: Sequence[str] = (),
        context: dict[str, Any] | None = None,
    ) -> None:
        self._connection.execute(
            turn_messages.insert().values(
                message_id=str(uuid4()),
                turn_id=turn.turn_id,
                organization_id=turn.organization_id,
                position=position,
                role=role,
                content=content,
                message_type="text",
                task_id=turn.task_id,
                generated_artifacts=list(artifacts),
                context=context,
                created_at=now,
            )
        )

    def tell(
        self,
        turn: TurnRow,
        events: Sequence[NewEvent],
        now: datetime,
        *,
        to: TurnState,
        seen: int | None = None,
    ) -> int | None:
        """Move a turn and store events after its last one: the new last sequence number, or None when it may not.

        `seen` is the last event that the teller knows; it may not when others have told more meanwhile.
        """
        conditions = [turns.c.turn_id == turn.turn_id, turns.c.state.in_(MOVES[to])]
        if seen is not None:
            conditions.append(turns.c.last_sequence == seen)
        last: int | None = self._connection.execute(
            turns.update()
            .where(*conditions)
            .values(state=to, last_sequence=turns.c.last_sequence + len(events), updated_at=now)
            .returning(turns.c.last_sequence)
        ).scalar_one_or_none()
        if last is not None:
            self.store_events(turn, events, last - len(events), now, closes=to not in OPEN)
        return last

    def store_events(
        self, turn: TurnRow, events: Sequence[NewEvent], after: int, now: datetime, *, closes: bool = False
    ) -> None:
        """Store events under the next sequence numbers; when they close the turn, the last of them is final."""
        rows = [
            {
                "turn_id": turn.turn_id,
                "sequence": number,
                "organization_id": turn.organization_id,
                "task_id": turn.task_id,
                "event": one.event,
                "final": closes and number == after + len(events),
                "data": one.data,
                "created_at": now,
            }
            for number, one in enumerate(events, after + 1)
        ]
        self._connection.execute(turn_events.insert(), rows)

    def keep_artifact(self, turn: TurnRow, position: int, artifact: TurnArtifact) -> None:
        """Store what a turn produced; its place is the sequence number of its event."""
        self._connection.execute(
            turn_artifacts.insert().values(
                turn_id=turn.turn_id,
                position=position,
                organization_id=turn.organization_id,
                **artifact.model_dump(mode="python"),
            )
        )

    def keep_answer(self, turn: TurnRow, now: datetime) -> bool:
        """Make a message of the text that a turn has told; whether there was any."""
        told = (
            sa.select(turn_events.c.data)
            .where(turn_events.c.turn_id == turn.turn_id, turn_events.c.event == TurnEventType.MESSAGE_DELTA)
            .order_by(turn_events.c.sequence)
        )
        text = "".join(data["delta"] for data in self._connection.execute(told).scalars())
        if not text:
            return False
        made = [artifact.resource_uri for artifact in self.artifacts_of([turn.turn_id])[turn.turn_id]]
        self._say(turn, 2, MessageRole.ASSISTANT, text, now, artifacts=made)
        return True

    def rating_of(self, turn_id: str) -> Rating | None:
        """The rating that stands, None before the first. Holds the turn, so that no other rating comes meanwhile."""
        held = sa.select(turns.c.turn_id).where(turns.c.turn_id == turn_id).with_for_update(key_share=True)
        self._connection.execute(held).all()
        query = sa.select(turn_feedback.c.rating).where(turn_feedback.c.turn_id == turn_id)
        found = self._connection.execute(query).scalar_one_or_none()
        return None if found is None else Rating(found)

    def rate(
        self, organization_id: str, turn_id: str, rating: Rating, comment: str | None, now: datetime
    ) -> TurnFeedback:
        """Store the rating of a turn, in place of an earlier one; `_created` tells which it was.

        One that says what stands already changes nothing.
        """
        mine = turn_feedback.c.turn_id == turn_id
        said = sa.select(turn_feedback.c.rating, turn_feedback.c.comment).where(mine)
        standing = self._connection.execute(said).one_or_none()
        if standing is not None and tuple(standing) != (rating, comment):
            self._connection.execute(
                turn_feedback.update().where(mine).values(rating=rating, comment=comment, updated_at=now)
            )
        if standing is None:
            self._connection.execute(
                turn_feedback.insert().values(
                    turn_id=turn_id,
                    organization_id=organization_id,
                    rating=rating,
                    comment=comment,
                    created_at=now,
                    updated_at=now,
                )
            )
        query = sa.select(*_columns(TurnFeedback, turn_feedback)).where(mine)
        feedback = TurnFeedback.model_validate(dict(self._connection.execute(query).one()._mapping))
        feedback._created = standing is None
        return feedback


def _columns(model: Any, table: sa.Table) -> list[sa.Column[Any]]:
    return [table.c[name] for name in model.model_fields]
