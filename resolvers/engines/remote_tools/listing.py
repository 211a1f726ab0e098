"""A list of tools as it is approved: normalised, bounded, named by its hash, and compared with another one.

The hash covers everything of a tool that a caller is shown or that decides what is sent, and nothing that may differ
from one look to the next.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from schema.assets.registered_server import ToolState
from schema.text import require_storable

MOST_TOOLS: Final = 500
MOST_BYTES: Final = 2_000_000
"""Of a whole list as JSON."""
LONGEST_NAME: Final = 255
MOST_VALUES: Final = 200_000
_COVERED: Final = ("name", "title", "description", "inputSchema", "outputSchema", "annotations", "request")

Tool = dict[str, Any]


class UnusableList(ValueError):
    """A list of tools that is not taken; the message says why, in words of our own."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The tools of a server by name, and their hash."""

    tools: list[Tool]
    sha256: str
    left_out: list[str]
    """What cannot be called from here, each with the reason."""


def listing_of(offered: Iterable[Mapping[str, Any]], left_out: Sequence[str] = ()) -> Listing:
    """A list of tools as it is kept. Raises UnusableList."""
    tools = [{key: one[key] for key in _COVERED if one.get(key) is not None} for one in offered]
    if len(tools) > MOST_TOOLS:
        raise UnusableList(f"The server offers more than {MOST_TOOLS} tools.")
    for one in tools:
        name = one.get("name")
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
            raise UnusableList(f"A tool has no printable name of at most {LONGEST_NAME} characters.")
        if not isinstance(one.setdefault("inputSchema", {"type": "object"}), dict):
            raise UnusableList("The schema of a tool is no JSON object.")
        if not isinstance(one.get("description", ""), str):
            raise UnusableList("The description of a tool is no text.")
    tools.sort(key=lambda one: one["name"])
    if len({one["name"] for one in tools}) < len(tools):
        raise UnusableList("Two tools of the server have the same name.")
    _check(tools)
    text = canonical(tools)
    if len(text) > MOST_BYTES:
        raise UnusableList(f"The list of tools has more than {MOST_BYTES:,} bytes.")
    return Listing(tools, hashlib.sha256(text).hexdigest(), list(left_out))


def canonical(value: Any) -> bytes:
    """A value as JSON that is the same whenever the value is: keys sorted, no blanks, UTF-8."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def differences(approved: Sequence[Tool] | None, seen: Sequence[Tool] | None) -> dict[str, ToolState]:
    """How each tool that was approved, or is there now, stands to the approval."""
    before, after = _by_name(approved), _by_name(seen)
    states = {name: ToolState.REMOVED for name in before.keys() - after.keys()}
    for name, tool in after.items():
        if name not in before:
            states[name] = ToolState.ADDED
        else:
            same = canonical(tool) == canonical(before[name])
            states[name] = ToolState.APPROVED if same else ToolState.CHANGED
    return dict(sorted(states.items()))


def _by_name(tools: Sequence[Tool] | None) -> dict[str, Tool]:
    return {one["name"]: one for one in tools or ()}


def _check(value: Any) -> None:
    """Refuse what a store cannot keep, or would keep as something else."""
    waiting, seen = [value], 0
    while waiting:
        one = waiting.pop()
        seen += 1
        if seen > MOST_VALUES:
            raise UnusableList(f"The list of tools has more than {MOST_VALUES:,} values.")
        if isinstance(one, float) and not math.isfinite(one):
            raise UnusableList("The list of tools holds a number that JSON does not have.")
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    try:
        require_storable(value)
    except ValueError as problem:
        raise UnusableList(f"The list of tools cannot be kept: {problem}.") from None
