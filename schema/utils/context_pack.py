"""A context pack gathers memories about one subject (contract 2.4)."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import strawberry
from pydantic import Field

from schema.base import Change, Info, JsonObject, Maybe, Resource, absent, change, choice, edge
from schema.naming import Name
from schema.node import entity
from schema.utils.kept_json import MetaData, OptionalMetaData

if TYPE_CHECKING:
    from schema.utils.memory import Memory

PackText = Annotated[str, Field(max_length=1000)]
SummaryText = Annotated[str, Field(max_length=10_000, description="The pack in a few paragraphs.")]


@choice
class PackStatus(StrEnum):
    """Where a pack stands. Only an active pack takes new memories; a deleted one is a record and nothing more."""

    ACTIVE = "active"
    ARCHIVED = "archived"
    DEPRECATED = "deprecated"
    DELETED = "deleted"


@choice
class PackType(StrEnum):
    """What the memories of a pack are about."""

    USER = "user"
    TEAM = "team"
    PROJECT = "project"
    DOMAIN = "domain"
    SESSION = "session"
    DATA_SOURCE = "data_source"


@entity()
class ContextPack(Resource):
    """Memories about one subject. Its topics are counted from its active memories whenever it is read."""

    id: str
    organization_id: str
    project_id: str
    name: str
    pack_type: PackType
    status: PackStatus
    description: str | None
    version: int = Field(description="Counts every change of the pack, from 1.")
    summary_text: str | None = Field(description="The pack in a few paragraphs; null until somebody writes it.")
    summary_version: int = Field(description="Counts every change of the summary, from 0.")
    key_topics: list[str] = Field(description="The ten topics that most active memories have.")
    topic_distribution: JsonObject = Field(
        description="How many active memories have each topic, the 50 most common: a memory's topics are its "
        "`classification.domain` and `classification.tags`."
    )
    meta_data: JsonObject = Field(description="Whatever its owners keep with it.")
    config: JsonObject = Field(description="Settings for those who use the pack; the platform reads none of them.")
    created_by: str
    updated_by: str
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None = Field(description="When it was last archived.")
    deprecated_at: datetime | None = Field(description="When it was last deprecated.")
    deleted_at: datetime | None
    reactivated_at: datetime | None = Field(description="When it last became active again.")

    @edge
    async def memories(self, info: Info) -> list[Annotated["Memory", strawberry.lazy("schema.utils.memory")]]:
        """The active memories of this pack, pinned ones first, then the newest; the first 200."""
        return await info.context.load.memories_of_pack(self.id, info.context.now())


@change
class ContextPackCreate(Change):
    """A context pack to create. Its name is its own among the packs of the project that are not deleted."""

    name: Name
    pack_type: PackType
    description: PackText | None = None
    meta_data: MetaData = Field(default_factory=dict, description="At most 16 KiB of JSON.")
    config: MetaData = Field(default_factory=dict, description="At most 16 KiB of JSON.")


@change
class ContextPackUpdate(Change):
    """What may change. A field left out stays; `status` moves the pack, but deleting is an operation of its own."""

    name: Maybe[Name] = None
    description: Maybe[PackText | None] = None
    summary_text: Maybe[SummaryText | None] = None
    status: Maybe[PackStatus] = None
    meta_data: OptionalMetaData = absent()
    config: OptionalMetaData = absent()
