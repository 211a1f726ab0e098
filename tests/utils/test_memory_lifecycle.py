"""The life of a memory: every action in every state, against a table that is written down a second time."""

from datetime import timedelta
from typing import Any

import pytest

from resolvers.operation import Operation
from resolvers.utils.memories import (
    archive_memory,
    delete_memory,
    list_memories,
    pin_memory,
    reactivate_memory,
    supersede_memory,
    unpin_memory,
    update_memory,
    validate_memory,
)
from schema.utils.memory import MemorySupersession, MemoryValidation
from tests.doors import Door
from tests.utils.knowledge import make_memory, make_pack, memory_changes, read, said
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")]

NO, GONE = "VALIDATION_ERROR", "RESOURCE_NOT_FOUND"
EXPECTED: dict[str, dict[str, tuple[str, str | None] | str]] = {
    #             active                             archived                         superseded        deleted
    "update":     {"active": ("active", None),       "archived": ("archived", None)},
    "pin":        {"active": ("active", "pinned_at"), "archived": NO},
    "unpin":      {"active": ("active", "unpinned_at"), "archived": ("archived", "unpinned_at"),
                   "superseded": ("superseded", "unpinned_at")},
    "validate":   {"active": ("active", None),       "archived": NO},
    "archive":    {"active": ("archived", "archived_at"), "archived": NO},
    "reactivate": {"active": NO,                     "archived": ("active", "reactivated_at")},
    "supersede":  {"active": ("superseded", "superseded_at"), "archived": NO},
    "delete":     {"active": ("deleted", "deleted_at"), "archived": ("deleted", "deleted_at"),
                   "superseded": ("deleted", "deleted_at")},
}  # fmt: skip
STATES = ("active", "archived", "expired", "superseded", "deleted")
STAMPS = {
    "pinned_at", "unpinned_at", "archived_at", "deleted_at", "superseded_at", "reactivated_at", "created_at",
}  # fmt: skip


def replaced_by(text: str) -> MemorySupersession:
    """A replacement that says something else."""
    return MemorySupersession.model_construct(_fields_set={"replacement"}, replacement=said(content={"text": text}))


CALLS: dict[str, tuple[Operation[..., Any], dict[str, Any]]] = {
    "update": (update_memory, {"changes": memory_changes(name="changed")}),
    "pin": (pin_memory, {}),
    "unpin": (unpin_memory, {}),
    "validate": (validate_memory, {"validation": MemoryValidation.model_validate({"validation_status": "disputed"})}),
    "archive": (archive_memory, {}),
    "reactivate": (reactivate_memory, {}),
    "supersede": (
        supersede_memory,
        {"supersession": replaced_by("new")},
    ),
    "delete": (delete_memory, {}),
}  # fmt: skip


def expected_of(action: str, state: str) -> tuple[str, str | None] | str:
    """Return what the table says; an expired memory is an archived one."""
    if state == "deleted":
        return GONE
    return EXPECTED[action].get("archived" if state == "expired" else state, NO)


async def in_state(world: World, door: Door, state: str, *, pinned: bool) -> dict[str, Any]:
    """A memory in a state."""
    pack = await make_pack(world, door)
    soon = (world.clock() + timedelta(seconds=60)).isoformat()
    memory = await make_memory(world, door, pack, pinned=pinned, **({"expires_at": soon} if state == "expired" else {}))
    if state == "expired":
        world.clock.moment += timedelta(seconds=120)
    elif state != "active":
        action = {"archived": "archive", "superseded": "supersede", "deleted": "delete"}[state]
        op, arguments = CALLS[action]
        if state == "superseded":  # by something else than the call of the test would replace it by
            arguments = {"supersession": replaced_by("first")}
        done = await door(op, world.owner, memory_id=memory["id"], **arguments)
        assert isinstance(done, dict), done
    return memory


async def now(world: World, door: Door, pack_id: str, memory_id: str) -> dict[str, Any]:
    """The memory as lists show it, wherever it is; reading it by its id would count."""
    for status in ("active", "archived", "superseded", "deleted"):
        found = await door(list_memories, world.owner, context_pack_id=pack_id, status=status)
        for item in found["items"]:
            if item["id"] == memory_id:
                assert item["status"] == status
                shown: dict[str, Any] = item
                return shown
    raise AssertionError("it is in no list")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("action", EXPECTED)
async def test_every_action_in_every_state_does_what_the_table_says(
    world: World, door: Door, action: str, state: str
) -> None:
    memory = await in_state(world, door, state, pinned=action == "unpin")
    before = await now(world, door, memory["context_pack_id"], memory["id"])
    assert before["status"] == ("archived" if state == "expired" else state)
    rows = await world.dump()
    expected = expected_of(action, state)
    op, arguments = CALLS[action]
    answer = await door(op, world.owner, memory_id=memory["id"], **arguments)
    after = await now(world, door, memory["context_pack_id"], memory["id"])
    if isinstance(expected, str):
        assert answer == expected
        assert answer.status == (404 if expected == GONE else 422)
        assert (after, await world.dump()) == (before, rows)
        return
    status, stamp = expected
    assert after["status"] == status
    if action != "delete":
        assert answer == after
    changed = {name for name in STAMPS if after[name] != before[name]}
    assert changed == ({stamp} if stamp else set())
    assert after["updated_at"] > before["updated_at"]


async def test_a_refused_move_tells_what_is_possible(world: World, door: Door) -> None:
    memory = await in_state(world, door, "archived", pinned=False)
    refused = await door(pin_memory, world.owner, memory_id=memory["id"])
    assert refused.message == "A memory that is archived takes no pin; it takes update, unpin, reactivate, delete."
    assert refused.details["field"] == "status"


async def test_pinning_twice_changes_nothing_the_second_time(world: World, door: Door) -> None:
    memory = await in_state(world, door, "active", pinned=False)
    for op, pinned in ((pin_memory, True), (unpin_memory, False)):
        first = await door(op, world.owner, memory_id=memory["id"])
        assert first["pinned"] is pinned
        rows = await world.dump()
        assert await door(op, world.owner, memory_id=memory["id"]) == first
        assert await world.dump() == rows


async def test_an_expired_memory_is_archived_since_it_expired_and_comes_back(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    moment = world.clock() + timedelta(seconds=60)
    memory = await make_memory(world, door, pack, expires_at=moment.isoformat())
    assert (memory["status"], memory["archived_at"]) == ("active", None)
    world.clock.moment = moment - timedelta(seconds=1)
    assert (await door(list_memories, world.owner))["total"] == 1
    assert (await door(list_memories, world.owner, status="archived"))["total"] == 0
    world.clock.moment = moment
    shown = await read(world, door, memory)
    assert (shown["status"], shown["archived_at"]) == ("archived", memory["expires_at"])
    assert (await door(list_memories, world.owner))["total"] == 0
    assert [m["status"] for m in (await door(list_memories, world.owner, status="archived"))["items"]] == ["archived"]
    back = await door(reactivate_memory, world.owner, memory_id=memory["id"])
    assert (back["status"], back["expires_at"], back["archived_at"]) == ("active", None, memory["expires_at"])
    assert (await door(list_memories, world.owner))["total"] == 1


async def test_a_later_expiry_brings_an_expired_memory_back(world: World, door: Door) -> None:
    memory = await in_state(world, door, "expired", pinned=False)
    later = (world.clock() + timedelta(days=1)).isoformat()
    for value in (later, None):
        changed = await door(
            update_memory, world.owner, memory_id=memory["id"], changes=memory_changes(expires_at=value)
        )
        assert changed["status"] == "active"
    assert changed["expires_at"] is None


async def test_reactivating_keeps_an_expiry_that_is_to_come(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    memory = await make_memory(world, door, pack, expires_at=(world.clock() + timedelta(days=1)).isoformat())
    await door(archive_memory, world.owner, memory_id=memory["id"])
    back = await door(reactivate_memory, world.owner, memory_id=memory["id"])
    assert back["expires_at"] == memory["expires_at"]


# Supersession --------------------------------------------------------------------------------------------------------


def by(**given: Any) -> MemorySupersession:
    """Return what takes a memory's place, as somebody would send it."""
    return MemorySupersession.model_construct(_fields_set=set(given), **given)


async def test_a_replacement_and_the_replaced_name_each_other(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    chain = [await make_memory(world, door, pack)]
    for text in ("May", "June"):
        old = await door(
            supersede_memory,
            world.owner,
            memory_id=chain[-1]["id"],
            supersession=by(replacement=said(content={"text": text}, pinned=True)),
        )
        new = await read(world, door, {"id": old["superseded_by"]})
        assert (old["id"], old["status"]) == (chain[-1]["id"], "superseded")
        assert (new["supersedes"], new["status"], new["superseded_by"]) == (old["id"], "active", None)
        assert (new["content"], new["pinned"], new["context_pack_id"]) == ({"text": text}, True, pack["id"])
        chain.append(new)
    assert (await read(world, door, chain[1]))["supersedes"] == chain[0]["id"]
    assert [m["id"] for m in (await door(list_memories, world.owner))["items"]] == [chain[-1]["id"]]


async def test_a_memory_that_stands_can_take_the_place_of_another(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    old, new = [await make_memory(world, door, pack, content={"text": text}) for text in "ab"]
    done = await door(supersede_memory, world.owner, memory_id=old["id"], supersession=by(superseded_by=new["id"]))
    assert done["superseded_by"] == new["id"]
    assert (await read(world, door, new))["supersedes"] == old["id"]


async def test_a_chain_neither_forks_nor_closes_nor_leaves_its_pack(world: World, door: Door) -> None:
    pack, other = await make_pack(world, door), await make_pack(world, door, name="Other")
    a, b, c, archived = [await make_memory(world, door, pack, content={"text": text}) for text in "abcd"]
    elsewhere = await make_memory(world, door, other)
    await door(archive_memory, world.owner, memory_id=archived["id"])
    await door(supersede_memory, world.owner, memory_id=a["id"], supersession=by(superseded_by=b["id"]))
    rows = await world.dump()
    missing = "00000000-0000-4000-8000-000000000000"
    for memory, supersession, code, field in (
        (b, by(superseded_by=b["id"]), NO, "superseded_by"),  # itself
        (b, by(superseded_by=a["id"]), NO, "superseded_by"),  # a ring
        (b, by(replacement=said(content={"text": "a"})), NO, "replacement"),  # a ring by content
        (b, by(replacement=said(content={"text": "b"})), NO, "replacement"),  # itself by content
        (c, by(superseded_by=b["id"]), NO, "superseded_by"),  # b replaces a already
        (a, by(superseded_by=c["id"]), NO, "status"),  # a is replaced already
        (c, by(superseded_by=archived["id"]), NO, "superseded_by"),
        (c, by(superseded_by=elsewhere["id"]), NO, "superseded_by"),
        (c, by(superseded_by=missing), GONE, None),
        (c, by(), "MISSING_REQUIRED_FIELD", "superseded_by"),
        (c, by(superseded_by=b["id"], replacement=said()), "MISSING_REQUIRED_FIELD", "superseded_by"),
        (c, by(replacement=said(content={"text": "e"}, expires_at="2020-01-01T00:00:00Z")), NO, "expires_at"),
    ):  # fmt: skip
        refused = await door(supersede_memory, world.owner, memory_id=memory["id"], supersession=supersession)
        assert refused == code, supersession
        assert refused.details.get("field") == field
    assert await world.dump() == rows


# Validation ----------------------------------------------------------------------------------------------------------


async def test_who_checked_a_memory_and_what_he_found_is_kept(world: World, door: Door) -> None:
    memory = await make_memory(world, door, await make_pack(world, door))
    for sent, expected in (
        ({"validation_status": "validated", "confidence_score": 0.75}, ("validated", 0.75, "olga")),
        ({"validation_status": "disputed"}, ("disputed", 0.75, "olga")),
        ({"validation_status": "disputed", "confidence_score": None}, ("disputed", None, "olga")),
        ({"validation_status": "validated", "confidence_score": 1}, ("validated", 1, "olga")),
        ({"validation_status": "unvalidated"}, ("unvalidated", None, None)),
        ({"validation_status": "unvalidated", "confidence_score": 0}, ("unvalidated", 0, None)),
    ):
        done = await door(
            validate_memory, world.owner, memory_id=memory["id"], validation=MemoryValidation.model_validate(sent)
        )
        quality = done["quality"]
        assert (quality["validation_status"], quality["confidence_score"], quality["validated_by"]) == expected
        assert (quality["validated_at"] is None) == (expected[2] is None)
        found = await door(list_memories, world.owner, validation_status=expected[0])
        assert found["total"] == 1
    for score in (-0.01, 1.01):
        wrong = MemoryValidation.model_construct(
            _fields_set={"validation_status", "confidence_score"}, validation_status="validated", confidence_score=score
        )
        assert await door(validate_memory, world.owner, memory_id=memory["id"], validation=wrong) == NO
