"""Documents by their hash, the cost of a query, and a write done once, over HTTP."""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from schema.documents import Documents, PersistedQueryNotFound
from tests.support.graph_socket import socket
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("store_kind", ["sqlite"])]

QUERY = "{ projects { total } }"
HASH = hashlib.sha256(QUERY.encode()).hexdigest()
NAMED = {"persistedQuery": {"version": 1, "sha256Hash": HASH}}
ANSWER = {"projects": {"total": 2}}


async def send(world: World, **body: Any) -> httpx.Response:
    return await world.request("POST", "/graphql", token=world.owner, json=body)


def code(answer: httpx.Response) -> str:
    found: str = answer.json()["errors"][0]["extensions"]["code"]
    return found


async def test_a_query_is_registered_once_and_named_by_its_hash_then(world: World) -> None:
    unknown = await send(world, extensions=NAMED)
    assert (unknown.status_code, code(unknown)) == (200, "PERSISTED_QUERY_NOT_FOUND")
    assert unknown.json()["errors"][0]["message"] == "PersistedQueryNotFound"
    assert (await send(world, query=QUERY, extensions=NAMED)).json()["data"] == ANSWER
    assert (await send(world, extensions=NAMED)).json()["data"] == ANSWER
    params = {"extensions": json.dumps(NAMED)}
    by_get = await world.request("GET", "/graphql", token=world.owner, params=params)
    assert by_get.json()["data"] == ANSWER


async def test_a_document_id_names_a_query_too(world: World) -> None:
    unknown = await send(world, documentId=f"sha256:{HASH}")
    assert code(unknown) == "PERSISTED_QUERY_NOT_FOUND"
    assert (await send(world, query=QUERY, documentId=HASH)).json()["data"] == ANSWER
    for known in (HASH, f"sha256:{HASH}"):
        assert (await send(world, documentId=known)).json()["data"] == ANSWER
        params = {"documentId": known}
        by_get = await world.request("GET", "/graphql", token=world.owner, params=params)
        assert by_get.json()["data"] == ANSWER
        async with socket(world.app, {"Authorization": f"Bearer {world.owner}"}) as ws:
            assert (await ws.message())["type"] == "connection_ack"
            ws.send(id="1", type="subscribe", payload={"documentId": known})
            assert (await ws.message())["payload"]["data"] == ANSWER
    assert code(await send(world, documentId=7)) == "INVALID_PARAMETER"
    wrong = await send(world, query=QUERY, documentId="0" * 64)
    assert wrong.json()["errors"][0]["extensions"]["details"] == {"field": "documentId"}
    assert (await send(world, query=QUERY, documentId=None)).json()["data"] == ANSWER
    assert (await send(world, query=QUERY, variables={"documentId": "x"})).json()["data"] == ANSWER


async def test_a_hash_that_is_not_the_querys_is_refused(world: World) -> None:
    wrong = {"persistedQuery": {"version": 1, "sha256Hash": "0" * 64}}
    assert code(await send(world, query=QUERY, extensions=wrong)) == "VALIDATION_ERROR"
    for shape in ({"version": 2, "sha256Hash": HASH}, {"version": 1}, {"version": 1, "sha256Hash": "x"}, "x"):
        assert code(await send(world, extensions={"persistedQuery": shape})) == "INVALID_PARAMETER"


def test_only_so_many_queries_are_remembered(store_kind: str) -> None:
    documents = Documents(cache_size=2)
    named = {}
    for text in ("{ a }", "{ b }", "{ c }"):
        named[text] = {"persistedQuery": {"version": 1, "sha256Hash": hashlib.sha256(text.encode()).hexdigest()}}
        documents.text(text, named[text])
    assert documents.text(None, named["{ c }"]) == "{ c }"
    with pytest.raises(PersistedQueryNotFound):
        documents.text(None, named["{ a }"])


@pytest.fixture
def trusted(tmp_path: Path) -> str:
    path = tmp_path / "trusted.json"
    path.write_text(json.dumps({HASH: QUERY}))
    return str(path)


class TestTrusted:
    """A deployment that takes trusted documents only."""

    @pytest.fixture
    def setting_overrides(self, trusted: str) -> dict[str, Any]:
        return {"graphql_trusted_documents": trusted, "graphql_trusted_only": True}

    async def test_trusted_documents_are_carried_out_and_others_refused(self, world: World) -> None:
        assert (await send(world, extensions=NAMED)).json()["data"] == ANSWER
        assert (await send(world, query=QUERY)).json()["data"] == ANSWER
        assert (await send(world, documentId=HASH)).json()["data"] == ANSWER
        assert code(await send(world, documentId="0" * 64)) == "FORBIDDEN"
        other = "{ projects { limit } }"
        refused = await send(world, query=other)
        assert (refused.status_code, code(refused)) == (403, "FORBIDDEN")
        named = {"persistedQuery": {"version": 1, "sha256Hash": hashlib.sha256(other.encode()).hexdigest()}}
        assert code(await send(world, query=other, extensions=named)) == "FORBIDDEN"
        assert code(await send(world, extensions=named)) == "FORBIDDEN"


def test_a_file_that_is_no_list_of_documents_is_told(tmp_path: Path, store_kind: str) -> None:
    (tmp_path / "x").write_text("[]")
    for path in (tmp_path / "none", tmp_path / "x"):
        with pytest.raises(ValueError, match="STOA_GRAPHQL_TRUSTED_DOCUMENTS"):
            Documents(path)


# Cost ---------------------------------------------------------------------------------------------------------------


async def cost(world: World, query: str, **variables: Any) -> tuple[int, int]:
    body = (await send(world, query=query, variables=variables)).json()
    told = body["extensions"]["cost"]
    assert (told["limit"], told["nodesLimit"]) == (200_000, 100_000)
    return told["requested"], told["nodes"]


async def test_a_cost_that_variables_decide_is_told_anew_for_each(world: World) -> None:
    listed = "query($n: Int! = 3, $all: Boolean! = true) { projects(limit: $n) { items @include(if: $all) { name } } }"
    fixed = "query($q: String) { projects(limit: 4) { items { name } } searchMetadata(q: $q) { total } }"
    for _ in range(2):
        assert await cost(world, listed) == (5, 4)
        assert await cost(world, listed, n=7) == (9, 8)
        assert await cost(world, listed, n=7, all=False) == (2, 1)
        assert await cost(world, fixed, q="a") == await cost(world, fixed, q="b") == await cost(world, fixed)


async def test_an_answer_tells_what_its_query_cost(world: World) -> None:
    assert await cost(world, "{ projects { total } }") == (2, 1)
    assert await cost(world, "{ projects(limit: 7) { items { name } } }") == (9, 8)
    assert await cost(world, "{ projects { items { name } } }") == (22, 21)
    assert await cost(world, "{ projects(limit: 7) { items { dataConnections { name } } } }") == (51, 43)
    sized = "query($n: Int) { projectsConnection(first: $n) { nodes { name } } }"
    assert await cost(world, sized, n=3) == (5, 4)
    assert await cost(world, "{ projects(limit: 7) { ...P } } fragment P on ProjectPage { items { name } }") == (9, 8)
    assert await cost(world, "{ projects(limit: 7) @skip(if: true) { items { name } } __typename }") == (1, 0)
    assert await cost(world, "{ projects(limit: 7) { __typename items { __typename name } } }") == (17, 8)
    assert await cost(world, "{ __schema { queryType { name } mutationType { name __typename } } }") == (8, 3)


async def test_fragments_in_fragments_cannot_outgrow_the_estimate(world: World) -> None:
    chain = " ".join(f"fragment F{n} on ProjectPage {{ ...F{n + 1} ...F{n + 1} }}" for n in range(30))
    query = "{ projects { ...F0 } } " + chain + " fragment F30 on ProjectPage { total }"
    assert code(await send(world, query=query)) == "VALIDATION_ERROR"
    aliased = query.replace("{ total }", "{ a: total b: total }")
    assert "2147483648 aliases found" in (await send(world, query=aliased)).json()["errors"][0]["message"]
    nested = query.replace("{ total }", "{ " + "items { " * 15 + "name" + " }" * 16)
    told = [error["message"] for error in (await send(world, query=nested)).json()["errors"]]
    assert "'anonymous' exceeds maximum operation depth of 15" in told


@pytest.mark.parametrize("query", ["{ ...F } fragment F on Query { ...F }", "{ ...None }", "{ projects { ...None } }"])
async def test_a_fragment_inside_itself_or_of_no_document_is_refused(world: World, query: str) -> None:
    answer = await send(world, query=query)
    assert (answer.status_code, code(answer)) == (200, "VALIDATION_ERROR")


class TestBounds:
    """Bounds that a short query can pass."""

    @pytest.fixture
    def setting_overrides(self) -> dict[str, Any]:
        return {"graphql_max_nodes": 51, "graphql_max_cost": 60}

    async def test_a_query_that_asks_for_too_much_is_refused_before_it_runs(self, world: World) -> None:
        assert (await send(world, query="{ projects(limit: 50) { items { name } } }")).json()["data"]
        refused = await send(world, query="{ projects(limit: 51) { items { name } } }")
        assert code(refused) == "VALIDATION_ERROR"
        assert refused.json()["errors"][0]["extensions"]["details"] == {"nodes": 52, "limit": 51}
        dear = await send(world, query="{ projects(limit: 8) { items { a: dataConnections { name } nodeId } } }")
        assert dear.json()["errors"][0]["extensions"]["details"] == {"cost": 66, "limit": 60}


# Writes done once ---------------------------------------------------------------------------------------------------

CREATE = "mutation($name: String!) { createProject(project: {name: $name}) { id name } }"


async def create(world: World, name: str, key: str) -> Any:
    answer = (await send(world, query=CREATE, variables={"name": name}, extensions={"idempotencyKey": key})).json()
    answer["extensions"].pop("requestId")  # of each request its own
    return answer


async def test_a_write_is_done_once_under_the_key_of_its_extensions(world: World) -> None:
    first = await create(world, "new", "k1")
    assert await create(world, "new", "k1") == first
    other = await create(world, "other", "k1")
    assert other["errors"][0]["extensions"]["code"] == "RESOURCE_ALREADY_EXISTS"
    assert other["errors"][0]["extensions"]["status"] == 409
    header = await world.request(
        "POST",
        "/graphql",
        token=world.owner,
        json={"query": CREATE, "variables": {"name": "new"}},
        headers={"Idempotency-Key": "k1"},
    )
    assert header.json()["data"] == first["data"]


async def test_two_racing_requests_do_the_work_once(world: World) -> None:
    one, two = await asyncio.gather(create(world, "raced", "k2"), create(world, "raced", "k2"))
    assert one["data"] == two["data"]
    listed = (await send(world, query="{ projects { items { name } } }")).json()
    assert [item["name"] for item in listed["data"]["projects"]["items"]].count("raced") == 1
