"""The columns of a table as numbers, as formulas take them: what they measure, to how many places, at which rows."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from resolvers.engines.error_detection.days import days_of, moments_of
from resolvers.engines.error_detection.table import MISSING, TableColumn

FEWEST: Final = 40
"""Rows with a value that a formula is concluded from."""
MOST_COLUMNS: Final = 40
MOST_DAYS: Final = 8
ROWS_TRIED: Final = 900
ROWS_PROBED: Final = 12
MOST: Final = 0.6
"""The share of the numbers, at least, that have no more decimals than most."""
ALWAYS: Final = 0.95
"""A column that has one value in more of its rows is not looked at."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A column of numbers or of days."""

    index: int
    by_code: Sequence[float | None]
    """The number of each code; a day as its ordinal, with the time as a fraction."""
    unit: float
    """The last decimal place: 1 for whole numbers, 0 where there is none."""
    is_day: bool
    usual: float
    """The most frequent number."""
    low: float
    high: float
    """From the 1st to the 99th of a hundred."""
    known: frozenset[float]
    """All numbers, where they repeat; else empty."""
    coarse: float = 0.0
    """The last decimal place of most numbers, where some have more: small prices have four decimals, others two."""


@dataclass(frozen=True, slots=True)
class Measures:
    """The numbers of a table, and some rows of them."""

    numbers: list[Measure]
    days: list[Measure]
    tried: list[list[float | None]]
    """Rows spread over the table, as wide as the table."""
    probed: list[list[float | None]]
    """Those of them with the most numbers that are not 0."""

    def by_index(self) -> dict[int, Measure]:
        """The measures by the number of their column."""
        return {one.index: one for one in (*self.numbers, *self.days)}


def measures_of(table: Sequence[TableColumn]) -> Measures | None:
    """The numbers and days of a table; None where fewer than two columns could go together."""
    usable = [column for column in table if column.is_scalar and column.present >= FEWEST and column.distinct >= 2]
    usable = [column for column in usable if max(column.counts[1:]) <= ALWAYS * column.present]
    numbers = [one for column in usable if (one := _number(column)) is not None]
    numbers = sorted(
        sorted(numbers, key=lambda one: -table[one.index].distinct)[:MOST_COLUMNS], key=lambda one: one.index
    )
    days = [one for column in usable if column.number_share < 0.5 and (one := _days(column)) is not None][:MOST_DAYS]
    if len(numbers) + len(days) < 2 or not numbers:
        return None
    every = [*numbers, *days]
    size = len(table[0].codes)
    step = max(1, -(-size // ROWS_TRIED))
    tried: list[list[float | None]] = []
    for row in range(0, size, step):
        values: list[float | None] = [None] * len(table)
        for one in every:
            values[one.index] = one.by_code[table[one.index].codes[row]]
        tried.append(values)
    chooser = random.Random(7)  # noqa: S311 - which rows are looked at is no secret, and must repeat
    shuffled = chooser.sample(tried, len(tried))
    at = [one.index for one in numbers]
    shuffled.sort(key=lambda values: -sum(1 for one in at if values[one]))
    # The very fullest may all be of one kind: some are taken from among the fuller half.
    half = shuffled[: max(ROWS_PROBED, len(shuffled) // 2)]
    probed = half[: ROWS_PROBED // 2] + half[ROWS_PROBED // 2 :: max(1, len(half) // (ROWS_PROBED // 2))]
    return Measures(numbers, days, tried, probed[:ROWS_PROBED])


def _number(column: TableColumn) -> Measure | None:
    if column.number_share < 0.6:
        return None
    places: dict[int, int] = {}
    coded = 0
    for text, count, number in zip(column.texts, column.counts, column.numbers, strict=True):
        if number is None:
            continue
        coded += count if len(text) > 1 and text[0] == "0" and text[1].isdigit() else 0
        place = 9 if "e" in text or "E" in text else len(text.rpartition(".")[2].rstrip("0")) if "." in text else 0
        places[place] = places.get(place, 0) + count
    size = sum(places.values())
    if coded > 0.01 * size:
        return None
    seen, decimals = 0, 0
    for decimals in sorted(places):
        seen += places[decimals]
        if seen >= 0.97 * size:
            break
    unit = 10.0**-decimals if decimals < 9 else 0.0
    usual = next(place for place in sorted(places) if sum(places[one] for one in places if one <= place) >= MOST * size)
    if decimals == 0 and _counts_up(column):
        return None
    found = _measure(column, column.numbers, unit, is_day=False)
    return found if found is None or usual >= decimals else replace(found, coarse=10.0**-usual)


def _counts_up(column: TableColumn) -> bool:
    """Return whether whole numbers rather number the rows: hardly one twice, and hardly any gap."""
    numbers = [one for one in column.numbers if one is not None]
    if len(numbers) < 0.97 * column.present:
        return False
    ordered = sorted(numbers)
    spread = ordered[-1 - len(ordered) // 50] - ordered[len(ordered) // 50]
    return spread <= 2 * len(ordered) or _ascends(column)


def _ascends(column: TableColumn) -> bool:
    last, falls = float("-inf"), 0
    for code in column.codes[:2000]:
        number = column.numbers[code]
        if number is not None:
            falls += number < last
            last = number
    return falls <= 0.02 * min(2000, column.present)


def _days(column: TableColumn) -> Measure | None:
    probe = column.texts[1:30]
    if not any(text[:1].isdigit() or text[-4:].isdigit() for text in probe):
        return None
    moments, rows = moments_of(column)
    has_time = any(one % 1 for one in moments if one is not None)
    if rows < 0.6 * column.present:
        found = days_of(column)
        if found is None:
            return None
        return _measure(column, found[0], 1.0, is_day=True)
    return _measure(column, moments, 0.0 if has_time else 1.0, is_day=True)


def _measure(column: TableColumn, by_code: Sequence[float | None], unit: float, *, is_day: bool) -> Measure | None:
    step = max(1, len(column.codes) // 5000)
    some = sorted(one for code in column.codes[::step] if (one := by_code[code]) is not None)
    if len(some) < FEWEST / 2:
        return None
    usual = max(range(1, len(column.texts)), key=lambda code: column.counts[code])
    often = {one for code, one in enumerate(by_code) if one is not None and column.counts[code] > 1}
    known = frozenset(often) if code_share(column) >= 0.9 else frozenset()
    low, high = some[len(some) // 100], some[-1 - len(some) // 100]
    return Measure(column.index, by_code, unit, is_day, by_code[usual] or 0.0, low, high, known)


def code_share(column: TableColumn) -> float:
    """The share of the rows with a value whose value occurs in another row too."""
    repeated = sum(count for code, count in enumerate(column.counts) if code != MISSING and count > 1)
    return repeated / column.present if column.present else 0.0
