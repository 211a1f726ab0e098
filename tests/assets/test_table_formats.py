"""The rows of a table as CSV, XLSX and JSON: the same rows, for the same readers, within bounds, without formulas."""

import csv
import io
import re
import sys
import zipfile
from typing import Any

import orjson
import pytest

from resolvers.assets import artifacts
from resolvers.assets.artifacts import create_artifact, download_artifact
from schema.assets.artifact import ArtifactCreate, TableFormat
from tests.doors import Door, Refused, RestDoor
from tests.world import World

pytestmark = pytest.mark.anyio

COLUMNS = ["n", "=note", "half", "yes", "deep"]
ROWS: list[list[Any]] = [
    [1, '=HYPERLINK("http://x")', -1.5, True, {"a": [1]}],
    [-2, "+49 30 1", None, False, None],
    [3, "@SUM(A1)", 2.0, None, [1, 2]],
    [None, 'ü, "quoted"\nline', 0.1, True, "-x"],
    [5, "\t=1", 1e300, True, None],
]


async def table(world: World, columns: list[str] = COLUMNS, rows: list[list[Any]] = ROWS, **given: Any) -> str:
    """A table that is kept; its URI."""
    artifact = ArtifactCreate(**{"name": "Result", "artifact_type": "parquet"} | given, columns=columns, rows=rows)
    made = await RestDoor(world.client)(create_artifact, world.owner, artifact=artifact)
    return str(made["resource_uri"])


async def had(world: World, door: Door, uri: str, form: TableFormat, **how: Any) -> tuple[dict[str, Any], bytes]:
    """Return what a door offers, and the bytes."""
    offer = await door(download_artifact, world.owner, resource_uri=uri, format=form)
    assert not isinstance(offer, Refused), offer
    got = await world.request("GET", offer["url"], token=world.owner, **how)
    assert got.status_code in (200, 206), got.text
    return offer, got.content


async def test_rows_are_had_as_csv_without_a_formula(world: World, door: Door) -> None:
    offer, data = await had(world, door, await table(world), TableFormat.CSV)
    assert (offer["name"], offer["content_type"], offer["size"]) == ("result.csv", "text/csv; charset=utf-8", len(data))
    assert list(csv.reader(io.StringIO(data.decode(), newline=""))) == [
        ["n", "'=note", "half", "yes", "deep"],
        ["1", '\'=HYPERLINK("http://x")', "-1.5", "true", '{"a":[1]}'],
        ["-2", "'+49 30 1", "", "false", ""],
        ["3", "'@SUM(A1)", "2.0", "", "[1,2]"],
        ["", 'ü, "quoted"\nline', "0.1", "true", '"-x"'],
        ["5", "'\t=1", "1e+300", "true", ""],
    ]


async def test_rows_are_had_as_json_records(world: World, door: Door) -> None:
    offer, data = await had(world, door, await table(world), TableFormat.JSON)
    assert (offer["name"], offer["content_type"]) == ("result.json", "application/json")
    found = orjson.loads(data)
    assert [list(row) for row in found] == [COLUMNS] * 5
    assert [list(row.values())[:4] for row in found] == [row[:4] for row in ROWS]


async def test_rows_are_had_as_a_workbook_whose_texts_are_texts(world: World, door: Door) -> None:
    offer, data = await had(world, door, await table(world), TableFormat.XLSX)
    assert offer["name"] == "result.xlsx"
    assert offer["content_type"] == "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert "<f>" not in sheet
    assert "hyperlink" not in sheet.replace("=HYPERLINK", "")
    cells = dict(re.findall(r'<c r="([A-Z]+[0-9]+)"[^>]*>(.*?)</c>', sheet, re.DOTALL))
    assert [cells[at] for at in ("A2", "A3", "C2", "D2")] == ["<v>1</v>", "<v>-2</v>", "<v>-1.5</v>", "<v>1</v>"]
    assert "=HYPERLINK" in cells["B2"]
    assert "@SUM(A1)" in cells["B4"]
    assert "A5" not in cells
    # The same rows make the same bytes, so that a range of them can be asked for.
    again, part = await had(
        world, door, await table(world, name="Other"), TableFormat.XLSX, headers={"Range": "bytes=2-5"}
    )
    assert (again["etag"], part) == (offer["etag"], data[2:6])


async def test_as_parquet_it_comes_as_it_is_kept(world: World, door: Door) -> None:
    uri = await table(world)
    plain = await door(download_artifact, world.owner, resource_uri=uri)
    offer, data = await had(world, door, uri, TableFormat.PARQUET)
    assert (offer["etag"], offer["name"], data[:4]) == (plain["etag"], plain["name"], b"PAR1")


async def test_what_cannot_be_had_so_is_refused_and_told(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri, text = await table(world), await table(world, artifact_type="csv", name="Text")

    async def refused(asked: str, form: TableFormat) -> str:
        got = await door(download_artifact, world.owner, resource_uri=asked, format=form)
        assert isinstance(got, Refused), got
        assert (got.code, got.status, got.details["field"]) == ("INVALID_PARAMETER", 400, "format")
        return got.message

    assert "Only a Parquet table" in await refused(text, TableFormat.JSON)
    monkeypatch.setattr(artifacts, "MOST_TABLE_ROWS", 4)
    assert "5 rows" in await refused(uri, TableFormat.CSV)
    monkeypatch.setattr(artifacts, "MOST_TABLE_ROWS", 5)
    for form in (TableFormat.CSV, TableFormat.XLSX, TableFormat.JSON):
        monkeypatch.setattr(artifacts, "MOST_TABLE_BYTES", 50)
        assert "too large" in await refused(uri, form)
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    assert "stoa-platform[xlsx]" in await refused(uri, TableFormat.XLSX)
    assert (await had(world, door, uri, TableFormat.CSV))[1]


async def test_who_may_not_read_the_table_has_it_in_no_format(world: World, door: Door) -> None:
    uri = await table(world)
    for form in TableFormat:
        got = await door(download_artifact, world.foreign_owner, resource_uri=uri, format=form)
        assert got.code in ("RESOURCE_NOT_FOUND", "FORBIDDEN", "ORG_ACCESS_DENIED"), got
