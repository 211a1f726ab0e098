"""Governance over HTTP: who may ask it, and that nothing but its own answer is ever a yes."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from pydantic import SecretStr, ValidationError

from auth.relations import CheckRequest, RelationTuple
from auth.remote import KEY_HEADER, PATH, GovernanceSettings, GovernanceUnavailable, RemoteRelations
from persistence.jobs.port import InlineJobs
from rest_compat.app import Parts, create_app
from schema.errors import ApiError
from tests.world import ORG, World

pytestmark = pytest.mark.anyio

KEY = "the-key-that-the-services-of-a-test-share"
OPEN = CheckRequest("user:olga", "can_read", "project:shop")


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    return {"service_key": SecretStr(KEY)}


def remote(answer: Callable[[httpx.Request], httpx.Response]) -> RemoteRelations:
    settings = GovernanceSettings(governance_url="http://governance.test", service_key=SecretStr(KEY))
    return RemoteRelations(settings, transport=httpx.MockTransport(answer))


def fails(error: Exception) -> Callable[[httpx.Request], httpx.Response]:
    def answer(_request: httpx.Request) -> httpx.Response:
        raise error

    return answer


@pytest.mark.parametrize(
    "answer",
    [
        fails(httpx.ConnectError("refused")),
        fails(httpx.ReadTimeout("late")),
        fails(httpx.RemoteProtocolError("cut")),
        *[lambda _, s=status: httpx.Response(s, json={"error": {}}) for status in (301, 400, 401, 403, 404, 429)],
        *[lambda _, s=status: httpx.Response(s, json=True) for status in (201, 302, 500, 502, 503)],
        *[lambda _, b=body: httpx.Response(200, content=b) for body in (b"", b"1", b'"true"', b"{}", b"yes")],
        *[lambda _, b=body: httpx.Response(409, content=b) for body in (b"", b"{}", b"true", b'{"refused": "Sure"}')],
    ],
)
async def test_whatever_is_no_answer_of_governance_is_a_refusal(
    answer: Callable[[httpx.Request], httpx.Response],
) -> None:
    engine = remote(answer)
    for ask in (
        engine.check(ORG, OPEN),
        engine.allowed(ORG, [OPEN.user], OPEN.relation, OPEN.object),
        engine.write(ORG, [RelationTuple("user:olga", "owner", "project:shop")]),
        engine.explain(ORG, [OPEN.user], OPEN.relation, OPEN.object),
    ):
        with pytest.raises(GovernanceUnavailable) as refused:
            await ask
        assert (refused.value.code, refused.value.status) == ("FORBIDDEN", 403)
        assert refused.value.details == {"service": "governance"}
        assert KEY not in str(refused.value)
    await engine.close()


async def test_a_batch_must_have_as_many_answers_as_questions() -> None:
    engine = remote(lambda _: httpx.Response(200, json=[True]))
    assert await engine.batch_check(ORG, [OPEN]) == [True]
    with pytest.raises(GovernanceUnavailable):
        await engine.batch_check(ORG, [OPEN, OPEN])
    await engine.close()


@pytest.mark.parametrize("key", [None, "", "wrong", KEY[:-1], KEY + "x", "ключ"])
async def test_only_who_has_the_key_is_answered(world: World, key: str | None) -> None:
    question = {"store": ORG, "subjects": ["user:olga"], "relation": "can_read", "object": f"project:{world.shop}"}
    headers = {} if key is None else {KEY_HEADER: key.encode()}
    refused = await world.client.post(f"{PATH}/allowed", json=question, headers=headers)
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "UNAUTHENTICATED")
    with_token = await world.request("POST", f"{PATH}/allowed", token=world.owner, json=question)
    assert with_token.status_code == 401
    answered = await world.client.post(f"{PATH}/allowed", json=question, headers={KEY_HEADER: KEY})
    assert (answered.status_code, answered.json()) == (200, True)


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"store": 7}', b'{"store": "acme", "more": 1}'])
async def test_a_call_that_is_none_is_no_yes(world: World, body: bytes) -> None:
    answer = await world.client.post(f"{PATH}/allowed", content=body, headers={KEY_HEADER: KEY})
    assert answer.status_code == 422


async def test_the_path_is_no_part_of_the_contract_and_only_there_with_a_key(world: World) -> None:
    document = (await world.client.get("/governance/openapi.json")).json()
    assert not [path for path in document["paths"] if "internal" in path]
    for service, changed in (("governance", {"service_key": None}), ("assets", {})):
        settings = world.app.parts.settings.model_copy(update=changed)
        async with serving(settings, world, service) as client:
            answer = await client.post(f"{PATH}/allowed", json={}, headers={KEY_HEADER: KEY})
        assert answer.status_code == 404


@asynccontextmanager
async def serving(settings: Any, world: World, service: str) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(settings, service=service, jobs=InlineJobs(), clock=world.clock)
    try:
        await app.open()
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://stoa.test") as client:
            yield client
    finally:
        await app.close()


async def test_a_service_apart_asks_governance_and_writes_relations_there_as_part_of_its_transaction(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = world.app.parts.settings.model_copy(update={"governance_url": "http://governance.test"})
    if world.app.parts.database.sync_engines[0].dialect.name == "sqlite":
        with pytest.raises(ValueError, match="share one PostgreSQL"):
            async with serving(settings, world, "assets"):
                pass
        return
    asked: list[str] = []
    inside = httpx.ASGITransport(world.app)

    class Watched(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            asked.append(request.url.path.removeprefix(f"{PATH}/"))
            return await inside.handle_async_request(request)

    made_by = RemoteRelations.__init__
    monkeypatch.setattr(RemoteRelations, "__init__", lambda self, found: made_by(self, found, transport=Watched()))
    body = {
        "name": "Apart",
        "connection_type": "postgres",
        "database_config": {"host": "db.test", "port": 5432, "database": "x"},
    }
    headers = {"Authorization": f"Bearer {world.owner}", "X-Project-ID": world.shop}
    async with serving(settings, world, "assets") as client:
        made = await client.post("/assets/data", json=body, headers=headers)
        assert made.status_code == 201, made.text
        assert asked == ["allowed", "write"]
        seen = await client.get(f"/assets/data/{made.json()['resource_uri']}", headers=headers)
        assert (seen.status_code, asked[2:]) == (200, ["allowed"])
    elsewhere = await world.request("GET", f"/assets/data/{made.json()['resource_uri']}", token=world.owner)
    assert elsewhere.status_code == 200


@pytest.mark.parametrize("url", ["governance:8000", "ftp://governance", "http://governance/path", "http://"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValidationError):
        GovernanceSettings(governance_url=url, service_key=SecretStr(KEY))


def test_an_address_needs_a_key_and_a_key_is_long() -> None:
    with pytest.raises(ValidationError, match="STOA_SERVICE_KEY"):
        GovernanceSettings(governance_url="http://governance:8000")
    with pytest.raises(ValidationError):
        GovernanceSettings(service_key=SecretStr("k" * 31))
    assert GovernanceSettings(service_key=SecretStr("k" * 32)).service_key is not None


def test_the_key_is_never_shown() -> None:
    assert KEY not in repr(GovernanceSettings(governance_url="http://g", service_key=SecretStr(KEY)))
    assert issubclass(GovernanceUnavailable, ApiError)
    assert Parts.__dataclass_fields__["apart"].default is False
