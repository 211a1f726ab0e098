"""A scorecard says how good the data and their description are, as exact decimal numbers (contract 4.3)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import strawberry
from pydantic import Field, PrivateAttr

from schema.base import Change, Info, OptionalJsonObject, Resource, Size, absent, change, choice, edge, resource
from schema.data_readiness.quality import AssessmentType, MetricResult
from schema.grammar import UP_TO_TABLE
from schema.identifiers import UuidText
from schema.pagination import Moment

if TYPE_CHECKING:
    from schema.data_readiness.rule import RuleExecution
    from schema.data_readiness.violation import Violation

SCORE = "A decimal number with 4 places, rounded half to even; null when nothing was measured."


@choice
class ScorecardScope(StrEnum):
    """What a scorecard is about. Without an asset_fqn it is every service of the project, and says `service`."""

    SERVICE = "service"
    DATABASE = "database"
    SCHEMA = "schema"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """What a figure of a scorecard was computed from: where, which metric, and until when."""

    project_id: str
    asset_parts: tuple[str, ...]
    metric_definition_id: str
    as_of: datetime | None
    workflow_run_id: str | None


@dataclass(frozen=True, slots=True)
class ScoredSum:
    """A score of a card, and what it is the sum of: the ids of metrics, a group for each dimension with its weight."""

    part: ScoredPart
    groups: tuple[tuple[str, tuple[str, ...]], ...]
    is_overall: bool
    score: str | None
    is_alone: bool = False
    """Whether its change is told by the runs that measured one of these metrics, whatever else was measured since."""

    def metrics(self) -> tuple[str, ...] | None:
        """Return the metrics by which runs count for its change; None for all."""
        return tuple(id for _, ids in self.groups for id in ids) if self.is_alone else None


@resource
class ScoreChange(Resource):
    """How a score moved with the last run that measured anything in the card's scope."""

    score: str | None = Field(description=SCORE)
    score_before: str | None = Field(description="The score just before that run began to measure, as `score` is.")
    difference: str | None = Field(description="The first less the second, with 4 places; null when either is null.")
    workflow_run_id: UuidText = Field(description="That run.")
    measured_at: datetime = Field(description="When that run first measured in the scope.")


@resource
class ScorecardEntity(Resource):
    """The parts of the asset's dotted name, as many as it has: none where the card is about the whole project."""

    service: str | None
    database_name: str | None
    schema_name: str | None
    table_name: str | None


@resource
class ScorecardMetric(Resource):
    """One metric, summed over the assets of the card."""

    metric_definition_id: UuidText
    name: str
    fqn: str
    numerator: Size
    denominator: Size
    score: str | None = Field(description=SCORE)
    asset_count: int = Field(description="How many assets it was measured on.")
    display_name: str | None
    unit: str | None
    purpose: str | None
    description: str | None

    _part: ScoredPart | None = PrivateAttr(default=None)
    _sum: ScoredSum | None = PrivateAttr(default=None)

    @edge
    async def change(self, info: Info) -> ScoreChange | None:
        """How the score moved with the last run, or, on the card of a run, since the run before it."""
        return None if self._sum is None else await info.context.load.change_of_score(self._sum)

    @edge
    async def results(self, info: Info) -> list[MetricResult]:
        """What was added up: the result of each asset, the worst first, 200 at most."""
        return [] if self._part is None else await info.context.load.results_of_part(self._part)

    @edge
    async def rule_executions(
        self, info: Info
    ) -> list[Annotated["RuleExecution", strawberry.lazy("schema.data_readiness.rule")]]:
        """The rules that count in it, each by its latest execution until then, the failed ones first, 200 at most."""
        return [] if self._part is None else await info.context.load.executions_of_part(self._part)

    @edge
    async def violations(
        self, info: Info
    ) -> list[Annotated["Violation", strawberry.lazy("schema.data_readiness.violation")]]:
        """What stands behind the score: violations of this metric in the card's scope, the worst first, 200 at most.

        Those that were open or acknowledged at the card's `as_of`, now without one; of the card's run when it has one.
        """
        return [] if self._part is None else await info.context.load.violations_of_part(self._part)


@resource
class ScorecardDimension(Resource):
    """One dimension: the sums of its metrics, and its weight in the overall score."""

    dimension_id: UuidText
    name: str
    fqn: str
    assessment_type: AssessmentType
    weight: str = Field(description="The weight that was used: the override when there is one.")
    numerator: Size
    denominator: Size
    score: str | None = Field(description=SCORE)
    metrics: list[ScorecardMetric]
    display_name: str | None
    purpose: str | None
    description: str | None

    _sum: ScoredSum | None = PrivateAttr(default=None)

    @edge
    async def change(self, info: Info) -> ScoreChange | None:
        """How the score moved with the last run, or, on the card of a run, since the run before it."""
        return None if self._sum is None else await info.context.load.change_of_score(self._sum)


@resource
class AssessmentScore(Resource):
    """The score of one kind of assessment: the weighted mean of those of its dimensions that were measured."""

    score: str | None = Field(None, description=SCORE)

    _sum: ScoredSum | None = PrivateAttr(default=None)

    @edge
    async def change(self, info: Info) -> ScoreChange | None:
        """How it moved with the last run that measured anything of its kind, whatever else was measured since."""
        return None if self._sum is None else await info.context.load.change_of_score(self._sum)


@resource
class Scorecard(Resource):
    """The scores of one scope: of its data, of its description, and of both together.

    The overall score is the weighted mean of all dimensions that were measured, so it moves when one is measured for
    the first time. Whether data may be relied on is what the score of the data alone tells.
    """

    overall_score: str | None = Field(description=SCORE)
    data_quality: AssessmentScore = Field(default_factory=AssessmentScore, description="How good the data are.")
    metadata: AssessmentScore = Field(default_factory=AssessmentScore, description="How well they are described.")
    scope: ScorecardScope
    entity: ScorecardEntity
    dimensions: list[ScorecardDimension]
    as_of: datetime | None
    workflow_run_id: UuidText | None

    _sum: ScoredSum | None = PrivateAttr(default=None)

    @edge
    async def change(self, info: Info) -> ScoreChange | None:
        """How the score moved with the last run, or, on the card of a run, since the run before it."""
        return None if self._sum is None else await info.context.load.change_of_score(self._sum)


@change
class ScorecardRequest(Change):
    """What a scorecard is about. Everything may be left out: the whole project, now."""

    asset_fqn: (
        Annotated[
            str,
            Field(min_length=1, max_length=2000, description="Dotted service[.database[.schema[.table]]]."),
            UP_TO_TABLE,
        ]
        | None
    ) = None
    assessment_type: AssessmentType | None = None
    as_of: Annotated[Moment, Field(description="Only what was measured by then; without a zone it is UTC.")] | None = (
        None
    )
    workflow_run_id: Annotated[UUID, Field(description="Only what this run has measured.")] | None = None
    weight_overrides: Annotated[
        OptionalJsonObject, Field(description="Weights by dimension id, for this answer only; nothing is stored.")
    ] = absent()
