"""Defines what a decision about proposals does beside the catalog's edit: one function per kind, in one table.

`operations.py` calls the function of a kind once for all proposals of that kind that one decision moves, inside the
decision's transaction, before the proposals themselves are moved. A function is told where they go: approved,
rejected, or proposed for those whose rejection is taken back. It answers what it could not do, as proposal id →
sentence: those proposals stay where they are and are told as conflicts. For kinds that set a field or add a tag the
catalog has the word: their edit was made, and what such a function answers is left aside.

A kind without a line here needs nothing done.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.data_readiness.approval.classifications import decide_classifications
from resolvers.data_readiness.approval.decided import Decided
from resolvers.data_readiness.approval.enrichments import link_terms
from resolvers.data_readiness.approval.rules import decide_rules
from schema.data_readiness.proposal import Proposal, ProposalKind

Effect = Callable[[UnitOfWork, Scope, Sequence[Proposal], Decided], Mapping[str, str]]
"""(uow, scope, proposals of one kind, what was decided about them) → proposal id → why it cannot be."""

EFFECTS: Final[dict[ProposalKind, Effect]] = {
    ProposalKind.GLOSSARY_LINK: link_terms,
    ProposalKind.RULE: decide_rules,
    ProposalKind.PII_TAG: decide_classifications,
    ProposalKind.SENSITIVITY_TAG: decide_classifications,
    ProposalKind.DQ_TAG: decide_classifications,
}
"""The effect of each kind that has one."""


def take_effect(uow: UnitOfWork, scope: Scope, moved: Sequence[Proposal], decided: Decided) -> dict[str, str]:
    """Carry the effects of a decision out, kind by kind; what could not be done, as proposal id → sentence."""
    problems: dict[str, str] = {}
    for kind, effect in EFFECTS.items():
        if mine := [proposal for proposal in moved if proposal.kind is kind]:
            problems |= effect(uow, scope, mine, decided)
    return problems
