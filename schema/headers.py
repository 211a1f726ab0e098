"""Headers that requests to other systems carry, as callers enter them: their values are secrets."""

import re
from collections.abc import Collection, Sequence
from typing import Annotated, Final

from pydantic import Field

from schema.errors import ValidationError

_OUR_OWN: Final = re.compile(
    r"webhook-.*|mcp-.*|content-.*|proxy-.*|accept|host|user-agent|connection|keep-alive|transfer-encoding|te|trailer|"
    r"upgrade|expect"
)


def is_our_own(name: str) -> bool:
    """Return whether the platform says a header itself, or it is between the two ends of a connection."""
    return _OUR_OWN.fullmatch(name.lower()) is not None


def check_header_names(names: Sequence[str], field: str, *, taken: Collection[str] = ()) -> None:
    """Refuse headers that the platform says itself, and such as stand twice; `taken` are there already, in small
    letters. `field` is where the headers stand. Raises ValidationError.
    """
    seen = set(taken)
    for at, name in enumerate(names):
        if is_our_own(name):
            raise ValidationError(f"{name} is said by the platform itself.", status=422, field=f"{field}.{at}.name")
        if name.lower() in seen:
            raise ValidationError(f"{name} stands twice.", status=422, field=f"{field}.{at}.name")
        seen.add(name.lower())


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
