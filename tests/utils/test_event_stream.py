"""Following events: from now on or after a place, filtered, resumed without loss, ended with the permission."""

import asyncio
from typing import Any

import pytest

from auth.relations import RelationTuple, object_name, subject_of
from persistence.queries.events import Happening
from resolvers.utils.event_streaming import stream_events
from schema.utils.event import EventType
from tests.data_readiness.quality import scope_of
from tests.doors import Door
from tests.world import ORG, World

pytestmark = pytest.mark.anyio


async def tell(world: World, *fqns: str) -> None:
    """Something happens to each of some assets."""
    happenings, now = [Happening(EventType.VIOLATION_OPENED, fqn) for fqn in fqns], world.clock()
    await world.app.parts.services.store.write(lambda uow: uow.events.tell(scope_of(world), now, *happenings))
    await world.app.parts.events.tick()


async def followed(world: World, token: str, **headers: str) -> list[tuple[str, str]]:
    """The ids and names of what a stream of REST tells until it ends."""
    answer = await world.request("GET", "/utils/events/stream", token=token, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    frames = [
        dict(line.split(": ", 1) for line in one.split("\n")) for one in answer.text.split("\n\n") if "id:" in one
    ]
    return [(frame["id"], frame["event"]) for frame in frames]


async def test_a_stream_goes_on_after_the_last_event_seen(world: World) -> None:
    await tell(world, "a.b", "a.c", "a.d")
    following = asyncio.create_task(followed(world, world.owner))
    await asyncio.sleep(0.05)
    await tell(world, "a.e")
    kind = "violation.opened"
    assert await following in ([("4", kind)], [])  # a busy machine may open it after the fourth
    assert await followed(world, world.owner, **{"Last-Event-ID": "1"}) == [("2", kind), ("3", kind), ("4", kind)]
    late = await world.request("GET", "/utils/events/stream?last_event_id=9", token=world.owner)
    assert (late.status_code, late.json()["error"]["code"]) == (400, "INVALID_PARAMETER")
    hidden = await world.request(
        "GET", "/utils/events/stream?last_event_id=-1", token=world.owner, headers={"Last-Event-ID": "0"}
    )
    assert (hidden.status_code, hidden.json()["error"]["code"]) == (400, "INVALID_PARAMETER")


async def test_both_doors_filter_and_show_no_others(world: World, door: Door) -> None:
    await tell(world, "a.b.c", "a.bc", "a.b")
    found = await door(stream_events, world.owner, last_event_id=0, asset_fqn="a.b")
    assert "a.b.c" in str(found)
    assert "a.bc" not in str(found)
    strange = await door(stream_events, world.foreign_owner, last_event_id=0)
    assert "a.b" not in str(strange)


async def test_a_stream_ends_with_the_permission(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resolvers.granted_stream.CHECK_SECONDS", 0.0)
    monkeypatch.setattr(world.app.parts.services.signals.settings, "event_stream_seconds", 60.0)
    viewer = await world.member("viewer")
    following = asyncio.create_task(followed(world, viewer))
    await asyncio.sleep(0.2)
    assert not following.done()
    relations: Any = world.app.parts.services.relations
    who = subject_of("viewer-of-project", is_group=False)
    await relations.write(ORG, [], [RelationTuple(who, "viewer", object_name("project", world.shop))])
    assert await asyncio.wait_for(following, 20) == []
    refused = await world.request("GET", "/utils/events/stream", token=viewer)
    assert refused.status_code == 403
