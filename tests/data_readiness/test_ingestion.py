"""Service ingestion of real sources, through both doors, on both stores: what is read, kept, versioned and marked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.queries.metric_results import Measured
from resolvers.data_readiness.runs.operations import (
    list_run_tasks,
    list_workflow_runs,
)
from resolvers.data_readiness.scorecard import get_scorecard
from resolvers.data_readiness.violations import list_violations
from resolvers.utils.metadata import search_metadata, update_metadata
from schema.assets.data_connection import ConnectionType
from schema.data_readiness.quality_builtin import METRICS
from schema.data_readiness.scorecard import ScorecardRequest, ScoredPart
from schema.identifiers import Fqn
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.data_readiness.quality import find, finding
from tests.data_readiness.workflows import scope, written
from tests.doors import RestDoor
from tests.support.ingestion import (
    ODD,
    Bench,
    Source,
    before_task,
    bench,
    catalog,
    connected,
    fields,
    setting_overrides,
    shop,
    source,
)
from tests.world import World

__all__ = ["before_task", "bench", "setting_overrides", "shop", "source"]

pytestmark = pytest.mark.anyio


async def test_a_source_is_read_whole(bench: Bench, source: Source) -> None:
    run = await bench.ingest()
    assert run["output"] == {
        "created": 1 + 2 + 4 + 4 + 3 + 2 + 3,
        "updated": 0,
        "unchanged": 0,
        "vanished": 0,
        "restored": 0,
        "violations_resolved": 0,
        "tasks": 2,
        "failed_tasks": 0,
        "lineage": {"views": 1, "changed": 1, "not_understood": 0},
    }
    database = await bench.asset(source.database)
    assert (database["type"], database["children_total"], database["table_count"]) == ("database", 2, 4)
    sales = await bench.asset(source.database, "sales", include_children=True)
    assert (sales["description"], sales["table_count"]) == ("What was sold.", 3)
    assert {child["name"] for child in sales["children"]} == {"customers", "orders", "big"}
    customers = await bench.asset(source.database, "sales", "customers", include_children=True)
    assert (customers["description"], customers["table_type"], customers["row_count"]) == ("Who buys.", "TABLE", 40)
    assert {(key["type"], tuple(key["columns"])) for key in customers["constraint"]["keys"]} == {
        ("PRIMARY_KEY", ("id",)),
        ("UNIQUE", ("email",)),
    }
    columns = {child["name"]: child for child in customers["children"]}
    assert [child["ordinal_position"] for child in customers["children"]] != []
    assert {name: column["ordinal_position"] for name, column in columns.items()} == {
        "id": 1,
        "email": 2,
        "Full Name": 3,
        "credit": 4,
    }
    email, credit = columns["email"], columns["credit"]
    assert (email["data_type"], email["data_type_display"], email["data_length"], email["nullable"]) == (
        "VARCHAR",
        "character varying(120)",
        120,
        False,
    )
    assert (email["description"], email["constraint"]) == ("Where we write to.", {"keys": ["UNIQUE"]})
    assert (credit["data_type"], credit["precision"], credit["scale"], credit["nullable"]) == ("NUMERIC", 12, 2, True)
    assert credit["constraint"] == {"default": "0"}
    assert {asset["version"] for asset in (database, sales, customers, email)} == {"0.1"}
    big = await bench.asset(source.database, "sales", "big")
    assert big["table_type"] == "VIEW"
    assert "FROM sales.customers" in big["schema_definition"]


async def test_foreign_keys_become_relationships(shop: Bench, source: Source) -> None:
    await shop.ingest()
    column = await shop.asset(source.database, "sales", "orders", "customer_id")
    together = [{"type": "PRIMARY_KEY", "columns": ["customer_id", "number"]}]
    assert column["constraint"] == {"keys": ["FOREIGN_KEY", "PRIMARY_KEY"], "part_of": together}
    [relationship] = column["column_relationships"]
    assert relationship.pop("name")
    assert relationship == {"type": "FOREIGN_KEY", "schema": "sales", "table": "customers", "column": "id"}


async def test_odd_names_survive(bench: Bench, source: Source) -> None:
    await bench.ingest()
    table = await bench.asset(source.database, ODD, 'a.b "c" Ď', include_children=True)
    assert table["name"] == 'a.b "c" Ď'
    assert table["fully_qualified_name"] == f'shop.{source.database}."Ünï ""x"".y Z"."a.b ""c"" Ď"'
    assert {child["name"] for child in table["children"]} == {"Key.1", "select", "ÅÄÖ"}
    below = await bench.call(search_metadata, fqn_prefix=table["fully_qualified_name"], sort_by="ordinal_position")
    assert [asset["name"] for asset in below["items"]] == ["Key.1", "select", "ÅÄÖ"]
    run = await bench.ingest(asset_fqn=table["fully_qualified_name"])
    assert (run["schema_name"], run["table_name"]) == (ODD, 'a.b "c" Ď')
    assert (run["output"]["unchanged"], run["output"]["created"]) == (2 + 1 + 3, 0)


async def test_a_run_tells_what_it_was_about(bench: Bench, source: Source) -> None:
    started = await bench.trigger(
        asset_fqn=f"shop.{source.database}.sales", parameters={"industry_info": "shops"}, save_all=True
    )
    assert (started["status"], started["save_all"]) == ("pending", True)
    assert bench.door.name == "graphql" or (bench.door.last is not None and bench.door.last.status_code == 202)
    await bench.world.jobs.settle()
    run = await bench.run(started["id"])
    assert run["service_name"] == "shop"
    assert (run["database_name"], run["schema_name"], run["table_name"]) == (source.database, "sales", None)
    assert (run["workflow_name"], run["workflow_type"]) == ("Ingest", "service-ingestion")
    assert run["input"]["parameters"] == {"industry_info": "shops"}
    assert run["duration_seconds"] > 0
    assert run["error_message"] is None
    assert run["started_at"] < run["completed_at"]
    [task] = run["tasks"]
    documented = {"id", "run_id", "name", "status", "started_at", "completed_at"}
    assert set(task) == documented | {"error_message", "rows_done", "rows_total", "waits_for"}
    assert (task["run_id"], task["name"], task["status"]) == (run["id"], f"{source.database}.sales", "completed")
    [listed] = (await bench.call(list_workflow_runs, configuration_id=bench.configuration, status="completed"))["items"]
    assert listed == run
    nothing = await bench.call(list_workflow_runs, configuration_id=bench.configuration, status="failed")
    assert nothing == {"items": [], "total": 0}


async def test_tasks_are_batches_of_fifty_tables_in_order_and_paged(bench: Bench, source: Source) -> None:
    source.run("".join(f"create table sales.t{number:03} (id integer);" for number in range(117)))
    run = await bench.ingest()
    label = f"{source.database}.sales"
    wanted = [
        f"{label} (1-50 of 120)",
        f"{label} (51-100 of 120)",
        f"{label} (101-120 of 120)",
        f'{source.database}."Ünï ""x"".y Z"',
    ]
    assert [task["name"] for task in run["tasks"]] == wanted
    about = {"configuration_id": bench.configuration, "run_id": run["id"]}
    pages = [await bench.call(list_run_tasks, **about, page=page, per_page=3) for page in (1, 2, 3)]
    assert [[task["name"] for task in page["items"]] for page in pages] == [wanted[:3], wanted[3:], []]
    assert {page["total"] for page in pages} == {4}
    assert (await bench.call(list_run_tasks, **about, status="completed"))["total"] == 4
    assert (await bench.call(list_run_tasks, **about, status="failed")) == {"items": [], "total": 0}
    assert await bench.call(list_run_tasks, **about, per_page=101) == "INVALID_PARAMETER"
    assert run["output"]["created"] == 1 + 2 + 4 + 12 + 117 * 2
    assert run["output"]["unchanged"] == 0


async def test_an_unchanged_source_changes_nothing(shop: Bench, world: World) -> None:
    first = await shop.ingest()
    before = await catalog(world)
    second = await shop.ingest()
    assert await catalog(world) == before
    created = first["output"]["created"]
    lineage = {"views": 1, "changed": 0, "not_understood": 0}
    assert second["output"] == first["output"] | {"created": 0, "unchanged": created, "lineage": lineage}


async def test_a_store_is_told_how_much_there_is_when_something_was_taken_in(bench: Bench, world: World) -> None:
    heard: list[str] = []

    def hear(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith("ANALYZE"):
            heard.append(statement)

    database = world.app.parts.database
    for engine in database.sync_engines:
        sa.event.listen(engine, "before_cursor_execute", hear)
    told = ["ANALYZE metadata_assets"] if database.dialect == "postgresql" else []
    for wanted in (told, []):  # the second run finds all as it was
        heard.clear()
        await bench.ingest()
        assert heard == wanted
    for engine in database.sync_engines:
        sa.event.remove(engine, "before_cursor_execute", hear)


async def test_a_persons_description_stays_and_the_sources_comment_comes_back_when_it_is_cleared(
    shop: Bench, source: Source
) -> None:
    await shop.ingest()
    path = (source.database, "sales", "customers")
    about = {
        "resource_type": "data_connection",
        "resource_uri": shop.uri,
        "fqn": f"shop.{source.database}.sales.customers",
    }
    edited = await shop.call(update_metadata, **about, changes=MetadataAssetUpdate(description="Our people."))
    assert edited["version"] == "0.2"
    source.run("comment on table sales.customers is 'Changed in the source.'")
    run = await shop.ingest()
    table = await shop.asset(*path)
    assert (table["description"], table["version"]) == ("Our people.", "0.2")
    assert run["output"]["vanished"] == 0
    cleared = await shop.call(update_metadata, **about, changes=MetadataAssetUpdate(description=None))
    assert cleared["description"] == "Changed in the source."


async def test_changes_of_the_source_become_versions(shop: Bench, source: Source) -> None:
    await shop.ingest()
    path = (source.database, "sales", "customers")
    source.run("comment on table sales.customers is 'Who buys from us.'")
    await shop.ingest()
    table = await shop.asset(*path)
    assert (table["version"], table["description"]) == ("0.2", "Who buys from us.")
    assert fields(table) == (set(), {"description"}, set())
    assert table["change_description"]["previous_version"] == "0.1"

    source.run("alter table sales.customers add column phone text")
    run = await shop.ingest()
    table = await shop.asset(*path)
    assert (table["version"], table["column_count"]) == ("0.3", 5)
    assert fields(table) == ({"columns.phone"}, set(), set())
    assert (run["output"]["created"], run["output"]["updated"]) == (1, 1) or run["output"]["created"] == 1

    source.run("alter table sales.customers alter column phone type varchar(40)")
    await shop.ingest()
    table, phone = await shop.asset(*path), await shop.asset(*path, "phone")
    assert (table["version"], phone["version"]) == ("1.0", "1.0")
    assert "columns.phone.data_type" in fields(table)[1]
    assert "data_type" in fields(phone)[1]
    assert phone["change_summary"]["structural"] is True

    source.run("alter table sales.customers drop column phone")
    run = await shop.ingest()
    table = await shop.asset(*path)
    assert (table["version"], table["column_count"]) == ("2.0", 4)
    assert fields(table) == (set(), set(), {"columns.phone"})
    assert run["output"]["vanished"] == 1
    before = await shop.asset(*path, version="1.0")
    assert before["version"] == "1.0"
    assert (await shop.asset(source.database, "sales", "orders"))["version"] == "0.1"


async def test_a_dropped_table_is_marked_and_comes_back(shop: Bench, source: Source) -> None:
    await shop.ingest()
    source.run("drop table sales.orders")
    run = await shop.ingest()
    assert run["output"]["vanished"] == 1 + 3
    assert "sales.orders" not in await shop.names("table")
    assert (await shop.asset(source.database, "sales"))["table_count"] == 2
    found = await shop.call(search_metadata, q="deleted_at:* AND type:table")
    assert [asset["name"] for asset in found["items"]] == ["orders"]
    assert (await shop.ingest())["output"]["vanished"] == 0

    source.run("create table sales.orders (customer_id bigint not null, number integer not null, placed timestamptz)")
    run = await shop.ingest()
    orders = await shop.asset(source.database, "sales", "orders", include_children=True)
    assert orders["deleted_at"] is None
    assert {child["name"] for child in orders["children"]} == {"customer_id", "number", "placed"}
    assert run["output"]["restored"] == 4
    assert (await shop.asset(source.database, "sales"))["table_count"] == 3


async def test_what_stands_open_on_a_dropped_table_is_resolved(shop: Bench, source: Source) -> None:
    run = await shop.ingest()
    sales = str(Fqn.of("shop", source.database, "sales"))
    names = (f"{sales}.orders", f"{sales}.orders.number", f"{sales}.customers")
    await find(shop.world, *(finding(asset=name) for name in names), run=run["id"])
    source.run("drop table sales.orders")
    again = await shop.ingest()
    assert again["output"]["violations_resolved"] == 2
    listed = await shop.call(list_violations)
    states = {one["asset_fqn"]: (one["status"], one["resolution_notes"]) for one in listed["items"]}
    gone = ("resolved", "The asset is no longer in the source.")
    assert states == dict(zip(names, (gone, gone, ("open", None)), strict=True))
    assert (await shop.ingest())["output"]["violations_resolved"] == 0


async def test_what_a_dropped_table_came_to_counts_no_longer_from_then_on(shop: Bench, source: Source) -> None:
    metric = next(one for one in METRICS if one.name == "non_null_values")
    run = await shop.ingest()
    sales = str(Fqn.of("shop", source.database, "sales"))
    measured = {f"{sales}.orders": 1, f"{sales}.orders.number": 2, f"{sales}.customers": 9}

    async def measure(run_id: str, figures: Mapping[str, int]) -> None:
        results = [Measured(metric.id, name, good, 10) for name, good in figures.items()]
        at = shop.world.clock()
        await written(shop.world, lambda s: s.metric_results.record(scope(shop.world), run_id, results, at=at))

    async def card(**request: Any) -> tuple[Any, dict[str, Any]]:
        whole = await shop.call(get_scorecard, request=ScorecardRequest(asset_fqn="shop", **request))
        metrics = (one for dimension in whole["dimensions"] for one in dimension["metrics"])
        figures = next(one for one in metrics if one["metric_definition_id"] == metric.id)
        return whole, {name: figures[name] for name in ("numerator", "denominator", "asset_count")}

    await measure(run["id"], measured)
    before = shop.world.clock()
    then, figures = await card(as_of=before)
    assert figures == {"numerator": 12, "denominator": 30, "asset_count": 3}
    source.run("drop table sales.orders")
    await shop.ingest()
    assert (await card())[1] == {"numerator": 9, "denominator": 10, "asset_count": 1}
    part = ScoredPart(shop.world.shop, ("shop",), metric.id, None, None)
    listed = await written(shop.world, lambda s: s.metric_results.of_parts(scope(shop.world), [part], 10))
    assert [one.asset_fqn for one in listed[part]] == [f"{sales}.customers"]
    assert (await card(as_of=before))[0] == then
    assert (await card(workflow_run_id=run["id"]))[1]["asset_count"] == 3
    # Found gone again, it changes nothing; back and measured again, it counts again.
    await shop.ingest()
    assert (await card())[1] == {"numerator": 9, "denominator": 10, "asset_count": 1}
    source.run("create table sales.orders (customer_id bigint not null, number integer not null, placed timestamptz)")
    again = await shop.ingest()
    assert (await card())[1] == {"numerator": 9, "denominator": 10, "asset_count": 1}
    await measure(again["id"], {f"{sales}.orders": 4})
    assert (await card())[1] == {"numerator": 13, "denominator": 20, "asset_count": 2}


async def test_a_dropped_schema_is_marked_with_everything_below(shop: Bench, source: Source) -> None:
    await shop.ingest()
    source.run("drop schema sales cascade")
    run = await shop.ingest()
    assert run["output"]["vanished"] == 1 + 3 + 4 + 3 + 2
    assert await shop.names("database_schema") == {'"Ünï ""x"".y Z"'}


async def test_what_people_wrote_by_hand_does_not_vanish(shop: Bench, source: Source) -> None:
    from resolvers.utils.metadata import create_metadata
    from schema.utils.metadata_asset import AssetType, MetadataAssetCreate

    await shop.ingest()
    name = f"shop.{source.database}.sales.planned"
    made = await shop.call(
        create_metadata,
        resource_type="data_connection",
        resource_uri=shop.uri,
        asset=MetadataAssetCreate(type=AssetType.TABLE, fully_qualified_name=name),
    )
    assert made["fully_qualified_name"] == name
    assert (await shop.ingest())["output"]["vanished"] == 0
    assert "sales.planned" in await shop.names("table")


@pytest.fixture
async def folder(world: World, tmp_path: Path) -> Bench:
    """A folder of files, connected."""
    files = tmp_path / "files"
    (files / "2024").mkdir(parents=True)
    (files / "people.csv").write_text("id,name\n1,Ada\n2,Grace\n")
    (files / "events.json").write_text('[{"at": "2024-01-01", "what": "start"}]')
    (files / "2024" / "sales.csv").write_text("day,amount\n2024-01-01,3.5\n")
    body = {"name": "Shop", "connection_type": ConnectionType.NFS, "filesystem_config": {"path": str(files)}}
    return await connected(world, RestDoor(world.client), body)


async def test_a_folder_of_files_is_ingested_and_its_changes_are_seen(
    folder: Bench, tmp_path: Path, world: World
) -> None:
    run = await folder.ingest()
    tables = await folder.names("table")
    assert len(tables) == 3, tables
    before = await catalog(world)
    again = await folder.ingest()
    assert again["output"]["created"] == again["output"]["updated"] == again["output"]["vanished"] == 0
    assert again["output"]["unchanged"] == run["output"]["created"]
    assert await catalog(world) == before
    (tmp_path / "files" / "people.csv").write_text("id,name,born\n1,Ada,1815\n")
    (tmp_path / "files" / "events.json").unlink()
    changed = await folder.ingest()
    assert changed["output"]["created"] == 1
    assert changed["output"]["vanished"] == 3
    assert len(await folder.names("table")) == 2
