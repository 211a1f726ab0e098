"""Chat models over HTTP: one call and its stream.

Every connection goes through the outbound policy, no redirect is followed, and answers are read up to a bound. Nothing
that a provider says is repeated: its text may hold the key that it was sent.
"""

import asyncio
import math
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx
import orjson

from persistence.language_models.protocols import END, AcceptedParameters, ModelRequest, Target, call_of
from persistence.language_models.retrying import AGAIN, Malformed, Passing, RetryingModel, RetryPolicy
from persistence.outbound import OutboundPolicy, RefusedAddress, ResponseTooLarge, http_client, read_bounded
from schema.talk2data.language_model import ModelError, Prompt, Trouble

MOST_ANSWER: Final = 4_194_304
MOST_LINE: Final = 1_048_576
MOST_REFUSAL: Final = 65_536
"""How much of a refusal is read to learn which parameter it is about."""


class HttpModel(RetryingModel):
    """A model behind one of the three protocols."""

    def __init__(self, target: Target, policy: OutboundPolicy, patience: RetryPolicy) -> None:
        super().__init__(f"{target.provider}/{target.model}", target.provider, patience)
        self._target, self._policy = target, policy

    async def _events(
        self, prompt: Prompt, form: AcceptedParameters, deadline: float, *, stream: bool
    ) -> AsyncGenerator[Any, None]:
        async with self._opened(call_of(self._target, prompt, form, stream=stream), deadline) as response:
            if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
                async with self._told(deadline):
                    body = await read_bounded(response, MOST_ANSWER)
                yield _json(body)
                return
            async with aclosing(_data_of(response)) as events:
                while True:
                    async with self._told(deadline):
                        data = await anext(events, None)
                    if data is None:
                        return
                    yield END if data == END.encode() else _json(data)

    @asynccontextmanager
    async def _opened(self, call: ModelRequest, deadline: float) -> AsyncIterator[httpx.Response]:
        """The response to a call that the provider took. Raises ModelError."""
        wait = min(self._patience.wait, max(deadline - asyncio.get_running_loop().time(), 0.001))
        async with http_client(self._policy, timeout=wait) as client:
            request = client.build_request("POST", call.url, headers=call.headers, content=orjson.dumps(call.body))
            async with self._told(deadline):
                response = await client.send(request, stream=True)
            try:
                if response.status_code != httpx.codes.OK:
                    async with self._told(deadline):
                        failure = await _failure(response)
                    raise failure
                yield response
            finally:
                await response.aclose()

    @asynccontextmanager
    async def _told(self, deadline: float) -> AsyncIterator[None]:
        """Say in our own words what goes wrong inside, which ends at the deadline."""
        try:
            async with asyncio.timeout_at(deadline):
                yield
        except RefusedAddress as refused:
            raise ModelError(str(refused)) from None
        except ResponseTooLarge:
            raise ModelError(
                "The provider's answer is larger than a model's answer can be. Check api_base.", Trouble.SHAPE
            ) from None
        except TimeoutError:
            raise ModelError(
                f"The provider did not end its answer within {self._patience.total:g} seconds. Try again, or ask for "
                "less.",
                Trouble.SLOW,
            ) from None
        except httpx.TimeoutException:
            raise Passing(
                f"The provider did not answer within {self._patience.wait:g} seconds. Try again, or check api_base.",
                Trouble.SLOW,
            ) from None
        except httpx.DecodingError:
            raise ModelError("The provider's answer is compressed, which was not asked for.", Trouble.SHAPE) from None
        except httpx.HTTPError as failure:
            raise Passing(f"The provider cannot be reached ({type(failure).__name__}). Check api_base.") from None


async def _data_of(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """The data of each server-sent event. Raises ResponseTooLarge."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise httpx.DecodingError("The answer is compressed although that was not asked for.")
    read, rest, data = 0, b"", []
    async for chunk in response.aiter_raw():
        read += len(chunk)
        if read > MOST_ANSWER or len(rest) > MOST_LINE:
            raise ResponseTooLarge("The stream is too long.")
        # A line ends with LF or CR LF; the third way of the standard, CR alone, no provider uses.
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            line = line.removesuffix(b"\r")
            if line.startswith(b"data:"):
                data.append(line[5:].removeprefix(b" "))
            elif not line and data:
                yield b"\n".join(data)
                data = []
    if rest.startswith(b"data:"):  # some servers leave out the end of the last line, or the empty line after it
        data.append(rest[5:].removeprefix(b" ").removesuffix(b"\r"))
    if data:
        yield b"\n".join(data)


def _json(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        raise ModelError("The provider did not answer with JSON. Check api_base.", Trouble.SHAPE) from None


_REFUSALS: Final[dict[int, str]] = {
    400: "The provider refused the request as malformed. Check llm_model, api_version and api_base.",
    401: "The provider refused the credentials. Check credentials.api_key.",
    402: "The provider wants to be paid first. Check the account that the key belongs to.",
    403: "The credentials are known to the provider, and may not use this model.",
    404: "The provider does not know this model, or there is no API at this address. Check llm_model and api_base.",
    408: "The provider took too long. Try again.",
    413: "The question with what must be known for it is longer than the model takes.",
    429: "The provider's rate limit or quota is used up. Try again later, or check the account.",
}
_PARAMETERS: Final = ("max_tokens", "temperature", "seed", "stream_options", "response_format", "tool_choice")
"""What a refusal may be about, when it names the parameter in its words alone."""
_TOO_LONG: Final = ("context_length_exceeded", "string_above_max_length", "request_too_large")


async def _failure(response: httpx.Response) -> ModelError:
    """Return why a provider refused, in our own words. Of what it says only codes are looked at."""
    status = response.status_code
    if status in AGAIN or status >= 500:
        return Passing(refusal(status), after=_after(response.headers))
    if status in (400, 413, 422):
        error = await _error_of(response)
        words = str(error.get("message", "")).lower()
        if status == 413 or error.get("code") in _TOO_LONG or "prompt is too long" in words:
            return ModelError(_REFUSALS[413], Trouble.TOO_LONG)
        parameter = error.get("param") or next((name for name in _PARAMETERS if name in words), None)
        return Malformed(refusal(status), parameter if isinstance(parameter, str) else None)
    return ModelError(refusal(status), Trouble.REFUSED)


async def _error_of(response: httpx.Response) -> Mapping[str, Any]:
    try:
        said = orjson.loads(await read_bounded(response, MOST_REFUSAL))
    except (orjson.JSONDecodeError, ResponseTooLarge, httpx.HTTPError):
        return {}
    error = said.get("error", said) if isinstance(said, dict) else None
    return error if isinstance(error, dict) else {}


def refusal(status: int) -> str:
    """The sentence for a status."""
    if status in _REFUSALS:
        return _REFUSALS[status]
    if math.floor(status / 100) == 3:
        return "The provider redirects elsewhere, and credentials are not sent after a redirect. Correct api_base."
    if status >= 500:
        return f"The provider failed (HTTP {status}). Try again later."
    return f"The provider refused the call (HTTP {status}). Check llm_model and api_base."


def _after(headers: httpx.Headers) -> float | None:
    """Return when a provider says to come again, in seconds from now."""
    given = headers.get("retry-after", "").strip()[:100]
    try:
        seconds = (
            float(given) if given[:1].isdigit() else (parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds()
        )
    except (ValueError, TypeError):
        return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None
