"""Feedback is what the asker thinks of an answer: one rating per turn, which they may change."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from schema.base import Change, Resource, change, choice, resource


@choice
class Rating(StrEnum):
    """Whether an answer helped."""

    THUMBS_UP = "thumbs_up"
    THUMBS_DOWN = "thumbs_down"


@resource
class TurnFeedback(Resource):
    """The asker's rating of a turn."""

    turn_id: str
    rating: Rating
    comment: str | None
    created_at: datetime
    updated_at: datetime


@change
class TurnFeedbackCreate(Change):
    """A rating, which takes the place of an earlier one; a comment left out is taken away."""

    rating: Rating
    comment: Annotated[str, Field(max_length=2000)] | None = None
