"""Bytes that go in and out: what an upload has become, and what a download offers."""

import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from pydantic import Field, PrivateAttr

from schema.base import Resource, Size, resource

ByteRange = Callable[[int, int], AsyncIterator[bytes]]
"""Reads the bytes from the first position up to, and without, the second."""


_MEDIA_TYPE = re.compile(
    r"[\w!#$&^.+-]+/[\w!#$&^.+-]+(?:\s*;\s*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|\"[^\"\\]*\"))*", re.ASCII
)


def media_type(given: str | None) -> str | None:
    """A media type as a client named it, or None when it is none, or too long to be kept."""
    plain = (given or "").strip()
    return plain if len(plain) <= 255 and _MEDIA_TYPE.fullmatch(plain) else None


@dataclass(frozen=True, slots=True)
class Incoming:
    """Bytes that are being received."""

    file_name: str | None
    content_type: str | None
    chunks: AsyncIterator[bytes]


class Sent(ABC):
    """A file of a request that need not be read."""

    @abstractmethod
    async def opened(self) -> Incoming:
        """Read on to it."""


@dataclass(frozen=True, slots=True)
class Upload:
    """Bytes that came with a request, already kept by the blob store under a name of its own choice.

    An operation that takes one declares a parameter of this type. When the operation fails, the door discards them.
    """

    blob: str
    """The name that the blob store gave them."""
    size: int
    sha256: str
    """Of the bytes, in hexadecimal."""
    file_name: str | None
    content_type: str | None


@resource
class Download(Resource):
    """Where bytes can be had, and what they are. REST answers with the bytes themselves."""

    name: str = Field(description="The name to save it under.")
    content_type: str
    size: Size = Field(description="In bytes.")
    etag: str = Field(description="Changes when the bytes do.")
    url: str = Field(description="The path that answers with the bytes; it takes range requests.")

    _read: ByteRange = PrivateAttr()
