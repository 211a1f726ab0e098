"""Documents of other systems, whose shape nobody here has made: looked into with care, and refused by their place."""

from collections.abc import Mapping
from typing import Any


class Refused(ValueError):
    """What was handed in is no document of its kind that can be read.

    Attributes:
        field: Where in it.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


def mapping(value: Any, name: str) -> Mapping[str, Any]:
    """An object in an object; an empty one where there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
