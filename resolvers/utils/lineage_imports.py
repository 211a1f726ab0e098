"""Lineage that other systems know of, taken in as a whole: from the manifest of dbt."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from auth.rate_limit import CallKind
from persistence.queries.lineage import CatalogTable, Recorded, ToldStatement
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.engines.lineage.dbt import DbtModel, DbtProject, read_columns, read_manifest
from resolvers.engines.lineage.handed_in import Refused
from resolvers.operation import operation
from resolvers.utils.lineage import MOST_STATEMENTS
from resolvers.utils.lineage_telling import LineageCatalog, dialect_of, told_of
from resolvers.utils.metadata import RESOURCE, Uri
from schema.errors import ValidationError
from schema.governance.permission import Permission, TypeName
from schema.identifiers import ResourceUri
from schema.utils.lineage import LONGEST_STATEMENT, LineageSource
from schema.utils.lineage_import import DbtImport, LineageImported, LineageImportGap

MOST_EDGES: Final = 200_000
"""Edges that are kept of one manifest."""
MOST_GAPS: Final = 100
"""Gaps that the answer names."""
MOST_NAMED: Final = 10
"""Things that a gap names."""


@operation(needs=Permission.CAN_MANAGE_METADATA, on=RESOURCE, kind=CallKind.BULK)
async def import_dbt_manifest(
    ctx: Context, *, resource_type: TypeName, resource_uri: Uri, file: DbtImport
) -> LineageImported:
    """Take in a dbt project, and keep the lineage that its models tell.

    The compiled SQL of each model and snapshot that is a table of this connection, by its database, schema and alias,
    is read as a statement of the source `dbt`, in the dialect of the connection. Nothing of it is run. What is not
    understood is a gap of its model, and then no edge is made. The same project handed in again ends what it said of
    this connection before, also of models that it does not have any more; other projects stand beside it.
    """
    scope = ctx.scope

    def work(uow: UnitOfWork) -> tuple[list[CatalogTable], str]:
        return uow.lineage.tables(scope, resource_uri), dialect_of(uow, scope, resource_uri)

    def understood(tables: list[CatalogTable], dialect: str) -> tuple[DbtProject, str, list[ToldStatement]]:
        try:
            project = read_manifest(file.manifest)
            catalog = _with_columns(LineageCatalog.of(tables, dialect), file, dialect)
        except Refused as refused:
            raise ValidationError(str(refused), status=422, field=refused.field) from None
        # The name of the connection, so that a project that is built into two of them stands under each.
        family = f"{ResourceUri.parse(resource_uri).name}/{project.name}/"
        return project, family, _told(project, catalog, family, resource_uri, dialect)

    # Understanding a whole project takes a while, in which no transaction waits.
    project, family, told = await asyncio.to_thread(understood, *await ctx.store.read(work))

    def write(uow: UnitOfWork) -> LineageImported:
        done = uow.lineage.tell(
            scope, LineageSource.DBT, told, by=ctx.caller.user_id, at=ctx.now(), all_under=resource_uri, family=family
        )
        if uow.lineage.count_standing(scope, LineageSource.DBT) > MOST_STATEMENTS:
            raise ValidationError(
                f"The project would have more than {MOST_STATEMENTS} statements of dbt. Hand in fewer projects of dbt, "
                "or end the statements of those that are no longer built.",
                status=422,
                field="manifest",
            )
        return imported(LineageSource.DBT, project.name, told, done)

    return await ctx.store.write(write)


def imported(
    source: LineageSource,
    family: str,
    told: Sequence[ToldStatement],
    done: Recorded,
    besides: Sequence[LineageImportGap] = (),
) -> LineageImported:
    """Return what became of statements that were told as a whole; `besides` are the gaps that are of none of them."""
    gaps = [
        LineageImportGap(key=one.key, target_fqn=one.target_fqn, name=name, reason=reason)
        for one in told
        for name, reason in one.gaps
    ]
    return LineageImported(
        source=source,
        family=family,
        statements=len(told),
        new=done.new,
        unchanged=done.unchanged,
        ended=done.ended,
        late=done.late,
        not_understood=sum(bool(one.gaps) for one in told),
        gaps=[*gaps, *besides][:MOST_GAPS],
    )


def _with_columns(catalog: LineageCatalog, file: DbtImport, dialect: str) -> LineageCatalog:
    """The catalog with the columns that dbt has seen in the database and the last ingestion had not."""
    if file.catalog is None:
        return catalog
    known = dict(catalog.known)
    for place, columns in read_columns(file.catalog):
        fqn = catalog.find(place) if place else None
        if fqn is not None:
            have = {column.casefold() for column in known[fqn].columns}
            more = tuple(column for column in columns if column.casefold() not in have)
            known[fqn] = replace(known[fqn], columns=(*known[fqn].columns, *more))
    return LineageCatalog.of(known.values(), dialect)


def _told(
    project: DbtProject, catalog: LineageCatalog, family: str, resource_uri: str, dialect: str
) -> list[ToldStatement]:
    """Return what the models tell, one statement for each."""
    told: list[ToldStatement] = []
    edges = 0
    for model in project.models:
        one = _statement(model, catalog, family + model.id, resource_uri, dialect)
        edges += len(one.edges)
        if edges > MOST_EDGES:
            edges -= len(one.edges)
            gap = ("size", f"The models before it have most of the {MOST_EDGES} edges that are kept of one manifest.")
            one = replace(one, edges=(), gaps=(gap,))
        told.append(one)
    return told


def _statement(model: DbtModel, catalog: LineageCatalog, key: str, resource_uri: str, dialect: str) -> ToldStatement:
    """Return what one model tells: its edges, or why there are none."""
    target = catalog.find(model.place) if model.place else None
    gap = _gap(model, target)
    if gap is None and model.sql is not None:
        return told_of(
            model.sql.strip().rstrip(";"),
            catalog,
            source=LineageSource.DBT,
            key=key,
            resource_uri=resource_uri,
            dialect=dialect,
            target=target,
            by_name=True,
        )
    text = model.sql if model.sql is not None and len(model.sql) <= LONGEST_STATEMENT else None
    return ToldStatement(
        LineageSource.DBT, key, resource_uri, target, text, text and dialect, (gap,) if gap is not None else ()
    )


def _gap(model: DbtModel, target: str | None) -> tuple[str, str] | None:
    """Why a model is not read at all. That it depends on a table says nothing of which rows and columns: no edge."""
    if target is None:
        name = ".".join(model.place)[:200]
        return "target", f"{name} is not one table of this connection in the catalog. Build it, then ingest again."
    if model.language != "sql":
        return "language", f"The model is written in {model.language[:50]}, which is not followed.{_reads(model)}"
    if model.sql is None:
        return "compiled", f"The manifest has no compiled SQL of it: write it with `dbt compile`.{_reads(model)}"
    if len(model.sql) > LONGEST_STATEMENT:
        return "size", f"Its SQL has more than {LONGEST_STATEMENT} characters."
    return None


def _reads(model: DbtModel) -> str:
    if not model.depends_on:
        return ""
    return f" It depends on {named(model.depends_on)}."


def named(names: Sequence[str]) -> str:
    """The first of some names, as a gap tells them."""
    shown = ", ".join(one[:200] for one in names[:MOST_NAMED])
    return f"{shown}{' and others' if len(names) > MOST_NAMED else ''}"
