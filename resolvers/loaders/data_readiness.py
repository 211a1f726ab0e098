"""The edges of Data Readiness."""

from collections.abc import Sequence

from persistence.tables.data_readiness import workflow_runs
from resolvers.loaders.base import LoadersBase, batched
from schema.data_readiness.workflow_run import TASKS_SHOWN, WorkflowRun


class DataReadinessLoaders(LoadersBase):
    """What hangs on workflow configurations."""

    @batched
    async def runs_of_configuration(self, ids: Sequence[str]) -> list[list[WorkflowRun]]:
        """The configuration's runs, newest first, each with its first tasks."""
        found = await self._of_parents(
            lambda shelves: shelves.workflow_runs,
            "configuration_id",
            ids,
            order=[workflow_runs.c.created_at.desc()],
        )
        runs = [run.id for group in found for run in group]
        tasks = await self._store.read(lambda shelves: shelves.run_tasks.of_runs(self._scope, runs, TASKS_SHOWN))
        return [[run.model_copy(update={"tasks": tasks[run.id]}) for run in group] for group in found]
