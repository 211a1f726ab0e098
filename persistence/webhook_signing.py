"""Signatures of webhooks by the Standard Webhooks specification: HMAC-SHA256 (`v1`) and ed25519 (`v1a`).

What is signed is `<id>.<timestamp>.<body>`. A delivery carries a signature of each kind for each pair of keys that is
in force, so that a receiver may change its keys at any moment of a rotation.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SECRET_BYTES: Final = 32
SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - what a secret begins with
PUBLIC_PREFIX: Final = "whpk_"


@dataclass(frozen=True, slots=True, repr=False)
class SigningKeys:
    """One pair of keys: raw bytes, 32 of each. It never shows them."""

    hmac_key: bytes
    ed25519_key: bytes

    @classmethod
    def fresh(cls) -> "SigningKeys":
        """A new pair."""
        return cls(secrets.token_bytes(SECRET_BYTES), Ed25519PrivateKey.generate().private_bytes_raw())

    @classmethod
    def unpacked(cls, packed: bytes) -> "SigningKeys":
        """The pair that was packed into bytes."""
        return cls(packed[:SECRET_BYTES], packed[SECRET_BYTES:])

    @property
    def packed(self) -> bytes:
        """Both keys as bytes, to be sealed."""
        return self.hmac_key + self.ed25519_key

    @property
    def secret(self) -> str:
        """The HMAC key as a receiver is given it."""
        return SECRET_PREFIX + base64.b64encode(self.hmac_key).decode()

    @property
    def public_key(self) -> str:
        """The public half of the ed25519 key as a receiver is given it."""
        public = Ed25519PrivateKey.from_private_bytes(self.ed25519_key).public_key().public_bytes_raw()
        return PUBLIC_PREFIX + base64.b64encode(public).decode()

    def signatures(self, signed: bytes) -> list[str]:
        """One signature of each kind."""
        by_hmac = hmac.new(self.hmac_key, signed, hashlib.sha256).digest()
        by_ed25519 = Ed25519PrivateKey.from_private_bytes(self.ed25519_key).sign(signed)
        return [f"v1,{base64.b64encode(by_hmac).decode()}", f"v1a,{base64.b64encode(by_ed25519).decode()}"]


def signed_headers(keys: Iterable[SigningKeys], id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The headers of one attempt at a delivery: the id of the event, the moment of the attempt, and the signatures."""
    stamp = str(int(at.timestamp()))
    signed = f"{id}.{stamp}.".encode() + body
    return {
        "webhook-id": id,
        "webhook-timestamp": stamp,
        "webhook-signature": " ".join(one for pair in keys for one in pair.signatures(signed)),
    }
