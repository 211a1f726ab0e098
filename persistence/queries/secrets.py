"""Secrets: their sealed text is read by one function, and by no repository method that answers with a resource."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from persistence.repository import Repository, Scope
from persistence.tables.governance import secrets
from schema.governance.secret import Secret


class Sealed(NamedTuple):
    """A sealed text, and a digest of the destination that it is bound to."""

    text: str
    bound_to: str | None


class SecretRepository(Repository[Secret]):
    """Secrets, keyed by the resource that they belong to and their name."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, Secret, secrets, key="name", noun="secret", order=[secrets.c.name])

    def whole_id(self, id: str, **equals: Any) -> str:
        """A secret's id is that of its resource, and its name."""
        return f"{equals['resource_id']}/{id}"

    def _of(self, scope: Scope, resource_type: str, resource_id: str) -> Sequence[sa.ColumnElement[bool]]:
        """The condition for one resource's secrets."""
        return [
            secrets.c.organization_id == scope.organization_id,
            secrets.c.resource_type == resource_type,
            secrets.c.resource_id == resource_id,
        ]

    def sealed(self, scope: Scope, resource_type: str, resource_id: str) -> dict[str, Sealed]:
        """Every secret of one resource as name → sealed text."""
        columns = (secrets.c.name, secrets.c.sealed, secrets.c.bound_to)
        query = sa.select(*columns).where(*self._of(scope, resource_type, resource_id)).order_by(secrets.c.name)
        return {name: Sealed(text, bound_to) for name, text, bound_to in self._connection.execute(query)}

    def seal_anew(self, scope: Scope, resource_type: str, resource_id: str, name: str, sealed: Sealed) -> None:
        """Bind a secret, whose value stays, to another destination."""
        self._connection.execute(
            secrets.update()
            .where(*self._of(scope, resource_type, resource_id), secrets.c.name == name)
            .values(sealed=sealed.text, bound_to=sealed.bound_to)
        )

    def hold(self, *, alone: bool = False) -> None:
        """Keep every key in use until this transaction ends: what is sealed after this is seen before a key is dropped.

        `alone` is for the rotation: it waits for the transactions that hold, and lets no other hold until its end.
        """
        if self._connection.dialect.name == "postgresql":  # SQLite has one writer anyway
            mode = "share row exclusive" if alone else "row exclusive"
            self._connection.execute(sa.text(f"lock table {secrets.name} in {mode} mode"))

    def remove_all_of(self, scope: Scope, resource_type: str, resource_id: str) -> None:
        """Delete every secret of one resource."""
        self._connection.execute(secrets.delete().where(*self._of(scope, resource_type, resource_id)))

    def forget(self, scope: Scope, resource_type: str, resource_id: str, name: str) -> None:
        """Delete one secret, if it stands."""
        mine = self._of(scope, resource_type, resource_id)
        self._connection.execute(secrets.delete().where(*mine, secrets.c.name == name))

    def names_of(self, scope: Scope, resource_type: str, resource_ids: Sequence[str]) -> dict[str, list[str]]:
        """The names of many resources' secrets, in one statement."""
        names: dict[str, list[str]] = {id: [] for id in resource_ids}
        query = (
            sa.select(secrets.c.resource_id, secrets.c.name)
            .where(
                secrets.c.organization_id == scope.organization_id,
                secrets.c.resource_type == resource_type,
                secrets.c.resource_id.in_(resource_ids),
            )
            .order_by(secrets.c.name)
        )
        for resource_id, name in self._connection.execute(query):
            names[resource_id].append(name)
        return names

    def all_sealed(self, after: tuple[str, str, str, str] | None, limit: int) -> Sequence[Sequence[Any]]:
        """A window over every tenant's secrets, for the key rotation command alone."""
        key = (secrets.c.organization_id, secrets.c.resource_type, secrets.c.resource_id, secrets.c.name)
        query = sa.select(*key, secrets.c.bound_to, secrets.c.sealed).order_by(*key).limit(limit)
        if after is not None:
            query = query.where(sa.tuple_(*key) > sa.tuple_(*(sa.literal(part) for part in after)))
        return self._connection.execute(query).all()
