"""Defines how names are compared, found and written."""

from collections import deque
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from sqlglot import exp

from resolvers.engines.sql_guard.refusing import QueryRefused, plain
from resolvers.engines.sql_guard.tables import Table

UPPER_CASE: Final = frozenset({"snowflake", "oracle", "db2"})
"""The dialects that fold bare names to capitals."""

FOLDS_ALL: Final = frozenset({"mysql", "duckdb", "sqlite", "tsql", "databricks", "spark", "bigquery", "clickhouse"})
"""The dialects in which a quoted name is found whatever its case."""

LONGEST_ALIAS: Final = 60
"""Bytes. PostgreSQL cuts names off at 63, after which two may be one."""


def quoted(name: str) -> exp.Identifier:
    """A name as it is sent."""
    return exp.Identifier(this=name, quoted=True)


class NameRules:
    """Describes how a dialect compares names."""

    def __init__(self, dialect: str) -> None:
        self.folds_all, self.upper = dialect in FOLDS_ALL, dialect in UPPER_CASE
        self.merges_in_place = dialect == "duckdb"
        """Whether a column that USING made of two stands where the first of them stood; at the front otherwise."""

    def alias(self, identifier: exp.Expr) -> str:
        """The name that two spellings of the same alias share."""
        name = identifier.name
        if not name or len(name.encode()) > LONGEST_ALIAS:
            raise QueryRefused("size", f"A name in a query has 1 to {LONGEST_ALIAS} bytes: {plain(name)[:40]} has not.")
        if self.folds_all:
            return name.lower()
        if isinstance(identifier, exp.Identifier) and identifier.quoted:
            return name
        return name.upper() if self.upper else name.lower()

    def among(self, identifier: exp.Expr, names: tuple[str, ...]) -> list[int]:
        """Return where a name stands among the names of columns. More than one place: it may mean each of them."""
        name = identifier.name
        if isinstance(identifier, exp.Identifier) and identifier.quoted and not self.folds_all:
            return [at for at, one in enumerate(names) if one == name]
        found = _folded(names).get(name.casefold())
        if found is None:
            return []
        if len(found) > 1 and not self.folds_all:
            told = name.upper() if self.upper else name.lower()
            return [at for at in found if names[at] == told] or found
        return found


@lru_cache(maxsize=2048)
def _folded(names: tuple[str, ...]) -> dict[str, list[int]]:
    """Return where each name stands, whatever its case."""
    found: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        found.setdefault(name.casefold(), []).append(at)
    return found


_Named = dict[str, list[Table]]
_KEPT: Final[deque[tuple[tuple[Table, ...], _Named]]] = deque(maxlen=8)
"""The latest catalogs that were asked about. Only tuples, which nobody can change, known again as the same object."""


def _by_name(tables: Sequence[Table]) -> _Named:
    """Tables by their names, whatever their case."""
    for kept, named in tuple(_KEPT):
        if kept is tables:
            return named
    found: _Named = {}
    for table in tables:
        found.setdefault(table.name.casefold(), []).append(table)
    if isinstance(tables, tuple):
        _KEPT.append((tables, found))
    return found


class TableIndex:
    """The tables that a query may read, by name."""

    def __init__(self, tables: Sequence[Table], near: Table | None, dialect: str) -> None:
        self._near, self._folds_all = near, dialect in FOLDS_ALL
        self._tables = _by_name(tables)
        self.names = self._tables.keys()
        """The names of the tables, whatever their case."""

    def find(self, node: exp.Table) -> Table:
        """The table that a query names. Raises Refused."""
        written = (node.args.get("catalog"), node.args.get("db"), node.this)
        given = [part if isinstance(part, exp.Expr) else None for part in written]  # MySQL's `.name` has an empty one
        fits = [
            table
            for table in self._tables.get(node.name.casefold(), ())
            if all(
                part is None or self._same(part, name)
                for part, name in zip(given, (table.database, table.schema, table.name), strict=True)
            )
        ]
        near = self._near
        if near is not None and len(fits) > 1:
            fits = [table for table in fits if (table.database, table.schema) == (near.database, near.schema)] or fits
        told = plain(".".join(part.name for part in given if part is not None))
        if not fits:
            raise QueryRefused("tables", f"{told} is not a table that this query may read. Name tables of the catalog.")
        if len(fits) > 1:
            exact = [table for table in fits if table.name == node.name]
            if len(exact) != 1:
                raise QueryRefused("tables", f"{told} may mean several tables. Name it with its schema.")
            fits = exact
        return fits[0]

    def _same(self, part: exp.Expr, name: str) -> bool:
        if isinstance(part, exp.Identifier) and part.quoted and not self._folds_all:
            return part.name == name
        return part.name.casefold() == name.casefold()


def output_name(node: exp.Expr, at: int) -> str:
    """Return what a column of the answer is called that the query gives no name."""
    while isinstance(node, exp.Paren | exp.Cast):
        node = node.this
    if isinstance(node, exp.Column):
        return node.name
    if isinstance(node, exp.Window | exp.Filter | exp.WithinGroup):
        return output_name(node.this, at)
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower()
    if isinstance(node, exp.Func) and not isinstance(node, exp.Connector | exp.Case):
        return node.sql_name().lower()
    return f"_col_{at}"
