"""What can be done with organizations: read one's own, and set its limits. They are created by `stoa bootstrap`."""

import sqlalchemy as sa

from persistence.store import Shelves
from persistence.tables.governance import rate_limits
from resolvers.context import Context
from resolvers.operation import OWN_VIEW, Kind, operation
from schema.governance.organization import Organization, RateLimits, RateLimitsChange
from schema.governance.permission import Permission
from schema.pagination import Page, PageNumber, PageSize


@operation(needs=OWN_VIEW)
async def list_organizations(ctx: Context, *, page: PageNumber = 1, limit: PageSize = 20) -> Page[Organization]:
    """List the organizations that the caller may read: his token's own, when a role in it lets him."""
    if not await ctx.guard.allows(ctx.caller, Permission.CAN_READ, "organization", ctx.organization_id):
        return Page[Organization](items=[], total=0, offset=(page - 1) * limit, limit=limit)
    return await ctx.store.read(
        lambda shelves: shelves.organizations.page(ctx.tenant, offset=(page - 1) * limit, limit=limit)
    )


@operation(needs=Permission.CAN_READ, on="organization:{org_id}")
async def get_organization(ctx: Context, *, org_id: str) -> Organization:
    """Get the caller's organization; any other is not found."""
    return await ctx.store.read(lambda shelves: shelves.organizations.get(ctx.tenant, org_id))


@operation(needs=Permission.CAN_READ, on="organization:{org_id}")
async def get_rate_limits(ctx: Context, *, org_id: str) -> RateLimits:
    """Get how many requests a minute the organization's principals have."""
    return await ctx.store.read(lambda shelves: _limits(ctx, shelves))


@operation(needs=Permission.CAN_MANAGE_USERS, on="organization:{org_id}", kind=Kind.WRITE)
async def set_rate_limits(ctx: Context, *, org_id: str, limits: RateLimitsChange) -> RateLimits:
    """Set the organization's own limits.

    What is left out or null falls back to the deployment's. Every process applies a change within a few seconds.
    """

    def work(shelves: Shelves) -> RateLimits:
        own = rate_limits.c.organization_id == ctx.organization_id
        values = limits.model_dump()
        changed = shelves.connection.execute(
            rate_limits.update().where(own).values(**values, revision=rate_limits.c.revision + 1)
        )
        if changed.rowcount == 0:
            shelves.connection.execute(
                rate_limits.insert().values(organization_id=ctx.organization_id, revision=1, **values)
            )
        return _limits(ctx, shelves)

    return await ctx.store.write(work)


def _limits(ctx: Context, shelves: Shelves) -> RateLimits:
    row = shelves.connection.execute(
        sa.select(rate_limits.c.reads, rate_limits.c.writes, rate_limits.c.bulk, rate_limits.c.anonymous).where(
            rate_limits.c.organization_id == ctx.organization_id
        )
    ).one_or_none()
    own = ctx.services.limits.overridden(*(row or ()))
    return RateLimits(
        organization_id=ctx.organization_id,
        reads=own.reads,
        writes=own.writes,
        bulk=own.bulk,
        anonymous=own.anonymous,
    )
