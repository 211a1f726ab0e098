"""Months and days without a year, and dates that are kept as year, month and day apart."""

import pytest

from resolvers.engines.nl2sql.model import Clarification, QueryDraft
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

HARBOURS = table("harbours", "harbour_id*:INTEGER harbour_name")
LANDINGS = keyed(
    table("landings", "landing_id*:INTEGER harbour_id:INTEGER year:INTEGER month:INTEGER day:INTEGER crates:INTEGER"),
    harbour_id="harbours.harbour_id",
)
APART = knowledge(HARBOURS, LANDINGS, profiles={})
VOYAGES = table("voyages", "voyage_id*:INTEGER port sailed_on:DATE crew:INTEGER")
WHOLE = knowledge(VOYAGES, profiles={})
HAULS = table("hauls", "haul_id*:INTEGER time_of_day hauled_on:DATE")
TEXTS = table("catches", "catch_id*:INTEGER fish caught_month:VARCHAR kilos:DOUBLE")
WRITTEN = knowledge(TEXTS, profiles={TEXTS.fqn: profiled(TEXTS, {"caught_month": ["Jan", "Feb", "Mar", "Apr"]})})


def where(text: str, known: object) -> str:
    """The condition of a draft, without quotes."""
    sql = drafted(text, known).sql.replace('"', "")  # type: ignore[arg-type]
    assert "WHERE" in sql, sql
    return sql.partition(" WHERE ")[2].partition(" GROUP BY ")[0].partition(" ORDER BY ")[0]


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("How many landings were there in February 2013?", "year = 2013 AND month = 2"),
        ("Number of landings in February", "month = 2"),
        ("Number of landings in february", "month = 2"),
        ("How many landings on 14 February 2013?", "(year = 2013 AND month = 2) AND day = 14"),
        ("How many landings on February 14?", "month = 2 AND day = 14"),
        ("Total crates of landings in Q2 2013", "year = 2013 AND month BETWEEN 4 AND 6"),
        ("Number of landings between January and March", "month BETWEEN 1 AND 3"),
        ("Number of landings from January to March 2013", "year = 2013 AND month BETWEEN 1 AND 3"),
        ("Number of landings after March", "month > 3"),
        ("Number of landings after March 2013", "year > 2013 OR (year = 2013 AND month > 3)"),
        ("How many landings were there in 2013?", "year = 2013"),
    ],
)
def test_a_month_is_compared_with_the_column_of_months(text: str, condition: str) -> None:
    assert where(text, APART).strip("()").replace("landings.", "") == condition.strip("()")


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("How many voyages were there in March?", "EXTRACT(MONTH FROM sailed_on) = 3"),
        (
            "How many voyages were there on 14 February?",
            "= 2 AND EXTRACT(DAY FROM sailed_on) = 14",
        ),
        ("How many voyages were there after October?", "EXTRACT(MONTH FROM sailed_on) > 10"),
        ("How many voyages were not in May?", "<> 5"),
        ("Voyages between January and March 1997", "BETWEEN CAST('1997-01-01' AS DATE) AND CAST('1997-03-31' AS DATE)"),
        ("Average crew of voyages in March 1997", "BETWEEN CAST('1997-03-01' AS DATE) AND CAST('1997-03-31' AS DATE)"),
    ],
)
def test_a_month_without_a_year_is_that_of_every_year(text: str, condition: str) -> None:
    known = profiled(VOYAGES, {"sailed_on": []})
    (sailed,) = known.columns
    sailed = sailed.model_copy(update={"minimum": "1996-01-02", "maximum": "1998-12-30"})
    profile = known.model_copy(update={"columns": [sailed]})
    assert condition in where(text, knowledge(VOYAGES, profiles={VOYAGES.fqn: profile}))


def test_the_months_of_every_year_are_told_by_name_and_doubted() -> None:
    found = drafted("How many voyages were there in March?", WHOLE)
    assert "the month of the sailed on is March" in found.reading
    assert "no year is said: that of every year is taken" in found.evidence["doubts"]  # type: ignore[operator]


def test_a_month_is_compared_as_the_column_writes_it() -> None:
    assert where("Total kilos of catches in March", WRITTEN) == "caught_month = 'Mar'"


def test_a_month_that_no_column_can_tell_is_not_lost_in_silence() -> None:
    known = knowledge(table("yields", "yield_id*:INTEGER crop year:INTEGER tons:DOUBLE"), profiles={})
    found = asked("How many yields were there in March 2013?", known)
    assert isinstance(found, Clarification) or (isinstance(found, QueryDraft) and found.confidence < 0.6)


def test_between_two_months_a_count_of_rows_is_no_span() -> None:
    found = asked("harbours with landings between January and March 1997", APART)
    assert isinstance(found, (QueryDraft, Clarification))


@pytest.mark.parametrize(
    "text", ["In which month do most voyages start?", "Which month of the year has the most voyages?"]
)
def test_the_month_in_which_most_happens_is_one_of_the_calendar(text: str) -> None:
    found = drafted(text, WHOLE)
    assert "GROUP BY EXTRACT(MONTH FROM" in found.sql


def test_which_month_had_the_most_may_be_one_of_one_year_or_of_all() -> None:
    assert drafted("Which month had the most voyages?", WHOLE).confidence < 0.9
    assert drafted("Which month of 1997 had the most voyages?", WHOLE).sql.count("EXTRACT(MONTH") == 0


def test_a_part_of_the_day_told_in_words_is_no_day() -> None:
    known = profiled(HAULS, {"time_of_day": ["Dawn", "Day", "Night"]})
    sql = drafted("On which day were there the most hauls?", knowledge(HAULS, profiles={HAULS.fqn: known})).sql
    assert "hauled_on" in sql
