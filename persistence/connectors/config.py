"""The shape of `database_config` (contract 2.1) and of the credentials, shared by every SQL kind.

A kind narrows what it needs: which options it knows, whether a host or a database is required. Unknown fields are
refused rather than ignored, so that a misspelt `ssl_mod: require` cannot silently connect in the clear. A field that
is null counts as left out.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, StringConstraints, model_validator

SslMode = Literal["disable", "require", "verify-ca", "verify-full"]
"""disable: in the clear. require: encrypted, any certificate. verify-ca: signed by a trusted authority.
verify-full: and issued for the host that was named."""

_HOST = re.compile(r"[A-Za-z0-9_:]([A-Za-z0-9_.:-]{0,251}[A-Za-z0-9_.:])?")
_SOCKET = re.compile(r"/[A-Za-z0-9_./-]{1,99}")


def _host(value: str) -> str:
    bare = value[1:-1] if value.startswith("[") and value.endswith("]") else value
    if not _HOST.fullmatch(bare):
        raise ValueError("give a host name or an IP address, without a scheme, port or path")
    return bare


def _host_or_socket(value: str) -> str:
    return value if _SOCKET.fullmatch(value) else _host(value)


Host = Annotated[str, AfterValidator(_host)]
"""A host name or an IP address; no scheme, no port, no list."""

HostOrSocket = Annotated[str, AfterValidator(_host_or_socket)]
"""As `Host`, or the absolute path of the folder that holds a server's Unix socket."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=255)]


class Strict(BaseModel):
    """A section that refuses fields it does not know and reads null as left out."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, values: Any) -> Any:
        if isinstance(values, Mapping):
            return {name: value for name, value in values.items() if value is not None}
        return values


class SelectedSchema(Strict):
    """The tables and views of one schema that the connection may read. Both lists empty: all of them."""

    schema_name: Name
    tables: tuple[Name, ...] = ()
    views: tuple[Name, ...] = ()


class SelectedDatabase(Strict):
    """The schemas of one database that the connection may read. Empty: all of them."""

    database_name: Name
    schemas: tuple[SelectedSchema, ...] = ()


class NoOptions(Strict):
    """What every kind takes as an option; some have no other."""

    max_concurrency: int | None = Field(
        None, ge=1, le=256, description="Tasks of runs that may use the connection at once; unset: the deployment's."
    )


class TlsOptions(NoOptions):
    """Options of a kind that checks certificates."""

    ssl_ca: str | None = Field(
        None, max_length=100_000, description="PEM text of the authorities to trust; unset: the usual public ones."
    )


class DatabaseConfig(Strict):
    """What every SQL kind has in its `database_config`."""

    host: Host
    port: int | None = Field(None, ge=1, le=65535, description="Unset: the usual port of the kind.")
    database: Name | None = None
    auth_type: str = "basic"
    ssl_mode: SslMode = "disable"
    selected_tables: tuple[SelectedDatabase, ...] = Field(
        (), description="What to read, by exact names. Empty: everything that the user may read."
    )
    options: NoOptions = NoOptions()
    db_schema: Name | None = Field(None, description="Read only this schema, unless selected_tables says more.")


class BasicCredentials(Strict):
    """A user name and a password."""

    username: Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00]+$")]
    password: SecretStr = Field(SecretStr(""), max_length=10_000)

    @model_validator(mode="before")
    @classmethod
    def _user_is_username(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and "user" in values and "username" not in values:
            return {("username" if name == "user" else name): value for name, value in values.items()}
        return values
