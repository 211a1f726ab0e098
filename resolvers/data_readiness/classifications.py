"""Operations on classifications: list them with their evidence, decide about one, read the taxonomy."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.catalog_edit import update_asset
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.approval.classifications import KINDS
from resolvers.engines.catalog_diff import judge
from resolvers.engines.recognition import RECOGNIZERS, VERSION
from resolvers.engines.recognition.taxonomy import LEVELS, TAXONOMY, Level
from resolvers.operation import operation, require
from schema.data_readiness.classification import (
    CATEGORIES,
    MOVES,
    Classification,
    ClassificationDecision,
    ClassificationKind,
    ClassificationState,
    SensitivityLevel,
    TaxonomyTag,
)
from schema.data_readiness.proposal import FLAGS, ProposalState
from schema.errors import InvalidParameter, NotFound, ValidationError
from schema.governance.permission import Permission
from schema.grammar import ANY_NAME
from schema.identifiers import ResourceUri, parse_fqn
from schema.pagination import Page, PageNumber, PageSize

ClassificationId = Annotated[UUID, Field(description="The classification's id.")]

_PROPOSALS = {kind: proposal for proposal, kind in KINDS.items()}
_STATES = {
    ClassificationState.CONFIRMED: ProposalState.APPROVED,
    ClassificationState.REJECTED: ProposalState.REJECTED,
}


@operation(needs=Permission.CAN_READ_METADATA)
async def list_classifications(
    ctx: Context,
    *,
    asset_fqn: Annotated[
        str,
        Field(min_length=1, max_length=4000, description="Only those of this asset and of all that is under it."),
        ANY_NAME,
    ]
    | None = None,
    kind: ClassificationKind | None = None,
    state: ClassificationState | None = None,
    tag_fqn: Annotated[str, Field(min_length=1, max_length=1000, description="Such as PII.Email.")] | None = None,
    min_confidence: Annotated[
        float | None, Field(ge=0, le=1, description="Only those that the engine is at least so sure of.")
    ] = None,
    workflow_run_id: Annotated[UUID, Field(description="Only those that this run saw last.")] | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[Classification]:
    """List the tags that engines have found on assets of the catalog, by asset, the surest first."""
    name = None if asset_fqn is None else str(parse_fqn(asset_fqn, field="asset_fqn"))
    return await ctx.store.read(
        lambda uow: uow.classifications.listed(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            at_or_under=name,
            min_confidence=min_confidence,
            kind=kind,
            state=state,
            tag_fqn=tag_fqn,
            workflow_run_id=None if workflow_run_id is None else str(workflow_run_id),
        )
    )


@operation(needs=Permission.CAN_READ_METADATA)
async def get_classification(ctx: Context, *, classification_id: ClassificationId) -> Classification:
    """Get a tag that an engine has found, with its evidence."""
    return await ctx.store.read(lambda uow: uow.classifications.get(ctx.scope, str(classification_id)))


@operation(needs=Permission.CAN_MANAGE_METADATA, kind=CallKind.WRITE)
async def decide_classification(
    ctx: Context, *, classification_id: ClassificationId, decision: ClassificationDecision
) -> Classification:
    """Confirm or reject a tag that an engine has found, or take a rejection back.

    It does what approving or rejecting its proposal does: the tag is put on the asset as a new version of it, and
    undecided proposals of the same tag are decided with it. Rejecting a tag that stands on the asset takes it off. No
    later run changes the decision. It needs can_manage_metadata, for assets of a connection that belongs to the whole
    organization there as well.
    """
    id, now, user = str(classification_id), ctx.now(), ctx.caller.user_id
    found = await ctx.store.read(lambda uow: uow.classifications.get(ctx.scope, id))
    await _may_change(ctx, found.resource_uri)

    def work(uow: UnitOfWork) -> Classification:
        current = uow.classifications.get(ctx.scope, id)
        if decision.state is current.state:  # who decided so, and when, stays too
            return uow.classifications.change(ctx.scope, id, {}, expected=ctx.expected_of(current))
        if decision.state not in MOVES[current.state]:
            allowed = ", ".join(state for state in ClassificationState if state in MOVES[current.state])
            raise ValidationError(
                f"A classification that is {current.state} cannot become {decision.state}, but {allowed}.",
                status=422,
                field="state",
            )
        by, at = (None, None) if decision.state is ClassificationState.SUGGESTED else (user, now)
        values = {"state": decision.state.value, "decided_by": by, "decided_at": at, "updated_at": now}
        expected = ctx.expected_of(current)
        moved = uow.classifications.change(ctx.scope, id, values, expected=expected)
        if decision.state is not ClassificationState.SUGGESTED:
            _set_tag(uow, ctx.scope, current, decision.state, actor=user, now=now)
            _decide_proposals(uow, ctx.scope, current, decision.state, actor=user, now=now)
        return moved

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_READ_METADATA)
async def list_taxonomy(ctx: Context) -> Page[TaxonomyTag]:
    """List every kind of personal or secret data that is looked for, with its sensitivity and its recognisers."""
    found = [
        TaxonomyTag(
            tag_fqn=f"{CATEGORIES[ClassificationKind.PII]}.{tag.name}",
            description=tag.description,
            sensitivity=SensitivityLevel(tag.level.tag),
            is_contextual=tag.contextual,
            recognizers=[f"{one.name}: {one.reason}" for one in RECOGNIZERS if one.tag == tag.name],
            recognizer_version=VERSION,
        )
        for tag in TAXONOMY.values()
    ]
    return Page[Any].model_construct(items=found, total=len(found), offset=0, limit=len(found))


async def _may_change(ctx: Context, uri: str) -> None:
    """Ask for the organization's own connections what the project's role does not answer."""
    try:
        wide = ResourceUri.parse(uri).project_id is None
    except InvalidParameter:
        return  # an asset that was written by hand names its resource freely
    if wide:
        await require(ctx, Permission.CAN_MANAGE_METADATA, "data_connection", uri)


def _set_tag(
    uow: UnitOfWork, scope: Scope, one: Classification, state: ClassificationState, *, actor: str, now: Any
) -> None:
    """Put the tag on the asset, or take it off."""
    standing = uow.classifications.tags_of(scope, [one.asset_fqn]).get(one.asset_fqn)
    if standing is None:
        if state is ClassificationState.CONFIRMED:
            raise NotFound("asset", one.asset_fqn)
        return
    tags = [dict(tag) for tag in standing.tags]
    category, name = one.tag_fqn.split(".", 1)
    flag = FLAGS[_PROPOSALS[one.kind]] if one.kind in _PROPOSALS else None
    changes: dict[str, Any] = {}
    if state is ClassificationState.CONFIRMED:
        if one.tag_fqn not in standing.fqns:
            tag = {"tag_id": one.tag_fqn, "tag_fqn": one.tag_fqn, "category_name": category, "tag_name": name}
            changes["tags"] = [*tags, {**tag, "tag_description": _described(one)}]
        if flag:
            changes[flag] = True
    elif one.tag_fqn in standing.fqns:
        changes["tags"] = [tag for tag in tags if tag["tag_fqn"] != one.tag_fqn]  # its mark goes with the last one
    if changes:
        update_asset(
            uow.connection, scope, standing.resource_uri, one.asset_fqn, changes, actor=actor, now=now, judge=judge,
            reason=f"The classification {one.tag_fqn} was {state}.",
        )  # fmt: skip


def _described(one: Classification) -> str:
    name = one.tag_fqn.split(".", 1)[1]
    if one.kind is ClassificationKind.SENSITIVITY and name.upper() in Level.__members__:
        return LEVELS[Level[name.upper()]]
    return TAXONOMY[name].description if name in TAXONOMY else ""


def _decide_proposals(
    uow: UnitOfWork, scope: Scope, one: Classification, state: ClassificationState, *, actor: str, now: Any
) -> None:
    """Decide the undecided proposals of the same tag with it."""
    if one.kind not in _PROPOSALS:
        return
    for run_id, ids in uow.proposals.undecided_tags(scope, one.asset_fqn, _PROPOSALS[one.kind], one.tag_fqn).items():
        uow.proposals.move(scope, run_id, ids, (ProposalState.PROPOSED, _STATES[state]), by=actor, at=now)
