"""A small mail server for tests: it speaks STARTTLS and AUTH PLAIN, answers as it is told, and keeps what it takes."""

import base64
import contextlib
import email
import email.policy
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from typing import cast


@dataclass
class Taken:
    """One message, and who it was for."""

    sender: str
    recipients: list[str]
    raw: bytes
    over_tls: bool
    signed_in: str | None

    @property
    def message(self) -> EmailMessage:
        """It, read."""
        return cast("EmailMessage", email.message_from_bytes(self.raw, policy=email.policy.default))

    @property
    def text(self) -> str:
        """Its text."""
        return str(self.message.get_content()).replace("\r\n", "\n").rstrip("\n")


@dataclass
class SmtpStub:
    """A running server. `refuses` are recipients that it does not take; `answers` are what it says to the next data."""

    port: int = 0
    taken: list[Taken] = field(default_factory=list)
    refuses: set[str] = field(default_factory=set)
    answers: list[str] = field(default_factory=list)
    offers_tls: bool = True


class Handler(socketserver.StreamRequestHandler):
    """One connection."""

    def say(self, line: str) -> None:
        """Answer."""
        self.wfile.write(line.encode() + b"\r\n")

    def handle(self) -> None:
        """Answer each line by the method that its first word names."""
        self.stub = cast("Server", self.server).stub
        self.over_tls, self.user = False, cast("str | None", None)
        self.sender, self.recipients = "", list[str]()
        self.say("220 stub")
        while line := self.rfile.readline():
            verb, _, rest = line.decode().strip().partition(" ")
            if verb.upper() == "QUIT":
                self.say("221 bye")
                return
            answer = getattr(self, f"on_{verb.lower()}", None)
            if answer is None:
                self.say("502 what?")
            else:
                answer(rest)

    def finish(self) -> None:
        """Close what STARTTLS has made of the connection too."""
        with contextlib.suppress(OSError):
            super().finish()
        self.connection.close()

    def on_ehlo(self, _: str) -> None:
        self.say("250-stub")
        if self.stub.offers_tls and not self.over_tls:
            self.say("250-STARTTLS")
        self.say("250 AUTH PLAIN")

    def on_starttls(self, _: str) -> None:
        self.say("220 go on")
        self.connection = cast("Server", self.server).context.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.over_tls = True

    def on_auth(self, rest: str) -> None:
        self.user = base64.b64decode(rest.split(" ")[1]).decode()
        self.say("235 welcome")

    def on_mail(self, rest: str) -> None:
        self.sender, self.recipients = _between(rest), []
        self.say("250 ok")

    def on_rcpt(self, rest: str) -> None:
        if _between(rest) in self.stub.refuses:
            self.say("550 nobody of that name")
        else:
            self.recipients.append(_between(rest))
            self.say("250 ok")

    def on_rset(self, _: str) -> None:
        self.say("250 ok")

    def on_data(self, _: str) -> None:
        self.say("354 go on")
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b"."))
        self.stub.taken.append(Taken(self.sender, self.recipients, b"".join(lines), self.over_tls, self.user))
        self.say(self.stub.answers.pop(0) if self.stub.answers else "250 taken")


class Server(socketserver.ThreadingTCPServer):
    """What listens."""

    daemon_threads, block_on_close, allow_reuse_address = True, False, True

    def __init__(self, stub: SmtpStub, context: ssl.SSLContext) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.stub, self.context = stub, context

    def handle_error(self, *_: object) -> None:
        """Clients that break off are part of the tests."""


@contextmanager
def smtp_stub(certificate: Path) -> Iterator[SmtpStub]:
    """Run a server on a free port of 127.0.0.1; the certificate is a PEM file with its key."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Server(SmtpStub(), context) as server:
        server.stub.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server.stub
        finally:
            server.shutdown()
            thread.join()


def _between(text: str) -> str:
    return text[text.index("<") + 1 : text.index(">")]
