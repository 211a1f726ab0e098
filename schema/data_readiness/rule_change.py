"""Defines what is sent to write, change, import and export quality rules, and what comes back beside the rules."""

from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from schema.base import Change, Maybe, OptionalJsonObject, OptionalLong, Resource, absent, change, choice, resource
from schema.data_readiness.quality import DefinitionId
from schema.data_readiness.rule import (
    QualityRule,
    RuleOperator,
    RuleOutcome,
    RuleState,
    RuleType,
    RuleUnit,
)
from schema.data_readiness.violation import Severity
from schema.grammar import ANY_NAME, UP_TO_TABLE
from schema.identifiers import UuidText
from schema.naming import Name
from schema.node import deletion

MOVES: Final[dict[RuleState, frozenset[RuleState]]] = {
    RuleState.PROPOSED: frozenset({RuleState.ACTIVE, RuleState.REJECTED}),
    RuleState.ACTIVE: frozenset({RuleState.DISABLED}),
    RuleState.DISABLED: frozenset({RuleState.ACTIVE, RuleState.REJECTED}),
    RuleState.REJECTED: frozenset({RuleState.ACTIVE}),
}
"""Which state a person may move a rule to."""

MOST_IMPORTED_SHOWN: Final = 100

RuleWords = Annotated[str, Field(max_length=1000, description="1000 characters at most.")]
Bound = Annotated[float, Field(ge=-1e15, le=1e15, allow_inf_nan=False)]
Threshold = Annotated[
    list[Bound],
    Field(min_length=1, max_length=2, description="One number, or two for the operators that end in Between."),
]


@choice
class RuleFormat(StrEnum):
    """How rules are written in files."""

    ODCS = "odcs"
    """YAML of the Open Data Contract Standard 3.1."""
    DBT = "dbt"
    """YAML of dbt with its four generic tests."""


@resource
class RuleNote(Resource):
    """Something in a file that became no rule, or a rule that a format has no words for."""

    where: str = Field(description="The place in the file, or the rule's name.")
    reason: str = Field(description="Why, as a sentence.")


@resource
class QualityRulesImported(Resource):
    """What importing a file came to."""

    created: int = Field(description="How many rules are new.")
    kept: int = Field(description="How many stood already, and stay as they are.")
    rules: list[QualityRule] = Field(description="The first 100 of the rules, new or not, in the order of the file.")
    not_understood: list[RuleNote] = Field(description="What became no rule, each with the reason.")


@resource
class QualityRulesExported(Resource):
    """Rules as a file."""

    format: RuleFormat
    text: str = Field(description="The file, YAML.")
    rules: int = Field(description="How many rules it holds.")
    left_out: list[RuleNote] = Field(description="The rules that the format has no words for.")


@resource
class RuleCheck(Resource):
    """What a rule comes to just now; nothing of it is recorded."""

    rule_id: UuidText = Field(description="The rule.")
    outcome: RuleOutcome
    numerator: OptionalLong = Field(description="How many rows or values keep to the rule; null if not evaluated.")
    denominator: OptionalLong = Field(description="How many were looked at.")
    value: str | None = Field(description="What was compared with the threshold.")
    reason: str | None = Field(description="Why it could not be evaluated.")
    examples: OptionalJsonObject = Field(description="`rows`: examples of what breaks it, masked if personal.")


@resource
class RuleTrial(Resource):
    """What a rule that is not written yet comes to just now; nothing of it is kept."""

    in_words: str = Field(description="What it allows and what was counted; without values where they are personal.")
    outcome: RuleOutcome
    numerator: OptionalLong = Field(description="How many rows or values keep to the rule; null if not evaluated.")
    denominator: OptionalLong = Field(description="How many were looked at.")
    value: str | None = Field(description="What was compared with the threshold.")
    reason: str | None = Field(description="Why it could not be evaluated.")
    examples: OptionalJsonObject = Field(description="`rows`: examples of what breaks it, masked if personal.")


@deletion("id")
class QualityRuleDeleted(Resource):
    """The answer to a deletion of a rule."""

    id: UuidText
    deleted: bool


@change
class QualityRuleCreate(Change):
    """A rule that a person writes. It is active at once."""

    name: Name
    asset_fqn: Annotated[
        str,
        Field(min_length=1, max_length=2000, description="The dotted name of a table or column of the catalog."),
        ANY_NAME,
    ]
    type: RuleType
    metric: Annotated[str, Field(min_length=1, max_length=64, description="Left out for `sql`.")] | None = None
    description: RuleWords | None = None
    arguments: Annotated[
        OptionalJsonObject, Field(description="What the metric needs, such as `validValues`, `pattern` or `columns`.")
    ] = absent()
    operator: RuleOperator = RuleOperator.MUST_BE
    threshold: Threshold = Field(default_factory=lambda: [0.0])
    unit: RuleUnit = RuleUnit.ROWS
    query: (
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=20_000,
                description="For `sql`: one SELECT in the dialect of the connection that answers with the rows that "
                "break the rule, or with their number.",
            ),
        ]
        | None
    ) = None
    metric_definition_id: Annotated[DefinitionId, Field(description="Where it counts; by its metric if left out.")] | (
        None
    ) = None
    severity: Severity = Severity.MEDIUM


@change
class QualityRuleUpdate(Change):
    """What may change of a rule. A field left out stays; what it checks stays: write another rule for that."""

    name: Maybe[Name] = None
    description: Maybe[RuleWords | None] = None
    operator: Maybe[RuleOperator] = None
    threshold: Maybe[Threshold] = None
    unit: Maybe[RuleUnit] = None
    severity: Maybe[Severity] = None
    state: Maybe[RuleState] = None


@change
class QualityRuleImport(Change):
    """A file with rules."""

    format: RuleFormat
    text: Annotated[str, Field(min_length=1, max_length=1_000_000, description="The file, YAML.")]
    asset_fqn: (
        Annotated[
            str,
            Field(min_length=1, max_length=2000, description="Only tables at or under this dotted name."),
            UP_TO_TABLE,
        ]
        | None
    ) = None
