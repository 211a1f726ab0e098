"""The demo's server of tools: as much of the Model Context Protocol as it takes to be registered and called."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from rest_compat.demo_server import DemoHandler, serving

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

    class Handler(DemoHandler):
        def do_POST(self) -> None:
            body = self.body()
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

    with serving(Handler, "demo-tools") as tools.port:
        yield tools
