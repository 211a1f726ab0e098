"""The files of one tree that hold several tables, opened when they are first asked for."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Protocol

from persistence.connectors.core.base import ConnectorError, ConnectorSettings
from persistence.connectors.files.containers import (
    BESIDE,
    SQLITE_MAGIC,
    WORKBOOK,
    Container,
    Unreadable,
    container_of,
)
from persistence.connectors.files.formats import FileProblem, FileReader
from persistence.connectors.files.layout import StoredFile
from persistence.connectors.files.sqlite import SqliteFile
from persistence.connectors.files.workbook import WorkbookFile

_PIECE: Final = 8 << 20
_TRIES: Final = 2
_JOURNAL: Final = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""How a rollback journal begins that SQLite would still have to apply."""


class ContainerTree(Protocol):
    """Describes what opening needs of the connection to a tree of files."""

    @property
    def settings(self) -> ConnectorSettings:
        """The bounds of the deployment."""
        ...

    def opened(self, file: StoredFile) -> AbstractContextManager[FileReader]:
        """One file, which is read until the connection is cancelled."""
        ...


class Containers(Mapping[str, Container]):
    """Schema → the file that it is. A file that has vanished meanwhile is an unreadable one without tables."""

    def __init__(
        self,
        tree: ContainerTree,
        files: Mapping[str, StoredFile],
        beside: Mapping[str, StoredFile],
        most: int,
        stopped: Callable[[], bool],
    ) -> None:
        """`beside` holds what SQLite keeps beside its databases, by path; `most` bytes are copied of all files."""
        self._tree = tree
        self._most = most
        self._files = files
        self._beside = beside
        self._stopped = stopped
        self._opened: dict[str, Container] = {}
        self._copied = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __getitem__(self, schema: str) -> Container:
        """Open the file, or return it when it is open. Raises ConnectorError."""
        if schema not in self._opened:
            self._opened[schema] = self._open(schema, self._files[schema])
        return self._opened[schema]

    def files(self, schema: str) -> tuple[StoredFile, ...]:
        """The file of a schema, and what SQLite keeps beside it; nothing where it is no schema."""
        file = self._files.get(schema)
        if file is None:
            return ()
        return (file, *(self._beside[file.path + ending] for ending in BESIDE if file.path + ending in self._beside))

    def path(self, schema: str) -> str:
        """Where the file of a schema lies."""
        return self._files[schema].path

    def __iter__(self) -> Iterator[str]:
        """Yield the schemas."""
        return iter(self._files)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._files)

    def close(self) -> None:
        """Close all of them, and remove their copies."""
        for one in self._opened.values():
            one.close()
        self._opened.clear()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _open(self, schema: str, file: StoredFile) -> Container:
        kind = container_of(file.path) or ""
        name = file.path.rpartition("/")[2]
        try:
            return self._read(schema, kind, file)
        except _Wrong as problem:
            return Unreadable(kind, name, str(problem), is_whole=True)
        except FileProblem as problem:
            # It may be readable again soon, and then has its tables.
            return Unreadable(kind, name, str(problem), is_whole=False)
        except ConnectorError as error:
            if error.kind == "not_found":
                return _Gone(kind, name, "It is gone.", is_whole=True)
            if error.kind == "permission":
                return Unreadable(kind, name, "This deployment may not read it.", is_whole=False)
            raise

    def _read(self, schema: str, kind: str, file: StoredFile) -> Container:
        settings = self._tree.settings
        path = self._place()
        if kind == WORKBOOK:
            if file.size == 0:
                raise _Wrong("The file is empty.")
            self._copy(file, path)
            return WorkbookFile(path, settings.source_statement_timeout, self._most, self._stopped)
        for _ in range(_TRIES):
            if self._copied_at_rest(file, path):
                break
        else:
            raise FileProblem("It was written to while it was being read. Try again.")
        return SqliteFile(path, schema, settings.statement_timeout, settings.source_stream_timeout, self._stopped)

    def _copied_at_rest(self, file: StoredFile, path: Path) -> bool:
        """Copy a database and the log beside it; whether nobody wrote to them meanwhile."""
        logs = {ending: self._beside.get(file.path + ending) for ending in ("-wal", "-journal")}
        journal, log = logs["-journal"], logs["-wal"]
        if file.size and self._head(file, len(SQLITE_MAGIC)) != SQLITE_MAGIC:
            raise _Wrong("It is encrypted, or no SQLite database: its first bytes are not those of one.")
        if journal is not None and self._head(journal, len(_JOURNAL)) == _JOURNAL:
            # To undo what it holds is the business of who wrote it: a journal may name files that are then deleted.
            raise FileProblem("A change of it is under way or was broken off. Open it once with its own program.")
        marks = self._marks(file, log)
        self._copy(file, path)
        log_path = path.with_name(f"{path.name}-wal")
        log_path.unlink(missing_ok=True)
        if log is not None and log.size:
            self._copy(log, log_path)
        return self._marks(file, log) == marks

    def _marks(self, file: StoredFile, log: StoredFile | None) -> tuple[bytes, bytes]:
        """Return what SQLite changes with every change of a database, and with every new beginning of its log."""
        return self._head(file, 100), b"" if log is None or not log.size else self._head(log, 32)

    def _head(self, file: StoredFile, length: int) -> bytes:
        with self._tree.opened(file) as reader:
            return reader.read(0, min(length, reader.size))

    def _place(self) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(
                prefix="stoa-files-", dir=self._tree.settings.source_scratch or None, ignore_cleanup_errors=True
            )
        return Path(self._folder.name).resolve() / f"copy{len(self._opened)}"

    def _copy(self, file: StoredFile, path: Path) -> None:
        try:
            with self._tree.opened(file) as reader, path.open("wb") as copy:
                if self._copied + reader.size > self._most:
                    raise FileProblem(
                        "Databases and workbooks are copied to be read, and together they are larger than the "
                        f"{self._most:,} bytes that this deployment copies from here."
                    )
                at = 0
                while piece := reader.read(at, min(_PIECE, self._most - self._copied)):
                    at += len(piece)
                    self._copied += len(piece)
                    copy.write(piece)
        except OSError as error:
            raise FileProblem(f"It could not be copied for reading: {os.strerror(error.errno or 0)}.") from None


class _Wrong(FileProblem):
    """A file that is not what its name says, now and later."""


class _Gone(Unreadable):
    """A file that has vanished since it was listed."""

    def names(self) -> tuple[str, ...]:
        """No table."""
        return ()
