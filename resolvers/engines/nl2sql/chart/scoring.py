"""The log-linear score of a derivation, and how sure its query is: both over the same named features.

The weights are fitted on the invented databases: `python -m benchmarks.quality.calibrate_chart` prints them anew.
"""

import math
from collections.abc import Mapping
from typing import Final

WEIGHTS: Final[Mapping[str, float]] = {
    "asked_again": 0.12,
    "assumed_columns": -0.32,
    "assumed_tables": -1.11,
    "bare_entities": 0.50,
    "bare_rows": -0.36,
    "counted": 0.27,
    "counted_values": -0.78,
    "denied": 0.53,
    "existing": 0.63,
    "extreme": -0.51,
    "far": -0.61,
    "grouped": 0.06,
    "joint": 0.38,
    "lost_names": -0.26,
    "lost_nouns": -1.67,
    "lost_signals": -2.48,
    "lost_values": -1.17,
    "lost_verbs": -0.81,
    "lost_words": -0.67,
    "named_values": 0.35,
    "nested": 0.17,
    "open_columns": -0.16,
    "ranked": 0.73,
    "rules": -0.20,
    "segments": 0.52,
    "small_words": -1.12,
    "unfit": -2.30,
    "unsaid_orders": -0.01,
}
"""What each feature adds to the score of a derivation; 0 for those that are not named."""
CONFIDENCE: Final[Mapping[str, float]] = {
    "assumed_columns": -0.20,
    "assumed_tables": -0.42,
    "bare_entities": -0.08,
    "bare_rows": -0.42,
    "constant": 2.34,
    "counted": -0.32,
    "far": -0.00,
    "joint": -0.86,
    "lost_nouns": -0.82,
    "lost_signals": -1.86,
    "lost_values": -0.74,
    "lost_verbs": -0.19,
    "lost_words": -1.12,
    "margin": 0.22,
    "named_values": 0.61,
    "rules": -0.04,
    "share": 0.41,
    "small_words": -0.25,
    "unfit": -1.86,
}
"""What each feature adds to the log-odds that a query is right."""
FAVOURABLE: Final = frozenset(("margin", "share", "named_values"))
"""The features that speak for a query; all others speak against it."""
MOST: Final = 3.0
"""From here on more of a feature tells no more."""


def score(features: Mapping[str, float], weights: Mapping[str, float] = WEIGHTS) -> float:
    """How well a derivation does, to be compared with others of the same question."""
    return sum(weights.get(name, 0.0) * value for name, value in features.items())


def confidence(features: Mapping[str, float], weights: Mapping[str, float] = CONFIDENCE) -> float:
    """How often such a query is right, 0 to 1."""
    evidence = weights["constant"]
    evidence += sum(weights.get(name, 0.0) * min(value, MOST) for name, value in features.items())
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, evidence)))), 3)
