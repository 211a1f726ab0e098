"""Operations on dimensions, metrics and their results."""

from decimal import Decimal
from typing import Annotated, Any
from uuid import UUID, uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.definitions import added, changed, deleted, dimension_of, dimensions_named
from resolvers.data_readiness.moments import past
from resolvers.engines.scoring import Ratio, score, written_weight
from resolvers.operation import operation
from schema.data_readiness.quality import (
    AssessmentType,
    DefinitionDeleted,
    Dimension,
    DimensionChange,
    DimensionCreate,
    MetricDefinition,
    MetricDefinitionChange,
    MetricDefinitionCreate,
    MetricResult,
)
from schema.errors import ValidationError
from schema.governance.permission import Permission
from schema.grammar import UP_TO_COLUMN
from schema.pagination import Moment, Page, PageNumber, PageSize

DimensionId = Annotated[UUID, Field(description="The dimension's id.")]
MetricId = Annotated[UUID, Field(description="The metric definition's id.")]
AssetFilter = Annotated[
    str,
    Field(min_length=1, max_length=2000, description="An asset's dotted name: it, and all that is under it."),
    UP_TO_COLUMN,
]
DimensionFilter = Annotated[str, Field(min_length=1, max_length=255, description="A dimension's id or name.")]


@operation(needs=Permission.CAN_READ)
async def list_dimensions(
    ctx: Context, *, assessment_type: AssessmentType | None = None, page: PageNumber = 1, limit: PageSize = 20
) -> Page[Dimension]:
    """List the dimensions of quality: those that are built in, then the project's own, the oldest first."""
    standing = await ctx.store.read(lambda uow: uow.dimensions.standing(ctx.scope))
    return window([one for one in standing if assessment_type in (None, one.assessment_type)], page, limit)


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_dimension(ctx: Context, *, dimension: DimensionCreate) -> Dimension:
    """Add a dimension of the project's own. Its weight cannot change later: scorecards of the past stay what they were.

    To see what another weight would do, send `weight_overrides` with a scorecard.
    """
    new = Dimension(
        id=str(uuid4()),
        name=dimension.name,
        fqn=f"{dimension.assessment_type}.{dimension.name}",
        assessment_type=dimension.assessment_type,
        display_name=dimension.display_name,
        purpose=dimension.purpose,
        description=dimension.description,
        weight=written_weight(Decimal(dimension.weight)),
        is_built_in=False,
    )
    return await added(ctx, lambda uow: uow.dimensions, lambda uow: (new, {}))


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def update_dimension(ctx: Context, *, dimension_id: DimensionId, changes: DimensionChange) -> Dimension:
    """Update the words about a dimension of the project's own."""
    return await changed(ctx, lambda uow: uow.dimensions, dimension_id, changes.given())


@operation(needs=Permission.CAN_DELETE, kind=CallKind.WRITE)
async def delete_dimension(ctx: Context, *, dimension_id: DimensionId) -> DefinitionDeleted:
    """Delete a dimension of the project's own that no definition belongs to. Scorecards of the past still show it."""

    def unused(uow: UnitOfWork) -> None:
        if uow.dimensions.in_use(ctx.scope, str(dimension_id)):
            raise ValidationError(
                "Definitions of metrics or violations belong to this dimension. Delete them first.",
                status=422,
                field="dimension_id",
            )

    return await deleted(ctx, lambda uow: uow.dimensions, dimension_id, unused)


@operation(needs=Permission.CAN_READ)
async def list_metric_definitions(
    ctx: Context, *, dimension: DimensionFilter | None = None, page: PageNumber = 1, limit: PageSize = 20
) -> Page[MetricDefinition]:
    """List the metrics: those that are built in, then the project's own, the oldest first."""

    def work(uow: UnitOfWork) -> list[MetricDefinition]:
        found = uow.metric_definitions.standing(ctx.scope)
        if dimension is None:
            return found
        wanted = dimensions_named(ctx, uow, dimension)
        return [one for one in found if one.dimension_id in wanted]

    return window(await ctx.store.read(work), page, limit)


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_metric_definition(ctx: Context, *, metric: MetricDefinitionCreate) -> MetricDefinition:
    """Add a metric of the project's own to a dimension."""

    def make(uow: UnitOfWork) -> tuple[MetricDefinition, dict[str, Any]]:
        dimension = dimension_of(ctx, uow, metric.dimension_id)
        new = MetricDefinition(
            id=str(uuid4()),
            dimension_id=dimension.id,
            name=metric.name,
            fqn=f"{dimension.fqn}.{metric.name}",
            display_name=metric.display_name,
            unit=metric.unit,
            purpose=metric.purpose,
            description=metric.description,
            is_built_in=False,
        )
        return new, {}

    return await added(ctx, lambda uow: uow.metric_definitions, make)


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def update_metric_definition(
    ctx: Context, *, definition_id: MetricId, changes: MetricDefinitionChange
) -> MetricDefinition:
    """Update the words about a metric of the project's own."""
    return await changed(ctx, lambda uow: uow.metric_definitions, definition_id, changes.given())


@operation(needs=Permission.CAN_DELETE, kind=CallKind.WRITE)
async def delete_metric_definition(ctx: Context, *, definition_id: MetricId) -> DefinitionDeleted:
    """Delete a metric of the project's own. Its results stay, and scorecards of the past still show them."""
    return await deleted(ctx, lambda uow: uow.metric_definitions, definition_id)


@operation(needs=Permission.CAN_READ)
async def list_metric_results(
    ctx: Context,
    *,
    asset_fqn: AssetFilter | None = None,
    dimension: DimensionFilter | None = None,
    metric_definition_id: Annotated[UUID, Field(description="Only results of this metric.")] | None = None,
    workflow_run_id: Annotated[UUID, Field(description="Only what this run has measured.")] | None = None,
    as_of: Annotated[
        Moment, Field(description="Only what was measured by then, in the past; without a zone it is UTC.")
    ]
    | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[MetricResult]:
    """List what runs have measured, the newest first."""
    until = None if as_of is None else past(ctx, as_of)

    def work(uow: UnitOfWork) -> Page[MetricResult]:
        return uow.metric_results.listed(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            asset_fqn=asset_fqn,
            as_of=until,
            dimension_ids=None if dimension is None else dimensions_named(ctx, uow, dimension),
            metric_definition_id=None if metric_definition_id is None else str(metric_definition_id),
            workflow_run_id=None if workflow_run_id is None else str(workflow_run_id),
        )

    found = await ctx.store.read(work)
    return found.map(lambda one: one.model_copy(update={"score": score(Ratio(one.numerator, one.denominator))}))


def window(items: list[Any], page: int, limit: int) -> Page[Any]:
    """One page of a list that is at hand."""
    offset = (page - 1) * limit
    return Page[Any].model_construct(items=items[offset : offset + limit], total=len(items), offset=offset, limit=limit)
