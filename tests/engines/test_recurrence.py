"""When schedules fire: time zones, the hours that clocks skip and repeat, what never fires, what was missed."""

import contextlib
import itertools
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.engines.recurrence import BadTiming, check_timing, due, firings, moment_of, zone_of
from schema.utils.schedule import ScheduleTiming, ScheduleType

NOW = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)


def cron(expression: str, zone: str = "UTC") -> ScheduleTiming:
    """A CRON timing."""
    return ScheduleTiming(type=ScheduleType.CRON, cron=expression, timezone=zone)


def one_off(moment: datetime | None, zone: str = "UTC") -> ScheduleTiming:
    """A ONE_OFF timing."""
    return ScheduleTiming(type=ScheduleType.ONE_OFF, run_at=moment, timezone=zone)


def fired(expression: str, zone: str, start: str, end: str) -> list[str]:
    """Return what fires from one UTC moment to another, both excluded, in UTC."""
    after, before = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (start, end))
    moments = itertools.takewhile(lambda moment: moment < before, firings(cron(expression, zone), after))
    return [moment.strftime("%d %H:%M") for moment in moments]


@pytest.mark.parametrize(
    ("expression", "zone", "start", "end", "expected"),
    [
        # Berlin, 29 March 2026: 02:00 to 03:00 does not exist; 03:00 is 01:00 UTC.
        ("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00", "2026-03-30T12:00", ["28 01:30", "29 01:00", "30 00:30"]),
        ("0 2 * * *", "Europe/Berlin", "2026-03-28T12:00", "2026-03-29T12:00", ["29 01:00"]),
        ("0,15,30,45 2 * * *", "Europe/Berlin", "2026-03-29T00:00", "2026-03-29T12:00", ["29 01:00"]),
        ("*/15 2 * * *", "Europe/Berlin", "2026-03-29T00:00", "2026-03-29T12:00", ["29 01:00"]),
        ("30 2,3 * * *", "Europe/Berlin", "2026-03-29T00:00", "2026-03-29T12:00", ["29 01:00", "29 01:30"]),
        ("0 2,3 * * *", "Europe/Berlin", "2026-03-29T00:00", "2026-03-29T12:00", ["29 01:00"]),
        ("0 */2 * * *", "Europe/Berlin", "2026-03-28T22:30", "2026-03-29T03:00", ["28 23:00", "29 01:00", "29 02:00"]),
        ("30 * * * *", "Europe/Berlin", "2026-03-28T23:45", "2026-03-29T02:45", ["29 00:30", "29 01:30", "29 02:30"]),
        ("0 0-23 * * *", "Europe/Berlin", "2026-03-28T23:30", "2026-03-29T02:30", ["29 00:00", "29 01:00", "29 02:00"]),
        # Berlin, 25 October 2026: 02:00 to 03:00 happens twice, from 00:00 UTC and from 01:00 UTC.
        ("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00", "2026-10-26T12:00", ["25 00:30", "26 01:30"]),
        ("*/30 2 * * *", "Europe/Berlin", "2026-10-24T12:00", "2026-10-25T12:00", ["25 00:00", "25 00:30"]),
        ("0 3 * * *", "Europe/Berlin", "2026-10-24T12:00", "2026-10-25T12:00", ["25 02:00"]),
        ("0 * * * *", "Europe/Berlin", "2026-10-24T23:30", "2026-10-25T02:30", ["25 00:00", "25 01:00", "25 02:00"]),
        ("*/20 * * * *", "Europe/Berlin", "2026-10-25T00:30", "2026-10-25T01:30", ["25 00:40", "25 01:00", "25 01:20"]),
        # New York, 8 March 2026: 02:00 to 03:00 does not exist (07:00 UTC); 1 November: 01:00 to 02:00 happens twice.
        ("15 2 * * *", "America/New_York", "2026-03-07T12:00", "2026-03-09T12:00", ["08 07:00", "09 06:15"]),
        (
            "15 * * * *",
            "America/New_York",
            "2026-03-08T06:00",
            "2026-03-08T08:30",
            ["08 06:15", "08 07:15", "08 08:15"],
        ),
        ("15 1 * * *", "America/New_York", "2026-10-31T12:00", "2026-11-02T12:00", ["01 05:15", "02 06:15"]),
        (
            "15 * * * *",
            "America/New_York",
            "2026-11-01T05:00",
            "2026-11-01T07:30",
            ["01 05:15", "01 06:15", "01 07:15"],
        ),
        ("0 9 * * 1-5", "America/New_York", "2026-03-06T00:00", "2026-03-10T00:00", ["06 14:00", "09 13:00"]),
        # Lord Howe shifts by half an hour: 4 October 2026 02:00 to 02:30 does not exist (15:30 UTC the day before);
        # 5 April 2026 01:30 to 02:00 happens twice (from 14:30 and from 15:00 UTC the day before).
        ("15 2 * * *", "Australia/Lord_Howe", "2026-10-02T20:00", "2026-10-04T20:00", ["03 15:30", "04 15:15"]),
        ("30 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00", "2026-10-03T20:00", ["03 15:30"]),
        ("0,30 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00", "2026-10-03T20:00", ["03 15:30"]),
        ("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00", "2026-04-05T20:00", ["04 14:45", "05 15:15"]),
        (
            "45 * * * *",
            "Australia/Lord_Howe",
            "2026-04-04T14:00",
            "2026-04-04T16:30",
            ["04 14:45", "04 15:15", "04 16:15"],
        ),
        (
            "*/15 * * * *",
            "Australia/Lord_Howe",
            "2026-10-03T15:10",
            "2026-10-03T15:50",
            ["03 15:15", "03 15:30", "03 15:45"],
        ),
        # Samoa left out 30 December 2011 altogether.
        ("0 12 30 12 *", "Pacific/Apia", "2011-12-29T00:00", "2012-01-02T00:00", ["30 10:00"]),
        # Days of month and week: OR, unless one of them starts with a star.
        ("0 0 13 * 5", "UTC", "2026-02-10T00:00", "2026-02-21T00:00", ["13 00:00", "20 00:00"]),
        ("0 0 */2 * 5", "UTC", "2026-02-01T00:00", "2026-02-28T00:00", ["13 00:00", "27 00:00"]),
        ("0 0 29 2 *", "UTC", "2026-01-01T00:00", "2029-01-01T00:00", ["29 00:00"]),
        ("0 0 * jan sun", "UTC", "2026-01-01T00:00", "2026-01-12T00:00", ["04 00:00", "11 00:00"]),
        ("0 0 * * 7", "UTC", "2026-01-01T00:00", "2026-01-12T00:00", ["04 00:00", "11 00:00"]),
    ],
)
def test_a_cron_fires_when_the_clocks_on_the_wall_say_so(
    expression: str, zone: str, start: str, end: str, expected: list[str]
) -> None:
    assert fired(expression, zone, start, end) == expected


def test_the_next_firing_is_later_than_the_moment_asked_from_to_the_microsecond() -> None:
    at = datetime(2026, 5, 1, 6, 0, tzinfo=UTC)
    assert next(firings(cron("0 6 * * *"), at - timedelta(microseconds=1))) == at
    assert next(firings(cron("0 6 * * *"), at)) == at + timedelta(days=1)
    assert next(firings(cron("* * * * *"), at)) == at + timedelta(minutes=1)
    assert next(firings(cron("* * * * *"), at + timedelta(microseconds=1))) == at + timedelta(minutes=1)


ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Kathmandu")
MOMENTS = st.integers(int(datetime(2015, 1, 1, tzinfo=UTC).timestamp()), int(NOW.timestamp())).map(
    lambda seconds: datetime.fromtimestamp(seconds, UTC)
)
EXPRESSIONS = st.sampled_from(
    ["0 2 * * *", "30 1,2 * * *", "*/7 * * * *", "0 */3 * * *", "59 23 L * *", "5 0 * * 0", "* 2 * * *", "0 0 1 * *"]
)


@given(EXPRESSIONS, st.sampled_from(ZONES), MOMENTS)
def test_firings_are_in_order_and_do_not_depend_on_where_one_starts_to_look(
    expression: str, zone: str, start: datetime
) -> None:
    moments = list(itertools.islice(firings(cron(expression, zone), start), 6))
    assert moments == sorted(set(moments))
    assert moments[0] > start
    for earlier, later in itertools.pairwise(moments):
        assert next(firings(cron(expression, zone), earlier)) == later
        assert next(firings(cron(expression, zone), later - timedelta(microseconds=1))) == later


@given(st.sampled_from(ZONES), MOMENTS)
def test_a_local_time_is_the_moment_at_which_clocks_show_it_or_the_end_of_the_gap_that_it_lies_in(
    zone: str, moment: datetime
) -> None:
    place, local = zone_of(zone), moment.replace(tzinfo=None, microsecond=0)
    found = moment_of(local, place)
    shown = found.astimezone(place).replace(tzinfo=None)
    assert shown >= local
    if shown != local:  # a gap ends here: a second earlier the clocks showed less than the time that was looked for
        assert (found - timedelta(seconds=1)).astimezone(place).replace(tzinfo=None) < local


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * * 8",
        "5-1 * * * *",
        "*/0 * * * *",
        "a b c d e",
        "-1 * * * *",
        "@daily",
        "0 0 * * MON#6",
        "0 0 * * 1#2/3",
        "0 0 L/2/3,1-5 * *",
        "\u0663 * * * *",
    ],
)
def test_what_is_no_cron_expression_is_refused(expression: str) -> None:
    with pytest.raises(BadTiming) as refused:
        check_timing(cron(expression), NOW)
    assert refused.value.field == "cron"


@pytest.mark.parametrize("expression", ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 31 2 *"])
def test_a_cron_for_a_day_that_no_calendar_has_is_refused(expression: str) -> None:
    with pytest.raises(BadTiming) as refused:
        check_timing(cron(expression), NOW)
    assert refused.value.field == "cron"


@given(st.text(alphabet="0123456789*/-,#LW ", min_size=9, max_size=25))
def test_any_text_is_either_a_cron_expression_that_fires_or_refused(expression: str) -> None:
    timing = cron(expression, "Europe/Berlin")
    with contextlib.suppress(BadTiming):
        check_timing(timing, NOW)
        assert next(firings(timing, NOW)) > NOW


@pytest.mark.parametrize(
    "zone", ["", "Berlin", "europe/berlin", "../etc/passwd", "/etc/localtime", "localtime", "+01:00"]
)
def test_what_is_no_time_zone_is_refused(zone: str) -> None:
    with pytest.raises(BadTiming) as refused:
        check_timing(cron("0 0 * * *", zone), NOW)
    assert refused.value.field == "timezone"


@pytest.mark.parametrize(
    ("timing", "field"),
    [
        (ScheduleTiming(type=ScheduleType.CRON), "cron"),
        (ScheduleTiming(type=ScheduleType.CRON, cron="0 0 * * *", run_at=NOW + timedelta(1)), "run_at"),
        (one_off(None), "run_at"),
        (ScheduleTiming(type=ScheduleType.ONE_OFF, cron="0 0 * * *", run_at=NOW + timedelta(1)), "cron"),
        (one_off(NOW), "run_at"),
        (one_off(NOW - timedelta(seconds=1)), "run_at"),
    ],
)
def test_a_timing_that_says_too_much_or_too_little_or_the_past_is_refused(timing: ScheduleTiming, field: str) -> None:
    with pytest.raises(BadTiming) as refused:
        check_timing(timing, NOW)
    assert refused.value.field == field


def test_a_single_moment_fires_once() -> None:
    at = NOW + timedelta(microseconds=1)
    check_timing(one_off(at), NOW)
    assert list(firings(one_off(at), NOW)) == [at]
    assert list(firings(one_off(at), at)) == []


HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("timing", "first", "now", "fires", "missed", "coming"),
    [
        ("0 * * * *", "06:00:00", "06:00:00", "06:00", None, "07:00"),
        ("0 * * * *", "06:00:00", "06:59:59", "06:00", None, "07:00"),
        ("0 * * * *", "06:00:00", "07:00:00", "07:00", "06:00", "08:00"),
        ("* * * * *", "01:00:00", "09:30:30", "09:30", "01:00", "09:31"),
        ("0 6 * * *", "06:00:00", "07:00:00", "06:00", None, "06:00"),
        ("0 6 * * *", "06:00:00", "07:00:01", None, "06:00", "06:00"),
        (None, "06:00:00", "07:00:00", "06:00", None, None),
        (None, "06:00:00", "07:00:01", None, "06:00", None),
    ],
)
def test_the_latest_missed_firing_is_made_up_for_when_it_is_recent_and_the_others_are_passed_over(
    timing: str | None, first: str, now: str, fires: str | None, missed: str | None, coming: str | None
) -> None:
    begin, end = (datetime.fromisoformat(f"2026-05-01T{text}+00:00") for text in (first, now))
    found = due(one_off(begin) if timing is None else cron(timing), begin, end, HOUR)

    def shown(moment: datetime | None) -> str | None:
        return None if moment is None else moment.strftime("%H:%M")

    assert (shown(found.fires), shown(found.missed), shown(found.next)) == (fires, missed, coming)
    assert found.next is None or found.next > end


def test_a_schedule_that_was_due_long_ago_is_judged_at_once() -> None:
    begin = datetime(2020, 1, 1, tzinfo=UTC)
    found = due(cron("* * * * *"), begin, NOW, HOUR)
    assert (found.fires, found.missed, found.next) == (NOW, begin, NOW + timedelta(minutes=1))
