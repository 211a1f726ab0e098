"""A run as other systems read it: events of OpenLineage."""

from pydantic import Field

from schema.base import JsonObjects, Resource, resource
from schema.identifiers import UuidText


@resource
class RunOpenLineage(Resource):
    """What a run has come to so far, as events that any consumer of OpenLineage takes."""

    run_id: UuidText
    events: JsonObjects = Field(
        description="START, and COMPLETE, FAIL or ABORT once it has ended, as OpenLineage 2-0-2 has them; none of a "
        "run that has not begun."
    )
    hidden: int = Field(description="How many tables it was planned for that the caller may not read. None is named.")
    complete: bool = Field(description="False where it was planned for more than 500 tables; the first are told.")
