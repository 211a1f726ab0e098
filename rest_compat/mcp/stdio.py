"""The same door over two pipes, for clients that start a program: each line is sent on to a server's `/mcp`.

The server stays the only place where anything is done; what is here carries messages and knows no operation.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeGuard

import httpx
import orjson

from rest_compat.mcp.protocol import META, PARSE_ERROR, REFUSED

LONGEST_LINE: Final = 10_485_760
MOST_AT_ONCE: Final = 16
PATIENCE: Final = 120.0
"""Seconds that a server may take for one answer."""

Lines = Callable[[], Awaitable[bytes]]
"""Gives the next line, `b""` at the end."""


class Bridge:
    """Carries messages between a client's pipes and a server."""

    def __init__(
        self, http: httpx.AsyncClient, url: str, token: Callable[[], str], *, project: str | None = None
    ) -> None:
        self._http, self._url, self._token, self._project = http, url, token, project
        self._room = asyncio.Semaphore(MOST_AT_ONCE)

    async def carry(self, lines: Lines, write: Callable[[bytes], None]) -> None:
        """Carry until the client's end of the pipe is closed; what was asked by then is still answered."""
        async with asyncio.TaskGroup() as asked:
            while line := await lines():
                if line.strip():
                    await self._room.acquire()
                    asked.create_task(self._one(line, write))

    async def _one(self, line: bytes, write: Callable[[bytes], None]) -> None:
        try:
            answer = await self._answer(line)
        finally:
            self._room.release()
        if answer is not None:
            write(answer + b"\n")

    async def _answer(self, line: bytes) -> bytes | None:
        """Return what the server says to one line, on one line; None when nobody waits for an answer."""
        try:
            message = orjson.loads(line)
        except ValueError:
            return _failure(None, PARSE_ERROR, "The line is not valid JSON.")
        waits = isinstance(message, dict) and "id" in message and "method" in message
        asked = message.get("id") if isinstance(message, dict) else None
        try:
            got = await self._http.post(self._url, content=line, headers=self._headers(message), timeout=PATIENCE)
            answer = orjson.loads(got.content) if got.content else None
        except (httpx.HTTPError, ValueError) as failure:
            what = type(failure).__name__
            return _failure(asked, REFUSED, f"The server at {self._url} gave no answer ({what}).") if waits else None
        if not waits and got.is_success:
            return None
        if not isinstance(answer, dict) or answer.get("jsonrpc") != "2.0":
            return _failure(asked, REFUSED, f"The server at {self._url} answered {got.status_code}.")
        return orjson.dumps(answer | {"id": asked})  # who is refused before the message is read is told without its id

    def _headers(self, message: Any) -> dict[str, str]:
        headers = {
            "Authorization": f"Bearer {self._token()}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        if self._project is not None:
            headers["X-Project-ID"] = self._project
        message = message if isinstance(message, dict) else {}
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        revision = meta.get(f"{META}protocolVersion") if isinstance(meta, dict) else None
        if revision is not None:
            said = {
                "MCP-Protocol-Version": revision,
                "Mcp-Method": message.get("method"),
                "Mcp-Name": params.get("name"),
            }
            headers |= {name: value for name, value in said.items() if _fits(value)}
        return headers


def _fits(value: object) -> TypeGuard[str]:
    """Return whether a value can stand in a header; the server refuses a message without one that it needs."""
    return isinstance(value, str) and value.isascii() and value.isprintable()


def _failure(asked: Any, code: int, message: str) -> bytes:
    return orjson.dumps({"jsonrpc": "2.0", "id": asked, "error": {"code": code, "message": message}})


async def over_pipes(url: str, token: Callable[[], str], project: str | None) -> None:
    """Carry between this process's own pipes and a server."""

    def line() -> bytes:
        found = sys.stdin.buffer.readline(LONGEST_LINE + 1)
        if len(found) <= LONGEST_LINE:
            return found
        while found and not found.endswith(b"\n"):  # the rest is passed over
            found = sys.stdin.buffer.readline(LONGEST_LINE)
        return b"a line that is too long\n"

    def write(answer: bytes) -> None:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()

    async with httpx.AsyncClient(follow_redirects=False) as http:
        await Bridge(http, url, token, project=project).carry(lambda: asyncio.to_thread(line), write)
