"""Defines what a source says about one database, schema, table or column, and what a difference to the catalog
amounts to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from schema.utils.metadata_asset import LEVEL, AssetType


@dataclass(frozen=True, slots=True)
class SourceAsset:
    """One asset as its source declares it. `path` leads from the database down; the service is not part of it."""

    type: AssetType
    path: tuple[str, ...]
    description: str | None = None
    """The comment in the source; a person's own description stands above it."""
    schema_definition: str | None = None
    table_type: str | None = None
    row_count: int | None = None
    data_type: str | None = None
    data_type_display: str | None = None
    ordinal_position: int | None = None
    nullable: bool | None = None
    precision: int | None = None
    scale: int | None = None
    data_length: int | None = None
    constraint: Mapping[str, Any] = field(default_factory=dict)
    column_relationships: Sequence[Mapping[str, Any]] | None = None
    extension: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.path) != LEVEL[self.type] - 1 or not all(self.path):
            raise ValueError(f"a {self.type} has {LEVEL[self.type] - 1} names below its service, none of them empty")

    @property
    def name(self) -> str:
        """Return what the source calls it."""
        return self.path[-1]


SOURCE_FIELDS = (
    "description",
    "schema_definition",
    "table_type",
    "row_count",
    "data_type",
    "data_type_display",
    "ordinal_position",
    "nullable",
    "precision",
    "scale",
    "data_length",
    "constraint",
    "column_relationships",
    "extension",
)
"""The fields of an asset that a source speaks of."""


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """What happened to one column of a table."""

    name: str
    kind: Literal["added", "updated", "deleted"]
    fields: tuple[str, ...] = ()
    """For an updated column: which of its fields."""
    structural: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a difference amounts to: which fields, and whether the structure changed."""

    structural: bool
    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """Every field that differs."""
        return (*self.added, *self.updated, *self.deleted)

    def change_description(self, previous_version: str) -> dict[str, Any]:
        """The difference as the contract writes it."""
        return {
            "fields_added": [{"field_name": name} for name in self.added],
            "fields_updated": [{"field_name": name} for name in self.updated],
            "fields_deleted": [{"field_name": name} for name in self.deleted],
            "previous_version": previous_version,
        }

    def change_summary(self) -> dict[str, Any]:
        """The difference in numbers."""
        return {
            "structural": self.structural,
            "added": len(self.added),
            "updated": len(self.updated),
            "deleted": len(self.deleted),
        }


class Judge(Protocol):
    """Says what the difference between two states of an asset amounts to; None when it deserves no version."""

    def __call__(
        self, before: Mapping[str, Any], after: Mapping[str, Any], columns: Sequence[ColumnChange] = ()
    ) -> Judgement | None:
        """Judge the difference."""
        ...


@dataclass(frozen=True, slots=True)
class Counts:
    """What an ingestion step did, in numbers of assets."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    vanished: int = 0
    restored: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.created + other.created,
            self.updated + other.updated,
            self.unchanged + other.unchanged,
            self.vanished + other.vanished,
            self.restored + other.restored,
        )

    @property
    def written(self) -> int:
        """Return how many assets were changed in any way."""
        return self.created + self.updated + self.vanished + self.restored
