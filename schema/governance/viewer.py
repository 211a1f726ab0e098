"""Who asks: what their token says, what is theirs, what they may do, and how much they may ask yet."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import strawberry
from pydantic import Field

from schema.base import Info, Resource, choice, edge, resource
from schema.errors import InvalidParameter
from schema.governance.permission import Permission, ResourceType
from schema.pagination import Connection
from schema.windows import Listing, Window, asked_of, listed

if TYPE_CHECKING:
    from schema.governance.organization import Organization
    from schema.governance.project import Project

TypeAsked = Annotated[
    ResourceType | None,
    strawberry.argument(description="The type of a resource, beside `resourceId`; else the selected project is meant."),
]
IdAsked = Annotated[str | None, strawberry.argument(description="The id of the resource, beside `resourceType`.")]


@choice
class BudgetKind(StrEnum):
    """What a window of calls is for."""

    READS = "reads"
    """Calls that only read."""
    WRITES = "writes"
    """Calls that change something."""
    BULK = "bulk"
    """Calls that send many entities at once."""


@resource
class Budget(Resource):
    """How many calls of a kind the caller may make in a sliding minute, and how many of them are left."""

    kind: BudgetKind
    limit: int = Field(description="Calls in a minute.")
    remaining: int = Field(description="How many of them are left now, this request counted.")
    resets_at: datetime = Field(description="When the oldest call that counts leaves the minute.")


@resource
class Viewer(Resource):
    """The caller, as their token says."""

    user_id: str = Field(description="The `sub` of the token.")
    organization_id: str
    project_id: str | None = Field(description="The project that the token or the header selects.")
    groups: list[str] = Field(description="The identity provider's groups that the token names.")

    @edge
    async def organization(
        self, info: Info
    ) -> Annotated["Organization", strawberry.lazy("schema.governance.organization")] | None:
        """The caller's organization; null when they may not read it."""
        return await info.context.load.organization(self.organization_id)

    @edge
    async def project(self, info: Info) -> Annotated["Project", strawberry.lazy("schema.governance.project")] | None:
        """The selected project; null when there is none, or the caller may not read it."""
        return None if self.project_id is None else await info.context.load.project(self.project_id)

    @listed
    async def projects(
        self, info: Info, window: Window
    ) -> Connection[Annotated["Project", strawberry.lazy("schema.governance.project")]]:
        """The projects that the caller may read, by name."""
        return await info.context.load.readable_projects(asked_of(self.organization_id, Listing(window)))

    @edge
    async def permissions(
        self, info: Info, resource_type: TypeAsked = None, resource_id: IdAsked = None
    ) -> list[Permission]:
        """What the caller may do with a resource: the selected project, or else the organization, unless one is named.

        A resource that does not exist gives nothing, as one of another organization does.
        """
        if (resource_type is None) != (resource_id is None):
            raise InvalidParameter("Send resourceType and resourceId together.", field="resource_id")
        if resource_type is not None and resource_id is not None:
            return await info.context.load.permissions_on((resource_type, resource_id))
        if self.project_id is not None:
            return await info.context.load.permissions_on((ResourceType.PROJECT, self.project_id))
        return await info.context.load.permissions_on((ResourceType.ORGANIZATION, self.organization_id))

    @edge
    async def budget(self, info: Info) -> list[Budget]:
        """How many calls of each kind are left, over REST and the graph together."""
        return await info.context.budget_left()
