"""Tokens: nothing is remembered too long, settings that are unsafe do not start, and the development issuer."""

import json
import multiprocessing
import os
import stat
from datetime import timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pydantic import ValidationError

from auth.caller import Caller
from auth.issuer import DevelopmentIssuer
from auth.keys import KeySet, StaticKeys
from auth.tokens import TokenSettings, TokenVerifier
from schema.errors import ApiError, Unauthenticated
from tests.auth.test_tokens import GOOD, INVALID
from tests.auth.tokens import (
    ALGORITHMS,
    EC,
    ED,
    ISSUER,
    JWKS,
    NOW,
    OTHER_RSA,
    SECONDS,
    Clock,
    claims,
    code_of,
    jwk,
    signed,
    verifier,
)

pytestmark = pytest.mark.anyio

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
