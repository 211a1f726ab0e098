"""What the tests of profiling share: facts of a table as its connector tells them, without a catalog in between."""

from datetime import UTC, datetime

from persistence.connectors.core.base import Connector, TableInfo
from resolvers.engines.profiling import Header
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.identifiers import Fqn

SERVICE = "svc"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HEADER = Header("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002", NOW)


def facts_from(connector: Connector, database: str, schema: str, *names: str) -> dict[str, TableFacts]:
    """The facts of tables by name, as ingestion would take them into the catalog."""
    return {info.name: facts_of_info(database, schema, info) for info in connector.tables(database, schema, names)}


def facts_of_info(database: str, schema: str, info: TableInfo) -> TableFacts:
    """The facts of one table."""
    path = (SERVICE, database, schema, info.name)
    keys = tuple(
        {
            "type": key.kind,
            "columns": list(key.columns),
            "target_schema": key.target_schema,
            "target_table": key.target_table,
            "target_columns": list(key.target_columns),
        }
        for key in info.keys
    )
    columns = tuple(
        ColumnFacts(
            fqn=str(Fqn.of(*path, column.name)),
            name=column.name,
            ordinal_position=column.ordinal_position,
            data_type=column.data_type,
            nullable=column.nullable,
            is_primary_key=any(key.kind == "PRIMARY_KEY" and column.name in key.columns for key in info.keys),
            is_unique=any(key.kind == "UNIQUE" and column.name in key.columns for key in info.keys),
        )
        for column in info.columns
    )
    return TableFacts(
        fqn=str(Fqn.of(*path)),
        resource_uri="data:acme:shop:svc",
        database=database,
        schema=schema,
        name=info.name,
        columns=columns,
        table_type=info.table_type,
        row_count=info.row_count,
        keys=keys,
    )
