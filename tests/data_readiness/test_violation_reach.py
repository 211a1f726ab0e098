"""What a violation reaches: followed by lineage, bounded, and never naming what the caller may not read."""

from typing import Any

import pytest

from persistence.queries.lineage import KeptEdge, ToldStatement
from persistence.queries.source_facts import read_facts
from persistence.repository import Scope
from resolvers.data_readiness.report_lineage import lineage_of
from resolvers.data_readiness.violations import get_violation_impact
from schema.utils.lineage import LineageSource
from schema.utils.lineage_kind import LineageSubtype
from tests.conftest import Statements
from tests.data_readiness.quality import find, finding, violation_ids
from tests.data_readiness.workflows import URI, cataloged, scope, written
from tests.doors import Door, Refused
from tests.world import ORG, World

pytestmark = pytest.mark.anyio

HIDDEN = "data:acme:shop:vault"
EDGES = (
    ("svc.db.sch.orders", "total", "svc.db.sch.sales", "revenue"),
    ("svc.db.sch.sales", "revenue", "svc.vault.sch.bonus", "pay"),
    ("svc.vault.sch.bonus", "pay", "svc.db.sch.board", "cost"),
    ("svc.db.sch.board", "cost", "svc.db.sch.orders", "total"),  # round in a circle
)


@pytest.fixture
async def found(world: World) -> str:
    """The violation of a column that a view, a hidden table and another view depend on."""
    await cataloged(world, *(f"{table}.{column}" for *_, table, column in EDGES))
    await world.grant("olga", "owner", "data_connection", URI)
    await world.grant("olga", "owner", "data_connection", HIDDEN)

    def work(uow: Any) -> None:
        from persistence.tables.catalog import metadata_assets

        of = metadata_assets.c.fully_qualified_name.startswith("svc.vault")
        uow.connection.execute(metadata_assets.update().where(of).values(resource_uri=HIDDEN))
        told = [
            ToldStatement(LineageSource.SQL, edge[2], URI, edge[2], edges=(KeptEdge(*edge, LineageSubtype.IDENTITY),))
            for edge in EDGES
        ]
        uow.lineage.tell(Scope(ORG, world.shop), LineageSource.SQL, told, by="olga", at=world.clock())

    await written(world, work)
    await find(world, finding(asset="svc.db.sch.orders.total"), scope=scope(world))
    (id,) = await violation_ids(world)
    return id


async def test_a_violation_says_what_it_reaches_and_how_much_is_behind(world: World, door: Door, found: str) -> None:
    reached = await door(get_violation_impact, world.owner, violation_id=found)
    assert not isinstance(reached, Refused), reached
    assert [(one["table_fqn"], one["steps"], one["columns"]) for one in reached["items"]] == [
        ("svc.db.sch.sales", 1, ["revenue"]),
        ("svc.vault.sch.bonus", 2, ["pay"]),
        ("svc.db.sch.board", 3, ["cost"]),
    ]
    assert (reached["total"], reached["hidden"], reached["complete"]) == (3, 0, True)
    page = await door(get_violation_impact, world.owner, violation_id=found, page=2, limit=2)
    assert ([one["steps"] for one in page["items"]], page["total"]) == ([3], 3)

    viewer = await world.member("viewer")
    await world.grant("viewer-of-project", "viewer", "data_connection", URI)
    reached = await door(get_violation_impact, viewer, violation_id=found)
    assert [one["table_fqn"] for one in reached["items"]] == ["svc.db.sch.sales", "svc.db.sch.board"]
    assert (reached["total"], reached["hidden"]) == (2, 1)
    assert "bonus" not in str(reached)
    stranger = await door(get_violation_impact, world.token("stranger", project=world.shop), violation_id=found)
    assert isinstance(stranger, Refused)
    assert "sales" not in stranger.message


async def test_ten_violations_say_it_for_as_many_statements_as_one(
    world: World, found: str, statements: Statements
) -> None:
    tables = [f"svc.db.sch.t{at}" for at in range(9)]
    await find(world, *(finding(asset=f"{table}.total") for table in tables), finding(asset="svc.db"))
    query = (
        "query($n: Int) { violationsConnection(first: $n) { nodes { assetFqn reaches { total items { tableFqn } } } } }"
    )
    costs = []
    for number in (1, 10, 11):
        await statements.anew()
        body = {"query": query, "variables": {"n": number}}
        answer = (await world.request("POST", "/graphql", token=world.owner, json=body)).json()
        assert "errors" not in answer, answer
        nodes = answer["data"]["violationsConnection"]["nodes"]
        assert len(nodes) == number
        costs.append(len([one for one in statements if not one.startswith(("BEGIN", "COMMIT"))]))
    reached = {node["assetFqn"]: node["reaches"]["total"] for node in nodes}
    assert reached["svc.db.sch.orders.total"] == 3
    assert (reached["svc.db.sch.t1.total"], reached["svc.db"]) == (0, 0)
    assert costs[1] - costs[0] <= 3, "the steps of the one that reaches something, and none for each"


async def test_a_report_names_what_is_of_its_connection_and_counts_the_rest(world: World, found: str) -> None:
    def read(*names: str, single: bool) -> Any:
        return lambda uow: lineage_of(
            uow, scope(world), read_facts(uow.connection, scope(world), names), None, single=single
        )

    lineage = await written(world, read("svc.db.sch.board", single=True))
    made_of = [(one.other, one.steps, one.columns) for one in lineage.made_of]
    assert made_of == [("svc.db.sch.sales", 2, ("revenue",)), ("svc.db.sch.orders", 3, ("total",))]
    assert [one.other for one in lineage.goes_into] == ["svc.db.sch.orders", "svc.db.sch.sales"]
    assert (lineage.hidden, lineage.complete, "bonus" in str(lineage)) == (1, True, False)
    lineage = await written(world, read("svc.db.sch.sales", "svc.db.sch.board", single=False))
    assert [(one.table, one.other, one.steps) for one in lineage.made_of] == [
        ("svc.db.sch.sales", "svc.db.sch.orders", 1)
    ]
    assert (lineage.goes_into, lineage.hidden, lineage.complete) == ((), 1, True)
