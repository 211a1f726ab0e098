"""Questions answered from a real database: the steps, the rows, the artifacts, what is asked back or refused."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlglot import exp

from resolvers.assets.artifacts import create_artifact, download_artifact, get_artifact, preview_artifact
from resolvers.engines.nl2sql.model import (
    Asked,
    Clarification,
    DraftFailure,
    Interpretation,
    Knowledge,
    Lookup,
    Outcome,
    QueryDraft,
    Unanswerable,
)
from resolvers.engines.nl2sql.plan import Column, Output, Plan
from resolvers.talk2data.answering.drafting import TOO_MUCH, InThread
from resolvers.talk2data.sessions import delete_chat_session, get_chat_session
from resolvers.talk2data.turns import get_turn, list_turn_artifacts
from schema.assets.artifact import ArtifactCreate
from tests.assets.test_artifacts import blobs
from tests.doors import Door, Refused, RestDoor
from tests.support.chat import begun
from tests.support.ingestion import Bench, Source
from tests.talk2data.asking import ScriptedDrafter, ask, draft, drafter, second_shop, shop, source, world
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

DOES_NOT_FIT = (
    "A value of the data does not fit what the query, or a view that it reads, makes of it, such as a division by "
    "zero. Correct the value, the query or the view."
)
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
    assert (sql["reading"], sql["confidence"], sql["memories"], sql["applied"]) == (f"Run {BY_CITY}.", 0.9, [], [])
    assert (got.done["state"], got.done["kind"], got.done["confidence"]) == ("completed", "answer", 0.9)
    assert got.done["message"] == got.text == "2 rows. The first: city: Bonn; credit: 10.50; customers: 2."
    assert got.done["figures"][0] == {"text": "2", "calculation": "rows of the answer"}
    turn = await door(get_turn, world.owner, session_id=got.turn["session_id"], turn_id=got.turn["turn_id"])
    assert turn["state"] == "completed"
    assert [message["content"] for message in turn["messages"]] == ["How much credit by city?", got.text]
    listed = await door(
        list_turn_artifacts, world.owner, session_id=got.turn["session_id"], turn_id=got.turn["turn_id"]
    )
    (artifact,) = listed["items"]
    assert (artifact["artifact_type"], artifact["artifact_title"]) == ("parquet", "How much credit by city?")
    downloads = artifact["metadata"].pop("downloads")
    assert downloads["json"] == f"/assets/artifacts/{artifact['resource_uri']}/download?format=json"
    assert artifact["metadata"] == {"rows": 2, "columns": ["city", "credit", "customers"], "truncated": False}
    shown = await door(preview_artifact, world.owner, resource_uri=artifact["resource_uri"])
    assert shown["columns"] == ["city", "credit", "customers"]
    assert shown["rows"] == [["Bonn", "10.50", 2], ["Kiel", "20.25", 1]]


async def test_the_rows_of_an_answer_are_the_askers_alone(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["How many?"] = draft("select count(*) as number from orders")
    got = await ask(world, "How many?")
    (artifact,) = got.of("artifact")
    uri = artifact["resource_uri"]
    assert (await door(get_artifact, world.owner, resource_uri=uri))["name"].startswith("Answer of ")
    for token in (await world.member("admin"), await world.member("viewer"), world.token("anna", project=world.shop)):
        for operation in (get_artifact, preview_artifact, download_artifact):
            assert (await door(operation, token, resource_uri=uri)).status == 403
    assert (await door(get_artifact, world.foreign_owner, resource_uri=uri)).status == 404


async def test_a_chart_comes_with_rows_that_one_helps_to_see(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Orders by city?"] = draft(
        "select c.city, count(*) as orders from orders o join customers c on c.id = o.customer_id group by c.city "
        "order by orders desc, c.city"
    )
    got = await ask(world, "Orders by city?")
    assert got.result["rows"] == [["Bonn", 3], ["Kiel", 1]]
    by_type = {one["artifact_type"]: one["resource_uri"] for one in got.of("artifact")}
    assert {"parquet", "chart"} <= set(by_type)
    shown = await RestDoor(world.client)(preview_artifact, world.owner, resource_uri=by_type["chart"])
    assert shown["value"]["mark"]["type"] == "bar"
    assert shown["value"]["data"]["values"] == [{"c0": "Bonn", "c1": 3}, {"c0": "Kiel", "c1": 1}]
    if "image" in by_type:
        picture = await RestDoor(world.client)(preview_artifact, world.owner, resource_uri=by_type["image"])
        assert picture["preview_type"] == "image"


async def test_the_first_question_gives_a_session_its_title(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    long = "How many  orders were placed\nby " + "very " * 30 + "old customers?"
    drafter.script |= {long: Unanswerable("No."), "Next": Unanswerable("No.")}
    session = await begun(world)
    await ask(world, long, session=session)
    await ask(world, "Next", session=session)
    found = await door(get_chat_session, world.owner, session_id=session)
    assert found["title"].startswith("How many orders were placed by very very")
    assert found["title"].endswith("very…")
    assert len(found["title"]) <= 81
    named = await begun(world)
    path = f"/talk2data/chat/sessions/{named}"
    assert (await world.request("PATCH", path, token=world.owner, json={"title": "Mine"})).status_code == 200
    await ask(world, "Next", session=named)
    assert (await door(get_chat_session, world.owner, session_id=named))["title"] == "Mine"


async def test_an_unclear_question_is_asked_back_with_its_readings(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Who is best?"] = Clarification(
        "Best by what?",
        (Interpretation("Who has the most credit?", "select 1"), Interpretation("Who has the most orders?")),
    )
    got = await ask(world, "Who is best?")
    assert (got.done["state"], got.done["kind"], got.done["message"]) == ("completed", "clarification", got.text)
    assert [(one["text"], one["sql"]) for one in got.done["readings"]] == [
        ("Who has the most credit?", "select 1"),
        ("Who has the most orders?", None),
    ]
    assert got.text == "Best by what?\n\n1. Who has the most credit?\n2. Who has the most orders?"
    assert not got.of("sql")
    assert not got.of("result")
    assert not got.of("artifact")


async def test_what_the_data_cannot_answer_is_said(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    drafter.script["What is the weather?"] = Unanswerable("Nothing here is about “weather”.", ("weather",))
    got = await ask(world, "What is the weather?")
    assert (got.done["state"], got.done["kind"]) == ("completed", "unanswerable")
    assert got.text == "Nothing here is about “weather”."
    assert got.steps == ["link", "draft"]


async def test_without_data_the_answer_says_what_to_do(world: World, drafter: ScriptedDrafter) -> None:
    got = await ask(world, "How many orders?")
    assert (got.done["state"], got.done["kind"]) == ("completed", "unanswerable")
    assert "run service-ingestion" in got.text
    assert not drafter.asked


async def test_a_draft_that_fails_is_mended_from_the_real_error(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    wrong, worse = draft("select nothing from orders"), draft("select 1 / (total - total) as x from orders")
    drafter.script["How many orders?"] = wrong
    drafter.repairs = [worse, draft("select count(*) as orders from orders")]
    got = await ask(world, "How many orders?")
    assert got.steps == ["link", "draft", "guard", "repair", "guard", "run", "repair", "guard", "run", "answer"]
    assert got.result["rows"] == [[4]]
    assert [len(failures) for failures in drafter.failures] == [1, 2]
    assert [(one.rule, one.draft.sql) for one in drafter.failures[1]] == [("columns", wrong.sql), (None, worse.sql)]
    assert drafter.failures[1][1].message == DOES_NOT_FIT


async def test_a_question_is_refused_when_no_draft_passes_the_guard(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Delete all!"] = draft("delete from orders")
    drafter.repairs = [draft("drop table orders"), draft("select pg_sleep(1) from orders")]
    got = await ask(world, "Delete all!")
    assert (got.done["state"], got.done["kind"], got.done["rule"]) == ("completed", "refused", "functions")
    assert "(Rule: functions.)" in got.text
    assert "run" not in got.steps
    drafter.repairs = [draft("delete from orders")]
    assert (await ask(world, "Delete all!")).done["rule"] == "no_writes"


async def test_what_the_source_cannot_run_fails_the_turn_when_it_cannot_be_mended(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    broken = draft("select 1 / (total - total) as x from orders")
    drafter.script["Divide"] = broken
    drafter.repairs = [broken]
    got = await ask(world, "Divide")
    assert got.events[-1]["event"] == "error"
    assert (got.done["state"], got.done["message"]) == ("failed", DOES_NOT_FIT)


async def test_what_the_source_could_not_run_is_told_when_there_is_no_other_way(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Divide"] = draft("select 1 / (total - total) as x from orders")
    drafter.repairs = [Unanswerable("The question names no table.")]
    got = await ask(world, "Divide")
    assert (got.done["state"], got.done["kind"]) == ("completed", "unanswerable")
    assert got.done["message"] == f"{DOES_NOT_FIT} No other way to answer was found."


async def test_an_unsure_answer_says_so(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    drafter.script["Orders?"] = draft("select count(*) as orders from orders", confidence=0.4, reading="Count orders.")
    got = await ask(world, "Orders?", context={"datasources": [], "artifacts": ["artifact:x:y:z"], "attachments": []})
    assert got.done["warnings"] == [
        "Files and artifacts that come with a question are not read.",
        "I am not sure that this is what you mean. I understood: Count orders.",
    ]
    assert got.text == "Count orders: 4.\n\n" + "\n\n".join(got.done["warnings"])


class TestBounds:
    """An answer that is larger than it may be."""

    @pytest.fixture
    def setting_overrides(self) -> dict[str, Any]:
        """Few rows."""
        return {"turn_rows": 3}

    async def test_rows_beyond_the_bound_are_cut_off_and_it_is_said(
        self, world: World, shop: Bench, drafter: ScriptedDrafter
    ) -> None:
        drafter.script |= {
            "All": draft("select id from orders order by id"),
            "Three": draft("select id from orders order by id limit 3"),
        }
        got = await ask(world, "All")
        assert (got.result["rows"], got.result["row_count"], got.result["truncated"]) == ([[1], [2], [3]], 3, True)
        assert "only the first 3 were taken" in got.text
        (artifact,) = got.of("artifact")
        assert artifact["metadata"]["truncated"] is True
        three = await ask(world, "Three")
        assert (three.result["row_count"], three.result["truncated"], three.done["warnings"]) == (3, False, [])


async def test_the_planner_answers_by_itself(world: World, shop: Bench) -> None:
    object.__setattr__(world.app.parts.services, "drafter", None)
    got = await ask(world, "How many customers are there?")
    assert (got.done["state"], got.done["kind"]) == ("completed", "answer"), got.events
    assert got.result["rows"] == [[3]]
    assert got.of("sql")[0]["drafter"].startswith("planner/")


async def test_the_planner_looks_values_up_in_the_source(world: World, shop: Bench) -> None:
    object.__setattr__(world.app.parts.services, "drafter", None)
    got = await ask(world, "How many customers live in kiel?")
    assert got.done["kind"] == "answer", got.done
    assert got.result["rows"] == [[1]]


async def test_a_question_runs_on_the_connection_that_it_fits(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    uri = (await second_shop(world, source, name="Twin"))["resource_uri"]
    drafter.script["How many orders?"] = draft("select count(*) as orders from orders")
    assert (await ask(world, "How many orders?")).of("task_update")[3]["data"]["connection"] == shop.uri
    refused = await ask(world, "How many orders?", context={"datasources": [uri]})
    assert (refused.done["kind"], "no data called" in refused.text) == ("refused", True)
    named = await ask(world, "How many orders?", context={"datasources": [f"shop.{source.database}.sales.orders"]})
    assert named.result["rows"] == [[4]]
    assert [table.name for table in drafter.known[-1].tables] == ["orders"]


async def test_two_connections_that_fit_alike_are_asked_about(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    from tests.support.ingestion import body_of, connected

    twin = await connected(world, RestDoor(world.client), body_of(source, name="Twin"))
    await twin.ingest()
    drafter.script["how many orders?"] = draft("select count(*) as orders from orders")
    got = await ask(world, "how many orders?")
    assert got.done["kind"] == "clarification"
    assert [one["text"] for one in got.done["readings"]] == ["In Shop: how many orders?", "In Twin: how many orders?"]
    session = got.turn["session_id"]
    chosen = await ask(world, "In Twin: how many orders?", session=session)
    assert chosen.result["rows"] == [[4]]
    assert drafter.asked[-1].text == "how many orders?"
    assert chosen.of("task_update")[3]["data"]["connection"] == twin.uri
    again = await ask(world, "how many orders?", session=session)
    assert again.of("task_update")[3]["data"]["connection"] == twin.uri


async def test_the_artifacts_of_answers_go_with_their_session(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script |= {
        "Orders by city?": draft(
            "select c.city, count(*) as orders from orders o join customers c on c.id = o.customer_id group by c.city"
        ),
        "How many?": draft("select count(*) as number from orders"),
    }
    own = await begun(world)
    first, second = await ask(world, "Orders by city?", session=own), await ask(world, "How many?", session=own)
    kept = (await ask(world, "How many?")).of("artifact")[0]["resource_uri"]
    uris = [one["resource_uri"] for got in (first, second) for one in got.of("artifact")]
    assert len(uris) == 4, "rows, chart and picture, and rows"
    turn = first.turn["turn_id"]
    named = {"name": "Mine", "artifact_type": "text", "content": "x", "resource_uri": f"answer-{turn}-mine"}
    mine = await door(create_artifact, world.owner, artifact=ArtifactCreate.model_validate(named))
    before = set(blobs(world))
    assert not isinstance(await door(delete_chat_session, world.owner, session_id=own), Refused)
    for uri in uris:
        assert await door(get_artifact, world.owner, resource_uri=uri) == "RESOURCE_NOT_FOUND"
    rows = str(await world.dump())
    assert not [uri for uri in uris if f"{uri}'" in rows], "no row and no relation is left"
    for standing in (kept, mine["resource_uri"]):
        assert (await door(get_artifact, world.owner, resource_uri=standing))["resource_uri"] == standing
    assert len(before - set(blobs(world))) == 4


async def test_a_query_that_nests_too_deep_to_be_written_is_too_much_to_ask() -> None:
    class Deep:
        name = "deep/1"

        async def draft(self, asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
            condition: exp.Expr = exp.true()
            for _ in range(5000):
                condition = exp.Paren(this=condition)
            return QueryDraft(condition.sql(), "", 1.0, 1)

        async def repair(
            self, asked: Asked, known: Knowledge, failures: Sequence[DraftFailure], lookup: Lookup
        ) -> Outcome:
            return await self.draft(asked, known, lookup)

    drafter, asked, known = InThread(Deep()), Asked("1 " * 1000, datetime.now(UTC)), Knowledge(())
    assert await drafter.draft(asked, known, lambda *_: ()) == Unanswerable(TOO_MUCH)
    assert await drafter.repair(asked, known, (), lambda *_: ()) == Unanswerable(TOO_MUCH)


async def test_rows_without_a_name_are_shown_with_what_else_they_tell(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    def drafted(asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
        orders = next(one.fqn for one in known.tables if one.name == "orders")
        return draft(
            "select orders.id from orders where orders.total > 10 order by orders.id",
            plan=Plan(orders, (Output(Column(orders, "id")),)),
        )

    drafter.script |= {"large orders": drafted, "ids of large orders": drafted}
    got = await ask(world, "large orders")
    assert [one["name"] for one in got.result["columns"]] == ["id", "placed", "total"], "and no other key"
    assert got.result["rows"][0][1:] == ["2024-01-05", 12.5]
    assert [one["artifact_type"] for one in got.of("artifact")] == ["parquet"], "nobody asked for a chart of them"
    got = await ask(world, "ids of large orders")
    assert got.result["rows"] == [[1], [3]], "who asks for keys gets keys"
