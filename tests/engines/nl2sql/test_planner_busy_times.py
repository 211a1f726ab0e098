"""Questions for the time at which most happened."""

import asyncio

import pytest

from resolvers.engines.nl2sql.drafter import Planner
from resolvers.engines.nl2sql.model import Asked, Clarification, DraftFailure, Knowledge, QueryDraft, no_lookup
from tests.engines.nl2sql.catalogs import NOW, asked, drafted, table

CALLS = table("calls", "call_id*:INTEGER began_at:TIMESTAMP caller")
VISITS = table("visits", "visit_id*:INTEGER visited_on:DATE reason")
WARDS = table("wards", "ward_id*:INTEGER ward_name")
ONE = Knowledge((CALLS, WARDS))
SEVERAL = Knowledge((CALLS, VISITS, WARDS))


@pytest.mark.parametrize(
    ("text", "by", "order"),
    [
        ("Which month was the busiest?", "DATE_TRUNC('MONTH'", "DESC"),
        ("What is our busiest hour of the day?", "EXTRACT(HOUR", "DESC"),
        ("What day of the week is the quietest?", "EXTRACT(ISODOW", "ASC"),
        ("In which year were they busiest", "EXTRACT(YEAR", "DESC"),
    ],
)
def test_the_only_rows_that_tell_when_are_counted_and_that_is_said(text: str, by: str, order: str) -> None:
    draft = drafted(text, ONE)
    assert by in draft.sql.upper()
    assert f"ORDER BY COUNT(*) {order}" in draft.sql
    assert draft.confidence <= 0.75
    assert "calls" in draft.reading


@pytest.mark.parametrize("text", ["Which month was the busiest?", "What's the slowest quarter?"])
def test_it_is_asked_what_is_counted_where_several_things_have_a_date(text: str) -> None:
    outcome = asked(text, SEVERAL)
    assert isinstance(outcome, Clarification)
    assert sorted("visits" in one.sql for one in outcome.readings) == [False, True]


def test_what_is_named_is_counted_within_the_time_that_is_named() -> None:
    draft = drafted("What was the busiest month for visits in 1997?", SEVERAL)
    assert "calls" not in draft.sql
    assert "1997" in draft.sql
    assert "ORDER BY COUNT(*) DESC" in draft.sql


def test_the_busiest_thing_is_no_time() -> None:
    outcome = asked("Which ward was the busiest?", SEVERAL)
    assert not isinstance(outcome, QueryDraft) or "ward_name" in outcome.sql


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("calls", "call_id*:INTEGER called_at:TIMESTAMP caller"),
        ("visits", "visit_id*:INTEGER visited_on:DATE reason"),
        ("orders", "order_id*:INTEGER ordered_on:DATE amount:DOUBLE"),
    ],
)
@pytest.mark.parametrize("unit", ["year", "weekday"])
def test_rows_are_counted_though_their_date_is_called_as_they_are(name: str, columns: str, unit: str) -> None:
    draft = drafted(f"Which {unit} had the most {name}?", Knowledge((table(name, columns), WARDS)))
    assert f'AS "{unit}" FROM "{name}"' in draft.sql
    assert "ORDER BY COUNT(*) DESC" in draft.sql


def test_a_query_that_failed_is_not_drafted_again() -> None:
    question = Asked("Which month was the busiest?", NOW, ())
    first = drafted(question.text, ONE)
    again = asyncio.run(Planner().repair(question, ONE, [DraftFailure(first, None, "no")], no_lookup))
    assert not isinstance(again, QueryDraft) or again.sql != first.sql
