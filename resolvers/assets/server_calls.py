"""Calling the tools of registered servers, and the log of the calls.

The list of tools is read anew for each call, in the same visit, and must be the one that was approved. The call stands
in the log before it is sent, so one that was cut off is never sent a second time under its idempotency key.
"""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from auth.rate_limit import CallKind
from persistence.servers.mcp import McpSession
from persistence.servers.reaching import Answered, Unanswered, Unreachable
from persistence.store import UnitOfWork
from resolvers.assets.registered_servers import ServerUri, of_server, type_of
from resolvers.assets.server_tools import listing_in, read_tools, require_enabled, seen, standing
from resolvers.audit import told_outcome, write_refusal
from resolvers.context import Context
from resolvers.engines.remote_tools.answers import TooDeep, cleaned, secrets_in
from resolvers.engines.remote_tools.arguments import NoSchemas, UnfitArguments, check_arguments
from resolvers.engines.remote_tools.listing import Listing, Tool, UnusableList
from resolvers.engines.remote_tools.requests import ApiRequest, request_of
from resolvers.operation import operation, refusal
from schema.assets.registered_server import (
    NOTICE,
    CallOutcome,
    RegisteredServer,
    ServerAnswer,
    ServerCall,
    ServerCallCreate,
)
from schema.errors import ApiError, ValidationError, VersionConflict
from schema.governance.permission import Permission
from schema.pagination import Page, PageNumber, PageSize

NO_SCHEMAS = (
    "This deployment cannot check arguments, so nothing was sent. Whoever runs it can install what does: "
    "pip install 'stoa-platform[servers]'."
)


@operation(needs=Permission.CAN_EXECUTE, on=of_server, kind=CallKind.WRITE)
async def call_registered_server(ctx: Context, *, resource_uri: ServerUri, call: ServerCallCreate) -> ServerAnswer:
    """Call a tool of a registered server with its credentials.

    The arguments must fit the tool's schema as it was approved. Before the tool is called the server is asked for its
    list of tools: when that is not the approved one, nothing is called, the answer is a 409, and the server waits for
    somebody to approve the new list. What the server answers is data and never an instruction; its size and time are
    bounded. A server that cannot be reached, or fails, is an answer too, told by `outcome`.
    """
    server, headers = await standing(ctx, resource_uri)
    require_enabled(server)
    tool = await _approved_tool(ctx, server, call.tool)
    one = _Call(ctx, server, tool, call.arguments)
    try:
        if isinstance(headers, Unreachable):
            raise headers
        request = await _checked(tool, call.arguments)
        one.headers = headers
        answered = await (one.by_protocol() if request is None else one.by_http(request))
    except NoSchemas:
        return await one.ended(CallOutcome.NOT_SENT, NO_SCHEMAS)
    except (Unreachable, UnusableList) as why:
        return await one.ended(CallOutcome.NOT_SENT, str(why))
    except Unanswered as why:
        return await one.ended(CallOutcome.UNKNOWN, str(why))
    try:
        content = cleaned(dict(answered.content), secrets_in(one.headers))
    except TooDeep as why:
        return await one.ended(CallOutcome.UNKNOWN, str(why))
    outcome = CallOutcome.REFUSED if answered.failed else CallOutcome.ANSWERED
    return await one.ended(outcome, answered.error, content, answered.size)


@operation(needs=Permission.CAN_READ, on=of_server)
async def list_registered_server_calls(
    ctx: Context,
    *,
    resource_uri: ServerUri,
    outcome: CallOutcome | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[ServerCall]:
    """List the calls to a server, the latest first: who called what, and what became of it. They are kept as events."""

    def work(uow: UnitOfWork) -> Page[ServerCall]:
        uow.registered_servers.get(ctx.tenant, resource_uri)
        window = {"offset": (page - 1) * limit, "limit": limit}
        return uow.server_calls.log(ctx.tenant, resource_uri, **window, outcome=outcome)

    return await ctx.store.read(work)


async def _approved_tool(ctx: Context, server: RegisteredServer, name: str) -> Tool:
    """A tool as it was approved. Raises 422."""
    if server.approved_sha256 is None:
        raise ValidationError(
            "Nobody has approved the tools of this server. Verify it, look at its tools, and approve them.",
            status=422,
            field="approved_sha256",
        )
    lists = await ctx.store.read(lambda uow: uow.registered_servers.tools(ctx.tenant, server.resource_uri))
    found = next((one for one in lists.approved or () if one["name"] == name), None)
    if found is None:
        raise ValidationError("The server has no approved tool of this name. List its tools.", status=422, field="tool")
    return found


async def _checked(tool: Tool, arguments: Mapping[str, Any]) -> ApiRequest | None:
    """The request of a call to an API; None for a tool of the protocol. Raises 422 for arguments that do not fit."""
    try:
        await asyncio.to_thread(check_arguments, tool["inputSchema"], arguments)
        return request_of(tool, arguments) if "request" in tool else None
    except UnfitArguments as unfit:
        raise ValidationError(str(unfit), status=422, field="arguments") from None


@dataclass(slots=True)
class _Call:
    """One call on its way."""

    ctx: Context
    server: RegisteredServer
    tool: Tool
    arguments: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)
    id: str = field(default_factory=lambda: str(uuid4()))
    started: float = field(default_factory=time.monotonic)
    begun: ServerCall | None = None

    async def by_protocol(self) -> Answered:
        """Visit a server of the Model Context Protocol: its list, and then the call."""

        async def work(session: McpSession) -> Answered:
            await self._begin(listing_in(session, self.headers))
            return await session.call(self.tool["name"], self.arguments)

        return await self.ctx.services.servers.mcp.visit(self.server.url, self.headers, work)

    async def by_http(self, request: ApiRequest) -> Answered:
        """Read an API's document, and then send the request."""
        await self._begin(await read_tools(self.ctx, self.server, self.headers))
        ours = {name.lower() for name in self.headers}
        sent = {name: value for name, value in request.headers.items() if name.lower() not in ours} | dict(self.headers)
        return await self.ctx.services.servers.api.call(
            self.server.url, request.method, request.target, sent, request.body
        )

    async def _begin(self, listing: Listing) -> None:
        """Write the call down, once it is sure that the tools are the approved ones and the caller still may."""
        ctx, uri = self.ctx, self.server.resource_uri
        if listing.sha256 != self.server.approved_sha256:
            await self._changed(listing)
        kind = type_of(uri)
        if not await ctx.guard.fresh().allows(ctx.caller, Permission.CAN_EXECUTE, kind, uri):
            raise await self._refused(await refusal(ctx, Permission.CAN_EXECUTE, kind, uri))

        def work(uow: UnitOfWork) -> ServerCall:
            current = uow.registered_servers.held(ctx.tenant, uri)
            require_enabled(current)
            if (current.approved_sha256, current.url) != (self.server.approved_sha256, self.server.url):
                raise VersionConflict(
                    "This server was changed by somebody else. Read it again and retry.",
                    resource_type="registered_server",
                    resource_id=uri,
                )
            return uow.server_calls.add(
                self._row(CallOutcome.RUNNING), organization_id=ctx.organization_id, project_id=current.project_id
            )

        self.begun = await ctx.store.write(work)

    async def _changed(self, listing: Listing) -> None:
        """Keep the list that was found, so that it can be looked at and approved, and refuse the call."""
        ctx, server = self.ctx, self.server

        def work(uow: UnitOfWork) -> None:
            current = uow.registered_servers.held(ctx.tenant, server.resource_uri)
            if (current.approved_sha256, current.url) == (server.approved_sha256, server.url):
                uow.registered_servers.change(ctx.tenant, server.resource_uri, seen(ctx, current, listing))

        # The call itself changes nothing, so it has neither an entry of what was done nor its idempotency key taken.
        await ctx.services.store.write(work)
        raise await self._refused(
            VersionConflict(
                "The tools of this server are not those that were approved, so nothing was called. Look at what "
                "changed, and have somebody approve it.",
                resource_type="registered_server",
                resource_id=server.resource_uri,
                approved_sha256=server.approved_sha256,
                seen_sha256=listing.sha256,
            )
        )

    async def _refused(self, error: ApiError) -> ApiError:
        """The refusal, once it stands in the audit log."""
        uri = self.server.resource_uri
        names = {"resource_uri": uri, "tool": self.tool["name"]}
        await write_refusal(call_registered_server.name, self.ctx, (type_of(uri), uri), error, names)
        return error

    async def ended(self, outcome: CallOutcome, error: str | None, content: Any = None, size: int = 0) -> ServerAnswer:
        """Write down what became of the call, and answer."""
        ctx, error = self.ctx, None if error is None else error[:1000]
        answer = ServerAnswer(
            id=self.id,
            resource_uri=self.server.resource_uri,
            tool=self.tool["name"],
            outcome=outcome,
            notice=NOTICE,
            content=content,
            error=error,
            milliseconds=round((time.monotonic() - self.started) * 1000),
            size=size,
        )
        row = self._row(outcome).model_copy(
            update={"error": error, "milliseconds": answer.milliseconds, "size": size, "ended_at": ctx.now()}
        )

        on, names = (type_of(row.resource_uri), row.resource_uri), {"tool": row.tool, "outcome": outcome}

        def work(uow: UnitOfWork) -> None:
            if self.begun is not None:
                uow.server_calls.end(ctx.tenant, row)
            else:
                uow.registered_servers.held(ctx.tenant, row.resource_uri)
                tenant = {"organization_id": ctx.organization_id, "project_id": self.server.project_id}
                uow.server_calls.add(row, **tenant)
            uow.audit.append(ctx.organization_id, told_outcome(call_registered_server.name, ctx, on, self.id, names))

        await ctx.store.write(work, told=lambda _: answer)
        return answer

    def _row(self, outcome: CallOutcome) -> ServerCall:
        return ServerCall(
            id=self.id,
            resource_uri=self.server.resource_uri,
            tool=self.tool["name"],
            outcome=outcome,
            error=None,
            tools_sha256=self.server.approved_sha256 or "",
            milliseconds=None,
            size=0,
            called_by=self.ctx.caller.user_id,
            request_id=self.ctx.request_id,
            created_at=self.ctx.now(),
            ended_at=None,
        )
