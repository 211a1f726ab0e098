"""An identity provider for tests, with the keys that it gives."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa

from auth.keys import ProviderKeys

ISSUER = "https://login.example/realms/acme"
URL = "https://login.example/keys"
ALGORITHMS = ("RS256", "ES256", "EdDSA")
KEYS = {name: ed25519.Ed25519PrivateKey.generate() for name in ("a", "b", "c")}
WEAK = rsa.generate_private_key(65537, 1024)
STRONG = rsa.generate_private_key(65537, 2048)


def entry(name: str, **more: Any) -> dict[str, Any]:
    return {**json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(KEYS[name].public_key())), "kid": name, **more}


def rsa_entry(key: rsa.RSAPrivateKey, **more: Any) -> dict[str, Any]:
    return {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key())), "kid": "r", **more}


def document(*names: str) -> dict[str, Any]:
    return {"keys": [entry(name) for name in names]}


class Provider:
    """An identity provider that counts what it is asked and answers what the test says."""

    def __init__(self) -> None:
        self.answer: Callable[[httpx.Request], httpx.Response] | Exception = self.giving(document("a"))
        self.asked: list[str] = []
        self.gate: asyncio.Event | None = None
        self.now = 1000.0

    @staticmethod
    def giving(body: Any, status: int = 200, **headers: str) -> Callable[[httpx.Request], httpx.Response]:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()

        async def parts() -> Any:
            yield content

        return lambda _: httpx.Response(status, headers=headers, content=parts())

    async def handle(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(str(request.url))
        if self.gate is not None:
            await self.gate.wait()
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer(request)

    def keys(self, **options: Any) -> ProviderKeys:
        client = httpx.AsyncClient(transport=httpx.MockTransport(self.handle), follow_redirects=True)
        options = {"issuer": ISSUER, "jwks_url": URL, "algorithms": ALGORITHMS, **options}
        return ProviderKeys(client, monotonic=lambda: self.now, **options)


@pytest.fixture
def provider() -> Provider:
    return Provider()
