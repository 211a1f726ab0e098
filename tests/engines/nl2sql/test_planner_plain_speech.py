"""Questions as people type them, over data that calls things otherwise."""

import duckdb
import pytest

from resolvers.engines.nl2sql.model import Clarification, Knowledge, QueryDraft, Unanswerable
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

KINDS = table("kinds", "kind_id*:INTEGER kind_name")
BIRDS = keyed(
    table("birds", "bird_id*:INTEGER bird_name weight_kg:DOUBLE seen_year:INTEGER grown_from:INTEGER kind_id:INTEGER"),
    kind_id="kinds.kind_id",
    grown_from="birds.bird_id",
)
KEEPERS = table("keepers", "keeper_id*:INTEGER keeper_first keeper_last age:INTEGER sex")
PROFILES = {
    KINDS.fqn: profiled(KINDS, {"kind_name": ["Owl", "Gull"]}),
    BIRDS.fqn: profiled(BIRDS, {"bird_name": ["Pip", "Rex"]}),
    KEEPERS.fqn: profiled(KEEPERS, {"sex": ["female", "male"]}),
}
AVIARY = knowledge(KINDS, BIRDS, KEEPERS, profiles=PROFILES, dialect="duckdb")


def read(text: str) -> str:
    return drafted(text, AVIARY).sql.replace('"', "")


@pytest.mark.parametrize("text", ["which guests weigh less than 1 kg?", "Which guest is the heaviest?"])
def test_rows_that_nothing_calls_so_are_asked_about(text: str) -> None:
    outcome = asked(text, AVIARY)
    assert isinstance(outcome, Clarification)
    assert "Nothing in the data is called" in outcome.message
    assert ["birds" in one.sql for one in outcome.readings] == [True]
    with duckdb.connect() as connection:
        connection.execute(
            "create table birds(bird_id int, bird_name text, weight_kg double, seen_year int, kind_id int)"
        )
        connection.execute(outcome.readings[0].sql)


def test_a_number_of_what_is_not_there_is_not_that_of_something_else() -> None:
    outcome = asked("How many xylophones are there?", AVIARY)
    assert isinstance(outcome, Unanswerable)
    assert outcome.missing == ("xylophones",)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("How many birds are in here?", "SELECT COUNT(*) AS count_birds FROM birds"),
        ("How many keepers dont have a sex?", "sex IS NULL"),
        ("Which birds have owl in their name?", "LOWER(bird_name) LIKE '%owl%'"),
        ("How many birds were seen in the 1800s?", "BETWEEN 1800 AND 1899"),
        ("How many birds were seen in the 1970s?", "BETWEEN 1970 AND 1979"),
        ("Which keepers are over 40?", "SELECT keeper_first, keeper_last FROM keepers"),
        ("average weight of owls vs gulls", "GROUP BY kinds.kind_name"),
        ("Were more birds seen in 1990 than in 1991?", "GROUP BY seen_year"),
    ],
)
def test_plain_words_are_read(text: str, part: str) -> None:
    assert part in read(text)


def test_first_and_last_are_names_of_people() -> None:
    assert "first name" in drafted("Which keepers are there?", AVIARY).reading


@pytest.mark.parametrize(
    "text",
    [
        "What does Pip grow into?",
        "average age of male keepers vs everybody",
        "Which keepers won?",
        "How many only have one kind?",
        "How many birds for each bird?",
        "How much did the age of female keepers grow between 1990 and 2000?",
    ],
)
def test_what_a_query_does_not_tell_is_never_sure(text: str) -> None:
    outcome = asked(text, AVIARY)
    assert not isinstance(outcome, QueryDraft) or outcome.confidence <= 0.5, outcome


def test_the_end_of_a_compound_name_stands_for_its_rows() -> None:
    strikes = table("birdstrikes", "strike_no*:INTEGER airport struck_on:DATE")
    known = Knowledge((strikes, table("airlines", "airline_id*:INTEGER airline_name")))
    draft = drafted("How many strikes were there in 1999?", known)
    assert 'FROM "birdstrikes"' in draft.sql
    assert draft.reading.endswith("Read “strikes” as “birdstrikes”.")
    assert draft.confidence <= 0.75


def test_rows_of_the_only_table_may_be_called_otherwise_and_that_is_said() -> None:
    football = table("football", "played_on:DATE home_team away_team")
    draft = drafted("How many fixtures were there in 2016?", Knowledge((football,)))
    assert draft.sql.startswith('SELECT COUNT(*) AS "count_football" FROM "football"')
    assert draft.reading.endswith("Read “fixtures” as “football”.")
    assert draft.confidence <= 0.75
    clubs = table("clubs", "club_id*:INTEGER club_name")
    assert isinstance(asked("How many fixtures were there in 2016?", Knowledge((football, clubs))), Clarification)
