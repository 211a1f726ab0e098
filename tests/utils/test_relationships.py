"""References that people say by hand, through both doors and on both stores."""

from typing import Any

import pytest

from resolvers.utils.metadata import get_metadata
from resolvers.utils.relationships import add_relationship, remove_relationship
from schema.utils.metadata_asset import RelationshipCreate
from tests.doors import Door
from tests.support.catalog import source
from tests.utils.test_metadata import at, take, uri
from tests.world import World

__all__ = ["uri"]

pytestmark = pytest.mark.anyio

EMAIL, ID = "main.db.public.orders.email", "main.db.public.customers.id"


def to(target: str) -> dict[str, Any]:
    return {"relationship": RelationshipCreate(target_fqn=target)}


async def test_a_reference_is_said_by_hand_outlives_an_ingestion_and_is_taken_back(
    world: World, door: Door, uri: str
) -> None:
    said = await door(add_relationship, world.owner, **at(uri, EMAIL), **to(ID))
    [reference] = said["column_relationships"]
    told = {name: reference[name] for name in ("type", "schema", "table", "column", "approved_by")}
    assert told == {
        "type": "FOREIGN_KEY", "schema": "public", "table": "customers", "column": "id", "approved_by": "olga",
    }  # fmt: skip
    assert said["version"] == "0.2"
    assert await door(add_relationship, world.owner, **at(uri, EMAIL), **to("main.db.public.orders.id")) == (
        "RESOURCE_ALREADY_EXISTS"
    )
    await take(world, uri, source({"orders": {"id": "INTEGER", "email": "VARCHAR"}, "customers": {"id": "INTEGER"}}))
    kept = await door(get_metadata, world.owner, **at(uri, EMAIL))
    assert kept["column_relationships"] == [reference]

    gone = await door(remove_relationship, world.owner, **at(uri, EMAIL), target_fqn=ID)
    assert gone["column_relationships"] is None
    again = await door(remove_relationship, world.owner, **at(uri, EMAIL), target_fqn=ID)
    assert (again.code, again.status) == ("RESOURCE_NOT_FOUND", 404)


async def test_what_is_no_other_column_of_the_database_and_what_the_source_declares_is_refused(
    world: World, door: Door, uri: str
) -> None:
    for fqn, target, field in (
        (EMAIL, EMAIL, "target_fqn"),
        (EMAIL, "main.db.public.customers", "target_fqn"),
        (EMAIL, "main.db.public.nothing.id", "target_fqn"),
        (EMAIL, "other.db.public.customers.id", "target_fqn"),
        ("main.db.public.orders", ID, "fqn"),
    ):
        refused = await door(add_relationship, world.owner, **at(uri, fqn), **to(target))
        assert (refused.status, refused.details["field"]) == (422, field), (fqn, target)
    declared = {"type": "FOREIGN_KEY", "schema": "public", "table": "customers", "column": "id"}
    columns = {"id": "INTEGER", "email": {"data_type": "VARCHAR", "column_relationships": [declared]}}
    await take(world, uri, source({"orders": columns, "customers": {"id": "INTEGER"}}))
    refused = await door(remove_relationship, world.owner, **at(uri, EMAIL), target_fqn=ID)
    assert (refused.status, refused.details["field"]) == (422, "target_fqn")
