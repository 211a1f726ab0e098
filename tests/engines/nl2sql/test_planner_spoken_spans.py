"""Times and amounts as they are spoken, and whom who asks for by what was done."""

from datetime import date

import pytest

from resolvers.engines.nl2sql.language.spoken_spans import since_when, spoken_spans
from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

PLAYERS = table("players", "player_id*:INTEGER player_name joined_on:DATE")
COURSES = keyed(
    table("courses", "course_id*:INTEGER course_name coach_id:INTEGER duration_minutes:INTEGER"),
    coach_id="coaches.coach_id",
)
COACHES = table("coaches", "coach_id*:INTEGER coach_name")
BOOKINGS = keyed(
    table("bookings", "booking_id*:INTEGER player_id:INTEGER course_id:INTEGER booked_at:TIMESTAMP"),
    player_id="players.player_id",
    course_id="courses.course_id",
)
CLUB = knowledge(
    PLAYERS, COURSES, COACHES, BOOKINGS,
    profiles={COURSES.fqn: profiled(COURSES, {"course_name": ["Tennis", "Squash"]})}, dialect="duckdb",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Which players joined more than a year ago?", "< CAST('2025-11-21' AS DATE)"),
        ("Which players joined over two years ago?", "< CAST('2024-11-21' AS DATE)"),
        ("Which players joined at least 3 months ago?", "< CAST('2026-08-22' AS DATE)"),
        ("Which players joined less than 10 days ago?", "> CAST('2026-11-11' AS DATE)"),
        ("Which players joined at most 10 days ago?", "> CAST('2026-11-10' AS DATE)"),
        ("Which courses are longer than an hour?", '"duration_minutes" > 60'),
        ("Which courses are under half an hour?", '"duration_minutes" < 30'),
        ("Which courses are at least an hour long?", '"duration_minutes" >= 60'),
    ],
)
def test_spoken_times_are_days_and_numbers(text: str, condition: str) -> None:
    assert drafted(text, CLUB).sql.endswith(condition)


@pytest.mark.parametrize(
    "text",
    [
        "more than many years ago", "more than 3.5 years ago", "over 999 years ago", "over 900000 years ago",
        "over 0 days ago",
    ],
)  # fmt: skip
def test_what_is_no_day_of_the_calendar_is_left_as_it_is(text: str) -> None:
    assert since_when(text, date(200, 1, 1)) == text


def test_other_words_are_left_as_they_are() -> None:
    for text in ("a pound of flour", "more than a third of them", "once a year", "over a year ago"):
        assert spoken_spans(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Who has booked the most courses?", "Who has never booked a course?", "Who booked tennis but not squash?",
    ],
)  # fmt: skip
def test_who_did_it_is_told_by_the_rows_of_what_was_done(text: str) -> None:
    sql = drafted(text, CLUB).sql
    assert sql.startswith('SELECT "players"."player_name" FROM "players"')
    assert "bookings" in sql
    assert "coach" not in sql


DESK = knowledge(
    keyed(
        table("tickets", "ticket_id*:INTEGER agent_id:INTEGER topic opened_at:TIMESTAMP closed_at:TIMESTAMP"),
        agent_id="agents.agent_id",
    ),
    table("agents", "agent_id*:INTEGER full_name hired_on:DATE"),
    keyed(
        table("invoices", "invoice_id*:INTEGER agent_id:INTEGER amount:DOUBLE paid_on:DATE cancelled:BOOLEAN"),
        agent_id="agents.agent_id",
    ),
    dialect="duckdb",
)


def test_what_has_been_so_the_longest_was_so_first() -> None:
    assert drafted("Which tickets have been open the longest?", DESK).sql.endswith('ORDER BY "opened_at" ASC LIMIT 1')


def test_a_verb_before_what_it_was_done_to_is_not_shown() -> None:
    sql = drafted("Which agent closed the most tickets?", DESK).sql
    assert sql.startswith('SELECT "agents"."full_name"')


def test_an_amount_that_was_paid_is_no_date() -> None:
    draft = drafted("How much did agents pay in 2023?", DESK)
    assert 'SUM("invoices"."amount")' in draft.sql or 'SUM("amount")' in draft.sql
    assert "2023" in draft.sql


def test_what_is_so_is_counted_where_it_is_true() -> None:
    sql = drafted("Which agent had the most cancellations?", DESK).sql
    assert "TRUE" in sql
    assert "ORDER BY COUNT(*) DESC" in sql
