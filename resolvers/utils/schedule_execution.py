"""Firing schedules: every process claims what is due, and the job engine carries each firing out once.

A firing is claimed in one transaction that moves the schedule on and writes the run record down, and then queued under
the record's id. A process that dies before the claim leaves the schedule due; one that dies after it leaves a record
that waits, which the next start (or the next minute of any process) queues again. Queueing twice does nothing, and a
workflow run is triggered under an id made from the record's, so a firing that begins again finds it there.

What was missed while the platform stood still: the latest firing is made up for when it is at most
`schedule_catch_up_seconds` late; the others are passed over, and one FAILURE record says since when.
"""

import asyncio
import logging
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from auth.caller import Caller
from auth.guard import Guard
from persistence.jobs.port import JobContext, explain
from persistence.queries.waiting import schedules_wait
from persistence.store import UnitOfWork
from resolvers.context import Context, Services
from resolvers.data_readiness.runs.operations import start_run
from resolvers.engines.recurrence import due
from resolvers.operation import require
from resolvers.utils.schedule_limits import ScheduleSettings
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.data_readiness.workflow_run import RunCreate
from schema.errors import ApiError, DatabaseError
from schema.governance.permission import Permission
from schema.utils.schedule import Schedule, ScheduleRun, ScheduleRunStatus

log = logging.getLogger("stoa.schedules")

FIRING_JOB = "schedule-firing"
"""The name of the job that carries a firing out; its key is the run record's id."""

MOST_AT_ONCE = 100
MOST_TAKEN_UP = 10_000
_RUNS = UUID("6a2b8a0e-5e0f-4f7e-9d1c-3a6f1d6b7c11")
"""The name space of the workflow runs that schedules trigger."""


class Firings:
    """Claims due schedules and carries their firings out."""

    def __init__(self, services: Services, settings: ScheduleSettings) -> None:
        self._services = services
        self._tick = settings.schedule_tick_seconds
        self._patience = timedelta(seconds=settings.schedule_catch_up_seconds)

    def register(self) -> None:
        """Tell the job engine what it can be asked to do."""
        self._services.jobs.register(FIRING_JOB, self._fire)

    async def watch(self) -> None:
        """Claim what is due again and again until cancelled."""
        while True:
            try:
                await self.tick()
            except Exception:
                log.exception("due schedules could not be claimed; trying again in %g seconds", self._tick)
            await asyncio.sleep(self._tick)

    async def tick(self) -> None:
        """Claim everything that is due now, and queue it."""
        while await schedules_wait(self._services.store.database, self._services.clock()):
            claimed, more = await self._services.store.write(self._claim)
            for run_id in claimed:
                await self._queue(run_id)
            if not more:
                return

    async def take_up(self) -> None:
        """Queue the firings that wait and that the job engine may not know; close those it has given up."""
        waiting = await self._services.store.read(lambda uow: uow.schedule_runs.waiting(MOST_TAKEN_UP))
        for run_id in waiting:
            await self._queue(run_id)
            if (outcome := await self._services.jobs.outcome(run_id)) is not None:
                await self._end(run_id, error=outcome.message or "The firing ended without an outcome.")

    async def _queue(self, run_id: str) -> None:
        await self._services.jobs.enqueue(FIRING_JOB, {"run_id": run_id}, key=run_id)

    def _claim(self, uow: UnitOfWork) -> tuple[list[str], bool]:
        """Move due schedules on and write their firings down; the new records, and whether there is more to claim."""
        now = self._services.clock()
        found = uow.schedules.due(now, MOST_AT_ONCE)
        claimed = [run_id for schedule, caller in found if (run_id := self._claim_one(uow, schedule, caller, now))]
        return claimed, len(found) == MOST_AT_ONCE

    def _claim_one(self, uow: UnitOfWork, schedule: Schedule, caller: dict[str, Any], now: datetime) -> str | None:
        assert schedule.next_run_at is not None
        found = due(schedule.schedule, schedule.next_run_at, now, self._patience)
        if not uow.schedules.advance(schedule, fired=found.fires, next_run_at=found.next):
            return None
        if found.missed is not None:
            until = "the next firing" if found.fires is None else found.fires.isoformat()
            reason = (
                f"Missed: the platform was not running at {found.missed.isoformat()}. "
                f"The firings from then until {until} were passed over."
            )
            uow.schedule_runs.record(schedule, caller, found.missed, now, missed=reason)
        run_id = None if found.fires is None else uow.schedule_runs.record(schedule, caller, found.fires, now)
        uow.schedule_runs.prune(schedule.schedule_id)
        return run_id

    async def _fire(self, job: JobContext, arguments: dict[str, Any]) -> None:
        """Carry one firing out and keep what came of it."""
        run_id, now = arguments["run_id"], self._services.clock()
        begun = await self._services.store.write(lambda uow: uow.schedule_runs.begun(run_id, now))
        if begun is None:
            return
        run, stored = begun
        try:
            values = await self._done(self._context(run, stored), run)
        except DatabaseError:
            raise  # the job engine begins it again
        except Exception as failure:
            if not isinstance(failure, ApiError):
                log.exception("firing %s failed", run_id)
            await self._end(run_id, error=explain(failure))
        else:
            await self._end(run_id, **values)

    def _context(self, run: ScheduleRun, stored: dict[str, Any]) -> Context:
        """The context of the one that a firing acts for, in the project of its schedule."""
        return Context(
            caller=Caller.from_dict(stored),
            request_id=f"schedule-run-{run.id}",
            services=self._services,
            guard=Guard(self._services.relations),
        )

    async def _done(self, ctx: Context, run: ScheduleRun) -> dict[str, Any]:
        """Do what the schedule says, as the one it acts for. Raises the refusal when they may no longer."""
        await require(ctx, Permission.CAN_EXECUTE, "project", ctx.project_id)
        said = run.schedule
        config, reference = said.get("config"), said.get("reference_id")
        configuration = await _configuration(ctx, reference)
        values: dict[str, Any] = {}
        if configuration is not None:
            started = str(uuid5(_RUNS, run.id))
            await start_run(ctx, configuration, RunCreate(), run_id=started)
            values["workflow_run_id"] = started
        elif config is None:
            values["error"] = (
                f"There is no workflow configuration {reference!r} in this project, and the schedule has no config: "
                "nothing was done."
            )
        if config is not None:
            values["notification"] = {"topic": config["topic"], "extra_data": config["extra_data"]}
        return values

    async def _end(self, run_id: str, **values: Any) -> None:
        status = ScheduleRunStatus.FAILURE if "error" in values else ScheduleRunStatus.SUCCESS
        now = self._services.clock()
        await self._services.store.write(lambda uow: uow.schedule_runs.end(run_id, status, now, **values))


async def _configuration(ctx: Context, reference: str | None) -> WorkflowConfiguration | None:
    """The workflow configuration of the schedule's own project that it refers to, if it does."""
    if reference is None:
        return None
    return await ctx.store.read(lambda uow: uow.workflow_configurations.find(ctx.scope, reference))
