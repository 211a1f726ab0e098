"""Numbers with their unit behind them, spelt in several ways, of which the right one may be the rarest or none.

`12.0 oz`, `12.0 OZ.` and `12 ounce` are one thing in three spellings. Where one spelling leads, the others are wrong;
where none does, the column is one of numbers that nobody can reckon with, and its form is the plain number.
"""

import re
from collections import Counter, defaultdict
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.error_detection.table import TableColumn

FEWEST: Final = 20
"""Rows with a value, at least."""
MEASURED: Final = 0.9
"""The share of the rows with a value that are numbers, with or without a unit."""
ONE_UNIT: Final = 0.8
"""The share of these that have the same unit, or none."""
LEADING: Final = 0.6
"""The share of the rows from which a spelling is the column's."""
USED: Final = 0.02
"""The share of the rows from which a spelling is more than a slip."""
MOST_SPELLINGS: Final = 40

_MEASURE: Final = re.compile(
    r"([+-]?\d{1,12}(?:\.\d{1,20})?)(\s*)([^\W\d_]{1,12}\b|%)(\W*)((?:\s+[^\W\d_][\w-]*){0,3})"
)


def unit_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code that spells its unit otherwise than the column, or as the column should not, why."""
    if column.present < FEWEST or column.number_share > MEASURED:
        return {}
    parts = {
        code: match
        for code in range(1, len(column.texts))
        if column.texts[code][-1:] not in "0123456789" and (match := _MEASURE.fullmatch(column.texts[code]))
    }
    spoken = column.present - sum(
        count for text, count in zip(column.texts, column.counts, strict=True) if is_stand_in(text)
    )
    plain = sum(count for number, count in zip(column.numbers, column.counts, strict=True) if number is not None)
    if sum(column.counts[code] for code in parts) + plain < MEASURED * spoken:
        return {}
    same = _of_one_unit(column, parts)
    rows = sum(column.counts[code] for code in same)
    if rows + plain < ONE_UNIT * spoken or rows < LEADING * spoken:
        return {}  # a few units among numbers are told of elsewhere
    spelt = {code: _spelling(parts[code]) for code in same}
    often: Counter[str] = Counter({"": plain} if plain else {})
    for code, spelling in spelt.items():
        often[spelling] += column.counts[code]
    if not 2 <= len(often) <= MOST_SPELLINGS:
        return {}
    (top, most), *_ = often.most_common(1)
    if most >= LEADING * spoken:
        return _minor(column, spelt, parts, top, most / spoken)
    if sum(count >= USED * spoken for count in often.values()) < 3:
        return {}
    told = f"The column spells one unit in {len(often)} ways, so that its numbers are texts."
    found = {}
    for code, spelling in spelt.items():
        weight = 3.8 if spelling == top else 4.2
        found[code] = Reason(Sign.PATTERN, weight, told, f"{float(parts[code][1]):.12g}")
    return found


def _minor(
    column: TableColumn, spelt: dict[int, str], parts: dict[int, re.Match[str]], top: str, share: float
) -> dict[int, Reason]:
    leading = max((code for code in spelt if spelt[code] == top), key=column.counts.__getitem__)
    behind = parts[leading][2] + parts[leading][3] + parts[leading][4]
    return {
        code: Reason(
            Sign.WRITING, 3.9, f"{share:.0%} of the column write {behind.strip()!r} behind the number.",
            parts[code][1] + behind,
        )
        for code, spelling in spelt.items()
        if spelling != top
    }  # fmt: skip


def _spelling(match: re.Match[str]) -> str:
    """How a unit is spelt, whether of one or of several, and whatever stands behind it."""
    unit = match[3] if len(match[3]) < 3 else match[3].removesuffix("s").removesuffix("S")
    return unit + match[4].strip() + match[5]


def _of_one_unit(column: TableColumn, parts: dict[int, re.Match[str]]) -> list[int]:
    """The codes whose unit is the most frequent, or begins as it does and measures things of the same size."""
    words: dict[str, list[int]] = defaultdict(list)
    for code, match in parts.items():
        words[match[3].casefold()].append(code)
    if not words:
        return []
    often = {word: sum(column.counts[code] for code in codes) for word, codes in words.items()}
    top = max(often, key=lambda word: (often[word], word))
    numbers = {float(parts[code][1]) for code in words[top]}
    found = list(words[top])
    for word, codes in words.items():
        if word == top:
            continue
        shared = sum(column.counts[code] for code in codes if float(parts[code][1]) in numbers)
        if word[0] == top[0] and 2 * shared >= often[word]:
            found += codes
    return found
