"""Projects, through both doors and on both stores."""

import pytest

from resolvers.governance.organizations import get_organization, list_organizations
from resolvers.governance.projects import create_project, get_project, list_projects
from schema.governance.project import ProjectCreate
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio


async def test_a_new_project_is_found_and_listed(world: World, door: Door) -> None:
    made = await door(create_project, world.owner, project=ProjectCreate(name="Sales", description="d"))
    assert (made["name"], made["description"], made["created_by"]) == ("Sales", "d", "olga")
    assert await door(get_project, world.owner, project_id=made["id"]) == made
    listed = await door(list_projects, world.owner)
    assert [item["name"] for item in listed["items"]] == ["Sales", "lab", "shop"]
    assert listed["total"] == 3


async def test_a_name_that_is_taken_is_a_conflict(world: World, door: Door) -> None:
    before = await world.dump()
    assert await door(create_project, world.owner, project=ProjectCreate(name="shop")) == "RESOURCE_ALREADY_EXISTS"
    assert await world.dump() == before


async def test_a_viewer_sees_his_project_alone(world: World, door: Door) -> None:
    viewer = await world.member("viewer")
    assert [item["id"] for item in (await door(list_projects, viewer))["items"]] == [world.shop]
    assert await door(get_project, viewer, project_id=world.lab) == "FORBIDDEN"


async def test_pages_of_what_somebody_may_see_know_how_many_they_are(world: World, door: Door) -> None:
    in_group = world.token("nina", groups=("project-viewers",))
    pages = [await door(list_projects, in_group, page=page, limit=1) for page in (1, 2, 3)]
    assert [[item["name"] for item in page["items"]] for page in pages] == [["lab"], ["shop"], []]
    assert [page["total"] for page in pages] == [2, 2, 2]
    nobody = world.token("nobody")
    assert await door(list_projects, nobody) == await door(list_projects, nobody, page=2) == {"items": [], "total": 0}


async def test_another_tenants_project_looks_like_none(world: World, door: Door) -> None:
    foreign = await door(get_project, world.owner, project_id=world.theirs)
    missing = await door(get_project, world.owner, project_id="none")
    assert foreign.code == missing.code == "RESOURCE_NOT_FOUND"
    assert foreign.message.replace(world.theirs, "X") == missing.message.replace("none", "X")


async def test_a_caller_sees_his_own_organization_alone(world: World, door: Door) -> None:
    assert [item["id"] for item in (await door(list_organizations, world.owner))["items"]] == ["acme"]
    assert (await door(get_organization, world.owner, org_id="acme"))["name"] == "Acme"
    assert await door(get_organization, world.owner, org_id="globex") == "RESOURCE_NOT_FOUND"


async def test_the_identity_providers_groups_open_every_project(world: World, door: Door) -> None:
    in_group = world.token("nina", groups=("project-viewers",))
    assert {item["id"] for item in (await door(list_projects, in_group))["items"]} == {world.shop, world.lab}
    assert await door(create_project, in_group, project=ProjectCreate(name="x")) == "ORG_ACCESS_DENIED"
