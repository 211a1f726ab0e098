"""Defines what quality is measured by: dimensions, the metrics of each, and the results that runs leave (contract
2.9, 4.3).
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from schema.base import Change, JsonObject, Maybe, Resource, Size, change, choice, resource
from schema.identifiers import UuidText
from schema.naming import Name, ShortName
from schema.node import deletion

DefinitionName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=64,
        pattern=r"^[a-z][a-z0-9_]*$",
        description="1 to 64 characters: a letter a-z, then a-z, 0-9 and `_`; unique where it stands.",
    ),
]
DefinitionId = Annotated[str, Field(min_length=36, max_length=36, description="A UUID.")]
Words = Annotated[str, Field(max_length=1000)]
Weight = Annotated[
    str,
    Field(
        max_length=20,
        pattern=r"^[0-9]{1,7}(\.[0-9]{1,4})?$",
        description="A decimal number from 0 as a string, with 4 decimal places at most, such as `1.5`.",
    ),
]


@choice
class AssessmentType(StrEnum):
    """What a dimension assesses: the description of the data, or the data itself."""

    METADATA = "metadata"
    DATA_QUALITY = "data_quality"


@resource
class DimensionReference(Resource):
    """A dimension as others name it."""

    id: UuidText
    name: str
    assessment_type: AssessmentType
    display_name: str | None


@resource
class Dimension(Resource):
    """One side of quality, such as completeness. Its weight counts in the overall score of a scorecard."""

    id: UuidText
    name: str
    fqn: str = Field(description="The assessment type and the name, dotted.")
    assessment_type: AssessmentType
    display_name: str | None
    purpose: str | None
    description: str | None
    weight: str = Field(description="A decimal number; set once, so that a scorecard of the past stays what it was.")
    is_built_in: bool = Field(description="Stands in every project and cannot be changed.")

    def reference(self) -> DimensionReference:
        """The dimension as others name it."""
        return DimensionReference(
            id=self.id, name=self.name, assessment_type=self.assessment_type, display_name=self.display_name
        )


@resource
class MetricDefinition(Resource):
    """What is counted for a dimension: how many of how many."""

    id: UuidText
    dimension_id: UuidText
    name: str
    fqn: str = Field(description="The dimension's fqn and the name, dotted.")
    display_name: str | None
    unit: str | None = Field(description="What is counted, such as `values` or `assets`.")
    purpose: str | None
    description: str | None
    is_built_in: bool = Field(description="Stands in every project and cannot be changed.")


@resource
class MetricResult(Resource):
    """One measurement of a metric on an asset by a run. It never changes."""

    id: UuidText
    metric_definition_id: UuidText
    dimension_id: UuidText
    asset_fqn: str
    workflow_run_id: UuidText
    numerator: Size = Field(description="How many are good.")
    denominator: Size = Field(description="Out of how many; 0 when there was nothing to measure.")
    score: str | None = Field(
        None, description="A decimal number with 4 places, rounded half to even; null over nothing."
    )
    measured_at: datetime
    details: JsonObject


@deletion("id")
class DefinitionDeleted(Resource):
    """The answer to a deletion of a definition."""

    id: UuidText
    deleted: bool


@change
class DimensionCreate(Change):
    """A dimension of the project's own."""

    name: DefinitionName
    assessment_type: AssessmentType
    display_name: Name | None = None
    purpose: Words | None = None
    description: Words | None = None
    weight: Weight = "1.0000"


@change
class DimensionChange(Change):
    """What may change of a dimension of one's own. A field left out stays."""

    display_name: Maybe[Name | None] = None
    purpose: Maybe[Words | None] = None
    description: Maybe[Words | None] = None


@change
class MetricDefinitionCreate(Change):
    """A metric of the project's own, in a built-in dimension or one of its own."""

    dimension_id: DefinitionId
    name: DefinitionName
    display_name: Name | None = None
    unit: ShortName | None = None
    purpose: Words | None = None
    description: Words | None = None


@change
class MetricDefinitionChange(Change):
    """What may change of a metric of one's own. A field left out stays."""

    display_name: Maybe[Name | None] = None
    unit: Maybe[ShortName | None] = None
    purpose: Maybe[Words | None] = None
    description: Maybe[Words | None] = None
