"""Turns: what is asked, what comes of it, and how it reads afterwards."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from persistence.jobs.port import JobError
from resolvers.talk2data.answering.port import AnswerEvent
from resolvers.talk2data.answering.turn_execution import LARGEST_EVENT
from resolvers.talk2data.sessions import create_chat_session, get_chat_session
from resolvers.talk2data.turns import create_turn, get_turn, list_turn_artifacts, list_turns
from schema.talk2data.turn import TurnContext, TurnCreate
from tests.doors import Door, Refused
from tests.support.chat import ANSWER, KINDS, E, ScriptedEngine, asked, begun, streamed, turn_of
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

TURN = {"turn_id", "state", "messages", "feedback", "task_updates"}
MESSAGE = {
    "message_id", "turn_id", "role", "content", "message_type", "task_id", "created_at", "generated_artifacts",
    "context",
}  # fmt: skip
UPDATE = {"id", "turn_id", "task_id", "state", "final", "message", "data", "agent", "created_at"}


def question(**given: Any) -> TurnCreate:
    """A question as somebody would send it."""
    values = {"message": "How many orders?"} | given
    values = {name: value for name, value in values.items() if value is not ...}
    return TurnCreate.model_construct(_fields_set=set(values), **values)


async def session(world: World, door: Door) -> str:
    """A session of the owner's."""
    made = await door(create_chat_session, world.owner)
    return str(made["session_id"])


async def test_a_question_is_answered_and_kept_with_everything_that_came_of_it(world: World, door: Door) -> None:
    own = await session(world, door)
    context = TurnContext(datasources=["data:acme:shop:orders"], artifacts=["a"], attachments=["b"])
    started = await door(create_turn, world.owner, session_id=own, turn=question(context=context))
    assert set(started) == {"session_id", "turn_id", "task_id", "state"}
    assert (started["session_id"], started["state"]) == (own, "created")
    assert UUID(started["turn_id"]) != UUID(started["task_id"])
    await world.jobs.settle()

    turn = await door(get_turn, world.owner, session_id=own, turn_id=started["turn_id"])
    assert set(turn) == TURN
    assert (turn["turn_id"], turn["state"], turn["feedback"]) == (started["turn_id"], "completed", None)
    asked_, answered = turn["messages"]
    assert set(asked_) == set(answered) == MESSAGE
    told = {"turn_id": started["turn_id"], "task_id": started["task_id"], "message_type": "text"}
    assert told.items() <= asked_.items()
    assert told.items() <= answered.items()
    assert (asked_["role"], asked_["content"], asked_["generated_artifacts"]) == ("user", "How many orders?", [])
    assert asked_["context"] == {
        "datasources": ["data:acme:shop:orders"],
        "artifacts": ["a"],
        "attachments": ["b"],
    }
    assert (answered["role"], answered["content"]) == ("assistant", "There are 3 orders.")
    assert (answered["generated_artifacts"], answered["context"]) == (["artifact:acme:shop:orders"], None)
    updates = turn["task_updates"]
    assert all(set(update) == UPDATE for update in updates)
    assert len({update["id"] for update in updates}) == 4
    assert [(u["state"], u["final"], u["message"], u["agent"]) for u in updates] == [
        ("submitted", False, None, None),
        ("working", False, None, None),
        ("working", False, "Looking for tables.", "scripted"),
        ("completed", True, "Answered.", None),
    ]
    assert {update["task_id"] for update in updates} == {started["task_id"]}
    read = await door(get_chat_session, world.owner, session_id=own)
    assert (read["turn_count"], read["message_count"], read["artifact_count"]) == (1, 2, 1)
    assert read["updated_at"] > read["created_at"]

    artifacts = await door(list_turn_artifacts, world.owner, session_id=own, turn_id=started["turn_id"])
    (artifact,) = artifacts["items"]
    assert artifact.pop("created_at") == answered["created_at"] or artifact
    assert artifacts["total"] == 1
    assert {name: artifact[name] for name in artifact if name != "created_at"} == {
        "resource_uri": "artifact:acme:shop:orders",
        "artifact_type": "parquet",
        "artifact_title": "Orders",
        "artifact_description": None,
        "metadata": {"rows": 3},
    }


async def test_the_engine_is_asked_with_the_context_and_the_messages_before(
    world: World, engine: ScriptedEngine
) -> None:
    own = await begun(world)
    first = await asked(world, own, "How many orders?", context={"datasources": ["d"]})
    await world.jobs.settle()
    second = await asked(world, own, "And by month?")
    await world.jobs.settle()
    one, two = engine.questions
    assert (one.session_id, one.turn_id, one.task_id) == (own, first["turn_id"], first["task_id"])
    assert (one.message, list(one.history)) == ("How many orders?", [])
    assert one.context == {"datasources": ["d"], "artifacts": [], "attachments": []}
    assert (two.message, two.context, two.turn_id) == ("And by month?", None, second["turn_id"])
    assert [(m.role, m.content) for m in two.history] == [
        ("user", "How many orders?"),
        ("assistant", "There are 3 orders."),
    ]
    assert engine.told == [[], []]


async def test_turns_are_listed_in_the_order_that_was_asked_for(world: World, door: Door) -> None:
    own = await session(world, door)
    made = []
    for number in range(3):
        made.append((await asked(world, own, f"Question {number}"))["turn_id"])
        await world.jobs.settle()

    async def listed(**how: Any) -> list[str]:
        found = await door(list_turns, world.owner, session_id=own, **how)
        assert found["total"] == 3
        return [turn["turn_id"] for turn in found["items"]]

    assert await listed() == await listed(order="asc") == made
    assert await listed(order="desc") == made[::-1]
    assert await listed(page=2, limit=2) == made[2:]
    assert await listed(page=3, limit=2) == []
    found = await door(list_turns, world.owner, session_id=own, limit=1)
    assert found["items"][0] == await door(get_turn, world.owner, session_id=own, turn_id=made[0])
    for wrong in ({"page": 0}, {"limit": 0}, {"limit": 101}):
        assert await door(list_turns, world.owner, session_id=own, **wrong) == "INVALID_PARAMETER"
    refused = await door(list_turns, world.owner, session_id=own, order="newest")
    assert refused.status == 400


@pytest.mark.parametrize(
    ("given", "code", "status", "field"),
    [
        ({"message": "m" * 10_000}, None, 201, None),
        ({"message": "m"}, None, 201, None),
        ({"message": "m" * 10_001}, "VALIDATION_ERROR", 422, "message"),
        ({"message": ""}, "VALIDATION_ERROR", 422, "message"),
        ({"message": " \n\t"}, "VALIDATION_ERROR", 422, "message"),
        ({"message": "a\x00b"}, "VALIDATION_ERROR", 422, "message"),
        ({"context": {"datasources": ["d"] * 50}}, None, 201, None),
        ({"context": {"datasources": ["d"] * 51}}, "VALIDATION_ERROR", 422, "context.datasources"),
        ({"context": {"artifacts": ["d"] * 51}}, "VALIDATION_ERROR", 422, "context.artifacts"),
        ({"context": {"attachments": ["d" * 800]}}, None, 201, None),
        ({"context": {"attachments": ["d" * 801]}}, "VALIDATION_ERROR", 422, "context.attachments.0"),
        ({"context": {"attachments": [""]}}, "VALIDATION_ERROR", 422, "context.attachments.0"),
    ],
)
async def test_a_question_is_bounded(
    world: World, door: Door, given: dict[str, Any], code: str | None, status: int, field: str | None
) -> None:
    own = await session(world, door)
    answer = await door(create_turn, world.owner, session_id=own, turn=question(**given))
    if code is None:
        assert answer["state"] == "created"
        await world.jobs.settle()
        return
    assert answer == code
    assert (answer.status, answer.details["field"]) == (status, field)
    read = await door(get_chat_session, world.owner, session_id=own)
    assert (read["turn_count"], read["message_count"]) == (0, 0)


async def test_a_question_without_its_message_or_with_unknown_words_is_malformed(world: World) -> None:
    path = f"/talk2data/chat/sessions/{await begun(world)}/turns"
    for body, code in (
        ({}, "MISSING_REQUIRED_FIELD"),
        ({"message": 1}, "INVALID_FORMAT"),
        ({"message": "m", "context": []}, "INVALID_FORMAT"),
        ({"message": "m", "extra": 1}, "VALIDATION_ERROR"),
    ):
        refused = await world.request("POST", path, token=world.owner, json=body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, code)


async def test_a_session_answers_one_question_at_a_time(world: World, door: Door, engine: ScriptedEngine) -> None:
    gate = engine.gate(2)
    own, other = await session(world, door), await session(world, door)
    first = await door(create_turn, world.owner, session_id=own, turn=question())
    refused = await door(create_turn, world.owner, session_id=own, turn=question())
    assert refused == "VALIDATION_ERROR"
    assert refused.status == 422
    assert refused.details["task_id"] == first["task_id"]
    assert (await door(get_chat_session, world.owner, session_id=own))["turn_count"] == 1
    elsewhere = await door(create_turn, world.owner, session_id=other, turn=question())
    assert elsewhere["state"] == "created"
    gate.set()
    await world.jobs.settle()
    assert (await door(create_turn, world.owner, session_id=own, turn=question()))["state"] == "created"
    await world.jobs.settle()


async def test_a_turn_of_another_session_is_not_there(world: World, door: Door) -> None:
    one, other = await session(world, door), await session(world, door)
    turn = await asked(world, one)
    await world.jobs.settle()
    for op in (get_turn, list_turn_artifacts):
        refused = await door(op, world.owner, session_id=other, turn_id=turn["turn_id"])
        assert refused == Refused("RESOURCE_NOT_FOUND", 404, {"resource_type": "turn", "resource_id": turn["turn_id"]})
        unknown = await door(op, world.owner, session_id=one, turn_id=str(uuid4()))
        assert unknown == "RESOURCE_NOT_FOUND"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ([JobError("The source could not be read.")], "The source could not be read."),
        ([ANSWER[1], RuntimeError("secret")], "The work failed unexpectedly (RuntimeError)."),
        ([ANSWER[1], AnswerEvent(E.ERROR, {"message": "I cannot tell."})], "I cannot tell."),
        ([AnswerEvent(E.MESSAGE_DELTA, {"delta": 1})], "a piece of text that is none"),
        ([AnswerEvent(E.RESULT, {"x": "a\x00"})], "held a result that cannot be stored"),
        ([AnswerEvent(E.SQL, {"x": object()})], "held a sql that cannot be stored"),
        ([AnswerEvent(E.RESULT, {"x": "y" * LARGEST_EVENT})], "more than 262144 bytes"),
        ([AnswerEvent(E.ARTIFACT, {"artifact_type": "chart"})], "an artifact without the fields of one"),
        ([AnswerEvent(E.ARTIFACT, {"resource_uri": "u" * 801, "artifact_type": "x"})], "fields are too long"),
    ],
)
async def test_whatever_goes_wrong_in_an_answer_fails_its_turn_with_a_sentence(
    world: World, engine: ScriptedEngine, script: list[Any], message: str
) -> None:
    engine.script = script
    turn = await asked(world, await begun(world))
    events = await streamed(world, turn)
    assert [event["final"] for event in events] == [False] * (len(events) - 1) + [True]
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert (events[-1]["event"], events[-1]["data"]["state"]) == ("error", "failed")
    assert message in events[-1]["data"]["message"]
    assert "secret" not in str(events)
    read = await turn_of(world, turn)
    assert read["state"] == "failed"
    last = read["task_updates"][-1]
    assert (last["state"], last["final"], last["message"]) == ("failed", True, events[-1]["data"]["message"])
    assert [m["content"] for m in read["messages"][1:]] == (["There are "] if script[0] is ANSWER[1] else [])


async def test_an_engine_that_just_ends_has_answered(world: World, engine: ScriptedEngine) -> None:
    engine.script = ANSWER[:5]
    turn = await asked(world, await begun(world))
    events = await streamed(world, turn)
    assert [event["event"] for event in events] == [*KINDS[:7], "task_update", "done"]
    assert events[-1]["data"] == {"state": "completed", "message": None}


async def test_what_comes_after_the_end_is_not_told(world: World, engine: ScriptedEngine) -> None:
    engine.script = [*ANSWER, ANSWER[1], ANSWER[-1]]
    events = await streamed(world, await asked(world, await begun(world)))
    assert [event["event"] for event in events] == KINDS
    assert sum(event["final"] for event in events) == 1


async def test_a_question_whose_asker_lost_his_role_is_not_answered(world: World, engine: ScriptedEngine) -> None:
    operator = await world.member("operator")
    own = await begun(world, operator)
    world.jobs._started = False  # nothing begins until the role is gone
    turn = await asked(world, own, token=operator)
    from auth.relations import RelationTuple

    tuples = [RelationTuple("user:operator-of-project", "operator", f"project:{world.shop}")]
    await world.app.parts.services.relations.write("acme", deletes=tuples)
    await world.grant("operator-of-project", "viewer", "project", world.shop)
    await world.jobs.start()
    await world.jobs.settle()
    read = await turn_of(world, turn, operator)
    assert read["state"] == "failed"
    assert "can_execute" in read["task_updates"][-1]["message"]
    assert engine.questions == []
