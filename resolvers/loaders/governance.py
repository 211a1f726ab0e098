"""The edges of Governance."""

from collections.abc import Sequence
from typing import Any

from auth.holders import holders_among
from auth.model import platform_model
from auth.permissions import permissions_of
from auth.relations import RelationTuple, object_name
from resolvers.loaders.base import MOST_PER_PARENT, batched
from resolvers.loaders.windows import WindowLoaders
from schema.governance.permission import Permission, ResourceType
from schema.governance.project import Project
from schema.pagination import Connection
from schema.windows import Asked


class GovernanceLoaders(WindowLoaders):
    """Describes what hangs on organizations, and on the caller."""

    @batched
    async def readable_projects(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """The projects of an organization that the caller may read, by name."""
        own = self._caller.organization_id
        projects = await self._store.read(lambda uow: uow.projects.where_in(self._scope, "organization_id", [own]))
        readable = await self._readable("project", [project.id for project in projects])
        shown = sorted((one for one in projects if readable[one.id]), key=lambda one: (one.name, one.id))
        return [self._among("readable_projects", one, shown if one.parent == (own,) else []) for one in asked]

    @batched
    async def members_of_project(self, asked: Sequence[Asked]) -> list[Connection[Any] | None]:
        """Who was given a role on a project itself; None where the caller may not share it; filters: roles."""
        ids = list(dict.fromkeys(one.parent[0] for one in asked))
        shared = await self._readable("project", ids, Permission.CAN_SHARE)
        of: dict[str, list[RelationTuple]] = {object_name("project", id): [] for id in ids if shared[id]}
        for item in await self._relations.standing(self._scope.organization_id, list(of)) if of else ():
            of[item.object].append(item)

        def among(one: Asked) -> Any:
            (roles,) = one.listing.filters
            standing = of.get(object_name("project", one.parent[0]))
            if standing is None:
                return None
            return self._among("members_of_project", one, holders_among(ResourceType.PROJECT, standing, roles))

        return [among(one) for one in asked]

    @batched
    async def permissions_on(self, asked: Sequence[tuple[ResourceType, str]]) -> list[list[Permission]]:
        """Return what the caller may do with resources, each by its type and id."""
        model = platform_model()
        return [
            await self._guard.held(self._caller, sorted(permissions_of(model, type_)), type_.value, id)
            for type_, id in asked
        ]

    @batched
    async def projects_of_organization(self, ids: Sequence[str]) -> list[list[Project]]:
        """The organization's projects that the caller may read."""
        own = self._caller.organization_id
        projects = await self._store.read(lambda uow: uow.projects.where_in(self._scope, "organization_id", [own]))
        readable = await self._readable("project", [project.id for project in projects])
        shown = [project for project in projects if readable[project.id]][:MOST_PER_PARENT]
        return [shown if id == own else [] for id in ids]
