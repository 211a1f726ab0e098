"""An OpenID Connect provider of its own: its tokens open the platform, and its absence closes it."""

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from jwt.algorithms import RSAAlgorithm

from persistence.jobs.port import InlineJobs
from rest_compat.app import create_app
from rest_compat.setup import bootstrap_organization
from tests.world import settings_for

pytestmark = pytest.mark.anyio


@dataclass
class Provider:
    """A provider that signs with RS256; `keys` can be rotated, `up` switched off."""

    address: str = ""
    keys: dict[str, RSAPrivateKey] = field(default_factory=dict)
    up: bool = True

    def rotate(self, name: str) -> None:
        """Sign with a new key only."""
        self.keys = {name: generate_private_key(65537, 2048)}

    def token(self, **claims: Any) -> str:
        """A token of the provider."""
        name, key = next(iter(self.keys.items()))
        now = int(time.time())
        whole = {"iss": self.address, "aud": "stoa", "sub": "ann", "org_id": "acme", "iat": now, "exp": now + 300}
        return jwt.encode(whole | claims, key, "RS256", headers={"kid": name})

    def document(self, path: str) -> dict[str, Any] | None:
        """Return what it publishes."""
        if path == "/.well-known/openid-configuration":
            return {"issuer": self.address, "jwks_uri": f"{self.address}/keys"}
        if path != "/keys":
            return None
        made = [json.loads(RSAAlgorithm.to_jwk(key.public_key())) for key in self.keys.values()]
        return {
            "keys": [one | {"kid": n, "alg": "RS256", "use": "sig"} for one, n in zip(made, self.keys, strict=True)]
        }


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider on loopback."""
    served = Provider()
    served.rotate("first")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            document = served.document(self.path) if served.up else None
            body = json.dumps(document).encode()
            self.send_response(200 if document else 503)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield served
    server.shutdown()
    server.server_close()


@pytest.fixture
async def client(provider: Provider, store_url: str | None, tmp_path: Path) -> Any:
    """A platform that trusts the provider."""
    settings = settings_for(
        tmp_path,
        store_url,
        issuer=provider.address,
        outbound_private=False,
        outbound_allow=provider.address.removeprefix("http://"),
        jwks_refresh_floor=1,
    )
    await bootstrap_organization(settings, "acme", "ann", "Acme")
    app = create_app(settings, jobs=InlineJobs())
    await app.open()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://stoa.test") as client:
        yield client
    await app.close()


async def _ask(client: httpx.AsyncClient, token: str) -> tuple[int, str]:
    answer = await client.get("/governance/organizations/acme", headers={"Authorization": f"Bearer {token}"})
    return answer.status_code, answer.json().get("error", {}).get("code", "")


async def test_the_providers_tokens_open_the_platform(client: httpx.AsyncClient, provider: Provider) -> None:
    assert await _ask(client, provider.token()) == (200, "")
    assert await _ask(client, provider.token(sub="bob", groups=["org-members"])) == (200, "")
    assert await _ask(client, provider.token(sub="bob")) == (403, "ORG_ACCESS_DENIED")
    assert await _ask(client, provider.token(aud="other")) == (401, "TOKEN_INVALID")
    assert await _ask(client, provider.token(iss="https://elsewhere.example")) == (401, "TOKEN_INVALID")
    assert await _ask(client, provider.token(exp=int(time.time()) - 60)) == (401, "TOKEN_EXPIRED")


async def test_a_rotated_key_is_found_and_the_old_one_is_refused(client: httpx.AsyncClient, provider: Provider) -> None:
    old = provider.token()
    assert await _ask(client, old) == (200, "")
    provider.rotate("second")
    time.sleep(1.1)  # the floor between two fetches
    assert await _ask(client, provider.token()) == (200, "")
    assert await _ask(client, old) == (401, "TOKEN_INVALID")


async def test_a_provider_that_was_never_up_is_a_502_and_one_that_went_away_is_none(
    client: httpx.AsyncClient, provider: Provider
) -> None:
    provider.up = False
    assert await _ask(client, provider.token()) == (502, "UPSTREAM_UNAVAILABLE")
    provider.up = True
    time.sleep(1.1)
    assert await _ask(client, provider.token()) == (200, "")
    provider.up = False
    assert await _ask(client, provider.token(jti="another")) == (200, "")
