"""Schedules through both doors and on both stores: what may be said, what is kept, and what firing them does."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from persistence.queries import schedules as queries
from resolvers.data_readiness.workflows import create_workflow_configuration
from resolvers.utils.schedule_execution import FIRING_JOB
from resolvers.utils.schedules import (
    create_schedule,
    delete_schedule,
    get_schedule,
    list_schedule_runs,
    list_schedules,
    update_schedule,
)
from schema.data_readiness.workflow import WorkflowConfigurationCreate
from tests.doors import Door, RestDoor
from tests.world import World

pytestmark = pytest.mark.anyio

NOTE = {"type": "NOTIFICATION", "topic": "stock", "extra_data": {"repository": 7}}


def body(**fields: Any) -> dict[str, Any]:
    """A schedule every day at six in Berlin."""
    timing = {"type": "CRON", "cron": "0 6 * * *", "timezone": "Europe/Berlin"}
    return {"schedule_name": "Every morning", "schedule": timing, "config": NOTE} | fields


def at(moment: datetime) -> str:
    """A moment as JSON writes it."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def parsed(text: str) -> datetime:
    """A moment from JSON."""
    return datetime.fromisoformat(text)


async def made(door: Door, world: World, **fields: Any) -> str:
    """A new schedule's id."""
    answer = await door(create_schedule, world.owner, schedule=body(**fields))
    assert list(answer) == ["schedule_id"], answer
    return str(answer["schedule_id"])


async def minutely(door: Door, world: World, **fields: Any) -> str:
    """A schedule of every minute."""
    return await made(door, world, schedule={"type": "CRON", "cron": "* * * * *"}, **fields)


async def passes(world: World, **time: float) -> None:
    """Let time pass and everything that is due be done."""
    world.clock.moment += timedelta(**time)
    await world.app.parts.firings.tick()
    await world.jobs.settle()


async def runs_of(door: Door, world: World, schedule_id: str) -> list[dict[str, Any]]:
    """A schedule's run records, the latest first."""
    items: list[dict[str, Any]] = (await door(list_schedule_runs, world.owner, schedule_id=schedule_id))["items"]
    return items


async def test_a_schedule_is_kept_with_all_its_fields_and_its_next_firing(world: World, door: Door) -> None:
    found = await door(get_schedule, world.owner, schedule_id=await made(door, world, reference_id="r-1"))
    coming = parsed(found.pop("next_run_at"))
    assert coming > world.clock.moment
    assert coming - world.clock.moment <= timedelta(hours=25)
    assert found.pop("created_at") == found.pop("updated_at")
    assert found.pop("schedule_id")
    assert found == {
        "schedule_name": "Every morning",
        "schedule": {"type": "CRON", "cron": "0 6 * * *", "timezone": "Europe/Berlin", "run_at": None},
        "reference_id": "r-1",
        "config": NOTE,
        "enabled": True,
        "configuration_id": None,
        "organization_id": "acme",
        "project_id": world.shop,
        "last_run_at": None,
        "created_by": "olga",
        "updated_by": "olga",
    }


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"schedule_name": ""}, "VALIDATION_ERROR", "schedule_name"),
        ({"schedule_name": "x" * 256}, "VALIDATION_ERROR", "schedule_name"),
        ({"reference_id": "x" * 256}, "VALIDATION_ERROR", "reference_id"),
        ({"config": NOTE | {"topic": ""}}, "VALIDATION_ERROR", "config.topic"),
        ({"config": NOTE | {"topic": "x" * 256}}, "VALIDATION_ERROR", "config.topic"),
        ({"config": NOTE | {"extra_data": {"a": "x" * 16_377}}}, "VALIDATION_ERROR", "config.extra_data"),
        ({"config": None}, "MISSING_REQUIRED_FIELD", "config"),
        ({"schedule": {"type": "CRON", "cron": "60 * * * *"}}, "VALIDATION_ERROR", "schedule.cron"),
        ({"schedule": {"type": "CRON", "cron": "0 0 30 2 *"}}, "VALIDATION_ERROR", "schedule.cron"),
        ({"schedule": {"type": "CRON", "cron": "* * * * * *"}}, "VALIDATION_ERROR", "schedule.cron"),
        ({"schedule": {"type": "CRON"}}, "MISSING_REQUIRED_FIELD", "schedule.cron"),
        ({"schedule": {"type": "ONE_OFF"}}, "MISSING_REQUIRED_FIELD", "schedule.run_at"),
        (
            {"schedule": {"type": "CRON", "cron": "0 0 * * *", "timezone": "Mars/Base"}},
            "VALIDATION_ERROR",
            "schedule.timezone",
        ),
        *(
            ({"schedule": {"type": "ONE_OFF", "run_at": moment} | zone}, "VALIDATION_ERROR", "schedule.run_at")
            for moment, zone in (
                ("2020-01-01T00:00:00Z", {}),
                ("4000000000", {}),
                ("2090-01-01", {}),
                ("9999-12-31T23:59:59-01:00", {}),
                ("9999-12-31T23:59:59", {"timezone": "America/New_York"}),
                ("0001-01-01T00:00:00", {"timezone": "Europe/Berlin"}),
            )
        ),
        (
            {"schedule": {"type": "CRON", "cron": "0 0 * * *", "run_at": "2090-01-01T00:00:00Z"}},
            "VALIDATION_ERROR",
            "schedule.run_at",
        ),
    ],
)
async def test_a_schedule_that_means_nothing_is_refused(
    world: World, door: Door, fields: dict[str, Any], code: str, field: str
) -> None:
    refused = await door(create_schedule, world.owner, schedule=body(**fields))
    assert (refused, refused.status, refused.details["field"]) == (code, 422, field)
    assert (await door(list_schedules, world.owner))["total"] == 0


async def test_the_longest_values_are_taken(world: World, door: Door) -> None:
    note = {"type": "NOTIFICATION", "topic": "x" * 255, "extra_data": {"a": "x" * 16_376}}
    await made(door, world, schedule_name="x" * 255, reference_id="x" * 255, config=note)


async def test_schedules_are_listed_by_name_and_filtered(world: World, door: Door) -> None:
    for name, reference, enabled in (("b one", "r", True), ("a two", "r", False), ("c one", None, True)):
        await made(door, world, schedule_name=name, reference_id=reference, enabled=enabled)

    async def names(**filters: Any) -> list[str]:
        return [item["schedule_name"] for item in (await door(list_schedules, world.owner, **filters))["items"]]

    assert await names() == ["a two", "b one", "c one"]
    assert await names(enabled=True) == ["b one", "c one"]
    assert await names(enabled=False) == ["a two"]
    assert await names(reference_id="r") == ["a two", "b one"]
    assert await names(search="ONE") == ["b one", "c one"]
    assert await names(limit=1, page=2) == ["b one"]
    assert await door(list_schedules, world.foreign_owner) == {"items": [], "total": 0}


async def test_an_update_changes_what_is_sent_and_counts_from_now(world: World, door: Door) -> None:
    id_ = await made(door, world, enabled=False)
    assert (await door(get_schedule, world.owner, schedule_id=id_))["next_run_at"] is None
    renamed = await door(update_schedule, world.owner, schedule_id=id_, changes={"schedule_name": "New"})
    assert (renamed["schedule_name"], renamed["config"], renamed["next_run_at"]) == ("New", NOTE, None)
    on = await door(update_schedule, world.owner, schedule_id=id_, changes={"enabled": True})
    assert parsed(on["next_run_at"]) > world.clock.moment
    moment = (world.clock.moment + timedelta(days=3)).replace(microsecond=0)
    timing = {"schedule": {"type": "ONE_OFF", "run_at": at(moment)}, "reference_id": "r", "config": None}
    once = await door(update_schedule, world.owner, schedule_id=id_, changes=timing)
    assert "schedule_id" in once, once
    assert parsed(once["next_run_at"]) == parsed(once["schedule"]["run_at"]) == moment
    assert (once["reference_id"], once["config"]) == ("r", None)
    refused = await door(update_schedule, world.owner, schedule_id=id_, changes={"reference_id": None})
    assert (refused, refused.status) == ("MISSING_REQUIRED_FIELD", 422)


async def test_a_change_of_an_outdated_revision_is_a_conflict(world: World, door: Door) -> None:
    id_ = await made(door, world)
    for revision, code in ((2, "VERSION_CONFLICT"), (1, None)):
        answer = await door(
            update_schedule,
            world.owner,
            {"If-Match": f'"{revision}"'},
            schedule_id=id_,
            changes={"schedule_name": "New"},
        )
        assert (answer == code) if code else answer["schedule_name"] == "New"


async def test_a_deleted_schedule_and_its_records_are_gone_and_never_fire(world: World, door: Door) -> None:
    id_ = await minutely(door, world)
    await passes(world, minutes=1)
    assert (await door(delete_schedule, world.owner, schedule_id=id_))["message"]
    await passes(world, minutes=1)
    for op in (get_schedule, list_schedule_runs, delete_schedule):
        assert await door(op, world.owner, schedule_id=id_) == "RESOURCE_NOT_FOUND"
    assert (await world.dump())["schedule_runs"] == []


async def test_a_firing_keeps_its_notification_and_a_snapshot_of_the_schedule(world: World, door: Door) -> None:
    id_ = await minutely(door, world)
    await passes(world, minutes=1)
    await door(update_schedule, world.owner, schedule_id=id_, changes={"schedule_name": "Later"})
    (run,) = await runs_of(door, world, id_)
    assert (run["status"], run["error"], run["workflow_run_id"]) == ("SUCCESS", None, None)
    assert run["notification"] == {"topic": "stock", "extra_data": {"repository": 7}}
    assert run["schedule"]["schedule_name"] == "Every morning"
    assert run["started_at"] <= run["completed_at"]
    found = await door(get_schedule, world.owner, schedule_id=id_)
    assert found["last_run_at"] == run["scheduled_for"]
    assert parsed(found["next_run_at"]) - parsed(run["scheduled_for"]) == timedelta(minutes=1)


async def test_no_moment_is_fired_for_twice_and_a_disabled_schedule_not_at_all(world: World, door: Door) -> None:
    id_ = await minutely(door, world)
    for _ in range(3):
        await passes(world, minutes=1)
        await passes(world, seconds=0)
    assert len(await runs_of(door, world, id_)) == 3
    await door(update_schedule, world.owner, schedule_id=id_, changes={"enabled": False})
    await passes(world, minutes=5)
    assert len(await runs_of(door, world, id_)) == 3


async def test_a_single_moment_fires_once_and_cannot_be_switched_on_again(world: World, door: Door) -> None:
    moment = (world.clock.moment + timedelta(minutes=1)).replace(microsecond=0)
    id_ = await made(door, world, schedule={"type": "ONE_OFF", "run_at": at(moment)})
    for _ in range(2):
        await passes(world, minutes=2)
    (run,) = await runs_of(door, world, id_)
    assert (run["status"], parsed(run["scheduled_for"])) == ("SUCCESS", moment)
    assert (await door(get_schedule, world.owner, schedule_id=id_))["next_run_at"] is None
    await door(update_schedule, world.owner, schedule_id=id_, changes={"enabled": False})
    refused = await door(update_schedule, world.owner, schedule_id=id_, changes={"enabled": True})
    assert (refused, refused.details["field"]) == ("VALIDATION_ERROR", "schedule.run_at")


async def test_after_a_stop_the_latest_firing_is_made_up_for_and_the_others_are_told_as_missed(
    world: World, door: Door
) -> None:
    id_ = await minutely(door, world)
    await passes(world, hours=5)
    late, missed = await runs_of(door, world, id_)
    assert (late["status"], missed["status"]) == ("SUCCESS", "FAILURE")
    assert missed["error"].startswith("Missed: the platform was not running")
    assert timedelta(hours=4) < parsed(late["scheduled_for"]) - parsed(missed["scheduled_for"])


async def test_a_schedule_of_a_configuration_triggers_a_run_of_it_as_its_creator(world: World, door: Door) -> None:
    configuration = await door(
        create_workflow_configuration,
        world.owner,
        configuration=WorkflowConfigurationCreate(name="p", workflow_type="profiling"),
    )
    id_ = await minutely(door, world, reference_id=configuration["id"], config=None)
    await passes(world, minutes=1)
    (run,) = await runs_of(door, world, id_)
    assert (run["status"], run["error"], run["notification"]) == ("SUCCESS", None, None)
    path = f"/data-readiness/workflows/{configuration['id']}/runs"
    (triggered,) = (await world.request("GET", path, token=world.owner)).json()["data"]
    assert triggered["id"] == run["workflow_run_id"]


async def test_a_reference_to_nothing_fails_with_a_sentence(world: World, door: Door) -> None:
    id_ = await minutely(door, world, reference_id=str(uuid4()), config=None)
    await passes(world, minutes=1)
    (run,) = await runs_of(door, world, id_)
    assert run["status"] == "FAILURE"
    assert "no workflow configuration" in run["error"]


async def test_a_schedule_of_somebody_who_may_no_longer_fails_with_the_reason(world: World, door: Door) -> None:
    token = await world.member("developer")
    answer = await door(
        create_schedule, token, schedule=body(schedule={"type": "CRON", "cron": "* * * * *"}, reference_id="r")
    )
    relations = world.app.parts.services.relations
    await relations.write(
        "acme",
        [],
        [one for one in await relations.read("acme", limit=10_000) if "developer-of-project" in str(one)],
        lenient=True,
    )
    await passes(world, minutes=1)
    (run,) = await runs_of(door, world, answer["schedule_id"])
    assert (run["status"], run["notification"]) == ("FAILURE", None)
    assert "can_execute" in run["error"]


async def test_the_schedule_inside_a_configuration_fires_and_is_changed_there_only(world: World, door: Door) -> None:
    schedule = {"cron_expression": "* * * * *", "timezone": "Europe/Berlin"}
    configuration = await door(
        create_workflow_configuration,
        world.owner,
        configuration=WorkflowConfigurationCreate(name="p", workflow_type="profiling", schedule=schedule),
    )
    (part,) = (await door(list_schedules, world.owner, reference_id=configuration["id"]))["items"]
    assert (part["configuration_id"], part["schedule_name"]) == (configuration["id"], "p")
    await passes(world, minutes=1)
    (run,) = await runs_of(door, world, part["schedule_id"])
    assert run["workflow_run_id"]
    refused = await door(delete_schedule, world.owner, schedule_id=part["schedule_id"])
    assert (refused, refused.status) == ("VALIDATION_ERROR", 422)
    refused = await door(update_schedule, world.owner, schedule_id=part["schedule_id"], changes={"enabled": False})
    assert (refused, refused.status) == ("VALIDATION_ERROR", 422)
    for wrong, field in (
        ({"cron_expression": "61 * * * *"}, "schedule.cron_expression"),
        ({"cron_expression": "0 0 * * *", "timezone": "Mars"}, "schedule.timezone"),
    ):
        refused = await door(
            create_workflow_configuration,
            world.owner,
            configuration=WorkflowConfigurationCreate(name="q", workflow_type="profiling", schedule=wrong),
        )
        assert (refused, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, field)


async def test_only_the_last_records_are_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "RECORDS_KEPT", 3)
    door = RestDoor(world.client)
    id_ = await minutely(door, world)
    for _ in range(6):
        await passes(world, minutes=1)
    kept = [run["scheduled_for"] for run in await runs_of(door, world, id_)]
    assert kept == sorted(kept, reverse=True)
    assert len(kept) == 3


async def test_a_firing_that_was_written_down_and_never_queued_is_taken_up(world: World) -> None:
    door = RestDoor(world.client)
    id_ = await minutely(door, world)
    world.clock.moment += timedelta(minutes=1)
    firings = world.app.parts.firings
    claimed, _ = await world.app.parts.services.store.write(firings._claim)
    (waiting,) = await runs_of(door, world, id_)
    assert (waiting["id"], waiting["status"]) == (claimed[0], "PENDING")
    await world.app.parts.worker.take_up()
    await world.app.parts.worker.take_up()
    await world.jobs.settle()
    (run,) = await runs_of(door, world, id_)
    assert (run["id"], run["status"]) == (claimed[0], "SUCCESS")


async def test_a_firing_that_begins_again_triggers_no_second_run(world: World) -> None:
    door = RestDoor(world.client)
    path = "/data-readiness/workflows"
    made_ = await world.request("POST", path, token=world.owner, json={"name": "p", "workflow_type": "profiling"})
    configuration = made_.json()["id"]
    id_ = await minutely(door, world, reference_id=configuration, config=None)
    world.clock.moment += timedelta(minutes=1)
    firings, services = world.app.parts.firings, world.app.parts.services
    (claimed,), _ = await services.store.write(firings._claim)
    begun = await services.store.write(lambda uow: uow.schedule_runs.begun(claimed, services.clock()))
    assert begun is not None
    # The process died after it had triggered the run and before it kept the outcome.
    first = await firings._done(firings._context(begun[0], begun[1]), begun[0])
    await services.jobs.enqueue(FIRING_JOB, {"run_id": claimed}, key=claimed)
    await world.jobs.settle()
    (run,) = await runs_of(door, world, id_)
    assert (run["status"], run["workflow_run_id"]) == ("SUCCESS", first["workflow_run_id"])
    runs = (await world.request("GET", f"{path}/{configuration}/runs", token=world.owner)).json()["data"]
    assert [one["id"] for one in runs] == [first["workflow_run_id"]]
