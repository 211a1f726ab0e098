"""A violation is something wrong with an asset that a run has found (contract 2.8)."""

import warnings
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final
from uuid import UUID

import strawberry
from pydantic import Field

from schema.base import Change, Info, JsonObject, Maybe, Resource, change, choice, edge, resource
from schema.data_readiness.quality import AssessmentType, DefinitionId, DefinitionName, DimensionReference, Words
from schema.data_readiness.selecting import AssetsLike, AtOrUnder
from schema.data_readiness.suspect import SuspectCell
from schema.identifiers import UuidText
from schema.naming import Name, ShortName
from schema.node import entity
from schema.pagination import Connection
from schema.windows import Listing, Window, asked_of, listed

if TYPE_CHECKING:
    from schema.data_readiness.rule import QualityRule
    from schema.data_readiness.workflow_run import WorkflowRun
    from schema.utils.lineage import LineageImpact
    from schema.utils.metadata_asset import MetadataAsset


@choice
class Severity(StrEnum):
    """How bad a violation is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


def guessed_severity(usual: Severity) -> Severity:
    """Return how bad the breach of a guess is: at most medium, as the guess itself may be wrong."""
    return usual if usual in (Severity.LOW, Severity.MEDIUM) else Severity.MEDIUM


@choice
class ViolationStatus(StrEnum):
    """Where a violation stands."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"
    FALSE_POSITIVE = "false_positive"


@choice
class ViolationOrder(StrEnum):
    """In which order violations are listed; the newest comes first among those that are alike."""

    WORST_FIRST = "worst_first"
    """By severity, the worst first."""
    NEWEST_FIRST = "newest_first"
    """By when they were first seen."""
    LAST_SEEN_FIRST = "last_seen_first"
    """By when they were seen last."""
    BY_ASSET = "by_asset"
    """By the dotted name of the asset, then the worst first."""


MOVES: Final[dict[ViolationStatus, frozenset[ViolationStatus]]] = {
    ViolationStatus.OPEN: frozenset(
        {ViolationStatus.ACKNOWLEDGED, ViolationStatus.RESOLVED, ViolationStatus.FALSE_POSITIVE}
    ),
    ViolationStatus.ACKNOWLEDGED: frozenset(
        {ViolationStatus.OPEN, ViolationStatus.RESOLVED, ViolationStatus.FALSE_POSITIVE}
    ),
    ViolationStatus.RESOLVED: frozenset({ViolationStatus.OPEN}),
    ViolationStatus.FALSE_POSITIVE: frozenset({ViolationStatus.OPEN}),
}
"""Which status a person may move a violation to."""

UNRESOLVED: Final = (ViolationStatus.OPEN, ViolationStatus.ACKNOWLEDGED)
"""The statuses of a violation that still counts."""


@resource
class ViolationDefinition(Resource):
    """A kind of violation, with the severity that it has unless a rule says otherwise."""

    id: UuidText
    name: str
    fqn: str = Field(description="The dimension's fqn and the name, dotted.")
    dimension: DimensionReference
    default_severity: Severity
    is_active: bool = Field(description="Whether runs look for it.")
    display_name: str | None
    description: str | None
    applicable_asset_types: list[str]
    is_built_in: bool = Field(description="Stands in every project and cannot be changed.")


@resource
class ViolationEvent(Resource):
    """One step in the history of a violation."""

    id: UuidText
    violation_id: UuidText
    at: datetime
    from_status: ViolationStatus | None = Field(description="Null when the violation was first seen.")
    to_status: ViolationStatus
    actor: str = Field(description="Who moved it: a user, or the user on whose behalf a run worked.")
    workflow_run_id: UuidText | None = Field(description="The run that moved it; null when a person did.")
    notes: str | None


with warnings.catch_warnings():
    # The contract names a field as pydantic once named a method.
    warnings.filterwarnings("ignore", message='Field name "schema"')

    @entity(kept_in="violations")
    class Violation(Resource):
        """Something wrong with an asset. Seen again it stays one violation; gone it is resolved, back it is open."""

        id: UuidText
        name: str = Field(description="The kind of violation: the name of its definition.")
        fqn: str = Field(description="The asset's dotted name, with the violation's name behind it.")
        dimension: DimensionReference
        service: str
        asset_fqn: str
        asset_version: str | None = Field(description="The asset's version when it was last seen; null if unknown.")
        severity: Severity
        status: ViolationStatus
        workflow_run_id: UuidText = Field(description="The run that saw it last.")
        created_at: datetime
        display_name: str | None
        database: str | None
        schema: str | None  # type: ignore[assignment]
        table: str | None
        column: str | None
        details: JsonObject
        dq_rule_execution_id: UuidText | None
        resolved_by: str | None
        resolution_notes: str | None
        resolved_at: datetime | None
        assigned_to: str | None = Field(None, description="The id of the user who is to look after it.")
        updated_at: datetime
        last_seen_at: datetime
        seen_count: int = Field(description="How many runs have seen it.")

        @edge
        async def history(self, info: Info) -> list[ViolationEvent]:
            """What has become of it since it was first seen, the first 200 steps."""
            return await info.context.load.history_of_violation(self.id)

        @listed
        async def history_connection(self, info: Info, window: Window) -> Connection[ViolationEvent]:
            """What has become of it since it was first seen."""
            return await info.context.load.history_in_steps(asked_of(self.id, Listing(window)))

        @edge
        async def run(
            self, info: Info
        ) -> Annotated["WorkflowRun", strawberry.lazy("schema.data_readiness.workflow_run")] | None:
            """The run that saw it last."""
            return await info.context.load.run(self.workflow_run_id)

        @edge
        async def rule(
            self, info: Info
        ) -> Annotated["QualityRule", strawberry.lazy("schema.data_readiness.rule")] | None:
            """The quality rule that it breaks; null when no rule stands behind it, or the rule was deleted."""
            execution = self.dq_rule_execution_id
            return None if execution is None else await info.context.load.rule_of_execution(execution)

        @edge
        async def in_words(self, info: Info) -> str | None:
            """What is wrong, in plain words: what the broken rule allows, and how many rows do otherwise.

            Without a rule behind it, what was counted. Values of personal data are left out. Null where nothing was
            counted, or the rule was deleted.
            """
            return await info.context.load.words_of_violation(self)

        @edge
        async def asset(
            self, info: Info
        ) -> Annotated["MetadataAsset", strawberry.lazy("schema.utils.metadata_asset")] | None:
            """The asset that it is about; null when the catalog does not hold it."""
            return await info.context.load.asset_about("violations", self.id, self.asset_fqn)

        @edge
        async def reaches(
            self, info: Info
        ) -> Annotated["LineageImpact", strawberry.lazy("schema.utils.lineage")] | None:
            """The tables and views that depend on its asset, the 20 nearest, as far as lineage is known.

            What the caller may not read is counted in `hidden`, and not named.
            """
            return await info.context.load.reach_of_violation(self.id)

        @edge
        async def suspect_cells(self, info: Info) -> list[SuspectCell]:
            """The suspect cells that it counts, the first 200 that stand now; none of a violation of another kind."""
            return await info.context.load.suspects_of_violation(self.id)


Assignee = Annotated[str, Field(min_length=1, max_length=255, description="The id of a user.")]


@change
class ViolationChange(Change):
    """A decision about a violation. A field left out stays; moving it back to open clears the resolution."""

    status: Maybe[ViolationStatus] = None
    resolution_notes: Maybe[Words | None] = None
    assigned_to: Maybe[Assignee | None] = None


@change
class ViolationFilter(Change):
    """Which violations are meant: those that match all of this."""

    ids: Annotated[list[UUID], Field(min_length=1, max_length=1000, description="Some of these.")] | None = None
    under: AtOrUnder | None = None
    assets_like: AssetsLike | None = None
    names: Annotated[list[ShortName], Field(min_length=1, max_length=50, description="Kinds.")] | None = None
    severities: Annotated[list[Severity], Field(min_length=1, max_length=4)] | None = None
    statuses: Annotated[list[ViolationStatus], Field(min_length=1, max_length=4)] | None = None
    dimension: Annotated[str, Field(min_length=1, max_length=255, description="Its id or name.")] | None = None
    assessment_type: Annotated[AssessmentType, Field(description="Of the data, or of their description.")] | None = None
    workflow_run_id: Annotated[UUID, Field(description="Only those that this run saw last.")] | None = None
    assigned_to: Assignee | None = None


@change
class ViolationsDecision(Change):
    """One decision about all violations that match: a status, a user to look after them, or both."""

    only: Annotated[ViolationFilter, Field(description="Those that match all of this; `{}` is every one.")]
    status: ViolationStatus | None = None
    resolution_notes: Words | None = None
    assigned_to: Assignee | None = None
    dry_run: Annotated[bool, Field(description="Say what would be decided, and write nothing.")] = False


@resource
class ViolationsDecided(Resource):
    """What a decision about many violations came to."""

    matched: int = Field(description="How many violations match the filter.")
    moved: int = Field(description="How many of them this has changed; in a dry run, would change.")
    stand_already: int = Field(description="How many stood there already.")
    barred: int = Field(description="How many have a status from which that one cannot be reached; they stay.")
    waiting: int = Field(description="How many are left to change: one call takes 5000. Make the same call again.")
    dry_run: bool = Field(description="Whether nothing was changed, since it was only asked what would be.")
    sample: list[Violation] = Field(description="The first 20 that are changed, as they stood before.")


AssetTypes = Annotated[list[ShortName], Field(max_length=20)]


@change
class ViolationDefinitionCreate(Change):
    """A kind of violation of the project's own."""

    dimension_id: DefinitionId
    name: DefinitionName
    default_severity: Severity = Severity.MEDIUM
    is_active: bool = True
    display_name: Name | None = None
    description: Words | None = None
    applicable_asset_types: AssetTypes = Field(default_factory=list)


@change
class ViolationDefinitionChange(Change):
    """What may change of a kind of violation of one's own. A field left out stays."""

    default_severity: Maybe[Severity] = None
    is_active: Maybe[bool] = None
    display_name: Maybe[Name | None] = None
    description: Maybe[Words | None] = None
    applicable_asset_types: Maybe[AssetTypes] = None
