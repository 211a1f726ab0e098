"""Numbers whose check digits are wrong, in columns of numbers that have some: IBANs, cards, articles, personal numbers.

Where nearly all values of a column pass a check that few others would pass, it is one of the numbers that the check is
for. One of their form that fails it was written wrongly, whatever else it looks like.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from stdnum import ean, isbn, isin, issn, luhn

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import TableColumn
from resolvers.engines.recognition.model import Recognizer, Strength
from resolvers.engines.recognition.numbers import NUMBERS

FEWEST: Final = 20
"""Different values that pass, at least."""
MEANT: Final = 0.9
"""The share of the values that pass, for the check to be the column's."""
MOST_BY_CHANCE: Final = 0.15
"""The share of other values that pass a check, at most, for its failing to tell anything."""
MOST_WRONG: Final = 0.6
"""The share of the different values, at least, that pass even where nearly all rows do."""
FIRST_LOOK: Final = 40
"""Values after which a check is given up where fewer than half of them passed."""
SHORTEST: Final = 8
LONGEST: Final = 42
"""Characters that the numbers of a column have, for a check to be tried."""
FEW: Final = 0.02
"""The share of the rows up to which those that fail are surely slips; more may be numbers of another kind."""
SURE: Final = 6.0
LESS: Final = 24.0
"""What a wrong check digit weighs, and how much less for the share of the rows beyond `FEW`."""

Test = Callable[[str], bool]

_NUMBER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ./-]*[A-Za-z0-9]")
_BETWEEN: Final = re.compile(r"[ ./-]")


def _is_luhn(text: str) -> bool:
    digits = _BETWEEN.sub("", text)
    return digits.isdigit() and len(set(digits)) > 1 and bool(luhn.is_valid(digits))


def _checks() -> Iterator[tuple[str, Test, tuple[int, ...]]]:
    """Yield what each check is of, the check, and how many digits a number has that lost its leading zeros."""
    for name, test in (
        ("ISBN", isbn.is_valid),
        ("EAN", ean.is_valid),
        ("ISIN", isin.is_valid),
        ("ISSN", issn.is_valid),
    ):
        yield name, test, ()
    for one in NUMBERS:
        if _has_check(one):
            yield one.reason, one.test, one.width
    yield "numbers with a check digit (Luhn)", _is_luhn, ()


def _has_check(one: Recognizer) -> bool:
    """Return whether a recogniser goes by check digits, and not by form alone."""
    return one.strength in (Strength.PROOF, Strength.CHECKED) and one.chance <= MOST_BY_CHANCE and "check" in one.reason


_CHECKS: Final = tuple(_checks())


def check_digit_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code that is written as a number of the column's kind and fails its check, why."""
    texts = {
        code: text
        for code, text in enumerate(column.texts)
        if SHORTEST <= len(text) <= LONGEST and _NUMBER.fullmatch(text) and any(map(str.isdigit, text))
    }
    rows = sum(column.counts[code] for code in texts)
    if len(texts) < max(FEWEST, MOST_WRONG * column.distinct):
        return {}
    if len(texts) < MEANT * column.distinct and rows < MEANT * column.present:
        return {}
    best: tuple[int, str, set[int]] | None = None
    for told, test, widths in _CHECKS:
        passed = _passed(texts, test, widths)
        if _is_meant(column, passed, rows, len(texts)) and (best is None or len(passed) > best[0]):
            best = len(passed), told, passed
    return {} if best is None else _judged(column, texts, best[2], best[1])


def _is_meant(column: TableColumn, passed: set[int], rows: int, different: int) -> bool:
    """Return whether nearly all numbers pass: of the different ones, or of the rows where each stands in several.

    A number that was written wrongly mostly stands in one row, so of the different ones many may be wrong.
    """
    if len(passed) < max(FEWEST, MOST_WRONG * different):
        return False
    return len(passed) >= MEANT * different or sum(column.counts[code] for code in passed) >= MEANT * rows


def _passed(texts: Mapping[int, str], test: Test, widths: tuple[int, ...]) -> set[int]:
    """The codes that pass a check; none where the first few already show that it is not the column's."""
    passed: set[int] = set()
    for tried, (code, text) in enumerate(texts.items()):
        if tried == FIRST_LOOK and len(passed) < 0.5 * tried:
            return set()
        if test(text) or (text.isdigit() and any(test(text.zfill(width)) for width in widths if width > len(text))):
            passed.add(code)
    return passed


def _judged(column: TableColumn, texts: Mapping[int, str], passed: set[int], told: str) -> dict[int, Reason]:
    lengths = {len(_BETWEEN.sub("", texts[code])) for code in passed}
    failed = [code for code in texts if code not in passed and len(_BETWEEN.sub("", texts[code])) in lengths]
    share = sum(column.counts[code] for code in failed) / column.present
    weight = SURE - LESS * max(0.0, share - FEW)
    why = f"Its check digits are wrong. Of the column's values {len(passed)} of {len(texts)} pass: {told}."
    return dict.fromkeys(failed, Reason(Sign.PATTERN, weight, why, in_itself=True))
