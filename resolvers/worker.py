"""The third door: a job that was written down becomes work on behalf of who triggered it."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Protocol

from auth.caller import Caller
from auth.guard import Guard
from persistence.jobs.port import FanOut, JobContext, JobError, JobOutcome, JobTask
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.authors import limited_by_author
from resolvers.context import Context, Services
from resolvers.data_readiness.runs.executor import RunWork, fail_run
from resolvers.data_readiness.runs.kinds import WORKS
from resolvers.data_readiness.runs.operations import RUN_JOB, job_key, job_of
from resolvers.search.bulk import SearchIndexer
from schema.data_readiness.workflow_run import RunStatus, WorkflowRun

log = logging.getLogger("stoa.worker")

MOST_TAKEN_UP = 10_000


class JobHandler(Protocol):
    """One kind of background work."""

    def register(self) -> None:
        """Tell the job engine what it can be asked to do."""

    async def take_up(self) -> None:
        """Queue what was written down and may not have been queued."""


class Worker:
    """Carries out runs, and what else waits for a background, in whichever process the job engine chooses."""

    def __init__(self, services: Services, hands: Sequence[JobHandler] = ()) -> None:
        self._services = services
        self._hands: list[JobHandler] = [SearchIndexer(services), *hands]

    def register(self) -> None:
        """Tell the job engine what it can be asked to do."""
        for hand in self._hands:
            hand.register()
        self._services.jobs.register(
            RUN_JOB, FanOut(plan=self._plan, task=self._task, finish=self._finish, failed=self._failed)
        )

    async def take_up(self) -> None:
        """Queue the runs that are open and that the job engine may not know, and close those it has given up.

        A process can die after it wrote a run down and before it queued it, and after a job was over and before its
        run was. Queueing a run again does nothing, so every open run is offered.
        """
        for hand in self._hands:
            await hand.take_up()
        jobs = self._services.jobs
        waiting = await self._services.store.read(lambda uow: uow.workflow_runs.open_everywhere(MOST_TAKEN_UP))
        for run_id, attempt in waiting:
            key = job_key(run_id, attempt)
            await jobs.enqueue(RUN_JOB, job_of(run_id, attempt), key=key)
            if (outcome := await jobs.outcome(key)) is not None:
                ctx, run, scope = await self._run(run_id)
                await fail_run(ctx, scope, run.id, outcome.message or "The run ended without an outcome.", attempt)

    async def watch(self, seconds: float = 60.0) -> None:
        """Take up open runs again and again until cancelled: queueing one may have failed while this process lived."""
        while True:
            await asyncio.sleep(seconds)
            try:
                await self.take_up()
            except Exception:
                log.exception("open runs could not be taken up; trying again in %g seconds", seconds)

    async def _plan(self, job: JobContext, arguments: dict[str, Any]) -> Sequence[JobTask]:
        work = await self._work(arguments)
        return await work.plan() if work.run.status in (RunStatus.PENDING, RunStatus.RUNNING) else []

    async def _task(self, job: JobContext, arguments: dict[str, Any]) -> dict[str, Any] | None:
        return await (await self._work(arguments)).task(arguments)

    async def _finish(
        self, job: JobContext, arguments: dict[str, Any], outcomes: Sequence[JobOutcome]
    ) -> dict[str, Any] | None:
        return await (await self._work(arguments)).finish(outcomes)

    async def _work(self, arguments: dict[str, Any]) -> RunWork:
        ctx, run, scope = await self._run(arguments["run_id"])
        if (kind := WORKS.get(run.workflow_type)) is None:
            raise JobError(f"The engine for {run.workflow_type} is not part of this version. Nothing was changed.")
        return kind(ctx, run, scope, _attempt(arguments))

    async def _failed(self, job: JobContext, arguments: dict[str, Any], message: str) -> None:
        ctx, run, scope = await self._run(arguments["run_id"])
        await fail_run(ctx, scope, run.id, message, _attempt(arguments))

    async def _run(self, run_id: str) -> tuple[Context, WorkflowRun, Scope]:
        """A run with the context of who triggered it, in the tenant that it was triggered in.

        They have no more rights than who has written the configuration as it stands now, which is what the run reads.
        """

        def work(uow: UnitOfWork) -> tuple[Caller, WorkflowRun]:
            stored = uow.workflow_runs.caller_of(run_id)
            if stored is None:
                raise JobError("The run is no longer there.")
            caller = Caller.from_dict(stored)
            scope = Scope(caller.organization_id, caller.project_id)
            run = uow.workflow_runs.get(scope, run_id)
            configuration = uow.workflow_configurations.get_deleted_too(scope, run.configuration_id)
            return limited_by_author(caller, configuration), run

        caller, run = await self._services.store.read(work)
        ctx = Context(
            caller=caller,
            request_id=f"run-{run_id}",
            services=self._services,
            guard=Guard(self._services.relations),
        )
        return ctx, run, ctx.scope


def _attempt(arguments: dict[str, Any]) -> int:
    """Return which attempt at its run a job carries out; jobs of the first release do not say that it is the first."""
    attempt: int = arguments.get("attempt", 1)
    return attempt
