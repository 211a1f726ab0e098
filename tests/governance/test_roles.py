"""Who was given which role on a resource, through both doors and on both stores; and as an edge of projects."""

from typing import Any

import pytest

from resolvers.governance.permissions import grant_permission, revoke_permission
from resolvers.governance.roles import list_role_holders
from schema.governance.permission import Grant
from tests.conftest import Statements
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio


async def test_users_and_groups_are_listed_with_their_roles(world: World, door: Door) -> None:
    where = {"resource_type": "project", "resource_id": world.lab}
    before = await door(list_role_holders, world.owner, **where)
    for name, relation, is_group in (("zoe", "viewer", False), ("ann", "developer", False), ("staff", "viewer", True)):
        grant = Grant.model_validate(where | {"user_or_group": name, "relation": relation, "is_group": is_group})
        assert isinstance(await door(grant_permission, world.owner, grant=grant), dict)
    found = await door(list_role_holders, world.owner, **where, limit=100)
    assert found["total"] == before["total"] + 3
    held = [(one["user_or_group"], one["is_group"], one["relation"]) for one in found["items"]]
    assert {("zoe", False, "viewer"), ("ann", False, "developer"), ("staff", True, "viewer")} <= set(held)
    assert held == sorted(held, key=lambda one: (one[1], one[0], one[2]))
    assert not [one for one in held if one[0].startswith("stoa:")], "the platform's worker is nobody to see"
    viewers = await door(list_role_holders, world.owner, **where, relation="viewer", limit=1, page=1)
    assert (viewers["items"][0]["user_or_group"], viewers["total"] >= 2) == ("zoe", True)
    grant = Grant.model_validate(where | {"user_or_group": "zoe", "relation": "viewer"})
    await door(revoke_permission, world.owner, grant=grant)
    left = await door(list_role_holders, world.owner, **where, limit=100)
    assert left["total"] == before["total"] + 2


async def test_who_cannot_share_is_told_nothing(world: World, door: Door) -> None:
    where = {"resource_type": "project", "resource_id": world.shop}
    assert await door(list_role_holders, await world.member("viewer"), **where) == "FORBIDDEN"
    assert await door(list_role_holders, world.foreign_owner, **where) == "RESOURCE_NOT_FOUND"


MEMBERS = """query($first: Int, $relation: [Relation!], $after: String) { projects { items { name
  members(first: $first, relation: $relation, after: $after) { totalCount nodes { userOrGroup isGroup relation }
    edges { cursor } pageInfo { hasNextPage endCursor } } } } }"""


async def members(world: World, token: str, **variables: Any) -> dict[str, Any]:
    """The members of each project that the caller may read, by its name."""
    body = {"query": MEMBERS, "variables": variables}
    answer = (await world.request("POST", "/graphql", token=token, json=body)).json()
    assert "errors" not in answer, answer
    return {one["name"]: one["members"] for one in answer["data"]["projects"]["items"]}


async def test_a_project_leads_to_those_whom_the_list_of_role_holders_has(world: World, door: Door) -> None:
    for name, role, is_group in (("zoe", "viewer", False), ("ann", "developer", False), ("staff", "viewer", True)):
        await world.grant(name, role, "project", world.shop, is_group=is_group)
    found = await members(world, world.owner)
    for name, id_ in (("shop", world.shop), ("lab", world.lab)):
        listed = await door(list_role_holders, world.owner, resource_type="project", resource_id=id_, limit=100)
        told = [(one["userOrGroup"], one["isGroup"], one["relation"].lower()) for one in found[name]["nodes"]]
        assert told == [(one["user_or_group"], one["is_group"], one["relation"]) for one in listed["items"]]
        assert found[name]["totalCount"] == listed["total"] > 0
    viewers = await members(world, world.owner, relation=["VIEWER"])
    assert [one["userOrGroup"] for one in viewers["shop"]["nodes"]] == ["zoe", "project-viewers", "staff"]
    assert (await members(world, world.owner, relation=[]))["shop"] == {
        "totalCount": 0, "nodes": [], "edges": [], "pageInfo": {"hasNextPage": False, "endCursor": None}
    }  # fmt: skip


async def test_members_are_walked_by_cursors_of_their_own_project(world: World) -> None:
    await world.grant("zoe", "viewer", "project", world.shop)
    whole = (await members(world, world.owner))["shop"]
    first = (await members(world, world.owner, first=1))["shop"]
    assert first["pageInfo"] == {"hasNextPage": True, "endCursor": whole["edges"][0]["cursor"]}
    body = {"query": MEMBERS, "variables": {"after": whole["edges"][0]["cursor"]}}
    answer = (await world.request("POST", "/graphql", token=world.owner, json=body)).json()
    (error,) = answer["errors"]  # the cursor is of one project, and the other one refuses it
    assert error["extensions"]["code"] == "INVALID_PARAMETER"
    told = {one["name"]: one["members"] for one in answer["data"]["projects"]["items"]}
    assert (told["lab"], told["shop"]["nodes"]) == (None, whole["nodes"][1:])


async def test_who_cannot_share_a_project_is_told_no_members_of_it_and_the_rest(world: World) -> None:
    viewer = await world.member("viewer")
    assert await members(world, viewer) == {"shop": None}
    await world.grant("viewer-of-project", "admin", "project", world.lab)
    found = await members(world, viewer)
    assert found["shop"] is None
    people = [one["userOrGroup"] for one in found["lab"]["nodes"] if not one["isGroup"]]
    assert people == ["olga", "viewer-of-project"]
    assert set(await members(world, world.foreign_owner)) == {"theirs"}


async def test_the_members_of_many_projects_cost_as_many_statements_as_those_of_one(
    world: World, statements: Statements
) -> None:
    query = "query($n: Int) { projects(limit: $n) { items { members { totalCount nodes { userOrGroup } } } } }"
    for number in range(10):
        made = await world.request("POST", "/governance/projects", token=world.owner, json={"name": f"p{number}"})
        await world.grant("zoe", "viewer", "project", made.json()["id"])
    costs = {}
    for number in (10, 1, 10):  # what is decided once is remembered
        await statements.anew()
        body = {"query": query, "variables": {"n": number}}
        answer = (await world.request("POST", "/graphql", token=world.owner, json=body)).json()
        found = [one["members"]["totalCount"] for one in answer["data"]["projects"]["items"]]
        assert (len(found), min(found) > 0) == (number, True), answer
        costs[number] = len([one for one in statements if not one.startswith(("BEGIN", "COMMIT", "ROLLBACK"))])
    assert costs[1] == costs[10]
