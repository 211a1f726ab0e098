"""The time between two moments, as every dialect can compute it."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Final

from sqlglot import exp

from resolvers.engines.nl2sql.plan import Unit
from resolvers.engines.nl2sql.sql_writing.comparing import TypedKind, Unwritable, number, span
from resolvers.engines.nl2sql.sql_writing.iso_texts import dashed

_SECONDS: Final = {Unit.MINUTE: 60, Unit.HOUR: 3600, Unit.DAY: 24 * 3600}
_PLACES: Final = {Unit.YEAR: 10_000, Unit.MONTH: 100, Unit.DAY: 1}
"""Where each part of a date stands in the number of eight digits that it is written as."""
_OF_SECONDS: Final[dict[str, type[exp.Expr]]] = {"mysql": exp.TimestampDiff, "bigquery": exp.DatetimeDiff}
_IN_DAYS: Final = frozenset(("sqlite", "oracle"))
_End = tuple[exp.Expr, TypedKind]


def elapsed(since: _End, until: _End, unit: Unit, dialect: str) -> exp.Expr:
    """The time from one moment to another, each with what it is: completed years, or smaller units with their parts."""
    for _, kind in (since, until):
        if kind.family not in ("moment", "") and not kind.iso:
            raise Unwritable("Only dates and moments have a time between them.")
        if kind.strays:
            raise Unwritable("Some of the dates are written in a form that no time can be counted from.")
    if unit is Unit.YEAR:
        return _years(since, until[0], dialect)
    since, until = (
        (dashed(this) if kind.compact else this, replace(kind, compact=False)) for this, kind in (since, until)
    )
    if unit not in _SECONDS:
        raise Unwritable(f"Times between moments are not told in the unit {unit.value}.")
    whole_days = all(_is_day(kind) for _, kind in (since, until))
    if unit is Unit.DAY and whole_days:
        return _apart(since, until, "DATE", "DAY", dialect)
    # Seconds, since whole minutes would be those that a clock shows: 12:00:50 and 12:01:10 lie one apart.
    seconds = _apart(since, until, "TIMESTAMP", "SECOND", dialect)
    size = exp.Literal.number(f"{_SECONDS[unit]}.0")
    return exp.Div(this=seconds, expression=size, typed=False, safe=False)


def _years(since: _End, until: exp.Expr, dialect: str) -> exp.Expr:
    """Completed years: of two dates written as numbers of eight digits, such as 20250131, the difference tells them."""
    day = until.find(exp.Literal)
    if day is None:
        raise Unwritable("Years are told up to a day.")
    today = date.fromisoformat(str(day.this)[:10])
    this, kind = since
    parts = [
        exp.Mul(this=span(this.copy(), kind, unit, True, dialect), expression=number(places))
        if places > 1
        else span(this.copy(), kind, unit, True, dialect)
        for unit, places in _PLACES.items()
    ]
    written: exp.Expr = exp.Add(this=exp.Add(this=parts[0], expression=parts[1]), expression=parts[2])
    least = number(Decimal(today.year * 10_000 + today.month * 100 + today.day))
    between = exp.paren(exp.Sub(this=least, expression=exp.paren(written, copy=False)), copy=False)
    years = exp.Div(this=between, expression=number(10_000), typed=False, safe=False)
    return exp.cast(years, "INT") if dialect == "sqlite" else exp.Floor(this=years)


def _apart(since: _End, until: _End, to: str, unit: str, dialect: str) -> exp.Expr:
    """How many days or seconds lie between."""
    ends = [
        this
        if dialect == "sqlite" or (kind.family == "moment" and (to == "DATE" or kind.has_time))
        else exp.cast(this, to)
        for this, kind in (since, until)
    ]
    first, last = ends
    if dialect in _IN_DAYS:
        return _by_days(first, last, unit, dialect)
    # One function for days and another one for parts of them: MySQL's of days would pass over the unit.
    kind = _OF_SECONDS.get(dialect, exp.DateDiff) if unit == "SECOND" else exp.DateDiff
    return kind(this=last, expression=first, unit=exp.var(unit))


def _by_days(first: exp.Expr, last: exp.Expr, unit: str, dialect: str) -> exp.Expr:
    """The same where moments are subtracted as numbers of days, whose fractions are not exact."""
    if dialect == "sqlite":
        first, last = (exp.func("JULIANDAY", one, dialect=dialect) for one in (first, last))
    else:
        first, last = (exp.cast(one, "DATE") for one in (first, last))
    days: exp.Expr = exp.paren(exp.Sub(this=last, expression=first), copy=False)
    parts = days if unit == "DAY" else exp.Mul(this=days, expression=number(_SECONDS[Unit.DAY]))
    return exp.func("ROUND", parts, dialect=dialect)


def _is_day(kind: TypedKind) -> bool:
    if kind.family == "moment":
        return not kind.has_time
    return bool(kind.samples) and all(len(one.strip()) <= len("2020-01-01") for one in kind.samples)
