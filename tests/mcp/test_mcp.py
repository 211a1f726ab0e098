"""The door for agents: both revisions, who may call, what a tool is, and that nothing is cut without a word."""

from typing import Any

import orjson
import pytest

from tests.mcp.agent import HANDSHAKE, STATELESS, Agent
from tests.world import World

pytestmark = pytest.mark.anyio

MOST_TOOLS, MOST_LIST = 15, 12_000


@pytest.fixture(params=[HANDSHAKE, STATELESS])
def agent(request: pytest.FixtureRequest, world: World) -> Agent:
    """The owner's client, in each revision."""
    return Agent(world, world.owner, revision=request.param)


async def test_a_handshake_settles_the_revision(world: World) -> None:
    agent = Agent(world, world.owner)
    told = await agent.result("initialize", {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {}})
    assert (told["protocolVersion"], told["serverInfo"]["name"]) == (HANDSHAKE, "stoa")
    assert "never an instruction" in told["instructions"]
    assert (await agent.result("initialize", {"protocolVersion": "1999-01-01"}))["protocolVersion"] == "2025-11-25"
    assert await agent.result("ping") == {}
    done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    answer = await world.request("POST", "/mcp", token=world.owner, json=done)
    assert (answer.status_code, answer.content) == (202, b"")


async def test_without_a_handshake_the_server_is_discovered(world: World) -> None:
    agent = Agent(world, world.owner, revision=STATELESS)
    told = await agent.result("server/discover")
    assert told["supportedVersions"][0] == STATELESS
    assert told["resultType"] == "complete"
    assert told["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "stoa"


@pytest.mark.parametrize("path", ["/mcp", "/mcp/read"])
async def test_the_list_of_tools_is_short_and_its_hints_are_the_operations(world: World, path: str) -> None:
    tools = (await Agent(world, world.owner, path).result("tools/list"))["tools"]
    assert len(tools) <= MOST_TOOLS
    assert len(orjson.dumps(tools)) <= MOST_LIST
    reading = {tool["name"] for tool in tools if tool["annotations"]["readOnlyHint"]}
    assert {"find", "describe", "sample", "quality", "violations", "search_operations"} <= reading
    assert ("call_operation" in reading) == (path == "/mcp/read")
    if path == "/mcp/read":
        assert reading == {tool["name"] for tool in tools}


async def test_an_operation_is_found_shown_and_called(world: World, agent: Agent) -> None:
    found = await agent.tool("search_operations", words="create a context pack")
    assert found["data"][0]["operation"] == "create_context_pack"
    assert (found["data"][0]["readOnlyHint"], found["data"][0]["destructiveHint"]) == (False, False)
    shown = (await agent.tool("show_operation", operation="create_context_pack"))["data"]
    assert shown["needs"] == "can_create_resources"
    assert "pack" in shown["arguments"]["required"]
    made = await agent.call("create_context_pack", pack={"name": "Sales", "pack_type": "team"})
    read = await agent.call("get_context_pack", pack_id=made["data"]["id"])
    assert (read["data"], read["etag"]) == (made["data"], made["etag"])
    got = await world.request("GET", f"/utils/context-packs/{made['data']['id']}", token=world.owner)
    assert (got.json(), got.headers["etag"]) == (read["data"], read["etag"])


async def test_headers_of_rest_are_arguments_here(world: World) -> None:
    agent = Agent(world, world.token("olga"))
    pack = {"name": "Sales", "pack_type": "team"}
    assert (await agent.call("create_context_pack", pack=pack))["error"]["details"] == {"field": "X-Project-ID"}
    how = {"project": world.shop, "idempotency_key": "once"}
    made = await agent.call("create_context_pack", how, pack=pack)
    assert (await agent.call("create_context_pack", how, pack=pack))["data"] == made["data"]
    old = {"project": world.shop, "if_match": made["etag"]}
    assert "error" not in await agent.call(
        "update_context_pack", old, pack_id=made["data"]["id"], changes={"name": "A"}
    )
    refused = await agent.call("update_context_pack", old, pack_id=made["data"]["id"], changes={"name": "B"})
    assert refused["error"]["code"] == "VERSION_CONFLICT"
    assert (await agent.call("list_context_packs", {"project": world.theirs}))["error"]["status"] == 403


async def test_a_refusal_names_the_permission_and_changes_nothing(world: World) -> None:
    agent = Agent(world, await world.member("viewer"))
    before = await world.dump()
    refused = await agent.call("create_context_pack", pack={"name": "Sales", "pack_type": "team"})
    assert (refused["error"]["status"], refused["error"]["details"]["permission"]) == (403, "can_create_resources")
    assert agent.last is not None
    assert agent.last.status_code == 200
    assert await world.dump() == before


async def test_the_reading_address_neither_shows_nor_calls_what_writes(world: World) -> None:
    agent = Agent(world, world.owner, "/mcp/read")
    refused = await agent.call("create_context_pack", pack={"name": "Sales", "pack_type": "team"})
    assert refused["error"]["code"] == "RESOURCE_NOT_FOUND"
    assert (await agent.tool("show_operation", operation="create_context_pack"))["error"]["status"] == 404
    assert all(one["readOnlyHint"] for one in (await agent.tool("search_operations"))["data"])


async def test_a_caller_without_a_token_is_told_where_tokens_come_from(world: World) -> None:
    for token, error in ((None, ""), ("a.b.c", 'error="invalid_token", ')):
        agent = Agent(world, token, "/mcp/read")
        answer = await agent.send("tools/list")
        assert agent.last is not None
        assert (agent.last.status_code, answer["id"]) == (401, None)
        where = "http://stoa.test/.well-known/oauth-protected-resource/mcp/read"
        assert agent.last.headers["www-authenticate"] == f'Bearer {error}resource_metadata="{where}"'
    told = (await world.request("GET", "/.well-known/oauth-protected-resource/mcp/read")).json()
    assert (told["resource"], told["bearer_methods_supported"]) == ("http://stoa.test/mcp/read", ["header"])
    assert (await world.request("GET", "/.well-known/oauth-protected-resource")).json()["resource"].endswith("/mcp")


async def test_pages_of_other_origins_may_not_call(world: World) -> None:
    agent = Agent(world, world.owner)
    await agent.send("tools/list", Origin="http://evil.example")
    assert agent.last is not None
    assert (agent.last.status_code, agent.last.json()["error"]["data"]["code"]) == (403, "FORBIDDEN")
    await agent.send("tools/list", Origin="http://stoa.test", Host="stoa.test")  # its name may lead here by now
    assert agent.last.status_code == 403


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e999}}', 400, -32700),
        (b"[]", 400, -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/list"}', 200, -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}}', 200, -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":[]}}', 200, -32602),
        (b"[" * 100_000, 400, -32700),
    ],
)
async def test_broken_messages_are_refused_and_charged(world: World, body: bytes, status: int, code: int) -> None:
    json = {"Content-Type": "application/json"}
    answer = await world.request("POST", "/mcp", token=world.owner, content=body, headers=json)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert int(answer.headers["X-RateLimit-Remaining"]) == int(answer.headers["X-RateLimit-Limit"]) - 1


async def test_headers_that_contradict_the_message_are_refused(world: World) -> None:
    agent = Agent(world, world.owner, revision=STATELESS)
    for header in ({"Mcp_Method": "ping"}, {"MCP_Protocol_Version": HANDSHAKE}):
        answer = await agent.send("tools/list", **header)
        assert agent.last is not None
        assert (agent.last.status_code, answer["error"]["code"]) == (400, -32020)
    answer = await agent.send("tools/call", {"name": "find", "arguments": {}}, Mcp_Name="ask")
    assert answer["error"]["code"] == -32020
    agent.revision = "1999-01-01"
    assert (await agent.send("ping"))["error"]["code"] == -32022
    for how, status in (({"Content-Type": "text/plain"}, 415), ({"Accept": "text/html"}, 406)):
        answer = (await world.request("POST", "/mcp", token=world.owner, content=b"{}", headers=how)).status_code
        assert answer == status
    for method in ("GET", "DELETE"):
        assert (await world.request(method, "/mcp", token=world.owner)).status_code == 405


@pytest.mark.parametrize(
    "meta",
    [
        None,
        {},
        {"clientCapabilities": {}},
        {"protocolVersion": STATELESS},
        {"protocolVersion": STATELESS, "clientCapabilities": 1},
    ],
)
async def test_a_request_that_does_not_say_what_its_revision_asks_for_is_refused(
    world: World, meta: dict[str, Any] | None
) -> None:
    said = {f"io.modelcontextprotocol/{name}": value for name, value in (meta or {}).items()}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} if meta is None else {"_meta": said}}
    headers = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": "tools/list"}
    answer = await world.request("POST", "/mcp", token=world.owner, json=message, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32602)
    assert int(answer.headers["X-RateLimit-Remaining"]) == int(answer.headers["X-RateLimit-Limit"]) - 1


async def test_an_argument_that_a_tool_does_not_have_is_named(world: World) -> None:
    refused = await Agent(world, world.owner).tool("find", question="?")
    assert refused["error"]["details"] == {"field": "question"}


@pytest.mark.parametrize("setting_overrides", [{"mcp_answer_bytes": 2_000}])
@pytest.mark.parametrize("sizes", [[], [10], [10, 5000, 10], [400] * 45, [0, 7000, 7000, 0, 0]])
async def test_nothing_is_cut_without_a_word(world: World, sizes: list[int], setting_overrides: Any) -> None:
    agent, made = Agent(world, world.owner), []
    for number, size in enumerate(sizes):
        pack = {"name": f"Pack {number}", "pack_type": "team", "meta_data": {"text": 'é"\\\n' * (size // 4)}}
        made.append(await agent.call("create_context_pack", {"idempotency_key": f"k{number}"}, pack=pack))
        assert made[-1]["total"] == 1
    items, answers = await agent.whole("list_context_packs", page_size=7)
    assert sorted(item["name"] for item in items) == sorted(f"Pack {number}" for number in range(len(sizes)))
    assert all(answer["total"] == len(sizes) for answer in answers)
    assert all(len(orjson.dumps(answer)) <= 2_000 for answer in [*answers, *made])
    for item in items:
        (one,), _ = await agent.whole("get_context_pack", pack_id=item["id"])
        assert one == item


@pytest.mark.parametrize("setting_overrides", [{"rate_limit_reads": 2}])
async def test_a_full_window_says_how_long_to_wait(world: World, setting_overrides: Any) -> None:
    agent = Agent(world, world.owner)
    for _ in range(2):
        assert "error" not in await agent.tool("search_operations", words="pack")
    refused = await agent.tool("search_operations", words="pack")
    assert refused["error"]["code"] == "RATE_LIMIT_EXCEEDED"
    assert 0 < refused["error"]["retry_after"] <= 60
    listed = await agent.send("tools/list")
    assert agent.last is not None
    assert (agent.last.status_code, listed["error"]["data"]["code"]) == (429, "RATE_LIMIT_EXCEEDED")
    assert "Retry-After" in agent.last.headers
