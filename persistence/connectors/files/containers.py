"""Files that hold several tables, such as a SQLite database or an Excel workbook: each is a schema of its own.

Such a file is copied whole to a private temporary folder before anything looks into it: its readers open files by
their paths, and nothing that happens to the original meanwhile, a link put in its place included, may lead elsewhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from persistence.connectors.core.base import UNKNOWN_COLUMNS, TableInfo
from persistence.connectors.files.formats import FileProblem

SQLITE: Final = "sqlite"
WORKBOOK: Final = "xlsx"

SQLITE_MAGIC: Final = b"SQLite format 3\x00"
"""What every SQLite database begins with. Source: https://www.sqlite.org/fileformat.html, 1.3.1."""

BESIDE: Final = ("-wal", "-journal", "-shm")
"""How files end that SQLite keeps beside a database."""

_SUFFIXES: Final = {
    "sqlite": SQLITE,
    "sqlite3": SQLITE,
    "db": SQLITE,
    "db3": SQLITE,
    "xlsx": WORKBOOK,
    "xlsm": WORKBOOK,
}

UNCLEAR: Final = frozenset(("db", "db3"))
"""Endings that other programs give to files of their own: only a file's beginning tells what it is."""

MOST_TABLES: Final = 5_000
"""Tables of one file that are listed."""


def container_of(name: str) -> str | None:
    """The kind of container that a file's name says: sqlite, xlsx or None."""
    stem, dot, ending = name.rpartition("/")[2].rpartition(".")
    return _SUFFIXES.get(ending.lower()) if dot and stem else None


def ending_of(name: str) -> str:
    """The last part of a file's name, in small letters."""
    return name.rpartition(".")[2].lower()


@dataclass(frozen=True, slots=True)
class TextColumn:
    """A column as `Container.write` writes it, and the types of DuckDB that may hold it, best first; then VARCHAR."""

    name: str
    types: tuple[str, ...] = ()
    in_hex: bool = False
    """Whether its values are bytes, written as hexadecimal digits."""


class Container(ABC):
    """An open file with several tables. Everything it raises is a ConnectorError or a FileProblem."""

    kind: str
    comment: str | None = None
    """What is told of the file as a schema."""
    is_whole: bool = True
    """Whether all of its tables are named, so that what is not named is gone."""

    @abstractmethod
    def names(self) -> Sequence[str]:
        """The tables and views, sorted."""

    @abstractmethod
    def describe(self, table: str) -> TableInfo | None:
        """One table with its columns and keys, or without any and with the reason; None when there is no such one."""

    @abstractmethod
    def write(self, table: str, put: Callable[[bytes], None]) -> Sequence[TextColumn]:
        """Put the rows out as lines of SQL literals with commas between them, in bounded pieces.

        NULL is a word, and every text stands in single quotes, which are doubled within.
        """

    def close(self) -> None:  # noqa: B027 - some have nothing to give back
        """Close the file. Safe to call twice."""


class Unreadable(Container):
    """A file that cannot be read: it stays visible as a table without columns whose comment says why."""

    def __init__(self, kind: str, name: str, reason: str, *, is_whole: bool) -> None:
        self.kind = kind
        self.is_whole = is_whole
        self._name = name
        self._reason = reason

    def names(self) -> Sequence[str]:
        """The name of the file."""
        return (self._name,)

    def describe(self, table: str) -> TableInfo | None:
        """The file, and why it cannot be read."""
        return unreadable(table, self._reason) if table == self._name else None

    def write(self, table: str, put: Callable[[bytes], None]) -> Sequence[TextColumn]:
        """Raise FileProblem."""
        raise FileProblem(self._reason)


def unreadable(table: str, reason: str, table_type: str = "FILE") -> TableInfo:
    """A table that is there and cannot be read."""
    return TableInfo(table, table_type, (), comment=f"{UNKNOWN_COLUMNS} {reason}")
