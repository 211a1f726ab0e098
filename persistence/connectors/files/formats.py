"""The columns of one file, from a bounded part of its bytes: a Parquet footer, or the beginning of a text.

The bytes are put into a private temporary folder. DuckDB reads them there, in a session that can reach no other file,
no network and no extension. What it says about broken data may quote that data, so its messages are not passed on.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import re
import struct
import tempfile
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from persistence.connectors.core.base import ColumnInfo

__all__ = [
    "FileProblem",
    "FileReader",
    "FileShape",
    "Readers",
    "century_option",
    "delimiter_option",
    "encoding_of",
    "suffix_of",
    "unpacked",
]

_SUFFIXES = {
    "csv": "csv",
    "tsv": "tsv",
    "tab": "tsv",
    "parquet": "parquet",
    "parq": "parquet",
    "pq": "parquet",
    "json": "json",
    "ndjson": "ndjson",
    "jsonl": "ndjson",
}

_TYPES = {
    "TINYINT": "SMALLINT",
    "UTINYINT": "SMALLINT",
    "USMALLINT": "INTEGER",
    "UINTEGER": "BIGINT",
    "UBIGINT": "NUMERIC",
    "HUGEINT": "NUMERIC",
    "UHUGEINT": "NUMERIC",
    "FLOAT": "REAL",
    "BLOB": "BINARY",
    "TIMESTAMP_S": "TIMESTAMP",
    "TIMESTAMP_MS": "TIMESTAMP",
    "TIMESTAMP_NS": "TIMESTAMP",
    "TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ",
    "TIME WITH TIME ZONE": "TIMETZ",
}


class FileProblem(Exception):
    """A file cannot be read as what its name says. The text is a sentence without any of the file's content."""


class FileReader(Protocol):
    """An open file."""

    size: int

    def read(self, offset: int, length: int) -> bytes:
        """At most `length` bytes from `offset`; fewer only at the end of the file. Raises ConnectorError."""


@dataclass(frozen=True, slots=True)
class FileShape:
    """Holds what a file holds: its columns, its rows when they are known without a scan, and what a reader should
    know.
    """

    columns: tuple[ColumnInfo, ...]
    row_count: int | None = None
    note: str | None = None


def suffix_of(name: str) -> str | None:
    """The format that a file's name says: csv, tsv, json or ndjson (with ".gz" when packed), parquet, or None."""
    parts = name.lower().rpartition("/")[2].split(".")
    packed = len(parts) > 2 and parts[-1] == "gz"
    found = _SUFFIXES.get(parts[-2] if packed else parts[-1]) if len(parts) > 1 else None
    if found is None or (packed and found == "parquet"):
        return None
    return f"{found}.gz" if packed else found


class Readers:
    """Reads shapes. Holds one DuckDB session and one temporary folder until `close()`."""

    def __init__(self, sample_bytes: int, footer_bytes: int, memory: str, seconds: float) -> None:
        import duckdb

        self._duckdb = duckdb
        self._sample_bytes = sample_bytes
        self._footer_bytes = footer_bytes
        self._seconds = seconds
        self._folder = tempfile.TemporaryDirectory(prefix="stoa-files-", ignore_cleanup_errors=True)
        self._path = str(Path(self._folder.name).resolve() / "sample")
        self._session = duckdb.connect(
            ":memory:",
            config={
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "allow_community_extensions": "false",
                "allow_persistent_secrets": "false",
                "threads": 1,
                "memory_limit": memory,
            },
        )
        folder = self._path.rpartition("/")[0].replace("'", "''")
        for statement in (
            f"set temp_directory = '{folder}/spill'",
            f"set allowed_directories = ['{folder}/']",
            "set enable_external_access = false",
            "set enable_progress_bar = false",  # it would write into the log
            "set lock_configuration = true",
        ):
            self._session.execute(statement)

    def close(self) -> None:
        """Close the session and remove the folder."""
        self._session.close()
        self._folder.cleanup()

    def shape(self, reader: FileReader, suffix: str) -> FileShape:
        """The shape of one file. Raises FileProblem when it is not what its suffix says."""
        if reader.size == 0:
            raise FileProblem("The file is empty.")
        name, _, packing = suffix.partition(".")
        if name == "parquet":
            return self._parquet(reader)
        text, whole, note = self._text(reader, packed=bool(packing))
        return self._json(text, whole, note) if name in {"json", "ndjson"} else self._csv(text, whole, note, name)

    def _parquet(self, reader: FileReader) -> FileShape:
        if reader.size < 12:
            raise FileProblem("It is not a Parquet file: it is too short.")
        tail_at = max(0, reader.size - (64 << 10))
        tail = reader.read(tail_at, reader.size - tail_at)
        if tail[-4:] == b"PARE":
            raise FileProblem("Its footer is encrypted, so its columns cannot be read.")
        if tail[-4:] != b"PAR1":
            raise FileProblem("It is not a Parquet file, or its end is missing.")
        (length,) = struct.unpack("<I", tail[-8:-4])
        if length + 12 > reader.size:
            raise FileProblem("It is not a whole Parquet file: its footer is longer than the file.")
        if length > self._footer_bytes:
            raise FileProblem(f"Its Parquet footer of {length} bytes is larger than this deployment reads.")
        footer = tail[-length - 8 :] if length + 8 <= len(tail) else reader.read(reader.size - length - 8, length + 8)
        # The footer alone, behind the mark that every Parquet file begins with, is enough to ask for the columns.
        with self._file(b"PAR1" + footer):
            columns = self._ask("describe select * from read_parquet(?)", "Parquet")
            tree = self._ask("select repetition_type, num_children from parquet_schema(?)", "Parquet")
            rows = self._ask("select num_rows from parquet_file_metadata(?)", "Parquet")
        needed = _top_level(tree)
        known = len(needed) == len(columns)
        return FileShape(
            tuple(
                _column(at, name, spelled, nullable=needed[at - 1] != "REQUIRED" if known else None)
                for at, (name, spelled, *_) in enumerate(columns, start=1)
            ),
            row_count=int(rows[0][0]) if rows else None,
        )

    def _csv(self, text: str, whole: bool, note: str | None, name: str) -> FileShape:
        if not whole:
            text = _whole_records(text)
        if not text.strip():
            raise FileProblem("The file holds no rows." if whole else "Its first line is longer than what is read.")
        head = text.lstrip().partition("\n")[0]
        with self._file(text.encode()):
            sure, century = delimiter_option(name, text), century_option(text)
            sniffed = "describe select * from read_csv(?, sample_size = -1{})"
            if not whole and "\n" not in text.strip():
                sure += ", header = true"  # one line of many: the others are longer than what is read
            rows = self._ask(sniffed.format(century + sure), "CSV", fallback=True)
            delimiter = max(",;\t|", key=head.count)
            if name == "csv" and not sure and (not rows or (len(rows) == 1 and head.count(delimiter))):
                # Lines of unequal length make the sniffer give up; the header still says what the columns are.
                loose = f", delim = '{delimiter}', strict_mode = false, null_padding = true, parallel = false"
                loose += ", ignore_errors = true"
                looser = self._ask(sniffed.format(century + loose), "CSV", fallback=True)
                if len(looser) > len(rows):
                    rows, note = looser, " ".join(filter(None, (note, "Its lines differ in their number of fields.")))
        if not rows:
            raise FileProblem("It could not be read as CSV.")
        return FileShape(tuple(_column(at, row[0], row[1]) for at, row in enumerate(rows, start=1)), note=note)

    def _json(self, text: str, whole: bool, note: str | None) -> FileShape:
        text = text.strip()
        if not text:
            raise FileProblem("The file holds no rows.")
        records = list(_records(text))
        if not records:
            raise FileProblem("It is not valid JSON." if whole else "Its first record is longer than what is read.")
        with self._file("\n".join(records).encode()):
            rows = self._ask(
                "describe select * from read_json(?, format = 'newline_delimited', sample_size = -1)", "JSON"
            )
        return FileShape(tuple(_column(at, row[0], row[1]) for at, row in enumerate(rows, start=1)), note=note)

    def _text(self, reader: FileReader, *, packed: bool) -> tuple[str, bool, str | None]:
        """The beginning of a text, whether it is all of it, and a remark about its encoding."""
        if packed:
            data, whole = unpacked(reader, self._sample_bytes)
        else:
            data = reader.read(0, min(reader.size, self._sample_bytes))
            whole = len(data) >= reader.size
        encoding = encoding_of(data, whole)
        text = _cut_decode(data, encoding).removeprefix("\ufeff")
        if encoding.startswith("utf-16"):
            return text.replace("\r\n", "\n"), whole, "It is encoded in UTF-16."
        return text, whole, "It is not UTF-8; it was read as Windows-1252." if encoding == "cp1252" else None

    @contextlib.contextmanager
    def _file(self, data: bytes) -> Iterator[None]:
        path = Path(self._path)
        path.write_bytes(data)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)

    def _ask(self, statement: str, what: str, *, fallback: bool = False) -> list[tuple[Any, ...]]:
        """Ask DuckDB about the temporary file, for a bounded time."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._session.interrupt()

        timer = threading.Timer(self._seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            return list(self._session.execute(statement, [self._path]).fetchall())
        except self._duckdb.Error:
            if late.is_set():
                raise FileProblem("Finding out its columns took too long.") from None
            if fallback:
                return []
            raise FileProblem(f"It could not be read as {what}.") from None
        finally:
            timer.cancel()


# Beside the usual ones, which DuckDB finds by itself. The second is what Hive writes.
_ODD_DELIMITERS = ("||", "\x01", "~", "^", "\u00a6")


def delimiter_option(kind: str, text: str) -> str:
    """The delimiter as an option of DuckDB's reader, where it need not or cannot be found out by DuckDB."""
    if kind == "tsv":
        return ", delim = '\t'"
    lines = [line for line in text.split("\n", 12)[:11] if line.strip()][:10]
    for mark in _ODD_DELIMITERS:
        times = lines[0].count(mark) if len(lines) > 1 else 0
        usual = 0 if mark == "||" else max(lines[0].count(one) for one in ",;\t|") if lines else 0
        if times and not usual and all(line.count(mark) == times for line in lines):
            return f", delim = '{mark}'"
    return ""


_NO_CENTURY = re.compile(r"(?<![\w./-])\d{1,2}([-/.])\d{1,2}\1\d{2}(?![\w./-])(?=([T ]\d{1,2}:\d\d)?)")


def century_option(text: str) -> str:
    """An option of DuckDB's reader that leaves days with a year of two digits texts, where there are some.

    It would put 03/14/62 into the year 2062: the century is not told, and nobody is born in the future.
    """
    found = list(islice(_NO_CENTURY.finditer(text), MOST_LOOKED_AT))
    if not found:
        return ""
    moments = ", timestampformat = '%Y-%m-%d %H:%M:%S'" if any(one[2] for one in found) else ""
    return f", dateformat = '%Y-%m-%d'{moments}"


MOST_LOOKED_AT = 1000
"""How many days of a text are looked at."""


def encoding_of(data: bytes, whole: bool) -> str:
    """The encoding of a text from its beginning, or all of it: utf-8, cp1252, utf-16, utf-16-le or utf-16-be.

    Raises FileProblem for what is no text.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\x00" in data:
        # Without its mark UTF-16 still shows: of most letters that data is made of, one byte is null.
        first, second = data[0::2].count(0) / len(data), data[1::2].count(0) / len(data)
        if max(first, second) > 0.2 and min(first, second) < 0.02:
            return "utf-16-be" if first > second else "utf-16-le"
        raise FileProblem("It is not a text: it holds null bytes.")
    try:
        # A cut may fall inside a character.
        codecs.getincrementaldecoder("utf-8")().decode(data, final=whole)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _cut_decode(data: bytes, encoding: str) -> str:
    """The text without a character that is cut off at its end."""
    return codecs.getincrementaldecoder(encoding)(errors="replace").decode(data)


def unpacked(reader: FileReader, most: int) -> tuple[bytes, bool]:
    """The beginning of a gzip file. However well it packs, no more than `most` bytes are ever unpacked."""
    data, at = bytearray(), 0
    unpacker = zlib.decompressobj(wbits=31)
    try:
        while len(data) < most and at < reader.size:
            piece = reader.read(at, min(64 << 10, reader.size - at))
            if not piece:
                break
            at += len(piece)
            while piece and len(data) < most:
                data += unpacker.decompress(piece, most - len(data))
                piece = unpacker.unconsumed_tail
                if unpacker.eof:  # gzip files may be joined one behind the other
                    piece = unpacker.unused_data
                    unpacker = zlib.decompressobj(wbits=31)
                    if piece and not piece.startswith(b"\x1f\x8b"):
                        return bytes(data), True  # padding
    except zlib.error:
        if not data:
            raise FileProblem("It is not a gzip file.") from None
        return bytes(data), False
    return bytes(data), len(data) < most and at >= reader.size


def _whole_records(text: str) -> str:
    """The text up to the last line end that is not inside quotes, since a record may hold line ends."""
    inside = text.count('"') % 2 == 1
    end = len(text)
    while (cut := text.rfind("\n", 0, end)) >= 0:
        inside ^= text.count('"', cut, end) % 2 == 1
        if not inside:
            return text[: cut + 1]
        end = cut
    return text[: text.rfind("\n") + 1]


def _records(text: str) -> Iterator[str]:
    """The complete values of a JSON text one by one, each on one line: lines, an array's elements, or one value."""
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    at = re.compile(r"[\s\x1e]*").match(text, 0).end()  # type: ignore[union-attr]  # matches always
    in_array = text[at] == "["
    at += in_array
    between = re.compile(r"[\s,\x1e]*")
    while True:
        at = between.match(text, at).end()  # type: ignore[union-attr]  # matches always
        if at >= len(text) or (in_array and text[at] == "]"):
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield json.dumps(value, ensure_ascii=False) if "\n" in text[at:end] else text[at:end]
        at = end


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _top_level(tree: list[tuple[Any, ...]]) -> list[str]:
    """The repetition of each top-level column, from Parquet's schema tree in its written order."""
    kinds: list[str] = []
    at = 1
    for _ in range(int(tree[0][1] or 0) if tree else 0):
        if at >= len(tree):
            break
        kinds.append(str(tree[at][0]))
        left = 1
        while left and at < len(tree):
            left += int(tree[at][1] or 0) - 1
            at += 1
    return kinds


def _column(at: int, name: str, spelled: str, *, nullable: bool | None = None) -> ColumnInfo:
    """A column from DuckDB's own spelling of its type."""
    precision = scale = None
    base = spelled.partition("(")[0].strip()
    if spelled.endswith("]"):
        neutral = "ARRAY"
    elif found := re.fullmatch(r"DECIMAL\((\d+),\s*(\d+)\)", spelled):
        neutral, precision, scale = "NUMERIC", int(found[1]), int(found[2])
    else:
        neutral = _TYPES.get(base, base)
    return ColumnInfo(name, neutral, spelled, at, nullable, precision=precision, scale=scale)
