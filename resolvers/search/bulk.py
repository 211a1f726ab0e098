"""Operations on the search index: queue entities in and out, and find them (contract 4.6)."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated, Any, Final
from uuid import uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.jobs.port import JobContext
from persistence.queries.search import WantedEntities, words_of
from persistence.store import UnitOfWork
from resolvers.context import Context, Services
from resolvers.operation import OWN_VIEW, operation, require
from schema.errors import Forbidden, NotFound, OrgAccessDenied, ProjectAccessDenied, SearchQueryInvalid
from schema.governance.permission import Permission, ResourceType
from schema.pagination import Offset, Page, SearchLimit
from schema.search.entity import MOST_AT_ONCE, Accepted, EntityReference, IndexEntity, SearchHit, project_of

_RESERVED: Final = re.compile(r"&&|\|\||(?<![^\s(])(?:!+\s*|-)(?=\w)")
"""Operators as other searches know them; to pass over them would answer `!orders` with what holds orders."""
DRAIN_JOB: Final = "search-index"
"""The name of the job that applies what waits; its key is new for each request."""


@operation(needs=Permission.CAN_WRITE, kind=CallKind.BULK)
async def index_entities(
    ctx: Context, *, entities: Annotated[list[IndexEntity], Field(max_length=MOST_AT_ONCE)]
) -> Accepted:
    """Queue entities for the index of the selected project; they are found within moments.

    Organization and project of each must be the caller's, and so must the project that its permission_id lies in:
    whoever may read that finds it.
    """
    for position, entity in enumerate(entities):
        _own_organization(ctx, entity.organization_id, position)
        if entity.project_id != ctx.project_id:
            raise ProjectAccessDenied.lacking(
                Permission.CAN_WRITE,
                "project",
                entity.project_id,
                f"Entity {position} belongs to another project than the selected one. Send X-Project-ID for it.",
                field=f"{position}.project_id",
            )
    await _require_own_readers(ctx, entities)
    return await _queue(ctx, [(entity, entity.model_dump(mode="json")) for entity in entities])


@operation(needs=Permission.CAN_WRITE, kind=CallKind.BULK)
async def delete_entities(
    ctx: Context, *, references: Annotated[list[EntityReference], Field(max_length=MOST_AT_ONCE)]
) -> Accepted:
    """Queue entities of the selected project for removal from the index; one that is not there is no failure."""
    for position, reference in enumerate(references):
        _own_organization(ctx, reference.organization_id, position)
    return await _queue(ctx, [(reference, None) for reference in references])


@operation(needs=OWN_VIEW)
async def search_entities(
    ctx: Context,
    *,
    q: Annotated[
        str,
        Field(
            max_length=1000,
            description="Words that a hit must have, the last one also as a beginning. "
            "The signs && and ||, and ! and - before a word, are reserved.",
        ),
    ] = "",
    entity_type: Annotated[str, Field(max_length=64, description="Only entities of this type.")] | None = None,
    project_id: Annotated[str, Field(max_length=255, description="Only entities of this project.")] | None = None,
    limit: SearchLimit = 50,
    offset: Offset = 0,
) -> Page[SearchHit]:
    """Find entities of the caller's organization by their words, best first; without words all of them by title.

    Only what the caller may read is found and counted: each entity names the object whose can_read decides.
    """
    if reserved := _RESERVED.search(q):
        raise SearchQueryInvalid(
            f"q takes words that a hit must all have; {reserved[0].strip()} is reserved. Leave it out.",
            field="q",
            position=reserved.start(),
        )
    if q.strip() and not words_of(q):
        raise SearchQueryInvalid("q holds no word: write letters or digits.", field="q", position=0)
    wanted = WantedEntities(entity_type, project_id)
    asked = await ctx.store.read(lambda uow: uow.search.objects(ctx.organization_id, q, wanted))
    readable = await _readable(ctx, asked)
    return await ctx.store.read(
        lambda uow: uow.search.find(ctx.organization_id, q, wanted, readable, offset=offset, limit=limit)
    )


async def _require_own_readers(ctx: Context, entities: Sequence[IndexEntity]) -> None:
    """Refuse to show an entity to the readers of a project that the caller may not write to."""
    theirs = {project_of(entity.permission_id): position for position, entity in reversed([*enumerate(entities)])}
    for project, position in theirs.items():
        if project is None or project == ctx.project_id:
            continue
        try:
            await require(ctx, Permission.CAN_WRITE, "project", project)
        except Forbidden:
            raise ProjectAccessDenied.lacking(
                Permission.CAN_WRITE,
                "project",
                project,
                f"Entity {position} would be shown to the readers of a project that you may not write to.",
                field=f"{position}.permission_id",
            ) from None
        except NotFound:
            continue  # what names nothing is found by nobody


def _own_organization(ctx: Context, organization_id: str, position: int) -> None:
    if organization_id != ctx.organization_id:
        raise OrgAccessDenied.lacking(
            Permission.CAN_WRITE,
            "organization",
            organization_id,
            f"Entity {position} belongs to another organization than the token.",
            field=f"{position}.organization_id",
        )


async def _queue(
    ctx: Context, operations: list[tuple[IndexEntity | EntityReference, dict[str, Any] | None]]
) -> Accepted:
    now = ctx.now()
    rows = [
        {
            "organization_id": ctx.organization_id,
            "project_id": ctx.project_id,
            "entity_type": about.entity_type,
            "entity_id": about.entity_id,
            "entity": content,
            "queued_at": now,
        }
        for about, content in operations
    ]
    accepted = Accepted(accepted=len(rows))
    if rows:
        await ctx.store.write(lambda uow: uow.search.enqueue(rows), told=lambda _: accepted)
        await ctx.services.jobs.enqueue(DRAIN_JOB, {"organization_id": ctx.organization_id}, key=f"search-{uuid4()}")
    return accepted


async def _readable(ctx: Context, asked: list[tuple[str, str]]) -> list[tuple[str, str]]:
    by_type: dict[str, list[str]] = defaultdict(list)
    for type_, id_ in asked:
        by_type[type_].append(id_)
    readable: list[tuple[str, str]] = []
    for type_, ids in by_type.items():
        if type_ in set(ResourceType):
            answers = await ctx.guard.allows_many(ctx.caller, Permission.CAN_READ, type_, ids)
            readable += [(type_, id_) for id_, allowed in answers.items() if allowed]
    return readable


class SearchIndexer:
    """Applies what waits for the index, in whichever process the job engine chooses."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def register(self) -> None:
        """Tell the job engine what it can be asked to do."""
        self._services.jobs.register(DRAIN_JOB, self._drain)

    async def take_up(self) -> None:
        """Queue a job for whatever waits: a process can die after it wrote operations down and before it queued one."""
        for organization_id in await self._services.store.read(lambda uow: uow.search.waiting()):
            await self._services.jobs.enqueue(DRAIN_JOB, {"organization_id": organization_id}, key=f"search-{uuid4()}")

    async def _drain(self, job: JobContext, arguments: dict[str, Any]) -> dict[str, Any] | None:
        organization_id, applied = arguments["organization_id"], 0

        def work(uow: UnitOfWork) -> int:
            return uow.search.drain(organization_id, self._services.clock())

        while number := await self._services.store.write(work):
            applied += number
        return {"applied": applied}
