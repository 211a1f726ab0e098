"""The stream of a turn over HTTP: every event once and in order, whenever and wherever it is opened."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import uvicorn

from persistence.jobs.port import InlineJobs
from resolvers.talk2data.answering.port import AnswerEvent
from rest_compat.app import create_app
from tests.support.chat import (
    ANSWER,
    KINDS,
    E,
    ScriptedEngine,
    asked,
    begun,
    events_of,
    stream_of,
    streamed,
    turn_of,
)
from tests.support.postgres import free_port
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]


@asynccontextmanager
async def served(app: Any) -> AsyncIterator[str]:
    """The application behind a real server; its address."""
    port = free_port()
    server = uvicorn.Server(
        uvicorn.Config(app, host="127.0.0.1", port=port, lifespan="off", log_config=None, access_log=False)
    )
    serving = asyncio.create_task(server.serve())
    await until(lambda: server.started, "the server")
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await serving


async def until(holds: Any, what: str) -> None:
    """Look again until it holds."""
    try:
        async with asyncio.timeout(120):
            while not holds():
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise AssertionError(f"waited in vain for {what}") from None


class Follower:
    """One client that follows a stream and collects what comes."""

    def __init__(self, address: str, turn: dict[str, Any], token: str, **headers: str) -> None:
        self.text = ""
        self.status = 0
        self.headers: dict[str, str] = {}
        self._url = address + stream_of(turn)
        self._headers = {"Authorization": f"Bearer {token}"} | {n.replace("_", "-"): v for n, v in headers.items()}
        self.task = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        async with (
            httpx.AsyncClient(timeout=60) as client,
            client.stream("POST", self._url, headers=self._headers, json={}) as answer,
        ):
            self.status, self.headers = answer.status_code, dict(answer.headers)
            async for text in answer.aiter_text():
                self.text += text

    @property
    def events(self) -> list[dict[str, Any]]:
        """Return what has come so far, whole events alone."""
        whole, _, _ = self.text.rpartition("\n\n")
        return events_of(whole)

    async def seen(self, number: int) -> None:
        """Wait until so many events have come."""
        await until(lambda: len(self.events) >= number, f"event {number}")

    async def gone(self) -> None:
        """Hang up."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def test_events_come_as_they_happen_and_end_with_the_final_one(world: World, engine: ScriptedEngine) -> None:
    gate = engine.gate(3)
    turn = await asked(world, await begun(world))
    async with served(world.app) as address:
        follower = Follower(address, turn, world.owner)
        await follower.seen(5)
        assert [event["event"] for event in follower.events] == KINDS[:5]
        assert not follower.task.done()
        gate.set()
        await follower.task
    assert follower.status == 200
    assert follower.headers["content-type"].startswith("text/event-stream")
    assert follower.headers["cache-control"] == "no-cache"
    assert follower.headers["x-accel-buffering"] == "no"
    assert "content-length" not in follower.headers
    events = follower.events
    assert [event["event"] for event in events] == KINDS
    assert [event["sequence"] for event in events] == list(range(1, len(KINDS) + 1))
    assert [event["final"] for event in events] == [False] * (len(KINDS) - 1) + [True]
    assert {(event["turn_id"], event["task_id"]) for event in events} == {(turn["turn_id"], turn["task_id"])}
    assert all(set(e) == {"sequence", "event", "turn_id", "task_id", "final", "data", "created_at"} for e in events)
    assert [event["data"] for event in events[3:7]] == [told.data for told in ANSWER[1:5]]
    assert events[7]["data"] == {"artifact_description": None} | ANSWER[5].data
    assert events[8]["data"]["state"] == "completed"
    assert events[9]["data"] == {"state": "completed", "message": "Answered."}


async def test_a_stream_that_is_opened_late_twice_or_by_get_shows_the_same_events(world: World) -> None:
    turn = await asked(world, await begun(world))
    first, second = await asyncio.gather(streamed(world, turn), streamed(world, turn))
    await world.jobs.settle()
    assert first == second == await streamed(world, turn) == await streamed(world, turn, method="GET")
    assert [event["event"] for event in first] == KINDS


async def test_a_stream_is_resumed_after_the_last_event_seen(world: World, engine: ScriptedEngine) -> None:
    gate = engine.gate(4)
    turn = await asked(world, await begun(world))
    async with served(world.app) as address:
        broken = Follower(address, turn, world.owner)
        await broken.seen(6)
        await broken.gone()
        seen = broken.events
        resumed = Follower(address, turn, world.owner, Last_Event_ID=str(seen[-1]["sequence"]))
        gate.set()
        await resumed.task
    whole = await streamed(world, turn)
    assert seen + resumed.events == whole
    for at in range(len(whole) + 1):
        assert await streamed(world, turn, headers={"Last-Event-ID": str(at)}) == whole[at:]
        assert await streamed(world, turn, params={"last_event_id": at}) == whole[at:]
    both = await streamed(world, turn, headers={"Last-Event-ID": "3"}, params={"last_event_id": 1})
    assert both == whole[3:]


@pytest.mark.parametrize("at", ["11", "-1", "x", "", "2000000001", "1.5"])
async def test_an_event_that_never_was_cannot_be_resumed_from(world: World, at: str) -> None:
    turn = await asked(world, await begun(world))
    await world.jobs.settle()
    refused = await world.request("POST", stream_of(turn), token=world.owner, headers={"Last-Event-ID": at})
    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (400, "INVALID_PARAMETER")
    assert error["details"]["field"] == "last_event_id"


async def test_what_is_refused_is_refused_before_anything_is_streamed(world: World) -> None:
    turn = await asked(world, await begun(world))
    other, viewer = await world.member("admin"), await world.member("viewer")
    for token, path, status, code in (
        (None, stream_of(turn), 401, "UNAUTHENTICATED"),
        (other, stream_of(turn), 403, "FORBIDDEN"),
        (viewer, stream_of(turn), 403, "FORBIDDEN"),
        (world.foreign_owner, stream_of(turn), 404, "RESOURCE_NOT_FOUND"),
        (world.owner, stream_of(turn | {"turn_id": str(uuid4())}), 404, "RESOURCE_NOT_FOUND"),
        (world.owner, stream_of(turn | {"session_id": str(uuid4())}), 404, "RESOURCE_NOT_FOUND"),
        (world.owner, stream_of(turn | {"turn_id": "x"}), 400, "INVALID_PARAMETER"),
    ):
        for method in ("GET", "POST"):
            refused = await world.request(method, path, token=token)
            assert (refused.status_code, refused.json()["error"]["code"]) == (status, code)
            assert refused.headers["content-type"] == "application/json"
    refused = await world.request("PUT", stream_of(turn), token=world.owner)
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD, POST")


class Idle(InlineJobs):
    """The job engine of a process that runs no jobs."""

    async def start(self) -> None:
        """Do nothing."""


async def test_another_process_streams_the_same_events(world: World, engine: ScriptedEngine) -> None:
    gate = engine.gate(3)
    turn = await asked(world, await begun(world))
    elsewhere = create_app(world.app.parts.settings, jobs=Idle(), clock=world.clock)
    await elsewhere.open()
    try:
        async with served(world.app) as here, served(elsewhere) as there:
            followers = [Follower(address, turn, world.owner) for address in (here, there, there)]
            for follower in followers:
                await follower.seen(5)
            gate.set()
            await asyncio.gather(*(follower.task for follower in followers))
    finally:
        await elsewhere.close()
    assert followers[0].events == followers[1].events == followers[2].events
    assert [event["event"] for event in followers[0].events] == KINDS


class TestSilence:
    """Streams that have nothing to tell for a while."""

    @pytest.fixture
    def setting_overrides(self) -> dict[str, Any]:
        """Short silences."""
        return {"stream_heartbeat_seconds": 0.05, "streams_per_caller": 3}

    async def test_silence_is_broken_by_comments(self, world: World, engine: ScriptedEngine) -> None:
        gate = engine.gate(2)
        turn = await asked(world, await begun(world))
        async with served(world.app) as address:
            follower = Follower(address, turn, world.owner)
            await until(lambda: follower.text.count(": still here\n\n") >= 3, "three comments")
            gate.set()
            await follower.task
        assert [event["event"] for event in follower.events] == KINDS

    async def test_a_caller_may_follow_a_bounded_number_at_once(self, world: World, engine: ScriptedEngine) -> None:
        gate = engine.gate(0)
        turn = await asked(world, await begun(world))
        signals = world.app.parts.services.signals
        async with served(world.app) as address:
            followers = [Follower(address, turn, world.owner) for _ in range(3)]
            await until(lambda: signals.streams == 3, "three streams")
            refused = await world.request("POST", stream_of(turn), token=world.owner)
            assert (refused.status_code, refused.json()["error"]["code"]) == (429, "QUOTA_EXCEEDED")
            await followers[0].gone()
            await until(lambda: signals.streams == 2, "a free place")
            followers[0] = Follower(address, turn, world.owner)
            await until(lambda: signals.streams == 3, "three streams again")
            gate.set()
            await asyncio.gather(*(follower.task for follower in followers))
        assert (signals.streams, signals.listeners) == (0, 0)
        assert all([event["event"] for event in follower.events] == KINDS for follower in followers)


async def test_a_client_that_goes_away_frees_everything_at_once(world: World, engine: ScriptedEngine) -> None:
    gate = engine.gate(2)
    turn = await asked(world, await begun(world))
    signals = world.app.parts.services.signals
    before = len(asyncio.all_tasks())
    async with served(world.app) as address:
        followers = [Follower(address, turn, world.owner) for _ in range(5)]
        for follower in followers:
            await follower.seen(4)
        await until(lambda: (signals.streams, signals.listeners) == (5, 5), "five streams")
        for follower in followers:
            await follower.gone()
        # The heartbeat is far away, so it is the hanging up that was noticed.
        await until(lambda: (signals.streams, signals.listeners) == (0, 0), "five streams to be gone")
    await until(lambda: len(asyncio.all_tasks()) <= before, "the tasks of the streams to end")
    gate.set()
    await world.jobs.settle()
    assert (await turn_of(world, turn))["state"] == "completed"


async def test_waiting_streams_hold_no_connection_to_the_store(world: World, engine: ScriptedEngine) -> None:
    gate = engine.gate(2)
    turn = await asked(world, await begun(world))
    engines = world.app.parts.database.sync_engines
    async with served(world.app) as address:
        followers = [Follower(address, turn, world.owner) for _ in range(15)]
        for follower in followers:
            await follower.seen(4)
        held = []
        for _ in range(20):
            await asyncio.sleep(0.01)
            held.append(sum(one.pool.checkedout() for one in engines))  # type: ignore[attr-defined]
        assert min(held) == 0, held
        assert (await world.request("GET", "/talk2data/chat/sessions", token=world.owner)).status_code == 200
        gate.set()
        await asyncio.gather(*(follower.task for follower in followers))
    assert all([event["event"] for event in follower.events] == KINDS for follower in followers)


async def test_a_long_answer_is_streamed_whole(world: World, engine: ScriptedEngine) -> None:
    engine.script = [AnswerEvent(E.MESSAGE_DELTA, {"delta": f"{number}\n\nid: 9\n"}) for number in range(450)]
    turn = await asked(world, await begun(world))
    async with served(world.app) as address:
        follower = Follower(address, turn, world.owner)
        await follower.task
    events = follower.events
    assert [event["sequence"] for event in events] == list(range(1, 455))
    text = "".join(event["data"]["delta"] for event in events[2:-2])
    assert text == "".join(f"{number}\n\nid: 9\n" for number in range(450))
    assert (await turn_of(world, turn))["messages"][1]["content"] == text


async def test_a_stream_ends_when_its_session_is_deleted(world: World, engine: ScriptedEngine) -> None:
    engine.gate(2)
    turn = await asked(world, await begun(world))
    async with served(world.app) as address:
        follower = Follower(address, turn, world.owner)
        await follower.seen(4)
        while not engine.held:
            await asyncio.sleep(0.01)
        gone = await world.request("DELETE", f"/talk2data/chat/sessions/{turn['session_id']}", token=world.owner)
        assert (gone.status_code, gone.json()) == (200, {})
        await follower.task
    last = follower.events[-1]
    assert (last["event"], last["final"], last["sequence"]) == ("done", True, 5)
    assert last["data"] == {"state": "canceled", "message": "The session was deleted."}
    assert engine.broken_off == 1


async def test_streams_end_when_the_process_stops_and_go_on_elsewhere(
    world: World, engine: ScriptedEngine, tmp_path: Path
) -> None:
    gate = engine.gate(2)
    turn = await asked(world, await begun(world))
    elsewhere = create_app(world.app.parts.settings, jobs=Idle(), clock=world.clock)
    await elsewhere.open()
    try:
        async with served(elsewhere) as address:
            follower = Follower(address, turn, world.owner)
            await follower.seen(4)
            elsewhere.begin_shutdown()
            await follower.task
    finally:
        await elsewhere.close()
    assert [event["event"] for event in follower.events] == KINDS[:4]
    gate.set()
    rest = await streamed(world, turn, headers={"Last-Event-ID": "4"})
    assert [event["event"] for event in follower.events + rest] == KINDS
