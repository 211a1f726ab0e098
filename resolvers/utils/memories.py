"""Operations on memories: add, read, list, change, and move through their life.

Which move is allowed when stands in `memory_lifecycle.MOVES`.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID, uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.integrity import IntegrityError
from persistence.queries.knowledge import content_hash, text_of
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.engines.sql_guard import Broken, is_policy, parse_policy
from resolvers.operation import operation
from resolvers.utils.memory_lifecycle import Action, as_shown, move
from schema.errors import AlreadyExists, MissingRequiredField, ValidationError, VersionConflict
from schema.governance.permission import Done, Permission
from schema.pagination import Page, PageNumber, PageSize
from schema.utils.context_pack import PackStatus
from schema.utils.memory import (
    AssetFqn,
    Memory,
    MemoryAccess,
    MemoryClassification,
    MemoryCreate,
    MemoryQuality,
    MemoryReplacement,
    MemorySource,
    MemoryStatus,
    MemorySupersession,
    MemoryType,
    MemoryUpdate,
    MemoryValidation,
    ValidationStatus,
)

MemoryId = Annotated[UUID, Field(description="The memory's id.")]


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_memory(ctx: Context, *, memory: MemoryCreate) -> Memory:
    """Add a memory to a context pack; it starts active.

    The same type, content and asset stand in a pack once: adding them again changes nothing and answers with the
    memory that stands, whatever its status.
    """
    now = ctx.now()
    _refuse_past(memory.expires_at, now)
    return await ctx.store.write(lambda uow: added_memory(ctx, uow, str(memory.context_pack_id), memory, now))


@operation(needs=Permission.CAN_READ)
async def get_memory(ctx: Context, *, memory_id: MemoryId) -> Memory:
    """Get a memory. The read is counted in `access`, except for callers without a token."""
    now = ctx.now()

    def work(uow: UnitOfWork) -> Memory:
        if not ctx.caller.anonymous:
            uow.memories.note_access(ctx.scope, str(memory_id), now)
        return as_shown(uow.memories.get(ctx.scope, str(memory_id)), now)

    return await (ctx.store.read(work) if ctx.caller.anonymous else ctx.store.write(work))


@operation(needs=Permission.CAN_READ)
async def list_memories(
    ctx: Context,
    *,
    context_pack_id: Annotated[UUID, Field(description="Only the memories of this pack.")] | None = None,
    memory_type: MemoryType | None = None,
    status: MemoryStatus = MemoryStatus.ACTIVE,
    asset_fqn: AssetFqn | None = None,
    pinned: Annotated[bool, Field(description="Only memories that are pinned, or only those that are not.")]
    | None = None,
    validation_status: ValidationStatus | None = None,
    q: Annotated[str, Field(max_length=255, description="Words that name, search text or content must all hold.")]
    | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[Memory]:
    """List the memories of the selected project, active ones unless `status` says otherwise.

    Pinned ones come first, then the newest. A memory that has expired is among the archived ones.
    """
    now = ctx.now()
    found = await ctx.store.read(
        lambda uow: uow.memories.listed(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            now=now,
            status=status,
            words=(q or "").casefold().split(),
            context_pack_id=None if context_pack_id is None else str(context_pack_id),
            memory_type=memory_type,
            asset_fqn=asset_fqn,
            pinned=pinned,
            validation_status=validation_status,
        )
    )
    return found.map(lambda memory: as_shown(memory, now))


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def update_memory(ctx: Context, *, memory_id: MemoryId, changes: MemoryUpdate) -> Memory:
    """Update a memory; only the fields that are sent change. `expires_at` of null lifts the expiry.

    A search text that was made of the content follows it, and null makes it so again.
    """
    given, now = changes.given(), ctx.now()
    _refuse_past(given.get("expires_at"), now)
    for name in ("content", "meta_data"):  # JSON cannot tell null from left out in the graph
        if name in given and given[name] is None:
            del given[name]
    if "source" in given:
        given["source"] = MemorySource(**given["source"])
    if "classification" in given:
        given["classification"] = MemoryClassification(**given["classification"])

    def work(uow: UnitOfWork) -> Memory:
        current = uow.memories.get(ctx.scope, str(memory_id))
        shown = as_shown(current, now)
        move(shown, Action.UPDATE)
        new = current.model_copy(update=given)
        if new.search_text is None or ("search_text" not in given and new.search_text == text_of(current.content)):
            new = new.model_copy(update={"search_text": text_of(new.content)})
        if given.keys() & {"content", "memory_type", "asset_fqn"}:
            _refuse_unreadable(new)
        hashed = content_hash(new.memory_type, new.content, new.asset_fqn)
        same = uow.memories.same(current.context_pack_id, hashed)
        if same is not None and same.id != current.id:
            raise _kept_twice(same.id)
        values = {name: new.model_dump(mode="python")[name] for name in {*given, "search_text"}}
        return as_shown(
            uow.memories.rewrite(
                ctx.scope,
                new,
                values | {"updated_at": now, "archived_at": shown.archived_at},
                expected=ctx.expected_of(current),
            ),
            now,
        )

    try:
        return await ctx.store.write(work)
    except IntegrityError:  # the other came in this very moment
        raise _kept_twice(str(memory_id)) from None


def _kept_twice(id: str) -> AlreadyExists:
    return AlreadyExists(
        "The pack holds a memory with this type, content and asset already. Update that one, or delete it first.",
        resource_type="memory",
        resource_id=id,
    )


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def pin_memory(ctx: Context, *, memory_id: MemoryId) -> Memory:
    """Pin an active memory, so that it stands first in lists. One that is pinned stays as it is."""
    return await _moved(ctx, memory_id, Action.PIN, lambda memory: None if memory.pinned else {"pinned": True})


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def unpin_memory(ctx: Context, *, memory_id: MemoryId) -> Memory:
    """Take the pin off a memory. One that is not pinned stays as it is."""
    return await _moved(ctx, memory_id, Action.UNPIN, lambda memory: {"pinned": False} if memory.pinned else None)


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def archive_memory(ctx: Context, *, memory_id: MemoryId) -> Memory:
    """Archive an active memory; reactivating it brings it back."""
    return await _moved(ctx, memory_id, Action.ARCHIVE, lambda _memory: {})


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def reactivate_memory(ctx: Context, *, memory_id: MemoryId) -> Memory:
    """Make an archived or expired memory active again. An expiry that has passed is lifted."""
    now = ctx.now()

    def lifted(memory: Memory) -> dict[str, Any]:
        _refuse_unreadable(memory)
        return {"expires_at": None} if memory.expires_at is not None and memory.expires_at <= now else {}

    return await _moved(ctx, memory_id, Action.REACTIVATE, lifted)


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def validate_memory(ctx: Context, *, memory_id: MemoryId, validation: MemoryValidation) -> Memory:
    """Keep what the caller found when they checked an active memory: validated or disputed, and how sure they are.

    A score that is left out stays. `unvalidated` takes the earlier finding back, with who and when.
    """
    now, given = ctx.now(), validation.given()
    if validation.validation_status is ValidationStatus.UNVALIDATED:
        given = {"confidence_score": None} | given | {"validated_by": None, "validated_at": None}
    else:
        given |= {"validated_by": ctx.caller.user_id, "validated_at": now}
    return await _moved(ctx, memory_id, Action.VALIDATE, lambda _memory: given)


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def supersede_memory(ctx: Context, *, memory_id: MemoryId, supersession: MemorySupersession) -> Memory:
    """Replace an active memory by a new one, or by another active memory of its pack; answers with the replaced one.

    Both ends name each other: `superseded_by` here, `supersedes` there. A memory replaces one other at most, so a
    chain of them neither forks nor closes.
    """
    now, by, new = ctx.now(), supersession.superseded_by, supersession.replacement
    if (by is None) == (new is None):
        raise MissingRequiredField("Send superseded_by or replacement, one of them.", status=422, field="superseded_by")
    if new is not None:
        _refuse_past(new.expires_at, now)

    def work(uow: UnitOfWork) -> Memory:
        old = uow.memories.get(ctx.scope, str(memory_id))
        taken = move(as_shown(old, now), Action.SUPERSEDE)
        if new is not None:
            successor, field = added_memory(ctx, uow, old.context_pack_id, new, now), "replacement"
        else:
            successor, field = as_shown(uow.memories.get(ctx.scope, str(by)), now), "superseded_by"
        _refuse_successor(old, successor, field)
        uow.memories.change(
            ctx.scope, successor.id, {"supersedes": old.id, "updated_at": now}, expected=successor._revision
        )
        values = {"status": taken.to, "superseded_at": now, "superseded_by": successor.id, "updated_at": now}
        return uow.memories.change(ctx.scope, old.id, values, expected=ctx.expected_of(old))

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_DELETE, kind=CallKind.WRITE)
async def delete_memory(ctx: Context, *, memory_id: MemoryId) -> Done:
    """Delete a memory. It is kept as a record, which the list of deleted ones shows; the same may be added anew."""
    now = ctx.now()

    def work(uow: UnitOfWork) -> None:
        current = uow.memories.get(ctx.scope, str(memory_id))
        move(as_shown(current, now), Action.DELETE)
        if ctx.expects_another(current._revision):
            raise uow.memories._conflict(current.id)
        uow.memories.bury(as_shown(current, now), now)

    done = Done(message="The memory is deleted.")
    await ctx.store.write(work, told=lambda _: done)
    return done


async def _moved(
    ctx: Context, memory_id: UUID, action: Action, values_of: Callable[[Memory], Mapping[str, Any] | None]
) -> Memory:
    """Make a move; None of `values_of` means that there is nothing to do."""
    now = ctx.now()

    def work(uow: UnitOfWork) -> Memory:
        current = uow.memories.get(ctx.scope, str(memory_id))
        taken, values = move(as_shown(current, now), action), values_of(current)
        if values is None:
            if ctx.expects_another(current._revision):
                raise VersionConflict(
                    "This memory was changed by somebody else. Read it again and retry.",
                    resource_type="memory",
                    resource_id=current.id,
                )
            return as_shown(current, now)
        shown = as_shown(current, now)
        stored = {"archived_at": shown.archived_at} | ({} if taken.to is shown.status else {"status": taken.to})
        stamp = {} if taken.stamp is None else {taken.stamp: now}
        changed = uow.memories.change(
            ctx.scope, current.id, {**stored, **stamp, **values, "updated_at": now}, expected=ctx.expected_of(current)
        )
        return as_shown(changed, now)

    return await ctx.store.write(work)


def added_memory(ctx: Context, uow: UnitOfWork, pack_id: str, memory: MemoryReplacement, now: datetime) -> Memory:
    """The new memory of a pack, or the one that says the same already."""
    _refuse_unreadable(made := _new(ctx, pack_id, memory, now))
    pack = uow.context_packs.held(ctx.scope, pack_id)
    if pack.status is not PackStatus.ACTIVE:
        raise ValidationError(
            f"This context pack is {pack.status}. Set its status to active first.", status=422, field="context_pack_id"
        )
    hashed = content_hash(memory.memory_type, memory.content, memory.asset_fqn)
    standing = uow.memories.same(pack.id, hashed)
    if standing is not None:
        return as_shown(standing, now)
    kept = uow.memories.keep(made)
    if kept is not None:
        kept._created = True
        return kept
    standing = uow.memories.same(pack.id, hashed)  # somebody else was faster
    if standing is None:
        raise VersionConflict(
            "The same memory was added and deleted at this moment. Retry.", resource_type="memory", resource_id=made.id
        )
    return as_shown(standing, now)


def _new(ctx: Context, pack_id: str, memory: MemoryReplacement, now: datetime) -> Memory:
    source, classification = memory.source, memory.classification
    said = memory.model_dump(exclude={"context_pack_id", "source", "classification"})
    said["search_text"] = memory.search_text or text_of(memory.content)
    return Memory(
        **said,
        id=str(uuid4()),
        organization_id=ctx.organization_id,
        project_id=ctx.project_id,
        context_pack_id=pack_id,
        version=1,
        source=MemorySource(**(source.model_dump() if source else {})),
        classification=MemoryClassification(**(classification.model_dump() if classification else {})),
        quality=MemoryQuality(
            validation_status=ValidationStatus.UNVALIDATED, confidence_score=None, validated_by=None, validated_at=None
        ),
        access=MemoryAccess(count=0, last_accessed=None, success_count=0, failure_count=0, success_rate=None),
        status=MemoryStatus.ACTIVE,
        created_at=now,
        updated_at=now,
        superseded_by=None,
        supersedes=None,
        pinned_at=now if memory.pinned else None,
        unpinned_at=None,
        archived_at=None,
        deleted_at=None,
        superseded_at=None,
        reactivated_at=None,
    )


def _refuse_successor(old: Memory, successor: Memory, field: str) -> None:
    if successor.id == old.id:
        problem = "A memory cannot replace itself: say something else."
    elif successor.context_pack_id != old.context_pack_id:
        problem = "The memory that replaces another must be of the same context pack."
    elif successor.status is not MemoryStatus.ACTIVE:
        problem = f"The memory that replaces another must be active; this one is {successor.status}."
    elif successor.supersedes is not None:
        problem = f"That memory replaces {successor.supersedes} already. Choose another one."
    else:
        return
    raise ValidationError(problem, status=422, field=field)


def _refuse_unreadable(memory: Memory) -> None:
    """Refuse a policy whose `effect` the guard could not bring about: while one stands, no question is answered.

    One in words alone is kept, as any memory is; answers say that nothing enforces it (decision 0062).
    """
    policy = parse_policy(memory) if memory.memory_type is MemoryType.POLICY and is_policy(memory) else None
    if isinstance(policy, Broken):
        raise ValidationError(
            f"This policy cannot be read, and would stop all answers: {policy.why}", status=422, field="content"
        )


def _refuse_past(expires_at: datetime | None, now: datetime) -> None:
    if expires_at is None:
        return
    if expires_at.tzinfo is None:
        raise ValidationError("expires_at needs an offset, such as Z.", status=422, field="expires_at")
    if expires_at <= now:
        raise ValidationError("expires_at has passed. Choose a moment to come.", status=422, field="expires_at")
