"""What reaching a server has in common for both kinds: its settings, its failures, and the address that it has."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

from persistence.outbound import OutboundPolicy, RefusedAddress
from persistence.webhook_sending import BadAddress, place_of


class ServerSettings(BaseModel):
    """Registered servers of tools and APIs."""

    server_timeout_seconds: float = Field(
        30.0, gt=0, le=300, description="How long a registered server may take to list its tools, and to answer a call."
    )
    server_answer_bytes: int = Field(
        1_000_000,
        ge=1000,
        le=20_000_000,
        description="Bytes that the answer of a registered server to a call may have.",
    )


class Unreachable(Exception):
    """Nothing was asked of a server; the text is in words of our own, and safe to show."""


class Unanswered(Exception):
    """Something was asked of a server, and there is no answer that can be read; the text is safe to show."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a server answered. `failed` says that it is no success by the server's own word."""

    content: Mapping[str, object]
    size: int
    error: str | None = None

    @property
    def failed(self) -> bool:
        """Return whether the server says that it has failed."""
        return self.error is not None


async def check_address(policy: OutboundPolicy, url: str) -> None:
    """Look where an address leads. Raises BadAddress when nothing would be asked there."""
    host, port = place_of(url)
    try:
        await policy.resolve_async(host, port)
    except RefusedAddress as refused:
        raise BadAddress(str(refused)) from None
    except (OSError, UnicodeError):
        raise BadAddress("The host's name could not be resolved. Check the address.") from None


def same_server(one: str, other: str) -> bool:
    """Return whether two addresses are of one server: the same scheme, host and port."""
    return urlsplit(one).scheme == urlsplit(other).scheme and place_of(one) == place_of(other)
