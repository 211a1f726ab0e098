"""Language models over real HTTP, against a provider that speaks the three protocols and can fail in many ways."""

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from persistence.language_models.providers import ModelAddress, Models, ModelSettings
from persistence.language_models.retrying import LONGEST_PAUSE, RetryPolicy
from persistence.outbound import OutboundPolicy, OutboundSettings
from schema.talk2data.language_model import (
    Message,
    ModelError,
    Prompt,
    Said,
    Trouble,
    Usage,
    estimated_tokens,
)
from tests.support.model_server import (
    Breaks,
    Cuts,
    Ends,
    Fails,
    Hangs,
    ModelServer,
    Says,
    Sends,
    Stalls,
    Step,
    model_server,
)

pytestmark = pytest.mark.anyio

KEY = "sk-quagga-0123456789"
PROTOCOLS = ("openai", "azure", "anthropic")
SCHEMA = {
    "type": "object",
    "properties": {"sql": {"type": "string"}},
    "required": ["sql"],
    "additionalProperties": False,
}
SHORT = Prompt([Message("system", "Be brief."), Message("user", "Hi")], 50)
HELD = Prompt(SHORT.messages, 50, SCHEMA, temperature=0.5, seed=7)


@pytest.fixture(params=PROTOCOLS)
def protocol(request: pytest.FixtureRequest) -> str:
    """Which protocol a test speaks."""
    return str(request.param)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """The provider."""
    with model_server() as standing:
        yield standing


class Pauses(list[float]):
    """The pauses that would have been made."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
def pauses() -> Pauses:
    """The pauses between attempts."""
    return Pauses()


def model(
    server: ModelServer, protocol: str, pauses: Pauses | None = None, chance: float = 1.0, **settings: Any
) -> Any:
    """A model behind the server."""
    given = ModelSettings(**({"model_timeout": 5.0, "model_seconds": 20.0} | settings))
    policy = OutboundPolicy(OutboundSettings(outbound_private=True))
    made = Models(
        given, policy, RetryPolicy(given, pause=Pauses() if pauses is None else pauses, chance=lambda: chance)
    )
    base = server.url if protocol == "azure" else f"{server.url}/v1"
    return made.chat(ModelAddress("small-1", protocol, base, "2024-10-21"), {"api_key": KEY})


async def failed(call: Any) -> ModelError:
    """How a call fails."""
    with pytest.raises(ModelError) as caught:
        await call
    assert KEY not in str(caught.value)
    return caught.value


async def test_an_answer_comes_piece_by_piece_and_whole_at_last(server: ModelServer, protocol: str) -> None:
    server.plays(Says("Grüße, quagga!", usage=(31, 12), pieces=4))
    parts = [part async for part in model(server, protocol).stream(SHORT)]
    assert "".join(part for part in parts[:-1] if isinstance(part, str)) == "Grüße, quagga!"
    assert len(parts) == 5
    assert parts[-1] == Said("Grüße, quagga!", Usage(31, 12))
    (heard,) = server.heard
    assert (heard.protocol, heard.system, heard.user) == (protocol, "Be brief.", "Hi")
    assert heard.body["max_tokens"] == 50
    assert heard.headers["accept"] == "text/event-stream"


async def test_a_key_goes_where_the_protocol_wants_it(server: ModelServer, protocol: str) -> None:
    await model(server, protocol).ask(SHORT)
    (heard,) = server.heard
    name = {"openai": "authorization", "azure": "api-key", "anthropic": "x-api-key"}[protocol]
    assert heard.headers[name] == (f"Bearer {KEY}" if protocol == "openai" else KEY)
    assert KEY not in heard.raw
    assert KEY not in heard.path


async def test_a_server_that_cannot_stream_is_understood_too(server: ModelServer, protocol: str) -> None:
    server.plays(Says("Hello", streams=False))
    assert await model(server, protocol).ask(SHORT) == Said("Hello", Usage(11, 7))


async def test_the_count_is_an_estimate_when_the_provider_tells_none(server: ModelServer, protocol: str) -> None:
    server.mind = lambda heard: Says("Hello there", usage=None, streams=heard.is_streamed and len(server.heard) == 1)
    for _ in range(2):
        said = await model(server, protocol).ask(SHORT)
        assert said.usage == Usage(estimated_tokens("Be brief.") + estimated_tokens("Hi") + 8, 4, is_estimate=True)


async def test_counts_add_up_and_stay_estimates() -> None:
    assert Usage(1, 2) + Usage(10, 20, is_estimate=True) == Usage(11, 22, is_estimate=True)
    assert estimated_tokens("") == 1
    assert estimated_tokens("äöü") == 3


async def test_an_answer_that_ran_into_its_bound_says_so(server: ModelServer, protocol: str) -> None:
    server.mind = lambda heard: Says("Hello", finish="length", streams=len(server.heard) == 1)
    for _ in range(2):
        assert (await model(server, protocol).ask(SHORT)).is_cut is True


async def test_a_schema_holds_the_model_in_the_way_of_its_protocol(server: ModelServer, protocol: str) -> None:
    server.plays(Says('{"sql": "select 1"}'), Says('{"sql":"select 1"}', streams=False))
    chat = model(server, protocol)
    streamed, whole = await chat.ask(HELD), await chat.ask(HELD)
    assert (streamed.text, streamed.is_structured) == ('{"sql": "select 1"}', True)
    assert (whole.text, whole.is_structured) == ('{"sql":"select 1"}', True)
    body = server.heard[0].body
    assert body["temperature"] == 0.5
    if protocol == "anthropic":
        assert body["tools"] == [{"name": "answer", "description": "Gives the answer.", "input_schema": SCHEMA}]
        assert body["tool_choice"] == {"type": "tool", "name": "answer"}
        assert "seed" not in body
    else:
        named = {"name": "answer", "strict": True, "schema": SCHEMA}
        assert body["response_format"] == {"type": "json_schema", "json_schema": named}
        assert body["seed"] == 7


async def test_a_provider_that_knows_no_schema_is_asked_for_plain_json_from_then_on(
    server: ModelServer, protocol: str
) -> None:
    def mind(heard: Any) -> Step:
        return Fails(400) if "tools" in heard.body or "response_format" in heard.body else Says('{"sql": "x"}')

    server.mind = mind
    chat = model(server, protocol)
    for _ in range(2):
        said = await chat.ask(HELD)
        assert (said.text, said.is_structured, said.attempts) == ('{"sql": "x"}', False, 1)
    forms = [heard.body.get("response_format", {}).get("type") for heard in server.heard]
    assert forms == ([None] * 3 if protocol == "anthropic" else ["json_schema", "json_object", None, None])


@pytest.mark.parametrize("name", ["max_tokens", "temperature", "seed", "stream_options"])
async def test_a_parameter_that_a_provider_refuses_by_name_is_left_out(server: ModelServer, name: str) -> None:
    def mind(heard: Any) -> Step:
        return Fails(400, error={"param": name, "message": KEY}) if name in heard.body else Says('{"sql": "x"}')

    server.mind = mind
    said = await model(server, "openai").ask(HELD)
    assert said.is_structured is True
    assert said.usage.is_estimate is (name == "stream_options")
    before, after = (heard.body for heard in server.heard)
    assert set(before) - set(after) == {name}
    assert set(after) - set(before) == ({"max_completion_tokens"} if name == "max_tokens" else set())


async def test_a_provider_that_refuses_every_form_is_asked_a_few_times_only(server: ModelServer, protocol: str) -> None:
    server.mind = lambda heard: Fails(400, error={"message": KEY})
    failure = await failed(model(server, protocol).ask(HELD))
    assert (failure.trouble, "malformed" in str(failure)) == (Trouble.REFUSED, True)
    assert len(server.heard) == (3 if protocol == "anthropic" else 5)


async def test_a_parameter_is_known_by_the_words_of_a_refusal_too(server: ModelServer, protocol: str) -> None:
    def mind(heard: Any) -> Step:
        return (
            Fails(400, error={"message": "`temperature` is deprecated"}) if "temperature" in heard.body else Says("{}")
        )

    server.mind = mind
    said = await model(server, protocol).ask(HELD)
    assert (said.is_structured, len(server.heard)) == (True, 2)
    server.mind = lambda heard: (
        Sends(b'{"message": "seed is not known"}', status=422) if "seed" in heard.body else Says("{}")
    )
    if protocol != "anthropic":
        assert (await model(server, protocol).ask(HELD)).is_structured is True


@pytest.mark.parametrize("then", ["cut", "silence"])
async def test_an_answer_is_whole_though_its_stream_never_ends(
    server: ModelServer, pauses: Pauses, protocol: str, then: str
) -> None:
    server.plays(Hangs("Hello", drops=then == "cut"))
    said = await model(server, protocol, pauses, model_timeout=1).ask(SHORT)
    assert (said.text, said.attempts, pauses) == ("Hello", 1, [])
    assert len(server.heard) == 1


@pytest.mark.parametrize(
    "fails",
    [
        Fails(400, error={"code": "context_length_exceeded"}),
        Fails(400, error={"type": "invalid_request_error", "message": "Prompt is too long: 210000 tokens"}),
        Fails(413),
    ],
    ids=["code", "words", "status"],
)
async def test_a_question_that_does_not_fit_the_window_is_told_apart(server: ModelServer, fails: Fails) -> None:
    server.mind = lambda heard: fails
    failure = await failed(model(server, "openai").ask(HELD))
    assert failure.trouble is Trouble.TOO_LONG
    assert len(server.heard) == 1


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_what_may_pass_is_tried_again(server: ModelServer, pauses: Pauses, status: int) -> None:
    server.plays(Fails(status), Fails(status), Says("Hello"))
    said = await model(server, "openai", pauses).ask(SHORT)
    assert (said.text, said.attempts) == ("Hello", 3)
    assert pauses == [0.5, 1.0]


@pytest.mark.parametrize("status", [301, 401, 402, 403, 404, 418])
async def test_what_will_not_pass_is_not_tried_again(server: ModelServer, pauses: Pauses, status: int) -> None:
    server.plays(Fails(status, {"Location": server.url}, {"message": KEY}), Says("Hello"))
    assert (await failed(model(server, "openai", pauses).ask(SHORT))).trouble is Trouble.REFUSED
    assert (len(server.heard), pauses) == (1, [])


async def test_the_number_of_attempts_is_bounded(server: ModelServer, pauses: Pauses, protocol: str) -> None:
    server.mind = lambda heard: Fails(503)
    failure = await failed(model(server, protocol, pauses, model_retries=5).ask(SHORT))
    assert (failure.trouble, str(failure)) == (Trouble.BUSY, "The provider failed (HTTP 503). Try again later.")
    assert len(server.heard) == 6
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0]
    server.heard.clear()
    await failed(model(server, protocol, pauses, model_retries=0).ask(SHORT))
    assert len(server.heard) == 1


async def test_half_of_a_pause_is_chance(server: ModelServer, pauses: Pauses) -> None:
    server.mind = lambda heard: Fails(500)
    await failed(model(server, "openai", pauses, chance=0.0).ask(SHORT))
    assert pauses == [0.25, 0.5, 1.0]


@pytest.mark.parametrize("written", ["7", "7.5", "date", "soon", "-3", "0", "nan", ""])
async def test_what_the_provider_says_of_when_to_come_again_is_the_least_pause(
    server: ModelServer, pauses: Pauses, written: str
) -> None:
    value = format_datetime(datetime.now(UTC) + timedelta(seconds=9)) if written == "date" else written
    server.plays(Fails(429, {"Retry-After": value}), Says("Hello"))
    await model(server, "openai", pauses).ask(SHORT)
    (pause,) = pauses
    if written == "date":
        assert 6 < pause <= 9
    else:
        assert pause == {"7": 7.0, "7.5": 7.5}.get(written, 0.5)


async def test_a_provider_that_wants_to_be_left_alone_for_long_is_not_waited_for(
    server: ModelServer, pauses: Pauses
) -> None:
    server.plays(Fails(429, {"Retry-After": str(int(LONGEST_PAUSE) + 1)}), Says("Hello"))
    failure = await failed(model(server, "openai", pauses, model_seconds=3000).ask(SHORT))
    assert "quota" in str(failure)
    assert (len(server.heard), pauses) == (1, [])


async def test_no_pause_reaches_beyond_the_time_that_an_answer_may_take(server: ModelServer, pauses: Pauses) -> None:
    server.plays(Fails(429, {"Retry-After": "20"}), Says("Hello"))
    await failed(model(server, "openai", pauses, model_seconds=15).ask(SHORT))
    assert (len(server.heard), pauses) == (1, [])


@pytest.mark.parametrize(
    "step",
    [Cuts("Hello", None), Cuts("Hello", 0), Cuts("Hello", 2), Ends("Hello"), Breaks("Hello")],
    ids=["before the status", "before the text", "in the text", "without an end", "told as a failure"],
)
async def test_a_dropped_connection_is_tried_again_wherever_it_breaks(
    server: ModelServer, pauses: Pauses, protocol: str, step: Step
) -> None:
    server.plays(step, Says("Hello"))
    said = await model(server, protocol, pauses).ask(SHORT)
    assert (said.text, said.attempts, len(pauses)) == ("Hello", 2, 1)


@pytest.mark.parametrize("step", [Cuts("Hello", 1), Ends("Hello"), Breaks("Hello")], ids=["cut", "ended", "broken"])
async def test_nothing_is_tried_again_once_a_piece_was_passed_on(
    server: ModelServer, pauses: Pauses, protocol: str, step: Step
) -> None:
    server.plays(step, Says("Another answer"))
    parts: list[Any] = []

    async def listen() -> None:
        async for part in model(server, protocol, pauses).stream(SHORT):
            parts.append(part)

    assert (await failed(listen())).trouble is Trouble.BUSY
    assert "".join(parts) in ("He", "Hell")
    assert (len(server.heard), pauses) == (1, [])


async def test_a_stream_is_tried_again_as_long_as_no_piece_was_passed_on(server: ModelServer, protocol: str) -> None:
    server.plays(Fails(500), Cuts("Hello", 0), Says("Hello"))
    parts = [part async for part in model(server, protocol).stream(SHORT)]
    assert "".join(parts[:-1]) == "Hello"
    assert parts[-1].attempts == 3


@pytest.mark.parametrize("after", [None, 1], ids=["at once", "in the middle"])
async def test_silence_ends_an_attempt(server: ModelServer, pauses: Pauses, protocol: str, after: int | None) -> None:
    server.plays(Stalls(after=after), Says("Hello"))
    said = await model(server, protocol, pauses, model_timeout=1).ask(SHORT)
    assert (said.text, said.attempts) == ("Hello", 2)
    server.plays(Stalls(after=after))
    failure = await failed(model(server, protocol, pauses, model_timeout=1, model_retries=0).ask(SHORT))
    assert (failure.trouble, "within 1 second" in str(failure)) == (Trouble.SLOW, True)


async def test_all_attempts_together_end_in_time(server: ModelServer, protocol: str) -> None:
    server.mind = lambda heard: Stalls()
    started = time.monotonic()
    failure = await failed(model(server, protocol, model_timeout=60, model_seconds=2, model_retries=9).ask(SHORT))
    assert failure.trouble is Trouble.SLOW
    assert len(server.heard) == 1
    assert time.monotonic() - started < 30


async def test_a_call_that_is_given_up_ends_at_once(server: ModelServer, protocol: str) -> None:
    server.mind = lambda heard: Stalls(after=1)
    task = asyncio.create_task(model(server, protocol, model_timeout=60).ask(SHORT))
    while not server.heard:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 20)


@pytest.mark.parametrize(
    "sends",
    [
        Sends(b"<html>", "text/html"),
        Sends(b""),
        Sends(b"[]"),
        Sends(b"{}"),
        Sends(b'{"choices": []}'),
        Sends(b'{"choices": [{"text": "x"}]}'),
        Sends(b'{"type": "message", "content": 7}'),
        Sends(b"data: {nothing\n\n", "text/event-stream"),
        Sends(b"data: 7\n\n", "text/event-stream"),
        Sends(b"data: [DONE]\n\n", "text/event-stream"),
        Sends(b"", "text/event-stream"),
        Sends(b": nothing\n\n", "text/event-stream"),
        Sends(b"data: " + b"x" * 2_000_000, "text/event-stream"),
        Sends(b"data: {}\n\n" * 500_000, "text/event-stream"),
        Sends(b"x" * 5_000_000),
        Sends(b"{}", headers={"Content-Encoding": "gzip"}),
        Sends(b"data: {}\n\n", "text/event-stream", headers={"Content-Encoding": "gzip"}),
    ],
    ids=range(17),
)
async def test_what_is_no_answer_is_refused_without_another_attempt(
    server: ModelServer, protocol: str, sends: Sends
) -> None:
    server.mind = lambda heard: sends
    assert (await failed(model(server, protocol).ask(SHORT))).trouble is Trouble.SHAPE
    assert len(server.heard) == 1


async def test_parts_of_a_content_and_events_without_a_last_empty_line_are_understood(server: ModelServer) -> None:
    server.plays(
        Sends(
            b'{"choices": [{"message": {"content": [{"type": "text", "text": "He"}, {"type": "text", "text": "y"}]}}]}'
        )
    )
    assert (await model(server, "openai").ask(SHORT)).text == "Hey"
    server.plays(
        Sends(b'data:{"choices":\ndata: [{"delta": {"content": "Hey"}}]}\n\ndata: [DONE]', "text/event-stream")
    )
    assert (await model(server, "openai").ask(SHORT)).text == "Hey"


async def test_counts_that_are_none_are_not_believed(server: ModelServer) -> None:
    for count in ("true", "-1", '"7"', "1e3", "99999999999"):
        body = '{"choices": [{"message": {"content": "Hi"}}], "usage": {"prompt_tokens": %s, "completion_tokens": 2}}'
        server.plays(Sends((body % count).encode()))
        usage = (await model(server, "openai").ask(SHORT)).usage
        assert (usage.is_estimate, usage.answer_tokens) == (True, 2)


async def test_cached_tokens_of_a_prompt_count(server: ModelServer) -> None:
    usage = b'{"input_tokens": 3, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 2}'
    server.plays(Sends(b'{"type": "message", "content": [{"type": "text", "text": "Hi"}], "usage": ' + usage + b"}"))
    assert (await model(server, "anthropic").ask(SHORT)).usage == Usage(15, 2)


async def test_a_single_call_is_never_repeated(server: ModelServer, protocol: str) -> None:
    server.plays(Fails(503), Says("Hello"))
    chat = model(server, protocol)
    await failed(chat.complete(SHORT.messages, max_tokens=5))
    assert len(server.heard) == 1
    assert await chat.complete(SHORT.messages, max_tokens=5) == "Hello"
    assert not server.heard[1].is_streamed


async def test_an_address_that_may_not_be_reached_is_refused_before_anything_is_sent(server: ModelServer) -> None:
    settings = ModelSettings()
    models = Models(settings, OutboundPolicy(OutboundSettings()))
    chat = models.chat(ModelAddress("m", "openai", server.url), {"api_key": KEY})
    failure = await failed(chat.ask(SHORT))
    assert "STOA_OUTBOUND_ALLOW" in str(failure)
    assert server.heard == []


async def test_a_provider_that_is_not_there_is_tried_again(server: ModelServer, pauses: Pauses) -> None:
    given = ModelSettings()
    policy = OutboundPolicy(OutboundSettings(outbound_private=True))
    models = Models(given, policy, RetryPolicy(given, pause=pauses, chance=lambda: 1.0))
    failure = await failed(models.chat(ModelAddress("m", "ollama", "http://localhost:1"), {}).ask(SHORT))
    assert (failure.trouble, "cannot be reached" in str(failure)) == (Trouble.BUSY, True)
    assert len(pauses) == 3
