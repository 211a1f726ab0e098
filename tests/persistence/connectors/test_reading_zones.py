"""Days are those of UTC, wherever the source or this process stands: `yesterday` is one day in a whole answer."""

import os
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlglot

from persistence.connectors.postgres import arrow as postgres_arrow
from persistence.samples.postgres import database_name
from tests.persistence.connectors.sql_support import opened as opened_database
from tests.persistence.connectors.test_files import put_parquet
from tests.persistence.connectors.test_reading_files import reading
from tests.support.postgres import PostgresServer

NIGHT = "2026-01-01 03:00:00+00"
"""Three in the morning by UTC, and the evening before in California."""


@pytest.fixture
def in_california(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process's clock is set to another place."""
    before = os.environ.get("TZ")
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    time.tzset()
    yield
    monkeypatch.delenv("TZ") if before is None else monkeypatch.setenv("TZ", before)
    time.tzset()


def asked(source: Any, table: str) -> list[Any]:
    """The day of a moment, and whether it lies in that day when the day's beginning has no zone."""
    query = f"""select cast("at" as date), "at" >= cast('2026-01-01' as timestamp) from {table}"""
    rows: list[Any] = source.ask(sqlglot.parse_one(query, dialect="duckdb"))
    return rows


def test_the_days_of_a_postgresql_in_another_zone_are_those_of_utc(postgres_server: PostgresServer) -> None:
    url = postgres_server.create_database()
    name = database_name(url)
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"create table night (at timestamptz); insert into night values ('{NIGHT}')")
            connection.execute(f"alter database \"{name}\" set timezone to 'America/Los_Angeles'".encode())
        config = {"host": postgres_server.host, "port": postgres_server.port, "database": name}
        credentials = {"username": postgres_server.user, "password": postgres_server.password}
        with opened_database("postgres", config, credentials) as connector, connector.source() as source:
            source.relation(name, "public", "night")
            assert asked(source, '"public"."night"') == [(date(2026, 1, 1), True)]
            if postgres_arrow.driver() is not None:
                query = sqlglot.parse_one('select cast("at" as date) as day from "public"."night"', dialect="duckdb")
                days = [row["day"] for batch in source.arrow_batches(query) for row in batch.to_pylist()]
                assert days == [date(2026, 1, 1)]
    finally:
        postgres_server.drop_database(url)


@pytest.mark.usefixtures("in_california")
def test_the_days_of_files_are_those_of_utc_wherever_they_are_read(tmp_path: Path) -> None:
    tree = tmp_path / "warehouse"
    tree.mkdir()
    put_parquet(tree, "night.parquet", f"select timestamptz '{NIGHT}' as at")
    with reading(tree) as source:
        relation = source.relation("warehouse", "root", "night")
        assert asked(source, f'"main"."{relation.name}"') == [(date(2026, 1, 1), True)]
