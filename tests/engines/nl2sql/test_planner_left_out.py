"""Rows that are said to be left out, in any of the ways that people say it."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

GUIDE = table("guides", "guide_id*:INTEGER guide_name town")
TOUR = keyed(
    table(
        "tours", "tour_id*:INTEGER guide_id:INTEGER region price:DOUBLE guests:INTEGER cancelled:INTEGER held_on:DATE"
    ),
    guide_id="guides.guide_id",
)
TOURS = knowledge(
    GUIDE,
    TOUR,
    profiles={
        GUIDE.fqn: profiled(GUIDE, {"town": ["Lisbon", "Oslo", "Turin"]}),
        TOUR.fqn: profiled(TOUR, {"region": ["Alps", "Coast", "Fjords"], "cancelled": ["0", "1"]}),
    },
)
NO_COAST = "tours.region <> 'Coast'"


def sql(text: str) -> str:
    """The statement for a question, without quotes."""
    return drafted(text, TOURS).sql.replace('"', "")


@pytest.mark.parametrize(
    "said",
    [
        "leaving out the Coast",
        "not counting the Coast",
        "ignoring the Coast",
        "the Coast excluded",
        "not including Coast",
    ],
)
def test_a_kind_that_is_left_out_is_denied(said: str) -> None:
    assert "WHERE region <> 'Coast' GROUP BY region" in sql(f"Number of tours per region, {said}")


def test_all_of_several_values_are_left_out() -> None:
    assert "NOT town IN ('Oslo', 'Turin')" in sql("List the guides, excluding those from Oslo and Turin")
    assert "NOT town IN ('Lisbon', 'Oslo', 'Turin')" in sql("List the guides, except those from Lisbon, Oslo and Turin")


def test_flagged_rows_are_left_out() -> None:
    assert "cancelled <> 1" in sql("Total guests per region, cancelled tours excluded")


def test_rows_that_are_counted_are_left_out_one_by_one() -> None:
    found = sql("Which guide led the most tours, not counting tours in the Coast region?")
    assert NO_COAST in found
    assert "EXISTS" not in found


def test_a_figure_is_one_of_what_is_left() -> None:
    found = sql("What is the average price, leaving out tours of guides from Oslo?")
    assert "NOT tours.tour_id IN" in found
    assert "EXCEPT" not in found
