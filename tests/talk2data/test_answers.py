"""Questions answered from a real database: the steps, the rows, the artifacts, what is asked back or refused."""

import pytest

from resolvers.assets.artifacts import preview_artifact
from resolvers.talk2data.turns import get_turn, list_turn_artifacts
from tests.doors import Door
from tests.support.ingestion import Bench
from tests.talk2data.asking import ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

BY_CITY = "select city, sum(credit) as credit, count(*) as customers from customers group by city order by city"


async def test_a_question_is_answered_with_the_rows_of_the_source(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["How much credit by city?"] = draft(BY_CITY)
    got = await ask(world, "How much credit by city?")
    assert got.steps == ["link", "draft", "guard", "run", "answer"]
    kinds = [event["event"] for event in got.events if event["event"] not in ("task_update", "message_delta")]
    assert kinds == ["sql", "result", "artifact", "done"]
    assert got.result == {
        "columns": [
            {"name": "city", "type": "VARCHAR"},
            {"name": "credit", "type": "DECIMAL(38,2)"},
            {"name": "customers", "type": "BIGINT"},
        ],
        "rows": [["Bonn", 10.5, 2], ["Kiel", 20.25, 1]],
        "row_count": 2,
        "truncated": False,
    }
    (sql,) = got.of("sql")
    assert (sql["drafted"], sql["dialect"], sql["drafter"]) == (BY_CITY, "postgres", "scripted/1")
    assert "LIMIT" not in sql["sql"].upper() or "10001" in sql["sql"]
    assert (got.done["state"], got.done["kind"], got.done["confidence"]) == ("completed", "answer", 0.9)
    assert got.done["message"] == got.text
    turn = await door(get_turn, world.owner, session_id=got.turn["session_id"], turn_id=got.turn["turn_id"])
    assert turn["state"] == "completed"
    assert [message["content"] for message in turn["messages"]] == ["How much credit by city?", got.text]
    listed = await door(
        list_turn_artifacts, world.owner, session_id=got.turn["session_id"], turn_id=got.turn["turn_id"]
    )
    (artifact,) = listed["items"]
    assert artifact["artifact_type"] == "parquet"
    shown = await door(preview_artifact, world.owner, resource_uri=artifact["resource_uri"])
    assert shown["columns"] == ["city", "credit", "customers"]
    assert shown["rows"] == [["Bonn", "10.50", 2], ["Kiel", "20.25", 1]]


async def test_the_planner_answers_by_itself(world: World, shop: Bench) -> None:
    world.app.parts.services = world.app.parts.services  # the scripted drafter stands aside below
    object.__setattr__(world.app.parts.services, "drafter", None)
    got = await ask(world, "How many customers are there?")
    assert (got.done["state"], got.done["kind"]) == ("completed", "answer"), got.events
    assert got.result["rows"] == [[3]]
    assert got.of("sql")[0]["drafter"].startswith("planner/")
