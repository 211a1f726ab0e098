"""Which tables a score says nothing about, or nothing new, and why: what a report must tell beside it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.metadata_search import in_scope
from persistence.queries.quality import below
from persistence.queries.totals import ALL_RUNS
from persistence.repository import Scope
from persistence.store import Shelves
from persistence.tables.catalog import metadata_assets
from persistence.tables.data_readiness import run_tasks, workflow_runs
from persistence.tables.quality import metric_results, metric_totals
from resolvers.engines.report.values import Unmeasured
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.scorecard import Scorecard
from schema.data_readiness.workflow import WorkflowType
from schema.data_readiness.workflow_run import RunStatus
from schema.identifiers import Fqn
from schema.utils.metadata_asset import AssetType

LATEST_RUNS: Final = 20
"""Runs of the project that reasons are looked for in, the latest first."""
MOST_FAILURES: Final = 2000
MOST_PLACES: Final = 3
_CHECKING: Final = (WorkflowType.DQ_ASSESSMENT, WorkflowType.DQ_EXECUTION)
_MEASURING: Final = (*_CHECKING, WorkflowType.PROFILING, WorkflowType.RUN_ALL_ENRICHMENT)

_MEND: Final = (
    "Mend what the reason names, at the source or in the connection, and run dq-assessment again. "
    "Leave a table that is not needed out by the connection's selected_tables."
)
_LOOK: Final = "Run profiling: it says why the table cannot be read."
_NO_COLUMNS: Final = "The catalog knows no column of it."
_INGEST: Final = "Look at it at its source, then run service-ingestion and dq-assessment."
_IN_VAIN: Final = "No check of it could be evaluated."
_NEVER: Final = "No run has measured it yet."
_ASSESS: Final = "Run dq-assessment."


def unmeasured(
    shelves: Shelves, scope: Scope, fqns: Sequence[str], card: Scorecard, as_of: datetime | None
) -> list[Unmeasured]:
    """The tables that could not be measured, by reason, those first that count for nothing in the score.

    A table that failed in the latest run and was measured by one before counts as it was then. Nothing is told of a
    table that no run has come to, while nothing at all is measured.
    """
    missing = sorted(set(fqns) - _measured(shelves, scope, fqns, card, as_of))
    runs = _latest_runs(shelves, scope, as_of)
    failures = _failures(shelves, list(runs), set(fqns), as_of)
    in_vain = _visited(shelves, [run for run, kind in runs.items() if kind in _CHECKING], missing, as_of)
    bare = set(missing) - _with_columns(shelves, scope, missing)
    found: dict[tuple[bool, str, str], list[str]] = {}
    for fqn in missing:
        if fqn in failures:
            reason = (failures[fqn][0], _MEND)
        elif fqn in bare:
            reason = (_NO_COLUMNS, _INGEST)
        elif fqn in in_vain:
            reason = (_IN_VAIN, _LOOK)
        elif card.overall_score is not None:
            reason = (_NEVER, _ASSESS)
        else:
            continue
        found.setdefault((False, *reason), []).append(fqn)
    for fqn in sorted(failures.keys() - set(missing)):
        message, at = failures[fqn]
        if not _measured_since(shelves, scope, fqn, at, as_of):
            found.setdefault((True, message, _MEND), []).append(fqn)
    return [
        Unmeasured(why, advice, len(names), names[:MOST_PLACES], is_old)
        for (is_old, why, advice), names in sorted(found.items(), key=lambda one: one[0][0])
    ]


def _measured(shelves: Shelves, scope: Scope, fqns: Sequence[str], card: Scorecard, as_of: datetime | None) -> set[str]:
    """The tables that count for something in a scorecard's dimensions of data."""
    metrics = [
        metric.metric_definition_id
        for one in card.dimensions
        if one.assessment_type is AssessmentType.DATA_QUALITY
        for metric in one.metrics
    ]
    table = metric_totals.c
    where = [
        table.project_id == scope.project_id,
        table.organization_id == scope.organization_id,
        table.run_id == ALL_RUNS,
        table.metric_definition_id.in_(metrics),
        *([] if as_of is None else [table.at <= as_of]),
    ]
    found: set[str] = set()
    for some in chunks(list(fqns)):
        query = sa.select(table.scope_fqn).where(*where, table.scope_fqn.in_(some)).distinct()
        found.update(shelves.connection.execute(query).scalars())
    return found


def _with_columns(shelves: Shelves, scope: Scope, fqns: Sequence[str]) -> set[str]:
    table = metadata_assets.c
    found: set[str] = set()
    for some in chunks(list(fqns)):
        query = sa.select(table.parent_fqn).where(
            *in_scope(scope), table.deleted_at.is_(None), table.type == AssetType.COLUMN, table.parent_fqn.in_(some)
        )
        found.update(shelves.connection.execute(query.distinct()).scalars())
    return found


def _latest_runs(shelves: Shelves, scope: Scope, as_of: datetime | None) -> dict[str, str]:
    """The latest runs that measure something: their ids with their kinds."""
    run = workflow_runs.c
    query = sa.select(run.id, run.workflow_type).where(
        run.organization_id == scope.organization_id,
        run.project_id == scope.project_id,
        run.workflow_type.in_(_MEASURING),
        *([] if as_of is None else [run.created_at <= as_of]),
    )
    rows = shelves.connection.execute(query.order_by(run.created_at.desc(), run.id).limit(LATEST_RUNS))
    return {id: kind for id, kind in rows}


def _visited(shelves: Shelves, runs: Sequence[str], fqns: Sequence[str], as_of: datetime | None) -> set[str]:
    """The tables that an assessment has come to: its tasks are named after them."""
    task = run_tasks.c
    where = [task.run_id.in_(runs), task.status == RunStatus.COMPLETED]
    if as_of is not None:
        where.append(task.completed_at <= as_of)
    found: set[str] = set()
    for some in chunks(list(fqns)):
        query = sa.select(task.name).where(*where, task.name.in_(some))
        found.update(shelves.connection.execute(query).scalars())
    return found


def _failures(
    shelves: Shelves, runs: Sequence[str], fqns: set[str], as_of: datetime | None
) -> dict[str, tuple[str, datetime]]:
    """Why each of some tables could not be measured the last time that this failed, and when."""
    task = run_tasks.c
    query = (
        sa.select(task.arguments, task.error_message, task.completed_at)
        .where(
            task.run_id.in_(runs),
            task.status == RunStatus.FAILED,
            *([] if as_of is None else [task.completed_at <= as_of]),
        )
        .order_by(task.completed_at.desc(), task.position)
        .limit(MOST_FAILURES)
    )
    found: dict[str, tuple[str, datetime]] = {}
    for arguments, message, at in shelves.connection.execute(query):
        if (fqn := _table_of(arguments or {})) in fqns and message and at:
            found.setdefault(fqn, (message, at))
    return found


def _table_of(arguments: Mapping[str, Any]) -> str:
    """The one table that a task was to measure; nothing for a task that measures none."""
    if arguments.get("step") == "measure":
        return str(arguments["tables"][0])
    # A part of a larger run that is about a table draws conclusions from what was measured.
    return "" if "part" in arguments else str(arguments.get("table", ""))


def _measured_since(shelves: Shelves, scope: Scope, fqn: str, at: datetime, as_of: datetime | None) -> bool:
    table = metric_results.c
    query = (
        sa.select(table.id)
        .where(
            table.organization_id == scope.organization_id,
            table.project_id == scope.project_id,
            *below(metric_results, Fqn.parse(fqn).parts),
            table.measured_at > at,
            *([] if as_of is None else [table.measured_at <= as_of]),
        )
        .limit(1)
    )
    return shelves.connection.execute(query).first() is not None
