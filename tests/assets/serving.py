"""Registering a server in a test, and bringing it to where its tools can be called."""

from typing import Any

from resolvers.assets.registered_servers import create_registered_server
from resolvers.assets.server_calls import call_registered_server
from resolvers.assets.server_tools import approve_registered_server_tools, verify_registered_server
from tests.doors import Door
from tests.world import World

TOKEN = "a-token-that-nobody-is-shown"


async def registered(world: World, door: Door, url: str, kind: str = "mcp", **given: Any) -> str:
    """The URI of a server that was registered."""
    body = {"kind": kind, "name": "Theirs", "url": url} | given
    made = await door(create_registered_server, world.owner, server=body)
    assert "resource_uri" in made, made
    return str(made["resource_uri"])


async def verified(world: World, door: Door, uri: str) -> dict[str, Any]:
    """Return what a verification has found."""
    found: dict[str, Any] = await door(verify_registered_server, world.owner, resource_uri=uri)
    return found


async def approved(world: World, door: Door, uri: str) -> dict[str, Any]:
    """A server whose tools were read and approved."""
    found = await verified(world, door, uri)
    assert found["success"], found
    approval = {"sha256": found["sha256"]}
    done: dict[str, Any] = await door(approve_registered_server_tools, world.owner, resource_uri=uri, approval=approval)
    assert done["status"] == "ACTIVE", done
    return done


async def ready(world: World, door: Door, url: str, kind: str = "mcp", **given: Any) -> str:
    """The URI of a server that can be called."""
    uri = await registered(world, door, url, kind, **given)
    await approved(world, door, uri)
    return uri


async def called(world: World, door: Door, uri: str, tool: str, *, token: str | None = None, **arguments: Any) -> Any:
    """Return what a call came to."""
    call = {"tool": tool, "arguments": arguments}
    return await door(call_registered_server, token or world.owner, resource_uri=uri, call=call)
