"""Values as a column's type wants them, and moments cut to spans: what differs between types and dialects.

Trees are built in the meaning of DuckDB and written by sqlglot in the dialect that is asked for; where its translation
does not hold, the tree itself is another one here.
"""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from sqlglot import exp

from resolvers.engines.nl2sql.joining.names import family
from resolvers.engines.nl2sql.plan import Literal, Operator, Unit
from resolvers.engines.nl2sql.schema_linking.kinds import holds_day_numbers, holds_numbers, kind_of_nearly_all
from resolvers.engines.nl2sql.sql_writing.iso_texts import are_days, dashed, is_day
from schema.data_readiness.profile import ColumnProfile
from schema.data_readiness.source import ColumnFacts

_TRUE: Final = ("true", "t", "yes", "y", "1")
_FALSE: Final = ("false", "f", "no", "n", "0")
_LENGTHS: Final = {Unit.YEAR: 4, Unit.MONTH: 7, Unit.DAY: 10}
"""How many characters of an ISO date tell the span."""


class Unwritable(Exception):
    """A plan that no query answers rightly. The message is a sentence for whoever asked."""


@dataclass(frozen=True, slots=True)
class TypedKind:
    """Holds what the values of a column are."""

    family: str
    """text, number, moment, boolean; empty when nobody knows."""
    name: str = ""
    has_time: bool = False
    iso: bool = False
    """Whether it is text that holds ISO dates."""
    strays: bool = False
    """Whether a few of those texts are no such dates, and have to be passed over."""
    compact: bool = False
    """Whether those dates are written without dashes: 20240131."""
    numeric: bool = False
    """Whether it is text that holds numbers."""
    days: bool = False
    """Whether it is numbers that are days: 20240131."""
    samples: tuple[str, ...] = ()


UNKNOWN: Final = TypedKind("")
NUMBER: Final = TypedKind("number")


def kind_of(column: ColumnFacts, profile: ColumnProfile | None, dialect: str) -> TypedKind:
    """Return what a column holds, by its type and, of texts, by its profile."""
    name = (column.data_type or "").upper()
    group = family(column.data_type)
    samples: tuple[str, ...] = ()
    if profile is not None and not profile.masked:
        ends = [one for one in (profile.minimum, profile.maximum) if one is not None]
        samples = (*ends, *(one.value for one in profile.top_values))
    if group == "moment" and dialect == "sqlite":
        return TypedKind("text", name, iso=True, samples=samples)
    if group == "moment":
        return TypedKind(group, name, has_time="TIME" in name)
    if group == "text" and samples:
        filled = [one for one in samples if one.strip()]
        whole, compact = are_days(filled), holds_day_numbers(filled)
        if compact:
            return TypedKind(group, name, iso=True, compact=True, samples=samples)
        numeric = holds_numbers(filled)
        strays = not whole and kind_of_nearly_all(profile) is not None
        return TypedKind(group, name, iso=whole or strays, strays=strays, numeric=numeric, samples=samples)
    return TypedKind(group, name, days=group == "number" and holds_day_numbers(samples), samples=samples)


def number(value: Decimal | int) -> exp.Expr:
    """An exact number."""
    text = format(Decimal(value), "f")
    return exp.Neg(this=exp.Literal.number(text[1:])) if text.startswith("-") else exp.Literal.number(text)


def as_number(this: exp.Expr, kind: TypedKind) -> exp.Expr:
    """A text that holds numbers as a number; anything else as it is."""
    return exp.TryCast(this=this, to=exp.DataType.build("DOUBLE")) if kind.family == "text" else this


_NO_TRY_CAST: Final = frozenset({"postgres", "redshift", "mysql", "sqlite", "oracle"})
"""Dialects in which a cast of a text that is no number fails, or gives another number, and that know no other cast."""
_A_NUMBER: Final = "^ *[-+]?([0-9]{1,99}[.]?[0-9]{0,99}|[.][0-9]{1,99})([eE][-+]?[0-9]{1,2})? *$"


def without_failing_casts(query: exp.Expr, dialect: str) -> None:
    """Write casts that give NULL for what is no number in a way that a dialect knows, in place."""
    if dialect not in _NO_TRY_CAST:
        return
    for node in list(query.find_all(exp.TryCast)):
        fits = exp.RegexpLike(this=node.this.copy(), expression=exp.Literal.string(_A_NUMBER))
        node.replace(exp.Case(ifs=[exp.If(this=fits, true=exp.Cast(this=node.this.copy(), to=node.to.copy()))]))


def literal(value: Literal) -> exp.Expr:
    """A value on its own."""
    given = value.value
    if isinstance(given, bool):
        return exp.Boolean(this=given)
    if isinstance(given, Decimal):
        return number(given)
    if value.kind in ("date", "moment"):
        to = "DATE" if value.kind == "date" else "TIMESTAMP"
        return exp.cast(exp.Literal.string(given), to)
    return exp.Literal.string(given)


def compared(this: exp.Expr, kind: TypedKind, operator: Operator, right: tuple[Literal, ...]) -> exp.Expr:
    """A column of this kind compared to values."""
    if operator == Operator.LIKE:
        return _like(this, kind, right[0])
    if any(one.kind in ("date", "moment") for one in right) and kind.family in ("moment", "text", "number"):
        return _by_day(this, kind, operator, right)
    numbers = [one.value for one in right if isinstance(one.value, Decimal)]
    if kind.family == "moment" and len(numbers) == len(right):
        if not all(1000 <= one <= 2999 for one in numbers):
            raise Unwritable("A date can only be compared to a date or to a year.")
        this, kind = span(this, kind, Unit.YEAR, False, ""), NUMBER
    if kind.family == "text" and numbers and operator not in (Operator.EQUAL, Operator.IN):
        this, kind = as_number(this, kind), NUMBER
    return relation(this, operator, [fitted(one, kind) for one in right])


def relation(this: exp.Expr, operator: Operator, right: list[exp.Expr]) -> exp.Expr:
    """Two sides, or three, as the operator puts them."""
    match operator:
        case Operator.BETWEEN:
            return exp.Between(this=this, low=right[0], high=right[1])
        case Operator.IN if len(right) != 1:
            return exp.In(this=this, expressions=right)
        case Operator.LIKE:
            return exp.Like(this=exp.Lower(this=this), expression=exp.Lower(this=right[0]))
    return _SIGNS[operator](this=this, expression=right[0])


_SIGNS: Final[dict[Operator, type[exp.Binary]]] = {
    Operator.EQUAL: exp.EQ,
    Operator.IN: exp.EQ,
    Operator.LESS: exp.LT,
    Operator.AT_MOST: exp.LTE,
    Operator.MORE: exp.GT,
    Operator.AT_LEAST: exp.GTE,
}


def _like(this: exp.Expr, kind: TypedKind, pattern: Literal) -> exp.Expr:
    if kind.family not in ("text", ""):
        this = exp.cast(this, "TEXT")
    return exp.Like(this=exp.Lower(this=this), expression=exp.Literal.string(str(pattern.value).lower()))


def fitted(value: Literal, kind: TypedKind) -> exp.Expr:
    """A value as a column of this kind holds it. Raises Unwritable for one that it can never hold."""
    given = value.value
    match kind.family:
        case "text" if isinstance(given, bool):
            return exp.Literal.string(_spelled(given, kind))
        case "text":
            text = _plain(given) if isinstance(given, Decimal) else str(given)
            return exp.Literal.string(text)
        case "number" if isinstance(given, bool):
            return number(int(given))
        case "number" if isinstance(given, str):
            try:
                return number(Decimal(given.strip().replace(",", "")))
            except InvalidOperation:
                raise Unwritable(f"“{given}” is no number, and the column it is compared to holds numbers.") from None
        case "moment" if value.kind == "text" and not str(given).strip()[:1].isdigit():
            raise Unwritable(f"“{given}” is no date, and the column it is compared to holds dates.")
        case "boolean" if not isinstance(given, bool):
            low = _plain(given) if isinstance(given, Decimal) else str(given).strip().lower()
            if low in _TRUE or low in _FALSE:
                return exp.Boolean(this=low in _TRUE)
            raise Unwritable(
                f"“{given}” is neither true nor false, and the column it is compared to holds nothing else."
            )
    return literal(value)


def _plain(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _spelled(value: bool, kind: TypedKind) -> str:
    """Return how a text column spells true or false."""
    wanted = _TRUE if value else _FALSE
    return next((one for one in kind.samples if one.strip().lower() in wanted), "true" if value else "false")


def _by_day(this: exp.Expr, kind: TypedKind, operator: Operator, right: tuple[Literal, ...]) -> exp.Expr:
    """Days and moments: a day compared to what has a time of day means all of that day."""
    if kind.strays:
        told = _by_day(this, replace(kind, strays=False), operator, right)
        return exp.paren(exp.and_(is_day(this), told), copy=False)
    if kind.days:
        return relation(this, operator, [number(int(str(one.value)[:10].replace("-", ""))) for one in right])
    if kind.family == "number":
        years = [Literal("number", Decimal(str(one.value)[:4])) for one in right]
        return relation(this, operator, [number(Decimal(str(one.value))) for one in years])
    if kind.family == "text" and kind.samples and not kind.iso:
        return _in_text(this, kind, operator, right)
    whole_days = all(one.kind == "date" for one in right)
    if not whole_days or (kind.family == "moment" and not kind.has_time):
        return relation(this, operator, [_moment(str(one.value), kind) for one in right])
    first = [_moment(str(one.value), kind) for one in right]
    after = [_moment(_next_day(str(one.value)), kind) for one in right]
    match operator:
        case Operator.LESS | Operator.AT_LEAST:
            return relation(this, operator, first)
        case Operator.AT_MOST:
            return exp.LT(this=this, expression=after[0])
        case Operator.MORE:
            return exp.GTE(this=this, expression=after[0])
        case Operator.BETWEEN:
            return _within(this, first[0], after[1])
    days = [_within(this, one, other) for one, other in zip(first, after, strict=True)]
    return days[0] if len(days) == 1 else exp.paren(exp.or_(*days), copy=False)


def _in_text(this: exp.Expr, kind: TypedKind, operator: Operator, right: tuple[Literal, ...]) -> exp.Expr:
    """Dates against text that is no ISO date: only whole years that stand there alone can be told."""
    if all(re.fullmatch(r"\d{4}", one.strip()) for one in kind.samples):
        return relation(this, operator, [exp.Literal.string(str(one.value)[:4]) for one in right])
    if operator in (Operator.EQUAL, Operator.IN):
        return relation(this, operator, [exp.Literal.string(str(one.value)) for one in right])
    raise Unwritable("The dates are kept as text in a form that cannot be put in order.")


def _within(this: exp.Expr, first: exp.Expr, after: exp.Expr) -> exp.Expr:
    since = exp.GTE(this=this.copy(), expression=first)
    return exp.and_(since, exp.LT(this=this.copy(), expression=after), copy=False)


def _moment(value: str, kind: TypedKind) -> exp.Expr:
    if kind.family == "text":
        return exp.Literal.string(value[:10].replace("-", "") if kind.compact else value)
    return exp.cast(exp.Literal.string(value), _type("TIMESTAMP" if kind.has_time or len(value) > 10 else "DATE"))


def _type(name: str) -> exp.DataType:
    """A type by its name, as it was read once."""
    return _read_type(name).copy()


@lru_cache(maxsize=16)
def _read_type(name: str) -> exp.DataType:
    return exp.DataType.build(name)


def _next_day(value: str) -> str:
    try:
        day = date.fromisoformat(value[:10])
        return (day + timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        raise Unwritable(f"“{value}” is no day of the calendar.") from None


def day_of(value: str) -> date:
    """The day of an ISO date or moment."""
    try:
        return datetime.fromisoformat(value).date()
    except ValueError:
        raise Unwritable(f"“{value}” is no day of the calendar.") from None


_OF_THE_DAY: Final = (Unit.HOUR, Unit.CLOCK)
_NO_TIME: Final = "The dates do not tell the time of the day."


def span(this: exp.Expr, kind: TypedKind, unit: Unit, part: bool, dialect: str) -> exp.Expr:
    """The span that a moment lies in: its first day, of years the number; with `part` the number within the year.

    Of texts that hold ISO dates years, months and days are cut out, so that no cast can fail on a strange one; a text
    that is no such date lies in none.
    """
    told = _span(this, kind, unit, part, dialect)
    return exp.Case(ifs=[exp.If(this=is_day(this), true=told)]) if kind.strays else told


def _span(this: exp.Expr, kind: TypedKind, unit: Unit, part: bool, dialect: str) -> exp.Expr:
    if unit == Unit.DECADE:
        return _decade(this, kind, dialect)
    if kind.days or (kind.family == "number" and unit == Unit.YEAR):
        return _of_day_number(this, unit, part) if kind.days else this
    if kind.family == "text":
        if kind.samples and not kind.iso:
            if unit == Unit.YEAR and all(re.fullmatch(r"\d{4}", one.strip()) for one in kind.samples):
                return exp.cast(this, "INT")
            raise Unwritable("The dates are kept as text in a form that no year or month can be taken from.")
        if unit in _OF_THE_DAY and not any(len(one.strip()) > len("2020-01-01T00") for one in kind.samples):
            raise Unwritable(_NO_TIME)
        return (_compact_span if kind.compact else _text_span)(this, unit, part, dialect)
    if kind.family not in ("moment", ""):
        raise Unwritable("A column that holds no dates cannot be grouped by year, month or day.")
    if unit == Unit.WEEKDAY:
        return _weekday(this, dialect)
    if unit in _OF_THE_DAY and kind.name == "DATE":
        raise Unwritable(_NO_TIME)
    if unit == Unit.CLOCK:
        return exp.cast(this, "TIME")
    if unit == Unit.YEAR or part:
        return exp.Extract(this=exp.var(unit.value.upper()), expression=this)
    return _truncated(this, kind, unit, dialect)


def _of_day_number(this: exp.Expr, unit: Unit, part: bool) -> exp.Expr:
    """The year, month or day of a day that is kept as a number: 2024 and 202401 of 20240131, or 1 for its month."""
    left = {Unit.YEAR: 10_000, Unit.MONTH: 100, Unit.DAY: 1}.get(unit)
    if left is None:
        raise Unwritable("The days are kept as numbers, of which only the year, the month and the day can be taken.")
    if left > 1:  # without the rest, as dialects divide whole numbers in different ways
        whole = exp.Sub(this=this, expression=exp.Mod(this=this.copy(), expression=number(left)))
        this = exp.cast(exp.Div(this=exp.paren(whole), expression=number(left)), "INT")
    return exp.Mod(this=this, expression=number(100)) if part and unit != Unit.YEAR else this


def _decade(this: exp.Expr, kind: TypedKind, dialect: str) -> exp.Expr:
    """The year that a decade begins with."""
    year = span(this, kind, Unit.YEAR, False, dialect)
    return exp.Sub(this=year, expression=exp.Mod(this=exp.paren(year.copy()), expression=number(10)))


def _weekday(this: exp.Expr, dialect: str) -> exp.Expr:
    """The number of the day in its week, from 1 for Monday to 7 for Sunday."""
    if dialect in ("duckdb", "postgres"):
        return exp.Extract(this=exp.var("ISODOW"), expression=this)
    if dialect == "redshift":  # 0 is Sunday
        sunday = exp.Extract(this=exp.var("DOW"), expression=this)
        return exp.Add(this=exp.Mod(this=exp.paren(exp.Add(this=sunday, expression=number(6))), expression=number(7)),
                       expression=number(1))  # fmt: skip
    if dialect == "mysql":
        return exp.Add(this=exp.Anonymous(this="WEEKDAY", expressions=[this]), expression=number(1))
    if dialect in ("snowflake", "bigquery", "databricks", "hive"):
        return exp.DayOfWeekIso(this=this)
    raise Unwritable("Weekdays cannot be told in the dialect of this source.")


def _truncated(this: exp.Expr, kind: TypedKind, unit: Unit, dialect: str) -> exp.Expr:
    day = this if kind.name == "DATE" else exp.cast(this, "DATE")
    if unit == Unit.DAY:
        return day
    if dialect == "mysql" and unit == Unit.MONTH:
        return exp.cast(exp.TimeToStr(this=day, format=exp.Literal.string("%Y-%m-01")), "DATE")
    if dialect == "mysql" and unit == Unit.WEEK:
        back = exp.Interval(this=exp.Anonymous(this="WEEKDAY", expressions=[this.copy()]), unit=exp.var("DAY"))
        return exp.DateSub(this=day, expression=back.this, unit=exp.var("DAY"))
    named = "WEEK(MONDAY)" if dialect == "bigquery" and unit == Unit.WEEK else unit.value.upper()
    cut = exp.DateTrunc(this=day, unit=exp.var(named))  # type: ignore[no-untyped-call]
    return cut if dialect == "bigquery" else exp.cast(cut, "DATE")


_COMPACT: Final = {Unit.YEAR: (1, 4), Unit.MONTH: (5, 2), Unit.DAY: (7, 2)}
"""Where the parts of a date without dashes stand, and how long they are."""


def _compact_span(this: exp.Expr, unit: Unit, part: bool, dialect: str) -> exp.Expr:
    if unit not in _COMPACT or not (part or unit is Unit.YEAR):
        return _text_span(dashed(this), unit, part, dialect)
    start, length = _COMPACT[unit]
    return exp.cast(exp.Substring(this=this, start=number(start), length=number(length)), "INT")


def _text_span(this: exp.Expr, unit: Unit, part: bool, dialect: str) -> exp.Expr:
    def cut(start: int, length: int) -> exp.Expr:
        return exp.Substring(this=this.copy(), start=number(start), length=number(length))

    if unit == Unit.YEAR:
        return exp.cast(cut(1, 4), "INT")
    if part and unit in (Unit.MONTH, Unit.DAY):
        return exp.cast(cut(6 if unit == Unit.MONTH else 9, 2), "INT")
    if unit in _LENGTHS:
        return cut(1, _LENGTHS[unit])
    if unit == Unit.HOUR:
        return exp.cast(cut(12, 2), "INT")
    if unit == Unit.CLOCK:
        return cut(12, 8)
    if unit == Unit.QUARTER and part:
        month = exp.cast(cut(6, 2), "INT")
        return exp.cast(exp.Floor(this=exp.Div(this=exp.paren(month + 2), expression=number(3))), "INT")
    if dialect == "sqlite":
        raise Unwritable(f"Dates cannot be grouped by {unit.value} in this kind of database.")
    whole = exp.cast(cut(1, 10), "DATE")
    if unit == Unit.WEEKDAY:
        return _weekday(whole, dialect)
    if part:
        return exp.Extract(this=exp.var(unit.value.upper()), expression=whole)
    return _truncated(whole, TypedKind("moment", "DATE"), unit, dialect)


def span_value(value: Literal, kind: TypedKind, unit: Unit, part: bool) -> exp.Expr:
    """Return what a span is compared to: a number, or the first day of the span."""
    if isinstance(value.value, Decimal):
        return number(value.value)
    text = str(value.value)
    if unit == Unit.CLOCK:
        return exp.Literal.string(text) if kind.family == "text" else exp.cast(exp.Literal.string(text), "TIME")
    if unit == Unit.WEEKDAY:
        return number(day_of(text).isoweekday())
    if part or unit == Unit.YEAR:
        day = day_of(text)
        parts = {Unit.YEAR: day.year, Unit.MONTH: day.month, Unit.DAY: day.day, Unit.QUARTER: (day.month + 2) // 3}
        return number(parts.get(unit, day.isocalendar().week))
    if kind.family == "text" and unit in _LENGTHS:
        return exp.Literal.string(text[: _LENGTHS[unit]])
    return exp.cast(exp.Literal.string(text[:10]), "DATE")
