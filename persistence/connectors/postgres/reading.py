"""The data of a PostgreSQL database, and of Redshift, which speaks its protocol.

Rows come over the wire in chunks as they are read: the client holds one chunk, whatever the size of the answer. That
is done without a cursor of the server, under which PostgreSQL plans no parallel scan.
"""

from __future__ import annotations

import functools
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any, Final, LiteralString

import psycopg
from psycopg.abc import AdaptContext, Buffer
from psycopg.abc import Loader as LoaderProtocol
from psycopg.adapt import Loader
from psycopg.pq import Format, TransactionStatus
from psycopg.types.string import TextLoader
from sqlglot import exp

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.core.reading import Reading, by_chance, by_clause, not_selected
from persistence.connectors.postgres import statistics as known
from persistence.connectors.postgres.arrow import ArrowStream, driver
from persistence.connectors.postgres.connection import PostgresConnection
from schema.data_readiness.source import KnownStatistics, Row

# As the planner does: how densely the pages lay when they were last looked at, times how many there are now. A table
# that was loaded a moment ago was never looked at; its pages are taken to be as dense as those of most tables.
_SIZE: Final[LiteralString] = """
    select t.relkind, sum(t.pages)::bigint, sum(t.pages * t.density)::bigint from (
        select c.relkind::text, pg_relation_size(leaf.oid) / current_setting('block_size')::bigint as pages,
               case when leaf.reltuples > 0 and leaf.relpages > 0 then leaf.reltuples / leaf.relpages else 40 end
               as density
        from pg_catalog.pg_class c
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        join pg_catalog.pg_class leaf on (c.relkind in ('r', 'm') and leaf.oid = c.oid)
             or (c.relkind = 'p' and leaf.oid in (select relid from pg_partition_tree(c.oid) where isleaf))
        where n.nspname = %(schema)s and c.relname = %(name)s and leaf.relkind in ('r', 'm')
    ) t group by 1
"""

_REDSHIFT_SIZE: Final[LiteralString] = """
    select tbl_rows from svv_table_info where "schema" = %(schema)s and "table" = %(name)s
"""

_FEW_PAGES = 200
_MANY_PAGES = 50_000


class PostgresReading(Reading):
    """Queries over one read-only connection, each in a read-only transaction of its own."""

    dialect = "postgres"

    def __init__(self, connector: PostgresConnection) -> None:
        super().__init__(connector.settings)
        self.connector = connector
        self._pages: dict[tuple[str, str], int] = {}
        self._arrow: ArrowStream | None = None
        self._readied: psycopg.Connection[Any] | None = None

    def relation(self, database: str, schema: str, table: str) -> exp.Table:
        """`schema.table`; a connection sees one database."""
        connector = self.connector
        ours = not schema.startswith("pg_") and schema != "information_schema"
        if (
            database != connector.config.database
            or not ours
            or not connector.selection.has_table(database, schema, table)
        ):
            raise not_selected(f"{database}.{schema}.{table}")
        return exp.table_(table, db=schema, quoted=True)

    def allows(self, table: exp.Table) -> bool:
        """Return whether the table is selected, and names no other database."""
        connector = self.connector
        database = connector.config.database
        ours = bool(table.db) and not table.db.startswith("pg_") and table.db != "information_schema"
        return (
            ours and table.catalog in ("", database) and connector.selection.has_table(database, table.db, table.name)
        )

    def interrupt(self) -> None:
        """Ask the server to stop."""
        arrow = self._arrow
        if arrow is not None:
            arrow.interrupt()
        self.connector.interrupt()

    def statistics(self, database: str, schema: str, table: str) -> KnownStatistics | None:
        """Return what ANALYZE found."""
        relation = self.relation(database, schema, table)
        return known.statistics(self._known(known.TABLE, relation), self._known(known.COLUMNS, relation))

    def arrow_batches(self, query: exp.Query) -> Generator[Any] | None:
        """The answer by a binary COPY, where what decodes it is installed."""
        module = driver()
        return None if module is None else self._arrows(module, self.written(query))

    def _arrows(self, module: Any, statement: str) -> Generator[Any]:
        connector = self.connector
        # A task at a connection has one session there: it connects anew when it next asks.
        if self._readied is not None and self._readied.info.transaction_status == TransactionStatus.IDLE:
            connector.close()
        stream = self._arrow = ArrowStream(connector, self.limits.source_stream_timeout)
        try:
            with closing(connector.guarded_rows(stream.batches(module, statement))) as batches:
                yield from self.told(batches)
        finally:
            self._arrow = None

    def batches(self, statement: str, size: int, seconds: float) -> Generator[list[Row]]:
        """The rows in chunks."""
        yield from self.connector.guarded_rows(self._chunks(statement, size, seconds))

    def _chunks(self, statement: str, size: int, seconds: float) -> Iterator[list[Row]]:
        connection = self.connection()
        with connection.transaction():
            connection.execute(f"set local statement_timeout to {int(seconds * 1000)}".encode())
            with connection.cursor() as cursor:
                batch: list[Row] = []
                for row in cursor.stream(statement.encode(), size=size):
                    batch.append(row)
                    if len(batch) >= size:
                        yield batch
                        batch = []
                yield batch

    def connection(self) -> psycopg.Connection[Any]:
        """The connection, with values that Python's own types cannot hold left as text."""
        connection = self.connector.connected()
        if connection is not self._readied:
            _keep_odd_values(connection)
            self._readied = connection
        return connection

    def estimate(self, relation: exp.Table) -> int | None:
        """From its pages, for what TABLESAMPLE takes: tables, partitioned ones too, and materialized views."""
        found = self._known(_SIZE, relation)
        if not found:
            return None
        ((_, pages, rows),) = found
        if not rows or not pages:
            return None
        self._pages[relation.db, relation.name] = int(pages)
        return int(rows)

    def sampled(self, query: exp.Select, relation: exp.Table, share: float) -> exp.Select | None:
        """Whole pages of a large table, single rows of a small one, whose rows often lie sorted."""
        pages = self._pages.get((relation.db, relation.name), 0)
        by_pages = pages > _MANY_PAGES or pages * share >= _FEW_PAGES
        if by_pages:
            share = max(share, _FEW_PAGES / 4 / pages)
        return by_clause(query, share, "SYSTEM" if by_pages else "BERNOULLI")

    def _known(self, statement: LiteralString, relation: exp.Table) -> list[Row]:
        connection = self.connection()
        values = {"schema": relation.db, "name": relation.name}

        def ask() -> list[Row]:
            with connection.transaction():
                return connection.execute(statement, values).fetchall()

        return self.connector.guarded(ask)


class RedshiftReading(PostgresReading):
    """Redshift: no TABLESAMPLE, and figures of its own."""

    dialect = "redshift"

    def estimate(self, relation: exp.Table) -> int | None:
        """The rows of `svv_table_info`, where the user may see them."""
        try:
            found = self._known(_REDSHIFT_SIZE, relation)
        except ConnectorError as error:
            if error.kind != "permission":
                raise
            return None
        return int(found[0][0]) if found else None

    def sampled(self, query: exp.Select, relation: exp.Table, share: float) -> exp.Select | None:
        """Every row by chance; Redshift cannot repeat a choice."""
        return by_chance(query, share, exp.Rand())

    def statistics(self, database: str, schema: str, table: str) -> KnownStatistics | None:
        """The number of rows."""
        rows = self.estimate(self.relation(database, schema, table))
        return None if rows is None else KnownStatistics(rows, ())

    def arrow_batches(self, query: exp.Query) -> Generator[Any] | None:
        """Redshift has no COPY to the client."""
        return None


def _keep_odd_values(connection: psycopg.Connection[Any]) -> None:
    """Dates beyond Python's (infinity, years before 1 or after 9999), JSON and addresses are read as their text."""
    adapters = connection.adapters
    for name in ("json", "jsonb", "inet", "cidr"):
        adapters.register_loader(name, TextLoader)
    for name in ("date", "timestamp", "timestamptz", "time", "timetz", "interval"):
        oid = adapters.types[name].oid
        usual = adapters.get_loader(oid, Format.TEXT)
        if usual is not None:
            adapters.register_loader(oid, _lenient(usual))


@functools.cache
def _lenient(usual: type[LoaderProtocol]) -> type[Loader]:
    class Lenient(Loader):
        def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
            super().__init__(oid, context)
            self._load = usual(oid, context).load

        def load(self, data: Buffer) -> Any:
            try:
                return self._load(data)
            except psycopg.DataError:
                return bytes(data).decode()

    return Lenient
