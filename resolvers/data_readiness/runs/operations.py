"""Operations on runs: trigger, list, get, page through the tasks, cancel, try again."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID, uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.run_tasks import OPEN
from persistence.store import UnitOfWork
from resolvers.authors import on_behalf
from resolvers.context import Context
from resolvers.data_readiness.runs.parameters import checked_parameters
from resolvers.data_readiness.workflows import ConfigurationId
from resolvers.operation import operation, require
from schema.assets.data_connection import ConnectionStatus, DataConnection
from schema.data_readiness.workflow import ConfigurationStatus, WorkflowConfiguration, WorkflowType
from schema.data_readiness.workflow_run import (
    RunCreate,
    RunStatus,
    RunTask,
    StartedRun,
    TaskStatus,
    WorkflowRun,
)
from schema.errors import InvalidParameter, MissingRequiredField, ValidationError
from schema.governance.permission import Permission
from schema.grammar import ANY_NAME
from schema.identifiers import Fqn, ResourceUri, parse_fqn
from schema.pagination import Moment, Page, PageNumber, PageSize, in_utc
from schema.typed import Typed

RunId = Annotated[UUID, Field(description="The run's id.")]
WorksUnder = Annotated[
    str, Field(min_length=1, max_length=2000, description="Runs at or below this dotted name."), ANY_NAME
]
StartedAfter = Annotated[Moment | None, Field(description="Runs that started then or later.")]
StartedBefore = Annotated[Moment | None, Field(description="Runs that started earlier.")]
RUN_JOB = "workflow-run"
"""The name of the job that carries a run out; its key is the run's id."""


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def trigger_run(ctx: Context, *, configuration_id: ConfigurationId, run: RunCreate | None = None) -> StartedRun:
    """Trigger a run of a configuration. It is queued at once and goes on by itself; read it to follow it.

    An inactive configuration is a 422, and so is one that requires a reference pack and names none; a slip in the name
    of a parameter is a 400. A run of run-all-enrichment needs `asset_fqn`; its pipeline's id stands in the run's
    output. `save_all` needs can_manage_metadata too, as approving does. The run may do what both the caller and who
    last wrote the configuration's config may do.
    """
    configuration = await ctx.store.read(lambda uow: uow.workflow_configurations.get(ctx.scope, str(configuration_id)))
    return await start_run(ctx, configuration, run or RunCreate(), run_id=str(uuid4()))


async def start_run(ctx: Context, configuration: WorkflowConfiguration, run: RunCreate, *, run_id: str) -> StartedRun:
    """Write a run down and queue it, for code whose caller's permission has been checked.

    The same `run_id` again finds the run that stands there, so that what began it may begin again.
    """
    ctx = await on_behalf(ctx, configuration)
    standing = await ctx.store.read(lambda uow: uow.workflow_runs.find(ctx.scope, run_id))
    if standing is None:
        given = await _checked(ctx, configuration, run)
        now = ctx.now()

        def work(uow: UnitOfWork) -> None:
            # Held until the commit, so that the configuration cannot be deleted in between.
            uow.workflow_configurations.held(ctx.scope, configuration.id)
            output = {}
            if configuration.workflow_type is WorkflowType.RUN_ALL_ENRICHMENT:
                output["pipeline_id"] = str(uuid4())
            uow.workflow_runs.begin(
                ctx.scope,
                run_id,
                configuration,
                given,
                targets_of(given),
                output=output,
                caller=ctx.caller.to_dict(),
                now=now,
            )
            if "pipeline_id" in output:
                uow.pipeline_runs.begin(
                    ctx.scope,
                    output["pipeline_id"],
                    run_id,
                    str(given["asset_fqn"]),
                    included_in(given),
                    created_by=ctx.caller.user_id,
                    now=now,
                )

        started = _started(run_id, configuration, run, now)
        await ctx.store.write(work, told=lambda _: started)
    else:
        started = _started(run_id, configuration, run, standing.started_at or ctx.now())
    # A process that dies between these two leaves a pending run, which the next start takes up by the same key.
    await ctx.services.jobs.enqueue(RUN_JOB, job_of(run_id, 1), key=job_key(run_id, 1))
    return started


def _started(run_id: str, configuration: WorkflowConfiguration, run: RunCreate, at: datetime) -> StartedRun:
    return StartedRun(
        id=run_id,
        configuration_id=configuration.id,
        asset_fqn=run.asset_fqn,
        save_all=run.save_all,
        started_at=at,
        status=RunStatus.PENDING,
    )


async def _checked(ctx: Context, configuration: WorkflowConfiguration, run: RunCreate) -> dict[str, Any]:
    """The input of a run that may start. Raises the refusal of one that may not."""
    if configuration.status is not ConfigurationStatus.ACTIVE:
        raise ValidationError(
            f"This configuration is {configuration.status}. Make it active first.", status=422, field="status"
        )
    if run.save_all:
        await require(ctx, Permission.CAN_MANAGE_METADATA, "project", ctx.project_id)
    parameters = checked_parameters(configuration.workflow_type, run.parameters)
    if configuration.require_reference_pack and not (
        _text(parameters.get("context_pack_id")) or _text(configuration.config.get("context_pack_id"))
    ):
        raise ValidationError(
            "This configuration requires a reference pack. Name it as context_pack_id in the configuration's config "
            "or in the run's parameters.",
            status=422,
            field="parameters.context_pack_id",
        )
    given: dict[str, Any] = {"asset_fqn": run.asset_fqn, "parameters": parameters, "save_all": run.save_all}
    if configuration.workflow_type is WorkflowType.SERVICE_INGESTION:
        connection = await connection_of(ctx, configuration, run.asset_fqn)
        given["resource_uri"] = connection.resource_uri
    if configuration.workflow_type is WorkflowType.RUN_ALL_ENRICHMENT and run.asset_fqn is None:
        raise MissingRequiredField(
            "run-all-enrichment works below a name: send asset_fqn, such as service.database.", field="asset_fqn"
        )
    return given


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def included_in(given: Mapping[str, Any]) -> list[str] | None:
    """The dotted names that a run's `include` limits it to, spelled as the catalog spells them; None for no limit."""
    include = (given.get("parameters") or {}).get("include")
    return None if include is None else sorted({str(Fqn.parse(name)) for name in include})


def targets_of(given: Mapping[str, Any]) -> list[str]:
    """The dotted names at or below which a run works: what it includes, what it is limited to, or a whole service."""
    included = included_in(given)
    if included is not None:
        return included
    if given["asset_fqn"] is not None:
        return [str(Fqn.parse(given["asset_fqn"]))]
    return [str(Fqn.of(ResourceUri.parse(given["resource_uri"]).name))] if "resource_uri" in given else []


def job_key(run_id: str, attempt: int) -> str:
    """Under which key the job engine knows an attempt at a run; a key is started once for ever."""
    return run_id if attempt == 1 else f"{run_id}.{attempt}"


def job_of(run_id: str, attempt: int) -> dict[str, Any]:
    """Return what the job that carries out an attempt at a run is told."""
    return {"run_id": run_id, "attempt": attempt}


async def connection_of(ctx: Context, configuration: WorkflowConfiguration, asset_fqn: str | None) -> DataConnection:
    """The connection that an ingestion reads: named by the configuration, or by the service part of the run's FQN.

    Raises 422 when neither names one of the caller's, and 403 when they may not execute it.
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
    return await usable_connection(ctx, uri, service)


async def usable_connection(ctx: Context, uri: str, service: str | None = None) -> DataConnection:
    """A connection that a run of the caller may read now. Raises 422, and 403 when they may not execute it."""
    connection = await ctx.store.read(lambda uow: uow.data_connections.find(ctx.tenant, uri))
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
    found = await ctx.store.read(lambda uow: [uow.data_connections.find(ctx.tenant, uri) for uri in own])
    return next((connection.resource_uri for connection in found if connection is not None), own[0])


@operation(needs=Permission.CAN_READ)
async def list_workflow_runs(
    ctx: Context,
    *,
    configuration_id: ConfigurationId,
    status: RunStatus | None = None,
    asset_fqn: WorksUnder | None = None,
    started_after: StartedAfter = None,
    started_before: StartedBefore = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[WorkflowRun]:
    """List the runs of a configuration, newest first, each with its first tasks.

    The runs of a deleted configuration can still be read. A moment without an offset is in UTC.
    """
    id = str(configuration_id)
    window = _window(asset_fqn, started_after, started_before, page, limit)

    def work(uow: UnitOfWork) -> Page[WorkflowRun]:
        uow.workflow_configurations.get_deleted_too(ctx.scope, id)
        found = uow.workflow_runs.listed(ctx.scope, **window, configuration_id=id, status=status)
        return with_tasks(ctx, uow, found)

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_READ)
async def list_project_runs(
    ctx: Context,
    *,
    status: RunStatus | None = None,
    workflow_type: WorkflowType | None = None,
    asset_fqn: WorksUnder | None = None,
    started_after: StartedAfter = None,
    started_before: StartedBefore = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[WorkflowRun]:
    """List the runs of all configurations of the selected project, newest first, each with its first tasks.

    Those of deleted configurations are among them. A moment without an offset is in UTC.
    """
    window = _window(asset_fqn, started_after, started_before, page, limit)

    def work(uow: UnitOfWork) -> Page[WorkflowRun]:
        found = uow.workflow_runs.listed(ctx.scope, **window, workflow_type=workflow_type, status=status)
        return with_tasks(ctx, uow, found)

    return await ctx.store.read(work)


def _window(
    asset_fqn: str | None, started_after: datetime | None, started_before: datetime | None, page: int, limit: int
) -> dict[str, Any]:
    """Return what every list of runs takes, as the store takes it. Raises InvalidParameter for a name that is none."""
    return {
        "offset": (page - 1) * limit,
        "limit": limit,
        "at_or_under": None if asset_fqn is None else str(parse_fqn(asset_fqn, field="asset_fqn")),
        "started_after": None if started_after is None else in_utc(started_after),
        "started_before": None if started_before is None else in_utc(started_before),
    }


def with_tasks(ctx: Context, uow: UnitOfWork, found: Page[WorkflowRun]) -> Page[WorkflowRun]:
    """The runs of a page with their first tasks and their progress."""
    return found.model_copy(update={"items": uow.run_tasks.beside(ctx.scope, found.items)})


@operation(needs=Permission.CAN_READ)
async def get_workflow_run(ctx: Context, *, configuration_id: ConfigurationId, run_id: RunId) -> WorkflowRun:
    """Get a run with its first tasks, and how far it has come."""
    return await ctx.store.read(lambda uow: _run(ctx, uow, configuration_id, run_id))


def _run(ctx: Context, uow: UnitOfWork, configuration_id: UUID, run_id: UUID) -> WorkflowRun:
    run = uow.workflow_runs.get(ctx.scope, str(run_id), configuration_id=str(configuration_id))
    return uow.run_tasks.beside(ctx.scope, [run])[0]


@operation(needs=Permission.CAN_READ)
async def list_run_tasks(
    ctx: Context,
    *,
    configuration_id: ConfigurationId,
    run_id: RunId,
    page: PageNumber = 1,
    per_page: PageSize = 20,
    status: Annotated[
        str,
        Field(max_length=32, description="Only tasks that stand there."),
        Typed("task_status", TaskStatus, "Only tasks that stand there."),
    ]
    | None = None,
) -> Page[RunTask]:
    """List the tasks of a run in their order."""

    def work(uow: UnitOfWork) -> Page[RunTask]:
        run = uow.workflow_runs.get(ctx.scope, str(run_id), configuration_id=str(configuration_id))
        return uow.run_tasks.page(
            ctx.scope,
            offset=(page - 1) * per_page,
            limit=per_page,
            run_id=run.id,
            status=status,
        )

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def cancel_run(ctx: Context, *, configuration_id: ConfigurationId, run_id: RunId) -> WorkflowRun:
    """Cancel a run: no further task starts. What has been written stays; a run that is over is a 422."""
    now = ctx.now()

    def work(uow: UnitOfWork) -> WorkflowRun:
        run = uow.workflow_runs.get(ctx.scope, str(run_id), configuration_id=str(configuration_id))
        values: dict[str, Any] = {"completed_at": now}
        if not uow.workflow_runs.move(ctx.scope, run.id, RunStatus.CANCELED, only_from=OPEN, **values):
            raise ValidationError(f"This run is {run.status} and cannot be canceled.", status=422, field="status")
        uow.run_tasks.close_open(ctx.scope, run.id, RunStatus.CANCELED, now)
        return _run(ctx, uow, configuration_id, run_id)

    canceled = await ctx.store.write(work)
    ctx.services.signals.notify(f"run:{canceled.id}")
    attempt = await ctx.store.read(lambda uow: uow.workflow_runs.attempt_of(canceled.id))
    await ctx.services.jobs.cancel(job_key(canceled.id, attempt))
    return canceled


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def retry_run(ctx: Context, *, configuration_id: ConfigurationId, run_id: RunId) -> WorkflowRun:
    """Try the failed tasks of a run again; what was completed stays as it is and is not done twice.

    What the results go into is made anew: keys between tables, and the run's report. Of a run that failed because
    nothing could be read, what was skipped is looked at again.

    The run is queued again under its own id, on behalf of the caller, with the input that it was triggered with. A
    run in which nothing had been planned yet is planned anew. A run-all-enrichment that completed with errors can be
    tried again as well. A run of which nothing failed is a 422.
    """
    found = await ctx.store.read(lambda uow: _run(ctx, uow, configuration_id, run_id))
    configuration = await ctx.store.read(lambda uow: uow.workflow_configurations.get(ctx.scope, str(configuration_id)))
    ctx = await on_behalf(ctx, configuration)
    if "resource_uri" in found.input:
        await usable_connection(ctx, found.input["resource_uri"])

    def work(uow: UnitOfWork) -> tuple[WorkflowRun, int]:
        uow.workflow_configurations.held(ctx.scope, str(configuration_id))
        attempt = uow.workflow_runs.reopen(ctx.scope, found.id, caller=ctx.caller.to_dict())
        if attempt is None:
            status = uow.workflow_runs.get(ctx.scope, found.id).status
            raise ValidationError(
                f"This run is {status}. Only a run of which something failed can be tried again.",
                status=422,
                field="status",
            )
        uow.run_tasks.reopen(ctx.scope, found.id)
        return _run(ctx, uow, configuration_id, run_id), attempt

    reopened, attempt = await ctx.store.write(work, told=lambda found: found[0])
    ctx.services.signals.notify(f"run:{reopened.id}")
    await ctx.services.jobs.enqueue(RUN_JOB, job_of(reopened.id, attempt), key=job_key(reopened.id, attempt))
    return reopened
