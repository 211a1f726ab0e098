"""The cells of an XLSX workbook (ISO/IEC 29500), read row by row in bounded memory, with the standard library alone.

Values are what Excel last calculated and kept; formulas and macros are never run. A document type, and with it every
entity of XML, is refused. `zipfile` hands out no more bytes of a part than its directory declares, so that the sizes
declared there bound the work before it begins. Why no package reads them: docs/decisions/0109.
"""

from __future__ import annotations

import posixpath
import re
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path
from typing import Any, Final
from xml.parsers import expat

from persistence.connectors.core.reading import cancelled
from persistence.connectors.files.formats import FileProblem

Cell = str | int | float | bool | date | datetime | time_of_day
"""A value of a cell; a cell that is empty, or holds an error such as #N/A, has none."""
Cells = dict[int, Cell]
"""The filled cells of one row, by the number of their column from 0."""

_PIECE: Final = 64 << 10
_MOST_PARTS: Final = 10_000
_MOST_STRINGS: Final = 256 << 20
_MOST_DECLARED: Final = 8 << 20
_MOST_COLUMNS: Final = 16_384
_DAMAGED: Final = "It is not a whole XLSX workbook, or is damaged."
_LONGEST_TEXT: Final = 4 << 20
_MOST_PIECES: Final = 10_000
_TOO_LONG: Final = f"It has a value of more than {_LONGEST_TEXT:,} bytes."
_MAIN: Final = frozenset(
    (
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
        "http://purl.oclc.org/ooxml/spreadsheetml/main",
    )
)
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A worksheet of a workbook."""

    name: str
    part: str
    is_hidden: bool


@dataclass(frozen=True, slots=True)
class _Format:
    """What a number format makes of a number."""

    is_date: bool = False
    is_time: bool = False


_PLAIN: Final = _Format()
_BUILT_IN: Final = {
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 36, *range(50, 59)), _Format(is_date=True)),
    **dict.fromkeys((18, 19, 20, 21, 32, 33, 34, 35, 45, 47), _Format(is_time=True)),
    22: _Format(is_date=True, is_time=True),
}
"""The formats that need no code, by number. Source: ISO/IEC 29500-1, 18.8.30."""


class Workbook:
    """An open workbook. `seconds` bound the reading of one sheet; `stopped` tells that nobody waits any more."""

    def __init__(self, path: Path, seconds: float, most_bytes: int, stopped: Callable[[], bool]) -> None:
        self._seconds = seconds
        self._stopped = stopped
        self._strings: list[str] | None = None
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, UnicodeDecodeError):
            with path.open("rb") as file:
                if file.read(8) == _OLE:
                    raise FileProblem(
                        "It is encrypted, or of Excel's older format. Save it as XLSX, without a password."
                    ) from None
            raise FileProblem(_DAMAGED) from None
        try:
            self._parts = {one.filename: one for one in self._zip.infolist()}
            if len(self._parts) > _MOST_PARTS or sum(one.file_size for one in self._parts.values()) > most_bytes:
                raise FileProblem(f"Unpacked it is larger than the {most_bytes:,} bytes that this deployment copies.")
            self._look()
        except BaseException:
            self._zip.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    def rows(self, sheet: Sheet) -> Iterator[tuple[int, Cells]]:
        """Yield the number (from 1) and the filled cells of each row of a sheet that has some. Raises FileProblem."""
        if self._strings is None:
            self._strings = self._shared_strings()
        taken = _Rows(self._strings, self._formats, self._epoch)
        for _ in self._read(sheet.part, taken.start, taken.end, taken.text):
            yield from taken.done
            taken.done.clear()

    # The small parts

    def _look(self) -> None:
        roots = [one for one in self._related("") if one.kind == "officeDocument"]
        book = roots[0].part if roots else "xl/workbook.xml"
        related = {one.key: one for one in self._related(book)}
        by_kind = {one.kind: one.part for one in related.values()}
        self._strings_part, self._styles_part = by_kind.get("sharedStrings"), by_kind.get("styles")
        self._epoch, self.sheets = _FROM_1900, list[Sheet]()

        def start(name: str, attributes: dict[str, str]) -> None:
            if name == "workbookPr" and attributes.get("date1904") in ("1", "true", "on"):
                self._epoch = _FROM_1904
            elif name == "sheet":
                key = next((value for mark, value in attributes.items() if mark.endswith(":id")), "")
                found = related.get(key)
                if found is not None and found.kind == "worksheet" and found.part in self._parts:
                    hidden = attributes.get("state", "visible") != "visible"
                    self.sheets.append(Sheet(unescaped(attributes.get("name", "")), found.part, hidden))

        self._small(book, start)
        self._formats = self._number_formats()

    def _related(self, part: str) -> list[_Related]:
        folder, name = posixpath.split(part)
        found: list[_Related] = []

        def start(element: str, attributes: dict[str, str]) -> None:
            target = attributes.get("Target", "")
            if element == "Relationship" and target and attributes.get("TargetMode") != "External":
                path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                found.append(_Related(attributes.get("Id", ""), attributes.get("Type", "").rpartition("/")[2], path))

        rels = posixpath.join(folder, "_rels", f"{name}.rels")
        if rels in self._parts:
            self._small(rels, start)
        return found

    def _number_formats(self) -> list[_Format]:
        codes: dict[str, str] = {}
        formats: list[_Format] = []
        inside: list[str] = []

        def start(name: str, attributes: dict[str, str]) -> None:
            if name == "cellXfs":
                inside.append(name)
            elif name == "numFmt":
                codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
            elif name == "xf" and inside:
                number = attributes.get("numFmtId", "0")
                formats.append(_format_of(number, codes.get(number)))

        def end(name: str) -> None:
            if name == "cellXfs":
                inside.clear()

        if self._styles_part in self._parts:
            self._small(str(self._styles_part), start, end)
        return formats

    def _shared_strings(self) -> list[str]:
        if self._strings_part not in self._parts:
            return []
        part = str(self._strings_part)
        if self._parts[part].file_size > _MOST_STRINGS:
            raise FileProblem(f"Its texts take more than the {_MOST_STRINGS:,} bytes that are read.")
        strings: list[str] = []
        held = _Text()

        def start(name: str, _: dict[str, str]) -> None:
            held.start(name)

        def end(name: str) -> None:
            held.end(name)
            if name == "si":
                strings.append(held.taken())

        for _ in self._read(part, start, end, held.text):
            pass
        return strings

    def _small(
        self, part: str, start: Callable[[str, dict[str, str]], None], end: Callable[[str], None] | None = None
    ) -> None:
        if part not in self._parts:
            raise FileProblem(_DAMAGED)
        if self._parts[part].file_size > _MOST_DECLARED:
            raise FileProblem(f"One of its parts takes more than the {_MOST_DECLARED:,} bytes that are read.")
        for _ in self._read(part, start, end):
            pass

    def _read(
        self,
        part: str,
        start: Callable[[str, dict[str, str]], None],
        end: Callable[[str], None] | None = None,
        text: Callable[[str], None] | None = None,
    ) -> Iterator[None]:
        """Parse a part, with a yield after each piece. Elements are named without their namespaces."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = _refuse
        parser.CharacterDataHandler = text

        def first(name: str, attributes: dict[str, str]) -> None:
            main = [mark for mark, value in attributes.items() if value in _MAIN]
            plain = ":" not in name and not any(mark.startswith("xmlns:") for mark in main)
            parser.StartElementHandler = start if plain else lambda name, given: start(name.rpartition(":")[2], given)
            if end is not None:
                parser.EndElementHandler = end if plain else lambda name: end(name.rpartition(":")[2])
            parser.StartElementHandler(name, attributes)

        parser.StartElementHandler = first
        until, fed = time.monotonic() + self._seconds, 0
        try:
            with self._zip.open(self._parts[part]) as file:
                while piece := file.read(_PIECE):
                    if self._stopped():
                        raise cancelled()
                    if time.monotonic() > until:
                        raise FileProblem(f"Reading it took longer than {self._seconds:g} seconds.")
                    parser.Parse(piece, False)
                    fed += len(piece)
                    if fed - parser.CurrentByteIndex > _LONGEST_TEXT:
                        raise FileProblem(_TOO_LONG)
                    yield
                parser.Parse(b"", True)
                yield
        except (expat.ExpatError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError):
            # RuntimeError is what zipfile says of a password, ValueError what a number or a reference is that is none.
            raise FileProblem(_DAMAGED) from None


@dataclass(frozen=True, slots=True)
class _Related:
    """A relationship between two parts."""

    key: str
    kind: str
    part: str


class _Text:
    """The text of a string item: all of its runs, without what says how its signs are pronounced."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._in_text = False
        self._spoken = False

    def start(self, name: str) -> None:
        """Note where a run begins."""
        if name == "t":
            self._in_text = not self._spoken
        elif name == "rPh":
            self._spoken = True

    def end(self, name: str) -> None:
        """Note where it ends."""
        if name == "t":
            self._in_text = False
        elif name == "rPh":
            self._spoken = False

    def text(self, text: str) -> None:
        """Take a piece of it."""
        if self._in_text:
            self._length += len(text)
            if self._length > _LONGEST_TEXT:
                raise FileProblem(_TOO_LONG)
            self._pieces.append(text)

    def taken(self) -> str:
        """Return what was gathered, and begin anew."""
        found = unescaped("".join(self._pieces))
        self._pieces.clear()
        self._length = 0
        return found


@dataclass(slots=True)
class _Rows:
    """Makes rows of the elements of a sheet."""

    strings: list[str]
    formats: list[_Format]
    epoch: datetime
    done: list[tuple[int, Cells]] = field(default_factory=list)
    _row: int = 0
    _column: int = -1
    _kind: str = "n"
    _style: str = "0"
    _cells: Cells = field(default_factory=dict)
    _value: list[str] = field(default_factory=list)
    _in_value: bool = False
    _inline: _Text = field(default_factory=_Text)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Note where a row, a cell or a value begins."""
        if name == "c":
            place = attributes.get("r")
            self._column = _column_of(place) if place else self._column + 1
            self._kind = attributes.get("t", "n")
            self._style = attributes.get("s", "0")
            self._value.clear()
        elif name == "v":
            self._in_value = True
        elif name == "row":
            number = attributes.get("r")
            self._row = int(number) if number else self._row + 1
            self._column, self._cells = -1, {}
        elif self._kind == "inlineStr":
            self._inline.start(name)

    def end(self, name: str) -> None:
        """Take what is complete."""
        if name == "v":
            self._in_value = False
        elif name == "c":
            value = self._inline.taken() if self._kind == "inlineStr" else self._made("".join(self._value))
            if value is not None and value != "" and self._column < _MOST_COLUMNS:
                self._cells[self._column] = value
            self._kind = "n"
        elif name == "row":
            if self._cells:
                self.done.append((self._row, self._cells))
        elif self._kind == "inlineStr":
            self._inline.end(name)

    def text(self, text: str) -> None:
        """Take a piece of a value."""
        if self._in_value:
            self._value.append(text)
            if len(self._value) > _MOST_PIECES:
                raise FileProblem(_TOO_LONG)
        elif self._kind == "inlineStr":
            self._inline.text(text)

    def _made(self, text: str) -> Cell | None:
        """The value that a cell keeps."""
        kind = self._kind
        if kind == "s":
            at = int(text) if text else -1
            return self.strings[at] if 0 <= at < len(self.strings) else None
        if kind == "str":
            return unescaped(text)
        if not text or kind == "e":
            return None
        if kind == "b":
            return text.strip() in ("1", "true")
        if kind == "d":
            return _iso(text)
        style = int(self._style)
        made = self.formats[style] if 0 <= style < len(self.formats) else _PLAIN
        return _number(text) if made is _PLAIN else _moment(float(text), made, self.epoch)


def _refuse(*_: Any) -> None:
    raise FileProblem("Its XML declares a document type, which no workbook needs.")


def _column_of(place: str) -> int:
    """The number of a column from 0, from the place of a cell such as AB12."""
    number = 0
    for letter in place:
        if not "A" <= letter <= "Z":
            break
        number = number * 26 + ord(letter) - 64
    if not 0 < number <= _MOST_COLUMNS:
        raise ValueError(place)
    return number - 1


def _number(text: str) -> int | float:
    if text.lstrip("-").isdigit() and len(text) < 19:
        return int(text)
    number = float(text)
    # What was calculated is often written 3.0 or 1E3, and is a whole number all the same.
    return int(number) if number.is_integer() and abs(number) < 1 << 53 else number


_FROM_1900: Final = datetime.combine(date(1899, 12, 30), time_of_day.min)
_FROM_1904: Final = datetime.combine(date(1904, 1, 1), time_of_day.min)
_LONGEST_DAY: Final = 2_958_466


def _moment(serial: float, made: _Format, epoch: datetime) -> Cell:
    """The day, time or both that a number stands for; the number itself where there is no such day."""
    if not 0 <= serial < _LONGEST_DAY:
        return serial
    if not made.is_date:
        if serial >= 1:
            return serial  # which no clock shows
        return (epoch + timedelta(milliseconds=round(serial * 86_400_000) % 86_400_000)).time()
    if serial < 60 and epoch is _FROM_1900:
        serial += 1  # before the 29 February 1900 that Excel counts and no calendar has
    found = epoch + timedelta(milliseconds=round(serial * 86_400_000))
    is_day = not made.is_time and found.time() == time_of_day.min
    return found.date() if is_day else found


def _iso(text: str) -> Cell:
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        return text
    found = found.replace(tzinfo=None)
    return found.date() if len(text.strip()) == 10 else found


def _format_of(number: str, code: str | None) -> _Format:
    """Return what a format shows, from its code: the letters of days and times outside of quotes, escapes and brackets.

    A span of time, [h]:mm, stays the number of days that it is: most are no times of a clock.
    """
    if code is None:
        return _BUILT_IN.get(int(number), _PLAIN) if number.isdigit() else _PLAIN
    shown = re.sub(r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]', "", code.partition(";")[0].lower())
    if "[" in shown:
        return _PLAIN
    shown = shown.replace("general", "").replace("am/pm", "h").replace("a/p", "h")
    times = "h" in shown or "s" in shown
    days = "y" in shown or "d" in shown or ("m" in shown and not times)
    return _Format(days, times) if days or times else _PLAIN


def unescaped(text: str) -> str:
    """A text with the signs that XML cannot hold, which are written _x000D_."""
    return re.sub(r"_x([0-9A-Fa-f]{4})_", _sign, text) if "_x" in text else text


def _sign(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return found[0] if code == 0 or 0xD800 <= code <= 0xDFFF else chr(code)
