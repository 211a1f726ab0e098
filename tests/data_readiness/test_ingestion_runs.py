"""Runs of service ingestion that are limited, fail, are canceled or may not be started."""

import asyncio
from typing import Any

import pytest

from auth.relations import object_name
from persistence.connectors.postgres.connector import PostgresConnector
from persistence.jobs.port import FanOut, JobContext
from resolvers.assets.data_connections import update_data_connection
from resolvers.data_readiness.runs.kinds import WORKS
from resolvers.data_readiness.runs.operations import (
    RUN_JOB,
    cancel_run,
    list_run_tasks,
    list_workflow_runs,
    trigger_run,
)
from resolvers.data_readiness.workflows import create_workflow_configuration
from schema.assets.data_connection import DataConnectionChange
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from tests.doors import Door, Refused, RestDoor
from tests.support.ingestion import (
    PASSWORD,
    Bench,
    Gate,
    Source,
    before_task,
    bench,
    body_of,
    catalog,
    connected,
    setting_overrides,
    shop,
    source,
)
from tests.support.postgres import free_port
from tests.world import ORG, World

__all__ = ["before_task", "bench", "setting_overrides", "shop", "source"]

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("below", ["", ".sales", ".sales.customers"], ids=["database", "schema", "table"])
async def test_asset_fqn_limits_a_run_and_the_rest_is_left_alone(shop: Bench, source: Source, below: str) -> None:
    await shop.ingest()
    source.run(
        """
        alter table sales.customers add column more text;
        drop view sales.big;
        drop table sales.orders;
        drop table "Ünï ""x"".y Z"."a.b ""c"" Ď";
        """
    )
    run = await shop.ingest(asset_fqn=f"shop.{source.database}{below}")
    assert (await shop.asset(source.database, "sales", "customers"))["column_count"] == 5
    odd = '"Ünï ""x"".y Z"."a.b ""c"" Ď"'
    standing = {
        "": {"sales.customers"},
        ".sales": {"sales.customers", odd},
        ".sales.customers": {"sales.customers", "sales.big", "sales.orders", odd},
    }
    assert await shop.names("table") == standing[below]
    assert run["output"]["vanished"] == {"": 4 + 3 + 4, ".sales": 4 + 3, ".sales.customers": 0}[below]


@pytest.mark.parametrize("given", ["other.db", "shop..x", 'shop."x', ".", "shop.a.b.c.d"])
async def test_a_wrong_asset_fqn_is_refused_and_nothing_starts(bench: Bench, given: str) -> None:
    run = RunCreate.model_construct({"asset_fqn"}, asset_fqn=given)  # as no client of ours would send it
    refused = await bench.call(trigger_run, configuration_id=bench.configuration, run=run)
    if given == "shop.a.b.c.d" and not isinstance(refused, Refused):
        await bench.world.jobs.settle()
        run = await bench.run(refused["id"])
        assert (run["status"], run["error_message"]) == (
            "failed",
            "asset_fqn names a column, and the smallest part that can be ingested is a table.",
        )
        return
    assert isinstance(refused, Refused)
    assert refused.status in (400, 422)
    assert (await bench.call(list_workflow_runs, configuration_id=bench.configuration))["total"] == 0


@pytest.mark.parametrize("below", ["nowhere", "{db}.nowhere", "{db}.sales.nowhere"])
async def test_an_asset_fqn_that_the_source_does_not_have_fails_the_run(
    shop: Bench, source: Source, world: World, below: str
) -> None:
    await shop.ingest()
    before = await catalog(world)
    fqn = "shop." + below.format(db=source.database)
    run = await shop.ingest("failed", asset_fqn=fqn)
    assert run["error_message"] == (
        f"The source shows nothing that can be ingested under {fqn}. Check the user's permissions, selected_tables "
        "and asset_fqn. The catalog was left as it is."
    )
    assert await catalog(world) == before


async def test_a_source_that_shows_nothing_fails_the_run_and_the_catalog_stays(
    bench: Bench, source: Source, world: World
) -> None:
    await bench.ingest()
    before = await catalog(world)
    source.run(f'revoke all on all tables in schema sales, "Ünï ""x"".y Z" from "{source.role}"')
    run = await bench.ingest("failed")
    assert "The source shows no table to ingest." in run["error_message"]
    assert run["tasks"] == []
    assert await catalog(world) == before


async def test_a_wrong_password_fails_the_run_without_showing_it(world: World, door: Door, source: Source) -> None:
    wrong = {"username": source.role, "password": f"{PASSWORD}-not"}
    bench = await connected(world, door, body_of(source, credentials=wrong))
    run = await bench.ingest("failed")
    assert "password" in run["error_message"]
    assert run["completed_at"] is not None
    assert run["duration_seconds"] >= 0


async def test_an_unreachable_source_fails_the_run(world: World, source: Source) -> None:
    config = {"host": "127.0.0.1", "port": free_port(), "database": source.database}
    bench = await connected(world, RestDoor(world.client), body_of(source, database_config=config))
    run = await bench.ingest("failed")
    assert str(config["port"]) in run["error_message"]


async def test_a_connection_disabled_in_the_middle_fails_the_run(shop: Bench, world: World, before_task: Gate) -> None:
    await shop.ingest()
    before = [row for row in (await catalog(world))["metadata_assets"]]

    done = asyncio.Event()

    async def disable(key: str) -> None:
        if key == "000000":
            disabled = DataConnectionChange(status="DISABLED")
            await shop.call(update_data_connection, resource_uri=shop.uri, changes=disabled)
            done.set()
        await done.wait()

    before_task(disable)
    run = await shop.ingest("failed")
    assert run["error_message"].startswith("2 of 2 tasks failed, so nothing was marked as vanished. ")
    assert "The connection is disabled." in run["error_message"]
    assert {task["status"] for task in run["tasks"]} == {"failed"}
    assert (await catalog(world))["metadata_assets"] == before
    refused = await shop.trigger()
    assert isinstance(refused, Refused)
    assert refused.status == 422


async def test_a_permission_taken_away_in_the_middle_fails_the_run(
    shop: Bench, world: World, before_task: Gate
) -> None:
    done = asyncio.Event()

    async def revoke(key: str) -> None:
        if key == "000000":
            name = object_name("data_connection", shop.uri)
            await world.app.parts.services.relations.delete_object(ORG, name)
            done.set()
        await done.wait()

    before_task(revoke)
    run = await shop.ingest("failed")
    assert "The permission to use this connection was revoked." in run["error_message"]
    assert run["output"]["created"] == 0
    assert await shop.names() == set()


@pytest.mark.parametrize("kind", [WorkflowType.PROFILING, WorkflowType.INTELLIGENCE])
async def test_work_whose_engine_is_not_there_ends_failed_with_a_sentence(
    world: World, kind: WorkflowType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(WORKS, kind, raising=False)  # type: ignore[arg-type]
    door = RestDoor(world.client)
    made = await door(
        create_workflow_configuration,
        world.owner,
        configuration=WorkflowConfigurationCreate(name="Other", workflow_type=kind),
    )
    bench = Bench(world, door, {}, made["id"])
    # An enrichment of everything says below which name; the others work on a whole project as well.
    run = await bench.ingest("failed", asset_fqn="shop.public")
    assert run["error_message"] == f"The engine for {kind} is not part of this version. Nothing was changed."


async def test_one_unreadable_schema_fails_the_run_by_name_and_marks_nothing(
    bench: Bench, source: Source, before_task: Gate
) -> None:
    await bench.ingest()
    source.run("drop table sales.orders")

    done = asyncio.Event()

    async def revoke(key: str) -> None:
        if key == "000000":
            source.run(f'revoke usage on schema "Ünï ""x"".y Z" from "{source.role}"')
            done.set()
        await done.wait()

    before_task(revoke)
    run = await bench.ingest("failed")
    label = f'{source.database}."Ünï ""x"".y Z"'
    assert run["error_message"] == (
        f"1 of 2 tasks failed, so nothing was marked as vanished. {label}: None of the 1 tables could be read any "
        "more. Check the user's permissions; if the tables were dropped just now, trigger a new run."
    )
    assert {task["name"]: task["status"] for task in run["tasks"]} == {
        f"{source.database}.sales": "completed",
        label: "failed",
    }
    assert (run["output"]["failed_tasks"], run["output"]["vanished"]) == (1, 0)
    assert await bench.names("table") == {
        "sales.customers",
        "sales.big",
        "sales.orders",
        '"Ünï ""x"".y Z"."a.b ""c"" Ď"',
    }
    about = {"configuration_id": bench.configuration, "run_id": run["id"]}
    [failed] = (await bench.call(list_run_tasks, **about, status="failed"))["items"]
    assert failed["name"] == label


async def test_a_table_dropped_while_the_run_goes_on_is_marked_by_the_next(
    shop: Bench, source: Source, before_task: Gate
) -> None:
    await shop.ingest()
    once = iter([True])

    async def drop(key: str) -> None:
        if key == "000000" and next(once, False):
            source.run("drop table sales.orders")

    before_task(drop)
    run = await shop.ingest()
    assert run["output"]["vanished"] == 0
    assert "sales.orders" in await shop.names("table")
    assert (await shop.ingest())["output"]["vanished"] == 4


async def test_a_listing_that_was_cut_short_marks_nothing_and_the_run_says_so(
    shop: Bench, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shop.ingest()
    source.run("drop table sales.orders")
    monkeypatch.setattr(PostgresConnector, "cut_short", True)
    run = await shop.ingest()
    assert (run["output"]["vanished"], run["output"]["listing_cut_short"]) == (0, True)
    assert "sales.orders" in await shop.names("table")


async def test_a_canceled_run_starts_no_further_task_and_a_new_one_works(
    bench: Bench, source: Source, before_task: Gate
) -> None:
    source.run("".join(f"create table sales.t{number:03} (id integer);" for number in range(200)))
    first_is_done, begun = asyncio.Event(), []

    async def hold(key: str) -> None:
        begun.append(key)
        if key != "000000":
            first_is_done.set()
            await asyncio.Event().wait()

    before_task(hold)
    started = await bench.trigger()
    await first_is_done.wait()
    about = {"configuration_id": bench.configuration, "run_id": started["id"]}
    for _ in range(200):
        if (await bench.call(list_run_tasks, **about, status="completed"))["total"]:
            break
        await asyncio.sleep(0.02)
    running = await bench.run(started["id"])
    assert (running["status"], running["completed_at"], running["duration_seconds"]) == ("running", None, None)
    canceled = await bench.call(cancel_run, **about)
    assert canceled["status"] == "canceled"
    assert canceled["completed_at"] is not None
    await bench.world.jobs.settle()
    tasks = (await bench.call(list_run_tasks, **about))["items"]
    assert [task["status"] for task in tasks] == [
        "completed",
        "canceled",
        "canceled",
        "canceled",
        "canceled",
        "canceled",
    ]
    assert "000005" not in begun
    assert len(await bench.names("table")) == 50, "what was written stays"
    again = await bench.call(cancel_run, **about)
    assert isinstance(again, Refused)
    assert (again.status, again.message) == (422, "This run is canceled and cannot be canceled.")

    before_task(_nothing)
    run = await bench.ingest()
    assert run["output"]["created"] + run["output"]["unchanged"] == 1 + 2 + 4 + 12 + 200 * 2
    refused = await bench.call(cancel_run, configuration_id=bench.configuration, run_id=run["id"])
    assert isinstance(refused, Refused)
    assert (refused.status, refused.message) == (422, "This run is completed and cannot be canceled.")


async def _nothing(_key: str) -> None:
    """Let a task begin at once."""


async def test_a_run_that_is_canceled_before_its_end_marks_nothing(
    shop: Bench, source: Source, before_task: Gate, world: World
) -> None:
    await shop.ingest()
    source.run("drop table sales.orders")
    worker, held = world.app.parts.worker, []

    async def finish(job: JobContext, arguments: dict[str, Any], outcomes: Any) -> dict[str, Any] | None:
        held.append((job, arguments, outcomes))
        return None

    world.jobs.register(RUN_JOB, FanOut(plan=worker._plan, task=worker._task, finish=finish, failed=worker._failed))
    started = await shop.trigger()
    await world.jobs.settle()
    await shop.call(cancel_run, configuration_id=shop.configuration, run_id=started["id"])
    before = await world.dump()
    assert await worker._finish(*held[0]) == {}
    assert await world.dump() == before
    assert "sales.orders" in await shop.names("table")


async def test_a_task_that_runs_twice_does_nothing_the_second_time(
    shop: Bench, world: World, before_task: Gate
) -> None:
    seen: list[Any] = []
    worker = world.app.parts.worker
    turn = asyncio.Lock()  # what the other task writes meanwhile would be taken for this one's doing

    async def task(job: JobContext, arguments: dict[str, Any]) -> dict[str, Any] | None:
        async with turn:
            done = await worker._task(job, arguments)
            before = await world.dump()
            again = await worker._task(job, arguments)
            seen.append((await world.dump() == before, set(again or ())))
            return done

    world.jobs.register(RUN_JOB, FanOut(plan=worker._plan, task=task, finish=worker._finish, failed=worker._failed))
    before_count = await shop.ingest()
    assert before_count["output"]["unchanged"] == 0
    assert len(seen) == 2
    assert {(same, again == set()) for same, again in seen} == {(True, True)}


async def test_a_person_without_the_permission_cannot_trigger_or_cancel(bench: Bench, world: World) -> None:
    viewer = await world.member("viewer")
    before = await world.dump()
    refused = await bench.door(trigger_run, viewer, configuration_id=bench.configuration, run=RunCreate())
    assert isinstance(refused, Refused)
    assert refused.status == 403
    assert await world.dump() == before


async def test_the_run_goes_on_as_the_platforms_worker_when_its_caller_loses_his_role(
    shop: Bench, world: World
) -> None:
    operator = await world.member("operator")
    started = await shop.door(trigger_run, operator, configuration_id=shop.configuration, run=RunCreate())
    await world.jobs.settle()
    assert (await shop.run(started["id"]))["status"] == "completed"
