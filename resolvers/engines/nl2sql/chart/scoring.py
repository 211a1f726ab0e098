"""The log-linear score of a derivation, and how sure its query is: both over the same named features.

The weights are fitted on the invented databases: `python -m benchmarks.quality.calibrate_chart` prints them anew.
"""

import math
from collections.abc import Mapping
from typing import Final

WEIGHTS: Final[Mapping[str, float]] = {
    "added_up": 0.05,
    "asked_again": 0.08,
    "asked_which": -0.73,
    "asked_who": -0.45,
    "assumed_columns": -0.23,
    "assumed_tables": -0.79,
    "bare_entities": 0.56,
    "bare_figures": 0.25,
    "bare_rows": -0.34,
    "combined": 0.02,
    "counted": -0.02,
    "counted_values": -0.66,
    "denied": 0.68,
    "existing": 0.54,
    "extreme": -0.40,
    "far": -0.72,
    "grouped": 0.22,
    "joint": 0.20,
    "lost_names": -0.26,
    "lost_nouns": -1.66,
    "lost_signals": -2.54,
    "lost_values": -0.82,
    "lost_verbs": -0.87,
    "lost_words": -0.72,
    "mixed": -0.65,
    "named_counts": 0.03,
    "named_values": 0.29,
    "nested": 0.31,
    "never_so": -0.54,
    "numbered": -0.23,
    "open_columns": -0.11,
    "ranked": 0.53,
    "rows_apart": 0.28,
    "rules": -0.16,
    "said_as_or": -0.44,
    "segments": 0.54,
    "small_words": -1.22,
    "unfit": -2.33,
    "unquoted": -0.05,
    "unsaid_orders": -0.15,
    "verbs": -0.20,
}
"""What each feature adds to the score of a derivation; 0 for those that are not named."""
CONFIDENCE: Final[Mapping[str, float]] = {
    "asked_again": -0.33,
    "asked_which": -0.13,
    "asked_who": -0.56,
    "assumed_tables": -0.19,
    "bare_rows": -0.42,
    "combined": -0.16,
    "constant": 1.99,
    "counted": -0.25,
    "far": -0.29,
    "joint": -0.60,
    "lost_nouns": -0.41,
    "lost_signals": -1.27,
    "lost_values": -0.83,
    "lost_verbs": -0.19,
    "lost_words": -1.01,
    "margin": 0.27,
    "named_counts": -0.22,
    "named_values": 0.62,
    "open_columns": -0.02,
    "ranked": -0.19,
    "rules": -0.01,
    "share": 0.77,
    "small_words": -0.14,
    "unfit": -1.65,
    "verbs": -0.03,
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
