"""Columns in which the rows stand in order, as those of a log or a journal do, and what is out of step.

What was written down one after another has moments, days or numbers that hardly ever go back. One that lies before
those of the rows before it, or after those of the rows behind it, was not written as it was; and one that is in step
speaks for itself where a formula asks which cell is wrong.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from resolvers.engines.error_detection.days import days_of, moments_of
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import TableColumn

FEWEST: Final = 100
"""Rows with a value, at least."""
DIFFERENT: Final = 0.02
"""Different values, at least, as a share of the rows, and how many."""
FEWEST_DIFFERENT: Final = 30
COUNTED: Final = 0.5
"""The same of numbers, which may be keys of other things, and go back to one."""
TOGETHER: Final = 4
"""Rows out of step with the very same value, from which that is where they belong."""
IN_STEP: Final = 0.95
"""The share of the rows that can be had in order by leaving out the others."""
LEAST_DISPLACED: Final = 4
"""Rows by which a value stands before or behind its place, at least: what was entered together is hardly in order."""
STRAY: Final = 0.5
"""The share of those out of step, at most, that are so by fewer rows: else the order is not kept so strictly."""
DENSE: Final = 0.8
"""The share of numbers in order that follow on one another, from which a missing one is that of a row elsewhere."""
MOST_MISSING: Final = 1_000
SPEAKS: Final = -1.4
"""What it speaks for a cell that it is in step, as its neighbour in the row mostly were too."""

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Steps:
    """Holds what the order of the rows says of cells."""

    signs: dict[Cell, Reason]
    """Cells that are out of step."""
    kept: dict[int, set[int]]
    """By column the rows that are in step."""


def steps_of(table: Sequence[TableColumn]) -> Steps:
    """Return what is in step, and out of step, in the columns of a table that are in order."""
    found = Steps({}, {})
    for column in table:
        if not column.is_scalar or column.present < FEWEST or column.distinct < FEWEST_DIFFERENT:
            continue
        if column.distinct < (COUNTED if column.number_share >= 0.9 else DIFFERENT) * column.present:
            continue
        numbers = _moments(column)
        if numbers is not None:
            _judge(column, numbers, found)
    return Steps(_without_moved(found), found.kept)


def _without_moved(steps: Steps) -> dict[Cell, Reason]:
    """Return what is out of step, but for rows that are so in each column in order: they stand elsewhere, and are
    right.
    """
    if len(steps.kept) < 2:
        return steps.signs
    in_step = set[int]().union(*steps.kept.values())
    return {cell: reason for cell, reason in steps.signs.items() if cell[0] in in_step}


def _moments(column: TableColumn) -> Sequence[float | None] | None:
    """The number of each code, or its moment; None where there are too few."""
    if column.number_share >= 0.9:
        return column.numbers
    if not any(text[:1].isdigit() for text in column.texts[1:30]):
        return None
    moments, rows = moments_of(column)
    if rows >= 0.8 * column.present:
        return moments
    days = days_of(column)
    return None if days is None else days[0]


def _judge(column: TableColumn, by_code: Sequence[float | None], found: Steps) -> None:
    rows = [(row, number) for row, code in enumerate(column.codes) if (number := by_code[code]) is not None]
    values = [number for _, number in rows]
    some = values[:400]
    if len(rows) < FEWEST or sum(a > b for a, b in pairwise(some)) > 0.2 * len(some):
        return
    kept = _longest(values)
    if len(kept) < IN_STEP * len(values):
        return
    in_order = [values[at] for at in kept]
    out: list[tuple[int, int]] = []
    for at in sorted(set(range(len(values))) - set(kept)):
        own = bisect_left(kept, at)  # so many in step stand before it
        first, last = bisect_left(in_order, values[at]), bisect_right(in_order, values[at])
        displaced = first - own if own < first else own - last
        out.append((displaced, at))
    near = sum(displaced < LEAST_DISPLACED for displaced, _ in out)
    if near > STRAY * len(out):
        return
    found.kept[column.index] = {rows[at][0] for at in kept}
    share = len(out) / len(values)
    told = "The rows are in order by this column, and it is out of step."
    often = Counter(column.codes[rows[at][0]] for _, at in out)
    dense = _is_dense(in_order)
    for displaced, at in out:
        if dense and _is_missing(values[at], in_order):
            continue  # the row was moved: its number is missing where it belongs
        if displaced >= LEAST_DISPLACED and often[column.codes[rows[at][0]]] < TOGETHER:
            weight = (4.2 if displaced >= 0.02 * len(values) else 3.6) - 10 * max(0.0, share - 0.02)
            found.signs[rows[at][0], column.index] = Reason(Sign.ORDER, weight, told)


def _is_dense(in_order: Sequence[float]) -> bool:
    """Return whether they are whole numbers of which hardly any is missing."""
    following = sum(after - before == 1 for before, after in pairwise(in_order))
    return not any(one % 1 for one in in_order) and following >= DENSE * (len(in_order) - 1)


def _is_missing(number: float, in_order: Sequence[float]) -> bool:
    """Return whether a whole number is the next before or behind those in order, or in a gap between two of them."""
    at = bisect_left(in_order, number)
    if at in (0, len(in_order)):
        return number == (in_order[0] - 1 if at == 0 else in_order[-1] + 1)
    return not number % 1 and number < in_order[at] and in_order[at] - in_order[at - 1] < MOST_MISSING


def _longest(values: Sequence[float]) -> list[int]:
    """The places of a longest part of some numbers that never goes down."""
    ends: list[float] = []
    at: list[int] = []
    before: list[int] = []
    for place, value in enumerate(values):
        length = bisect_right(ends, value)
        before.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(value)
            at.append(place)
        else:
            ends[length], at[length] = value, place
    found = []
    place = at[-1] if at else -1
    while place >= 0:
        found.append(place)
        place = before[place]
    return found[::-1]
