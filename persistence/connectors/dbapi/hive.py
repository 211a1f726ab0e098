"""Apache Hive (HiveServer2) and what speaks its protocol, through impyla.

Hive has one catalog: the database level is `database` of the config, or `default`; Hive's databases are the schemas.
The catalog is read by metadata calls alone. Hive has no read-only session: give the user only the right to read. It
keeps no usable keys.
"""

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from persistence.connectors.core.base import (
    ColumnInfo,
    ConnectorError,
    SchemaInfo,
    TableInfo,
)
from persistence.connectors.core.sql import not_permitted, tls_context, with_columns, wrong_password
from persistence.connectors.dbapi.connector import Connect, DbApiConnector, Row, whole
from persistence.connectors.dbapi.reading import HiveReading
from schema.assets.connection_configs.databases import BasicCredentials, HiveConfig

VERIFIED = "the driver against Spark 4.1's HiveServer2 (by hand), its calls against a recorded stand-in; no Hive itself"

_SYSTEM = ("sys", "information_schema")
_TABLE_TYPES = {"VIEW": "VIEW", "VIRTUAL_VIEW": "VIEW", "MATERIALIZED_VIEW": "MATERIALIZED_VIEW"}
_TYPES = {
    "INT": "INTEGER",
    "STRING": "VARCHAR",
    "DECIMAL": "NUMERIC",
    "FLOAT": "REAL",
    "TIMESTAMPLOCALTZ": "TIMESTAMPTZ",
    "TIMESTAMP WITH LOCAL TIME ZONE": "TIMESTAMPTZ",
    "UNIONTYPE": "UNION",
}


class HiveConnector(DbApiConnector[HiveConfig, BasicCredentials]):
    """Reads the databases of one HiveServer2."""

    kind: ClassVar[str] = "hive"
    config_model = HiveConfig
    credentials_model = BasicCredentials
    extra: ClassVar[str | None] = "hive"
    default_port: ClassVar[int] = 10000

    def schemas(self) -> Sequence[SchemaInfo]:
        """The selected databases of the server; two calls."""
        tables: dict[str, list[str]] = {}
        for row in self._call("get_tables", ".*"):
            _, schema, name, *_ = row
            if self.selection.has_table(self.level, schema, name):
                tables.setdefault(schema, []).append(name)
        return [
            SchemaInfo(self.level, schema, tuple(sorted(tables.get(schema, ()))))
            for schema in sorted({row[0] for row in self._call("get_databases")})
            if schema not in _SYSTEM and self.selection.has_schema(self.level, schema)
        ]

    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named tables in two calls, sorted by name."""
        wanted = {name for name in names if self.selection.has_table(database, schema, name)}
        if database != self.level or not wanted:
            return
        # Both calls take patterns; what else they find is passed over.
        relations = {r[2]: r for r in self._call("get_tables", schema) if r[1] == schema and r[2] in wanted}
        columns = [row[2:] for row in self._call("get_table_schema", ".*", schema) if row[1] == schema]
        columns.sort(key=lambda row: (row[0], row[14]))
        for name, rows in with_columns(sorted(relations), columns):
            _, _, _, table_type, remarks, *_ = relations[name]
            yield TableInfo(
                name,
                _TABLE_TYPES.get(str(table_type).upper(), "TABLE"),
                tuple(_column(place, row) for place, row in enumerate(rows, 1)),
                comment=remarks or None,
            )

    def _call(self, name: str, *patterns: str) -> list[Row]:
        """One metadata call of the session. The cursor's own wrappers of these calls read one table at a time."""
        connection = self.connected()

        def ask() -> list[Row]:
            cursor = connection.cursor()
            try:

                def start() -> None:
                    cursor._last_operation_string = name
                    cursor._last_operation = getattr(cursor.session, name)(*patterns)

                cursor._execute_async(start)
                cursor._wait_to_finish()
                return [tuple(row) for row in cursor.fetchall()]
            finally:
                cursor.close()

        return self.guarded(ask)

    def reading(self) -> HiveReading:
        """The data of what is selected."""
        return HiveReading(self)

    @property
    def level(self) -> str:
        """Hive has one catalog."""
        return self.config.database or "default"

    def is_own(self, database: str, schema: str, table: str) -> bool:
        """Return what the product itself brings along."""
        return schema in _SYSTEM

    def _server_version(self) -> str:
        self.connected()
        return "HiveServer2"

    def _driver_connect(self) -> Connect:
        connect: Connect = self.driver("impala.dbapi", "impyla").connect
        return connect

    def _connect(self, connect: Connect, addresses: Sequence[str]) -> Any:
        config, options = self.config, self.config.options
        checked = config.ssl_mode.startswith("verify")
        authorities: Path | None = None
        try:
            if checked:
                tls_context(config, options.ssl_ca)
                authorities = _authorities(options.ssl_ca)
            return connect(
                host=config.host if checked else addresses[0],
                port=self.port,
                timeout=max(1, int(self.seconds)),
                use_ssl=config.ssl_mode != "disable",
                ca_cert=None if authorities is None else str(authorities),
                auth_mechanism=options.auth_mechanism,
                user=self._credentials.username,
                password=self._credentials.password.get_secret_value(),
                retries=1,
            )
        finally:
            if authorities is not None:
                authorities.unlink(missing_ok=True)

    def _failure(self, error: BaseException) -> ConnectorError:
        words = str(error)
        if "TSaslClientTransport" in words or "Error validating the login" in words or "Bad status: 3" in words:
            return wrong_password(self._credentials.username)
        if "HiveAccessControlException" in words or "Permission denied" in words:
            return not_permitted("read the catalog")
        if "Could not connect to" in words:
            return ConnectorError(
                "unreachable",
                f"No HiveServer2 could be reached at {self.config.host}:{self.port}. Check the host, the port and "
                "ssl_mode.",
            )
        return self._general_failure(error)


def _authorities(pem: str | None) -> Path:
    import certifi

    handle, name = tempfile.mkstemp(prefix="stoa-ca-", suffix=".pem")
    with os.fdopen(handle, "w") as file:
        file.write(pem or certifi.contents())
    return Path(name)


def _column(place: int, row: Row) -> ColumnInfo:
    _, name, _, type_name, size, _, digits, _, nullable, remarks, default, *_ = row
    display = str(type_name).lower()
    kind = re.split(r"[(<]", str(type_name).upper())[0].strip()
    sized = re.search(r"\((\d+)(?:,\s*(\d+))?\)", display)
    decimal = kind == "DECIMAL"
    return ColumnInfo(
        name=name,
        data_type=_TYPES.get(kind, kind),
        data_type_display=display,
        ordinal_position=place,
        nullable=bool(nullable),
        comment=remarks or None,
        precision=(int(sized[1]) if sized else whole(size)) if decimal else None,
        scale=(int(sized[2] or 0) if sized else whole(digits)) if decimal else None,
        data_length=int(sized[1]) if sized and kind in ("VARCHAR", "CHAR") else None,
        default=default or None,
    )
