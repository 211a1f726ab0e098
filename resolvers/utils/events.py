"""Operations on events: list those of the past, and follow them as they happen."""

from typing import Annotated

from pydantic import Field

from resolvers.context import Context
from resolvers.operation import operation
from schema.data_readiness.violation import Severity
from schema.governance.permission import Permission
from schema.grammar import ANY_NAME
from schema.pagination import Moment, Page, PageNumber, PageSize
from schema.utils.event import Domain, EventType, PlatformEvent

AssetName = Annotated[
    str, Field(min_length=1, max_length=2000, description="Only events about this asset and what is in it."), ANY_NAME
]


@operation(needs=Permission.CAN_READ)
async def list_events(
    ctx: Context,
    *,
    type: EventType | None = None,
    asset_fqn: AssetName | None = None,
    severity: Severity | None = None,
    domain: Domain | None = None,
    since: Annotated[Moment, Field(description="Only events of this moment or later.")] | None = None,
    until: Annotated[Moment, Field(description="Only events before this moment.")] | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[PlatformEvent]:
    """List the events of the selected project, the latest first. They are kept for a bounded number of days."""
    return await ctx.store.read(
        lambda uow: uow.events.listed(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            types=None if type is None else [type],
            at_or_below=asset_fqn,
            since=since,
            until=until,
            severity=severity,
            domain=domain,
        )
    )
