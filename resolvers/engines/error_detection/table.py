"""A table as the detector sees it: each column as texts, each text once, with its number of rows."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final

MOST_ROWS: Final = 200_000
MOST_COLUMNS: Final = 200
LONGEST_TEXT: Final = 300
"""What of a longer text is looked at."""
MISSING: Final = 0
"""The code of a value that is not there: null, not a number, or blank."""

_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")


@dataclass(slots=True)
class TableColumn:
    """One column: a code per row, and what each code stands for."""

    index: int
    name: str
    codes: list[int]
    texts: list[str]
    counts: list[int]
    is_scalar: bool = True
    """Whether its values are texts, numbers, moments or truth values; others are not looked into."""
    numbers: list[float | None] = field(default_factory=list)
    """The number that each text spells, None where it spells none."""
    _number_share: float | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def present(self) -> int:
        """Return how many rows have a value."""
        return len(self.codes) - self.counts[MISSING]

    @property
    def distinct(self) -> int:
        """Return how many different values there are."""
        return len(self.texts) - 1

    @property
    def number_share(self) -> float:
        """The share of the rows with a value whose text spells a number; counted once."""
        if self._number_share is None:
            spelled = sum(count for count, number in zip(self.counts, self.numbers, strict=True) if number is not None)
            self._number_share = spelled / self.present if self.present else 0.0
        return self._number_share


def encode(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[TableColumn]:
    """The columns of a table; what is beyond the bounds is not looked at."""
    rows = rows[:MOST_ROWS]
    return [_encode(index, name, rows) for index, name in enumerate(columns[:MOST_COLUMNS])]


def _encode(index: int, name: str, rows: Sequence[Sequence[Any]]) -> TableColumn:
    known: dict[Any, int] = {None: MISSING}
    by_text: dict[str, int] = {"": MISSING}
    texts, counts, codes = [""], [0], []
    is_scalar = True
    for row in rows:
        value = row[index] if index < len(row) else None
        try:
            code = known.get((value.__class__, value)) if value is not None else MISSING
        except TypeError:  # a list or a document
            is_scalar, code = False, MISSING
        if code is None:
            text = text_of(value)
            if text is None:
                is_scalar, text = False, ""
            code = by_text.setdefault(text, len(texts))
            if code == len(texts):
                texts.append(text)
                counts.append(0)
            known[(value.__class__, value)] = code
        codes.append(code)
        counts[code] += 1
    numbers = [None, *(number_of(text) for text in texts[1:])]
    return TableColumn(index, name, codes, texts, counts, is_scalar, numbers)


def text_of(value: Any) -> str | None:
    """A value as text, empty for one that is not there; None for what is no single value."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value[:LONGEST_TEXT] if value.strip() else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    if isinstance(value, Decimal):
        return "" if value.is_nan() else str(value)[:LONGEST_TEXT]
    if isinstance(value, int):
        return str(value) if value.bit_length() < 1024 else hex(value)[:LONGEST_TEXT]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview | dict | list | tuple | set):
        return None
    return str(value)[:LONGEST_TEXT]


def as_told(number: float) -> str:
    """A number as a sentence tells it: to six places, and never as a power of ten where it is large."""
    return f"{number:.0f}" if 1e5 <= abs(number) < 1e15 else f"{number:.6g}"


def number_of(text: str) -> float | None:
    """The finite number that a text spells, None if it spells none."""
    if not text or text[-1] not in "0123456789" or not _NUMBER.fullmatch(text):
        return None
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
