"""Runs as events of OpenLineage: what they read, how they ended, and nothing that the caller may not read."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from persistence.tables.data_readiness import workflow_runs
from resolvers.assets.data_connections import create_data_connection
from resolvers.data_readiness.runs.openlineage import get_run_openlineage
from resolvers.engines.lineage.openlineage import read_event
from schema.assets.data_connection import DataConnectionCreate
from tests.data_readiness.workflows import cataloged, configure, run_in, written
from tests.doors import Door, Refused
from tests.world import World

pytestmark = pytest.mark.anyio

TABLES = ["svc.db.sch.orders", "svc.db.sch.customers", "svc.vault.sch.secret"]


async def planned(world: World, door: Door, status: str, *tables: str) -> dict[str, Any]:
    """A run that was planned for some tables."""
    configuration = await configure(world, door)
    run = await run_in(world, configuration, status)
    row = {
        "organization_id": "acme", "project_id": world.shop, "run_id": run, "status": "completed", "counts": {},
        "revision": 1,
    }  # fmt: skip
    rows = [
        row | {"id": str(uuid4()), "position": at, "name": one, "arguments": {"step": "measure", "tables": [one]}}
        for at, one in enumerate([*tables, *tables[:1]])
    ]

    def work(uow: Any) -> None:
        uow.run_tasks.plan(run, rows)
        values = {"started_at": world.clock(), "error_message": "Gone." if status == "failed" else None}
        uow.connection.execute(workflow_runs.update().where(workflow_runs.c.id == run).values(**values))

    await written(world, work)
    return {"configuration_id": UUID(configuration["id"]), "run_id": UUID(run)}


@pytest.fixture
async def hidden(world: World, door: Door) -> str:
    """A catalog of two connections, the second of the whole organization and of no project; its URI."""
    await cataloged(world, *(f"{table}.id" for table in TABLES), data_type="INTEGER")
    uris = []
    for name in ("First", "Vault"):
        address = {"host": f"{name.lower()}.test", "database": "d"}
        connection = DataConnectionCreate(
            name=name,
            connection_type="postgres",
            database_config=address,
            credentials={"username": "u", "password": "p"},
            organization_wide=name == "Vault",
        )
        made = await door(create_data_connection, world.owner, connection=connection)
        uris.append(made["resource_uri"])

    def work(uow: Any) -> None:
        from persistence.tables.catalog import metadata_assets

        for prefix, uri in (("svc.db", uris[0]), ("svc.vault", uris[1])):
            of = metadata_assets.c.fully_qualified_name.startswith(prefix)
            uow.connection.execute(metadata_assets.update().where(of).values(resource_uri=uri))

    await written(world, work)
    return str(uris[1])


@pytest.mark.parametrize(
    ("status", "kinds"),
    [("running", ["START"]), ("completed", ["START", "COMPLETE"]), ("failed", ["START", "FAIL"])],
)
async def test_a_run_is_told_as_it_began_and_as_it_ended(
    world: World, door: Door, hidden: str, status: str, kinds: list[str]
) -> None:
    run = await planned(world, door, status, *TABLES, "svc.db.sch.gone")
    told = await door(get_run_openlineage, world.owner, **run)
    assert not isinstance(told, Refused), told
    assert ([one["eventType"] for one in told["events"]], told["hidden"], told["complete"]) == (kinds, 0, True)
    last = told["events"][-1]
    assert last["run"]["runId"] == str(run["run_id"])
    assert ("errorMessage" in last["run"]["facets"]) == (status == "failed")
    assert last["eventTime"].endswith("Z")
    inputs = {(one["namespace"], one["name"]): one["facets"]["schema"]["fields"] for one in last["inputs"]}
    assert inputs == {
        ("postgres://first.test:5432", "db.sch.orders"): [{"name": "id", "type": "INTEGER"}],
        ("postgres://first.test:5432", "db.sch.customers"): [{"name": "id", "type": "INTEGER"}],
        ("postgres://vault.test:5432", "vault.sch.secret"): [{"name": "id", "type": "INTEGER"}],
    }
    read = read_event(last["job"], last["inputs"], last["outputs"])
    assert (read.job.split("/")[-1], len(read.inputs), read.outputs) == (f"profiling.{run['configuration_id']}", 3, ())


async def test_tables_that_the_caller_may_not_read_are_counted_alone(world: World, door: Door, hidden: str) -> None:
    run = await planned(world, door, "completed", *TABLES)
    nobody = await door(get_run_openlineage, world.token("nobody", project=world.shop), **run)
    assert isinstance(nobody, Refused)
    assert nobody.status in (403, 404)
    viewer = await door(get_run_openlineage, await world.member("viewer"), **run)
    assert (viewer["hidden"], len(viewer["events"][0]["inputs"]), "secret" in str(viewer)) == (1, 2, False)
    unbegun = await planned(world, door, "pending", *TABLES)

    def not_begun(uow: Any) -> None:
        of = workflow_runs.c.id == str(unbegun["run_id"])
        uow.connection.execute(workflow_runs.update().where(of).values(started_at=None))

    await written(world, not_begun)
    assert (await door(get_run_openlineage, world.owner, **unbegun))["events"] == []
