"""The tasks of runs; steps are written with conditions, so that doing one twice is harmless."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.repository import Repository, Scope
from persistence.tables.data_readiness import run_tasks
from schema.data_readiness.workflow_run import TASKS_SHOWN, RunProgress, RunStatus, RunTask, TaskStatus, WorkflowRun

OPEN = (RunStatus.PENDING, RunStatus.RUNNING)
NOTHING_YET: Mapping[str, Any] = {
    **dict.fromkeys(("tasks", "pending", "running", "waiting", "completed", "failed", "skipped"), 0),
    "rows_done": None,
    "rows_total": None,
}


class RunTaskRepository(Repository[RunTask]):
    """Tasks of runs."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, RunTask, run_tasks, noun="run_task", order=[run_tasks.c.position])

    def plan(self, run_id: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write the tasks of a run down, in the place of those that it had."""
        self._connection.execute(run_tasks.delete().where(run_tasks.c.run_id == run_id))
        if rows:
            self._connection.execute(run_tasks.insert(), list(rows))

    def keep_counts(self, task_id: str, counts: Mapping[str, int]) -> None:
        """Write down what a task did."""
        self._connection.execute(run_tasks.update().where(run_tasks.c.id == task_id).values(counts=dict(counts)))

    def keep_arguments(self, task_id: str, arguments: Mapping[str, Any]) -> None:
        """Write down what a task was told, with what it found that the end of its run wants to know."""
        self._connection.execute(run_tasks.update().where(run_tasks.c.id == task_id).values(arguments=dict(arguments)))

    def run_of(self, task_id: str) -> str | None:
        """The id of the run that a task belongs to, or None when it is gone."""
        query = sa.select(run_tasks.c.run_id).where(run_tasks.c.id == task_id)
        return self._connection.execute(query).scalar_one_or_none()

    def messages(self, run_id: str, status: RunStatus | TaskStatus, limit: int) -> list[tuple[str, str | None]]:
        """The names of the first tasks of a run that stand in a status, each with its error message."""
        query = (
            sa.select(run_tasks.c.name, run_tasks.c.error_message)
            .where(run_tasks.c.run_id == run_id, run_tasks.c.status == status)
            .order_by(run_tasks.c.position)
            .limit(limit)
        )
        return [(name, message) for name, message in self._connection.execute(query)]

    def done_among(self, run_ids: Sequence[str], names: Sequence[str], as_of: datetime | None) -> set[str]:
        """Those of some names after which a completed task of the runs is called, until a moment if it is given."""
        task = run_tasks.c
        where = [task.run_id.in_(run_ids), task.status == RunStatus.COMPLETED]
        if as_of is not None:
            where.append(task.completed_at <= as_of)
        found: set[str] = set()
        for some in chunks(list(names)):
            found.update(self._connection.execute(sa.select(task.name).where(*where, task.name.in_(some))).scalars())
        return found

    def failures(
        self, run_ids: Sequence[str], as_of: datetime | None, limit: int
    ) -> Iterator[tuple[Mapping[str, Any], str | None, datetime | None]]:
        """The failed tasks of runs, the latest first, until a moment if given: what each was told, why, and when."""
        task = run_tasks.c
        query = (
            sa.select(task.arguments, task.error_message, task.completed_at)
            .where(
                task.run_id.in_(run_ids),
                task.status == RunStatus.FAILED,
                *([] if as_of is None else [task.completed_at <= as_of]),
            )
            .order_by(task.completed_at.desc(), task.position)
            .limit(limit)
        )
        for arguments, message, at in self._connection.execute(query):
            yield arguments or {}, message, at

    def beside(self, scope: Scope, runs: Sequence[WorkflowRun]) -> list[WorkflowRun]:
        """The runs with their first tasks and their progress, in two statements."""
        ids = [run.id for run in runs]
        if not ids:
            return []
        tasks, progress = self.of_runs(scope, ids, TASKS_SHOWN), self.progress(scope, ids)
        return [run.model_copy(update={"tasks": tasks[run.id], "progress": progress[run.id]}) for run in runs]

    def progress(self, scope: Scope, run_ids: Sequence[str]) -> dict[str, RunProgress]:
        """Return how far runs have come."""
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
        found = {run_id: dict(NOTHING_YET) for run_id in run_ids}
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
        """Return how many tasks of a run stand in each status."""
        query = (
            sa.select(run_tasks.c.status, sa.func.count())
            .where(run_tasks.c.run_id == run_id)
            .group_by(run_tasks.c.status)
        )
        return {status: number for status, number in self._connection.execute(query)}

    def sums(self, run_id: str) -> dict[str, int]:
        """Return what the tasks of a run did to the catalog, added up."""
        total: dict[str, int] = {}
        for (counts,) in self._connection.execute(sa.select(run_tasks.c.counts).where(run_tasks.c.run_id == run_id)):
            for name, number in counts.items():
                total[name] = total.get(name, 0) + number
        return total
