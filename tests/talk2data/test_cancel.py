"""Canceling the task behind a turn: it ends once, at once, and what was told stays."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from resolvers.talk2data.sessions import get_chat_session
from resolvers.talk2data.turns import cancel_task, create_turn
from schema.talk2data.turn import TurnCreate
from tests.doors import Door
from tests.support.chat import KINDS, ScriptedEngine, asked, begun, streamed, turn_of
from tests.world import World

pytestmark = pytest.mark.anyio


async def told(world: World, turn: dict[str, Any], state: str) -> None:
    """Wait until the turn stands there."""
    async with asyncio.timeout(120):
        while (await turn_of(world, turn))["state"] != state:
            await asyncio.sleep(0.01)


async def held(world: World, engine: ScriptedEngine, step: int) -> dict[str, Any]:
    """A turn whose engine stands before a step, everything before it told."""
    engine.gate(step)
    turn = await asked(world, await begun(world))
    async with asyncio.timeout(120):
        while len((await world.dump())["turn_events"]) < step + 2:
            await asyncio.sleep(0.01)
    return turn


async def test_a_canceled_task_stops_its_engine_and_ends_its_stream(
    world: World, door: Door, engine: ScriptedEngine
) -> None:
    turn = await held(world, engine, 3)
    following = asyncio.create_task(streamed(world, turn))
    canceled = await door(cancel_task, world.owner, task_id=turn["task_id"])
    assert canceled == {
        "task_id": turn["task_id"],
        "session_id": turn["session_id"],
        "turn_id": turn["turn_id"],
        "state": "canceled",
    }
    events = await following
    await world.jobs.settle()
    assert engine.broken_off == 1
    assert [event["event"] for event in events] == [*KINDS[:5], "task_update", "done"]
    assert [event["final"] for event in events] == [False] * 6 + [True]
    assert events[-1]["data"] == {"state": "canceled", "message": "The task was canceled."}
    assert await streamed(world, turn) == events
    read = await turn_of(world, turn)
    assert read["state"] == "canceled"
    assert [(u["state"], u["final"]) for u in read["task_updates"]][-1] == ("canceled", True)
    assert [message["content"] for message in read["messages"]] == ["How many orders?", "There are "]
    session = await door(get_chat_session, world.owner, session_id=turn["session_id"])
    assert (session["turn_count"], session["message_count"], session["artifact_count"]) == (1, 2, 0)


async def test_what_is_over_cannot_be_canceled(world: World, door: Door, engine: ScriptedEngine) -> None:
    done = await asked(world, await begun(world))
    await world.jobs.settle()
    stopped = await held(world, engine, 1)
    assert (await door(cancel_task, world.owner, task_id=stopped["task_id"]))["state"] == "canceled"
    before = await world.dump()
    for turn, state in ((done, "completed"), (stopped, "canceled")):
        refused = await door(cancel_task, world.owner, task_id=turn["task_id"])
        assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
        assert state in refused.message
    assert await world.dump() == before


async def test_a_task_is_canceled_by_its_asker_alone(world: World, door: Door, engine: ScriptedEngine) -> None:
    turn = await held(world, engine, 2)
    admin, viewer = await world.member("admin"), await world.member("viewer")
    before = await world.dump()
    for token, id_, code, status in (
        (admin, turn["task_id"], "FORBIDDEN", 403),
        (viewer, turn["task_id"], "FORBIDDEN", 403),
        (world.foreign_owner, turn["task_id"], "RESOURCE_NOT_FOUND", 404),
        (world.token("olga", project=world.lab), turn["task_id"], "RESOURCE_NOT_FOUND", 404),
        (world.owner, str(uuid4()), "RESOURCE_NOT_FOUND", 404),
        (world.owner, turn["turn_id"], "RESOURCE_NOT_FOUND", 404),
    ):
        refused = await door(cancel_task, token, task_id=id_)
        assert (refused.code, refused.status) == (code, status)
    assert await world.dump() == before
    assert not engine.broken_off


async def test_a_session_takes_the_next_question_after_a_cancel(
    world: World, door: Door, engine: ScriptedEngine
) -> None:
    turn = await held(world, engine, 2)
    assert (await door(cancel_task, world.owner, task_id=turn["task_id"]))["state"] == "canceled"
    engine.gates.clear()
    again = await door(create_turn, world.owner, session_id=turn["session_id"], turn=TurnCreate(message="And now?"))
    await told(world, again, "completed")
    assert [m.content for m in engine.questions[-1].history] == ["How many orders?", "There are "]


async def test_cancels_and_answers_that_race_end_a_turn_once(world: World, engine: ScriptedEngine) -> None:
    for _ in range(15):
        turn = await asked(world, await begun(world))
        path = f"/talk2data/chat/messages/{turn['task_id']}/cancel"
        answers = await asyncio.gather(*(world.request("POST", path, token=world.owner) for _ in range(3)))
        await world.jobs.settle()
        won = [answer.status_code for answer in answers].count(200)
        events = await streamed(world, turn)
        assert won <= 1
        assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
        assert [event["final"] for event in events] == [False] * (len(events) - 1) + [True]
        assert events[-1]["data"]["state"] == ("canceled" if won else "completed")
