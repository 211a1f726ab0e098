"""The data of a MySQL or MariaDB server, unbuffered: the client holds as many rows as it is asked for."""

from __future__ import annotations

import base64
import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any, Final, Protocol

from sqlglot import exp

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.core.connection import LeveledConnection
from persistence.connectors.core.reading import SAMPLE_SEED, Reading, by_chance, not_selected
from schema.data_readiness.source import KnownColumn, KnownStatistics, Row

SYSTEM: Final = ("information_schema", "performance_schema", "mysql", "sys")

_ROWS = (
    "select table_rows from information_schema.tables where table_schema = %(schema)s and table_name = %(name)s"
    " and table_type = 'BASE TABLE'"
)

# How many values the first column of an index has, of indexes over it alone and of longer ones.
_INDEXED = (
    "select column_name, max(cardinality) from information_schema.statistics"
    " where table_schema = %(schema)s and table_name = %(name)s and seq_in_index = 1 and sub_part is null"
    " and column_name is not null group by column_name"
)

_INNODB = (
    "select n_rows, last_update from mysql.innodb_table_stats where database_name = %(schema)s"
    " and table_name = %(name)s"
)

# What MariaDB's ANALYZE ... PERSISTENT FOR ALL keeps.
_MARIADB = (
    "select column_name, min_value, max_value, nulls_ratio, avg_length, avg_frequency from mysql.column_stats"
    " where db_name = %(schema)s and table_name = %(name)s"
)

# What MySQL's ANALYZE TABLE ... UPDATE HISTOGRAM keeps; MariaDB has no such table.
_HISTOGRAMS = (
    "select column_name, histogram from information_schema.column_statistics"
    " where schema_name = %(schema)s and table_name = %(name)s"
)

_COLUMNS = (
    "select column_name from information_schema.columns where table_schema = %(schema)s and table_name = %(name)s"
    " order by ordinal_position"
)


class MysqlConnection(LeveledConnection, Protocol):
    """A connection to MySQL or MariaDB."""

    def limits(self, server: str, seconds: float) -> tuple[str, ...]:
        """Statements that limit how long those after them may take."""
        ...


class MysqlReading(Reading):
    """Queries over one read-only connection."""

    dialect = "mysql"

    def __init__(self, connector: MysqlConnection) -> None:
        super().__init__(connector.settings)
        self.connector = connector
        self._readied: Any = None

    def relation(self, database: str, schema: str, table: str) -> exp.Table:
        """`schema.table`, where the schema is what MySQL calls a database."""
        if not self._selected(database, schema, table):
            raise not_selected(f"{database}.{schema}.{table}")
        return exp.table_(table, db=schema, quoted=True)

    def allows(self, table: exp.Table) -> bool:
        """Return whether the table is selected."""
        return bool(table.db) and not table.catalog and self._selected(self.connector.level, table.db, table.name)

    def _selected(self, database: str, schema: str, table: str) -> bool:
        connector = self.connector
        ours = database == connector.level and schema.lower() not in SYSTEM
        return ours and connector.selection.has_table(database, schema, table)

    def interrupt(self) -> None:
        """Have the server kill the statement."""
        self.connector.interrupt()

    def batches(self, statement: str, size: int, seconds: float) -> Generator[list[Row]]:
        """The rows as the server sends them."""
        yield from self.connector.guarded_rows(self._chunks(statement, size, seconds))

    def _chunks(self, statement: str, size: int, seconds: float) -> Iterator[list[Row]]:
        connection = self._connection()
        streaming = self.connector.driver("pymysql.cursors", "pymysql").SSCursor
        with connection.cursor() as cursor:
            cursor.execute(self.connector.limits(connection.get_server_info(), seconds)[0])
        cursor = streaming(connection)
        ended = False
        try:
            cursor.execute(statement)
            while rows := cursor.fetchmany(size):
                yield list(rows)
            ended = True
        finally:
            if ended:
                cursor.close()
            else:
                _abandon(connection, cursor)

    def _connection(self) -> Any:
        connection = self.connector.connected()
        if connection is not self._readied:
            with connection.cursor() as cursor:
                # Texts are written with backslashes doubled, moments read in one zone, and a slow reader waited for.
                cursor.execute("set session sql_mode = '', time_zone = '+00:00'")
                cursor.execute(f"set session net_write_timeout = {max(60, int(self.limits.source_stream_timeout))}")
            self._readied = connection
        return connection

    def estimate(self, relation: exp.Table) -> int | None:
        """Return what the storage engine estimates, for tables that are not views."""
        found = self._known(_ROWS, {"schema": relation.db, "name": relation.name})
        return int(found[0][0]) if found and found[0][0] is not None else None

    def sampled(self, query: exp.Select, relation: exp.Table, share: float) -> exp.Select | None:
        """Every row by chance: MySQL has no clause for it. The same chance each time, as it starts at the same seed."""
        return by_chance(query, share, exp.Rand(this=exp.Literal.number(SAMPLE_SEED)))

    def statistics(self, database: str, schema: str, table: str) -> KnownStatistics | None:
        """The estimate of rows, the cardinality of indexes, and what MariaDB's own statistics hold."""
        relation = self.relation(database, schema, table)
        these = {"schema": relation.db, "name": relation.name}
        rows = self.estimate(relation)
        if rows is None:
            return None
        analysed_at = None
        for counted, moment in self._if_permitted(_INNODB, these):
            rows, analysed_at = int(counted), moment.replace(tzinfo=UTC) if moment is not None else None
        distinct = {name: number for name, number in self._known(_INDEXED, these) if number is not None}
        kept = {found[0]: found[1:] for found in self._if_permitted(_MARIADB, these)}
        histograms = {name: text for name, text in self._if_permitted(_HISTOGRAMS, these)}
        columns = [
            with_histogram(_column(name, rows, distinct.get(name), kept.get(name)), histograms.get(name))
            for (name,) in self._known(_COLUMNS, these)
            if name in distinct or name in kept or name in histograms
        ]
        return KnownStatistics(rows, tuple(columns), analysed_at)

    def _if_permitted(self, statement: str, values: Mapping[str, str]) -> list[Row]:
        """Rows of the server's own database, which few users may read and not every product has."""
        try:
            return self._known(statement, values)
        except ConnectorError as error:
            if error.kind not in {"permission", "failed"}:
                raise
            return []

    def _known(self, statement: str, values: Mapping[str, str]) -> list[Row]:
        connection = self._connection()

        def ask() -> list[Row]:
            with connection.cursor() as cursor:
                cursor.execute(statement, values)
                return list(cursor.fetchall())

        return self.connector.guarded(ask)


def _column(name: str, rows: int, distinct: int | None, kept: Row | None) -> KnownColumn:
    if kept is None:
        return KnownColumn(name, distinct_count=int(distinct) if distinct is not None else None)
    minimum, maximum, nulls, width, frequency = kept
    share = float(nulls) if nulls is not None else None
    counted = int(distinct) if distinct is not None else None
    if frequency and share is not None:
        counted = round(rows * (1 - share) / float(frequency))
    return KnownColumn(
        name,
        null_fraction=share,
        distinct_count=counted,
        minimum=_text(minimum),
        maximum=_text(maximum),
        average_width=float(width) if width is not None else None,
    )


def with_histogram(column: KnownColumn, text: str | None) -> KnownColumn:
    """A column with what one of MySQL's histograms says of it.

    https://dev.mysql.com/doc/refman/8.4/en/optimizer-statistics.html
    """
    held = json.loads(text) if text else {}
    buckets = held.get("buckets")
    if not isinstance(buckets, list) or not buckets:
        return column
    nulls = float(held.get("null-values", 0.0))
    if held.get("histogram-type") == "singleton":
        # (value, share of the rows up to and with it)
        shares = [(_decoded(value), share - before) for (value, share), before in _with_last(buckets)]
        common = tuple(sorted(shares, key=lambda one: -one[1]))
        return replace(column, null_fraction=nulls, common_values=common, distinct_count=len(common))
    # (least, greatest, share up to and with it, number of values)
    bounds = (_decoded(buckets[0][0]), *(_decoded(bucket[1]) for bucket in buckets))
    distinct = sum(int(bucket[3]) for bucket in buckets)
    return replace(column, null_fraction=nulls, histogram_bounds=bounds, distinct_count=distinct)


def _with_last(buckets: Sequence[Any]) -> Iterator[tuple[Any, float]]:
    return zip(buckets, [0.0, *(float(bucket[1]) for bucket in buckets)], strict=False)


def _decoded(value: Any) -> str:
    """A bucket's value as text; MySQL packs texts as `base64:type254:...`."""
    if isinstance(value, str) and value.startswith("base64:"):
        return base64.b64decode(value.rpartition(":")[2]).decode(errors="replace")
    return str(value)


def _text(value: Any) -> str | None:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _abandon(connection: Any, cursor: Any) -> None:
    """Give up an answer that was not read to its end. The driver would read the rest of it, however long it is."""
    result = cursor._result
    if result is not None and result.unbuffered_active:
        result.unbuffered_active = False
        result.connection = None
        cursor._result = None
        connection._result = None
        connection.close()
    cursor.connection = None
