"""Spans of time that are asked for, and lengths of which only two moments are known."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, table

SKIPPER = table("skippers", "skipper_id*:INTEGER skipper_name hourly_fee:DOUBLE monthly_pay:DOUBLE joined_on:DATE")
CRUISE = table("cruises", "cruise_id*:INTEGER skipper_id:INTEGER left_at:TIMESTAMP back_at:TIMESTAMP state")
REFIT = table("refits", "refit_id*:INTEGER begun_on:DATE ended_on:DATE planned_end:DATE")
HARBOUR = knowledge(SKIPPER, keyed(CRUISE, skipper_id="skippers.skipper_id"), REFIT, profiles={})


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Which month had the most cruises?", "DATE_TRUNC('MONTH', CAST(left_at AS DATE))"),
        ("Which hour had the most cruises?", "SELECT EXTRACT(HOUR FROM left_at) AS hour FROM cruises GROUP BY"),
        ("cruises by hour", "EXTRACT(HOUR FROM left_at) AS hour"),
        ("In which year did the most skippers join?", "SELECT EXTRACT(YEAR FROM joined_on) AS year FROM skippers"),
        ("What is the hourly fee of each skipper?", "hourly_fee FROM skippers"),
    ],
)
def test_a_span_that_is_asked_for_is_no_rate(question: str, part: str) -> None:
    assert part in drafted(question, HARBOUR).sql.replace('"', "")


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("What is the average cruise length in minutes?", "AS average_minutes FROM cruises"),
        ("What is the average duration of a cruise?", "AS average_hours FROM cruises"),
        ("What is the average duration of refits in days?", "AS average_days FROM refits"),
    ],
)
def test_a_length_is_the_time_between_two_moments(question: str, part: str) -> None:
    assert part in drafted(question, HARBOUR).sql.replace('"', "")
