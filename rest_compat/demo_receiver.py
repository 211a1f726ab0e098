"""The demo's receiver of webhooks: it takes one event, and verifies it as any receiver would, by what Python has."""

import asyncio
import base64
import hashlib
import hmac
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from rest_compat.demo_server import DemoHandler, serving

SECONDS: Final = 20.0
"""How long the demo waits for an event."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event as it came."""

    headers: Mapping[str, str]
    body: bytes

    def is_signed_by(self, secret: str) -> bool:
        """Return whether one of its signatures is of this secret, as the Standard Webhooks specification
        computes it.
        """
        key = base64.b64decode(secret.removeprefix("whsec_"))
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + self.body
        wanted = f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"
        given = self.headers["webhook-signature"].split(" ")
        return any(hmac.compare_digest(one, wanted) for one in given)


@dataclass
class DemoReceiver:
    """A server on a free port of 127.0.0.1, and the first event that it took."""

    port: int = 0
    taken: Delivery | None = None
    _came: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """Where events are to be sent."""
        return f"http://127.0.0.1:{self.port}/events"

    def take(self, delivery: Delivery) -> None:
        """Keep an event where it is the first."""
        self.taken = self.taken or delivery
        self._came.set()

    async def first(self) -> Delivery | None:
        """Wait for the first event; None when none comes."""
        await asyncio.to_thread(self._came.wait, SECONDS)
        return self.taken


@contextmanager
def receiving() -> Iterator[DemoReceiver]:
    """Run the receiver until the block ends."""
    receiver = DemoReceiver()

    class Handler(DemoHandler):
        def do_POST(self) -> None:
            body = self.body()
            receiver.take(Delivery({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(204)
            self.end_headers()

    with serving(Handler, "demo-receiver") as receiver.port:
        yield receiver
