"""How many assets a project has, from counts that every change of an asset keeps (`persistence/tables/counted.py`)."""

from typing import Any

import sqlalchemy as sa

from persistence.repository import Scope
from persistence.tables.catalog import catalog_counts


def standing_total(
    connection: sa.Connection, scope: Scope, *, resource_uri: str | None = None, asset_type: str | None = None
) -> int:
    """The exact number of assets that stand, of all or of one resource or type; those that were deleted left out."""
    counts = catalog_counts.c
    query: sa.Select[Any] = sa.select(sa.func.coalesce(sa.func.sum(counts.counted), 0)).where(
        counts.organization_id == scope.organization_id, counts.project_id == scope.project_id
    )
    if resource_uri is not None:
        query = query.where(counts.resource_uri == resource_uri)
    if asset_type is not None:
        query = query.where(counts.type == asset_type)
    return int(connection.execute(query).scalar_one())
