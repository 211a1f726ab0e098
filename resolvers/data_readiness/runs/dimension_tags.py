"""Tags that say which dimensions of quality matter, kept as classifications and proposed."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from persistence.queries.classifications import StandingTags, classification_id
from persistence.store import UnitOfWork
from resolvers.data_readiness.approval.proposing import ProposalDraft, basis_of, put_new
from resolvers.data_readiness.runs.executor import RunWork
from resolvers.data_readiness.runs.kinds.tagging import people_decided
from resolvers.engines.rules.tags import DimensionTag
from schema.data_readiness.classification import (
    CATEGORIES,
    Classification,
    ClassificationKind,
    ClassificationState,
)
from schema.data_readiness.proposal import ProposalKind
from schema.data_readiness.quality_builtin import DIMENSIONS

ENGINE: Final = "rules/1"
KIND: Final = ClassificationKind.DQ

_DIMENSIONS: Final = {one.name: one for one in DIMENSIONS}


def tag_fqn_of(dimension: str) -> str:
    """The tag that says that a dimension matters."""
    return f"{CATEGORIES[KIND]}.{dimension.title()}"


def put_dimension_tags(
    work: RunWork,
    uow: UnitOfWork,
    about: Sequence[str],
    tags: Sequence[DimensionTag],
    arguments: Mapping[str, Any],
    fingerprint: str,
) -> dict[str, int]:
    """Keep the tags of the assets that were looked at, and propose those that nobody has decided about.

    What people decided stands. A suggestion that no longer holds is withdrawn.
    """
    repository, scope, now = uow.classifications, work.scope, work.ctx.now()
    catalog = repository.tags_of(scope, about)
    standing = repository.of_assets(scope, about, KIND)
    people_decided(uow, scope, now, catalog, standing)
    before = {one.id: one for some in standing.values() for one in some}
    new: list[Classification] = []
    wanted: list[ProposalDraft] = []
    seen: set[str] = set()
    for tag in tags:
        if tag.asset_fqn not in catalog:
            continue  # vanished while it was looked at
        on, fqn = catalog[tag.asset_fqn], tag_fqn_of(tag.dimension)
        id = classification_id(scope, tag.asset_fqn, fqn)
        seen.add(id)
        values: dict[str, Any] = {
            "confidence": tag.confidence,
            "evidence": [dict(one) for one in tag.evidence],
            "recognizer_version": ENGINE,
            "data_fingerprint": fingerprint,
            "workflow_run_id": work.run.id,
            "updated_at": now,
        }
        known = before.get(id)
        stands = ClassificationState.CONFIRMED if fqn in on.fqns else ClassificationState.SUGGESTED
        state = stands if known is None else known.state
        if known is not None:
            repository.see_again(scope, id, values)
        else:
            new.append(
                Classification(
                    id=id,
                    asset_fqn=tag.asset_fqn,
                    resource_uri=on.resource_uri,
                    kind=KIND,
                    tag_fqn=fqn,
                    state=state,
                    decided_by=None,
                    decided_at=now if state is ClassificationState.CONFIRMED else None,
                    created_at=now,
                    **values,
                )
            )
        if state is ClassificationState.SUGGESTED:
            wanted.append(_proposal(id, tag, fqn, on))
    repository.put(scope, new)
    gone = [one.id for one in before.values() if one.id not in seen and one.state is ClassificationState.SUGGESTED]
    repository.withdraw(scope, gone)
    made = put_new(work, uow, wanted, arguments)
    return {"proposals": made, "tags_found": len(seen), "new_tags": len(new), "withdrawn_tags": len(gone)}


def _proposal(id: str, tag: DimensionTag, fqn: str, on: StandingTags) -> ProposalDraft:
    category, name = fqn.split(".")
    value = {
        "tag_id": fqn,
        "tag_fqn": fqn,
        "category_name": category,
        "tag_name": name,
        "tag_description": _DIMENSIONS[tag.dimension].description or "",
    }
    evidence = {"classification_id": id, "recognizer_version": ENGINE, "found": [dict(one) for one in tag.evidence]}
    # With other tags on the asset an older proposal could not be carried out any more.
    basis = basis_of(fqn, sorted(on.fqns))
    current = [dict(one) for one in on.tags]
    return ProposalDraft(
        tag.asset_fqn, ProposalKind.DQ_TAG, "tags", value, evidence, tag.confidence, basis, current=current
    )
