"""A turn is one question in a session and everything that came of it: messages, task updates, artifacts."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import strawberry
from pydantic import AfterValidator, Field

from schema.base import Change, Info, JsonObject, OptionalJsonObject, Resource, change, choice, edge, resource
from schema.node import entity
from schema.talk2data.feedback import TurnFeedback

if TYPE_CHECKING:
    from schema.talk2data.session import ChatSession

MOST_REFERENCES = 50
"""How many data sources, artifacts or attachments a question may name."""

LONGEST_READING_ID = 64


@choice
class TurnState(StrEnum):
    """Where a turn stands. It is created, then working, and ends completed, failed or canceled."""

    CREATED = "created"
    WORKING = "working"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELED = "canceled"


@choice
class TaskState(StrEnum):
    """Where the task behind a turn stands."""

    SUBMITTED = "submitted"
    WORKING = "working"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELED = "canceled"


@choice
class MessageRole(StrEnum):
    """Who wrote a message."""

    USER = "user"
    ASSISTANT = "assistant"


@choice
class MessageType(StrEnum):
    """What a message is."""

    TEXT = "text"


@choice
class TurnOrder(StrEnum):
    """In which order turns are listed: asc has the first question first."""

    ASC = "asc"
    DESC = "desc"


@resource
class ChatMessage(Resource):
    """What one side said. `generated_artifacts` are the resource URIs of what an answer produced."""

    message_id: str
    turn_id: str
    role: MessageRole
    content: str
    message_type: MessageType
    task_id: str
    created_at: datetime
    generated_artifacts: list[str]
    context: OptionalJsonObject


@resource
class TaskUpdate(Resource):
    """One step of the task behind a turn. `final` says that no further update of this task follows."""

    id: str
    turn_id: str
    task_id: str
    state: TaskState
    final: bool
    message: str | None
    data: JsonObject
    agent: str | None
    created_at: datetime


@resource
class TurnArtifact(Resource):
    """Something that a turn produced; the resource behind the URI has permissions of its own."""

    resource_uri: str
    artifact_type: str
    artifact_title: str | None
    artifact_description: str | None
    metadata: JsonObject
    created_at: datetime


@entity("turn_id", kept_in="turns")
class Turn(Resource):
    """A question and what came of it so far."""

    turn_id: str
    state: TurnState
    messages: list[ChatMessage]
    feedback: TurnFeedback | None
    task_updates: list[TaskUpdate]

    @edge
    async def artifacts(self, info: Info) -> list[TurnArtifact]:
        """What this turn produced."""
        return await info.context.load.artifacts_of_turn(self.turn_id)

    @edge
    async def session(self, info: Info) -> Annotated["ChatSession", strawberry.lazy("schema.talk2data.session")] | None:
        """The session that it is a turn of."""
        return await info.context.load.session_of_turn(self.turn_id)


@resource
class StartedTurn(Resource):
    """The answer to a question is being worked on under this task; follow the turn's stream."""

    session_id: str
    turn_id: str
    task_id: str
    state: TurnState


@resource
class CanceledTask(Resource):
    """A task that was canceled."""

    task_id: str
    session_id: str
    turn_id: str
    state: TaskState


Reference = Annotated[str, Field(min_length=1, max_length=800)]
References = Annotated[list[Reference], Field(max_length=MOST_REFERENCES)]


@change
class TurnContext(Change):
    """What a question is about, named by resource URIs or FQNs. An answer uses what its asker may read of it."""

    datasources: Annotated[References, Field(description="Data to answer from, 50 at most.")] = Field(
        default_factory=list
    )
    artifacts: Annotated[References, Field(description="Artifacts that the question refers to, 50 at most.")] = Field(
        default_factory=list
    )
    attachments: Annotated[References, Field(description="Files that come with the question, 50 at most.")] = Field(
        default_factory=list
    )


def not_blank(value: str) -> str:
    """The text itself, or ValueError when it holds nothing but white space."""
    if not value.strip():
        raise ValueError("it must hold more than white space")
    return value


@change
class TurnCreate(Change):
    """A question."""

    message: Annotated[
        str,
        Field(min_length=1, max_length=10_000, description="1 to 10,000 characters, not only white space."),
        AfterValidator(not_blank),
    ]
    reading_id: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=LONGEST_READING_ID,
            description="The reading to answer, of a question of this session that was asked back; the message is kept "
            "and says nothing more.",
        ),
    ] = None
    context: TurnContext | None = None
