"""Snowflake, through snowflake-connector-python.

The driver brings its own HTTPS transport, which always checks the certificate against the host name; so `ssl_mode`
has no effect, and a name that is pointed elsewhere after the policy looked at it cannot present the certificate. The
session cannot be made read-only in Snowflake: give the user a role that may only read.
"""

# ruff: noqa: S608 - names of databases and schemas are quoted identifiers; all values are bound

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from pydantic import SecretStr

from persistence.connectors.core.base import (
    ColumnInfo,
    ConnectorError,
    KeyInfo,
    SchemaInfo,
    TableInfo,
)
from persistence.connectors.core.sql import among, not_permitted, unknown_database, with_columns, wrong_password
from persistence.connectors.dbapi.connector import Connect, DbApiConnector, Row, keys_of, quoted, whole
from persistence.connectors.dbapi.reading import SnowflakeReading
from schema.assets.connection_configs.databases import SnowflakeConfig, SnowflakeCredentials

VERIFIED = "the driver against fakesnow's server; no Snowflake account"

_SUFFIXES = (".snowflakecomputing.com", ".snowflakecomputing.cn")
_OWN = ("SNOWFLAKE", "SNOWFLAKE_SAMPLE_DATA")
_INFORMATION_SCHEMA = "INFORMATION_SCHEMA"

_TABLE_TYPES = {"VIEW": "VIEW", "MATERIALIZED VIEW": "MATERIALIZED_VIEW", "EXTERNAL TABLE": "EXTERNAL"}
_TYPES = {
    "NUMBER": "NUMERIC",
    "DECIMAL": "NUMERIC",
    "FLOAT": "DOUBLE",
    "TEXT": "VARCHAR",
    "TIMESTAMP_NTZ": "TIMESTAMP",
    "TIMESTAMP_LTZ": "TIMESTAMPTZ",
    "TIMESTAMP_TZ": "TIMESTAMPTZ",
    "VARIANT": "JSON",
    "OBJECT": "STRUCT",
}


class SnowflakeConnector(DbApiConnector[SnowflakeConfig, SnowflakeCredentials]):
    """Reads the databases of one Snowflake account."""

    kind: ClassVar[str] = "snowflake"
    config_model = SnowflakeConfig
    credentials_model = SnowflakeCredentials
    extra: ClassVar[str | None] = "snowflake"
    default_port: ClassVar[int] = 443
    auth_types: ClassVar[tuple[str, ...]] = ("basic", "key_pair")

    def schemas(self) -> Sequence[SchemaInfo]:
        """The selected schemas of the selected databases; two statements for each database."""
        found = []
        for database in self._databases():
            catalog = f"{quoted(database)}.information_schema"
            tables: dict[str, list[str]] = {}
            for schema, name in self.rows(f"select table_schema, table_name from {catalog}.tables"):
                if self.selection.has_table(database, schema, name):
                    tables.setdefault(schema, []).append(name)
            for schema, comment in self.rows(f"select schema_name, comment from {catalog}.schemata"):
                if schema.upper() != _INFORMATION_SCHEMA and self.selection.has_schema(database, schema):
                    names = tuple(sorted(tables.get(schema, ())))
                    found.append(SchemaInfo(database, schema, names, comment or None))
        return sorted(found, key=lambda s: (s.database, s.name))

    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named tables in six statements, sorted by name."""
        wanted = sorted({name for name in names if self.selection.has_table(database, schema, name)})
        if not wanted or schema.upper() == _INFORMATION_SCHEMA:
            return
        catalog = f"{quoted(database)}.information_schema"
        condition, values = among("table_name", wanted)
        values["schema"] = schema
        which = f"table_schema = %(schema)s and {condition}"
        relations = {
            row[0]: row
            for row in self.rows(
                f"select table_name, table_type, row_count, comment from {catalog}.tables where {which}", values
            )
            if row[0] in wanted
        }
        views: dict[str, str] = dict(
            self.rows(f"select table_name, view_definition from {catalog}.views where {which}", values)
        )
        keys = self._keys(database, schema)
        columns = self.rows(
            "select table_name, column_name, data_type, character_maximum_length, numeric_precision, numeric_scale,"
            " is_nullable, column_default, comment, ordinal_position"
            f" from {catalog}.columns where {which}",
            values,
        )
        columns.sort(key=lambda row: (row[0], row[-1]))
        for name, rows in with_columns(sorted(relations), columns):
            _, table_type, row_count, comment = relations[name]
            yield TableInfo(
                name,
                _TABLE_TYPES.get(str(table_type).upper(), "TABLE"),
                tuple(_column(place, row) for place, row in enumerate(rows, 1)),
                keys.get(name, ()),
                comment or None,
                whole(row_count),
                views.get(name) or None,
            )

    def _databases(self) -> list[str]:
        if self.config.database is not None:
            return [self.config.database] if self.selection.has_database(self.config.database) else []
        named = self.selection.databases()
        if named is not None:
            return named
        shown = self._named_rows("show terse databases")
        return sorted(row["name"] for row in shown if row["name"] not in _OWN)

    def _keys(self, database: str, schema: str) -> dict[str, tuple[KeyInfo, ...]]:
        where = f"in schema {quoted(database)}.{quoted(schema)}"
        rows: list[Any] = []
        for command, kind in (("primary", "PRIMARY_KEY"), ("unique", "UNIQUE")):
            found = self._named_rows(f"show {command} keys {where}")
            found.sort(key=lambda r: (r["table_name"], r["constraint_name"], r["key_sequence"]))
            rows += [(r["table_name"], kind, r["constraint_name"], r["column_name"], None, None, None) for r in found]
        imported = self._named_rows(f"show imported keys {where}")
        imported.sort(key=lambda r: (r["fk_table_name"], r["fk_name"], r["key_sequence"]))
        rows += [
            (
                r["fk_table_name"],
                "FOREIGN_KEY",
                r["fk_name"],
                r["fk_column_name"],
                r["pk_schema_name"],
                r["pk_table_name"],
                r["pk_column_name"],
            )
            for r in imported
            if r["fk_schema_name"] == schema
        ]
        return keys_of(rows)

    def reading(self) -> SnowflakeReading:
        """The data of what is selected."""
        return SnowflakeReading(self)

    def is_own(self, database: str, schema: str, table: str) -> bool:
        """Return what the product itself brings along."""
        return database in _OWN or schema.upper() == _INFORMATION_SCHEMA

    def _server_version(self) -> str:
        return f"Snowflake {self.rows('select current_version()')[0][0]}"

    def _driver_connect(self) -> Connect:
        connect: Connect = self.driver("snowflake.connector", "snowflake-connector-python").connect
        return connect

    def _connect(self, connect: Connect, addresses: Sequence[str]) -> Any:
        options, seconds = self.config.options, int(self.seconds)
        host = self.config.host.lower()
        account = options.account
        if account is None:
            account = next((host.removesuffix(end) for end in _SUFFIXES if host.endswith(end)), host.partition(".")[0])
        return connect(
            account=account,
            host=self.config.host,
            port=self.port,
            user=self._credentials.username,
            **self._proof(),
            database=self.config.database,
            warehouse=options.warehouse,
            role=options.role,
            login_timeout=max(1, int(self.settings.connect_timeout)),
            network_timeout=seconds + 5,
            application="stoa",
            session_parameters={
                "STATEMENT_TIMEOUT_IN_SECONDS": max(1, seconds),
                "LOCK_TIMEOUT": 10,
                "QUERY_TAG": "stoa",
                "TIMEZONE": "UTC",
            },
        )

    def _proof(self) -> Mapping[str, Any]:
        if self.config.auth_type == "basic":
            return {"password": self._credentials.password.get_secret_value()}
        key = self._credentials.private_key
        if key is None:
            raise ConnectorError("bad_config", "credentials.private_key: auth_type key_pair needs a key in PEM form.")
        return {"private_key": self._der(key)}

    def _der(self, key: SecretStr) -> bytes:
        from cryptography.hazmat.primitives import serialization

        phrase = self._credentials.private_key_passphrase
        try:
            private = serialization.load_pem_private_key(
                key.get_secret_value().encode(), phrase.get_secret_value().encode() if phrase else None
            )
        except (ValueError, TypeError):
            private = None
        if private is None:
            raise ConnectorError(
                "bad_config", "credentials.private_key cannot be read: it must be PEM, and the passphrase must fit."
            )
        return private.private_bytes(
            serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    def _failure(self, error: BaseException) -> ConnectorError:
        number = getattr(error, "errno", None)
        refused = number in (250001, 390100, 394300) and "password" in str(error).lower()
        if refused or number == 390144:
            return wrong_password(self._credentials.username)
        if number in (2043, 2003) and "database" in str(error).lower():
            return unknown_database(self.config.database or "")
        if number in (3001, 3003):
            return not_permitted("read the catalog with this role")
        if number in (604, 630):
            return ConnectorError("timeout", f"Snowflake stopped a statement after {self.seconds:g} seconds.")
        if number == 606:
            return ConnectorError("bad_config", "No warehouse is selected. Name one in options.warehouse.")
        return self._general_failure(error)


def _column(place: int, row: Row) -> ColumnInfo:
    _, name, data_type, length, precision, scale, nullable, default, comment, _ = row
    kind = str(data_type).upper()
    number = kind in ("NUMBER", "DECIMAL")
    display = kind
    if number and precision is not None:
        display = f"{kind}({precision},{scale or 0})"
    elif kind == "TEXT" and length is not None:
        display = f"VARCHAR({length})"
    return ColumnInfo(
        name=name,
        data_type=_TYPES.get(kind, kind),
        data_type_display=display,
        ordinal_position=place,
        nullable={"YES": True, "NO": False}.get(str(nullable).upper()),
        comment=comment or None,
        precision=whole(precision) if number else None,
        scale=whole(scale) if number else None,
        data_length=whole(length),
        default=default or None,
    )
