"""Who may follow what, for how long, and what a refusal says, over WebSocket and SSE."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from auth.rate_limit import Limits
from persistence.tables.data_readiness import workflow_runs
from schema.data_readiness.workflow_run import RunStatus
from tests.support.graph_socket import Socket, socket
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("store_kind", ["sqlite"])]

FOLLOW = """subscription($configurationId: UUID!, $runId: UUID!) {
  runProgress(configurationId: $configurationId, runId: $runId) { id status } }"""
ACK = {"type": "connection_ack"}


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    return {"streams_per_caller": 2, "stream_heartbeat_seconds": 0.1}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def started(world: World) -> dict[str, str]:
    """A run that waits; the variables that name it."""
    body = {"name": "Ingest", "workflow_type": "profiling"}
    made = await world.request("POST", "/data-readiness/workflows", token=world.owner, json=body)
    configuration = made.json()["id"]
    path = f"/data-readiness/workflows/{configuration}/runs"
    run = await world.request("POST", path, token=world.owner, json={"asset_fqn": "shop"})
    assert run.is_success, run.text
    here = f"{path}/{run.json()['id']}"
    while (await world.request("GET", here, token=world.owner)).json()["status"] not in ("failed", "completed"):
        await asyncio.sleep(0.02)  # no engine does this work in a test, so the run ends by itself
    await moved(world, run.json()["id"], RunStatus.RUNNING)
    return {"configurationId": configuration, "runId": run.json()["id"]}


async def moved(world: World, run: str, to: RunStatus) -> None:
    """Return what the worker does to a run."""
    services = world.app.parts.services
    change = workflow_runs.update().where(workflow_runs.c.id == run).values(status=to.value)
    await services.store.write(lambda uow: uow.connection.execute(change).rowcount)
    services.signals.notify(f"run:{run}")


def status(message: Any) -> str:
    assert message["type"] == "next", message
    found: str = message["payload"]["data"]["runProgress"]["status"]
    return found


def failure(message: Any) -> tuple[str, str]:
    """The code of an operation that was refused, as an error or in its only answer."""
    errors = message["payload"] if message["type"] == "error" else message["payload"]["errors"]
    return message["id"], errors[0]["extensions"]["code"]


async def test_a_run_is_followed_from_where_it_stands_to_its_end(world: World) -> None:
    run = await started(world)
    async with socket(world.app, bearer(world.owner)) as ws:
        assert await ws.message() == ACK
        ws.subscribe("1", FOLLOW, **run)
        assert status(await ws.message()) == "RUNNING"
        await moved(world, run["runId"], RunStatus.COMPLETED)
        assert status(await ws.message()) == "COMPLETED"
        assert await ws.message() == {"id": "1", "type": "complete"}
        ws.subscribe("1", FOLLOW, **run)  # one that is over tells its end, and its id is free again
        assert status(await ws.message()) == "COMPLETED"
        assert await ws.message() == {"id": "1", "type": "complete"}
    assert world.app.parts.services.signals.streams == 0


async def test_the_token_may_come_as_a_header_and_the_project_in_the_payload(world: World) -> None:
    async with socket(world.app, {}, authorization=f"Bearer {world.owner}") as ws:
        assert await ws.message() == ACK
        ws.subscribe("1", "{ projects { total } }")
        assert (await ws.message())["payload"]["data"] == {"projects": {"total": 2}}
    bare = world.token("olga")
    async with socket(world.app, bearer(bare) | {"X-Project-ID": world.lab}) as ws:
        assert await ws.message() == ACK
        ws.subscribe("1", "{ dataConnections { total } }")
        assert (await ws.message())["payload"]["data"] == {"dataConnections": {"total": 0}}


async def test_a_connection_is_refused_with_the_code_of_the_catalogue(world: World) -> None:
    expired = world.token("olga", ttl=60)
    world.clock.moment += timedelta(hours=1)
    for payload, close in (
        ({}, (4401, "UNAUTHENTICATED")),
        (bearer("x"), (4401, "TOKEN_MALFORMED")),
        (bearer(expired), (4401, "TOKEN_EXPIRED")),
        (bearer(world.owner) | {"X-Project-ID": world.theirs}, (4403, "PROJECT_ACCESS_DENIED")),
        (bearer(world.owner) | {"X-Project-ID": 7}, (4400, "INVALID_PARAMETER")),
    ):
        async with socket(world.app, payload) as ws:
            assert await ws.message() == ("close", *close)


async def test_nothing_is_carried_out_before_the_caller_is_known(world: World) -> None:
    async with socket(world.app) as ws:
        assert (await ws.event())["type"] == "websocket.accept"
        ws.subscribe("1", "{ projects { total } }")
        assert await ws.message() == ("close", 4401, "Unauthorized")


async def test_an_operation_that_is_refused_leaves_the_others_alone(world: World) -> None:
    run = await started(world)
    async with socket(world.app, bearer(world.owner)) as ws:
        assert await ws.message() == ACK
        ws.subscribe("1", FOLLOW, **run)
        assert status(await ws.message()) == "RUNNING"
        for query, code in (
            ("{", "VALIDATION_ERROR"),
            ("{ nothing }", "VALIDATION_ERROR"),
            ("query A { projects { total } } query B { projects { total } }", "VALIDATION_ERROR"),
        ):
            ws.subscribe("2", query)
            assert failure(await ws.message()) == ("2", code), query
        ws.subscribe("2", FOLLOW, **run | {"runId": run["configurationId"]})
        assert failure(await ws.message()) == ("2", "RESOURCE_NOT_FOUND")
        await moved(world, run["runId"], RunStatus.FAILED)
        seen = [await ws.message(), await ws.message()]
        assert "FAILED" in [m["payload"]["data"]["runProgress"]["status"] for m in seen if m["type"] == "next"]


async def test_a_caller_follows_so_many_at_once_and_no_more(world: World) -> None:
    run = await started(world)
    async with socket(world.app, bearer(world.owner)) as ws, socket(world.app, bearer(world.owner)) as other:
        assert await ws.message() == await other.message() == ACK
        for id_ in ("1", "2"):
            ws.subscribe(id_, FOLLOW, **run)
            assert status(await ws.message()) == "RUNNING"
        ws.subscribe("3", FOLLOW, **run)
        assert failure(await ws.message()) == ("3", "QUOTA_EXCEEDED")
        other.subscribe("1", FOLLOW, **run)
        assert failure(await other.message()) == ("1", "QUOTA_EXCEEDED")
    assert world.app.parts.services.signals.streams == 0
    async with socket(world.app, bearer(world.owner)) as ws:
        assert await ws.message() == ACK
        ws.subscribe("1", FOLLOW, **run)
        assert status(await ws.message()) == "RUNNING"


async def test_a_connection_ends_with_its_token(world: World) -> None:
    async with socket(world.app, bearer(world.token("olga", ttl=60))) as ws:
        assert await ws.message() == ACK
        world.clock.moment += timedelta(minutes=5)
        assert await ws.message() == ("close", 4401, "TOKEN_EXPIRED")


async def test_a_silent_connection_is_pinged(world: World) -> None:
    async with socket(world.app, bearer(world.owner)) as ws:
        assert await ws.message() == ACK
        event: Any = {}
        while '"ping"' not in event.get("text", ""):
            event = await ws.event()


async def test_pages_of_other_origins_are_refused(world: World) -> None:
    async with socket(world.app, origin="https://evil.example") as ws:
        assert (await ws.event())["type"] == "websocket.close"
    async with socket(world.app, origin="http://stoa.test") as ws:
        assert (await ws.event())["type"] == "websocket.accept"


async def test_a_server_that_stops_refuses_the_handshake(world: World) -> None:
    world.app.begin_shutdown()
    opened = Socket(world.app, {})
    first = await opened.event()
    assert (first["type"], first["status"]) == ("websocket.http.response.start", 503)
    await opened.close()


async def test_every_operation_of_a_connection_is_charged(world: World) -> None:
    async def left() -> int:
        answer = await world.request("POST", "/graphql", token=world.owner, json={"query": "{ projects { total } }"})
        return int(answer.headers["X-RateLimit-Remaining"])

    before = await left()
    async with socket(world.app, bearer(world.owner)) as ws:
        assert await ws.message() == ACK
        for id_ in ("1", "2"):
            ws.subscribe(id_, "{ projects { total } }")
            assert (await ws.message())["type"] == "next"
            assert (await ws.message())["type"] == "complete"
    assert await left() == before - 3


async def test_an_operation_beyond_the_window_says_how_long_to_wait(world: World) -> None:
    run = await started(world)
    context_factory = world.app.parts.context_factory
    async with socket(world.app, bearer(world.owner)) as ws:
        assert await ws.message() == ACK
        object.__setattr__(context_factory, "defaults", Limits(0, 0, 0, 0))
        ws.subscribe("1", FOLLOW, **run)
        refused = await ws.message()
        assert failure(refused) == ("1", "RATE_LIMIT_EXCEEDED")
        errors = refused["payload"] if refused["type"] == "error" else refused["payload"]["errors"]
        wait = errors[0]["extensions"]["retry_after"]
        assert 1 <= wait <= 60
        assert f"{wait} seconds" in errors[0]["message"]


async def test_events_tell_the_same_over_sse(world: World) -> None:
    run = await started(world)
    await moved(world, run["runId"], RunStatus.COMPLETED)
    answer = await world.request(
        "POST",
        "/graphql",
        token=world.owner,
        json={"query": FOLLOW, "variables": run},
        headers={"Accept": "text/event-stream"},
    )
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [line for line in answer.text.split("\r\n") if line.startswith("event:")]
    assert events == ["event: next", "event: complete"]
    assert '"status":"COMPLETED"' in answer.text
    plain = await world.request("POST", "/graphql", token=world.owner, json={"query": FOLLOW, "variables": run})
    assert not plain.json().get("data"), plain.text
    assert plain.json()["errors"][0]["extensions"]["code"] in ("INVALID_REQUEST", "VALIDATION_ERROR"), plain.text
    stranger = await world.request(
        "POST", "/graphql", token="x", json={"query": FOLLOW}, headers={"Accept": "text/event-stream"}
    )
    assert (stranger.status_code, stranger.json()["error"]["code"]) == (401, "TOKEN_MALFORMED")
