"""Operations on violations: list, get, decide about one, read its history; and with the kinds of violation."""

from typing import Annotated, Any
from uuid import UUID, uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.violations import CLEARED, SORTABLE
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.definitions import added, changed, deleted, dimension_of, dimensions_named
from resolvers.data_readiness.metrics import AssetFilter, DimensionFilter
from resolvers.operation import operation
from schema.data_readiness.quality import DefinitionDeleted
from schema.data_readiness.violation import (
    MOVES,
    UNRESOLVED,
    Severity,
    Violation,
    ViolationChange,
    ViolationDefinition,
    ViolationDefinitionChange,
    ViolationDefinitionCreate,
    ViolationEvent,
    ViolationStatus,
)
from schema.errors import ValidationError
from schema.governance.permission import Permission
from schema.grammar import sort_by
from schema.identifiers import Fqn
from schema.pagination import Page, PageNumber, PageSize

ViolationId = Annotated[UUID, Field(description="The violation's id.")]
ViolationDefinitionId = Annotated[UUID, Field(description="The violation definition's id.")]


@operation(needs=Permission.CAN_READ)
async def list_violation_definitions(ctx: Context) -> Page[ViolationDefinition]:
    """List the kinds of violation, all of them: those that are built in, then the project's own, the oldest first."""
    found = await ctx.store.read(lambda uow: uow.violation_definitions.standing(ctx.scope))
    return Page[Any].model_construct(items=found, total=len(found), offset=0, limit=len(found))


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_violation_definition(ctx: Context, *, definition: ViolationDefinitionCreate) -> ViolationDefinition:
    """Add a kind of violation of the project's own to a dimension."""

    def make(uow: UnitOfWork) -> tuple[ViolationDefinition, dict[str, Any]]:
        dimension = dimension_of(ctx, uow, definition.dimension_id)
        new = ViolationDefinition(
            id=str(uuid4()),
            name=definition.name,
            fqn=f"{dimension.fqn}.{definition.name}",
            dimension=dimension.reference(),
            default_severity=definition.default_severity,
            is_active=definition.is_active,
            display_name=definition.display_name,
            description=definition.description,
            applicable_asset_types=definition.applicable_asset_types,
            is_built_in=False,
        )
        return new, {"dimension_id": dimension.id}

    return await added(ctx, lambda uow: uow.violation_definitions, make)


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def update_violation_definition(
    ctx: Context, *, definition_id: ViolationDefinitionId, changes: ViolationDefinitionChange
) -> ViolationDefinition:
    """Update a kind of violation of the project's own."""
    return await changed(ctx, lambda uow: uow.violation_definitions, definition_id, changes.given())


@operation(needs=Permission.CAN_DELETE, kind=CallKind.WRITE)
async def delete_violation_definition(ctx: Context, *, definition_id: ViolationDefinitionId) -> DefinitionDeleted:
    """Delete a kind of violation of the project's own. Violations of that kind stay as they are."""
    return await deleted(ctx, lambda uow: uow.violation_definitions, definition_id)


@operation(needs=Permission.CAN_READ)
async def list_violations(
    ctx: Context,
    *,
    asset_fqn: AssetFilter | None = None,
    status: ViolationStatus | None = None,
    severity: Severity | None = None,
    dimension: DimensionFilter | None = None,
    service: Annotated[str, Field(min_length=1, max_length=255, description="The first part of the asset's name.")]
    | None = None,
    name: Annotated[str, Field(min_length=1, max_length=255, description="The kind of violation.")] | None = None,
    workflow_run_id: Annotated[UUID, Field(description="Only those that this run saw last.")] | None = None,
    sort: Annotated[
        str,
        Field(max_length=200, description="field:order, comma-separated, such as severity:desc,created_at:asc."),
        sort_by(SORTABLE),
    ] = "created_at:desc",
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[Violation]:
    """List the violations of the selected project, the newest first."""
    parts = () if asset_fqn is None else Fqn.parse(asset_fqn).parts

    def work(uow: UnitOfWork) -> Page[Violation]:
        return uow.violations.listed(
            ctx.scope,
            sort=sort,
            offset=(page - 1) * limit,
            limit=limit,
            asset_parts=parts,
            dimension_ids=None if dimension is None else dimensions_named(ctx, uow, dimension),
            status=status,
            severity=severity,
            service=service,
            name=name,
            workflow_run_id=None if workflow_run_id is None else str(workflow_run_id),
        )

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_READ)
async def get_violation(ctx: Context, *, violation_id: ViolationId) -> Violation:
    """Get a violation."""
    return await ctx.store.read(lambda uow: uow.violations.get(ctx.scope, str(violation_id)))


@operation(needs=Permission.CAN_READ)
async def list_violation_history(
    ctx: Context, *, violation_id: ViolationId, page: PageNumber = 1, limit: PageSize = 20
) -> Page[ViolationEvent]:
    """List what has become of a violation since it was first seen, in that order."""

    def work(uow: UnitOfWork) -> Page[ViolationEvent]:
        violation = uow.violations.get(ctx.scope, str(violation_id))
        return uow.violation_events.page(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            violation_id=violation.id,
        )

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def update_violation(ctx: Context, *, violation_id: ViolationId, changes: ViolationChange) -> Violation:
    """Decide about a violation: acknowledge it, resolve it, call it a false positive, or open it again.

    An open or acknowledged one may move to any other status; a resolved one or a false positive to open alone, which
    clears who resolved it and the notes. A later run that still finds a resolved one opens it again, and leaves a false
    positive as it is.
    """
    given, now, user = changes.given(), ctx.now(), ctx.caller.user_id
    if given.get("status", ViolationStatus.OPEN) is None:
        raise ValidationError("status is one of the documented values, not null.", status=422, field="status")

    def work(uow: UnitOfWork) -> Violation:
        current = uow.violations.get(ctx.scope, str(violation_id))
        to = given.get("status", current.status)
        if to is not current.status and to not in MOVES[current.status]:
            allowed = ", ".join(status for status in ViolationStatus if status in MOVES[current.status])
            raise ValidationError(
                f"A violation that is {current.status} cannot become {to}, but {allowed}.", status=422, field="status"
            )
        values: dict[str, Any] = {"updated_at": now}
        if to is not current.status:
            values["status"] = to
            values |= CLEARED if to in UNRESOLVED else {"resolved_by": user, "resolved_at": now}
        if "resolution_notes" in given:
            values["resolution_notes"] = given["resolution_notes"]
        assert current._revision is not None
        expected = ctx.expected_of(current)
        event = {"at": now, "from_status": current.status, "to_status": to, "actor": user}
        event["notes"] = given.get("resolution_notes")
        return uow.violations.move(ctx.scope, current, values, event, expected=expected)

    return await ctx.store.write(work)
