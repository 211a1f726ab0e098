"""Odd values and empty cells that keep to the rows of one value of another column: what is so there, and no slips.

One supplier writes its numbers in groups, a device that is serviced measures nothing, and what was ordered last has not
come yet. Slips are strewn over all rows. That so many should meet only rows with one value of another column, or only
the last rows of the table, were a chance too small to believe in.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final

from resolvers.engines.error_detection.dependencies import Votes
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.error_detection.table import MISSING, TableColumn

FEWEST: Final = 8
"""Rows that are odd in the same way, at least."""
MOST: Final = 0.2
"""The share of the rows, at most; more are looked at as a form of the column."""
KEPT: Final = 0.97
"""The share of them, at least, that have the one value."""
MUTUAL: Final = 0.8
"""Where so many of them have the one value, and so many of the rows with that value are odd so, the two mean one
another, and only rows with it are right: the others are slips, or have a wrong value there."""
CHANCE: Final = 1e-4
"""How probable it may be, at most, that slips keep to one value of some column."""
MOST_VALUES: Final = 50
"""Different values of a column that may tell."""
DEFAULT: Final = 0.1
"""The share of the rows that have one number, from which it is no figure of their own."""
LAST: Final = 0.05
"""The last rows of a table, as a share of all."""

Cells = Mapping[tuple[int, int], list[Reason]]


def keeps_to_one(rows: Sequence[int], column: TableColumn, table: Sequence[TableColumn]) -> bool:
    """Return whether nearly all of some rows have one value of another column, as chance would hardly have it."""
    size = len(column.codes)
    if not FEWEST <= len(rows) <= MOST * size:
        return False
    if _is_chance_excluded(sum(row >= (1 - LAST) * size for row in rows), len(rows), LAST, 1):
        return True
    for other in table:
        if other is column or not 2 <= other.distinct <= MOST_VALUES:
            continue
        code, count = Counter(other.codes[row] for row in rows).most_common(1)[0]
        if code == MISSING or is_stand_in(other.texts[code]):
            continue
        share, tries = other.counts[code] / size, len(table) * other.distinct
        if _is_chance_excluded(count, len(rows), share, tries):
            # A row without a figure of its own has nothing that could be written otherwise.
            own = _share_of_own(column, other, code)
            if own == share or _is_chance_excluded(count, len(rows), own, tries):
                return True
    return False


def kept_together(
    rows: Sequence[int], column: TableColumn, table: Sequence[TableColumn], cells: Cells
) -> Sequence[int]:
    """Return those of some rows that have one value of another column, where most do, and hardly any other row has it.

    Prices in yen have no decimals, also where some currencies are wrong.
    """
    size = len(column.codes)
    if not FEWEST <= len(rows) <= MOST * size:
        return ()
    for other in table:
        if other is column or not 2 <= other.distinct <= MOST_VALUES:
            continue
        code, count = Counter(other.codes[row] for row in rows).most_common(1)[0]
        if code == MISSING or is_stand_in(other.texts[code]):
            continue
        with_it = sum(mine != MISSING for mine, its in zip(column.codes, other.codes, strict=True) if its == code)
        if count >= MUTUAL * max(len(rows), with_it) and _is_hardly_chance(
            count, len(rows), with_it / size, len(table)
        ):
            # Of a row that slid two cells are odd together, and neither speaks for the other.
            right = [row for row in rows if other.codes[row] == code and not cells.get((row, other.index))]
            return right if 2 * len(right) > count else ()
    return ()


def _is_hardly_chance(count: int, rows: int, share: float, tries: int) -> bool:
    """Return whether a part of some rows is hardly as large by chance, if each were of it as often as any."""
    part = min(count / rows, 1 - 1e-9)
    if part <= share:
        return False
    # Chernoff's bound.
    apart = part * math.log(part / share) + (1 - part) * math.log((1 - part) / (1 - share))
    return math.log(tries * MOST_VALUES) - rows * apart <= math.log(CHANCE)


def _share_of_own(column: TableColumn, other: TableColumn, code: int) -> float:
    """The share of a value of another column in the rows that have not the one number which many rows have: nought."""
    often = max(range(len(column.counts)), key=column.counts.__getitem__)
    if often == MISSING or column.numbers[often] is None or column.counts[often] < DEFAULT * column.present:
        return other.counts[code] / len(column.codes)
    own = [theirs for mine, theirs in zip(column.codes, other.codes, strict=True) if mine != often]
    return own.count(code) / len(own) if own else 1.0


def _is_chance_excluded(count: int, rows: int, share: float, tries: int) -> bool:
    """Return whether so many of some rows are hardly among this share of all by chance, given how often it is tried."""
    return count >= KEPT * rows and share < 1 and count * math.log(share) + math.log(tries) <= math.log(CHANCE)


def clear_confined(table: Sequence[TableColumn], cells: Cells, form: Callable[[str], str]) -> set[tuple[int, int]]:
    """Take back what is held against a form, or an empty cell, that keeps to rows of one value of another column.

    `form` tells what two values have in common that are odd in the same way. Returns columns and codes of such forms.
    """
    odd: dict[tuple[int, Sign, str], list[int]] = defaultdict(list)
    for (row, index), reasons in cells.items():
        code = table[index].codes[row]
        for one in reasons:
            if one.sign in (Sign.PATTERN, Sign.MISSING) and not one.in_itself:
                odd[index, one.sign, form(table[index].texts[code]) if code else ""].append(row)
    meant: set[tuple[int, int]] = set()
    for (index, sign, _), rows in odd.items():
        column = table[index]
        right: Sequence[int] = rows if keeps_to_one(rows, column, table) else ()
        if not right and sign is Sign.PATTERN:
            right = kept_together(rows, column, table, cells)
        if right:
            for row in right:
                reasons = cells[row, index]
                reasons[:] = [one for one in reasons if one.sign is not sign]
                meant.add((index, column.codes[row]))
    return meant


def spare_written(votes: Sequence[Votes], table: Sequence[TableColumn], meant: Set[tuple[int, int]]) -> None:
    """Leave out exceptions that are what the others have, only in a form that is meant."""
    for one in votes:
        column = table[one.dependency.dependent]
        for pair, (_, top, _) in list(one.against.items()):
            if (column.index, pair[1]) in meant and _plain(column.texts[pair[1]]) == _plain(column.texts[top]):
                del one.against[pair]


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
