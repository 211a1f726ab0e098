"""A token for reading alone: what writes is refused at each door, and says which scopes would do."""

from typing import Any

import pytest

from resolvers.utils.context_packs import create_context_pack, list_context_packs
from schema.utils.context_pack import ContextPackCreate
from tests.doors import Door, Refused
from tests.mcp.agent import STATELESS, Agent
from tests.world import ORG, World

pytestmark = pytest.mark.anyio

PACK: dict[str, Any] = {"name": "Sales", "pack_type": "team"}
CHALLENGE = 'Bearer error="insufficient_scope", scope="stoa:read stoa:write"'


def scoped(world: World, scope: str) -> str:
    """The owner's token, for some scopes."""
    return world.issuer.issue("olga", ORG, project=world.shop, scope=scope)


async def test_an_agent_is_told_to_step_up_and_nothing_was_done(world: World) -> None:
    agent = Agent(world, scoped(world, "openid stoa:read"), revision=STATELESS)
    assert (await agent.call("list_context_packs"))["total"] == 0
    call = {"name": "call_operation", "arguments": {"operation": "create_context_pack", "arguments": {"pack": PACK}}}
    refused = await agent.send("tools/call", call)
    assert agent.last is not None
    assert (agent.last.status_code, refused["error"]["data"]["code"]) == (403, "FORBIDDEN")
    where = "http://stoa.test/.well-known/oauth-protected-resource/mcp"
    assert agent.last.headers["www-authenticate"] == f'{CHALLENGE}, resource_metadata="{where}"'
    told = (await world.request("GET", "/.well-known/oauth-protected-resource/mcp")).json()
    assert told["scopes_supported"] == ["stoa:read", "stoa:write"]
    read = (await world.request("GET", "/.well-known/oauth-protected-resource/mcp/read")).json()
    assert read["scopes_supported"] == ["stoa:read"]
    agent.token = scoped(world, "stoa:read stoa:write")
    assert (await agent.call("list_context_packs"))["total"] == 0
    assert (await agent.call("create_context_pack", pack=PACK))["data"]["name"] == "Sales"


async def test_the_other_doors_refuse_the_same(world: World, door: Door) -> None:
    token = scoped(world, "stoa:read")
    refused = await door(create_context_pack, token, pack=ContextPackCreate(**PACK))
    assert isinstance(refused, Refused)
    assert (refused.status, refused.code) == (403, "FORBIDDEN")
    assert (await door(list_context_packs, token))["total"] == 0
    answer = await world.request("POST", "/utils/context-packs", token=token, json=PACK)
    assert (answer.status_code, answer.headers["www-authenticate"]) == (403, CHALLENGE)


async def test_scopes_that_are_not_the_platforms_limit_nothing(world: World, door: Door) -> None:
    made = await door(create_context_pack, scoped(world, "openid email"), pack=ContextPackCreate(**PACK))
    assert made["name"] == "Sales"
