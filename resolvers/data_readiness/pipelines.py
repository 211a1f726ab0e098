"""Operations on pipelines: list and get. A run of run-all-enrichment makes one, and canceling it ends it."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from resolvers.context import Context
from resolvers.operation import operation
from schema.data_readiness.pipeline import PipelineRun, PipelineStatus
from schema.governance.permission import Permission
from schema.grammar import ANY_NAME
from schema.identifiers import parse_fqn
from schema.pagination import Page, PageNumber, PageSize


@operation(needs=Permission.CAN_READ)
async def list_pipeline_runs(
    ctx: Context,
    *,
    status: PipelineStatus | None = None,
    asset_fqn: Annotated[
        str, Field(min_length=1, max_length=2000, description="Pipelines at or below this dotted name."), ANY_NAME
    ]
    | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[PipelineRun]:
    """List the pipelines of the selected project, newest first."""
    name = None if asset_fqn is None else str(parse_fqn(asset_fqn, field="asset_fqn"))
    return await ctx.store.read(
        lambda uow: uow.pipeline_runs.listed(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            at_or_under=name,
            status=status,
        )
    )


@operation(needs=Permission.CAN_READ)
async def get_pipeline_run(
    ctx: Context, *, pipeline_id: Annotated[UUID, Field(description="The pipeline's id.")]
) -> PipelineRun:
    """Get a pipeline: how many taggings of tables and how many schemas it has, and how many are done."""
    return await ctx.store.read(lambda uow: uow.pipeline_runs.get(ctx.scope, str(pipeline_id)))
