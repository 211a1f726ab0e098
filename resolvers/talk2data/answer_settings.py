"""What a project asks of its answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from resolvers.context import Context
from schema.talk2data.chat_settings import UNSURE, AnswerDrafter


@dataclass(frozen=True, slots=True)
class ChosenModel:
    """A language model that drafts queries."""

    config: Mapping[str, Any]
    """Which one: `llm_model`, `provider`, `api_base`, `api_version`, and `credentials_secret`, the secret of the
    project that holds its key."""
    candidates: int = 1
    """How many drafts are voted on by their results."""
    window: int | None = None
    """How many tokens it takes."""


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How careful answers are. None asks for nothing."""

    model: ChosenModel | None = None
    """Who drafts queries; None for the planner, which needs no model."""
    unsure_below: float = UNSURE
    """The confidence below which an answer says that it may be wrong."""
    warn_below: Decimal | None = None
    """The quality score of a table below which an answer warns."""
    refuse_below: Decimal | None = None
    """The quality score of a table below which a question is refused."""


async def answer_settings(ctx: Context) -> AnswerSettings:
    """What the selected project asks of its answers."""
    kept = await ctx.store.read(lambda shelves: shelves.chat_settings.of(ctx.scope))
    model = None
    if kept.drafter is AnswerDrafter.MODEL:
        names = ("llm_model", "provider", "api_base", "api_version", "credentials_secret")
        model = ChosenModel({name: getattr(kept, name) for name in names}, kept.candidates, kept.window)
    return AnswerSettings(
        model=model,
        unsure_below=kept.unsure_below,
        warn_below=None if kept.warn_below is None else Decimal(kept.warn_below),
        refuse_below=None if kept.refuse_below is None else Decimal(kept.refuse_below),
    )
