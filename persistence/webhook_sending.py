"""An event sent to an address: bounded in time, no redirect followed, nothing of the answer read but its status."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import httpx

from persistence.outbound import OutboundPolicy, RefusedAddress, http_client
from persistence.web_addresses import BadAddress, check_address, place_of

CONTENT_TYPE: Final = "application/cloudevents+json; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Attempt:
    """How an attempt at a delivery went. `partly` is taken by some of its recipients alone, and `error` tells that."""

    status: int | None
    error: str | None
    milliseconds: int
    partly: bool = False

    @property
    def taken(self) -> bool:
        """Return whether it need not be tried again."""
        return self.error is None or self.partly


class WebhookSender:
    """Sends to addresses that the policy lets through, looked up anew for each connection."""

    def __init__(self, policy: OutboundPolicy, *, timeout: float) -> None:
        self._policy, self._timeout = policy, timeout
        self._client: httpx.AsyncClient | None = None

    async def check(self, url: str) -> None:
        """Look where an address leads. Raises BadAddress when no event would be sent there."""
        await check_address(self._policy, url)

    async def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Attempt:
        """Send once. What fails is told in our own words, and nothing of what the receiver says."""
        started = time.monotonic()
        status: int | None = None
        error: str | None
        if self._client is None:
            self._client = http_client(self._policy, timeout=self._timeout)
        try:
            place_of(url)
            async with asyncio.timeout(self._timeout):
                sent = {"Content-Type": CONTENT_TYPE, "User-Agent": "stoa-webhooks/1", **headers}
                async with self._client.stream("POST", url, headers=sent, content=body) as response:
                    status = response.status_code
            error = _said(status)
        except RefusedAddress as refused:
            error = str(refused)[:1000]
        except BadAddress as bad:
            error = str(bad)
        except (TimeoutError, httpx.TimeoutException):
            error = f"The receiver did not answer within {self._timeout:g} seconds."
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as failure:
            error = f"The receiver cannot be reached ({type(failure).__name__})."
        return Attempt(status, error, round((time.monotonic() - started) * 1000))

    async def close(self) -> None:
        """Close every connection."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None


def _said(status: int) -> str | None:
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return f"The receiver redirects elsewhere (HTTP {status}), which is not followed. Correct the address."
    return f"The receiver answered with HTTP {status}."
