"""What is typed to get past a field: the same sign over and over, and one value in many rows of a column of all others.

That it stands for none is not told by a list of words, but by how it stands out from what the column holds.
"""

import re
from collections import Counter
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.error_detection.shapes import loose
from resolvers.engines.error_detection.table import TableColumn
from resolvers.engines.error_detection.texts import are_sentences

FEWEST: Final = 50
"""Rows with a value, at least."""
DIFFERENT: Final = 0.85
"""The share of the values that are different, at least, for one that many rows have to stand out."""
MOST_OF_A_VALUE: Final = 2
"""Rows in which nearly all other values of such a column occur, at most."""
NEARLY_ALL: Final = 0.97
OFTEN: Final = 5
STEEP: Final = 2
"""Rows that have a value which stands out, at least, and how many times as many as have any other."""
MOST_VALUES: Final = 12
MOST_FILLED: Final = 0.1
MOST_STRANGE: Final = 0.25
"""How many such values there are at most, and rows that have one, as a share of the others; the second where they are
not written as others are."""
ONE_SIGN: Final = 5
LONG: Final = 7
"""Noughts of a text, at least, and other signs that are all the same: an amount may be 22,222."""

_BETWEEN: Final = re.compile(r"[\W_]+")


def filler_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code that fills a field and tells nothing, why."""
    if column.present < FEWEST or are_sentences(column):
        return {}
    codes = [code for code in range(1, len(column.texts)) if not is_stand_in(column.texts[code])]
    if not codes or len(codes) < 0.3 * column.present:
        return {}
    found = _of_one_sign(column, codes)
    if column.number_share < 0.6:
        for code in _standing_out(column, codes):
            told = f"{column.counts[code]} rows have it, where nearly all have a value of their own."
            found.setdefault(code, Reason(Sign.STAND_IN, 3.8, told))
    return found


def _standing_out(column: TableColumn, codes: list[int]) -> list[int]:
    """The few codes that many rows have, where all others are in one row or two."""
    ranked = sorted(codes, key=lambda code: -column.counts[code])
    counts = [column.counts[code] for code in ranked]
    steep = [
        place for place in range(1, min(MOST_VALUES + 1, len(ranked)))
        if counts[place] < OFTEN and counts[place - 1] >= max(OFTEN, STEEP * counts[place])
    ]  # fmt: skip
    if not steep:
        return []
    often, rest = ranked[: steep[-1]], ranked[steep[-1] :]
    rows = sum(column.counts[code] for code in rest)
    few = sum(column.counts[code] for code in rest if column.counts[code] <= MOST_OF_A_VALUE)
    filled = sum(column.counts[code] for code in often)
    # What is written as nearly no other value is, may be in more rows.
    most = MOST_FILLED if _are_like_others(column, often, rest) else MOST_STRANGE
    is_plain = len(rest) >= DIFFERENT * rows and few >= NEARLY_ALL * rows and filled <= most * rows
    return often if is_plain else []


def _are_like_others(column: TableColumn, often: list[int], rest: list[int]) -> bool:
    forms = Counter(loose(column.texts[code]) for code in rest)
    return any(forms[loose(column.texts[code])] > 0.01 * len(rest) for code in often)


def _of_one_sign(column: TableColumn, codes: list[int]) -> dict[int, Reason]:
    """The codes that are one digit or letter over and over, where hardly any other is: 00000 000000."""
    plain = {code: _BETWEEN.sub("", column.texts[code]).casefold() for code in codes}
    same = [
        code
        for code, text in plain.items()
        if len(set(text)) == 1
        and len(text) >= (ONE_SIGN if text[0] == "0" else LONG)
        and (column.numbers[code] is None or "." not in column.texts[code])
    ]
    others = [text for text in plain.values() if len(set(text)) > 2 and len(text) >= ONE_SIGN]
    if not same or len(others) < 0.9 * (len(plain) - len(same)) or len(others) < FEWEST:
        return {}
    told = "It is the same sign over and over, as it is typed to fill a field."
    reason = Reason(Sign.STAND_IN, 5.6, told, in_itself=True)
    return dict.fromkeys(same, reason) if len(same) <= 10 else {}
