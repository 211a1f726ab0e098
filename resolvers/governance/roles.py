"""Who was given which role on a resource."""

from typing import Annotated

from pydantic import Field

from auth.holders import holders_among
from auth.relations import object_name
from resolvers.context import Context
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
    standing = await ctx.services.relations.standing(ctx.organization_id, [object_name(resource_type, resource_id)])
    shown = holders_among(ResourceType(resource_type), standing, None if relation is None else {relation})
    start = (page - 1) * limit
    return Page[RoleHolder](items=shown[start : start + limit], total=len(shown), offset=start, limit=limit)
