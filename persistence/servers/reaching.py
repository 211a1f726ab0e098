"""What reaching a server has in common for both kinds: its settings, its failures, and the address that it has."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, Field


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
