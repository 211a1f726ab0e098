"""Defines how standing catalog rows are read, versioned, counted and changed: what ingestion and edits by hand
share.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeVar

import sqlalchemy as sa

from persistence.locks import lock_in
from persistence.queries.asset_view import WIDTH, AssetView, answer_columns
from persistence.queries.metadata_search import in_scope
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets, metadata_versions
from schema.identifiers import Fqn, Version
from schema.utils.search_query import WORD_TAGS, stored_words
from schema.utils.source_asset import Judgement

T = TypeVar("T")

CHUNK: Final = 500
"""How many keys one statement names."""

SUMMARIZED_NAMES: Final = 5
"""How many field names a version's reason lists."""

_FREE_TEXTS: Final = ("name", "display_name", "description", "summary_text", "business_definition")

_HIDDEN: Final = ("row_number", "parent_id", "parent_fqn", "source_description", "source_hash", "people_fields")


def chunks(items: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """Slices of a sequence."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def lock_service(connection: sa.Connection, scope: Scope, service: str) -> None:
    """Let one writer at a time change one service's part of the catalog, until the transaction ends.

    Counts and parents then need no further locks. SQLite has one writer anyway.
    """
    lock_in(connection, scope, "catalog", service)


@dataclass(frozen=True, slots=True)
class Standing:
    """A row as it stands: what callers see of it, and what the platform keeps for itself."""

    view: AssetView
    row_number: int
    parent_id: str | None
    parent_fqn: str
    source_description: str | None
    source_hash: str | None
    people_fields: list[str]

    @property
    def version(self) -> Version:
        """The version that stands."""
        return Version(self.view.version_major, self.view.version_minor)


def standing(connection: sa.Connection, scope: Scope, *conditions: sa.ColumnElement[bool]) -> list[Standing]:
    """The rows that fulfil the conditions, deleted ones included."""
    hidden = [metadata_assets.c[name] for name in _HIDDEN]
    rows = connection.execute(sa.select(*answer_columns, *hidden).where(*in_scope(scope), *conditions)).all()
    return [Standing(AssetView(row[:WIDTH]), *row[WIDTH:]) for row in rows]


def below(fqn: str) -> sa.ColumnElement[bool]:
    """Everything under a dotted name, as a range of the unique index: "." is followed by "/"."""
    column = metadata_assets.c.fully_qualified_name
    return sa.and_(column > f"{fqn}.", column < f"{fqn}/")


def stood(connection: sa.Connection, scope: Scope, name: Fqn, at: datetime) -> bool:
    """Return whether the catalog has something at or under a dotted name that was not deleted by a moment."""
    asset, fqn = metadata_assets.c, str(name)
    query = sa.select(asset.id).where(
        *in_scope(scope),
        sa.or_(asset.fully_qualified_name == fqn, below(fqn)),
        sa.or_(asset.deleted_at.is_(None), asset.deleted_at > at),
    )
    return connection.execute(query.limit(1)).first() is not None


def words_of(values: Mapping[str, Any], column_names: Iterable[str] = ()) -> str:
    """The stored words of an asset: see `schema/utils/search_query.py`."""
    free = [text for name in _FREE_TEXTS if (text := values.get(name))]
    tagged = [(name, value) for name in WORD_TAGS if (value := values.get(name))]
    return stored_words(
        (*free, *column_names),
        [(name, value if isinstance(value, str) else _LISTED[name](value)) for name, value in tagged],
    )


def _owners(owners: Iterable[Mapping[str, Any]]) -> str:
    return " ; ".join([f"{owner['name']} ; {owner['id']}" for owner in owners])


def _tags(tags: Iterable[Mapping[str, Any]]) -> str:
    return " ; ".join([f"{tag['tag_fqn']} ; {tag['tag_name']} ; {tag['category_name']}" for tag in tags])


_LISTED: Final = {"owners": _owners, "tags": _tags}
"""How the fields that are lists are written as one text."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change to one standing row. A judgement makes it a new version; without one the version stays."""

    asset: Standing
    values: Mapping[str, Any]
    judgement: Judgement | None = None
    reason: str | None = None


def write_edits(
    connection: sa.Connection,
    edits: Sequence[Edit],
    *,
    actor: str,
    now: datetime,
    columns_before: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
) -> None:
    """Write changes; what a new version replaces is kept whole. `columns_before`: by table id, for its document."""
    updates: list[dict[str, Any]] = []
    kept: list[dict[str, Any]] = []
    for edit in edits:
        values: dict[str, Any] = {**edit.values, "updated_at": now, "updated_by": actor}
        if edit.judgement is not None:
            document = edit.asset.view.document()
            if columns_before and edit.asset.view.id in columns_before:
                document["columns"] = [dict(column) for column in columns_before[edit.asset.view.id]]
            standing_version = edit.asset.version
            kept.append(
                {
                    "asset_id": edit.asset.view.id,
                    "version_major": standing_version.major,
                    "version_minor": standing_version.minor,
                    "document": document,
                    "created_at": now,
                }
            )
            following = standing_version.next(structural=edit.judgement.structural)
            values |= {
                "version_major": following.major,
                "version_minor": following.minor,
                "version_change_reason": edit.reason or summarized(edit.judgement),
                "change_description": edit.judgement.change_description(str(standing_version)),
                "change_summary": edit.judgement.change_summary(),
                "changed_by": [actor],
            }
        updates.append(values | {"_row": edit.asset.row_number})
    if kept:
        connection.execute(metadata_versions.insert(), kept)
    for names, group in _by_names(updates):
        statement = (
            metadata_assets.update()
            .where(metadata_assets.c.row_number == sa.bindparam("_row"))
            .values({name: sa.bindparam(f"_{name}") for name in names} | {"revision": metadata_assets.c.revision + 1})
        )
        connection.execute(
            statement, [{name if name == "_row" else f"_{name}": value for name, value in row.items()} for row in group]
        )


def _by_names(updates: Iterable[dict[str, Any]]) -> Iterable[tuple[list[str], list[dict[str, Any]]]]:
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in updates:
        groups.setdefault(tuple(sorted(row)), []).append(row)
    return [([name for name in names if name != "_row"], rows) for names, rows in groups.items()]


def summarized(judgement: Judgement) -> str:
    """A version's reason when nobody gave one."""
    fields = judgement.fields
    shown = ", ".join(fields[:SUMMARIZED_NAMES])
    more = f" and {len(fields) - SUMMARIZED_NAMES} more" if len(fields) > SUMMARIZED_NAMES else ""
    return f"{'Structure' if judgement.structural else 'Description'} changed: {shown}{more}."


_COUNTS: Final = {"table": "column_count", "database_schema": "table_count"}
"""Where the number of children also stands, by the type of the parent."""


def recount(connection: sa.Connection, scope: Scope, parent_ids: Collection[str]) -> None:
    """Bring the child counts of the named parents up to date, and the table counts above them."""
    assets, child = metadata_assets, metadata_assets.alias("child")
    count = (
        sa.select(sa.func.count())
        .where(child.c.parent_id == assets.c.id, child.c.deleted_at.is_(None))
        .correlate(assets)
        .scalar_subquery()
    )
    tables = (
        sa.select(sa.func.coalesce(sa.func.sum(child.c.table_count), 0))
        .where(child.c.parent_id == assets.c.id, child.c.deleted_at.is_(None))
        .correlate(assets)
        .scalar_subquery()
    )
    databases: set[str] = set()
    for some in chunks(sorted(parent_ids)):
        named = _named(scope, some)
        counted = assets.update().where(named).values(children_total=count)
        found = connection.execute(counted.returning(assets.c.type, assets.c.id, assets.c.parent_id)).all()
        same = [(assets.c[name], assets.c.type == type_) for type_, name in _COUNTS.items()]
        connection.execute(
            assets.update()
            .where(named, assets.c.type.in_(_COUNTS))
            .values({column: sa.case((fits, assets.c.children_total), else_=column) for column, fits in same})
        )
        for type_, id, parent_id in found:
            if type_ == "database":
                databases.add(id)
            elif type_ == "database_schema" and parent_id is not None:
                databases.add(parent_id)
    for some in chunks(sorted(databases)):
        connection.execute(assets.update().where(_named(scope, some)).values(table_count=tables))


def _named(scope: Scope, ids: Sequence[str]) -> sa.ColumnElement[bool]:
    """The assets of these ids that are of the scope.

    During a first ingestion PostgreSQL's statistics know nothing of the project yet, and a condition on it would have
    all of it read. So the ids are looked up by themselves, and `offset 0` keeps the scope's condition out of that.
    """
    own = metadata_assets.alias("own")
    by_id = sa.select(own.c.id, own.c.organization_id, own.c.project_id).where(own.c.id.in_(ids)).offset(0).subquery()
    return metadata_assets.c.id.in_(sa.select(by_id.c.id).where(*in_scope(scope, by_id)))
