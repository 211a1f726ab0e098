"""Which kept answers a change of a column touches: directly, through views, and never those of others by name."""

from typing import Any

import pytest

from resolvers.talk2data.sessions import delete_chat_session
from resolvers.utils.lineage_answers import get_lineage_answers
from tests.doors import Door, Refused
from tests.support.ingestion import Bench, Source
from tests.talk2data.asking import ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

VIEW = "create view sales.towns as select city, sum(credit) as credit from sales.customers group by city"
TOWNS = "select city, credit from towns"
TOTALS = "select sum(total) as total from orders where placed > '2024-01-01'"


async def touched(world: World, door: Door, bench: Bench, place: str, token: str | None = None, **more: Any) -> Any:
    """Return which answers a change of a place of the shop touches."""
    return await door(
        get_lineage_answers, token or world.owner, resource_type="data_connection", resource_uri=bench.uri,
        fqn=place, **more,
    )  # fmt: skip


async def test_a_change_touches_the_answers_that_read_it_or_what_is_made_of_it(
    world: World, door: Door, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    source.run(VIEW)
    source.may_read("sales")
    await shop.ingest()
    sales = f"shop.{source.database}.sales"
    drafter.script |= {"Towns?": draft(TOWNS), "Totals?": draft(TOTALS)}
    towns, totals = (await ask(world, "Towns?")).turn, (await ask(world, "Totals?")).turn

    through = await touched(world, door, shop, f"{sales}.customers.credit")
    (one,) = through["items"]
    assert (one["turn_id"], one["session_id"], one["question"]) == (towns["turn_id"], towns["session_id"], "Towns?")
    assert (one["steps"], one["reads"]) == (1, [f"{sales}.towns.credit"])
    assert [(edge["to_column"], edge["subtype"]) for edge in one["edges"]] == [("credit", "IDENTITY")]
    assert (through["total"], through["hidden"], through["complete"]) == (1, 0, True)

    (straight,) = (await touched(world, door, shop, f"{sales}.orders.placed"))["items"]
    assert (straight["turn_id"], straight["steps"], straight["understood"]) == (totals["turn_id"], 0, True)
    told = [(edge["from_fqn"], edge["to_column"], edge["type"], edge["subtype"]) for edge in straight["edges"]]
    assert told == [(f"{sales}.orders.placed", "total", "INDIRECT", "FILTER")]
    assert (await touched(world, door, shop, f"{sales}.orders.customer_id"))["total"] == 0

    whole = await touched(world, door, shop, f"{sales}.orders")
    assert whole["items"][0]["reads"] == [f"{sales}.orders", f"{sales}.orders.placed", f"{sales}.orders.total"]
    near = await touched(world, door, shop, f"{sales}.customers", depth=1, page=2, limit=1)
    assert (near["items"], near["total"]) == ([], 1)


async def test_answers_of_others_are_counted_and_go_with_their_session(
    world: World, door: Door, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    drafter.script["Totals?"] = draft(TOTALS)
    turn = (await ask(world, "Totals?")).turn
    place = f"shop.{source.database}.sales.orders.total"
    stranger, other = world.token("sam", project=world.shop), world.token("rita", project=world.shop)
    await world.grant("rita", "viewer", "data_connection", shop.uri)
    refused = await touched(world, door, shop, place, stranger)
    assert isinstance(refused, Refused)
    found = await touched(world, door, shop, place, other)
    assert (found["items"], found["total"], found["hidden"]) == ([], 0, 1)
    assert "Totals" not in str(found)
    await door(delete_chat_session, world.owner, session_id=turn["session_id"])
    gone = await touched(world, door, shop, place, other)
    assert (gone["total"], gone["hidden"]) == (0, 0)
