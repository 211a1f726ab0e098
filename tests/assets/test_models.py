"""The check of a model's credentials, over real HTTP, in the shapes of the three protocols."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest

from persistence.language_models.providers import BASES, COMPATIBLE, ModelAddress, ModelError, provider_of
from resolvers.assets.models import verify_model
from schema.assets.model_check import ModelVerify
from tests.doors import Door
from tests.support.http_stub import Asked, HttpStub, Reply, http_stub
from tests.world import World

pytestmark = pytest.mark.anyio

KEY = "sk-quagga-0123456789"
CHAT = {"choices": [{"message": {"role": "assistant", "content": "Hello"}}]}
MESSAGE = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hello"}]}


class Script:
    """What the provider answers next."""

    def __init__(self) -> None:
        self.reply: Callable[[Asked], Reply] = lambda asked: (200, {}, orjson.dumps(CHAT))

    def says(self, status: int, body: Any, **headers: str) -> None:
        """Answer everything with this."""
        content = body if isinstance(body, bytes) else orjson.dumps(body)
        self.reply = lambda asked: (status, headers, content)


@pytest.fixture
def script() -> Script:
    """Return what the provider answers."""
    return Script()


@pytest.fixture
def provider(script: Script) -> Iterator[HttpStub]:
    """A provider that follows the script."""
    with http_stub(lambda asked: script.reply(asked)) as stub:
        yield stub


def given(stub: HttpStub, llm_model: str = "openai/gpt", **fields: Any) -> ModelVerify:
    """A model behind the stub."""
    body = {"llm_model": llm_model, "credentials": {"api_key": KEY}, "api_base": f"{stub.url}/v1"} | fields
    return ModelVerify.model_validate(body)


@pytest.mark.parametrize("name", COMPATIBLE)
async def test_an_openai_compatible_provider_gets_one_call_of_one_token(
    world: World, door: Door, provider: HttpStub, name: str
) -> None:
    answer = await door(verify_model, world.owner, model=given(provider, f"{name}/org/model-1"))
    assert (answer["verified"], answer["message"]) == (True, "The model answered.")
    assert answer["latency_ms"] > 0
    (asked,) = provider.asked
    assert (asked.method, asked.path, asked.query) == ("POST", "/v1/chat/completions", {})
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    body = {"model": "org/model-1", "max_tokens": 1, "messages": [{"role": "user", "content": "Hi"}]}
    assert orjson.loads(asked.body) == body


async def test_a_local_server_needs_no_key(world: World, door: Door, provider: HttpStub) -> None:
    answer = await door(verify_model, world.owner, model=given(provider, "ollama/llama3", credentials={}))
    assert answer["verified"] is True
    assert "authorization" not in provider.asked[0].headers


async def test_azure_is_asked_by_deployment_and_version(world: World, door: Door, provider: HttpStub) -> None:
    model = given(provider, "azure/my gpt", api_base=provider.url, api_version="2024-10-21")
    assert (await door(verify_model, world.owner, model=model))["verified"] is True
    (asked,) = provider.asked
    assert asked.path == "/openai/deployments/my%20gpt/chat/completions"
    assert asked.query == {"api-version": "2024-10-21"}
    assert asked.headers["api-key"] == KEY
    assert "authorization" not in asked.headers
    assert orjson.loads(asked.body) == {"max_tokens": 1, "messages": [{"role": "user", "content": "Hi"}]}


async def test_anthropic_is_asked_in_its_own_protocol(
    world: World, door: Door, provider: HttpStub, script: Script
) -> None:
    script.says(200, MESSAGE)
    model = given(provider, "claude-x", provider="Anthropic")
    assert (await door(verify_model, world.owner, model=model))["verified"] is True
    (asked,) = provider.asked
    assert (asked.path, asked.headers["x-api-key"], asked.headers["anthropic-version"]) == (
        "/v1/messages",
        KEY,
        "2023-06-01",
    )
    assert orjson.loads(asked.body) == {
        "model": "claude-x",
        "max_tokens": 1,
        "messages": [{"role": "user", "content": "Hi"}],
    }


@pytest.mark.parametrize(
    ("status", "word"),
    [(400, "malformed"), (401, "refused the credentials"), (402, "paid"), (403, "may not use"), (404, "does not know"),
     (408, "too long"), (418, "HTTP 418"), (429, "quota"), (500, "HTTP 500"), (503, "HTTP 503"), (301, "redirects")],
)  # fmt: skip
async def test_a_refusal_is_told_in_our_own_words_and_never_in_the_providers(
    world: World, door: Door, provider: HttpStub, script: Script, status: int, word: str
) -> None:
    script.says(status, {"error": f"bad key {KEY}"}, Location=f"{provider.url}/elsewhere?{KEY}")
    answer = await door(verify_model, world.owner, model=given(provider))
    assert (answer["verified"], answer["latency_ms"]) == (False, None)
    assert word in answer["message"]
    assert door.last is not None
    assert KEY not in door.last.text
    assert len(provider.asked) == 1, "no redirect is followed"


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"",
        [],
        {},
        {"choices": []},
        {"choices": [1]},
        {"choices": [{"text": "x"}]},
        MESSAGE,
        b"x" * 5_000_000,
    ],
    ids=lambda body: str(body)[:20],
)
async def test_what_is_no_chat_answer_verifies_nothing(
    world: World, door: Door, provider: HttpStub, script: Script, body: Any
) -> None:
    script.says(200, body)
    answer = await door(verify_model, world.owner, model=given(provider))
    assert (answer["verified"], answer["latency_ms"]) == (False, None)
    assert "api_base" in answer["message"]


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"llm_model": "acme/model"}, "unknown provider"),
        ({"provider": "acme"}, "not known"),
        ({"llm_model": "openai/"}, "no model"),
        ({"credentials": {}}, "api_key"),
        ({"credentials": {"api_key": 7}}, "plain text"),
        ({"credentials": {"api_key": "a\r\nX: y"}}, "plain text"),
        ({"llm_model": "azure/m"}, "api_version"),
        ({"llm_model": "vllm/m", "api_base": None}, "api_base"),
        ({"api_base": "ftp://host"}, "http or https"),
        ({"api_base": "http://user:pw@host/"}, "without user"),
        ({"api_base": "http://host/?a=b"}, "without user"),
        ({"api_base": "http://169.254.169.254/latest"}, "metadata service"),
        ({"api_base": "http://[fd00:ec2::254]/"}, "metadata service"),
        ({"api_base": "http://127.1/"}, "plain name"),
        ({"api_base": "http://localhost:1/"}, "cannot be reached"),
    ],
)
async def test_a_model_that_cannot_be_called_is_told_so_without_a_call(
    world: World, door: Door, provider: HttpStub, fields: dict[str, Any], word: str
) -> None:
    answer = await door(verify_model, world.owner, model=given(provider, **fields))
    assert (answer["verified"], answer["latency_ms"]) == (False, None)
    assert word in answer["message"]
    assert provider.asked == []


@pytest.mark.parametrize(
    ("field", "longest"), [("llm_model", 500), ("provider", 100), ("api_base", 1000), ("api_version", 50)]
)
async def test_every_bound_holds_on_both_sides(world: World, door: Door, field: str, longest: int) -> None:
    body = {"llm_model": "openai/m", "credentials": {}, field: "x" * longest}
    assert (await door(verify_model, world.owner, model=ModelVerify.model_validate(body)))["verified"] is False
    refused = await door(
        verify_model, world.owner, model=ModelVerify.model_construct(**body | {field: "x" * (longest + 1)})
    )
    assert (refused, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, field)
    empty = await door(verify_model, world.owner, model=ModelVerify.model_construct(llm_model="", credentials={}))
    assert (empty.status, empty.details["field"]) == (422, "llm_model")


async def test_credentials_leave_no_trace(
    world: World, door: Door, provider: HttpStub, script: Script, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    before = await world.dump()
    for status in (200, 401, 500):
        script.says(status, CHAT if status == 200 else {"error": KEY})
        await door(verify_model, world.owner, model=given(provider))
    after = await world.dump()
    assert len(provider.asked) == 3
    assert after == before
    assert KEY not in str(after)
    assert KEY not in caplog.text


def test_a_model_is_named_by_its_provider_or_by_its_own_name() -> None:
    assert provider_of(ModelAddress("gpt-x")) == ("openai", "gpt-x")
    assert provider_of(ModelAddress("claude-x")) == ("anthropic", "claude-x")
    assert provider_of(ModelAddress("Mistral/small")) == ("mistral", "small")
    assert provider_of(ModelAddress("meta/llama", "openai_like")) == ("openai_like", "meta/llama")
    assert provider_of(ModelAddress("groq/meta/llama", "GROQ")) == ("groq", "meta/llama")
    with pytest.raises(ModelError):
        provider_of(ModelAddress("m", "x"))
    assert all(base.startswith("https://") for name, base in BASES.items() if name != "ollama")
