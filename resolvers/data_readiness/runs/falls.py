"""Recording what was measured of a table, and telling the project when that lowers the score of its data."""

from collections.abc import Sequence
from datetime import datetime

from persistence.queries.events import Happening
from persistence.queries.metric_results import Measured
from persistence.queries.totals import lock_totals
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.loaders.scorecards import card_of
from schema.data_readiness.quality import AssessmentType, Dimension, MetricDefinition
from schema.data_readiness.violation import Severity
from schema.identifiers import Fqn
from schema.utils.event import EventType


def record_figures(
    uow: UnitOfWork, scope: Scope, run_id: str, fqn: str, figures: Sequence[Measured], *, at: datetime
) -> int:
    """Record what a run has measured of one table; how many figures were new.

    Where the score of the table's data is lower than it was just before, that is told in the same transaction. What is
    measured for the first time has not fallen. Recorded once more, nothing moves, so nothing is told twice.
    """
    dimensions = [
        one for one in uow.dimensions.standing(scope, at=at) if one.assessment_type is AssessmentType.DATA_QUALITY
    ]
    metrics = uow.metric_definitions.standing(scope, at=at)
    lock_totals(uow.connection, scope)  # nobody measures the table between the two looks at its score
    before = _score(uow, scope, fqn, dimensions, metrics, at)
    number = uow.metric_results.record(scope, run_id, figures, at=at)
    after = _score(uow, scope, fqn, dimensions, metrics, at)
    if before is not None and after is not None and float(after) < float(before):
        said = {"score": after, "score_before": before, "workflow_run_id": run_id}
        uow.events.tell(scope, at, Happening(EventType.SCORE_FELL, fqn, Severity.MEDIUM, said))
    return number


def _score(
    uow: UnitOfWork,
    scope: Scope,
    fqn: str,
    dimensions: list[Dimension],
    metrics: list[MetricDefinition],
    at: datetime,
) -> str | None:
    """The score of a table's data as its scorecard would tell it now."""
    assert scope.project_id is not None
    parts = Fqn.parse(fqn).parts
    sums = uow.metric_results.latest(scope, parts, at=at, run_id=None)
    return card_of(scope.project_id, parts, dimensions, metrics, sums, {}, as_of=None, run_id=None).data_quality.score
