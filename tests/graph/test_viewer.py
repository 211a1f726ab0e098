"""Who asks: their organization and projects, what they may do, and how much they may ask yet."""

from typing import Any

import pytest

from tests.world import ORG, World

pytestmark = pytest.mark.anyio

VIEWER = """query($t: ResourceType, $r: String) { viewer { userId organizationId projectId groups
  organization { id } project { name } projects(first: 1) { totalCount nodes { name } pageInfo { hasNextPage } }
  permissions(resourceType: $t, resourceId: $r) budget { kind limit remaining resetsAt } } }"""


async def ask(world: World, token: str | None, query: str = VIEWER, **variables: Any) -> Any:
    """The answer of the graph."""
    body = {"query": query, "variables": variables}
    return (await world.request("POST", "/graphql", token=token, json=body)).json()


async def test_the_owner_is_told_who_they_are_and_what_they_may(world: World) -> None:
    answer = await ask(world, world.owner)
    assert "errors" not in answer, answer
    viewer = answer["data"]["viewer"]
    assert [viewer[name] for name in ("userId", "organizationId", "projectId")] == ["olga", ORG, world.shop]
    assert (viewer["organization"], viewer["project"]) == ({"id": ORG}, {"name": "shop"})
    assert viewer["projects"] == {"totalCount": 2, "nodes": [{"name": "lab"}], "pageInfo": {"hasNextPage": True}}
    assert {"CAN_READ", "CAN_WRITE", "CAN_SHARE", "CAN_MANAGE_SECRETS"} <= set(viewer["permissions"])


async def test_a_viewer_of_a_project_sees_that_project_and_may_read(world: World) -> None:
    token = world.token("viewer-of-project", project=world.shop, groups=("readers",))
    await world.grant("viewer-of-project", "viewer", "project", world.shop)
    viewer = (await ask(world, token))["data"]["viewer"]
    assert viewer["groups"] == ["readers"]
    assert viewer["projects"]["nodes"] == [{"name": "shop"}]
    assert set(viewer["permissions"]) == {"CAN_READ", "CAN_READ_METADATA"}
    for id_ in (world.lab, world.theirs, "none"):
        assert (await ask(world, token, t="PROJECT", r=id_))["data"]["viewer"]["permissions"] == []
    asked = await ask(world, world.owner, t="PROJECT", r=world.lab)
    assert "CAN_WRITE" in asked["data"]["viewer"]["permissions"]
    await world.grant("readers", "developer", "project", world.lab, is_group=True)
    by_group = await ask(world, token, t="PROJECT", r=world.lab)
    assert "CAN_WRITE" in by_group["data"]["viewer"]["permissions"]


async def test_a_source_says_what_the_caller_may_do_with_it(world: World) -> None:
    headers = {"X-Project-ID": world.shop}
    body = {"name": "svc", "connection_type": "postgres", "database_config": {"host": "db", "database": "d"}}
    made = await world.request("POST", "/assets/data", token=world.owner, headers=headers, json=body)
    await world.grant("looker", "viewer", "project", world.shop)
    query = "{ dataConnections { items { permissions } } }"
    token = world.token("looker", project=world.shop)
    [seen] = (await ask(world, token, query))["data"]["dataConnections"]["items"]
    assert set(seen["permissions"]) == {"CAN_READ", "CAN_READ_METADATA"}
    await world.grant("looker", "operator", "data_connection", made.json()["resource_uri"])
    [seen] = (await ask(world, token, query))["data"]["dataConnections"]["items"]
    assert {"CAN_EXECUTE", "CAN_DELETE"} & set(seen["permissions"]) == {"CAN_EXECUTE"}


async def test_half_a_name_of_a_resource_is_refused_and_a_stranger_is_nobody(world: World) -> None:
    answer = await ask(world, world.owner, t="PROJECT")
    assert answer["errors"][0]["extensions"]["code"] == "INVALID_PARAMETER"
    assert answer["data"] == {"viewer": None}
    assert "errors" in await ask(world, None)


@pytest.mark.parametrize("store_kind", ["sqlite"])
async def test_the_budget_is_what_the_headers_say(world: World) -> None:
    body = {"query": "{ viewer { budget { kind limit remaining } } }"}
    for _ in range(2):
        answer = await world.request("POST", "/graphql", token=world.owner, json=body)
        budget = {one["kind"]: one for one in answer.json()["data"]["viewer"]["budget"]}
        assert set(budget) == {"READS", "WRITES", "BULK"}
        assert budget["READS"]["remaining"] == int(answer.headers["X-RateLimit-Remaining"])
        assert budget["READS"]["limit"] == int(answer.headers["X-RateLimit-Limit"])
        assert budget["BULK"]["remaining"] <= budget["BULK"]["limit"]


async def test_projects_of_an_organization_are_walked_by_cursors(world: World) -> None:
    query = """query($after: String) { organizations { items { projectsConnection(first: 1, after: $after) {
      nodes { name } pageInfo { endCursor hasNextPage } } } } }"""
    seen, after = [], None
    while True:
        (organization,) = (await ask(world, world.owner, query, after=after))["data"]["organizations"]["items"]
        part = organization["projectsConnection"]
        seen += [one["name"] for one in part["nodes"]]
        after = part["pageInfo"]["endCursor"]
        if not part["pageInfo"]["hasNextPage"]:
            break
    assert seen == ["lab", "shop"]
