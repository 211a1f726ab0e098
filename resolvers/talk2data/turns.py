"""Operations on turns: ask, list, read, see the artifacts, cancel. All of it in the caller's own sessions."""

from typing import Annotated, Final
from uuid import UUID, uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.chat import TurnRow
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import operation
from resolvers.talk2data.answering.readings import reading_of
from resolvers.talk2data.answering.turn_execution import TURN_JOB, ended, update_of
from resolvers.talk2data.sessions import SessionId, require_own
from schema.errors import Forbidden, NotFound, ValidationError
from schema.governance.permission import Permission
from schema.naming import as_name
from schema.pagination import Page, PageNumber, PageSize
from schema.talk2data.turn import (
    CanceledTask,
    StartedTurn,
    TaskState,
    Turn,
    TurnArtifact,
    TurnCreate,
    TurnOrder,
    TurnState,
)

LONGEST_TITLE: Final = 80
"""How many characters a title that is made of a question has."""

TurnId = Annotated[UUID, Field(description="The turn's id.")]


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def create_turn(ctx: Context, *, session_id: SessionId, turn: TurnCreate) -> StartedTurn:
    """Ask a question. The answer is worked on at once and goes on by itself; follow the turn's stream.

    A session answers one question at a time: another one meanwhile is a 422 that names the task to wait for or cancel.
    """
    turn_id, task_id, now = str(uuid4()), str(uuid4()), ctx.now()
    context = turn.context.model_dump() if turn.context is not None else None
    if turn.reading_id is not None:
        context = (context or {}) | {"reading_id": turn.reading_id}

    def work(uow: UnitOfWork) -> None:
        own = require_own(ctx, uow, session_id)
        if turn.reading_id is not None and reading_of(uow, own, turn.reading_id) is None:
            raise ValidationError(
                "This is no reading of a question that was asked back in this session. Name the id of one of the "
                "`readings` that the question back came with.",
                status=422,
                field="reading_id",
            )
        position = uow.chat_sessions.count(own, now, turns=1, messages=1)
        if position is None:
            raise NotFound("chat_session", own)  # deleted in this moment
        standing = uow.turns.open_turn(own)
        if standing is not None:
            raise ValidationError(
                "The last question of this session is still being answered. Wait for the answer or cancel its task.",
                status=422,
                field="session_id",
                task_id=standing.task_id,
                turn_id=standing.turn_id,
            )
        row = TurnRow(
            turn_id=turn_id,
            session_id=own,
            task_id=task_id,
            organization_id=ctx.organization_id,
            project_id=ctx.project_id,
            position=position,
            state=TurnState.CREATED,
            last_sequence=1,
            caller=ctx.caller.to_dict(),
        )
        uow.turns.begin(row, turn.message, context, now)
        if position == 1:
            uow.chat_sessions.entitle(own, title_of(turn.message))
        uow.turns.store_events(row, [update_of(TaskState.SUBMITTED)], 0, now)

    started = StartedTurn(session_id=str(session_id), turn_id=turn_id, task_id=task_id, state=TurnState.CREATED)
    await ctx.store.write(work, told=lambda _: started)
    # A process that dies between these two leaves an open turn, which the next start takes up by the same key.
    await ctx.services.jobs.enqueue(TURN_JOB, {"turn_id": turn_id}, key=task_id)
    return started


@operation(needs=Permission.CAN_READ)
async def list_turns(
    ctx: Context,
    *,
    session_id: SessionId,
    page: PageNumber = 1,
    limit: PageSize = 20,
    order: TurnOrder = TurnOrder.ASC,
) -> Page[Turn]:
    """List the turns of one of the caller's own sessions, the first question first unless asked otherwise."""

    def work(uow: UnitOfWork) -> Page[Turn]:
        own = require_own(ctx, uow, session_id)
        found = uow.turns.listed(ctx.scope, own, order, offset=(page - 1) * limit, limit=limit)
        return found.model_copy(update={"items": uow.turns.filled(found.items)})

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_READ)
async def get_turn(ctx: Context, *, session_id: SessionId, turn_id: TurnId) -> Turn:
    """Get a turn of one of the caller's own sessions."""

    def work(uow: UnitOfWork) -> Turn:
        (turn,) = uow.turns.filled([own_turn(ctx, uow, session_id, turn_id)])
        return turn

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_READ)
async def list_turn_artifacts(
    ctx: Context, *, session_id: SessionId, turn_id: TurnId, page: PageNumber = 1, limit: PageSize = 20
) -> Page[TurnArtifact]:
    """List what a turn of one of the caller's own sessions produced, in the order in which it was made."""

    def work(uow: UnitOfWork) -> Page[TurnArtifact]:
        turn = own_turn(ctx, uow, session_id, turn_id)
        return uow.turns.artifact_page(turn.turn_id, offset=(page - 1) * limit, limit=limit)

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def cancel_task(ctx: Context, *, task_id: Annotated[UUID, Field(description="The task's id.")]) -> CanceledTask:
    """Cancel the task behind a turn of the caller's own. What was answered so far stays; a task that is over is a 422.

    Its stream ends with `done`, whose `state` is canceled.
    """
    now = ctx.now()

    def work(uow: UnitOfWork) -> TurnRow:
        turn = uow.turns.row(task_id=str(task_id), organization_id=ctx.organization_id, project_id=ctx.project_id)
        if turn is None:
            raise NotFound("task", str(task_id))
        if uow.chat_sessions.owner_of(ctx.scope, turn.session_id) != ctx.caller.user_id:
            raise Forbidden(
                "This task answers somebody else's question.", resource_type="task", resource_id=str(task_id)
            )
        if not ended(uow, turn, TurnState.CANCELED, "The task was canceled.", now):
            raise ValidationError(
                f"This task is {_state(uow, turn)} and cannot be canceled.", status=422, field="task_id"
            )
        return turn

    turn = await ctx.store.write(work, told=_canceled)
    ctx.services.signals.notify(f"turn:{turn.turn_id}")
    await ctx.services.jobs.cancel(turn.task_id)
    return _canceled(turn)


def _canceled(turn: TurnRow) -> CanceledTask:
    return CanceledTask(
        task_id=turn.task_id, session_id=turn.session_id, turn_id=turn.turn_id, state=TaskState.CANCELED
    )


def title_of(question: str) -> str:
    """Return what a session is called that began with a question: its first words."""
    words = as_name(" ".join(question.split()), "Question")
    if len(words) <= LONGEST_TITLE:
        return words
    cut = words[:LONGEST_TITLE].rpartition(" ")[0] or words[: LONGEST_TITLE - 1]
    return f"{cut}…"


def _state(uow: UnitOfWork, turn: TurnRow) -> TurnState:
    now = uow.turns.row(turn_id=turn.turn_id)
    return turn.state if now is None else now.state


def own_turn(ctx: Context, uow: UnitOfWork, session_id: UUID, turn_id: UUID) -> Turn:
    """A turn of the caller's session, bare. Raises as `require_own` does, and NotFound for a turn of another one."""
    return uow.turns.get(ctx.scope, str(turn_id), session_id=require_own(ctx, uow, session_id))
