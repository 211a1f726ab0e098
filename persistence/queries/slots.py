"""Places at connections: asked for, given in the order of asking, renewed, given back. Each is one short transaction.

Asking and giving hold a lock of the connection, so that two processes never give the last place away twice. The
moments are the store's: on PostgreSQL its own clock, whatever the processes' clocks say.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from persistence.tables.slots import connection_slots

_slots = connection_slots.c


class SlotRepository:
    """The places at the connections of every tenant."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def ask(self, id: str, token: str, organization_id: str, uri: str, *, limit: int, lease: float) -> bool:
        """Ask for a place and take it if there is one; whether it was taken.

        Who asked under the same id before, and was killed, is followed by who asks now: in their place, or where they
        stood in the queue.
        """
        self._hold(organization_id, uri)
        now = self._now()
        until = now + timedelta(seconds=lease)
        self._drop_expired(organization_id, uri, now)
        followed = self._connection.execute(
            connection_slots.update().where(_slots.id == id).values(token=token, expires_at=until)
        )
        if not followed.rowcount:
            self._connection.execute(
                connection_slots.insert().values(
                    id=id, token=token, organization_id=organization_id, resource_uri=uri,
                    asked_at=now, held_at=None, expires_at=until,
                )
            )  # fmt: skip
        return self._given(id, organization_id, uri, limit, now)

    def again(self, id: str, token: str, organization_id: str, uri: str, *, limit: int, lease: float) -> bool | None:
        """Look whether there is a place by now, and take it; None for who has been followed by another beginning."""
        self._hold(organization_id, uri)
        now = self._now()
        if not self._renewed(id, token, now, lease):
            return None
        self._drop_expired(organization_id, uri, now)
        return self._given(id, organization_id, uri, limit, now)

    def turn(self, id: str, organization_id: str, uri: str, *, limit: int) -> bool:
        """Return whether asking again may have an end: one that only reads, and so can be asked often."""
        now = self._now()
        rows = self._rows(organization_id, uri)
        live = [row for row in rows if row.expires_at > now]
        if all(row.id != id for row in live):
            return True  # the lease is over: asking again says so
        return self._first(live, id, limit)

    def renew(self, id: str, token: str, *, lease: float) -> bool:
        """Go on holding or waiting; False for who has been followed, or whose place was given away."""
        return self._renewed(id, token, self._now(), lease)

    def give_back(self, id: str, token: str) -> None:
        """Leave a place, or the queue."""
        self._connection.execute(connection_slots.delete().where(_slots.id == id, _slots.token == token))

    def _given(self, id: str, organization_id: str, uri: str, limit: int, now: datetime) -> bool:
        rows = self._rows(organization_id, uri)
        mine = next((row for row in rows if row.id == id), None)
        if mine is None:
            return False
        if mine.held_at is not None:
            return True
        if not self._first(rows, id, limit):
            return False
        self._connection.execute(connection_slots.update().where(_slots.id == id).values(held_at=now))
        return True

    @staticmethod
    def _first(rows: list[Any], id: str, limit: int) -> bool:
        """Return whether one who waits is among those for whom there is room."""
        room = limit - sum(row.held_at is not None for row in rows)
        waiting = [row.id for row in rows if row.held_at is None]
        return id in waiting[: max(0, room)]

    def _rows(self, organization_id: str, uri: str) -> list[Any]:
        query = (
            sa.select(_slots.id, _slots.held_at, _slots.expires_at)
            .where(_slots.organization_id == organization_id, _slots.resource_uri == uri)
            .order_by(_slots.asked_at, _slots.id)
        )
        return list(self._connection.execute(query))

    def _renewed(self, id: str, token: str, now: datetime, lease: float) -> bool:
        mine = connection_slots.update().where(_slots.id == id, _slots.token == token)
        return bool(self._connection.execute(mine.values(expires_at=now + timedelta(seconds=lease))).rowcount)

    def _drop_expired(self, organization_id: str, uri: str, now: datetime) -> None:
        self._connection.execute(
            connection_slots.delete().where(
                _slots.organization_id == organization_id, _slots.resource_uri == uri, _slots.expires_at <= now
            )
        )

    def _hold(self, organization_id: str, uri: str) -> None:
        """Be the only one who gives places of this connection away until the transaction ends."""
        if self._connection.dialect.name == "postgresql":  # SQLite has one writer anyway
            key = sa.func.hashtextextended(f"{organization_id} {uri}", 14)
            self._connection.execute(sa.select(sa.func.pg_advisory_xact_lock(key)))

    def _now(self) -> datetime:
        if self._connection.dialect.name == "postgresql":
            moment: datetime = self._connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
            return moment
        return datetime.now(UTC)
