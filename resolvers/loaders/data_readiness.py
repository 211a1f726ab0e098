"""The edges of Data Readiness."""

from collections.abc import Sequence

from persistence.tables.data_readiness import workflow_configurations, workflow_runs
from persistence.tables.glossary import glossary_term_assets
from persistence.tables.quality import violation_events
from resolvers.loaders.base import MOST_PER_PARENT, LoadersBase, batched
from schema.data_readiness.glossary import TermAsset
from schema.data_readiness.scorecard import ScoredPart
from schema.data_readiness.violation import Violation, ViolationEvent
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.data_readiness.workflow_run import WorkflowRun


class DataReadinessLoaders(LoadersBase):
    """What hangs on projects and on workflow configurations."""

    @batched
    async def configurations_of_project(self, ids: Sequence[str]) -> list[list[WorkflowConfiguration]]:
        """The project's workflow configurations, newest first; empty when the caller may not read the project."""
        return await self._of_parents(
            lambda shelves: shelves.workflow_configurations,
            "project_id",
            ids,
            order=[workflow_configurations.c.created_at.desc()],
        )

    @batched
    async def runs_of_configuration(self, ids: Sequence[str]) -> list[list[WorkflowRun]]:
        """The configuration's runs, newest first, each with its first tasks."""
        found = await self._of_parents(
            lambda shelves: shelves.workflow_runs,
            "configuration_id",
            ids,
            order=[workflow_runs.c.created_at.desc()],
        )
        runs = [run for group in found for run in group]
        told = iter(await self._store.read(lambda shelves: shelves.run_tasks.beside(self._scope, runs)))
        return [[next(told) for _ in group] for group in found]

    @batched
    async def violations_of_part(self, parts: Sequence[ScoredPart]) -> list[list[Violation]]:
        """What stands behind each figure of a scorecard, the worst first."""
        readable = await self._readable("project", [part.project_id for part in parts])
        shown = [part for part in parts if readable[part.project_id]]
        found = await self._store.read(lambda shelves: shelves.violations.of_parts(self._scope, shown, MOST_PER_PARENT))
        return [found.get(part, []) for part in parts]

    @batched
    async def history_of_violation(self, ids: Sequence[str]) -> list[list[ViolationEvent]]:
        """What has become of the violation, in that order."""
        order = [violation_events.c.position]
        return await self._of_parents(lambda shelves: shelves.violation_events, "violation_id", ids, order=order)

    @batched
    async def assets_of_term(self, ids: Sequence[str]) -> list[list[TermAsset]]:
        """The assets that the glossary term is linked to, by name."""
        order = [glossary_term_assets.c.asset_fqn]
        return await self._of_parents(lambda shelves: shelves.term_assets, "term_id", ids, order=order)
