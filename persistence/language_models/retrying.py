"""Defines how a language model is asked with patience: what is tried again, when, and how often.

An answer is read as a stream, so that silence is noticed before the whole time is over. What may pass (a provider that
is overloaded, a connection that breaks off) is tried again, with growing pauses and within one deadline; never once a
piece of the answer was passed on. A provider that refuses a newer part of its protocol is asked without it.
"""

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, Final

from pydantic import BaseModel, Field

from persistence.language_models.protocols import AcceptedParameters, ResponseReader, narrower
from schema.talk2data.language_model import Message, ModelError, Prompt, Said, Trouble

MOST_FORMS: Final = 6
"""How often a request is put in another form because the provider refuses a part of it."""
LONGEST_PAUSE: Final = 30.0
AGAIN: Final = frozenset({408, 409, 429})
"""Refusals that may pass, beside failures of the provider."""


class ModelSettings(BaseModel):
    """How language models are called."""

    model_timeout: float = Field(30.0, gt=0, le=600, description="Seconds that a language model may take to answer.")
    model_seconds: float = Field(
        120.0, gt=0, le=3600, description="Seconds that an answer of a language model may take in all, with repeats."
    )
    model_retries: int = Field(
        3, ge=0, le=10, description="How often a language model that is busy or drops the connection is asked again."
    )
    model_litellm: str = Field(
        "",
        max_length=2000,
        description="Comma-separated providers that may be called through litellm (`litellm/provider/model`), which "
        "makes connections of its own: the rules for outbound addresses do not bind it. Empty: none.",
    )


class Passing(ModelError):
    """A failure that may pass, and when the provider says to come again."""

    def __init__(self, message: str, trouble: Trouble = Trouble.BUSY, after: float | None = None) -> None:
        super().__init__(message, trouble)
        self.after = after


class Malformed(ModelError):
    """The provider does not take the request in this form; it may name the parameter."""

    def __init__(self, message: str, parameter: str | None) -> None:
        super().__init__(message, Trouble.REFUSED)
        self.parameter = parameter


class RetryPolicy:
    """Describes how often, how long and with which pauses a model is tried."""

    def __init__(
        self,
        settings: ModelSettings,
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.wait, self.total, self.retries = settings.model_timeout, settings.model_seconds, settings.model_retries
        self.pause, self._chance = pause, chance

    def before(self, attempt: int, after: float | None) -> float | None:
        """Seconds to wait before an attempt, from the second; None when the provider asks for more than is bearable.

        They double, and half of them is chance, so that many who failed together do not come again together. What the
        provider says is the least.
        """
        grown = min(0.5 * 2.0 ** (attempt - 2), 8.0)
        seconds = max(grown * (0.5 + self._chance() / 2), after or 0.0)
        return seconds if seconds <= LONGEST_PAUSE else None


class RetryingModel(ABC):
    """A model that is asked with patience. Who implements it makes one call."""

    def __init__(self, name: str, protocol: str, patience: RetryPolicy) -> None:
        self.name = name[:200]
        self._protocol, self._patience = protocol, patience
        self._form = AcceptedParameters()

    @abstractmethod
    def _events(
        self, prompt: Prompt, form: AcceptedParameters, deadline: float, *, stream: bool
    ) -> AsyncGenerator[Any, None]:
        """Return what the provider sends to one call, event by event; an answer that is not streamed is one event.

        `deadline` is in the time of the running loop. Raises ModelError.
        """

    async def complete(self, messages: Sequence[Message], *, max_tokens: int) -> str:
        """The text of the model's answer to a single call. Raises ModelError."""
        prompt = Prompt(messages, max_tokens)
        hearing = ResponseReader(self._protocol)
        deadline = asyncio.get_running_loop().time() + self._patience.total
        async with aclosing(self._events(prompt, AcceptedParameters(), deadline, stream=False)) as events:
            async for event in events:
                hearing.take(event)
        return hearing.said(prompt, AcceptedParameters(), 1).text

    async def ask(self, prompt: Prompt) -> Said:
        """The whole answer. It is streamed, so that silence is noticed, and tried again wherever it breaks off."""
        said: str | Said = ""
        async with aclosing(self._tried(prompt, whole=True)) as parts:
            async for part in parts:
                said = part
        assert isinstance(said, Said)  # the last part, or an exception before it
        return said

    async def stream(self, prompt: Prompt) -> AsyncGenerator[str | Said, None]:
        """The answer piece by piece, and last the whole. Nothing is tried again once a piece was passed on."""
        async with aclosing(self._tried(prompt, whole=False)) as parts:
            async for part in parts:
                yield part

    async def _tried(self, prompt: Prompt, *, whole: bool) -> AsyncGenerator[str | Said, None]:
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._patience.total
        attempt, forms, is_passed = 1, 1, False
        while True:
            form = self._form
            hearing = ResponseReader(self._protocol)
            try:
                async with aclosing(self._events(prompt, form, deadline, stream=True)) as events:
                    async for event in events:
                        piece = hearing.take(event)
                        if piece and not whole:
                            is_passed = True
                            yield piece
                said = hearing.said(prompt, form, attempt)
            except Malformed as refused:
                changed = narrower(form, prompt, self._protocol, refused.parameter)
                if changed is None or forms >= MOST_FORMS:
                    raise
                # The next question to this model begins with the form that it takes.
                self._form, forms = changed, forms + 1
                continue
            except ModelError as failure:
                if hearing.is_over and failure.trouble in (Trouble.BUSY, Trouble.SLOW):
                    yield hearing.said(prompt, form, attempt)  # only the end of the stream is missing
                    return
                if is_passed or attempt > self._patience.retries or failure.trouble not in (Trouble.BUSY, Trouble.SLOW):
                    raise
                attempt += 1
                seconds = self._patience.before(attempt, failure.after if isinstance(failure, Passing) else None)
                if seconds is None or clock() + seconds >= deadline:
                    raise
            else:
                yield said
                return
            await self._patience.pause(seconds)
