"""Defines what the kinds share whose drivers follow Python's database protocol (PEP 249) and bring their own
transport.
"""

import queue
import threading
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from persistence.connectors.core.base import (
    ConnectorError,
    ConnectorSettings,
    CredentialsT,
    KeyInfo,
    Outbound,
    vetted_addresses,
)
from persistence.connectors.core.sql import DatabaseT, SqlConnector, first_addresses, no_answer, not_listening

Row = tuple[Any, ...]
Connect = Callable[..., Any]

_TIMEOUTS = ("timed out", "timeout", "time out")


class DbApiConnector(SqlConnector[DatabaseT, CredentialsT]):
    """A connector over one DB-API connection.

    `connect` takes the place of the driver's own function of that name; tests hand a recorded stand-in through it.
    """

    def __init__(
        self,
        config: DatabaseT,
        credentials: CredentialsT,
        settings: ConnectorSettings,
        outbound: Outbound,
        *,
        connect: Connect | None = None,
    ) -> None:
        super().__init__(config, credentials, settings, outbound)
        self._given_connect = connect
        self._connection: Any = None

    def close(self) -> None:
        """Close the connection; one that is already broken is let go."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(Exception):  # nothing is lost: the session only read, and the server will drop it
                connection.close()

    @property
    def level(self) -> str:
        """The one name that the database level has; empty where there are several databases."""
        return self.config.database or ""

    def is_own(self, database: str, schema: str, table: str) -> bool:
        """Return whether a table belongs to the product itself, which is not for reading."""
        return False

    def interrupt(self) -> None:
        """Stop the running statement in the source, from another thread."""
        reading = self._reading
        if reading is not None:
            reading.interrupt()

    def connected(self) -> Any:
        """The connection, made when it is first needed."""
        if self._connection is None:
            self._connection = self.guarded(self.opened)
        return self._connection

    def opened(self) -> Any:
        """A new connection. Raises what the driver raises."""
        connect = self._given_connect or self._driver_connect()
        addresses = first_addresses(vetted_addresses(self.outbound, self.config.host, self.port))
        # Some drivers wait for ever for a server that accepts and stays silent, so the deadline is kept here.
        return within(self.settings.connect_timeout, lambda: self._connect(connect, addresses))

    @abstractmethod
    def _driver_connect(self) -> Connect:
        """The driver's own `connect`. Raises ConnectorError("missing_extra")."""

    @abstractmethod
    def _connect(self, connect: Connect, addresses: Sequence[str]) -> Any:
        """Open a connection that can only read, as far as the product knows such a thing."""

    def rows(self, statement: str, values: Mapping[str, Any] | None = None) -> list[Row]:
        """The answer to a statement on the catalog."""
        connection = self.connected()

        def ask() -> list[Row]:
            cursor = connection.cursor()
            try:
                cursor.execute(statement, values) if values else cursor.execute(statement)
                return [tuple(row) for row in cursor.fetchall()]
            finally:
                cursor.close()

        return self.guarded(ask)

    def _named_rows(self, statement: str) -> list[dict[str, Any]]:
        """Rows as dictionaries with lower-case keys, for commands whose column order is not promised."""
        connection = self.connected()

        def ask() -> list[dict[str, Any]]:
            cursor = connection.cursor()
            try:
                cursor.execute(statement)
                names = [column[0].lower() for column in cursor.description]
                return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            finally:
                cursor.close()

        return self.guarded(ask)

    def _general_failure(self, error: BaseException) -> ConnectorError:
        """Return what can be said of an exception whatever the driver: how the network failed, or the server's own
        words.
        """
        host, port = self.config.host, self.port
        chain = _chain(error)
        words = " ".join(str(e) for e in chain).lower()
        if any(isinstance(e, ConnectionError) for e in chain) or "connection refused" in words:
            return not_listening(host, port)
        if any(isinstance(e, TimeoutError) for e in chain) or any(sign in words for sign in _TIMEOUTS):
            return no_answer(host, port, self.settings.connect_timeout)
        if "certificate verify failed" in words or "hostname mismatch" in words:
            return ConnectorError("tls", f"The certificate of {host!r} was not accepted: {self.safe(error)}.")
        return ConnectorError("failed", f"{self.kind} at {host} could not be read: {self.safe(error)}.")


def within(seconds: float, connect: Callable[[], Any]) -> Any:
    """Call `connect` in a thread of its own and wait at most some seconds. Raises TimeoutError.

    A connection that is made after all is closed at once.
    """
    outcome: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
    lock = threading.Lock()
    given_up = False

    def run() -> None:
        connection, failure = None, None
        try:
            connection = connect()
        except BaseException as error:
            failure = error
        with lock:
            if not given_up:
                outcome.put((connection, failure))
                return
        with suppress(Exception):
            connection.close()  # type: ignore[union-attr]

    threading.Thread(target=run, name="stoa-connect", daemon=True).start()
    try:
        connection, failure = outcome.get(timeout=seconds)
    except queue.Empty:
        with lock:
            given_up = outcome.empty()
        if given_up:
            raise TimeoutError from None
        connection, failure = outcome.get()
    if failure is not None:
        raise failure
    return connection


def _chain(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and following not in chain:
        chain.append(following)
        following = following.__cause__ or following.__context__
    return chain


def keys_of(
    rows: Sequence[tuple[str, str, str | None, str, str | None, str | None, str | None]],
) -> dict[str, tuple[KeyInfo, ...]]:
    """Keys by table, from one row per column in the order of the key.

    A row is (table, kind, name, column, target schema, target table, target column); kind is a KeyInfo kind.
    """
    parts: dict[tuple[str, str, str | None], list[tuple[str | None, ...]]] = {}
    for table, kind, name, *rest in rows:
        parts.setdefault((table, kind, name), []).append(tuple(rest))
    order = ("PRIMARY_KEY", "UNIQUE", "FOREIGN_KEY")
    keys: dict[str, list[KeyInfo]] = {}
    for (table, kind, name), columns in sorted(parts.items(), key=lambda p: (order.index(p[0][1]), p[0][2] or "")):
        foreign = kind == "FOREIGN_KEY"
        keys.setdefault(table, []).append(
            KeyInfo(
                kind,
                name,
                tuple(str(column[0]) for column in columns),
                columns[0][1] if foreign else None,
                columns[0][2] if foreign else None,
                tuple(str(column[3]) for column in columns) if foreign else (),
            )
        )
    return {table: tuple(found) for table, found in keys.items()}


def quoted(name: str, mark: str = '"') -> str:
    """An identifier in quotes, for the few places that take no bound value."""
    return f"{mark}{name.replace(mark, mark * 2)}{mark}"


def whole(number: Any) -> int | None:
    """A number of the catalog as an int; drivers hand them out as Decimal, str or int."""
    return None if number is None or number == "" else int(number)
