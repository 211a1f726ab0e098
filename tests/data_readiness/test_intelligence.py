"""Relationships and insights, through both doors and on both stores: what is found, and what approving does."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from persistence.queries.catalog_ingest import upsert_source
from persistence.queries.source_facts import read_facts
from persistence.tables.catalog import metadata_assets
from resolvers.data_readiness.approval.operations import list_run_proposals
from resolvers.engines.catalog_diff import judge
from schema.data_readiness.profile import (
    CandidateKey,
    ForeignKeyCandidate,
    ProfileTier,
    TableProfile,
    ValueCount,
)
from schema.data_readiness.workflow import WorkflowType
from schema.utils.metadata_asset import AssetType
from schema.utils.source_asset import SourceAsset
from tests.data_readiness.enrichment import again, asset, carried_out, decided, figures
from tests.data_readiness.workflows import URI, cataloged, configure, scope, written
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio

SCHEMA = "svc.db.s"
TABLES = {
    "customers": ["id", "email", "phone", "full_name"],
    "orders": ["id", "customer_id", "status_cd"],
    "products": ["id", "title", "gap"],
    "order_products": ["order_id", "product_id"],
    "vip_customers": ["customer_id", "since"],
    "orders_copy": ["id", "customer_id", "status_cd"],
    "weather": ["day", "degrees", "station"],
}
KEYS = {"customers.id", "orders.id", "products.id", "order_products.order_id", "order_products.product_id",
        "vip_customers.customer_id"}  # fmt: skip
REFERENCES = {
    "order_products.order_id": ("orders", "id"),
    "order_products.product_id": ("products", "id"),
    "vip_customers.customer_id": ("customers", "id"),
}


async def shop(world: World) -> None:
    """Seven tables, of which some declare how they belong together."""
    await cataloged(world, *[f"{SCHEMA}.{table}.{column}" for table, columns in TABLES.items() for column in columns])

    def work(uow: Any) -> None:
        for table, columns in TABLES.items():
            for position, column in enumerate(columns):
                name = f"{table}.{column}"
                values: dict[str, Any] = {"ordinal_position": position, "data_type": "BIGINT"}
                if name in KEYS:
                    values["constraint"] = {"keys": ["PRIMARY_KEY"]}
                if name in REFERENCES:
                    other, target = REFERENCES[name]
                    values["column_relationships"] = [
                        {"type": "FOREIGN_KEY", "schema": "s", "table": other, "column": target}
                    ]
                if table == "customers" and column != "id":
                    values["is_pii_tagged"] = True
                where = metadata_assets.c.fully_qualified_name == f"{SCHEMA}.{name}"
                uow.connection.execute(metadata_assets.update().where(where).values(**values))

    await written(world, work)
    await world.grant("olga", "owner", "data_connection", URI)


async def profiled(world: World, rows: dict[str, int], **given: dict[str, Any]) -> None:
    """Profiles of the tables, as a run would have left them."""
    run = str(uuid4())

    def work(uow: Any) -> None:
        made = []
        for table, many in rows.items():
            own = given.get(table, {})
            changed = own.get("columns", {})
            columns = [
                figures(f"{SCHEMA}.{table}.{column}", at, many, **changed.get(column, {}))
                for at, column in enumerate(TABLES[table])
            ]
            values = {
                "id": str(uuid4()), "workflow_run_id": run, "asset_fqn": f"{SCHEMA}.{table}", "resource_uri": URI,
                "tier": ProfileTier.FULL, "measured_at": world.clock(), "row_count": many,
                "column_count": len(columns), "sample_size": None, "approximate": [], "freshness_column": None,
                "newest": None, "candidate_keys": [], "functional_dependencies": [], "foreign_keys": [],
                "duration_seconds": 0.1,
            } | {name: value for name, value in own.items() if name != "columns"}  # fmt: skip
            made.append(TableProfile.model_validate(values | {"columns": columns}))
        uow.table_profiles.record(scope(world), made)

    await written(world, work)


async def proposed_by(
    world: World, door: Door, run: dict[str, Any], kind: str
) -> dict[tuple[str, str], dict[str, Any]]:
    """The proposals of a kind, by asset and what they say."""
    listed = await door(list_run_proposals, world.owner, run_id=run["id"], kind=kind, joined=False, limit=100)
    name = "type" if kind == "relationship" else "kind"
    return {(one["asset_fqn"].removeprefix(f"{SCHEMA}."), one["proposed_value"][name]): one for one in listed["items"]}


async def test_names_alone_show_foreign_keys_bridges_and_subtypes(world: World, door: Door) -> None:
    await shop(world)
    run = await carried_out(world, door, WorkflowType.INTELLIGENCE)
    found = await proposed_by(world, door, run, "relationship")
    assert {about: one["proposed_value"] for about, one in found.items()} == {
        ("orders.customer_id", "FOREIGN_KEY"): {
            "type": "FOREIGN_KEY", "schema": "s", "table": "customers", "column": "id", "cardinality": "many_to_one",
        },
        ("orders_copy.customer_id", "FOREIGN_KEY"): {
            "type": "FOREIGN_KEY", "schema": "s", "table": "customers", "column": "id", "cardinality": "many_to_one",
        },
        ("order_products", "MANY_TO_MANY"): {
            "type": "MANY_TO_MANY",
            "between": [{"schema": "s", "table": "orders"}, {"schema": "s", "table": "products"}],
        },
        ("vip_customers", "SUBTYPE_OF"): {
            "type": "SUBTYPE_OF", "schema": "s", "table": "customers", "columns": ["customer_id"],
            "target_columns": ["id"],
        },
    }  # fmt: skip
    named = found["orders.customer_id", "FOREIGN_KEY"]
    assert (named["evidence"]["from"], named["confidence"]) == (["name"], 0.6)
    assert run["output"]["relationships_found"] == 4


async def test_values_confirm_and_names_without_values_do_not_outweigh_them(world: World, door: Door) -> None:
    await shop(world)
    candidate = ForeignKeyCandidate(
        columns=["customer_id"], target_fqn=f"{SCHEMA}.customers", target_columns=["id"], match_rate=1.0,
        is_declared=False, is_exact=True,
    )  # fmt: skip
    wrong = candidate.model_copy(update={"match_rate": 0.2})
    await profiled(
        world,
        {"orders": 500, "orders_copy": 500, "customers": 100, "order_products": 900},
        orders={"foreign_keys": [candidate], "columns": {"customer_id": {"distinct_count": 90}}},
        orders_copy={"foreign_keys": [wrong]},
        order_products={"columns": {"order_id": {"distinct_count": 450}, "product_id": {"distinct_count": 30}}},
    )
    run = await carried_out(world, door, WorkflowType.INTELLIGENCE)
    found = await proposed_by(world, door, run, "relationship")
    both = found["orders.customer_id", "FOREIGN_KEY"]
    assert (both["evidence"]["from"], both["evidence"]["match_rate"], both["confidence"]) == (
        ["values", "name"],
        1.0,
        0.95,
    )
    assert ("orders_copy.customer_id", "FOREIGN_KEY") not in found, "values were looked at and do not match"
    joined = found["order_products.order_id", "JOIN"]["proposed_value"]
    assert joined == {
        "type": "JOIN", "schema": "s", "table": "orders", "column": "id", "cardinality": "many_to_one",
        "optional": False,
    }  # fmt: skip


async def test_an_approved_relationship_stands_in_the_catalog_and_survives_ingestion(world: World, door: Door) -> None:
    await shop(world)
    made = await configure(world, door, workflow_type=WorkflowType.INTELLIGENCE)
    run = await again(world, door, made)
    one = (await proposed_by(world, door, run, "relationship"))["orders.customer_id", "FOREIGN_KEY"]
    assert (one["current_value"], one["standing_value"], one["field"]) == (None, None, "column_relationships")
    answer = await decided(world, door, run, "approve", proposal_ids=[one["id"]])
    assert (answer["approved"], answer["conflicted"]) == (1, 0)
    column = f"{SCHEMA}.orders.customer_id"
    [standing] = (await asset(world, door, column))["column_relationships"]
    assert standing == standing | one["proposed_value"] | {
        "origin": "approved", "approved_by": "olga", "run_id": run["id"], "proposal_id": one["id"]
    }  # fmt: skip
    assert run["id"] in (await asset(world, door, column))["version_change_reason"]
    beside = (await proposed_by(world, door, run, "relationship"))["orders.customer_id", "FOREIGN_KEY"]
    assert beside["standing_value"] == [standing]
    assert await reference(world) == (f"{SCHEMA}.customers", False)

    declared = {"type": "FOREIGN_KEY", "name": "fk", "schema": "s", "table": "people", "column": "id"}

    def ingest(relationships: list[dict[str, Any]]) -> Any:
        source = [
            SourceAsset(AssetType.DATABASE, ("db",)),
            SourceAsset(AssetType.DATABASE_SCHEMA, ("db", "s")),
            SourceAsset(AssetType.TABLE, ("db", "s", "orders")),
            SourceAsset(
                AssetType.COLUMN, ("db", "s", "orders", "customer_id"), column_relationships=relationships or None
            ),
        ]
        return lambda uow: upsert_source(
            uow.connection, scope(world), URI, "svc", source, actor="olga", now=world.clock(), judge=judge
        )

    await written(world, ingest([declared]))
    assert (await asset(world, door, column))["column_relationships"] == [declared, standing]
    same = declared | {"table": "customers"}
    await written(world, ingest([same]))
    assert (await asset(world, door, column))["column_relationships"] == [same], "the source declares it by now"
    assert await reference(world) == (f"{SCHEMA}.customers", True)


async def reference(world: World) -> tuple[str, bool]:
    """The table that orders.customer_id refers to, as engines are told, and whether the source declares it."""
    [table] = await written(world, lambda uow: read_facts(uow.connection, scope(world), [f"{SCHEMA}.orders"]))
    [column] = [one for one in table.columns if one.name == "customer_id"]
    assert column.references is not None
    return column.references[0], column.is_reference_declared


async def test_insights_have_figures_and_stand_in_the_output(world: World, door: Door) -> None:
    await shop(world)
    old = (world.clock() - timedelta(days=400)).isoformat()
    new = world.clock().isoformat()
    await profiled(
        world,
        {"customers": 100, "orders": 5000, "products": 0, "orders_copy": 5000, "weather": 300, "order_products": 40},
        orders={"newest": new, "columns": {"status_cd": {
            "distinct_count": 1, "top_values": [ValueCount(value="SECRET-VALUE", count=5000)]}}},
        weather={"newest": old, "candidate_keys": [
            CandidateKey(columns=["day", "station"], uniqueness=1.0, is_declared=False, is_exact=True)],
            "columns": {"degrees": {"null_count": 300, "distinct_count": 0}}},
    )  # fmt: skip
    run = await carried_out(world, door, WorkflowType.INTELLIGENCE, asset_fqn=SCHEMA)
    found = await proposed_by(world, door, run, "insight")
    said = {about: one["proposed_value"]["sentence"] for about, one in found.items()}
    assert said["products", "empty_table"] == "`products` has no rows."
    assert said["weather", "empty_columns"] == "`weather` has 1 column without any value: `degrees`."
    assert said["weather", "missing_key"] == "`weather` declares no key, though `day` and `station` would be one."
    assert said["weather", "stale_table"] == "The newest row of `s.weather` was 400 days old when it was measured."
    assert said["weather", "orphan_table"] == "`s.weather` refers to no other table, and none refers to it."
    assert said["orders", "largest_table"] == "`s.orders` has 5,000 rows, 48% of all; rank 1 of 5."
    assert said["orders", "constant_columns"].endswith("with the same value in every row: `status_cd`.")
    assert said["orders_copy", "duplicate_table"] == (
        "`s.orders_copy` has the same columns as `s.orders`, and both have 5,000 rows."
    )
    assert said["customers", "personal_data"].startswith(
        "`s.customers` holds personal data in 3 of its 4 columns, 100%"
    )
    assert "SECRET-VALUE" not in str(found)
    shown = run["output"]["insights"]
    assert {(one["asset_fqn"].removeprefix(f"{SCHEMA}."), one["kind"]) for one in shown} == set(found)
    assert [one["weight"] for one in shown] == sorted((one["weight"] for one in shown), reverse=True)
    assert run["output"]["insights_found"] == len(shown)


async def test_the_same_is_not_proposed_again_but_still_shown(world: World, door: Door) -> None:
    await shop(world)
    await profiled(world, {"customers": 0, "orders": 30})
    made = await configure(world, door, workflow_type=WorkflowType.INTELLIGENCE)
    first = await again(world, door, made)
    assert first["output"]["proposal_parts"] > 4
    second = await again(world, door, made)
    assert second["output"]["proposals"] == 0
    assert second["output"]["insights"] == first["output"]["insights"] != []
    saved = await again(world, door, made, save_all=True)
    assert (saved["output"]["proposals"], saved["output"]["conflicts"]) == (first["output"]["proposals"], 0)
    third = await again(world, door, made, save_all=True)
    assert third["output"]["proposals"] == 0
    assert len((await asset(world, door, f"{SCHEMA}.orders.customer_id"))["column_relationships"]) == 1
