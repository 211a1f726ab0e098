"""The conditions of checks that one scan can count: which rows are looked at, and which of them break the check."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.checks.model import CannotEvaluate, Check
from resolvers.engines.profiling.sql import spelled
from schema.data_readiness.source import ColumnFacts, TableFacts

_NUMBERS = (
    "TINYINT SMALLINT MEDIUMINT INT INTEGER BIGINT HUGEINT UBIGINT UINTEGER USMALLINT UTINYINT INT64 NUMBER NUMERIC "
    "DECIMAL BIGNUMERIC FLOAT DOUBLE REAL MONEY BIGDECIMAL BYTEINT YEAR"
)
NUMBERS: Final = frozenset(_NUMBERS.split())
_TEXTS = (
    "CHAR VARCHAR TEXT STRING NCHAR NVARCHAR NTEXT TINYTEXT MEDIUMTEXT LONGTEXT CITEXT BPCHAR CLOB NCLOB VARCHAR2 "
    "NVARCHAR2 ENUM CHARACTER"
)
TEXTS: Final = frozenset(_TEXTS.split())
OF_LABELS: Final = frozenset({"ENUM"})
"""Texts that a store compares with its own labels only."""
_MOMENTS = (
    "TIMESTAMP TIMESTAMPTZ DATETIME TIMESTAMP_NTZ TIMESTAMP_LTZ TIMESTAMP_TZ SMALLDATETIME DATETIME2 TIMESTAMPNTZ "
    "TIMESTAMPLTZ"
)
MOMENTS: Final = frozenset(_MOMENTS.split())
DATES: Final = frozenset({"DATE"})
SCANNED: Final = frozenset(
    {"rowCount", "nullValues", "missingValues", "invalidValues", "outlierValues", "staleData", "brokenFormulas"}
)
"""The metrics that one scan of a table can count together."""

MOST_VALUES: Final = 1000
LONGEST_PATTERN: Final = 1000

_LEAP: Final = "(([0-9]{2}(0[48]|[2468][048]|[13579][26]))|((0[48]|[2468][048]|[13579][26]|00)00))"
_DAY = "(0?[1-9]|[12][0-9]|3[01])", "(0?[1-9]|[12][0-9]|30)", "(0?[1-9]|1[0-9]|2[0-8])"
_MONTH = "(0?[13578]|1[02])", "(0?[469]|11)", "0?2"


def _days(first: tuple[str, ...], second: tuple[str, ...], leap: str) -> str:
    """The pattern of days that exist, written with the year last."""
    pairs = "|".join(f"{one}[-/.]{other}" for one, other in zip(first, second, strict=True))
    return f"^((({pairs})[-/.][0-9]{{4}})|({leap}[-/.]{_LEAP}))$"


_ISO_DAY: Final = (
    "(([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|"
    f"02-(0[1-9]|1[0-9]|2[0-8])))|({_LEAP}-02-29))"
)

FORMATS: Final[dict[str, str]] = {
    "email": r"^[^@ ]+@[^@ ]+\.[A-Za-z]{2,}$",
    "uuid": r"^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
    "integer": r"^[ ]*[-+]?[0-9]+[ ]*$",
    "number": r"^[ ]*[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?[ ]*$",
    "date": f"^{_ISO_DAY}$",
    "date-time": f"^{_ISO_DAY}" + r"[T ][0-2][0-9]:[0-5][0-9]",
    "uri": r"^[A-Za-z][A-Za-z0-9+.-]*://[^ ]+$",
    "day-month-year": _days(_DAY, _MONTH, "29[-/.]0?2"),
    "month-day-year": _days(_MONTH, _DAY, "0?2[-/.]29"),
    "ipv4": r"^((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])[.]){3}(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])$",
}
"""What `format` of invalidValues names, as patterns that every dialect reads alike."""


@dataclass(frozen=True, slots=True)
class RowCondition:
    """Holds which rows a check looks at (all when None), and which of those break it."""

    looked_at: exp.Expr | None
    bad: exp.Expr


def facts_of(table: TableFacts, name: str) -> ColumnFacts:
    """Return what the catalog knows of a column. Raises CannotEvaluate when it has none of that name."""
    for column in table.columns:
        if column.name == name:
            return column
    raise CannotEvaluate(
        f"The catalog has no column {name!r} in this table. Run service-ingestion, or change the rule."
    )


def column_of(name: str, alias: str = "t") -> exp.Column:
    """A column of the table that is looked at."""
    return exp.column(exp.to_identifier(name, quoted=True), table=exp.to_identifier(alias, quoted=True))


def type_of(column: ColumnFacts) -> str:
    """The neutral name of the type, without its parameters."""
    return (column.data_type or "").upper().split("(")[0].strip()


def text_of(column: ColumnFacts, dialect: str, alias: str = "t") -> exp.Expr:
    """The value as text that compares by code point, case and all, whatever the column's collation."""
    value: exp.Expr = column_of(column.name, alias)
    if dialect == "mysql":
        utf8 = exp.DataType(this=exp.DType.CHARACTER_SET, kind=exp.var("utf8mb4"))
        return exp.Collate(this=exp.Cast(this=value, to=utf8), expression=exp.var("utf8mb4_bin"))
    kind = type_of(column)
    return value if kind in TEXTS - OF_LABELS else spelled(value, kind, dialect, "VARCHAR")


def value_condition(check: Check, table: TableFacts, dialect: str, alias: str = "t") -> RowCondition:
    """The condition of a check of the values of one column. Raises CannotEvaluate."""
    if check.column is None:
        raise CannotEvaluate(f"{check.metric} is about a column, and the rule names a table.")
    column = facts_of(table, check.column)
    value = column_of(column.name, alias)
    is_null = exp.Is(this=value, expression=exp.null())
    there = exp.Not(this=is_null.copy())
    if check.metric == "nullValues":
        return RowCondition(None, is_null)
    if check.metric == "missingValues":
        return RowCondition(None, _missing(check, column, dialect, alias, is_null))
    if check.metric in ("invalidValues", "outlierValues"):
        wrong = [*_by_form(check, column, dialect, alias), *_by_range(check, column, alias)]
        if not wrong:
            raise CannotEvaluate(f"{check.metric} needs arguments that say which values are right.")
        if check.arguments.get("missingValues"):
            # What stands for no value is neither right nor wrong; it counts as missing.
            there = exp.Not(this=exp.paren(_missing(check, column, dialect, alias, is_null)))
        return RowCondition(there, exp.and_(there.copy(), exp.paren(exp.or_(*wrong))))
    raise CannotEvaluate(f"{check.metric} is no metric that this version can evaluate.")


def _missing(check: Check, column: ColumnFacts, dialect: str, alias: str, is_null: exp.Expr) -> exp.Expr:
    stands_in = check.arguments.get("missingValues")
    if stands_in is None:
        stands_in = [""]
    if not isinstance(stands_in, list) or len(stands_in) > MOST_VALUES:
        raise CannotEvaluate(f"missingValues is a list of {MOST_VALUES} values at most.")
    texts = sorted({str(one).strip() for one in stands_in if one is not None})
    if not texts or (type_of(column) not in TEXTS and texts == [""]):
        return is_null
    trimmed = exp.Trim(this=text_of(column, dialect, alias))
    listed = exp.In(this=trimmed, expressions=[exp.Literal.string(one) for one in texts])
    if texts == [""]:
        listed = exp.EQ(this=trimmed, expression=exp.Literal.string(""))  # type: ignore[assignment]
    return exp.or_(is_null, listed)


def _by_form(check: Check, column: ColumnFacts, dialect: str, alias: str) -> list[exp.Expr]:
    """The conditions of values that are not in the set, or not of the pattern or format."""
    wrong: list[exp.Expr] = []
    valid = check.arguments.get("validValues")
    if valid is not None:
        wrong.append(exp.Not(this=_in(column, valid, dialect, alias)))
    pattern = check.arguments.get("pattern")
    if pattern is None and (name := check.arguments.get("format")) is not None:
        pattern = FORMATS.get(str(name))
        if pattern is None:
            raise CannotEvaluate(f"There is no format {str(name)[:100]!r}; there are {', '.join(sorted(FORMATS))}.")
    if pattern is not None:
        wrong.append(exp.Not(this=matches(text_of(column, dialect, alias), pattern, dialect)))
    return wrong


def matches(value: exp.Expr, pattern: Any, dialect: str) -> exp.Expr:
    """That a text has a pattern somewhere in it, case and all. Raises CannotEvaluate for one that is no pattern."""
    if not isinstance(pattern, str) or not pattern or len(pattern) > LONGEST_PATTERN:
        raise CannotEvaluate(f"pattern is a regular expression of 1 to {LONGEST_PATTERN} characters.")
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise CannotEvaluate(f"The pattern is no regular expression: {error}.") from None
    if dialect == "mysql":
        # The collation alone would decide about case. MariaDB has no REGEXP_LIKE, which RLIKE would be written as.
        found = exp.RegexpInstr(this=value, expression=exp.Literal.string(f"(?-i){pattern}"))
        return exp.GT(this=found, expression=exp.Literal.number(0))
    return exp.RegexpLike(this=value, expression=exp.Literal.string(pattern))


def _in(column: ColumnFacts, valid: Any, dialect: str, alias: str) -> exp.Expr:
    if not isinstance(valid, list) or not valid or len(valid) > MOST_VALUES:
        raise CannotEvaluate(f"validValues is a list of 1 to {MOST_VALUES} values.")
    numbers = [_number(one) for one in valid] if type_of(column) in NUMBERS else [None]
    if all(one is not None for one in numbers):
        literals: Sequence[exp.Expr] = [_literal_number(one) for one in numbers if one is not None]
        return exp.In(this=column_of(column.name, alias), expressions=list(literals))
    texts = [str(one).lower() if isinstance(one, bool) else str(one) for one in valid]
    value = text_of(column, dialect, alias)
    if type_of(column) in ("BOOLEAN", "BOOL", "BIT"):
        value = exp.Lower(this=exp.cast(column_of(column.name, alias), "VARCHAR"))
        texts = [text.lower() for text in texts]
    return exp.In(this=value, expressions=[exp.Literal.string(one) for one in texts])


def _by_range(check: Check, column: ColumnFacts, alias: str) -> list[exp.Expr]:
    value = column_of(column.name, alias)
    wrong: list[exp.Expr] = []
    for name, compare in (("minimum", exp.LT), ("maximum", exp.GT)):
        bound = check.arguments.get(name)
        if bound is not None:
            wrong.append(compare(this=value.copy(), expression=_bound(column, bound, name)))
    return wrong


def _bound(column: ColumnFacts, bound: Any, name: str) -> exp.Expr:
    kind = type_of(column)
    if kind in NUMBERS:
        number = _number(bound)
        if number is None:
            raise CannotEvaluate(f"{name} is no number, and the column {column.name!r} holds numbers.")
        return _literal_number(number)
    text = str(bound)
    if kind in DATES | MOMENTS:
        text = latest_moment(datetime.now(UTC)) if text == NOW else text
        try:
            moment = datetime.fromisoformat(text) if kind in MOMENTS else date.fromisoformat(text[:10])
        except ValueError:
            raise CannotEvaluate(f"{name} is no moment such as 2026-01-31, and the column holds moments.") from None
        if isinstance(moment, datetime) and moment.tzinfo is not None and kind != "TIMESTAMPTZ":
            moment = moment.replace(tzinfo=None)
        spelled = moment.isoformat(sep=" ") if isinstance(moment, datetime) else moment.isoformat()
        return exp.cast(exp.Literal.string(spelled), "DATE" if kind in DATES else kind_of_moment(kind))
    if kind in TEXTS and _number(bound) is None:
        return exp.Literal.string(text)
    raise CannotEvaluate(
        f"Values of type {kind or 'unknown'} have no {name} that could be compared with {text[:50]!r}."
    )


NOW: Final = "now"
"""The bound of moments that is the moment of the check itself, and so of the load."""


def latest_moment(now: datetime) -> str:
    """The last moment that is no future anywhere: clocks of the earth lie up to a day apart."""
    return (now + timedelta(days=1)).replace(microsecond=0, tzinfo=None).isoformat()


def at_moment(check: Check, now: datetime) -> Check:
    """The check with the moment that it is made at in the place of `now`."""
    told = {name: latest_moment(now) for name in ("minimum", "maximum") if check.arguments.get(name) == NOW}
    return replace(check, arguments={**check.arguments, **told}) if told else check


def kind_of_moment(kind: str) -> str:
    """The type that a moment is compared as."""
    return "TIMESTAMPTZ" if kind in ("TIMESTAMPTZ", "TIMESTAMP_TZ", "TIMESTAMP_LTZ", "TIMESTAMPLTZ") else "TIMESTAMP"


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool):
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < 400 else None


def _literal_number(value: Decimal) -> exp.Expr:
    literal = exp.Literal.number(f"{abs(value):f}")
    return exp.Neg(this=literal) if value < 0 else literal
