"""Headers that requests to other systems carry, as callers enter them: their values are secrets."""

import re
from typing import Annotated, Final

from pydantic import Field

_OUR_OWN: Final = re.compile(
    r"webhook-.*|mcp-.*|content-.*|proxy-.*|accept|host|user-agent|connection|keep-alive|transfer-encoding|te|trailer|"
    r"upgrade|expect"
)


def is_our_own(name: str) -> bool:
    """Return whether the platform says a header itself, or it is between the two ends of a connection."""
    return _OUR_OWN.fullmatch(name.lower()) is not None


HeaderName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=100,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$",
        description="Such as `Authorization`. Not what the platform says itself, such as Content-Type.",
    ),
]
HeaderValue = Annotated[
    str,
    Field(
        min_length=1,
        max_length=8000,
        pattern=r"^[!-~]([ -~]*[!-~])?$",
        description="Such as `Bearer` and a token; printable ASCII. It is sealed, and never shown again.",
        json_schema_extra={"writeOnly": True},
    ),
]
