"""Numbers that begin anew: what arrives after midnight has a smaller number than what it left at.

Where one column is nearly never less than another but for rows that all are so by about one and the same number, less
the usual stretch between the two, that number is a full turn, and those rows are in order.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final

from resolvers.engines.error_detection.table import MISSING, TableColumn

FEWEST: Final = 5
"""Rows that begin anew, at least; and different numbers that they have."""
MOST: Final = 0.15
"""The share of the rows, at most, that begin anew."""
ALIKE: Final = 0.8
"""The share of the rows out of order that are in order with the turn added. A wrong number is so by chance in as many
rows as the usual stretch is of a turn: a third at most."""
SHORT: Final = 1 / 3
"""The usual stretch between the two columns, as a part of the turn, at most."""
WHOLE: Final = 0.8
"""The part of a turn that the column spans, and at most as much beyond it."""
MOST_COMPARED: Final = 30
"""Columns that are looked at."""

Cell = tuple[int, int]


def turned(table: Sequence[TableColumn]) -> set[Cell]:
    """The cells whose number began anew after that of another column in the row, as rows and columns."""
    found: set[Cell] = set()
    numbers = [one for one in table if one.is_scalar and one.number_share >= 0.9 and one.distinct >= 20]
    for left, right in permutations(numbers[:MOST_COMPARED], 2):
        found |= {(row, right.index) for row in _turned(left, right)}
    return found


def _turned(left: TableColumn, right: TableColumn) -> Iterator[int]:
    over: list[tuple[float, int]] = []
    kept: list[float] = []
    for row, pair in enumerate(zip(left.codes, right.codes, strict=True)):
        if MISSING not in pair and (a := left.numbers[pair[0]]) is not None:
            b = right.numbers[pair[1]]
            if b is not None and a > b:
                over.append((a - b, row))
            elif b is not None:
                kept.append(b - a)
        if row == 400 and len(over) > 3 * MOST * row:
            return  # no order at all
    if not FEWEST <= len(over) <= MOST * len(kept) or len({right.codes[row] for _, row in over}) < FEWEST:
        return
    over.sort()
    kept.sort()
    # Some leave before they were meant to, and arrive late.
    low, high = kept[0], kept[-1 - len(kept) // 100]
    turn = over[len(over) // 2][0] + kept[len(kept) // 2]
    ends = sorted(number for code in right.codes if (number := right.numbers[code]) is not None)
    span = ends[-1 - len(ends) // 200] - ends[len(ends) // 200]
    if high > SHORT * turn or not WHOLE * turn <= span <= turn / WHOLE:
        return
    rows = [row for width, row in over if low <= turn - width <= 1.5 * high]
    if len(rows) >= ALIKE * len(over):
        yield from rows
