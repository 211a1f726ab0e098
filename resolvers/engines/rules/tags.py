"""Defines which dimensions of quality matter for a table and its columns, told by the rules that were drawn up for
them.

A dimension matters for a column when a rule of some confidence expects something of it there, and for a table when it
does for the table itself or for a good part of its columns. What is expected of every column alike, that it has values,
matters where the column names or ties rows, or where values are missing.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from resolvers.engines.rules.draft import RuleDraft
from schema.data_readiness.profile import TableProfile
from schema.data_readiness.quality_builtin import DIMENSIONS
from schema.data_readiness.rule import RuleOperator
from schema.data_readiness.source import ColumnFacts, TableFacts

LEAST: Final = 0.6
"""The confidence of a rule from which it tells that a dimension matters."""
GOOD_PART: Final = 0.3
"""The share of the columns that a dimension matters for, from which it matters for the table."""

_NAMES: Final = {one.id: one.name for one in DIMENSIONS}


@dataclass(frozen=True, slots=True)
class DimensionTag:
    """A dimension that matters for an asset, and why."""

    asset_fqn: str
    dimension: str
    confidence: float
    evidence: tuple[dict[str, Any], ...]


def dimension_tags(facts: TableFacts, profile: TableProfile, drafts: Sequence[RuleDraft]) -> list[DimensionTag]:
    """The dimensions that matter, of the table first and then of its columns in their order."""
    named = {column.name: column for column in facts.columns}
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    tied = _tied(drafts)
    for draft in drafts:
        if draft.confidence is None or draft.confidence < LEAST:
            continue
        dimension = _NAMES.get(draft.dimension_id)
        if dimension is None:
            continue
        for fqn in _about(facts, draft, named):
            column = next((one for one in facts.columns if one.fqn == fqn), None)
            if column is None or dimension != "completeness" or _is_needed(column, tied, profile, draft):
                found[(fqn, dimension)].append(_evidence(draft))
    columns = [column.fqn for column in facts.columns]
    for dimension in sorted({dimension for _, dimension in found}):
        having = [fqn for fqn in columns if (fqn, dimension) in found]
        if (facts.fqn, dimension) not in found and columns and len(having) >= GOOD_PART * len(columns):
            share = len(having) / len(columns)
            weight = max(one["weight"] for fqn in having for one in found[(fqn, dimension)])
            reason = f"It matters for {len(having)} of {len(columns)} columns."
            found[(facts.fqn, dimension)].append(_says("columns", "neighbours", share, weight, reason))
    order = {fqn: at for at, fqn in enumerate([facts.fqn, *columns])}
    return [
        DimensionTag(fqn, dimension, max(one["weight"] for one in evidence), tuple(evidence))
        for (fqn, dimension), evidence in sorted(found.items(), key=lambda one: (order.get(one[0][0], 0), one[0][1]))
    ]


def beyond_rules(facts: TableFacts, tags: Sequence[DimensionTag]) -> list[DimensionTag]:
    """Those tags that say something that the rules, proposed beside them, do not say one by one.

    A column's dimension is what its rule says in other words. A table's sums up: it stands when many columns ask for
    it, or more than one rule.
    """
    return [
        tag
        for tag in tags
        if tag.asset_fqn == facts.fqn and (len(tag.evidence) > 1 or tag.evidence[0]["source"] == "neighbours")
    ]


def _about(facts: TableFacts, draft: RuleDraft, named: dict[str, ColumnFacts]) -> list[str]:
    """The assets that a rule says something of: its own, and the columns that it names."""
    if draft.metric in ("rowCount", "suspectValues", "nearDuplicates"):
        return [draft.asset_fqn]
    names = [*(draft.arguments.get("properties") or ()), *(draft.arguments.get("columns") or ())]
    names += [draft.arguments[name] for name in ("dependent", "column", "result") if name in draft.arguments]
    of_columns = [named[name].fqn for name in names if name in named]
    # A key of one column is the table's own: without it no row could be told.
    of_table = [facts.fqn] if draft.metric == "duplicateValues" else []
    return list(dict.fromkeys([*of_table, draft.asset_fqn, *of_columns]))


def _tied(drafts: Sequence[RuleDraft]) -> set[str]:
    """The columns by which rows are told apart or tied to others."""
    names: set[str] = set()
    for draft in drafts:
        if draft.metric in ("duplicateValues", "brokenReferences", "staleData"):
            names.update(draft.arguments.get("properties") or draft.arguments.get("columns") or ())
            names.update([draft.arguments["column"]] if "column" in draft.arguments else [])
    return names


def _is_needed(column: ColumnFacts, tied: set[str], profile: TableProfile, draft: RuleDraft) -> bool:
    """Return whether values must not be missing in a column, rather than just happen to be there."""
    is_declared = column.nullable is False or column.is_primary_key or column.references is not None
    has_gaps = draft.operator is RuleOperator.MUST_BE_LESS_OR_EQUAL_TO
    return is_declared or has_gaps or column.name in tied or column.name == profile.freshness_column


def _evidence(draft: RuleDraft) -> dict[str, Any]:
    share = 1.0 - (draft.expected_false_positive_rate or 0.0)
    return _says(draft.name, "values", share, draft.confidence or 0.0, draft.description or draft.name)


def _says(recognizer: str, source: str, share: float, weight: float, reason: str) -> dict[str, Any]:
    return {
        "recognizer": recognizer,
        "source": source,
        "share": round(share, 4),
        "weight": round(weight, 4),
        "reason": reason,
    }
