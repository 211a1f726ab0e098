"""The lineage of a dbt project through both doors: read model by model, taken in anew, bounded, and refused."""

from typing import Any

import pytest

from resolvers.utils.lineage import get_lineage, list_lineage_edges, list_lineage_statements
from resolvers.utils.lineage_imports import import_dbt_manifest
from schema.utils.lineage import LineageSource
from schema.utils.lineage_import import DbtImport
from tests.doors import Refused
from tests.engines.test_dbt_files import SCHEMAS, manifest, node
from tests.support.ingestion import Bench, Source, bench, setting_overrides, source
from tests.utils.test_lineage import UP, Shop

__all__ = ["bench", "setting_overrides", "source"]

pytestmark = pytest.mark.anyio

TABLES = """
    create table sales.stg_orders (number integer, customer bigint);
    create table sales.revenue (who text, orders bigint, spare integer);
    create table sales.forecast (who text);
"""


@pytest.fixture
async def shop(bench: Bench, source: Source) -> Shop:
    source.run(TABLES)
    source.may_read("sales")
    await bench.ingest()
    return Shop(bench, source.database)


class Project:
    """A dbt project that is built into the shop."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop
        self.nodes: dict[str, Any] = {}

    def model(self, name: str, sql: str | None, *, alias: str | None = None, **more: Any) -> None:
        """Add a model; in its SQL, {name} is a table of the shop."""
        spelled = {table: self.spelled(table) for table in ("customers", "orders", "stg_orders", "revenue")}
        self.nodes[f"model.shop.{name}"] = node(
            database=self.shop.database, schema="sales", name=name, alias=alias or name,
            compiled_code=sql.format(**spelled) if sql is not None else None, **more,
        )  # fmt: skip

    def spelled(self, table: str) -> str:
        """The name of a table as dbt writes it."""
        return f'"{self.shop.database}"."sales"."{table}"'

    async def taken_in(self, **more: Any) -> Any:
        """Hand its manifest in."""
        return await self.shop.ask(import_dbt_manifest, file=DbtImport(manifest=manifest(self.nodes), **more))


@pytest.fixture
def project(shop: Shop) -> Project:
    made = Project(shop)
    made.model("staging", "select number, customer_id as customer from {orders}", alias="stg_orders")
    made.model("mid", "select 1", config={"materialized": "ephemeral"})
    made.model(
        "revenue",
        "with __dbt__cte__mid as (select customer, count(*) as n from {stg_orders} group by customer)\n"
        "select n as orders, email as who from __dbt__cte__mid join {customers} on id = customer;",
        depends_on={"nodes": ["model.shop.mid"]},
    )
    return made


async def test_the_models_of_a_project_tell_of_their_columns(shop: Shop, project: Project) -> None:
    done = await project.taken_in()
    assert not isinstance(done, Refused), done
    assert (done["source"].lower(), done["family"], done["gaps"]) == ("dbt", "shop", [])
    assert [done[name] for name in ("statements", "new", "unchanged", "ended", "not_understood")] == [2, 2, 0, 0, 0]
    up = await shop.told(UP, "revenue", "orders", direct_only=True)
    assert up == {}, "a count has no values of others"
    up = await shop.told(UP, "revenue", "who")
    assert up["customers.email"] == (1, True), "columns go by their names, whatever their order"
    assert up["orders.customer_id"] == (2, False), "through the ephemeral model, and the one before it"
    listed = await shop.ask(list_lineage_statements, source=LineageSource.DBT)
    assert {(one["key"].rsplit("/", 1)[1], one["target_fqn"]) for one in listed["items"]} == {
        ("model.shop.staging", shop.name("stg_orders")),
        ("model.shop.revenue", shop.name("revenue")),
    }


async def test_a_manifest_taken_in_anew_ends_what_went_and_leaves_other_projects(shop: Shop, project: Project) -> None:
    await project.taken_in()
    far = node(database=shop.database, schema="sales", alias="forecast", compiled_code="select who from sales.revenue")
    other = manifest({"model.far.f": far}, project_name="far")
    await shop.ask(import_dbt_manifest, file=DbtImport(manifest=other))
    again = await project.taken_in()
    assert [again[name] for name in ("new", "unchanged", "ended")] == [0, 2, 0]
    del project.nodes["model.shop.staging"]
    project.model("revenue", "select email as who from {customers}")
    again = await project.taken_in()
    assert [again[name] for name in ("statements", "new", "unchanged", "ended")] == [1, 1, 0, 2]
    assert (await shop.ask(list_lineage_edges, "stg_orders"))["items"] == []
    assert set(await shop.told(UP, "forecast", "who", direct_only=True)) == {"revenue.who", "customers.email"}


async def test_what_is_not_understood_of_a_model_is_its_gap_and_makes_no_edge(shop: Shop, project: Project) -> None:
    project.model("staging", None, alias="stg_orders", depends_on={"nodes": ["source.shop.raw.orders"]})
    project.model("forecast", "def model(dbt, session): ...", language="python")
    project.model("elsewhere", "select 1 as one")
    project.model("revenue", "select email as who, id as never_seen from {customers}")
    project.model("customers", "select * from nowhere.at_all")
    project.model("orders", "select " + "1," * 100_001 + "1 as number")
    done = await project.taken_in()
    found = {one["key"].rsplit(".", 1)[1]: (one["name"], one["target_fqn"]) for one in done["gaps"]}
    assert found == {
        "staging": ("compiled", shop.name("stg_orders")),
        "forecast": ("language", shop.name("forecast")),
        "elsewhere": ("target", None),
        "revenue": ("columns", shop.name("revenue")),
        "customers": ("tables", shop.name("customers")),
        "orders": ("size", shop.name("orders")),
    }
    reasons = {one["key"].rsplit(".", 1)[1]: one["reason"] for one in done["gaps"]}
    assert "dbt compile" in reasons["staging"]
    assert "source.shop.raw.orders" in reasons["staging"]
    assert "never_seen" in reasons["revenue"]
    listed = await shop.ask(list_lineage_statements, source=LineageSource.DBT, with_gaps=True)
    assert (listed["total"], sum(one["edge_count"] for one in listed["items"])) == (6, 0)

    # dbt has seen the column in the database, which the last ingestion had not.
    seen = {
        "metadata": {"database": shop.database, "schema": "sales", "name": "revenue"},
        "columns": {"never_seen": {"name": "never_seen", "index": 4}},
    }
    docs = {"metadata": {"dbt_schema_version": f"{SCHEMAS}/catalog/v1.json"}, "nodes": {"model.shop.revenue": seen}}
    done = await project.taken_in(catalog=docs)
    assert "revenue" not in {one["key"].rsplit(".", 1)[1] for one in done["gaps"]}
    assert "customers.email" in await shop.told(UP, "revenue", "who")


async def test_what_is_no_manifest_is_refused_and_says_what_to_do(shop: Shop) -> None:
    for file, field in (
        ({"manifest": {}}, "manifest.metadata"),
        ({"manifest": manifest({}, 7)}, "manifest.metadata"),
        ({"manifest": manifest([])}, "manifest.nodes"),
        ({"manifest": manifest({}), "catalog": {"metadata": {}}}, "catalog.metadata"),
    ):
        refused = await shop.ask(import_dbt_manifest, file=DbtImport(**file))
        assert isinstance(refused, Refused)
        assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, field)
    assert isinstance(await shop.ask(get_lineage, "nowhere"), Refused)


async def test_a_manifest_of_200_megabytes_is_refused_before_it_is_read(shop: Shop) -> None:
    world, sent = shop.bench.world, 0

    async def body() -> Any:
        nonlocal sent
        yield b'{"manifest": {"metadata": {"generated_at": "'
        for _ in range(200):
            sent += 1 << 20
            yield b"x" * (1 << 20)
        yield b'"}}}'

    headers = {"Authorization": f"Bearer {world.owner}", "X-Project-ID": world.shop, "Content-Type": "application/json"}
    path = f"/utils/data_connection/{shop.bench.uri}/lineage/dbt"
    answer = await shop.bench.door.client.post(path, content=body(), headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "INVALID_REQUEST")
    assert sent < 20 << 20, "it is not read to its end"
    answer = await shop.bench.door.client.post(path, content=b'{"manifest": {"met', headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_FORMAT")
