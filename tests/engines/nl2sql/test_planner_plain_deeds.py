"""What people say that somebody did, of data that tells it in a column: who designed it, what was borrowed most."""

import pytest

from resolvers.engines.nl2sql.language.measures import in_one_unit
from resolvers.engines.nl2sql.model import QueryDraft
from resolvers.engines.nl2sql.planner.left_out import LEFT_OUT
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

YARDS = table("yards", "yard_id*:INTEGER yard_name harbour")
BOATS = keyed(
    table(
        "boats", "boat_id*:INTEGER boat_name designer rig inspections:INTEGER sold_on:DATE price:DOUBLE yard_id:INTEGER"
    ),
    yard_id="yards.yard_id",
)
HIRES = keyed(table("hires", "hire_id*:INTEGER boat_id:INTEGER hired_on:DATE fee:DOUBLE"), boat_id="boats.boat_id")
PROFILES = {
    YARDS.fqn: profiled(YARDS, {"yard_name": ["Tern", "Skua"], "harbour": ["Ostmouth", "Wick"]}),
    BOATS.fqn: profiled(BOATS, {"boat_name": ["Petrel", "Auk"], "designer": ["Ida Holm"], "rig": ["sloop", "ketch"]}),
    HIRES.fqn: profiled(HIRES, {"hired_on": ["2025-01-01", "2025-02-01"]}),
}
HARBOUR = knowledge(YARDS, BOATS, HIRES, profiles=PROFILES, dialect="duckdb")


def read(text: str) -> str:
    return drafted(text, HARBOUR).sql.replace('"', "")


def test_who_did_it_is_told_by_the_column_that_is_called_by_those_who_do() -> None:
    assert read("Who designed Petrel?") == "SELECT designer FROM boats WHERE boat_name = 'Petrel'"
    assert read("Who has designed the most boats?").startswith("SELECT designer FROM boats GROUP BY designer ORDER BY")


@pytest.mark.parametrize("text", ["How many boats did we hire in Wick?", "How many hires did we hire for Petrel?"])
def test_a_deed_of_ours_is_no_column_that_a_value_is_compared_with(text: str) -> None:
    assert "hired_on =" not in read(text)
    assert "= 'Wick'" in read(text) or "= 'Petrel'" in read(text)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("What is the most inspected boat?", "ORDER BY inspections DESC LIMIT 1"),
        ("Which boat was inspected the most?", "ORDER BY inspections DESC LIMIT 1"),
        ("What are the 3 least inspected boats?", "ORDER BY inspections ASC LIMIT 3"),
        ("the most hired boat", "ORDER BY COUNT(*) DESC LIMIT 1"),
    ],
)
def test_the_most_of_what_was_done_is_a_number_called_so_or_that_of_its_rows(text: str, order: str) -> None:
    assert order in read(text)


def test_the_most_inspected_of_each_is_not_that_of_all() -> None:
    sql = read("What is the most inspected boat of each yard?")
    assert "NOT EXISTS" in sql
    assert "LIMIT" not in sql


def test_the_most_inspected_that_something_has_are_counted() -> None:
    assert "COUNT(*)" in read("Which yard has the most inspected boats?")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Which boats have logged no hires and what rig do they have?", "rig"),
        ("What is the name of each boat and which designer built it?", "SELECT boat_name, designer FROM boats"),
        ("Which boats were sold in 2025 and for how much?", "SELECT boat_name, price"),
        ("How much did we take in fees in 2025?", "SELECT SUM(fee)"),
        ("Which yards have seen no inspections?", "NOT EXISTS"),
    ],
)
def test_what_is_said_at_the_end_of_a_question_is_answered(text: str, part: str) -> None:
    assert part in read(text)


def test_what_came_out_was_released_and_an_answer_in_its_own_unit_is_that() -> None:
    songs = table("songs", "song_id*:INTEGER title released_on:DATE length_km:DOUBLE area_ha:DOUBLE")
    known = knowledge(songs, profiles={}, dialect="duckdb")
    assert "released_on" in drafted("How many songs came out in 2025?", known).sql
    found = drafted("What is the total area of the songs in hectares?", known)
    assert "SUM" in found.sql
    assert "area_ha" in found.sql


def test_the_last_release_date_is_a_date() -> None:
    songs = table("songs", "song_id*:INTEGER title song_date:DATE other_details")
    known = knowledge(songs, profiles={}, dialect="duckdb")
    assert drafted("What is the last song release date?", known).sql.startswith('SELECT "song_date"')
    assert drafted("What is the first song? List the date and details.", known).sql.startswith(
        'SELECT "song_date", "other_details"'
    )


PEOPLE = table("rowers", "rower_id*:INTEGER rower_name age:INTEGER joined_on:DATE left_on:DATE row_min:INTEGER")
OARS = keyed(table("oars", "oar_id*:INTEGER kind age:INTEGER rower_id:INTEGER"), rower_id="rowers.rower_id")
PRIZES = keyed(table("prizes", "prize_id*:INTEGER prize_name rower_id:INTEGER"), rower_id="rowers.rower_id")
CLUB = knowledge(
    PEOPLE, OARS, PRIZES, dialect="duckdb",
    profiles={OARS.fqn: profiled(OARS, {"kind": ["scull", "sweep"]}),
              PRIZES.fqn: profiled(PRIZES, {"prize_name": ["Silver Cup", "Gold Cup"]})},
)  # fmt: skip


def test_what_that_says_behind_a_value_is_said_of_its_rows() -> None:
    sql = drafted("Which rowers have a scull that is age 3?", CLUB).sql.replace('"', "")
    assert "oars.age = 3" in sql
    assert "rowers.age" not in sql
    sql = drafted("Which rowers who are age 30 have a scull?", CLUB).sql.replace('"', "")
    assert "rowers.age = 30" in sql


def test_a_count_may_be_one_of_two_that_will_do() -> None:
    sql = drafted("Which rowers have more than 3 oars or won the Silver Cup?", CLUB).sql.replace('"', "")
    assert "HAVING COUNT(*) > 3) OR " in sql
    sql = drafted("Which rowers have more than 3 oars and won the Silver Cup?", CLUB).sql
    assert " OR " not in sql


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Which rowers joined the club in 2024?", "joined_on BETWEEN"),
        ("Which rowers joined the company in 2024?", "joined_on BETWEEN"),
        ("How many rowers joined our firm before 2020?", "joined_on <"),
    ],
)
def test_words_for_those_whose_data_it_is_say_nothing(text: str, part: str) -> None:
    assert part in drafted(text, CLUB).sql.replace('"', "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("longer than two and a half hours", "longer than 2.5 hours"),
        ("an hour and a half", "1.5 hours"),
        ("3 and a half years", "3.5 years"),
        ("one half of the players", "one half of the players"),
    ],
)
def test_halves_of_units_are_numbers(text: str, said: str) -> None:
    assert in_one_unit(text) == said


GUESTS = table("guests", "guest_id*:INTEGER first_name last_name registered_on:DATE")
STAYS = keyed(table("guest_registry", "stay_id*:INTEGER guest_id:INTEGER nights:INTEGER"), guest_id="guests.guest_id")
INN = knowledge(GUESTS, STAYS, profiles={}, dialect="duckdb")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("What is the name of the first guest to register?", "first_name, last_name"),
        ("What is the first and last name of the first guest to register?", "first_name, last_name"),
        ("What is the last name of the first guest to register?", "last_name"),
    ],
)
def test_the_name_of_the_first_guest_is_no_first_name(text: str, shown: str) -> None:
    sql = drafted(text, INN).sql.replace('"', "")
    assert sql.startswith(f"SELECT {shown} FROM guests")
    assert "ORDER BY registered_on ASC" in sql
    assert "LIMIT 1" in sql


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Which boat paid us the most?", "ORDER BY SUM(hires.fee) DESC LIMIT 1"),
        ("Which boat has the longest hires on average?", "ORDER BY AVG(hires.length_min) DESC LIMIT 1"),
    ],
)
def test_the_most_is_of_what_is_paid_and_the_longest_of_what_is_had(text: str, order: str) -> None:
    hires = keyed(
        table("hires", "hire_id*:INTEGER boat_id:INTEGER paid_on:DATE fee:DOUBLE length_min:INTEGER"),
        boat_id="boats.boat_id",
    )
    boats = table("boats", "boat_id*:INTEGER boat_name bought_on:DATE sold_on:DATE")
    assert order in drafted(text, knowledge(boats, hires, profiles={}, dialect="duckdb")).sql.replace('"', "")


def test_a_word_that_nothing_stands_for_is_left_out_and_said_so() -> None:
    draft = drafted("Which yard name is home to the most boats?", HARBOUR)
    assert isinstance(draft, QueryDraft)
    assert "GROUP BY" in draft.sql
    assert draft.reading.endswith("Nothing in the data stands for “home”, so that word was left out.")
    assert draft.confidence == LEFT_OUT


@pytest.mark.parametrize(
    "text",
    [
        "How many mutinies did Petrel have in 2025?",  # what is counted
        "What is the average tonnage of the boats that Ida Holm designed?",  # what is reckoned
        "Which boats had non-paying hires in 2025?",  # it denies
    ],
)
def test_a_word_that_is_asked_for_or_denies_is_never_left_out(text: str) -> None:
    assert "was left out" not in getattr(asked(text, HARBOUR), "reading", "")
