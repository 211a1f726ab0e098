"""The event that the score of a table fell: when it is told, and which webhooks get it."""

from datetime import timedelta

import pytest

from persistence.queries.metric_results import Measured
from resolvers.data_readiness.runs.falls import record_figures
from resolvers.engines.messages import message, plain
from resolvers.utils.events import list_events
from resolvers.utils.webhooks import update_webhook
from schema.utils.event import EventType, PlatformEvent
from tests.data_readiness.quality import METRIC, ORDERS, a_run, scope_of
from tests.doors import Door
from tests.utils.receiving import Receiver, made, receiver, settle
from tests.world import World

pytestmark = pytest.mark.anyio

__all__ = ["receiver"]

FALL = {"types": ["score.fell"]}
VALID = "valid_values"


async def measured(world: World, right: int, *, run: str | None = None, table: str = ORDERS) -> str:
    """A run finds so many of 100 values to be there; its id."""
    world.clock.moment += timedelta(minutes=1)
    run, now = run or await a_run(world), world.clock()
    metric = METRIC[VALID]
    figures = [Measured(metric.id, f"{table}.amount", right, 100)]
    await world.app.parts.services.store.write(
        lambda uow: record_figures(uow, scope_of(world), run, table, figures, at=now)
    )
    await settle(world)
    return run


async def test_a_fall_is_told_once_and_nothing_else_is_one(world: World, door: Door) -> None:
    await measured(world, 95)
    await measured(world, 97)
    run = await measured(world, 80)
    await measured(world, 80, run=run)
    await measured(world, 80)
    await measured(world, 10, table="crm.shop.public.other")
    (event,) = (await door(list_events, world.owner, type="score.fell"))["items"]
    assert (event["asset_fqn"], event["severity"]) == (ORDERS, "medium")
    assert event["data"] == {"score": "0.8000", "score_before": "0.9700", "workflow_run_id": run}


async def test_what_is_taken_back_is_not_told(world: World, door: Door) -> None:
    await measured(world, 95)
    run, now = await a_run(world), world.clock()
    metric = METRIC[VALID].id

    def work(uow: object) -> None:
        figures = [Measured(metric, f"{ORDERS}.amount", 1, 100)]
        record_figures(uow, scope_of(world), run, ORDERS, figures, at=now + timedelta(minutes=1))  # type: ignore[arg-type]
        raise RuntimeError("the transaction fails")

    with pytest.raises(RuntimeError):
        await world.app.parts.services.store.write(work)
    await settle(world)
    assert (await door(list_events, world.owner, type="score.fell"))["total"] == 0


async def test_a_webhook_gets_falls_through_its_limit(world: World, door: Door, receiver: Receiver) -> None:
    usual = await made(world, door, receiver, **FALL)
    assert usual["webhook"]["score_below"] == 0.9
    await made(world, door, receiver, name="Strict", score_below=1.0, **FALL)
    await made(world, door, receiver, name="Mild", score_below=0.5, **FALL)
    for right in (100, 95, 90, 85, 80, 50, 95, 49):
        await measured(world, right)
    by_falls = sorted((body["data"]["score_before"], body["data"]["score"]) for body in receiver.bodies)
    assert by_falls == [
        ("0.9000", "0.8500"),  # usual
        ("0.9500", "0.4900"),  # usual
        ("0.9500", "0.4900"),  # mild
        ("1.0000", "0.9500"),  # strict
    ]
    await door(update_webhook, world.owner, webhook_id=usual["webhook"]["id"], changes={"score_below": 0.4})
    await measured(world, 39)
    assert len(receiver.bodies) == 5


def test_every_type_of_event_is_told_to_people() -> None:
    for number, kind in enumerate(EventType):
        event = PlatformEvent(
            id="0b2f6c2e-0000-4000-8000-000000000001",
            sequence=number + 1,
            type=kind,
            organization_id="o",
            project_id="p",
            asset_fqn=ORDERS,
            severity=None,
            domain=None,
            occurred_at="2026-01-01T00:00:00Z",  # type: ignore[arg-type]
            data={},
        )
        for root in (None, "https://stoa.example.com"):
            found = message([event], more=0, root=root, say=plain)
            assert found.text.startswith(f"{found.headline}\n• ")
            assert ORDERS in found.headline
