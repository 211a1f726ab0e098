"""Service ingestion: what a source says becomes catalog, in tasks of a few dozen tables that can each be repeated.

Plan lists the schemas and writes one task per batch of tables. A task reads its tables and, in one transaction, takes
them into the catalog and closes itself, so a task that was killed leaves nothing half done and one that runs twice
finds nothing to do. Finish marks what has vanished and closes the run. Every step takes the run's row before its
tasks' rows, so that none of them can wait for one another in a circle.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, TypeVar
from uuid import NAMESPACE_URL, uuid5

import sqlalchemy as sa

from auth.caller import Caller
from persistence.connectors.base import Connector, SchemaInfo, TableInfo
from persistence.jobs import JobError, JobOutcome, JobState, JobTask, explain
from persistence.queries.catalog_ingest import mark_vanished, upsert_source
from persistence.queries.metadata_search import in_scope
from persistence.queries.workflows import OPEN
from persistence.repository import Scope
from persistence.store import Shelves
from persistence.tables.catalog import metadata_assets
from persistence.tables.data_readiness import run_tasks
from resolvers.assets.data_connections import config_of, opened
from resolvers.context import Context
from resolvers.data_readiness.runs import included_in
from resolvers.engines.catalog_diff import judge
from resolvers.governance.projects import WORKER
from schema.assets.data_connection import ConnectionStatus
from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
from schema.errors import DatabaseError
from schema.governance.permission import Permission
from schema.identifiers import Fqn, ResourceUri, join_fqn
from schema.utils.metadata_asset import AssetType
from schema.utils.source_asset import Counts, SourceAsset

T = TypeVar("T")

TABLES_PER_TASK = 50
READ_SECONDS = 3600.0
"""How long reading one batch may take in all; each statement has the deployment's own, much shorter, bound."""

FAILURES_TOLD = 10
"""How many failed tasks a run's error message names."""


class Ingestion:
    """One run of service ingestion, on behalf of the worker."""

    def __init__(self, ctx: Context, run: WorkflowRun, scope: Scope, attempt: int = 1) -> None:
        self._ctx, self._run, self._scope, self._attempt = ctx, run, scope, attempt
        self._uri = str(run.input["resource_uri"])
        self._service = ResourceUri.parse(self._uri).name
        self._wanted = Fqn.parse(run.asset_fqn).parts[1:] if run.asset_fqn else ()
        """The names below the service that the run is limited to."""
        included = included_in(run.input)
        self._included = None if included is None else frozenset(included)
        """What of that is to be read: tables, or what they are in; None for all of it."""

    async def plan(self) -> Sequence[JobTask]:
        """List what there is and write the tasks. Raises JobError when the source shows no table.

        A later attempt takes the tasks that wait: those that failed before.
        """
        if self._attempt > 1 and (waiting := await self._ctx.store.write(self._resume)) is not None:
            self._ring()
            return waiting
        if len(self._wanted) > 3:
            raise JobError("asset_fqn names a column, and the smallest part that can be ingested is a table.")
        schemas, cut_short = await self._read(_listed)
        batches = [batch | {"cut_short": cut_short} for schema in schemas for batch in self._batches(schema)]
        if not any(batch["tables"] for batch in batches):
            what = f"nothing that can be ingested under {self._run.asset_fqn}" if self._wanted else "no table to ingest"
            what = what if self._included is None else "none of the tables that include names"
            raise JobError(
                f"The source shows {what}. Check the user's permissions, selected_tables and asset_fqn. "
                "The catalog was left as it is."
            )
        tasks = [
            JobTask(f"{position:06d}", {**batch, "task_id": self._task_id(position)})
            for position, batch in enumerate(batches)
        ]

        def work(shelves: Shelves) -> bool:
            if not self._goes_on(shelves):
                return False
            own = run_tasks.c.run_id == self._run.id
            shelves.connection.execute(run_tasks.delete().where(own))
            shelves.connection.execute(run_tasks.insert(), [self._task_row(p, t) for p, t in enumerate(tasks)])
            return True

        planned = tasks if await self._ctx.store.write(work) else []
        self._ring()
        return planned

    def _resume(self, shelves: Shelves) -> list[JobTask] | None:
        """The tasks that wait, when an earlier attempt has planned; None when none has."""
        if not shelves.run_tasks.planned(self._run.id):
            return None
        if not self._goes_on(shelves):
            return []
        waiting = shelves.run_tasks.planned(self._run.id, RunStatus.PENDING)
        return [JobTask(f"{position:06d}", arguments) for position, arguments in waiting]

    def _goes_on(self, shelves: Shelves) -> bool:
        """Take the run's row; whether the run is open and this attempt at it is the one that stands."""
        return shelves.workflow_runs.move(
            self._scope, self._run.id, RunStatus.RUNNING, only_from=OPEN, of_attempt=self._attempt
        )

    async def task(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Read one batch of tables and take it in. Answers what the batch names, and what it did unless it was done."""
        named = {name: arguments[name] for name in ("database", "schema", "tables", "cut_short")}
        task_id, now = arguments["task_id"], self._ctx.now()
        begun = {"started_at": now, "completed_at": None, "error_message": None}
        # A task that stands as failed was killed before its end was told to the engine.
        from_ = (*OPEN, RunStatus.FAILED)
        if not await self._ctx.store.write(
            lambda shelves: shelves.run_tasks.move(task_id, RunStatus.RUNNING, only_from=from_, **begun)
        ):
            return named  # canceled, or done by a process that was killed right after
        self._ring()
        try:
            counts = await self._take_in(task_id, arguments)
        except DatabaseError:
            raise  # begun again shortly
        except Exception as error:
            await self._fail_task(task_id, explain(error))
            raise
        finally:
            self._ring()
        return named | ({} if counts is None else asdict(counts))

    async def _take_in(self, task_id: str, arguments: dict[str, Any]) -> Counts | None:
        database, schema, names = arguments["database"], arguments["schema"], arguments["tables"]

        def read(source: Connector) -> list[SourceAsset]:
            found = source.tables(database, schema, names) if names else ()
            return list(source_assets(database, schema, arguments["comment"], found))

        assets = await self._read(read)
        if names and not any(asset.type is AssetType.TABLE for asset in assets):
            raise JobError(
                f"None of the {len(names)} tables could be read any more. "
                "Check the user's permissions; if the tables were dropped just now, trigger a new run."
            )

        def work(shelves: Shelves) -> Counts | None:
            now = self._ctx.now()
            if not shelves.run_tasks.move(
                task_id, RunStatus.COMPLETED, only_from=(RunStatus.RUNNING,), completed_at=now
            ):
                return None
            counts = upsert_source(
                shelves.connection,
                self._scope,
                self._uri,
                self._service,
                assets,
                actor=self._ctx.caller.user_id,
                now=now,
                judge=judge,
            )
            shelves.connection.execute(
                run_tasks.update().where(run_tasks.c.id == task_id).values(counts=asdict(counts))
            )
            return counts

        return await self._ctx.store.write(work)

    async def finish(self, outcomes: Sequence[JobOutcome]) -> dict[str, Any]:
        """Mark what has vanished, when everything could be read, and close the run."""
        failed = [outcome for outcome in outcomes if outcome.state is not JobState.DONE]
        done = [outcome.result for outcome in outcomes if outcome.state is JobState.DONE and outcome.result]
        now = self._ctx.now()

        def work(shelves: Shelves) -> dict[str, Any]:
            if not self._goes_on(shelves):
                return {}  # canceled, or closed by a process that was killed right after
            of, batches = len(outcomes), done
            if self._attempt > 1:  # what earlier attempts have done counts as well
                of = sum(shelves.run_tasks.counts(self._run.id).values())
                batches = [batch for _, batch in shelves.run_tasks.planned(self._run.id, RunStatus.COMPLETED)]
            output: dict[str, Any] = asdict(Counts()) | shelves.run_tasks.sums(self._run.id)
            output["unchanged"] -= _repeated(batches)
            # What a listing that was cut short does not name may still be there.
            cut_short = any(batch["cut_short"] for batch in batches)
            if not failed and not cut_short and self._included is None:
                output["vanished"] += self._mark_vanished(shelves, batches)
            output |= {"tasks": of, "failed_tasks": len(failed)}
            if cut_short:
                output["listing_cut_short"] = True
            message = self._failure(shelves, failed, of) if failed else None
            shelves.run_tasks.close_open(self._scope, self._run.id, RunStatus.FAILED, now)
            shelves.workflow_runs.move(
                self._scope,
                self._run.id,
                RunStatus.FAILED if failed else RunStatus.COMPLETED,
                only_from=OPEN,
                completed_at=now,
                output=output,
                error_message=message,
            )
            return output

        output = await self._ctx.store.write(work)
        self._ring()
        return output

    async def fail(self, message: str) -> None:
        """Close the run as failed."""
        await fail_run(self._ctx, self._scope, self._run.id, message, self._attempt)

    def _batches(self, schema: SchemaInfo) -> Iterator[dict[str, Any]]:
        if self._wanted[:2] != (schema.database, schema.name)[: len(self._wanted)]:
            return
        names = [name for name in schema.tables if len(self._wanted) < 3 or name == self._wanted[2]]
        if self._included is not None:
            names = [name for name in names if self._is_included(schema.database, schema.name, name)]
            if not names:
                return
        for start in range(0, len(names) or 1, TABLES_PER_TASK):
            batch = names[start : start + TABLES_PER_TASK]
            label = str(Fqn.of(schema.database, schema.name))
            if len(names) > TABLES_PER_TASK:
                label += f" ({start + 1}-{start + len(batch)} of {len(names)})"
            yield {
                "run_id": self._run.id,
                "database": schema.database,
                "schema": schema.name,
                "comment": schema.comment,
                "tables": batch,
                "label": label,
            }

    def _is_included(self, *below: str) -> bool:
        parts = (self._service, *below)
        assert self._included is not None
        return any(join_fqn(parts[:end]) in self._included for end in range(1, len(parts) + 1))

    def _mark_vanished(self, shelves: Shelves, batches: Sequence[dict[str, Any]]) -> int:
        """Mark what stands in the catalog and was not listed when the run was planned.

        What was written since the run began was seen by another run, which listed later, and stays.
        """
        marked = 0
        for parent, kept in self._present(batches).items():
            children = sa.select(metadata_assets.c.name).where(
                *in_scope(self._scope),
                metadata_assets.c.parent_fqn == parent,
                metadata_assets.c.updated_at >= self._run.started_at,
            )
            recent = shelves.connection.execute(children).scalars()
            marked += mark_vanished(
                shelves.connection,
                self._scope,
                self._uri,
                parent,
                kept.union(recent),
                actor=self._ctx.caller.user_id,
                now=self._ctx.now(),
            )
        return marked

    def _present(self, batches: Iterable[dict[str, Any]]) -> dict[str, set[str]]:
        """What the source listed, as parent FQN → names, from the tables up, within what the run was asked for."""
        tables: dict[str, set[str]] = {}
        schemas: dict[str, set[str]] = {}
        databases: set[str] = set()
        for batch in batches:
            database, schema = batch["database"], batch["schema"]
            tables.setdefault(str(Fqn.of(self._service, database, schema)), set()).update(batch["tables"])
            schemas.setdefault(str(Fqn.of(self._service, database)), set()).add(schema)
            databases.add(database)
        whole = (tables, schemas, {self._service: databases})
        present: dict[str, set[str]] = {}
        for level in whole[: max(0, 3 - len(self._wanted))]:
            present |= level
        return present

    def _failure(self, shelves: Shelves, failed: Sequence[JobOutcome], of: int) -> str:
        """A sentence that names the tasks that failed, each with its reason."""
        query = sa.select(run_tasks.c.position, run_tasks.c.name).where(run_tasks.c.run_id == self._run.id)
        names: dict[int, str] = {position: name for position, name in shelves.connection.execute(query)}
        told = [f"{names.get(int(one.key), one.key)}: {one.message}" for one in failed[:FAILURES_TOLD]]
        more = f" And {len(failed) - FAILURES_TOLD} more." if len(failed) > FAILURES_TOLD else ""
        return f"{len(failed)} of {of} tasks failed, so nothing was marked as vanished. {' '.join(told)}{more}"

    async def _read(self, work: Callable[[Connector], T]) -> T:
        connection, credentials = await opened(self._ctx, self._uri)
        if connection.status is ConnectionStatus.DISABLED:
            raise JobError("The connection is disabled. Set its status to PENDING, then trigger a new run.")
        await self._permitted()
        return await self._ctx.services.connectors.use(
            connection.connection_type.value, config_of(connection), credentials, work, timeout=READ_SECONDS
        )

    async def _permitted(self) -> None:
        """A run goes on only while somebody it acts for may still use the connection."""
        worker = Caller(WORKER, self._ctx.organization_id, self._ctx.project_id)
        for caller in (worker, self._ctx.caller):
            if await self._ctx.guard.allows(caller, Permission.CAN_EXECUTE, "data_connection", self._uri):
                return
        raise JobError("The permission to use this connection was revoked.")

    def _ring(self) -> None:
        self._ctx.services.signals.notify(f"run:{self._run.id}")

    async def _fail_task(self, task_id: str, message: str) -> None:
        now = self._ctx.now()
        await self._ctx.store.write(
            lambda shelves: shelves.run_tasks.move(
                task_id, RunStatus.FAILED, only_from=OPEN, completed_at=now, error_message=message[:2000]
            )
        )

    def _task_id(self, position: int) -> str:
        return str(uuid5(NAMESPACE_URL, f"{self._run.id}/{position}"))

    def _task_row(self, position: int, task: JobTask) -> dict[str, Any]:
        return {
            "id": task.arguments["task_id"],
            "organization_id": self._scope.organization_id,
            "project_id": self._scope.project_id,
            "run_id": self._run.id,
            "position": position,
            "name": task.arguments["label"][:1000],
            "status": RunStatus.PENDING,
            "counts": {},
            "arguments": task.arguments,
            "revision": 1,
        }


def _listed(source: Connector) -> tuple[list[SchemaInfo], bool]:
    return list(source.schemas()), source.cut_short


def _repeated(batches: Sequence[dict[str, Any]]) -> int:
    """How often the batches name a database or schema again: all but one of them count it as unchanged."""
    databases = {batch["database"] for batch in batches}
    schemas = {(batch["database"], batch["schema"]) for batch in batches}
    return 2 * len(batches) - len(databases) - len(schemas)


async def fail_run(ctx: Context, scope: Scope, run_id: str, message: str, attempt: int) -> None:
    """Close a run, and what is open of its tasks, as failed, unless another attempt at it has begun."""
    now = ctx.now()

    def work(shelves: Shelves) -> None:
        if shelves.workflow_runs.move(
            scope,
            run_id,
            RunStatus.FAILED,
            only_from=OPEN,
            of_attempt=attempt,
            completed_at=now,
            error_message=message[:2000],
        ):
            shelves.run_tasks.close_open(scope, run_id, RunStatus.FAILED, now)

    await ctx.store.write(work)
    ctx.services.signals.notify(f"run:{run_id}")


def source_assets(
    database: str, schema: str, comment: str | None, tables: Iterable[TableInfo]
) -> Iterator[SourceAsset]:
    """What a source declares, as assets: the database, the schema, then each table with all of its columns."""
    yield SourceAsset(AssetType.DATABASE, (database,))
    yield SourceAsset(AssetType.DATABASE_SCHEMA, (database, schema), description=comment)
    for table in tables:
        path = (database, schema, table.name)
        keys = [
            {"type": key.kind, "name": key.name, "columns": list(key.columns)}
            | (
                {
                    "target_schema": key.target_schema,
                    "target_table": key.target_table,
                    "target_columns": list(key.target_columns),
                }
                if key.kind == "FOREIGN_KEY"
                else {}
            )
            for key in table.keys
        ]
        yield SourceAsset(
            AssetType.TABLE,
            path,
            description=table.comment,
            schema_definition=table.definition,
            table_type=table.table_type,
            row_count=table.row_count,
            constraint={"keys": keys} if keys else {},
        )
        for column in table.columns:
            kinds = sorted({key.kind for key in table.keys if column.name in key.columns})
            targets = [
                {
                    "type": "FOREIGN_KEY",
                    "name": key.name,
                    "schema": key.target_schema,
                    "table": key.target_table,
                    "column": key.target_columns[key.columns.index(column.name)],
                }
                for key in table.keys
                if key.kind == "FOREIGN_KEY" and column.name in key.columns and key.target_columns
            ]
            yield SourceAsset(
                AssetType.COLUMN,
                (*path, column.name),
                description=column.comment,
                data_type=column.data_type,
                data_type_display=column.data_type_display,
                ordinal_position=column.ordinal_position,
                nullable=column.nullable,
                precision=column.precision,
                scale=column.scale,
                data_length=column.data_length,
                constraint=({"keys": kinds} if kinds else {})
                | ({"default": column.default} if column.default is not None else {}),
                column_relationships=targets or None,
            )
