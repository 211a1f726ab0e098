"""The way through litellm, with a module that stands in for it: what it is given, and what its failures become."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from persistence.language_models.litellm import MACHINE
from persistence.language_models.providers import ModelAddress, Models, ModelSettings
from persistence.language_models.retrying import RetryPolicy
from persistence.outbound import OutboundPolicy, OutboundSettings
from schema.talk2data.language_model import Message, ModelError, Prompt, Said, Trouble, Usage

pytestmark = pytest.mark.anyio

KEY = "co-quagga-0123456789"
PROMPT = Prompt([Message("user", "Hi")], 50, {"type": "object"}, temperature=0.0, seed=3)
CHUNKS: tuple[dict[str, Any], ...] = (
    {"choices": [{"delta": {"content": "Hel"}}]},
    {"choices": [{"delta": {"content": "lo"}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}},
)


class _Failure(Exception):
    def __init__(self, status: int | None = None) -> None:
        super().__init__(f"litellm says that the key {KEY} is bad")
        if status is not None:
            self.status_code = status


class _ContextWindowExceededError(_Failure):
    pass


class _Timeout(_Failure):
    pass


class StandIn(ModuleType):
    """Answers with a stream of pieces, after failing as it is told."""

    def __init__(self) -> None:
        super().__init__("litellm")
        self.exceptions = SimpleNamespace(ContextWindowExceededError=_ContextWindowExceededError, Timeout=_Timeout)
        self.asked: list[dict[str, Any]] = []
        self.fails: list[Exception] = []
        self.closed = 0
        self.wait: Callable[[], Any] = lambda: asyncio.sleep(0)

    async def acompletion(self, **given: Any) -> Any:
        """One call."""
        self.asked.append(given)
        await self.wait()
        if self.fails:
            raise self.fails.pop(0)
        if not given.get("stream"):
            answer = {"choices": [{"message": {"content": "Hello"}}]}
            return SimpleNamespace(model_dump=lambda: answer)
        return _Stream(self)


class _Stream:
    def __init__(self, package: StandIn) -> None:
        self._package, self._chunks = package, iter(CHUNKS)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        chunk = next(self._chunks, None)
        if chunk is None:
            raise StopAsyncIteration
        return SimpleNamespace(model_dump=lambda: chunk)

    async def aclose(self) -> None:
        self._package.closed += 1


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """Return what stands in for litellm."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "")  # so that it is put back as it was
    monkeypatch.delenv("LITELLM_LOCAL_MODEL_COST_MAP")
    made = StandIn()
    monkeypatch.setitem(sys.modules, "litellm", made)
    return made


def model(llm_model: str = "litellm/cohere/command", listed: str = "cohere, Bedrock", **given: Any) -> Any:
    """A model that is called through litellm."""

    async def pause(seconds: float) -> None:
        await asyncio.sleep(0)

    settings = ModelSettings(model_litellm=listed, model_seconds=given.pop("model_seconds", 20))
    models = Models(settings, OutboundPolicy(OutboundSettings()), RetryPolicy(settings, pause=pause))
    address = ModelAddress(llm_model, given.pop("provider", None), given.pop("api_base", None))
    return models.chat(address, given.pop("credentials", {"api_key": KEY}))


async def failed(call: Any) -> ModelError:
    """How a call fails."""
    with pytest.raises(ModelError) as caught:
        await call
    assert KEY not in str(caught.value)
    return caught.value


async def test_it_is_called_with_all_that_a_question_has(package: StandIn) -> None:
    chat = model()
    assert await chat.ask(PROMPT) == Said("Hello", Usage(5, 2), is_structured=True)
    (asked,) = package.asked
    assert asked == {
        "model": "cohere/command", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 50,
        "temperature": 0.0, "seed": 3, "stream": True, "stream_options": {"include_usage": True}, "api_key": KEY,
        "response_format": {
            "type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": {"type": "object"}}
        },
        "timeout": 30.0, "num_retries": 0, "max_retries": 0,
    }  # fmt: skip
    assert (chat.name, package.closed) == ("litellm/cohere/command", 1)
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
    assert (package.telemetry, package.drop_params, package.suppress_debug_info) == (False, True, True)


async def test_pieces_and_single_calls_work_as_with_every_model(package: StandIn) -> None:
    assert [part async for part in model().stream(PROMPT)] == [
        "Hel", "lo", Said("Hello", Usage(5, 2), is_structured=True),
    ]  # fmt: skip
    assert (
        await model(provider="litellm", llm_model="cohere/command").complete(PROMPT.messages, max_tokens=1) == "Hello"
    )
    assert "stream" not in package.asked[1]


async def test_what_may_pass_is_tried_again(package: StandIn) -> None:
    package.fails = [_Failure(429), _Timeout(408), _Failure(503)]
    assert (await model().ask(PROMPT)).attempts == 4
    package.fails = [_Failure(400)] * 2
    assert (await model().ask(PROMPT)).is_structured is False


@pytest.mark.parametrize(
    ("failure", "trouble"),
    [
        (_Failure(401), Trouble.REFUSED),
        (_Failure(), Trouble.REFUSED),
        (_ContextWindowExceededError(400), Trouble.TOO_LONG),
    ],
    ids=["refused", "odd", "too long"],
)
async def test_what_will_not_pass_is_told_in_our_own_words(
    package: StandIn, failure: Exception, trouble: Trouble
) -> None:
    package.fails = [failure]
    assert (await failed(model().ask(PROMPT))).trouble is trouble
    assert len(package.asked) == 1


async def test_it_ends_in_time(package: StandIn) -> None:
    package.wait = lambda: asyncio.sleep(600)
    assert (await failed(model(model_seconds=0.2).ask(PROMPT))).trouble is Trouble.SLOW


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"listed": ""}, "STOA_MODEL_LITELLM"),
        ({"llm_model": "litellm/mistral/small"}, "STOA_MODEL_LITELLM"),
        ({"llm_model": "litellm/command"}, "litellm/provider/model"),
        ({"api_base": "http://169.254.169.254/"}, "no address"),
        ({"credentials": {}}, "credentials.api_key"),
        ({"credentials": {"api_key": ""}}, "credentials.api_key"),
        ({"credentials": {"api_key": "a\nb"}}, "credentials.api_key"),
        ({"credentials": {"api_key": "os.environ/HOME"}}, "the credential itself"),
        ({"credentials": {"api_key": "OIDC/file//etc/passwd"}}, "the credential itself"),
        ({"llm_model": "litellm/bedrock/claude"}, "aws_access_key_id"),
    ],
)
def test_what_a_deployment_does_not_allow_is_refused_before_the_package_is_loaded(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], word: str
) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    with pytest.raises(ModelError, match=word):
        model(**given)


@pytest.mark.parametrize("provider", sorted(MACHINE))
def test_a_provider_that_would_take_the_credentials_of_the_machine_is_never_called(provider: str) -> None:
    with pytest.raises(ModelError, match="may not be called"):
        model(f"litellm/{provider}/m", provider)


async def test_amazons_own_credentials_are_passed_and_nothing_else(package: StandIn) -> None:
    given = {"aws_access_key_id": "A", "aws_secret_access_key": "B", "aws_region_name": "eu-central-1"}
    more = given | {"aws_role_name": "admin", "api_base": "http://10.0.0.1", "api_key": KEY}
    await model("litellm/bedrock/claude", credentials=more).ask(PROMPT)
    (asked,) = package.asked
    assert {name: asked[name] for name in given} == given
    assert not {"aws_role_name", "api_base", "api_key"} & set(asked)


async def test_a_deployment_without_the_package_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "litellm", None)
    assert "optional package" in str(await failed(model().ask(PROMPT)))


def test_importing_the_models_does_not_import_the_package() -> None:
    program = "import sys, persistence.language_models.providers; print('litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
