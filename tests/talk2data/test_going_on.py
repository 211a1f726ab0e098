"""What follows a question back, an error, an honest no or a refusal goes on from there."""

from typing import Any

import pytest

from resolvers.engines.nl2sql.model import (
    Asked,
    Clarification,
    Interpretation,
    Knowledge,
    Lookup,
    Outcome,
    Unanswerable,
)
from resolvers.engines.nl2sql.plan import Plan
from resolvers.talk2data.answering.going_on import instead, without
from resolvers.talk2data.chat_settings import set_chat_settings
from schema.talk2data.chat_settings import ChatSettingsChange
from tests.data_readiness.quality import measure
from tests.doors import RestDoor
from tests.support.chat import begun
from tests.support.ingestion import Bench, Source
from tests.talk2data.asking import ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.talk2data.test_answer_policies import remembered
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

COUNT = "select count(*) as orders from orders"
BROKEN = "select 1 / (total - total) as x from orders"
CREDIT = "select id, credit from customers order by credit desc"
ORDERS = "select customer_id, count(*) as orders from orders group by customer_id"
PLAN = Plan("svc.db.s.t", ())
BEST = Clarification(
    "Best by what?", (Interpretation("By credit.", CREDIT, PLAN), Interpretation("By orders.", ORDERS, PLAN))
)


@pytest.fixture
def planner(world: World) -> None:
    """The planner, in the place of the script."""
    object.__setattr__(world.app.parts.services, "drafter", None)


async def test_a_question_follows_the_query_of_a_turn_that_failed(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    broken = draft(BROKEN)
    drafter.script |= {"Divide": broken, "by city": draft(COUNT, evidence={"follows": True}), "Divide?": draft(COUNT)}
    drafter.repairs = [broken]
    session = await begun(world)
    assert (await ask(world, "Divide", session=session)).events[-1]["event"] == "error"
    got = await ask(world, "by city", session=session)
    (before,) = drafter.asked[-1].earlier
    assert (before.question, before.sql, before.rows) == ("Divide", BROKEN, ())
    assert (got.done["kind"], got.done["warnings"]) == ("answer", [])


async def test_a_question_is_tried_again(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    drafter.script |= {"Orders?": draft(BROKEN), "Next?": Unanswerable("No.")}
    drafter.repairs = [draft(BROKEN)]
    session = await begun(world)
    await ask(world, "Orders?", session=session)
    drafter.script["Orders?"] = draft(COUNT, reading="The number of orders.")
    got = await ask(world, "Try again, please", session=session)
    assert got.result["rows"] == [[4]]
    await ask(world, "Next?", session=session)
    assert drafter.asked[-1].earlier[-1].question == "Orders?"


async def test_a_question_that_was_refused_is_built_on(
    world: World, shop: Bench, source: Source, planner: None
) -> None:
    rest = RestDoor(world.client)
    await measure(world, ("non_null_values", f"shop.{source.database}.sales.customers.city", 1, 4))
    await rest(set_chat_settings, world.owner, settings=ChatSettingsChange(refuse_below="0.5"))
    session = await begun(world)
    refused = await ask(world, "How many customers are there?", session=session)
    assert refused.done["kind"] == "refused"
    why = await ask(world, "Why?", session=session)
    assert why.text == f"“How many customers are there?” has no answer. {refused.text}"
    await rest(set_chat_settings, world.owner, settings=ChatSettingsChange())
    got = await ask(world, "and by city?", session=session)
    assert sorted(got.result["rows"]) == [["Bonn", 2], ["Kiel", 1]], got.events
    assert got.done["warnings"] == []


@pytest.mark.parametrize("said", ["I mean customers", "customers", "use customers instead of weather"])
async def test_other_words_stand_in_for_those_that_nothing_stood_for(
    world: World, shop: Bench, planner: None, said: str
) -> None:
    session = await begun(world)
    first = await ask(world, "How many weather are there?", session=session)
    assert first.done["kind"] == "unanswerable", first.done
    got = await ask(world, said, session=session)
    assert got.done["kind"] == "answer", got.done
    assert got.result["rows"] == [[3]]
    followed = await ask(world, "by city", session=session)
    assert sorted(followed.result["rows"]) == [["Bonn", 2], ["Kiel", 1]]


async def test_a_refused_column_is_left_out(world: World, shop: Bench, planner: None) -> None:
    await remembered(world, {"effect": "forbid", "columns": ["customers.email"]})
    session = await begun(world)
    refused = await ask(world, "Show the city and the email of customers", session=session)
    assert refused.done["kind"] == "refused", refused.done
    got = await ask(world, "Ok, without it", session=session)
    assert got.done["kind"] == "answer", got.done
    assert sorted(got.result["rows"]) == [["Bonn"], ["Bonn"], ["Kiel"]]
    assert {one["artifact_title"] for one in got.of("artifact")} == {"Show the city of customers"}


async def test_each_reading_of_a_question_back_is_built_on(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    def narrowed(asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
        sql = f"select * from ({asked.earlier[-1].sql}) as one limit 1"
        return draft(sql, reading=f"{asked.earlier[-1].sql[:12]}…, the first.", evidence={"follows": True}, plan=PLAN)

    drafter.script |= {"Who is best?": BEST, "only one": narrowed, "How many?": draft(COUNT)}
    session = await begun(world)
    await ask(world, "Who is best?", session=session)
    still = await ask(world, "only one", session=session)
    assert still.done["kind"] == "clarification"
    assert [(one["text"], one["row_count"]) for one in still.done["readings"]] == [
        ("select id, c…, the first.", 1),
        ("select custo…, the first.", 1),
    ]
    chosen = await ask(world, "the first", session=session)
    assert chosen.result["row_count"] == 1
    # A question that stands alone is no part of it.
    await ask(world, "Who is best?", session=session)
    assert (await ask(world, "How many?", session=session)).result["rows"] == [[4]]


async def test_what_leads_to_one_query_is_answered_and_says_what_it_goes_on_from(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script |= {
        "Who is best?": BEST,
        "count the orders": draft(COUNT, reading="Orders.", evidence={"follows": True}, plan=PLAN),
    }
    session = await begun(world)
    await ask(world, "Who is best?", session=session)
    got = await ask(world, "count the orders", session=session)
    assert got.result["rows"] == [[4]]
    assert got.done["warnings"] == ["This goes on from “Who is best?”. I understood: Orders."]


async def test_words_that_make_a_question_whole_are_added_to_it(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script |= {
        "Who is best?": Clarification("By what?", (Interpretation("Do you mean credit?"),)),
        "Who is best by number of orders": draft(COUNT, reading="Orders."),
    }
    session = await begun(world)
    await ask(world, "Who is best?", session=session)
    got = await ask(world, "by number of orders", session=session)
    assert got.result["rows"] == [[4]]
    assert got.done["warnings"] == ["I took this for “Who is best by number of orders”. I understood: Orders."]


async def test_an_aside_does_not_break_what_went_before(world: World, shop: Bench, planner: None) -> None:
    session = await begun(world)
    await ask(world, "How many customers are there?", session=session)
    await ask(world, "Show me the SQL", session=session)
    got = await ask(world, "and by city?", session=session)
    assert sorted(got.result["rows"]) == [["Bonn", 2], ["Kiel", 1]]
    assert got.done["warnings"] == []


@pytest.mark.parametrize(
    ("question", "words", "left"),
    [
        ("Show name and email of customers", ["email"], "Show name of customers"),
        ("Show email and name of customers", ["email"], "Show name of customers"),
        ("Show name, email and city", ["email"], "Show name and city"),
        ("How many orders by weather?", ["weather"], "How many orders?"),
        ("How many orders?", ["weather"], None),
    ],
)
def test_words_are_left_out_with_what_ties_them(question: str, words: list[str], left: str | None) -> None:
    assert without(question, words) == left


def test_words_that_stand_together_are_replaced() -> None:
    given: Any = ("How many weather forecasts?", ["weather", "forecasts"], "orders")
    assert instead(*given) == "How many orders?"
    assert instead("How many forecasts of weather?", ["weather", "forecasts"], "orders") is None


async def test_words_that_were_not_understood_are_not_put_in_their_own_place(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script |= {
        "quux total by city": Unanswerable("Nothing stands for “quux”.", ("quux",)),
        "quux total": Unanswerable("Nothing stands for “quux”.", ("quux",)),
        "average total by city": draft(COUNT),
    }
    session = await begun(world)
    await ask(world, "quux total by city", session=session)
    assert (await ask(world, "quux total", session=session)).done["kind"] == "unanswerable"
    again = await begun(world)
    await ask(world, "quux total by city", session=again)
    got = await ask(world, "average instead", session=again)
    assert "I took this for “average total by city”." in got.text
