"""Messages about the data, or about the last answer, are answered from what is known, without a query."""

import pytest

from resolvers.talk2data.answering.asides import Aside, Topic, aside_of
from resolvers.talk2data.provenance import get_turn_provenance
from resolvers.talk2data.replay import replay_turn
from tests.data_readiness.quality import measure
from tests.doors import Door
from tests.support.chat import begun
from tests.support.ingestion import Bench, Source
from tests.talk2data.asking import Answered, ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.talk2data.test_answer_policies import remembered
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

COUNT = "select count(*) as orders from orders"


def told(got: Answered) -> str:
    """The text of what was told without a query."""
    assert (got.done["state"], got.done["kind"]) == ("completed", "information"), got.done
    assert got.steps == ["link"]
    assert not got.of("sql")
    assert not got.of("result")
    return got.text


async def test_what_there_is_is_told_from_the_catalog(
    world: World, door: Door, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    source.run(
        "comment on table sales.orders is 'What customers have ordered';"
        "comment on column sales.orders.total is 'Euros, with taxes';"
    )
    await shop.ingest()
    hello = await ask(world, "Hello!")
    assert told(hello).startswith("Hello. I answer questions about the data of Shop with 2 tables.")
    tables = await ask(world, "What tables are there?")
    assert told(tables).startswith("Shop has 2 tables:\n- customers")
    assert "- orders (4 rows): What customers have ordered." in told(tables)
    meaning = told(await ask(world, "what does `total` mean?"))
    assert meaning.startswith("total of orders (Shop): Euros, with taxes. Its type is NUMERIC")
    assert told(await ask(world, "what does order.customer id mean")).endswith("It refers to customers.")
    assert "- total (NUMERIC" in told(await ask(world, "Describe the orders table"))
    assert told(await ask(world, "What does credits mean?")).startswith("credit of customers (Shop)")
    unknown = told(await ask(world, "What does 'totall' mean?"))
    assert unknown.startswith(
        "Nothing in the catalog is called “totall”. Did you mean “total”?\n\ntotal of orders (Shop)"
    )
    assert told(await ask(world, "What does CUSTOMER_ID mean?")).startswith("customer_id of orders (Shop)")
    assert told(await ask(world, "What is the orders table?")).startswith("orders (Shop) has 4 rows")
    nearly = told(await ask(world, "How good is the custmers table?"))
    assert nearly.startswith("Nothing in the catalog is called “custmers”. Did you mean “customers”?\n\nThe quality of")
    assert not drafter.asked
    found = await door(
        get_turn_provenance, world.owner, session_id=tables.turn["session_id"], turn_id=tables.turn["turn_id"]
    )
    assert (found["kind"], found["sql_run"], found["message"]) == ("information", None, tables.text)
    again = await door(replay_turn, world.owner, session_id=tables.turn["session_id"], turn_id=tables.turn["turn_id"])
    assert again["same"] is True


async def test_what_can_be_asked_is_shown_by_questions_that_are_answered(world: World, shop: Bench) -> None:
    object.__setattr__(world.app.parts.services, "drafter", None)
    session = await begun(world)
    text = told(await ask(world, "What can I ask?", session=session))
    examples = [line.removeprefix("- ") for line in text.splitlines() if line.startswith("- ")]
    assert "How many customers are there?" in examples
    for one in examples:
        assert (await ask(world, one, session=session)).done["kind"] == "answer", one
    about = told(await ask(world, "What can I ask about orders?", session=session))
    assert "How many orders are there?" in about
    assert "customers are there" not in about


async def test_only_what_the_asker_may_ask_about_is_told(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    drafter.script["what does credit mean?"] = draft(COUNT)
    await remembered(world, {"effect": "forbid", "columns": ["customers.credit"]})
    await remembered(world, {"effect": "row_filter", "tables": ["orders"], "condition": "total > 10"}, pack="Filters")
    assert "credit" not in told(await ask(world, "columns of customers"))
    assert told(await ask(world, "what does credit mean?")).startswith("Nothing in the catalog is called “credit”.")
    tables = told(await ask(world, "what tables are there"))
    assert "- orders\n" in f"{tables}\n", "all rows are not told where a policy shows some"
    assert "- customers (3 rows)" in tables


async def test_how_good_a_table_is_is_told_from_the_scorecard(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    assert told(await ask(world, "How good is the orders table?")) == (
        "The quality of orders (Shop) has not been measured yet: run dq-assessment on it."
    )
    assert "has not been measured yet" in told(await ask(world, "How good is the data?"))
    await measure(world, ("non_null_values", f"shop.{source.database}.sales.orders.total", 1, 4))
    measured = told(await ask(world, "Can I trust the orders?"))
    assert measured.startswith("The quality of orders (Shop) is 25.0 of 100. In detail: ")
    assert measured.endswith("No violation is open.")
    assert told(await ask(world, "How good is the data?")).startswith("The quality of Shop is 25.0 of 100.")
    drafter.script["Describe the orders x."] = drafter.script["How good is the weather?"] = draft(COUNT)
    assert (await ask(world, "Describe the orders x.")).done["kind"] == "answer", "the data may have such a thing"
    assert (await ask(world, "How good is the weather?")).result["rows"] == [[4]]


async def test_the_last_answer_is_shown_as_a_query_and_explained(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["How many orders?"] = draft(COUNT, reading="The number of orders.")
    session = await begun(world)
    assert told(await ask(world, "show me the SQL", session=session)).startswith("No question of this session")
    await ask(world, "How many orders?", session=session)
    sql = told(await ask(world, "Show me the SQL, please", session=session))
    assert sql.startswith("The query behind “How many orders?”:\n\n```sql\nSELECT\n  COUNT(*) AS")
    assert sql.endswith("```")
    explained = told(await ask(world, "Explain it", session=session))
    assert explained.startswith(
        "“How many orders?”: I understood: The number of orders. It was read from orders. The answer has 1 row."
    )


async def test_a_term_of_the_glossary_is_told(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    made = await world.request(
        "POST",
        "/data-readiness/glossary/terms",
        token=world.owner,
        json={"name": "Churn", "definition": "Customers who left within a year"},
    )
    assert made.status_code == 201, made.text
    text = told(await ask(world, "What is meant by churn?"))
    assert text.startswith("Churn: Customers who left within a year.")


@pytest.mark.parametrize(
    ("said", "aside"),
    [
        ("hi there", Aside(Topic.GREETING)),
        ("Thank you very much!", Aside(Topic.THANKS)),
        ("HELP", Aside(Topic.HELP)),
        ("What can I ask about?", Aside(Topic.HELP)),
        ("what can i ask about payments?", Aside(Topic.HELP, "payments", False)),
        ("Which tables do you have?", Aside(Topic.TABLES)),
        ("list all tables", Aside(Topic.TABLES)),
        ("What's in the database?", Aside(Topic.TABLES)),
        ("What columns does the payment table have?", Aside(Topic.TABLE, "payment", False)),
        ("describe the data", Aside(Topic.HELP, None)),
        ("How good is the payment table?", Aside(Topic.QUALITY, "payment", False)),
        ("Can I trust this data?", Aside(Topic.QUALITY)),
        ("what does the column `amt` mean?", Aside(Topic.MEANING, "amt")),
        ("What does lgID mean?", Aside(Topic.MEANING, "lgID")),
        ("define churn", Aside(Topic.MEANING, "churn", False)),
        ("what is the sql?", Aside(Topic.SQL)),
        ("show me the query behind that", Aside(Topic.SQL)),
        ("How did you get this number?", Aside(Topic.EXPLANATION)),
        ("What does that mean?", Aside(Topic.EXPLANATION)),
        ("How many tables did the waiter serve?", None),
        ("show me the queries of last week", None),
        ("What is the average total?", None),
        ("list the orders", None),
    ],
)
def test_what_a_message_asks_beside_the_data(said: str, aside: Aside | None) -> None:
    assert aside_of(said) == aside
