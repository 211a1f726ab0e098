"""An agent's client, as plain messages: what goes over the wire and what comes back."""

from itertools import count
from typing import Any

import httpx
import orjson

from tests.world import World

HANDSHAKE, STATELESS = "2025-06-18", "2026-07-28"
_IDS = count(1)


class Agent:
    """Sends messages as somebody."""

    def __init__(self, world: World, token: str | None, path: str = "/mcp", revision: str = HANDSHAKE) -> None:
        self.world, self.token, self.path, self.revision = world, token, path, revision
        self.last: httpx.Response | None = None

    async def send(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
        """Send one request, and give the whole answer."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": next(_IDS), "method": method, "params": dict(params or {})}
        sent = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": self.revision}
        if self.revision == STATELESS:
            message["params"]["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": self.revision,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            sent["Mcp-Method"] = method
            if "name" in message["params"]:
                sent["Mcp-Name"] = message["params"]["name"]
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        self.last = await self.world.request("POST", self.path, token=self.token, json=message, headers=sent)
        answer: dict[str, Any] = self.last.json()
        assert answer["jsonrpc"] == "2.0"
        return answer

    async def result(self, method: str, params: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
        """The result of one request."""
        answer = await self.send(method, params, **headers)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    async def tool(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Return what a tool answers; its refusal stands under `error`."""
        result = await self.result("tools/call", {"name": name, "arguments": arguments})
        told: dict[str, Any] = result["structuredContent"]
        assert orjson.loads(result["content"][0]["text"]) == told
        assert result["isError"] == ("error" in told)
        return told

    async def call(self, operation: str, how: dict[str, Any] | None = None, /, **arguments: Any) -> dict[str, Any]:
        """Return what an operation answers."""
        return await self.tool("call_operation", operation=operation, arguments=arguments, **(how or {}))

    async def whole(self, operation: str, **arguments: Any) -> tuple[list[Any], list[dict[str, Any]]]:
        """Everything of a list, read on and on; and the answers that it came in."""
        items: list[Any] = []
        answers: list[dict[str, Any]] = []
        how: dict[str, Any] = {}
        text = ""
        while True:
            answer = await self.call(operation, how, **arguments)
            assert "error" not in answer, answer
            answers.append(answer)
            if "part" in answer:
                text += answer["part"]["text"]
                if answer["part"]["to"] == answer["part"]["of"]:
                    items.append(orjson.loads(text))
                    text = ""
            else:
                items += answer["data"] if "returned" in answer else [answer["data"]]
            assert answer["complete"] == (answer["cursor"] is None)
            if answer["complete"]:
                return items, answers
            how = {"cursor": answer["cursor"]}
