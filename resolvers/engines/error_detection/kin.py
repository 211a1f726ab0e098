"""Figures that lie far off in nearly all rows of one thing: what is so there, and no slips.

The ill have other blood, and on the day of a storm all trains are late. What slips has kin by chance only.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import MISSING, TableColumn

OF_A_THING: Final = 3
KINDS: Final = 10
"""Rows of a thing, and how many things there are, at least, for a figure to be theirs."""
NEARLY_ALL: Final = 0.8
"""The share of the rows of a thing, at least, that lie far off."""
RARELY: Final = 1e-2
"""How probable it may be, at most, that slips meet so many rows of some thing."""
BEYOND: Final = 8
"""How many times as much as that of most rows of its thing a figure is that is off among these too."""

Cells = Mapping[tuple[int, int], list[Reason]]


def clear_kin(table: Sequence[TableColumn], cells: Cells) -> None:
    """Take back that figures lie far off where those of nearly all rows of the same thing do."""
    far: dict[int, list[int]] = defaultdict(list)
    for (row, index), reasons in cells.items():
        if any(map(_is_far, reasons)):
            far[index].append(row)
    for index, rows in far.items():
        told = [row for row, code in enumerate(table[index].codes) if code != MISSING]
        for other in table if len(rows) >= OF_A_THING else ():
            if other.index != index and KINDS <= other.distinct <= len(told) / OF_A_THING:
                for row in _kin(table[index], told, other, rows, cells, len(table)):
                    cells[row, index][:] = [one for one in cells[row, index] if not _is_far(one)]


def _is_far(reason: Reason) -> bool:
    return reason.sign is Sign.OUTLIER and not reason.in_itself and not reason.by_sign


def _kin(
    column: TableColumn, told: Sequence[int], other: TableColumn, far: Sequence[int], cells: Cells, tries: int
) -> list[int]:
    """Those of the rows far off that have it in common with nearly all rows of a thing that another column names."""
    plain = [row for row in far if not cells.get((row, other.index))]  # two may be wrong together
    many, within = Counter(other.codes[row] for row in told), Counter(other.codes[row] for row in plain)
    share = len(far) / len(told)
    things = {
        code
        for code, count in within.items()
        if code != MISSING
        and count >= max(OF_A_THING, NEARLY_ALL * many[code])
        and count * math.log(share) + math.log(other.distinct * tries) <= math.log(RARELY)
    }
    rows: dict[int, list[int]] = defaultdict(list)
    for row in told if things else ():
        if other.codes[row] in things:
            rows[other.codes[row]].append(row)
    middle = {code: _middle(column, some) for code, some in rows.items()}
    return [
        row
        for row in plain
        if other.codes[row] in things and _is_near(column.numbers[column.codes[row]], middle[other.codes[row]])
    ]


def _middle(column: TableColumn, rows: Sequence[int]) -> float | None:
    ordered = sorted(number for row in rows if (number := column.numbers[column.codes[row]]) is not None)
    return ordered[len(ordered) // 2] if ordered else None


def _is_near(number: float | None, middle: float | None) -> bool:
    """Return whether a figure is not beyond those of its own thing by a factor, as one that lost its point is."""
    if number is None or middle is None or number <= 0 or middle <= 0:
        return True
    return 1 / BEYOND < number / middle < BEYOND
