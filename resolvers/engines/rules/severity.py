"""How bad breaking a rule is, which has to be earned.

High is what is certain to be wrong or lost: a declared constraint that is broken, and a load that stopped. What was
concluded from data is at most medium, since it may be the conclusion that is wrong, until the same was concluded from
two profiles of different moments; and then keys, references and the age of data alone.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from resolvers.engines.rules.draft import RuleDraft
from schema.data_readiness.violation import Severity

ENOUGH: Final = 2
"""How many profiles a conclusion must have held in."""

GROWING: Final = frozenset({"duplicateValues", "brokenReferences", "staleData"})
"""The metrics whose breach is bad once the rule is sure."""


def of_declared(is_declared: bool) -> Severity:
    """Return how bad it is to break what would be a constraint."""
    return Severity.HIGH if is_declared else Severity.MEDIUM


def earned(draft: RuleDraft, before: Mapping[str, Any] | None) -> RuleDraft:
    """The draft with the number of profiles that it held in, and the severity that it has earned by that.

    `before` is the evidence that the standing rule was concluded from, None for a new conclusion.
    """
    if draft.evidence.get("is_declared") or draft.metric not in GROWING:
        return draft
    held = 1
    if before is not None:
        held = int(before.get("held_in") or 1)
        held += before.get("measured_at") != draft.evidence.get("measured_at")
    grown = held >= ENOUGH and draft.severity is Severity.MEDIUM
    severity = Severity.HIGH if grown else draft.severity
    return replace(draft, severity=severity, evidence={**draft.evidence, "held_in": held})
