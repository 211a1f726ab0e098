"""The batched reads behind the edges of the graph. One instance per request, always inside the caller's tenant.

They live beside the context and not in persistence, because an edge shows only what the caller may read, and so needs
the guard as well as the store.
"""

from collections import defaultdict
from collections.abc import Sequence

from aiodataloader import DataLoader

from auth.caller import Caller
from auth.guard import Guard
from persistence.repository import Scope
from persistence.store import Store
from schema.assets.data_connection import DataConnection
from schema.governance.permission import Permission
from schema.governance.project import Project

MOST_PER_PARENT = 200
"""How many items an edge answers with for one parent; the paged list has them all."""


class Loaders:
    """Everything an edge may load: ten parents cost as many statements as one."""

    def __init__(self, store: Store, guard: Guard, caller: Caller) -> None:
        self._store, self._guard, self._caller = store, guard, caller
        self._scope = Scope(caller.organization_id)
        self._projects: DataLoader[str, list[Project]] = DataLoader(self._load_projects)
        self._connections: DataLoader[str, list[DataConnection]] = DataLoader(self._load_connections)

    async def projects_of_organization(self, id: str) -> list[Project]:
        """The organization's projects that the caller may read."""
        return await self._projects.load(id)

    async def data_connections_of_project(self, id: str) -> list[DataConnection]:
        """The project's data connections; empty when the caller may not read the project."""
        return await self._connections.load(id)

    async def _load_projects(self, organization_ids: Sequence[str]) -> list[list[Project]]:
        own = self._caller.organization_id
        projects = await self._store.read(
            lambda shelves: shelves.projects.where_in(self._scope, "organization_id", [own])
        )
        readable = await self._guard.allows_many(
            self._caller, Permission.CAN_READ, "project", [project.id for project in projects]
        )
        shown = [project for project in projects if readable[project.id]][:MOST_PER_PARENT]
        return [shown if id == own else [] for id in organization_ids]

    async def _load_connections(self, project_ids: Sequence[str]) -> list[list[DataConnection]]:
        readable = await self._guard.allows_many(self._caller, Permission.CAN_READ, "project", list(project_ids))
        found = await self._store.read(
            lambda shelves: shelves.data_connections.where_in(self._scope, "project_id", list(project_ids))
        )
        by_project: dict[str, list[DataConnection]] = defaultdict(list)
        for connection in found:
            if connection.project_id is not None and readable[connection.project_id]:
                by_project[connection.project_id].append(connection)
        return [by_project[id][:MOST_PER_PARENT] for id in project_ids]
