"""Scores as exact decimal numbers.

A metric's score is its numerator over its denominator. A dimension's is the sum of the numerators of its metrics over
the sum of their denominators, so that a metric counts as much as what it looked at. The overall score is the mean of
the dimensions that were measured, each with its weight. What has a denominator of 0 was not measured: it scores None,
and its weight does not count. Everything is computed as a fraction and rounded once, half to even, to 4 places; so the
order of the figures, and a factor common to all weights, change nothing. What is not whole is never rounded up to 1.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

PLACES: Final = 4
_UNIT: Final = 10**PLACES


@dataclass(frozen=True, slots=True)
class Ratio:
    """Holds how many of how many."""

    numerator: int
    denominator: int

    def __post_init__(self) -> None:
        if not 0 <= self.numerator <= self.denominator:
            raise ValueError("the numerator lies between 0 and the denominator")


def total(parts: Iterable[Ratio]) -> Ratio:
    """The sums of the numerators and of the denominators."""
    numerator = denominator = 0
    for part in parts:
        numerator += part.numerator
        denominator += part.denominator
    return Ratio(numerator, denominator)


def ratio(counted: Ratio) -> Fraction | None:
    """The exact score, or None when nothing was measured."""
    return Fraction(counted.numerator, counted.denominator) if counted.denominator else None


def score(counted: Ratio) -> str | None:
    """The score as it is answered."""
    return written(ratio(counted))


def overall(dimensions: Iterable[tuple[Decimal, Ratio]]) -> str | None:
    """The weighted mean of the dimensions that were measured; None when there is none, or none has a weight."""
    weighed, weights = Fraction(0), Fraction(0)
    for weight, counted in dimensions:
        if weight < 0:
            raise ValueError("a weight is not negative")
        value = ratio(counted)
        if value is not None:
            weighed += Fraction(weight) * value
            weights += Fraction(weight)
    return written(weighed / weights) if weights else None


def difference(after: str | None, before: str | None) -> str | None:
    """Return what lies between two scores as they are answered; None when either is."""
    if after is None or before is None:
        return None
    return f"{Decimal(after) - Decimal(before):.{PLACES}f}"


def written(value: Fraction | None) -> str | None:
    """A score as a decimal string with 4 places, rounded half to even; only what is whole is `1.0000`."""
    if value is None:
        return None
    units = round(value * _UNIT)  # of a fraction: half to even, exactly
    if value < 1:
        units = min(units, _UNIT - 1)  # who reads 1 must be able to trust that nothing is missing
    whole, rest = divmod(units, _UNIT)
    return f"{whole}.{rest:0{PLACES}d}"


def written_weight(weight: Decimal) -> str:
    """A weight as a decimal string: exact, with 4 places at least."""
    text = f"{weight:f}"
    whole, _, rest = text.partition(".")
    return f"{whole}.{rest.rstrip('0').ljust(PLACES, '0')}"
