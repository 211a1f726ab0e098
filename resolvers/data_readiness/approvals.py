"""What can be done with the proposals of a run: list them, decide about them, see what was decided.

Proposals are made by engines and change nothing until they are approved; a run with `save_all` approves its own as it
completes (`approve_next`). Approving carries a proposal out through the catalog's own edit, so that it makes a version,
leaves what people wrote and can be read in the asset's history.

A proposal was made about an asset as it was. When the field it is about holds something else by now, or the asset is
gone, it is a conflict: it stays undecided and is told, while every other proposal is carried out whole. A decision and
all its effects (those on other things than the catalog are in `effects.py`) are one transaction.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter
from pydantic import ValidationError as PydanticError

from persistence.queries.catalog import get_asset, update_asset
from persistence.queries.enrichment import beside_standing
from persistence.repository import Scope
from persistence.store import Shelves
from persistence.tables.data_readiness import proposals as table
from resolvers.context import Context
from resolvers.data_readiness.effects import EFFECTS, take_effect
from resolvers.data_readiness.levels import fallen_levels
from resolvers.data_readiness.runs import RunId
from resolvers.engines.catalog_diff import judge
from resolvers.operation import Kind, operation, require
from schema.data_readiness.proposal import (
    DECISION_MOVES,
    FLAGS,
    SETS,
    ApprovalDecision,
    Decision,
    Proposal,
    ProposalConflict,
    ProposalKind,
    ProposalState,
    RunApproval,
)
from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
from schema.errors import InvalidParameter, NotFound, ValidationError
from schema.governance.permission import Permission
from schema.grammar import ANY_NAME
from schema.identifiers import ResourceUri
from schema.pagination import Page, PageNumber, PageSize
from schema.utils.metadata_asset import AssetTagInput

MOST_AT_ONCE: Final = 5000
"""How many proposals one decision carries out: more would hold the catalog's writers up for too long."""

_TEXT: Final = TypeAdapter(Annotated[str, Field(min_length=1, max_length=100_000)])


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
    min_confidence: Annotated[
        float | None, Field(ge=0, le=1, description="Only those that the engine is at least so sure of.")
    ] = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[Proposal]:
    """List what a run proposes, in its order, each beside what stood there when it was made and what stands now."""
    where = [] if min_confidence is None else [table.c.confidence >= min_confidence]

    def work(shelves: Shelves) -> Page[Proposal]:
        run = shelves.workflow_runs.get(ctx.scope, str(run_id))
        found = shelves.proposals.page(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            order=[table.c.position],
            where=where,
            run_id=run.id,
            state=state,
            kind=kind,
            asset_fqn=asset_fqn,
        )
        return found.model_copy(update={"items": beside_standing(shelves.connection, ctx.scope, found.items)})

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_READ_METADATA)
async def get_run_approval(ctx: Context, *, run_id: RunId) -> RunApproval:
    """Get the latest decision about a run's proposals, and how many of them stand where."""

    def work(shelves: Shelves) -> RunApproval:
        return shelves.proposals.approval(ctx.scope, shelves.workflow_runs.get(ctx.scope, str(run_id)).id)

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_MANAGE_METADATA, kind=Kind.WRITE)
async def decide_run(ctx: Context, *, run_id: RunId, approval: ApprovalDecision) -> RunApproval:
    """Approve or reject the undecided proposals of a completed run, or those that `proposal_ids` names.

    Approving carries a proposal out at once, as a new version of its asset; what was approved stays. `pending` lets
    rejected proposals be decided again. A proposal whose asset has changed since it was made, and a sensitivity level
    whose personal data was rejected since, stay undecided and are listed under `conflicts`.

    It needs can_manage_metadata, as changing the same asset by hand does: that is what approving comes to. For assets
    of a connection that belongs to the whole organization it is asked there as well. A run that is not completed, more
    than 5000 proposals to carry out, and a named proposal that was decided the other way are a 422.
    """
    ids = None if approval.proposal_ids is None else sorted({str(id) for id in approval.proposal_ids})
    if approval.decision is Decision.APPROVE:
        await _may_change(ctx, str(run_id), ids)
    now = ctx.now()

    def work(shelves: Shelves) -> RunApproval:
        run = shelves.workflow_runs.held(ctx.scope, str(run_id))
        if run.status is not RunStatus.COMPLETED:
            raise ValidationError(
                f"This run is {run.status}. Only the proposals of a completed run can be decided.",
                status=422,
                field="status",
            )
        named = None if ids is None else _movable(shelves, ctx.scope, run.id, ids, approval.decision)
        conflicts = decide(shelves, ctx.scope, run, named, approval.decision, actor=ctx.caller.user_id, now=now)
        shelves.proposals.decide(ctx.scope, run.id, approval.decision, approval.notes, by=ctx.caller.user_id, at=now)
        return shelves.proposals.approval(ctx.scope, run.id, conflicts)

    return await ctx.store.write(work)


def approve_next(
    shelves: Shelves, scope: Scope, run: WorkflowRun, after: int, *, actor: str, now: datetime
) -> int | None:
    """Approve the next undecided proposals of a run with `save_all`; where to go on, or None when that were all.

    At most 5000 are carried out by one call, those behind the place `after`; the run must be held. What cannot be
    carried out stays undecided.
    """
    waiting = shelves.proposals.behind(scope, run.id, after, ProposalState.PROPOSED, MOST_AT_ONCE)
    if waiting:
        _carry_out(shelves, scope, run, [proposal for _, proposal in waiting], actor=actor, now=now)
        shelves.proposals.decide(scope, run.id, Decision.APPROVE, "Approved by save_all.", by=actor, at=now)
    return waiting[-1][0] if len(waiting) == MOST_AT_ONCE else None


def decide(
    shelves: Shelves,
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
        return _set_aside(shelves, scope, run, ids, decision, actor=actor, now=now)
    if ids is None and shelves.proposals.count(scope, run.id, ProposalState.PROPOSED) > MOST_AT_ONCE:
        raise ValidationError(
            f"This run has more than {MOST_AT_ONCE} undecided proposals. Approve them in parts, by proposal_ids.",
            status=422,
            field="proposal_ids",
        )
    waiting = shelves.proposals.of_run(scope, run.id, ids=ids, state=ProposalState.PROPOSED)
    return _carry_out(shelves, scope, run, waiting, actor=actor, now=now)


def _set_aside(
    shelves: Shelves,
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
    moved = shelves.proposals.of_run(scope, run.id, ids=ids, state=source, kinds=tuple(EFFECTS))
    problems = _problems_of(moved, take_effect(shelves, scope, moved, target, actor, now))
    by, at = (None, None) if decision is Decision.PENDING else (actor, now)
    if problems:
        every = shelves.proposals.of_run(scope, run.id, ids=ids, state=source)
        ids = [proposal.id for proposal in every if proposal.id not in problems]
    shelves.proposals.move(scope, run.id, ids, (source, target), by=by, at=at)
    return [_conflict(proposal, problems[proposal.id]) for proposal in moved if proposal.id in problems]


def _problems_of(decided: Sequence[Proposal], told: Mapping[str, str]) -> dict[str, str]:
    """What effects could not do, of the kinds whose proposals change no asset by themselves."""
    return {
        proposal.id: told[proposal.id]
        for proposal in decided
        if proposal.id in told and proposal.kind not in SETS and proposal.kind not in FLAGS
    }


async def _may_change(ctx: Context, run_id: str, ids: Sequence[str] | None) -> None:
    """Ask for the organization's own connections what the project's role does not answer."""
    uris = await ctx.store.read(lambda shelves: shelves.proposals.resource_uris(ctx.scope, run_id, ids))
    for uri in sorted(uris):
        try:
            wide = ResourceUri.parse(uri).project_id is None
        except InvalidParameter:
            continue  # an asset that was written by hand names its resource freely
        if wide:
            await require(ctx, Permission.CAN_MANAGE_METADATA, "data_connection", uri)


def _movable(shelves: Shelves, scope: Scope, run_id: str, ids: Sequence[str], decision: Decision) -> list[str]:
    """The named proposals that the decision moves; one that stands there already is left. Raises 404 and 422."""
    source, target = DECISION_MOVES[decision]
    found = {proposal.id: proposal for proposal in shelves.proposals.of_run(scope, run_id, ids=ids)}
    for id in ids:
        if id not in found:
            raise NotFound("proposal", id)
        if found[id].state not in (source, target):
            raise ValidationError(
                f"Proposal {id} is {found[id].state}, and {decision} takes only what is {source}.",
                status=422,
                field="proposal_ids",
            )
    return [id for id in ids if found[id].state is source]


def _carry_out(
    shelves: Shelves, scope: Scope, run: WorkflowRun, waiting: Sequence[Proposal], *, actor: str, now: datetime
) -> list[ProposalConflict]:
    """Carry proposals out, one edit for each asset, in the order of the names so that no two wait for one another."""
    tags_of_run = _tags_approved(shelves, scope, run.id)
    fallen = fallen_levels(shelves, scope, waiting)
    conflicts = [_conflict(proposal, fallen[proposal.id]) for proposal in waiting if proposal.id in fallen]
    by_asset: dict[tuple[str, str], list[Proposal]] = {}
    for proposal in waiting:
        if proposal.id in fallen:
            continue
        by_asset.setdefault((proposal.asset_fqn, proposal.resource_uri), []).append(proposal)
    approved: list[Proposal] = []
    for (fqn, uri), about in sorted(by_asset.items()):
        changes, taken = _changes(shelves, scope, uri, fqn, about, tags_of_run.get(fqn, set()), conflicts)
        if changes:
            update_asset(
                shelves.connection,
                scope,
                uri,
                fqn,
                changes,
                actor=actor,
                now=now,
                judge=judge,
                reason=f"Proposals of run {run.id} ({run.workflow_type}) were approved.",
            )
        approved += taken
    told = take_effect(shelves, scope, approved, ProposalState.APPROVED, actor, now)
    problems = _problems_of(approved, told)
    conflicts += [_conflict(proposal, problems[proposal.id]) for proposal in approved if proposal.id in problems]
    ids = [proposal.id for proposal in approved if proposal.id not in problems]
    shelves.proposals.move(scope, run.id, ids, DECISION_MOVES[Decision.APPROVE], by=actor, at=now)
    return conflicts


def _tags_approved(shelves: Shelves, scope: Scope, run_id: str) -> dict[str, set[str]]:
    """The tags that the run's approved proposals have added, by asset: they are no change by somebody else."""
    found: dict[str, set[str]] = {}
    for proposal in shelves.proposals.of_run(scope, run_id, state=ProposalState.APPROVED):
        if proposal.kind in FLAGS:
            found.setdefault(proposal.asset_fqn, set()).add(str(proposal.proposed_value["tag_fqn"]))
    return found


def _changes(
    shelves: Shelves,
    scope: Scope,
    uri: str,
    fqn: str,
    about: Sequence[Proposal],
    own_tags: set[str],
    conflicts: list[ProposalConflict],
) -> tuple[dict[str, Any], list[Proposal]]:
    """What the proposals about one asset change, and which of them hold; the others are added to `conflicts`."""
    try:
        asset = get_asset(shelves.connection, scope, uri, fqn).document()
    except NotFound:
        conflicts += [_conflict(proposal, "The asset is no longer in the catalog.") for proposal in about]
        return {}, []
    changes: dict[str, Any] = {}
    taken: list[Proposal] = []
    for proposal in about:
        problem = _applied(proposal, asset, changes, own_tags)
        if problem is None:
            taken.append(proposal)
        else:
            conflicts.append(_conflict(proposal, problem))
    return changes, taken


def _applied(proposal: Proposal, asset: Mapping[str, Any], changes: dict[str, Any], own_tags: set[str]) -> str | None:
    """Add one proposal to the changes of its asset, or say why it cannot be."""
    if proposal.kind in FLAGS:
        return _tagged(proposal, asset, changes, own_tags)
    name = SETS.get(proposal.kind)
    if name is None:
        return None  # approving it changes no asset by itself; `effects.py` may say what else it does
    if name in changes:
        return f"Another proposal for the same {name} was approved before it."
    if asset.get(name) != proposal.current_value:
        return f"The {name} was changed since the proposal was made."
    try:
        changes[name] = _TEXT.validate_python(proposal.proposed_value, strict=True)
    except PydanticError:
        return f"What is proposed is no {name} that the catalog can keep."
    return None


def _tagged(proposal: Proposal, asset: Mapping[str, Any], changes: dict[str, Any], own_tags: set[str]) -> str | None:
    standing = {tag["tag_fqn"] for tag in asset["tags"] or ()}
    before = {tag["tag_fqn"] for tag in proposal.current_value or ()}
    if standing - own_tags != before - own_tags:
        return "The tags were changed since the proposal was made."
    try:
        tag = AssetTagInput.model_validate(proposal.proposed_value).model_dump()
    except PydanticError:
        return "What is proposed is no tag that the catalog can keep."
    tags = changes.get("tags", list(asset["tags"] or ()))
    if proposal.kind is ProposalKind.SENSITIVITY_TAG:  # an asset has one level
        tags = [other for other in tags if other["category_name"] != tag["category_name"] or other == tag]
    if all(other["tag_fqn"] != tag["tag_fqn"] for other in tags):
        changes["tags"] = [*tags, tag]
    if (flag := FLAGS[proposal.kind]) is not None:
        changes[flag] = True
    return None


def _conflict(proposal: Proposal, message: str) -> ProposalConflict:
    return ProposalConflict(
        proposal_id=proposal.id, asset_fqn=proposal.asset_fqn, field=proposal.field, message=message
    )
