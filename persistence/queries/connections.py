"""Data connections, whose secret names stand in the table of secrets."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.events import Happening, tell
from persistence.queries.filters import with_tags, with_text
from persistence.queries.secrets import SecretRepository
from persistence.queries.sorting import order_of
from persistence.repository import Repository, Scope
from persistence.tables.assets import data_connections
from schema.assets.data_connection import ConnectionStatus, DataConnection
from schema.data_readiness.violation import Severity
from schema.pagination import Page
from schema.utils.event import EventType

SORTABLE: Final = {name: name for name in ("name", "created_at", "updated_at", "status", "connection_type")}
"""What a list can be sorted by, with the columns."""


class ConnectionRepository(Repository[DataConnection]):
    """Registered stores; a page of them costs one more statement, for all their secret names."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, DataConnection, data_connections, key="resource_uri", noun="data_connection")

    def listed(
        self,
        scope: Scope,
        project_id: str,
        *,
        sort: str,
        offset: int,
        limit: int,
        search: str | None = None,
        tags: str | None = None,
        **equals: Any,
    ) -> Page[DataConnection]:
        """One window of a project's connections and those of its whole organization, in the order asked for."""
        table = data_connections.c
        where = [
            sa.or_(table.project_id == project_id, table.project_id.is_(None)),
            *with_text(search, table.name, table.description),
            *with_tags(tags, table.tags),
        ]
        order = order_of(data_connections, sort, SORTABLE)
        return self.page(scope, offset=offset, limit=limit, order=order, where=where, **equals)

    def resources(self, rows: Iterable[Sequence[Any]]) -> list[DataConnection]:
        """Make connections of rows, with the names of their secrets."""
        taken = list(rows)
        if not taken:
            return []
        organization, uri = self._names.index("organization_id"), self._names.index("resource_uri")
        names = SecretRepository(self._connection).names_of(
            Scope(taken[0][organization]), "data_connection", [row[uri] for row in taken]
        )
        self._secret_names = names
        return super().resources(taken)

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """Add what is not a column."""
        return values | {"type": "data", "secret_names": self._secret_names[values["resource_uri"]]}

    def verified(
        self, scope: Scope, current: DataConnection, values: Mapping[str, Any], project_id: str | None
    ) -> DataConnection:
        """Keep what a verification of a connection has found, and tell the project when it broke.

        A connection of the whole organization tells the project in which it was verified; none when there is none.
        """
        changed = self.change(scope, current.resource_uri, values, expected=current._revision)
        project = changed.project_id or project_id
        broke = changed.status is ConnectionStatus.ERROR and current.status is not ConnectionStatus.ERROR
        if broke and project is not None:
            said = {
                "resource_uri": changed.resource_uri,
                "name": changed.name,
                "connection_type": changed.connection_type.value,
                "message": changed.status_message,
            }
            place = Scope(scope.organization_id, project)
            happening = Happening(EventType.CONNECTION_BROKE, severity=Severity.HIGH, data=said)
            tell(self._connection, place, changed.updated_at, [happening])
        return changed

    def held(self, scope: Scope, resource_uri: str) -> DataConnection:
        """One connection, which nobody else changes until this transaction ends. Raises NotFound."""
        query = self.select(scope).where(data_connections.c.resource_uri == resource_uri).with_for_update()
        found = self.resources(self._connection.execute(query).all())
        return found[0] if found else self.get(scope, resource_uri)

    def taken_parts(self, scope: Scope, prefix: str) -> set[str]:
        """The URIs of the scope's organization that start with a prefix, to choose a free one."""
        uri = data_connections.c.resource_uri
        query = sa.select(uri).where(
            data_connections.c.organization_id == scope.organization_id, uri.startswith(prefix, autoescape=True)
        )
        return set(self._connection.execute(query).scalars())
