"""Operations on data assets: list, get, and see the runs that covered one.

They are the catalog's own assets, with what completed runs say about them; nothing is kept a second time. A run covers
what it names in `asset_fqn` or `include` and everything below that.
"""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from persistence.queries.data_assets import get_data_asset_row, page_of_data_assets
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.runs.operations import with_tasks
from resolvers.operation import operation
from schema.data_readiness.data_asset import DataAsset
from schema.data_readiness.workflow import WorkflowType
from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
from schema.governance.permission import Permission
from schema.grammar import ANY_NAME
from schema.identifiers import parse_fqn
from schema.pagination import Page, PageNumber, PageSize
from schema.utils.metadata_asset import AssetType

AssetId = Annotated[UUID, Field(description="The id of the catalog asset.")]


@operation(needs=Permission.CAN_READ_METADATA)
async def list_data_assets(
    ctx: Context,
    *,
    asset_type: Annotated[AssetType, Field(description="Tables, unless another type is named.")] = AssetType.TABLE,
    fqn_prefix: Annotated[
        str, Field(min_length=1, max_length=4000, description="This dotted name and everything below it."), ANY_NAME
    ]
    | None = None,
    resource_uri: Annotated[str, Field(min_length=1, max_length=800, description="Only those of this resource.")]
    | None = None,
    is_pii_tagged: Annotated[bool | None, Field(description="Only tagged ones, or only the others.")] = None,
    search: Annotated[str, Field(max_length=255, description="Part of the name, display name or description.")]
    | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[DataAsset]:
    """List the tables of the selected project, or its assets of another type, with their readiness, by dotted name."""
    name = None if fqn_prefix is None else str(parse_fqn(fqn_prefix, field="fqn_prefix"))
    return await ctx.store.read(
        lambda uow: page_of_data_assets(
            uow.connection,
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            asset_type=asset_type,
            at_or_under=name,
            resource_uri=resource_uri,
            is_pii_tagged=is_pii_tagged,
            search=search,
        )
    )


@operation(needs=Permission.CAN_READ_METADATA)
async def get_data_asset(ctx: Context, *, asset_id: AssetId) -> DataAsset:
    """Get one catalog asset with its readiness."""
    return await ctx.store.read(lambda uow: get_data_asset_row(uow.connection, ctx.scope, str(asset_id)))


@operation(needs=Permission.CAN_READ_METADATA)
async def list_data_asset_runs(
    ctx: Context,
    *,
    asset_id: AssetId,
    workflow_type: WorkflowType | None = None,
    status: RunStatus | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[WorkflowRun]:
    """List the runs that covered an asset, newest first: those on it and on whatever it is in."""

    def work(uow: UnitOfWork) -> Page[WorkflowRun]:
        asset = get_data_asset_row(uow.connection, ctx.scope, str(asset_id))
        found = uow.workflow_runs.listed(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            covers=asset.fqn,
            workflow_type=workflow_type,
            status=status,
        )
        return with_tasks(ctx, uow, found)

    return await ctx.store.read(work)
