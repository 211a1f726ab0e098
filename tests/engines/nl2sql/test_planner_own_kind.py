"""Figures of those rows that are like each row in something: the average of their own category."""

import pytest

from resolvers.engines.nl2sql.stored import restored, stored
from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

HARBOUR = table("harbours", "harbour_id*:INTEGER harbour_name")
BOAT = keyed(
    table("boats", "boat_id*:INTEGER boat_name kind mast:DOUBLE price:DOUBLE harbour_id:INTEGER"),
    harbour_id="harbours.harbour_id",
)
BOATS = knowledge(HARBOUR, BOAT)


@pytest.mark.parametrize(
    ("said", "column"),
    [
        ("Which boats have a price above the average of their own kind?", "kind"),
        ("Which boats have a price above the average price of the same kind?", "kind"),
        ("Boats with a price higher than the average boat in their harbour", "harbour_id"),
        ("List boats whose price is above the average price in its harbour", "harbour_id"),
    ],
)
def test_an_average_may_be_one_of_those_that_are_alike(said: str, column: str) -> None:
    found = drafted(said, BOATS)
    sql = found.sql.replace('"', "")
    assert "boats.price > (SELECT AVG(boats_2.price)" in sql
    assert f"WHERE boats_2.{column} = boats.{column})" in sql
    assert "of the same" in found.reading


@pytest.mark.parametrize(
    ("said", "factor"),
    [
        ("Which boats have a price above twice the average of their own kind?", "> 2 * (SELECT AVG"),
        ("Boats with a price of more than three times the average price", "> 3 * (SELECT AVG"),
        ("Which boats have a price below half the average price?", "< 0.5 * (SELECT AVG"),
        ("Which boats have a mast of at least 1.5 times the average mast?", ">= 1.5 * (SELECT AVG"),
        ("Which boats have a price at most double the lowest price?", "<= 2 * (SELECT MIN"),
    ],
)
def test_an_average_may_be_meant_several_times(said: str, factor: str) -> None:
    assert factor in drafted(said, BOATS).sql


def test_an_average_of_all_stays_one_of_all() -> None:
    assert "boats_2.kind" not in drafted("Which boats have a price above the average?", BOATS).sql.replace('"', "")


def test_such_a_plan_is_stored_whole() -> None:
    plan = drafted("Which boats have a price above the average of their own kind?", BOATS).plan
    assert plan is not None
    assert restored(stored(plan)) == plan


def test_a_column_that_is_named_behind_what_is_compared_with_chooses_among_that() -> None:
    works = table("artworks", "artwork_id*:INTEGER artwork_title technique_cd price:DOUBLE")
    known = knowledge(works, profiles={works.fqn: profiled(works, {"technique_cd": ["WAT", "OIL", "PHO"]})})
    sql = drafted(
        "Show the titles of artworks that are more expensive than every artwork with the technique WAT", known
    ).sql
    assert sql.rstrip().endswith(")")
    assert sql.index("'WAT'") > sql.index("MAX(")
