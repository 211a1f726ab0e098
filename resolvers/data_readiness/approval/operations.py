"""Operations on the proposals of a run: list them, decide about them, see what was decided.

Proposals are made by engines and change nothing until they are approved; a run with `save_all` approves its own as it
completes (`approve_next`). Approving carries a proposal out through the catalog's own edit, so that it makes a version,
leaves what people wrote and can be read in the asset's history.

A proposal was made about an asset as it was. When the field it is about holds something else by now, or the asset is
gone, it is a conflict: it stays undecided and is told, while every other proposal is carried out whole. A decision and
all its effects (those on other things than the catalog are in `registry.py`) are one transaction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.catalog_edit import AssetChange, lock_services, update_assets
from persistence.queries.enrichment import beside_standing
from persistence.queries.proposals import EVERY
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.approval.asset_drafts import AssetDraft, conflict
from resolvers.data_readiness.approval.decided import Decided
from resolvers.data_readiness.approval.registry import EFFECTS, take_effect
from resolvers.data_readiness.levels import fallen_levels
from resolvers.data_readiness.runs.operations import RunId
from resolvers.engines.catalog_diff import judge
from resolvers.engines.joint import joint
from resolvers.engines.likeness import likeness
from resolvers.operation import operation, require
from schema.data_readiness.proposal import (
    DECISION_MOVES,
    FLAGS,
    MOST_CONFLICTS_SHOWN,
    MOST_SAMPLED,
    SETS,
    ApprovalDecision,
    Decision,
    GroupKey,
    LeastConfidence,
    Proposal,
    ProposalConflict,
    ProposalFilter,
    ProposalGroup,
    ProposalKind,
    ProposalState,
    RunApproval,
)
from schema.data_readiness.selecting import AssetsLike, AtOrUnder
from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
from schema.errors import Forbidden, InvalidParameter, NotFound, ValidationError
from schema.governance.permission import Permission
from schema.grammar import ANY_NAME
from schema.identifiers import ResourceUri
from schema.pagination import Page, PageNumber, PageSize

MOST_AT_ONCE: Final = 5000
"""How many proposals one decision carries out: more would hold the catalog's writers up for too long."""

_STAYS: Final = "What was approved has been carried out and stays; change the asset itself to take it back."
IDLE: Final = {
    Decision.APPROVE: "Decide pending first, so that what was rejected can be decided again.",
    Decision.REJECT: _STAYS,
    Decision.PENDING: _STAYS,
}
"""What to do where a decision finds nothing to move."""


@operation(needs=Permission.CAN_READ_METADATA)
async def list_run_proposals(
    ctx: Context,
    *,
    run_id: RunId,
    state: ProposalState | None = None,
    kind: ProposalKind | None = None,
    asset_fqn: Annotated[
        str, Field(min_length=1, max_length=4000, description="Only those about this asset."), ANY_NAME
    ]
    | None = None,
    under: AtOrUnder | None = None,
    assets_like: AssetsLike | None = None,
    group: GroupKey | None = None,
    min_confidence: LeastConfidence | None = None,
    part_of: Annotated[UUID, Field(description="Only the parts of this joined proposal, one by one.")] | None = None,
    joined: Annotated[
        bool, Field(description="Say the parts of one thing as one proposal; false lists each by itself.")
    ] = True,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[Proposal]:
    """List what a run proposes, in its order, each beside what stood there when it was made and what stands now.

    What concerns many assets, as the words about a table and its columns, is one proposal with its parts. One by one
    they are listed by `joined` false, and where those of one asset, kind, group or whole are asked for: a whole may be
    of several kinds, and deciding about it is deciding about all of them.
    """
    only = ProposalFilter(under=under, assets_like=assets_like, group=group, min_confidence=min_confidence)
    equal: dict[str, Any] = {"state": state, "kind": kind, "asset_fqn": asset_fqn}
    equal |= {"part_of": None if part_of is None else str(part_of)}
    is_joined = joined and all(one is None for one in (asset_fqn, group, part_of, kind))

    def work(uow: UnitOfWork) -> Page[Proposal]:
        run = uow.workflow_runs.get(ctx.scope, str(run_id))
        read = uow.proposals.joined if is_joined else uow.proposals.listed
        found = read(ctx.scope, offset=(page - 1) * limit, limit=limit, only=only, run_id=run.id, **equal)
        shown = beside_standing(uow.connection, ctx.scope, found.items)
        return found.model_copy(update={"items": [_said(one) for one in shown]})

    return await ctx.store.read(work)


def _said(one: Proposal) -> Proposal:
    """A proposal with what it says as a whole."""
    if not one.parts:
        return one
    first = one.parts[0]
    return one.model_copy(update={"says": joint(first.asset_fqn, one.kind, first.proposed_value, one.evidence).says})


@operation(needs=Permission.CAN_READ_METADATA)
async def list_proposal_groups(
    ctx: Context,
    *,
    run_id: RunId,
    state: ProposalState | None = None,
    kind: ProposalKind | None = None,
    under: AtOrUnder | None = None,
    assets_like: AssetsLike | None = None,
    min_confidence: LeastConfidence | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[ProposalGroup]:
    """List what a run proposes in groups of what is alike, the largest first: one line for each thing to decide.

    One tag, one rule or one sentence about many assets is one group. The list of proposals shows a group's members, and
    a decision with `only.group` is about all of them.
    """
    only = ProposalFilter(under=under, assets_like=assets_like, min_confidence=min_confidence)

    def work(uow: UnitOfWork) -> Page[ProposalGroup]:
        run = uow.workflow_runs.get(ctx.scope, str(run_id))
        offset = (page - 1) * limit
        found = uow.proposals.groups(
            ctx.scope, offset=offset, limit=limit, only=only, run_id=run.id, state=state, kind=kind
        )
        shown = beside_standing(uow.connection, ctx.scope, [one.example for one in found.items])
        told = [
            one.model_copy(
                update={
                    "example": example,
                    "says": likeness(example.asset_fqn, example.kind, example.proposed_value).says,
                }
            )
            for one, example in zip(found.items, shown, strict=True)
        ]
        return found.model_copy(update={"items": told})

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_READ_METADATA)
async def get_run_approval(ctx: Context, *, run_id: RunId) -> RunApproval:
    """Get the latest decision about a run's proposals, and how many of them stand where."""

    def work(uow: UnitOfWork) -> RunApproval:
        return uow.proposals.approval(ctx.scope, uow.workflow_runs.get(ctx.scope, str(run_id)).id)

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_MANAGE_METADATA, kind=CallKind.WRITE)
async def decide_run(ctx: Context, *, run_id: RunId, approval: ApprovalDecision) -> RunApproval:
    """Approve or reject the undecided proposals of a completed run, or those that `proposal_ids` names or `only` fits.

    Approving carries a proposal out at once, as a new version of its asset; what was approved stays. `pending` lets
    rejected proposals be decided again. A proposal whose asset has changed since it was made, and a sensitivity level
    whose personal data was rejected since, stay undecided and are listed under `conflicts`.

    With `dry_run` the answer tells what would be decided, with the first 20 and the conflicts, and nothing is written.
    `only` is decided table by table, some 5000 proposals in a call, each call whole or not at all: while `waiting` is
    not 0, go on with the same call and `after_table`. Said again it finds nothing left to move, and says so by `moved`.

    It needs can_manage_metadata, as changing the same asset by hand does: that is what approving comes to. For assets
    of a connection that belongs to the whole organization it is asked there as well. A run that is not completed, more
    than 5000 proposals to carry out, and a named proposal that was decided the other way are a 422; so is a decision
    about the whole run that would move nothing and is not the one that stands: what was approved cannot be rejected.
    """
    ids = None if approval.proposal_ids is None else sorted({str(id) for id in approval.proposal_ids})
    if approval.decision is Decision.APPROVE:
        await _may_change(ctx, str(run_id), ids, approval.only)
    now = ctx.now()

    def work(uow: UnitOfWork) -> RunApproval:
        run = uow.workflow_runs.held(ctx.scope, str(run_id))
        if run.status is not RunStatus.COMPLETED:
            raise ValidationError(
                f"This run is {run.status}. Only the proposals of a completed run can be decided.",
                status=422,
                field="status",
            )
        chosen = _chosen(uow, ctx.scope, run.id, ids, approval)
        return _decided(uow, ctx.scope, run, chosen, approval, actor=ctx.caller.user_id, now=now)

    def tried(uow: UnitOfWork) -> RunApproval:
        trial = uow.connection.begin_nested()
        try:
            return work(uow)
        finally:
            trial.rollback()

    return await ctx.store.write(tried if approval.dry_run else work)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Holds which proposals of a run a decision is about."""

    ids: Sequence[str] | None
    """None for all that it can move."""
    waiting: int = 0
    """How many stand behind the last of their tables."""
    go_on_after: str | None = None
    """That table; None where nothing waits."""


def _chosen(
    uow: UnitOfWork, scope: Scope, run_id: str, ids: Sequence[str] | None, approval: ApprovalDecision
) -> _Chosen:
    """The proposals that a decision moves. Raises 404 and 422."""
    if ids is None and approval.only is None and approval.after_table is None:
        _refuse_idle(uow, scope, run_id, approval.decision)
        return _Chosen(None)
    named = None if ids is None else _movable(uow, scope, run_id, ids, approval.decision)
    if approval.only is None and approval.after_table is None and len(named or ()) <= MOST_AT_ONCE:
        return _Chosen(named)
    source, _ = DECISION_MOVES[approval.decision]
    found = uow.proposals.by_table(scope, run_id, source, approval.only or EVERY)
    if named is not None:
        some = set(named)
        found = {table: [one for one in places if one[1] in some] for table, places in found.items()}
    return _next_tables(found, approval.after_table or "")


def _decided(
    uow: UnitOfWork,
    scope: Scope,
    run: WorkflowRun,
    chosen: _Chosen,
    approval: ApprovalDecision,
    *,
    actor: str,
    now: datetime,
) -> RunApproval:
    """Carry a decision out and tell what came of it."""
    source, target = DECISION_MOVES[approval.decision]
    before = uow.proposals.counts(scope, run.id)[target]
    shown = approval.dry_run and chosen.ids != []
    ids = chosen.ids if chosen.ids is None else chosen.ids[: MOST_SAMPLED + MOST_CONFLICTS_SHOWN]
    first = (
        uow.proposals.of_run(scope, run.id, ids=ids, state=source, limit=MOST_SAMPLED + MOST_CONFLICTS_SHOWN)
        if shown
        else []
    )
    sample = beside_standing(uow.connection, scope, first)
    conflicts = decide(uow, scope, run, chosen.ids, approval.decision, actor=actor, now=now)
    moved = uow.proposals.counts(scope, run.id)[target] - before
    if moved or conflicts or approval.only is None:
        uow.proposals.decide(scope, run.id, approval.decision, approval.notes, by=actor, at=now)
    held = {conflict.proposal_id for conflict in conflicts}
    return uow.proposals.approval(scope, run.id, conflicts).model_copy(
        update={
            "moved": moved,
            "dry_run": approval.dry_run,
            "sample": [one for one in sample if one.id not in held][:MOST_SAMPLED],
            "waiting": chosen.waiting,
            "go_on_after_table": chosen.go_on_after,
        }
    )


def _next_tables(places: Mapping[str, Sequence[tuple[int, str]]], after: str) -> _Chosen:
    """The proposals of the tables behind one, some 5000 and all of each table, so that it gets one version."""
    left = sorted((table, some) for table, some in places.items() if some and table > after)
    taken: list[tuple[int, str]] = []
    reached = None
    for table, some in left:
        if taken and len(taken) + len(some) > MOST_AT_ONCE:
            break
        taken += some
        reached = table
    waiting = sum(len(some) for _, some in left) - len(taken)
    return _Chosen([id for _, id in sorted(taken)], waiting, reached if waiting else None)


def approve_next(
    uow: UnitOfWork, scope: Scope, run: WorkflowRun, after: str, *, actor: str, now: datetime
) -> str | None:
    """Approve the next undecided proposals of a run with `save_all`; where to go on, or None when that were all.

    One call carries out some 5000, those about assets whose table comes behind `after`, and all of each table, so that
    a run makes one version of it. The run must be held. What cannot be carried out stays undecided.
    """
    taken = _next_tables(uow.proposals.by_table(scope, run.id), after)
    if not taken.ids:
        return None
    proposals = uow.proposals.of_run(scope, run.id, ids=taken.ids)
    _carry_out(uow, scope, run, proposals, Decided(ProposalState.APPROVED, actor, now, automatically=True))
    uow.proposals.decide(scope, run.id, Decision.APPROVE, "Accepted automatically, by save_all.", by=actor, at=now)
    return taken.go_on_after


def decide(
    uow: UnitOfWork,
    scope: Scope,
    run: WorkflowRun,
    ids: Sequence[str] | None,
    decision: Decision,
    *,
    actor: str,
    now: datetime,
) -> list[ProposalConflict]:
    """Move proposals as a decision says, with its effects; what could not be carried out. The run must be held."""
    if decision is not Decision.APPROVE:
        return _set_aside(uow, scope, run, ids, decision, actor=actor, now=now)
    if ids is None and uow.proposals.count(scope, run.id, ProposalState.PROPOSED) > MOST_AT_ONCE:
        raise ValidationError(
            f"This run has more than {MOST_AT_ONCE} undecided proposals. Approve them in parts, by proposal_ids.",
            status=422,
            field="proposal_ids",
        )
    waiting = uow.proposals.of_run(scope, run.id, ids=ids, state=ProposalState.PROPOSED)
    return _carry_out(uow, scope, run, waiting, Decided(ProposalState.APPROVED, actor, now))


def _refuse_idle(uow: UnitOfWork, scope: Scope, run_id: str, decision: Decision) -> None:
    """Raise 422 for a decision that would move nothing of a run and is not the one that stands: it would be untrue."""
    counts, (source, _) = uow.proposals.counts(scope, run_id), DECISION_MOVES[decision]
    left_open = decision is Decision.PENDING and counts[ProposalState.PROPOSED]
    if counts[source] or left_open or not any(counts.values()):
        return
    if uow.proposals.approval(scope, run_id).decision is decision:
        return
    told = ", ".join(f"{counts[state]} {state}" for state in ProposalState if counts[state])
    raise ValidationError(
        f"{decision.capitalize()} finds nothing to do: of this run's proposals {told}. {IDLE[decision]}",
        status=422,
        field="decision",
    )


def _set_aside(
    uow: UnitOfWork,
    scope: Scope,
    run: WorkflowRun,
    ids: Sequence[str] | None,
    decision: Decision,
    *,
    actor: str,
    now: datetime,
) -> list[ProposalConflict]:
    """Reject proposals, or take their rejection back: no asset changes, but what else stands on them may."""
    source, target = DECISION_MOVES[decision]
    moved = uow.proposals.of_run(scope, run.id, ids=ids, state=source, kinds=tuple(EFFECTS))
    problems = _problems_of(moved, take_effect(uow, scope, moved, Decided(target, actor, now)))
    by, at = (None, None) if decision is Decision.PENDING else (actor, now)
    if problems:
        every = uow.proposals.of_run(scope, run.id, ids=ids, state=source)
        ids = [proposal.id for proposal in every if proposal.id not in problems]
    uow.proposals.move(scope, run.id, ids, (source, target), by=by, at=at)
    return [conflict(proposal, problems[proposal.id]) for proposal in moved if proposal.id in problems]


def _problems_of(decided: Sequence[Proposal], told: Mapping[str, str]) -> dict[str, str]:
    """Return what effects could not do, of the kinds whose proposals change no asset by themselves."""
    return {
        proposal.id: told[proposal.id]
        for proposal in decided
        if proposal.id in told and proposal.kind not in SETS and proposal.kind not in FLAGS
    }


async def may_approve(ctx: Context, run_id: str) -> bool:
    """Return whether the caller may approve all that a run proposes: the right that changing the same by hand needs."""
    try:
        await require(ctx, Permission.CAN_MANAGE_METADATA, "project", str(ctx.project_id))
        await _may_change(ctx, run_id, None)
    except (Forbidden, NotFound):
        return False
    return True


async def _may_change(ctx: Context, run_id: str, ids: Sequence[str] | None, only: ProposalFilter | None = None) -> None:
    """Ask for the organization's own connections what the project's role does not answer."""
    uris = await ctx.store.read(lambda uow: uow.proposals.resource_uris(ctx.scope, run_id, ids, only or EVERY))
    for uri in sorted(uris):
        try:
            wide = ResourceUri.parse(uri).project_id is None
        except InvalidParameter:
            continue  # an asset that was written by hand names its resource freely
        if wide:
            await require(ctx, Permission.CAN_MANAGE_METADATA, "data_connection", uri)


def _movable(uow: UnitOfWork, scope: Scope, run_id: str, ids: Sequence[str], decision: Decision) -> list[str]:
    """The named proposals that the decision moves; one that stands there already is left. Raises 404 and 422.

    A joined one stands for its parts: those that the decision can move, as long as any stands where it comes from or
    leads to.
    """
    source, target = DECISION_MOVES[decision]
    found = {proposal.id: [(proposal.id, proposal.state)] for proposal in uow.proposals.of_run(scope, run_id, ids=ids)}
    found |= uow.proposals.parts_of(scope, run_id, [id for id in ids if id not in found])
    moved: dict[str, None] = {}
    for id in ids:
        if id not in found:
            raise NotFound("proposal", id)
        states = {state for _, state in found[id]}
        if not states & {source, target}:
            raise ValidationError(
                f"Proposal {id} is {' and '.join(sorted(states))}, and {decision} takes only what is {source}.",
                status=422,
                field="proposal_ids",
            )
        moved |= dict.fromkeys(part for part, state in found[id] if state is source)
    return list(moved)


def _carry_out(
    uow: UnitOfWork, scope: Scope, run: WorkflowRun, waiting: Sequence[Proposal], decided: Decided
) -> list[ProposalConflict]:
    """Carry proposals out as one edit of the catalog: one new version of each asset that they touch."""
    lock_services(uow.connection, scope, [proposal.asset_fqn for proposal in waiting])
    tags_of_run = _tags_approved(uow, scope, run.id)
    fallen = fallen_levels(uow, scope, waiting)
    conflicts = [conflict(proposal, fallen[proposal.id]) for proposal in waiting if proposal.id in fallen]
    by_asset: dict[tuple[str, str], list[Proposal]] = {}
    for proposal in waiting:
        if proposal.id in fallen:
            continue
        by_asset.setdefault((proposal.asset_fqn, proposal.resource_uri), []).append(proposal)
    approved: list[Proposal] = []
    edits: list[AssetChange] = []
    for (fqn, uri), about in sorted(by_asset.items()):
        draft = AssetDraft(tags_of_run.get(fqn, set()), decided)
        approved += draft.taken(uow, scope, uri, fqn, about, conflicts)
        if draft.changes:
            edits.append(AssetChange(uri, fqn, draft.changes))
    how = "accepted automatically" if decided.automatically else "approved"
    reason = f"Proposals of run {run.id} ({run.workflow_type}) were {how}."
    update_assets(uow.connection, scope, edits, actor=decided.by, now=decided.at, judge=judge, reason=reason)
    told = take_effect(uow, scope, approved, decided)
    problems = _problems_of(approved, told)
    conflicts += [conflict(proposal, problems[proposal.id]) for proposal in approved if proposal.id in problems]
    ids = [proposal.id for proposal in approved if proposal.id not in problems]
    uow.proposals.move(scope, run.id, ids, DECISION_MOVES[Decision.APPROVE], by=decided.by, at=decided.at)
    return conflicts


def _tags_approved(uow: UnitOfWork, scope: Scope, run_id: str) -> dict[str, set[str]]:
    """The tags that the run's approved proposals have added, by asset: they are no change by somebody else."""
    found: dict[str, set[str]] = {}
    for proposal in uow.proposals.of_run(scope, run_id, state=ProposalState.APPROVED):
        if proposal.kind in FLAGS:
            found.setdefault(proposal.asset_fqn, set()).add(str(proposal.proposed_value["tag_fqn"]))
    return found
