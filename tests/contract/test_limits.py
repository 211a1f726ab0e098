"""Rate windows (section 8): what each call costs, who shares a window, and what every answer says about it."""

import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from auth.rate_limit import CallKind
from resolvers.governance.organizations import get_organization, set_rate_limits
from resolvers.governance.projects import create_project, list_projects
from schema.governance.organization import RateLimitsChange
from schema.governance.project import ProjectCreate
from tests.doors import ROUTES, Door
from tests.world import World, running_world, settings_for

pytestmark = pytest.mark.anyio

READS, WRITES, ANONYMOUS = 12, 6, 4
FOUR = ("X-Request-ID", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


@pytest.fixture
def store_kind() -> str:
    """Windows live in memory here; the store only keeps a tenant's own limits."""
    return "sqlite"


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    """Windows small enough to fill."""
    return {
        "rate_limit_reads": READS,
        "rate_limit_writes": WRITES,
        "rate_limit_bulk": 2,
        "rate_limit_anonymous": ANONYMOUS,
        "anonymous_reads": True,
        "anonymous_organization": "acme",
        "max_body_bytes": 2000,
    }


def window(answer: httpx.Response) -> tuple[int, int]:
    """Limit and remaining, after a look at the form of all four headers."""
    assert all(name in answer.headers for name in FOUR), dict(answer.headers)
    now, reset = time.time(), int(answer.headers["X-RateLimit-Reset"])
    assert now - 5 <= reset <= now + 65
    return int(answer.headers["X-RateLimit-Limit"]), int(answer.headers["X-RateLimit-Remaining"])


def assert_refused(answer: httpx.Response) -> None:
    """A 429 as the contract tells it."""
    assert answer.status_code == 429, answer.text
    error = answer.json()["error"]
    assert error["code"] == "RATE_LIMIT_EXCEEDED"
    assert "details" not in error
    wait = int(answer.headers["Retry-After"])
    assert 1 <= wait <= 60
    assert f"{wait} seconds" in error["message"]
    assert int(answer.headers["X-RateLimit-Remaining"]) < READS


async def graph(world: World, query: str, token: str | None = None) -> httpx.Response:
    """One graph request."""
    return await world.request("POST", "/graphql", token=token, json={"query": query})


async def get(world: World, token: str | None = None, path: str = "/governance/projects") -> httpx.Response:
    """One read over REST."""
    return await world.request("GET", path, token=token)


def test_which_operations_count_as_bulk() -> None:
    bulk = {name for name, route in ROUTES.items() if route.operation.kind is CallKind.BULK}
    assert bulk == {
        "index_entities",
        "delete_entities",
        "import_quality_rules",
        "import_dbt_manifest",
        "import_semantic_model",
    }


async def test_both_doors_charge_one_window_of_reads(world: World) -> None:
    ann = world.token("ann", project=world.shop)
    assert window(await get(world, ann)) == (READS, READS - 1)
    assert window(await graph(world, "{ projects { total } }", ann)) == (READS, READS - 2)
    three = "{ projects { total } organizations { total } again: projects { total } }"
    assert window(await graph(world, three, ann)) == (READS, READS - 5)
    assert window(await get(world, ann)) == (READS, READS - 6)


async def test_reads_and_writes_have_windows_of_their_own(world: World, door: Door) -> None:
    owner = world.token("ann", project=world.shop)
    await world.grant("ann", "owner", "organization", "acme")
    await door(list_projects, owner)
    assert door.last is not None
    assert window(door.last) == (READS, READS - 1)
    await door(create_project, owner, project=ProjectCreate(name="one"))
    assert window(door.last) == (WRITES, WRITES - 1)
    await door(list_projects, owner)
    assert window(door.last) == (READS, READS - 2)


async def test_every_principal_has_a_window_of_his_own(world: World) -> None:
    ann, bob = world.token("ann", project=world.shop), world.token("bob", project=world.shop)
    foreign = world.token("ann", org="globex", project=world.theirs)
    assert window(await get(world, ann)) == (READS, READS - 1)
    assert window(await get(world, bob)) == (READS, READS - 1)
    assert window(await get(world, foreign)) == (READS, READS - 1)
    again = world.token("ann", project=world.lab)
    assert window(await get(world, again)) == (READS, READS - 2)


async def test_a_full_window_refuses_at_both_doors(world: World) -> None:
    ann = world.token("ann", project=world.shop)
    for left in reversed(range(READS)):
        assert window(await get(world, ann)) == (READS, left)
    for refused in (
        await get(world, ann),
        await graph(world, "{ projects { total } }", ann),
        await get(world, ann, "/data-readiness/workflows"),
        await get(world, ann, "/governance/projects/nothing"),
    ):
        assert_refused(refused)
        assert window(refused) == (READS, 0)


async def test_writes_are_refused_before_anything_is_written(world: World, door: Door) -> None:
    await world.grant("ann", "owner", "organization", "acme")
    owner = world.token("ann", project=world.shop)
    for number in range(WRITES):
        await door(create_project, owner, project=ProjectCreate(name=f"p{number}"))
    before = await world.dump()
    refused = await door(create_project, owner, project=ProjectCreate(name="late"))
    assert refused == "RATE_LIMIT_EXCEEDED"
    assert door.last is not None
    assert_refused(door.last)
    assert await world.dump() == before


async def test_a_query_that_costs_more_than_is_left_costs_the_one_read_it_is_looked_at_for(world: World) -> None:
    ann = world.token("ann", project=world.shop)
    for _ in range(READS - 2):
        await get(world, ann)
    three = "{ a: projects { total } b: projects { total } c: projects { total } }"
    assert_refused(await graph(world, three, ann))
    assert window(await get(world, ann)) == (READS, 0)


async def test_who_has_no_read_left_may_still_change_something_at_both_doors(world: World, door: Door) -> None:
    await world.grant("ann", "owner", "organization", "acme")
    ann = world.token("ann", project=world.shop)
    for _ in range(READS):
        await get(world, ann)
    await door(create_project, ann, project=ProjectCreate(name="one"))
    assert door.last is not None
    assert window(door.last) == (WRITES, WRITES - 1)
    for query in ("{ projects { total } }", "{", "fragment F on Mutation { a: __typename } mutation { ...F }"):
        refused = await graph(world, query, ann)
        assert_refused(refused)
        assert window(refused) == (READS, 0)
    await door(create_project, ann, project=ProjectCreate(name="two"))
    assert window(door.last) == (WRITES, WRITES - 2)


async def test_a_field_that_is_skipped_or_asked_for_twice_is_charged_rightly(world: World) -> None:
    ann = world.token("ann", project=world.shop)
    query = "query($no: Boolean = false) { projects @include(if: $no) { total } organizations { total } }"
    assert window(await graph(world, query, ann)) == (READS, READS - 1)
    fragment = "query { ...F projects { total } } fragment F on Query { projects { total } organizations { total } }"
    assert window(await graph(world, fragment, ann)) == (READS, READS - 3)


async def test_a_request_that_fails_is_charged_too(world: World) -> None:
    ann = world.token("ann", project=world.shop)
    for left, path in enumerate(
        (
            "/governance/projects?page=0",
            "/governance/projects/none",
            f"/governance/projects/{world.lab}",
            "/utils/search/metadata",
        ),
        start=1,
    ):
        answer = await get(world, ann, path)
        assert answer.is_error
        assert window(answer) == (READS, READS - left)
    wrong = await world.request("POST", "/governance/projects", token=ann, content=b"{")
    assert wrong.status_code == 400
    assert window(wrong) == (WRITES, WRITES - 1)


async def test_the_four_headers_are_on_every_answer(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, json_ = world.token("ann", project=world.shop), {"Content-Type": "application/json"}
    expected: list[tuple[int, httpx.Response]] = [
        (401, await world.request("POST", "/governance/projects", json={})),
        (401, await world.request("GET", "/governance/projects", headers={"Authorization": "Bearer x"})),
        (401, await world.request("POST", "/graphql", headers={"Authorization": "Bearer x"}, json={"query": "{a}"})),
        (404, await world.request("GET", "/nothing")),
        (405, await world.request("DELETE", "/governance/projects")),
        (413, await world.request("POST", "/governance/projects", token=ann, content=b"x" * 3000)),
        (415, await world.request("POST", "/graphql", token=ann, content=b"x", headers={"Content-Type": "text/x"})),
        (400, await world.request("POST", "/graphql", token=ann, content=b"x", headers=json_)),
        (200, await world.request("GET", "/docs")),
        (200, await world.request("GET", "/governance/openapi.json")),
        (200, await world.request("GET", "/healthz")),
        (200, await world.request("GET", "/readyz")),
        (200, await graph(world, "{ nothing }", ann)),
    ]
    for _ in range(WRITES):
        last = await world.request("POST", "/governance/projects", token=ann, content=b"{")
    expected.append((429, await world.request("POST", "/governance/projects", token=ann, content=b"{")))
    assert last.status_code in (400, 429)

    async def broken(*_: object, **__: object) -> bool:
        raise RuntimeError

    monkeypatch.setattr(world.app.parts.services.relations, "allowed", broken)
    expected.append((500, await get(world, ann)))
    world.app.begin_shutdown()
    expected.append((503, await get(world, ann)))
    for status, answer in expected:
        assert answer.status_code == status, (answer.request.url, answer.text)
        window(answer)


async def test_a_head_request_and_a_wrong_query_have_the_headers(world: World) -> None:
    for answer in (await world.request("HEAD", "/governance/projects"), await world.request("OPTIONS", "/graphql")):
        window(answer)


async def test_a_caller_sees_his_own_window_wherever_nothing_was_charged(world: World) -> None:
    """Never the window of strangers, which has another limit: not on a path that is none, nor on a stream."""
    ann = world.token("ann", project=world.shop)
    await world.grant("ann", "viewer", "project", world.shop)
    await get(world, ann)
    _, left = window(await get(world, ann))
    expired = world.token("ann", ttl=60)
    stream = {"Accept": "text/event-stream"}
    follow = {
        "query": 'subscription { runProgress(workflowId: "%s", runId: "%s") { __typename } }' % (world.shop, world.shop)
    }
    for method, path, how in (
        ("GET", "/nothing", {}),
        ("DELETE", "/governance/projects", {}),
        ("GET", "/healthz", {}),
        ("GET", "/governance/openapi.json", {}),
        ("POST", "/graphql", {"json": {"query": "{"}}),
        ("POST", "/graphql", {"content": b"x", "headers": {"Content-Type": "text/x"}}),
        ("POST", "/graphql", {"json": follow, "headers": stream}),
    ):
        limit, remaining = window(await world.request(method, path, token=ann, **how))
        assert limit == READS, (method, path)
        assert remaining <= left, (method, path)
        left = remaining
    world.clock.moment += timedelta(minutes=5)
    for token in (None, "x", expired):
        assert window(await get(world, token, "/nothing"))[0] == ANONYMOUS


async def test_the_window_that_a_tenants_administrator_set_is_the_one_that_is_shown(world: World) -> None:
    asked = {"json": {"reads": 7}}
    set_ = await world.request("PUT", "/governance/organizations/acme/rate-limits", token=world.owner, **asked)
    assert set_.status_code == 200, set_.text
    world.app.parts.context_factory.tenant_rows._known.clear()
    assert window(await get(world, world.owner, "/nothing"))[0] == 7


# Anonymous reads ----------------------------------------------------------------------------------------------------


async def test_without_a_token_reads_are_counted_by_address(world: World) -> None:
    given = {"user_or_group": "stoa:anonymous", "relation": "viewer", "resource_type": "project"}
    granted = await world.request(
        "POST", "/governance/permissions/grant", token=world.owner, json=given | {"resource_id": world.shop}
    )
    assert granted.status_code == 200, granted.text
    for left in reversed(range(ANONYMOUS)):
        answer = await get(world, None, f"/governance/projects/{world.shop}")
        assert answer.status_code == 200
        assert window(answer) == (ANONYMOUS, left)
    assert_refused(await get(world))
    assert_refused(await graph(world, "{ projects { total } }"))
    other = httpx.ASGITransport(world.app, client=("203.0.113.7", 9))
    async with httpx.AsyncClient(transport=other, base_url="http://stoa.test") as client:
        assert window(await client.get("/governance/projects")) == (ANONYMOUS, ANONYMOUS - 1)


async def test_without_a_token_nothing_can_be_written(world: World) -> None:
    before = await world.dump()
    answer = await world.request("POST", "/governance/projects", json={"name": "x"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHENTICATED")
    mutation = 'mutation { createProject(project: {name: "x"}) { id } }'
    answer = await graph(world, mutation)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "UNAUTHENTICATED")
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert await world.dump() == before


async def test_without_a_token_only_what_everybody_may_read_is_read(world: World) -> None:
    refused = await get(world, None, f"/governance/projects/{world.shop}")
    assert refused.status_code == 403
    assert (await get(world)).json()["data"] == []


async def test_a_bad_token_is_not_an_anonymous_read(world: World) -> None:
    for value in ("Bearer x.y.z", "Basic abc", "Bearer"):
        answer = await world.request("GET", "/governance/projects", headers={"Authorization": value})
        assert answer.status_code == 401
        assert answer.json()["error"]["code"] in ("TOKEN_MALFORMED", "TOKEN_INVALID")


# Tenants' own limits ------------------------------------------------------------------------------------------------


@pytest.fixture
async def roomy(tmp_path: Path) -> AsyncIterator[World]:
    """A world with the contract's own limits."""
    (tmp_path / "roomy").mkdir()
    values: dict[str, Any] = {"rate_limit_reads": 300, "rate_limit_writes": 60, "rate_limit_bulk": 10}
    async with running_world(settings_for(tmp_path / "roomy", **values)) as world:
        yield world


async def test_the_defaults_are_the_contracts(roomy: World) -> None:
    ann = roomy.token("ann", project=roomy.shop)
    assert window(await get(roomy, ann)) == (300, 299)
    limits = await get(roomy, roomy.owner, "/governance/organizations/acme/rate-limits")
    assert limits.json() == {"organization_id": "acme", "reads": 300, "writes": 60, "bulk": 10, "anonymous": 30}
    refused = await get(roomy)
    assert (refused.status_code, window(refused)[0]) == (401, 30)


async def test_an_administrator_sets_his_tenants_limits_and_no_others(world: World, door: Door) -> None:
    rows = world.app.parts.context_factory.tenant_rows
    ticks = [0.0]
    rows.clock = lambda: ticks[0]
    rows._known.clear()
    foreign = world.token("ann", org="globex", project=world.theirs)
    ann = world.token("ann", project=world.shop)
    assert window(await get(world, ann)) == (READS, READS - 1)
    changed = await door(
        set_rate_limits, world.owner, org_id="acme", limits=RateLimitsChange(reads=3, writes=2, anonymous=1)
    )
    assert changed == {"organization_id": "acme", "reads": 3, "writes": 2, "bulk": 2, "anonymous": 1}
    ticks[0] += rows.seconds + 0.1
    assert rows.seconds <= 5
    assert window(await get(world, ann))[0] == 3
    assert window(await get(world, foreign))[0] == READS
    assert window(await get(world))[0] == 1
    back = await door(set_rate_limits, world.owner, org_id="acme", limits=RateLimitsChange(reads=None))
    assert back == {"organization_id": "acme", "reads": READS, "writes": WRITES, "bulk": 2, "anonymous": ANONYMOUS}
    ticks[0] += rows.seconds + 0.1
    assert window(await get(world, ann))[0] == READS


@pytest.mark.parametrize("value", [0, -1, 1_000_001])
async def test_a_limit_outside_its_bounds_is_refused(world: World, door: Door, value: int) -> None:
    wrong = RateLimitsChange.model_construct(_fields_set={"reads"}, reads=value)
    refused = await door(set_rate_limits, world.owner, org_id="acme", limits=wrong)
    assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "reads")


@pytest.mark.parametrize("value", [1, 1_000_000])
async def test_a_limit_at_its_bounds_is_taken(world: World, door: Door, value: int) -> None:
    changed = await door(set_rate_limits, world.owner, org_id="acme", limits=RateLimitsChange(bulk=value))
    assert changed["bulk"] == value


async def test_the_organization_is_read_within_the_window_it_sets(world: World, door: Door) -> None:
    assert (await door(get_organization, world.owner, org_id="acme"))["id"] == "acme"
    assert door.last is not None
    assert window(door.last)[0] == READS
