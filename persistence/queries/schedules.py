"""Schedules and their run records: claiming what is due, so that no moment is fired for twice and none is lost."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from persistence.queries.filters import with_text
from persistence.repository import Expected, Repository, Scope
from persistence.tables.schedules import schedule_runs, schedules
from schema.pagination import Page
from schema.utils.schedule import Schedule, ScheduleRun, ScheduleRunStatus

RECORDS_KEPT = 1000
"""How many run records a schedule keeps; those that still wait are kept besides."""

_SHOWN = {"schedule_id", "schedule_name", "schedule", "reference_id", "config", "enabled", "updated_by"}


class ScheduleRepository(Repository[Schedule]):
    """Schedules, whose timing and config are kept as JSON."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [schedules.c.schedule_name]
        super().__init__(connection, Schedule, schedules, key="schedule_id", noun="schedule", order=order)

    def listed(
        self, scope: Scope, *, offset: int, limit: int, search: str | None = None, **equals: Any
    ) -> Page[Schedule]:
        """One window of the schedules by name: those with a text in it."""
        where = with_text(search, schedules.c.schedule_name)
        return self.page(scope, offset=offset, limit=limit, where=where, **equals)

    def add(self, item: Schedule, **hidden: Any) -> Schedule:
        """Insert a schedule; `hidden` holds the stored caller."""
        values = item.model_dump(mode="python") | item.model_dump(mode="json", include={"schedule", "config"})
        item._revision = 1
        self._connection.execute(schedules.insert().values(**values, revision=1, **hidden))
        return item

    def remove_with_records(self, scope: Scope, schedule_id: str, *, expected: Expected = None) -> None:
        """Delete a schedule and its run records. Raises as `remove` does."""
        self.get(scope, schedule_id)
        self._connection.execute(schedule_runs.delete().where(schedule_runs.c.schedule_id == schedule_id))
        self.remove(scope, schedule_id, expected=expected)

    def of_configuration(self, scope: Scope, configuration_id: str) -> Schedule | None:
        """The schedule that is a part of a workflow configuration."""
        found = self.resources(
            self._connection.execute(self.select(scope).where(schedules.c.configuration_id == configuration_id)).all()
        )
        return found[0] if found else None

    def due(self, now: datetime, limit: int) -> list[tuple[Schedule, dict[str, Any]]]:
        """The schedules of all tenants whose time has come, the longest waiting first, each with its stored caller."""
        query = (
            sa.select(*self._columns, schedules.c.caller)
            .where(schedules.c.enabled, schedules.c.next_run_at <= now)
            .order_by(schedules.c.next_run_at, schedules.c.schedule_id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        rows = self._connection.execute(query).all()
        return list(zip(self.resources(rows), (row.caller for row in rows), strict=True))

    def advance(self, schedule: Schedule, *, fired: datetime | None, next_run_at: datetime | None) -> bool:
        """Move a schedule to its next moment; False when somebody else did so, or changed it, in the meantime."""
        moved = self._connection.execute(
            schedules.update()
            .where(
                schedules.c.schedule_id == schedule.schedule_id,
                schedules.c.next_run_at == schedule.next_run_at,
                schedules.c.revision == schedule._revision,
            )
            .values(next_run_at=next_run_at, **({} if fired is None else {"last_run_at": fired}))
        )
        return bool(moved.rowcount)


class ScheduleRunRepository(Repository[ScheduleRun]):
    """Run records of schedules."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [schedule_runs.c.scheduled_for.desc()]
        super().__init__(connection, ScheduleRun, schedule_runs, noun="schedule_run", order=order)

    def record(
        self, schedule: Schedule, caller: dict[str, Any], moment: datetime, now: datetime, *, missed: str | None = None
    ) -> str | None:
        """Write one firing down, waiting or (with a reason) as missed; its id, or None when it stands already."""
        known = sa.select(schedule_runs.c.id).where(
            schedule_runs.c.schedule_id == schedule.schedule_id, schedule_runs.c.scheduled_for == moment
        )
        if self._connection.execute(known).first() is not None:
            return None
        run_id = str(uuid4())
        self._connection.execute(
            schedule_runs.insert().values(
                id=run_id,
                organization_id=schedule.organization_id,
                project_id=schedule.project_id,
                schedule_id=schedule.schedule_id,
                status=ScheduleRunStatus.PENDING if missed is None else ScheduleRunStatus.FAILURE,
                schedule=schedule.model_dump(mode="json", include=_SHOWN),
                scheduled_for=moment,
                created_at=now,
                completed_at=None if missed is None else now,
                error=missed,
                caller=caller,
            )
        )
        return run_id

    def prune(self, schedule_id: str) -> None:
        """Forget the oldest records beyond those that are kept."""
        oldest_kept = (
            sa.select(schedule_runs.c.scheduled_for)
            .where(schedule_runs.c.schedule_id == schedule_id)
            .order_by(schedule_runs.c.scheduled_for.desc())
            .offset(RECORDS_KEPT - 1)
            .limit(1)
            .scalar_subquery()
        )
        self._connection.execute(
            schedule_runs.delete().where(
                schedule_runs.c.schedule_id == schedule_id,
                schedule_runs.c.status != ScheduleRunStatus.PENDING,
                schedule_runs.c.scheduled_for < oldest_kept,
            )
        )

    def waiting(self, limit: int) -> Sequence[str]:
        """The firings of all tenants that are not over, the oldest first."""
        query = (
            sa.select(schedule_runs.c.id)
            .where(schedule_runs.c.status == ScheduleRunStatus.PENDING)
            .order_by(schedule_runs.c.created_at)
            .limit(limit)
        )
        return self._connection.execute(query).scalars().all()

    def begun(self, run_id: str, now: datetime) -> tuple[ScheduleRun, dict[str, Any]] | None:
        """Note that a waiting firing is carried out; the firing and its stored caller, or None when it is over."""
        self._connection.execute(
            schedule_runs.update()
            .where(
                schedule_runs.c.id == run_id,
                schedule_runs.c.status == ScheduleRunStatus.PENDING,
                schedule_runs.c.started_at.is_(None),
            )
            .values(started_at=now)
        )
        row = self._connection.execute(
            sa.select(*self._columns, schedule_runs.c.caller).where(
                schedule_runs.c.id == run_id, schedule_runs.c.status == ScheduleRunStatus.PENDING
            )
        ).one_or_none()
        return None if row is None else (self.resources([row])[0], row.caller)

    def end(self, run_id: str, status: ScheduleRunStatus, now: datetime, **values: Any) -> None:
        """Give a waiting firing its outcome; one that has its outcome keeps it."""
        self._connection.execute(
            schedule_runs.update()
            .where(schedule_runs.c.id == run_id, schedule_runs.c.status == ScheduleRunStatus.PENDING)
            .values(status=status, completed_at=now, **values)
        )
