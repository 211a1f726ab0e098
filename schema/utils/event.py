"""An event says that something has become true of a project; it is kept, listed, streamed and sent to webhooks."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final

from pydantic import Field

from schema.base import JsonObject, Resource, Size, choice, resource
from schema.data_readiness.violation import Severity
from schema.identifiers import UuidText

SPEC_VERSION: Final = "1.0"
"""Of CloudEvents, as which an event is sent."""
TYPE_PREFIX: Final = "stoa."
"""What the type of a CloudEvent begins with."""


@choice
class EventType(StrEnum):
    """What can happen. Further types may be added; who receives events passes over those that it does not know."""

    RUN_STARTED = "run.started"
    """A run of a workflow has planned what it reads, and begins; again where it is tried again. Unless it sends
    OpenLineage, a webhook is told only where its `types` name it.
    """
    RUN_ENDED = "run.ended"
    """A run of a workflow completed, failed or was canceled; `data.status` says which."""
    VIOLATION_OPENED = "violation.opened"
    """Something wrong was found that was not known."""
    VIOLATION_REOPENED = "violation.reopened"
    """Something that was resolved, or held for a false positive, is open again."""
    VIOLATION_RESOLVED = "violation.resolved"
    """A violation is resolved, by a run that no longer finds it or by somebody; or is held for a false positive."""
    SCORE_FELL = "score.fell"
    """A run has lowered the score of a table's data: from `data.score_before` to `data.score`."""
    SCHEMA_CHANGED = "schema.changed"
    """A table that the catalog knew has other columns in its source, or is gone there with all that it was in."""
    PERSONAL_DATA_FOUND = "personal_data.found"
    """Columns of a table were recognised as personal data for the first time."""
    PROPOSALS_WAITING = "proposals.waiting"
    """A run has completed, and what it proposes waits for a decision."""
    CONNECTION_BROKE = "connection.broke"
    """A verification of a data connection failed that did not fail before."""
    TERM_APPROVED = "term.approved"
    """A term of the glossary was approved."""
    BUDGET_NEARLY_SPENT = "budget.nearly_spent"
    """Somebody has a tenth left, or less, of the calls of a kind that a minute has for them; at most once an hour."""
    WEBHOOK_TEST = "webhook.test"
    """Somebody has asked for a test of a webhook. It goes to that webhook alone."""


ONLY_BY_NAME: Final = frozenset({EventType.RUN_STARTED})
"""What nobody is told who asks for all types: it calls for nothing, and there is as much of it as of what ends."""

Domain = Annotated[str, Field(min_length=1, max_length=255, description="Such as `Sales`, of the tag `Domain.Sales`.")]


@resource
class PlatformEvent(Resource):
    """Something that became true. It never changes; whoever receives it twice knows it by its id."""

    id: UuidText
    sequence: Size = Field(description="Its place among the events of its project: 1, 2, 3, without a gap.")
    type: EventType
    organization_id: str
    project_id: str
    asset_fqn: str | None = Field(description="The dotted name of what it is about; null where that is no asset.")
    severity: Severity | None = Field(description="How bad it is; null where that is no question.")
    domain: str | None = Field(
        description="`Sales` when the asset, or the nearest that it is in, has the tag `Domain.Sales`."
    )
    occurred_at: datetime = Field(description="When it became true.")
    data: JsonObject = Field(description="What there is to say of this type; names and figures, never rows.")

    @property
    def event(self) -> str:
        """The name of the event in a stream."""
        return self.type.value


def cloud_event(event: PlatformEvent) -> dict[str, Any]:
    """The event as CloudEvents 1.0 in its JSON format; `severity` and `domain` are extensions, left out where null."""
    optional = {"subject": event.asset_fqn, "severity": event.severity, "domain": event.domain}
    return {
        "specversion": SPEC_VERSION,
        "id": event.id,
        "source": f"/organizations/{event.organization_id}/projects/{event.project_id}",
        "type": f"{TYPE_PREFIX}{event.type.value}",
        "time": event.occurred_at.isoformat().replace("+00:00", "Z"),
        "datacontenttype": "application/json",
        "sequence": f"{event.sequence:019d}",
        **{name: value for name, value in optional.items() if value is not None},
        "data": event.data,
    }
