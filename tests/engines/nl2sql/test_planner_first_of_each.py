"""What comes first in each group by a figure of its own, and numbers of one of something for each of another."""

import pytest

from resolvers.engines.nl2sql.model import Knowledge
from tests.engines.nl2sql.catalogs import drafted, keyed, profiled, table

QUAY = table("quays", "quay_id*:INTEGER quay_name town country")
BOAT = keyed(table("boats", "boat_id*:INTEGER quay_id:INTEGER boat_name"), quay_id="quays.quay_id")
TRIP = keyed(
    table("trips", "trip_id*:INTEGER boat_id:INTEGER sailed_on:DATE passengers:INTEGER"), boat_id="boats.boat_id"
)
KNOWN = Knowledge(
    (QUAY, BOAT, TRIP),
    profiles={
        one.asset_fqn: one
        for one in (
            profiled(QUAY, {"quay_name": ["East Pier", "Mole"], "town": ["Brest", "Kiel"], "country": ["France"]}),
            profiled(BOAT, {"boat_name": ["Gull"]}),
            profiled(TRIP, {"passengers": ["12"]}),
        )
    },
)


def sql(text: str) -> str:
    """The statement for a question, without quotes."""
    return drafted(text, KNOWN).sql.replace('"', "")


@pytest.mark.parametrize(
    "text",
    [
        "For each country, which boat made the most trips?",
        "Which boat in each country made the most trips?",
    ],
)
def test_what_has_the_most_in_each_group_comes_first_in_it(text: str) -> None:
    said = sql(text)
    assert "RANK() OVER (PARTITION BY quays.country ORDER BY COUNT(*) DESC" in said
    assert "WHERE ranked.place <= 1" in said
    assert "LIMIT" not in said


def test_what_is_asked_for_may_be_a_column() -> None:
    said = sql("For each country, which town has the most quays?")
    assert said.startswith("SELECT ranked.country, ranked.town FROM (SELECT")
    assert "GROUP BY quays.country, quays.town" in said


def test_it_is_said_of_what_each_is_the_first() -> None:
    reading = drafted("For each country, which town has the most quays?", KNOWN).reading
    assert reading.endswith("all those with the highest number of quays of each country.")


def test_a_number_for_one_is_an_average_of_each() -> None:
    said = sql("How many trips per boat does each country have?")
    assert "COUNT(DISTINCT trips.boat_id)" in said
    assert said.endswith("GROUP BY quays.country")


def test_two_groups_that_are_set_beside_one_another_stay_two() -> None:
    assert "/" not in sql("How many trips per boat and country?")


@pytest.mark.parametrize(
    "text",
    [
        "Which boats have average passengers above the overall average?",
        "Which countries have average passengers above the average passengers of all trips?",
    ],
)
def test_the_average_of_each_is_compared_with_that_of_all(text: str) -> None:
    said = sql(text)
    assert "HAVING AVG(CAST(trips.passengers AS" in said or "HAVING AVG(trips.passengers" in said
    assert "> (SELECT" in said
    assert "SUM(" not in said


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("For each country, list the two boats with the highest tonnage", "place <= 2"),
        ("Show the three heaviest boats of each town", "place <= 3"),
        ("For each country, list the two boats with the highest tonnage: country, boat name and tonnage", "place <= 2"),
        ("For each town, which boat has the lowest tonnage?", "place <= 1"),
    ],
)
def test_rows_come_first_among_those_of_a_kind_that_another_table_tells(text: str, place: str) -> None:
    boat = keyed(
        table("boats", "boat_id*:INTEGER quay_id:INTEGER boat_name tonnage:DOUBLE weight:DOUBLE"),
        quay_id="quays.quay_id",
    )
    found = drafted(text, Knowledge((QUAY, boat)))
    said = found.sql.replace('"', "")
    assert "RANK() OVER (PARTITION BY quays." in said
    assert place in said
    assert "of each" in found.reading
