"""Defines which public keys may sign tokens: a fixed set, or the provider's JWKS, fetched and kept with care.

The set is fetched when it is first needed, again when its lifetime has passed, and once more when a token names a key
that is not in it; never more often than a floor allows, and never twice at the same time. When the provider is down or
answers nonsense, the last good set stays in force.
"""

import asyncio
import hashlib
import json
import logging
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx
import jwt
import orjson
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from schema.errors import UpstreamUnavailable

log = logging.getLogger("stoa.auth")

FAMILIES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    **{name: ("RSA", ()) for name in ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")},
    "ES256": ("EC", ("P-256",)),
    "ES384": ("EC", ("P-384",)),
    "ES512": ("EC", ("P-521",)),
    "EdDSA": ("OKP", ("Ed25519", "Ed448")),
}
"""Signature algorithm → the key type and the curves that it goes with. Symmetric algorithms are deliberately absent."""

PUBLIC_MEMBERS = frozenset({"kty", "n", "e", "crv", "x", "y"})
LONGEST_KEY_ID = 256
MOST_KEYS = 100
LARGEST_DOCUMENT = 256 * 1024
LONGEST_FETCH = 15.0
RSA_BITS = range(2048, 8193)  # shorter is breakable; longer lets a provider's mistake burn our time


class KeySet:
    """An immutable set of public keys, each bound to the one algorithm that it may verify."""

    def __init__(self, document: Mapping[str, Any], algorithms: Iterable[str]) -> None:
        """Read a JWKS document; what is not a usable public signature key of these algorithms is left out.

        Raises ValueError when the document is not a key set or nothing usable is in it.
        """
        entries = document.get("keys")
        if not isinstance(entries, list):
            raise ValueError("the document has no list of keys")
        if len(entries) > MOST_KEYS:
            raise ValueError(f"the document has more than {MOST_KEYS} keys")
        self._by_id: dict[tuple[str, str], jwt.PyJWK] = {}
        self._by_algorithm: dict[str, list[jwt.PyJWK]] = {}
        digest = hashlib.sha256()
        accepted = tuple(algorithms)
        for entry in entries:
            if not isinstance(entry, dict):
                continue
            for algorithm in accepted:
                key = _usable(entry, algorithm)
                if key is None:
                    continue
                self._by_algorithm.setdefault(algorithm, []).append(key)
                kid = entry.get("kid")
                if isinstance(kid, str) and 0 < len(kid) <= LONGEST_KEY_ID:
                    self._by_id.setdefault((kid, algorithm), key)
                digest.update(json.dumps([kid, algorithm, _public(entry)], sort_keys=True).encode())
        if not self._by_algorithm:
            raise ValueError("the document has no usable public signature key")
        self.fingerprint = digest.hexdigest()

    def find(self, kid: str | None, algorithm: str) -> jwt.PyJWK | None:
        """The key of that id for that algorithm. A token without an id is served only when one key can be meant."""
        if kid is not None:
            return self._by_id.get((kid, algorithm))
        candidates = self._by_algorithm.get(algorithm, ())
        return candidates[0] if len(candidates) == 1 else None


def _public(entry: Mapping[str, Any]) -> dict[str, Any]:
    # A careless provider may publish private members; they are not even parsed.
    return {name: value for name, value in entry.items() if name in PUBLIC_MEMBERS}


def _usable(entry: Mapping[str, Any], algorithm: str) -> jwt.PyJWK | None:
    kind, curves = FAMILIES[algorithm]
    operations = entry.get("key_ops")
    unfit = (
        entry.get("kty") != kind
        or (curves and entry.get("crv") not in curves)
        or entry.get("alg") not in (None, algorithm)
        or entry.get("use") not in (None, "sig")
        or (operations is not None and not (isinstance(operations, list) and "verify" in operations))
    )
    if unfit:
        return None
    try:
        key = jwt.PyJWK(_public(entry), algorithm)
    except Exception as error:  # the document is foreign: whatever is wrong with one key concerns that key only
        log.warning("a published key was left out: %s", type(error).__name__)
        return None
    if isinstance(key.key, RSAPublicKey) and key.key.key_size not in RSA_BITS:
        log.warning("a published RSA key of %d bits was left out", key.key.key_size)
        return None
    return key


class KeySource(Protocol):
    """Describes where a verifier finds keys."""

    @property
    def generation(self) -> str:
        """Changes whenever the set of keys does; what was verified under another generation is forgotten."""

    async def find(self, kid: str | None, algorithm: str, issuer: str) -> jwt.PyJWK | None:
        """The issuer's key, or None when there is none. Raises UpstreamUnavailable when no set could ever be had.

        `issuer` is an issuer that the deployment trusts; a source of one issuer's keys need not look at it.
        """


class StaticKeys:
    """A set of keys that never changes."""

    def __init__(self, keys: KeySet) -> None:
        self._keys = keys

    @property
    def generation(self) -> str:
        """The set's fingerprint."""
        return self._keys.fingerprint

    async def find(self, kid: str | None, algorithm: str, issuer: str = "") -> jwt.PyJWK | None:
        """Look into the set."""
        return self._keys.find(kid, algorithm)


class ProviderKeys:
    """The keys that an OpenID Connect provider publishes.

    `client` must already be guarded by the outbound policy; redirects are never followed. Without `jwks_url` the
    address comes from `<issuer>/.well-known/openid-configuration`, which must name the very same issuer. `floor` is the
    least time between two fetches, `first_floor` as long as no set was ever had. `monotonic` is a clock in seconds.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        *,
        issuer: str,
        jwks_url: str | None,
        algorithms: Iterable[str],
        lifetime: float = 300.0,
        floor: float = 30.0,
        first_floor: float = 5.0,
        max_stale: float | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._issuer = issuer
        self._configured_url = jwks_url
        self._algorithms = tuple(algorithms)
        self._lifetime = lifetime
        self._floor = floor
        self._first_floor = min(first_floor, floor)
        self._max_stale = max_stale
        self._monotonic = monotonic
        self._keys: KeySet | None = None
        self._fetched_at = 0.0
        self._attempted_at: float | None = None
        self._flight: asyncio.Task[None] | None = None
        self.on_change: Callable[[], None] = lambda: None
        """Called when the set is replaced by another one."""

    @property
    def generation(self) -> str:
        """The fingerprint of the set in force; empty before the first."""
        return "" if self._keys is None else self._keys.fingerprint

    async def find(self, kid: str | None, algorithm: str, issuer: str = "") -> jwt.PyJWK | None:
        """The provider's key, fetched anew where the rules at the top of this file allow it.

        Raises UpstreamUnavailable when no good set was ever had, or the last one is older than `max_stale`.
        """
        keys = await self._current()
        key = keys.find(kid, algorithm)
        if key is None and kid is not None and len(kid) <= LONGEST_KEY_ID and self._may_fetch():
            await self._fetch()
            key = (await self._current()).find(kid, algorithm)
        return key

    async def close(self) -> None:
        """Stop a fetch that is under way."""
        if self._flight is not None and not self._flight.done():
            self._flight.cancel()
            await asyncio.wait([self._flight])

    async def _current(self) -> KeySet:
        if self._keys is None or self._ended:
            if self._may_fetch():
                await self._fetch()
        elif self._monotonic() - self._fetched_at >= self._lifetime and self._may_fetch() and not self._fetching:
            # One request waits for the new set; those that come meanwhile use the old one.
            await self._fetch()
        if self._keys is None or self._ended:
            raise UpstreamUnavailable(
                "The identity provider's keys cannot be read, so no token can be verified. Retry shortly."
            )
        return self._keys

    @property
    def _ended(self) -> bool:
        return self._max_stale is not None and self._monotonic() - self._fetched_at >= self._max_stale

    @property
    def _fetching(self) -> bool:
        return self._flight is not None and not self._flight.done()

    def _may_fetch(self) -> bool:
        # A fetch that is under way may always be joined.
        if self._fetching or self._attempted_at is None:
            return True
        floor = self._first_floor if self._keys is None else self._floor
        return self._monotonic() - self._attempted_at >= floor

    async def _fetch(self) -> None:
        if self._flight is None or self._flight.done():
            self._attempted_at = self._monotonic()
            self._flight = asyncio.create_task(self._refresh())
        # Waiting is not owning: a client that hangs up does not end the fetch that others wait for.
        await asyncio.wait([self._flight])

    async def _refresh(self) -> None:
        try:
            async with asyncio.timeout(LONGEST_FETCH):  # the client's time-outs are per read: a trickle would pass them
                keys = KeySet(await self._document(await self._address()), self._algorithms)
        except Exception as error:  # such as the outbound policy's refusal: a provider's trouble is never ours
            self._failed(error)
        else:
            if self._keys is not None and keys.fingerprint != self._keys.fingerprint:
                log.info("the identity provider's keys have changed")
                self.on_change()
            self._keys, self._fetched_at = keys, self._monotonic()

    def _failed(self, error: Exception) -> None:
        log.warning(
            "the identity provider's keys could not be fetched (%s: %s); %s",
            type(error).__name__,
            error,
            "none are known yet" if self._keys is None else "the last good ones stay in force",
        )

    async def _address(self) -> str:
        if self._configured_url is not None:
            return _checked_url(self._configured_url)
        document = await self._document(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
        if document.get("issuer") != self._issuer:
            raise ValueError("the provider's configuration names another issuer than STOA_ISSUER")
        address = document.get("jwks_uri")
        if not isinstance(address, str):
            raise ValueError("the provider's configuration names no jwks_uri")
        if self._issuer.startswith("https:") and not address.startswith("https:"):
            raise ValueError("the provider's configuration names a jwks_uri without TLS")
        return _checked_url(address)

    async def _document(self, url: str) -> dict[str, Any]:
        body = bytearray()
        headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        async with self._client.stream("GET", _checked_url(url), headers=headers, follow_redirects=False) as response:
            if response.status_code != 200:
                raise ValueError(f"the answer's status is {response.status_code}, not 200")
            if response.headers.get("content-encoding", "identity") != "identity":
                raise ValueError("the answer is compressed although that was not asked for")
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > LARGEST_DOCUMENT:
                    raise ValueError(f"the answer is larger than {LARGEST_DOCUMENT} bytes")
        document = orjson.loads(bytes(body))
        if not isinstance(document, dict):
            raise ValueError("the answer is not a JSON object")
        return document


class RealmKeys:
    """The keys of a provider with a realm, and so an issuer and a key set of its own, for each organization.

    Realms are named by tokens that are not yet proven, so what they can cost is bounded: at most `most` realms are
    kept, and at most `newcomers` that are not known yet are asked about in a minute.
    """

    def __init__(
        self,
        make: Callable[[str], ProviderKeys],
        *,
        most: int = 1000,
        newcomers: int = 30,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`make` builds the source of one issuer; give it the same floor for the first fetch as for the others."""
        self._make = make
        self._most = most
        self._newcomers = newcomers
        self._monotonic = monotonic
        self._realms: OrderedDict[str, ProviderKeys] = OrderedDict()
        self._arrivals: deque[float] = deque(maxlen=newcomers)
        self._changes = 0

    @property
    def generation(self) -> str:
        """Changes whenever the keys of a known realm do."""
        return str(self._changes)

    async def find(self, kid: str | None, algorithm: str, issuer: str) -> jwt.PyJWK | None:
        """The issuer's key. Raises UpstreamUnavailable also when too many new realms were named lately."""
        source = self._realms.get(issuer) or self._admit(issuer)
        self._realms.move_to_end(issuer)
        return await source.find(kid, algorithm)

    async def close(self) -> None:
        """Stop every fetch that is under way."""
        for source in self._realms.values():
            await source.close()

    def _admit(self, issuer: str) -> ProviderKeys:
        now = self._monotonic()
        if len(self._arrivals) == self._newcomers and now - self._arrivals[0] < 60:
            raise UpstreamUnavailable("Too many unknown issuers were named in the last minute. Retry shortly.")
        self._arrivals.append(now)
        source = self._realms[issuer] = self._make(issuer)
        source.on_change = self._changed
        if len(self._realms) > self._most:
            # A realm that never had keys goes first, so that invented names cannot push out real ones.
            others = [name for name in self._realms if name != issuer]
            leaving = next((name for name in others if not self._realms[name].generation), others[0])
            del self._realms[leaving]  # a fetch of its own that is under way ends by itself
        return source

    def _changed(self) -> None:
        self._changes += 1


def _checked_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("https", "http") or not parts.hostname or parts.username is not None or len(url) > 2048:
        raise ValueError("the address of the keys must be a plain http or https URL")
    return url
