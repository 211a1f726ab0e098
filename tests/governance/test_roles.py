"""Who was given which role on a resource, through both doors and on both stores."""

import pytest

from resolvers.governance.permissions import grant_permission, revoke_permission
from resolvers.governance.roles import list_role_holders
from schema.governance.permission import Grant
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
