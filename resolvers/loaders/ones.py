"""The edges that lead to one thing: from a finding back to its run, from a tag to its asset, up to the project."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from persistence.queries.catalog import live_assets
from persistence.queries.catalog_edges import named_assets
from persistence.repository import Repository
from persistence.store import UnitOfWork
from resolvers.loaders.base import LoadersBase, batched
from schema.data_readiness.glossary import GlossaryTerm
from schema.data_readiness.rule import QualityRule
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.data_readiness.workflow_run import WorkflowRun
from schema.governance.organization import Organization
from schema.governance.permission import Permission
from schema.governance.project import Project
from schema.identifiers import Fqn
from schema.talk2data.session import ChatSession
from schema.utils.metadata_asset import MetadataAsset


class SingleLoaders(LoadersBase):
    """Describes what one thing leads to; None where it is gone, or the caller may not read it."""

    @batched
    async def organization(self, ids: Sequence[str]) -> list[Organization | None]:
        """An organization by its id."""
        found = await self._store.read(lambda uow: uow.organizations.where_in(self._scope, "id", list(ids)))
        readable = await self._readable("organization", [one.id for one in found])
        of = {one.id: one for one in found if readable[one.id]}
        return [of.get(id) for id in ids]

    @batched
    async def project(self, ids: Sequence[str]) -> list[Project | None]:
        """A project by its id."""
        found = await self._store.read(lambda uow: uow.projects.where_in(self._scope, "id", list(ids)))
        readable = await self._readable("project", [one.id for one in found])
        of = {one.id: one for one in found if readable[one.id]}
        return [of.get(id) for id in ids]

    async def project_of(self, repository: str, id: str) -> Project | None:
        """The project of something that is kept in a repository of the store."""
        project_id = await self._project_id_of((repository, id))
        return None if project_id is None else await self.project(project_id)

    async def asset_about(self, repository: str, id: str, fqn: str) -> MetadataAsset | None:
        """The asset of a dotted name, in the project of something that is kept in a repository of the store."""
        project_id = await self._project_id_of((repository, id))
        return None if project_id is None else await self.asset_named((project_id, fqn))

    @batched
    async def _project_id_of(self, asked: Sequence[tuple[str, str]]) -> list[str | None]:
        ids: dict[str, list[str]] = defaultdict(list)
        for repository, id in asked:
            ids[repository].append(id)

        def work(uow: UnitOfWork) -> dict[tuple[str, str], str]:
            return {
                (name, id): project
                for name, some in ids.items()
                for id, project in getattr(uow, name).projects_of(self._scope, some).items()
            }

        found = await self._store.read(work)
        return [found.get(one) for one in asked]

    @batched
    async def configuration(self, ids: Sequence[str]) -> list[WorkflowConfiguration | None]:
        """A workflow configuration by its id; None when it was deleted."""
        return await self._each(lambda uow: uow.workflow_configurations, ids)

    @batched
    async def run(self, ids: Sequence[str]) -> list[WorkflowRun | None]:
        """A run by its id, with its first tasks."""
        found = await self._each(lambda uow: uow.workflow_runs, ids)
        runs = [run for run in found if run is not None]
        told = {run.id: run for run in await self._store.read(lambda uow: uow.run_tasks.beside(self._scope, runs))}
        return [told.get(id) for id in ids]

    @batched
    async def rule(self, ids: Sequence[str]) -> list[QualityRule | None]:
        """A quality rule by its id."""
        return await self._each(lambda uow: uow.quality_rules, ids)

    async def rule_of_execution(self, id: str) -> QualityRule | None:
        """The rule that an execution evaluated."""
        execution = await self._execution(id)
        return None if execution is None else await self.rule(execution.rule_id)

    @batched
    async def _execution(self, ids: Sequence[str]) -> list[Any]:
        return await self._each(lambda uow: uow.rule_executions, ids)

    @batched
    async def term(self, ids: Sequence[str]) -> list[GlossaryTerm | None]:
        """A glossary term by its id."""
        return await self._each(lambda uow: uow.glossary_terms, ids)

    @batched
    async def session_of_turn(self, ids: Sequence[str]) -> list[ChatSession | None]:
        """The session of a turn, when it is the caller's own."""
        sessions = await self._store.read(lambda uow: uow.turns.sessions_of(self._scope, ids))
        wanted = list(dict.fromkeys(sessions.values()))
        found = await self._each(lambda uow: uow.chat_sessions, wanted, key="session_id", own=True)
        of = dict(zip(wanted, found, strict=True))
        return [of.get(sessions.get(id, "")) for id in ids]

    @batched
    async def asset(self, ids: Sequence[str]) -> list[MetadataAsset | None]:
        """An asset that the catalog holds, by its id."""
        organization = self._scope.organization_id
        found = await self._store.read(lambda uow: list(live_assets(uow.connection, organization, ids)))
        readable = await self._readable("project", [one.project_id for one in found], Permission.CAN_READ_METADATA)
        of = {one.id: one for one in found if readable[one.project_id]}
        return [of.get(id) for id in ids]

    @batched
    async def asset_named(self, asked: Sequence[tuple[str, str]]) -> list[MetadataAsset | None]:
        """An asset that the catalog holds, by its project and its dotted name."""
        readable = await self._readable("project", [project for project, _ in asked], Permission.CAN_READ_METADATA)
        shown = [one for one in asked if readable[one[0]]]
        organization = self._scope.organization_id
        found = await self._store.read(lambda uow: named_assets(uow.connection, organization, shown)) if shown else {}
        return [found.get(one) for one in asked]

    async def parent_of_asset(self, asset: MetadataAsset) -> MetadataAsset | None:
        """The asset that one is in; None for a database, above which is no asset."""
        parts = Fqn.parse(asset.fully_qualified_name).parts
        return None if len(parts) < 3 else await self.asset_named((asset.project_id, str(Fqn.of(*parts[:-1]))))

    async def _each(
        self,
        repository_of: Callable[[UnitOfWork], Repository[Any]],
        ids: Sequence[str],
        *,
        key: str = "id",
        own: bool = False,
    ) -> list[Any]:
        """Something by its key, in a project that the caller may read; with `own` only what they made themselves."""
        made_by = self._caller.user_id if own else None
        found = await self._store.read(
            lambda uow: repository_of(uow).with_projects(self._scope, key, list(ids), made_by=made_by)
        )
        readable = await self._readable("project", [project for _, project in found])
        of = {getattr(item, key): item for item, project in found if readable[project]}
        return [of.get(id) for id in ids]
