"""A draft is a quality rule before it is kept: everything but ids, states and who made it when.

What stays the same of a rule when its figures are measured anew is its key: the asset, the metric, and what tells two
rules of one metric on one asset apart (the columns of a key, not the bounds of a range). A later run that concludes the
same has the same key, and so updates the rule instead of adding a second.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from schema.data_readiness.quality_builtin import METRICS
from schema.data_readiness.rule import RuleOperator, RuleType, RuleUnit
from schema.data_readiness.violation import Severity

LONGEST_NAME: Final = 255

_BY_NAME: Final = {metric.name: metric for metric in METRICS}

MEASURES: Final[dict[str, str]] = {
    "rowCount": "non_missing_values",
    "nullValues": "non_null_values",
    "missingValues": "non_missing_values",
    "invalidValues": "valid_values",
    "duplicateValues": "unique_values",
    "brokenReferences": "valid_references",
    "inconsistentRows": "consistent_rows",
    "staleData": "fresh_data",
    "outlierValues": "plausible_values",
    "nearDuplicates": "unique_values",
    "suspectValues": "plausible_values",
    "brokenFormulas": "consistent_rows",
}
"""The built-in metric definition that each metric of a rule is counted in."""

_APART: Final[dict[str, tuple[str, ...]]] = {
    "invalidValues": ("format",),
    "duplicateValues": ("properties",),
    "brokenReferences": ("columns", "targetFqn", "targetColumns"),
    "inconsistentRows": ("determinant", "dependent"),
    "staleData": ("column",),
    "nearDuplicates": ("columns",),
    "brokenFormulas": ("formula", "result", "columns", "rate", "added", "part"),
}
"""The arguments that tell two rules of one metric on one asset apart."""

_SORTED: Final = frozenset({"properties", "determinant"})
"""The arguments whose order means nothing."""


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """Holds what is expected of a table or column."""

    name: str
    description: str | None
    asset_fqn: str
    resource_uri: str
    type: RuleType
    metric: str | None
    operator: RuleOperator
    threshold: tuple[float, ...]
    unit: RuleUnit
    dimension_id: str
    metric_definition_id: str
    severity: Severity
    arguments: dict[str, Any] = field(default_factory=dict)
    query: str | None = None
    evidence: dict[str, Any] = field(default_factory=dict)
    confidence: float | None = None
    """How sure it is that the rule is meant, 0 to 1; None when a person or a file says so."""
    expected_false_positive_rate: float | None = None
    """The share of good rows that the rule is expected to blame."""

    @property
    def key(self) -> str:
        """Return what the same conclusion always has, as a UUID; another asset, metric or set of columns has
        another.
        """
        return rule_key(self.asset_fqn, self.type, self.metric, self.arguments, self.query)


def rule_key(
    asset_fqn: str, type_: RuleType, metric: str | None, arguments: dict[str, Any], query: str | None = None
) -> str:
    """The key of a rule that is kept, so that a draft can be compared with it."""
    apart: dict[str, Any] = {}
    if metric is None:
        apart["query"] = " ".join((query or "").split())
    else:
        for name in _APART.get(metric, ()):
            value = arguments.get(name)
            apart[name] = sorted(map(str, value)) if name in _SORTED and isinstance(value, list) else value
        if metric == "invalidValues":
            apart["by"] = next((name for name in ("validValues", "pattern", "format") if name in arguments), "range")
    text = json.dumps([asset_fqn, type_.value, metric, apart], sort_keys=True, default=str)
    return str(uuid5(NAMESPACE_URL, f"stoa:rule:{hashlib.sha256(text.encode()).hexdigest()}"))


def measured_by(metric: str | None) -> tuple[str, str]:
    """The ids of the dimension and of the metric definition that a rule counts in; valid values for SQL."""
    definition = _BY_NAME[MEASURES.get(metric or "", "valid_values")]
    return definition.dimension_id, definition.id


def allowing(description: str, percent: float) -> str:
    """Return what a rule expects, with the percentage of exceptions that it allows, so that its words say what it
    checks.
    """
    return f"{description.removesuffix('.')}, but for at most {percent:g} %." if percent else description


def rule_name(*parts: str | Sequence[str]) -> str:
    """A name of at most 255 characters that stays the same; a longer one ends in a digest of itself."""
    words = [one for part in parts for one in ([part] if isinstance(part, str) else part)]
    name = ".".join(word for word in words if word)
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"{name[: LONGEST_NAME - 13]}~{digest}"
