"""Running one guarded query in a source for an answer: bounded, read-only, cancelled with the turn.

What a source says of a failure may quote values, so it is passed on only where the query touches nothing protected.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final, TypeVar

from sqlglot import exp

from persistence.connectors.core.base import ConnectorError
from persistence.tabular import NotATable, Scratch
from persistence.turn_limits import TurnSettings
from resolvers.context import Context
from resolvers.data_readiness.runs.leases import TaskUse, within
from resolvers.data_readiness.runs.reading import use_source
from resolvers.engines.answering.ranking import limit_of, one_more, tied
from resolvers.engines.answering.rows import ResultTable, parquet_rows, size_of, table_of
from resolvers.engines.sql_guard import GuardedQuery
from resolvers.talk2data.answering.catalog_context import Ground
from resolvers.talk2data.answering.differencing import QuerySets, compare, told_by
from resolvers.talk2data.answering.guarding import judged
from resolvers.talk2data.answering.restricted import masked_places, masked_rows
from schema.content import Upload
from schema.data_readiness.source import Row, Source
from schema.errors import Forbidden
from schema.governance.permission import Permission

T = TypeVar("T")

PARQUET: Final = "application/vnd.apache.parquet"
AT_ONCE: Final = 1000
_REPAIRABLE: Final = frozenset({"failed", "not_found"})
"""The kinds of failure that another query may not meet."""


class SourceFailed(Exception):
    """The source did not answer. The text is a sentence that may be shown."""

    def __init__(self, message: str, *, repairable: bool) -> None:
        super().__init__(message)
        self.message, self.repairable = message, repairable


@dataclass(frozen=True, slots=True)
class QueryRun:
    """A query that ran."""

    sql: str
    """As it was sent, but for the salt of a mask."""
    table: ResultTable
    rows: Sequence[Row]
    """As the source gave them, but for what is masked."""
    ordered: bool
    """Whether the query sorts its rows."""
    masked: tuple[int, ...] = ()
    """Which of its columns show no value, from 0."""
    tied: int | None = None
    """The column that it is ordered by, where the row behind those that it takes holds the same."""
    limit: int | None = None
    """How many rows it takes at most by itself, of those that it orders."""


async def run_query(
    ctx: Context, ground: Ground, sql: str, *, task_id: str, seconds: float | None = None, shown: bool = True
) -> QueryRun:
    """Run a draft, guarded anew with what the source calls its tables. Raises Refused and SourceFailed.

    What is shown of it is compared with what the caller was shown before; what is not, is neither compared nor
    remembered.
    """
    limits = ctx.services.turns
    seconds = limits.turn_statement_seconds if seconds is None else seconds

    def work(source: Source) -> tuple[QueryRun, str, list[QuerySets]]:
        guarded = judged(ground, sql, most_rows=limits.turn_rows + 1, source=source)
        query = guarded.query
        masked = masked_places(guarded, ground.restricted)
        limit = limit_of(query)
        limit = limit if limit is not None and limit <= limits.turn_rows else None
        rows, more, tie = _first(source, guarded, limit if shown else None, seconds, limits)
        rows = masked_rows(rows, masked)
        table = table_of(query.named_selects, rows, truncated=more)
        ordered, tie = query.args.get("order") is not None, None if tie in masked else tie
        ran = QueryRun(guarded.shown(source.dialect), table, rows, ordered, masked, tie, limit)
        return ran, f"{ground.uri}\n{ran.sql}", told_by(source, guarded, seconds) if shown else []

    try:
        ran, name, told = await in_source(ctx, ground, work, task_id=task_id, seconds=seconds)
    except ConnectorError as error:
        raise failed(ground, sql, error) from None
    await compare(ctx, name, told)
    return ran


async def in_source(ctx: Context, ground: Ground, work: Callable[[Source], T], *, task_id: str, seconds: float) -> T:
    """Run blocking work on the data behind a connection that the caller may use at this moment."""
    if not await ctx.guard.fresh().allows(ctx.caller, Permission.CAN_EXECUTE, "data_connection", ground.uri):
        raise Forbidden.lacking(
            Permission.CAN_EXECUTE,
            "data_connection",
            ground.uri,
            "You may not use this data connection any more. Ask an administrator for can_execute on it.",
        )
    with within(TaskUse(task_id)):
        return await use_source(ctx, ground.uri, work, seconds=seconds)


def failed(ground: Ground, sql: str, error: ConnectorError) -> SourceFailed:
    """Return what may be told of a failure of the source."""
    if error.kind == "cancelled":
        return SourceFailed("The query was cancelled.", repairable=False)
    if error.kind == "timeout":
        return SourceFailed(
            "The source took too long to answer. Ask for less, such as a shorter span of time.", repairable=False
        )
    repairable = error.kind in _REPAIRABLE
    if repairable and ground.protects(sql):
        return SourceFailed(
            "The source could not run the query. Its reason is not shown, because the query touches protected "
            f"columns ({error.kind}).",
            repairable=True,
        )
    return SourceFailed(error.reason, repairable=repairable)


def _first(
    source: Source, guarded: GuardedQuery, limit: int | None, seconds: float, limits: TurnSettings
) -> tuple[Sequence[Row], bool, int | None]:
    """The rows, whether there are more than are read, and the column in which the row behind a cut holds the same.

    One row more than a query takes is read for that, and never shown; not where a policy bounds what is told of few.
    """
    query, most = guarded.query, limits.turn_rows
    if not limit or limit >= most or guarded.least_rows:
        return *_rows(source, query, seconds, most, limits.turn_bytes), None
    rows, more = _rows(source, one_more(query, limit), seconds, most, limits.turn_bytes)
    tie = tied(query, rows[limit - 1], rows[limit]) if len(rows) > limit else None
    return rows[:limit], more and len(rows) < limit, tie


def _rows(source: Source, query: exp.Query, seconds: float, most: int, room: int) -> tuple[Sequence[Row], bool]:
    """The first rows of the answer, and whether there are more."""
    found: list[Row] = []
    with closing(source.stream(query, AT_ONCE, seconds)) as batches:
        for batch in batches:
            for row in batch:
                room -= size_of(row)
                if len(found) >= most or (room < 0 and found):
                    return found, True
                found.append(row)
    return found, False


async def parquet_of(ctx: Context, table: ResultTable) -> Upload | None:
    """The rows as Parquet in the blob store, before a row names them; None when they cannot be kept so."""

    def write() -> bytes:
        with Scratch() as scratch:
            types = [column.type for column in table.columns]
            return scratch.write(table.names, parquet_rows(table), types).read_bytes()

    try:
        data = await asyncio.to_thread(write)
    except NotATable:
        return None
    return await staged(ctx, data, PARQUET)


async def staged(ctx: Context, data: bytes, media: str) -> Upload:
    """Bytes in the blob store, before a row names them."""

    async def chunks() -> AsyncIterator[bytes]:
        yield data

    return await ctx.services.blobs.stage(ctx.organization_id, chunks(), file_name=None, content_type=media)


def shown_rows(table: ResultTable, most: int, room: int) -> Sequence[Sequence[object]]:
    """The first rows, as many as fit into an event."""
    shown: list[Sequence[object]] = []
    for row in table.rows[:most]:
        cells = [cell if not isinstance(cell, str) or len(cell) <= 2000 else f"{cell[:1999]}…" for cell in row]
        room -= size_of(cells)
        if room < 0 and shown:
            break
        shown.append(cells)
    return shown
