"""PostgreSQL 12 and later, through psycopg.

One connection per connector, read-only for its whole life, made to the address that the outbound policy vetted (the
name serves only to check the certificate). A connection sees one database; `database` in the config names it, and
other databases need connections of their own. The catalog is read from pg_catalog, because information_schema hides
materialized views, comments and row estimates.
"""

import math
import os
import ssl
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, LiteralString

import certifi
import psycopg

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
    SqlConnector,
    bad_certificate,
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
from persistence.connectors.postgres import catalog
from persistence.connectors.postgres.reading import PostgresReading
from schema.assets.connection_configs.databases import BasicCredentials, PostgresConfig

VERIFIED = "real servers: PostgreSQL 15 (with and without TLS), 16 and 18"

_ROWS_AT_ONCE = 2000
_NO_FILE = os.path.join(os.devnull, "none")  # below a device, so it can never exist


class PostgresConnector(SqlConnector[PostgresConfig, BasicCredentials]):
    """Reads one PostgreSQL database."""

    kind: ClassVar[str] = "postgres"
    config_model = PostgresConfig
    credentials_model = BasicCredentials
    default_port: ClassVar[int] = 5432
    product: ClassVar[str] = "PostgreSQL"

    _session: ClassVar[LiteralString] = (
        "select set_config('default_transaction_read_only', 'on', false),"
        " set_config('search_path', 'pg_catalog', false),"
        # Texts are written with that in mind: a backslash is only a backslash.
        " set_config('standard_conforming_strings', 'on', false),"
        # A day is a day of UTC, as questions, profiles and every other source mean it.
        " set_config('timezone', 'UTC', false),"
        " set_config('statement_timeout', %(statement)s, false), set_config('lock_timeout', %(lock)s, false),"
        " set_config('idle_in_transaction_session_timeout', %(statement)s, false)"
    )

    def __init__(
        self, config: PostgresConfig, credentials: BasicCredentials, settings: ConnectorSettings, outbound: Outbound
    ) -> None:
        super().__init__(config, credentials, settings, outbound)
        self._connection: psycopg.Connection[Any] | None = None

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def schemas(self) -> Sequence[SchemaInfo]:
        """The selected schemas with the tables and views that the user may read; one statement."""
        database = self.config.database
        found = []
        for schema, comment, tables in self._rows(catalog.SCHEMAS, {}):
            if self.selection.has_schema(database, schema):
                names = (t for t in tables if self.selection.has_table(database, schema, t))
                found.append(SchemaInfo(database, schema, tuple(sorted(names)), comment))
        return sorted(found, key=lambda s: s.name)

    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named tables in three statements, sorted by name; columns stream while tables are handed out."""
        if database != self.config.database or not names:
            return
        wanted = {name for name in names if self.selection.has_table(database, schema, name)}
        among = {"schema": schema, "names": sorted(wanted)}
        relations = {row[0]: row for row in self._rows(catalog.RELATIONS, among) if row[0] in wanted}
        keys = catalog.keys_by_table(self._rows(catalog.KEYS, among))
        for name, columns in with_columns(sorted(relations), self._stream(catalog.COLUMNS, among)):
            yield catalog.table(relations[name], columns, keys)

    def reading(self) -> PostgresReading:
        """The data of the database."""
        return PostgresReading(self)

    def interrupt(self) -> None:
        """Ask the server to stop the running statement."""
        connection = self._connection
        if connection is not None and not connection.closed:
            with suppress(psycopg.Error):  # it has ended by itself
                connection.cancel_safe(timeout=max(2, self.settings.connect_timeout))

    def _server_version(self) -> str:
        ((version,),) = self._rows("select current_setting('server_version')", {})
        return f"{self.product} {str(version).split()[0]}"

    def _explain_nothing_found(self, missing: Sequence[str]) -> None:
        database = self.config.database
        hidden = [name for name in self._rows(catalog.HIDDEN, {}) if self.selection.has_table(database, *name)]
        if hidden:
            raise not_permitted(
                f"read any of the {len(hidden)} selected tables and views of {database!r} "
                "(it needs USAGE on the schemas and SELECT on the tables)"
            )
        super()._explain_nothing_found(missing)

    def _rows(self, statement: LiteralString, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        connection = self.connected()
        return self.guarded(lambda: connection.execute(statement, values).fetchall())

    def _stream(self, statement: LiteralString, values: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
        connection = self.connected()

        def rows() -> Iterator[tuple[Any, ...]]:
            with connection.cursor() as cursor:
                yield from cursor.stream(statement, values, size=_ROWS_AT_ONCE)

        return self.guarded_rows(rows())

    def connected(self) -> psycopg.Connection[Any]:
        """The connection, made when it is first needed."""
        if self._connection is None or self._connection.closed:
            addresses = self._addresses()
            self._connection = self.guarded(lambda: self._prepared(addresses))
        return self._connection

    def _addresses(self) -> Sequence[str]:
        return first_addresses(vetted_addresses(self.outbound, self.config.host, self.port))

    def _prepared(self, addresses: Sequence[str]) -> psycopg.Connection[Any]:
        connection = self._connect(addresses)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _connect(self, addresses: Sequence[str]) -> psycopg.Connection[Any]:
        with self.trusted() as trust:
            return psycopg.connect(
                **{**self.target(addresses), **trust},
                connect_timeout=max(2, math.ceil(self.settings.connect_timeout)),
                autocommit=True,
                prepare_threshold=None,
                tcp_user_timeout=int(self.seconds * 1000),
            )

    def target(self, addresses: Sequence[str] | None = None) -> dict[str, Any]:
        """Return where and how to connect, as libpq takes it. Nothing of the account that Stoa itself runs under is
        in it.
        """
        host = self.config.host
        target: dict[str, Any]
        if host.startswith("/"):
            target = {"host": host}  # the policy has allowed this path
        else:
            vetted = self._addresses() if addresses is None else addresses
            target = {"host": ",".join([host] * len(vetted)), "hostaddr": ",".join(vetted)}
        return {
            **target,
            "port": self.port,
            "dbname": self.config.database,
            "user": self._credentials.username,
            "password": self._credentials.password.get_secret_value(),
            "application_name": "stoa",
            "client_encoding": "utf8",
            "passfile": os.devnull,
            "sslcertmode": "disable",
            "gssencmode": "disable",
            "require_auth": "scram-sha-256,md5,password,none",
            "sslmode": self.config.ssl_mode,
            "keepalives_idle": 15,
            "keepalives_interval": 5,
            "keepalives_count": 3,
        }

    def _prepare(self, connection: psycopg.Connection[Any]) -> None:
        connection.read_only = True
        limits = {
            "statement": str(int(self.seconds * 1000)),
            "lock": str(int(min(self.seconds, 10) * 1000)),
        }
        connection.execute(self._session, limits)

    def trusted(self) -> "_Authorities":
        """The authorities that the server's certificate is checked against, while a connection is being made."""
        if self.config.ssl_mode in ("disable", "require"):
            # Were there a root.crt in the home of Stoa's own account, `require` would check against it.
            return _Authorities(None, _NO_FILE)
        ca = self.config.options.ssl_ca
        tls_context(self.config, ca)  # refuses what is not PEM, with a clear sentence
        return _Authorities(ca, ssl.get_default_verify_paths().cafile or certifi.where())

    def _failure(self, error: BaseException) -> ConnectorError:
        if isinstance(error, psycopg.errors.ConnectionTimeout):
            return no_answer(self.config.host, self.port, max(2, math.ceil(self.settings.connect_timeout)))
        state = getattr(error, "sqlstate", None)
        if state is not None:
            return self._state_failure(state, error)
        if isinstance(error, psycopg.OperationalError):
            return self._connection_failure(error)
        return ConnectorError("failed", f"{self.product} could not be read: {self.safe(error)}.")

    def _state_failure(self, state: str, error: BaseException) -> ConnectorError:
        if state in ("57014", "55P03"):
            return statement_timed_out(self.seconds)
        if state == "42501":
            what = "the catalog" if self._reading is None else "this table"
            return not_permitted(f"read {what} of {self.config.database!r}")
        if state in ("28P01", "28000"):
            return wrong_password(self._credentials.username)
        if state == "3D000":
            return unknown_database(self.config.database)
        if state.startswith("22"):
            return unfit_value()
        if state.startswith("08") or state in ("57P01", "57P02", "57P03"):
            return ConnectorError(
                "unreachable", "The server closed the connection or is shutting down. Try again shortly."
            )
        return ConnectorError("failed", f"{self.product} could not be read: {self.safe(error)}.")

    def _connection_failure(self, error: psycopg.OperationalError) -> ConnectorError:
        # A failed connection has no SQLSTATE in libpq, only text: English unless the server is set up otherwise.
        config, words = self.config, str(error)
        user = self._credentials.username
        if "password authentication failed" in words or "no password supplied" in words:
            return wrong_password(user)
        if "does not exist" in words and "FATAL" in words:
            return wrong_password(user) if 'role "' in words else unknown_database(config.database)
        if "server does not support SSL" in words:
            return no_tls(config.host, self.port, config.ssl_mode)
        if "pg_hba.conf" in words and config.ssl_mode == "disable" and "no encryption" in words:
            return ConnectorError(
                "tls",
                "The server has no rule that lets this user in from here without TLS. Set ssl_mode to 'require' or "
                "higher; if that fails too, the server's pg_hba.conf must allow this deployment's address.",
            )
        if "permission denied for database" in words or "pg_hba.conf" in words:
            return not_permitted(f"connect to the database {config.database!r} from this deployment's address")
        if "does not match host name" in words:
            return bad_certificate(config.host, "it is issued for another name")
        if "certificate verify failed" in words:
            return bad_certificate(config.host, "no trusted authority has signed it, or it is out of date")
        if "SSL error" in words or "SSL SYSCALL" in words:
            return ConnectorError("tls", f"TLS could not be agreed with {config.host}:{self.port}: {self.safe(words)}.")
        if "timeout expired" in words or "timed out" in words:
            return no_answer(config.host, self.port, self.settings.connect_timeout)
        if any(sign in words for sign in ("Connection refused", "No route to host", "is unreachable", "No such file")):
            return not_listening(config.host, self.port)
        if "server closed the connection unexpectedly" in words or "received invalid response" in words:
            return ConnectorError(
                "unreachable",
                f"What answers at {config.host}:{self.port} does not speak {self.product}'s protocol, or closed the "
                "connection at once. Check the host and the port.",
            )
        if error.pgconn is not None and error.pgconn.used_password and "FATAL" not in words:
            return wrong_password(user)
        return ConnectorError(
            "failed", f"{self.product} at {config.host}:{self.port} refused the connection: {self.safe(words)}."
        )


class _Authorities:
    """libpq reads trusted certificates from a file; this keeps one for as long as the connection is being made."""

    def __init__(self, pem: str | None, usual: str) -> None:
        self._pem = pem
        self._usual = usual
        self._file: Path | None = None

    def __enter__(self) -> dict[str, str]:
        if self._pem is None:
            return {"sslrootcert": self._usual}
        handle, name = tempfile.mkstemp(prefix="stoa-ca-", suffix=".pem")
        self._file = Path(name)
        with os.fdopen(handle, "w") as file:
            file.write(self._pem)
        return {"sslrootcert": name}

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.unlink(missing_ok=True)
