"""What HTTP itself promises: probes, starting and stopping, browsers of other origins, and entity tags."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

import rest_compat
from resolvers.assets.data_connections import get_data_connection, update_data_connection
from resolvers.governance.secrets import delete_project_secret, update_project_secret
from rest_compat.app import create_app
from schema.assets.data_connection import DataConnectionChange
from schema.governance.secret import SecretChange
from tests.doors import Door, Refused
from tests.world import World, settings_for

pytestmark = pytest.mark.anyio

ORIGIN = "https://app.example.com"
PUBLISHED = Path(rest_compat.__file__).parent / "openapi"


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    """One origin that browsers may call from."""
    return {"cors_origins": f"{ORIGIN}, https://other.example.com"}


sqlite_only = pytest.mark.parametrize("store_kind", ["sqlite"])


async def connection(world: World) -> str:
    """A data connection in the shop; its URI."""
    body = {"name": "store", "connection_type": "nfs", "filesystem_config": {"path": "/x"}}
    answer = await world.request("POST", "/assets/data", token=world.owner, json=body)
    assert answer.status_code == 201, answer.text
    uri: str = answer.json()["resource_uri"]
    return uri


# Starting and stopping ----------------------------------------------------------------------------------------------


@sqlite_only
async def test_probes_need_no_token(world: World) -> None:
    for path in ("/healthz", "/readyz"):
        answer = await world.request("GET", path)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


async def test_until_start_up_has_finished_everything_but_the_probes_answers_503(tmp_path: Path) -> None:
    app = create_app(settings_for(tmp_path))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://stoa.test") as client:
        assert (await client.get("/healthz")).status_code == 200
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.json()) == (503, {"status": "starting"})
        for method, path in (("GET", "/governance/projects"), ("POST", "/graphql"), ("GET", "/docs"), ("GET", "/no")):
            answer = await client.request(method, path)
            error = answer.json()["error"]
            assert (answer.status_code, error["code"], error["status"]) == (503, "SERVICE_STARTING", 503)
            assert int(answer.headers["Retry-After"]) >= 1
            assert answer.headers["X-Request-ID"] == error["request_id"]
        variant = (await client.get("/data-readiness/workflows")).json()
        assert (variant["error"]["code"], "request_id" in variant) == ("SERVICE_STARTING", True)


@sqlite_only
async def test_a_stopping_server_answers_503_and_stays_alive(world: World) -> None:
    owner = world.owner
    assert (await world.request("GET", "/governance/projects", token=owner)).status_code == 200
    world.app.begin_shutdown()
    for path in ("/governance/projects", "/graphql", "/utils/search/metadata"):
        answer = await world.request("GET", path, token=owner)
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "SERVICE_STARTING")
    assert (await world.request("GET", "/readyz")).status_code == 503
    assert (await world.request("GET", "/healthz")).status_code == 200


# Browsers -----------------------------------------------------------------------------------------------------------


@sqlite_only
async def test_an_allowed_origin_may_call_and_read_the_headers(world: World) -> None:
    for origin in (ORIGIN, "https://other.example.com"):
        answer = await world.request("GET", "/governance/projects", token=world.owner, headers={"Origin": origin})
        assert answer.headers["Access-Control-Allow-Origin"] == origin
        exposed = answer.headers["Access-Control-Expose-Headers"]
        for name in ("ETag", "Retry-After", "X-Request-ID", "X-RateLimit-Limit", "X-RateLimit-Remaining"):
            assert name in exposed
    failed = await world.request("GET", "/governance/projects", headers={"Origin": ORIGIN})
    assert (failed.status_code, failed.headers["Access-Control-Allow-Origin"]) == (401, ORIGIN)


@sqlite_only
async def test_a_preflight_is_answered_without_a_token(world: World) -> None:
    asked = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "authorization,content-type,if-match,x-project-id",
    }
    answer = await world.request("OPTIONS", "/assets/data/x", headers=asked)
    assert answer.status_code == 200
    assert "PUT" in answer.headers["Access-Control-Allow-Methods"]
    assert "if-match" in answer.headers["Access-Control-Allow-Headers"].lower()
    assert "Access-Control-Allow-Credentials" not in answer.headers


@sqlite_only
async def test_a_browser_may_send_every_documented_header_and_read_every_one_it_is_answered(world: World) -> None:
    taken, answered = set[str](), set[str]()
    for file in PUBLISHED.glob("*.json"):
        document = json.loads(file.read_text())
        for operation in (one for path in document["paths"].values() for one in path.values()):
            headers = [one for one in operation.get("parameters", ()) if one.get("in") == "header"]
            taken |= {one["name"] for one in headers}
            for answer in operation["responses"].values():
                answered |= answer.get("headers", {}).keys()
    assert {"Idempotency-Key", "Last-Event-ID", "If-None-Match", "Range"} < taken
    asked = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": ",".join(sorted(name.lower() for name in taken | {"traceparent"})),
    }
    preflight = await world.request("OPTIONS", "/assets/files", headers=asked)
    assert (preflight.status_code, preflight.text) == (200, "OK")
    call = await world.request("GET", "/governance/projects", token=world.owner, headers={"Origin": ORIGIN})
    exposed = {name.strip() for name in call.headers["Access-Control-Expose-Headers"].split(",")}
    assert {"Content-Disposition", "Content-Range", "WWW-Authenticate"} < answered
    assert answered | {"Deprecation", "Sunset", "Link"} <= exposed


@sqlite_only
async def test_any_other_origin_is_not_let_in(world: World) -> None:
    for origin in ("https://evil.example.com", "http://app.example.com", f"{ORIGIN}.evil.com", "null"):
        answer = await world.request("GET", "/healthz", headers={"Origin": origin})
        assert "Access-Control-Allow-Origin" not in answer.headers
        asked = {"Origin": origin, "Access-Control-Request-Method": "GET"}
        assert (await world.request("OPTIONS", "/governance/projects", headers=asked)).status_code == 400


@sqlite_only
async def test_a_preflight_has_the_headers_of_every_answer_and_a_refused_one_the_envelope(world: World) -> None:
    asked = {"Access-Control-Request-Method": "GET", "X-Request-ID": "find-me", "Origin": ORIGIN}
    taken = await world.request("OPTIONS", "/governance/projects", headers=asked)
    foreign = await world.request("OPTIONS", "/governance/projects", headers=asked | {"Origin": "https://evil.example"})
    strange = {"Access-Control-Request-Headers": "x-strange", "Access-Control-Request-Method": "BREW"}
    unknown = await world.request("OPTIONS", "/governance/projects", headers=asked | strange)
    for answer in (taken, foreign, unknown):
        assert answer.headers["X-Request-ID"] == "find-me"
        assert all(f"X-RateLimit-{name}" in answer.headers for name in ("Limit", "Remaining", "Reset"))
    for answer, words in ((foreign, ["origin", "STOA_CORS_ORIGINS"]), (unknown, ["method", "headers"])):
        error = answer.json()["error"]
        assert (answer.status_code, error["status"], error["code"]) == (400, 400, "INVALID_REQUEST")
        assert error["request_id"] == "find-me"
        assert all(word in error["message"] for word in words), error
    assert "Access-Control-Allow-Origin" not in foreign.headers
    plain = await world.request("GET", "/governance/projects", headers={"Origin": ORIGIN})
    assert (plain.status_code, plain.headers["Access-Control-Allow-Origin"]) == (401, ORIGIN)
    world.app.begin_shutdown()
    stopping = await world.request("GET", "/governance/projects", headers={"Origin": ORIGIN})
    assert (stopping.status_code, stopping.headers["Access-Control-Allow-Origin"]) == (503, ORIGIN)


@sqlite_only
async def test_an_answer_is_never_taken_for_another_type(world: World) -> None:
    for path in ("/governance/projects", "/nothing", "/healthz", "/docs"):
        assert (await world.request("GET", path)).headers["X-Content-Type-Options"] == "nosniff"


# Entity tags --------------------------------------------------------------------------------------------------------


async def test_the_tag_changes_with_the_resource_and_guards_its_update(world: World) -> None:
    uri, owner = await connection(world), world.owner
    path = f"/assets/data/{uri}"
    first = (await world.request("GET", path, token=owner)).headers["ETag"]
    assert first == (await world.request("GET", path, token=owner)).headers["ETag"]
    update = await world.request("PUT", path, token=owner, json={"description": "a"}, headers={"If-Match": first})
    second = update.headers["ETag"]
    assert (update.status_code, second == first) == (200, False)
    late = await world.request("PUT", path, token=owner, json={"description": "b"}, headers={"If-Match": first})
    assert (late.status_code, late.json()["error"]["code"]) == (409, "VERSION_CONFLICT")
    assert late.json()["error"]["details"] == {"resource_type": "data_connection", "resource_id": uri}
    kept = await world.request("GET", path, token=owner)
    assert (kept.json()["description"], kept.headers["ETag"]) == ("a", second)
    for header in (f"W/{second}", "*"):
        again = await world.request("PUT", path, token=owner, json={"description": "c"}, headers={"If-Match": header})
        assert again.status_code == 200
        second = again.headers["ETag"]


@sqlite_only
async def test_a_tag_that_is_none_of_ours_is_a_malformed_parameter(world: World, door: Door) -> None:
    uri = await connection(world)
    changes = DataConnectionChange.model_validate({"description": "x"})
    for header in ("1", '"abc"', '"1", 2', '""', '"-1"', '"99999999999999999999"'):
        refused = await door(
            update_data_connection, world.owner, {"If-Match": header}, resource_uri=uri, changes=changes
        )
        assert (refused.code, refused.status, refused.details) == ("INVALID_PARAMETER", 400, {"field": "If-Match"})


async def test_of_twenty_updates_of_one_revision_exactly_one_wins(world: World, door: Door) -> None:
    uri, owner = await connection(world), world.owner
    tag = (await world.request("GET", f"/assets/data/{uri}", token=owner)).headers["ETag"]

    async def update(number: int) -> Any:
        changes = DataConnectionChange.model_validate({"description": f"by {number}"})
        return await door(update_data_connection, owner, {"If-Match": tag}, resource_uri=uri, changes=changes)

    answers = await asyncio.gather(*(update(number) for number in range(20)))
    won = [answer for answer in answers if not isinstance(answer, Refused)]
    lost = [answer for answer in answers if isinstance(answer, Refused)]
    assert len(won) == 1
    assert {(answer.code, answer.status) for answer in lost} == {("VERSION_CONFLICT", 409)}
    assert (await door(get_data_connection, owner, resource_uri=uri)) == won[0]


async def test_of_twenty_changes_of_one_secret_exactly_one_wins(world: World, door: Door) -> None:
    owner, path = world.owner, "/governance/resources/projects/secrets"
    headers = {"X-Project-ID": world.shop}
    made = await world.request("POST", path, token=owner, json={"name": "s", "value": "v"}, headers=headers)
    tag = made.headers["ETag"]

    async def update(number: int) -> Any:
        return await door(
            update_project_secret, owner, {"If-Match": tag}, name="s", changes=SecretChange(value=f"v{number}")
        )

    answers = await asyncio.gather(*(update(number) for number in range(20)))
    assert sorted(getattr(answer, "code", "won") for answer in answers) == ["VERSION_CONFLICT"] * 19 + ["won"]
    assert await door(delete_project_secret, owner, {"If-Match": tag}, name="s") == "VERSION_CONFLICT"


async def test_without_a_tag_no_update_is_lost_in_silence(world: World) -> None:
    """Each of many updates at once is either whole or told that it lost; none is half a connection."""
    uri, owner = await connection(world), world.owner

    async def update(number: int) -> httpx.Response:
        body = {"name": f"n{number}", "description": f"d{number}"}
        return await world.request("PUT", f"/assets/data/{uri}", token=owner, json=body)

    answers = await asyncio.gather(*(update(number) for number in range(12)))
    assert {answer.status_code for answer in answers} <= {200, 409}
    assert any(answer.status_code == 200 for answer in answers)
    kept = (await world.request("GET", f"/assets/data/{uri}", token=owner)).json()
    assert kept["name"][1:] == kept["description"][1:]
