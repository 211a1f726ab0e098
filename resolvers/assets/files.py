"""Operations on files: upload, read, list, download, describe anew, delete."""

from typing import Annotated

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.integrity import IntegrityError
from persistence.queries.files import key_hash
from persistence.store import UnitOfWork
from resolvers.assets.content import (
    Creator,
    Search,
    Sort,
    TagFilter,
    asked_uri,
    download_of,
    download_path,
    free_uri,
    own,
    page_of,
    standing_relations,
)
from resolvers.context import Context
from resolvers.operation import operation
from resolvers.uploads import discard
from schema.assets.file import Deleted, File, FileChange, FileCreate, FileUploaded
from schema.content import Download, Upload
from schema.errors import AlreadyExists
from schema.governance.permission import Permission
from schema.pagination import Page, PageNumber, PageSize

Uri = Annotated[str, Field(min_length=1, max_length=800, description="The file's resource URI.")]


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def upload_file(ctx: Context, *, about: FileCreate, file: Upload) -> FileUploaded:
    """Upload a file.

    REST takes a form (multipart/form-data) with the fields of the file and one part called `file`, in any order;
    GraphQL takes the same form as the GraphQL multipart request specification has it. A key stands for one file of
    its project; a second one under it is a 409.
    """
    now, user = ctx.now(), ctx.caller.user_id

    def work(uow: UnitOfWork) -> File:
        _refuse_taken_key(ctx, uow, about.key)
        new = File(
            resource_uri=free_uri(ctx, uow.files, about.name, about.resource_uri),
            name=about.name,
            key=about.key,
            organization_id=ctx.organization_id,
            project_id=ctx.project_id,
            owner_id=user,
            created_at=now,
            updated_at=now,
            created_by=user,
            updated_by=user,
            type="file",
            content_type=file.content_type,
            size=file.size,
            description=about.description,
            tags=about.tags,
        )
        uow.files.add(new, blob=file.blob, sha256=file.sha256, key_hash=key_hash(about.key))
        own(ctx, uow, "file", new.resource_uri)
        return new

    try:
        made = await ctx.store.write(work, told=_uploaded)
    except IntegrityError:
        # The URI is taken, or somebody uploaded under the same key in the same moment.
        await ctx.store.read(lambda uow: _refuse_taken_key(ctx, uow, about.key))
        raise AlreadyExists(
            "A file with this resource URI exists already. Choose another one.",
            resource_type="file",
            resource_id=asked_uri(ctx, "file", about.name, about.resource_uri),
        ) from None
    ctx.guard.forget()
    return _uploaded(made)


def _uploaded(made: File) -> FileUploaded:
    return FileUploaded(
        resource_uri=made.resource_uri,
        url=download_path("files", made.resource_uri),
        key=made.key,
        name=made.name,
        message=f"Uploaded {made.name}.",
        size=made.size,
        content_type=made.content_type,
    )


def _refuse_taken_key(ctx: Context, uow: UnitOfWork, key: str) -> None:
    standing = uow.files.id_where(ctx.scope, key_hash=key_hash(key))
    if standing is not None:
        raise AlreadyExists(
            "A file with this key exists already in this project. Choose another key, or delete that file first.",
            resource_type="file",
            resource_id=standing,
            field="key",
        )


@operation(needs=Permission.CAN_READ, on="file:{resource_uri}")
async def get_file(ctx: Context, *, resource_uri: Uri) -> File:
    """Get what is known of a file."""
    return await ctx.store.read(lambda uow: uow.files.get(ctx.tenant, resource_uri))


@operation(needs=Permission.CAN_READ)
async def list_files(
    ctx: Context,
    *,
    page: PageNumber = 1,
    limit: PageSize = 20,
    sort: Sort = "name:asc",
    search: Search | None = None,
    tags: TagFilter | None = None,
    created_by: Creator | None = None,
) -> Page[File]:
    """List the files of the selected project."""
    return await ctx.store.read(
        lambda uow: page_of(
            uow.files,
            ctx,
            page=page,
            limit=limit,
            sort=sort,
            search=search,
            tags=tags,
            created_by=created_by,
        )
    )


@operation(needs=Permission.CAN_READ, on="file:{resource_uri}")
async def download_file(ctx: Context, *, resource_uri: Uri) -> Download:
    """Download a file.

    REST answers with the bytes, takes one range of them (`Range`, `If-Range`) and answers 304 to an entity tag that
    still stands (`If-None-Match`); several ranges are answered with the whole. GraphQL answers where to get them.
    """
    file, kept = await ctx.store.read(
        lambda uow: (uow.files.get(ctx.tenant, resource_uri), uow.files.kept(ctx.tenant, resource_uri))
    )
    saved_as = file.key.rpartition("/")[2]
    return download_of(ctx, kept, folder="files", uri=resource_uri, name=saved_as, content_type=file.content_type)


@operation(needs=Permission.CAN_WRITE, on="file:{resource_uri}", kind=CallKind.WRITE)
async def update_file(ctx: Context, *, resource_uri: Uri, changes: FileChange) -> File:
    """Update what is told of a file; only the fields that are sent change, and never its bytes."""
    values = changes.given() | {"updated_at": ctx.now(), "updated_by": ctx.caller.user_id}
    return await ctx.store.write(
        lambda uow: uow.files.change(ctx.tenant, resource_uri, values, expected=ctx.expected_revision)
    )


@operation(needs=Permission.CAN_DELETE, on="file:{resource_uri}", kind=CallKind.WRITE)
async def delete_file(ctx: Context, *, resource_uri: Uri) -> Deleted:
    """Delete a file: its bytes, its relations and its secrets."""
    relations = await standing_relations(ctx, "file", resource_uri)

    def work(uow: UnitOfWork) -> str:
        kept = uow.files.kept(ctx.tenant, resource_uri)
        uow.files.remove(ctx.tenant, resource_uri, expected=ctx.expected_revision)
        uow.secrets.remove_all_of(ctx.tenant, "file", resource_uri)
        uow.relate(ctx.organization_id, deletes=relations)
        return kept.blob

    done = Deleted(resource_uri=resource_uri, message="The file was deleted.")
    await discard(ctx, [await ctx.store.write(work, told=lambda _: done)])
    ctx.guard.forget()
    return done
