"""Files as tables: what every connector of a folder, a share or a bucket has in common.

A tree of files becomes a catalog like this:

* the database is the bucket, the share or the root folder;
* a schema is a folder, named by its path below the root with "/" between the parts. The files of the root itself are
  in the schema "root"; a folder that is really called "root" appears as "./root";
* a table is a file, named without its extension. When two files of a folder would get the same name, both keep it;
* a folder with `key=value` folders below it is one table whose partition keys are columns, and so is a folder of
  Parquet part files (`part-00000...`) that all have the same columns;
* CSV, TSV, JSON and NDJSON (each also as .gz) and Parquet are tables. Everything else, and whatever starts with "."
  or "_", is ignored and counted, and the first such files are named.

A file that cannot be read as what its name says stays visible: it is a table without columns whose comment says why.

Bytes come from a `FileStore` in bounded pieces: a Parquet file's footer, the first megabyte of anything else. They
are put into a private temporary folder, and DuckDB reads them there with access to nothing else.
"""

from __future__ import annotations

import contextlib
import threading
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from persistence.connectors.core.base import (
    UNKNOWN_COLUMNS,
    ColumnInfo,
    ConfigT,
    Connector,
    ConnectorError,
    ConnectorSettings,
    CredentialsT,
    Discovery,
    Outbound,
    SchemaInfo,
    TableInfo,
)
from persistence.connectors.core.reading import cancelled
from persistence.connectors.files.formats import FileProblem, FileReader, FileShape, Readers
from persistence.connectors.files.layout import FileTable, Layout, StoredFile, lay_out
from persistence.connectors.files.reading import FileReading
from persistence.connectors.files.store import FileLimits, FileStore


class FileTables(Connector[ConfigT, CredentialsT]):
    """A connector whose tables are files. A kind says how its store is opened.

    One store is opened on first use and kept until `close()`; the tree is listed once.
    """

    config_section = "filesystem_config"
    limits: FileLimits = FileLimits()

    def __init__(
        self, config: ConfigT, credentials: CredentialsT, settings: ConnectorSettings, outbound: Outbound
    ) -> None:
        super().__init__(config, credentials, settings, outbound)
        self._stopped = threading.Event()
        self._active: FileReading | None = None
        self._opened: FileStore | None = None
        self._found: Layout | None = None
        self._readers: Readers | None = None

    @abstractmethod
    def open_store(self) -> FileStore:
        """Connect to the tree. Raises ConnectorError."""

    def statement_seconds(self) -> float:
        """Seconds that reading the shape of one file may take."""
        return self.settings.statement_timeout

    @property
    def cut_short(self) -> bool:
        """Return whether the tree holds more entries than were listed."""
        return self._layout().truncated

    @property
    def ignored(self) -> dict[str, Any]:
        """Return how many files are no tables, and the first of them with why."""
        layout = self._layout()
        first = [{"path": path, "reason": reason} for path, reason in layout.ignored_first]
        return {"ignored_files": layout.ignored, "ignored": first}

    def verify(self) -> Discovery:
        """List the tree and count its tables; no file is read. Raises ConnectorError."""
        self._reading()
        layout = self._layout()
        tables = sum(len(held) for held in layout.schemas.values())
        files = sum(len(table.files) for held in layout.schemas.values() for table in held.values())
        message = f"Connected to {self.store().name!r}: {_count(tables, 'table')} in {_count(files, 'file')}."
        if layout.truncated:
            message += f" Only the first {self.limits.max_files} entries were looked at."
        formats = Counter(table.suffix.split(".")[0] for held in layout.schemas.values() for table in held.values())
        return Discovery(
            message,
            {
                "database": self.store().name,
                "schemas": len(layout.schemas),
                "tables": tables,
                "files": files,
                "bytes": layout.sizes,
                "formats": dict(sorted(formats.items())),
                **self.ignored,
                "refused_entries": layout.refused,
                "truncated": layout.truncated,
            },
        )

    def schemas(self) -> Sequence[SchemaInfo]:
        """One schema per folder that holds tables, sorted by name."""
        database = self.store().name
        return [
            SchemaInfo(database, name, tuple(sorted(tables))) for name, tables in sorted(self._layout().schemas.items())
        ]

    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named tables. Each file costs one bounded read; nothing is scanned."""
        if database != self.store().name:
            return
        held = self._layout().schemas.get(schema, {})
        for name in names:
            table = held.get(name)
            if table is None:
                continue
            info = self._describe(table)
            if info is not None:
                yield info

    def close(self) -> None:
        """Give back the store and remove the temporary folder."""
        store, self._opened = self._opened, None
        readers, self._readers = self._readers, None
        self._found = None
        if readers is not None:
            readers.close()
        if store is not None:
            store.close()

    @contextlib.contextmanager
    def source(self) -> Iterator[FileReading]:
        """The data of the files, in a private DuckDB."""
        reading = self._active = FileReading(self)
        try:
            yield reading
        finally:
            self._active = None
            reading.close()

    def cancel(self) -> None:
        """Stop what is being queried, copied or looked at, from another thread."""
        self._stopped.set()
        reading = self._active
        if reading is not None:
            reading.cancel()

    def find(self, database: str, schema: str, table: str) -> FileTable | None:
        """The files of a table, or None when there is no such table."""
        return self._layout().schemas.get(schema, {}).get(table) if database == self.store().name else None

    def column_names(self, table: FileTable) -> list[str]:
        """The columns of its files, as the catalog names them."""
        info = self._describe(table)
        keys = {key for key, _ in table.partition_types()}
        return [] if info is None else [column.name for column in info.columns if column.name not in keys]

    def store(self) -> FileStore:
        """The tree of files; connects when needed."""
        if self._opened is None:
            self._opened = self.open_store()
        return self._opened

    def _reading(self) -> Readers:
        if self._readers is None:
            limits = self.limits
            self._readers = Readers(limits.sample_bytes, limits.footer_bytes, limits.memory, self.statement_seconds())
        return self._readers

    def _layout(self) -> Layout:
        if self._found is None:
            self._found = lay_out(self.store().name, self.store().files(self.limits), self._same_columns)
        return self._found

    def _shape(self, file: StoredFile, suffix: str) -> FileShape:
        with self.opened(file) as reader:
            return self._reading().shape(reader, suffix)

    @contextlib.contextmanager
    def opened(self, file: StoredFile) -> Iterator[FileReader]:
        """One file, which is read until `cancel` is called."""
        with self.store().open(file) as reader:
            yield _UntilStopped(reader, self._stopped)

    def _same_columns(self, files: Sequence[StoredFile]) -> bool:
        """Return whether Parquet files look like parts of one table: a handful of them is compared."""
        step = max(1, len(files) // 7)
        wanted: list[tuple[str, str]] | None = None
        for file in [*files[::step][:7], files[-1]]:
            try:
                shape = self._shape(file, "parquet")
            except FileProblem:
                return False
            except ConnectorError as error:
                if error.kind in {"not_found", "permission"}:
                    return False
                raise
            columns = [(column.name, column.data_type_display) for column in shape.columns]
            if wanted is not None and columns != wanted:
                return False
            wanted = columns
        return True

    def _describe(self, table: FileTable) -> TableInfo | None:
        """The table with its columns, or without any and with the reason; None when its file has vanished."""
        parts = self._parts_of(table)
        shapes, problems, gone = parts.shapes, parts.problems, parts.gone
        if gone and not shapes and not problems:
            return None
        if not shapes:
            return TableInfo(table.name, "FILE", (), comment=f"{UNKNOWN_COLUMNS} {problems[0]}")
        columns, differ = _united(shapes)
        notes = list(dict.fromkeys(shape.note for shape in shapes if shape.note))
        if len(table.files) > 1:
            notes.insert(0, f"{len(table.files)} files.")
        if differ:
            notes.append("Its files do not all have the same columns; the columns of all of them are listed.")
        if problems:
            notes.append(f"{_count(len(problems), 'file')} could not be read. {problems[0]}")
        rows: int | None = 0
        for shape in shapes:
            rows = None if rows is None or shape.row_count is None else rows + shape.row_count
        if problems or gone or len(shapes) < len(table.files):
            rows = None
        present = {column.name for column in columns}
        for key, data_type in table.partition_types():
            if key not in present:
                columns.append(
                    ColumnInfo(key, data_type, data_type, 0, nullable=None, comment="Partition key, from folder names.")
                )
        columns = [replace(column, ordinal_position=at) for at, column in enumerate(columns, start=1)]
        return TableInfo(table.name, "FILE", tuple(columns), comment=" ".join(notes) or None, row_count=rows)

    def _parts_of(self, table: FileTable) -> _Parts:
        read = _Parts()
        # Text parts are sampled, so more of them would not make the answer surer.
        parts = table.files if table.suffix == "parquet" else table.files[:1]
        for file in parts[: self.limits.max_parts]:
            try:
                read.shapes.append(self._shape(file, table.suffix))
            except FileProblem as problem:
                read.problems.append(str(problem))
            except ConnectorError as error:
                if error.kind == "not_found":
                    read.gone += 1
                elif error.kind == "permission":
                    read.problems.append("This deployment may not read it.")
                else:
                    raise
        return read


@dataclass(slots=True)
class _Parts:
    """Holds what reading the files of a table came to."""

    shapes: list[FileShape] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Why files could not be read, a sentence each."""
    gone: int = 0
    """Files that have vanished."""


class _UntilStopped:
    """An open file that ends every reading of it, however much is still to come, when it is wanted no longer."""

    def __init__(self, reader: FileReader, stopped: threading.Event) -> None:
        self._reader = reader
        self._stopped = stopped
        self.size = reader.size

    def read(self, offset: int, length: int) -> bytes:
        """Read one stretch. Raises ConnectorError("cancelled")."""
        if self._stopped.is_set():
            raise cancelled()
        return self._reader.read(offset, length)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _united(shapes: Sequence[FileShape]) -> tuple[list[ColumnInfo], bool]:
    """The columns of several files by name, in the order in which they are first met, and whether files differ."""
    first = shapes[0].columns
    if all(shape.columns == first for shape in shapes[1:]):
        return list(first), False
    united = {column.name: column for column in first}
    differ = False
    for shape in shapes[1:]:
        named = {column.name: column for column in shape.columns}
        for name, column in named.items():
            known = united.get(name)
            if known is None:
                united[name] = replace(column, nullable=True)
                differ = True
            elif known.data_type_display != column.data_type_display:
                differ = True
            elif known.nullable is False and column.nullable is not False:
                united[name] = replace(known, nullable=column.nullable)
        for name in united.keys() - named.keys():
            united[name] = replace(united[name], nullable=True)
            differ = True
    return list(united.values()), differ
