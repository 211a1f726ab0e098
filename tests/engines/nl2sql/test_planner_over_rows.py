"""The first few of each group, and figures that are added up along the way."""

import duckdb
import pytest

from resolvers.engines.nl2sql.model import QueryDraft, Unanswerable
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, table

HARBOURS = table("harbours", "harbour_id*:INTEGER harbour_name")
BOATS = keyed(
    table("boats", "boat_id*:INTEGER boat_name length:DOUBLE built_on:DATE harbour_id:INTEGER"),
    harbour_id="harbours.harbour_id",
)
FARES = keyed(table("fares", "fare_id*:INTEGER boat_id:INTEGER paid_on:DATE amount:DOUBLE"), boat_id="boats.boat_id")
PORT = knowledge(HARBOURS, BOATS, FARES, profiles={}, dialect="duckdb")
ROWS = """
create table harbours as select * from (values (1, 'North'), (2, 'South')) t(harbour_id, harbour_name);
create table boats as select * from (values
    (1, 'Ada', 5.0, date '2001-01-01', 1), (2, 'Bea', 9.0, date '2002-01-01', 1),
    (3, 'Cleo', 7.0, date '2003-01-01', 1), (4, 'Dot', 4.0, date '2004-01-01', 2),
    (5, 'Eve', null, date '2005-01-01', 2)
) t(boat_id, boat_name, length, built_on, harbour_id);
create table fares as select * from (values
    (1, 1, date '2020-05-01', 10.0), (2, 1, date '2021-05-01', 5.0), (3, 2, date '2021-06-01', 2.0),
    (4, 4, date '2023-06-01', 1.0)
) t(fare_id, boat_id, paid_on, amount);
"""


def rows_of(found: QueryDraft) -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        connection.execute(ROWS)
        return sorted(connection.execute(found.sql).fetchall(), key=repr)


@pytest.mark.parametrize(
    "text",
    [
        "top 2 boats per harbour by length",
        "the 2 longest boats in each harbour",
        "the 2 longest boats of each harbour",
    ],
)
def test_the_first_few_of_each_are_shown_with_their_group(text: str) -> None:
    found = drafted(text, PORT)
    assert rows_of(found) == [("Bea", "North"), ("Cleo", "North"), ("Dot", "South")]
    assert "one of the 2 with the highest length" in found.reading
    assert found.confidence > 0.6


def test_the_first_of_each_is_one() -> None:
    found = drafted("the longest boat of each harbour", PORT)
    assert "NOT EXISTS" in found.sql
    assert rows_of(found) == [("Bea", "North"), ("Dot", "South")]


def test_a_number_of_rows_for_each_is_doubted_where_the_first_few_may_be_meant() -> None:
    outcome = asked("top 3 fares per boat", PORT)
    assert not isinstance(outcome, QueryDraft) or outcome.confidence < 0.8


@pytest.mark.parametrize("text", ["running total of amount by year", "cumulative amount by year"])
def test_a_running_total_is_added_up_in_the_order_of_time(text: str) -> None:
    found = drafted(text, PORT)
    totals = dict((year, total) for total, year in rows_of(found))
    assert totals == {2020: 10.0, 2021: 17.0, 2023: 18.0}
    assert "running total of amount" in found.reading


def test_it_begins_anew_for_each_other_group() -> None:
    undated = keyed(table("boats", "boat_id*:INTEGER boat_name harbour_id:INTEGER"), harbour_id="harbours.harbour_id")
    found = drafted(
        "cumulative number of fares by boat and year",
        knowledge(HARBOURS, undated, FARES, profiles={}, dialect="duckdb"),
    )
    assert "PARTITION BY" in found.sql
    assert sorted(repr(row[0]) for row in rows_of(found)) == ["1", "1", "1", "2"]


@pytest.mark.parametrize(
    "text", ["moving average of amount by month", "rolling total of amount by year", "running total of amount"]
)
def test_what_goes_over_rows_and_cannot_is_never_sure(text: str) -> None:
    outcome = asked(text, PORT)
    assert not isinstance(outcome, QueryDraft) or outcome.confidence < 0.5


def test_boats_that_are_moving_are_no_figure() -> None:
    outcome = asked("How many boats are there?", PORT)
    assert isinstance(outcome, QueryDraft)
    assert "OVER" not in outcome.sql


def test_a_median_is_computed_where_the_source_can() -> None:
    found = drafted("median amount of fares per boat", PORT)
    assert [row[0] for row in rows_of(found)] == [1.0, 2.0, 7.5]
    assert "median amount" in found.reading
    for dialect, written in (("postgres", "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY"), ("snowflake", "MEDIAN(")):
        other = drafted("What is the median amount?", knowledge(HARBOURS, BOATS, FARES, profiles={}, dialect=dialect))
        assert written in other.sql
    outcome = asked("What is the median amount?", knowledge(HARBOURS, BOATS, FARES, profiles={}, dialect="mysql"))
    assert isinstance(outcome, Unanswerable)
    assert "no median" in outcome.message


def test_a_median_of_counts_is_not_taken_for_their_greatest() -> None:
    outcome = asked("median number of fares per boat", PORT)
    assert not isinstance(outcome, QueryDraft) or outcome.confidence < 0.5
