"""Defines what one column is worked out of others by: what it comes to, and what each column would have to be for it
to hold.

A formula has a result and terms. Days are counted as numbers, with the part of a day as a fraction. It holds where
the result lies within the tolerance of what the terms come to: half a unit of the result's last decimal place where
it was rounded, more where the terms had been rounded too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

RELATIVE: Final = 1e-9
"""What the arithmetic of floating numbers may add to a tolerance, of the result."""
HALF: Final = 0.51
"""What rounding to whole numbers may come to."""
YEAR: Final = 365.2425


class FormulaKind(StrEnum):
    """Describes how the terms of a formula are put together."""

    SUM = "sum"
    """Each term times its factor, and a constant."""
    PRODUCT = "product"
    """The terms multiplied, or divided by where the power is -1; then a factor, a rate, and a term that is added."""
    SPAN = "span"
    """The days from the second term to the first, times a factor, and a constant."""
    YEARS = "years"
    """The whole years from the second term, a day, to the first."""
    PART = "part"
    """A part of a day: its year, quarter, month or day."""
    ORDER = "order"
    """The result is never more than the term."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A result and what it is worked out of; columns by their number."""

    kind: FormulaKind
    result: int | None
    """None where the terms come to the constant."""
    terms: tuple[int, ...]
    factors: tuple[float, ...] = ()
    """Of a sum the factor of each term, of a product the power of each (1 or -1)."""
    factor: float = 1.0
    constant: float = 0.0
    rate: int | None = None
    """The column of a rate by which a product is made less or more."""
    rate_scale: float = 0.0
    """What the rate is divided by, and added to 1: -100 for a discount in percent, 1 for a tax as a fraction."""
    added: int | None = None
    """The column that is added to a product."""
    part: str = ""
    tolerance: float = 0.0
    relative: float = RELATIVE
    """What is added to the tolerance, as a share of what the terms come to."""
    has_whole: bool = False
    """Whether some results are rounded to whole ones although most have decimals, as of prices in yen."""

    @property
    def columns(self) -> tuple[int, ...]:
        """All columns, the result first."""
        more = (one for one in (self.result, *self.terms, self.rate, self.added) if one is not None)
        return tuple(more)

    def expected(self, values: Sequence[float | None]) -> float | None:
        """Return what the result should be, given the values of a row by column; None where that cannot be told."""
        some = [values[at] for at in self.terms]
        found: float
        if any(one is None for one in some):
            return None
        match self.kind:
            case FormulaKind.SUM:
                found = self.constant
                for one, factor in zip(some, self.factors, strict=True):
                    found += factor * one  # type: ignore[operator]
            case FormulaKind.PRODUCT:
                found = self.factor
                for one, power in zip(some, self.factors, strict=True):
                    if power > 0:
                        found *= one  # type: ignore[operator]
                    elif one:
                        found /= one
                    else:
                        return None
                if self.rate is not None:
                    if (rate := values[self.rate]) is None:
                        return None
                    found *= 1 + rate / self.rate_scale
                if self.added is not None:
                    if (more := values[self.added]) is None:
                        return None
                    found += more
            case FormulaKind.SPAN:
                found = self.factor * (some[0] - some[1]) + self.constant  # type: ignore[operator]
            case FormulaKind.YEARS:
                return years_between(some[1], some[0])  # type: ignore[arg-type]
            case FormulaKind.PART:
                return part_of(some[0], self.part)  # type: ignore[arg-type]
            case FormulaKind.ORDER:
                return some[0]
        return found if math.isfinite(found) else None

    def holds(self, values: Sequence[float | None]) -> bool | None:
        """Return whether a row keeps to it; None where a value that it needs is not there."""
        result = 0.0 if self.result is None else values[self.result]
        expected = self.expected(values)
        if result is None or expected is None:
            return None
        if self.kind is FormulaKind.ORDER:
            return result <= expected
        return self.is_near(result, expected)

    def is_near(self, result: float, expected: float) -> bool:
        """Return whether a result lies within the tolerance of what it should be."""
        off = abs(result - expected)
        if off <= self.tolerance + self.relative * abs(expected):
            return True
        return self.has_whole and off <= HALF and not result % 1

    def needed(self, values: Sequence[float | None], column: int) -> float | None:
        """Return what a column would have to be for the row to keep to it, None where that cannot be told."""
        if column == self.result:
            return self.expected(values)
        result = 0.0 if self.result is None else values[self.result]
        if result is None:
            return None
        try:
            return self._needed(values, column, result)
        except (ZeroDivisionError, OverflowError, TypeError):
            return None

    def _needed(self, values: Sequence[float | None], column: int, result: float) -> float | None:
        if self.kind is FormulaKind.SUM:
            at = self.terms.index(column)
            without = self.expected(_with(values, column, 0.0))
            return None if without is None else (result - without) / self.factors[at]
        if self.kind is FormulaKind.SPAN:
            days = (result - self.constant) / self.factor
            start, end = values[self.terms[1]], values[self.terms[0]]
            return start + days if column == self.terms[0] else end - days  # type: ignore[operator]
        if self.kind is not FormulaKind.PRODUCT:
            return None
        if column == self.added:
            without = self.expected(_with(values, column, 0.0))
            return None if without is None else result - without
        rest = result - (0.0 if self.added is None else values[self.added])  # type: ignore[operator]
        if column == self.rate:
            plain = self.expected(_with(_with(values, column, 0.0), self.added, 0.0))
            return None if plain is None else (rest / plain - 1) * self.rate_scale
        at = self.terms.index(column)
        others = self.expected(_with(_with(values, column, 1.0), self.added, 0.0))
        if others is None:
            return None
        return rest / others if self.factors[at] > 0 else others / rest


def _with(values: Sequence[float | None], column: int | None, value: float) -> Sequence[float | None]:
    if column is None:
        return values
    changed = list(values)
    changed[column] = value
    return changed


def years_between(start: float, end: float) -> float | None:
    """The whole years from one day to another."""
    try:
        first, last = date.fromordinal(int(start)), date.fromordinal(int(end))
    except (ValueError, OverflowError):
        return None
    return float(last.year - first.year - ((last.month, last.day) < (first.month, first.day)))


def part_of(day: float, part: str) -> float | None:
    """A part of a day: its year, quarter, month or day."""
    try:
        found = date.fromordinal(int(day))
    except (ValueError, OverflowError):
        return None
    return float((found.month + 2) // 3 if part == "quarter" else getattr(found, part))


def told(formula: Formula, names: Sequence[str]) -> str:
    """The formula in words and signs, such as `total = quantity * price`."""
    result = names[formula.result] if formula.result is not None else f"{-formula.constant:g}"
    terms = [names[at] for at in formula.terms]
    match formula.kind:
        case FormulaKind.SUM:
            text = ""
            for name, factor in zip(terms, formula.factors, strict=True):
                sign = "-" if factor < 0 else "+"
                one = name if abs(factor) == 1 else f"{abs(factor):.12g} * {name}"
                text += f" {sign} {one}" if text else one if factor > 0 else f"-{one}"
            if formula.constant and formula.result is not None:
                text += f" {'-' if formula.constant < 0 else '+'} {abs(formula.constant):.12g}"
            return f"{result} = {text}"
        case FormulaKind.PRODUCT:
            over = [name for name, power in zip(terms, formula.factors, strict=True) if power < 0]
            parts = [] if formula.factor == 1 else [f"{formula.factor:.12g}"]
            parts += [name for name in terms if name not in over]
            text = " / ".join([" * ".join(parts), *over])
            if formula.rate is not None:
                scale = "" if abs(formula.rate_scale) == 1 else f" / {abs(formula.rate_scale):g}"
                text += f" * (1 {'-' if formula.rate_scale < 0 else '+'} {names[formula.rate]}{scale})"
            return f"{result} = {text}" + (f" + {names[formula.added]}" if formula.added is not None else "")
        case FormulaKind.SPAN:
            unit = _UNITS.get(round(formula.factor, 6), f"{formula.factor:g} times the days")
            more = f", and {formula.constant:g}" if formula.constant else ""
            return f"{result} = {unit} from {terms[1]} to {terms[0]}{more}"
        case FormulaKind.YEARS:
            return f"{result} = whole years from {terms[1]} to {terms[0]}"
        case FormulaKind.PART:
            return f"{result} = {formula.part} of {terms[0]}"
        case FormulaKind.ORDER:
            return f"{result} <= {terms[0]}"


_UNITS: Final = {1.0: "days", 24.0: "hours", 1440.0: "minutes", 86400.0: "seconds", round(1 / 7, 6): "weeks"}
SPANS: Final = (1.0, 24.0, 1440.0, 86400.0, 1 / 7)
"""What the days between two moments are multiplied by."""
PARTS: Final = ("year", "quarter", "month", "day")
