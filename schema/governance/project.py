"""A project groups the resources that one team works with."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry
from pydantic import Field

from schema.base import Change, Info, Resource, change, edge
from schema.governance.permission import Relation, RoleHolder
from schema.naming import Name
from schema.node import entity
from schema.pagination import Connection
from schema.windows import Listing, Window, asked_of, chosen, listed

if TYPE_CHECKING:
    from schema.assets.data_connection import DataConnection
    from schema.data_readiness.scorecard import Scorecard
    from schema.data_readiness.workflow import WorkflowConfiguration, WorkflowType
    from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
    from schema.governance.organization import Organization


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
        """The data connections of this project, the first 200; `dataConnectionsConnection` has them all."""
        return await info.context.load.data_connections_of_project(self.id)

    @edge
    async def workflow_configurations(
        self, info: Info
    ) -> list[Annotated["WorkflowConfiguration", strawberry.lazy("schema.data_readiness.workflow")]]:
        """The workflow configurations of this project, newest first.

        The first 200; `workflowConfigurationsConnection` has them all.
        """
        return await info.context.load.configurations_of_project(self.id)

    @edge
    async def organization(
        self, info: Info
    ) -> Annotated["Organization", strawberry.lazy("schema.governance.organization")] | None:
        """The organization that it is of; null when the caller may not read it."""
        return await info.context.load.organization(self.organization_id)

    @edge
    async def scorecard(
        self, info: Info
    ) -> Annotated["Scorecard", strawberry.lazy("schema.data_readiness.scorecard")] | None:
        """How good the data of the whole project and their description are, each with its change."""
        return await info.context.load.scorecard_of_project(self.id)

    @listed
    async def data_connections_connection(
        self, info: Info, window: Window
    ) -> Connection[Annotated["DataConnection", strawberry.lazy("schema.assets.data_connection")]]:
        """The data connections of this project."""
        return await info.context.load.connections_of_project(asked_of(self.id, Listing(window), self.id))

    @listed
    async def workflow_configurations_connection(
        self, info: Info, window: Window
    ) -> Connection[Annotated["WorkflowConfiguration", strawberry.lazy("schema.data_readiness.workflow")]]:
        """The workflow configurations of this project, newest first."""
        return await info.context.load.configurations_in_project(asked_of(self.id, Listing(window), self.id))

    @listed
    async def runs(
        self,
        info: Info,
        window: Window,
        status: list[Annotated["RunStatus", strawberry.lazy("schema.data_readiness.workflow_run")]] | None = None,
        workflow_type: list[Annotated["WorkflowType", strawberry.lazy("schema.data_readiness.workflow")]] | None = None,
    ) -> Connection[Annotated["WorkflowRun", strawberry.lazy("schema.data_readiness.workflow_run")]]:
        """The runs of all configurations of this project, newest first."""
        listing = Listing(window, (chosen(status), chosen(workflow_type)))
        return await info.context.load.runs_of_project(asked_of(self.id, listing, self.id))

    @listed
    async def members(
        self, info: Info, window: Window, relation: list[Relation] | None = None
    ) -> Connection[RoleHolder] | None:
        """The users and groups that were given a role on this project itself, users first, by their names.

        Null when the caller may not share the project. Who inherits a role from the organization is not among them.
        """
        return await info.context.load.members_of_project(
            asked_of(self.id, Listing(window, (chosen(relation),)), self.id)
        )


@change
class ProjectCreate(Change):
    """What a new project starts with."""

    name: Annotated[Name, Field(description="Unique in the organization.")]
    description: Annotated[str, Field(max_length=1000)] | None = None
