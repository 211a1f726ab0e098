"""Pairs of figures of which one is nearly the same part of the other in all rows: net and gross, list and paid.

Each of the two may lie anywhere, but they go together: a row in which their ratio is far from all others holds a figure
in another unit or none of its own, and one in which it is the other way round holds each in the other's place.
"""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.numbers import rank_correlation
from resolvers.engines.error_detection.table import MISSING, TableColumn

FEWEST: Final = 100
"""Rows with both, at least."""
MOST_COLUMNS: Final = 20
TIGHT: Final = math.log(2.5)
"""The width of nine tenths of the ratios, at most, by factors."""
WIDER: Final = 2.5
"""How many times as wide each of the two is spread, at least."""
TOGETHER: Final = 0.9
"""The rank correlation of the rows in the band, at least."""
MOST: Final = 0.12
"""The share of the rows, at most, that are beyond the band."""
TURNED: Final = 0.06
"""The share of the rows, at most, that have the two the other way round."""
EDGE: Final = 0.05
"""Rows as little below 1 to 1 as others are above, as a share of these, from which there is no edge between."""
APART: Final = math.log(3)
"""How far beyond the band a ratio lies that is wrong in itself, by factors."""
BESIDE: Final = 20
USUAL: Final = 0.7
"""The rows with the next figures on each side, and the share of them, at least, whose ratio is in the band."""
ODD: Final = 3.2
"""What it weighs that it does not go with the other, for one that is odd by itself."""

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Pair:
    low: float
    high: float
    """The band of the logarithms of the ratio of the second to the first, in which the second is the greater."""
    ratios: dict[int, float]
    lesser: TableColumn
    greater: TableColumn


def ratio_signs(
    table: Sequence[TableColumn],
    bound: Set[tuple[int, int]],
    doubtful: Sequence[Set[int]],
    ordered: Set[Cell] = frozenset(),
) -> dict[Cell, Reason]:
    """Cells of two figures that go together, whose ratio no other row has; not of those that a formula tells of.

    Of two of which one is among the `doubtful` codes of its column, only that one is named. What is told to be out of
    order already (`ordered`) is not told again.
    """
    signs: dict[Cell, Reason] = {}
    exchanged: dict[int, list[tuple[float, _Pair]]] = defaultdict(list)
    usable = [one for one in table if one.is_scalar and one.number_share >= 0.9 and one.distinct >= FEWEST / 2]
    for left, right in combinations(usable[:MOST_COLUMNS], 2):
        if (left.index, right.index) not in bound and (pair := _pair(left, right)) is not None:
            signs |= _apart(pair, doubtful)
            for row, width in _exchanged(pair).items():
                exchanged[row].append((width, pair))
    before: dict[int, set[int]] = defaultdict(set)
    for row, index in ordered:
        before[row].add(index)
    for row, some in exchanged.items():
        told = before[row]
        for _, pair in sorted(some, key=lambda one: -one[0]):
            if not told & {pair.lesser.index, pair.greater.index}:  # what lies between two exchanged ones is right
                told |= {pair.lesser.index, pair.greater.index}
                signs |= _as_exchanged(pair, row)
    return signs


def _as_exchanged(pair: _Pair, row: int) -> dict[Cell, Reason]:
    told = f"{pair.lesser.name} and {pair.greater.name} stand the other way round than in nearly all rows."
    both = ((pair.lesser, pair.greater), (pair.greater, pair.lesser))
    return {(row, column.index): Reason(Sign.ORDER, 4.4, told, other.texts[other.codes[row]]) for column, other in both}


def _pair(left: TableColumn, right: TableColumn) -> _Pair | None:
    """Two columns whose ratio hardly varies, the lesser first; None where it does."""
    ratios: dict[int, float] = {}
    seen: list[tuple[float, float]] = []
    for row, (a_code, b_code) in enumerate(zip(left.codes, right.codes, strict=True)):
        a, b = left.numbers[a_code], right.numbers[b_code]
        if a is not None and b is not None and a > 0 and b > 0:
            ratios[row] = math.log(b) - math.log(a)
            seen.append((math.log(a), math.log(b)))
    if len(ratios) < max(FEWEST, 0.6 * len(left.codes)):
        return None
    ordered = sorted(ratios.values())
    size = len(ordered)
    low, high = ordered[size // 20 + size // 50], ordered[-1 - size // 20 - size // 50]
    width = high - low
    if width > TIGHT or not _is_wider(seen, width):
        return None
    if high < -low:  # the first is the greater
        ratios = {row: -one for row, one in ratios.items()}
        low, high, left, right = -high, -low, right, left
    margin = max(0.5 * width, 0.02)
    band = low - margin, high + margin
    beyond = size - sum(band[0] <= one <= band[1] for one in ratios.values())
    within = [pair for pair, one in zip(seen, ratios.values(), strict=True) if band[0] <= one <= band[1]]
    if beyond > MOST * size or rank_correlation(within[:: max(1, len(within) // 1000)]) < TOGETHER:
        return None
    return _Pair(*band, ratios, left, right)


def _is_wider(seen: Sequence[tuple[float, float]], width: float) -> bool:
    """Return whether both are spread far more widely than their ratio is."""
    for side in (0, 1):
        ordered = sorted(pair[side] for pair in seen)
        if ordered[-1 - len(ordered) // 20] - ordered[len(ordered) // 20] < WIDER * max(width, 0.05):
            return False
    return True


def _exchanged(pair: _Pair) -> dict[int, float]:
    """Rows that have the two the other way round, where there is an edge at 1 to 1, and by which factor."""
    turned = {row: -one for row, one in pair.ratios.items() if one < 0 and -one <= pair.high}
    if not 0 < len(turned) <= TURNED * len(pair.ratios) or pair.high <= 0:
        return {}
    over = sorted(turned.values())
    near = over[len(over) // 2]
    above = sorted(one for one in pair.ratios.values() if one > 0)
    if not near or bisect_left(over, near) + 1 > EDGE * bisect_left(above, near + 1e-9):
        return {}
    # Where most lie at the edge only, two that come near one another are now and then out of order.
    return {} if 3 * near < above[len(above) // 2] else turned


def _apart(pair: _Pair, doubtful: Sequence[Set[int]]) -> dict[Cell, Reason]:
    """Rows whose ratio is far beyond the band: of the two cells, the one that is of the column which is so oftener."""
    far = [row for row, one in pair.ratios.items() if one > pair.high + APART or one < pair.low - APART]
    both = (pair.lesser, pair.greater)
    usual = [(column, _usual_beside(pair, column)) for column in both] if far else []
    far = [row for row in far if any(is_usual(column.numbers[column.codes[row]] or 0.0) for column, is_usual in usual)]
    told = f"{pair.lesser.name} is nearly the same part of {pair.greater.name} in all other rows."
    found: dict[Cell, Reason] = {}
    for row in list(far):
        odd = [column for column in both if column.codes[row] in doubtful[column.index]]
        if odd:
            far.remove(row)
        if len(odd) == 1:
            found[row, odd[0].index] = Reason(Sign.OUTLIER, ODD, told, by_sign=True)
    if not far:
        return found
    blamed = {column.index: _blame(column, far) for column in both}
    total = sum(blamed.values())
    for column in both:
        share = (blamed[column.index] + 1) / (total + 2)
        weight = 3.2 + math.log(share / (1 - share))
        if weight > 0.3:
            for row in far:
                if column.codes[row] != MISSING:
                    found[row, column.index] = Reason(Sign.OUTLIER, min(4.6, weight), told, by_sign=True)
    return found


def _usual_beside(pair: _Pair, column: TableColumn) -> Callable[[float], bool]:
    """Return what tells whether figures as great as one have a ratio within the band; small ones may vary more."""
    told = sorted((column.numbers[column.codes[row]] or 0.0, row) for row in pair.ratios)
    numbers = [number for number, _ in told]
    within = [pair.low <= pair.ratios[row] <= pair.high for _, row in told]

    def usual(number: float) -> bool:
        at = bisect_left(numbers, number)
        some = within[max(0, min(at, len(within)) - BESIDE) : at + BESIDE]
        return sum(some) >= USUAL * len(some)

    return usual


def _blame(column: TableColumn, far: Sequence[int]) -> int:
    """How many of some rows have a figure that is beyond nearly all other figures of a column."""
    those = set(far)
    others = sorted(
        number
        for row, code in enumerate(column.codes)
        if row not in those and (number := column.numbers[code]) is not None
    )
    low, high = others[len(others) // 200], others[-1 - len(others) // 200]
    return sum(not low <= (column.numbers[column.codes[row]] or 0.0) <= high for row in far)
