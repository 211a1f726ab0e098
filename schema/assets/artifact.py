"""An artifact is a result that is kept: a table, a chart, a text, an image. A file's fields and an artifact type."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

import strawberry
from pydantic import Field
from strawberry.scalars import JSON

from schema.assets.data_connection import LastPart, ShortText
from schema.base import Change, JsonObject, OptionalLong, Resource, absent, change, choice, resource
from schema.naming import Name, Tags
from schema.node import entity

MAX_COLUMNS, MAX_ROWS = 1000, 100_000

OptionalJson = Annotated[Any, strawberry.field(graphql_type=JSON | None)]
OptionalRows = Annotated[
    list[Annotated[list[Any], Field(max_length=MAX_COLUMNS)]] | None, strawberry.field(graphql_type=list[JSON] | None)
]
ColumnName = Annotated[str, Field(min_length=1, max_length=255)]


@choice
class ArtifactType(StrEnum):
    """What an artifact holds."""

    PARQUET = "parquet"
    """A table, as Parquet."""
    CSV = "csv"
    """A table, as comma-separated text with a header."""
    CHART = "chart"
    """A chart's specification, as JSON."""
    JSON = "json"
    """Any JSON value."""
    TEXT = "text"
    """Text."""
    IMAGE = "image"
    """A picture."""
    REPORT = "report"
    """A page that needs nothing else, to be opened in a browser."""
    BINARY = "binary"
    """Anything else."""


@choice
class TableFormat(StrEnum):
    """How the rows of a Parquet table are had."""

    PARQUET = "parquet"
    """As they are kept."""
    CSV = "csv"
    """Comma-separated text with a header. A text that could be taken for a formula has an apostrophe before it."""
    XLSX = "xlsx"
    """A workbook. Numbers of more than 15 digits are texts; a text of more than 32,767 characters is cut."""
    JSON = "json"
    """A list with an object for each row. Numbers that would lose digits are texts."""


@choice
class PreviewType(StrEnum):
    """Which fields of a preview hold the content."""

    TABULAR = "tabular"
    """`columns` and `rows`."""
    TEXT = "text"
    """`text`."""
    JSON = "json"
    """`value`."""
    IMAGE = "image"
    """`data`, in base64, with `width` and `height` where they are known."""
    BINARY = "binary"
    """None: it can only be downloaded."""


@entity("resource_uri")
class Artifact(Resource):
    """A result that is kept. Its bytes are had by downloading it, its beginning by a preview."""

    resource_uri: str
    name: str
    key: str = Field(description="The name to save it under.")
    organization_id: str
    project_id: str
    owner_id: Annotated[str, strawberry.field(deprecation_reason="Use createdBy instead.")] = Field(
        description="The user who created it."
    )
    created_at: datetime
    updated_at: datetime
    created_by: str
    updated_by: str
    type: Annotated[Literal["artifact"], strawberry.field(graphql_type=str)]
    content_type: str | None
    size: OptionalLong = Field(description="In bytes.")
    description: str | None
    tags: list[str]
    artifact_type: ArtifactType


@change
class ArtifactCreate(Change):
    """An artifact to keep. Its content comes in one of three ways.

    `content` holds a text (`text`, `csv`) or any JSON value (`json`, `chart`); `columns` with `rows` hold a table
    (`parquet`, `csv`); `file_uri` names an uploaded file whose bytes the artifact takes over, whatever its type: the
    file is gone then, so the caller needs can_delete on it.
    """

    name: Name
    artifact_type: ArtifactType
    description: ShortText | None = None
    tags: Tags = Field(default_factory=list)
    resource_uri: LastPart | None = None
    content: OptionalJson = absent()
    columns: Annotated[list[ColumnName], Field(min_length=1, max_length=MAX_COLUMNS)] | None = None
    rows: Annotated[OptionalRows, Field(max_length=MAX_ROWS)] = absent()
    file_uri: Annotated[str, Field(min_length=1, max_length=800)] | None = None


@resource
class ArtifactPreview(Resource):
    """The beginning of an artifact. `preview_type` tells which of the last fields hold it; the others are null."""

    resource_uri: str
    content_type: str | None
    preview_type: PreviewType
    truncated: bool = Field(description="Whether the artifact holds more than is shown here.")
    size_bytes: OptionalLong = Field(description="Of the whole artifact.")
    meta: JsonObject = Field(description="What else is known, such as the number of rows or the types of columns.")
    columns: list[str] | None = None
    rows: OptionalRows = None
    text: str | None = None
    value: OptionalJson = None
    data: str | None = None
    width: int | None = None
    height: int | None = None
