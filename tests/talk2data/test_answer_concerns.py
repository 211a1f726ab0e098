"""An answer warns of what could change it, and of nothing else."""

import pytest

from resolvers.data_readiness.metrics import create_dimension
from resolvers.data_readiness.violations import create_violation_definition
from resolvers.talk2data.chat_settings import set_chat_settings
from resolvers.talk2data.provenance import get_turn_provenance
from schema.data_readiness.quality import AssessmentType, DimensionCreate
from schema.data_readiness.violation import ViolationDefinitionCreate
from schema.talk2data.chat_settings import ChatSettingsChange
from tests.data_readiness.quality import find, finding, measure
from tests.doors import Door, RestDoor
from tests.support.ingestion import Bench, Source
from tests.talk2data.asking import ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

BY_CUSTOMER = "select customer_id, sum(total) as total from orders group by customer_id order by customer_id"
ON_TOTAL = "1 violation on total of orders is not resolved."


async def test_what_is_missing_in_the_catalog_stands_under_no_answer(
    world: World, door: Door, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    rest, total = RestDoor(world.client), f"shop.{source.database}.sales.orders.total"
    dimension = DimensionCreate(name="stewardship", assessment_type=AssessmentType.METADATA)
    made = await rest(create_dimension, world.owner, dimension=dimension)
    kind = ViolationDefinitionCreate(dimension_id=made["id"], name="unreviewed")
    own = await rest(create_violation_definition, world.owner, definition=kind)
    await find(
        world,
        finding("missing_owner", total),
        finding("missing_description", total),
        finding("missing_tags", total),
        finding("null_values", total, definition_id=own["id"], check="own"),
    )
    await measure(world, ("owned_assets", total, 0, 1), ("non_null_values", total, 4, 4))
    await rest(set_chat_settings, world.owner, settings=ChatSettingsChange(warn_below="0.9", refuse_below="0.8"))
    drafter.script["Totals?"] = draft(BY_CUSTOMER)
    got = await ask(world, "Totals?")
    assert (got.done["kind"], got.done["warnings"]) == ("answer", [])
    turn = {"session_id": got.turn["session_id"], "turn_id": got.turn["turn_id"]}
    (used,) = (await door(get_turn_provenance, world.owner, **turn))["tables"]
    assert (used["quality_score"], used["open_violations"]) == ("1.0000", 0)
    # What is wrong with the data still does.
    await find(world, finding("null_values", total))
    assert (await ask(world, "Totals?")).done["warnings"] == [ON_TOTAL]


BEARS = {
    "select sum(total) as total from orders": True,
    "select count(*) as n from orders where total > 5": True,
    "select count(*) as n from orders": False,
    "select placed from orders order by total": False,
    "select placed from orders order by total limit 2": True,
    "select count(*) as n from (select total, placed from orders) o": False,
    "select max(t) as t from (select total as t from orders) o": True,
    "select placed from orders o join customers c on o.total = c.credit": True,
}
"""Queries, each with whether the column named total bears on its answer."""


async def test_only_what_could_change_the_answer_is_told(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    await find(world, finding("null_values", f"shop.{source.database}.sales.orders.total"))
    for sql, bears in BEARS.items():
        drafter.script[sql] = draft(sql)
        assert (await ask(world, sql)).done["warnings"] == ([ON_TOTAL] if bears else []), sql
