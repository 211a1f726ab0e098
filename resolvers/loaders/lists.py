"""The lists by cursors that hang on assets, projects and runs: one line of description, and one read, for each."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from persistence.queries import nested_lists as lists
from persistence.queries.enrichment import beside_standing
from persistence.queries.windows import Parent, Ranked, Ranks, windows_of
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.engines.masking import masked_cells
from resolvers.engines.scoring import Ratio, score
from resolvers.loaders.base import batched
from resolvers.loaders.windows import Read, WindowLoaders
from schema.data_readiness.suspect import SuspectCell
from schema.governance.permission import Permission
from schema.pagination import Connection
from schema.utils.metadata_asset import MetadataAsset
from schema.windows import Asked, Listing

READS = Permission.CAN_READ
READS_METADATA = Permission.CAN_READ_METADATA


class ListLoaders(WindowLoaders):
    """Describes which lists hang on what."""

    # --- assets -----------------------------------------------------------------------------------------------

    async def violations_of_asset(self, asset: MetadataAsset, listing: Listing) -> Connection[Any]:
        """Return what is wrong with an asset and all under it; filters: statuses, severities, order."""
        return await self._violations_of_asset(_of_asset(asset, listing))

    @batched
    async def _violations_of_asset(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            statuses, severities, order = filters
            table = uow.violations.table
            where = [*lists.among(table.c.status, statuses), *lists.among(table.c.severity, severities)]
            by = lists.VIOLATION_ORDERS[order]
            return lists.below_names(uow.violations, self._scope, parents, ranks, where=where, order=by)

        return await self._windows("violations_of_asset", asked, read)

    async def suspect_list_of_asset(self, asset: MetadataAsset, listing: Listing) -> Connection[Any]:
        """The suspect cells of an asset and of all under it; filters: verdicts, kinds."""
        return await self._suspect_list_of_asset(_of_asset(asset, listing))

    @batched
    async def _suspect_list_of_asset(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            verdicts, kinds = filters
            table = uow.suspect_cells.table
            where = [*lists.among(table.c.verdict, verdicts), *lists.among(table.c.kind, kinds)]
            found = lists.suspects_below(uow.suspect_cells, self._scope, parents, ranks, where=where)
            return self._in_each_project(found, partial(_masked, uow))

        return await self._windows("suspect_list_of_asset", asked, read)

    async def rules_of_asset(self, asset: MetadataAsset, listing: Listing) -> Connection[Any]:
        """The quality rules about an asset and all under it; filters: states, metric."""
        return await self._rules_of_asset(_of_asset(asset, listing))

    @batched
    async def _rules_of_asset(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            (states,) = filters
            where = lists.among(uow.quality_rules.table.c.state, states)
            return lists.below_names(uow.quality_rules, self._scope, parents, ranks, where=where)

        return await self._windows("rules_of_asset", asked, read)

    async def proposals_of_asset(self, asset: MetadataAsset, listing: Listing) -> Connection[Any]:
        """Return what runs propose about an asset and all under it; filters: states, kinds."""
        return await self._proposals_of_asset(_of_asset(asset, listing))

    @batched
    async def _proposals_of_asset(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            found = lists.proposals_below(uow.proposals, self._scope, parents, ranks, where=_proposed(uow, filters))
            return self._in_each_project(found, partial(beside_standing, uow.connection))

        return await self._windows("proposals_of_asset", asked, read, READS_METADATA)

    async def tags_of_asset(self, asset: MetadataAsset, listing: Listing) -> Connection[Any]:
        """The tags that engines have found on an asset and on what is under it; filters: states, kinds."""
        return await self._tags_of_asset(_of_asset(asset, listing))

    @batched
    async def _tags_of_asset(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            states, kinds = filters
            table = uow.classifications.table
            where = [*lists.among(table.c.state, states), *lists.among(table.c.kind, kinds)]
            return lists.classifications_of(uow.classifications, self._scope, parents, ranks, where=where)

        return await self._windows("tags_of_asset", asked, read, READS_METADATA)

    async def terms_of_asset(self, asset: MetadataAsset, listing: Listing) -> Connection[Any]:
        """The glossary terms that are linked to an asset; filters: statuses."""
        return await self._terms_of_asset(Asked(asset.project_id, (asset.project_id, asset.id), listing))

    @batched
    async def _terms_of_asset(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            where = lists.among(uow.glossary_terms.table.c.status, filters[0])
            return lists.terms_of(uow.glossary_terms, self._scope, parents, ranks, where=where)

        return await self._windows("terms_of_asset", asked, read)

    async def runs_of_asset(self, asset: MetadataAsset, listing: Listing) -> Connection[Any]:
        """The runs that covered an asset; filters: statuses, workflow types."""
        return await self._runs_of_asset(_of_asset(asset, listing))

    @batched
    async def _runs_of_asset(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            found = lists.runs_covering_all(uow.workflow_runs, self._scope, parents, ranks, where=_of_run(uow, filters))
            return lists.changed(found, lambda runs: uow.run_tasks.beside(self._scope, runs))

        return await self._windows("runs_of_asset", asked, read)

    # --- projects ---------------------------------------------------------------------------------------------

    @batched
    async def runs_of_project(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """The runs of a project, newest first; filters: statuses, workflow types."""

        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            runs = uow.workflow_runs
            found = windows_of(
                runs, self._scope, parents, lists.of_column(runs, "project_id"), ranks, where=_of_run(uow, filters)
            )
            return lists.changed(found, lambda some: uow.run_tasks.beside(self._scope, some))

        return await self._windows("runs_of_project", asked, read)

    @batched
    async def connections_of_project(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """The data connections of a project."""
        return await self._windows(
            "connections_of_project", asked, self._by_column(lambda uow: uow.data_connections, "project_id")
        )

    @batched
    async def configurations_in_project(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """The workflow configurations of a project, newest first."""
        read = self._by_column(lambda uow: uow.workflow_configurations, "project_id")
        return await self._windows("configurations_in_project", asked, read)

    # --- runs, and what runs leave ----------------------------------------------------------------------------

    @batched
    async def runs_of_one_configuration(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """The runs of a configuration, newest first; filters: statuses."""

        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            runs = uow.workflow_runs
            joined, where = lists.of_column(runs, "configuration_id"), lists.among(runs.table.c.status, filters[0])
            found = windows_of(runs, self._scope, parents, joined, ranks, where=where)
            return lists.changed(found, lambda some: uow.run_tasks.beside(self._scope, some))

        return await self._windows("runs_of_one_configuration", asked, read)

    @batched
    async def tasks_of_run(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """The tasks of a run, in their order; filters: statuses."""
        return await self._windows(
            "tasks_of_run", asked, self._by_column(lambda uow: uow.run_tasks, "run_id", "status")
        )

    @batched
    async def proposals_of_run(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """Return what a run proposes, in its order; filters: states, kinds."""

        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            joined, where = lists.of_column(uow.proposals, "run_id"), _proposed(uow, filters)
            found = windows_of(uow.proposals, self._scope, parents, joined, ranks, where=where)
            return self._in_each_project(found, partial(beside_standing, uow.connection))

        return await self._windows("proposals_of_run", asked, read, READS_METADATA)

    @batched
    async def violations_of_run(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """The violations that a run saw last; filters: statuses, order."""

        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            statuses, order = filters
            joined = lists.of_column(uow.violations, "workflow_run_id")
            where, by = lists.among(uow.violations.table.c.status, statuses), lists.VIOLATION_ORDERS[order]
            return windows_of(uow.violations, self._scope, parents, joined, ranks, where=where, order=by)

        return await self._windows("violations_of_run", asked, read)

    @batched
    async def executions_of_run(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """Return what evaluating rules came to in a run; filters: outcomes."""
        read = self._by_column(lambda uow: uow.rule_executions, "workflow_run_id", "outcome")
        return await self._windows("executions_of_run", asked, read)

    @batched
    async def executions_of_rule(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """Return what evaluating a rule came to, the newest first; filters: outcomes."""
        read = self._by_column(lambda uow: uow.rule_executions, "rule_id", "outcome")
        return await self._windows("executions_of_rule", asked, read)

    @batched
    async def results_of_run(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """Return what a run measured."""

        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            results = uow.metric_results
            joined = lists.of_column(results, "workflow_run_id")
            found = windows_of(results, self._scope, parents, joined, ranks)
            return lists.changed(
                found,
                lambda some: [
                    one.model_copy(update={"score": score(Ratio(one.numerator, one.denominator))}) for one in some
                ],
            )

        return await self._windows("results_of_run", asked, read)

    @batched
    async def profiles_of_run(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """The tables that a run profiled."""
        read = self._by_column(lambda uow: uow.table_profiles, "workflow_run_id")
        return await self._windows("profiles_of_run", asked, read, READS_METADATA)

    @batched
    async def tags_of_run(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """The tags that a run found last; filters: states."""
        read = self._by_column(lambda uow: uow.classifications, "workflow_run_id", "state")
        return await self._windows("tags_of_run", asked, read, READS_METADATA)

    @batched
    async def history_in_steps(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """Return what has become of a violation, in that order."""
        return await self._windows(
            "history_in_steps", asked, self._by_column(lambda uow: uow.violation_events, "violation_id")
        )

    @batched
    async def assets_in_term(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """The assets that a glossary term is linked to, by name."""
        return await self._windows("assets_in_term", asked, self._by_column(lambda uow: uow.term_assets, "term_id"))

    @batched
    async def children_of_term(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """The narrower terms right below a term."""
        read = self._by_column(lambda uow: uow.glossary_terms, "parent_term_id")
        return await self._windows("children_of_term", asked, read)

    def _by_column(self, repository_of: Callable[[UnitOfWork], Any], column: str, filtered: str | None = None) -> Read:
        """The read of a list whose rows name their parent in a column; its one filter is of another column."""

        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            repository = repository_of(uow)
            where = [] if filtered is None else lists.among(repository.table.c[filtered], filters[0])
            joined = lists.of_column(repository, column)
            return windows_of(repository, self._scope, parents, joined, ranks, where=where)

        return read

    def _in_each_project(
        self, found: Mapping[Parent, Ranked[Any]], change: Callable[[Scope, list[Any]], Sequence[Any]]
    ) -> Any:
        """The same windows over other items, which are made of all those of a project at once."""
        shown: dict[Parent, Any] = {}
        for project in {ranked.project_id for ranked in found.values()}:
            scope = Scope(self._scope.organization_id, project)
            own = {parent: ranked for parent, ranked in found.items() if ranked.project_id == project}
            shown |= lists.changed(own, partial(change, scope))
        return shown


def _of_asset(asset: MetadataAsset, listing: Listing) -> Asked:
    return Asked(asset.project_id, (asset.project_id, asset.fully_qualified_name), listing)


def _of_run(uow: UnitOfWork, filters: tuple[Any, ...]) -> list[Any]:
    statuses, types = filters
    table = uow.workflow_runs.table
    return [*lists.among(table.c.status, statuses), *lists.among(table.c.workflow_type, types)]


def _proposed(uow: UnitOfWork, filters: tuple[Any, ...]) -> list[Any]:
    states, kinds = filters
    table = uow.proposals.table
    return [*lists.among(table.c.state, states), *lists.among(table.c.kind, kinds)]


def _masked(uow: UnitOfWork, scope: Scope, cells: Sequence[SuspectCell]) -> list[SuspectCell]:
    """Suspect cells of a project as they may be shown, as tags stand now."""
    return masked_cells(cells, uow.table_profiles.personal(scope, list({cell.table_fqn for cell in cells})))
