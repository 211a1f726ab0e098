"""Figures that stay the same over many rows of one thing, where they hardly ever stay: of an instrument that is stuck.

In the rows of one thing, in their order, a measured figure differs from the one before nearly always. A run of the very
same figure so long that chance would hardly have it was not measured but repeated; its first row may be right.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import MISSING, TableColumn

FEWEST: Final = 200
"""Rows with a figure, at least."""
FEWEST_DIFFERENT: Final = 50
REPEATS: Final = 0.25
"""The share of the rows that have the same figure as the row before, at most."""
LONGEST_BY_CHANCE: Final = 1e-5
"""How probable it may be, at most, that some run of a column is so long."""
SHORTEST: Final = 5
"""Rows of a run, at least."""
MOST: Final = 0.1
"""The share of the rows, at most, that are stuck."""
OFTEN: Final = 0.01
"""The share of the rows that have a figure beside the run, at most."""
MOST_THINGS: Final = 0.2
"""Different values of the column that tells the things apart, as a share of its rows."""

FALLS: Final = 0.15
"""The rows with a figure below the one before, as a part of those with one above, up to which it is a counter: slips
make it fall."""
MOST_KINDS: Final = 30
OF_A_KIND: Final = 0.3
RUNS: Final = 5
"""Different kinds of rows, at most, and different figures of one kind, as a part of its rows, which are no more than a
few runs: in a large kind figures come again by chance."""

Cell = tuple[int, int]


def stuck_signs(table: Sequence[TableColumn]) -> dict[Cell, Reason]:
    """Cells that repeat the figure of the row before of the same thing, in a run that chance would hardly have."""
    things = [
        one for one in table
        if one.is_scalar and 1 < one.distinct <= MOST_THINGS * one.present and one.present >= 0.95 * len(one.codes)
    ]  # fmt: skip
    signs: dict[Cell, Reason] = {}
    for column in table:
        if not column.is_scalar or column.number_share < 0.9 or column.distinct < FEWEST_DIFFERENT:
            continue
        if column.present < FEWEST or not any(number is not None and number % 1 for number in column.numbers):
            continue  # counts and codes stay as they are
        if any(_only_grows(column, thing) for thing in things if thing is not column):
            continue
        best: tuple[float, list[list[int]]] = 0.0, []
        for thing in things:
            if thing is not column:
                best = max(best, _stuck(column, thing), key=lambda one: one[0])
        for run in best[1]:
            if _is_of_a_kind(column, run, things):
                continue
            told = f"{len(run)} rows in a row have it, where hardly any figure is that of the row before."
            for row in run[1:]:
                signs[row, column.index] = Reason(Sign.OUTLIER, 3.9, told, by_sign=True)
    return signs


def _stuck(column: TableColumn, thing: TableColumn) -> tuple[float, list[list[int]]]:
    """How unlikely the longest run of one thing is, and all runs that are too long for chance; 0 where none is."""
    runs = list(_runs(column, thing))
    rows = sum(map(len, runs))
    again = rows - len(runs)
    long = [run for run in runs if len(run) >= SHORTEST]
    stuck = sum(len(run) - 1 for run in long)
    usual = (again - stuck + 1) / max(1, rows - stuck)
    if not long or usual > REPEATS or stuck > MOST * rows:
        return 0.0, []
    least = math.log(LONGEST_BY_CHANCE / rows) / math.log(usual)
    kept = [run for run in long if len(run) - 1 >= least and not _is_usual(column, run)]
    return (max(map(len, kept)) if kept else 0.0) * -math.log(usual), kept


def _only_grows(column: TableColumn, thing: TableColumn) -> bool:
    """Return whether the figures of each thing hardly ever fall: a counter stands still while nothing happens."""
    last: dict[int, float] = {}
    grown = fallen = 0
    for own, code in zip(thing.codes, column.codes, strict=True):
        number = column.numbers[code]
        if own == MISSING or number is None:
            continue
        if own in last:
            grown += number > last[own]
            fallen += number < last[own]
        last[own] = number
    return fallen <= FALLS * grown


def _is_of_a_kind(column: TableColumn, run: Sequence[int], kinds: Sequence[TableColumn]) -> bool:
    """Return whether the rows of a run are of a kind whose rows share few figures anyway, such as places to park."""
    for kind in kinds:
        codes = {kind.codes[row] for row in run}
        if kind is column or len(codes) > 1 or kind.distinct > MOST_KINDS:
            continue
        rows = [row for row, code in enumerate(kind.codes) if code in codes]
        figures = {column.codes[row] for row in rows}
        if len(run) + SHORTEST <= len(rows) <= RUNS * len(run) and len(figures) <= OF_A_KIND * len(rows):
            return True
    return False


def _is_usual(column: TableColumn, run: Sequence[int]) -> bool:
    """Return whether a figure is one that things come back to: an end of the scale, or what many rows have."""
    code = column.codes[run[0]]
    known = [number for number in column.numbers if number is not None]
    others = column.counts[code] - len(run)
    return column.numbers[code] in (min(known), max(known)) or others > max(len(run), OFTEN * column.present)


def _runs(column: TableColumn, thing: TableColumn) -> Iterator[list[int]]:
    """Yield the rows of each run of the same figure of one thing; 0 is none, as nothing may happen for long."""
    running: dict[int, list[int]] = {}
    for row, (own, code) in enumerate(zip(thing.codes, column.codes, strict=True)):
        if own == MISSING or code == MISSING or not column.numbers[code]:
            continue
        run = running.get(own)
        if run is not None and column.codes[run[-1]] == code:
            run.append(row)
            continue
        if run is not None:
            yield run
        running[own] = [row]
    yield from running.values()
