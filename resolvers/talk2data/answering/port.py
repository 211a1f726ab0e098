"""The port to whoever answers questions: a question goes in, events come out one by one.

An engine is begun again when its process died, and is told then what it has told already (`told`); it yields only what
comes after. It yields `done` or `error` last, or just ends, which is `done`. What it raises fails the turn: JobError,
ApiError and ConnectorError with their message, anything else with a neutral sentence. It is cancelled when the turn is.

What `data` must hold: message_delta `delta`, a piece of text; artifact the fields of a `TurnArtifact` (`resource_uri`
and `artifact_type` at least); task_update `message`, and `data` if wanted; error `message`; sql, result and done
whatever the engine wants to show, as JSON.
"""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from resolvers.context import Context
from schema.talk2data.turn import ChatMessage
from schema.talk2data.turn_event import TurnEventType


@dataclass(frozen=True, slots=True)
class Question:
    """Holds what was asked, and in which conversation."""

    session_id: str
    turn_id: str
    task_id: str
    message: str
    context: dict[str, Any] | None
    """The question's `datasources`, `artifacts` and `attachments`; whether its asker may read them is for the engine
    to check."""
    history: Sequence[ChatMessage]
    """The last messages of the session's earlier turns, oldest first."""


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """One event of an answer."""

    event: TurnEventType
    data: dict[str, Any] = field(default_factory=dict)


class TurnEngine(Protocol):
    """Answers questions."""

    name: str
    """What the task updates name as their agent."""

    def answer(
        self, ctx: Context, question: Question, told: Sequence[AnswerEvent]
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Answer on behalf of the caller of the context."""
