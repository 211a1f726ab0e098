"""Defines what files and artifacts share: URIs, relations, the filters of lists, and the way their bytes go out."""

import hashlib
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import Field

from auth.relations import RelationTuple, object_name, user_subject
from persistence.queries.files import ContentRepository, StoredBytes
from persistence.store import UnitOfWork
from resolvers.context import Context
from schema.content import Download
from schema.grammar import sort_by
from schema.identifiers import ResourceUri, slug, unique_slug
from schema.typed import ALL_TAGS

Search = Annotated[str, Field(max_length=255, description="Part of the name or description.")]
TagFilter = Annotated[str, Field(max_length=1000, description="Comma-separated; an item must have them all."), ALL_TAGS]
Creator = Annotated[str, Field(max_length=300, description="A user id, `user:` may stand before it.")]
_PIECE = 1 << 18
"""Bytes that are sent at once."""
SORTABLE = {name: name for name in ("name", "created_at", "updated_at", "size", "content_type")}
Sort = Annotated[
    str,
    Field(max_length=200, description="field:order, comma-separated, such as name:desc."),
    sort_by(SORTABLE, of="File"),
]


def free_uri(ctx: Context, repository: ContentRepository[Any], name: str, last_part: str | None) -> str:
    """The URI of something new: the part that was asked for, or one made of its name that is not taken."""
    if last_part is not None:
        return str(ResourceUri(repository.noun, ctx.organization_id, ctx.project_id, last_part))
    prefix = str(ResourceUri(repository.noun, ctx.organization_id, ctx.project_id, "x"))[:-1]
    taken = {uri.removeprefix(prefix) for uri in repository.taken_parts(ctx.tenant, prefix)}
    return prefix + unique_slug(name, taken, fallback=repository.noun)


def asked_uri(ctx: Context, kind: str, name: str, last_part: str | None) -> str:
    """The URI that something new asks for, which another has already."""
    return str(ResourceUri(kind, ctx.organization_id, ctx.project_id, last_part or slug(name, fallback=kind)))


def own(ctx: Context, uow: UnitOfWork, kind: str, uri: str, *, private: bool = False) -> None:
    """Relate something new to its creator, and unless it is private to its project, as part of the transaction."""
    name = object_name(kind, uri)
    project = RelationTuple(object_name("project", ctx.project_id), "project", name)
    owner = RelationTuple(user_subject(ctx.caller.user_id), "owner", name)
    uow.relate(ctx.organization_id, writes=[owner] if private else [project, owner])


async def standing_relations(ctx: Context, kind: str, uri: str) -> list[RelationTuple]:
    """Every relation of something that is about to be deleted."""
    found: list[RelationTuple] = await ctx.services.relations.read(
        ctx.organization_id, object=object_name(kind, uri), limit=10_000
    )
    return found


def page_of(
    repository: ContentRepository[Any],
    ctx: Context,
    *,
    page: int,
    limit: int,
    sort: str,
    search: str | None,
    tags: str | None,
    created_by: str | None,
    sortable: Mapping[str, str] = SORTABLE,
    **equals: Any,
) -> Any:
    """One page of the selected project's items."""
    return repository.listed(
        ctx.scope,
        sort=sort,
        sortable=sortable,
        offset=(page - 1) * limit,
        limit=limit,
        search=search,
        tags=tags,
        created_by=created_by.removeprefix("user:") if created_by else None,
        **equals,
    )


def download_path(folder: str, uri: str) -> str:
    """Return where the bytes of a file or artifact are had."""
    return f"/assets/{folder}/{quote(uri, safe=':')}/download"


def download_of(
    ctx: Context, kept: StoredBytes, *, folder: str, uri: str, name: str, content_type: str | None
) -> Download:
    """Return what can be downloaded, and how its bytes are read."""
    made = Download(
        name=name,
        content_type=content_type or "application/octet-stream",
        size=kept.size,
        etag=f'"{kept.sha256}"',
        url=download_path(folder, uri),
    )
    made._read = partial(_read, ctx, kept.blob)
    return made


def download_of_bytes(data: bytes, *, name: str, content_type: str, url: str) -> Download:
    """Return what was made for a download, and how it is read."""
    etag = f'"{hashlib.sha256(data).hexdigest()}"'
    made = Download(name=name, content_type=content_type, size=len(data), etag=etag, url=url)
    made._read = partial(_read_made, data)
    return made


async def _read_made(data: bytes, start: int, end: int) -> AsyncIterator[bytes]:
    for at in range(start, end, _PIECE):
        yield data[at : min(at + _PIECE, end)]


def _read(ctx: Context, blob: str, start: int, end: int) -> AsyncIterator[bytes]:
    return ctx.services.blobs.read(blob, start, end)
