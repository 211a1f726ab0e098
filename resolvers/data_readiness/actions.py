"""The operation that tells what to do first: violations ranked by use times harm."""

from typing import Annotated

from pydantic import Field

from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.metrics import AssetFilter
from resolvers.data_readiness.weighing import MOST_WEIGHED, actions, weighed
from resolvers.operation import operation
from schema.data_readiness.action import Action
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.violation import UNRESOLVED, ViolationFilter
from schema.governance.permission import Permission
from schema.pagination import Page, PageNumber, PageSize


@operation(needs=Permission.CAN_READ)
async def list_actions(
    ctx: Context,
    *,
    asset_fqn: AssetFilter | None = None,
    assessment_type: Annotated[AssessmentType, Field(description="Of the data, or of their description.")]
    | None = None,
    page: PageNumber = 1,
    limit: PageSize = 10,
) -> Page[Action]:
    """List what to do first in the selected project, or at or under a name: open violations by use times harm.

    Harm is the severity, a quarter of it always and the rest by the root of the share that is wrong; a gap in the
    description does a tenth of it. Use counts the columns that refer to the table, the latest answers that read it, and
    its rows. Of more than 2000 open violations the gravest are weighed; `total` is how many were.
    """
    only = ViolationFilter(under=asset_fqn, statuses=list(UNRESOLVED), assessment_type=assessment_type)

    def work(uow: UnitOfWork) -> Page[Action]:
        dimensions = [
            one.id for one in uow.dimensions.standing(ctx.scope) if assessment_type in (None, one.assessment_type)
        ]
        found = uow.violations.movable(ctx.scope, only, dimensions, UNRESOLVED, MOST_WEIGHED)
        every = weighed(uow, ctx.scope, found)
        offset = (page - 1) * limit
        items = actions(uow, ctx.scope, every[offset : offset + limit], first=offset + 1)
        return Page[Action](items=items, total=len(found), offset=offset, limit=limit)

    return await ctx.store.read(work)
