"""A data connection is a tenant's own store, registered so that the platform can read it (contract 2.1)."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, Union

import strawberry
from pydantic import (
    BaseModel,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationInfo,
    create_model,
    field_validator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue, SkipJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError
from strawberry.scalars import JSON

from schema.assets.connection_configs.types import TYPES, ConnectionConfig, ConnectionCredentials, plain
from schema.base import (
    Change,
    Info,
    JsonObject,
    Maybe,
    OptionalJsonObject,
    Resource,
    absent,
    change,
    choice,
    edge,
    resource,
)
from schema.descriptions import describe, own_doc
from schema.errors import ValidationError
from schema.governance.permission import Permission, ResourceType
from schema.identifiers import MAX_SLUG, SLUG_PATTERN
from schema.naming import Tags
from schema.node import entity
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
LastPart = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_SLUG,
        pattern=SLUG_PATTERN,
        description="The last part of the new resource URI; made from the name when left out.",
    ),
]


_TYPED = ("typed_config", "typed_credentials")

_Json = Annotated[
    dict[str, Any] | None,
    strawberry.field(graphql_type=JSON | None, deprecation_reason="Use typedConfig and typedCredentials."),
]


class OneShapeOf:
    """Documents a JSON object as what one of the types of connection takes in a field; the server knows which."""

    def __init__(self, field: str) -> None:
        credentials = [taken.credentials for taken in TYPES.values()]
        configs = [taken.config for taken in TYPES.values() if taken.section == field]
        self._shapes = tuple(dict.fromkeys(credentials if field == "credentials" else configs))

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The shapes, any of them, or null."""
        union: Any = Union[(*self._shapes, None)]
        return handler(TypeAdapter(union).core_schema)


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
    owner_id: Annotated[str, strawberry.field(deprecation_reason="Use createdBy instead.")] = Field(
        description="The user who created it."
    )
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

    @edge
    async def permissions(self, info: Info) -> list[Permission]:
        """What the caller may do with it."""
        return await info.context.load.permissions_on((ResourceType.DATA_CONNECTION, self.resource_uri))


def _typed(name: str) -> Any:
    """A field that the graph alone has; what it holds goes on as the JSON that REST takes, and only as that."""
    told = "Where the store is and what to read of it" if name == "config" else "What the store asks for to let us in"
    return Field(default_factory=lambda: None, exclude=True, description=f"{told}, as the type of connection has it.")


class TypedParts(Change):
    """A body whose config and credentials the graph takes in two ways: by their types, or as JSON."""

    @model_validator(mode="before")
    @classmethod
    def _as_json(cls, values: Any, info: ValidationInfo) -> Any:
        if not isinstance(values, Mapping) or not _from_graph(info):
            return values
        taken = dict(values)
        for name in _TYPED:
            for kind, given in plain(taken.get(name) or {}).items():
                place = TYPES[kind].section if name == "typed_config" else "credentials"
                if taken.get(place) is not None:
                    raise ValueError(f"give {name} or {place}, not both")
                taken[place] = given
        return taken

    @field_validator(*_TYPED, mode="before", check_fields=False)
    @classmethod
    def _in_the_graph_only(cls, value: Any, info: ValidationInfo) -> Any:
        if not _from_graph(info):
            raise PydanticCustomError("extra_forbidden", "Extra inputs are not permitted")
        return value

    def types_named(self) -> dict[str, str]:
        """The types of connection that typed parts name, by the field of the part."""
        parts = {name: getattr(self, name) for name in _TYPED}
        return {name: next(iter(part.model_fields_set)) for name, part in parts.items() if part is not None}


def _from_graph(info: ValidationInfo) -> bool:
    """Return whether a body comes from the graph: as Python values, or shown again to find out why it was refused."""
    return info.mode == "python" or bool(info.context and info.context.get("graph"))


class NewConnection(TypedParts):
    """What every store has that is to be registered."""

    name: ConnectionName
    description: ShortText | None = None
    tags: Tags = Field(default_factory=list)
    resource_uri: LastPart | None = None
    organization_wide: Annotated[
        bool, Field(description="Belongs to the whole organization instead of the selected project.")
    ] = False


@change
class DataConnectionCreate(NewConnection):
    """A store to register: the config section must be the one that its type uses."""

    connection_type: ConnectionType
    database_config: _Json = None
    storage_config: _Json = None
    filesystem_config: _Json = None
    credentials: _Json = None
    typed_config: Annotated[ConnectionConfig | None, SkipJsonSchema()] = _typed("config")
    typed_credentials: Annotated[ConnectionCredentials | None, SkipJsonSchema()] = _typed("credentials")

    @model_validator(mode="after")
    def _of_one_type(self) -> "DataConnectionCreate":
        for name, kind in self.types_named().items():
            if kind != self.connection_type:
                raise ValueError(f"{name} is of type {kind}, and the connection of type {self.connection_type}")
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Document one shape for each type, told apart by `connection_type`."""
        shapes = tuple(_shape_of(kind) for kind in ConnectionType)
        union: Any = Annotated[Union[shapes], Discriminator("connection_type")]  # noqa: UP007 - made of a tuple
        return {"title": cls.__name__, "description": own_doc(cls), **handler(TypeAdapter(union).core_schema)}


@change
class DataConnectionChange(TypedParts):
    """What may change. A field left out stays; `credentials`, when present, replace the stored ones."""

    name: Maybe[ConnectionName] = None
    description: Maybe[ShortText | None] = None
    status: Maybe[ConnectionStatus] = None
    status_message: Maybe[ShortText | None] = None
    tags: Maybe[Tags] = None
    database_config: Annotated[_Json, OneShapeOf("database_config")] = absent()
    storage_config: Annotated[_Json, OneShapeOf("storage_config")] = absent()
    filesystem_config: Annotated[_Json, OneShapeOf("filesystem_config")] = absent()
    credentials: Annotated[_Json, OneShapeOf("credentials")] = absent()
    typed_config: Annotated[ConnectionConfig | None, SkipJsonSchema()] = _typed("config")
    typed_credentials: Annotated[ConnectionCredentials | None, SkipJsonSchema()] = _typed("credentials")

    def require_type(self, connection_type: ConnectionType) -> None:
        """Raise 422 when a typed part is of another type than the connection."""
        for name, kind in self.types_named().items():
            if kind != connection_type:
                raise ValidationError(
                    f"{name} is of type {kind}, and the connection of type {connection_type}.", status=422, field=name
                )


def _shape_of(kind: ConnectionType) -> type[BaseModel]:
    """Return what a connection of one type takes, for the document."""
    taken = TYPES[kind.value]
    about = "Where the store is and what to read of it."
    fields: dict[str, Any] = {
        "connection_type": (Literal[kind.value], Field(description="The type of store.")),
        taken.section: (taken.config, Field(description=about)),
        "credentials": (taken.credentials | None, Field(None, description="What the store asks for to let us in.")),
    }
    shape: type[BaseModel] = create_model(f"{kind.name.title()}ConnectionCreate", __base__=NewConnection, **fields)
    shape.__doc__ = f"A store of type {kind.value} to register."
    describe(shape)
    shape.model_rebuild(force=True)
    return shape


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
