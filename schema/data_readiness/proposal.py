"""A proposal is what an engine would say about an asset; people approve or reject it (contract 4.3, approvals)."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final
from uuid import UUID

import strawberry
from pydantic import Field
from strawberry.scalars import JSON

from schema.base import Change, Info, JsonObject, Resource, change, choice, edge, resource
from schema.belonging import belonging
from schema.data_readiness.selecting import AssetsLike, AtOrUnder

if TYPE_CHECKING:
    from schema.data_readiness.workflow_run import WorkflowRun
    from schema.utils.metadata_asset import MetadataAsset

MOST_PROPOSALS_NAMED: Final = 1000
"""How many proposals one decision can name."""

MOST_CONFLICTS_SHOWN: Final = 100
"""How many conflicts an answer lists; `conflicted` has their number."""

MOST_PARTS_SHOWN: Final = 20
"""How many of its parts a joined proposal shows; `parts_total` has their number, and `part_of` lists them all."""

MOST_SAMPLED: Final = 20
"""How many of the proposals that it would move a dry run shows; `moved` has their number."""

GroupKey = Annotated[
    str, Field(min_length=1, max_length=64, description="Only those of this group of proposals that are alike.")
]
LeastConfidence = Annotated[float, Field(ge=0, le=1, description="Only those that the engine is at least so sure of.")]

AnyJson = Annotated[Any, strawberry.field(graphql_type=JSON | None)]
"""A value of whatever form the field has."""


@choice
class ProposalKind(StrEnum):
    """What a proposal is about, and so what approving it does."""

    DESCRIPTION = "description"
    """Sets the asset's description."""
    DISPLAY_NAME = "display_name"
    """Sets the asset's display name."""
    BUSINESS_DEFINITION = "business_definition"
    """Sets the asset's business definition."""
    TAG = "tag"
    """Adds a tag."""
    PII_TAG = "pii_tag"
    """Adds a tag and marks the asset as tagged for personal data."""
    SENSITIVITY_TAG = "sensitivity_tag"
    """Adds a tag and marks the asset as tagged for sensitivity."""
    DQ_TAG = "dq_tag"
    """Adds a tag and marks the asset as tagged for data quality."""
    RULE = "rule"
    """A quality rule: approving it lets it be executed."""
    RELATIONSHIP = "relationship"
    """A relationship between assets: approving it adds it to the asset's `column_relationships`, as approved."""
    INSIGHT = "insight"
    """An insight: approving it records that it is useful."""
    GLOSSARY_LINK = "glossary_link"
    """A word of the glossary that the asset is about: approving it links the two."""


@choice
class ProposalState(StrEnum):
    """Where a proposal stands."""

    PROPOSED = "proposed"
    APPROVED = "approved"
    REJECTED = "rejected"


@choice
class Decision(StrEnum):
    """What is decided about proposals."""

    APPROVE = "approve"
    """Carry them out."""
    REJECT = "reject"
    """Leave everything as it is, and say that they are not wanted."""
    PENDING = "pending"
    """Leave them undecided; rejected ones can be decided again."""


DECISION_MOVES: Final[dict[Decision, tuple[ProposalState, ProposalState]]] = {
    Decision.APPROVE: (ProposalState.PROPOSED, ProposalState.APPROVED),
    Decision.REJECT: (ProposalState.PROPOSED, ProposalState.REJECTED),
    Decision.PENDING: (ProposalState.REJECTED, ProposalState.PROPOSED),
}
"""From where to where each decision moves a proposal. What was approved has been carried out and stays."""

SETS: Final[dict[ProposalKind, str]] = {
    ProposalKind.DESCRIPTION: "description",
    ProposalKind.DISPLAY_NAME: "display_name",
    ProposalKind.BUSINESS_DEFINITION: "business_definition",
}
"""The text of an asset that approving a proposal of a kind sets."""

FLAGS: Final[dict[ProposalKind, str | None]] = {
    ProposalKind.TAG: None,
    ProposalKind.PII_TAG: "is_pii_tagged",
    ProposalKind.SENSITIVITY_TAG: "is_sensitivity_tagged",
    ProposalKind.DQ_TAG: "is_dq_tagged",
}
"""The kinds that add a tag, each with the mark that the asset gets."""


@resource
class ProposalPart(Resource):
    """One of the changes that a joined proposal is made of."""

    proposal_id: str = Field(description="What `proposal_ids` of a decision takes to decide about this part alone.")
    asset_fqn: str
    field: str
    current_value: AnyJson = Field(description="What stood in the field when the proposal was made.")
    proposed_value: AnyJson = Field(description="What would stand there.")
    confidence: float | None = Field(description="How sure the engine is, 0 to 1; null when it does not say.")
    state: ProposalState


@belonging("workflow_runs", "run_id")
class Proposal(Resource):
    """What a run would change, with the reasons: about one asset, or one thing about many, with its parts.

    A joined proposal has the values, the evidence and the group of its first part.
    """

    id: str = Field(description="Deciding about the id of a joined proposal decides about all of its undecided parts.")
    run_id: str
    asset_fqn: str = Field(description="The dotted name of the asset; of a joined proposal what all its assets are in.")
    resource_uri: str = Field(description="The resource whose catalog the asset is in.")
    kind: ProposalKind
    field: str = Field(description="The field of the asset that it is about; `tags` for a tag.")
    current_value: AnyJson = Field(description="What stood in the field when the proposal was made.")
    proposed_value: AnyJson = Field(description="What would stand there; for a tag the one tag to add.")
    standing_value: AnyJson = Field(
        None, description="What stands in the field now; null when nothing does, or when the asset is gone."
    )
    evidence: JsonObject = Field(description="Why: what was looked at and what it showed.")
    confidence: float | None = Field(description="How sure the engine is, 0 to 1; null when it does not say.")
    state: ProposalState
    group: str | None = Field(None, description="The group of the run's proposals that are like this one.")
    part_of: str | None = Field(
        None, description="The id of the joined proposal that it is a part of, and of all of it; null for none."
    )
    says: str | None = Field(None, description="What a joined proposal is about; null for one that stands alone.")
    parts_total: int = Field(1, description="Of how many changes it is made; 1 for one that stands alone.")
    parts_pending: int | None = Field(None, description="How many parts are undecided; null for one that stands alone.")
    parts: list[ProposalPart] = Field(
        default_factory=list, description="The first 20 of its parts; empty for one that stands alone."
    )
    decided_by: str | None = Field(description="The id of the user who decided.")
    decided_at: datetime | None = Field(description="When it was decided.")
    created_at: datetime

    @edge
    async def run(
        self, info: Info
    ) -> Annotated["WorkflowRun", strawberry.lazy("schema.data_readiness.workflow_run")] | None:
        """The run that proposes it."""
        return await info.context.load.run(self.run_id)

    @edge
    async def asset(
        self, info: Info
    ) -> Annotated["MetadataAsset", strawberry.lazy("schema.utils.metadata_asset")] | None:
        """The asset that it is about; null when the catalog does not hold it."""
        return await info.context.load.asset_about("proposals", self.id, self.asset_fqn)


@resource
class ProposalGroup(Resource):
    """Proposals of a run that are alike: one tag, rule or sentence about many assets, to be decided as one thing."""

    group: str = Field(description="What `only.group` of a decision and the list of proposals take.")
    kind: ProposalKind
    says: str = Field(
        description="What all of them say, with `…` for names, `#` for figures and `{name}` for the asset's own name; "
        "a text by its first sentence."
    )
    proposals: int = Field(description="How many proposals they are.")
    assets: int = Field(description="How many assets they are about.")
    pending: int = Field(description="How many of them are undecided.")
    approved: int = Field(description="How many stand approved.")
    rejected: int = Field(description="How many stand rejected.")
    lowest_confidence: float | None = Field(description="How sure the engine is of the least sure one.")
    highest_confidence: float | None = Field(description="How sure it is of the surest one.")
    example: Proposal = Field(description="The first of them, beside what stands there now.")


@resource
class ProposalConflict(Resource):
    """A proposal that could not be carried out, because its asset is not what it was."""

    proposal_id: str = Field(description="The proposal; it stays undecided.")
    asset_fqn: str
    field: str
    message: str


@resource
class RunApproval(Resource):
    """What was decided last about the proposals of a run, and where they all stand."""

    run_id: str
    decision: Decision = Field(description="The latest decision; pending when there is none.")
    decided_by: str | None = Field(description="The id of the user who decided last.")
    decided_at: datetime | None = Field(description="When it was decided last.")
    notes: str | None = Field(description="What the user said about it.")
    approved: int = Field(
        description="How many proposals of the run stand approved; here and below each part of a joined one counts."
    )
    rejected: int = Field(description="How many stand rejected.")
    pending: int = Field(description="How many are undecided.")
    conflicted: int = Field(description="How many of those this decision could not carry out.")
    conflicts: list[ProposalConflict] = Field(description="The first 100 of these, each with its reason.")
    moved: int = Field(0, description="How many proposals this decision has moved; in a dry run, would move.")
    dry_run: bool = Field(False, description="Whether nothing was written: all figures are what they would be.")
    sample: list[Proposal] = Field(
        default_factory=list, description="Of a dry run the first 20 that it would move, beside what stands there now."
    )
    waiting: int = Field(
        0, description="How many more match `only`: one call decides some 5000. Go on with `after_table`."
    )
    go_on_after_table: str | None = Field(None, description="What `after_table` of the next call is; null at the end.")


@change
class ProposalFilter(Change):
    """Which proposals are meant: those that match all of this."""

    kinds: Annotated[list[ProposalKind], Field(min_length=1, max_length=20)] | None = None
    min_confidence: LeastConfidence | None = None
    under: AtOrUnder | None = None
    assets_like: AssetsLike | None = None
    group: GroupKey | None = None


@change
class ApprovalDecision(Change):
    """A decision about all undecided proposals of a run, or about those that are named or match."""

    decision: Decision
    notes: Annotated[str, Field(max_length=1000, description="Why, at most 1000 characters.")] | None = None
    proposal_ids: (
        Annotated[
            list[UUID],
            Field(
                min_length=1,
                max_length=MOST_PROPOSALS_NAMED,
                description="Only these, 1 to 1000 of them; a joined one stands for all of its parts.",
            ),
        ]
        | None
    ) = None
    only: Annotated[ProposalFilter, Field(description="Only those that match all of this.")] | None = None
    after_table: (
        Annotated[
            str,
            Field(min_length=1, max_length=4000, description="Go on behind this table, as an earlier answer says."),
        ]
        | None
    ) = None
    dry_run: Annotated[bool, Field(description="Say what would be decided, and write nothing.")] = False
