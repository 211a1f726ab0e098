"""A private DuckDB: where the data of files and documents becomes tables for queries.

It lives in a temporary folder, can reach no network, no extension and no file outside of the folders it is given, and
is gone with its folder at the end. DuckDB's words about broken data may quote that data, so they are not passed on.
"""

from __future__ import annotations

import os
import tempfile
import threading
from abc import abstractmethod
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar, Final

from sqlglot import exp

from persistence.connectors.core.base import ConnectorError, ConnectorSettings
from persistence.connectors.core.reading import SAMPLE_SEED, Reading, cancelled, plain, unfit_value
from schema.data_readiness.source import Row, Sample

_CONFIG: Final = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
}
_ZONED: Final = "TIMESTAMP WITH TIME ZONE"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_QUOTING: Final = ("ConversionException", "InvalidInputException", "OutOfRangeException", "ConstraintException")


class DuckReading(Reading):
    """Tables of a store, brought into DuckDB when they are first named."""

    keeps_order: ClassVar[bool] = True
    """Whether rows come as they were written down."""
    dialect = "duckdb"

    def __init__(self, limits: ConnectorSettings, *folders: str) -> None:
        """`folders` may be read, beside the temporary one."""
        super().__init__(limits)
        import duckdb

        self._duckdb = duckdb
        self._running: set[Any] = set()
        self._names: dict[tuple[str, str, str], str] = {}
        self._has_zones = False
        try:
            self._temporary = tempfile.TemporaryDirectory(
                prefix="stoa-data-", dir=limits.source_scratch or None, ignore_cleanup_errors=True
            )
        except OSError as error:
            raise ConnectorError(
                "failed",
                f"The folder for copies cannot be used ({os.strerror(error.errno or 0)}). Correct STOA_SOURCE_SCRATCH.",
            ) from None
        self.folder = Path(self._temporary.name).resolve()
        self._session = duckdb.connect(
            str(self.folder / "tables.duckdb"),
            config={**_CONFIG, "threads": limits.source_threads, "memory_limit": limits.source_memory},
        )
        allowed = ", ".join(literal(str(folder).rstrip("/") + "/") for folder in (self.folder, *folders))
        for statement in (
            "set global timezone = 'UTC'",  # a day is a day of UTC, wherever this process stands
            f"set temp_directory = {literal(str(self.folder / 'spill'))}",
            f"set allowed_directories = [{allowed}]",
            "set enable_external_access = false",
            "set enable_progress_bar = false",  # it would write into the log
            "set lock_configuration = true",
        ):
            self._session.execute(statement)

    @abstractmethod
    def load(self, database: str, schema: str, table: str, name: str) -> None:
        """Make a table of the store a table or view of this name. Raises ConnectorError, also when it is not there."""

    def relation(self, database: str, schema: str, table: str) -> exp.Table:
        """The table in DuckDB; the first call brings it there."""
        key = (database, schema, table)
        if key not in self._names:
            if self._cancelled.is_set():
                raise cancelled()
            name = f"t{len(self._names) + 1}"
            try:
                self.load(database, schema, table, name)
            except ConnectorError:
                if self._cancelled.is_set():
                    raise cancelled() from None
                raise
            with self.session(self.limits.source_statement_timeout) as session:
                columns = session.execute(f"describe main.{name}").fetchall()
            self._has_zones = self._has_zones or any(_ZONED in str(column[1]) for column in columns)
            self._names[key] = name
        return exp.table_(self._names[key], db="main", quoted=True)

    def allows(self, table: exp.Table) -> bool:
        """Return whether `relation` gave it out."""
        return table.name in self._names.values() and table.db in ("", "main") and not table.catalog

    def batches(self, statement: str, size: int, seconds: float) -> Generator[list[Row]]:
        """The rows as DuckDB produces them."""
        with self.session(seconds) as session:
            kinds: list[str] = []
            if self._has_zones:
                kinds = [str(row[1]) for row in session.execute(f"describe {statement}").fetchall()]
            zoned = any(_ZONED in kind for kind in kinds)
            session.execute(_without_zones(statement, kinds) if zoned else statement)
            while rows := session.fetchmany(size):
                yield [_with_zones(row, kinds) for row in rows] if zoned else rows

    def sample(self, relation: exp.Table, columns: Sequence[str], rows: int) -> Sample:
        """All rows in their order, where there are no more; else a reservoir, every row as likely as any other."""
        chosen: list[exp.Expr] = [exp.column(name, quoted=True) for name in columns] or [exp.Literal.number(1)]
        query = exp.select(*chosen)
        found = self._first(query.from_(relation.copy()).limit(rows + 1), rows + 1)
        if len(found) <= rows:
            whole = self.holds_all(relation)
            return Sample(tuple(columns), tuple(plain(found)), is_whole=whole, in_order=whole and self.keeps_order)
        part = relation.copy()
        part.set(
            "sample",
            exp.TableSample(
                method=exp.var("RESERVOIR"),
                size=exp.Literal.number(rows),
                seed=exp.Literal.number(SAMPLE_SEED),
            ),
        )
        return Sample(tuple(columns), tuple(plain(self._first(query.from_(part), rows))), is_whole=False)

    def holds_all(self, relation: exp.Table) -> bool:
        """Return whether DuckDB holds the whole of a table."""
        return True

    def interrupt(self) -> None:
        """Stop what is running."""
        for session in tuple(self._running):
            session.interrupt()
        self.cut_off()

    def cut_off(self) -> None:
        """End what DuckDB is taking in and does not stop by itself, from another thread."""

    def close(self) -> None:
        """Close the session and remove the folder."""
        self._session.close()
        self._temporary.cleanup()

    @contextmanager
    def session(self, seconds: float) -> Iterator[Any]:
        """A cursor of the session, for a bounded time; what goes wrong becomes a ConnectorError."""
        late = threading.Event()
        session = self._session.cursor()

        def stop() -> None:
            late.set()
            session.interrupt()
            self.cut_off()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        self._running.add(session)
        failure: ConnectorError
        try:
            if self._cancelled.is_set():
                raise cancelled()
            yield session
            if not late.is_set():
                return
            failure = self.failure(TimeoutError(), seconds)
        except self._duckdb.Error as error:
            failure = self.failure(error, seconds if late.is_set() else None)
        except ConnectorError:
            raise
        except Exception as error:
            if not late.is_set():
                raise
            failure = self.failure(error, seconds)  # what was cut off is not what is wrong
        finally:
            timer.cancel()
            self._running.discard(session)
            with suppress(self._duckdb.Error):
                session.close()
        # Outside the handler: DuckDB's own words must not hang on as context.
        raise failure

    def failure(self, error: Exception, seconds: float | None) -> ConnectorError:
        """Return what one of DuckDB's exceptions means; `seconds` is the limit that has passed."""
        if seconds is not None:
            return ConnectorError("timeout", f"Reading the data took longer than {seconds:g} seconds.")
        if self._cancelled.is_set():
            return cancelled()
        name = type(error).__name__
        if name == "OutOfMemoryException" or "memory" in str(error).lower():
            return ConnectorError(
                "failed",
                f"The query needs more than {self.limits.source_memory} of memory. Ask for less at once, or raise "
                "STOA_SOURCE_MEMORY.",
            )
        if name in _QUOTING:
            return unfit_value()
        words = str(error).split("\n", 1)[0]
        return ConnectorError("failed", f"The data could not be queried: {words[:300].rstrip('.')}.")


def _without_zones(statement: str, kinds: Sequence[str]) -> str:
    """The statement with moments as numbers; the driver makes values of Python of them only with another package."""
    names = [f"c{at}" for at in range(len(kinds))]
    chosen = (
        f"epoch_us({name})" if kind == _ZONED else f"to_json({name})::varchar" if _ZONED in kind else name
        for name, kind in zip(names, kinds, strict=True)
    )
    return f"select {', '.join(chosen)} from ({statement}) as q({', '.join(names)})"  # noqa: S608 - guarded already


def _with_zones(row: Row, kinds: Sequence[str]) -> Row:
    return tuple(
        value if kind != _ZONED or value is None else _moment(value) for value, kind in zip(row, kinds, strict=True)
    )


def _moment(microseconds: int) -> datetime | str:
    try:
        return _EPOCH + timedelta(microseconds=microseconds)
    except OverflowError:
        return str(microseconds)


def literal(text: str) -> str:
    """A text as a SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A name in quotes."""
    return '"' + name.replace('"', '""') + '"'
