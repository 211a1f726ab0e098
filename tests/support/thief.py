"""A server of somebody's own that asks who comes for his password in the clear, and keeps all that it hears."""

import contextlib
import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Thief:
    """A listener on a port of 127.0.0.1, and what it was told."""

    port: int
    heard: bytes = b""
    visits: int = 0


@contextmanager
def postgres_thief() -> Iterator[Thief]:
    """Speak as much of PostgreSQL's protocol as it takes to be sent a password in the clear."""
    thief = Thief(0)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            thief.visits += 1
            self.request.settimeout(5)
            with contextlib.suppress(OSError):
                while data := self.request.recv(65536):
                    thief.heard += data
                    if struct.unpack("!I", data[4:8])[0] == 80877103:  # may we speak TLS? no
                        self.request.sendall(b"N")
                    elif data[:1] == b"p":
                        return
                    else:  # who starts up is asked for his password in the clear
                        self.request.sendall(b"R" + struct.pack("!II", 8, 3))

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            pass  # clients that break off are part of the tests

    with Server(("127.0.0.1", 0), Handler) as server:
        thief.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield thief
        finally:
            server.shutdown()
            thread.join()
