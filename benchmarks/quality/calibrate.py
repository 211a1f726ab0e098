"""Fit the weights of the score on made-up tables, and tell how well calibrated they are on others.

A logistic regression by Newton's method, in plain Python. A ridge draws the weights to those that stand, so that what
made-up tables happen to hold moves them little; those that were set by hand do not move at all.
"""

import math
from collections.abc import Sequence
from typing import Any

from benchmarks.quality.made import HELD_OUT, NOW, TUNED, cases
from resolvers.engines.recognition import weighed
from resolvers.engines.recognition.matching import matches
from resolvers.engines.recognition.model import ColumnValues, RecognizerMatch
from resolvers.engines.recognition.scoring import FIGURES
from resolvers.engines.recognition.weights import WEIGHTS

RIDGE = 6.0
FAST = frozenset({"shape", "name_weak", "comment", "key"})
"""Weights that are set by hand, see `weights.py`."""

Row = tuple[list[float], float]


def rows(locales: Sequence[str], seed: int, size: int = 120) -> list[Row]:
    """The figures of every candidate, and whether its tag is the column's."""
    found: list[Row] = []
    values_before: tuple[Any, ...] = ()
    matched: list[list[RecognizerMatch]] = []
    for case in cases(locales, seed, size):
        values = [[row[place] for row in case.sample.rows] for place in range(len(case.facts.columns))]
        columns = [ColumnValues(column, some) for column, some in zip(case.facts.columns, values, strict=True)]
        if case.sample.rows is not values_before:  # the same values come under several names
            values_before, matched = case.sample.rows, [matches(column, NOW) for column in columns]
        for column, some in zip(columns, weighed(case.facts, columns, values_before, matched, NOW), strict=True):
            label = case.labels[column.facts.name]
            found += [([1.0, *(one.figures[figure] for figure in FIGURES)], float(one.tag == label)) for one in some]
    return found


def standing() -> list[float]:
    """The weights that stand, the constant first."""
    return [WEIGHTS[name] for name in ("constant", *FIGURES)]


def fit(found: Sequence[Row], steps: int = 25) -> list[float]:
    """The weights, the constant first."""
    prior = standing()
    ridge = [1e9 if name in FAST else RIDGE for name in ("constant", *FIGURES)]
    width, weights = len(prior), list(prior)
    for _ in range(steps):
        gradient = [-pull * (weight - to) for pull, weight, to in zip(ridge, weights, prior, strict=True)]
        curve = [[ridge[row] if row == column else 0.0 for column in range(width)] for row in range(width)]
        for figures, label in found:
            chance = _logistic(sum(map(float.__mul__, weights, figures)))
            rest, slope = label - chance, chance * (1 - chance)
            places = [place for place, value in enumerate(figures) if value]
            for one in places:
                gradient[one] += rest * figures[one]
                for two in places:
                    curve[one][two] += slope * figures[one] * figures[two]
        step = solve(curve, gradient)
        weights = [weight + change for weight, change in zip(weights, step, strict=True)]
        if max(map(abs, step)) < 1e-6:
            break
    return weights


def _logistic(total: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def solve(matrix: list[list[float]], vector: list[float]) -> list[float]:
    """The solution of linear equations, by Gauss with pivots."""
    size = len(vector)
    work = [[*row, value] for row, value in zip(matrix, vector, strict=True)]
    for place in range(size):
        best = max(range(place, size), key=lambda row: abs(work[row][place]))
        work[place], work[best] = work[best], work[place]
        for row in range(place + 1, size):
            factor = work[row][place] / work[place][place]
            for column in range(place, size + 1):
                work[row][column] -= factor * work[place][column]
    answer = [0.0] * size
    for place in range(size - 1, -1, -1):
        rest = sum(work[place][column] * answer[column] for column in range(place + 1, size))
        answer[place] = (work[place][size] - rest) / work[place][place]
    return answer


def reliability(found: Sequence[Row], weights: Sequence[float]) -> tuple[float, list[tuple[float, float, int]]]:
    """The expected calibration error, and for ten classes of confidence what was said, what was right, how many."""
    classes: list[list[tuple[float, float]]] = [[] for _ in range(10)]
    for figures, label in found:
        chance = _logistic(sum(map(float.__mul__, list(weights), figures)))
        classes[min(9, int(10 * chance))].append((chance, label))
    table = [
        (sum(c for c, _ in some) / len(some), sum(label for _, label in some) / len(some), len(some))
        for some in classes
        if some
    ]
    error = sum(abs(said - right) * number for said, right, number in table) / max(1, len(found))
    return error, table


def main() -> None:
    """Print the weights and how they do."""
    tuned = [row for seed in (1, 2) for row in rows(TUNED, seed)]
    weights = fit(tuned)
    print("WEIGHTS: Final = {")
    for name, weight in zip(("constant", *FIGURES), weights, strict=True):
        print(f'    "{name}": {weight:.2f},')
    print("}")
    held_out = rows(HELD_OUT, 101)
    for what, found, those in (
        ("fitted on", tuned, weights),
        ("held out", held_out, weights),
        ("held out, as they stand", held_out, standing()),
    ):
        error, table = reliability(found, those)
        print(f"{what}: {len(found)} candidates, expected calibration error {error:.3f}")
        for said, right, number in table:
            print(f"  said {said:.2f}  right {right:.2f}  of {number}")


if __name__ == "__main__":
    main()
