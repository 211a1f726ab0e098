"""The sheets of an XLSX workbook as tables: where the header stands, what the columns hold, and their rows.

* The header is the first row that fills at least half as many cells as the widest of the first rows: what stands above
  it is taken for a title, and the table's comment says so. A row most of whose cells are no texts is no header; the
  columns then have the letters that Excel gives them.
* A column is of the one kind of value that its first rows hold, numbers, days, moments, times or truth values, and
  text where there are several. Numbers that are kept as text stay text. An error such as #N/A is NULL, as is every
  cell of a merged range but the first.
* Rows without any value are left out, sheets without any too, and the comment of the schema names those. Hidden sheets
  are read, and say that they are hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from typing import Final

from persistence.connectors.core.base import ColumnInfo, TableInfo
from persistence.connectors.files.containers import MOST_TABLES, WORKBOOK, Container, TextColumn, unreadable
from persistence.connectors.files.formats import FileProblem
from persistence.connectors.files.literals import types_of
from persistence.connectors.files.xlsx import Cell, Cells, Sheet, Workbook

_FIRST_ROWS: Final = 10_000
"""Rows of a sheet that decide its columns."""
_FIRST_CELLS: Final = 500_000
_MOST_NAMED: Final = 20
_HEADER_WITHIN: Final = 50
"""Filled rows among which the header is looked for."""
_MOST_COLUMNS: Final = 2000
_ROWS_AT_ONCE: Final = 2000
_LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True)
class _Table:
    """What a sheet holds."""

    sheet: Sheet
    info: TableInfo
    after: int
    """The number of the row behind which its rows begin."""
    places: tuple[int, ...]
    """The numbers of its columns in the sheet."""


class WorkbookFile(Container):
    """An open workbook."""

    kind = WORKBOOK

    def __init__(self, path: Path, seconds: float, most_bytes: int, stopped: Callable[[], bool]) -> None:
        """Open a private copy. Raises FileProblem."""
        self._book = Workbook(path, seconds, most_bytes, stopped)
        self._sheets: dict[str, Sheet | FileProblem] = {}
        self._tables: dict[str, _Table] = {}
        self.is_whole = len(self._book.sheets) <= MOST_TABLES
        empty = []
        try:
            for sheet in self._book.sheets[:MOST_TABLES]:
                try:
                    held: Sheet | FileProblem = sheet
                    if next(self._book.rows(sheet), None) is None:
                        empty.append(sheet.name)
                        continue
                except FileProblem as problem:
                    held = problem
                self._sheets[self._free(sheet.name.strip() or "Sheet")] = held
        except BaseException:
            self._book.close()
            raise
        if empty:
            more = f" and {len(empty) - _MOST_NAMED} more" if len(empty) > _MOST_NAMED else ""
            self.comment = f"Sheets that are empty, and left out: {', '.join(empty[:_MOST_NAMED])}{more}."

    def close(self) -> None:
        """Close the file."""
        self._book.close()

    def names(self) -> Sequence[str]:
        """The sheets that hold something."""
        return sorted(self._sheets)

    def describe(self, table: str) -> TableInfo | None:
        """A sheet with the columns of its header."""
        if table not in self._sheets:
            return None
        try:
            return self._table(table).info
        except FileProblem as problem:
            return unreadable(table, str(problem))

    def write(self, table: str, put: Callable[[bytes], None]) -> Sequence[TextColumn]:
        """The rows below the header."""
        found = self._table(table)
        rows = self._below(found)
        while lines := [_line(cells, found.places) for cells in islice(rows, _ROWS_AT_ONCE)]:
            put("".join(lines).encode("utf-8", "replace"))
        return [TextColumn(one.name, types_of(one.data_type)) for one in found.info.columns]

    def _table(self, name: str) -> _Table:
        """A sheet that holds something. Raises FileProblem."""
        if name not in self._tables:
            sheet = self._sheets[name]
            if isinstance(sheet, FileProblem):
                raise sheet
            self._tables[name] = self._looked_at(sheet, name)
        return self._tables[name]

    def _below(self, found: _Table) -> Iterator[Cells]:
        for number, cells in self._book.rows(found.sheet):
            if number > found.after and any(place in cells for place in found.places):
                yield cells

    def _free(self, name: str) -> str:
        """A name that no other sheet has, whatever the case of its letters."""
        taken = {one.lower() for one in self._sheets}
        unique, again = name, 1
        while unique.lower() in taken:
            again += 1
            unique = f"{name} ({again})"
        return unique

    def _looked_at(self, sheet: Sheet, name: str) -> _Table:
        """The table of a sheet, from its first rows."""
        rows, whole = self._first(sheet)
        notes = ["The sheet is hidden in the workbook."] if sheet.is_hidden else []
        at = _header(rows)
        number, header = rows[at]
        if at:
            above = "row is" if at == 1 else f"{at} rows with a value are"
            notes.append(f"Its first {above} taken for a title: the header stands in row {number}.")
        named = 2 * sum(isinstance(value, str) for value in header.values()) >= len(header)
        below = [cells for _, cells in rows[at + 1 :]] if named else [cells for _, cells in rows[at:]]
        places = sorted({*header, *(place for cells in below for place in cells)})[:_MOST_COLUMNS]
        if not named:
            notes.append("It has no header; its columns have the letters that the sheet gives them.")
        names = _named(header if named else {}, places)
        columns = [
            ColumnInfo(title, kind, kind, position, nullable=None)
            for position, (title, kind) in enumerate(zip(names, _kinds(places, below), strict=True), 1)
        ]
        info = TableInfo(
            name, "FILE", tuple(columns), comment=" ".join(notes) or None, row_count=len(below) if whole else None
        )
        return _Table(sheet, info, number if named else number - 1, tuple(places))

    def _first(self, sheet: Sheet) -> tuple[list[tuple[int, Cells]], bool]:
        """The first rows of a sheet, and whether they are all of them."""
        found: list[tuple[int, Cells]] = []
        cells = 0
        for number, row in self._book.rows(sheet):
            if len(found) >= _FIRST_ROWS or cells > _FIRST_CELLS:
                return found, False
            found.append((number, row))
            cells += len(row)
        return found, True


def _header(rows: Sequence[tuple[int, Cells]]) -> int:
    """Which of the first rows is the header: the first that fills half as many cells as the widest of them."""
    first = rows[:_HEADER_WITHIN]
    widest = max(len(cells) for _, cells in first)
    return next(at for at, (_, cells) in enumerate(first) if 2 * len(cells) >= widest)


def _named(header: Cells, places: Sequence[int]) -> list[str]:
    """The names of columns: what the header says, or the letters of the sheet; each once, whatever its case."""
    taken: set[str] = set()
    names = []
    for place in places:
        said = " ".join(_shown(header[place]).split())[:_LONGEST_NAME] if place in header else ""
        name = unique = said or _letters(place)
        again = 1
        while unique.lower() in taken:
            again += 1
            unique = f"{name} ({again})"
        taken.add(unique.lower())
        names.append(unique)
    return names


def _kinds(places: Sequence[int], rows: Sequence[Cells]) -> Iterator[str]:
    """Yield the neutral type of each column."""
    for place in places:
        held = {type(cells[place]) for cells in rows if place in cells}
        if held == {int, float}:
            held = {float}
        elif held == {date, datetime}:
            held = {datetime}
        yield _KINDS[held.pop()] if len(held) == 1 else "VARCHAR"


_KINDS: Final[dict[type, str]] = {
    str: "VARCHAR",
    int: "BIGINT",
    float: "DOUBLE",
    bool: "BOOLEAN",
    date: "DATE",
    datetime: "TIMESTAMP",
    time: "TIME",
}


def _letters(place: int) -> str:
    letters, left = "", place + 1
    while left:
        left, at = divmod(left - 1, 26)
        letters = chr(65 + at) + letters
    return letters


def _line(cells: Cells, places: Sequence[int]) -> str:
    return ",".join([_literal(cells[place]) if place in cells else "NULL" for place in places]) + "\n"


def _literal(value: Cell) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''").replace("\x00", "") + "'"
    if isinstance(value, bool):
        return "1" if value else "0"
    return repr(value) if isinstance(value, int | float) else f"'{_shown(value)}'"


def _shown(value: Cell) -> str:
    return value.isoformat(" ") if isinstance(value, datetime) else str(value)
