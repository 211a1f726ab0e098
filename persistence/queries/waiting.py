"""Whether something waits to be done, asked so cheaply that every process can ask it each second.

The answers only say that it is worth looking: a yes may turn out to be nothing, and a no is a no.
"""

from datetime import UTC, datetime
from typing import Final

import sqlalchemy as sa

from persistence.engine import Database
from persistence.queries.asset_view import HotStatement
from persistence.tables.events import events
from persistence.tables.schedules import schedules
from persistence.tables.webhooks import webhook_deliveries
from schema.utils.webhook import DeliveryStatus

_EVENTS: Final = HotStatement(sa.select(events.c.ordinal).where(events.c.sequence.is_(None)).limit(1))
_DELIVERIES: Final = HotStatement(
    sa.select(webhook_deliveries.c.ordinal)
    .where(
        webhook_deliveries.c.status == str(DeliveryStatus.WAITING.value),
        webhook_deliveries.c.due_at <= sa.bindparam("now", type_=webhook_deliveries.c.due_at.type),
    )
    .limit(1)
)
_SCHEDULES: Final = HotStatement(
    sa.select(schedules.c.schedule_id)
    .where(schedules.c.enabled, schedules.c.next_run_at <= sa.bindparam("now", type_=schedules.c.next_run_at.type))
    .limit(1)
)


async def events_wait(database: Database) -> bool:
    """Return whether an event has no place yet. Raises DatabaseError."""
    return bool(await _EVENTS.glanced(database))


async def deliveries_wait(database: Database, now: datetime) -> bool:
    """Return whether a delivery is due by now, to whichever webhook. Raises DatabaseError."""
    return bool(await _DELIVERIES.glanced(database, now=_spelled(now)))


async def schedules_wait(database: Database, now: datetime) -> bool:
    """Return whether a schedule is due by now. Raises DatabaseError."""
    return bool(await _SCHEDULES.glanced(database, now=_spelled(now)))


def _spelled(moment: datetime) -> str:
    """A moment as both stores read it: SQLite compares texts, of which it keeps those without the zone."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f+00")
