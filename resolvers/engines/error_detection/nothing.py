"""What a column writes where it has no value, though it is one of numbers, of keys, or has empty cells for that.

How many rows have it says nothing here: half of a column of numbers may be `N/A`, and none of that is a number.
"""

import re
from collections.abc import Sequence
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.missing import is_nothing, is_stand_in
from resolvers.engines.error_detection.table import MISSING, TableColumn

FEWEST: Final = 20
"""Rows with a number, at least, for a column to be one of numbers."""
MOST: Final = 0.95
"""The share of the rows up to which something stands for none."""
WORDS: Final = 0.05
"""Words that are no stand-ins, beside the numbers of a column, at most."""
EMPTY: Final = 0.01
"""The share of the rows that are left empty, at least, for that to be the column's way of telling none."""
OFTENER: Final = 5
"""How many times as often as any other a key stands for none, at least."""
KNOWN_LESS: Final = 8
"""Rows, at least, that are empty in two columns together, for that to be no chance."""

NAMES_KEY: Final = re.compile(r"(?:^|[_\s-])(?:id|key|ref|code|no|nr|fk)$|[a-z](?:Id|ID|Key|Ref|No|Nr)$", re.IGNORECASE)
"""Names of columns that hold keys."""
_MEANT: Final = frozenset(["none", "unknown", "unk", "-", "--", "undefined", "unspecified", "na", "nil", "dummy"])
"""Stand-ins that may be a value among words: of no kind, of a kind that is not known, a name."""


def nothing_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code that stands for none where the column has another way to tell it, why."""
    size = len(column.codes)
    stand_ins = [
        code
        for code in range(1, len(column.texts))
        if is_stand_in(column.texts[code]) and column.counts[code] <= MOST * size
    ]
    found: dict[int, Reason] = {}
    if not column.counts[MISSING]:
        # A mark is how a format writes none, as a log does; beside empty cells it is a second way.
        stand_ins = [code for code in stand_ins if any(map(str.isalnum, column.texts[code]))]
    if stand_ins and _is_of_numbers(column):
        told = "It stands for none in a column of numbers."
        found |= dict.fromkeys(stand_ins, Reason(Sign.STAND_IN, 4.4, told))
    elif stand_ins and column.counts[MISSING] >= max(3, EMPTY * size):
        told = f"It stands for none, for which {column.counts[MISSING]} rows are left empty."
        plain = [code for code in stand_ins if column.texts[code].strip().casefold() not in _MEANT]
        found |= dict.fromkeys(plain, Reason(Sign.STAND_IN, 3.6, told))
    if (key := _key_of_none(column)) is not None:
        told = f"{column.counts[key]} rows have it where others have keys of their own: it names nothing."
        found[key] = Reason(Sign.STAND_IN, 3.8, told)
    return found


def _is_of_numbers(column: TableColumn) -> bool:
    words = sum(
        count
        for text, count, number in zip(column.texts, column.counts, column.numbers, strict=True)
        if text and number is None and not is_stand_in(text)
    )
    numbers = column.number_share * column.present
    return numbers >= FEWEST and words <= WORDS * numbers


def _key_of_none(column: TableColumn) -> int | None:
    """The code of -1 or 0 in a column of keys that are above it, and each of which fewer rows have."""
    if column.number_share < 1 - WORDS or not NAMES_KEY.search(column.name):
        return None
    keys = {code: number for code, number in enumerate(column.numbers) if number is not None}
    low = min(keys, key=keys.__getitem__, default=MISSING)
    if len(keys) < FEWEST or keys[low] not in (-1.0, 0.0) or any(number % 1 for number in keys.values()):
        return None
    next_often = max(column.counts[code] for code in keys if code != low)
    is_often = column.counts[low] >= max(3, OFTENER * next_often)
    return low if is_often and column.counts[low] <= MOST * len(column.codes) else None


def known_less(table: Sequence[TableColumn], column: TableColumn) -> bool:
    """Return whether the rows that are empty here are nearly all empty in another column that most rows have.

    Less is known of such a thing, and no cell of it was forgotten.
    """
    rows = [row for row, code in enumerate(column.codes) if code == MISSING]
    if len(rows) < KNOWN_LESS:
        return False
    for other in table:
        if other is column:
            continue
        empty = {code for code, text in enumerate(other.texts) if is_nothing(text)}
        share = sum(other.counts[code] for code in empty) / len(other.codes)
        together = sum(other.codes[row] in empty for row in rows)
        if together >= MOST * len(rows) and share <= 0.6:
            return True
    return False
