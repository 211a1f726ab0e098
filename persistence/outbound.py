"""Defines which addresses the platform may connect to on behalf of its users.

A user names hosts: of databases, of object stores, of language models. Without a rule they could have it reach
into the network that it runs in. So every connection goes through `OutboundPolicy.resolve`, which looks the name up
once, refuses when any of its addresses is refused, and answers the addresses to connect to. The caller connects to
exactly those, so that a name which points elsewhere a moment later (DNS rebinding) gains nothing.
"""

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Any, NoReturn

import httpcore
import httpx
import idna
from pydantic import BaseModel, Field, field_validator

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolver = Callable[[str, int], Iterable[str]]

METADATA: frozenset[Address] = frozenset(
    map(
        ipaddress.ip_address,
        (
            "169.254.169.254",  # AWS, Azure, GCP, OpenStack and others
            "169.254.170.2",  # AWS task roles
            "169.254.170.23",  # AWS pod identity
            "100.100.100.200",  # Alibaba Cloud
            "168.63.129.16",  # the Azure host, on a public address
            "192.0.0.192",  # Oracle Cloud
            "fd00:ec2::254",  # AWS
            "fd00:ec2::23",  # AWS pod identity
            "fd20:ce::254",  # GCP
        ),
    )
)
"""Where clouds hand out credentials to whoever asks; allowed only by an entry that is the very address."""

# `ipaddress.is_global` changed between patch releases of Python, so what matters is listed here as well.
PRIVATE: tuple[Network, ...] = tuple(
    map(
        ipaddress.ip_network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
            "::/127",
            "100::/64",
            "2001::/32",
            "2001:db8::/32",
            "3fff::/20",
            "5f00::/16",
            "fc00::/7",
            "fe80::/10",
            "fec0::/10",
            "ff00::/8",
        ),
    )
)
NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
COMPATIBLE = IPv6Network("::/96")
TEREDO = IPv6Network("2001::/32")
SIX_TO_FOUR = IPv6Network("2002::/16")

HOST_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)


class RefusedAddress(Exception):
    """The policy refuses an address. The text is safe to show and says which setting would allow it."""


class ResponseTooLarge(Exception):
    """A remote answer is larger than its reader accepts."""


class OutboundSettings(BaseModel):
    """Where connections to users' systems may go."""

    outbound_allow: str = Field(
        "",
        description="Comma-separated exceptions to the refusal of private addresses: host patterns (*.db.corp), "
        "addresses, networks (10.1.0.0/16), each with an optional port (db.corp:5432, [fd00::1]:5432).",
    )
    outbound_deny: str = Field(
        "",
        description="Comma-separated hosts, addresses and networks that are never reached, written as in "
        "STOA_OUTBOUND_ALLOW; the single entry * denies all that STOA_OUTBOUND_ALLOW does not list.",
    )
    outbound_private: bool = Field(
        False, description="Whether private, loopback and link-local addresses may be reached without being listed."
    )

    @field_validator("outbound_allow", "outbound_deny")
    @classmethod
    def _readable(cls, value: str) -> str:
        for entry in _entries(value):
            Rule.parse(entry)
        return value


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of a list: a host pattern or a network, and perhaps a port."""

    pattern: str | None
    network: Network | None
    port: int | None

    @classmethod
    def parse(cls, entry: str) -> "Rule":
        """Read one entry. Raises ValueError when it is none."""
        host, port = _split_port(entry.strip().lower())
        try:
            return cls(None, ipaddress.ip_network(host), port)
        except ValueError:
            if "/" in host or ":" in host:
                raise ValueError(f"{entry!r} is not a network; write it as 10.0.0.0/8 or fd00::/8") from None
        labels = host.rstrip(".").split(".")
        fixed_end = host == "*" or ("*" not in labels[-1] and not NUMBER.fullmatch(labels[-1]))
        if not fixed_end or not all(HOST_LABEL.fullmatch(label.replace("*", "x")) for label in labels):
            # "10.0.*" would also match 10.0.example.com, which anybody can register.
            raise ValueError(f"{entry!r} is not a host pattern, an address or a network")
        return cls(host.rstrip("."), None, port)

    @property
    def everything(self) -> bool:
        """Return whether the entry is a bare `*`."""
        return self.pattern == "*" and self.port is None

    @property
    def single(self) -> bool:
        """Return whether the entry is one address."""
        return self.network is not None and self.network.num_addresses == 1

    def names(self, host: str, port: int) -> bool:
        """Return whether the entry is a pattern for this host and port."""
        return self.pattern is not None and self.port in (None, port) and fnmatchcase(host, self.pattern)

    def holds(self, address: Address, port: int) -> bool:
        """Return whether the entry is a network with this address, for this port."""
        return (
            self.network is not None
            and self.port in (None, port)
            and address.version == self.network.version
            and address in self.network
        )


def system_resolver(host: str, port: int) -> list[str]:
    """The machine's own name service. Raises OSError when the name is not known."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class OutboundPolicy:
    """Decides by host, address and port.

    A denied host or address is refused. An address that an entry of the allow list names, by itself or by its host, is
    allowed. Cloud metadata services are refused unless the allow list has the very address. Of the others, public
    addresses are allowed and all else is refused unless `outbound_private` is on. An IPv6 address that carries an IPv4
    one (mapped, 6to4, NAT64) is judged by both.
    """

    def __init__(self, settings: OutboundSettings, *, resolver: Resolver = system_resolver) -> None:
        """Read the lists. Raises ValueError when an entry is none."""
        self._allow = [Rule.parse(entry) for entry in _entries(settings.outbound_allow)]
        deny = [Rule.parse(entry) for entry in _entries(settings.outbound_deny)]
        self._closed = any(rule.everything for rule in deny)
        self._deny = [rule for rule in deny if not rule.everything]
        self._private = settings.outbound_private
        self._resolver = resolver

    def resolve(self, host: str, port: int) -> list[str]:
        """The addresses to connect to, best first, never empty; blocks while the name is looked up.

        Raises RefusedAddress when the host or any of its addresses is refused, OSError when the name is not known.
        """
        name = plain_host(host)
        if not 0 < port < 65536:
            raise RefusedAddress("A port is a number from 1 to 65535.")
        if any(rule.names(name, port) for rule in self._deny):
            raise RefusedAddress(f"{name} is a host that this deployment never reaches (STOA_OUTBOUND_DENY).")
        literal = _literal(name)
        found = [literal] if literal is not None else [_parsed(text) for text in self._resolver(name, port)]
        if not found:
            raise OSError(f"The name {name} has no address.")
        for address in found:
            self._check(name, address, port)
        return [str(address) for address in dict.fromkeys(_unmapped(address) for address in found)]

    async def resolve_async(self, host: str, port: int) -> list[str]:
        """`resolve` in a worker thread."""
        return await asyncio.to_thread(self.resolve, host, port)

    def _check(self, host: str, address: Address, port: int) -> None:
        meanings = tuple(_meanings(address))
        if any(rule.holds(meaning, port) for rule in self._deny for meaning in meanings):
            raise RefusedAddress(
                f"{host} has an address on the list that this deployment never reaches (STOA_OUTBOUND_DENY)."
            )
        for meaning in meanings:
            if meaning in METADATA and not any(rule.single and rule.holds(meaning, port) for rule in self._allow):
                raise RefusedAddress(
                    f"{host} leads to a cloud metadata service, which is reached only when STOA_OUTBOUND_ALLOW lists "
                    "that very address."
                )
        if any(rule.names(host, port) for rule in self._allow):
            return
        listed = [any(rule.holds(meaning, port) for rule in self._allow) for meaning in meanings]
        if self._closed and not any(listed):
            raise RefusedAddress(f"{host} is not a host that this deployment reaches (STOA_OUTBOUND_ALLOW).")
        unlisted = [meaning for meaning, known in zip(meanings, listed, strict=True) if not known]
        if not self._private and any(map(_is_private, unlisted)):
            raise RefusedAddress(
                f"{host} leads to a private or reserved address. List it in STOA_OUTBOUND_ALLOW (such as "
                f"{_example(host, port)}), or set STOA_OUTBOUND_PRIVATE to allow all private addresses."
            )


def plain_host(host: str) -> str:
    """One spelling per host: lower case, no final dot, punycode, addresses in their usual form.

    Raises RefusedAddress for what is not plainly a host: empty, with user information, a zone, white space, or an IPv4
    address in decimal, octal, hexadecimal or shortened spelling, which libraries read in different ways.
    """
    name = host.strip().lower() if host.isprintable() else ""
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
        if ":" not in name:
            _odd()
    if not name.isascii():
        try:
            # UTS 46 turns full-width digits and dots into plain ones before anything is judged.
            name = idna.encode(name, uts46=True).decode()
        except (idna.IDNAError, UnicodeError):
            _odd()
    name = name.removesuffix(".")
    if not 0 < len(name) <= 253:
        _odd()
    literal = _literal(name)
    if literal is not None:
        return str(literal)
    labels = name.split(".")
    if not all(HOST_LABEL.fullmatch(label) for label in labels) or NUMBER.fullmatch(labels[-1]):
        _odd()
    return name


def _odd() -> NoReturn:
    raise RefusedAddress(
        "The host must be a plain name such as db.example.com, or an address in its usual spelling such as 192.0.2.10."
    ) from None


def _example(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _literal(name: str) -> Address | None:
    if "%" in name:  # a zone would be taken along by the socket and is no part of the judgement
        return None
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _parsed(text: str) -> Address:
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        raise OSError("The name service answered with something that is no address.") from None


def _unmapped(address: Address) -> Address:
    mapped = getattr(address, "ipv4_mapped", None)
    return address if mapped is None else IPv4Address(mapped)


def _meanings(address: Address) -> Iterator[Address]:
    """The address, then the IPv4 address that it carries, if any."""
    address = _unmapped(address)
    yield address
    if isinstance(address, IPv4Address):
        return
    number = int(address)
    if address in SIX_TO_FOUR:
        yield IPv4Address(number >> 80 & 0xFFFFFFFF)
    elif any(address in network for network in NAT64) or (address in COMPATIBLE and number > 1):
        yield IPv4Address(number & 0xFFFFFFFF)
    elif address in TEREDO:
        yield IPv4Address(~number & 0xFFFFFFFF)
    elif number >> 32 & 0xFDFFFFFF == 0x00005EFE:  # ISATAP
        yield IPv4Address(number & 0xFFFFFFFF)


def _is_private(address: Address) -> bool:
    if any(address.version == network.version and address in network for network in PRIVATE):
        return True
    if isinstance(address, IPv6Address) and any(address in network for network in (*NAT64, SIX_TO_FOUR)):
        return False  # judged by the IPv4 address inside
    return not address.is_global or address.is_multicast or address.is_reserved


def _entries(value: str) -> list[str]:
    return [entry.strip() for entry in value.split(",") if entry.strip()]


def _split_port(entry: str) -> tuple[str, int | None]:
    host, port = entry, ""
    if entry.startswith("["):
        host, bracket, rest = entry[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise ValueError(f"{entry!r} is not an address; write it as [fd00::1]:5432")
        port = rest[1:]
        if rest == ":":
            raise ValueError(f"{entry!r} names no port")
    elif entry.count(":") == 1:
        host, _, port = entry.partition(":")
        if not port:
            raise ValueError(f"{entry!r} names no port")
    if not port:
        return host, None
    if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ValueError(f"{entry!r} names no port from 1 to 65535")
    return host, int(port)


class _VettedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections to addresses that the policy vetted, trying them in order."""

    def __init__(self, policy: OutboundPolicy) -> None:
        self._policy = policy
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            async with asyncio.timeout(timeout):
                addresses = await self._policy.resolve_async(host, port)
        except TimeoutError:
            raise httpcore.ConnectTimeout("The host's name was not resolved in time.") from None
        except OSError:
            raise httpcore.ConnectError("The host's name could not be resolved.") from None
        failure: Exception | None = None
        for address in addresses:
            try:
                return await self._network.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore.ConnectError("The host has no address.")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's signature
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        raise RefusedAddress("Connections to local sockets are never made on behalf of users.")

    async def sleep(self, seconds: float) -> None:
        await self._network.sleep(seconds)


class _Body(httpx.AsyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> Any:
        try:
            async for part in self._stream:
                yield part
        except _FOREIGN as error:
            raise _ours(error) from error

    async def aclose(self) -> None:
        await self._stream.aclose()


_FOREIGN = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol)


def _ours(error: Exception) -> httpx.TransportError:
    # The two libraries name their failures alike.
    kind = getattr(httpx, type(error).__name__, httpx.TransportError)
    failure: httpx.TransportError = kind(str(error))
    return failure


class GuardedTransport(httpx.AsyncBaseTransport):
    """HTTP whose every connection goes to an address that the policy vetted.

    The pool and TLS still see the host's name, so `Host`, SNI and the certificate check are those of the name.
    """

    def __init__(self, policy: OutboundPolicy, *, verify: bool | ssl.SSLContext = True, connections: int = 50) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=httpx.create_ssl_context(verify=verify, trust_env=False),
            max_connections=connections,
            max_keepalive_connections=10,
            keepalive_expiry=15.0,
            network_backend=_VettedBackend(policy),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request. Raises RefusedAddress, or httpx's own failures."""
        foreign = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        try:
            answer = await self._pool.handle_async_request(foreign)
        except _FOREIGN as error:
            raise _ours(error) from error
        return httpx.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer.stream),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pool.aclose()


def http_client(
    policy: OutboundPolicy, *, timeout: float = 10.0, verify: bool | ssl.SSLContext = True, **options: Any
) -> httpx.AsyncClient:
    """An HTTP client for addresses that users or settings name.

    Redirects are not followed, and one that a caller chooses to follow is vetted like any other address; proxies and
    `.netrc` of the environment are ignored; answers are asked for uncompressed. Read bodies with `read_bounded` inside
    `client.stream(...)`. `options` go to `httpx.AsyncClient`.
    """
    headers = {"Accept-Encoding": "identity", **options.pop("headers", {})}
    return httpx.AsyncClient(
        transport=GuardedTransport(policy, verify=verify),
        timeout=httpx.Timeout(timeout, connect=min(timeout, 5.0)),
        follow_redirects=False,
        trust_env=False,
        headers=headers,
        **options,
    )


async def read_bounded(response: httpx.Response, limit: int) -> bytes:
    """The body of a streamed answer, of at most `limit` bytes.

    Raises ResponseTooLarge as soon as there are more, and httpx.DecodingError when the answer is compressed although
    that was not asked for (a small bomb could fill the memory).
    """
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise httpx.DecodingError("The answer is compressed although that was not asked for.")
    declared = response.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and int(declared) > limit:
        raise ResponseTooLarge(f"The answer is larger than {limit} bytes.")
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) > limit:
            raise ResponseTooLarge(f"The answer is larger than {limit} bytes.")
    return bytes(body)
