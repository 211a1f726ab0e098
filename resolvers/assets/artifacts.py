"""Operations on artifacts: keep, read, list, preview, download, delete."""

import asyncio
import base64
import contextlib
import csv
import io
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, Final

import orjson
from pydantic import Field

from auth.rate_limit import CallKind
from auth.relations import RelationTuple
from persistence.integrity import IntegrityError
from persistence.queries.files import StoredBytes
from persistence.repository import Expected
from persistence.store import UnitOfWork
from persistence.tabular import NotATable, Scratch
from resolvers.assets.content import (
    SORTABLE,
    Creator,
    Search,
    TagFilter,
    asked_uri,
    download_of,
    download_of_bytes,
    download_path,
    free_uri,
    own,
    page_of,
    standing_relations,
)
from resolvers.context import Context
from resolvers.engines import preview, table_formats
from resolvers.engines.preview import Preview
from resolvers.operation import operation, require
from resolvers.uploads import discard, settled
from schema.assets.artifact import (
    MAX_COLUMNS,
    MAX_ROWS,
    Artifact,
    ArtifactCreate,
    ArtifactPreview,
    ArtifactType,
    PreviewType,
    TableFormat,
)
from schema.assets.file import Deleted, File
from schema.content import Download, Upload
from schema.errors import AlreadyExists, InvalidParameter, MissingRequiredField, ValidationError
from schema.governance.permission import Permission
from schema.grammar import sort_by
from schema.identifiers import slug
from schema.pagination import Page, PageNumber, PageSize

Uri = Annotated[str, Field(min_length=1, max_length=800, description="The artifact's resource URI.")]
ARTIFACT_SORTABLE = SORTABLE | {"artifact_type": "artifact_type"}
ArtifactSort = Annotated[
    str,
    Field(max_length=200, description="field:order, comma-separated, such as name:desc."),
    sort_by(ARTIFACT_SORTABLE, of="Artifact"),
]
LARGEST_PARQUET = 128 << 20
"""A Parquet file is copied to be looked into; a larger one can only be downloaded."""
MEDIA = {
    ArtifactType.PARQUET: ("application/vnd.apache.parquet", "parquet"),
    ArtifactType.CSV: ("text/csv", "csv"),
    ArtifactType.CHART: ("application/json", "json"),
    ArtifactType.JSON: ("application/json", "json"),
    ArtifactType.TEXT: ("text/plain; charset=utf-8", "txt"),
}
"""The media type and the file name's ending of what comes inline."""
MOST_TABLE_ROWS = MAX_ROWS
"""Rows of a table that are had in another format than Parquet."""
MOST_TABLE_CELLS = 1_000_000
MOST_TABLE_BYTES = 64 << 20
_FORMATS: Final[dict[TableFormat, tuple[str, Callable[[table_formats.TableRows, int], bytes]]]] = {
    TableFormat.CSV: ("text/csv; charset=utf-8", table_formats.as_csv),
    TableFormat.XLSX: (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        table_formats.as_xlsx,
    ),
    TableFormat.JSON: ("application/json", table_formats.as_json),
}
_WRITERS: Final = ThreadPoolExecutor(2, thread_name_prefix="stoa-table")
"""Few at once, for each may hold a whole table in memory."""


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_artifact(ctx: Context, *, artifact: ArtifactCreate) -> Artifact:
    """Create an artifact from a text, a JSON value, a table, or the bytes of an uploaded file."""
    ways = [name for name in ("content", "columns", "file_uri") if _sent(artifact, name)]
    if len(ways) != 1:
        raise ValidationError(
            "An artifact takes exactly one of content, columns with rows, and file_uri.",
            status=422,
            field=ways[1] if ways else "content",
        )
    if _sent(artifact, "rows") and ways != ["columns"]:
        raise ValidationError("rows come with columns.", status=422, field="rows")
    if artifact.file_uri is not None:
        return await _taken_over(ctx, artifact, artifact.file_uri)
    data = await asyncio.to_thread(_table if ways == ["columns"] else _inline, artifact)
    media, ending = MEDIA[artifact.artifact_type]

    async def chunks() -> AsyncIterator[bytes]:
        yield data

    upload = await ctx.services.blobs.stage(ctx.organization_id, chunks(), file_name=None, content_type=media)
    async with settled(ctx, [upload]):
        return await _kept(ctx, artifact, lambda uow: (upload, f"{slug(artifact.name, fallback='artifact')}.{ending}"))


def _sent(artifact: ArtifactCreate, name: str) -> bool:
    return name in artifact.model_fields_set and (name == "content" or getattr(artifact, name) is not None)


async def _kept(ctx: Context, artifact: ArtifactCreate, bytes_of: Any) -> Artifact:
    def work(uow: UnitOfWork) -> Artifact:
        upload, key = bytes_of(uow)
        return keep_artifact(ctx, uow, artifact, upload, key)

    try:
        made = await ctx.store.write(work)
    except IntegrityError:
        raise AlreadyExists(
            "An artifact with this resource URI exists already. Choose another one.",
            resource_type="artifact",
            resource_id=asked_uri(ctx, "artifact", artifact.name, artifact.resource_uri),
        ) from None
    ctx.guard.forget()
    return made


def keep_artifact(
    ctx: Context, uow: UnitOfWork, artifact: ArtifactCreate, upload: Upload, key: str, *, private: bool = False
) -> Artifact:
    """Write an artifact down whose bytes the blob store has, with its relations, as part of a transaction.

    A private one is its owner's alone until they share it, whatever roles others have in the project.
    """
    now, user = ctx.now(), ctx.caller.user_id
    new = Artifact(
        resource_uri=free_uri(ctx, uow.artifacts, artifact.name, artifact.resource_uri),
        name=artifact.name,
        key=key,
        organization_id=ctx.organization_id,
        project_id=ctx.project_id,
        owner_id=user,
        created_at=now,
        updated_at=now,
        created_by=user,
        updated_by=user,
        type="artifact",
        content_type=upload.content_type,
        size=upload.size,
        description=artifact.description,
        tags=artifact.tags,
        artifact_type=artifact.artifact_type,
    )
    uow.artifacts.add(new, blob=upload.blob, sha256=upload.sha256)
    own(ctx, uow, "artifact", new.resource_uri, private=private)
    return new


async def _taken_over(ctx: Context, artifact: ArtifactCreate, uri: str) -> Artifact:
    """The file's bytes become the artifact's, and the file goes, in one transaction."""
    await require(ctx, Permission.CAN_DELETE, "file", uri)
    relations: list[RelationTuple] = await standing_relations(ctx, "file", uri)

    def bytes_of(uow: UnitOfWork) -> tuple[Upload, str]:
        file: File = uow.files.get(ctx.scope, uri)
        kept = uow.files.kept(ctx.scope, uri)
        uow.files.remove(ctx.scope, uri)
        uow.secrets.remove_all_of(ctx.tenant, "file", uri)
        uow.relate(ctx.organization_id, deletes=relations)
        name = file.key.rpartition("/")[2]
        return Upload(kept.blob, kept.size, kept.sha256, name, file.content_type), name

    return await _kept(ctx, artifact, bytes_of)


def _inline(artifact: ArtifactCreate) -> bytes:
    kind, content = artifact.artifact_type, artifact.content
    if kind in (ArtifactType.TEXT, ArtifactType.CSV):
        if not isinstance(content, str):
            raise ValidationError(f"The content of a {kind} artifact is a text.", status=422, field="content")
        return content.encode()
    if kind not in (ArtifactType.JSON, ArtifactType.CHART):
        how = "columns and rows, or file_uri" if kind is ArtifactType.PARQUET else "file_uri"
        raise ValidationError(f"A {kind} artifact takes {how}.", status=422, field="content")
    if kind is ArtifactType.CHART and not isinstance(content, dict):
        raise ValidationError("The content of a chart is an object: its specification.", status=422, field="content")
    return orjson.dumps(content)


def _table(artifact: ArtifactCreate) -> bytes:
    kind, columns, rows = artifact.artifact_type, artifact.columns or [], artifact.rows
    if kind not in (ArtifactType.PARQUET, ArtifactType.CSV):
        raise ValidationError(f"A {kind} artifact takes no columns.", status=422, field="columns")
    if rows is None:
        raise MissingRequiredField("columns come with rows, which may be empty.", field="rows")
    if len({name.casefold() for name in columns}) < len(columns):
        raise ValidationError("Two columns have the same name.", status=422, field="columns")
    for at, row in enumerate(rows):
        if len(row) != len(columns):
            raise ValidationError(
                f"Row {at} has {len(row)} cells; there are {len(columns)} columns.", status=422, field=f"rows.{at}"
            )
    if kind is ArtifactType.CSV:
        return _csv(columns, rows)
    with Scratch() as scratch:
        try:
            return scratch.write(columns, rows).read_bytes()
        except NotATable:
            raise ValidationError("These rows cannot be kept as Parquet.", status=422, field="rows") from None


def _csv(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    written = io.StringIO(newline="")
    out = csv.writer(written, lineterminator="\n")
    out.writerow(columns)
    for row in rows:
        out.writerow([cell if isinstance(cell, str) else "" if cell is None else _cell(cell) for cell in row])
    return written.getvalue().encode()


def _cell(value: Any) -> str:
    return orjson.dumps(value).decode()


@operation(needs=Permission.CAN_READ, on="artifact:{resource_uri}")
async def get_artifact(ctx: Context, *, resource_uri: Uri) -> Artifact:
    """Get what is known of an artifact."""
    return await ctx.store.read(lambda uow: uow.artifacts.get(ctx.tenant, resource_uri))


@operation(needs=Permission.CAN_READ)
async def list_artifacts(
    ctx: Context,
    *,
    page: PageNumber = 1,
    limit: PageSize = 20,
    sort: ArtifactSort = "name:asc",
    search: Search | None = None,
    tags: TagFilter | None = None,
    artifact_type: ArtifactType | None = None,
    created_by: Creator | None = None,
) -> Page[Artifact]:
    """List the artifacts of the selected project."""
    return await ctx.store.read(
        lambda uow: page_of(
            uow.artifacts,
            ctx,
            page=page,
            limit=limit,
            sort=sort,
            search=search,
            tags=tags,
            created_by=created_by,
            sortable=ARTIFACT_SORTABLE,
            artifact_type=artifact_type,
        )
    )


@operation(needs=Permission.CAN_READ, on="artifact:{resource_uri}")
async def preview_artifact(
    ctx: Context,
    *,
    resource_uri: Uri,
    limit: Annotated[int, Field(ge=1, le=10_000, description="Rows, lines or items, 1 to 10000.")] = 500,
    max_bytes: Annotated[
        int, Field(ge=1, le=1_048_576, description="How much of the content is shown, in bytes, 1 to 1048576.")
    ] = 524_288,
    offset: Annotated[
        int, Field(ge=0, le=2_000_000_000, description="Rows of a Parquet table to leave out first, for its next page.")
    ] = 0,
) -> ArtifactPreview:
    """Preview an artifact: the first rows of a table, lines of a text, a JSON value, or a whole picture.

    A Parquet table is shown page by page with `offset`: `truncated` says whether more rows follow, and
    `meta.total_rows` how many there are. Of more than 1000 columns the first 1000 are shown, and `meta.total_columns`
    says how many there are. Anything else is shown from its beginning only (400 INVALID_PARAMETER).

    `preview_type` tells which fields hold it. JSON that is larger than max_bytes is shown as text, and a picture that
    is larger only by its width and height; what has no preview is `binary`, with the reason in `meta.note`.
    """
    artifact, kept = await ctx.store.read(
        lambda uow: (
            uow.artifacts.get(ctx.tenant, resource_uri),
            uow.artifacts.kept(ctx.tenant, resource_uri),
        )
    )
    if offset and artifact.artifact_type is not ArtifactType.PARQUET:
        raise InvalidParameter("Only a Parquet table is shown page by page. Leave offset out.", field="offset")
    shown = preview.narrowed(await _shown(ctx, artifact.artifact_type, kept, offset, limit, max_bytes), MAX_COLUMNS)
    return ArtifactPreview(
        resource_uri=resource_uri,
        content_type=artifact.content_type,
        preview_type=PreviewType(shown.kind),
        truncated=shown.truncated,
        size_bytes=artifact.size,
        meta=shown.meta,
        **shown.fields,
    )


async def _shown(
    ctx: Context, kind: ArtifactType, kept: StoredBytes, offset: int, limit: int, max_bytes: int
) -> Preview:
    if kind is ArtifactType.PARQUET:
        return await _parquet(ctx, kept, offset, limit, max_bytes)
    if kind in (ArtifactType.BINARY, ArtifactType.REPORT):
        how = "Download it and open it in a browser." if kind is ArtifactType.REPORT else "It can only be downloaded."
        return Preview("binary", kept.size > 0, meta={"note": how})
    data = b"".join([piece async for piece in ctx.services.blobs.read(kept.blob, 0, min(kept.size, max_bytes))])
    whole = len(data) == kept.size
    if kind is ArtifactType.IMAGE:
        width, height = preview.picture_size(data) or (None, None)
        encoded = base64.b64encode(data).decode() if whole else None
        return Preview("image", not whole, {"data": encoded, "width": width, "height": height})
    show = {ArtifactType.CSV: preview.table, ArtifactType.TEXT: preview.text}.get(kind, preview.json_value)
    return await asyncio.to_thread(show, data, whole=whole, limit=limit)


async def _parquet(ctx: Context, kept: StoredBytes, offset: int, limit: int, max_bytes: int) -> Preview:
    if kept.size > LARGEST_PARQUET:
        return Preview("binary", True, meta={"note": "It is too large to be looked into. Download it."})
    async with _copied(ctx, kept) as (scratch, path):
        try:
            window = await asyncio.to_thread(scratch.window, path, offset=offset, limit=limit, max_bytes=max_bytes)
        except NotATable as problem:
            return Preview("binary", kept.size > 0, meta={"note": str(problem)})
    return Preview(
        "tabular",
        offset + len(window.rows) < window.total,
        {"columns": window.columns, "rows": window.rows},
        {"total_rows": window.total, "column_types": window.types},
    )


@contextlib.asynccontextmanager
async def _copied(ctx: Context, kept: StoredBytes) -> AsyncIterator[tuple[Scratch, Path]]:
    """The bytes of a table where they can be looked into, and what looks into them."""
    with await asyncio.to_thread(Scratch) as scratch:
        path = scratch.folder / "table"
        with path.open("wb") as file:
            async for piece in ctx.services.blobs.read(kept.blob, 0, kept.size):
                await asyncio.to_thread(file.write, piece)
        yield scratch, path


@operation(needs=Permission.CAN_READ, on="artifact:{resource_uri}")
async def download_artifact(
    ctx: Context,
    *,
    resource_uri: Uri,
    format: Annotated[
        TableFormat | None, Field(description="How the rows of a Parquet table are had; as it is kept unless said.")
    ] = None,
) -> Download:
    """Download an artifact.

    The rows of a Parquet table, such as those of an answer, can be had as CSV, XLSX and JSON too, up to 100,000 rows,
    1,000,000 cells and 64 MiB; more is a 400, and so is what is no such table. XLSX needs an optional package.

    REST answers with the bytes, takes one range of them (`Range`, `If-Range`) and answers 304 to an entity tag that
    still stands (`If-None-Match`); several ranges are answered with the whole. GraphQL answers where to get them.
    """
    artifact, kept = await ctx.store.read(
        lambda uow: (
            uow.artifacts.get(ctx.tenant, resource_uri),
            uow.artifacts.kept(ctx.tenant, resource_uri),
        )
    )
    if format is None or (format is TableFormat.PARQUET and artifact.artifact_type is ArtifactType.PARQUET):
        return download_of(
            ctx, kept, folder="artifacts", uri=resource_uri, name=artifact.key, content_type=artifact.content_type
        )
    if artifact.artifact_type is not ArtifactType.PARQUET:
        raise InvalidParameter("Only a Parquet table is had in other formats. Leave format out.", field="format")
    data = await _formatted(ctx, kept, format)
    media, _ = _FORMATS[format]
    name = f"{artifact.key.rpartition('/')[2].removesuffix('.parquet')}.{format}"
    return download_of_bytes(data, name=name, content_type=media, url=_format_path(resource_uri, format))


def downloads_of(resource_uri: str, cells: int) -> dict[str, str]:
    """Return where a Parquet table of so many cells is had in each format that it can be had in."""
    wide = cells > MOST_TABLE_CELLS
    formats = [one for one in TableFormat if one is TableFormat.PARQUET or not wide]
    if not table_formats.has_workbooks() and TableFormat.XLSX in formats:
        formats.remove(TableFormat.XLSX)
    return {one.value: _format_path(resource_uri, one) for one in formats}


def _format_path(resource_uri: str, format: TableFormat) -> str:
    return f"{download_path('artifacts', resource_uri)}?format={format}"


async def _formatted(ctx: Context, kept: StoredBytes, format: TableFormat) -> bytes:
    """The rows of a table in another format. Raises InvalidParameter."""
    if kept.size > LARGEST_PARQUET:
        raise _not_had("The table is too large to be had in another format.")
    async with _copied(ctx, kept) as (scratch, path):
        _, write = _FORMATS[format]

        def work() -> bytes:
            window = scratch.window(path, offset=0, limit=MOST_TABLE_ROWS, max_bytes=MOST_TABLE_BYTES)
            if window.total > MOST_TABLE_ROWS:
                raise _not_had(f"The table has {window.total} rows; {MOST_TABLE_ROWS} at most are had in this format.")
            if len(window.rows) < window.total or len(window.columns) * window.total > MOST_TABLE_CELLS:
                raise table_formats.TooLarge
            return write(table_formats.TableRows(window.columns, window.types, window.rows), MOST_TABLE_BYTES)

        try:
            return await asyncio.get_running_loop().run_in_executor(_WRITERS, work)
        except table_formats.TooLarge:
            raise _not_had("The table is too large to be had in this format.") from None
        except (NotATable, table_formats.NoWorkbooks) as problem:
            raise InvalidParameter(str(problem), field="format") from None


def _not_had(why: str) -> InvalidParameter:
    return InvalidParameter(f"{why} Download it as Parquet, or ask for fewer rows.", field="format")


@operation(needs=Permission.CAN_DELETE, on="artifact:{resource_uri}", kind=CallKind.WRITE)
async def delete_artifact(ctx: Context, *, resource_uri: Uri) -> Deleted:
    """Delete an artifact: its bytes, its relations and its secrets."""
    relations = await standing_relations(ctx, "artifact", resource_uri)
    done = Deleted(resource_uri=resource_uri, message="The artifact was deleted.")
    blob = await ctx.store.write(
        lambda uow: remove_artifact(ctx, uow, resource_uri, relations, expected=ctx.expected_revision),
        told=lambda _: done,
    )
    await discard(ctx, [blob])
    ctx.guard.forget()
    return done


def remove_artifact(
    ctx: Context, uow: UnitOfWork, uri: str, relations: Sequence[RelationTuple], *, expected: Expected = None
) -> str:
    """Remove an artifact with its relations and secrets, as part of a transaction: the blob to discard after it."""
    kept = uow.artifacts.kept(ctx.tenant, uri)
    uow.artifacts.remove(ctx.tenant, uri, expected=expected)
    uow.secrets.remove_all_of(ctx.tenant, "artifact", uri)
    uow.relate(ctx.organization_id, deletes=relations)
    return kept.blob
