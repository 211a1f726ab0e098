"""Two keys to one table, verbs that tell which, and answers that would say nothing."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

COACHES = table("coaches", "coach_id*:INTEGER coach_name:VARCHAR climber_id:INTEGER")
KNOWN = knowledge(
    table("climbers", "climber_id*:INTEGER fname:VARCHAR lname:VARCHAR born:DATE"),
    table("duels", "duel_id*:INTEGER winner_climber_id:INTEGER loser_climber_id:INTEGER minutes:INTEGER round:VARCHAR"),
    table("ranks", "climber_id:INTEGER week:DATE points:INTEGER"),
    COACHES,
    profiles={COACHES.fqn: profiled(COACHES, {"coach_name": ["Vic Moor", "Wanda Hill"]})},
)


def draft(text: str) -> QueryDraft:
    """Return what the planner answers a question with."""
    return drafted(text, KNOWN)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Which climber lost the most duels?", "climbers.climber_id = duels.loser_climber_id"),
        ("Which climbers have won at least two duels?", "GROUP BY duels.winner_climber_id HAVING COUNT(*) >= 2"),
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


SOCIABLE = knowledge(
    table("climbers", "climber_id*:INTEGER climber_name:VARCHAR"),
    keyed(
        table("friend", "climber_id*:INTEGER friend_id*:INTEGER"),
        climber_id="climbers.climber_id",
        friend_id="climbers.climber_id",
    ),
)


@pytest.mark.parametrize(
    "question", ["How many friends does each climber have?", "Which climber has the most friends?"]
)
def test_the_key_beside_the_one_called_as_the_table_tells_who_has(question: str) -> None:
    sql = drafted(question, SOCIABLE).sql.replace('"', "")
    assert "friend.climber_id" in sql
    assert "friend.friend_id" not in sql


WEIGHED = table("climbers", "climber_id*:INTEGER climber_name:VARCHAR weight:VARCHAR locker_code:VARCHAR")
TYPED_AS_TEXT = knowledge(
    WEIGHED,
    profiles={WEIGHED.fqn: profiled(WEIGHED, {"weight": ["71.5", "80", "null"], "locker_code": ["017", "112"]})},
)


def test_numbers_that_were_loaded_as_text_are_measures() -> None:
    found = drafted("Who is the heaviest climber?", TYPED_AS_TEXT)
    assert "ORDER BY CASE WHEN" in found.sql
    assert 'THEN CAST("weight" AS DOUBLE' in found.sql
    assert "highest weight" in found.reading


def test_codes_of_digits_stay_texts() -> None:
    assert "CAST" not in drafted("climbers with locker code 017", TYPED_AS_TEXT).sql


STAFF = keyed(
    table("deckhands", "deckhand_id*:INTEGER first_name last_name reports_to:INTEGER"),
    reports_to="deckhands.deckhand_id",
)


@pytest.mark.parametrize("text", ["Who is Ann's manager?", "Who is the boss of Ann?", "deckhands and their managers"])
def test_the_manager_is_who_a_row_reports_to_and_shown_by_name(text: str) -> None:
    crew = knowledge(STAFF, profiles={STAFF.fqn: profiled(STAFF, {"first_name": ["Ann", "Bo"]})})
    sql = drafted(text, crew).sql.replace('"', "")
    assert "JOIN deckhands AS deckhands_2 ON deckhands.reports_to = deckhands_2.deckhand_id" in sql
    assert "deckhands_2.last_name" in sql
