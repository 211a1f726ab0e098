"""When the engine's threads look for work: as soon as they are woken, and else after pauses that grow.

DBOS looks into each queue at a fixed interval. Here a thread that found nothing waits longer each time, up to a net
that catches what nobody told; who queues work wakes it (`persistence/jobs/news.py` does so for other processes). While
this process runs work, or may not be told of any, it looks as often as the settings say.
"""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

log = logging.getLogger("stoa.jobs")

NET_SECONDS: Final = 5.0
"""How often a process that is told of new work looks all the same."""
REST_SECONDS: Final = 0.2
"""How soon after a look another one may follow. DBOS counts what it has taken by what has begun, which takes a moment:
looking again before that would take more than there are places for."""


class Looks:
    """When one queue is looked into. To DBOS it is the event that stops the thread, and waits between two looks.

    `busy` says that looking often is worth it. Used by several threads.
    """

    def __init__(self, often: float, busy: Callable[[], bool]) -> None:
        self._often, self._busy = often, busy
        self._changed = threading.Condition()
        self._woken = self._stopped = False
        self._pause = often

    def wake(self) -> None:
        """Have the queue looked into now, or once more when it is being looked into."""
        with self._changed:
            self._woken = True
            self._changed.notify_all()

    def set(self) -> None:
        """Let the thread end."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def is_set(self) -> bool:
        """Return whether the thread is to end."""
        return self._stopped

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the next look, `timeout` at the least unless woken; whether the thread is to end instead."""
        if self._busy():
            self._pause = self._often
        rest = min(self._often, REST_SECONDS)
        with self._changed:
            self._changed.wait_for(self.is_set, rest)
            left = max(timeout or 0.0, self._pause) - rest
            woken = self._changed.wait_for(lambda: self._woken or self._stopped, left)
            self._woken = False
            self._pause = self._often if woken else min(2 * self._pause, max(self._often, NET_SECONDS))
            return self._stopped


@contextlib.contextmanager
def looked_into(queues: Mapping[str, Looks]) -> Iterator[None]:
    """Launch DBOS within the block, and it looks into these queues when they say so.

    Its own threads for that, and those for what this platform does not use of it (delays, time limits, schedules and
    its internal queue), would ask its store some ten times a second for as long as the process lives.
    """
    from dbos import _dbos

    def look(stopped: threading.Event, dbos: Any) -> None:
        threads = [
            threading.Thread(target=_look, args=(stopped, dbos, name, looks), name=f"look-{name}", daemon=True)
            for name, looks in queues.items()
        ]
        for thread in threads:
            thread.start()
        stopped.wait()
        for looks in queues.values():
            looks.set()
        for thread in threads:
            thread.join(10.0)

    instead = {"queue_thread": look, "background_jobs_thread": _nothing, "dynamic_scheduler_loop": _nothing}
    before = {name: getattr(_dbos, name) for name in instead}
    try:
        for name, function in instead.items():
            setattr(_dbos, name, function)
        yield
    finally:
        for name, function in before.items():
            setattr(_dbos, name, function)


def _look(stopped: threading.Event, dbos: Any, name: str, looks: Looks) -> None:
    """Look into one queue until stopped. DBOS's own loop ends when the queue cannot be found."""
    from dbos._queue import queue_worker_thread

    while not stopped.is_set():
        try:
            if (queue := dbos._sys_db.get_queue(name)) is not None:
                queue_worker_thread(cast(threading.Event, looks), dbos, queue)
        except Exception as error:
            log.warning("the queue %s cannot be looked into and is tried on: %s", name, type(error).__name__)
        stopped.wait(1.0)


def _nothing(*_given: Any) -> None:
    """Stand in for a thread that is not wanted."""
