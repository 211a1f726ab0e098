"""The compiled parser of HTTP and the faster event loop: a server uses them where they are, and serves without them."""

import sys
from pathlib import Path

import httpx
import pytest

from tests.support.needs import missing
from tests.support.server import COMMAND, Server

pytestmark = pytest.mark.starts  # what a process loads by itself is what these are about

LIBRARIES = ("uvloop/loop.", "httptools/parser/")
"""How the paths of their shared libraries go on behind site-packages."""


class PlainServer(Server):
    """A server on a machine for which there are no wheels of the two."""

    command = (*COMMAND[:2], f"import sys; sys.modules.update(uvloop=None, httptools=None); {COMMAND[2]}")


def loaded(server: Server) -> list[str]:
    """Which of the two a process has in its memory."""
    if not (maps := Path(f"/proc/{server.process.pid}/maps")).exists():
        missing("The list of a process's libraries", "run this on Linux")
    text = maps.read_text()
    return [name for name in LIBRARIES if f"/site-packages/{name}" in text]


def answers(server: Server) -> None:
    """It serves, over a connection that is kept, and tells what is no HTTP."""
    with httpx.Client(base_url=server.address, timeout=60) as client:
        for path, status in (("/healthz", 200), ("/openapi.json", 200), ("/governance/projects", 401)):
            assert client.get(path).status_code == status


def test_a_server_uses_the_compiled_parser_and_the_faster_loop(tmp_path: Path) -> None:
    if sys.implementation.name != "cpython":
        missing("CPython", "there are no wheels of uvloop and httptools for others")
    with Server(tmp_path) as server:
        answers(server.ready())
        assert loaded(server) == list(LIBRARIES)


@pytest.mark.long
def test_a_server_serves_without_them(tmp_path: Path) -> None:
    with PlainServer(tmp_path) as server:
        answers(server.ready())
        assert loaded(server) == []
