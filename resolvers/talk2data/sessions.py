"""Operations on chat sessions: begin, list, read, rename, delete. Each user sees their own alone.

Chatting is running something, so it takes can_execute on the project; looking at one's own takes can_read. Nobody
reads another's session, whatever their role: questions may say more than their asker would tell.
"""

from typing import Annotated
from uuid import UUID, uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.chat import TurnRow
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import operation
from resolvers.talk2data.answering.artifacts import Going, MoreThere
from resolvers.uploads import discard
from schema.errors import Forbidden, NotFound
from schema.governance.permission import Done, Permission
from schema.pagination import Page, PageNumber, PageSize
from schema.talk2data.session import ChatSession, ChatSessionChange, ChatSessionCreate

SessionId = Annotated[UUID, Field(description="The session's id.")]


def require_own(ctx: Context, uow: UnitOfWork, session_id: UUID | str) -> str:
    """The id of the caller's session. Raises NotFound, and Forbidden for another user's of this project."""
    owner = uow.chat_sessions.owner_of(ctx.scope, str(session_id))
    if owner is None:
        raise NotFound("chat_session", str(session_id))
    if owner != ctx.caller.user_id:
        raise Forbidden(
            "This chat session belongs to somebody else. Begin one of your own.",
            resource_type="chat_session",
            resource_id=str(session_id),
        )
    return str(session_id)


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def create_chat_session(ctx: Context, *, session: ChatSessionCreate | None = None) -> ChatSession:
    """Begin a chat session in the selected project. It belongs to the caller alone."""
    now = ctx.now()
    new = ChatSession(
        session_id=str(uuid4()),
        title=session.title if session is not None else None,
        turn_count=0,
        message_count=0,
        artifact_count=0,
        created_at=now,
        updated_at=now,
    )
    return await ctx.store.write(
        lambda uow: uow.chat_sessions.add(
            new, organization_id=ctx.organization_id, project_id=ctx.project_id, created_by=ctx.caller.user_id
        )
    )


@operation(needs=Permission.CAN_READ)
async def list_chat_sessions(ctx: Context, *, page: PageNumber = 1, limit: PageSize = 20) -> Page[ChatSession]:
    """List the caller's own sessions in the selected project, newest first."""
    return await ctx.store.read(
        lambda uow: uow.chat_sessions.page(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            created_by=ctx.caller.user_id,
        )
    )


@operation(needs=Permission.CAN_READ)
async def get_chat_session(ctx: Context, *, session_id: SessionId) -> ChatSession:
    """Get one of the caller's own sessions."""
    return await ctx.store.read(lambda uow: uow.chat_sessions.get(ctx.scope, require_own(ctx, uow, session_id)))


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def update_chat_session(ctx: Context, *, session_id: SessionId, changes: ChatSessionChange) -> ChatSession:
    """Give one of the caller's own sessions another title."""
    values = changes.given() | {"updated_at": ctx.now()}
    return await ctx.store.write(
        lambda uow: uow.chat_sessions.change(
            ctx.scope, require_own(ctx, uow, session_id), values, expected=ctx.expected_revision
        )
    )


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def delete_chat_session(ctx: Context, *, session_id: SessionId) -> Done:
    """Delete one of the caller's own sessions with its turns and the artifacts of its answers.

    The answer that is being worked on is cancelled. Exemplars that were learned from it stay.
    """
    expected = ctx.expected_revision and frozenset(n + 1 for n in ctx.expected_revision)  # holding it counts it up
    going, done = Going(), Done(message="The chat session was deleted.")

    def work(uow: UnitOfWork) -> tuple[TurnRow | None, list[str]]:
        own = require_own(ctx, uow, session_id)
        uow.chat_sessions.count(own, ctx.now())  # holds the row, so that no turn begins meanwhile
        turn, asked = uow.turns.open_turn(own), uow.turns.ids_of(own)
        # An answer that is being kept in this moment holds its turn: once that is gone, its artifacts can be seen.
        uow.chat_sessions.remove(ctx.scope, own, expected=expected)
        return turn, going.remove(ctx, uow, asked)

    while True:
        await going.read(ctx, str(session_id))
        try:
            turn, blobs = await ctx.store.write(work, told=lambda _: done)
        except MoreThere:  # at most once for each of its turns
            continue
        break
    await discard(ctx, blobs)
    if blobs:
        ctx.guard.forget()
    if turn is not None:
        ctx.services.signals.notify(f"turn:{turn.turn_id}")
        await ctx.services.jobs.cancel(turn.task_id)
    return done
