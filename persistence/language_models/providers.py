"""Language models of users: one port, three protocols over HTTP (OpenAI-compatible, Azure, Anthropic), and litellm.

Names follow the common multi-provider client: `provider/model`, `api_base`, `api_version`, `credentials {api_key}`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import httpx

from persistence.language_models.http import HttpModel
from persistence.language_models.litellm import litellm_model
from persistence.language_models.protocols import Target
from persistence.language_models.retrying import ModelSettings, RetryPolicy
from persistence.outbound import OutboundPolicy
from schema.talk2data.language_model import LanguageModel, Message, ModelError

__all__ = [
    "BASES",
    "COMPATIBLE",
    "KEYLESS",
    "PROVIDERS",
    "ChatModel",
    "Message",
    "ModelAddress",
    "ModelError",
    "ModelSettings",
    "Models",
    "provider_of",
]

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
LITELLM: Final = "litellm"
PROVIDERS: Final = (*COMPATIBLE, "azure", "anthropic", LITELLM)
KEYLESS: Final = ("openai_like", "ollama", "vllm")
"""Providers that may be reached without a key."""


class ChatModel(LanguageModel, Protocol):
    """A language model that answers a conversation."""

    async def complete(self, messages: Sequence[Message], *, max_tokens: int) -> str:
        """The text of the model's answer to one call that is never repeated. Raises ModelError."""


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """Holds which model is meant and how it is reached."""

    llm_model: str
    provider: str | None = None
    api_base: str | None = None
    api_version: str | None = None


class Models:
    """Makes clients of language models."""

    def __init__(self, settings: ModelSettings, policy: OutboundPolicy, patience: RetryPolicy | None = None) -> None:
        self._policy, self._patience, self._litellm = policy, patience or RetryPolicy(settings), settings.model_litellm

    def chat(self, address: ModelAddress, credentials: Mapping[str, Any]) -> ChatModel:
        """A model for use. Raises ModelError for a provider that is not known or an address that means nothing."""
        provider, model = provider_of(address)
        if not model:
            raise ModelError("llm_model names a provider and no model. Write it as provider/model.")
        if provider == LITELLM:
            if address.api_base is not None:
                raise ModelError("litellm is given no address. Leave api_base out, or use openai_like for your own.")
            return litellm_model(model, credentials, self._litellm, self._patience)
        key = credentials.get("api_key")
        if key is None and provider not in KEYLESS:
            raise ModelError(f"The provider {provider} needs credentials.api_key.")
        if key is not None and (not isinstance(key, str) or not key or not (key.isascii() and key.isprintable())):
            raise ModelError("credentials.api_key must be plain text, as the provider gave it.")
        base = _base(address.api_base or BASES.get(provider), provider)
        if provider == "azure" and not address.api_version:
            raise ModelError("Azure needs api_version, such as 2024-10-21.")
        return HttpModel(Target(provider, model, base, key, address.api_version), self._policy, self._patience)


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
