"""What ratings and corrections lead to: exemplars for a steward to validate, and notes for him to close."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from resolvers.talk2data.answer_notes import get_answer_note, list_answer_notes, update_answer_note
from resolvers.talk2data.answering.learning import PACK, correct_turn
from resolvers.talk2data.feedback import submit_turn_feedback
from resolvers.talk2data.sessions import delete_chat_session
from resolvers.utils.context_packs import list_context_packs, update_context_pack
from resolvers.utils.memories import get_memory, list_memories, validate_memory
from schema.talk2data.answer_note import AnswerNoteChange, TurnCorrection
from schema.talk2data.feedback import TurnFeedbackCreate
from schema.utils.context_pack import ContextPackUpdate
from schema.utils.memory import MemoryType, MemoryValidation
from tests.doors import Door, Refused, RestDoor
from tests.support.ingestion import Bench
from tests.talk2data.asking import Answered, ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.talk2data.test_answer_policies import remembered
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

QUESTION = "How many customers are in Bonn?"
SQL = "select count(*) as customers from customers where city = 'Bonn'"


@pytest.fixture
async def answer(world: World, shop: Bench, drafter: ScriptedDrafter) -> Answered:
    """A question that was answered."""
    drafter.script[QUESTION] = draft(SQL)
    return await ask(world, QUESTION)


async def rate(world: World, door: Door, answer: Answered, rating: str, comment: str | None = None) -> Any:
    """Rate an answer."""
    given = TurnFeedbackCreate.model_validate({"rating": rating, "comment": comment})
    turn = {name: answer.turn[name] for name in ("session_id", "turn_id")}
    return await door(submit_turn_feedback, world.owner, **turn, feedback=given)


async def learned(world: World, door: Door) -> list[dict[str, Any]]:
    """The exemplars that stand."""
    found = await door(list_memories, world.owner, memory_type=MemoryType.EXEMPLAR)
    items: list[dict[str, Any]] = found["items"]
    return items


async def noted(world: World, door: Door) -> list[dict[str, Any]]:
    """The notes that stand."""
    items: list[dict[str, Any]] = (await door(list_answer_notes, world.owner))["items"]
    return items


async def test_a_good_answer_is_offered_as_an_exemplar_once(world: World, door: Door, answer: Answered) -> None:
    assert (await learned(world, door), await noted(world, door)) == ([], [])
    for _ in range(2):
        await rate(world, door, answer, "thumbs_up")
    (one,) = await learned(world, door)
    assert one["content"] == {"type": "exemplar", "question": QUESTION, "sql": SQL, "dialect": "postgres"}
    assert (one["name"], one["quality"]["validation_status"]) == (QUESTION, "unvalidated")
    assert one["source"]["conversation_id"] == answer.turn["session_id"]
    assert one["asset_fqn"].endswith(".sales.customers")
    (pack,) = (await door(list_context_packs, world.owner))["items"]
    assert (pack["name"], pack["id"]) == (PACK, one["context_pack_id"])
    assert await noted(world, door) == []


async def test_who_thinks_again_takes_back_what_no_steward_has_validated(
    world: World, door: Door, answer: Answered
) -> None:
    await rate(world, door, answer, "thumbs_up")
    await rate(world, door, answer, "thumbs_down")
    assert await learned(world, door) == []
    assert await noted(world, door) == [], "a thumbs-down without a comment opens no note"
    await rate(world, door, answer, "thumbs_up")
    (one,) = await learned(world, door)
    found = MemoryValidation.model_validate({"validation_status": "validated"})
    await door(validate_memory, world.owner, memory_id=one["id"], validation=found)
    await rate(world, door, answer, "thumbs_down")
    assert [one["quality"]["validation_status"] for one in await learned(world, door)] == ["validated"]


async def test_nothing_is_learned_into_a_pack_that_was_archived(world: World, door: Door, answer: Answered) -> None:
    await rate(world, door, answer, "thumbs_up")
    await rate(world, door, answer, "thumbs_down")
    (pack,) = (await door(list_context_packs, world.owner))["items"]
    changes = ContextPackUpdate.model_validate({"status": "archived"})
    await door(update_context_pack, world.owner, pack_id=pack["id"], changes=changes)
    await rate(world, door, answer, "thumbs_up")
    assert await learned(world, door) == []
    assert await correct(world, door, answer, sql=SQL) == (422, "sql")


async def test_a_bad_answer_with_a_comment_opens_a_note(world: World, door: Door, answer: Answered) -> None:
    await rate(world, door, answer, "thumbs_down", "Wrong city.")
    (note,) = await noted(world, door)
    told = {name: note[name] for name in ("turn_id", "question", "sql", "comment", "status", "created_by")}
    assert told == {
        "turn_id": answer.turn["turn_id"],
        "question": QUESTION,
        "sql": SQL,
        "comment": "Wrong city.",
        "status": "open",
        "created_by": "olga",
    }
    assert await door(get_answer_note, world.owner, note_id=note["id"]) == note
    closed = await door(
        update_answer_note,
        world.owner,
        note_id=note["id"],
        changes=AnswerNoteChange.model_validate({"status": "resolved", "resolution": "A glossary term was added."}),
    )
    assert (closed["status"], closed["closed_by"]) == ("resolved", "olga")
    assert closed["resolution"] == "A glossary term was added."
    assert closed["closed_at"] is not None

    await rate(world, door, answer, "thumbs_down", "Wrong city.")
    assert await noted(world, door) == [closed], "the same comment again changes nothing"
    await rate(world, door, answer, "thumbs_down", "Still the wrong city.")
    (again,) = await noted(world, door)
    assert (again["id"], again["status"], again["comment"]) == (note["id"], "open", "Still the wrong city.")
    assert (again["closed_by"], again["resolution"]) == (None, None)
    found = await door(list_answer_notes, world.owner, status="dismissed")
    assert found["items"] == []
    await rate(world, door, answer, "thumbs_up")
    assert await noted(world, door) == [], "an open note goes when its asker thinks better of the answer"


async def test_a_note_is_gone_with_its_session(world: World, door: Door, answer: Answered) -> None:
    await rate(world, door, answer, "thumbs_down", "Wrong city.")
    await door(delete_chat_session, world.owner, session_id=answer.turn["session_id"])
    assert await noted(world, door) == []


async def test_a_note_is_set_back_to_open_without_its_resolution(world: World, door: Door, answer: Answered) -> None:
    await rate(world, door, answer, "thumbs_down", "Wrong city.")
    (note,) = await noted(world, door)
    for status in ("dismissed", "open"):
        changes = AnswerNoteChange.model_validate({"status": status, "resolution": "Nothing to do."})
        note = await door(update_answer_note, world.owner, note_id=note["id"], changes=changes)
    assert (note["status"], note["resolution"], note["closed_by"], note["closed_at"]) == ("open", None, None, None)
    missing = await door(get_answer_note, world.owner, note_id=str(uuid4()))
    assert isinstance(missing, Refused)
    assert missing.status == 404


async def test_notes_are_for_stewards_of_the_project(world: World, door: Door, answer: Answered) -> None:
    await rate(world, door, answer, "thumbs_down", "Wrong city.")
    (note,) = await noted(world, door)
    viewer = await world.member("viewer")
    for refused in (await door(list_answer_notes, viewer), await door(get_answer_note, viewer, note_id=note["id"])):
        assert isinstance(refused, Refused)
        assert refused.status == 403
    foreign = await door(get_answer_note, world.foreign_owner, note_id=note["id"])
    assert isinstance(foreign, Refused)
    assert foreign.status == 404


async def correct(world: World, door: Door, answer: Answered, **given: Any) -> Any:
    """Submit a correction; of a refusal its status and field."""
    turn = {name: answer.turn[name] for name in ("session_id", "turn_id")}
    made = await door(correct_turn, world.owner, **turn, correction=TurnCorrection.model_validate(given))
    return (made.status, made.details.get("field")) if isinstance(made, Refused) else made


async def test_a_corrected_query_becomes_an_exemplar(world: World, door: Door, answer: Answered) -> None:
    right = "select count(*) from customers where city in ('Bonn', 'Kiel')"
    made = await correct(world, door, answer, sql=right, question="How many customers are on the Rhine or the sea?")
    assert door.last is not None
    assert door.last.status_code == (201 if door.name == "rest" else 200)
    assert made["content"]["sql"] == right
    assert made["content"]["question"] == "How many customers are on the Rhine or the sea?"
    assert made["quality"]["validation_status"] == "unvalidated"
    again = await correct(world, door, answer, sql=right, question="How many customers are on the  Rhine or the sea?")
    assert again["id"] == made["id"]
    own = await correct(world, door, answer, sql=right)
    assert own["content"]["question"] == QUESTION


@pytest.mark.parametrize(
    "sql",
    [
        "select * from nowhere",
        "delete from customers",
        "select 1; select 2",
        "select pg_sleep(9) from customers",
        "what?",
    ],
)
async def test_a_correction_passes_the_guard_or_is_refused(
    world: World, door: Door, answer: Answered, sql: str
) -> None:
    before = await world.dump()
    assert await correct(world, door, answer, sql=sql) == (422, "sql")
    assert await learned(world, door) == []
    after = await world.dump()
    assert {name: rows for name, rows in after.items() if name != "idempotency_keys"} == {
        name: rows for name, rows in before.items() if name != "idempotency_keys"
    }


async def test_nobody_corrects_the_turn_of_somebody_else(world: World, door: Door, answer: Answered) -> None:
    other = await world.member("developer")
    turn = {name: answer.turn[name] for name in ("session_id", "turn_id")}
    refused = await door(correct_turn, other, **turn, correction=TurnCorrection(sql=SQL))
    assert isinstance(refused, Refused)
    assert refused.status == 403


async def test_a_rating_counts_once_with_the_memories_that_the_answer_used(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    used, idle = [
        await remembered(world, {"type": "text", "text": text}, MemoryType.FACT, pack=text)
        for text in ("a city is a town", "credit is in euros")
    ]
    drafter.script[QUESTION] = draft(SQL, memories=(used["id"],))
    answer = await ask(world, QUESTION)
    for rating, counts in (
        ("thumbs_down", (0, 1, 0.0)),
        ("thumbs_down", (0, 1, 0.0)),
        ("thumbs_up", (1, 0, 1.0)),
        ("thumbs_up", (1, 0, 1.0)),
        ("thumbs_down", (0, 1, 0.0)),
    ):
        await rate(world, door, answer, rating)
        found = await door(get_memory, world.owner, memory_id=used["id"])
        access = found["access"]
        assert (access["success_count"], access["failure_count"], access["success_rate"]) == counts
        assert (found["version"], found["updated_at"]) == (used["version"], used["updated_at"])
    untouched = (await door(get_memory, world.owner, memory_id=idle["id"]))["access"]
    assert (untouched["success_count"], untouched["failure_count"]) == (0, 0)


async def test_ratings_that_race_are_counted_as_the_one_that_stands(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    used = await remembered(world, {"type": "text", "text": "a city is a town"}, MemoryType.FACT)
    drafter.script[QUESTION] = draft(SQL, memories=(used["id"],))
    answer = await ask(world, QUESTION)
    path = f"/talk2data/chat/sessions/{answer.turn['session_id']}/turns/{answer.turn['turn_id']}"
    ratings = ["thumbs_up", "thumbs_down"] * 3
    sent = await asyncio.gather(
        *(world.request("POST", f"{path}/feedback", token=world.owner, json={"rating": one}) for one in ratings)
    )
    assert {one.status_code for one in sent} <= {200, 201}
    kept = (await world.request("GET", path, token=world.owner)).json()["feedback"]["rating"]
    access = (await world.request("GET", f"/utils/memories/{used['id']}", token=world.owner)).json()["access"]
    up = kept == "thumbs_up"
    assert (access["success_count"], access["failure_count"]) == (int(up), int(not up))


async def test_an_answer_that_follows_an_example_says_once_whether_anybody_checked_it(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    content = {"type": "exemplar", "question": QUESTION, "sql": SQL, "dialect": "postgres"}
    example = await remembered(world, content, MemoryType.EXEMPLAR)
    reading = f"Answered as people answered the same question: “{QUESTION}”. Nobody has checked that answer yet."
    evidence = {"example": QUESTION}
    drafter.script[QUESTION] = draft(
        SQL, reading=reading, confidence=0.72, memories=(example["id"],), evidence=evidence
    )
    told = "This follows what was learned from “Rule”, which nobody has validated yet."
    got = await ask(world, QUESTION)
    assert (got.done["warnings"], got.done["verified"]) == ([told], False)
    assert got.text.endswith(told)
    assert got.text.lower().count("nobody") == 1
    assert "not sure" not in got.text
    found = MemoryValidation.model_validate({"validation_status": "validated"})
    await RestDoor(world.client)(validate_memory, world.owner, memory_id=example["id"], validation=found)
    drafter.script[QUESTION] = draft(SQL, confidence=0.97, memories=(example["id"],), evidence=evidence)
    got = await ask(world, QUESTION)
    assert got.done["warnings"] == []
    assert got.text.endswith("This is answered by a verified query, which a steward has validated: “Rule”.")
    assert got.done["verified"] is True
