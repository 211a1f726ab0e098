"""Workers and servers are killed with SIGKILL in the middle of run-all-enrichments; everything is there once."""

import random
import re
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import orjson
import pytest
import sqlalchemy as sa

from persistence.migrations.run import whole_metadata
from persistence.tables.data_readiness import pipeline_runs, proposals, run_tasks
from persistence.tables.slots import connection_slots
from tests.support.place import SAID, Place, place
from tests.support.server import Client, stoa, until
from tests.support.shop import source

__all__ = ["place", "source"]

pytestmark = pytest.mark.timeout(900)


_OWN = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+\+00:00")
"""Ids and moments: what differs between two platforms that are told the same."""


def counts(place: Place) -> dict[str, int]:
    """How many rows every table that runs write to has."""
    left_out = ("job_ledger", "workers", "connection_slots", "idempotency_keys", "relation_tuples")
    tables = [table for table in whole_metadata().sorted_tables if table.name not in left_out]
    return {table.name: place.rows(sa.select(sa.func.count()).select_from(table))[0][0] for table in tables}


def said(place: Place) -> list[str]:
    """Every proposal of the platform, with where it stands, in its order."""
    table = proposals.c
    query = sa.select(
        table.position, table.asset_fqn, table.kind, table.field, table.proposed_value, table.confidence, table.state
    )
    rows = place.rows(query.order_by(table.position))
    return [_OWN.sub("own", orjson.dumps(row, option=orjson.OPT_SORT_KEYS).decode()) for row in rows]


def pipeline(place: Place) -> dict[str, Any]:
    """The pipeline as it stands."""
    names = (
        "status", "total_tables", "completed_tables", "failed_tables", "total_schemas", "completed_schemas",
        "failed_schemas",
    )  # fmt: skip
    [row] = place.rows(sa.select(*(pipeline_runs.c[name] for name in names)))
    return dict(zip(names, row, strict=True))


def ingested(client: Client, source: str) -> None:
    """The source's catalog, on a platform."""
    runs = client.configure(source)
    run = client.over(f"{runs}/{client('POST', runs, json={})['id']}")
    assert run["status"] == "completed", run


def begin(client: Client) -> str:
    """Trigger a run-all-enrichment of everything; its path."""
    configuration = client(
        "POST", "/data-readiness/workflows", json={"name": "All", "workflow_type": "run-all-enrichment"}
    )
    runs = f"/data-readiness/workflows/{configuration['id']}/runs"
    started = client("POST", runs, json={"asset_fqn": "shop", "save_all": True})
    return f"{runs}/{started['id']}"


def figures(run: dict[str, Any]) -> dict[str, Any]:
    """Return what a run came to, without what differs between two."""
    output = dict(run["output"])
    assert output.pop("report_uri").endswith(f":report-{run['id']}")
    return {name: value for name, value in output.items() if name != "pipeline_id"}


Undisturbed = tuple[dict[str, Any], dict[str, int], list[str], dict[str, Any], list[str]]


def everything(place: Place, run: dict[str, Any]) -> Undisturbed:
    """All that two platforms must agree about."""
    # The words that a search looks in stand in whichever order the store gave the columns.
    rows = place.rows(sa.select(*(column for column in SAID if column.name != "search_words")))
    catalog = sorted(_OWN.sub("own", orjson.dumps(row, option=orjson.OPT_SORT_KEYS).decode()) for row in rows)
    return figures(run), counts(place), said(place), pipeline(place), catalog


@pytest.fixture(scope="module")
def undisturbed(source: str, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Return what a platform says that nobody disturbed."""
    folder = tmp_path_factory.mktemp("undisturbed")
    assert stoa(folder, "bootstrap", "--org", "acme", "--owner", "olga").returncode == 0
    with ExitStack() as started:
        own = Place(folder, {}, started)
        client = own.client(own.serve())
        ingested(client, source)
        run = client.over(begin(client))
        assert (run["status"], run["error_message"]) == ("completed", None), run
        whole = everything(own, run)
    progress = whole[3]
    assert progress == {
        "status": "completed", "total_tables": 12, "completed_tables": 12, "failed_tables": 0, "total_schemas": 2,
        "completed_schemas": 2, "failed_schemas": 0,
    }  # fmt: skip
    assert whole[1]["table_profiles"] == 6
    assert len(whole[2]) > 20
    return whole


def assert_the_same(place: Place, run: dict[str, Any], wanted: Undisturbed) -> None:
    """The run has ended as the undisturbed one did, and left the same behind."""
    assert (run["status"], run["error_message"]) == ("completed", None)
    found = everything(place, run)
    for mine, other in zip(found, wanted, strict=True):
        assert mine == other
    statuses = place.rows(sa.select(run_tasks.c.status).distinct())
    assert statuses == [("completed",)]
    until(lambda: place.rows(sa.select(sa.func.count()).select_from(connection_slots)) == [(0,)], "free places")


def moments(seed: int, tasks: int, kills: int) -> list[tuple[int, float]]:
    """When to kill: after how many tasks, and how long after that."""
    chosen = random.Random(seed)
    return [(at, chosen.uniform(0, 0.4)) for at in sorted(chosen.sample(range(tasks - 1), kills))]


@pytest.mark.long  # what is killed in the quick tier is the only server
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_workers_of_whom_one_is_killed_again_and_again_leave_what_an_undisturbed_one_does(
    place: Callable[..., Place], source: str, undisturbed: Undisturbed, postgres_url: str, seed: int
) -> None:
    own = place(
        database_url=postgres_url,
        in_process_worker=False,
        job_concurrency=2,
        worker_heartbeat_seconds=0.3,
        worker_dead_seconds=1.5,
    )
    client = own.client(own.serve())
    workers = [own.work(), own.work()]
    ingested(client, source)
    run = begin(client)
    chosen = random.Random(seed)
    for tasks, pause in moments(seed, undisturbed[0]["tasks"], 3):
        until(lambda: client.done(run) >= tasks, f"{tasks} tasks")  # noqa: B023
        time.sleep(pause)
        victim = chosen.randrange(2)
        workers[victim].kill()
        workers[victim] = own.work()
    assert_the_same(own, client.over(run), undisturbed)


@pytest.mark.parametrize("seed", [4, 5])
def test_a_server_killed_and_restarted_leaves_what_an_undisturbed_one_does(
    place: Callable[..., Place], source: str, undisturbed: Undisturbed, seed: int
) -> None:
    own = place(job_concurrency=2)
    server = own.serve()
    client = own.client(server)
    ingested(client, source)
    run = begin(client)
    for tasks, pause in moments(seed, undisturbed[0]["tasks"], 3):
        until(lambda: client.done(run) >= tasks, f"{tasks} tasks")  # noqa: B023
        time.sleep(pause)
        server.kill()
        server = own.serve()
        client = own.client(server, client.project)
    assert_the_same(own, client.over(run), undisturbed)
