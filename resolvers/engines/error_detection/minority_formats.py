"""Manners of writing that a minor part of a column keeps on purpose, and days that a spreadsheet made of other values.

An accident befalls any value, so what it leaves is spread as the column is. A manner has numbers of its own, or spans
from one of the column's numbers to another, and its values come again.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import TableColumn

FEWEST: Final = 5
"""Rows that have a manner of their own, at least."""
SHARE: Final = 0.005
"""The same as a share of the rows."""
CHANCE: Final = 0.001
"""How probable it may be, at most, that an accident has met only numbers within such a part of the column's."""
MOST_DATED: Final = 0.15
"""The share of the rows, at most, that became days."""
LONGEST_DATED: Final = 8
GROUPED: Final = 0.6
"""The share of the long numbers that have a sign between the thousands, for the column to write them so."""

_DIGITS: Final = re.compile(r"\d+")
_DECIMAL: Final = re.compile(r"\d+(?:\.\d+)?")
_SPAN: Final = re.compile(r"(\d{1,12})[-\u2013/](\d{1,12})")
_LETTERED: Final = re.compile(r"([^\W\d_])\d+(?:[-\u2013/]\1\d+)*")
_BEGINNING: Final = re.compile(r"[^\W\d_]{1,12}(?=[-/. ]?\d)")
_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_DATED: Final = re.compile(rf"\d{{1,2}}-{_MONTH}|{_MONTH}-\d{{1,4}}", re.IGNORECASE)
_CODE: Final = re.compile(r"[A-Z]{0,9}\d[A-Z\d/.\u2013-]*")
_WEST: Final = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)-(\d\d:?\d\d)")
_GROUPS: Final = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])")
_LONG: Final = re.compile(r"\d{4}")


def is_dated(text: str) -> bool:
    """Return whether a text is a day without a year, or a month with one, as spreadsheets write what they take for a
    day.
    """
    return len(text) <= LONGEST_DATED and _DATED.fullmatch(text) is not None


def dated_signs(column: TableColumn) -> dict[int, Reason]:
    """The codes that a spreadsheet made days of: 2-Jan among 1-2 and 3-4, 2-Sep among names of genes."""
    dated = [code for code in range(1, len(column.texts)) if is_dated(column.texts[code])]
    rows = sum(column.counts[code] for code in dated)
    if not dated or rows > MOST_DATED * column.present:
        return {}
    # Only among numbers and codes: where days are what the column holds, one is no accident.
    codes = sum(column.counts[code] for code in range(1, len(column.texts)) if _CODE.fullmatch(column.texts[code]))
    if 2 * codes < column.present - rows:
        return {}
    return dict.fromkeys(dated, Reason(Sign.PATTERN, 4.2, "It is a day, as a spreadsheet makes of numbers and codes."))


def numbered_manners(column: TableColumn) -> frozenset[int]:
    """Of a column of numbers, the codes that are written otherwise on purpose."""
    kinds: dict[str, dict[int, float]] = defaultdict(dict)
    spans: set[int] = set()
    known = {number for number in column.numbers if number is not None}
    for code in range(1, len(column.texts)):
        text = column.texts[code]
        if column.numbers[code] is not None or is_dated(text):
            continue
        if span := _SPAN.fullmatch(text):
            first, last = float(span[1]), float(span[2])
            if first < last and first in known and last in known:
                spans.add(code)
        elif len(found := _DECIMAL.findall(text)) == 1 and len(found[0]) < 13:
            kinds[_DECIMAL.sub("0", text)][code] = float(found[0])
    meant: set[int] = spans if _come_again(column, spans) else set()
    for some in kinds.values():
        if _come_again(column, some.keys()) and _have_own_numbers(column, some):
            meant |= some.keys()
    return frozenset(meant)


def _come_again(column: TableColumn, codes: Set[int]) -> bool:
    rows = sum(column.counts[code] for code in codes)
    return rows >= max(FEWEST, SHARE * column.present, 2 * len(codes))


def _have_own_numbers(column: TableColumn, some: dict[int, float]) -> bool:
    """Return whether numbers keep to a part of the column's range, as chance would hardly have it."""
    low, high = min(some.values()), max(some.values())
    pairs = zip(column.numbers, column.counts, strict=True)
    within = sum(count for number, count in pairs if number is not None and low <= number <= high)
    share = within / max(1.0, column.number_share * column.present)
    return share ** sum(column.counts[code] for code in some) <= CHANCE


def lettered_manners(column: TableColumn) -> frozenset[int]:
    """The codes with the same letter before each number, where several have it: e12, S270-S284."""
    rows: Counter[str] = Counter()
    kinds: dict[str, list[int]] = defaultdict(list)
    for code in range(1, len(column.texts)):
        text = column.texts[code]
        if text[0].isalpha() and text[-1].isdigit() and (match := _LETTERED.fullmatch(text)):
            rows[match[1]] += column.counts[code]
            kinds[match[1]].append(code)
    least = max(FEWEST, 0.01 * column.present)
    return frozenset(code for letter, some in kinds.items() if rows[letter] >= least for code in some)


def own_series(column: TableColumn, forms: Sequence[str], main: Set[str]) -> frozenset[int]:
    """The codes of a form that the numbers of few series have and of hardly any other, so that no slips made it.

    Slips meet the numbers of any series. That all of them met those of few is chance where these are most of all.
    `forms` holds the form of each code, `main` those that are usual.
    """
    begun: dict[str, Counter[str]] = defaultdict(Counter)
    usual: Counter[str] = Counter()
    kinds: Counter[tuple[str, str]] = Counter()
    for code in range(1, len(forms)):
        if (match := _BEGINNING.match(column.texts[code])) is None:
            continue
        if forms[code] in main:
            usual[match[0]] += column.counts[code]
        else:
            begun[forms[code]][match[0]] += column.counts[code]
            kinds[forms[code], match[0]] += 1
    meant = set()
    for form, found in begun.items():
        some = {beginning for beginning, rows in found.items() if rows >= FEWEST <= kinds[form, beginning]}
        rows = sum(found[beginning] for beginning in some)
        share = (sum(usual[beginning] for beginning in some) + 1) / (usual.total() + 1)
        if some and rows >= 0.9 * found.total() and share**rows <= CHANCE:
            meant |= {(form, beginning) for beginning in some}
    return frozenset(
        code
        for code in range(1, len(forms))
        if (match := _BEGINNING.match(column.texts[code])) is not None and (forms[code], match[0]) in meant
    )


def written_east(column: TableColumn) -> TableColumn:
    """The column with moments west of Greenwich written as those east of it: the sign of an offset is no form."""
    west = {code: _WEST.fullmatch(text) for code, text in enumerate(column.texts) if ":" in text and "-" in text}
    texts = list(column.texts)
    for code, match in west.items():
        if match is not None:
            texts[code] = f"{match[1]}+{match[2]}"
    return replace(column, texts=texts) if any(west.values()) else column


def without_groups(column: TableColumn) -> TableColumn:
    """The column with no sign between thousands, where it writes them: that is a matter of size and no other form."""
    grouped = [
        code for code in range(1, len(column.texts)) if "," in column.texts[code] and _GROUPS.search(column.texts[code])
    ]
    rows = sum(column.counts[code] for code in grouped)
    if rows < FEWEST:
        return column
    long = sum(count for text, count in zip(column.texts, column.counts, strict=True) if _LONG.search(text))
    if rows < GROUPED * (rows + long):
        return column
    texts = list(column.texts)
    for code in grouped:
        texts[code] = _GROUPS.sub(lambda match: match[0].replace(",", ""), texts[code])
    return replace(column, texts=texts)
