"""PostgreSQL's binary COPY as Arrow batches: every type, nulls anywhere, odd values, and what no server would send."""

import struct
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
import sqlglot

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.postgres import arrow as postgres_arrow
from persistence.samples.postgres import database_name
from schema.data_readiness.source import EARLIEST_DAY, LATEST_DAY
from tests.persistence.connectors.sql_support import opened
from tests.support.postgres import PostgresServer

numpy = pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")
copying = pytest.importorskip("persistence.connectors.postgres.copy", exc_type=ImportError)

TABLE = """
    create table kinds as select
        i as id, (i - 2000)::smallint as small, i::bigint * 3000000000 as big, i::oid as o, (i / 8.0)::real as r,
        case when i % 3 > 0 then i / 7.0::float8 end as f, i % 2 = 0 as is_even, case when i % 5 > 0 then i % 2 = 0 end as maybe,
        case when i % 4 > 0 then repeat('ä', i % 30) end as words, 'exactly 12 b'::varchar as twelve,
        'thirteen byte'::text as thirteen, ('c' || i % 10)::char(4) as padded, null::text as never, null::int as no_number,
        date '1960-01-01' + i as day, case when i % 7 > 0 then timestamp '1999-12-31 23:59:59.999999' + i * interval '1 s' end as at,
        timestamptz '2024-02-29 12:00:00+02' as zoned, (i / 3.0)::numeric(12, 3) as exact, array[i, null] as list,
        '10.0.0.1'::inet as address
    from generate_series(1, 4000) i
"""  # noqa: E501
AS_TEXT = ("exact", "list", "address")


@pytest.fixture(scope="module")
def reading(postgres_server: PostgresServer) -> Iterator[tuple[Any, str]]:
    """Return what reads a database with the table above, and the database's URL."""
    url = postgres_server.create_database()
    with psycopg.connect(url, autocommit=True) as session:
        session.execute(TABLE.encode())
        session.execute("create sequence counted")
    config = {"host": postgres_server.host, "port": postgres_server.port, "database": database_name(url)}
    login = {"username": postgres_server.user, "password": postgres_server.password}
    with opened("postgres", config, login) as connector, connector.source() as source:
        source.relation(database_name(url), "public", "kinds")
        yield source, url
    postgres_server.drop_database(url)


def asked(source: Any, query: str) -> list[dict[str, Any]]:
    batches = list(source.arrow_batches(sqlglot.parse_one(query, dialect="postgres")))
    for batch in batches:
        batch.validate(full=True)
    return [row for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("size", [1, 20_000, 4 << 20])
def test_every_value_is_what_rows_tell(reading: tuple[Any, str], monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    source, url = reading
    monkeypatch.setattr(postgres_arrow, "_BATCH_BYTES", size)
    found = asked(source, 'select * from "public"."kinds" order by id')
    with psycopg.connect(url, row_factory=psycopg.rows.dict_row) as session:
        session.execute("set timezone to 'UTC'")
        some = ", ".join(f"{name}::text as {name}" for name in AS_TEXT)
        rows = session.execute(f"select k.*, {some} from kinds k order by id".encode()).fetchall()
    assert len(found) == 4000
    assert found == rows


def test_no_rows_and_one_are_answers_too(reading: tuple[Any, str]) -> None:
    source, _ = reading
    assert asked(source, 'select id, words from "public"."kinds" where id < 0') == []
    assert asked(source, 'select id, never from "public"."kinds" where id = 7') == [{"id": 7, "never": None}]


def test_a_session_cannot_write(reading: tuple[Any, str]) -> None:
    source, _ = reading
    stream = postgres_arrow.ArrowStream(source.connector, 60)
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        list(stream.batches(copying, "select nextval('public.counted')"))


def test_a_query_is_stopped_when_its_time_is_over(reading: tuple[Any, str]) -> None:
    source, _ = reading
    stream = postgres_arrow.ArrowStream(source.connector, 0.5)
    with pytest.raises(ConnectorError) as stopped:
        list(stream.batches(copying, 'select a.id from "public"."kinds" a, "public"."kinds" b, "public"."kinds" c'))
    assert stopped.value.kind == "timeout"


@pytest.mark.parametrize("kind", ["timestamp", "timestamptz", "date"])
@pytest.mark.parametrize(
    ("moment", "day"),
    [
        ("infinity", LATEST_DAY),
        ("294276-12-31", LATEST_DAY),
        ("200000-01-01", LATEST_DAY),
        ("199999-12-31", "199999-12-31"),
        ("0044-03-15 BC", "-0043-03-15"),
        ("4713-01-02 BC", "-4712-01-02"),
        ("4713-01-01 BC", EARLIEST_DAY),
        ("-infinity", EARLIEST_DAY),
    ],
)
def test_a_moment_beyond_the_bounds_comes_as_the_nearer_of_them(
    reading: tuple[Any, str], kind: str, moment: str, day: str
) -> None:
    query = f"select case when id = 2 then {kind} '{moment}' when id = 3 then {kind} '2024-02-29' end as moment"
    query += ' from "public"."kinds" where id < 4 order by id'
    [batch] = reading[0].arrow_batches(sqlglot.parse_one(query, dialect="postgres"))
    unit = pyarrow.int32() if kind == "date" else pyarrow.int64()
    per_day = 1 if kind == "date" else 86_400_000_000
    days = [int(numpy.datetime64(one, "D").astype(numpy.int64)) * per_day for one in (day, "2024-02-29")]
    assert batch.column(0).view(unit).to_pylist() == [None, *days]


ROW = struct.pack(">hii", 2, 4, 7) + struct.pack(">i", 3) + b"abc"


def test_a_row_is_read_as_it_is_written() -> None:
    decoder = copying.Decoder(["n", "t"], [23, 25])
    batch = decoder.batch(ROW + ROW + bytes(decoder.beyond), [0, len(ROW)], [len(ROW), 2 * len(ROW)])
    assert batch.to_pylist() == [{"n": 7, "t": "abc"}] * 2


@pytest.mark.parametrize(
    "row",
    [
        ROW[:-1],
        ROW + b"\0",
        ROW[:10] + struct.pack(">i", 2_000_000_000) + b"abc",
        ROW[:10] + struct.pack(">i", -7) + b"abc",
        ROW[:2] + struct.pack(">i", 400) + ROW[6:],
        ROW[:14] + b"\xff\xfe\xfd",
        b"",
    ],
)
def test_what_is_no_row_of_these_columns_is_refused(row: bytes) -> None:
    decoder = copying.Decoder(["n", "t"], [23, 25])
    with pytest.raises(copying.UnreadableCopy):
        decoder.batch(ROW + row + bytes(decoder.beyond), [0, len(ROW)], [len(ROW), len(ROW) + len(row)])


@pytest.mark.parametrize("message", [b"", b"PGCOPY", bytes(19), copying.SIGNATURE + b"\0\1\0\0\0\0\0\0"])
def test_what_begins_otherwise_is_no_copy(message: bytes) -> None:
    with pytest.raises(copying.UnreadableCopy):
        copying.header(memoryview(message))
