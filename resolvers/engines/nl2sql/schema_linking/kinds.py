"""Defines what columns hold, judged by type, name and profile."""

import re
from calendar import monthrange
from collections.abc import Sequence
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.plan import Literal
from schema.data_readiness.profile import ColumnProfile, ValueKind
from schema.data_readiness.source import ColumnFacts


class ColumnKind(StrEnum):
    """Describes what the values of a column are, whatever the type that they are stored as."""

    NUMBER = "number"
    YEAR = "year"
    """Years as numbers, or as texts of four digits."""
    TEXT = "text"
    DATE = "date"
    MOMENT = "moment"
    TIME = "time"
    BOOLEAN = "boolean"
    OTHER = "other"

    @property
    def is_ordered(self) -> bool:
        """Return whether "more", "the highest" and "the latest" mean something."""
        return self in (ColumnKind.NUMBER, ColumnKind.YEAR, ColumnKind.DATE, ColumnKind.MOMENT, ColumnKind.TIME)

    @property
    def is_temporal(self) -> bool:
        """Return whether it tells when."""
        return self in (ColumnKind.YEAR, ColumnKind.DATE, ColumnKind.MOMENT)

    @property
    def tells_days(self) -> bool:
        """Return whether it tells on which day."""
        return self in (ColumnKind.DATE, ColumnKind.MOMENT)


_YEARS: Final = frozenset(("year", "found", "build", "establish", "yr"))
"""Lemmas of the names of columns that hold years."""
_YEARS_BY_VALUE: Final = word_set(
    "write publish publication release open opening start begin make produce bear birth debut join launch create "
    "creation sign finish end premiere inaugurate vintage manufacture construct die death elect graduate hire since "
    "active edition season model form formed formation introduce retire born died founded built"
)
"""Lemmas of the names of columns that hold years when all their values look like it."""
_NUMERIC: Final = ("INT", "NUM", "DEC", "DOUBLE", "FLOAT", "REAL", "SERIAL", "MONEY", "BIGINT")
_DATE: Final = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_MOMENT: Final = re.compile(r"\d{4}-\d{1,2}-\d{1,2}[T ]\d{1,2}:\d{2}.*")
_TIME: Final = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp][Mm])?")
_YEAR: Final = re.compile(r"[12]\d{3}")
_NUMBER: Final = re.compile(r"[-+]?(\d{1,15}\.?\d*|\.\d+)")

_FLAGS: Final = (
    ("t", "f"), ("y", "n"), ("yes", "no"), ("true", "false"), ("1", "0"), ("ok", "not ok"), ("on", "off"),
    ("active", "inactive"),
)  # fmt: skip
_FLAG_NAMES: Final = frozenset(("is", "has", "was", "can", "flag", "flg", "yn", "ind", "indicator"))


def kind_of(facts: ColumnFacts, words: Sequence[str], profile: ColumnProfile | None) -> ColumnKind:
    """Return what the values of a column are."""
    stored = (facts.data_type or "").upper()
    kind = _kind_of_type(stored)
    if kind is None:
        return _by_values(words, profile, known=bool(stored))
    return ColumnKind.YEAR if kind is ColumnKind.NUMBER and _is_year(words, profile) else kind


@lru_cache(maxsize=1_000)
def _kind_of_type(stored: str) -> ColumnKind | None:
    """Return what a type holds, as far as it says."""
    if "BOOL" in stored:
        return ColumnKind.BOOLEAN
    if "INTERVAL" in stored:
        return ColumnKind.OTHER
    if "TIMESTAMP" in stored or "DATETIME" in stored:
        return ColumnKind.MOMENT
    if stored.startswith("DATE"):
        return ColumnKind.DATE
    if stored.startswith("TIME"):
        return ColumnKind.TIME
    if stored == "YEAR":
        return ColumnKind.YEAR
    if any(name in stored for name in _NUMERIC) and "POINT" not in stored:
        return ColumnKind.NUMBER
    if any(name in stored for name in ("BLOB", "BINARY", "BYTE", "JSON", "ARRAY", "STRUCT", "MAP", "GEO", "OBJECT")):
        return ColumnKind.OTHER
    return None


def _is_year(words: Sequence[str], profile: ColumnProfile | None) -> bool:
    said = set(words)
    if not (_YEARS | _YEARS_BY_VALUE) & said:
        return False
    ends = [one for one in (profile.minimum, profile.maximum) if one] if profile else []
    if ends:
        low, high = (1000, 2999) if _YEARS & said else (1500, 2100)
        return all(_YEAR.fullmatch(one) and low <= int(one) <= high for one in (end.split(".")[0] for end in ends))
    return "year" in words


def _by_values(words: Sequence[str], profile: ColumnProfile | None, known: bool) -> ColumnKind:
    """Of a column of texts, or of no known type."""
    values = _values(profile)
    if (days := kind_of_nearly_all(profile)) is not None:
        return days
    if values and values[0][:1].isalpha() and values[0].casefold() not in _MISSING:
        return ColumnKind.TEXT
    if not values:
        if profile is not None and profile.kind is ValueKind.NUMBER:
            return ColumnKind.YEAR if _is_year(words, profile) else ColumnKind.NUMBER
        return ColumnKind.TEXT
    if known and holds_day_numbers([*values, *_ends(profile)]):
        return ColumnKind.DATE
    for pattern, kind in ((_DATE, ColumnKind.DATE), (_MOMENT, ColumnKind.MOMENT), (_TIME, ColumnKind.TIME)):
        if all(pattern.fullmatch(value) for value in values):
            return kind
    if all(_YEAR.fullmatch(value) for value in values) and _YEARS & set(words):
        return ColumnKind.YEAR
    if not known and all(_NUMBER.fullmatch(value) for value in values):
        return ColumnKind.NUMBER
    if known and not _TELLING & set(words) and holds_numbers(values) and not any(map(_is_code, values)):
        return ColumnKind.NUMBER  # a measure that was loaded as text
    return ColumnKind.TEXT


_MOSTLY: Final = 0.9
"""The share of the texts of a column that are whole dates, at least, for the others to be slips."""
_DAY_FORM: Final = re.compile(r"9\{4\}-9\{2\}-9\{2\}(?P<time>.*)")
"""The forms of such texts, as profiles write them."""


def kind_of_nearly_all(profile: ColumnProfile | None) -> ColumnKind | None:
    """Return whether nearly all texts of a column are ISO dates, or such dates with a time; None where they are not."""
    if profile is None or profile.masked:
        return None
    present = profile.row_count - (profile.null_count or 0) - (profile.blank_count or 0)
    forms = [(form, one.count) for one in profile.patterns if (form := _DAY_FORM.fullmatch(one.pattern))]
    if present <= 0 or sum(count for _, count in forms) < _MOSTLY * present:
        return None
    timed = sum(count for form, count in forms if form["time"])
    return ColumnKind.MOMENT if 2 * timed > present else ColumnKind.DATE


def _values(profile: ColumnProfile | None) -> list[str]:
    if profile is None or profile.masked:
        return []
    found = [text for one in profile.top_values if (text := one.value.strip())]
    return found[:20] or _ends(profile)


def _ends(profile: ColumnProfile | None) -> list[str]:
    if profile is None or profile.masked:
        return []
    return [one for one in (profile.minimum, profile.maximum) if one]


def is_numeric_text(profile: ColumnProfile | None) -> bool:
    """Return whether the texts of a column are numbers, so that they have to be cast before they are compared."""
    return holds_numbers(_values(profile))


_DAY_NUMBER: Final = re.compile(r"((?:1[6-9]|20|21)\d\d)(\d\d)(\d\d)(?:\.0*)?")


def holds_day_numbers(texts: Sequence[str]) -> bool:
    """Return whether numbers are days of the calendar: 20240131."""
    found = [_DAY_NUMBER.fullmatch(one.strip()) for one in texts]
    return len(found) > 1 and all(one is not None and _is_day(*map(int, one.groups())) for one in found)


def _is_day(year: int, month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def holds_numbers(texts: Sequence[str]) -> bool:
    """Return whether texts are numbers, but for empty ones and words for a missing value such as `n/a`."""
    filled = [one for text in texts if (one := text.strip()) and one.casefold() not in _MISSING]
    return len(filled) > 1 and all(_NUMBER.fullmatch(one) for one in filled)


_MISSING: Final = frozenset(("null", "n/a", "na", "nan", "none", "nil", "unknown", "missing", "?", "-", "--", "."))
"""How files write that a value is not there."""
_TELLING: Final = word_set(
    "id code number no nr key phone fax mobile telephone zip postcode postal isbn ssn iban account version serial "
    "barcode line extension reference uuid sku"
)
"""Words of the names of columns whose numbers tell things apart and measure nothing."""


def _is_code(text: str) -> bool:
    """Return whether a text of digits is written as no amount is: `007`, or more digits than are counted."""
    return (len(text) > 1 and text[0] == "0" and text[1].isdigit()) or len(text.partition(".")[0]) > 9


def flag_of(facts: ColumnFacts, kind: ColumnKind, profile: ColumnProfile | None) -> tuple[Literal, Literal] | None:
    """Return what a column of yes and no holds for yes and for no; None when it is no such column, or nobody knows."""
    if kind is ColumnKind.BOOLEAN:
        return Literal("boolean", True), Literal("boolean", False)
    if profile is not None and len({one.value.strip().lower() for one in profile.top_values[:3]} - {""}) > 2:
        return None
    values = {one.strip().lower(): one for one in _values(profile)}
    if not 1 <= len(values) <= 2:
        return None
    named = bool(_FLAG_NAMES & set(re.split(r"[^a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", facts.name).lower())))
    for yes, no in _FLAGS:
        if not values.keys() <= {yes, no} or (len(values) == 1 and not named):
            continue
        as_texts = bool(facts.data_type) and _kind_of_type(str(facts.data_type).upper()) is None
        if (yes, no) == ("1", "0") and kind is ColumnKind.NUMBER and not as_texts:
            return Literal("number", Decimal(1)), Literal("number", Decimal(0))
        some = next(iter(values.values()))
        spelled = str.upper if some.isupper() else str.title if some.istitle() else str.lower
        return Literal("text", values.get(yes, spelled(yes))), Literal("text", values.get(no, spelled(no)))
    return None
