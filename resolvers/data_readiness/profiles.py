"""Defines what can be asked about profiles: the latest of a table or column, one of the past, and the history.

Values of columns that are tagged as personal data are left out of every answer, as the tags stand when it is given: a
tag that comes later masks the profiles of before. A profile of what the catalog does not hold any more is not found.
"""

from collections.abc import Callable
from typing import Annotated, TypeVar
from uuid import UUID

from pydantic import Field

from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.moments import past
from resolvers.engines.masking import masked_column, masked_table
from resolvers.operation import operation
from schema.data_readiness.profile import ColumnProfile, ProfileEntry, TableProfile
from schema.errors import NotFound
from schema.governance.permission import Permission
from schema.grammar import COLUMN_NAME, TABLE_NAME
from schema.identifiers import Fqn
from schema.pagination import Moment, Page, PageNumber, PageSize

T = TypeVar("T")

TableName = Annotated[
    str, Field(min_length=1, max_length=4000, description="The dotted name of a table or view."), TABLE_NAME
]
ColumnName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=4000,
        description="The dotted name of a column.",
        examples=["warehouse.shop.public.orders.amount"],
    ),
    COLUMN_NAME,
]
AsOf = Annotated[
    Moment, Field(description="The latest that was measured by then, in the past; without a zone it is UTC.")
]
OfRun = Annotated[UUID, Field(description="What this run has measured.")]


@operation(needs=Permission.CAN_READ_METADATA)
async def list_table_profiles(
    ctx: Context,
    *,
    asset_fqn: Annotated[
        str,
        Field(min_length=1, max_length=4000, description="Only those of this table or view: its history."),
        TABLE_NAME,
    ]
    | None = None,
    workflow_run_id: OfRun | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[ProfileEntry]:
    """List the profiles of tables that the catalog holds, the newest first, without their columns."""
    return await ctx.store.read(
        lambda uow: uow.table_profiles.listed(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            asset_fqn=None if asset_fqn is None else str(Fqn.parse(asset_fqn)),
            workflow_run_id=None if workflow_run_id is None else str(workflow_run_id),
        )
    )


@operation(needs=Permission.CAN_READ_METADATA)
async def get_table_profile(
    ctx: Context, *, asset_fqn: TableName, as_of: AsOf | None = None, workflow_run_id: OfRun | None = None
) -> TableProfile:
    """Get what was measured of a table and its columns: the latest, unless a moment or a run is named."""
    fqn, at = str(Fqn.parse(asset_fqn)), past(ctx, as_of)

    def work(uow: UnitOfWork) -> TableProfile | None:
        personal = uow.table_profiles.personal(ctx.scope, [fqn])
        if fqn not in personal:
            return None
        found = uow.table_profiles.latest(ctx.scope, [fqn], at=at, run_id=_id(workflow_run_id)).get(fqn)
        return None if found is None else masked_table(found, personal[fqn])

    return await _found(ctx, work, fqn)


@operation(needs=Permission.CAN_READ_METADATA)
async def get_column_profile(
    ctx: Context, *, asset_fqn: ColumnName, as_of: AsOf | None = None, workflow_run_id: OfRun | None = None
) -> ColumnProfile:
    """Get what was measured of one column: the latest, unless a moment or a run is named."""
    name = Fqn.parse(asset_fqn)
    fqn, table, at = str(name), str(Fqn.of(*name.parts[:4])), past(ctx, as_of)

    def work(uow: UnitOfWork) -> ColumnProfile | None:
        personal = uow.table_profiles.personal(ctx.scope, [table])
        if table not in personal:
            return None
        found = uow.table_profiles.latest_columns(ctx.scope, {fqn: table}, at=at, run_id=_id(workflow_run_id)).get(fqn)
        return None if found is None else masked_column(found, personal[table])

    return await _found(ctx, work, fqn)


async def _found(ctx: Context, work: Callable[[UnitOfWork], T | None], fqn: str) -> T:
    found = await ctx.store.read(work)
    if found is None:
        raise NotFound("profile", fqn)
    return found


def _id(run: UUID | None) -> str | None:
    return None if run is None else str(run)
