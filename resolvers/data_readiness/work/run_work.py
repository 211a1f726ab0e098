"""The frame of every run: plan writes the tasks down, each task is one transaction, finish closes the run.

A subclass says which units of work there are, and for each of them reads and computes, then hands over a function that
writes. The frame runs that function in the transaction that closes the task, so a task that was killed leaves nothing
half done, and one that runs twice finds that it is done. Units of a later phase begin when every unit of the phases
before has ended: the run goes on under its next attempt, which takes up the tasks that wait. Every step takes the run's
row before its tasks' rows, so that none of them can wait for one another in a circle.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final
from uuid import NAMESPACE_URL, uuid5

import sqlalchemy as sa

from persistence.jobs import JobError, JobOutcome, JobState, JobTask, explain
from persistence.queries.workflows import OPEN
from persistence.repository import Scope
from persistence.store import Shelves
from persistence.tables.data_readiness import run_tasks
from resolvers.context import Context
from resolvers.data_readiness.approvals import approve_all
from resolvers.data_readiness.runs import RUN_JOB, job_key, job_of
from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
from schema.errors import DatabaseError

FAILURES_TOLD: Final = 10
"""How many failed tasks a run's error message names."""

Write = Callable[[Shelves], Mapping[str, int]]
"""What a unit writes, inside the transaction that closes its task; the counts are added up in the run's output."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece of a run: what it is called, what it is told (plain JSON), and when it may begin."""

    label: str
    arguments: dict[str, Any] = field(default_factory=dict)
    phase: int = 0


class RunWork(ABC):
    """One attempt at one run, on behalf of the worker."""

    proposes: ClassVar[bool] = False
    """Whether its units write proposals, which a run with `save_all` approves as it completes."""
    when_failed: ClassVar[str] = ""
    """What failed tasks mean for the others, for the run's message."""

    def __init__(self, ctx: Context, run: WorkflowRun, scope: Scope, attempt: int = 1) -> None:
        self.ctx, self.run, self.scope, self.attempt = ctx, run, scope, attempt

    @abstractmethod
    async def units(self) -> Sequence[Unit]:
        """What there is to do, in its order. Raises JobError when there is nothing that could be done."""

    @abstractmethod
    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Read and compute one unit, without writing. It may be begun again, on another process."""

    def conclude(self, shelves: Shelves, output: dict[str, Any], failed: int) -> None:  # noqa: B027 - most add nothing
        """Add to a run's output inside the transaction that closes it, when all of its tasks have ended."""

    async def plan(self) -> Sequence[JobTask]:
        """Write the tasks down; those that may begin. A later attempt takes the ones that wait."""
        if self.attempt > 1 and (waiting := await self.ctx.store.write(self._resume)) is not None:
            self.ring()
            return waiting
        units = await self.units()
        first = min((unit.phase for unit in units), default=0)
        told = [{**unit.arguments, "run_id": self.run.id, "label": unit.label, "phase": unit.phase} for unit in units]
        rows = [self._task_row(position, arguments) for position, arguments in enumerate(told)]

        def work(shelves: Shelves) -> bool:
            if not self.goes_on(shelves):
                return False
            shelves.connection.execute(run_tasks.delete().where(run_tasks.c.run_id == self.run.id))
            if rows:
                shelves.connection.execute(run_tasks.insert(), rows)
            return True

        begun = await self.ctx.store.write(work)
        self.ring()
        if not begun:
            return []
        return [_job_task(row["position"], row["arguments"]) for row in rows if row["arguments"]["phase"] == first]

    def _resume(self, shelves: Shelves) -> list[JobTask] | None:
        """The tasks that wait, when an earlier attempt has planned; None when none has."""
        if not shelves.run_tasks.planned(self.run.id):
            return None
        if not self.goes_on(shelves):
            return []
        waiting = shelves.run_tasks.planned(self.run.id, RunStatus.PENDING)
        first = min((_phase(arguments) for _, arguments in waiting), default=0)
        return [_job_task(position, arguments) for position, arguments in waiting if _phase(arguments) == first]

    def goes_on(self, shelves: Shelves) -> bool:
        """Take the run's row; whether the run is open and this attempt at it is the one that stands."""
        return shelves.workflow_runs.move(
            self.scope, self.run.id, RunStatus.RUNNING, only_from=OPEN, of_attempt=self.attempt
        )

    async def task(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out one unit and close its task; what it counted, nothing if it was done or canceled before."""
        task_id = arguments["task_id"]
        begun = {"started_at": self.ctx.now(), "completed_at": None, "error_message": None}
        # A task that stands as failed was killed before its end was told to the engine.
        from_ = (*OPEN, RunStatus.FAILED)
        if not await self.ctx.store.write(
            lambda shelves: shelves.run_tasks.move(task_id, RunStatus.RUNNING, only_from=from_, **begun)
        ):
            return {}  # canceled, or done by a process that was killed right after
        self.ring()
        try:
            write = await self.carry_out(arguments)
            return await self.ctx.store.write(lambda shelves: self._closed(shelves, task_id, write))
        except DatabaseError:
            raise  # begun again shortly
        except Exception as error:
            await self._fail_task(task_id, explain(error))
            raise
        finally:
            self.ring()

    def _closed(self, shelves: Shelves, task_id: str, write: Write) -> dict[str, Any]:
        if not shelves.run_tasks.move(
            task_id, RunStatus.COMPLETED, only_from=(RunStatus.RUNNING,), completed_at=self.ctx.now()
        ):
            return {}
        counts = dict(write(shelves))
        shelves.connection.execute(run_tasks.update().where(run_tasks.c.id == task_id).values(counts=counts))
        return counts

    async def finish(self, outcomes: Sequence[JobOutcome]) -> dict[str, Any]:
        """Begin the next phase, or close the run: completed, or failed when any task of any phase has failed."""
        ended = await self.ctx.store.write(lambda shelves: self._finished(shelves, outcomes))
        self.ring()
        if ended is None:
            attempt = await self.ctx.store.read(lambda shelves: shelves.workflow_runs.attempt_of(self.run.id))
            await self.ctx.services.jobs.enqueue(
                RUN_JOB, job_of(self.run.id, attempt), key=job_key(self.run.id, attempt)
            )
            return {}
        await self._approve_rest(ended)
        return ended

    def _finished(self, shelves: Shelves, outcomes: Sequence[JobOutcome]) -> dict[str, Any] | None:
        """The run's output, or None when a further phase begins."""
        if not self.goes_on(shelves):
            # Canceled, closed, or handed on to the next phase by a process that was killed right after.
            standing = shelves.workflow_runs.get(self.scope, self.run.id).status
            return None if standing in OPEN else {}
        now = self.ctx.now()
        # What the engine gave up, or a process that was killed left open, will not be begun again in this attempt.
        shelves.run_tasks.close_open(
            self.scope, self.run.id, RunStatus.FAILED, now, positions=[int(one.key) for one in outcomes]
        )
        if shelves.run_tasks.planned(self.run.id, RunStatus.PENDING):
            shelves.workflow_runs.go_on(self.scope, self.run.id)
            return None
        shelves.run_tasks.close_open(self.scope, self.run.id, RunStatus.FAILED, now)
        counts = shelves.run_tasks.counts(self.run.id)
        failed, of = counts.get(RunStatus.FAILED, 0), sum(counts.values())
        output: dict[str, Any] = {
            **self.run.output,
            **shelves.run_tasks.sums(self.run.id),
            "tasks": of,
            "failed_tasks": failed,
        }
        status = self.ends(failed, of)
        self.conclude(shelves, output, failed)
        shelves.workflow_runs.move(
            self.scope,
            self.run.id,
            status,
            only_from=OPEN,
            completed_at=now,
            output=output,
            error_message=self._failure(shelves, outcomes, failed, of) if failed else None,
        )
        if status is RunStatus.COMPLETED and self.proposes and self.run.input.get("save_all"):
            run = shelves.workflow_runs.get(self.scope, self.run.id)
            conflicts = approve_all(shelves, self.scope, run, actor=self.ctx.caller.user_id, now=now)
            output["conflicts"] = len(conflicts)
        return output

    def ends(self, failed: int, of: int) -> RunStatus:
        """How a run ends of whose tasks some have failed."""
        return RunStatus.FAILED if failed else RunStatus.COMPLETED

    async def _approve_rest(self, output: dict[str, Any]) -> None:
        """Approve what one transaction was too small for; each further one takes the next 5000."""
        if not (output and self.proposes and self.run.input.get("save_all")):
            return
        left: int | None = None
        while True:

            def work(shelves: Shelves) -> int:
                run = shelves.workflow_runs.held(self.scope, self.run.id)
                if run.status is not RunStatus.COMPLETED:
                    return 0
                before = shelves.proposals.approval(self.scope, run.id).pending
                if before:
                    approve_all(shelves, self.scope, run, actor=self.ctx.caller.user_id, now=self.ctx.now())
                return shelves.proposals.approval(self.scope, run.id).pending

            now_left = await self.ctx.store.write(work)
            if not now_left or now_left == left:
                return  # what is left are conflicts
            left = now_left

    async def fail(self, message: str) -> None:
        """Close the run as failed."""
        await fail_run(self.ctx, self.scope, self.run.id, message, self.attempt)

    async def progress(self, arguments: Mapping[str, Any], rows_done: int, rows_total: int | None = None) -> None:
        """Show how many rows a task has worked on, of how many if that is known."""
        values = {"rows_done": rows_done, "rows_total": rows_total}
        await self.ctx.store.write(
            lambda shelves: shelves.connection.execute(
                run_tasks.update()
                .where(run_tasks.c.id == arguments["task_id"], run_tasks.c.status == RunStatus.RUNNING)
                .values(revision=run_tasks.c.revision + 1, **values)
            )
        )
        self.ring()

    def ring(self) -> None:
        """Tell who follows the run that something has moved."""
        self.ctx.services.signals.notify(f"run:{self.run.id}")

    def _failure(self, shelves: Shelves, outcomes: Sequence[JobOutcome], failed: int, of: int) -> str:
        """A sentence that names the tasks that failed, each with its reason."""
        query = (
            sa.select(run_tasks.c.position, run_tasks.c.name, run_tasks.c.error_message)
            .where(run_tasks.c.run_id == self.run.id, run_tasks.c.status == RunStatus.FAILED)
            .order_by(run_tasks.c.position)
        )
        messages = {one.key: one.message for one in outcomes if one.state is not JobState.DONE}
        told = [
            f"{name}: {message or messages.get(_key(position)) or 'It was cut off.'}"
            for position, name, message in shelves.connection.execute(query.limit(FAILURES_TOLD))
        ]
        more = f" And {failed - FAILURES_TOLD} more." if failed > FAILURES_TOLD else ""
        return f"{failed} of {of} tasks failed{self.when_failed}. {' '.join(told)}{more}"

    async def _fail_task(self, task_id: str, message: str) -> None:
        now = self.ctx.now()
        await self.ctx.store.write(
            lambda shelves: shelves.run_tasks.move(
                task_id, RunStatus.FAILED, only_from=OPEN, completed_at=now, error_message=message[:2000]
            )
        )

    def _task_row(self, position: int, told: Mapping[str, Any]) -> dict[str, Any]:
        task_id = str(uuid5(NAMESPACE_URL, f"{self.run.id}/{position}"))
        return {
            "id": task_id,
            "organization_id": self.scope.organization_id,
            "project_id": self.scope.project_id,
            "run_id": self.run.id,
            "position": position,
            "name": str(told["label"])[:1000],
            "status": RunStatus.PENDING,
            "counts": {},
            "arguments": {**told, "task_id": task_id},
            "revision": 1,
        }


def _job_task(position: int, arguments: Mapping[str, Any]) -> JobTask:
    return JobTask(_key(position), dict(arguments))


def _key(position: int) -> str:
    return f"{position:06d}"


def _phase(arguments: Mapping[str, Any]) -> int:
    phase: int = arguments.get("phase", 0)
    return phase


async def fail_run(ctx: Context, scope: Scope, run_id: str, message: str, attempt: int) -> None:
    """Close a run, and what is open of its tasks, as failed, unless another attempt at it has begun."""
    now = ctx.now()

    def work(shelves: Shelves) -> None:
        if shelves.workflow_runs.move(
            scope,
            run_id,
            RunStatus.FAILED,
            only_from=OPEN,
            of_attempt=attempt,
            completed_at=now,
            error_message=message[:2000],
        ):
            shelves.run_tasks.close_open(scope, run_id, RunStatus.FAILED, now)

    await ctx.store.write(work)
    ctx.services.signals.notify(f"run:{run_id}")


def nothing_to_do(what: str) -> JobError:
    """A run that has nothing to work on, which is rather a mistake than a success."""
    return JobError(f"{what} Run service-ingestion first, or check asset_fqn and include. Nothing was changed.")
