"""What drafters say is made fit to be kept, and the connections that are worth reading are found among many."""

import pytest

from auth.caller import Caller
from auth.guard import Guard
from resolvers.context import Context
from resolvers.engines.nl2sql.model import Clarification, Interpretation, QueryDraft, Unanswerable
from resolvers.talk2data.answering.catalog_context import MOST_READ, UsableConnection, likely
from resolvers.talk2data.answering.sanitizing import LONGEST_SQL, LONGEST_TEXT, MOST_READINGS, heard
from schema.assets.data_connection import DataConnection
from schema.text import require_storable
from tests.support.ingestion import Bench
from tests.talk2data.asking import ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.world import ORG, World

__all__ = ["drafter", "shop", "source", "world"]


def test_words_that_no_store_keeps_are_replaced() -> None:
    said = heard(
        QueryDraft("select 'a\x00b'", "a\x00b\ud800c", 0.5, "x", evidence={"k\x00": ["\ud800", {"n": (1, {2})}]})
    )
    assert isinstance(said, QueryDraft)
    assert (said.sql, said.reading) == ("select 'a\ufffdb'", "a\ufffdb?c")
    assert said.evidence == {"k\ufffd": ["?", {"n": [1, [2]]}]}
    require_storable([said.sql, said.reading, dict(said.evidence)])


def test_what_is_too_long_is_cut() -> None:
    said = heard(
        Clarification("m" * 9000, tuple(Interpretation(f"{at}" + "r" * 9000, "s" * 90_000) for at in range(30)))
    )
    assert isinstance(said, Clarification)
    assert (len(said.message), len(said.readings)) == (LONGEST_TEXT, MOST_READINGS)
    assert (len(said.readings[0].text), len(said.readings[0].sql or "")) == (LONGEST_TEXT, LONGEST_SQL)
    long = heard(QueryDraft("s" * 90_000, "r", 0.5, "x"))
    assert isinstance(long, QueryDraft)
    assert len(long.sql) == LONGEST_SQL + 1


def test_evidence_that_cannot_be_kept_is_left_out() -> None:
    for evidence in ({"a": object()}, {"a": "x" * 4000, "b": ["y" * 4000] * 20}):
        said = heard(Unanswerable("No.", evidence=evidence))
        assert isinstance(said, Unanswerable)
        assert set(said.evidence) == {"left_out"}


@pytest.mark.anyio
async def test_an_answer_with_odd_words_is_told(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    drafter.script["Odd?"] = draft("select 'a\x00' as odd from orders limit 1", reading="\ud800", confidence=0.1)
    got = await ask(world, "Odd?")
    assert (got.done["kind"], got.result["rows"]) == ("answer", [["a\ufffd"]])
    assert got.done["reading"] == "?"


@pytest.mark.anyio
async def test_of_many_connections_those_are_read_whose_names_the_question_has(world: World, shop: Bench) -> None:
    services = world.app.parts.services
    ctx = Context(Caller("olga", ORG, world.shop), "req-1", services, Guard(services.relations))
    real = await services.store.read(lambda uow: uow.data_connections.get(ctx.tenant, shop.uri))
    others = [
        UsableConnection(
            DataConnection(**(real.model_dump() | {"resource_uri": f"data:acme:x:a{n}", "name": f"Other {n}"}))
        )
        for n in range(MOST_READ + 3)
    ]
    places = [*others, UsableConnection(real)]
    found = await likely(ctx, places, "How many customers are there?", None)
    assert (len(found), found[0].uri) == (MOST_READ, shop.uri)
    last = others[-1].uri
    assert (await likely(ctx, places, "How many customers are there?", last))[0].uri == last
    named = await likely(ctx, places, "in other 3: how many customers?", last)
    assert named[0].name == "Other 3"
    assert await likely(ctx, places[:2], "x", None) == places[:2]
