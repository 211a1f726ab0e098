"""Registered servers, which have roles of their own as data connections do."""

from typing import Any
from uuid import uuid4

from persistence.repository import Scope
from persistence.store import UnitOfWork
from schema.assets.registered_server import (
    RegisteredServerCreate,
    RegisteredServerUpdate,
    ServerApproval,
    ServerCallCreate,
    ServerKind,
    ServerStatus,
)
from tests.contract.cases.events import NOWHERE
from tests.contract.stage import CONNECTION_ROLES, MARK, Case, Place, Stage, nothing

SHA = "0f" * 32
TOOL = {"name": f"{MARK}_tool", "description": f"{MARK} words", "inputSchema": {"type": "object"}}
"""A tool that a server offers, and the hash of the list as it may be."""


async def new_server(stage: Stage, place: Place) -> dict[str, Any]:
    """A server to register."""
    name = f"{MARK} {uuid4().hex}"
    return {
        "server": RegisteredServerCreate(kind=ServerKind.MCP, name=name, url=NOWHERE, resource_uri=f"n-{uuid4().hex}")
    }


async def server(stage: Stage, place: Place, kind: str = "mcp", **state: Any) -> dict[str, Any]:
    """A server that stands; in the roles' own project the roles of a resource hold theirs on it."""
    name = f"{MARK} {uuid4().hex}"
    body = {"kind": kind, "name": name, "url": f"{NOWHERE}/{MARK}", "description": f"{MARK} words"}
    body["resource_uri"] = f"s-{uuid4().hex}"
    made = await stage.made(place, "POST", "/assets/servers", body)
    uri, scope = made["resource_uri"], Scope(place.organization)
    if state:

        def known(uow: UnitOfWork) -> None:
            uow.registered_servers.change(scope, uri, state)

        await stage.world.app.parts.services.store.write(known)
    if place.name == "own":
        roles = ((f"{role}-of-data_connection", role, f"{kind}_server", uri) for role in CONNECTION_ROLES)
        await stage.world.grant_all(roles)
    return {"resource_uri": uri}


async def an_api(stage: Stage, place: Place) -> dict[str, Any]:
    """An API that stands."""
    return await server(stage, place, "api")


async def changed_server(stage: Stage, place: Place) -> dict[str, Any]:
    """A server, and a new name."""
    return await server(stage, place) | {"changes": RegisteredServerUpdate.model_validate({"name": "new"})}


async def seen_server(stage: Stage, place: Place) -> dict[str, Any]:
    """A server whose tools were read, and the approval of them."""
    made = await server(stage, place, seen_sha256=SHA, seen_tools=[TOOL], seen_at=stage.world.clock(), tool_count=1)
    return made | {"approval": ServerApproval(sha256=SHA)}


async def approved_server(stage: Stage, place: Place) -> dict[str, Any]:
    """A server whose tools were approved, and that cannot be reached now; a call to it."""
    state = {"status": ServerStatus.ACTIVE, "approved_sha256": SHA, "approved_tools": [TOOL], "seen_tools": [TOOL]}
    made = await server(stage, place, **state)
    return made | {"call": ServerCallCreate(tool=TOOL["name"])}


async def a_server_with_tools(stage: Stage, place: Place) -> dict[str, Any]:
    """A server whose tools were read."""
    return {"resource_uri": (await seen_server(stage, place))["resource_uri"]}


async def a_server_that_was_called(stage: Stage, place: Place) -> dict[str, Any]:
    """A server with a call in its log."""
    made = await approved_server(stage, place)
    uri = made["resource_uri"]
    await stage.made(place, "POST", f"/assets/servers/{uri}/calls", {"tool": TOOL["name"]})
    return {"resource_uri": uri}


CASES = [
    Case("create_registered_server", "project", "can_create_resources", new_server),
    Case("list_registered_servers", "project", "can_read", nothing),
    Case("get_registered_server", "server", "can_read", server, "resource_uri"),
    Case("get_registered_server", "server", "can_read", an_api, "resource_uri"),
    Case("update_registered_server", "server", "can_write", changed_server, "resource_uri"),
    Case("delete_registered_server", "server", "can_delete", server, "resource_uri"),
    Case("verify_registered_server", "server", "can_execute", server, "resource_uri"),
    Case("verify_registered_server", "server", "can_execute", an_api, "resource_uri"),
    Case("list_registered_server_tools", "server", "can_read", a_server_with_tools, "resource_uri"),
    Case("approve_registered_server_tools", "server", "can_write", seen_server, "resource_uri"),
    Case("call_registered_server", "server", "can_execute", approved_server, "resource_uri"),
    Case("list_registered_server_calls", "server", "can_read", a_server_that_was_called, "resource_uri"),
]
