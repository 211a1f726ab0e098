"""Events: told inside the transaction that makes them true, then put into an order, listed and read on.

A row is written first without a place, and gets the next place of its project once its transaction has ended. So a
reader that goes on after a place misses nothing: whatever becomes visible later stands later. One process at a time
gives places.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.filters import at_or_under, in_window
from persistence.repository import Repository, Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.events import event_heads, events
from schema.data_readiness.violation import Severity
from schema.identifiers import Fqn, join_fqn
from schema.pagination import Page
from schema.utils.event import EventType, PlatformEvent

DOMAIN_TAG: Final = "domain."
"""What a tag begins with, in whatever case, that says which domain an asset belongs to."""
SEQUENCER: Final = 0x53544F41_45560001
"""The key of PostgreSQL's lock under which places are given."""


@dataclass(frozen=True, slots=True)
class Happening:
    """What has become true. `data` is plain JSON: names and figures, never rows of a source."""

    type: EventType
    asset_fqn: str | None = None
    severity: Severity | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    only_for: str | None = None
    """The id of the one webhook that it goes to."""


def tell(connection: sa.Connection, scope: Scope, at: datetime, happenings: Iterable[Happening]) -> list[str]:
    """Write events down in the transaction of the connection: they stand when it commits, and never without it.

    Answers their ids.
    """
    if scope.project_id is None:
        raise ValueError("events belong to a project")
    rows: list[dict[str, Any]] = [
        {
            "id": str(uuid4()),
            "organization_id": scope.organization_id,
            "project_id": scope.project_id,
            "type": one.type.value,
            "asset_fqn": one.asset_fqn,
            "severity": one.severity,
            "occurred_at": at,
            "data": dict(one.data),
            "only_for": one.only_for,
        }
        for one in happenings
    ]
    if rows:
        connection.execute(events.insert(), rows)
    return [row["id"] for row in rows]


class EventRepository(Repository[PlatformEvent]):
    """Events that have their place."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, PlatformEvent, events, noun="event", order=[events.c.sequence.desc()])

    def _within(self, scope: Scope) -> list[sa.ColumnElement[bool]]:
        return [*super()._within(scope), events.c.sequence.is_not(None)]

    def tell(self, scope: Scope, at: datetime, *happenings: Happening) -> list[str]:
        """Write events down, as part of this transaction; their ids."""
        return tell(self._connection, scope, at, happenings)

    def listed(
        self,
        scope: Scope,
        *,
        offset: int,
        limit: int,
        types: Collection[EventType] | None = None,
        at_or_below: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        **equals: Any,
    ) -> Page[PlatformEvent]:
        """One window of a project's events, the latest first."""
        where = in_window(events.c.occurred_at, since, until)
        if types is not None:
            where.append(events.c.type.in_(sorted(types)))
        if at_or_below is not None:
            where += at_or_under(events.c.asset_fqn, at_or_below)
        return self.page(scope, offset=offset, limit=limit, where=where, **equals)

    def data_since(self, scope: Scope, type: EventType, since: datetime, most: int) -> list[Mapping[str, Any]]:
        """Return what the latest events of a type told, also those that wait for their place."""
        table = events.c
        query = (
            sa.select(table.data)
            .where(
                table.organization_id == scope.organization_id,
                table.project_id == scope.project_id,
                table.type == type.value,
                table.occurred_at > since,
            )
            .order_by(table.ordinal.desc())
            .limit(most)
        )
        return list(self._connection.execute(query).scalars())

    def after(self, scope: Scope, sequence: int, most: int) -> list[PlatformEvent]:
        """The next events of a project after a place, in order."""
        query = self.select(scope).where(events.c.sequence > sequence).order_by(events.c.sequence).limit(most)
        return self.resources(self._connection.execute(query).all())

    def of_ids(self, ids: Sequence[str]) -> dict[str, PlatformEvent]:
        """Events of whatever tenant by their ids, for their delivery."""
        found: dict[str, PlatformEvent] = {}
        for some in chunks(sorted(ids)):
            query = sa.select(*self._columns).where(events.c.id.in_(some))
            found |= {event.id: event for event in self.resources(self._connection.execute(query).all())}
        return found

    def last_sequence(self, scope: Scope) -> int:
        """The place of the latest event of a project; 0 before the first."""
        head = sa.select(event_heads.c.last_sequence).where(
            event_heads.c.organization_id == scope.organization_id, event_heads.c.project_id == scope.project_id
        )
        return int(self._connection.execute(head).scalar_one_or_none() or 0)

    def give_places(self, most: int) -> list[tuple[PlatformEvent, str | None]]:
        """Give the next events their places, and say which they are, each with the one webhook that it is for.

        Nothing while another process does it. What one transaction wrote after another had ended comes after it.
        """
        if not self._alone():
            return []
        table = events.c
        waiting = self._connection.execute(
            sa.select(table.ordinal, table.id, table.organization_id, table.project_id, table.asset_fqn, table.only_for)
            .where(table.sequence.is_(None))
            .order_by(table.ordinal)
            .limit(most)
        ).all()
        projects: dict[Scope, list[Any]] = {}
        for row in waiting:
            projects.setdefault(Scope(row.organization_id, row.project_id), []).append(row)
        for scope, rows in projects.items():
            start = self._advance(scope, len(rows))
            domains = self._domains(scope, {row.asset_fqn for row in rows if row.asset_fqn})
            self._connection.execute(
                events.update()
                .where(table.ordinal == sa.bindparam("at"))
                .values(sequence=sa.bindparam("place"), domain=sa.bindparam("of")),
                [
                    {"at": row.ordinal, "place": start + index, "of": domains.get(row.asset_fqn)}
                    for index, row in enumerate(rows, 1)
                ],
            )
        placed = self.of_ids([row.id for row in waiting])
        return [(placed[row.id], row.only_for) for row in waiting]

    def forget(self, before: datetime, most: int) -> int:
        """Remove the oldest events of all tenants that happened before a moment; how many."""
        old = (
            sa.select(events.c.ordinal)
            .where(events.c.occurred_at < before, events.c.sequence.is_not(None))
            .order_by(events.c.occurred_at)
            .limit(most)
        )
        return self._connection.execute(events.delete().where(events.c.ordinal.in_(old))).rowcount

    def _alone(self) -> bool:
        if self._connection.dialect.name != "postgresql":
            return True  # SQLite has one writer
        locked: bool = self._connection.execute(sa.select(sa.func.pg_try_advisory_xact_lock(SEQUENCER))).scalar_one()
        return locked

    def _advance(self, scope: Scope, by: int) -> int:
        """Take the next places of a project; the last one taken before."""
        before, heads = self.last_sequence(scope), event_heads.c
        if before:
            self._connection.execute(
                event_heads.update()
                .where(heads.organization_id == scope.organization_id, heads.project_id == scope.project_id)
                .values(last_sequence=before + by)
            )
        else:
            self._connection.execute(
                event_heads.insert().values(
                    organization_id=scope.organization_id, project_id=scope.project_id, last_sequence=by
                )
            )
        return before

    def _domains(self, scope: Scope, fqns: Collection[str]) -> dict[str, str]:
        """The domain of each asset that has one: its own, or that of the nearest that it is in."""
        above = {fqn: _ancestry(fqn) for fqn in fqns}
        said: dict[str, str] = {}
        asset = metadata_assets.c
        for some in chunks(sorted({one for names in above.values() for one in names})):
            query = sa.select(asset.fully_qualified_name, asset.tags).where(
                asset.organization_id == scope.organization_id,
                asset.project_id == scope.project_id,
                asset.fully_qualified_name.in_(some),
                asset.deleted_at.is_(None),
            )
            for fqn, tags in self._connection.execute(query):
                names = [str(tag["tag_fqn"]) for tag in tags or () if isinstance(tag, Mapping) and "tag_fqn" in tag]
                found = [name for name in names if name.lower().startswith(DOMAIN_TAG) and len(name) > len(DOMAIN_TAG)]
                if found:
                    said[fqn] = found[0][len(DOMAIN_TAG) :][:255]
        nearest = {fqn: next((said[one] for one in names if one in said), None) for fqn, names in above.items()}
        return {fqn: domain for fqn, domain in nearest.items() if domain is not None}


def _ancestry(fqn: str) -> list[str]:
    """A dotted name and every name above it, the nearest first; nothing of a text that is none."""
    try:
        parts = Fqn.parse(fqn).parts
    except ValueError:
        return []
    return [join_fqn(parts[:end]) for end in range(len(parts), 0, -1)]
