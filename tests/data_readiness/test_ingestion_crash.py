"""Servers and workers are killed with SIGKILL in the middle of ingestions; the runs end all the same, nothing twice."""

import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from uuid import uuid4

import psycopg
import pytest
import sqlalchemy as sa

from persistence.tables.catalog import metadata_assets, metadata_versions
from persistence.tables.data_readiness import run_tasks, workflow_runs
from tests.support.place import Place, place
from tests.support.postgres import PostgresServer
from tests.support.server import Gate, Process, statements_for, stoa, until

__all__ = ["place"]

pytestmark = pytest.mark.timeout(900)

TABLES, COLUMNS = {"sales": 160, "stock": 90}, 6
TASKS = 6  # 160 tables in four batches, 90 in two
ASSETS = 1 + 2 + 250 + 250 * COLUMNS


@pytest.fixture(scope="module")
def source(postgres_server: PostgresServer) -> Iterator[str]:
    """A source database of 250 tables in two schemas."""
    url = postgres_server.create_database()
    with psycopg.connect(url) as connection:
        connection.execute("drop schema public")
        for statement in statements_for(TABLES, COLUMNS):
            connection.execute(statement.encode())
    yield url
    postgres_server.drop_database(url)


@pytest.fixture
def gate(postgres_server: PostgresServer) -> Iterator[Gate]:
    """The only way from the platform to the source."""
    with Gate(postgres_server.host, postgres_server.port, delay=0.02) as gate:
        yield gate


@pytest.fixture(scope="module")
def uninterrupted(source: str, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The catalog of a platform that nobody disturbed."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    assert stoa(folder, "bootstrap", "--org", "acme", "--owner", "olga").returncode == 0
    with ExitStack() as started:
        own = Place(folder, {}, started)
        client = own.client(own.serve())
        runs = client.configure(source)
        run = client.over(f"{runs}/{client('POST', runs, json={})['id']}")
        assert (run["status"], run["output"]["created"]) == ("completed", ASSETS), run
        return own.catalog()


def assert_whole(place: Place, run: dict[str, Any], wanted: list[str]) -> None:
    """The run is completed and the catalog is the undisturbed one: each asset once, each at its first version."""
    assert (run["status"], run["error_message"]) == ("completed", None)
    assert run["output"] == {
        "created": ASSETS,
        "updated": 0,
        "unchanged": 0,
        "vanished": 0,
        "restored": 0,
        "violations_resolved": 0,
        "tasks": TASKS,
        "failed_tasks": 0,
    }
    assert place.catalog() == wanted
    assert len(wanted) == ASSETS
    versions = sa.select(metadata_assets.c.version_major, metadata_assets.c.version_minor).distinct()
    assert place.rows(versions) == [(0, 1)]
    assert place.rows(sa.select(metadata_versions)) == []
    tasks = place.rows(sa.select(run_tasks.c.position, run_tasks.c.status).order_by(run_tasks.c.position))
    assert tasks == [(position, "completed") for position in range(TASKS)]


@pytest.mark.parametrize("connections", [0, 2, TASKS], ids=["in the plan", "in the second task", "in the last task"])
def test_a_server_killed_while_it_reads_finishes_its_run_after_its_restart(
    place: Callable[..., Place], source: str, gate: Gate, uninterrupted: list[str], connections: int
) -> None:
    own = place()
    server = own.serve()
    client = own.client(server)
    runs = client.configure(gate.url(source))
    gate.allow(connections)
    run = f"{runs}/{client('POST', runs, json={})['id']}"
    gate.until_held()
    assert client.done(run) == max(0, connections - 1)
    server.kill()
    gate.let_through()
    assert_whole(own, own.client(own.serve(), client.project).over(run), uninterrupted)


@pytest.mark.parametrize("tasks", [1, 3])
def test_a_server_killed_while_it_writes_finishes_its_run_after_its_restart(
    place: Callable[..., Place], source: str, gate: Gate, uninterrupted: list[str], tasks: int
) -> None:
    own = place()
    server = own.serve()
    client = own.client(server)
    runs = client.configure(gate.url(source))
    gate.allow(tasks)
    run = f"{runs}/{client('POST', runs, json={})['id']}"
    gate.until_held()
    gate.allow(0)  # the task at the gate reads now and writes then; the one behind it waits
    until(lambda: gate.arrived > tasks + 1 or client.done(run) >= tasks, "the task that writes")
    server.kill()
    assert client.project
    gate.let_through()
    assert_whole(own, own.client(own.serve(), client.project).over(run), uninterrupted)


def test_a_server_killed_again_and_again_finishes_its_run_in_the_end(
    place: Callable[..., Place], source: str, gate: Gate, uninterrupted: list[str]
) -> None:
    own = place()
    server = own.serve()
    client = own.client(server)
    runs = client.configure(gate.url(source))
    gate.allow(2)
    run = f"{runs}/{client('POST', runs, json={})['id']}"
    for _ in range(3):
        gate.until_held()
        server.kill()
        gate.allow(2)  # what was cut off is begun again, and one more
        server = own.serve()
    gate.let_through()
    assert_whole(own, own.client(server, client.project).over(run), uninterrupted)


def test_a_run_that_was_written_down_and_never_queued_is_taken_up_at_the_next_start(
    place: Callable[..., Place], source: str, gate: Gate, uninterrupted: list[str]
) -> None:
    own = place()
    server = own.serve()
    client = own.client(server)
    runs = client.configure(gate.url(source))
    gate.allow(0)
    first = client("POST", runs, json={})["id"]
    client("POST", f"{runs}/{first}/cancel", json={})
    server.kill()
    # What a process leaves that dies between the two: the row of a run, and nothing in the job engine.
    lost = str(uuid4())
    engine = sa.create_engine(own.url)
    with engine.begin() as connection:
        row = connection.execute(sa.select(workflow_runs).where(workflow_runs.c.id == first)).mappings().one()
        fresh = {"id": lost, "status": "pending", "completed_at": None, "revision": 1}
        connection.execute(workflow_runs.insert(), [dict(row) | fresh])
    engine.dispose()
    gate.let_through()
    client = own.client(own.serve(), client.project)
    assert_whole(own, client.over(f"{runs}/{lost}"), uninterrupted)
    assert client("GET", f"{runs}/{first}")["status"] == "canceled"


def test_a_server_that_is_asked_to_stop_ends_soon_and_its_run_goes_on_later(
    place: Callable[..., Place], source: str, gate: Gate, uninterrupted: list[str]
) -> None:
    own = place(job_stop_seconds=0.2)
    server = own.serve()
    client = own.client(server)
    runs = client.configure(gate.url(source))
    gate.allow(3)
    run = f"{runs}/{client('POST', runs, json={})['id']}"
    gate.until_held()
    server.ask_to_stop()
    assert server.ended() == 0, server.text[-3000:]
    [(status,)] = own.rows(sa.select(workflow_runs.c.status))
    assert status == "running"
    gate.let_through()
    assert_whole(own, own.client(own.serve(), client.project).over(run), uninterrupted)


def test_a_run_that_was_canceled_stays_canceled_after_a_kill(
    place: Callable[..., Place], source: str, gate: Gate
) -> None:
    own = place()
    server = own.serve()
    client = own.client(server)
    runs = client.configure(gate.url(source))
    gate.allow(2)
    run = f"{runs}/{client('POST', runs, json={})['id']}"
    gate.until_held()
    assert client("POST", f"{run}/cancel", json={})["status"] == "canceled"
    server.kill()
    arrived = gate.arrived
    gate.let_through()
    client = own.client(own.serve(), client.project)
    second = client.over(f"{runs}/{client('POST', runs, json={})['id']}")
    assert (second["status"], second["output"]["created"]) == ("completed", ASSETS - (2 + 50 * (COLUMNS + 1)))
    assert client("GET", run)["status"] == "canceled"
    assert gate.arrived == arrived + 1 + TASKS, "nothing of the canceled run went to the source again"


def _holder(store: str, key: str) -> int:
    """The process that holds a piece of work, by a pattern of its id; 0 when nobody does."""
    with psycopg.connect(store) as connection:
        row = connection.execute(
            "select executor_id from dbos.workflow_status where workflow_uuid like %s and status = 'PENDING'", (key,)
        ).fetchone()
    return int(row[0].split("-")[-2]) if row and row[0] else 0


@pytest.mark.parametrize("held", ["the run", "the task"])
def test_the_other_worker_finishes_the_run_of_one_that_was_killed(
    place: Callable[..., Place], source: str, gate: Gate, uninterrupted: list[str], postgres_url: str, held: str
) -> None:
    own = place(
        database_url=postgres_url,
        in_process_worker=False,
        worker_heartbeat_seconds=0.3,
        worker_dead_seconds=1.5,
    )
    server = own.serve()
    workers = {worker.process.pid: worker for worker in (own.work(), own.work())}
    client = own.client(server)
    runs = client.configure(gate.url(source))
    gate.allow(2)
    run_id = client("POST", runs, json={})["id"]
    gate.until_held()
    # Of two tasks at once either may be the one that waits at the gate.
    key = run_id if held == "the run" else f"{run_id}/%"
    victim = until(lambda: _holder(postgres_url, key), "a worker that holds it")
    assert victim in workers, "the API process runs nothing"
    workers[victim].kill()
    gate.let_through()
    assert_whole(own, client.over(f"{runs}/{run_id}"), uninterrupted)
    with psycopg.connect(postgres_url) as connection:
        [(total,)] = connection.execute("select count(*) from metadata_assets").fetchall()
    assert total == ASSETS


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_two_runs_of_one_connection_at_a_time_leave_one_catalog(
    place: Callable[..., Place], source: str, uninterrupted: list[str], postgres_url: str, kind: str
) -> None:
    own = place(job_concurrency=4, database_url=postgres_url if kind == "postgresql" else None)
    client = own.client(own.serve())
    runs = client.configure(source)
    ids = [client("POST", runs, json={})["id"] for _ in range(2)]
    ended = [client.over(f"{runs}/{run}") for run in ids]
    assert [run["status"] for run in ended] == ["completed", "completed"], ended
    totals = Counter[str]()
    for run in ended:
        totals.update(run["output"])
    assert (totals["created"], totals["unchanged"]) == (ASSETS, ASSETS)
    assert (totals["updated"], totals["vanished"], totals["restored"]) == (0, 0, 0)
    assert own.catalog() == uninterrupted


def test_a_second_server_on_the_same_folder_ends_with_a_sentence(place: Callable[..., Place]) -> None:
    own = place()
    own.serve()
    with Process(own.folder, "serve", "--port", "0", settings=own.settings) as second:
        try:
            assert second.ended() == 1
        except subprocess.TimeoutExpired:
            pytest.fail(second.text[-2000:])
        assert "Stoa could not start: Another server already runs jobs in" in second.text
