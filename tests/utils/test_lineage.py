"""Lineage through both doors: told by views as they are ingested and by people, followed, bounded, hidden."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from persistence.queries.lineage import KeptEdge, ToldStatement
from persistence.repository import Scope
from resolvers.assets.data_connections import create_data_connection
from resolvers.utils.lineage import (
    create_lineage_statement,
    end_lineage_statement,
    get_lineage,
    get_lineage_impact,
    get_lineage_path,
    list_lineage_edges,
    list_lineage_statements,
)
from resolvers.utils.metadata import create_metadata
from schema.assets.data_connection import DataConnectionCreate
from schema.utils.lineage import LineageDirection, LineageSource, LineageStatementCreate
from schema.utils.lineage_kind import LineageSubtype
from schema.utils.metadata_asset import AssetType, MetadataAssetCreate
from tests.doors import Refused
from tests.support.ingestion import Bench, Source, bench, setting_overrides, source
from tests.world import ORG

__all__ = ["bench", "setting_overrides", "source"]

pytestmark = pytest.mark.anyio

VIEWS = """
    create view sales.spenders as
        select c.id, c.email, sum(c.credit) as credit, count(o.number) as orders
        from sales.customers c left join sales.orders o on o.customer_id = c.id
        where o.placed is not null group by c.id, c.email;
    create materialized view sales.top as select email as who, credit from sales.spenders where orders > 1;
    create view sales.counted as select count(*) as n from sales.top;
    create view sales.odd as select c::text as whole from sales.customers c;
"""


class Shop:
    """The shop with its lineage, asked as the owner."""

    def __init__(self, bench: Bench, database: str) -> None:
        self.bench, self.database = bench, database

    def name(self, *path: str) -> str:
        return ".".join(("shop", self.database, "sales", *path))

    async def ask(self, operation: Any, *path: str, **more: Any) -> Any:
        place = {"fqn": self.name(*path)} if path else {}
        return await self.bench.call(
            operation, resource_type="data_connection", resource_uri=self.bench.uri, **place, **more
        )

    async def told(self, direction: LineageDirection, *path: str, **more: Any) -> dict[str, tuple[int, bool]]:
        """Return what is reached, without the first three names: in how many steps, and whether values pass."""
        found = await self.ask(get_lineage, *path, direction=direction, **more)
        assert not isinstance(found, Refused), found
        assert (found["hidden"], found["complete"]) == (0, True)
        return {one["fqn"].split(".", 3)[-1]: (one["steps"], one["direct"]) for one in found["items"]}


UP, DOWN = LineageDirection.UPSTREAM, LineageDirection.DOWNSTREAM


@pytest.fixture
async def shop(bench: Bench, source: Source) -> Shop:
    source.run(VIEWS)
    source.may_read("sales")
    run = await bench.ingest()
    assert run["output"]["lineage"] == {"views": 5, "changed": 5, "not_understood": 1}
    return Shop(bench, source.database)


async def test_views_tell_of_their_columns_through_views_over_views(shop: Shop) -> None:
    found = await shop.told(UP, "top", "credit")
    assert found["spenders.credit"] == (1, True)
    assert found["customers.credit"] == (2, True)
    assert found["spenders.orders"] == (1, False)
    assert found["orders.number"] == (2, False)
    assert found["orders.placed"] == (2, False)
    assert "customers.Full Name" not in found
    assert await shop.told(UP, "top", "credit", direct_only=True) == {
        "spenders.credit": (1, True),
        "customers.credit": (2, True),
    }
    counted = await shop.told(DOWN, "orders", "placed")
    assert counted["counted.n"][1] is False  # which names no column of the view that it counts


async def test_an_impact_names_what_breaks_table_by_table(shop: Shop) -> None:
    found = await shop.ask(get_lineage_impact, "customers", "credit")
    told = {one["table_fqn"].rsplit(".", 1)[1]: (one["steps"], one["columns"], one["rows"]) for one in found["items"]}
    assert told == {
        "big": (1, [], True),
        "spenders": (1, ["credit"], False),
        "top": (2, ["credit"], False),
    }
    assert (found["total"], found["hidden"], found["complete"]) == (3, 0, True)
    second = await shop.ask(get_lineage_impact, "customers", "credit", page=2, limit=2)
    assert [one["table_fqn"] for one in second["items"]] == [shop.name("top")]
    nothing = await shop.ask(get_lineage_impact, "customers", "Full Name")
    assert (nothing["items"], nothing["total"]) == ([], 0)


async def test_a_path_leads_from_a_column_to_what_depends_on_it(shop: Shop) -> None:
    found = await shop.ask(get_lineage_path, "orders", "number", to_fqn=shop.name("counted", "n"))
    assert found["found"] is True
    ways = [(one["from_fqn"].split(".", 3)[-1], one["to_fqn"].split(".", 3)[-1]) for one in found["items"]]
    assert ways[0] == ("orders.number", "spenders.orders")
    assert ways[-1][1] in ("counted.n", "counted")
    back = await shop.ask(get_lineage_path, "counted", "n", to_fqn=shop.name("orders", "number"))
    assert (back["found"], back["items"]) == (False, [])


async def test_edges_say_who_told_of_them_and_sources_stand_side_by_side(shop: Shop) -> None:
    text = f"insert into sales.customers (id, email) select customer_id, 'x' from {shop.database}.sales.orders"
    made = await shop.ask(create_lineage_statement, statement=LineageStatementCreate(statement=text, name="load"))
    assert (made["gaps"], made["source"], made["target_fqn"]) == ([], "sql", shop.name("customers"))
    view = "create view sales.big as select email as id, email from sales.customers"
    await shop.ask(create_lineage_statement, statement=LineageStatementCreate(statement=view))
    edges = await shop.ask(list_lineage_edges, "big", "id")
    told = {(one["from_fqn"].split(".", 3)[-1], one["type"], one["subtype"], one["source"]) for one in edges["items"]}
    assert ("customers.id", "DIRECT", "IDENTITY", "view") in told
    assert ("customers.email", "DIRECT", "IDENTITY", "sql") in told
    assert ("customers.credit", "INDIRECT", "FILTER", "view") in told
    only = await shop.told(UP, "big", "id", source=LineageSource.SQL, direct_only=True)
    assert set(only) == {"customers.email"}


async def test_what_is_told_anew_ends_what_stood_and_the_past_can_be_asked_for(shop: Shop, source: Source) -> None:
    world = shop.bench.world
    before = world.clock.moment
    world.clock.moment += timedelta(hours=1)
    source.run("drop view sales.big; create view sales.big as select id, email from sales.customers")
    source.may_read("sales")
    run = await shop.bench.ingest()
    assert run["output"]["lineage"]["changed"] == 1
    assert "customers.credit" not in await shop.told(UP, "big", "id")
    assert "customers.credit" in await shop.told(UP, "big", "id", at=before + timedelta(minutes=30))
    again = await shop.bench.ingest()
    assert again["output"]["lineage"]["changed"] == 0
    source.run("drop view sales.counted")
    await shop.bench.ingest()
    assert "counted.n" not in await shop.told(DOWN, "orders", "placed")


async def test_what_is_not_understood_is_listed_and_makes_no_edge(shop: Shop) -> None:
    listed = await shop.ask(list_lineage_statements, with_gaps=True)
    assert [one["target_fqn"] for one in listed["items"]] == [shop.name("odd")]
    assert (listed["items"][0]["edge_count"], len(listed["items"][0]["gaps"])) == (0, 1)
    for text, gap in (
        ("selec nonsense", "statement"),
        ("select id from sales.customers", "target"),
        ("create table elsewhere as select id from sales.customers", "target"),
        ("insert into sales.orders (number) select nothing from sales.customers", "columns"),
        ("drop table sales.customers", "statement"),
    ):
        made = await shop.ask(create_lineage_statement, statement=LineageStatementCreate(statement=text, name="n"))
        assert ([one["name"] for one in made["gaps"]], made["edge_count"]) == ([gap], 0), text
    unknown = LineageStatementCreate(statement="select 1", target_fqn="shop.x.y.z")
    refused = await shop.ask(create_lineage_statement, statement=unknown)
    assert isinstance(refused, Refused)
    assert refused.status == 422


async def test_a_statement_of_a_megabyte_is_refused_and_a_dear_one_is_a_gap(shop: Shop) -> None:
    place = {"resource_type": "data_connection", "resource_uri": shop.bench.uri}
    long = "select id from sales.customers where id in (" + "1," * 500_000 + "1)"
    refused = await shop.bench.call(
        create_lineage_statement, **place, statement={"statement": long, "target_fqn": shop.name("orders")}
    )
    assert isinstance(refused, Refused)
    assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
    assert len(refused.message) < 1000
    dear = "insert into sales.orders (number) select a0.id from sales.customers a0 "
    dear += " ".join(f"join sales.customers a{at} on a{at}.id = a{at - 1}.id" for at in range(1, 2000))
    made = await shop.ask(create_lineage_statement, statement=LineageStatementCreate(statement=dear, name="dear"))
    assert ([one["name"] for one in made["gaps"]], made["edge_count"]) == (["size"], 0)
    assert (await shop.ask(list_lineage_statements, with_gaps=True, source=LineageSource.SQL))["total"] == 1


async def test_views_that_go_round_in_a_circle_end_every_walk(shop: Shop) -> None:
    for text in (
        "create view sales.spenders as select id, who as email from sales.top join sales.customers on email = who",
        "insert into sales.customers (email) select email from sales.spenders",
    ):
        made = await shop.ask(create_lineage_statement, statement=LineageStatementCreate(statement=text))
        assert made["gaps"] == []
    found = await shop.told(DOWN, "customers", "email")
    assert found["top.who"][1] is True
    assert "customers.email" not in found
    assert "customers.email" not in await shop.told(UP, "customers", "email")


async def test_a_key_that_the_source_keeps_is_reckoned_with(shop: Shop) -> None:
    for joined, count in (("c.id = o.customer_id", 2), ("c.email = o.number::text", 5)):
        text = f"select o.number from sales.orders o left join sales.customers c on {joined}"
        statement = LineageStatementCreate(statement=text, target_fqn=shop.name("orders"))
        made = await shop.ask(create_lineage_statement, statement=statement)
        assert (made["gaps"], made["edge_count"]) == ([], count), joined


async def test_depth_and_pages_bound_an_answer_and_it_says_so(shop: Shop) -> None:
    near = await shop.ask(get_lineage, "customers", direction=DOWN, depth=1, limit=2)
    assert (len(near["items"]), near["complete"]) == (2, False)
    assert near["total"] > 2
    for wrong in ("shop", "shop.a.b", "a.b.c.d.e.f"):
        refused = await shop.bench.call(
            get_lineage, resource_type="data_connection", resource_uri=shop.bench.uri, fqn=wrong
        )
        assert isinstance(refused, Refused)
        assert refused.status == 400
    missing = await shop.ask(get_lineage, "nowhere", "x")
    assert isinstance(missing, Refused)
    assert missing.status == 404


async def test_a_statement_can_be_ended_by_those_who_may(shop: Shop) -> None:
    made = await shop.ask(
        create_lineage_statement,
        statement=LineageStatementCreate(statement="insert into sales.orders (number) select id from sales.customers"),
    )
    assert len((await shop.ask(list_lineage_edges, "orders", "number"))["items"]) == 2
    ended = await shop.ask(end_lineage_statement, statement_id=UUID(made["id"]))
    assert ended["ended_at"] is not None
    found = await shop.ask(list_lineage_edges, "orders", "number")
    assert found["items"] == []
    missing = await shop.ask(end_lineage_statement, statement_id=UUID("7f9c24e8-3b12-4fef-91e0-5f1b3f2a6d11"))
    assert isinstance(missing, Refused)
    assert missing.status == 404


async def test_what_the_caller_may_not_read_is_counted_and_never_named(shop: Shop) -> None:
    """A second connection, of the whole organization, which the reader has no role on."""
    bench, world = shop.bench, shop.bench.world
    reader = world.token("rita", project=world.shop)
    await world.grant("rita", "viewer", "data_connection", bench.uri)
    hidden = await bench.call(
        create_data_connection,
        connection=DataConnectionCreate(
            name="Vault", connection_type="postgres", database_config={"host": "127.0.0.1", "database": "v"},
            credentials={"username": "u", "password": "p"},
        ),
    )  # fmt: skip
    uri = hidden["resource_uri"]
    for kind, fqn in (
        (AssetType.DATABASE, "vault.v"),
        (AssetType.DATABASE_SCHEMA, "vault.v.s"),
        (AssetType.TABLE, "vault.v.s.secret"),
        (AssetType.COLUMN, "vault.v.s.secret.salary"),
    ):
        await bench.call(
            create_metadata,
            resource_type="data_connection",
            resource_uri=uri,
            asset=MetadataAssetCreate(type=kind, fully_qualified_name=fqn),
        )
    await world.app.parts.services.store.write(lambda uow: _through(uow, world, shop, uri))
    for token, shown, hidden_ones in ((world.owner, True, 0), (reader, False, 1)):
        found = await bench.door(
            get_lineage, token, resource_type="data_connection", resource_uri=bench.uri,
            fqn=shop.name("top", "who"), direct_only=True, source=LineageSource.OPENLINEAGE,
        )  # fmt: skip
        assert (found["hidden"], "secret" in str(found)) == (hidden_ones, shown)
        assert found["total"] == 2 - hidden_ones
        path = await bench.door(
            get_lineage_path, token, resource_type="data_connection", resource_uri=bench.uri,
            fqn=shop.name("orders", "number"), to_fqn=shop.name("top", "who"),
        )  # fmt: skip
        assert path["found"] is True
        edges = await bench.door(
            list_lineage_edges, token, resource_type="data_connection", resource_uri=bench.uri,
            fqn=shop.name("top", "who"), source=LineageSource.OPENLINEAGE,
        )  # fmt: skip
        assert len(edges["items"]) == (1 if shown else 0)
        for answer in (path, edges):
            assert shown or "secret" not in str(answer)
    refused = await bench.door(
        get_lineage, reader, resource_type="data_connection", resource_uri=uri, fqn="vault.v.s.secret.salary"
    )
    assert isinstance(refused, Refused)
    assert refused.status == 403
    lost = await bench.door(
        get_lineage_path, reader, resource_type="data_connection", resource_uri=bench.uri,
        fqn=shop.name("orders", "number"), to_fqn="vault.v.s.secret.salary",
    )  # fmt: skip
    assert isinstance(lost, Refused)
    assert (lost.status, "secret" in lost.message) == (404, True)  # what the caller sent themselves


def _through(uow: Any, world: Any, shop: Shop, uri: str) -> None:
    """`orders.number` flows into the secret, and that into `top.who`."""
    told = [
        ToldStatement(
            LineageSource.OPENLINEAGE, f"job {at}", uri, target, edges=(KeptEdge(*ends, LineageSubtype.IDENTITY),)
        )
        for at, (target, ends) in enumerate(
            (
                ("vault.v.s.secret", (shop.name("orders"), "number", "vault.v.s.secret", "salary")),
                (shop.name("top"), ("vault.v.s.secret", "salary", shop.name("top"), "who")),
            )
        )
    ]
    uow.lineage.tell(Scope(ORG, world.shop), LineageSource.OPENLINEAGE, told, by="olga", at=world.clock.moment)
