"""Spans of time and amounts as they are spoken: `more than a year ago`, `longer than an hour`, `an hour long`."""

import re
from datetime import date, timedelta
from typing import Final

from resolvers.engines.nl2sql.language.measures import MEASURES
from resolvers.engines.nl2sql.language.spans import back
from resolvers.engines.nl2sql.language.words import NUMBER_WORDS
from resolvers.engines.nl2sql.plan import Unit

_AGO: Final = re.compile(
    r"\b(?:(?P<before>(?:more|longer) than|over)|(?P<until>at least|(?:no|not) less than)"
    r"|(?P<after>(?:less|fewer) than|under)|(?P<since>at most|(?:no|not) more than)) "
    r"(?P<many>[\w-]+) (?P<unit>day|week|month|quarter|year)s? ago\b",
    re.IGNORECASE,
)
_MOST_BACK: Final = 1000
"""Years, or as many days as they have."""
_UNITS: Final = "|".join(
    sorted((unit for unit in MEASURES if len(unit) > 2 and unit not in ("square", "cubic")), key=len)
)
_SINGLE: Final = re.compile(
    rf"\b(than|at least|at most|under|over|exceeds?|exceeding) (half )?an? ({_UNITS})\b(?! (?:ago|of)\b)", re.IGNORECASE
)
_LONG: Final = re.compile(r"(\d (?:hour|minute|min|second|day|week|month|year)s?) long\b", re.IGNORECASE)

_OCLOCK: Final = re.compile(
    r"\b(\d{1,2})(?:[.](\d\d))?(?: ?([ap])\.?m\b\.?(?! ?\w*\.\w)| o['\u2019]?clock\b)", re.IGNORECASE
)
_NOON: Final = re.compile(r"\b(before|after|until|till|by|since|and) (noon|midday|midnight)\b", re.IGNORECASE)
_WHOLE: Final = re.compile(
    r"\b(?:(since|before|prior to) the (?:very )?(?:start|beginning)|(after|until|through) the (?:very )?end) of "
    r"(?=\d{4}\b|this |last |(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* )",
    re.IGNORECASE,
)
"""An end of a span that is said of the whole of it: `since the start of 2023`."""
_NAMED: Final = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}
"""Times of the day that have a name, where something is before or after them."""


def spoken_spans(text: str) -> str:
    """A question in which one of a unit is said as a number: longer than 1 hour, of `longer than an hour`."""
    told = _NOON.sub(lambda found: f"{found[1]} {_NAMED[found[2].lower()]}", _OCLOCK.sub(_clock, text))
    told = _WHOLE.sub(lambda found: f"{found[1] or found[2]} ", told)
    told = _SINGLE.sub(lambda found: f"{found[1]} {'0.5' if found[2] else '1'} {found[3]}", told)
    return _LONG.sub(r"\1", told)


def _clock(found: re.Match[str]) -> str:
    """`6pm` as 6:00pm, and `6 o'clock` as 6:00."""
    if int(found[1]) > 24:
        return found[0]
    return f"{found[1]}:{found[2] or '00'}{found[3] + 'm' if found[3] else ''}"


def since_when(text: str, today: date) -> str:
    """A question in which what was more or less than some time ago lies before or after that day."""
    return _AGO.sub(lambda found: _day(found, today), text)


def _day(found: re.Match[str], today: date) -> str:
    many = _number(found["many"].lower())
    unit = Unit[found["unit"].upper()]
    if many is None or not 0 < many <= _MOST_BACK:
        return found[0]
    try:
        day = back(today, many, unit)
    except (ValueError, OverflowError):  # before the calendar begins
        return found[0]
    if found["before"]:
        return f"before {day}"
    if found["until"]:
        return f"before {day + timedelta(days=1)}"
    return f"after {day if found['after'] else day - timedelta(days=1)}"


def _number(word: str) -> int | None:
    if word in ("a", "an"):
        return 1
    return int(word) if word.isdecimal() else NUMBER_WORDS.get(word)
