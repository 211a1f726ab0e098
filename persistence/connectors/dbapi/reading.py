"""The data of the kinds whose drivers follow Python's database protocol (PEP 249)."""

from __future__ import annotations

import re
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, ClassVar, Final, Protocol

from sqlglot import exp

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.core.connection import LeveledConnection
from persistence.connectors.core.reading import Reading, by_clause, not_selected
from persistence.connectors.core.sql import statement_timed_out
from persistence.connectors.dbapi.connector import quoted, whole
from schema.data_readiness.source import KnownColumn, KnownStatistics, Row

_SMALL_SHARE: Final = 0.0005


class DbApiConnection(LeveledConnection, Protocol):
    """A connection of a driver that follows PEP 249."""

    def is_own(self, database: str, schema: str, table: str) -> bool:
        """Return whether a table belongs to the product itself."""
        ...

    def opened(self) -> Any:
        """A new connection of the driver."""
        ...

    def rows(self, statement: str, values: Mapping[str, Any] | None = None) -> list[Row]:
        """The answer to a statement on the catalog."""
        ...


class BigqueryConnection(DbApiConnection, Protocol):
    """A client of BigQuery, whose queries are jobs."""

    def started(self, statement: str, seconds: float) -> Any:
        """A job that runs a query on data."""
        ...


class DbApiReading(Reading):
    """Queries over one connection of a driver. A kind says what its product calls things, and how it is stopped."""

    has_catalogs: ClassVar[bool] = True
    """Whether a table's name has three parts: the database level is a part of what the product understands."""

    def __init__(self, connector: DbApiConnection) -> None:
        super().__init__(connector.settings)
        self.connector = connector
        self._cursor: Any = None

    def relation(self, database: str, schema: str, table: str) -> exp.Table:
        """The table by all the parts of its name."""
        if not self._selected(database, schema, table):
            raise not_selected(f"{database}.{schema}.{table}")
        return exp.table_(table, db=schema, catalog=database if self.has_catalogs else None, quoted=True)

    def allows(self, table: exp.Table) -> bool:
        """Return whether the table is selected, by all the parts of its name."""
        if not table.db or bool(table.catalog) != self.has_catalogs or len(table.parts) > 3:
            return False
        return self._selected(table.catalog or self.connector.level, table.db, table.name)

    def _selected(self, database: str, schema: str, table: str) -> bool:
        connector = self.connector
        ours = connector.level in ("", database) and not connector.is_own(database, schema, table)
        return ours and connector.selection.has_table(database, schema, table)

    def batches(self, statement: str, size: int, seconds: float) -> Generator[list[Row]]:
        """The rows as the driver fetches them, for a bounded time."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            self.interrupt()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        failure: ConnectorError | None = None
        try:
            yield from self.connector.guarded_rows(self.fetched(statement, size, seconds))
        except ConnectorError as error:
            failure = statement_timed_out(seconds) if late.is_set() else error
        finally:
            timer.cancel()
        if failure is not None:
            raise failure

    def fetched(self, statement: str, size: int, seconds: float) -> Iterator[list[Row]]:
        """Run a statement and fetch its rows; what the driver raises is passed on."""
        cursor = self._cursor = self.connector.connected().cursor()
        try:
            cursor.arraysize = size
            cursor.execute(statement)
            while rows := cursor.fetchmany(size):
                yield [tuple(row) for row in rows]
        finally:
            self._cursor = None
            cursor.close()

    def interrupt(self) -> None:
        """Stop the running statement, from another thread."""
        cursor = self._cursor
        if cursor is not None:
            with suppress(Exception):  # it has ended by itself
                self.stop(cursor)

    def stop(self, cursor: Any) -> None:
        """Stop what a cursor runs."""
        cursor.cancel()

    def sampled(self, query: exp.Select, relation: exp.Table, share: float) -> exp.Select | None:
        """Whole blocks of the table, the same ones each time."""
        return by_clause(query, share, "SYSTEM")

    def statistics(self, database: str, schema: str, table: str) -> KnownStatistics | None:
        """The number of rows, where the product keeps it."""
        rows = self.estimate(self.relation(database, schema, table))
        return None if rows is None else KnownStatistics(rows, ())

    def _known(self, statement: str, values: dict[str, Any] | None = None) -> list[Row]:
        return self.connector.rows(statement, values)


class OracleReading(DbApiReading):
    """Oracle: each query in a read-only transaction of its own."""

    dialect = "oracle"
    has_catalogs = False

    def fetched(self, statement: str, size: int, seconds: float) -> Iterator[list[Row]]:
        """Large texts come as texts, and numbers with a fraction as decimals."""
        connection = self.connector.connected()
        cursor = self._cursor = connection.cursor()
        try:
            connection.call_timeout = int(seconds * 1000)
            cursor.arraysize = size
            cursor.execute("set transaction read only")
            cursor.outputtypehandler = self._as_plain_values
            cursor.execute(statement)
            while rows := cursor.fetchmany(size):
                yield [tuple(row) for row in rows]
        finally:
            self._cursor = None
            cursor.close()
            with suppress(Exception):  # a session that was cut off has nothing to end
                connection.rollback()

    def _as_plain_values(self, cursor: Any, column: Any) -> Any:
        oracledb = self.connector.driver("oracledb", "oracledb")
        kind = column.type_code
        if kind in (oracledb.DB_TYPE_CLOB, oracledb.DB_TYPE_NCLOB):
            return cursor.var(oracledb.DB_TYPE_LONG, arraysize=cursor.arraysize)
        if kind is oracledb.DB_TYPE_BLOB:
            return cursor.var(oracledb.DB_TYPE_LONG_RAW, arraysize=cursor.arraysize)
        if kind is oracledb.DB_TYPE_NUMBER and column.scale != 0:
            return cursor.var(Decimal, arraysize=cursor.arraysize)
        return None

    def stop(self, cursor: Any) -> None:
        """Break the running call."""
        self.connector.connected().cancel()

    def estimate(self, relation: exp.Table) -> int | None:
        """Return what the optimizer counted last."""
        names = {"schema": relation.db, "name": relation.name}
        found = self._known("select num_rows from all_tables where owner = :schema and table_name = :name", names)
        return whole(found[0][0]) if found else None

    def sampled(self, query: exp.Select, relation: exp.Table, share: float) -> exp.Select | None:
        """Blocks of a very large table, rows of others."""
        return by_clause(query, share, "BLOCK" if share < _SMALL_SHARE else None)

    def statistics(self, database: str, schema: str, table: str) -> KnownStatistics | None:
        """Return what the optimizer knows."""
        relation = self.relation(database, schema, table)
        rows = self.estimate(relation)
        if rows is None:
            return None
        found = self._known(
            "select s.column_name, s.num_nulls, s.num_distinct, s.avg_col_len, s.last_analyzed"
            " from all_tab_col_statistics s join all_tab_columns c"
            " on c.owner = s.owner and c.table_name = s.table_name and c.column_name = s.column_name"
            " where s.owner = :schema and s.table_name = :name order by c.column_id",
            {"schema": relation.db, "name": relation.name},
        )
        columns = [
            KnownColumn(
                str(name),
                null_fraction=float(nulls) / rows if rows and nulls is not None else None,
                distinct_count=whole(distinct),
                average_width=float(width) if width is not None else None,
            )
            for name, nulls, distinct, width, _ in found
        ]
        moments = [row[4].replace(tzinfo=UTC) for row in found if isinstance(row[4], datetime)]
        return KnownStatistics(rows, tuple(columns), max(moments, default=None))


class SnowflakeReading(DbApiReading):
    """Snowflake: a running statement is stopped by its session, over a second connection."""

    dialect = "snowflake"

    def stop(self, cursor: Any) -> None:
        """Cancel what the session runs."""
        session = int(self.connector.connected().session_id)
        other = self.connector.opened()
        try:
            other.cursor().execute(f"select system$cancel_all_queries({session})")
        finally:
            other.close()

    def estimate(self, relation: exp.Table) -> int | None:
        """The number that the database's own information schema has."""
        found = self._known(
            f"select row_count from {quoted(relation.catalog)}.information_schema.tables"  # noqa: S608 - quoted
            " where table_schema = %(schema)s and table_name = %(name)s and table_type = 'BASE TABLE'",
            {"schema": relation.db, "name": relation.name},
        )
        return whole(found[0][0]) if found else None


class DatabricksReading(DbApiReading):
    """Databricks: statistics as ANALYZE TABLE left them."""

    dialect = "databricks"

    def estimate(self, relation: exp.Table) -> int | None:
        """The rows that DESCRIBE tells of a table that was analysed."""
        name = ".".join(quoted(part.name, "`") for part in relation.parts)
        for row in self._known(f"describe extended {name}"):
            if str(row[0]).strip() == "Statistics" and (rows := re.search(r"(\d+) rows", str(row[1]))):
                return int(rows[1])
        return None


class HiveReading(DbApiReading):
    """Hive: statistics as ANALYZE TABLE left them."""

    dialect = "hive"
    has_catalogs = False

    def stop(self, cursor: Any) -> None:
        """Cancel the operation."""
        cursor.cancel_operation()

    def estimate(self, relation: exp.Table) -> int | None:
        """The rows that DESCRIBE tells of a table that was analysed."""
        name = ".".join(quoted(part.name, "`") for part in relation.parts)
        for row in self._known(f"describe formatted {name}"):
            told = [str(value).strip() for value in row if value is not None]
            if "numRows" in told[:-1] and told[told.index("numRows") + 1].isdigit():
                return int(told[told.index("numRows") + 1]) or None  # 0 also stands for never analysed
        return None

    def sampled(self, query: exp.Select, relation: exp.Table, share: float) -> exp.Select | None:
        """Blocks; Hive has no seed."""
        return by_clause(query, share, None, seeded=False)


class BigqueryReading(DbApiReading):
    """BigQuery: jobs, whose rows come by pages."""

    dialect = "bigquery"
    connector: BigqueryConnection

    def fetched(self, statement: str, size: int, seconds: float) -> Iterator[list[Row]]:
        """Start a job, and read the pages of its answer."""
        job = self._cursor = self.connector.started(statement, seconds)
        try:
            for page in job.result(page_size=size, timeout=seconds).pages:
                yield [tuple(row.values()) for row in page]
        finally:
            self._cursor = None

    def estimate(self, relation: exp.Table) -> int | None:
        """The number that the table's own description has; views have none."""
        name = ".".join(part.name for part in relation.parts)
        client, seconds = self.connector.connected(), self.limits.statement_timeout
        table = self.connector.guarded(lambda: client.get_table(name, timeout=seconds))
        return whole(table.num_rows) if table.table_type == "TABLE" else None

    def sampled(self, query: exp.Select, relation: exp.Table, share: float) -> exp.Select | None:
        """Blocks; BigQuery has no seed."""
        return by_clause(query, share, "SYSTEM", seeded=False)
