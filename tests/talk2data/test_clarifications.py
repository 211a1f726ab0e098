"""Questions back: their readings are told apart and counted, and a reply chooses one of them."""

from typing import Any

import pytest

from resolvers.engines.nl2sql.model import Clarification, Interpretation, Unanswerable
from resolvers.talk2data.answering.choosing import Unchosen, choice_of
from resolvers.talk2data.provenance import get_turn_provenance
from resolvers.talk2data.replay import replay_turn
from resolvers.talk2data.turns import create_turn
from schema.talk2data.turn import TurnCreate
from tests.doors import Door, Refused, RestDoor
from tests.support.chat import begun
from tests.support.ingestion import Bench, Source, body_of, connected
from tests.talk2data.asking import Answered, ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.talk2data.test_answer_policies import remembered
from tests.talk2data.test_answer_source import SLOW, until
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

CREDIT = "select id, credit from customers where credit is not null order by credit desc"
ORDERS = "select customer_id, count(*) as orders from orders group by customer_id"
BEST = Clarification(
    "Best by what?",
    (
        Interpretation("The customers by credit.", CREDIT),
        Interpretation("The customers by number of orders.", ORDERS),
        Interpretation("the customers  by credit", ORDERS),
        Interpretation("Who pays first?"),
    ),
)


def readings(got: Answered) -> list[Any]:
    """Return what a question back offers."""
    found: list[Any] = got.done["readings"]
    return found


async def test_a_question_back_tells_its_readings_apart_and_how_many_rows_each_gives(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Who is best?"] = BEST
    got = await ask(world, "Who is best?")
    assert [(one["text"], one["sql"], one["row_count"]) for one in readings(got)] == [
        ("The customers by credit.", CREDIT, 2),
        ("The customers by number of orders.", ORDERS, 3),
        ("Who pays first?", None, None),
    ]
    assert len({one["id"] for one in readings(got)}) == 3
    assert got.text == (
        "Best by what?\n\n1. The customers by credit.\n2. The customers by number of orders.\n3. Who pays first?"
    )
    found = await door(get_turn_provenance, world.owner, session_id=got.turn["session_id"], turn_id=got.turn["turn_id"])
    assert [one["id"] for one in found["readings"]] == [one["id"] for one in readings(got)]
    assert [one["row_count"] for one in found["readings"]] == [2, 3, None]


async def test_a_reading_without_a_row_is_not_offered_beside_one_with_some(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    nobody = Interpretation("Customers without an id.", "select id from customers where id is null")
    drafter.script["Who is it?"] = Clarification("Which?", (nobody, Interpretation("By credit.", CREDIT)))
    drafter.script["And nobody?"] = Clarification("Is it?", (nobody,))
    assert [one["text"] for one in readings(await ask(world, "Who is it?"))] == ["By credit."]
    assert [one["row_count"] for one in readings(await ask(world, "And nobody?"))] == [0]


async def test_a_reading_is_chosen_by_its_id(world: World, door: Door, shop: Bench, drafter: ScriptedDrafter) -> None:
    drafter.script["Who is best?"] = BEST
    drafter.script["Who pays first?"] = draft("select min(id) as first from customers")
    session = await begun(world)
    offered = readings(await ask(world, "Who is best?", session=session))
    first = await ask(world, "whatever is said", session=session, reading_id=offered[0]["id"])
    assert first.result["rows"] == [[2, 20.25], [1, 10.5]], first.events
    assert (first.done["reading"], first.done["confidence"], first.done["warnings"]) == (offered[0]["text"], 0.9, [])
    assert {one["artifact_title"] for one in first.of("artifact")} == {"The customers by credit"}
    # Any reading of the session can be chosen, later and again; one without a query is asked in its words.
    third = await ask(world, "that", session=session, reading_id=offered[2]["id"])
    assert third.result["rows"] == [[1]]
    again = await door(replay_turn, world.owner, session_id=session, turn_id=first.turn["turn_id"])
    assert (again["same"], again["reading"]) == (True, offered[0]["text"])
    started = await door(
        create_turn, world.owner, session_id=session, turn=TurnCreate(message="x", reading_id=offered[1]["id"])
    )
    assert not isinstance(started, Refused)
    await world.jobs.settle()


async def test_a_reading_that_was_not_offered_in_the_session_is_refused(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Who is best?"] = BEST
    offered = readings(await ask(world, "Who is best?"))
    other = await begun(world)
    for unknown in (offered[0]["id"], "1", f"{offered[0]['id']}0"):
        refused = await door(
            create_turn, world.owner, session_id=other, turn=TurnCreate(message="x", reading_id=unknown)
        )
        assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "reading_id")


@pytest.mark.parametrize("said", ["2", "the second one, please", "by number of orders", "orders"])
async def test_a_reading_is_chosen_in_words(world: World, shop: Bench, drafter: ScriptedDrafter, said: str) -> None:
    drafter.script["Who is best?"] = BEST
    session = await begun(world)
    await ask(world, "Who is best?", session=session)
    got = await ask(world, said, session=session)
    assert sorted(got.result["rows"]) == [[1, 2], [2, 1], [3, 1]], got.events
    assert got.done["reading"] == "The customers by number of orders."


async def test_a_reply_that_chooses_nothing(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    drafter.script["Who is best?"] = BEST
    drafter.script["How many orders?"] = draft("select count(*) as orders from orders")
    drafter.script["2"] = Unanswerable("Two of what?")
    session = await begun(world)
    await ask(world, "Who is best?", session=session)
    beyond = await ask(world, "7", session=session)
    assert (beyond.done["kind"], len(readings(beyond))) == ("clarification", 3)
    assert beyond.text.startswith("There is no such reading: choose one from 1 to 3.")
    none = await ask(world, "none of them", session=session)
    assert (none.done["kind"], none.text) == (
        "unanswerable", "Then ask it in other words: say what to show, and of what."
    )  # fmt: skip
    chosen = await ask(world, "1", session=session)
    assert chosen.result["row_count"] == 2, "the question still stands"
    assert (await ask(world, "How many orders?", session=session)).result["rows"] == [[4]]
    assert (await ask(world, "2", session=session)).text == "Two of what?"


async def test_a_reading_is_held_to_the_policies_of_the_moment_that_it_is_chosen(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Who is best?"] = BEST
    session = await begun(world)
    await ask(world, "Who is best?", session=session)
    await remembered(world, {"effect": "forbid", "columns": ["customers.credit"]})
    refused = await ask(world, "1", session=session)
    assert refused.done["kind"] == "refused"
    offered = readings(await ask(world, "Who is best?"))
    assert [one["row_count"] for one in offered] == [None, 3, None]


async def test_connections_of_one_question_are_chosen_by_number(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    twin = await connected(world, RestDoor(world.client), body_of(source, name="Twin"))
    await twin.ingest()
    drafter.script["how many orders?"] = draft("select count(*) as orders from orders")
    session = await begun(world)
    await ask(world, "how many orders?", session=session)
    chosen = await ask(world, "2", session=session)
    assert chosen.result["rows"] == [[4]]
    assert chosen.of("task_update")[3]["data"]["connection"] == twin.uri


class TestTime:
    """Little time to count in."""

    @pytest.fixture
    def setting_overrides(self) -> dict[str, Any]:
        """Half a second."""
        return {"turn_reading_seconds": 0.5}

    async def test_what_takes_too_long_to_be_counted_is_not_and_leaves_nothing_running(
        self, world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
    ) -> None:
        slow = SLOW.replace("count(*) as rows", "distinct a.total")
        drafter.script["Who?"] = Clarification("Which?", (Interpretation("All.", slow), Interpretation("Few.", ORDERS)))
        assert [one["row_count"] for one in readings(await ask(world, "Who?"))] == [None, None]
        await until(source, 0)


CITIES = ["The customers by city.", "The orders by month."]


@pytest.mark.parametrize(
    ("said", "chosen"),
    [
        ("1", 0), ("2.", 1), ("#2", 1), ("option two", 1), ("the 1st", 0), ("last one", 1), ("I mean the latter", 1),
        ("by month", 1), ("the cities, please", 0), ("the city one", 0), ("customers by city", 0),
        ("the orders by month", 1), ("3", Unchosen.BEYOND), ("neither of these", Unchosen.NONE), ("by", None),
        ("How many customers are there?", None), ("2010", None), ("top 2", None), ("orders in Bonn by month", None),
        ("yes", None), ("", None), ("1 and 2", None),
    ],
)  # fmt: skip
def test_what_a_reply_chooses(said: str, chosen: int | Unchosen | None) -> None:
    assert choice_of(said, CITIES) == chosen


def test_a_single_reading_is_taken_or_not() -> None:
    assert [choice_of(said, CITIES[:1]) for said in ("Yes, please!", "no", "maybe")] == [0, Unchosen.NONE, None]
