"""Context packs: every field and bound, their states, their topics, and the lists."""

from datetime import timedelta
from typing import Any

import pytest

from resolvers.utils.context_packs import (
    MOVES,
    delete_context_pack,
    get_context_pack,
    list_context_packs,
    update_context_pack,
)
from resolvers.utils.context_packs import create_context_pack as create
from resolvers.utils.memories import archive_memory, create_memory, list_memories, update_memory
from tests.conftest import Statements
from tests.doors import Door, revision_of
from tests.utils.knowledge import make_memory, make_pack, memory_changes, memory_of, pack_changes, pack_of
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")]

FIELDS = {
    "id", "organization_id", "project_id", "name", "pack_type", "status", "description", "version", "summary_text",
    "summary_version", "key_topics", "topic_distribution", "meta_data", "config", "created_by", "updated_by",
    "created_at", "updated_at", "archived_at", "deprecated_at", "deleted_at", "reactivated_at",
}  # fmt: skip
TYPES = ["user", "team", "project", "domain", "session", "data_source"]
STAMP_OF = {"archived": "archived_at", "deprecated": "deprecated_at", "active": "reactivated_at"}


async def test_a_new_pack_has_every_documented_field(world: World, door: Door) -> None:
    made = await make_pack(world, door, description="d", meta_data={"a": [1]}, config={"b": {"c": None}})
    assert set(made) == FIELDS
    assert (made["name"], made["pack_type"], made["status"], made["description"]) == ("Sales", "team", "active", "d")
    assert (made["organization_id"], made["project_id"]) == ("acme", world.shop)
    assert (made["version"], made["summary_version"], made["summary_text"]) == (1, 0, None)
    assert (made["key_topics"], made["topic_distribution"]) == ([], {})
    assert (made["meta_data"], made["config"]) == ({"a": [1]}, {"b": {"c": None}})
    assert made["created_by"] == made["updated_by"] == "olga"
    assert made["created_at"] == made["updated_at"]
    assert [made[name] for name in ("archived_at", "deprecated_at", "deleted_at", "reactivated_at")] == [None] * 4
    if door.name == "rest":
        assert door.last is not None
        assert door.last.status_code == 201
    assert await door(get_context_pack, world.owner, pack_id=made["id"]) == made


async def test_the_defaults_are_the_documented_ones(world: World, door: Door) -> None:
    made = await make_pack(world, door)
    assert (made["description"], made["meta_data"], made["config"]) == (None, {}, {})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"name": "x"}, None),
        ({"name": "x" * 255}, None),
        ({"name": ""}, "VALIDATION_ERROR"),
        ({"name": "x" * 256}, "VALIDATION_ERROR"),
        ({"name": "a\x00"}, "VALIDATION_ERROR"),
        ({"description": "x" * 1000}, None),
        ({"description": "x" * 1001}, "VALIDATION_ERROR"),
        ({"meta_data": {"a": "x" * (16_384 - 8)}}, None),
        ({"meta_data": {"a": "x" * (16_384 - 7)}}, "VALIDATION_ERROR"),
        ({"config": {"a": "x" * (16_384 - 8)}}, None),
        ({"config": {"a": "x" * (16_384 - 7)}}, "VALIDATION_ERROR"),
        *[({"pack_type": kind}, None) for kind in TYPES],
    ],
    ids=str,
)
async def test_a_pack_is_bounded_on_both_sides(
    world: World, door: Door, given: dict[str, Any], expected: str | None
) -> None:
    answer = await door(create, world.owner, pack=pack_of(**given))
    if expected is None:
        assert {name: answer[name] for name in given} == given
        return
    assert answer == expected
    assert answer.status == 422
    assert answer.details["field"].split(".")[-1] == next(iter(given))


async def test_a_name_is_one_packs_own_until_that_pack_is_deleted(world: World, door: Door) -> None:
    first, second = await make_pack(world, door), await make_pack(world, door, name="Second")
    refused = await door(create, world.owner, pack=pack_of())
    assert (refused, refused.status) == ("RESOURCE_ALREADY_EXISTS", 409)
    refused = await door(update_context_pack, world.owner, pack_id=second["id"], changes=pack_changes(name="Sales"))
    assert refused == "RESOURCE_ALREADY_EXISTS"
    await door(update_context_pack, world.owner, pack_id=first["id"], changes=pack_changes(status="archived"))
    assert await door(create, world.owner, pack=pack_of()) == "RESOURCE_ALREADY_EXISTS"
    await make_pack(world, door, world.token("olga", project=world.lab))  # another project
    await door(delete_context_pack, world.owner, pack_id=first["id"])
    assert (await make_pack(world, door))["id"] != first["id"]


async def test_what_changes_is_counted_and_the_rest_stays(world: World, door: Door) -> None:
    made = await make_pack(world, door, description="d", meta_data={"a": 1}, config={"b": 1})
    for given, version, summary_version in (
        ({"summary_text": "In short."}, 2, 1),
        ({"summary_text": None}, 3, 2),
        ({"name": "New", "description": None}, 4, 2),
        ({"meta_data": {}, "config": {"c": 2}}, 5, 2),
    ):
        changed = await door(update_context_pack, world.owner, pack_id=made["id"], changes=pack_changes(**given))
        assert {name: changed[name] for name in given} == given
        assert (changed["version"], changed["summary_version"]) == (version, summary_version)
        kept = FIELDS - given.keys() - {"version", "summary_version", "updated_at"}
        assert {name: changed[name] for name in kept} == {name: made[name] for name in kept}
        assert changed["updated_at"] > made["updated_at"]
        made = changed
    for given in ({"name": ""}, {"name": "x" * 256}, {"summary_text": "x" * 10_001}, {"description": "x" * 1001}):
        refused = await door(update_context_pack, world.owner, pack_id=made["id"], changes=pack_changes(**given))
        assert (refused, refused.status) == ("VALIDATION_ERROR", 422)
    assert await door(get_context_pack, world.owner, pack_id=made["id"]) == made


async def test_every_status_leads_to_every_other_and_stamps_the_moment(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    for status in ("archived", "active", "deprecated", "archived", "deprecated", "active"):
        moved = await door(update_context_pack, world.owner, pack_id=pack["id"], changes=pack_changes(status=status))
        assert moved["status"] == status
        stamps = {name for name in STAMP_OF.values() if moved[name] != pack[name]}
        assert stamps == {STAMP_OF[status]}
        again = await door(update_context_pack, world.owner, pack_id=pack["id"], changes=pack_changes(status=status))
        assert {name: again[name] for name in STAMP_OF.values()} == {name: moved[name] for name in STAMP_OF.values()}
        pack = again
    assert len(MOVES) == 6
    rows = await world.dump()
    refused = await door(update_context_pack, world.owner, pack_id=pack["id"], changes=pack_changes(status="deleted"))
    assert (refused, refused.status) == ("VALIDATION_ERROR", 422)
    assert await world.dump() == rows


async def test_only_an_active_pack_takes_new_memories(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    for status, taken in (("archived", False), ("deprecated", False), ("active", True)):
        await door(update_context_pack, world.owner, pack_id=pack["id"], changes=pack_changes(status=status))
        answer = await door(create_memory, world.owner, memory=memory_of(pack))
        assert isinstance(answer, dict) if taken else (answer == "VALIDATION_ERROR" and answer.status == 422)


async def test_a_deleted_pack_takes_its_memories_along_and_is_shown_only_when_asked_for(
    world: World, door: Door
) -> None:
    pack, kept = await make_pack(world, door), await make_pack(world, door, name="Kept")
    await make_memory(world, door, pack)
    other = await make_memory(world, door, kept)
    assert await door(delete_context_pack, world.owner, pack_id=pack["id"]) == {
        "message": "The context pack and its memories are deleted."
    }
    for op, arguments in (
        (get_context_pack, {}),
        (update_context_pack, {"changes": pack_changes(status="active")}),
        (delete_context_pack, {}),
    ):
        assert await door(op, world.owner, pack_id=pack["id"], **arguments) == "RESOURCE_NOT_FOUND"
    assert await door(create_memory, world.owner, memory=memory_of(pack)) == "RESOURCE_NOT_FOUND"
    assert [p["id"] for p in (await door(list_context_packs, world.owner))["items"]] == [kept["id"]]
    (shown,) = (await door(list_context_packs, world.owner, status="deleted"))["items"]
    assert (shown["id"], shown["status"], shown["topic_distribution"]) == (pack["id"], "deleted", {})
    assert shown["deleted_at"] is not None
    assert [m["id"] for m in (await door(list_memories, world.owner))["items"]] == [other["id"]]
    (gone,) = (await door(list_memories, world.owner, status="deleted"))["items"]
    assert gone["deleted_at"] == shown["deleted_at"]


# Topics --------------------------------------------------------------------------------------------------------------


async def test_topics_are_counted_from_the_active_memories(world: World, door: Door) -> None:
    pack, other = await make_pack(world, door), await make_pack(world, door, name="Other")
    soon = (world.clock() + timedelta(seconds=60)).isoformat()
    made = []
    for number, (domain, tags, expires_at) in enumerate(
        (
            ("sales", ["orders", "sales", "orders"], None),
            ("sales", ["Orders"], None),
            (None, ["orders"], soon),
            (None, [], None),
        )
    ):
        classification = {"tags": tags} | ({"domain": domain} if domain else {})
        given = {"content": {"n": number}, "classification": classification} | (
            {"expires_at": expires_at} if expires_at else {}
        )
        made.append(await make_memory(world, door, pack, **given))
    await make_memory(world, door, other, classification={"domain": "elsewhere"})

    async def topics() -> Any:
        shown = await door(get_context_pack, world.owner, pack_id=pack["id"])
        listed = (await door(list_context_packs, world.owner))["items"]
        assert next(item for item in listed if item["id"] == pack["id"]) == shown
        assert list(shown["topic_distribution"])[:10] == shown["key_topics"]
        return shown["topic_distribution"]

    assert await topics() == {"orders": 2, "sales": 2, "Orders": 1}
    world.clock.moment += timedelta(seconds=120)  # the third has expired
    assert await topics() == {"sales": 2, "Orders": 1, "orders": 1}
    changes = memory_changes(classification={"domain": "stock"})
    await door(update_memory, world.owner, memory_id=made[0]["id"], changes=changes)
    assert await topics() == {"Orders": 1, "sales": 1, "stock": 1}
    await door(archive_memory, world.owner, memory_id=made[1]["id"])
    assert await topics() == {"stock": 1}


async def test_the_most_common_topics_are_shown(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    tags = [f"t{number:02}" for number in range(60)]
    await make_memory(world, door, pack, classification={"tags": tags})
    await make_memory(world, door, pack, content={"n": 2}, classification={"tags": ["t59"]})
    shown = await door(get_context_pack, world.owner, pack_id=pack["id"])
    assert shown["key_topics"] == ["t59", *tags[:9]]
    assert shown["topic_distribution"] == {"t59": 2} | dict.fromkeys(tags[:49], 1)


# Lists, tenants, concurrency -----------------------------------------------------------------------------------------


async def test_packs_are_listed_by_name_filtered_and_in_pages(world: World, door: Door) -> None:
    made = {}
    for name, kind in (("b", "user"), ("a", "team"), ("C", "user")):
        made[name] = await make_pack(world, door, name=name, pack_type=kind)
    changes = pack_changes(status="archived")
    await door(update_context_pack, world.owner, pack_id=made["b"]["id"], changes=changes)
    for given, names, total in (
        ({}, ["C", "a", "b"], 3),
        ({"page_size": 2}, ["C", "a"], 3),
        ({"page": 2, "page_size": 2}, ["b"], 3),
        ({"status": "active"}, ["C", "a"], 2),
        ({"status": "archived"}, ["b"], 1),
        ({"status": "deprecated"}, [], 0),
        ({"pack_type": "user"}, ["C", "b"], 2),
        ({"pack_type": "user", "status": "active"}, ["C"], 1),
    ):
        found = await door(list_context_packs, world.owner, **given)
        assert ([item["name"] for item in found["items"]], found["total"]) == (names, total), given
    for given in ({"page": 0}, {"page_size": 0}, {"page_size": 101}):
        refused = await door(list_context_packs, world.owner, **given)
        assert (refused, refused.status) == ("INVALID_PARAMETER", 400)
    for size in (1, 100):
        assert isinstance(await door(list_context_packs, world.owner, page_size=size), dict)


async def test_the_list_has_the_documented_envelope(world: World) -> None:
    for name in "abc":
        body = {"name": name, "pack_type": "team"}
        assert (await world.request("POST", "/utils/context-packs", token=world.owner, json=body)).status_code == 201
    answer = await world.request("GET", "/utils/context-packs?page=2&page_size=1", token=world.owner)
    assert set(answer.json()) == {"data", "pagination"}
    assert answer.json()["pagination"] == {
        "page": 2, "limit": 1, "total_items": 3, "total_pages": 3, "next_page": 3, "prev_page": 1,
    }  # fmt: skip


async def test_another_tenants_pack_is_not_there(world: World, door: Door) -> None:
    pack = await make_pack(world, door)
    rows = await world.dump()
    for token in (world.foreign_owner, world.token("olga", project=world.lab)):
        for op, arguments in (
            (get_context_pack, {}),
            (update_context_pack, {"changes": pack_changes(name="x")}),
            (delete_context_pack, {}),
        ):
            assert await door(op, token, pack_id=pack["id"], **arguments) == "RESOURCE_NOT_FOUND"
        assert await door(create_memory, token, memory=memory_of(pack)) == "RESOURCE_NOT_FOUND"
        assert (await door(list_context_packs, token))["total"] == 0
    assert await world.dump() == rows


async def test_a_change_of_another_revision_is_a_conflict(world: World) -> None:
    body = {"name": "a", "pack_type": "team"}
    made = await world.request("POST", "/utils/context-packs", token=world.owner, json=body)
    path, stale = f"/utils/context-packs/{made.json()['id']}", {"If-Match": made.headers["ETag"]}
    assert revision_of(made) == 1
    changed = await world.request("PUT", path, token=world.owner, json={"name": "b"}, headers=stale)
    assert (changed.status_code, revision_of(changed)) == (200, 2)
    for method, how in (("PUT", {"json": {"name": "c"}}), ("DELETE", {})):
        refused = await world.request(method, path, token=world.owner, headers=stale, **how)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "VERSION_CONFLICT")
    read = await world.request("GET", path, token=world.owner)
    assert (read.json()["name"], revision_of(read)) == ("b", 2)
    fresh = {"If-Match": '"2"'}
    assert (await world.request("DELETE", path, token=world.owner, headers=fresh)).status_code == 200


# Edges ---------------------------------------------------------------------------------------------------------------


async def test_the_memories_of_ten_packs_cost_as_much_as_of_one(world: World, statements: Statements) -> None:
    headers = {"Authorization": f"Bearer {world.owner}"}
    for number in range(10):
        pack = await world.client.post(
            "/utils/context-packs", json={"name": f"p{number}", "pack_type": "team"}, headers=headers
        )
        for pinned in (True, False):
            body = {
                "context_pack_id": pack.json()["id"],
                "name": f"m{number} {pinned}",
                "content": {"n": pinned},
                "memory_type": "fact",
                "pinned": pinned,
            }
            assert (await world.client.post("/utils/memories", json=body, headers=headers)).status_code == 201
    query = """query($n: Int!) {
        contextPacks(pageSize: $n) { items { name memories { name status contextPack { name keyTopics } } } }
    }"""
    costs = {}
    for size in (1, 10, 1, 10):  # the first requests also read what later ones remember
        await statements.anew()
        body = {"query": query, "variables": {"n": size}}
        answer = (await world.client.post("/graphql", json=body, headers=headers)).json()
        assert "errors" not in answer, answer
        items = answer["data"]["contextPacks"]["items"]
        assert len(items) == size
        for number, item in enumerate(items):
            assert [m["name"] for m in item["memories"]] == [f"m{number} True", f"m{number} False"]
            assert [m["contextPack"]["name"] for m in item["memories"]] == [f"p{number}"] * 2
        costs[size] = len([s for s in statements if not s.startswith(("BEGIN", "COMMIT"))])
    assert costs[10] == costs[1]


async def test_an_edge_shows_no_memory_that_is_not_active(world: World) -> None:
    headers = {"Authorization": f"Bearer {world.owner}"}
    pack = await world.client.post("/utils/context-packs", json={"name": "p", "pack_type": "team"}, headers=headers)
    soon = (world.clock() + timedelta(seconds=60)).isoformat()
    ids = []
    for number, more in enumerate(({}, {"expires_at": soon}, {})):
        body = {"context_pack_id": pack.json()["id"], "name": f"m{number}", "content": {"n": number}} | more
        made = await world.client.post("/utils/memories", json=body | {"memory_type": "fact"}, headers=headers)
        ids.append(made.json()["id"])
    query = '{ contextPack(packId: "%s") { memories { name } } }' % pack.json()["id"]

    async def names() -> list[str]:
        answer = (await world.client.post("/graphql", json={"query": query}, headers=headers)).json()
        return [memory["name"] for memory in answer["data"]["contextPack"]["memories"]]

    assert await names() == ["m2", "m1", "m0"]
    await world.client.delete(f"/utils/memories/{ids[2]}", headers=headers)
    assert await names() == ["m1", "m0"]
    world.clock.moment += timedelta(seconds=120)
    assert await names() == ["m0"]
