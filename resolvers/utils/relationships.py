"""References between columns that no source declares: people add one by hand, and take back what people approved."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.catalog import get_asset
from persistence.queries.catalog_edit import APPROVED_FIELD, lock_services, update_asset
from persistence.queries.source_facts import ACCEPTED, APPROVED
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.engines.catalog_diff import judge
from resolvers.operation import operation
from resolvers.utils.metadata import RESOURCE, DottedName, Uri
from schema.errors import AlreadyExists, NotFound, ValidationError
from schema.governance.permission import Permission, TypeName
from schema.grammar import ANY_NAME
from schema.identifiers import Fqn
from schema.utils.metadata_asset import AssetType, MetadataAsset, RelationshipCreate

Target = Annotated[
    str,
    Field(min_length=1, max_length=4000, description="The dotted name of the column that it refers to."),
    ANY_NAME,
]


@operation(needs=Permission.CAN_MANAGE_METADATA, on=RESOURCE, kind=CallKind.WRITE)
async def add_relationship(
    ctx: Context, *, resource_type: TypeName, resource_uri: Uri, fqn: DottedName, relationship: RelationshipCreate
) -> MetadataAsset:
    """Say that a column refers to another one of its database, as a new version of it. Ingestion keeps what is said.

    A column refers to one other column: one that refers already is a 409. What is no column of the catalog is a 404 or
    a 422.
    """
    scope, now, actor = ctx.scope, ctx.now(), ctx.caller.user_id

    def work(uow: UnitOfWork) -> MetadataAsset:
        lock_services(uow.connection, scope, [fqn])
        own, standing = _column(uow, scope, resource_uri, fqn)
        target = _target(uow, scope, resource_uri, own, relationship.target_fqn)
        if (there := next((one for one in standing if one.get("type") == "FOREIGN_KEY"), None)) is not None:
            raise AlreadyExists(
                f"It refers to {there.get('table')}.{there.get('column')} already. Remove that first.",
                resource_type="metadata_asset",
                resource_id=str(own),
            )
        *_, schema, table, column = target.parts
        said = {
            "type": "FOREIGN_KEY",
            "schema": schema,
            "table": table,
            "column": column,
            "origin": APPROVED,
            "approved_by": actor,
            "approved_at": now.isoformat(),
        }
        return _kept(ctx, uow, resource_uri, own, [*standing, said])

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_MANAGE_METADATA, on=RESOURCE, kind=CallKind.WRITE)
async def remove_relationship(
    ctx: Context, *, resource_type: TypeName, resource_uri: Uri, fqn: DottedName, target_fqn: Target
) -> MetadataAsset:
    """Take back that a column refers to another one, as a new version of it. What the source declares is a 422."""
    scope = ctx.scope

    def work(uow: UnitOfWork) -> MetadataAsset:
        lock_services(uow.connection, scope, [fqn])
        own, standing = _column(uow, scope, resource_uri, fqn)
        meant = Fqn.parse(target_fqn).parts[2:]
        there = [one for one in standing if _names(one, own) == meant]
        if not there:
            raise NotFound("relationship", target_fqn)
        if any(one.get("origin") not in (APPROVED, ACCEPTED) for one in there):
            raise ValidationError(
                "The source declares this reference, so it can only be removed there.", status=422, field="target_fqn"
            )
        return _kept(ctx, uow, resource_uri, own, [one for one in standing if one not in there])

    return await ctx.store.write(work)


def _names(relationship: Mapping[str, Any], own: Fqn) -> tuple[str, ...]:
    """Schema, table and column that a relationship of a column leads to."""
    schema = relationship.get("schema") or own.parts[2]
    return (str(schema), str(relationship.get("table")), str(relationship.get("column")))


def _column(uow: UnitOfWork, scope: Scope, resource_uri: str, fqn: str) -> tuple[Fqn, list[Mapping[str, Any]]]:
    """The name of a column and what it refers to. Raises NotFound, and ValidationError for what is no column."""
    asset = get_asset(uow.connection, scope, resource_uri, fqn).document()
    if asset["type"] != AssetType.COLUMN:
        raise ValidationError(f"{fqn[:200]} is no column. Columns refer to columns.", status=422, field="fqn")
    return Fqn.parse(asset["fully_qualified_name"]), list(asset[APPROVED_FIELD] or ())


def _target(uow: UnitOfWork, scope: Scope, resource_uri: str, own: Fqn, named: str) -> Fqn:
    """The column that is referred to. Raises ValidationError unless it is another one of the same database."""
    target = Fqn.parse(named)
    try:
        kind = get_asset(uow.connection, scope, resource_uri, str(target)).document()["type"]
    except NotFound:
        kind = None
    if kind != AssetType.COLUMN or target.parts[:2] != own.parts[:2] or target == own:
        raise ValidationError(
            f"{named[:200]} is no other column of the same database in the catalog.", status=422, field="target_fqn"
        )
    return target


def _kept(
    ctx: Context, uow: UnitOfWork, resource_uri: str, own: Fqn, relationships: list[Mapping[str, Any]]
) -> MetadataAsset:
    return update_asset(
        uow.connection,
        ctx.scope,
        resource_uri,
        str(own),
        {APPROVED_FIELD: relationships or None},
        actor=ctx.caller.user_id,
        now=ctx.now(),
        judge=judge,
        expected_revision=ctx.expected_revision,
    ).resource()
