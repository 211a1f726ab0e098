"""A run as events of OpenLineage, for whoever keeps the lineage of all systems in one place."""

from resolvers.context import Context
from resolvers.data_readiness.runs.operations import RunId
from resolvers.data_readiness.workflows import ConfigurationId
from resolvers.operation import operation
from resolvers.utils.run_lineage import told_run
from schema.data_readiness.run_openlineage import RunOpenLineage
from schema.governance.permission import Permission


@operation(needs=Permission.CAN_READ)
async def get_run_openlineage(ctx: Context, *, configuration_id: ConfigurationId, run_id: RunId) -> RunOpenLineage:
    """Get what a run has come to as events of OpenLineage: START, and COMPLETE, FAIL or ABORT once it has ended.

    Its inputs are the tables that its tasks were planned for, with their columns as the catalog knows them now; it
    writes into none. Tables of connections whose metadata the caller may not read are counted in `hidden`. A table is
    of the namespace that OpenLineage gives to its connection's host, where the caller may read the connection; else of
    the connection's URI.
    """
    told = await told_run(
        ctx.store,
        ctx.guard,
        ctx.caller,
        ctx.organization_id,
        ctx.project_id,
        lambda uow: uow.workflow_runs.get(ctx.scope, str(run_id), configuration_id=str(configuration_id)),
    )
    return RunOpenLineage(run_id=told.run_id, events=told.events, hidden=told.hidden, complete=told.complete)
