"""A run as events of OpenLineage, for whoever keeps the lineage of all systems in one place."""

import asyncio
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any, Final

from persistence.queries.source_facts import read_facts
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.runs.operations import RunId
from resolvers.data_readiness.workflows import ConfigurationId
from resolvers.engines.lineage.openlineage_events import ReadTable, run_events
from resolvers.operation import operation
from resolvers.utils.lineage_events import namespace_of
from schema.data_readiness.run_openlineage import RunOpenLineage
from schema.data_readiness.source import TableFacts
from schema.data_readiness.workflow import WorkflowType
from schema.data_readiness.workflow_run import WorkflowRun
from schema.governance.permission import Permission
from schema.identifiers import Fqn, ResourceUri

MOST_DATASETS: Final = 500
"""Tables that an event tells of."""


@operation(needs=Permission.CAN_READ)
async def get_run_openlineage(ctx: Context, *, configuration_id: ConfigurationId, run_id: RunId) -> RunOpenLineage:
    """Get what a run has come to as events of OpenLineage: START, and COMPLETE, FAIL or ABORT once it has ended.

    Its inputs are the tables that its tasks were planned for, with their columns as the catalog knows them now; it
    writes into none. Tables of connections whose metadata the caller may not read are counted in `hidden`. A table is
    of the namespace that OpenLineage gives to its connection's host, where the caller may read the connection; else of
    the connection's URI.
    """
    scope, tenant = ctx.scope, Scope(ctx.organization_id)

    def read(uow: UnitOfWork) -> tuple[WorkflowRun, list[TableFacts], int, dict[str, str | None]]:
        run = uow.workflow_runs.get(scope, str(run_id), configuration_id=str(configuration_id))
        names = _tables(run, (arguments for _, arguments in uow.run_tasks.planned(run.id)))
        facts = read_facts(uow.connection, scope, names[:MOST_DATASETS])
        uris = {one.resource_uri for one in facts}
        return run, facts, len(names), {uri: namespace_of(uow.data_connections.find(tenant, uri)) for uri in uris}

    run, facts, total, namespaces = await ctx.store.read(read)
    described, addressed = [
        await ctx.guard.allows_many(ctx.caller, needs, "data_connection", sorted(namespaces))
        for needs in (Permission.CAN_READ_METADATA, Permission.CAN_READ)
    ]
    tables = [
        ReadTable((namespaces[uri] if addressed[uri] else None) or uri, one)
        for one in facts
        if described[uri := one.resource_uri]
    ]
    own = f"stoa://{ctx.organization_id}/{ctx.project_id}"
    events = await asyncio.to_thread(run_events, run, own, tables, version("stoa-platform"))
    return RunOpenLineage(
        run_id=run.id, events=events, hidden=len(facts) - len(tables), complete=total <= MOST_DATASETS
    )


def _tables(run: WorkflowRun, planned: Iterable[Mapping[str, Any]]) -> list[str]:
    """The FQNs of the tables that the tasks of a run were planned for, each once, in their order."""
    found: dict[str, None] = {}
    ingests = run.workflow_type is WorkflowType.SERVICE_INGESTION
    service = ResourceUri.parse(run.input["resource_uri"]).name if ingests and "resource_uri" in run.input else None
    for arguments in planned:
        tables = arguments.get("tables")
        named = [arguments.get("table"), *(tables if isinstance(tables, list) else ())]
        for one in named:
            if not isinstance(one, str):
                continue
            if service is not None:
                found[str(Fqn.of(service, arguments["database"], arguments["schema"], one))] = None
            elif len(Fqn.parse(one).parts) == 4:
                found[str(Fqn.parse(one))] = None
    return list(found)
