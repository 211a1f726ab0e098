"""Addresses of other people's servers, as callers enter them: what they may be, where they lead, whose they are."""

import hashlib
from urllib.parse import urlsplit

from persistence.outbound import OutboundPolicy, RefusedAddress


class BadAddress(ValueError):
    """An address that nothing is sent to; the text is safe to show."""


def place_of(url: str) -> tuple[str, int]:
    """The host and port of an address. Raises BadAddress for one that is not plainly http or https."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadAddress("It cannot be read as an address.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadAddress("Write an address that begins with https:// or http:// and names a host.")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise BadAddress("Leave user, password and fragment out of the address: what is secret goes into headers.")
    return parts.hostname, port or (443 if parts.scheme == "https" else 80)


def host_of(url: str) -> str:
    """An address without what comes after its host. Raises BadAddress as `place_of` does."""
    place_of(url)
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def same_server(one: str, other: str) -> bool:
    """Return whether two addresses are of one server: the same scheme, host and port. Raises BadAddress."""
    return urlsplit(one).scheme == urlsplit(other).scheme and place_of(one) == place_of(other)


def server_digest(url: str) -> str:
    """A digest of the server that an address leads to, which secrets are bound to. Raises BadAddress."""
    host, port = place_of(url)
    return hashlib.sha256(f"{urlsplit(url).scheme}://{host}:{port}".encode()).hexdigest()


async def check_address(policy: OutboundPolicy, url: str) -> None:
    """Look where an address leads. Raises BadAddress when nothing would be sent there."""
    host, port = place_of(url)
    try:
        await policy.resolve_async(host, port)
    except RefusedAddress as refused:
        raise BadAddress(str(refused)) from None
    except (OSError, UnicodeError):
        raise BadAddress("The host's name could not be resolved. Check the address.") from None
