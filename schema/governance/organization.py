"""An organization is a tenant: nothing crosses from one to another."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry
from pydantic import Field

from schema.base import Change, Info, Resource, change, edge, resource
from schema.node import entity
from schema.pagination import Connection
from schema.windows import Listing, Window, asked_of, listed

if TYPE_CHECKING:
    from schema.governance.project import Project

RequestsPerMinute = Annotated[int, Field(ge=1, le=1_000_000, description="Requests in a sliding minute.")]


@entity(is_top=True)
class Organization(Resource):
    """A tenant. Every request is scoped to the one that its token names."""

    id: str
    name: str
    description: str | None
    created_at: datetime
    updated_at: datetime

    @edge
    async def projects(self, info: Info) -> list[Annotated["Project", strawberry.lazy("schema.governance.project")]]:
        """The projects of this organization that the caller may read, the first 200; `projectsConnection` has all."""
        return await info.context.load.projects_of_organization(self.id)

    @listed
    async def projects_connection(
        self, info: Info, window: Window
    ) -> Connection[Annotated["Project", strawberry.lazy("schema.governance.project")]]:
        """The projects of this organization that the caller may read, by name."""
        return await info.context.load.readable_projects(asked_of(self.id, Listing(window)))


@resource
class RateLimits(Resource):
    """How many requests a minute each principal of an organization has, by kind (contract section 8)."""

    organization_id: str
    reads: int
    """Requests a minute that only read."""
    writes: int
    """Requests a minute that change something."""
    bulk: int
    """Requests a minute that send many entities at once."""
    anonymous: int
    """Requests a minute without a token, from one address."""


@change
class RateLimitsChange(Change):
    """A tenant's own limits. A field left out or null falls back to the deployment's."""

    reads: RequestsPerMinute | None = None
    writes: RequestsPerMinute | None = None
    bulk: RequestsPerMinute | None = None
    anonymous: RequestsPerMinute | None = None
