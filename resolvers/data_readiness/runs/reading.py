"""Defines how a run reads what it works on: the facts of the catalog, and the data itself through its connection."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any, Final, TypeVar
from uuid import uuid4

from auth.caller import WORKER, Caller
from persistence.connectors.core.base import UNKNOWN_COLUMNS, Connector, ConnectorError
from persistence.jobs.port import JobError
from persistence.jobs.slots import place_at
from persistence.queries.source_facts import read_facts, table_names
from persistence.store import UnitOfWork
from resolvers.assets.data_connections import config_of, opened
from resolvers.context import Context
from resolvers.data_readiness.runs.executor import RunWork, Skip, nothing_to_do
from resolvers.data_readiness.runs.leases import TASK, TaskUse
from resolvers.data_readiness.runs.operations import included_in
from schema.assets.data_connection import ConnectionStatus
from schema.data_readiness.profile import TableProfile
from schema.data_readiness.source import Source, TableFacts
from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
from schema.governance.permission import Permission
from schema.identifiers import Fqn

T = TypeVar("T")

READ_SECONDS: Final = 86_400.0
"""How long one use of a connection may last; a task's own time and each statement's bound are shorter."""

MOST_TABLES: Final = 20_000
"""Tables that one run works on."""

MOST_NAMED: Final = 10
"""Columns that one message names."""

_OF_THE_TABLE: Final = frozenset({"failed", "permission"})
"""Kinds of a connector's errors that can be about one table; the others are about the connection."""

_MAY_BE_GONE: Final = frozenset({"failed", "not_found"})
"""Kinds of a connector's errors that a table or column which is gone leads to."""


async def use_connection(ctx: Context, uri: str, work: Callable[[Connector], T], *, seconds: float = READ_SECONDS) -> T:
    """Run blocking work on a connection's connector, while somebody the run acts for may still use it.

    It waits for a place at the connection when as many tasks as may use it do so already; a task has one place however
    often it uses the connection at once.
    """
    connection, credentials = await opened(ctx, uri)
    if connection.status is ConnectionStatus.DISABLED:
        raise JobError("The connection is disabled. Set its status to PENDING, then trigger a new run.")
    worker = Caller(WORKER, ctx.organization_id, ctx.project_id, limited_by=ctx.caller.limited_by)
    for caller in (worker, ctx.caller):
        if await ctx.guard.allows(caller, Permission.CAN_EXECUTE, "data_connection", uri):
            break
    else:
        raise JobError("The permission to use this connection was revoked.")
    config = config_of(connection)
    async with _place(ctx, uri, config):
        return await ctx.services.connectors.use(
            connection.connection_type.value,
            config,
            credentials,
            work,
            organization=ctx.organization_id,
            timeout=seconds,
        )


@asynccontextmanager
async def _place(ctx: Context, uri: str, config: Mapping[str, Any]) -> AsyncIterator[None]:
    """One of the places at a connection, for the task that the current code works for."""
    use = TASK.get() or TaskUse(str(uuid4()))
    if use.places.get(uri):
        use.places[uri] += 1
        try:
            yield
        finally:
            use.places[uri] -= 1
        return

    @asynccontextmanager
    async def waiting() -> AsyncIterator[None]:
        await _tell(ctx, use.task_id, uri)
        try:
            with use.waiting():
                yield
        finally:
            await _tell(ctx, use.task_id, None)

    options: Mapping[str, Any] = config.get("options") or {}
    who = f"{use.task_id}:{sha256(uri.encode()).hexdigest()[:16]}"
    services = ctx.services
    async with place_at(
        services.store, services.signals, services.runs, ctx.organization_id, uri,
        who=who, limit=options.get("max_concurrency"), waiting=waiting,
    ):  # fmt: skip
        use.places[uri] = 1
        try:
            yield
        finally:
            use.places[uri] -= 1


async def _tell(ctx: Context, task_id: str, uri: str | None) -> None:
    """Show which connection a task waits for."""

    def work(uow: UnitOfWork) -> str | None:
        uow.run_tasks.move(task_id, RunStatus.RUNNING, only_from=(RunStatus.RUNNING,), waits_for=uri)
        return uow.run_tasks.run_of(task_id)

    if (run_id := await ctx.store.write(work)) is not None:
        ctx.services.signals.notify(f"run:{run_id}")


async def use_source(ctx: Context, uri: str, work: Callable[[Source], T], *, seconds: float = READ_SECONDS) -> T:
    """Run blocking work on the data behind a connection, read-only. Raises ConnectorError and JobError."""

    def opened_source(connector: Connector) -> T:
        with connector.source() as source:
            return work(source)

    return await use_connection(ctx, uri, opened_source, seconds=seconds)


async def use_table(ctx: Context, facts: TableFacts, work: Callable[[Source], T]) -> T:
    """`use_source` for one table. Raises Skip when neither its columns are known nor anything of it can be read.

    That is a broken file, or one that may not be read: it is told as often as ingestion meets it, and no failure of
    each run. An error of the connection itself stays one, and columns that are gone since the last ingestion are named.
    """
    try:
        return await use_source(ctx, facts.resource_uri, work)
    except ConnectorError as error:
        if not facts.columns and error.kind in _OF_THE_TABLE:
            raise without_columns(facts, error.reason) from None
        if error.kind not in _MAY_BE_GONE:
            raise
        if lost := await lost_columns(ctx, facts):
            raise JobError(columns_gone(facts, lost)) from None
        raise


async def require_columns(ctx: Context, facts: TableFacts, profile: TableProfile) -> None:
    """Raise JobError when a profile lacks columns because they are gone; others may just not be measurable."""
    if {column.name for column in facts.columns} <= {column.name for column in profile.columns}:
        return
    if lost := await lost_columns(ctx, facts):
        raise JobError(columns_gone(facts, lost))


async def lost_columns(ctx: Context, facts: TableFacts) -> list[str]:
    """The columns of a table that the catalog knows and the source has not; all when it has the table no more.

    None at all when the source cannot tell, for this is asked when reading has failed already.
    """

    def found(connector: Connector) -> set[str]:
        tables = connector.tables(facts.database, facts.schema, [facts.name])
        return {column.name for table in tables if table.name == facts.name for column in table.columns}

    try:
        there = await use_connection(ctx, facts.resource_uri, found)
    except ConnectorError:
        return []
    return [column.name for column in facts.columns if column.name not in there]


def columns_gone(facts: TableFacts, lost: Sequence[str]) -> str:
    """Return what to say of a table that has lost columns, where it is named already."""
    if len(lost) == len(facts.columns):
        return (
            "The table is gone from the source, or its connection does not read it any more. Run service-ingestion, "
            "then try again."
        )
    named = ", ".join(repr(name) for name in lost[:MOST_NAMED])
    more = f" and {len(lost) - MOST_NAMED} more" if len(lost) > MOST_NAMED else ""
    subject = f"The column {named} is" if len(lost) == 1 else f"The columns {named}{more} are"
    return f"{subject} gone from the source since the last ingestion. Run service-ingestion, then try again."


def without_columns(facts: TableFacts, reason: str | None = None) -> Skip:
    """A table that stands in the catalog without any column, and why if it is known: by itself what ingestion saw."""
    said = facts.description or ""
    why = reason or (said.removeprefix(UNKNOWN_COLUMNS).strip() if said.startswith(UNKNOWN_COLUMNS) else "")
    if not why:
        return Skip(
            facts.fqn,
            f"{facts.fqn} has no columns, or none that may be read. Leave it out by include; when it has got columns, "
            "run service-ingestion.",
        )
    return Skip(
        facts.fqn,
        f"The catalog knows no columns of {facts.fqn}. {why} "
        "Make it readable at its source or leave it out by include, and run service-ingestion.",
    )


def gone(fqn: str) -> JobError:
    """A table that the catalog does not hold any more."""
    return JobError(f"The catalog does not hold {fqn} any more. Trigger a new run.")


def targets(run: WorkflowRun) -> list[str]:
    """The dotted names at or below which a run works; empty for the whole project."""
    included = included_in(run.input)
    if included is not None:
        return included
    return [str(Fqn.parse(run.asset_fqn))] if run.asset_fqn else []


async def tables_of(work: RunWork) -> list[tuple[str, str]]:
    """The tables and views that a run works on, as (FQN, resource_uri), sorted by FQN. Raises JobError for none."""
    found = await work.ctx.store.read(
        lambda uow: table_names(uow.connection, work.scope, targets(work.run), MOST_TABLES)
    )
    if not found:
        where = " under " + ", ".join(targets(work.run)[:3]) if targets(work.run) else ""
        raise nothing_to_do(f"The catalog has no table{where}.")
    if len(found) > MOST_TABLES:
        raise JobError(f"One run works on {MOST_TABLES} tables at most. Limit it by asset_fqn or include.")
    return found


async def facts_of(ctx: Context, fqns: Sequence[str]) -> list[TableFacts]:
    """Return what the catalog knows of some tables and their columns, in two statements; what is gone is left out."""
    return await ctx.store.read(lambda uow: read_facts(uow.connection, ctx.scope, fqns))
