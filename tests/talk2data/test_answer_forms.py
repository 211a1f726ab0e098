"""An answer comes in the form that is wished: a chart of a kind, or its rows as a file. A ranking shows what it goes
by, and tells of equals behind the cut.
"""

from typing import Any

import pytest

from resolvers.assets.artifacts import download_artifact
from resolvers.engines.nl2sql.model import Clarification, Interpretation, Unanswerable
from resolvers.talk2data.provenance import get_turn_provenance
from resolvers.talk2data.replay import replay_turn
from resolvers.talk2data.turns import list_turn_artifacts
from schema.assets.artifact import TableFormat
from tests.doors import Door
from tests.support.chat import begun
from tests.support.ingestion import Bench, Source
from tests.talk2data.asking import Answered, ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.talk2data.test_answer_policies import remembered
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

BY_CITY = "select city, count(*) as customers from customers group by city order by city"
MEAN = "select city, avg(credit) as mean from customers group by city order by city"


async def spec_of(world: World, got: Answered) -> dict[str, Any] | None:
    """The specification of the chart of an answer."""
    charts = [one["resource_uri"] for one in got.of("artifact") if one["artifact_type"] == "chart"]
    if not charts:
        return None
    found = await world.request("GET", f"/assets/artifacts/{charts[0]}/download", token=world.owner)
    assert found.status_code == 200, found.text
    made: dict[str, Any] = found.json()
    return made


async def mark_of(world: World, got: Answered) -> str | None:
    """Return what the chart of an answer is drawn of."""
    spec = await spec_of(world, got)
    return None if spec is None else spec["mark"]["type"]


async def test_a_chart_of_a_kind_is_asked_for_in_the_question_and_after_it(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script |= {"Customers by city": draft(BY_CITY), "Mean credit by city": draft(MEAN, confidence=0.3)}
    session = await begun(world)
    pie = await ask(world, "Customers by city as a pie chart", session=session)
    assert (pie.done["kind"], pie.done["form"], await mark_of(world, pie)) == ("answer", "pie", "arc")
    assert pie.of("artifact")[0]["artifact_title"] == "Customers by city"
    assert "I understood" not in pie.text, "a wish makes no doubt"
    bar = await ask(world, "and as a bar chart?", session=session)
    assert (bar.done["form"], await mark_of(world, bar), bar.result) == ("bar", "bar", pie.result)
    assert len(drafter.asked) == 1, "the same query is run again"
    assert await mark_of(world, await ask(world, "without a chart", session=session)) is None
    line = await ask(world, "as a line chart", session=session)
    assert await mark_of(world, line) == "bar"
    assert (
        "This cannot be shown as a line chart: a line goes along moments such as months or years, and no column of it "
        "holds any. It is drawn in another way instead."
    ) in line.text
    unsure = await ask(world, "Mean credit by city", session=session)
    again = await ask(world, "as a pie chart", session=session)
    assert "averages or extremes, which are no parts of a whole" in again.text
    assert unsure.done["warnings"] == again.done["warnings"] != [], "a doubt stays"
    where = {"session_id": session, "turn_id": bar.turn["turn_id"]}
    found = await door(get_turn_provenance, world.owner, **where)
    assert (found["evidence"]["form"], found["evidence"]["asked"]) == ("bar", "Customers by city")
    assert (await door(replay_turn, world.owner, **where))["same"] is True


async def test_rows_are_had_as_a_file_by_who_may_read_them(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Show customers by city"] = draft(BY_CITY)
    session = await begun(world)
    got = await ask(world, "Export customers by city to CSV", session=session)
    (rows,) = [one for one in got.of("artifact") if one["artifact_type"] == "parquet"]
    path = rows["metadata"]["downloads"]["csv"]
    assert got.text.endswith(f"The rows are here. CSV: {path}")
    listed = await door(list_turn_artifacts, world.owner, session_id=session, turn_id=got.turn["turn_id"])
    assert listed["items"][0]["metadata"]["downloads"]["csv"] == path
    content = await world.request("GET", path, token=world.owner)
    assert content.text == "city,customers\nBonn,2\nKiel,1\n"
    for token in (await world.member("viewer"), world.token("anna", project=world.shop)):
        denied = await door(download_artifact, token, resource_uri=rows["resource_uri"], format=TableFormat.CSV)
        assert denied.status == 403
    excel = await ask(world, "as Excel", session=session)
    assert "The rows are here. XLSX: /assets/artifacts/" in excel.text
    every = await ask(world, "download it", session=session)
    assert [line.partition(":")[0] for line in every.text.splitlines()[3:]] == ["Parquet", "CSV", "XLSX", "JSON"]


async def test_a_wish_goes_through_a_question_back(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    readings = (Interpretation("The customers by city.", BY_CITY), Interpretation("The mean by city.", MEAN))
    drafter.script |= {"By city": Clarification("Which?", readings), "Weather?": Unanswerable("No.")}
    session = await begun(world)
    await ask(world, "By city as a pie chart", session=session)
    assert await mark_of(world, await ask(world, "1", session=session)) == "arc"
    plain = await begun(world)
    await ask(world, "By city", session=plain)
    back = await ask(world, "as a pie chart", session=plain)
    assert back.done["kind"] == "clarification"
    assert back.text.startswith("Choose first which is meant, then it comes as a pie chart.\n\n1. The customers")
    chosen = await ask(world, "the first one, as a bar chart", session=plain)
    assert (chosen.done["form"], await mark_of(world, chosen)) == ("bar", "bar")
    await ask(world, "Weather?", session=plain)
    after = await ask(world, "as a pie chart", session=plain)
    assert "The question before this one has no answer, so this builds on “The customers by city.”." in after.text
    nothing = await ask(world, "as a pie chart")
    assert (nothing.done["kind"], nothing.text) == (
        "information",
        "No question of this session has been answered yet, so nothing can be shown as a pie chart. Ask one first.",
    )


async def test_another_form_is_held_to_the_policies_of_its_moment(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Credit by city"] = draft("select city, sum(credit) as credit from customers group by city")
    session = await begun(world)
    await ask(world, "Credit by city", session=session)
    await remembered(world, {"effect": "forbid", "columns": ["customers.credit"]})
    refused = await ask(world, "as CSV", session=session)
    assert refused.done["kind"] == "refused"
    assert not refused.of("artifact")


async def test_words_of_the_data_are_no_wish(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    source.run("create table sales.plots (id integer primary key, names text)")
    await shop.ingest()
    drafter.script |= {"plot names by year": draft("select count(*) as plots from plots")}
    assert (await ask(world, "plot names by year")).result["rows"] == [[0]]


async def test_a_ranking_shows_its_figure_and_tells_of_equals(
    world: World, door: Door, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    source.run("update sales.customers set credit = 20.25 where id = 3")
    drafter.script |= {
        "Most orders?": draft("select customer_id from orders group by customer_id order by count(*) desc limit 2"),
        "Highest?": draft("select city from customers where credit > 0 order by credit desc limit 1"),
        "Lowest?": draft("select city from customers where credit > 0 order by credit limit 1"),
        "First?": draft("select city from customers order by id limit 1"),
    }
    session = await begun(world)
    most = await ask(world, "Most orders?", session=session)
    assert [one["name"] for one in most.result["columns"]] == ["customer_id", "count_orders"]
    assert most.result["rows"][0] == [1, 2]
    assert most.result["row_count"] == 2, "the row behind the cut is not shown"
    assert most.text.endswith("At least one more has the same number of orders as the last one, 1, and is left out.")
    assert not most.done["warnings"]
    highest = await ask(world, "Highest?", session=session)
    assert highest.result["rows"][0][1] == 20.25
    assert "At least one more has the same credit, 20.25, and is left out." in highest.text
    assert "At least" not in (await ask(world, "Lowest?", session=session)).text
    assert (await ask(world, "First?", session=session)).result["rows"] == [["Bonn"]], "a key is no figure"
    where = {"session_id": session, "turn_id": most.turn["turn_id"]}
    found = await door(get_turn_provenance, world.owner, **where)
    assert found["sql_run"].endswith("LIMIT 2")
    assert (await door(replay_turn, world.owner, **where))["same"] is True


async def test_what_the_asker_may_not_see_is_not_shown_beside(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Highest?"] = draft("select city from customers order by credit desc limit 1")
    await remembered(world, {"effect": "mask", "columns": ["customers.credit"]})
    got = await ask(world, "Highest?")
    names = [one["name"] for one in got.result["columns"]] if got.of("result") else ["city"]
    assert names == ["city"], got.events
    assert "At least" not in got.text
