"""Requests that cannot be read, or hold what no store can keep, are refused with a code and never a 500 (section 7)."""

import json
from collections.abc import AsyncIterator
from typing import Any, get_args, get_origin

import pytest

from resolvers.data_readiness.workflows import create_workflow_configuration
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from tests.conftest import STORES
from tests.contract.envelopes import assert_envelope, assert_variant
from tests.contract.stage import Stage
from tests.contract.test_bounds import Calls
from tests.doors import ROUTES, Door, Refused
from tests.world import World

pytestmark = pytest.mark.anyio


@pytest.fixture
def store_kind() -> str:
    """Return what a failure looks like does not depend on the store; the tests that say otherwise run on both."""
    return "sqlite"


on_both_stores = pytest.mark.parametrize("store_kind", STORES)


# Bodies that cannot be read -----------------------------------------------------------------------------------------

UNREADABLE = {
    "unparsable": b'{"name": ',
    "no object": b"[1, 2]",
    "a string": b'"name"',
    "a number": b"7",
    "null": b"null",
    "invalid UTF-8": b'{"name": "\xff\xfe"}',
    "two documents": b'{"name": "a"} {"name": "b"}',
    "not a number": b'{"name": NaN}',
    "a lone surrogate": b'{"name": "\\ud800"}',
    "deep nesting": b'{"name": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
}


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
async def test_a_body_that_cannot_be_read_is_a_400(world: World, body: bytes) -> None:
    answer = await world.request(
        "POST",
        "/governance/projects",
        token=world.owner,
        content=body,
        headers={"Content-Type": "application/json"},
    )
    error = assert_envelope(answer, 400, "INVALID_FORMAT")
    assert "field" in error["details"]


@pytest.mark.parametrize("body", [b"", b"   "], ids=["empty", "blank"])
async def test_a_body_that_is_missing_is_a_missing_field(world: World, body: bytes) -> None:
    answer = await world.request("POST", "/governance/projects", token=world.owner, content=body)
    error = assert_envelope(answer, 400, "MISSING_REQUIRED_FIELD")
    assert error["details"]["field"] == "body"


async def test_a_body_that_may_say_nothing_may_be_left_out(world: World, door: Door) -> None:
    """Of every operation that creates or acts; what replaces or changes something has to say with what."""
    stage, tried = await Stage.set(world), []
    for operation, route in ROUTES.items():
        body = route.operation.body
        fields = getattr(body.annotation, "model_fields", {}) if body is not None else {}
        if body is None or route.methods != {"POST"} or any(field.is_required() for field in fields.values()):
            continue
        listed = get_origin(get_args(body.annotation)[0] if get_args(body.annotation) else body.annotation) is list
        if listed or operation == "supersede_memory":  # one of its two fields is needed
            continue
        calls = Calls(stage, door, operation)
        arguments = await calls.base()
        arguments.pop(body.name, None)
        answer = await calls.call(**arguments)
        assert not isinstance(answer, Refused), (operation, answer)
        tried.append(operation)
    assert {"trigger_run", "get_scorecard", "create_chat_session"} <= set(tried)
    for method, path in (("PUT", "/governance/organizations/acme/rate-limits"), ("PUT", "/talk2data/chat/settings")):
        refused = await world.request(method, path, token=world.owner)
        assert_envelope(refused, 400, "MISSING_REQUIRED_FIELD")


@pytest.mark.parametrize(
    "body",
    [*UNREADABLE.values(), b"", b"[]", b'{"query": 7}', b'{"query": "{__typename}", "variables": 7}', b"{}"],
    ids=[*UNREADABLE, "empty", "a list", "a query that is no text", "variables that are no object", "no query"],
)
async def test_a_graph_request_that_cannot_be_read_is_a_400(world: World, body: bytes) -> None:
    answer = await world.request(
        "POST", "/graphql", token=world.owner, content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 400, answer.text
    error = answer.json()["error"]
    assert error["code"] in ("INVALID_FORMAT", "INVALID_REQUEST", "MISSING_REQUIRED_FIELD")
    assert error["request_id"] == answer.headers["X-Request-ID"]


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "application/x-www-form-urlencoded"])
async def test_the_graph_takes_json_only(world: World, kind: str) -> None:
    answer = await world.request(
        "POST", "/graphql", token=world.owner, content=b'{"query":"{__typename}"}', headers={"Content-Type": kind}
    )
    assert_envelope(answer, 415, "INVALID_REQUEST")


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    """A body limit that a test can pass quickly."""
    return {"max_body_bytes": 300_000}


async def test_a_body_that_is_too_large_is_refused_before_and_while_it_is_read(world: World) -> None:
    body = json.dumps({"name": "a", "description": "x" * 400_000}).encode()

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 50_000):
            yield body[start : start + 50_000]

    before = await world.dump()
    for path in ("/governance/projects", "/graphql"):
        declared = await world.request(
            "POST", path, token=world.owner, content=body, headers={"Content-Type": "application/json"}
        )
        assert "content-length" in declared.request.headers
        assert_envelope(declared, 413, "INVALID_REQUEST")
        streamed = await world.request(
            "POST", path, token=world.owner, content=pieces(), headers={"Content-Type": "application/json"}
        )
        assert "content-length" not in streamed.request.headers
        assert_envelope(streamed, 413, "INVALID_REQUEST")
    assert_variant(
        await world.request("POST", "/data-readiness/workflows", token=world.owner, content=body),
        413,
        "INVALID_REQUEST",
    )
    assert await world.dump() == before


@on_both_stores
async def test_text_that_the_store_cannot_hold_is_a_422_and_not_a_500(world: World) -> None:
    """PostgreSQL has no NUL character; both stores must refuse the same."""
    owner = world.owner
    bodies: list[tuple[str, str, dict[str, Any]]] = [
        ("POST", "/governance/projects", {"name": "a\x00b"}),
        ("POST", "/governance/projects", {"name": "a", "description": "b\x00"}),
        ("POST", "/data-readiness/workflows", {"name": "a\x00", "workflow_type": "profiling"}),
        ("POST", "/data-readiness/workflows", {"name": "a", "workflow_type": "profiling", "config": {"k": "\x00"}}),
        (
            "POST",
            "/governance/resources/projects/secrets",
            {"name": "s", "value": "v", "description": "\x00"},
        ),
        (
            "POST",
            "/assets/data",
            {
                "name": "n",
                "connection_type": "nfs",
                "filesystem_config": {"path": "/x"},
                "description": "\x00",
            },
        ),
    ]
    before = await world.dump()
    for method, path, body in bodies:
        answer = await world.request(method, path, token=owner, json=body, headers={"X-Project-ID": world.shop})
        assert answer.status_code == 422, (path, body, answer.text)
        error = answer.json()["error"]
        changed = next(name for name, value in body.items() if "\\u0000" in json.dumps(value))
        assert (error["code"], error["details"]["field"]) == ("VALIDATION_ERROR", changed)
    assert await world.dump() == before


@on_both_stores
async def test_json_that_the_store_cannot_hold_is_a_422_in_both_doors(world: World, door: Door) -> None:
    nested: list[Any] = []
    for _ in range(120):
        nested = [nested]
    before = await world.dump()
    for value in (10**30, -(10**20), nested, {"a\x00": 1}):
        wanted = WorkflowConfigurationCreate.model_construct(
            _fields_set={"name", "workflow_type", "config"},
            name="n",
            workflow_type=WorkflowType.PROFILING,
            config={"k": value},
        )
        refused = await door(create_workflow_configuration, world.owner, configuration=wanted)
        assert isinstance(refused, Refused), value
        assert (refused.code, refused.status) in (("VALIDATION_ERROR", 422), ("INVALID_FORMAT", 400)), refused
    assert await world.dump() == before


@on_both_stores
async def test_nul_in_a_path_or_query_is_no_500(world: World) -> None:
    owner = world.owner
    for path in (
        "/governance/projects/%00",
        "/assets/data/data:acme:x:%00",
        "/assets/data?search=%00",
        "/assets/data?tags=%00",
        "/assets/data?created_by=%00",
        "/governance/resources/data_connection/a%00b/secrets",
        "/governance/permissions/check?permission=can_read&resource_type=project&resource_id=a%00",
        "/governance/permissions/check?permission=can_read&resource_type=project&resource_id=a&user=%00",
    ):
        answer = await world.request("GET", path, token=owner)
        assert answer.status_code == 400, (path, answer.text)
        assert answer.json()["error"]["code"] == "INVALID_PARAMETER"
    query = "query($id: String!) { project(projectId: $id) { name } }"
    answer = await world.request("POST", "/graphql", token=owner, json={"query": query, "variables": {"id": "\x00"}})
    assert answer.json()["errors"][0]["extensions"]["code"] == "INVALID_PARAMETER"


@on_both_stores
async def test_numbers_beyond_every_store_are_refused_as_parameters(world: World) -> None:
    for value in ("99999999999999999999999999", "-1", "0", "1e3", "1.5", "abc", "", "9" * 5000):
        answer = await world.request("GET", f"/governance/projects?page={value}", token=world.owner)
        error = assert_envelope(answer, 400, "INVALID_PARAMETER")
        assert error["details"]["field"] == "page"
    huge = '{"reads": %s}' % ("9" * 30)
    answer = await world.request("PUT", "/governance/organizations/acme/rate-limits", token=world.owner, content=huge)
    assert_envelope(answer, 422, "VALIDATION_ERROR")


async def test_a_thousand_wrong_fields_make_a_short_answer(world: World) -> None:
    body = {f"unknown{number}": number for number in range(1000)} | {"name": "a"}
    answer = await world.request("POST", "/governance/projects", token=world.owner, json=body)
    error = assert_envelope(answer, 400, "VALIDATION_ERROR")
    assert len(error["details"]["problems"]) == 50
