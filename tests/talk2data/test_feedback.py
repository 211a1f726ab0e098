"""Feedback: one rating per turn, by its asker."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from resolvers.talk2data.feedback import submit_turn_feedback
from resolvers.talk2data.turns import get_turn
from schema.talk2data.feedback import TurnFeedbackCreate
from tests.doors import Door
from tests.support.chat import asked, begun
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

FIELDS = {"turn_id", "rating", "comment", "created_at", "updated_at"}


def rated(**given: Any) -> TurnFeedbackCreate:
    """A rating, as somebody would send it."""
    return TurnFeedbackCreate.model_construct(_fields_set=set(given), **given)


async def answered(world: World) -> dict[str, str]:
    """A turn that is over."""
    turn = await asked(world, await begun(world))
    await world.jobs.settle()
    return {"session_id": turn["session_id"], "turn_id": turn["turn_id"]}


async def test_a_turn_is_rated_and_rated_again(world: World, door: Door) -> None:
    turn = await answered(world)
    first = await door(
        submit_turn_feedback, world.owner, **turn, feedback=rated(rating="thumbs_down", comment="Wrong table.")
    )
    assert door.last is not None
    assert door.last.status_code == (201 if door.name == "rest" else 200)
    assert set(first) == FIELDS
    assert (first["turn_id"], first["rating"], first["comment"]) == (turn["turn_id"], "thumbs_down", "Wrong table.")
    assert first["created_at"] == first["updated_at"]
    assert (await door(get_turn, world.owner, **turn))["feedback"] == first

    second = await door(submit_turn_feedback, world.owner, **turn, feedback=rated(rating="thumbs_up"))
    assert door.last.status_code == 200
    assert (second["rating"], second["comment"]) == ("thumbs_up", None)
    assert second["created_at"] == first["created_at"] < second["updated_at"]
    assert (await door(get_turn, world.owner, **turn))["feedback"] == second
    assert await door(submit_turn_feedback, world.owner, **turn, feedback=rated(rating="thumbs_up")) == second


@pytest.mark.parametrize(
    ("given", "code", "status", "field"),
    [
        ({"rating": "thumbs_up", "comment": "c" * 2000}, None, 201, None),
        ({"rating": "thumbs_up", "comment": ""}, None, 201, None),
        ({"rating": "thumbs_up", "comment": "c" * 2001}, "VALIDATION_ERROR", 422, "comment"),
        ({"rating": "thumbs_up", "comment": "\x00"}, "VALIDATION_ERROR", 422, "comment"),
    ],
)
async def test_a_rating_is_bounded(
    world: World, door: Door, given: dict[str, Any], code: str | None, status: int, field: str | None
) -> None:
    turn = await answered(world)
    answer = await door(submit_turn_feedback, world.owner, **turn, feedback=rated(**given))
    if code is None:
        assert answer["comment"] == given["comment"]
        return
    assert answer == code
    assert (answer.status, answer.details["field"]) == (status, field)
    assert (await door(get_turn, world.owner, **turn))["feedback"] is None


async def test_only_the_two_ratings_are_taken(world: World) -> None:
    turn = await answered(world)
    path = f"/talk2data/chat/sessions/{turn['session_id']}/turns/{turn['turn_id']}/feedback"
    for body, status, code in (
        ({"rating": "meh"}, 422, "VALIDATION_ERROR"),
        ({"rating": 1}, 400, "INVALID_FORMAT"),
        ({}, 400, "MISSING_REQUIRED_FIELD"),
    ):
        refused = await world.request("POST", path, token=world.owner, json=body)
        assert (refused.status_code, refused.json()["error"]["code"]) in ((status, code), (422, "VALIDATION_ERROR"))
        assert refused.json()["error"]["details"]["field"] == "rating"


async def test_a_turn_is_rated_by_its_asker_alone(world: World, door: Door) -> None:
    turn = await answered(world)
    admin, viewer = await world.member("admin"), await world.member("viewer")
    before = await world.dump()
    feedback = rated(rating="thumbs_up")
    for token, where, code in (
        (admin, turn, "FORBIDDEN"),
        (viewer, turn, "FORBIDDEN"),
        (world.foreign_owner, turn, "RESOURCE_NOT_FOUND"),
        (world.owner, turn | {"turn_id": str(uuid4())}, "RESOURCE_NOT_FOUND"),
        (world.owner, turn | {"session_id": str(uuid4())}, "RESOURCE_NOT_FOUND"),
    ):
        assert await door(submit_turn_feedback, token, **where, feedback=feedback) == code
    assert await world.dump() == before


async def test_first_ratings_that_race_leave_one(world: World) -> None:
    turn = await answered(world)
    path = f"/talk2data/chat/sessions/{turn['session_id']}/turns/{turn['turn_id']}/feedback"
    answers = await asyncio.gather(
        *(world.request("POST", path, token=world.owner, json={"rating": "thumbs_up"}) for _ in range(8))
    )
    assert sorted(answer.status_code for answer in answers) == [200] * 7 + [201]
    assert len((await world.dump())["turn_feedback"]) == 1
