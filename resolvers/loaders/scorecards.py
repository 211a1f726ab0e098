"""Scorecards made of sums, and those of many assets at once."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final, TypeVar

from persistence.queries.many_totals import SumsOf, first_moments, metrics_of, standing_of, sums_of_many
from persistence.queries.metric_results import LAST_MOMENT
from persistence.queries.totals import ALL_RUNS, Sums
from persistence.store import UnitOfWork
from resolvers.engines.scoring import Ratio, difference, overall, score, total, written_weight
from resolvers.loaders.base import LoadersBase, batched
from schema.data_readiness.quality import AssessmentType, Dimension, MetricDefinition
from schema.data_readiness.quality_builtin import DIMENSIONS, METRICS
from schema.data_readiness.scorecard import (
    AssessmentScore,
    Scorecard,
    ScorecardDimension,
    ScorecardEntity,
    ScorecardMetric,
    ScorecardScope,
    ScoreChange,
    ScoredPart,
    ScoredSum,
)
from schema.identifiers import Fqn, join_fqn
from schema.utils.metadata_asset import AssetType, MetadataAsset

SCOPES: Final = (ScorecardScope.SERVICE, *ScorecardScope)
"""The scope by the number of parts of the dotted name; without one it is every service."""

ValueT = TypeVar("ValueT")
Card = tuple[ScoredPart, tuple[str, ...] | None]
"""A card, and the metrics by which runs count for its change; None for all."""
Moved = tuple[str, datetime, Mapping[str, Sums]]
"""The run that moved a card last, when it began to measure, and the sums just before."""


class ScorecardLoaders(LoadersBase):
    """Describes what hangs on assets and on scores: scorecards, and how they moved."""

    async def scorecard_of_asset(self, asset: MetadataAsset) -> Scorecard | None:
        """The scorecard of a database, schema or table as it stands; None for a column."""
        if asset.type is AssetType.COLUMN:
            return None
        return await self._scorecard((asset.project_id, Fqn.parse(asset.fully_qualified_name).parts))

    async def scorecard_of_project(self, project_id: str) -> Scorecard | None:
        """The scorecard of a whole project as it stands."""
        return await self._scorecard((project_id, ()))

    @batched
    async def _scorecard(self, asked: Sequence[tuple[str, tuple[str, ...]]]) -> list[Scorecard | None]:
        """By project and name; None in a project that the caller may not read."""
        readable = await self._readable("project", [project for project, _ in asked])
        shown = [(project, parts) for project, parts in asked if readable[project]]
        projects = sorted({project for project, _ in shown})

        def work(uow: UnitOfWork) -> dict[tuple[str, tuple[str, ...]], Scorecard]:
            organization = self._scope.organization_id
            dimensions = standing_of(uow.dimensions, organization, projects, DIMENSIONS)
            metrics = standing_of(uow.metric_definitions, organization, projects, METRICS)
            ids = [one.id for some in metrics.values() for one in some]
            wanted = {one: SumsOf(one[0], join_fqn(one[1]), LAST_MOMENT) for one in shown}
            sums = sums_of_many(uow.connection, organization, list(wanted.values()), ids)
            return {
                one: card_of(one[0], one[1], dimensions[one[0]], metrics[one[0]], sums[wanted[one]]) for one in shown
            }

        cards = await self._store.read(work) if shown else {}
        return [cards.get(one) for one in asked]

    @batched
    async def change_of_score(self, sums: Sequence[ScoredSum]) -> list[ScoreChange | None]:
        """How each score of a card moved with the last run; what stood before is read at once for all cards."""
        readable = await self._readable("project", [one.part.project_id for one in sums])
        cards = list(dict.fromkeys((one.part, one.metrics()) for one in sums if readable[one.part.project_id]))
        found = await self._store.read(lambda uow: self._before(uow, cards)) if cards else {}
        return [_change(one, found.get((one.part, one.metrics()))) for one in sums]

    def _before(self, uow: UnitOfWork, cards: Sequence[Card]) -> dict[Card, Moved]:
        """The run that each card moved with last, when it first measured, and the sums before it."""
        organization = self._scope.organization_id
        metrics = metrics_of(uow.connection, organization, [part.project_id for part, _ in cards])

        def latest(of: Mapping[Card, SumsOf], *, before: bool = False) -> dict[Card, dict[str, Sums]]:
            if not of:
                return {}
            found = sums_of_many(uow.connection, organization, list(dict.fromkeys(of.values())), metrics, before=before)
            return {card: _only(found[asked], card[1]) for card, asked in of.items()}

        def asked(card: Card, at: datetime, run: str = ALL_RUNS) -> SumsOf:
            return SumsOf(card[0].project_id, join_fqn(card[0].asset_parts), at, run)

        of_all = [card for card in cards if card[0].workflow_run_id is None]
        now = latest({card: asked(card, card[0].as_of or LAST_MOMENT) for card in of_all})
        runs = {card: run for card in of_all if (run := _last_run(now[card])) is not None}
        runs |= {card: card[0].workflow_run_id for card in cards if card[0].workflow_run_id is not None}
        of_run = {card: asked(card, LAST_MOMENT, run) for card, run in runs.items()}
        moments = first_moments(uow.connection, organization, list(dict.fromkeys(of_run.values()))) if of_run else {}
        first = {card: min(at) for card, one in of_run.items() if (at := list(_only(moments[one], card[1]).values()))}
        before = latest({card: asked(card, at) for card, at in first.items()}, before=True)
        others = {
            card: asked(card, first[card], run)
            for card in first
            if card[0].workflow_run_id is not None and (run := _last_run(before[card])) is not None
        }
        before |= latest(others, before=True)
        return {card: (runs[card], first[card], before[card]) for card in first}


def _only(of: Mapping[str, ValueT], metrics: tuple[str, ...] | None) -> dict[str, ValueT]:
    return {id: value for id, value in of.items() if metrics is None or id in metrics}


def _last_run(sums: Mapping[str, Sums]) -> str | None:
    """The run whose results are the latest."""
    moved = [(one.at, one.by_run_id) for one in sums.values() if one.at is not None and one.by_run_id is not None]
    return max(moved, default=(None, None))[1]


def _change(of: ScoredSum, found: Moved | None) -> ScoreChange | None:
    if found is None:
        return None
    run, at, sums = found
    groups = [
        (
            Decimal(weight),
            total(Ratio(sums[id].numerator, sums[id].denominator) for id in metrics if id in sums),
        )
        for weight, metrics in of.groups
    ]
    before = overall(groups) if of.is_overall else score(total(counted for _, counted in groups))
    return ScoreChange(
        score=of.score,
        score_before=before,
        difference=difference(of.score, before),
        workflow_run_id=run,
        measured_at=at,
    )


def card_of(
    project_id: str,
    parts: tuple[str, ...],
    dimensions: Sequence[Dimension],
    metrics: Sequence[MetricDefinition],
    sums: Mapping[str, Sums],
    overrides: Mapping[str, Decimal] | None = None,
    *,
    as_of: datetime | None = None,
    run_id: str | None = None,
) -> Scorecard:
    """The scorecard of what the parts of a name tell, made of the sums of its metrics."""
    weights = {one.id: Decimal(one.weight) for one in dimensions} | dict(overrides or {})
    of: dict[str, list[MetricDefinition]] = defaultdict(list)
    for metric in metrics:
        of[metric.dimension_id].append(metric)
    nothing = Sums(0, 0, 0)
    answered = [
        _dimension(
            one,
            weights[one.id],
            [
                _metric(metric, sums.get(metric.id, nothing), ScoredPart(project_id, parts, metric.id, as_of, run_id))
                for metric in of[one.id]
            ],
        )
        for one in dimensions
    ]
    names = (*parts, None, None, None, None)
    made = Scorecard(
        overall_score=overall((weights[one.dimension_id], Ratio(one.numerator, one.denominator)) for one in answered),
        data_quality=_assessed(answered, AssessmentType.DATA_QUALITY),
        metadata=_assessed(answered, AssessmentType.METADATA),
        scope=SCOPES[len(parts)],
        entity=ScorecardEntity(service=names[0], database_name=names[1], schema_name=names[2], table_name=names[3]),
        dimensions=answered,
        as_of=as_of,
        workflow_run_id=run_id,
    )
    _opened(made, ScoredPart(project_id, parts, "", as_of, run_id))
    return made


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
