"""Language models of users, over HTTP: one port, three protocols (OpenAI-compatible, Azure, Anthropic).

Names follow the common multi-provider client: `provider/model`, `api_base`, `api_version`, `credentials {api_key}`.
Every connection goes through the outbound policy, no redirect is followed, and answers are read up to a bound. Nothing
that a provider says is repeated: its text may hold the key that it was sent.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol
from urllib.parse import quote

import httpx
import orjson
from pydantic import BaseModel, Field

from persistence.outbound import OutboundPolicy, RefusedAddress, ResponseTooLarge, http_client, read_bounded

MOST_ANSWER: Final = 4_194_304
ANTHROPIC_VERSION: Final = "2023-06-01"

BASES: Final[dict[str, str]] = {
    "openai": "https://api.openai.com/v1",
    "mistral": "https://api.mistral.ai/v1",
    "groq": "https://api.groq.com/openai/v1",
    "deepseek": "https://api.deepseek.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
    "anthropic": "https://api.anthropic.com/v1",
    "ollama": "http://localhost:11434/v1",
}
"""Where each provider's API is when nobody says otherwise."""
COMPATIBLE: Final = ("openai", "openai_like", "ollama", "vllm", "mistral", "groq", "deepseek", "gemini")
PROVIDERS: Final = (*COMPATIBLE, "azure", "anthropic")
KEYLESS: Final = ("openai_like", "ollama", "vllm")
"""Providers that may be reached without a key."""


class ModelSettings(BaseModel):
    """How language models are called."""

    model_timeout: float = Field(30.0, gt=0, le=600, description="Seconds that a language model may take to answer.")


class ModelError(Exception):
    """A model that cannot be used, with a sentence that is safe to show."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; `role` is system, user or assistant."""

    role: str
    content: str


class ChatModel(Protocol):
    """A language model that answers a conversation."""

    async def complete(self, messages: Sequence[Message], *, max_tokens: int) -> str:
        """The text of the model's answer. Raises ModelError."""


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """Which model is meant and how it is reached."""

    llm_model: str
    provider: str | None = None
    api_base: str | None = None
    api_version: str | None = None


@dataclass(frozen=True, slots=True)
class _Call:
    """One request as a protocol puts it."""

    url: httpx.URL
    headers: dict[str, str]
    body: dict[str, Any]


class Models:
    """Makes clients of language models."""

    def __init__(self, settings: ModelSettings, policy: OutboundPolicy) -> None:
        self._timeout, self._policy = settings.model_timeout, policy

    def chat(self, address: ModelAddress, credentials: Mapping[str, Any]) -> ChatModel:
        """A model for use. Raises ModelError for a provider that is not known or an address that means nothing."""
        provider, model = provider_of(address)
        key = credentials.get("api_key")
        if key is None and provider not in KEYLESS:
            raise ModelError(f"The provider {provider} needs credentials.api_key.")
        if key is not None and (not isinstance(key, str) or not key or not (key.isascii() and key.isprintable())):
            raise ModelError("credentials.api_key must be plain text, as the provider gave it.")
        if not model:
            raise ModelError("llm_model names a provider and no model. Write it as provider/model.")
        base = _base(address.api_base or BASES.get(provider), provider)
        if provider == "azure" and not address.api_version:
            raise ModelError("Azure needs api_version, such as 2024-10-21.")
        return _HttpModel(self, provider, model, base, key, address.api_version)

    async def post(self, call: _Call) -> Any:
        """Send one request and read the JSON of its answer. Raises ModelError."""
        try:
            async with (
                http_client(self._policy, timeout=self._timeout) as client,
                client.stream("POST", call.url, headers=call.headers, content=orjson.dumps(call.body)) as response,
            ):
                if response.status_code != httpx.codes.OK:
                    raise ModelError(_refusal(response.status_code))
                body = await read_bounded(response, MOST_ANSWER)
        except RefusedAddress as refused:
            raise ModelError(str(refused)) from None
        except ResponseTooLarge:
            raise ModelError("The provider's answer is larger than a model's answer can be. Check api_base.") from None
        except httpx.TimeoutException:
            raise ModelError(
                f"The provider did not answer within {self._timeout:g} seconds. Try again, or check api_base."
            ) from None
        except httpx.HTTPError as failure:
            raise ModelError(f"The provider cannot be reached ({type(failure).__name__}). Check api_base.") from None
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError:
            raise ModelError("The provider did not answer with JSON. Check api_base.") from None


class _HttpModel:
    """A model behind one of the three protocols."""

    def __init__(
        self, models: Models, provider: str, model: str, base: httpx.URL, key: str | None, version: str | None
    ) -> None:
        self._models, self._provider, self._model = models, provider, model
        self._base, self._key, self._version = base, key, version

    async def complete(self, messages: Sequence[Message], *, max_tokens: int) -> str:
        """The text of the model's answer. Raises ModelError."""
        answer = await self._models.post(self._call(messages, max_tokens))
        text = _text_of(answer, self._provider)
        if text is None:
            raise ModelError("The provider's answer is not one of a chat model. Check api_base and the provider.")
        return text

    def _call(self, messages: Sequence[Message], max_tokens: int) -> _Call:
        said = [{"role": message.role, "content": message.content} for message in messages]
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._provider == "anthropic":
            system = "\n\n".join(message.content for message in messages if message.role == "system")
            body: dict[str, Any] = {
                "model": self._model,
                "max_tokens": max_tokens,
                "messages": [one for one in said if one["role"] != "system"],
            }
            headers |= {"x-api-key": self._key or "", "anthropic-version": self._version or ANTHROPIC_VERSION}
            return _Call(_below(self._base, "/messages"), headers, body | ({"system": system} if system else {}))
        body = {"messages": said, "max_tokens": max_tokens}
        if self._provider == "azure":
            path = f"/openai/deployments/{quote(self._model, safe='')}/chat/completions"
            url = _below(self._base, path).copy_merge_params({"api-version": self._version or ""})
            return _Call(url, headers | {"api-key": self._key or ""}, body)
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        return _Call(_below(self._base, "/chat/completions"), headers, body | {"model": self._model})


def provider_of(address: ModelAddress) -> tuple[str, str]:
    """The provider and the provider's own name of the model. Raises ModelError for a provider that is not known."""
    head, slash, tail = address.llm_model.partition("/")
    named = (address.provider or "").strip().lower()
    if named:
        if named not in PROVIDERS:
            raise ModelError(f"The provider is not known. Use one of: {', '.join(PROVIDERS)}.")
        return named, tail if slash and head.lower() == named else address.llm_model
    if slash and head.lower() in PROVIDERS:
        return head.lower(), tail
    if slash:
        raise ModelError(f"llm_model starts with an unknown provider. Use one of: {', '.join(PROVIDERS)}.")
    if address.llm_model.lower().startswith("claude"):
        return "anthropic", address.llm_model
    return "openai", address.llm_model


def _base(given: str | None, provider: str) -> httpx.URL:
    if given is None:
        raise ModelError(f"The provider {provider} needs api_base, the address of its API.")
    try:
        url = httpx.URL(given.strip())
    except (httpx.InvalidURL, ValueError):
        raise ModelError("api_base is not an address. Write it as https://host/path.") from None
    if url.scheme not in ("http", "https") or not url.host or url.userinfo or url.query or url.fragment:
        raise ModelError("api_base must be an http or https address without user, query or fragment.")
    return url


def _below(base: httpx.URL, path: str) -> httpx.URL:
    raw = base.raw_path.decode().rstrip("/")
    return base.copy_with(raw_path=(raw + path).encode())


def _text_of(answer: Any, provider: str) -> str | None:
    """The text of an answer; None when it has not the protocol's shape."""
    if not isinstance(answer, dict):
        return None
    if provider == "anthropic":
        parts = answer.get("content")
        if answer.get("type") != "message" or not isinstance(parts, list):
            return None
        texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(text for text in texts if isinstance(text, str))
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return None
    message = choices[0].get("message")
    if not isinstance(message, dict):
        return None
    content = message.get("content")
    return content if isinstance(content, str) else ""  # one token may hold no text at all


_REFUSALS: Final[dict[int, str]] = {
    400: "The provider refused the request as malformed. Check llm_model, api_version and api_base.",
    401: "The provider refused the credentials. Check credentials.api_key.",
    402: "The provider wants to be paid first. Check the account that the key belongs to.",
    403: "The credentials are known to the provider, and may not use this model.",
    404: "The provider does not know this model, or there is no API at this address. Check llm_model and api_base.",
    408: "The provider took too long. Try again.",
    429: "The provider's rate limit or quota is used up. Try again later, or check the account.",
}


def _refusal(status: int) -> str:
    if status in _REFUSALS:
        return _REFUSALS[status]
    if math.floor(status / 100) == 3:
        return "The provider redirects elsewhere, and credentials are not sent after a redirect. Correct api_base."
    if status >= 500:
        return f"The provider failed (HTTP {status}). Try again later."
    return f"The provider refused the call (HTTP {status}). Check llm_model and api_base."
