"""Files: uploading through both doors, keys and URIs, what is told of them, downloading, deleting."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from persistence.tables.files import files as table
from resolvers.assets.files import delete_file, download_file, get_file, list_files, update_file, upload_file
from schema.assets.file import FileChange, FileCreate
from tests.doors import Door, Sent
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

FIELDS = {
    "resource_uri", "name", "key", "organization_id", "project_id", "owner_id", "created_at", "updated_at",
    "created_by", "updated_by", "type", "content_type", "size", "description", "tags",
}  # fmt: skip
CSV = Sent(b"id,total\n1,2.5\n", "orders.csv", "text/csv")


def told(model: type[BaseModel], **given: Any) -> Any:
    """A body as somebody would send it; what is wrong in it is for the server to find."""
    given = {name: value for name, value in given.items() if value is not ...}
    return model.model_construct(_fields_set=set(given), **given)


async def upload(world: World, door: Door, token: str | None = None, file: Sent = CSV, **given: Any) -> Any:
    """Upload a file."""
    about = told(FileCreate, **({"key": "reports/orders.csv", "name": "Orders"} | given))
    return await door(upload_file, token or world.owner, about=about, file=file)


def blobs(world: World) -> list[Path]:
    """Return what lies in the store."""
    folder = world.app.parts.settings.data / "blobs"
    return sorted(path for path in folder.rglob("*") if path.is_file())


async def test_an_uploaded_file_is_told_and_has_every_documented_field(world: World, door: Door) -> None:
    made = await upload(world, door, description="d", tags=["a", "b"])
    uri = f"file:acme:{world.shop}:orders"
    assert made == {
        "resource_uri": uri,
        "url": f"/assets/files/{uri}/download",
        "key": "reports/orders.csv",
        "name": "Orders",
        "message": "Uploaded Orders.",
        "size": len(CSV.data),
        "content_type": "text/csv",
    }
    found = await door(get_file, world.owner, resource_uri=uri)
    assert set(found) == FIELDS
    assert (found["organization_id"], found["project_id"], found["type"]) == ("acme", world.shop, "file")
    assert found["owner_id"] == found["created_by"] == found["updated_by"] == "olga"
    assert (found["description"], found["tags"], found["size"]) == ("d", ["a", "b"], len(CSV.data))
    assert found["created_at"] == found["updated_at"]
    assert [path.read_bytes() for path in blobs(world)] == [CSV.data]
    bare = await upload(world, door, key="k", name="n")
    found = await door(get_file, world.owner, resource_uri=bare["resource_uri"])
    assert (found["description"], found["tags"]) == (None, [])


async def test_a_download_offers_the_bytes_that_were_uploaded(world: World, door: Door) -> None:
    uri = (await upload(world, door))["resource_uri"]
    offer = await door(download_file, world.owner, resource_uri=uri)
    assert offer["name"] == "orders.csv"
    assert (offer["content_type"], offer["size"]) == ("text/csv", len(CSV.data))
    assert offer["url"] == f"/assets/files/{uri}/download"
    got = await world.request("GET", offer["url"], token=world.owner)
    assert (got.status_code, got.content, got.headers["etag"]) == (200, CSV.data, offer["etag"])
    assert (await world.request("GET", offer["url"], token=world.foreign_owner)).status_code == 404


async def test_an_empty_file_is_a_file(world: World, door: Door) -> None:
    made = await upload(world, door, file=Sent(b""))
    assert made["size"] == 0
    got = await world.request("GET", made["url"], token=world.owner)
    assert (got.status_code, got.content) == (200, b"")


async def test_a_key_stands_for_one_file_of_its_project(world: World, door: Door) -> None:
    await upload(world, door)
    before, kept = await world.dump(), blobs(world)
    taken = await upload(world, door, name="Other")
    assert (taken.code, taken.status, taken.details["field"]) == ("RESOURCE_ALREADY_EXISTS", 409, "key")
    assert (await world.dump(), blobs(world)) == (before, kept)
    about = told(FileCreate, key="reports/orders.csv", name="Orders")
    elsewhere = await door(upload_file, world.owner, {"X-Project-ID": world.lab}, about=about, file=CSV)
    assert elsewhere["resource_uri"] == f"file:acme:{world.lab}:orders"


async def test_a_taken_uri_is_refused_and_one_made_of_the_name_is_unique(world: World, door: Door) -> None:
    made = [(await upload(world, door, key=f"k{at}"))["resource_uri"] for at in range(2)]
    assert made == [f"file:acme:{world.shop}:orders", f"file:acme:{world.shop}:orders-2"]
    await upload(world, door, key="given", resource_uri="given")
    before, kept = await world.dump(), blobs(world)
    taken = await upload(world, door, key="again", resource_uri="given")
    assert (taken.code, taken.status) == ("RESOURCE_ALREADY_EXISTS", 409)
    assert taken.details == {"resource_type": "file", "resource_id": f"file:acme:{world.shop}:given"}
    assert (await world.dump(), blobs(world)) == (before, kept)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"key": "/abs"}, "key"),
        ({"key": "end/"}, "key"),
        ({"key": "a/../b"}, "key"),
        ({"key": ".."}, "key"),
        ({"key": "a//b"}, "key"),
        ({"key": "./a"}, "key"),
        ({"key": "a\nb"}, "key"),
        ({"key": "k" * 1025}, "key"),
        ({"key": ""}, "key"),
        ({"name": ""}, "name"),
        ({"name": "   "}, "name"),
        ({"name": "n" * 256}, "name"),
        ({"description": "d" * 1001}, "description"),
        ({"tags": ["t" * 256]}, "tags.0"),
        ({"tags": [f"t{at}" for at in range(101)]}, "tags"),
        ({"resource_uri": "Not A Slug"}, "resource_uri"),
        ({"resource_uri": "a" * 101}, "resource_uri"),
    ],
)
async def test_what_lies_beyond_its_bounds_is_refused_and_leaves_nothing(
    world: World, door: Door, given: dict[str, Any], field: str
) -> None:
    before = await world.dump()
    refused = await upload(world, door, **given)
    assert (refused.status, refused.code, refused.details["field"]) == (422, "VALIDATION_ERROR", field)
    assert (await world.dump(), blobs(world)) == (before, [])


@pytest.mark.parametrize(
    "given",
    [
        {"key": "k" * 1024},
        {"key": "a..b/...c/ü 1"},
        {"name": "n" * 255},
        {"description": "d" * 1000},
        {"tags": ["t" * 255] * 100},
        {"resource_uri": "a" * 100},
    ],
)
async def test_what_lies_within_its_bounds_is_kept(world: World, door: Door, given: dict[str, Any]) -> None:
    made = await upload(world, door, **given)
    found = await door(get_file, world.owner, resource_uri=made["resource_uri"])
    for name, value in given.items():
        assert found[name].rsplit(":", 1)[1] == value if name == "resource_uri" else found[name] == value


async def test_who_may_not_create_is_refused_and_nothing_stays(world: World, door: Door) -> None:
    viewer = await world.member("viewer")
    before = await world.dump()
    refused = await upload(world, door, viewer)
    assert (refused.code, refused.status) == ("FORBIDDEN", 403)
    assert (await world.dump(), blobs(world)) == (before, [])


async def test_an_upload_under_a_key_of_idempotency_is_done_once(world: World, door: Door) -> None:
    about = told(FileCreate, key="k", name="n")
    headers = {"Idempotency-Key": "once"}
    first = await door(upload_file, world.owner, headers, about=about, file=CSV)
    again = await door(upload_file, world.owner, headers, about=about, file=CSV)
    assert first == again
    assert len(blobs(world)) == 1
    other = await door(upload_file, world.owner, headers, about=about, file=Sent(b"other"))
    assert (other.code, other.status) == ("RESOURCE_ALREADY_EXISTS", 409)
    assert len(blobs(world)) == 1


async def test_what_is_told_of_a_file_can_change(world: World, door: Door) -> None:
    uri = (await upload(world, door, description="d", tags=["t"]))["resource_uri"]
    named = await door(update_file, world.owner, resource_uri=uri, changes=told(FileChange, name="New"))
    assert (named["name"], named["description"], named["tags"]) == ("New", "d", ["t"])
    assert named["updated_at"] > named["created_at"]
    cleared = await door(
        update_file, world.owner, resource_uri=uri, changes=told(FileChange, description=None, tags=[])
    )
    assert (cleared["name"], cleared["description"], cleared["tags"]) == ("New", None, [])
    for wrong in ({"name": ""}, {"name": "n" * 256}, {"description": "d" * 1001}, {"tags": ["a,b"]}):
        refused = await door(update_file, world.owner, resource_uri=uri, changes=told(FileChange, **wrong))
        assert (refused.status, refused.code) == (422, "VALIDATION_ERROR"), wrong
    assert await door(get_file, world.owner, resource_uri=uri) == cleared
    stale = await door(
        update_file, world.owner, {"If-Match": '"1"'}, resource_uri=uri, changes=told(FileChange, name="Late")
    )
    assert (stale.code, stale.status) == ("VERSION_CONFLICT", 409)


async def test_a_deleted_file_is_gone_with_its_bytes_and_relations(world: World, door: Door) -> None:
    before = await world.dump()
    uri = (await upload(world, door))["resource_uri"]
    await world.grant("ann", "viewer", "file", uri)
    stale = await door(delete_file, world.owner, {"If-Match": '"7"'}, resource_uri=uri)
    assert stale == "VERSION_CONFLICT"
    assert len(blobs(world)) == 1
    gone = await door(delete_file, world.owner, resource_uri=uri)
    assert gone == {"resource_uri": uri, "message": "The file was deleted."}
    assert (await world.dump(), blobs(world)) == (before, [])
    refused = await door(get_file, world.owner, resource_uri=uri)
    assert (refused.code, refused.details) == ("RESOURCE_NOT_FOUND", {"resource_type": "file", "resource_id": uri})
    assert (await upload(world, door))["resource_uri"] == uri


async def test_another_tenants_file_is_not_found(world: World, door: Door) -> None:
    uri = (await upload(world, door))["resource_uri"]
    before = await world.dump()
    for op, more in (
        (get_file, {}),
        (download_file, {}),
        (delete_file, {}),
        (update_file, {"changes": told(FileChange, name="x")}),
    ):
        refused = await door(op, world.foreign_owner, resource_uri=uri, **more)
        assert (refused.code, refused.status) == ("RESOURCE_NOT_FOUND", 404), op.name
        unknown = await door(op, world.owner, resource_uri="file:acme:x:none", **more)
        assert (unknown.code, unknown.status) == ("RESOURCE_NOT_FOUND", 404), op.name
    assert await world.dump() == before


async def test_a_list_is_sorted_searched_and_filtered(world: World, door: Door) -> None:
    ann = world.token("ann", project=world.shop)
    await world.grant("ann", "developer", "project", world.shop)
    await upload(world, door, key="a", name="alpha", description="50%_off", tags=["red", "big"])
    await upload(world, door, key="b", name="Beta", tags=["red"], file=Sent(b"x" * 99))
    await upload(world, door, ann, key="c", name="gamma", tags=['re"d'], file=Sent(b""))
    about = told(FileCreate, key="d", name="elsewhere")
    await door(upload_file, world.owner, {"X-Project-ID": world.lab}, about=about, file=CSV)

    async def names(**query: Any) -> list[str]:
        found = await door(list_files, world.owner, **query)
        assert isinstance(found, dict), found
        return [item["name"] for item in found["items"]]

    assert await names() == ["Beta", "alpha", "gamma"]
    assert await names(sort="size:desc") == ["Beta", "alpha", "gamma"]
    assert await names(sort="created_at:desc") == ["gamma", "Beta", "alpha"]
    assert await names(sort="created_at", page=2, limit=2) == ["gamma"]
    assert await names(search="ALP") == ["alpha"]
    assert await names(search="%_o") == ["alpha"]
    assert sorted(await names(tags="red")) == ["Beta", "alpha"]
    assert await names(tags="red, big") == ["alpha"]
    assert await names(tags='re"d') == ["gamma"]
    assert await names(created_by="user:ann") == ["gamma"]
    for wrong in ({"sort": "key:asc"}, {"limit": 101}, {"limit": 0}, {"page": 0}):
        refused = await door(list_files, world.owner, **wrong)
        assert (refused.code, refused.status) == ("INVALID_PARAMETER", 400), wrong


async def test_a_size_beyond_32_bits_is_told_exactly(world: World, door: Door) -> None:
    uri, size = (await upload(world, door))["resource_uri"], 5 * 2**30 + 1
    await world.app.parts.services.store.write(
        lambda uow: uow.connection.execute(table.update().where(table.c.resource_uri == uri).values(size=size))
    )
    assert (await door(get_file, world.owner, resource_uri=uri))["size"] == size
    assert (await door(list_files, world.owner))["items"][0]["size"] == size
