"""Operations on lineage: hand statements in, list them, and follow what depends on what.

Whoever may read the metadata of a resource may follow the lineage of what is in it. What it leads to on other resources
is shown to those who may read the metadata there; of the rest only the number is told.
"""

import asyncio
from typing import Annotated, Final
from uuid import UUID

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.lineage import CatalogTable, ToldStatement
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import operation
from resolvers.utils.lineage_telling import LineageCatalog, dialect_of, told_of
from resolvers.utils.lineage_walking import Walk, parse_place
from resolvers.utils.metadata import RESOURCE, DottedName, Uri
from schema.errors import NotFound, ValidationError
from schema.governance.permission import Permission, TypeName
from schema.pagination import Moment, Page, PageNumber, PageSize
from schema.utils.lineage import (
    LineageDirection,
    LineageEdge,
    LineageImpact,
    LineagePath,
    LineageReach,
    LineageSource,
    LineageStatement,
    LineageStatementCreate,
)

MOST_STATEMENTS: Final = 10_000
"""Statements of one source that people may have standing in a project."""

Depth = Annotated[int, Field(ge=1, le=50, description="How many edges are followed one after another.")]
AtTime = Annotated[Moment, Field(description="As it stood at this time; now, without one.")]
DirectOnly = Annotated[bool, Field(description="Follow only edges by which values pass.")]
OfSource = Annotated[LineageSource | None, Field(description="Only what this source tells.")]


@operation(needs=Permission.CAN_MANAGE_METADATA, on=RESOURCE, kind=CallKind.WRITE)
async def create_lineage_statement(
    ctx: Context, *, resource_type: TypeName, resource_uri: Uri, statement: LineageStatementCreate
) -> LineageStatement:
    """Hand in a statement, and keep the lineage that it tells.

    It is read in the dialect of the connection, and may name tables of it that the catalog has. Nothing of it is ever
    run. What is not understood is listed in `gaps`, and then no edge is made. The same name handed in again ends what
    stood under it; other sources, such as the definition of the same view, stand beside it.
    """
    scope = ctx.scope

    def work(uow: UnitOfWork) -> tuple[list[CatalogTable], str]:
        return uow.lineage.tables(scope, resource_uri), dialect_of(uow, scope, resource_uri)

    def understood(tables: list[CatalogTable], dialect: str) -> ToldStatement:
        catalog = LineageCatalog.of(tables, dialect)
        if statement.target_fqn is not None and statement.target_fqn not in catalog.known:
            raise ValidationError(
                f"{statement.target_fqn[:200]} is not a table of {resource_uri} in the catalog. Ingest it first.",
                status=422,
                field="target_fqn",
            )
        return told_of(
            statement.statement,
            catalog,
            source=LineageSource.SQL,
            key=statement.name,
            resource_uri=resource_uri,
            dialect=dialect,
            target=statement.target_fqn,
        )

    # Understanding a long statement takes a while, in which no transaction waits.
    told = await asyncio.to_thread(understood, *await ctx.store.read(work))

    def write(uow: UnitOfWork) -> LineageStatement:
        if uow.lineage.count_standing(scope, LineageSource.SQL) >= MOST_STATEMENTS:
            raise ValidationError(
                f"The project has {MOST_STATEMENTS} statements of lineage. Delete those that are no longer true.",
                status=422,
                field="statement",
            )
        uow.lineage.tell(scope, LineageSource.SQL, [told], by=ctx.caller.user_id, at=ctx.now())
        return uow.lineage.standing(scope, LineageSource.SQL, told.key)

    return await ctx.store.write(write)


@operation(needs=Permission.CAN_READ_METADATA, on=RESOURCE)
async def list_lineage_statements(
    ctx: Context,
    *,
    resource_type: TypeName,
    resource_uri: Uri,
    source: OfSource = None,
    target_fqn: DottedName | None = None,
    with_gaps: Annotated[
        bool | None, Field(description="Only those that were not understood, or only those that were.")
    ] = None,
    at: AtTime | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[LineageStatement]:
    """List the statements that tell of a connection's lineage, the newest first."""
    return await ctx.store.read(
        lambda uow: uow.lineage.listed(
            ctx.scope,
            resource_uri,
            source=source,
            target=target_fqn,
            with_gaps=with_gaps,
            at=at,
            offset=(page - 1) * limit,
            limit=limit,
        )
    )


@operation(needs=Permission.CAN_MANAGE_METADATA, on=RESOURCE, kind=CallKind.WRITE)
async def end_lineage_statement(
    ctx: Context, *, resource_type: TypeName, resource_uri: Uri, statement_id: UUID
) -> LineageStatement:
    """Let a statement end, so that it tells of lineage no more. What stood until now can still be asked for.

    The definition of a view is told again by the next ingestion that finds it changed.
    """

    def work(uow: UnitOfWork) -> LineageStatement:
        found = uow.lineage.get(ctx.scope, str(statement_id))
        if found.resource_uri != resource_uri:
            raise NotFound("lineage_statement", str(statement_id))
        return uow.lineage.end(ctx.scope, str(statement_id), ctx.now())

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_READ_METADATA, on=RESOURCE)
async def get_lineage(
    ctx: Context,
    *,
    resource_type: TypeName,
    resource_uri: Uri,
    fqn: DottedName,
    direction: LineageDirection = LineageDirection.UPSTREAM,
    depth: Depth = 10,
    direct_only: DirectOnly = False,
    source: OfSource = None,
    at: AtTime | None = None,
    page: PageNumber = 1,
    limit: PageSize = 100,
) -> LineageReach:
    """Follow what a column or a table depends on, or what depends on it, the nearest first.

    What a column depends on includes what decides on the rows of its table. Nodes that the caller may not read are
    counted in `hidden` and never named; lineage is followed through them.
    """
    walk = Walk(ctx, at=at, source=source, direct_only=direct_only)
    return await walk.reach(parse_place(fqn), resource_uri, direction, depth, offset=(page - 1) * limit, limit=limit)


@operation(needs=Permission.CAN_READ_METADATA, on=RESOURCE)
async def list_lineage_edges(
    ctx: Context,
    *,
    resource_type: TypeName,
    resource_uri: Uri,
    fqn: DottedName,
    direction: LineageDirection = LineageDirection.UPSTREAM,
    source: OfSource = None,
    at: AtTime | None = None,
    page: PageNumber = 1,
    limit: PageSize = 100,
) -> Page[LineageEdge]:
    """List the edges that lead right to a column or a table, or right away from it, each with who told of it.

    Edges to nodes that the caller may not read are left out.
    """
    walk = Walk(ctx, at=at, source=source)
    return await walk.edges(parse_place(fqn), resource_uri, direction, offset=(page - 1) * limit, limit=limit)


@operation(needs=Permission.CAN_READ_METADATA, on=RESOURCE)
async def get_lineage_impact(
    ctx: Context,
    *,
    resource_type: TypeName,
    resource_uri: Uri,
    fqn: DottedName,
    depth: Depth = 50,
    at: AtTime | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> LineageImpact:
    """Say what breaks if a column or a table goes: each table and view that depends on it, with its columns."""
    walk = Walk(ctx, at=at)
    return await walk.impact(parse_place(fqn), resource_uri, depth, offset=(page - 1) * limit, limit=limit)


@operation(needs=Permission.CAN_READ_METADATA, on=RESOURCE)
async def get_lineage_path(
    ctx: Context,
    *,
    resource_type: TypeName,
    resource_uri: Uri,
    fqn: DottedName,
    to_fqn: DottedName,
    at: AtTime | None = None,
) -> LineagePath:
    """Find the shortest way by which something depends on a column or a table.

    A way that the caller may read from end to end is preferred. On another one, what they may not read is null.
    """
    return await Walk(ctx, at=at).path(parse_place(fqn), resource_uri, parse_place(to_fqn, field="to_fqn"))
