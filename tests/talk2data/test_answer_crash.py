"""An answer that is begun again, wherever its process died: it goes on, and nothing is told or made twice."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest

from auth.caller import Caller
from auth.guard import Guard
from persistence.queries.chat import TurnRow
from persistence.store import UnitOfWork
from persistence.tables.talk2data import turns
from resolvers.context import Context
from resolvers.talk2data.answering.analyst import Analyst
from resolvers.talk2data.answering.port import AnswerEvent, Question
from schema.talk2data.turn import TurnState
from schema.talk2data.turn_event import TurnEventType
from tests.support.chat import begun, events_of
from tests.support.ingestion import Bench
from tests.support.postgres import PostgresServer
from tests.support.server import Client, Server, stoa, until
from tests.talk2data.asking import ScriptedDrafter, draft, drafter, shop, source, world
from tests.world import ORG, World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.timeout(900)

BY_CITY = "select city, count(*) as customers from customers group by city order by city"


async def a_turn(world: World, session: str, position: int) -> Question:
    """A turn that nobody works on."""
    turn_id, task_id, now = str(uuid4()), str(uuid4()), world.clock()
    row = TurnRow(turn_id, session, task_id, ORG, world.shop, position, TurnState.WORKING, 1, {})
    await world.app.parts.services.store.write(lambda uow: uow.turns.begin(row, "Cities?", None, now))
    return Question(session, turn_id, task_id, "Cities?", None, ())


def context(world: World) -> Context:
    """The context of the owner's question."""
    services = world.app.parts.services
    return Context(Caller("olga", ORG, world.shop), "req-1", services, Guard(services.relations))


async def told(world: World, question: Question, before: Sequence[AnswerEvent], most: int = 1000) -> list[AnswerEvent]:
    """Return what the engine tells after what was told before, until it dies."""
    events: list[AnswerEvent] = []
    answer = Analyst().answer(context(world), question, before)
    async for one in answer:
        events.append(one)
        if len(events) >= most:
            await answer.aclose()
            break
    return events


def kinds(events: Sequence[AnswerEvent]) -> list[tuple[str, Any]]:
    """The events, without what is new each time."""
    shown = []
    for one in events:
        data = dict(one.data)
        if one.event is TurnEventType.ARTIFACT:
            data["resource_uri"] = data["resource_uri"].partition(":answer-")[0] + data["resource_uri"][-8:].lstrip(
                "0123456789abcdef"
            )
            data["metadata"] = {**data["metadata"], "downloads": sorted(data["metadata"].get("downloads", ()))}
        shown.append((one.event.value, data))
    return shown


@pytest.mark.anyio
async def test_an_answer_goes_on_after_each_of_its_events(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    drafter.script["Cities?"] = draft(BY_CITY)
    session = await begun(world)
    whole = await told(world, await a_turn(world, session, 1), ())
    shown = [one.event.value for one in whole if one.event.value not in ("task_update", "message_delta")]
    assert shown[:3] == ["sql", "result", "artifact"]
    assert shown[-1] == "done"
    sql = next(at for at, one in enumerate(whole) if one.event is TurnEventType.SQL)
    for cut in range(1, len(whole)):
        question = await a_turn(world, session, cut + 1)
        drafted = len(drafter.asked)
        before = await told(world, question, (), cut)
        assert kinds(before) == kinds(whole[:cut])
        after = await told(world, question, before)
        assert kinds(after) == kinds(whole[cut:]), cut
        # Only a draft that was never told is drafted again.
        assert len(drafter.asked) - drafted == (2 if cut == sql else 1)
        assert await told(world, question, [*before, *after]) == []

    def kept(uow: UnitOfWork) -> int:
        return uow.artifacts.page(context(world).scope, offset=0, limit=1).total

    made = len([one for one in whole if one.event is TurnEventType.ARTIFACT])
    assert await world.app.parts.services.store.read(kept) == made * len(whole)


@pytest.mark.anyio
async def test_what_was_found_is_told_even_when_the_data_has_changed_since(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Cities?"] = draft(BY_CITY)
    question = await a_turn(world, await begun(world), 1)
    whole_until = [one.event for one in await told(world, await a_turn(world, question.session_id, 2), ())]
    cut = whole_until.index(TurnEventType.RESULT) + 1
    before = await told(world, question, (), cut)
    drafter.script["Cities?"] = draft("select city from customers")
    after = await told(world, question, before)
    assert [*[one.event for one in before], *[one.event for one in after]] == whole_until


@pytest.mark.anyio
async def test_two_that_answer_at_once_find_one_answer(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    drafter.script["Cities?"] = draft(BY_CITY)
    session = await begun(world)
    for position in range(1, 4):
        question = await a_turn(world, session, position)
        found = await asyncio.gather(*(told(world, question, ()) for _ in range(3)))
        for one in found:
            assert [event.data for event in one if event.event is TurnEventType.RESULT] == [
                event.data for event in found[0] if event.event is TurnEventType.RESULT
            ]
            assert one[-1].event is TurnEventType.DONE
    artifacts = [row for row in (await world.dump())["artifacts"] if "parquet" in str(row)]
    assert len(artifacts) == 3


@pytest.mark.anyio
async def test_an_answer_to_a_turn_that_is_gone_is_not_kept(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Cities?"] = draft(BY_CITY)
    session = await begun(world)
    for most in (3, 5):
        question = await a_turn(world, session, most)
        answer = Analyst().answer(context(world), question, ())
        for _ in range(most):
            await anext(answer)
        gone = turns.delete().where(turns.c.turn_id == question.turn_id)
        await world.app.parts.services.store.write(
            lambda uow, gone=gone: uow.connection.execute(gone)  # type: ignore[misc]
        )
        rest = [one.event async for one in answer]
        assert TurnEventType.DONE not in rest
    dump = await world.dump()
    assert (dump["artifacts"], dump["turn_provenance"]) == ([], [])


class AnalystServer(Server):
    """A server whose drafter takes a question for SQL."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        super().__init__(folder, settings=settings)

    command = (sys.executable, "-m", "tests.support.analyst_server")


def test_an_answer_is_told_once_though_its_server_is_killed_while_the_source_works(
    store_url: str | None, tmp_path: Path, postgres_server: PostgresServer
) -> None:
    url = postgres_server.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create view slow as select i, pg_sleep(0.4)::text as slept from generate_series(1, 10) i")
    settings = {"database_url": store_url, "worker_heartbeat_seconds": 0.2, "worker_dead_seconds": 1}
    made = stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga", settings=settings)
    assert made.returncode == 0, made.stderr
    with ExitStack() as stack:
        stack.callback(postgres_server.drop_database, url)
        first = stack.enter_context(AnalystServer(tmp_path, settings)).ready()
        client = stack.enter_context(Client(tmp_path, first))
        runs = client.configure(url)
        run = client.over(f"{runs}/{client('POST', runs, json={})['id']}")
        assert run["status"] == "completed", run
        session = client("POST", "/talk2data/chat/sessions", json={})["session_id"]
        path = f"/talk2data/chat/sessions/{session}/turns"
        turn = client("POST", path, json={"message": "select max(i) as most, count(slept) as slept from slow"})
        stream = f"/talk2data/chat/messages/sessions/{session}/turns/{turn['turn_id']}/stream"
        seen = ""
        with suppress(httpx.TransportError), client._http.stream("POST", stream) as answer:
            for text in answer.iter_text():
                seen += text
                if "event: sql" in seen and '"step":"run"' in seen:
                    first.kill()
        before = events_of(seen.rpartition("\n\n")[0])
        assert not any(event["final"] or event["event"] == "result" for event in before)

        second = stack.enter_context(AnalystServer(tmp_path, settings)).ready()
        again = stack.enter_context(Client(tmp_path, second, client.project))
        answer = again._http.post(stream)
        whole = events_of(answer.text)
        assert whole[: len(before)] == before
        assert [event["sequence"] for event in whole] == list(range(1, len(whole) + 1))
        assert [event["final"] for event in whole] == [False] * (len(whole) - 1) + [True]
        steps = [
            event["data"]["data"]["step"]
            for event in whole
            if event["event"] == "task_update" and event["data"]["agent"] is not None
        ]
        assert steps == ["link", "draft", "guard", "run", "answer"]
        assert [event["event"] for event in whole].count("sql") == 1
        (result,) = [event["data"] for event in whole if event["event"] == "result"]
        assert result["rows"] == [[10, 10]]
        read = until(lambda: again("GET", f"{path}/{turn['turn_id']}"), "the turn")
        assert read["state"] == "completed"
        listed = again("GET", f"{path}/{turn['turn_id']}/artifacts")
        assert len(listed["data"]) == 1
        found = again("GET", f"{path}/{turn['turn_id']}/provenance")
        assert (found["kind"], found["row_count"]) == ("answer", 1)
