"""How many tasks use a connection at once: places that are leased, waited for in turn, and lost with their process."""

import asyncio
import threading
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.engine import Database
from persistence.jobs.slots import RunSettings, place_at
from persistence.store import Store
from persistence.tables.slots import connection_slots
from resolvers.data_readiness.runs.executor import RunUnit
from resolvers.data_readiness.runs.operations import cancel_run, get_workflow_run, list_run_tasks
from resolvers.data_readiness.runs.reading import use_connection
from tests.data_readiness.workflows import written
from tests.doors import Door
from tests.support.ingestion import Bench, Source, body_of, connected, setting_overrides, source
from tests.support.scripted import Scripted, staged
from tests.world import ORG, World

__all__ = ["setting_overrides", "source"]

pytestmark = pytest.mark.anyio

URI = "data:acme:shop:svc"


def settings(places: int, lease: float = 30.0) -> RunSettings:
    """So many places."""
    return RunSettings(connection_concurrency=places, connection_lease_seconds=max(1.0, lease))


async def rows(world: World) -> list[Any]:
    """The uses that the store knows, in their order."""
    query = sa.select(connection_slots).order_by(connection_slots.c.asked_at)
    return list(await written(world, lambda uow: uow.connection.execute(query).all()))


async def test_no_more_than_the_limit_use_a_connection_and_each_has_its_turn(world: World) -> None:
    services = world.app.parts.services
    using: set[int] = set()
    most, order = [0], []
    all_places_are_used = asyncio.Event()

    async def use(number: int) -> None:
        async with place_at(services.store, services.signals, settings(3), ORG, URI, who=f"w{number}"):
            using.add(number)
            order.append(number)
            most.append(len(using))
            if len(using) == 3:
                all_places_are_used.set()
            await all_places_are_used.wait()
            await asyncio.sleep(0.01)
            using.discard(number)

    await asyncio.gather(*(use(number) for number in range(12)))
    assert (max(most), sorted(order)) == (3, list(range(12)))
    assert await rows(world) == []


async def test_who_asks_first_has_the_first_place(world: World) -> None:
    services = world.app.parts.services
    order: list[int] = []

    async def use(number: int) -> None:
        async with place_at(services.store, services.signals, settings(1), ORG, URI, who=f"w{number}"):
            order.append(number)

    waiting = []
    async with place_at(services.store, services.signals, settings(1), ORG, URI, who="first"):
        for number in range(5):
            waiting.append(asyncio.create_task(use(number)))
            while len(await rows(world)) < number + 2:
                await asyncio.sleep(0)
        assert order == []
    await asyncio.gather(*waiting)
    assert order == [0, 1, 2, 3, 4]


async def test_two_connections_and_two_tenants_do_not_wait_for_one_another(world: World) -> None:
    services = world.app.parts.services
    async with AsyncExitStack() as stack:
        for number, (organization, uri) in enumerate([(ORG, URI), (ORG, f"{URI}2"), ("globex", URI)]):
            await stack.enter_async_context(
                place_at(services.store, services.signals, settings(1), organization, uri, who=f"w{number}")
            )
        assert len(await rows(world)) == 3


async def test_the_place_of_a_killed_process_is_free_when_its_lease_is_over(world: World) -> None:
    services = world.app.parts.services
    await written(world, lambda uow: uow.slots.ask("dead", "t", ORG, URI, limit=1, lease=0.3))
    async with place_at(services.store, services.signals, settings(1), ORG, URI, who="alive"):
        [row] = await rows(world)
        assert row.id == "alive"
    assert await written(world, lambda uow: uow.slots.renew("dead", "t", lease=1)) is False


async def test_who_waits_and_is_killed_holds_nobody_up(world: World) -> None:
    services = world.app.parts.services

    def work(uow: Any) -> tuple[bool, bool]:
        first = uow.slots.ask("first", "t", ORG, URI, limit=1, lease=60)
        return first, uow.slots.ask("dead", "t", ORG, URI, limit=1, lease=0.3)

    assert await written(world, work) == (True, False)
    # Kept, or the place would be given back as soon as nobody refers to it.
    place = place_at(services.store, services.signals, settings(1), ORG, URI, who="alive")
    waiting = asyncio.create_task(place.__aenter__())
    while "alive" not in [row.id for row in await rows(world)]:
        await asyncio.sleep(0.01)
    await written(world, lambda uow: uow.slots.give_back("first", "t"))
    await waiting
    [row] = await rows(world)
    assert (row.id, row.held_at is not None) == ("alive", True)
    await place.__aexit__(None, None, None)
    assert await rows(world) == []


async def test_work_that_is_begun_again_has_the_place_that_it_had(world: World) -> None:
    services = world.app.parts.services
    for _ in range(2):
        assert await written(world, lambda uow: uow.slots.ask("task", "old", ORG, URI, limit=1, lease=60))
    async with place_at(services.store, services.signals, settings(1), ORG, URI, who="task"):
        [row] = await rows(world)
        # What was cut off and lives on elsewhere does not give its successor's place back.
        await written(world, lambda uow: uow.slots.give_back("task", "old"))
        assert [one.token for one in await rows(world)] == [row.token] != ["old"]
    assert await rows(world) == []


async def test_a_wait_can_be_cancelled_and_leaves_the_queue(world: World) -> None:
    services = world.app.parts.services
    async with place_at(services.store, services.signals, settings(1), ORG, URI, who="first"):
        waiting = asyncio.create_task(
            place_at(services.store, services.signals, settings(1), ORG, URI, who="second").__aenter__()
        )
        while len(await rows(world)) < 2:
            await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert [row.id for row in await rows(world)] == ["first"]


async def test_a_place_outlasts_its_lease_while_it_is_used(world: World) -> None:
    services = world.app.parts.services
    async with place_at(services.store, services.signals, settings(1, lease=1), ORG, URI, who="slow"):
        [before] = await rows(world)
        while True:
            [row] = await rows(world)
            if row.expires_at > before.expires_at:
                break
            await asyncio.sleep(0.02)
        given = await written(world, lambda uow: uow.slots.ask("other", "t", ORG, URI, limit=1, lease=1))
        assert given is False


async def test_two_processes_share_the_places(world: World, store_kind: str) -> None:
    if store_kind == "sqlite":
        return  # one process runs jobs there
    services = world.app.parts.services
    other = Database(world.app.parts.settings.resolved_database_url)
    try:
        stores = [services.store, Store(other)]
        using, most, both = [0], [0], asyncio.Event()

        async def use(number: int) -> None:
            async with place_at(stores[number % 2], services.signals, settings(2), ORG, URI, who=f"w{number}"):
                using[0] += 1
                most.append(using[0])
                if using[0] == 2:
                    both.set()
                await both.wait()
                await asyncio.sleep(0.005)
                using[0] -= 1

        await asyncio.gather(*(use(number) for number in range(20)))
        assert max(most) == 2
        assert await rows(world) == []
    finally:
        await other.close()


@pytest.fixture
async def narrow(world: World, door: Door, source: Source) -> Bench:
    """The shop, which one task may use at a time."""
    body = body_of(source)
    return await connected(
        world, door, body | {"database_config": body["database_config"] | {"options": {"max_concurrency": 1}}}
    )


async def test_the_tasks_of_a_run_use_a_connection_one_after_the_other_if_it_says_so(
    narrow: Bench, world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await staged(world, door, monkeypatch, *[RunUnit(f"u{at}") for at in range(4)], runs=True)
    using, most = [0], [0]
    lock = threading.Lock()

    def work(_connector: Any) -> None:
        with lock:
            using[0] += 1
            most.append(using[0])
        time.sleep(0.02)
        with lock:
            using[0] -= 1

    async def step(scripted: Scripted, arguments: Mapping[str, Any]) -> None:
        # Used twice at once, a connection is still one place: otherwise the task would wait for itself.
        async def twice() -> None:
            await use_connection(scripted.ctx, narrow.uri, lambda connector: None)

        def first(connector: Any) -> None:
            work(connector)

        await use_connection(scripted.ctx, narrow.uri, first)
        await twice()

    stage.script.steps = {f"u{at}": step for at in range(4)}
    await world.jobs.settle()
    run = await stage.call(get_workflow_run)
    assert (run["status"], run["error_message"]) == ("completed", None)
    assert max(most) == 1
    assert await rows(world) == []


async def test_a_task_that_waits_for_a_connection_says_so_and_its_time_stands_still(
    narrow: Bench, world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await staged(world, door, monkeypatch, RunUnit("a"), runs=True, parameters={"timeout_seconds": 1})

    async def step(scripted: Scripted, arguments: Mapping[str, Any]) -> None:
        await use_connection(scripted.ctx, narrow.uri, lambda connector: None)

    stage.script.steps = {"a": step}
    services = world.app.parts.services
    async with place_at(services.store, services.signals, settings(1), ORG, narrow.uri, who="somebody"):
        while len(await rows(world)) < 2:
            await asyncio.sleep(0.01)
        await asyncio.sleep(1.2)  # longer than it may work
        [task] = (await stage.call(list_run_tasks))["items"]
        assert (task["status"], task["waits_for"]) == ("running", narrow.uri)
    await world.jobs.settle()
    [task] = (await stage.call(list_run_tasks))["items"]
    assert (task["status"], task["waits_for"], task["error_message"]) == ("completed", None, None)


async def test_a_run_that_waits_for_a_connection_can_be_canceled(
    narrow: Bench, world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await staged(world, door, monkeypatch, RunUnit("a"), runs=True)

    async def step(scripted: Scripted, arguments: Mapping[str, Any]) -> None:
        await use_connection(scripted.ctx, narrow.uri, lambda connector: None)

    stage.script.steps = {"a": step}
    services = world.app.parts.services
    async with place_at(services.store, services.signals, settings(1), ORG, narrow.uri, who="somebody"):
        while len(await rows(world)) < 2:
            await asyncio.sleep(0.01)
        assert (await stage.call(cancel_run))["status"] == "canceled"
        await world.jobs.settle()
        assert [row.id for row in await rows(world)] == ["somebody"]
    [task] = (await stage.call(list_run_tasks))["items"]
    assert (task["status"], task["waits_for"]) == ("canceled", None)
