"""Defines what a decision about the proposal of a rule does."""

from collections.abc import Mapping, Sequence
from typing import Final

from persistence.queries.catalog_rows import chunks
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.data_readiness.approval.decided import Decided
from schema.data_readiness.proposal import Proposal, ProposalState
from schema.data_readiness.rule import QualityRule, RuleState

STATES: Final[Mapping[ProposalState, RuleState]] = {
    ProposalState.APPROVED: RuleState.ACTIVE,
    ProposalState.REJECTED: RuleState.REJECTED,
    ProposalState.PROPOSED: RuleState.PROPOSED,
}
"""Where a decision about its proposal moves a rule."""


FIGURES: Final = ("arguments", "operator", "threshold", "unit")
"""What a later run may conclude anew of a rule, as its proposal says it."""


def decide_rules(uow: UnitOfWork, scope: Scope, moved: Sequence[Proposal], decided: Decided) -> dict[str, str]:
    """Return what a decision about proposals of rules does: approved rules are executed from then on."""
    ids = {proposal.id: str((proposal.proposed_value or {}).get("rule_id", "")) for proposal in moved}
    standing = {
        rule.id: rule
        for some in chunks(sorted(set(ids.values())))
        for rule in uow.quality_rules.where_in(scope, "id", some)
    }
    problems: dict[str, str] = {}
    wanted: list[str] = []
    for proposal in moved:
        rule = standing.get(ids[proposal.id])
        if decided.to is not ProposalState.APPROVED:
            wanted += [rule.id] if rule is not None else []
        elif rule is None:
            problems[proposal.id] = "The rule was deleted since the proposal was made."
        elif rule.state in (RuleState.DISABLED, RuleState.REJECTED):
            problems[proposal.id] = f"The rule was {rule.state} since the proposal was made."
        elif rule.state is RuleState.PROPOSED and _was_renewed(rule, proposal):
            problems[proposal.id] = "A later run has drawn the rule up anew. Decide about its proposal."
        else:
            wanted.append(rule.id)
    uow.quality_rules.decide(scope, wanted, STATES[decided.to], at=decided.at)
    return problems


def _was_renewed(rule: QualityRule, proposal: Proposal) -> bool:
    """Return whether a later run has given the rule other figures; one that concluded the same has proposed nothing."""
    if rule.workflow_run_id == proposal.run_id:
        return False
    now = rule.model_dump(mode="json", include=set(FIGURES))
    return any(now[name] != proposal.proposed_value.get(name) for name in FIGURES)
