"""Months and days that no single value of a column tells: every March, and dates kept as year, month and day apart."""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.language.named_days import named_day
from resolvers.engines.nl2sql.language.words import MONTHS, WEEKDAYS
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Both,
    Column,
    Comparison,
    Condition,
    Either,
    Literal,
    Operator,
    Span,
    Term,
    Unit,
)
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.frame import Cond, Noun
from resolvers.engines.nl2sql.planner.operands import equal_to
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind

_UNITS: Final = (Unit.YEAR, Unit.MONTH, Unit.DAY)
_LIMITS: Final = {Unit.MONTH: 12, Unit.DAY: 31}
_EVERY_YEAR: Final = 0.1
"""What is doubted of a month of every year, where the data is of several."""
_WHICH_MONTH: Final = 0.2
"""What is doubted of the month that has the most, where nothing tells whether all years are taken together."""
_LOST: Final = 0.5
"""What is doubted where a month or a day is said, and only the year of it can be compared."""
_NO_YEARS: Final = 0.4
"""What is doubted of a year that is compared with what holds no years, as far as a profile knows."""
_YEARS: Final = (1900, 2100)
_WHOLE: Final = frozenset((Operator.EQUAL, Operator.IN))
_Level = tuple[Column | Span, Literal]
"""A part of a date, and what it is compared with."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A day, a month or several months as they were said: their first and last day, the year 1 where none was said."""

    first: date
    last: date
    yearly: bool
    """Whether no year was said."""
    daily: bool
    """Whether a day was said, and not only a month."""


def month_of(catalog: Catalog, tables: Sequence[str]) -> ColumnKey | None:
    """The column that holds months of the year and nothing else, of the first table that has one."""
    own = (key for table in tables for key in catalog.of(table) if _part(catalog, key) is Unit.MONTH)
    return next(own, None)


def dated(resolver: Resolver, column: ColumnKey, operator: Operator, refs: Sequence[Ref]) -> Condition | None:
    """A condition on the months and days that were said; None where the column holds what can be compared as it is."""
    catalog = resolver.catalog
    said = [one for ref in refs if (one := _said(resolver, ref)) is not None]
    if not said or len(said) < len(refs) or (operator is Operator.BETWEEN and len(said) > 2):
        return None
    parts = _parts(catalog, column)
    if parts is None or Unit.MONTH not in parts:
        if catalog.is_year(column) and not _are_years(said):
            resolver.doubt("a month or a day is said, and only the year of it is known", _LOST)
        return None
    if operator is Operator.BETWEEN and said[0].yearly and not said[-1].yearly:  # between January and March 1997
        said[0] = _in_year(said[0], said[-1].first.year)
    whole = isinstance(next(iter(parts.values())), Span)
    if whole:
        said = [_every_year(resolver, column, one) for one in said]
    if whole and operator is Operator.BETWEEN and not any(one.yearly for one in said):
        days = (said[0].first, said[-1].last)
        ends = tuple(Literal("date", one.isoformat()) for one in days)
        resolver.used.update((ref.first, ref.last) for ref in refs)
        return Comparison(as_column(column), operator, ends)
    if (whole and not any(one.yearly for one in said)) or _are_years(said):
        return None
    if any(one.daily and Unit.DAY not in parts for one in said):
        resolver.doubt("a month or a day is said, and only the year of it is known", _LOST)
        said = [replace(one, daily=False) for one in said]
    bounds = [(said[0], Operator.AT_LEAST), (said[-1], Operator.AT_MOST)]
    if operator is Operator.BETWEEN:
        made = [_bounded(catalog, parts, *one) for one in bounds]
    elif operator in _WHOLE:
        made = [_within(catalog, parts, one) for one in said]
    else:
        made = [_bounded(catalog, parts, said[0], operator)]
    found = [one for one in made if one is not None]
    if len(found) < len(made):
        return None
    resolver.used.update((ref.first, ref.last) for ref in refs)
    if len(found) == 1:
        return found[0]
    low, high = found[0], found[-1]
    if operator is Operator.BETWEEN and isinstance(low, Comparison) and isinstance(high, Comparison):
        return Comparison(low.left, Operator.BETWEEN, (*low.right, *high.right))
    return Both(tuple(found)) if operator is Operator.BETWEEN else Either(tuple(found))


def on_weekdays(resolver: Resolver, column: ColumnKey, refs: Sequence[Ref]) -> Comparison | None:
    """That a date is on one of the days of the week that were said; None where none was, or the column has none."""
    if not refs or not all(ref.is_weekday for ref in refs) or not resolver.catalog.is_time(column):
        return None
    said = (mention for ref in refs for mention in ref.literals if mention.how == "weekday")
    numbers = sorted({WEEKDAYS[str(one.value).lower()] + 1 for mention in said for one in mention.values})
    resolver.used.update((ref.first, ref.last) for ref in refs)
    values = tuple(Literal("number", Decimal(one)) for one in numbers)
    return equal_to(Span(as_column(column), Unit.WEEKDAY, True), values)


def of_the_calendar(resolver: Resolver, noun: Noun) -> bool:
    """Return whether the month asked for is one of the twelve, and not one of a year: in which month do most people
    marry?
    """
    frame, tokens = resolver.frame, [token.text.lower() for token in resolver.cut.linked.tokens]
    if not frame.sorts or noun.ref is None or frame.groups:
        return False
    if tokens[noun.ref.last : noun.ref.last + 3] in (["of", "the", "year"], ["of", "a", "year"]):
        return True
    if any(one.kind in ("date", "moment") for cond in frame.conditions for one in _compared(cond)):
        return False
    resolver.doubt("a month may be one of the twelve, or one of a year", _WHICH_MONTH)
    return tokens[noun.ref.first - 2 : noun.ref.first] in (["in", "which"], ["in", "what"], ["during", "which"])


def _compared(cond: Cond) -> list[Literal]:
    return [one.values[0] for ref in cond.values for one in ref.literals if one.values]


def denied(condition: Condition) -> Condition:
    """Return what holds where a condition on months and days does not."""
    match condition:
        case Both(parts):
            return Either(tuple(denied(one) for one in parts))
        case Either(parts):
            return Both(tuple(denied(one) for one in parts))
        case Comparison():
            return replace(condition, negated=not condition.negated)
    return condition


def _said(resolver: Resolver, ref: Ref) -> _Said | None:
    """Return what a word or several say of months and days."""
    if ref.values:
        return None
    tokens = resolver.cut.linked.tokens[ref.first : ref.last]
    named = (
        any(token.lemma in MONTHS for token in tokens) or named_day([one.text.lower() for one in tokens]) is not None
    )
    year = any(re.fullmatch(r"[12]\d{3}.*", token.text) for token in tokens)
    spans = [one for one in ref.literals if one.values and one.values[0].kind == "date"]
    if spans:
        first, last = (date.fromisoformat(str(one.value)) for one in (spans[0].values[0], spans[0].values[-1]))
        return _Said(first, last, (named or spans[0].unit is Unit.QUARTER) and not year, first == last)
    month = next((int(str(one.values[0].value)) for one in ref.literals if one.how == "month"), None)
    return _Said(date(1, month, 1), _end(1, month), True, False) if month is not None else None


def _in_year(said: _Said, year: int) -> _Said:
    """The same days of a year."""
    day = min(said.first.day, _end(year, said.first.month).day)
    last = date(year, said.last.month, day) if said.daily else _end(year, said.last.month)
    return replace(said, first=date(year, said.first.month, day), last=last, yearly=False)


def _end(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def doubt_years(resolver: Resolver, conditions: Sequence[Condition]) -> None:
    """Doubt a year that is compared with numbers far from it, as days kept as 20240131 are, or with words."""
    for one in conditions:
        if isinstance(one, Comparison) and isinstance(one.left, Column):
            key = ColumnKey(one.left.table, one.left.column)
            years = [found for term in one.right if (found := _year_of(term)) is not None]
            if any(not _may_be_of(resolver.catalog, key, year) for year in years):
                resolver.doubt("a year is compared with what holds no years", _NO_YEARS)


def _year_of(term: Term) -> Decimal | None:
    if not isinstance(term, Literal):
        return None
    value = str(term.value)[:4] if term.kind in ("date", "moment") else str(term.value)
    year = Decimal(value) if re.fullmatch(r"\d{4}", value) else None
    return year if year is not None and _YEARS[0] <= year <= _YEARS[1] else None


def _may_be_of(catalog: Catalog, key: ColumnKey, year: Decimal) -> bool:
    if catalog.kind(key) is ColumnKind.NUMBER:
        return catalog.is_day_number(key) or catalog.may_reach(key, year)
    profile = catalog.profile(key) if catalog.kind(key) is ColumnKind.TEXT else None
    if profile is None or profile.masked or not profile.top_values:
        return True
    return any(any(map(str.isdigit, one.value)) for one in profile.top_values)


def _are_years(said: Sequence[_Said]) -> bool:
    """Return whether nothing but whole years was said."""
    return all(
        not one.yearly and (one.first.month, one.first.day, one.last.month, one.last.day) == (1, 1, 12, 31)
        for one in said
    )


def _every_year(resolver: Resolver, column: ColumnKey, said: _Said) -> _Said:
    """A day or month without a year: of this year, where the data reaches it, else of every year."""
    if not said.yearly:
        return said
    profile = resolver.catalog.profile(column)
    ends = (profile.minimum, profile.maximum) if profile is not None else (None, None)
    low, high = (int(one[:4]) if one and one[:4].isdigit() else None for one in ends)
    if said.first.year > 1 and (high is None or high >= said.first.year):
        return replace(said, yearly=False)
    if low is None or low != high:
        resolver.doubt("no year is said: that of every year is taken", _EVERY_YEAR)
    return said


def _parts(catalog: Catalog, column: ColumnKey) -> dict[Unit, Column | Span] | None:
    """The year, month and day of a date as terms: parts of one column, or columns of a table that belong together."""
    if catalog.kind(column).tells_days:
        return {unit: Span(as_column(column), unit, unit is not Unit.YEAR) for unit in _UNITS}
    unit = _part(catalog, column)
    if unit is None:
        return None
    before = tokens_of(column.column)[:-1]
    beside = {
        found: as_column(key)
        for key in reversed(catalog.of(column.table))
        if tokens_of(key.column)[:-1] == before and (found := _part(catalog, key)) is not None
    }
    return {one: beside[one] for one in _UNITS if one in beside}


def _part(catalog: Catalog, key: ColumnKey) -> Unit | None:
    """Return whether a column holds years, months of the year or days of the month, and nothing else."""
    if catalog.is_year(key) and catalog.is_number(key) and catalog.words(key)[-1] == "year":
        return Unit.YEAR
    last = tokens_of(key.column)[-1]  # as it is written: a birthDay is no birthday beside a birthMonth
    unit = next((one for one in (Unit.MONTH, Unit.DAY) if last == one.value), None)
    if unit is None:
        return None
    profile = catalog.profile(key)
    if catalog.kind(key) is ColumnKind.NUMBER:
        ends = [one for one in (profile.minimum, profile.maximum) if one] if profile is not None else []
        fits = all(re.fullmatch(r"\d{1,2}(\.0*)?", one) and float(one) <= _LIMITS[unit] for one in ends)  # 0: unknown
        return unit if fits else None
    return unit if unit is Unit.MONTH and _written(catalog, key) else None


def _written(catalog: Catalog, key: ColumnKey) -> dict[int, list[str]]:
    """How a column of texts writes the months, by their numbers; nothing where it writes anything else."""
    profile = catalog.profile(key) if catalog.is_text(key) else None
    if profile is None or profile.masked:
        return {}
    found: dict[int, list[str]] = {}
    for one in profile.top_values:
        month = MONTHS.get(one.value.strip(" .").lower())
        if month is None:
            return {}
        found.setdefault(month, []).append(one.value)
    return found


def _levels(parts: dict[Unit, Column | Span], day: date, said: _Said) -> list[_Level]:
    """The parts of a day that were said, the longest span first."""
    numbers = {Unit.YEAR: day.year, Unit.MONTH: day.month, Unit.DAY: day.day}
    taken = [unit for unit in parts if not (unit is Unit.YEAR and said.yearly) and (unit is not Unit.DAY or said.daily)]
    return [(parts[unit], Literal("number", Decimal(numbers[unit]))) for unit in taken]


def _within(catalog: Catalog, parts: dict[Unit, Column | Span], said: _Said) -> Condition | None:
    """That a date lies within what was said."""
    if said.first.year != said.last.year:
        low, high = (_bounded(catalog, parts, said, one) for one in (Operator.AT_LEAST, Operator.AT_MOST))
        return Both((low, high)) if low is not None and high is not None else None
    months = range(said.first.month, said.last.month + 1)
    if not said.daily and (said.first.day, said.last) != (1, _end(said.last.year, said.last.month)):
        return None
    made: list[Condition] = []
    for term, number in _levels(parts, said.first, said):
        if term == parts[Unit.MONTH]:
            one = _in_months(catalog, term, months)
            if one is None:
                return None
            made.append(one)
        else:
            made.append(Comparison(term, Operator.EQUAL, (number,)))
    return made[0] if len(made) == 1 else Both(tuple(made))


def _in_months(catalog: Catalog, term: Column | Span, months: range) -> Comparison | None:
    """That a month is one of several that follow each other."""
    written = _written(catalog, ColumnKey(term.table, term.column)) if isinstance(term, Column) else {}
    if written:
        texts = tuple(Literal("text", text) for month in months for text in written.get(month, ()))
        return equal_to(term, texts) if texts else None
    ends = tuple(Literal("number", Decimal(one)) for one in dict.fromkeys((months[0], months[-1])))
    return Comparison(term, Operator.BETWEEN if len(ends) > 1 else Operator.EQUAL, ends)


def _bounded(catalog: Catalog, parts: dict[Unit, Column | Span], said: _Said, operator: Operator) -> Condition | None:
    """That a date lies before or behind what was said, compared part by part, the longest span first."""
    levels = _levels(parts, said.last if operator in (Operator.MORE, Operator.AT_MOST) else said.first, said)
    month = parts[Unit.MONTH]
    if isinstance(month, Column) and _written(catalog, ColumnKey(month.table, month.column)):
        return None
    strict = Operator.MORE if operator in (Operator.MORE, Operator.AT_LEAST) else Operator.LESS
    found: Condition | None = None
    for term, number in reversed(levels):
        if found is None:
            found = Comparison(term, operator, (number,))
        else:
            same = Comparison(term, Operator.EQUAL, (number,))
            found = Either((Comparison(term, strict, (number,)), Both((same, found))))
    return found
