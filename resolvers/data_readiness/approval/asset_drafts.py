"""Defines what the approved proposals about one asset come to, and what they cannot be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter
from pydantic import ValidationError as PydanticError

from persistence.queries.catalog import get_asset
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.data_readiness.approval.decided import Decided
from resolvers.data_readiness.approval.enrichments import with_relationship
from schema.data_readiness.proposal import FLAGS, SETS, Proposal, ProposalConflict, ProposalKind
from schema.errors import NotFound
from schema.utils.metadata_asset import AssetTagInput

_TEXT: Final = TypeAdapter(Annotated[str, Field(min_length=1, max_length=100_000)])


@dataclass(slots=True)
class AssetDraft:
    """Holds what the approved proposals about one asset come to."""

    own_tags: set[str]
    """The tags that the run has added before: they are no change by somebody else."""
    decided: Decided
    changes: dict[str, Any] = field(default_factory=dict)

    def taken(
        self,
        uow: UnitOfWork,
        scope: Scope,
        uri: str,
        fqn: str,
        about: Sequence[Proposal],
        conflicts: list[ProposalConflict],
    ) -> list[Proposal]:
        """Draft the changes; the proposals that hold. The others are added to `conflicts`."""
        try:
            asset = get_asset(uow.connection, scope, uri, fqn).document()
        except NotFound:
            conflicts += [conflict(proposal, "The asset is no longer in the catalog.") for proposal in about]
            return []
        taken: list[Proposal] = []
        for proposal in about:
            problem = self._apply(proposal, asset)
            if problem is None:
                taken.append(proposal)
            else:
                conflicts.append(conflict(proposal, problem))
        return taken

    def _apply(self, proposal: Proposal, asset: Mapping[str, Any]) -> str | None:
        """Add one proposal to the changes of its asset, or say why it cannot be."""
        if proposal.kind in FLAGS:
            return self._tag(proposal, asset)
        if proposal.kind is ProposalKind.RELATIONSHIP:
            standing = self.changes.get("column_relationships", asset["column_relationships"])
            if (added := with_relationship(proposal, standing, self.decided)) is not None:
                self.changes["column_relationships"] = added
            return None
        name = SETS.get(proposal.kind)
        if name is None:
            return None  # approving it changes no asset by itself; `registry.py` may say what else it does
        if name in self.changes:
            return f"Another proposal for the same {name} was approved before it."
        if asset.get(name) != proposal.current_value:
            return f"The {name} was changed since the proposal was made."
        try:
            self.changes[name] = _TEXT.validate_python(proposal.proposed_value, strict=True)
        except PydanticError:
            return f"What is proposed is no {name} that the catalog can keep."
        return None

    def _tag(self, proposal: Proposal, asset: Mapping[str, Any]) -> str | None:
        standing = {tag["tag_fqn"] for tag in asset["tags"] or ()}
        before = {tag["tag_fqn"] for tag in proposal.current_value or ()}
        if standing - self.own_tags != before - self.own_tags:
            return "The tags were changed since the proposal was made."
        try:
            tag = AssetTagInput.model_validate(proposal.proposed_value).model_dump()
        except PydanticError:
            return "What is proposed is no tag that the catalog can keep."
        tags = self.changes.get("tags", list(asset["tags"] or ()))
        if proposal.kind is ProposalKind.SENSITIVITY_TAG:  # an asset has one level
            tags = [other for other in tags if other["category_name"] != tag["category_name"] or other == tag]
        if all(other["tag_fqn"] != tag["tag_fqn"] for other in tags):
            self.changes["tags"] = [*tags, tag]
        if (flag := FLAGS[proposal.kind]) is not None:
            self.changes[flag] = True
        return None


def conflict(proposal: Proposal, message: str) -> ProposalConflict:
    """Tell why a proposal could not be carried out."""
    return ProposalConflict(
        proposal_id=proposal.id, asset_fqn=proposal.asset_fqn, field=proposal.field, message=message
    )
