"""Defines what the SQL kinds share: the selection, the neutral type names, TLS contexts, and failures without
secrets.
"""

import os
import socket
import ssl
import threading
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from types import ModuleType
from typing import Any, ClassVar

from pydantic import BaseModel, SecretStr
from typing_extensions import TypeVar

from persistence.connectors.core.base import (
    Connector,
    ConnectorError,
    ConnectorSettings,
    CredentialsT,
    Discovery,
    Outbound,
    SchemaInfo,
)
from persistence.connectors.core.reading import Reading, cancelled
from schema.assets.connection_configs.databases import DatabaseConfig, SelectedDatabase

T = TypeVar("T")
DatabaseT = TypeVar("DatabaseT", bound=DatabaseConfig, default=Any)

_MOST_ADDRESSES = 4
_MOST_NAMED = 20


class Selection:
    """`selected_tables` as questions with answers.

    Names are compared exactly. Nothing selected means everything; a database without schemas means all its schemas; a
    schema that names neither tables nor views means all of both, and one that names any means only those.
    """

    def __init__(self, selected: Sequence[SelectedDatabase], db_schema: str | None = None) -> None:
        self._databases: dict[str, dict[str, frozenset[str]] | None] | None = {} if selected else None
        self._default_schema = None if selected else db_schema
        for database in selected:
            self._add(database)

    def _add(self, database: SelectedDatabase) -> None:
        assert self._databases is not None
        if not database.schemas:
            self._databases[database.database_name] = None
            return
        schemas = self._databases.setdefault(database.database_name, {})
        if schemas is None:
            return  # an earlier entry already selects all of this database
        for schema in database.schemas:
            named = frozenset(schema.tables) | frozenset(schema.views)
            before = schemas.get(schema.schema_name)
            whole = not named or (schema.schema_name in schemas and not before)
            schemas[schema.schema_name] = frozenset() if whole else named | (before or frozenset())

    def has_database(self, database: str) -> bool:
        """Return whether anything of this database is selected."""
        return self._databases is None or database in self._databases

    def has_schema(self, database: str, schema: str) -> bool:
        """Return whether anything of this schema is selected."""
        if self._databases is None:
            return self._default_schema is None or schema == self._default_schema
        schemas = self._databases.get(database, {})
        return schemas is None or schema in schemas

    def has_table(self, database: str, schema: str, table: str) -> bool:
        """Return whether this table or view is selected."""
        if not self.has_schema(database, schema):
            return False
        schemas = None if self._databases is None else self._databases.get(database)
        return schemas is None or not schemas[schema] or table in schemas[schema]

    def databases(self) -> list[str] | None:
        """The databases that are named, or None when every one is meant."""
        return None if self._databases is None else sorted(self._databases)

    def missing(self, found: Iterable[SchemaInfo]) -> list[str]:
        """Return what was selected by name and is not among `found`, as dotted names, sorted."""
        there = {(s.database, s.name): frozenset(s.tables) for s in found}
        if self._databases is None:
            absent = self._default_schema is not None and not there
            return [self._default_schema] if absent and self._default_schema else []
        gone = []
        for database, schemas in self._databases.items():
            for schema, names in (schemas or {}).items():
                if (database, schema) not in there:
                    gone.append(f"{database}.{schema}")
                else:
                    gone += [f"{database}.{schema}.{name}" for name in names - there[database, schema]]
        return sorted(gone)


class SqlConnector(Connector[DatabaseT, CredentialsT]):
    """The part of a connector that is the same for every SQL kind.

    A subclass says how to connect, how to ask for the schemas and tables, and how to read its driver's failures.
    """

    config_section: ClassVar[str] = "database_config"
    default_port: ClassVar[int]
    auth_types: ClassVar[tuple[str, ...]] = ("basic",)

    def __init__(
        self, config: DatabaseT, credentials: CredentialsT, settings: ConnectorSettings, outbound: Outbound
    ) -> None:
        if config.auth_type not in self.auth_types:
            raise ConnectorError(
                "bad_config",
                f"A connection of type {self.kind} has no auth_type {config.auth_type!r}. "
                f"Use one of: {', '.join(self.auth_types)}.",
            )
        super().__init__(config, credentials, settings, outbound)
        self.selection = Selection(config.selected_tables, config.db_schema)
        self.port = config.port or self.default_port
        self._secrets = tuple(_secrets_of(credentials))
        self._stopped = threading.Event()
        self._reading: Reading | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.config.host}:{self.port}>"

    def verify(self) -> Discovery:
        """Connect, authenticate, and count what the selection holds. Raises ConnectorError."""
        version = self._server_version()
        found = self.schemas()
        tables = sum(len(schema.tables) for schema in found)
        missing = self.selection.missing(found)
        if not tables:
            self._explain_nothing_found(missing)
        details: dict[str, Any] = {
            "server_version": version,
            "databases": len({schema.database for schema in found}),
            "schemas": len(found),
            "tables": tables,
        }
        message = f"Connected to {version}: {_count(tables, 'table')} in {_count(len(found), 'schema')}."
        if missing:
            details["missing"] = missing[:_MOST_NAMED]
            message += f" {len(missing)} of the selected names were not found or may not be read."
        return Discovery(message, details)

    @abstractmethod
    def _server_version(self) -> str:
        """The product and version, such as `PostgreSQL 15.6`; connects when needed."""

    def _explain_nothing_found(self, missing: Sequence[str]) -> None:
        """Called when not one table was found; raises when that is a failure rather than an empty store."""
        if missing:
            raise ConnectorError(
                "not_found",
                f"Nothing of what selected_tables names was found: {', '.join(missing[:_MOST_NAMED])}. "
                "Check the names (they are compared exactly) and what the user may read.",
            )

    @property
    def seconds(self) -> float:
        """Seconds that one statement may take: few on the catalog, more on the data."""
        limits = self.settings
        return limits.statement_timeout if self._reading is None else limits.source_statement_timeout

    @property
    def patience(self) -> float:
        """Seconds after which a connection that says nothing is given up."""
        limits = self.settings
        return self.seconds if self._reading is None else max(self.seconds, limits.source_stream_timeout)

    @contextmanager
    def source(self) -> Iterator[Reading]:
        """The data of the selected tables. It has a connection of its own, with the limits of data."""
        self.close()
        reading = self._reading = self.reading()
        try:
            yield reading
        finally:
            reading.close()
            self.close()
            self._reading = None

    def reading(self) -> Reading:
        """Return how this kind reads data. Raises ConnectorError."""
        raise ConnectorError("failed", f"The data of a {self.kind} connection cannot be read, only its catalog.")

    def cancel(self) -> None:
        """Stop what is running, from another thread; it and whatever follows raises ConnectorError("cancelled")."""
        self._stopped.set()
        reading = self._reading
        if reading is not None:
            reading.cancel()
        else:
            self.interrupt()

    def interrupt(self) -> None:
        """Stop the running statement in the source, from another thread."""

    def safe(self, text: object) -> str:
        """A server's or driver's own words on one line, without any secret of this connection."""
        words = " ".join(str(text).split())
        for secret in self._secrets:
            words = words.replace(secret, "***")
        return words[:300].rstrip(".")

    def missing_driver(self, package: str) -> ConnectorError:
        """Return what to raise when the driver of this kind is not installed."""
        return ConnectorError(
            "missing_extra",
            f"The driver for {self.kind} ({package}) is not installed in this deployment. "
            f"Install it with: pip install 'stoa-platform[{self.extra}]'",
        )

    def driver(self, module: str, package: str) -> ModuleType:
        """Import the driver now that it is needed. Raises ConnectorError("missing_extra")."""
        try:
            return import_module(module)
        except ImportError:
            pass
        raise self.missing_driver(package)

    def guarded(self, call: Callable[[], T]) -> T:
        """Call the driver; what it raises becomes a ConnectorError that holds no secret and no chained traceback."""
        if self._stopped.is_set():
            raise cancelled()
        try:
            return call()
        except ConnectorError:
            raise
        except Exception as error:
            # Whatever the driver made of being interrupted, that is why.
            failure = cancelled() if self._stopped.is_set() else self._failure(error)
        raise failure  # outside the handler: the driver's exception must not hang on as context

    def guarded_rows(self, rows: Iterator[T]) -> Generator[T]:
        """`guarded` for rows that the driver hands out one by one."""
        if self._stopped.is_set():
            raise cancelled()
        failure: ConnectorError | None = None
        try:
            yield from rows
        except ConnectorError:
            raise
        except Exception as error:
            failure = cancelled() if self._stopped.is_set() else self._failure(error)
        if failure is not None:
            raise failure

    @abstractmethod
    def _failure(self, error: BaseException) -> ConnectorError:
        """Read one of the driver's exceptions."""


def _secrets_of(credentials: BaseModel) -> Iterator[str]:
    for name in type(credentials).model_fields:
        value = getattr(credentials, name)
        revealed = value.get_secret_value() if isinstance(value, SecretStr) else ""
        if len(revealed) >= 4:  # shorter ones would blank out ordinary words and are found by guessing anyway
            yield revealed
            if "\n" in revealed:
                yield from (line for line in revealed.splitlines() if len(line) >= 16)


def tls_context(config: DatabaseConfig, ca: str | None) -> ssl.SSLContext | None:
    """The TLS context that `ssl_mode` asks for, or None for `disable`.

    Raises ConnectorError("bad_config") when `ca` is not PEM.
    """
    if config.ssl_mode == "disable":
        return None
    context: ssl.SSLContext | None = None
    with suppress(ssl.SSLError, ValueError, TypeError):  # the last is for what is not ASCII
        context = ssl.create_default_context(cadata=ca) if ca else ssl.create_default_context()
    if context is None:
        raise ConnectorError(
            "bad_config", "options.ssl_ca must be one or more certificates in PEM form (BEGIN CERTIFICATE)."
        )
    if config.ssl_mode != "verify-full":
        context.check_hostname = False
    if config.ssl_mode == "require":
        context.verify_mode = ssl.CERT_NONE
    else:
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # many private authorities lack the newer extensions
    return context


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def not_listening(host: str, port: int) -> ConnectorError:
    """Nothing accepts connections there."""
    return ConnectorError(
        "unreachable",
        f"Nothing answers at {host}:{port}. Check the host and the port, and that a firewall lets this "
        "deployment through.",
    )


def no_answer(host: str, port: int, seconds: float) -> ConnectorError:
    """Something accepts connections there but does not speak, or packets are dropped on the way."""
    return ConnectorError(
        "timeout",
        f"{host}:{port} gave no answer within {seconds:g} seconds. Check the host and the port, and that a firewall "
        "lets this deployment through.",
    )


def wrong_password(user: str) -> ConnectorError:
    """The server refused the user."""
    return ConnectorError(
        "authentication", f"The server refused the user {user!r} or the password. Correct the credentials."
    )


def unknown_database(database: str) -> ConnectorError:
    """The server has no such database."""
    return ConnectorError("not_found", f"The server has no database {database!r}. Correct database_config.database.")


def statement_timed_out(seconds: float) -> ConnectorError:
    """A statement hit its limit."""
    return ConnectorError(
        "timeout",
        f"The source did not finish a statement within {seconds:g} seconds. Try again when it is less busy.",
    )


def no_tls(host: str, port: int, mode: str) -> ConnectorError:
    """The server does not speak TLS and the config asks for it."""
    return ConnectorError(
        "tls",
        f"{host}:{port} does not offer TLS, and ssl_mode is {mode!r}. Turn TLS on at the server, or use ssl_mode "
        "'disable' if the network between is trusted.",
    )


def bad_certificate(host: str, why: str) -> ConnectorError:
    """The certificate does not pass the checks of ssl_mode."""
    return ConnectorError(
        "tls",
        f"The certificate of {host!r} was not accepted: {why}. Give the authority that signed it in options.ssl_ca, "
        "and connect by a name that the certificate is issued for.",
    )


def not_permitted(what: str) -> ConnectorError:
    """The user is known and may not."""
    return ConnectorError("permission", f"The user may not {what}. Grant it the right to read, then try again.")


def with_columns(names: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """Every name once, in order, with the rows that belong to it; a table may have no columns at all.

    `names` and `rows` (whose first field is the name) must be sorted alike, by code point. Rows of other tables are
    passed over, and no more than one table's rows are held at a time.
    """
    left = list(reversed(list(names)))
    for name, group in groupby(rows, key=itemgetter(0)):
        while left and left[-1] < name:
            yield left.pop(), []
        if left and left[-1] == name:
            yield left.pop(), list(group)
    while left:
        yield left.pop(), []


@contextmanager
def cut_off(connection: socket.socket, seconds: float) -> Iterator[None]:
    """Shut a socket down when the block takes longer, however slowly the other side keeps dripping bytes.

    Whoever reads or writes it then fails; TimeoutError is raised in place of that failure.
    """
    same = socket.socket(fileno=os.dup(connection.fileno()))  # TLS will take the first object over
    done, cut = threading.Event(), threading.Event()

    def wait() -> None:
        if not done.wait(seconds):
            cut.set()
            with suppress(OSError):
                same.shutdown(socket.SHUT_RDWR)

    watch = threading.Thread(target=wait, name="stoa-cut-off", daemon=True)
    watch.start()
    late = False
    try:
        yield
    except Exception:
        if not cut.is_set():
            raise
        late = True
    finally:
        done.set()
        watch.join()
        same.close()
    if late or cut.is_set():
        raise TimeoutError


_LIMITED_NAMES = 500


def among(
    column: str, names: Sequence[str], style: str = "%({0})s", limit: int = _LIMITED_NAMES
) -> tuple[str, dict[str, str]]:
    """A condition that limits a column to some names, and its values, for databases that bind no arrays.

    Past a number of names it limits nothing: the caller passes over what it did not ask for, as it must anyway.
    """
    if len(names) > limit:
        return "1 = 1", {}
    values = {f"n{place}": name for place, name in enumerate(names)}
    return f"{column} in ({', '.join(style.format(key) for key in values)})", values


def first_addresses(addresses: Sequence[str]) -> Sequence[str]:
    """The few addresses worth trying, so that a long list cannot multiply the time-out."""
    return addresses[:_MOST_ADDRESSES]
