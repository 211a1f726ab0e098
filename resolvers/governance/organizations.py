"""Operations on organizations: read one's own, and set its limits. They are created by `stoa bootstrap`."""

from auth.rate_limit import CallKind
from persistence.integrity import IntegrityError
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import OWN_VIEW, operation
from schema.errors import VersionConflict
from schema.governance.organization import Organization, RateLimits, RateLimitsChange
from schema.governance.permission import Permission
from schema.pagination import Page, PageNumber, PageSize


@operation(needs=OWN_VIEW)
async def list_organizations(ctx: Context, *, page: PageNumber = 1, limit: PageSize = 20) -> Page[Organization]:
    """List the organizations that the caller may read: their token's own, when a role in it lets them."""
    if not await ctx.guard.allows(ctx.caller, Permission.CAN_READ, "organization", ctx.organization_id):
        return Page[Organization](items=[], total=0, offset=(page - 1) * limit, limit=limit)
    return await ctx.store.read(lambda uow: uow.organizations.page(ctx.tenant, offset=(page - 1) * limit, limit=limit))


@operation(needs=Permission.CAN_READ, on="organization:{org_id}")
async def get_organization(ctx: Context, *, org_id: str) -> Organization:
    """Get the caller's organization; any other is not found."""
    return await ctx.store.read(lambda uow: uow.organizations.get(ctx.tenant, org_id))


@operation(needs=Permission.CAN_READ, on="organization:{org_id}")
async def get_rate_limits(ctx: Context, *, org_id: str) -> RateLimits:
    """Get how many requests a minute the organization's principals have."""
    return await ctx.store.read(lambda uow: _limits(ctx, uow))


@operation(needs=Permission.CAN_MANAGE_USERS, on="organization:{org_id}", kind=CallKind.WRITE)
async def set_rate_limits(ctx: Context, *, org_id: str, limits: RateLimitsChange) -> RateLimits:
    """Set the organization's own limits.

    What is left out or null falls back to the deployment's. Every process applies a change within a few seconds.
    """

    def work(uow: UnitOfWork) -> RateLimits:
        standing = _limits(ctx, uow)
        if ctx.expects_another(standing._revision):
            raise VersionConflict(
                "These limits were changed by somebody else. Read them again and retry.",
                resource_type="rate_limits",
                resource_id=ctx.organization_id,
            )
        if not uow.rate_limits.put(ctx.organization_id, limits.model_dump(), expected=standing._revision):
            return standing
        return _limits(ctx, uow)

    try:
        return await ctx.store.write(work)
    except IntegrityError:  # another first setting, or change, came between the look and the write
        raise VersionConflict(
            "These limits were changed at the same moment. Read them again and retry.",
            resource_type="rate_limits",
            resource_id=ctx.organization_id,
        ) from None


def _limits(ctx: Context, uow: UnitOfWork) -> RateLimits:
    """The limits in force; their revision is 0 while the organization has none of its own."""
    row = uow.rate_limits.of(ctx.organization_id)
    own = ctx.services.limits.overridden(*(row[:4] if row else ()))
    limits = RateLimits(
        organization_id=ctx.organization_id,
        reads=own.reads,
        writes=own.writes,
        bulk=own.bulk,
        anonymous=own.anonymous,
    )
    limits._revision = row.revision if row else 0
    return limits
