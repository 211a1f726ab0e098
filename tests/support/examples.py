"""A walk through the explorer's examples: what one answers goes into the variables of those after it."""

from collections.abc import Iterator, Mapping
from typing import Any

from rest_compat.explorer import ExplorerExample, examples

NOWHERE = "00000000-0000-0000-0000-000000000000"
BEFORE = ("governance", "assets", "utils", "talk2data", "data-readiness", "search", "across")
IDS = {
    "createContextPack": "contextPackId",
    "createWorkflowConfiguration": "configurationId",
    "triggerRun": "runId",
}
"""Fields whose answer names a new resource by `id`, and the variable that takes it."""

OTHERS = {"the resourceUri of a server": "serverUri", "your server, such as https://tools.example.com/mcp": "serverUrl"}
"""What stands in the place of an id that is not the one of that name."""


class Walk:
    """Goes through the examples in the order of their files, as a reader does who tries one after the other."""

    def __init__(self, **known: str) -> None:
        self._known = {"serverUrl": "https://1.1.1.1/mcp"} | known  # a number, as names are looked up at once

    def __iter__(self) -> Iterator[ExplorerExample]:
        """Every example."""
        return iter(sorted(examples(), key=lambda one: BEFORE.index(one.service)))

    def variables(self, example: ExplorerExample) -> dict[str, Any]:
        """The variables of an example, with what only the reader knows filled in."""
        given = example.variables or {}
        return {name: self._known[OTHERS.get(value, name)] if _asks(value) else value for name, value in given.items()}

    def learn(self, data: Mapping[str, Any]) -> None:
        """Keep what an answer names."""
        for field, value in data.items():
            for name in ("resourceUri", "sessionId", "turnId"):
                if isinstance(value, dict) and name in value:
                    self._known["serverUri" if field == "createRegisteredServer" else name] = value[name]
            if field in IDS:
                self._known[IDS[field]] = value["id"]


def _asks(value: Any) -> bool:
    """Return whether an example leaves a value to its reader."""
    return isinstance(value, str) and (value == NOWHERE or value.startswith(("the id of", "the resourceUri", "your ")))
