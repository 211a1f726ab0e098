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
from datetime import datetime
from typing import Any, ClassVar, Final, Protocol
from uuid import NAMESPACE_URL, uuid5

from persistence.jobs.port import JobError, JobOutcome, JobState, JobTask, explain
from persistence.queries.events import Happening
from persistence.queries.run_tasks import OPEN
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.approval.operations import approve_next, may_approve
from resolvers.data_readiness.runs.leases import TaskUse, within
from resolvers.data_readiness.runs.operations import RUN_JOB, job_key, job_of
from resolvers.data_readiness.runs.outcome import achieved, failure, unread
from schema.data_readiness.proposal import Proposal, ProposalState
from schema.data_readiness.workflow_run import RunStatus, TaskStatus, WorkflowRun
from schema.errors import DatabaseError
from schema.governance.permission import Permission
from schema.utils.event import EventType

PROPOSALS_PER_TASK: Final = 25_000
"""The places that each task has for its proposals, in the order of all proposals of its run."""

Write = Callable[[UnitOfWork], Mapping[str, int]]
"""What a unit writes, inside the transaction that closes its task; the counts are added up in the run's output."""


@dataclass(frozen=True, slots=True)
class RunUnit:
    """One piece of a run: what it is called, what it is told (plain JSON), and when it may begin."""

    label: str
    arguments: dict[str, Any] = field(default_factory=dict)
    phase: int = 0
    follows: bool = False
    """Whether it only builds on what the others have found: by itself it makes no run a success."""


class Reporter(Protocol):
    """Describes what sums a run up when all of its other units have ended. Its arguments have a `report`."""

    def unit(self, work: "RunWork", phase: int) -> RunUnit | None:
        """The unit, of this phase; None when there is nothing to report on."""

    async def made(self, work: "RunWork", arguments: Mapping[str, Any]) -> "Write":
        """Make the report; what keeps it."""

    def tell(self, work: "RunWork", uow: UnitOfWork, output: dict[str, Any]) -> None:
        """Name the report in the run's output, if one was kept."""


class Skip(Exception):
    """Raised by a unit of which nothing can be done, and a retry would change nothing: its task is skipped.

    The run goes on as if the task were done. Its output names the asset once, with the reason, a sentence that may be
    shown.
    """

    def __init__(self, asset_fqn: str, reason: str) -> None:
        super().__init__(reason)
        self.asset_fqn, self.reason = asset_fqn, reason


class RunWork(ABC):
    """One attempt at one run, on behalf of the worker."""

    proposes: ClassVar[bool] = False
    """Whether its units write proposals, which a run with `save_all` approves as it completes."""
    when_failed: ClassVar[str] = ""
    """What failed tasks mean for the others, for the run's message."""
    when_all_failed: ClassVar[str] = ""
    """What it means that all of them failed, which mostly goes without saying."""
    reporter: ClassVar[Reporter | None] = None
    """What ends the run, if anything does; a pipeline that is made of the units of this work has one of its own."""

    def __init__(self, ctx: Context, run: WorkflowRun, scope: Scope, attempt: int = 1) -> None:
        self.ctx, self.run, self.scope, self.attempt = ctx, run, scope, attempt
        self._may_save = False

    @abstractmethod
    async def units(self) -> Sequence[RunUnit]:
        """Return what there is to do, in its order. Raises JobError when there is nothing that could be done."""

    @abstractmethod
    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Read and compute one unit, without writing. It may be begun again, on another process. May raise Skip."""

    def conclude(self, uow: UnitOfWork, output: dict[str, Any], failed: int) -> None:  # noqa: B027 - most add nothing
        """Add to a run's output inside the transaction that closes it, when all of its tasks have ended."""

    def planned(self, uow: UnitOfWork, units: Sequence[Mapping[str, Any]]) -> None:  # noqa: B027 - most add nothing
        """Note what is to be done, inside the transaction that writes the tasks down; each unit with its arguments."""

    def failed(self, uow: UnitOfWork, units: Sequence[Mapping[str, Any]]) -> None:  # noqa: B027 - most add nothing
        """Note that units have failed, inside the transaction that says so."""

    def begins_again(self, uow: UnitOfWork, arguments: Mapping[str, Any]) -> None:  # noqa: B027 - most add nothing
        """Note that a unit which counted as failed has been begun again, inside the transaction that says so."""

    async def plan(self) -> Sequence[JobTask]:
        """Write the tasks down; those that may begin. A later attempt takes the ones that wait."""
        if self.attempt > 1 and (waiting := await self.ctx.store.write(self._resume)) is not None:
            self.ring()
            return waiting
        units = self._with_report(await self.units())
        first = min((unit.phase for unit in units), default=0)
        told = [
            {
                **unit.arguments, "run_id": self.run.id, "label": unit.label, "phase": unit.phase,
                "follows": unit.follows,
            }
            for unit in units
        ]  # fmt: skip
        rows = [self._task_row(position, arguments) for position, arguments in enumerate(told)]

        def work(uow: UnitOfWork) -> bool:
            if not self.goes_on(uow):
                return False
            uow.run_tasks.plan(self.run.id, rows)
            self.planned(uow, [row["arguments"] for row in rows])
            return True

        begun = await self.ctx.store.write(work)
        self.ring()
        if not begun:
            return []
        return [_job_task(row["position"], row["arguments"]) for row in rows if row["arguments"]["phase"] == first]

    def _with_report(self, units: Sequence[RunUnit]) -> Sequence[RunUnit]:
        """The units, and behind all of them the one that reports on them."""
        if not units or self.reporter is None:
            return units
        last = self.reporter.unit(self, max(unit.phase for unit in units) + 1)
        return units if last is None else [*units, last]

    def _resume(self, uow: UnitOfWork) -> list[JobTask] | None:
        """The tasks that wait, when an earlier attempt has planned; None when none has."""
        if not uow.run_tasks.planned(self.run.id):
            return None
        if not self.goes_on(uow):
            return []
        waiting = uow.run_tasks.planned(self.run.id, RunStatus.PENDING)
        first = min((_phase(arguments) for _, arguments in waiting), default=0)
        return [_job_task(position, arguments) for position, arguments in waiting if _phase(arguments) == first]

    def goes_on(self, uow: UnitOfWork) -> bool:
        """Take the run's row; whether the run is open and this attempt at it is the one that stands."""
        return uow.workflow_runs.goes_on(self.scope, self.run.id, of_attempt=self.attempt, at=self.ctx.now())

    async def task(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out one unit and close its task; what it counted, nothing if it was done or canceled before."""
        task_id = arguments["task_id"]
        if not await self.ctx.store.write(lambda uow: self._begun(uow, arguments)):
            return {}  # canceled, or done by a process that was killed right after
        self.ring()
        try:
            with within(TaskUse(task_id, self._seconds())) as use:
                try:
                    async with use.deadline:
                        write = await self._carried_out(arguments)
                except TimeoutError:
                    if not use.deadline.expired():
                        raise
                    raise JobError(use.cut_off) from None
            return await self.ctx.store.write(lambda uow: self._closed(uow, arguments, write))
        except Skip as skip:
            reason = skip
            await self.ctx.store.write(lambda uow: self._skip_task(uow, arguments, reason))
            return {}
        except DatabaseError:
            raise  # begun again shortly
        except Exception as error:
            await self._fail_task(arguments, explain(error))
            raise
        finally:
            self.ring()

    async def _carried_out(self, arguments: Mapping[str, Any]) -> Write:
        if self.reporter is not None and "report" in arguments:
            return await self.reporter.made(self, arguments)
        return await self.carry_out(arguments)

    def _seconds(self) -> float:
        """Return how long one task may work: what the run asks for, and never longer than the deployment allows."""
        most = self.ctx.services.runs.task_timeout_seconds
        asked = (self.run.input.get("parameters") or {}).get("timeout_seconds")
        return min(most, float(asked)) if asked else most

    def _begun(self, uow: UnitOfWork, arguments: Mapping[str, Any]) -> bool:
        """Begin a task of a run that is open."""
        if not uow.workflow_runs.is_open(self.scope, self.run.id):
            return False
        begun = {"started_at": self.ctx.now(), "completed_at": None, "error_message": None, "waits_for": None}
        move, task_id = uow.run_tasks.move, arguments["task_id"]
        if move(task_id, RunStatus.RUNNING, only_from=OPEN, **begun):
            return True
        # A task that stands as failed was killed before its end was told to the engine.
        if not move(task_id, RunStatus.RUNNING, only_from=(RunStatus.FAILED,), **begun):
            return False
        self.begins_again(uow, arguments)
        return True

    def _closed(self, uow: UnitOfWork, arguments: Mapping[str, Any], write: Write) -> dict[str, Any]:
        task_id = arguments["task_id"]
        # The run's row first: who ends the run waits for this, or has ended it before.
        if not uow.workflow_runs.is_open(self.scope, self.run.id) or not uow.run_tasks.move(
            task_id, RunStatus.COMPLETED, only_from=(RunStatus.RUNNING,), completed_at=self.ctx.now()
        ):
            return {}
        counts = dict(write(uow))
        uow.run_tasks.keep_counts(task_id, counts)
        return counts

    def propose(self, uow: UnitOfWork, arguments: Mapping[str, Any], made: Sequence[Proposal]) -> int:
        """Write a unit's proposals down, from inside its `Write`; how many. May be called several times for a unit.

        Each task has a stretch of places of its own, so that the order does not depend on which task is done first
        and no two tasks wait for one another.
        """
        start = arguments["position"] * PROPOSALS_PER_TASK
        end = start + PROPOSALS_PER_TASK
        start += uow.proposals.placed(self.run.id, start, end)
        if start + len(made) > end:
            raise JobError(f"One task proposes {PROPOSALS_PER_TASK} things at most. Limit the run by include.")
        uow.proposals.put(self.scope, made, start)
        return len(made)

    async def finish(self, outcomes: Sequence[JobOutcome]) -> dict[str, Any]:
        """Begin the next phase, or close the run: completed, or failed when any task of any phase has failed.

        It may be begun again at any point: a phase that was begun is queued again, which does nothing, and what was
        asked to be approved is approved as far as it is not.
        """
        await self.ask_whether_to_save()
        ended = await self.ctx.store.write(lambda uow: self._finished(uow, outcomes))
        self.ring()
        if ended is None:
            attempt = await self.ctx.store.read(lambda uow: uow.workflow_runs.attempt_of(self.run.id))
            await self.ctx.services.jobs.enqueue(
                RUN_JOB, job_of(self.run.id, attempt), key=job_key(self.run.id, attempt)
            )
            return {}
        if not self._may_save:
            return ended
        # One transaction is too small for very many of them.
        after: str | None = ""
        while after is not None:
            reached = after
            after = await self.ctx.store.write(lambda uow: self._approved(uow, reached))  # noqa: B023
        return ended

    def _saves(self) -> bool:
        """Return whether the run's proposals are approved as it completes."""
        return self.proposes and bool(self.run.input.get("save_all"))

    async def ask_whether_to_save(self) -> None:
        """Ask anew for the right to approve: it may have been lost since the run began, or an asset be another's."""
        self._may_save = self._saves() and await may_approve(self.ctx, self.run.id)

    def _finished(self, uow: UnitOfWork, outcomes: Sequence[JobOutcome]) -> dict[str, Any] | None:
        """The run's output, or None when a further phase begins."""
        if not self.goes_on(uow):
            # Canceled, closed, or handed on to the next phase by a process that was killed right after.
            standing = uow.workflow_runs.get(self.scope, self.run.id).status
            return None if standing in OPEN else {}
        now = self.ctx.now()
        # What the engine gave up, or a process that was killed left open, will not be begun again in this attempt.
        self._give_up(uow, outcomes)
        if uow.run_tasks.counts(self.run.id).get(RunStatus.PENDING):
            uow.workflow_runs.go_on(self.scope, self.run.id)
            return None
        counts = uow.run_tasks.counts(self.run.id)
        failed, of = counts.get(RunStatus.FAILED, 0), sum(counts.values())
        skipped = counts.get(TaskStatus.SKIPPED, 0)
        output: dict[str, Any] = {
            **self.run.output,
            **uow.run_tasks.sums(self.run.id),
            "tasks": of,
            "failed_tasks": failed,
            **(unread(uow, self.run.id, skipped) if skipped else {}),
        }
        if output.get("proposals"):
            # What a steward is asked about, as the list of them counts it, beside what it is made of.
            output |= {
                "proposals": uow.proposals.count_joined(self.scope, self.run.id), "proposal_parts": output["proposals"],
            }  # fmt: skip
        if self._saves() and not self._may_save:
            output["not_saved"] = (
                f"{Permission.CAN_MANAGE_METADATA} is required to approve what was proposed, as to change the same "
                "assets by hand. The proposals wait for somebody who has it."
            )
        self.conclude(uow, output, failed)
        if self.reporter is not None:
            self.reporter.tell(self, uow, output)
        nothing = of > 0 and not achieved(uow, self.run.id)
        uow.workflow_runs.move(
            self.scope,
            self.run.id,
            RunStatus.FAILED if nothing else self.ends(failed),
            only_from=OPEN,
            completed_at=now,
            output=output,
            error_message=failure(uow, self.run.id, failed, of, self.when_all_failed if nothing else self.when_failed)
            if failed or nothing
            else None,
        )
        if self._may_save:
            self._approved(uow, "")
        elif self.proposes and not nothing:
            self._tell_waiting(uow, now)
        return output

    def _tell_waiting(self, uow: UnitOfWork, now: datetime) -> None:
        """Tell that proposals of the run wait for a decision, if any do."""
        waiting = uow.proposals.count(self.scope, self.run.id, ProposalState.PROPOSED)
        said = {"run_id": self.run.id, "workflow_type": self.run.workflow_type.value, "proposals": waiting}
        if waiting:
            happening = Happening(EventType.PROPOSALS_WAITING, self.run.asset_fqn, data=said)
            uow.events.tell(self.scope, now, happening)

    def _give_up(self, uow: UnitOfWork, outcomes: Sequence[JobOutcome]) -> None:
        """Close the tasks of this attempt that have not ended, each with what the engine says about it."""
        left = {
            position: arguments for status in OPEN for position, arguments in uow.run_tasks.planned(self.run.id, status)
        }
        units = []
        for one in outcomes:
            if (arguments := left.get(int(one.key))) is None:
                continue
            message = None if one.state is JobState.DONE else one.message
            units.append(arguments)
            self._move_to_failed(uow, arguments, message or "It was cut off.")
        # What still runs belongs to no task of this attempt's plan.
        begun = [arguments for _, arguments in uow.run_tasks.planned(self.run.id, RunStatus.RUNNING)]
        for arguments in begun:
            self._move_to_failed(uow, arguments, "It was cut off.")
        if units or begun:
            self.failed(uow, [*units, *begun])

    def _approved(self, uow: UnitOfWork, after: str) -> str | None:
        """Approve the next of the proposals that wait, and say in the output how many could not be carried out."""
        run = uow.workflow_runs.held(self.scope, self.run.id)
        if run.status is not RunStatus.COMPLETED:
            return None
        actor, now = self.ctx.caller.user_id, self.ctx.now()
        reached = approve_next(uow, self.scope, run, after, actor=actor, now=now)
        conflicts = uow.proposals.approval(self.scope, run.id).pending
        if reached is None and run.output.get("conflicts") != conflicts:
            uow.workflow_runs.tell(self.scope, run.id, {**run.output, "conflicts": conflicts})
        return reached

    def ends(self, failed: int) -> RunStatus:
        """Return how a run ends of which something is done, and of whose tasks some may have failed."""
        return RunStatus.FAILED if failed else RunStatus.COMPLETED

    async def fail(self, message: str) -> None:
        """Close the run as failed."""
        await fail_run(self.ctx, self.scope, self.run.id, message, self.attempt)

    async def progress(self, arguments: Mapping[str, Any], rows_done: int, rows_total: int | None = None) -> None:
        """Show how many rows a task has worked on, of how many if that is known."""
        values = {"rows_done": rows_done, "rows_total": rows_total}
        await self.ctx.store.write(
            lambda uow: uow.run_tasks.move(
                arguments["task_id"], RunStatus.RUNNING, only_from=(RunStatus.RUNNING,), **values
            )
        )
        self.ring()

    def ring(self) -> None:
        """Tell who follows the run that something has moved."""
        self.ctx.services.signals.notify(f"run:{self.run.id}")

    async def _fail_task(self, arguments: Mapping[str, Any], message: str) -> None:
        def work(uow: UnitOfWork) -> None:
            open_ = uow.workflow_runs.is_open(self.scope, self.run.id)
            if open_ and self._move_to_failed(uow, arguments, message):
                self.failed(uow, [arguments])

        await self.ctx.store.write(work)

    def _skip_task(self, uow: UnitOfWork, arguments: Mapping[str, Any], skip: Skip) -> None:
        """Close a task of an open run as skipped, with what could not be read and why."""
        task_id, reason = arguments["task_id"], skip.reason[:2000]
        if uow.workflow_runs.is_open(self.scope, self.run.id):
            uow.run_tasks.move(
                task_id,
                TaskStatus.SKIPPED,
                only_from=(RunStatus.RUNNING,),
                completed_at=self.ctx.now(),
                error_message=reason,
                arguments={**arguments, "skipped": {"asset_fqn": skip.asset_fqn, "reason": reason}},
            )

    def _move_to_failed(self, uow: UnitOfWork, arguments: Mapping[str, Any], message: str) -> bool:
        return uow.run_tasks.move(
            arguments["task_id"],
            RunStatus.FAILED,
            only_from=OPEN,
            completed_at=self.ctx.now(),
            error_message=message[:2000],
            waits_for=None,
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
            "arguments": {**told, "task_id": task_id, "position": position},
            "revision": 1,
        }


def _job_task(position: int, arguments: Mapping[str, Any]) -> JobTask:
    return JobTask(_key(position), dict(arguments))


def _key(position: int) -> str:
    return f"{position:06d}"


def _phase(arguments: Mapping[str, Any]) -> int:
    return int(arguments.get("phase", 0))


async def fail_run(ctx: Context, scope: Scope, run_id: str, message: str, attempt: int) -> None:
    """Close a run, and what is open of its tasks, as failed, unless another attempt at it has begun."""
    now = ctx.now()

    def work(uow: UnitOfWork) -> None:
        if uow.workflow_runs.move(
            scope,
            run_id,
            RunStatus.FAILED,
            only_from=OPEN,
            of_attempt=attempt,
            completed_at=now,
            error_message=message[:2000],
        ):
            uow.run_tasks.close_open(scope, run_id, RunStatus.FAILED, now)

    await ctx.store.write(work)
    ctx.services.signals.notify(f"run:{run_id}")


NOT_INGESTED: Final = "Run service-ingestion first, or check asset_fqn and include."
"""What to do where the catalog has nothing of what a run names."""


def nothing_to_do(what: str, advice: str = NOT_INGESTED) -> JobError:
    """A run that has nothing to work on, which is rather a mistake than a success."""
    return JobError(f"{what} {advice} Nothing was changed.")
