"""Conventions of writing that a column keeps but for a few values: decimals, signs between thousands, between parts."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

from resolvers.engines.errors.evidence import Reason, Sign
from resolvers.engines.errors.missing import is_stand_in
from resolvers.engines.errors.table import Column

KEPT: Final = 0.9
"""The share of the rows in question that keep to a convention."""
MIXED: Final = 0.6
"""The same for what nobody mixes on purpose."""
FEWEST: Final = 20
"""Rows that have to keep to it, at least."""

_PLAIN_NUMBER: Final = re.compile(r"[+-]?\d+(?:\.(\d+))?")
_THOUSANDS: Final = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_BETWEEN: Final = re.compile(r"\s*[,;|/]\s*")
_GAP: Final = re.compile(r"\S(?:\s{2,}|\t)\S")


def format_signs(column: Column) -> dict[int, Reason]:
    """For each code that breaks a convention of its column, why; the heaviest reason."""
    found: dict[int, Reason] = {}
    if column.present < FEWEST:
        return found
    numeric = column.number_share >= 0.6
    for signs in (_decimals(column), _thousands(column)) if numeric else (_separators(column), _gaps(column)):
        for code, reason in signs.items():
            if code not in found or found[code].weight < reason.weight:
                found[code] = reason
    return found


def _minority(
    column: Column, kinds: Mapping[int, str], told: str, weight: float, kept: float = KEPT
) -> dict[int, Reason]:
    """The codes of another kind than nearly all of those that have one."""
    rows: Counter[str] = Counter()
    for code, kind in kinds.items():
        rows[kind] += column.counts[code]
    if len(rows) < 2:
        return {}
    (top, most), *_ = rows.most_common(1)
    share = most / rows.total()
    if share < kept or most < FEWEST:
        return {}
    reason = Reason(Sign.PATTERN, weight, f"{share:.1%} of the values like it {told} {top!r}.")
    return {code: reason for code, kind in kinds.items() if kind != top}


def _decimals(column: Column) -> dict[int, Reason]:
    """Fractions among whole numbers, and another number of decimals where zeros at the end are written too."""
    kinds: dict[int, str] = {}
    zeros = rows = 0
    for code in range(1, len(column.texts)):
        match = _PLAIN_NUMBER.fullmatch(column.texts[code])
        if match is None:
            continue
        decimals = match[1] or ""
        kinds[code] = str(len(decimals))
        if decimals:
            rows += column.counts[code]
            zeros += column.counts[code] * decimals.endswith("0")
    found = _minority(column, kinds, "have so many decimals:", 3.5)
    whole = found and next(kind for code, kind in kinds.items() if code not in found) == "0"
    # Where numbers drop their zeros, how many decimals they have says nothing.
    return found if whole or zeros > 0.03 * rows else {}


def _thousands(column: Column) -> dict[int, Reason]:
    """Large numbers that nearly all have, or have not, a sign between the thousands."""
    kinds = {
        code: "9,999" if _THOUSANDS.fullmatch(column.texts[code]) else "9999"
        for code, number in enumerate(column.numbers)
        if number is not None and abs(number) >= 1000
    }
    return _minority(column, kinds, "are written as", 3.8, kept=MIXED)


def _separators(column: Column) -> dict[int, Reason]:
    """Lists whose parts stand apart by another sign than those of nearly all lists of the column."""
    split = {
        code: parts
        for code in range(1, len(column.texts))
        if not is_stand_in(column.texts[code]) and len(parts := _BETWEEN.split(column.texts[code])) > 1
    }
    seen: Counter[str] = Counter()
    for code in range(1, len(column.texts)):
        for part in set(split.get(code, (column.texts[code],))):
            seen[part] += 1
    kinds: dict[int, str] = {}
    for code, parts in split.items():
        # Only what other values hold as well is a part, and not a sign within a value.
        if sum(seen[part] > 1 and any(map(str.isalpha, part)) for part in parts) > 0.5 * len(parts):
            between = set(_BETWEEN.findall(column.texts[code]))
            kinds[code] = between.pop() if len(between) == 1 else "mixed"
    return _minority(column, kinds, "have between their parts", 3.8, kept=MIXED)


def _gaps(column: Column) -> dict[int, Reason]:
    """Two spaces in a row, where hardly any value has them."""
    wide = [code for code in range(1, len(column.texts)) if _GAP.search(column.texts[code])]
    rows = sum(column.counts[code] for code in wide)
    if rows > 0.05 * column.present:
        return {}
    reason = Reason(Sign.WRITING, 3.5, "It has white space more than once in a row.")
    return dict.fromkeys(wide, reason)


def parts_of(text: str) -> list[str]:
    """The parts of a text that is a list, or the text alone."""
    return _BETWEEN.split(text)
