"""What answers do in the source: a cancel reaches it, what takes too long is stopped there, sessions follow up."""

import asyncio
import time
from contextlib import AsyncExitStack
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from persistence.jobs.slots import place_at
from persistence.tables.slots import connection_slots
from resolvers.engines.nl2sql.model import ColumnKey, Unanswerable
from resolvers.engines.nl2sql.stored import restored
from resolvers.talk2data.replay import replay_turn
from resolvers.talk2data.turns import cancel_task
from schema.utils.memory import MemoryType
from tests.doors import Door, Refused, RestDoor
from tests.support.chat import asked, begun, streamed
from tests.support.ingestion import Bench, Source
from tests.talk2data.asking import ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.talk2data.test_answer_policies import remembered
from tests.world import ORG, World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

PATIENCE = 120.0
SLOW = (
    "select count(*) as rows from orders a, orders b, orders c, orders d, orders e, orders f, orders g, orders h, "
    "orders i, orders j, orders k, orders l, orders m, orders n, orders o, orders p"
)
"""Four to the power of sixteen rows are not counted in a test's time."""


def running(source: Source) -> int:
    """How many statements of the platform run in the source."""
    with psycopg.connect(source.url) as connection:
        found = connection.execute(
            "select count(*) from pg_stat_activity where usename = %s and state = 'active'", (source.role,)
        ).fetchone()
    assert found is not None
    return int(found[0])


async def until(source: Source, wanted: int) -> float:
    """Wait until so many statements run there; how long that took."""
    begun = time.monotonic()
    while (found := await asyncio.to_thread(running, source)) != wanted:
        assert time.monotonic() < begun + PATIENCE, f"{found} statements run in the source, not {wanted}"
        await asyncio.sleep(0.02)
    return time.monotonic() - begun


async def test_a_cancel_stops_the_statement_in_the_source(
    world: World, door: Door, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    drafter.script["Slow?"] = draft(SLOW)
    turn = await asked(world, await begun(world), "Slow?")
    await until(source, 1)
    assert (await door(cancel_task, world.owner, task_id=turn["task_id"]))["state"] == "canceled"
    await until(source, 0)
    await world.jobs.settle()
    events = await streamed(world, turn)
    assert (events[-1]["event"], events[-1]["data"]["state"]) == ("done", "canceled")
    assert not [event for event in events if event["event"] == "result"]
    assert not (await world.dump())["artifacts"]


async def test_a_cancel_stops_a_search_for_words_in_the_source(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    source.run(
        "create function sales.slow(text) returns text as $$ select pg_sleep(60)::text || $1 $$ language sql;"
        "create view sales.slowly as select sales.slow(city) as city from sales.customers;"
        f'grant select on sales.slowly to "{source.role}"; grant execute on function sales.slow to "{source.role}";'
    )
    await shop.ingest()
    found: list[Any] = []

    def looking(asked: Any, known: Any, lookup: Any) -> Any:
        (table,) = (one for one in known.tables if one.name == "slowly")
        found.append(lookup([ColumnKey(table.fqn, "city")], ["kiel"]))
        return draft("select count(*) as n from orders")

    drafter.script["Where?"] = looking
    turn = await asked(world, await begun(world), "Where?")
    await until(source, 1)
    assert (await RestDoor(world.client)(cancel_task, world.owner, task_id=turn["task_id"]))["state"] == "canceled"
    await until(source, 0)
    await world.jobs.settle()
    assert (await streamed(world, turn))[-1]["data"]["state"] == "canceled"
    async with asyncio.timeout(PATIENCE):
        while not found:
            await asyncio.sleep(0.02)
    assert found == [()]


async def test_a_replay_that_is_broken_off_leaves_nothing(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    drafter.script["Fast?"] = draft("select count(*) as n from orders")
    turn = (await ask(world, "Fast?")).turn
    drafter.script["Fast?"] = draft(SLOW)
    path = f"/talk2data/chat/sessions/{turn['session_id']}/turns/{turn['turn_id']}/replay"
    before = await world.dump()

    async def replay() -> Any:
        return await world.request("POST", path, token=world.owner, headers={"Idempotency-Key": "again"}, json={})

    going = asyncio.create_task(replay())
    await until(source, 1)
    going.cancel()
    await asyncio.gather(going, return_exceptions=True)
    await until(source, 0)
    assert await world.dump() == before
    drafter.script["Fast?"] = draft("select count(*) as n from orders")
    assert (await replay()).json()["same"] is True, "the same key is free again"


class TestTime:
    """Little time for statements."""

    @pytest.fixture
    def setting_overrides(self) -> dict[str, Any]:
        """Two seconds for each."""
        return {"turn_statement_seconds": 2, "turn_replay_seconds": 2}

    async def test_a_statement_that_takes_too_long_is_stopped_in_the_source(
        self, world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
    ) -> None:
        drafter.script["Slow?"] = draft(SLOW)
        got = await ask(world, "Slow?")
        assert (got.events[-1]["event"], got.done["state"]) == ("error", "failed")
        assert "took too long" in got.done["message"]
        await until(source, 0)
        assert not drafter.failures

    async def test_asking_again_ends_in_time_and_leaves_nothing_running(
        self, world: World, door: Door, shop: Bench, source: Source, drafter: ScriptedDrafter
    ) -> None:
        drafter.script["Fast?"] = draft("select count(*) as n from orders")
        got = await ask(world, "Fast?")
        drafter.script["Fast?"] = draft(SLOW)
        world.app.parts.services.turns.__dict__["turn_statement_seconds"] = 60
        refused = await door(replay_turn, world.owner, session_id=got.turn["session_id"], turn_id=got.turn["turn_id"])
        assert isinstance(refused, Refused)
        assert (refused.code, refused.status) == ("UPSTREAM_UNAVAILABLE", 502)
        await until(source, 0)


async def test_a_question_sees_what_was_asked_and_answered_before(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    note = await remembered(world, {"term": "place", "synonyms": ["city"]}, MemoryType.GLOSSARY)
    cities = "select city, count(*) as customers from customers group by city order by city"
    drafter.script |= {
        "Cities?": draft(cities, memories=(note["id"],)),
        "Weather?": Unanswerable("No."),
        "Only the first?": draft("select city from customers order by id limit 1"),
    }
    session = await begun(world)
    for question in drafter.script:
        await ask(world, question, session=session)
    (earlier,) = drafter.asked[-1].earlier
    assert (earlier.question, earlier.columns) == ("Cities?", ("city", "customers"))
    assert earlier.sql.startswith("select city, count(*)")
    assert earlier.rows == (("Bonn", 2), ("Kiel", 1))
    assert earlier.memories == (note["id"],)
    assert drafter.asked[0].earlier == ()
    other = await begun(world)
    await ask(world, "Cities?", session=other)
    assert drafter.asked[-1].earlier == ()


async def test_rows_of_columns_that_are_private_now_are_told_to_no_drafter(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script |= {"Mails?": draft("select email from customers order by id"), "And?": Unanswerable("No.")}
    session = await begun(world)
    await ask(world, "Mails?", session=session)
    await ask(world, "And?", session=session)
    assert drafter.asked[-1].earlier[0].rows[0] == ("ada@example.org",)
    await remembered(world, {"effect": "mask", "columns": ["customers.email"]})
    await ask(world, "And?", session=session)
    assert (drafter.asked[-1].earlier[0].columns, drafter.asked[-1].earlier[0].rows) == (("email",), ())


async def test_a_question_follows_up_on_the_plan_of_an_earlier_answer(world: World, shop: Bench) -> None:
    object.__setattr__(world.app.parts.services, "drafter", None)
    session = await begun(world)
    first = await ask(world, "How many customers are there?", session=session)
    assert first.result["rows"] == [[3]]
    (found,) = await world.app.parts.services.store.read(lambda uow: uow.turn_provenance.earlier(session, 2, 5))
    plan = restored(found.provenance.plan)
    assert plan is not None
    assert plan.main.endswith(".customers")
    second = await ask(world, "and by city?", session=session)
    assert sorted(second.result["rows"]) == [["Bonn", 2], ["Kiel", 1]], second.events
    assert second.done["warnings"] == []
    # “and by city?” tells nobody what a chart or a file shows.
    assert {one["artifact_title"] for one in second.of("artifact")} == {second.of("sql")[0]["reading"].rstrip(".")}
    assert (await ask(world, "How many weather forecasts?", session=session)).done["kind"] == "unanswerable"
    third = await ask(world, "only in Bonn", session=session)
    assert third.result["rows"] == [["Bonn", 2]], third.events
    assert third.done["warnings"] == [
        "The question before this one has no answer, so this builds on “and by city?”. I understood: "
        + third.of("sql")[0]["reading"]
    ]


async def test_a_question_waits_for_a_place_at_a_connection_that_runs_have_filled(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["How many?"] = draft("select count(*) as n from customers")
    services = world.app.parts.services
    count = sa.select(sa.func.count()).select_from(connection_slots)
    async with AsyncExitStack() as held:
        places = services.runs.connection_concurrency
        for at in range(places):
            await held.enter_async_context(
                place_at(services.store, services.signals, services.runs, ORG, shop.uri, who=f"run-{at}")
            )
        turn = await asked(world, await begun(world), "How many?")
        answered = asyncio.create_task(world.jobs.settle())
        while not answered.done():
            if await services.store.read(lambda uow: uow.connection.execute(count).scalar_one()) > places:
                break
            await asyncio.sleep(0.01)
    await answered
    assert [event["event"] for event in await streamed(world, turn)][-1] == "done"
