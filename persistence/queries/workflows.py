"""Configurations, runs and their tasks; steps are written with conditions, so that doing one twice is harmless."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.pipelines import follow_run
from persistence.repository import Repository, Scope
from persistence.tables.data_readiness import run_targets, run_tasks, workflow_configurations, workflow_runs
from schema.data_readiness.workflow import WorkflowConfiguration, WorkflowType
from schema.data_readiness.workflow_run import TASKS_SHOWN, RunProgress, RunStatus, RunTask, TaskStatus, WorkflowRun
from schema.identifiers import Fqn

OPEN = (RunStatus.PENDING, RunStatus.RUNNING)
RETRIABLE = (RunStatus.FAILED,)
_NOTHING_YET: Mapping[str, Any] = {
    **dict.fromkeys(("tasks", "pending", "running", "waiting", "completed", "failed", "skipped"), 0),
    "rows_done": None,
    "rows_total": None,
}


def at_or_below(column: sa.ColumnElement[str], fqn: str) -> sa.ColumnElement[bool]:
    """Whether a dotted name is the given one or stands below it."""
    return sa.or_(column == fqn, column.startswith(f"{fqn}.", autoescape=True))


class ConfigurationShelf(Repository[WorkflowConfiguration]):
    """Workflow configurations. A deleted one is found by its runs alone."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, WorkflowConfiguration, workflow_configurations, noun="workflow_configuration")
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


class RunShelf(Repository[WorkflowRun]):
    """Workflow runs, with what their FQN and times say."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, WorkflowRun, workflow_runs, noun="workflow_run")

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """Derive the parts of the FQN and the duration; `RunTaskShelf.beside` fills in the tasks and the progress."""
        parts = [*(Fqn.parse(values["asset_fqn"]).parts if values["asset_fqn"] else ()), None, None, None, None]
        start, end = values["started_at"], values["completed_at"]
        return values | {
            "service_name": parts[0],
            "database_name": parts[1],
            "schema_name": parts[2],
            "table_name": parts[3],
            "duration_seconds": (end - start).total_seconds() if start and end else None,
            "tasks": [],
            "progress": RunProgress(**_NOTHING_YET),
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

    def caller_of(self, run_id: str) -> dict[str, Any] | None:
        """Who triggered a run, for the worker that carries it out."""
        return self._connection.execute(
            sa.select(workflow_runs.c.caller).where(workflow_runs.c.id == run_id)
        ).scalar_one_or_none()

    def attempt_of(self, run_id: str) -> int:
        """Which attempt at a run stands; the first is 1."""
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
        """Whether a run is not over, and will not be before this transaction ends."""
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
        return bool(moved.rowcount)


class RunTaskShelf(Repository[RunTask]):
    """Tasks of runs."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, RunTask, run_tasks, noun="run_task")

    def beside(self, scope: Scope, runs: Sequence[WorkflowRun]) -> list[WorkflowRun]:
        """The runs with their first tasks and their progress, in two statements."""
        ids = [run.id for run in runs]
        if not ids:
            return []
        tasks, progress = self.of_runs(scope, ids, TASKS_SHOWN), self.progress(scope, ids)
        return [run.model_copy(update={"tasks": tasks[run.id], "progress": progress[run.id]}) for run in runs]

    def progress(self, scope: Scope, run_ids: Sequence[str]) -> dict[str, RunProgress]:
        """How far runs have come."""
        table = run_tasks.c
        query = (
            sa.select(
                table.run_id,
                table.status,
                sa.func.count(),
                sa.func.count(table.waits_for),
                sa.func.sum(table.rows_done),
                sa.func.sum(table.rows_total),
            )
            .where(*self._within(scope), table.run_id.in_(run_ids))
            .group_by(table.run_id, table.status)
        )
        found = {run_id: dict(_NOTHING_YET) for run_id in run_ids}
        for run_id, status, tasks, waiting, done, total in self._connection.execute(query):
            of = found[run_id]
            of["tasks"] += tasks
            of["waiting"] += waiting
            if status in of:
                of[status] += tasks
            for name, rows in (("rows_done", done), ("rows_total", total)):
                if rows is not None:
                    of[name] = (of[name] or 0) + int(rows)
        return {run_id: RunProgress(**values) for run_id, values in found.items()}

    def of_runs(self, scope: Scope, run_ids: Sequence[str], limit: int) -> dict[str, list[RunTask]]:
        """The first tasks of many runs, in one statement."""
        rank = sa.func.row_number().over(partition_by=run_tasks.c.run_id, order_by=run_tasks.c.position).label("rank")
        ranked = sa.select(*self._columns, rank).where(*self._within(scope), run_tasks.c.run_id.in_(run_ids)).subquery()
        query = sa.select(*list(ranked.c)[:-1]).where(ranked.c.rank <= limit).order_by(ranked.c.run_id, ranked.c.rank)
        found: dict[str, list[RunTask]] = {run_id: [] for run_id in run_ids}
        for task in self.resources(self._connection.execute(query).all()):
            found[task.run_id].append(task)
        return found

    def move(self, task_id: str, to: RunStatus | TaskStatus, *, only_from: Sequence[RunStatus], **values: Any) -> bool:
        """Move a task to another status if it stands in one of `only_from`; whether it moved."""
        moved = self._connection.execute(
            run_tasks.update()
            .where(run_tasks.c.id == task_id, run_tasks.c.status.in_(only_from))
            .values(status=to, revision=run_tasks.c.revision + 1, **values)
        )
        return bool(moved.rowcount)

    def close_open(self, scope: Scope, run_id: str, to: RunStatus, at: datetime) -> None:
        """Give every task of a run that has not ended a final status."""
        close = (
            run_tasks.update()
            .where(*self._within(scope), run_tasks.c.run_id == run_id, run_tasks.c.status.in_(OPEN))
            .values(status=to, completed_at=at, waits_for=None, revision=run_tasks.c.revision + 1)
        )
        self._connection.execute(close)

    def reopen(self, scope: Scope, run_id: str) -> None:
        """Let the failed tasks of a run wait again, and those that build on the others; of none the skipped ones."""
        again_if = RunStatus.FAILED if self.counts(run_id).get(RunStatus.FAILED) else TaskStatus.SKIPPED
        done = self.planned(run_id, RunStatus.COMPLETED)
        following = [position for position, arguments in done if arguments.get("follows")]
        again = [
            run_tasks.c.status == again_if,
            *(run_tasks.c.position.in_(some) for some in chunks(following)),
        ]
        self._connection.execute(
            run_tasks.update()
            .where(*self._within(scope), run_tasks.c.run_id == run_id, sa.or_(*again))
            .values(
                status=RunStatus.PENDING,
                started_at=None,
                completed_at=None,
                error_message=None,
                counts={},
                revision=run_tasks.c.revision + 1,
            )
        )

    def planned(self, run_id: str, status: RunStatus | TaskStatus | None = None) -> list[tuple[int, dict[str, Any]]]:
        """The tasks of a run, those in a status if one is named, as (position, what it was planned with)."""
        query = (
            sa.select(run_tasks.c.position, run_tasks.c.arguments)
            .where(run_tasks.c.run_id == run_id, run_tasks.c.arguments.is_not(None))
            .order_by(run_tasks.c.position)
        )
        if status is not None:
            query = query.where(run_tasks.c.status == status)
        return [(position, arguments) for position, arguments in self._connection.execute(query)]

    def failed_of(self, run_id: str, positions: Sequence[int]) -> list[str]:
        """The names of those tasks at some positions of a run that have failed."""
        found: list[str] = []
        for some in chunks(positions):
            query = sa.select(run_tasks.c.name).where(
                run_tasks.c.run_id == run_id,
                run_tasks.c.status == RunStatus.FAILED,
                run_tasks.c.position.in_(some),
            )
            found += self._connection.execute(query.order_by(run_tasks.c.position)).scalars()
        return found

    def counts(self, run_id: str) -> dict[str, int]:
        """How many tasks of a run stand in each status."""
        query = (
            sa.select(run_tasks.c.status, sa.func.count())
            .where(run_tasks.c.run_id == run_id)
            .group_by(run_tasks.c.status)
        )
        return {status: number for status, number in self._connection.execute(query)}

    def sums(self, run_id: str) -> dict[str, int]:
        """What the tasks of a run did to the catalog, added up."""
        total: dict[str, int] = {}
        for (counts,) in self._connection.execute(sa.select(run_tasks.c.counts).where(run_tasks.c.run_id == run_id)):
            for name, number in counts.items():
                total[name] = total.get(name, 0) + number
        return total
