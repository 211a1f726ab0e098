"""A classification is a tag that an engine finds on a column or table, with its evidence and what people decided."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import strawberry
from pydantic import Field

from schema.base import Change, Info, JsonObjects, Resource, change, choice, edge, resource
from schema.belonging import belonging
from schema.identifiers import UuidText

if TYPE_CHECKING:
    from schema.data_readiness.workflow_run import WorkflowRun
    from schema.utils.metadata_asset import MetadataAsset


@choice
class ClassificationKind(StrEnum):
    """What a tag is about."""

    PII = "pii"
    SENSITIVITY = "sensitivity"
    DQ = "dq"


@choice
class ClassificationState(StrEnum):
    """What has become of a tag. What a person decided is never overwritten."""

    SUGGESTED = "suggested"
    ACCEPTED = "accepted"
    """Accepted automatically, by a run with `save_all`: the tag stands on the asset, and no person has looked at it."""
    CONFIRMED = "confirmed"
    """A person confirmed it."""
    REJECTED = "rejected"


MOVES: Final[dict[ClassificationState, frozenset[ClassificationState]]] = {
    ClassificationState.SUGGESTED: frozenset({ClassificationState.CONFIRMED, ClassificationState.REJECTED}),
    ClassificationState.ACCEPTED: frozenset({ClassificationState.CONFIRMED, ClassificationState.REJECTED}),
    ClassificationState.REJECTED: frozenset({ClassificationState.CONFIRMED, ClassificationState.SUGGESTED}),
    ClassificationState.CONFIRMED: frozenset({ClassificationState.REJECTED}),
}
"""Which state a person may move a classification to."""

HELD: Final = frozenset({ClassificationState.ACCEPTED, ClassificationState.CONFIRMED})
"""The states of a tag that stands on its asset."""

CATEGORIES: Final = {
    ClassificationKind.PII: "PII",
    ClassificationKind.SENSITIVITY: "Sensitivity",
    ClassificationKind.DQ: "DataQuality",
}
"""The category of the tags of each kind; a tag's FQN is `<category>.<name>`."""

OPEN_ALONE: Final = frozenset({"PII.Postcode", "PII.City", "PII.Country", "PII.Age"})
"""Tags of the lowest level whose values are personal beside a person only: a customer's city, and not an airport's."""

TELL_OF_NO_PERSON: Final = OPEN_ALONE | {"PII.StreetAddress", "PII.Coordinates"}
"""Tags that shops and airports have as well: a table that has no others may be about no person at all."""


@belonging("workflow_runs", "workflow_run_id")
class Classification(Resource):
    """One tag of one asset, as the engines see it."""

    id: UuidText
    asset_fqn: str = Field(description="The dotted name of the column or table.")
    resource_uri: str = Field(description="The resource whose catalog the asset is in.")
    kind: ClassificationKind
    tag_fqn: str = Field(description="Such as `PII.Email` or `Sensitivity.Restricted`.")
    state: ClassificationState
    confidence: float = Field(description="The combined and calibrated score, 0 to 1.")
    evidence: JsonObjects = Field(
        description="What speaks for it: `recognizer`, `source` (values, name, type, comment, neighbours, lineage), "
        "`share` of the sample (0 to 1), `weight`, `reason`. No value of the data stands in it."
    )
    recognizer_version: str = Field(description="The version of the recognisers that found it.")
    data_fingerprint: str = Field(description="Changes when the sampled data or the column's description does.")
    workflow_run_id: UuidText = Field(description="The run that saw it last.")
    decided_by: str | None = Field(
        description="The id of the user who decided; null while nobody has, for what was accepted automatically, and "
        "for what was tagged by hand in the catalog."
    )
    decided_at: datetime | None = Field(description="When it was decided.")
    created_at: datetime
    updated_at: datetime

    @edge
    async def asset(
        self, info: Info
    ) -> Annotated["MetadataAsset", strawberry.lazy("schema.utils.metadata_asset")] | None:
        """The column or table; null when the catalog does not hold it."""
        return await info.context.load.asset_about("classifications", self.id, self.asset_fqn)

    @edge
    async def run(
        self, info: Info
    ) -> Annotated["WorkflowRun", strawberry.lazy("schema.data_readiness.workflow_run")] | None:
        """The run that saw it last."""
        return await info.context.load.run(self.workflow_run_id)


@change
class ClassificationDecision(Change):
    """A decision about a classification."""

    state: ClassificationState = Field(
        description="`confirmed` puts the tag on the asset, `rejected` takes it off if it is there and keeps it from "
        "being proposed again, `suggested` takes a rejection back. `accepted` is for runs alone."
    )


@choice
class SensitivityLevel(StrEnum):
    """How much harm a disclosure does."""

    PUBLIC = "Public"
    """For everybody; only a person decides that."""
    INTERNAL = "Internal"
    """For people of the organization."""
    CONFIDENTIAL = "Confidential"
    """Tells about a person or gives access to one."""
    RESTRICTED = "Restricted"
    """Its disclosure harms lastingly."""


@resource
class TaxonomyTag(Resource):
    """One kind of personal or secret data that the engines look for."""

    tag_fqn: str = Field(description="Such as `PII.Email`.")
    description: str = Field(description="What it is.")
    sensitivity: SensitivityLevel = Field(description="The level that a column of it has at least.")
    is_contextual: bool = Field(description="Whether it counts as personal only beside other data of persons.")
    recognizers: list[str] = Field(description="The recognisers that look for it, each with what it looks at.")
    recognizer_version: str = Field(description="The version of all recognisers together.")
