"""Days of the year that people call by a name, as far as they fall on the same date every year."""

from collections.abc import Sequence
from typing import Final

_DAYS: Final = {
    ("new", "year", "'s", "day"): (1, 1),
    ("new", "years", "day"): (1, 1),
    ("new", "year", "day"): (1, 1),
    ("new", "year", "'s", "eve"): (12, 31),
    ("new", "years", "eve"): (12, 31),
    ("new", "year", "eve"): (12, 31),
    ("valentine", "'s", "day"): (2, 14),
    ("valentines", "day"): (2, 14),
    ("valentine", "day"): (2, 14),
    ("leap", "day"): (2, 29),
    ("st", "patrick", "'s", "day"): (3, 17),
    ("april", "fool", "'s", "day"): (4, 1),
    ("april", "fools", "day"): (4, 1),
    ("independence", "day"): (7, 4),
    ("halloween",): (10, 31),
    ("christmas", "eve"): (12, 24),
    ("christmas", "day"): (12, 25),
    ("christmas",): (12, 25),
    ("boxing", "day"): (12, 26),
}
"""Month and day, by the words of the name. Independence Day is that of the United States."""
FIRST_WORDS: Final = frozenset(name[0] for name in _DAYS)
_LONGEST: Final = max(map(len, _DAYS))


def named_day(words: Sequence[str]) -> tuple[int, int, int] | None:
    """The month and the day that words begin with the name of, and how many words that takes."""
    for size in range(_LONGEST, 0, -1):
        if len(words) >= size and (found := _DAYS.get(tuple(words[:size]))) is not None:
            return *found, size
    return None
