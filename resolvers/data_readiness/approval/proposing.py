"""Defines how work writes proposals down: never over people's words, and never again what was proposed on the same
basis.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

import orjson

from persistence.queries.enrichment import MODEL, Earlier, StandingWords, engine_of, proposed_before, standing_words
from persistence.store import UnitOfWork
from resolvers.data_readiness.approval.enrichments import identity_of
from resolvers.data_readiness.runs.executor import RunWork
from resolvers.engines.joint import joint
from resolvers.engines.likeness import likeness
from schema.data_readiness.proposal import SETS, Proposal, ProposalKind, ProposalState

MOST_OF_A_TASK: Final = 20_000
"""How many proposals one task makes of one kind of work."""


@dataclass(frozen=True, slots=True)
class ProposalDraft:
    """Holds what an engine would propose, before it is looked at what stands and what was proposed before."""

    asset_fqn: str
    kind: ProposalKind
    field: str
    value: Any
    evidence: Mapping[str, Any]
    confidence: float | None
    basis: str
    """What it rests on, in short: the same again is not proposed again."""
    over_comment: bool = False
    """Whether it may replace a comment of the source."""
    current: Any = None
    """What stands, for kinds that set no field."""


def basis_of(*what: Any) -> str:
    """A short name of what a proposal rests on."""
    said = orjson.dumps(what, option=orjson.OPT_SORT_KEYS, default=str)
    return hashlib.blake2b(said, digest_size=16).hexdigest()


def put_new(work: RunWork, uow: UnitOfWork, drafts: Sequence[ProposalDraft], arguments: Mapping[str, Any]) -> int:
    """Write down the drafts that are news, as proposals of the task that was told these arguments; how many they are.

    What a completed run has proposed about the same field on the same basis is not proposed again, whatever became of
    it; only a run with `save_all` takes up what was left undecided. What was rejected does not come back in other words
    either: neither with other figures in them, nor as a model would put it this time.
    """
    fqns = [draft.asset_fqn for draft in drafts]
    standing = standing_words(uow.connection, work.scope, fqns)
    kinds = sorted({draft.kind for draft in drafts})
    before = proposed_before(uow.connection, work.scope, fqns, kinds) if drafts else {}
    takes_undecided = bool(work.run.input.get("save_all"))
    made: list[Proposal] = []
    now = work.ctx.now()
    for draft in drafts[:MOST_OF_A_TASK]:
        asset = standing.get(draft.asset_fqn)
        if asset is None or not _wanted(draft, asset):
            continue
        earlier = before.get((draft.asset_fqn, draft.kind.value, draft.field), ())
        group = likeness(draft.asset_fqn, draft.kind, draft.value, _current(draft, asset)).key
        if _known(draft, group, earlier, takes_undecided):
            continue
        name = f"{arguments['task_id']}/{draft.kind}/{draft.asset_fqn}/{draft.field}/{len(made)}"
        made.append(
            Proposal(
                id=str(uuid5(NAMESPACE_URL, name)),
                run_id=work.run.id,
                asset_fqn=draft.asset_fqn,
                resource_uri=asset.resource_uri,
                kind=draft.kind,
                field=draft.field,
                current_value=_current(draft, asset),
                proposed_value=draft.value,
                evidence={**draft.evidence, "basis": draft.basis},
                confidence=draft.confidence,
                state=ProposalState.PROPOSED,
                group=group,
                part_of=joint(draft.asset_fqn, draft.kind, draft.value, draft.evidence).id(
                    work.run.id, asset.resource_uri
                ),
                decided_by=None,
                decided_at=None,
                created_at=now,
            )
        )
    return work.propose(uow, arguments, made)


def _wanted(draft: ProposalDraft, asset: StandingWords) -> bool:
    """Return whether a field may be proposed over: not people's words, and a comment only by better ones."""
    if draft.kind not in SETS:
        return True
    if draft.field in asset.people_fields:
        return False
    stands = _current(draft, asset)
    if not stands:
        return True
    return draft.over_comment and stands != draft.value


def _current(draft: ProposalDraft, asset: StandingWords) -> Any:
    return getattr(asset, SETS[draft.kind]) if draft.kind in SETS else draft.current


def _known(draft: ProposalDraft, group: str, earlier: Sequence[Earlier], takes_undecided: bool) -> bool:
    return any(
        (one.basis == draft.basis and not (takes_undecided and one.state is ProposalState.PROPOSED))
        or (one.state is ProposalState.REJECTED and _says_again(draft, group, one))
        for one in earlier
    )


def _says_again(draft: ProposalDraft, group: str, rejected: Earlier) -> bool:
    """Return whether a draft says in other words what was rejected about the same field of the same asset.

    A model puts the same in other words each time, so its rejection is of all its words for the field. Tags and rules
    have a state of their own, in which their rejection is kept.
    """
    if draft.kind in SETS:
        engine = engine_of(draft.evidence)
        return engine == rejected.engine and (engine.startswith(MODEL) or group == rejected.group)
    if not isinstance(rejected.value, Mapping):
        return False
    if draft.kind is ProposalKind.RELATIONSHIP:
        return identity_of(draft.value) == identity_of(rejected.value)
    return draft.kind is ProposalKind.GLOSSARY_LINK and draft.value["term_id"] == rejected.value.get("term_id")
