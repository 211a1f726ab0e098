"""A whole table that is profiled while its source breaks off: what the source said is what is told."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from persistence.connectors.core.base import Connector, ConnectorError
from persistence.samples.postgres import database_name
from resolvers.engines.profiling import Header, profile_table
from schema.data_readiness.profile import ProfileTier
from schema.data_readiness.source import ColumnFacts, TableFacts
from tests.persistence.connectors.sql_support import opened
from tests.support.postgres import PostgresServer

HEADER = Header("p", "r", datetime(2024, 1, 1, tzinfo=UTC))
FACTS = TableFacts(
    "s.d.public.t", "u", "", "public", "t",
    (ColumnFacts("s.d.public.t.id", "id", 1, "BIGINT"), ColumnFacts("s.d.public.t.w", "w", 2, "TEXT")),
)  # fmt: skip


@pytest.fixture(scope="module")
def connector_of(postgres_server: PostgresServer) -> Iterator[Any]:
    """A way to open a database with a table of some megabytes."""
    url = postgres_server.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "create table t as select i::bigint as id, repeat('x', 100) as w from generate_series(1, 200000) i"
        )
    config = {"host": postgres_server.host, "port": postgres_server.port, "database": database_name(url)}
    login = {"username": postgres_server.user, "password": postgres_server.password}

    def open_one(**limits: Any) -> tuple[Connector, TableFacts]:
        return opened("postgres", config, login, **limits), replace(FACTS, database=config["database"])

    yield open_one
    postgres_server.drop_database(url)


def test_a_profile_whose_source_is_cancelled_says_so(connector_of: Any) -> None:
    connector, facts = connector_of()

    def progress(done: int, total: int | None) -> None:
        if done:
            connector.cancel()

    with connector, connector.source() as source, pytest.raises(ConnectorError) as stopped:
        profile_table(source, facts, HEADER, tier=ProfileTier.FULL, rows=100, progress=progress)
    assert stopped.value.kind == "cancelled"
    assert "_one_pass" in [frame.name for frame in stopped.traceback]
