"""From a text to what is kept of it: its edges between tables of the catalog, or the gaps that it leaves."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from persistence.queries.lineage import CatalogTable, KeptEdge, ToldStatement
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.data_readiness.rule_checks import DIALECTS
from resolvers.engines.lineage import StatementLineage, lineage_of
from resolvers.engines.sql_guard.tables import Table
from schema.identifiers import Fqn
from schema.utils.lineage import LineageSource

Gap = tuple[str, str]

_KEEPS_KEYS: Final = frozenset({"postgres", "mysql", "tsql", "oracle", "db2", "duckdb"})
"""The dialects of sources in which a primary key holds: no two rows have the same, and none is null."""
MOST_GAPS: Final = 20
"""Gaps that are kept of one statement."""


@dataclass(slots=True)
class LineageCatalog:
    """The tables that statements may speak of."""

    known: dict[str, CatalogTable]
    tables: tuple[Table, ...] = ()
    _named: dict[tuple[str, ...], list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Iterable[CatalogTable], dialect: str) -> "LineageCatalog":
        """A catalog of some tables. Of keys that their source merely declares, and does not keep, nothing follows."""
        known = {one.fqn: one for one in found}
        made = cls(known)
        tables: list[Table] = []
        for fqn, one in known.items():
            _, database, schema, name = Fqn.parse(fqn).parts
            key = one.key if dialect in _KEEPS_KEYS else None
            tables.append(Table(fqn, database, schema, name, one.columns, key=key))
            parts = (database.casefold(), schema.casefold(), name.casefold())
            for length in (1, 2, 3):
                made._named.setdefault(parts[-length:], []).append(fqn)
        made.tables = tuple(tables)
        return made

    def find(self, parts: Sequence[str], near: str | None = None) -> str | None:
        """The FQN of the one table that a name of one to three parts means; None for none, or for several."""
        found = self._named.get(tuple(part.casefold() for part in parts[-3:]), [])
        if len(found) > 1 and near is not None:
            place = Fqn.parse(near).parts[:3]
            found = [fqn for fqn in found if Fqn.parse(fqn).parts[:3] == place] or found
        return found[0] if len(found) == 1 else None

    def column(self, fqn: str, name: str) -> str:
        """A column as the catalog spells it; as it is given where the catalog has none like it."""
        columns = self.known[fqn].columns
        if name in columns:
            return name
        return next((one for one in columns if one.casefold() == name.casefold()), name)

    def table(self, fqn: str) -> Table:
        """A table as the engine takes it."""
        _, database, schema, name = Fqn.parse(fqn).parts
        return Table(fqn, database, schema, name, self.known[fqn].columns)


def dialect_of(uow: UnitOfWork, scope: Scope, resource_uri: str) -> str:
    """The dialect that a connection is written to in; DuckDB's for files and for what is no connection."""
    connection = uow.data_connections.find(Scope(scope.organization_id), resource_uri)
    return DIALECTS.get(connection.connection_type, "duckdb") if connection is not None else "duckdb"


def told_of(
    text: str,
    catalog: LineageCatalog,
    *,
    source: LineageSource,
    key: str | None,
    resource_uri: str,
    dialect: str,
    target: str | None = None,
    near: str | None = None,
    by_name: bool = False,
) -> ToldStatement:
    """Return what a text tells: of the table with this FQN, or of the one that it names itself.

    The columns of a query fill those of the target in their order; with `by_name`, those of the same names.
    """
    place = target or near
    hint = catalog.known.get(target) if target is not None else None
    found = lineage_of(
        text,
        dialect=dialect,
        tables=catalog.tables,
        near=catalog.table(place) if place is not None and place in catalog.known else None,
        target_columns=hint.columns if hint is not None and not by_name else (),
    )
    if found.gaps and target is None:
        found = _again(text, catalog, dialect, found)
    fills = target
    gaps: list[Gap] = [(gap.name, gap.reason) for gap in found.gaps]
    if fills is None and found.target:
        fills = catalog.find(found.target)
        if fills is None:
            gaps.append(("target", f"{'.'.join(found.target)[:200]} is not one table of the catalog."))
    if by_name and fills is not None and not gaps:
        gaps += _unknown_columns(found, fills, catalog)
    if fills is None and not gaps:
        gaps.append(("target", "The statement fills no table. Say with target_fqn which one its answer is put into."))
    edges = () if gaps or fills is None else kept_edges(found, fills, catalog)
    return ToldStatement(
        source, key or fills or text[:1000], resource_uri, fills, text, dialect, tuple(gaps[:MOST_GAPS]), edges
    )


def _unknown_columns(found: StatementLineage, fills: str, catalog: LineageCatalog) -> list[Gap]:
    """The gap of a query whose columns the table that it fills does not have, as far as the catalog knows."""
    known = {column.casefold() for column in catalog.known[fills].columns}
    unknown = [column for column in found.columns if column.casefold() not in known]
    if not unknown:
        return []
    names = ", ".join(column[:100] for column in unknown[:10])
    return [("columns", f"The catalog does not have these columns of {fills[:200]}: {names}. Ingest it again.")]


def _again(text: str, catalog: LineageCatalog, dialect: str, found: StatementLineage) -> StatementLineage:
    """Read an insert without named columns once more, with those of its target, which are known only now."""
    target = catalog.find(found.target) if found.target else None
    if target is None or found.gaps[0].name != "target":
        return found
    columns = catalog.known[target].columns
    return lineage_of(text, dialect=dialect, tables=catalog.tables, target_columns=columns)


def kept_edges(found: StatementLineage, fills: str, catalog: LineageCatalog) -> tuple[KeptEdge, ...]:
    """The edges of a statement that fills a table of the catalog."""
    made = {
        KeptEdge(
            edge.from_table,
            edge.from_column,
            fills,
            catalog.column(fills, edge.to_column) if edge.to_column else "",
            edge.subtype,
        )
        for edge in found.edges
    }
    return tuple(sorted(made))


def view_statements(catalog: LineageCatalog, resource_uri: str, dialect: str) -> list[ToldStatement]:
    """Return what the views of a connection tell, one statement for each whose text is known."""
    made: list[ToldStatement] = []
    for fqn, table in catalog.known.items():
        if table.resource_uri == resource_uri and table.is_view and table.definition and table.definition.strip():
            text = table.definition.strip().rstrip(";")
            told = told_of(
                text,
                catalog,
                source=LineageSource.VIEW,
                key=fqn,
                resource_uri=resource_uri,
                dialect=dialect,
                target=fqn,
            )
            made.append(told)
    return made
