"""The scorecard: what runs have measured, added up and weighed, at any moment of the past."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final
from uuid import UUID

from persistence.queries.catalog_rows import stood
from persistence.queries.totals import Sums
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.moments import past_in_body
from resolvers.engines.scoring import Ratio, overall, score, total, written_weight
from resolvers.operation import operation
from schema.data_readiness.quality import AssessmentType, Dimension, MetricDefinition
from schema.data_readiness.scorecard import (
    AssessmentScore,
    Scorecard,
    ScorecardDimension,
    ScorecardEntity,
    ScorecardMetric,
    ScorecardRequest,
    ScorecardScope,
    ScoredPart,
    ScoredSum,
)
from schema.errors import InvalidFormat, NotFound, ValidationError
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.pagination import in_utc

SCOPES: Final = (ScorecardScope.SERVICE, *ScorecardScope)
"""The scope by the number of parts of the dotted name; without one it is every service."""

HEAVIEST: Final = 10_000_000
WEIGHT_PLACES: Final = 10


@operation(needs=Permission.CAN_READ)
async def get_scorecard(ctx: Context, *, request: ScorecardRequest = ScorecardRequest()) -> Scorecard:  # noqa: B008 (it is immutable)
    """Get the scorecard of a service, database, schema or table, or of the whole project, now or at a past moment.

    Each figure is the latest of its metric and asset at `as_of`, or what `workflow_run_id` has measured. Asked again
    for the same moment or run, the answer is the same, byte for byte. A score is a numerator over a denominator: a
    metric's over its assets, a dimension's over its metrics; the overall score is the mean of the dimensions that were
    measured, by their weights; `data_quality` and `metadata` are that of the dimensions of each kind. Scores have 4
    decimal places, rounded half to even, and only what is whole is 1.0000. What was not measured is null and counts
    for nothing. Every dimension and metric is listed, measured or not.
    `weight_overrides` is a what-if. An `asset_fqn` that names nothing in the catalog is a 404, and an `as_of` in the
    future a 422.
    """
    past_in_body(ctx, request.as_of)
    return await scorecard_of(ctx, request, must_stand=True)


async def scorecard_of(ctx: Context, request: ScorecardRequest, *, must_stand: bool = False) -> Scorecard:
    """The scorecard that a request asks for; with `must_stand`, NotFound when it names nothing."""
    parts = _parts(request.asset_fqn)
    as_of = None if request.as_of is None else in_utc(request.as_of)
    run_id = None if request.workflow_run_id is None else str(request.workflow_run_id)

    def work(uow: UnitOfWork) -> Scorecard:
        until = as_of or ctx.now()
        if run_id is not None:
            uow.workflow_runs.get(ctx.scope, run_id)
            last = uow.metric_results.end_of_run(ctx.scope, run_id)
            until = min(until, last) if last is not None else until
        dimensions = [
            one
            for one in uow.dimensions.standing(ctx.scope, at=until)
            if request.assessment_type in (None, one.assessment_type)
        ]
        metrics = uow.metric_definitions.standing(ctx.scope, at=until)
        weights = {one.id: Decimal(one.weight) for one in dimensions}
        weights |= _overrides(request.weight_overrides or {}, uow.dimensions.standing(ctx.scope, at=until))
        sums = uow.metric_results.latest(ctx.scope, parts, at=until, run_id=run_id)
        if must_stand and parts and not sums and not stood(uow.connection, ctx.scope, Fqn(parts), until):
            raise NotFound("metadata_asset", str(Fqn(parts)))
        answered = [
            _dimension(
                one,
                weights[one.id],
                [
                    _metric(
                        metric,
                        sums.get(metric.id, Sums(0, 0, 0)),
                        ScoredPart(ctx.project_id, parts, metric.id, as_of, run_id),
                    )
                    for metric in metrics
                    if metric.dimension_id == one.id
                ],
            )
            for one in dimensions
        ]
        names = (*parts, None, None, None, None)
        made = Scorecard(
            overall_score=overall(
                (weights[one.dimension_id], Ratio(one.numerator, one.denominator)) for one in answered
            ),
            data_quality=_assessed(answered, AssessmentType.DATA_QUALITY),
            metadata=_assessed(answered, AssessmentType.METADATA),
            scope=SCOPES[len(parts)],
            entity=ScorecardEntity(service=names[0], database_name=names[1], schema_name=names[2], table_name=names[3]),
            dimensions=answered,
            as_of=as_of,
            workflow_run_id=run_id,
        )
        _opened(made, ScoredPart(ctx.project_id, parts, "", as_of, run_id))
        return made

    return await ctx.store.read(work)


def _assessed(dimensions: Sequence[ScorecardDimension], of: AssessmentType) -> AssessmentScore:
    """The score of one kind of assessment."""
    return AssessmentScore(
        score=overall(
            (Decimal(one.weight), Ratio(one.numerator, one.denominator))
            for one in dimensions
            if one.assessment_type is of
        )
    )


def _opened(card: Scorecard, part: ScoredPart) -> None:
    """Note on every score what it is the sum of, so that its change can be asked for."""
    groups = tuple((one.weight, tuple(m.metric_definition_id for m in one.metrics)) for one in card.dimensions)
    card._sum = ScoredSum(part, groups, True, card.overall_score)
    for kind, of in ((card.data_quality, AssessmentType.DATA_QUALITY), (card.metadata, AssessmentType.METADATA)):
        own = [group for one, group in zip(card.dimensions, groups, strict=True) if one.assessment_type is of]
        kind._sum = ScoredSum(part, tuple(own), True, kind.score, is_alone=True)
    for dimension, group in zip(card.dimensions, groups, strict=True):
        dimension._sum = ScoredSum(part, (group,), False, dimension.score)
        for metric in dimension.metrics:
            metric._sum = ScoredSum(part, ((group[0], (metric.metric_definition_id,)),), False, metric.score)


def _metric(metric: MetricDefinition, sums: Sums, part: ScoredPart) -> ScorecardMetric:
    made = ScorecardMetric(
        metric_definition_id=metric.id,
        name=metric.name,
        fqn=metric.fqn,
        numerator=sums.numerator,
        denominator=sums.denominator,
        score=score(Ratio(sums.numerator, sums.denominator)),
        asset_count=sums.asset_count,
        display_name=metric.display_name,
        unit=metric.unit,
        purpose=metric.purpose,
        description=metric.description,
    )
    made._part = part
    return made


def _dimension(dimension: Dimension, weight: Decimal, metrics: list[ScorecardMetric]) -> ScorecardDimension:
    counted = total(Ratio(metric.numerator, metric.denominator) for metric in metrics)
    return ScorecardDimension(
        dimension_id=dimension.id,
        name=dimension.name,
        fqn=dimension.fqn,
        assessment_type=dimension.assessment_type,
        weight=written_weight(weight),
        numerator=counted.numerator,
        denominator=counted.denominator,
        score=score(counted),
        metrics=metrics,
        display_name=dimension.display_name,
        purpose=dimension.purpose,
        description=dimension.description,
    )


def _parts(asset_fqn: str | None) -> tuple[str, ...]:
    """The parts of the dotted name in the body."""
    return () if asset_fqn is None else Fqn.parse(asset_fqn).parts


def _overrides(given: Mapping[str, Any], dimensions: list[Dimension]) -> dict[str, Decimal]:
    """The weights that a request sets for itself. Raises 422, or 400 for what is neither text nor a number."""
    known = {one.id for one in dimensions}
    weights: dict[str, Decimal] = {}
    for key, value in given.items():
        field = f"weight_overrides.{key[:100]}"
        try:
            id = str(UUID(key))
        except ValueError:
            id = key
        if id not in known:
            raise ValidationError(
                f"There is no dimension {key[:100]!r}. Name dimensions by their id.", status=422, field=field
            )
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise InvalidFormat("A weight is a decimal number, as a string or a number.", field=field)
        weights[id] = _weight(str(value), field)
    return weights


def _weight(text: str, field: str) -> Decimal:
    try:
        weight = Decimal(text) if text.isascii() and "_" not in text and len(text) <= 40 else Decimal("nan")
    except InvalidOperation:
        weight = Decimal("nan")
    exponent = weight.as_tuple().exponent
    if not weight.is_finite() or weight < 0 or weight > HEAVIEST or not isinstance(exponent, int):
        raise ValidationError(f"A weight is a decimal number from 0 to {HEAVIEST}.", status=422, field=field)
    if exponent < -WEIGHT_PLACES:
        raise ValidationError(f"A weight has {WEIGHT_PLACES} decimal places at most.", status=422, field=field)
    return abs(weight)
