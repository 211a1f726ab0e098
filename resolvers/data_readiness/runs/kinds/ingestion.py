"""Service ingestion: what a source says becomes catalog, in tasks of a few dozen tables that can each be repeated.

There is one unit per batch of tables; a unit that finds its tables as they were changes nothing. What has vanished is
marked as the run completes.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from persistence.connectors.core.base import UNKNOWN_COLUMNS, Connector, SchemaInfo, TableInfo
from persistence.jobs.port import JobError, JobOutcome
from persistence.queries.catalog_ingest import mark_vanished, refresh_statistics, upsert_source
from persistence.queries.lineage import CatalogTable, ToldStatement
from persistence.queries.source_facts import names_written_since
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write
from resolvers.data_readiness.runs.operations import included_in
from resolvers.data_readiness.runs.outcome import UNREAD_TOLD
from resolvers.data_readiness.runs.reading import use_connection
from resolvers.engines.catalog_diff import judge
from resolvers.utils.lineage_telling import LineageCatalog, dialect_of, view_statements
from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
from schema.identifiers import Fqn, ResourceUri, join_fqn
from schema.utils.lineage import LineageSource
from schema.utils.metadata_asset import AssetType
from schema.utils.source_asset import Counts, SourceAsset

TABLES_PER_TASK: Final = 50


class Ingestion(RunWork):
    """One run of service ingestion."""

    when_failed = when_all_failed = ", so nothing was marked as vanished"

    def __init__(self, ctx: Context, run: WorkflowRun, scope: Scope, attempt: int = 1) -> None:
        super().__init__(ctx, run, scope, attempt)
        self._uri = str(run.input["resource_uri"])
        self._lineage: list[ToldStatement] = []
        self._service = ResourceUri.parse(self._uri).name
        self._wanted = Fqn.parse(run.asset_fqn).parts[1:] if run.asset_fqn else ()
        """The names below the service that the run is limited to."""
        included = included_in(run.input)
        self._included = None if included is None else frozenset(included)
        """What of that is to be read: tables, or what they are in; None for all of it."""

    async def units(self) -> Sequence[RunUnit]:
        """List what there is: one unit per batch of tables. Raises JobError when the source shows no table."""
        if len(self._wanted) > 3:
            raise JobError("asset_fqn names a column, and the smallest part that can be ingested is a table.")
        schemas, cut_short, ignored = await use_connection(self.ctx, self._uri, _listed)
        units = [unit for schema in schemas for unit in self._batches(schema, cut_short)]
        if not any(unit.arguments["tables"] for unit in units):
            what = f"nothing that can be ingested under {self.run.asset_fqn}" if self._wanted else "no table to ingest"
            what = what if self._included is None else "none of the tables that include names"
            raise JobError(f"The source shows {what}. {_advice(ignored)} The catalog was left as it is.")
        units[0].arguments["ignored"] = ignored
        return units

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Read one batch of tables, to take it into the catalog."""
        database, schema, names = arguments["database"], arguments["schema"], arguments["tables"]

        def read(source: Connector) -> list[SourceAsset]:
            found = source.tables(database, schema, names) if names else ()
            return list(source_assets(database, schema, arguments["comment"], found))

        assets = await use_connection(self.ctx, self._uri, read)
        if names and not any(asset.type is AssetType.TABLE for asset in assets):
            raise JobError(
                f"None of the {len(names)} tables could be read any more. "
                "Check the user's permissions; if the tables were dropped just now, trigger a new run."
            )

        unread = [
            {"asset_fqn": join_fqn((self._service, *asset.path)), "reason": asset.description}
            for asset in assets
            if asset.type is AssetType.TABLE and (asset.description or "").startswith(UNKNOWN_COLUMNS)
        ]

        def write(uow: UnitOfWork) -> dict[str, int]:
            counts = upsert_source(
                uow.connection,
                self.scope,
                self._uri,
                self._service,
                assets,
                actor=self.ctx.caller.user_id,
                now=self.ctx.now(),
                judge=judge,
            )
            if not unread:
                return asdict(counts)
            kept = {**arguments, "not_read": unread[:UNREAD_TOLD]}
            uow.run_tasks.keep_arguments(arguments["task_id"], kept)
            return asdict(counts) | {"assets_not_read": len(unread)}

        return write

    async def finish(self, outcomes: Sequence[JobOutcome]) -> dict[str, Any]:
        """Read the lineage of the views, then close the run; reading is work, which no transaction waits for.

        A store that has taken something in is told how much there is now, before anybody searches it.
        """
        if any((one.result or {}).get(name) for one in outcomes for name in ("created", "updated", "restored")):
            await self.ctx.store.database.write(refresh_statistics)
        found = await self.ctx.store.read(self._views)
        self._lineage = await asyncio.to_thread(_told, found)
        return await super().finish(outcomes)

    def _views(self, uow: UnitOfWork) -> tuple[list[CatalogTable], str, str]:
        return uow.lineage.tables(self.scope, self._uri), self._uri, dialect_of(uow, self.scope, self._uri)

    def conclude(self, uow: UnitOfWork, output: dict[str, Any], failed: int) -> None:
        """Mark what has vanished, when everything could be read."""
        batches = [batch for _, batch in uow.run_tasks.planned(self.run.id, RunStatus.COMPLETED)]
        for name, number in asdict(Counts()).items():
            output.setdefault(name, number)
        output["violations_resolved"] = 0
        output["unchanged"] -= _repeated(batches)
        # What a listing that was cut short does not name may still be there.
        cut_short = any(batch["cut_short"] for batch in batches)
        if not failed and not cut_short and self._included is None:
            output["vanished"] += self._mark_vanished(uow, batches)
            now = self.ctx.now()
            output["violations_resolved"] += uow.violations.bury(
                self.scope, self._service, run_id=self.run.id, actor=self.ctx.caller.user_id, at=now
            )
            uow.metric_results.withdraw(self.scope, self._service, self.run.id, at=now)
        if cut_short:
            output["listing_cut_short"] = True
        self._tell_lineage(uow, output)
        not_read: list[dict[str, str]] = []
        for _, batch in uow.run_tasks.planned(self.run.id):
            output.update(batch.get("ignored", {}))
            not_read += batch.get("not_read", ())
        if not_read:
            output["not_read"] = not_read[:UNREAD_TOLD]

    def _tell_lineage(self, uow: UnitOfWork, output: dict[str, Any]) -> None:
        """Keep what the views that still stand tell of lineage."""
        live = uow.lineage.resources_of(self.scope, [one.key for one in self._lineage], live=True)
        told = [one for one in self._lineage if one.key in live]
        now, by = self.ctx.now(), self.ctx.caller.user_id
        done = uow.lineage.tell(self.scope, LineageSource.VIEW, told, by=by, at=now, all_under=self._uri)
        if told:
            gaps = sum(bool(one.gaps) for one in told)
            output["lineage"] = {"views": len(told), "changed": done.new, "not_understood": gaps}

    def _batches(self, schema: SchemaInfo, cut_short: bool) -> Iterator[RunUnit]:
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
            told = {"database": schema.database, "schema": schema.name, "comment": schema.comment, "tables": batch}
            yield RunUnit(label, {**told, "cut_short": cut_short})

    def _is_included(self, *below: str) -> bool:
        parts = (self._service, *below)
        assert self._included is not None
        return any(join_fqn(parts[:end]) in self._included for end in range(1, len(parts) + 1))

    def _mark_vanished(self, uow: UnitOfWork, batches: Sequence[dict[str, Any]]) -> int:
        """Mark what stands in the catalog and was not listed when the run was planned.

        What was written since the run began was seen by another run, which listed later, and stays.
        """
        marked = 0
        assert self.run.started_at is not None  # it runs
        for parent, kept in self._present(batches).items():
            recent = names_written_since(uow.connection, self.scope, parent, self.run.started_at)
            marked += mark_vanished(
                uow.connection,
                self.scope,
                self._uri,
                parent,
                kept.union(recent),
                actor=self.ctx.caller.user_id,
                now=self.ctx.now(),
            )
        return marked

    def _present(self, batches: Iterable[dict[str, Any]]) -> dict[str, set[str]]:
        """Return what the source listed, as parent FQN → names, from the tables up, within what the run was asked
        for.
        """
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


def _told(found: tuple[list[CatalogTable], str, str]) -> list[ToldStatement]:
    """Return what the views of a connection tell of lineage."""
    tables, uri, dialect = found
    if not any(one.is_view and one.definition for one in tables):
        return []
    return view_statements(LineageCatalog.of(tables, dialect), uri, dialect)


def _advice(ignored: Mapping[str, Any]) -> str:
    """Return what to look at when a source shows nothing: the files that are no tables, where it has such."""
    named = ignored.get("ignored") or ()
    if not named:
        return "Check the user's permissions, selected_tables and asset_fqn."
    count, first = ignored["ignored_files"], named[0]
    others = f" and {count - 1:,} more" if count > 1 else ""
    return f"It holds {first['path']}{others}. {first['reason']}"


def _listed(source: Connector) -> tuple[list[SchemaInfo], bool, dict[str, Any]]:
    return list(source.schemas()), source.cut_short, source.ignored


def _repeated(batches: Sequence[dict[str, Any]]) -> int:
    """Return how often the batches name a database or schema again: all but one of them count it as unchanged."""
    databases = {batch["database"] for batch in batches}
    schemas = {(batch["database"], batch["schema"]) for batch in batches}
    return 2 * len(batches) - len(databases) - len(schemas)


def source_assets(
    database: str, schema: str, comment: str | None, tables: Iterable[TableInfo]
) -> Iterator[SourceAsset]:
    """Yield what a source declares, as assets: the database, the schema, then each table with all of its columns."""
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
                constraint=_constraint(table, column.name)
                | ({"default": column.default} if column.default is not None else {}),
                column_relationships=targets or None,
            )


def _constraint(table: TableInfo, column: str) -> dict[str, Any]:
    """Return the kinds of keys that a column is or belongs to, and those sets that it is a part of.

    UNIQUE is only what is unique by itself: two columns that are unique together may each repeat.
    """
    own = [key for key in table.keys if column in key.columns]
    kinds = sorted({key.kind for key in own if key.kind != "UNIQUE" or len(key.columns) == 1})
    together = [
        {"type": key.kind, "columns": list(key.columns)}
        for key in own
        if key.kind != "FOREIGN_KEY" and len(key.columns) > 1
    ]
    return ({"keys": kinds} if kinds else {}) | ({"part_of": together} if together else {})
