"""Registered servers with their lists of tools, and the log of calls to them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

import sqlalchemy as sa

from persistence.queries.filters import with_text
from persistence.repository import Repository, Scope
from persistence.tables.servers import registered_servers, server_calls
from schema.assets.registered_server import RegisteredServer, ServerCall
from schema.pagination import Page

SERVER_KINDS: Final = {"mcp_server": "mcp", "api_server": "api"}
"""The types of the authorization model that are registered servers, each with its kind."""


class ToolLists(NamedTuple):
    """The tools of a server as they were approved and as they were read last; None where there was none."""

    approved: list[dict[str, Any]] | None
    seen: list[dict[str, Any]] | None


class ServerRepository(Repository[RegisteredServer]):
    """Registered servers of both kinds."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(
            connection,
            RegisteredServer,
            registered_servers,
            key="resource_uri",
            noun="registered_server",
            order=[registered_servers.c.name],
        )

    def listed(
        self, scope: Scope, *, offset: int, limit: int, search: str | None, **equals: Any
    ) -> Page[RegisteredServer]:
        """One window of a project's servers by name: those with a text in their name or description."""
        table = registered_servers.c
        return self.page(
            scope, offset=offset, limit=limit, where=with_text(search, table.name, table.description), **equals
        )

    def held(self, scope: Scope, resource_uri: str) -> RegisteredServer:
        """One server, which nobody else changes until this transaction ends. Raises NotFound."""
        query = self.select(scope).where(registered_servers.c.resource_uri == resource_uri).with_for_update()
        found = self.resources(self._connection.execute(query).all())
        return found[0] if found else self.get(scope, resource_uri)

    def count(self, scope: Scope) -> int:
        """Return how many servers a project has."""
        query = sa.select(sa.func.count()).select_from(registered_servers).where(*self._within(scope))
        return self._connection.execute(query).scalar_one()

    def tools(self, scope: Scope, resource_uri: str) -> ToolLists:
        """The lists of tools of a server that stands."""
        table = registered_servers.c
        query = sa.select(table.approved_tools, table.seen_tools).where(
            *self._within(scope), table.resource_uri == resource_uri
        )
        row: Sequence[Any] = self._connection.execute(query).one()
        return ToolLists(*row)

    def taken_parts(self, scope: Scope, prefix: str) -> set[str]:
        """The URIs of the scope's organization that start with a prefix, to choose a free one."""
        uri = registered_servers.c.resource_uri
        query = sa.select(uri).where(
            registered_servers.c.organization_id == scope.organization_id, uri.startswith(prefix, autoescape=True)
        )
        return set(self._connection.execute(query).scalars())


class ServerCallRepository(Repository[ServerCall]):
    """What was called, by whom, and what became of it."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, ServerCall, server_calls, noun="server_call")

    def log(self, scope: Scope, resource_uri: str, *, offset: int, limit: int, **equals: Any) -> Page[ServerCall]:
        """One window of the calls to a server, the latest first."""
        order = [server_calls.c.created_at.desc()]
        return self.page(scope, offset=offset, limit=limit, order=order, resource_uri=resource_uri, **equals)

    def end(self, scope: Scope, call: ServerCall) -> None:
        """Write down what became of a call; one whose server was removed meanwhile has no log any more."""
        ended = {name: getattr(call, name) for name in ("outcome", "error", "milliseconds", "size", "ended_at")}
        self._connection.execute(
            server_calls.update().where(*self._within(scope), server_calls.c.id == call.id).values(**ended)
        )

    def remove_all_of(self, resource_uri: str) -> None:
        """Delete the log of a server that is removed."""
        self._connection.execute(server_calls.delete().where(server_calls.c.resource_uri == resource_uri))

    def forget(self, before: datetime, most: int) -> int:
        """Delete calls of all tenants from before a moment, at most so many; how many these were."""
        old = sa.select(server_calls.c.id).where(server_calls.c.created_at < before).limit(most)
        return self._connection.execute(server_calls.delete().where(server_calls.c.id.in_(old))).rowcount
