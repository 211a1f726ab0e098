"""What the tests of the SQL connectors share: address policies, a certificate, and servers that misbehave."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from persistence.connectors import open_connector
from persistence.connectors.core.base import Connector, ConnectorSettings
from persistence.connectors.core.folders import NOWHERE, Folders

SENTINEL = "S3ntinel-Pa55word-éß"


class Loopback:
    """A policy that leads every host to this machine and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def resolve(self, host: str, port: int) -> list[str]:
        self.asked.append((host, port))
        return ["127.0.0.1"]


class Refusing:
    """A policy that allows nothing."""

    def resolve(self, host: str, port: int) -> list[str]:
        raise RuntimeError(f"{host} leads to a private address.")


class Unknown:
    """A name service that knows no name."""

    def resolve(self, host: str, port: int) -> list[str]:
        raise socket.gaierror("unknown")


def opened(
    kind: str,
    config: Mapping[str, Any],
    credentials: Mapping[str, Any],
    *,
    outbound: Any = None,
    folders: Folders = NOWHERE,
    **settings: Any,
) -> Connector:
    """A connector with short time-outs."""
    limits = ConnectorSettings(**{"connect_timeout": 5, "statement_timeout": 20, **settings})
    return open_connector(kind, config, credentials, limits, Loopback() if outbound is None else outbound, folders)


def self_signed(*names: str) -> tuple[bytes, bytes]:
    """A (certificate, key) pair in PEM for some host names, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(n) for n in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return (
        certificate.public_bytes(serialization.Encoding.PEM),
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    )


@contextmanager
def listening(greeting: bytes = b"", *, hang_up: bool = False, drip: float | None = None) -> Iterator[int]:
    """A server that accepts, says `greeting`, and then hangs up, stays silent, or drips a byte every `drip` seconds."""
    server = socket.create_server(("127.0.0.1", 0))
    stopped = threading.Event()

    def serve() -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            with client:
                try:
                    client.sendall(greeting)
                    while not hang_up and not stopped.wait(drip or 0.05):
                        if drip:
                            client.sendall(b"\x00")
                except OSError:
                    continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        stopped.set()
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(5)
