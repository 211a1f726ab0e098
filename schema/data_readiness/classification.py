"""A classification is a tag that an engine finds on a column or table, with its evidence and what people decided."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final

import strawberry
from pydantic import Field
from strawberry.scalars import JSON

from schema.base import Resource, choice, resource
from schema.identifiers import UuidText

JsonObjects = Annotated[list[dict[str, Any]], strawberry.field(graphql_type=list[JSON])]


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
    CONFIRMED = "confirmed"
    REJECTED = "rejected"


CATEGORIES: Final = {
    ClassificationKind.PII: "PII",
    ClassificationKind.SENSITIVITY: "Sensitivity",
    ClassificationKind.DQ: "DataQuality",
}
"""The category of the tags of each kind; a tag's FQN is `<category>.<name>`."""


@resource
class Classification(Resource):
    """One tag of one asset, as the engines see it."""

    id: UuidText
    asset_fqn: str
    resource_uri: str
    kind: ClassificationKind
    tag_fqn: str = Field(description="Such as `PII.Email` or `Sensitivity.Restricted`.")
    state: ClassificationState
    confidence: float = Field(description="The combined and calibrated score, 0 to 1.")
    evidence: JsonObjects = Field(
        description="What speaks for it: `recognizer`, `source` (values, name, type, comment, neighbours), `share` of "
        "the sample (0 to 1), `weight`, `reason`. No value of the data stands in it."
    )
    recognizer_version: str = Field(description="The version of the recognisers that found it.")
    data_fingerprint: str = Field(description="Changes when the sampled data or the column's description does.")
    workflow_run_id: UuidText = Field(description="The run that saw it last.")
    decided_by: str | None
    decided_at: datetime | None
    created_at: datetime
    updated_at: datetime
