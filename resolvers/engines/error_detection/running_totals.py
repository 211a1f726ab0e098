"""Figures that add up from row to row: a meter's register and what was used, a balance and what was paid in.

Where nearly each row of a thing has the total of the row before and its own figure, two totals far apart vouch for what
lies between: the sum of the figures leads from the one to the other, and a total on the way that it does not lead to is
wrong. A figure is wrong where both totals beside it agree with all others. A total that starts anew, as of a meter that
was changed, is none of this.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import MISSING, TableColumn, as_told

FEWEST: Final = 100
"""Rows behind another of the same thing, at least."""
LEAST: Final = 0.75
"""The share of them, at least, that keep to it."""
CHANCE: Final = 0.05
"""The share, at most, that would with the figures of other rows."""
MOST_COLUMNS: Final = 12
MOST_THINGS: Final = 6
"""Columns that are tried as the total and the figure, and as what names the thing."""
ROWS_OF_A_THING: Final = 4
QUICK: Final = 60
MOST_BETWEEN: Final = 12
"""Totals in a row, at most, that are wrong between two that are right."""
TOTAL: Final = 5.5
FIGURE: Final = 3.8
"""What it weighs that a total, or a figure, does not lead from one total to another."""

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Running:
    """That a total is that of the row before and a figure of its own row."""

    total: TableColumn
    figure: TableColumn
    sign: int
    chains: Sequence[Sequence[int]]
    """The rows of each thing in their order."""
    slack: float
    """By how much a row may be off that was rounded."""

    def off(self, before: int, row: int) -> float | None:
        """By how much the total of a row is off, by that before it; None where a figure is missing."""
        first, last, own = _of(self.total, before), _of(self.total, row), _of(self.figure, row)
        return None if first is None or last is None or own is None else last - first - self.sign * own

    def keeps(self, before: int, row: int) -> bool:
        """Return whether a row keeps to it."""
        off = self.off(before, row)
        return off is not None and abs(off) <= self.slack


def running_total_signs(table: Sequence[TableColumn]) -> dict[Cell, Reason]:
    """Cells that break a total which runs through the rows of a table."""
    numbers = [one for one in table if one.is_scalar and one.number_share >= 0.8 and one.distinct >= FEWEST / 4]
    numbers = numbers[:MOST_COLUMNS]
    if len(numbers) < 2:
        return {}
    signs: dict[Cell, Reason] = {}
    told: set[int] = set()
    for chains in _chains(table):
        for total, figure in permutations(numbers, 2):
            if total.index in told or figure.index in told:
                continue
            for way, sign in product((1, -1), (1, -1)):
                ways = chains if way > 0 else [rows[::-1] for rows in chains]
                found = _Running(total, figure, sign, ways, _slack(total, figure))
                if _holds(found):
                    told |= {total.index, figure.index}
                    for rows in ways:
                        signs |= _judged(found, rows)
                    break
    return signs


def _chains(table: Sequence[TableColumn]) -> Iterator[Sequence[Sequence[int]]]:
    """The rows of each thing in the order of the table, for each column that may name things; and all rows as one."""
    size = len(table[0].codes)
    names = [
        one for one in table
        if one.is_scalar and 2 <= one.distinct <= one.present / ROWS_OF_A_THING and one.present >= 0.9 * size
    ]  # fmt: skip
    for column in sorted(names, key=lambda one: -one.distinct)[:MOST_THINGS]:
        rows: dict[int, list[int]] = defaultdict(list)
        for row, code in enumerate(column.codes):
            if code != MISSING:
                rows[code].append(row)
        yield list(rows.values())
    yield [range(size)]


def _holds(one: _Running) -> bool:
    """Return whether nearly all rows keep to it, and hardly any would with the figure of another row."""
    pairs = [pair for rows in one.chains for pair in pairwise(rows)]
    if len(pairs) < FEWEST:
        return False
    quick = pairs[:: max(1, len(pairs) // QUICK)]
    if sum(one.keeps(*pair) for pair in quick) < 0.5 * len(quick):
        return False
    pairs = [pair for pair in pairs if one.off(*pair) is not None]
    if len(pairs) < FEWEST or sum(one.keeps(*pair) for pair in pairs) < LEAST * len(pairs):
        return False
    figures = [_of(one.figure, row) or 0.0 for _, row in pairs]
    moved = Counter(round(figure / (one.slack or 1.0)) for figure in figures)
    if moved.most_common(1)[0][1] > 0.5 * len(figures):
        return False  # what hardly moves adds up to nothing
    random.Random(7).shuffle(figures)  # noqa: S311 - which rows are compared is no secret, and must repeat
    by_chance = 0
    for (before, row), figure in zip(pairs, figures, strict=True):
        apart = (_of(one.total, row) or 0.0) - (_of(one.total, before) or 0.0)
        by_chance += abs(apart - one.sign * figure) <= one.slack
    return by_chance <= CHANCE * len(pairs)


def _judged(one: _Running, rows: Sequence[int]) -> dict[Cell, Reason]:
    """The cells of one thing that break it."""
    found: dict[Cell, Reason] = {}
    at = 1
    while at < len(rows):
        if one.keeps(rows[at - 1], rows[at]):
            at += 1
            continue
        end = _next_right(one, rows, at)
        if end is None:
            found |= _figure(one, rows, at)
            at += 1
            continue
        expected = _of(one.total, rows[at - 1]) or 0.0
        for place in range(at, end):
            row = rows[place]
            expected += one.sign * (_of(one.figure, row) or 0.0)
            number = _of(one.total, row)
            if number is None or abs(number - expected) > one.slack * (place - at + 1):
                told = f"{one.total.name} before and behind it are apart by what {one.figure.name} comes to."
                found[row, one.total.index] = Reason(Sign.FORMULA, TOTAL, told, _as_written(one.total, expected))
        at = end + 1
    return found


def _next_right(one: _Running, rows: Sequence[int], at: int) -> int | None:
    """The place of the next total that the figures lead to from the one before a place, and that leads on itself."""
    expected = _of(one.total, rows[at - 1])
    if expected is None:
        return None
    for place in range(at, min(len(rows), at + MOST_BETWEEN + 1)):
        figure, number = _of(one.figure, rows[place]), _of(one.total, rows[place])
        if figure is None:
            return None
        expected += one.sign * figure
        if place > at and number is not None and abs(number - expected) <= one.slack * (place - at + 1):
            leads_on = place + 1 == len(rows) or one.keeps(rows[place], rows[place + 1])
            return place if leads_on else None
    return None


def _figure(one: _Running, rows: Sequence[int], at: int) -> dict[Cell, Reason]:
    """The figure of a row whose total agrees with those behind it, as that before does with those before it."""
    beside = (at < 2 or one.keeps(rows[at - 2], rows[at - 1])) and at + 1 < len(rows)
    first, last = _of(one.total, rows[at - 1]), _of(one.total, rows[at])
    if not beside or first is None or last is None or not one.keeps(rows[at], rows[at + 1]):
        return {}
    needed = one.sign * (last - first)
    usual = sorted(number for row in rows if (number := _of(one.figure, row)) is not None)
    if len(usual) < ROWS_OF_A_THING or not usual[len(usual) // 20] <= needed <= usual[-1 - len(usual) // 20]:
        return {}  # it starts anew, or moved by more than any figure says
    told = f"{one.figure.name} is not what {one.total.name} has moved by since the row before."
    return {(rows[at], one.figure.index): Reason(Sign.FORMULA, FIGURE, told, _as_written(one.figure, needed))}


def _of(column: TableColumn, row: int) -> float | None:
    return column.numbers[column.codes[row]]


def _slack(*columns: TableColumn) -> float:
    """What rounding to the decimals that the columns have may come to."""
    return sum(0.51 * 10.0 ** -_places(column) for column in columns) + 0.51 * 10.0 ** -_places(columns[0])


def _places(column: TableColumn) -> int:
    places = Counter(len(text.partition(".")[2]) for text in column.texts[1:200] if text)
    return min(9, max((count for count, often in places.items() if often >= 0.1 * places.total()), default=0))


def _as_written(column: TableColumn, number: float) -> str:
    places = _places(column)
    return f"{number:.{places}f}" if places else as_told(round(number))
