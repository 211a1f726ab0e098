"""Amazon Redshift, through psycopg: it speaks PostgreSQL's protocol and keeps a catalog of its own.

Redshift knows no array parameters and few of PostgreSQL's newer functions, so the statements here use `svv_tables`,
`svv_columns` (which also have external tables and late-binding views) and what it kept of pg_catalog.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, LiteralString

import psycopg

from persistence.connectors.core.base import ColumnInfo, ConnectorError, KeyInfo, SchemaInfo, TableInfo
from persistence.connectors.core.sql import among, with_columns
from persistence.connectors.postgres import catalog
from persistence.connectors.postgres.connector import PostgresConnector
from persistence.connectors.postgres.reading import RedshiftReading

VERIFIED = "the wire only: PostgreSQL 15 with stand-ins for the svv_ views; no Redshift cluster"

_SCHEMAS: LiteralString = (
    "select nspname, obj_description(oid, 'pg_namespace') from pg_namespace"
    " where nspname !~ '^pg_' and nspname not in ('information_schema', 'catalog_history')"
)

# A materialized view keeps its rows in a table of this odd name.
_NAMES: LiteralString = (
    "select table_schema, table_name from svv_tables where table_schema !~ '^pg_'"
    " and table_schema not in ('information_schema', 'catalog_history') and substring(table_name, 1, 8) <> 'mv_tbl__'"
)

_TABLES = (
    "select t.table_name, t.table_type, t.remarks, m.name is not null, pg_get_viewdef(c.oid, true)"
    " from svv_tables t"
    " left join svv_mv_info m on trim(m.schema_name) = t.table_schema and trim(m.name) = t.table_name"
    " left join pg_namespace n on n.nspname = t.table_schema"
    " left join pg_class c on c.relnamespace = n.oid and c.relname = t.table_name and c.relkind = 'v'"
    " where t.table_schema = %(schema)s and {names}"
)

_ROW_COUNTS = 'select "table", tbl_rows from svv_table_info where "schema" = %(schema)s'

_COLUMNS = (
    "select table_name, column_name, data_type, character_maximum_length, numeric_precision, numeric_scale,"
    " is_nullable, column_default, remarks from svv_columns"
    " where table_schema = %(schema)s and {names} order by table_name, ordinal_position"
)

# One row for each pair of a column and a target column; the arrays say which belong together.
_KEYS = (
    "select c.relname, k.contype, k.conname, array_to_string(k.conkey, ' '), a.attnum, a.attname,"
    " tn.nspname, tc.relname, array_to_string(k.confkey, ' '), ta.attnum, ta.attname"
    " from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace"
    " join pg_attribute a on a.attrelid = c.oid and a.attnum = any (k.conkey)"
    " left join pg_class tc on tc.oid = k.confrelid left join pg_namespace tn on tn.oid = tc.relnamespace"
    " left join pg_attribute ta on ta.attrelid = tc.oid and ta.attnum = any (k.confkey)"
    " where n.nspname = %(schema)s and {names} and k.contype in ('p', 'u', 'f')"
    " order by c.relname, case k.contype when 'p' then 0 when 'u' then 1 else 2 end, k.conname"
)

_TYPES = {
    "smallint": "SMALLINT",
    "integer": "INTEGER",
    "bigint": "BIGINT",
    "real": "REAL",
    "double precision": "DOUBLE",
    "boolean": "BOOLEAN",
    "character": "CHAR",
    "character varying": "VARCHAR",
    "timestamp without time zone": "TIMESTAMP",
    "timestamp with time zone": "TIMESTAMPTZ",
    "time without time zone": "TIME",
    "time with time zone": "TIMETZ",
    "binary varying": "BINARY",
    "varbyte": "BINARY",
    "super": "JSON",
}
_SIZED = ("numeric", "decimal")
_MATERIALIZED = "MATERIALIZED_VIEW"


class RedshiftConnector(PostgresConnector):
    """Reads one database of a Redshift cluster or workgroup."""

    kind: ClassVar[str] = "redshift"
    default_port: ClassVar[int] = 5439
    product: ClassVar[str] = "Redshift"

    def schemas(self) -> Sequence[SchemaInfo]:
        """The selected schemas with their tables and views; two statements."""
        database = self.config.database
        tables: dict[str, list[str]] = {}
        for schema, name in self._rows(_NAMES, {}):
            if self.selection.has_table(database, schema, name):
                tables.setdefault(schema, []).append(name)
        return sorted(
            (
                SchemaInfo(database, schema, tuple(sorted(tables.get(schema, ()))), comment)
                for schema, comment in self._rows(_SCHEMAS, {})
                if self.selection.has_schema(database, schema)
            ),
            key=lambda found: found.name,
        )

    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named tables in four statements, sorted by name."""
        wanted = sorted({name for name in names if self.selection.has_table(database, schema, name)})
        if database != self.config.database or not wanted:
            return
        relations = {row[0]: row for row in self._of(_TABLES, "t.table_name", schema, wanted) if row[0] in wanted}
        keys = catalog.keys_by_table(_paired(self._of(_KEYS, "c.relname", schema, wanted)))
        counts = self._row_counts(schema)
        columns = self._of(_COLUMNS, "table_name", schema, wanted)
        for name, rows in with_columns(sorted(relations), sorted(columns, key=lambda row: str(row[0]))):
            yield self._table(relations[name], rows, keys.get(name, ()), counts.get(name))

    @staticmethod
    def _table(
        relation: Sequence[Any], columns: Sequence[Sequence[Any]], keys: Sequence[KeyInfo], rows: int | None
    ) -> TableInfo:
        name, table_type, remarks, materialized, definition = relation
        kind = "EXTERNAL" if "EXTERNAL" in table_type else "VIEW" if table_type == "VIEW" else "TABLE"
        return TableInfo(
            name,
            _MATERIALIZED if materialized else kind,
            tuple(_column(place, row) for place, row in enumerate(columns, 1)),
            tuple(keys),
            remarks or None,
            None if rows is None else int(rows),
            definition.strip() if definition else None,
        )

    def reading(self) -> RedshiftReading:
        """The data of the database."""
        return RedshiftReading(self)

    def _row_counts(self, schema: str) -> dict[str, int]:
        try:
            return {name: rows for name, rows in self._rows(_ROW_COUNTS, {"schema": schema})}
        except ConnectorError as error:
            if error.kind != "permission":  # only its owner and superusers may see a table's size
                raise
            return {}

    def _of(self, statement: str, column: str, schema: str, names: Sequence[str]) -> list[tuple[Any, ...]]:
        condition, values = among(column, names)
        # The condition holds placeholders only; `names` travel as values.
        return self._rows(statement.format(names=condition), {"schema": schema, **values})

    def _rows(self, statement: LiteralString, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        connection = self.connected()

        def ask() -> list[tuple[Any, ...]]:
            with connection.transaction():  # begins read only: see _prepare
                return connection.execute(statement, values).fetchall()

        return self.guarded(ask)

    def _prepare(self, connection: psycopg.Connection[Any]) -> None:
        connection.read_only = True
        milliseconds = int(self.seconds * 1000)
        connection.execute(f"set statement_timeout to {milliseconds}".encode())

    def _server_version(self) -> str:
        ((version,),) = self._rows("select version()", {})
        _, _, number = str(version).rpartition("Redshift ")
        return f"Redshift {number}" if number != version else f"Redshift ({self.safe(version)})"

    def _explain_nothing_found(self, missing: Sequence[str]) -> None:
        # Redshift's views hide what the user may not see, so there is nothing to count.
        super(PostgresConnector, self)._explain_nothing_found(missing)


def _paired(rows: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Rows of _KEYS folded into rows as `postgres_catalog.keys_by_table` takes them, in their order."""
    folded: dict[tuple[Any, ...], tuple[dict[str, str], dict[str, str]]] = {}
    for relation, kind, name, order, number, column, schema, target, target_order, target_number, target_column in rows:
        columns, targets = folded.setdefault(
            (relation, kind, name, order, schema, target, target_order or ""), ({}, {})
        )
        columns[str(number)] = column
        targets[str(target_number)] = target_column
    for (relation, kind, name, order, schema, target, target_order), (columns, targets) in folded.items():
        yield (
            relation,
            kind if isinstance(kind, str) else kind.decode(),
            name,
            [columns[number] for number in order.split()],
            schema,
            target,
            [targets[number] for number in target_order.split()],
        )


def _column(place: int, row: Sequence[Any]) -> ColumnInfo:
    _, name, data_type, length, precision, scale, nullable, default, remarks = row
    sized = data_type.lower() in _SIZED
    display = data_type
    if sized and precision is not None:
        display = f"{data_type}({precision},{scale or 0})"
    elif length is not None and data_type.lower().startswith(("character", "char", "varchar")):
        display = f"{data_type}({length})"
    return ColumnInfo(
        name=name,
        data_type=_TYPES.get(data_type.lower(), "NUMERIC" if sized else data_type.upper()),
        data_type_display=display,
        ordinal_position=place,
        nullable={"YES": True, "NO": False}.get(str(nullable).upper()),
        comment=remarks or None,
        precision=precision if sized else None,
        scale=scale if sized else None,
        data_length=length,
        default=default,
    )
