"""A column that bears the name of its table, beside a table whose columns adjectives measure."""

import asyncio
from dataclasses import replace

import pytest

from resolvers.engines.nl2sql.drafter import Planner
from resolvers.engines.nl2sql.model import Asked, DraftFailure, Unanswerable, no_lookup
from tests.engines.nl2sql.catalogs import NOW, asked, column, drafted, knowledge, table

PLAYERS = table("players", "id*:INTEGER name height:INTEGER weight:INTEGER")
SALARIES = table("salaries", "player_id:INTEGER season:INTEGER salary:NUMERIC")
KNOWN = knowledge(PLAYERS, SALARIES)


@pytest.mark.parametrize(
    ("question", "figure"),
    [("What is the highest salary?", "MAX"), ("What is the lowest salary?", "MIN"), ("Show the largest salary", "MAX")],
)
def test_the_extreme_of_a_column_is_no_row_of_its_table(question: str, figure: str) -> None:
    found = drafted(question, KNOWN)
    assert f'{figure}("salary")' in found.sql
    assert "height" not in found.sql


def test_a_forbidden_column_is_refused_and_not_replaced() -> None:
    forbidden = column("salaries.salary")
    found = asked("What is the highest salary?", replace(KNOWN, forbidden=frozenset({forbidden})))
    assert isinstance(found, Unanswerable), found
    assert found.forbidden == (forbidden,)


def test_what_a_policy_refuses_is_not_asked_for_in_another_way() -> None:
    asking = Asked("What is the highest salary?", NOW)
    draft = drafted(asking.text, KNOWN)
    failure = DraftFailure(draft, "policy_group_size", "Ask for groups.")
    found = asyncio.run(Planner().repair(asking, KNOWN, [failure], no_lookup))
    assert isinstance(found, Unanswerable), found
    assert found.message == "Ask for groups."


COUNTED = [
    ("flights", "flight"),
    ("payments", "payment"),
    ("matches", "match"),
    ("ratings", "rating"),
    ("trips", "trip"),
]
"""Tables and the number of theirs that is called as one of their rows."""


@pytest.mark.parametrize(("rows", "number"), COUNTED)
def test_how_many_counts_the_rows_and_adds_up_no_number_that_is_called_as_they_are(rows: str, number: str) -> None:
    known = knowledge(table(rows, f"{rows}_id*:INTEGER region {number}:INTEGER hours:DOUBLE"))
    for text in (
        f"Number of {rows} by region",
        f"How many {rows} are there per region?",
        f"How many {rows} are there?",
    ):
        found = drafted(text, known)
        assert "COUNT(*)" in found.sql, text
        assert "SUM" not in found.sql, text


@pytest.mark.parametrize(("rows", "number"), COUNTED)
def test_the_most_rows_are_counted_too(rows: str, number: str) -> None:
    known = knowledge(table(rows, f"{rows}_id*:INTEGER region {number}:INTEGER hours:DOUBLE"))
    for text in (f"Which region had the most {rows}?", f"Top 3 regions by {rows}"):
        assert "ORDER BY COUNT(*) DESC" in drafted(text, known).sql, text


def test_a_number_that_is_called_as_several_rows_are_is_added_up() -> None:
    known = knowledge(table("scorers", "scorer_id*:INTEGER region goals:INTEGER"))
    assert 'SUM("goals")' in drafted("How many goals were there per region?", known).sql
    known = knowledge(table("goals", "match_id:INTEGER region goals:INTEGER"))
    assert 'SUM("goals")' in drafted("How many goals were there per region?", known).sql


@pytest.mark.parametrize(
    ("rows", "number"),
    [("salaries", "salary"), ("scores", "score"), ("payments", "amount"), ("invoices", "total"), ("fines", "fine")],
)
def test_the_first_of_rows_are_those_whose_own_number_is_the_highest(rows: str, number: str) -> None:
    known = knowledge(table(rows, f"{rows}_id*:INTEGER year:INTEGER {number}:NUMERIC hours:DOUBLE"))
    found = drafted(f"top 5 {rows} in 2015", known)
    assert f'ORDER BY "{number}" DESC NULLS LAST LIMIT 5' in found.sql
