"""Lineage that jobs tell while they run, taken in event by event: OpenLineage."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Final

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.lineage import KeptEdge, Recorded, ToldStatement
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.engines.lineage.handed_in import Refused
from resolvers.engines.lineage.openlineage import HAPPENED, Dataset, Event, Output, read_event
from resolvers.operation import operation
from resolvers.utils.lineage import MOST_STATEMENTS
from resolvers.utils.lineage_imports import imported, named
from resolvers.utils.lineage_telling import LineageCatalog, dialect_of, told_of
from resolvers.utils.metadata import RESOURCE, Uri
from schema.assets.data_connection import ConnectionType, DataConnection
from schema.errors import ValidationError
from schema.governance.permission import Permission, TypeName
from schema.identifiers import ResourceUri
from schema.pagination import in_utc
from schema.utils.lineage import LONGEST_STATEMENT, LineageSource
from schema.utils.lineage_import import LineageImported, LineageImportGap, OpenLineageEvent

_ADDRESSED: Final = {
    ConnectionType.POSTGRES: ("postgres", 5432),
    ConnectionType.MYSQL: ("mysql", 3306),
    ConnectionType.ORACLE: ("oracle", 1521),
    ConnectionType.HIVE: ("hive", 10000),
}
"""The scheme of the namespace, and the port where the connection names none, of what OpenLineage calls by its host."""

Namespace = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=1000,
        description="The namespace of the connection's tables in the event, where it is not the one that OpenLineage "
        "gives to its host and port.",
    ),
]


@operation(needs=Permission.CAN_MANAGE_METADATA, on=RESOURCE, kind=CallKind.WRITE)
async def import_openlineage_event(
    ctx: Context, *, resource_type: TypeName, resource_uri: Uri, namespace: Namespace = None, event: OpenLineageEvent
) -> LineageImported:
    """Take in an event of OpenLineage, and keep the lineage that it tells of tables of this connection.

    The facet `columnLineage` of each output is kept as it stands; an output without one is read from the job's SQL,
    if it is the only one. An event of a run that began, failed or was aborted changes nothing. The same job telling of
    the same output anew ends what it said of that before, unless by its `eventTime` it was so earlier than what stands.
    What is not understood is a gap, and makes no edge.
    """
    scope = ctx.scope
    if event.eventType is not None and event.eventType.upper() not in HAPPENED:
        return imported(LineageSource.OPENLINEAGE, _job(event), (), Recorded(0, 0, 0))

    def work(uow: UnitOfWork) -> Callable[[], _Telling]:
        dialect = dialect_of(uow, scope, resource_uri)
        catalog = LineageCatalog.of(uow.lineage.tables(scope, resource_uri), dialect)
        own = namespace or namespace_of(uow.data_connections.find(Scope(scope.organization_id), resource_uri))
        return lambda: _Telling(catalog, resource_uri, dialect, own).of(_read(event))

    # Understanding a long statement takes a while, in which no transaction waits.
    telling = await asyncio.to_thread(await ctx.store.read(work))
    now = ctx.now()
    told = [replace(one, told_at=_told_at(event, now)) for one in telling.told]

    def write(uow: UnitOfWork) -> LineageImported:
        done = uow.lineage.tell(scope, LineageSource.OPENLINEAGE, told, by=ctx.caller.user_id, at=now)
        if uow.lineage.count_standing(scope, LineageSource.OPENLINEAGE) > MOST_STATEMENTS:
            raise ValidationError(
                f"The project would have more than {MOST_STATEMENTS} statements of OpenLineage. End those of jobs that "
                "do not run any more, or give jobs names that stay the same from run to run.",
                status=422,
                field="job.name",
            )
        return imported(LineageSource.OPENLINEAGE, _job(event), told, done, telling.besides)

    return await ctx.store.write(write)


def namespace_of(connection: DataConnection | None) -> str | None:
    """How OpenLineage calls the store of a connection; None where the connection does not tell.

    Source: https://openlineage.io/docs/spec/naming
    """
    config = connection.database_config if connection is not None else None
    if connection is None or config is None:
        return None
    if connection.connection_type is ConnectionType.BIGQUERY:
        return "bigquery"
    if connection.connection_type is ConnectionType.SNOWFLAKE:
        account = (config.get("options") or {}).get("account") or str(config.get("host", "")).split(".")[0]
        return f"snowflake://{account}"
    if connection.connection_type not in _ADDRESSED:
        return None
    scheme, port = _ADDRESSED[connection.connection_type]
    return f"{scheme}://{config.get('host')}:{config.get('port') or port}"


def _job(event: OpenLineageEvent) -> str:
    return "/".join(str(event.job.get(part))[:1000] for part in ("namespace", "name"))


def _told_at(event: OpenLineageEvent, now: datetime) -> datetime:
    """When what an event tells was so. A clock that is ahead makes nothing late that comes after it."""
    try:
        return min(in_utc(datetime.fromisoformat(event.eventTime or "")), now)
    except (ValueError, OverflowError):
        return now


def _read(event: OpenLineageEvent) -> Event:
    try:
        return read_event(event.job, event.inputs, event.outputs)
    except Refused as refused:
        raise ValidationError(f"{refused.field}: {refused}", status=422, field=refused.field) from None


@dataclass(slots=True)
class _Telling:
    """From an event to what is kept of it."""

    catalog: LineageCatalog
    resource_uri: str
    dialect: str
    namespace: str | None
    told: list[ToldStatement] = field(default_factory=list)
    besides: list[LineageImportGap] = field(default_factory=list)
    """What the event says of tables that are not this connection's."""
    _columns: dict[str, set[str]] = field(default_factory=dict)

    def of(self, event: Event) -> "_Telling":
        """Take in all outputs of an event."""
        for output in event.outputs:
            if not self._is_own(output.dataset):
                reason = f"{self._foreign(output.dataset)} Nothing is kept of it."
                self.besides.append(LineageImportGap(key=event.job, target_fqn=None, name="namespace", reason=reason))
                continue
            target = self.catalog.find(output.dataset.name.split("."))
            key = f"{ResourceUri.parse(self.resource_uri).name}/{event.job}/{output.dataset.name}"
            self.told.append(self._statement(event, output, target, key))
        return self

    def _statement(self, event: Event, output: Output, target: str | None, key: str) -> ToldStatement:
        sql = event.sql if len(event.outputs) == 1 else None
        if target is None:
            reason = f"{output.dataset.name[:200]} is not one table of this connection in the catalog. Ingest it again."
            return self._kept(key, None, None, [("target", reason)], ())
        if output.edges is not None:
            return self._kept(key, target, sql, *self._edges(output, target))
        if sql is None:
            read = named([str(one) for one in event.inputs])
            reason = "The event does not say which columns it is made of."
            return self._kept(key, target, None, [("columns", f"{reason} It reads {read}." if read else reason)], ())
        if len(sql) > LONGEST_STATEMENT:
            return self._kept(
                key, target, None, [("size", f"Its SQL has more than {LONGEST_STATEMENT} characters.")], ()
            )
        return self._of_sql(key, target, sql)

    def _of_sql(self, key: str, target: str, sql: str) -> ToldStatement:
        """Return what the SQL of a job says, which names its target itself or is a query whose answer is put there."""
        text = sql.strip().rstrip(";")
        found: ToldStatement | None = None
        for given in (None, target):
            found = told_of(
                text,
                self.catalog,
                source=LineageSource.OPENLINEAGE,
                key=key,
                resource_uri=self.resource_uri,
                dialect=self.dialect,
                target=given,
                by_name=given is not None,
            )
            if not found.gaps or found.gaps[0][0] != "target":
                break
        assert found is not None
        if found.target_fqn not in (None, target):
            reason = f"The SQL of the job fills {found.target_fqn}, and the event names another table."
            return self._kept(key, target, text, [("target", reason)], ())
        return found

    def _edges(self, output: Output, target: str) -> tuple[list[tuple[str, str]], tuple[KeptEdge, ...]]:
        """The edges that an output tells, and what of them cannot be kept."""
        edges: set[KeptEdge] = set()
        missing: dict[str, dict[str, None]] = {"namespace": {}, "tables": {}, "columns": {}}
        for one in output.edges or ():
            source = self.catalog.find(one.of.name.split(".")) if self._is_own(one.of) else None
            if source is None:
                missing["tables" if self._is_own(one.of) else "namespace"][str(one.of)] = None
                continue
            unknown = [
                f"{fqn}.{column}"
                for fqn, column in ((source, one.field), (target, one.column))
                if not self._has(fqn, column)
            ]
            missing["columns"] |= dict.fromkeys(unknown)
            if not unknown:
                column = self.catalog.column(target, one.column) if one.column else ""
                edges.add(KeptEdge(source, self.catalog.column(source, one.field), target, column, one.subtype))
        told = {
            "namespace": f"Not of this connection, which is {self.namespace}",
            "tables": "The catalog does not have these tables",
            "columns": "The catalog does not have these columns",
        }
        gaps = [(name, f"{told[name]}: {named(list(of))}.") for name, of in missing.items() if of]
        if output.unknown:
            gaps.append(
                ("constructs", f"The specification does not have these transformations: {named(output.unknown)}.")
            )
        return gaps, tuple(sorted(edges))

    def _has(self, fqn: str, column: str) -> bool:
        if fqn not in self._columns:
            self._columns[fqn] = {one.casefold() for one in self.catalog.known[fqn].columns}
        return not column or column.casefold() in self._columns[fqn]

    def _kept(
        self, key: str, target: str | None, sql: str | None, gaps: list[tuple[str, str]], edges: tuple[KeptEdge, ...]
    ) -> ToldStatement:
        text = sql if sql is not None and len(sql) <= LONGEST_STATEMENT else None
        return ToldStatement(
            LineageSource.OPENLINEAGE, key, self.resource_uri, target, text, text and self.dialect, tuple(gaps), edges
        )

    def _is_own(self, dataset: Dataset) -> bool:
        return self.namespace is not None and dataset.namespace.casefold() == self.namespace.casefold()

    def _foreign(self, dataset: Dataset) -> str:
        told = dataset.namespace[:200]
        if self.namespace is None:
            return f"How OpenLineage calls this connection is not known. If it is {told}, say so with `namespace`."
        return (
            f"{told} is not this connection, which is {self.namespace}. If they are the same, say so with `namespace`."
        )
