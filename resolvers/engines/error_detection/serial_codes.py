"""Codes of one length that hardly ever come again, such as numbers of chassis and of articles: cut off, in the other
case, or with a letter that the others leave out.

Whoever gives out such codes leaves out letters that are taken for digits, or uses few. What no code has but here and
there one was read or typed wrongly.
"""

import re
from collections import Counter
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import TableColumn

FEWEST: Final = 100
"""Rows with a code, at least."""
OF_ONE_LENGTH: Final = 0.9
OF_ONE_CASE: Final = 0.95
"""The share of the rows that have the usual length and the usual case, at least."""
SHORTEST: Final = 8
DIFFERENT: Final = 0.8
"""The share of the codes that are different, at least."""
LETTERS: Final = 6
"""Letters that the codes use, at least, for one to be missed."""
EXPECTED: Final = 50
RARE: Final = 0.1
"""Rows that have a usual letter, at least, and those that have a rare one, as a part of these, at most."""

_CODE: Final = re.compile(r"(?=.*[0-9])(?=.*[^\W\d_])[^\W_]+")


def serial_code_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code that is not written as all others of its column are, why."""
    if column.present < FEWEST or column.distinct < DIFFERENT * column.present:
        return {}
    codes = {code: text for code, text in enumerate(column.texts) if code and _CODE.fullmatch(text)}
    rows = sum(column.counts[code] for code in codes)
    lengths: Counter[int] = Counter()
    for code, text in codes.items():
        lengths[len(text)] += column.counts[code]
    if not lengths or rows < OF_ONE_LENGTH * column.present:
        return {}
    length, most = lengths.most_common(1)[0]
    if length < SHORTEST or most < OF_ONE_LENGTH * rows:
        return {}
    uppers = sum(column.counts[code] for code, text in codes.items() if text.isupper())
    lowers = sum(column.counts[code] for code, text in codes.items() if text.islower())
    found: dict[int, Reason] = {}
    is_one_case = max(uppers, lowers) >= OF_ONE_CASE * rows
    sound = {code: text for code, text in codes.items() if text.isupper() is (uppers > lowers)}
    rare = _rare_letters(column, sound) if is_one_case else frozenset()
    for code, text in codes.items():
        if len(text) != length:
            told = f"{most / rows:.0%} of the codes have {length} signs, and this has {len(text)}."
            found[code] = Reason(Sign.PATTERN, 4.4, told)
        elif is_one_case and not (text.isupper() if uppers > lowers else text.islower()):
            told = f"{max(uppers, lowers) / rows:.0%} of the codes are written in one case, and this is not."
            found[code] = Reason(Sign.PATTERN, 4.4, told)
        elif odd := sorted(set(text) & rare):
            told = f"Hardly any other of these codes has {odd[0]!r}, though each letter that they use is in many."
            found[code] = Reason(Sign.PATTERN, 4.2, told)
    return found


def _rare_letters(column: TableColumn, codes: dict[int, str]) -> frozenset[str]:
    """The letters that far fewer rows have than have those which the codes use."""
    rows: Counter[str] = Counter()
    for code, text in codes.items():
        for letter in set(filter(str.isalpha, text)):
            rows[letter] += column.counts[code]
    ordered = sorted(rows.values())
    usual = ordered[len(ordered) // 2] if ordered else 0
    if len(ordered) < LETTERS or usual < EXPECTED:
        return frozenset()
    return frozenset(letter for letter, count in rows.items() if count <= RARE * usual)
