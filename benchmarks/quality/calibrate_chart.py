"""Fit the weights of the chart parser on the invented databases: `python -m benchmarks.quality.calibrate_chart`.

The score is a log-linear model of which reading of a question is right, fitted so that the right ones together are as
likely as can be. The confidence is a logistic regression of whether the best reading is right. Neither sees the
questions of strangers nor the held-out ones. What is printed as right was measured on databases that the fit had not
seen.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console

from benchmarks.quality.asking import NOW, Session, sets
from benchmarks.quality.calibrate_asking import Drafted, fit, reliability, told
from resolvers.engines.nl2sql.chart.drafter import ChartDrafter, Reading, judged, readings
from resolvers.engines.nl2sql.chart.scoring import FAVOURABLE, WEIGHTS, score
from resolvers.engines.nl2sql.drafter import understood
from resolvers.engines.nl2sql.model import Asked, QueryDraft

ROUNDS: Final = 2
"""How often questions are parsed anew with the weights fitted so far."""
_STEPS: Final = 150
_RATE: Final = 0.8
_RIDGE: Final = 0.01
_FOLDS: Final = 4


@dataclass(frozen=True, slots=True)
class Parsed:
    """A question with its readings, and which of them are right."""

    database: str
    readings: tuple[Reading, ...]
    right: tuple[bool, ...]


def parsed(console: Console, weights: Mapping[str, float]) -> list[Parsed]:
    """The invented questions that stand alone and have an answer, parsed with some weights."""
    found = []
    for loaded, questions in sets(None, console, ("invented",)):
        session = Session(ChartDrafter(), loaded.profiled())
        for question in questions:
            if question.earlier or not question.golds:
                continue
            linked = understood(Asked(question.text, NOW, ()), session.known, loaded.found)
            of = tuple(readings(linked, session.known, weights))
            right = tuple(session.is_right(question, QueryDraft(one.sql, "", 0, "")) for one in of)
            found.append(Parsed(question.database, of, right))
    return found


def fit_scores(rows: Sequence[Parsed], begin: Mapping[str, float] = WEIGHTS) -> dict[str, float]:
    """The weights that make the right readings likeliest, by gradient ascent; of questions that have one."""
    rows = [row for row in rows if any(row.right) and not all(row.right)]
    weights = dict(begin)
    for name in {name for row in rows for one in row.readings for name in one.features}:
        weights.setdefault(name, 0.0)
    for step in range(_STEPS):
        gradient = {name: -_RIDGE * weight for name, weight in weights.items()}
        for row in rows:
            chances = _chances([score(one.features, weights) for one in row.readings])
            mass = sum(chance for chance, right in zip(chances, row.right, strict=True) if right)
            for one, chance, right in zip(row.readings, chances, row.right, strict=True):
                slope = (chance / mass if right and mass else 0.0) - chance
                for name, value in one.features.items() if abs(slope) > 1e-6 else ():
                    gradient[name] += slope * value / len(rows)
        for name, slope in gradient.items():
            weights[name] += _RATE / (1 + step / 100) * slope
    return weights


def _chances(scores: Sequence[float]) -> list[float]:
    best = max(scores)
    raised = [math.exp(max(-50.0, one - best)) for one in scores]
    return [one / sum(raised) for one in raised]


def best_of(row: Parsed, weights: Mapping[str, float]) -> tuple[Drafted, bool] | None:
    """The best reading by some weights, as an answer of which it is known whether it is right; None without any."""
    if not row.readings:
        return None
    scored = [Reading(one.plan, one.sql, score(one.features, weights), one.features) for one in row.readings]
    order = sorted(range(len(scored)), key=lambda at: -scored[at].score)
    features = judged([scored[at] for at in order])
    right = row.right[order[0]]
    return Drafted(row.database, "invented", True, features, right), right


def report(console: Console) -> None:
    """Print the weights, and how they do on databases that they were not fitted on."""
    weights: Mapping[str, float] = WEIGHTS
    rows: list[Parsed] = []
    for _ in range(ROUNDS):
        rows = parsed(console, weights)
        now = [found[1] for row in rows if (found := best_of(row, weights))]
        offered = sum(any(row.right) for row in rows)
        console.print(f"{sum(now)} of {len(rows)} right as parsed, {offered} among readings")
        weights = fit_scores(rows, weights)
    databases = sorted({row.database for row in rows})
    crossed: list[tuple[float, bool]] = []
    for fold in range(_FOLDS):
        unseen = set(databases[fold::_FOLDS])
        seen = [row for row in rows if row.database not in unseen]
        fitted = fit_scores(seen, weights)
        sure = fit([found[0] for row in seen if (found := best_of(row, fitted))], FAVOURABLE)
        for row in rows:
            if row.database in unseen and (best := best_of(row, fitted)):
                crossed.append((told(best[0], sure), best[1]))
    sure = fit([found[0] for row in rows if (found := best_of(row, weights))], FAVOURABLE)
    for title, values in (("WEIGHTS", weights), ("CONFIDENCE", sure)):
        console.print(f"{title}: Final[Mapping[str, float]] = {{")
        for name, weight in sorted(values.items()):
            console.print(f'    "{name}": {weight:.2f},')
        console.print("}")
    reliability(console, "Each database by weights of others", crossed)
    console.print(f"right there: {sum(right for _, right in crossed)} of {len(rows)}")


if __name__ == "__main__":
    report(Console())
