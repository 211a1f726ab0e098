"""The columns of MongoDB's documents, from those that come by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from persistence.connectors.core.base import ColumnInfo
from persistence.connectors.documents.reading import DEEPEST, MOST_COLUMNS

_NEUTRAL = {
    "string": "VARCHAR",
    "objectId": "VARCHAR",
    "regex": "VARCHAR",
    "javascript": "VARCHAR",
    "int": "INTEGER",
    "long": "BIGINT",
    "double": "DOUBLE",
    "decimal": "NUMERIC",
    "bool": "BOOLEAN",
    "date": "TIMESTAMP",
    "timestamp": "TIMESTAMP",
    "binData": "BINARY",
    "object": "JSON",
    "array": "ARRAY",
}


@dataclass(slots=True)
class _Seen:
    """Holds what a path was seen to hold."""

    types: dict[str, None] = field(default_factory=dict)
    elements: dict[str, None] = field(default_factory=dict)
    filled: int = 0


class DocumentShape:
    """The columns of documents, path by path, as they come by."""

    def __init__(self) -> None:
        self.documents = 0
        self.cut = False
        self._seen: dict[str, _Seen] = {}

    def add(self, document: Mapping[str, Any]) -> None:
        """Look at one document."""
        self.documents += 1
        self._fields("", document, 1)

    def columns(self) -> tuple[ColumnInfo, ...]:
        """One column per path that held a value, the document's key first."""
        # A sample comes in any order, and an unchanged collection should look unchanged.
        ordered = sorted(self._seen.items(), key=lambda item: (item[0] != "_id", item[0]))
        parents = {path[:at] for path in self._seen for at, sign in enumerate(path) if sign == "."}
        columns: list[ColumnInfo] = []
        for path, seen in ordered:
            names = [name for name in sorted(seen.types) if name != "null"]
            if not names and path in parents:
                continue
            display = " | ".join(sorted(seen.types))
            if seen.elements:
                display = display.replace("array", f"array<{' | '.join(sorted(seen.elements))}>")
            columns.append(
                ColumnInfo(
                    path,
                    _common(names),
                    display,
                    len(columns) + 1,
                    nullable="null" in seen.types or seen.filled < self.documents,
                )
            )
        return tuple(columns)

    def _fields(self, prefix: str, document: Mapping[str, Any], depth: int) -> None:
        for name, value in document.items():
            path = f"{prefix}{name}"
            if isinstance(value, Mapping) and value and depth < DEEPEST:
                self._fields(f"{path}.", value, depth + 1)
                continue
            seen = self._seen.get(path)
            if seen is None:
                if len(self._seen) >= MOST_COLUMNS:
                    self.cut = True
                    continue
                seen = self._seen[path] = _Seen()
            kind = _type(value)
            self.cut = self.cut or (kind == "object" and bool(value))
            seen.types[kind] = None
            seen.filled += kind != "null"
            if kind == "array":
                seen.elements |= dict.fromkeys(_type(element) for element in value[:100])


def _common(names: Sequence[str]) -> str:
    """The type that holds values of all these types."""
    kinds = set(names)
    if not kinds:
        return "UNKNOWN"
    if len(kinds) == 1:
        return _NEUTRAL.get(names[0], "VARIANT")
    if kinds <= {"int", "long"}:
        return "BIGINT"
    if kinds <= {"int", "long", "double"}:
        return "DOUBLE"
    if kinds <= {"int", "long", "double", "decimal"}:
        return "NUMERIC"
    neutral = {_NEUTRAL.get(name) for name in kinds}
    return next(iter(neutral)) or "VARIANT" if len(neutral) == 1 else "VARIANT"


_NAMES = {
    "NoneType": "null",
    "bool": "bool",
    "int": "int",
    "Int64": "long",
    "float": "double",
    "str": "string",
    "datetime": "date",
    "DatetimeMS": "date",
    "ObjectId": "objectId",
    "Decimal128": "decimal",
    "bytes": "binData",
    "Binary": "binData",
    "UUID": "binData",
    "Timestamp": "timestamp",
    "Regex": "regex",
    "Pattern": "regex",
    "Code": "javascript",
    "DBRef": "dbRef",
    "MinKey": "minKey",
    "MaxKey": "maxKey",
}


def _type(value: Any) -> str:
    """The name that MongoDB gives to a value's type."""
    if isinstance(value, Mapping):
        return "object"
    if isinstance(value, list):
        return "array"
    name = _NAMES.get(type(value).__name__, "unknown")
    return "long" if name == "int" and not -(1 << 31) <= value < 1 << 31 else name
