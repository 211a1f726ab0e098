"""Trying a failed run again: failed tasks only, by whoever may, and never two attempts at once."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from persistence.jobs.port import JobError
from persistence.queries.run_tasks import OPEN
from resolvers.data_readiness.runs.executor import fail_run
from resolvers.data_readiness.runs.kinds import WORKS
from resolvers.data_readiness.runs.operations import (
    cancel_run,
    get_workflow_run,
    list_run_tasks,
    retry_run,
    trigger_run,
)
from resolvers.data_readiness.workflows import delete_workflow_configuration, update_workflow_configuration
from schema.data_readiness.workflow import WorkflowConfigurationUpdate, WorkflowType
from schema.data_readiness.workflow_run import RunCreate, RunStatus
from tests.data_readiness.workflows import configure, run_in, scope, written
from tests.doors import Door
from tests.support.ingestion import Bench, Gate, Source, before_task, bench, setting_overrides, shop, source
from tests.world import World

__all__ = ["before_task", "bench", "setting_overrides", "shop", "source"]

pytestmark = pytest.mark.anyio


async def test_only_the_failed_tasks_of_an_ingestion_are_done_again(
    bench: Bench, before_task: Gate, world: World
) -> None:
    begun: list[str] = []

    async def first(key: str) -> None:
        begun.append(key)
        if key == "000001":
            raise JobError("The disk was full.")

    before_task(first)
    failed = await bench.ingest("failed")
    assert sorted(begun) == ["000000", "000001"]
    assert (failed["output"]["tasks"], failed["output"]["failed_tasks"]) == (2, 1)
    assert "The disk was full." in failed["error_message"]
    begun.clear()

    async def second(key: str) -> None:
        begun.append(key)

    before_task(second)
    run = {"configuration_id": bench.configuration, "run_id": failed["id"]}
    again = await bench.call(retry_run, **run)
    assert bench.door.last is not None
    assert bench.door.last.status_code == (202 if bench.door.name == "rest" else 200)
    assert (again["id"], again["status"], again["error_message"], again["completed_at"]) == (
        failed["id"], "pending", None, None
    )  # fmt: skip
    assert [task["status"] for task in again["tasks"]] == ["completed", "pending"]
    await world.jobs.settle()
    assert begun == ["000001"]
    done = await bench.run(failed["id"])
    assert (done["status"], done["error_message"], done["started_at"]) == ("completed", None, failed["started_at"])
    assert (done["output"]["tasks"], done["output"]["failed_tasks"]) == (2, 0)
    assert {task["status"] for task in done["tasks"]} == {"completed"}
    assert len(await bench.names("table")) == 4
    refused = await bench.call(retry_run, **run)
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "status")


async def test_a_run_counts_and_marks_after_a_retry_what_one_without_a_failure_would(
    shop: Bench, source: Source, before_task: Gate, world: World
) -> None:
    clean = await shop.ingest()
    source.run("drop view sales.big; alter table sales.orders add column note text")

    async def failing(key: str) -> None:
        if key == "000000":
            raise JobError("Not now.")

    async def passing(key: str) -> None:
        return None

    before_task(failing)
    failed = await shop.ingest("failed")
    assert failed["output"]["vanished"] == 0
    before_task(passing)
    await shop.call(retry_run, configuration_id=shop.configuration, run_id=failed["id"])
    await world.jobs.settle()
    done = await shop.run(failed["id"])
    assert done["status"] == "completed", done["error_message"]
    assert done["output"]["vanished"] == 3  # the view and its two columns
    total = sum(done["output"][name] for name in ("created", "updated", "unchanged"))
    assert total == sum(clean["output"][name] for name in ("created", "updated", "unchanged")) - 3 + 1


async def test_a_run_that_failed_before_it_was_planned_is_planned_anew(shop: Bench, source: Source) -> None:
    source.run(f'revoke connect on database "{source.database}" from public')
    source.run(f'revoke connect on database "{source.database}" from "{source.role}"')
    failed = await shop.ingest("failed")
    assert failed["tasks"] == []
    source.run(f'grant connect on database "{source.database}" to "{source.role}"')
    await shop.call(retry_run, configuration_id=shop.configuration, run_id=failed["id"])
    await shop.world.jobs.settle()
    done = await shop.run(failed["id"])
    assert (done["status"], len(done["tasks"])) == ("completed", 2)


async def test_include_limits_an_ingestion_and_nothing_else_vanishes(shop: Bench, source: Source) -> None:
    await shop.ingest()
    source.run("drop view sales.big; alter table sales.customers add column more text")
    include = [f"shop.{source.database}.sales.customers"]
    run = await shop.ingest(parameters={"include": include})
    assert (await shop.asset(source.database, "sales", "customers"))["column_count"] == 5
    assert (run["output"]["tasks"], run["output"]["vanished"], len(await shop.names("table"))) == (1, 0, 4)
    none = await shop.ingest("failed", parameters={"include": [f"shop.{source.database}.sales.nowhere"]})
    assert "none of the tables that include names" in none["error_message"]


async def test_an_engine_that_is_not_there_fails_again_with_its_message(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(WORKS, WorkflowType.PROFILING, raising=False)  # type: ignore[arg-type]
    configuration = await configure(world, door)
    id = configuration["id"]
    run = (await door(trigger_run, world.owner, configuration_id=id, run=RunCreate()))["id"]
    for _ in range(3):
        await world.jobs.settle()
        found = await door(get_workflow_run, world.owner, configuration_id=id, run_id=run)
        assert (found["status"], "profiling is not part of this version" in found["error_message"]) == ("failed", True)
        again = await door(retry_run, world.owner, configuration_id=id, run_id=run)
        assert again["status"] == "pending"


@pytest.mark.parametrize("status", ["pending", "running", "completed", "canceled"])
async def test_only_a_failed_run_is_tried_again(world: World, door: Door, status: str) -> None:
    configuration = await configure(world, door)
    run = await run_in(world, configuration, status)
    before = await world.dump()
    refused = await door(retry_run, world.owner, configuration_id=configuration["id"], run_id=run)
    assert (refused.code, refused.status, refused.details) == ("VALIDATION_ERROR", 422, {"field": "status"})
    assert status in refused.message
    assert await world.dump() == before


async def test_a_retry_needs_its_run_and_its_configuration(world: World, door: Door) -> None:
    configuration, other = await configure(world, door), await configure(world, door)
    run = await run_in(world, configuration, "failed")
    for token, of, id in (
        (world.owner, other["id"], run),
        (world.owner, configuration["id"], str(uuid4())),
        (world.foreign_owner, configuration["id"], run),
    ):
        refused = await door(retry_run, token, configuration_id=of, run_id=id)
        assert (refused.code, refused.details) == (
            "RESOURCE_NOT_FOUND", {"resource_type": "workflow_run", "resource_id": id}
        )  # fmt: skip
    assert isinstance(
        await door(delete_workflow_configuration, world.owner, configuration_id=configuration["id"]), dict
    )
    refused = await door(retry_run, world.owner, configuration_id=configuration["id"], run_id=run)
    assert (refused.code, refused.details["resource_type"]) == ("RESOURCE_NOT_FOUND", "workflow_configuration")


async def test_a_retry_of_an_ingestion_needs_a_connection_that_may_be_read(bench: Bench, before_task: Gate) -> None:
    from resolvers.assets.data_connections import update_data_connection
    from schema.assets.data_connection import DataConnectionChange

    async def failing(key: str) -> None:
        raise JobError("Not now.")

    before_task(failing)
    failed = await bench.ingest("failed")
    run = {"configuration_id": bench.configuration, "run_id": failed["id"]}
    changes = DataConnectionChange.model_validate({"status": "DISABLED"})
    await bench.call(update_data_connection, resource_uri=bench.uri, changes=changes)
    refused = await bench.call(retry_run, **run)
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "status")
    assert (await bench.run(failed["id"]))["status"] == "failed"


async def test_of_two_retries_at_once_one_is_taken(world: World, door: Door) -> None:
    configuration = await configure(world, door)
    run = {"configuration_id": configuration["id"], "run_id": await run_in(world, configuration, "failed")}
    await world.jobs.stop()  # nothing is carried out meanwhile
    answers = await asyncio.gather(*[door(retry_run, world.owner, **run) for _ in range(4)])
    taken = [answer for answer in answers if isinstance(answer, dict)]
    assert len(taken) == 1
    assert {answer.status for answer in answers if not isinstance(answer, dict)} == {422}


async def test_the_job_of_an_earlier_attempt_can_do_nothing_any_more(world: World, door: Door) -> None:
    configuration = await configure(world, door)
    await world.jobs.stop()
    run = {"configuration_id": configuration["id"], "run_id": await run_in(world, configuration, "failed")}
    await door(retry_run, world.owner, **run)
    worker = world.app.parts.worker
    ctx, found, tenant = await worker._run(run["run_id"])
    await fail_run(ctx, tenant, found.id, "A late word.", 1)
    assert (await door(get_workflow_run, world.owner, **run))["status"] == "pending"

    def late(uow: Any) -> bool:
        return bool(uow.workflow_runs.move(scope(world), found.id, RunStatus.COMPLETED, only_from=OPEN, of_attempt=1))

    assert not await written(world, late)
    await fail_run(ctx, tenant, found.id, "The word of this attempt.", 2)
    ended = await door(get_workflow_run, world.owner, **run)
    assert (ended["status"], ended["error_message"]) == ("failed", "The word of this attempt.")


async def test_a_retried_run_can_be_canceled(world: World, door: Door) -> None:
    configuration = await configure(world, door)
    await world.jobs.stop()
    run = {"configuration_id": configuration["id"], "run_id": await run_in(world, configuration, "failed")}
    await door(retry_run, world.owner, **run)
    assert (await door(cancel_run, world.owner, **run))["status"] == "canceled"
    assert (await world.jobs.state(f"{run['run_id']}.2")).value == "canceled"
    assert (await door(list_run_tasks, world.owner, **run))["total"] == 0


async def test_a_run_keeps_its_input_when_its_configuration_is_changed(world: World, door: Door) -> None:
    configuration = await configure(world, door)
    run = {"configuration_id": configuration["id"], "run_id": await run_in(world, configuration, "failed")}
    before = await door(get_workflow_run, world.owner, **run)
    changes = WorkflowConfigurationUpdate.model_validate({"name": "Other", "status": "inactive"})
    await door(update_workflow_configuration, world.owner, configuration_id=configuration["id"], changes=changes)
    after = await door(retry_run, world.owner, **run)
    assert (after["input"], after["workflow_name"]) == (before["input"], "Work")
