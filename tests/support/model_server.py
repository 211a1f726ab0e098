"""A provider of language models for tests: a real HTTP server that speaks the three protocols, whole and streamed.

A script says what it does with one call after the other; without one it says what `mind` makes of the call.
"""

import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import orjson


@dataclass(frozen=True)
class Heard:
    """One call as it came."""

    protocol: str
    """openai, azure or anthropic."""
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: dict[str, Any]
    raw: str
    """The body as it was sent."""

    @property
    def system(self) -> str:
        """Return what the model is told to be."""
        if self.protocol == "anthropic":
            return str(self.body.get("system", ""))
        return "\n".join(one["content"] for one in self.body["messages"] if one["role"] == "system")

    @property
    def user(self) -> str:
        """Return what the model is asked."""
        return "\n".join(one["content"] for one in self.body["messages"] if one["role"] == "user")

    @property
    def is_streamed(self) -> bool:
        """Return whether the answer is wanted in pieces."""
        return bool(self.body.get("stream"))

    @property
    def is_held(self) -> bool:
        """Return whether a schema goes with the call."""
        return "tools" in self.body or self.body.get("response_format", {}).get("type") == "json_schema"


@dataclass(frozen=True)
class Says:
    """A good answer."""

    text: str
    usage: tuple[int, int] | None = (11, 7)
    """None: the provider tells no count."""
    pieces: int = 3
    finish: str = "stop"
    """stop or length."""
    streams: bool = True
    """Whether the server knows how to stream."""


@dataclass(frozen=True)
class Fails:
    """A refusal."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Cuts:
    """An answer whose connection drops after some pieces; none: before the status line."""

    text: str
    after: int | None = 1


@dataclass(frozen=True)
class Ends:
    """A stream that ends in good order before the answer is over."""

    text: str


@dataclass(frozen=True)
class Breaks:
    """A stream in whose middle the provider tells of a failure."""

    text: str


@dataclass(frozen=True)
class Stalls:
    """Silence, before the status line or after some pieces, until the server stops or the client leaves."""

    text: str = "abc"
    after: int | None = None


@dataclass(frozen=True)
class Hangs:
    """A stream that says all of the answer and why it ended, and then nothing; the connection may drop."""

    text: str
    drops: bool = False


@dataclass(frozen=True)
class Sends:
    """Some bytes as they are."""

    content: bytes
    kind: str = "application/json"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Step = Says | Fails | Cuts | Ends | Breaks | Stalls | Hangs | Sends


class ModelServer:
    """A running server, what it is to do, and everything that it was asked."""

    def __init__(self) -> None:
        self.port = 0
        self.heard: list[Heard] = []
        self.script: deque[Step] = deque()
        self.mind: Callable[[Heard], Step] = lambda heard: Says("Hello there")
        self.stopping = threading.Event()

    @property
    def url(self) -> str:
        """Its address, by a name that the tests' policy resolves."""
        return f"http://localhost:{self.port}"

    def plays(self, *steps: Step) -> None:
        """Do this with the next calls."""
        self.script.extend(steps)

    def step(self, heard: Heard) -> Step:
        """Return what to do with a call."""
        self.heard.append(heard)
        return self.script.popleft() if self.script else self.mind(heard)


def protocol_of(path: str) -> str | None:
    """The protocol that an address belongs to."""
    if path.endswith("/messages"):
        return "anthropic"
    if path.endswith("/chat/completions"):
        return "azure" if "/openai/deployments/" in path else "openai"
    return None


def whole(heard: Heard, says: Says) -> bytes:
    """An answer at once."""
    if heard.protocol == "anthropic":
        block: dict[str, Any] = {"type": "text", "text": says.text}
        if heard.is_held:
            block = {"type": "tool_use", "id": "t", "name": "answer", "input": orjson.loads(says.text)}
        answer: dict[str, Any] = {
            "id": "m", "type": "message", "role": "assistant", "content": [block],
            "stop_reason": {"stop": "end_turn", "length": "max_tokens"}[says.finish],
        }  # fmt: skip
        if says.usage:
            answer["usage"] = {"input_tokens": says.usage[0], "output_tokens": says.usage[1]}
        return orjson.dumps(answer)
    message = {"role": "assistant", "content": says.text}
    answer = {"id": "c", "choices": [{"index": 0, "message": message, "finish_reason": says.finish}]}
    if says.usage:
        prompt, said = says.usage
        answer["usage"] = {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}
    return orjson.dumps(answer)


def pieces_of(text: str, count: int) -> list[str]:
    """A text in about so many pieces."""
    size = max(1, -(-len(text) // max(count, 1)))
    return [text[start : start + size] for start in range(0, len(text), size)]


def events(heard: Heard, says: Says) -> list[bytes]:
    """The events of a stream: the first, one for each piece, and the last ones."""
    pieces = pieces_of(says.text, says.pieces)
    if heard.protocol == "anthropic":
        return _anthropic_events(heard, says, pieces)
    first = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}
    if heard.protocol == "azure":  # begins with a word about its content filter
        first = {"choices": [], "prompt_filter_results": []}  # type: ignore[dict-item]
    told: list[Any] = [first]
    told += [{"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
    told.append({"choices": [{"index": 0, "delta": {}, "finish_reason": says.finish}]})
    if says.usage and heard.body.get("stream_options", {}).get("include_usage"):
        told.append({"choices": [], "usage": {"prompt_tokens": says.usage[0], "completion_tokens": says.usage[1]}})
    return [b"data: " + orjson.dumps(one) + b"\n\n" for one in told] + [b"data: [DONE]\n\n"]


def _anthropic_events(heard: Heard, says: Says, pieces: Sequence[str]) -> list[bytes]:
    usage = {"input_tokens": says.usage[0], "output_tokens": 1} if says.usage else {}
    block = {"type": "tool_use", "id": "t", "name": "answer", "input": {}} if heard.is_held else {"type": "text"}
    delta = ("input_json_delta", "partial_json") if heard.is_held else ("text_delta", "text")
    told: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"type": "message", "content": [], "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "ping"},
    ]
    told += [{"type": "content_block_delta", "index": 0, "delta": {"type": delta[0], delta[1]: one}} for one in pieces]
    reason = {"stop": "end_turn", "length": "max_tokens"}[says.finish]
    last: dict[str, Any] = {"type": "message_delta", "delta": {"stop_reason": reason}}
    if says.usage:
        last["usage"] = {"output_tokens": says.usage[1]}
    told += [{"type": "content_block_stop", "index": 0}, last, {"type": "message_stop"}]
    return [f"event: {one['type']}\r\n".encode() + b"data: " + orjson.dumps(one) + b"\r\n\r\n" for one in told]


def _until_pieces(heard: Heard, count: int) -> int:
    """How many events there are up to so many pieces."""
    return count + (3 if heard.protocol == "anthropic" else 1)


@contextmanager
def model_server(mind: Callable[[Heard], Step] | None = None) -> Iterator[ModelServer]:
    """Run a server on a free port of 127.0.0.1."""
    standing = ModelServer()
    if mind is not None:
        standing.mind = mind

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            parts = urlsplit(self.path)
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            protocol = protocol_of(unquote(parts.path))
            if protocol is None:
                self._send(Sends(b"not found", "text/plain", 404))
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            query = dict(parse_qsl(parts.query))
            heard = Heard(protocol, parts.path, query, headers, orjson.loads(raw), raw.decode())
            self._do(heard, standing.step(heard))

        def _do(self, heard: Heard, step: Step) -> None:
            match step:
                case Says():
                    if heard.is_streamed and step.streams:
                        self._stream(events(heard, step))
                        self._chunk(b"")
                    else:
                        self._send(Sends(whole(heard, step)))
                case Fails():
                    self._send(
                        Sends(orjson.dumps({"error": dict(step.error)}), status=step.status, headers=step.headers)
                    )
                case Cuts():
                    if step.after is not None:
                        self._stream(events(heard, Says(step.text))[: _until_pieces(heard, step.after)])
                    self._drop()
                case Ends():
                    self._stream(events(heard, Says(step.text))[: _until_pieces(heard, 2)])
                    self._chunk(b"")
                case Breaks():
                    told = events(heard, Says(step.text))[: _until_pieces(heard, 1)]
                    failure = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
                    self._stream([*told, b"data: " + orjson.dumps(failure) + b"\n\n"])
                    self._chunk(b"")
                case Stalls():
                    if step.after is not None:
                        self._stream(events(heard, Says(step.text))[: _until_pieces(heard, step.after)])
                    standing.stopping.wait(60)
                    self._drop()
                case Hangs():
                    told = events(heard, Says(step.text, pieces=1))
                    self._stream(told[:-1] if heard.protocol == "anthropic" else told[: _until_pieces(heard, 2)])
                    if not step.drops:
                        standing.stopping.wait(60)
                    self._drop()
                case Sends():
                    self._send(step)

        def _send(self, sends: Sends) -> None:
            self.send_response(sends.status)
            for name, value in ({"Content-Type": sends.kind} | dict(sends.headers)).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(sends.content)))
            self.end_headers()
            self.wfile.write(sends.content)

        def _stream(self, told: Sequence[bytes]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream; charset=utf-8")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for event in told:
                half = len(event) // 2  # chunks know nothing of events
                self._chunk(event[:half])
                self._chunk(event[half:])

        def _chunk(self, content: bytes) -> None:
            self.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
            self.wfile.flush()

        def _drop(self) -> None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            pass  # clients that break off are part of the tests

    with Server(("127.0.0.1", 0), Handler) as server:
        standing.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield standing
        finally:
            standing.stopping.set()
            server.shutdown()
            thread.join()
