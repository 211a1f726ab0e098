"""Defines what approving glossary links and relationships does."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from persistence.queries.catalog import get_asset
from persistence.queries.enrichment import links_of
from persistence.queries.source_facts import ACCEPTED, APPROVED
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.data_readiness.approval.decided import Decided
from schema.data_readiness.glossary import TermAsset
from schema.data_readiness.proposal import Proposal, ProposalState
from schema.errors import NotFound

SAME: Final = ("type", "schema", "table", "column", "columns", "between")
"""What makes two relationships of an asset the same one."""


def link_terms(uow: UnitOfWork, scope: Scope, moved: Sequence[Proposal], decided: Decided) -> Mapping[str, str]:
    """Link approved terms to their assets. A term that is gone is a conflict; a link that stands is none."""
    if decided.to is not ProposalState.APPROVED:
        return {}
    problems: dict[str, str] = {}
    linked = links_of(uow.connection, scope, [one.asset_fqn for one in moved])
    # In the order of the terms, whose rows are counted up, so that no two decisions wait for one another in a circle.
    for proposal in sorted(moved, key=lambda one: (_term(one), one.asset_fqn)):
        term = _term(proposal)
        if any(id == term for id, _ in linked.get(proposal.asset_fqn, ())):
            continue
        problem = _link(uow, scope, proposal, term, decided.by, decided.at)
        if problem is not None:
            problems[proposal.id] = problem
        else:
            linked.setdefault(proposal.asset_fqn, []).append((term, ""))
    return problems


def _term(proposal: Proposal) -> str:
    value = proposal.proposed_value
    return str(value.get("term_id")) if isinstance(value, Mapping) else ""


def _link(uow: UnitOfWork, scope: Scope, proposal: Proposal, term: str, actor: str, now: datetime) -> str | None:
    # Held, so that nobody deletes the term before the link stands.
    if not uow.glossary_terms.hold(scope, term):
        return "The term is no longer in the glossary."
    try:
        asset = get_asset(uow.connection, scope, proposal.resource_uri, proposal.asset_fqn)
    except NotFound:
        return "The asset is no longer in the catalog."
    link = TermAsset(
        term_id=term,
        asset_id=asset.id,
        asset_fqn=proposal.asset_fqn,
        asset_type=asset.type,
        created_at=now,
        created_by=actor,
    )
    uow.glossary_terms.count_asset(scope, term, 1)
    uow.term_assets.add(link, organization_id=scope.organization_id, project_id=scope.project_id)
    return None


def with_relationship(
    proposal: Proposal, standing: Sequence[Mapping[str, Any]] | None, decided: Decided
) -> list[Mapping[str, Any]] | None:
    """The relationships of an asset with an approved one, marked with who approved it, or that nobody did.

    None when nothing is added.
    """
    value = proposal.proposed_value
    if not isinstance(value, Mapping) or not isinstance(value.get("type"), str):
        return None  # a relationship that only records that it holds
    if any(identity_of(one) == identity_of(value) for one in standing or ()):
        return None
    approved = {
        **value,
        **(
            {"origin": ACCEPTED, "accepted_at": decided.at.isoformat()}
            if decided.automatically
            else {"origin": APPROVED, "approved_by": decided.by, "approved_at": decided.at.isoformat()}
        ),
        "run_id": proposal.run_id,
        "proposal_id": proposal.id,
    }
    return [*(standing or ()), approved]


def identity_of(one: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what makes a relationship the same one, as text that can be compared."""
    return tuple(repr(one.get(name)) for name in SAME)
