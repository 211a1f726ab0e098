"""Processes are killed with SIGKILL in the middle of jobs; the jobs end all the same, each effect once."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.engine import IDLE_SECONDS, Database
from persistence.jobs.dbos import DbosJobs
from persistence.jobs.port import JobState
from persistence.tables.jobs import workers
from tests.support import forked
from tests.support.job_worker import Place, command, create_tables, until
from tests.support.postgres import PostgresServer, postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
PATIENCE = 240.0 + IDLE_SECONDS
"""A process may freeze in the middle of a transaction, whose rows the others get when PostgreSQL ends it."""


class Worker:
    """A running worker process."""

    def __init__(self, place: Place, **settings: Any) -> None:
        reading, writing = os.pipe()
        with (place.folder / "stderr").open("ab") as errors, open(writing, "wb") as output:
            self.process = forked.start(
                command(place, **settings), cwd=ROOT, stdout=output.fileno(), stderr=errors.fileno()
            )
        self.stdout = os.fdopen(reading, "rb")
        self.place = place
        self.executor_id = ""

    async def ready(self) -> "Worker":
        """Wait until it has started."""
        line = await asyncio.to_thread(self.stdout.readline)
        assert line.startswith(b"ready"), (self.place.folder / "stderr").read_text()[-3000:]
        self.executor_id = line.split()[1].decode()
        return self

    async def kill(self) -> None:
        """End it as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(self.process.wait)

    async def terminate(self) -> int:
        """Ask it to stop and return its exit status."""
        self.process.terminate()
        return await asyncio.to_thread(self.process.wait, PATIENCE)


@pytest.fixture
def start() -> Iterator[Callable[..., Worker]]:
    """Starts workers and ends what is left of them."""
    running: list[Worker] = []

    def begin(place: Place, **settings: Any) -> Worker:
        running.append(Worker(place, **settings))
        return running[-1]

    yield begin
    for worker in running:
        worker.process.kill()
        worker.process.wait()
        worker.stdout.close()


@asynccontextmanager
async def client(place: Place) -> AsyncIterator[tuple[DbosJobs, Database]]:
    """An engine that only enqueues, in this process."""
    database = Database(place.url)
    jobs = place.engine(database, executes=False)
    await jobs.start()
    try:
        yield jobs, database
    finally:
        await jobs.stop()
        await database.close()


async def over(jobs: DbosJobs, key: str) -> JobState:
    """Wait for the end of a job and return its state."""
    found: list[JobState] = []

    async def ended() -> bool:
        state = await jobs.state(key)
        if state is not None and state.over:
            found.append(state)
        return bool(found)

    await until(ended, f"the end of {key}", patience=PATIENCE)
    return found[-1]


async def prepared(place: Place) -> Place:
    """The place with the engine's tables."""
    database = Database(place.url)
    await create_tables(database)
    await database.close()
    return place


async def sqlite_place(folder: Path) -> Place:
    """A place on SQLite."""
    return await prepared(Place(f"sqlite:///{folder / 'stoa.sqlite'}", str(folder)))


async def postgres_place(folder: Path, url: str) -> Place:
    """A place on PostgreSQL."""
    return await prepared(Place(url.replace("postgresql://", "postgresql+psycopg://", 1), str(folder)))


def assert_each_effect_once(place: Place, job: str, n: int, *, in_flight: int) -> None:
    """Every task and the end left one effect; only what was in flight at a kill was begun again."""
    wanted = {f"{job}/t{i}" for i in range(n)} | {f"{job}#finish"}
    assert place.effects() == wanted
    assert set(place.count("effect").values()) == {1}
    begun = place.count("begin")
    again = sum(begun[key] - 1 for key in wanted)
    assert again <= in_flight, begun


async def test_a_killed_process_on_sqlite_finishes_its_job_after_its_restart(
    tmp_path: Path, start: Callable[..., Worker]
) -> None:
    place = await sqlite_place(tmp_path)
    first = await start(place).ready()
    async with client(place) as (jobs, _):
        await jobs.enqueue("fan", {"n": 16, "seconds": 0.2}, key="run")
        await until(lambda: len(place.lines("end")) >= 6, "some tasks")
        await first.kill()
        assert len(place.effects()) < 16
        await start(place).ready()
        assert await over(jobs, "run") is JobState.DONE
        outcome = await jobs.outcome("run")
    assert outcome is not None
    assert outcome.result == {"states": {"done": 16}}
    assert place.count("begin")["run#plan"] == 1
    assert_each_effect_once(place, "run", 16, in_flight=5)


@pytest.mark.parametrize("moment", ["plan", "finish"])
async def test_a_kill_during_plan_or_finish_begins_only_that_part_again(
    tmp_path: Path, start: Callable[..., Worker], moment: str
) -> None:
    place = await sqlite_place(tmp_path)
    first = await start(place).ready()
    async with client(place) as (jobs, _):
        await jobs.enqueue("fan", {"n": 3, "seconds": 0, f"{moment}_seconds": 1.0}, key="run")
        await until(lambda: place.count("begin")[f"run#{moment}"] == 1, moment)
        await first.kill()
        assert place.count("end")[f"run#{moment}"] == 0
        await start(place).ready()
        assert await over(jobs, "run") is JobState.DONE
    begun = place.count("begin")
    assert begun.pop(f"run#{moment}") == 2
    assert set(begun.values()) == {1}


async def test_a_process_that_ends_without_stopping_does_not_hang_and_loses_nothing(
    tmp_path: Path, start: Callable[..., Worker]
) -> None:
    place = await sqlite_place(tmp_path)
    first = await start(place, stop_in_order=False).ready()
    async with client(place) as (jobs, _):
        await jobs.enqueue("fan", {"n": 8, "seconds": 0.5}, key="run")
        await until(lambda: len(place.lines("begin")) >= 3, "tasks in flight")
        assert await first.terminate() == 0
        await start(place).ready()
        assert await over(jobs, "run") is JobState.DONE
    assert_each_effect_once(place, "run", 8, in_flight=4)


async def test_a_second_process_on_the_same_folder_is_refused_with_a_sentence(
    tmp_path: Path, start: Callable[..., Worker]
) -> None:
    place = await sqlite_place(tmp_path)
    await start(place).ready()
    second = start(place)
    assert await asyncio.to_thread(second.process.wait, PATIENCE) == 1
    assert "Another server already runs jobs in" in (tmp_path / "stderr").read_text()


async def test_a_task_that_kills_its_process_is_failed_after_its_attempts_and_its_neighbours_are_not(
    tmp_path: Path, start: Callable[..., Worker]
) -> None:
    place = await sqlite_place(tmp_path)
    async with client(place) as (jobs, _):
        await jobs.enqueue("fan", {"n": 3, "seconds": 0, "poison": 1}, key="run")
        for _ in range(2):
            worker = start(place, job_attempts=2)
            assert await asyncio.to_thread(worker.process.wait, PATIENCE) == -signal.SIGKILL
        await start(place, job_attempts=2).ready()
        assert await over(jobs, "run") is JobState.DONE
        outcome = await jobs.outcome("run/t1")
        whole = await jobs.outcome("run")
    assert outcome is not None
    assert outcome.state is JobState.FAILED
    assert outcome.message == "Begun 2 times without an end: it took its process down each time."
    assert whole is not None
    assert whole.result == {"states": {"done": 2, "failed": 1}}


async def test_a_stopped_process_leaves_its_long_tasks_to_the_next(
    tmp_path: Path, start: Callable[..., Worker]
) -> None:
    place = await sqlite_place(tmp_path)
    first = await start(place, job_stop_seconds=0.2).ready()
    async with client(place) as (jobs, _):
        await jobs.enqueue("slow", {"seconds": 2.0}, key="nap")
        await until(lambda: place.count("begin")["nap"] == 1, "the nap")
        assert await first.terminate() == 0
        assert await jobs.state("nap") in (JobState.RUNNING, JobState.QUEUED)
        await start(place).ready()
        assert await over(jobs, "nap") is JobState.DONE
        outcome = await jobs.outcome("nap")
    assert outcome is not None
    assert outcome.result == {"attempt": 1}, "a stop by order does not count as an attempt"


@pytest.mark.parametrize("victim", ["the process with the parent", "the other process"])
async def test_the_other_worker_on_postgresql_finishes_what_a_killed_one_held(
    tmp_path: Path, start: Callable[..., Worker], postgres_url: str, victim: str
) -> None:
    place = await postgres_place(tmp_path, postgres_url)
    a, b = start(place), start(place)
    by_id = {worker.process.pid: worker for worker in (await a.ready(), await b.ready())}
    async with client(place) as (jobs, _):
        await jobs.enqueue("fan", {"n": 24, "seconds": 0.25}, key="run")
        await until(lambda: {pid for _, pid in place.lines("end")} == set(by_id), "work on both")
        [parent] = [pid for key, pid in place.lines("begin") if key == "run#plan"]
        [other] = set(by_id) - {parent}
        await by_id[parent if victim == "the process with the parent" else other].kill()
        assert len(place.effects()) < 24
        assert await over(jobs, "run") is JobState.DONE
    assert place.count("begin")["run#plan"] == 1
    assert_each_effect_once(place, "run", 24, in_flight=5)


async def test_the_last_of_three_workers_finishes_after_two_kills_of_the_leader(
    tmp_path: Path, start: Callable[..., Worker], postgres_url: str
) -> None:
    place = await postgres_place(tmp_path, postgres_url)
    living = [start(place) for _ in range(3)]
    for worker in living:
        await worker.ready()

    async with client(place) as (jobs, database):

        async def leader() -> str | None:
            return await database.read(
                lambda c: c.execute(
                    sa.select(workers.c.executor_id).where(
                        workers.c.leader, workers.c.executor_id.in_([w.executor_id for w in living])
                    )
                ).scalar()
            )

        await jobs.enqueue("fan", {"n": 40, "seconds": 0.3}, key="run")
        for _ in range(2):
            before = len(place.lines("end"))
            await until(leader, "a leader")
            await until(lambda before=before: len(place.lines("end")) > before, "work")
            chosen = await leader()
            [victim] = [worker for worker in living if worker.executor_id == chosen]
            living.remove(victim)
            await victim.kill()
        assert await over(jobs, "run") is JobState.DONE
    assert_each_effect_once(place, "run", 40, in_flight=10)


async def test_canceling_starts_no_further_task_on_any_process(
    tmp_path: Path, start: Callable[..., Worker], postgres_url: str
) -> None:
    place = await postgres_place(tmp_path, postgres_url)
    for worker in (start(place), start(place)):
        await worker.ready()
    async with client(place) as (jobs, _):
        await jobs.enqueue("fan", {"n": 60, "seconds": 0.4}, key="run")
        await until(lambda: len(place.lines("end")) >= 6, "some tasks")
        await jobs.cancel("run")
        begun = len(place.lines("begin"))
        ended = len(place.lines("end"))
        assert await jobs.state("run") is JobState.CANCELED
        await jobs.enqueue("slow", {"seconds": 1.0}, key="after")
        assert await over(jobs, "after") is JobState.DONE
        assert len(place.lines("begin")) <= begun + 1 + 8, "only what had been taken by then may still begin"
        assert len(place.lines("end")) <= ended + 8
        assert "run#finish" not in place.count("begin")
        assert await jobs.state("run") is JobState.CANCELED


async def test_a_worker_taken_for_dead_while_frozen_gives_up_and_serves_again(
    tmp_path: Path, start: Callable[..., Worker], postgres_url: str
) -> None:
    place = await postgres_place(tmp_path, postgres_url)
    frozen = await start(place).ready()
    async with client(place) as (jobs, _):
        await jobs.enqueue("fan", {"n": 8, "seconds": 0.5}, key="run")
        await until(lambda: len(place.lines("begin")) >= 3, "tasks in flight")
        os.kill(frozen.process.pid, signal.SIGSTOP)
        helper = await start(place).ready()
        assert await over(jobs, "run") is JobState.DONE
        await helper.kill()
        os.kill(frozen.process.pid, signal.SIGCONT)
        await jobs.enqueue("fan", {"n": 4, "seconds": 0}, key="next")
        assert await over(jobs, "next") is JobState.DONE
        assert await frozen.terminate() == 0
    assert len(place.effects()) == 8 + 1 + 4 + 1
    assert set(place.count("effect").values()) == {1}


async def test_workers_outlive_a_restart_of_the_database(
    tmp_path: Path, start: Callable[..., Worker], postgres_server: PostgresServer, postgres_url: str
) -> None:
    place = await postgres_place(tmp_path, postgres_url)
    a, b = start(place), start(place)
    await a.ready()
    await b.ready()
    name = postgres_url.rpartition("/")[2]
    breaks = f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'"
    async with client(place) as (jobs, _):
        await jobs.enqueue("fan", {"n": 20, "seconds": 0.2}, key="run")
        await until(lambda: len(place.lines("end")) >= 4, "some tasks")
        for _ in range(5):  # every connection of every process breaks, again and again
            postgres_server.execute(breaks)
            await asyncio.sleep(0.2)
        await a.kill()
        assert await over(jobs, "run") is JobState.DONE
    assert set(place.count("effect").values()) == {1}
