"""The catalogue of failures, their envelopes and ids, and what is never said of what was not expected (section 7)."""

import asyncio
import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

import pytest
import sqlalchemy as sa
import structlog

from resolvers.governance.projects import create_project, get_project
from rest_compat.logs import set_up_logs
from schema import errors
from schema.errors import ApiError
from schema.governance.project import ProjectCreate
from tests.conftest import STORES
from tests.contract.envelopes import REQUEST_ID, SECRET, assert_envelope, assert_variant
from tests.doors import Door
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


@pytest.fixture
def store_kind() -> str:
    """Return what a failure looks like does not depend on the store; the tests that say otherwise run on both."""
    return "sqlite"


on_both_stores = pytest.mark.parametrize("store_kind", STORES)


# The catalogue ------------------------------------------------------------------------------------------------------


def test_the_catalogue_is_the_contracts() -> None:
    classes = {
        name: (kind.code, kind.default_status)
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, ApiError) and "code" in vars(kind) and kind is not ApiError
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
        error = assert_envelope(answer, 405, "INVALID_REQUEST")
        assert answer.headers["Allow"]
        assert all(name in error["message"] for name in answer.headers["Allow"].split(", ")), error
    allowed = (await world.request("DELETE", "/governance/projects", token=world.owner)).headers["Allow"]
    assert {"GET", "POST"} <= set(allowed.replace(" ", "").split(","))


# What is unexpected -------------------------------------------------------------------------------------------------


async def test_an_unexpected_failure_is_masked_and_logged_under_the_request_id(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object, **__: object) -> bool:
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
    async def broken(*_: object, **__: object) -> bool:
        raise RuntimeError("for the log")

    owner, root = world.owner, logging.getLogger()
    kept, level = root.handlers[:], root.level
    monkeypatch.setattr(world.app.parts.services.relations, "allowed", broken)
    before = datetime.now(UTC)
    try:
        set_up_logs("json", "INFO")
        await door(get_project, owner, {"X-Request-ID": "find-me"}, project_id=world.shop)
        await asyncio.sleep(0)  # lines of requests are written with the turn of the loop
    finally:
        root.handlers[:], root.level = kept, level
        structlog.reset_defaults()
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    (line,) = [line for line in lines if line["level"] == "error"]
    assert line["request_id"] == "find-me"
    assert re.fullmatch("[0-9a-f]{32}", line["trace_id"])
    assert "RuntimeError: for the log" in line["exception"]
    (request,) = [line for line in lines if line["event"] == "request"]
    assert (request["request_id"], request["trace_id"]) == ("find-me", line["trace_id"])
    assert before <= datetime.fromisoformat(request["timestamp"]) <= datetime.now(UTC)


@on_both_stores
@pytest.mark.parametrize("failing", ["read", "write"])
async def test_a_store_that_fails_is_a_database_error_without_its_words(
    world: World, door: Door, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
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
