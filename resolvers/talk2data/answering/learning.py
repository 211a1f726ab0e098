"""Defines what is learned from what people say about answers. Nothing is taken for true before a steward has
validated it.

A good answer is offered as an `exemplar` memory: the question with its query, unvalidated, in a pack of its own. Who
archives or deprecates that pack ends the learning. A query that somebody has corrected is offered in the same way.
"""

from datetime import datetime
from typing import Any, Final
from uuid import uuid4

from auth.rate_limit import CallKind
from persistence.queries.knowledge import content_hash
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.engines.sql_guard import QueryRefused
from resolvers.operation import operation
from resolvers.talk2data.answering.catalog_context import Ground, NotThere, ground_of, places_of
from resolvers.talk2data.answering.guarding import judged, told_of
from resolvers.talk2data.sessions import SessionId
from resolvers.talk2data.turns import TurnId, own_turn
from resolvers.utils.context_packs import new_pack
from resolvers.utils.memories import added_memory
from schema.errors import ValidationError
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.naming import as_name
from schema.talk2data.answer_note import AnswerNote, NoteStatus, TurnCorrection
from schema.talk2data.feedback import Rating, TurnFeedbackCreate
from schema.talk2data.provenance import AnswerKind, TurnProvenance
from schema.talk2data.turn import Turn
from schema.utils.context_pack import ContextPack, ContextPackCreate, PackStatus, PackType
from schema.utils.memory import (
    Memory,
    MemoryClassificationInput,
    MemoryReplacement,
    MemorySourceInput,
    MemoryType,
    ValidationStatus,
)

PACK: Final = "Learned from answers"
"""The name of the context pack that exemplars are offered in."""
LONGEST_QUESTION: Final = 2000
LONGEST_SQL: Final = 20_000


def count_help(ctx: Context, uow: UnitOfWork, turn_id: str, rating: Rating) -> None:
    """Count a rating with the memories that the answer used; another one moves the count, the same does nothing.

    In the transaction that keeps the rating, and before it does.
    """
    before = uow.turns.rating_of(turn_id)
    found = uow.turn_provenance.find(ctx.scope, turn_id)
    if found is None or before is rating:
        return
    uow.memories.note_help(
        ctx.scope,
        [one.id for one in found.memories],
        helped=(rating is Rating.THUMBS_UP) - (before is Rating.THUMBS_UP),
        failed=(rating is Rating.THUMBS_DOWN) - (before is Rating.THUMBS_DOWN),
    )


def learn_from_rating(ctx: Context, uow: UnitOfWork, turn: Turn, session_id: str, rated: TurnFeedbackCreate) -> None:
    """Offer a good answer as an exemplar; open a note about a bad one. In the transaction that keeps the rating."""
    now = ctx.now()
    found = uow.turn_provenance.find(ctx.scope, turn.turn_id)
    question, _, _, position = uow.turn_provenance.asked_before(turn.turn_id)
    sql = None if found is None else found.sql_drafted
    said = None
    if found is not None and found.kind is AnswerKind.ANSWER and sql is not None:
        # What follows an earlier question does not stand alone; how it was understood does.
        alone = question if position == 1 else found.reading or question
        tables = [table.fqn for table in found.tables]
        said = _memory(alone, sql, found.dialect or "", tables, session_id, turn.turn_id)
    if rated.rating is Rating.THUMBS_UP:
        uow.answer_notes.withdraw(ctx.scope, turn.turn_id)
        if said is not None:
            _offered(ctx, uow, said, now)
        return
    if said is not None:
        _take_back(ctx, uow, said, session_id, now)
    if rated.comment is not None and rated.comment.strip():
        note = AnswerNote(
            id=str(uuid4()),
            turn_id=turn.turn_id,
            question=question,
            sql=sql,
            comment=rated.comment,
            status=NoteStatus.OPEN,
            resolution=None,
            created_by=ctx.caller.user_id,
            created_at=now,
            closed_by=None,
            closed_at=None,
            updated_at=now,
        )
        uow.answer_notes.put(ctx.scope, note, now)


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def correct_turn(ctx: Context, *, session_id: SessionId, turn_id: TurnId, correction: TurnCorrection) -> Memory:
    """Submit the query that would have answered a question of the caller's own. It becomes an exemplar.

    The query passes the guard under the caller's own permissions and policies, and is not run. The exemplar counts as
    unvalidated until a steward validates it. Submitting the same twice answers with the exemplar that stands.
    """

    def read(uow: UnitOfWork) -> tuple[TurnProvenance | None, str, dict[str, Any] | None]:
        turn = own_turn(ctx, uow, session_id, turn_id)
        question, context, _, _ = uow.turn_provenance.asked_before(turn.turn_id)
        return uow.turn_provenance.find(ctx.scope, turn.turn_id), question, context

    found, question, context = await ctx.store.read(read)
    ground = await _ground(ctx, found, context)
    try:
        guarded = judged(ground, correction.sql)
    except QueryRefused as refused:
        why = await told_of(ctx, ground.policies, refused)
        raise ValidationError(f"{why} (Rule: {refused.rule}.)", status=422, field="sql") from None
    said = _memory(
        correction.question or question,
        correction.sql,
        ground.dialect,
        [table.fqn for table in guarded.tables],
        str(session_id),
        str(turn_id),
    )
    now = ctx.now()

    def write(uow: UnitOfWork) -> Memory:
        own_turn(ctx, uow, session_id, turn_id)
        made = _offered(ctx, uow, said, now)
        if made is None:
            raise ValidationError(
                f"The context pack “{PACK}” is not active, so nothing is learned. Set its status to active first.",
                status=422,
                field="sql",
            )
        return made

    return await ctx.store.write(write)


async def _ground(ctx: Context, found: TurnProvenance | None, context: dict[str, Any] | None) -> Ground:
    """The connection that a corrected query is for. Raises ValidationError when it cannot be told."""
    named = [found.resource_uri] if found is not None and found.resource_uri else None
    try:
        places = await places_of(ctx, named or (context or {}).get("datasources") or ())
    except NotThere as refused:
        raise ValidationError(refused.message, status=422, field="sql") from None
    if len(places) != 1:
        raise ValidationError(
            "It cannot be told which data connection this query is for. Ask the question again with its resource URI "
            "in context.datasources.",
            status=422,
            field="sql",
        )
    return await ground_of(ctx, places[0])


def _memory(
    question: str, sql: str, dialect: str, tables: list[str], session_id: str, turn_id: str
) -> MemoryReplacement:
    """An exemplar. Its content holds nothing of the turn, so that the same pair stands once."""
    question = " ".join(question.split())[:LONGEST_QUESTION]
    return MemoryReplacement(
        name=as_name(question, "Question"),
        memory_type=MemoryType.EXEMPLAR,
        content={"type": "exemplar", "question": question, "sql": sql[:LONGEST_SQL], "dialect": dialect},
        source=MemorySourceInput(type="conversation", conversation_id=session_id, confidence=0.5),
        classification=MemoryClassificationInput(tags=["learned"]),
        meta_data={"turn_id": turn_id},
        asset_fqn=_shared(tables),
    )


def _shared(tables: list[str]) -> str | None:
    """The name that all tables stand at or below."""
    parts = [Fqn.parse(fqn).parts for fqn in tables]
    shared = []
    for names in zip(*parts, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return str(Fqn.of(*shared)) if shared else None


def _pack(ctx: Context, uow: UnitOfWork) -> ContextPack | None:
    """The pack of what was learned, whatever its status; None while there is none."""
    return uow.context_packs.named(ctx.scope, PACK)


def _offered(ctx: Context, uow: UnitOfWork, said: MemoryReplacement, now: datetime) -> Memory | None:
    """The exemplar in its pack, which is made when it is first needed; None when the pack is not active."""
    pack = _pack(ctx, uow)
    if pack is None:
        given = ContextPackCreate(
            name=PACK,
            pack_type=PackType.PROJECT,
            description="Questions with the queries that answered them, as people rated or corrected them. Validate "
            "what is right, archive what is not; archive the pack to learn nothing more.",
        )
        pack = uow.context_packs.add(new_pack(ctx, given))
    return added_memory(ctx, uow, pack.id, said, now) if pack.status is PackStatus.ACTIVE else None


def _take_back(ctx: Context, uow: UnitOfWork, said: MemoryReplacement, session_id: str, now: datetime) -> None:
    """Delete the exemplar that the same conversation had offered, unless a steward has looked at it."""
    pack = _pack(ctx, uow)
    if pack is None:
        return
    hashed = content_hash(said.memory_type, said.content, said.asset_fqn)
    standing = uow.memories.same(pack.id, hashed)
    if standing is None or standing.source.conversation_id != session_id:
        return
    if standing.quality.validation_status is ValidationStatus.UNVALIDATED:
        uow.memories.bury(standing, now)
