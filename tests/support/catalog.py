"""What tests of the catalog share: both stores, and a small way to say what a source holds."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.repository import Scope
from persistence.tables import metadata
from persistence.tables.catalog import (
    catalog_counts,
    catalog_revisions,
    counted_catalog,
    metadata_assets,
    metadata_versions,
    revised_catalog,
)
from persistence.tables.events import events
from schema.utils.metadata_asset import AssetType
from schema.utils.source_asset import SourceAsset

SCOPE = Scope("acme", "shop")
URI = "data:acme:shop:main"
TABLES = [metadata_assets, metadata_versions, catalog_counts, catalog_revisions, events]


def create_catalog(connection: sa.Connection) -> None:
    """Make the catalog's tables, with what counts its assets and tells of their changes."""
    metadata.create_all(connection, tables=TABLES)
    for kept in (counted_catalog, revised_catalog):
        for statement in kept.created(connection.dialect.name):
            connection.exec_driver_sql(statement)


def day(number: int) -> datetime:
    """A moment of a test's own calendar."""
    return datetime(2026, 1, number, 12, tzinfo=UTC)


def source(tables: Mapping[str, Mapping[str, Any]], **about_tables: Mapping[str, Any]) -> list[SourceAsset]:
    """A source `db.public` with tables: {table: {column: type, or a mapping of fields}}."""
    said = [SourceAsset(AssetType.DATABASE, ("db",)), SourceAsset(AssetType.DATABASE_SCHEMA, ("db", "public"))]
    for table, columns in tables.items():
        more = about_tables.get(table, {})
        said.append(SourceAsset(AssetType.TABLE, ("db", "public", table), **{"table_type": "TABLE", **more}))
        for position, (column, fields) in enumerate(columns.items(), start=1):
            values = {"data_type": fields} if isinstance(fields, str) else dict(fields)
            said.append(
                SourceAsset(
                    AssetType.COLUMN, ("db", "public", table, column), **{"ordinal_position": position, **values}
                )
            )
    return said


@pytest.fixture(params=["sqlite", "postgresql"])
def catalog_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store of either kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'catalog.sqlite'}"
    url: str = request.getfixturevalue("postgres_url")
    return url.replace("postgresql://", "postgresql+psycopg://", 1)


@pytest.fixture
def engine(catalog_url: str) -> Iterator[sa.Engine]:
    """A store that has the catalog's tables, used without an event loop."""
    engine = sa.create_engine(catalog_url)
    with engine.begin() as connection:
        create_catalog(connection)
    yield engine
    engine.dispose()
