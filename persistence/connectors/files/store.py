"""Defines what a tree of files is to the connectors of files: it can be listed and read, within limits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass

from persistence.connectors.files.formats import FileReader
from persistence.connectors.files.layout import Listing, StoredFile


@dataclass(frozen=True, slots=True)
class FileLimits:
    """Holds how much of a tree is looked at."""

    max_files: int = 20_000
    """Entries that are listed; the rest of a larger tree is left out, and the discovery says so."""
    max_depth: int = 32
    """Folders below one another that are entered."""
    sample_bytes: int = 1 << 20
    """Bytes (after decompression) of a text file that decide its columns."""
    footer_bytes: int = 32 << 20
    """The largest Parquet footer that is read."""
    max_parts: int = 500
    """Part files of one table whose footers are read; with more of them the row count stays unknown."""
    copied_bytes: int = 512 << 20
    """Bytes of the databases and workbooks of a bucket or share that are copied, all together, to look into them."""
    memory: str = "512MB"
    """What DuckDB may use."""


class FileStore(ABC):
    """A tree of files that can be listed and read. Everything it raises is a ConnectorError."""

    name: str
    """The bucket, the share or the root folder."""

    @abstractmethod
    def files(self, limits: FileLimits) -> Listing:
        """List the tree, at most `limits.max_files` entries of it."""

    @abstractmethod
    def open(self, file: StoredFile) -> AbstractContextManager[FileReader]:
        """Open one file. ConnectorError("not_found") when it is gone, "permission" when it may not be read."""

    def local_root(self) -> str | None:
        """The real path of the tree, when its files can be opened on this machine."""
        return None

    def descriptor(self, file: StoredFile) -> int | None:
        """A local file, opened for the caller to read and close; None where files must be copied."""
        return None

    def close(self) -> None:  # noqa: B027 - most stores have nothing to give back
        """Give back connections. Safe to call twice."""
