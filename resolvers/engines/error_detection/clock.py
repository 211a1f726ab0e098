"""Times of the day that no clock shows: hours from 24, minutes and seconds from 60, where hardly any row has them."""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import TableColumn

FEWEST: Final = 40
"""Rows with a time, at least."""
MEANT: Final = 0.9
"""The share of the rows with a value that hold a time."""
MOST: Final = 0.02
"""The share of these, at most, that no clock shows."""
ENDS: Final = 8
"""How many times as many rows the last hours of a day have as those beyond, at least, if the day ends there."""

HALF_A_DAY: Final = 720
FEWEST_BETWEEN: Final = 120
"""Minutes between the usual times and those half a day off, at least."""
MOST_HALF: Final = 0.1
FEWEST_HALF: Final = 3
"""The share of the rows, at most, that are half a day off, and how many are at least."""
OFTENER: Final = 2
"""How many times as many rows have the usual time, at least."""

_TIME: Final = re.compile(r"(?:.*[T ])?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?")


def clock_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code that holds a time which no clock shows, why.

    What lasts may be longer than a day. So hours beyond count only where the others leave a gap before 24, or where
    they are as frequent to the last as a day has them and then end.
    """
    if column.present < FEWEST or column.number_share > 0.1:
        return {}
    times: dict[int, tuple[int, int, int]] = {}
    for code in range(1, len(column.texts)):
        if ":" in column.texts[code] and (match := _TIME.fullmatch(column.texts[code])):
            times[code] = int(match[1]), int(match[2]), int(match[3] or 0)
    rows = sum(column.counts[code] for code in times)
    if rows < max(FEWEST, MEANT * column.present):
        return {}
    found: dict[int, Reason] = {}
    for at, unit in ((1, "minutes"), (2, "seconds")):
        # A half-full hour is none: counts of anything may stay below 60 when they are small.
        late = sum(column.counts[code] for code, time in times.items() if 40 <= time[at] < 60)
        over = [code for code, time in times.items() if time[at] >= 60]
        if over and late >= 0.1 * rows and sum(column.counts[code] for code in over) <= MOST * rows:
            found |= dict.fromkeys(over, Reason(Sign.PATTERN, 4.0, f"No clock shows so many {unit}."))
    found |= _half_a_day_off(column, times, rows)
    hours = sorted((time[0], column.counts[code], code) for code, time in times.items())
    over = [code for hour, _, code in hours if hour >= 24]
    beyond = sum(column.counts[code] for code in over)
    if not over or beyond > MOST * rows:
        return found
    within = [hour for hour, count, _ in hours if hour < 24 for _ in range(count)]
    last = within[-1 - len(within) // 500]
    # The hours just beyond the end, as many as those before it: what lasts falls off slowly.
    before = sum(1 for hour in within if hour > last - 4)
    after = sum(column.counts[code] for code in over if times[code][0] <= last + 4)
    if last - within[len(within) // 20] >= 6 and before >= max(ENDS, ENDS * after):
        found |= dict.fromkeys(over, Reason(Sign.PATTERN, 4.0, "No clock shows so late an hour."))
    return found


def _half_a_day_off(column: TableColumn, times: Mapping[int, tuple[int, int, int]], rows: int) -> dict[int, Reason]:
    """Times that lie apart from all others, and twelve hours later among them: of a clock of twelve hours.

    Only in columns of bare times: with its day, a moment is one of a sequence.
    """
    minutes = {code: 60 * hour + minute for code, (hour, minute, _) in times.items() if len(column.texts[code]) <= 8}
    if len(minutes) < len(times):
        return {}
    found: dict[int, Reason] = {}
    for shift in (HALF_A_DAY, -HALF_A_DAY):
        ordered = sorted((at if shift > 0 else -at, column.counts[code], code) for code, at in minutes.items())
        beyond = 0
        for place, ((at, count, _), (following, _, _)) in enumerate(pairwise(ordered)):
            beyond += count
            if beyond > MOST_HALF * rows:
                break
            if following - at < FEWEST_BETWEEN:
                continue
            others = {other: many for other, many, _ in ordered[place + 1 :]}
            turned = [(code, one + HALF_A_DAY) for one, _, code in ordered[: place + 1]]
            if beyond >= FEWEST_HALF and all(
                others.get(one, 0) >= OFTENER * column.counts[code] for code, one in turned
            ):
                told = "Half a day from it lie the usual times, and no other near it."
                found |= dict.fromkeys((code for code, _ in turned), Reason(Sign.PATTERN, 3.9, told))
    return found
