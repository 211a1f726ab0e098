"""Defines when a schedule fires: cron expressions and single moments in IANA time zones, clock changes included.

A cron that names hours means wall-clock times: one that the clocks skip fires once, at the first moment after the gap,
and one that they repeat fires once, at its first occurrence. A cron for every hour of the day follows real time, so it
misses no real hour and counts the repeated one twice. (So do Debian's cron and most others.) Days of the month and of
the week are joined as cron has always joined them: with OR when both are given, with AND when one starts with `*`.
"""

import functools
import itertools
import zoneinfo
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from schema.utils.schedule import ScheduleTiming, ScheduleType

_NO_PLACES = {"localtime", "Factory"}
_SECOND, _HALF_DAY = timedelta(seconds=1), timedelta(hours=12)
_DAY_HOURS = set(range(24))


class BadTiming(ValueError):
    """A timing that means nothing: `field` is what is wrong, the text a sentence for a person."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Due:
    """Holds what is to be done about a schedule whose time has come."""

    fires: datetime | None
    """The moment to fire for, if one is recent enough."""
    missed: datetime | None
    """The first moment that is passed over, if any is."""
    next: datetime | None
    """When it fires after that; None for never."""


def zone_of(name: str) -> ZoneInfo:
    """The time zone of that name. Raises BadTiming."""
    if name not in _zones():
        raise BadTiming("timezone", f"{name!r} is not an IANA time zone. Use a name such as Europe/Berlin or UTC.")
    return ZoneInfo(name)


def check_timing(timing: ScheduleTiming, now: datetime) -> None:
    """Raise BadTiming for a timing that will never fire, or that says too much or too little."""
    zone = zone_of(timing.timezone)
    if timing.type is ScheduleType.CRON:
        if timing.cron is None:
            raise BadTiming("cron", "A CRON schedule needs cron, such as 0 6 * * 1-5.")
        if timing.run_at is not None:
            raise BadTiming("run_at", "A CRON schedule takes no run_at. Use the type ONE_OFF for a single moment.")
        if next(_cron(timing.cron, zone, now), None) is None:
            raise BadTiming("cron", f"{timing.cron!r} names a day that no calendar has, so it would never fire.")
        return
    if timing.run_at is None:
        raise BadTiming("run_at", "A ONE_OFF schedule needs run_at, the moment to fire at.")
    if timing.cron is not None:
        raise BadTiming("cron", "A ONE_OFF schedule takes no cron. Use the type CRON to fire again and again.")
    if timing.run_at <= now:
        raise BadTiming("run_at", "run_at lies in the past. Name a moment that is still to come.")


def firings(timing: ScheduleTiming, after: datetime) -> Iterator[datetime]:
    """The moments after `after` at which a timing that was checked fires, in UTC and in order."""
    if timing.type is ScheduleType.ONE_OFF:
        return iter([timing.run_at] if timing.run_at is not None and timing.run_at > after else [])
    assert timing.cron is not None
    return _cron(timing.cron, zone_of(timing.timezone), after)


def due(timing: ScheduleTiming, first: datetime, now: datetime, patience: timedelta) -> Due:
    """Return what to do now about a timing whose moment `first` has come.

    The latest moment that has passed is fired for, once, when it is at most `patience` ago. All others are passed over:
    a platform that stood still catches up with one firing, not with a storm of them.
    """
    start = max(first, now - patience)
    latest, coming = None, None
    for moment in itertools.chain([first] if first >= start else [], firings(timing, max(first, start - _SECOND))):
        if moment > now:
            coming = moment
            break
        if moment >= start:
            latest = moment
    return Due(latest, None if first == latest else first, coming)


def moment_of(local: datetime, zone: ZoneInfo) -> datetime:
    """The moment, in UTC, of a local time without a zone: the first when there are two, the next when there is none."""
    moment = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == local:
        return moment
    # Skipped by the clocks: read with the offset from after the gap it lies before it, and the other way round.
    return _change(zone, local.replace(tzinfo=zone, fold=1).astimezone(UTC), moment) or moment


def _cron(expression: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """The moments of a cron expression. Raises BadTiming at once for what is none."""
    fields = expression.split()
    if len(fields) != 5:
        raise BadTiming(
            "cron", f"A cron expression has five fields (minute hour day month weekday), not {len(fields)}."
        )
    local = _local(after, zone)
    try:
        if CronSim(expression, local).hours == _DAY_HOURS:
            return _real_time(expression, zone, after)
        return _wall_clock(CronSim(expression, local), zone, after)
    except (CronSimError, AssertionError, TypeError, ValueError):
        # The library's own words name the field at best; for odd mixtures such as L/2 it trips over itself.
        raise BadTiming(
            "cron",
            f"{expression!r} is not a cron expression: five fields of numbers, names, *, ranges (1-5), lists (1,3) and "
            "steps (*/15).",
        ) from None


def _wall_clock(times: Iterator[datetime], zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    for local in times:
        moment = moment_of(local, zone)
        if moment > after:
            after = moment
            yield moment


def _real_time(expression: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """Every moment at which the clocks show what the expression says, from one change of the clocks to the next."""
    local = _local(after, zone)
    offset = local - after.replace(tzinfo=None)
    while True:
        for candidate in CronSim(expression, local):
            moment = (candidate - offset).replace(tzinfo=UTC)
            change = _change(zone, after, moment)
            if change is not None:
                break
            yield moment
            after = moment
        else:
            return
        after, local = change, _local(change, zone)
        offset = local - after.replace(tzinfo=None)
        local -= _SECOND  # what fires at the very moment of the change counts as well


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _change(zone: ZoneInfo, start: datetime, end: datetime) -> datetime | None:
    """The first moment after `start`, and not after `end`, at which the clocks are set differently; to the second."""

    def offset(moment: datetime) -> timedelta | None:
        return moment.astimezone(zone).utcoffset()

    known = offset(start)
    while start < end:
        step = min(start + _HALF_DAY, end)
        if offset(step) != known:
            while step - start > _SECOND:
                middle = (start + (step - start) / 2).replace(microsecond=0)
                start, step = (start, middle) if offset(middle) != known else (middle, step)
            return step
        start = step
    return None


@functools.cache
def _zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones() - _NO_PLACES)
