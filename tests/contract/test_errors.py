"""Every way in which a request can fail: the code, the status, the envelope, and what is never said (section 7)."""

import json
import logging
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import structlog

from resolvers.assets.data_connections import create_data_connection, get_data_connection, list_data_connections
from resolvers.data_readiness.workflows import create_workflow_configuration, get_workflow_configuration
from resolvers.governance.projects import create_project, get_project
from rest_compat.logs import set_up_logs
from schema import errors
from schema.assets.data_connection import ConnectionType, DataConnectionCreate
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.errors import ApiError
from schema.governance.project import ProjectCreate
from tests.conftest import STORES
from tests.doors import Door, Refused
from tests.world import World

pytestmark = pytest.mark.anyio

CATALOGUE = {
    "InvalidRequest": ("INVALID_REQUEST", 400),
    "ValidationError": ("VALIDATION_ERROR", 400),
    "InvalidParameter": ("INVALID_PARAMETER", 400),
    "MissingRequiredField": ("MISSING_REQUIRED_FIELD", 400),
    "InvalidFormat": ("INVALID_FORMAT", 400),
    "SearchQueryInvalid": ("SEARCH_QUERY_INVALID", 400),
    "Unauthenticated": ("UNAUTHENTICATED", 401),
    "TokenExpired": ("TOKEN_EXPIRED", 401),
    "TokenInvalid": ("TOKEN_INVALID", 401),
    "TokenMalformed": ("TOKEN_MALFORMED", 401),
    "Forbidden": ("FORBIDDEN", 403),
    "ProjectAccessDenied": ("PROJECT_ACCESS_DENIED", 403),
    "OrgAccessDenied": ("ORG_ACCESS_DENIED", 403),
    "NotFound": ("RESOURCE_NOT_FOUND", 404),
    "AlreadyExists": ("RESOURCE_ALREADY_EXISTS", 409),
    "VersionConflict": ("VERSION_CONFLICT", 409),
    "RateLimitExceeded": ("RATE_LIMIT_EXCEEDED", 429),
    "QuotaExceeded": ("QUOTA_EXCEEDED", 429),
    "InternalError": ("INTERNAL_ERROR", 500),
    "DatabaseError": ("DATABASE_ERROR", 500),
    "UpstreamUnavailable": ("UPSTREAM_UNAVAILABLE", 502),
    "ServiceStarting": ("SERVICE_STARTING", 503),
}
REQUEST_ID = re.compile(r"req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SECRET = "the-password-is-swordfish"


def assert_envelope(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The envelope of every service but Data Readiness; the error inside."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    # A graph's client looks for `errors`; a wrong method is refused before the graph is reached.
    if answer.request.url.path == "/graphql" and status != 405:
        (told,) = body.pop("errors")
        assert (told["extensions"]["code"], told["extensions"]["status"]) == (code, status)
        assert told["message"] == body["error"]["message"]
    assert list(body) == ["error"]
    error: dict[str, Any] = body["error"]
    keys = {"code", "message", "status", "request_id", "trace_id"}
    assert set(error) == (keys if status == 429 else keys | {"details"})
    assert (error["code"], error["status"]) == (code, status)
    assert error["request_id"] == answer.headers["X-Request-ID"]
    assert re.fullmatch("[0-9a-f]{32}", error["trace_id"])
    assert error["message"].endswith((".", "\u2026"))
    assert isinstance(error.get("details", {}), dict)
    return error


def assert_variant(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The variant of Data Readiness; the error inside."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert list(body) == ["error", "request_id"]
    assert body["request_id"] == answer.headers["X-Request-ID"]
    error: dict[str, Any] = body["error"]
    assert set(error) == ({"code", "message"} if status == 429 else {"code", "message", "details"})
    assert error["code"] == code
    return error


@pytest.fixture
def store_kind() -> str:
    """What a failure looks like does not depend on the store; the tests that say otherwise run on both."""
    return "sqlite"


on_both_stores = pytest.mark.parametrize("store_kind", STORES)


# The catalogue ------------------------------------------------------------------------------------------------------


def test_the_catalogue_is_the_contracts() -> None:
    classes = {
        name: (kind.code, kind.default_status)
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, ApiError) and kind is not ApiError
    }
    assert classes == CATALOGUE


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_class_carries_code_status_and_details_into_the_graph(name: str) -> None:
    kind = getattr(errors, name)
    code, status = CATALOGUE[name]
    more: dict[str, Any] = {}
    if name == "NotFound":
        error = kind("project", "p")
        details = {"resource_type": "project", "resource_id": "p"}
    elif name == "RateLimitExceeded":
        error, details, more = kind(7), {}, {"retry_after": 7}
    else:
        error, details = kind("Why.", field="f"), {"field": "f"}
    assert error.extensions == {"code": code, "status": status, "details": details} | more
    assert str(error) == error.message


def test_failures_that_can_be_waited_out_say_how_long() -> None:
    assert errors.RateLimitExceeded(7).headers == {"Retry-After": "7"}
    assert "7 seconds" in errors.RateLimitExceeded(7).message
    assert errors.ServiceStarting("Soon.").headers == {"Retry-After": "1"}
    for kind in (errors.Unauthenticated, errors.TokenExpired, errors.TokenInvalid, errors.TokenMalformed):
        assert kind("No.").headers == {"WWW-Authenticate": "Bearer"}


@pytest.mark.parametrize(
    "kind", ["ValidationError", "InvalidParameter", "MissingRequiredField", "InvalidFormat", "SearchQueryInvalid"]
)
def test_the_400_family_may_be_raised_as_422(kind: str) -> None:
    assert getattr(errors, kind)("Why.", status=422).status == 422


# The two envelopes --------------------------------------------------------------------------------------------------


async def test_the_envelope_has_exactly_its_keys(world: World) -> None:
    answer = await world.request("GET", "/governance/projects/none", token=world.owner)
    error = assert_envelope(answer, 404, "RESOURCE_NOT_FOUND")
    assert error["details"] == {"resource_type": "project", "resource_id": "none"}
    assert REQUEST_ID.fullmatch(error["request_id"])


@pytest.mark.parametrize("prefix", ["/data-readiness", "/api/data-readiness"])
async def test_data_readiness_answers_with_its_variant(world: World, prefix: str) -> None:
    id = "7d3c1a52-6f34-4f0e-9d2b-0a6a5d1f2c11"
    missing = await world.request("GET", f"{prefix}/workflows/{id}", token=world.owner)
    error = assert_variant(missing, 404, "RESOURCE_NOT_FOUND")
    assert error["details"] == {"resource_type": "workflow_configuration", "resource_id": id}
    assert_variant(await world.request("GET", f"{prefix}/workflows"), 401, "UNAUTHENTICATED")
    assert_variant(await world.request("GET", f"{prefix}/nothing", token=world.owner), 404, "RESOURCE_NOT_FOUND")
    assert_variant(await world.request("DELETE", f"{prefix}/workflows", token=world.owner), 405, "INVALID_REQUEST")


async def test_an_unknown_path_is_in_the_envelope(world: World) -> None:
    for path in ("/nothing", "/governance/nothing", "/governance/projects/", "/v2/governance/projects", "/graphql/x"):
        answer = await world.request("GET", path, token=world.owner)
        error = assert_envelope(answer, 404, "RESOURCE_NOT_FOUND")
        assert error["details"] == {"resource_type": "path", "resource_id": path}


async def test_a_wrong_method_is_in_the_envelope_and_names_the_right_ones(world: World) -> None:
    for method, path in (
        ("DELETE", "/governance/projects"),
        ("PATCH", "/assets/data/x"),
        ("POST", "/utils/search/metadata"),
        ("PUT", "/graphql"),
    ):
        answer = await world.request(method, path, token=world.owner)
        assert_envelope(answer, 405, "INVALID_REQUEST")
        assert answer.headers["Allow"]
    allowed = (await world.request("DELETE", "/governance/projects", token=world.owner)).headers["Allow"]
    assert {"GET", "POST"} <= set(allowed.replace(" ", "").split(","))


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


# 400 or 422 ---------------------------------------------------------------------------------------------------------

BODIES: list[tuple[str, dict[str, Any], int, str, str]] = [
    ("/governance/projects", {}, 400, "MISSING_REQUIRED_FIELD", "name"),
    ("/governance/projects", {"name": 7}, 400, "INVALID_FORMAT", "name"),
    ("/governance/projects", {"name": None}, 400, "INVALID_FORMAT", "name"),
    ("/governance/projects", {"name": ["a"]}, 400, "INVALID_FORMAT", "name"),
    ("/governance/projects", {"name": "a", "color": 1}, 400, "VALIDATION_ERROR", "color"),
    ("/governance/projects", {"name": ""}, 422, "VALIDATION_ERROR", "name"),
    ("/governance/projects", {"name": "a" * 256}, 422, "VALIDATION_ERROR", "name"),
    ("/governance/projects", {"name": "a", "description": "d" * 1001}, 422, "VALIDATION_ERROR", "description"),
    # What is wrong in form is told before what is wrong in meaning.
    ("/governance/projects", {"name": "", "description": 7}, 400, "INVALID_FORMAT", "description"),
    (
        "/governance/permissions/grant",
        {"user_or_group": "a", "relation": "king", "resource_type": "project", "resource_id": "x"},
        422,
        "VALIDATION_ERROR",
        "relation",
    ),
    (
        "/governance/permissions/grant",
        {"user_or_group": "a", "relation": "viewer", "resource_type": "project", "resource_id": "x", "is_group": "yes"},
        400,
        "INVALID_FORMAT",
        "is_group",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "paper"},
        422,
        "VALIDATION_ERROR",
        "connection_type",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "postgres"},
        400,
        "MISSING_REQUIRED_FIELD",
        "database_config",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "postgres", "database_config": {"database": "d"}},
        400,
        "MISSING_REQUIRED_FIELD",
        "database_config.host",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "postgres", "database_config": {"host": "h", "database": "d", "port": "x"}},
        400,
        "INVALID_FORMAT",
        "database_config.port",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "postgres", "database_config": {"host": "h", "database": "d", "port": 70000}},
        422,
        "VALIDATION_ERROR",
        "database_config.port",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "nfs", "filesystem_config": {"path": "/x"}, "tags": ["ok", 7]},
        400,
        "INVALID_FORMAT",
        "tags.1",
    ),
    (
        "/assets/data",
        {"name": "n", "connection_type": "nfs", "filesystem_config": "/x"},
        400,
        "INVALID_FORMAT",
        "filesystem_config",
    ),
]


@pytest.mark.parametrize(("path", "body", "status", "code", "field"), BODIES)
async def test_a_wrong_body_is_a_400_for_its_form_and_a_422_for_its_meaning(
    world: World, path: str, body: dict[str, Any], status: int, code: str, field: str
) -> None:
    before = await world.dump()
    answer = await world.request("POST", path, token=world.owner, json=body)
    error = assert_envelope(answer, status, code)
    assert error["details"]["field"] == field
    assert error["details"]["problems"][0].keys() == {"field", "message"}
    assert field in [problem["field"] for problem in error["details"]["problems"]]
    assert await world.dump() == before


PARAMETERS = [
    ("/governance/projects?page=0", "INVALID_PARAMETER", "page"),
    ("/governance/projects?limit=101", "INVALID_PARAMETER", "limit"),
    ("/governance/projects?limit=0", "INVALID_PARAMETER", "limit"),
    ("/governance/permissions/check?resource_type=project&resource_id=x", "MISSING_REQUIRED_FIELD", "permission"),
    (
        "/governance/permissions/check?permission=can_fly&resource_type=project&resource_id=x",
        "INVALID_PARAMETER",
        "permission",
    ),
    ("/assets/data?status=SLEEPING", "INVALID_PARAMETER", "status"),
    ("/assets/data?sort=shoe:asc", "INVALID_PARAMETER", "sort"),
    ("/assets/data?sort=name:up", "INVALID_PARAMETER", "sort"),
    ("/utils/search/metadata?limit=201", "INVALID_PARAMETER", "limit"),
    ("/utils/search/metadata?offset=-1", "INVALID_PARAMETER", "offset"),
    ("/utils/data_connection/x/metadata?fqn=a.b&version=1", "INVALID_PARAMETER", "version"),
    ("/utils/data_connection/x/metadata", "MISSING_REQUIRED_FIELD", "fqn"),
]


@pytest.mark.parametrize(("path", "code", "field"), PARAMETERS)
async def test_a_wrong_parameter_is_always_a_400(world: World, path: str, code: str, field: str) -> None:
    answer = await world.request("GET", path, token=world.owner, headers={"X-Project-ID": world.shop})
    error = assert_envelope(answer, 400, code)
    assert error["details"]["field"] == field


async def test_an_id_that_is_no_uuid_is_a_malformed_parameter(world: World, door: Door) -> None:
    answer = await world.request("GET", "/data-readiness/workflows/nonsense", token=world.owner)
    assert assert_variant(answer, 400, "INVALID_PARAMETER")["details"]["field"] == "configuration_id"
    refused = await door(get_workflow_configuration, world.owner, configuration_id="nonsense")
    assert refused.status == 400


@pytest.mark.parametrize("path", ["/utils/search/metadata", "/governance/resources/projects/secrets"])
async def test_a_header_that_is_demanded_is_demanded_whatever_the_claim_says(world: World, path: str) -> None:
    answer = await world.request("GET", path, token=world.owner)
    assert assert_envelope(answer, 400, "MISSING_REQUIRED_FIELD")["details"]["field"] == "X-Project-ID"
    empty = await world.request("GET", path, token=world.owner, headers={"X-Project-ID": " "})
    assert assert_envelope(empty, 400, "MISSING_REQUIRED_FIELD")["details"]["field"] == "X-Project-ID"


async def test_without_any_project_the_caller_is_told_how_to_select_one(world: World, door: Door) -> None:
    nowhere = world.token("olga")
    refused = await door(list_data_connections, nowhere)
    assert (refused.code, refused.status) == ("MISSING_REQUIRED_FIELD", 400)
    assert refused.details == {"field": "X-Project-ID"}


async def test_both_doors_tell_a_wrong_body_alike(world: World, door: Door) -> None:
    refused = await door(
        create_project, world.owner, project=ProjectCreate.model_construct(name="", description="d" * 1001)
    )
    assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
    assert refused.details["field"] == "name"
    assert {problem["field"] for problem in refused.details["problems"]} == {"name", "description"}
    wide = DataConnectionCreate(
        name="n", connection_type=ConnectionType.POSTGRES, database_config={"host": "a b", "database": "d"}
    )
    refused = await door(create_data_connection, world.owner, connection=wide)
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "database_config.host")


async def test_both_doors_tell_a_wrong_parameter_alike(world: World, door: Door) -> None:
    for arguments in ({"page": 0}, {"limit": 101}, {"sort": "shoe:asc"}, {"search": "x" * 256}):
        refused = await door(list_data_connections, world.owner, **arguments)
        assert (refused.code, refused.status) == ("INVALID_PARAMETER", 400)
        assert refused.details["field"] == next(iter(arguments))


# What is unexpected -------------------------------------------------------------------------------------------------


async def test_an_unexpected_failure_is_masked_and_logged_under_the_request_id(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object) -> bool:
        raise RuntimeError(SECRET)

    owner = world.owner
    monkeypatch.setattr(world.app.parts.services.relations, "allowed", broken)
    with caplog.at_level(logging.INFO):
        refused = await door(get_project, owner, {"X-Request-ID": "find-me"}, project_id=world.shop)
    assert (refused.code, refused.status, refused.details) == ("INTERNAL_ERROR", 500, {})
    assert door.last is not None
    assert SECRET not in door.last.text
    assert "RuntimeError" not in door.last.text
    assert "Traceback" not in door.last.text
    logged = [record for record in caplog.records if record.exc_info and SECRET in str(record.exc_info[1])]
    assert logged
    assert logged[0].levelno == logging.ERROR


async def test_the_line_in_the_log_carries_the_ids_of_the_answer(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def broken(*_: object) -> bool:
        raise RuntimeError("for the log")

    owner, root = world.owner, logging.getLogger()
    kept, level = root.handlers[:], root.level
    monkeypatch.setattr(world.app.parts.services.relations, "allowed", broken)
    try:
        set_up_logs("json", "INFO")
        await door(get_project, owner, {"X-Request-ID": "find-me"}, project_id=world.shop)
    finally:
        root.handlers[:], root.level = kept, level
        structlog.reset_defaults()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (line,) = [line for line in lines if line["level"] == "error"]
    assert line["request_id"] == "find-me"
    assert re.fullmatch("[0-9a-f]{32}", line["trace_id"])
    assert "RuntimeError: for the log" in line["exception"]


@on_both_stores
@pytest.mark.parametrize("failing", ["read", "write"])
async def test_a_store_that_fails_is_a_database_error_without_its_words(
    world: World, door: Door, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlalchemy as sa

    owner = world.owner

    def fail(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if "projects" in statement:
            raise sa.exc.OperationalError(statement, {}, Exception(SECRET))

    for engine in world.app.parts.database.sync_engines:
        sa.event.listen(engine, "before_cursor_execute", fail)
    if failing == "read":
        refused = await door(get_project, owner, project_id=world.shop)
    else:
        refused = await door(create_project, owner, project=ProjectCreate(name="n"))
    assert (refused.code, refused.status, refused.details) == ("DATABASE_ERROR", 500, {})
    assert door.last is not None
    for word in (SECRET, "SELECT", "select", "sqlalchemy"):
        assert word not in door.last.text


async def test_an_engine_that_is_down_is_told_as_upstream(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(*_: object) -> bool:
        raise errors.UpstreamUnavailable("The authorization engine cannot be reached. Retry shortly.")

    owner = world.owner
    monkeypatch.setattr(world.app.parts.services.relations, "allowed", down)
    refused = await door(get_data_connection, owner, resource_uri="data:acme:x:y")
    assert (refused.code, refused.status) == ("UPSTREAM_UNAVAILABLE", 502)


async def test_one_failing_field_leaves_the_others_of_a_query(world: World) -> None:
    query = '{ organization(orgId: "acme") { name } project(projectId: "none") { name } }'
    answer = await world.request("POST", "/graphql", token=world.owner, json={"query": query})
    body = answer.json()
    assert answer.status_code == 200
    assert [error["extensions"]["code"] for error in body["errors"]] == ["RESOURCE_NOT_FOUND"]
    assert body["errors"][0]["path"] == ["project"]


# Ids ----------------------------------------------------------------------------------------------------------------

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


async def _error(world: World, headers: dict[str, str]) -> dict[str, Any]:
    answer = await world.request("GET", "/governance/projects", headers=headers)
    return assert_envelope(answer, 401, "UNAUTHENTICATED")


async def test_the_callers_trace_is_carried_on(world: World) -> None:
    assert (await _error(world, {"traceparent": f"00-{TRACE}-{SPAN}-01"}))["trace_id"] == TRACE


@pytest.mark.parametrize(
    "header",
    [
        "nonsense",
        f"00-{TRACE}-{SPAN}",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-01-extra",
        f"00-{TRACE}a-{SPAN}-01",
    ],
)
async def test_a_trace_that_is_not_valid_is_replaced(world: World, header: str) -> None:
    made = (await _error(world, {"traceparent": header}))["trace_id"]
    assert made.lower() != TRACE
    assert made != "0" * 32


async def test_a_later_version_of_the_trace_header_may_say_more(world: World) -> None:
    assert (await _error(world, {"traceparent": f"01-{TRACE}-{SPAN}-01-more"}))["trace_id"] == TRACE


@pytest.mark.parametrize("given", ["abc", "req-1.2_3", "a" * 128])
async def test_the_callers_request_id_is_kept(world: World, given: str) -> None:
    assert (await _error(world, {"X-Request-ID": given}))["request_id"] == given


@pytest.mark.parametrize("given", ["", "a" * 129, "with space", "semi;colon", "<script>", 'quote"', "a\tb"])
async def test_a_request_id_that_could_harm_a_log_is_replaced(world: World, given: str) -> None:
    assert REQUEST_ID.fullmatch((await _error(world, {"X-Request-ID": given}))["request_id"])


async def test_every_request_gets_ids_of_its_own(world: World) -> None:
    found = [await _error(world, {}) for _ in range(5)]
    assert len({error["request_id"] for error in found}) == len({error["trace_id"] for error in found}) == 5


async def test_a_taken_name_and_a_lost_race_name_the_resource(world: World, door: Door) -> None:
    refused = await door(create_project, world.owner, project=ProjectCreate(name="shop"))
    assert refused.details == {"resource_type": "project", "resource_id": world.shop}
    assert refused.status == 409


async def test_a_workflow_of_no_type_is_told_in_both_doors(world: World, door: Door) -> None:
    refused = await door(
        create_workflow_configuration, world.owner, configuration=WorkflowConfigurationCreate(name="n")
    )
    assert (refused.code, refused.status, refused.details["field"]) == ("MISSING_REQUIRED_FIELD", 400, "workflow_type")
