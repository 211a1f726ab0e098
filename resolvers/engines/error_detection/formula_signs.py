"""Defines which cell of a row that breaks a formula is wrong.

Every cell of a broken formula may be. One that also keeps to another formula is likely right; one that breaks several,
looks wrong by itself, or would be a usual number of its column if it were what the others ask for, is likely wrong.
Where nothing tells them apart, all are named.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations, permutations
from typing import Final

from rapidfuzz.distance import OSA

from resolvers.engines.error_detection.dependencies import Votes
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.formula_fits import LEAST, FittedFormula
from resolvers.engines.error_detection.formulas import HALF, Formula, FormulaKind, part_of, told, years_between
from resolvers.engines.error_detection.measures import Measure, measures_of
from resolvers.engines.error_detection.mixed_units import is_times, results_of
from resolvers.engines.error_detection.table import MISSING, TableColumn

Cell = tuple[int, int]
Values = Sequence[float | None]

A_RULE: Final = 0.3
"""The share of the exceptions that are off by the same, from which they keep to a rule of their own."""
FEWEST_OF_A_RULE: Final = 6
USUAL: Final = 0.04
"""The share of wrong cells of a column that is nothing remarkable: with more, exceptions may be meant."""
TOLD_APART: Final = 0.5
ALIKE: Final = 0.6
"""How near the likeliest cell others must be to be named with it, where none is likely by itself."""
MOST_NAMED: Final = 3
MOST_JUDGED: Final = 2000
"""Rows of which it is told which cell is wrong."""
TIED: Final = 0.5
FEWEST_EMPTY: Final = 10
"""Rows with an empty term, at least, for it to be seen that it counts as nothing."""
MOST_UNITS: Final = 50
"""Values of a column that may name the unit of another."""
IN_ANOTHER_UNIT: Final = 0.95
"""How probable it is that a result is wrong that is a power of ten of what it should be, as that of many rows is."""
EXCHANGED: Final = 0.9
"""How probable it is that two cells are wrong, if the row keeps to its formulas with each in the other's place."""
TWICE: Final = -3.2
"""What it speaks for a cell that another formula holds with it alone: else another cell were wrong in the row too."""
MOST_EXCHANGED: Final = 12
"""Columns of which two may have been exchanged."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Holds what formulas say of cells."""

    signs: dict[Cell, Reason]
    probable: dict[Cell, float]
    """How probable it is that a cell of a row that breaks a formula is the wrong one."""
    broken: dict[int, list[FittedFormula]]
    """The formulas that each row breaks, but for exceptions that keep to a rule of their own."""


class Formulas:
    """The formulas of a table, to be asked about its rows."""

    def __init__(self, table: Sequence[TableColumn], found: Sequence[FittedFormula]) -> None:
        self.table, self.found = table, [one for one in found if one.formula.kind is not FormulaKind.ORDER]
        self._wholes: dict[int, list[float]] = {}
        measures = measures_of(table) if self.found else None
        self.known: dict[int, Measure] = measures.by_index() if measures is not None else {}
        self.of: dict[int, list[FittedFormula]] = defaultdict(list)
        for one in self.found:
            for column in one.formula.columns:
                self.of[column].append(one)
        for one in self.found:
            self._count_as_nothing(one.formula)

    def _count_as_nothing(self, formula: Formula) -> None:
        """Let empty terms of a sum be 0 where nearly all rows with one keep to it so: who had no bonus got none."""
        is_sum = formula.kind is FormulaKind.SUM and formula.result is not None and not formula.constant
        if not is_sum or any(abs(factor) != 1 for factor in formula.factors):
            return
        sums = {at for at in formula.terms if all(one.formula.kind is FormulaKind.SUM for one in self.of[at])}
        empty = [at for at in sums if self.table[at].counts[MISSING]]
        before = {column: self.known[column] for column in empty}
        for column, one in before.items():
            self.known[column] = replace(one, by_code=[0.0, *one.by_code[1:]])
        rows = [
            row for row in range(len(self.table[0].codes))
            if any(self.table[column].codes[row] == MISSING for column in empty)
        ]  # fmt: skip
        told = [holds for row in rows if (holds := formula.holds(self.values(row))) is not None]
        if len(told) < FEWEST_EMPTY or sum(told) < LEAST * len(told):
            self.known.update(before)

    def bound(self) -> set[tuple[int, int]]:
        """The pairs of columns that stand in one formula, each both ways round."""
        return {pair for one in self.found for pair in permutations(one.formula.columns, 2)}

    def values(self, row: int) -> list[float | None]:
        """The numbers of a row, by column."""
        values: list[float | None] = [None] * len(self.table)
        for column in self.of:
            values[column] = self.known[column].by_code[self.table[column].codes[row]]
        return values

    def confirms(self, row: int, column: int) -> bool:
        """Return whether a cell keeps to a formula that it would hardly keep to by chance."""
        if column not in self.of:
            return False
        values = self.values(row)
        return bool(values[column]) and any(one.chance < 0.1 and one.formula.holds(values) for one in self.of[column])

    def broken(self) -> dict[int, list[FittedFormula]]:
        """The formulas that each row breaks; without exceptions that keep to a rule of their own.

        Such a rule does not hold where the row breaks another formula of the same columns as well.
        """
        rows: dict[int, list[FittedFormula]] = defaultdict(list)
        spared: list[tuple[FittedFormula, list[int]]] = []
        for one in self.found:
            strewn, others = self._exceptions(one)
            spared.append((one, others))
            for row in strewn:
                rows[row].append(one)
        columns = {row: {column for one in some for column in one.formula.columns} for row, some in rows.items()}
        for one, others in spared:
            for row in others:
                if row in columns and columns[row] & set(one.formula.columns):
                    rows[row].append(one)
        return rows

    def in_another_unit(self, found: FittedFormula) -> list[int]:
        """The rows whose result is the power of ten times what it should be that many have.

        None where another column says which rows these are, each of its values all or none: a currency or a unit.
        """
        if not found.power or found.formula.result is None:
            return []
        formula = found.formula
        off = [row for row, one in enumerate(self._over(formula)) if one > 0]
        pairs, at = results_of(formula, [self.values(row) for row in off])
        rows = {off[place] for place, pair in zip(at, pairs, strict=True) if is_times(*pair, found.power, formula)}
        kept = set(range(len(self.table[0].codes))) - set(off)
        for column in self.table:
            if column.index not in formula.columns and 2 <= column.distinct <= MOST_UNITS:
                within = {column.codes[row] for row in rows}
                if within.isdisjoint(column.codes[row] for row in kept):
                    return []
        return sorted(rows)

    def _exceptions(self, found: FittedFormula) -> tuple[list[int], list[int]]:
        """The rows that break a formula, and those that keep to a rule of their own instead."""
        over = self._over(found.formula)
        in_another_unit = set(self.in_another_unit(found))
        rows = [row for row, one in enumerate(over) if one > 0 and row not in in_another_unit]
        there = len(over) - sum(map(math.isnan, over))
        if not rows or len(rows) > (1 - LEAST) * there:
            return [], []
        columns = found.formula.columns
        strewn = self._strewn(_renumbered(found.formula), rows, self._numbers(columns), columns)
        left = set(strewn)
        return strewn, [row for row in rows if row not in left]

    def holding(self, found: FittedFormula) -> Iterator[tuple[int, bool]]:
        """Return whether each row keeps to a formula, of the rows that have all that it needs."""
        for row, over in enumerate(self._over(found.formula)):
            if not math.isnan(over):
                yield row, over <= 0

    def _numbers(self, columns: Sequence[int]) -> list[list[float]]:
        return [self._whole(column) for column in columns]

    def _whole(self, column: int) -> list[float]:
        """A column row by row, not a number where it has none."""
        if column not in self._wholes:
            by_code = [math.nan if one is None else one for one in self.known[column].by_code]
            self._wholes[column] = [by_code[code] for code in self.table[column].codes]
        return self._wholes[column]

    def _over(self, formula: Formula) -> list[float]:
        """By how much each row is off beyond the tolerance; column by column, which is far faster than row by row."""
        terms = self._numbers(formula.terms)
        size = len(self.table[0].codes)
        expected: list[float]
        match formula.kind:
            case FormulaKind.SUM:
                expected = [formula.constant] * size
                for term, factor in zip(terms, formula.factors, strict=True):
                    expected = [so_far + factor * one for so_far, one in zip(expected, term, strict=True)]
            case FormulaKind.PRODUCT:
                expected = [formula.factor] * size
                for term, power in zip(terms, formula.factors, strict=True):
                    if power > 0:
                        expected = [so_far * one for so_far, one in zip(expected, term, strict=True)]
                    else:
                        expected = [
                            so_far / one if one else math.nan for so_far, one in zip(expected, term, strict=True)
                        ]
                if formula.rate is not None:
                    scale, rate = formula.rate_scale, self._whole(formula.rate)
                    expected = [so_far * (1 + one / scale) for so_far, one in zip(expected, rate, strict=True)]
                if formula.added is not None:
                    expected = [a + b for a, b in zip(expected, self._whole(formula.added), strict=True)]
            case FormulaKind.SPAN:
                factor, constant = formula.factor, formula.constant
                expected = [factor * (a - b) + constant for a, b in zip(*terms, strict=True)]
            case FormulaKind.PART:
                (column,) = formula.terms
                parts = [None if day is None else part_of(day, formula.part) for day in self.known[column].by_code]
                told_by = [math.nan if part is None else part for part in parts]
                expected = [told_by[code] for code in self.table[column].codes]
            case _:
                between = (
                    math.nan if math.isnan(a) or math.isnan(b) else years_between(b, a)
                    for a, b in zip(*terms, strict=True)
                )
                expected = [math.nan if one is None else one for one in between]
        result = [0.0] * size if formula.result is None else self._whole(formula.result)
        tolerance, relative = formula.tolerance, formula.relative
        off = [abs(a - b) - tolerance - relative * abs(b) for a, b in zip(result, expected, strict=True)]
        if not formula.has_whole:
            return off
        whole = zip(result, expected, off, strict=True)
        return [min(one, abs(a - b) - HALF) if a and not a % 1 else one for a, b, one in whole]

    def _strewn(self, here: Formula, rows: list[int], numbers: Sequence[Values], columns: Sequence[int]) -> list[int]:
        """Leave out what is off by the same figure or factor, or has the same result, or fills groups of rows."""
        off: dict[int, tuple[str, str, str]] = {}
        for row in rows:
            values = [column[row] for column in numbers]
            result, expected = 0.0 if here.result is None else values[0], here.expected(values)
            if result is not None and expected is not None:
                ratio = f"{result / expected:.3g}" if expected else ""
                own = "" if here.result is None else f"{result:.6g}"
                is_slip = _is_slip(ratio)  # such a one is none of a rule, though small ones are off by the same
                apart = "" if is_slip and ratio and float(ratio) else f"{result - expected:.6g}"
                off[row] = (apart, "" if is_slip else ratio, own)
        spared: set[int] = set()
        for side in (0, 1, 2):
            often = Counter(one[side] for one in off.values() if one[side])
            same = {text for text, count in often.items() if count >= max(FEWEST_OF_A_RULE, A_RULE * len(rows))}
            spared |= {row for row, one in off.items() if one[side] in same and len(rows) > 0.02 * len(numbers[0])}
        for column in self.table:
            if column.index in columns or not 2 <= column.distinct <= 50:
                continue
            within = Counter(column.codes[row] for row in rows)
            whole = {
                code
                for code, count in within.items()
                if code != MISSING and count >= max(FEWEST_OF_A_RULE, 0.7 * column.counts[code])
            }
            spared |= {row for row in rows if column.codes[row] in whole}
        return [row for row in rows if row not in spared]


def _is_slip(ratio: str) -> bool:
    """Return whether a factor is one of a slip: another sign, or the decimal point in another place."""
    if not ratio:
        return True
    number = abs(float(ratio))
    return number == 0 or abs(math.log10(number) - round(math.log10(number))) < 0.002


def _renumbered(formula: Formula) -> Formula:
    """The formula about the columns of its own, in their order."""
    at = {column: place for place, column in enumerate(formula.columns)}
    return replace(
        formula,
        result=None if formula.result is None else at[formula.result],
        terms=tuple(at[one] for one in formula.terms),
        rate=None if formula.rate is None else at[formula.rate],
        added=None if formula.added is None else at[formula.added],
    )


def formula_signs(formulas: Formulas, votes: Sequence[Votes], own: Mapping[Cell, float], prior: float) -> Judged:
    """Return what formulas say of the cells of a table.

    `own` is what other signs weigh, below 0 what speaks for a cell; `prior` the log odds before any.
    """
    asked: dict[int, list[Votes]] = defaultdict(list)
    for one in votes:
        asked[one.dependency.dependent].append(one)
    broken = formulas.broken()
    judged = Judged({}, {}, broken)
    names = [column.name for column in formulas.table]
    sentences = {one.formula: f"The row breaks {told(one.formula, names)}." for one in formulas.found}
    for found in formulas.found:
        for row in formulas.in_another_unit(found):
            _in_another_unit(formulas, found, row, judged, prior)
    # Of very many rows as many are judged as are spread over the table: more nobody reads one by one.
    step = -(-len(broken) // MOST_JUDGED) if broken else 1
    for row, some in list(broken.items())[::step]:
        for column, (probability, repair, formula) in _blamed(formulas, row, some, asked, own).items():
            judged.probable[(row, column)] = probability
            odds = math.log(probability / (1 - probability))
            if odds - prior > 0.3:
                judged.signs[(row, column)] = Reason(Sign.FORMULA, odds - prior, sentences[formula], repair)
    return judged


def _in_another_unit(formulas: Formulas, found: FittedFormula, row: int, judged: Judged, prior: float) -> None:
    """Add the result of a row that is a power of ten of what it should be, with what it should be."""
    column = found.formula.result
    assert column is not None
    number = formulas.values(row)[column]
    repair = None if number is None else _written(formulas, column, number * 10.0**-found.power, row)
    times = f"{10.0**found.power:,.6g} times"
    names = [one.name for one in formulas.table]
    said = f"It is {times} what it should be, as in many rows: {told(found.formula, names)}."
    judged.probable[(row, column)] = IN_ANOTHER_UNIT
    judged.signs[(row, column)] = Reason(
        Sign.FORMULA, math.log(IN_ANOTHER_UNIT / (1 - IN_ANOTHER_UNIT)) - prior, said, repair
    )


def _blamed(
    formulas: Formulas,
    row: int,
    broken: Sequence[FittedFormula],
    asked: Mapping[int, Sequence[Votes]],
    own: Mapping[Cell, float],
) -> dict[int, tuple[float, str | None, Formula]]:
    """For each cell of the formulas that a row breaks: how probable it is wrong, and what should stand there."""
    values = formulas.values(row)
    left = list(broken)
    held = {id(one) for one in formulas.found if one.formula.holds(values)}
    found: dict[int, tuple[float, str | None, Formula]] = {}
    if (pair := _exchanged(formulas, values, left, row, own)) is not None:
        for column, other in (pair, pair[::-1]):
            written = _written(formulas, column, values[other], row)
            found[column] = EXCHANGED, written, left[0].formula
        return found
    while left:
        scores: dict[int, float] = {}
        repairs: dict[int, float | None] = {}
        explained: dict[int, Sequence[FittedFormula]] = {}
        spoken_of = {column for one in left for column in one.formula.columns}
        for column in spoken_of:
            said = [one for one in asked.get(column, ()) if one.dependency.determinant not in spoken_of]
            apart = own.get((row, column), 0.0) + _voted(formulas.table, said, row, column)
            of_it = [one for one in left if column in one.formula.columns]
            # Two cells may be wrong, and each of them explain a part.
            for some in [of_it, *([one] for one in of_it if len(of_it) > 1)]:
                repair, speaks = _repaired(formulas, values, column, some, row)
                score = 3.0 * len(some) + speaks + apart + _kept(formulas, values, column, held, repair)
                if column not in scores or score > scores[column]:
                    scores[column], repairs[column], explained[column] = score, repair, some
        highest = max(scores.values())
        total = sum(math.exp(score - highest) for score in scores.values())
        parts = {column: math.exp(score - highest) / total for column, score in scores.items()}
        best = max(parts, key=lambda column: parts[column])
        sure = min(_sure(one) for one in explained[best])
        alike = [column for column, part in parts.items() if part >= ALIKE * parts[best]]
        for column, part in parts.items():
            probability = sure * part
            if parts[best] < TOLD_APART and len(alike) <= MOST_NAMED and column in alike:
                probability = max(probability, TIED)
            if column not in found or probability > found[column][0]:
                written = _written(formulas, column, repairs[column], row)
                found[column] = min(0.985, max(0.002, probability + 1e-4)), written, explained[column][0].formula
        if parts[best] < TOLD_APART:
            break
        left = [one for one in left if one not in explained[best]]
    return found


def _exchanged(
    formulas: Formulas, values: Values, broken: Sequence[FittedFormula], row: int, own: Mapping[Cell, float]
) -> tuple[int, int] | None:
    """Two columns of which a row keeps to all its formulas if the one has what the other has; None if there are none.

    Not where another cell looks wrong by itself: with a wrong sign it would come to the same.
    """
    columns = sorted({column for one in broken for column in one.formula.columns})
    of_days = [column for column in columns if formulas.known[column].is_day]
    if len(columns) > MOST_EXCHANGED or min(one.chance for one in broken) > 0.1:
        return None
    pairs = []
    for pair in combinations(columns, 2):
        a, b = values[pair[0]], values[pair[1]]
        if not a or not b or a == b or (pair[0] in of_days) != (pair[1] in of_days):
            continue
        if not all(_is_within(formulas.known[column], now) for column, now in zip(pair, (b, a), strict=True)):
            continue
        if any(own.get((row, column), 0.0) >= 1.5 for column in columns if column not in pair):
            continue
        if any(own.get((row, column), 0.0) <= -1.5 for column in pair):
            continue  # others say that it is right
        changed = list(values)
        changed[pair[0]], changed[pair[1]] = b, a
        asked = [one for one in formulas.found if set(pair) & set(one.formula.columns)]
        if all(one.formula.holds(changed) is not False for one in (*broken, *asked)):
            pairs.append(pair)
    return pairs[0] if len(pairs) == 1 else None


def _sure(found: FittedFormula) -> float:
    """Return how probable it is that an exception is an error: with many exceptions they may be meant."""
    exceptions = max(1e-6, 1 - found.holds)
    return min(0.98, max(0.3, USUAL * len(found.formula.columns) / exceptions))


def _kept(formulas: Formulas, values: Values, column: int, held: Set[int], repair: float | None) -> float:
    """Return what it speaks for a cell that it keeps to other formulas, which it would not if it were repaired.

    Where it is not told what should stand there, it speaks the more, the less these hold by chance. A wrong day is
    mostly near the right one, and has the same year and month all the same.
    """
    said = []
    for one in formulas.of[column]:
        if id(one) not in held or not values[column]:
            continue
        if repair is None or one.formula.kind is FormulaKind.PART:
            said.append(math.log(max(0.4 if one.formula.kind is FormulaKind.PART else 0.02, one.chance)))
            continue
        changed = list(values)
        changed[column] = repair
        said.append(0.0 if one.formula.holds(changed) else TWICE)
    return min(said) + 0.3 * (sum(said) - min(said)) if said else 0.0


def _voted(table: Sequence[TableColumn], asked: Sequence[Votes], row: int, column: int) -> float:
    """Return what columns that decide this one say of its cell."""
    said = 0.0
    for one in asked:
        pair = (table[one.dependency.determinant].codes[row], table[column].codes[row])
        if pair in one.against:
            said = max(said, min(3.5, one.against[pair][0] + 2.0))
        elif pair in one.support and said <= 0:
            said = min(said, max(-3.5, one.support[pair]))
    return said


def _repaired(
    formulas: Formulas, values: Values, column: int, broken: Sequence[FittedFormula], row: int
) -> tuple[float | None, float]:
    """Return what a cell should be for the formulas to hold, and what speaks for that it should."""
    measure = formulas.known[column]
    wanted: list[float] = []
    for one in broken:
        needed = one.formula.needed(values, column)
        if needed is None or not math.isfinite(needed):
            continue
        rounded = round(needed / measure.unit) * measure.unit if measure.unit else needed
        changed = list(values)
        changed[column] = rounded
        # Of formulas that round, several numbers may do: the one that all of them hold with is wanted.
        if one.formula.holds(changed) and all(other.formula.holds(changed) is not False for other in broken):
            likely = _plausible(measure, rounded)
            return rounded, likely + _alike(formulas, column, row, rounded) + 1.5 * (len(broken) - 1)
        wanted.append(rounded if one.formula.holds(changed) else needed)
    if not wanted:
        return None, -1.0
    return None, -3.0


def _plausible(measure: Measure, number: float) -> float:
    """Return whether a column could have a number: within its range, and among its values where these repeat."""
    said = 0.0 if _is_within(measure, number) else -2.5
    if measure.known and not measure.is_day:
        near = number in measure.known or round(number, 9) in measure.known
        said += 0.7 if near else -1.5
    return said


def _is_within(measure: Measure, number: float) -> bool:
    margin = 0.1 * (measure.high - measure.low)
    return measure.low - margin <= number <= measure.high + margin and not (measure.low >= 0 and number < 0)


def _alike(formulas: Formulas, column: int, row: int, number: float) -> float:
    """Return how easily one number is written for another: a digit or two neighbours, the sign, the decimal point."""
    measure = formulas.known[column]
    now = measure.by_code[formulas.table[column].codes[row]]
    if now is None or measure.is_day:
        return 0.0
    said = 0.0
    if measure.unit and abs(now / measure.unit - round(now / measure.unit)) > 1e-4:
        said += 2.0
    spread = measure.high - measure.low
    if not measure.low - spread / 2 <= now <= measure.high + spread / 2:
        said += 1.5
    if number and now and _is_slip(f"{now / number:.4g}"):
        return said + 2.5
    one, other = (f"{value:.9g}" for value in (now, number))
    digits = min(sum(sign.isdigit() for sign in text) for text in (one, other))
    if digits >= 3 and OSA.distance(one, other, score_cutoff=1) == 1:
        said += 1.5 if digits == 3 else 2.2
    return said


def _written(formulas: Formulas, column: int, number: float | None, row: int) -> str | None:
    """A number or day as the column writes it."""
    if number is None:
        return None
    measure = formulas.known[column]
    text = formulas.table[column].texts[formulas.table[column].codes[row]]
    if measure.is_day:
        if measure.unit != 1.0 or len(text) != 10:
            return None
        try:
            return date.fromordinal(int(number)).isoformat()
        except (ValueError, OverflowError):
            return None
    return f"{round(number, 9):.12g}"
