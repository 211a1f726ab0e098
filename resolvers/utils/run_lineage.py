"""What a run has come to as events of OpenLineage, for one who asks and for a webhook alike."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from auth.caller import Caller
from auth.guard import Guard
from persistence.queries.source_facts import read_facts
from persistence.repository import Scope
from persistence.store import Store, UnitOfWork
from resolvers.engines.lineage.openlineage_events import ReadTable, run_events, test_event
from resolvers.utils.lineage_events import namespace_of
from schema.data_readiness.source import TableFacts
from schema.data_readiness.workflow import WorkflowType
from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
from schema.errors import NotFound
from schema.governance.permission import Permission
from schema.identifiers import Fqn, ResourceUri
from schema.utils.event import EventType, PlatformEvent

MOST_DATASETS: Final = 500
"""Tables that an event tells of."""


@dataclass(frozen=True, slots=True)
class ToldRun:
    """The events of a run, and how much of it they do not tell."""

    run_id: str
    events: list[dict[str, Any]]
    hidden: int
    complete: bool


def job_namespace(organization_id: str, project_id: str) -> str:
    """The namespace of the jobs of a project."""
    return f"stoa://{organization_id}/{project_id}"


async def told_run(
    store: Store,
    guard: Guard,
    caller: Caller,
    organization_id: str,
    project_id: str,
    find: Callable[[UnitOfWork], WorkflowRun],
) -> ToldRun:
    """Tell of a run what its caller may read: tables of other connections are counted alone."""
    scope, tenant = Scope(organization_id, project_id), Scope(organization_id)

    def read(uow: UnitOfWork) -> tuple[WorkflowRun, list[TableFacts], int, dict[str, str | None]]:
        run = find(uow)
        names = _tables(run, (arguments for _, arguments in uow.run_tasks.planned(run.id)))
        facts = read_facts(uow.connection, scope, names[:MOST_DATASETS])
        uris = {one.resource_uri for one in facts}
        return run, facts, len(names), {uri: namespace_of(uow.data_connections.find(tenant, uri)) for uri in uris}

    run, facts, total, namespaces = await store.read(read)
    described, addressed = [
        await guard.allows_many(caller, needs, "data_connection", sorted(namespaces))
        for needs in (Permission.CAN_READ_METADATA, Permission.CAN_READ)
    ]
    tables = [
        ReadTable((namespaces[uri] if addressed[uri] else None) or uri, one)
        for one in facts
        if described[uri := one.resource_uri]
    ]
    own = job_namespace(organization_id, project_id)
    events = await asyncio.to_thread(run_events, run, own, tables, version("stoa-platform"))
    return ToldRun(run.id, events, len(facts) - len(tables), total <= MOST_DATASETS)


async def run_at(store: Store, guard: Guard, caller: Caller, event: PlatformEvent) -> list[dict[str, Any]]:
    """The events of a run as it stood when one of our own events told its start or its end, or the one of a test.

    None of a run that never began, or is no longer kept.
    """
    organization, project = event.organization_id, event.project_id
    if event.type not in (EventType.RUN_STARTED, EventType.RUN_ENDED):
        own = job_namespace(organization, project)
        return [test_event(event.id, event.occurred_at, own, version("stoa-platform"))]
    scope = Scope(organization, project)

    def find(uow: UnitOfWork) -> WorkflowRun:
        run = uow.workflow_runs.get(scope, event.data["run_id"])
        # It may have gone on since, or been tried again; what is told is what the event is about.
        stood = {
            "status": RunStatus(event.data["status"]),
            "completed_at": None if event.type is EventType.RUN_STARTED else event.occurred_at,
            "started_at": run.started_at and min(run.started_at, event.occurred_at),
            "error_message": event.data.get("error_message"),
        }
        return run.model_copy(update=stood)

    try:
        return (await told_run(store, guard, caller, organization, project, find)).events
    except NotFound:
        return []


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
