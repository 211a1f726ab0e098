"""Defines what stewards do with notes about answers: list, read, close."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import operation
from schema.governance.permission import Permission
from schema.pagination import Page, PageNumber, PageSize
from schema.talk2data.answer_note import AnswerNote, AnswerNoteChange, NoteStatus

NoteId = Annotated[UUID, Field(description="The note's id.")]


@operation(needs=Permission.CAN_WRITE)
async def list_answer_notes(
    ctx: Context, *, status: NoteStatus | None = None, page: PageNumber = 1, limit: PageSize = 20
) -> Page[AnswerNote]:
    """List what people found wrong with answers in the selected project, the newest first.

    A note shows a question and its query, which are its asker's alone until they comment on the answer. So this is for
    those who may change the project's memories, with can_write.
    """
    return await ctx.store.read(
        lambda uow: uow.answer_notes.page(ctx.scope, offset=(page - 1) * limit, limit=limit, status=status)
    )


@operation(needs=Permission.CAN_WRITE)
async def get_answer_note(ctx: Context, *, note_id: NoteId) -> AnswerNote:
    """Get a note about an answer."""
    return await ctx.store.read(lambda uow: uow.answer_notes.get(ctx.scope, str(note_id)))


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def update_answer_note(ctx: Context, *, note_id: NoteId, changes: AnswerNoteChange) -> AnswerNote:
    """Close a note about an answer with what was done about it, or open it again."""
    now, given = ctx.now(), changes.given()
    is_open = changes.status is NoteStatus.OPEN
    said = given | ({"resolution": None} if is_open else {})
    closed = {"closed_by": None, "closed_at": None} if is_open else {"closed_by": ctx.caller.user_id, "closed_at": now}

    def work(uow: UnitOfWork) -> AnswerNote:
        current = uow.answer_notes.get(ctx.scope, str(note_id))
        stands = all(getattr(current, name) == value for name, value in said.items())
        values = {} if stands else said | closed | {"updated_at": now}  # who closed it stays while nothing is new
        return uow.answer_notes.change(ctx.scope, current.id, values, expected=ctx.expected_of(current))

    return await ctx.store.write(work)
