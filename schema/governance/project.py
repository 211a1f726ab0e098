"""A project groups the resources that one team works with."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry
from pydantic import Field

from schema.base import Change, Info, Resource, change, edge
from schema.naming import Name
from schema.node import entity

if TYPE_CHECKING:
    from schema.assets.data_connection import DataConnection
    from schema.data_readiness.workflow import WorkflowConfiguration


@entity()
class Project(Resource):
    """A team's workspace inside an organization; permissions flow from the organization to it to its resources."""

    id: str
    organization_id: str
    name: str
    description: str | None
    created_at: datetime
    updated_at: datetime
    created_by: str

    @edge
    async def data_connections(
        self, info: Info
    ) -> list[Annotated["DataConnection", strawberry.lazy("schema.assets.data_connection")]]:
        """The data connections of this project."""
        return await info.context.load.data_connections_of_project(self.id)

    @edge
    async def workflow_configurations(
        self, info: Info
    ) -> list[Annotated["WorkflowConfiguration", strawberry.lazy("schema.data_readiness.workflow")]]:
        """The workflow configurations of this project, newest first."""
        return await info.context.load.configurations_of_project(self.id)


@change
class ProjectCreate(Change):
    """What a new project starts with."""

    name: Annotated[Name, Field(description="Unique in the organization.")]
    description: Annotated[str, Field(max_length=1000)] | None = None
