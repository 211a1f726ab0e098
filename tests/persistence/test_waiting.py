"""What waits is seen from the very moment on that it is due, on both stores."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
import sqlalchemy as sa

from persistence.columns import Moment
from persistence.engine import Database
from persistence.queries.waiting import deliveries_wait, events_wait, schedules_wait
from tests.support.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

NOW = datetime(2026, 3, 1, 9, 30, 15, 250_125, tzinfo=UTC)
BARE = sa.MetaData()
EVENTS = sa.Table("events", BARE, sa.Column("ordinal", sa.Integer), sa.Column("sequence", sa.Integer))
DELIVERIES = sa.Table(
    "webhook_deliveries",
    BARE,
    sa.Column("ordinal", sa.Integer),
    sa.Column("status", sa.String(16)),
    sa.Column("due_at", Moment),
)
SCHEDULES = sa.Table(
    "schedules",
    BARE,
    sa.Column("schedule_id", sa.String(36)),
    sa.Column("enabled", sa.Boolean),
    sa.Column("next_run_at", Moment),
)
"""The columns that are asked for, without all that a row of them needs."""


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """A store with bare tables."""
    url = f"sqlite:///{tmp_path / 'stoa.sqlite'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url").replace("postgresql://", "postgresql+psycopg://", 1)
    database = Database(url)
    await database.write(BARE.create_all)
    yield database
    await database.close()


async def test_an_event_waits_until_it_has_its_place(database: Database) -> None:
    await database.write(lambda connection: connection.execute(EVENTS.insert().values(ordinal=1, sequence=1)))
    assert not await events_wait(database)
    await database.write(lambda connection: connection.execute(EVENTS.insert().values(ordinal=2, sequence=None)))
    assert await events_wait(database)


async def test_a_delivery_waits_from_the_moment_on_that_it_is_due(database: Database) -> None:
    rows = [{"ordinal": 1, "status": "delivered", "due_at": NOW - timedelta(days=1)}]
    await database.write(lambda connection: connection.execute(DELIVERIES.insert(), rows))
    assert not await deliveries_wait(database, NOW)
    rows = [{"ordinal": 2, "status": "waiting", "due_at": NOW}]
    await database.write(lambda connection: connection.execute(DELIVERIES.insert(), rows))
    assert not await deliveries_wait(database, NOW - timedelta(microseconds=1))
    assert await deliveries_wait(database, NOW)
    assert await deliveries_wait(database, NOW.astimezone(timezone(timedelta(hours=9))))


async def test_a_schedule_waits_from_the_moment_on_that_it_is_due_if_it_is_enabled(database: Database) -> None:
    rows = [
        {"schedule_id": "off", "enabled": False, "next_run_at": NOW - timedelta(days=1)},
        {"schedule_id": "on", "enabled": True, "next_run_at": NOW.replace(microsecond=0)},
    ]
    await database.write(lambda connection: connection.execute(SCHEDULES.insert(), rows))
    assert not await schedules_wait(database, NOW.replace(microsecond=0) - timedelta(microseconds=1))
    assert await schedules_wait(database, NOW.replace(microsecond=0))
