"""Organizations and their limits, through both doors and on both stores."""

from typing import Any

import pytest

from resolvers.governance.organizations import get_organization, get_rate_limits, list_organizations, set_rate_limits
from resolvers.governance.projects import create_project, list_projects
from schema.governance.organization import RateLimitsChange
from schema.governance.project import ProjectCreate
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio


async def test_an_organization_has_its_documented_fields(world: World, door: Door) -> None:
    found = await door(get_organization, world.owner, org_id="acme")
    assert set(found) == {"id", "name", "description", "created_at", "updated_at"}
    assert (found["id"], found["name"], found["description"]) == ("acme", "Acme", None)
    assert found["created_at"].endswith("Z")
    assert (await door(list_organizations, world.owner)) == {"items": [found], "total": 1}


async def test_a_page_beyond_the_last_is_empty_and_still_counts(world: World, door: Door) -> None:
    assert await door(list_organizations, world.owner, page=2) == {"items": [], "total": 1}
    assert await door(list_projects, world.owner, page=9, limit=100) == {"items": [], "total": 2}
    far = await door(list_projects, world.owner, page=20_000_000, limit=100)
    assert far == {"items": [], "total": 2}


async def test_pages_never_overlap_and_miss_nothing(world: World, door: Door) -> None:
    for number in range(5):
        await door(create_project, world.owner, project=ProjectCreate(name=f"p{number}"))
    pages = [(await door(list_projects, world.owner, page=page, limit=3))["items"] for page in (1, 2, 3)]
    names = [item["name"] for page in pages for item in page]
    assert [len(page) for page in pages] == [3, 3, 1]
    assert names == sorted(names) == ["lab", "p0", "p1", "p2", "p3", "p4", "shop"]


async def test_the_list_envelope_says_where_it_stands(world: World) -> None:
    async def page(number: int, limit: int) -> dict[str, Any]:
        answer = await world.request("GET", f"/governance/projects?page={number}&limit={limit}", token=world.owner)
        assert set(answer.json()) == {"data", "pagination"}
        found: dict[str, Any] = answer.json()["pagination"]
        return found

    base = {"total_items": 2}
    first = {"page": 1, "limit": 1, "total_pages": 2, "next_page": 2, "prev_page": None}
    last = {"page": 2, "limit": 1, "total_pages": 2, "next_page": None, "prev_page": 1}
    assert await page(1, 1) == base | first
    assert await page(2, 1) == base | last
    assert await page(1, 100) == base | {
        "page": 1,
        "limit": 100,
        "total_pages": 1,
        "next_page": None,
        "prev_page": None,
    }
    default = (await world.request("GET", "/governance/projects", token=world.owner)).json()["pagination"]
    assert (default["page"], default["limit"]) == (1, 20)


async def test_limits_can_be_set_in_part_and_fall_back(world: World, door: Door) -> None:
    standing = await door(get_rate_limits, world.owner, org_id="acme")
    changed = await door(set_rate_limits, world.owner, org_id="acme", limits=RateLimitsChange(reads=7))
    assert changed == standing | {"reads": 7}
    assert await door(get_rate_limits, world.owner, org_id="acme") == changed
    assert await door(get_rate_limits, world.foreign_owner, org_id="globex") == standing | {"organization_id": "globex"}
    assert await door(set_rate_limits, world.owner, org_id="acme", limits=RateLimitsChange()) == standing


@pytest.mark.parametrize(("name", "description"), [("a", ""), ("a" * 255, "d" * 1000), ("Ünïcödé 名前 🎻", None)])
async def test_a_project_keeps_what_lies_within_its_bounds(
    world: World, door: Door, name: str, description: str | None
) -> None:
    made = await door(create_project, world.owner, project=ProjectCreate(name=name, description=description))
    assert (made["name"], made["description"], made["organization_id"]) == (name, description, "acme")
    assert made["created_at"] == made["updated_at"]


async def test_the_same_name_may_stand_in_two_organizations(world: World, door: Door) -> None:
    await door(create_project, world.owner, project=ProjectCreate(name="twin"))
    made = await door(create_project, world.foreign_owner, project=ProjectCreate(name="twin"))
    assert made["organization_id"] == "globex"


async def test_a_project_and_its_relations_are_made_as_one(world: World, door: Door) -> None:
    """A name that loses its race leaves neither a row nor a relation."""
    import asyncio

    before = await world.dump()
    owner = world.owner
    made = await asyncio.gather(*(door(create_project, owner, project=ProjectCreate(name="race")) for _ in range(6)))
    won = [item for item in made if isinstance(item, dict)]
    assert len(won) == 1, made
    assert {item.code for item in made if not isinstance(item, dict)} == {"RESOURCE_ALREADY_EXISTS"}
    after = await world.dump()
    assert len(after["projects"]) == len(before["projects"]) + 1
    new = {row for name in after for row in after[name] if row not in before[name]}
    assert {won[0]["id"] in repr(row) for row in new} == {True}
