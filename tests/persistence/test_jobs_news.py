"""Work that is queued begins at once, however seldom a process looks; and a process that has none hardly looks."""

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.engine import Database
from persistence.jobs import looking
from persistence.jobs.dbos import DbosJobs
from persistence.jobs.looking import Looks
from persistence.jobs.news import CHANNEL, PostgresNews
from persistence.jobs.port import Arguments, FanOut, JobContext, JobOutcome, JobTask
from tests.support.job_places import database, place
from tests.support.job_worker import Place, create_tables, until
from tests.support.postgres import postgres_server, postgres_url

__all__ = ["database", "place", "postgres_server", "postgres_url"]

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

SELDOM: dict[str, Any] = {"worker_heartbeat_seconds": 30, "worker_dead_seconds": 90}
"""A reaper that asks nothing during a test."""
SLOW = 30.0
"""A look that comes too late for every test."""


class Begun:
    """Work that is written down as it begins."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    async def __call__(self, context: JobContext, arguments: Arguments) -> Arguments | None:
        self.keys.append(context.key)
        return None

    async def has(self, key: str, seconds: float = 10.0) -> float:
        """Wait until a key has begun; how long it took."""
        started = time.monotonic()
        while key not in self.keys:
            assert time.monotonic() - started < seconds, f"{key} has not begun after {seconds} seconds"
            await asyncio.sleep(0.01)
        return time.monotonic() - started


@contextlib.asynccontextmanager
async def running(
    place: Place, database: Database, *, executes: bool = True, deaf: bool = False, **settings: Any
) -> AsyncIterator[tuple[DbosJobs, Begun]]:
    """An engine at work; a deaf one is never woken."""
    jobs, begun = place.engine(database, executes=executes, **{**SELDOM, **settings}), Begun()
    if deaf:
        jobs._wake = lambda queue: None  # type: ignore[method-assign]
    jobs.register("work", begun)
    await jobs.start()
    try:
        if executes:
            await until(lambda: jobs._news.come, "news")
        yield jobs, begun
    finally:
        await jobs.stop(0)


async def settled(jobs: DbosJobs, seconds: float) -> None:
    """Wait until nothing was found for so long that looks have become seldom."""
    await until(lambda: all(looks._pause >= seconds for looks in jobs._looks.values()), "seldom looks")


async def test_work_of_the_same_process_begins_at_once_however_slow_the_look(place: Place, database: Database) -> None:
    async with running(place, database, job_poll_seconds=SLOW) as (jobs, begun):
        for number in range(3):
            await jobs.enqueue("work", {}, key=f"k{number}")
            await begun.has(f"k{number}")


async def test_the_tasks_of_a_job_begin_at_once(place: Place, database: Database) -> None:
    async def plan(context: JobContext, arguments: Arguments) -> list[JobTask]:
        return [JobTask(f"t{number}", {}) for number in range(3)]

    async def finish(context: JobContext, arguments: Arguments, outcomes: "list[JobOutcome]") -> None:
        return None

    async with running(place, database, job_poll_seconds=SLOW) as (jobs, begun):
        jobs.register("fan", FanOut(plan, begun, finish))  # type: ignore[arg-type]
        await jobs.enqueue("fan", {}, key="run")
        for number in range(3):
            await begun.has(f"t{number}")


async def test_work_of_another_process_begins_soon_after_looks_have_become_seldom(
    place: Place, database: Database
) -> None:
    async with (
        running(place, database, job_poll_seconds=0.2) as (back, begun),
        running(place, database, executes=False) as (front, _),
    ):
        await settled(back, 5.0)
        await front.enqueue("work", {}, key="k")
        assert await begun.has("k") < 2.0


async def test_work_that_is_handed_back_begins_at_once(place: Place, database: Database) -> None:
    async with running(place, database, job_poll_seconds=SLOW) as (jobs, begun):
        await jobs.enqueue("work", {}, key="k")
        await until(lambda: _over(jobs, "k"), "its end")
        begun.keys.clear()
        await jobs._off(lambda: _pending(jobs, "k"))
        await jobs.hand_back(["k"])
        await begun.has("k")


async def _over(jobs: DbosJobs, key: str) -> bool:
    state = await jobs.state(key)
    return state is not None and state.over


def _pending(jobs: DbosJobs, key: str) -> None:
    """Have the engine think that work was begun and never ended."""
    assert jobs._engine is not None
    table = "dbos.workflow_status" if jobs._shared else "workflow_status"
    with jobs._engine.begin() as connection:
        connection.execute(
            sa.text(f"update {table} set status = 'PENDING' where workflow_uuid = :key"),
            {"key": key},
        )


async def test_the_slow_look_finds_what_nobody_told(
    place: Place, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "NET_SECONDS", 1.0)
    async with running(place, database, deaf=True) as (jobs, begun):
        await settled(jobs, 1.0)
        await jobs.enqueue("work", {}, key="k")
        await begun.has("k", 20)


async def test_a_process_without_work_hardly_asks_its_store(place: Place, database: Database) -> None:
    asked = []
    async with running(place, database) as (jobs, _):
        await settled(jobs, 3.0)
        assert jobs._engine is not None
        sa.event.listen(jobs._engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
        await asyncio.sleep(3.0)
    # Two looks of three statements for each of the two queues at the most; it was a hundred when nobody told.
    assert len(asked) <= 16, asked


async def test_who_is_told_again_after_an_outage_learns_what_came_meanwhile(postgres_url: str, tmp_path: Path) -> None:
    place = Place(postgres_url.replace("postgresql://", "postgresql+psycopg://", 1), str(tmp_path))
    database = Database(place.url)
    await create_tables(database)
    try:
        async with (
            running(place, database, job_poll_seconds=SLOW) as (jobs, begun),
            running(place, database, executes=False) as (front, _),
        ):
            # The queue's own threads are asleep for half a minute, so only news can wake them.
            await database.write(
                lambda connection: connection.execute(
                    sa.text(
                        "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_notify(%'"
                    )
                )
            )
            await until(lambda: not jobs._news.come, "the end of the news")
            assert jobs._looks_often()
            await front.enqueue("work", {}, key="k")
            await begun.has("k")
            await until(lambda: jobs._news.come, "news again")
            await front.enqueue("work", {}, key="again")
            await begun.has("again")
    finally:
        await database.close()


async def test_a_connection_that_hears_nothing_of_what_it_tells_is_not_relied_on() -> None:
    class Pooled:
        """What a pooler that hands connections round between statements gives: it takes `listen` and tells nothing."""

        said: list[str]

        def __init__(self) -> None:
            self.said = []

        def add_notify_handler(self, _handler: Any) -> None:
            """Never call it."""

        async def execute(self, statement: str, *_values: Any) -> None:
            self.said.append(statement)

    pooled = Pooled()
    with pytest.raises(ConnectionError):
        await PostgresNews._hears(pooled)
    assert pooled.said[0] == f"listen {CHANNEL}"


def test_pauses_grow_while_nothing_is_found_and_are_short_while_there_is_work() -> None:
    busy = False
    looks = Looks(0.01, lambda: busy)
    pauses = []
    for _ in range(4):
        pauses.append(looks._pause)
        assert not looks.wait(0.001)
    assert pauses == [0.01, 0.02, 0.04, 0.08]
    busy = True
    looks.wait(0.001)
    assert looks._pause == 0.02


def test_a_wake_during_a_look_is_kept_for_the_next_wait() -> None:
    looks = Looks(SLOW, lambda: False)
    looks.wake()
    started = time.monotonic()
    assert not looks.wait(SLOW)
    assert time.monotonic() - started < 5


def test_a_stop_ends_the_wait() -> None:
    looks = Looks(SLOW, lambda: False)
    threading.Timer(0.05, looks.set).start()
    assert looks.wait()
    assert looks.is_set()
