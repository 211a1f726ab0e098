"""What can be done with runs: trigger, list, get, page through the tasks, cancel."""

from typing import Annotated, Any
from uuid import UUID, uuid4

from pydantic import Field

from persistence.queries.workflows import OPEN
from persistence.store import Shelves
from persistence.tables.data_readiness import run_tasks, workflow_runs
from resolvers.context import Context
from resolvers.data_readiness.workflows import ConfigurationId
from resolvers.operation import Kind, operation, require
from schema.assets.data_connection import ConnectionStatus, DataConnection
from schema.data_readiness.workflow import WorkflowConfiguration, WorkflowType
from schema.data_readiness.workflow_run import TASKS_SHOWN, RunCreate, RunStatus, RunTask, StartedRun, WorkflowRun
from schema.errors import InvalidParameter, ValidationError
from schema.governance.permission import Permission
from schema.identifiers import ResourceUri, parse_fqn
from schema.pagination import Page, PageNumber, PageSize

RunId = Annotated[UUID, Field(description="The run's id.")]
RUN_JOB = "workflow-run"
"""The name of the job that carries a run out; its key is the run's id."""


@operation(needs=Permission.CAN_EXECUTE, kind=Kind.WRITE)
async def trigger_run(ctx: Context, *, configuration_id: ConfigurationId, run: RunCreate) -> StartedRun:
    """Trigger a run of a configuration. It is queued at once and goes on by itself; read it to follow it."""
    configuration = await ctx.store.read(
        lambda shelves: shelves.workflow_configurations.get(ctx.scope, str(configuration_id))
    )
    if run.asset_fqn is not None and len(parse_fqn(run.asset_fqn, field="asset_fqn").parts) > 4:
        raise ValidationError(
            "asset_fqn has four parts at most: service.database.schema.table.", status=422, field="asset_fqn"
        )
    given = {"asset_fqn": run.asset_fqn, "parameters": run.parameters, "save_all": run.save_all}
    if configuration.workflow_type is WorkflowType.SERVICE_INGESTION:
        connection = await connection_of(ctx, configuration, run.asset_fqn)
        given["resource_uri"] = connection.resource_uri
    run_id, now = str(uuid4()), ctx.now()

    def work(shelves: Shelves) -> None:
        shelves.connection.execute(
            workflow_runs.insert().values(
                id=run_id,
                organization_id=ctx.organization_id,
                project_id=ctx.project_id,
                configuration_id=configuration.id,
                status=RunStatus.PENDING,
                workflow_name=configuration.name,
                workflow_type=configuration.workflow_type,
                asset_fqn=run.asset_fqn,
                save_all=run.save_all,
                created_at=now,
                started_at=now,
                input=given,
                output={},
                caller=ctx.caller.to_dict(),
                revision=1,
            )
        )

    await ctx.store.write(work)
    # A process that dies between these two leaves a pending run, which the next start takes up by the same key.
    await ctx.services.jobs.enqueue(RUN_JOB, {"run_id": run_id}, key=run_id)
    return StartedRun(
        id=run_id,
        configuration_id=configuration.id,
        asset_fqn=run.asset_fqn,
        save_all=run.save_all,
        started_at=now,
        status=RunStatus.PENDING,
    )


async def connection_of(ctx: Context, configuration: WorkflowConfiguration, asset_fqn: str | None) -> DataConnection:
    """The connection that an ingestion reads: named by the configuration, or by the service part of the run's FQN.

    Raises 422 when neither names one of the caller's, and 403 when he may not execute it.
    """
    service = parse_fqn(asset_fqn, field="asset_fqn").parts[0] if asset_fqn else None
    uri = configuration.config.get("resource_uri")
    if uri is None and service is not None:
        uri = await _uri_of_service(ctx, service)
    if not isinstance(uri, str):
        raise ValidationError(
            "Name the connection to ingest: config.resource_uri in the configuration, or asset_fqn in the run.",
            status=422,
            field="asset_fqn",
        )
    connection = await ctx.store.read(lambda shelves: shelves.data_connections.find(ctx.tenant, uri))
    if connection is None or connection.project_id not in (None, ctx.project_id):
        raise ValidationError(
            f"There is no data connection {uri!r} in this project.", status=422, field="config.resource_uri"
        )
    if service is not None and service != service_of(connection):
        raise ValidationError(
            f"asset_fqn must start with the connection's service, {service_of(connection)!r}.",
            status=422,
            field="asset_fqn",
        )
    await require(ctx, Permission.CAN_EXECUTE, "data_connection", connection.resource_uri)
    if connection.status is ConnectionStatus.DISABLED:
        raise ValidationError("This connection is disabled. Enable it first.", status=422, field="status")
    return connection


def service_of(connection: DataConnection) -> str:
    """The first part of the FQN of everything in a connection: the last part of its URI, unique in its project."""
    return ResourceUri.parse(connection.resource_uri).name


async def _uri_of_service(ctx: Context, service: str) -> str:
    try:
        own = [str(ResourceUri("data", ctx.organization_id, home, service)) for home in (ctx.project_id, None)]
    except ValueError:
        raise InvalidParameter(f"{service!r} is not the service of a connection.", field="asset_fqn") from None
    found = await ctx.store.read(lambda shelves: [shelves.data_connections.find(ctx.tenant, uri) for uri in own])
    return next((connection.resource_uri for connection in found if connection is not None), own[0])


@operation(needs=Permission.CAN_READ)
async def list_workflow_runs(
    ctx: Context,
    *,
    configuration_id: ConfigurationId,
    status: RunStatus | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[WorkflowRun]:
    """List the runs of a configuration, newest first, each with its first tasks."""

    def work(shelves: Shelves) -> Page[WorkflowRun]:
        shelves.workflow_configurations.get(ctx.scope, str(configuration_id))
        found = shelves.workflow_runs.page(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            order=[workflow_runs.c.created_at.desc()],
            configuration_id=str(configuration_id),
            status=status,
        )
        tasks = shelves.run_tasks.of_runs(ctx.scope, [run.id for run in found.items], TASKS_SHOWN)
        return found.map(lambda run: run.model_copy(update={"tasks": tasks[run.id]}))

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_READ)
async def get_workflow_run(ctx: Context, *, configuration_id: ConfigurationId, run_id: RunId) -> WorkflowRun:
    """Get a run with its first tasks."""
    return await ctx.store.read(lambda shelves: _run(ctx, shelves, configuration_id, run_id))


def _run(ctx: Context, shelves: Shelves, configuration_id: UUID, run_id: UUID) -> WorkflowRun:
    run = shelves.workflow_runs.get(ctx.scope, str(run_id), configuration_id=str(configuration_id))
    tasks = shelves.run_tasks.of_runs(ctx.scope, [run.id], TASKS_SHOWN)[run.id]
    return run.model_copy(update={"tasks": tasks})


@operation(needs=Permission.CAN_READ)
async def list_run_tasks(
    ctx: Context,
    *,
    configuration_id: ConfigurationId,
    run_id: RunId,
    page: PageNumber = 1,
    per_page: PageSize = 20,
    status: Annotated[str, Field(max_length=32, description="Only tasks that stand there.")] | None = None,
) -> Page[RunTask]:
    """List the tasks of a run in their order."""

    def work(shelves: Shelves) -> Page[RunTask]:
        run = shelves.workflow_runs.get(ctx.scope, str(run_id), configuration_id=str(configuration_id))
        return shelves.run_tasks.page(
            ctx.scope,
            offset=(page - 1) * per_page,
            limit=per_page,
            order=[run_tasks.c.position],
            run_id=run.id,
            status=status,
        )

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_EXECUTE, kind=Kind.WRITE)
async def cancel_run(ctx: Context, *, configuration_id: ConfigurationId, run_id: RunId) -> WorkflowRun:
    """Cancel a run: no further task starts. What has been written stays; a run that is over is a 422."""
    now = ctx.now()

    def work(shelves: Shelves) -> WorkflowRun:
        run = shelves.workflow_runs.get(ctx.scope, str(run_id), configuration_id=str(configuration_id))
        values: dict[str, Any] = {"completed_at": now}
        if not shelves.workflow_runs.move(ctx.scope, run.id, RunStatus.CANCELED, only_from=OPEN, **values):
            raise ValidationError(f"This run is {run.status} and cannot be canceled.", status=422, field="status")
        shelves.run_tasks.close_open(ctx.scope, run.id, RunStatus.CANCELED, now)
        return _run(ctx, shelves, configuration_id, run_id)

    canceled = await ctx.store.write(work)
    ctx.services.signals.notify(f"run:{canceled.id}")
    await ctx.services.jobs.cancel(canceled.id)
    return canceled
