"""Tokens: every trick has its exact code, what holds becomes a caller, and nothing is remembered too long."""

import base64
import hashlib
import hmac
import json
import multiprocessing
import os
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from auth.caller import Caller
from auth.issuer import DevelopmentIssuer
from auth.keys import KeySet, StaticKeys
from auth.tokens import TokenSettings, TokenVerifier
from schema.errors import ApiError, Unauthenticated

pytestmark = pytest.mark.anyio

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


# What holds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "alg", "kid"), [(RSA, "RS256", "rsa"), (EC, "ES256", "ec"), (ED, "EdDSA", "ed")])
async def test_a_token_of_each_accepted_algorithm_becomes_a_caller(key: Any, alg: str, kid: str) -> None:
    for named in (kid, ...):
        token = signed(claims(project_id="proj:shop", azp="web"), key, alg, named)
        assert await verifier().verify(f"Bearer {token}") == Caller(
            "ann", "acme", "proj:shop", ("eng", "data"), "web", False
        )


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER ", "  Bearer   "])
async def test_the_scheme_is_read_as_http_says(scheme: str) -> None:
    assert (await verifier().verify(scheme + signed(claims()) + " ")).user_id == "ann"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"groups": ...}, ()),
        ({"groups": None}, ()),
        ({"groups": []}, ()),
        ({"groups": ["/a/b", "a/b", "a"]}, ("a/b", "a")),
        ({"groups": ["a:b", "a#b", "a@b", "*", "a b", "a\tb", "", "/", "x" * 256, "\u202e", "ok"]}, ("ok",)),
    ],
)
async def test_groups_lose_their_slash_and_unusable_ones_are_left_out(
    changes: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert (await verifier().verify(f"Bearer {signed(claims(**changes))}")).groups == expected


async def test_the_groups_claim_can_be_named() -> None:
    token = signed(claims(groups=["x"], teams=["y"]))
    assert (await verifier(token_groups_claim="teams").verify(f"Bearer {token}")).groups == ("y",)


@pytest.mark.parametrize(
    ("changes", "client"),
    [({"client_id": "cli", "azp": "web"}, "cli"), ({"azp": "web"}, "web"), ({"client_id": None}, None), ({}, None)],
)
async def test_the_client_is_client_id_or_azp(changes: dict[str, Any], client: str | None) -> None:
    assert (await verifier().verify(f"Bearer {signed(claims(**changes))}")).client_id == client


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": ["other", "stoa"]},
        {"sub": "f:1234:ann@example.com"},
        {"sub": "auth0|5f7c8ec7c33c6c004bbafe82"},
        {"sub": "é"},
        {"exp": SECONDS + 0.5},
        {"nbf": SECONDS},
        {"iat": ...},
        {"iat": SECONDS + 5, "nbf": SECONDS + 5},
    ],
)
async def test_the_unusual_but_right_is_accepted(changes: dict[str, Any]) -> None:
    assert (await verifier().verify(f"Bearer {signed(claims(**changes))}")).organization_id == "acme"


@pytest.mark.parametrize("header", [{"typ": "at+jwt"}, {"typ": "application/at+jwt"}, {"x5t": "abc"}, {"x5c": ["abc"]}])
async def test_harmless_header_parameters_are_accepted(header: dict[str, Any]) -> None:
    assert await verifier().verify(f"Bearer {signed(claims(), **header)}")


async def test_the_organization_can_be_the_realm_of_the_issuer() -> None:
    token = f"Bearer {signed(claims(org_id=...))}"
    assert (await verifier(organization_from_issuer=True).verify(token)).organization_id == "acme"
    assert await code_of(token) == "TOKEN_INVALID"
    named = f"Bearer {signed(claims(org_id='globex'))}"
    assert (await verifier(organization_from_issuer=True).verify(named)).organization_id == "globex"


# What does not -------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", [None, "", " ", "\t"])
async def test_no_header_is_unauthenticated(header: str | None) -> None:
    assert await code_of(header) == "UNAUTHENTICATED"


GOOD = signed(claims())
HEAD, BODY, MAC = GOOD.split(".")


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        GOOD,
        f"Basic {GOOD}",
        f"Token {GOOD}",
        f"Bearer{GOOD}",
        f"Bearer {GOOD} {GOOD}",
        f"Bearer {GOOD}, Bearer {GOOD}",
        f"Bearer {HEAD}.{BODY}",
        f"Bearer {GOOD}.{MAC}.{MAC}",
        "Bearer ..",
        "Bearer a.b.c",
        f"Bearer {HEAD}.{BODY}.{MAC}=",
        f"Bearer {HEAD}.{BODY}.{MAC}!",
        f"Bearer {HEAD}.{BODY}.é",
        f"Bearer {HEAD}\n.{BODY}.{MAC}",
        f"Bearer {HEAD}.{BODY}.{MAC[:-1]}{'B' if MAC[-1] != 'B' else 'C'}",
        f"Bearer {raw(b'nonsense', claims())}",
        f"Bearer {raw([], claims())}",
        f"Bearer {raw('x', claims())}",
        f"Bearer {raw({'alg': 'RS256'}, b'nonsense')}",
        f"Bearer {raw({'alg': 'RS256'}, [1])}",
        f"Bearer {raw({'alg': 'RS256'}, b'{' + b'[' * 5000)}",
        f"Bearer {raw({'alg': 'RS256'}, json.dumps(claims()).encode('utf-16'))}",
        f"Bearer {raw({'alg': 'RS256'}, b'')}",
        "Bearer " + raw({"alg": "RS256"}, b'{"sub":"\xff"}'),
        "Bearer " + raw({"alg": "RS256"}, b'{"exp":NaN}'),
        f"Bearer {signed(claims(padding='x' * 17000))}",
        "Bearer " + "." * 100_000,
    ],
)
async def test_what_is_no_signed_jwt_is_malformed(header: str) -> None:
    assert await code_of(header) == "TOKEN_MALFORMED"


@pytest.mark.parametrize("late", [5, 6, 3600, 10**9])
async def test_a_token_past_its_end_is_expired(late: int) -> None:
    assert await code_of(f"Bearer {signed(claims(exp=SECONDS - late, iat=...))}") == "TOKEN_EXPIRED"


INVALID: dict[str, str] = {
    "alg none": raw({"alg": "none"}, claims()),
    "alg None": raw({"alg": "None"}, claims()),
    "alg nOnE with a signature": raw({"alg": "nOnE"}, claims(), b"x"),
    "alg missing": raw({"typ": "JWT"}, claims()),
    "alg null": raw({"alg": None}, claims()),
    "alg a list": raw({"alg": ["RS256"]}, claims()),
    "alg empty": raw({"alg": ""}, claims()),
    "alg in another case": raw({"alg": "rs256"}, claims(), b"x"),
    "alg outside the list": signed(claims(), RSA, "RS512"),
    "PS256 with the RS256 key": signed(claims(), RSA, "PS256"),
    "HS256 with the public key's PEM": signed(claims(), PUBLIC_PEM, "HS256"),
    "HS256 with an empty secret": signed(claims(), b"", "HS256"),
    "ES256 naming the RSA key": signed(claims(), EC, "ES256", "rsa"),
    "RS256 naming the EC key": signed(claims(), RSA, "RS256", "ec"),
    "signed with another key": signed(claims(), OTHER_RSA),
    "signature empty": f"{HEAD}.{BODY}.",
    "signature of another token": f"{HEAD}.{signed(claims(sub='bob')).split('.')[1]}.{MAC}",
    "header of another token": f"{raw({'alg': 'RS256', 'kid': 'rsa', 'x': 1}, {}).split('.')[0]}.{BODY}.{MAC}",
    "ES256 with zeros for a signature": raw({"alg": "ES256", "kid": "ec"}, claims(), bytes(64)),
    "iss wrong": signed(claims(iss="https://login.example/realms/globex")),
    "iss with a slash more": signed(claims(iss=ISSUER + "/")),
    "iss in another case": signed(claims(iss=ISSUER.upper())),
    "iss missing": signed(claims(iss=...)),
    "iss a list": signed(claims(iss=[ISSUER])),
    "iss an object": signed(claims(iss={ISSUER: 1})),
    "iss of the development issuer": signed(claims(iss="stoa-development")),
    "aud wrong": signed(claims(aud="other")),
    "aud missing": signed(claims(aud=...)),
    "aud empty": signed(claims(aud=[])),
    "aud a longer name": signed(claims(aud="stoa2")),
    "aud not strings": signed(claims(aud=["stoa", 1])),
    "aud an object": signed(claims(aud={"stoa": 1})),
    "exp missing": signed(claims(exp=...)),
    "exp null": signed(claims(exp=None)),
    "exp a string": signed(claims(exp=str(SECONDS + 300))),
    "exp true": signed(claims(exp=True)),
    "exp huge": signed(claims(exp=1e300)),
    "exp too long a number": signed(claims(exp=10**40)),
    "exp negative": signed(claims(exp=-1)),
    "exp a list": signed(claims(exp=[SECONDS + 300])),
    "sub missing": signed(claims(sub=...)),
    "sub null": signed(claims(sub=None)),
    "sub empty": signed(claims(sub="")),
    "sub a number": signed(claims(sub=7)),
    "sub too long": signed(claims(sub="x" * 256)),
    "sub with a null byte": signed(claims(sub="ann\x00")),
    "sub with a line end": signed(claims(sub="ann\nbob")),
    "sub with white space": signed(claims(sub="ann bob")),
    "sub with a bidirectional mark": signed(claims(sub="ann\u202e")),
    "sub that is a userset": signed(claims(sub="ann#member")),
    "sub that is everybody": signed(claims(sub="*")),
    "sub of a worker": signed(claims(sub="stoa:worker")),
    "sub of a worker in another case": signed(claims(sub="Stoa:worker")),
    "org_id missing": signed(claims(org_id=...)),
    "org_id null": signed(claims(org_id=None)),
    "org_id empty": signed(claims(org_id="")),
    "org_id a list": signed(claims(org_id=["acme"])),
    "org_id with a colon": signed(claims(org_id="acme:shop")),
    "org_id with a path": signed(claims(org_id="../globex")),
    "org_id dots": signed(claims(org_id="..")),
    "org_id too long": signed(claims(org_id="x" * 256)),
    "project_id a number": signed(claims(project_id=7)),
    "project_id empty": signed(claims(project_id="")),
    "project_id with control characters": signed(claims(project_id="a\x7f")),
    "client_id an object": signed(claims(client_id={})),
    "groups a string": signed(claims(groups="admins")),
    "groups of numbers": signed(claims(groups=[1])),
    "groups an object": signed(claims(groups={"a": 1})),
    "groups too many": signed(claims(groups=[str(n) for n in range(501)])),
    "nbf in the future": signed(claims(nbf=SECONDS + 6)),
    "nbf a string": signed(claims(nbf="soon")),
    "nbf null": signed(claims(nbf=None)),
    "iat in the future": signed(claims(iat=SECONDS + 6)),
    "jti not a string": signed(claims(jti=1)),
    "kid unknown": signed(claims(), kid="unknown"),
    "kid empty": signed(claims(), kid=""),
    "kid null": signed(claims(), kid=None),
    "kid a number": signed(claims(), kid=1),
    "kid a list": signed(claims(), kid=["rsa"]),
    "kid an object": signed(claims(), kid={"rsa": 1}),
    "kid a path": signed(claims(), kid="../../../../dev/null"),
    "kid a URL": signed(claims(), kid="https://evil.example/jwks.json"),
    "kid SQL": signed(claims(), kid="rsa' OR '1'='1"),
    "kid with a null byte": signed(claims(), kid="rsa\x00"),
    "kid very long": signed(claims(), kid="x" * 5000),
    "an embedded key": signed(claims(), OTHER_RSA, jwk=jwk(OTHER_RSA, "rsa")),
    "an embedded key and no kid": signed(claims(), OTHER_RSA, kid=..., jwk=jwk(OTHER_RSA, None)),
    "the address of a key set": signed(claims(), OTHER_RSA, jku="https://evil.example/jwks.json"),
    "the address of a certificate": signed(claims(), OTHER_RSA, x5u="https://evil.example/cert.pem"),
    "an embedded certificate": signed(claims(), OTHER_RSA, x5c=["MIIB"]),
    "an embedded key that is the right one": signed(claims(), jwk=jwk(RSA, "rsa")),
    "crit": signed(claims(), crit=["exp"], exp=1),
    "crit empty": signed(claims(), crit=[]),
    "crit b64": signed(claims(), crit=["b64"], b64=False),
    "b64 without crit": signed(claims(), b64=True),
    "typ of a logout token": signed(claims(), typ="logout+jwt"),
    "typ not a string": signed(claims(), typ=1),
    "expired and for another audience": signed(claims(exp=SECONDS - 99, aud="other")),
    "expired and from another issuer": signed(claims(exp=SECONDS - 99, iss="https://evil.example")),
    "expired and not signed": raw({"alg": "none"}, claims(exp=SECONDS - 99)),
    "expired and signed with another key": signed(claims(exp=SECONDS - 99), OTHER_RSA),
    "expired and without an organization": signed(claims(exp=SECONDS - 99, org_id=...)),
}


@pytest.mark.parametrize("trick", INVALID)
async def test_what_does_not_hold_is_invalid(trick: str) -> None:
    assert await code_of(f"Bearer {INVALID[trick]}") == "TOKEN_INVALID"


async def test_a_second_key_makes_a_token_without_key_id_ambiguous() -> None:
    keys = KeySet({"keys": [jwk(RSA, "a"), jwk(OTHER_RSA, "b")]}, ALGORITHMS)
    checked = TokenVerifier(TokenSettings(issuer=ISSUER), StaticKeys(keys), clock=Clock())
    with pytest.raises(ApiError) as failure:
        await checked.verify(f"Bearer {signed(claims(), kid=...)}")
    assert failure.value.code == "TOKEN_INVALID"


async def test_a_failure_repeats_nothing_of_the_token() -> None:
    for token in (*INVALID.values(), signed(claims(exp=1))):
        with pytest.raises(ApiError) as failure:
            await verifier().verify(f"Bearer {token}")
        assert "evil" not in failure.value.message
        assert "ann" not in failure.value.message
        assert failure.value.details == {}


# Any input at all ----------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
CLAIM_NAMES = ["iss", "aud", "sub", "org_id", "exp", "nbf", "iat", "jti", "groups", "project_id", "client_id", "azp"]
HEADER_NAMES = ["alg", "kid", "typ", "crit", "b64", "jwk", "jku", "cty", "x5t"]


def outcome(header: str) -> str:
    async def ask() -> str:
        try:
            caller = await verifier().verify(header)
        except Unauthenticated as failure:
            return failure.code
        assert caller.user_id
        assert caller.organization_id
        return "caller"

    return anyio.run(ask)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300) | st.from_regex(r"Bearer [A-Za-z0-9_-]{0,30}\.[A-Za-z0-9_-]{0,30}\.[A-Za-z0-9_-]{0,30}"))
def test_any_text_gives_a_code_of_the_catalogue(header: str) -> None:
    assert outcome(header) in {"UNAUTHENTICATED", "TOKEN_MALFORMED", "TOKEN_INVALID"}


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(CLAIM_NAMES), JSON, max_size=3))
def test_any_signed_claims_give_a_caller_or_a_code_of_the_catalogue(changes: dict[str, Any]) -> None:
    assert outcome(f"Bearer {signed(claims(**changes), ED, 'EdDSA', 'ed')}") in {
        "caller",
        "TOKEN_EXPIRED",
        "TOKEN_INVALID",
        "TOKEN_MALFORMED",
    }


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(HEADER_NAMES), JSON, min_size=1, max_size=3), st.binary(max_size=70))
def test_any_header_gives_a_code_of_the_catalogue(header: dict[str, Any], signature: bytes) -> None:
    assert outcome(f"Bearer {raw({'alg': 'RS256', **header}, claims(), signature)}") == "TOKEN_INVALID"


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(GOOD) - 1), st.sampled_from("ABab01-_."))
def test_no_change_of_one_character_goes_unseen(position: int, mark: str) -> None:
    changed = GOOD[:position] + mark + GOOD[position + 1 :]
    assert (outcome(f"Bearer {changed}") == "caller") == (changed == GOOD)


# What is remembered --------------------------------------------------------------------------------


class CountedKeys(StaticKeys):
    def __init__(self, keys: KeySet) -> None:
        super().__init__(keys)
        self.asked = 0

    async def find(self, kid: str | None, algorithm: str, issuer: str = "") -> jwt.PyJWK | None:
        self.asked += 1
        return await super().find(kid, algorithm, issuer)

    def swap(self, keys: KeySet) -> None:
        self._keys = keys


def remembering(**settings: Any) -> tuple[TokenVerifier, CountedKeys, Clock]:
    keys, clock = CountedKeys(KeySet(JWKS, ALGORITHMS)), Clock()
    return TokenVerifier(TokenSettings(issuer=ISSUER, **settings), keys, clock=clock), keys, clock


async def test_a_verified_token_is_remembered_for_a_minute() -> None:
    checked, keys, clock = remembering()
    first = await checked.verify(f"Bearer {GOOD}")
    clock.now += timedelta(seconds=59)
    assert await checked.verify(f"bearer  {GOOD}") is first
    assert keys.asked == 1
    clock.now += timedelta(seconds=1)
    await checked.verify(f"Bearer {GOOD}")
    assert keys.asked == 2


async def test_a_remembered_token_ends_when_it_expires() -> None:
    checked, _, clock = remembering(token_leeway=0)
    token = signed(claims(exp=SECONDS + 10))
    await checked.verify(f"Bearer {token}")
    clock.now += timedelta(seconds=9, microseconds=999_999)
    await checked.verify(f"Bearer {token}")
    clock.now = NOW + timedelta(seconds=10)
    with pytest.raises(ApiError) as failure:
        await checked.verify(f"Bearer {token}")
    assert failure.value.code == "TOKEN_EXPIRED"


async def test_a_change_of_keys_empties_the_memory() -> None:
    checked, keys, _ = remembering()
    await checked.verify(f"Bearer {GOOD}")
    keys.swap(KeySet({"keys": [jwk(OTHER_RSA, "rsa")]}, ALGORITHMS))
    with pytest.raises(ApiError) as failure:
        await checked.verify(f"Bearer {GOOD}")
    assert failure.value.code == "TOKEN_INVALID"
    assert checked.remembered == 0


async def test_the_memory_is_bounded_and_drops_the_least_recently_used() -> None:
    checked, keys, _ = remembering(token_cache_size=2)
    tokens = [signed(claims(sub=name), ED, "EdDSA", "ed") for name in ("a", "b", "c")]
    for token in (tokens[0], tokens[1], tokens[0], tokens[2], tokens[0]):
        await checked.verify(f"Bearer {token}")
    assert (checked.remembered, keys.asked) == (2, 3)
    await checked.verify(f"Bearer {tokens[1]}")
    assert keys.asked == 4


@pytest.mark.parametrize("off", [{"token_cache_size": 0}, {"token_cache_seconds": 0}])
async def test_the_memory_can_be_turned_off(off: dict[str, int]) -> None:
    checked, keys, _ = remembering(**off)
    for _ in range(2):
        await checked.verify(f"Bearer {GOOD}")
    assert (checked.remembered, keys.asked) == (0, 2)


@pytest.mark.parametrize(
    "trick", [name for name in INVALID if name.startswith(("alg", "HS256", "PS256", "iss", "crit"))]
)
async def test_a_token_that_cannot_hold_is_refused_before_keys_are_looked_up(trick: str) -> None:
    checked, keys, _ = remembering()
    with pytest.raises(ApiError) as failure:
        await checked.verify(f"Bearer {INVALID[trick]}")
    assert (failure.value.code, keys.asked) == ("TOKEN_INVALID", 0)


async def test_a_failure_is_never_remembered() -> None:
    checked, _, clock = remembering()
    early = signed(claims(nbf=SECONDS + 60))
    with pytest.raises(ApiError):
        await checked.verify(f"Bearer {early}")
    clock.now += timedelta(seconds=60)
    assert (await checked.verify(f"Bearer {early}")).user_id == "ann"


# Settings, anonymous callers, the caller itself ----------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"token_algorithms": "HS256"},
        {"token_algorithms": "none"},
        {"token_algorithms": "RS256,none"},
        {"token_algorithms": ""},
        {"token_cache_seconds": 61},
        {"jwks_url": "https://login.example/keys"},
        {"anonymous_reads": True},
        {"issuer": "https://{organization}/x"},
        {"issuer": "https://login.example/{organization}/x"},
        {"issuer": "https://login.example/{realm}"},
        {"issuer": "https://login.example/a{organization}"},
        {"issuer": "https://login.example/{organization}/{organization}"},
        {"issuer": "https://login.example/{organization}", "jwks_url": "https://login.example/keys"},
    ],
)
def test_settings_that_are_unsafe_or_make_no_sense_do_not_start(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TokenSettings(**wrong)


async def test_anonymous_callers_exist_only_when_the_deployment_turns_them_on() -> None:
    with pytest.raises(Unauthenticated):
        verifier().anonymous("192.0.2.1")
    caller = verifier(anonymous_reads=True, anonymous_organization="acme").anonymous("192.0.2.1")
    assert (caller.anonymous, caller.organization_id, caller.project_id) == (True, "acme", None)
    assert caller.principal == "anonymous:192.0.2.1"
    assert await code_of(f"Bearer {signed(claims(sub=caller.user_id))}") == "TOKEN_INVALID"
    assert await code_of(None, anonymous_reads=True, anonymous_organization="acme") == "UNAUTHENTICATED"


def test_a_caller_names_every_subject_that_relations_may_mention() -> None:
    caller = Caller("ann", "acme", "shop", ("eng", "a/b"))
    assert caller.subjects == ("user:ann", "group:eng#member", "group:a/b#member")


def test_a_caller_is_written_down_and_read_back() -> None:
    for caller in (Caller("ann", "acme", "shop", ("eng",), "cli"), Caller("ann", "acme"), Caller.nobody("acme", "::1")):
        assert Caller.from_dict(json.loads(json.dumps(caller.to_dict()))) == caller


def test_no_two_callers_share_a_rate_window() -> None:
    callers = [
        Caller("ann", "acme"),
        Caller("ann", "globex"),
        Caller("acme:ann", "x"),
        Caller("ann", "x:acme"),
        Caller.nobody("acme", "ann"),
        Caller.nobody("acme", "192.0.2.1"),
    ]
    assert len({caller.principal for caller in callers[:3] + callers[4:]}) == 5
    assert Caller("ann", "acme", "shop", ("g",), "cli").principal == callers[0].principal


# The development issuer ----------------------------------------------------------------------------


async def test_the_development_issuer_and_the_verifier_agree(tmp_path: Path) -> None:
    clock = Clock()
    issuer = DevelopmentIssuer(tmp_path, clock=clock)
    checked = TokenVerifier(TokenSettings(token_algorithms="RS256"), StaticKeys(issuer.key_set()), clock=clock)
    token = issuer.issue("ann", "acme", "shop", ["eng"], timedelta(minutes=5))
    assert await checked.verify(f"Bearer {token}") == Caller("ann", "acme", "shop", ("eng",), "stoa-cli")
    again = DevelopmentIssuer(tmp_path, clock=clock).issue("bob", "acme")
    assert (await checked.verify(f"Bearer {again}")).project_id is None
    clock.now += timedelta(minutes=5, seconds=5)
    with pytest.raises(ApiError) as failure:
        await checked.verify(f"Bearer {token}")
    assert failure.value.code == "TOKEN_EXPIRED"


async def test_a_configured_issuer_turns_the_development_issuer_off(tmp_path: Path) -> None:
    token = DevelopmentIssuer(tmp_path, clock=Clock()).issue("ann", "acme")
    assert await code_of(f"Bearer {token}") == "TOKEN_INVALID"


def test_the_key_of_the_development_issuer_is_its_owners_only(tmp_path: Path) -> None:
    DevelopmentIssuer(tmp_path / "data")
    assert stat.S_IMODE((tmp_path / "data" / "issuer.pem").stat().st_mode) == 0o600
    assert os.listdir(tmp_path / "data") == ["issuer.pem"]


@pytest.mark.parametrize("ttl", [timedelta(0), timedelta(seconds=-1), timedelta(days=367)])
def test_a_development_token_has_a_sane_life(tmp_path: Path, ttl: timedelta) -> None:
    with pytest.raises(ValueError, match="366 days"):
        DevelopmentIssuer(tmp_path).issue("ann", "acme", ttl=ttl)


def test_a_file_that_holds_another_key_is_reported(tmp_path: Path) -> None:
    pem = EC.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "issuer.pem").write_bytes(pem)
    with pytest.raises(ValueError, match=r"issuer\.pem"):
        DevelopmentIssuer(tmp_path)


def test_a_key_that_another_process_made_a_moment_earlier_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = DevelopmentIssuer(tmp_path).key_set().fingerprint
    monkeypatch.setattr(Path, "exists", lambda _: False)  # as it looked before the other process was done
    assert DevelopmentIssuer(tmp_path).key_set().fingerprint == first


def _issue_at(folder: str, gate: Any, answers: Any) -> None:
    gate.wait()
    answers.put(DevelopmentIssuer(Path(folder)).key_set().fingerprint)


def test_processes_that_start_at_once_share_one_key(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    gate, answers = context.Barrier(4), context.Queue()
    processes = [context.Process(target=_issue_at, args=(str(tmp_path), gate, answers)) for _ in range(4)]
    for process in processes:
        process.start()
    prints = {answers.get(timeout=60) for _ in processes}
    for process in processes:
        process.join()
    assert prints == {DevelopmentIssuer(tmp_path).key_set().fingerprint}
