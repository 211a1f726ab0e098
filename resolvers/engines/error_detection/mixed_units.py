"""Results of a formula that many rows have in another unit: litres for cubic metres, cents for euros.

Such rows are no few exceptions, so that the formula would hold on too few to be noticed; but nearly all rows keep to it
once the results of these are divided by one power of ten.
"""

from collections.abc import Sequence
from typing import Final

from resolvers.engines.error_detection.formulas import Formula, FormulaKind

FEWEST: Final = 20
"""Rows, at least, whose result is the same power of ten times what it should be, to speak of another unit."""
LEAST_AS_WRITTEN: Final = 0.5
"""The share of the rows, at least, that keep to the formula as they are."""
NEARLY_ALL: Final = 0.9
"""The share of the rows, at least, that keep to it in the one unit or the other."""
POWERS: Final = (3, 2, -3, -2, 1, -1, 6, -6)
"""Powers of ten between two units of the same, the more usual first."""

Pairs = Sequence[tuple[float, float]]
"""The result of each row, and what it should be."""


def results_of(formula: Formula, rows: Sequence[Sequence[float | None]]) -> tuple[list[tuple[float, float]], list[int]]:
    """The result and what it should be of each row that has all that is needed, and the numbers of these rows."""
    pairs: list[tuple[float, float]] = []
    at: list[int] = []
    for number, values in enumerate(rows):
        result = 0.0 if formula.result is None else values[formula.result]
        if result is not None and (expected := formula.expected(values)) is not None:
            pairs.append((result, expected))
            at.append(number)
    return pairs, at


def power_of_ten(pairs: Pairs, formula: Formula, fewest: int = FEWEST) -> int:
    """The power of ten times what it should be that the result of many rows is; 0 if there is none."""
    if formula.result is None or formula.kind not in (FormulaKind.SUM, FormulaKind.PRODUCT):
        return 0
    off = [one for one in pairs if not formula.is_near(*one)]
    kept = len(pairs) - len(off)
    if len(off) < fewest or kept < LEAST_AS_WRITTEN * len(pairs):
        return 0
    for power in POWERS:
        times = sum(is_times(a, b, power, formula) for a, b in off)
        if times >= fewest and kept + times >= NEARLY_ALL * len(pairs):
            return power
    return 0


def in_one_unit(pairs: Pairs, formula: Formula, power: int) -> list[tuple[float, float]]:
    """The results with those of the rows in another unit as the formula asks for."""
    return [
        (a * 10.0**-power, b) if power and not formula.is_near(a, b) and is_times(a, b, power, formula) else (a, b)
        for a, b in pairs
    ]


def is_times(result: float, expected: float, power: int, formula: Formula) -> bool:
    """Return whether a result is a power of ten times what it should be, within the tolerance of the formula."""
    return bool(result and expected) and formula.is_near(result * 10.0**-power, expected)
