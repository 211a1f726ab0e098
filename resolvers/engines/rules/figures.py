"""Defines how sure a rule is, from how many rows speak for it and how many against.

`upper_bound` is the share of rows below which the true share of exceptions lies with 95 % probability: 3/n when none of
n rows is one (the rule of three), else the upper end of Wilson's interval. A rule is learned on one half of the rows
and tried on the other; the exceptions that count are those of the other half. Then

    expected false-positive rate = upper_bound(exceptions in the other half, rows of the other half)
    confidence = how often rules of the kind are meant * (1 - expected false-positive rate)

where the first factor is 1 for what the source declares, and else the kind's own figure below.
"""

import math
from typing import Final

_Z: Final = 1.6448536269514722
"""One-sided 95 %."""

MEANT: Final = {
    "rowCount": 0.98,
    "nullValues": 0.95,
    "missingValues": 0.95,
    "duplicateValues": 0.9,
    "validValues": 0.9,
    "pattern": 0.92,
    "format": 0.97,
    "range": 0.85,
    "outlierValues": 0.8,
    "inconsistentRows": 0.9,
    "brokenReferences": 0.9,
    "staleData": 0.7,
    "nearDuplicates": 0.7,
    "suspectValues": 0.8,
    "brokenFormulas": 0.93,
}
"""How probable it is that what all rows show is meant, and not how the data happen to be, by kind of rule."""


def upper_bound(exceptions: int, rows: int) -> float:
    """The share of exceptions is below this with 95 % probability."""
    if rows <= 0:
        return 1.0
    if exceptions == 0:
        return min(1.0, 3 / rows)
    share = exceptions / rows
    middle = share + _Z**2 / (2 * rows)
    margin = _Z * math.sqrt(share * (1 - share) / rows + _Z**2 / (4 * rows**2))
    return min(1.0, (middle + margin) / (1 + _Z**2 / rows))


def confidence(kind: str, false_positive_rate: float, *, is_declared: bool = False) -> float:
    """Return how sure it is that a rule of a kind is meant, 0 to 1."""
    meant = 1.0 if is_declared else MEANT[kind]
    return round(max(0.0, meant * (1 - false_positive_rate)), 4)


def tolerated(share_bound: float) -> float:
    """Percent of exceptions that a rule allows: the bound and half as much again, rounded up to a half percent."""
    return math.ceil(share_bound * 150 * 2) / 2
