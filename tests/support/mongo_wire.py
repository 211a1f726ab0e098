"""A stand-in for a MongoDB server: its wire protocol (OP_MSG and the first OP_QUERY), SCRAM-SHA-256 and a few commands.

It answers what a read-only client asks: hello, ping, buildInfo, listDatabases, listCollections, aggregate with
$sample, $sampleRate and $limit, getMore, listIndexes and count. It is no database; it serves what a test gives it.
"""

import base64
import hashlib
import hmac
import secrets
import socketserver
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import bson

Databases = dict[str, dict[str, dict[str, Any]]]
"""Database → collection → {"documents": [...], "indexes": [...], "view": {...}, "refused": True}."""

_ROUNDS = 4096


class MongoStandIn:
    """A running stand-in. `asked` is every command that it was sent, by name."""

    def __init__(self, databases: Databases, user: str, password: str) -> None:
        self.databases = databases
        self.user = user
        self.salt = secrets.token_bytes(16)
        self.salted = hashlib.pbkdf2_hmac("sha256", password.encode(), self.salt, _ROUNDS)
        self.asked: list[str] = []
        self.silent = False
        """Whether it stops answering anything but the greeting."""
        self.forbidden: set[str] = set()
        """Commands that are answered with "not authorized"."""
        self.port = 0
        self.stop_after_first: Callable[[], None] | None = None
        """Called when a client asks for more of an answer."""
        self._open: dict[int, list[Any]] = {}

    def answer(self, command: dict[str, Any], session: dict[str, Any]) -> dict[str, Any]:
        """The answer to one command of one connection."""
        name = next(iter(command))
        self.asked.append(name)
        known = {
            "hello": self._hello,
            "ismaster": self._hello,
            "isMaster": self._hello,
            "ping": self._fine,
            "endSessions": self._fine,
            "buildinfo": lambda *_: {"version": "7.0.99", "versionArray": [7, 0, 99, 0]},
            "saslStart": self._begin,
            "saslContinue": self._go_on,
        }
        if name in known:
            return {"ok": 1.0} | known[name](command, session)
        if not session.get("known") or name in self.forbidden:
            return {"ok": 0.0, "code": 13, "codeName": "Unauthorized", "errmsg": f"not authorized to run {command}"}
        database = self.databases.get(str(command["$db"]), {})
        if name == "getMore":
            return self._more(command)
        if name == "killCursors":
            return {
                "ok": 1.0,
                "cursorsKilled": [self._open.pop(number, None) and number for number in command["cursors"]],
            }
        if name == "listDatabases":
            return {"ok": 1.0, "databases": [{"name": n, "empty": False} for n in [*self.databases, "admin"]]}
        if name == "listCollections":
            found = [
                {"name": n, "type": "view" if "view" in held else "collection", "options": held.get("view", {})}
                for n, held in database.items()
            ]
            return self._cursor(command, found)
        held = database.get(str(command[name]), {})
        if held.get("refused"):
            return {"ok": 0.0, "code": 13, "codeName": "Unauthorized", "errmsg": f"not authorized to run {command}"}
        if name == "aggregate":
            return self._cursor(command, _run(held.get("documents", []), command["pipeline"]))
        if name == "listIndexes":
            return self._cursor(command, [{"name": "_id_", "key": {"_id": 1}}, *held.get("indexes", [])])
        if name == "count":
            return {"ok": 1.0, "n": len(held.get("documents", []))}
        return {"ok": 0.0, "code": 59, "codeName": "CommandNotFound", "errmsg": f"no such command: {name}"}

    def _hello(self, *_: Any) -> dict[str, Any]:
        return {
            "ismaster": True,
            "isWritablePrimary": True,
            "maxBsonObjectSize": 16 << 20,
            "maxMessageSizeBytes": 48_000_000,
            "maxWriteBatchSize": 100_000,
            "minWireVersion": 0,
            "maxWireVersion": 21,
            "readOnly": False,
            "saslSupportedMechs": ["SCRAM-SHA-256"],
        }

    def _fine(self, *_: Any) -> dict[str, Any]:
        return {}

    def _begin(self, command: dict[str, Any], session: dict[str, Any]) -> dict[str, Any]:
        bare = command["payload"].decode().removeprefix("n,,")
        fields = dict(part.split("=", 1) for part in bare.split(","))
        nonce = fields["r"] + secrets.token_hex(12)
        first = f"r={nonce},s={base64.b64encode(self.salt).decode()},i={_ROUNDS}"
        session |= {"bare": bare, "first": first, "user": fields["n"]}
        return {"conversationId": 1, "done": False, "payload": first.encode()}

    def _go_on(self, command: dict[str, Any], session: dict[str, Any]) -> dict[str, Any]:
        final = command["payload"].decode()
        if not final:
            return {"conversationId": 1, "done": True, "payload": b""}
        without, _, proof = final.rpartition(",p=")
        signed = f"{session['bare']},{session['first']},{without}".encode()
        client = hmac.digest(self.salted, b"Client Key", "sha256")
        stamp = hmac.digest(hashlib.sha256(client).digest(), signed, "sha256")
        expected = bytes(a ^ b for a, b in zip(client, stamp, strict=True))
        if session["user"] != self.user or not hmac.compare_digest(base64.b64decode(proof), expected):
            return {"ok": 0.0, "code": 18, "codeName": "AuthenticationFailed", "errmsg": "Authentication failed."}
        session["known"] = True
        server = hmac.digest(hmac.digest(self.salted, b"Server Key", "sha256"), signed, "sha256")
        return {"conversationId": 1, "done": True, "payload": b"v=" + base64.b64encode(server)}

    def _cursor(self, command: dict[str, Any], batch: list[Any]) -> dict[str, Any]:
        size = command.get("cursor", {}).get("batchSize", len(batch)) or len(batch)
        number = bson.Int64(0)
        if len(batch) > size:
            number = bson.Int64(len(self._open) + 1)
            self._open[number] = batch[size:]
        return {"ok": 1.0, "cursor": {"id": number, "ns": f"{command['$db']}.x", "firstBatch": batch[:size]}}

    def _more(self, command: dict[str, Any]) -> dict[str, Any]:
        number, size = command["getMore"], command.get("batchSize", 100)
        left = self._open.pop(number)
        if self.stop_after_first is not None:
            self.stop_after_first()
        if len(left) > size:
            self._open[number] = left[size:]
        else:
            number = bson.Int64(0)
        return {"ok": 1.0, "cursor": {"id": number, "ns": f"{command['$db']}.x", "nextBatch": left[:size]}}


def _run(documents: list[Any], pipeline: list[dict[str, Any]]) -> list[Any]:
    """The few steps that a reader asks for."""
    for step in pipeline:
        if "$sample" in step:
            documents = documents[: step["$sample"]["size"]]
        elif "$limit" in step:
            documents = documents[: step["$limit"]]
        else:
            share = step["$match"]["$sampleRate"]
            documents = [one for at, one in enumerate(documents) if int((at + 1) * share) > int(at * share)]
    return documents


class _Conversation(socketserver.BaseRequestHandler):
    """One connection."""

    def handle(self) -> None:
        standin: MongoStandIn = self.server.standin  # type: ignore[attr-defined]
        session: dict[str, Any] = {}
        while (header := self._take(16)) is not None:
            length, request, _, code = struct.unpack("<iiii", header)
            body = self._take(length - 16)
            if body is None:
                return
            if code == 2004:  # OP_QUERY: flags, name, skip, limit, document
                document = bson.decode(body[body.index(b"\0", 4) + 9 :])
                reply = bson.encode({"ok": 1.0} | standin.answer(document, session))
                self._send(request, 1, struct.pack("<iqii", 8, 0, 0, 1) + reply)
                continue
            document = bson.decode(body[5:])  # OP_MSG: flags, one section of kind 0
            if standin.silent and next(iter(document)) not in {"hello", "ismaster", "isMaster"}:
                threading.Event().wait(30)
                return
            self._send(request, 2013, struct.pack("<i", 0) + b"\0" + bson.encode(standin.answer(document, session)))

    def _take(self, length: int) -> bytes | None:
        data = bytearray()
        while len(data) < length:
            try:
                piece = self.request.recv(length - len(data))
            except OSError:
                return None
            if not piece:
                return None
            data += piece
        return bytes(data)

    def _send(self, request: int, code: int, body: bytes) -> None:
        self.request.sendall(struct.pack("<iiii", len(body) + 16, 1, request, code) + body)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


@contextmanager
def mongo_stand_in(databases: Databases, user: str, password: str) -> Iterator[MongoStandIn]:
    """Run a stand-in on a free port of 127.0.0.1."""
    standin = MongoStandIn(databases, user, password)
    with _Server(("127.0.0.1", 0), _Conversation) as server:
        server.standin = standin  # type: ignore[attr-defined]
        server.block_on_close = False
        standin.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield standin
        finally:
            server.shutdown()
            thread.join()
