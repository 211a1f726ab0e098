"""The edges of Data Readiness."""

from collections.abc import Sequence
from typing import Final

from persistence.queries.lineage_walks import DEEPEST, Found, Walker, impact_of, place_of
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
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.utils.lineage import LineageImpact

MOST_REACHED: Final = 20
"""Tables that the edge of a violation tells; the operation has them all, page by page."""


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
        """Return what stands behind each figure of a scorecard, the worst first."""
        readable = await self._readable("project", [part.project_id for part in parts])
        shown = [part for part in parts if readable[part.project_id]]
        found = await self._store.read(lambda uow: uow.violations.of_parts(self._scope, shown, MOST_PER_PARENT))
        return [found.get(part, []) for part in parts]

    @batched
    async def results_of_part(self, parts: Sequence[ScoredPart]) -> list[list[MetricResult]]:
        """Return what each figure of a scorecard was added up from, the worst first."""
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
        """Return what has become of the violation, in that order."""
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

    async def reach_of_violation(self, id: str, offset: int = 0, limit: int = MOST_REACHED) -> LineageImpact | None:
        """The tables and views that depend on what a violation is about; None when the violation is not there."""
        return await self._reach((id, offset, limit))

    @batched
    async def _reach(self, asked: Sequence[tuple[str, int, int]]) -> list[LineageImpact | None]:
        """Walk for all violations of a project at once: a statement for each step, whatever their number."""
        ids = list(dict.fromkeys(id for id, _, _ in asked))
        found = await self._store.read(lambda uow: uow.violations.with_projects(self._scope, "id", ids))
        readable = await self._readable("project", [project for _, project in found])
        places = {one.id: (project, place_of(Fqn.parse(one.asset_fqn))) for one, project in found if readable[project]}

        def walk(uow: UnitOfWork) -> tuple[dict[str, Found], dict[str, dict[str, str]]]:
            walks: dict[str, Found] = {}
            resources: dict[str, dict[str, str]] = {}
            for project in {project for project, _ in places.values()}:
                scope = Scope(self._scope.organization_id, project)
                own = {id: place for id, (of, place) in places.items() if of == project and place is not None}
                walker = Walker(uow.lineage, scope)
                walker.read_around({place.table for place in own.values()}, DEEPEST, upstream=False)
                walks |= {id: walker.visited(place, DEEPEST, upstream=False) for id, place in own.items()}
                tables = {table for id in own for table, _ in walks[id].steps}
                resources[project] = uow.lineage.resources_of(scope, tables)
            return walks, resources

        walks, resources = await self._store.read(walk)
        uris = [uri for of in resources.values() for uri in of.values()]
        shown = await self._readable("data_connection", uris, Permission.CAN_READ_METADATA)
        allowed = {uri for uri, may in shown.items() if may}
        names = {one.id: one.asset_fqn for one, _ in found}
        answers: list[LineageImpact | None] = []
        for id, offset, limit in asked:
            project, place = places.get(id, (None, None))
            if project is None:
                answers.append(None)
            elif place is None:
                answers.append(LineageImpact(fqn=names[id], items=[], total=0, hidden=0, complete=True))
            else:
                impact = impact_of(place, walks[id], resources[project], allowed, offset=offset, limit=limit)
                answers.append(impact)
        return answers

    @batched
    async def assets_of_term(self, ids: Sequence[str]) -> list[list[TermAsset]]:
        """The assets that the glossary term is linked to, by name."""
        return await self._of_parents(lambda uow: uow.term_assets, "term_id", ids)
