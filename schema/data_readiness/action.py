"""An action is what to do first about a piece of the catalog: one violation, with how much there is to gain."""

from pydantic import Field

from schema.base import OptionalLong, Resource, resource
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.violation import Severity
from schema.identifiers import UuidText


@resource
class Action(Resource):
    """One thing to mend, ranked by how much the data are used times how much harm it does."""

    rank: int = Field(description="1 for what to do first.")
    impact: float = Field(description="Use times harm, to compare actions of one answer by.")
    what: str = Field(description="What to do, with the value, the row and the repair where they are known.")
    reason: str = Field(description="Why it stands here: how much is wrong, and who uses it.")
    violation_id: UuidText
    asset_fqn: str
    severity: Severity
    assessment_type: AssessmentType
    wrong: OptionalLong = Field(description="How many rows, values or assets are wrong; null when that is not known.")
    of: OptionalLong = Field(description="Of how many.")
    rows: OptionalLong = Field(description="How many rows the table has.")
    references: int = Field(description="How many columns of other tables refer to it.")
    questions: int = Field(description="How many of the latest 500 answers in the project read it.")
