"""Files as tables: what every connector of a folder, a share or a bucket has in common.

A tree of files becomes a catalog like this:

* the database is the bucket, the share or the root folder;
* a schema is a folder, named by its path below the root with "/" between the parts. The files of the root itself are
  in the schema "root"; a folder that is really called "root" appears as "./root";
* a table is a file, named without its extension. When two files of a folder would get the same name, both keep it;
* a folder with `key=value` folders below it is one table whose partition keys are columns, and so is a folder of
  Parquet part files (`part-00000...`) that all have the same columns;
* CSV, TSV, JSON and NDJSON (each also as .gz) and Parquet are tables;
* a file that holds several tables, a SQLite database or an Excel workbook, is a schema of its own, named by its path
  without the extension (with it, where another schema has that name); its tables, views or sheets are the tables;
* everything else, and whatever starts with "." or "_", is ignored and counted, and the first such files are named.

A file that cannot be read as what its name says stays visible: it is a table without columns whose comment says why.

Bytes come from a `FileStore` in bounded pieces: a Parquet file's footer, the first megabyte of anything else. They
are put into a private temporary folder, and DuckDB reads them there with access to nothing else. Databases and
workbooks are copied whole (opening.py).
"""

from __future__ import annotations

import contextlib
import json
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
from persistence.connectors.files.containers import SQLITE_MAGIC, Container
from persistence.connectors.files.formats import FileProblem, FileReader, FileShape, Readers
from persistence.connectors.files.layout import IGNORED_TOLD, FileTable, Layout, StoredFile, lay_out
from persistence.connectors.files.opening import Containers
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
        self._containers: Containers | None = None

    @abstractmethod
    def open_store(self) -> FileStore:
        """Connect to the tree. Raises ConnectorError."""

    def statement_seconds(self) -> float:
        """Seconds that reading the shape of one file may take."""
        return self.settings.statement_timeout

    @property
    def cut_short(self) -> bool:
        """Return whether the tree, or a file in it, holds more than was listed."""
        return self._layout().truncated or not all(one.is_whole for one in self._held().values())

    @property
    def ignored(self) -> dict[str, Any]:
        """Return how many files are no tables and hold none, and the first of them with why."""
        layout, held = self._layout(), self._held()
        first = [{"path": path, "reason": reason} for path, reason in layout.ignored_first]
        empty = [held.path(schema) for schema, one in held.items() if not one.names()]
        first += [{"path": path, "reason": "It holds no table."} for path in empty]
        return {"ignored_files": layout.ignored + len(empty), "ignored": first[:IGNORED_TOLD]}

    def verify(self) -> Discovery:
        """List the tree and count its tables. Only files that hold several tables are read. Raises ConnectorError."""
        self._reading()
        layout, held = self._layout(), self._held()
        inside = {schema: len(one.names()) for schema, one in held.items() if one.names()}
        tables = sum(len(found) for found in layout.schemas.values()) + sum(inside.values())
        files = sum(len(one.files) for found in layout.schemas.values() for one in found.values()) + len(inside)
        message = f"Connected to {self.store().name!r}: {_count(tables, 'table')} in {_count(files, 'file')}."
        if layout.truncated:
            message += f" Only the first {self.limits.max_files} entries were looked at."
        formats = Counter(one.suffix.split(".")[0] for found in layout.schemas.values() for one in found.values())
        for schema, count in inside.items():
            formats[held[schema].kind] += count
        return Discovery(
            message,
            {
                "database": self.store().name,
                "schemas": len(layout.schemas) + len(inside),
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
        """One schema per folder that holds tables, and per file that holds several, sorted by name."""
        database = self.store().name
        found = [SchemaInfo(database, name, tuple(sorted(tables))) for name, tables in self._layout().schemas.items()]
        for name, container in self._held().items():
            if tables := container.names():
                found.append(SchemaInfo(database, name, tuple(tables), container.comment))
        return sorted(found, key=lambda schema: schema.name)

    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named tables. Each file costs one bounded read; nothing is scanned."""
        if database != self.store().name:
            return
        held = self._layout().schemas.get(schema, {})
        container = self.container(database, schema)
        for name in names:
            if container is not None:
                info = container.describe(name)
            else:
                table = held.get(name)
                info = None if table is None else self._describe(table)
            if info is not None:
                yield info

    def close(self) -> None:
        """Give back the store and remove the temporary folder."""
        store, self._opened = self._opened, None
        readers, self._readers = self._readers, None
        containers, self._containers = self._containers, None
        self._found = None
        if containers is not None:
            containers.close()
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

    def container_files(self, database: str, schema: str) -> tuple[StoredFile, ...]:
        """The file that a schema is, and what lies beside it, unopened; nothing where it is a folder, or not there."""
        return self._held().files(schema) if database == self.store().name else ()

    def container(self, database: str, schema: str) -> Container | None:
        """The file that a schema is; None where it is a folder, or not there."""
        return self._held().get(schema) if database == self.store().name else None

    @property
    def place(self) -> str:
        """What tells this tree from others; without any secret."""
        return json.dumps([self.kind, self.config.model_dump(mode="json")], sort_keys=True, default=str)

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
            listing = self.store().files(self.limits)
            self._found = lay_out(self.store().name, listing, self._same_columns, self._is_database)
        return self._found

    def _held(self) -> Containers:
        """The files that hold several tables, each opened when it is first asked for."""
        if self._containers is None:
            layout, most = self._layout(), self.settings.source_copy_bytes
            if self.store().local_root() is None:
                most = min(most, self.limits.copied_bytes)
            self._containers = Containers(self, layout.containers, layout.beside, most, self._stopped.is_set)
        return self._containers

    def _is_database(self, file: StoredFile) -> bool:
        """Return whether a file begins as a SQLite database does; what may not be read says so when it is opened."""
        try:
            with self.opened(file) as reader:
                return reader.read(0, len(SQLITE_MAGIC)) == SQLITE_MAGIC
        except ConnectorError as error:
            if error.kind not in {"not_found", "permission"}:
                raise
            return error.kind == "permission"

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
