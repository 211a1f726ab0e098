"""A development issuer: one EdDSA key in the data folder, so that the platform runs before a provider is set up."""

import contextlib
import hashlib
import os
import secrets
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import jwt
import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from auth.keys import KeySet

ISSUER = "stoa-development"
AUDIENCE = "stoa"
KEY_FILE = "issuer.pem"
LONGEST_LIFE = timedelta(days=366)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class DevelopmentIssuer:
    """Issues tokens that the same deployment accepts, while no identity provider is configured.

    The key is made on first use and kept as `issuer.pem`, readable by its owner only. Whoever can read that file can
    be anybody, which is why a configured provider turns this issuer off.
    """

    def __init__(self, folder: Path, *, clock: Callable[[], datetime] = _utc_now) -> None:
        """Load the key of a data folder, or make it; two processes that start at once end with the same key.

        Raises ValueError when the file is there but holds no Ed25519 key.
        """
        self._clock = clock
        path = folder / KEY_FILE
        if not path.exists():
            _create(path)
        key = load_pem_private_key(path.read_bytes(), password=None)
        if not isinstance(key, Ed25519PrivateKey):
            raise ValueError(f"{path} holds no Ed25519 key. Remove the file to have a new one made.")
        self._key = key
        public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self._kid = hashlib.sha256(public).hexdigest()[:16]

    def issue(
        self,
        user: str,
        organization: str,
        project: str | None = None,
        groups: Iterable[str] = (),
        ttl: timedelta = timedelta(hours=1),
        scope: str | None = None,
    ) -> str:
        """A token for a user of an organization. Raises ValueError when the life is not within 0 to 366 days."""
        if not timedelta(0) < ttl <= LONGEST_LIFE:
            raise ValueError("A token lives longer than nothing and no longer than 366 days.")
        now = int(self._clock().timestamp())
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": user,
            "org_id": organization,
            "groups": list(groups),
            "client_id": "stoa-cli",
            "iat": now,
            "exp": now + max(1, int(ttl.total_seconds())),
            "jti": secrets.token_hex(8),
        }
        if project is not None:
            claims["project_id"] = project
        if scope is not None:
            claims["scope"] = scope
        return jwt.encode(claims, self._key, algorithm="EdDSA", headers={"kid": self._kid})

    def key_set(self) -> KeySet:
        """The public half, for the verifier."""
        entry = orjson.loads(jwt.algorithms.OKPAlgorithm.to_jwk(self._key.public_key()))
        return KeySet({"keys": [{**entry, "kid": self._kid, "use": "sig", "alg": "EdDSA"}]}, ["EdDSA"])


def _create(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        # A link appears whole or not at all, and fails when another process was first: then its key is the key.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
