"""The metadata catalog through both doors and on both stores."""

from typing import Any

import httpx
import pytest

from persistence.queries.catalog_ingest import upsert_source
from persistence.repository import Scope
from resolvers.assets.data_connections import create_data_connection
from resolvers.engines.catalog_diff import judge
from resolvers.utils.metadata import (
    create_metadata,
    delete_metadata,
    get_metadata,
    search_metadata,
    update_metadata,
)
from schema.assets.data_connection import ConnectionType, DataConnectionCreate
from schema.utils.metadata_asset import (
    AssetOwnerInput,
    AssetSort,
    AssetTagInput,
    AssetType,
    MetadataAsset,
    MetadataAssetCreate,
    MetadataAssetUpdate,
    SortOrder,
)
from schema.utils.source_asset import SourceAsset
from tests.conftest import Statements
from tests.doors import Door, RestDoor, revision_of
from tests.support.catalog import source
from tests.world import ORG, World

pytestmark = pytest.mark.anyio

ORDERS = {
    "orders": {"id": "INTEGER", "email": {"data_type": "VARCHAR", "description": "where to write to"}},
    "customers": {"id": "INTEGER"},
}


@pytest.fixture
async def uri(world: World) -> str:
    """A connection of the project shop whose source has been taken in as the service `main`."""
    config = {"host": "127.0.0.1", "port": 5432, "database": "db"}
    connection = DataConnectionCreate(
        name="Main",
        connection_type=ConnectionType.POSTGRES,
        database_config=config,
        credentials={"username": "u", "password": "p"},
    )
    made = await RestDoor(world.client)(create_data_connection, world.owner, connection=connection)
    await take(
        world, made["resource_uri"], source(ORDERS, orders={"description": "what was bought", "row_count": 2**40})
    )
    found: str = made["resource_uri"]
    return found


async def take(world: World, uri: str, said: list[SourceAsset]) -> None:
    scope, now = Scope(ORG, world.shop), world.clock()
    await world.app.parts.services.store.write(
        lambda uow: upsert_source(uow.connection, scope, uri, "main", said, actor="ingest", now=now, judge=judge)
    )


def at(uri: str, fqn: str = "main.db.public.orders", **more: Any) -> dict[str, Any]:
    return {"resource_type": "data_connection", "resource_uri": uri, "fqn": fqn, **more}


def names(page: Any) -> list[str]:
    return [item["name"] for item in page["items"]]


async def test_an_asset_is_read_by_its_name_with_every_documented_field(world: World, door: Door, uri: str) -> None:
    asset = await door(get_metadata, world.owner, **at(uri))
    assert set(asset) == set(MetadataAsset.model_fields)
    assert (asset["name"], asset["type"], asset["version"], asset["description"]) == (
        "orders", "table", "0.1", "what was bought",
    )  # fmt: skip
    assert (asset["row_count"], asset["column_count"], asset["children"], asset["children_total"]) == (
        2**40,
        2,
        None,
        2,
    )
    assert (asset["organization_id"], asset["project_id"], asset["resource_uri"]) == (ORG, world.shop, uri)
    assert asset["created_at"].endswith("Z")
    assert asset["change_description"]["previous_version"] == ""


async def test_children_come_in_the_order_of_their_positions(world: World, door: Door, uri: str) -> None:
    asset = await door(get_metadata, world.owner, **at(uri, include_children=True))
    assert [(child["name"], child["ordinal_position"]) for child in asset["children"]] == [("id", 1), ("email", 2)]
    schema = await door(get_metadata, world.owner, **at(uri, "main.db.public", include_children=True))
    assert [child["name"] for child in schema["children"]] == ["customers", "orders"]


async def test_a_version_and_children_cannot_be_asked_for_together(world: World, door: Door, uri: str) -> None:
    refused = await door(get_metadata, world.owner, **at(uri, version="0.1", include_children=True))
    assert (refused.code, refused.status) == ("INVALID_PARAMETER", 400)


@pytest.mark.parametrize("version", ["1", "a.b", "1.2.3", ""])
async def test_a_malformed_version_is_a_400(world: World, door: Door, uri: str, version: str) -> None:
    refused = await door(get_metadata, world.owner, **at(uri, version=version))
    assert (refused.code, refused.status) == ("INVALID_PARAMETER", 400)


async def test_an_unexpected_type_is_named(world: World, door: Door, uri: str) -> None:
    refused = await door(get_metadata, world.owner, **at(uri, asset_type=AssetType.COLUMN))
    assert (refused.code, refused.status, refused.details["actual"]) == ("VALIDATION_ERROR", 400, "table")


async def test_a_change_makes_a_version_and_the_old_one_can_be_read(world: World, door: Door, uri: str) -> None:
    before = await door(get_metadata, world.owner, **at(uri))
    changes = MetadataAssetUpdate(
        description="mine",
        owners=[AssetOwnerInput(name="Ann", type="user", id="u1")],
        tags=[AssetTagInput(tag_id="1", tag_fqn="Tier.Gold", category_name="Tier", tag_name="Gold")],
        version_change_reason="Asked by sales.",
    )
    after = await door(update_metadata, world.owner, **at(uri), changes=changes)
    assert (after["version"], after["description"], after["updated_by"]) == ("0.2", "mine", "olga")
    assert after["owners"] == [{"name": "Ann", "type": "user", "id": "u1"}]
    assert after["version_change_reason"] == "Asked by sales."
    assert after["change_description"] == {
        "fields_added": [{"field_name": "owners"}, {"field_name": "tags"}],
        "fields_updated": [{"field_name": "description"}],
        "fields_deleted": [],
        "previous_version": "0.1",
    }
    assert await door(get_metadata, world.owner, **at(uri)) == after
    assert await door(get_metadata, world.owner, **at(uri, version="0.1")) == before
    assert await door(get_metadata, world.owner, **at(uri, version="0.7")) == "RESOURCE_NOT_FOUND"


async def test_what_is_left_out_stays_and_null_clears(world: World, door: Door, uri: str) -> None:
    first = MetadataAssetUpdate(display_name="Orders", extension={"k": [1]}, is_pii_tagged=True)
    await door(update_metadata, world.owner, **at(uri), changes=first)
    kept = await door(update_metadata, world.owner, **at(uri), changes=MetadataAssetUpdate(business_rules="r"))
    assert (kept["display_name"], kept["extension"], kept["is_pii_tagged"]) == ("Orders", {"k": [1]}, True)
    cleared = await door(
        update_metadata, world.owner, **at(uri), changes=MetadataAssetUpdate(display_name=None, description=None)
    )
    assert (cleared["display_name"], cleared["description"]) == (None, "what was bought")


async def test_a_stale_version_is_a_conflict_and_changes_nothing(world: World, door: Door, uri: str) -> None:
    await door(update_metadata, world.owner, **at(uri), changes=MetadataAssetUpdate(description="first"))
    before = await world.dump()
    stale = MetadataAssetUpdate(description="second", expected_version="0.1")
    refused = await door(update_metadata, world.owner, **at(uri), changes=stale)
    assert (refused.code, refused.status, refused.details["version"]) == ("VERSION_CONFLICT", 409, "0.2")
    assert await world.dump() == before


async def test_if_match_guards_a_change(world: World, uri: str) -> None:
    path = f"/utils/data_connection/{uri}/metadata"
    headers = {"X-Project-ID": world.shop, "If-Match": '"1"'}
    how: dict[str, Any] = {"token": world.owner, "params": {"fqn": "main.db.public.orders"}, "headers": headers}
    first = await world.request("PUT", path, json={"description": "a"}, **how)
    second = await world.request("PUT", path, json={"description": "b"}, **how)
    assert (first.status_code, revision_of(first), second.status_code) == (200, 2, 409)


async def test_an_asset_is_written_by_hand_under_a_standing_parent(world: World, door: Door, uri: str) -> None:
    where = {"resource_type": "data_connection", "resource_uri": uri}
    column = MetadataAssetCreate(
        type=AssetType.COLUMN, fully_qualified_name="main.db.public.orders.note", data_type="TEXT", ordinal_position=3
    )
    made = await door(create_metadata, world.owner, **where, asset=column)
    assert (made["name"], made["version"], made["data_type"], made["created_by"]) == ("note", "0.1", "TEXT", "olga")
    assert (await door(get_metadata, world.owner, **at(uri)))["column_count"] == 3
    assert await door(create_metadata, world.owner, **where, asset=column) == "RESOURCE_ALREADY_EXISTS"
    orphan = MetadataAssetCreate(type=AssetType.COLUMN, fully_qualified_name="main.db.public.nothing.note")
    refused = await door(create_metadata, world.owner, **where, asset=orphan)
    assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"type": "table", "fully_qualified_name": "main.db.public"}, 422),
        ({"type": "table", "fully_qualified_name": 'main.db.public."x'}, 422),
        ({"type": "table", "fully_qualified_name": "main.db.public.x", "name": "y"}, 422),
        ({"type": "shelf", "fully_qualified_name": "main.db.public.x"}, 422),
        ({"type": "table", "fully_qualified_name": "main.db.public.x", "description": "a\u0000b"}, 422),
        ({"type": "table", "fully_qualified_name": "main.db.public.x", "extension": {"n": 2**70}}, 422),
        ({"type": "table", "fully_qualified_name": "main.db.public.x", "row_count": -1}, 422),
        ({"type": "table", "fully_qualified_name": "main.db.public.x", "row_count": "1"}, 400),
        ({"type": "table"}, 400),
        ({"type": "table", "fully_qualified_name": "main.db.public.x", "colour": "blue"}, 400),
    ],
)
async def test_a_body_that_does_not_fit_is_refused(world: World, uri: str, body: dict[str, Any], status: int) -> None:
    before = await world.dump()
    answer = await post(world, uri, body)
    assert answer.status_code == status, answer.text
    assert await world.dump() == before


async def post(world: World, uri: str, body: dict[str, Any]) -> httpx.Response:
    path = f"/utils/data_connection/{uri}/metadata"
    return await world.request("POST", path, token=world.owner, headers={"X-Project-ID": world.shop}, json=body)


async def test_a_deleted_asset_is_gone_with_all_below_it(world: World, door: Door, uri: str) -> None:
    done = await door(delete_metadata, world.owner, **at(uri))
    assert "deleted" in done["message"]
    for fqn in ("main.db.public.orders", "main.db.public.orders.id"):
        assert await door(get_metadata, world.owner, **at(uri, fqn)) == "RESOURCE_NOT_FOUND"
    assert names(await door(search_metadata, world.owner, asset_type=AssetType.TABLE)) == ["customers"]
    gone = await door(search_metadata, world.owner, q="_exists_:deleted_at")
    assert (names(gone), gone["total"]) == (["email", "id", "orders"], 3)


async def test_the_search_speaks_its_language(world: World, door: Door, uri: str) -> None:
    found: dict[str, list[str]] = {
        "bought": ["orders"],
        "name:ord*": ["orders"],
        "columns.name:email AND type:table": ["orders"],
        'description:"where to write"': ["email"],
        "row_count:>1000000": ["orders"],
        "type:column AND NOT id": ["email"],
        "(name:id OR name:email) AND data_type:varchar": ["email"],
        "_exists_:owners": [],
        "orders && type:table": ["orders"],
        "type:table && !orders": ["customers"],
        "!orders && !customers && type:table": [],
        "name:id || name:email": ["email", "id", "id"],
        "public.orders": ["orders"],
        "main.db.public.orders": ["orders"],
        "Public.ORDERS": ["orders"],
        "orders.email": ["email"],
        "public.customers.email": [],
        "public.ord*": ["orders"],
        "db.public.*": ["customers", "orders"],
        "orders & type:table": ["orders"],
    }
    for q, expected in found.items():
        assert names(await door(search_metadata, world.owner, q=q)) == expected, q


async def test_a_page_of_the_search_is_sorted_counted_and_cut(world: World, door: Door, uri: str) -> None:
    how: dict[str, Any] = {"fqn_prefix": "main.db.public", "sort_by": AssetSort.NAME, "sort_order": SortOrder.DESC}
    page = await door(search_metadata, world.owner, **how, limit=1, offset=1)
    assert (names(page), page["total"]) == (["customers"], 2)
    page = await door(
        search_metadata, world.owner, resource_uri=uri, sort_by=AssetSort.ORDINAL_POSITION, asset_type=AssetType.COLUMN
    )
    assert [item["ordinal_position"] for item in page["items"]] == [1, 1, 2]
    called = {"q": "orders OR email", "sort_by": AssetSort.RELEVANCE}
    assert names(await door(search_metadata, world.owner, **called))[:2] == ["orders", "email"]
    assert (
        names(await door(search_metadata, world.owner, q="type:table", sort_by=AssetSort.RELEVANCE))[0] == "customers"
    )


async def test_the_search_answers_in_the_documented_shape(world: World, uri: str) -> None:
    answer = await world.request(
        "GET", "/utils/search/metadata", token=world.owner, params={"limit": 2}, headers={"X-Project-ID": world.shop}
    )
    body = answer.json()
    assert body["pagination"] == {"offset": 0, "limit": 2, "total": 7}
    assert [set(item) for item in body["results"]] == [set(MetadataAsset.model_fields)] * 2


@pytest.mark.parametrize(
    "q",
    [
        "name:",
        "(a",
        'say "x',
        "nope:1",
        "AND",
        "a~2",
        "!!!",
        "&&",
        "a ||",
        "@@@",
        "!",
        "(" * 30 + "a" + ")" * 30,
        "x" * 2001,
    ],
)
async def test_a_malformed_query_is_a_400_with_its_position(world: World, door: Door, uri: str, q: str) -> None:
    refused = await door(search_metadata, world.owner, q=q)
    assert (refused.code, refused.status) == ("SEARCH_QUERY_INVALID", 400)
    assert 0 <= refused.details["position"] <= len(q)
    assert refused.message.endswith(".")


@pytest.mark.parametrize(
    "bad", [{"limit": 0}, {"limit": 201}, {"offset": -1}, {"sort_by": "colour"}, {"asset_type": "x"}]
)
async def test_parameters_out_of_range_are_a_400(world: World, uri: str, bad: dict[str, Any]) -> None:
    answer = await world.request(
        "GET", "/utils/search/metadata", token=world.owner, params=bad, headers={"X-Project-ID": world.shop}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_PARAMETER")


async def test_a_viewer_reads_and_may_not_write(world: World, door: Door, uri: str) -> None:
    viewer = await world.member("viewer")
    assert (await door(get_metadata, viewer, **at(uri)))["name"] == "orders"
    assert (await door(search_metadata, viewer))["total"] == 7
    before = await world.dump()
    asset = MetadataAssetCreate(type=AssetType.DATABASE, fully_qualified_name="main.other")
    assert await door(update_metadata, viewer, **at(uri), changes=MetadataAssetUpdate(description="x")) == "FORBIDDEN"
    assert await door(delete_metadata, viewer, **at(uri)) == "FORBIDDEN"
    where = {"resource_type": "data_connection", "resource_uri": uri}
    assert await door(create_metadata, viewer, **where, asset=asset) == "FORBIDDEN"
    assert await world.dump() == before


async def test_another_tenants_catalog_looks_like_none(world: World, door: Door, uri: str) -> None:
    stranger = await door(get_metadata, world.foreign_owner, **at(uri))
    missing = await door(get_metadata, world.foreign_owner, **at("data:acme:shop:none"))
    assert stranger.code == missing.code == "RESOURCE_NOT_FOUND"
    assert stranger.message.replace(uri, "X") == missing.message.replace("data:acme:shop:none", "X")
    assert await door(search_metadata, world.foreign_owner, q="orders") == {"items": [], "total": 0}


async def test_a_sibling_project_sees_none_of_it(world: World, door: Door, uri: str) -> None:
    in_lab = world.token("olga", project=world.lab)
    assert await door(search_metadata, in_lab) == {"items": [], "total": 0}
    assert await door(get_metadata, in_lab, **at(uri)) == "RESOURCE_NOT_FOUND"


@pytest.mark.parametrize("path", ["/utils/search/metadata", "/utils/data_connection/{uri}/metadata?fqn=main.db"])
async def test_the_project_header_is_required(world: World, uri: str, path: str) -> None:
    answer = await world.request("GET", path.format(uri=uri), token=world.owner)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "MISSING_REQUIRED_FIELD")


async def test_reading_costs_the_same_statements_however_many_children_there_are(
    world: World, uri: str, statements: Statements
) -> None:
    door = RestDoor(world.client)
    wide = source({**ORDERS, "wide": {f"c{n}": "INTEGER" for n in range(120)}})
    await take(world, uri, wide)
    for name in ("orders", "customers"):  # the first one also reads what later ones remember
        await statements.anew()
        await door(get_metadata, world.owner, **at(uri, f"main.db.public.{name}", include_children=True))
    narrow = len(statements)
    for more in (1, 0):  # the first one finds no documents, and has them stored
        await statements.anew()
        answer = await door(get_metadata, world.owner, **at(uri, "main.db.public.wide", include_children=True))
        assert (len(statements), len(answer["children"])) == (narrow + more, 120)
        await world.app.parts.services.documents.settled()
        world.app.parts.services.answers._kept.clear()


async def test_a_resource_type_that_there_is_not_is_refused(world: World, door: Door) -> None:
    arguments = {"resource_type": "spaceship", "resource_uri": "x", "fqn": "a.b"}
    assert await door(get_metadata, world.owner, **arguments) == "INVALID_PARAMETER"
