"""Shares within groups: of the rows of each group, the part that meets what is said behind the verb."""

import pytest

from resolvers.engines.nl2sql.model import Knowledge
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, profiled, table

GYM = table("gyms", "gym_id*:INTEGER gym_name town")
MEMBER = keyed(
    table("members", "member_id*:INTEGER gym_id:INTEGER member_name plan joined_on:DATE weight:INTEGER"),
    gym_id="gyms.gym_id",
)
VISIT = keyed(table("visits", "visit_id*:INTEGER member_id:INTEGER visited_on:DATE"), member_id="members.member_id")
KNOWN = Knowledge(
    (GYM, MEMBER, VISIT),
    profiles={
        one.asset_fqn: one
        for one in (
            profiled(GYM, {"gym_name": ["Iron Hall", "Lakeside"], "town": ["Bath", "York"]}),
            profiled(MEMBER, {"plan": ["gold", "basic"], "member_name": ["Ada"]}),
            profiled(VISIT, {}),
        )
    },
)


def sql(text: str) -> str:
    """The statement for a question, without quotes."""
    return drafted(text, KNOWN).sql.replace('"', "")


@pytest.mark.parametrize(
    "text",
    [
        "For each town, what percentage of the members are on the gold plan?",
        "What share of the members of each town is on the gold plan?",
    ],
)
def test_a_share_within_each_group_is_one_of_its_own_rows(text: str) -> None:
    said = sql(text)
    assert "COUNT(CASE WHEN members.plan = 'gold' THEN 1 END)" in said
    assert "/ NULLIF(COUNT(*), 0)" in said
    assert "GROUP BY gyms.town" in said
    assert "WHERE" not in said


def test_what_rows_have_several_of_is_no_join() -> None:
    said = sql("For each plan, what percentage of the members made a visit in 2024?")
    assert "COUNT(CASE WHEN EXISTS(SELECT 1 FROM visits WHERE members.member_id = visits.member_id" in said
    assert said.endswith("GROUP BY members.plan")


def test_what_is_said_before_the_verb_chooses_the_rows_of_the_whole() -> None:
    said = sql("For each town, what percentage of the gold members are heavier than 90?")
    assert "CASE WHEN members.weight > 90" in said
    assert "WHERE members.plan = 'gold'" in said


def test_a_share_of_all_goes_on_to_be_one_where_nothing_tells_a_part() -> None:
    assert "OVER ()" in sql("What percentage of members by plan?")


def test_it_is_said_of_which_rows() -> None:
    reading = drafted("For each town, what percentage of the members are on the gold plan?", KNOWN).reading
    assert reading == "The percentage of members where the plan is “gold” for each town of the gym."


@pytest.mark.parametrize("when", ["on a weekend", "at the weekend", "during a weekend"])
def test_a_weekend_is_two_days_of_a_week(when: str) -> None:
    assert "EXTRACT(ISODOW FROM visited_on) IN (6, 7)" in sql(f"How many visits were there {when}?")


def test_a_share_beside_a_group_that_does_something_is_doubted() -> None:
    found = asked("What percentage of the visits did each member make in 2024?", KNOWN)
    assert getattr(found, "confidence", 0.0) < 0.7
