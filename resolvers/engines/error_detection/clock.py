"""Times of the day that no clock shows: hours from 24, minutes and seconds from 60, where hardly any row has them."""

import re
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
