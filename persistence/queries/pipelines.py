"""Pipelines: counted from the catalog when they begin, advanced within their bounds, closed with their run."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.catalog_rows import below, chunks
from persistence.queries.metadata_search import in_scope
from persistence.repository import Repository, Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.data_readiness import pipeline_runs, run_tasks
from persistence.tables.profiles import table_profiles
from schema.data_readiness.pipeline import PIPELINE_MOVES, TAGGINGS_OF_TABLE, TERMINAL, PipelineRun, PipelineStatus
from schema.data_readiness.workflow_run import RunStatus
from schema.pagination import Page
from schema.utils.metadata_asset import AssetType

_FOLLOWS: Final = {
    RunStatus.PENDING: PipelineStatus.PENDING,
    RunStatus.RUNNING: PipelineStatus.RUNNING,
    RunStatus.COMPLETED: PipelineStatus.COMPLETED,
    RunStatus.FAILED: PipelineStatus.FAILED,
    RunStatus.CANCELED: PipelineStatus.CANCELED,
}
"""Where a pipeline goes when its run moves; one that completes with failures says so by itself."""


def at_or_below(column: sa.ColumnElement[str], fqn: str) -> sa.ColumnElement[bool]:
    """Return whether a dotted name is the given one or stands below it."""
    return sa.or_(column == fqn, column.startswith(f"{fqn}.", autoescape=True))


class PipelineRepository(Repository[PipelineRun]):
    """Pipelines of run-all-enrichment."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [pipeline_runs.c.created_at.desc()]
        super().__init__(connection, PipelineRun, pipeline_runs, noun="pipeline_run", order=order)

    def listed(
        self, scope: Scope, *, offset: int, limit: int, at_or_under: str | None = None, **equals: Any
    ) -> Page[PipelineRun]:
        """One window of the pipelines at or below a dotted name, newest first."""
        where = [] if at_or_under is None else [at_or_below(pipeline_runs.c.asset_fqn, at_or_under)]
        return self.page(scope, offset=offset, limit=limit, where=where, **equals)

    def begin(
        self,
        scope: Scope,
        id: str,
        run_id: str,
        asset_fqn: str,
        included: Sequence[str] | None,
        *,
        created_by: str,
        now: datetime,
    ) -> None:
        """Write a pipeline down that waits, with what the catalog has for it to do."""
        tables, schemas = _work_below(self._connection, scope, asset_fqn, included)
        pipeline = PipelineRun(
            id=id,
            asset_fqn=asset_fqn,
            status=PipelineStatus.PENDING,
            total_tables=tables,
            completed_tables=0,
            failed_tables=0,
            total_schemas=schemas,
            completed_schemas=0,
            failed_schemas=0,
            created_at=now,
            completed_at=None,
            created_by=created_by,
        )
        tenant = {"organization_id": scope.organization_id, "project_id": scope.project_id}
        self.add(pipeline, run_id=run_id, **tenant)

    def plan(self, scope: Scope, id: str, *, tables: int, schemas: int) -> None:
        """Say how much there is to do, and that nothing of it is done."""
        nothing = dict.fromkeys(("completed_tables", "failed_tables", "completed_schemas", "failed_schemas"), 0)
        self._connection.execute(
            pipeline_runs.update()
            .where(*self._within(scope), pipeline_runs.c.id == id)
            .values(total_tables=tables, total_schemas=schemas, revision=pipeline_runs.c.revision + 1, **nothing)
        )

    def take_back(self, scope: Scope, id: str, counter: str) -> None:
        """Count one failure less: what had failed has been begun again."""
        column = pipeline_runs.c[counter]
        self._connection.execute(
            pipeline_runs.update()
            .where(*self._within(scope), pipeline_runs.c.id == id, column > 0)
            .values({counter: column - 1, "revision": pipeline_runs.c.revision + 1})
        )

    def advance(
        self,
        scope: Scope,
        id: str,
        *,
        completed_tables: int = 0,
        failed_tables: int = 0,
        completed_schemas: int = 0,
        failed_schemas: int = 0,
    ) -> bool:
        """Count work as done; whether it was. A pipeline that is not running, or has less to do, is left alone."""
        table = pipeline_runs.c
        steps = {
            "completed_tables": completed_tables,
            "failed_tables": failed_tables,
            "completed_schemas": completed_schemas,
            "failed_schemas": failed_schemas,
        }
        if min(steps.values()) < 0:
            raise ValueError("What a pipeline has done is never undone.")
        moved = self._connection.execute(
            pipeline_runs.update()
            .where(
                *self._within(scope),
                table.id == id,
                table.status == PipelineStatus.RUNNING,
                table.completed_tables + table.failed_tables + (completed_tables + failed_tables) <= table.total_tables,
                table.completed_schemas + table.failed_schemas + (completed_schemas + failed_schemas)
                <= table.total_schemas,
            )
            .values(revision=table.revision + 1, **{name: table[name] + step for name, step in steps.items()})
        )
        return bool(moved.rowcount)


def follow_run(connection: sa.Connection, run_id: str, run: RunStatus, at: datetime | None) -> None:
    """Move the pipeline of a run, if it has one, to where the run stands now."""
    table = pipeline_runs.c
    to = _FOLLOWS[run]
    values: dict[str, Any] = {
        "status": to.value,
        "completed_at": at if to in TERMINAL else None,
        "revision": table.revision + 1,
    }
    reached = {to}
    if to is PipelineStatus.COMPLETED:
        reached.add(PipelineStatus.COMPLETED_WITH_ERRORS)
        values["status"] = sa.case(
            (
                sa.or_(
                    table.failed_tables + table.failed_schemas > 0,
                    sa.exists().where(run_tasks.c.run_id == run_id, run_tasks.c.status == RunStatus.FAILED),
                ),
                PipelineStatus.COMPLETED_WITH_ERRORS.value,
            ),
            else_=PipelineStatus.COMPLETED.value,
        )
    if to is PipelineStatus.PENDING:  # tried again: what failed is to be done once more
        values |= {"failed_tables": 0, "failed_schemas": 0}
    sources = [status.value for status, moves in PIPELINE_MOVES.items() if moves & reached]
    connection.execute(pipeline_runs.update().where(table.run_id == run_id, table.status.in_(sources)).values(**values))


def _work_below(
    connection: sa.Connection, scope: Scope, asset_fqn: str, included: Sequence[str] | None
) -> tuple[int, int]:
    """Return how much there is to do at or below a name, only on the included tables if given: taggings, and
    schemas.
    """
    assets = metadata_assets.c
    live = [
        *in_scope(scope),
        assets.type == AssetType.TABLE,
        assets.deleted_at.is_(None),
        sa.or_(assets.fully_qualified_name == asset_fqn, below(asset_fqn)),
    ]
    if included is None:
        query = sa.select(sa.func.count(), sa.func.count(sa.distinct(assets.parent_fqn))).where(*live)
        tables, schemas = connection.execute(query).one()
        return tables * TAGGINGS_OF_TABLE, schemas
    found: dict[str, str] = {}
    names = sa.select(assets.fully_qualified_name, assets.parent_fqn).where(*live)
    for some in chunks(included, 50):
        under = sa.or_(*(sa.or_(assets.fully_qualified_name == name, below(name)) for name in some))
        found |= {fqn: parent for fqn, parent in connection.execute(names.where(under))}
    return len(found) * TAGGINGS_OF_TABLE, len(set(found.values()))


def profiled_since(connection: sa.Connection, scope: Scope, fqns: Sequence[str], since: datetime) -> set[str]:
    """Return which of some tables have been profiled at a moment or later."""
    table = table_profiles.c
    found: set[str] = set()
    for some in chunks(fqns):
        query = sa.select(table.asset_fqn).where(
            table.organization_id == scope.organization_id,
            table.project_id == scope.project_id,
            table.measured_at >= since,
            table.asset_fqn.in_(some),
        )
        found.update(connection.execute(query).scalars())
    return found
