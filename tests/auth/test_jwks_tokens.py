"""Tokens of a provider: its keys as the verifier uses them, and a realm of keys for each organization."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import httpx
import jwt
import pytest

from auth.keys import ProviderKeys, RealmKeys
from auth.tokens import TokenSettings, TokenVerifier
from schema.errors import ApiError, TokenInvalid, UpstreamUnavailable
from tests.auth.provider import (
    ISSUER,
    KEYS,
    Provider,
    document,
    provider,
)

__all__ = ["provider"]

pytestmark = pytest.mark.anyio


# With the verifier ---------------------------------------------------------------------------------

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def token(name: str) -> str:
    seconds = int(NOW.timestamp())
    claims = {"iss": ISSUER, "aud": "stoa", "sub": "ann", "org_id": "acme", "exp": seconds + 3600}
    return "Bearer " + jwt.encode(claims, KEYS[name], algorithm="EdDSA", headers={"kid": name})


def verifier(keys: ProviderKeys) -> TokenVerifier:
    return TokenVerifier(TokenSettings(issuer=ISSUER), keys, clock=lambda: NOW)


async def test_a_rotated_key_is_accepted_after_one_fetch_and_empties_the_memory(provider: Provider) -> None:
    keys = provider.keys()
    checked = verifier(keys)
    await checked.verify(token("a"))
    provider.answer = provider.giving(document("b"))
    provider.now += 30
    assert (await checked.verify(token("b"))).user_id == "ann"
    assert (len(provider.asked), checked.remembered) == (2, 1)
    with pytest.raises(TokenInvalid):
        await checked.verify(token("a"))


async def test_a_set_with_the_same_keys_empties_nothing(provider: Provider) -> None:
    keys = provider.keys(lifetime=10)
    checked = verifier(keys)
    await checked.verify(token("a"))
    provider.now += 30
    assert await keys.find("a", "EdDSA")
    assert len(provider.asked) == 2
    await checked.verify(token("a"))
    assert checked.remembered == 1


async def test_a_hundred_forged_tokens_at_once_cost_the_provider_one_request(provider: Provider) -> None:
    checked = verifier(provider.keys())
    await checked.verify(token("a"))
    provider.now += 60
    seconds = int(NOW.timestamp())
    forged = [
        "Bearer "
        + jwt.encode(
            {"iss": ISSUER, "aud": "stoa", "sub": "ann", "org_id": "acme", "exp": seconds + 3600},
            KEYS["c"],
            algorithm="EdDSA",
            headers={"kid": f"forged-{number}"},
        )
        for number in range(100)
    ]
    answers = await asyncio.gather(*(checked.verify(each) for each in forged), return_exceptions=True)
    assert {answer.code for answer in answers if isinstance(answer, ApiError)} == {"TOKEN_INVALID"}
    assert len(answers) == 100
    assert len(provider.asked) == 2


async def test_a_malformed_or_refused_token_never_reaches_the_provider(provider: Provider) -> None:
    checked = verifier(provider.keys())
    for header in (None, "Bearer x.y.z", "Bearer e30.e30.", "Bearer eyJhbGciOiJub25lIn0.e30."):
        with pytest.raises(ApiError):
            await checked.verify(header)
    assert provider.asked == []


async def test_a_provider_that_is_down_before_the_first_token_is_a_502(provider: Provider) -> None:
    provider.answer = httpx.ConnectError("refused")
    with pytest.raises(UpstreamUnavailable):
        await verifier(provider.keys()).verify(token("a"))


# A realm for each organization --------------------------------------------------------------------

REALMS = "https://login.example/realms/{organization}"


def realm_token(issuer: str, name: str, **changes: Any) -> str:
    seconds = int(NOW.timestamp())
    claims = {"iss": issuer, "aud": "stoa", "sub": "ann", "exp": seconds + 3600, **changes}
    return "Bearer " + jwt.encode(claims, KEYS[name], algorithm="EdDSA", headers={"kid": name})


def of_realms(request: httpx.Request) -> httpx.Response:
    """Realm `acme` signs with key a, `globex` with key b; there are no others."""
    parts = str(request.url).removeprefix("https://login.example/realms/").split("/", 1)
    names = {"acme": "a", "globex": "b"}
    if parts[0] not in names:
        return Provider.giving(b"{}", 404)(request)
    issuer = f"https://login.example/realms/{parts[0]}"
    found = document(names[parts[0]]) if parts[1] == "keys" else {"issuer": issuer, "jwks_uri": f"{issuer}/keys"}
    return Provider.giving(found)(request)


@pytest.fixture
def realms(provider: Provider) -> TokenVerifier:
    provider.answer = of_realms
    section = TokenSettings(issuer=REALMS)
    client = httpx.AsyncClient(transport=httpx.MockTransport(provider.handle))
    return TokenVerifier(section, section.provider_keys(client, monotonic=lambda: provider.now), clock=lambda: NOW)


async def test_every_realm_speaks_for_its_own_organization(realms: TokenVerifier, provider: Provider) -> None:
    for _ in range(2):
        for realm, key in (("acme", "a"), ("globex", "b")):
            token = realm_token(f"https://login.example/realms/{realm}", key)
            assert (await realms.verify(token)).organization_id == realm
    same = realm_token("https://login.example/realms/acme", "a", org_id="acme")
    assert (await realms.verify(same)).organization_id == "acme"
    assert len(provider.asked) == 4


@pytest.mark.parametrize(
    ("issuer", "key", "changes"),
    [
        ("https://login.example/realms/globex", "a", {}),
        ("https://login.example/realms/acme", "a", {"org_id": "globex"}),
        ("https://login.example/realms/acme", "a", {"org_id": ["acme"]}),
    ],
)
async def test_no_realm_speaks_for_another_organization(
    issuer: str, key: str, changes: dict[str, Any], realms: TokenVerifier
) -> None:
    with pytest.raises(TokenInvalid):
        await realms.verify(realm_token(issuer, key, **changes))


@pytest.mark.parametrize(
    "issuer",
    [
        "https://evil.example/realms/acme",
        "https://login.example/realms/",
        "https://login.example/realms/acme/",
        "https://login.example/realms/../admin",
        "https://login.example/realms/acme/../globex",
        "https://login.example/realms/acme?x=1",
        "https://login.example/realms/acme#x",
        "https://login.example/realms/%61cme",
        "https://login.example/realms/" + "x" * 65,
        "https://login.example/realms/{organization}",
        "https://login.example/realms/acm\u00e9",
        "https://login.example/realms/acme\n",
        "https://login.example/realms/.",
    ],
)
async def test_an_issuer_that_is_no_realm_is_refused_before_anything_is_fetched(
    issuer: str, realms: TokenVerifier, provider: Provider
) -> None:
    with pytest.raises(TokenInvalid):
        await realms.verify(realm_token(issuer, "a"))
    assert provider.asked == []


async def test_invented_realms_cost_the_provider_little_and_the_known_ones_nothing(
    realms: TokenVerifier, provider: Provider
) -> None:
    good = realm_token("https://login.example/realms/acme", "a")
    await realms.verify(good)
    provider.asked.clear()
    for number in range(200):
        with pytest.raises(UpstreamUnavailable):
            await realms.verify(realm_token(f"https://login.example/realms/x{number}", "c"))
    assert len(provider.asked) == 29
    assert await realms.verify(realm_token("https://login.example/realms/acme", "a", sub="bob"))
    provider.now += 60
    assert (await realms.verify(realm_token("https://login.example/realms/globex", "b"))).organization_id == "globex"


async def test_invented_realms_do_not_push_out_real_ones(provider: Provider) -> None:
    provider.answer = of_realms
    made: list[str] = []

    def make(issuer: str) -> ProviderKeys:
        made.append(issuer)
        return provider.keys(issuer=issuer, jwks_url=None)

    keys = RealmKeys(make, most=2, newcomers=100, monotonic=lambda: provider.now)
    acme = "https://login.example/realms/acme"
    assert await keys.find("a", "EdDSA", acme)
    for number in range(5):
        with pytest.raises(UpstreamUnavailable):
            await keys.find("a", "EdDSA", f"https://login.example/realms/x{number}")
    assert await keys.find("a", "EdDSA", acme)
    assert made.count(acme) == 1
    await keys.close()


async def test_a_rotation_in_one_realm_empties_the_memory(realms: TokenVerifier, provider: Provider) -> None:
    issuer = "https://login.example/realms/acme"
    await realms.verify(realm_token(issuer, "a"))
    provider.answer = lambda request: (
        Provider.giving(document("c"))(request) if str(request.url).endswith("/keys") else of_realms(request)
    )
    provider.now += 30
    await realms.verify(realm_token(issuer, "c"))
    with pytest.raises(TokenInvalid):
        await realms.verify(realm_token(issuer, "a"))


async def test_the_keys_of_a_realm_can_be_at_an_address_of_their_own(provider: Provider) -> None:
    provider.answer = of_realms
    section = TokenSettings(issuer=REALMS, jwks_url=REALMS + "/keys")
    client = httpx.AsyncClient(transport=httpx.MockTransport(provider.handle))
    checked = TokenVerifier(section, section.provider_keys(client), clock=lambda: NOW)
    assert await checked.verify(realm_token("https://login.example/realms/globex", "b"))
    assert provider.asked == ["https://login.example/realms/globex/keys"]


def test_the_development_issuer_has_no_provider_to_ask() -> None:
    with pytest.raises(ValueError, match="STOA_ISSUER"):
        TokenSettings().provider_keys(httpx.AsyncClient())


async def test_when_the_keys_have_ended_requests_wait_for_the_new_ones(provider: Provider) -> None:
    keys = provider.keys(lifetime=300, max_stale=600)
    await keys.find("a", "EdDSA")
    provider.now += 600
    found = await asyncio.gather(*(keys.find("a", "EdDSA") for _ in range(10)))
    assert all(found)
    assert len(provider.asked) == 2


async def test_a_provider_that_is_late_at_start_up_is_asked_again_soon(provider: Provider) -> None:
    keys = provider.keys()
    good, provider.answer = provider.answer, httpx.ConnectError("refused")
    with pytest.raises(UpstreamUnavailable):
        await keys.find("a", "EdDSA")
    provider.answer = good
    provider.now += 5
    assert await keys.find("a", "EdDSA")
