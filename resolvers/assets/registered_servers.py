"""Operations on registered servers: register, get, list, update, delete.

What permission is asked on follows from the first part of a server's URI: `mcp_server` or `api_server`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.integrity import IntegrityError
from persistence.store import UnitOfWork
from persistence.web_addresses import BadAddress, same_server
from resolvers.assets.content import Search, own, standing_relations
from resolvers.assets.server_credentials import SECRETS_OF, headers_of, keep_headers
from resolvers.context import Context
from resolvers.operation import operation
from schema.assets.file import Deleted
from schema.assets.registered_server import (
    RegisteredServer,
    RegisteredServerCreate,
    RegisteredServerUpdate,
    ServerCredentials,
    ServerKind,
    ServerStatus,
)
from schema.errors import AlreadyExists, QuotaExceeded, ValidationError
from schema.governance.permission import Permission
from schema.identifiers import ResourceUri, slug, unique_slug
from schema.pagination import Page, PageNumber, PageSize

ServerUri = Annotated[str, Field(min_length=1, max_length=800, description="The server's resource URI.")]

MOST_SERVERS: Final = 200
"""How many servers a project may have."""
UNSEEN: Final[dict[str, Any]] = {
    "status": ServerStatus.PENDING,
    "status_message": None,
    "approved_sha256": None,
    "approved_by": None,
    "approved_at": None,
    "seen_sha256": None,
    "seen_at": None,
    "tool_count": 0,
    "left_out_count": 0,
}
"""What is known of a server whose tools nobody has read yet."""
NO_TOOLS: Final[dict[str, Any]] = {"approved_tools": None, "seen_tools": None}


def type_of(resource_uri: str) -> str:
    """The type that permissions on a server are asked on."""
    return "api_server" if resource_uri.startswith(f"{ServerKind.API}:") else "mcp_server"


def of_server(_ctx: Context, arguments: Mapping[str, Any]) -> tuple[str, str]:
    """The object that an operation on a server is checked on."""
    return type_of(arguments["resource_uri"]), arguments["resource_uri"]


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_registered_server(ctx: Context, *, server: RegisteredServerCreate) -> RegisteredServer:
    """Register a server in the selected project. Verify it, and approve its tools; then they can be called.

    The credentials are sealed, and sent to the server of the `url` alone. Roles on the server are granted as on other
    resources, by its type `mcp_server` or `api_server`.
    """
    headers = headers_of(server.credentials)
    await _check_addresses(ctx, server.kind, server.url, server.document_url)
    now, user = ctx.now(), ctx.caller.user_id

    def work(uow: UnitOfWork) -> RegisteredServer:
        if uow.registered_servers.count(ctx.scope) >= MOST_SERVERS:
            raise QuotaExceeded(f"A project has {MOST_SERVERS} servers at most. Delete one.", limit=MOST_SERVERS)
        new = RegisteredServer(
            **server.model_dump(exclude={"credentials", "resource_uri"}),
            **UNSEEN,
            resource_uri=_free_uri(ctx, uow, server),
            header_names=list(headers),
            enabled=True,
            organization_id=ctx.organization_id,
            project_id=ctx.project_id,
            created_by=user,
            updated_by=user,
            created_at=now,
            updated_at=now,
        )
        uow.registered_servers.add(new)
        keep_headers(ctx, uow, new, headers)
        own(ctx, uow, type_of(new.resource_uri), new.resource_uri)
        return new

    try:
        created = await ctx.store.write(work)
    except IntegrityError:
        last = server.resource_uri or slug(server.name, fallback="server")
        raise AlreadyExists(
            "A server with this resource URI exists already. Choose another one.",
            resource_type="registered_server",
            resource_id=str(ResourceUri(server.kind.value, ctx.organization_id, ctx.project_id, last)),
        ) from None
    ctx.guard.forget()
    return created


@operation(needs=Permission.CAN_READ, on=of_server)
async def get_registered_server(ctx: Context, *, resource_uri: ServerUri) -> RegisteredServer:
    """Get a registered server, without its credentials."""
    return await ctx.store.read(lambda uow: uow.registered_servers.get(ctx.tenant, resource_uri))


@operation(needs=Permission.CAN_READ)
async def list_registered_servers(
    ctx: Context,
    *,
    kind: ServerKind | None = None,
    status: ServerStatus | None = None,
    search: Search | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[RegisteredServer]:
    """List the registered servers of the selected project by name."""
    window = {"offset": (page - 1) * limit, "limit": limit}
    return await ctx.store.read(
        lambda uow: uow.registered_servers.listed(ctx.scope, **window, search=search, kind=kind, status=status)
    )


@operation(needs=Permission.CAN_WRITE, on=of_server, kind=CallKind.WRITE)
async def update_registered_server(
    ctx: Context, *, resource_uri: ServerUri, changes: RegisteredServerUpdate
) -> RegisteredServer:
    """Update a registered server; only the fields that are sent change.

    Another address makes it PENDING again: its tools are to be verified and approved anew. Where that address is of
    another server, the credentials are needed anew as well, or null. `enabled` false stops all calls at once.
    """
    given, now = changes.given(), ctx.now()
    entered = "credentials" in given
    dumped = given.pop("credentials", None)
    headers = headers_of(None if dumped is None else ServerCredentials.model_validate(dumped)) if entered else None
    if not given.keys().isdisjoint(("url", "document_url")):
        stands = await ctx.store.read(lambda uow: uow.registered_servers.get(ctx.tenant, resource_uri))
        await _check_addresses(
            ctx, stands.kind, given.get("url", stands.url), given.get("document_url", stands.document_url)
        )

    def work(uow: UnitOfWork) -> RegisteredServer:
        current = uow.registered_servers.held(ctx.tenant, resource_uri)
        values = dict(given)
        if any(given.get(name, getattr(current, name)) != getattr(current, name) for name in ("url", "document_url")):
            values |= UNSEEN | NO_TOOLS
        anew = False
        if headers is not None:
            values["header_names"] = list(headers)
            changed = current.model_copy(update={"url": given.get("url", current.url)})
            anew = keep_headers(ctx, uow, changed, headers)
        elif "url" in given and current.header_names and not same_server(current.url, given["url"]):
            raise ValidationError(
                f"The credentials ({', '.join(current.header_names)}) were entered for another server, and are not "
                "sent to this one. Give them anew, or null.",
                status=422,
                field="credentials",
            )
        values |= {"updated_at": now, "updated_by": ctx.caller.user_id}
        expected = ctx.expected_of(current)
        return uow.registered_servers.change(ctx.tenant, resource_uri, values, expected=expected, beside=anew)

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_DELETE, on=of_server, kind=CallKind.WRITE)
async def delete_registered_server(ctx: Context, *, resource_uri: ServerUri) -> Deleted:
    """Delete a registered server with its credentials, the log of its calls, and all relations on it."""
    relations = await standing_relations(ctx, type_of(resource_uri), resource_uri)

    def work(uow: UnitOfWork) -> Deleted:
        uow.registered_servers.held(ctx.tenant, resource_uri)
        uow.server_calls.remove_all_of(resource_uri)
        uow.registered_servers.remove(ctx.tenant, resource_uri, expected=ctx.expected_revision)
        for kind in (SECRETS_OF, type_of(resource_uri)):
            uow.secrets.remove_all_of(ctx.tenant, kind, resource_uri)
        uow.relate(ctx.organization_id, deletes=relations)
        return Deleted(resource_uri=resource_uri, message="The server was deleted.")

    done = await ctx.store.write(work)
    ctx.guard.forget()
    return done


async def _check_addresses(ctx: Context, kind: ServerKind, url: str, document_url: str | None) -> None:
    if kind is ServerKind.MCP and document_url is not None:
        raise ValidationError(
            "A server of the Model Context Protocol lists its tools itself. Leave document_url out.",
            status=422,
            field="document_url",
        )
    if kind is ServerKind.API and "?" in url:
        raise ValidationError(
            "The paths of an API's operations are put behind its address, so leave the query out.",
            status=422,
            field="url",
        )
    for field, address in (("url", url), ("document_url", document_url)):
        try:
            if address is not None:
                await ctx.services.servers.check(address)
        except BadAddress as bad:
            raise ValidationError(str(bad), status=422, field=field) from None


def _free_uri(ctx: Context, uow: UnitOfWork, server: RegisteredServerCreate) -> str:
    kind = server.kind.value
    if server.resource_uri is not None:
        return str(ResourceUri(kind, ctx.organization_id, ctx.project_id, server.resource_uri))
    prefix = str(ResourceUri(kind, ctx.organization_id, ctx.project_id, "x"))[:-1]
    taken = {uri.removeprefix(prefix) for uri in uow.registered_servers.taken_parts(ctx.tenant, prefix)}
    return prefix + unique_slug(server.name, taken, fallback="server")
