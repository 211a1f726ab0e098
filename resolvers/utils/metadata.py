"""Operations on the metadata catalog: read an asset, search, and write by hand.

Reads answer with views (`persistence/queries/asset_view.py`): they have the fields of the resource that the signature
names, and REST writes them without building it.

Decisions where the contract is silent: PUT and DELETE name the asset by the `fqn` query parameter, as GET does; a
deleted asset is 404, while its versions can still be read and a search for `_exists_:deleted_at` finds it; an asset
of another type than `asset_type` expects is a 400 that names the actual one.
"""

from typing import Annotated, Any, cast

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.asset_view import AssetView
from persistence.queries.catalog import (
    create_asset,
    delete_asset,
    find_asset,
    find_page,
    get_asset,
    search_assets,
    with_children,
)
from persistence.queries.catalog_edit import update_asset
from persistence.queries.metadata_search import Window
from persistence.queries.relevance import sought
from resolvers.chosen import chosen_in
from resolvers.context import Context
from resolvers.engines.catalog_diff import judge
from resolvers.engines.query_string import parse_query
from resolvers.operation import operation
from schema.governance.permission import Done, Permission, TypeName
from schema.grammar import ANY_NAME
from schema.pagination import Offset, Page, SearchLimit
from schema.utils.metadata_asset import (
    AssetSort,
    AssetType,
    DocumentVersion,
    MetadataAsset,
    MetadataAssetCreate,
    MetadataAssetUpdate,
    SortOrder,
)

RESOURCE = "{resource_type}:{resource_uri}"
Uri = Annotated[
    str,
    Field(
        min_length=1,
        max_length=800,
        pattern=r"^[^\s\x85\ufeff#*\x00]+$",
        description="The resource that the catalog describes.",
    ),
]
DottedName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=4000,
        description='Dotted name: service.database.schema.table.column; a part with a dot is quoted, "a.b".',
    ),
    ANY_NAME,
]
SearchText = Annotated[
    str,
    Field(
        description='field:value, trailing *, "phrases", AND OR NOT (also && || !), parentheses, field:[1 TO 9], '
        "field:>1, _exists_:field; a dotted name finds the asset that it names or ends; other words are free text."
    ),
]


@operation(needs=Permission.CAN_READ_METADATA, catalog_only=True)
async def search_metadata(
    ctx: Context,
    *,
    resource_uri: Uri | None = None,
    asset_type: AssetType | None = None,
    q: SearchText | None = None,
    fqn_prefix: DottedName | None = None,
    sort_by: AssetSort = AssetSort.NAME,
    sort_order: SortOrder = SortOrder.ASC,
    limit: SearchLimit = 50,
    offset: Offset = 0,
) -> Page[MetadataAsset]:
    """Search the metadata catalog of the selected project.

    `fqn_prefix` asks for the direct children of a dotted name. A space between words of `q` means AND. Deleted assets
    are left out unless `q` speaks of deleted_at.
    """
    query = parse_query(q)
    phrases = sought(query) if sort_by is AssetSort.RELEVANCE else ()
    order = sort_by if phrases or sort_by is not AssetSort.RELEVANCE else AssetSort.NAME
    window = Window(order.value, sort_order is SortOrder.DESC, limit, offset, phrases)
    if ctx.writes_only:
        page = await find_page(
            ctx.store.database,
            ctx.scope,
            query,
            resource_uri=resource_uri,
            asset_type=asset_type,
            fqn_prefix=fqn_prefix,
            window=window,
            hits=ctx.services.hits,
            told=ctx.told,
            missing=ctx.services.documents.want,
        )
        if page is not None:
            return cast("Page[MetadataAsset]", page)
    await ctx.look_first()
    found = await ctx.store.read(
        lambda uow: search_assets(
            uow.connection,
            ctx.scope,
            query,
            resource_uri=resource_uri,
            asset_type=asset_type,
            fqn_prefix=fqn_prefix,
            window=window,
            hits=ctx.services.hits,
        )
    )
    return cast("Page[MetadataAsset]", found)


@operation(needs=Permission.CAN_READ_METADATA, on=RESOURCE, catalog_only=True)
async def get_metadata(
    ctx: Context,
    *,
    resource_type: TypeName,
    resource_uri: Uri,
    fqn: DottedName,
    asset_type: AssetType | None = None,
    version: DocumentVersion | None = None,
    include_children: bool = False,
) -> MetadataAsset:
    """Get one asset by its fully qualified name.

    `version` gives it as it was, and cannot be combined with include_children=true, which adds up to 500 direct
    children; children_total tells how many there are.
    """
    only = chosen_in(get_metadata, "children") if include_children else None
    if version is None and not (include_children and ctx.store.database.reads_one_state):
        alone = await find_asset(
            ctx.store.database,
            ctx.scope,
            resource_uri,
            fqn,
            asset_type=asset_type,
            told=ctx.told,
            missing=ctx.services.documents.want if ctx.writes_only and not include_children else None,
        )
        if not include_children:
            return cast("MetadataAsset", alone)
        view = cast("AssetView", alone)
        found = await ctx.store.read(
            lambda uow: with_children(uow.connection, ctx.scope, view, documents=ctx.writes_only, only=only)
        )
    else:
        await ctx.look_first()
        found = await ctx.store.read(
            lambda uow: get_asset(
                uow.connection,
                ctx.scope,
                resource_uri,
                fqn,
                asset_type=asset_type,
                version=version,
                include_children=include_children,
                documents=ctx.writes_only,
                only=only,
            )
        )
    if found.undocumented:
        ctx.services.documents.want(found.undocumented)
    return cast("MetadataAsset", found)


@operation(needs=Permission.CAN_MANAGE_METADATA, on=RESOURCE, kind=CallKind.WRITE)
async def create_metadata(
    ctx: Context, *, resource_type: TypeName, resource_uri: Uri, asset: MetadataAssetCreate
) -> MetadataAsset:
    """Write an asset into the catalog by hand. Its parent must stand; a name that stands already is a 409."""
    values = asset.model_dump(mode="python", exclude={"type", "fully_qualified_name", "name"})
    now, actor = ctx.now(), ctx.caller.user_id
    return await ctx.store.write(
        lambda uow: create_asset(
            uow.connection,
            ctx.scope,
            resource_uri,
            asset.fully_qualified_name,
            asset.type,
            values,
            actor=actor,
            now=now,
            judge=judge,
        ).resource()
    )


@operation(needs=Permission.CAN_MANAGE_METADATA, on=RESOURCE, kind=CallKind.WRITE)
async def update_metadata(
    ctx: Context, *, resource_type: TypeName, resource_uri: Uri, fqn: DottedName, changes: MetadataAssetUpdate
) -> MetadataAsset:
    """Change what people say about an asset, as a new version.

    Ingestion keeps what is set here. `expected_version` in the body, or If-Match, makes a concurrent change a
    VERSION_CONFLICT. A change that changes nothing makes no version.
    """
    whole = changes.model_dump(mode="python")  # owners and tags with their defaults, which given() would leave out
    given: dict[str, Any] = {name: whole[name] for name in changes.given()}
    reason, expected = given.pop("version_change_reason", None), given.pop("expected_version", None)
    if given.get("extension", {}) is None:
        given["extension"] = {}
    for flag in ("is_dq_tagged", "is_pii_tagged", "is_sensitivity_tagged"):
        if flag in given and given[flag] is None:
            del given[flag]
    now, actor = ctx.now(), ctx.caller.user_id
    return await ctx.store.write(
        lambda uow: update_asset(
            uow.connection,
            ctx.scope,
            resource_uri,
            fqn,
            given,
            actor=actor,
            now=now,
            judge=judge,
            reason=reason,
            expected_version=expected,
            expected_revision=ctx.expected_revision,
        ).resource()
    )


@operation(needs=Permission.CAN_MANAGE_METADATA, on=RESOURCE, kind=CallKind.WRITE)
async def delete_metadata(ctx: Context, *, resource_type: TypeName, resource_uri: Uri, fqn: DottedName) -> Done:
    """Mark an asset and everything below it as deleted.

    What its source still has comes back with the next ingestion.
    """
    now, actor = ctx.now(), ctx.caller.user_id
    deleted = await ctx.store.write(
        lambda uow: delete_asset(
            uow.connection,
            ctx.scope,
            resource_uri,
            fqn,
            actor=actor,
            now=now,
            judge=judge,
            expected_revision=ctx.expected_revision,
        ),
        told=_gone,
    )
    return _gone(deleted)


def _gone(deleted: AssetView) -> Done:
    return Done(message=f"{deleted.fully_qualified_name} and everything below it is deleted.")
