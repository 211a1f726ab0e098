"""A glossary term is a word of the business, defined once and linked to the assets that it is about."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Final

import strawberry
from pydantic import Field

from schema.base import Change, Info, Maybe, Resource, change, choice, edge, resource
from schema.grammar import ANY_NAME
from schema.naming import Name, Tags
from schema.node import deletion, entity
from schema.pagination import Connection
from schema.utils.metadata_asset import AssetOwner, AssetType, Owners
from schema.windows import Listing, Window, asked_of, listed

if TYPE_CHECKING:
    from schema.utils.metadata_asset import MetadataAsset

TermName = Annotated[Name, Field(description="Unique in the project.")]
Definition = Annotated[str, Field(max_length=20_000)]
Words = Annotated[list[Name], Field(max_length=100)]


@choice
class TermStatus(StrEnum):
    """Where a term stands."""

    DRAFT = "draft"
    IN_REVIEW = "in_review"
    APPROVED = "approved"
    REJECTED = "rejected"
    DEPRECATED = "deprecated"


@choice
class TermDecision(StrEnum):
    """What a reviewer decides; `pending` puts a term that was decided on back into review."""

    APPROVE = "approve"
    REJECT = "reject"
    PENDING = "pending"


MOVES: Final[dict[TermStatus, frozenset[TermStatus]]] = {
    TermStatus.DRAFT: frozenset({TermStatus.IN_REVIEW}),
    TermStatus.IN_REVIEW: frozenset({TermStatus.DRAFT}),
    TermStatus.APPROVED: frozenset({TermStatus.DEPRECATED}),
    TermStatus.REJECTED: frozenset({TermStatus.DRAFT, TermStatus.IN_REVIEW}),
    TermStatus.DEPRECATED: frozenset({TermStatus.DRAFT}),
}
"""Where an update may move a term. Only a decision approves or rejects one."""

DECISIONS: Final[dict[TermDecision, tuple[TermStatus, frozenset[TermStatus]]]] = {
    TermDecision.APPROVE: (TermStatus.APPROVED, frozenset({TermStatus.IN_REVIEW})),
    TermDecision.REJECT: (TermStatus.REJECTED, frozenset({TermStatus.IN_REVIEW})),
    TermDecision.PENDING: (TermStatus.IN_REVIEW, frozenset({TermStatus.APPROVED, TermStatus.REJECTED})),
}
"""Where each decision moves a term, and from where."""

REVIEWED_FIELDS: Final = frozenset({"name", "definition", "synonyms"})
"""What an approval is about: a change of one of these puts an approved term back into review."""


@resource
class TermAsset(Resource):
    """A link from a term to an asset of the catalog."""

    term_id: str
    asset_id: str
    asset_fqn: str
    asset_type: AssetType
    created_at: datetime
    created_by: str

    @edge
    async def asset(
        self, info: Info
    ) -> Annotated["MetadataAsset", strawberry.lazy("schema.utils.metadata_asset")] | None:
        """The asset; null when the catalog no longer holds it."""
        return await info.context.load.asset(self.asset_id)


@entity(kept_in="glossary_terms")
class GlossaryTerm(Resource):
    """A word of the business. Approved terms are those that a steward stands for."""

    id: str
    name: str
    display_name: str | None
    definition: str | None
    synonyms: list[str]
    related_terms: list[str] = Field(description="Names of related terms; they need not be defined yet.")
    parent_term_id: str | None = Field(description="The broader term above this one.")
    owners: list[AssetOwner]
    tags: list[str]
    status: TermStatus
    reviewed_by: str | None = Field(description="Who approved or rejected it last.")
    reviewed_at: datetime | None
    review_notes: str | None
    version: int = Field(description="Counts the updates and decisions, from 1.")
    asset_count: int = Field(description="How many assets it is linked to.")
    created_at: datetime
    updated_at: datetime
    created_by: str
    updated_by: str

    @edge
    async def assets(self, info: Info) -> list[TermAsset]:
        """The assets that it is linked to, by name, the first 200; `assetsConnection` has them all."""
        return await info.context.load.assets_of_term(self.id)

    @listed
    async def assets_connection(self, info: Info, window: Window) -> Connection[TermAsset]:
        """The assets that it is linked to, by name."""
        return await info.context.load.assets_in_term(asked_of(self.id, Listing(window)))

    @edge
    async def parent(
        self, info: Info
    ) -> Annotated["GlossaryTerm", strawberry.lazy("schema.data_readiness.glossary")] | None:
        """The broader term above it."""
        return None if self.parent_term_id is None else await info.context.load.term(self.parent_term_id)

    @listed
    async def children(
        self, info: Info, window: Window
    ) -> Connection[Annotated["GlossaryTerm", strawberry.lazy("schema.data_readiness.glossary")]]:
        """The narrower terms right below it."""
        return await info.context.load.children_of_term(asked_of(self.id, Listing(window)))


@deletion("term_id")
class GlossaryTermDeleted(Resource):
    """The answer to a deletion."""

    term_id: str
    deleted: bool


@resource
class TermAssetUnlinked(Resource):
    """The answer to the removal of a link."""

    term_id: str
    asset_fqn: str
    deleted: bool


@change
class GlossaryTermCreate(Change):
    """A term to define. It starts as a draft, or in review."""

    name: TermName
    display_name: Name | None = None
    definition: Definition | None = None
    synonyms: Words = Field(default_factory=list)
    related_terms: Words = Field(default_factory=list)
    parent_term_id: Annotated[str, Field(min_length=1, max_length=255)] | None = None
    owners: Owners = Field(default_factory=list)
    tags: Tags = Field(default_factory=list)
    status: TermStatus = TermStatus.DRAFT


@change
class GlossaryTermUpdate(Change):
    """What may change. A field left out stays."""

    name: Maybe[TermName] = None
    display_name: Maybe[Name | None] = None
    definition: Maybe[Definition | None] = None
    synonyms: Maybe[Words] = None
    related_terms: Maybe[Words] = None
    parent_term_id: Maybe[Annotated[str, Field(min_length=1, max_length=255)] | None] = None
    owners: Maybe[Owners] = None
    tags: Maybe[Tags] = None
    status: Maybe[TermStatus] = None


@change
class TermReview(Change):
    """A decision about a term."""

    decision: TermDecision
    notes: Annotated[str, Field(max_length=1000)] | None = None


@change
class TermAssetCreate(Change):
    """The asset to link: one that stands in the project's catalog."""

    asset_fqn: Annotated[str, Field(min_length=1, max_length=2000, description="The asset's dotted name."), ANY_NAME]
