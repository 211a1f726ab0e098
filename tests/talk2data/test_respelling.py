"""Misspelled values of a question are read as what they nearly are, or asked about; private ones are never offered."""

from collections.abc import Sequence

import pytest

from resolvers.engines.nl2sql.model import Unanswerable
from resolvers.talk2data.answering.near_values import nearest
from tests.support.chat import begun
from tests.support.ingestion import Bench, Source
from tests.talk2data.asking import ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.talk2data.test_answer_policies import remembered
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

COPPER = "select count(*) as parts from parts where material = 'Copper'"


@pytest.fixture
async def parts(shop: Bench, source: Source) -> Bench:
    """The shop with a table whose names are no personal data."""
    source.run(
        "create table sales.parts (id integer primary key, material text);"
        "insert into sales.parts values (1, 'Copper'), (2, 'Copper'), (3, 'Walnut Wood')"
    )
    source.may_read("sales")
    await shop.ingest()
    return shop


def lost(*words: str) -> Unanswerable:
    """No answer for want of some words."""
    return Unanswerable("Nothing in the data stands for that.", words)


async def test_a_name_that_is_nearly_one_of_the_data_is_read_as_it(
    world: World, parts: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script |= {
        "Parts of Coper?": lost("Coper"),
        "Parts of Copper?": draft(COPPER, reading="The parts of copper.", confidence=0.95),
    }
    got = await ask(world, "Parts of Coper?")
    assert (got.result["rows"], got.done["confidence"]) == ([[2]], 0.5)
    assert got.done["reading"] == "The parts of copper. Read “Coper” as “Copper”."
    assert "I understood: The parts of copper. Read “Coper” as “Copper”." in got.text


async def test_what_may_be_no_name_is_asked_about_and_can_be_chosen(
    world: World, parts: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script |= {"parts of wlanut": lost("wlanut"), "parts of Walnut": draft(COPPER)}
    session = await begun(world)
    back = await ask(world, "parts of wlanut", session=session)
    assert (back.done["kind"], [one["text"] for one in back.done["readings"]]) == (
        "clarification", ["parts of Walnut"]
    )  # fmt: skip
    assert back.text.startswith("Nothing in the data is called “wlanut”. Did you mean this?")
    assert (await ask(world, "yes", session=session)).result["rows"] == [[2]]


async def test_a_word_that_is_nearly_nothing_stays_an_honest_no(
    world: World, parts: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script |= {"followers of Coper?": lost("followers", "Coper"), "In Oz?": lost("Oz")}
    assert (await ask(world, "followers of Coper?")).done["kind"] == "unanswerable"
    assert (await ask(world, "In Oz?")).done["kind"] == "unanswerable"
    drafter.script["coper weight by year"] = lost("coper")
    unknown = await ask(world, "coper weight by year")
    assert unknown.done["kind"] == "unanswerable", "no value stands there"


async def test_values_that_are_private_are_not_offered(world: World, parts: Bench, drafter: ScriptedDrafter) -> None:
    drafter.script |= {"Customers in Bnon?": lost("Bnon"), "Parts of Coper?": lost("Coper")}
    assert (await ask(world, "Customers in Bnon?")).done["kind"] == "unanswerable", "where people live is personal"
    await remembered(world, {"effect": "mask", "columns": ["parts.material"]})
    assert (await ask(world, "Parts of Coper?")).done["kind"] == "unanswerable"


async def test_a_guess_at_what_a_short_message_names_counts_only_when_it_is_sure(
    world: World, parts: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script |= {
        "orders by quux": lost("quux"),
        "orders by total sum": draft(COPPER, confidence=0.4),
        "total sum": draft("select sum(total) as total from orders"),
    }
    session = await begun(world)
    await ask(world, "orders by quux", session=session)
    got = await ask(world, "total sum", session=session)
    assert (got.result["columns"][0]["name"], got.done["warnings"]) == ("total", [])


@pytest.mark.parametrize(
    ("word", "values", "found"),
    [
        ("Yankes", ["New York Yankees"], ["Yankees"]), ("Bnon", ["Bonn"], ["Bonn"]), ("Bonn", ["Bonn"], None),
        ("Chicgo", ["Chicago", "Chico"], ["Chicago", "Chico"]), ("Kiels", ["Kie"], None),
        ("Philadelpia", ["Philadelphia Phillies"], ["Philadelphia"]),
        ("Phildelpia", ["Philadelphia"], ["Philadelphia"]),
        ("Bond", ["Bone", "Bong", "Bonn", "Bons"], None),
    ],
)  # fmt: skip
def test_words_that_one_is_nearly(word: str, values: Sequence[str], found: Sequence[str] | None) -> None:
    assert nearest([word], values).get(word) == found
