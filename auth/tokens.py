"""From an Authorization header to a caller, with one exact code for every way in which that can fail.

No header is UNAUTHENTICATED; what cannot be parsed as a signed JWT is TOKEN_MALFORMED; a token that holds in every
other respect but is past its `exp` is TOKEN_EXPIRED; everything else is TOKEN_INVALID. The sentences never repeat
anything that came in the token.
"""

import base64
import binascii
import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import httpx
import jwt
import orjson
from pydantic import BaseModel, Field, field_validator, model_validator

from auth import issuer as development
from auth.caller import READ_SCOPE, RESERVED_PREFIX, WRITE_SCOPE, Caller, is_reserved
from auth.keys import FAMILIES, LONGEST_KEY_ID, KeySource, ProviderKeys, RealmKeys
from schema.errors import TokenExpired, TokenInvalid, TokenMalformed, Unauthenticated

LONGEST_TOKEN = 16 * 1024
MOST_GROUPS = 500
LONGEST_NAME = 255
REALM = "{organization}"
REALM_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
SEGMENT = re.compile(r"[A-Za-z0-9_-]*", re.ASCII)
TYPES = frozenset({"jwt", "at+jwt", "application/jwt", "application/at+jwt"})
KEY_CARRIERS = ("jwk", "jku", "x5u", "b64", "crit")
"""Header parameters that would let a token bring its own key or its own rules; a token with one is refused."""


class TokenSettings(BaseModel):
    """Which tokens are accepted, and what is read from them."""

    issuer: str | None = Field(
        None,
        description="The `iss` that tokens must carry. Unset: the development issuer of the data folder. A last part "
        "{organization} (https://login.example/realms/{organization}) trusts every realm for its own organization.",
    )
    audience: str = Field("stoa", min_length=1, description="The `aud` that tokens must carry.")
    jwks_url: str | None = Field(
        None,
        description="Where the issuer's public keys are; may hold {organization} like the issuer. Unset: asked of the "
        "issuer by OpenID Connect discovery.",
    )
    jwks_lifetime: int = Field(300, ge=10, le=86400, description="Seconds after which the keys are fetched again.")
    jwks_refresh_floor: int = Field(
        30, ge=1, le=3600, description="Least seconds between two fetches of the keys, whatever tokens name."
    )
    jwks_max_stale: int | None = Field(
        None,
        ge=60,
        description="Seconds after which keys that could not be fetched again stop counting. Unset: they stay.",
    )
    token_algorithms: str = Field(
        "RS256,ES256,EdDSA", description="Accepted signature algorithms, comma-separated; asymmetric ones only."
    )
    token_leeway: int = Field(5, ge=0, le=120, description="Seconds by which clocks may differ.")
    token_groups_claim: str = Field("groups", min_length=1, description="The claim that holds the user's groups.")
    organization_from_issuer: bool = Field(
        False,
        description="Read the organization from the last path segment (the realm) of `iss` when org_id is absent.",
    )
    anonymous_reads: bool = Field(
        False, description="Whether requests without a token may read what the user stoa:anonymous is granted."
    )
    anonymous_organization: str | None = Field(
        None, description="The organization that requests without a token read; required for anonymous reads."
    )
    token_cache_size: int = Field(4096, ge=0, le=1_000_000, description="Verified tokens remembered; 0: none.")
    token_cache_seconds: int = Field(60, ge=0, le=60, description="How long a verified token is remembered at most.")

    @field_validator("token_algorithms")
    @classmethod
    def _asymmetric(cls, value: str) -> str:
        names = [name.strip() for name in value.split(",") if name.strip()]
        if not names or any(name not in FAMILIES for name in names):
            raise ValueError(f"must name at least one of {', '.join(FAMILIES)}")
        return ",".join(dict.fromkeys(names))

    @model_validator(mode="after")
    def _whole(self) -> "TokenSettings":
        if self.anonymous_reads and not self.anonymous_organization:
            raise ValueError("STOA_ANONYMOUS_READS needs STOA_ANONYMOUS_ORGANIZATION: whose data may be read?")
        if self.jwks_url is not None and self.issuer is None:
            raise ValueError("STOA_JWKS_URL needs STOA_ISSUER: whose keys are they?")
        if self.issuer is not None and not (self.jwks_url or self.issuer).startswith(("https://", "http://")):
            raise ValueError(
                "The keys of STOA_ISSUER are fetched: write it, or STOA_JWKS_URL, as https://login.example/..."
            )
        if self.issuer is not None and ("{" in self.issuer or "}" in self.issuer):
            prefix, mark, rest = self.issuer.partition(REALM)
            if not mark or rest or not prefix.endswith("/") or "{" in prefix or "}" in prefix or "?" in prefix:
                raise ValueError(f"STOA_ISSUER may hold {REALM} once, as the last part of its path")
            if self.jwks_url is not None and REALM not in self.jwks_url:
                raise ValueError(f"STOA_JWKS_URL must hold {REALM} too: one realm's keys may not sign for another")
        return self

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The accepted algorithms in order; the development issuer signs with EdDSA only."""
        return ("EdDSA",) if self.issuer is None else tuple(self.token_algorithms.split(","))

    @property
    def development(self) -> bool:
        """Return whether the development issuer is the issuer."""
        return self.issuer is None

    @property
    def expected_issuer(self) -> str:
        """The `iss` in force, or its pattern."""
        return development.ISSUER if self.issuer is None else self.issuer

    @property
    def realms(self) -> bool:
        """Return whether every organization has a realm, and so an issuer, of its own."""
        return self.issuer is not None and self.issuer.endswith(REALM)

    def realm_of(self, issuer: str) -> str | None:
        """The organization whose realm the issuer is, or None when it does not fit the pattern."""
        prefix = self.expected_issuer.removesuffix(REALM)
        realm = issuer.removeprefix(prefix)
        return realm if issuer == prefix + realm and REALM_NAME.fullmatch(realm) else None

    def provider_keys(
        self, client: httpx.AsyncClient, *, monotonic: Callable[[], float] = time.monotonic
    ) -> ProviderKeys | RealmKeys:
        """The configured provider's keys, fetched through a client that the outbound policy guards.

        Raises ValueError when no provider is configured; the development issuer brings its own keys.
        """
        if self.issuer is None:
            raise ValueError("STOA_ISSUER is not set; the development issuer brings its own keys.")

        def of(issuer: str) -> ProviderKeys:
            url = self.jwks_url
            if url is not None and self.realms:
                url = url.replace(REALM, self.realm_of(issuer) or "")
            return ProviderKeys(
                client,
                issuer=issuer,
                jwks_url=url,
                algorithms=self.algorithms,
                lifetime=self.jwks_lifetime,
                floor=self.jwks_refresh_floor,
                first_floor=self.jwks_refresh_floor if self.realms else min(5, self.jwks_refresh_floor),
                max_stale=self.jwks_max_stale,
                monotonic=monotonic,
            )

        return RealmKeys(of, monotonic=monotonic) if self.realms else of(self.issuer)

    @property
    def expected_audience(self) -> str:
        """The `aud` in force; the development issuer knows one only."""
        return development.AUDIENCE if self.issuer is None else self.audience


def _utc_now() -> datetime:
    return datetime.now(UTC)


class TokenVerifier:
    """Verifies tokens and remembers, briefly, those that held.

    What is remembered never outlives the token's `exp`, `token_cache_seconds`, or a change of the keys. A failure is
    never remembered.
    """

    def __init__(self, settings: TokenSettings, keys: KeySource, *, clock: Callable[[], datetime] = _utc_now) -> None:
        self._settings = settings
        self._keys = keys
        self._clock = clock
        self._algorithms = frozenset(settings.algorithms)
        self._checks = jwt.PyJWT({"verify_exp": False, "verify_iat": False, "verify_nbf": False})
        self._known: OrderedDict[bytes, tuple[Caller, float]] = OrderedDict()
        self._generation = keys.generation

    @property
    def remembered(self) -> int:
        """Return how many verified tokens are remembered."""
        return len(self._known)

    async def verify(self, authorization_header: str | None) -> Caller:
        """The caller that the header proves.

        Raises Unauthenticated, TokenMalformed, TokenExpired or TokenInvalid as the top of this file says, and
        UpstreamUnavailable when the provider's keys were never to be had.
        """
        header = "" if authorization_header is None else authorization_header.strip()
        if not header:
            raise Unauthenticated("Send an access token in the header: Authorization: Bearer <token>.")
        if len(header) > LONGEST_TOKEN:
            raise TokenMalformed(f"The Authorization header is longer than {LONGEST_TOKEN} characters.")
        scheme, _, token = header.partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token.isascii():
            raise TokenMalformed("The Authorization header must read: Bearer <token>.")
        key = hashlib.sha256(token.encode()).digest()
        now = self._clock().timestamp()
        caller = self._recall(key, now)
        return caller if caller is not None else await self._prove(token, key, now)

    def anonymous(self, address: str) -> Caller:
        """The caller of a request without a token. Raises Unauthenticated unless anonymous reads are on."""
        if not self._settings.anonymous_reads or self._settings.anonymous_organization is None:
            raise Unauthenticated("Send an access token in the header: Authorization: Bearer <token>.")
        return Caller.nobody(self._settings.anonymous_organization, address)

    def _recall(self, key: bytes, now: float) -> Caller | None:
        if self._generation != self._keys.generation:
            self._known.clear()
            self._generation = self._keys.generation
        found = self._known.get(key)
        if found is None:
            return None
        caller, until = found
        if now >= until:
            del self._known[key]
            return None
        self._known.move_to_end(key)
        return caller

    def _remember(self, key: bytes, caller: Caller, now: float, expires: float) -> None:
        size = self._settings.token_cache_size
        until = min(expires, now + self._settings.token_cache_seconds)
        if size == 0 or until <= now:
            return
        if self._generation != self._keys.generation:
            self._known.clear()
            self._generation = self._keys.generation
        self._known[key] = (caller, until)
        while len(self._known) > size:
            self._known.popitem(last=False)

    async def _prove(self, token: str, cache_key: bytes, now: float) -> Caller:
        header, unproven = _parsed(token)
        algorithm, kid = self._checked_header(header)
        # The issuer chooses the keys, so it is judged before anything is fetched.
        issuer = self._trusted_issuer(unproven.get("iss"))
        key = await self._keys.find(kid, algorithm, issuer)
        # No await below: the key set cannot change between this proof and its being remembered.
        if key is None:
            raise TokenInvalid("The token is signed with a key that its issuer does not publish. Obtain a new token.")
        claims = self._signed_claims(token, key, algorithm, issuer)
        caller = self._caller(claims)
        expires = self._checked_times(claims, now)
        self._remember(cache_key, caller, now, expires)
        return caller

    def _checked_header(self, header: dict[str, Any]) -> tuple[str, str | None]:
        algorithm, kid, kind = header.get("alg"), header.get("kid"), header.get("typ", "JWT")
        if not isinstance(algorithm, str) or algorithm not in self._algorithms:
            accepted = ", ".join(self._settings.algorithms)
            raise TokenInvalid(f"The token's signature algorithm is not accepted here. Use one of {accepted}.")
        if any(name in header for name in KEY_CARRIERS):
            raise TokenInvalid("The token's header carries a key or a rule of its own, which is not accepted here.")
        if not isinstance(kind, str) or kind.lower() not in TYPES:
            raise TokenInvalid("The token is not an access token.")
        if "kid" in header and (not isinstance(kid, str) or not 0 < len(kid) <= LONGEST_KEY_ID):
            raise TokenInvalid("The token's key id is not usable. Obtain a new token from the identity provider.")
        return algorithm, kid

    def _trusted_issuer(self, issuer: Any) -> str:
        settings = self._settings
        if isinstance(issuer, str):
            fits = settings.realm_of(issuer) is not None if settings.realms else issuer == settings.expected_issuer
            if fits:
                return issuer
        raise TokenInvalid("The token comes from another issuer than this deployment trusts.")

    def _signed_claims(self, token: str, key: jwt.PyJWK, algorithm: str, issuer: str) -> dict[str, Any]:
        try:
            return self._checks.decode(
                token,
                key,
                algorithms=[algorithm],
                audience=self._settings.expected_audience,
                issuer=issuer,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.InvalidSignatureError:
            raise TokenInvalid("The token's signature does not hold. Obtain a new token.") from None
        except jwt.InvalidIssuerError:
            raise TokenInvalid("The token comes from another issuer than this deployment trusts.") from None
        except jwt.InvalidAudienceError:
            raise TokenInvalid("The token was issued for another audience than this deployment.") from None
        except jwt.MissingRequiredClaimError as error:
            raise TokenInvalid(f"The token lacks the claim {error.claim}.") from None
        except Exception:  # a foreign document: whatever the library makes of it, the token does not hold
            raise TokenInvalid("The token does not hold. Obtain a new token from the identity provider.") from None

    def _checked_times(self, claims: dict[str, Any], now: float) -> float:
        """Check `nbf`, `iat` and last `exp`; answer until when the token may be used, leeway included."""
        leeway = self._settings.token_leeway
        for name in ("nbf", "iat"):
            if name in claims and _moment(claims, name) > now + leeway:
                raise TokenInvalid(f"The token's {name} lies in the future. Check the clocks.")
        expires = _moment(claims, "exp") + leeway
        if now >= expires:
            raise TokenExpired("The token has expired. Obtain a new one and retry.")
        return expires

    def _caller(self, claims: dict[str, Any]) -> Caller:
        user = _name(claims, "sub")
        if is_reserved(user):
            raise TokenInvalid(
                f"The token's sub starts with {RESERVED_PREFIX}, which names the platform's own workers."
            )
        client = "client_id" if claims.get("client_id") is not None else "azp"
        return Caller(
            user_id=user,
            organization_id=self._organization(claims),
            project_id=None if claims.get("project_id") is None else _name(claims, "project_id"),
            groups=_groups(claims, self._settings.token_groups_claim),
            client_id=None if claims.get(client) is None else _name(claims, client),
            reads_only=_reads_only(claims),
        )

    def _organization(self, claims: dict[str, Any]) -> str:
        realm: str | None = None
        if self._settings.realms:
            realm = self._settings.realm_of(claims["iss"])
        elif self._settings.organization_from_issuer:
            # `iss` is proven to be the configured issuer by now, so the realm is the deployment's own choice.
            realm = urlsplit(claims["iss"]).path.rstrip("/").rpartition("/")[2]
        if realm is not None and claims.get("org_id") is None:
            claims = {"org_id": realm}
        organization = _name(claims, "org_id")
        if any(mark in organization for mark in ":/\\") or organization in (".", ".."):
            raise TokenInvalid("The token's org_id holds a character that no organization's id may hold.")
        if self._settings.realms and organization != realm:
            # Whoever administers one realm must not be able to issue tokens for another organization.
            raise TokenInvalid("The token's org_id is another organization than its issuer's realm.")
        return organization


def _parsed(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header and the unproven claims of a JWT whose three parts are what they must be. Raises TokenMalformed."""
    parts = token.split(".")
    if len(parts) != 3:
        raise TokenMalformed("The token is not a JWT: it must have three parts, separated by dots.")
    header, payload, _signature = (_decoded(part) for part in parts)
    try:
        first, second = orjson.loads(header), orjson.loads(payload)
    except orjson.JSONDecodeError:
        raise TokenMalformed("The token is not a JWT: its first two parts must be JSON.") from None
    if not isinstance(first, dict) or not isinstance(second, dict):
        raise TokenMalformed("The token is not a JWT: its first two parts must be JSON objects.")
    return first, second


def _decoded(part: str) -> bytes:
    try:
        if SEGMENT.fullmatch(part) is None:
            raise ValueError
        decoded = base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
        # Left-over bits would give one token many spellings.
        if base64.urlsafe_b64encode(decoded).rstrip(b"=").decode() != part:
            raise ValueError
    except (ValueError, binascii.Error):
        raise TokenMalformed("The token is not a JWT: its parts must be base64url without padding.") from None
    return decoded


def _moment(claims: dict[str, Any], name: str) -> float:
    value = claims[name]
    # JSON's true is an int to Python, and a number beyond any date is a mistake or a trick.
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        raise TokenInvalid(f"The token's {name} is not a number of seconds.")
    return float(value)


def _name(claims: dict[str, Any], name: str) -> str:
    """A claim that names somebody or something: printable, without white space and the marks `#` and `*`."""
    value = claims.get(name)
    if value is None:
        raise TokenInvalid(f"The token lacks the claim {name}.")
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME or not _plain(value, "#*"):
        raise TokenInvalid(f"The token's {name} is not a usable name of 1 to {LONGEST_NAME} characters.")
    return value


def _plain(value: str, forbidden: str) -> bool:
    return value.isprintable() and not any(mark.isspace() or mark in forbidden for mark in value)


def _groups(claims: dict[str, Any], claim: str) -> tuple[str, ...]:
    """The groups, in order, each once, without a leading slash.

    A name that is empty, longer than 255 characters, the platform's own, or holds white space or one of `# *` is left
    out: no relation can name it, and one odd group of the provider must not lock its members out. A claim of another
    shape, or of more than 500 groups, refuses the token: dropping some at random would take rights away unseen.
    """
    value = claims.get(claim)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(group, str) for group in value):
        raise TokenInvalid(f"The token's {claim} is not an array of strings.")
    if len(value) > MOST_GROUPS:
        raise TokenInvalid(f"The token names more than {MOST_GROUPS} groups. Have the provider send fewer.")
    names = (group.removeprefix("/") for group in value)
    return tuple(dict.fromkeys(name for name in names if _is_group(name)))


def _reads_only(claims: dict[str, Any]) -> bool:
    """Return whether the token's `scope` (RFC 9068: one text, or an array of texts) is for reading alone.

    Providers put scopes of their own into it, so one that names none of the platform's limits nothing. A claim of
    another shape refuses the token: what it was meant to limit is not known.
    """
    value = claims.get("scope")
    if value is None:
        return False
    scopes = value.split() if isinstance(value, str) else value
    if not isinstance(scopes, list) or not all(isinstance(one, str) for one in scopes):
        raise TokenInvalid("The token's scope is neither a text nor an array of texts.")
    return READ_SCOPE in scopes and WRITE_SCOPE not in scopes


def _is_group(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and _plain(name, "#*") and not is_reserved(name)
