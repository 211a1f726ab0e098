"""The data of collections of documents: read once into a table of a private DuckDB.

Fields become columns as the catalog names them: those of embedded documents with dotted names, arrays as JSON text. A
column has the type that holds all its values, and is text where they are of several kinds. A larger collection than
the deployment reads is sampled, and its `Sample.is_whole` says so.
"""

# ruff: noqa: S608 - names and paths are made here, and columns are quoted

from __future__ import annotations

import json
import math
import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Final

from sqlglot import exp

from persistence.connectors.core.base import Connector, ConnectorError, ConnectorSettings, CredentialsT, Outbound
from persistence.connectors.core.duckdb_reading import DuckReading, literal
from persistence.connectors.core.reading import cancelled, not_selected
from persistence.connectors.core.sql import DatabaseT
from schema.data_readiness.source import KnownStatistics

DEEPEST: Final = 8
MOST_COLUMNS: Final = 2000
_LONGEST: Final = 32 << 20

Document = Mapping[str, Any]


class DocumentConnector(Connector[DatabaseT, CredentialsT]):
    """A connector to a store of documents: whatever it reads of their data goes through a private DuckDB."""

    def __init__(
        self, config: DatabaseT, credentials: CredentialsT, settings: ConnectorSettings, outbound: Outbound
    ) -> None:
        if config.auth_type != "basic":
            raise ConnectorError("bad_config", f"A {self.kind} connection has only the auth_type 'basic'.")
        super().__init__(config, credentials, settings, outbound)
        self._active: DocumentReading | None = None
        self._stopped = threading.Event()

    @contextmanager
    def source(self) -> Iterator[DocumentReading]:
        """The data of the collections, in a private DuckDB."""
        self.close()
        reading = self._active = DocumentReading(self)
        try:
            yield reading
        finally:
            reading.close()
            self.close()
            self._active = None

    def cancel(self) -> None:
        """Stop what is running, from another thread."""
        self._stopped.set()
        reading = self._active
        if reading is not None:
            reading.cancel()
        else:
            self.hang_up()

    @abstractmethod
    def size(self, database: str, schema: str, table: str) -> int | None:
        """About how many documents a collection has; None when that cannot be told."""

    @abstractmethod
    def holds(self, database: str, schema: str, table: str) -> bool:
        """Return whether a collection is there and selected."""

    @abstractmethod
    def documents(self, database: str, schema: str, table: str, share: float, most: int) -> Iterator[Document]:
        """About this share of the documents, at most so many. Raises ConnectorError."""

    @abstractmethod
    def hang_up(self) -> None:
        """Break off what is being read, from another thread."""


class DocumentReading(DuckReading):
    """The collections of one store."""

    keeps_order: ClassVar[bool] = False

    def __init__(self, store: DocumentConnector) -> None:
        super().__init__(store.settings)
        self._store = store
        self._in_part: set[str] = set()

    def load(self, database: str, schema: str, table: str, name: str) -> None:
        """Read the documents into a table."""
        if not self._store.holds(database, schema, table):
            raise not_selected(f"{database}.{schema}.{table}")
        most = self.limits.source_documents
        size = self._store.size(database, schema, table)
        share = 1.0 if size is None or size <= most else most / size
        path = self.folder / f"{name}.ndjson"
        fields = _Fields()
        whole = self._write(path, fields, self._store.documents(database, schema, table, share, most + 1), most)
        with self.session(self.limits.source_stream_timeout) as session:
            columns = fields.columns() or {"_id": "VARCHAR"}
            types = ", ".join(f"{literal(column)}: {literal(kind)}" for column, kind in columns.items())
            session.execute(
                f"create table main.{name} as select * from read_json({literal(str(path))}, columns = {{{types}}},"
                f" format = 'newline_delimited', maximum_object_size = {_LONGEST})"
            )
        path.unlink()
        if not whole or share < 1:
            self._in_part.add(name)

    def holds_all(self, relation: exp.Table) -> bool:
        """Return whether every document was read."""
        return relation.name not in self._in_part

    def statistics(self, database: str, schema: str, table: str) -> KnownStatistics | None:
        """The number of documents that the store counts."""
        if not self._store.holds(database, schema, table):
            raise not_selected(f"{database}.{schema}.{table}")
        size = self._store.size(database, schema, table)
        return None if size is None else KnownStatistics(size, ())

    def interrupt(self) -> None:
        """Stop the query, or the reading."""
        super().interrupt()
        self._store.hang_up()

    def _write(self, path: Path, fields: _Fields, documents: Iterator[Document], most: int) -> bool:
        """Write at most `most` documents as lines of JSON; whether that was all of them."""
        written = 0
        with path.open("w", encoding="utf-8", errors="replace") as lines:
            for count, document in enumerate(documents):
                if self._cancelled.is_set():
                    raise cancelled()
                if count >= most:
                    return False
                try:
                    line = json.dumps(fields.flat(document), ensure_ascii=False)
                    written += lines.write(line + "\n")
                except OSError:
                    raise ConnectorError(
                        "failed", "The documents could not be kept for reading: the disk is full."
                    ) from None
                if written > self.limits.source_copy_bytes:
                    return False
        return True


class _Fields:
    """The fields of documents as they come by, each with the kinds of its values."""

    def __init__(self) -> None:
        self._kinds: dict[str, set[str]] = {}
        self._names: dict[str, str] = {}

    def flat(self, document: Document) -> dict[str, Any]:
        """A document as one object without nested ones."""
        found: dict[str, Any] = {}
        self._take(found, "", document, 1)
        return found

    def columns(self) -> dict[str, str]:
        """Column → type in DuckDB, the document's key first."""
        ordered = sorted(self._kinds, key=lambda name: (name != "_id", name))
        parents = {name[:at] for name in self._kinds for at, sign in enumerate(name) if sign == "."}
        # A field that was only ever null beside documents that fill it is no column of its own.
        return {name: _column_type(self._kinds[name]) for name in ordered if self._kinds[name] or name not in parents}

    def _take(self, found: dict[str, Any], prefix: str, document: Document, depth: int) -> None:
        for key, value in document.items():
            path = f"{prefix}{key}"
            if isinstance(value, Mapping) and value and depth < DEEPEST:
                self._take(found, f"{path}.", value, depth + 1)
                continue
            name = self._name(path)
            if name is not None:
                kind, found[name] = _plain(value)
                if kind:
                    self._kinds[name].add(kind)

    def _name(self, path: str) -> str | None:
        """The column of a path: itself, but for columns that DuckDB would take for the same."""
        if path in self._names:
            return self._names[path]
        if len(self._kinds) >= MOST_COLUMNS:
            return None
        taken = {name.lower() for name in self._kinds}
        name, again = path, 0
        while name.lower() in taken:
            again += 1
            name = f"{path}_{again}"
        self._names[path] = name
        self._kinds[name] = set()
        return name


def _column_type(kinds: set[str]) -> str:
    if len(kinds) == 1:
        return {"bool": "BOOLEAN", "int": "BIGINT", "moment": "TIMESTAMP", "date": "DATE"}.get(
            next(iter(kinds)), "DOUBLE" if kinds <= {"float"} else "VARCHAR"
        )
    return "DOUBLE" if kinds and kinds <= {"int", "float"} else "VARCHAR"


def _plain(value: Any) -> tuple[str | None, Any]:
    """The kind of a value, and how it stands in JSON."""
    if value is None:
        return None, None
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, int):
        return ("int", int(value)) if -(1 << 63) <= value < 1 << 63 else ("float", str(value))
    if isinstance(value, float):
        return "float", value if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return "text", value
    if isinstance(value, datetime):
        return "moment", (value.astimezone(UTC) if value.tzinfo else value).strftime("%Y-%m-%d %H:%M:%S.%f").zfill(26)
    if isinstance(value, date):
        return "date", value.isoformat()
    if isinstance(value, Mapping | list | tuple):
        return "nested", json.dumps(value, default=_text, ensure_ascii=False)
    if isinstance(value, Decimal) or type(value).__name__ == "Decimal128":
        return "float", str(value)
    return "text", _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()
    return value.isoformat() if isinstance(value, datetime) else str(value)
