"""SQLite databases in a folder or bucket: what their tables declare and hold, and what a hostile one cannot do."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlglot import exp

from persistence.connectors.core.base import UNKNOWN_COLUMNS, ConnectorError, KeyInfo, SchemaInfo, TableInfo
from persistence.connectors.files import opening
from persistence.connectors.files.reading import FileReading
from persistence.connectors.files.sqlite import SqliteFile
from tests.persistence.connectors.test_files import at, put
from tests.persistence.connectors.test_objects import key_of, place_of
from tests.support.moto import MotoServer
from tests.support.sources import columns, everything, opened

SHOP = """
create table author(id integer primary key, name varchar(40) not null unique, born date);
create table book(
    id integer primary key, author integer not null references AUTHOR, title text, price decimal(10,2) default 5,
    sold datetime, signed boolean, cover blob, unique(author, title));
create index titles on book(title);
create unique index dear on book(price) where price > 100;
create table page(book integer, number integer, primary key(book, number)) without rowid;
create table line(book integer, page integer, foreign key(book, page) references page(book, number));
create view cheap as select b.title, b.price * 2 as twice from book as b where ifnull(b.price, 0) < 10;
insert into author values (1, 'Ann', '1950-02-28'), (2, 'Bob', null);
insert into book values (1, 1, 'One', 9.99, '2020-01-31 10:00', 1, x'00ff'), (2, 2, 'It''s
two', 20, null, 0, null);
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """An allowed folder."""
    folder = tmp_path / "warehouse"
    folder.mkdir()
    return folder


def made(path: Path, script: str) -> Path:
    """A database of these statements."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)
    return path


def only(tree: Path) -> dict[str, TableInfo]:
    """The tables of the folder's only schema."""
    with at(tree) as connector:
        (tables,) = everything(connector).values()
    return tables


@contextmanager
def reading(tree: Path, **limits: Any) -> Iterator[FileReading]:
    connector = opened("nfs", {"path": str(tree)}, roots=(str(tree.parent),), **limits)
    with connector, connector.source() as source:
        assert isinstance(source, FileReading)
        yield source


def rows(source: FileReading, table: str, schema: str = "shop") -> tuple[list[str], list[Any]]:
    """The types that a table has where it is asked, and its rows."""
    relation = source.relation("warehouse", schema, table)
    with source.session(60) as session:
        types = [row[1] for row in session.execute(f"describe {relation.name}").fetchall()]
    return types, source.ask(exp.select("*").from_(relation))


def why(tree: Path, table: str) -> str:
    """Why a table has no columns, which reading it says too."""
    info = only(tree)[table]
    assert info.columns == ()
    reason = (info.comment or "").removeprefix(UNKNOWN_COLUMNS).strip()
    (schema,) = (one.name for one in listed(tree))
    with reading(tree) as source, pytest.raises(ConnectorError) as caught:
        source.relation("warehouse", schema, table)
    assert caught.value.reason == f"The table {table!r} cannot be read. {reason}"
    return reason


def listed(tree: Path) -> list[SchemaInfo]:
    """The schemas of the folder."""
    with at(tree) as connector:
        return list(connector.schemas())


def test_a_database_is_a_schema_of_its_tables_and_views(tree: Path) -> None:
    made(tree / "shop.sqlite", SHOP)
    made(tree / "sales/eu.db", "create table t(a)")
    put(tree, "people.csv", "id\n1\n")
    with at(tree) as connector:
        discovery = connector.verify()
        found = {schema.name: list(schema.tables) for schema in connector.schemas()}
    assert found == {
        "root": ["people"],
        "sales/eu": ["t"],
        "shop": ["author", "book", "cheap", "line", "page"],
    }
    assert discovery.message == "Connected to 'warehouse': 7 tables in 3 files."
    assert discovery.details["formats"] == {"csv": 1, "sqlite": 6}
    assert discovery.details["ignored_files"] == 0


def test_types_keys_and_the_queries_of_views_are_told_as_other_databases_tell_them(tree: Path) -> None:
    made(tree / "shop.sqlite", SHOP)
    tables = only(tree)
    book = tables["book"]
    assert book.table_type == "TABLE"
    assert columns(book) == {
        "id": "BIGINT",
        "author": "BIGINT",
        "title": "TEXT",
        "price": "NUMERIC",
        "sold": "TIMESTAMP",
        "signed": "BOOLEAN",
        "cover": "BINARY",
    }
    by_name = {column.name: column for column in book.columns}
    assert [column.nullable for column in book.columns] == [False, False, True, True, True, True, True]
    assert (by_name["price"].precision, by_name["price"].scale, by_name["price"].default) == (10, 2, "5")
    assert by_name["price"].data_type_display == "decimal(10,2)"
    assert tables["author"].columns[1].data_length == 40
    assert book.keys == (
        KeyInfo("PRIMARY_KEY", None, ("id",)),
        KeyInfo("UNIQUE", None, ("author", "title")),
        KeyInfo("FOREIGN_KEY", None, ("author",), "shop", "author", ("id",)),
    )
    assert KeyInfo("UNIQUE", None, ("name",)) in tables["author"].keys
    assert tables["page"].keys == (KeyInfo("PRIMARY_KEY", None, ("book", "number")),)
    assert tables["line"].keys == (KeyInfo("FOREIGN_KEY", None, ("book", "page"), "shop", "page", ("book", "number")),)
    cheap = tables["cheap"]
    assert (cheap.table_type, columns(cheap)) == ("VIEW", {"title": "TEXT", "twice": "DOUBLE"})
    # In the dialect in which tables of files are asked, so that lineage can be read from it.
    assert cheap.definition == ("SELECT b.title, b.price * 2 AS twice FROM book AS b WHERE COALESCE(b.price, 0) < 10")


def test_rows_are_read_with_the_types_that_hold_them(tree: Path) -> None:
    made(tree / "shop.sqlite", SHOP)
    with reading(tree) as source:
        types, found = rows(source, "book")
        assert types == ["BIGINT", "BIGINT", "VARCHAR", "DECIMAL(10,2)", "TIMESTAMP", "BOOLEAN", "BLOB"]
        assert found == [
            (1, 1, "One", Decimal("9.99"), datetime.fromisoformat("2020-01-31 10:00"), True, b"\x00\xff"),
            (2, 2, "It's\ntwo", Decimal("20.00"), None, False, None),
        ]
        assert rows(source, "author")[1] == [(1, "Ann", date(1950, 2, 28)), (2, "Bob", None)]
        assert rows(source, "cheap")[1] == [("One", 19.98)]
        assert rows(source, "line") == (["BIGINT", "BIGINT"], [])
        known = source.statistics("warehouse", "shop", "book")
        assert known is not None
        assert known.row_count == 2


@pytest.mark.parametrize(
    ("kind", "values", "told", "held"),
    [
        ("integer", "1, 'abc', null", "VARCHAR", ["1", "abc", None]),
        ("integer", "1, 2.5", "DOUBLE", [1.0, 2.5]),
        ("int", "9223372036854775807, -1", "BIGINT", [9223372036854775807, -1]),
        ("decimal(5,2)", "1.5, 2.345", "NUMERIC", [1.5, 2.345]),
        ("text", "'007', '12'", "TEXT", ["007", "12"]),
        ("text", "'2020-01-31', '2021-02-01'", "DATE", [date(2020, 1, 31), date(2021, 2, 1)]),
        (
            "text",
            "'2020-01-31', '2021-02-01T08:30:00'",
            "TIMESTAMP",
            [datetime.fromisoformat("2020-01-31"), datetime.fromisoformat("2021-02-01 08:30")],
        ),
        ("date", "'2020-01-31', '31/01/2020'", "VARCHAR", ["2020-01-31", "31/01/2020"]),
        ("date", "'2020-02-30'", "DATE", ["2020-02-30"]),
        ("datetime", "1577872800", "BIGINT", [1577872800]),
        ("boolean", "0, 2", "BIGINT", [0, 2]),
        ("", "1, 2", "BIGINT", [1, 2]),
        ("blob", "x'00ff', 'text'", "VARCHAR", ["00FF", "text"]),
        ("text", "'NULL', '', null, 'a,b'", "TEXT", ["NULL", "", None, "a,b"]),
        ("real", "0.1, 1e300", "DOUBLE", [0.1, 1e300]),
        ("text", "cast(x'ff41' as text)", "TEXT", ["\ufffdA"]),
    ],
)
def test_values_that_do_not_fit_what_is_declared_are_kept_as_they_are(
    tree: Path, kind: str, values: str, told: str, held: list[Any]
) -> None:
    rows_of = ", ".join(f"({at}, {value})" for at, value in enumerate(values.split(", ")))
    made(tree / "shop.sqlite", f"create table t(k integer primary key, v {kind}); insert into t values {rows_of}")
    assert columns(only(tree)["t"])["v"] == told
    with reading(tree) as source:
        assert [row[1] for row in rows(source, "t")[1]] == held


def test_odd_names_do_no_harm(tree: Path) -> None:
    made(
        tree / "odd 'x'.sqlite",
        """create table "we ""ird' ]x"("a b" int, "sel'e""ct" text, [c, d] text);
        insert into "we ""ird' ]x" values(1, 'x', 'y')""",
    )
    (table,) = only(tree)
    assert table == "we \"ird' ]x"
    with reading(tree) as source:
        assert rows(source, table, "odd 'x'")[1] == [(1, "x", "y")]


def test_what_begins_otherwise_is_no_database_whatever_its_name_is(tree: Path) -> None:
    put(tree, "thumbs.db", "something else")
    put(tree, "locked.sqlite", os.urandom(4096))
    put(tree, "new.sqlite", b"")
    made(tree / "there.db3", "create table t(a)")
    with at(tree) as connector:
        found = everything(connector)
        ignored = {one["path"]: one["reason"] for one in connector.ignored["ignored"]}
        # It will not have tables later, so what vanishes beside it is seen to vanish.
        assert connector.cut_short is False
    assert {schema: list(tables) for schema, tables in found.items()} == {
        "locked": ["locked.sqlite"],
        "there": ["t"],
    }
    assert "encrypted" in (found["locked"]["locked.sqlite"].comment or "")
    assert list(ignored) == ["thumbs.db", "new.sqlite"]
    assert ignored["new.sqlite"] == "It holds no table."


def test_schemas_whose_names_meet_keep_their_endings(tree: Path) -> None:
    made(tree / "a.db", "create table t(a)")
    made(tree / "a.sqlite", "create table t(a)")
    made(tree / "root.db", "create table t(a)")
    put(tree, "b/x.csv", "a\n1\n")
    made(tree / "b.sqlite", "create table t(a)")
    put(tree, "x.csv", "a\n1\n")
    names = [schema.name for schema in listed(tree)]
    assert names == ["a.db", "a.sqlite", "b", "b.sqlite", "root", "root.db"]


def test_a_broken_database_shows_what_can_be_read_and_why_the_rest_cannot(tree: Path) -> None:
    path = made(tree / "shop.sqlite", SHOP)
    whole = path.read_bytes()
    size = int.from_bytes(whole[16:18], "big")
    with closing(sqlite3.connect(path)) as database:
        (page,) = database.execute("select rootpage from sqlite_master where name = 'author'").fetchone()
    path.write_bytes(whole[: (page - 1) * size] + b"\xff" * size + whole[page * size :])
    assert columns(only(tree)["page"]) == {"book": "BIGINT", "number": "BIGINT"}
    assert why(tree, "author") == "It is damaged, or its end is missing."
    path.write_bytes(whole[: len(whole) // 2])
    assert why(tree, "shop.sqlite") == "It is damaged, or its end is missing."
    with at(tree) as connector:
        assert connector.cut_short is True  # the tables may come back, and are not gone


@pytest.mark.parametrize(
    ("script", "table", "reason"),
    [
        ("create virtual table v using fts5(body)", "v", "virtual table of the module fts5"),
        ("create virtual table f using fts5(body); create view v as select * from f", "v", "not trusted"),
        ("create view v as select * from absent", "v", "not there"),
        ("create view v as select load_extension('x') as a", "v", "not trusted"),
        ("create view v as select hex(zeroblob(900000000)) as a", "v", "more than 8,388,608 bytes"),
        ("create view a as select * from v; create view v as select * from a", "v", "names itself"),
        (
            "create view v0 as select 1 as x;"
            + ";".join(f"create view v{n} as select 1 as x from v{n - 1}, v{n - 1} as b" for n in range(1, 25)),
            "v24",
            "too many others",
        ),
    ],
)
def test_what_a_hostile_schema_asks_for_is_refused(tree: Path, script: str, table: str, reason: str) -> None:
    made(tree / "shop.sqlite", script)
    assert reason in why(tree, table)


def test_a_view_that_never_ends_is_stopped(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("persistence.connectors.files.sqlite._FIRST_SECONDS", 0.1)
    endless = "with recursive r(n) as (select 1 union all select n + 1 from r)"
    made(
        tree / "shop.sqlite",
        f"create view long as {endless} select n from r; create view slow as {endless} select count(*) as n from r",
    )
    tables = only(tree)
    assert columns(tables["long"]) == {"n": "BIGINT"}
    assert "type is not known" in (tables["slow"].columns[0].comment or "")
    with reading(tree, statement=0.3) as source:
        for view in ("long", "slow"):
            with pytest.raises(ConnectorError, match=r"took longer than 0\.3 seconds"):
                source.relation("warehouse", "shop", view)


def test_a_database_cannot_be_written_and_reaches_no_other_file(tree: Path) -> None:
    path = made(tree / "shop.sqlite", SHOP)
    held = SqliteFile(path, "shop", 5, 5, lambda: False)
    for statement in (
        f"attach '{tree / 'other.sqlite'}' as o",
        "delete from book",
        "create table x(a)",
        "pragma writable_schema = on",
        "pragma trusted_schema = on",
        "select load_extension('x')",
        f"vacuum into '{tree / 'other.sqlite'}'",
    ):
        with pytest.raises(sqlite3.DatabaseError):
            held._connection.execute(statement)
    held.close()
    assert [one.name for one in tree.iterdir()] == ["shop.sqlite"]


def test_what_stands_in_the_write_ahead_log_is_read_and_the_original_left_alone(tree: Path) -> None:
    path = tree / "shop.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("pragma journal_mode = wal")
        database.execute("create table t(a integer)")
        database.execute("insert into t values (42)")
        database.commit()
        before = {one.name: one.read_bytes() for one in tree.iterdir() if not one.name.endswith("-shm")}
        assert "shop.db-wal" in before
        with reading(tree) as source:
            assert rows(source, "t")[1] == [(42,)]
        with at(tree) as connector:
            assert connector.verify().details["ignored_files"] == 0
        assert {one.name: one.read_bytes() for one in tree.iterdir() if not one.name.endswith("-shm")} == before


def test_a_change_that_is_under_way_is_waited_for_and_nothing_counts_as_gone(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(tree / "shop.db", SHOP)
    journal = put(tree, "shop.db-journal", opening._JOURNAL + b"\0" * 504)
    assert "under way" in why(tree, "shop.db")
    with at(tree) as connector:
        assert connector.cut_short is True
    journal.unlink()
    copied = opening.Containers._copy

    def and_changed(self: Any, file: Any, target: Path) -> None:
        copied(self, file, target)
        with closing(sqlite3.connect(path)) as database:
            database.execute("insert into line values (1, 1)")
            database.commit()

    monkeypatch.setattr(opening.Containers, "_copy", and_changed)
    assert "written to while it was being read" in why(tree, "shop.db")


def test_a_database_larger_than_may_be_copied_is_named_and_not_copied(tree: Path, tmp_path: Path) -> None:
    made(tree / "shop.sqlite", f"create table t(a); insert into t values (zeroblob({2 << 20}))")
    connector = opened(
        "nfs", {"path": str(tree)}, roots=(str(tree.parent),), source_copy_bytes=1 << 20, source_scratch=str(tmp_path)
    )
    with connector:
        (info,) = everything(connector)["shop"].values()
    assert "larger than the 1,048,576 bytes that this deployment copies" in (info.comment or "")
    assert [one.name for one in tmp_path.iterdir()] == ["warehouse"]


def test_wide_tables_and_long_values_are_read_or_said_to_be_too_long(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ", ".join(f"c{at} integer" for at in range(250))
    values = ", ".join(str(at) for at in range(250))
    path = made(tree / "shop.sqlite", f"create table t({names}); insert into t values ({values})")
    with reading(tree) as source:
        assert rows(source, "t")[1] == [tuple(range(250))]
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table l(a text, b text)")
        database.execute("insert into l values (?, ?)", ("x" * 600_000, "y" * 600_000))
        database.commit()
    with reading(tree) as source:
        assert [len(value) for value in rows(source, "l")[1][0]] == [600_000, 600_000]
    monkeypatch.setattr("persistence.connectors.files.sqlite._LONGEST_VALUE", 1_000_000)
    with reading(tree) as source, pytest.raises(ConnectorError, match="of more than 1,000,000 bytes"):
        source.relation("warehouse", "shop", "l")


def test_a_link_put_in_the_place_of_a_database_leads_nowhere(tree: Path, tmp_path: Path) -> None:
    inside = made(tree / "shop.sqlite", SHOP)
    outside = made(tmp_path / "secret.sqlite", "create table secret(a)")
    with at(tree) as connector:
        connector.verify()
        connector.close()
    with at(tree) as connector:
        connector._layout()
        inside.unlink()
        inside.symlink_to(outside)
        assert [schema.tables for schema in connector.schemas()] == [("shop.sqlite",)]
        assert "may not read" in (everything(connector)["shop"]["shop.sqlite"].comment or "")


def test_a_database_in_a_bucket_is_copied_to_be_read_and_the_copy_is_gone_afterwards(
    moto_server: MotoServer, tmp_path: Path
) -> None:
    bucket = moto_server.bucket({"in/shop.sqlite": made(tmp_path / "shop.sqlite", SHOP).read_bytes()})
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    connector = opened("s3", place_of(moto_server, bucket), key_of(moto_server), source_scratch=str(scratch))
    with connector, connector.source() as source:
        relation = source.relation(bucket, "in/shop", "author")
        assert source.ask(exp.select("name").from_(relation)) == [("Ann",), ("Bob",)]
        assert list(scratch.iterdir())
    assert list(scratch.iterdir()) == []
