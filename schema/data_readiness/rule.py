"""A quality rule says what is expected of a table or column, as the Open Data Contract Standard 3.1 names it.

`type` is `library` for the metrics of the standard, `sql` for a query that a person wrote, and `custom` for what the
standard has no name for; the engine of those is `stoa`, and `metric` is one of CUSTOM_METRICS.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol

import strawberry
from pydantic import Field

from schema.base import Info, JsonObject, OptionalLong, Resource, choice, edge, resource
from schema.data_readiness.violation import Severity
from schema.identifiers import UuidText
from schema.node import entity
from schema.pagination import Connection
from schema.windows import Listing, Window, asked_of, chosen, listed

if TYPE_CHECKING:
    from schema.data_readiness.workflow_run import WorkflowRun
    from schema.utils.metadata_asset import MetadataAsset

LIBRARY_METRICS: Final = ("rowCount", "nullValues", "missingValues", "invalidValues", "duplicateValues")
"""The metrics of ODCS 3.1. Their `arguments`: missingValues takes `missingValues` (what stands for a missing value);
invalidValues takes `validValues` or `pattern`, and of our own `minimum`, `maximum` (values as text; of moments `now` is
the moment of the check), `format`, and `missingValues` (what is neither valid nor invalid);
duplicateValues takes `properties` (the columns that together are unique)."""

CUSTOM_METRICS: Final = (
    "brokenReferences",
    "inconsistentRows",
    "staleData",
    "outlierValues",
    "nearDuplicates",
    "suspectValues",
    "brokenFormulas",
)
"""Ours. Arguments: brokenReferences `columns`, `targetFqn`, `targetColumns`; inconsistentRows `determinant`,
`dependent`; staleData `column`, `maxAgeSeconds`; outlierValues `minimum`, `maximum`; nearDuplicates `columns`,
`similarity` (0 to 1); suspectValues `columns` (cells that the error detector calls wrong); brokenFormulas `formula`
(`sum`, `product`, `span`, `years`, `part`, `order`), `result`, `columns` that it is worked out of, `factors`, `factor`,
`constant`, `rate`, `rateScale`, `added`, `part`, `tolerance`, `relative`."""


@choice
class RuleType(StrEnum):
    """Who knows how to evaluate a rule."""

    LIBRARY = "library"
    SQL = "sql"
    CUSTOM = "custom"


@choice
class RuleOperator(StrEnum):
    """How the metric is compared with `threshold`."""

    MUST_BE = "mustBe"
    MUST_NOT_BE = "mustNotBe"
    MUST_BE_GREATER_THAN = "mustBeGreaterThan"
    MUST_BE_GREATER_OR_EQUAL_TO = "mustBeGreaterOrEqualTo"
    MUST_BE_LESS_THAN = "mustBeLessThan"
    MUST_BE_LESS_OR_EQUAL_TO = "mustBeLessOrEqualTo"
    MUST_BE_BETWEEN = "mustBeBetween"
    MUST_NOT_BE_BETWEEN = "mustNotBeBetween"


@choice
class RuleUnit(StrEnum):
    """What the threshold counts."""

    ROWS = "rows"
    PERCENT = "percent"


@choice
class RuleState(StrEnum):
    """Whether a rule is executed."""

    PROPOSED = "proposed"
    """A run has proposed it and nobody has decided."""
    ACTIVE = "active"
    DISABLED = "disabled"
    REJECTED = "rejected"


@choice
class RuleOrigin(StrEnum):
    """Where a rule comes from."""

    GENERATED = "generated"
    IMPORTED = "imported"
    PERSON = "person"


@choice
class RuleOutcome(StrEnum):
    """How an execution of a rule ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_EVALUATED = "not_evaluated"
    """It could not be evaluated; that never counts as passed."""


class Expectation(Protocol):
    """What a rule says, whether it is kept, drawn up by an engine, or read from a file."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str | None: ...
    @property
    def asset_fqn(self) -> str: ...
    @property
    def resource_uri(self) -> str: ...
    @property
    def type(self) -> RuleType: ...
    @property
    def metric(self) -> str | None: ...
    @property
    def arguments(self) -> dict[str, Any]: ...
    @property
    def operator(self) -> RuleOperator: ...
    @property
    def threshold(self) -> Sequence[float]: ...
    @property
    def unit(self) -> RuleUnit: ...
    @property
    def query(self) -> str | None: ...
    @property
    def dimension_id(self) -> str: ...
    @property
    def metric_definition_id(self) -> str: ...
    @property
    def severity(self) -> Severity: ...


@entity(kept_in="quality_rules")
class QualityRule(Resource):
    """What is expected of a table or column."""

    id: UuidText
    name: str
    description: str | None
    asset_fqn: str = Field(description="The dotted name of the table or column that it is about.")
    resource_uri: str = Field(description="The data connection that it is evaluated through.")
    type: RuleType
    metric: str | None = Field(description="One of the standard's or of the platform's own metrics; null for `sql`.")
    arguments: JsonObject = Field(description="What the metric needs, such as `validValues` or `columns`.")
    operator: RuleOperator
    threshold: list[float] = Field(description="One number, or two for the operators that end in Between.")
    unit: RuleUnit
    query: str | None = Field(description="The SQL of a rule of type `sql`.")
    dimension_id: UuidText
    metric_definition_id: UuidText = Field(description="The metric of the scorecard that it is counted in.")
    severity: Severity
    state: RuleState
    origin: RuleOrigin
    evidence: JsonObject = Field(description="What a generated rule was concluded from.")
    confidence: float | None = Field(description="How sure the engine is that the rule is meant, 0 to 1.")
    expected_false_positive_rate: float | None = Field(description="Share of good rows that it is expected to blame.")
    workflow_run_id: UuidText | None = Field(description="The run that generated it.")
    created_at: datetime
    updated_at: datetime
    created_by: str

    @edge
    async def in_words(self, info: Info) -> str | None:
        """What it allows, in plain words; values of personal data are left out."""
        return await info.context.load.words_of_rule(self)

    @edge
    async def asset(
        self, info: Info
    ) -> Annotated["MetadataAsset", strawberry.lazy("schema.utils.metadata_asset")] | None:
        """The table or column that it is about; null when the catalog does not hold it."""
        return await info.context.load.asset_about("quality_rules", self.id, self.asset_fqn)

    @listed
    async def executions(
        self, info: Info, window: Window, outcome: list[RuleOutcome] | None = None
    ) -> Connection[Annotated["RuleExecution", strawberry.lazy("schema.data_readiness.rule")]]:
        """What evaluating it came to, the newest first."""
        return await info.context.load.executions_of_rule(asked_of(self.id, Listing(window, (chosen(outcome),))))


@resource
class RuleExecution(Resource):
    """What evaluating a rule once came to."""

    id: UuidText
    rule_id: UuidText = Field(description="The rule; it may have been deleted since.")
    rule_name: str = Field(description="What the rule was called then.")
    workflow_run_id: UuidText
    metric_definition_id: UuidText = Field(description="The metric of the scorecard that it is counted in.")
    asset_fqn: str
    outcome: RuleOutcome
    numerator: OptionalLong = Field(description="How many rows or values keep to the rule; null if not evaluated.")
    denominator: OptionalLong = Field(description="How many were looked at.")
    reason: str | None = Field(description="Why it could not be evaluated.")
    details: JsonObject = Field(description="Examples of what breaks the rule, masked where it is personal data.")
    executed_at: datetime = Field(description="When it was evaluated.")

    @edge
    async def in_words(self, info: Info) -> str | None:
        """What the rule allows and how many rows do otherwise, in plain words; values of personal data are left out.

        Null when the rule was deleted.
        """
        return await info.context.load.words_of_execution(self)

    @edge
    async def rule(self, info: Info) -> QualityRule | None:
        """The rule; null when it was deleted."""
        return await info.context.load.rule(self.rule_id)

    @edge
    async def run(
        self, info: Info
    ) -> Annotated["WorkflowRun", strawberry.lazy("schema.data_readiness.workflow_run")] | None:
        """The run that evaluated it."""
        return await info.context.load.run(self.workflow_run_id)
