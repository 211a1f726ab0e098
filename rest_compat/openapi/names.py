"""Names of schemas that would collide in a generated client, and better ones.

A client's language has a `File` of its own, and generators name a module and a variable after a class: one whose field
has the name of the class collides with itself. The graph keeps its names, for it grows by addition alone.
"""

import re
from typing import Any, Final

ERROR: Final = "ErrorEnvelope"
"""How every failure is told; each language has an `Error`."""
RENAMED: Final = {
    "Accepted": "AcceptedEntities",
    "File": "FileResource",
    "PerPage": "PerPageWindow",
    "Schedule": "ScheduleResource",
}
_PREFIX: Final = "#/components/schemas/"


def renamed(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the better names, in references and in the names of lists of such a schema too."""
    schemas = document["components"]["schemas"]
    names = {name: _better(name) for name in schemas if _better(name) != name}
    told: dict[str, Any] = _with_references(document, {_PREFIX + old: _PREFIX + new for old, new in names.items()})
    told["components"]["schemas"] = {
        names.get(name, name): schema | ({"title": names[name]} if name in names else {})
        for name, schema in told["components"]["schemas"].items()
    }
    return told


def _better(name: str) -> str:
    """`File` and `PageLimitList_File_` alike; a word inside a longer one is another name."""
    return re.sub(r"[A-Za-z]+", lambda word: RENAMED.get(word[0], word[0]), name)


def _with_references(node: Any, names: dict[str, str]) -> Any:
    if isinstance(node, list):
        return [_with_references(item, names) for item in node]
    if isinstance(node, dict):
        return {key: names.get(v, v) if key == "$ref" else _with_references(v, names) for key, v in node.items()}
    return node
