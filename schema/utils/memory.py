"""A memory is one thing worth knowing, kept in a context pack (contract 2.3)."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import Field

from schema.base import Change, Info, JsonObject, Maybe, Resource, Size, absent, change, choice, edge, resource
from schema.naming import Name, Tags
from schema.node import entity
from schema.pagination import Moment
from schema.utils.context_pack import ContextPack
from schema.utils.kept_json import Content, MetaData, OptionalContent, OptionalMetaData

Address = Annotated[str, Field(min_length=1, max_length=2048)]
MemoryText = Annotated[str, Field(max_length=10_000, description="What a search finds it by; made of the content.")]
AssetFqn = Annotated[
    str,
    Field(
        min_length=1,
        max_length=1000,
        pattern=r"^[^.\s][^.]*(\.[^.]+)*$",
        description="The dotted catalog name of what it is about.",
    ),
]
Share = Annotated[float, Field(ge=0, le=1, description="From 0 to 1.")]


@choice
class MemoryType(StrEnum):
    """The kinds of knowledge."""

    FACT = "fact"
    EXPERIENCE = "experience"
    OBSERVATION = "observation"
    INSTRUCTION = "instruction"
    PREFERENCE = "preference"
    SUMMARY = "summary"
    GLOSSARY = "glossary"
    ONTOLOGY = "ontology"
    TEXTUAL_PATTERN = "textual_pattern"
    KPI = "kpi"
    EXEMPLAR = "exemplar"
    JOIN = "join"
    NUMERIC_PATTERN = "numeric_pattern"
    POLICY = "policy"


@choice
class MemoryStatus(StrEnum):
    """Where a memory stands. One whose `expires_at` has passed is archived from that moment on."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    DELETED = "deleted"


@choice
class ValidationStatus(StrEnum):
    """Whether somebody has checked a memory, and what they found."""

    UNVALIDATED = "unvalidated"
    VALIDATED = "validated"
    DISPUTED = "disputed"


@resource
class MemorySource(Resource):
    """Where a memory comes from."""

    type: str | None = Field(None, description="What kind of source it is, such as a conversation.")
    conversation_id: str | None = Field(None, description="The conversation that it was said in.")
    turn_index: int | None = Field(None, description="The turn of that conversation, from 0.")
    actor: str | None = Field(None, description="Who said it.")
    confidence: float = Field(0.5, description="How sure the source is, from 0 to 1.")
    document_url: str | None = Field(None, description="The document that it stands in.")


@resource
class MemoryClassification(Resource):
    """How a memory is filed."""

    domain: str | None = Field(None, description="The field of business; a topic of the pack.")
    priority: str = Field("normal", description="How much it matters.")
    tags: list[str] = Field(default_factory=list, description="Free labels; topics of the pack.")
    sensitivity: str | None = Field(None, description="How far it may be passed on.")


@resource
class MemoryQuality(Resource):
    """What those who checked a memory found."""

    validation_status: ValidationStatus
    confidence_score: float | None = Field(description="How sure they are, from 0 to 1; null when they did not say.")
    validated_by: str | None = Field(description="The id of the user who checked it last; null while unvalidated.")
    validated_at: datetime | None = Field(description="When it was checked last; null while unvalidated.")


@resource
class MemoryAccess(Resource):
    """How a memory is used."""

    count: Size = Field(description="How often it was read by its id; reads without a token do not count.")
    last_accessed: datetime | None = Field(description="When it was last read by its id.")
    success_count: Size = Field(description="How many answers that used it are rated good.")
    failure_count: Size = Field(description="How many answers that used it are rated bad.")
    success_rate: float | None = Field(description="The share of uses that helped; null before the first.")


@entity()
class Memory(Resource):
    """One thing worth knowing. The same content stands in a pack once, however often it is added."""

    id: str
    name: str
    organization_id: str
    project_id: str
    context_pack_id: str = Field(description="The pack that it belongs to.")
    version: int = Field(description="Counts changes of what it says, from 1; lifecycle moves do not count.")
    content: JsonObject = Field(description="What it says.")
    memory_type: MemoryType
    source: MemorySource
    classification: MemoryClassification
    meta_data: JsonObject = Field(description="Whatever its owners keep with it.")
    quality: MemoryQuality
    access: MemoryAccess
    status: MemoryStatus
    pinned: bool = Field(description="Whether it stands first in lists.")
    created_at: datetime
    updated_at: datetime
    asset_fqn: str | None = Field(description="The dotted catalog name of what it is about.")
    content_url: str | None = Field(description="Where more of it stands.")
    search_text: str | None = Field(description="What a search finds it by; made of the content when not given.")
    superseded_by: str | None = Field(description="The id of the memory that replaced it.")
    supersedes: str | None = Field(description="The id of the memory that it replaced.")
    pinned_at: datetime | None = Field(description="When it was last pinned.")
    unpinned_at: datetime | None = Field(description="When it was last unpinned.")
    archived_at: datetime | None = Field(description="When it was last archived, or expired.")
    deleted_at: datetime | None
    superseded_at: datetime | None = Field(description="When it was replaced.")
    reactivated_at: datetime | None = Field(description="When it last became active again.")
    expires_at: datetime | None

    @edge
    async def context_pack(self, info: Info) -> ContextPack | None:
        """The pack that this memory belongs to; null for callers who may not read it."""
        return await info.context.load.context_pack(self.context_pack_id, info.context.now())


@change
class MemorySourceInput(Change):
    """Where a memory comes from."""

    type: Name | None = None
    conversation_id: Name | None = None
    turn_index: Annotated[int, Field(ge=0, le=2_147_483_647, description="The turn, from 0.")] | None = None
    actor: Name | None = None
    confidence: Share = 0.5
    document_url: Address | None = None


@change
class MemoryClassificationInput(Change):
    """How a memory is filed."""

    domain: Name | None = None
    priority: Name = "normal"
    tags: Tags = Field(default_factory=list)
    sensitivity: Name | None = None


@change
class MemoryReplacement(Change):
    """What a memory says, without the pack that it goes to."""

    name: Name
    content: Content = Field(
        description="What it says, such as `{type: text, text: ...}`; at most 64 KiB of JSON. A policy says `effect` "
        "(forbid, mask, row_filter, aggregate_only, minimum_group_size, show), what it is about by `tables`, "
        "`columns`, `tags` and `data_types` (dotted names, `*` for any part), for whom by `users`, `groups`, "
        "`except_users` and `except_groups`, and `mask` (full, last4, hash, year), `salt`, `condition` or `minimum`. "
        "While a policy cannot be read, no question is answered; one in words alone is not enforced, and answers say "
        "so."
    )
    memory_type: MemoryType
    source: MemorySourceInput | None = None
    classification: MemoryClassificationInput | None = None
    meta_data: MetaData = Field(default_factory=dict, description="At most 16 KiB of JSON.")
    asset_fqn: AssetFqn | None = None
    content_url: Address | None = None
    search_text: MemoryText | None = None
    expires_at: Moment | None = Field(None, description="When it ceases to hold; a moment to come, with its offset.")
    pinned: Annotated[bool, Field(description="Whether it stands first in lists.")] = False


@change
class MemoryCreate(MemoryReplacement):
    """A memory to add to a pack. Adding the same type, content and asset again answers with the one that stands."""

    context_pack_id: UUID = Field(description="The pack that it goes to; it must be active.")


@change
class MemoryUpdate(Change):
    """What may change. A field left out stays; `source` and `classification` are replaced whole."""

    name: Maybe[Name] = None
    content: OptionalContent = absent()
    memory_type: Maybe[MemoryType] = None
    source: Maybe[MemorySourceInput] = None
    classification: Maybe[MemoryClassificationInput] = None
    meta_data: OptionalMetaData = absent()
    asset_fqn: Maybe[AssetFqn | None] = None
    content_url: Maybe[Address | None] = None
    search_text: Maybe[MemoryText | None] = None
    expires_at: Moment | None = absent()


@change
class MemorySupersession(Change):
    """What takes the memory's place: a `replacement` to add to its pack, or an active memory of the pack by its id."""

    superseded_by: Annotated[UUID, Field(description="The id of the memory that takes its place.")] | None = None
    replacement: MemoryReplacement | None = None


@change
class MemoryValidation(Change):
    """What somebody who checked a memory found. `unvalidated` takes the earlier finding back."""

    validation_status: ValidationStatus
    confidence_score: Maybe[Share | None] = None
