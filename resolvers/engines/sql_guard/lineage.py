"""Defines what every name of a query means: one pass that binds columns to tables, and writes down how each is used.

The query is rewritten while it is read. Every table gets its whole name and an alias that no query around it uses,
every column the alias of what it comes from, `*` its columns, USING its condition. So what a database makes of the text
that is sent cannot differ from what was judged here. A name that cannot be bound is refused.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from sqlglot import exp

from resolvers.engines.sql_guard.tables import Table

Key = tuple[str, str]
"""The FQN of a table and the name of a column."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """Holds what a value comes from."""

    columns: frozenset[Key] = frozenset()
    aggregated: bool = False
    told: frozenset[Key] = frozenset()
    """Those of the columns whose values it may show. Of one that is only counted, or asked whether it is null, it shows
    none.
    """

    def __or__(self, other: "Lineage") -> "Lineage":
        return Lineage(self.columns | other.columns, self.aggregated or other.aggregated, self.told | other.told)


NOTHING: Final = Lineage()


@dataclass(slots=True)
class FromItem:
    """One thing in a FROM: a table of the catalog, or the columns of a query."""

    alias: str
    names: tuple[str, ...]
    """Its columns, as they are spelled."""
    origins: tuple[Lineage, ...]
    table: Table | None = None
    node: exp.Table | None = None
    written: tuple[str, ...] = ()
    """The schema and the database of a table without an alias, by which a column may name it too."""
    called: str = ""
    """The name that the query gave it; `alias` differs where a query around it uses the same."""
    repeated: frozenset[str] = frozenset()
    """The names that several of its columns bear."""
    hidden: bool = False
    """Whether `*` leaves it out: the right side of a join that only asks whether there is a row."""
    used: set[str] = field(default_factory=set)
    """The columns that the query names."""

    def __post_init__(self) -> None:
        if self.table is None and len(set(self.names)) < len(self.names):
            self.repeated = frozenset(name for name, times in Counter(self.names).items() if times > 1)


@dataclass(slots=True, eq=False)
class ColumnReference:
    """One use of a column."""

    node: exp.Column
    source: FromItem
    column: str
    home: "SelectBlock"
    """The SELECT whose FROM the source stands in."""
    block: "SelectBlock"
    """The SELECT that the use stands in."""
    clause: str


@dataclass(slots=True, eq=False)
class SelectBlock:
    """One SELECT with what it reads from."""

    select: exp.Select
    outer: "SelectBlock | None"
    sources: list[FromItem] = field(default_factory=list)
    merged: dict[str, exp.Expr] = field(default_factory=dict)
    """What a USING made one column of."""
    full_using: int = 0
    """How many full joins by USING it has so far."""
    clause: str = "output"
    references: list[ColumnReference] = field(default_factory=list)
    """The uses of its sources, also those in queries inside of it."""
    answer: "OutputColumns | None" = None
    keys: list[exp.Expr] = field(default_factory=list)
    """What it groups by."""


@dataclass(frozen=True, slots=True)
class OutputColumns:
    """Holds what a query answers with."""

    names: tuple[str, ...]
    origins: tuple[Lineage, ...]


@dataclass(slots=True)
class Bound:
    """A query of which every name is bound."""

    answer: OutputColumns = field(default_factory=lambda: OutputColumns((), ()))
    blocks: list[SelectBlock] = field(default_factory=list)
    tables: list[FromItem] = field(default_factory=list)
    """Every use of a table of the catalog, in the order of the query."""
    reads: dict[Key, set[str]] = field(default_factory=dict)
    """In which clauses each column is used."""
