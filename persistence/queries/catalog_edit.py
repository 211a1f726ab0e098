"""Defines what people say about assets of the catalog: a change of one by hand, or of many by one decision.

However many assets one change is about, each of them, and each table that one of their columns stands in, becomes one
new version, whose description of the change names every field. The marks of an asset follow its tags.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.asset_view import AssetView
from persistence.queries.catalog_rows import Edit, Standing, chunks, lock_service, standing, words_of, write_edits
from persistence.queries.metadata_search import in_scope
from persistence.repository import Expected, Scope, meets
from persistence.tables.catalog import metadata_assets
from schema.errors import NotFound, VersionConflict
from schema.identifiers import Version, parse_fqn
from schema.utils.metadata_asset import MARKS, AssetType
from schema.utils.source_asset import ColumnChange, Judge

NOUN: Final = "metadata_asset"
"""What errors call it."""

PEOPLES_FIELDS: Final = (
    "display_name",
    "description",
    "summary_text",
    "owners",
    "extension",
    "is_dq_tagged",
    "is_pii_tagged",
    "is_sensitivity_tagged",
    "tags",
    "business_definition",
    "business_rules",
)
"""The fields that people may change by hand; ingestion leaves alone what they set."""

APPROVED_FIELD: Final = "column_relationships"
"""What an approval adds to without making it people's: ingestion keeps what was approved beside what it declares."""


@dataclass(frozen=True, slots=True)
class AssetChange:
    """Holds what is to be said about one asset."""

    resource_uri: str
    fqn: str
    values: Mapping[str, Any]


def update_asset(
    connection: sa.Connection,
    scope: Scope,
    resource_uri: str,
    fqn: str,
    changes: Mapping[str, Any],
    *,
    actor: str,
    now: datetime,
    judge: Judge,
    reason: str | None = None,
    expected_version: str | None = None,
    expected_revision: Expected = None,
) -> AssetView:
    """Change what people say about an asset, as a new version; nothing that differs is no new version.

    A cleared description falls back to the source's comment. Raises NotFound, and VersionConflict when the asset is
    at another version or revision than expected.
    """
    name = parse_fqn(fqn)
    lock_service(connection, scope, name.parts[0])
    asset = live(connection, scope, resource_uri, str(name))
    expect(asset, expected_version, expected_revision)
    if not _edit(connection, scope, [(asset, changes)], actor, now, judge, reason, None):
        return asset.view
    return live(connection, scope, resource_uri, str(name)).view


def update_assets(
    connection: sa.Connection,
    scope: Scope,
    changes: Sequence[AssetChange],
    *,
    actor: str,
    now: datetime,
    judge: Judge,
    reason: str,
) -> None:
    """Change what people say about several assets at once: one new version of each, and of each of their tables.

    Raises NotFound for one that does not stand.
    """
    lock_services(connection, scope, [one.fqn for one in changes])
    found: dict[str, Standing] = {}
    for some in chunks([one.fqn for one in changes]):
        rows = standing(connection, scope, metadata_assets.c.fully_qualified_name.in_(some))
        found |= {row.view.fully_qualified_name: row for row in rows}
    edited = [(_of(found.get(one.fqn), one.resource_uri, one.fqn), one.values) for one in changes]
    _edit(connection, scope, edited, actor, now, judge, reason, reason)


def lock_services(connection: sa.Connection, scope: Scope, fqns: Iterable[str]) -> None:
    """Let nobody else change the parts of the catalog that hold some assets; in order, so that nobody waits for good.

    Who reads assets to decide what to change in them does this first.
    """
    for service in sorted({parse_fqn(fqn).parts[0] for fqn in fqns}):
        lock_service(connection, scope, service)


def _edit(
    connection: sa.Connection,
    scope: Scope,
    changed: Sequence[tuple[Standing, Mapping[str, Any]]],
    actor: str,
    now: datetime,
    judge: Judge,
    reason: str | None,
    reason_of_tables: str | None,
) -> bool:
    """Write one change of some assets; whether anything differs."""
    edits: list[Edit] = []
    tables: list[tuple[Standing, Mapping[str, Any]]] = []
    of_columns: dict[str, list[ColumnChange]] = {}
    for asset, changes in changed:
        if asset.view.type is AssetType.TABLE:
            tables.append((asset, changes))  # judged when what happened to their columns is known
        elif (edit := _edit_of(asset, changes, judge, reason)) is not None:
            edits.append(edit)
            if edit.judgement is not None and asset.view.type is AssetType.COLUMN:
                change = ColumnChange(asset.view.name, "updated", edit.judgement.fields)
                of_columns.setdefault(asset.parent_fqn, []).append(change)
    known = {asset.view.fully_qualified_name for asset, _ in tables}
    for some in chunks(sorted(of_columns.keys() - known)):
        rows = standing(connection, scope, metadata_assets.c.fully_qualified_name.in_(some))
        tables += [(row, {}) for row in rows]
    named = _column_names(connection, scope, [asset for asset, changes in tables if changes])
    for asset, changes in tables:
        columns = of_columns.get(asset.view.fully_qualified_name, [])
        why = reason if changes else reason_of_tables
        edit = _edit_of(asset, changes, judge, why, columns, named.get(asset.view.id, ()))
        if edit is not None:
            edits.append(edit)
    write_edits(connection, edits, actor=actor, now=now)
    return bool(edits)


def _edit_of(
    asset: Standing,
    changes: Mapping[str, Any],
    judge: Judge,
    reason: str | None,
    columns: Sequence[ColumnChange] = (),
    column_names: Iterable[str] = (),
) -> Edit | None:
    """Return what to write of a change of one asset and of its columns; None when nothing differs."""
    after = {field: changes[field] for field in (*PEOPLES_FIELDS, APPROVED_FIELD) if field in changes}
    people = set(asset.people_fields)
    for field, value in after.items():
        if field != APPROVED_FIELD:
            (people.discard if value is None or value == {} else people.add)(field)
    if "description" in after and after["description"] is None:
        after["description"] = asset.source_description
    document = asset.view.document()
    after |= marks_of(document, after)
    judgement = judge({field: document[field] for field in after}, after, columns)
    if judgement is None and people == set(asset.people_fields):
        return None
    if changes:
        after["people_fields"] = sorted(people)
        after["search_words"] = words_of(document | after, column_names)
    return Edit(asset, after, judgement, reason)


def marks_of(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, bool]:
    """The marks that follow from the tags that an asset comes to have.

    A mark stands while a tag of its category does, and goes with the last one, or with the last tag of all. One that
    people set without a tag is theirs.
    """
    had = _categories(before.get("tags"))
    has = _categories(after["tags"]) if "tags" in after else had
    found: dict[str, bool] = {}
    for category, mark in MARKS.items():
        stands = bool(after.get(mark, before.get(mark)))
        if category in has:
            stands = True
        elif mark not in after and (category in had or (had and not has)):
            stands = False
        if mark in after or stands != bool(before.get(mark)):
            found[mark] = stands
    return found


def _categories(tags: Iterable[Mapping[str, Any]] | None) -> set[str]:
    """The categories of tags, as they say it and as their names do."""
    told = [(str(tag.get("category_name") or ""), str(tag.get("tag_fqn") or "")) for tag in tags or ()]
    return {category.casefold() for category, _ in told} | {fqn.partition(".")[0].casefold() for _, fqn in told}


def column_changed(
    connection: sa.Connection,
    scope: Scope,
    table: Standing,
    change: ColumnChange,
    judge: Judge,
    actor: str,
    now: datetime,
) -> None:
    """Make a table a new version because a column was added or deleted."""
    judgement = judge({}, {}, [change])
    names = _column_names(connection, scope, [table]).get(table.view.id, ())
    values = {"search_words": words_of(table.view.document(), names)}
    write_edits(connection, [Edit(table, values, judgement)], actor=actor, now=now)


def find_standing(connection: sa.Connection, scope: Scope, fqn: str) -> Standing | None:
    """The row of a dotted name, deleted or not; None when there is none."""
    found = standing(connection, scope, metadata_assets.c.fully_qualified_name == fqn)
    return found[0] if found else None


def live(connection: sa.Connection, scope: Scope, resource_uri: str, fqn: str) -> Standing:
    """The asset of a resource that has a dotted name. Raises NotFound."""
    return _of(find_standing(connection, scope, fqn), resource_uri, fqn)


def _of(asset: Standing | None, resource_uri: str, fqn: str) -> Standing:
    if asset is None or asset.view.deleted_at is not None or asset.view.resource_uri != resource_uri:
        raise NotFound(NOUN, fqn)
    return asset


def expect(asset: Standing, version: str | None, revision: Expected) -> None:
    """Raise VersionConflict unless an asset is at the version and revision that somebody has read."""
    stands = asset.version
    if (version is not None and Version.parse(version) != stands) or not meets(asset.view._revision, revision):
        raise VersionConflict(
            f"{asset.view.fully_qualified_name} is at version {stands} by now. Read it again and retry.",
            resource_type=NOUN,
            resource_id=asset.view.fully_qualified_name,
            version=str(stands),
        )


def _column_names(connection: sa.Connection, scope: Scope, tables: Collection[Standing]) -> dict[str, list[str]]:
    """The names of the columns of some assets that are tables, by the asset's id."""
    assets = metadata_assets.c
    found: dict[str, list[str]] = {}
    ids = [asset.view.id for asset in tables if asset.view.type is AssetType.TABLE]
    for some in chunks(ids):
        names = sa.select(assets.parent_id, assets.name).where(
            *in_scope(scope), assets.parent_id.in_(some), assets.deleted_at.is_(None)
        )
        for parent, name in connection.execute(names):
            found.setdefault(parent, []).append(name)
    return found
