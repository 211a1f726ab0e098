"""Defines what the contract's `storage_config` and `filesystem_config` may hold, and the credentials that go with
them.
"""

import re
from enum import StrEnum
from ipaddress import IPv6Address
from typing import Annotated, Any, Self

import strawberry
from pydantic import BeforeValidator, Field, SecretStr, WithJsonSchema, field_validator, model_validator
from strawberry.scalars import JSON

from schema.assets.connection_configs.strict import Optional, OptionalSecret, Strict, blank_is_absent
from schema.base import change, choice


@choice
class FileProtocol(StrEnum):
    """How a tree of files is spoken to."""

    NFS = "nfs"
    SMB = "smb"
    LOCAL = "local"


@change
class StorageConfig(Strict):
    """Where a bucket is. `provider` is informative; the connection type decides how it is spoken to."""

    provider: Optional = Field(None, max_length=64, description="Who runs the store, such as aws, gcs or minio.")
    bucket: str = Field(
        min_length=1, max_length=222, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="Name of the bucket."
    )
    region: Optional = Field(
        None, max_length=64, pattern=r"^[A-Za-z0-9-]+$", description="Region of the bucket; us-east-1 when absent."
    )
    endpoint_url: Optional = Field(
        None, max_length=2048, description="Address of an S3-compatible store, such as https://minio.example.com:9000."
    )
    prefix: Optional = Field(None, max_length=1024, description="Read only the objects below this folder.")

    @field_validator("endpoint_url")
    @classmethod
    def _plain_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        found = re.fullmatch(r"(https?)://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?/?", value.strip())
        if found is None:
            raise ValueError(
                "write it as http(s)://host or http(s)://host:port, with no path, user name, password or query"
            )
        _check_place(found[2], found[3])
        return value.strip().rstrip("/")

    @field_validator("prefix")
    @classmethod
    def _folder(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = [part for part in value.strip().split("/") if part]
        if any(part in {".", ".."} for part in parts):
            raise ValueError("a prefix cannot contain . or ..")
        return "/".join(parts) or None


@change
class S3Credentials(Strict):
    """An access key. Without one the bucket is read anonymously, as public buckets allow."""

    access_key_id: OptionalSecret = Field(None, description="Access key id.")
    secret_access_key: OptionalSecret = Field(None, description="Secret access key.")
    session_token: OptionalSecret = Field(None, description="Session token of temporary credentials.")

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if (self.access_key_id is None) != (self.secret_access_key is None):
            raise ValueError("access_key_id and secret_access_key belong together; give both, or neither")
        if self.session_token is not None and self.access_key_id is None:
            raise ValueError("a session_token needs access_key_id and secret_access_key")
        return self


@change
class GcsCredentials(S3Credentials):
    """A service account, or an HMAC key for the S3-interoperable endpoint. Without either, public buckets only."""

    service_account: Annotated[
        SecretStr | dict[str, Any] | None,
        BeforeValidator(blank_is_absent),
        strawberry.field(graphql_type=JSON | None),
        WithJsonSchema({"anyOf": [{"type": "object"}, {"type": "string"}], "writeOnly": True}),
    ] = Field(None, repr=False, description="The service account's key file: the JSON object, or its text.")

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if self.service_account is not None and self.access_key_id is not None:
            raise ValueError("give either service_account or an HMAC access key, not both")
        return self


@change
class FilesystemConfig(Strict):
    """Where a tree of files is: a mounted folder for nfs, a share for smb."""

    path: str = Field(
        min_length=1, max_length=4096, description="The folder. nfs: /mnt/data; smb: //server/share/folder."
    )
    protocol: Annotated[FileProtocol | None, BeforeValidator(blank_is_absent)] = Field(
        None, strict=False, description="nfs or smb; follows from the connection type when absent."
    )
    auth_required: bool = Field(False, description="Whether the share asks for a user name and a password.")

    @field_validator("path")
    @classmethod
    def _no_way_up(cls, value: str) -> str:
        if "\x00" in value or ".." in re.split(r"[/\\]", value):
            raise ValueError("a path cannot contain .. or a null character")
        return value


@change
class NfsConfig(FilesystemConfig):
    """A folder of this machine (usually a mounted NFS export), named from its root."""

    @field_validator("path")
    @classmethod
    def _absolute(cls, value: str) -> str:
        if not value.startswith("/"):
            raise ValueError("write the path from the root, such as /mnt/data")
        return value


@change
class SmbConfig(FilesystemConfig):
    """A share, and optionally a folder in it."""

    @field_validator("path")
    @classmethod
    def _share(cls, value: str) -> str:
        split_share(value)
        return value


@change
class NoCredentials(Strict):
    """A mounted folder asks for none: what the server's own account may read can be read."""


@change
class SmbCredentials(Strict):
    """Who logs on to the share. Without a user name the share is opened as a guest."""

    username: Optional = Field(None, max_length=256, description="User name, or DOMAIN\\user.")
    password: OptionalSecret = Field(None, description="Password.")
    domain: Optional = Field(None, max_length=256, description="Windows domain or workgroup.")


def split_share(path: str) -> tuple[str, int, str, str]:
    """Host, port, share and folder (joined by "/", "" for the share itself) of a share's address.

    Accepts //server/share/folder, \\\\server\\share\\folder and smb://server:port/share/folder. Raises ValueError.
    """
    text = path.replace("\\", "/")
    text = "//" + text[6:] if text.lower().startswith("smb://") else text
    found = re.fullmatch(r"//(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?/([^/:*?\"<>|@]+)((?:/[^/]+)*)/*", text)
    if found is None:
        raise ValueError("write the path as //server/share or //server/share/folder, with no user name or password")
    _check_place(found[1], found[2])
    return found[1].strip("[]"), int(found[2] or 445), found[3], found[4].strip("/")


def _check_place(host: str, port: str | None) -> None:
    """Raise ValueError for brackets that hold no address, and for a port that cannot be."""
    if host.startswith("["):
        try:
            IPv6Address(host.strip("[]"))
        except ValueError:
            raise ValueError("what stands in brackets must be an IPv6 address") from None
    if port and not 0 < int(port) < 65536:
        raise ValueError("the port must lie between 1 and 65535")
