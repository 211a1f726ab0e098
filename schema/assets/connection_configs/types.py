"""Defines which config and credentials each type of connection takes: one list, of which both doors and the
connectors read.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, NamedTuple, get_args

import strawberry
from pydantic import BaseModel, Field, SecretStr

from schema.assets.connection_configs.databases import (
    BasicCredentials,
    BigqueryConfig,
    BigqueryCredentials,
    CouchbaseConfig,
    DatabaseConfig,
    DatabricksConfig,
    DatabricksCredentials,
    HiveConfig,
    MongodbConfig,
    MongodbCredentials,
    MysqlConfig,
    OracleConfig,
    PostgresConfig,
    SnowflakeConfig,
    SnowflakeCredentials,
)
from schema.assets.connection_configs.files import (
    GcsCredentials,
    NfsConfig,
    NoCredentials,
    S3Credentials,
    SmbConfig,
    SmbCredentials,
    StorageConfig,
)
from schema.base import Change
from schema.descriptions import own_doc


def _of(name: str) -> Any:
    """The field of one type; nothing stands in its place when it is left out."""
    return Field(default_factory=lambda: None, description=f"Of a connection of type {name}.")


class ConnectionConfig(Change):
    """Where a store is and what to read of it: the field of the connection's type, and no other."""

    postgres: PostgresConfig | None = _of("postgres")
    redshift: PostgresConfig | None = _of("redshift")
    mysql: MysqlConfig | None = _of("mysql")
    bigquery: BigqueryConfig | None = _of("bigquery")
    snowflake: SnowflakeConfig | None = _of("snowflake")
    databricks: DatabricksConfig | None = _of("databricks")
    couchbase: CouchbaseConfig | None = _of("couchbase")
    oracle: OracleConfig | None = _of("oracle")
    hive: HiveConfig | None = _of("hive")
    mongodb: MongodbConfig | None = _of("mongodb")
    s3: StorageConfig | None = _of("s3")
    gcs: StorageConfig | None = _of("gcs")
    minio: StorageConfig | None = _of("minio")
    nfs: NfsConfig | None = _of("nfs")
    smb: SmbConfig | None = _of("smb")


class ConnectionCredentials(Change):
    """What a store asks for to let us in: the field of the connection's type, and no other. A folder asks for none."""

    postgres: BasicCredentials | None = _of("postgres")
    redshift: BasicCredentials | None = _of("redshift")
    mysql: BasicCredentials | None = _of("mysql")
    bigquery: BigqueryCredentials | None = _of("bigquery")
    snowflake: SnowflakeCredentials | None = _of("snowflake")
    databricks: DatabricksCredentials | None = _of("databricks")
    couchbase: BasicCredentials | None = _of("couchbase")
    oracle: BasicCredentials | None = _of("oracle")
    hive: BasicCredentials | None = _of("hive")
    mongodb: MongodbCredentials | None = _of("mongodb")
    s3: S3Credentials | None = _of("s3")
    gcs: GcsCredentials | None = _of("gcs")
    minio: S3Credentials | None = _of("minio")
    smb: SmbCredentials | None = _of("smb")


for _cls in (ConnectionConfig, ConnectionCredentials):
    strawberry.pydantic.input(_cls, description=own_doc(_cls), one_of=True)


class TypeOfConnection(NamedTuple):
    """What a connection of one type takes."""

    section: str
    """database_config, storage_config or filesystem_config."""
    config: type[BaseModel]
    credentials: type[BaseModel]


def _model(cls: type[BaseModel], name: str) -> type[BaseModel]:
    if name not in cls.model_fields:
        return NoCredentials
    model: type[BaseModel] = get_args(cls.model_fields[name].annotation)[0]
    return model


def _section(config: type[BaseModel]) -> str:
    if issubclass(config, DatabaseConfig):
        return "database_config"
    return "storage_config" if issubclass(config, StorageConfig) else "filesystem_config"


TYPES: Final[Mapping[str, TypeOfConnection]] = {
    name: TypeOfConnection(
        _section(_model(ConnectionConfig, name)),
        _model(ConnectionConfig, name),
        _model(ConnectionCredentials, name),
    )
    for name in ConnectionConfig.model_fields
}
"""By the value of `connection_type`, in the order of the contract (2.1)."""


def plain(value: Any) -> Any:
    """A config or credentials as JSON has them, secrets included, without what is null."""
    if isinstance(value, BaseModel):
        return plain(dict(value))
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items() if item is not None}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return value.value if isinstance(value, Enum) else value
