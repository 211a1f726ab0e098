"""Operations on relations: ask, explain, grant, revoke, set a parent, remove all of a resource's."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from auth.caller import ANONYMOUS_USER
from auth.holders import links_among, roles_among
from auth.model import platform_model
from auth.naming import NotGrantable, named_subject
from auth.permissions import conferred, grantable
from auth.rate_limit import CallKind
from auth.relations import RelationTuple, object_name, user_subject
from resolvers.context import Context
from resolvers.governance.access import change_relations, take_away
from resolvers.operation import OWN_VIEW, operation, require
from schema.errors import AlreadyExists, InvalidParameter, NotFound, ValidationError
from schema.governance.permission import (
    DeletedRelations,
    Done,
    GovernedResource,
    Grant,
    ObjectId,
    ParentLink,
    Permission,
    PermissionAnswer,
    PermissionExplanation,
    ResourceType,
)

User = Annotated[str, Field(min_length=1, max_length=300, description="A user id; the caller when left out.")]
READING = {Permission.CAN_READ, Permission.CAN_READ_METADATA}
"""What everybody without a token may be given."""


@operation(needs=OWN_VIEW)
async def check_permission(
    ctx: Context,
    *,
    permission: Permission,
    resource_type: ResourceType,
    resource_id: ObjectId,
    user: User | None = None,
) -> PermissionAnswer:
    """Check whether a user holds a permission on a resource.

    A caller may ask for themselves, groups included; for another user with can_manage_users on the organization, and
    then without that user's groups, which only their own token tells.
    """
    subjects = await _subjects(ctx, user)
    try:
        allowed = await ctx.services.relations.allowed(
            ctx.organization_id, subjects, permission.value, object_name(resource_type.value, resource_id)
        )
    except ValueError:
        raise _not_of(resource_type, permission) from None
    return PermissionAnswer(allowed=allowed)


@operation(needs=OWN_VIEW)
async def explain_permission(
    ctx: Context,
    *,
    permission: Permission,
    resource_type: ResourceType,
    resource_id: ObjectId,
    user: User | None = None,
) -> PermissionExplanation:
    """Explain why a user holds a permission, or which smallest grants would give it.

    The same callers may ask as for the check; what would turn a no is shown to those who can manage users only.
    """
    subjects = await _subjects(ctx, user)
    try:
        found = await ctx.services.relations.explain(
            ctx.organization_id, subjects, permission.value, object_name(resource_type.value, resource_id)
        )
    except ValueError:
        raise _not_of(resource_type, permission) from None
    manages = await ctx.guard.allows(ctx.caller, Permission.CAN_MANAGE_USERS, "organization", ctx.organization_id)
    return PermissionExplanation(
        allowed=found.allowed,
        model_version=found.model_version,
        chain=[str(link) for link in found.chain],
        grants=[" and ".join(map(str, together)) for together in found.grants] if manages else [],
    )


def _not_of(resource_type: ResourceType, permission: Permission) -> InvalidParameter:
    return InvalidParameter(f"A {resource_type} has no {permission}. Ask for one that it has.", field="permission")


async def _subjects(ctx: Context, user: str | None) -> Sequence[str]:
    if user is None or ctx.caller.user_id in (user, user.removeprefix("user:")):
        return ctx.caller.subjects
    await require(ctx, Permission.CAN_MANAGE_USERS, "organization", ctx.organization_id)
    return [user_subject(user.removeprefix("user:"))]


@operation(needs=Permission.CAN_SHARE, on="{grant.resource_type}:{grant.resource_id}", kind=CallKind.WRITE)
async def grant_permission(ctx: Context, *, grant: Grant) -> Done:
    """Grant a relation to a user or group on a resource. What stands already is a 409.

    The user `stoa:anonymous` is everybody without a token: given viewer on a project, a deployment with
    STOA_ANONYMOUS_READS shows that project to strangers. He can be given nothing but reading.
    """
    wanted = _tuple(grant)
    done = Done(message=f"Granted {grant.relation} on {grant.resource_type} {grant.resource_id}.")
    if wanted.user == user_subject(ANONYMOUS_USER):
        _refuse_more_than_reading(grant)
    try:
        await change_relations(ctx, [wanted], answer=done)
    except AlreadyExists:
        raise AlreadyExists(
            f"{grant.user_or_group!r} is {grant.relation} of this {grant.resource_type} already.",
            resource_type=grant.resource_type.value,
            resource_id=grant.resource_id,
        ) from None
    except ValueError as error:
        raise _not_in_model(grant, error) from None
    ctx.guard.forget()
    return done


@operation(needs=Permission.CAN_SHARE, on="{grant.resource_type}:{grant.resource_id}", kind=CallKind.WRITE)
async def revoke_permission(ctx: Context, *, grant: Grant) -> Done:
    """Revoke a relation from a user or group on a resource. What is not there is a 404.

    The last one who can administer what inherits from nothing, such as an organization, keeps their role: a 422.
    """
    standing = _tuple(grant)
    done = Done(message=f"Revoked {grant.relation} on {grant.resource_type} {grant.resource_id}.")
    try:
        await take_away(ctx, grant.resource_type, grant.resource_id, [standing], answer=done)
    except NotFound:
        raise NotFound("relation", str(standing)) from None
    except ValueError as error:
        raise _not_in_model(grant, error) from None
    ctx.guard.forget()
    return done


@operation(needs=Permission.CAN_SHARE, on="{link.resource_type}:{link.resource_id}", kind=CallKind.WRITE)
async def set_parent(ctx: Context, *, link: ParentLink) -> Done:
    """Set the parent that a resource inherits permissions from; it replaces the one that stands.

    A project's parent is its organization; any other resource's is a project or, for what belongs to all projects,
    the organization. The caller needs can_create_resources on the new parent.
    """
    fits = {ResourceType.ORGANIZATION} if link.resource_type is ResourceType.PROJECT else PARENTS
    if link.resource_type is ResourceType.ORGANIZATION or link.parent_type not in fits:
        raise ValidationError(
            f"A {link.resource_type} cannot have a {link.parent_type} as its parent.", status=422, field="parent_type"
        )
    await require(ctx, Permission.CAN_CREATE_RESOURCES, link.parent_type.value, link.parent_id)
    child = object_name(link.resource_type.value, link.resource_id)
    parent = object_name(link.parent_type.value, link.parent_id)
    standing = links_among(link.resource_type, await ctx.services.relations.standing(ctx.organization_id, [child]))
    wanted = RelationTuple(parent, link.parent_type.value, child)
    done = Done(
        message=f"{link.resource_type} {link.resource_id} now inherits from {link.parent_type} {link.parent_id}."
    )
    if standing != [wanted]:
        former = [item for item in standing if item != wanted]
        await change_relations(ctx, [wanted], former, answer=done, lenient=True)
    ctx.guard.forget()
    return done


PARENTS = {ResourceType.PROJECT, ResourceType.ORGANIZATION}


@operation(needs=Permission.CAN_SHARE, on="{target.resource_type}:{target.resource_id}", kind=CallKind.WRITE)
async def delete_all_permissions(ctx: Context, *, target: GovernedResource) -> DeletedRelations:
    """Remove every role that users and groups were given on a resource.

    What it inherits from its parent stays, so that the organization's owners and admins still reach it, and what lies
    in it still inherits from it. Refused for an organization, which nobody could enter again, and for what inherits
    from nothing.
    """
    if target.resource_type is ResourceType.ORGANIZATION:
        raise ValidationError(
            "An organization's relations cannot all be removed: nobody could enter it again.",
            status=422,
            field="resource_type",
        )
    type_, id_ = target.resource_type, target.resource_id
    standing = await ctx.services.relations.standing(ctx.organization_id, [object_name(type_.value, id_)])
    roles = roles_among(type_, standing)
    done = DeletedRelations(message=f"Removed {len(roles)} roles on {type_} {id_}.", deleted=len(roles))
    await take_away(ctx, type_, id_, roles, answer=done, lenient=True)
    ctx.guard.forget()
    return done


def _refuse_more_than_reading(grant: Grant) -> None:
    model = platform_model()
    if conferred(model, grant.resource_type, grant.relation) - READING or grant.relation not in grantable(
        model, grant.resource_type
    ):
        raise ValidationError(
            f"{grant.relation} on a {grant.resource_type} is more than reading, and {ANONYMOUS_USER} is everybody "
            "without a token. Grant viewer on a project.",
            status=422,
            field="relation",
        )


def _tuple(grant: Grant) -> RelationTuple:
    try:
        subject = named_subject(grant.user_or_group, is_group=grant.is_group)
    except NotGrantable as refused:
        raise ValidationError(str(refused), status=422, field="user_or_group") from None
    return RelationTuple(
        subject,
        grant.relation.value,
        object_name(grant.resource_type.value, grant.resource_id),
    )


def _not_in_model(grant: Grant, error: ValueError) -> ValidationError:
    return ValidationError(
        f"{grant.relation} cannot be granted on a {grant.resource_type}: {error}", status=422, field="relation"
    )
