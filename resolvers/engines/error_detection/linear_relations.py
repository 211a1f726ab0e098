"""Defines whether one column is another in another unit: a factor, and perhaps a constant, that nearly all rows agree
on.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from resolvers.engines.error_detection.formulas import Formula, FormulaKind
from resolvers.engines.error_detection.measures import Measure

FEWEST: Final = 20
FEWEST_DIFFERENT: Final = 8
MOST_DIGITS: Final = 9

Rows = Sequence[Sequence[float | None]]


def line(a: Measure, b: Measure, quick: Rows, rows: Rows) -> Iterator[Formula]:
    """That b is a factor of a, or that and a constant more, where a few rows show it and most of all confirm it."""
    pairs = _pairs(a, b, quick)
    if len(pairs) < FEWEST or not _are_straight(pairs, b.unit, a.unit):
        return
    every = _pairs(a, b, rows)
    factor = _factor(every, b.unit)
    if factor is not None:
        yield Formula(FormulaKind.SUM, b.index, (a.index,), (factor,))
    fitted = _fitted(every, a.unit, b.unit)
    if fitted is not None:
        yield Formula(FormulaKind.SUM, b.index, (a.index,), (fitted[0],), constant=fitted[1])


def _pairs(a: Measure, b: Measure, rows: Rows) -> list[tuple[float, float]]:
    return [
        (one, other)
        for values in rows
        if (one := values[a.index]) is not None and (other := values[b.index]) is not None
    ]


def _are_straight(pairs: list[tuple[float, float]], unit: float, unit_of_a: float) -> bool:
    """Return whether the steps from low to high rows have nearly one slope."""
    ordered = sorted(pairs)
    third = len(ordered) // 3
    low, high = ordered[:third], ordered[-third:]
    slopes = sorted((y - b) / (x - a) for (a, b), (x, y) in zip(low, high, strict=True) if x != a)
    if len(slopes) < third / 2 or len({b for _, b in ordered}) < FEWEST_DIFFERENT:
        return False
    middle = slopes[len(slopes) // 2]
    if not middle:
        return False
    width = abs(high[third // 2][0] - low[third // 2][0])
    least = unit / (abs(middle) * width) + unit_of_a / width if width else 1.0
    return slopes[-1 - len(slopes) // 4] - slopes[len(slopes) // 4] <= (0.004 + 2 * least) * abs(middle)


def _factor(pairs: list[tuple[float, float]], unit: float) -> float | None:
    """The simplest factor that most rows allow, given that b was rounded."""
    half = 0.5 * unit
    ends: list[tuple[float, int]] = []
    for a, b in pairs:
        if a:
            slack = half + 1e-9 * abs(b)
            one, other = sorted(((b - slack) / a, (b + slack) / a))
            ends += [(one, 1), (other, -1)]
    ends.sort(key=lambda end: (end[0], -end[1]))
    depth = deepest = 0
    low = high = 0.0
    for place, (value, step) in enumerate(ends):
        depth += step
        if depth > deepest:
            deepest, low, high = depth, value, ends[place + 1][0]
    if 2 * deepest < 0.6 * len(ends):
        return None
    return _simplest((low + high) / 2, low, high)


def _simplest(value: float, low: float, high: float) -> float:
    """The number of fewest digits from low to high."""
    for digits in range(1, MOST_DIGITS):
        short = float(f"{value:.{digits}g}")
        if low <= short <= high:
            return short
    return value


def _fitted(pairs: list[tuple[float, float]], unit_of_a: float, unit: float) -> tuple[float, float] | None:
    """Factor and constant by least squares over the rows near the line, then rounded as far as the rows allow."""
    ordered = sorted(pairs)
    third = len(ordered) // 3
    slopes = sorted(
        (y - b) / (x - a) for (a, b), (x, y) in zip(ordered[:third], ordered[-third:], strict=True) if x != a
    )
    if not slopes:
        return None
    slope = slopes[len(slopes) // 2]
    rest = sorted(b - slope * a for a, b in pairs)
    constant = rest[len(rest) // 2]
    spread = ordered[-1 - third // 3][0] - ordered[third // 3][0]
    for share in (0.02, 0.005, 0.0):
        near = unit + abs(slope) * (unit_of_a + share * spread)
        some = [(a, b) for a, b in pairs if abs(b - slope * a - constant) <= near]
        if 2 * len(some) < len(pairs):
            return None
        mean_a, mean_b = (sum(one[side] for one in some) / len(some) for side in (0, 1))
        square = sum((a - mean_a) ** 2 for a, _ in some)
        if not square:
            return None
        slope = sum((a - mean_a) * (b - mean_b) for a, b in some) / square
        constant = mean_b - slope * mean_a

    def held(factor: float, more: float) -> int:
        slack = 0.51 * unit + 0.51 * abs(factor) * unit_of_a
        return sum(1 for a, b in pairs if abs(b - factor * a - more) <= slack + 1e-9 * abs(b))

    most = held(slope, constant)
    for digits in range(1, MOST_DIGITS):
        short = float(f"{slope:.{digits}g}")
        rest = sorted(b - short * a for a, b in some)
        middle = (rest[0] + rest[-1]) / 2
        for places in range(0, 7):
            if held(short, round(middle, places)) >= 0.99 * most:
                return short, round(middle, places)
    return slope, constant
