"""Who was given which role on a resource."""

from typing import Annotated

from pydantic import Field

from auth.relations import bare_id, object_name, split_user
from resolvers.context import Context
from resolvers.governance.access import relations_of, roles_among
from resolvers.operation import operation
from schema.governance.permission import ObjectId, Permission, Relation, ResourceType, RoleHolder, TypeName
from schema.pagination import Page, PageNumber, PageSize


@operation(needs=Permission.CAN_SHARE, on="{resource_type}:{resource_id}")
async def list_role_holders(
    ctx: Context,
    *,
    resource_type: TypeName,
    resource_id: ObjectId,
    relation: Annotated[Relation, Field(description="Only those who have this role.")] | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[RoleHolder]:
    """List the users and groups that were given a role on a resource itself, users first, by their names.

    What is inherited from a project or an organization is listed there. The platform's own worker is left out.
    """
    type_ = ResourceType(resource_type)
    name = object_name(resource_type, resource_id)
    standing = roles_among(type_, await relations_of(ctx.services.relations, ctx.organization_id, name))
    found = []
    for item in standing:
        is_group = split_user(item.user)[0] == "group"
        found.append(RoleHolder(user_or_group=bare_id(item.user), is_group=is_group, relation=Relation(item.relation)))
    shown = sorted(
        (one for one in found if relation in (None, one.relation)),
        key=lambda one: (one.is_group, one.user_or_group, one.relation),
    )
    start = (page - 1) * limit
    return Page[RoleHolder](items=shown[start : start + limit], total=len(shown), offset=start, limit=limit)
