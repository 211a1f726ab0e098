"""Days that stand for none, which many rows have and no others are near, and days to come where all others are past."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from resolvers.engines.english.identifiers import words_of
from resolvers.engines.english.vocabulary import words
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.missing import PLACEHOLDER_DATES
from resolvers.engines.error_detection.table import TableColumn

FIRST_OF_CLOCKS: Final = ("1970-01-01", "1901-01-01", "1904-01-01", "1753-01-01", "1800-01-01", "2099-12-31")
"""Days with which clocks and programs begin or end. They may be meant, unless far more rows have one than any other."""
FEWEST: Final = 5
"""Rows that have such a day, at least, and how many times as many as have any other day."""
MOST: Final = 0.3
"""The share of the rows, at most: a day that more have is how the column tells none."""
TO_COME: Final = 0.01
"""The share of the days that are to come, at most, where the others are past."""
FAR: Final = 366.0
APART: Final = 0.2
"""How far from today and from the last of the others they lie, at least, in days, and as a part of the usual span."""

ENOUGH: Final = 50
WEEKS: Final = 60.0
NEAR: Final = 7.0
MOST_EXCHANGED: Final = 0.1
"""Days, at least, and how far apart nearly all of them lie, at most, for those with day and month exchanged to be told;
how near to these one may lie, in days; and the share of the rows, at most, that have one."""

_EVER: Final = words("valid effective from to until till end expiry expires expiration start since")
"""Words of bounds: such a day is how many tables write for ever."""
_STRICT: Final = frozenset(date.fromisoformat(one).toordinal() for one in PLACEHOLDER_DATES)
_ANY: Final = _STRICT | {date.fromisoformat(one).toordinal() for one in FIRST_OF_CLOCKS}

Weighed = Sequence[tuple[float, int, int]]
"""The days of a column in order, with how many rows have each, and its code."""


def placeholder_day_signs(column: TableColumn, weighed: Weighed) -> dict[int, Reason]:
    """For each code that is a day which stands for none, why."""
    if _EVER & {word.lower() for word in words_of(column.name).words}:
        return {}
    often = max((count for day, count, _ in weighed if day not in _ANY), default=0)
    days = sum(count for _, count, _ in weighed)
    found = {}
    for day, count, code in weighed:
        if day not in _ANY or not FEWEST <= count <= MOST * days:
            continue
        if count >= FEWEST * often or _lies_apart(day, weighed):
            told = f"{count} rows have it, and no other day near it more than {often}: it stands for none."
            found[code] = Reason(Sign.STAND_IN, 5.6 if day in _STRICT else 4.6, told)
    return found


def _lies_apart(day: float, weighed: Weighed) -> bool:
    """Return whether a day lies farther from nearly all others than these lie from one another, and is not near any."""
    others = [one for one, count, _ in weighed if one not in _ANY for _ in range(count)]
    if len(others) < FEWEST or min(abs(one - day) for one in others) <= FAR:
        return False
    low, high = others[len(others) // 50], others[-1 - len(others) // 50]
    return max(low - day, day - high) > max(FAR, high - low)


def exchanged_day_signs(values: Sequence[float], weighed: Weighed) -> dict[int, Reason]:
    """For each code of a day that lies beyond a few weeks in which all others lie, and would be among them with day
    and month exchanged, why.
    """
    if len(values) < ENOUGH:
        return {}
    low, high = values[len(values) // 10], values[-1 - len(values) // 10]
    found: dict[int, Reason] = {}
    rows = 0
    for ordinal, count, code in weighed if high - low <= WEEKS else ():
        day = date.fromordinal(int(ordinal))
        if low - NEAR <= ordinal <= high + NEAR or day.day > 12 or day.day == day.month:
            continue
        meant = date(day.year, day.day, day.month)
        if low - NEAR <= meant.toordinal() <= high + NEAR:
            rows += count
            told = f"With day and month exchanged it is {meant.isoformat()}, where nearly all others lie."
            found[code] = Reason(Sign.OUTLIER, 4.4, told)
    return found if rows <= MOST_EXCHANGED * len(values) else {}


def to_come_signs(weighed: Weighed, today: date) -> dict[int, Reason]:
    """For each code that is a day far ahead, where nearly all are past, why."""
    now = today.toordinal()
    past = [(day, count) for day, count, _ in weighed if day <= now]
    ahead = [one for one in weighed if one[0] > now]
    days = sum(count for _, count in past)
    if not ahead or days < 50 or sum(count for _, count, _ in ahead) > max(2.0, TO_COME * days):
        return {}
    values = [day for day, count in past for _ in range(count)]
    span = values[-1 - len(values) // 20] - values[len(values) // 20]
    if ahead[0][0] - past[-1][0] < max(FAR, APART * span) or ahead[0][0] - now < FAR:
        return {}
    reason = Reason(Sign.OUTLIER, 4.6, "It is to come, and nearly all others are past.")
    return {code: reason for _, _, code in ahead}
