"""Units behind a number, and what columns that are measured in them are called."""

import re
from collections.abc import Collection, Sequence
from decimal import Context, Decimal
from typing import Final

from resolvers.engines.english.vocabulary import words
from resolvers.engines.nl2sql.language.words import NUMBER_WORDS
from resolvers.engines.nl2sql.mention import Token

_LENGTH: Final = "length height altitude elevation depth distance width size range wingspan diameter"
_TIME: Final = "duration time length hour minute min mins second sec secs millisecond"
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
    ("hour h", _TIME),
    ("minute min", f"{_TIME} runtime delay"),
    ("second sec s", _TIME),
    ("millisecond ms", f"{_TIME} ms"),
    ("kilobyte kb megabyte mb gigabyte gb terabyte tb byte", "size byte kb mb gb tb"),
    ("year", "age duration experience tenure year"),
    ("month", "age duration tenure month"),
    ("day", "duration length day"),
    ("night", "duration length night"),
    ("dollar euro franc yen", "price cost fee salary pay wage amount budget rent income fare fine dollar euro"),
    ("square", "area size"),
    ("cubic", "volume capacity size"),
    ("percent %", "percent percentage share rate discount percent pct"),
    ("litre liter", "volume capacity litre liter ml cl"),
    ("millilitre milliliter ml", "volume millilitre milliliter ml litre liter"),
    ("hectare ha", "area size hectare ha"),
    ("acre ac", "area size acre ac"),
    ("knot", "speed knot"),
)  # fmt: skip

MEASURES: Final = {unit: words(names) for units, names in _FAMILIES for unit in units.split()}
"""Words of columns' names that go with a unit, by the unit in the singular."""
SPELLINGS: Final = {unit: frozenset(units.split()) for units, _ in _FAMILIES for unit in units.split()}
"""How a unit is written, by each way to write it: hectare, ha."""


_SIZES: Final = (
    {"millisecond": 1, "millis": 1, "ms": 1, "second": 1000, "sec": 1000, "s": 1000, "minute": 60_000, "min": 60_000,
     "hour": 3_600_000, "h": 3_600_000, "hr": 3_600_000, "day": 86_400_000},
    {"byte": 1, "kilobyte": 1000, "kb": 1000, "megabyte": 1_000_000, "mb": 1_000_000, "gigabyte": 10**9, "gb": 10**9,
     "terabyte": 10**12, "tb": 10**12},
    {"gram": 1, "g": 1, "kilogram": 1000, "kilo": 1000, "kg": 1000, "tonne": 1_000_000, "ton": 1_000_000},
    {"millimetre": 1, "millimeter": 1, "mm": 1, "centimetre": 10, "centimeter": 10, "cm": 10, "metre": 1000,
     "meter": 1000, "m": 1000, "kilometre": 1_000_000, "kilometer": 1_000_000, "km": 1_000_000},
    {"millilitre": 1, "milliliter": 1, "ml": 1, "centilitre": 10, "cl": 10, "litre": 1000, "liter": 1000},
)  # fmt: skip
"""Units that measure the same, by how large each is."""
_TWO_UNITS: Final = re.compile(
    r"\b(\d+) (hours?|minutes?|days?) (?:and )?(\d+) (minutes?|seconds?|hours?)\b", re.IGNORECASE
)


_SMALL: Final = [word for word, number in NUMBER_WORDS.items() if 0 < number <= 12]
_AND_A_HALF: Final = re.compile(rf"\b(\d+|{'|'.join(_SMALL)}) and a half(?= [a-z])", re.IGNORECASE)
_HALF_OF_ONE: Final = re.compile(
    r"\b(?:an?|one) (hour|minute|day|week|month|year|mile|kilo) and a half\b", re.IGNORECASE
)


def scale(said: str, words: Collection[str]) -> Decimal | None:
    """Return what a number in one unit is multiplied by for a column whose name has another; None where nothing says
    so.
    """
    for sizes in _SIZES:
        told = {sizes[word] for word in words if word in sizes}
        if said in sizes and len(told) == 1:
            return Decimal(sizes[said]) / Decimal(told.pop())
    return None


def unit_behind(tokens: Sequence[Token], at: int) -> str:
    """The word behind a number that ends before a token: of `3` in `between 3 and 4 minutes` it is `minute`."""
    words = [one.lemma for one in tokens[at : at + 3]]
    if len(words) == 3 and words[0] in ("and", "to", "or", "-") and is_numeric(words[1]):
        return words[2]
    return words[0] if words else ""


def in_other_units(number: Decimal, said: str) -> frozenset[Decimal]:
    """Return what a number in one unit is in each of the others that measure the same."""
    sizes = next((one for one in _SIZES if said in one), {})
    return frozenset(rounded(number * Decimal(sizes[said]) / Decimal(size)) for size in sizes.values())


def is_told_otherwise(said: str, words: Collection[str]) -> bool:
    """Return whether a column is named after another unit of what one measures: minutes, of milliseconds."""
    factor = scale(said, words)
    return factor is not None and factor != 1


def rounded(number: Decimal) -> Decimal:
    """A number as it was before it was converted with rounded factors: 7,800,000 rather than 7,800,000.0012."""
    return number if number == number.to_integral_value() else number.normalize(Context(prec=9))


def in_one_unit(text: str) -> str:
    """A question with spans of time in two units said in the first of them: 2 hours and 15 minutes as 2.25 hours, an
    hour and a half as 1.5 hours.
    """
    text = _AND_A_HALF.sub(lambda found: f"{_many(found[1])}.5", text)
    text = _HALF_OF_ONE.sub(r"1.5 \1s", text)
    return _TWO_UNITS.sub(_joined, text)


def _many(said: str) -> int:
    return int(said) if said.isdigit() else NUMBER_WORDS[said.lower()]


def _joined(found: re.Match[str]) -> str:
    large, small = (_SIZES[0][found[at].lower().rstrip("s")] for at in (2, 4))
    whole = Decimal(found[1]) + Decimal(found[3]) * Decimal(small) / Decimal(large)
    return f"{round(whole, 9).normalize():f} {found[2]}" if small < large else found[0]


def measures_of(lemma: str) -> frozenset[str]:
    """The words that columns measured in a unit are called by; none when a word is no unit."""
    return frozenset(MEASURES.get(lemma, ()))


def is_unit(before: Sequence[str], lemma: str) -> bool:
    """Return whether a word stands behind a number as its unit: metres, square metres."""
    if not before or not measures_of(lemma):
        return False
    number = before[-2:-1] if before[-1].lower() in ("square", "cubic") else before[-1:]
    return any(map(is_numeric, number))


def is_told(lemma: str, words: Collection[str]) -> bool:
    """Return whether a column is named after a unit: hectares, of `area_ha`."""
    return lemma in SPELLINGS and not SPELLINGS[lemma].isdisjoint(words)


def is_numeric(text: str) -> bool:
    """Return whether a word is a number in digits, with a sign of money or without."""
    return text.replace(",", "").replace(".", "", 1).lstrip("-$").isdigit()
