"""Tables of files are parsed once: what is kept of them, for whom, how long, and when a file is parsed again."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlglot import exp

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.files import nfs, reading
from persistence.connectors.files.kept import KEPT
from persistence.connectors.files.opening import Containers
from persistence.connectors.files.reading import FileReading
from tests.persistence.connectors.test_files import put
from tests.persistence.connectors.test_objects import key_of, place_of
from tests.support.moto import MotoServer
from tests.support.sources import opened

ODD = "id,day,big,name\n1,2024-01-31,99999999999999999999,Ann\n2,,5,\n3,x,6,Bob\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An allowed folder, of which everything is kept at once."""
    monkeypatch.setattr(reading, "KEPT_FROM_SECONDS", 0.0)
    monkeypatch.setattr(nfs, "_UNSETTLED", 0)
    folder = tmp_path / "warehouse"
    folder.mkdir()
    (tmp_path / "scratch").mkdir()
    return folder


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables that were parsed, in their order."""
    seen: list[str] = []
    take_in = FileReading._take_in

    def noted(self: FileReading, found: Any, database: str, schema: str, table: str, name: str) -> None:
        seen.append(table)
        take_in(self, found, database, schema, table, name)

    monkeypatch.setattr(FileReading, "_take_in", noted)
    return seen


@contextmanager
def source_of(tree: Path, **limits: Any) -> Iterator[FileReading]:
    scratch = str(tree.parent / "scratch")
    connector = opened("nfs", {"path": str(tree)}, roots=(str(tree.parent),), source_scratch=scratch, **limits)
    with connector, connector.source() as source:
        assert isinstance(source, FileReading)
        yield source


def told(tree: Path, table: str, schema: str = "root", **limits: Any) -> tuple[Any, ...]:
    """The columns of a table with their types, its rows, a sample of them, and its statistics."""
    with source_of(tree, **limits) as source:
        relation = source.relation("warehouse", schema, table)
        with source.session(60) as session:
            shape = [row[:2] for row in session.execute(f"describe main.{relation.name}").fetchall()]
        names = [name for name, _ in shape]
        return (
            shape,
            source.ask(exp.select("*").from_(relation)),
            source.sample(relation, names, 2),
            source.statistics("warehouse", schema, table),
        )


def kept(tree: Path) -> list[Path]:
    return sorted((tree.parent / "scratch").glob(f"stoa-kept-*/*{KEPT}"))


def test_a_file_is_parsed_again_only_when_it_has_changed(tree: Path, parsed: list[str]) -> None:
    path = put(tree, "odd.csv", ODD)
    first = told(tree, "odd")
    assert told(tree, "odd") == first
    assert parsed == ["odd"]
    (folder,) = {path.parent for path in kept(tree)}
    assert folder.stat().st_mode & 0o777 == 0o700

    path.write_text(ODD.replace("Ann", "Eve"))
    assert told(tree, "odd")[1][0][-1] == "Eve"
    os.utime(path, (1, 1))  # its times tell of a change too
    told(tree, "odd")
    assert parsed == ["odd"] * 3


def test_files_of_several_tables_are_not_even_opened(
    tree: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tree / "shop.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript("pragma journal_mode = wal; create table book(id integer, title text)")
        database.execute("insert into book values (1, 'One')")
        database.commit()
        first = told(tree, "book", "shop")
        monkeypatch.setattr(Containers, "_open", None)
        assert told(tree, "book", "shop") == first
        monkeypatch.undo()

    # What was written is in the log beside it, or in the file itself since it was closed.
    monkeypatch.setattr(reading, "KEPT_FROM_SECONDS", 0.0)
    monkeypatch.setattr(nfs, "_UNSETTLED", 0)
    with closing(sqlite3.connect(path)) as database:
        database.execute("insert into book values (2, 'Two')")
        database.commit()
        assert told(tree, "book", "shop")[1] == [(1, "One"), (2, "Two")]


def test_whoever_may_no_longer_read_the_file_is_not_given_what_was_kept(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tree, "people.csv", "id\n1\n")
    told(tree, "people")

    def refused(self: nfs.LocalFiles, path: str) -> int:
        raise ConnectorError("permission", "It may not be read.")

    monkeypatch.setattr(nfs.LocalFiles, "_open", refused)
    with pytest.raises(ConnectorError, match="may not be read"):
        told(tree, "people")


def test_a_file_that_was_changed_just_now_is_not_kept(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nfs, "_UNSETTLED", 3_600_000_000_000)
    put(tree, "people.csv", "id\n1\n")
    told(tree, "people")
    assert kept(tree) == []


def test_nothing_is_kept_where_the_deployment_says_so(tree: Path, parsed: list[str]) -> None:
    put(tree, "people.csv", "id\n1\n")
    told(tree, "people", source_kept_bytes=0)
    told(tree, "people", source_kept_bytes=0)
    assert parsed == ["people"] * 2
    assert list((tree.parent / "scratch").iterdir()) == []


def test_what_was_used_longest_ago_makes_room(tree: Path, parsed: list[str]) -> None:
    for name in "abc":
        put(tree, f"{name}.csv", "id\n1\n")
    told(tree, "a")
    (first,) = kept(tree)
    bound = first.stat().st_size * 5 // 2
    os.utime(first, (first.stat().st_mtime - 60,) * 2)
    told(tree, "b", source_kept_bytes=bound)
    told(tree, "a", source_kept_bytes=bound)  # now b is the one that was used longest ago
    (second,) = (path for path in kept(tree) if path != first)
    os.utime(second, (first.stat().st_mtime - 60,) * 2)
    told(tree, "c", source_kept_bytes=bound)
    assert parsed == ["a", "b", "c"]
    assert first in kept(tree)
    assert second not in kept(tree)

    week = first.stat().st_mtime - 8 * 86_400
    os.utime(first, (week, week))
    put(tree, "d.csv", "id\n1\n")
    told(tree, "d")
    assert first not in kept(tree)


def test_a_damaged_one_is_parsed_anew(tree: Path, parsed: list[str]) -> None:
    put(tree, "people.csv", "id\n1\n")
    first = told(tree, "people")
    (path,) = kept(tree)
    path.write_bytes(b"nonsense" * 4096)
    assert told(tree, "people") == first
    assert told(tree, "people") == first
    assert parsed == ["people"] * 2


def test_a_folder_that_others_can_write_in_is_not_used(tree: Path, parsed: list[str]) -> None:
    folder = tree.parent / "scratch" / f"stoa-kept-{os.getuid()}"
    folder.mkdir()
    folder.chmod(0o777)
    put(tree, "people.csv", "id\n1\n")
    told(tree, "people")
    told(tree, "people")
    assert parsed == ["people"] * 2
    assert kept(tree) == []


def test_an_object_is_parsed_again_when_it_was_written_anew(
    tree: Path, parsed: list[str], moto_server: MotoServer
) -> None:
    bucket = moto_server.bucket({"in/people.csv": b"id,name\n1,Ann\n"})

    def rows() -> list[Any]:
        scratch = str(tree.parent / "scratch")
        connector = opened("s3", place_of(moto_server, bucket), key_of(moto_server), source_scratch=scratch)
        with connector, connector.source() as source:
            return source.ask(exp.select("*").from_(source.relation(bucket, "in", "people")))

    assert rows() == rows() == [(1, "Ann")]
    assert parsed == ["people"]
    moto_server.client.put_object(Bucket=bucket, Key="in/people.csv", Body=b"id,name\n1,Eve\n")
    assert rows() == [(1, "Eve")]
    assert parsed == ["people"] * 2
