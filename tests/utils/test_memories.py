"""Memories: every field and bound, the same content kept once, what reading counts, and the lists."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from resolvers.utils.memories import create_memory, delete_memory, get_memory, list_memories, update_memory
from tests.doors import Door, revision_of
from tests.utils.knowledge import make_memory, make_pack, memory_changes, memory_of, read
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")]

FIELDS = {
    "id", "name", "organization_id", "project_id", "context_pack_id", "version", "content", "memory_type", "source",
    "classification", "meta_data", "quality", "access", "status", "pinned", "created_at", "updated_at", "asset_fqn",
    "content_url", "search_text", "superseded_by", "supersedes", "pinned_at", "unpinned_at", "archived_at",
    "deleted_at", "superseded_at", "reactivated_at", "expires_at",
}  # fmt: skip
TYPES = [
    "fact", "experience", "observation", "instruction", "preference", "summary", "glossary", "ontology",
    "textual_pattern", "kpi", "exemplar", "join", "numeric_pattern", "policy",
]  # fmt: skip
CONTENT = {"type": "text", "text": "It starts in April."}


async def test_a_new_memory_has_every_documented_field_and_default(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    made = await make_memory(world, door, pack)
    assert set(made) == FIELDS
    assert (made["name"], made["content"], made["memory_type"]) == ("Fiscal year", CONTENT, "fact")
    assert (made["organization_id"], made["project_id"], made["context_pack_id"]) == ("acme", world.shop, pack["id"])
    assert (made["version"], made["status"], made["pinned"]) == (1, "active", False)
    assert made["source"] == {
        "type": None, "conversation_id": None, "turn_index": None, "actor": None, "confidence": 0.5,
        "document_url": None,
    }  # fmt: skip
    assert made["classification"] == {"domain": None, "priority": "normal", "tags": [], "sensitivity": None}
    assert made["quality"] == {
        "validation_status": "unvalidated", "confidence_score": None, "validated_by": None, "validated_at": None,
    }  # fmt: skip
    assert made["access"] == {
        "count": 0, "last_accessed": None, "success_count": 0, "failure_count": 0, "success_rate": None,
    }  # fmt: skip
    assert (made["meta_data"], made["search_text"]) == ({}, "It starts in April.")
    assert made["created_at"] == made["updated_at"]
    nothing = FIELDS - {
        "id", "name", "organization_id", "project_id", "context_pack_id", "version", "content", "memory_type",
        "source", "classification", "meta_data", "quality", "access", "status", "pinned", "created_at", "updated_at",
        "search_text",
    }  # fmt: skip
    assert {name: made[name] for name in nothing} == dict.fromkeys(nothing)
    if door.name == "rest":
        assert door.last is not None
        assert door.last.status_code == 201
    plain = {name: value for name, value in made.items() if name != "access"}
    assert await read(world, door, made) == plain


async def test_everything_that_is_sent_is_kept(world: World, door: Door) -> None:
    given = {
        "name": "n",
        "content": {"b": [1, {"c": None}], "a": "words"},
        "memory_type": "join",
        "source": {
            "type": "chat", "conversation_id": "c", "turn_index": 0, "actor": "u", "confidence": 1,
            "document_url": "https://x.test/d",
        },
        "classification": {"domain": "sales", "priority": "high", "tags": ["a", "b"], "sensitivity": "internal"},
        "meta_data": {"m": 1},
        "asset_fqn": "svc.db.public.orders",
        "content_url": "https://x.test/c",
        "search_text": "find me",
        "pinned": True,
    }  # fmt: skip
    moment = world.clock() + timedelta(days=1)
    made = await make_memory(world, door, await make_pack(world, door), **given, expires_at=moment.isoformat())
    assert {name: made[name] for name in given} == given
    assert made["pinned_at"] == made["created_at"]
    assert made["expires_at"].rstrip("Z")[:19] == moment.isoformat()[:19]


async def test_a_moment_comes_back_in_utc_from_every_answer(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    made = await make_memory(world, door, pack, expires_at="2999-01-01T09:30:00+05:30")
    read = await door(get_memory, world.owner, memory_id=made["id"])
    assert made["expires_at"] == read["expires_at"] == "2999-01-01T04:00:00Z"
    later = await door(
        update_memory, world.owner, memory_id=made["id"], changes=memory_changes(expires_at="2999-01-02T00:00:00-01:00")
    )
    read = await door(get_memory, world.owner, memory_id=made["id"])
    assert later["expires_at"] == read["expires_at"] == "2999-01-02T01:00:00Z"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"name": "x" * 255}, None),
        ({"name": "x" * 256}, "VALIDATION_ERROR"),
        ({"name": ""}, "VALIDATION_ERROR"),
        ({"content": {"a": "x" * (65_536 - 8)}}, None),
        ({"content": {"a": "x" * (65_536 - 7)}}, "VALIDATION_ERROR"),
        ({"content": {"a": "\x00"}}, "VALIDATION_ERROR"),
        ({"meta_data": {"a": "x" * (16_384 - 8)}}, None),
        ({"meta_data": {"a": "x" * (16_384 - 7)}}, "VALIDATION_ERROR"),
        ({"search_text": "x" * 10_000}, None),
        ({"search_text": "x" * 10_001}, "VALIDATION_ERROR"),
        ({"content_url": "x" * 2048}, None),
        ({"content_url": "x" * 2049}, "VALIDATION_ERROR"),
        ({"asset_fqn": "x" * 1000}, None),
        ({"asset_fqn": "x" * 1001}, "VALIDATION_ERROR"),
        ({"asset_fqn": "a..b"}, "VALIDATION_ERROR"),
        ({"asset_fqn": "a."}, "VALIDATION_ERROR"),
        ({"source": {"confidence": 0}}, None),
        ({"source": {"confidence": -0.01}}, "VALIDATION_ERROR"),
        ({"source": {"confidence": 1.01}}, "VALIDATION_ERROR"),
        ({"source": {"turn_index": 2_147_483_647}}, None),
        ({"source": {"turn_index": -1}}, "VALIDATION_ERROR"),
        ({"classification": {"tags": ["x"] * 100}}, None),
        ({"classification": {"tags": ["x"] * 101}}, "VALIDATION_ERROR"),
        ({"classification": {"tags": ["x" * 256]}}, "VALIDATION_ERROR"),
        ({"classification": {"domain": ""}}, "VALIDATION_ERROR"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "VALIDATION_ERROR"),
        ({"expires_at": "2999-01-01T00:00:00Z"}, None),
        *[({"memory_type": kind}, None) for kind in TYPES],
    ],
    ids=lambda value: str(value)[:60],
)
async def test_a_memory_is_bounded_on_both_sides(
    world: World, door: Door, given: dict[str, Any], expected: str | None
) -> None:
    pack = await make_pack(world, door)
    rows = await world.dump()
    answer = await door(create_memory, world.owner, memory=memory_of(pack, **given))
    if expected is None:
        ((name, value),) = given.items()
        assert isinstance(answer, dict), answer
        if isinstance(value, dict) and name in ("source", "classification"):
            assert {key: answer[name][key] for key in value} == value
        elif name != "expires_at":
            assert answer[name] == value
        return
    assert answer == expected
    assert answer.status == 422
    assert next(iter(given)) in answer.details["field"]
    assert await world.dump() == rows


async def test_a_policy_that_cannot_be_read_is_refused(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    good = {"effect": "forbid", "tables": ["customers"]}
    for content, said in (
        ({"effect": "forbid", "table": ["customers"]}, "`table` means nothing"),
        ({"effect": "hide", "tables": ["customers"]}, "`effect` is one of"),
        ({"effect": "forbid"}, "give tables, columns, tags or data_types"),
        ({"effects": "forbid", "tables": ["customers"]}, "`effect` is one of"),
    ):
        rows = await world.dump()
        refused = await door(create_memory, world.owner, memory=memory_of(pack, memory_type="policy", content=content))
        assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "content")
        assert said in refused.message
        assert await world.dump() == rows
        standing = await make_memory(world, door, pack, memory_type="policy", content=good)
        refused = await door(
            update_memory, world.owner, memory_id=standing["id"], changes=memory_changes(content=content)
        )
        assert (refused.code, refused.details["field"]) == ("VALIDATION_ERROR", "content")
        assert said in refused.message
    fact = await make_memory(world, door, pack, content={"effect": "none", "text": "It rains."})
    refused = await door(update_memory, world.owner, memory_id=fact["id"], changes=memory_changes(memory_type="policy"))
    assert refused.details["field"] == "content"


# The same content once -----------------------------------------------------------------------------------------------


async def test_adding_the_same_again_answers_with_what_stands(world: World, door: Door) -> None:
    pack, other = await make_pack(world, door), await make_pack(world, door, name="Other")
    made = await make_memory(world, door, pack, content={"a": 1, "b": [2]}, asset_fqn="s.d")
    rows = await world.dump()
    again = await make_memory(world, door, pack, name="Another name", content={"b": [2], "a": 1}, asset_fqn="s.d")
    assert again == made
    if door.name == "rest":
        assert door.last is not None
        assert (door.last.status_code, revision_of(door.last)) == (200, 1)
    assert await world.dump() == rows
    ids = {made["id"]}
    for where, given in (
        (pack, {"content": {"a": 1, "b": [2, 3]}, "asset_fqn": "s.d"}),
        (pack, {"content": {"a": 1, "b": [2]}, "asset_fqn": "s.e"}),
        (pack, {"content": {"a": 1, "b": [2]}}),
        (pack, {"content": {"a": 1, "b": [2]}, "asset_fqn": "s.d", "memory_type": "kpi"}),
        (other, {"content": {"a": 1, "b": [2]}, "asset_fqn": "s.d"}),
    ):
        ids.add((await make_memory(world, door, where, **given))["id"])
    assert len(ids) == 6


async def test_what_was_deleted_may_be_added_anew(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    made = await make_memory(world, door, pack)
    assert await door(delete_memory, world.owner, memory_id=made["id"]) == {"message": "The memory is deleted."}
    assert await door(get_memory, world.owner, memory_id=made["id"]) == "RESOURCE_NOT_FOUND"
    again = await make_memory(world, door, pack)
    assert again["id"] != made["id"]
    listed = await door(list_memories, world.owner, status="deleted")
    assert [memory["id"] for memory in listed["items"]] == [made["id"]]


async def test_twenty_at_once_keep_one_memory(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    doors = [type(door)(world.client) for _ in range(20)]
    made = await asyncio.gather(*(make_memory(world, each, pack) for each in doors))
    assert len({memory["id"] for memory in made}) == 1
    assert (await door(list_memories, world.owner))["total"] == 1
    if door.name == "rest":
        codes = sorted(each.last.status_code for each in doors if each.last is not None)
        assert codes == [200] * 19 + [201]


async def test_a_change_may_not_make_two_memories_the_same(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    first, second = [await make_memory(world, door, pack, content={"text": text}) for text in "ab"]
    changes = memory_changes(content={"text": "a"})
    refused = await door(update_memory, world.owner, memory_id=second["id"], changes=changes)
    assert (refused, refused.status) == ("RESOURCE_ALREADY_EXISTS", 409)
    await door(update_memory, world.owner, memory_id=first["id"], changes=memory_changes(content={"text": "c"}))
    changed = await door(update_memory, world.owner, memory_id=second["id"], changes=changes)
    assert changed["content"] == {"text": "a"}


# Changes -------------------------------------------------------------------------------------------------------------


async def test_what_changes_is_counted_and_the_rest_stays(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    made = await make_memory(world, door, pack, classification={"domain": "d"}, asset_fqn="a.b", content_url="u")
    version, filed = 1, made["classification"]
    for given, also in (
        ({"name": "new"}, {}),
        ({"content": {"text": "two"}}, {"search_text": "two"}),
        ({"search_text": "mine"}, {}),
        ({"content": {"text": "three"}}, {}),
        ({"search_text": None}, {"search_text": "three"}),
        ({"memory_type": "kpi", "asset_fqn": None, "content_url": None}, {}),
        ({"source": {"actor": "x"}}, {"source": made["source"] | {"actor": "x"}}),
        ({"classification": {"tags": ["t"]}}, {"classification": filed | {"domain": None, "tags": ["t"]}}),
        ({"meta_data": {"k": 1}}, {}),
        ({"meta_data": {}}, {}),
    ):  # fmt: skip
        changed = await door(update_memory, world.owner, memory_id=made["id"], changes=memory_changes(**given))
        version += 1
        expected = made | given | also | {"version": version, "updated_at": changed["updated_at"]}
        assert changed == expected, given
        made = changed
    for given in (
        {"name": ""},
        {"content": {"a": "x" * 65_536}},
        {"meta_data": {"a": "x" * 16_384}},
        {"expires_at": "2020-01-01T00:00:00Z"},
        {"source": {"confidence": 2}},
    ):
        refused = await door(update_memory, world.owner, memory_id=made["id"], changes=memory_changes(**given))
        assert (refused, refused.status) == ("VALIDATION_ERROR", 422)
    assert await read(world, door, made) == {name: value for name, value in made.items() if name != "access"}


async def test_a_change_of_another_revision_is_a_conflict(world: World) -> None:
    token = world.owner
    pack = await world.request("POST", "/utils/context-packs", token=token, json={"name": "p", "pack_type": "team"})
    body = {"context_pack_id": pack.json()["id"], "name": "m", "content": {"a": 1}, "memory_type": "fact"}
    made = await world.request("POST", "/utils/memories", token=token, json=body)
    path, stale = f"/utils/memories/{made.json()['id']}", {"If-Match": made.headers["ETag"]}
    assert (await world.request("POST", path + "/pin", token=token, headers=stale)).status_code == 200
    for method, where, how in (
        ("PUT", "", {"json": {"name": "n"}}),
        ("POST", "/pin", {}),
        ("POST", "/unpin", {}),
        ("POST", "/archive", {}),
        ("POST", "/validate", {"json": {"validation_status": "disputed"}}),
        ("POST", "/supersede", {"json": {"replacement": body | {"content": {"a": 2}} | {"name": "x"}}}),
        ("DELETE", "", {}),
    ):
        if where == "/supersede":
            del how["json"]["replacement"]["context_pack_id"]
        refused = await world.request(method, path + where, token=token, headers=stale, **how)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "VERSION_CONFLICT"), where
    assert (await world.request("GET", "/utils/memories", token=token)).json()["pagination"]["total_items"] == 1


# Reading counts ------------------------------------------------------------------------------------------------------


async def test_a_read_by_id_is_counted_and_is_no_change(world: World, door: Door) -> None:
    made = await make_memory(world, door, await make_pack(world, door))
    for count in (1, 2, 3):
        found = await door(get_memory, world.owner, memory_id=made["id"])
        assert found["access"]["count"] == count
        assert found["access"]["last_accessed"] > made["created_at"]
        assert {**found, "access": made["access"]} == made
        if door.name == "rest":
            assert door.last is not None
            assert revision_of(door.last) == 1
    (listed,) = (await door(list_memories, world.owner))["items"]
    assert listed == found


async def test_reads_at_once_are_all_counted(world: World, door: Door) -> None:
    made = await make_memory(world, door, await make_pack(world, door))
    token = world.owner
    await asyncio.gather(*(type(door)(world.client)(get_memory, token, memory_id=made["id"]) for _ in range(10)))
    (listed,) = (await door(list_memories, token))["items"]
    assert listed["access"]["count"] == 10


# Lists and tenants ---------------------------------------------------------------------------------------------------


async def test_pinned_memories_come_first_then_the_newest(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    for number, pinned in enumerate((False, True, False, True)):
        await make_memory(world, door, pack, name=f"m{number}", content={"n": number}, pinned=pinned)
    for given, names in (
        ({}, ["m3", "m1", "m2", "m0"]),
        ({"limit": 3}, ["m3", "m1", "m2"]),
        ({"limit": 3, "page": 2}, ["m0"]),
        ({"pinned": True}, ["m3", "m1"]),
        ({"pinned": False}, ["m2", "m0"]),
    ):
        found = await door(list_memories, world.owner, **given)
        assert [memory["name"] for memory in found["items"]] == names, given
    for given in ({"page": 0}, {"limit": 0}, {"limit": 101}, {"q": "x" * 256}, {"asset_fqn": ""}):
        refused = await door(list_memories, world.owner, **given)
        assert (refused, refused.status) == ("INVALID_PARAMETER", 400)


async def test_every_filter_narrows_the_list(world: World, door: Door) -> None:
    pack, other = await make_pack(world, door), await make_pack(world, door, name="Other")
    await make_memory(world, door, pack, name="Äpfel", content={"text": "100% of Orders_2024"}, asset_fqn="s.d")
    await make_memory(world, door, pack, name="b", content={"deep": [{"x": "Birnen"}]}, memory_type="kpi")
    await make_memory(world, door, other, name="c", search_text="zebra")
    for given, names in (
        ({"context_pack_id": pack["id"]}, ["b", "Äpfel"]),
        ({"context_pack_id": other["id"]}, ["c"]),
        ({"memory_type": "kpi"}, ["b"]),
        ({"asset_fqn": "s.d"}, ["Äpfel"]),
        ({"asset_fqn": "s"}, []),
        ({"validation_status": "unvalidated"}, ["c", "b", "Äpfel"]),
        ({"validation_status": "validated"}, []),
        ({"status": "superseded"}, []),
        ({"q": "äPFEL"}, ["Äpfel"]),
        ({"q": "  orders_2024 100% "}, ["Äpfel"]),
        ({"q": "orders%2024"}, []),
        ({"q": "ordersx2024"}, []),
        ({"q": "birnen"}, ["b"]),
        ({"q": "birnen zebra"}, []),
        ({"q": "ZEBRA"}, ["c"]),
        ({"q": ""}, ["c", "b", "Äpfel"]),
    ):
        found = await door(list_memories, world.owner, **given)
        assert [memory["name"] for memory in found["items"]] == names, given
        assert found["total"] == len(names)


async def test_another_tenants_memory_is_not_there(world: World, door: Door) -> None:
    made = await make_memory(world, door, await make_pack(world, door))
    rows = await world.dump()
    for token in (world.foreign_owner, world.token("olga", project=world.lab)):
        for op, arguments in (
            (get_memory, {}),
            (update_memory, {"changes": memory_changes(name="x")}),
            (delete_memory, {}),
        ):
            assert await door(op, token, memory_id=made["id"], **arguments) == "RESOURCE_NOT_FOUND"
        for given in ({}, {"context_pack_id": made["context_pack_id"]}, {"status": "deleted"}):
            assert (await door(list_memories, token, **given))["total"] == 0
    assert await world.dump() == rows
