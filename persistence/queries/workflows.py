"""Workflow configurations and their runs; steps are written with conditions, so that doing one twice is harmless."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from persistence.queries.events import Happening, tell
from persistence.queries.filters import with_text
from persistence.queries.pipelines import at_or_below, follow_run
from persistence.queries.run_tasks import NOTHING_YET, OPEN
from persistence.repository import Repository, Scope
from persistence.tables.data_readiness import run_targets, workflow_configurations, workflow_runs
from schema.data_readiness.violation import Severity
from schema.data_readiness.workflow import WorkflowConfiguration, WorkflowType
from schema.data_readiness.workflow_run import RunProgress, RunStatus, WorkflowRun
from schema.identifiers import Fqn, join_fqn
from schema.pagination import Page
from schema.utils.event import EventType

RETRIABLE = (RunStatus.FAILED,)

MOST_TOLD = 500
"""How many letters of a run's error an event tells."""


def ancestry(fqn: str) -> list[str]:
    """A dotted name and every name above it: a run on any of them covers it."""
    parts = Fqn.parse(fqn).parts
    return [join_fqn(parts[:end]) for end in range(1, len(parts) + 1)]


def runs_covering(fqn: str) -> sa.ColumnElement[bool]:
    """The runs that work on an asset, because they work on it or on something above it."""
    return workflow_runs.c.id.in_(
        sa.select(run_targets.c.run_id).where(
            run_targets.c.organization_id == workflow_runs.c.organization_id,
            run_targets.c.project_id == workflow_runs.c.project_id,
            run_targets.c.target_fqn.in_(ancestry(fqn)),
        )
    )


class ConfigurationRepository(Repository[WorkflowConfiguration]):
    """Workflow configurations. A deleted one is found by its runs alone."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [workflow_configurations.c.created_at.desc()]
        super().__init__(
            connection, WorkflowConfiguration, workflow_configurations, noun="workflow_configuration", order=order
        )
        self._columns.append(workflow_configurations.c.authors)

    def resources(self, rows: Iterable[Sequence[Any]]) -> list[WorkflowConfiguration]:
        """Make configurations of rows, each with who wrote it as its row says."""
        taken = list(rows)
        made = super().resources(taken)
        for configuration, row in zip(made, taken, strict=True):
            configuration._authors = row[len(self._names) + 1]
        return made

    def _within(self, scope: Scope) -> list[sa.ColumnElement[bool]]:
        return [*super()._within(scope), workflow_configurations.c.deleted_at.is_(None)]

    def listed(
        self, scope: Scope, *, offset: int, limit: int, search: str | None = None, **equals: Any
    ) -> Page[WorkflowConfiguration]:
        """One window of the configurations, newest first: those with a text in their name or description."""
        where = with_text(search, workflow_configurations.c.name, workflow_configurations.c.description)
        return self.page(scope, offset=offset, limit=limit, where=where, **equals)

    def held(self, scope: Scope, id: str) -> WorkflowConfiguration:
        """One configuration, which nobody else changes until this transaction ends. Raises NotFound."""
        found = self.resources(
            self._connection.execute(
                self.select(scope).where(workflow_configurations.c.id == id).with_for_update()
            ).all()
        )
        return found[0] if found else self.get(scope, id)

    def get_deleted_too(self, scope: Scope, id: str) -> WorkflowConfiguration:
        """One configuration, also when it was deleted. Raises NotFound."""
        query = sa.select(*self._columns).where(*super()._within(scope), workflow_configurations.c.id == id)
        found = self.resources(self._connection.execute(query).all())
        return found[0] if found else self.get(scope, id)

    def hide(self, scope: Scope, id: str, at: datetime) -> None:
        """Mark a configuration as deleted; its runs stay."""
        self._connection.execute(
            workflow_configurations.update()
            .where(*self._within(scope), workflow_configurations.c.id == id)
            .values(deleted_at=at, is_default=False, revision=workflow_configurations.c.revision + 1)
        )

    def take_default(self, scope: Scope, kind: WorkflowType, keep: str) -> None:
        """Take the mark of being the default from every other configuration of a type."""
        self._connection.execute(
            workflow_configurations.update()
            .where(
                *self._within(scope),
                workflow_configurations.c.workflow_type == kind,
                workflow_configurations.c.is_default.is_(True),
                workflow_configurations.c.id != keep,
            )
            .values(is_default=False, revision=workflow_configurations.c.revision + 1)
        )


class RunRepository(Repository[WorkflowRun]):
    """Workflow runs, with what their FQN and times say."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [workflow_runs.c.created_at.desc()]
        super().__init__(connection, WorkflowRun, workflow_runs, noun="workflow_run", order=order)

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """Derive the parts of the FQN and the duration; `RunTaskRepository.beside` fills in tasks and progress."""
        parts = [*(Fqn.parse(values["asset_fqn"]).parts if values["asset_fqn"] else ()), None, None, None, None]
        start, end = values["started_at"], values["completed_at"]
        return values | {
            "service_name": parts[0],
            "database_name": parts[1],
            "schema_name": parts[2],
            "table_name": parts[3],
            "duration_seconds": (end - start).total_seconds() if start and end else None,
            "tasks": [],
            "progress": RunProgress(**NOTHING_YET),
        }

    def begin(
        self,
        scope: Scope,
        run_id: str,
        configuration: WorkflowConfiguration,
        given: Mapping[str, Any],
        targets: Sequence[str],
        *,
        output: Mapping[str, Any],
        caller: Mapping[str, Any],
        now: datetime,
    ) -> None:
        """Write a run down that waits, with what it works on."""
        tenant = {"organization_id": scope.organization_id, "project_id": scope.project_id}
        self._connection.execute(
            workflow_runs.insert().values(
                id=run_id,
                configuration_id=configuration.id,
                status=RunStatus.PENDING,
                workflow_name=configuration.name,
                workflow_type=configuration.workflow_type,
                asset_fqn=given["asset_fqn"],
                save_all=given["save_all"],
                created_at=now,
                started_at=now,
                input=dict(given),
                output=dict(output),
                caller=dict(caller),
                revision=1,
                **tenant,
            )
        )
        if targets:
            self._connection.execute(
                run_targets.insert(), [{"run_id": run_id, "target_fqn": target, **tenant} for target in targets]
            )

    def listed(
        self,
        scope: Scope,
        *,
        offset: int,
        limit: int,
        at_or_under: str | None = None,
        covers: str | None = None,
        started_after: datetime | None = None,
        started_before: datetime | None = None,
        **equals: Any,
    ) -> Page[WorkflowRun]:
        """One window of the runs, newest first.

        Those limited to a name `at_or_under` a dotted name, or those whose work `covers` an asset, because they are on
        it or on something above it; that started at a moment or later, and before another one.
        """
        where: list[sa.ColumnElement[bool]] = []
        if at_or_under is not None:
            where.append(at_or_below(workflow_runs.c.asset_fqn, at_or_under))
        if covers is not None:
            where.append(runs_covering(covers))
        if started_after is not None:
            where.append(workflow_runs.c.started_at >= started_after)
        if started_before is not None:
            where.append(workflow_runs.c.started_at < started_before)
        return self.page(scope, offset=offset, limit=limit, where=where, **equals)

    def open_everywhere(self, limit: int) -> list[tuple[str, int]]:
        """The runs of all tenants that are not over, with the attempt that stands, the oldest first."""
        query = (
            sa.select(workflow_runs.c.id, workflow_runs.c.attempt)
            .where(workflow_runs.c.status.in_(OPEN))
            .order_by(workflow_runs.c.created_at)
            .limit(limit)
        )
        return [(run_id, attempt) for run_id, attempt in self._connection.execute(query)]

    def latest_of(
        self, scope: Scope, types: Sequence[WorkflowType], as_of: datetime | None, limit: int
    ) -> dict[str, str]:
        """The latest runs of some types, until a moment if it is given: their ids with their types."""
        run = workflow_runs.c
        query = sa.select(run.id, run.workflow_type).where(
            *self._within(scope), run.workflow_type.in_(types), *([] if as_of is None else [run.created_at <= as_of])
        )
        rows = self._connection.execute(query.order_by(run.created_at.desc(), run.id).limit(limit))
        return {id: kind for id, kind in rows}

    def caller_of(self, run_id: str) -> dict[str, Any] | None:
        """Return who triggered a run, for the worker that carries it out."""
        return self._connection.execute(
            sa.select(workflow_runs.c.caller).where(workflow_runs.c.id == run_id)
        ).scalar_one_or_none()

    def attempt_of(self, run_id: str) -> int:
        """Return which attempt at a run stands; the first is 1."""
        attempt: int = self._connection.execute(
            sa.select(workflow_runs.c.attempt).where(workflow_runs.c.id == run_id)
        ).scalar_one()
        return attempt

    def open_of(self, scope: Scope, configuration_id: str) -> str | None:
        """The id of a run of a configuration that is not over, or None."""
        return self._connection.execute(
            sa.select(workflow_runs.c.id)
            .where(
                *self._within(scope),
                workflow_runs.c.configuration_id == configuration_id,
                workflow_runs.c.status.in_(OPEN),
            )
            .limit(1)
        ).scalar_one_or_none()

    def held(self, scope: Scope, run_id: str) -> WorkflowRun:
        """One run, which nobody else changes until this transaction ends. Raises NotFound."""
        self._connection.execute(
            sa.select(workflow_runs.c.id).where(*self._within(scope), workflow_runs.c.id == run_id).with_for_update()
        )
        return self.get(scope, run_id)

    def is_open(self, scope: Scope, run_id: str) -> bool:
        """Return whether a run is not over, and will not be before this transaction ends."""
        query = sa.select(workflow_runs.c.status).where(*self._within(scope), workflow_runs.c.id == run_id)
        return self._connection.execute(query.with_for_update(read=True)).scalar_one_or_none() in OPEN

    def tell(self, scope: Scope, run_id: str, output: Mapping[str, Any]) -> None:
        """Say more about what a run came to."""
        self._connection.execute(
            workflow_runs.update()
            .where(*self._within(scope), workflow_runs.c.id == run_id)
            .values(output=dict(output), revision=workflow_runs.c.revision + 1)
        )

    def reopen(self, scope: Scope, run_id: str, *, caller: Mapping[str, Any]) -> int | None:
        """Let a run wait again of which something failed; the number of the attempt that begins, or None for others.

        A pipeline completes with what failed told in its message, and can be tried again as one that failed.
        """
        values: dict[str, Any] = {"completed_at": None, "error_message": None, "caller": dict(caller)}
        attempt = workflow_runs.c.attempt + 1
        run = self.held(scope, run_id)
        with_errors = run.status is RunStatus.COMPLETED and run.error_message is not None
        from_ = (*RETRIABLE, RunStatus.COMPLETED) if with_errors else RETRIABLE
        if not self.move(scope, run_id, RunStatus.PENDING, only_from=from_, attempt=attempt, **values):
            return None
        return self.attempt_of(run_id)

    def go_on(self, scope: Scope, run_id: str) -> None:
        """Hand a running run on to its next attempt, which takes up the tasks that wait."""
        self._connection.execute(
            workflow_runs.update()
            .where(*self._within(scope), workflow_runs.c.id == run_id, workflow_runs.c.status.in_(OPEN))
            .values(attempt=workflow_runs.c.attempt + 1, revision=workflow_runs.c.revision + 1)
        )

    def move(
        self,
        scope: Scope,
        run_id: str,
        to: RunStatus,
        *,
        only_from: Sequence[RunStatus],
        of_attempt: int | None = None,
        **values: Any,
    ) -> bool:
        """Move a run to another status if it stands in one of `only_from`; whether it moved. Its pipeline follows.

        `of_attempt` leaves the run alone when another attempt at it has begun: the job of the one before may have
        been cut off after it closed the run, and begins its last step again.
        """
        where = [*self._within(scope), workflow_runs.c.id == run_id, workflow_runs.c.status.in_(only_from)]
        if of_attempt is not None:
            where.append(workflow_runs.c.attempt == of_attempt)
        moved = self._connection.execute(
            workflow_runs.update().where(*where).values(status=to, revision=workflow_runs.c.revision + 1, **values)
        )
        if moved.rowcount:
            follow_run(self._connection, run_id, to, values.get("completed_at"))
            if to not in OPEN:
                self._tell_end(scope, run_id, to)
        return bool(moved.rowcount)

    def goes_on(self, scope: Scope, run_id: str, *, of_attempt: int, at: datetime) -> bool:
        """Let an attempt at an open run be under way, and tell of it the first time; whether it is."""
        begins = self.move(scope, run_id, RunStatus.RUNNING, only_from=(RunStatus.PENDING,), of_attempt=of_attempt)
        if begins:
            run = self.get(scope, run_id)
            started = Happening(EventType.RUN_STARTED, run.asset_fqn, data=_said_of(run, RunStatus.RUNNING))
            tell(self._connection, scope, at, [started])
        return begins or self.move(
            scope, run_id, RunStatus.RUNNING, only_from=(RunStatus.RUNNING,), of_attempt=of_attempt
        )

    def _tell_end(self, scope: Scope, run_id: str, to: RunStatus) -> None:
        run = self.get(scope, run_id)
        said = _said_of(run, to) | {
            "error_message": None if run.error_message is None else run.error_message[:MOST_TOLD]
        }
        severity = Severity.HIGH if to is RunStatus.FAILED else None
        assert run.completed_at is not None  # which every end is stamped with
        tell(self._connection, scope, run.completed_at, [Happening(EventType.RUN_ENDED, run.asset_fqn, severity, said)])


def _said_of(run: WorkflowRun, status: RunStatus) -> dict[str, Any]:
    """Return what the events of a run say of it."""
    return {
        "run_id": run.id,
        "configuration_id": run.configuration_id,
        "workflow_name": run.workflow_name,
        "workflow_type": run.workflow_type.value,
        "status": status.value,
    }
