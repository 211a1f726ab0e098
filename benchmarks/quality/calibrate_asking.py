"""Fit how sure an answer is to how often such answers are right, on questions of strangers and on ours.

A logistic regression over the features of `planner/alignment.py` and `planner/confidence.py`. Every feature tells
against an answer or for it, and is left out where the data says the contrary of what it should. What is printed as
right was measured on databases that the fit had not seen.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from rich.console import Console

from benchmarks.quality.asking import BINS, NOW, STRANGERS, Session, is_held_out, set_of, sets
from benchmarks.quality.calibrate import solve
from benchmarks.quality.databases import Loaded
from benchmarks.quality.questions import Question
from resolvers.engines.nl2sql.drafter import Planner, understood
from resolvers.engines.nl2sql.model import Asked, QueryDraft
from resolvers.engines.nl2sql.planner.choosing import candidates
from resolvers.engines.nl2sql.planner.confidence import FOR, WEIGHTS, features

RIDGE: Final = 2.0
OURS: Final = 0.7
"""What all our own questions weigh together beside those of strangers: they know our planner."""
FEWEST: Final = 12
"""Answers that must have a feature for it to be fitted."""
_STEPS: Final = 30


@dataclass(frozen=True, slots=True)
class Drafted:
    """The best reading of a question, and whether it is right."""

    database: str
    of: str
    is_ours: bool
    features: Mapping[str, float]
    is_right: bool
    weight: float = 1.0


async def drafted(loaded: Loaded, questions: Iterable[Question]) -> list[Drafted]:
    """The best readings of questions that stand alone, however sure the planner is of them. Where the data has no
    answer, all are wrong.
    """
    session, found = Session(Planner(), loaded), []
    for question in questions:
        if question.earlier:
            continue
        linked = understood(Asked(question.text, NOW, ()), session.known, loaded.found)
        best = next(iter(candidates(linked, session.known)[0]), None)
        if best is None or best.forbidden:
            continue
        right = session.is_right(question, QueryDraft(best.sql, "", 0, ""))
        of = set_of(question)
        found.append(Drafted(question.database, of, of != STRANGERS, dict(features(best)), right))
    return found


def fit(rows: Sequence[Drafted], favourable: Collection[str] = FOR) -> dict[str, float]:
    """The weights, the constant among them. A feature that would tell the contrary of what it should is left out:
    those that are favourable tell for an answer, all others against it.
    """
    seen = Counter(name for row in rows for name, value in row.features.items() if value)
    names = ["constant", *sorted(name for name, count in seen.items() if count >= FEWEST)]
    while True:
        weights = _fitted(rows, names)
        wrong = [name for name in names[1:] if (weights[name] > 0) != (name in favourable)]
        if not wrong:
            return weights
        names = [name for name in names if name not in wrong]


def _fitted(rows: Sequence[Drafted], names: Sequence[str]) -> dict[str, float]:
    vectors = [[1.0, *(row.features.get(name, 0.0) for name in names[1:])] for row in rows]
    width = len(names)
    weights = [0.0] * width
    for _ in range(_STEPS):
        gradient = [0.0, *(-RIDGE * weight for weight in weights[1:])]
        curve = [[RIDGE if row == at and row else 0.0 for at in range(width)] for row in range(width)]
        for vector, row in zip(vectors, rows, strict=True):
            chance = chance_of(sum(map(float.__mul__, weights, vector)))
            rest = row.weight * ((1.0 if row.is_right else 0.0) - chance)
            slope = row.weight * chance * (1 - chance)
            places = [at for at, value in enumerate(vector) if value]
            for one in places:
                gradient[one] += rest * vector[one]
                for two in places:
                    curve[one][two] += slope * vector[one] * vector[two]
        step = solve(curve, gradient)
        weights = [weight + change for weight, change in zip(weights, step, strict=True)]
        if max(map(abs, step)) < 1e-5:
            break
    return dict(zip(names, weights, strict=True))


def chance_of(total: float) -> float:
    """The logistic function."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def told(row: Drafted, weights: Mapping[str, float]) -> float:
    """How sure these weights are of a reading."""
    return chance_of(weights["constant"] + sum(weights.get(name, 0.0) * value for name, value in row.features.items()))


def weighed(rows: Sequence[Drafted]) -> list[Drafted]:
    """The rows, ours together weighing less than those of strangers."""
    strange = sum(not row.is_ours for row in rows)
    ours = OURS * strange / max(1, len(rows) - strange)
    return [replace(row, weight=ours if row.is_ours else 1.0) for row in rows]


def reliability(console: Console, title: str, found: Sequence[tuple[float, bool]]) -> None:
    """How often readings are right that are so sure."""
    console.print(f"{title}: {len(found)} readings")
    for low, high in pairwise(BINS):
        inside = [(sure, right) for sure, right in found if low <= sure < high]
        if inside:
            mean = sum(sure for sure, _ in inside) / len(inside)
            right = sum(right for _, right in inside) / len(inside)
            console.print(f"  {low:.1f} to {min(1.0, high):.1f}: said {mean:.2f}, right {right:.2f} of {len(inside)}")


def report(console: Console, folder: str | None) -> None:
    """Print the weights, and how they do on databases that they were not fitted on."""
    rows: list[Drafted] = []
    for loaded, questions in sets(None if folder is None else Path(folder), console):
        if not any(map(is_held_out, questions)) and loaded.tables:
            rows += asyncio.run(drafted(loaded.profiled(), questions))
    crossed: list[tuple[float, bool]] = []
    for database in sorted({row.database for row in rows if not row.is_ours}):
        weights = fit(weighed([row for row in rows if row.database != database]))
        crossed += [(told(row, weights), row.is_right) for row in rows if row.database == database]
    weights = fit(weighed(rows))
    console.print("WEIGHTS: Final = {")
    for name, weight in weights.items():
        console.print(f'    "{name}": {weight:.2f},')
    console.print("}")
    reliability(console, "Strangers' databases, each by weights of the others", crossed)
    ours = [row for row in rows if row.is_ours]
    reliability(console, "Ours, fitted on", [(told(row, weights), row.is_right) for row in ours])
    standing = [(told(row, WEIGHTS), row.is_right) for row in rows if not row.is_ours]
    reliability(console, "Strangers' databases, by the weights that stand", standing)
