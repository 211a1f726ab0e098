"""Tables of real stores, profiled in every tier, beside what Python works out of the rows themselves."""

import inspect
import random
import statistics
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import duckdb
import psycopg
import pymysql
import pytest
from sqlglot import exp

from persistence.connectors.core.base import Connector
from persistence.connectors.core.folders import Folder, Folders
from persistence.samples.postgres import database_name
from resolvers.engines.profiling import NoStatistics, profile_table, streaming
from resolvers.engines.profiling.key_names import can_be_key
from resolvers.engines.profiling.references import ProfiledTable, foreign_keys
from schema.data_readiness.profile import ColumnProfile, ProfileTier, TableProfile
from schema.data_readiness.source import Source, TableFacts
from tests.persistence.connectors.sql_support import opened
from tests.support.mariadb import MariadbServer, mariadb_server
from tests.support.postgres import PostgresServer
from tests.support.profiles import HEADER, facts_from

__all__ = ["mariadb_server"]

ROWS = 2_000
COLUMNS = "id, amount, ratio, state, note, day, seen"
TYPES = (
    "id bigint, amount numeric(10, 2), ratio double precision, state varchar(10), note text, day date, seen timestamp"
)
Row = tuple[Any, ...]


def made() -> list[Row]:
    """Rows of every usual kind, the same each time."""
    chance = random.Random(7)
    start = datetime.fromisoformat("2024-01-01T00:00:00")
    return [
        (
            number,
            None if number % 50 == 0 else round(chance.uniform(-100, 900), 2),
            chance.gauss(10, 3),
            chance.choices(["new", "paid", "sent", "back"], [6, 3, 2, 1])[0],
            [None, "", "  ", f"Note {number}", "Ünï"][number % 5],
            date(2024, 1, 1) + timedelta(days=number % 300),
            start + timedelta(seconds=number * 61),
        )
        for number in range(1, ROWS + 1)
    ]


DATA = made()
VALUES = dict(zip(COLUMNS.split(", "), zip(*DATA, strict=True), strict=True))
SQL = ", ".join(["%s"] * 7)


@contextmanager
def of_postgres(server: PostgresServer) -> Iterator[tuple[Source, TableFacts]]:
    url = server.create_database()
    with psycopg.connect(url, autocommit=True) as session:
        session.execute(f"create table facts ({TYPES})".encode())
        with session.cursor() as cursor:
            cursor.executemany(f"insert into facts values ({SQL})".encode(), DATA)
        session.execute("analyze")
    name = database_name(url)
    config = {"host": server.host, "port": server.port, "database": name}
    with opened("postgres", config, {"username": server.user, "password": server.password}) as connector:
        yield from _opened(connector, name, "public")
    server.drop_database(url)


@contextmanager
def of_mariadb(server: MariadbServer) -> Iterator[tuple[Source, TableFacts]]:
    name = server.create_database()
    with (
        pymysql.connect(
            host=server.host,
            port=server.port,
            user=server.user,
            password=server.password,
            database=name,
            autocommit=True,
        ) as session,
        session.cursor() as cursor,
    ):
        cursor.execute(f"create table facts ({TYPES.replace('timestamp', 'datetime')}) character set utf8mb4")
        cursor.executemany(f"insert into facts values ({SQL})", DATA)
        cursor.execute("analyze table facts persistent for all")
    config = {"host": server.host, "port": server.port, "database": name}
    with opened("mysql", config, {"username": server.user, "password": server.password}) as connector:
        yield from _opened(connector, name, name)
    server.drop_database(name)


@contextmanager
def of_files(folder: Path, suffix: str) -> Iterator[tuple[Source, TableFacts]]:
    with duckdb.connect() as session:
        session.execute(f"create table facts ({TYPES})")
        session.executemany("insert into facts values (?, ?, ?, ?, ?, ?, ?)", DATA)
        session.execute(f"copy facts to '{folder}/facts.{suffix}'")
    folders = Folders((Folder(str(folder)),))
    with opened("nfs", {"path": str(folder), "protocol": "nfs"}, {}, folders=folders) as connector:
        [schema] = [one for one in connector.schemas() if "facts" in one.tables]
        yield from _opened(connector, schema.database, schema.name)


def _opened(connector: Connector, database: str, schema: str) -> Iterator[tuple[Source, TableFacts]]:
    facts = facts_from(connector, database, schema, "facts")["facts"]
    with connector.source() as source:
        yield source, facts


@pytest.fixture(scope="module", params=["postgres", "mysql", "parquet", "csv"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Source, TableFacts, str]]:
    """The same rows in every kind of store."""
    kind = request.param
    if kind == "postgres":
        stored = of_postgres(request.getfixturevalue("postgres_server"))
    elif kind == "mysql":
        stored = of_mariadb(request.getfixturevalue("mariadb_server"))
    else:
        stored = of_files(tmp_path_factory.mktemp(kind), kind)
    with stored as (source, facts):
        yield source, facts, kind


Place = tuple[Source, TableFacts, str]


def by_name(profile: TableProfile) -> dict[str, ColumnProfile]:
    return {column.name: column for column in profile.columns}


@pytest.mark.parametrize(
    ("tier", "rows"), [(ProfileTier.SAMPLE, 30_000), (ProfileTier.SAMPLE, 300), (ProfileTier.FULL, 300)]
)
def test_the_basics_are_exact_in_every_store(place: Place, tier: ProfileTier, rows: int) -> None:
    source, facts, kind = place
    profile = profile_table(source, facts, HEADER, tier=tier, rows=rows)
    assert (profile.row_count, profile.tier, profile.column_count) == (ROWS, tier, 7)
    columns = by_name(profile)
    for name, values in VALUES.items():
        # A CSV has one sign for an empty text and for null.
        there = [value for value in values if value is not None and not (kind == "csv" and value == "")]
        told = columns[name]
        assert told.null_count == ROWS - len(there), name
        assert not {"null_count", "minimum", "maximum", "mean", "max_length"} & set(told.approximate)
        if name in ("amount", "ratio", "id"):
            assert float(told.minimum or "") == pytest.approx(min(there))
            assert float(told.maximum or "") == pytest.approx(max(there))
            assert told.mean == pytest.approx(statistics.fmean(there))
            assert told.stddev == pytest.approx(statistics.stdev(map(float, there)))
        elif name in ("day", "seen"):
            assert (told.minimum, told.maximum) == (min(there).isoformat(), max(there).isoformat())
        else:
            lengths = [len(value) for value in there]
            assert (told.min_length, told.max_length) == (min(lengths), max(lengths))
            assert told.mean_length == pytest.approx(statistics.fmean(lengths))
            assert told.blank_count == sum(1 for value in there if not value.strip())
    assert (profile.freshness_column, profile.newest) == ("seen", DATA[-1][-1].isoformat())
    assert [key.columns for key in profile.candidate_keys if key.uniqueness == 1.0][:1] == [["id"]]


def test_a_whole_sample_tells_everything_exactly(place: Place) -> None:
    source, facts, _ = place
    profile = profile_table(source, facts, HEADER)
    assert (profile.sample_size, profile.approximate) == (None, [])
    columns = by_name(profile)
    assert all(column.approximate == [] for column in profile.columns)
    states = Counter(VALUES["state"])
    assert [(one.value, one.count) for one in columns["state"].top_values] == states.most_common()
    assert columns["id"].distinct_count == ROWS
    assert columns["day"].distinct_count == 300
    ratios = sorted(VALUES["ratio"])
    middle = next(one.value for one in columns["ratio"].quantiles if one.fraction == 0.5)
    assert float(middle) == pytest.approx(ratios[ROWS // 2 - 1])
    assert sum(one.count for one in columns["ratio"].histogram) == ROWS


def test_the_full_tier_counts_few_values_exactly_and_estimates_the_rest(place: Place) -> None:
    source, facts, _ = place
    profile = profile_table(source, facts, HEADER, tier=ProfileTier.FULL, rows=300)
    assert profile.sample_size is not None
    assert 150 < profile.sample_size < 600
    state = by_name(profile)["state"]
    assert {one.value: one.count for one in state.top_values} == Counter(VALUES["state"])
    assert (state.distinct_count, state.approximate) == (4, ["patterns"])
    id = by_name(profile)["id"]
    assert id.distinct_count == pytest.approx(ROWS, rel=0.15)
    assert {"distinct_count", "quantiles", "histogram"} <= set(id.approximate)
    middle = next(one.value for one in id.quantiles if one.fraction == 0.5)
    assert int(float(middle)) == pytest.approx(ROWS / 2, rel=0.3)


def test_rows_that_come_without_arrow_tell_the_same(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    source, facts, kind = place
    if kind in ("postgres", "mysql"):
        monkeypatch.setattr(type(source), "arrow_batches", lambda self, query: None)
    seen: list[tuple[int, int | None]] = []
    profile = profile_table(
        source, facts, HEADER, tier=ProfileTier.FULL, rows=300, progress=lambda done, of: seen.append((done, of))
    )
    columns = by_name(profile)
    assert (columns["seen"].minimum, columns["seen"].maximum) == (
        DATA[0][-1].isoformat(),
        DATA[-1][-1].isoformat(),
    )
    assert columns["amount"].mean == pytest.approx(statistics.fmean(x for x in VALUES["amount"] if x is not None))
    assert seen[0] == (0, ROWS)
    assert seen[-1] == (ROWS, ROWS)


@pytest.mark.parametrize("of", ["arrow_batches", "stream"])
def test_a_pass_that_breaks_off_leaves_no_stream_open(place: Place, of: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, facts, kind = place
    if kind not in ({"postgres"} if of == "arrow_batches" else {"postgres", "mysql"}):
        return  # has none of these
    streams: list[Any] = []
    plain = getattr(type(source), of)

    def kept(self: Source, *asked: Any) -> Any:
        streams.append(plain(self, *asked))
        return streams[-1]

    def stop(done: int, of: int | None) -> None:
        if done:
            raise InterruptedError

    if of == "stream":
        monkeypatch.setattr(type(source), "arrow_batches", lambda self, query: None)
    monkeypatch.setattr(type(source), of, kept)
    with pytest.raises(InterruptedError):
        profile_table(source, facts, HEADER, tier=ProfileTier.FULL, rows=300, progress=stop)
    assert [inspect.getgeneratorstate(one) for one in streams] == [inspect.GEN_CLOSED] * len(streams)
    assert streams


def test_statistics_are_told_where_the_store_keeps_them(place: Place) -> None:
    source, facts, kind = place
    profile = profile_table(source, facts, HEADER, tier=ProfileTier.STATISTICS)
    assert profile.row_count == pytest.approx(ROWS, rel=0.1)
    amount = by_name(profile)["amount"]
    assert amount.mean is None
    if kind != "csv":  # which knows how many rows it has, and nothing more
        assert amount.null_count == pytest.approx(ROWS / 50, abs=5)


def test_a_source_without_statistics_says_what_to_do(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    source, facts, _ = place
    monkeypatch.setattr(type(source), "statistics", lambda self, database, schema, table: None)
    with pytest.raises(NoStatistics, match="Use the tier sample"):
        profile_table(source, facts, HEADER, tier=ProfileTier.STATISTICS)


ODD = """
    create table odd (id int, j jsonb, a int[], b bytea, f float8, n numeric, h numeric, iv interval, ts timestamptz,
        d date, t time, tz timetz, u uuid, ip inet, m money, e text, big float8, mood text[], x xml);
    insert into odd select i, '{}', '{1}', 'x', i, i / 3.0, i, '1 day', '2024-01-01 00:00+00', '2024-01-01', '10:00',
        '10:00+02', gen_random_uuid(), '10.0.0.1', 5, case when i % 2 = 0 then ' ' else repeat('x', 5000) end, 1e308,
        null, null from generate_series(1, 50) i;
    insert into odd values
        (51, null, null, null, 'NaN', 'NaN', 1e400, '-3 mons', 'infinity', '0044-03-15 BC', '24:00', '23:00-12', null,
         '::1', -5, E'\\t\\n', -1e308, null, null),
        (52, null, null, null, 'Infinity', null, null, null, '-infinity', 'infinity', null, null, null, null, null, '',
         null, null, null);
    create table nothing ();
    insert into nothing default values;
    create table empty (a int, b text);
    create view seen as select id, e from odd;
    create table keyed (id int primary key, other int, code text unique);
    insert into keyed select i, i, case when i % 3 > 0 then 'code ' || i end from generate_series(1, 3000) i;
"""


@pytest.fixture(scope="module")
def odd(postgres_server: PostgresServer) -> Iterator[tuple[Source, dict[str, TableFacts]]]:
    """Tables of odd types, of no rows, of no columns, and of very many."""
    url = postgres_server.create_database()
    with psycopg.connect(url, autocommit=True) as session:
        session.execute(ODD.encode())
        wide = ", ".join(f"c{at} {('int', 'text', 'boolean')[at % 3]}" for at in range(1590))
        session.execute(f"create table wide ({wide})".encode())
        session.execute("insert into wide (c0, c1, c2, c1589) values (1, 'a', true, null), (2, ' ', false, true)")
    name = database_name(url)
    config = {"host": postgres_server.host, "port": postgres_server.port, "database": name}
    login = {"username": postgres_server.user, "password": postgres_server.password}
    with opened("postgres", config, login) as connector:
        facts = facts_from(connector, name, "public", "odd", "nothing", "empty", "seen", "wide", "keyed")
        with connector.source() as source:
            yield source, facts
    postgres_server.drop_database(url)


Odd = tuple[Source, dict[str, TableFacts]]


@pytest.mark.parametrize(("tier", "rows"), [(ProfileTier.SAMPLE, 1000), (ProfileTier.FULL, 20)])
def test_odd_values_never_fail_a_profile(odd: Odd, tier: ProfileTier, rows: int) -> None:
    source, facts = odd
    columns = by_name(profile_table(source, facts["odd"], HEADER, tier=tier, rows=rows))
    assert set(columns) == {column.name for column in facts["odd"].columns}
    assert {name for name, column in columns.items() if column.kind == "other"} == {
        "j", "a", "b", "iv", "m", "mood", "x"
    }  # fmt: skip
    assert (columns["j"].null_count, columns["j"].distinct_count, columns["x"].null_count) == (2, None, 52)
    assert (columns["ts"].minimum, columns["ts"].maximum) == ("-infinity", "infinity")
    assert (columns["d"].maximum, columns["t"].maximum) == ("infinity", "24:00:00")
    assert (columns["f"].minimum, columns["f"].maximum) == ("1", "NaN")
    assert (columns["e"].blank_count, columns["e"].max_length) == (27, 5000)
    assert columns["u"].min_length == columns["u"].max_length == 36
    assert columns["big"].maximum == "1e+308"
    assert columns["h"].minimum == "1"


def test_a_column_that_the_source_keeps_unique_has_as_many_distinct_values_as_any(odd: Odd) -> None:
    source, facts = odd
    columns = by_name(profile_table(source, facts["keyed"], HEADER, tier=ProfileTier.FULL, rows=100))
    assert {
        name: (column.distinct_count, "distinct_count" in column.approximate) for name, column in columns.items()
    } == {"id": (3000, False), "other": (columns["other"].distinct_count, True), "code": (2000, False)}


EXTREME = {"large": [1e308, 1.5e308, -1e308, 7.0, 0.5], "small": [1e-300, 2e-300, -3e-300, 1e-300, 0.0]}


@pytest.mark.parametrize(("tier", "rows"), [(ProfileTier.SAMPLE, 1000), (ProfileTier.SAMPLE, 2), (ProfileTier.FULL, 2)])
@pytest.mark.parametrize("kind", ["postgres", "parquet"])
def test_numbers_whose_squares_no_double_holds_have_a_deviation(
    postgres_server: PostgresServer, tmp_path: Path, kind: str, tier: ProfileTier, rows: int
) -> None:
    values = ", ".join(f"({large!r}, {small!r})" for large, small in zip(*EXTREME.values(), strict=True))
    table = f"select * from (values {values}) t (large, small)"
    cast = f"select large::double precision as large, small::double precision as small from ({table}) t"
    if kind == "parquet":
        with duckdb.connect() as session:
            session.execute(f"copy ({cast}) to '{tmp_path}/facts.parquet'")
        folders = Folders((Folder(str(tmp_path)),))
        with opened("nfs", {"path": str(tmp_path), "protocol": "nfs"}, {}, folders=folders) as connector:
            [schema] = connector.schemas()
            profile = next(
                profile_table(source, facts, HEADER, tier=tier, rows=rows)
                for source, facts in _opened(connector, schema.database, schema.name)
            )
    else:
        url = postgres_server.create_database()
        with psycopg.connect(url, autocommit=True) as session:
            session.execute(f"create table facts as {cast}".encode())
        name = database_name(url)
        config = {"host": postgres_server.host, "port": postgres_server.port, "database": name}
        login = {"username": postgres_server.user, "password": postgres_server.password}
        with opened("postgres", config, login) as connector:
            profile = next(
                profile_table(source, facts, HEADER, tier=tier, rows=rows)
                for source, facts in _opened(connector, name, "public")
            )
        postgres_server.drop_database(url)
    for name, numbers in EXTREME.items():
        told = by_name(profile)[name]
        assert told.mean == pytest.approx(statistics.fmean(number / 8 for number in numbers) * 8, rel=1e-9, abs=0)
        assert told.stddev == pytest.approx(statistics.stdev(map(Fraction, numbers)), rel=1e-9, abs=0)
        assert not {"mean", "stddev"} & set(told.approximate)


@pytest.mark.parametrize("tier", [ProfileTier.SAMPLE, ProfileTier.FULL])
def test_tables_of_nothing_have_profiles_too(odd: Odd, tier: ProfileTier) -> None:
    source, facts = odd
    nothing = profile_table(source, facts["nothing"], HEADER, tier=tier)
    assert (nothing.row_count, nothing.columns, nothing.column_count) == (1, [], 0)
    empty = profile_table(source, facts["empty"], HEADER, tier=tier)
    assert [(one.null_count, one.distinct_count, one.top_values) for one in empty.columns] == [(0, 0, []), (0, 0, [])]
    assert empty.approximate == []
    view = profile_table(source, facts["seen"], HEADER, tier=tier)
    assert (view.row_count, by_name(view)["e"].blank_count) == (52, 27)


def test_a_table_that_is_emptied_before_it_is_streamed_has_a_profile(odd: Odd, monkeypatch: pytest.MonkeyPatch) -> None:
    source, facts = odd
    monkeypatch.setattr(streaming, "_counted", lambda *_: (None, 5_000))
    empty = profile_table(source, facts["empty"], HEADER, tier=ProfileTier.FULL)
    assert (empty.row_count, [one.null_count for one in empty.columns]) == (0, [0, 0])


@pytest.mark.parametrize(("tier", "rows"), [(ProfileTier.SAMPLE, 1000), (ProfileTier.FULL, 1)])
def test_a_table_of_1590_columns_is_scanned_in_parts(odd: Odd, tier: ProfileTier, rows: int) -> None:
    source, facts = odd
    profile = profile_table(source, facts["wide"], HEADER, tier=tier, rows=rows)
    columns = by_name(profile)
    assert (len(columns), profile.row_count) == (1590, 2)
    assert (columns["c0"].maximum, columns["c1"].blank_count, columns["c2"].distinct_count) == ("2", 1, 2)
    assert (columns["c1589"].null_count, columns["c1588"].null_count) == (1, 2)


@contextmanager
def profiled(server: PostgresServer, script: str, *tables: str) -> Iterator[tuple[Source, dict[str, ProfiledTable]]]:
    """A database of a script, and its tables with their profiles."""
    url = server.create_database()
    with psycopg.connect(url, autocommit=True) as session:
        session.execute(script.encode())
    name = database_name(url)
    config = {"host": server.host, "port": server.port, "database": name}
    login = {"username": server.user, "password": server.password}
    with opened("postgres", config, login) as connector, connector.source() as source:
        facts = facts_from(connector, name, "public", *tables)
        yield source, {name: ProfiledTable(one, profile_table(source, one, HEADER)) for name, one in facts.items()}
    server.drop_database(url)


REFERENCES = """
    create table customers (id int primary key, code text unique);
    create table orders (number int primary key, customer_id int, customer_code text, quantity int, parent_id int,
        placed_by int references customers (id));
    insert into customers select i, 'CUST-' || i from generate_series(1, 60) i;
    insert into orders select i, case when i % 20 = 0 then 900 + i else 1 + i % 50 end, 'CUST-' || (1 + i % 60),
        1 + i % 9, nullif(i / 2, 0), 1 + i % 3 from generate_series(1, 400) i;
    create view alive as select id, code as customer_code from customers where id < 60;
    create table awarded (customer_code text);
    insert into awarded select customer_code from alive;
    analyze;
"""


def test_references_are_guessed_from_names_and_values_and_counted(postgres_server: PostgresServer) -> None:
    with profiled(postgres_server, REFERENCES, "alive", "awarded", "customers", "orders") as (source, known):
        others = [known["alive"], known["awarded"], known["customers"]]
        # Neither a view, however well it is named, nor a table that misses a value stands before the one that has all.
        found = foreign_keys(source, known["orders"], others)
        assert foreign_keys(source, known["customers"], [known["orders"]]) == []
    told = {(*one.columns, one.target_fqn.rpartition(".")[2], *one.target_columns): one for one in found}
    assert set(told) == {
        ("placed_by", "customers", "id"),
        ("customer_id", "customers", "id"),
        ("customer_code", "customers", "code"),
        ("parent_id", "orders", "number"),
    }
    assert told["placed_by", "customers", "id"].is_declared
    assert told["customer_id", "customers", "id"].match_rate == 380 / 400
    assert told["customer_code", "customers", "code"].match_rate == 1.0
    assert all(one.is_exact for one in found)


STRANGERS = """
    create table labels (id int primary key, word text, address inet);
    insert into labels select i, 'label number ' || i, ('10.0.0.' || i)::inet from generate_series(1, 100) i;
    create table remarks (id int primary key, body text unique, origin inet unique, said_by text);
    insert into remarks select i, 'remark number ' || i, ('10.0.1.' || i)::inet, 'label number ' || (1 + i % 90)
        from generate_series(1, 140) i;
    create unique index on labels (word);
    analyze;
"""


class Overheard:
    """A source that remembers what it was asked."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.asked: list[exp.Query] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def ask(self, query: exp.Query) -> list[Row]:
        """The rows of a query."""
        self.asked.append(query)
        return self._source.ask(query)


def test_texts_that_no_name_ties_are_matched_only_where_a_few_of_them_have_a_target(
    postgres_server: PostgresServer,
) -> None:
    with profiled(postgres_server, STRANGERS, "labels", "remarks") as (source, known):
        heard = Overheard(source)
        [found] = foreign_keys(cast(Source, heard), known["remarks"], [known["labels"]])
        assert (found.columns, found.target_columns, found.match_rate) == (["said_by"], ["word"], 1.0)
        joined = [one for one in heard.asked if one.args.get("joins")]
        assert len(joined) == 1  # `body` is looked up and not matched, and an address is no text


BY_CHANCE = """
    create table depots (depot_id int primary key, city text, short text);
    insert into depots select i, 'Town' || repeat(chr(96 + i), 1 + i % 5) || 'by', 'D' || chr(64 + i) || 'X'
        from generate_series(1, 20) i;
    create table clients (id int primary key, city text, home_town text, depot_short text, depot_city text);
    insert into clients select i, city, city, short, city
        from generate_series(1, 300) i join depots on depot_id = 1 + i % 20;
    analyze;
"""


def test_words_that_are_unique_by_chance_are_no_key_of_a_table_that_has_one(postgres_server: PostgresServer) -> None:
    with profiled(postgres_server, BY_CHANCE, "depots", "clients") as (source, known):
        found = foreign_keys(source, known["clients"], [known["depots"]])
    assert {one.columns[0]: one.target_columns[0] for one in found} == {"depot_short": "short", "depot_city": "city"}


NAMED_AFTER = """
    create table parents (pid int primary key, label text);
    insert into parents select i, 'label ' || i from generate_series(1, 100) i;
    create table kids (kid_id int, parent_pid int, transparent_pid int);
    insert into kids select i, case when i % 50 = 0 then 5000 + i else 1 + i % 90 end, 1 + i % 90
        from generate_series(1, 400) i;
    analyze;
"""


def test_a_column_called_as_a_table_and_its_key_refers_to_it(postgres_server: PostgresServer) -> None:
    with profiled(postgres_server, NAMED_AFTER, "kids", "parents") as (source, known):
        [found] = foreign_keys(source, known["kids"], [known["parents"]])
    assert (found.columns, found.target_columns, found.match_rate) == (["parent_pid"], ["pid"], 0.98)


TWICE = """
    create table calls (call_no int, topic text);
    insert into calls select 7000 + i, 'topic ' || i % 7 from generate_series(1, 400) i;
    insert into calls select 7000 + i, 'topic ' || i % 7 from generate_series(1, 2) i;
    create table notes (id int primary key, call_no int, price text, closed date);
    insert into notes select i, 7001 + i * 7 % 400, round(10 + i * 37 % 300 / 100.0, 2),
        case when i % 4 = 0 then date '2024-01-01' + i end from generate_series(1, 300) i;
    analyze;
"""


def test_a_key_of_which_a_few_rows_are_there_twice_is_referred_to(postgres_server: PostgresServer) -> None:
    with profiled(postgres_server, TWICE, "calls", "notes") as (source, known):
        [found] = foreign_keys(source, known["notes"], [known["calls"]])
        assert (found.columns, found.target_columns, found.match_rate) == (["call_no"], ["call_no"], 1.0)
        notes = known["notes"].profile
    assert notes is not None
    assert notes.freshness_column is None  # three of four are not closed
    assert not can_be_key(next(one for one in notes.columns if one.name == "price"))


FORMS = """
    create table boats (boat text primary key);
    insert into boats select 'boat-' || 1000 + i from generate_series(1, 90) i;
    create table cabins (cabin text primary key);
    insert into cabins select i || '/C/' || i from generate_series(100, 190) i;
    create table decks (deck text primary key);
    insert into decks select 'd.' || 100 + i || '.x' from generate_series(1, 90) i;
    create table wardens (badge text primary key);
    insert into wardens select 'W' || 100 + i from generate_series(1, 90) i;
    create table rounds (id int primary key, walked_by text);
    insert into rounds select i, 'W' || 101 + i % 60 from generate_series(1, 300) i;
    analyze;
"""


def test_of_keys_that_no_name_ties_those_of_the_same_form_are_asked_first(postgres_server: PostgresServer) -> None:
    names = ("boats", "cabins", "decks", "wardens")
    with profiled(postgres_server, FORMS, "rounds", *names) as (source, known):
        [found] = foreign_keys(source, known["rounds"], [known[name] for name in names])
    assert (found.columns, found.target_columns, found.match_rate) == (["walked_by"], ["badge"], 1.0)


COMPOSED = """
    create table lines (order_no int, line_no int, quantity int, primary key (order_no, line_no));
    insert into lines select i, j, i * j from generate_series(1, 40) i, generate_series(1, 4) j;
    create table returns (id int primary key, order_no int, line_no int, reason text);
    insert into returns select i, 1 + i % 40, 1 + i % 4, 'r' from generate_series(1, 200) i;
    create table claims (id int primary key, order_no int, line_no int);
    insert into claims select i, 1 + i % 40, 1 + (i * i) % 9 from generate_series(1, 200) i;
    create table parcels (order_no int, line_no int, primary key (order_no, line_no),
        foreign key (order_no, line_no) references lines);
    insert into parcels select order_no, line_no from lines;
    analyze;
"""


def test_references_of_two_columns_are_one_and_guessed_where_pairs_match(postgres_server: PostgresServer) -> None:
    with profiled(postgres_server, COMPOSED, "claims", "lines", "parcels", "returns") as (source, known):
        found = {
            table: [
                (one.columns, one.target_fqn.rpartition(".")[2], one.target_columns, one.match_rate, one.is_declared)
                for one in foreign_keys(source, known[table], [other for of, other in known.items() if of != table])
                if len(one.columns) > 1
            ]
            for table in known
        }
    both = ["order_no", "line_no"]
    # The parcels hold the same pairs, but have borrowed them from the lines.
    assert found["returns"] == [(both, "lines", both, 1.0, False)]
    assert found["parcels"] == [(both, "lines", both, 1.0, True)]
    assert found["claims"] == found["lines"] == []
