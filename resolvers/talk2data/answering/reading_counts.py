"""Counting the rows that the readings of a question back would give, so that whoever chooses sees what they lead to.

Each count is a query as any other: it passes the guard with the policies of the project, and runs read-only with the
asker's permission. All of them share one short time; what cannot be counted in it is not told.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import closing

from sqlglot import exp

from persistence.connectors.core.base import ConnectorError
from persistence.jobs.port import JobError
from resolvers.context import Context
from resolvers.engines.nl2sql.model import Interpretation
from resolvers.engines.sql_guard import GuardedQuery, QueryRefused
from resolvers.talk2data.answering.catalog_context import Ground
from resolvers.talk2data.answering.evidence import as_of_now, columns_of, too_poor
from resolvers.talk2data.answering.guarding import judged
from resolvers.talk2data.answering.query_execution import in_source
from schema.data_readiness.source import Source
from schema.errors import ApiError
from schema.talk2data.chat_settings import ChatSettings

log = logging.getLogger("stoa.talk2data")


async def row_counts(
    ctx: Context, ground: Ground | None, readings: Sequence[Interpretation], settings: ChatSettings, *, task_id: str
) -> list[int | None]:
    """The rows that each reading would give, as many as an answer may have; None where they were not counted."""
    seconds = ctx.services.turns.turn_reading_seconds
    nothing: list[int | None] = [None] * len(readings)
    if ground is None or seconds <= 0:
        return nothing
    allowed = [await _allowed(ctx, ground, one.sql, settings) for one in readings]
    if not any(allowed):
        return nothing
    found = list(nothing)

    def work(source: Source) -> None:
        until = time.monotonic() + seconds
        for at, one in enumerate(readings):
            if allowed[at] and one.sql is not None and (left := until - time.monotonic()) > 0:
                found[at] = _counted(ctx, ground, source, one.sql, left)

    try:
        async with asyncio.timeout(seconds):
            await in_source(ctx, ground, work, task_id=task_id, seconds=seconds)
    except (TimeoutError, ConnectorError, JobError, ApiError) as error:
        log.info("rows of readings could not be counted in %s: %s", ground.uri, type(error).__name__)
    return list(found)


def without_empty(
    readings: Sequence[Interpretation], counts: Sequence[int | None]
) -> tuple[list[Interpretation], list[int | None]]:
    """The readings with their numbers of rows, without those that give no row where another gives some."""
    kept = [pair for pair in zip(readings, counts, strict=True) if pair[1] != 0] if any(counts) else []
    return ([one for one, _ in kept], [count for _, count in kept]) if kept else (list(readings), list(counts))


async def _allowed(ctx: Context, ground: Ground, sql: str | None, settings: ChatSettings) -> bool:
    """Return whether a reading would be answered, and by rows that tell nothing of a group that is too small."""
    if sql is None:
        return False
    try:
        guarded = judged(ground, sql)
    except QueryRefused:
        return False
    if guarded.least_rows:
        return False
    return settings.refuse_below is None or too_poor(await as_of_now(ctx, columns_of(guarded)), settings) is None


def _counted(ctx: Context, ground: Ground, source: Source, sql: str, seconds: float) -> int | None:
    most = ctx.services.turns.turn_rows
    try:
        guarded = judged(ground, sql, most_rows=most + 1, source=source)
        if _is_one_row(guarded):
            return 1
        count = exp.select(exp.Count(this=exp.Star()).as_("number")).from_(guarded.query.subquery("counted"))
        with closing(source.stream(count, 1, seconds)) as batches:
            return min(int(next(row[0] for batch in batches for row in batch)), most)
    except (QueryRefused, ConnectorError, StopIteration) as error:
        log.info("rows of a reading could not be counted in %s: %s", ground.uri, type(error).__name__)
        return None


def _is_one_row(guarded: GuardedQuery) -> bool:
    return guarded.counts and guarded.query.args.get("having") is None
