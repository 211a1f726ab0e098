"""The rows of an answer as values that JSON and Parquet hold, with a type for each column."""

import base64
import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, Final

import orjson

_LONG: Final = 2**63
_DIGITS: Final = 38
"""The digits that a decimal has at most."""


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of an answer."""

    name: str
    type: str
    """DuckDB's name: VARCHAR, BIGINT, DOUBLE, DECIMAL(38,2), DATE, TIMESTAMP, BOOLEAN, ..."""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """An answer's rows. Cells are JSON: numbers, those that would lose digits as text, ISO 8601 moments, texts."""

    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool = False
    """Whether the source had more."""

    @property
    def names(self) -> list[str]:
        """The names of the columns, each once."""
        return [column.name for column in self.columns]


def table_of(names: Sequence[str], rows: Sequence[Sequence[Any]], *, truncated: bool = False) -> ResultTable:
    """The answer with plain values."""
    types = [_type_of([row[at] for row in rows]) for at in range(len(names))]
    columns = tuple(ResultColumn(name, kind) for name, kind in zip(_apart(names), types, strict=True))
    plain = tuple(tuple(_plain(cell, kind) for cell, kind in zip(row, types, strict=True)) for row in rows)
    return ResultTable(columns, plain, truncated)


def parquet_rows(table: ResultTable) -> list[list[Any]]:
    """The rows as a writer of Parquet takes them, which reads decimals from text."""
    exact = [column.type.startswith("DECIMAL") for column in table.columns]
    return [
        [str(cell) if is_exact and cell is not None else cell for cell, is_exact in zip(row, exact, strict=True)]
        for row in table.rows
    ]


def size_of(row: Sequence[Any]) -> int:
    """About how many bytes a row takes."""
    return sum(len(cell) if isinstance(cell, str | bytes) else 16 for cell in row)


def digest(table: ResultTable, *, ordered: bool, named: bool = True) -> str:
    """Return what two equal answers have in common. Rows that no ORDER BY sorts may come in any order.

    `named` is whether the names of the columns count: two queries may call the same figures differently.
    """
    lines = [orjson.dumps(row) for row in table.rows]
    hashed = hashlib.sha256(orjson.dumps(table.names if named else len(table.names)))
    for line in lines if ordered else sorted(lines):
        hashed.update(b"\n" + line)
    return hashed.hexdigest()


def _apart(names: Iterable[str]) -> list[str]:
    """The names, with a number behind one that stood before."""
    taken: set[str] = set()
    made = []
    for name in names:
        candidate, number = name or "column", 2
        while candidate.casefold() in taken:
            candidate, number = f"{name or 'column'}_{number}", number + 1
        taken.add(candidate.casefold())
        made.append(candidate)
    return made


def _type_of(cells: Sequence[Any]) -> str:
    kinds = {type(cell) for cell in cells if cell is not None}
    if not kinds:
        return "VARCHAR"
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        fits = all(-_LONG <= cell < _LONG for cell in cells if cell is not None)
        return "BIGINT" if fits else "VARCHAR"
    if kinds <= {int, Decimal}:
        return _decimal([Decimal(cell) for cell in cells if cell is not None])
    if kinds <= {int, float, Decimal}:
        return "DOUBLE"
    if kinds == {date}:
        return "DATE"
    if kinds <= {date, datetime}:
        aware = {cell.tzinfo is not None for cell in cells if isinstance(cell, datetime)}
        if len(aware) == 1 and (kinds == {datetime} or aware == {False}):
            return "TIMESTAMP WITH TIME ZONE" if True in aware else "TIMESTAMP"
        return "VARCHAR"
    if kinds == {time} and all(cell.tzinfo is None for cell in cells if cell is not None):
        return "TIME"
    return "VARCHAR"


def _decimal(cells: Sequence[Decimal]) -> str:
    if not all(cell.is_finite() for cell in cells):
        return "DOUBLE"
    places = max((max(0, -int(cell.as_tuple().exponent)) for cell in cells), default=0)
    digits = max((max(0, cell.adjusted() + 1) for cell in cells), default=0)
    return f"DECIMAL({_DIGITS},{places})" if places + digits <= _DIGITS else "DOUBLE"


def _plain(cell: Any, kind: str) -> Any:
    """A cell as JSON holds it, in the type of its column."""
    if cell is None or isinstance(cell, bool):
        return cell if kind == "BOOLEAN" or cell is None else str(cell).lower()
    if kind == "VARCHAR":
        return _text(cell)
    if isinstance(cell, int):
        return float(cell) if kind == "DOUBLE" else cell
    if isinstance(cell, Decimal):
        return _number(cell) if kind.startswith("DECIMAL") else _finite(float(cell))
    if isinstance(cell, float):
        return _finite(cell)
    if kind == "TIMESTAMP" and not isinstance(cell, datetime):
        cell = datetime.combine(cell, time())
    if isinstance(cell, datetime) and cell.tzinfo is not None:
        cell = cell.astimezone(UTC)
    return cell.isoformat()


def _number(cell: Decimal) -> int | float | str:
    """A decimal as a number where that is exactly it, else as text."""
    if cell == cell.to_integral_value() and -_LONG <= cell < _LONG:
        return int(cell)
    number = float(cell)
    return number if Decimal(repr(number)) == cell else str(cell)


def _finite(cell: float) -> float | None:
    return cell if math.isfinite(cell) else None


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell.replace("\x00", "\ufffd")
    if isinstance(cell, bytes | bytearray | memoryview):
        return base64.b64encode(bytes(cell)).decode()
    if isinstance(cell, dict | list | tuple | set):
        return orjson.dumps(list(cell) if isinstance(cell, set) else cell, default=str).decode()
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell)
