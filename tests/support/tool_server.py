"""Servers of tools for tests: a real one of the protocol's own SDK on a port of this machine, and one that may say
anything.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from tests.support.http_stub import Asked, HttpStub, Reply, http_stub
from tests.support.needs import missing


@dataclass
class ToolServer:
    """A running server of the SDK, and the headers of what it was asked."""

    tools: Any
    port: int
    heard: list[dict[str, str]] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Its endpoint."""
        return f"http://127.0.0.1:{self.port}/mcp"


@contextmanager
def tool_server() -> Iterator[ToolServer]:
    """Run a server of the SDK, with no tools yet."""
    try:
        from mcp.server.mcpserver import MCPServer
    except ImportError:
        missing("The package mcp", "install the extra `servers`")
    made = MCPServer("tools of a test")
    running = ToolServer(made, 0)
    app = made.streamable_http_app(host="127.0.0.1")

    async def hearing(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            running.heard.append({name.decode(): value.decode() for name, value in scope["headers"]})
        await app(scope, receive, send)

    server = uvicorn.Server(
        uvicorn.Config(hearing, port=0, log_config=None, lifespan="on", timeout_graceful_shutdown=1)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    running.port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield running
    finally:
        server.should_exit = True
        thread.join()


Says = Callable[[str, dict[str, Any], Asked], Any]
"""What a server answers to a method with its parameters: a result, a `Reply` as it is, or `Fault`."""


@dataclass(frozen=True)
class Fault:
    """An error of the protocol."""

    code: int
    message: str


@contextmanager
def scripted_server(says: Says) -> Iterator[HttpStub]:
    """Run a server that speaks the protocol and answers what a function says; its endpoint is `/mcp`."""

    def answer(asked: Asked) -> Reply:
        if asked.method != "POST":
            return 405, {}, b""
        message = json.loads(asked.body)
        if "id" not in message:
            return 202, {}, b""
        said = says(message["method"], message.get("params", {}), asked)
        if said is None and message["method"] == "initialize":
            about = {"name": "s", "version": "1"}
            said = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": about}
        if isinstance(said, tuple):
            return said
        if said is None:
            said = Fault(-32601, "no such method")
        told = {"error": {"code": said.code, "message": said.message}} if isinstance(said, Fault) else {"result": said}
        return (
            200,
            {"Content-Type": "application/json"},
            json.dumps({"jsonrpc": "2.0", "id": message["id"], **told}).encode(),
        )

    with http_stub(answer) as stub:
        yield stub
