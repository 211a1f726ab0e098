"""Catalog assets with the runs that covered them: one statement for a page of assets, one for all of their runs."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.filters import with_text
from persistence.queries.inherited import Inherited, inherited
from persistence.queries.metadata_search import in_scope, subtree
from persistence.queries.workflows import ancestry
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.data_readiness import run_targets, workflow_runs
from persistence.tables.profiles import table_profiles
from schema.data_readiness.data_asset import DataAsset, Readiness
from schema.data_readiness.workflow import WorkflowType
from schema.data_readiness.workflow_run import RunStatus
from schema.errors import NotFound
from schema.identifiers import Fqn
from schema.pagination import Page
from schema.utils.metadata_asset import AssetOwner, AssetType

_ASSESSES: Final = (
    WorkflowType.DQ_EXECUTION,
    WorkflowType.DQ_ASSESSMENT,
    WorkflowType.METADATA_ASSESSMENT,
)
_SHOWN: Final = (
    "id",
    "name",
    "fully_qualified_name",
    "type",
    "resource_uri",
    "display_name",
    "description",
    "row_count",
    "column_count",
    "table_count",
    "data_type",
    "is_dq_tagged",
    "is_pii_tagged",
    "is_sensitivity_tagged",
    "version_major",
    "version_minor",
    "updated_at",
)
_SELECT: Final = sa.select(*[metadata_assets.c[name] for name in _SHOWN])


def page_of_data_assets(
    connection: sa.Connection,
    scope: Scope,
    *,
    offset: int,
    limit: int,
    asset_type: AssetType,
    at_or_under: str | None = None,
    resource_uri: str | None = None,
    is_pii_tagged: bool | None = None,
    search: str | None = None,
) -> Page[DataAsset]:
    """One window of the assets of a type that stand, in the order of their dotted names.

    `search` is part of the name, display name or description.
    """
    assets = metadata_assets.c
    conditions = [*in_scope(scope), assets.deleted_at.is_(None), assets.type == asset_type.value]
    if at_or_under is not None:
        conditions.append(subtree(assets.fully_qualified_name, at_or_under))
    if resource_uri is not None:
        conditions.append(assets.resource_uri == resource_uri)
    if is_pii_tagged is not None:
        conditions.append(assets.is_pii_tagged.is_(is_pii_tagged))
    conditions += with_text(search, assets.name, assets.display_name, assets.description)
    total = connection.execute(sa.select(sa.func.count()).select_from(metadata_assets).where(*conditions)).scalar_one()
    rows = connection.execute(
        _SELECT.where(*conditions).order_by(assets.fully_qualified_name).offset(offset).limit(limit)
    ).all()
    items = _with_runs(connection, scope, [dict(row._mapping) for row in rows])
    return Page[DataAsset](items=items, total=total, offset=offset, limit=limit)


def data_assets_of(connection: sa.Connection, scope: Scope, ids: Sequence[str]) -> list[DataAsset]:
    """Assets that stand, by their ids."""
    assets = metadata_assets.c
    rows = connection.execute(_SELECT.where(*in_scope(scope), assets.deleted_at.is_(None), assets.id.in_(ids))).all()
    return _with_runs(connection, scope, [dict(row._mapping) for row in rows])


def get_data_asset_row(connection: sa.Connection, scope: Scope, asset_id: str) -> DataAsset:
    """One asset that stands. Raises NotFound."""
    assets = metadata_assets.c
    row = connection.execute(
        _SELECT.where(*in_scope(scope), assets.deleted_at.is_(None), assets.id == asset_id)
    ).one_or_none()
    if row is None:
        raise NotFound("data_asset", asset_id)
    return _with_runs(connection, scope, [dict(row._mapping)])[0]


def _with_runs(connection: sa.Connection, scope: Scope, rows: Sequence[dict[str, Any]]) -> list[DataAsset]:
    lines = [ancestry(row["fully_qualified_name"]) for row in rows]
    latest = _latest(connection, scope, sorted({name for line in lines for name in line}))
    measured = _measured(connection, scope, sorted({_profiled_as(row["fully_qualified_name"]) for row in rows}))
    has = inherited(connection, scope, [row["fully_qualified_name"] for row in rows])
    return [
        _asset(row, line, latest, measured, has[row["fully_qualified_name"]])
        for row, line in zip(rows, lines, strict=True)
    ]


def _profiled_as(fqn: str) -> str:
    """The name whose profiles tell of an asset: a column is measured with its table."""
    return str(Fqn.of(*Fqn.parse(fqn).parts[:4]))


def _measured(connection: sa.Connection, scope: Scope, names: Sequence[str]) -> dict[str, datetime]:
    """When each table, or any table of each container, was last measured.

    The profiles themselves say so: a run may cover a table and fail to read it, and more kinds of runs than profiling
    measure tables.
    """
    profiles = table_profiles.c
    found: dict[str, datetime] = {}
    within = (profiles.organization_id == scope.organization_id, profiles.project_id == scope.project_id)
    last = sa.func.max(profiles.measured_at)
    for some in chunks([name for name in names if len(Fqn.parse(name).parts) == 4]):
        query = sa.select(profiles.asset_fqn, last).where(*within, profiles.asset_fqn.in_(some))
        found.update((name, at) for name, at in connection.execute(query.group_by(profiles.asset_fqn)))
    for name in (one for one in names if len(Fqn.parse(one).parts) < 4):
        at = connection.execute(sa.select(last).where(*within, subtree(profiles.asset_fqn, name))).scalar()
        found |= {name: at} if at is not None else {}
    return found


_Latest = dict[tuple[str, str], datetime]


def _latest(connection: sa.Connection, scope: Scope, names: Sequence[str]) -> _Latest:
    """Return when a run of each type that works on each of the names last completed."""
    found: _Latest = {}
    for some in chunks(names):
        query = (
            sa.select(
                run_targets.c.target_fqn, workflow_runs.c.workflow_type, sa.func.max(workflow_runs.c.completed_at)
            )
            .join(workflow_runs, workflow_runs.c.id == run_targets.c.run_id)
            .where(
                run_targets.c.organization_id == scope.organization_id,
                run_targets.c.project_id == scope.project_id,
                run_targets.c.target_fqn.in_(some),
                workflow_runs.c.status == RunStatus.COMPLETED,
            )
            .group_by(run_targets.c.target_fqn, workflow_runs.c.workflow_type)
        )
        for name, kind, at in connection.execute(query):
            found[name, kind] = at
    return found


def _asset(
    row: dict[str, Any],
    line: Sequence[str],
    latest: _Latest,
    measured: Mapping[str, datetime],
    has: Inherited,
) -> DataAsset:
    def last(kinds: Iterable[WorkflowType]) -> datetime | None:
        return max((latest[name, kind] for name in line for kind in kinds if (name, kind) in latest), default=None)

    profiled, assessed = measured.get(_profiled_as(row["fully_qualified_name"])), last(_ASSESSES)
    parts = [*Fqn.parse(row["fully_qualified_name"]).parts, None, None, None, None]
    shown = (
        "id", "name", "resource_uri", "display_name", "description", "row_count", "column_count", "table_count",
        "data_type", "is_dq_tagged", "is_pii_tagged", "is_sensitivity_tagged", "updated_at",
    )  # fmt: skip
    return DataAsset(
        fqn=row["fully_qualified_name"],
        asset_type=row["type"],
        service=str(parts[0]),
        database=parts[1],
        schema_name=parts[2],
        table=parts[3],
        column=parts[4],
        is_described=bool(row["description"]),
        is_owned=bool(has.owners),
        owners=[AssetOwner.model_validate(one) for one in has.owners],
        owners_from=has.owners_from,
        sensitivity=has.level,
        sensitivity_from=has.level_from,
        readiness=Readiness.ASSESSED if assessed else Readiness.PROFILED if profiled else Readiness.CATALOGED,
        last_ingested_at=last([WorkflowType.SERVICE_INGESTION]),
        last_profiled_at=profiled,
        last_assessed_at=assessed,
        version=f"{row['version_major']}.{row['version_minor']}",
        **{name: row[name] for name in shown},
    )
