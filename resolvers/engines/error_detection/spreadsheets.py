"""Numbers of which a spreadsheet made amounts: codes without their leading zeros, long ones as powers of ten.

Codes of digits have one length, and those that begin with 0 show that they are no amounts.
"""

import re
from collections import Counter
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import TableColumn

FEWEST: Final = 20
"""Rows with a code, at least."""
SHORTEST: Final = 5
"""Digits of a code, at least, of which it is told."""
ONE_LENGTH: Final = 0.75
"""The share of the rows with digits only, at least, that have the usual number of them."""
MOST: Final = 0.2
"""The share of the rows, at most, that a spreadsheet spoiled."""
FEWEST_PADDED: Final = 3
"""Rows of the usual length that begin with 0, at least, and what part of those that are too short they are."""
MOST_LOST: Final = 4
"""Zeros that are lost at most."""

LONG_SHARE: Final = 0.5
"""The share of the other values, at least, that are long numbers."""

_DIGITS: Final = re.compile(r"\d+")
_FIGURES: Final = re.compile(r"\d[.,]\d{2,}[eE]\+?(\d{1,2})")
_LONG: Final = re.compile(r"\+?[\d -]{7,}\d?[A-Za-z]?")
_POWER: Final = re.compile(r"\d(?:[.,]\d+)?[eE]\+?(\d{1,2})")


def spreadsheet_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code that a spreadsheet made another number of, why."""
    if column.present < FEWEST:
        return {}
    return _powers_beside(column) | (_of_digits(column) if column.number_share >= MOST else {})


def _of_digits(column: TableColumn) -> dict[int, Reason]:
    """The same in a column of digits only, where lost zeros are told too."""
    lengths: Counter[int] = Counter()
    padded: Counter[int] = Counter()
    powers: dict[int, int] = {}
    for code in range(1, len(column.texts)):
        text, rows = column.texts[code], column.counts[code]
        if _DIGITS.fullmatch(text):
            lengths[len(text)] += rows
            padded[len(text)] += rows if text[0] == "0" and text.strip("0") else 0
        elif match := _POWER.fullmatch(text):
            powers[code] = int(match[1]) + 1
    if not lengths or lengths.total() < max(FEWEST, (1 - MOST) * column.present):
        return {}
    usual, most = lengths.most_common(1)[0]
    if usual < SHORTEST or most < ONE_LENGTH * lengths.total():
        return {}
    return _powers(column, powers, lengths) | _shortened(column, usual, lengths, padded[usual])


def _powers_beside(column: TableColumn) -> dict[int, Reason]:
    """Powers of ten with several figures, where most values are long numbers, with a sign or letters beside or not."""
    powers = {
        code: int(match[1]) + 1
        for code, text in enumerate(column.texts)
        if (match := _FIGURES.fullmatch(text)) is not None
    }
    rows = sum(column.counts[code] for code in powers)
    if not powers or rows > MOST * column.present:
        return {}
    lengths: Counter[int] = Counter()
    for code, text in enumerate(column.texts):
        if code and code not in powers and _LONG.fullmatch(text):
            lengths[sum(map(str.isdigit, text))] += column.counts[code]
    if lengths.total() < LONG_SHARE * (column.present - rows):
        return {}
    reason = Reason(Sign.PATTERN, 5.0, "It is a power of ten, as a spreadsheet makes of a long number.", in_itself=True)
    return {code: reason for code, digits in powers.items() if lengths[digits] >= FEWEST_PADDED}


def _powers(column: TableColumn, powers: dict[int, int], lengths: Counter[int]) -> dict[int, Reason]:
    """Powers of ten with as many digits as codes of the column have."""
    rows = sum(column.counts[code] for code in powers)
    if rows > MOST * column.present:
        return {}
    reason = Reason(Sign.PATTERN, 5.0, "It is a power of ten, as a spreadsheet makes of a long number.", in_itself=True)
    return {code: reason for code, digits in powers.items() if lengths[digits] >= FEWEST_PADDED}


def _shortened(column: TableColumn, usual: int, lengths: Counter[int], padded: int) -> dict[int, Reason]:
    """Digits that lack what begins with 0 in other codes."""
    short = sum(rows for length, rows in lengths.items() if usual - MOST_LOST <= length < usual)
    if not 0 < short <= min(MOST * column.present, FEWEST_PADDED * padded) or padded < FEWEST_PADDED:
        return {}
    told = f"Codes have {usual} digits here, and those of {padded} rows begin with 0: it has lost its zeros."
    return {
        code: Reason(Sign.PATTERN, 4.2, told, column.texts[code].zfill(usual))
        for code in range(1, len(column.texts))
        if usual - MOST_LOST <= len(column.texts[code]) < usual and _DIGITS.fullmatch(column.texts[code])
    }
