"""Defines what is known of the personal data of columns, and which proposed levels of sensitivity rest on it no
longer.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.engines.recognition.taxonomy import Level, column_level, table_level
from schema.data_readiness.classification import (
    CATEGORIES,
    Classification,
    ClassificationKind,
    ClassificationState,
)
from schema.data_readiness.proposal import Proposal, ProposalKind

_PII: Final = CATEGORIES[ClassificationKind.PII]

_FALLEN: Final = (
    "Personal data that this level rests on was rejected since the proposal was made. Run generate-sensitivity-tags "
    "again."
)


def personal_data(uow: UnitOfWork, scope: Scope, fqns: Iterable[str]) -> dict[str, dict[str, float]]:
    """The tags of personal data of each column with their confidence, as found and as set; not what was rejected."""
    fqns = list(fqns)
    return _known(uow, scope, fqns, uow.classifications.of_assets(scope, fqns, ClassificationKind.PII))


def decided_personal_data(uow: UnitOfWork, scope: Scope, fqns: Sequence[str]) -> dict[str, dict[str, float]]:
    """The tags of personal data that stand on each column, with their confidence; not what is only suggested."""
    classified = {
        fqn: [one for one in some if one.state is not ClassificationState.SUGGESTED]
        for fqn, some in uow.classifications.of_assets(scope, fqns, ClassificationKind.PII).items()
    }
    return _known(uow, scope, fqns, classified)


def _known(
    uow: UnitOfWork, scope: Scope, fqns: Sequence[str], classified: Mapping[str, Sequence[Classification]]
) -> dict[str, dict[str, float]]:
    known: dict[str, dict[str, float]] = {}
    for fqn in fqns:
        known[fqn] = {
            one.tag_fqn.split(".", 1)[1]: 1.0 if one.state is ClassificationState.CONFIRMED else one.confidence
            for one in classified.get(fqn, ())
            if one.state is not ClassificationState.REJECTED
        }
    # A tag on an asset is somebody's word, but for what a run accepted by itself, and what was rejected since.
    undecided = {
        (one.asset_fqn, one.tag_fqn)
        for some in classified.values()
        for one in some
        if one.state in (ClassificationState.REJECTED, ClassificationState.ACCEPTED)
    }
    for fqn, standing in uow.classifications.tags_of(scope, fqns).items():
        for tag in standing.fqns:
            if tag.startswith(f"{_PII}.") and (fqn, tag) not in undecided:
                known[fqn][tag.split(".", 1)[1]] = 1.0
    return known


def fallen_levels(uow: UnitOfWork, scope: Scope, proposals: Sequence[Proposal]) -> dict[str, str]:
    """The proposed levels that are too high by now, as somebody rejected personal data since: proposal id → why."""
    levels = [one for one in proposals if one.kind is ProposalKind.SENSITIVITY_TAG]
    if not levels:
        return {}
    columns = uow.classifications.columns_of(scope, {one.asset_fqn for one in levels})
    among = {one.asset_fqn: columns.get(one.asset_fqn) or [one.asset_fqn] for one in levels}
    every = sorted({fqn for some in among.values() for fqn in some})
    classified = uow.classifications.of_assets(scope, every, ClassificationKind.PII)
    rejected = {
        fqn: max(decided)
        for fqn, found in classified.items()
        if (
            decided := [one.decided_at for one in found if one.state is ClassificationState.REJECTED and one.decided_at]
        )
    }
    if not rejected:
        return {}
    known = _known(uow, scope, every, classified)
    fallen = {}
    for one in levels:
        of = among[one.asset_fqn]
        if any(fqn in rejected and rejected[fqn] >= one.created_at for fqn in of):
            now = table_level(known[fqn] for fqn in of)[0] if one.asset_fqn in columns else column_level(known[of[0]])
            if now < Level[str(one.proposed_value["tag_fqn"]).split(".", 1)[1].upper()]:
                fallen[one.id] = _FALLEN
    return fallen
