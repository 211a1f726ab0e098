"""Numbers below 0 where a column ends there by its name and its values, and usual numbers in another unit."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from operator import mul
from typing import Final

from resolvers.engines.english.identifiers import words_of
from resolvers.engines.english.vocabulary import COUNTED, RELATIVE, words
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import TableColumn

NEGATIVE: Final = "Nearly no other is negative."
MOST_NEGATIVE: Final = 0.02
"""The share of the numbers, at most, that are negative by mistake."""
FEWEST_SIGNED: Final = 50
FEWEST_DIFFERENT: Final = 12
EDGE: Final = 5
"""How many times as many numbers lie as little above 0 as the negative ones below it, at least, if the column ends
there. Where it tails off across 0, about twice as many do."""
USUAL: Final = 0.01
FEWEST_USUAL: Final = 10
MOST_USUAL: Final = 30
"""The share of the rows and the rows that have a usual number, at least, and how many of them there are at most."""
MOST_SHIFTED: Final = 0.02
"""The share of the rows, at most, that are written in another unit."""
FEWEST_BESIDE: Final = 100
MOST_ZEROS: Final = 0.01
"""Numbers of a column, at least, among which few are 0, and the share that these are at most."""
ABOVE: Final = 0.2
FEWEST_UNITS: Final = 10
"""How far above 0 the least of a hundred lies: a part of the middle, and so many units, as counts thin out to 0."""
CONVERTED: Final = 0.6
"""The share of numbers that lie among the usual ones in another unit, at least, if that is what they are in."""
SPREAD: Final = 0.4
"""The part of the spread of the others that they have there, at least."""
_CONVERSIONS: Final[tuple[Callable[[float], float], ...]] = (
    lambda number: (number - 32) / 1.8,
    lambda number: number * 1.8 + 32,
    *(partial(mul, 10.0**power) for power in (-6, -3, -2, -1, 1, 2, 3, 6)),
)
"""Degrees of Fahrenheit and Celsius, and units that differ by a power of ten."""
_RELATIVE: Final = RELATIVE - words("net")
"""A fee may be net of its tax."""


def beyond_zero(
    column: TableColumn, values: Sequence[float], weighed: Sequence[tuple[float, int, int]]
) -> dict[int, Reason]:
    """Few negative numbers in a column that ends at 0, and is called what is never less than nothing.

    Without such a name the others tell too little: of 84 such cells in 169 tables that are taken to be clean, hardly
    one was wrong.
    """
    below, size = bisect_left(values, 0.0), len(values)
    said = set(words_of(column.name).words)
    if not 0 < below <= MOST_NEGATIVE * size or size < FEWEST_SIGNED or not COUNTED & said or _RELATIVE & said:
        return {}
    near = values[below // 2]  # half of the negative ones are as near
    within = bisect_right(values, -near) - below
    if within < EDGE * (below - bisect_left(values, near)) or len(weighed) < FEWEST_DIFFERENT:
        return {}
    reason = Reason(Sign.OUTLIER, 3.8, NEGATIVE, by_sign=True)
    return {code: reason for number, _, code in weighed if number < 0}


def zero_signs(
    column: TableColumn, values: Sequence[float], weighed: Sequence[tuple[float, int, int]]
) -> dict[int, Reason]:
    """A few noughts in a column of numbers that end well above, or that end at 1 as if cut off there."""
    size = len(values)
    below, start = bisect_left(values, 0.0), bisect_right(values, 0.0)
    zeros = start - below
    if size < FEWEST_BESIDE or not 0 < zeros <= MOST_ZEROS * size or below > MOST_ZEROS * size:
        return {}
    if _RELATIVE & set(words_of(column.name).words):
        return {}
    rows = {number: count for number, count, _ in weighed}
    lowest, middle = values[start + (size - start) // 100], values[start + (size - start) // 2]
    is_apart = lowest >= ABOVE * middle and lowest >= FEWEST_UNITS * min(1.0, values[start])
    ones, twos = rows.get(1.0, 0), rows.get(2.0, 0)
    ends_at_one = values[start] == 1.0 and ones >= max(EDGE * 2 * zeros, twos) and ones >= FEWEST_USUAL
    if not (is_apart or ends_at_one):
        return {}
    reason = Reason(Sign.OUTLIER, 3.8, "Hardly any other is 0, and no other lies near.")
    return {code: reason for number, _, code in weighed if number == 0}


def shifted(values: Sequence[float], weighed: Sequence[tuple[float, int, int]]) -> dict[int, Reason]:
    """Numbers that are usual ones a hundred or a thousand times over, where the usual ones are few: another unit."""
    size = len(values)
    usual = {number: code for number, count, code in weighed if count >= max(FEWEST_USUAL, USUAL * size)}
    others = [one for one in weighed if one[0] not in usual]
    rows = sum(count for _, count, _ in others)
    if not others or not 2 <= len(usual) <= MOST_USUAL or not 3 <= rows <= MOST_SHIFTED * size:
        return {}
    for factor in (1000.0, 100.0):
        turned = {code: number / factor for number, _, code in others}
        if others[0][0] > max(usual) > 0 and all(number in usual for number in turned.values()):
            told = f"It is a usual number {factor:g} times over: another unit."
            return {code: Reason(Sign.OUTLIER, 5.0, told, f"{number:.12g}") for code, number in turned.items()}
    return {}


def is_other_unit(values: Sequence[float], beyond: int, *, at_end: bool) -> bool:
    """Return whether the first or the last of sorted numbers, so many, are in one unit what the others are in theirs.

    In another unit they are spread as the others are. Numbers that keep together lie among widely spread ones by some
    power of ten in any case.
    """
    those, usual = (values[-beyond:], values[:-beyond]) if at_end else (values[:beyond], values[beyond:])
    low, high = usual[len(usual) // 50], usual[-1 - len(usual) // 50]
    first, last = those[beyond // 50], those[-1 - beyond // 50]
    for place, turn in enumerate(_CONVERSIONS):
        among = sum(low <= turn(one) <= high for one in those)
        is_spread = place < 2 or abs(turn(last) - turn(first)) >= SPREAD * (high - low)
        if among >= CONVERTED * beyond and is_spread:
            return True
    return False
