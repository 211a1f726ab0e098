"""Operations on glossary terms: define, read, change, decide about, delete, and link them to assets."""

from collections.abc import Collection
from typing import Annotated, Any
from uuid import uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.integrity import IntegrityError
from persistence.queries.glossary import DEEPEST, SORTABLE, words_of
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import operation
from schema.data_readiness.glossary import (
    DECISIONS,
    MOVES,
    REVIEWED_FIELDS,
    GlossaryTerm,
    GlossaryTermCreate,
    GlossaryTermDeleted,
    GlossaryTermUpdate,
    TermAsset,
    TermAssetCreate,
    TermAssetUnlinked,
    TermDecision,
    TermReview,
    TermStatus,
)
from schema.errors import AlreadyExists, NotFound, ValidationError
from schema.governance.permission import Permission
from schema.grammar import ANY_NAME, sort_by
from schema.pagination import Page, PageNumber, PageSize
from schema.utils.metadata_asset import AssetOwner, AssetType

TermId = Annotated[str, Field(min_length=1, max_length=255, description="The term's id.")]
NOT_NULL = ("name", "synonyms", "related_terms", "owners", "tags", "status")


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_glossary_term(ctx: Context, *, term: GlossaryTermCreate) -> GlossaryTerm:
    """Define a term in the glossary of the selected project, as a draft or for review."""
    if term.status not in (TermStatus.DRAFT, TermStatus.IN_REVIEW):
        raise ValidationError(
            "A new term is a draft or in_review; an approval follows a review.", status=422, field="status"
        )
    now, user = ctx.now(), ctx.caller.user_id
    new = GlossaryTerm(
        id=str(uuid4()),
        name=term.name,
        display_name=term.display_name,
        definition=term.definition,
        synonyms=term.synonyms,
        related_terms=term.related_terms,
        parent_term_id=term.parent_term_id,
        owners=[AssetOwner(name=owner.name, type=owner.type, id=owner.id) for owner in term.owners],
        tags=term.tags,
        status=term.status,
        reviewed_by=None,
        reviewed_at=None,
        review_notes=None,
        version=1,
        asset_count=0,
        created_at=now,
        updated_at=now,
        created_by=user,
        updated_by=user,
    )

    def work(uow: UnitOfWork) -> GlossaryTerm:
        if new.parent_term_id is not None:
            _check_parent(ctx, uow, new.parent_term_id, height=1)
        return uow.glossary_terms.add(
            new, organization_id=ctx.organization_id, project_id=ctx.project_id, search_words=_words(new.model_dump())
        )

    try:
        return await ctx.store.write(work)
    except IntegrityError:
        raise await _taken(ctx, term.name, new.id) from None


@operation(needs=Permission.CAN_READ)
async def list_glossary_terms(
    ctx: Context,
    *,
    search: Annotated[str, Field(max_length=255, description="Part of a name, synonym or definition.")] | None = None,
    status: TermStatus | None = None,
    parent_term_id: Annotated[str, Field(min_length=1, max_length=255, description="Only terms directly below this.")]
    | None = None,
    asset_fqn: Annotated[
        str, Field(min_length=1, max_length=2000, description="Only terms linked to this asset."), ANY_NAME
    ]
    | None = None,
    sort: Annotated[
        str,
        Field(max_length=200, description="field:order, comma-separated, such as updated_at:desc."),
        sort_by(SORTABLE, of="GlossaryTerm"),
    ] = "name:asc",
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[GlossaryTerm]:
    """List the terms of the selected project, by name."""
    return await ctx.store.read(
        lambda uow: uow.glossary_terms.listed(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            sort=sort,
            search=search,
            asset_fqn=asset_fqn,
            status=status,
            parent_term_id=parent_term_id,
        )
    )


@operation(needs=Permission.CAN_READ)
async def get_glossary_term(ctx: Context, *, term_id: TermId) -> GlossaryTerm:
    """Get a term."""
    return await ctx.store.read(lambda uow: uow.glossary_terms.get(ctx.scope, term_id))


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def update_glossary_term(ctx: Context, *, term_id: TermId, changes: GlossaryTermUpdate) -> GlossaryTerm:
    """Update a term; only the fields that are sent change.

    A draft goes into review and back; an approved term may be deprecated; a rejected or deprecated one becomes a draft
    again. Approval is a decision of its own. A new name, definition or synonym puts an approved term back into review.
    """
    given = changes.given()
    for name in NOT_NULL:
        if name in given and given[name] is None:
            raise ValidationError(f"{name} cannot be null. Leave it out to keep it.", status=422, field=name)
    now, user = ctx.now(), ctx.caller.user_id

    def work(uow: UnitOfWork) -> GlossaryTerm:
        current = uow.glossary_terms.get(ctx.scope, term_id)
        standing = current.model_dump(mode="python")
        values = {name: value for name, value in given.items() if standing[name] != value}
        if "status" in values and values["status"] not in MOVES[current.status]:
            allowed = ", ".join(status for status in TermStatus if status in MOVES[current.status])
            raise ValidationError(
                f"An update cannot move a term from {current.status} to {values['status']}, but to {allowed}. "
                "A decision approves or rejects a term that is in_review.",
                status=422,
                field="status",
            )
        if current.status is TermStatus.APPROVED and REVIEWED_FIELDS & values.keys():
            values.setdefault("status", TermStatus.IN_REVIEW)
        if values.get("parent_term_id") is not None:
            height = uow.glossary_terms.height(ctx.scope, term_id)
            _check_parent(ctx, uow, values["parent_term_id"], below=term_id, height=height)
        values["search_words"] = _words(standing | values)
        return _next_version(ctx, uow, current, values | {"updated_at": now, "updated_by": user})

    try:
        return await ctx.store.write(work)
    except IntegrityError:
        raise await _taken(ctx, str(given.get("name")), term_id) from None


@operation(needs=Permission.CAN_MANAGE_METADATA, kind=CallKind.WRITE)
async def review_glossary_term(ctx: Context, *, term_id: TermId, review: TermReview) -> GlossaryTerm:
    """Approve or reject a term that is in review, or put one that was decided on back into review.

    A term needs a definition to be approved.
    """
    to, from_ = DECISIONS[review.decision]
    now, user = ctx.now(), ctx.caller.user_id

    def work(uow: UnitOfWork) -> GlossaryTerm:
        current = uow.glossary_terms.get(ctx.scope, term_id)
        if current.status not in from_:
            needed = " or ".join(status for status in TermStatus if status in from_)
            raise ValidationError(
                f"This term is {current.status}; {review.decision} takes one that is {needed}.{_way(current, from_)}",
                status=422,
                field="decision",
            )
        if review.decision is TermDecision.APPROVE and not (current.definition or "").strip():
            raise ValidationError("Define the term before it is approved.", status=422, field="definition")
        values = {"status": to, "reviewed_by": user, "reviewed_at": now, "review_notes": review.notes}
        return _next_version(ctx, uow, current, values | {"updated_at": now, "updated_by": user})

    return await ctx.store.write(work)


def _way(term: GlossaryTerm, from_: Collection[TermStatus]) -> str:
    """Return what brings a term into review, where a decision needs it there and one step does."""
    if TermStatus.IN_REVIEW not in from_:
        return ""
    if TermStatus.IN_REVIEW in MOVES[term.status]:
        return f" Update its status to {TermStatus.IN_REVIEW} first."
    return f" Decide {TermDecision.PENDING} first." if term.status in DECISIONS[TermDecision.PENDING][1] else ""


@operation(needs=Permission.CAN_DELETE, kind=CallKind.WRITE)
async def delete_glossary_term(ctx: Context, *, term_id: TermId) -> GlossaryTermDeleted:
    """Delete a term with its links to assets; terms below it stand by themselves then.

    Refused with 422 while a workflow uses the term: a configuration, or a run that is not over, that names its id, or
    a context pack of which a memory names it; and a run that is not over and has proposed to link it. The details name
    that workflow. What completed runs propose about the term and nobody has decided is a conflict when it is approved.
    """

    def work(uow: UnitOfWork) -> None:
        uow.glossary_terms.get(ctx.scope, term_id)
        user = uow.glossary_terms.user_of(ctx.scope, term_id)
        if user is not None:
            what = f"run {user['workflow_run_id']!r}" if "workflow_run_id" in user else "configuration"
            details: dict[str, Any] = {"resource_type": "glossary_term", "resource_id": term_id} | user
            raise ValidationError(
                f"The workflow {user['workflow_id']!r} uses this term in its {what}. Wait for the run or cancel it, "
                "or take the term out of the workflow, then delete it.",
                status=422,
                field="term_id",
                **details,
            )
        uow.glossary_terms.drop(ctx.scope, term_id, expected=ctx.expected_revision)

    done = GlossaryTermDeleted(term_id=term_id, deleted=True)
    await ctx.store.write(work, told=lambda _: done)
    return done


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def link_glossary_term(ctx: Context, *, term_id: TermId, asset: TermAssetCreate) -> TermAsset:
    """Link a term to an asset of the project's catalog."""
    now, user = ctx.now(), ctx.caller.user_id

    def work(uow: UnitOfWork) -> TermAsset:
        uow.glossary_terms.get(ctx.scope, term_id)
        found = uow.term_assets.asset(ctx.scope, asset.asset_fqn)
        if found is None:
            raise ValidationError(
                f"There is no asset {asset.asset_fqn[:200]!r} in the project's catalog. Search it to find one.",
                status=422,
                field="asset_fqn",
            )
        new = TermAsset(
            term_id=term_id,
            asset_id=found[0],
            asset_fqn=asset.asset_fqn,
            asset_type=AssetType(found[1]),
            created_at=now,
            created_by=user,
        )
        uow.glossary_terms.count_asset(ctx.scope, term_id, 1)
        return uow.term_assets.add(new, organization_id=ctx.organization_id, project_id=ctx.project_id)

    try:
        return await ctx.store.write(work)
    except IntegrityError:
        raise AlreadyExists(
            "The term is linked to this asset already.",
            resource_type="glossary_term_asset",
            resource_id=f"{term_id}/{asset.asset_fqn}",
        ) from None


@operation(needs=Permission.CAN_READ)
async def list_glossary_term_assets(
    ctx: Context, *, term_id: TermId, page: PageNumber = 1, limit: PageSize = 20
) -> Page[TermAsset]:
    """List the assets that a term is linked to, by their names."""

    def work(uow: UnitOfWork) -> Page[TermAsset]:
        uow.glossary_terms.get(ctx.scope, term_id)
        return uow.term_assets.page(ctx.scope, offset=(page - 1) * limit, limit=limit, term_id=term_id)

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def unlink_glossary_term(
    ctx: Context,
    *,
    term_id: TermId,
    asset_fqn: Annotated[
        str, Field(min_length=1, max_length=2000, description="The linked asset's dotted name."), ANY_NAME
    ],
) -> TermAssetUnlinked:
    """Remove the link between a term and an asset."""

    def work(uow: UnitOfWork) -> None:
        uow.glossary_terms.get(ctx.scope, term_id)
        if not uow.term_assets.unlink(ctx.scope, term_id, asset_fqn):
            raise NotFound("glossary_term_asset", asset_fqn)
        uow.glossary_terms.count_asset(ctx.scope, term_id, -1)

    done = TermAssetUnlinked(term_id=term_id, asset_fqn=asset_fqn, deleted=True)
    await ctx.store.write(work, told=lambda _: done)
    return done


def _next_version(ctx: Context, uow: UnitOfWork, current: GlossaryTerm, values: dict[str, Any]) -> GlossaryTerm:
    return uow.glossary_terms.next_version(ctx.scope, current.id, values, expected=ctx.expected_of(current))


def _check_parent(ctx: Context, uow: UnitOfWork, parent: str, *, height: int, below: str | None = None) -> None:
    """Raise 422 unless a term can be put below the parent: it stands, is not below the term itself, nor too deep."""
    field = "parent_term_id"
    if uow.glossary_terms.find(ctx.scope, parent) is None:
        raise ValidationError(f"There is no term {parent!r} in this project.", status=422, field=field)
    above = uow.glossary_terms.ancestors(ctx.scope, parent)
    if below in above:
        raise ValidationError("A term cannot stand below itself. Choose another parent.", status=422, field=field)
    if len(above) + height > DEEPEST:
        raise ValidationError(f"Terms stand {DEEPEST} deep at most.", status=422, field=field)


def _words(values: dict[str, Any]) -> str:
    return words_of([values["name"], values["display_name"], *values["synonyms"], values["definition"]])


async def _taken(ctx: Context, name: str, id: str) -> AlreadyExists:
    """Return what to say of a name that another term has; `id` is told where that one is gone by now."""
    standing = await ctx.store.read(lambda uow: uow.glossary_terms.id_where(ctx.scope, name=name))
    return AlreadyExists(
        f"There is a term {name!r} in this project already. Update that one, or choose another name.",
        resource_type="glossary_term",
        resource_id=standing or id,
    )
