"""Defines which formulas hold on nearly all rows of a table: guesses tried on more rows, and the few kept that say
everything.

A formula must hold far oftener than with results of other rows, where chance alone decides; and it must hold where each
of its terms is another than usual, so that a term that is nearly always 0 does not ride along. What follows from other
formulas is left out, and so is one whose exceptions a longer one explains.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final

from resolvers.engines.error_detection.formulas import HALF, RELATIVE, Formula, FormulaKind
from resolvers.engines.error_detection.guesses import guesses
from resolvers.engines.error_detection.linear_relations import line
from resolvers.engines.error_detection.measures import FEWEST, Measure, Measures, measures_of
from resolvers.engines.error_detection.mixed_units import in_one_unit, power_of_ten, results_of
from resolvers.engines.error_detection.table import TableColumn

LEAST: Final = 0.75
"""The share of the rows that a formula must hold on."""
STRONGER: Final = 0.7
"""How much better than chance, 0 to 1."""
IDLE: Final = 0.5
"""The share of the rows that may keep to a formula with one term taken from another row, where that has another value;
with more the term says nothing, and the tolerance holds the rest together."""
LEAST_UNUSUAL: Final = 0.65
"""The share of the rows with an unusual value of a term that it must hold on."""
FEWEST_UNUSUAL: Final = 10
NEARLY: Final = 0.025
"""The share of the rows, at most, that are off by hardly more than the tolerance."""
COARSE: Final = 0.001
"""The slack from which a formula may hold because it is coarse."""
LOOSE: Final = 0.02
"""The slack from which a sum with factors, or off by more than a unit, is but near: most that rise together are."""
FEWEST_ROUNDED: Final = 4
ROUNDED: Final = 3
"""Rows, at least, that one product keeps to and another of the same columns does not, and how many times as many as the
other way round, for the first to be the one that was worked out and rounded."""
WHOLE: Final = 0.01
"""The share of the rows, at least, that are off by as much as rounding to whole numbers makes, for them to be so."""
MOST_FORMULAS: Final = 30
MOST_FOR_A_RESULT: Final = 3
OF_DAYS: Final = (FormulaKind.SPAN, FormulaKind.YEARS, FormulaKind.PART)
QUICK: Final = 60
"""Rows on which a guess is tried first."""

Rows = Sequence[Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class FittedFormula:
    """A formula, and how it did on the rows that it was tried on."""

    formula: Formula
    holds: float
    """The share of the rows that keep to it."""
    chance: float
    """The share that would with results of other rows."""
    rows: int
    slack: float
    """The tolerance as a share of how far the results lie apart."""
    power: int = 0
    """The power of ten that many rows have their result times, as in another unit; they keep to the formula so."""


def find_formulas(table: Sequence[TableColumn]) -> list[FittedFormula]:
    """The formulas that hold on most rows of a table, those of fewer columns first."""
    measures = measures_of(table) if table else None
    if measures is None:
        return []
    known = measures.by_index()
    aliases, dropped = _aliases(measures)
    left = replace(measures, numbers=[one for one in measures.numbers if one.index not in dropped])
    quick = left.tried[:: max(1, len(left.tried) // QUICK)]
    tried = [
        found
        for guess in guesses(left)
        if _is_likely(guess, left.probed, known, 0.4)
        and _is_likely(guess, quick, known, 0.6)
        and (found := _tried(guess, left.tried, known)) is not None
    ]
    return _kept(_as_worked_out([*aliases, *tried], left.tried))


def _as_worked_out(found: Sequence[FittedFormula], rows: Rows) -> list[FittedFormula]:
    """Of products of the same columns, those that were worked out: price per area = price / area, where it was rounded.

    The other ways round, a rounded figure is only near. So a product is left out where another keeps what it breaks.
    """
    by_columns: dict[frozenset[int], list[FittedFormula]] = defaultdict(list)
    for one in found:
        if one.formula.kind is FormulaKind.PRODUCT:
            by_columns[frozenset(one.formula.columns)].append(one)
    near: set[int] = set()
    for some in by_columns.values():
        for one, other in permutations(some, 2):
            if other.slack > COARSE:
                continue
            if one.slack > LOOSE:  # a count worked back from an amount holds whatever is a little off
                near.add(id(one))
            kept = [(one.formula.holds(values), other.formula.holds(values)) for values in rows]
            gained, lost = kept.count((False, True)), kept.count((True, False))
            if gained >= max(FEWEST_ROUNDED, ROUNDED * lost):
                near.add(id(one))
    return [one for one in found if id(one) not in near]


def _aliases(measures: Measures) -> tuple[list[FittedFormula], set[int]]:
    """Columns that are another in another unit; and those that are just another, which need not be looked at."""
    known = measures.by_index()
    quick = measures.tried[:: max(1, len(measures.tried) // QUICK)]
    best: dict[frozenset[int], FittedFormula] = {}
    for a, b in permutations(measures.numbers, 2):
        for formula in line(a, b, quick, measures.tried):
            found = _tried(formula, measures.tried, known)
            pair = frozenset((a.index, b.index))
            if found is not None and (pair not in best or _better(found, best[pair], known)):
                best[pair] = found
    dropped: set[int] = set()
    kept = []
    for found in sorted(best.values(), key=lambda one: (-one.holds, one.formula.columns)):
        one, other = sorted(found.formula.columns)
        if found.formula.factors != (1.0,) or found.formula.constant:
            kept.append(found)
        elif one not in dropped and found.holds >= 0.9:
            dropped.add(other)
    return kept, dropped


def _better(one: FittedFormula, other: FittedFormula, known: dict[int, Measure]) -> bool:
    def strictness(found: FittedFormula) -> tuple[float, float]:
        result = known[found.formula.columns[0]]
        return round(found.holds, 2), -found.formula.tolerance / ((result.high - result.low) or 1.0)

    return strictness(one) > strictness(other)


def _unit(formula: Formula, known: dict[int, Measure]) -> float:
    if formula.result is None:
        return max(known[at].unit for at in formula.terms) or 1e-9
    result = known[formula.result]
    # Without decimal places of its own it is as exact as floating numbers are.
    return result.unit or 1e-9 * max(abs(result.low), abs(result.high))


def _tolerances(formula: Formula, known: dict[int, Measure]) -> list[tuple[float, float]]:
    """Return how far off a result may be, and by which share of itself, from the strictest to the loosest."""
    unit = _unit(formula, known)
    match formula.kind:
        case FormulaKind.YEARS | FormulaKind.PART:
            return [(0.0, RELATIVE)]
        case FormulaKind.SPAN:
            strict = [(0.51 * unit, RELATIVE)]
            # Between whole days there is nothing to be rounded: one more is one too many.
            is_whole = formula.factor >= 1 and all(known[at].unit == 1.0 for at in formula.terms)
            return strict if is_whole else [*strict, (1.01 * unit, RELATIVE)]
        case FormulaKind.PRODUCT:
            strict = [(0.51 * unit, RELATIVE), (1.01 * unit, RELATIVE)]
            if formula.result is not None and known[formula.result].coarse:
                strict.append((0.51 * known[formula.result].coarse, RELATIVE))
            return strict if formula.added is not None else [*strict, (0.51 * unit, 0.002), (0.51 * unit, 0.006)]
    if any(abs(one) != 1 for one in formula.factors) or (formula.constant and formula.result is not None):
        own = sum(abs(factor) * known[at].unit for at, factor in zip(formula.terms, formula.factors, strict=True))
        return [(0.51 * unit, RELATIVE), (0.51 * unit + 0.51 * own, RELATIVE)]
    if formula.result is None or unit < 1:
        return [(0.51 * unit, RELATIVE), (1.01 * unit, RELATIVE), (0.51 * unit * (1 + len(formula.terms)), RELATIVE)]
    return [(0.51 * unit, RELATIVE)]


def _is_likely(formula: Formula, rows: Rows, known: dict[int, Measure], share: float) -> bool:
    """Return whether a few rows keep to it, with the loosest tolerance."""
    tolerance, relative = _tolerances(formula, known)[-1]
    loose = replace(formula, tolerance=tolerance, relative=relative)
    told = [holds for values in rows if (holds := loose.holds(values)) is not None]
    if len(told) < 3:
        return False
    return sum(told) >= share * len(told) or power_of_ten(results_of(loose, rows)[0], loose, fewest=3) != 0


def _tried(formula: Formula, rows: Rows, known: dict[int, Measure]) -> FittedFormula | None:
    """Return how a formula does on all rows that are tried, None where it does not hold."""
    pairs, at = results_of(formula, rows)
    if len(pairs) < FEWEST / 2:
        return None
    size = len(pairs)
    holds, tolerance, relative = _worth_most(pairs, _tolerances(formula, known))
    power = 0
    if holds < LEAST:
        strict = replace(formula, tolerance=tolerance, relative=relative)
        power = power_of_ten(pairs, strict)
        pairs = in_one_unit(pairs, strict, power)
        holds = sum(_is_near(a, b, tolerance, relative) for a, b in pairs) / size
    if holds < LEAST or (relative > RELATIVE and holds < 0.85):
        return None
    if not (
        formula.kind in (FormulaKind.YEARS, FormulaKind.PART)
        or (formula.kind is FormulaKind.SUM and tolerance < 1 <= tolerance * 2)
        or (formula.kind is FormulaKind.SPAN and tolerance < 1 and len(_tolerances(formula, known)) == 1)
    ):
        # What holds much oftener with more slack is only near it, and its exceptions are no errors.
        near = sum(1 for a, b in pairs if _is_near(a, b, 3 * tolerance, 3 * relative))
        if near / size > holds + NEARLY:
            return None
    shift = max(1, int(0.37 * size))
    if formula.result is None:  # there are no other results: the terms themselves are moved
        chance = _moved(formula, [rows[one] for one in at], tolerance, relative)
    else:
        chance = sum(
            1 for place, (_, b) in enumerate(pairs) if _is_near(pairs[place - shift][0], b, tolerance, relative)
        )
        chance /= size
    if chance > 0.6 or holds - chance < STRONGER * (1 - chance):
        return None
    kept = replace(formula, tolerance=tolerance, relative=relative)
    kept = replace(kept, has_whole=_has_whole(kept, pairs, _unit(formula, known)))
    good_rows = [kept.is_near(a, b) for a, b in pairs]
    asked = [rows[one] for one in at]
    if not all(_holds_where_unusual(good_rows, asked, column, known[column].usual) for column in kept.columns):
        return None
    columns = (*kept.terms, *(() if kept.rate is None else (kept.rate,)))
    if any(_is_idle(kept, column, asked, good_rows) for column in columns):
        return None
    ends = sorted(result if kept.result is not None else expected for result, expected in pairs)
    spread = ends[-1 - size // 20] - ends[size // 20]
    slack = (tolerance + relative * abs(ends[size // 2])) / (spread or 1.0)
    is_exact = tolerance <= _unit(kept, known) and all(abs(one) == 1 for one in kept.factors)
    if slack > LOOSE and kept.kind is FormulaKind.SUM and not is_exact:
        return None
    return FittedFormula(kept, holds, chance, size, slack, power)


def _has_whole(formula: Formula, pairs: Sequence[tuple[float, float]], unit: float) -> bool:
    """Return whether enough results are whole numbers that are off by what rounding to these makes, and no more are."""
    if formula.kind is not FormulaKind.PRODUCT or unit >= 1:
        return False
    off = [abs(a - b) for a, b in pairs if a and not a % 1 and not formula.is_near(a, b)]
    rounded = sum(one <= HALF for one in off)
    return rounded >= max(FEWEST_ROUNDED, WHOLE * len(pairs)) and rounded > 0.5 * len(off)


def _holds_where_unusual(good: Sequence[bool], rows: Rows, column: int, usual: float) -> bool:
    """Return whether rows that have another value than usual of a column are enough, and enough of them good."""
    unusual = [one for one, values in zip(good, rows, strict=True) if values[column] not in (usual, 0.0)]
    return len(unusual) >= min(FEWEST_UNUSUAL, len(good) / 8) and sum(unusual) >= LEAST_UNUSUAL * len(unusual)


def _is_idle(formula: Formula, column: int, rows: Rows, good: Sequence[bool]) -> bool:
    """Return whether a formula holds as well with other values of one of its columns."""
    shift = max(1, int(0.37 * len(rows)))
    asked = kept = 0
    for place, (values, holds) in enumerate(zip(rows, good, strict=True)):
        other = rows[place - shift][column]
        if holds and other is not None and other != values[column]:
            asked += 1
            kept += formula.holds([*values[:column], other, *values[column + 1 :]]) is True
    return asked >= FEWEST_UNUSUAL and kept > IDLE * asked


def _worth_most(
    pairs: Sequence[tuple[float, float]], tolerances: Sequence[tuple[float, float]]
) -> tuple[float, float, float]:
    """The share of the pairs that keep to it, the tolerance and the relative one, of those that are worth most."""
    shares: list[tuple[float, float, float]] = []
    for tolerance, relative in tolerances:
        good = sum(1 for a, b in pairs if _is_near(a, b, tolerance, relative))
        shares.append((good / len(pairs), tolerance, relative))
    # A looser tolerance must be worth it: it takes errors for right.
    best = shares[0]
    for one in shares[1:]:
        if one[0] > best[0] + (0.03 if one[2] == RELATIVE else 0.08):
            best = one
    return best


def _moved(formula: Formula, rows: Rows, tolerance: float, relative: float) -> float:
    """The share of rows that keep to it where each term is taken from another row."""
    size = len(rows)
    loose = replace(formula, tolerance=tolerance, relative=relative)
    good = 0
    for number in range(size):
        values = list(rows[number])
        for step, column in enumerate(formula.terms):
            values[column] = rows[(number + step * max(1, int(0.37 * size))) % size][column]
        good += loose.holds(values) is True
    return good / size


def _is_near(result: float, expected: float, tolerance: float, relative: float) -> bool:
    return abs(result - expected) <= tolerance + relative * abs(expected)


def _kept(found: Sequence[FittedFormula]) -> list[FittedFormula]:
    """Of what holds, what does not follow from the rest."""
    by_columns: dict[frozenset[int], FittedFormula] = {}
    for one in found:
        columns = frozenset(one.formula.columns)
        if columns not in by_columns or _rank(one) < _rank(by_columns[columns]):
            by_columns[columns] = one
    ordered = sorted(by_columns.values(), key=lambda one: (len(one.formula.columns), _rank(one)))
    explained = [
        one
        for one in ordered
        if not any(set(other.formula.columns) > set(one.formula.columns) and _explains(other, one) for other in ordered)
    ]
    strict = {column for one in explained if one.formula.relative == RELATIVE for column in one.formula.columns}
    basis: list[dict[int, float]] = []
    for_result: Counter[tuple[int | None, str | None]] = Counter()
    kept: list[FittedFormula] = []
    for one in explained:
        if one.formula.relative > RELATIVE and strict.issuperset(one.formula.columns):
            continue
        vector = _vector(one.formula)
        if vector is not None and not _adds(basis, vector):
            continue
        # Days near one another have nearly the same parts: the best tells.
        about = (one.formula.result, one.formula.part) if one.formula.kind in OF_DAYS else (one.formula.result, None)
        for_result[about] += 1
        most = 1 if one.formula.kind in OF_DAYS else MOST_FOR_A_RESULT
        if for_result[about] <= most and len(kept) < MOST_FORMULAS:
            kept.append(one)
    return kept


def _explains(longer: FittedFormula, shorter: FittedFormula) -> bool:
    """Return whether a longer formula holds where the shorter does not, or as often although it is far stricter."""
    if longer.holds > shorter.holds + 0.02:
        return True
    return shorter.slack > COARSE and longer.holds > shorter.holds - 0.03 and 3 * longer.slack < shorter.slack


def _rank(found: FittedFormula) -> tuple[float, int, int, float, tuple[int, ...]]:
    """The better, the less: what holds oftener, then sums before products before quotients, then the stricter."""
    formula = found.formula
    quotients = sum(1 for one in formula.factors if one < 0) if formula.kind is FormulaKind.PRODUCT else 0
    is_round = formula.factor == 1
    loose = formula.tolerance + formula.relative
    awkward = quotients + (not is_round) + (formula.relative > RELATIVE)
    better = (found.holds - found.chance) / (1 - found.chance) if found.chance < 1 else 0.0
    return (
        -round(better - 0.03 * awkward, 2),
        0 if formula.kind is FormulaKind.SUM else 1,
        awkward,
        loose,
        formula.columns,
    )


def _vector(formula: Formula) -> dict[int, float] | None:
    """Return what a sum says, as factors of columns that come to a constant (column -1)."""
    if formula.kind is not FormulaKind.SUM:
        return None
    vector: dict[int, float] = defaultdict(float)
    vector[-1] = formula.constant
    if formula.result is not None:
        vector[formula.result] -= 1
    for column, factor in zip(formula.terms, formula.factors, strict=True):
        vector[column] += factor
    return {column: factor for column, factor in vector.items() if factor}


def _adds(basis: list[dict[int, float]], vector: dict[int, float]) -> bool:
    """Return whether a sum does not follow from those before; if so, it is put with them."""
    rest = dict(vector)
    for one in basis:
        lead = next(iter(one))
        if lead in rest:
            times = rest[lead] / one[lead]
            for column, factor in one.items():
                rest[column] = rest.get(column, 0.0) - times * factor
            rest = {column: factor for column, factor in rest.items() if abs(factor) > 1e-6}
    if not any(column >= 0 for column in rest):
        return False
    lead = max((column for column in rest if column >= 0), key=lambda column: abs(rest[column]))
    basis.append({lead: rest[lead], **{column: factor for column, factor in rest.items() if column != lead}})
    return True
