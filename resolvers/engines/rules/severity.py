"""How bad breaking a rule is, which has to be earned.

High is what is certain to be wrong or lost: a declared constraint that is broken, and a load that stopped. What was
concluded from data is at most medium, since it may be the conclusion that is wrong, until the same was concluded from
two profiles of different moments; and then keys, references and the age of data alone. Suspect cells are as bad as
their share of a table.
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


SOME, MANY = 0.01, 0.05
"""Shares of a table's cells from which wrong ones are medium, and high where they are nearly sure.

Of clean tables of strangers none had 2 cells in 100 that were nearly sure.
"""


def of_suspects(cells: int, expected: float, sure: int, *, stood_before: bool) -> Severity:
    """Return how bad a table's suspect cells are: by how many are expected to be wrong, of all that were looked at.

    High takes cells that are nearly sure, in two runs.
    """
    if stood_before and sure >= MANY * cells:
        return Severity.HIGH
    return Severity.MEDIUM if expected >= SOME * cells else Severity.LOW


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
