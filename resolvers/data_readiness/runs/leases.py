"""Defines what one task of a run has in use just now: its time, and its places at connections."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final


class TaskUse:
    """One beginning of one task. Its time stands still while it waits for a place at a connection."""

    def __init__(self, task_id: str, seconds: float | None = None) -> None:
        self.task_id = task_id
        self.deadline = asyncio.timeout(seconds)
        self.places: dict[str, int] = {}
        """How often it uses each connection just now: however often, that is one place."""
        self._seconds = seconds

    @property
    def cut_off(self) -> str:
        """Return what a task is told whose time is over."""
        return (
            f"It was cut off after {self._seconds:g} seconds. Allow it more with the parameter timeout_seconds, up to "
            "what the deployment allows (STOA_TASK_TIMEOUT_SECONDS), or limit the run by include or sampling."
        )

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A time that does not count."""
        loop, when = asyncio.get_running_loop(), self.deadline.when()
        if when is None:  # nobody bounds this use: its deadline was never entered, and could not be moved
            yield
            return
        left = when - loop.time()
        self.deadline.reschedule(None)
        try:
            yield
        finally:
            if not self.deadline.expired():
                self.deadline.reschedule(loop.time() + left)


TASK: Final[ContextVar[TaskUse | None]] = ContextVar("stoa_task", default=None)
"""The task that the current code works for."""


@contextmanager
def within(use: TaskUse) -> Iterator[TaskUse]:
    """Work for a task."""
    token = TASK.set(use)
    try:
        yield use
    finally:
        TASK.reset(token)
