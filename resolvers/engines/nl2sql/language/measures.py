"""Units behind a number, and what columns that are measured in them are called."""

from collections.abc import Sequence
from typing import Final

from resolvers.engines.describing.vocabulary import words

_LENGTH: Final = "length height altitude elevation depth distance width size range wingspan diameter"
_FAMILIES: Final = (
    ("metre meter m", f"{_LENGTH} metre meter m"),
    ("kilometre kilometer km", f"{_LENGTH} kilometre kilometer km"),
    ("centimetre centimeter cm", f"{_LENGTH} centimetre centimeter cm"),
    ("millimetre millimeter mm", f"{_LENGTH} precipitation rain rainfall millimetre millimeter mm"),
    ("mile mi", f"{_LENGTH} mileage mile mi"),
    ("foot ft", f"{_LENGTH} foot ft"),
    ("inch", f"{_LENGTH} inch"),
    ("kilogram kilogramme kilo kg", "weight mass load kilogram kg"),
    ("gram gramme g", "weight mass gram g"),
    ("tonne ton", "weight mass load tonnage capacity tonne ton t"),
    ("pound lb lbs", "weight mass price cost pound lb"),
    ("hour h", "duration time length hour"),
    ("minute min", "duration time length runtime delay minute min mins"),
    ("second sec s", "duration time length second sec secs"),
    ("millisecond ms", "duration time length millisecond ms"),
    ("year", "age duration experience tenure year"),
    ("month", "age duration tenure month"),
    ("day", "duration length day"),
    ("night", "duration length night"),
    ("dollar euro franc yen", "price cost fee salary pay wage amount budget rent income fare fine dollar euro"),
    ("square", "area size"),
    ("cubic", "volume capacity size"),
    ("percent %", "percent percentage share rate discount percent pct"),
    ("litre liter", "volume capacity litre liter"),
    ("hectare acre", "area size hectare acre"),
    ("knot", "speed knot"),
)  # fmt: skip

MEASURES: Final = {unit: words(names) for units, names in _FAMILIES for unit in units.split()}
"""Words of columns' names that go with a unit, by the unit in the singular."""


def measures_of(lemma: str) -> frozenset[str]:
    """The words that columns measured in a unit are called by; none when a word is no unit."""
    return frozenset(MEASURES.get(lemma, ()))


def is_unit(before: Sequence[str], lemma: str) -> bool:
    """Whether a word stands behind a number as its unit: metres, square metres."""
    if not before or not measures_of(lemma):
        return False
    number = before[-2:-1] if before[-1].lower() in ("square", "cubic") else before[-1:]
    return any(map(is_numeric, number))


def is_numeric(text: str) -> bool:
    """Whether a word is a number in digits, with a sign of money or without."""
    return text.replace(",", "").replace(".", "", 1).lstrip("-$").isdigit()
