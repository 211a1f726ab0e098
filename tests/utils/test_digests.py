"""Digests and quiet hours: what is gathered, when it is told, and that none is lost or told twice."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from persistence.tables.webhooks import webhooks
from resolvers.utils.webhooks import create_webhook, get_webhook, replay_webhook, send_webhook_test, update_webhook
from schema.data_readiness.violation import Severity
from schema.utils.webhook import QuietHours
from tests.doors import Door
from tests.utils.receiving import Receiver, log, made, receiver, settle, tell
from tests.world import World

pytestmark = pytest.mark.anyio

__all__ = ["receiver"]

CHAT = {"channel": "chat"}


def quiet(start: str, end: str, timezone: str = "UTC") -> dict[str, str]:
    """Quiet hours as they are sent."""
    return {"start": start, "end": end, "timezone": timezone}


def told(receiver: Receiver) -> list[str]:
    """The first line of each message."""
    return [body["text"].splitlines()[0] for body in receiver.bodies]


def at(world: World, hour: int, minute: int = 0) -> None:
    """Let it be a time of the next day."""
    day = world.clock().date() + timedelta(days=1)
    world.clock.moment = datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC)


async def test_a_digest_gathers_from_the_first_event_on(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver, digest_minutes=60, **CHAT)
    assert hook["webhook"]["digest_minutes"] == 60
    await tell(world, "a.x", severity=Severity.LOW)
    await settle(world, minutes=40)
    await tell(world, "a.y", severity=Severity.CRITICAL)
    assert told(receiver) == []
    waiting = await log(world, door, hook["webhook"]["id"])
    assert waiting[0]["due_at"] == waiting[1]["due_at"]
    await settle(world, minutes=21)
    assert told(receiver) == ["2 new violations in `a`"]
    assert receiver.bodies[0]["text"].splitlines()[1] == "• critical: `n` at `a.y`"
    await tell(world, "a.z")
    await settle(world, minutes=59)
    assert len(told(receiver)) == 1
    await settle(world, minutes=2)
    assert told(receiver)[1:] == ["1 new violation in `a.z`"]


async def test_a_test_does_not_wait_for_a_digest_or_for_the_morning(
    world: World, door: Door, receiver: Receiver
) -> None:
    at(world, 23)
    hours = quiet("22:00", "07:00")
    token = world.token("olga", project=world.shop)
    where = {"name": "Ours", "url": receiver.url, "digest_minutes": 60, "quiet_hours": hours, **CHAT}
    hook = await door(create_webhook, token, webhook=where)
    await tell(world, "a.x")
    await door(send_webhook_test, token, webhook_id=hook["webhook"]["id"])
    await settle(world)
    assert told(receiver) == ["1 test"]


async def test_what_happens_at_night_is_told_in_the_morning(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver, quiet_hours=quiet("22:00", "07:00"), **CHAT)
    assert hook["webhook"]["quiet_hours"] == quiet("22:00", "07:00")
    at(world, 21, 59)
    await tell(world, "a.early")
    at(world, 22)
    for name in ("a.x", "a.y"):
        await tell(world, name)
        await settle(world, hours=2)
    assert told(receiver) == ["1 new violation in `a.early`"]
    at(world, 6, 59)
    world.clock.moment -= timedelta(days=1)
    await settle(world)
    assert len(told(receiver)) == 1
    await settle(world, minutes=2)
    assert told(receiver)[1:] == ["2 new violations in `a`"]
    assert {one["status"] for one in await log(world, door, hook["webhook"]["id"])} == {"delivered"}


async def test_what_is_tried_again_is_not_tried_in_quiet_hours(world: World, door: Door, receiver: Receiver) -> None:
    await made(world, door, receiver, quiet_hours=quiet("22:00", "07:00"), **CHAT)
    receiver.will_answer(503)
    at(world, 21, 59)
    world.clock.moment += timedelta(seconds=58)
    await tell(world, "a.x")
    await settle(world, minutes=5)
    await settle(world, hours=5)
    assert len(receiver.bodies) == 1
    at(world, 7)
    await settle(world)
    first, again = receiver.stub.asked
    assert (first.body, first.headers["webhook-id"]) == (again.body, again.headers["webhook-id"])


async def test_a_digest_that_was_sent_by_who_then_died_comes_again_as_it_was(
    world: World, door: Door, receiver: Receiver
) -> None:
    hook = await made(world, door, receiver, digest_minutes=30, **CHAT)
    await tell(world, "a.x", "a.y")
    await settle(world, minutes=31)
    died = webhooks.update().values(leased_until=world.clock() + timedelta(seconds=1), round=9)
    rows = sa.text("update webhook_deliveries set status = 'waiting', due_at = created_at, ended_at = null")
    await world.app.parts.services.store.write(lambda uow: (uow.connection.execute(died), uow.connection.execute(rows)))
    await tell(world, "a.z")
    await settle(world, seconds=2)
    first, again = receiver.stub.asked
    assert (first.body, first.headers["webhook-id"]) == (again.body, again.headers["webhook-id"])
    await settle(world, minutes=31)
    assert told(receiver)[2:] == ["1 new violation in `a.z`"]
    assert [one["attempts"] for one in await log(world, door, hook["webhook"]["id"])] == [2, 2, 1]


async def test_another_digest_tells_what_was_gathered(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver, digest_minutes=1440, **CHAT)
    await tell(world, "a.x")
    changes = {"digest_minutes": 0}
    await door(update_webhook, world.owner, webhook_id=hook["webhook"]["id"], changes=changes)
    await settle(world)
    assert told(receiver) == ["1 new violation in `a.x`"]


async def test_a_replay_is_told_in_one_message_and_waits_for_the_morning(
    world: World, door: Door, receiver: Receiver
) -> None:
    at(world, 20)
    since = world.clock()
    token = world.token("olga", project=world.shop)
    where = {"name": "Ours", "url": receiver.url, "quiet_hours": quiet("22:00", "07:00"), **CHAT}
    hook = await door(create_webhook, token, webhook=where)
    await tell(world, "a.x")
    await tell(world, "a.y")
    world.clock.moment += timedelta(hours=3)
    token = world.token("olga", project=world.shop)
    await door(replay_webhook, token, webhook_id=hook["webhook"]["id"], replay={"since": since})
    await settle(world)
    assert len(told(receiver)) == 2
    await settle(world, hours=9)
    assert told(receiver)[2:] == ["2 new violations in `a`"]


async def test_more_than_a_message_tells_are_counted_and_the_rest_follows(
    world: World, door: Door, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resolvers.utils.webhook_delivery.MOST_GATHERED", 25)
    hook = await made(world, door, receiver, digest_minutes=1, **CHAT)
    await tell(world, *(f"a.t{number:02}" for number in range(40)))
    await settle(world, minutes=2)
    assert told(receiver) == ["25 new violations in `a`", "15 new violations in `a`"]
    assert [body["text"].splitlines()[11] for body in receiver.bodies] == ["and 15 more", "and 5 more"]
    assert len({one["message_id"] for one in await log(world, door, hook["webhook"]["id"])}) == 2


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"digest_minutes": 5}, "digest_minutes"),
        ({"quiet_hours": quiet("22:00", "07:00")}, "quiet_hours"),
        ({"quiet_hours": quiet("07:00", "07:00"), **CHAT}, "quiet_hours"),
        ({"quiet_hours": quiet("22:00", "07:00", "Mars/Base"), **CHAT}, "quiet_hours.timezone"),
        ({"quiet_hours": quiet("24:00", "07:00"), **CHAT}, "quiet_hours.start"),
        ({"quiet_hours": quiet("22:00", "07:60"), **CHAT}, "quiet_hours.end"),
    ],
)
async def test_what_cannot_be_waited_for_is_refused(
    world: World, door: Door, receiver: Receiver, given: dict[str, object], field: str
) -> None:
    body = {"name": "n", "url": receiver.url} | given
    refused = await door(create_webhook, world.owner, webhook=body)
    assert (refused, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, field)
    hook = await made(world, door, receiver, **({"channel": given["channel"]} if "channel" in given else {}))
    changes = {name: value for name, value in given.items() if name != "channel"}
    refused = await door(update_webhook, world.owner, webhook_id=hook["webhook"]["id"], changes=changes)
    assert (refused, refused.details["field"]) == ("VALIDATION_ERROR", field)


async def test_quiet_hours_are_taken_away_by_null(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver, quiet_hours=quiet("22:00", "07:00"), **CHAT)
    id = hook["webhook"]["id"]
    await door(update_webhook, world.owner, webhook_id=id, changes={"quiet_hours": None})
    assert (await door(get_webhook, world.owner, webhook_id=id))["quiet_hours"] is None


@pytest.mark.parametrize(
    ("hours", "moment", "over"),
    [
        (("22:00", "07:00", "UTC"), "2026-03-01T21:59:59", None),
        (("22:00", "07:00", "UTC"), "2026-03-01T22:00:00", "2026-03-02T07:00:00"),
        (("22:00", "07:00", "UTC"), "2026-03-02T06:59:59", "2026-03-02T07:00:00"),
        (("22:00", "07:00", "UTC"), "2026-03-02T07:00:00", None),
        (("12:00", "13:30", "UTC"), "2026-03-02T13:00:00", "2026-03-02T13:30:00"),
        (("12:00", "13:30", "UTC"), "2026-03-02T11:00:00", None),
        (("22:00", "07:00", "Europe/Berlin"), "2026-03-28T22:00:00", "2026-03-29T05:00:00"),  # forward in this night
        (("22:00", "07:00", "Europe/Berlin"), "2026-10-24T22:00:00", "2026-10-25T06:00:00"),  # and back in this one
        (("22:00", "02:30", "Europe/Berlin"), "2026-03-28T23:00:00", "2026-03-29T01:30:00"),  # an end that is skipped
        (("22:00", "02:30", "Europe/Berlin"), "2026-10-25T00:10:00", "2026-10-25T00:30:00"),  # one that comes twice
        (("22:00", "02:30", "Europe/Berlin"), "2026-10-25T01:10:00", "2026-10-25T01:30:00"),
        (("22:00", "07:00", "Asia/Kathmandu"), "2026-03-01T17:00:00", "2026-03-02T01:15:00"),
    ],
)
def test_when_quiet_hours_end(hours: tuple[str, str, str], moment: str, over: str | None) -> None:
    found = QuietHours(start=hours[0], end=hours[1], timezone=hours[2]).over_at(datetime.fromisoformat(moment + "Z"))
    assert found == (None if over is None else datetime.fromisoformat(over + "Z"))
