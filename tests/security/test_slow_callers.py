"""A caller who is silent, or sends or takes next to nothing, does not hold a connection for ever: one real server.

Every connection is opened before any is waited for, so that all of them wait side by side.
"""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import pytest
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.support.server import Client, Server, stoa

HEAD, BODY, STALL = 1.0, 1.2, 1.0
RATE = 2000
PATIENCE = 30.0
"""Seconds, many times what anything here may take; a busy machine is no fault of what is tested."""
LARGE = 24 << 20
"""In bytes: more than what lies on the way between a server and a client that takes nothing."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the store is."""
    return tmp_path_factory.mktemp("slow")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    """A server with little patience."""
    assert stoa(folder, "bootstrap", "--org", "acme", "--owner", "olga").returncode == 0
    limits = {
        "request_head_seconds": HEAD,
        "request_body_seconds": BODY,
        "least_transfer_rate": RATE,
        "keep_alive_seconds": 1,
        "response_stall_seconds": STALL,
    }
    with Server(folder, settings=limits) as server:
        yield server.ready()


@pytest.fixture(scope="module")
def client(folder: Path, server: Server) -> Iterator[Client]:
    """Its owner."""
    with Client(folder, server) as client:
        yield client


class Line:
    """One connection: what is sent at once, then what is sent again and again until the server ends it."""

    def __init__(self, server: Server, first: bytes, *, drip: bytes = b"", receives: int | None = None) -> None:
        self.socket = socket.socket()
        if receives is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", server.port))
        self.began, self.ended, self.got = time.monotonic(), 0.0, b""
        self.socket.sendall(first)
        if drip:
            Thread(target=self._drip, args=(drip,), daemon=True).start()

    def _drip(self, drip: bytes) -> None:
        while not self.ended:
            time.sleep(0.1)
            try:
                self.socket.sendall(drip)
            except OSError:
                return

    def read(self) -> None:
        """Read until the server ends the connection. Raises TimeoutError when it does not."""
        try:
            while data := self.socket.recv(65_536):
                self.got += data
        except ConnectionResetError:
            pass
        self.ended = time.monotonic()
        self.socket.close()

    @property
    def lasted(self) -> float:
        """For how long the server kept it."""
        return self.ended - self.began


def request(client: Client, line: str, *more: str) -> bytes:
    """The head of a request with a token."""
    return "\r\n".join((line, "Host: x", f"Authorization: Bearer {client.token}", *more, "", "")).encode()


def test_no_silence_holds_a_connection(server: Server, client: Client) -> None:
    json_, whole = "Content-Type: application/json", "GET /healthz HTTP/1.1\r\nHost: x\r\n"
    post = request(client, "POST /governance/projects HTTP/1.1", json_, "Content-Length: 5000")
    chunked = request(client, "POST /governance/projects HTTP/1.1", json_, "Transfer-Encoding: chunked")
    graph = request(client, "POST /graphql HTTP/1.1", json_, "Content-Length: 5000")
    form = request(
        client,
        "POST /assets/files HTTP/1.1",
        "Content-Type: multipart/form-data; boundary=b",
        "Content-Length: 500000",
    )
    part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc'
    upgrade = "GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    silent = {
        "nothing": (b"", b"", 0),
        "half a word": (b"GE", b"", 408),
        "half a head": (whole.encode(), b"", 408),
        "a head that drips": (b"GET /healthz HTTP/1.1\r\nX: ", b"a", 408),
        "lines of a head that drip": (b"GET /healthz HTTP/1.1\r\n", b"X: a\r\n", 408),
        "half a handshake": (upgrade.encode(), b"", 408),
        "a second request that is half": (f"{whole}\r\n{whole}".encode(), b"", 200),
        "a second request that drips": (f"{whole}\r\n".encode(), b"G", 200),
        "no body": (post, b"", 408),
        "half a body": (post + b'{"name": "', b"", 408),
        "a body that drips": (post + b'{"name": "', b"a", 408),
        "half a body in chunks": (chunked + b"4\r\n{\"na\r\n", b"", 408),
        "a body in chunks that drips": (chunked, b"1\r\n{\r\n", 408),
        "half a question to the graph": (graph + b'{"query": "', b"", 408),
        "half an upload": (form + part, b"", 408),
        "an upload that drips": (form + part, b"a", 408),
        "a body that nobody reads, and drips": (
            request(client, "GET /healthz HTTP/1.1", "Content-Length: 5000"),
            b"a",
            200,
        ),
    }  # fmt: skip
    lines = {name: Line(server, first, drip=drip) for name, (first, drip, _) in silent.items()}
    for line in lines.values():
        line.read()
    for name, (_, _, status) in silent.items():
        line = lines[name]
        assert line.lasted < PATIENCE / 2, name
        found = int(line.got.split(b" ", 2)[1]) if line.got else 0
        assert found == status, (name, line.got[:200])
        if status == 408:
            head, _, body = line.got.partition(b"\r\n\r\n")
            error = json.loads(body)["error"]
            assert (error["code"], error["status"]) == ("INVALID_REQUEST", 408), name
            assert b"x-request-id: " + error["request_id"].encode() in head.lower(), name
            assert b"connection: close" in head.lower(), name
    assert "Traceback" not in server.text


def test_what_is_no_http_is_told_in_the_envelope(server: Server) -> None:
    for garbage in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", b"GET / HTTP/1.1\r\nno colon\r\n\r\n"):
        line = Line(server, garbage)
        line.read()
        head, _, body = line.got.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 400 ")
        assert json.loads(body)["error"]["code"] == "INVALID_REQUEST"


def test_who_takes_nothing_of_his_answer_is_cut_off(server: Server, client: Client) -> None:
    about = {"name": "Large", "key": "large"}
    made = client("POST", "/assets/files", data=about, files={"file": ("large.bin", b"x" * LARGE)})
    path = f"/assets/files/{made['resource_uri']}/download"
    line = Line(server, request(client, f"GET {path} HTTP/1.1"), receives=4096)
    time.sleep(3 * STALL + 1)
    line.read()
    assert line.got.startswith(b"HTTP/1.1 200")
    assert len(line.got) < LARGE


def steadily(line: Line, data: bytes, pieces: int, pause: float) -> None:
    """Send data piece by piece."""
    size = -(-len(data) // pieces)
    for at in range(0, len(data), size):
        line.socket.sendall(data[at : at + size])
        time.sleep(pause)


def test_who_is_slow_and_steady_is_served(server: Server, client: Client) -> None:
    """Longer than any limit, but never silent: an upload, a download, a socket, and a client that asks now and then."""
    part = b'--b\r\nContent-Disposition: form-data; name="%b"%b\r\n\r\n%b\r\n'
    text = (
        part % (b"name", b"", b"Slow")
        + part % (b"key", b"", b"slow")
        + part % (b"file", b'; filename="a"', b"x" * 40_000)
        + b"--b--\r\n"
    )
    head = request(
        client,
        "POST /assets/files HTTP/1.1",
        "Content-Type: multipart/form-data; boundary=b",
        f"Content-Length: {len(text)}",
        "Connection: close",
    )
    with ExitStack() as open_:
        upload = Line(server, head)
        address, spoken = f"ws://127.0.0.1:{server.port}/graphql", [Subprotocol("graphql-transport-ws")]
        socket_ = open_.enter_context(connect(address, subprotocols=spoken))
        socket_.send(json.dumps({"type": "connection_init", "payload": {"authorization": f"Bearer {client.token}"}}))
        sender = Thread(target=steadily, args=(upload, text, 16, BODY / 4), daemon=True)
        sender.start()
        upload.read()
        assert upload.lasted > 2 * BODY
        assert upload.got.startswith(b"HTTP/1.1 201"), upload.got
        socket_.send(json.dumps({"type": "ping"}))
        while (told := json.loads(socket_.recv(PATIENCE)))["type"] != "pong":
            assert told["type"] in ("connection_ack", "ping")
