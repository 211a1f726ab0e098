"""Pipelines of run-all-enrichment: made with their run, counted from the catalog, closed with it."""

from typing import Any
from uuid import uuid4

import pytest

from persistence.queries.run_tasks import OPEN
from resolvers.data_readiness.pipelines import get_pipeline_run, list_pipeline_runs
from resolvers.data_readiness.runs.kinds import WORKS
from resolvers.data_readiness.runs.operations import cancel_run, get_workflow_run, retry_run, trigger_run
from schema.data_readiness.pipeline import PIPELINE_MOVES, TERMINAL, PipelineStatus
from schema.data_readiness.workflow import WorkflowType
from schema.data_readiness.workflow_run import RunCreate, RunStatus
from tests.data_readiness.workflows import cataloged, configure, scope, written
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio

FIELDS = {
    "id", "asset_fqn", "status", "total_tables", "completed_tables", "failed_tables", "total_schemas",
    "completed_schemas", "failed_schemas", "created_at", "completed_at", "created_by",
}  # fmt: skip


async def started(world: World, door: Door, asset_fqn: str | None = "svc", **given: Any) -> dict[str, Any]:
    """A pipeline's run that was triggered, with the ids of all three."""
    configuration = await configure(world, door, workflow_type="run-all-enrichment")
    body = RunCreate(asset_fqn=asset_fqn, parameters=given)
    run = await door(trigger_run, world.owner, configuration_id=configuration["id"], run=body)
    assert isinstance(run, dict), run
    ids = {"configuration_id": configuration["id"], "run_id": run["id"]}
    found = await door(get_workflow_run, world.owner, **ids)
    return ids | {"pipeline_id": found["output"]["pipeline_id"]}


async def pipeline(world: World, door: Door, ids: dict[str, Any]) -> dict[str, Any]:
    """The pipeline as it stands."""
    found: dict[str, Any] = await door(get_pipeline_run, world.owner, pipeline_id=ids["pipeline_id"])
    return found


async def test_a_pipeline_is_counted_from_the_catalog_and_fails_with_its_run(world: World, door: Door) -> None:
    await cataloged(
        world, "svc.db.s1.t1.c", "svc.db.s1.t2", "svc.db.s2.t1", "svc.db.s3", "svc.dbx.s1.t1", "other.db.s.t"
    )
    await world.jobs.stop()
    for asset_fqn, tables, schemas in (
        ("svc", 8, 3), ("svc.db", 6, 2), ("svc.db.s1", 4, 1), ("svc.db.s1.t1", 2, 1), ("nowhere", 0, 0)
    ):  # fmt: skip
        found = await pipeline(world, door, await started(world, door, asset_fqn))
        assert set(found) == FIELDS
        assert found == found | {
            "asset_fqn": asset_fqn, "status": "pending", "total_tables": tables, "total_schemas": schemas,
            "completed_tables": 0, "failed_tables": 0, "completed_schemas": 0, "failed_schemas": 0,
            "completed_at": None, "created_by": "olga",
        }  # fmt: skip


async def test_include_narrows_what_a_pipeline_counts(world: World, door: Door) -> None:
    await cataloged(world, "svc.db.s1.t1", "svc.db.s1.t2", "svc.db.s2.t1")
    await world.jobs.stop()
    for include, counted in (
        (["svc.db.s1.t1", "svc.db.s1.t2", "svc.x.y.z"], (4, 1)),
        (["svc.db.s1", "svc.db.s1.t1"], (4, 1)),
        (["svc.db.s2", "svc.db.s1.t1", "other"], (4, 2)),
    ):
        found = await pipeline(world, door, await started(world, door, include=include))
        assert (found["total_tables"], found["total_schemas"]) == counted, include


async def test_a_pipeline_without_its_engine_ends_as_failed_and_can_be_tried_again(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(WORKS, WorkflowType.RUN_ALL_ENRICHMENT, raising=False)  # type: ignore[arg-type]
    ids = await started(world, door)
    await world.jobs.settle()
    ended = await pipeline(world, door, ids)
    assert (ended["status"], ended["completed_at"] is not None) == ("failed", True)
    run = {name: ids[name] for name in ("configuration_id", "run_id")}
    found = await door(get_workflow_run, world.owner, **run)
    assert found["completed_at"] == ended["completed_at"]
    assert "run-all-enrichment is not part of this version" in found["error_message"]
    await world.jobs.stop()
    await door(retry_run, world.owner, **run)
    assert (await pipeline(world, door, ids))["status"] == "pending"
    assert (await pipeline(world, door, ids))["completed_at"] is None
    await door(cancel_run, world.owner, **run)
    canceled = await pipeline(world, door, ids)
    assert (canceled["status"], canceled["completed_at"] is not None) == ("canceled", True)


@pytest.mark.parametrize("failures", [0, 1])
async def test_a_pipeline_advances_within_its_bounds_and_says_whether_something_failed(
    world: World, door: Door, failures: int
) -> None:
    await cataloged(world, "svc.db.s1.t1")  # which counts twice
    await world.jobs.stop()
    ids = await started(world, door)

    async def advance(**steps: int) -> bool:
        return bool(
            await written(world, lambda uow: uow.pipeline_runs.advance(scope(world), ids["pipeline_id"], **steps))
        )

    async def move(to: RunStatus) -> None:
        at = world.clock() if to is RunStatus.COMPLETED else None
        assert await written(
            world,
            lambda uow: uow.workflow_runs.move(scope(world), ids["run_id"], to, only_from=OPEN, completed_at=at),
        )

    assert not await advance(completed_tables=1)  # it waits
    await move(RunStatus.RUNNING)
    assert (await pipeline(world, door, ids))["status"] == "running"
    assert await advance(completed_tables=1, completed_schemas=1)
    assert not await advance(completed_tables=2)
    assert not await advance(failed_schemas=1)
    assert await advance(**({"failed_tables": 1} if failures else {"completed_tables": 1}))
    assert not await advance(completed_tables=1)
    with pytest.raises(ValueError, match="never undone"):
        await advance(completed_tables=-1)
    await move(RunStatus.COMPLETED)
    found = await pipeline(world, door, ids)
    assert found == found | {
        "status": "completed_with_errors" if failures else "completed", "completed_tables": 2 - failures,
        "failed_tables": failures, "completed_schemas": 1, "failed_schemas": 0,
    }  # fmt: skip
    assert found["completed_at"] is not None
    assert not await advance()


async def test_a_pipeline_needs_a_name_to_work_below(world: World, door: Door) -> None:
    configuration = await configure(world, door, workflow_type="run-all-enrichment")
    before = await world.dump()
    refused = await door(trigger_run, world.owner, configuration_id=configuration["id"], run=RunCreate())
    assert (refused.code, refused.status, refused.details) == ("MISSING_REQUIRED_FIELD", 400, {"field": "asset_fqn"})
    assert await world.dump() == before


async def test_pipelines_are_listed_newest_first_and_filtered(world: World, door: Door) -> None:
    await world.jobs.stop()
    one, two, three = [await started(world, door, name) for name in ("svc.a", "svc.ab", "svc.a.b")]
    await door(cancel_run, world.owner, configuration_id=two["configuration_id"], run_id=two["run_id"])
    for given, expected in (
        ({}, [three, two, one]),
        ({"asset_fqn": "svc.a"}, [three, one]),
        ({"status": "canceled"}, [two]),
        ({"limit": 1, "page": 2}, [two]),
    ):
        listed = await door(list_pipeline_runs, world.owner, **given)
        assert [item["id"] for item in listed["items"]] == [ids["pipeline_id"] for ids in expected], given
    assert await door(list_pipeline_runs, world.foreign_owner) == {"items": [], "total": 0}
    wrong = await door(list_pipeline_runs, world.owner, asset_fqn="a..b")
    assert (wrong.code, wrong.details["field"]) == ("INVALID_PARAMETER", "asset_fqn")


async def test_another_tenants_pipeline_is_not_found(world: World, door: Door) -> None:
    id = (await started(world, door))["pipeline_id"]
    for token, wanted in ((world.foreign_owner, id), (world.owner, str(uuid4()))):
        refused = await door(get_pipeline_run, token, pipeline_id=wanted)
        assert (refused.code, refused.details) == (
            "RESOURCE_NOT_FOUND", {"resource_type": "pipeline_run", "resource_id": wanted}
        )  # fmt: skip
    wrong = await world.request("GET", "/data-readiness/workflows/pipelines/none", token=world.owner)
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "INVALID_PARAMETER")


def test_every_status_has_its_moves_and_only_a_pipeline_with_failures_comes_back() -> None:
    assert set(PIPELINE_MOVES) == set(PipelineStatus)
    back = {status for status in TERMINAL if PIPELINE_MOVES[status]}
    assert back == {PipelineStatus.FAILED, PipelineStatus.COMPLETED_WITH_ERRORS}
