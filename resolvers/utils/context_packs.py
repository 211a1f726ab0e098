"""Operations on context packs: create, get, list, update, delete.

A pack moves by its status: active, archived and deprecated lead to one another, and only an active pack takes new
memories. Deleting is an operation with a permission of its own; it takes the pack's memories along, gives its name
back and is final. A deleted pack is shown by the list that asks for deleted ones, and nowhere else.
"""

from typing import Annotated, Any, Final
from uuid import UUID, uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.integrity import IntegrityError
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import operation
from schema.errors import AlreadyExists, ValidationError
from schema.governance.permission import Done, Permission
from schema.pagination import Page, PageNumber, PageSize
from schema.utils.context_pack import ContextPack, ContextPackCreate, ContextPackUpdate, PackStatus, PackType

PackId = Annotated[UUID, Field(description="The context pack's id.")]

MOVES: Final[dict[tuple[PackStatus, PackStatus], str]] = {
    (PackStatus.ACTIVE, PackStatus.ARCHIVED): "archived_at",
    (PackStatus.ACTIVE, PackStatus.DEPRECATED): "deprecated_at",
    (PackStatus.ARCHIVED, PackStatus.ACTIVE): "reactivated_at",
    (PackStatus.ARCHIVED, PackStatus.DEPRECATED): "deprecated_at",
    (PackStatus.DEPRECATED, PackStatus.ACTIVE): "reactivated_at",
    (PackStatus.DEPRECATED, PackStatus.ARCHIVED): "archived_at",
}
"""Which status an update may lead to, and the moment that it stamps."""


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_context_pack(ctx: Context, *, pack: ContextPackCreate) -> ContextPack:
    """Create a context pack in the selected project. It starts active, without memories."""
    new = new_pack(ctx, pack)
    try:
        return await ctx.store.write(lambda uow: uow.context_packs.add(new))
    except IntegrityError:
        raise await _taken(ctx, pack.name, new.id) from None


def new_pack(ctx: Context, pack: ContextPackCreate) -> ContextPack:
    """A context pack of the caller's, active and without memories, not written yet."""
    now, user = ctx.now(), ctx.caller.user_id
    return ContextPack(
        **pack.model_dump(),
        id=str(uuid4()),
        organization_id=ctx.organization_id,
        project_id=ctx.project_id,
        status=PackStatus.ACTIVE,
        version=1,
        summary_text=None,
        summary_version=0,
        key_topics=[],
        topic_distribution={},
        created_by=user,
        updated_by=user,
        created_at=now,
        updated_at=now,
        archived_at=None,
        deprecated_at=None,
        deleted_at=None,
        reactivated_at=None,
    )


@operation(needs=Permission.CAN_READ)
async def get_context_pack(ctx: Context, *, pack_id: PackId) -> ContextPack:
    """Get a context pack, with what its active memories are about."""
    now = ctx.now()

    def work(uow: UnitOfWork) -> ContextPack:
        pack = uow.context_packs.get(ctx.scope, str(pack_id))
        return uow.context_packs.with_topics([pack], now)[0]

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_READ)
async def list_context_packs(
    ctx: Context,
    *,
    status: Annotated[PackStatus, Field(description="Left out: all that are not deleted.")] | None = None,
    pack_type: PackType | None = None,
    page: PageNumber = 1,
    page_size: PageSize = 20,
) -> Page[ContextPack]:
    """List the context packs of the selected project by name; deleted ones only when `status` asks for them."""
    now = ctx.now()

    def work(uow: UnitOfWork) -> Page[ContextPack]:
        found = uow.context_packs.listed(
            ctx.scope,
            offset=(page - 1) * page_size,
            limit=page_size,
            status=status,
            pack_type=pack_type,
        )
        packs = uow.context_packs.with_topics(found.items, now)
        return Page[Any].model_construct(items=packs, total=found.total, offset=found.offset, limit=found.limit)

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def update_context_pack(ctx: Context, *, pack_id: PackId, changes: ContextPackUpdate) -> ContextPack:
    """Update a context pack; only the fields that are sent change.

    `status` moves it between active, archived and deprecated, and the moment of the move is kept.
    """
    given, now = changes.given(), ctx.now()
    for name in ("meta_data", "config"):
        if name in given and given[name] is None:
            given[name] = {}
    wanted = given.pop("status", None)
    if wanted is PackStatus.DELETED:
        raise ValidationError("A pack is deleted by DELETE, which asks for can_delete.", status=422, field="status")

    def work(uow: UnitOfWork) -> ContextPack:
        current = uow.context_packs.get(ctx.scope, str(pack_id))
        values = dict(given)
        if wanted is not None and wanted is not current.status:
            values |= {"status": wanted, MOVES[current.status, wanted]: now}
        if "name" in given:
            values["standing_name"] = given["name"]
        if "summary_text" in given and given["summary_text"] != current.summary_text:
            values["summary_version"] = current.summary_version + 1
        values |= {"updated_at": now, "updated_by": ctx.caller.user_id}
        expected = ctx.expected_of(current)
        changed = uow.context_packs.next_version(ctx.scope, current.id, values, expected=expected)
        return uow.context_packs.with_topics([changed], now)[0]

    try:
        return await ctx.store.write(work)
    except IntegrityError:
        raise await _taken(ctx, given["name"], str(pack_id)) from None


@operation(needs=Permission.CAN_DELETE, kind=CallKind.WRITE)
async def delete_context_pack(ctx: Context, *, pack_id: PackId) -> Done:
    """Delete a context pack and its memories. Both are kept as records, which lists of deleted ones show."""
    now = ctx.now()

    def work(uow: UnitOfWork) -> None:
        current = uow.context_packs.get(ctx.scope, str(pack_id))
        if ctx.expects_another(current._revision):
            raise uow.context_packs._conflict(current.id)
        uow.context_packs.bury(current, {"updated_at": now, "updated_by": ctx.caller.user_id}, now)

    done = Done(message="The context pack and its memories are deleted.")
    await ctx.store.write(work, told=lambda _: done)
    return done


async def _taken(ctx: Context, name: str, id: str) -> AlreadyExists:
    """Return what to say of a name that another pack has; `id` is told where that one is gone by now."""
    standing = await ctx.store.read(lambda uow: uow.context_packs.id_where(ctx.scope, standing_name=name))
    return AlreadyExists(
        "A context pack of this project has this name already. Choose another one, or update that pack.",
        resource_type="context_pack",
        resource_id=standing or id,
    )
