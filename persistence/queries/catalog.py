"""The catalog, read by dotted name and searched, and written by hand. Always inside one organization and project.

Decisions where the contract is silent: a deleted asset is not found by name, but its versions can still be read and a
search that speaks of `deleted_at` finds it; an asset of another resource than the path names is not found; a name
that stood before and was deleted comes back as a structural version of the same asset.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import orjson
import sqlalchemy as sa

from persistence.engine import Database
from persistence.queries.asset_documents import FEWEST, children_documents, document_alone
from persistence.queries.asset_pages import Hits, Search, kept_page, page_and_total
from persistence.queries.asset_view import (
    WIDTH,
    AssetView,
    HotStatement,
    WrittenAsset,
    answer_columns,
    document_of,
    narrow_view,
)
from persistence.queries.catalog_counts import standing_total
from persistence.queries.catalog_edit import (
    NOUN,
    PEOPLES_FIELDS,
    column_changed,
    expect,
    find_standing,
    live,
    marks_of,
)
from persistence.queries.catalog_ingest import mark_deleted
from persistence.queries.catalog_load import insert_rows, new_row
from persistence.queries.catalog_rows import Edit, Standing, lock_service, recount, words_of, write_edits
from persistence.queries.metadata_search import Window, search_conditions
from persistence.queries.standing import STANDING, Told, tell
from persistence.repository import Expected, Scope
from persistence.tables.catalog import metadata_assets, metadata_versions
from schema.errors import AlreadyExists, InvalidParameter, NotFound, ValidationError
from schema.identifiers import Fqn, Version, parse_fqn
from schema.pagination import Page
from schema.utils.metadata_asset import LEVEL, MAX_CHILDREN, AssetType, MetadataAsset
from schema.utils.search_query import EVERYTHING, Query
from schema.utils.source_asset import ColumnChange, Judge, Judgement


@dataclass(frozen=True, slots=True)
class AssetPage:
    """One window of found assets. Reads like a `Page[MetadataAsset]`."""

    items: Sequence[AssetView | WrittenAsset]
    total: int
    offset: int
    limit: int

    def json_bytes(self) -> bytes:
        """The page in the documented shape of a metadata search."""
        window = {"offset": self.offset, "limit": self.limit, "total": self.total}
        return orjson.dumps(
            {"pagination": window, "results": [orjson.Fragment(item.json_bytes()) for item in self.items]}
        )

    def resource(self) -> Page[MetadataAsset]:
        """The page of resources."""
        items = [item.resource() for item in self.items]
        return Page[MetadataAsset](items=items, total=self.total, offset=self.offset, limit=self.limit)


def get_asset(
    connection: sa.Connection,
    scope: Scope,
    resource_uri: str,
    fqn: str,
    *,
    asset_type: AssetType | None = None,
    version: str | None = None,
    include_children: bool = False,
    documents: bool = False,
    only: frozenset[str] | None = None,
) -> AssetView:
    """One asset by its dotted name, with at most 500 direct children when they are asked for.

    `documents` says that the children will be written as they are, and nothing of them read; `only` names the fields
    that will be read of them. Columns come by position, everything else by name. Raises InvalidParameter when an old
    version is asked for together with children, NotFound, and ValidationError when the asset is of another type than
    expected.
    """
    if version is not None and include_children:
        raise InvalidParameter(
            "version cannot be combined with include_children=true: children are shown as they stand now only.",
            field="version",
        )
    fqn = str(parse_fqn(fqn))
    view = _found(_row(connection, scope, resource_uri, fqn), fqn, asset_type)
    if version is not None:
        return _old(connection, view, Version.parse(version))
    if view.deleted_at is not None:
        raise NotFound(NOUN, fqn)
    return with_children(connection, scope, view, documents=documents, only=only) if include_children else view


def with_children(
    connection: sa.Connection,
    scope: Scope,
    view: AssetView,
    *,
    documents: bool = False,
    only: frozenset[str] | None = None,
) -> AssetView:
    """The same asset with at most 500 direct children; what is asked of them is as in `get_asset`."""
    row, fqn = view.row, view.fully_qualified_name
    if documents and (view.children_total or 0) >= FEWEST:
        return _written(connection, scope, fqn, row, view.type)
    if only is None:
        return AssetView(row, [AssetView(child) for child in _children(connection, scope, fqn, view.type)])
    kind, statement = _narrow(only, view.type is AssetType.TABLE)
    children = statement.rows(connection, organization_id=scope.organization_id, project_id=scope.project_id, fqn=fqn)
    return AssetView(row, [kind(child) for child in children])


async def find_asset(
    database: Database,
    scope: Scope,
    resource_uri: str,
    fqn: str,
    *,
    asset_type: AssetType | None = None,
    told: Told | None = None,
    missing: Callable[[list[int]], None] | None = None,
) -> AssetView | WrittenAsset:
    """One asset alone as it stands, like `get_asset`: a single row by its key, for which no unit of work is begun.

    `told` is given what relations and the catalog were at then, where there is such an asset. `missing` is given by who
    writes the asset as it is and reads nothing of it: it may come as its document, and is named where it has none.
    """
    fqn = str(parse_fqn(fqn))
    named = _named(scope, resource_uri, fqn)
    if missing is not None:
        alone = await document_alone(database, **named)
        if alone is None:
            raise NotFound(NOUN, fqn)
        if alone.document is not None:
            tell(told, (alone,))
            _expect_type(fqn, AssetType(alone.type), asset_type)
            return WrittenAsset(alone.document, digest=alone.digest, revision=alone.revision)
        missing([alone.row_number])
    rows = await _BY_NAME_TOLD.glanced(database, **named)
    tell(told, rows)
    view = _found(rows[0][:WIDTH] if rows else None, fqn, asset_type)
    if view.deleted_at is not None:
        raise NotFound(NOUN, fqn)
    return view


def _found(row: Sequence[Any] | None, fqn: str, asset_type: AssetType | None) -> AssetView:
    if row is None:
        raise NotFound(NOUN, fqn)
    view = AssetView(row)
    _expect_type(fqn, view.type, asset_type)
    return view


def _expect_type(fqn: str, actual: AssetType, expected: AssetType | None) -> None:
    if expected is not None and actual is not expected:
        raise ValidationError(
            f"{fqn} is a {actual}, not a {expected}.",
            field="asset_type",
            expected=expected.value,
            actual=actual.value,
        )


def _written(connection: sa.Connection, scope: Scope, fqn: str, row: Sequence[Any], type_: AssetType) -> AssetView:
    """An asset with its children as documents: those that the store has, or all made now if it lacks any."""
    kept, missing = children_documents(connection, scope, fqn, type_)
    if missing:
        kept = [document_of(child) for child in _children(connection, scope, fqn, type_)]
    return AssetView(row, documents=kept, undocumented=missing)


def live_assets(connection: sa.Connection, organization_id: str, ids: Sequence[str]) -> list[MetadataAsset]:
    """The live assets of some ids, in whichever project of the organization."""
    asset = metadata_assets.c
    query = sa.select(*answer_columns).where(
        asset.organization_id == organization_id, asset.id.in_(ids), asset.deleted_at.is_(None)
    )
    return [AssetView(tuple(row)).resource() for row in connection.execute(query)]


def _row(connection: sa.Connection, scope: Scope, resource_uri: str, fqn: str) -> Sequence[Any] | None:
    rows = _BY_NAME.rows(connection, **_named(scope, resource_uri, fqn))
    return rows[0] if rows else None


def _named(scope: Scope, resource_uri: str, fqn: str) -> dict[str, Any]:
    """The values of `_BY_NAME`."""
    return {
        "organization_id": scope.organization_id,
        "project_id": scope.project_id,
        "uri": resource_uri,
        "fqn": fqn,
    }


def _children(connection: sa.Connection, scope: Scope, fqn: str, type_: AssetType) -> list[Sequence[Any]]:
    statement = _COLUMNS if type_ is AssetType.TABLE else _CHILDREN
    return statement.rows(connection, organization_id=scope.organization_id, project_id=scope.project_id, fqn=fqn)


_IN_PROJECT: Final = (
    metadata_assets.c.organization_id == sa.bindparam("organization_id"),
    metadata_assets.c.project_id == sa.bindparam("project_id"),
)


def _below(columns: Sequence[sa.ColumnElement[Any]], by_position: bool) -> HotStatement:
    """The direct children of an asset; columns come by position, everything else by name."""
    asset = metadata_assets.c
    query = sa.select(*columns).where(*_IN_PROJECT, asset.parent_fqn == sa.bindparam("fqn"), asset.deleted_at.is_(None))
    order = (asset.ordinal_position.nulls_last(), asset.name) if by_position else (asset.name,)
    return HotStatement(query.order_by(*order).limit(MAX_CHILDREN))


@lru_cache(256)
def _narrow(names: frozenset[str], by_position: bool) -> tuple[type[AssetView], HotStatement]:
    """The views of children of which only some fields are read, and what reads them."""
    kind, columns = narrow_view(names)
    return kind, _below(columns, by_position)


_NAMED: Final = (
    *_IN_PROJECT,
    metadata_assets.c.fully_qualified_name == sa.bindparam("fqn"),
    metadata_assets.c.resource_uri == sa.bindparam("uri"),
)
_BY_NAME: Final = HotStatement(sa.select(*answer_columns).where(*_NAMED))
_BY_NAME_TOLD: Final = HotStatement(sa.select(*answer_columns, *STANDING).where(*_NAMED))
_CHILDREN: Final = _below(answer_columns, by_position=False)
_COLUMNS: Final = _below(answer_columns, by_position=True)


def _old(connection: sa.Connection, view: AssetView, version: Version) -> AssetView:
    if version == Version(view.version_major, view.version_minor):
        return view
    document = connection.execute(
        sa.select(metadata_versions.c.document).where(
            metadata_versions.c.asset_id == view.id,
            metadata_versions.c.version_major == version.major,
            metadata_versions.c.version_minor == version.minor,
        )
    ).scalar_one_or_none()
    if document is None:
        raise NotFound("metadata_version", f"{view.fully_qualified_name}@{version}")
    return AssetView.of_document(document)


def search_assets(
    connection: sa.Connection,
    scope: Scope,
    query: Query = EVERYTHING,
    *,
    resource_uri: str | None = None,
    asset_type: AssetType | None = None,
    fqn_prefix: str | None = None,
    window: Window,
    hits: Hits | None = None,
) -> AssetPage:
    """One window of the assets that fulfil everything given, and how many there are in all.

    `fqn_prefix` asks for the direct children of a dotted name; a service's own name gives its databases. `hits` keeps
    what is found for the next page, and for whoever asks the same while the catalog stands unchanged.
    """
    search = _search(scope, query, resource_uri, asset_type, fqn_prefix, connection.dialect.name)
    if query == EVERYTHING and fqn_prefix is None:
        type_ = None if asset_type is None else asset_type.value
        search = replace(search, total=standing_total(connection, scope, resource_uri=resource_uri, asset_type=type_))
    rows, total = page_and_total(connection, search, window, Hits(0) if hits is None else hits)
    return AssetPage([AssetView(row) for row in rows], total, window.offset, window.limit)


def _search(
    scope: Scope,
    query: Query,
    resource_uri: str | None,
    asset_type: AssetType | None,
    fqn_prefix: str | None,
    dialect: str,
) -> Search:
    parent = None if fqn_prefix is None else str(parse_fqn(fqn_prefix, field="fqn_prefix"))
    type_ = None if asset_type is None else asset_type.value

    def conditions() -> list[sa.ColumnElement[bool]]:
        return search_conditions(
            scope,
            dialect,
            query,
            resource_uri=resource_uri,
            asset_type=type_,
            parent_fqn=parent,
        )

    key = (query, resource_uri, type_, parent)
    return Search(scope, key, conditions, narrow=query != EVERYTHING)


async def find_page(
    database: Database,
    scope: Scope,
    query: Query,
    *,
    resource_uri: str | None,
    asset_type: AssetType | None,
    fqn_prefix: str | None,
    window: Window,
    hits: Hits,
    told: Told,
    missing: Callable[[list[int]], None],
) -> AssetPage | None:
    """The window that `search_assets` would answer with, as documents, where its hits are kept; else None.

    `told` and `missing` are those of `kept_page`.
    """
    search = _search(scope, query, resource_uri, asset_type, fqn_prefix, database.dialect)
    page = await kept_page(database, search, window, hits, told, missing)
    return None if page is None else AssetPage(*page, window.offset, window.limit)


def create_asset(
    connection: sa.Connection,
    scope: Scope,
    resource_uri: str,
    fqn: str,
    asset_type: AssetType,
    values: Mapping[str, Any],
    *,
    actor: str,
    now: datetime,
    judge: Judge,
) -> AssetView:
    """Write an asset by hand; what is given of people's fields is theirs from the start.

    Raises AlreadyExists, and ValidationError (422) when the name does not fit the type or its parent does not stand.
    """
    name = _fitting(fqn, asset_type)
    lock_service(connection, scope, name.parts[0])
    parent = None if asset_type is AssetType.DATABASE else _parent(connection, scope, resource_uri, name)
    stored = dict(values)
    stored |= marks_of({}, stored)
    people = [field for field in PEOPLES_FIELDS if stored.get(field) not in (None, False, {}, [])]
    standing_row = find_standing(connection, scope, str(name))
    if standing_row is not None:
        _revive(connection, standing_row, resource_uri, stored, people, actor, now)
    else:
        row = new_row(
            scope,
            resource_uri,
            name.parts,
            asset_type,
            parent_id=None if parent is None else parent.view.id,
            actor=actor,
            now=now,
            reason="Written by hand.",
            values={**stored, "people_fields": people},
        )
        insert_rows(connection, [row])
    if parent is not None:
        if asset_type is AssetType.COLUMN:
            column_changed(connection, scope, parent, ColumnChange(name.name, "added"), judge, actor, now)
        recount(connection, scope, {parent.view.id})
    return get_asset(connection, scope, resource_uri, str(name))


def _fitting(fqn: str, asset_type: AssetType) -> Fqn:
    try:
        name = Fqn.parse(fqn)
    except ValueError as error:
        raise ValidationError(
            f"fully_qualified_name is not a dotted name: {error}.", status=422, field="fully_qualified_name"
        ) from None
    if len(name.parts) != LEVEL[asset_type]:
        raise ValidationError(
            f"The dotted name of a {asset_type} has {LEVEL[asset_type]} parts, not {len(name.parts)}.",
            status=422,
            field="fully_qualified_name",
        )
    return name


def _parent(connection: sa.Connection, scope: Scope, resource_uri: str, name: Fqn) -> Standing:
    parent = find_standing(connection, scope, str(name.parent))
    if parent is None or parent.view.deleted_at is not None or parent.view.resource_uri != resource_uri:
        raise ValidationError(
            f"The parent {name.parent} is not in the catalog of this resource. Create it first.",
            status=422,
            field="fully_qualified_name",
        )
    return parent


def _revive(
    connection: sa.Connection,
    asset: Standing,
    resource_uri: str,
    values: dict[str, Any],
    people: list[str],
    actor: str,
    now: datetime,
) -> None:
    view = asset.view
    if view.deleted_at is None or view.resource_uri != resource_uri:
        raise AlreadyExists(
            f"{view.fully_qualified_name} stands in the catalog already. Use PUT to change it.",
            resource_type=NOUN,
            resource_id=view.fully_qualified_name,
        )
    after = {**values, "deleted_at": None, "people_fields": people}
    after["search_words"] = words_of(view.document() | after)
    edit = Edit(asset, after, Judgement(True, added=("deleted_at",)), "Written by hand again after it was deleted.")
    write_edits(connection, [edit], actor=actor, now=now)


def delete_asset(
    connection: sa.Connection,
    scope: Scope,
    resource_uri: str,
    fqn: str,
    *,
    actor: str,
    now: datetime,
    judge: Judge,
    expected_revision: Expected = None,
) -> AssetView:
    """Mark an asset and all below it as deleted; answers it as it stands then. Raises NotFound, VersionConflict.

    An asset that its source still has comes back with the next ingestion.
    """
    name = parse_fqn(fqn)
    lock_service(connection, scope, name.parts[0])
    asset = live(connection, scope, resource_uri, str(name))
    expect(asset, None, expected_revision)
    mark_deleted(connection, scope, str(name), actor=actor, now=now)
    parent = find_standing(connection, scope, asset.parent_fqn)
    if parent is not None:
        if asset.view.type is AssetType.COLUMN:
            column_changed(connection, scope, parent, ColumnChange(name.name, "deleted"), judge, actor, now)
        recount(connection, scope, {parent.view.id})
    row = _row(connection, scope, resource_uri, str(name))
    assert row is not None
    return AssetView(row)
