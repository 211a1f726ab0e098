"""Defines what the protocols of chat models send and answer: OpenAI-compatible, Azure and Anthropic. Values in,
values out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from typing import Literal as OneOf
from urllib.parse import quote

import httpx
import orjson

from schema.talk2data.language_model import Message, ModelError, Prompt, Said, Trouble, Usage, estimated_tokens

ANTHROPIC_VERSION: Final = "2023-06-01"
TOOL: Final = "answer"
"""The tool that Anthropic's models are made to call, so that its input keeps to the schema."""
END: Final = "[DONE]"
"""What an OpenAI-compatible stream says last."""


@dataclass(frozen=True, slots=True)
class Target:
    """A model and where it is."""

    provider: str
    model: str
    base: httpx.URL
    key: str | None = field(repr=False)
    version: str | None


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request as a protocol puts it."""

    url: httpx.URL
    headers: dict[str, str] = field(repr=False)
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class AcceptedParameters:
    """Holds which of the newer parts of a protocol a provider takes, as far as it is known: all, until one is
    refused.
    """

    schema: OneOf["schema", "object", "none"] = "schema"
    """How it is held to a schema: by the schema itself, to some JSON object, or by what the messages say alone."""
    temperature: bool = True
    seed: bool = True
    stream_usage: bool = True
    tokens: OneOf["max_tokens", "max_completion_tokens"] = "max_tokens"


def narrower(
    form: AcceptedParameters, prompt: Prompt, provider: str, parameter: str | None
) -> AcceptedParameters | None:
    """Return what to try after a provider refused a call as malformed, and perhaps named a parameter; None: nothing
    is left.

    Many servers speak an older state of the protocol, and newer models refuse older parameters.
    """
    is_warm = prompt.temperature is not None and form.temperature
    if parameter == "temperature" and is_warm:
        return replace(form, temperature=False)
    if provider == "anthropic":
        if prompt.schema is not None and form.schema != "none":
            return replace(form, schema="none")
        return replace(form, temperature=False) if is_warm else None
    if parameter == "max_tokens" and form.tokens == "max_tokens":
        return replace(form, tokens="max_completion_tokens")
    if parameter == "seed" and form.seed:
        return replace(form, seed=False)
    if parameter in ("stream_options", "stream_options.include_usage") and form.stream_usage:
        return replace(form, stream_usage=False)
    if prompt.schema is not None and form.schema == "schema":
        return replace(form, schema="object")
    if prompt.schema is not None and form.schema == "object":
        return replace(form, schema="none")
    if form.stream_usage:
        return replace(form, stream_usage=False, seed=False)
    return replace(form, temperature=False) if is_warm else None


def call_of(
    target: Target, prompt: Prompt, form: AcceptedParameters | None = None, *, stream: bool = False
) -> ModelRequest:
    """The request that asks a model."""
    form = form or AcceptedParameters()
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream" if stream else "application/json"}
    if target.provider == "anthropic":
        headers |= {"x-api-key": target.key or "", "anthropic-version": target.version or ANTHROPIC_VERSION}
        body = _anthropic(target, prompt, form)
        return ModelRequest(below(target.base, "/messages"), headers, body | ({"stream": True} if stream else {}))
    body = _openai(prompt, form)
    if stream:
        body["stream"] = True
        if form.stream_usage:
            body["stream_options"] = {"include_usage": True}
    if target.provider == "azure":
        path = f"/openai/deployments/{quote(target.model, safe='')}/chat/completions"
        url = below(target.base, path).copy_merge_params({"api-version": target.version or ""})
        return ModelRequest(url, headers | {"api-key": target.key or ""}, body)
    if target.key is not None:
        headers["Authorization"] = f"Bearer {target.key}"
    return ModelRequest(below(target.base, "/chat/completions"), headers, body | {"model": target.model})


def _openai(prompt: Prompt, form: AcceptedParameters) -> dict[str, Any]:
    body: dict[str, Any] = {"messages": _said(prompt.messages), form.tokens: prompt.max_tokens}
    if prompt.temperature is not None and form.temperature:
        body["temperature"] = prompt.temperature
    if prompt.seed is not None and form.seed:
        body["seed"] = prompt.seed
    if prompt.schema is not None and form.schema == "schema":
        named = {"name": TOOL, "strict": True, "schema": dict(prompt.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": named}
    elif prompt.schema is not None and form.schema == "object":
        body["response_format"] = {"type": "json_object"}
    return body


def _anthropic(target: Target, prompt: Prompt, form: AcceptedParameters) -> dict[str, Any]:
    system = "\n\n".join(message.content for message in prompt.messages if message.role == "system")
    body: dict[str, Any] = {
        "model": target.model,
        "max_tokens": prompt.max_tokens,
        "messages": _said([message for message in prompt.messages if message.role != "system"]),
    }
    if system:
        body["system"] = system
    if prompt.temperature is not None and form.temperature:
        body["temperature"] = min(prompt.temperature, 1.0)
    if prompt.schema is not None and form.schema != "none":
        tool = {"name": TOOL, "description": "Gives the answer.", "input_schema": dict(prompt.schema)}
        body |= {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}
    return body


def _said(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def below(base: httpx.URL, path: str) -> httpx.URL:
    """An address under another."""
    raw = base.raw_path.decode().rstrip("/")
    return base.copy_with(raw_path=(raw + path).encode())


class ResponseReader:
    """An answer as it comes in: events of a stream, or the whole at once."""

    def __init__(self, provider: str) -> None:
        self._is_anthropic = provider == "anthropic"
        self._pieces: list[str] = []
        self._prompt_tokens: int | None = None
        self._answer_tokens: int | None = None
        self._finish: str | None = None
        self._ended = False
        self._understood = False

    def take(self, event: Any) -> str:
        """The piece of text that an event brings. Raises ModelError for one that is none of the protocol."""
        if event == END and not self._is_anthropic:
            self._ended = True
            return ""
        if not isinstance(event, dict):
            raise _no_answer()
        if event.get("error"):  # a failure in the middle of a stream, after the status was sent
            raise ModelError("The provider broke off its answer. Try again later.", Trouble.BUSY)
        piece = self._anthropic(event) if self._is_anthropic else self._openai(event)
        if piece:
            self._pieces.append(piece)
        return piece

    @property
    def is_over(self) -> bool:
        """Return whether the answer is whole, though more may come about it, such as its count of tokens."""
        return self._understood and self._ended

    def said(self, prompt: Prompt, form: AcceptedParameters, attempts: int) -> Said:
        """The whole, once no more comes. Raises ModelError when the end is missing."""
        if not self._understood:
            raise _no_answer()
        if not self._ended:
            raise ModelError("The provider's answer broke off. Try again.", Trouble.BUSY)
        text = "".join(self._pieces)
        return Said(text, self._usage(prompt, text), self._finish == "length", _is_held(prompt, form), attempts)

    def _usage(self, prompt: Prompt, text: str) -> Usage:
        told, answered = self._prompt_tokens, self._answer_tokens
        if told is not None and answered is not None:
            return Usage(told, answered)
        asked = sum(estimated_tokens(message.content) + 4 for message in prompt.messages)
        return Usage(asked if told is None else told, estimated_tokens(text) if answered is None else answered, True)

    def _openai(self, event: Mapping[str, Any]) -> str:
        usage = event.get("usage")
        if isinstance(usage, dict):
            self._prompt_tokens = _count(usage.get("prompt_tokens"), self._prompt_tokens)
            self._answer_tokens = _count(usage.get("completion_tokens"), self._answer_tokens)
        choices = event.get("choices")
        if not isinstance(choices, list):
            raise _no_answer()
        if not choices:  # the last event, which has the usage alone, or Azure's first, about content filters
            return ""
        choice = choices[0]
        part = choice.get("delta", choice.get("message")) if isinstance(choice, dict) else None
        if not isinstance(part, dict):
            raise _no_answer()
        self._understood = True
        if isinstance(finish := choice.get("finish_reason"), str):
            self._finish, self._ended = finish, True
        if "message" in choice:
            self._ended = True
        return _text(part.get("content"))

    def _anthropic(self, event: Mapping[str, Any]) -> str:
        kind = event.get("type")
        if kind == "message":
            return self._message(event)
        if kind == "message_start" and isinstance(message := event.get("message"), dict):
            self._understood = True
            self._count_anthropic(message.get("usage"))
        elif kind == "content_block_delta" and isinstance(delta := event.get("delta"), dict):
            piece = delta.get(
                {"text_delta": "text", "input_json_delta": "partial_json"}.get(str(delta.get("type")), "")
            )
            return piece if isinstance(piece, str) else ""
        elif kind == "message_delta":
            self._count_anthropic(event.get("usage"))
            if isinstance(delta := event.get("delta"), dict):
                self._finish = "length" if delta.get("stop_reason") == "max_tokens" else "stop"
                self._ended = True
        elif kind == "message_stop":
            self._ended = True
        elif not isinstance(kind, str):
            raise _no_answer()
        return ""

    def _message(self, answer: Mapping[str, Any]) -> str:
        parts = answer.get("content")
        if not isinstance(parts, list):
            raise _no_answer()
        self._understood = self._ended = True
        self._finish = "length" if answer.get("stop_reason") == "max_tokens" else "stop"
        self._count_anthropic(answer.get("usage"))
        blocks = [part for part in parts if isinstance(part, dict)]
        for block in blocks:
            if block.get("type") == "tool_use" and isinstance(block.get("input"), dict):
                return orjson.dumps(block["input"]).decode()
        return "".join(_text([block]) for block in blocks)

    def _count_anthropic(self, usage: Any) -> None:
        if not isinstance(usage, dict):
            return
        read = [usage.get(f"{kind}input_tokens") for kind in ("", "cache_creation_", "cache_read_")]
        if _count(read[0], None) is not None:
            self._prompt_tokens = sum(_count(one, 0) or 0 for one in read)
        self._answer_tokens = _count(usage.get("output_tokens"), self._answer_tokens)


def _is_held(prompt: Prompt, form: AcceptedParameters) -> bool:
    return prompt.schema is not None and form.schema != "none"


def _text(content: Any) -> str:
    """The text of a message's content, which is a text or a list of parts; one token may hold no text at all."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def _count(value: Any, standing: int | None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else standing


def _no_answer() -> ModelError:
    return ModelError(
        "The provider's answer is not one of a chat model. Check api_base and the provider.", Trouble.SHAPE
    )
