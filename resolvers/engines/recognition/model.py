"""Defines what the recognisers take and give: a column's values as text, a recogniser, a match, a finding."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from schema.data_readiness.source import ColumnFacts

MOST_TESTED: Final = 1000
"""Distinct values that a recogniser looks at."""

FIRST_LOOK: Final = 40
"""Distinct values after which a recogniser gives up on a column in which hardly one of them passed."""

LONGEST: Final = 4000
"""Characters of a value that are looked at."""

_UUID = re.compile(r"^\{?[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}\}?$")


class Strength(StrEnum):
    """Describes how much a recogniser's passing proves; each kind has a weight of its own in the score."""

    PROOF = "proof"
    """A grammar or check so tight that hardly anything else passes: e-mail, IBAN, private key."""
    CHECKED = "checked"
    """A check digit: one in ten of other numbers of the same length passes, but not nine in ten."""
    FORM = "form"
    """A form that few other things have: postcodes with letters, grouped telephone numbers, bank codes."""
    SHAPE = "shape"
    """A form that many other things have: numbers with a fixed count of digits, capitalised words."""
    LISTED = "listed"
    """Words of a list that is never complete: names, towns."""


@dataclass(frozen=True, slots=True)
class Recognizer:
    """One way to tell that a value is of a tag."""

    name: str
    tag: str
    strength: Strength
    test: Callable[[str], bool]
    chance: float
    """The share of other values of about this form that pass as well."""
    floor: float = 0.7
    """The share of a column's values that must pass at least."""
    reason: str = ""
    digits_only: bool = False
    """Whether it is about plain digits, and so numbers stored as numbers are tried, with lost zeros put back."""
    width: tuple[int, ...] = ()
    """The numbers of digits that lost leading zeros are filled up to."""
    longest: int = 120
    """Values longer than this are no candidates."""
    shuffled: bool = False
    """Whether the chance is measured on the column itself: how many values pass when their digits are shuffled."""
    most: int = MOST_TESTED
    """Distinct values that it looks at: less where a test is dear."""
    embedded: re.Pattern[str] | None = None
    """Where candidates stand within free text."""
    ceiling: float = 1.0
    """The most that a column of nothing else can tell: below 1 where other columns have the form as well."""


@dataclass(frozen=True, slots=True)
class RecognizerMatch:
    """Holds how a recogniser did on a column."""

    recognizer: Recognizer
    tested: int
    matched: int
    share: float
    strength: float
    """-1 (speaks against) to 1 (as much as this kind can)."""
    nats: float = 0.0
    """The same before it is cut off, by which rivals are compared."""
    where: str = "values"


@dataclass(frozen=True, slots=True)
class TagFinding:
    """A tag of a column, how sure it is, and why. No value of the data stands in it."""

    tag: str
    confidence: float
    evidence: tuple[Mapping[str, Any], ...] = field(default=())


def text_of(value: Any) -> str | None:
    """A value as the recognisers read it: trimmed text; None for what is empty or no scalar."""
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, float):
        if math.isnan(value) or math.isinf(value):
            return None
        return str(int(value)) if value.is_integer() and abs(value) < 1e18 else repr(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value[:256]).hex()
    if isinstance(value, dict | list):
        return json.dumps(value, default=str)[:LONGEST]
    text = str(value)[:LONGEST].strip()
    return text or None


CLOSED: Final = 0.95
"""The share of the rows whose value comes again and again, from which the others are slips: of a closed list."""
FEWEST_CLOSED: Final = 50
AGAIN: Final = 3
AGAIN_SHARE: Final = 0.005
"""Rows of such a column, at least, and rows that have one of its values, also as a share."""


def _meant(counted: Counter[str], rows: int) -> list[str]:
    """The values of a column; of a closed list without those of few rows, which slips and exchanged cells leave there.

    They would be most of its different values, and each of those counts as much as one that half of the rows have.
    """
    often = [text for text, count in counted.items() if count >= max(AGAIN, AGAIN_SHARE * rows)]
    is_closed = rows >= FEWEST_CLOSED and sum(counted[text] for text in often) >= CLOSED * rows
    return often if is_closed else list(counted)


class ColumnValues:
    """The values of one column, as the recognisers look at them."""

    def __init__(self, facts: ColumnFacts, values: Sequence[Any]) -> None:
        self.facts = facts
        self.is_number = False
        self.is_moment = False
        numbers = moments = booleans = binary = present = 0
        counted: Counter[str] = Counter()
        for value in values:
            if value is None:
                continue
            present += 1
            if isinstance(value, bool):
                booleans += 1
                continue
            numbers += isinstance(value, int | float | Decimal)
            moments += isinstance(value, date)
            binary += isinstance(value, bytes | bytearray | memoryview)
            text = text_of(value)
            if text is not None:
                counted[text] += 1
        self.present = present
        self.is_number = bool(present) and numbers >= 0.9 * present
        self.is_moment = bool(present) and moments >= 0.9 * present
        self.is_boolean = bool(present) and booleans >= 0.9 * present
        self.is_binary = bool(present) and binary >= 0.9 * present
        self.counted = counted
        self.rows = sum(counted.values())
        self.distinct: tuple[str, ...] = tuple(_meant(counted, self.rows))[:MOST_TESTED]

    @cached_property
    def length(self) -> float:
        """The mean length of the distinct values."""
        return sum(map(len, self.distinct)) / len(self.distinct) if self.distinct else 0.0

    @cached_property
    def is_uuid(self) -> bool:
        """Return whether most values are UUIDs (or hashes of their length), which hold no meaning."""
        return self.share_of(lambda text: bool(_UUID.match(text))) > 0.6

    @cached_property
    def is_text(self) -> bool:
        """Return whether values are sentences rather than one thing each."""
        return self.length > 30 and self.share_of(lambda text: text.count(" ") >= 4) > 0.3

    @cached_property
    def documents(self) -> list[Any]:
        """The values as JSON, when most are objects or arrays."""
        if self.share_of(lambda text: text[:1] in "{[") < 0.6:
            return []
        found = []
        for text in self.distinct:
            try:
                found.append(json.loads(text))
            except ValueError:
                continue
        return found if len(found) >= 0.5 * len(self.distinct) else []

    @cached_property
    def integers(self) -> list[int]:
        """The distinct values, when all of them are whole numbers of up to 18 digits, sorted."""
        if not self.distinct or not all(re.fullmatch(r"-?[0-9]{1,18}", text) for text in self.distinct):
            return []
        return sorted({int(text) for text in self.distinct})

    @cached_property
    def is_sequence(self) -> bool:
        """Return whether they are numbers that were counted up: dense in their range, or a block behind one prefix."""
        numbers = self.integers or self._counters
        if len(numbers) < 5:
            return False
        # Also in steps: 100, 107, 114. Numbers that were not counted up have no step in common.
        step = math.gcd(*(number - numbers[0] for number in numbers[1:]))
        spread = numbers[-1] - numbers[0] + 1
        dense = spread // step <= 4 * len(numbers)
        # A sample of a long count is spread evenly over it and begins near a round number or one.
        begins_low = numbers[0] >= 0 and numbers[0] <= max(50, spread // 50)
        return dense or (self.facts.is_primary_key and begins_low)

    @cached_property
    def _counters(self) -> list[int]:
        """The trailing numbers, when all values share what stands before them."""
        parts = [re.fullmatch(r"(.*?)([0-9]{1,15})", text) for text in self.distinct]
        if not parts or not all(parts) or len({part[1] for part in parts if part}) != 1:
            return []
        return sorted({int(part[2]) for part in parts if part})

    @cached_property
    def shapes(self) -> int:
        """Return how many different forms there are when letters and digits are not told from one another."""
        return len({re.sub(r"[^\W\d_]", "A", re.sub(r"[0-9]", "9", text)) for text in self.distinct[:200]})

    @cached_property
    def prefixes(self) -> int:
        """Return how many different beginnings there are when the last four characters are left out."""
        return len({text[:-4] for text in self.distinct})

    def share_of(self, test: Callable[[str], float], most: int = 200) -> float:
        """The share of the first distinct values that pass."""
        some = self.distinct[:most]
        return sum(map(test, some)) / len(some) if some else 0.0
