"""Words that are not spelled as the data spells them: other forms of values, kinds of rows, texts that mention them."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

COACH = table("coaches", "coach_id*:INTEGER first_name last_name annual_wage:DOUBLE retired_on:DATE club_id:INTEGER")
CLUB = table("clubs", "club_id*:INTEGER club_name has_sauna:BOOLEAN founded_year:INTEGER")
LESSON = table(
    "lessons",
    "lesson_id*:INTEGER marshal_id:INTEGER club_id:INTEGER category given_on:DATE price:DOUBLE remark stars:INTEGER",
)
BILL = table("bills", "bill_id*:INTEGER lesson_id:INTEGER state billed_on:DATE total:DOUBLE")
SPORT = knowledge(
    keyed(COACH, club_id="clubs.club_id"),
    CLUB,
    keyed(LESSON, marshal_id="coaches.coach_id", club_id="clubs.club_id"),
    keyed(BILL, lesson_id="lessons.lesson_id"),
    profiles={
        BILL.fqn: profiled(BILL, {"state": ["paid", "part_paid", "written_off", "overdue"]}),
        LESSON.fqn: profiled(LESSON, {"category": ["Rowing", "Judo", "Fencing"]}),
        COACH.fqn: profiled(COACH, {"first_name": ["Ann", "Bo"], "last_name": ["Lee", "Ray"]}),
    },
)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("How many bills did we write off?", "state = 'written_off'"),
        ("What is the total of the bills that we wrote off?", "state = 'written_off'"),
        ("How many bills are partly paid?", "state = 'part_paid'"),
        ("overdue bills", "state = 'overdue'"),
        ("How many coaches are not retired?", "retired_on IS NULL"),
        ("Which clubs offer a sauna?", "SELECT club_name FROM clubs WHERE has_sauna"),
        ("What is the average yearly wage?", "AVG(annual_wage)"),
        ("Total price per year", "EXTRACT(YEAR FROM given_on)"),
        ("What kinds of lessons are there?", "DISTINCT category FROM lessons"),
        ("How many kinds of lessons are there?", "COUNT(DISTINCT category)"),
        ("Show the remarks that mention boats", "LOWER(remark) LIKE '%boat%'"),
        ('Show the remarks that contain "wet"', "LOWER(remark) LIKE '%wet%'"),
        ("Which lessons cost more than 20? Give the category as well.", "price > 20"),
    ],
)
def test_words_stand_for_values_in_another_form(question: str, part: str) -> None:
    assert part in drafted(question, SPORT).sql.replace('"', "")


def test_who_plays_a_part_is_told_by_the_whole_name() -> None:
    sql = drafted("Who are the marshals?", SPORT).sql.replace('"', "")
    assert "coaches.first_name, coaches.last_name" in sql


def test_a_number_that_is_asked_for_last_is_told_with_whose_it_is() -> None:
    sql = drafted("Which three clubs have the most lessons? Give the number as well.", SPORT).sql.replace('"', "")
    assert sql.startswith("SELECT clubs.club_name, COUNT(*)")


HARBOUR = table("harbours", "harbour_id*:INTEGER harbour_name opened_year:INTEGER")
BOAT = table("boats", "boat_id*:INTEGER boat_name home_harbour:INTEGER capacity:INTEGER built_year:INTEGER")
VOYAGE = table("voyages", "voyage_id*:INTEGER boat_id:INTEGER from_harbour:INTEGER to_harbour:INTEGER left_on:DATE")
CABIN = table("cabins", "cabin_id*:INTEGER boat_id:INTEGER cabin_type")
SEA = knowledge(
    HARBOUR,
    keyed(BOAT, home_harbour="harbours.harbour_id"),
    keyed(VOYAGE, boat_id="boats.boat_id", from_harbour="harbours.harbour_id", to_harbour="harbours.harbour_id"),
    keyed(CABIN, boat_id="boats.boat_id"),
    profiles={
        HARBOUR.fqn: profiled(HARBOUR, {"harbour_name": ["Oslo", "Kiel"]}),
        BOAT.fqn: profiled(BOAT, {"boat_name": ["Aurora", "B. Smith"]}),
        CABIN.fqn: profiled(CABIN, {"cabin_type": ["Suite", "Inside"]}),
    },
)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("How many boats have made a voyage starting in Oslo?", "from_harbour = harbours.harbour_id"),
        ("Which boats have voyages to Kiel?", "to_harbour = harbours.harbour_id"),
        ("Which voyages from the harbour Oslo were there in 2022?", "left_on BETWEEN"),
        ("Which boats contain cabins of type Suite?", "cabin_type = 'Suite'"),
        ("List the boats whose name starts with the letter A or B", "LIKE 'b%'"),
    ],
)
def test_rows_are_joined_and_dated_as_the_words_say(question: str, part: str) -> None:
    sql = drafted(question, SEA).sql.replace('"', "")
    assert part in sql
    assert sql.count("_harbour = harbours.harbour_id") <= 1  # never along both keys of a voyage at once


def test_what_counts_single_things_adds_nothing() -> None:
    kit = table("equipment", "equipment_id*:INTEGER equipment_name price:DOUBLE")
    assert "LIMIT 3" in drafted("What are the three most expensive pieces of equipment?", knowledge(kit)).sql
