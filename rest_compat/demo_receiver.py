"""The demo's receiver of webhooks: it takes one event, and verifies it as any receiver would, by what Python has."""

import asyncio
import base64
import hashlib
import hmac
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from rest_compat.settings import Settings

SECONDS: Final = 20.0
"""How long the demo waits for an event."""
MOST_BYTES: Final = 1_000_000


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

    def allowed_by(self, settings: Settings) -> Settings:
        """The same settings, by which this one address of the machine itself may be sent to as well."""
        allowed = [one for one in (settings.outbound_allow, f"127.0.0.1:{self.port}") if one]
        return settings.model_copy(update={"outbound_allow": ",".join(allowed)})

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

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self) -> None:
            body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MOST_BYTES))
            receiver.take(Delivery({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads, server.block_on_close = True, False
        receiver.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="demo-receiver", daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()
