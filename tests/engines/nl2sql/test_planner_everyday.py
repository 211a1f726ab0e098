"""Everyday questions over a boat club that no word list knows: what stands before nouns, figures said at the end."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

BUILDERS = table("Builders", "BuilderID*:INTEGER BuilderName Country")
BOATS = keyed(
    table("Boats", "BoatID*:INTEGER BoatName BuilderID:INTEGER HullKind HullWeight:DOUBLE CrewCount:INTEGER"),
    BuilderID="Builders.BuilderID",
)
SKIPPERS = table("Skippers", "SkipperID*:INTEGER SkipperName")
TRIPS = keyed(
    table(
        "Trips",
        "TripID*:INTEGER BoatID:INTEGER SkipperID:INTEGER LeftOn:DATE DockedOn:DATE BuiltOn:DATE Fare:DECIMAL Outcome",
    ),
    BoatID="Boats.BoatID",
    SkipperID="Skippers.SkipperID",
)
SURVEYS = keyed(
    table("Surveys", "SurveyID*:INTEGER TripID:INTEGER Rating:INTEGER BuiltAt:DATE"),
    TripID="Trips.TripID",
)
BILLS = keyed(
    table("Bills", "BillID*:INTEGER SkipperID:INTEGER Total:DECIMAL PaidOn:DATE OpenedAt:DATE"),
    SkipperID="Skippers.SkipperID",
)
CLUB = (BUILDERS, BOATS, SKIPPERS, TRIPS, SURVEYS, BILLS)
PROFILES = {
    BOATS.fqn: profiled(BOATS, {"BoatName": ["Petrel", "Puffin"], "HullKind": ["steel", "oak"]}),
    TRIPS.fqn: profiled(TRIPS, {"Outcome": ["completed", "aborted", "no-ball"]}),
    SKIPPERS.fqn: profiled(SKIPPERS, {"SkipperName": ["Ida Berg", "Olaf Falk"]}),
}
KNOWN = knowledge(*CLUB, profiles=PROFILES, dialect="duckdb")


def sql(text: str) -> str:
    """Return what the planner writes for a question."""
    return drafted(text, KNOWN).sql.replace('"', "")


@pytest.mark.parametrize(
    "text",
    [
        "How many open bills are there?",
        "How many open bills do we have?",
        "What is the number of open bills?",
        "List the sunk boats.",
        "How many sold boats were there?",
    ],
)
def test_a_verb_before_a_noun_says_which_and_is_not_dropped(text: str) -> None:
    outcome = asked(text, KNOWN)
    assert not isinstance(outcome, QueryDraft) or outcome.confidence <= 0.65, outcome


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("How many paid bills are there?", "FROM Bills WHERE NOT PaidOn IS NULL"),
        ("Which skipper has the most paid bills?", "WHERE NOT Bills.PaidOn IS NULL GROUP BY"),
        ("How many docked trips were there?", "FROM Trips WHERE NOT DockedOn IS NULL"),
        ("Which skipper has the most aborted trips?", "WHERE Trips.Outcome = 'aborted' GROUP BY"),
        ("Who had the fewest completed trips?", "WHERE Trips.Outcome = 'completed' GROUP BY"),
        ("How many completed trips did each skipper have?", "WHERE Trips.Outcome = 'completed' GROUP BY"),
        ("How many no-balls did Ida Berg have?", "Trips.Outcome = 'no-ball'"),
        ("Which trips are no-ball?", "WHERE Outcome = 'no-ball'"),
        ("What is the average crew count of oak boats?", "SELECT AVG(CrewCount) AS average_CrewCount FROM"),
        ("Who built the Petrel?", "SELECT Builders.BuilderName FROM Builders"),
        ("Which boat has the best ratings?", "ORDER BY AVG(Surveys.Rating) DESC LIMIT 1"),
        ("Which skipper has the worst ratings?", "ORDER BY AVG(Surveys.Rating) ASC LIMIT 1"),
        ("Which trip has the best rating?", "ORDER BY Rating DESC LIMIT 1"),
        ("Which hull kind is the heaviest on average?", "GROUP BY HullKind ORDER BY AVG(HullWeight) DESC LIMIT 1"),
        ("How much does a trip cost on average?", "SELECT AVG(Fare) AS average_Fare FROM Trips"),
        ("What does a trip cost on average?", "SELECT AVG(Fare) AS average_Fare FROM Trips"),
        ("How much did each skipper pay in total?", "SUM(Bills.Total) AS total_Total FROM Bills"),
    ],
)
def test_plain_words_are_read(text: str, part: str) -> None:
    assert part in sql(text)


def test_what_each_one_paid_is_of_what_was_paid() -> None:
    written = sql("How much did each skipper pay in total?")
    assert "WHERE NOT Bills.PaidOn IS NULL GROUP BY Skippers.SkipperID" in written


def test_a_compound_that_nobody_knows_denies_nothing() -> None:
    assert not isinstance(asked("How many no-shows did Ida Berg have?", KNOWN), QueryDraft)


def test_a_total_that_is_compared_and_then_asked_for_is_shown() -> None:
    written = sql("Which skippers have spent more than 45 in total? Show the skipper name and the total spent.")
    assert written.startswith("SELECT Skippers.SkipperName, SUM(Bills.Total) AS total_Total FROM")
    assert "HAVING SUM(Bills.Total) > 45" in written
