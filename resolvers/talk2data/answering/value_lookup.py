"""Looking words of a question up in the source itself, for drafters that work in a thread of their own.

Every search is a query as any other: it passes the guard with the policies of the project, and runs read-only with the
asker's permission. Columns that a policy hides are not searched. Texts are looked for as they are commonly written,
which an index serves; only what was found nowhere so is looked for without regard to case, which reads every row, and
only in the time that is left.

A column that is tagged as personal is compared with what the asker wrote and nothing else: whoever may read it could
compare it themselves, and nothing is told of it but their own words.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import closing
from types import TracebackType
from typing import Any, Final

from sqlglot import exp

from persistence.connectors.core.base import ConnectorError
from persistence.jobs.port import JobError
from resolvers.context import Context
from resolvers.engines.nl2sql.model import ColumnKey, FoundValue
from resolvers.engines.nl2sql.schema_linking.lookups import MOST_COLUMNS, found_in, query_of
from resolvers.engines.sql_guard import QueryRefused
from resolvers.talk2data.answering.catalog_context import Ground
from resolvers.talk2data.answering.guarding import judged
from resolvers.talk2data.answering.near_values import columns_of_names, nearest, query_near
from resolvers.talk2data.answering.query_execution import in_source
from schema.data_readiness.source import Row, Source
from schema.errors import ApiError

log = logging.getLogger("stoa.talk2data")

SECONDS: Final = 10.0
"""How long one search may take."""
NEAR_SECONDS: Final = 2.0
"""How long it may take to look for words that one is nearly."""
_MOST_NEAR: Final = 2000
"""Values that are compared, of each statement."""
MOST_SEARCHES: Final = 4
"""How often one question may look into the source."""
_AT_ONCE: Final = 12
"""Columns that one statement looks into."""
_MOST_ROWS: Final = 200


class Search:
    """The searches of one question. None outlives it."""

    def __init__(self, ctx: Context, ground: Ground, task_id: str) -> None:
        self._ctx, self._ground, self._task_id = ctx, ground, task_id
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._left = MOST_SEARCHES
        self._running: set[Future[Any]] = set()

    async def __aenter__(self) -> "Search":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left = 0
        for future in list(self._running):
            future.cancel()

    def lookup(self, columns: Sequence[ColumnKey], texts: Sequence[str]) -> Sequence[FoundValue]:
        """The texts as columns spell them. Blocks; empty when it cannot be told.

        Not to be called on the event loop, which it would wait for: there it finds nothing.
        """
        policies, closed = self._ground.policies, self._ground.policies.unsearchable
        hidden = policies.masked | self._ground.knowledge.forbidden | self._ground.restricted
        open_columns = [key for key in columns if key not in hidden and key.table not in closed][:MOST_COLUMNS]
        if not open_columns or not texts or self._left <= 0 or threading.get_ident() == self._thread:
            return ()
        self._left -= 1
        future = asyncio.run_coroutine_threadsafe(self._searched(open_columns, texts), self._loop)
        self._running.add(future)
        try:
            return future.result(SECONDS + 5)
        except (CancelledError, TimeoutError, ConnectorError, JobError, ApiError) as error:
            log.info("words could not be looked up in %s: %s", self._ground.uri, type(error).__name__)
            return ()
        finally:
            future.cancel()
            self._running.discard(future)

    async def near(self, words: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """The words of values that each word is nearly; none where that cannot be told in a short time."""
        policies, known = self._ground.policies, self._ground.knowledge
        columns = columns_of_names(known, policies.masked | self._ground.restricted, policies.unsearchable)
        if not columns or not words or self._left <= 0:
            return {}
        self._left -= 1

        def work(source: Source) -> list[str]:
            until, found = time.monotonic() + NEAR_SECONDS, list[str]()
            for some in _chunks(columns):
                query, seconds = query_near(some, words, known), until - time.monotonic()
                if query is None or seconds <= 0:
                    break
                statement = query.sql(dialect=self._ground.dialect, identify=True)
                guarded = judged(self._ground, statement, most_rows=_MOST_NEAR, source=source)
                found += [str(row[0]) for row in _rows(source, guarded.query, seconds) if row[0] is not None]
            return found

        try:
            values = await in_source(self._ctx, self._ground, work, task_id=self._task_id, seconds=NEAR_SECONDS)
        except (ConnectorError, JobError, ApiError, QueryRefused) as error:
            log.info("words could not be compared with those of %s: %s", self._ground.uri, type(error).__name__)
            return {}
        return nearest(words, values)

    async def _searched(self, columns: Sequence[ColumnKey], texts: Sequence[str]) -> list[FoundValue]:
        def work(source: Source) -> list[FoundValue]:
            until = time.monotonic() + SECONDS
            found = list(self._answers(source, columns, texts, until, exact=True))
            spelled = {one.value.strip().casefold() for one in found}
            left = [text for text in texts if text.strip().casefold() not in spelled]
            quotable = [key for key in columns if key not in self._ground.knowledge.private]
            try:
                found += self._answers(source, quotable, left, until, exact=False)
            except ConnectorError as error:
                if error.kind != "timeout":
                    raise
                log.info("not all words could be looked up in %s in time", self._ground.uri)
            return found

        return await in_source(self._ctx, self._ground, work, task_id=self._task_id, seconds=SECONDS)

    def _answers(
        self, source: Source, columns: Sequence[ColumnKey], texts: Sequence[str], until: float, *, exact: bool
    ) -> Iterator[FoundValue]:
        for some in _chunks(columns):
            query = query_of(some, texts, self._ground.knowledge, _named, exact=exact)
            seconds = until - time.monotonic()
            if query is None or seconds <= 0:
                continue
            statement = query.sql(dialect=self._ground.dialect, identify=True)
            try:
                guarded = judged(self._ground, statement, most_rows=_MOST_ROWS, source=source)
            except QueryRefused as refused:
                log.info("words could not be looked up in %s: rule %s", self._ground.uri, refused.rule)
                continue
            yield from found_in(_rows(source, guarded.query, seconds), some)


def _named(database: str, schema: str, table: str) -> exp.Table:
    return exp.table_(table, db=schema, catalog=database, quoted=True)


def _chunks(columns: Sequence[ColumnKey]) -> Iterator[Sequence[ColumnKey]]:
    for at in range(0, len(columns), _AT_ONCE):
        yield columns[at : at + _AT_ONCE]


def _rows(source: Source, query: exp.Query, seconds: float) -> list[Row]:
    with closing(source.stream(query, _MOST_ROWS, seconds)) as batches:
        return [row for batch in batches for row in batch]
