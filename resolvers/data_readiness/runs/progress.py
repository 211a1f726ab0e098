"""Following a run: how it stands, then each change of it and of its first tasks, until it has ended.

Events come from the store alone, so a follower that comes late, or at another process, sees the same last event.
"""

from collections.abc import AsyncGenerator, AsyncIterator

from resolvers.context import Context
from resolvers.data_readiness.runs.operations import RunId, get_workflow_run
from resolvers.data_readiness.workflows import ConfigurationId
from resolvers.operation import operation
from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
from schema.governance.permission import Permission

OPEN = (RunStatus.PENDING, RunStatus.RUNNING)


@operation(needs=Permission.CAN_READ)
async def run_progress(ctx: Context, *, configuration_id: ConfigurationId, run_id: RunId) -> AsyncIterator[WorkflowRun]:
    """Follow a run: the run with its first tasks as it stands, then again each time that it moves, until it ends.

    A caller may follow a bounded number of runs and turns at once (429 QUOTA_EXCEEDED).
    """
    await get_workflow_run.run(ctx, configuration_id=configuration_id, run_id=run_id)  # 404 before anything streams
    return _events(ctx, configuration_id, run_id)


async def _events(ctx: Context, configuration_id: ConfigurationId, run_id: RunId) -> AsyncGenerator[WorkflowRun, None]:
    signals = ctx.services.signals
    shown: WorkflowRun | None = None
    with signals.place(ctx.caller.principal), signals.listen(f"run:{run_id}") as bell:
        while not signals.closed:
            run = await get_workflow_run.run(ctx, configuration_id=configuration_id, run_id=run_id)
            if run != shown:
                shown = run
                yield run
            if run.status not in OPEN:
                return
            await bell.wait()
