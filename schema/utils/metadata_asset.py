"""A metadata asset is one database, schema, table or column that the catalog knows about (contract 2.5)."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import strawberry
from pydantic import Field, ValidationInfo, field_validator
from strawberry.scalars import JSON

from schema.base import (
    LARGEST_LONG,
    Change,
    Info,
    JsonObject,
    Maybe,
    OptionalJsonObject,
    OptionalLong,
    Resource,
    absent,
    change,
    choice,
    edge,
    resource,
)
from schema.grammar import ANY_NAME
from schema.identifiers import VERSION_PATTERN, Fqn
from schema.naming import LongName, Name
from schema.node import entity

if TYPE_CHECKING:
    from schema.data_readiness.classification import Classification
    from schema.data_readiness.profile import ColumnProfile, TableProfile

MAX_CHILDREN: Final = 500
"""How many direct children one answer holds; `children_total` tells how many there are."""


@choice
class AssetType(StrEnum):
    """The four levels of the catalog."""

    DATABASE = "database"
    DATABASE_SCHEMA = "database_schema"
    TABLE = "table"
    COLUMN = "column"


MARKS: Final = {
    "pii": "is_pii_tagged",
    "sensitivity": "is_sensitivity_tagged",
    "dataquality": "is_dq_tagged",
}
"""The categories of tags that an asset is marked for having, in small letters, each with its mark."""

OptionalJsonObjects = Annotated[list[dict[str, Any]] | None, strawberry.field(graphql_type=list[JSON] | None)]


LEVEL: Final = {AssetType.DATABASE: 2, AssetType.DATABASE_SCHEMA: 3, AssetType.TABLE: 4, AssetType.COLUMN: 5}
"""How many parts the dotted name of each type has; the first part is the service."""


@choice
class AssetSort(StrEnum):
    """What a catalog search may be sorted by."""

    NAME = "name"
    CREATED_AT = "created_at"
    ORDINAL_POSITION = "ordinal_position"


@choice
class SortOrder(StrEnum):
    """Which end of the order comes first."""

    ASC = "asc"
    DESC = "desc"


@resource
class AssetOwner(Resource):
    """Who answers for an asset: a user or a team."""

    name: str
    type: str
    id: str


@resource
class AssetTag(Resource):
    """One tag of an asset, with the category that it comes from."""

    tag_id: str
    tag_fqn: str
    category_name: str
    tag_name: str
    tag_description: str


@resource
class ChangedField(Resource):
    """One field that a version changed; a column's field reads `columns.<column>.<field>`."""

    field_name: str


@resource
class ChangeDescription(Resource):
    """How a version differs from the one before; `previous_version` is empty on the first."""

    fields_added: list[ChangedField]
    fields_updated: list[ChangedField]
    fields_deleted: list[ChangedField]
    previous_version: str


@entity()
class MetadataAsset(Resource):
    """A database, schema, table or column with its description, shape, tags, owners and version."""

    id: str
    name: str
    fully_qualified_name: str
    resource_uri: str
    organization_id: str
    project_id: str
    type: AssetType
    version: str
    version_major: int
    version_minor: int
    version_change_reason: str
    created_at: datetime
    updated_at: datetime
    created_by: str
    updated_by: str
    display_name: str | None
    description: str | None
    summary_text: str | None
    service_name: str | None
    schema_definition: str | None
    owners: list[AssetOwner] | None
    extension: JsonObject
    deleted_at: datetime | None
    is_dq_tagged: bool = False
    is_pii_tagged: bool = False
    is_sensitivity_tagged: bool = False
    tags: list[AssetTag] | None
    children: list[Annotated["MetadataAsset", strawberry.lazy("schema.utils.metadata_asset")]] | None
    children_total: int | None
    table_type: str | None
    row_count: OptionalLong
    column_count: int | None
    table_count: int | None
    data_type: str | None
    data_type_display: str | None
    ordinal_position: int | None
    nullable: bool | None
    constraint: JsonObject
    column_relationships: OptionalJsonObjects
    precision: int | None
    scale: int | None
    data_length: OptionalLong
    business_definition: str | None
    business_rules: str | None
    change_description: ChangeDescription
    change_summary: JsonObject
    changed_by: list[str] | None

    @edge
    async def members(self, info: Info) -> Annotated["AssetMembers", strawberry.lazy("schema.utils.metadata_asset")]:
        """The assets directly below this one, the first 500: schemas, tables or columns. A column has none."""
        return await info.context.load.members_of_asset(self)

    @edge
    async def profile(
        self, info: Info
    ) -> Annotated["TableProfile", strawberry.lazy("schema.data_readiness.profile")] | None:
        """What was measured last of a table or view; null for other assets, and where nothing was measured."""
        return await info.context.load.profile_of_table(self)

    @edge
    async def column_profile(
        self, info: Info
    ) -> Annotated["ColumnProfile", strawberry.lazy("schema.data_readiness.profile")] | None:
        """What was measured last of a column; null for other assets, and where nothing was measured."""
        return await info.context.load.profile_of_column(self)

    @edge
    async def classifications(
        self, info: Info
    ) -> list[Annotated["Classification", strawberry.lazy("schema.data_readiness.classification")]]:
        """The tags that engines have found on it, the surest first, with their evidence and what was decided."""
        return await info.context.load.classifications_of_asset(self)


@resource
class AssetMembers(Resource):
    """What stands directly below a connection or an asset: at most 500 items, and how many there are in all."""

    items: list[MetadataAsset]
    total: int


ShortText = Annotated[str, Field(max_length=1000)]
LongText = Annotated[str, Field(max_length=100_000)]
NamePart = Annotated[str, Field(min_length=1, max_length=255)]
Position = Annotated[int, Field(ge=0, le=2**31 - 1)]
OptionalCount = Annotated[OptionalLong, Field(ge=0, le=LARGEST_LONG)]


@change
class AssetOwnerInput(Change):
    """An owner to set."""

    name: Name
    type: Name
    id: Name


@change
class AssetTagInput(Change):
    """A tag to set."""

    tag_id: Name
    tag_fqn: LongName
    category_name: Annotated[str, Field(max_length=255)] = ""
    tag_name: Name
    tag_description: ShortText = ""


Owners = Annotated[list[AssetOwnerInput], Field(max_length=100)]
Tags = Annotated[list[AssetTagInput], Field(max_length=200)]


@change
class MetadataAssetCreate(Change):
    """An asset written by hand. Its parent must stand already, unless it is a database."""

    type: AssetType
    fully_qualified_name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1000,
            description='Dotted: service.database.schema.table.column; a part with a dot is quoted, "a.b".',
        ),
        ANY_NAME,
    ]
    name: NamePart | None = Field(
        None, description="Must be the last part of the dotted name; taken from it if absent."
    )
    display_name: LongName | None = None
    description: LongText | None = None
    summary_text: LongText | None = None
    schema_definition: LongText | None = None
    owners: Owners | None = None
    extension: JsonObject = Field(default_factory=dict)
    is_dq_tagged: bool = False
    is_pii_tagged: bool = False
    is_sensitivity_tagged: bool = False
    tags: Tags | None = None
    table_type: Annotated[str, Field(max_length=64)] | None = None
    row_count: OptionalCount = None
    data_type: Annotated[str, Field(max_length=255)] | None = None
    data_type_display: ShortText | None = None
    ordinal_position: Position | None = None
    nullable: bool | None = None
    constraint: JsonObject = Field(default_factory=dict)
    column_relationships: OptionalJsonObjects = None
    precision: Position | None = None
    scale: Annotated[int, Field(ge=-(2**31), le=2**31 - 1)] | None = None
    data_length: OptionalCount = None
    business_definition: LongText | None = None
    business_rules: LongText | None = None

    @field_validator("fully_qualified_name")
    @classmethod
    def _of_its_type(cls, fqn: str, info: ValidationInfo) -> str:
        kind, parts = info.data.get("type"), Fqn.parse(fqn).parts
        if kind is not None and len(parts) != LEVEL[kind]:
            raise ValueError(f"the name of a {kind} has {LEVEL[kind]} dotted parts, not {len(parts)}")
        return fqn

    @field_validator("name")
    @classmethod
    def _is_the_last_part(cls, name: str | None, info: ValidationInfo) -> str | None:
        fqn = info.data.get("fully_qualified_name")
        if name is not None and fqn is not None and name != Fqn.parse(fqn).parts[-1]:
            raise ValueError("name must be the last part of fully_qualified_name")
        return name


@change
class MetadataAssetUpdate(Change):
    """What people may say about an asset. A field left out stays; null clears it.

    A cleared description falls back to the comment that the source itself carries, if it has one.
    """

    display_name: Maybe[LongName | None] = None
    description: Maybe[LongText | None] = None
    summary_text: Maybe[LongText | None] = None
    owners: Maybe[Owners | None] = None
    extension: OptionalJsonObject = absent()
    is_dq_tagged: Maybe[bool] = None
    is_pii_tagged: Maybe[bool] = None
    is_sensitivity_tagged: Maybe[bool] = None
    tags: Maybe[Tags | None] = None
    business_definition: Maybe[LongText | None] = None
    business_rules: Maybe[LongText | None] = None
    version_change_reason: Maybe[Annotated[str, Field(min_length=1, max_length=1000)]] = None
    expected_version: Maybe[Annotated[str, Field(pattern=VERSION_PATTERN)]] = None


DocumentVersion = Annotated[
    str, Field(pattern=VERSION_PATTERN, max_length=21, description="One stored version, such as 1.4.")
]
