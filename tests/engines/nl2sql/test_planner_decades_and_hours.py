"""Spans of time beyond the calendar's: decades and hours of the day; and who did something last."""

import pytest

from resolvers.engines.nl2sql.model import Knowledge, Unanswerable
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, profiled, table

GUEST = table("guests", "guest_id*:INTEGER guest_name")
VISIT = keyed(
    table("visits", "visit_id*:INTEGER guest_id:INTEGER arrived_at:TIMESTAMP paid:DECIMAL note"),
    guest_id="guests.guest_id",
)
ALBUM = table("albums", "album_id*:INTEGER title release_year:INTEGER price:DECIMAL")
MUSEUM = table("museums", "museum_id*:INTEGER museum_name opened_on:DATE")
KNOWN = Knowledge(
    (GUEST, VISIT, ALBUM, MUSEUM),
    profiles={GUEST.fqn: profiled(GUEST, {"guest_name": ["Ada Moss", "Otto Lind"]})},
)


def sql(text: str) -> str:
    """The statement for a question, without quotes."""
    return drafted(text, KNOWN).sql.replace('"', "")


def test_years_are_put_together_by_decade() -> None:
    text = sql("How many albums were there per decade?")
    assert text.startswith("SELECT COUNT(*)")
    assert "GROUP BY release_year - (release_year) % 10" in text


def test_dates_are_put_together_by_decade() -> None:
    assert "GROUP BY EXTRACT(YEAR FROM opened_on) - (EXTRACT(YEAR FROM opened_on)) % 10" in sql("museums by decade")
    assert drafted("museums by decade", KNOWN).reading == "The number of museums for each decade of the opened on."


@pytest.mark.parametrize("text", ["How many visits by hour?", "number of visits for each hour of the day"])
def test_moments_are_put_together_by_the_hour_of_the_day(text: str) -> None:
    assert "GROUP BY EXTRACT(HOUR FROM arrived_at)" in sql(text)


def test_days_do_not_tell_the_hour() -> None:
    outcome = asked("Which hour of the day has the most museums?", KNOWN)
    assert isinstance(outcome, Unanswerable)
    assert outcome.message == "The dates do not tell the time of the day."


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("When did Ada Moss visit last?", "ORDER BY visits.arrived_at DESC NULLS LAST LIMIT 1"),
        ("When did Ada Moss visit first?", "ORDER BY visits.arrived_at ASC LIMIT 1"),
        ("Which guest visited most recently?", "ORDER BY visits.arrived_at DESC NULLS LAST LIMIT 1"),
        ("Which guest visited last?", "ORDER BY visits.arrived_at DESC NULLS LAST LIMIT 1"),
    ],
)
def test_the_last_time_is_one_row(text: str, order: str) -> None:
    assert sql(text).endswith(order)
