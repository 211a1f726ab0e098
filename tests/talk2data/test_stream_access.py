"""The stream of a turn ends when its caller may not follow it any longer; the turn itself goes on."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from auth.relations import RelationTuple, object_name, user_subject
from schema.errors import UpstreamUnavailable
from tests.support.chat import KINDS, ScriptedEngine, asked, begun, streamed, turn_of
from tests.support.graph_socket import socket
from tests.talk2data.test_stream import Follower, served
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

FOLLOW = """subscription Follow($s: UUID!, $t: UUID!) {
    turnEvents(sessionId: $s, turnId: $t) { sequence event final data }
}"""


@pytest.fixture(autouse=True)
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at permissions at once."""
    monkeypatch.setattr("resolvers.granted_stream.CHECK_SECONDS", 0.0)


async def revoked(world: World, role: str = "operator") -> None:
    """Take the role in the project away from who holds it."""
    gone = RelationTuple(user_subject(f"{role}-of-project"), role, object_name("project", world.shop))
    await world.app.parts.services.relations.write("acme", [], [gone], lenient=True)


async def test_a_stream_ends_with_the_token_and_is_taken_up_with_a_new_one(
    world: World, engine: ScriptedEngine
) -> None:
    gate = engine.gate(2)
    turn = await asked(world, await begun(world))
    async with served(world.app) as address:
        follower = Follower(address, turn, world.token("olga", project=world.shop, ttl=60))
        await follower.seen(4)
        world.clock.moment += timedelta(minutes=5)
        await follower.task
    *seen, last = follower.events
    assert [event["event"] for event in seen] == KINDS[:4]
    assert (last["event"], last["final"], last["sequence"]) == ("error", True, 4)
    assert last["data"] == {
        "code": "TOKEN_EXPIRED",
        "message": "The token has expired. Obtain a new one and follow again.",
    }
    gate.set()
    await world.jobs.settle()
    assert (await turn_of(world, turn))["state"] == "completed"
    rest = await streamed(world, turn, headers={"Last-Event-ID": str(last["sequence"])})
    assert [event["event"] for event in seen + rest] == KINDS


async def test_a_stream_ends_with_the_permission_of_its_caller(world: World, engine: ScriptedEngine) -> None:
    gate = engine.gate(2)
    operator = await world.member("operator")
    turn = await asked(world, await begun(world, operator), token=operator)
    async with served(world.app) as address:
        follower = Follower(address, turn, operator)
        await follower.seen(4)
        await revoked(world)
        await follower.task
    last = follower.events[-1]
    assert (last["event"], last["final"], last["sequence"]) == ("error", True, 4)
    assert last["data"]["code"] == "PROJECT_ACCESS_DENIED"
    assert "Ask an administrator" in last["data"]["message"]
    signals = world.app.parts.services.signals
    assert (signals.streams, signals.listeners) == (0, 0)
    gate.set()
    await world.jobs.settle()
    await world.grant("operator-of-project", "operator", "project", world.shop)
    assert (await turn_of(world, turn, operator))["state"] == "completed"
    assert [event["event"] for event in await streamed(world, turn, operator)] == KINDS


async def test_a_subscription_ends_with_the_permission_of_its_caller(world: World, engine: ScriptedEngine) -> None:
    gate = engine.gate(2)
    operator = await world.member("operator")
    turn = await asked(world, await begun(world, operator), token=operator)
    seen: list[dict[str, Any]] = []
    async with socket(world.app, {"Authorization": f"Bearer {operator}"}) as ws:
        assert (await ws.message())["type"] == "connection_ack"
        ws.subscribe("1", FOLLOW, s=turn["session_id"], t=turn["turn_id"])
        while (message := await ws.message())["type"] == "next":
            seen.append(message["payload"]["data"]["turnEvents"])
            if len(seen) == 4:
                await revoked(world)
    assert message["type"] == "complete"
    assert [(one["event"], one["final"]) for one in seen[4:]] == [("ERROR", True)]
    assert seen[-1]["data"]["code"] == "PROJECT_ACCESS_DENIED"
    gate.set()
    await world.jobs.settle()


async def test_nothing_is_told_while_nobody_can_say_who_may_follow(
    world: World, engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = engine.gate(2)
    turn = await asked(world, await begun(world))
    relations = world.app.parts.services.relations
    async with served(world.app) as address:
        follower = Follower(address, turn, world.owner)
        await follower.seen(4)
        asks = type(relations).allowed

        async def down(*given: Any, **named: Any) -> bool:
            raise UpstreamUnavailable("The authorization engine cannot be reached.")

        monkeypatch.setattr(type(relations), "allowed", down)
        await asyncio.sleep(0.6)  # two looks at the store
        gate.set()
        await asyncio.sleep(0.6)
        told = len(follower.events)
        monkeypatch.setattr(type(relations), "allowed", asks)
        await follower.task
    assert told == 4
    assert [event["event"] for event in follower.events] == KINDS
