"""A turn event is one thing that happened while a question was answered; they are stored, in order, as they happen."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from schema.base import JsonObject, Resource, choice, resource


@choice
class TurnEventType(StrEnum):
    """What happened. done and error are last."""

    TASK_UPDATE = "task_update"
    MESSAGE_DELTA = "message_delta"
    SQL = "sql"
    RESULT = "result"
    ARTIFACT = "artifact"
    DONE = "done"
    ERROR = "error"


@resource
class TurnEvent(Resource):
    """One event of a turn; exactly one of a turn has `final`, and it is the last of its stream.

    What `data` holds: task_update a task update; message_delta `delta`, a piece of the answer's text; sql, result and
    whatever else the answering engine tells, its fields; artifact a turn artifact, of rows with `metadata.downloads`,
    the paths that they are had under by format; done `state`, completed or canceled,
    and `message`, and of a question that was asked back its `readings`, as the provenance has them; error `state`
    failed and `message`. An error with `code` and no `state` is none of the turn's: it
    ends the stream of who may not follow any longer, with the `sequence` of the event before.
    """

    sequence: Annotated[int, Field(description="1 for the first event of the turn, then one more each.")]
    event: TurnEventType
    turn_id: str
    task_id: str
    final: bool
    data: JsonObject
    created_at: datetime
