"""Days as texts spell them: which order of day, month and year a column keeps, and which of its texts are no day."""

import re
from collections import Counter
from datetime import date, datetime
from typing import Final

from resolvers.engines.error_detection.table import TableColumn

MEANT: Final = 0.9
"""The share of the rows of a form that are days in one order, for that order to be meant."""
FEWEST: Final = 20
"""Rows of a form whose order is not that of the standard, for the order to be told."""

_REST: Final = r"(?:[T ]\D*\d{1,2}:.*| \(.*\))?"
_YEAR_FIRST: Final = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})" + r"(?:[T ].*)?")
_YEAR_LAST: Final = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{1,2})" + _REST)
_MONTH: Final = re.compile(r"(\d{1,2})([-/.])(\d{4})")
_YEAR_AND_MONTH: Final = re.compile(r"((?:1[5-9]|2[01])\d{2})([-/.])(\d{2})")
_NAMED: Final = re.compile(r"(\d{1,2})[ -]([A-Za-z]{3,9})\.?[ -](\d{4})" + _REST)
_NAMED_FIRST: Final = re.compile(r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})" + _REST)
_MONTHS: Final = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
_TIMED: Final = re.compile(r"[T ]\d{2}:\d{2}")
_ZONED: Final = re.compile(r":\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$")
_ORDERS: Final = ["mdy", "dmy", "ymd"]


def day_of(text: str) -> float | None:
    """The ordinal of the day that a text begins with, None if there is no such day."""
    match = _YEAR_FIRST.fullmatch(text)
    return None if match is None or match[2] != "-" else _ordinal(match[1], match[3], match[4])


def moments_of(column: TableColumn) -> tuple[list[float | None], int]:
    """The moment of each code that is written as the standard has it, in days; and how many rows have one."""
    moments: list[float | None] = [None] * len(column.texts)
    rows = 0
    for code in range(1, len(column.texts)):
        try:
            moment = datetime.fromisoformat(column.texts[code])
        except ValueError:
            continue
        seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
        moments[code] = moment.toordinal() + seconds / 86400
        rows += column.counts[code]
    return moments, rows


def are_months(column: TableColumn) -> bool:
    """Return whether most texts are a month with its year: how far back these reach says little, as of old cars."""
    told = zip(column.texts, column.counts, strict=True)
    rows = sum(count for text, count in told if _MONTH.fullmatch(text) or _YEAR_AND_MONTH.fullmatch(text))
    return 2 * rows > column.present


def moments_within(column: TableColumn, days: list[float | None]) -> list[float | None]:
    """The days of a column with their time of day, where nearly all texts tell one, and all in one time zone."""
    moments, rows = moments_of(column)
    known = sum(column.counts[code] for code, day in enumerate(days) if day is not None)
    timed = sum(count for text, count in zip(column.texts, column.counts, strict=True) if _TIMED.search(text))
    if rows < MEANT * known or timed < MEANT * rows or any(_ZONED.search(text) for text in column.texts):
        return days
    return [day if moment is None or day is None else moment for day, moment in zip(days, moments, strict=True)]


def days_of(column: TableColumn) -> tuple[list[float | None], set[int]] | None:
    """The day of each code of a column that holds days, and the codes written as a day that is none.

    Days with a year of two digits are read, but have no place among others: their century is not told. None where
    fewer than 60 % of the rows with a value are days.
    """
    forms: dict[int, tuple[str, tuple[str, ...]]] = {}
    rows: Counter[str] = Counter()
    for code in range(1, len(column.texts)):
        text = column.texts[code]
        if text[-1].isalpha() and not text[:1].isdigit():
            continue
        form = _form(text)
        if form is not None:
            forms[code] = form
            rows[form[0]] += column.counts[code]
    if not rows or rows.total() < 0.6 * column.present:
        return None
    days: list[float | None] = [None] * len(column.texts)
    wrong: set[int] = set()
    for name, number in rows.items():
        some = {code: parts for code, (form, parts) in forms.items() if form == name}
        read = _read(column, name, some, number)
        if read is not None:
            wrong |= {code for code, ordinal in read.items() if ordinal is None}
            for code, ordinal in read.items():
                days[code] = None if ordinal is None or ordinal < 0 else ordinal
    return days, wrong


def _form(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return what kind of day a text is written as, and its parts; None for what is none."""
    if match := _YEAR_FIRST.fullmatch(text):
        return "ymd" + match[2], (match[1], match[3], match[4])
    if (match := _YEAR_LAST.fullmatch(text)) and not (match[2] == "." and len(match[4]) < 4):  # rather a version
        return f"last{match[2]}{len(match[4]) // 2 * 2 or 2}", (match[1], match[3], match[4])
    if match := _MONTH.fullmatch(text):
        return "month" + match[2], (match[3], match[1], "1")
    if match := _YEAR_AND_MONTH.fullmatch(text):
        return "month" + match[2], (match[1], match[3], "1")
    if match := _NAMED.fullmatch(text):
        return "named", (match[3], str(_MONTHS.get(match[2][:3].lower(), 0)), match[1])
    if match := _NAMED_FIRST.fullmatch(text):
        return "named", (match[3], str(_MONTHS.get(match[1][:3].lower(), 0)), match[2])
    return None


def _read(
    column: TableColumn, form: str, some: dict[int, tuple[str, ...]], rows: int
) -> dict[int, float | None] | None:
    """Each code's day in the order that most rows allow: None for no day, below 0 for one of an untold century."""
    if form.startswith("ymd"):
        return {code: _ordinal(*parts) for code, parts in some.items()}
    orders = ["ymd"] if form.startswith(("named", "month")) else _ORDERS[:2] if form.endswith("4") else _ORDERS
    best: tuple[int, dict[int, float | None]] | None = None
    for order in orders:
        read = {code: _in_order(parts, order) for code, parts in some.items()}
        right = sum(column.counts[code] for code, ordinal in read.items() if ordinal is not None)
        if best is None or right > best[0]:
            best = right, read
    if best is None or rows < FEWEST or best[0] < MEANT * rows:
        return None
    return best[1]


def _in_order(parts: tuple[str, ...], order: str) -> float | None:
    year, month, day = (parts[order.index(part)] for part in "ymd")
    if len(year) == 4:
        return _ordinal(year, month, day)
    if len(year) == 1:
        return None
    return None if _ordinal("20" + year, month, day) is None and _ordinal("19" + year, month, day) is None else -1.0


def _ordinal(year: str, month: str, day: str) -> float | None:
    try:
        return float(date(int(year), int(month), int(day)).toordinal())
    except ValueError:
        return None
