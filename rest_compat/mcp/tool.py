"""What a tool is, and the arguments that tools have in common."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rest_compat.mcp.operations import Calls

Answer = dict[str, Any]

HOW: Final[dict[str, Any]] = {
    "project": {"type": "string", "description": "Project id; else the token's."},
    "cursor": {"type": "string", "description": "Reads an answer on."},
}
KEYED: Final[dict[str, Any]] = {
    "idempotency_key": {"type": "string", "description": "Any new text; the call is done once under it."},
}
IF_MATCH: Final[dict[str, Any]] = {
    "if_match": {"type": "string", "description": "The etag that was read; another state is refused."},
}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the protocol lists it, and what it does."""

    name: str
    about: str
    schema: Mapping[str, Any]
    hints: Mapping[str, bool]
    run: Callable[[Calls, Mapping[str, Any]], Awaitable[Answer]]

    def listed(self) -> dict[str, Any]:
        """The tool in the list."""
        return {
            "name": self.name,
            "description": self.about,
            "inputSchema": dict(self.schema),
            "annotations": dict(self.hints),
        }


def object_schema(properties: Mapping[str, Any], required: Sequence[str] = ()) -> dict[str, Any]:
    """The schema of an object with these properties and no others."""
    made = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return made | ({"required": list(required)} if required else {})
