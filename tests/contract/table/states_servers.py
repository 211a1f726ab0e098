"""What the state of a registered server does not allow."""

from typing import Any

from schema.assets.registered_server import ServerApproval, ServerCallCreate
from tests.contract.cases import servers
from tests.contract.stage import Place, Stage
from tests.contract.table.errors import Makes, State

CONFLICT = (409, "VERSION_CONFLICT")


def _off(prepare: Makes) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        made = await prepare(stage, place)
        await stage.made(place, "PUT", f"/assets/servers/{made['resource_uri']}", {"enabled": False})
        return made

    return makes


async def _unread(stage: Stage, place: Place) -> dict[str, Any]:
    return await servers.server(stage, place) | {"approval": ServerApproval(sha256=servers.SHA)}


async def _read_since(stage: Stage, place: Place) -> dict[str, Any]:
    return await servers.seen_server(stage, place) | {"approval": ServerApproval(sha256="a" * 64)}


async def _unapproved(stage: Stage, place: Place) -> dict[str, Any]:
    return await servers.server(stage, place) | {"call": ServerCallCreate(tool="any")}


async def _another_tool(stage: Stage, place: Place) -> dict[str, Any]:
    return await servers.approved_server(stage, place) | {"call": ServerCallCreate(tool="another")}


SERVERS = [
    State("verify_registered_server", "a server that is not enabled", _off(servers.server), "enabled"),
    State("approve_registered_server_tools", "a server that nobody has read", _unread, "sha256"),
    State("approve_registered_server_tools", "tools that were read since", _read_since, None, CONFLICT),
    State("call_registered_server", "a server that is not enabled", _off(servers.approved_server), "enabled"),
    State("call_registered_server", "tools that nobody has approved", _unapproved, "approved_sha256"),
    State("call_registered_server", "a tool that was not approved", _another_tool, "tool"),
]
