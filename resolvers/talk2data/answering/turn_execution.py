"""Defines how a question is answered: the engine's events are stored one by one, and the turn ends once, whatever
happens.

Begun again after its process died, it tells the engine what stands already and goes on after it. Two that work on the
same turn at the same time cannot both tell: the later one sees events that it does not know, and leaves off.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Any
from uuid import uuid4

import orjson
import pydantic

from auth.caller import Caller
from auth.guard import Guard
from persistence.jobs.port import FanOut, JobContext, JobError, JobOutcome, JobTask, explain
from persistence.queries.chat import OPEN, NewEvent, TurnRow
from persistence.store import UnitOfWork
from persistence.turn_limits import TurnSettings
from resolvers.context import Context, Services
from resolvers.operation import require
from resolvers.talk2data.answering.port import AnswerEvent, Question, TurnEngine
from schema.errors import ApiError, DatabaseError
from schema.governance.permission import Permission
from schema.talk2data.turn import TaskState, TurnArtifact, TurnState
from schema.talk2data.turn_event import TurnEventType
from schema.text import require_storable

log = logging.getLogger("stoa.talk2data")

TURN_JOB = "chat-turn"
"""The name of the job that answers a question; its key is the turn's task id."""
MOST_TAKEN_UP = 10_000
MOST_EVENTS = 10_000
"""How many events one answer may have."""
LARGEST_EVENT = 262_144
"""How many bytes of JSON one event may hold; what is larger belongs into an artifact."""
HISTORY = 50
"""How many earlier messages an engine is given."""
MOST_TURNS_AT_IT = 20
"""How often an answer is tried again after another process was found to tell it too."""
LONGEST_MESSAGE = 2000
"""How much of a failure's message is kept."""
_LAST = (TurnEventType.DONE, TurnEventType.ERROR)


def update_of(
    state: TaskState, message: str | None = None, *, agent: str | None = None, data: dict[str, Any] | None = None
) -> NewEvent:
    """A task update, as an event."""
    return NewEvent(
        TurnEventType.TASK_UPDATE,
        {
            "id": str(uuid4()),
            "state": state,
            "final": state not in (TaskState.SUBMITTED, TaskState.WORKING),
            "message": message,
            "data": data or {},
            "agent": agent,
        },
    )


def ended(
    uow: UnitOfWork,
    turn: TurnRow,
    to: TurnState,
    message: str | None,
    now: datetime,
    *,
    data: dict[str, Any] | None = None,
    seen: int | None = None,
) -> bool:
    """End a turn: its state, the last task update, the terminal event, and the answer as a message. Whether it did.

    In the middle of a transaction that is rolled back when it did not.
    """
    uow.chat_sessions.count(turn.session_id, now)  # the session's row before the turn's
    state = TaskState(to)
    last = TurnEventType.ERROR if to is TurnState.FAILED else TurnEventType.DONE
    events = [update_of(state, message), NewEvent(last, {**(data or {}), "state": state, "message": message})]
    if uow.turns.tell(turn, events, now, to=to, seen=seen) is None:
        return False
    if uow.turns.keep_answer(turn, now):
        uow.chat_sessions.count(turn.session_id, now, messages=1)
    return True


class _Superseded(Exception):
    """The turn was ended, deleted or taken over by others; there is nothing left to do here."""


class Answering:
    """Carries turns out, in whichever process the job engine chooses."""

    def __init__(self, services: Services, engine: TurnEngine, settings: TurnSettings) -> None:
        self._services, self._engine, self._settings = services, engine, settings

    def register(self) -> None:
        """Tell the job engine how a turn is answered.

        The whole work is the plan of a job without tasks, because a plan that fails for good has a last word.
        """
        self._services.jobs.register(
            TURN_JOB, FanOut(plan=self._plan, task=self._no_task, finish=self._finish, failed=self._failed)
        )

    async def take_up(self) -> None:
        """Queue the turns that are open and that the job engine may not know, and end those it has given up."""
        jobs = self._services.jobs
        waiting = await self._services.store.read(lambda uow: uow.turns.open_everywhere(MOST_TAKEN_UP))
        for turn_id, task_id in waiting:
            await jobs.enqueue(TURN_JOB, {"turn_id": turn_id}, key=task_id)
            if (outcome := await jobs.outcome(task_id)) is not None:
                await self._fail(turn_id, outcome.message or "The task ended without an answer.")

    async def _plan(self, job: JobContext, arguments: dict[str, Any]) -> Sequence[JobTask]:
        turn_id = arguments["turn_id"]
        for _ in range(MOST_TURNS_AT_IT):
            turn = await self._services.store.read(lambda uow: uow.turns.row(turn_id=turn_id))
            if turn is None or turn.state not in OPEN:
                return []
            if await _Answer(self._context(turn), turn, self._engine, self._settings).run():
                return []
            await asyncio.sleep(1)  # somebody else tells, and may have been cut off meanwhile
        raise JobError("The answer was begun in several processes at once and came to no end.")

    async def _no_task(self, job: JobContext, arguments: dict[str, Any]) -> None:
        return None

    async def _finish(self, job: JobContext, arguments: dict[str, Any], outcomes: Sequence[JobOutcome]) -> None:
        return None

    async def _failed(self, job: JobContext, arguments: dict[str, Any], message: str) -> None:
        await self._fail(arguments["turn_id"], message)

    async def _fail(self, turn_id: str, message: str) -> None:
        """End a turn as failed if it is still open."""
        now = self._services.clock()

        def work(uow: UnitOfWork) -> None:
            turn = uow.turns.row(turn_id=turn_id)
            if turn is not None and turn.state in OPEN:
                ended(uow, turn, TurnState.FAILED, message[:LONGEST_MESSAGE], now)

        await self._services.store.write(work)
        self._services.signals.notify(f"turn:{turn_id}")

    def _context(self, turn: TurnRow) -> Context:
        """The context of who asked."""
        return Context(
            caller=Caller.from_dict(turn.caller),
            request_id=f"task-{turn.task_id}",
            services=self._services,
            guard=Guard(self._services.relations),
        )


class _Answer:
    """One turn being answered."""

    def __init__(self, ctx: Context, turn: TurnRow, engine: TurnEngine, settings: TurnSettings) -> None:
        self._ctx, self._turn, self._engine, self._settings = ctx, turn, engine, settings
        self._seen = turn.last_sequence

    async def run(self) -> bool:
        """Answer; False when somebody else moved the turn.

        Raises DatabaseError, to be begun again, and CancelledError.
        """
        try:
            told = await self._begun()
            try:
                await self._engaged(told)
            except (_Superseded, DatabaseError):
                raise
            except asyncio.CancelledError:
                if (task := asyncio.current_task()) is not None and task.cancelling():
                    raise
                await self._end(TurnState.FAILED, "The engine broke off its answer.")
            except TimeoutError:
                seconds = f"{self._settings.turn_seconds:g}"
                await self._end(TurnState.FAILED, f"The answer took longer than {seconds} seconds and was broken off.")
            except Exception as error:
                if not isinstance(error, ApiError | JobError):
                    log.exception("turn %s failed", self._turn.turn_id)
                await self._end(TurnState.FAILED, explain(error))
        except _Superseded:
            log.info("turn %s was moved by somebody else", self._turn.turn_id)
            return False
        return True

    async def _begun(self) -> list[AnswerEvent]:
        """Say that the work has begun, or read what was told before."""
        if self._turn.state is TurnState.CREATED:
            await self._tell(update_of(TaskState.WORKING))
            return []
        events = await self._ctx.store.read(lambda uow: uow.turns.events_of(self._turn.turn_id, 0, MOST_EVENTS))
        return [
            AnswerEvent(one.event, one.data)
            for one in events
            if one.event is not TurnEventType.TASK_UPDATE or one.data["agent"] is not None
        ]

    async def _engaged(self, told: list[AnswerEvent]) -> None:
        """Let the engine answer."""
        await require(self._ctx, Permission.CAN_EXECUTE, "project", self._turn.project_id)
        question = await self._ctx.store.read(self._question)
        last: AnswerEvent | None = None
        async with asyncio.timeout(self._settings.turn_seconds):
            async with aclosing(self._engine.answer(self._ctx, question, told)) as events:
                async for one in events:
                    checked = self._checked(one)
                    if one.event in _LAST:
                        last = one
                        break
                    await self._tell(checked, artifact=_artifact(self._ctx, one))
        if last is not None and last.event is TurnEventType.ERROR:
            await self._end(TurnState.FAILED, str(last.data.get("message") or "No answer was found."), last.data)
        else:
            message = last.data.get("message") if last is not None else None
            await self._end(TurnState.COMPLETED, message, last.data if last is not None else None)

    def _question(self, uow: UnitOfWork) -> Question:
        asked = uow.turns.question_of(self._turn.turn_id)
        return Question(
            session_id=self._turn.session_id,
            turn_id=self._turn.turn_id,
            task_id=self._turn.task_id,
            message=asked.content,
            context=asked.context,
            history=uow.turns.messages_before(self._turn, HISTORY),
        )

    def _checked(self, one: AnswerEvent) -> NewEvent:
        """The event as it is stored. Raises JobError for one that cannot be."""
        if self._seen >= MOST_EVENTS:
            raise JobError(f"The answer has more than {MOST_EVENTS} events and was broken off.")
        try:
            require_storable(one.data)
            size = len(orjson.dumps(one.data))
        except (ValueError, TypeError):
            raise JobError(f"The answer held a {one.event} that cannot be stored.") from None
        if size > LARGEST_EVENT:
            raise JobError(f"The answer held a {one.event} of more than {LARGEST_EVENT} bytes.")
        if one.event is TurnEventType.MESSAGE_DELTA and not isinstance(one.data.get("delta"), str):
            raise JobError("The answer held a piece of text that is none.")
        if one.event is TurnEventType.TASK_UPDATE:
            return update_of(
                TaskState.WORKING, one.data.get("message"), agent=self._engine.name, data=one.data.get("data")
            )
        if (artifact := _artifact(self._ctx, one)) is not None:
            return NewEvent(one.event, artifact.model_dump(mode="json", exclude={"created_at"}))
        return NewEvent(one.event, one.data)

    async def _tell(self, event: NewEvent, artifact: TurnArtifact | None = None) -> None:
        """Store one event. Raises _Superseded when others have moved the turn."""
        now = self._ctx.now()

        def work(uow: UnitOfWork) -> int:
            if artifact is not None:
                uow.chat_sessions.count(self._turn.session_id, now, artifacts=1)
            last = uow.turns.tell(self._turn, [event], now, to=TurnState.WORKING, seen=self._seen)
            if last is None:
                raise _Superseded
            if artifact is not None:
                uow.turns.keep_artifact(self._turn, last, artifact)
            return last

        self._seen = await self._ctx.store.write(work)
        self._ctx.services.signals.notify(f"turn:{self._turn.turn_id}")

    async def _end(self, to: TurnState, message: str | None, data: dict[str, Any] | None = None) -> None:
        now = self._ctx.now()
        short = None if message is None else message[:LONGEST_MESSAGE]

        def work(uow: UnitOfWork) -> None:
            if not ended(uow, self._turn, to, short, now, data=data, seen=self._seen):
                raise _Superseded

        await self._ctx.store.write(work)
        self._ctx.services.signals.notify(f"turn:{self._turn.turn_id}")


def _artifact(ctx: Context, one: AnswerEvent) -> TurnArtifact | None:
    """The artifact that an event tells of. Raises JobError when the engine's fields are not those of one."""
    if one.event is not TurnEventType.ARTIFACT:
        return None
    optional: dict[str, Any] = {"artifact_title": None, "artifact_description": None, "metadata": {}}
    try:
        artifact = TurnArtifact.model_validate(optional | one.data | {"created_at": ctx.now()})
    except pydantic.ValidationError:
        raise JobError("The answer held an artifact without the fields of one.") from None
    bounds = {"resource_uri": 800, "artifact_type": 64, "artifact_title": 255, "artifact_description": 2000}
    if any(len(getattr(artifact, name) or "") > most for name, most in bounds.items()):
        raise JobError("The answer held an artifact whose fields are too long.")
    return artifact
