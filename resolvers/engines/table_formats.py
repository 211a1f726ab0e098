"""The rows of a table as CSV, JSON and XLSX.

A spreadsheet takes a text that begins with `=`, `+`, `-` or `@` for a formula, and runs it. In CSV such a text gets an
apostrophe before it, which spreadsheets read as "this is text"; in XLSX it is written as text, and stays as it is.
Numbers stay numbers, also negative ones.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from importlib.util import find_spec
from typing import Any, Final

import orjson

_FORMULA: Final = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")  # noqa: RUF001 (full-width ones are read too)
"""What a text begins with that a spreadsheet may take for a formula; it passes over blanks before it."""
EXACT: Final = 15
"""Digits of a number that every reader of JSON, and every spreadsheet, keeps."""
LONGEST_CELL: Final = 32_767
"""Signs of a text in a cell of XLSX; a longer one ends in an ellipsis."""
MOST_XLSX_COLUMNS: Final = 16_384
_FIRST_YEAR: Final = 1900
"""XLSX counts days from then on."""
_NUMBERS: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
                   "UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL")  # fmt: skip
_MADE: Final = datetime(2000, 1, 1)  # noqa: DTZ001 (XLSX has no zones)
"""When a workbook says that it was made: always the same, so that the same rows make the same bytes."""


_BOOK: Final = {
    "constant_memory": True,  # row by row, so that a large sheet takes little memory
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
"""How a workbook is written: nothing is taken for a formula, an address or a number."""


class TooLarge(Exception):
    """The table takes more bytes than are allowed."""


class NoWorkbooks(Exception):
    """The library that writes XLSX is not installed. The text says how to install it."""


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows with plain values: decimals and moments as text, as `types` tell."""

    columns: Sequence[str]
    types: Sequence[str]
    """DuckDB's names of the types."""
    rows: Sequence[Sequence[Any]]


def has_workbooks() -> bool:
    """Return whether the library that writes XLSX is installed."""
    return find_spec("xlsxwriter") is not None


def as_csv(table: TableRows, most: int) -> bytes:
    """Comma-separated text with a header, in UTF-8; nothing stands for null. Raises TooLarge."""
    written, numeric = io.BytesIO(), _numeric(table)
    text = io.TextIOWrapper(written, encoding="utf-8", newline="", write_through=True)
    out = csv.writer(text, lineterminator="\n")
    out.writerow([_harmless(name) for name in table.columns])
    for row in table.rows:
        out.writerow([_field(cell, is_number) for cell, is_number in zip(row, numeric, strict=True)])
        if written.tell() > most:
            raise TooLarge
    return written.getvalue()


def csv_line(cells: Sequence[Any]) -> str:
    """One line of comma-separated text, of plain values none of which a spreadsheet takes for a formula."""
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="\n").writerow([_field(cell, False) for cell in cells])
    return line.getvalue()


def as_json(table: TableRows, most: int) -> bytes:
    """A list with an object for each row. Numbers that would lose digits are texts. Raises TooLarge."""
    decimals = [kind.startswith("DECIMAL") for kind in table.types]
    pieces, room, between = [b"["], most, b"\n"
    for row in table.rows:
        cells = (_number(cell) if is_exact else cell for cell, is_exact in zip(row, decimals, strict=True))
        piece = between + orjson.dumps(dict(zip(table.columns, cells, strict=True)))
        room, between = room - len(piece), b",\n"
        if room < 0:
            raise TooLarge
        pieces.append(piece)
    return b"".join([*pieces, b"\n]\n"])


def as_xlsx(table: TableRows, most: int) -> bytes:
    """A workbook with one sheet, whose first row has the names. Raises TooLarge and NoWorkbooks."""
    try:
        import xlsxwriter
    except ImportError:
        raise NoWorkbooks("XLSX needs XlsxWriter. Install it with: pip install 'stoa-platform[xlsx]'") from None
    if len(table.columns) > MOST_XLSX_COLUMNS:
        raise TooLarge
    written = io.BytesIO()
    with xlsxwriter.Workbook(written, _BOOK) as book:
        book.set_properties({"created": _MADE})
        sheet, bold = book.add_worksheet("Rows"), book.add_format({"bold": True})
        day, clock = (book.add_format({"num_format": form}) for form in ("yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"))
        sheet.freeze_panes(1, 0)
        for place, name in enumerate(table.columns):
            sheet.write_string(0, place, _short(name), bold)
        for at, row in enumerate(table.rows, 1):
            for place, value in _cells(row, table.types):
                if isinstance(value, bool):
                    sheet.write_boolean(at, place, value)
                elif isinstance(value, int | float):
                    sheet.write_number(at, place, value)
                elif isinstance(value, date):
                    sheet.write_datetime(at, place, value, clock if isinstance(value, datetime) else day)
                else:
                    sheet.write_string(at, place, value)
    if written.tell() > most:
        raise TooLarge
    return written.getvalue()


def _numeric(table: TableRows) -> list[bool]:
    return [kind.startswith(_NUMBERS) and not kind.endswith("]") for kind in table.types]


def _field(cell: Any, is_number: bool) -> str:
    """A cell of CSV."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell if is_number else _harmless(cell)
    return orjson.dumps(cell).decode()


def _harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    risky = text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA)
    return f"'{text}" if risky else text


def _number(cell: str | None) -> Any:
    """A decimal number as JSON: as it is written where every reader keeps its digits, else as text."""
    if cell is None or _digits(cell) > EXACT:
        return cell
    return orjson.Fragment(cell)


def _digits(cell: str) -> int:
    """How many digits of a number tell anything: not the noughts before it, nor those that end its fraction."""
    return sum(map(str.isdigit, (cell.rstrip("0") if "." in cell else cell).lstrip("-0.")))


def _cells(row: Sequence[Any], types: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """The cells of a row of XLSX that hold anything, each with its place."""
    for place, (cell, kind) in enumerate(zip(row, types, strict=True)):
        if cell is not None:
            yield place, _value(cell, kind)


def _value(cell: Any, kind: str) -> bool | int | float | date | str:
    """A value as XLSX holds it: what it cannot hold exactly is a text."""
    if isinstance(cell, bool | float):
        return cell
    if isinstance(cell, int):
        return cell if _digits(str(cell)) <= EXACT else str(cell)
    if not isinstance(cell, str):
        return _short(orjson.dumps(cell).decode())
    if kind.startswith("DECIMAL") and _digits(cell) <= EXACT:
        try:
            return float(Decimal(cell))
        except InvalidOperation:
            return cell
    return (_moment(cell, kind) if kind in ("DATE", "TIMESTAMP") else None) or _short(cell)


def _moment(cell: str, kind: str) -> date | None:
    try:
        found = date.fromisoformat(cell) if kind == "DATE" else datetime.fromisoformat(cell)
    except ValueError:
        return None
    return found if found.year >= _FIRST_YEAR else None


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"
