"""A plan as JSON, exactly, and back: what a turn keeps of it.

Each node is an object whose `is` names its kind, and whose other keys are its fields; fields that are as they are when
nobody says anything are left out. Numbers are texts, so that none is rounded. JSON from elsewhere, of a later version
or broken, gives None rather than half a plan.
"""

import dataclasses
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import lru_cache
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints
from typing import Literal as OneOf

from resolvers.engines.nl2sql import plan as nodes
from resolvers.engines.nl2sql.plan import Plan

VERSION: Final = 1
DEEPEST: Final = 60
MOST: Final = 5_000
"""How many nodes a stored plan has at most."""
LONGEST: Final = 20_000
"""How many characters one text of it has at most."""

_KINDS: Final[dict[str, type[Any]]] = {
    kind.__name__.lower(): kind
    for kind in vars(nodes).values()
    if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__module__ == nodes.__name__
}


class _Broken(Exception):
    """The JSON is no plan."""


def stored(plan: Plan) -> dict[str, Any]:
    """The plan as JSON."""
    return {"version": VERSION, "plan": _out(plan)}


def restored(content: Any) -> Plan | None:
    """The plan that JSON holds; None when it holds none."""
    if not isinstance(content, Mapping) or content.get("version") != VERSION:
        return None
    try:
        found = _Reader().node(Plan, content.get("plan"), 0)
    except _Broken:
        return None
    return found if isinstance(found, Plan) else None


def _out(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        told: dict[str, Any] = {"is": type(value).__name__.lower()}
        for field in dataclasses.fields(value):
            given = getattr(value, field.name)
            if given != field.default or type(given) is not type(field.default):
                told[field.name] = _out(given)
        return told
    if isinstance(value, tuple):
        return [_out(one) for one in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Decimal):
        return {"number": str(value)}
    return value


@lru_cache(maxsize=64)
def _hints(kind: type[Any]) -> Mapping[str, Any]:
    return get_type_hints(kind, vars(nodes))


class _Reader:
    """Reads one plan; what it has read is counted, so that no JSON keeps it busy."""

    def __init__(self) -> None:
        self._count = 0

    def node(self, wanted: Any, content: Any, depth: int) -> Any:
        """A value of the wanted type."""
        self._count += 1
        if depth > DEEPEST or self._count > MOST:
            raise _Broken
        origin = get_origin(wanted)
        if origin in (Union, UnionType):
            return self._either(get_args(wanted), content, depth)
        if origin is OneOf:
            if isinstance(content, str) and content in get_args(wanted):
                return content
            raise _Broken
        if origin is tuple:
            return self._tuple(get_args(wanted), content, depth)
        if dataclasses.is_dataclass(wanted):
            return self._object(wanted, content, depth)
        return self._plain(wanted, content)

    def _either(self, choices: tuple[Any, ...], content: Any, depth: int) -> Any:
        if content is None:
            if NoneType in choices:
                return None
            raise _Broken
        if isinstance(content, Mapping) and "is" in content:
            kind = _KINDS.get(str(content["is"]))
            if kind is None or kind not in choices:
                raise _Broken
            return self._object(kind, content, depth)
        for choice in choices:
            if choice is not NoneType and not dataclasses.is_dataclass(choice):
                try:
                    return self.node(choice, content, depth)
                except _Broken:
                    continue
        raise _Broken

    def _tuple(self, inside: tuple[Any, ...], content: Any, depth: int) -> tuple[Any, ...]:
        if not isinstance(content, list):
            raise _Broken
        if len(inside) == 2 and inside[1] is Ellipsis:
            return tuple(self.node(inside[0], one, depth + 1) for one in content)
        if len(inside) != len(content):
            raise _Broken
        return tuple(self.node(kind, one, depth + 1) for kind, one in zip(inside, content, strict=True))

    def _object(self, kind: Any, content: Any, depth: int) -> Any:
        if not isinstance(content, Mapping) or content.get("is") != kind.__name__.lower():
            raise _Broken
        hints = _hints(kind)
        if not set(content) - {"is"} <= set(hints):
            raise _Broken
        given = {name: self.node(hints[name], content[name], depth + 1) for name in hints if name in content}
        try:
            return kind(**given)
        except TypeError:
            raise _Broken from None

    def _plain(self, wanted: Any, content: Any) -> Any:
        if wanted is Decimal:
            return _decimal(content)
        if isinstance(wanted, type) and issubclass(wanted, Enum):
            try:
                return wanted(content)
            except ValueError:
                raise _Broken from None
        if type(content) is not wanted or (isinstance(content, str) and len(content) > LONGEST):
            raise _Broken
        return content


def _decimal(content: Any) -> Decimal:
    text = content.get("number") if isinstance(content, Mapping) and set(content) == {"number"} else None
    if not isinstance(text, str) or len(text) > 1_000:
        raise _Broken
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise _Broken from None
    if not value.is_finite():
        raise _Broken
    return value
