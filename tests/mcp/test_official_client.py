"""The protocol's own Python client talks to the door, in both revisions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.support.needs import missing
from tests.world import World

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def connected(world: World, mode: str) -> AsyncIterator[Any]:
    """The client, connected as the owner without a socket."""
    try:
        import httpx2
        from mcp.client import Client
        from mcp.client.streamable_http import streamable_http_client
    except ImportError:
        missing("The package mcp", "install the extra `dev`")
    headers = {"Authorization": f"Bearer {world.owner}"}
    transport = httpx2.ASGITransport(world.app)
    async with (
        httpx2.AsyncClient(transport=transport, headers=headers) as http,
        Client(streamable_http_client("http://stoa.test/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28", "auto"])
async def test_the_official_client_lists_and_calls(world: World, mode: str) -> None:
    async with connected(world, mode) as client:
        tools = (await client.list_tools()).tools
        assert {"ask", "find", "call_operation"} <= {tool.name for tool in tools}
        pack = {"pack": {"name": "Sales", "pack_type": "team"}}
        made = await client.call_tool("call_operation", {"operation": "create_context_pack", "arguments": pack})
        assert not made.is_error
        assert made.structured_content["data"]["name"] == "Sales"
        refused = await client.call_tool("call_operation", {"operation": "create_context_pack", "arguments": {}})
        assert refused.is_error
        assert refused.structured_content["error"]["status"] == 400
