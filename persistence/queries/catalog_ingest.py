"""Taking in what a source says: write what changed, version it, keep what people wrote, mark what vanished.

One call takes one batch, which is whole where it speaks: a table comes with all of its columns. Assets whose content
hash is the one that was seen last are not touched, so taking in an unchanged source writes nothing.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple
from uuid import uuid4

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from persistence.queries.catalog_load import NewRows, insert_rows
from persistence.queries.catalog_rows import (
    Edit,
    Standing,
    below,
    chunks,
    lock_service,
    recount,
    standing,
    words_of,
    write_edits,
)
from persistence.queries.events import Happening, tell
from persistence.queries.metadata_search import in_scope
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from schema.errors import AlreadyExists
from schema.identifiers import fqn_part, join_fqn
from schema.utils.event import EventType
from schema.utils.metadata_asset import LEVEL, AssetType
from schema.utils.source_asset import SOURCE_FIELDS, ColumnChange, Counts, Judge, Judgement, SourceAsset

FIRST_SEEN = "First seen in the source."

MOST_TOLD = 100
"""How many columns of a table an event names."""

_said_fields = attrgetter(*SOURCE_FIELDS)
_EMPTY_OBJECTS = ("constraint", "extension")


class _Known(NamedTuple):
    """Holds what decides whether a standing row has to be read whole."""

    row_number: int
    id: str
    fully_qualified_name: str
    parent_fqn: str
    name: str
    type: str
    resource_uri: str
    source_hash: str | None
    deleted_at: datetime | None


@dataclass(slots=True)
class _Said:
    """One asset as the source says it now, beside what the catalog knows of it."""

    asset: SourceAsset
    fqn: str
    parent_fqn: str
    hash: str
    known: _Known | None = None
    columns: "list[_Said]" = field(default_factory=list)


def upsert_source(
    connection: sa.Connection,
    scope: Scope,
    resource_uri: str,
    service: str,
    assets: Sequence[SourceAsset],
    *,
    actor: str,
    now: datetime,
    judge: Judge,
) -> Counts:
    """Take in one batch of a source: some databases, schemas and tables, each table with all of its columns.

    Run it inside one `Database.write`, with some fifty tables at a time. A parent stands already or is in the batch.
    Raises ValueError for a batch that names an asset twice or leaves out a parent, and AlreadyExists when an asset of
    the same name belongs to another resource.
    """
    lock_service(connection, scope, service)
    batch = _Batch(connection, scope, resource_uri, service, actor, now, judge)
    return batch.take(_said(service, assets))


def mark_vanished(
    connection: sa.Connection,
    scope: Scope,
    resource_uri: str,
    parent_fqn: str,
    kept_names: Collection[str],
    *,
    actor: str,
    now: datetime,
) -> int:
    """Mark as deleted the direct children that the source no longer has, with all that is below them.

    What people wrote by hand and no source ever had stays. Answers how many assets were marked.
    """
    lock_service(connection, scope, _service_of(connection, scope, resource_uri, parent_fqn))
    assets = metadata_assets
    children = connection.execute(
        sa.select(assets.c.fully_qualified_name, assets.c.name, assets.c.parent_id).where(
            *in_scope(scope),
            assets.c.resource_uri == resource_uri,
            assets.c.parent_fqn == parent_fqn,
            assets.c.deleted_at.is_(None),
            assets.c.source_hash.is_not(None),
        )
    ).all()
    kept = set(kept_names)
    gone = [(fqn, parent_id) for fqn, name, parent_id in children if name not in kept]
    marked = 0
    tell(connection, scope, now, [_schema_changed(fqn, "removed") for fqn, _ in gone])
    for fqn, _ in gone:
        marked += mark_deleted(connection, scope, fqn, actor=actor, now=now)
    recount(connection, scope, {parent_id for _, parent_id in gone if parent_id is not None})
    return marked


def mark_deleted(connection: sa.Connection, scope: Scope, fqn: str, *, actor: str, now: datetime) -> int:
    """Mark one asset and all below it as deleted. Answers how many were marked."""
    assets = metadata_assets
    return connection.execute(
        assets.update()
        .where(
            *in_scope(scope),
            sa.or_(assets.c.fully_qualified_name == fqn, below(fqn)),
            assets.c.deleted_at.is_(None),
        )
        .values(deleted_at=now, updated_at=now, updated_by=actor, revision=assets.c.revision + 1)
    ).rowcount


def _columns_changed(fqn: str, changes: Iterable[ColumnChange]) -> list[Happening]:
    """Return what to tell of a table that has other columns; nothing where these only have other words."""
    structural = [change for change in changes if change.kind != "updated" or change.structural]
    return [_schema_changed(fqn, "columns", structural)] if structural else []


def _schema_changed(fqn: str, change: str, columns: Sequence[ColumnChange] = ()) -> Happening:
    """Return what to tell of a table or schema that is not what it was."""
    named = [{"name": one.name, "change": one.kind} for one in columns[:MOST_TOLD]]
    return Happening(EventType.SCHEMA_CHANGED, fqn, data={"change": change, "columns": named, "total": len(columns)})


def refresh_statistics(connection: sa.Connection) -> None:
    """Tell PostgreSQL how much there is now; call it when a run has taken in a source.

    Right after a first ingestion its planner knows nothing of the table, and searches were seen to take a hundred
    times as long until its own housekeeping came by. New words wait beside their index, in a list that every search
    reads whole; they are put in their places, where the index is this role's own. SQLite needs none of it.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("ANALYZE metadata_assets")
        connection.exec_driver_sql(
            "SELECT gin_clean_pending_list(oid) FROM pg_class"
            " WHERE oid = to_regclass('ix_metadata_assets_search_words') AND pg_has_role(relowner, 'USAGE')"
        )


def _service_of(connection: sa.Connection, scope: Scope, resource_uri: str, parent_fqn: str) -> str:
    found = connection.execute(
        sa.select(metadata_assets.c.service_name)
        .where(
            *in_scope(scope),
            metadata_assets.c.parent_fqn == parent_fqn,
            metadata_assets.c.resource_uri == resource_uri,
        )
        .limit(1)
    ).scalar_one_or_none()
    return found or parent_fqn


def _said(service: str, assets: Iterable[SourceAsset]) -> list[_Said]:
    """The batch with names and hashes, parents before children, columns hung onto their tables."""
    said: dict[str, _Said] = {}
    written: dict[tuple[str, ...], str] = {(): fqn_part(service)}
    for asset in sorted(assets, key=lambda asset: LEVEL[asset.type]):
        asset, hash = _hashed(asset)
        above = asset.path[:-1]
        if (parent_fqn := written.get(above)) is None:
            parent_fqn = written[above] = join_fqn((service, *above))
        one = _Said(asset, f"{parent_fqn}.{fqn_part(asset.path[-1])}", parent_fqn, hash)
        if one.fqn in said:
            raise ValueError(f"the batch names {one.fqn!r} twice")
        said[one.fqn] = one
        if asset.type is AssetType.COLUMN:
            if one.parent_fqn not in said:
                raise ValueError(f"the batch has the column {one.fqn!r} without its table")
            said[one.parent_fqn].columns.append(one)
    return list(said.values())


def _hashed(asset: SourceAsset) -> tuple[SourceAsset, str]:
    """The asset with text that a store can keep, and the hash of everything that it says."""
    said = _dumped(asset)
    if said is None or b"\\u0000" in said:
        asset = replace(asset, **{name: _storable(getattr(asset, name)) for name in ("path", *SOURCE_FIELDS)})
        said = _dumped(asset)
    if said is None:
        raise ValueError(f"what the source says about {'.'.join(asset.path)!r} is not plain JSON")
    return asset, hashlib.blake2b(said, digest_size=16).hexdigest()


def _dumped(asset: SourceAsset) -> bytes | None:
    try:
        return orjson.dumps((asset.path, *_said_fields(asset)), option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return None


def _storable(value: Any) -> Any:
    """Replace what no store keeps: the NUL character and half characters, which odd sources have in comments."""
    if isinstance(value, str):
        return value.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_storable(key): _storable(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(_storable(item) for item in value)
    return value


def with_approved(
    declared: Sequence[Mapping[str, Any]] | None, standing: Sequence[Mapping[str, Any]] | None
) -> list[Mapping[str, Any]] | None:
    """The relationships that a source declares, and those that people have approved, which no source speaks of."""
    said = {_meant(one) for one in declared or ()}
    approved = [one for one in standing or () if one.get("approved_by") is not None and _meant(one) not in said]
    return [*(declared or ()), *approved] or None


def _meant(relationship: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(relationship.get(name) for name in ("type", "schema", "table", "column"))


def _values(asset: SourceAsset) -> dict[str, Any]:
    values = dict(zip(SOURCE_FIELDS, _said_fields(asset), strict=True))
    for name in _EMPTY_OBJECTS:
        values[name] = dict(values[name])
    if values["column_relationships"] is not None:
        values["column_relationships"] = [dict(one) for one in values["column_relationships"]]
    return values


@dataclass(slots=True)
class _Batch:
    """The work of one call."""

    connection: sa.Connection
    scope: Scope
    resource_uri: str
    service: str
    actor: str
    now: datetime
    judge: Judge
    ids: dict[str, str] = field(default_factory=dict)
    recounted: set[str] = field(default_factory=set)

    def take(self, said: list[_Said]) -> Counts:
        known = self._known(said)
        for one in said:
            one.known = known.get(one.fqn)
            if one.known is not None:
                self.ids[one.fqn] = one.known.id
                if one.known.resource_uri != self.resource_uri:
                    raise AlreadyExists(
                        f"{one.fqn} stands in the catalog already and belongs to {one.known.resource_uri}. "
                        "Give one of the two connections another service name.",
                        resource_type="metadata_asset",
                        resource_id=one.fqn,
                        resource_uri=one.known.resource_uri,
                    )
        for fqn, row in known.items():
            self.ids.setdefault(fqn, row.id)
        new = [one for one in said if one.known is None]
        touched = [one for one in said if one.known is not None and self._differs(one, one.known)]
        gone = self._gone_columns(said, known)
        restored = sum(1 for one in touched if one.known is not None and one.known.deleted_at is not None)
        self._edit(touched, [one for one in said if one.asset.type is AssetType.TABLE], gone, known)
        self._mark_columns(gone)
        self._insert(new)
        recount(self.connection, self.scope, self.recounted)
        return Counts(
            created=len(new),
            updated=len(touched) - restored,
            unchanged=len(said) - len(new) - len(touched),
            vanished=len(gone),
            restored=restored,
        )

    @staticmethod
    def _differs(one: _Said, known: _Known) -> bool:
        return known.deleted_at is not None or known.source_hash != one.hash

    def _known(self, said: list[_Said]) -> dict[str, _Known]:
        """The standing rows of everything said, of its parents, and of every column of its tables that stand."""
        assets = metadata_assets
        tables = [one.fqn for one in said if one.asset.type is AssetType.TABLE]
        others = {one.fqn for one in said if one.asset.type is not AssetType.COLUMN}
        others |= {one.parent_fqn for one in said if one.asset.type not in (AssetType.COLUMN, AssetType.DATABASE)}
        found = self._rows_by(assets.c.fully_qualified_name, sorted(others))
        return found | self._rows_by(assets.c.parent_fqn, [fqn for fqn in tables if fqn in found])

    def _rows_by(self, column: sa.ColumnElement[str], keys: Sequence[str]) -> dict[str, _Known]:
        found = [row for some in chunks(keys) for row in self.connection.execute(self._looked_up(column, some))]
        return {row.fully_qualified_name: _Known(*row) for row in found}

    def _looked_up(self, column: sa.ColumnElement[str], keys: Sequence[str]) -> sa.Select[Any]:
        """The rows of which a column is one of the keys.

        During a first ingestion PostgreSQL's statistics know nothing of the project yet, and one `in (...)` would be
        answered by reading all of it, for every batch. So there each key is looked up by itself, which only an index
        can answer: `offset 0` keeps the planner from undoing that, and the organization is checked outside so that
        the index of the children is the one that fits.
        """
        assets = metadata_assets
        columns = [assets.c[name] for name in _Known._fields]
        if self.connection.dialect.name != "postgresql":
            return sa.select(*columns).where(*in_scope(self.scope), column.in_(keys))
        asked = sa.func.unnest(sa.cast(list(keys), ARRAY(sa.Text))).table_valued("key").render_derived("asked")
        own = assets.c.organization_id == self.scope.organization_id
        inside = [assets.c.project_id == self.scope.project_id, column == asked.c.key]
        if column is assets.c.fully_qualified_name:
            inside.append(own)
        each = sa.select(*columns, assets.c.organization_id).where(*inside).offset(0).lateral("each")
        chosen = [each.c[name] for name in _Known._fields]
        joined = sa.select(*chosen).select_from(asked).join(each, sa.true())
        return joined.where(each.c.organization_id == self.scope.organization_id)

    def _gone_columns(self, said: list[_Said], known: Mapping[str, _Known]) -> list[_Known]:
        now_there = {one.fqn for one in said}
        tables = {one.fqn for one in said if one.asset.type is AssetType.TABLE}
        return [
            row
            for fqn, row in known.items()
            if row.parent_fqn in tables
            and fqn not in now_there
            and row.deleted_at is None
            and row.source_hash is not None
        ]

    def _insert(self, new: list[_Said]) -> None:
        for one in new:
            if one.asset.type not in (AssetType.DATABASE, AssetType.COLUMN):
                parent_id = self.ids.get(one.parent_fqn)
                if parent_id is None:
                    raise ValueError(f"the parent of {one.fqn!r} neither stands in the catalog nor is in the batch")
                self.recounted.add(parent_id)
            self.ids[one.fqn] = str(uuid4())
        if new:
            insert_rows(self.connection, self._rows(new))

    def _rows(self, new: list[_Said]) -> Iterator[dict[str, Any]]:
        """The rows of what is new, made one by one as the store takes them."""
        maker = NewRows(self.scope, self.resource_uri, actor=self.actor, now=self.now, reason=FIRST_SEEN)
        for one in new:
            values = _values(one.asset)
            values["source_description"] = values["description"]
            values["source_hash"] = one.hash
            yield maker.make(
                (self.service, *one.asset.path),
                one.asset.type,
                fqn=one.fqn,
                parent_fqn=one.parent_fqn,
                id=self.ids[one.fqn],
                parent_id=self.ids.get(one.parent_fqn),
                values=values,
                column_names=[column.asset.name for column in one.columns],
            )

    def _edit(self, touched: list[_Said], tables: list[_Said], gone: list[_Known], known: Mapping[str, _Known]) -> None:
        """Change what differs; a table whose columns changed is changed with them."""
        gone_of: dict[str, list[_Known]] = {}
        for row in gone:
            gone_of.setdefault(row.parent_fqn, []).append(row)
        differing = {one.fqn for one in touched}
        edited = list(touched)
        for table in tables:
            columns_changed = table.fqn in gone_of or any(
                column.known is None or column.fqn in differing for column in table.columns
            )
            if table.known is not None and table.fqn not in differing and columns_changed:
                edited.append(table)
        if not edited:
            return
        handwritten = self._handwritten(tables, known)
        rows = self._standing([one.known.row_number for one in edited if one.known is not None])
        edits: list[Edit] = []
        told: list[Happening] = []
        column_changes: dict[str, list[ColumnChange]] = {}
        columns_before: dict[str, list[dict[str, Any]]] = {}
        by_level = sorted(edited, key=lambda one: -LEVEL[one.asset.type])  # columns are judged before their tables
        for one in by_level:
            asset = rows[one.fqn]
            values, before = self._compared(one, asset)
            changes: list[ColumnChange] = []
            if one.asset.type is AssetType.TABLE:
                changes = self._changes_of(one, column_changes.get(one.fqn, []), gone_of.get(one.fqn, []))
            judgement = self.judge(before, {name: values[name] for name in before}, changes)
            told += _columns_changed(one.fqn, changes)
            if one.asset.type is AssetType.COLUMN:
                self._note(one, asset, judgement, column_changes, known[one.parent_fqn])
            if one.asset.type is AssetType.TABLE and judgement is not None:
                columns_before[asset.view.id] = []
            values["source_hash"] = one.hash
            if asset.view.deleted_at is not None:
                values["deleted_at"] = None
                if asset.parent_id is not None:
                    self.recounted.add(asset.parent_id)
            if one.asset.type is AssetType.TABLE:
                self.recounted.add(asset.view.id)
            values["search_words"] = self._words(one, asset, values, handwritten.get(one.fqn, []))
            edits.append(Edit(asset, values, judgement))
        self._restore(row for rows_of_table in handwritten.values() for row in rows_of_table)
        self._fill_columns(columns_before)
        write_edits(self.connection, edits, actor=self.actor, now=self.now, columns_before=columns_before)
        tell(self.connection, self.scope, self.now, told)

    def _standing(self, row_numbers: list[int]) -> dict[str, Standing]:
        found: dict[str, Standing] = {}
        for some in chunks(row_numbers):
            rows = standing(self.connection, self.scope, metadata_assets.c.row_number.in_(some))
            found |= {row.view.fully_qualified_name: row for row in rows}
        return found

    def _compared(self, one: _Said, asset: Standing) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what to write of what the source says, and the same fields as they stand.

        People's own words are kept, and so is a number of rows that was measured where the source counts none.
        """
        values = {name: value for name, value in _values(one.asset).items() if name not in asset.people_fields}
        if values.get("row_count") is None:
            values.pop("row_count", None)
        before = {name: getattr(asset.view, name) for name in values}
        values["column_relationships"] = with_approved(values["column_relationships"], before["column_relationships"])
        values["source_description"] = one.asset.description
        return values, before

    @staticmethod
    def _changes_of(table: _Said, updated: list[ColumnChange], gone: list[_Known]) -> list[ColumnChange]:
        added = [ColumnChange(column.asset.name, "added") for column in table.columns if column.known is None]
        return [*added, *updated, *[ColumnChange(row.name, "deleted") for row in gone]]

    @staticmethod
    def _note(
        one: _Said,
        asset: Standing,
        judgement: Judgement | None,
        changes: dict[str, list[ColumnChange]],
        table: _Known,
    ) -> None:
        """Tell the table what happened to one of its standing columns. Columns that come back with it are no news."""
        of_table = changes.setdefault(one.parent_fqn, [])
        if asset.view.deleted_at is not None and table.deleted_at is None:
            of_table.append(ColumnChange(one.asset.name, "added"))
        elif judgement is not None:
            of_table.append(ColumnChange(one.asset.name, "updated", judgement.fields, judgement.structural))

    @staticmethod
    def _words(one: _Said, asset: Standing, values: Mapping[str, Any], handwritten: list[_Known]) -> str:
        names = [column.asset.name for column in one.columns] + [row.name for row in handwritten]
        return words_of({**asset.view.document(), **values}, names)

    @staticmethod
    def _handwritten(tables: list[_Said], known: Mapping[str, _Known]) -> dict[str, list[_Known]]:
        """By table: the columns that people added to it, which stand or come back as the table does."""
        said = {column.fqn for table in tables for column in table.columns}
        when = {table.fqn: table.known.deleted_at for table in tables if table.known is not None}
        found: dict[str, list[_Known]] = {}
        for fqn, row in known.items():
            own = row.parent_fqn in when and fqn not in said and row.source_hash is None
            if own and row.deleted_at in (None, when[row.parent_fqn]):
                found.setdefault(row.parent_fqn, []).append(row)
        return found

    def _restore(self, handwritten: Iterable[_Known]) -> None:
        for some in chunks([row.row_number for row in handwritten if row.deleted_at is not None]):
            self.connection.execute(
                metadata_assets.update()
                .where(metadata_assets.c.row_number.in_(some))
                .values(deleted_at=None, updated_at=self.now, updated_by=self.actor)
            )

    def _fill_columns(self, columns_before: dict[str, list[dict[str, Any]]]) -> None:
        """Read the columns of the tables that get a new version, as they stand before it."""
        assets = metadata_assets
        names = ("name", "data_type", "data_type_display", "ordinal_position", "nullable", "description")
        for some in chunks(sorted(columns_before)):
            rows = self.connection.execute(
                sa.select(assets.c.parent_id, *[assets.c[name] for name in names])
                .where(*in_scope(self.scope), assets.c.parent_id.in_(some), assets.c.deleted_at.is_(None))
                .order_by(assets.c.ordinal_position, assets.c.name)
            )
            for parent_id, *values in rows:
                columns_before[parent_id].append(dict(zip(names, values, strict=True)))

    def _mark_columns(self, gone: list[_Known]) -> None:
        assets = metadata_assets
        for some in chunks([row.row_number for row in gone]):
            self.connection.execute(
                assets.update()
                .where(assets.c.row_number.in_(some))
                .values(
                    deleted_at=self.now,
                    updated_at=self.now,
                    updated_by=self.actor,
                    revision=assets.c.revision + 1,
                )
            )
        self.recounted |= {self.ids[row.parent_fqn] for row in gone}
