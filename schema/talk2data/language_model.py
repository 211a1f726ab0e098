"""The port to a language model: what is asked, what comes back, and what it cost. Every adapter and every user of it
speaks in these values; `persistence/language_models/providers.py` has the adapters."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class Trouble(StrEnum):
    """Why a model gave no answer that can be used."""

    ADDRESS = "address"
    """The model, its address or its credentials are not given as they must be."""
    REFUSED = "refused"
    """The provider refuses the call, and would refuse it again."""
    BUSY = "busy"
    """The provider is overloaded, failed, or dropped the connection; it may pass."""
    SLOW = "slow"
    """No answer in time."""
    SHAPE = "shape"
    """What came back is not an answer in the provider's protocol."""
    TOO_LONG = "too_long"
    """What was asked does not fit the model's window."""


class ModelError(Exception):
    """A model that cannot be used, with a sentence that is safe to show."""

    def __init__(self, message: str, trouble: Trouble = Trouble.ADDRESS) -> None:
        super().__init__(message)
        self.trouble = trouble


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked."""

    messages: Sequence[Message]
    max_tokens: int
    """How long the answer may be."""
    schema: Mapping[str, Any] | None = None
    """A JSON schema that the answer is to keep to. A provider that knows none is asked without, so the messages must
    say it too, and the answer must be checked."""
    temperature: float | None = None
    seed: int | None = None
    """Left out where a provider knows none."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost, in tokens."""

    prompt_tokens: int
    answer_tokens: int
    is_estimate: bool = False
    """Whether the provider told nothing and the figures are made of the length of the texts."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.answer_tokens + other.answer_tokens,
            self.is_estimate or other.is_estimate,
        )


@dataclass(frozen=True, slots=True)
class Said:
    """A whole answer."""

    text: str
    usage: Usage
    is_cut: bool = False
    """Whether it ends because `max_tokens` was reached."""
    is_structured: bool = False
    """Whether the provider was held to the schema."""
    attempts: int = 1
    """How many calls it took."""


class LanguageModel(Protocol):
    """A language model. Calls are bounded in time and size, and tried again while that may help."""

    name: str
    """The provider and the model, as provenance names them."""

    async def ask(self, prompt: Prompt) -> Said:
        """The whole answer. Raises ModelError."""

    def stream(self, prompt: Prompt) -> AsyncGenerator[str | Said, None]:
        """The answer piece by piece, and last the whole of it. Raises ModelError, also in the middle."""


def estimated_tokens(text: str) -> int:
    """Return how many tokens a text has at most, nearly always: three bytes of UTF-8 make one.

    English prose has four or five bytes to a token, names and JSON about three; so a prompt that was fitted by this
    fits.
    """
    return len(text.encode("utf-8", "surrogatepass")) // 3 + 1
