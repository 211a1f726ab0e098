"""Webhooks of the format OpenLineage: what a receiver is sent of runs, in which order, and what is refused."""

from typing import Any

import pytest
from standardwebhooks import Webhook as Verifier

from persistence.tables.data_readiness import workflow_runs
from resolvers.utils.webhooks import create_webhook, send_webhook_test, update_webhook
from schema.data_readiness.workflow_run import RunStatus
from tests.data_readiness.quality import scope_of
from tests.data_readiness.test_run_openlineage import TABLES, hidden, planned
from tests.data_readiness.workflows import written
from tests.doors import Door
from tests.utils.receiving import Receiver, log, made, receiver, settle, tell
from tests.world import World

pytestmark = pytest.mark.anyio

__all__ = ["hidden", "receiver"]

LINEAGE = {"format": "openlineage"}


async def ended(world: World, run: dict[str, Any], to: RunStatus, **values: Any) -> None:
    """Let a run end, and send what is due."""

    def work(uow: Any) -> None:
        end = {"completed_at": world.clock(), "only_from": [RunStatus.RUNNING]} | values
        assert uow.workflow_runs.move(scope_of(world), str(run["run_id"]), to, **end)

    await written(world, work)
    await settle(world)


async def test_a_run_that_ended_is_sent_as_it_began_and_as_it_ended(
    world: World, door: Door, hidden: str, receiver: Receiver
) -> None:
    hook = await made(world, door, receiver, **LINEAGE)
    assert hook["webhook"]["format"] == "openlineage"
    await tell(world, "svc.db.sch.orders")
    assert receiver.bodies == []
    run = await planned(world, door, "running", *TABLES)
    receiver.will_answer(201, 503)
    await ended(world, run, RunStatus.FAILED, error_message="Gone.")
    await settle(world, seconds=6)
    assert [one["eventType"] for one in receiver.bodies] == ["START", "FAIL"] * 2
    ids = [one.headers["webhook-id"] for one in receiver.stub.asked]
    assert (ids[:2], len(set(ids))) == (ids[2:], 2)
    for asked, body in zip(receiver.stub.asked, receiver.bodies, strict=True):
        assert Verifier(hook["secret"]).verify(asked.body, dict(asked.headers)) == body
        assert asked.headers["content-type"] == "application/json"
        assert {"eventTime", "producer", "schemaURL"} <= body.keys()
        assert (body["run"]["runId"], len(body["inputs"])) == (str(run["run_id"]), 3)
    (delivery,) = await log(world, door, hook["webhook"]["id"])
    assert (delivery["status"], delivery["attempts"], delivery["event_id"]) == ("delivered", 2, ids[1])
    sent = await door(send_webhook_test, world.token("olga", project=world.shop), webhook_id=hook["webhook"]["id"])
    await settle(world)
    last = receiver.bodies[-1]
    assert (last["eventType"], last["run"]["runId"], last["job"]["name"]) == ("OTHER", sent["event_id"], "webhook.test")


async def test_a_start_is_sent_when_a_run_begins_and_not_again_with_its_end(
    world: World, door: Door, hidden: str, receiver: Receiver
) -> None:
    hook = await made(world, door, receiver, **LINEAGE)
    await made(world, door, receiver, name="All types")
    await made(world, door, receiver, name="By name", types=["run.started"])
    run = await planned(world, door, "pending", *TABLES)
    scope, id = scope_of(world), str(run["run_id"])

    def work(uow: Any) -> None:
        for goes_on in (True, True):
            assert uow.workflow_runs.goes_on(scope, id, of_attempt=1, at=world.clock()) is goes_on
        assert not uow.workflow_runs.goes_on(scope, id, of_attempt=2, at=world.clock())

    receiver.will_answer(503)
    await written(world, work)
    await settle(world)
    await settle(world, seconds=6)
    kinds = [one.get("eventType") or one["type"] for one in receiver.bodies]
    assert sorted(kinds) == ["START", "START", "stoa.run.started"] or sorted(kinds) == [
        "START", "stoa.run.started", "stoa.run.started",
    ]  # fmt: skip
    told = [one for one in receiver.bodies if "eventType" in one]
    assert (told[-1]["run"]["runId"], len(told[-1]["inputs"])) == (id, 3)
    receiver.stub.asked.clear()
    await ended(world, run, RunStatus.COMPLETED)
    assert [one.get("eventType") or one["type"] for one in receiver.bodies] in (
        ["COMPLETE", "stoa.run.ended"], ["stoa.run.ended", "COMPLETE"],
    )  # fmt: skip
    assert [one["type"] for one in await log(world, door, hook["webhook"]["id"])] == ["run.started", "run.ended"]


async def test_a_receiver_is_told_what_its_webhooks_owner_may_read_and_nothing_of_what_never_began(
    world: World, door: Door, hidden: str, receiver: Receiver
) -> None:
    hook = await made(world, door, receiver, **LINEAGE)
    viewer = await world.member("developer")
    changed = await door(update_webhook, viewer, webhook_id=hook["webhook"]["id"], changes={"name": "Theirs"})
    assert changed["name"] == "Theirs"
    await ended(world, await planned(world, door, "running", *TABLES), RunStatus.CANCELED)
    assert [(one["eventType"], len(one["inputs"])) for one in receiver.bodies] == [("START", 2), ("ABORT", 2)]
    assert "secret" not in str(receiver.bodies)
    unbegun = await planned(world, door, "running", *TABLES)
    of = workflow_runs.c.id == str(unbegun["run_id"])
    await written(world, lambda uow: uow.connection.execute(workflow_runs.update().where(of).values(started_at=None)))
    await ended(world, unbegun, RunStatus.CANCELED)
    assert len(receiver.bodies) == 2
    last = (await log(world, door, hook["webhook"]["id"]))[-1]
    assert (last["status"], "never began" in last["error"]) == ("given_up", True)


async def test_what_is_no_run_and_people_are_refused(world: World, door: Door, receiver: Receiver) -> None:
    for given, field in (({"types": ["run.ended", "term.approved"]}, "types"), ({"channel": "chat"}, "format")):
        body = {"name": "n", "url": receiver.url} | LINEAGE | given
        refused = await door(create_webhook, world.owner, webhook=body)
        assert (refused, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, field)
    hook = await made(world, door, receiver, types=["run.ended"], **LINEAGE)
    changes = {"types": ["score.fell"]}
    refused = await door(update_webhook, world.owner, webhook_id=hook["webhook"]["id"], changes=changes)
    assert (refused, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "types")
