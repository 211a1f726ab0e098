"""Where answers come from, and what asking an old question again tells."""

from typing import Any
from uuid import uuid4

import pytest

from resolvers.engines.nl2sql.model import Clarification, Interpretation, Unanswerable
from resolvers.talk2data.chat_settings import set_chat_settings
from resolvers.talk2data.provenance import get_turn_provenance
from resolvers.talk2data.replay import replay_turn
from resolvers.utils.memories import archive_memory, update_memory
from resolvers.utils.metadata import update_metadata
from schema.talk2data.chat_settings import ChatSettingsChange
from schema.utils.memory import MemoryType, MemoryUpdate
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.data_readiness.quality import find, finding, measure
from tests.doors import Door, Refused, RestDoor
from tests.support.chat import begun
from tests.support.ingestion import Bench, Source
from tests.talk2data.asking import Answered, ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.talk2data.test_answer_policies import remembered
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

TOTALS = "select customer_id, sum(total) as total from orders group by customer_id order by customer_id"


def of(got: Answered) -> dict[str, Any]:
    """Return what names a turn."""
    return {"session_id": got.turn["session_id"], "turn_id": got.turn["turn_id"]}


def changes(replay: dict[str, Any]) -> list[tuple[str, str | None, str | None, str | None]]:
    """Return what a replay tells of changes."""
    return [(one["kind"], one["subject"], one["before"], one["after"]) for one in replay["changes"]]


async def test_an_answer_shows_where_it_comes_from(
    world: World, door: Door, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    orders = f"shop.{source.database}.sales.orders"
    memory = await remembered(world, {"type": "text", "text": "total is net"}, MemoryType.FACT)
    await measure(world, ("non_null_values", f"{orders}.total", 3, 4))
    await find(world, finding("null_values", f"{orders}.total"))
    drafter.script["Totals?"] = draft(
        TOTALS, memories=(memory["id"], str(uuid4())), evidence={"linked": ["totals"], "model": "m", "prompt_hash": "h"}
    )
    got = await ask(world, "Totals?")
    found = await door(get_turn_provenance, world.owner, **of(got))
    score = found["tables"][0].pop("quality_score")
    assert score is not None
    versions = {column["name"]: column.pop("version") for column in found["tables"][0]["columns"]}
    assert versions == {"customer_id": "0.1", "total": "0.1"}
    assert found["tables"] == [
        {
            "fqn": orders,
            "version": "0.1",
            "open_violations": 1,
            "columns": [{"name": "customer_id", "open_violations": 0}, {"name": "total", "open_violations": 1}],
        }
    ]
    assert found["memories"] == [{"id": memory["id"], "name": "Rule", "version": 1, "memory_type": "fact"}]
    assert (found["kind"], found["resource_uri"], found["dialect"]) == ("answer", shop.uri, "postgres")
    assert (found["drafter"], found["model"], found["prompt_hash"]) == ("scripted/1", "m", "h")
    assert (found["sql_drafted"], found["row_count"], found["truncated"]) == (TOTALS, 3, False)
    assert '"sales"."orders"' in found["sql_run"]
    assert "LIMIT 10001" in found["sql_run"]
    assert (found["confidence"], found["reading"], found["plan"]) == (0.9, f"Run {TOTALS}.", None)
    assert found["evidence"]["linked"] == ["totals"]
    assert found["warnings"] == ["1 violation on total of orders is not resolved."]
    assert found["message"] == got.text
    assert len(found["result_hash"]) == 64
    assert (found["policies"], found["failed"]) == ([], [])


async def test_what_is_no_answer_has_a_provenance_too(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script |= {
        "Best?": Clarification("By what?", (Interpretation("By credit?"),), {"words": ["best"]}),
        "Weather?": Unanswerable("No weather.", evidence={"missing": ["weather"]}),
        "Drop": draft("drop table orders"),
    }
    for question, kind in (("Best?", "clarification"), ("Weather?", "unanswerable"), ("Drop", "refused")):
        drafter.repairs = [draft("drop table orders")]
        found = await door(get_turn_provenance, world.owner, **of(await ask(world, question)))
        assert (found["kind"], found["result_hash"], found["sql_run"]) == (kind, None, None)
    assert [(one["sql"], one["rule"]) for one in found["failed"]] == [("drop table orders", "no_definitions")]


async def test_the_provenance_of_a_turn_is_its_askers_alone(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Totals?"] = draft(TOTALS)
    got = await ask(world, "Totals?")
    admin = await world.member("admin")
    other = await begun(world)
    before = await world.dump()
    for operation in (get_turn_provenance, replay_turn):
        assert (await door(operation, admin, **of(got))).code == "FORBIDDEN"
        assert (await door(operation, world.foreign_owner, **of(got))).code == "RESOURCE_NOT_FOUND"
        missing = of(got) | {"turn_id": str(uuid4())}
        assert (await door(operation, world.owner, **missing)).code == "RESOURCE_NOT_FOUND"
        elsewhere = of(got) | {"session_id": other}
        assert (await door(operation, world.owner, **elsewhere)).code == "RESOURCE_NOT_FOUND"
    assert await world.dump() == before


async def test_a_turn_that_failed_has_none(world: World, door: Door, shop: Bench, drafter: ScriptedDrafter) -> None:
    drafter.script["Boom"] = RuntimeError("boom")
    got = await ask(world, "Boom")
    assert got.done["state"] == "failed"
    refused = await door(get_turn_provenance, world.owner, **of(got))
    assert (refused.code, refused.details["resource_type"]) == ("RESOURCE_NOT_FOUND", "turn_provenance")


async def test_a_replay_of_an_unchanged_answer_is_the_same(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Totals?"] = draft(TOTALS)
    got = await ask(world, "Totals?")
    before = await world.dump()
    replay = await door(replay_turn, world.owner, **of(got))
    assert not isinstance(replay, Refused), replay
    assert (replay["same"], replay["changes"], replay["sql_diff"]) == (True, [], None)
    assert replay["old"]["result_hash"] == replay["old_query"]["result_hash"] == replay["new_query"]["result_hash"]
    assert replay["new_query"]["row_count"] == 3
    after = await world.dump()
    assert {name for name in before if before[name] != after[name]} <= {"idempotency_keys", "connection_slots"}


async def test_a_replay_tells_what_has_changed_and_why(
    world: World, door: Door, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    orders = f"shop.{source.database}.sales.orders"
    kept = await remembered(world, {"type": "text", "text": "a"}, MemoryType.FACT)
    gone = await remembered(world, {"type": "text", "text": "b"}, MemoryType.FACT, pack="Other")
    drafter.script["Totals?"] = draft(TOTALS, memories=(kept["id"], gone["id"]))
    got = await ask(world, "Totals?")
    source.run("insert into sales.orders values (9, 3, '2024-05-01', 5)")
    rest = RestDoor(world.client)
    await rest(
        update_metadata,
        world.owner,
        resource_type="data_connection",
        resource_uri=shop.uri,
        fqn=orders,
        changes=MetadataAssetUpdate(description="What was sold."),
    )
    await rest(
        update_memory, world.owner, memory_id=kept["id"], changes=MemoryUpdate(content={"type": "text", "text": "c"})
    )
    await rest(archive_memory, world.owner, memory_id=gone["id"])
    await find(world, finding("null_values", f"{orders}.total"))
    await measure(world, ("non_null_values", f"{orders}.total", 1, 4))
    rule = await remembered(
        world, {"effect": "row_filter", "tables": ["orders"], "condition": "id < 100"}, pack="Policies"
    )
    new_sql = TOTALS.replace("order by customer_id", "order by total desc")
    drafter.script["Totals?"] = draft(new_sql, memories=(kept["id"],), drafter="scripted/2")
    replay = await door(replay_turn, world.owner, **of(got))
    assert not isinstance(replay, Refused), replay
    told = changes(replay)
    assert told[0] == ("catalog", orders, "0.1", "0.2")
    assert ("violations", f"{orders}.total", "0", "1") in told
    assert ("quality", orders) in [one[:2] for one in told]
    assert ("memory", "Rule", "1", "2") in told
    assert ("memory", "Rule", "1", None) in told
    assert ("policy", "Rule", None, "1") in told
    assert ("drafter", None, "scripted/1", "scripted/2") in told
    assert [one[0] for one in told[-3:]] == ["sql", "data", "result"]
    assert (replay["same"], replay["kind"]) == (False, "answer")
    assert replay["old_query"]["result_hash"] != replay["old"]["result_hash"]
    assert "-select customer_id" in replay["sql_diff"]
    assert "+select customer_id" in replay["sql_diff"]
    assert rule["id"] not in [one["id"] for one in replay["old"]["policies"]]
    again = await door(get_turn_provenance, world.owner, **of(got))
    assert again == replay["old"]


async def test_a_replay_of_what_is_forbidden_now_tells_the_rule(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Mails?"] = draft("select email from customers order by id")
    got = await ask(world, "Mails?")
    await remembered(world, {"effect": "forbid", "columns": ["customers.email"]})
    drafter.repairs = [Unanswerable("No.")]
    replay = await door(replay_turn, world.owner, **of(got))
    assert (replay["kind"], replay["new_query"]["rule"]) == ("refused", "policy_forbid")
    assert (replay["old_query"]["rule"], replay["old_query"]["result_hash"]) == ("policy_forbid", None)
    assert ("answer", None, "answer", "refused") in changes(replay)
    assert "example.org" not in str({**replay, "old": None})


async def test_answers_warn_of_poor_data_and_are_refused_below_what_the_project_says(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    orders = f"shop.{source.database}.sales.orders"
    drafter.script["Totals?"] = draft(TOTALS)
    await measure(world, ("non_null_values", f"{orders}.total", 1, 4))
    rest = RestDoor(world.client)
    plain = await ask(world, "Totals?")
    assert plain.done["warnings"] == []
    score = (await rest(get_turn_provenance, world.owner, **of(plain)))["tables"][0]["quality_score"]
    await rest(set_chat_settings, world.owner, settings=ChatSettingsChange(warn_below="0.9"))
    warned = await ask(world, "Totals?")
    assert warned.done["warnings"] == [f"The quality of orders ({score}) is below 0.9, so take this answer with care."]
    await rest(set_chat_settings, world.owner, settings=ChatSettingsChange(warn_below="0.9", refuse_below="0.5"))
    refused = await ask(world, "Totals?")
    assert (refused.done["kind"], refused.of("sql"), refused.of("result")) == ("refused", [], [])
    assert f"The quality of orders ({score}) is below 0.5" in refused.text
    await rest(set_chat_settings, world.owner, settings=ChatSettingsChange(refuse_below=score))
    assert (await ask(world, "Totals?")).done["kind"] == "answer"
