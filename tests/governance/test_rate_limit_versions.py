"""A tenant's own limits are a mutable resource: concurrent changes end in one winner."""

import asyncio

import pytest

from resolvers.governance.organizations import get_rate_limits, set_rate_limits
from schema.governance.organization import RateLimitsChange
from tests.doors import Door, Refused, RestDoor, revision_of
from tests.world import World

pytestmark = pytest.mark.anyio


async def test_concurrent_changes_of_one_version_end_in_one_winner(world: World, door: Door) -> None:
    first = await door(set_rate_limits, world.owner, org_id="acme", limits=RateLimitsChange(reads=500))
    assert first["reads"] == 500
    headers = {"If-Match": '"1"'}
    answers = await asyncio.gather(
        *(
            door(set_rate_limits, world.owner, headers, org_id="acme", limits=RateLimitsChange(reads=1000 + number))
            for number in range(10)
        )
    )
    winners = [answer for answer in answers if not isinstance(answer, Refused)]
    assert len(winners) == 1
    assert [answer.code for answer in answers if isinstance(answer, Refused)] == ["VERSION_CONFLICT"] * 9
    assert await door(get_rate_limits, world.owner, org_id="acme") == winners[0]


async def test_the_version_is_told_and_starts_at_zero(world: World) -> None:
    door = RestDoor(world.client)
    await door(get_rate_limits, world.owner, org_id="acme")
    assert door.last is not None
    assert revision_of(door.last) == 0
    await door(set_rate_limits, world.owner, {"If-Match": '"0"'}, org_id="acme", limits=RateLimitsChange(writes=7))
    assert revision_of(door.last) == 1
