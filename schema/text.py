"""Defines what a text that comes in may hold, whatever it is for: what every store can keep.

SQLite would take more than PostgreSQL, and the API must not depend on which one it is. `schema/base.py` applies
`require_storable` to every field of every body and to every parameter, so that no field can be forgotten.
"""

import re
from typing import Any, Final

DEEPEST: Final = 100
"""How many lists and objects may stand in one another inside one field."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def is_storable(value: Any) -> bool:
    """Return whether every store can keep a value; what none can keep stands nowhere."""
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
