"""The drafter that needs no model: link, plan, choose, write."""

import re
from collections.abc import Sequence
from typing import Any, Final

from resolvers.engines.nl2sql.linking import link
from resolvers.engines.nl2sql.mention import Linked
from resolvers.engines.nl2sql.model import (
    Asked,
    Clarification,
    Draft,
    Failure,
    Knowledge,
    Lookup,
    Outcome,
    Reading,
    Unanswerable,
)
from resolvers.engines.nl2sql.planner.choosing import Candidate, Failed, candidates
from resolvers.engines.nl2sql.vocabulary import Vocabulary
from resolvers.engines.nl2sql.wording import said

NAME: Final = "planner/1"
ENOUGH: Final = 0.35
"""How sure a draft must be to be given."""


class Planner:
    """Drafts by understanding the question with the catalog; the same question always leads to the same draft."""

    name = NAME

    async def draft(self, asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
        """The best way to answer."""
        return self._draft(asked, known, lookup, ())

    async def repair(self, asked: Asked, known: Knowledge, failures: Sequence[Failure], lookup: Lookup) -> Outcome:
        """Another way, after those that failed."""
        return self._draft(asked, known, lookup, [failure.draft.sql for failure in failures])

    def _draft(self, asked: Asked, known: Knowledge, lookup: Lookup, failed: Sequence[str]) -> Outcome:
        linked = link(plain_text(asked.text), Vocabulary.of(known), asked.now, lookup)
        found, troubles = candidates(linked, known)
        found = [one for one in found if one.sql not in failed]
        if not found:
            return _nothing(linked, known, troubles)
        return _outcome(found, known)


def plain_text(text: str) -> str:
    """The question with what is said short written out: `first and last names`."""
    return _IDS.sub("id", _SHORT.sub(r"\1 name and \2 name", text))


_IDS: Final = re.compile(r"\b(?:ids|IDs|Ids)\b")
_SHORT: Final = re.compile(r"\b(first|given|last) and (last|family|middle|first) names?\b", re.IGNORECASE)


def _nothing(linked: Linked, known: Knowledge, troubles: Sequence[Failed]) -> Outcome:
    reason = troubles[0].reason if troubles else "Nothing in the question names anything in the data."
    return Unanswerable(reason)


def _outcome(found: Sequence[Candidate], known: Knowledge) -> Outcome:
    best = found[0]
    if best.confidence < ENOUGH:
        if best.unknown:
            words = ", ".join(f"“{word}”" for word in best.unknown)
            return Unanswerable(f"Nothing in the data stands for {words}.", best.unknown)
        readings = tuple(Reading(said(one.plan, known), one.sql) for one in found[:4])
        return Clarification("The question can be understood in several ways.", readings)
    evidence: dict[str, Any] = {
        "unexplained": list(best.unknown),
        "unplaced": list(best.loose),
        "doubts": [why for why, _ in best.doubts],
    }
    return Draft(
        best.sql,
        said(best.plan, known),
        best.confidence,
        NAME,
        best.plan,
        tuple(sorted(best.resolver.memories)),
        evidence,
    )
