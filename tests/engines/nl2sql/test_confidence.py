"""How sure a reading is: fitted weights of named features, and many values instead of one."""

from random import Random

import pytest

from benchmarks.quality.calibrate_asking import Drafted, fit, told
from resolvers.engines.nl2sql.drafter import understood
from resolvers.engines.nl2sql.model import Asked, no_lookup
from resolvers.engines.nl2sql.planner.choosing import candidates
from resolvers.engines.nl2sql.planner.confidence import WEIGHTS
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.asking import answers
from tests.engines.nl2sql.catalogs import NOW, drafted, keyed, knowledge, profiled, table

KNOWN = knowledge(
    table("keepers", "keeper_id*:INTEGER keeper_name:VARCHAR age:INTEGER town:VARCHAR"),
    table("boats", "boat_id*:INTEGER keeper_id:INTEGER boat_name:VARCHAR length:DOUBLE"),
)


def rows(seed: int) -> list[Drafted]:
    """Readings that are wrong the more often, the more words were passed over; what it says of luck says nothing."""
    random = Random(seed)
    made = []
    for at in range(600):
        unknown = float(random.randrange(3))
        right = random.random() < (0.9, 0.5, 0.1)[int(unknown)]
        made.append(Drafted(f"d{at % 5}", "x", False, {"unknown": unknown, "margin": float(not right)}, right))
    return made


def test_the_fit_finds_what_tells_and_leaves_out_what_tells_the_contrary() -> None:
    weights = fit(rows(1))
    assert weights["unknown"] < -1
    assert "margin" not in weights
    said = [(told(row, weights), row.is_right) for row in rows(2) if row.features["unknown"] == 0]
    assert abs(said[0][0] - sum(right for _, right in said) / len(said)) < 0.08


def test_every_weight_has_the_sign_that_it_should_have() -> None:
    assert all((weight > 0) == (name in {"score", "margin", "weakest"}) for name, weight in WEIGHTS.items() if
               name != "constant")  # fmt: skip


def test_answers_are_sure_in_many_degrees() -> None:
    found = [one.confidence for one in answers("zoo") if one.confidence is not None]
    assert len(set(found)) > len(found) / 3


def test_the_shorter_and_plainer_question_is_surer() -> None:
    plain = drafted("What is the age of each keeper?", KNOWN)
    winding = drafted("Show the name, the town and the age of keepers with boats longer than 5, and the boats", KNOWN)
    assert plain.confidence > UNSURE
    assert plain.confidence > winding.confidence


@pytest.mark.parametrize(
    ("question", "conjunctions"),
    [
        ("Show the name, the town and the age of each keeper", 0),
        ("Which keepers are older than 30 and younger than 60, oldest first?", 0),
        ("How many keepers are there, and all that", 2),
    ],
)
def test_conjunctions_count_that_join_nothing_in_the_query(question: str, conjunctions: int) -> None:
    linked = understood(Asked(question, NOW), KNOWN, no_lookup)
    assert candidates(linked, KNOWN)[0][0].facts["conjunctions"] == conjunctions


TRIP = table("trips", "trip_id*:INTEGER guide_id:INTEGER trip_name begun_on:DATE harbour")
GUIDE = table("guides", "guide_id*:INTEGER guide_name harbour")
LOG = keyed(table("logs", "log_id*:INTEGER trip_id:INTEGER sighted_on:DATE note"), trip_id="trips.trip_id")
TRIPS = knowledge(
    keyed(TRIP, guide_id="guides.guide_id"),
    GUIDE,
    LOG,
    profiles={TRIP.fqn: profiled(TRIP, {"harbour": ["Faro"]}), GUIDE.fqn: profiled(GUIDE, {"harbour": ["Faro"]})},
)


def test_a_time_of_rows_that_nothing_names_is_doubted() -> None:
    assert drafted("Show the names of trips sighted after 2020", TRIPS).confidence < UNSURE
    assert drafted("Show the names of trips begun after 2020", TRIPS).confidence > UNSURE


def test_a_text_that_is_looked_for_in_a_column_is_no_value_that_was_passed_over() -> None:
    found = drafted("Find the names of trips whose name contains the word 'Faro'", TRIPS)
    assert "LIKE '%faro%'" in found.sql
    assert found.confidence > UNSURE


def test_what_is_counted_by_a_value_that_other_rows_hold_is_doubted() -> None:
    """`How many pianos` counts no pupils."""
    pupils = table("pupils", "pupil_id*:INTEGER pupil_name teacher_id:INTEGER")
    teachers = table("teachers", "teacher_id*:INTEGER teacher_name instrument")
    kinds = {teachers.fqn: profiled(teachers, {"instrument": ["piano", "violin"]})}
    school = knowledge(keyed(pupils, teacher_id="teachers.teacher_id"), teachers, profiles=kinds)
    assert drafted("How many pianos are there with pupils?", school).confidence < UNSURE
    assert drafted("How many pupils are there?", school).confidence >= UNSURE


def test_a_word_that_calls_rows_is_doubted_as_a_value_of_others() -> None:
    """`Player` is a category of those who were honoured, and what the rows of another table are."""
    players = table("players", "player_id*:INTEGER player_name pay:DOUBLE")
    honours = table("honours", "honour_id*:INTEGER player_id:INTEGER category year:INTEGER")
    kinds = {honours.fqn: profiled(honours, {"category": ["Player", "Umpire"]})}
    fame = knowledge(players, keyed(honours, player_id="players.player_id"), profiles=kinds)
    found = drafted("Which honours were given to a player?", fame)
    assert "'Player'" not in found.sql or found.confidence < UNSURE
