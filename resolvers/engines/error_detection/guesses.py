"""Formulas that some rows of a table suggest, to be tried on more.

A sum or product of two columns is looked up among the other numbers of the same row, sorted: so a row costs the square
of its columns, and not the cube. What several rows suggest is a guess. Longer sums are looked for among columns that
stand beside one another, and as two pairs that come to the same.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations
from typing import Final

from resolvers.engines.error_detection.formulas import PARTS, SPANS, Formula, FormulaKind
from resolvers.engines.error_detection.measures import Measure, Measures

MOST_GUESSES: Final = 1500
MOST_FOR_PAIRS: Final = 20
"""Columns of which pairs are compared with pairs."""
LONGEST_SIGNED: Final = 6
LONGEST: Final = 16
MOST_RATES: Final = 4
MOST_NOTED: Final = 60_000

Key = tuple[object, ...]


class _Row:
    """The numbers of a row, sorted to be looked up."""

    def __init__(self, values: Sequence[float | None], numbers: Sequence[Measure]) -> None:
        self.there = [(value, one) for one in numbers if (value := values[one.index])]
        ordered = sorted((value, one.index, one.coarse or one.unit) for value, one in self.there)
        self.values = [one[0] for one in ordered]
        self.ordered = ordered

    def find(self, wanted: float, units: float = 0.51) -> Iterator[int]:
        """The columns whose number is this, within so many of its last decimal places."""
        slack = 1e-9 * abs(wanted)
        at = bisect_left(self.values, wanted - units - slack)
        ordered = self.ordered
        for place in range(at, len(ordered)):
            value, index, unit = ordered[place]
            if value > wanted + units + slack:
                return
            if abs(value - wanted) <= units * unit + slack:
                yield index


def guesses(measures: Measures) -> list[Formula]:
    """Formulas that at least half of the rows looked at suggest, the most suggested first."""
    noted: Counter[Key] = Counter()
    rates = [one for one in measures.numbers if one.low >= 0 and one.high <= 100 and one.known][:MOST_RATES]
    few = sorted(measures.numbers, key=lambda one: -(one.high - one.low) / (one.unit or 1e-9))[:MOST_FOR_PAIRS]
    few.sort(key=lambda one: one.index)
    for number, values in enumerate(measures.probed):
        row = _Row(values, measures.numbers)
        keys = {*_of_two(row), *_of_rates(row, values, rates), *_of_runs(row, values, measures.numbers)}
        keys.update(_of_pairs(values, few))
        noted.update(keys)
        if number in (3, 6) and len(noted) > MOST_NOTED:
            noted = Counter({key: count for key, count in noted.items() if count > number // 3})
    least = max(3, len(measures.probed) // 4)
    found = [_formula(key) for key, count in noted.most_common(MOST_GUESSES) if count >= least]
    return [*_of_days(measures), *found]


def _of_two(row: _Row) -> Iterator[Key]:
    for (a, one), (b, other) in combinations(row.there, 2):
        i, j = one.index, other.index
        units = 1.01 if min(one.unit, other.unit) < 1 else 0.51
        for c in row.find(a + b, units):
            if c not in (i, j):
                yield _sum_key(((c, 1), (i, -1), (j, -1)))
        for c in row.find(a - b, units):
            if c not in (i, j):
                yield _sum_key(((i, 1), (j, -1), (c, -1)))
        for c in row.find(b - a, units):
            if c not in (i, j):
                yield _sum_key(((j, 1), (i, -1), (c, -1)))
        for factor in (1.0, 0.01):
            for c in row.find(a * b * factor):
                if c not in (i, j):
                    yield ("*", c, i, j, factor)
        for x, y, p, q in ((a, b, i, j), (b, a, j, i)):
            for factor in (1.0, 100.0):
                for c in row.find(factor * x / y):
                    if c not in (i, j):
                        yield ("/", c, p, q, factor)
            if 0 < y <= 100:
                for scale in (1.0, -1.0, 100.0, -100.0) if y < 1 else (100.0, -100.0):
                    for c in row.find(x * (1 + y / scale)):
                        if c not in (i, j):
                            yield ("r", c, p, q, scale)


def _of_rates(row: _Row, values: Sequence[float | None], rates: Sequence[Measure]) -> Iterator[Key]:
    """Products of two columns, made less or more by a rate."""
    some = [(rate.index, value) for rate in rates if (value := values[rate.index])]
    for (a, one), (b, other) in combinations(row.there, 2) if some and len(row.there) <= 2 * MOST_FOR_PAIRS else ():
        for at, value in some:
            if at in (one.index, other.index):
                continue
            for scale in (1.0, -1.0, 100.0, -100.0) if value < 1 else (100.0, -100.0):
                for c in row.find(a * b * (1 + value / scale)):
                    if c not in (one.index, other.index, at):
                        yield ("*r", c, one.index, other.index, at, scale)


def _sum_key(signed: Iterable[tuple[int, int]]) -> Key:
    """One key for a sum, whichever of its columns is taken for the result: the first sign is plus."""
    ordered = sorted(signed)
    turn = ordered[0][1]
    return ("+", *((at, sign * turn) for at, sign in ordered))


def _of_pairs(values: Sequence[float | None], few: Sequence[Measure]) -> Iterator[Key]:
    """Sums of two columns, and products, that come to the sum or the difference of two others."""
    there = [(value, one) for one in few if (value := values[one.index])]
    listed: list[tuple[float, int, int, int, float]] = []
    for (a, one), (b, other) in combinations(there, 2):
        unit = max(one.unit, other.unit)
        listed.append((a + b, one.index, other.index, 1, unit))
        listed.append((a - b, one.index, other.index, -1, unit))
        listed.append((b - a, other.index, one.index, -1, unit))
    listed.sort()
    sums = [one[0] for one in listed]
    for (a, one), (b, other) in combinations(there, 2):
        for wanted, is_product in ((a + b, False), (a * b, True)):
            slack = 0.011 + 1e-9 * abs(wanted)
            at = bisect_left(sums, wanted - slack)
            for found, i, j, sign, unit in listed[at : at + 40]:
                if found > wanted + slack:
                    break
                if one.index in (i, j) or other.index in (i, j):
                    continue
                if abs(found - wanted) > 1.01 * min(unit, 0.01) + 1e-9 * abs(wanted):
                    continue
                if not is_product:
                    yield _sum_key(((i, 1), (j, sign), (one.index, -1), (other.index, -1)))
                elif sign < 0:
                    yield ("*+", i, one.index, other.index, j)


def _of_runs(row: _Row, values: Sequence[float | None], numbers: Sequence[Measure]) -> Iterator[Key]:
    """Sums of columns that stand beside one another; of a few also with signs."""
    there = [(value, one.index) for one in numbers if (value := values[one.index]) is not None]
    size = len(there)
    for start in range(size):
        total = there[start][0]
        for end in range(start + 1, min(size, start + LONGEST)):
            total += there[end][0]
            run = [index for _, index in there[start : end + 1]]
            if end - start >= 3:
                for c in row.find(total, 1.01):
                    if c not in run:
                        yield _sum_key([(c, 1), *((index, -1) for index in run)])
            for whole in (1.0, 100.0):
                if abs(total - whole) <= 0.005 * whole:
                    yield ("=", whole, *run)
        signed: list[tuple[float, tuple[tuple[int, int], ...]]] = [(there[start][0], ((there[start][1], 1),))]
        for end in range(start + 1, min(size, start + LONGEST_SIGNED) if size <= 2 * MOST_FOR_PAIRS else start):
            value, index = there[end]
            signed = [(sum_ + sign * value, (*terms, (index, sign))) for sum_, terms in signed for sign in (1, -1)]
            if end - start >= 3:
                for sum_, terms in signed:
                    for c in row.find(abs(sum_), 1.01):
                        if all(c != index for index, _ in terms):
                            turn = -1 if sum_ > 0 else 1
                            yield _sum_key([(c, 1), *((index, sign * turn) for index, sign in terms)])


def _formula(key: Key) -> Formula:
    kind, *rest = key
    if kind == "+":
        signed: list[tuple[int, int]] = rest  # type: ignore[assignment]
        # What stands alone on its side of the equation is the result: total = a + b, and not a = total - b.
        for side in (1, -1):
            alone = [at for at, sign in signed if sign == side]
            if len(alone) == 1:
                break
        else:
            alone = [signed[-1][0]]
        own = next(sign for at, sign in signed if at == alone[0])
        terms = [(at, float(-sign * own)) for at, sign in signed if at != alone[0]]
        return Formula(FormulaKind.SUM, alone[0], tuple(at for at, _ in terms), tuple(sign for _, sign in terms))
    if kind == "=":
        whole, *run = rest
        return Formula(FormulaKind.SUM, None, tuple(run), (1.0,) * len(run), constant=-whole)  # type: ignore[arg-type, operator]
    result, first, second, *more = rest
    if kind == "*":
        return Formula(FormulaKind.PRODUCT, result, (first, second), (1.0, 1.0), factor=more[0])  # type: ignore[arg-type]
    if kind == "/":
        return Formula(FormulaKind.PRODUCT, result, (first, second), (1.0, -1.0), factor=more[0])  # type: ignore[arg-type]
    if kind == "r":
        return Formula(FormulaKind.PRODUCT, result, (first,), (1.0,), rate=second, rate_scale=more[0])  # type: ignore[arg-type]
    if kind == "*+":
        return Formula(FormulaKind.PRODUCT, result, (first, second), (1.0, 1.0), added=more[0])  # type: ignore[arg-type]
    return Formula(FormulaKind.PRODUCT, result, (first, second), (1.0, 1.0), rate=more[0], rate_scale=more[1])  # type: ignore[arg-type]


def _of_days(measures: Measures) -> Iterator[Formula]:
    """Yield what days allow of numbers: how long from one to another, and their parts. There are few, so all are
    guessed.
    """
    whole = [one for one in measures.numbers if one.high > one.low]
    for end, start in permutations(measures.days, 2):
        for one in whole:
            for span in SPANS:
                for constant in (0.0, 1.0) if span == 1.0 else (0.0,):
                    yield Formula(FormulaKind.SPAN, one.index, (end.index, start.index), factor=span, constant=constant)
            if one.unit == 1.0 and one.low >= 0 and one.high <= 130:
                yield Formula(FormulaKind.YEARS, one.index, (end.index, start.index))
    for day in measures.days:
        for one in whole:
            if one.unit == 1.0:
                for part in PARTS:
                    yield Formula(FormulaKind.PART, one.index, (day.index,), part=part)
