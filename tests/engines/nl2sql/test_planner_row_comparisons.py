"""Rows compared with a named one, names that end in a number, years of something else, and orders said by the way."""

import pytest

from resolvers.engines.nl2sql.language.measures import in_one_unit, scale
from resolvers.engines.nl2sql.model import Clarification, QueryDraft
from resolvers.engines.nl2sql.schema_linking.question_tokens import TokenizedQuestion
from resolvers.engines.nl2sql.schema_linking.unknown import unknown
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import asked, drafted, knowledge, profiled, table

KEEPERS = table("keepers", "keeper_id*:INTEGER keeper_name hired_year:INTEGER")
TOWERS = table(
    "towers", "tower_id*:INTEGER tower_name height_m:DOUBLE lamps:INTEGER year_built:INTEGER keeper_id:INTEGER owner"
)
STAYS = table("stays", "stay_id*:INTEGER tower_id:INTEGER visitor_id:INTEGER nights:INTEGER stay_date:DATE")
VISITORS = table("visitors", "visitor_id*:INTEGER visitor_name birth_year:INTEGER")
PROFILES = {
    TOWERS.fqn: profiled(TOWERS, {"tower_name": ["Black Rock", "Old Head"], "owner": ["Crown", "Port"]}),
    VISITORS.fqn: profiled(VISITORS, {"visitor_name": ["Ida Moor", "Ole Bay"]}),
}
KNOWN = knowledge(KEEPERS, TOWERS, STAYS, VISITORS, profiles=PROFILES)


def sql(text: str) -> str:
    """Return what the planner writes for a question."""
    return drafted(text, KNOWN).sql.replace('"', "")


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Which towers were built earlier than Black Rock?", "towers.year_built < (SELECT towers_2.year_built"),
        ("Who is older than Ida Moor?", "visitors.birth_year < (SELECT visitors_2.birth_year"),
        ("Which towers are higher than the average tower?", "height_m > (SELECT AVG(towers_2.height_m)"),
        ("Average number of nights over all stays?", "SELECT AVG(nights)"),
        ("Return the largest, smallest and average number of lamps.", "SELECT MAX(lamps) AS maximum_lamps, MIN(lamps)"),
        ("Which towers were built before 1900? Oldest first please.", "ORDER BY year_built ASC"),
        ("Show the names and heights of the towers, from the lowest to the highest.", "ORDER BY height_m ASC"),
        ("Give the names of the three biggest towers by number of lamps.", "ORDER BY lamps DESC"),
        ("How high is a tower on average?", "SELECT AVG(height_m)"),
        ("Who looks after Black Rock?", "SELECT keepers.keeper_name"),
        ("Names of the towers whose owner isn't known", "WHERE owner IS NULL"),
        ("Who has ever stayed at Black Rock? Each name only once.", "SELECT DISTINCT visitors.visitor_name"),
    ],
)
def test_rows_are_compared_with_rows(question: str, part: str) -> None:
    assert part in sql(question)


@pytest.mark.parametrize("question", ["What does a night at Black Rock cost?", "Which visitors came in 1990?"])
def test_what_is_not_known_is_warned_of(question: str) -> None:
    found = asked(question, KNOWN)
    assert isinstance(found, Clarification) or (isinstance(found, QueryDraft) and found.confidence < UNSURE)


@pytest.mark.parametrize(
    ("question", "name"),
    [("Who flew on Night Ferry 2?", "Night Ferry 2"), ("Who works at Dock Gate A?", "Dock Gate A")],
)
def test_a_name_may_end_in_a_number_or_a_letter(question: str, name: str) -> None:
    assert [name] in unknown(TokenizedQuestion.of(question), []).values()


def test_numbers_are_told_in_the_unit_of_a_column() -> None:
    assert in_one_unit("longer than 2 hours and 15 minutes") == "longer than 2.25 hours"
    assert scale("hour", ("run", "minute")) == 60
    assert scale("hour", ("price",)) is None
