"""A file is bytes that somebody uploaded, under a key of their choice (contract 2.2)."""

from datetime import datetime
from typing import Annotated, Any, Literal

import strawberry
from pydantic import AfterValidator, BeforeValidator, Field

from schema.assets.data_connection import LastPart
from schema.base import Change, Maybe, OptionalLong, Resource, change, resource
from schema.naming import Name, Tag, Tags, require_name
from schema.node import deletion, entity

MAX_KEY = 1024


def _proper_key(key: str) -> str:
    if not key.isprintable():
        raise ValueError("a key takes printable characters only")
    if key.startswith("/") or key.endswith("/"):
        raise ValueError("a key neither starts nor ends with a slash")
    parts = key.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError("no part of a key is empty, `.` or `..`")
    for part in parts:
        require_name(part)
    return key


def _split(tags: Any) -> Any:
    """Tags of a form come as one text."""
    return [tag.strip() for tag in tags.split(",") if tag.strip()] if isinstance(tags, str) else tags


FileKey = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_KEY,
        description="What the file is known by in its project, such as reports/2026/q1.csv: up to 1024 printable "
        "characters, no part of which is empty, `.` or `..`.",
    ),
    AfterValidator(_proper_key),
]
FileTags = Annotated[
    list[Tag],
    Field(max_length=100, description="Up to 100; none holds a comma."),
    BeforeValidator(_split, json_schema_input_type=str),
]
FileText = Annotated[str, Field(max_length=1000)]


@entity("resource_uri")
class File(Resource):
    """An uploaded file. Its bytes are had by downloading it."""

    resource_uri: str
    name: str
    key: str = Field(description="What it is known by in its project.")
    organization_id: str
    project_id: str
    owner_id: Annotated[str, strawberry.field(deprecation_reason="Use createdBy instead.")] = Field(
        description="The user who created it."
    )
    created_at: datetime
    updated_at: datetime
    created_by: str
    updated_by: str
    type: Annotated[Literal["file"], strawberry.field(graphql_type=str)]
    content_type: str | None = Field(description="As the upload named it.")
    size: OptionalLong = Field(description="In bytes.")
    description: str | None
    tags: list[str]


@change
class FileCreate(Change):
    """What is told of a file that is uploaded. In a form, `tags` is one text with commas between them."""

    key: FileKey
    name: Name
    resource_uri: LastPart | None = None
    description: FileText | None = None
    tags: FileTags = Field(default_factory=list)


@change
class FileChange(Change):
    """What may change of a file. A field left out stays; the bytes and the key never change."""

    name: Maybe[Name] = None
    description: Maybe[FileText | None] = None
    tags: Maybe[Tags] = None


@resource
class FileUploaded(Resource):
    """A file that has been uploaded."""

    resource_uri: str
    url: str = Field(description="The path that answers with the bytes.")
    key: str
    name: str
    message: str
    size: OptionalLong = Field(description="In bytes.")
    content_type: str | None


@deletion("resource_uri")
class Deleted(Resource):
    """What was deleted."""

    resource_uri: str
    message: str
