"""How sure a reading is: a log-linear model over named features of it, its question and the next best one.

The weights are fitted: `make quality ARGS='--asking --calibrate --databases FOLDER'` prints them anew, and how often
readings are right that are so sure, on databases that the fit had not seen.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from resolvers.engines.nl2sql.mention import Mention, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.planner.resolving import Choice, Resolver, Target

if TYPE_CHECKING:
    from resolvers.engines.nl2sql.planner.choosing import Candidate

NAMED_SO: Final = 0.85
"""How well `name` fits what names a row, where no column of its table is called so."""
NOT_KNOWN: Final = 0.65
"""How often a reading is wrong that leaves out a noun which nothing in the data stands for."""
PASSED_OVER: Final = 0.3
"""The same of any other word."""
TIED: Final = 0.65
"""The same where several tables fit words equally well, and none is called by all of them."""
TIMES_OF_OTHERS: Final = 0.5
"""The same where rows are chosen by a time of others that nothing names: six of the eight that were met were wrong."""
HELD_TWICE: Final = 0.25
"""The same where a value is held by columns of two tables."""
COUNTS_OTHERS: Final = 0.3
"""The same where what is counted is named by a value, and rows are counted that do not hold it."""
ROWS_AS_VALUE: Final = 0.3
"""The same where a word that calls the rows of a table is taken for a value of another."""
_FARTHEST: Final = 0.3
"""A reading that is so much less likely than another says nothing against it."""
_SAME: Final = 1e-6
"""How far the scores of two readings lie apart that are as likely."""
_MOST: Final = 3.0
"""From here on more of a feature tells no more."""

FOR: Final = frozenset(("score", "margin", "weakest"))
"""The features that speak for a reading; all others speak against it."""
WEIGHTS: Final[Mapping[str, float]] = {
    "constant": 0.23,
    "conjunctions": -0.10,
    "cost": -0.72,
    "joins": -0.10,
    "loose": -0.93,
    "loose_fit": -0.09,
    "lost_figures": -0.64,
    "lost_groups": -0.64,
    "lost_nouns": -0.06,
    "lost_verbs": -0.85,
    "margin": 0.03,
    "names_beside": -0.53,
    "nouns": -0.80,
    "passed_verbs": -0.38,
    "rivals": -0.76,
    "score": 1.74,
    "selects": -0.11,
    "unknown": -0.98,
    "weakest": 0.85,
    "words": -0.49,
}
"""What each feature weighs. Those of `alignment.py` are counts of gaps between question and query."""


def features(one: "Candidate") -> Mapping[str, float]:
    """The features of a reading, once it was ranked."""
    return {name: min(value, _MOST) for name, value in one.facts.items()}


def confidence(one: "Candidate", rival: "Candidate | None", rivals: int = 0) -> float:
    """How often such a reading is right, 0 to 1. `rival` is the next best one of so many."""
    one.facts.update(
        weakest=_weakest(one),
        cost=sum(cost for _, cost in one.doubts),
        unknown=float(len(one.unknown)),
        loose=float(len(one.loose)),
        score=one.score,
        margin=min(_FARTHEST, one.score - rival.score) if rival is not None else _FARTHEST,
        rivals=float(rivals),
        tied=float(_is_tossed_up(one, rival) or any(map(_is_tied, one.resolver.choices.values()))),
    )
    evidence = WEIGHTS["constant"]
    evidence += sum(WEIGHTS.get(name, 0.0) * value for name, value in features(one).items())
    return round(max(0.0, min(1 / (1 + math.exp(-evidence)), 1 - _doubted(one.facts))), 3)


def _doubted(facts: Mapping[str, float]) -> float:
    """How often such a reading is wrong at least, whatever else speaks for it."""
    told = max(
        NOT_KNOWN * bool(facts["nouns"]),
        TIMES_OF_OTHERS * facts["times_of_others"],
        HELD_TWICE * facts["values_twice"],
        COUNTS_OTHERS * facts["counts_others"],
        ROWS_AS_VALUE * facts["rows_as_value"],
    )
    return max(told, facts["cost"] + PASSED_OVER * facts["unknown"] + TIED * facts["tied"])


def _weakest(one: "Candidate") -> float:
    """How well the words fit that fit least."""
    scores: list[float] = []
    for key, choice in one.resolver.choices.items():
        target = choice.options[choice.taken][0]
        over = one.resolver.cut.over(key[:2])
        fits = [each.score for each in over if target in (each.table, each.column)]
        # Of columns that are called the same only the first ones are mentioned.
        fits = fits or [each.score for each in over if _is_namesake(each, target)]
        if not fits and choice.kind == "value":  # held by a column that is not mentioned, as its profile tells
            fits = [each.score for each in over if each.kind is MentionKind.VALUE]
        scores.append(max(fits, default=NAMED_SO if _is_called(one.resolver, key, target) else 0.5))
    return min(scores, default=0.5)


def _is_called(resolver: Resolver, span: tuple[int, int, str], target: Target) -> bool:
    """Return whether `name` is said, and what names a row is taken for it."""
    said = resolver.cut.linked.words(*span[:2]) == ["name"]
    return said and isinstance(target, ColumnKey) and target in resolver.catalog.names(target.table)


def _is_namesake(mention: Mention, target: Target) -> bool:
    """Return whether another table has a column of the same name, which is mentioned."""
    column = mention.column if mention.kind is MentionKind.COLUMN else None
    return column is not None and isinstance(target, ColumnKey) and column.column == target.column


def _is_tossed_up(one: "Candidate", rival: "Candidate | None") -> bool:
    """Return whether a figure is as likely one of another table: strikeouts, of those who bat and of those
    who pitch.
    """
    if rival is None or abs(one.score - rival.score) > _SAME:
        return False
    catalog = one.resolver.catalog
    for place, choice in one.resolver.choices.items():
        taken, other = choice.options[choice.taken][0], rival.resolver.choices.get(place)
        instead = other.options[other.taken][0] if other is not None else None
        if isinstance(taken, ColumnKey) and isinstance(instead, ColumnKey) and taken.table != instead.table:
            return choice.kind == "column" and catalog.is_measure(taken) and catalog.is_measure(instead)
    return False


def _is_tied(choice: Choice) -> bool:
    """Return whether several tables are called by a part of the words, and nothing tells them apart."""
    if choice.kind != "table" or len(choice.options) < 2:
        return False
    (_, best), (_, second) = choice.options[:2]
    return best < 0.85 and best - second < 1e-9
