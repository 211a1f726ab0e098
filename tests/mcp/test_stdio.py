"""Two pipes instead of HTTP: the same answers, and an answer to every request whatever becomes of it."""

import asyncio
from typing import Any

import orjson
import pytest

from rest_compat.mcp.stdio import Bridge
from tests.mcp.agent import STATELESS
from tests.world import World

pytestmark = pytest.mark.anyio


async def told(world: World, *messages: Any, token: str | None = None, url: str = "/mcp") -> list[dict[str, Any]]:
    """Return what a client reads that wrote these lines."""
    lines = iter([one if isinstance(one, bytes) else orjson.dumps(one) + b"\n" for one in messages])
    written: list[bytes] = []

    async def line() -> bytes:
        await asyncio.sleep(0)
        return next(lines, b"")

    bridge = Bridge(world.client, url, lambda: token or world.owner, project=world.shop)
    await bridge.carry(line, written.append)
    assert all(one.count(b"\n") == 1 and one.endswith(b"\n") for one in written)
    return sorted((orjson.loads(one) for one in written), key=lambda one: str(one["id"]))


def asked(number: Any, method: str, **params: Any) -> dict[str, Any]:
    """A request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


async def test_lines_are_answered_and_notifications_are_not(world: World) -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": STATELESS, "io.modelcontextprotocol/clientCapabilities": {}}
    answers = await told(
        world,
        asked(1, "initialize", protocolVersion="2025-06-18"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        b"\n",
        asked(2, "tools/call", name="call_operation", arguments={"operation": "list_context_packs"}),
        asked(3, "tools/call", name="find", arguments={}, _meta=meta),
    )
    assert [one["id"] for one in answers] == [1, 2, 3]
    assert answers[1]["result"]["structuredContent"]["total"] == 0
    assert answers[2]["result"]["resultType"] == "complete"


async def test_every_request_has_an_answer(world: World) -> None:
    (refused,) = await told(world, asked(7, "ping"), token="no.such.token")
    assert (refused["id"], refused["error"]["data"]["status"]) == (7, 401)
    (broken,) = await told(world, b"{\n")
    assert (broken["id"], broken["error"]["code"]) == (None, -32700)
    (lost,) = await told(world, asked("a", "ping"), url="/nowhere")
    assert (lost["id"], lost["error"]["message"]) == ("a", "The server at /nowhere answered 404.")
