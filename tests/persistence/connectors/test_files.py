"""Files of a folder as tables: layout, formats, broken files, and the walls around the folder."""

import gzip
import json
import os
import shutil
from pathlib import Path

import duckdb
import pytest

from persistence.connectors.core.base import ConnectorError
from persistence.connectors.files.connector import FileTables
from persistence.connectors.files.layout import IGNORED_TOLD
from persistence.connectors.files.store import FileLimits
from tests.support.sources import columns, everything, failure, opened


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """An allowed folder."""
    folder = tmp_path / "warehouse"
    folder.mkdir()
    return folder


def put(tree: Path, path: str, content: str | bytes) -> Path:
    """Write a file below the folder."""
    target = tree / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content.encode() if isinstance(content, str) else content)
    return target


def put_parquet(tree: Path, path: str, query: str) -> Path:
    """Write a Parquet file with the rows of a query."""
    target = tree / path
    target.parent.mkdir(parents=True, exist_ok=True)
    duckdb.sql(query).write_parquet(str(target))
    return target


def at(tree: Path) -> FileTables:
    """A connector of the folder, which lies below an allowed one."""
    connector = opened("nfs", {"path": str(tree)}, roots=(str(tree.parent),))
    assert isinstance(connector, FileTables)
    return connector


def test_folders_become_schemas_and_files_become_tables(tree: Path) -> None:
    put(tree, "people.csv", "id,name\n1,Ann\n2,Bob\n")
    put(tree, "sales/eu/orders.tsv", "id\tpaid\n1\ttrue\n")
    put(tree, "readme.md", "# hello")
    put(tree, ".hidden.csv", "a\n1\n")
    put(tree, "_temporary/x.csv", "a\n1\n")
    with at(tree) as connector:
        discovery = connector.verify()
        found = everything(connector)
        assert [schema.database for schema in connector.schemas()] == ["warehouse", "warehouse"]
    assert discovery.message == "Connected to 'warehouse': 2 tables in 2 files."
    assert discovery.details["ignored_files"] == 3
    ignored = {one["path"]: one["reason"] for one in discovery.details["ignored"]}
    assert list(ignored) == [".hidden.csv", "_temporary/x.csv", "readme.md"]
    assert ignored[".hidden.csv"] == ignored["_temporary/x.csv"]
    assert "begins with '.' or '_'" in ignored[".hidden.csv"]
    assert "Parquet" in ignored["readme.md"]
    assert discovery.details["truncated"] is False
    assert {schema: list(tables) for schema, tables in found.items()} == {"root": ["people"], "sales/eu": ["orders"]}
    assert columns(found["root"]["people"]) == {"id": "BIGINT", "name": "VARCHAR"}
    assert columns(found["sales/eu"]["orders"]) == {"id": "BIGINT", "paid": "BOOLEAN"}
    assert found["root"]["people"].table_type == "FILE"
    assert found["root"]["people"].row_count is None


def test_only_the_first_files_that_are_no_tables_are_named(tree: Path) -> None:
    for number in range(IGNORED_TOLD + 2):
        put(tree, f"{number:02}.md", "")
    with at(tree) as connector:
        details = connector.verify().details
    assert details["ignored_files"] == IGNORED_TOLD + 2
    assert [one["path"] for one in details["ignored"]] == [f"{number:02}.md" for number in range(IGNORED_TOLD)]


def test_a_parquet_file_tells_its_rows_types_and_required_columns_without_a_scan(tree: Path) -> None:
    query = """
        select 1::integer id, 2.50::decimal(9,2) price, [1] tags, {'a': 1} about, now() moment, nullif(1, 1) gap
        from range(7)
    """
    put_parquet(tree, "t.parquet", query)
    with at(tree) as connector:
        table = everything(connector)["root"]["t"]
    assert table.row_count == 7
    assert columns(table) == {
        "id": "INTEGER",
        "price": "NUMERIC",
        "tags": "ARRAY",
        "about": "STRUCT",
        "moment": "TIMESTAMPTZ",
        "gap": "INTEGER",
    }
    assert (table.columns[1].precision, table.columns[1].scale) == (9, 2)
    assert table.columns[1].data_type_display == "DECIMAL(9,2)"
    assert [column.ordinal_position for column in table.columns] == [1, 2, 3, 4, 5, 6]
    tree_of_needs = duckdb.sql(f"select repetition_type from parquet_schema('{tree}/t.parquet') where name = 'id'")
    assert table.columns[0].nullable is (tree_of_needs.fetchall() != [("REQUIRED",)])
    assert table.columns[5].nullable is True


def test_partition_folders_are_one_table_whose_keys_are_columns(tree: Path) -> None:
    for year, day in ((2023, "2023-12-31"), (2024, "2024-01-01"), (2024, "2024-01-02")):
        put_parquet(tree, f"lake/events/year={year}/day={day}/a%20b.parquet", "select 1::bigint n from range(3)")
    put(tree, "lake/events/year=2024/day=2024-01-02/_SUCCESS", "")
    with at(tree) as connector:
        found = everything(connector)
    assert list(found) == ["lake"]
    table = found["lake"]["events"]
    assert columns(table) == {"n": "BIGINT", "year": "BIGINT", "day": "DATE"}
    assert table.row_count == 9
    assert table.comment == "3 files."


def test_part_files_with_the_same_columns_are_one_table_and_others_are_not(tree: Path) -> None:
    for part in range(3):
        put_parquet(tree, f"same/part-0000{part}.parquet", "select 1 a from range(2)")
    put_parquet(tree, "other/part-00000.parquet", "select 1 a")
    put_parquet(tree, "other/part-00001.parquet", "select 'x' b")
    put_parquet(tree, "named/orders.parquet", "select 1 a")
    put_parquet(tree, "named/lines.parquet", "select 1 a")
    with at(tree) as connector:
        found = everything(connector)
    assert found["root"]["same"].row_count == 6
    assert set(found["other"]) == {"part-00000", "part-00001"}
    assert set(found["named"]) == {"orders", "lines"}


def test_parts_that_differ_list_all_columns_and_say_so(tree: Path) -> None:
    put_parquet(tree, "t/k=1/a.parquet", "select 1 a, 2 b")
    put_parquet(tree, "t/k=2/a.parquet", "select 1 a, 'x' c")
    with at(tree) as connector:
        table = everything(connector)["root"]["t"]
    assert columns(table) == {"a": "INTEGER", "b": "INTEGER", "c": "VARCHAR", "k": "BIGINT"}
    assert table.comment is not None
    assert "do not all have the same columns" in table.comment


def test_names_that_meet_keep_their_extension(tree: Path) -> None:
    put(tree, "a.csv", "x\n1\n")
    put(tree, "a.json", '{"y": 1}')
    put(tree, "a.csv.gz", gzip.compress(b"z\n1\n"))
    put(tree, "b.csv", "x\n1\n")
    put(tree, "root/c.csv", "x\n1\n")
    with at(tree) as connector:
        found = everything(connector)
    assert set(found["root"]) == {"a.csv", "a.json", "a.csv.gz", "b"}
    assert columns(found["root"]["a.csv.gz"]) == {"z": "BIGINT"}
    assert set(found["./root"]) == {"c"}


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("semicolons.csv", b"a;b\n1;2020-01-01\n", {"a": "BIGINT", "b": "DATE"}),
        ("bom.csv", b"\xef\xbb\xbfa,b\n1,x\n", {"a": "BIGINT", "b": "VARCHAR"}),
        ("utf16.csv", "a,b\n1,é\n".encode("utf-16"), {"a": "BIGINT", "b": "VARCHAR"}),
        ("latin.csv", "name,città\nx,è\n".encode("latin-1"), {"name": "VARCHAR", "città": "VARCHAR"}),
        ("ragged.csv", b"a,b\n1,2\n2,3,4\n5\n", {"a": "BIGINT", "b": "BIGINT", "column2": "BIGINT"}),
        ("header.csv", b"a,b\n", {"a": "VARCHAR", "b": "VARCHAR"}),
        ("lines.ndjson", b'{"a": 1}\n{"a": 2, "b": {"c": "x"}}\n', {"a": "BIGINT", "b": "STRUCT"}),
        ("array.json", b'[\n {"a": 1.5},\n {"a": 2}\n]', {"a": "DOUBLE"}),
        ("one.json", b'{\n "a": [1, 2],\n "b": "2020-01-01"\n}', {"a": "ARRAY", "b": "DATE"}),
        ("packed.jsonl.gz", gzip.compress(b'{"a": true}\n', mtime=0), {"a": "BOOLEAN"}),
    ],
)
def test_dialects_encodings_and_json_forms_are_found_out(
    tree: Path, name: str, content: bytes, expected: dict[str, str]
) -> None:
    put(tree, name, content)
    with at(tree) as connector:
        (table,) = everything(connector)["root"].values()
    assert columns(table) == expected, table.comment


BROKEN = {
    "empty.csv": (b"", "The file is empty."),
    "blank.csv": (b"\n\n", "The file holds no rows."),
    "binary.csv": (b"a,b\n\x00\x01\x02", "It is not a text: it holds null bytes."),
    "garbage.parquet": (b"PAR1" + os.urandom(200), "It is not a Parquet file, or its end is missing."),
    "short.parquet": (b"PAR1", "It is not a Parquet file: it is too short."),
    "liar.parquet": (
        b"PAR1" + b"x" * 20 + (1 << 30).to_bytes(4, "little") + b"PAR1",
        "It is not a whole Parquet file: its footer is longer than the file.",
    ),
    "footer.parquet": (
        b"PAR1" + b"\xff" * 40 + (40).to_bytes(4, "little") + b"PAR1",
        "It could not be read as Parquet.",
    ),
    "crypt.parquet": (b"PARE" + b"x" * 20 + b"PARE", "Its footer is encrypted, so its columns cannot be read."),
    "text.json": (b"hello world", "It is not valid JSON."),
    "deep.json": (b"[" * 100_000, "It is not valid JSON."),
    "plain.csv.gz": (b"a,b\n1,2\n", "It is not a gzip file."),
}


def test_broken_files_stay_visible_with_the_reason_and_spoil_nothing_else(tree: Path) -> None:
    for name, (content, _) in BROKEN.items():
        put(tree, f"broken/{name}", content)
    put(tree, "broken/good.csv", "a\n1\n")
    with at(tree) as connector:
        connector.verify()
        found = everything(connector)["broken"]
    assert columns(found.pop("good")) == {"a": "BIGINT"}
    said = {name: (table.columns, table.comment) for name, table in found.items()}
    assert said == {
        name.partition(".")[0]: ((), f"The columns are not known. {reason}") for name, (_, reason) in BROKEN.items()
    }


def test_only_the_beginning_of_a_large_file_is_read(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FileTables, "limits", FileLimits(sample_bytes=4096))
    put(
        tree,
        "big.csv",
        "id,text\n" + "".join(f'{n},"line one\nline ""two"""\n' for n in range(3000)) + "x,not a number",
    )
    put(tree, "big.json", json.dumps([{"id": n, "name": "x" * 50} for n in range(3000)], indent=1))
    put(tree, "bomb.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 4_000_000))
    put(tree, "wide.csv", "x" * 9000)
    with at(tree) as connector:
        found = everything(connector)["root"]
    assert columns(found["big.csv"]) == {"id": "BIGINT", "text": "VARCHAR"}
    assert columns(found["big.json"]) == {"id": "BIGINT", "name": "VARCHAR"}
    assert columns(found["bomb"]) == {"a": "BIGINT", "b": "BIGINT"}
    assert found["wide"].comment == "The columns are not known. Its first line is longer than what is read."


def test_a_tree_with_too_many_files_is_cut_and_says_so(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FileTables, "limits", FileLimits(max_files=5))
    for number in range(9):
        put(tree, f"f{number}.csv", "a\n1\n")
    with at(tree) as connector:
        discovery = connector.verify()
    assert discovery.details["truncated"] is True
    assert discovery.details["tables"] == 5
    assert "Only the first 5 entries" in discovery.message


def test_links_out_of_the_folder_pipes_and_devices_are_refused(tree: Path, tmp_path: Path) -> None:
    outside = put(tmp_path, "outside/secret.csv", "password\nhunter2\n")
    put(tree, "data/real.csv", "a\n1\n")
    (tree / "out.csv").symlink_to(outside)
    (tree / "out_folder").symlink_to(outside.parent)
    (tree / "loop").symlink_to(tree)
    (tree / "inside.csv").symlink_to(tree / "data/real.csv")
    (tree / "null.csv").symlink_to("/dev/null")
    os.mkfifo(tree / "pipe.csv")
    with at(tree) as connector:
        discovery = connector.verify()
        found = everything(connector)
    assert {schema: set(tables) for schema, tables in found.items()} == {"root": {"inside"}, "data": {"real"}}
    assert columns(found["root"]["inside"]) == {"a": "BIGINT"}
    assert discovery.details["refused_entries"] == 5


def test_a_file_that_becomes_a_link_after_the_listing_is_not_followed(tree: Path, tmp_path: Path) -> None:
    outside = put(tmp_path, "outside.csv", "password\nhunter2\n")
    put(tree, "a.csv", "a\n1\n")
    put(tree, "sub/b.csv", "b\n1\n")
    put(tmp_path, "elsewhere/b.csv", "password\nhunter2\n")
    with at(tree) as connector:
        connector.schemas()
        (tree / "a.csv").unlink()
        (tree / "a.csv").symlink_to(outside)
        (tree / "sub/b.csv").unlink()
        (tree / "sub").rmdir()
        (tree / "sub").symlink_to(tmp_path / "elsewhere")
        found = everything(connector)
    assert found["root"]["a"].columns == ()
    assert found["sub"]["b"].columns == ()


def test_a_folder_that_becomes_a_link_while_it_is_opened_is_not_followed(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tree, "mine/deep/a.csv", "a\n1\n")
    put(tmp_path, "elsewhere/deep/a.csv", "password\nhunter2\n")
    real = os.path.realpath

    def swapped(path: str, **named: bool) -> str:
        resolved = real(path, **named)
        if resolved.endswith("deep"):  # right after the check that the path lies below the allowed folder
            shutil.rmtree(tree / "mine", ignore_errors=True)
            (tree / "mine").symlink_to(tmp_path / "elsewhere")
            monkeypatch.setattr("os.path.realpath", real)
        return resolved

    monkeypatch.setattr("os.path.realpath", swapped)
    with opened("nfs", {"path": str(tree / "mine/deep")}, roots=(str(tree),)) as connector:
        assert failure(connector.verify).kind in {"not_found", "permission"}
    assert (tree / "mine").is_symlink()


def test_a_table_that_vanished_is_left_out(tree: Path) -> None:
    put(tree, "a.csv", "a\n1\n")
    put(tree, "b.csv", "a\n1\n")
    with at(tree) as connector:
        connector.schemas()
        (tree / "a.csv").unlink()
        assert [table.name for table in connector.tables("warehouse", "root", ["a", "b", "never"])] == ["b"]
        assert list(connector.tables("another", "root", ["b"])) == []


def test_paths_outside_the_allowed_folders_are_refused_without_saying_what_exists(tree: Path, tmp_path: Path) -> None:
    beside = tmp_path / "warehouse-2"
    beside.mkdir()
    (tree / "up").symlink_to(tmp_path)
    said = []
    for path in (beside, tmp_path / "missing", tree / "up", Path("/etc")):
        with opened("nfs", {"path": str(path)}, roots=(str(tree),)) as connector:
            error = failure(connector.verify)
            assert error.kind == "permission"
            said.append(error.reason)
    assert len(set(said)) == 1
    assert "STOA_FILESYSTEM_ROOTS" in said[0]


def test_each_wrong_path_has_its_own_sentence(tree: Path) -> None:
    put(tree, "file.csv", "a\n1\n")
    for path, kind, words in (
        (tree / "missing", "not_found", "does not exist"),
        (tree / "file.csv", "not_found", "not a folder"),
    ):
        with opened("nfs", {"path": str(path)}, roots=(str(tree),)) as connector:
            error = failure(connector.verify)
        assert error.kind == kind
        assert words in error.reason
    with opened("nfs", {"path": str(tree)}) as connector:
        error = failure(connector.verify)
    assert error.kind == "bad_config"
    assert "STOA_FILESYSTEM_ROOTS" in error.reason


@pytest.mark.parametrize("path", ["relative", "/a/../b", "/a\x00b", "", "\\\\server\\share"])
def test_paths_that_cannot_be_meant_are_refused_by_the_model(path: str) -> None:
    with pytest.raises(ConnectorError) as caught:
        opened("nfs", {"path": path}, roots=("/",))
    assert caught.value.kind == "bad_config"
    assert "filesystem_config.path" in caught.value.reason


def test_nothing_stays_behind_after_closing(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    put(tree, "a.csv", "a\n1\n")
    before = len(os.listdir("/proc/self/fd"))
    connector = at(tree)
    everything(connector)
    assert [entry.name for folder in scratch.iterdir() for entry in folder.iterdir()] == []
    connector.close()
    connector.close()
    assert list(scratch.iterdir()) == []
    assert len(os.listdir("/proc/self/fd")) == before
