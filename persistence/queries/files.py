"""Files and artifacts with the names of the blobs behind them, which no resource shows."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.filters import with_tags, with_text
from persistence.queries.sorting import order_of
from persistence.repository import Repository, Scope
from persistence.tables.files import artifacts, files
from schema.base import Resource
from schema.content import Upload
from schema.errors import NotFound
from schema.pagination import Page

T = TypeVar("T", bound=Resource)


@dataclass(frozen=True, slots=True)
class StoredBytes:
    """The bytes of a file or artifact."""

    blob: str
    sha256: str
    size: int


class ContentRepository(Repository[T]):
    """Resources whose bytes are a blob."""

    def listed(
        self,
        scope: Scope,
        *,
        sort: str,
        sortable: Mapping[str, str],
        offset: int,
        limit: int,
        search: str | None = None,
        tags: str | None = None,
        **equals: Any,
    ) -> Page[T]:
        """One window in the order that was asked for: those with a text in their name or description, and all tags."""
        table = self.table.c
        where = [*with_text(search, table.name, table.description), *with_tags(tags, table.tags)]
        order = order_of(self.table, sort, sortable, nulls_last=True)
        return self.page(scope, offset=offset, limit=limit, order=order, where=where, **equals)

    def kept(self, scope: Scope, uri: str) -> StoredBytes:
        """The bytes of one. Raises NotFound."""
        table = self.table.c
        query = sa.select(table.blob, table.sha256, table.size).where(*self._within(scope), table.resource_uri == uri)
        row = self._connection.execute(query).one_or_none()
        if row is None:
            raise NotFound(self.noun, uri)
        return StoredBytes(row.blob, row.sha256, row.size or 0)

    def rewrite(self, scope: Scope, uri: str, upload: Upload, *, actor: str, at: datetime) -> bool:
        """Put other bytes in the place of one's own; whether there is such a one. The former blob is swept up later."""
        table = self.table
        values = {"blob": upload.blob, "sha256": upload.sha256, "size": upload.size, "updated_by": actor}
        changed = self._connection.execute(
            table.update()
            .where(*self._within(scope), table.c.resource_uri == uri)
            .values(**values, updated_at=at, revision=table.c.revision + 1)
        )
        return changed.rowcount == 1

    def standing(self, scope: Scope, uris: Sequence[str], *, created_by: str) -> list[str]:
        """Those of some URIs that stand and that a user has made, sorted."""
        uri = self.table.c.resource_uri
        found: list[str] = []
        for some in chunks(sorted(uris)):
            query = sa.select(uri).where(*self._within(scope), uri.in_(some), self.table.c.created_by == created_by)
            found += self._connection.execute(query.order_by(uri)).scalars()
        return found

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """Add what is not a column."""
        return values | {"type": self.noun}

    def taken_parts(self, scope: Scope, prefix: str) -> set[str]:
        """The URIs of the scope's organization that start with a prefix, to choose a free one."""
        uri = self.table.c.resource_uri
        query = sa.select(uri).where(
            self.table.c.organization_id == scope.organization_id, uri.startswith(prefix, autoescape=True)
        )
        return set(self._connection.execute(query).scalars())


def key_hash(key: str) -> str:
    """Return what makes a key unique within its project."""
    return hashlib.sha256(key.encode()).hexdigest()


def kept_blobs(connection: sa.Connection, names: Sequence[str]) -> set[str]:
    """Return which of the blobs a row of any tenant names. For what the platform does by itself, never for an
    answer.
    """
    found = sa.union_all(*(sa.select(table.c.blob).where(table.c.blob.in_(names)) for table in (files, artifacts)))
    return set(connection.execute(found).scalars())
