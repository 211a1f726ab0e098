"""The shape of `database_config` (contract 2.1) and of the credentials, for every type of database.

A type narrows what it needs: which options it knows, whether a host or a database is required. Unknown fields are
refused rather than ignored, so that a misspelt `ssl_mod: require` cannot silently connect in the clear. A field that
is null counts as left out.
"""

import json
import re
from collections.abc import Mapping
from enum import StrEnum
from ipaddress import IPv6Address
from typing import Annotated, Any

import strawberry
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, StringConstraints, WithJsonSchema
from pydantic import model_validator as check
from strawberry.scalars import JSON

from schema.assets.connection_configs.strict import OptionalSecret, Secret, Strict
from schema.base import change, choice


@choice
class SslMode(StrEnum):
    """How a connection is encrypted and whom it trusts."""

    DISABLE = "disable"
    """In the clear."""
    REQUIRE = "require"
    """Encrypted, whatever the certificate."""
    VERIFY_CA = "verify-ca"
    """Encrypted, with a certificate that a trusted authority has signed."""
    VERIFY_FULL = "verify-full"
    """As verify-ca, and the certificate is issued for the host that was named."""


@choice
class HiveMechanism(StrEnum):
    """How a user proves to Hive who they are."""

    PLAIN = "PLAIN"
    LDAP = "LDAP"
    NOSASL = "NOSASL"


_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?")
_SOCKET = re.compile(r"/[A-Za-z0-9_./-]{1,99}")


def _host(value: str) -> str:
    bare = value[1:-1] if value.startswith("[") and value.endswith("]") else value
    if not (_is_ipv6(bare) if ":" in bare else bare == value and _HOST.fullmatch(bare)):
        raise ValueError("give a host name or an IP address, without a scheme, port or path")
    return bare


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True


def _host_or_socket(value: str) -> str:
    return value if _SOCKET.fullmatch(value) else _host(value)


def _as_text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, Mapping) else value


_A_HOST = {
    "type": "string",
    "pattern": r"^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?$|^\[?[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,40}\]?$",
}
_A_HOST_OR_SOCKET = {"type": "string", "pattern": rf"{_A_HOST['pattern']}|^/[A-Za-z0-9_./-]{{1,99}}$"}

Host = Annotated[str, AfterValidator(_host), WithJsonSchema(_A_HOST)]
"""A host name or an IP address; no scheme, no port, no list."""

HostOrSocket = Annotated[str, AfterValidator(_host_or_socket), WithJsonSchema(_A_HOST_OR_SOCKET)]
"""As `Host`, or the absolute path of the folder that holds a server's Unix socket."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=255)]
Project = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.:-]{2,98}[a-z0-9]$")]
ServiceAccount = Annotated[
    SecretStr,
    BeforeValidator(_as_text),
    strawberry.field(graphql_type=JSON),
    WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "string"}], "writeOnly": True}),
]


_OPTIONS = "What only this type of database takes."


@change
class SelectedSchema(Strict):
    """The tables and views of one schema that the connection may read. Both lists empty: all of them."""

    schema_name: Name = Field(description="The schema, spelled exactly.")
    tables: list[Name] = Field([], description="Tables by their exact names.")
    views: list[Name] = Field([], description="Views by their exact names.")


@change
class SelectedDatabase(Strict):
    """The schemas of one database that the connection may read. Empty: all of them."""

    database_name: Name = Field(description="The database, spelled exactly.")
    schemas: list[SelectedSchema] = Field([], description="What to read of it. Empty: all of it.")


@change
class DatabaseOptions(Strict):
    """What every type of database takes as an option; some have no other."""

    max_concurrency: int | None = Field(
        None, ge=1, le=256, description="Tasks of runs that may use the connection at once; unset: the deployment's."
    )


@change
class TlsOptions(DatabaseOptions):
    """Options of a database whose certificate is checked."""

    ssl_ca: str | None = Field(
        None, max_length=100_000, description="PEM text of the authorities to trust; unset: the usual public ones."
    )


@change
class DatabaseConfig(Strict):
    """Where a database is and what to read of it."""

    host: Host = Field(description="A host name or an IP address, without a scheme, port or path.")
    port: int | None = Field(None, ge=1, le=65535, description="Unset: the usual port of the type.")
    database: Name | None = Field(None, description="The database; which level it is depends on the type.")
    auth_type: str = Field("basic", description="How the user proves who they are; basic is a name and a password.")
    ssl_mode: SslMode = Field(SslMode.DISABLE, strict=False, description="How the connection is encrypted.")
    selected_tables: list[SelectedDatabase] = Field(
        [], description="What to read, by exact names. Empty: everything that the user may read."
    )
    options: DatabaseOptions = Field(default_factory=DatabaseOptions, description=_OPTIONS)
    db_schema: Name | None = Field(None, description="Read only this schema, unless selected_tables says more.")


@change
class PostgresConfig(DatabaseConfig):
    """A PostgreSQL database or a Redshift one. Every selected database must be the one connected to."""

    host: HostOrSocket = Field(description="A host name, an IP address, or the folder of a Unix socket.")
    database: Name = Field(description="The database to connect to.")
    options: TlsOptions = Field(default_factory=TlsOptions, description=_OPTIONS)

    @check(mode="after")
    def _only_this_database(self) -> "PostgresConfig":
        others = sorted({s.database_name for s in self.selected_tables} - {self.database})
        if others:
            raise ValueError(
                f"selected_tables names {', '.join(others)}, but this connection reads only {self.database}; "
                "make a connection for each database"
            )
        return self


@change
class MysqlConfig(DatabaseConfig):
    """A MySQL or MariaDB server, or one database of it."""

    options: TlsOptions = Field(default_factory=TlsOptions, description=_OPTIONS)


@change
class BigqueryOptions(DatabaseOptions):
    """Options of a BigQuery connection."""

    location: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]+$")] | None = Field(
        None, description="Where queries run; unset: where the dataset lies."
    )


@change
class BigqueryConfig(DatabaseConfig):
    """A project of Google BigQuery."""

    host: Host = Field("bigquery.googleapis.com", description="The address of the service.")
    database: Project = Field(description="The project.")
    options: BigqueryOptions = Field(default_factory=BigqueryOptions, description=_OPTIONS)


@change
class SnowflakeOptions(DatabaseOptions):
    """Options of a Snowflake connection."""

    account: Name | None = Field(None, description="Account identifier; unset: the first part of the host.")
    warehouse: Name | None = Field(None, description="The warehouse that queries run in; unset: the user's own.")
    role: Name | None = Field(None, description="The role that queries run with; unset: the user's own.")


@change
class SnowflakeConfig(DatabaseConfig):
    """A Snowflake account; the host is `<account>.snowflakecomputing.com`."""

    options: SnowflakeOptions = Field(default_factory=SnowflakeOptions, description=_OPTIONS)


@change
class DatabricksOptions(DatabaseOptions):
    """Options of a Databricks connection."""

    http_path: Annotated[str, StringConstraints(pattern=r"^/?[A-Za-z0-9_./-]+$", max_length=500)] | None = Field(
        None, description="The path of the SQL warehouse, such as /sql/1.0/warehouses/abc123."
    )


@change
class DatabricksConfig(DatabaseConfig):
    """A Databricks workspace; `database` is a catalog, unset means every one."""

    options: DatabricksOptions = Field(default_factory=DatabricksOptions, description=_OPTIONS)


@change
class OracleConfig(DatabaseConfig):
    """An Oracle database; `database` is the service name."""

    database: Name = Field(description="The service name.")
    options: TlsOptions = Field(default_factory=TlsOptions, description=_OPTIONS)


@change
class HiveOptions(TlsOptions):
    """Options of a Hive connection."""

    auth_mechanism: HiveMechanism = Field(
        HiveMechanism.PLAIN, strict=False, description="How the user proves to the server who they are."
    )


@change
class HiveConfig(DatabaseConfig):
    """A HiveServer2."""

    options: HiveOptions = Field(default_factory=HiveOptions, description=_OPTIONS)


@change
class CouchbaseOptions(TlsOptions):
    """Options of a Couchbase connection."""

    sample_size: int = Field(500, ge=1, le=10_000, description="Documents per collection that decide its columns.")


@change
class CouchbaseConfig(DatabaseConfig):
    """A Couchbase cluster; `database` is a bucket, absent for all that the user may see."""

    options: CouchbaseOptions = Field(default_factory=CouchbaseOptions, description=_OPTIONS)


@change
class MongodbOptions(TlsOptions):
    """Options of a MongoDB connection."""

    auth_source: Name = Field("admin", description="The database that holds the user.")
    sample_size: int = Field(200, ge=1, le=5000, description="Documents per collection that decide its columns.")


@change
class MongodbConfig(DatabaseConfig):
    """A MongoDB server. Without `database` every database that the user may see is read."""

    options: MongodbOptions = Field(default_factory=MongodbOptions, description=_OPTIONS)


@change
class BasicCredentials(Strict):
    """A user name and a password."""

    username: Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00]+$")] = Field(
        description="The user name; `user` is understood too."
    )
    password: Secret = Field(
        default_factory=lambda: SecretStr(""), max_length=10_000, description="The password; none when left out."
    )

    @check(mode="before")
    @classmethod
    def _user_is_username(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and "user" in values and "username" not in values:
            return {("username" if name == "user" else name): value for name, value in values.items()}
        return values


@change
class MongodbCredentials(BasicCredentials):
    """A user name and a password; without a user name the server is used as it lets strangers in."""

    username: str | None = Field(  # type: ignore[assignment]  # strangers have none
        None, max_length=255, description="The user name; `user` is understood too."
    )


@change
class SnowflakeCredentials(BasicCredentials):
    """A password (auth_type basic) or a private key in PEM form (auth_type key_pair)."""

    private_key: OptionalSecret = Field(None, description="The private key, in PEM form.")
    private_key_passphrase: OptionalSecret = Field(None, description="What the private key is locked with.")


@change
class DatabricksCredentials(Strict):
    """A personal access token, in `token` or in `password` (whose user name is then `token`)."""

    token: OptionalSecret = Field(None, description="The personal access token.")
    username: str | None = Field(None, description="The word token, where the token stands in `password`.")
    password: OptionalSecret = Field(None, description="The personal access token, for clients that know no other.")


@change
class BigqueryCredentials(Strict):
    """The key of a service account."""

    service_account: ServiceAccount = Field(description="The key file: the JSON object, or its text.")
