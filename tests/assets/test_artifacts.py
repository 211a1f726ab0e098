"""Artifacts: every way to make one, every variant of a preview and whether it is truncated, deleting."""

import base64
import io
import struct
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet
from pydantic import BaseModel

from resolvers.assets.artifacts import (
    create_artifact,
    delete_artifact,
    download_artifact,
    get_artifact,
    list_artifacts,
    preview_artifact,
)
from resolvers.assets.files import get_file, upload_file
from schema.assets.artifact import ArtifactCreate
from schema.assets.file import FileCreate
from tests.doors import Door, Sent
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", 640, 480) + b"\x08\x02\0\0\0"


def told(model: type[BaseModel], **given: Any) -> Any:
    """A body as somebody would send it; what is wrong in it is for the server to find."""
    given = {name: value for name, value in given.items() if value is not ...}
    return model.model_construct(_fields_set=set(given), **given)


async def make(world: World, door: Door, token: str | None = None, **given: Any) -> Any:
    """Create an artifact."""
    values = {"name": "Result", "artifact_type": "text", "content": "one\ntwo\nthree\n"} | given
    return await door(create_artifact, token or world.owner, artifact=told(ArtifactCreate, **values))


async def shown(world: World, door: Door, made: Any, **query: Any) -> Any:
    """A preview, with what every preview says taken off."""
    assert isinstance(made, dict), made
    seen = await door(preview_artifact, world.owner, resource_uri=made["resource_uri"], **query)
    assert isinstance(seen, dict), seen
    assert seen.pop("resource_uri") == made["resource_uri"]
    assert (seen.pop("content_type"), seen.pop("size_bytes")) == (made["content_type"], made["size"])
    return {name: value for name, value in seen.items() if value is not None and value != {}}


async def from_file(world: World, door: Door, kind: str, data: bytes, content_type: str = "image/png") -> Any:
    """An artifact that takes over a file."""
    about = told(FileCreate, key="in/a.bin", name="a")
    file = await door(upload_file, world.owner, about=about, file=Sent(data, "a.bin", content_type))
    return await make(world, door, artifact_type=kind, content=..., file_uri=file["resource_uri"])


def blobs(world: World) -> list[Path]:
    """Return what lies in the store."""
    return [path for path in (world.app.parts.settings.data / "blobs").rglob("*") if path.is_file()]


async def test_a_new_artifact_has_the_fields_of_a_file_and_its_type(world: World, door: Door) -> None:
    made = await make(world, door, description="d", tags=["a"])
    assert set(made) == {
        "resource_uri", "name", "key", "organization_id", "project_id", "owner_id", "created_at", "updated_at",
        "created_by", "updated_by", "type", "content_type", "size", "description", "tags", "artifact_type",
    }  # fmt: skip
    assert made["resource_uri"] == f"artifact:acme:{world.shop}:result"
    assert (made["type"], made["artifact_type"], made["key"]) == ("artifact", "text", "result.txt")
    assert (made["content_type"], made["size"]) == ("text/plain; charset=utf-8", 14)
    assert (made["description"], made["tags"], made["created_by"]) == ("d", ["a"], "olga")
    assert await door(get_artifact, world.owner, resource_uri=made["resource_uri"]) == made
    offer = await door(download_artifact, world.owner, resource_uri=made["resource_uri"])
    assert (offer["name"], offer["size"]) == ("result.txt", 14)
    got = await world.request("GET", offer["url"], token=world.owner)
    assert (got.content, got.headers["etag"]) == (b"one\ntwo\nthree\n", offer["etag"])


async def test_a_text_is_previewed_by_lines_and_bytes(world: World, door: Door) -> None:
    made = await make(world, door)
    whole = {"preview_type": "text", "truncated": False, "text": "one\ntwo\nthree\n"}
    assert await shown(world, door, made) == whole
    assert await shown(world, door, made, limit=3, max_bytes=14) == whole
    assert await shown(world, door, made, limit=2) == whole | {"truncated": True, "text": "one\ntwo\n"}
    assert await shown(world, door, made, max_bytes=5) == whole | {"truncated": True, "text": "one\nt"}
    cut = await make(world, door, content="aü")
    assert (await shown(world, door, cut, max_bytes=2))["text"] == "a"


async def test_a_csv_is_previewed_as_a_table(world: World, door: Door) -> None:
    made = await make(world, door, artifact_type="csv", content='id,note\n1,"a,\nb"\n2\n3,c\n')
    whole = {
        "preview_type": "tabular",
        "truncated": False,
        "columns": ["id", "note"],
        "rows": [["1", "a,\nb"], ["2", None], ["3", "c"]],
    }
    assert await shown(world, door, made) == whole
    assert await shown(world, door, made, limit=3) == whole
    assert await shown(world, door, made, limit=2) == whole | {"truncated": True, "rows": whole["rows"][:2]}
    assert await shown(world, door, made, max_bytes=18) == whole | {"truncated": True, "rows": whole["rows"][:1]}
    table = await make(world, door, artifact_type="csv", content=..., columns=["a", "b"], rows=[[1, None], [True, "x"]])
    assert (await shown(world, door, table))["rows"] == [["1", ""], ["true", "x"]]


async def test_a_table_is_kept_as_parquet_with_its_types(world: World, door: Door) -> None:
    rows = [[1, "a", 1.5, True, None, {"x": 1}], [2, None, 2, False, None, [1]]]
    columns = ["id", 'na"me', "half", "yes", "none", "deep"]
    made = await make(world, door, artifact_type="parquet", content=..., columns=columns, rows=rows)
    seen = await shown(world, door, made)
    assert (seen["preview_type"], seen["truncated"], seen["columns"]) == ("tabular", False, columns)
    assert seen["meta"]["total_rows"] == 2
    assert seen["meta"]["column_types"][:5] == ["BIGINT", "VARCHAR", "DOUBLE", "BOOLEAN", "VARCHAR"]
    assert [row[:5] for row in seen["rows"]] == [[1, "a", 1.5, True, None], [2, None, 2.0, False, None]]
    one = await shown(world, door, made, limit=1)
    assert (one["truncated"], len(one["rows"])) == (True, 1)
    few = await shown(world, door, made, max_bytes=1)
    assert (few["truncated"], few["rows"], few["meta"]["total_rows"]) == (True, [], 2)
    empty = await make(world, door, artifact_type="parquet", content=..., columns=["a"], rows=[])
    seen = await shown(world, door, empty)
    assert (seen["truncated"], seen["columns"], seen["rows"]) == (False, ["a"], [])


async def test_a_table_in_parquet_is_previewed_page_by_page(world: World, door: Door) -> None:
    rows = [[number, f"row {number}"] for number in range(7)]
    made = await make(world, door, artifact_type="parquet", content=..., columns=["n", "text"], rows=rows)
    pages = [await shown(world, door, made, limit=3, offset=offset) for offset in (0, 3, 6, 7, 10_000)]
    assert [page["rows"] for page in pages] == [rows[:3], rows[3:6], rows[6:], [], []]
    assert [page["truncated"] for page in pages] == [True, True, False, False, False]
    assert {page["meta"]["total_rows"] for page in pages} == {7}
    assert pages[0] == await shown(world, door, made, limit=3)
    lines = await make(world, door)
    refused = await door(preview_artifact, world.owner, resource_uri=lines["resource_uri"], offset=1)
    assert (refused.code, refused.status, refused.details["field"]) == ("INVALID_PARAMETER", 400, "offset")


async def test_of_a_wide_table_the_first_thousand_columns_are_previewed(world: World, door: Door) -> None:
    wide = ",".join(f"c{at}" for at in range(1001))
    cells = ",".join(map(str, range(1500)))
    seen = await shown(world, door, await from_file(world, door, "csv", f"{wide}\n{cells}\n".encode()))
    assert (len(seen["columns"]), len(seen["rows"][0]), seen["truncated"]) == (1000, 1000, True)
    assert seen["meta"]["total_columns"] == 1500
    made = io.BytesIO()
    parquet.write_table(pyarrow.table({f"c{at}": [at] for at in range(1002)}), made)
    seen = await shown(world, door, await from_file(world, door, "parquet", made.getvalue()))
    assert (len(seen["columns"]), seen["rows"], seen["truncated"]) == (1000, [[*range(1000)]], True)
    assert (seen["meta"]["total_columns"], seen["meta"]["total_rows"]) == (1002, 1)


async def test_json_and_charts_are_previewed_as_values(world: World, door: Door) -> None:
    made = await make(world, door, artifact_type="json", content=[1, {"a": None}, "x"])
    assert await shown(world, door, made) == {
        "preview_type": "json", "truncated": False, "value": [1, {"a": None}, "x"]
    }  # fmt: skip
    assert await shown(world, door, made, limit=2) == {
        "preview_type": "json", "truncated": True, "value": [1, {"a": None}], "meta": {"items": 3}
    }  # fmt: skip
    cut = await shown(world, door, made, max_bytes=4)
    assert (cut["preview_type"], cut["truncated"], cut["text"]) == ("text", True, "[1,{")
    chart = await make(world, door, artifact_type="chart", content={"mark": "bar"})
    assert (await shown(world, door, chart))["value"] == {"mark": "bar"}


async def test_json_that_nests_too_deep_for_an_answer_is_previewed_as_text(world: World, door: Door) -> None:
    for kind, deep in (("json", b"[" * 900 + b"]" * 900), ("chart", b'{"a":' * 101 + b"1" + b"}" * 101)):
        seen = await shown(world, door, await from_file(world, door, kind, deep))
        assert (seen["preview_type"], seen["text"]) == ("text", deep.decode())
        assert "100 levels" in seen["meta"]["note"]
    seen = await shown(world, door, await from_file(world, door, "json", b"[" * 100 + b"]" * 100))
    assert seen["preview_type"] == "json"


async def test_a_file_is_taken_over_and_a_picture_previewed(world: World, door: Door) -> None:
    made = await from_file(world, door, "image", PNG)
    assert (made["key"], made["content_type"], made["size"]) == ("a.bin", "image/png", len(PNG))
    refused = await door(get_file, world.owner, resource_uri=f"file:acme:{world.shop}:a")
    assert refused == "RESOURCE_NOT_FOUND"
    assert [path.read_bytes() for path in blobs(world)] == [PNG]
    picture = {"preview_type": "image", "truncated": False, "width": 640, "height": 480}
    assert await shown(world, door, made) == picture | {"data": base64.b64encode(PNG).decode()}
    assert await shown(world, door, made, max_bytes=24) == picture | {"truncated": True}


async def test_what_has_no_preview_says_so(world: World, door: Door) -> None:
    for kind in ("binary", "parquet"):
        made = await from_file(world, door, kind, b"\x00nothing", "application/x")
        seen = await shown(world, door, made)
        assert (seen["preview_type"], seen["truncated"]) == ("binary", True)
        assert seen["meta"]["note"]
        await door(delete_artifact, world.owner, resource_uri=made["resource_uri"])
    wrong = await from_file(world, door, "json", b"{no", "application/json")
    seen = await shown(world, door, wrong)
    assert (seen["preview_type"], seen["truncated"], seen["text"]) == ("text", False, "{no")


@pytest.mark.parametrize(
    "query", [{"limit": 0}, {"limit": 10_001}, {"max_bytes": 0}, {"max_bytes": 1_048_577}, {"offset": -1}]
)
async def test_the_bounds_of_a_preview_hold(world: World, door: Door, query: dict[str, int]) -> None:
    uri = (await make(world, door))["resource_uri"]
    refused = await door(preview_artifact, world.owner, resource_uri=uri, **query)
    assert (refused.code, refused.status, refused.details["field"]) == ("INVALID_PARAMETER", 400, *query)
    least, most = {"limit": (1, 10_000), "max_bytes": (1, 1_048_576), "offset": (0, 0)}[next(iter(query))]
    nearest = {name: min(max(value, least), most) for name, value in query.items()}
    assert isinstance(await door(preview_artifact, world.owner, resource_uri=uri, **nearest), dict)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"content": ...}, "content"),
        ({"columns": ["a"], "rows": [[1]]}, "columns"),
        ({"file_uri": "file:acme:x:y"}, "file_uri"),
        ({"rows": [[1]]}, "rows"),
        ({"content": {"a": 1}}, "content"),
        ({"artifact_type": "csv", "content": 5}, "content"),
        ({"artifact_type": "chart", "content": [1]}, "content"),
        ({"artifact_type": "parquet", "content": "x"}, "content"),
        ({"artifact_type": "image", "content": "x"}, "content"),
        ({"artifact_type": "json", "content": ..., "columns": ["a"], "rows": []}, "columns"),
        ({"artifact_type": "csv", "content": ..., "columns": ["a", "A"], "rows": []}, "columns"),
        ({"artifact_type": "csv", "content": ..., "columns": ["a"], "rows": [[1], [1, 2]]}, "rows.1"),
        ({"name": "n" * 256}, "name"),
        ({"description": "d" * 1001}, "description"),
        ({"tags": ["t"] * 101}, "tags"),
        ({"resource_uri": "Not A Slug"}, "resource_uri"),
    ],
)
async def test_what_cannot_be_an_artifact_is_refused_and_leaves_nothing(
    world: World, door: Door, given: dict[str, Any], field: str
) -> None:
    before = await world.dump()
    refused = await make(world, door, **given)
    assert (refused.status, refused.code, refused.details["field"]) == (422, "VALIDATION_ERROR", field)
    assert (await world.dump(), blobs(world)) == (before, [])


async def test_columns_without_rows_are_incomplete(world: World, door: Door) -> None:
    refused = await make(world, door, artifact_type="csv", content=..., columns=["a"])
    assert (refused.code, refused.status, refused.details["field"]) == ("MISSING_REQUIRED_FIELD", 400, "rows")


async def test_a_file_is_taken_over_only_by_who_may_delete_it(world: World, door: Door) -> None:
    about = told(FileCreate, key="k", name="mine")
    file = await door(upload_file, world.owner, about=about, file=Sent(b"x"))
    developer = await world.member("developer")
    before = await world.dump()
    given = {"content": ..., "artifact_type": "binary", "file_uri": file["resource_uri"]}
    assert await make(world, door, developer, **given) == "FORBIDDEN"
    assert await make(world, door, world.foreign_owner, **given) == "RESOURCE_NOT_FOUND"
    assert await world.dump() == before
    assert len(blobs(world)) == 1


async def test_a_taken_uri_is_refused(world: World, door: Door) -> None:
    await make(world, door, resource_uri="given")
    before = await world.dump()
    taken = await make(world, door, resource_uri="given")
    assert (taken.code, taken.status) == ("RESOURCE_ALREADY_EXISTS", 409)
    assert await world.dump() == before
    assert len(blobs(world)) == 1


async def test_artifacts_are_listed_filtered_and_deleted(world: World, door: Door) -> None:
    before = await world.dump()
    first = await make(world, door, name="b", tags=["x"])
    await make(world, door, name="a", artifact_type="json", content=None)

    async def names(**query: Any) -> list[str]:
        return [item["name"] for item in (await door(list_artifacts, world.owner, **query))["items"]]

    assert await names() == ["a", "b"]
    assert await names(artifact_type="json") == ["a"]
    assert await names(tags="x") == ["b"]
    assert await names(sort="artifact_type:desc") == ["b", "a"]
    assert await door(delete_artifact, world.foreign_owner, resource_uri=first["resource_uri"]) == "RESOURCE_NOT_FOUND"
    for uri in (first["resource_uri"], f"artifact:acme:{world.shop}:a"):
        gone = await door(delete_artifact, world.owner, resource_uri=uri)
        assert gone == {"resource_uri": uri, "message": "The artifact was deleted."}
    assert (await world.dump(), blobs(world)) == (before, [])
