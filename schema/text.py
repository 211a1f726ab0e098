"""What a text that comes in may hold: whatever every store can keep, and in names only what can be seen.

SQLite would take more than PostgreSQL, and the API must not depend on which one it is. `schema/base.py` applies
`require_storable` to every field of every body and to every parameter, so that no field can be forgotten.

A name is read by people, in lists and in logs: it has a visible character, and none that hides, turns or breaks the
line. `Name` and `Tag` are declared here once; a test holds every field that people name something by to them.
"""

import re
from typing import Annotated, Any, Final

from pydantic import Field

DEEPEST: Final = 100
"""How many lists and objects may stand in one another inside one field."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def is_storable(value: Any) -> bool:
    """Whether every store can keep a value; what none can keep stands nowhere."""
    try:
        require_storable(value)
    except ValueError:
        return False
    return True


def require_storable(value: Any, depth: int = 0) -> None:
    """Raise ValueError for the NUL character, half characters, whole numbers beyond 64 bits, and nesting too deep."""
    if isinstance(value, str):
        if _UNSTORABLE.search(value):
            raise ValueError("it holds a character that cannot be stored")
    elif isinstance(value, dict | list | tuple):
        if depth == DEEPEST:
            raise ValueError(f"it is nested more than {DEEPEST} levels deep")
        for item in value:
            require_storable(item, depth + 1)
        if isinstance(value, dict):
            for item in value.values():
                require_storable(item, depth + 1)
    elif isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError("it holds a whole number beyond 64 bits")


_HIDDEN: Final = (
    r"\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\u2800\u3164\ufeff\uffa0\ufff0-\ufffb" + "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Controls, line breaks, characters without width, those that turn the direction, and those that look like a blank.

Written so that Rust, Python and ECMAScript read the same class. A variation selector, as emoji have it, hides nothing.
"""
_BLANK: Final = r"\s\ufe00-\ufe0f"

NAME_PATTERN: Final = f"^[^{_HIDDEN}]*[^{_BLANK}{_HIDDEN}][^{_HIDDEN}]*$"
"""Of what people call something."""
TAG_PATTERN: Final = f"^[^,{_HIDDEN}]*[^,{_BLANK}{_HIDDEN}][^,{_HIDDEN}]*$"
"""Of a label: filters take several with commas between them."""

EXPLAINED: Final = {
    NAME_PATTERN: "It takes a visible character, and none that is invisible, breaks the line or turns its direction",
    TAG_PATTERN: "It takes a visible character, no comma, and none that is invisible or breaks the line",
}
"""What the patterns say, in words."""

Name = Annotated[
    str, Field(min_length=1, max_length=255, pattern=NAME_PATTERN, description="1 to 255 characters that can be seen.")
]
Tag = Annotated[str, Field(min_length=1, max_length=255, pattern=TAG_PATTERN, description="No comma is in it.")]

_NOT_SEEN = re.compile(f"[{_HIDDEN}\\s]+")


def as_name(text: str, otherwise: str) -> str:
    """A text as a name that the platform gives by itself: cut to its length, and blanks for what no name may hold."""
    for plain in (text[:255], _NOT_SEEN.sub(" ", text).strip()[:255]):
        if re.fullmatch(NAME_PATTERN, plain):
            return plain
    return otherwise
