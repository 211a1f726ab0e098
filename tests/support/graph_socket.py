"""A WebSocket to the application of a test, without a network."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

PATIENCE = 120.0


class Socket:
    """The client's end: what the server sent, and what to send it."""

    def __init__(self, app: Any, headers: dict[str, str]) -> None:
        self._to_app: asyncio.Queue[Any] = asyncio.Queue()
        self._from_app: asyncio.Queue[Any] = asyncio.Queue()
        scope = {
            "type": "websocket",
            "path": "/graphql",
            "raw_path": b"/graphql",
            "root_path": "",
            "scheme": "ws",
            "query_string": b"",
            "headers": [(b"host", b"stoa.test"), *((n.lower().encode(), v.encode()) for n, v in headers.items())],
            "subprotocols": ["graphql-transport-ws"],
            "client": ("127.0.0.1", 1),
            "server": ("stoa.test", 80),
            "extensions": {"websocket.http.response": {}},
        }
        self._to_app.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.create_task(app(scope, self._to_app.get, self._from_app.put))

    async def event(self) -> Any:
        """The next thing that the server did."""
        async with asyncio.timeout(PATIENCE):
            return await self._from_app.get()

    async def message(self) -> Any:
        """The next message, pings left out; a close as `("close", code, reason)`."""
        while True:
            event = await self.event()
            if event["type"] == "websocket.close":
                return "close", event["code"], event.get("reason")
            if event["type"] == "websocket.send":
                message = json.loads(event["text"])
                if message["type"] != "ping":
                    return message

    def send(self, **message: Any) -> None:
        """Send one message."""
        self._to_app.put_nowait({"type": "websocket.receive", "text": json.dumps(message)})

    def subscribe(self, id_: str, query: str, **variables: Any) -> None:
        """Start an operation."""
        self.send(id=id_, type="subscribe", payload={"query": query, "variables": variables})

    async def close(self) -> None:
        """Go away, as a tab that is closed."""
        self._to_app.put_nowait({"type": "websocket.disconnect", "code": 1001})
        async with asyncio.timeout(PATIENCE):
            await self.task


@asynccontextmanager
async def socket(app: Any, payload: dict[str, Any] | None = None, **headers: str) -> AsyncIterator[Socket]:
    """A socket that was accepted; with a payload, one whose `connection_init` was sent."""
    opened = Socket(app, {name.replace("_", "-"): value for name, value in headers.items()})
    try:
        if payload is not None:
            assert (await opened.event())["type"] == "websocket.accept"
            opened.send(type="connection_init", payload=payload)
        yield opened
    finally:
        await opened.close()
