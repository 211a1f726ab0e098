"""The load generator: a process of its own that keeps some connections busy with one request.

It reads one order per line from standard input and answers with one line, both JSON. Responses are counted by their
Content-Length and never parsed, so that it takes as little as possible of the cores that it shares with the servers.
"""

import asyncio
import sys
import time
from dataclasses import asdict, dataclass, field
from typing import Any

import orjson


@dataclass
class Order:
    """Holds what to send, where to, over how many connections and for how long."""

    port: int
    request: str
    """The whole request as latin-1 text."""
    seconds: float
    connections: int


@dataclass
class Outcome:
    """Holds what came of an order."""

    requests: int = 0
    refused: int = 0
    """Answers with another status than 200."""
    seconds: float = 0.0
    waits: list[float] = field(default_factory=list)

    def summary(self) -> dict[str, Any]:
        """The numbers that the caller wants."""
        waits = sorted(self.waits)
        return {
            "requests": self.requests,
            "refused": self.refused,
            "seconds": self.seconds,
            "p50": waits[len(waits) // 2] if waits else 0.0,
            "p99": waits[len(waits) * 99 // 100] if waits else 0.0,
        }


class _Client(asyncio.Protocol):
    """One connection that sends the next request as soon as the last one was answered whole."""

    def __init__(self, request: bytes, outcome: Outcome, until: float) -> None:
        self._request, self._outcome, self._until = request, outcome, until
        self._head = b""
        self._missing = 0
        self._sent = 0.0
        self._transport: Any = None
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._send()

    def _send(self) -> None:
        self._sent = time.perf_counter()
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if self._missing == 0:
            self._head += data
            end = self._head.find(b"\r\n\r\n")
            if end < 0:
                return
            head, got = self._head[:end].lower(), len(self._head) - end - 4
            self._head = b""
            if not head.startswith(b"http/1.1 200"):
                self._outcome.refused += 1
            at = head.index(b"content-length:") + 15
            line_end = head.find(b"\r\n", at)
            self._missing = int(head[at : line_end if line_end >= 0 else None]) - got
        else:
            self._missing -= len(data)
        if self._missing == 0:
            self._answered()

    def _answered(self) -> None:
        now = time.perf_counter()
        self._outcome.requests += 1
        self._outcome.waits.append(now - self._sent)
        if now < self._until:
            self._send()
        else:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.done.done():
            return
        if exc is None and time.perf_counter() >= self._until:
            self.done.set_result(None)
        else:
            self.done.set_exception(exc or ConnectionError("the server closed the connection"))


async def carried_out(order: Order) -> Outcome:
    """Carry out one order. Raises OSError when the server does not answer."""
    loop, outcome = asyncio.get_running_loop(), Outcome()
    started = time.perf_counter()
    until, request = started + order.seconds, order.request.encode("latin-1")
    clients = [
        (await loop.create_connection(lambda: _Client(request, outcome, until), "127.0.0.1", order.port))[1]
        for _ in range(order.connections)
    ]
    await asyncio.gather(*(client.done for client in clients))
    outcome.seconds = time.perf_counter() - started
    return outcome


def main() -> None:
    """Serve orders until the input ends."""
    for line in sys.stdin:
        outcome = asyncio.run(carried_out(Order(**orjson.loads(line))))
        print(orjson.dumps(outcome.summary()).decode(), flush=True)


class Generator:
    """The process, as its owner sees it."""

    def __init__(self, process: Any) -> None:
        self._process = process

    def run(self, order: Order) -> dict[str, Any]:
        """Carry out one order and give its numbers. Raises RuntimeError when any request was refused."""
        self._process.stdin.write(orjson.dumps(asdict(order)) + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the load generator ended; its last words stand above")
        answer: dict[str, Any] = orjson.loads(line)
        if answer["refused"]:
            raise RuntimeError(f"{answer['refused']} of {answer['requests']} requests were refused")
        return answer


if __name__ == "__main__":
    main()
