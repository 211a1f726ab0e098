"""Data assets: the catalog with what completed runs say about it, through both doors and on both stores."""

from typing import Any
from uuid import uuid4

import pytest

from resolvers.data_readiness.data_assets import get_data_asset, list_data_asset_runs, list_data_assets
from resolvers.data_readiness.profiles import list_table_profiles
from resolvers.data_readiness.runs.operations import trigger_run
from schema.data_readiness.workflow_run import RunCreate
from tests.conftest import Statements
from tests.data_readiness.enrichment import profiled_columns
from tests.data_readiness.workflows import URI, cataloged, configure, run_in
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio

FIELDS = {
    "id", "name", "fqn", "asset_type", "resource_uri", "service", "database", "schema_name", "table", "column",
    "display_name", "description", "row_count", "column_count", "table_count", "data_type", "is_dq_tagged",
    "is_pii_tagged", "is_sensitivity_tagged", "is_described", "is_owned", "readiness", "last_ingested_at",
    "last_profiled_at", "last_assessed_at", "version", "updated_at", "owners", "owners_from", "sensitivity",
    "sensitivity_from",
}  # fmt: skip


async def test_tables_are_listed_with_what_the_catalog_says(world: World, door: Door) -> None:
    ids = await cataloged(
        world, "svc.db.s.b", row_count=2**40, display_name="Bees", is_pii_tagged=True,
        owners=[{"name": "o", "type": "user", "id": "o"}],
    )  # fmt: skip
    ids |= await cataloged(world, "svc.db.s.a.c")
    listed = await door(list_data_assets, world.owner)
    assert ([item["fqn"] for item in listed["items"]], listed["total"]) == (["svc.db.s.a", "svc.db.s.b"], 2)
    found = listed["items"][1]
    assert set(found) == FIELDS
    assert found == found | {
        "id": ids["svc.db.s.b"], "name": "b", "asset_type": "table", "resource_uri": URI, "service": "svc",
        "database": "db", "schema_name": "s", "table": "b", "column": None, "display_name": "Bees",
        "row_count": 2**40, "is_pii_tagged": True, "is_dq_tagged": False, "is_described": False, "is_owned": True,
        "readiness": "cataloged", "last_ingested_at": None, "last_profiled_at": None, "last_assessed_at": None,
        "version": "0.1", "owners": [{"name": "o", "type": "user", "id": "o"}], "owners_from": "svc.db.s.b",
        "sensitivity": None, "sensitivity_from": None,
    }  # fmt: skip
    assert listed["items"][0]["column_count"] == 1
    assert await door(get_data_asset, world.owner, asset_id=found["id"]) == found
    column = await door(get_data_asset, world.owner, asset_id=ids["svc.db.s.a.c"])
    assert (column["asset_type"], column["table"], column["column"]) == ("column", "a", "c")


async def test_data_assets_are_filtered_and_paged(world: World, door: Door) -> None:
    await cataloged(world, "svc.db.s.orders", description="What was sold")
    await cataloged(world, "svc.dbx.s.orders_2", "other.db.s.100%", is_pii_tagged=True)
    for given, expected in (
        ({"asset_type": "database"}, ["other.db", "svc.db", "svc.dbx"]),
        ({"fqn_prefix": "svc.db"}, ["svc.db.s.orders"]),
        ({"fqn_prefix": "svc"}, ["svc.db.s.orders", "svc.dbx.s.orders_2"]),
        ({"fqn_prefix": "svc.db", "asset_type": "database"}, ["svc.db"]),
        ({"search": "SOLD"}, ["svc.db.s.orders"]),
        ({"search": "s_2"}, ["svc.dbx.s.orders_2"]),
        ({"search": "%"}, ["other.db.s.100%"]),
        ({"is_pii_tagged": False}, ["svc.db.s.orders"]),
        ({"is_pii_tagged": True, "limit": 1, "page": 2}, ["svc.dbx.s.orders_2"]),
        ({"resource_uri": "data:acme:shop:none"}, []),
    ):
        listed = await door(list_data_assets, world.owner, **given)
        assert [item["fqn"] for item in listed["items"]] == expected, given
    for wrong in ({"fqn_prefix": "a..b"}, {"limit": 101}, {"page": 0}, {"search": "s" * 256}):
        refused = await door(list_data_assets, world.owner, **wrong)
        assert (refused.code, refused.status) == ("INVALID_PARAMETER", 400), wrong
    assert await door(list_data_assets, world.foreign_owner) == {"items": [], "total": 0}
    assert await door(list_data_assets, world.owner, {"X-Project-ID": world.lab}) == {"items": [], "total": 0}


async def test_readiness_comes_from_completed_runs_that_covered_the_asset(world: World, door: Door) -> None:
    ids = await cataloged(world, "svc.db.s.t", "svc.dbx.s.t")
    profiling, quality = await configure(world, door), await configure(world, door, workflow_type="dq-execution")

    async def state(fqn: str) -> tuple[Any, ...]:
        found = await door(get_data_asset, world.owner, asset_id=ids[fqn])
        return found["readiness"], found["last_profiled_at"], found["last_assessed_at"]

    for status in ("failed", "pending", "canceled"):
        await run_in(world, profiling, status, asset_fqn="svc.db")
    await run_in(world, profiling, "completed", asset_fqn="svc.d")
    assert await state("svc.db.s.t") == ("cataloged", None, None)
    await run_in(world, profiling, "completed", asset_fqn="svc.db")
    assert await state("svc.db.s.t") == ("cataloged", None, None), "it covered the table, and measured nothing"
    await profiled_columns(world, "svc.db.s.t", {"a": "x"})
    listed = await door(list_table_profiles, world.owner, asset_fqn="svc.db.s.t")
    assert await state("svc.db.s.t") == ("profiled", listed["items"][0]["measured_at"], None)
    assert await state("svc.dbx.s.t") == ("cataloged", None, None)
    await run_in(world, quality, "completed", asset_fqn="svc")
    assert (await state("svc.db.s.t"))[0] == (await state("svc.dbx.s.t"))[0] == "assessed"


async def test_the_runs_of_an_asset_are_those_on_it_and_on_what_it_is_in(world: World, door: Door) -> None:
    ids = await cataloged(world, "svc.db.s.t", "svc.db.s.u")
    configuration = await configure(world, door)
    other = await configure(world, door, workflow_type="intelligence")
    service = await run_in(world, configuration, "completed", asset_fqn="svc")
    await run_in(world, configuration, "completed", asset_fqn="svc.db.s.u")
    await run_in(world, configuration, "completed")
    table = await run_in(world, other, "failed", asset_fqn="svc.db.s.t")
    body = RunCreate(asset_fqn="svc.db", parameters={"include": ["svc.db.s.t", "svc.db.s.t"]})
    included = (await door(trigger_run, world.owner, configuration_id=configuration["id"], run=body))["id"]
    await world.jobs.settle()
    for given, expected in (
        ({}, [included, table, service]),
        ({"workflow_type": "intelligence"}, [table]),
        ({"status": "completed"}, [service]),
        ({"limit": 1, "page": 3}, [service]),
    ):
        listed = await door(list_data_asset_runs, world.owner, asset_id=ids["svc.db.s.t"], **given)
        assert [item["id"] for item in listed["items"]] == expected, given
    beside = await door(list_data_asset_runs, world.owner, asset_id=ids["svc.db.s.u"])
    assert included not in [item["id"] for item in beside["items"]]


async def test_a_page_of_assets_costs_as_many_statements_as_one(
    world: World, door: Door, statements: Statements
) -> None:
    await cataloged(world, *[f"svc.db.s.t{number}" for number in range(30)])
    costs = []
    for limit in (1, 30):
        await statements.anew()
        assert len((await door(list_data_assets, world.owner, limit=limit))["items"]) == limit
        costs.append(len([sql for sql in statements if "metadata_assets" in sql or "run_targets" in sql]))
    assert costs[0] == costs[1] == 4


async def test_owners_and_levels_come_from_the_nearest_that_has_them(world: World, door: Door) -> None:
    def level(name: str) -> dict[str, str]:
        return {
            "tag_id": name, "tag_fqn": f"Sensitivity.{name}", "category_name": "Sensitivity", "tag_name": name,
            "tag_description": "",
        }  # fmt: skip

    await cataloged(world, "svc.db", owners=[{"name": "d", "type": "team", "id": "d"}], tags=[level("Internal")])
    await cataloged(world, "svc.db.s", owners=[{"name": "s", "type": "user", "id": "s"}])
    await cataloged(world, "svc.db.s.t", tags=[level("Restricted")])
    await cataloged(world, "svc.db.other.t")
    listed = (await door(list_data_assets, world.owner))["items"]
    told = [
        [one["fqn"], one["owners"][0]["id"], one["owners_from"], one["sensitivity"], one["sensitivity_from"]]
        for one in listed
    ]
    assert told == [
        ["svc.db.other.t", "d", "svc.db", "Sensitivity.Internal", "svc.db"],
        ["svc.db.s.t", "s", "svc.db.s", "Sensitivity.Restricted", "svc.db.s.t"],
    ]
    assert all(one["is_owned"] for one in listed)


async def test_another_tenants_asset_is_not_found(world: World, door: Door) -> None:
    id = (await cataloged(world, "svc.db.s.t"))["svc.db.s.t"]
    for op in (get_data_asset, list_data_asset_runs):
        for token, wanted in ((world.foreign_owner, id), (world.owner, str(uuid4()))):
            refused = await door(op, token, asset_id=wanted)
            assert (refused.code, refused.details) == (
                "RESOURCE_NOT_FOUND", {"resource_type": "data_asset", "resource_id": wanted}
            )  # fmt: skip
