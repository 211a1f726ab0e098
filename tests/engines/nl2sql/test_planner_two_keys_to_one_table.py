"""Two keys to one table, verbs that tell which, and answers that would say nothing."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import drafted, knowledge, profiled, table

COACHES = table("coaches", "coach_id*:INTEGER coach_name:VARCHAR climber_id:INTEGER")
KNOWN = knowledge(
    table("climbers", "climber_id*:INTEGER fname:VARCHAR lname:VARCHAR born:DATE"),
    table("duels", "duel_id*:INTEGER winner_climber_id:INTEGER loser_climber_id:INTEGER minutes:INTEGER round:VARCHAR"),
    table("ranks", "climber_id:INTEGER week:DATE points:INTEGER"),
    COACHES,
    profiles={COACHES.fqn: profiled(COACHES, {"coach_name": ["Vic Moor", "Wanda Hill"]})},
)


def draft(text: str) -> QueryDraft:
    """What the planner answers a question with."""
    return drafted(text, KNOWN)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Which climber lost the most duels?", "climbers.climber_id = duels.loser_climber_id"),
        ("Which climbers have won at least two duels?", "duels.winner_climber_id = climbers_2.climber_id"),
        ("Count duels that lasted longer than 30 minutes.", "minutes > 30"),
        ("Show the longest duel's minutes and round.", "SELECT minutes, round FROM duels"),
        ("Show the points of every climber in 2019.", "ranks.week BETWEEN"),
        ("What is the highest, the lowest and the average points?", "MAX(points)"),
        ("Which climbers won 2 duels or more?", "HAVING COUNT(*) >= 2"),
        ("Show the duels from the highest minutes to the lowest.", "ORDER BY minutes DESC"),
        ("Give the top 2 coaches by number of climbers.", "ORDER BY COUNT("),
    ],
)
def test_verbs_and_figures_tell_what_is_meant(question: str, part: str) -> None:
    assert part in draft(question).sql.replace('"', "")


@pytest.mark.parametrize("question", ["Who is coached by Vic Moor?", "Show the top 3 climbers."])
def test_an_answer_that_says_nothing_new_is_warned_of(question: str) -> None:
    assert draft(question).confidence < UNSURE
