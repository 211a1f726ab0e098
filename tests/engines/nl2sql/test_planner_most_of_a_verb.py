"""What is done most, who does it and when: told by the rows that refer to a thing, whatever the verb."""

from collections.abc import Sequence

import pytest

from resolvers.engines.nl2sql.model import Clarification, ColumnKey, FoundValue, QueryDraft
from tests.engines.nl2sql.catalogs import asked, drafted, fqn, keyed, knowledge, profiled, table

FERRIES = table("ferries", "ferry_id*:INTEGER ferry_name length:DOUBLE")
SKIPPERS = table("skippers", "skipper_id*:INTEGER skipper_name joined_on:DATE port")
CREWS = keyed(table("crews", "ferry_id*:INTEGER skipper_id*:INTEGER"), ferry_id="ferries.ferry_id",
              skipper_id="skippers.skipper_id")  # fmt: skip
CROSSINGS = keyed(
    table("crossings", "crossing_id*:INTEGER ferry_id:INTEGER skipper_id:INTEGER sailed_on:DATE"),
    ferry_id="ferries.ferry_id", skipper_id="skippers.skipper_id",
)  # fmt: skip
FLEET = knowledge(FERRIES, SKIPPERS, CREWS, CROSSINGS, profiles={})

SINGERS = table("singers", "singer_id*:INTEGER singer_name")
RECORDS = keyed(table("records", "record_id*:INTEGER title singer_id:INTEGER"), singer_id="singers.singer_id")
SONGS = keyed(table("songs", "song_id*:INTEGER song_name record_id:INTEGER"), record_id="records.record_id")
MUSIC = knowledge(
    SINGERS, RECORDS, SONGS,
    profiles={SONGS.fqn: profiled(SONGS, {"song_name": ["Blue Harbour"]}, whole=False)},
)  # fmt: skip


def sql_of(text: str, known: object = FLEET) -> str:
    found = drafted(text, known)  # type: ignore[arg-type]
    return found.sql.replace('"', "")


@pytest.mark.parametrize("text", ["Which ferry is used most?", "Which ferry was hired the most?"])
def test_the_most_of_any_verb_counts_the_rows_that_tell_when_it_happened(text: str) -> None:
    found = drafted(text, FLEET)
    assert "JOIN crossings" in found.sql.replace('"', "")
    assert "ORDER BY COUNT(*) DESC LIMIT 1" in found.sql.replace(" NULLS LAST", "")
    assert found.confidence < 0.8  # which rows are meant is taken from the keys
    assert "crossings" in found.reading


def test_what_is_best_is_taken_for_what_has_most_rows_and_doubted() -> None:
    for text, limit in (("our best skippers", 10), ("top 3 skippers", 3), ("the best ferry", 1)):
        found = drafted(text, FLEET)
        assert f"ORDER BY COUNT(*) DESC LIMIT {limit}" in found.sql.replace(" NULLS LAST", ""), text
        assert found.confidence <= 0.5


@pytest.mark.parametrize("text", ["Which ferry got the best reviews?", "Which skipper gave the most concerts?"])
def test_the_most_of_what_nobody_knows_is_no_number_of_rows(text: str) -> None:
    outcome = asked(text, FLEET)
    assert not isinstance(outcome, QueryDraft) or "COUNT" not in outcome.sql


def test_a_year_of_a_count_for_each_is_that_of_the_rows_counted() -> None:
    sql = sql_of("How many crossings did each skipper make in 2024?")
    assert "crossings.sailed_on BETWEEN" in sql
    assert "joined_on" not in sql
    hired = sql_of("How many skippers joined in 2024?")
    assert "joined_on BETWEEN" in hired


VANS = table("vans", "van_id*:INTEGER van_name year:INTEGER")
TOURS = keyed(table("tours", "tour_id*:INTEGER van_id:INTEGER year:INTEGER month:INTEGER"), van_id="vans.van_id")
ROAD = knowledge(VANS, TOURS, profiles={})


@pytest.mark.parametrize(
    "text",
    [
        "How many tours were driven by vans built before 1990?",
        "How many tours were made with vans made before 1990?",
        "How many tours of vans bought before 1990 were there?",
    ],
)
def test_a_verb_behind_another_name_says_when_of_its_rows(text: str) -> None:
    sql = sql_of(text, ROAD)
    assert "vans.year < 1990" in sql
    assert "tours.year" not in sql


@pytest.mark.parametrize(
    "text", ["How many tours did each van make in 1990?", "How many tours were made with vans in 1990?"]
)
def test_a_verb_of_what_is_counted_says_when_of_that(text: str) -> None:
    sql = sql_of(text, ROAD)
    assert "tours.year = 1990" in sql
    assert "vans.year" not in sql


def looked_up(columns: Sequence[ColumnKey], texts: Sequence[str]) -> list[FoundValue]:
    held = [ColumnKey(fqn("singers"), "singer_name"), ColumnKey(fqn("records"), "title")]
    return [FoundValue(key, "Blue Harbour") for key in held if key in columns and "Blue Harbour" in texts]


@pytest.mark.parametrize(
    "text",
    [
        "Which records did Blue Harbour make?",
        "How many records has Blue Harbour made?",
        "How many songs did Blue Harbour write?",
        "songs by Blue Harbour",
    ],
)
def test_who_does_something_is_looked_for_among_people_whatever_a_profile_knows(text: str) -> None:
    found = asked(text, MUSIC, lookup=looked_up)
    assert isinstance(found, QueryDraft), found
    assert "singers.singer_name = 'Blue Harbour'" in found.sql.replace('"', "")


def test_without_a_doer_a_name_is_what_it_was() -> None:
    found = asked("Which records have the song Blue Harbour?", MUSIC, lookup=looked_up)
    assert isinstance(found, QueryDraft | Clarification)
    if isinstance(found, QueryDraft):
        assert "singer_name" not in found.sql


def test_who_did_something_is_no_sure_answer_to_what_was_done() -> None:
    outcome = asked("What did skipper S17 steer?", knowledge(
        SKIPPERS, CROSSINGS, FERRIES, CREWS,
        profiles={SKIPPERS.fqn: profiled(SKIPPERS, {"port": ["S17"]})},
    ))  # fmt: skip
    assert not isinstance(outcome, QueryDraft) or outcome.confidence <= 0.5


BREWS = keyed(
    table("brews", "brew_id*:INTEGER brew_name distributor_id:INTEGER maltster_id:INTEGER"),
    distributor_id="distributors.distributor_id", maltster_id="malts.maltster_id",
)  # fmt: skip
BREWERY = knowledge(
    BREWS, table("distributors", "distributor_id*:INTEGER firm_name"), table("malts", "maltster_id*:INTEGER malt_name"),
    profiles={BREWS.fqn: profiled(BREWS, {"brew_name": ["Night Owl"]})},
)  # fmt: skip


def test_who_does_something_is_the_firm_that_is_called_after_it() -> None:
    found = drafted("Who distributes Night Owl?", BREWERY)
    assert "distributors.firm_name" in found.sql.replace('"', "")
    assert "brew_name = 'Night Owl'" in found.sql.replace('"', "")
    other = asked("Who tasted Night Owl?", BREWERY)
    assert not isinstance(other, QueryDraft) or other.confidence < found.confidence


def test_the_most_of_what_belongs_to_a_row_is_that_of_all_of_it_together() -> None:
    sql = sql_of("What is the name of the singer whose records have the most songs?", MUSIC)
    assert "GROUP BY singers.singer_id" in sql
    assert "ORDER BY COUNT(*) DESC" in sql
    assert " IN (SELECT" in sql_of("the songs of the record with the most songs", MUSIC)
