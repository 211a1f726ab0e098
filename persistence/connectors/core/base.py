"""Defines what a connector is: one class per kind of store that a tenant may connect.

A connector is built from a checked config and credentials, and is used from one thread at a time. Its calls are
synchronous and may block; callers run them in a worker thread (`persistence/connectors/__init__.py` has the async
side). It only ever reads.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final, Generic, Protocol

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field
from pydantic_settings import NoDecode
from typing_extensions import TypeVar

from persistence.connectors.core.folders import NOWHERE, Folders, parsed
from schema.data_readiness.source import Source


class ConnectorError(Exception):
    """A source could not be used. `reason` is safe to show: it never holds a credential.

    `kind` is one of: missing_extra, bad_config, refused_address, unreachable, tls, authentication, permission,
    not_found, timeout, cancelled, failed.
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind
        self.reason = reason


UNKNOWN_COLUMNS: Final = "The columns are not known."
"""How the comment of a table begins that is there and cannot be read; the reason follows."""


@dataclass(frozen=True, slots=True)
class ColumnInfo:
    """One column as the source declares it."""

    name: str
    data_type: str
    """Neutral upper-case type name: INTEGER, BIGINT, VARCHAR, TEXT, NUMERIC, BOOLEAN, TIMESTAMP, JSON, ..."""
    data_type_display: str
    """The type as the source spells it, such as `character varying(40)`."""
    ordinal_position: int
    nullable: bool | None
    comment: str | None = None
    precision: int | None = None
    scale: int | None = None
    data_length: int | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """A primary, unique or foreign key. `target_*` are set for foreign keys only."""

    kind: str
    """PRIMARY_KEY, UNIQUE or FOREIGN_KEY."""
    name: str | None
    columns: tuple[str, ...]
    target_schema: str | None = None
    target_table: str | None = None
    target_columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableInfo:
    """One table or view with all that the source knows about it."""

    name: str
    table_type: str
    """TABLE, VIEW, MATERIALIZED_VIEW, EXTERNAL or FILE."""
    columns: tuple[ColumnInfo, ...]
    keys: tuple[KeyInfo, ...] = ()
    comment: str | None = None
    row_count: int | None = None
    """The source's own estimate or exact count, whichever is free of a scan; None when it has none."""
    definition: str | None = None
    """The SQL of a view."""


@dataclass(frozen=True, slots=True)
class SchemaInfo:
    """A schema and the names of its tables and views, without their columns."""

    database: str
    name: str
    tables: tuple[str, ...]
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Discovery:
    """Holds what a successful verification found: server version and counts, as plain JSON."""

    message: str
    details: dict[str, Any] = field(default_factory=dict)


ConfigT = TypeVar("ConfigT", bound=BaseModel, default=Any)
CredentialsT = TypeVar("CredentialsT", bound=BaseModel, default=Any)


class Connector(ABC, Generic[ConfigT, CredentialsT]):
    """A read-only view of one tenant's store."""

    kind: ClassVar[str]
    """The connection_type that the contract names."""
    config_section: ClassVar[str]
    """database_config, storage_config or filesystem_config."""
    config_model: ClassVar[type[BaseModel]]
    """Validates that section; what it refuses becomes a 422 with the field's path."""
    credentials_model: ClassVar[type[BaseModel]]
    """Validates the write-only credentials."""
    extra: ClassVar[str | None] = None
    """The optional extra that carries the driver, or None when it is part of the core."""
    reads_folders: ClassVar[bool] = False
    """Whether it reads folders of this machine; only such a connector is told which ones."""
    folders: Folders = NOWHERE
    """The folders of this machine that the organization whose connection it is may read."""

    def __init__(
        self, config: ConfigT, credentials: CredentialsT, settings: "ConnectorSettings", outbound: "Outbound"
    ) -> None:
        """Keep what was checked; nothing is connected yet. Raises ConnectorError("bad_config")."""
        self.config = config
        self.settings = settings
        self.outbound = outbound
        self._credentials = credentials

    @abstractmethod
    def verify(self) -> Discovery:
        """Connect, authenticate and look around. Raises ConnectorError."""

    @abstractmethod
    def schemas(self) -> Sequence[SchemaInfo]:
        """All schemas that the connection selects (`selected_tables`), with their table names, sorted."""

    @property
    def cut_short(self) -> bool:
        """Return whether `schemas()` left something out because the source is larger than what is listed.

        What it does not name may then still be there.
        """
        return False

    @property
    def ignored(self) -> dict[str, Any]:
        """Return what `schemas()` met and took for no table, as plain JSON for a run's output; nothing for most
        sources.
        """
        return {}

    @abstractmethod
    def tables(self, database: str, schema: str, names: Sequence[str]) -> Iterator[TableInfo]:
        """The named tables with columns and keys, in a bounded number of statements however many names there are.

        A table that has vanished since `schemas()` is left out, not an error.
        """

    def source(self) -> AbstractContextManager[Source]:
        """The data of the store, for queries. Raises ConnectorError when it cannot be read."""
        raise ConnectorError("failed", f"The data of a {self.kind} connection cannot be read, only its catalog.")

    def cancel(self) -> None:
        """Stop what is running, from another thread; the call that runs it then raises ConnectorError("cancelled").

        A source may miss it in the very moment in which it takes a statement in: call it again until the work is over.
        """

    @abstractmethod
    def close(self) -> None:
        """Give back every connection. Safe to call twice."""

    def __enter__(self) -> "Connector":
        """Use the connector as a context manager."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()


def _known_folders(value: tuple[str, ...]) -> tuple[str, ...]:
    parsed(value)
    return value


def _split(value: Any) -> Any:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


class ConnectorSettings(BaseModel):
    """What the deployment lets connectors do."""

    connect_timeout: float = Field(10.0, gt=0, le=300, description="Seconds to wait for a connection to a source.")
    statement_timeout: float = Field(
        60.0, gt=0, le=86_400, description="Seconds that one statement on a source's catalog may take."
    )
    source_statement_timeout: float = Field(
        600.0, gt=0, le=86_400, description="Seconds that one statement on a source's data may take."
    )
    source_stream_timeout: float = Field(
        3600.0, gt=0, le=86_400, description="Seconds that reading a whole table of a source row by row may take."
    )
    source_copy_bytes: int = Field(
        20 << 30, ge=1 << 20, description="The largest table of files, in bytes, that is copied to be read."
    )
    source_documents: int = Field(
        1_000_000, ge=1, description="Documents of one collection that are read; of a larger one, a sample of so many."
    )
    source_memory: str = Field(
        "1GB",
        pattern=r"^[1-9]\d{0,6}\s?(MB|GB)$",
        description="Memory for reading the files or documents of one source.",
    )
    source_threads: int = Field(
        2, ge=1, le=256, description="Threads for reading the files or documents of one source."
    )
    source_kept_bytes: int = Field(
        10 << 30,
        ge=0,
        description="How many bytes of tables of files are kept as they were parsed, so that a file is parsed again "
        "only when it has changed, and at most a quarter of the disk; 0 keeps none. They lie in STOA_SOURCE_SCRATCH.",
    )
    source_scratch: str = Field(
        "", description="The folder for copies of files that are being read; empty for the system's temporary one."
    )
    filesystem_roots: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split), AfterValidator(_known_folders)] = (
        Field(
            (),
            description="Comma-separated folders under which nfs paths may lie: /folder/{organization} (to each "
            "organization its own), acme=/folder (to acme alone), *=/folder (to all), /folder (while the store holds a "
            "single organization); empty refuses every path.",
        )
    )


Credentials = Mapping[str, Any]


class Outbound(Protocol):
    """The deployment's rule on which addresses a connector may reach."""

    def resolve(self, host: str, port: int) -> list[str]:
        """The IP addresses of `host` that may be connected to, best first, never empty.

        Raises an exception whose text is a sentence that is safe to show when the address is refused, and OSError
        when the name is not known.
        """


def vetted_addresses(outbound: Outbound, host: str, port: int) -> list[str]:
    """Ask the policy for the addresses of a host, and turn its refusal into a ConnectorError.

    Connect to what this returns, not to the name: a name may point elsewhere the next time it is looked up.
    Raises ConnectorError("refused_address"), or "unreachable" when the name cannot be resolved.
    """
    try:
        addresses = outbound.resolve(host, port)
    except ConnectorError:
        raise
    except OSError:
        raise ConnectorError(
            "unreachable", f"The name {host!r} could not be resolved. Check the host for a spelling error."
        ) from None
    except Exception as error:
        raise ConnectorError("refused_address", str(error)) from error
    if not addresses:
        raise ConnectorError("refused_address", f"This deployment allows no address of {host!r}.")
    return addresses
