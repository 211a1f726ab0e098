"""Servers of the demo's own that the platform calls, each on a free port of the machine itself."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

from rest_compat.settings import Settings

MOST_BYTES: Final = 1_000_000


class DemoHandler(BaseHTTPRequestHandler):
    """Takes requests whose bodies are bounded, and says nothing of them on the terminal."""

    timeout = 10

    def body(self) -> bytes:
        """Return what was sent, as far as it is read."""
        return self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MOST_BYTES))

    def log_message(self, *_: object) -> None:
        """Leave the terminal to the demo."""


def allowing(settings: Settings, *ports: int) -> Settings:
    """The same settings, by which these addresses of the machine itself may be called as well."""
    allowed = [one for one in (settings.outbound_allow, *(f"127.0.0.1:{port}" for port in ports)) if one]
    return settings.model_copy(update={"outbound_allow": ",".join(allowed)})


@contextmanager
def serving(handler: type[DemoHandler], name: str) -> Iterator[int]:
    """Run a server until the block ends; its port. `name` is that of its thread."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads, server.block_on_close = True, False
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), name=name, daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()
