"""The port to the durable job engine: what a job is, and an engine in memory for tests.

A job is a registered name with JSON arguments, started once for ever under its key. It is either one `Handler`, or a
`FanOut`: `plan` says which tasks there are, every task runs by itself on whichever process has room, and `finish`
sees all their outcomes. Everything is at least once: a process that dies in the middle makes its unfinished calls
begin again elsewhere, so handlers write with keys that make a repeat harmless. The answer of `plan` is kept, so the
tasks of a job never change after it.

    jobs.register("ingest", FanOut(plan=plan, task=ingest_batch, finish=close_run))
    await jobs.start()
    await jobs.enqueue("ingest", {"run_id": run_id}, key=run_id)

What a handler may rely on:

- it runs on the event loop that called `start`, in a task of its own;
- it begins at most `job_attempts` times; `JobContext.attempt` counts from 1. One that took its process down that
  often is failed without being begun again. A graceful stop does not count. Work begun before runs one at a time
  in a process, so a handler never waits for another job;
- JobError, ApiError and ConnectorError fail it with their message; DatabaseError makes it begin again after a pause;
  any other exception fails it with a neutral sentence and goes to the log;
- after `cancel`, `JobContext.cancelled` is set and the handler's task is cancelled. Nothing of the job begins any
  more, `finish` and `failed` included: whoever cancels writes the platform's own records;
- a task that fails does not stop the others; `finish` sees it as an outcome with state failed.

`persistence/jobs/dbos.py` has the durable engine.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, Self

import orjson
from pydantic import BaseModel, Field, SecretStr, field_validator, model_validator

from persistence.connectors.core.base import ConnectorError
from persistence.engine import checked_store_url
from schema.errors import ApiError, DatabaseError

log = logging.getLogger("stoa.jobs")

Arguments = dict[str, Any]


class JobSettings(BaseModel):
    """How jobs are kept and run."""

    job_database_url: SecretStr | None = Field(
        None,
        description="Where the job engine keeps its records; unset: `jobs.sqlite` in the data folder, or the "
        "database of STOA_DATABASE_URL when that is PostgreSQL.",
    )
    job_concurrency: int = Field(
        4, ge=1, le=256, description="Tasks that each process runs at once; give all processes the same."
    )
    job_attempts: int = Field(
        5, ge=1, le=100, description="How often a task is begun before it is failed instead of begun again."
    )
    job_poll_seconds: float = Field(
        0.2,
        gt=0,
        le=60,
        description="How often a process looks for new, finished and canceled work while it runs some, or is not told.",
    )
    job_stop_seconds: float = Field(
        10.0,
        ge=0,
        le=3600,
        description="How long a stopping process lets running tasks finish before it hands them on.",
    )
    worker_heartbeat_seconds: float = Field(5.0, gt=0, description="How often a process says that it is alive.")
    worker_dead_seconds: float = Field(
        60.0, gt=0, description="Silence after which the others take over a process's work (PostgreSQL only)."
    )
    in_process_worker: bool = Field(
        True, description="Run jobs in the API process. Switch it off where `stoa worker` processes run them."
    )

    @field_validator("job_database_url")
    @classmethod
    def _known_job_store(cls, value: SecretStr | None) -> SecretStr | None:
        return value if value is None else checked_store_url(value)

    @model_validator(mode="after")
    def _patience(self) -> Self:
        if self.worker_dead_seconds < 3 * self.worker_heartbeat_seconds:
            raise ValueError("STOA_WORKER_DEAD_SECONDS must be at least three times STOA_WORKER_HEARTBEAT_SECONDS")
        return self


class JobState(StrEnum):
    """Describes where a job or task stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"

    @property
    def over(self) -> bool:
        """Return whether nothing more will happen."""
        return self in (JobState.DONE, JobState.FAILED, JobState.CANCELED)


class JobError(Exception):
    """Raised by a handler to fail with a message that may be shown: a sentence, without any secret."""


@dataclass(frozen=True, slots=True)
class JobTask:
    """One task of a plan. `key` is unique within its plan; the engine knows the task as `<job key>/<key>`."""

    key: str
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """Holds how a task ended: done with its `result`, or failed or canceled with a `message`."""

    key: str
    """The key as the plan gave it; for a whole job, the job's key."""
    state: JobState
    result: Arguments | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class JobContext:
    """Holds what a handler is told besides its arguments."""

    job: str
    """The key of the whole job."""
    key: str
    """The key of what runs: the job's own for a handler, `plan`, `finish` and `failed`; the plan's for a task."""
    attempt: int
    """How often this call has been begun, this time included."""
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the job was canceled. The handler's task is cancelled as well."""


Handler = Callable[[JobContext, Arguments], Awaitable[Arguments | None]]
Plan = Callable[[JobContext, Arguments], Awaitable[Sequence[JobTask]]]
Finish = Callable[[JobContext, Arguments, Sequence[JobOutcome]], Awaitable[Arguments | None]]
Failed = Callable[[JobContext, Arguments, str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class FanOut:
    """A job of many tasks: plan once, run every task, finish with all outcomes in the order of the plan."""

    plan: Plan
    task: Handler
    finish: Finish
    failed: Failed | None = None
    """Called with the job's arguments and a message when `plan` or `finish` failed for good: the last word on a
    job that will not finish. What it raises is only logged."""


class Jobs(Protocol):
    """Starts jobs, cancels them and says where they stand."""

    def register(self, name: str, work: Handler | FanOut) -> None:
        """Give a name its work. Every process that runs jobs registers all names before `start`."""

    async def start(self) -> None:
        """Open the engine, take up what was left unfinished, and run jobs if this process does."""

    async def stop(self, grace: float | None = None) -> None:
        """Take no more work, give running handlers `grace` seconds, and leave the rest to be begun again."""

    async def enqueue(self, name: str, arguments: Mapping[str, Any], *, key: str) -> None:
        """Start a job, once for ever: the same key again does nothing, whatever its arguments.

        The process that calls this need not have the name registered. Raises ValueError for a key that is empty or
        holds a slash, TypeError for arguments that are not JSON, DatabaseError when the engine's store is away. May
        be awaited in the `before_commit` of `Database.write`; the handler then copes with records that never came.
        """

    async def cancel(self, key: str) -> None:
        """Cancel a job and all of its tasks, or one task (`<job key>/<task key>`). What is over stays as it is.

        It writes to the platform's store, so never await it inside a `Database.write`.
        """

    async def state(self, key: str) -> JobState | None:
        """Return where a job (`<job key>`) or a task (`<job key>/<task key>`) stands; None when there is none."""

    async def outcome(self, key: str) -> JobOutcome | None:
        """Return how a job or a task ended; None when there is none or while it is not over."""


def plain(value: Mapping[str, Any] | None) -> Arguments:
    """The value as JSON keeps it: both engines give handlers the same. Raises TypeError when it is not JSON."""
    kept: Arguments = orjson.loads(orjson.dumps(dict(value or {})))
    return kept


def checked_key(key: str) -> str:
    """A job's key, or ValueError."""
    if not key.strip() or "/" in key:
        raise ValueError(f"A job's key must not be empty or hold a slash, and {key!r} does.")
    return key


def checked_plan(tasks: Sequence[JobTask]) -> list[JobTask]:
    """A plan with unique, non-empty keys and plain arguments, or ValueError or TypeError."""
    keys = [task.key for task in tasks]
    if not all(key.strip() for key in keys) or len(set(keys)) != len(keys):
        raise ValueError("The tasks of a plan need keys that are not empty and differ from one another.")
    return [JobTask(task.key, plain(task.arguments)) for task in tasks]


def explain(error: Exception) -> str:
    """The sentence that records a failure. Only messages meant to be read are kept; others may hold secrets."""
    if isinstance(error, ApiError):
        return error.message
    if isinstance(error, ConnectorError):
        return error.reason
    if isinstance(error, JobError):
        return str(error)
    return f"The work failed unexpectedly ({type(error).__name__}). The server's log holds the details."


@dataclass(slots=True)
class _Entry:
    state: JobState
    outcome: JobOutcome | None = None
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None


class InlineJobs:
    """The port in memory: jobs run as tasks of the current event loop and are forgotten with the process.

    For tests and for tools that run one job and end. `settle` waits until nothing is left to do.
    """

    def __init__(self, *, concurrency: int = 4, attempts: int = 5) -> None:
        self._attempts = attempts
        self._work: dict[str, Handler | FanOut] = {}
        self._entries: dict[str, _Entry] = {}
        self._waiting: list[tuple[str, Arguments, str]] = []
        self._room = asyncio.Semaphore(concurrency)
        self._started = False

    def register(self, name: str, work: Handler | FanOut) -> None:
        """Give a name its work."""
        self._work[name] = work

    async def start(self) -> None:
        """Run what was enqueued so far, and everything enqueued from now on."""
        self._started = True
        waiting, self._waiting = self._waiting, []
        for name, arguments, key in waiting:
            self._launch(name, arguments, key)

    async def stop(self, grace: float | None = None) -> None:
        """Give running jobs `grace` seconds (default none), then cut them off."""
        self._started = False
        running = [entry.task for entry in self._entries.values() if entry.task and not entry.task.done()]
        if running:
            _, late = await asyncio.wait(running, timeout=grace or 0)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def enqueue(self, name: str, arguments: Mapping[str, Any], *, key: str) -> None:
        """Start a job once; the same key again does nothing."""
        kept = plain(arguments)
        if self._entries.setdefault(checked_key(key), entry := _Entry(JobState.QUEUED)) is not entry:
            return
        if self._started:
            self._launch(name, kept, key)
        else:
            self._waiting.append((name, kept, key))

    async def cancel(self, key: str) -> None:
        """Cancel a job with its tasks, or one task."""
        entry = self._entries.get(key)
        if entry is None or entry.state.over:
            return
        for name, part in self._entries.items():
            if (name == key or name.startswith(f"{key}/")) and not part.state.over:
                part.state = JobState.CANCELED
                part.cancelled.set()
                if part.task is not None:
                    part.task.cancel()
                part.outcome = JobOutcome(
                    name.partition("/")[2] or name, JobState.CANCELED, message="The task was canceled."
                )

    async def state(self, key: str) -> JobState | None:
        """Return where a job or task stands."""
        entry = self._entries.get(key)
        return entry.state if entry else None

    async def outcome(self, key: str) -> JobOutcome | None:
        """Return how a job or task ended, or None while it has not."""
        entry = self._entries.get(key)
        return entry.outcome if entry else None

    async def settle(self) -> None:
        """Wait until every job that was started is over, also those that jobs started."""
        while running := [entry.task for entry in self._entries.values() if entry.task and not entry.task.done()]:
            await asyncio.wait(running)

    def _launch(self, name: str, arguments: Arguments, key: str) -> None:
        entry = self._entries[key]
        if not entry.state.over:
            entry.task = asyncio.get_running_loop().create_task(self._whole(name, arguments, key))

    async def _whole(self, name: str, arguments: Arguments, key: str) -> None:
        work = self._work.get(name)
        if isinstance(work, FanOut):
            await self._fan_out(work, arguments, key)
        else:
            async with self._room:
                await self._run(key, key, self._handler(name, work), arguments)

    @staticmethod
    def _handler(name: str, work: Handler | None) -> Handler:
        if work is not None:
            return work

        async def unknown(_context: JobContext, _arguments: Arguments) -> Arguments | None:
            raise JobError(f"No work is registered under the name {name}.")

        return unknown

    async def _ended(
        self, job: str, key: str, cancelled: asyncio.Event, handler: Handler, arguments: Arguments
    ) -> JobOutcome:
        """Begin a handler until it ends, and say how."""
        for attempt in range(1, self._attempts + 1):
            try:
                result = await handler(JobContext(job, key, attempt, cancelled), dict(arguments))
                return JobOutcome(key, JobState.DONE, plain(result))
            except DatabaseError:
                await asyncio.sleep(0.01)
            except Exception as error:
                log.info("job %s failed", job, exc_info=error)
                return JobOutcome(key, JobState.FAILED, message=explain(error))
        message = f"Begun {self._attempts} times without an end: the store could not answer."
        return JobOutcome(key, JobState.FAILED, message=message)

    async def _run(self, path: str, key: str, handler: Handler, arguments: Arguments) -> JobOutcome:
        """Run a job or task to its outcome and keep it under `path`."""
        entry = self._entries[path]
        canceled = JobOutcome(key, JobState.CANCELED, message="The task was canceled.")
        if entry.state.over:
            return canceled
        entry.state = JobState.RUNNING
        try:
            outcome = await self._ended(path.partition("/")[0], key, entry.cancelled, handler, arguments)
        except asyncio.CancelledError:
            if not entry.cancelled.is_set():
                entry.state = JobState.QUEUED
                raise
        if entry.cancelled.is_set():
            outcome = canceled
        entry.state, entry.outcome = outcome.state, outcome
        return outcome

    async def _fan_out(self, work: FanOut, arguments: Arguments, key: str) -> None:
        entry = self._entries[key]
        entry.state = JobState.RUNNING

        async def plan(context: JobContext, given: Arguments) -> Arguments:
            tasks = checked_plan(await work.plan(context, given))
            return {"tasks": [{"key": task.key, "arguments": task.arguments} for task in tasks]}

        end = await self._ended(key, key, entry.cancelled, plan, arguments)
        if end.result is not None:
            parts = []
            for task in end.result["tasks"]:
                path = f"{key}/{task['key']}"
                self._entries[path] = _Entry(JobState.QUEUED)
                parts.append(self._part(work.task, path, JobTask(task["key"], task["arguments"])))
            outcomes = await asyncio.gather(*parts)

            async def finish(context: JobContext, given: Arguments) -> Arguments | None:
                return await work.finish(context, given, outcomes)

            end = await self._ended(key, key, entry.cancelled, finish, arguments)
        if end.state is JobState.FAILED and (failed := work.failed) is not None:

            async def last_word(context: JobContext, given: Arguments) -> None:
                await failed(context, given, end.message or "")

            await self._ended(key, key, entry.cancelled, last_word, arguments)
        if not entry.cancelled.is_set():
            entry.state, entry.outcome = end.state, end

    async def _part(self, handler: Handler, path: str, task: JobTask) -> JobOutcome:
        async with self._room:
            entry = self._entries[path]
            entry.task = asyncio.current_task()
            return await self._run(path, task.key, handler, task.arguments)
