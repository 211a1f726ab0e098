"""The demo's server of tools: as much of the Model Context Protocol as it takes to be registered and called."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from rest_compat.settings import Settings

MOST_BYTES: Final = 1_000_000
TOOL: Final = "open_ticket"
_TOOLS: Final = [
    {
        "name": TOOL,
        "description": "Opens a ticket about a table and returns its number.",
        "inputSchema": {
            "type": "object",
            "properties": {"about": {"type": "string"}},
            "required": ["about"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": False, "destructiveHint": False},
    }
]


class DemoTools:
    """A server on a free port of 127.0.0.1 that opens tickets, and keeps what they are about."""

    def __init__(self) -> None:
        self.port = 0
        self.tickets: list[str] = []

    @property
    def url(self) -> str:
        """Its endpoint."""
        return f"http://127.0.0.1:{self.port}/mcp"

    def allowed_by(self, settings: Settings) -> Settings:
        """The same settings, by which this one address of the machine itself may be called as well."""
        allowed = [one for one in (settings.outbound_allow, f"127.0.0.1:{self.port}") if one]
        return settings.model_copy(update={"outbound_allow": ",".join(allowed)})

    def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        """Return the result of a request; None for a method that is not known here."""
        if method == "initialize":
            about = {"name": "demo-tickets", "version": "1"}
            return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": about}
        if method == "tools/list":
            return {"tools": _TOOLS}
        if method == "tools/call" and params.get("name") == TOOL:
            self.tickets.append(str(params.get("arguments", {}).get("about")))
            return {"content": [{"type": "text", "text": f"Ticket {len(self.tickets)} is open."}], "isError": False}
        return None


@contextmanager
def serving_tools() -> Iterator[DemoTools]:
    """Run the server until the block ends."""
    tools = DemoTools()

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self) -> None:
            body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), MOST_BYTES))
            message = json.loads(body)
            if "id" not in message:
                self.send_response(202)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            result = tools.answer(message["method"], message.get("params") or {})
            unknown = {"error": {"code": -32601, "message": "There is no such method."}}
            told = {"jsonrpc": "2.0", "id": message["id"], **(unknown if result is None else {"result": result})}
            answer = json.dumps(told).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads, server.block_on_close = True, False
        tools.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="demo-tools", daemon=True)
        thread.start()
        try:
            yield tools
        finally:
            server.shutdown()
            thread.join()
