"""Keys that two rows have, where all others differ: one was copied, and the order of the rows may tell which."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.nothing import NAMES_KEY
from resolvers.engines.error_detection.table import MISSING, TableColumn

FEWEST: Final = 50
"""Rows with a key, at least."""
MOST: Final = 0.01
"""The share of the rows, at most, whose key another has; one pair in any case."""
SAME: Final = 0.8
FEWEST_BESIDE: Final = 4
"""The share of the other columns, at least, in which two rows agree that are one, and so many other columns."""
EVEN: Final = 0.6
"""The share of the rows whose key is by the usual step greater than that of the row before, from which keys were given
in this order."""

_NUMBER: Final = re.compile(r"\d{1,15}$")


def repeated_key_signs(table: Sequence[TableColumn]) -> dict[tuple[int, int], Reason]:
    """For the cells of keys that two rows have, why: both at even odds, or the one that is out of order alone."""
    signs: dict[tuple[int, int], Reason] = {}
    for column in table:
        twice = [code for code in range(1, len(column.texts)) if column.counts[code] == 2]
        more = column.present - column.distinct
        if not twice or column.present < FEWEST or more > max(1, MOST * column.present) or more > len(twice):
            continue
        if not column.is_scalar or not NAMES_KEY.search(column.name):
            continue
        rows: dict[int, list[int]] = defaultdict(list)
        for row, code in enumerate(column.codes):
            rows[code].append(row)
        numbers, step = _counted_up(column)
        for code in twice:
            if _are_one(table, column, *rows[code]):
                continue  # the row was loaded twice, and its key is right
            odd = [row for row in rows[code] if step and not _fits(numbers, row, step)]
            told = f"2 rows have it, and {column.distinct - len(twice):,} others each have their own."
            for row in odd if len(odd) == 1 else rows[code]:
                signs[row, column.index] = Reason(Sign.REPEATED, 4.6 if len(odd) == 1 else 3.2, told)
    return signs


def _are_one(table: Sequence[TableColumn], key: TableColumn, row: int, other: int) -> bool:
    """Return whether two rows tell the same in nearly all other columns."""
    same = sum(column.codes[row] == column.codes[other] for column in table if column is not key)
    return len(table) > FEWEST_BESIDE and same >= SAME * (len(table) - 1)


def _counted_up(column: TableColumn) -> tuple[list[int | None], int]:
    """The number at the end of each row's key, and by how much it grows from row to row; 0 where it does not."""
    ends = [None if code == MISSING else _NUMBER.search(column.texts[code]) for code in column.codes]
    numbers = [None if end is None else int(end[0]) for end in ends]
    steps = Counter(
        other - one for one, other in pairwise(numbers) if one is not None and other is not None and other != one
    )
    if steps.total() < FEWEST:
        return numbers, 0
    step, often = steps.most_common(1)[0]
    return numbers, step if often >= EVEN * steps.total() else 0


def _fits(numbers: Sequence[int | None], row: int, step: int) -> bool:
    """Return whether a row's key is one step from that of a neighbour."""
    own = numbers[row]
    before = numbers[row - 1] if row else None
    after = numbers[row + 1] if row + 1 < len(numbers) else None
    return own is not None and (before == own - step or after == own + step)
