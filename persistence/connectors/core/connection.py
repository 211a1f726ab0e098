"""Defines what reading needs of the connection that it goes through: no connector's class, only these parts of it."""

from collections.abc import Callable, Generator, Iterator
from types import ModuleType
from typing import Any, Protocol, TypeVar

from persistence.connectors.core.base import ConnectorSettings

T = TypeVar("T")


class Selected(Protocol):
    """Describes which tables somebody selected."""

    def has_table(self, database: str, schema: str, table: str) -> bool:
        """Return whether a table is selected."""
        ...


class SqlConnection(Protocol):
    """An open connection to a database, with the limits and the selection that hold on it."""

    @property
    def settings(self) -> ConnectorSettings:
        """The bounds of the deployment."""
        ...

    @property
    def selection(self) -> Selected:
        """The tables that may be read."""
        ...

    def connected(self) -> Any:
        """The driver's connection, made when it is first needed."""
        ...

    def driver(self, module: str, package: str) -> ModuleType:
        """Import a module of the driver. Raises ConnectorError that says how to install it."""
        ...

    def guarded(self, call: Callable[[], T]) -> T:
        """Call the driver; what it raises becomes a ConnectorError without secrets."""
        ...

    def guarded_rows(self, rows: Iterator[T]) -> Generator[T]:
        """`guarded` for rows that are handed out one by one."""
        ...

    def interrupt(self) -> None:
        """Stop what runs on the connection, from any thread."""
        ...


class LeveledConnection(SqlConnection, Protocol):
    """A connection that calls its database level by one name."""

    @property
    def level(self) -> str:
        """The name; empty where there are several databases."""
        ...
