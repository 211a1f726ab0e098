"""Kinds of questions that people asked of databases nobody had seen before."""

from collections.abc import Sequence

import pytest

from resolvers.engines.nl2sql.model import ColumnKey, FoundValue, QueryDraft
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import asked, drafted, knowledge, profiled, table

RAMP = table("ramp", "ramp_id*:INTEGER ramp_name district opening_year:INTEGER")
KEEPER = table("keepers", "keeper_no*:INTEGER keeper_name age_yrs:INTEGER town")
HOVER = table("hovercraft", "craft_id*:INTEGER craft_name keeper_no:INTEGER age_yrs:INTEGER seats:INTEGER")
APPTS = table("appts", "appt_no*:INTEGER craft_id:INTEGER appt_dt:DATE reason fee:DOUBLE settled_on:DATE")
REMEDY = table("remedies", "remedy_cd* remedy_desc std_cost:DOUBLE")
USED = table("appt_remedies", "appt_no*:INTEGER remedy_cd* qty:INTEGER")
KNOWN = knowledge(
    RAMP,
    KEEPER,
    HOVER,
    APPTS,
    REMEDY,
    USED,
    profiles={
        KEEPER.fqn: profiled(KEEPER, {"keeper_name": ["Ada", "Bert"], "town": ["Hove", "Rye"]}),
        HOVER.fqn: profiled(HOVER, {"craft_name": ["Puffin", "Skua"]}),
        APPTS.fqn: profiled(APPTS, {"reason": ["new skirt", "leak"]}),
        REMEDY.fqn: profiled(REMEDY, {"remedy_desc": ["New skirt", "Patching", "Repainting"]}),
    },
)


def sql(text: str) -> str:
    """Return what the planner writes for a question, without the quotes of names."""
    return drafted(text, KNOWN).sql.replace('"', "")


def test_the_older_has_more_years_of_age() -> None:
    assert "age_yrs > 5" in sql("hovercraft older than 5")
    assert "age_yrs DESC" in sql("What is the town of the keeper of the oldest hovercraft?")


def test_a_short_name_of_a_table_in_the_plural_is_read() -> None:
    assert "FROM appts" in sql("How many appointments are there?")
    assert "COUNT(*) >= 4" in sql("Which hovercraft have had at least four appointments?")


def test_what_is_undone_is_not_done() -> None:
    assert sql("How many appointments are unsettled?").endswith("WHERE settled_on IS NULL")
    assert "settled_on IS NULL" in sql("List the unsettled appointments with their fee.")
    assert "settled_on IS NULL" in sql("What is the total fee of the unsettled appointments?")


def test_an_unknown_verb_before_a_name_is_not_passed_over() -> None:
    found = asked("Who insures Puffin?", KNOWN)
    assert not isinstance(found, QueryDraft) or found.confidence < 0.8


PORT = table("harbour", "harbour_id*:INTEGER harbour_name coast")
TRIP = table("crossing", "crossing_id*:INTEGER origin_harbour_id:INTEGER target_harbour_id:INTEGER sailed_on:DATE")
BOTH_ENDS = knowledge(PORT, TRIP, profiles={PORT.fqn: profiled(PORT, {"harbour_name": ["Rye", "Hove"]})})


def ends(text: str) -> str:
    """Return what the planner writes of crossings between two harbours."""
    return drafted(text, BOTH_ENDS).sql.replace('"', "")


def test_two_rows_of_one_table_are_shown_by_the_parts_that_they_play() -> None:
    for text in (
        "Show the date, the origin harbour and the target harbour of every crossing.",
        "Show the date, the name of the origin harbour and the name of the target harbour of each crossing.",
    ):
        written = ends(text)
        assert "sailed_on, harbour.harbour_name, harbour_2.harbour_name" in written
        assert "origin_harbour_id = harbour.harbour_id" in written
        assert "target_harbour_id = harbour_2.harbour_id" in written


def test_rows_are_grouped_by_the_parts_that_others_play() -> None:
    written = ends("Which target harbour has the most crossings?")
    assert "target_harbour_id = harbour.harbour_id" in written
    assert "ORDER BY COUNT(*) DESC" in written
    written = ends("Count the crossings for each origin and target coast.")
    assert "GROUP BY harbour_2.coast, harbour.coast" in written


def test_an_average_per_row_is_no_figure_of_single_rows() -> None:
    written = sql("average fee per appointment by reason")
    assert "GROUP BY reason" in written
    assert "appt_no" not in written


def test_both_of_two_values_stand_in_one_column() -> None:
    written = sql("Which hovercraft have had both a New skirt and a Repainting?")
    assert "reason" not in written
    assert written.count("remedy_desc") == 2


STAY = table("stay", "stay_id*:INTEGER guest_id:INTEGER begun_at:TIMESTAMP price:DOUBLE")
GUEST = table("guest", "guest_id*:INTEGER guest_name birth_date:DATE")
INN = knowledge(STAY, GUEST)


def test_days_of_moments_are_grouped_as_days() -> None:
    written = drafted("How many stays were begun per day?", INN).sql
    assert "DATE_TRUNC('DAY'" in written or "AS DATE)" in written


def test_a_month_of_what_is_summed_is_no_month_of_birth() -> None:
    written = drafted("Total price by guest and by month", INN).sql
    assert "birth_date" not in written
    assert "begun_at" in written


def test_rows_of_those_that_have_several_of_them() -> None:
    written = sql("names of the hovercraft belonging to keepers with more than one hovercraft")
    assert "keeper_no IN (" in written
    assert "HAVING COUNT(*) > 1" in written


def test_how_many_at_the_end_counts_what_was_named() -> None:
    assert sql("appointments without a reason - how many?").startswith("SELECT COUNT(*)")


def test_from_a_year_on_is_every_year_since() -> None:
    written = drafted("price of the stays from 2021 on", INN).sql
    assert ">= CAST('2021-01-01'" in written
    assert "2022" not in written


def test_an_order_may_be_said_before_all_else() -> None:
    written = sql("oldest ramps first: name and district of the ramps")
    assert written.startswith("SELECT ramp_name, district FROM ramp ORDER BY opening_year ASC")
    assert "LIMIT" not in written


def test_all_rows_of_the_greatest_value_are_shown() -> None:
    written = sql("What are the names of all the hovercraft that have the highest number of seats?")
    assert "seats = (SELECT MAX(" in written
    assert "LIMIT" not in written
    assert "LIMIT 1" in sql("What is the name of the hovercraft with the highest number of seats?")


CLUB = table("club", "club_id*:INTEGER club_name founded_on:DATE")
ROWER = table("rower", "rower_id*:INTEGER rower_name club_id:INTEGER")
SWITCH = table("switching", "switching_id*:INTEGER rower_id:INTEGER left_club_id:INTEGER joined_club_id:INTEGER")
CLUBS = knowledge(CLUB, ROWER, SWITCH, profiles={CLUB.fqn: profiled(CLUB, {"club_name": ["Heron", "Otter"]})})


def test_from_one_to_the_other_is_not_either_of_them_without_a_doubt() -> None:
    found = asked("Which rowers went from Heron to Otter?", CLUBS)
    either = isinstance(found, QueryDraft) and " IN (" in found.sql
    assert not either or (isinstance(found, QueryDraft) and found.confidence < 0.8)


def test_a_time_that_two_have_in_common_is_doubted() -> None:
    found = asked("When did Heron row against Otter?", CLUBS)
    assert not isinstance(found, QueryDraft) or found.confidence < 0.8


def test_no_less_than_is_one_comparison() -> None:
    assert "age_yrs >= 5" in sql("Show the hovercraft whose age is no less than 5.")
    assert "age_yrs <= 9" in sql("hovercraft with an age of no more than 9")


def test_not_a_single_one_is_none() -> None:
    found = sql("Which keepers do not have a single hovercraft?")
    assert "NOT EXISTS" in found
    assert "single" not in found


def test_in_which_years_names_each_once() -> None:
    assert sql("In which towns do keepers live?").startswith("SELECT DISTINCT town")


def test_what_is_had_with_a_value_is_not_had_besides() -> None:
    people = table("sailors", "sailor_id*:INTEGER full_name cell_mobile_number")
    text = drafted("Which sailors have the cell phone number 0970016?", knowledge(people)).sql
    assert "IS NULL" not in text
    assert "'0970016'" in text


def test_what_somebody_has_is_asked_for_by_his_name() -> None:
    assert sql("What is Ada's age?") == "SELECT age_yrs FROM keepers WHERE keeper_name = 'Ada'"
    assert sql("Show Bert's town.").endswith("WHERE keeper_name = 'Bert'")


def test_a_value_goes_on_into_its_brackets() -> None:
    lodge = table("lodges", "lodge_id*:INTEGER lodge_name beds:INTEGER")
    asked_for: list[str] = []

    def lookup(columns: Sequence[ColumnKey], texts: Sequence[str]) -> list[FoundValue]:
        asked_for.extend(texts)
        return [FoundValue(one, "amber lodge (old)") for one in columns if "amber lodge (old)" in texts]

    found = asked("How many beds does amber lodge (old) have?", knowledge(lodge), lookup)
    assert "amber lodge (old)" in asked_for
    assert isinstance(found, QueryDraft)
    assert found.sql.endswith("= 'amber lodge (old)'")


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("songs longer than 5 minutes", "Milliseconds > 300000"),
        ("songs shorter than 90 seconds", "Milliseconds < 90000"),
        ("songs between 3 and 4 minutes", "Milliseconds BETWEEN 180000 AND 240000"),
        ("Which songs take more than 2 hours and 10 minutes?", "Milliseconds > 7800000"),
        ("files larger than 5 MB", "bytes > 5000000"),
    ],
)
def test_numbers_are_told_in_the_unit_of_the_column(question: str, condition: str) -> None:
    songs = table("songs", "song_id*:INTEGER song_name Milliseconds:INTEGER unit_price:DOUBLE")
    files = table("files", "file_id*:INTEGER file_name bytes:INTEGER")
    assert drafted(question, knowledge(songs, files)).sql.replace('"', "").endswith(f"WHERE {condition}")


@pytest.mark.parametrize(
    "text",
    [
        "What is the average length of songs in minutes?",
        "How long does a song last on average, in minutes?",
        "How many minutes does a song last on average?",
    ],
)
def test_an_answer_is_told_in_the_unit_that_is_asked_for(text: str) -> None:
    songs = knowledge(table("songs", "song_id*:INTEGER song_name Milliseconds:INTEGER"))
    found = drafted(text, songs)
    assert "AVG(" in found.sql
    assert "/ 60000" in found.sql
    assert "WHERE" not in found.sql
    assert "GROUP BY" not in found.sql


def test_what_has_no_unit_that_is_known_is_told_as_it_is_and_doubted() -> None:
    songs = table("songs", "song_id*:INTEGER song_name Milliseconds:INTEGER")
    found = asked("Which song is the longest in minutes?", knowledge(songs))
    assert not isinstance(found, QueryDraft) or found.confidence < UNSURE


def test_names_are_looked_up_before_other_texts() -> None:
    """A question may look at sixty columns: those by which rows are called come first."""
    notes = [
        table(f"logs_{letter}", f"log_id*:INTEGER {' '.join(f'{letter}_text_{at}' for at in range(12))}")
        for letter in "abcdef"
    ]
    sailors = table("zz_sailors", "sailor_id*:INTEGER first_name last_name weight:INTEGER")
    looked: list[str] = []

    def lookup(columns: Sequence[ColumnKey], texts: Sequence[str]) -> list[FoundValue]:
        looked.extend(one.column for one in columns)
        told = {"first_name": "Ann", "last_name": "Bly"}
        return [FoundValue(one, told[one.column]) for one in columns if told.get(one.column) in texts]

    found = asked("What is the weight of Ann Bly?", knowledge(*notes, sailors), lookup)
    assert {"first_name", "last_name"} <= set(looked[:60])
    assert isinstance(found, QueryDraft)
    assert "last_name" in found.sql


def test_whose_telephone_is_his_own() -> None:
    """It stands in his table, under a longer name, though another table calls it just so and shares a postal code."""
    crew = table("crew", "crew_id*:INTEGER first_name home_phone postal_code")
    shops = table("shops", "shop_id*:INTEGER shop_name phone postal_code")
    known = knowledge(crew, shops, profiles={crew.fqn: profiled(crew, {"first_name": ["Nora", "Olaf"]})})
    assert drafted("What is Nora's phone?", known).sql.replace('"', "") == (
        "SELECT home_phone FROM crew WHERE first_name = 'Nora'"
    )


def test_out_of_something_is_none_of_it() -> None:
    goods = table("goods", "good_id*:INTEGER good_name units_in_stock:INTEGER")
    found = asked("Which goods are out of stock?", knowledge(goods))
    assert isinstance(found, QueryDraft)
    assert "WHERE" in found.sql
