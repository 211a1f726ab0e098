"""Which proposals of a run are parts of one: what a steward decides about as one thing, though it concerns many assets.

The words about a table and its columns are one proposal, so are the personal data that it holds and how sensitive that
makes it, what the source itself declares, and the rules of one nature: that values are there, what they may be, and how
rows agree with one another. Each proposal tells by itself what it is a part of, so that a run of any size is joined as
it is written down, whichever task is done first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from resolvers.engines.rules.draft import MEASURES
from schema.data_readiness.proposal import SETS, ProposalKind
from schema.data_readiness.quality_builtin import DIMENSIONS, METRICS
from schema.identifiers import Fqn, join_fqn
from schema.utils.metadata_asset import LEVEL, AssetType

_TABLE: Final = LEVEL[AssetType.TABLE]
_NAMES: Final = {one.id: one.name for one in DIMENSIONS}
_DIMENSION: Final = {one.name: _NAMES[one.dimension_id] for one in METRICS}

BESIDE_PERSONAL_DATA: Final = "beside_personal_data"
"""What the evidence of a level says where personal data was found in the same table: one decides about both at once."""

ONLY_TABLE: Final = "only_table"
"""What the evidence of words about a schema or database says where it has one table: that table's name."""

DECLARED: Final = "What the source declares: keys, references and columns that must have a value"
RELATIONSHIPS: Final = "Relationships between columns"
INSIGHTS: Final = "Insights"
CONTAINERS: Final = "Descriptions of schemas and databases"
_FILLED: Final = "Completeness: rows and values that must be there"
_ALLOWED: Final = "Validity and accuracy: what values may be"
_AGREEING: Final = "Uniqueness and consistency: what rows and columns say of one another"
_NATURE: Final = {
    "completeness": _FILLED,
    "validity": _ALLOWED,
    "accuracy": _ALLOWED,
    "uniqueness": _AGREEING,
    "consistency": _AGREEING,
}
"""What the rules of a dimension are about, for a reader; of any other its name says it."""


@dataclass(frozen=True, slots=True)
class Joint:
    """What a proposal is a part of."""

    says: str
    """What the whole is about, for a reader."""

    def id(self, run_id: str, resource_uri: str) -> str:
        """The id of the whole, of one run and one connection."""
        return str(uuid5(NAMESPACE_URL, "\x1f".join(("joint", run_id, resource_uri, self.says))))


def joint(asset_fqn: str, kind: ProposalKind, value: Any, evidence: Mapping[str, Any]) -> Joint:
    """Tell what a proposal is a part of, by what it proposes about which asset, and why."""
    return Joint(_says(Fqn.parse(asset_fqn).parts, kind, value if isinstance(value, Mapping) else {}, evidence))


def _says(parts: tuple[str, ...], kind: ProposalKind, value: Mapping[str, Any], evidence: Mapping[str, Any]) -> str:
    if kind in SETS:
        about = evidence.get(ONLY_TABLE) if len(parts) < _TABLE else _table(parts)
        return f"Words about the table {about} and its columns" if about else CONTAINERS
    if kind is ProposalKind.PII_TAG or evidence.get(BESIDE_PERSONAL_DATA):
        return f"Personal data in the table {_table(parts)}, and how sensitive that makes it"
    if kind is ProposalKind.DQ_TAG:
        return _nature(str(value.get("tag_name")).lower())
    if kind in (ProposalKind.TAG, ProposalKind.SENSITIVITY_TAG):
        return str(value.get("tag_fqn"))
    if kind is ProposalKind.RULE:
        return DECLARED if evidence.get("is_declared") else _of_rule(value)
    if kind is ProposalKind.GLOSSARY_LINK:
        return f"Glossary term {value.get('name') or value.get('term_id')} ({value.get('term_id')})"
    return RELATIONSHIPS if kind is ProposalKind.RELATIONSHIP else INSIGHTS


def _table(parts: tuple[str, ...]) -> str:
    return join_fqn(parts[:_TABLE])


def _of_rule(value: Mapping[str, Any]) -> str:
    """Return what a rule is about; one that is none of ours, such as a query, is told by its own metric or type."""
    metric = str(value.get("metric") or value.get("type") or "other")
    return _nature(_DIMENSION[MEASURES[metric]]) if metric in MEASURES else f"Rules: {metric}"


def _nature(dimension: str) -> str:
    return _NATURE.get(dimension, f"Rules of {dimension}")
