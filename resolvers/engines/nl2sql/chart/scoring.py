"""The log-linear score of a derivation, and how sure its query is: both over the same named features.

The weights are fitted on the invented databases: `python -m benchmarks.quality.calibrate_chart` prints them anew.
"""

import math
from collections.abc import Mapping
from typing import Final

WEIGHTS: Final[Mapping[str, float]] = {
    "asked_again": 0.12,
    "asked_which": -0.56,
    "asked_who": -0.37,
    "assumed_columns": -0.29,
    "assumed_tables": -0.91,
    "bare_entities": 0.70,
    "bare_figures": 0.16,
    "bare_rows": -0.37,
    "combined": 0.07,
    "counted": 0.11,
    "counted_values": -0.73,
    "denied": 0.71,
    "existing": 0.55,
    "extreme": -0.43,
    "far": -0.74,
    "grouped": 0.24,
    "joint": 0.21,
    "lost_names": -0.27,
    "lost_nouns": -1.74,
    "lost_signals": -2.51,
    "lost_values": -0.93,
    "lost_verbs": -0.78,
    "lost_words": -0.75,
    "named_counts": 0.04,
    "named_values": 0.32,
    "nested": 0.34,
    "never_so": -0.44,
    "open_columns": -0.16,
    "ranked": 0.54,
    "rows_apart": 0.22,
    "rules": -0.20,
    "said_as_or": -0.34,
    "segments": 0.62,
    "small_words": -1.07,
    "unfit": -2.36,
    "unquoted": -0.03,
    "unsaid_orders": -0.11,
    "verbs": -0.17,
}
"""What each feature adds to the score of a derivation; 0 for those that are not named."""
CONFIDENCE: Final[Mapping[str, float]] = {
    "asked_again": -0.01,
    "asked_which": -0.21,
    "asked_who": -0.28,
    "assumed_tables": -0.11,
    "bare_entities": -0.43,
    "bare_rows": -0.42,
    "combined": -0.07,
    "constant": 2.04,
    "counted": -0.15,
    "extreme": -1.02,
    "far": -0.24,
    "joint": -0.60,
    "lost_nouns": -0.59,
    "lost_signals": -1.43,
    "lost_values": -1.14,
    "lost_verbs": -0.12,
    "lost_words": -1.11,
    "margin": 0.19,
    "named_counts": -0.19,
    "named_values": 0.83,
    "share": 0.80,
    "small_words": -0.23,
    "unfit": -1.70,
    "verbs": -0.08,
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
