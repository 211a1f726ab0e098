"""Defines what deciding about a proposed tag does to its classification, and what deciding about a classification
does.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from persistence.queries.classifications import classification_id
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.data_readiness.approval.decided import Decided
from schema.data_readiness.classification import Classification, ClassificationKind, ClassificationState
from schema.data_readiness.proposal import Proposal, ProposalKind, ProposalState

KINDS: Final = {
    ProposalKind.PII_TAG: ClassificationKind.PII,
    ProposalKind.SENSITIVITY_TAG: ClassificationKind.SENSITIVITY,
    ProposalKind.DQ_TAG: ClassificationKind.DQ,
}
"""What the proposals of each kind are classifications of."""

STATES: Final = {
    ProposalState.APPROVED: ClassificationState.CONFIRMED,
    ProposalState.REJECTED: ClassificationState.REJECTED,
    ProposalState.PROPOSED: ClassificationState.SUGGESTED,
}
"""Where a classification stands whose proposal goes there."""


def decide_classifications(
    uow: UnitOfWork, scope: Scope, proposals: Sequence[Proposal], decided: Decided
) -> Mapping[str, str]:
    """Move the classifications of proposed tags with them; one that was withdrawn since comes back as decided."""
    state, now = STATES[decided.to], decided.at
    if state is ClassificationState.CONFIRMED and decided.automatically:
        state = ClassificationState.ACCEPTED
    nobody = state in (ClassificationState.SUGGESTED, ClassificationState.ACCEPTED)
    by, at = (None, None) if nobody else (decided.by, now)
    wanted = {
        classification_id(scope, one.asset_fqn, str(one.proposed_value["tag_fqn"])): one
        for one in proposals
        if isinstance(one.proposed_value, dict) and "tag_fqn" in one.proposed_value
    }
    known = uow.classifications.of_assets(scope, {one.asset_fqn for one in wanted.values()})
    standing = {one.id for some in known.values() for one in some}
    uow.classifications.decide(scope, sorted(standing & set(wanted)), state, by=by, at=at, now=now)
    if state is not ClassificationState.SUGGESTED:
        uow.classifications.put(
            scope, [_of(id, one, state, by, at, now) for id, one in sorted(wanted.items()) if id not in standing]
        )
    return {}


def _of(
    id: str, proposal: Proposal, state: ClassificationState, by: str | None, at: datetime | None, now: datetime
) -> Classification:
    found: list[dict[str, Any]] = [one for one in proposal.evidence.get("found", ()) if isinstance(one, dict)]
    return Classification(
        id=id,
        asset_fqn=proposal.asset_fqn,
        resource_uri=proposal.resource_uri,
        kind=KINDS[proposal.kind],
        tag_fqn=str(proposal.proposed_value["tag_fqn"]),
        state=state,
        confidence=proposal.confidence or 0.0,
        evidence=found,
        recognizer_version=str(proposal.evidence.get("recognizer_version", "")),
        data_fingerprint="",
        workflow_run_id=proposal.run_id,
        decided_by=by,
        decided_at=at,
        created_at=now,
        updated_at=now,
    )
