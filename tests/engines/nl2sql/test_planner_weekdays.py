"""Days of the week: in conditions, in groups, and in the dialects of the sources."""

import pytest

from resolvers.engines.nl2sql.model import Unanswerable
from tests.engines.nl2sql.catalogs import asked, drafted, knowledge, table

CALLS = table("calls", "call_id*:INTEGER called_on:DATE minutes:DOUBLE")
KNOWN = knowledge(CALLS, profiles={})


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("How many calls were there on a Monday?", "EXTRACT(ISODOW FROM called_on) = 1"),
        ("How many calls were there on Fridays or Saturdays?", "EXTRACT(ISODOW FROM called_on) IN (5, 6)"),
        ("How many calls were there on weekends?", "EXTRACT(ISODOW FROM called_on) IN (6, 7)"),
        ("How many calls were there on weekdays?", "EXTRACT(ISODOW FROM called_on) IN (1, 2, 3, 4, 5)"),
        ("Number of calls per weekday", "GROUP BY EXTRACT(ISODOW FROM called_on)"),
        ("Average minutes by day of the week", "GROUP BY EXTRACT(ISODOW FROM called_on)"),
        ("Which day of the week has the most calls?", "GROUP BY EXTRACT(ISODOW FROM called_on)"),
    ],
)
def test_weekdays_are_taken_from_dates(text: str, part: str) -> None:
    assert part in drafted(text, KNOWN).sql.replace('"', "")


def test_weekdays_are_told_by_name_where_they_are_compared_and_by_number_where_they_are_shown() -> None:
    assert "is Monday" in drafted("How many calls were there on a Monday?", KNOWN).reading
    assert "(1 is Monday)" in drafted("Number of calls per weekday", KNOWN).reading


@pytest.mark.parametrize(
    ("dialect", "part"),
    [
        ("duckdb", "EXTRACT(ISODOW FROM"), ("postgres", "EXTRACT(ISODOW FROM"), ("mysql", "WEEKDAY("),
        ("redshift", "EXTRACT(DOW FROM"), ("snowflake", "DAYOFWEEKISO("), ("bigquery", "EXTRACT(DAYOFWEEK FROM"),
        ("databricks", "DAYOFWEEK("),
    ],
)  # fmt: skip
def test_each_dialect_tells_the_weekday_in_its_own_way(dialect: str, part: str) -> None:
    known = knowledge(CALLS, profiles={}, dialect=dialect)
    assert part in drafted("How many calls were there on a Monday?", known).sql


def test_a_dialect_that_cannot_tell_says_so() -> None:
    found = asked("How many calls were there on a Monday?", knowledge(CALLS, profiles={}, dialect="oracle"))
    assert isinstance(found, Unanswerable), found


def test_a_column_of_weekdays_is_taken_itself() -> None:
    shifts = table("shifts", "shift_id*:INTEGER weekday started_on:DATE")
    assert 'GROUP BY "weekday"' in drafted("Number of shifts per weekday", knowledge(shifts, profiles={})).sql
