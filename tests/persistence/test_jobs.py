"""What the port to the job engine promises, held by the engine in memory and by the durable one on both stores."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from persistence.engine import Database
from persistence.jobs.dbos import DbosJobs
from persistence.jobs.port import (
    Arguments,
    FanOut,
    InlineJobs,
    JobContext,
    JobError,
    JobOutcome,
    Jobs,
    JobSettings,
    JobState,
    JobTask,
)
from schema.errors import DatabaseError, InvalidRequest
from tests.support.job_places import database, place
from tests.support.job_worker import Place, create_tables, until
from tests.support.postgres import postgres_server, postgres_url

__all__ = ["database", "place", "postgres_server", "postgres_url"]

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

PATIENCE = 120.0


@dataclass
class Recorder:
    """Work whose every step is written down and can be held up."""

    events: list[str] = field(default_factory=list)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    told: list[bool] = field(default_factory=list)
    outcomes: list[JobOutcome] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    async def plan(self, context: JobContext, arguments: Arguments) -> Sequence[JobTask]:
        self.events.append("plan")
        if arguments.get("plan") == "raises":
            raise InvalidRequest("The connection is gone. Choose another.")
        if arguments.get("plan") == "repeats":
            return [JobTask("same", {}), JobTask("same", {})]
        return [JobTask(f"t{i}", {**arguments, "i": i}) for i in range(arguments["n"])]

    async def task(self, context: JobContext, arguments: Arguments) -> Arguments | None:
        self.events.append(f"task {context.key}")
        i = arguments["i"]
        if arguments.get("held"):
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.told.append(context.cancelled.is_set())
                raise
        if arguments.get("error") == i:
            raise JobError("Table t cannot be read.")
        if arguments.get("bug") == i:
            raise ValueError("password=hunter2")
        if arguments.get("away") == i and context.attempt < arguments["until"]:
            raise DatabaseError("The store could not answer.")
        self.events.append(f"done {context.key}")
        return {"double": 2 * i, "attempt": context.attempt}

    async def finish(
        self, context: JobContext, arguments: Arguments, outcomes: Sequence[JobOutcome]
    ) -> Arguments | None:
        self.events.append("finish")
        self.outcomes = list(outcomes)
        if arguments.get("finish") == "raises":
            raise JobError("The run cannot be closed.")
        return {"tasks": len(outcomes)}

    async def failed(self, context: JobContext, arguments: Arguments, message: str) -> None:
        self.messages.append(message)

    async def alone(self, context: JobContext, arguments: Arguments) -> Arguments | None:
        self.events.append(f"alone {context.key} {context.attempt}")
        if arguments.get("held"):
            await self.gate.wait()
        self.events.append(f"left {context.key}")
        return None

    def register(self, jobs: Jobs) -> None:
        jobs.register("fan", FanOut(self.plan, self.task, self.finish, self.failed))
        jobs.register("alone", self.alone)


async def over(jobs: Jobs, key: str) -> JobState:
    """Wait for the end of a job and return its state."""

    async def ended() -> bool:
        state = await jobs.state(key)
        return state is not None and state.over

    await until(ended, f"the end of {key}")
    state = await jobs.state(key)
    assert state is not None
    return state


@pytest.fixture(params=["in memory", "sqlite", "postgresql"])
async def jobs(request: pytest.FixtureRequest, tmp_path: Path, recorder: Recorder) -> AsyncIterator[Jobs]:
    """A started engine that knows the recorder's work."""
    if request.param == "in memory":
        inline = InlineJobs()
        recorder.register(inline)
        await inline.start()
        yield inline
        await inline.stop()
        return
    url = f"sqlite:///{tmp_path / 'stoa.sqlite'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url").replace("postgresql://", "postgresql+psycopg://", 1)
    database = Database(url)
    await create_tables(database)
    durable = Place(url, str(tmp_path)).engine(database, executes=True)
    recorder.register(durable)
    await durable.start()
    yield durable
    await durable.stop(0)
    await database.close()


@pytest.fixture
def recorder() -> Recorder:
    """Fresh work."""
    return Recorder()


async def test_a_fan_out_finishes_with_all_outcomes_in_the_order_of_the_plan(jobs: Jobs, recorder: Recorder) -> None:
    await jobs.enqueue("fan", {"n": 7}, key="run")
    assert await over(jobs, "run") is JobState.DONE
    assert recorder.outcomes == [JobOutcome(f"t{i}", JobState.DONE, {"double": 2 * i, "attempt": 1}) for i in range(7)]
    assert recorder.events[0] == "plan"
    assert recorder.events[-1] == "finish"
    assert len(recorder.events) == 1 + 14 + 1
    assert await jobs.outcome("run") == JobOutcome("run", JobState.DONE, {"tasks": 7})
    assert await jobs.outcome("run/t3") == JobOutcome("t3", JobState.DONE, {"double": 6, "attempt": 1})
    assert recorder.messages == []


async def test_a_plan_without_tasks_finishes(jobs: Jobs, recorder: Recorder) -> None:
    await jobs.enqueue("fan", {"n": 0}, key="run")
    assert await over(jobs, "run") is JobState.DONE
    assert recorder.events == ["plan", "finish"]


async def test_the_same_key_enqueued_at_once_and_again_later_runs_once(jobs: Jobs, recorder: Recorder) -> None:
    await asyncio.gather(*(jobs.enqueue("alone", {"call": i}, key="k") for i in range(20)))
    assert await over(jobs, "k") is JobState.DONE
    await jobs.enqueue("alone", {}, key="k")
    await jobs.enqueue("alone", {}, key="other")
    assert await over(jobs, "other") is JobState.DONE
    assert recorder.events.count("alone k 1") == 1


async def test_a_task_that_raises_fails_with_its_message_and_the_others_go_on(jobs: Jobs, recorder: Recorder) -> None:
    await jobs.enqueue("fan", {"n": 5, "error": 1, "bug": 3}, key="run")
    assert await over(jobs, "run") is JobState.DONE
    states = [outcome.state.value for outcome in recorder.outcomes]
    assert states == ["done", "failed", "done", "failed", "done"]
    assert recorder.outcomes[1].message == "Table t cannot be read."
    message = recorder.outcomes[3].message
    assert message is not None
    assert "ValueError" in message
    assert "hunter2" not in message, "the text of an unexpected exception may hold a secret"
    assert await jobs.state("run/t1") is JobState.FAILED


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 2, "plan": "raises"}, "The connection is gone. Choose another."),
        ({"n": 2, "finish": "raises"}, "The run cannot be closed."),
    ],
)
async def test_a_failed_plan_or_finish_fails_the_job_and_has_the_last_word(
    jobs: Jobs, recorder: Recorder, arguments: dict[str, Any], message: str
) -> None:
    await jobs.enqueue("fan", arguments, key="run")
    assert await over(jobs, "run") is JobState.FAILED
    assert recorder.messages == [message]
    outcome = await jobs.outcome("run")
    assert outcome == JobOutcome("run", JobState.FAILED, None, message)


async def test_a_plan_with_a_repeated_key_fails_before_any_task_begins(jobs: Jobs, recorder: Recorder) -> None:
    await jobs.enqueue("fan", {"n": 2, "plan": "repeats"}, key="run")
    assert await over(jobs, "run") is JobState.FAILED
    assert recorder.events == ["plan"]


async def test_a_store_that_is_away_for_a_moment_makes_a_task_begin_again(jobs: Jobs, recorder: Recorder) -> None:
    await jobs.enqueue("fan", {"n": 2, "away": 1, "until": 3}, key="run")
    assert await over(jobs, "run") is JobState.DONE
    assert recorder.outcomes[1].result == {"double": 2, "attempt": 3}


async def test_a_name_without_work_fails_with_a_sentence(jobs: Jobs) -> None:
    await jobs.enqueue("nothing", {}, key="k")
    assert await over(jobs, "k") is JobState.FAILED
    outcome = await jobs.outcome("k")
    assert outcome is not None
    assert outcome.message == "No work is registered under the name nothing."


async def test_what_cannot_be_started_is_refused_at_once(jobs: Jobs) -> None:
    with pytest.raises(ValueError, match="slash"):
        await jobs.enqueue("alone", {}, key="a/b")
    with pytest.raises(ValueError, match="empty"):
        await jobs.enqueue("alone", {}, key=" ")
    with pytest.raises(TypeError):
        await jobs.enqueue("alone", {"connection": object()}, key="k")
    assert await jobs.state("k") is None
    assert await jobs.outcome("k") is None
    await jobs.cancel("k")


async def test_canceling_tells_the_running_tasks_and_begins_nothing_more(jobs: Jobs, recorder: Recorder) -> None:
    await jobs.enqueue("fan", {"n": 30, "held": True}, key="run")
    await until(lambda: recorder.events.count("task t0") == 1 and len(recorder.events) == 5, "four running tasks")
    await jobs.cancel("run")
    assert await jobs.state("run") is JobState.CANCELED
    await until(lambda: recorder.told == [True] * 4, "the tasks to be told")
    assert await jobs.state("run/t29") in (JobState.CANCELED, None)
    recorder.gate.set()
    await jobs.enqueue("alone", {}, key="after")
    assert await over(jobs, "after") is JobState.DONE
    assert await jobs.state("run") is JobState.CANCELED
    outcome = await jobs.outcome("run")
    assert outcome is not None
    assert outcome.state is JobState.CANCELED
    assert len([event for event in recorder.events if event.startswith("task")]) == 4
    assert "finish" not in recorder.events
    assert recorder.messages == []
    await jobs.cancel("run")


async def test_canceling_one_task_lets_the_job_finish_and_see_it(jobs: Jobs, recorder: Recorder) -> None:
    await jobs.enqueue("fan", {"n": 3, "held": True}, key="run")
    await until(lambda: len(recorder.events) == 4, "three running tasks")
    await jobs.cancel("run/t1")
    recorder.gate.set()
    assert await over(jobs, "run") is JobState.DONE
    assert [outcome.state.value for outcome in recorder.outcomes] == ["done", "canceled", "done"]


async def test_canceling_what_is_over_changes_nothing(jobs: Jobs) -> None:
    await jobs.enqueue("alone", {}, key="k")
    assert await over(jobs, "k") is JobState.DONE
    await jobs.cancel("k")
    assert await jobs.state("k") is JobState.DONE


async def test_jobs_that_wait_for_their_tasks_do_not_take_the_places_of_the_tasks(
    jobs: Jobs, recorder: Recorder
) -> None:
    for i in range(10):
        await jobs.enqueue("fan", {"n": 2}, key=f"run{i}")
    for i in range(10):
        assert await over(jobs, f"run{i}") is JobState.DONE
    assert recorder.events.count("finish") == 10


async def test_an_engine_that_only_enqueues_leaves_the_work_to_one_that_runs_it(
    place: Place, database: Database, recorder: Recorder
) -> None:
    front = place.engine(database, executes=False)
    recorder.register(front)
    await front.start()
    await front.enqueue("fan", {"n": 2}, key="run")
    await asyncio.sleep(0.4)
    assert await front.state("run") is JobState.QUEUED
    assert recorder.events == []
    back = place.engine(database, executes=True)
    recorder.register(back)
    await back.start()
    assert await over(front, "run") is JobState.DONE
    await back.stop()
    await front.stop()


async def test_an_engine_starts_and_stops_again_and_again_in_one_process(
    place: Place, database: Database, recorder: Recorder
) -> None:
    for i in range(3):
        jobs = place.engine(database, executes=True)
        recorder.register(jobs)
        await jobs.start()
        await jobs.enqueue("alone", {}, key=f"k{i}")
        assert await over(jobs, f"k{i}") is JobState.DONE
        await jobs.stop()
        await jobs.stop()
    with pytest.raises(RuntimeError, match="not started"):
        await jobs.enqueue("alone", {}, key="late")


async def test_a_second_running_engine_in_one_process_is_refused_and_the_first_goes_on(
    place: Place, database: Database, recorder: Recorder
) -> None:
    first, second = (place.engine(database, executes=True) for _ in range(2))
    recorder.register(first)
    await first.start()
    with pytest.raises(RuntimeError, match="already runs in this process"):
        await second.start()
    await first.enqueue("alone", {}, key="k")
    assert await over(first, "k") is JobState.DONE
    await first.stop()


async def test_stopping_lets_a_running_task_end_within_its_grace(
    place: Place, database: Database, recorder: Recorder
) -> None:
    jobs = place.engine(database, executes=True)
    recorder.register(jobs)
    await jobs.start()
    await jobs.enqueue("alone", {"held": True}, key="k")
    await until(lambda: len(recorder.events) == 1, "the work")
    stopping = asyncio.create_task(jobs.stop(20))
    await asyncio.sleep(0.1)
    recorder.gate.set()
    await stopping
    assert recorder.events == ["alone k 1", "left k"]
    again = place.engine(database, executes=True)
    recorder.register(again)
    await again.start()
    assert await over(again, "k") is JobState.DONE
    await again.stop()
    assert recorder.events == ["alone k 1", "left k"], "its end was recorded, so it is not begun again"


async def test_stopping_cuts_off_what_does_not_end_and_the_next_start_resumes_it(
    place: Place, database: Database, recorder: Recorder
) -> None:
    jobs = place.engine(database, executes=True)
    recorder.register(jobs)
    await jobs.start()
    await jobs.enqueue("fan", {"n": 2, "held": True}, key="run")
    await until(lambda: len(recorder.events) == 3, "two running tasks")
    await jobs.stop(0)
    assert recorder.told == [False, False], "a stop is not a cancellation"
    recorder.gate.set()
    again = place.engine(database, executes=True)
    recorder.register(again)
    await again.start()
    assert await over(again, "run") is JobState.DONE
    await again.stop()
    assert recorder.events.count("plan") == 1, "a plan is kept"
    assert [outcome.result for outcome in recorder.outcomes] == [
        {"double": 0, "attempt": 1},
        {"double": 2, "attempt": 1},
    ]


async def test_work_that_was_taken_but_does_not_run_is_put_back(
    place: Place, database: Database, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = place.engine(database, executes=True)
    recorder.register(jobs)
    lost: list[str] = []
    entered = jobs._calls.entered

    @contextlib.contextmanager
    def lose_the_first(key: str) -> Any:
        if not lost:
            lost.append(key)
            raise SystemExit  # as when the thread could not go on
        with entered(key) as run:
            yield run

    monkeypatch.setattr(jobs._calls, "entered", lose_the_first)
    await jobs.start()
    await jobs.enqueue("alone", {}, key="k")
    assert await over(jobs, "k") is JobState.DONE
    assert lost == ["k"]
    assert recorder.events == ["alone k 1", "left k"]
    await jobs.stop()


async def test_what_was_canceled_stays_canceled_when_a_late_reaper_puts_it_back(
    place: Place, database: Database, recorder: Recorder
) -> None:
    jobs = place.engine(database, executes=True)
    recorder.register(jobs)
    await jobs.start()
    await jobs.enqueue("fan", {"n": 8, "held": True}, key="run")
    await until(lambda: len(recorder.events) == 5, "four running tasks")
    await jobs.cancel("run")
    await until(lambda: len(recorder.told) == 4, "the tasks to be told")
    before = list(recorder.events)
    await jobs.hand_back(["run", *(f"run/t{i}" for i in range(8))])
    assert await jobs.state("run") is JobState.CANCELED
    await jobs.enqueue("alone", {}, key="after")
    assert await over(jobs, "after") is JobState.DONE
    for i in range(8):
        assert await over(jobs, f"run/t{i}") is JobState.CANCELED
    assert await jobs.state("run") is JobState.CANCELED
    assert recorder.events == [*before, "alone after 1", "left after"]
    await jobs.stop()


async def test_work_that_is_put_back_while_it_runs_ends_all_the_same(
    place: Place, database: Database, recorder: Recorder
) -> None:
    jobs = place.engine(database, executes=True)
    recorder.register(jobs)
    await jobs.start()
    await jobs.enqueue("alone", {"held": True}, key="k")
    await until(lambda: len(recorder.events) == 1, "the work")
    await jobs.hand_back(["k"])
    await asyncio.sleep(0.3)
    recorder.gate.set()
    assert await over(jobs, "k") is JobState.DONE
    assert 1 <= recorder.events.count("left k") <= 2
    await jobs.stop()


async def test_a_store_of_two_kinds_is_refused(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'stoa.sqlite'}")
    settings = JobSettings(job_database_url="postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(ValueError, match="STOA_DATABASE_URL must name PostgreSQL too"):
        DbosJobs(settings, database, data=tmp_path, database_url=f"sqlite:///{tmp_path / 'stoa.sqlite'}")
    await database.close()


def test_too_little_patience_with_silent_processes_is_refused() -> None:
    with pytest.raises(ValueError, match="three times"):
        JobSettings(worker_heartbeat_seconds=5, worker_dead_seconds=10)
