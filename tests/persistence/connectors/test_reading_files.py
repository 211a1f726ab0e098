"""The data of files: formats and their oddities as rows, where the bytes go, what is refused, and being cancelled."""

import gzip
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.files.connector import FileTables
from persistence.connectors.files.reading import FileReading
from tests.persistence.connectors.test_files import at, put, put_parquet
from tests.support.sources import opened


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """An allowed folder."""
    folder = tmp_path / "warehouse"
    folder.mkdir()
    return folder


@contextmanager
def reading(tree: Path, **limits: Any) -> Iterator[FileReading]:
    connector = opened("nfs", {"path": str(tree)}, roots=(str(tree.parent),), **limits)
    assert isinstance(connector, FileTables)
    with connector, connector.source() as source:
        yield source


def everything(source: FileReading, table: str, schema: str = "root") -> tuple[list[str], list[Any]]:
    """The names of a table's columns, and its rows in the order of the file."""
    relation = source.relation("warehouse", schema, table)
    with source.session(60) as session:
        names = [row[0] for row in session.execute(f"describe {relation.name}").fetchall()]
    return names, source.ask(exp.select("*").from_(relation))


CASES: dict[str, tuple[str, bytes, list[str], list[Any]]] = {
    "a semicolon between fields": (
        "t.csv",
        b"a;b;c\n1;x;2,5\n2;y;3,5\n",
        ["a", "b", "c"],
        [(1, "x", "2,5"), (2, "y", "3,5")],
    ),
    "a bar between fields": ("t.csv", b"a|b\n1|x\n2|y\n", ["a", "b"], [(1, "x"), (2, "y")]),
    "tabs in a csv": ("t.csv", b"a\tb\n1\tx\n2\ty\n", ["a", "b"], [(1, "x"), (2, "y")]),
    "a tsv with a mark of its encoding": ("t.tsv", b"\xef\xbb\xbfa\tb\n1\tx, y\n", ["a", "b"], [(1, "x, y")]),
    "quotes, escaped quotes and line ends inside": (
        "t.csv",
        b'a,b\n1,"he said ""hi"", ok"\n2,"two\nlines"\n',
        ["a", "b"],
        [(1, 'he said "hi", ok'), (2, "two\nlines")],
    ),
    "line ends of another system": ("t.csv", b"a,b\r\n1,x\r\n2,y\r\n", ["a", "b"], [(1, "x"), (2, "y")]),
    "UTF-16 with its mark": (
        "t.csv",
        "id,name\n1,Jürgen\n2,Zoë\n".encode("utf-16"),
        ["id", "name"],
        [(1, "Jürgen"), (2, "Zoë")],
    ),
    "UTF-16 the other way round": (
        "t.csv",
        b"\xfe\xff" + "id,name\n1,Jürgen\n2,Zoë\n".encode("utf-16-be"),
        ["id", "name"],
        [(1, "Jürgen"), (2, "Zoë")],
    ),
    "Windows-1252": (
        "t.csv",
        "id,name\n1,Jürgen\n2,Zoë €\n".encode("cp1252"),
        ["id", "name"],
        [(1, "Jürgen"), (2, "Zoë €")],
    ),
    "Windows-1252 only far below": (
        "t.csv",
        b"id,name\n" + b"".join(b"%d,a name\n" % i for i in range(120_000)) + "7,Jürgen\n".encode("cp1252"),
        ["id", "name"],
        [(7, "Jürgen")],
    ),
    "lines of unequal length": (
        "t.csv",
        b"a,b,c\n1,2,3\n4,5\n6,7,8\n",
        ["a", "b", "c"],
        [(1, 2, 3), (4, 5, None), (6, 7, 8)],
    ),
    "a number that is a text far below": (
        "t.csv",
        b"id,v\n" + b"".join(b"%d,%d\n" % (i, i) for i in range(120_000)) + b"7,abc\n",
        ["id", "v"],
        [(7, "abc")],
    ),
    "UTF-16 without a mark": (
        "t.csv",
        "id,name\n1,Jürgen\n2,Zoë\n".encode("utf-16-le"),
        ["id", "name"],
        [(1, "Jürgen"), (2, "Zoë")],
    ),
    "UTF-16 without a mark, the other way round": ("t.csv", "id,v\n1,ü\n".encode("utf-16-be"), ["id", "v"], [(1, "ü")]),
    "two bars between fields": ("t.csv", b"a||b\n1||x|y\n", ["a", "b"], [(1, "x|y")]),
    "a tilde between fields": ("t.csv", b"a~b\n1~x\n2~y\n", ["a", "b"], [(1, "x"), (2, "y")]),
    "what Hive puts between fields": ("t.csv", b"a\x01b\n1\x01x, y\n", ["a", "b"], [(1, "x, y")]),
    "a tilde in one name is no delimiter": ("t.csv", b"a~b\nx\ny\n", ["a~b"], [("x",), ("y",)]),
    "remarks above the header": ("t.csv", b"# made by x\nid,name\n1,Ann\n", ["id", "name"], [(1, "Ann")]),
    "a title above the header": ("t.csv", b"Sales\n\nid,name,n\n1,Ann,2\n", ["id", "name", "n"], [(1, "Ann", 2)]),
    "the same name twice": ("t.csv", b"a,a,A\n1,2,3\n", ["a", "a_1", "A_2"], [(1, 2, 3)]),
    "a field whose quotes never end": (
        "t.csv",
        b'id,name\n1,"Ann\n2,Bob\n3,Cy "the" man\n',
        ["id", "name"],
        [(1, '"Ann'), (2, "Bob"), (3, 'Cy "the" man')],
    ),
    "a very long line": ("t.csv", b"id,t\n1," + b"x" * 3_000_000 + b"\n", ["id", "t"], [(1, "x" * 3_000_000)]),
    "moments with their zone": (
        "t.csv",
        b"at\n2024-01-01T10:00:00Z\n2024-01-01T10:00:00+02:00\n",
        ["at"],
        [(datetime(2024, 1, 1, 10, tzinfo=UTC),), (datetime(2024, 1, 1, 8, tzinfo=UTC),)],
    ),
    "a mark of the encoding before an array": ("t.json", b'\xef\xbb\xbf[{"a": 1}]', ["a"], [(1,)]),
    "a last record that is cut off": ("t.ndjson", b'{"a": 1}\n{"a": 2}\n{"a":', ["a"], [(1,), (2,), (None,)]),
    "records without anything between": ("t.json", b'{"a": 1}{"a": 2} {"a": 3}', ["a"], [(1,), (2,), (3,)]),
    "a header alone": ("t.csv", b"a,b\n", ["a", "b"], []),
    "a text packed in two pieces": (
        "t.csv.gz",
        gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n"),
        ["a", "b"],
        [(1, 2), (3, 4)],
    ),
    "a packed text in UTF-16": ("t.csv.gz", gzip.compress("a,b\n1,ü\n".encode("utf-16")), ["a", "b"], [(1, "ü")]),
    "an array of records": (
        "t.json",
        b'[{"a": 1, "b": {"c": 2}},\n {"a": 2, "b": null}]',
        ["a", "b"],
        [(1, {"c": 2}), (2, None)],
    ),
    "one record over several lines": ("t.json", b'{\n  "a": 1,\n  "b": "x"\n}\n', ["a", "b"], [(1, "x")]),
    "records of unequal fields": (
        "t.ndjson",
        b'{"a": 1}\n{"a": 2, "b": "x"}\n\n{"b": "y"}\n',
        ["a", "b"],
        [(1, None), (2, "x"), (None, "y")],
    ),
    "marks between records": ("t.jsonl", b'\x1e{"a": 1}\n\x1e{"a": 2}\n', ["a"], [(1,), (2,)]),
    "packed records": ("t.ndjson.gz", gzip.compress(b'{"a": 1}\n{"a": 2}\n'), ["a"], [(1,), (2,)]),
    "records in UTF-16": ("t.json", '[{"a": "ü"}]'.encode("utf-16"), ["a"], [("ü",)]),
}


@pytest.mark.parametrize("case", list(CASES))
def test_a_text_is_read_as_its_columns_are_listed(tree: Path, case: str) -> None:
    name, content, columns, rows = CASES[case]
    put(tree, name, content)
    with at(tree) as connector:
        (listed,) = connector.tables("warehouse", "root", ["t"])
    with reading(tree) as source:
        names, found = (
            everything(source, "t") if b"a name" not in content and b",9999" not in content else _last(source)
        )
        with source.session(10) as session:
            types = [row[1] for row in session.execute("describe t1").fetchall()]
    assert names == columns == [column.name for column in listed.columns]
    assert found == rows
    if "far below" not in case and "very long" not in case:
        assert types == [column.data_type_display for column in listed.columns]


def _last(source: FileReading) -> tuple[list[str], list[Any]]:
    relation = source.relation("warehouse", "root", "t")
    with source.session(60) as session:
        names = [row[0] for row in session.execute(f"describe {relation.name}").fetchall()]
    assert source.ask(exp.select(exp.func("count", exp.Star())).from_(relation)) == [(120_001,)]
    return names, source.ask(exp.select("*").from_(relation).offset(120_000))


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("t.csv", b"", "The file is empty"),
        ("t.parquet", b"PAR1 and nothing of the kind PAR1", "not a Parquet file, or is damaged"),
        ("t.csv", b"a\x00b\n\x00\n", "holds null bytes"),
        ("t.csv.gz", b"not packed at all", "not a gzip file"),
        ("t.json", b"{this is no JSON", "could not be read as JSON"),
    ],
)
def test_a_broken_file_says_what_is_wrong_and_nothing_of_its_content(
    tree: Path, name: str, content: bytes, reason: str
) -> None:
    put(tree, name, content)
    put(tree, "good.csv", "a\n1\n")
    with reading(tree) as source:
        with pytest.raises(ConnectorError, match=reason) as failed:
            source.relation("warehouse", "root", "t")
        assert failed.value.kind == "failed"
        assert "nothing of the kind" not in failed.value.reason
        assert everything(source, "good") == (["a"], [(1,)])


def test_partitions_are_columns_and_files_of_unlike_columns_go_together(tree: Path) -> None:
    put_parquet(tree, "sales/year=2023/region=a%20b/x.parquet", "select 1 id, 'n' note")
    put_parquet(tree, "sales/year=2024/region=__HIVE_DEFAULT_PARTITION__/y.parquet", "select 2 id, 2.5::double price")
    put_parquet(tree, "sales/year=2024/region=c/z.parquet", "select 3 id, 'm' note")
    with at(tree) as connector:
        (listed,) = connector.tables("warehouse", "root", ["sales"])
    with reading(tree) as source:
        relation = source.relation("warehouse", "root", "sales")
        names = everything(source, "sales")[0]
        rows = source.ask(
            exp.select(*(exp.column(name, quoted=True) for name in ("id", "note", "price", "year", "region")))
            .from_(relation)
            .order_by(exp.column("id", quoted=True))
        )
        some = source.ask(
            exp.select(exp.column("id", quoted=True)).from_(relation).where(exp.column("year", quoted=True).eq(2023))
        )
    assert names == [column.name for column in listed.columns] == ["id", "note", "price", "year", "region"]
    assert rows == [(1, "n", None, 2023, "a b"), (2, None, 2.5, 2024, None), (3, "m", None, 2024, "c")]
    assert some == [(1,)]


def test_dates_as_partition_keys_are_dates_and_a_column_of_the_file_wins_over_a_key(tree: Path) -> None:
    put_parquet(tree, "d/day=2024-02-29/x.parquet", "select 1 id")
    put_parquet(tree, "k/id=7/x.parquet", "select 1 id")
    put(tree, "c/day=2024-02-28/x.csv", "a,b\n1,x\n")
    put(tree, "c/day=2024-02-29/x.csv", "a,b\n2,y\n")
    with reading(tree) as source:
        assert everything(source, "d") == (["id", "day"], [(1, date(2024, 2, 29))])
        assert everything(source, "k") == (["id"], [(1,)])
        names, rows = everything(source, "c")
    assert names == ["a", "b", "day"]
    assert sorted(rows) == [(1, "x", date(2024, 2, 28)), (2, "y", date(2024, 2, 29))]


def test_more_partitions_than_one_view_holds_are_one_table_all_the_same(tree: Path) -> None:
    for at_ in range(450):
        put_parquet(tree, f"many/k={at_}/x.parquet", f"select {at_} id")
    with reading(tree) as source:
        relation = source.relation("warehouse", "root", "many")
        counted = sqlglot.parse_one(
            f'select count(*), count(distinct "k"), count(*) filter (where "k" = "id") from "main"."{relation.name}"',
            dialect="duckdb",
        )
        assert source.ask(counted) == [(450, 450, 450)]


def test_part_files_in_nested_folders_are_one_table_of_their_folder(tree: Path) -> None:
    put_parquet(tree, "a/b/events/part-00000.parquet", "select range id from range(10)")
    put_parquet(tree, "a/b/events/part-00001.parquet", "select range + 10 id from range(10)")
    put(tree, "a/b/other.csv", "x\n1\n")
    with reading(tree) as source:
        names, rows = everything(source, "events", "a/b")
        assert everything(source, "other", "a/b") == (["x"], [(1,)])
    assert names == ["id"]
    assert sorted(rows) == [(number,) for number in range(20)]


def test_odd_names_of_files_and_columns_do_no_harm(tree: Path) -> None:
    put(tree, "it's *odd* [1] {x}.csv", b'the "key",b\'; drop table t\n1,2\n')
    put_parquet(tree, "o'p/k'=x/y=it's/z.parquet", "select 1 id")
    put_parquet(tree, "o'p/k=it's*/z.parquet", "select 1 id")
    with reading(tree) as source:
        assert everything(source, "it's *odd* [1] {x}")[1] == [(1, 2)]
        assert everything(source, "o'p")[1] == [(1, "it's*")]


def test_a_local_file_is_not_copied(tree: Path) -> None:
    put_parquet(tree, "t.parquet", "select range id from range(1000)")
    with reading(tree, source_copy_bytes=1 << 20) as source:
        everything(source, "t")
        assert (
            sorted(entry.name.partition(".")[0] for entry in source.folder.iterdir())
            == ["tables", "tables"][: len(list(source.folder.iterdir()))]
        )
        folder = source.folder
    assert not folder.exists()


def test_a_file_is_read_that_was_there_when_it_was_opened(tree: Path) -> None:
    secret = put_parquet(tree.parent, "secret.parquet", "select 'secret' word")
    put_parquet(tree, "t.parquet", "select 'open' word")
    with reading(tree) as source:
        assert everything(source, "t")[1] == [("open",)]
        (tree / "t.parquet").unlink()
        (tree / "t.parquet").symlink_to(secret)
        # The file is gone from the folder, so what stays open lies outside of what DuckDB may read.
        with pytest.raises(ConnectorError, match="removed or replaced while it was being read"):
            everything(source, "t")


def test_a_folder_for_copies_that_is_not_there_is_named(tree: Path) -> None:
    put(tree, "t.csv", "a\n1\n")
    with (
        pytest.raises(ConnectorError, match="Correct STOA_SOURCE_SCRATCH"),
        reading(tree, source_scratch=str(tree / "gone")),
    ):
        pass


def test_links_out_of_the_folder_are_not_tables(tree: Path) -> None:
    outside = put(tree.parent, "outside.csv", "word\nsecret\n")
    (tree / "t.csv").symlink_to(outside)
    put(tree, "good.csv", "a\n1\n")
    with reading(tree) as source, pytest.raises(ConnectorError, match="not a table that this connection reads"):
        source.relation("warehouse", "root", "t")


@pytest.mark.parametrize(
    "text",
    [
        "select * from read_text('{outside}')",
        "select * from '{outside}'",
        "select * from read_csv('{inside}')",
        "select * from glob('/*')",
        "select * from duckdb_settings()",
        "copy (select 1) to '{inside}.copy'",
        "attach '{outside}' as x",
        "create table x as select 1",
        "select * from nowhere",
        "select * from main.t1, '{inside}'",
    ],
)
def test_nothing_but_the_tables_of_the_connection_can_be_named(tree: Path, text: str) -> None:
    inside = put(tree, "t.csv", "a\n1\n")
    outside = put(tree.parent, "outside.csv", "word\nsecret\n")
    with reading(tree) as source:
        source.relation("warehouse", "root", "t")
        with pytest.raises(ConnectorError):
            source.ask(sqlglot.parse_one(text.format(inside=inside, outside=outside), dialect="duckdb"))
        with pytest.raises(ConnectorError):
            list(source.batches(f"select * from read_text('{outside}')", 10, 5))
        with pytest.raises(ConnectorError):
            list(source.batches("set enable_external_access = true", 10, 5))
        with pytest.raises(ConnectorError):
            list(source.batches("install httpfs", 10, 5))
    assert sorted(entry.name for entry in tree.iterdir()) == ["t.csv"]


def test_a_table_that_is_not_there_is_refused(tree: Path) -> None:
    put(tree, "t.csv", "a\n1\n")
    with reading(tree) as source:
        for names in (("warehouse", "root", "u"), ("warehouse", "other", "t"), ("other", "root", "t")):
            with pytest.raises(ConnectorError, match="not a table that this connection reads") as refused:
                source.relation(*names)
            assert refused.value.kind == "not_found"


def test_a_sample_is_spread_over_the_table_and_the_same_when_repeated(tree: Path) -> None:
    put_parquet(tree, "t.parquet", "select range id, [range] nested, md5(range::varchar) word from range(300000)")
    with reading(tree) as source:
        relation = source.relation("warehouse", "root", "t")
        sample = source.sample(relation, ["id", "nested"], 1000)
    with reading(tree) as source:
        again = source.sample(source.relation("warehouse", "root", "t"), ["id", "nested"], 1000)
        whole = source.sample(source.relation("warehouse", "root", "t"), ["id"], 300_000)
        most = source.sample(source.relation("warehouse", "root", "t"), ["id"], 299_999)
    assert sample == again
    assert not sample.is_whole
    assert len(sample.rows) == 1000
    ids = [row[0] for row in sample.rows]
    assert 130_000 < sum(ids) / 1000 < 170_000
    assert sample.rows[0][1] == f"[{ids[0]}]"
    assert (whole.is_whole, len(whole.rows)) == (True, 300_000)
    assert (most.is_whole, len(most.rows)) == (False, 299_999)


def test_long_answers_are_refused_and_streamed_instead(tree: Path) -> None:
    put_parquet(tree, "t.parquet", "select range id from range(120000)")
    with reading(tree) as source:
        query = exp.select("*").from_(source.relation("warehouse", "root", "t"))
        with pytest.raises(ConnectorError, match="more than 100,000 rows"):
            source.ask(query)
        sizes = [len(batch) for batch in source.stream(query, size=50_000)]
        assert sum(sizes) == 120_000
        assert max(sizes) <= 50_000
        stream = source.stream(query, size=10)
        assert len(next(stream)) == 10
        stream.close()
        assert len(source.ask(query.limit(5))) == 5


def test_lines_that_cannot_be_read_are_counted(tree: Path) -> None:
    good = b"".join(b'%d,"name"\n' % number for number in range(3000))
    put(tree, "t.csv", b"id,name\n" + good + b'7,"never\xc3\xa9 "ends" here,,,,\n' + good)
    with reading(tree) as source:
        names, rows = everything(source, "t")
        known = source.statistics("warehouse", "root", "t")
    assert known is not None
    assert names[:2] == ["id", "name"]
    assert known.row_count == len(rows)
    assert len(rows) + known.unread_rows >= 6000
    assert {row[0] for row in rows} >= set(range(3000))


def test_moments_with_a_zone_are_read_whatever_is_done_with_them(tree: Path) -> None:
    query = "select range id, timestamptz '2024-01-01 00:00:00+00' + interval (range) hour as at from range(3)"
    put_parquet(tree, "t.parquet", query)
    with reading(tree) as source:
        relation = source.relation("warehouse", "root", "t")
        asked = sqlglot.parse_one(
            f'select max("at"), max("at"), list("at" order by "id")[1:1], count(*) from "main"."{relation.name}"',
            dialect="duckdb",
        )
        latest = datetime(2024, 1, 1, 2, tzinfo=UTC)
        assert source.ask(asked) == [(latest, latest, '["2024-01-01 00:00:00+00"]', 3)]
        assert source.sample(relation, ["at"], 10).rows[2] == (latest,)


def test_the_footers_of_parquet_files_are_exact_statistics(tree: Path) -> None:
    query = """
        select range id, case when range % 4 = 0 then null else range * 0.5 end::decimal(9, 1) price,
               date '2024-01-01' + (range % 30)::int as d, [range] tags, 'x' || range as word,
               case when range = 5 then 'nan'::double else range end as odd
        from range(1000)
    """
    put_parquet(tree, "lake/k=1/a.parquet", query)
    put_parquet(tree, "lake/k=2/b.parquet", "select range + 9000 id from range(1000)")
    put(tree, "t.csv", "a\n1\n")
    with reading(tree) as source:
        known = source.statistics("warehouse", "root", "lake")
        text = source.statistics("warehouse", "root", "t")
    assert text is not None
    assert (text.row_count, text.is_exact, text.unread_rows, text.columns) == (1, True, 0, ())
    assert known is not None
    assert known.is_exact
    assert known.row_count == 2000
    found = {column.name: (column.null_fraction, column.minimum, column.maximum) for column in known.columns}
    assert found == {
        "id": (0.0, "0", "9999"),
        "price": (0.625, "0.5", "499.5"),
        "d": (0.5, "2024-01-01", "2024-01-30"),
        "word": (0.5, "x0", "x999"),
        "odd": (0.5, None, None),
    }


def test_a_query_that_takes_too_long_is_stopped(tree: Path) -> None:
    put_parquet(tree, "t.parquet", "select range id from range(300000)")
    with reading(tree, source_statement_timeout=0.3) as source:
        relation = source.relation("warehouse", "root", "t")
        with pytest.raises(ConnectorError, match=r"longer than 0\.3 seconds") as late:
            source.ask(endless(relation))
        assert late.value.kind == "timeout"
        assert source.ask(exp.select(exp.func("count", exp.Star())).from_(relation)) == [(300_000,)]


def endless(relation: exp.Table) -> Any:
    name = f'"main"."{relation.name}"'
    return sqlglot.parse_one(
        f"select count(*) from {name} a, {name} b where hash(a.id + b.id) % 1000003 = 7", dialect="duckdb"
    )


def test_cancelling_from_another_thread_stops_the_query(tree: Path) -> None:
    put_parquet(tree, "t.parquet", "select range id from range(300000)")
    connector = at(tree)
    with connector, connector.source() as source:
        relation = source.relation("warehouse", "root", "t")
        timer = threading.Timer(0.3, connector.cancel)
        timer.start()
        with pytest.raises(ConnectorError) as stopped:
            source.ask(endless(relation))
        assert stopped.value.kind == "cancelled"
        for again in (lambda: source.ask(exp.select("*").from_(relation)), lambda: source.relation("w", "root", "u")):
            with pytest.raises(ConnectorError) as stopped:
                again()
            assert stopped.value.kind == "cancelled"


PEAK = """
import resource, sys
sys.path.insert(0, {path!r})
from sqlglot import exp
from tests.support.sources import opened
with opened("nfs", {{"path": {tree!r}}}, roots=({tree!r},), source_memory="100MB") as connector:
    with connector.source() as source:
        query = exp.select("*").from_(source.relation({name!r}, "root", "t"))
        next(source.stream(query.limit(1)))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        rows = sum(len(batch) for batch in source.stream(query))
        print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_streaming_millions_of_rows_takes_constant_memory(tree: Path) -> None:
    put_parquet(
        tree, "t.parquet", "select range id, md5(range::varchar) || md5(range::varchar) word from range(2000000)"
    )
    script = PEAK.format(path=str(Path(__file__).resolve().parents[3]), tree=str(tree), name=tree.name)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    rows, grown = map(int, ended.stdout.split())
    assert rows == 2_000_000
    assert grown < 128 * 1024, "kilobytes; as Python's values the rows are 350 megabytes"


def test_all_rows_of_a_file_come_in_their_order(tree: Path) -> None:
    put(tree, "t.csv", b"n\n" + b"".join(b"%d\n" % number for number in range(5000)))
    with reading(tree) as source:
        relation = source.relation("warehouse", "root", "t")
        whole = source.sample(relation, ["n"], 5000)
        assert [row[0] for row in whole.rows] == list(range(5000))
        assert (whole.is_whole, whole.in_order) == (True, True)
        some = source.sample(relation, ["n"], 1000)
        assert (len(some.rows), some.is_whole, some.in_order) == (1000, False, False)
        assert [row[0] for row in some.rows] != list(range(1000))
