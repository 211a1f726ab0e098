"""Entities by their global id."""

from typing import Any

import pytest

from resolvers.entities import ENTITIES
from schema.node import encode
from tests.conftest import Statements
from tests.doors import SDL
from tests.world import World

pytestmark = pytest.mark.anyio

NODE = """query($id: ID!) { node(id: $id) {
  __typename ...on Project { nodeId name } ...on DataConnection { nodeId name } } }"""
NODES = "query($ids: [ID!]!) { nodes(ids: $ids) { __typename ...on Project { name } ...on DataConnection { name } } }"


async def ask(world: World, query: str, token: str | None = None, **variables: Any) -> Any:
    answer = await world.request(
        "POST", "/graphql", token=token or world.owner, json={"query": query, "variables": variables}
    )
    return answer.json()


def test_every_entity_has_a_global_id_and_only_those() -> None:
    members = {type_.name for type_ in SDL.type_map["Node"].types}  # type: ignore[attr-defined]
    assert members == {model.__name__ for model in ENTITIES}
    named = {name for name, type_ in SDL.type_map.items() if "nodeId" in getattr(type_, "fields", {})}
    assert named == members


async def registered(world: World, name: str) -> str:
    body = {"name": name, "connection_type": "nfs", "filesystem_config": {"path": "/x"}}
    made = await world.request("POST", "/assets/data", token=world.owner, json=body)
    uri: str = made.json()["resource_uri"]
    return uri


async def test_what_the_graph_shows_is_read_again_by_its_id(world: World) -> None:
    await registered(world, "Orders")
    shown = await ask(world, "{ projects { items { nodeId name } } dataConnections { items { nodeId name } } }")
    items = shown["data"]["projects"]["items"] + shown["data"]["dataConnections"]["items"]
    assert {item["name"] for item in items} == {"shop", "lab", "Orders"}
    for item in items:
        found = (await ask(world, NODE, id=item["nodeId"]))["data"]["node"]
        assert {key: found[key] for key in item} == item


def test_every_entity_and_what_lists_hold_of_a_project_leads_up_to_it_and_to_its_organization() -> None:
    held = [*(model.__name__ for model in ENTITIES), "QualityRule", "Proposal", "SuspectCell", "Webhook", "AuditEntry"]
    for name in {*held, "Classification", "Benchmark"} - {"Organization", "Project"}:
        fields = SDL.type_map[name].fields  # type: ignore[attr-defined]
        assert {str(fields["project"].type), str(fields["organization"].type)} == {"Project", "Organization"}, name


UPWARDS = """{ %(list)sConnection { nodes { project { id name } organization { id } } } }"""


async def test_ten_lead_up_for_the_price_of_one_and_only_where_the_caller_may_look(
    world: World, statements: Statements
) -> None:
    costs = []
    for number in (1, 10):
        for one in range(number):
            await registered(world, f"Source {number}.{one}")
        await statements.anew()
        up = (await ask(world, UPWARDS % {"list": "dataConnections"}))["data"]["dataConnectionsConnection"]["nodes"]
        # Events of what was registered are told meanwhile, by statements of their own.
        costs.append(sum(("FROM projects" in one) + ("FROM organizations" in one) for one in statements))
        assert up == [{"project": {"id": world.shop, "name": "shop"}, "organization": {"id": "acme"}}] * len(up)
    assert 0 < costs[1] <= costs[0]
    begun = await world.request("POST", "/talk2data/chat/sessions", token=world.owner, json={})
    assert begun.is_success
    [session] = (await ask(world, UPWARDS % {"list": "chatSessions"}))["data"]["chatSessionsConnection"]["nodes"]
    assert session == up[0]


async def test_a_deletion_tells_what_is_gone_by_one_name_also_when_it_is_repeated(world: World) -> None:
    uri = await registered(world, "Orders")
    made = await world.request("POST", "/talk2data/chat/sessions", token=world.owner, json={})
    session = made.json()["session_id"]
    gone = 'mutation { deleteDataConnection(resourceUri: "%s") { deletedId resourceUri } }' % uri
    assert (await ask(world, gone))["data"]["deleteDataConnection"] == {"deletedId": uri, "resourceUri": uri}
    node = encode("ChatSession", session)
    for _ in range(2):
        body = {
            "query": 'mutation { deleteChatSession(sessionId: "%s") { deletedId message } }' % node,
            "extensions": {"idempotencyKey": "once"},
        }
        answer = (await world.request("POST", "/graphql", token=world.owner, json=body)).json()
        assert answer["data"]["deleteChatSession"]["deletedId"] == session, answer


async def test_a_webhook_is_read_again_by_its_id_and_by_whom_it_may_be(world: World) -> None:
    body = {"name": "desk", "url": "https://93.184.216.34/hook", "types": ["violation.opened"]}
    made = await world.request("POST", "/utils/webhooks", token=world.owner, json=body)
    id_ = encode("Webhook", made.json()["webhook"]["id"])
    query = "query($id: ID!) { node(id: $id) { ...on Webhook { nodeId name project { name } } } }"
    found = (await ask(world, query, id=id_))["data"]["node"]
    assert found == {"nodeId": id_, "name": "desk", "project": {"name": "shop"}}
    named = await ask(world, "query($id: UUID!) { webhook(webhookId: $id) { name } }", id=id_)
    assert named["data"]["webhook"] == {"name": "desk"}
    for token in (world.token("nobody", project=world.shop), world.foreign_owner):
        assert (await ask(world, query, token, id=id_))["data"] == {"node": None}


async def test_a_statement_of_lineage_is_read_again_by_its_id_as_long_as_its_connection_stands(world: World) -> None:
    uri = await registered(world, "Orders")
    path = f"/utils/data_connection/{uri}/lineage/statements"
    told = {"statement": "insert into a select b from c", "name": "load"}
    made = await world.request("POST", path, token=world.owner, json=told)
    id_ = encode("LineageStatement", made.json()["id"])
    query = "query($id: ID!) { node(id: $id) { ...on LineageStatement { nodeId statement project { name } } } }"
    found = (await ask(world, query, id=id_))["data"]["node"]
    assert found == {"nodeId": id_, "statement": told["statement"], "project": {"name": "shop"}}
    for token in (world.token("nobody", project=world.shop), world.foreign_owner):
        assert (await ask(world, query, token, id=id_))["data"] == {"node": None}
    assert (await world.request("DELETE", f"/assets/data/{uri}", token=world.owner)).is_success
    assert (await ask(world, query, id=id_))["data"] == {"node": None}


async def test_what_is_not_there_or_not_for_the_caller_is_null(world: World) -> None:
    uri = await registered(world, "Orders")
    stranger = world.token("nobody", project=world.shop)
    assert (await ask(world, NODE, id=encode("DataConnection", uri)))["data"]["node"]["name"] == "Orders"
    for token in (stranger, world.foreign_owner):
        body = await ask(world, NODE, token, id=encode("DataConnection", uri))
        assert "errors" not in body
        assert body["data"] == {"node": None}
    for id_ in ("none", world.theirs):
        assert (await ask(world, NODE, id=encode("Project", id_)))["data"] == {"node": None}


async def test_what_is_no_id_is_refused(world: World) -> None:
    for wrong in ("", "x", "%%", encode("Secret", "x"), encode("Nothing", "x"), encode("Project", "")):
        body = await ask(world, NODE, id=wrong)
        assert body["data"] == {"node": None}
        assert body["errors"][0]["extensions"]["code"] == "INVALID_PARAMETER", wrong


async def test_many_are_read_in_their_order_for_the_price_of_one(world: World, statements: Statements) -> None:
    ids = [encode("DataConnection", await registered(world, f"c{n}")) for n in range(10)]
    mixed = [ids[3], encode("Project", world.shop), encode("Project", "none"), ids[1], ids[3]]
    body = await ask(world, NODES, ids=mixed)
    assert [node and node["name"] for node in body["data"]["nodes"]] == ["c3", "shop", None, "c1", "c3"]
    costs = []
    for asked in (ids[:1], ids):
        await statements.anew()
        body = await ask(world, NODES, ids=asked)
        assert len(body["data"]["nodes"]) == len(asked)
        costs.append(len([s for s in statements if not s.startswith(("BEGIN", "COMMIT"))]))
    assert costs[0] == costs[1]


@pytest.mark.parametrize("store_kind", ["sqlite"])
async def test_each_is_charged_and_their_number_is_bounded(world: World) -> None:
    async def left(number: int) -> int:
        body = {"query": NODES, "variables": {"ids": [encode("Project", world.shop)] * number}}
        answer = await world.request("POST", "/graphql", token=world.owner, json=body)
        assert "errors" not in answer.json()
        return int(answer.headers["X-RateLimit-Remaining"])

    before = await left(1)
    assert await left(5) == before - 5
    assert await left(100) == before - 105
    body = await ask(world, NODES, ids=[encode("Project", world.shop)] * 101)
    assert body["errors"][0]["extensions"]["code"] == "INVALID_PARAMETER"
