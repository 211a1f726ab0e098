"""Databricks (Unity Catalog), through databricks-sql-connector.

A Unity catalog is the database level. The older `hive_metastore` has no information_schema and is not read. The driver
brings its own HTTPS transport, which always checks the certificate against the host name; `ssl_mode` has no effect.
There is no read-only session: give the token's owner only the right to read.
"""

# ruff: noqa: S608 - names of catalogs are quoted identifiers; all values are bound

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from persistence.connectors.core.base import (
    ColumnInfo,
    ConnectorError,
    ConnectorSettings,
    Outbound,
    SchemaInfo,
    TableInfo,
)
from persistence.connectors.core.sql import among, not_permitted, unknown_database, with_columns
from persistence.connectors.dbapi.connector import Connect, DbApiConnector, Row, keys_of, quoted, whole
from persistence.connectors.dbapi.reading import DatabricksReading
from schema.assets.connection_configs.databases import DatabricksConfig, DatabricksCredentials

VERIFIED = "the driver's calls against a recorded stand-in; no Databricks workspace"

_OWN = ("system", "samples", "hive_metastore", "__databricks_internal")
_INFORMATION_SCHEMA = "information_schema"

_TABLE_TYPES = {
    "VIEW": "VIEW",
    "METRIC_VIEW": "VIEW",
    "MATERIALIZED_VIEW": "MATERIALIZED_VIEW",
    "EXTERNAL": "EXTERNAL",
    "FOREIGN": "EXTERNAL",
}
_TYPES = {
    "LONG": "BIGINT",
    "INT": "INTEGER",
    "SHORT": "SMALLINT",
    "BYTE": "TINYINT",
    "STRING": "VARCHAR",
    "DECIMAL": "NUMERIC",
    "FLOAT": "REAL",
    "TIMESTAMP": "TIMESTAMPTZ",
    "TIMESTAMP_NTZ": "TIMESTAMP",
    "VARIANT": "JSON",
}
_KEYS = {"PRIMARY KEY": "PRIMARY_KEY", "UNIQUE": "UNIQUE", "FOREIGN KEY": "FOREIGN_KEY"}


class DatabricksConnector(DbApiConnector[DatabricksConfig, DatabricksCredentials]):
    """Reads the catalogs of one Databricks workspace."""

    kind: ClassVar[str] = "databricks"
    config_model = DatabricksConfig
    credentials_model = DatabricksCredentials
    extra: ClassVar[str | None] = "databricks"
    default_port: ClassVar[int] = 443
    auth_types: ClassVar[tuple[str, ...]] = ("basic", "token")

    def __init__(
        self,
        config: DatabricksConfig,
        credentials: DatabricksCredentials,
        settings: ConnectorSettings,
        outbound: Outbound,
        *,
        connect: Connect | None = None,
    ) -> None:
        super().__init__(config, credentials, settings, outbound, connect=connect)
        token = credentials.token or credentials.password
        if not config.options.http_path:
            raise ConnectorError(
                "bad_config", "database_config.options.http_path: name the path of a SQL warehouse or cluster."
            )
        if token is None:
            raise ConnectorError("bad_config", "credentials.token: give a personal access token.")
        self._token = token

    def schemas(self) -> Sequence[SchemaInfo]:
        """The selected schemas of the selected catalogs; two statements for each catalog."""
        found = []
        for catalog in self._catalogs():
            source = f"{quoted(catalog, '`')}.information_schema"
            tables: dict[str, list[str]] = {}
            for schema, name in self.rows(f"select table_schema, table_name from {source}.tables"):
                if self.selection.has_table(catalog, schema, name):
                    tables.setdefault(schema, []).append(name)
            for schema, comment in self.rows(f"select schema_name, comment from {source}.schemata"):
                if schema != _INFORMATION_SCHEMA and self.selection.has_schema(catalog, schema):
                    names = tuple(sorted(tables.get(schema, ())))
                    found.append(SchemaInfo(catalog, schema, names, comment or None))
        return sorted(found, key=lambda s: (s.database, s.name))

    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named tables in four statements, sorted by name."""
        wanted = sorted({name for name in names if self.selection.has_table(database, schema, name)})
        if not wanted or schema == _INFORMATION_SCHEMA:
            return
        source = f"{quoted(database, '`')}.information_schema"
        condition, values = among("table_name", wanted, style=":{0}", limit=200)  # it binds at most 255 values
        values["schema"] = schema
        which = f"table_schema = :schema and {condition}"
        relations = {
            row[0]: row
            for row in self.rows(f"select table_name, table_type, comment from {source}.tables where {which}", values)
            if row[0] in wanted
        }
        views: dict[str, str] = dict(
            self.rows(f"select table_name, view_definition from {source}.views where {which}", values)
        )
        keys = keys_of([(r[0], _KEYS[r[1]], *r[2:]) for r in self._keys(source, condition, values) if r[1] in _KEYS])
        columns = self.rows(
            "select table_name, column_name, data_type, full_data_type, character_maximum_length, numeric_precision,"
            f" numeric_scale, is_nullable, column_default, comment, ordinal_position from {source}.columns"
            f" where {which}",
            values,
        )
        columns.sort(key=lambda row: (row[0], row[-1]))
        for name, rows in with_columns(sorted(relations), columns):
            _, table_type, comment = relations[name]
            yield TableInfo(
                name,
                _TABLE_TYPES.get(str(table_type).upper(), "TABLE"),
                tuple(_column(place, row) for place, row in enumerate(rows, 1)),
                keys.get(name, ()),
                comment or None,
                None,  # only a scan would tell
                views.get(name) or None,
            )

    def _keys(self, source: str, condition: str, values: dict[str, str]) -> list[Any]:
        return self.rows(
            "select k.table_name, c.constraint_type, k.constraint_name, k.column_name,"
            " t.table_schema, t.table_name, t.column_name"
            f" from {source}.key_column_usage k"
            f" join {source}.table_constraints c on c.constraint_schema = k.constraint_schema"
            " and c.constraint_name = k.constraint_name and c.table_name = k.table_name"
            f" left join {source}.referential_constraints r on r.constraint_schema = k.constraint_schema"
            " and r.constraint_name = k.constraint_name and c.constraint_type = 'FOREIGN KEY'"
            f" left join {source}.key_column_usage t on t.constraint_schema = r.unique_constraint_schema"
            " and t.constraint_name = r.unique_constraint_name"
            " and t.ordinal_position = k.position_in_unique_constraint"
            f" where k.table_schema = :schema and {condition.replace('table_name', 'k.table_name')}"
            " order by k.table_name, k.constraint_name, k.ordinal_position",
            values,
        )

    def _catalogs(self) -> list[str]:
        if self.config.database is not None:
            return [self.config.database] if self.selection.has_database(self.config.database) else []
        named = self.selection.databases()
        return named if named is not None else sorted(r[0] for r in self.rows("show catalogs") if r[0] not in _OWN)

    def reading(self) -> DatabricksReading:
        """The data of what is selected."""
        return DatabricksReading(self)

    def is_own(self, database: str, schema: str, table: str) -> bool:
        """Return what the product itself brings along."""
        return database in _OWN or schema == _INFORMATION_SCHEMA

    def _server_version(self) -> str:
        version = self.rows("select current_version().dbsql_version")[0][0]
        return f"Databricks SQL {version}" if version else "Databricks"

    def _driver_connect(self) -> Connect:
        connect: Connect = self.driver("databricks.sql", "databricks-sql-connector").connect
        return connect

    def _connect(self, connect: Connect, addresses: Sequence[str]) -> Any:
        seconds = max(1, int(self.seconds))
        return connect(
            server_hostname=self.config.host,
            _port=self.port,
            http_path=self.config.options.http_path,
            access_token=self._token.get_secret_value(),
            user_agent_entry="stoa",
            session_configuration={"STATEMENT_TIMEOUT": str(seconds)},
            use_cloud_fetch=False,  # large results would come from storage hosts that the policy never saw
            enable_telemetry=False,
            _socket_timeout=seconds + 5,
            _retry_stop_after_attempts_count=2,
            _retry_stop_after_attempts_duration=self.settings.connect_timeout,
        )

    def _failure(self, error: BaseException) -> ConnectorError:
        words = str(error)
        if "401" in words or "Invalid access token" in words:
            return ConnectorError("authentication", "Databricks refused the access token. Correct the credentials.")
        if "403" in words or "PERMISSION_DENIED" in words or "INSUFFICIENT_PERMISSIONS" in words:
            return not_permitted("use this warehouse or read this catalog")
        if "NO_SUCH_CATALOG" in words:
            return unknown_database(self.config.database or "")
        return self._general_failure(error)


def _column(place: int, row: Row) -> ColumnInfo:
    _, name, data_type, full, length, precision, scale, nullable, default, comment, _ = row
    kind = str(data_type).upper()
    return ColumnInfo(
        name=name,
        data_type=_TYPES.get(kind, kind),
        data_type_display=full or data_type,
        ordinal_position=place,
        nullable={"YES": True, "NO": False}.get(str(nullable).upper()),
        comment=comment or None,
        precision=whole(precision) if kind == "DECIMAL" else None,
        scale=whole(scale) if kind == "DECIMAL" else None,
        data_length=whole(length) or None,
        default=default or None,
    )
