"""Who asks."""

import strawberry

from auth.rate_limit import CallKind
from resolvers.governance.organizations import get_organization
from schema.base import Info
from schema.errors import Unauthenticated
from schema.governance.viewer import Viewer


async def _viewer(info: Info) -> Viewer:
    caller = info.context.caller
    if caller.anonymous:
        raise Unauthenticated("Send an access token: Authorization: Bearer <token>.")
    return Viewer(
        user_id=caller.user_id,
        organization_id=caller.organization_id,
        project_id=caller.project_id,
        groups=list(caller.groups),
    )


@strawberry.type(name="Query")
class ViewerQuery:
    """Who asks."""

    viewer: Viewer | None = strawberry.field(
        resolver=_viewer,
        description="The caller: their organization and projects, what they may do, and how much they may ask yet.",
        metadata={"charges": CallKind.READ, "beside": get_organization},  # it belongs to the service of organizations
    )
