"""Words that a table and one of its columns share, and tables that are named twice."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, knowledge, table

KNOWN = knowledge(
    table("orders", "order_no*:INTEGER status:VARCHAR"),
    table("lathes", "lathe_id*:INTEGER make:VARCHAR model_year:INTEGER"),
    table("clients", "client_id*:INTEGER client_name:VARCHAR start_date:DATE"),
    table("juices", "juice_id*:INTEGER juice_name:VARCHAR"),
    table("tasting", "tasting_id*:INTEGER juice_id:INTEGER tasted_on:DATE"),
    table("bottlings", "bottling_id*:INTEGER juice_id:INTEGER litres:INTEGER"),
)


def sql(text: str) -> str:
    """Return what the planner writes for a question."""
    return drafted(text, KNOWN).sql


def test_a_table_that_is_had_twice_is_not_shown() -> None:
    written = sql("Find the makes with lathes built before 2010 and also lathes built after 2015.")
    first, second = written.split(" INTERSECT ")
    assert "lathe_id" not in written
    assert ("< 2010" in first, "> 2015" in second) == (True, True)


@pytest.mark.parametrize("verb", ["starts", "ends"])
def test_a_letter_that_a_name_starts_with_is_no_start_of_anything(verb: str) -> None:
    written = sql(f"Find the names of clients whose name {verb} with the letter R.")
    assert ("r%'" if verb == "starts" else "%r'") in written
    assert "'%r%'" not in written


def test_a_verb_that_is_a_table_counts_beside_what_is_denied() -> None:
    written = sql("Show the ids of juices that have been tasted but have no bottlings.")
    assert "NOT EXISTS(SELECT 1 FROM bottlings" in written.replace('"', "")
    assert " EXISTS(SELECT 1 FROM tasting" in written.replace('"', "").replace("NOT EXISTS", "NOT_EXISTS")


def test_a_number_of_things_is_how_many_there_are_and_not_the_number_of_one() -> None:
    counted = "SELECT COUNT(*) AS count_orders, status FROM orders GROUP BY status"
    assert sql("number of orders by status").replace('"', "") == counted
    assert "order_no" in sql("What is the number of the order with the status open?")
