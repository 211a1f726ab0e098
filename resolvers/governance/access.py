"""Defines who is left: nothing may be left to nobody, and what was left so before is given back to the organization."""

from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from auth.caller import WORKER, is_reserved
from auth.holders import links_among, roles_among
from auth.model import platform_model
from auth.permissions import conferred
from auth.rate_limit import CallKind
from auth.relations import CheckRequest, Relations, RelationTuple, bare_id, object_name, split_user, user_subject
from persistence.queries import inheriting as queries
from persistence.store import Store, UnitOfWork
from resolvers.context import Context
from resolvers.operation import operation
from schema.base import Resource
from schema.errors import ValidationError
from schema.governance.permission import AccessRepair, Permission, Relation, RepairedAccess, ResourceType

AT_ONCE = 500
MOST_TOLD = 1000
"""Repairs that an answer names; it counts them all."""

PROBE: Final = user_subject("stoa:probe")
"""Nobody: stands for whoever owns the organization, in questions only."""


def somebody_is_left(ctx: Context, type_: ResourceType, left: Sequence[RelationTuple]) -> bool:
    """Return whether somebody can still share an object on which these relations stand.

    A link to a parent is enough: whoever administers the organization reaches the object through it. Without one,
    a user must be named; a group counts only where the caller proves by their own token that it has a member.
    """
    if links_among(type_, left):
        return True
    model = platform_model()
    return any(
        Permission.CAN_SHARE in conferred(model, type_, Relation(item.relation))
        and (item.user in ctx.caller.subjects or not (split_user(item.user)[2] or is_reserved(bare_id(item.user))))
        for item in roles_among(type_, left)
    )


async def change_relations(
    ctx: Context,
    writes: Sequence[RelationTuple] = (),
    deletes: Sequence[RelationTuple] = (),
    *,
    answer: Resource,
    lenient: bool = False,
) -> None:
    """Write and delete relations of the caller's organization as one transaction of the store, all or nothing.

    `answer` is what the caller will be told, which is kept with it.

    Raises NotInModel (a ValueError) for what the model refuses; and, unless lenient, AlreadyExists for what stands
    already and NotFound for what is to be deleted and does not.
    """
    for item in writes:
        platform_model().validate(item)
    await ctx.store.write(
        lambda uow: uow.relate(ctx.organization_id, writes, deletes, lenient=lenient), told=lambda _: answer
    )


async def take_away(
    ctx: Context,
    type_: ResourceType,
    id_: str,
    items: Sequence[RelationTuple],
    *,
    answer: Resource,
    lenient: bool = False,
) -> None:
    """Delete relations of one object. Raises a 422 where nobody could reach it afterwards, and deletes none then.

    Two callers who each take away the last but one would leave nobody, so it is looked at again afterwards, and who
    finds nobody left puts back what they took.
    """
    relations, store, name = ctx.services.relations, ctx.organization_id, object_name(type_.value, id_)
    standing = await relations.standing(store, [name])
    if not somebody_is_left(ctx, type_, [item for item in standing if item not in items]) and set(items) & set(
        standing
    ):
        raise _nobody_left(type_)
    await change_relations(ctx, deletes=items, answer=answer, lenient=lenient)
    if not somebody_is_left(ctx, type_, await relations.standing(store, [name])):
        await relations.write(store, [item for item in standing if item in items], lenient=True)
        raise _nobody_left(type_)


def _nobody_left(type_: ResourceType) -> ValidationError:
    return ValidationError(
        f"Nobody could administer this {type_} any more: it inherits from nothing. Grant somebody else the role of "
        "its owner first.",
        status=422,
        field="resource_id",
    )


@operation(needs=Permission.CAN_MANAGE_USERS, on="organization", kind=CallKind.WRITE)
async def repair_access(ctx: Context) -> AccessRepair:
    """Give back to the organization what nobody could reach any more, and say what was repaired.

    A project, connection or file that the organization's owners do not reach inherits from its project or its
    organization again; a project's background worker gets its role back. Answers of Talk2Data, which are their
    owner's alone, go back to them. Nothing else changes, and a second call changes nothing.
    """
    done = await repaired(ctx.services.relations, ctx.services.store, ctx.organization_id)
    ctx.guard.forget()
    return told_of(done)


def told_of(done: Sequence[RepairedAccess]) -> AccessRepair:
    """Return what was repaired, as an answer."""
    some = "One object was" if len(done) == 1 else f"{len(done)} objects were" if done else "Nothing had to be"
    return AccessRepair(message=f"{some} repaired.", repaired=len(done), objects=list(done[:MOST_TOLD]))


async def repaired(relations: Relations, store: Store, organization_id: str) -> list[RepairedAccess]:
    """Repair one organization; what was repaired, projects first. Raises UpstreamUnavailable."""
    done: list[RepairedAccess] = []
    async for rows in _rows(store, organization_id):
        reached = await _reached(relations, organization_id, [object_name(row.type.value, row.id) for row in rows])
        for row, is_reached in zip(rows, reached, strict=True):
            done += await _repair(relations, organization_id, row, is_reached)
    return done


async def organization_ids(store: Store) -> list[str]:
    """Every organization, in order."""
    return await store.read(lambda uow: queries.organization_ids(uow.connection))


class _Row(NamedTuple):
    type: ResourceType
    id: str
    project_id: str | None
    owner: str


async def _repair(relations: Relations, organization_id: str, row: _Row, is_reached: bool) -> list[RepairedAccess]:
    """Mend one object; how it was mended."""
    name = object_name(row.type.value, row.id)
    if is_reached and row.type is not ResourceType.PROJECT:
        return []
    standing = await relations.standing(organization_id, [name])
    writes: list[RelationTuple] = []
    deletes: list[RelationTuple] = []
    if not is_reached:
        links = links_among(row.type, standing)
        if row.type is ResourceType.ARTIFACT and not links:  # never shared with its project: its owner's alone
            if not roles_among(row.type, standing):
                writes = [RelationTuple(user_subject(row.owner), Relation.OWNER.value, name)]
        else:
            parent = ("organization", organization_id) if row.project_id is None else ("project", row.project_id)
            writes = [RelationTuple(object_name(*parent), parent[0], name)]
            deletes = [link for link in links if link not in writes]
    if row.type is ResourceType.PROJECT:
        writes.append(RelationTuple(user_subject(WORKER), Relation.SERVICE_WORKER.value, name))
    writes = [item for item in writes if item not in standing]
    if writes or deletes:
        await relations.write(organization_id, writes, deletes, lenient=True)
    return [
        RepairedAccess(
            resource_type=row.type,
            resource_id=row.id,
            relation=item.relation,
            holder=f"{split_user(item.user)[0]}:{bare_id(item.user)}",
        )
        for item in writes
    ]


async def _reached(relations: Relations, organization_id: str, names: Sequence[str]) -> list[bool]:
    """Return whether an owner of the organization reaches each object, asked of the engine itself."""
    owner = RelationTuple(PROBE, Relation.OWNER.value, object_name("organization", organization_id))
    questions = [CheckRequest(PROBE, Permission.CAN_SHARE.value, name) for name in names]
    return await relations.batch_check(organization_id, questions, contextual=[owner])


async def _rows(store: Store, organization_id: str) -> AsyncIterator[list[_Row]]:
    """Everything that inherits, the projects first, so that what lies in them is looked at when they are mended."""
    for type_ in queries.INHERITING:
        after: str | None = None
        while True:
            found = await store.read(partial(_behind, organization_id, type_, after))
            if not found:
                break
            yield [_Row(type_, *row) for row in found]
            after = found[-1].id


def _behind(organization_id: str, type_: ResourceType, after: str | None, uow: UnitOfWork) -> list[queries.Inheriting]:
    return queries.inheriting(uow.connection, organization_id, type_, after, AT_ONCE)
