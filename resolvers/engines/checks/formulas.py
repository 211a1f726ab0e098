"""Formulas between columns as a condition that the store itself works out, in each dialect."""

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from resolvers.engines.checks.model import CannotEvaluate, Check
from resolvers.engines.checks.predicates import (
    DATES,
    MOMENTS,
    NUMBERS,
    TEXTS,
    RowCondition,
    column_of,
    facts_of,
    matches,
    text_of,
    type_of,
)
from resolvers.engines.error_detection.formula_arguments import formula_of
from resolvers.engines.error_detection.formulas import Formula, FormulaKind
from schema.data_readiness.source import ColumnFacts, TableFacts

NUMBER: Final = "^[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]{1,2})?$"
"""Texts that are read as a number; a text that is none takes part in no formula."""
DAY: Final = 86_400


def formula_condition(check: Check, table: TableFacts, dialect: str, alias: str = "t") -> RowCondition:
    """The condition of rows that break a formula, of the rows that have all that it needs. Raises CannotEvaluate."""
    try:
        formula, names = formula_of(check.arguments)
    except ValueError as error:
        raise CannotEvaluate(f"brokenFormulas: {error}") from None
    facts = [facts_of(table, name) for name in names]
    if formula.kind is FormulaKind.ORDER:
        return _order(facts, formula, dialect, alias)
    days = {*formula.terms} if formula.kind in (FormulaKind.SPAN, FormulaKind.YEARS, FormulaKind.PART) else set()
    values = [_moment(one, alias) if at in days else _number(one, dialect, alias) for at, one in enumerate(facts)]
    result = _literal(0.0) if formula.result is None else values[formula.result]
    expected = _expected(formula, values, dialect)
    there = exp.and_(*(_is_there(value) for value in values), *(_is_there(one) for one in _divisors(formula, values)))
    off = exp.Abs(this=exp.Sub(this=result.copy(), expression=exp.paren(expected)))
    slack = exp.Add(
        this=_literal(formula.tolerance),
        expression=exp.Mul(this=_literal(formula.relative), expression=exp.Abs(this=expected.copy())),
    )
    return RowCondition(there, exp.and_(there.copy(), exp.GT(this=off, expression=slack)))


def columns_named(check: Check) -> list[str]:
    """The columns that a formula is about, the result first. Raises CannotEvaluate."""
    try:
        formula, names = formula_of(check.arguments)
    except ValueError as error:
        raise CannotEvaluate(f"brokenFormulas: {error}") from None
    return [names[at] for at in formula.columns]


def _order(facts: Sequence[ColumnFacts], formula: Formula, dialect: str, alias: str) -> RowCondition:
    if formula.result is None:
        raise CannotEvaluate("brokenFormulas: an order has a result and a column.")
    low, high = facts[formula.result], facts[formula.terms[0]]
    if type_of(low) in DATES | MOMENTS and type_of(high) in DATES | MOMENTS:
        one, other = _moment(low, alias), _moment(high, alias)
    else:
        one, other = _number(low, dialect, alias), _number(high, dialect, alias)
    there = exp.and_(_is_there(one), _is_there(other))
    return RowCondition(there, exp.and_(there.copy(), exp.GT(this=one.copy(), expression=other.copy())))


def _is_there(value: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=value.copy(), expression=exp.null()))


def _divisors(formula: Formula, values: Sequence[exp.Expr]) -> list[exp.Expr]:
    if formula.kind is not FormulaKind.PRODUCT:
        return []
    return [_nonzero(values[at]) for at, power in zip(formula.terms, formula.factors, strict=True) if power < 0]


def _nonzero(value: exp.Expr) -> exp.Expr:
    return exp.Nullif(this=value.copy(), expression=exp.Literal.number(0))


def _number(column: ColumnFacts, dialect: str, alias: str) -> exp.Expr:
    """A column as a floating number; null where a text spells none."""
    kind = type_of(column)
    if kind in NUMBERS:
        return _floating(column_of(column.name, alias), dialect)
    if kind in TEXTS:
        text = exp.Trim(this=text_of(column, dialect, alias))
        return exp.Case(
            ifs=[exp.If(this=matches(text.copy(), NUMBER, dialect), true=_floating(text, dialect))],
            default=exp.null(),
        )
    raise CannotEvaluate(f"The column {column.name!r} of type {kind or 'unknown'} holds no numbers.")


def _floating(value: exp.Expr, dialect: str) -> exp.Expr:
    if (
        dialect == "mysql"
    ):  # not every version casts to a floating number; and whole ones without sign cannot be below 0
        return exp.paren(exp.Add(this=value, expression=exp.Literal.number("0e0")))
    return exp.cast(value, "DOUBLE")


def _moment(column: ColumnFacts, alias: str) -> exp.Expr:
    if type_of(column) not in DATES | MOMENTS:
        raise CannotEvaluate(f"The column {column.name!r} of type {type_of(column) or 'unknown'} holds no moments.")
    return column_of(column.name, alias)


def _literal(number: float) -> exp.Expr:
    literal = exp.Literal.number(f"{abs(number):.17g}")
    return exp.paren(exp.Neg(this=literal)) if number < 0 else literal


def _expected(formula: Formula, values: Sequence[exp.Expr], dialect: str) -> exp.Expr:
    """Return what the terms come to."""
    terms = [values[at].copy() for at in formula.terms]
    match formula.kind:
        case FormulaKind.SUM:
            found: exp.Expr = _literal(formula.constant)
            for term, factor in zip(terms, formula.factors, strict=True):
                found = exp.Add(this=found, expression=exp.Mul(this=_literal(factor), expression=term))
            return found
        case FormulaKind.PRODUCT:
            found = _literal(formula.factor)
            for term, power in zip(terms, formula.factors, strict=True):
                if power > 0:
                    found = exp.Mul(this=found, expression=term)
                else:
                    found = exp.Div(this=found, expression=_nonzero(term), typed=True)
            if formula.rate is not None:
                share = exp.Div(this=values[formula.rate].copy(), expression=_literal(formula.rate_scale), typed=True)
                more = exp.paren(exp.Add(this=exp.Literal.number("1e0"), expression=share))
                found = exp.Mul(this=found, expression=more)
            if formula.added is not None:
                found = exp.Add(this=found, expression=values[formula.added].copy())
            return found
        case FormulaKind.SPAN:
            seconds = exp.paren(_seconds(terms[0], terms[1], dialect))
            times = exp.Mul(this=_literal(formula.factor / DAY), expression=seconds)
            return exp.Add(this=times, expression=_literal(formula.constant))
        case FormulaKind.YEARS:
            years = exp.Sub(this=_part(terms[0], "year"), expression=_part(terms[1], "year"))
            is_before = exp.LT(this=_in_year(terms[0]), expression=_in_year(terms[1]))
            less = exp.Case(ifs=[exp.If(this=is_before, true=exp.Literal.number(1))], default=exp.Literal.number(0))
            return exp.Sub(this=years, expression=less)
        case _:
            return _part(terms[0], formula.part)


def _part(moment: exp.Expr, part: str) -> exp.Expr:
    return exp.Extract(this=exp.var(part.upper()), expression=moment.copy())


def _in_year(moment: exp.Expr) -> exp.Expr:
    """Month and day as a number that grows through the year."""
    hundreds = exp.Mul(this=exp.Literal.number(100), expression=_part(moment, "month"))
    return exp.Add(this=hundreds, expression=_part(moment, "day"))


def _seconds(end: exp.Expr, start: exp.Expr, dialect: str) -> exp.Expr:
    """The seconds from one moment to another."""
    match dialect:
        case "postgres":
            both = [exp.cast(one, "TIMESTAMP") for one in (end, start)]
            length = exp.paren(exp.Sub(this=both[0], expression=both[1]))
            return exp.cast(exp.Extract(this=exp.var("EPOCH"), expression=length), "DOUBLE")
        case "mysql":
            return exp.Anonymous(this="TIMESTAMPDIFF", expressions=[exp.var("SECOND"), start, end])
        case "oracle":
            days = exp.Sub(this=exp.cast(end, "DATE"), expression=exp.cast(start, "DATE"))
            return exp.Mul(this=_literal(float(DAY)), expression=exp.paren(days))
        case "bigquery":
            both = [exp.cast(one, "DATETIME") for one in (end, start)]
            return exp.Anonymous(this="DATETIME_DIFF", expressions=[*both, exp.var("SECOND")])
        case "duckdb":
            both = [exp.cast(one, "TIMESTAMP") for one in (end, start)]
            return exp.DateDiff(this=both[0], expression=both[1], unit=exp.var("SECOND"))
    return exp.DateDiff(this=end, expression=start, unit=exp.var("SECOND"))
