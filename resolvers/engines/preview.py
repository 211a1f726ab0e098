"""The beginning of a content, made readable: lines of a text, rows of a CSV, a JSON value, the size of a picture.

Each takes the first bytes and whether they are all, and tells honestly whether anything was left out.
"""

import csv
import io
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from schema.text import DEEPEST

csv.field_size_limit(2 << 20)  # a preview reads one megabyte at most, which may be a single field


@dataclass(frozen=True, slots=True)
class Preview:
    """Holds what a preview shows, by the field of the answer that holds it."""

    kind: str
    truncated: bool
    fields: dict[str, Any] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)


def narrowed(shown: Preview, most: int) -> Preview:
    """A table without the columns beyond the first `most`; `meta.total_columns` says how many there are."""
    columns, rows = shown.fields.get("columns") or [], shown.fields.get("rows") or []
    total = max(len(columns), max(map(len, rows), default=0))
    if total <= most:
        return shown
    cut = {"columns": columns[:most], "rows": [row[:most] for row in rows]}
    return replace(shown, truncated=True, fields=shown.fields | cut, meta=shown.meta | {"total_columns": total})


def text(data: bytes, *, whole: bool, limit: int) -> Preview:
    """The first lines."""
    decoded, meta = _decoded(data, whole=whole)
    lines = decoded.splitlines(keepends=True)
    return Preview("text", not whole or len(lines) > limit, {"text": "".join(lines[:limit])}, meta)


def table(data: bytes, *, whole: bool, limit: int) -> Preview:
    """The header and the first rows of a CSV. Every cell is text; short rows are filled up with null."""
    decoded, meta = _decoded(data.removeprefix(b"\xef\xbb\xbf"), whole=whole)
    head = decoded.lstrip().partition("\n")[0]
    records = list(_records(decoded, max(",;\t|", key=head.count), most=limit + 2))
    if not whole and len(records) < limit + 2:
        records = records[:-1]  # the last one is cut
    columns = records[0] if records else []
    rows = [[*row, *[None] * (len(columns) - len(row))] for row in records[1:]]
    return Preview("tabular", not whole or len(rows) > limit, {"columns": columns, "rows": rows[:limit]}, meta)


def _records(decoded: str, delimiter: str, *, most: int) -> Iterator[list[Any]]:
    reader = csv.reader(io.StringIO(decoded, newline=""), delimiter=delimiter)
    for record in reader:
        if record:
            yield list(record)
            most -= 1
        if most == 0:
            return


def json_value(data: bytes, *, whole: bool, limit: int) -> Preview:
    """A JSON value, the first items of it when it is a list. What is cut or no JSON is shown as text."""
    if not whole:
        shown = text(data, whole=False, limit=limit)
        return Preview("text", True, shown.fields, shown.meta | {"note": "It is larger than max_bytes: shown as text."})
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        shown = text(data, whole=True, limit=limit)
        return Preview("text", shown.truncated, shown.fields, shown.meta | {"note": "It is not valid JSON."})
    if _deeper(value, DEEPEST):
        shown = text(data, whole=True, limit=limit)
        note = f"It is nested more than {DEEPEST} levels deep: shown as text."
        return Preview("text", shown.truncated, shown.fields, shown.meta | {"note": note})
    if isinstance(value, list) and len(value) > limit:
        return Preview("json", True, {"value": value[:limit]}, {"items": len(value)})
    return Preview("json", False, {"value": value})


def _deeper(value: Any, most: int) -> bool:
    """Return whether lists and objects nest deeper than so many levels, which an answer could not hold."""
    level = [value]
    for _ in range(most):
        level = [inner for one in level if isinstance(one, list | dict) for inner in _within(one)]
        if not level:
            return False
    return any(isinstance(one, list | dict) for one in level)


def _within(one: list[Any] | dict[str, Any]) -> Iterable[Any]:
    return one.values() if isinstance(one, dict) else one


def picture_size(data: bytes) -> tuple[int, int] | None:
    """Width and height of a PNG, GIF or JPEG, from its first bytes; None when they do not tell."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        width, height = struct.unpack("<HH", data[6:10])
        return width, height
    at = 2
    while data.startswith(b"\xff\xd8") and at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], struct.unpack(">H", data[at + 2 : at + 4])[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return None


def _decoded(data: bytes, *, whole: bool) -> tuple[str, dict[str, Any]]:
    for cut in range(1 if whole else 4):  # a cut may fall inside a character of up to four bytes
        try:
            return data[: len(data) - cut].decode(), {}
        except UnicodeDecodeError:
            continue
    return data.decode(errors="replace"), {"note": "It is not UTF-8: what could not be read is shown as \ufffd."}
