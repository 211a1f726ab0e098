"""Statements of lineage and their edges: told, ended when told anew, and read as they stood at a time."""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

import orjson
import sqlalchemy as sa

from persistence.locks import lock_in
from persistence.queries.catalog_rows import chunks
from persistence.queries.metadata_search import in_scope
from persistence.repository import Repository, Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.lineage import lineage_edges as edges
from persistence.tables.lineage import lineage_statements as statements
from schema.data_readiness.source import is_view_type
from schema.errors import NotFound
from schema.pagination import Page
from schema.utils.lineage import LineageSource, LineageStatement
from schema.utils.lineage_kind import LineageSubtype
from schema.utils.metadata_asset import AssetType

LONGEST_KEY: Final = 2_000
"""Bytes of a key. PostgreSQL indexes no more than 2,704 of all that a row is found by."""

Node = tuple[str, str]
"""The FQN of a table, and the name of a column; empty for its rows as a whole."""


@dataclass(frozen=True, slots=True, order=True)
class KeptEdge:
    """One edge between tables of the catalog."""

    from_table: str
    from_column: str
    to_table: str
    to_column: str
    subtype: LineageSubtype


@dataclass(frozen=True, slots=True)
class ReadEdge:
    """An edge with where it comes from."""

    edge: KeptEdge
    source: LineageSource
    statement_id: str
    began_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class ToldStatement:
    """What a source tells of one statement."""

    source: LineageSource
    key: str
    resource_uri: str
    target_fqn: str | None = None
    statement: str | None = None
    dialect: str | None = None
    gaps: tuple[tuple[str, str], ...] = ()
    edges: tuple[KeptEdge, ...] = ()
    told_at: datetime | None = None
    """When its source says that it was so, where it may come late; None where it stands from now on."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", kept_key(self.key))

    @property
    def mark(self) -> str:
        """By which the same told again is known."""
        said: list[Any] = [self.resource_uri, self.target_fqn, self.statement, self.dialect, self.gaps]
        said.append([[*_parts(one), one.subtype.value] for one in sorted(set(self.edges))])
        return hashlib.sha256(orjson.dumps(said)).hexdigest()


@dataclass(frozen=True, slots=True)
class CatalogTable:
    """A table of the catalog with the columns that stand."""

    fqn: str
    resource_uri: str
    columns: tuple[str, ...]
    definition: str | None
    """The text of a view."""
    is_view: bool
    key: str | None = None
    """The column that is the whole primary key, as the source tells it."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What telling came to."""

    new: int
    unchanged: int
    ended: int
    late: int = 0


@dataclass(frozen=True, slots=True)
class _Standing:
    """What stands under a key."""

    id: str
    mark: str
    uri: str
    told_at: datetime | None


_COPIED: Final = ("key", "resource_uri", "target_fqn", "statement", "dialect", "told_at")


class LineageRepository(Repository[LineageStatement]):
    """The lineage of a project."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [statements.c.began_at.desc(), statements.c.id]
        super().__init__(connection, LineageStatement, statements, noun="lineage_statement", order=order)

    # Telling

    def tell(
        self,
        scope: Scope,
        source: LineageSource,
        told: Sequence[ToldStatement],
        *,
        by: str,
        at: datetime,
        all_under: str | None = None,
        family: str | None = None,
    ) -> Recorded:
        """Take in what a source tells: what it told before under the same keys ends, unless it is the same.

        What was so before what stands already changes nothing: it has come late. With `all_under`, the URI of a
        connection, this is all that the source has to tell of it: what it does not name any more ends too; `family`
        limits that to keys that begin so.
        """
        lock_in(self._connection, scope, "lineage", source.value)  # so that no key stands twice
        standing = self._standing(scope, source, None if all_under is not None else {one.key for one in told})
        own = {
            key: one
            for key, one in standing.items()
            if all_under is None or (one.uri == all_under and key.startswith(family or ""))
        }
        late = {one.key for one in told if _is_late(one, own.get(one.key))}
        timely = [one for one in told if one.key not in late]
        new = [one for one in timely if one.key not in own or own[one.key].mark != one.mark]
        ended = [own[one.key].id for one in new if one.key in own]
        self._still_so(scope, [(own[one.key].id, one.told_at) for one in timely if one.key in own])
        if all_under is not None:
            named = {one.key for one in told}
            ended += [one.id for key, one in own.items() if key not in named]
        self._end(scope, ended, at)
        for some in chunks(new):
            self._insert(scope, some, by, at)
        return Recorded(len(new), len(timely) - len(new), len(ended), len(late))

    def end(self, scope: Scope, id: str, at: datetime) -> LineageStatement:
        """Let one statement end. Raises NotFound."""
        found = self.get(scope, id)
        if found.ended_at is None:
            self._end(scope, [id], at)
        return self.get(scope, id)

    def end_all_of(self, scope: Scope, resource_uri: str, at: datetime) -> None:
        """End what speaks of a connection, in every project."""
        query = sa.select(statements.c.id).where(
            statements.c.organization_id == scope.organization_id,
            statements.c.resource_uri == resource_uri,
            statements.c.ended_at.is_(None),
        )
        self._end(Scope(scope.organization_id), list(self._connection.execute(query).scalars()), at)

    def standing(self, scope: Scope, source: LineageSource, key: str) -> LineageStatement:
        """Return what a source tells under a key now. Raises NotFound."""
        own = [statements.c.source == source, statements.c.key == key, statements.c.ended_at.is_(None)]
        found = self.page(scope, offset=0, limit=1, where=own).items
        if not found:
            raise NotFound(self.noun, key)
        return found[0]

    def count_standing(self, scope: Scope, source: LineageSource) -> int:
        """How many statements of a source stand."""
        query = sa.select(sa.func.count()).where(
            *self._within(scope), statements.c.source == source, statements.c.ended_at.is_(None)
        )
        return int(self._connection.execute(query).scalar_one())

    def _standing(self, scope: Scope, source: LineageSource, keys: Collection[str] | None) -> "dict[str, _Standing]":
        table = statements.c
        query = sa.select(table.key, table.id, table.content_mark, table.resource_uri, table.told_at).where(
            *self._within(scope), table.source == source, table.ended_at.is_(None)
        )
        found: dict[str, _Standing] = {}
        for some in chunks(sorted(keys)) if keys is not None else [None]:
            rows = self._connection.execute(query if some is None else query.where(table.key.in_(some)))
            found |= {row.key: _Standing(row.id, row.content_mark, row.resource_uri, row.told_at) for row in rows}
        return found

    def _still_so(self, scope: Scope, told: Iterable[tuple[str, datetime | None]]) -> None:
        """Keep of what stands that it was so at a later time too, so that what came late is known as late."""
        rows = [{"one": id, "at": at} for id, at in told if at is not None]
        where = [*self._within(scope), statements.c.id == sa.bindparam("one")]
        for some in chunks(rows):
            self._connection.execute(statements.update().where(*where).values(told_at=sa.bindparam("at")), list(some))

    def _end(self, scope: Scope, ids: Sequence[str], at: datetime) -> None:
        for some in chunks(list(ids)):
            for table, column in ((statements, statements.c.id), (edges, edges.c.statement_id)):
                where = [table.c.organization_id == scope.organization_id, column.in_(some)]
                self._connection.execute(table.update().where(*where).values(ended_at=at))

    def _insert(self, scope: Scope, told: Sequence[ToldStatement], by: str, at: datetime) -> None:
        place = {"organization_id": scope.organization_id, "project_id": scope.project_id, "began_at": at}
        rows: list[dict[str, Any]] = []
        further: list[dict[str, Any]] = []
        for one in told:
            id, own = str(uuid4()), sorted(set(one.edges))
            gaps = [{"name": name, "reason": reason} for name, reason in one.gaps]
            rows.append(
                place
                | {name: getattr(one, name) for name in _COPIED}
                | {"id": id, "source": one.source, "gaps": gaps, "edge_count": len(own), "recorded_by": by}
                | {"content_mark": one.mark}
            )
            names = ("from_table", "from_column", "to_table", "to_column")
            further += [
                place
                | dict(zip(names, _parts(edge), strict=True))
                | {"statement_id": id, "subtype": edge.subtype}
                for edge in own
            ]  # fmt: skip
        self._connection.execute(statements.insert(), rows)
        for some in chunks(further):
            self._connection.execute(edges.insert(), some)

    # Reading

    def listed(
        self,
        scope: Scope,
        resource_uri: str,
        *,
        source: LineageSource | None,
        target: str | None,
        with_gaps: bool | None,
        at: datetime | None,
        offset: int,
        limit: int,
    ) -> Page[LineageStatement]:
        """One window of the statements that speak of a connection."""
        where = [statements.c.resource_uri == resource_uri, *_standing_at(statements, at)]
        if source is not None:
            where.append(statements.c.source == source)
        if target is not None:
            where.append(statements.c.target_fqn == target)
        if with_gaps is not None:
            empty = sa.cast(statements.c.gaps, sa.Text) == "[]"
            where.append(sa.not_(empty) if with_gaps else empty)
        return self.page(scope, offset=offset, limit=limit, where=where)

    def edges_at(
        self, scope: Scope, tables: Collection[str], *, upstream: bool, at: datetime | None, most: int
    ) -> list[ReadEdge]:
        """The edges that lead to some tables, or away from them, as they stand at a time."""
        near = edges.c.to_table if upstream else edges.c.from_table
        found: list[ReadEdge] = []
        for some in chunks(sorted(tables)):
            query = (
                sa.select(edges, statements.c.source)
                .join(statements, statements.c.id == edges.c.statement_id)
                .where(
                    edges.c.organization_id == scope.organization_id,
                    edges.c.project_id == scope.project_id,
                    near.in_(some),
                    *_standing_at(edges, at),
                )
                .order_by(edges.c.row_number)
                .limit(most - len(found))
            )
            found += map(_edge, self._connection.execute(query).mappings())
            if len(found) >= most:
                break
        return found

    def resources_of(self, scope: Scope, tables: Iterable[str], *, live: bool = False) -> dict[str, str]:
        """The resource of each table that the catalog knows; unless `live`, also of those that were deleted since."""
        where = [*in_scope(scope), *([metadata_assets.c.deleted_at.is_(None)] if live else [])]
        found: dict[str, str] = {}
        for some in chunks(sorted(set(tables))):
            query = sa.select(metadata_assets.c.fully_qualified_name, metadata_assets.c.resource_uri).where(
                *where, metadata_assets.c.fully_qualified_name.in_(some)
            )
            found.update((fqn, uri) for fqn, uri in self._connection.execute(query))
        return found

    # The catalog

    def tables(self, scope: Scope, resource_uri: str | None = None) -> list[CatalogTable]:
        """The live tables of a connection, or of all, with their columns in their order."""
        assets = metadata_assets
        live = [*in_scope(scope), assets.c.deleted_at.is_(None)]
        if resource_uri is not None:
            live.append(assets.c.resource_uri == resource_uri)
        named = sa.select(assets.c.parent_fqn, assets.c.name, assets.c.constraint).where(
            *live, assets.c.type == AssetType.COLUMN
        )
        columns: dict[str, list[str]] = {}
        keys: dict[str, list[str]] = {}
        for parent, name, constraint in self._connection.execute(
            named.order_by(assets.c.ordinal_position, assets.c.name)
        ):
            columns.setdefault(parent, []).append(name)
            if "PRIMARY_KEY" in (constraint or {}).get("keys", ()):
                keys.setdefault(parent, []).append(name)
        whole = {table: names[0] for table, names in keys.items() if len(names) == 1}
        query = sa.select(
            assets.c.fully_qualified_name, assets.c.resource_uri, assets.c.schema_definition, assets.c.table_type
        ).where(*live, assets.c.type == AssetType.TABLE)
        return [
            CatalogTable(fqn, uri, tuple(columns.get(fqn, ())), definition, is_view_type(kind), whole.get(fqn))
            for fqn, uri, definition, kind in self._connection.execute(query.order_by(assets.c.fully_qualified_name))
        ]


def kept_key(key: str) -> str:
    """A key as it is kept: of one that is too long its beginning, and a digest of the whole."""
    encoded = key.encode()
    if len(encoded) <= LONGEST_KEY:
        return key
    digest = hashlib.sha256(encoded).hexdigest()
    return f"{encoded[: LONGEST_KEY - len(digest) - 1].decode(errors='ignore')}#{digest}"


def _is_late(told: ToldStatement, standing: "_Standing | None") -> bool:
    """Return whether something was so before what stands under its key."""
    before = standing.told_at if standing is not None else None
    return told.told_at is not None and before is not None and told.told_at < before


def _standing_at(table: sa.Table, at: datetime | None) -> list[sa.ColumnElement[bool]]:
    """The condition of what stands at a time; now, without one."""
    if at is None:
        return [table.c.ended_at.is_(None)]
    return [table.c.began_at <= at, sa.or_(table.c.ended_at.is_(None), table.c.ended_at > at)]


def _parts(edge: KeptEdge) -> tuple[str, str, str, str]:
    return edge.from_table, edge.from_column, edge.to_table, edge.to_column


def _edge(row: sa.RowMapping) -> ReadEdge:
    kept = KeptEdge(
        row["from_table"], row["from_column"], row["to_table"], row["to_column"], LineageSubtype(row["subtype"])
    )
    return ReadEdge(kept, LineageSource(row["source"]), row["statement_id"], row["began_at"], row["ended_at"])
