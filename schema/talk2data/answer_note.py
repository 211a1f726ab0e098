"""A note tells the stewards of a project what somebody found wrong with an answer."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from schema.base import Change, Maybe, Resource, change, choice, resource
from schema.identifiers import UuidText


@choice
class NoteStatus(StrEnum):
    """Where a note stands. It is opened by a thumbs-down with a comment, and closed by a steward."""

    OPEN = "open"
    RESOLVED = "resolved"
    """Something was done about it."""
    DISMISSED = "dismissed"
    """Nothing had to be done."""


@resource
class AnswerNote(Resource):
    """What somebody found wrong with an answer, with the question and the query behind it."""

    id: UuidText
    turn_id: UuidText = Field(description="The turn that was rated.")
    question: str = Field(description="What was asked.")
    sql: str | None = Field(description="The query that was drafted; null when there was none.")
    comment: str = Field(description="What is wrong, in the words of who asked.")
    status: NoteStatus
    resolution: str | None = Field(description="What a steward did about it.")
    created_by: str = Field(description="Who asked and rated.")
    created_at: datetime
    closed_by: str | None = Field(description="The steward who closed it; null while it is open.")
    closed_at: datetime | None = Field(description="When it was closed; null while it is open.")
    updated_at: datetime


@change
class AnswerNoteChange(Change):
    """What a steward decides about a note. Set back to open, it loses its resolution."""

    status: NoteStatus
    resolution: Maybe[Annotated[str, Field(max_length=2000, description="What was done about it.")] | None] = None


@change
class TurnCorrection(Change):
    """The query that would have answered the question."""

    sql: Annotated[str, Field(min_length=1, max_length=20_000, description="One query, in the source's dialect.")]
    question: (
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=2000,
                description="The question in words that stand alone; the turn's own words when left out.",
            ),
        ]
        | None
    ) = None
