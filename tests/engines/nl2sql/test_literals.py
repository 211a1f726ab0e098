"""Numbers, days and spans of time that questions name."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from resolvers.engines.nl2sql.language.literals import literals_of
from resolvers.engines.nl2sql.language.tokens import tokenize
from resolvers.engines.nl2sql.mention import Mention
from resolvers.engines.nl2sql.plan import Unit

NOW = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)


def found(text: str, how: str, now: datetime = NOW) -> Mention:
    """The longest, then best literal of a kind."""
    of_kind = [one for one in literals_of(tokenize(text), now) if one.how == how]
    assert of_kind, f"no {how} in {text}"
    return max(of_kind, key=lambda one: (one.last - one.first, one.score))


def values(text: str, how: str, now: datetime = NOW) -> tuple[object, ...]:
    return tuple(value.value for value in found(text, how, now).values)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("above 5,000", "5000"), ("over -3.5", "-3.5"), ("$1,200.50", "1200.50"), ("3.5k", "3500"),
        ("2 million", "2000000"),
        ("1.5 million", "1500000"), ("three", "3"), ("twenty-five", "25"), ("two hundred and fifty", "250"),
        ("one thousand two hundred", "1200"), ("a dozen", "12"), ("half a million", "500000"), ("twice", "2"),
        ("a hundred", "100"), ("two dozen", "24"),
    ],
)  # fmt: skip
def test_numbers_in_figures_and_words(text: str, number: str) -> None:
    assert values(text, "number") == (Decimal(number),)


def test_percents_ordinals_ranges_and_truth() -> None:
    assert values("10 percent", "percent") == (Decimal(10),)
    assert values("12.5%", "percent") == (Decimal("12.5"),)
    assert values("the third one", "ordinal") == (Decimal(3),)
    assert values("the 22nd", "ordinal") == (Decimal(22),)
    assert values("between 5 and 10", "range") == (Decimal(5), Decimal(10))
    assert values("from 3k to 4k", "range") == (Decimal(3000), Decimal(4000))
    assert values("is true", "boolean") == (True,)
    assert values('called "Rock \'n Roll"', "quote") == ("Rock 'n Roll",)


def test_a_range_that_runs_backwards_is_none() -> None:
    assert not [one for one in literals_of(tokenize("between 10 and 5"), NOW) if one.how == "range"]


@pytest.mark.parametrize(
    ("text", "first", "last", "unit"),
    [
        ("in 2014", "2014-01-01", "2014-12-31", Unit.YEAR),
        ("March 2015", "2015-03-01", "2015-03-31", Unit.MONTH),
        ("february of 2024", "2024-02-01", "2024-02-29", Unit.MONTH),
        ("12 May 1996", "1996-05-12", "1996-05-12", Unit.DAY),
        ("May 12, 1996", "1996-05-12", "1996-05-12", Unit.DAY),
        ("the 12th of May, 1996", "1996-05-12", "1996-05-12", Unit.DAY),
        ("1996-05-12", "1996-05-12", "1996-05-12", Unit.DAY),
        ("25/12/1996", "1996-12-25", "1996-12-25", Unit.DAY),
        ("12/25/1996", "1996-12-25", "1996-12-25", Unit.DAY),
        ("3.4.2020", "2020-04-03", "2020-04-03", Unit.DAY),
        ("Q3 2020", "2020-07-01", "2020-09-30", Unit.QUARTER),
        ("2020 Q3", "2020-07-01", "2020-09-30", Unit.QUARTER),
        ("third quarter of 2020", "2020-07-01", "2020-09-30", Unit.QUARTER),
        ("first half of 2020", "2020-01-01", "2020-06-30", None),
        ("between 2010 and 2014", "2010-01-01", "2014-12-31", None),
        ("from March 2010 to May 2011", "2010-03-01", "2011-05-31", None),
        ("the 90s", "1990-01-01", "1999-12-31", None),
        ("the nineties", "1990-01-01", "1999-12-31", None),
        ("the 2000s", "2000-01-01", "2009-12-31", None),
        ("19th century", "1801-01-01", "1900-12-31", None),
        ("today", "2026-11-21", "2026-11-21", Unit.DAY),
        ("yesterday", "2026-11-20", "2026-11-20", Unit.DAY),
        ("day before yesterday", "2026-11-19", "2026-11-19", Unit.DAY),
        ("this year", "2026-01-01", "2026-12-31", Unit.YEAR),
        ("last year", "2025-01-01", "2025-12-31", Unit.YEAR),
        ("last month", "2026-10-01", "2026-10-31", Unit.MONTH),
        ("this quarter", "2026-10-01", "2026-12-31", Unit.QUARTER),
        ("last week", "2026-11-09", "2026-11-15", Unit.WEEK),
        ("next month", "2026-12-01", "2026-12-31", Unit.MONTH),
        ("past 30 days", "2026-10-22", "2026-11-21", None),
        ("the last three months", "2026-08-21", "2026-11-21", None),
        ("the past year", "2025-11-21", "2026-11-21", None),
        ("two years ago", "2024-01-01", "2024-12-31", Unit.YEAR),
        ("a month ago", "2026-10-01", "2026-10-31", Unit.MONTH),
        ("5 days ago", "2026-11-16", "2026-11-16", Unit.DAY),
        ("year to date", "2026-01-01", "2026-11-21", None),
        ("last March", "2026-03-01", "2026-03-31", Unit.MONTH),
        ("last December", "2025-12-01", "2025-12-31", Unit.MONTH),
    ],
)
def test_days_and_spans(text: str, first: str, last: str, unit: Unit | None) -> None:
    mention = found(text, "date")
    assert tuple(value.value for value in mention.values) == (first, last)
    assert mention.unit is unit


def test_spans_begin_and_end_where_months_are_short() -> None:
    assert values("last month", "date", datetime(2024, 3, 31, tzinfo=UTC)) == ("2024-02-01", "2024-02-29")
    assert values("past 1 month", "date", datetime(2026, 3, 31, tzinfo=UTC)) == ("2026-02-28", "2026-03-31")
    assert values("this month", "date", datetime(2026, 12, 5, tzinfo=UTC)) == ("2026-12-01", "2026-12-31")


def test_a_day_that_can_be_read_two_ways_is_given_both_ways_and_surely_neither() -> None:
    dates = [one for one in literals_of(tokenize("12/05/1996"), NOW) if one.how == "date"]
    assert {one.values[0].value for one in dates} == {"1996-12-05", "1996-05-12"}
    assert all(one.score < 0.7 for one in dates)


def test_moments_months_weekdays_and_times_of_day() -> None:
    assert values("last 24 hours", "moment") == ("2026-11-20 12:30:00", "2026-11-21 12:30:00")
    assert values("at 2001-02-03 10:20:30", "moment") == ("2001-02-03 10:20:30",)
    assert values("in May", "month") == (Decimal(5),)
    assert values("on mondays", "weekday") == ("Monday",)
    assert values("after 10:30 pm", "time") == ("22:30:00",)
    assert values("at 12:05 am", "time") == ("00:05:00",)


@pytest.mark.parametrize("text", ["which singers may perform", "soldiers march daily", "the last name", "this one"])
def test_words_that_only_look_like_time_are_none(text: str) -> None:
    assert [one for one in literals_of(tokenize(text), NOW) if one.how in ("date", "month", "moment")] == []


@pytest.mark.parametrize(
    "text", ["99999999 years ago", "past 99999 years", "31/31/1999", "2020-13-40", "25:99", "Q9 2020"]
)
def test_what_is_no_moment_at_all_is_left_out(text: str) -> None:
    assert not [
        one
        for one in literals_of(tokenize(text), NOW)
        if one.how in ("moment", "time") or (one.how == "date" and one.unit is not Unit.YEAR)
    ]


def test_a_year_is_a_number_as_well() -> None:
    assert values("in 2014", "number") == (Decimal(2014),)
    assert found("in 2014", "date").score > found("2014 seats", "date").score
