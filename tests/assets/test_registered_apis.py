"""APIs that an OpenAPI document describes: verified, approved and called, as tools are."""

import base64
import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from resolvers.assets.registered_servers import get_registered_server
from resolvers.assets.server_tools import list_registered_server_tools
from tests.assets.serving import TOKEN, approved, called, ready, registered, verified
from tests.doors import Door
from tests.support.http_stub import Asked, HttpStub, Reply, http_stub
from tests.world import World

pytestmark = pytest.mark.anyio

ORDER = {"$ref": "#/components/schemas/Order"}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Orders", "version": "1"},
    "servers": [{"url": "http://evil.example.com"}],
    "paths": {
        "/orders/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "get": {
                "operationId": "getOrder",
                "summary": "Get an order",
                "parameters": [
                    {"name": "tag", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                    {
                        "name": "id",
                        "in": "query",
                        "schema": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
                    },
                ],
            },
            "put": {"requestBody": {"required": True, "content": {"application/json": {"schema": ORDER}}}},
            "delete": {"parameters": [{"name": "s", "in": "cookie", "required": True, "schema": {}}]},
        },
        "/uploads": {"post": {"requestBody": {"required": True, "content": {"image/png": {"schema": {}}}}}},
    },
    "components": {
        "schemas": {
            "Order": {
                "type": "object",
                "required": ["lines"],
                "properties": {
                    "lines": {"type": "array", "items": {"type": "integer"}},
                    "note": {"type": "string", "nullable": True},
                    "parent": ORDER,
                },
            }
        }
    },
}


class Api:
    """A server that answers with its document, and to all else with what it was told."""

    def __init__(self) -> None:
        self.document: Any = DOCUMENT
        self.reply: Reply = (200, {"Content-Type": "application/json"}, b'{"id": 7}')
        self.stub: HttpStub

    def __call__(self, asked: Asked) -> Reply:
        """One answer."""
        if asked.path.endswith(("/openapi.json", "/openapi.yaml")):
            text = self.document if isinstance(self.document, str) else json.dumps(self.document)
            return 200, {"Content-Type": "application/json"}, text.encode()
        return self.reply

    @property
    def url(self) -> str:
        """The address that stands before its paths."""
        return f"http://127.0.0.1:{self.stub.port}/v1"


@pytest.fixture
def api() -> Iterator[Api]:
    """A running API."""
    served = Api()
    with http_stub(served) as stub:
        served.stub = stub
        yield served


async def test_an_operation_is_called_as_the_document_says(world: World, door: Door, api: Api) -> None:
    uri = await registered(world, door, api.url, "api", credentials={"bearer_token": TOKEN})
    found = await verified(world, door, uri)
    assert (found["added"], found["tool_count"]) == (["PUT /orders/{id}", "getOrder"], 2), found
    assert found["left_out"] == [
        "DELETE /orders/{id}: its parameter 's' goes into a cookie",
        "POST /uploads: its body is no JSON",
    ]
    await approved(world, door, uri)
    answer = await called(
        world,
        door,
        uri,
        "getOrder",
        path={"id": "a/../b c"},
        query={"tag": ["x", "y&z"], "id": 3},
        header={"X-Trace": "t"},
    )
    assert (answer["outcome"], answer["content"]) == (
        "answered",
        {"status": 200, "content_type": "application/json", "body": {"id": 7}},
    ), answer
    asked = api.stub.asked[-1]
    assert (asked.method, asked.path) == ("GET", "/v1/orders/a%2F..%2Fb%20c")
    assert asked.query == {"tag": "y&z", "id": "3"}
    assert (asked.headers["authorization"], asked.headers["x-trace"]) == (f"Bearer {TOKEN}", "t")
    assert {one.headers.get("authorization") for one in api.stub.asked} == {f"Bearer {TOKEN}"}
    order = {"lines": [1], "note": None, "parent": {"lines": []}}
    done = await called(world, door, uri, "PUT /orders/{id}", path={"id": "7"}, body=order)
    assert done["outcome"] == "answered"
    assert (json.loads(api.stub.asked[-1].body), api.stub.asked[-1].method) == (order, "PUT")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("getOrder", {}),
        ("getOrder", {"path": {"id": ".."}}),
        ("getOrder", {"path": {"id": ""}}),
        ("getOrder", {"path": {"id": "7"}, "query": {"id": 0}}),
        ("getOrder", {"path": {"id": "7"}, "header": {"Host": "elsewhere"}}),
        ("getOrder", {"path": {"id": "7"}, "header": {"X-Trace": "a\r\nHost: elsewhere"}}),
        ("PUT /orders/{id}", {"path": {"id": "7"}, "body": {"lines": [1], "parent": {"lines": ["x"]}}}),
        ("PUT /orders/{id}", {"path": {"id": "7"}}),
    ],
)
async def test_arguments_that_do_not_fit_are_not_sent(
    world: World, door: Door, api: Api, tool: str, arguments: dict[str, Any]
) -> None:
    uri = await ready(world, door, api.url, "api")
    asked = len(api.stub.asked)
    refused = await called(world, door, uri, tool, **arguments)
    assert (refused, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "arguments")
    assert len(api.stub.asked) == asked


async def test_a_changed_document_is_refused_until_it_is_approved(world: World, door: Door, api: Api) -> None:
    uri = await ready(world, door, api.url, "api")
    api.document = copy.deepcopy(DOCUMENT)
    api.document["info"]["version"] = "2"  # nothing that a call depends on
    assert (await called(world, door, uri, "getOrder", path={"id": "7"}))["outcome"] == "answered"
    api.document["paths"]["/orders/{id}"]["get"]["summary"] = "Get an order, and forget it"
    asked = len(api.stub.asked)
    refused = await called(world, door, uri, "getOrder", path={"id": "7"})
    assert (refused, refused.status, len(api.stub.asked)) == ("VERSION_CONFLICT", 409, asked + 1)
    assert (await door(get_registered_server, world.owner, resource_uri=uri))["status"] == "CHANGED"
    (tool,) = (await door(list_registered_server_tools, world.owner, resource_uri=uri, state="changed"))["items"]
    assert (tool["description"], tool["approved_definition"]["description"]) == (
        "Get an order, and forget it",
        "Get an order",
    )
    await approved(world, door, uri)
    assert (await called(world, door, uri, "getOrder", path={"id": "7"}))["outcome"] == "answered"


async def test_what_an_api_answers_is_bounded_and_tells_no_secret(
    world: World, door: Door, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.app.parts.services.servers.api._settings, "server_answer_bytes", 5_000)
    basic = base64.b64encode(b"ann:word").decode()
    sent = [{"name": "Authorization", "value": f"Basic {basic}"}]
    uri = await ready(world, door, api.url, "api", credentials={"headers": sent})

    async def outcome(status: int, headers: dict[str, str], body: bytes) -> Any:
        api.reply = (status, headers, body)
        return await called(world, door, uri, "getOrder", path={"id": "7"})

    echo = await outcome(404, {"Content-Type": "text/plain"}, f"no order for {basic}".encode())
    assert (echo["outcome"], echo["error"]) == ("refused", "The server answered with HTTP 404.")
    assert echo["content"]["body"] == "no order for [secret]"
    huge = await outcome(200, {}, b"x" * 6_000)
    assert (huge["outcome"], huge["error"]) == ("unknown", "The server answered more than 5,000 bytes.")
    moved = await outcome(302, {"Location": "http://169.254.169.254/"}, b"")
    assert (moved["outcome"], "redirects elsewhere (HTTP 302), which is not followed" in moved["error"]) == (
        "refused",
        True,
    )
    binary = await outcome(200, {"Content-Type": "image/png"}, b"\x89PNG\xff")
    assert (binary["outcome"], binary["content"]["body"], binary["size"]) == ("answered", None, 5)
    deep = await outcome(200, {"Content-Type": "application/json"}, b"[" * 200 + b"]" * 200)
    assert (deep["outcome"], deep["error"]) == ("unknown", "The server's answer is nested too deep.")
    numbers = await outcome(200, {"Content-Type": "application/json"}, b'{"n": 18446744073709551615}')
    assert numbers["outcome"] == "answered"
    assert basic not in str(await world.dump())


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ("<html>", "The file"),
        ('{"swagger": "2.0", "paths": {}}', "no OpenAPI document of version 3.0 or 3.1"),
        ('{"openapi": "3.1.0"}', "has no paths"),
        ("a: &a [1]\nb: &b [*a, *a]\n" + "".join(f"c{n}: *b\n" for n in range(200)), "aliases"),
        ("x" * 1_000_001, "more than 1,000,000 characters"),
        ("x" * 4_000_001, "more than 4,000,000 bytes"),
    ],
)
async def test_a_document_that_cannot_be_read_is_told(
    world: World, door: Door, api: Api, document: str, told: str
) -> None:
    api.document = document
    found = await verified(world, door, await registered(world, door, api.url, "api"))
    assert (found["success"], told in found["message"]) == (False, True), found


async def test_an_argument_is_sent_in_the_place_of_no_credential(world: World, door: Door, api: Api) -> None:
    sent = [{"name": "X-TRACE", "value": TOKEN}]
    uri = await ready(world, door, api.url, "api", credentials={"headers": sent})
    await called(world, door, uri, "getOrder", path={"id": "7"}, header={"X-Trace": "mine"})
    assert api.stub.asked[-1].headers["x-trace"] == TOKEN


async def test_a_document_may_stand_elsewhere_and_gets_no_credentials_there(world: World, door: Door, api: Api) -> None:
    api.document = yaml.safe_dump(DOCUMENT)
    elsewhere = f"http://localhost:{api.stub.port}/openapi.yaml"
    given = {"document_url": elsewhere, "credentials": {"bearer_token": TOKEN}}
    uri = await ready(world, door, api.url, "api", **given)
    assert all("authorization" not in one.headers for one in api.stub.asked)
    assert (await called(world, door, uri, "getOrder", path={"id": "7"}))["outcome"] == "answered"
    assert api.stub.asked[-1].headers["authorization"] == f"Bearer {TOKEN}"
