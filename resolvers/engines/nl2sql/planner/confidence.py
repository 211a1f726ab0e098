"""How sure a reading is: by how well its words fit, by what casts doubt on it, and by the next best one."""

import math
from typing import TYPE_CHECKING, Final

from resolvers.engines.nl2sql.mention import Mention, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.planner.resolving import Choice, Resolver, Target

if TYPE_CHECKING:
    from resolvers.engines.nl2sql.planner.choosing import Candidate

BESIDE_DOUBT: Final = 2.0
"""Evidence above which there is next to no doubt: such answers are right 19 times of 20, the least doubt leaves 3 of 4.
Both were counted over questions to databases that nobody had tuned on when they were asked."""
NAMED_SO: Final = 0.85
"""How well `name` fits what names a row, where no column of its table is called so."""
TIED: Final = 1.2
"""What it costs that several tables fit words equally well, and none is called by all of them."""


def confidence(one: "Candidate", rival: "Candidate | None") -> float:
    """How often such a plan is right, 0 to 1."""
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
    weakest = min(scores, default=0.5)
    cost = sum(cost for _, cost in one.doubts)
    margin = min(0.3, one.score - rival.score) if rival is not None else 0.3
    tables = len(
        {choice.options[choice.taken][0] for choice in one.resolver.choices.values() if choice.kind == "table"}
    )
    facts = {
        "weakest": weakest,
        "cost": cost,
        "unknown": float(len(one.unknown)),
        "loose": float(len(one.loose)),
        "margin": margin,
        "tables": float(tables),
    }
    one.facts.update(facts)
    evidence = (
        2.2
        - 3.0 * cost
        - 1.9 * len(one.unknown)
        - 0.7 * one.facts["nouns"]
        - 0.9 * len(one.loose)
        - 3.0 * max(0.0, 0.85 - weakest)
        - 5.0 * max(0.0, 0.2 - max(margin, 0.0))
        - TIED * any(map(_is_tied, one.resolver.choices.values()))
    )
    evidence = 0.66 * evidence + 7.8 * max(0.0, evidence - BESIDE_DOUBT)
    return round(1 / (1 + math.exp(-evidence)), 3)


def _is_called(resolver: Resolver, span: tuple[int, int, str], target: Target) -> bool:
    """Whether `name` is said, and what names a row is taken for it."""
    said = resolver.cut.linked.words(*span[:2]) == ["name"]
    return said and isinstance(target, ColumnKey) and target in resolver.catalog.names(target.table)


def _is_namesake(mention: Mention, target: Target) -> bool:
    """Whether another table has a column of the same name, which is mentioned."""
    column = mention.column if mention.kind is MentionKind.COLUMN else None
    return column is not None and isinstance(target, ColumnKey) and column.column == target.column


def _is_tied(choice: Choice) -> bool:
    """Whether several tables are called by a part of the words, and nothing tells them apart."""
    if choice.kind != "table" or len(choice.options) < 2:
        return False
    (_, best), (_, second) = choice.options[:2]
    return best < 0.85 and best - second < 1e-9
