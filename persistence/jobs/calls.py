"""From the job engine's threads to the event loop: handlers are begun, counted, cut off and explained here.

The engine runs each piece of work in a thread of its own; the handler belongs on the server's event loop, where the
store lives. `Calls.call` passes it there and blocks the thread until it ends. Work that must end without an outcome
(stop, cancel, declared dead) raises `Abandoned`.
"""

import asyncio
import contextlib
import contextvars
import logging
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError as FutureCancelled
from dataclasses import dataclass, field
from typing import Any

from persistence.connectors.core.base import ConnectorError
from persistence.engine import Database
from persistence.jobs import ledger as job_ledger
from persistence.jobs.port import Arguments, Handler, JobContext, JobError, JobState, explain, plain
from schema.errors import ApiError, DatabaseError

log = logging.getLogger("stoa.jobs")


_SETTLE = 0.2
"""Seconds between two calls that run alone, in which the engine records how the first one ended."""


class Abandoned(BaseException):
    """Ends a piece of work without an outcome. Not an Exception, so that the engine records nothing."""


@dataclass(slots=True, eq=False)
class Run:
    """One piece of work that this process runs."""

    key: str
    job: str
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    given_up: threading.Event = field(default_factory=threading.Event)
    task: "asyncio.Task[Any] | None" = None

    def give_up(self, *, canceled: bool) -> None:
        """Cut the run off. Call it on the event loop."""
        if canceled:
            self.cancelled.set()
        self.given_up.set()
        if self.task is not None:
            self.task.cancel()


class Calls:
    """Describes what this process runs at the moment. `limit` is how often a call may begin, over all processes."""

    def __init__(self, database: Database, limit: int) -> None:
        self._database = database
        self._limit = limit
        self.running: dict[str, Run] = {}
        """By key. Entered and left by the engine's threads."""
        self.stopping = False
        """Once set, nothing begins any more."""
        self.ended: deque[str] = deque(maxlen=100)
        """The last keys that ended by themselves; the engine may still be recording how."""

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Run handlers on this loop from now on."""
        self._loop = loop
        self._alone = asyncio.Lock()
        self.stopping = False

    @contextlib.contextmanager
    def entered(self, key: str) -> Iterator[Run]:
        """The time in which a piece of work runs here. Raises Abandoned when it must not, or already does."""
        run = Run(key, key.partition("/")[0])
        if self.stopping or self.running.setdefault(key, run) is not run:
            raise Abandoned
        try:
            yield run
            self.ended.append(key)
        finally:
            self.running.pop(key, None)

    def stand(self, run: Run) -> None:
        """Raise Abandoned when the run must go no further."""
        if self.stopping or run.given_up.is_set() or self._loop.is_closed():
            raise Abandoned

    def give_up(self) -> None:
        """Cut off everything. Call it on the event loop."""
        for run in tuple(self.running.values()):
            run.give_up(canceled=False)

    def cancelable(self) -> list[str]:
        """The keys whose cancellation would concern this process."""
        return sorted({part for run in tuple(self.running.values()) for part in (run.key, run.job)})

    def give_up_canceled(self, keys: Iterable[str]) -> None:
        """Cut off the canceled tasks, and all of canceled jobs. Call it on the event loop."""
        canceled = set(keys)
        for run in tuple(self.running.values()):
            if run.key in canceled or run.job in canceled:
                run.give_up(canceled=True)

    def call(self, run: Run, ledger_key: str, key: str, handler: Handler, arguments: Arguments) -> Arguments:
        """Run a handler on the event loop, wait in this thread, and return its end: state, result and message."""
        self.stand(run)
        attempts = self._attempts(run, ledger_key, key, handler, arguments)
        try:
            # An empty context: the handler's task must not inherit the engine's idea of a current workflow.
            future = contextvars.Context().run(asyncio.run_coroutine_threadsafe, attempts, self._loop)
        except RuntimeError:
            attempts.close()
            raise Abandoned from None  # the loop is closed: the process ends without `stop`
        while True:
            try:
                end = future.result(timeout=1.0)
                break
            except FutureCancelled:
                raise Abandoned from None
            except TimeoutError:
                if self._loop.is_closed():
                    raise Abandoned from None
        if run.cancelled.is_set():
            raise Abandoned
        return end

    async def _attempts(self, run: Run, ledger_key: str, key: str, handler: Handler, arguments: Arguments) -> Arguments:
        """Begin a call until it ends. What was begun before runs alone among its like.

        Whoever took a process down is begun again together with its innocent neighbours. One at a time, only the
        guilty one goes on counting.
        """
        run.task = asyncio.current_task()
        if run.given_up.is_set():
            raise asyncio.CancelledError
        reason = "it took its process down each time"
        try:
            for pause in pauses():
                async with contextlib.AsyncExitStack() as stack:
                    try:
                        begun = await self._begin(run, ledger_key, alone=False)
                        if not any(begun):
                            await stack.enter_async_context(self._alone)
                            await asyncio.sleep(_SETTLE)
                            begun = await self._begin(run, ledger_key, alone=True)
                    except DatabaseError:
                        log.warning("job %s cannot begin while the store is away and waits", ledger_key)
                        reason = "the store could not answer"
                    else:
                        if begun.canceled:
                            return _end(JobState.CANCELED, message="The task was canceled.")
                        if begun.times > self._limit:
                            return _end(
                                JobState.FAILED, message=f"Begun {begun.times - 1} times without an end: {reason}."
                            )
                        context = JobContext(run.job, key, begun.times, run.cancelled)
                        try:
                            return await self._once(context, ledger_key, handler, arguments)
                        except DatabaseError as error:
                            log.warning("job %s lost the store and is begun again: %s", ledger_key, error.message)
                            reason = "the store could not answer"
                await asyncio.sleep(pause)
        except asyncio.CancelledError:
            if self.stopping and not run.cancelled.is_set():
                with contextlib.suppress(Exception):  # a stop must not count towards the limit
                    async with asyncio.timeout(2):
                        await self._database.write(lambda connection: job_ledger.give_back(connection, ledger_key))
            raise
        finally:
            run.task = None
        raise AssertionError("the pauses never end")

    async def _begin(self, run: Run, ledger_key: str, *, alone: bool) -> job_ledger.Beginning:
        guards = [run.key, run.job]
        return await self._database.write(
            lambda connection: job_ledger.begin(connection, ledger_key, guards, alone=alone)
        )

    @staticmethod
    async def _once(context: JobContext, ledger_key: str, handler: Handler, arguments: Arguments) -> Arguments:
        try:
            return _end(JobState.DONE, result=plain(await handler(context, dict(arguments))))
        except DatabaseError:
            raise
        except (ApiError, ConnectorError, JobError) as error:
            log.info("job %s failed: %s", ledger_key, explain(error))
            return _end(JobState.FAILED, message=explain(error))
        except Exception as error:
            log.exception("job %s failed unexpectedly", ledger_key)
            return _end(JobState.FAILED, message=explain(error))


def unknown_work(name: str) -> Handler:
    """The handler of a name that this process does not know."""

    async def unknown(_context: JobContext, _arguments: Arguments) -> Arguments | None:
        raise JobError(f"No work is registered under the name {name}.")

    return unknown


def pauses() -> Iterator[float]:
    """Seconds to wait before trying again, for ever."""
    pause = 0.2
    while True:
        yield pause
        pause = min(pause * 2, 5.0)


def _end(state: JobState, *, result: Arguments | None = None, message: str | None = None) -> Arguments:
    return {"state": state.value, "result": result, "message": message}
