"""A data connection is a tenant's own store, registered so that the platform can read it (contract 2.1)."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

import strawberry
from pydantic import Field

from schema.base import Info, JsonObject, Maybe, OptionalJsonObject, Resource, absent, change, choice, edge, resource
from schema.identifiers import MAX_SLUG, SLUG_PATTERN
from schema.node import entity
from schema.storable import Storable
from schema.utils.metadata_asset import AssetMembers

ConnectionName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=255,
        pattern=r"^[a-zA-Z0-9][a-zA-Z0-9 _.:-]*$",
        description="1 to 255 characters: letters, digits, space, `_`, `.`, `:`, `-`.",
    ),
]
ShortText = Annotated[str, Field(max_length=1000)]
Tag = Annotated[str, Field(min_length=1, max_length=255)]
Tags = Annotated[list[Tag], Field(max_length=100)]
LastPart = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_SLUG,
        pattern=SLUG_PATTERN,
        description="The last part of the new resource URI; made from the name when left out.",
    ),
]


@choice
class ConnectionType(StrEnum):
    """The kinds of store that can be connected."""

    POSTGRES = "postgres"
    REDSHIFT = "redshift"
    MYSQL = "mysql"
    BIGQUERY = "bigquery"
    SNOWFLAKE = "snowflake"
    DATABRICKS = "databricks"
    COUCHBASE = "couchbase"
    ORACLE = "oracle"
    HIVE = "hive"
    MONGODB = "mongodb"
    S3 = "s3"
    GCS = "gcs"
    MINIO = "minio"
    NFS = "nfs"
    SMB = "smb"


@choice
class ConnectionStatus(StrEnum):
    """Where a connection stands: PENDING until it is verified."""

    PENDING = "PENDING"
    ACTIVE = "ACTIVE"
    ERROR = "ERROR"
    DISABLED = "DISABLED"


@entity("resource_uri")
class DataConnection(Resource):
    """A registered store. Credentials are write-only; `secret_names` says which ones are kept."""

    resource_uri: str
    name: str
    connection_type: ConnectionType
    status: ConnectionStatus
    status_message: str | None
    description: str | None
    tags: list[str]
    organization_id: str
    project_id: str | None
    owner_id: str = Field(description="Deprecated: use created_by.")
    created_at: datetime
    updated_at: datetime
    created_by: str
    updated_by: str
    type: Annotated[Literal["data"], strawberry.field(graphql_type=str)]
    database_config: OptionalJsonObject
    storage_config: OptionalJsonObject
    filesystem_config: OptionalJsonObject
    secret_names: list[str]

    @edge
    async def catalog(self, info: Info) -> AssetMembers:
        """The databases that the catalog knows of this store, the first 500, for callers who may read metadata."""
        return await info.context.load.catalog_of(self)


@change
class DataConnectionCreate(Storable):
    """A store to register: the config section must be the one that its type uses."""

    name: ConnectionName
    connection_type: ConnectionType
    description: ShortText | None = None
    tags: Tags = Field(default_factory=list)
    database_config: OptionalJsonObject = None
    storage_config: OptionalJsonObject = None
    filesystem_config: OptionalJsonObject = None
    credentials: OptionalJsonObject = None
    resource_uri: LastPart | None = None
    organization_wide: Annotated[
        bool, Field(description="Belongs to the whole organization instead of the selected project.")
    ] = False


@change
class DataConnectionChange(Storable):
    """What may change. A field left out stays; `credentials`, when present, replace the stored ones."""

    name: Maybe[ConnectionName] = None
    description: Maybe[ShortText | None] = None
    status: Maybe[ConnectionStatus] = None
    status_message: Maybe[ShortText | None] = None
    tags: Maybe[Tags] = None
    database_config: OptionalJsonObject = absent()
    storage_config: OptionalJsonObject = absent()
    filesystem_config: OptionalJsonObject = absent()
    credentials: OptionalJsonObject = absent()


@resource
class ConnectionVerification(Resource):
    """What a verification found; a failure is an answer too, and moves the connection to ERROR."""

    success: bool
    message: str
    latency_ms: float | None
    details: JsonObject


@resource
class ConnectionSecret(Resource):
    """The stored credentials of a connection."""

    credentials: JsonObject
