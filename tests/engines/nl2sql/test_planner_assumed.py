"""Revenue where nobody has defined it: prices times quantities, said and never sure."""

from dataclasses import replace

import pytest

from resolvers.engines.nl2sql.model import ColumnKey, Knowledge, QueryDraft
from schema.talk2data.chat_settings import UNSURE
from schema.utils.memory import MemoryType
from tests.engines.nl2sql.catalogs import asked, drafted, fqn, keyed, knowledge, memory, table

STALLS = table("stalls", "stall_id*:INTEGER stall_name:VARCHAR town:VARCHAR")
BASKETS = keyed(table("baskets", "basket_id*:INTEGER stall_id:INTEGER sold_on:DATE"), stall_id="stalls.stall_id")
LINES = keyed(
    table("basket_lines", "basket_id*:INTEGER line_no*:INTEGER fruit:VARCHAR price:DOUBLE quantity:INTEGER"),
    basket_id="baskets.basket_id",
)
KNOWN = knowledge(STALLS, BASKETS, LINES, profiles={})
AMOUNT = "SUM(basket_lines.price * basket_lines.quantity)"
SAID = "Nobody has defined revenue; it is taken as price times quantity of basket_lines, added up."


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What was the revenue in 2021?", (f"SELECT {AMOUNT}", "sold_on BETWEEN")),
        ("Show the sales by month for 2021", (f"SELECT {AMOUNT}", "DATE_TRUNC('MONTH'")),
        ("Which stall brings in the most revenue?", (f"ORDER BY {AMOUNT} DESC", "LIMIT 1")),
        ("turnover by town", (f"SELECT {AMOUNT}", "GROUP BY stalls.town")),
        ("How much did we sell in March 2021?", (f"SELECT {AMOUNT}", "'2021-03-01'")),
        ("How much did we earn per year?", (f"SELECT {AMOUNT}", "GROUP BY EXTRACT(YEAR")),
    ],
)
def test_it_is_the_prices_times_the_quantities_of_the_one_table_that_has_both(
    question: str, parts: tuple[str, ...]
) -> None:
    found = drafted(question, KNOWN)
    sql = found.sql.replace('"', "")
    assert all(part in sql for part in parts), sql
    assert found.reading.endswith(SAID)
    assert found.confidence < UNSURE
    assert found.memories == ()


def test_a_discount_that_is_not_taken_off_is_said() -> None:
    lines = keyed(
        table("basket_lines", "basket_id*:INTEGER line_no*:INTEGER price:DOUBLE quantity:INTEGER discount:DOUBLE"),
        basket_id="baskets.basket_id",
    )
    found = drafted("What was the revenue in 2021?", knowledge(STALLS, BASKETS, lines, profiles={}))
    assert found.reading.endswith("Discounts are not taken off.")


def test_what_people_noted_goes_before() -> None:
    noted = memory(MemoryType.KPI, {"name": "revenue", "expression": "SUM(basket_lines.price)"})
    found = drafted("What was the revenue in 2021?", replace(KNOWN, memories=(noted,)))
    assert "SUM(basket_lines.price)" in found.sql.replace('"', "")
    assert "Nobody" not in found.reading


def test_a_share_of_it_is_not_answered_by_all_of_it() -> None:
    found = asked("What percentage of the revenue comes from each town?", KNOWN)
    assert not isinstance(found, QueryDraft)


@pytest.mark.parametrize(
    "known",
    [
        knowledge(STALLS, BASKETS, profiles={}),
        knowledge(STALLS, BASKETS, LINES, replace(LINES, fqn=fqn("old_lines"), name="old_lines"), profiles={}),
        replace(KNOWN, forbidden=frozenset((ColumnKey(LINES.fqn, "price"),))),
    ],
    ids=["no table has both", "two tables have both", "the price may not be used"],
)
def test_without_one_table_of_both_nothing_is_assumed(known: Knowledge) -> None:
    found = asked("What was the revenue in 2021?", known)
    assert not (isinstance(found, QueryDraft) and "Nobody has defined" in found.reading)


SHOWS = table("shows", "show_id*:INTEGER title:VARCHAR")
SEATS = keyed(
    table("seat_sale", "sale_id*:INTEGER show_id:INTEGER sold_on:DATE seats:INTEGER amount:DOUBLE"),
    show_id="shows.show_id",
)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("What was the revenue in 2021?", ("SELECT SUM(amount)", "sold_on BETWEEN")),
        ("seat revenue by show", ("SELECT SUM(seat_sale.amount)", "GROUP BY shows.show_id")),
    ],
)
def test_or_the_amounts_of_the_one_table_of_what_happened(question: str, parts: tuple[str, ...]) -> None:
    found = drafted(question, knowledge(SHOWS, SEATS, profiles={}))
    sql = found.sql.replace('"', "")
    assert all(part in sql for part in parts), sql
    assert found.reading.endswith("Nobody has defined revenue; it is taken as amount of seat_sale, added up.")
    assert found.confidence < UNSURE


def test_of_two_such_tables_the_one_is_meant_that_is_named() -> None:
    fines = keyed(table("fine", "fine_id*:INTEGER show_id:INTEGER paid_on:DATE amount:DOUBLE"), show_id="shows.show_id")
    known = knowledge(SHOWS, SEATS, fines, profiles={})
    assert "FROM seat_sale" in drafted("total seat revenue in 2021", known).sql.replace('"', "")
    assert not isinstance(asked("total revenue in 2021", known), QueryDraft)
