"""A catalog of many tables: what a question is about is found among them, whatever was asked before."""

import asyncio

import pytest

from benchmarks.alike import MOMENTS, NOW, asked, catalog, profiles
from resolvers.engines.nl2sql.drafter import Planner
from resolvers.engines.nl2sql.model import Asked, Clarification, Knowledge, QueryDraft, no_lookup
from resolvers.engines.nl2sql.schema_linking.likely import MOST_TABLES
from resolvers.engines.nl2sql.schema_linking.link import link
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary
from schema.talk2data.chat_settings import UNSURE

TABLES = catalog(120)
KNOWN = Knowledge(TABLES, profiles(TABLES))
QUESTION = "What is the average price of sales devices in Lyon?"


def test_a_question_is_linked_alike_whatever_was_asked_before() -> None:
    fresh = link(QUESTION, Vocabulary(KNOWN), NOW)
    used = Vocabulary(KNOWN)
    for at in range(40):
        link(asked(at)[1], used, NOW)
    assert link(QUESTION, used, NOW) == fresh


def test_a_column_that_every_table_has_is_found_in_the_likeliest_tables_only() -> None:
    linked = link("Which price do sales devices have?", Vocabulary(KNOWN), NOW)
    prices = [one.column for one in linked.mentions if one.column is not None and one.column.column == "price"]
    assert 0 < len(prices) < MOST_TABLES < len(TABLES)
    assert any(key.table == "bench.main.public.sales_device" for key in prices)


def test_names_are_scored_alike_alone_and_among_others() -> None:
    alone = Vocabulary(Knowledge(TABLES[4:5]))
    among = Vocabulary(KNOWN)
    fqn = TABLES[4].fqn
    for words in (("price",), ("device", "price"), ("sale", "city"), ("due", "date"), (MOMENTS[0],)):
        expected = {key.column: match.score for key, match in alone.found_columns(words)}
        found = {key.column: match.score for key, match in among.found_columns(words, [fqn])}
        assert found == expected, words
        assert expected or words == (MOMENTS[0],)


@pytest.mark.parametrize("area", ["sales", "travel", "fleet"])
def test_what_words_were_only_looked_at_for_makes_no_answer_less_sure(area: str) -> None:
    """`price` looks like the table of payments, and Lyon is a city in more tables than are mentioned."""
    text = f"What is the average price of {area} devices in Lyon?"
    found = asyncio.run(Planner().draft(Asked(text, NOW), KNOWN, no_lookup))
    assert isinstance(found, QueryDraft)
    assert found.sql == f'SELECT AVG("price") AS "average_price" FROM "{area}_device" WHERE "city" = \'Lyon\''
    assert found.confidence >= UNSURE, found.evidence


def test_a_part_of_many_names_is_asked_about() -> None:
    """All tables of orders are called `order` equally well; which one is meant, nobody said."""
    found = asyncio.run(Planner().draft(Asked("How many orders are there?", NOW), KNOWN, no_lookup))
    assert isinstance(found, Clarification)
    assert len(found.readings) > 2
    assert all("orders" in one.text for one in found.readings)
