"""The data of a store, as engines ask for it: one query at a time, transpiled, guarded and bounded.

`Reading` is the `Source` that every kind of connection builds on. What it sends is always one SELECT over tables that
the connection selects, with every identifier quoted. Sessions are read-only where the store knows such a thing; the
guard here is what keeps a statement that writes from ever being sent.
"""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import Any, Final, TypeVar

from sqlglot import ErrorLevel, exp
from sqlglot.errors import SqlglotError

from persistence.connectors.core.base import ConnectorError, ConnectorSettings
from persistence.connectors.core.guard import check, not_selected
from schema.data_readiness.source import KnownStatistics, Row, Sample

__all__ = [
    "MOST_ROWS",
    "SAMPLE_SEED",
    "Reading",
    "by_chance",
    "by_clause",
    "cancelled",
    "not_selected",
    "plain",
    "spread",
]

T = TypeVar("T")

MOST_ROWS: Final = 100_000
"""Rows that `ask` answers with at most; longer answers are streamed."""

SAMPLE_SEED: Final = 42
"""Where a source can repeat a choice of rows, a repeated task sees the same ones."""

_MUCH_LARGER: Final = 4
"""A table this many times larger than the sample is sampled rather than cut off."""

_AT_ONCE: Final = 5000


class Reading(ABC):
    """One store's data, read-only, used from one thread at a time; `cancel` may be called from any.

    While a stream is open nothing else may be asked: read it to its end, or close it, first.
    """

    dialect: str
    """sqlglot's name of the dialect that queries end up in."""

    def __init__(self, limits: ConnectorSettings) -> None:
        self.limits = limits
        self._cancelled = threading.Event()

    # What a kind provides

    @abstractmethod
    def relation(self, database: str, schema: str, table: str) -> exp.Table:
        """Return what stands in FROM for a table. Raises ConnectorError("not_found") for one that is not selected."""

    @abstractmethod
    def allows(self, table: exp.Table) -> bool:
        """Return whether a table that a query names may be read."""

    @abstractmethod
    def batches(self, statement: str, size: int, seconds: float) -> Generator[list[Row]]:
        """Run a statement in the source's dialect; its rows in lists of at most `size`, in constant memory.

        The source stops it after about so many seconds. Raises ConnectorError.
        """

    def estimate(self, relation: exp.Table) -> int | None:
        """About how many rows a table has, when the source knows without a scan; None too where it has no sampling."""
        return None

    def sampled(self, query: exp.Select, relation: exp.Table, share: float) -> exp.Select | None:
        """The query over about this share (0 to 1) of the rows of a table; None where the source cannot choose."""
        return None

    def interrupt(self) -> None:  # noqa: B027 - a kind that cannot be interrupted ends by its time-outs
        """Stop the running statement in the source, from another thread."""

    def statistics(self, database: str, schema: str, table: str) -> KnownStatistics | None:
        """Return what the source itself knows of a table without a scan; None where there is nothing."""
        return None

    def arrow_batches(self, query: exp.Query) -> Generator[Any] | None:
        """The answer as pyarrow record batches, where this source and deployment have a fast way; None otherwise."""
        return None

    def close(self) -> None:  # noqa: B027 - most kinds have nothing of their own to give back
        """Give back what this reading holds. Safe to call twice."""

    # What engines use

    def ask(self, query: exp.Query) -> list[Row]:
        """All rows of a small answer. Raises ConnectorError, also when it has more than MOST_ROWS rows."""
        found: list[Row] = []
        with closing(self._run(self.written(query), _AT_ONCE, self.limits.source_statement_timeout)) as batches:
            for batch in batches:
                found += batch
                if len(found) > MOST_ROWS:
                    raise ConnectorError(
                        "failed", f"The answer has more than {MOST_ROWS:,} rows. Ask for groups or totals instead."
                    )
        return found

    def stream(self, query: exp.Query, size: int = 5000, seconds: float | None = None) -> Generator[list[Row]]:
        """The rows of an answer of any length, in lists of at most `size`, in constant memory."""
        most = self.limits.source_stream_timeout
        return self._run(self.written(query), max(1, size), most if seconds is None else min(seconds, most))

    def sample(self, relation: exp.Table, columns: Sequence[str], rows: int) -> Sample:
        """About `rows` rows, spread over the table as cheaply as the source can; all of them when it has fewer."""
        chosen: list[exp.Expr] = [exp.column(name, quoted=True) for name in columns] or [exp.Literal.number(1)]
        query = exp.select(*chosen).from_(relation.copy())
        estimate = self.estimate(relation)
        if estimate is not None and estimate > rows * _MUCH_LARGER:
            part = self.sampled(query.copy(), relation, min(1.0, rows * 1.2 / estimate))
            if part is not None:
                # The bound serves when the estimate is wrong; it is wide, for it would cut off the end of the table.
                most = max(rows * 3, _AT_ONCE)
                found = self._first(part.limit(most), most)
                if len(found) >= rows // 2:
                    return Sample(tuple(columns), tuple(plain(spread(found, rows))), is_whole=False)
        found = self._first(query.limit(rows + 1), rows + 1)
        return Sample(tuple(columns), tuple(plain(found[:rows])), is_whole=len(found) <= rows)

    def cancel(self) -> None:
        """Stop what is running, from another thread; it and whatever is asked later then raises ConnectorError."""
        self._cancelled.set()
        self.interrupt()

    # How a query is sent

    def written(self, query: exp.Query) -> str:
        """The query in this source's dialect, after the guard. Raises ConnectorError for what may not be sent."""
        check(query, self.allows)
        try:
            return query.sql(dialect=self.dialect, identify=True, comments=False, unsupported_level=ErrorLevel.IGNORE)
        except SqlglotError as error:
            raise ConnectorError(
                "failed", f"The query cannot be written in this source's dialect ({self.dialect}): {error}."
            ) from None

    def _run(self, statement: str, size: int, seconds: float) -> Generator[list[Row]]:
        if self._cancelled.is_set():
            raise cancelled()
        with closing(self.batches(statement, size, seconds)) as batches:
            for batch in self.told(batches):
                if batch:
                    yield batch

    def told(self, batches: Iterator[T]) -> Generator[T]:
        """The batches, until `cancel` is called: whatever the driver makes of it, that is then the reason."""
        failure: ConnectorError | None = None
        try:
            for batch in batches:
                if self._cancelled.is_set():
                    raise cancelled()
                yield batch
        except ConnectorError as error:
            failure = cancelled() if self._cancelled.is_set() else error
        if failure is not None:
            raise failure

    def _first(self, query: exp.Query, rows: int) -> list[Row]:
        with closing(self._run(self.written(query), _AT_ONCE, self.limits.source_statement_timeout)) as batches:
            return list(islice((row for batch in batches for row in batch), rows))


def cancelled() -> ConnectorError:
    """The reading was stopped on purpose."""
    return ConnectorError("cancelled", "The reading of the source was cancelled.")


def unfit_value() -> ConnectorError:
    """A query that a value breaks; the store's own words would quote the value."""
    return ConnectorError(
        "failed",
        "A value of the data does not fit what the query, or a view that it reads, makes of it, such as a division by "
        "zero. Correct the value, the query or the view.",
    )


def spread(rows: Sequence[Row], most: int) -> list[Row]:
    """At most `most` of the rows, evenly spread, in their order."""
    if len(rows) <= most:
        return list(rows)
    return [rows[at * len(rows) // most] for at in range(most)]


def by_clause(query: exp.Select, share: float, method: str | None, *, seeded: bool = True) -> exp.Select:
    """The query with a TABLESAMPLE clause on its only table."""
    table = query.find(exp.Table)
    assert table is not None
    table.set(
        "sample",
        exp.TableSample(
            method=exp.var(method) if method else None,
            percent=exp.Literal.number(f"{min(100.0, share * 100):.8f}"),
            seed=exp.Literal.number(SAMPLE_SEED) if seeded else None,
        ),
    )
    return query


def by_chance(query: exp.Select, share: float, chance: exp.Expr) -> exp.Select:
    """The query with a condition that each row meets by chance: a whole scan, of which little is sent."""
    return query.where(exp.LT(this=chance, expression=exp.Literal.number(f"{share:.10f}")))


def plain(rows: Sequence[Row]) -> list[Row]:
    """The rows with nested values as JSON text, so that every value can be compared and counted."""
    return [tuple(_flat(value) if isinstance(value, _NESTED) else value for value in row) for row in rows]


_NESTED: Final = (dict, list, tuple, set)


def _flat(value: Any) -> str:
    return json.dumps(list(value) if isinstance(value, set) else value, default=str, ensure_ascii=False)
