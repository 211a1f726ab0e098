"""Numbers that instruments, programs and people write for none: the same one over and over, far from all others.

What lies far out and comes again is a state of its own in most columns. It stands for none where nothing at all lies
near it, and it is a number such as 999999, 65535 or 123456, or of a figure that is measured on both sides of nought.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign

FEWEST: Final = 50
"""Rows with a number, at least."""
FEWEST_DIFFERENT: Final = 5
AGAIN: Final = 3
"""Rows that have such a number, at least."""
ALONE: Final = 5
"""How many times as many rows have it as have any other within a width of it, at least."""
MOST: Final = 0.08
"""The share of the rows, at most, that have one of these."""
APART: Final = 1.0
FAR_APART: Final = 5.0
"""Widths of what lies from the 5th to the 95th of 100, at least, that it lies beyond; the second for any number."""
LONG: Final = 20
"""Different numbers of a column, at least, for one to stand for none that lies less far out, or is like any other."""
FIRST_APART: Final = 0.25
"""The same by factors for what is written for none, and for the first year of a century."""
YEARS: Final = (1800.0, 2100.0)
FIRST_YEARS: Final = (1900.0, 1901.0)

Weighed = Sequence[tuple[float, int, int]]


def sentinel_signs(values: Sequence[float], weighed: Weighed) -> dict[int, Reason]:
    """For each code of a number that stands for none, why; the numbers are sorted."""
    size = len(values)
    if size < FEWEST or len(weighed) < FEWEST_DIFFERENT:
        return {}
    low, high = values[size // 20], values[-1 - size // 20]
    if low >= high:
        return {}
    are_years = YEARS[0] <= low and high <= YEARS[1] and not any(number % 1 for number in values)
    found: dict[int, Reason] = {}
    rows = 0
    for number, count, code in weighed:
        beyond = max(low - number, number - high) / (high - low)
        is_written = is_written_for_none(number)
        if low > 0 and number > 0:
            beyond = _beyond_by_factors(number, low, high, beyond, is_written)
        is_first = are_years and number in FIRST_YEARS and beyond > FIRST_APART
        is_short = len(weighed) < LONG or abs(number) < 100
        # What is never below nought may have a few dear things; what is measured around it has none.
        is_measured = values[size // 100] < 0 < high and len(weighed) >= LONG
        needed = (FAR_APART if is_short else APART) if is_written else FAR_APART if is_measured else math.inf
        if count < AGAIN or not (beyond >= needed or is_first):
            continue
        reach = (high - low) / (4 if is_first else 1)
        near = bisect_right(values, number + reach) - bisect_left(values, number - reach)
        if count >= ALONE * (near - count):
            rows += count
            told = f"{count} rows have it, and no other number lies near it: it stands for none."
            found[code] = Reason(Sign.STAND_IN, 4.6, told)
    return found if rows <= MOST * size else {}


def _beyond_by_factors(number: float, low: float, high: float, beyond: float, is_written: bool) -> float:
    """By how many widths it lies beyond, where numbers above 0 may be spread by factors."""
    logs = max(math.log(low / number), math.log(number / high)) / math.log(high / low)
    if number < low:
        return max(beyond, logs)
    return min(beyond, logs / FIRST_APART if is_written else logs)


def is_written_for_none(number: float) -> bool:
    """Return whether it is the last number of some width, or one that is typed to fill a field: 99, 4095, 123456."""
    if number % 1:
        return False
    whole = abs(int(number))
    digits = str(whole)
    is_last = whole >= 255 and whole & (whole + 1) == 0
    is_typed = (len(digits) > 1 and set(digits) == {"9"}) or (len(digits) > 3 and digits in "1234567890")
    return is_last or is_typed or number == 1


def short_year_signs(values: Sequence[float], weighed: Weighed) -> dict[int, Reason]:
    """For each code of a year of two digits in a column of years of four, why."""
    size = len(values)
    whole = bisect_right(values, YEARS[1]) - bisect_left(values, YEARS[0])
    if size < FEWEST or whole < 0.9 * size or any(number % 1 for number, _, _ in weighed):
        return {}
    short = {code: number for number, _, code in weighed if 0 < number < 100}
    told = "It has two digits of a year, and all others four."
    return dict.fromkeys(short, Reason(Sign.PATTERN, 4.4, told))
