"""Chat models behind the optional package litellm, for providers that speak none of the three protocols.

litellm is imported by the first call and never before: it is large, and would fetch a list of prices at import. It
makes its own connections, so the rules for outbound addresses do not bind it; therefore a deployment lists the
providers that may be called through it (STOA_MODEL_LITELLM), no address can be given, and credentials always must be,
lest litellm takes those of the machine.
"""

import asyncio
import importlib
import os
from collections.abc import AsyncGenerator, Mapping
from typing import Any, Final

import httpx

from persistence.language_models.protocols import END, AcceptedParameters, Target, call_of
from persistence.language_models.retrying import AGAIN, Malformed, Passing, RetryingModel, RetryPolicy
from schema.talk2data.language_model import ModelError, Prompt, Trouble

_AMAZON: Final = ("aws_access_key_id", "aws_secret_access_key", "aws_region_name")
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {"bedrock": _AMAZON}
"""The credentials that a provider needs where that is not `api_key`."""
MACHINE: Final = frozenset({"sagemaker", "vertex_ai", "vertex_ai_beta", "watsonx", "oci", "github_copilot"})
"""Providers for which litellm reads files or takes credentials of the machine whatever it is given: never called."""
_LOOKED_UP: Final = ("os.environ/", "oidc/")
"""How litellm is told to look a credential up on the machine."""


def load() -> Any:
    """The package. Raises ModelError where it is not installed."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    package: Any
    try:
        package = importlib.import_module("litellm")
    except ImportError:
        raise ModelError("This deployment has not the optional package litellm (stoa-platform[litellm]).") from None
    package.telemetry = False
    package.suppress_debug_info = True
    package.drop_params = True  # parameters that a provider does not know are left out
    return package


def litellm_model(model: str, credentials: Mapping[str, Any], listed: str, patience: RetryPolicy) -> "LitellmModel":
    """A model that litellm calls. Raises ModelError when it may not be called, or not like this."""
    provider = model.partition("/")[0].lower()
    if "/" not in model or provider in MACHINE or provider not in {one.strip().lower() for one in listed.split(",")}:
        raise ModelError(
            "This provider may not be called through litellm here. Write one that STOA_MODEL_LITELLM lists as "
            "litellm/provider/model."
        )
    given = {}
    for name in NEEDED.get(provider, ("api_key",)):
        value = credentials.get(name)
        if not isinstance(value, str) or not value or not (value.isascii() and value.isprintable()):
            raise ModelError(f"The provider {provider[:50]} needs credentials.{name}, as plain text.")
        if value.lower().startswith(_LOOKED_UP):
            raise ModelError(f"credentials.{name} must be the credential itself.")
        given[name] = value
    return LitellmModel(model, given, patience)


class LitellmModel(RetryingModel):
    """A model that litellm calls. What it answers has the shape of the OpenAI-compatible protocol."""

    def __init__(self, model: str, credentials: Mapping[str, str], patience: RetryPolicy) -> None:
        super().__init__(f"litellm/{model}", "openai", patience)
        self._model, self._credentials = model, credentials

    async def _events(
        self, prompt: Prompt, form: AcceptedParameters, deadline: float, *, stream: bool
    ) -> AsyncGenerator[Any, None]:
        package = load()
        target = Target("openai", self._model, httpx.URL("https://litellm.invalid"), None, None)
        request = call_of(target, prompt, form, stream=stream).body
        answer = None
        try:
            async with asyncio.timeout_at(deadline):
                answer = await package.acompletion(
                    **request, **self._credentials, timeout=self._patience.wait, num_retries=0, max_retries=0
                )
            if not stream:
                yield answer.model_dump()
                return
            pieces = aiter(answer)
            while True:
                async with asyncio.timeout_at(deadline):
                    piece = await anext(pieces, None)
                if piece is None:
                    break
                yield piece.model_dump()
            yield END
        except TimeoutError:
            raise ModelError(
                f"The provider did not end its answer within {self._patience.total:g} seconds. Try again.", Trouble.SLOW
            ) from None
        except ModelError:
            raise
        except Exception as failure:  # litellm passes on what its many clients raise
            raise _failure(package, failure) from None
        finally:
            if (close := getattr(answer, "aclose", None)) is not None:
                await close()


def _failure(package: Any, failure: Exception) -> ModelError:
    """Return why a call failed, in our own words: litellm's may hold the key."""
    status = getattr(failure, "status_code", None)
    if isinstance(failure, package.exceptions.ContextWindowExceededError):
        return ModelError(
            "The question with what must be known for it is longer than the model takes.", Trouble.TOO_LONG
        )
    if isinstance(failure, package.exceptions.Timeout):
        return Passing("The provider took too long. Try again.", Trouble.SLOW)
    if not isinstance(status, int):
        return ModelError(f"The provider cannot be called ({type(failure).__name__}).", Trouble.REFUSED)
    if status in AGAIN or status >= 500:
        return Passing(f"The provider is busy or failed (HTTP {status}). Try again later.")
    if status in (400, 422):
        return Malformed("The provider refused the request as malformed. Check llm_model.", None)
    return ModelError(
        f"The provider refused the call (HTTP {status}). Check llm_model and credentials.", Trouble.REFUSED
    )
