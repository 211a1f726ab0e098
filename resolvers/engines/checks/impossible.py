"""What no value can be, by what its column is called and how its days are written. It takes no sample to know.

That a 31 February is no day, that nobody earns less than nothing and that nobody is born tomorrow is so in a table of
eight rows as in one of eight millions. Names may mislead, so that values have a say: where a quarter of them would be
impossible, the column means something else.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from resolvers.engines.checks.predicates import DATES, FORMATS, MOMENTS, NOW, NUMBERS, TEXTS, type_of
from resolvers.engines.english.identifiers import words_of
from resolvers.engines.english.vocabulary import RELATIVE, words
from schema.data_readiness.source import ColumnFacts, Sample

MOST_BROKEN: Final = 0.25
"""The share of values from which a name is taken to mean something else."""

_NEVER_NEGATIVE: Final = words(
    "salary wage age height weight population headcount capacity mileage duration speed width length volume area"
)
_BETWEEN: Final = {
    "age": ("0", "150"),
    "latitude": ("-90", "90"),
    "lat": ("-90", "90"),
    "longitude": ("-180", "180"),
    "lng": ("-180", "180"),
    "lon": ("-180", "180"),
}
_PAST: Final = words("birth born birthday birthdate dob death died deceased")
_SHORT: Final = words("month months week weeks day days hour hours minute minutes second seconds")
_MEASURES: Final = _SHORT | words(
    "amount value total usd eur gbp chf inr jpy kg g lb lbs cm mm m km ft inch inches year years annual monthly yearly "
    "weekly daily hourly gross base per min max avg mean average sum current"
)
"""Words beside a thing that only say how it is measured."""
_AMOUNT: Final = re.compile(r"\s*[-+(]?\s*[$€£¥]?\s*[-+]?\d[\d.,' ]*\)?\s*[$€£¥%]?\s*")
_DAYS: Final = {
    "date": re.compile(r"\d{4}-\d{2}-\d{2}"),
    "day-month-year": re.compile(r"\d{1,2}([-/.])\d{1,2}\1\d{4}"),
    "month-day-year": re.compile(r"\d{1,2}([-/.])\d{1,2}\1\d{4}"),
}
_RIGHT: Final = {name: re.compile(FORMATS[name]) for name in _DAYS}


def named_so(column: ColumnFacts) -> bool:
    """Return whether a column's name says what its values cannot be."""
    return _limits(column.name) is not None or _is_past(column.name)


def impossible(column: ColumnFacts, sample: Sample | None) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the arguments by which values are right, and why others cannot be."""
    at = sample.columns.index(column.name) if sample is not None and column.name in sample.columns else None
    values = [row[at] for row in sample.rows if row[at] is not None] if sample is not None and at is not None else []
    kind, limits = type_of(column), _limits(column.name)
    if kind in TEXTS:
        texts = [str(value).strip() for value in values if str(value).strip()]
        if (name := _days_of(texts)) is not None:
            yield {"format": name}, "Every value is written as a day, and some days do not exist."
        elif limits is not None and limits[0] == "0" and _are_amounts(texts):
            yield {"pattern": "^[ ]*[^ -]"}, "By its name it cannot be less than nothing."
    elif kind in NUMBERS and limits is not None and _mostly_within(values, limits):
        told = {name: bound for name, bound in zip(("minimum", "maximum"), limits, strict=True) if bound is not None}
        yield told, "By its name it cannot lie beyond these bounds."
    elif kind in DATES | MOMENTS and _is_past(column.name):
        yield {"maximum": NOW}, "By its name it has happened, so that it is not to come."


def _limits(name: str) -> tuple[str | None, str | None] | None:
    """The least and the most that values of a name can be; None for a name that does not say."""
    said = [word.lower() for word in words_of(name).words]
    if not said or RELATIVE & set(said):
        return None
    if name.lower() in _BETWEEN:
        return _BETWEEN[name.lower()]
    thing = [word for word in said if word not in _MEASURES]
    head = thing[-1] if thing else ""
    if head in _BETWEEN and not _SHORT & set(said):
        return _BETWEEN[head]
    return ("0", None) if head in _NEVER_NEGATIVE else None


def _is_past(name: str) -> bool:
    return bool(_PAST & {word.lower() for word in (*words_of(name).words, name)})


def _days_of(texts: Sequence[str]) -> str | None:
    """The way in which all texts but few are written as days, whether or not these exist; None for none."""
    if len(texts) < 2:
        return None
    fitting: list[tuple[int, str]] = []
    for name, shape in _DAYS.items():
        shaped = [text for text in texts if shape.fullmatch(text)]
        right = sum(1 for text in shaped if _RIGHT[name].search(text))
        if len(shaped) >= (1 - MOST_BROKEN) * len(texts) and right > (1 - MOST_BROKEN) * len(shaped):
            fitting.append((right, name))
    best = max(fitting, default=None)
    if best is None or sum(1 for right, _ in fitting if right == best[0]) > 1:
        return None  # the order of day and month is not told
    return best[1]


def _are_amounts(texts: Sequence[str]) -> bool:
    """Return whether texts are numbers, few of them below nothing."""
    amounts = [text for text in texts if _AMOUNT.fullmatch(text)]
    below = sum(1 for text in amounts if text.startswith("-"))
    return bool(amounts) and len(amounts) >= 0.9 * len(texts) and below < MOST_BROKEN * len(amounts)


def _mostly_within(values: Iterable[Any], limits: tuple[str | None, str | None]) -> bool:
    """Return whether values lie within bounds, but for few."""
    least, most = (None if one is None else float(one) for one in limits)
    numbers = [float(value) for value in values]
    beyond = sum(1 for one in numbers if (least is not None and one < least) or (most is not None and one > most))
    return bool(numbers) and beyond < MOST_BROKEN * len(numbers)
