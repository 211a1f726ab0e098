"""What tests of tokens share: keys of each kind, claims that hold, and tokens made by hand."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from auth.keys import KeySet, StaticKeys
from auth.tokens import TokenSettings, TokenVerifier
from schema.errors import Unauthenticated

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
ISSUER = "https://login.example/realms/acme"
RSA = rsa.generate_private_key(65537, 2048)
OTHER_RSA = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())
ED = ed25519.Ed25519PrivateKey.generate()
PUBLIC_PEM = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def jwk(key: Any, kid: str | None, **more: Any) -> dict[str, Any]:
    algorithm = {
        rsa.RSAPrivateKey: jwt.algorithms.RSAAlgorithm,
        ec.EllipticCurvePrivateKey: jwt.algorithms.ECAlgorithm,
        ed25519.Ed25519PrivateKey: jwt.algorithms.OKPAlgorithm,
    }
    kind = next(value for base, value in algorithm.items() if isinstance(key, base))
    return {**json.loads(kind.to_jwk(key.public_key())), **({} if kid is None else {"kid": kid}), **more}


JWKS = {"keys": [jwk(RSA, "rsa", use="sig", alg="RS256"), jwk(EC, "ec"), jwk(ED, "ed")]}
ALGORITHMS = ("RS256", "ES256", "EdDSA")


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def claims(**changes: Any) -> dict[str, Any]:
    base = {
        "iss": ISSUER,
        "aud": "stoa",
        "sub": "ann",
        "org_id": "acme",
        "iat": SECONDS,
        "exp": SECONDS + 300,
        "groups": ["/eng", "data"],
    }
    return {name: value for name, value in {**base, **changes}.items() if value is not ...}


def raw(header: Any, payload: Any, signature: bytes = b"") -> str:
    parts = (part if isinstance(part, bytes) else json.dumps(part).encode() for part in (header, payload))
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (*parts, signature))


def signed(payload: dict[str, Any], key: Any = RSA, alg: str = "RS256", kid: Any = "rsa", **header: Any) -> str:
    head = {"alg": alg, "typ": "JWT", **({} if kid is ... else {"kid": kid}), **header}
    signing = raw(head, payload).rsplit(".", 1)[0]
    if alg == "HS256":  # made by hand: the library refuses to take a public key for a secret
        mac = hmac.new(key, signing.encode(), hashlib.sha256).digest()
    else:
        mac = jwt.get_algorithm_by_name(alg).sign(signing.encode(), key)
    return f"{signing}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def verifier(clock: Callable[[], datetime] | None = None, **settings: Any) -> TokenVerifier:
    section = TokenSettings(**{"issuer": ISSUER, **settings})
    return TokenVerifier(section, StaticKeys(KeySet(JWKS, section.algorithms)), clock=clock or Clock())


async def code_of(header: str | None, **settings: Any) -> str:
    checked = verifier(**settings)
    with pytest.raises(Unauthenticated) as failure:
        await checked.verify(header)
    assert checked.remembered == 0
    assert failure.value.status == 401
    assert failure.value.headers == {"WWW-Authenticate": "Bearer"}
    assert failure.value.message.endswith((".", "?"))
    return failure.value.code
