"""An API that is called over plain HTTP, and the document that describes it."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import httpx
import orjson

from persistence.outbound import OutboundPolicy, RefusedAddress, ResponseTooLarge, http_client, read_bounded
from persistence.servers.reaching import Answered, ServerSettings, Unanswered, Unreachable
from persistence.web_addresses import BadAddress, place_of, same_server

AGENT: Final = "stoa-servers/1"
DOCUMENT_BYTES: Final = 4_000_000
_NOT_SENT: Final = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class ApiCaller:
    """Asks APIs; its connections are kept open for a while."""

    def __init__(self, policy: OutboundPolicy, settings: ServerSettings) -> None:
        self._policy, self._settings = policy, settings
        self._client: httpx.AsyncClient | None = None

    async def document(self, url: str, document_url: str | None, headers: Mapping[str, str]) -> str:
        """The text of an API's document. Raises Unreachable, with what hinders in words of our own."""
        place = document_url or f"{url.rstrip('/')}/openapi.json"
        try:
            sent = headers if same_server(url, place) else {}
            status, _, body = await self._sent("GET", place, sent, None, DOCUMENT_BYTES)
        except BadAddress as bad:
            raise Unreachable(str(bad)) from None
        except Unanswered as failure:
            raise Unreachable(str(failure)) from None
        if status != 200:
            raise Unreachable(f"The address of the OpenAPI document {_told(status)}.")
        try:
            return body.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise Unreachable("The OpenAPI document is no text in UTF-8.") from None

    async def call(
        self, url: str, method: str, target: str, headers: Mapping[str, str], body: bytes | None
    ) -> Answered:
        """Call an operation. Raises Unreachable when it was not sent, Unanswered when nothing can be read of it."""
        address = url.rstrip("/") + target
        try:
            is_there = same_server(url, address)
        except BadAddress as bad:
            raise Unreachable(str(bad)) from None
        if not is_there:
            raise Unreachable("The path of the operation leads to another server.")
        status, media_type, answer = await self._sent(
            method, address, headers, body, self._settings.server_answer_bytes
        )
        content = {"status": status, "content_type": media_type, "body": _body(media_type, answer)}
        return Answered(content, len(answer), None if 200 <= status < 300 else f"The server {_told(status)}.")

    async def _sent(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, most: int
    ) -> tuple[int, str, bytes]:
        seconds = self._settings.server_timeout_seconds
        if self._client is None:
            self._client = http_client(self._policy, timeout=seconds)
        try:
            place_of(url)
            async with asyncio.timeout(seconds):
                async with self._client.stream(
                    method, url, headers={"User-Agent": AGENT, **headers}, content=body
                ) as response:
                    status = response.status_code
                    media_type = response.headers.get("content-type", "")[:255]
                    return status, media_type, await read_bounded(response, most)
        except (RefusedAddress, BadAddress) as refused:
            raise Unreachable(str(refused)[:1000]) from None
        except _NOT_SENT as failure:
            raise Unreachable(f"The server cannot be reached ({type(failure).__name__}).") from None
        except (TimeoutError, httpx.TimeoutException):
            raise Unanswered(f"The server did not answer within {seconds:g} seconds.") from None
        except ResponseTooLarge:
            raise Unanswered(f"The server answered more than {most:,} bytes.") from None
        except httpx.InvalidURL:
            raise Unreachable("It cannot be read as an address.") from None
        except (httpx.HTTPError, OSError) as failure:
            raise Unanswered(f"The connection to the server broke off ({type(failure).__name__}).") from None

    async def close(self) -> None:
        """Close every connection."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None


def _told(status: int) -> str:
    if 300 <= status < 400:
        return f"redirects elsewhere (HTTP {status}), which is not followed"
    return f"answered with HTTP {status}"


def _body(media_type: str, body: bytes) -> Any:
    """A body as JSON or as text; None for bytes that are neither."""
    if not body:
        return None
    plain = media_type.partition(";")[0].strip().lower()
    try:
        if plain.endswith("json"):
            return orjson.loads(body)
    except ValueError:
        pass
    try:
        return body.decode()
    except UnicodeDecodeError:
        return None
