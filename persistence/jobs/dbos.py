"""The durable job engine: DBOS behind the port of `persistence/jobs/port.py`.

How the parts divide the work. DBOS keeps the queues, hands each piece to one process and checkpoints a plan; its
client enqueues, cancels and asks, so a process that only enqueues never starts DBOS itself. The `job_ledger` table
counts how often each call was begun and remembers cancellations, because resuming work resets DBOS's own counter and
forgets a cancellation. `persistence/jobs/reaper.py` hands on the work of dead processes.

A job is a DBOS workflow on the queue `stoa-jobs`, each task one on `stoa-tasks`, so that waiting jobs can never take
the places of the tasks they wait for. Workflows are synchronous functions in DBOS's threads that pass the handlers to
the server's event loop; DBOS therefore never touches that loop, its signal handlers or its thread pool. A workflow
that must end without an outcome (stop, cancel, declared dead) raises `Abandoned`, a BaseException, which DBOS does
not record: the work stays begun and is begun again.

On SQLite one process runs jobs, under a fixed executor name, so DBOS itself takes up what that process left; a lock
file refuses a second one. On PostgreSQL every process has a name of its own.
"""

import asyncio
import contextlib
import functools
import logging
import os
import platform
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import sqlalchemy as sa

from persistence.engine import Database
from persistence.jobs import ledger as job_ledger
from persistence.jobs.calls import Abandoned, Calls, Run, pauses, unknown_work
from persistence.jobs.looking import Looks, looked_into
from persistence.jobs.news import FileNews, News, PostgresNews
from persistence.jobs.port import (
    Arguments,
    FanOut,
    Handler,
    JobContext,
    JobOutcome,
    JobSettings,
    JobState,
    JobTask,
    checked_key,
    checked_plan,
    plain,
)
from persistence.jobs.reaper import Claim, Reaper
from persistence.jobs.store import (
    FileLock,
    destroy_dbos,
    engine_url,
    postgres_engine,
    quiet_dbos,
    retire,
    sqlite_engine,
)
from persistence.private import private_database
from schema.errors import DatabaseError

log = logging.getLogger("stoa.jobs")

T = TypeVar("T")

APPLICATION = "stoa"
VERSION = "stoa-1"
"""Pinned: DBOS would take a hash of the code, and work begun before an upgrade would wait for ever."""
JOBS, TASKS = "stoa-jobs", "stoa-tasks"
JOB, TASK = "stoa_job", "stoa_task"
_OVER = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
_OPEN = ["ENQUEUED", "DELAYED", "PENDING"]
_CHUNK = 500


class DbosJobs:
    """The port on DBOS.

    `database` is the platform's own store (heartbeats and the ledger live there), `database_url` its SQLAlchemy
    address, `data` the data folder. `executes` says whether this process runs jobs or only enqueues them; leave it
    out to follow `in_process_worker`. One process can run one such engine at a time.
    """

    _executing: ClassVar["DbosJobs | None"] = None
    """DBOS is one per process, so this is too."""

    def __init__(
        self,
        settings: JobSettings,
        database: Database,
        *,
        data: Path,
        database_url: str,
        executes: bool | None = None,
    ) -> None:
        self._settings = settings
        self._database = database
        self._executes = settings.in_process_worker if executes is None else executes
        own = settings.job_database_url
        self._url = engine_url(None if own is None else own.get_secret_value(), data, database_url)
        self._shared = not self._url.startswith("sqlite")
        if self._shared and database.dialect == "sqlite":
            raise ValueError("STOA_JOB_DATABASE_URL names PostgreSQL, so STOA_DATABASE_URL must name PostgreSQL too.")
        token = f"{platform.node()[:40]}-{os.getpid()}-{secrets.token_hex(4)}"
        self.executor_id = token if self._shared else APPLICATION
        """The name under which this process holds work."""
        self._threads: ThreadPoolExecutor | None = None
        self._engine: sa.Engine | None = None
        self._client: Any = None
        self._work: dict[str, Handler | FanOut] = {}
        self._calls = Calls(database, settings.job_attempts)
        self._lock: FileLock | None = None
        self._watch: asyncio.Task[None] | None = None
        path = sa.make_url(self._url).database or ""
        self._news: News = PostgresNews(self._url) if self._shared else FileNews(path, settings.job_poll_seconds)
        self._looks: dict[str, Looks] = {}
        self._reaper = Reaper(
            database,
            self,
            executor_id=self.executor_id,
            version=VERSION,
            lock_url=database_url if self._shared else None,
            heartbeat_seconds=settings.worker_heartbeat_seconds,
            dead_seconds=settings.worker_dead_seconds,
        )

    # --- the port ---------------------------------------------------------------------------------------------

    def register(self, name: str, work: Handler | FanOut) -> None:
        """Give a name its work. Call it before `start`."""
        self._work[name] = work

    async def start(self) -> None:
        """Open the engine and, if this process runs jobs, take up what was left and go on.

        Raises FolderInUse when another process runs jobs on the same SQLite file, RuntimeError when this process
        already runs an engine, and what the driver raises when the database cannot be reached.
        """
        self._loop = asyncio.get_running_loop()
        self._calls.open(self._loop)
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="stoa-jobs")
        if self._executes:
            self._reserve()
        try:
            await self._off(self._open)
            if self._executes:
                await self._reaper.start()
                self._looks = {
                    queue: Looks(self._settings.job_poll_seconds, self._looks_often) for queue in (JOBS, TASKS)
                }
                await self._off(self._launch)
                self._news.start(self._wake)
                self._watch = self._loop.create_task(self._watch_cancellations(), name="stoa-jobs-watch")
        except BaseException:
            await self.stop(0)
            raise

    async def stop(self, grace: float | None = None) -> None:
        """Take no more work, let running handlers end within `grace` seconds, cut the rest off, and let go.

        What is cut off is begun again: by another process on PostgreSQL, at the next start on SQLite. Returns in
        bounded time even when a handler does not.
        """
        grace = self._settings.job_stop_seconds if grace is None else grace
        self._calls.stopping = True
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
            self._watch = None
        await self._news.stop()
        for limit, last in ((grace, False), (5.0, True)):
            end = time.monotonic() + limit
            if last:
                self.give_up()
            # Threads end the runs, so there is no event of this loop to wait for.
            while self._calls.running and time.monotonic() < end:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        if DbosJobs._executing is self:
            await self._recorded(2.0)
            await self._bounded(destroy_dbos, 30.0)
            DbosJobs._executing = None
            if self._shared and self._client is not None:
                with contextlib.suppress(Exception):  # the others' reaper does it otherwise
                    mine = [claim.key for claim in await self.held() if claim.executor_id == self.executor_id]
                    await self.hand_back(mine)
            await self._reaper.stop()
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        if self._client is not None:
            self._client.destroy()
            self._client = None
        if self._engine is not None:
            retire(self._engine)
            self._engine = None
        if self._threads is not None:
            self._threads.shutdown(wait=False)
            self._threads = None

    async def enqueue(self, name: str, arguments: Mapping[str, Any], *, key: str) -> None:
        """Start a job, once for ever."""
        kept = plain(arguments)
        options = self._options(JOB, JOBS, checked_key(key))
        await self._off(lambda: self._put(JOBS, [(options, name, key, kept)]))

    async def cancel(self, key: str) -> None:
        """Cancel a job with its tasks, or one task."""
        state = await self.state(key)
        if state is None or state.over:
            return
        await self._database.write(lambda connection: job_ledger.mark_canceled(connection, key))
        await self._off(lambda: self._cancel_rows(key))
        self._calls.give_up_canceled([key])

    async def state(self, key: str) -> JobState | None:
        """Return where a job or task stands."""
        row = await self._row(key)
        if row is None:
            return None
        if row.status in _OVER:
            return _outcome(key, row).state
        if await self._database.read(lambda connection: job_ledger.canceled(connection, [key, key.partition("/")[0]])):
            return JobState.CANCELED
        return JobState.RUNNING if row.status == "PENDING" else JobState.QUEUED

    async def outcome(self, key: str) -> JobOutcome | None:
        """Return how a job or task ended; None while it is not over."""
        state = await self.state(key)
        row = await self._row(key) if state is not None and state.over else None
        if row is None:
            return None
        short = key.partition("/")[2] or key
        return _outcome(short, row) if row.status in _OVER else _canceled_outcome(short)

    # --- what the reaper asks ---------------------------------------------------------------------------------

    async def held(self) -> Sequence[Claim]:
        """All begun, unfinished work of all processes."""
        rows = await self._off(
            lambda: self._client.list_workflows(
                status="PENDING", queue_name=[JOBS, TASKS], load_input=False, load_output=False
            )
        )
        return [Claim(row.workflow_id, row.executor_id or "") for row in rows]

    async def hand_back(self, keys: Sequence[str]) -> None:
        """Put work back into its queue."""

        def resume() -> None:
            for queue, part in ((JOBS, [k for k in keys if "/" not in k]), (TASKS, [k for k in keys if "/" in k])):
                for chunk in _chunks(part):
                    self._client.resume_workflows(chunk, queue_name=queue)
                if part:
                    self._put(queue, [])

        await self._off(resume)

    def running(self) -> Collection[str]:
        """The keys that this process runs."""
        return tuple(self._calls.running)

    def give_up(self) -> None:
        """Cut off everything that this process runs."""
        self._calls.give_up()

    # --- opening and closing ----------------------------------------------------------------------------------

    def _reserve(self) -> None:
        if DbosJobs._executing is not None:
            raise RuntimeError("A job engine already runs in this process. Stop it before starting another.")
        if not self._shared:
            path = sa.make_url(self._url).database
            self._lock = FileLock(Path(f"{path}.lock"))
            self._lock.acquire()
        DbosJobs._executing = self

    def _open(self) -> None:
        from dbos import DBOS, DBOSClient, DBOSPortableJSONSerializer

        quiet_dbos()
        if not self._shared:
            private_database(sa.make_url(self._url).database)
        DBOS.migrate(self._url)
        self._engine = sqlite_engine(self._url) if not self._shared else postgres_engine(self._url, self._settings)
        self._client = DBOSClient(
            system_database_engine=self._engine,
            serializer=DBOSPortableJSONSerializer(),
            application_name=APPLICATION,
            retry_connection_errors=False,
        )

    def _launch(self) -> None:
        """Start DBOS in a thread without an event loop, so that it adopts none."""
        from dbos import DBOS, DBOSPortableJSONSerializer

        for queue, places in ((JOBS, 4 * self._settings.job_concurrency), (TASKS, self._settings.job_concurrency)):
            self._client.register_queue(
                queue,
                worker_concurrency=places,
                polling_interval_sec=self._settings.job_poll_seconds,
                on_conflict="always_update",
            )
        DBOS(
            config={
                "name": APPLICATION,
                "system_database_engine": self._engine,
                "executor_id": self.executor_id,
                "application_version": VERSION,
                "serializer": DBOSPortableJSONSerializer(),
                "use_listen_notify": False,
                "log_level": "WARNING",
                "notification_listener_polling_interval_sec": 1.0,
            }
        )

        def stoa_job(name: str, key: str, arguments: Arguments) -> Arguments:
            return self._workflow(key, lambda run: self._job(run, name, arguments))

        def stoa_task(name: str, key: str, arguments: Arguments) -> Arguments:
            return self._workflow(key, lambda run: self._task(run, name, arguments))

        for name, body in ((JOB, stoa_job), (TASK, stoa_task)):
            DBOS.workflow(name=name, max_recovery_attempts=None)(body)
        with looked_into(self._looks):
            DBOS.launch()

    async def _off(self, work: Callable[[], T]) -> T:
        """Run a blocking call of the engine in a thread; its store's failures become DatabaseError."""
        if self._threads is None:
            raise RuntimeError("The job engine is not started.")
        try:
            return await self._loop.run_in_executor(self._threads, work)
        except sa.exc.SQLAlchemyError as error:
            log.warning("the job engine's store failed: %s", type(error).__name__)
            raise DatabaseError("The job engine's store could not answer. Retry shortly.") from error

    async def _recorded(self, seconds: float) -> None:
        """Wait until DBOS has recorded the outcomes of what ended just now, so that it is not begun again."""
        end = time.monotonic() + seconds
        with contextlib.suppress(Exception):  # not seeing it costs a second beginning at most
            while time.monotonic() < end:
                held = {claim.key for claim in await self.held() if claim.executor_id == self.executor_id}
                if not held.intersection(self._calls.ended):
                    break
                await asyncio.sleep(0.02)

    async def _bounded(self, work: Callable[[], None], seconds: float) -> None:
        """Run what may hang in a thread that nobody waits for at exit."""
        done = asyncio.Event()

        def body() -> None:
            try:
                work()
            except Exception:
                log.exception("the job engine did not close cleanly")
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(done.set)

        threading.Thread(target=body, name="stoa-jobs-close", daemon=True).start()
        try:
            await asyncio.wait_for(done.wait(), seconds)
        except TimeoutError:
            log.error("the job engine did not close within %s seconds and is left behind", seconds)

    # --- who looks for work, and when ---------------------------------------------------------------------------

    def _looks_often(self) -> bool:
        return bool(self._calls.running) or not self._news.come

    def _wake(self, queue: str | None) -> None:
        for name, looks in self._looks.items():
            if queue in (None, name):
                looks.wake()

    # --- calls of the client ----------------------------------------------------------------------------------

    @staticmethod
    def _options(workflow: str, queue: str, key: str) -> Any:
        return {"workflow_name": workflow, "queue_name": queue, "workflow_id": key, "app_version": VERSION}

    def _put(self, queue: str, entries: Iterable[tuple[Any, ...]]) -> None:
        """Put work into a queue in one transaction, and have it taken up: here at once, elsewhere by the news."""
        assert self._engine is not None
        with self._engine.begin() as connection:
            for entry in entries:
                self._client.enqueue_in_transaction(connection, *entry)
            self._news.spread(connection, queue)
        self._wake(queue)

    async def _row(self, key: str) -> Any:
        rows = await self._off(lambda: self._client.list_workflows(workflow_ids=[key], load_input=False))
        return rows[0] if rows else None

    def _cancel_rows(self, key: str) -> None:
        # The job first: it starts no further task while its tasks are looked up.
        self._client.cancel_workflows([key])
        if "/" not in key:
            rows = self._client.list_workflows(
                workflow_id_prefix=f"{key}/", status=_OPEN, load_input=False, load_output=False
            )
            for chunk in _chunks([row.workflow_id for row in rows if row.workflow_id.startswith(f"{key}/")]):
                self._client.cancel_workflows(chunk)

    async def _watch_cancellations(self) -> None:
        """Tell handlers that another process canceled their job."""
        while True:
            await asyncio.sleep(self._settings.job_poll_seconds)
            if keys := self._calls.cancelable():
                try:
                    found = await self._database.read(functools.partial(job_ledger.canceled, keys=sorted(keys)))
                    self._calls.give_up_canceled(found)
                except DatabaseError:
                    await asyncio.sleep(1.0)  # the store is away

    # --- the workflows, in DBOS's threads ---------------------------------------------------------------------

    def _workflow(self, key: str, body: Callable[[Run], Arguments]) -> Arguments:
        from dbos import error as dbos_error

        with self._calls.entered(key) as run:
            try:
                return body(run)
            except (dbos_error.DBOSWorkflowCancelledError, dbos_error.DBOSWorkflowConflictIDError):
                raise Abandoned from None  # canceled, or taken over by another process

    def _task(self, run: Run, name: str, arguments: Arguments) -> Arguments:
        work = self._work.get(name)
        handler = work.task if isinstance(work, FanOut) else unknown_work(name)
        return self._calls.call(run, run.key, run.key.partition("/")[2], handler, arguments)

    def _job(self, run: Run, name: str, arguments: Arguments) -> Arguments:
        from dbos import DBOS

        work = self._work.get(name)
        if not isinstance(work, FanOut):
            return self._calls.call(run, run.key, run.key, work or unknown_work(name), arguments)

        async def plan(context: JobContext, given: Arguments) -> Arguments:
            tasks = checked_plan(await work.plan(context, given))
            return {"tasks": [{"key": task.key, "arguments": task.arguments} for task in tasks]}

        planned = DBOS.run_step(
            {"name": "plan"}, lambda: self._calls.call(run, f"{run.key}#plan", run.key, plan, arguments)
        )
        if planned["state"] != JobState.DONE:
            return self._lost(run, work, arguments, planned)
        tasks = [JobTask(task["key"], task["arguments"]) for task in planned["result"]["tasks"]]
        DBOS.run_step({"name": "enqueue"}, lambda: self._enqueue_tasks(run, name, tasks))
        outcomes = self._wait(run, tasks)

        async def finish(context: JobContext, given: Arguments) -> Arguments | None:
            return await work.finish(context, given, outcomes)

        finished = self._calls.call(run, f"{run.key}#finish", run.key, finish, arguments)
        return finished if finished["state"] != JobState.FAILED else self._lost(run, work, arguments, finished)

    def _lost(self, run: Run, work: FanOut, arguments: Arguments, end: Arguments) -> Arguments:
        failed = work.failed
        if end["state"] == JobState.FAILED and failed is not None:

            async def last_word(context: JobContext, given: Arguments) -> Arguments | None:
                await failed(context, given, end["message"])
                return None

            self._calls.call(run, f"{run.key}#failed", run.key, last_word, arguments)
        return end

    def _enqueue_tasks(self, run: Run, name: str, tasks: Sequence[JobTask]) -> None:
        """All tasks in a few transactions; one each would cost 12 to 19 ms per task."""
        for chunk in _chunks(tasks):
            for pause in pauses():
                self._calls.stand(run)
                try:
                    self._enqueue_chunk(run, name, chunk)
                    break
                except sa.exc.OperationalError as error:
                    log.warning("job %s cannot start its tasks and tries on: %s", run.key, type(error).__name__)
                    run.given_up.wait(pause)

    def _enqueue_chunk(self, run: Run, name: str, tasks: Sequence[JobTask]) -> None:
        keys = [f"{run.key}/{task.key}" for task in tasks]
        self._put(
            TASKS,
            [
                (self._options(TASK, TASKS, key), name, key, task.arguments)
                for key, task in zip(keys, tasks, strict=True)
            ],
        )

    def _wait(self, run: Run, tasks: Sequence[JobTask]) -> list[JobOutcome]:
        """Wait for all tasks. Nothing is recorded: a wait that begins again looks again."""
        names = {f"{run.key}/{task.key}": task.key for task in tasks}
        ended: dict[str, JobOutcome] = {}
        away = False
        while len(ended) < len(names):
            self._calls.stand(run)
            try:
                for chunk in _chunks([path for path in names if path not in ended]):
                    for row in self._client.list_workflows(workflow_ids=chunk, status=_OVER, load_input=False):
                        ended[row.workflow_id] = _outcome(names[row.workflow_id], row)
                away = False
            except sa.exc.SQLAlchemyError as error:
                if not away:
                    log.warning("job %s cannot see its tasks and looks on: %s", run.key, type(error).__name__)
                away = True
            if len(ended) < len(names):
                run.given_up.wait(self._settings.job_poll_seconds)
        return [ended[path] for path in names]


def _canceled_outcome(key: str) -> JobOutcome:
    return JobOutcome(key, JobState.CANCELED, message="The task was canceled.")


def _outcome(key: str, row: Any) -> JobOutcome:
    """A finished row of DBOS as an outcome."""
    if row.status == "SUCCESS":
        end = row.output
        return JobOutcome(key, JobState(end["state"]), end["result"], end["message"])
    if row.status == "CANCELLED":
        return _canceled_outcome(key)
    return JobOutcome(key, JobState.FAILED, message="The job engine could not run this. The server's log says why.")


def _chunks(items: Sequence[T]) -> Iterable[list[T]]:
    return (list(items[start : start + _CHUNK]) for start in range(0, len(items), _CHUNK))
