"""Service ingestion: what a source says becomes catalog, in tasks of a few dozen tables that can each be repeated.

Plan lists the schemas and writes one task per batch of tables. A task reads its tables and, in one transaction, takes
them into the catalog and closes itself, so a task that was killed leaves nothing half done and one that runs twice
finds nothing to do. Finish marks what has vanished and closes the run.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, TypeVar
from uuid import NAMESPACE_URL, uuid5

from auth.caller import Caller
from persistence.connectors.base import Connector, ConnectorError, SchemaInfo, TableInfo
from persistence.jobs import JobError, JobOutcome, JobState, JobTask
from persistence.queries.catalog_ingest import mark_vanished, upsert_source
from persistence.queries.workflows import OPEN
from persistence.repository import Scope
from persistence.store import Shelves
from persistence.tables.data_readiness import run_tasks
from resolvers.assets.data_connections import config_of, opened
from resolvers.context import Context
from resolvers.data_readiness.runs import service_of
from resolvers.engines.catalog_diff import judge
from resolvers.governance.projects import WORKER
from schema.assets.data_connection import DataConnection
from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.utils.metadata_asset import AssetType
from schema.utils.source_asset import Counts, SourceAsset

T = TypeVar("T")

TABLES_PER_TASK = 50
READ_SECONDS = 3600.0
"""How long reading one batch may take in all; each statement has the deployment's own, much shorter, bound."""


class Ingestion:
    """One run of service ingestion, on behalf of the worker."""

    def __init__(self, ctx: Context, run: WorkflowRun, scope: Scope) -> None:
        self._ctx, self._run, self._scope = ctx, run, scope
        self._wanted = Fqn.parse(run.asset_fqn).parts[1:] if run.asset_fqn else ()
        """The names below the service that the run is limited to."""

    async def plan(self) -> Sequence[JobTask]:
        """List what there is and write the tasks. Raises JobError when the source shows nothing."""
        found = [
            schema for schema in await self._read(lambda source: list(source.schemas())) if self._asked_for(schema)
        ]
        batches = [batch for schema in found for batch in self._batches(schema)]
        if not batches:
            raise JobError(
                "The source shows no schema to ingest. Check the user's permissions, selected_tables and asset_fqn. "
                "The catalog was left as it is."
            )
        tasks = [
            JobTask(f"{position:06d}", {**batch, "task_id": self._task_id(position)})
            for position, batch in enumerate(batches)
        ]

        def work(shelves: Shelves) -> bool:
            if not shelves.workflow_runs.move(self._scope, self._run.id, RunStatus.RUNNING, only_from=OPEN):
                return False
            own = run_tasks.c.run_id == self._run.id
            shelves.connection.execute(run_tasks.delete().where(own))
            shelves.connection.execute(run_tasks.insert(), [self._task_row(p, t) for p, t in enumerate(tasks)])
            return True

        return tasks if await self._ctx.store.write(work) else []

    async def task(self, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """Read one batch of tables and take it in."""
        task_id, now = arguments["task_id"], self._ctx.now()
        if not await self._ctx.store.write(
            lambda shelves: shelves.run_tasks.move(task_id, RunStatus.RUNNING, only_from=OPEN, started_at=now)
        ):
            return None  # canceled, or done by a process that was killed right after
        database, schema = arguments["database"], arguments["schema"]
        try:
            connection, tables = await self._tables(database, schema, arguments["tables"])
        except (ConnectorError, JobError) as error:
            await self._fail_task(task_id, error.reason if isinstance(error, ConnectorError) else str(error))
            raise
        assets = list(source_assets(database, schema, arguments.get("comment"), tables))

        def work(shelves: Shelves) -> Counts | None:
            closing = {"completed_at": self._ctx.now()}
            if not shelves.run_tasks.move(task_id, RunStatus.COMPLETED, only_from=(RunStatus.RUNNING,), **closing):
                return None
            counts = upsert_source(
                shelves.connection,
                self._scope,
                connection.resource_uri,
                service_of(connection),
                assets,
                actor=self._ctx.caller.user_id,
                now=self._ctx.now(),
                judge=judge,
            )
            shelves.connection.execute(
                run_tasks.update().where(run_tasks.c.id == task_id).values(counts=asdict(counts))
            )
            return counts

        counts = await self._ctx.store.write(work)
        return None if counts is None else asdict(counts)

    async def finish(self, outcomes: Sequence[JobOutcome]) -> dict[str, Any]:
        """Mark what has vanished, when everything could be read, and close the run."""
        failed = [outcome for outcome in outcomes if outcome.state is JobState.FAILED]
        present = await self._read(lambda source: list(source.schemas())) if not failed else []
        uri, now = self._run.input["resource_uri"], self._ctx.now()

        def work(shelves: Shelves) -> dict[str, Any]:
            vanished = 0
            for parent, kept in self._present(present) if present else ():
                vanished += mark_vanished(
                    shelves.connection, self._scope, uri, parent, kept, actor=self._ctx.caller.user_id, now=now
                )
            output = {**shelves.run_tasks.sums(self._run.id), "vanished": vanished}
            output |= {"tasks": len(outcomes), "failed_tasks": len(failed)}
            shelves.run_tasks.close_open(self._scope, self._run.id, RunStatus.FAILED, now)
            message = None
            if failed:
                message = f"{len(failed)} of {len(outcomes)} tasks failed; the first: {failed[0].message}"
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

        return await self._ctx.store.write(work)

    async def fail(self, message: str) -> None:
        """Close the run as failed."""
        await fail_run(self._ctx, self._scope, self._run.id, message)

    def _asked_for(self, schema: SchemaInfo) -> bool:
        return self._wanted[:2] == (schema.database, schema.name)[: len(self._wanted)]

    def _batches(self, schema: SchemaInfo) -> Iterator[dict[str, Any]]:
        names = [name for name in schema.tables if len(self._wanted) < 3 or name == self._wanted[2]]
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

    def _present(self, schemas: Iterable[SchemaInfo]) -> Iterator[tuple[str, list[str]]]:
        """What the source holds now, as parent FQN → names, from the tables up, within what the run was asked for."""
        service = self._service
        by_database: dict[str, list[str]] = {}
        for schema in schemas:
            by_database.setdefault(schema.database, []).append(schema.name)
            if self._asked_for(schema) and len(self._wanted) < 3:
                yield str(Fqn.of(service, schema.database, schema.name)), list(schema.tables)
        for database, names in by_database.items():
            if len(self._wanted) < 2 and self._wanted in ((), (database,)):
                yield str(Fqn.of(service, database)), names
        if not self._wanted:
            yield service, list(by_database)

    @property
    def _service(self) -> str:
        return str(self._run.input["resource_uri"]).rpartition(":")[2]

    async def _tables(self, database: str, schema: str, names: Sequence[str]) -> tuple[DataConnection, list[TableInfo]]:
        uri = self._run.input["resource_uri"]
        connection = await self._ctx.store.read(lambda shelves: shelves.data_connections.get(self._ctx.tenant, uri))
        return connection, await self._read(lambda source: list(source.tables(database, schema, names)))

    async def _read(self, work: Callable[[Connector], T]) -> T:
        uri = self._run.input["resource_uri"]
        connection, credentials = await opened(self._ctx, uri)
        await self._permitted(uri)
        return await self._ctx.services.connectors.use(
            connection.connection_type.value, config_of(connection), credentials, work, timeout=READ_SECONDS
        )

    async def _permitted(self, uri: str) -> None:
        """A run goes on only while somebody it acts for may still use the connection."""
        worker = Caller(WORKER, self._ctx.organization_id, self._ctx.project_id)
        for caller in (worker, self._ctx.caller):
            if await self._ctx.guard.allows(caller, Permission.CAN_EXECUTE, "data_connection", uri):
                return
        raise JobError("The permission to use this connection was revoked.")

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
            "revision": 1,
        }


async def fail_run(ctx: Context, scope: Scope, run_id: str, message: str) -> None:
    """Close a run, and what is open of its tasks, as failed."""
    now = ctx.now()

    def work(shelves: Shelves) -> None:
        shelves.run_tasks.close_open(scope, run_id, RunStatus.FAILED, now)
        shelves.workflow_runs.move(
            scope, run_id, RunStatus.FAILED, only_from=OPEN, completed_at=now, error_message=message[:2000]
        )

    await ctx.store.write(work)


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
