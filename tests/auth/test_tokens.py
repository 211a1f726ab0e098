"""Tokens: every trick has its exact code, and what holds becomes a caller."""

import json
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auth.caller import Caller
from auth.keys import KeySet, StaticKeys
from auth.tokens import TokenSettings, TokenVerifier
from schema.errors import ApiError, TokenInvalid, Unauthenticated
from tests.auth.tokens import (
    ALGORITHMS,
    EC,
    ED,
    ISSUER,
    OTHER_RSA,
    PUBLIC_PEM,
    RSA,
    SECONDS,
    Clock,
    claims,
    code_of,
    jwk,
    raw,
    signed,
    verifier,
)

pytestmark = pytest.mark.anyio

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
        (
            {"groups": ["a:b", "a#b", "a@b", "*", "a b", "a\tb", "", "/", "x" * 256, "\u202e", "ok"]},
            ("a:b", "a@b", "ok"),
        ),
    ],
)
async def test_groups_lose_their_slash_and_unusable_ones_are_left_out(
    changes: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert (await verifier().verify(f"Bearer {signed(claims(**changes))}")).groups == expected


@pytest.mark.parametrize(
    ("scope", "reads_only"),
    [
        (None, False),
        ("", False),
        ("openid read", False),
        ("openid stoa:read", True),
        ("stoa:read stoa:write", False),
        (["stoa:read"], True),
        ("stoa:write", False),
    ],
)
async def test_a_token_for_reading_alone_says_so_in_its_scope(scope: Any, reads_only: bool) -> None:
    caller = await verifier().verify(f"Bearer {signed(claims(scope=scope))}")
    assert caller.reads_only is reads_only
    assert Caller.from_dict(caller.to_dict()) == caller


@pytest.mark.parametrize("scope", [7, {"stoa:read": True}, ["stoa:read", 7]])
async def test_a_scope_of_another_shape_refuses_the_token(scope: Any) -> None:
    with pytest.raises(TokenInvalid):
        await verifier().verify(f"Bearer {signed(claims(scope=scope))}")


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
