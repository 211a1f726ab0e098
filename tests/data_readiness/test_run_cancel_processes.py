"""A run is canceled at one process while another one works on it; nothing goes on in the source."""

from collections.abc import Callable, Iterator

import psycopg
import pytest

from tests.support.place import Place, place
from tests.support.postgres import PostgresServer
from tests.support.server import until

__all__ = ["place"]

pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def source(postgres_server: PostgresServer) -> Iterator[str]:
    """A source whose only relation takes hours to read."""
    url = postgres_server.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create view slow as select i, pg_sleep(60)::text as slept from generate_series(1, 100) i")
    yield url
    postgres_server.drop_database(url)


def running(source: str) -> int:
    """How many statements sleep in the source."""
    with psycopg.connect(source) as connection:
        found = connection.execute(
            "select count(*) from pg_stat_activity where datname = current_database() and state = 'active' "
            "and wait_event = 'PgSleep'"
        ).fetchone()
    assert found is not None
    return int(found[0])


def test_canceling_at_one_process_stops_what_another_one_runs_in_the_source(
    place: Callable[..., Place], source: str, postgres_url: str
) -> None:
    own = place(database_url=postgres_url, in_process_worker=False)
    client = own.client(own.serve())
    worker = own.work()
    ingestion = client.configure(source)
    assert client.over(f"{ingestion}/{client('POST', ingestion, json={})['id']}")["status"] == "completed"
    made = client("POST", "/data-readiness/workflows", json={"name": "Look", "workflow_type": "profiling"})
    runs = f"/data-readiness/workflows/{made['id']}/runs"
    run = f"{runs}/{client('POST', runs, json={})['id']}"
    until(lambda: running(source) > 0, "a statement in the source")
    assert client("POST", f"{run}/cancel", json={})["status"] == "canceled"
    until(lambda: running(source) == 0, "the end of the statement")
    # The worker is free again: what comes next is not held up.
    assert client.over(f"{ingestion}/{client('POST', ingestion, json={})['id']}")["status"] == "completed"
    found = client("GET", run)
    assert (found["status"], {task["status"] for task in found["tasks"]}) == ("canceled", {"canceled"})
    assert worker.process.poll() is None
