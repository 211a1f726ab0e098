"""Defines what columns are worked out of others by: a rule for each formula that holds on nearly all rows that look
right.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from resolvers.engines.error_detection.formula_arguments import arguments_of
from resolvers.engines.error_detection.formula_fits import FittedFormula
from resolvers.engines.error_detection.formula_signs import Formulas
from resolvers.engines.error_detection.formulas import Formula, FormulaKind, told
from resolvers.engines.error_detection.numbers import measured, ordered_pairs
from resolvers.engines.rules.figures import tolerated, upper_bound
from resolvers.engines.rules.learning import Learned

FEWEST_ROWS: Final = 50
MOST_ORDERS: Final = 12
EXCEPTIONS: Final = 0.01
"""The share of rows that look right and may break a formula that is meant."""


@dataclass(frozen=True, slots=True)
class Concluded:
    """A formula, and on how many rows that look right it held."""

    said: str
    arguments: dict[str, object]
    columns: tuple[str, ...]
    rows: int
    exceptions: int
    held_out: tuple[int, int]
    """Rows and exceptions of the half that was not learned from."""
    left_out: int
    chance: float
    rate: float
    percent: float


def concluded(learned: Learned) -> Iterator[Concluded]:
    """The formulas of a table that hold in both halves of the rows that look right."""
    names = [column.name for column in learned.table]
    formulas = Formulas(learned.table, learned.formulas)
    for found, holding in (*((one, formulas.holding(one)) for one in formulas.found), *_orders(learned)):
        columns = tuple(names[at] for at in found.formula.columns)
        # What breaks an order is called wrong for just that, and would hide that the order is not kept.
        odd = frozenset() if found.formula.kind is FormulaKind.ORDER else learned.odd_rows(columns)
        rows, exceptions = [0, 0], [0, 0]
        for row, holds in holding:
            if row not in odd:
                rows[row % 2] += 1
                exceptions[row % 2] += not holds
        whole, bad = sum(rows), sum(exceptions)
        if whole < FEWEST_ROWS or any(one > EXCEPTIONS * of for one, of in zip(exceptions, rows, strict=True)):
            continue
        yield Concluded(
            told(found.formula, names), arguments_of(found.formula, names), columns, whole, bad,
            (rows[1], exceptions[1]), len(odd), round(found.chance, 4), upper_bound(exceptions[1], rows[1]),
            tolerated(upper_bound(bad, whole)) if bad else 0.0,
        )  # fmt: skip


def _orders(learned: Learned) -> Iterator[tuple[FittedFormula, Iterator[tuple[int, bool]]]]:
    """Columns of which one is never more than the other, unless a formula says it."""
    together = [set(one.formula.columns) for one in learned.formulas]
    for low, high in ordered_pairs(learned.table)[:MOST_ORDERS]:
        if not any({low, high} <= columns for columns in together):
            formula = Formula(FormulaKind.ORDER, low, (high,))
            yield FittedFormula(formula, 1.0, 0.5, len(learned.sample.rows), 0.0), _in_order(learned, low, high)


def _in_order(learned: Learned, low: int, high: int) -> Iterator[tuple[int, bool]]:
    left, right = learned.table[low], learned.table[high]
    one, other = measured(left), measured(right)
    if one is None or other is None:
        return
    for row, (a_code, b_code) in enumerate(zip(left.codes, right.codes, strict=True)):
        a, b = one[0][a_code], other[0][b_code]
        if a is not None and b is not None:
            yield row, a <= b
