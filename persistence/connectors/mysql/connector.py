"""MySQL 5.7 and later and MariaDB, through PyMySQL.

MySQL has one level fewer than a catalog with database, schema and table: what it calls a database is what others call
a schema. So the schema level holds MySQL's databases, and the database level is one name for the whole connection:
`database` of the config, or `def` (MySQL's own name for its only catalog) when that is left out. With a `database` the
connection reads only that one, unless `selected_tables` names others; without, every one that the user may see.
`selected_tables` may name a MySQL database at either level.
"""

import re
import socket
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar

from persistence.connectors.core.base import (
    ConnectorError,
    ConnectorSettings,
    Outbound,
    SchemaInfo,
    TableInfo,
    vetted_addresses,
)
from persistence.connectors.core.reading import unfit_value
from persistence.connectors.core.sql import (
    Selection,
    SqlConnector,
    bad_certificate,
    cut_off,
    first_addresses,
    no_answer,
    no_tls,
    not_listening,
    not_permitted,
    statement_timed_out,
    tls_context,
    unknown_database,
    with_columns,
    wrong_password,
)
from persistence.connectors.mysql.catalog import (
    COLUMNS,
    KEYS,
    NAMES,
    SCHEMATA,
    TABLES,
    VIEWS,
    column,
    keys_by_table,
)
from persistence.connectors.mysql.reading import SYSTEM, MysqlReading
from schema.assets.connection_configs.databases import BasicCredentials, MysqlConfig, SelectedDatabase, SelectedSchema

VERIFIED = "real server: MariaDB 10.11, with and without TLS"


_DENIED = {1044, 1142, 1143, 1227, 1370}
_VIEW_BROKEN = 1356
_TOO_SLOW = {1205, 1317, 1969, 3024}
_UNKNOWN_VARIABLE = 1193
_TLS_WANTED = {1835, 3159}
_UNFIT = {1264, 1292, 1365, 1366, 1367, 1411, 1416, 1441, 1525, 1690, 3140, 3141}
_HOST_REFUSED = {1129, 1130}


class MysqlConnector(SqlConnector[MysqlConfig, BasicCredentials]):
    """Reads the databases of one MySQL or MariaDB server."""

    kind: ClassVar[str] = "mysql"
    config_model = MysqlConfig
    credentials_model = BasicCredentials
    extra: ClassVar[str | None] = "mysql"
    default_port: ClassVar[int] = 3306

    def __init__(
        self, config: MysqlConfig, credentials: BasicCredentials, settings: ConnectorSettings, outbound: Outbound
    ) -> None:
        super().__init__(config, credentials, settings, outbound)
        self._connection: Any = None
        self.level = config.database or "def"
        self.selection = Selection(self._at_schema_level(), config.db_schema or config.database)

    def _at_schema_level(self) -> list[SelectedDatabase]:
        selected: list[SelectedDatabase] = []
        for database in self.config.selected_tables:
            schemas = database.schemas
            if not schemas and not (self.config.database is None and database.database_name == self.level):
                schemas = [SelectedSchema(schema_name=database.database_name)]
            selected.append(SelectedDatabase(database_name=self.level, schemas=schemas))
        return selected

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None and connection.open:
            connection.close()

    def schemas(self) -> Sequence[SchemaInfo]:
        """The selected databases with their tables and views; two statements."""
        system = {"system": SYSTEM}
        tables: dict[str, list[str]] = {}
        for schema, name in self._rows(NAMES, system):
            if self.selection.has_table(self.level, schema, name):
                tables.setdefault(schema, []).append(name)
        found = []
        for _, schema, *more in self._rows(SCHEMATA, {}):
            if schema.lower() not in SYSTEM and self.selection.has_schema(self.level, schema):
                comment = more[3] if len(more) > 3 and isinstance(more[3], str) else None  # MariaDB has one
                found.append(SchemaInfo(self.level, schema, tuple(sorted(tables.get(schema, ()))), comment or None))
        return sorted(found, key=lambda s: s.name)

    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named tables in four statements, sorted by name; columns stream while tables are handed out."""
        wanted = {name for name in names if self.selection.has_table(database, schema, name)}
        if database != self.level or schema.lower() in SYSTEM or not wanted:
            return
        # The server compares names by its collation, which is laxer than equality: what it finds is checked here.
        among = {"schema": schema, "names": sorted(wanted)}
        relations = {row[0]: row for row in self._rows(TABLES, among) if row[0] in wanted}
        views = dict(self._rows(VIEWS, among))
        keys = keys_by_table(self._rows(KEYS, among))
        mariadb = self._is_mariadb()
        for name, rows in with_columns(sorted(relations), self._stream(COLUMNS, among)):
            _, table_type, row_count, comment = relations[name]
            is_view = table_type in ("VIEW", "SYSTEM VIEW")
            yield TableInfo(
                name,
                "VIEW" if is_view else "TABLE",
                tuple(column(place, row, mariadb) for place, row in enumerate(rows, 1)),
                tuple(keys.get(name, ())),
                None if is_view else comment or None,
                None if is_view or row_count is None else int(row_count),
                views.get(name) or None,
            )

    def _is_mariadb(self) -> bool:
        return "mariadb" in self.connected().get_server_info().lower()

    def _server_version(self) -> str:
        text = self.connected().get_server_info()
        # Some MariaDB servers put a version before theirs that old replicas understand.
        number = re.match(r"(?:5\.5\.5-)?([0-9.]+)", text)
        return f"{'MariaDB' if self._is_mariadb() else 'MySQL'} {number[1] if number else self.safe(text)}"

    def _rows(self, statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        connection = self.connected()

        def ask() -> list[tuple[Any, ...]]:
            with connection.cursor() as cursor:
                cursor.execute(statement, values)
                return list(cursor.fetchall())

        return self.guarded(ask)

    def _stream(self, statement: str, values: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
        connection = self.connected()
        streaming = self.driver("pymysql.cursors", "pymysql").SSCursor

        def rows() -> Iterator[tuple[Any, ...]]:
            with connection.cursor(streaming) as cursor:
                cursor.execute(statement, values)
                yield from cursor.fetchall_unbuffered()

        return self.guarded_rows(rows())

    def reading(self) -> MysqlReading:
        """The data of the databases."""
        return MysqlReading(self)

    def interrupt(self) -> None:
        """Have the server kill the running statement, which takes a second connection."""
        connection = self._connection
        if connection is None or not connection.open:
            return
        pymysql = self.driver("pymysql", "pymysql")
        context = tls_context(self.config, self.config.options.ssl_ca)
        addresses = first_addresses(vetted_addresses(self.outbound, self.config.host, self.port))
        with suppress(pymysql.err.Error, OSError):  # it has ended by itself
            killer = self._connect(pymysql, addresses, context)
            try:
                with killer.cursor() as cursor:
                    cursor.execute(f"kill query {int(connection.thread_id())}")
            finally:
                killer.close()

    def connected(self) -> Any:
        """The connection, made when it is first needed."""
        if self._connection is None or not self._connection.open:
            pymysql = self.driver("pymysql", "pymysql")
            context = tls_context(self.config, self.config.options.ssl_ca)
            addresses = first_addresses(vetted_addresses(self.outbound, self.config.host, self.port))
            self._connection = self.guarded(lambda: self._connect(pymysql, addresses, context))
        return self._connection

    def _connect(self, pymysql: Any, addresses: Sequence[str], context: ssl.SSLContext | None) -> Any:
        seconds = self.settings.connect_timeout
        sock = _dial(addresses, self.port, seconds)
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            connection = pymysql.connect(
                host=self.config.host,  # what the certificate must name; the socket is connected already
                port=self.port,
                user=self._credentials.username,
                password=self._credentials.password.get_secret_value(),
                database=self.config.database,
                charset="utf8mb4",
                autocommit=True,
                read_timeout=self.patience + 5,
                write_timeout=self.patience + 5,
                ssl=context,
                ssl_disabled=context is None,
                local_infile=False,
                program_name="stoa",
                conv={**pymysql.converters.conversions, pymysql.constants.FIELD_TYPE.BIT: _number_of_bits},
                # These two send the password as it is, to a server that anybody on the way may play.
                auth_plugin_map=dict.fromkeys(("mysql_clear_password", "dialog"), _Refusing) if not context else None,
                defer_connect=True,
            )
            with cut_off(sock, seconds):
                connection.connect(sock)
        except BaseException:
            sock.close()
            raise
        with connection.cursor() as cursor:
            cursor.execute("set session transaction read only")
            for limit in self.limits(connection.get_server_info(), self.seconds):
                try:
                    cursor.execute(limit)
                except pymysql.err.OperationalError as error:
                    if error.args[0] != _UNKNOWN_VARIABLE:  # a relative of MySQL that lacks it
                        raise
        return connection

    def limits(self, server: str, seconds: float) -> tuple[str, ...]:
        """Statements that limit how long those after them may take."""
        whole = max(1, int(seconds))
        if "mariadb" in server.lower():
            limit = f"set session max_statement_time = {seconds:.3f}"
        else:
            limit = f"set session max_execution_time = {int(seconds * 1000)}"
        return limit, f"set session lock_wait_timeout = {min(whole, 10)}"

    def _failure(self, error: BaseException) -> ConnectorError:
        cause = getattr(error, "original_exception", error)
        return self._unconnected(cause) or self._refused(error)

    def _unconnected(self, cause: BaseException) -> ConnectorError | None:
        """Return what a failure of the connection itself means; None where it is the server's word."""
        host, port = self.config.host, self.port
        if isinstance(cause, _ClearPassword):
            return ConnectorError(
                "tls", "The server asks for the password in the clear. Set ssl_mode to 'require' or higher."
            )
        if isinstance(cause, ssl.SSLCertVerificationError):
            return bad_certificate(host, self.safe(cause.verify_message))
        if isinstance(cause, ssl.SSLError):
            return ConnectorError("tls", f"TLS could not be agreed with {host}:{port}: {self.safe(cause.reason)}.")
        if isinstance(cause, TimeoutError):
            return no_answer(host, port, self.settings.connect_timeout)
        if isinstance(cause, ConnectionRefusedError) or type(cause) is OSError:
            return not_listening(host, port)
        return None

    def _refused(self, error: BaseException) -> ConnectorError:
        """Return what the server's error code means."""
        host, port, mode = self.config.host, self.port, self.config.ssl_mode
        code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        words = self.safe(error.args[1] if len(error.args) > 1 else error)
        if code in (1045, 1698, 1820, 1862):
            return wrong_password(self._credentials.username)
        if code == 1049:
            return unknown_database(self.config.database or "")
        if code == 2026:
            return no_tls(host, port, mode)
        if code in _TLS_WANTED:
            return ConnectorError("tls", "The server accepts only TLS. Set ssl_mode to 'require' or higher.")
        if code in _DENIED:
            return not_permitted(f"use the database {self.config.database!r}" if code == 1044 else "read this")
        if code == _VIEW_BROKEN:  # the server does not say which of the two it is
            return ConnectorError(
                "permission",
                "The view stands on tables or columns that are gone, or that it may not read. Mend it or leave it out, "
                "then try again.",
            )
        if code in _HOST_REFUSED:
            return not_permitted("connect from this deployment's address")
        if code in _TOO_SLOW or (code == 2013 and "timed out" in words):
            return statement_timed_out(self.seconds)
        if code in _UNFIT:
            return unfit_value()
        if code in (2003, 2006, 2013, 1053):
            return ConnectorError(
                "unreachable",
                f"What answers at {host}:{port} closed the connection. Check that it is a MySQL server and not "
                "shutting down, then try again.",
            )
        return ConnectorError("failed", f"MySQL at {host}:{port} could not be read: {words}.")


def _number_of_bits(value: bytes) -> int:
    """A BIT as what it counts as in the server's own arithmetic; the driver hands out its bytes."""
    return int.from_bytes(value)


class _ClearPassword(Exception):
    """The server wanted the bare password over an open connection."""


class _Refusing:
    """An authentication method that is not used."""

    def __init__(self, connection: object) -> None:
        pass

    def authenticate(self, packet: object) -> None:
        raise _ClearPassword

    def prompt(self, *_: object) -> None:
        raise _ClearPassword


def _dial(addresses: Sequence[str], port: int, seconds: float) -> socket.socket:
    """A socket to the first address that accepts, within one time-out for all. Raises OSError."""
    deadline = time.monotonic() + seconds
    failure: OSError = TimeoutError()
    for address in addresses:
        left = deadline - time.monotonic()
        if left <= 0:
            break
        try:
            return socket.create_connection((address, port), left)
        except OSError as error:
            failure = error
    raise failure
