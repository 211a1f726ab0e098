"""What only the OpenFGA engine can get wrong: the network, its stores and models, and the meaning of the model."""

import asyncio
import contextlib
import json
import logging
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from auth.evaluator import Evaluator
from auth.model import Model, platform_model
from auth.openfga import CHECKS_AT_ONCE, OpenFgaRelations, OpenFgaSettings, store_name
from auth.relations import CheckRequest, NotInModel
from schema.errors import UpstreamUnavailable
from tests.auth.cases.engines import fresh_store, tuples
from tests.support.openfga import PATIENT, openfga_server, openfga_url  # noqa: F401

pytestmark = pytest.mark.anyio

MODEL = platform_model()
QUESTION = CheckRequest("user:ann", "can_read", "project:shop")


@contextlib.asynccontextmanager
async def client(url: str, model: Model = MODEL, **more: Any) -> AsyncIterator[OpenFgaRelations]:
    """A client of a server, closed at the end."""
    opened = OpenFgaRelations(model, OpenFgaSettings(**{"openfga_url": url, "openfga_timeout": PATIENT, **more}))
    try:
        yield opened
    finally:
        await opened.close()


@contextlib.asynccontextmanager
async def stub(answer: bytes, *, status: str = "200 OK", delay: float = 0.0) -> AsyncIterator[tuple[str, list[str]]]:
    """A server that says the same to everything; gives its address and the list of requests that it saw."""
    seen: list[str] = []
    over = asyncio.Event()
    busy: set[asyncio.Task[Any]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        busy.add(asyncio.current_task() or pytest.fail("a connection is served by a task"))
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            seen.append(head.splitlines()[0])
            if delay:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(over.wait(), delay)
            length = f"Content-Length: {len(answer)}\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n"
            writer.write(f"HTTP/1.1 {status}\r\n{length}".encode() + answer)
            await writer.drain()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", seen
    finally:
        over.set()
        server.close()
        await server.wait_closed()
        await asyncio.gather(*busy)


async def every_question_is_refused(engine: OpenFgaRelations) -> None:
    """Ask in every way; each must be UpstreamUnavailable."""
    for ask in (
        lambda: engine.check("acme", QUESTION),
        lambda: engine.batch_check("acme", [QUESTION]),
        lambda: engine.allowed("acme", ["user:ann", "group:g#member"], "can_read", "project:shop"),
        lambda: engine.list_objects("acme", "user:ann", "can_read", "project"),
        lambda: engine.list_users("acme", "project:shop", "can_read", "user"),
        lambda: engine.read("acme"),
        lambda: engine.write("acme", tuples("project:shop#viewer@user:ann")),
        lambda: engine.delete_object("acme", "project:shop"),
        lambda: engine.explain("acme", ["user:ann"], "can_read", "project:shop"),
    ):
        with pytest.raises(UpstreamUnavailable) as refused:
            await ask()
        assert "secret-token" not in str(refused.value) + json.dumps(refused.value.details)


async def test_a_server_that_is_not_there_is_never_a_yes() -> None:
    async with client("http://127.0.0.1:1") as engine:
        await every_question_is_refused(engine)


@pytest.mark.parametrize("status", ["500 Internal Server Error", "503 Service Unavailable", "401 Unauthorized"])
async def test_a_server_that_fails_is_never_a_yes(status: str, caplog: pytest.LogCaptureFixture) -> None:
    body = b'{"code": "internal_error", "message": "no", "allowed": true}'
    async with (
        stub(body, status=status) as (url, _),
        client(url, openfga_api_token=SecretStr("secret-token")) as engine,
    ):
        engine._stores["acme"] = ("01HXXXXXXXXXXXXXXXXXXXXXXX", "01HXXXXXXXXXXXXXXXXXXXXXXX")
        with caplog.at_level(logging.DEBUG):
            await every_question_is_refused(engine)
    assert "secret-token" not in caplog.text


async def test_a_server_that_hangs_is_given_up() -> None:
    async with stub(b"{}", delay=30) as (url, _), client(url, openfga_timeout=0.2) as engine:
        with pytest.raises(UpstreamUnavailable):
            await engine.check("acme", QUESTION)


@pytest.mark.parametrize(
    "answer",
    [b"{}", b'{"allowed": "yes"}', b'{"allowed": 1}', b'{"result": {"0": {"allowed": "true"}}}', b"[]", b"yes"],
)
async def test_an_answer_that_is_not_plainly_yes_is_not_one(answer: bytes) -> None:
    async with stub(answer) as (url, _), client(url) as engine:
        engine._stores["acme"] = ("01HXXXXXXXXXXXXXXXXXXXXXXX", "01HXXXXXXXXXXXXXXXXXXXXXXX")
        for ask in (
            lambda: engine.check("acme", QUESTION),
            lambda: engine.allowed("acme", ["user:ann"], "can_read", "project:shop"),
        ):
            with contextlib.suppress(UpstreamUnavailable):
                assert await ask() is False


async def test_without_the_sdk_the_answer_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openfga_sdk", None)
    async with client("http://127.0.0.1:1") as engine:
        with pytest.raises(UpstreamUnavailable, match=r"pip install 'stoa-platform\[openfga\]'"):
            await engine.check("acme", QUESTION)


async def test_a_user_and_his_groups_are_one_round_trip_up_to_fifty() -> None:
    found = {str(number): {"allowed": False} for number in range(CHECKS_AT_ONCE)}
    async with stub(json.dumps({"result": found}).encode()) as (url, seen), client(url) as engine:
        engine._stores["acme"] = ("01HXXXXXXXXXXXXXXXXXXXXXXX", "01HXXXXXXXXXXXXXXXXXXXXXXX")
        for groups, calls in ((1, 1), (49, 1), (50, 2), (130, 3)):
            seen.clear()
            subjects = ["user:ann", *(f"group:g{number}#member" for number in range(groups))]
            assert not await engine.allowed("acme", subjects, "can_read", "project:shop")
            assert len(seen) == calls
            assert all("/batch-check" in line for line in seen)


async def test_the_preshared_key_is_sent_and_a_wrong_one_is_refused() -> None:
    with openfga_server(token="secret-token") as url:
        async with client(url, openfga_api_token=SecretStr("secret-token")) as engine:
            await engine.write("acme", tuples("project:shop#viewer@user:ann"))
            assert await engine.check("acme", QUESTION)
        async with client(url, openfga_api_token=SecretStr("other-token")) as engine:
            with pytest.raises(UpstreamUnavailable):
                await engine.check("acme", QUESTION)


async def test_a_second_process_finds_the_store_and_the_model(openfga_url: str) -> None:  # noqa: F811
    store = fresh_store()
    async with client(openfga_url) as first, client(openfga_url) as second:
        await first.write(store, tuples("project:shop#viewer@user:ann"))
        assert await second.check(store, QUESTION)
        assert first._stores == second._stores
        changed = Model.parse(
            "model\n schema 1.1\ntype user\ntype project\n relations\n define viewer: [user]\n"
            " define can_read: viewer\n"
        )
        async with client(openfga_url, changed) as third:
            assert await third.check(store, QUESTION)
            assert third._stores[store][0] == first._stores[store][0]
            assert third._stores[store][1] != first._stores[store][1]
        async with client(openfga_url) as fourth:  # the older model still stands and is taken, not written again
            assert await fourth.check(store, QUESTION)
            assert fourth._stores == first._stores


async def test_many_first_questions_at_once_make_one_store(openfga_url: str) -> None:  # noqa: F811
    store = fresh_store()
    async with client(openfga_url) as engine:
        assert await asyncio.gather(*(engine.check(store, QUESTION) for _ in range(20))) == [False] * 20
        assert len(await engine._named(store_name(store))) == 1


@pytest.mark.parametrize("code", ["store_id_not_found", "authorization_model_not_found"])
async def test_a_store_that_the_server_lost_is_an_error_and_looked_up_again(code: str) -> None:
    lost = json.dumps({"code": code, "message": "gone"}).encode()
    async with stub(lost, status="404 Not Found") as (url, seen), client(url) as engine:
        for ask in (
            lambda: engine.check("acme", QUESTION),
            lambda: engine.batch_check("acme", [QUESTION]),
            lambda: engine.list_objects("acme", "user:ann", "can_read", "project"),
        ):
            engine._stores["acme"] = ("01HXXXXXXXXXXXXXXXXXXXXXXX", "01HXXXXXXXXXXXXXXXXXXXXXXX")
            with pytest.raises(UpstreamUnavailable, match="lost"):
                await ask()
            assert "acme" not in engine._stores
        seen.clear()
        with pytest.raises(UpstreamUnavailable):
            await engine.check("acme", QUESTION)
        assert "/stores?" in seen[0]


async def test_more_tuples_than_a_transaction_holds(openfga_url: str) -> None:  # noqa: F811
    store = fresh_store()
    many = tuples(*(f"project:shop#viewer@user:u{number}" for number in range(130)))
    async with client(openfga_url) as engine:
        with pytest.raises(ValueError, match="100 tuples"):
            await engine.write(store, many)
        assert await engine.read(store) == []
        await engine.write(store, many, lenient=True)
        assert len(await engine.read(store, limit=1000)) == 130
        assert await engine.delete_object(store, "project:shop") == 130
        assert await engine.read(store) == []


async def test_a_name_that_the_server_does_not_take_is_refused_in_words(openfga_url: str) -> None:  # noqa: F811
    async with client(openfga_url) as engine:
        with pytest.raises(NotInModel, match="too long"):
            await engine.write(fresh_store(), tuples(f"project:{'x' * 300}#viewer@user:ann"))


@pytest.mark.parametrize("organization", ["acme", "a" * 255, "ACME GmbH & Co. KG", "organisation ünïcode", "a:b#c"])
async def test_any_organization_gets_a_store_of_its_own(openfga_url: str, organization: str) -> None:  # noqa: F811
    store = organization if len(organization) > 100 else organization + fresh_store()
    async with client(openfga_url) as engine:
        assert not await engine.check(store, QUESTION)
        await engine.write(store, tuples("project:shop#viewer@user:ann"), lenient=True)
        assert await engine.check(store, QUESTION)
        assert not await engine.check(store + "x", QUESTION)


RANDOM = Model.parse(
    """
model
  schema 1.1
type user
type group
  relations
    define member: [user, user:*, group#member]
type folder
  relations
    define parent: [folder]
    define owner: [user]
    define viewer: [user, group#member] or owner or viewer from parent
type document
  relations
    define folder: [folder]
    define granted: [user, user:*, group#member]
    define blocked: [user, group#member]
    define editor: granted and viewer from folder
    define viewer: (granted or viewer from folder) but not blocked
    define odd: (editor or blocked) but not (granted and owner from folder)
"""
)
USERS = [f"user:{name}" for name in "abc"]
GROUPS = [f"group:{name}" for name in "xyz"]
FOLDERS = [f"folder:{name}" for name in "pqr"]
DOCUMENTS = [f"document:{name}" for name in "12"]
MEMBERS = [f"{group}#member" for group in GROUPS]
POSSIBLE = [
    *(f"{group}#member@{user}" for group in GROUPS for user in [*USERS, *MEMBERS, "user:*"]),
    *(f"{folder}#parent@{other}" for folder in FOLDERS for other in FOLDERS),
    *(f"{folder}#owner@{user}" for folder in FOLDERS for user in USERS),
    *(f"{folder}#viewer@{user}" for folder in FOLDERS for user in [*USERS, *MEMBERS]),
    *(f"{document}#folder@{folder}" for document in DOCUMENTS for folder in FOLDERS),
    *(f"{document}#granted@{user}" for document in DOCUMENTS for user in [*USERS, "user:*", *MEMBERS]),
    *(f"{document}#blocked@{user}" for document in DOCUMENTS for user in [*USERS, *MEMBERS]),
]
QUESTIONS = [
    CheckRequest(user, relation, document)
    for user in [*USERS, MEMBERS[0]]
    for document in DOCUMENTS
    for relation in ("viewer", "editor", "odd")
] + [CheckRequest(user, "member", group) for user in [*USERS, MEMBERS[1]] for group in GROUPS]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.sampled_from(POSSIBLE), unique=True, max_size=24))
async def test_the_evaluator_agrees_with_the_server_on_random_tuples(
    openfga_url: str,  # noqa: F811
    lines: list[str],
) -> None:
    items = [item for item in tuples(*lines) if RANDOM.accepts(item)]
    evaluator = Evaluator(RANDOM, items)
    store = fresh_store()
    async with client(openfga_url, RANDOM) as engine:
        await engine.write(store, items)
        expected = await engine.batch_check(store, QUESTIONS)
        assert [evaluator.holds(one.user, one.relation, one.object) for one in QUESTIONS] == expected
        for user in USERS:
            listed = await engine.list_objects(store, user, "viewer", "document")
            assert [name for name in DOCUMENTS if evaluator.holds(user, "viewer", name)] == listed
        for folder in FOLDERS:
            assert evaluator.users(folder, "viewer", "user") == await engine.list_users(store, folder, "viewer", "user")


async def test_what_asks_after_the_end_is_told_so_and_opens_no_new_connection() -> None:
    async with client("http://127.0.0.1:1") as engine:
        pass
    with pytest.raises(UpstreamUnavailable, match="shutting down"):
        await engine.check("acme", QUESTION)
    assert engine._sdk is None
