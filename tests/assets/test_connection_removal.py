"""Removing a data connection, through both doors and on both stores: what goes, what stays, what forbids it."""

from typing import Any
from uuid import uuid4

import pytest

from persistence.tables.data_readiness import run_targets, workflow_runs
from resolvers.assets.connection_removal import delete_data_connection
from resolvers.assets.data_connections import (
    create_data_connection,
    get_data_connection,
    get_data_connection_secret,
    list_data_connections,
    update_data_connection,
)
from resolvers.data_readiness.runs.operations import trigger_run
from resolvers.data_readiness.workflows import create_workflow_configuration, get_workflow_configuration
from resolvers.governance.secrets import create_resource_secret, list_resource_secrets
from resolvers.utils.metadata import create_metadata, delete_metadata, get_metadata, search_metadata
from schema.assets.data_connection import ConnectionType, DataConnectionChange, DataConnectionCreate
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from schema.governance.secret import SecretCreate
from schema.utils.metadata_asset import AssetType, MetadataAssetCreate
from tests.doors import Door
from tests.world import ORG, World

pytestmark = pytest.mark.anyio


async def registered(world: World, door: Door, *, everywhere: bool = False) -> str:
    """A connection with a password; always under the same URI."""
    made = await door(
        create_data_connection,
        world.owner,
        connection=DataConnectionCreate(
            name="store",
            resource_uri="store",
            connection_type=ConnectionType.POSTGRES,
            database_config={"host": "127.0.0.1", "port": 1, "database": "shop"},
            credentials={"username": "u", "password": "quagga"},
            organization_wide=everywhere,
        ),
    )
    uri: str = made["resource_uri"]
    return uri


async def run_at(world: World, door: Door, target: str | None, *, project: str | None = None) -> str:
    """A run that waits; None for one that works on everything in its project."""
    where = project or world.shop
    token = world.token("olga", project=where)
    body = WorkflowConfigurationCreate(name=f"w-{uuid4().hex}", workflow_type=WorkflowType.PROFILING)
    configuration = await door(create_workflow_configuration, token, configuration=body)
    run, tenant = str(uuid4()), {"organization_id": ORG, "project_id": where}
    row: dict[str, Any] = {
        "id": run,
        "configuration_id": configuration["id"],
        "status": "pending",
        "workflow_name": "w",
        "workflow_type": "profiling",
        "save_all": False,
        "created_at": world.clock(),
        "input": {},
        "output": {},
        "caller": {},
        "revision": 1,
    }

    def work(uow: Any) -> None:
        uow.connection.execute(workflow_runs.insert().values(**row, **tenant))
        if target is not None:
            uow.connection.execute(run_targets.insert().values(run_id=run, target_fqn=target, **tenant))

    await world.app.parts.services.store.write(work)
    return run


async def ended(world: World, run: str) -> None:
    """Let a run be over."""
    await world.app.parts.services.store.write(
        lambda uow: uow.connection.execute(
            workflow_runs.update().where(workflow_runs.c.id == run).values(status="completed")
        )
    )


async def test_what_hangs_on_a_connection_goes_with_it_and_nothing_comes_back(world: World, door: Door) -> None:
    uri = await registered(world, door)
    owner, header = world.owner, {"X-Project-ID": world.shop}
    at = {"resource_type": "data_connection", "resource_uri": uri}
    secrets = {"resource_type": "data_connection", "resource_id": uri}
    await door(create_resource_secret, owner, **secrets, secret=SecretCreate(name="extra", value="quagga"))
    for fqn in ("store.main", "other.main"):
        asset = MetadataAssetCreate(type=AssetType.DATABASE, fully_qualified_name=fqn, description="ours")
        await door(create_metadata, owner, header, **at, asset=asset)
    reader = await world.member("viewer", type_="data_connection", id_=uri)
    body = WorkflowConfigurationCreate(
        name="nightly", workflow_type=WorkflowType.SERVICE_INGESTION, config={"resource_uri": uri}
    )
    configuration = await door(create_workflow_configuration, owner, configuration=body)
    assert (await door(search_metadata, owner, header))["total"] == 2

    deleted = await door(delete_data_connection, owner, resource_uri=uri)
    assert (set(deleted), deleted["resource_uri"]) == ({"resource_uri", "message"}, uri)
    for op, arguments in (
        (get_data_connection, {"resource_uri": uri}),
        (get_data_connection_secret, {"resource_uri": uri}),
        (update_data_connection, {"resource_uri": uri, "changes": DataConnectionChange(description="x")}),
        (delete_data_connection, {"resource_uri": uri}),
        (list_resource_secrets, secrets),
    ):
        assert await door(op, owner, **arguments) == "RESOURCE_NOT_FOUND", op.name
    assert (await door(list_data_connections, owner))["total"] == 0
    assert (await door(search_metadata, owner, header))["total"] == 0
    rows = await world.dump()
    assert not [row for row in rows["secrets"] if repr(uri) in row]
    assert not [row for row in rows[f"relations of {ORG}"] if uri in row[0]]
    assert len([row for row in rows["metadata_assets"] if repr(uri) in row]) == 2
    # Its configuration stays, and its run is refused with a sentence.
    assert (await door(get_workflow_configuration, owner, configuration_id=configuration["id"]))["name"] == "nightly"
    refused = await door(trigger_run, owner, configuration_id=configuration["id"], run=RunCreate())
    assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
    assert uri in refused.message

    assert await registered(world, door) == uri
    assert await door(get_data_connection, reader, resource_uri=uri) == "FORBIDDEN"
    assert (await door(get_data_connection_secret, owner, resource_uri=uri)) == {
        "credentials": {"username": "u", "password": "quagga"}
    }
    assert (await door(list_resource_secrets, owner, **secrets))["total"] == 2
    assert await door(get_metadata, owner, header, **at, fqn="store.main") == "RESOURCE_NOT_FOUND"


async def test_a_connection_that_a_run_may_read_stays(world: World, door: Door) -> None:
    uri = await registered(world, door)
    for target in ("store", "store.shop.public"):
        run = await run_at(world, door, target)
        before = await world.dump()
        refused = await door(delete_data_connection, world.owner, resource_uri=uri)
        assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "resource_uri")
        assert run in refused.message
        assert await world.dump() == before
        await ended(world, run)
    await run_at(world, door, "stored.shop")
    await run_at(world, door, "store.shop", project=world.lab)
    stale = await door(delete_data_connection, world.owner, {"If-Match": '"7"'}, resource_uri=uri)
    assert (stale.code, stale.status) == ("VERSION_CONFLICT", 409)
    assert set(await door(delete_data_connection, world.owner, resource_uri=uri)) == {"resource_uri", "message"}


async def test_a_run_on_the_whole_project_keeps_what_the_projects_catalog_is_of_and_nothing_else(
    world: World, door: Door
) -> None:
    uri = await registered(world, door)
    run = await run_at(world, door, None)
    await run_at(world, door, None, project=world.lab)  # whose catalog has nothing of it
    asset = MetadataAssetCreate(type=AssetType.DATABASE, fully_qualified_name="store.main")
    at = {"resource_type": "data_connection", "resource_uri": uri}
    header = {"X-Project-ID": world.shop}
    await door(create_metadata, world.owner, header, **at, asset=asset)
    before = await world.dump()
    refused = await door(delete_data_connection, world.owner, resource_uri=uri)
    assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
    assert refused.details == {"field": "resource_uri", "run_id": run}
    assert run in refused.message
    assert "the whole project" in refused.message
    assert await world.dump() == before
    await door(delete_metadata, world.owner, header, **at, fqn="store.main")
    assert set(await door(delete_data_connection, world.owner, resource_uri=uri)) == {"resource_uri", "message"}


async def test_a_connection_of_the_organization_is_read_from_every_project(world: World, door: Door) -> None:
    uri = await registered(world, door, everywhere=True)
    assert (await door(delete_data_connection, await world.member("owner"), resource_uri=uri)) == "FORBIDDEN"
    run = await run_at(world, door, "store.shop", project=world.lab)
    assert await door(delete_data_connection, world.owner, resource_uri=uri) == "VALIDATION_ERROR"
    await ended(world, run)
    assert set(await door(delete_data_connection, world.owner, resource_uri=uri)) == {"resource_uri", "message"}
