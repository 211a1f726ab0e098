"""Figures that a row takes over from the row before: an opening balance, the reading that a period begins with.

In the rows of one thing, in their order, such a column has what another had in the row before. Where the two agree each
speaks for the other, which tells the wrong cell of a formula from the right ones.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final

from resolvers.engines.error_detection.days import day_of
from resolvers.engines.error_detection.table import MISSING, TableColumn

FEWEST: Final = 40
"""Rows that take over a figure, at least."""
KEPT: Final = 0.85
"""The share of the rows that have a row of the same thing before them, and take over its figure."""
BY_CHANCE: Final = 0.2
"""The share of them, at most, that have it also from a row a few before."""
SHARED: Final = 0.5
"""The share of a column's different values that the other has too."""
LONGEST: Final = 0.5
"""Different values of the column that tells the things apart, as a share of its rows."""
SPEAKS: Final = 3.0
"""What it speaks for a cell that it is taken over, or against it that it is not."""
AGAINST: Final = 1.0
STUCK: Final = 0.05
"""The share of the rows that have the same figure as the row before, at most, for it to be stuck there."""

Cell = tuple[int, int]


def carried(table: Sequence[TableColumn]) -> dict[Cell, float]:
    """Return what speaks for cells (below 0) or against them (above) by what the rows before and after have."""
    said: dict[Cell, float] = {}
    usable = [column for column in table if _is_figure(column)]
    texts = {column.index: set(column.texts[1:]) for column in usable}
    for begins, ends in permutations(usable, 2):
        least = SHARED * min(begins.distinct, ends.distinct)
        if len(texts[begins.index] & texts[ends.index]) < least:
            continue
        links = _links(begins, ends, table)
        again = {row for row, before in links if ends.codes[row] == ends.codes[before] != MISSING}
        stuck = again if len(again) <= STUCK * len(links) else frozenset[int]()
        for row in stuck:
            said[row, ends.index] = said.get((row, ends.index), 0.0) + SPEAKS
        for row, before in links:
            one, other = begins.codes[row], ends.codes[before]
            if MISSING in (one, other):
                continue
            if begins.texts[one] == ends.texts[other]:
                for cell in ((row, begins.index), (before, ends.index)):
                    said[cell] = min(0.0, said.get(cell, 0.0)) - SPEAKS
            elif before not in stuck:
                said.setdefault((row, begins.index), AGAINST)
                said.setdefault((before, ends.index), AGAINST)
    return said


def _is_figure(column: TableColumn) -> bool:
    if not column.is_scalar or column.present < FEWEST or column.distinct < max(20, 0.1 * column.present):
        return False
    return column.number_share >= 0.6 or day_of(column.texts[1]) is not None


def _links(begins: TableColumn, ends: TableColumn, table: Sequence[TableColumn]) -> list[tuple[int, int]]:
    """Each row with the row before of the same thing, by the column that tells the things apart best."""
    best: tuple[float, list[tuple[int, int]]] = 0.0, []
    for thing in table:
        if thing in (begins, ends) or not thing.is_scalar or not 1 <= thing.distinct <= LONGEST * thing.present:
            continue
        links = list(_before(thing, 1))
        kept = _kept(begins, ends, links)
        if len(links) < FEWEST or kept <= max(best[0], KEPT):
            continue
        if _kept(begins, ends, list(_before(thing, 3))) <= BY_CHANCE:
            best = kept, links
    return best[1]


def _before(thing: TableColumn, steps: int) -> Iterator[tuple[int, int]]:
    rows: dict[int, list[int]] = {}
    for row, code in enumerate(thing.codes):
        if code != MISSING:
            some = rows.setdefault(code, [])
            if len(some) >= steps:
                yield row, some[-steps]
            some.append(row)


def _kept(begins: TableColumn, ends: TableColumn, links: Sequence[tuple[int, int]]) -> float:
    kept = sum(begins.texts[begins.codes[row]] == ends.texts[ends.codes[before]] for row, before in links)
    return kept / len(links) if links else 0.0
