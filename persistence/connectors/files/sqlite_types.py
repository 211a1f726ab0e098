"""What the columns of a SQLite table hold: what is declared, and what the first rows say of it.

SQLite lets every column hold values of every kind; a declared type is a wish. It has no types for days and moments
either, which its own documentation advises to keep as ISO 8601 texts. So a column is of its declared type as long as
its first rows do not contradict it, and texts that all are ISO days or moments are days or moments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["Declared", "Held", "aggregates", "declared", "held", "settled"]

TEXTS: Final = frozenset(("VARCHAR", "TEXT", "CHAR", "JSON", "TIME"))

_NAMED: Final = {
    "BOOLEAN": "BOOLEAN",
    "BOOL": "BOOLEAN",
    "DATE": "DATE",
    "DATETIME": "TIMESTAMP",
    "TIMESTAMP": "TIMESTAMP",
    "TIME": "TIME",
    "JSON": "JSON",
    "NUMERIC": "NUMERIC",
    "DECIMAL": "NUMERIC",
    "NUMBER": "NUMERIC",
    "TEXT": "TEXT",
    "CLOB": "TEXT",
    "CHAR": "CHAR",
    "CHARACTER": "CHAR",
}
_AFFINITIES: Final = (
    (("INT",), "BIGINT"),
    (("CHAR", "CLOB", "TEXT"), "VARCHAR"),
    (("BLOB",), "BINARY"),
    (("REAL", "FLOA", "DOUB"), "DOUBLE"),
)
"""Source: https://www.sqlite.org/datatype3.html, 3.1; every integer of SQLite has up to 64 bits."""

_SPELLED: Final = re.compile(r"\s*([^(]*?)\s*(?:\(\s*(\d{1,9})\s*(?:,\s*(\d{1,9})\s*)?\).*)?", re.DOTALL)

_DAY: Final = "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]"
_MOMENT: Final = f"{_DAY}[T ][0-2][0-9]:[0-5][0-9]*"
_IS_MOMENT: Final = f"({{0}} glob '{_MOMENT}' and {{0}} not glob '*[^-0-9T :.]*')"

_AGGREGATES: Final = (
    "max(typeof({0}) = 'integer')",
    "max(typeof({0}) = 'real')",
    "max(typeof({0}) = 'text')",
    "max(typeof({0}) = 'blob')",
    f"min(case typeof({{0}}) when 'text' then {{0}} glob '{_DAY}' or {_IS_MOMENT} end)",
    f"max(typeof({{0}}) = 'text' and {_IS_MOMENT})",
    "min(case typeof({0}) when 'integer' then {0} in (0, 1) end)",
)
"""What is asked of a column, in the order of the fields of `Held`."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared type."""

    kind: str | None
    """The neutral name; None where nothing, or nothing that is known, is declared."""
    precision: int | None = None
    scale: int | None = None
    length: int | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """What the first rows hold in a column."""

    integers: bool = False
    reals: bool = False
    texts: bool = False
    blobs: bool = False
    all_moments: bool = False
    """Whether every text is a day or a moment as ISO 8601 writes them."""
    some_times: bool = False
    """Whether some of them have a time of the day."""
    all_flags: bool = False
    """Whether every integer is 0 or 1."""


def aggregates(column: str) -> list[str]:
    """The expressions that tell what a column holds; `column` stands in SQL as it is."""
    return [one.format(column) for one in _AGGREGATES]


def held(answers: Sequence[Any]) -> Held:
    """Return what the answers to `aggregates` say."""
    return Held(*(bool(answer) for answer in answers))


def declared(spelled: str) -> Declared:
    """Return what a declared type means."""
    found = _SPELLED.fullmatch(spelled)
    name, first, second = (found[1].upper(), found[2], found[3]) if found else (spelled.upper(), None, None)
    kind = _NAMED.get(name) or next((kind for signs, kind in _AFFINITIES if any(sign in name for sign in signs)), None)
    if kind == "NUMERIC":
        return Declared(kind, int(first) if first else None, int(second or 0) if first else None)
    if kind in ("VARCHAR", "CHAR") and first:
        return Declared(kind, length=int(first))
    return Declared(kind)


def settled(kind: str | None, found: Held) -> str:
    """The neutral type of a column, of what is declared and what its first rows hold."""
    if found.blobs:
        return "VARCHAR" if found.texts or found.integers or found.reals else "BINARY"
    if found.texts:
        return _of_texts(kind, found)
    if not (found.integers or found.reals):
        return kind or "VARCHAR"
    if kind == "NUMERIC" or kind in TEXTS or (kind == "BOOLEAN" and found.all_flags and not found.reals):
        return kind
    return "DOUBLE" if found.reals or kind == "DOUBLE" else "BIGINT"


def _of_texts(kind: str | None, found: Held) -> str:
    if found.integers or found.reals:
        return kind if kind in TEXTS else "VARCHAR"
    if found.all_moments and kind not in ("JSON", "TIME", "BOOLEAN", "BIGINT", "DOUBLE", "BINARY"):
        return "TIMESTAMP" if found.some_times or kind == "TIMESTAMP" else "DATE"
    return kind if kind in TEXTS else "VARCHAR"
