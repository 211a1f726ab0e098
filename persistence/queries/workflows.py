"""Runs and their tasks, whose steps are written with conditions so that doing one twice is harmless."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from persistence.repository import Repository, Scope
from persistence.tables.data_readiness import run_tasks, workflow_runs
from schema.data_readiness.workflow_run import RunStatus, RunTask, WorkflowRun
from schema.identifiers import Fqn

OPEN = (RunStatus.PENDING, RunStatus.RUNNING)


class RunShelf(Repository[WorkflowRun]):
    """Workflow runs, with what their FQN and times say."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, WorkflowRun, workflow_runs, noun="workflow_run")

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """Derive the parts of the FQN and the duration; tasks are filled by who asks for them."""
        parts = [*(Fqn.parse(values["asset_fqn"]).parts if values["asset_fqn"] else ()), None, None, None, None]
        start, end = values["started_at"], values["completed_at"]
        return values | {
            "service_name": parts[0],
            "database_name": parts[1],
            "schema_name": parts[2],
            "table_name": parts[3],
            "duration_seconds": (end - start).total_seconds() if start and end else None,
            "tasks": [],
        }

    def caller_of(self, run_id: str) -> dict[str, Any] | None:
        """Who triggered a run, for the worker that carries it out."""
        return self._connection.execute(
            sa.select(workflow_runs.c.caller).where(workflow_runs.c.id == run_id)
        ).scalar_one_or_none()

    def move(self, scope: Scope, run_id: str, to: RunStatus, *, only_from: Sequence[RunStatus], **values: Any) -> bool:
        """Move a run to another status if it stands in one of `only_from`; whether it moved."""
        moved = self._connection.execute(
            workflow_runs.update()
            .where(*self._within(scope), workflow_runs.c.id == run_id, workflow_runs.c.status.in_(only_from))
            .values(status=to, revision=workflow_runs.c.revision + 1, **values)
        )
        return bool(moved.rowcount)


class RunTaskShelf(Repository[RunTask]):
    """Tasks of runs."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, RunTask, run_tasks, noun="run_task")

    def of_runs(self, scope: Scope, run_ids: Sequence[str], limit: int) -> dict[str, list[RunTask]]:
        """The first tasks of many runs, in one statement."""
        rank = sa.func.row_number().over(partition_by=run_tasks.c.run_id, order_by=run_tasks.c.position).label("rank")
        ranked = sa.select(*self._columns, rank).where(*self._within(scope), run_tasks.c.run_id.in_(run_ids)).subquery()
        query = sa.select(*list(ranked.c)[:-1]).where(ranked.c.rank <= limit).order_by(ranked.c.run_id, ranked.c.rank)
        found: dict[str, list[RunTask]] = {run_id: [] for run_id in run_ids}
        for task in self.resources(self._connection.execute(query).all()):
            found[task.run_id].append(task)
        return found

    def move(self, task_id: str, to: RunStatus, *, only_from: Sequence[RunStatus], **values: Any) -> bool:
        """Move a task to another status if it stands in one of `only_from`; whether it moved."""
        moved = self._connection.execute(
            run_tasks.update()
            .where(run_tasks.c.id == task_id, run_tasks.c.status.in_(only_from))
            .values(status=to, revision=run_tasks.c.revision + 1, **values)
        )
        return bool(moved.rowcount)

    def close_open(self, scope: Scope, run_id: str, to: RunStatus, at: datetime) -> None:
        """Give every task of a run that has not ended a final status."""
        self._connection.execute(
            run_tasks.update()
            .where(*self._within(scope), run_tasks.c.run_id == run_id, run_tasks.c.status.in_(OPEN))
            .values(status=to, completed_at=at, revision=run_tasks.c.revision + 1)
        )

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
