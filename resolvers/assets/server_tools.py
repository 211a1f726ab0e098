"""Operations on the tools of a registered server: read them, show what differs from what was approved, approve them."""

import asyncio
import time
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.servers.mcp import McpSession
from persistence.servers.reaching import Unreachable
from persistence.store import UnitOfWork
from resolvers.assets.registered_servers import ServerUri, of_server
from resolvers.assets.server_credentials import opened_headers
from resolvers.context import Context
from resolvers.engines.remote_tools.answers import cleaned, secrets_in, without_secrets
from resolvers.engines.remote_tools.listing import Listing, Tool, UnusableList, differences, listing_of
from resolvers.engines.remote_tools.openapi import read_openapi
from resolvers.operation import operation
from schema.assets.registered_server import (
    RegisteredServer,
    ServerApproval,
    ServerKind,
    ServerStatus,
    ServerTool,
    ServerVerification,
    ToolState,
)
from schema.errors import ValidationError, VersionConflict
from schema.governance.permission import Permission
from schema.pagination import Page, PageNumber, PageSize

MOST_SHOWN = 100
"""Names that a verification tells of each kind of difference."""


@operation(needs=Permission.CAN_EXECUTE, on=of_server, kind=CallKind.WRITE)
async def verify_registered_server(ctx: Context, *, resource_uri: ServerUri) -> ServerVerification:
    """Connect to the server with its credentials, and read which tools it has.

    Of a server of the Model Context Protocol that is its list of tools, of an API the operations of its OpenAPI
    document. The answer tells how they differ from those that were approved; nothing is called.
    """
    server, headers = await standing(ctx, resource_uri)
    require_enabled(server)
    started = time.perf_counter()
    try:
        if isinstance(headers, Unreachable):
            raise headers
        listing = await read_tools(ctx, server, headers)
    except (Unreachable, UnusableList) as problem:
        return await _failed(ctx, server, str(problem))
    latency = round((time.perf_counter() - started) * 1000, 2)

    def work(uow: UnitOfWork) -> ServerVerification:
        approved = uow.registered_servers.tools(ctx.tenant, resource_uri).approved
        changed = uow.registered_servers.change(
            ctx.tenant, resource_uri, seen(ctx, server, listing), expected=server._revision
        )
        return ServerVerification(
            success=True,
            message=_message(changed),
            latency_ms=latency,
            sha256=listing.sha256,
            tool_count=len(listing.tools),
            left_out=listing.left_out[:MOST_SHOWN],
            server=changed,
            **_told(approved, listing.tools),
        )

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_READ, on=of_server)
async def list_registered_server_tools(
    ctx: Context,
    *,
    resource_uri: ServerUri,
    state: ToolState | None = None,
    search: Annotated[str, Field(max_length=255, description="Part of the name or description.")] | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[ServerTool]:
    """List the tools of a server by name, as they were read last, each with how it stands to the approval."""

    def work(uow: UnitOfWork) -> Page[ServerTool]:
        uow.registered_servers.get(ctx.tenant, resource_uri)
        approved, present = uow.registered_servers.tools(ctx.tenant, resource_uri)
        before, after = ({one["name"]: one for one in tools or ()} for tools in (approved, present))
        found = [
            _shown(name, one, before.get(name), after.get(name))
            for name, one in differences(approved, present).items()
            if state in (None, one)
        ]
        if search:
            wanted = search.casefold()
            found = [one for one in found if wanted in f"{one.name}\n{one.description}".casefold()]
        offset = (page - 1) * limit
        return Page(items=found[offset : offset + limit], total=len(found), offset=offset, limit=limit)

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_WRITE, on=of_server, kind=CallKind.WRITE)
async def approve_registered_server_tools(
    ctx: Context, *, resource_uri: ServerUri, approval: ServerApproval
) -> RegisteredServer:
    """Approve the tools of a server, by the hash of the list that was read last. From then on they can be called.

    A hash of another list is a 409: look at the tools again, for they are not those that you have seen.
    """

    def work(uow: UnitOfWork) -> RegisteredServer:
        current = uow.registered_servers.held(ctx.tenant, resource_uri)
        if current.seen_sha256 is None:
            raise ValidationError(
                "Nobody has read the tools of this server yet. Verify it first.", status=422, field="sha256"
            )
        if current.seen_sha256 != approval.sha256:
            raise VersionConflict(
                "The tools that were read last are not the ones with this hash. Look at them again.",
                resource_type="registered_server",
                resource_id=resource_uri,
                seen_sha256=current.seen_sha256,
            )
        values: dict[str, Any] = {
            "status": ServerStatus.ACTIVE,
            "approved_sha256": current.seen_sha256,
            "approved_tools": uow.registered_servers.tools(ctx.tenant, resource_uri).seen,
        }
        now, user = ctx.now(), ctx.caller.user_id
        if current.approved_sha256 != current.seen_sha256:
            values |= {"approved_by": user, "approved_at": now}
        values |= {"updated_at": now, "updated_by": user}
        return uow.registered_servers.change(ctx.tenant, resource_uri, values, expected=ctx.expected_of(current))

    return await ctx.store.write(work)


async def standing(ctx: Context, resource_uri: str) -> tuple[RegisteredServer, dict[str, str] | Unreachable]:
    """A server and the headers that let us in, or why they are not sent."""

    def work(uow: UnitOfWork) -> tuple[RegisteredServer, dict[str, str] | Unreachable]:
        server = uow.registered_servers.get(ctx.tenant, resource_uri)
        try:
            return server, opened_headers(ctx, uow, server)
        except Unreachable as why:
            return server, why

    return await ctx.store.read(work)


def require_enabled(server: RegisteredServer) -> None:
    """Raise 422 for a server that is not to be reached."""
    if not server.enabled:
        raise ValidationError(
            "This server is not enabled, so nothing is asked of it. Set enabled to true first.",
            status=422,
            field="enabled",
        )


async def read_tools(ctx: Context, server: RegisteredServer, headers: Mapping[str, str]) -> Listing:
    """The tools of a server at this moment. Raises Unreachable or UnusableList."""
    if server.kind is ServerKind.MCP:

        async def listed(session: McpSession) -> Listing:
            return listing_in(session, headers)

        return await ctx.services.servers.mcp.visit(server.url, headers, listed)
    text = await ctx.services.servers.api.document(server.url, server.document_url, headers)
    return await asyncio.to_thread(read_openapi, without_secrets(text, secrets_in(headers)))


def listing_in(session: McpSession, headers: Mapping[str, str]) -> Listing:
    """The tools that a server has just told. Raises UnusableList."""
    try:
        return listing_of(cleaned(session.tools, secrets_in(headers)))
    except ValueError as problem:
        raise UnusableList(str(problem)) from None


def seen(ctx: Context, server: RegisteredServer, listing: Listing) -> dict[str, Any]:
    """Return what is written down of a list of tools that was read."""
    status = ServerStatus.PENDING
    if server.approved_sha256 is not None:
        is_same = server.approved_sha256 == listing.sha256
        status = ServerStatus.ACTIVE if is_same else ServerStatus.CHANGED
    now = ctx.now()
    return {
        "status": status,
        "status_message": None,
        "seen_sha256": listing.sha256,
        "seen_at": now,
        "seen_tools": listing.tools,
        "tool_count": len(listing.tools),
        "left_out_count": len(listing.left_out),
        "updated_at": now,
        "updated_by": ctx.caller.user_id,
    }


async def _failed(ctx: Context, server: RegisteredServer, message: str) -> ServerVerification:
    values = {"status_message": message[:1000], "updated_at": ctx.now(), "updated_by": ctx.caller.user_id}

    def work(uow: UnitOfWork) -> ServerVerification:
        changed = uow.registered_servers.change(ctx.tenant, server.resource_uri, values, expected=server._revision)
        return ServerVerification(
            success=False,
            message=message[:1000],
            latency_ms=None,
            sha256=None,
            tool_count=0,
            added=[],
            removed=[],
            changed=[],
            left_out=[],
            server=changed,
        )

    return await ctx.store.write(work)


def _told(approved: list[Tool] | None, present: list[Tool]) -> dict[str, list[str]]:
    states = differences(approved, present)
    kinds = (ToolState.ADDED, ToolState.REMOVED, ToolState.CHANGED)
    return {kind.value: [name for name, state in states.items() if state is kind][:MOST_SHOWN] for kind in kinds}


def _message(server: RegisteredServer) -> str:
    if server.status is ServerStatus.ACTIVE:
        return "The tools are those that were approved."
    if server.status is ServerStatus.CHANGED:
        return "The tools are not those that were approved. Nothing is called until somebody approves them."
    return "The tools were read. They can be called once somebody has approved them."


def _shown(name: str, state: ToolState, before: Tool | None, after: Tool | None) -> ServerTool:
    tool = after or before or {}
    return ServerTool(
        name=name,
        state=state,
        description=tool.get("description"),
        input_schema=tool.get("inputSchema", {}),
        definition=tool,
        approved_definition=before if state is ToolState.CHANGED else None,
    )
