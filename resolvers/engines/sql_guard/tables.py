"""The tables that a query may read, as the guard takes them."""

from collections.abc import Iterable
from dataclasses import dataclass

from schema.data_readiness.source import ColumnFacts, TableFacts

_PERSONAL = "PII"


@dataclass(frozen=True, slots=True)
class Table:
    """A table that a query may read, with the columns of it that it may name."""

    fqn: str
    database: str
    schema: str
    name: str
    columns: tuple[str, ...]
    types: tuple[str | None, ...] = ()
    """The neutral type of each column, in their order; empty when nothing is known of them."""
    column_tags: tuple[tuple[str, ...], ...] = ()
    """The FQNs of the tags of each column, in their order; empty when there are none."""
    tags: tuple[str, ...] = ()
    """The FQNs of the tags of the table itself."""
    key: str | None = None
    """The column that is the whole primary key; None when there is none, or more than one."""

    def type_of(self, column: str) -> str | None:
        """The neutral type of a column, when it is known."""
        return self.types[self.columns.index(column)] if self.types else None


def tables_of_catalog(facts: Iterable[TableFacts]) -> list[Table]:
    """The tables of the catalog, as the guard takes them."""
    return [_table(one) for one in facts]


def _table(facts: TableFacts) -> Table:
    keys = facts.primary_key
    return Table(
        facts.fqn,
        facts.database,
        facts.schema,
        facts.name,
        tuple(column.name for column in facts.columns),
        tuple(column.data_type for column in facts.columns),
        tuple(_tags(column) for column in facts.columns),
        _tags(facts),
        keys[0] if len(keys) == 1 else None,
    )


def _tags(one: TableFacts | ColumnFacts) -> tuple[str, ...]:
    """Return what is flagged as personal bears the tag, so that a policy on `PII.*` meets it."""
    return (*one.tags, _PERSONAL) if one.is_pii_tagged and _PERSONAL not in one.tags else one.tags
