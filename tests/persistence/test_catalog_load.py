"""New rows are made while the store takes them in: a failure on the way leaves nothing, and moments stay themselves."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.engine import Database
from persistence.queries.catalog_load import insert_rows, new_row
from persistence.queries.catalog_rows import recount
from persistence.repository import Scope
from persistence.tables import metadata
from persistence.tables.catalog import metadata_assets
from schema.utils.metadata_asset import AssetType
from tests.support.catalog import SCOPE, TABLES, URI, catalog_url, engine

__all__ = ["catalog_url", "engine"]

MOMENT = datetime(2026, 1, 1, 3, 0, 0, 250_125, tzinfo=timezone(timedelta(hours=9)))


def databases(count: int, broken_at: int | None = None) -> Iterator[dict[str, Any]]:
    for number in range(count):
        if number == broken_at:
            raise ValueError("the source broke off")
        how: dict[str, Any] = {"actor": "ann", "now": MOMENT, "reason": "made up", "values": {}}
        yield new_row(SCOPE, URI, ("main", f"db{number}"), AssetType.DATABASE, parent_id=None, **how)


def count(connection: sa.Connection) -> int:
    found: int = connection.execute(sa.select(sa.func.count()).select_from(metadata_assets)).scalar_one()
    return found


@pytest.mark.anyio
async def test_rows_that_cannot_all_be_made_leave_nothing_and_the_store_goes_on(catalog_url: str) -> None:
    database = Database(catalog_url, pool_size=1)
    try:
        await database.write(lambda connection: metadata.create_all(connection, tables=TABLES))
        with pytest.raises(ValueError, match="broke off"):
            await database.write(lambda connection: insert_rows(connection, databases(500, broken_at=400)))
        assert await database.read(count) == 0
        await database.write(lambda connection: insert_rows(connection, databases(300)))
        assert await database.read(count) == 300
    finally:
        await database.close()


def test_rows_that_cannot_all_be_made_leave_nothing_without_an_event_loop_either(engine: sa.Engine) -> None:
    with pytest.raises(ValueError, match="broke off"), engine.begin() as connection:
        insert_rows(connection, databases(500, broken_at=400))
    with engine.begin() as connection:
        assert count(connection) == 0
        insert_rows(connection, databases(3))
        assert count(connection) == 3


def test_moments_are_the_same_whatever_zone_they_or_the_session_are_in(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL TIME ZONE 'America/Lima'")
        insert_rows(connection, databases(1))
    with engine.connect() as connection:
        row = connection.execute(sa.select(metadata_assets)).one()
    assert row.created_at == row.updated_at == datetime(2025, 12, 31, 18, 0, 0, 250_125, tzinfo=UTC)
    assert row.deleted_at is None


def test_counting_again_reads_the_assets_named_and_not_their_project(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        insert_rows(connection, databases(2_000))
    with engine.begin() as connection:
        named = connection.execute(sa.select(metadata_assets.c.id).limit(3)).scalars().all()
        connection.execute(metadata_assets.update().values(children_total=7, table_count=7))
    with engine.begin() as connection:
        before = rows_read(connection)
        recount(connection, SCOPE, named)
        recount(connection, Scope("other", SCOPE.project_id), named)
        recount(connection, Scope(SCOPE.organization_id, "other"), named[:1])
        assert rows_read(connection) - before < 100
        counts = sa.select(metadata_assets.c.id).where(metadata_assets.c.children_total == 0)
        assert set(connection.execute(counts).scalars()) == set(named)
    with engine.begin() as connection:
        connection.execute(metadata_assets.update().values(children_total=7))
        recount(connection, Scope("other", SCOPE.project_id), named)
        recount(connection, Scope(SCOPE.organization_id, "other"), named)
        assert connection.execute(counts).all() == []


def rows_read(connection: sa.Connection) -> int:
    """How many rows of the catalog this transaction read, by PostgreSQL's own count; SQLite keeps none."""
    if connection.dialect.name != "postgresql":
        return 0
    read = "select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relname = 'metadata_assets'"
    found: int = connection.exec_driver_sql(read).scalar_one()
    return found
