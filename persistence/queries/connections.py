"""Data connections, whose secret names stand in the table of secrets."""

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from persistence.queries.secrets import SecretShelf
from persistence.repository import Repository, Scope
from persistence.tables.assets import data_connections
from schema.assets.data_connection import DataConnection


class ConnectionShelf(Repository[DataConnection]):
    """Registered stores; a page of them costs one more statement, for all their secret names."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, DataConnection, data_connections, key="resource_uri", noun="data_connection")

    def resources(self, rows: Iterable[Sequence[Any]]) -> list[DataConnection]:
        """Make connections of rows, with the names of their secrets."""
        taken = list(rows)
        if not taken:
            return []
        organization, uri = self._names.index("organization_id"), self._names.index("resource_uri")
        names = SecretShelf(self._connection).names_of(
            Scope(taken[0][organization]), "data_connection", [row[uri] for row in taken]
        )
        self._secret_names = names
        return super().resources(taken)

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """Add what is not a column."""
        return values | {"type": "data", "secret_names": self._secret_names[values["resource_uri"]]}

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
