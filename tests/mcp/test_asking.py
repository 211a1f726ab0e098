"""Agents ask: the answer, the question back, and what goes on by itself."""

import asyncio
from typing import Any

import pytest

from tests.mcp.agent import Agent
from tests.support.ingestion import Bench, source
from tests.talk2data.asking import ScriptedDrafter, draft, drafter, shop, world
from tests.talk2data.test_clarifications import BEST, CREDIT
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio


async def asked(agent: Agent, **given: Any) -> dict[str, Any]:
    """Ask, while the jobs of the test's platform run."""
    asking = asyncio.create_task(agent.tool("ask", **given))
    while not asking.done():
        await asyncio.sleep(0.05)
        await agent.world.jobs.settle()
    return asking.result()


async def test_a_question_is_answered_asked_back_and_its_reading_picked(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Who is best?"] = BEST
    agent = Agent(world, world.owner)
    back = (await asked(agent, question="Who is best?"))["data"]
    assert (back["done"], back["kind"]) == (True, "clarification")
    assert back["readings"][0]["sql"] == CREDIT
    picked = await asked(
        agent, question="that", session=back["session"], reading_id=back["readings"][0]["id"], idempotency_key="k"
    )
    answer = picked["data"]
    assert (answer["state"], answer["from"]["row_count"], picked["complete"]) == ("completed", 2, True)
    assert "readings" not in answer
    rows = await agent.tool("rows", resource_uri=answer["artifacts"][0])
    assert [row[0] for row in rows["data"]["rows"]] == [2, 1]
    watched = await Agent(world, world.owner, "/mcp/read").tool("watch", handle=answer["handle"])
    assert watched["data"] == answer
    stranger = Agent(world, await world.member("developer"))
    assert (await stranger.tool("watch", handle=answer["handle"]))["error"]["status"] == 403


async def test_a_long_question_goes_on_under_its_handle(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    drafter.script["How many?"] = draft("select count(*) as orders from orders")
    agent = Agent(world, world.owner)
    begun = (await agent.tool("ask", question="How many?", wait_seconds=0))["data"]
    assert (begun["done"], begun["answer"]) == (False, None)
    await world.jobs.settle()
    assert (await agent.tool("watch", handle=begun["handle"], wait_seconds=0))["data"]["state"] == "completed"


async def test_tools_tell_what_the_operations_do(world: World, shop: Bench) -> None:
    agent = Agent(world, world.owner, "/mcp/read")
    found = await agent.tool("find", q="customers", asset_type="table")
    assert (found["total"], found["complete"]) == (1, True)
    asset = found["data"][0]
    told = await agent.tool("describe", resource_uri=asset["resource_uri"], fqn=asset["fully_qualified_name"])
    assert told["data"]["fully_qualified_name"] == asset["fully_qualified_name"]
    quality = await agent.tool("quality", asset_fqn=asset["fully_qualified_name"])
    assert (quality["total"], quality["suspect_cells"]["total"]) == (1, 0)
    assert (await agent.tool("violations"))["data"] == []
    why = {"permission": "can_read", "resource_type": "project", "resource_id": world.shop}
    assert "error" not in await agent.tool("explain_permission", **why)


@pytest.mark.parametrize("handle", ["", "turn:", "turn:a", "run:a/", 7, "x:a/b"])
async def test_a_handle_that_is_none_is_refused(world: World, handle: Any) -> None:
    refused = await Agent(world, world.owner).tool("watch", handle=handle)
    assert refused["error"]["details"] == {"field": "handle"}
