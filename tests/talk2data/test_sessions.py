"""Chat sessions: their fields and bounds, whose they are, and what goes with them."""

from typing import Any
from uuid import uuid4

import pytest

from resolvers.talk2data.sessions import (
    create_chat_session,
    delete_chat_session,
    get_chat_session,
    list_chat_sessions,
    update_chat_session,
)
from resolvers.talk2data.turns import create_turn, get_turn, list_turns
from schema.talk2data.session import ChatSessionChange, ChatSessionCreate
from schema.talk2data.turn import TurnCreate
from tests.doors import Door, Refused, revision_of
from tests.support.chat import ScriptedEngine, asked, begun
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

FIELDS = {"session_id", "title", "turn_count", "message_count", "artifact_count", "created_at", "updated_at"}


def titled(title: Any) -> ChatSessionCreate:
    """A session to begin, as somebody would send it."""
    return ChatSessionCreate.model_construct(_fields_set={"title"}, title=title)


def renamed(title: Any) -> ChatSessionChange:
    """A new title, as somebody would send it."""
    return ChatSessionChange.model_construct(_fields_set={"title"}, title=title)


async def test_a_new_session_has_every_documented_field(world: World, door: Door) -> None:
    made = await door(create_chat_session, world.owner, session=titled("Orders"))
    assert set(made) == FIELDS
    assert made["title"] == "Orders"
    assert (made["turn_count"], made["message_count"], made["artifact_count"]) == (0, 0, 0)
    assert made["created_at"] == made["updated_at"]
    assert await door(get_chat_session, world.owner, session_id=made["session_id"]) == made
    if door.name == "rest":
        assert door.last is not None
        assert revision_of(door.last) == 1
    for nothing in ({}, {"session": ChatSessionCreate()}):
        assert (await door(create_chat_session, world.owner, **nothing))["title"] is None


async def test_a_new_session_is_answered_with_201_with_a_body_or_without(world: World) -> None:
    for how in ({}, {"json": {}}, {"json": {"title": None}}):
        made = await world.request("POST", "/talk2data/chat/sessions", token=world.owner, **how)
        assert (made.status_code, made.json()["title"]) == (201, None)
    malformed = await world.request("POST", "/talk2data/chat/sessions", token=world.owner, json={"name": "x"})
    assert malformed.status_code == 400


@pytest.mark.parametrize(
    ("title", "fits"), [("t", True), ("t" * 255, True), ("", False), (" \t\n", False), ("t" * 256, False)]
)
async def test_a_title_is_neither_blank_nor_too_long(world: World, door: Door, title: str, fits: bool) -> None:
    own = await begun(world, title="before")
    for answer in (
        await door(create_chat_session, world.owner, session=titled(title)),
        await door(update_chat_session, world.owner, session_id=own, changes=renamed(title)),
    ):
        if fits:
            assert answer["title"] == title
        else:
            assert answer == "VALIDATION_ERROR"
            assert (answer.status, answer.details["field"]) == (422, "title")
    kept = await door(get_chat_session, world.owner, session_id=own)
    assert kept["title"] == (title if fits else "before")
    assert (await door(list_chat_sessions, world.owner))["total"] == (2 if fits else 1)


async def test_a_session_is_renamed_and_its_title_taken_away(world: World, door: Door) -> None:
    own = await begun(world, title="before")
    changed = await door(update_chat_session, world.owner, session_id=own, changes=renamed("after"))
    assert changed["title"] == "after"
    assert changed["updated_at"] > changed["created_at"]
    assert await door(get_chat_session, world.owner, session_id=own) == changed
    untouched = await door(update_chat_session, world.owner, session_id=own, changes=ChatSessionChange())
    assert untouched["title"] == "after"
    assert (await door(update_chat_session, world.owner, session_id=own, changes=renamed(None)))["title"] is None


async def test_a_rename_that_names_an_old_revision_is_a_conflict(world: World, door: Door) -> None:
    own = await begun(world)
    tag = {"If-Match": '"1"'}
    assert (await door(update_chat_session, world.owner, tag, session_id=own, changes=renamed("a")))["title"] == "a"
    for op, how in ((update_chat_session, {"changes": renamed("b")}), (delete_chat_session, {})):
        refused = await door(op, world.owner, tag, session_id=own, **how)
        assert (refused.code, refused.status) == ("VERSION_CONFLICT", 409)
    assert (await door(get_chat_session, world.owner, session_id=own))["title"] == "a"
    gone = await door(delete_chat_session, world.owner, {"If-Match": '"2"'}, session_id=own)
    assert not isinstance(gone, Refused)


async def test_sessions_are_listed_newest_first_and_everybody_sees_his_own_alone(world: World, door: Door) -> None:
    admin = await world.member("admin")
    own = [await begun(world, title=f"s{number}") for number in range(3)]
    others = await begun(world, admin)
    elsewhere = world.token("olga", project=world.lab)
    lab = await begun(world, elsewhere)

    async def listed(token: str, **how: Any) -> tuple[list[str], int]:
        found = await door(list_chat_sessions, token, **how)
        return [one["session_id"] for one in found["items"]], found["total"]

    assert await listed(world.owner) == (own[::-1], 3)
    assert await listed(world.owner, page=2, limit=2) == (own[:1], 3)
    assert await listed(admin) == ([others], 1)
    assert await listed(elsewhere) == ([lab], 1)
    assert await listed(world.foreign_owner) == ([], 0)
    assert await listed(await world.member("viewer")) == ([], 0)
    for wrong in ({"page": 0}, {"limit": 0}, {"limit": 101}):
        assert await door(list_chat_sessions, world.owner, **wrong) == "INVALID_PARAMETER"


async def test_another_users_session_is_forbidden_and_a_strangers_is_not_there(world: World, door: Door) -> None:
    own = await begun(world, title="Mine alone")
    calls: list[tuple[Any, dict[str, Any]]] = [
        (get_chat_session, {}),
        (update_chat_session, {"changes": renamed("theirs")}),
        (delete_chat_session, {}),
        (create_turn, {"turn": TurnCreate(message="m")}),
        (list_turns, {}),
    ]
    admin = await world.member("admin")
    lab = world.token("olga", project=world.lab)
    before = await world.dump()
    for op, how in calls:
        refused = await door(op, admin, session_id=own, **how)
        assert (refused.code, refused.status) == ("FORBIDDEN", 403)
        assert "Mine alone" not in refused.message
        for token in (world.foreign_owner, lab):
            expected = Refused("RESOURCE_NOT_FOUND", 404, {"resource_type": "chat_session", "resource_id": own})
            assert await door(op, token, session_id=own, **how) == expected
        assert await door(op, world.owner, session_id=str(uuid4()), **how) == "RESOURCE_NOT_FOUND"
        malformed = await door(op, world.owner, session_id="x", **how)
        assert malformed.status == 400
    assert await world.dump() == before


async def test_a_viewer_may_look_but_not_chat(world: World, door: Door) -> None:
    viewer, operator = await world.member("viewer"), await world.member("operator")
    assert await door(create_chat_session, viewer) == "FORBIDDEN"
    assert (await door(create_chat_session, operator))["title"] is None
    own = await begun(world, operator)
    await world.grant("operator-of-project", "viewer", "project", world.shop)
    assert (await door(get_chat_session, operator, session_id=own))["session_id"] == own


async def test_a_deleted_session_takes_everything_with_it(world: World, door: Door) -> None:
    own, kept = await begun(world), await begun(world)
    turn = await asked(world, own)
    await asked(world, kept)
    await world.jobs.settle()
    answer = await door(delete_chat_session, world.owner, session_id=own)
    assert door.last is not None
    assert answer == ({} if door.name == "rest" else {"message": "The chat session was deleted."})
    assert door.last.status_code == 200
    assert await door(get_chat_session, world.owner, session_id=own) == "RESOURCE_NOT_FOUND"
    assert await door(get_turn, world.owner, session_id=own, turn_id=turn["turn_id"]) == "RESOURCE_NOT_FOUND"
    assert await door(delete_chat_session, world.owner, session_id=own) == "RESOURCE_NOT_FOUND"
    assert (await door(list_chat_sessions, world.owner))["total"] == 1
    rows = await world.dump()
    for table, left in (("chat_sessions", 1), ("turns", 1), ("turn_messages", 2), ("turn_artifacts", 1)):
        assert len(rows[table]) == left, table
    assert own not in str(rows)


async def test_deleting_a_session_cancels_the_answer_that_is_being_worked_on(
    world: World, door: Door, engine: ScriptedEngine
) -> None:
    engine.gate(2)
    own = await begun(world)
    await asked(world, own)
    while not engine.held:
        await world.request("GET", "/talk2data/chat/sessions", token=world.owner)
    assert not isinstance(await door(delete_chat_session, world.owner, session_id=own), Refused)
    await world.jobs.settle()
    assert engine.broken_off == 1
    assert [name for name, rows in (await world.dump()).items() if name.startswith("turn") and rows] == []


async def test_ten_sessions_with_their_turns_and_artifacts_cost_as_many_statements_as_one(
    world: World, statements: list[str]
) -> None:
    query = """query($limit: Int!) { chatSessions(limit: $limit) { items { sessionId turns {
        turnId state messages { content } taskUpdates { state } artifacts { resourceUri } } } } }"""
    for _ in range(10):
        own = await begun(world)
        await asked(world, own)
        await world.jobs.settle()
        await asked(world, own)
        await world.jobs.settle()
    counts = []
    for limit in (1, 1, 10):
        del statements[:]
        answer = await world.request(
            "POST", "/graphql", token=world.owner, json={"query": query, "variables": {"limit": limit}}
        )
        counts.append(len([one for one in statements if one.lstrip().upper().startswith("SELECT")]))
        items = answer.json()["data"]["chatSessions"]["items"]
        assert len(items) == limit
        for item in items:
            assert [turn["state"] for turn in item["turns"]] == ["COMPLETED"] * 2
            for turn in item["turns"]:
                assert [message["content"] for message in turn["messages"]][1] == "There are 3 orders."
                assert len(turn["taskUpdates"]) == 4
                assert turn["artifacts"] == [{"resourceUri": "artifact:acme:shop:orders"}]
    assert counts[1] == counts[2]
