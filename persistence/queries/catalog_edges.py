"""Defines what stands directly below many parents of the catalog, read in one statement."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

import sqlalchemy as sa

from persistence.queries.asset_view import WIDTH, AssetView, answer_columns
from persistence.queries.catalog_rows import chunks
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets as assets
from schema.identifiers import Fqn
from schema.utils.metadata_asset import AssetMembers, AssetType, MetadataAsset


class CatalogParent(NamedTuple):
    """A parent in one project: a resource, whose databases are asked for, or an asset of it by its dotted name."""

    project_id: str
    resource_uri: str
    fqn: str | None = None


def members_of(
    connection: sa.Connection, organization_id: str, parents: Iterable[CatalogParent], most: int
) -> dict[CatalogParent, AssetMembers]:
    """The first assets below each parent, in the order of the catalog, and how many there are; two statements at most.

    A parent without any is left out.
    """
    wanted = list(parents)
    found: dict[CatalogParent, AssetMembers] = {}
    roots = [parent for parent in wanted if parent.fqn is None]
    if roots:
        databases = assets.c.type == AssetType.DATABASE.value
        found |= _members(connection, organization_id, roots, sa.null(), [databases], most)
    below = [parent for parent in wanted if parent.fqn is not None]
    if below:
        named = assets.c.parent_fqn.in_([parent.fqn for parent in below])
        found |= _members(connection, organization_id, below, assets.c.parent_fqn, [named], most)
    return found


def _members(
    connection: sa.Connection,
    organization_id: str,
    parents: Sequence[CatalogParent],
    parent_name: sa.ColumnElement[Any],
    narrowed: Sequence[sa.ColumnElement[bool]],
    most: int,
) -> dict[CatalogParent, AssetMembers]:
    key = [assets.c.project_id, assets.c.resource_uri, parent_name]
    group = key if parent_name is assets.c.parent_fqn else key[:2]
    order = [assets.c.ordinal_position.nulls_last(), assets.c.name]
    where = [
        assets.c.organization_id == organization_id,
        assets.c.project_id.in_({parent.project_id for parent in parents}),
        assets.c.resource_uri.in_({parent.resource_uri for parent in parents}),
        assets.c.deleted_at.is_(None),
        *narrowed,
    ]
    ranked = (
        sa.select(
            *answer_columns,
            *(column.label(f"k{at}") for at, column in enumerate(key)),
            sa.func.count().over(partition_by=group).label("total"),
            sa.func.row_number().over(partition_by=group, order_by=order).label("rank"),
        )
        .where(*where)
        .subquery()
    )
    rows = connection.execute(sa.select(ranked).where(ranked.c.rank <= most).order_by(ranked.c.rank)).all()
    asked = set(parents)
    items: dict[CatalogParent, list[AssetView]] = defaultdict(list)
    totals: dict[CatalogParent, int] = {}
    for row in rows:
        parent = CatalogParent(*row[WIDTH : WIDTH + 3])
        if parent in asked:
            items[parent].append(AssetView(tuple(row[:WIDTH])))
            totals[parent] = row[WIDTH + 3]
    return {
        parent: AssetMembers.model_construct(items=cast("Any", views), total=totals[parent])
        for parent, views in items.items()
    }


class AssetRows:
    """The assets that the catalog holds, as a list that parts can be read of (`windows.py`)."""

    table = assets

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection

    def select(self, scope: Scope) -> sa.Select[Any]:
        """Return what an asset is made of."""
        within = assets.c.organization_id == scope.organization_id
        return sa.select(*answer_columns).where(within, assets.c.deleted_at.is_(None))

    def resources(self, rows: Iterable[Sequence[Any]]) -> list[Any]:
        """The assets of rows."""
        return [AssetView(tuple(row[:WIDTH])) for row in rows]

    def ordered(self, order: Sequence[sa.ColumnElement[Any]] | None = None) -> list[sa.ColumnElement[Any]]:
        """The order of the catalog, or another one, in which the id breaks ties."""
        usual = (assets.c.ordinal_position.nulls_last(), assets.c.name)
        return [*(usual if order is None else order), assets.c.id]


def members_joined(wanted: Any) -> list[sa.ColumnElement[bool]]:
    """The assets directly below one, by project, resource and dotted name."""
    return [
        assets.c.project_id == wanted.k0,
        assets.c.resource_uri == wanted.k1,
        assets.c.parent_fqn == wanted.k2,
    ]


def named_assets(
    connection: sa.Connection, organization_id: str, names: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], MetadataAsset]:
    """Assets that the catalog holds, by project and dotted name."""
    found: dict[tuple[str, str], MetadataAsset] = {}
    for some in chunks(list(dict.fromkeys(names))):
        query = sa.select(*answer_columns).where(
            assets.c.organization_id == organization_id,
            assets.c.project_id.in_({project for project, _ in some}),
            assets.c.fully_qualified_name.in_({fqn for _, fqn in some}),
            assets.c.deleted_at.is_(None),
        )
        for row in connection.execute(query):
            asset = AssetView(tuple(row)).resource()
            found[asset.project_id, asset.fully_qualified_name] = asset
    return found


def named_below(fqn: str, name: str) -> str:
    """The dotted name of what stands below an asset under a name."""
    return str(Fqn.of(*Fqn.parse(fqn).parts, name))
