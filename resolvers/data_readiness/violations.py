"""Operations on violations: list, get, decide about one, read its history; and with the kinds of violation."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID, uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.violations import CLEARED, SORTABLE
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.definitions import added, changed, deleted, dimension_of
from resolvers.data_readiness.metrics import AssetFilter, DimensionFilter
from resolvers.operation import operation
from schema.data_readiness.quality import AssessmentType, DefinitionDeleted
from schema.data_readiness.selecting import AssetsLike
from schema.data_readiness.violation import (
    MOVES,
    UNRESOLVED,
    Assignee,
    Severity,
    Violation,
    ViolationChange,
    ViolationDefinition,
    ViolationDefinitionChange,
    ViolationDefinitionCreate,
    ViolationEvent,
    ViolationsDecided,
    ViolationsDecision,
    ViolationStatus,
)
from schema.errors import NotFound, ValidationError
from schema.governance.permission import Permission
from schema.grammar import sort_by
from schema.identifiers import Fqn
from schema.pagination import Page, PageNumber, PageSize
from schema.utils.lineage import LineageImpact

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
    assessment_type: Annotated[AssessmentType, Field(description="Of the data, or of their description.")]
    | None = None,
    service: Annotated[str, Field(min_length=1, max_length=255, description="The first part of the asset's name.")]
    | None = None,
    name: Annotated[str, Field(min_length=1, max_length=255, description="The kind of violation.")] | None = None,
    workflow_run_id: Annotated[UUID, Field(description="Only those that this run saw last.")] | None = None,
    assigned_to: Assignee | None = None,
    assets_like: AssetsLike | None = None,
    sort: Annotated[
        str,
        Field(max_length=200, description="field:order, comma-separated, such as severity:desc,created_at:asc."),
        sort_by(SORTABLE, of="Violation"),
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
            dimension_ids=_dimensions(ctx, uow, dimension, assessment_type),
            status=status,
            severity=severity,
            service=service,
            name=name,
            workflow_run_id=None if workflow_run_id is None else str(workflow_run_id),
            assigned_to=assigned_to,
            assets_like=assets_like,
        )

    return await ctx.store.read(work)


def _dimensions(ctx: Context, uow: UnitOfWork, named: str | None, of: AssessmentType | None) -> list[str] | None:
    """The ids of the dimensions that filters leave; None for all."""
    if named is None and of is None:
        return None
    return [
        one.id
        for one in uow.dimensions.standing(ctx.scope)
        if named in (None, one.id, one.name) and of in (None, one.assessment_type)
    ]


@operation(needs=Permission.CAN_READ)
async def get_violation(ctx: Context, *, violation_id: ViolationId) -> Violation:
    """Get a violation."""
    return await ctx.store.read(lambda uow: uow.violations.get(ctx.scope, str(violation_id)))


@operation(needs=Permission.CAN_READ)
async def get_violation_impact(
    ctx: Context, *, violation_id: ViolationId, page: PageNumber = 1, limit: PageSize = 20
) -> LineageImpact:
    """Say what a violation reaches: the tables and views that depend on its asset, the nearest first.

    It is what lineage knows of. Tables of connections whose metadata the caller may not read are counted in `hidden`,
    and not named.
    """
    violation = await ctx.store.read(lambda uow: uow.violations.get(ctx.scope, str(violation_id)))
    found = await ctx.load.reach_of_violation(violation.id, (page - 1) * limit, limit)
    if found is None:
        raise NotFound("violation", violation.id)
    return found


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
    """Decide about a violation: acknowledge it, resolve it, call it a false positive, open it again, or assign it.

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
        values |= {name: given[name] for name in ("resolution_notes", "assigned_to") if name in given}
        assert current._revision is not None
        expected = ctx.expected_of(current)
        event = {"at": now, "from_status": current.status, "to_status": to, "actor": user}
        event["notes"] = given.get("resolution_notes") or _assigned(given)
        return uow.violations.move(ctx.scope, current, values, event, expected=expected)

    return await ctx.store.write(work)


def _assigned(given: Mapping[str, Any]) -> str | None:
    """Return the history's words for who is to look after a violation from now on."""
    return f"Assigned to {given['assigned_to'] or 'nobody'}." if "assigned_to" in given else None


MOST_AT_ONCE: Final = 5000
"""How many violations one decision changes: more would hold the runs' writers up for too long."""

MOST_SAMPLED: Final = 20


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def decide_violations(ctx: Context, *, decision: ViolationsDecision) -> ViolationsDecided:
    """Decide about all violations that match a filter: move them to a status, assign them to a user, or both.

    Each moves as it would by itself, with a step in its history; one whose status does not allow the move stays and is
    counted under `barred`. One call changes 5000 at most, the worst first, whole or not at all: while `waiting` is not
    0, make the same call again. With `dry_run` the figures and the first 20 tell what it would do, and nothing is
    written. Said again it finds nothing left to change. A decision with neither status nor assignee is a 422.
    """
    if decision.status is None and decision.assigned_to is None:
        raise ValidationError("Give a status, a user to assign to, or both.", status=422, field="status")
    now, user = ctx.now(), ctx.caller.user_id

    def work(uow: UnitOfWork) -> ViolationsDecided:
        dimensions = _dimensions(ctx, uow, decision.only.dimension, decision.only.assessment_type)
        groups = uow.violations.standing(ctx.scope, decision.only, dimensions)
        stand = {group for group in groups if _stands(decision, *group)}
        barred = {group for group in groups if group not in stand and not _may_move(decision, group[0])}
        to_move = set(groups) - stand - barred
        found = uow.violations.movable(
            ctx.scope,
            decision.only,
            dimensions,
            sorted({status for status, _ in to_move}),
            MOST_AT_ONCE,
            unlike=(decision.status, decision.assigned_to),
        )
        moved = len(found) if decision.dry_run else _move(uow, ctx.scope, decision, found, user, now)
        return ViolationsDecided(
            matched=sum(groups.values()),
            moved=moved,
            stand_already=sum(groups[group] for group in stand),
            barred=sum(groups[group] for group in barred),
            waiting=sum(groups[group] for group in to_move) - len(found),
            dry_run=decision.dry_run,
            sample=found[:MOST_SAMPLED],
        )

    return await (ctx.store.read if decision.dry_run else ctx.store.write)(work)


def _stands(decision: ViolationsDecision, status: ViolationStatus, assigned_to: str | None) -> bool:
    return decision.status in (None, status) and decision.assigned_to in (None, assigned_to)


def _may_move(decision: ViolationsDecision, status: ViolationStatus) -> bool:
    return decision.status in (None, status) or decision.status in MOVES[status]


def _move(
    uow: UnitOfWork, scope: Scope, decision: ViolationsDecision, found: Sequence[Violation], user: str, now: datetime
) -> int:
    """Change violations as a decision says; how many. What only gets an assignee keeps how it was resolved."""
    assigned = {} if decision.assigned_to is None else {"assigned_to": decision.assigned_to}
    event: dict[str, Any] = {"at": now, "actor": user, "notes": decision.resolution_notes or _assigned(assigned)}
    told: dict[str, Any] = {"updated_at": now} | assigned
    if decision.resolution_notes is not None:
        told["resolution_notes"] = decision.resolution_notes
    moving = {one.id: one.status for one in found if decision.status not in (None, one.status)}
    staying = {one.id: one.status for one in found if one.id not in moving}
    moved = uow.violations.decide(scope, staying, told, event)
    if (to := decision.status) is None:
        return moved
    settled = CLEARED if to in UNRESOLVED else {"resolved_by": user, "resolved_at": now}
    return moved + uow.violations.decide(scope, moving, {"status": to} | settled | told, event | {"to_status": to})
