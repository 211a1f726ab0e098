"""Defines what a question may be answered from: connections with tables, the memories, and whether any of it has
changed.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.knowledge import MemoryRepository, stands_at
from persistence.queries.metadata_search import in_scope, subtree
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.classification import classifications
from persistence.tables.glossary import glossary_terms
from persistence.tables.knowledge import context_packs, memories
from persistence.tables.profiles import table_profiles
from schema.utils.context_pack import PackStatus, PackType
from schema.utils.memory import Memory, MemoryStatus, MemoryType
from schema.utils.metadata_asset import AssetType

_ASSET = metadata_assets.c
MOST_MEMORIES: Final = 2000
"""Memories that shape answers; pinned ones come first, then the newest."""
MOST_POLICIES: Final = 5000


class TooManyPolicies(Exception):
    """There are more policies than can be applied, so nothing is answered."""


def connections_with_tables(connection: sa.Connection, scope: Scope) -> list[str]:
    """The URIs of the connections that the project's catalog has tables of."""
    query = (
        sa.select(_ASSET.resource_uri)
        .where(*in_scope(scope), _ASSET.deleted_at.is_(None), _ASSET.type == AssetType.TABLE)
        .distinct()
        .order_by(_ASSET.resource_uri)
    )
    return list(connection.execute(query).scalars())


def tables_of_connection(connection: sa.Connection, scope: Scope, uri: str, most: int) -> list[str]:
    """The FQNs of a connection's live tables and views."""
    query = (
        sa.select(_ASSET.fully_qualified_name)
        .where(
            *in_scope(scope),
            _ASSET.deleted_at.is_(None),
            _ASSET.type == AssetType.TABLE,
            _ASSET.resource_uri == uri,
        )
        .order_by(_ASSET.fully_qualified_name)
        .limit(most)
    )
    return list(connection.execute(query).scalars())


def connections_of(connection: sa.Connection, scope: Scope, fqn: str) -> list[str]:
    """The URIs of the connections that have tables at or below a dotted name."""
    under = subtree(_ASSET.fully_qualified_name, fqn)
    query = sa.select(_ASSET.resource_uri).where(
        *in_scope(scope), _ASSET.deleted_at.is_(None), _ASSET.type == AssetType.TABLE, under
    )
    return list(connection.execute(query.distinct().order_by(_ASSET.resource_uri)).scalars())


def names_like(connection: sa.Connection, scope: Scope, uris: Sequence[str], words: Sequence[str]) -> dict[str, int]:
    """Return how many of some words, in small letters, occur in names of tables and columns, by the URI of the
    connection.
    """
    found: dict[str, int] = {}
    for word in words:
        stem = word.removesuffix("s") if len(word) > 3 else word
        query = (
            sa.select(_ASSET.resource_uri)
            .where(
                *in_scope(scope),
                _ASSET.deleted_at.is_(None),
                _ASSET.type.in_((AssetType.TABLE, AssetType.COLUMN)),
                _ASSET.resource_uri.in_(list(uris)),
                sa.func.lower(_ASSET.name).contains(stem, autoescape=True),
            )
            .distinct()
        )
        for uri in connection.execute(query).scalars():
            found[uri] = found.get(uri, 0) + 1
    return found


def catalog_stamp(connection: sa.Connection, scope: Scope) -> tuple[Any, ...]:
    """Something that is another one whenever the catalog, a profile, a tag or the glossary has changed."""
    found: list[Any] = []
    for table, moment in (
        (metadata_assets, _ASSET.updated_at),
        (table_profiles, table_profiles.c.measured_at),
        (classifications, classifications.c.updated_at),
        (glossary_terms, glossary_terms.c.updated_at),
    ):
        query = sa.select(sa.func.count(), sa.func.max(moment)).where(
            table.c.organization_id == scope.organization_id, table.c.project_id == scope.project_id
        )
        found += connection.execute(query).one()
    # Foreign keys are found after a profile was measured, and written into it then.
    keys = sa.select(sa.func.sum(sa.func.length(sa.cast(table_profiles.c.foreign_keys, sa.Text)))).where(
        table_profiles.c.organization_id == scope.organization_id, table_profiles.c.project_id == scope.project_id
    )
    found.append(connection.execute(keys).scalar_one())
    live = sa.select(sa.func.count()).where(*in_scope(scope), _ASSET.deleted_at.is_(None))
    return (*found, connection.execute(live).scalar_one())


def active_memories(connection: sa.Connection, scope: Scope, user_id: str, now: datetime) -> list[Memory]:
    """The active memories of the project's active packs, policies left out; of other users' own packs none."""
    pack = context_packs.c
    personal = pack.pack_type.in_((PackType.USER, PackType.SESSION))
    packs = sa.select(pack.id).where(
        pack.organization_id == scope.organization_id,
        pack.project_id == scope.project_id,
        pack.status == PackStatus.ACTIVE,
        sa.or_(sa.not_(personal), pack.created_by == user_id),
    )
    kept = [
        memories.c.memory_type != MemoryType.POLICY,
        memories.c.context_pack_id.in_(packs),
    ]
    return _memories(connection, scope, now, kept, MOST_MEMORIES)


def active_policies(connection: sa.Connection, scope: Scope, now: datetime) -> list[Memory]:
    """Every active policy of the project, whatever its pack. Raises TooManyPolicies rather than leave one out."""
    found = _memories(connection, scope, now, [memories.c.memory_type == MemoryType.POLICY], MOST_POLICIES + 1)
    if len(found) > MOST_POLICIES:
        raise TooManyPolicies
    return found


def _memories(
    connection: sa.Connection, scope: Scope, now: datetime, where: Sequence[sa.ColumnElement[bool]], most: int
) -> list[Memory]:
    repository, note = MemoryRepository(connection), memories.c
    query = (
        repository.select(scope)
        .where(stands_at(now, MemoryStatus.ACTIVE), *where)
        .order_by(note.pinned.desc(), note.created_at.desc(), note.id)
        .limit(most)
    )
    return repository.resources(connection.execute(query).all())


def memories_of_ids(connection: sa.Connection, scope: Scope, ids: Sequence[str]) -> list[Memory]:
    """Memories by their ids, whatever their state; deleted ones are left out."""
    repository = MemoryRepository(connection)
    query = repository.select(scope).where(memories.c.id.in_(list(ids))).order_by(memories.c.name, memories.c.id)
    return repository.resources(connection.execute(query).all())
