"""Which proposals of a run are parts of one: what a steward decides about as one thing, though it concerns many assets.

The words about a table and its columns are one proposal, a tag over all tables is one, what the source itself declares
is one, and so are the rules of one metric. Each proposal tells by itself what it is a part of, so that a run of any
size is joined as it is written down, whichever task is done first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from schema.data_readiness.proposal import FLAGS, ProposalKind
from schema.data_readiness.quality_builtin import METRICS
from schema.identifiers import Fqn, join_fqn
from schema.utils.metadata_asset import LEVEL, AssetType

_TABLE: Final = LEVEL[AssetType.TABLE]
_METRIC: Final = {one.name: one.display_name or one.name for one in METRICS}
_WHOLE: Final = {
    ProposalKind.DISPLAY_NAME: "Display names",
    ProposalKind.BUSINESS_DEFINITION: "Business definitions",
    ProposalKind.RELATIONSHIP: "Relationships between columns",
    ProposalKind.INSIGHT: "Insights",
}
"""The kinds of which all proposals about a connection are one."""

DECLARED: Final = "What the source declares: keys, references and columns that must have a value"


@dataclass(frozen=True, slots=True)
class Joint:
    """What a proposal is a part of."""

    key: str
    says: str
    """What the whole is about, for a reader."""

    def id(self, run_id: str, resource_uri: str) -> str:
        """The id of the whole, of one run and one connection."""
        return str(uuid5(NAMESPACE_URL, "\x1f".join(("joint", run_id, resource_uri, self.key))))


def joint(asset_fqn: str, kind: ProposalKind, value: Any, evidence: Mapping[str, Any]) -> Joint:
    """Tell what a proposal is a part of, by what it proposes about which asset, and why."""
    said = _says(Fqn.parse(asset_fqn).parts, kind, value if isinstance(value, Mapping) else {}, evidence)
    return Joint(f"{kind}\x1f{said}", said)


def _says(parts: tuple[str, ...], kind: ProposalKind, value: Mapping[str, Any], evidence: Mapping[str, Any]) -> str:
    if kind in _WHOLE:
        return _WHOLE[kind]
    if kind in FLAGS:
        return str(value.get("tag_fqn"))
    if kind is ProposalKind.RULE:
        if evidence.get("is_declared"):
            return DECLARED
        metric = str(value.get("metric") or value.get("type") or "other")
        return f"Rules: {_METRIC.get(metric, metric)}"
    if kind is ProposalKind.GLOSSARY_LINK:
        return f"Glossary term {value.get('name') or value.get('term_id')} ({value.get('term_id')})"
    if len(parts) < _TABLE:
        return "Descriptions of schemas and databases"
    return f"Descriptions of the table {join_fqn(parts[:_TABLE])} and its columns"
