"""Defines how a listing of files becomes schemas and tables; what the rules are stands in connector.py."""

from __future__ import annotations

import contextlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from urllib.parse import unquote

from persistence.connectors.files.containers import BESIDE, SQLITE, UNCLEAR, container_of, ending_of
from persistence.connectors.files.formats import suffix_of

IGNORED_TOLD = 10
"""How many of the files that are no tables are named."""

_HIDDEN = "Its name, or that of a folder above it, begins with '.' or '_'."
_NO_TABLE = "Its name does not end as that of a CSV, TSV, JSON, NDJSON, Parquet, SQLite or XLSX file."
_OTHER_SHEETS = "It is a spreadsheet of another format. Save it as XLSX or CSV."
_SHEETS = ("xls", "xlsb", "ods")
_NO_DATABASE = "It is no SQLite database: its first bytes are not those of one."
_OFFICE_LOCK = "It only marks a workbook that somebody has open."

KEY = re.compile(r"([A-Za-z_][\w.%-]*)=(.*)", re.DOTALL)
"""The name of a folder that holds one partition: its key and its value."""

_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the tree: its path below the root with "/" between the parts, and its size in bytes."""

    path: str
    size: int
    version: str = ""
    """What changes with its content; empty where the store tells of nothing that surely does."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a tree, sorted by path."""

    files: tuple[StoredFile, ...]
    refused: int = 0
    """Entries that are not plain files inside the root (devices, pipes, links that lead out) or may not be entered."""
    truncated: bool = False
    """Whether the tree holds more entries than were allowed to be listed."""


@dataclass(frozen=True, slots=True)
class FileTable:
    """One table of the layout: its files, and the partition keys that their folders hold."""

    name: str
    suffix: str
    files: tuple[StoredFile, ...]
    keys: tuple[str, ...] = ()
    base: str = ""
    """The folder of a table of many files."""

    def partition_of(self, file: StoredFile) -> Iterator[tuple[str, str | None]]:
        """The partition keys of one of its files, with their values."""
        seen: set[str] = set()
        for part in file.path.split("/")[:-1]:
            found = KEY.fullmatch(part)
            if found and (key := unquote(found[1])) not in seen:
                seen.add(key)
                value = unquote(found[2])
                yield key, None if value == _NO_VALUE else value

    def partition_types(self) -> Iterator[tuple[str, str]]:
        """Each partition key with the type that fits all of its values, as Hive-style readers decide it."""
        values: dict[str, set[str]] = {key: set() for key in self.keys}
        for file in self.files:
            for key, value in self.partition_of(file):
                if value is not None:
                    values[key].add(value)
        for key, held in values.items():
            yield key, _common_type(held)


@dataclass(frozen=True, slots=True)
class Layout:
    schemas: dict[str, dict[str, FileTable]]
    ignored: int
    refused: int
    truncated: bool
    sizes: int = 0
    ignored_first: tuple[tuple[str, str], ...] = ()
    """The paths of the first files that are no tables, each with why."""
    containers: dict[str, StoredFile] = field(default_factory=dict)
    """The files that hold several tables, each with the schema that it is."""
    beside: dict[str, StoredFile] = field(default_factory=dict)
    """What SQLite keeps beside its databases, by path."""


@dataclass(slots=True)
class _Folder:
    """Holds what a folder holds while the layout is made."""

    files: list[StoredFile] = field(default_factory=list)
    datasets: list[FileTable] = field(default_factory=list)


_PART = re.compile(r"(?i)(?:(?:part|data|file|chunk|batch|block|segment|shard)[-_.]?)?\d+([-_.].*)?")


def lay_out(
    root: str,
    listing: Listing,
    same_columns: Callable[[Sequence[StoredFile]], bool],
    is_database: Callable[[StoredFile], bool],
) -> Layout:
    """Turn a listing into schemas and tables. `is_database` looks at how a file begins whose name leaves it open."""
    folders: dict[str, _Folder] = defaultdict(_Folder)
    partitioned: dict[tuple[str, tuple[str, ...], str], list[StoredFile]] = defaultdict(list)
    containers: list[StoredFile] = []
    beside = {file.path: file for file in listing.files if _is_beside(file.path)}
    ignored = 0
    named: list[tuple[str, str]] = []
    size = 0
    for file in listing.files:
        if file.path in beside:
            continue
        *parents, name = file.path.split("/")
        reason = _why_no_table(file, is_database)
        if reason is not None:
            ignored += 1
            if len(named) < IGNORED_TOLD:
                named.append((file.path, reason))
            continue
        size += file.size
        suffix = suffix_of(name)
        keys = [(at, found) for at, part in enumerate(parents) if (found := KEY.fullmatch(part))]
        if suffix is None:
            containers.append(file)
        elif keys:
            names = tuple(unquote(found[1]) for _, found in keys)
            partitioned["/".join(parents[: keys[0][0]]), names, suffix].append(file)
        else:
            folders["/".join(parents)].files.append(file)
    for (base, keys_of, suffix), files in partitioned.items():
        parent, name = _parent(base, root)
        folders[parent].datasets.append(FileTable(name, suffix, tuple(files), keys_of, base))
    for base in [path for path, folder in folders.items() if path and _looks_like_parts(folder)]:
        files = folders[base].files
        if same_columns(files):
            parent, name = _parent(base, root)
            folders[parent].datasets.append(FileTable(name, "parquet", tuple(files), (), base))
            folders[base].files = []
    schemas = {
        ("./root" if path == "root" else path) or "root": tables
        for path, folder in folders.items()
        if (tables := _named(folder))
    }
    schema_of = _schemas_of(containers, set(schemas))
    return Layout(schemas, ignored, listing.refused, listing.truncated, size, tuple(named), schema_of, beside)


def _why_no_table(file: StoredFile, is_database: Callable[[StoredFile], bool]) -> str | None:
    """Why a file is no table and holds none; None for what is one, or holds some."""
    *parents, name = file.path.split("/")
    if any(part.startswith((".", "_")) and not KEY.fullmatch(part) for part in [*parents, name]):
        return _HIDDEN
    if suffix_of(name) is not None:
        return None
    if container_of(name) is None:
        return _OTHER_SHEETS if ending_of(name) in _SHEETS else _NO_TABLE
    if name.startswith("~$"):
        return _OFFICE_LOCK
    return _NO_DATABASE if ending_of(name) in UNCLEAR and not is_database(file) else None


def _is_beside(path: str) -> bool:
    """Return whether SQLite keeps a file beside one of its databases, by their names."""
    return any(path.endswith(ending) and container_of(path.removesuffix(ending)) == SQLITE for ending in BESIDE)


def _schemas_of(containers: Sequence[StoredFile], taken: set[str]) -> dict[str, StoredFile]:
    """The schemas that files are: their paths without the endings, where nothing else has that name."""
    stems = [file.path.rpartition(".")[0] for file in containers]
    times = Counter(stems)
    return {
        stem if times[stem] == 1 and stem not in taken else file.path: file
        for stem, file in zip(stems, containers, strict=True)
    }


def _parent(base: str, root: str) -> tuple[str, str]:
    """The folder in which a table of many files stands, and its name there."""
    parent, _, name = base.rpartition("/")
    return parent, name or root


def _looks_like_parts(folder: _Folder) -> bool:
    return len(folder.files) > 1 and all(
        suffix_of(name := file.path.rpartition("/")[2]) == "parquet" and _PART.fullmatch(name) for file in folder.files
    )


def _named(folder: _Folder) -> dict[str, FileTable]:
    """The tables of a folder by name: the short name, or the file's whole name where short names meet."""
    entries = [
        FileTable(file.path.rpartition("/")[2], suffix_of(file.path) or "", (file,)) for file in folder.files
    ] + folder.datasets
    names = [_stem(entry.name) for entry in entries]
    while True:
        clashing = {name for name, times in Counter(names).items() if times > 1}
        longer = [entry.name if name in clashing else name for entry, name in zip(entries, names, strict=True)]
        if longer == names:
            break
        names = longer
    named: dict[str, FileTable] = {}
    for name, entry in zip(names, entries, strict=True):
        unique, again = name, 1
        while unique in named:  # a bucket may hold the object "a.csv" and the folder "a.csv/"; keys may differ in depth
            again += 1
            unique = f"{name} ({again})"
        named[unique] = replace(entry, name=unique)
    return named


def _stem(name: str) -> str:
    """A file's name without the extensions that say its format, when something is left."""
    if suffix_of(name) is None:
        return name
    stem = re.sub(r"(?i)\.gz$", "", name)
    stem = stem.rpartition(".")[0]
    return re.sub(r"(?i)\.(snappy|gz|gzip|zstd|lz4|brotli|uncompressed)$", "", stem) or name


def _common_type(values: Iterable[str]) -> str:
    held = list(values)
    if held and all(re.fullmatch(r"-?\d{1,18}", value) for value in held):
        return "BIGINT"
    if held and all(re.fullmatch(r"\d{4}-\d\d-\d\d", value) and _is_date(value) for value in held):
        return "DATE"
    return "VARCHAR"


def _is_date(text: str) -> bool:
    with contextlib.suppress(ValueError):
        date.fromisoformat(text)
        return True
    return False
