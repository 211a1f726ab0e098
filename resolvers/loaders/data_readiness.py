"""The edges of Data Readiness."""

from collections.abc import Sequence

from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.engines.masking import masked_cells
from resolvers.engines.scoring import Ratio, score
from resolvers.loaders.base import MOST_PER_PARENT, LoadersBase, batched
from schema.data_readiness.glossary import TermAsset
from schema.data_readiness.quality import MetricResult
from schema.data_readiness.rule import RuleExecution
from schema.data_readiness.scorecard import ScoredPart
from schema.data_readiness.suspect import SuspectCell
from schema.data_readiness.violation import Violation, ViolationEvent
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.data_readiness.workflow_run import WorkflowRun
from schema.identifiers import Fqn


class DataReadinessLoaders(LoadersBase):
    """Describes what hangs on projects and on workflow configurations."""

    @batched
    async def configurations_of_project(self, ids: Sequence[str]) -> list[list[WorkflowConfiguration]]:
        """The project's workflow configurations, newest first; empty when the caller may not read the project."""
        return await self._of_parents(
            lambda uow: uow.workflow_configurations,
            "project_id",
            ids,
        )

    @batched
    async def runs_of_configuration(self, ids: Sequence[str]) -> list[list[WorkflowRun]]:
        """The configuration's runs, newest first, each with its first tasks."""
        found = await self._of_parents(
            lambda uow: uow.workflow_runs,
            "configuration_id",
            ids,
        )
        runs = [run for group in found for run in group]
        told = iter(await self._store.read(lambda uow: uow.run_tasks.beside(self._scope, runs)))
        return [[next(told) for _ in group] for group in found]

    @batched
    async def violations_of_part(self, parts: Sequence[ScoredPart]) -> list[list[Violation]]:
        """What stands behind each figure of a scorecard, the worst first."""
        readable = await self._readable("project", [part.project_id for part in parts])
        shown = [part for part in parts if readable[part.project_id]]
        found = await self._store.read(lambda uow: uow.violations.of_parts(self._scope, shown, MOST_PER_PARENT))
        return [found.get(part, []) for part in parts]

    @batched
    async def results_of_part(self, parts: Sequence[ScoredPart]) -> list[list[MetricResult]]:
        """What each figure of a scorecard was added up from, the worst first."""
        readable = await self._readable("project", [part.project_id for part in parts])
        shown = [part for part in parts if readable[part.project_id]]
        found = await self._store.read(lambda uow: uow.metric_results.of_parts(self._scope, shown, MOST_PER_PARENT))
        scored = {
            part: [one.model_copy(update={"score": score(Ratio(one.numerator, one.denominator))}) for one in some]
            for part, some in found.items()
        }
        return [scored.get(part, []) for part in parts]

    @batched
    async def executions_of_part(self, parts: Sequence[ScoredPart]) -> list[list[RuleExecution]]:
        """The rules behind each figure of a scorecard, the failed ones first."""
        readable = await self._readable("project", [part.project_id for part in parts])
        shown = [part for part in parts if readable[part.project_id]]
        found = await self._store.read(lambda uow: uow.rule_executions.of_parts(self._scope, shown, MOST_PER_PARENT))
        return [found.get(part, []) for part in parts]

    @batched
    async def history_of_violation(self, ids: Sequence[str]) -> list[list[ViolationEvent]]:
        """What has become of the violation, in that order."""
        return await self._of_parents(lambda uow: uow.violation_events, "violation_id", ids)

    @batched
    async def suspects_of_asset(self, asked: Sequence[tuple[str, str]]) -> list[list[SuspectCell]]:
        """The suspect cells of tables and columns by project and name, the most probable first."""
        return await self._suspects(asked)

    @batched
    async def suspects_of_violation(self, ids: Sequence[str]) -> list[list[SuspectCell]]:
        """The suspect cells that violations count, the most probable first; none of other violations."""
        found = await self._store.read(lambda uow: uow.violations.with_projects(self._scope, "id", ids))
        counted = {
            one.id: (project, one.asset_fqn) for one, project in found if one.details.get("metric") == "suspectValues"
        }
        suspects = dict(zip(counted, await self._suspects(list(counted.values())), strict=True))
        return [suspects.get(id, []) for id in ids]

    async def _suspects(self, asked: Sequence[tuple[str, str]]) -> list[list[SuspectCell]]:
        readable = await self._readable("project", [project for project, _ in asked])
        names: dict[tuple[str, str], list[str]] = {}
        for project, fqn in asked:
            parts = len(Fqn.parse(fqn).parts)
            if readable[project] and parts in (4, 5):
                names.setdefault((project, "table_fqn" if parts == 4 else "asset_fqn"), []).append(fqn)

        def work(uow: UnitOfWork) -> dict[tuple[str, str], list[SuspectCell]]:
            found: dict[tuple[str, str], list[SuspectCell]] = {}
            for (project, column), fqns in names.items():
                scope = Scope(self._scope.organization_id, project)
                cells = uow.suspect_cells.first_of_assets(scope, column, fqns, MOST_PER_PARENT)
                personal = uow.table_profiles.personal(
                    scope, list({one.table_fqn for some in cells.values() for one in some})
                )
                found |= {(project, fqn): masked_cells(some, personal) for fqn, some in cells.items()}
            return found

        found = await self._store.read(work)
        return [found.get(one, []) for one in asked]

    @batched
    async def assets_of_term(self, ids: Sequence[str]) -> list[list[TermAsset]]:
        """The assets that the glossary term is linked to, by name."""
        return await self._of_parents(lambda uow: uow.term_assets, "term_id", ids)
