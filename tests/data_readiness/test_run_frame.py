"""The frame of every run: phases, ends that are begun twice, kills in between, time-outs, approval at the end."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from persistence.jobs.port import JobError
from resolvers.data_readiness.approval import operations as approvals
from resolvers.data_readiness.approval.operations import get_run_approval, list_run_proposals
from resolvers.data_readiness.runs import executor as run_work
from resolvers.data_readiness.runs.executor import RunUnit, Skip
from resolvers.data_readiness.runs.operations import (
    cancel_run,
    get_workflow_run,
    list_run_tasks,
    retry_run,
    trigger_run,
)
from resolvers.governance.permissions import revoke_permission
from schema.data_readiness.workflow import WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from schema.governance.permission import Grant, Relation
from tests.data_readiness.workflows import cataloged, configure
from tests.doors import Door
from tests.support.scripted import Scripted, Stage, Step, fails, never_ends, outcomes, staged
from tests.world import World

pytestmark = pytest.mark.anyio


async def stands(stage: Stage) -> tuple[str, list[str]]:
    """The status of a run and of its tasks."""
    run = await stage.call(get_workflow_run)
    return run["status"], [task["status"] for task in run["tasks"]]


async def test_the_units_of_a_phase_begin_when_all_of_the_phases_before_have_ended(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []

    async def slow(work: Scripted, arguments: Mapping[str, Any]) -> None:
        for _ in range(20):
            await asyncio.sleep(0)
        ended.append(arguments["label"])

    units = [
        RunUnit("late", phase=7),
        RunUnit("a"),
        RunUnit("b"),
        RunUnit("later", phase=9),
        RunUnit("late too", phase=7),
    ]
    stage = await staged(world, door, monkeypatch, *units)
    stage.script.steps = {unit.label: slow for unit in units}
    await world.jobs.start()
    await world.jobs.settle()
    assert (sorted(ended[:2]), sorted(ended[2:4]), ended[4:]) == (["a", "b"], ["late", "late too"], ["later"])
    run = await stage.call(get_workflow_run)
    assert (run["status"], run["error_message"]) == ("completed", None)
    assert run["output"] == {"done": 5, "proposals": 0, "tasks": 5, "failed_tasks": 0}
    assert [task["name"] for task in run["tasks"]] == ["late", "a", "b", "later", "late too"]
    assert (stage.script.planned, await stage.attempt()) == (1, 3)


async def test_a_run_with_nothing_to_do_completes(world: World, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = await staged(world, door, monkeypatch, runs=True)
    await world.jobs.settle()
    run = await stage.call(get_workflow_run)
    assert (run["status"], run["output"]) == ("completed", {"tasks": 0, "failed_tasks": 0})


async def test_an_end_of_a_phase_that_is_begun_twice_begins_the_next_phase_once(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await staged(world, door, monkeypatch, RunUnit("a"), RunUnit("b", phase=1))
    tasks = await (await stage.hands()).plan()
    await (await stage.hands()).task(tasks[0].arguments)
    for _ in range(3):  # killed after the commit, and after the next attempt was queued
        assert await (await stage.hands()).finish(outcomes(tasks)) == {}
    assert await stage.attempt() == 2
    [second] = await (await stage.hands(2)).plan()
    assert second.arguments["label"] == "b"
    assert await (await stage.hands()).finish(outcomes(tasks)) == {}, "the first attempt's end comes late"
    assert await stands(stage) == ("running", ["completed", "pending"])
    assert await (await stage.hands(2)).plan() == [second], "the plan of the second attempt is begun again"
    await (await stage.hands(2)).task(second.arguments)
    ended = await (await stage.hands(2)).finish(outcomes([second]))
    assert ended == {"done": 2, "proposals": 0, "tasks": 2, "failed_tasks": 0}
    assert await (await stage.hands(2)).finish(outcomes([second])) == {}
    assert await stands(stage) == ("completed", ["completed", "completed"])


async def test_a_plan_that_is_begun_twice_plans_once(world: World, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = await staged(world, door, monkeypatch, RunUnit("a"), RunUnit("b"))
    first = await (await stage.hands()).plan()
    assert await (await stage.hands()).plan() == first
    assert await stands(stage) == ("running", ["pending", "pending"])


async def test_a_task_that_is_begun_twice_writes_once(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await staged(world, door, monkeypatch, RunUnit("a"))
    stage.script.proposals = {"a": [{}, {}]}
    [task] = await (await stage.hands()).plan()
    together, go = asyncio.Event(), asyncio.Event()

    async def at_once(work: Scripted, arguments: Mapping[str, Any]) -> None:
        together.set()
        await go.wait()

    stage.script.steps = {"a": at_once}
    twins = [asyncio.create_task((await stage.hands()).task(task.arguments)) for _ in range(2)]
    await together.wait()
    while len(stage.script.begun) < 2:
        await asyncio.sleep(0)
    go.set()
    assert sorted(map(len, await asyncio.gather(*twins))) == [0, 2]
    assert await (await stage.hands()).task(task.arguments) == {}
    assert stage.script.begun == ["a", "a"]
    assert (await stage.door(list_run_proposals, world.owner, run_id=stage.run_id))["total"] == 2


async def test_a_process_killed_between_two_phases_is_taken_up(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await staged(world, door, monkeypatch, RunUnit("a"), RunUnit("b", phase=1))
    work = await stage.hands()
    tasks = await work.plan()
    await work.task(tasks[0].arguments)
    # What a process leaves that dies after the commit and before the next attempt is queued.
    assert await work.ctx.store.write(lambda uow: work._finished(uow, outcomes(tasks))) is None
    assert (await stands(stage), await stage.attempt()) == (("running", ["completed", "pending"]), 2)
    world.jobs._waiting.clear()
    await world.jobs.start()
    await world.app.parts.worker.take_up()
    await world.jobs.settle()
    assert await stands(stage) == ("completed", ["completed", "completed"])
    assert stage.script.begun == ["a", "b"]


async def test_a_run_canceled_between_two_phases_begins_nothing_more(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await staged(world, door, monkeypatch, RunUnit("a"), RunUnit("b", phase=1))
    work = await stage.hands()
    tasks = await work.plan()
    await work.task(tasks[0].arguments)
    assert await work.finish(outcomes(tasks)) == {}
    assert (await stage.call(cancel_run))["status"] == "canceled"
    assert await stands(stage) == ("canceled", ["completed", "canceled"])
    assert await (await stage.hands(2)).plan() == []
    await world.jobs.start()
    await world.jobs.settle()
    assert (await stands(stage), stage.script.begun) == (("canceled", ["completed", "canceled"]), ["a"])


async def test_what_ends_after_its_run_writes_nothing(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await staged(world, door, monkeypatch, RunUnit("a"), RunUnit("b"))
    stage.script.proposals = {"a": [{}], "b": [{}]}
    tasks = await (await stage.hands()).plan()

    async def cancel(work: Scripted, arguments: Mapping[str, Any]) -> None:
        await stage.call(cancel_run)

    stage.script.steps = {"a": cancel}
    assert await (await stage.hands()).task(tasks[0].arguments) == {}
    assert await (await stage.hands()).task(tasks[1].arguments) == {}
    assert (await stands(stage), stage.script.begun) == (("canceled", ["canceled", "canceled"]), ["a"])
    assert (await stage.door(list_run_proposals, world.owner, run_id=stage.run_id))["total"] == 0


async def test_only_what_failed_is_done_again_whatever_its_phase(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    units = [RunUnit("a"), RunUnit("b"), RunUnit("c", phase=1), RunUnit("d", phase=1), RunUnit("e", phase=2)]
    stage = await staged(world, door, monkeypatch, *units, runs=True)
    stage.script.steps = {"b": fails("The disk was full."), "d": fails("The line was cut.")}
    await world.jobs.settle()
    failed = await stage.call(get_workflow_run)
    assert await stands(stage) == ("failed", ["completed", "failed", "completed", "failed", "completed"])
    assert failed["error_message"] == "2 of 5 tasks failed. b: The disk was full. d: The line was cut."
    assert (sorted(stage.script.begun), stage.script.failed) == (["a", "b", "c", "d", "e"], ["b", "d"])
    stage.script.begun.clear()
    stage.script.steps = {}
    again = await stage.call(retry_run)
    assert again["status"] == "pending"
    await world.jobs.settle()
    assert await stands(stage) == ("completed", ["completed"] * 5)
    assert (stage.script.begun, stage.script.planned) == (["b", "d"], 1)
    done = await stage.call(get_workflow_run)
    assert (done["error_message"], done["output"]["done"], done["output"]["failed_tasks"]) == (None, 5, 0)


def skips(asset_fqn: str) -> Step:
    """A step that finds nothing to read."""

    async def step(work: Scripted, arguments: Mapping[str, Any]) -> None:
        raise Skip(asset_fqn, f"{arguments['label']}: the file is broken.")

    return step


async def test_what_cannot_be_read_is_skipped_named_once_and_not_tried_again(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    units = [RunUnit("a"), RunUnit("b"), RunUnit("c"), RunUnit("d", phase=1)]
    stage = await staged(world, door, monkeypatch, *units, runs=True)
    stage.script.steps = {"a": skips("svc.x"), "b": fails("The disk was full."), "d": skips("svc.x")}
    await world.jobs.settle()
    assert await stands(stage) == ("failed", ["skipped", "failed", "completed", "skipped"])
    run = await stage.call(get_workflow_run)
    assert run["error_message"] == "1 of 4 tasks failed. b: The disk was full."
    assert run["tasks"][0]["error_message"] == "a: the file is broken."
    assert stage.script.failed == ["b"]
    stage.script.begun.clear()
    stage.script.steps = {}
    await stage.call(retry_run)
    await world.jobs.settle()
    assert (await stands(stage), stage.script.begun) == (
        ("completed", ["skipped", "completed", "completed", "skipped"]), ["b"]
    )  # fmt: skip
    run = await stage.call(get_workflow_run)
    assert run["error_message"] is None
    assert (int(run["progress"]["completed"]), int(run["progress"]["skipped"])) == (2, 2)
    assert run["output"] == {
        "done": 2, "proposals": 0, "tasks": 4, "failed_tasks": 0, "skipped_tasks": 2, "assets_not_read": 1,
        "not_read": [{"asset_fqn": "svc.x", "reason": "a: the file is broken."}],
    }  # fmt: skip


async def test_a_run_that_could_read_nothing_has_failed(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await staged(world, door, monkeypatch, RunUnit("a"), runs=True)
    stage.script.steps = {"a": skips("svc.x")}
    await world.jobs.settle()
    assert await stands(stage) == ("failed", ["skipped"])
    assert (await stage.call(get_workflow_run))["error_message"] == ("Nothing could be read. a: a: the file is broken.")


async def test_a_task_that_stands_as_failed_because_of_a_kill_is_begun_again(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await staged(world, door, monkeypatch, RunUnit("a"))
    stage.script.steps = {"a": fails("Not now.")}
    [task] = await (await stage.hands()).plan()
    for _ in range(2):
        with pytest.raises(JobError, match="Not now"):
            await (await stage.hands()).task(task.arguments)
    stage.script.steps = {}
    assert await (await stage.hands()).task(task.arguments) == {"done": 1, "proposals": 0}
    assert (stage.script.failed, stage.script.again) == (["a", "a"], ["a", "a"])
    await (await stage.hands()).finish(outcomes([task]))
    assert await stands(stage) == ("completed", ["completed"])


async def test_what_the_engine_gave_up_is_told_with_its_reason(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await staged(world, door, monkeypatch, RunUnit("a"), RunUnit("b"), RunUnit("c", phase=1))
    tasks = await (await stage.hands()).plan()
    given_up = [*outcomes(tasks[:1], "It took its process down."), *outcomes(tasks[1:])]
    assert await (await stage.hands()).finish(given_up) == {}
    [last] = await (await stage.hands(2)).plan()
    await (await stage.hands(2)).task(last.arguments)
    await (await stage.hands(2)).finish(outcomes([last]))
    assert await stands(stage) == ("failed", ["failed", "failed", "completed"])
    run = await stage.call(get_workflow_run)
    assert run["error_message"] == "2 of 3 tasks failed. a: It took its process down. b: It was cut off."
    assert stage.script.failed == ["a", "b"]


async def test_save_all_approves_more_than_one_transaction_takes_and_leaves_conflicts(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approvals, "MOST_AT_ONCE", 3)
    await cataloged(world, "svc.db.sch.t1")
    stage = await staged(world, door, monkeypatch, RunUnit("a"), RunUnit("b"), runs=True, save_all=True)
    gone = {"kind": "description", "field": "description", "asset_fqn": "svc.db.sch.gone"}
    stage.script.proposals = {"a": [gone] * 5, "b": [{}] * 5}
    await world.jobs.settle()
    told = await stage.door(get_run_approval, world.owner, run_id=stage.run_id)
    assert (told["approved"], told["pending"], told["decision"]) == (5, 5, "approve")
    run = await stage.call(get_workflow_run)
    assert (run["status"], run["output"]["conflicts"], run["output"]["proposals"]) == ("completed", 5, 10)


async def test_save_all_needs_the_right_to_approve_at_the_start_and_at_the_end(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cataloged(world, "svc.db.sch.t1")
    operator, admin = await world.member("operator"), await world.member("admin")
    stage = await staged(world, door, monkeypatch, RunUnit("a"))
    stage.script.proposals = {"a": [{}] * 2}
    of = {"configuration_id": stage.ids["configuration_id"]}
    refused = await door(trigger_run, operator, **of, run=RunCreate(save_all=True))
    assert (refused.code, refused.details["permission"]) == ("FORBIDDEN", "can_manage_metadata")
    assert "id" in await door(trigger_run, operator, **of, run=RunCreate())
    stage.ids["run_id"] = (await door(trigger_run, admin, **of, run=RunCreate(save_all=True)))["id"]
    held = {"user_or_group": "admin-of-project", "resource_type": "project", "resource_id": world.shop}
    await door(revoke_permission, world.owner, grant=Grant(**held, relation=Relation.ADMIN))
    await world.grant("admin-of-project", "operator", "project", world.shop)
    [task] = await (await stage.hands()).plan()
    await (await stage.hands()).task(task.arguments)
    output = await (await stage.hands()).finish(outcomes([task]))
    assert "can_manage_metadata is required" in output["not_saved"]
    told = await door(get_run_approval, world.owner, run_id=stage.run_id)
    assert (told["approved"], told["pending"]) == (0, 2)


async def test_a_kill_between_two_transactions_of_an_approval_leaves_none_behind(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approvals, "MOST_AT_ONCE", 2)
    tables = [f"svc.db.sch.t{number}" for number in range(1, 6)]  # what is about one table goes together
    await cataloged(world, *tables)
    stage = await staged(world, door, monkeypatch, RunUnit("a"), save_all=True)
    stage.script.proposals = {"a": [{"asset_fqn": name} for name in tables]}
    work = await stage.hands()
    [task] = await work.plan()
    await work.task(task.arguments)
    await work.ask_whether_to_save()
    await work.ctx.store.write(lambda uow: work._finished(uow, outcomes([task])))  # and killed
    approval = {"run_id": stage.run_id}
    assert (await stage.door(get_run_approval, world.owner, **approval))["approved"] == 2
    assert (await stage.call(get_workflow_run))["status"] == "completed"
    await (await stage.hands()).finish(outcomes([task]))
    assert (await stage.door(get_run_approval, world.owner, **approval))["approved"] == 5
    assert (await stage.call(get_workflow_run))["output"]["conflicts"] == 0


async def test_the_proposals_of_a_run_stand_in_the_order_of_its_units(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_work, "PROPOSALS_PER_TASK", 3)
    stage = await staged(world, door, monkeypatch, RunUnit("late", phase=1), RunUnit("a"), RunUnit("b"), runs=True)
    three = [{"proposed_value": str(at)} for at in range(3)]
    stage.script.proposals = {"late": three[:1], "a": three, "b": three[1:]}
    await world.jobs.settle()
    listed = await door(list_run_proposals, world.owner, run_id=stage.run_id)
    assert [item["proposed_value"] for item in listed["items"]] == ["0", "0", "1", "2", "1", "2"]
    stage = await staged(world, door, monkeypatch, RunUnit("a"), runs=True)
    stage.script.proposals = {"a": [*three, {}]}
    await world.jobs.settle()
    run = await stage.call(get_workflow_run)
    assert run["status"] == "failed"
    assert "One task proposes 3 things at most." in run["error_message"]
    assert (await door(list_run_proposals, world.owner, run_id=stage.run_id))["total"] == 0


async def test_a_task_that_takes_too_long_is_cut_off_and_can_be_tried_again(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    units = [RunUnit("a"), RunUnit("b")]
    stage = await staged(world, door, monkeypatch, *units, runs=True, parameters={"timeout_seconds": 1})
    stage.script.steps = {"a": never_ends}
    await world.jobs.settle()
    assert await stands(stage) == ("failed", ["failed", "completed"])
    run = await stage.call(get_workflow_run)
    assert run["error_message"].startswith("1 of 2 tasks failed. a: It was cut off after 1 seconds. Allow it more")
    stage.script.steps = {}
    await stage.call(retry_run)
    await world.jobs.settle()
    assert await stands(stage) == ("completed", ["completed", "completed"])


@pytest.mark.parametrize("seconds", [0, 86_401, "60"])
async def test_a_time_out_outside_its_bounds_is_refused(world: World, door: Door, seconds: Any) -> None:
    configuration = await configure(world, door, workflow_type=WorkflowType.INTELLIGENCE)
    before = await world.dump()
    body = RunCreate(parameters={"timeout_seconds": seconds})
    refused = await door(trigger_run, world.owner, configuration_id=configuration["id"], run=body)
    assert (refused.code, refused.details["field"]) == (
        "VALIDATION_ERROR" if isinstance(seconds, int) else "INVALID_FORMAT", "parameters.timeout_seconds"
    )  # fmt: skip
    assert await world.dump() == before


async def test_the_time_of_a_task_is_what_the_run_asks_for_within_what_the_deployment_allows(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    for given, seconds in (({}, 3600), ({"timeout_seconds": 86_400}, 3600), ({"timeout_seconds": 7}, 7)):
        stage = await staged(world, door, monkeypatch, parameters=given)
        assert (await stage.hands())._seconds() == seconds


async def test_a_task_shows_the_rows_that_it_has_worked_on(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await staged(world, door, monkeypatch, RunUnit("a"), RunUnit("b"), runs=True)
    seen: list[dict[str, Any]] = []
    second_runs = asyncio.Event()

    async def counting(work: Scripted, arguments: Mapping[str, Any]) -> None:
        await second_runs.wait()
        await work.progress(arguments, 1_000, 5_000_000_000)
        seen.append((await stage.call(list_run_tasks))["items"][0])
        told = (await stage.call(get_workflow_run))["progress"]
        assert (int(told.pop("rows_done")), int(told.pop("rows_total"))) == (1_000, 5_000_000_000)
        seen.append(told)
        await work.progress(arguments, 5_000_000_000, 5_000_000_000)

    async def until_seen(work: Scripted, arguments: Mapping[str, Any]) -> None:
        second_runs.set()
        while len(seen) < 2:
            await asyncio.sleep(0.01)

    stage.script.steps = {"a": counting, "b": until_seen}
    await world.jobs.settle()
    assert (seen[0]["status"], int(seen[0]["rows_done"]), int(seen[0]["rows_total"])) == ("running", 1000, 5 * 10**9)
    assert seen[1] == {
        "tasks": 2, "pending": 0, "running": 2, "waiting": 0, "completed": 0, "failed": 0,
        "skipped": 0,
    }  # fmt: skip
    run = await stage.call(get_workflow_run)
    assert {name: int(value) for name, value in run["progress"].items()} == {
        "tasks": 2, "pending": 0, "running": 0, "waiting": 0, "completed": 2, "failed": 0,
        "skipped": 0,
        "rows_done": 5 * 10**9, "rows_total": 5 * 10**9,
    }  # fmt: skip
    first, second = (await stage.call(list_run_tasks))["items"]
    assert (int(first["rows_done"]), second["rows_done"], second["rows_total"]) == (5 * 10**9, None, None)
