"""Defines what the search index holds and finds (contract 2.11, 4.6)."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from schema.base import Change, JsonObject, Resource, change, resource
from schema.errors import InvalidParameter
from schema.governance.permission import ResourceType
from schema.identifiers import ResourceUri
from schema.naming import LongName, ShortName

MOST_AT_ONCE = 1000
"""How many operations one bulk request may queue."""

OrganizationId = Annotated[str, Field(min_length=1, max_length=255, description="The caller's organization.")]
EntityType = Annotated[ShortName, Field(description="What it is, such as table or agent.")]
EntityId = Annotated[str, Field(min_length=1, max_length=512, description="Stable and unique within its type.")]


@change
class EntityReference(Change):
    """Names one entity of the index."""

    organization_id: OrganizationId
    entity_type: EntityType
    entity_id: EntityId


@change
class IndexEntity(Change):
    """An entity to find: indexed anew when it stands already."""

    organization_id: OrganizationId
    project_id: Annotated[str, Field(min_length=1, max_length=255, description="The selected project.")]
    entity_type: EntityType
    entity_id: EntityId
    title: Annotated[LongName, Field(description="Weighs most in the ranking.")]
    permission_id: Annotated[
        str,
        Field(
            min_length=1,
            max_length=300,
            description="What one must be able to read to find it: `<resource type>:<id>`, a resource URI, or the "
            "id of a project.",
        ),
    ]
    subtitle: Annotated[str, Field(max_length=1000, description="Shown below the title.")] | None = None
    url: Annotated[str, Field(max_length=2000, description="Where a click leads.")] | None = None
    embedded_text: Annotated[str, Field(max_length=20_000, description="Further words to find it by.")] | None = None
    rank_boost: Annotated[float, Field(ge=0, le=100, description="The rank is multiplied by it.")] = 1.0
    search_attributes: Annotated[JsonObject, Field(description="Shown with a hit.")] = Field(default_factory=dict)
    extra_metadata: Annotated[JsonObject, Field(description="Kept with it and shown with a hit.")] = Field(
        default_factory=dict
    )


@resource
class Accepted(Resource):
    """How many operations were queued; each is visible in search within moments."""

    accepted: int = Field(description="Number of operations queued.")


@resource
class SearchHit(Resource):
    """An entity that a query found and that the caller may read."""

    organization_id: str
    project_id: str
    entity_type: str
    entity_id: str
    title: str
    subtitle: str | None
    url: str | None
    search_attributes: JsonObject
    extra_metadata: JsonObject
    indexed_at: datetime = Field(description="When it was last indexed.")
    score: float = Field(description="How well it fits: the weights of the words found, times its boost; 0 without q.")


def permission_object(permission_id: str) -> tuple[str, str]:
    """The type and id of the object that a hit is checked on.

    `project:p1` and `data_connection:data:acme:p1:shop` name both; of a resource URI the type follows from its kind;
    anything else is taken for the id of a project, so that what names nothing is found by nobody.
    """
    type_, _, id_ = permission_id.partition(":")
    kind = _TYPES_BY_KIND.get(type_)
    if kind is not None and not id_.startswith(f"{type_}:"):
        return kind, permission_id
    return (type_, id_) if id_ and type_ in set(ResourceType) else ("project", permission_id)


def project_of(permission_id: str) -> str | None:
    """The project that the object lies in, as far as its name tells; None for the organization's own."""
    type_, id_ = permission_object(permission_id)
    if type_ == ResourceType.PROJECT:
        return id_
    try:
        return ResourceUri.parse(id_).project_id
    except InvalidParameter:
        return None


_TYPES_BY_KIND = {
    "data": ResourceType.DATA_CONNECTION,
    "file": ResourceType.FILE,
    "artifact": ResourceType.ARTIFACT,
}
"""Which resources have a URI of their own, by its first part."""
