"""What every store can keep: SQLite would take more than PostgreSQL, and the API must not depend on which one it is."""

import re
from typing import Any, Final

from pydantic import field_validator

from schema.base import Change

DEEPEST: Final = 100
"""How many lists and objects may stand in one another inside one field."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Storable(Change):
    """A body whose every field can be stored as it is; what cannot is a 422 that names the field."""

    @field_validator("*", mode="after")
    @classmethod
    def _can_be_stored(cls, value: Any) -> Any:
        return storable(value)


def storable(value: Any) -> Any:
    """The value itself, for use as a validator of one field."""
    require_storable(value)
    return value


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
