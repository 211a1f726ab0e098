"""Defines which tables a score says nothing about, or nothing new, and why: what a report must tell beside it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from persistence.queries.source_facts import with_columns
from persistence.queries.totals import counted_among
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.engines.report.values import Unmeasured
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.scorecard import Scorecard
from schema.data_readiness.workflow import WorkflowType

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
    uow: UnitOfWork, scope: Scope, fqns: Sequence[str], card: Scorecard, as_of: datetime | None
) -> list[Unmeasured]:
    """The tables that could not be measured, by reason, those first that count for nothing in the score.

    A table that failed in the latest run and was measured by one before counts as it was then. Nothing is told of a
    table that no run has come to, while nothing at all is measured.
    """
    missing = sorted(set(fqns) - _measured(uow, scope, fqns, card, as_of))
    runs = uow.workflow_runs.latest_of(scope, _MEASURING, as_of, LATEST_RUNS)
    failures = _failures(uow, list(runs), set(fqns), as_of)
    # Tasks of an assessment are named after the tables that it has come to.
    checks = [run for run, kind in runs.items() if kind in _CHECKING]
    in_vain = uow.run_tasks.done_among(checks, missing, as_of)
    bare = set(missing) - with_columns(uow.connection, scope, missing)
    found: dict[tuple[bool, str, str], list[str]] = {}
    for fqn in missing:
        if fqn in failures:
            reason = (failures[fqn][0], _MEND)
        elif fqn in bare:
            reason = (_NO_COLUMNS, _INGEST)
        elif fqn in in_vain:
            reason = (_IN_VAIN, _LOOK)
        elif card.data_quality.score is not None:
            reason = (_NEVER, _ASSESS)
        else:
            continue
        found.setdefault((False, *reason), []).append(fqn)
    for fqn in sorted(failures.keys() - set(missing)):
        message, at = failures[fqn]
        if not uow.metric_results.measured_since(scope, fqn, at, as_of):
            found.setdefault((True, message, _MEND), []).append(fqn)
    return [
        Unmeasured(why, advice, len(names), names[:MOST_PLACES], is_old)
        for (is_old, why, advice), names in sorted(found.items(), key=lambda one: one[0][0])
    ]


def _measured(uow: UnitOfWork, scope: Scope, fqns: Sequence[str], card: Scorecard, as_of: datetime | None) -> set[str]:
    """The tables that count for something in a scorecard's dimensions of data."""
    metrics = [
        metric.metric_definition_id
        for one in card.dimensions
        if one.assessment_type is AssessmentType.DATA_QUALITY
        for metric in one.metrics
    ]
    return counted_among(uow.connection, scope, metrics, fqns, as_of)


def _failures(
    uow: UnitOfWork, runs: Sequence[str], fqns: set[str], as_of: datetime | None
) -> dict[str, tuple[str, datetime]]:
    """Return why each of some tables could not be measured the last time that this failed, and when."""
    found: dict[str, tuple[str, datetime]] = {}
    for arguments, message, at in uow.run_tasks.failures(runs, as_of, MOST_FAILURES):
        if (fqn := _table_of(arguments)) in fqns and message and at:
            found.setdefault(fqn, (message, at))
    return found


def _table_of(arguments: Mapping[str, Any]) -> str:
    """The one table that a task was to measure; nothing for a task that measures none."""
    if arguments.get("step") == "measure":
        return str(arguments["tables"][0])
    # A part of a larger run that is about a table draws conclusions from what was measured.
    return "" if "part" in arguments else str(arguments.get("table", ""))
