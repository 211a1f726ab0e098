"""Oracle Database 12.2 and later, through python-oracledb in its thin mode (no Oracle client is needed).

`database` is the service name and the name of the database level; a schema is an Oracle user. The connection goes to
the vetted address; only the two modes that check the certificate's name or chain connect by host name, where a server
that has been swapped cannot present the certificate. Every statement runs in a read-only transaction.
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from persistence.connectors.core.base import (
    ColumnInfo,
    ConnectorError,
    SchemaInfo,
    TableInfo,
)
from persistence.connectors.core.sql import (
    among,
    bad_certificate,
    no_answer,
    not_listening,
    not_permitted,
    statement_timed_out,
    tls_context,
    unknown_database,
    with_columns,
    wrong_password,
)
from persistence.connectors.dbapi.connector import Connect, DbApiConnector, Row, keys_of, whole
from persistence.connectors.dbapi.reading import OracleReading
from schema.assets.connection_configs.databases import BasicCredentials, OracleConfig

VERIFIED = "the driver's calls against a recorded stand-in, its network failures for real; no Oracle server"

_SCHEMAS = "select username from all_users where oracle_maintained = 'N'"

_NAMES = (
    "select owner, table_name from all_tables where nested = 'NO' and secondary = 'N' and table_name not like 'BIN$%'"
    " union select owner, view_name from all_views"
)

_TABLES = (
    "select n.name, case when m.mview_name is not null then 'MATERIALIZED_VIEW' when e.table_name is not null then"
    " 'EXTERNAL' else n.kind end, n.row_count, c.comments, n.definition from ("
    "select owner, table_name as name, 'TABLE' as kind, num_rows as row_count, null as definition from all_tables"
    " union all select owner, view_name, 'VIEW', null, text_vc from all_views) n"
    " left join all_mviews m on m.owner = n.owner and m.mview_name = n.name"
    " left join all_external_tables e on e.owner = n.owner and e.table_name = n.name"
    " left join all_tab_comments c on c.owner = n.owner and c.table_name = n.name"
    " where n.owner = :schema and {names}"
)

_COLUMNS = (
    "select t.table_name, t.column_name, t.data_type, t.data_type_owner, t.data_length, t.char_length,"
    " t.data_precision, t.data_scale, t.nullable, t.data_default, t.identity_column, c.comments, t.column_id"
    " from all_tab_columns t left join all_col_comments c"
    " on c.owner = t.owner and c.table_name = t.table_name and c.column_name = t.column_name"
    " where t.owner = :schema and {names}"
)

_KEYS = (
    "select k.table_name, k.constraint_type, k.constraint_name, kc.column_name, rc.owner, rc.table_name, rc.column_name"
    " from all_constraints k join all_cons_columns kc"
    " on kc.owner = k.owner and kc.constraint_name = k.constraint_name"
    " left join all_cons_columns rc"
    " on rc.owner = k.r_owner and rc.constraint_name = k.r_constraint_name and rc.position = kc.position"
    " where k.owner = :schema and k.constraint_type in ('P', 'U', 'R') and {names}"
    " order by k.table_name, k.constraint_name, kc.position"
)

_KEY_KINDS = {"P": "PRIMARY_KEY", "U": "UNIQUE", "R": "FOREIGN_KEY"}
_TYPES = {
    "NUMBER": "NUMERIC",
    "FLOAT": "DOUBLE",
    "BINARY_FLOAT": "REAL",
    "BINARY_DOUBLE": "DOUBLE",
    "VARCHAR2": "VARCHAR",
    "NVARCHAR2": "VARCHAR",
    "NCHAR": "CHAR",
    "CLOB": "TEXT",
    "NCLOB": "TEXT",
    "LONG": "TEXT",
    "BLOB": "BINARY",
    "RAW": "BINARY",
    "LONG RAW": "BINARY",
    "DATE": "TIMESTAMP",  # Oracle's DATE has a time of day
    "XMLTYPE": "XML",
    "SDO_GEOMETRY": "GEOMETRY",
}


class OracleConnector(DbApiConnector[OracleConfig, BasicCredentials]):
    """Reads the schemas of one Oracle service."""

    kind: ClassVar[str] = "oracle"
    config_model = OracleConfig
    credentials_model = BasicCredentials
    extra: ClassVar[str | None] = "oracle"
    default_port: ClassVar[int] = 1521
    _owners: frozenset[str] | None = None

    def schemas(self) -> Sequence[SchemaInfo]:
        """The selected users' schemas with what this user may read; two statements."""
        database = self.config.database
        tables: dict[str, list[str]] = {}
        for owner, name in self.rows(_NAMES):
            if self.selection.has_table(database, owner, name):
                tables.setdefault(owner, []).append(name)
        return [
            SchemaInfo(database, owner, tuple(sorted(tables.get(owner, ()))))
            for (owner,) in sorted(self.rows(_SCHEMAS))
            if self.selection.has_schema(database, owner)
        ]

    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named tables in three statements, sorted by name."""
        wanted = sorted({name for name in names if self.selection.has_table(database, schema, name)})
        if database != self.config.database or not wanted:
            return
        relations: dict[str, Row] = {}
        for row in self._of(_TABLES, "n.name", schema, wanted):
            if row[0] in wanted:
                relations.setdefault(row[0], row)  # a materialized view is also listed as the table that holds it
        keys = keys_of([(r[0], _KEY_KINDS[r[1]], *r[2:]) for r in self._of(_KEYS, "k.table_name", schema, wanted)])
        columns = self._of(_COLUMNS, "t.table_name", schema, wanted)
        columns.sort(key=lambda row: (row[0], row[-1] or 0))
        for name, rows in with_columns(sorted(relations), columns):
            _, table_type, row_count, comment, definition = relations[name]
            yield TableInfo(
                name,
                table_type,
                tuple(_column(place, row) for place, row in enumerate(rows, 1)),
                keys.get(name, ()),
                comment or None,
                whole(row_count),
                definition or None,
            )

    def _of(self, statement: str, column: str, schema: str, names: Sequence[str]) -> list[Row]:
        condition, values = among(column, names, style=":{0}")
        return self.rows(statement.format(names=condition), {"schema": schema, **values})

    def reading(self) -> OracleReading:
        """The data of what is selected."""
        return OracleReading(self)

    def is_own(self, database: str, schema: str, table: str) -> bool:
        """Schemas that Oracle itself maintains."""
        if self._owners is None:
            self._owners = frozenset(owner for (owner,) in self.rows(_SCHEMAS))
        return schema not in self._owners

    def _server_version(self) -> str:
        return f"Oracle Database {self.connected().version}"

    def _driver_connect(self) -> Connect:
        connect: Connect = self.driver("oracledb", "oracledb").connect
        return connect

    def _connect(self, connect: Connect, addresses: Sequence[str]) -> Any:
        context = tls_context(self.config, self.config.options.ssl_ca)
        checked = self.config.ssl_mode.startswith("verify")
        connection = connect(
            user=self._credentials.username,
            password=self._credentials.password.get_secret_value(),
            host=self.config.host if checked else addresses[0],
            port=self.port,
            service_name=self.config.database,
            protocol="tcp" if context is None else "tcps",
            ssl_context=context,
            ssl_server_dn_match=self.config.ssl_mode == "verify-full",
            tcp_connect_timeout=self.settings.connect_timeout,
            retry_count=0,
            program="stoa",
        )
        connection.call_timeout = int(self.seconds * 1000)
        try:
            with connection.cursor() as cursor:
                # Else it is this process's zone: days are those of UTC, as everywhere.
                cursor.execute("alter session set time_zone = '+00:00'")
        except BaseException:
            connection.close()
            raise
        return connection

    def rows(self, statement: str, values: Any = None) -> list[Row]:
        connection = self.connected()

        def ask() -> list[Row]:
            with connection.cursor() as cursor:
                cursor.execute("set transaction read only")
                try:
                    cursor.execute(statement, values or {})
                    return [tuple(row) for row in cursor.fetchall()]
                finally:
                    connection.rollback()

        return self.guarded(ask)

    def _failure(self, error: BaseException) -> ConnectorError:
        host, port, words = self.config.host, self.port, str(error)
        if any(code in words for code in ("ORA-01017", "ORA-28000", "ORA-28001", "ORA-01005", "DPY-4001")):
            return wrong_password(self._credentials.username)
        if any(code in words for code in ("DPY-6001", "DPY-6003", "ORA-12514", "ORA-12505")):
            return unknown_database(self.config.database)
        if "ORA-01031" in words or "ORA-01045" in words or "ORA-00942" in words:
            return not_permitted("connect or read the catalog")
        if "certificate" in words.lower() or "DPY-6006" in words:
            return bad_certificate(host, "it is not trusted, or issued for another name")
        if "DPY-4024" in words or "ORA-01013" in words:
            return statement_timed_out(self.seconds)
        if "DPY-6005" in words and ("timed out" in words or "timeout" in words.lower()):
            return no_answer(host, port, self.settings.connect_timeout)
        if "DPY-6005" in words and "refused" in words:
            return not_listening(host, port)
        if any(code in words for code in ("DPY-6005", "DPY-4011", "DPY-6000")):
            return ConnectorError(
                "unreachable",
                f"No Oracle listener could be reached at {host}:{port}, or it closed the connection. Check the host, "
                "the port and ssl_mode.",
            )
        return self._general_failure(error)


def _column(place: int, row: Row) -> ColumnInfo:
    _, name, data_type, owner, length, char_length, precision, scale, nullable, default, identity, comment, _ = row
    bare = str(data_type).partition("(")[0].strip()
    text = "CHAR" in bare
    display = data_type
    if text and char_length:
        display = f"{data_type}({whole(char_length)})"
    elif bare == "RAW" and length:
        display = f"RAW({whole(length)})"
    elif bare == "NUMBER" and precision is not None:
        display = f"NUMBER({whole(precision)},{whole(scale) or 0})"
    return ColumnInfo(
        name=name,
        data_type=_neutral(str(data_type), owner),
        data_type_display=display,
        ordinal_position=place,
        nullable=nullable == "Y",
        comment=comment or None,
        precision=whole(precision),
        scale=whole(scale) if precision is not None else None,
        data_length=whole(char_length) if text else whole(length) if bare == "RAW" else None,
        default="generated as identity" if identity == "YES" else (str(default).strip() if default else None),
    )


def _neutral(data_type: str, owner: str | None) -> str:
    bare = data_type.partition("(")[0].strip()
    if bare == "TIMESTAMP":
        return "TIMESTAMPTZ" if "TIME ZONE" in data_type else "TIMESTAMP"
    if bare.startswith("INTERVAL"):
        return "INTERVAL"
    return _TYPES.get(bare) or ("STRUCT" if owner else bare)
