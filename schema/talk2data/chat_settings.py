"""Defines how a project wants to be answered: who drafts the queries, and how good the data must be."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, PrivateAttr

from schema.base import Change, Resource, change, choice, resource

MOST_CANDIDATES = 7
UNSURE = 0.8
"""As `make quality` measures it on questions of strangers: of the answers above, about one in ten is wrong."""

Least = Annotated[
    str,
    Field(
        pattern=r"^(0(\.[0-9]{1,4})?|1(\.0{1,4})?)$",
        description="A decimal number from 0 to 1, such as 0.8, that quality scores are compared with.",
    ),
]
ModelName = Annotated[str, Field(min_length=1, max_length=255, description="`provider/model`, or the model alone.")]
ShortName = Annotated[str, Field(min_length=1, max_length=255)]
Address = Annotated[str, Field(min_length=1, max_length=1000)]


@choice
class AnswerDrafter(StrEnum):
    """Who drafts queries."""

    PLANNER = "planner"
    """The planner of the platform, which needs no model and no network."""
    MODEL = "model"
    """A language model."""


@resource
class ChatSettings(Resource):
    """How the answers of a project are made. A project that has set nothing has the defaults."""

    drafter: AnswerDrafter = Field(AnswerDrafter.PLANNER, description="Who drafts queries.")
    llm_model: str | None = Field(None, description="The language model, when a model drafts.")
    provider: str | None = Field(None, description="Its provider, when the model's name does not say it.")
    api_base: str | None = Field(None, description="Where its API is, when that is not the provider's own address.")
    api_version: str | None = Field(None, description="The version of the API, for providers that want it.")
    credentials_secret: str | None = Field(None, description="The name of the project's secret that holds the key.")
    candidates: int = Field(1, description="How many queries a model drafts for a question; their results vote.")
    window: int | None = Field(None, description="How many tokens the model takes; null for a cautious guess.")
    unsure_below: float = Field(UNSURE, description="The confidence below which an answer says that it may be wrong.")
    warn_below: str | None = Field(None, description="The quality score of a table's data below which an answer warns.")
    refuse_below: str | None = Field(None, description="The quality score of a table's data below which none is given.")
    updated_by: str | None = Field(None, description="Who set it last; null for the defaults.")
    updated_at: datetime | None = Field(None, description="When it was set last; null for the defaults.")

    _authors: dict[str, Any] | None = PrivateAttr(default=None)


@change
class ChatSettingsChange(Change):
    """How a project wants to be answered. What is left out goes back to its default."""

    drafter: AnswerDrafter = Field(AnswerDrafter.PLANNER, description="Who drafts queries.")
    llm_model: ModelName | None = Field(None, description="The language model, needed when a model drafts.")
    provider: ShortName | None = Field(None, description="Its provider, when the model's name does not say it.")
    api_base: Address | None = Field(None, description="Where its API is, when not at the provider's own address.")
    api_version: ShortName | None = Field(None, description="The version of the API, for providers that want it.")
    credentials_secret: ShortName | None = Field(
        None, description="The name of the project's secret that holds the key."
    )
    candidates: Annotated[
        int, Field(ge=1, le=MOST_CANDIDATES, description=f"How many queries vote, 1 to {MOST_CANDIDATES}.")
    ] = 1
    window: Annotated[int, Field(ge=2000, le=2_000_000, description="Tokens, 2,000 to 2,000,000.")] | None = None
    unsure_below: Annotated[float, Field(ge=0, le=1, description="From 0 to 1.")] = UNSURE
    warn_below: Least | None = None
    refuse_below: Least | None = None
