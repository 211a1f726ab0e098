"""Times of the day, of moments and of columns that hold nothing else."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, table

GUIDES = table("guides", "guide_id*:INTEGER guide_name")
TOURS = keyed(
    table("tours", "tour_id*:INTEGER guide_id:INTEGER starts_at:TIMESTAMP booked_on:DATE guests:INTEGER"),
    guide_id="guides.guide_id",
)
DESKS = table("desks", "desk_id*:INTEGER desk_name opening_time:TIME")
KNOWN = knowledge(GUIDES, TOURS, DESKS, profiles={}, dialect="duckdb")
DAYS = knowledge(table("fairs", "fair_id*:INTEGER fair_name held_on:DATE"), profiles={}, dialect="duckdb")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Which tours start after 6pm?", "CAST(starts_at AS TIME) > CAST('18:00:00' AS TIME)"),
        ("Which tours are after 6 p.m.?", "CAST(starts_at AS TIME) > CAST('18:00:00' AS TIME)"),
        ("How many tours start before noon?", "CAST(starts_at AS TIME) < CAST('12:00:00' AS TIME)"),
        ("How many tours start at 9 o'clock?", "CAST(starts_at AS TIME) = CAST('09:00:00' AS TIME)"),
        (
            "How many tours start between 9:30am and 11am?",
            "CAST(starts_at AS TIME) BETWEEN CAST('09:30:00' AS TIME) AND CAST('11:00:00' AS TIME)",
        ),
        ("Which guides have tours after 18:00?", "CAST(tours.starts_at AS TIME) > CAST('18:00:00' AS TIME)"),
    ],
)
def test_a_time_of_the_day_is_compared_with_that_of_a_moment(text: str, part: str) -> None:
    draft = drafted(text, KNOWN)
    assert part in draft.sql.replace('"', "")
    assert draft.confidence > 0.8
    assert "time of the day" in draft.reading


def test_a_column_of_times_is_compared_as_it_is() -> None:
    assert "opening_time < '08:00" in drafted("Which desks have an opening time before 8am?", KNOWN).sql.replace(
        '"', ""
    )


def test_days_tell_no_time_of_the_day() -> None:
    outcome = asked("Which fairs are after 6pm?", DAYS)
    assert not isinstance(outcome, QueryDraft) or outcome.confidence < 0.5


def test_the_beginning_of_what_happens_is_when_it_was() -> None:
    draft = drafted("How many tours were there in March 2024?", KNOWN)
    assert "starts_at >= CAST('2024-03-01' AS TIMESTAMP)" in draft.sql.replace('"', "")
    assert draft.confidence > 0.8
    people = table("wardens", "warden_id*:INTEGER warden_name start_date:DATE")
    outcome = asked("How many wardens were there in March 2024?", knowledge(people, profiles={}))
    assert not isinstance(outcome, QueryDraft) or outcome.confidence <= 0.5
