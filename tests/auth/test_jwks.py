"""The provider's keys: fetched once for many, kept when the provider fails, and never taken on trust."""

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519
from hypothesis import given, settings
from hypothesis import strategies as st

from auth.keys import LARGEST_DOCUMENT, MOST_KEYS, KeySet, ProviderKeys
from persistence.outbound import OutboundPolicy, OutboundSettings, http_client
from schema.errors import UpstreamUnavailable
from tests.auth.provider import (
    ALGORITHMS,
    ISSUER,
    KEYS,
    STRONG,
    URL,
    WEAK,
    Provider,
    document,
    entry,
    provider,
    rsa_entry,
)

__all__ = ["provider"]

pytestmark = pytest.mark.anyio


async def test_keys_are_fetched_when_first_needed_and_then_kept(provider: Provider) -> None:
    keys = provider.keys()
    assert (provider.asked, keys.generation) == ([], "")
    for _ in range(3):
        assert (await keys.find("a", "EdDSA")) is not None
    assert provider.asked == [URL]


async def test_a_hundred_first_requests_at_once_are_one_fetch(provider: Provider) -> None:
    keys = provider.keys()
    found = await asyncio.gather(*(keys.find("a", "EdDSA") for _ in range(100)))
    assert all(found)
    assert len(provider.asked) == 1


async def test_keys_are_fetched_again_when_their_lifetime_has_passed(provider: Provider) -> None:
    keys = provider.keys(lifetime=300)
    await keys.find("a", "EdDSA")
    before = keys.generation
    provider.answer = provider.giving(document("b"))
    provider.now += 299
    assert await keys.find("a", "EdDSA")
    provider.now += 1
    assert await keys.find("a", "EdDSA") is None
    assert await keys.find("b", "EdDSA")
    assert keys.generation != before
    assert len(provider.asked) == 2


async def test_while_new_keys_are_on_their_way_the_old_ones_serve(provider: Provider) -> None:
    keys = provider.keys(lifetime=300)
    await keys.find("a", "EdDSA")
    provider.gate = asyncio.Event()
    provider.now += 300
    waiting = asyncio.create_task(keys.find("a", "EdDSA"))
    while len(provider.asked) < 2:
        await asyncio.sleep(0)
    assert await keys.find("a", "EdDSA")
    assert not waiting.done()
    provider.gate.set()
    assert await waiting


async def test_an_unknown_key_id_is_looked_up_once_per_floor(provider: Provider) -> None:
    keys = provider.keys(floor=30)
    await keys.find("a", "EdDSA")
    provider.now += 30
    for number in range(100):
        assert await keys.find(f"unknown-{number}", "EdDSA") is None
    assert len(provider.asked) == 2
    provider.now += 29.9
    assert await keys.find("unknown", "EdDSA") is None
    assert len(provider.asked) == 2
    provider.now += 0.1
    assert await keys.find("unknown", "EdDSA") is None
    assert len(provider.asked) == 3


async def test_a_hundred_unknown_key_ids_at_once_are_one_fetch_and_all_see_its_keys(provider: Provider) -> None:
    keys = provider.keys()
    await keys.find("a", "EdDSA")
    provider.now += 60
    provider.answer = provider.giving(document("a", "b"))
    found = await asyncio.gather(
        *(keys.find("b", "EdDSA") for _ in range(50)), *(keys.find(f"x{number}", "EdDSA") for number in range(50))
    )
    assert [key is not None for key in found] == [True] * 50 + [False] * 50
    assert len(provider.asked) == 2


async def test_a_client_that_hangs_up_does_not_end_the_fetch_for_the_others(provider: Provider) -> None:
    keys = provider.keys()
    provider.gate = asyncio.Event()
    first, second = (asyncio.create_task(keys.find("a", "EdDSA")) for _ in range(2))
    while not provider.asked:
        await asyncio.sleep(0)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    provider.gate.set()
    assert await second
    assert len(provider.asked) == 1


async def test_a_key_id_that_is_too_long_is_not_looked_up(provider: Provider) -> None:
    keys = provider.keys()
    await keys.find("a", "EdDSA")
    provider.now += 60
    assert await keys.find("x" * 257, "EdDSA") is None
    assert len(provider.asked) == 1


FAILURES: dict[str, Callable[[httpx.Request], httpx.Response] | Exception] = {
    "down": httpx.ConnectError("refused"),
    "slow": httpx.ReadTimeout("slow"),
    "refused by the outbound policy": RuntimeError("a private address"),
    "an error": Provider.giving(b"{}", 500),
    "not found": Provider.giving(document("b"), 404),
    "a redirect": Provider.giving(document("b"), 302, location="https://evil.example/keys"),
    "no JSON": Provider.giving(b"<html>"),
    "a list": Provider.giving([entry("b")]),
    "no keys": Provider.giving({}),
    "an empty set": Provider.giving({"keys": []}),
    "keys that are no list": Provider.giving({"keys": {"b": entry("b")}}),
    "no usable key": Provider.giving({"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "b"}, 7, None]}),
    "too many keys": Provider.giving({"keys": [entry("b", kid=str(n)) for n in range(MOST_KEYS + 1)]}),
    "too large": Provider.giving({**document("b"), "padding": "x" * LARGEST_DOCUMENT}),
    "compressed": Provider.giving(document("b"), **{"content-encoding": "gzip"}),
}


@pytest.mark.parametrize("failure", FAILURES)
async def test_the_last_good_keys_stay_when_the_provider_fails(
    failure: str, provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    keys = provider.keys(lifetime=300)
    await keys.find("a", "EdDSA")
    before = keys.generation
    provider.answer = FAILURES[failure]
    provider.now += 100_000
    with caplog.at_level(logging.WARNING, "stoa.auth"):
        assert await keys.find("a", "EdDSA")
        assert await keys.find("b", "EdDSA") is None
    assert "the last good ones stay in force" in caplog.text
    assert provider.asked == [URL, URL]
    assert keys.generation == before
    provider.answer = provider.giving(document("b"))
    provider.now += 30
    assert await keys.find("b", "EdDSA")


@pytest.mark.parametrize("failure", FAILURES)
async def test_without_any_good_keys_the_provider_is_named_as_the_cause(failure: str, provider: Provider) -> None:
    keys = provider.keys()
    provider.answer = FAILURES[failure]
    for _ in range(3):
        with pytest.raises(UpstreamUnavailable) as error:
            await keys.find("a", "EdDSA")
    assert (error.value.status, error.value.code) == (502, "UPSTREAM_UNAVAILABLE")
    assert provider.asked == [URL]
    provider.answer = provider.giving(document("a"))
    provider.now += 30
    assert await keys.find("a", "EdDSA")


async def test_keys_can_be_given_an_end_for_when_the_provider_stays_away(provider: Provider) -> None:
    keys = provider.keys(lifetime=300, max_stale=3600)
    await keys.find("a", "EdDSA")
    provider.answer = httpx.ConnectError("refused")
    provider.now += 3599
    assert await keys.find("a", "EdDSA")
    provider.now += 1
    with pytest.raises(UpstreamUnavailable):
        await keys.find("a", "EdDSA")


async def test_a_fetch_under_way_can_be_stopped(provider: Provider) -> None:
    keys = provider.keys()
    provider.gate = asyncio.Event()
    waiting = asyncio.create_task(keys.find("a", "EdDSA"))
    while not provider.asked:
        await asyncio.sleep(0)
    await keys.close()
    with pytest.raises(UpstreamUnavailable):
        await waiting
    await keys.close()


async def test_keys_come_through_a_guarded_client_only_from_where_the_policy_allows() -> None:
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        body = json.dumps(document("a")).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/keys"
        for private, requests in ((False, 0), (True, 1)):
            policy = OutboundPolicy(OutboundSettings(outbound_private=private))
            async with http_client(policy) as client:
                keys = ProviderKeys(client, issuer=ISSUER, jwks_url=url, algorithms=ALGORITHMS)
                if private:
                    assert await keys.find("a", "EdDSA")
                else:
                    with pytest.raises(UpstreamUnavailable):
                        await keys.find("a", "EdDSA")
            assert len(asked) == requests


# Discovery -----------------------------------------------------------------------------------------

WELL_KNOWN = f"{ISSUER}/.well-known/openid-configuration"


def discovering(configuration: dict[str, Any]) -> Callable[[httpx.Request], httpx.Response]:
    def answer(request: httpx.Request) -> httpx.Response:
        body = configuration if str(request.url) == WELL_KNOWN else document("a")
        return Provider.giving(body)(request)

    return answer


async def test_the_address_of_the_keys_is_discovered(provider: Provider) -> None:
    provider.answer = discovering({"issuer": ISSUER, "jwks_uri": URL})
    assert await provider.keys(jwks_url=None).find("a", "EdDSA")
    assert provider.asked == [WELL_KNOWN, URL]


@pytest.mark.parametrize(
    "configuration",
    [
        {"issuer": "https://evil.example", "jwks_uri": URL},
        {"issuer": ISSUER + "/", "jwks_uri": URL},
        {"jwks_uri": URL},
        {"issuer": ISSUER},
        {"issuer": ISSUER, "jwks_uri": 7},
        {"issuer": ISSUER, "jwks_uri": "http://login.example/keys"},
        {"issuer": ISSUER, "jwks_uri": "file:///etc/passwd"},
        {"issuer": ISSUER, "jwks_uri": "https://user:password@login.example/keys"},
        {"issuer": ISSUER, "jwks_uri": "https:///keys"},
        {"issuer": ISSUER, "jwks_uri": "https://login.example/" + "x" * 3000},
    ],
)
async def test_a_configuration_that_does_not_hold_leads_nowhere(
    configuration: dict[str, Any], provider: Provider
) -> None:
    provider.answer = discovering(configuration)
    with pytest.raises(UpstreamUnavailable):
        await provider.keys(jwks_url=None).find("a", "EdDSA")
    assert provider.asked == [WELL_KNOWN]


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://login.example/keys", "https://user@login.example/", "keys"]
)
async def test_an_address_that_is_no_plain_url_is_never_asked(url: str, provider: Provider) -> None:
    with pytest.raises(UpstreamUnavailable):
        await provider.keys(jwks_url=url).find("a", "EdDSA")
    assert provider.asked == []


# What is in a set ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "unusable",
    [
        {"kty": "oct", "k": "c2VjcmV0", "kid": "x", "alg": "HS256"},
        rsa_entry(WEAK, kid="x"),
        rsa_entry(STRONG, kid="x", n="AQAB"),
        rsa_entry(STRONG, kid="x", e=""),
        rsa_entry(STRONG, kid="x", n=7),
        rsa_entry(STRONG, kid="x", alg="HS256"),
        rsa_entry(STRONG, kid="x", alg="none"),
        entry("b", kid="x", use="enc"),
        entry("b", kid="x", key_ops=["sign"]),
        entry("b", kid="x", key_ops="verify"),
        entry("b", kid="x", crv="X25519"),
        entry("b", kid="x", x="AA"),
        {
            **json.loads(jwt.algorithms.ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP384R1()).public_key())),
            "kid": "x",
        },
        {"kid": "x"},
        {},
    ],
)
def test_one_unusable_key_is_left_out_and_the_others_stay(unusable: dict[str, Any]) -> None:
    keys = KeySet({"keys": [unusable, entry("a")]}, ALGORITHMS)
    assert keys.find("a", "EdDSA")
    assert [keys.find("x", algorithm) for algorithm in ALGORITHMS] == [None, None, None]


def test_a_key_verifies_only_with_the_algorithm_of_its_kind() -> None:
    keys = KeySet({"keys": [rsa_entry(STRONG), entry("a")]}, (*ALGORITHMS, "PS256"))
    assert [keys.find("r", algorithm) is not None for algorithm in (*ALGORITHMS, "PS256", "HS256")] == [
        True,
        False,
        False,
        True,
        False,
    ]
    bound = KeySet({"keys": [rsa_entry(STRONG, alg="RS256")]}, ("RS256", "PS256"))
    assert bound.find("r", "RS256")
    assert bound.find("r", "PS256") is None


def test_ed448_is_an_eddsa_key_too() -> None:
    public = jwt.algorithms.OKPAlgorithm.to_jwk(ed448.Ed448PrivateKey.generate().public_key())
    assert KeySet({"keys": [{**json.loads(public), "kid": "x"}]}, ALGORITHMS).find("x", "EdDSA")


def test_private_members_that_a_provider_publishes_are_not_kept() -> None:
    private = json.loads(jwt.algorithms.OKPAlgorithm.to_jwk(KEYS["a"]))
    assert "d" in private
    found = KeySet({"keys": [{**private, "kid": "a"}]}, ALGORITHMS).find("a", "EdDSA")
    assert found is not None
    assert isinstance(found.key, ed25519.Ed25519PublicKey)


def test_the_fingerprint_follows_the_keys() -> None:
    assert KeySet(document("a", "b"), ALGORITHMS).fingerprint == KeySet(document("a", "b"), ALGORITHMS).fingerprint
    different = [document("a"), document("b"), document("a", "b"), {"keys": [entry("b", kid="a")]}]
    assert len({KeySet(each, ALGORITHMS).fingerprint for each in different}) == 4


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
MEMBERS = ["kty", "kid", "alg", "use", "key_ops", "crv", "x", "y", "n", "e"]
VALUES = JSON | st.sampled_from(["RSA", "EC", "OKP", "sig", "P-256", "Ed25519", "RS256", "AQAB"])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(MEMBERS), VALUES) | JSON, max_size=4))
def test_no_document_breaks_the_reader(entries: list[Any]) -> None:
    assert KeySet({"keys": [*entries, entry("a")]}, ALGORITHMS).find("a", "EdDSA") is not None
