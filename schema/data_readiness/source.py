"""Defines what engines need of a store of data, and what the catalog tells them about its tables.

`persistence/connectors/core/reading.py` has the real stores.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat
from typing import TYPE_CHECKING, Any, Protocol

from schema.identifiers import Fqn

if TYPE_CHECKING:
    from sqlglot import exp

Row = tuple[Any, ...]

EARLIEST_DAY, LATEST_DAY = "-4712-01-01", "200000-01-01"
"""Moments of Arrow batches lie between these days; one before or after them, infinity too, comes as the nearer of them.

Source: ISO 8601, where year 0 is 1 BC.
"""


class Source(Protocol):
    """One tenant's store, read-only, used from one thread at a time; calls block.

    Queries are sqlglot expressions; the source writes them in its own dialect. Engines build them with sqlglot's
    builders, or parse text in DuckDB's dialect, always with quoted identifiers.
    """

    dialect: str
    """sqlglot's name of the dialect that queries end up in: postgres, mysql, duckdb, ..."""

    def relation(self, database: str, schema: str, table: str) -> "exp.Table":
        """Return what stands in FROM for a table. Files and documents become tables of a private DuckDB first."""

    def ask(self, query: "exp.Query") -> list[Row]:
        """All rows of a small answer. Raises ConnectorError, also when it has more than 100,000 rows."""

    def stream(self, query: "exp.Query", size: int = 5000, seconds: float | None = None) -> Generator[list[Row]]:
        """The rows of an answer of any length, in lists of at most `size`, in constant memory.

        The source stops it after so many seconds, or what the deployment allows.
        Nothing else may be asked while it is open: read it to its end, or close it, first.
        """

    def sample(self, relation: "exp.Table", columns: Sequence[str], rows: int) -> "Sample":
        """About `rows` rows, spread over the table as cheaply as the source can; all of them when it has fewer."""

    def statistics(self, database: str, schema: str, table: str) -> "KnownStatistics | None":
        """Return what the source itself knows of a table without a scan; None where there is nothing."""

    def arrow_batches(self, query: "exp.Query") -> Generator[Any] | None:
        """The answer as pyarrow record batches, where source and deployment have a fast way; else None: stream it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows of a table."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    is_whole: bool
    """Whether these are all rows of the table."""
    in_order: bool = False
    """Whether they stand as they were written down, as those of a file do; a database moves what is changed."""

    def by_column(self) -> dict[str, tuple[Any, ...]]:
        """The values of each column, in the order of the rows."""
        turned = zip(*self.rows, strict=True) if self.rows else repeat((), len(self.columns))
        return dict(zip(self.columns, turned, strict=True))


@dataclass(frozen=True, slots=True)
class KnownColumn:
    """What a source's own statistics say of one column: estimates, unless `KnownStatistics.is_exact`."""

    name: str
    null_fraction: float | None = None
    """0 to 1."""
    distinct_count: int | None = None
    """Distinct values, nulls not counted."""
    common_values: tuple[tuple[str, float], ...] = ()
    """The most common values as text, with the share of all rows (0 to 1) that each has, most common first."""
    histogram_bounds: tuple[str, ...] = ()
    """Values as text that split the others into parts of equal size, ascending."""
    minimum: str | None = None
    maximum: str | None = None
    average_width: float | None = None
    """Bytes of an average value."""
    correlation: float | None = None
    """-1 to 1: how far the order on disk follows the order of the values."""


@dataclass(frozen=True, slots=True)
class KnownStatistics:
    """What a source itself knows of a table without a scan."""

    row_count: int | None
    columns: tuple[KnownColumn, ...]
    """The columns it knows something about, in the order of the table."""
    analysed_at: datetime | None = None
    """When the source gathered them, when it tells."""
    is_exact: bool = False
    """Whether row count, nulls, minimum and maximum are exact, as in a Parquet footer."""
    unread_rows: int = 0
    """Lines of a text that could not be read as rows, and are in no answer."""

    def column(self, name: str) -> KnownColumn | None:
        """Return what is known of a column."""
        return next((one for one in self.columns if one.name == name), None)


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What the catalog knows of one column, as engines take it."""

    fqn: str
    name: str
    ordinal_position: int
    data_type: str | None = None
    """Neutral upper-case name: INTEGER, BIGINT, VARCHAR, TEXT, NUMERIC, BOOLEAN, TIMESTAMP, DATE, ..."""
    nullable: bool | None = None
    description: str | None = None
    display_name: str | None = None
    is_primary_key: bool = False
    """Whether it is the primary key, or a part of it: `TableFacts.is_key` tells which."""
    is_unique: bool = False
    """Whether the source keeps it unique by itself. A part of a key of several columns is not."""
    references: tuple[str, str] | None = None
    """The FQN of the table and the name of the column that a foreign key points to."""
    is_reference_declared: bool = True
    """Whether the source declares that key; people approved it otherwise."""
    tags: tuple[str, ...] = ()
    """The FQNs of the tags that stand on it."""
    is_pii_tagged: bool = False


@dataclass(frozen=True, slots=True)
class ReferenceFacts:
    """A reference of one column or of several together to the key of a table."""

    columns: tuple[str, ...]
    target_fqn: str
    target_columns: tuple[str, ...]
    is_declared: bool = True


def is_view_type(table_type: str | None) -> bool:
    """Return whether tables of a type of the catalog show rows of other tables, kept with them or not."""
    return "VIEW" in (table_type or "").upper()


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What the catalog knows of one table, as engines take it."""

    fqn: str
    resource_uri: str
    database: str
    schema: str
    name: str
    columns: tuple[ColumnFacts, ...]
    table_type: str | None = None
    row_count: int | None = None
    """The source's own estimate."""
    description: str | None = None
    display_name: str | None = None
    definition: str | None = None
    """The SQL of a view."""
    keys: tuple[dict[str, Any], ...] = ()
    """Declared keys as the catalog keeps them: type PRIMARY_KEY, UNIQUE or FOREIGN_KEY, columns, target_*."""
    tags: tuple[str, ...] = ()
    is_pii_tagged: bool = False

    @property
    def is_view(self) -> bool:
        """Return whether it shows rows of other tables, kept with it or not."""
        return is_view_type(self.table_type)

    @property
    def key_sets(self) -> tuple[tuple[str, ...], ...]:
        """The sets of columns that the source declares to tell rows apart, the primary key first, each once.

        A key is a set: that two columns are unique together says nothing about either of them.
        """
        found: dict[frozenset[str], tuple[str, ...]] = {}
        for kind in ("PRIMARY_KEY", "UNIQUE"):
            for key in self.keys:
                names = tuple(str(name) for name in key.get("columns") or ())
                if key.get("type") == kind and names:
                    found.setdefault(frozenset(names), names)
            if kind == "PRIMARY_KEY" and not found:
                flagged = tuple(one.name for one in self.columns if one.is_primary_key)
                found |= {frozenset(flagged): flagged} if flagged else {}
        for one in self.columns:
            # A part of a larger key may have been marked before keys were read as sets.
            if one.is_unique and not any(one.name in names for names in found):
                found[frozenset((one.name,))] = (one.name,)
        return tuple(found.values())

    @property
    def primary_key(self) -> tuple[str, ...]:
        """The columns of the primary key, in its order; empty when none is declared."""
        declared = next((key.get("columns") for key in self.keys if key.get("type") == "PRIMARY_KEY"), None)
        if declared:
            return tuple(str(name) for name in declared)
        return tuple(one.name for one in self.columns if one.is_primary_key)

    def is_key(self, *names: str) -> bool:
        """Return whether the source declares that no two rows agree in these columns."""
        given = frozenset(names)
        return any(given.issuperset(key) for key in self.key_sets)

    @property
    def references(self) -> tuple[ReferenceFacts, ...]:
        """What the table refers to, those of several columns first: a part of such a reference is none by itself."""
        service = Fqn.parse(self.fqn).parts[0]
        found: list[ReferenceFacts] = []
        for key in self.keys:
            columns = tuple(str(name) for name in key.get("columns") or ())
            to = tuple(str(name) for name in key.get("target_columns") or ())
            if key.get("type") == "FOREIGN_KEY" and key.get("target_table") and 1 < len(columns) == len(to):
                schema = key.get("target_schema") or self.schema
                found.append(
                    ReferenceFacts(columns, str(Fqn.of(service, self.database, schema, key["target_table"])), to)
                )
        parts = {
            (name, one.target_fqn, to)
            for one in found
            for name, to in zip(one.columns, one.target_columns, strict=True)
        }
        for one in self.columns:
            if one.references is not None and (one.name, *one.references) not in parts:
                target, to_column = one.references
                found.append(ReferenceFacts((one.name,), target, (to_column,), one.is_reference_declared))
        return tuple(found)
