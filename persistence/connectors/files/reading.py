"""The data of files: each table of a tree becomes a view or a table of a private DuckDB.

A local file is read where it is, through a descriptor that is already open: no link that appears meanwhile can lead
out of the tree. Every other file is copied to the temporary folder in bounded pieces first. Parquet stays a view; text
is parsed once into a table, with the same decisions about dialect and encoding as the catalog makes (file_formats.py).

What is packed is unpacked here, piece by piece, and not by DuckDB, which cannot be stopped while it looks for the end
of a line that never comes. A copy that is being parsed is cut off when nobody waits for it any more.
"""

# ruff: noqa: S608 - names and paths are made here, keys are quoted, and the session can reach nothing but its folder

from __future__ import annotations

import codecs
import os
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

from persistence.connectors.core.base import ConnectorError, ConnectorSettings
from persistence.connectors.core.duckdb_reading import DuckReading, identifier, literal
from persistence.connectors.core.reading import cancelled, not_selected
from persistence.connectors.files import parquet_statistics
from persistence.connectors.files.containers import Container
from persistence.connectors.files.formats import (
    FileProblem,
    FileReader,
    century_option,
    delimiter_option,
    encoding_of,
    unpacked,
)
from persistence.connectors.files.kept import KEPT, KeptTables
from persistence.connectors.files.layout import FileTable, StoredFile
from persistence.connectors.files.literals import take_in
from persistence.connectors.files.store import FileLimits, FileStore
from persistence.parquet import TooDeep, require_shallow
from schema.data_readiness.source import KnownStatistics

_PIECE: Final = 8 << 20
_MOST_DESCRIPTORS: Final = 256
_MOST_GROUPS: Final = 200
_FIRST_ROWS: Final = 100_000
_LONGEST_LINE: Final = 16 << 20
_LONGEST_OBJECT: Final = 64 << 20

KEPT_FROM_SECONDS: Final = 0.5
"""Tables that are taken in faster are not worth the place."""

_COUNTED: Final = "store_rejects = true"
_LOOSE: Final = ", strict_mode = false, null_padding = true, parallel = false, sample_size = -1"
_NOT_UTF8: Final = ("invalid unicode", "not utf-8 encoded", "invalid utf-8")


@dataclass(frozen=True, slots=True)
class _Part:
    """A file of a table where DuckDB can read it, and the values of its partition keys in SQL."""

    path: str
    keys: tuple[tuple[str, str], ...]


class FileTree(Protocol):
    """Describes what a reading needs of the connection to a tree of files."""

    @property
    def settings(self) -> ConnectorSettings:
        """The bounds of the deployment."""
        ...

    @property
    def limits(self) -> FileLimits:
        """Return how much of a tree is looked at."""
        ...

    def store(self) -> FileStore:
        """The tree of files; connects when needed."""
        ...

    def find(self, database: str, schema: str, table: str) -> FileTable | None:
        """The files of a table, or None when there is no such table."""
        ...

    @property
    def place(self) -> str:
        """What tells this tree from others; without any secret."""
        ...

    def container_files(self, database: str, schema: str) -> tuple[StoredFile, ...]:
        """The file that a schema is, and what lies beside it, unopened; nothing where it is a folder, or not there."""
        ...

    def container(self, database: str, schema: str) -> Container | None:
        """The file that a schema is; None where it is a folder, or not there."""
        ...

    def column_names(self, table: FileTable) -> list[str]:
        """The columns of its files, as the catalog names them."""
        ...

    def opened(self, file: StoredFile) -> AbstractContextManager[FileReader]:
        """One file, which is read until the connection is cancelled."""
        ...


class FileReading(DuckReading):
    """The tables of one tree of files."""

    def __init__(self, tables: FileTree) -> None:
        root = tables.store().local_root()
        super().__init__(tables.settings, *([root] if root else []))
        self._tables = tables
        self._kept = KeptTables(
            tables.settings.source_scratch,
            tables.settings.source_kept_bytes,
            tables.place,
            f"{self._duckdb.__version__} {tables.limits.sample_bytes}",
        )
        self._descriptors: list[int] = []
        self._footers: dict[str, tuple[list[str], dict[str, str]]] = {}
        self._unread: dict[str, int] = {}
        self._copied = 0
        self._made = 0
        self._parsing: list[str] = []
        """Copies that DuckDB is taking in."""

    def load(self, database: str, schema: str, table: str, name: str) -> None:
        """Make a view or a table of it; a view of a kept one where its files are as they were when it was kept."""
        found = self._tables.find(database, schema, table)
        files = self._tables.container_files(database, schema) if found is None else found.files
        key = None
        if found is None or found.suffix != "parquet":
            key = self._kept.key((database, schema, table, "" if found is None else found.suffix), files)
        if key is not None and self._take(key, files, name):
            return
        began = time.monotonic()
        self._take_in(found, database, schema, table, name)
        if key is not None and time.monotonic() - began >= KEPT_FROM_SECONDS:
            self._keep(key, name)

    def _take_in(self, found: FileTable | None, database: str, schema: str, table: str, name: str) -> None:
        container = self._tables.container(database, schema) if found is None else None
        if found is None and (container is None or table not in container.names()):
            raise not_selected(f"{database}.{schema}.{table}")
        try:
            if container is not None:
                self._from_container(container, table, name)
            elif found is not None and found.suffix == "parquet":
                self._parquet(found, name)
            elif found is not None:
                self._text(found, name)
        except FileProblem as problem:
            raise ConnectorError("failed", f"The table {table!r} cannot be read. {problem}") from None

    def close(self) -> None:
        """Close the session and every file."""
        super().close()
        descriptors, self._descriptors = self._descriptors, []
        for descriptor in descriptors:
            os.close(descriptor)

    def statistics(self, database: str, schema: str, table: str) -> KnownStatistics | None:
        """Return what the footers of Parquet files say; of texts, the number of rows."""
        relation = self.relation(database, schema, table)
        held = self._footers.get(relation.name)
        with self.session(self.limits.source_statement_timeout) as session:
            if held is not None:
                return parquet_statistics.statistics(session, *held)
            ((rows,),) = session.execute(f"select count(*) from main.{relation.name}").fetchall()
        return KnownStatistics(int(rows), (), is_exact=True, unread_rows=self._unread.get(relation.name, 0))

    def cut_off(self) -> None:
        """End the texts. DuckDB does not hear of an interrupt while it finds out their form, but sees their end."""
        for path in tuple(self._parsing):
            with suppress(OSError):
                os.truncate(path, 0)

    def failure(self, error: Exception, seconds: float | None) -> ConnectorError:
        """Beside what can go wrong with any query: a file that is not where it was."""
        gone = type(error).__name__ in {"PermissionException", "IOException"} and "/proc/self/fd" in str(error)
        if gone and seconds is None and not self._cancelled.is_set():
            return ConnectorError(
                "failed", "A file of the table was removed or replaced while it was being read. Try again."
            )
        return super().failure(error, seconds)

    # What is kept

    def _take(self, key: str, files: Sequence[StoredFile], name: str) -> bool:
        """Make a view of the kept table, if there is one and the caller may still read each of its files."""
        path = self.folder / f"{name}{KEPT}"
        if not self._kept.take(key, path):
            return False
        for file in files:
            with self._tables.opened(file) as reader:
                reader.read(0, 1)
        try:
            with self.session(self.limits.source_statement_timeout) as session:
                session.execute(f"attach {literal(str(path))} as kept_{name} (read_only)")
                ((unread,),) = session.execute(f"select unread from kept_{name}.main.about").fetchall()
                session.execute(f"create view main.{name} as from kept_{name}.main.rows")
        except ConnectorError:
            if self._cancelled.is_set():
                raise
            self._kept.drop(key)
            return False
        self._unread[name] = int(unread)
        return True

    def _keep(self, key: str, name: str) -> None:
        """Keep a table that took long to take in. What goes wrong with it is no failure of the reading."""
        path = self.folder / f"{name}.keeping"
        try:
            with self.session(self.limits.source_stream_timeout) as session:
                session.execute(f"attach {literal(str(path))} as keeping")
                session.execute(f"create table keeping.main.rows as from main.{name}")
                session.execute(f"create table keeping.main.about as select {self._unread.get(name, 0)} as unread")
                session.execute("detach keeping")
            self._kept.keep(key, path)
        except ConnectorError:
            if self._cancelled.is_set():
                raise
        finally:
            path.unlink(missing_ok=True)

    # Databases and workbooks

    def _from_container(self, container: Container, table: str, name: str) -> None:
        """Take in the rows of a table of a file that holds several."""
        path = self.folder / f"part{self._made}"
        self._made += 1
        try:
            with path.open("wb") as lines:

                def put(piece: bytes) -> None:
                    if self._cancelled.is_set():
                        raise cancelled()
                    self._room(len(piece))
                    self._copied += len(piece)
                    lines.write(piece)

                columns = container.write(table, put)
            self._parsing.append(str(path))
            with self.session(self.limits.source_stream_timeout) as session:
                take_in(session, path, name, columns)
        except OSError as error:
            raise ConnectorError(
                "failed", f"The table could not be copied for reading: {os.strerror(error.errno or 0)}."
            ) from None
        finally:
            self._parsing.clear()
            path.unlink(missing_ok=True)

    # Parquet

    def _parquet(self, table: FileTable, name: str) -> None:
        groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for part in self._parts(table, self._placed):
            groups.setdefault(part.keys, []).append(part.path)
        with self.session(self.limits.source_stream_timeout) as session:
            every = [path for paths in groups.values() for path in paths]
            types = self._describe(session, every)
            self._footers[name] = (every, types)
            present = {column.lower() for column in types}
            reads = [f"select *{_constants(keys, present)} from {_parquet(paths)}" for keys, paths in groups.items()]
            # The columns of all files in the order in which they are first met, then the partition keys.
            keyed = [key for key in dict.fromkeys(table.keys) if key.lower() not in present]
            order = ", ".join(identifier(column) for column in [*types, *keyed])
            if len(reads) <= _MOST_GROUPS:
                session.execute(f"create view main.{name} as select {order} from ({' union all by name '.join(reads)})")
                return
            # A view over so many parts would take longer to plan than to read.
            session.execute(f"create table main.{name} as from {_parquet(every)} limit 0")
            for key, kind in table.partition_types():
                if key.lower() not in present:
                    session.execute(f"alter table main.{name} add column {identifier(key)} {kind}")
            session.execute(f"insert into main.{name} by name {' union all by name '.join(reads[:_MOST_GROUPS])}")
            for at in range(_MOST_GROUPS, len(reads), _MOST_GROUPS):
                more = " union all by name ".join(reads[at : at + _MOST_GROUPS])
                session.execute(f"insert into main.{name} by name {more}")

    def _describe(self, session: Any, paths: Sequence[str]) -> dict[str, str]:
        try:
            require_shallow(session, paths)
            rows = session.execute(f"describe select * from {_parquet(paths)}").fetchall()
        except TooDeep as problem:
            raise FileProblem(str(problem)) from None
        except self._duckdb.Error:
            broken = sum(not self._is_parquet(session, path) for path in paths)
            words = "It is not a Parquet file, or is damaged."
            if len(paths) > 1:
                words = f"{broken} of its {len(paths)} files are not Parquet files, or are damaged."
            raise FileProblem(words if broken else "Its files have columns that do not go together.") from None
        return {row[0]: row[1] for row in rows}

    def _is_parquet(self, session: Any, path: str) -> bool:
        try:
            session.execute(f"select num_rows from parquet_file_metadata({literal(path)})").fetchall()
        except self._duckdb.Error:
            return False
        return True

    # CSV, TSV, JSON and NDJSON

    def _text(self, table: FileTable, name: str) -> None:
        encoding: str | None = None
        for attempt in range(2):
            try:
                parts, head = self._texts(table, encoding)
                self._parse(table, name, parts, head)
            except _NotUnicode:
                # The beginning was good UTF-8, and something further down is not.
                if attempt:
                    raise FileProblem("Its encoding is neither UTF-8 nor Windows-1252.") from None
                encoding = "cp1252"
            else:
                return
            finally:
                copies, self._parsing = self._parsing, []
                for path in copies:
                    os.unlink(path)

    def _texts(self, table: FileTable, encoding: str | None) -> tuple[list[_Part], str]:
        """The parts as texts in UTF-8, none of them packed, and the beginning of the first one."""
        heads: list[str] = []
        packed = table.suffix.endswith(".gz")
        plans = {}
        for file in table.files:
            with self._tables.opened(file) as reader:
                if reader.size:
                    data, whole = self._head(reader, packed)
                    plans[file] = encoding or encoding_of(data, whole)
                    heads.append(data.decode(plans[file].removesuffix("-sig"), errors="replace"))
                    marked = b"\x1e" in data or (data.startswith(codecs.BOM_UTF8) and table.suffix.startswith("json"))
                    if plans[file] == "utf-8" and marked:
                        plans[file] = "utf-8-sig"  # marks between records, and before them, that a copy leaves out
        if not plans:
            raise FileProblem("The file is empty.")
        as_is = all(plan == "utf-8" for plan in plans.values())
        in_lines = not table.suffix.startswith("json")

        def pieces(file: StoredFile, reader: FileReader) -> Iterator[bytes]:
            text = _inflated(reader) if packed else _pieces(reader)
            text = text if as_is else _decoded(text, plans[file])
            return _with_lines(text) if in_lines else text

        def place(file: StoredFile) -> str:
            if as_is and not packed and (path := self._held(file)) is not None:
                return path
            if not packed:
                self._room(file.size)
            return self._copy(file, partial(pieces, file), parsed=True)

        return list(self._parts(table, place, only=set(plans))), heads[0].lstrip("\ufeff")

    def _head(self, reader: FileReader, packed: bool) -> tuple[bytes, bool]:
        size = self._tables.limits.sample_bytes
        if packed:
            return unpacked(reader, size)
        data = reader.read(0, min(reader.size, size))
        return data, len(data) >= reader.size

    def _parse(self, table: FileTable, name: str, parts: Sequence[_Part], head: str) -> None:
        kind = table.suffix.partition(".")[0]
        attempts = _json_attempts() if kind in {"json", "ndjson"} else _csv_attempts(kind, head)
        expected = self._tables.column_names(table)
        keys = {key for part in parts for key, _ in part.keys}
        taken = False
        with self.session(self.limits.source_stream_timeout) as session:
            for reader in attempts:
                if self._cancelled.is_set():
                    raise cancelled()
                trial = f"{name}_{self._made}"
                self._made += 1
                try:
                    columns = self._made_table(session, trial, parts, reader)
                except self._duckdb.InterruptException:
                    raise
                except self._duckdb.Error as error:
                    session.execute(f"drop table if exists main.{trial}")
                    words = str(error).lower()
                    if any(sign in words for sign in _NOT_UTF8):
                        raise _NotUnicode from None
                    continue
                good = [column for column in columns if column not in keys] == expected
                if good or not (taken or "format = 'newline_delimited'" in reader):
                    session.execute(f"drop table if exists main.{name}")
                    session.execute(f"alter table main.{trial} rename to {name}")
                    taken = True
                    self._unread[name] = 0
                    if _COUNTED in reader:
                        counted = "select count(*) from (select distinct scan_id, file_id, line from reject_errors)"
                        self._unread[name] = int(session.execute(counted).fetchone()[0])
                else:
                    session.execute(f"drop table main.{trial}")
                if good:
                    return
        if not taken:
            raise FileProblem(f"It could not be read as {'JSON' if kind in {'json', 'ndjson'} else 'CSV'}.")

    def _made_table(self, session: Any, name: str, parts: Sequence[_Part], reader: str) -> list[str]:
        groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for part in parts:
            groups.setdefault(part.keys, []).append(part.path)
        reads = []
        for keys, paths in groups.items():
            source = reader.format(paths=_list(paths))
            present = {row[0].lower() for row in session.execute(f"describe select * from {source}").fetchall()}
            reads.append(f"select *{_constants(keys, present)} from {source}")
        session.execute(f"create table main.{name} as {' union all by name '.join(reads)}")
        return [row[0] for row in session.execute(f"describe main.{name}").fetchall()]

    # Where DuckDB finds the bytes

    def _parts(
        self, table: FileTable, place: Callable[[StoredFile], str], only: set[StoredFile] | None = None
    ) -> Iterator[_Part]:
        types = dict(table.partition_types())
        for file in table.files:
            if only is None or file in only:
                keys = tuple((key, _typed(value, types[key])) for key, value in table.partition_of(file))
                yield _Part(place(file), keys)

    def _placed(self, file: StoredFile) -> str:
        """The file itself, held open, when it is local; else a copy."""
        held = self._held(file)
        if held is not None:
            return held
        self._room(file.size)
        return self._copy(file, _pieces)

    def _held(self, file: StoredFile) -> str | None:
        """A local file, held open; None for one that must be copied."""
        if len(self._descriptors) >= _MOST_DESCRIPTORS:
            return None
        descriptor = self._tables.store().descriptor(file)
        if descriptor is None:
            return None
        self._descriptors.append(descriptor)
        return f"/proc/self/fd/{descriptor}"

    def _copy(self, file: StoredFile, pieces: Callable[[FileReader], Iterator[bytes]], *, parsed: bool = False) -> str:
        """A copy of a file in the temporary folder; one that is parsed at once is gone after it."""
        path = self.folder / f"part{self._made}"
        self._made += 1
        if parsed:
            self._parsing.append(str(path))
        try:
            with self._tables.opened(file) as reader, path.open("wb") as copy:
                for piece in pieces(reader):
                    if self._cancelled.is_set():
                        raise cancelled()
                    self._room(len(piece))
                    self._copied += len(piece)
                    copy.write(piece)
        except OSError as error:
            raise ConnectorError(
                "failed", f"The file could not be copied for reading: {os.strerror(error.errno or 0)}."
            ) from None
        return str(path)

    def _room(self, size: int) -> None:
        if self._copied + size > self.limits.source_copy_bytes:
            raise ConnectorError(
                "failed",
                f"The table is larger than the {self.limits.source_copy_bytes:,} bytes that this deployment copies to "
                "read files. Raise STOA_SOURCE_COPY_BYTES, or split the table.",
            )


class _NotUnicode(Exception):
    """The text is not UTF-8 after all."""


def _csv_attempts(kind: str, head: str) -> Iterator[str]:
    first = head.lstrip().partition("\n")[0]
    sure = delimiter_option(kind, head)
    line = f", max_line_size = {_LONGEST_LINE}"
    start = "read_csv({paths}, union_by_name = true, hive_partitioning = false, compression = 'none'"
    start += century_option(head)
    yield f"{start}{line}, sample_size = {_FIRST_ROWS}{sure})"
    yield f"{start}{line}, sample_size = -1{sure})"
    delimiter = sure or f", delim = '{max(',;' + chr(9) + '|', key=first.count)}'"
    yield f"{start}{line}{delimiter}{_LOOSE})"
    yield f"{start}{line}{delimiter}{_LOOSE}, {_COUNTED})"


def _json_attempts() -> Iterator[str]:
    start = "read_json({paths}, union_by_name = true, hive_partitioning = false, compression = 'none'"
    size = f", maximum_object_size = {_LONGEST_OBJECT}"
    yield f"{start}{size}, sample_size = {_FIRST_ROWS})"
    yield f"{start}{size}, sample_size = -1)"
    yield f"{start}{size}, sample_size = -1, format = 'newline_delimited', ignore_errors = true)"


def _parquet(paths: Sequence[str]) -> str:
    return f"read_parquet({_list(paths)}, union_by_name = true, hive_partitioning = false)"


def _list(paths: Sequence[str]) -> str:
    return f"[{', '.join(literal(path) for path in paths)}]"


def _constants(keys: Sequence[tuple[str, str]], present: set[str]) -> str:
    return "".join(f", {value} as {identifier(key)}" for key, value in keys if key.lower() not in present)


def _typed(value: str | None, data_type: str) -> str:
    text = "null" if value is None else literal(value)
    return f"{text}::{data_type}"


def _pieces(reader: FileReader) -> Iterator[bytes]:
    at = 0
    while piece := reader.read(at, _PIECE):
        at += len(piece)
        yield piece


def _with_lines(text: Iterator[bytes]) -> Iterator[bytes]:
    """The text as it is. Raises FileProblem for a line, or a gap between lines, that is longer than any that is read.

    DuckDB would look for the end of it with all of it in memory, and not stop when it is told to.
    """
    line = gap = 0
    for piece in text:
        yield piece
        end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        line = line + len(piece) if end < 0 else len(piece) - end - 1
        blank = len(piece) - len(piece.rstrip())
        gap = gap + blank if blank == len(piece) else blank
        if line > _LONGEST_LINE or gap > _LONGEST_LINE:
            what = "a line" if line > _LONGEST_LINE else "a gap of blank lines"
            raise FileProblem(f"It has {what} that is longer than {_LONGEST_LINE:,} bytes.")


def _decoded(text: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """A text in UTF-8, piece by piece, without the marks that precede records of JSON."""
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for piece in text:
        yield decoder.decode(piece).replace("\x1e", " ").encode()
    yield decoder.decode(b"", final=True).encode()


def _inflated(reader: FileReader) -> Iterator[bytes]:
    """Yield what a gzip file holds, in pieces of bounded length however well it packs."""
    unpacker = zlib.decompressobj(wbits=31)
    try:
        for piece in _pieces(reader):
            left = piece
            while left:
                yield unpacker.decompress(left, _PIECE)
                left = unpacker.unconsumed_tail
                if unpacker.eof:  # gzip files may be joined one behind the other
                    left = unpacker.unused_data
                    if left and not left.startswith(b"\x1f\x8b"):
                        return  # padding
                    unpacker = zlib.decompressobj(wbits=31)
    except zlib.error:
        raise FileProblem("It is not a whole gzip file.") from None
