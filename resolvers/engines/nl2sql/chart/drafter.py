"""The drafter that parses with the chart: lattice, chart, plans, queries, and how sure the best of them is."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from resolvers.engines.nl2sql.chart.binding import Ground, plus
from resolvers.engines.nl2sql.chart.chart import Chart
from resolvers.engines.nl2sql.chart.composing import composed
from resolvers.engines.nl2sql.chart.grammar import GOAL, GRAMMAR
from resolvers.engines.nl2sql.chart.lattice import segments, skips
from resolvers.engines.nl2sql.chart.scoring import WEIGHTS, confidence, score
from resolvers.engines.nl2sql.drafter import understood
from resolvers.engines.nl2sql.joining.joins import Ambiguous, Unjoinable
from resolvers.engines.nl2sql.mention import Linked
from resolvers.engines.nl2sql.model import (
    Asked,
    Clarification,
    DraftFailure,
    Interpretation,
    Knowledge,
    Lookup,
    Outcome,
    QueryDraft,
    Unanswerable,
)
from resolvers.engines.nl2sql.paraphrase import said
from resolvers.engines.nl2sql.plan import Plan
from resolvers.engines.nl2sql.planner.catalog import Catalog, catalog_of
from resolvers.engines.nl2sql.planner.ways import ranked, with_way
from resolvers.engines.nl2sql.sql_writing.comparing import Unwritable
from resolvers.engines.nl2sql.sql_writing.query import written

NAME: Final = "chart/1"
MOST_WORDS: Final = 60
"""Words of a question that is parsed; longer ones are not."""
MOST_READINGS: Final = 4
ENOUGH: Final = 0.4
"""How sure a reading must be to be taken."""
FARTHEST: Final = 4.0
"""A margin beyond which another reading casts no doubt."""


@dataclass(slots=True)
class Reading:
    """A derivation of the whole question, with the query that it leads to."""

    plan: Plan
    sql: str
    score: float
    features: Mapping[str, float] = field(default_factory=dict)


def readings(linked: Linked, known: Knowledge, weights: Mapping[str, float] = WEIGHTS) -> list[Reading]:
    """The readings of a question, the best first, each query once."""
    catalog = catalog_of(known)
    ground = Ground(catalog)
    size = len(linked.tokens)
    if not size or size > MOST_WORDS:
        return []
    chart = Chart(size, segments(linked), GRAMMAR, ground, weights).parse()
    before = _before(skips(linked))
    found: list[tuple[float, Plan, Mapping[str, float]]] = []
    for first, goal in chart.goals(GOAL):
        made = composed(goal.piece, ground)
        if made is not None:
            plan, more = made
            features = plus(goal.all_features(), before[first], more)
            found.append((score(features, weights), plan, features))
    found.sort(key=lambda one: -one[0])
    made_of: dict[str, Reading] = {}
    for total, plan, told in found[: 3 * MOST_READINGS]:
        for one, sql in _written(plan, catalog, linked):
            made_of.setdefault(sql, Reading(one, sql, total, told))
    return list(made_of.values())


def _before(skipped: Sequence[str]) -> list[dict[str, float]]:
    """The features of skipping all words before each place."""
    found: list[dict[str, float]] = [{}]
    for name in skipped:
        found.append(plus(found[-1], {name: 1.0}))
    return found


def _written(plan: Plan, catalog: Catalog, linked: Linked) -> Iterator[tuple[Plan, str]]:
    """The query of a plan; where its tables belong together in several ways, along the one that words speak for."""
    dialect = catalog.known.dialect
    try:
        yield plan, written(plan, catalog.known, catalog.joins).sql(dialect)
    except Ambiguous as error:
        for way, _ in ranked(catalog, error.ways, linked.words())[:2]:
            for one in with_way(plan, way):
                try:
                    yield one, written(one, catalog.known, catalog.joins).sql(dialect)
                    break
                except (Ambiguous, Unwritable, Unjoinable):
                    continue
    except (Unwritable, Unjoinable):
        return


def judged(found: Sequence[Reading]) -> Mapping[str, float]:
    """The features of the best reading, with the margin to the next, and its share of the likelihood of all."""
    best = found[0].score
    margin = best - found[1].score if len(found) > 1 else FARTHEST
    share = 1 / sum(math.exp(max(-50.0, one.score - best)) for one in found)
    joins = found[0].sql.count(" JOIN ")
    return {**found[0].features, "margin": min(FARTHEST, margin), "share": share, "joins": float(joins)}


class ChartDrafter:
    """Drafts by parsing; it reads questions that stand alone."""

    name = NAME

    async def draft(self, asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
        """The best reading."""
        return self._draft(asked, known, lookup, ())

    async def repair(self, asked: Asked, known: Knowledge, failures: Sequence[DraftFailure], lookup: Lookup) -> Outcome:
        """The next best reading after those that failed."""
        return self._draft(asked, known, lookup, [one.draft.sql for one in failures])

    def _draft(self, asked: Asked, known: Knowledge, lookup: Lookup, failed: Sequence[str]) -> Outcome:
        if asked.earlier:
            return Unanswerable("Only questions that stand alone are parsed.")
        found = [one for one in readings(understood(asked, known, lookup), known) if one.sql not in failed]
        if not found:
            return Unanswerable("No rules cover the question.")
        features = judged(found)
        sure = confidence(features)
        evidence = {"features": dict(features), "score": round(found[0].score, 3)}
        if sure < ENOUGH:
            told = tuple(Interpretation(said(one.plan, known), one.sql, one.plan) for one in found[:MOST_READINGS])
            return Clarification("Which of these is meant?", told, evidence)
        best = found[0]
        return QueryDraft(best.sql, said(best.plan, known), sure, NAME, best.plan, evidence=evidence)
