"""No number that JSON cannot write gets in, at either door: it would be printed as null, as nothing anybody sent."""

from typing import Any

import pytest

from tests.support.graph_socket import socket
from tests.world import World

pytestmark = pytest.mark.anyio

TOKENS = ("NaN", "Infinity", "-Infinity", "1e999", "-1E+999", "9" * 309 + ".0")
JSON = {"Content-Type": "application/json"}
MEMORY = '{"context_pack_id": "%s", "memory_type": "fact", "name": "n", "content": {"kept": [{"deep": %s}]}}'
PACK = {"name": "p", "pack_type": "domain"}
MAKE = "mutation($m: MemoryCreate!) { createMemory(memory: $m) { id } }"


async def pack_of(world: World) -> str:
    headers = {"X-Project-ID": world.shop}
    made = await world.request("POST", "/utils/context-packs", token=world.owner, json=PACK, headers=headers)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def refused(answer: Any) -> bool:
    error = answer.json()["error"]
    return (answer.status_code, error["code"]) == (400, "INVALID_FORMAT")


@pytest.mark.parametrize("token", TOKENS)
async def test_a_number_that_json_cannot_write_is_refused_at_both_doors(world: World, token: str) -> None:
    pack = await pack_of(world)
    before = await world.dump()
    owner, headers = world.owner, JSON | {"X-Project-ID": world.shop}
    body = (MEMORY % (pack, token)).encode()
    assert refused(await world.request("POST", "/utils/memories", token=owner, content=body, headers=headers))
    variables = '{"m": {"contextPackId": "%s", "memoryType": "FACT", "name": "n", "content": {"kept": %s}}}' % (
        pack,
        token,
    )
    asked = '{"query": "%s", "variables": %s}' % (MAKE, variables)
    assert refused(await world.request("POST", "/graphql", token=owner, content=asked.encode(), headers=JSON))
    form = {"data": {"operations": asked, "map": "{}"}, "files": {"f": b"x"}}
    assert refused(await world.request("POST", "/graphql", token=owner, **form))
    params = {"query": "query($n: Int) { projects(limit: $n) { total } }", "variables": '{"n": %s}' % token}
    by_get = await world.request("GET", "/graphql", token=owner, params=params)
    assert (by_get.status_code, by_get.json()["error"]["code"]) == (400, "INVALID_FORMAT")
    async with socket(world.app, {"Authorization": f"Bearer {owner}"}) as ws:
        assert (await ws.message())["type"] == "connection_ack"
        text = '{"id": "1", "type": "subscribe", "payload": %s}' % asked
        ws._to_app.put_nowait({"type": "websocket.receive", "text": text})
        assert (await ws.message())[0] == "close"
    assert await world.dump() == before


@pytest.mark.parametrize("literal", ["1e999", "-1e999", "9" * 5000])
async def test_a_literal_of_a_query_is_refused_too(world: World, literal: str) -> None:
    pack = await pack_of(world)
    before = await world.dump()
    query = (
        'mutation { createMemory(memory: {contextPackId: "%s", memoryType: FACT, name: "n", content: {kept: %s}}) %s'
    )
    query %= pack, literal, "{ id } }"
    answer = await world.request("POST", "/graphql", token=world.owner, json={"query": query})
    assert [error["extensions"]["code"] for error in answer.json()["errors"]] == ["VALIDATION_ERROR"]
    assert await world.dump() == before


async def test_a_text_that_holds_such_words_is_taken(world: World) -> None:
    headers = {"X-Project-ID": world.shop}
    text = "NaN, Infinity, 1e999 and " + "9" * 400
    pack = await pack_of(world)
    body = {
        "context_pack_id": pack,
        "memory_type": "fact",
        "name": text[:100],
        "content": {"kept": text, "large": 1e300},
    }
    made = await world.request("POST", "/utils/memories", token=world.owner, json=body, headers=headers)
    assert made.status_code == 201, made.text
    assert made.json()["content"] == body["content"]
