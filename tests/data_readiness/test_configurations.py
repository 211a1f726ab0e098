"""Changing and deleting workflow configurations, and what a run takes from them."""

from typing import Any
from uuid import uuid4

import pytest

from resolvers.data_readiness.runs.operations import get_workflow_run, list_workflow_runs, trigger_run
from resolvers.data_readiness.workflows import (
    delete_workflow_configuration,
    get_workflow_configuration,
    list_workflow_configurations,
    update_workflow_configuration,
)
from schema.data_readiness.workflow import WorkflowConfigurationUpdate
from schema.data_readiness.workflow_run import RunCreate
from tests.data_readiness.workflows import configure, run_in
from tests.doors import Door
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]


async def update(world: World, door: Door, id: str, headers: dict[str, str] | None = None, **given: Any) -> Any:
    """The answer to an update by the owner."""
    changes = WorkflowConfigurationUpdate.model_validate(given)
    return await door(update_workflow_configuration, world.owner, headers or {}, configuration_id=id, changes=changes)


async def schedules(world: World) -> list[tuple[Any, ...]]:
    """The rows of schedules."""
    return (await world.dump())["schedules"]


async def test_only_what_is_sent_changes(world: World, door: Door) -> None:
    made = await configure(
        world, door, description="d", config={"a": 1}, triggers=["manual"], schedule={"cron_expression": "0 4 * * *"}
    )
    changed = await update(world, door, made["id"], name="New", config={"b": [2]})
    assert changed == made | {"name": "New", "config": {"b": [2]}, "updated_at": changed["updated_at"]}
    assert changed["updated_at"] > made["updated_at"]
    cleared = await update(
        world, door, made["id"], description=None, schedule=None, triggers=[], data_asset_types=["table"],
        require_reference_pack=True, status="inactive", config=None,
    )  # fmt: skip
    assert cleared == changed | {
        "description": None, "schedule": None, "triggers": [], "data_asset_types": ["table"], "config": {},
        "require_reference_pack": True, "status": "inactive", "updated_at": cleared["updated_at"],
    }  # fmt: skip
    assert await door(get_workflow_configuration, world.owner, configuration_id=made["id"]) == cleared


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "n" * 256}, "name"),
        ({"description": "d" * 1001}, "description"),
        ({"triggers": ["t"] * 51}, "triggers"),
        ({"triggers": ["t" * 65]}, "triggers.0"),
        ({"data_asset_types": [""]}, "data_asset_types.0"),
        ({"schedule": {"cron_expression": "x" * 201}}, "schedule.cron_expression"),
        ({"schedule": {"cron_expression": "61 * * * *"}}, "schedule.cron_expression"),
        ({"schedule": {"cron_expression": "0 0 30 2 *"}}, "schedule.cron_expression"),
        ({"schedule": {"cron_expression": "0 4 * * *", "timezone": "Mars/Olympus"}}, "schedule.timezone"),
    ],
)
async def test_a_change_outside_its_bounds_is_refused(
    world: World, door: Door, given: dict[str, Any], field: str
) -> None:
    id = (await configure(world, door))["id"]
    before = await world.dump()
    wrong = WorkflowConfigurationUpdate.model_construct(_fields_set=set(given), **given)
    refused = await door(update_workflow_configuration, world.owner, configuration_id=id, changes=wrong)
    assert (refused.status, refused.code, refused.details["field"]) == (422, "VALIDATION_ERROR", field)
    assert await world.dump() == before


async def test_what_lies_at_the_bounds_is_taken(world: World, door: Door) -> None:
    id = (await configure(world, door))["id"]
    given = {"name": "n" * 255, "description": "d" * 1000, "triggers": ["t" * 64] * 50}
    changed = await update(world, door, id, **given)
    assert {name: changed[name] for name in given} == given


async def test_a_concurrent_change_is_told(world: World, door: Door) -> None:
    id = (await configure(world, door))["id"]
    await update(world, door, id, {"If-Match": '"1"'}, name="Two")
    before = await world.dump()
    stale = await update(world, door, id, {"If-Match": '"1"'}, name="Three")
    assert (stale.code, stale.status) == ("VERSION_CONFLICT", 409)
    gone = await door(delete_workflow_configuration, world.owner, {"If-Match": '"1"'}, configuration_id=id)
    assert (gone.code, gone.status) == ("VERSION_CONFLICT", 409)
    assert await world.dump() == before


async def test_one_configuration_of_a_type_is_the_default(world: World, door: Door) -> None:
    one = await configure(world, door, is_default=True)
    other = await configure(world, door, workflow_type="intelligence", is_default=True)
    two = await configure(world, door, is_default=True)

    async def defaults() -> set[str]:
        listed = await door(list_workflow_configurations, world.owner)
        return {item["id"] for item in listed["items"] if item["is_default"]}

    assert await defaults() == {two["id"], other["id"]}
    assert (await update(world, door, one["id"], is_default=True))["is_default"] is True
    assert await defaults() == {one["id"], other["id"]}
    await update(world, door, one["id"], is_default=False)
    assert await defaults() == {other["id"]}


async def test_configurations_are_filtered_by_status_and_words(world: World, door: Door) -> None:
    one = await configure(world, door, name="Profile 100%", description="Nightly")
    two = await configure(world, door, name="Weekly", description=None)
    await update(world, door, two["id"], status="inactive")
    for given, expected in (
        ({"status": "active"}, [one]),
        ({"status": "inactive"}, [two]),
        ({"search": "night"}, [one]),
        ({"search": "100%"}, [one]),
        ({"search": "%"}, [one]),
        ({"search": "WEEK", "workflow_type": "profiling"}, [two]),
        ({"search": "week", "workflow_type": "intelligence"}, []),
    ):
        listed = await door(list_workflow_configurations, world.owner, **given)
        assert [item["id"] for item in listed["items"]] == [item["id"] for item in expected], given
    refused = await door(list_workflow_configurations, world.owner, search="s" * 256)
    assert (refused.code, refused.status) == ("INVALID_PARAMETER", 400)


async def test_an_inactive_configuration_is_not_triggered(world: World, door: Door) -> None:
    id = (await configure(world, door))["id"]
    await update(world, door, id, status="inactive")
    before = await world.dump()
    refused = await door(trigger_run, world.owner, configuration_id=id, run=RunCreate())
    assert (refused.code, refused.status, refused.details) == ("VALIDATION_ERROR", 422, {"field": "status"})
    assert await world.dump() == before
    await update(world, door, id, status="active")
    assert isinstance(await door(trigger_run, world.owner, configuration_id=id, run=RunCreate()), dict)


async def test_a_reference_pack_that_is_required_must_be_named(world: World, door: Door) -> None:
    id = (await configure(world, door, require_reference_pack=True))["id"]
    refused = await door(trigger_run, world.owner, configuration_id=id, run=RunCreate())
    assert (refused.status, refused.details["field"]) == (422, "parameters.context_pack_id")
    named = RunCreate(parameters={"context_pack_id": "pack"})
    assert isinstance(await door(trigger_run, world.owner, configuration_id=id, run=named), dict)
    await update(world, door, id, config={"context_pack_id": "pack"})
    assert isinstance(await door(trigger_run, world.owner, configuration_id=id, run=RunCreate()), dict)


async def test_the_schedule_follows_its_configuration(world: World, door: Door) -> None:
    id = (await configure(world, door))["id"]
    assert await schedules(world) == []
    await update(world, door, id, schedule={"cron_expression": "0 4 * * *", "timezone": "Europe/Berlin"})
    assert len(await schedules(world)) == 1
    assert "Europe/Berlin" in str(await schedules(world))
    await update(world, door, id, schedule=None)
    assert await schedules(world) == []
    await update(world, door, id, schedule={"cron_expression": "0 4 * * *"})
    assert isinstance(await door(delete_workflow_configuration, world.owner, configuration_id=id), dict)
    assert await schedules(world) == []


async def test_a_deleted_configuration_is_gone_and_its_runs_stay(world: World, door: Door) -> None:
    configuration = await configure(world, door)
    id = configuration["id"]
    run = await run_in(world, configuration, "completed")
    done = await door(delete_workflow_configuration, world.owner, configuration_id=id)
    assert done == {"message": "The workflow configuration is deleted. Its runs can still be read."}
    gone = {"resource_type": "workflow_configuration", "resource_id": id}
    for refused in (
        await door(get_workflow_configuration, world.owner, configuration_id=id),
        await update(world, door, id, name="New"),
        await door(delete_workflow_configuration, world.owner, configuration_id=id),
        await door(trigger_run, world.owner, configuration_id=id, run=RunCreate()),
    ):
        assert (refused.code, refused.details) == ("RESOURCE_NOT_FOUND", gone)
    assert (await door(list_workflow_configurations, world.owner))["total"] == 0
    assert (await door(get_workflow_run, world.owner, configuration_id=id, run_id=run))["id"] == run
    assert (await door(list_workflow_runs, world.owner, configuration_id=id))["total"] == 1


@pytest.mark.parametrize("status", ["pending", "running"])
async def test_a_configuration_with_an_open_run_is_not_deleted(world: World, door: Door, status: str) -> None:
    configuration = await configure(world, door)
    run = await run_in(world, configuration, status)
    before = await world.dump()
    refused = await door(delete_workflow_configuration, world.owner, configuration_id=configuration["id"])
    assert (refused.code, refused.status, refused.details) == (
        "VALIDATION_ERROR", 422,
        {"field": "configuration_id", "resource_type": "workflow_run", "resource_id": run},
    )  # fmt: skip
    assert await world.dump() == before


async def test_another_tenants_configuration_is_not_found(world: World, door: Door) -> None:
    id = (await configure(world, door))["id"]
    before = await world.dump()
    changes = WorkflowConfigurationUpdate.model_validate({"name": "Mine"})
    for token, wanted in ((world.foreign_owner, id), (world.owner, str(uuid4()))):
        for refused in (
            await door(update_workflow_configuration, token, configuration_id=wanted, changes=changes),
            await door(delete_workflow_configuration, token, configuration_id=wanted),
        ):
            assert (refused.code, refused.details["resource_id"]) == ("RESOURCE_NOT_FOUND", wanted)
    assert await world.dump() == before


async def test_runs_are_filtered_by_name_and_time(world: World, door: Door) -> None:
    configuration = await configure(world, door)
    about = {"configuration_id": configuration["id"]}
    one = await run_in(world, configuration, "completed", asset_fqn="svc.a")
    middle = world.clock().isoformat()
    two = await run_in(world, configuration, "failed", asset_fqn="svc.a.b")
    three = await run_in(world, configuration, "failed", asset_fqn="svc.ab")
    for given, expected in (
        ({"asset_fqn": "svc.a"}, [two, one]),
        ({"asset_fqn": "svc"}, [three, two, one]),
        ({"started_before": middle}, [one]),
        ({"started_after": middle, "status": "failed"}, [three, two]),
    ):
        listed = await door(list_workflow_runs, world.owner, **about, **given)
        assert [item["id"] for item in listed["items"]] == expected, given
    wrong = await door(list_workflow_runs, world.owner, **about, asset_fqn="a..b")
    assert (wrong.code, wrong.status, wrong.details["field"]) == ("INVALID_PARAMETER", 400, "asset_fqn")
