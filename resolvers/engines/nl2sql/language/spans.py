"""Days and spans of time in a question, absolute and relative to now."""

import re
from calendar import isleap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final

from resolvers.engines.nl2sql.language.named_days import FIRST_WORDS, named_day
from resolvers.engines.nl2sql.language.numbers import number_of, numbers_at
from resolvers.engines.nl2sql.language.words import MONTHS, NUMBER_WORDS, ORDINALS, SCALES, UNITS, WEEKDAYS
from resolvers.engines.nl2sql.mention import Mention, MentionKind, Token
from resolvers.engines.nl2sql.plan import Literal, Unit

_DECADE: Final = re.compile(r"'?((?:\d\d)?\d0)s")
_QUARTER: Final = re.compile(r"(?:(\d{4})-?)?q([1-4])(?:-?(\d{4}))?")
_ISO: Final = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[t ](.+))?", re.IGNORECASE)
_SLASHED: Final = re.compile(r"(\d{1,2})([/.])(\d{1,2})[/.](\d{4})")
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s?([ap])?\.?m?\.?", re.IGNORECASE)
_TENS: Final = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80,
    "nineties": 90, "twenty": 20,
}  # fmt: skip
_DATE_WORDS: Final = frozenset(
    (
        "in",
        "since",
        "year",
        "before",
        "after",
        "between",
        "until",
        "till",
        "during",
        "from",
        "of",
        "by",
        "on",
        "and",
        "to",
    )
)
_BEFORE_MONTHS: Final = frozenset(("in", "during", "since", "until", "till"))
"""What stands before the name of a month, however it is written."""
_THROUGH: Final = frozenset(("to", "through", "until", "till", "-", "\u2013"))
_THIS: Final = frozenset(("this", "current"))
_LAST: Final = frozenset(("last", "previous", "past", "prior", "preceding", "recent"))
_NEXT: Final = frozenset(("next", "coming", "following", "upcoming"))
_HOURS: Final = {"hour": 3600, "minute": 60, "second": 1}
_WHOLE: Final = {"today": 0, "yesterday": -1, "tomorrow": 1, "tonight": 0}
BEGINNINGS: Final = frozenset(
    (
        *(*MONTHS, *WEEKDAYS, *ORDINALS, *_TENS, *NUMBER_WORDS, *SCALES, *_THIS, *_LAST, *_NEXT, *_WHOLE),
        *("a", "half", "dozen", "day", "month", "year", "ytd", "weekday", "weekend"),
        *FIRST_WORDS,
    )
)
"""The words that a number, a day or a span of time begins with, unless it begins with a digit or a sign."""
_MOST: Final = 100_000
"""Spans are not longer than that many units."""


@dataclass(frozen=True, slots=True)
class _Days:
    """A span of whole days at tokens."""

    last: int
    """One past the index of its last token."""
    start: date
    end: date
    unit: Unit | None = None
    score: float = 0.95


def times_at(tokens: Sequence[Token], at: int, now: datetime) -> Iterator[Mention]:
    """The days, spans, months, weekdays and times of day that begin at a token."""
    today = now.date()
    for days in (*_absolute(tokens, at, today), *_relative(tokens, at, today)):
        values = (Literal("date", days.start.isoformat()), Literal("date", days.end.isoformat()))
        yield _mention(at, days.last, days.score, "date", *values, unit=days.unit)
    yield from _moments(tokens, at, now)
    token = tokens[at]
    said = _is_name(token) or (at and tokens[at - 1].text.lower() in _BEFORE_MONTHS)
    if token.lemma in MONTHS and token.is_lemma and said:
        yield _mention(at, at + 1, 0.6, "month", Literal("number", Decimal(MONTHS[token.lemma])))
    if token.lemma in WEEKDAYS and len(token.lemma) > 3:
        yield _mention(at, at + 1, 0.7, "weekday", _weekday(WEEKDAYS[token.lemma]))
    elif token.lemma in ("weekend", "weekday") and _is_during(tokens, at):
        ends = range(5, 7) if token.lemma == "weekend" else range(5)
        yield _mention(at, at + 1, 0.7, "weekday", *map(_weekday, ends))


def _is_during(tokens: Sequence[Token], at: int) -> bool:
    """Return whether something is said to have been at a time: `on a weekend`."""
    before = [token.text.lower() for token in tokens[max(0, at - 2) : at]]
    if before and before[-1] in ("a", "the"):
        before.pop()
    return bool(before) and before[-1] in ("on", "at", "during", "over")


def _weekday(number: int) -> Literal:
    """The name of a weekday, of which Monday is 0."""
    return Literal("text", list(WEEKDAYS)[list(WEEKDAYS.values()).index(number)].capitalize())


def _is_name(token: Token) -> bool:
    return token.text[:1].isupper() or len(token.lemma) > 5


def _moments(tokens: Sequence[Token], at: int, now: datetime) -> Iterator[Mention]:
    lemmas = [token.lemma for token in tokens[at : at + 4]]
    iso = _ISO.fullmatch(tokens[at].text)
    if iso and iso.group(4):
        try:
            moment = datetime.fromisoformat(tokens[at].text.upper().replace("Z", "+00:00").replace("/", "-"))
        except ValueError:
            return
        yield _mention(at, at + 1, 1.0, "moment", Literal("moment", moment.isoformat(" ")))
    clock = _CLOCK.fullmatch(tokens[at].text)
    if clock:
        hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
        if (clock[4] or "").lower() == "p" and hour < 12:
            hour += 12
        elif (clock[4] or "").lower() == "a" and hour == 12:
            hour = 0
        if hour < 24 and minute < 60 and second < 60:
            yield _mention(at, at + 1, 0.9, "time", Literal("text", f"{hour:02}:{minute:02}:{second:02}"))
    if lemmas[0] in _LAST and len(lemmas) > 1:
        many, unit, used = _many(tokens, at + 1)
        if many is not None and unit in _HOURS and many <= _MOST:
            start = now - timedelta(seconds=_HOURS[unit] * many)
            values = (Literal("moment", _moment(start)), Literal("moment", _moment(now)))
            yield _mention(at, used, 0.95, "moment", *values)


def _moment(of: datetime) -> str:
    return of.replace(tzinfo=None, microsecond=0).isoformat(" ")


def _many(tokens: Sequence[Token], at: int) -> tuple[int | None, str, int]:
    """`30 days`, `three months`, `hour`: how many, of what, and one past its last token."""
    number = next((one for one in numbers_at(tokens, at) if one.how == "number"), None) if at < len(tokens) else None
    if number is None:
        return (1, tokens[at].lemma, at + 1) if at < len(tokens) else (None, "", at)
    value = Decimal(number.values[0].value)
    if number.last >= len(tokens) or value != value.to_integral_value() or not 0 < value <= _MOST:
        return None, "", at
    return int(value), tokens[number.last].lemma, number.last + 1


def _absolute(tokens: Sequence[Token], at: int, today: date) -> Iterator[_Days]:
    token = tokens[at]
    lemma = token.lemma
    iso, slashed = _ISO.fullmatch(token.text), _SLASHED.fullmatch(token.text)
    if iso:
        yield from _day(at + 1, int(iso[1]), int(iso[2]), int(iso[3]), 1.0)
    elif slashed:
        one, sign, two, year = int(slashed[1]), slashed[2], int(slashed[3]), int(slashed[4])
        both = one <= 12 and two <= 12 and one != two
        if sign == "/":  # month first is the commoner way with slashes, day first with dots
            yield from _day(at + 1, year, one, two, 0.6 if both else 1.0)
        if sign == "." or one != two:
            yield from _day(at + 1, year, two, one, 1.0 if sign == "." else 0.5 if both else 1.0)
    yield from _by_month(tokens, at, today)
    yield from _by_name(tokens, at, today)
    yield from _quarters(tokens, at, today)
    if re.fullmatch(r"[12]\d{3}", lemma):
        before = tokens[at - 1].lemma if at else ""
        yield _year(at + 1, int(lemma), 0.95 if before in _DATE_WORDS else 0.7)
    if lemma == "year" and at + 1 < len(tokens) and re.fullmatch(r"[12]\d{3}", tokens[at + 1].lemma):
        yield _year(at + 2, int(tokens[at + 1].lemma), 1.0)
    decade = _DECADE.fullmatch(lemma)
    start = int(decade[1]) if decade else _TENS.get(token.text.lower())
    if start is not None and (decade or token.text.lower() != "twenty"):
        if start < 100:
            start += 2000 if start <= 20 else 1900
        if 1000 <= start < 3000:
            if start % 100 == 0 and start < 2000:  # the 1800s
                yield _Days(at + 1, date(start, 1, 1), date(start + 99, 12, 31), score=0.9)
            else:
                yield _Days(at + 1, date(start, 1, 1), date(start + 9, 12, 31), score=0.9)
    number = number_of(lemma) if lemma.endswith(("st", "nd", "rd", "th")) else None
    ordinal = number or ORDINALS.get(lemma)
    if ordinal and at + 1 < len(tokens) and tokens[at + 1].lemma == "century" and 1 < ordinal < 30:
        yield _Days(at + 2, date(int(ordinal) * 100 - 99, 1, 1), date(int(ordinal) * 100, 12, 31))


def _by_name(tokens: Sequence[Token], at: int, today: date) -> Iterator[_Days]:
    """`Christmas Day`, `New Year's Eve 1999`."""
    if tokens[at].text.lower() not in FIRST_WORDS:
        return
    words = [token.text.lower() for token in tokens[at:]]
    if (found := named_day(words)) is not None:
        month, day, used = found
        year, end = _year_at(words, used)
        score = 0.85 if used == 1 else 1.0
        yield from _day(at + (end if year else used), year or _leap(today.year), month, day, score)


def _day(last: int, year: int, month: int, day: int, score: float) -> Iterator[_Days]:
    try:
        found = date(year, month, day)
    except ValueError:
        return
    yield _Days(last, found, found, Unit.DAY, score)


def _leap(year: int) -> int:
    """The last year that had every day that a year may have."""
    return next(one for one in range(year, 0, -1) if isleap(one))


def _year(last: int, year: int, score: float) -> _Days:
    return _Days(last, date(year, 1, 1), date(year, 12, 31), Unit.YEAR, score)


def _month(last: int, year: int, month: int, score: float) -> _Days:
    start = date(year, month, 1)
    return _Days(last, start, _shifted(start, 1) - timedelta(days=1), Unit.MONTH, score)


def _by_month(tokens: Sequence[Token], at: int, today: date) -> Iterator[_Days]:
    """`12 May 1996`, `12th of May`, `May 12, 1996`, `March 2015`."""
    lemmas = [token.lemma for token in tokens[at : at + 6]]
    day = _day_number(lemmas[0])
    if day is not None:
        rest = 2 if lemmas[1:2] == ["of"] else 1
        if lemmas[rest : rest + 1] and lemmas[rest] in MONTHS:
            year, used = _year_at(lemmas, rest + 1)
            yield from _day(at + used, year or today.year, MONTHS[lemmas[rest]], day, 1.0 if year else 0.85)
        return
    if lemmas[0] not in MONTHS:
        return
    month = MONTHS[lemmas[0]]
    rest = 2 if lemmas[1:2] == ["the"] else 1
    day = _day_number(lemmas[rest]) if len(lemmas) > rest else None
    if day is not None:
        year, used = _year_at(lemmas, rest + 1)
        yield from _day(at + used, year or today.year, month, day, 1.0 if year else 0.85)
    year, used = _year_at(lemmas, 1)
    if year is not None:
        yield _month(at + used, year, month, 1.0)
    if lemmas[1:2] and lemmas[1] in _THROUGH and lemmas[2:3] and lemmas[2] in MONTHS:
        yield from _months(at, lemmas, month, today)


def _months(at: int, lemmas: Sequence[str], month: int, today: date) -> Iterator[_Days]:
    """`January to March 1997`, `Jan - Mar`."""
    to = MONTHS[lemmas[2]]
    year, used = _year_at(lemmas, 3)
    if month <= to:
        end = _month(at + used, year or today.year, to, 1.0).end
        yield _Days(at + used, date(year or today.year, month, 1), end, score=1.0 if year else 0.85)


def _day_number(lemma: str) -> int | None:
    match = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", lemma)
    return int(match[1]) if match and 1 <= int(match[1]) <= 31 else None


def _year_at(lemmas: Sequence[str], at: int) -> tuple[int | None, int]:
    """A year, maybe behind a comma or `of`, with one past its last index; else where it was looked for."""
    skip = at + 1 if lemmas[at : at + 1] and lemmas[at] in (",", "of", "in") else at
    if len(lemmas) > skip and re.fullmatch(r"[12]\d{3}", lemmas[skip]):
        return int(lemmas[skip]), skip + 1
    return None, at


def _quarters(tokens: Sequence[Token], at: int, today: date) -> Iterator[_Days]:
    """`Q3 2020`, `2020 Q3`, `third quarter of 2020`, `first half of 2020`."""
    lemmas = [token.lemma for token in tokens[at : at + 5]]
    match = _QUARTER.fullmatch(lemmas[0])
    number, used, months = 0, 1, 3
    year: int | None = None
    if match:
        number, year = int(match[2]), int(match[1] or match[3] or 0) or None
    elif lemmas[0] in ORDINALS and lemmas[1:2] in (["quarter"], ["half"]):
        number, used, months = ORDINALS[lemmas[0]], 2, 3 if lemmas[1] == "quarter" else 6
    elif re.fullmatch(r"h[12]", lemmas[0]):
        number, months = int(lemmas[0][1]), 6
    elif re.fullmatch(r"[12]\d{3}", lemmas[0]) and lemmas[1:2] and (match := _QUARTER.fullmatch(lemmas[1])):
        number, year, used = int(match[2]), int(lemmas[0]), 2
    if not 1 <= number <= 12 // months:
        return
    if year is None:
        year, used = _year_at(lemmas, used)
    if year is None and months == 6:
        return
    start = date(year or today.year, months * (number - 1) + 1, 1)
    end = _shifted(start, months) - timedelta(days=1)
    yield _Days(at + used, start, end, Unit.QUARTER if months == 3 else None, 1.0 if year else 0.7)


def _shifted(day: date, months: int) -> date:
    """The same day some months on, or the last day of that month."""
    at = day.year * 12 + day.month - 1 + months
    year, month = at // 12, at % 12 + 1
    if not 1 <= year <= 9998:
        raise OverflowError
    for number in range(day.day, 27, -1):
        try:
            return date(year, month, number)
        except ValueError:
            continue
    return date(year, month, day.day)


def _around(day: date, unit: Unit, away: int) -> tuple[date, date]:
    """The calendar year, quarter, month, week or day that is some away from the day's."""
    if unit is Unit.DAY:
        start = day + timedelta(days=away)
        return start, start
    if unit is Unit.WEEK:
        start = day - timedelta(days=day.weekday()) + timedelta(weeks=away)
        return start, start + timedelta(days=6)
    months = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12}[unit]
    first = date(day.year, (day.month - 1) // months * months + 1, 1)
    start = _shifted(first, months * away)
    return start, _shifted(start, months) - timedelta(days=1)


def back(day: date, many: int, unit: Unit) -> date:
    """The day that many days, weeks, months, quarters or years before another. Raises OverflowError or ValueError."""
    if unit in (Unit.DAY, Unit.WEEK):
        return day - timedelta(days=many * (7 if unit is Unit.WEEK else 1))
    return _shifted(day, -many * {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12}[unit])


def _relative(tokens: Sequence[Token], at: int, today: date) -> Iterator[_Days]:
    try:
        yield from _days_off(tokens, at, today)
    except OverflowError:
        return


def _unit(word: str) -> Unit | None:
    unit = UNITS.get(word) if word != "date" and not word.endswith("ly") else None
    return unit if unit not in (Unit.HOUR, Unit.DECADE) else None


def _days_off(tokens: Sequence[Token], at: int, today: date) -> Iterator[_Days]:
    lemmas = [token.lemma for token in tokens[at : at + 5]]
    first, second = lemmas[0], lemmas[1] if len(lemmas) > 1 else ""
    if first in _WHOLE:
        start, end = _around(today, Unit.DAY, _WHOLE[first])
        yield _Days(at + 1, start, end, Unit.DAY)
    if lemmas[:4] == ["day", "before", "yesterday", *lemmas[3:4]]:
        yield _Days(at + 3, today - timedelta(days=2), today - timedelta(days=2), Unit.DAY, 1.0)
    if first == "ytd" or lemmas[:3] == ["year", "to", "date"]:
        yield _Days(at + (1 if first == "ytd" else 3), date(today.year, 1, 1), today)
    if lemmas[:3] == ["month", "to", "date"]:
        yield _Days(at + 3, today.replace(day=1), today)
    yield from _this_or_next(tokens, at, today, first, second)
    yield from _ago(tokens, at, today, first, second)


def _this_or_next(tokens: Sequence[Token], at: int, today: date, first: str, second: str) -> Iterator[_Days]:
    """Such as `this week`, `last May` and `next three months`."""
    unit = _unit(second)
    away = 0 if first in _THIS else -1 if first in _LAST else 1 if first in _NEXT else None
    if away is not None and unit is not None:
        if first == "past" and unit is not Unit.DAY:  # "the past month" is the last thirty days or so
            yield _Days(at + 2, back(today, 1, unit), today)
        elif first != "recent":
            start, end = _around(today, unit, away)
            yield _Days(at + 2, start, end, unit)
    if away is not None and second == "decade":
        start = date(today.year // 10 * 10 + 10 * away, 1, 1)
        yield _Days(at + 2, start, date(start.year + 9, 12, 31))
    if away is not None and second in MONTHS:
        month = MONTHS[second]
        year = today.year + away
        if (away == -1 and month < today.month) or (away == 1 and month > today.month):
            year = today.year
        yield _month(at + 2, year, month, 0.8)
    if away:
        many, word, used = _many(tokens, at + 1)
        span = _unit(word)
        if many is not None and span is not None and used > at + 2:
            if away < 0:
                yield _Days(used, back(today, many, span), today)
            else:
                yield _Days(used, today, back(today, -many, span))


def _ago(tokens: Sequence[Token], at: int, today: date, first: str, second: str) -> Iterator[_Days]:
    """Such as `three weeks ago` and `a year ago`."""
    many, word, used = _many(tokens, at)
    span = _unit(word)
    if many is None and first == "a":
        many, span, used = 1, _unit(second), at + 2
    if first == "a" and many == 1:
        span, used = _unit(second), at + 2
    told = number_of(first) is not None or first == "a" or used > at + 1
    if told and many is not None and span is not None and used < len(tokens) and tokens[used].lemma == "ago":
        day = back(today, many, span)
        start, end = _around(day, span, 0) if span is not Unit.WEEK else (day, day)
        yield _Days(used + 1, start, end, span if span is not Unit.WEEK else Unit.DAY)


def _mention(first: int, last: int, score: float, how: str, *values: Literal, unit: Unit | None = None) -> Mention:
    return Mention(first, last, MentionKind.LITERAL, score, how, values=values, unit=unit)
