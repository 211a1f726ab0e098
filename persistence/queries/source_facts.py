"""Live assets of the catalog as runs work on them: which there are, and what is known of them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.catalog_rows import below, chunks
from persistence.queries.metadata_search import in_scope, subtree
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.identifiers import Fqn, Version
from schema.utils.metadata_asset import AssetType

APPROVED, ACCEPTED = "approved", "accepted automatically"
"""The origins of relationships that no source declares: a person said so, or a run with `save_all` did."""

NAMES_AT_ONCE: Final = 50
"""How many dotted names one statement looks below."""

_ASSET: Final = metadata_assets.c
_FACTS: Final = (
    _ASSET.fully_qualified_name, _ASSET.parent_fqn, _ASSET.resource_uri, _ASSET.name, _ASSET.table_type,
    _ASSET.row_count, _ASSET.description, _ASSET.display_name, _ASSET.schema_definition, _ASSET.constraint,
    _ASSET.tags, _ASSET.is_pii_tagged, _ASSET.ordinal_position, _ASSET.data_type, _ASSET.nullable,
    _ASSET.column_relationships,
)  # fmt: skip
_DESCRIBED: Final = (
    _ASSET.id, _ASSET.fully_qualified_name, _ASSET.parent_fqn, _ASSET.type, _ASSET.name, _ASSET.description,
    _ASSET.tags, _ASSET.version_major, _ASSET.version_minor,
)  # fmt: skip


def table_names(connection: sa.Connection, scope: Scope, names: Sequence[str], most: int) -> list[tuple[str, str]]:
    """The live tables at or below any of the names, or all of the project's, as (FQN, resource_uri), sorted.

    Where there are more than `most` below some names, one more than that is told of these.
    """
    live = [*_live(scope), _ASSET.type == AssetType.TABLE]
    query = sa.select(_ASSET.fully_qualified_name, _ASSET.resource_uri).where(*live)
    found: set[tuple[str, str]] = set()
    if not names:
        found.update((fqn, uri) for fqn, uri in connection.execute(query.limit(most + 1)))
    for some in chunks(list(names), NAMES_AT_ONCE):
        under = sa.or_(*(sa.or_(_ASSET.fully_qualified_name == name, below(name)) for name in some))
        found.update((fqn, uri) for fqn, uri in connection.execute(query.where(under).limit(most + 1)))
    return sorted(found)


def asset_names(connection: sa.Connection, scope: Scope, names: Sequence[str], most: int) -> set[tuple[str, str]]:
    """The live databases, schemas and tables at or under any of the names, or all of the project's, with their types.

    Columns only when they are named. Where there are more than `most`, one more is told.
    """
    query = sa.select(_ASSET.fully_qualified_name, _ASSET.type).where(*_live(scope))
    containers = _ASSET.type != AssetType.COLUMN
    if not names:
        return {(fqn, kind) for fqn, kind in connection.execute(query.where(containers).limit(most + 1))}
    found: set[tuple[str, str]] = set()
    for some in chunks(list(names), NAMES_AT_ONCE):
        here = sa.or_(*(_ASSET.fully_qualified_name == name for name in some))
        under = sa.and_(containers, sa.or_(*(below(name) for name in some)))
        rows = connection.execute(query.where(sa.or_(here, under)).limit(most + 1))
        found.update((fqn, kind) for fqn, kind in rows)
    return found


def is_anything(connection: sa.Connection, scope: Scope, asset_fqn: str) -> bool:
    """Return whether the catalog has a live asset at or under a name."""
    name = str(Fqn.parse(asset_fqn))
    here = subtree(_ASSET.fully_qualified_name, name)
    return connection.execute(sa.select(_ASSET.id).where(*_live(scope), here).limit(1)).first() is not None


def table_or_column(connection: sa.Connection, scope: Scope, asset_fqn: str) -> tuple[str, str] | None:
    """The name as the catalog writes it, and the connection, of a live table or column; None when there is none."""
    query = sa.select(_ASSET.fully_qualified_name, _ASSET.resource_uri).where(
        *_live(scope),
        _ASSET.fully_qualified_name == str(Fqn.parse(asset_fqn)),
        _ASSET.type.in_([AssetType.TABLE, AssetType.COLUMN]),
    )
    row = connection.execute(query.limit(1)).first()
    return None if row is None else (row[0], row[1])


def tables_called(
    connection: sa.Connection, scope: Scope, resource_uri: str, names: Sequence[str], most: int
) -> list[str]:
    """The live tables of a connection that have one of some names in lower case, by FQN."""
    query = sa.select(_ASSET.fully_qualified_name).where(
        *in_scope(scope),
        _ASSET.type == AssetType.TABLE,
        _ASSET.deleted_at.is_(None),
        _ASSET.resource_uri == resource_uri,
        sa.func.lower(_ASSET.name).in_(names),
    )
    return list(connection.execute(query.limit(most)).scalars())


def with_columns(connection: sa.Connection, scope: Scope, fqns: Sequence[str]) -> set[str]:
    """Those of some tables that have live columns."""
    found: set[str] = set()
    for some in chunks(list(fqns)):
        query = sa.select(_ASSET.parent_fqn).where(
            *_live(scope), _ASSET.type == AssetType.COLUMN, _ASSET.parent_fqn.in_(some)
        )
        found.update(connection.execute(query.distinct()).scalars())
    return found


def names_written_since(connection: sa.Connection, scope: Scope, parent_fqn: str, since: datetime) -> list[str]:
    """The names of what is right below an asset and was written at a moment or later."""
    query = sa.select(_ASSET.name).where(*in_scope(scope), _ASSET.parent_fqn == parent_fqn, _ASSET.updated_at >= since)
    return list(connection.execute(query).scalars())


def versions_of(connection: sa.Connection, scope: Scope, fqns: Iterable[str]) -> dict[str, str]:
    """The versions that stand of live assets, by FQN."""
    found: dict[str, str] = {}
    for some in chunks(sorted(set(fqns))):
        query = sa.select(_ASSET.fully_qualified_name, _ASSET.version_major, _ASSET.version_minor).where(
            *_live(scope), _ASSET.fully_qualified_name.in_(some)
        )
        found.update({fqn: str(Version(major, minor)) for fqn, major, minor in connection.execute(query)})
    return found


def described_assets(
    connection: sa.Connection, scope: Scope, assets: Sequence[str], tables: Sequence[str], schemas: Sequence[str] = ()
) -> list[Mapping[str, Any]]:
    """Return how some live assets are described and tagged, some tables with their columns, and the tables of some
    schemas.
    """
    query = sa.select(*_DESCRIBED).where(*_live(scope)).order_by(_ASSET.fully_qualified_name)
    rows: list[Mapping[str, Any]] = []
    for names in (assets, tables):
        if names:
            rows += map(dict, connection.execute(query.where(_ASSET.fully_qualified_name.in_(names))).mappings())
    if schemas:
        of_schemas = query.where(_ASSET.type == AssetType.TABLE, _ASSET.parent_fqn.in_(schemas))
        rows += map(dict, connection.execute(of_schemas).mappings())
    if tables:
        columns = query.where(_ASSET.type == AssetType.COLUMN, _ASSET.parent_fqn.in_(tables))
        rows += map(dict, connection.execute(columns).mappings())
    return rows


def read_facts(connection: sa.Connection, scope: Scope, fqns: Sequence[str]) -> list[TableFacts]:
    """Return what the catalog knows of some live tables and their columns, in two statements; sorted by FQN."""
    tables: list[sa.RowMapping] = []
    columns: dict[str, list[ColumnFacts]] = {}
    for some in chunks(sorted(set(fqns))):
        of_tables = sa.select(*_FACTS).where(
            *_live(scope), _ASSET.type == AssetType.TABLE, _ASSET.fully_qualified_name.in_(some)
        )
        read = list(connection.execute(of_tables.order_by(_ASSET.fully_qualified_name)).mappings())
        tables += read
        joint = {row["fully_qualified_name"]: _joint(row) for row in read}
        of_columns = sa.select(*_FACTS).where(
            *_live(scope), _ASSET.type == AssetType.COLUMN, _ASSET.parent_fqn.in_(some)
        )
        for row in connection.execute(of_columns.order_by(_ASSET.ordinal_position, _ASSET.name)).mappings():
            columns.setdefault(row["parent_fqn"], []).append(_column(row, joint.get(row["parent_fqn"], frozenset())))
    return [_table(row, columns.get(row["fully_qualified_name"], [])) for row in tables]


def _live(scope: Scope) -> list[sa.ColumnElement[bool]]:
    """The condition of what stands in the catalog of a project."""
    return [*in_scope(scope), _ASSET.deleted_at.is_(None)]


def _table(row: sa.RowMapping, columns: Sequence[ColumnFacts]) -> TableFacts:
    _, database, schema, name = Fqn.parse(row["fully_qualified_name"]).parts
    return TableFacts(
        fqn=row["fully_qualified_name"],
        resource_uri=row["resource_uri"],
        database=database,
        schema=schema,
        name=name,
        columns=tuple(columns),
        table_type=row["table_type"],
        row_count=row["row_count"],
        description=row["description"],
        display_name=row["display_name"],
        definition=row["schema_definition"],
        keys=tuple((row["constraint"] or {}).get("keys", ())),
        tags=tuple(tag["tag_fqn"] for tag in row["tags"] or ()),
        is_pii_tagged=row["is_pii_tagged"],
    )


def _joint(row: sa.RowMapping) -> frozenset[str]:
    """The columns that are unique with others only. Catalogs read before keys were sets mark each of them."""
    keys = [key for key in (row["constraint"] or {}).get("keys", ()) if key.get("type") == "UNIQUE"]
    alone = {name for key in keys for name in key.get("columns") or () if len(key["columns"]) == 1}
    return frozenset(str(name) for key in keys for name in key.get("columns") or ()) - alone


def _column(row: sa.RowMapping, joint: frozenset[str]) -> ColumnFacts:
    kinds = (row["constraint"] or {}).get("keys", ())
    foreign = next((one for one in row["column_relationships"] or () if one.get("type") == "FOREIGN_KEY"), None)
    references = None
    if foreign and foreign.get("table") and foreign.get("column"):
        service, database, schema, *_ = Fqn.parse(row["parent_fqn"]).parts
        target = Fqn.of(service, database, foreign.get("schema") or schema, foreign["table"])
        references = (str(target), str(foreign["column"]))
    return ColumnFacts(
        fqn=row["fully_qualified_name"],
        name=row["name"],
        ordinal_position=row["ordinal_position"] or 0,
        data_type=row["data_type"],
        nullable=row["nullable"],
        description=row["description"],
        display_name=row["display_name"],
        is_primary_key="PRIMARY_KEY" in kinds,
        is_unique="UNIQUE" in kinds and row["name"] not in joint,
        references=references,
        is_reference_declared=foreign is None or foreign.get("origin") not in (APPROVED, ACCEPTED),
        tags=tuple(tag["tag_fqn"] for tag in row["tags"] or ()),
        is_pii_tagged=row["is_pii_tagged"],
    )
