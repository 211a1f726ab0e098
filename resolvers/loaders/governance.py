"""The edges of Governance."""

from collections.abc import Sequence

from resolvers.loaders.base import MOST_PER_PARENT, LoadersBase, batched
from schema.governance.project import Project


class GovernanceLoaders(LoadersBase):
    """Describes what hangs on organizations."""

    @batched
    async def projects_of_organization(self, ids: Sequence[str]) -> list[list[Project]]:
        """The organization's projects that the caller may read."""
        own = self._caller.organization_id
        projects = await self._store.read(lambda uow: uow.projects.where_in(self._scope, "organization_id", [own]))
        readable = await self._readable("project", [project.id for project in projects])
        shown = [project for project in projects if readable[project.id]][:MOST_PER_PARENT]
        return [shown if id == own else [] for id in ids]
