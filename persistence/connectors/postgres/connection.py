"""Defines what reading needs of a connection to PostgreSQL: no connector's class, only these parts of it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import psycopg

from persistence.connectors.core.connection import SqlConnection
from schema.assets.connection_configs.databases import PostgresConfig


class PostgresConnection(SqlConnection, Protocol):
    """An open connection to PostgreSQL or Redshift."""

    @property
    def config(self) -> PostgresConfig:
        """Where it leads, and to which database."""
        ...

    def connected(self) -> psycopg.Connection[Any]:
        """The session, made when it is first needed."""
        ...

    def close(self) -> None:
        """Close the session; the next call of `connected` makes another."""
        ...

    def target(self, addresses: Sequence[str] | None = None) -> dict[str, Any]:
        """Return where and how to connect, as libpq takes it."""
        ...

    def trusted(self) -> AbstractContextManager[dict[str, Any]]:
        """The authorities that the server's certificate is checked against, while a session is being made."""
        ...
