"""Webhooks to a chat: what people are told, in how many messages, and that the address is never shown again."""

import json
import logging
from datetime import timedelta

import pytest
import sqlalchemy as sa
import structlog

from persistence.queries.events import Happening
from persistence.tables.governance import secrets
from persistence.tables.webhooks import webhooks
from resolvers.utils.webhooks import (
    delete_webhook,
    get_webhook,
    list_webhook_deliveries,
    list_webhooks,
    replay_webhook,
    rotate_webhook_secret,
    send_webhook_test,
    update_webhook,
)
from schema.data_readiness.violation import Severity
from schema.utils.event import EventType
from tests.data_readiness.quality import scope_of
from tests.doors import Door
from tests.utils.receiving import Receiver, log, made, receiver, settle, tell
from tests.world import World

pytestmark = pytest.mark.anyio

__all__ = ["receiver"]

TOKEN = "T0-very-secret-B0"
CHAT = {"channel": "chat"}


def texts(receiver: Receiver) -> list[str]:
    """Return what people were told, in order."""
    assert all(set(body) == {"text"} for body in receiver.bodies)
    return [body["text"] for body in receiver.bodies]


async def happen(world: World, *happenings: Happening) -> None:
    """Let things happen in one transaction, and send all that is due."""
    now = world.clock()
    await world.app.parts.services.store.write(lambda uow: uow.events.tell(scope_of(world), now, *happenings))
    await settle(world)


def violation(fqn: str, severity: Severity, **data: object) -> Happening:
    """A violation that is found."""
    return Happening(EventType.VIOLATION_OPENED, fqn, severity, {"name": "late", **data})


async def test_what_a_run_finds_is_told_in_one_message_the_worst_first(
    world: World, door: Door, receiver: Receiver
) -> None:
    world.app.parts.settings.public_url = "https://stoa.example.com/"
    made_one = await made(world, door, receiver, **CHAT)
    worst = violation(
        "wh.shop.public.orders.order_date",
        Severity.CRITICAL,
        display_name="order_date after the load",
        wrong=43,
        checked=1200,
    )
    others = [violation(f"wh.shop.public.orders.c{n:02}", Severity.LOW) for n in range(11)]
    await happen(world, *others[:5], worst, *others[5:])
    (text,) = texts(receiver)
    lines = text.splitlines()
    assert lines[0] == "12 new violations in `wh.shop.public.orders`"
    told = "`order_date after the load` at `wh.shop.public.orders.order_date`, 43 of 1,200 wrong"
    assert lines[1] == f"• critical: {told}"
    assert lines[2] == "• low: `late` at `wh.shop.public.orders.c00`"
    assert lines[11] == "and 2 more"
    assert lines[12] == (
        "Decide about the violations in the inbox: "
        "https://stoa.example.com/console#/inbox?of=violations&like=wh.shop.public.orders%2A"
    )
    assert len(lines) == 13
    asked = receiver.stub.asked[0]
    assert asked.headers["content-type"].startswith("application/json")
    assert "webhook-signature" not in asked.headers
    done = await log(world, door, made_one["webhook"]["id"])
    assert {(one["status"], one["attempts"]) for one in done} == {("delivered", 1)}
    assert {one["message_id"] for one in done} == {asked.headers["webhook-id"]} == {done[0]["id"]}


async def test_a_message_that_failed_comes_again_as_it_was(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver, **CHAT)
    receiver.will_answer(503)
    await tell(world, "a.x", "a.y")
    await tell(world, "a.z")
    assert len(receiver.bodies) == 1
    await settle(world, seconds=6)
    first, again, then = receiver.stub.asked
    assert (first.body, first.headers["webhook-id"]) == (again.body, again.headers["webhook-id"])
    assert "a.z" not in json.loads(again.body)["text"]
    assert "`a.z`" in json.loads(then.body)["text"]
    done = await log(world, door, hook["webhook"]["id"])
    assert [(one["status"], one["attempts"]) for one in done] == [("delivered", 2)] * 2 + [("delivered", 1)]


async def test_who_dies_after_sending_sends_the_same_message_again(
    world: World, door: Door, receiver: Receiver
) -> None:
    hook = await made(world, door, receiver, **CHAT)
    await tell(world, "a.x", "a.y")
    died = webhooks.update().values(leased_until=world.clock() + timedelta(seconds=1), round=9)
    rows = sa.text("update webhook_deliveries set status = 'waiting', due_at = created_at, ended_at = null")
    await world.app.parts.services.store.write(lambda uow: (uow.connection.execute(died), uow.connection.execute(rows)))
    now = world.clock()
    await world.app.parts.services.store.write(
        lambda uow: uow.events.tell(scope_of(world), now, violation("a.z", Severity.LOW))
    )
    await settle(world, seconds=2)
    first, again, then = receiver.stub.asked
    assert (first.body, first.headers["webhook-id"]) == (again.body, again.headers["webhook-id"])
    assert then.headers["webhook-id"] != first.headers["webhook-id"]
    assert {one["status"] for one in await log(world, door, hook["webhook"]["id"])} == {"delivered"}


async def test_the_address_of_a_chat_is_never_shown_again(
    world: World, door: Door, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="stoa"), structlog.testing.capture_logs() as lines:
        address = f"{receiver.url}/{TOKEN}"
        hook = await made(world, door, receiver, url=address, **CHAT)
        id, host = hook["webhook"]["id"], f"http://127.0.0.1:{receiver.stub.port}"
        assert (hook["webhook"]["url"], hook["webhook"]["public_keys"], hook["secret"]) == (host, [], None)
        receiver.will_answer(404, 302)
        await tell(world, "a.b")
        await settle(world, seconds=6)
        await settle(world, seconds=60)
        assert [asked.path for asked in receiver.stub.asked] == [f"/hook/{TOKEN}"] * 3
        shown = [
            hook,
            await door(get_webhook, world.owner, webhook_id=id),
            await door(list_webhooks, world.owner),
            await door(update_webhook, world.owner, webhook_id=id, changes={"url": f"{receiver.url}/{TOKEN}/2"}),
            await door(update_webhook, world.owner, webhook_id=id, changes={"url": f"ftp://x/{TOKEN}"}),
            await door(update_webhook, world.owner, webhook_id=id, changes={"url": f"http://no.invalid/{TOKEN}"}),
            await door(list_webhook_deliveries, world.owner, webhook_id=id),
            await door(send_webhook_test, world.owner, webhook_id=id),
        ]
    assert TOKEN not in str([(one, getattr(one, "details", None), getattr(one, "message", None)) for one in shown])
    assert TOKEN not in str(await world.dump())
    audit = await world.request("GET", "/governance/audit", token=world.owner)
    assert TOKEN not in audit.text
    assert TOKEN not in str(lines) + caplog.text
    await settle(world)
    assert receiver.stub.asked[-1].path == f"/hook/{TOKEN}/2"
    await door(delete_webhook, world.owner, webhook_id=id)
    kept = sa.select(sa.func.count()).select_from(secrets).where(secrets.c.resource_type == "webhook")
    assert await world.app.parts.services.store.read(lambda uow: uow.connection.execute(kept).scalar_one()) == 0


async def test_another_address_on_the_same_host_is_a_change_and_the_same_one_is_none(
    world: World, door: Door, receiver: Receiver
) -> None:
    hook = await made(world, door, receiver, url=f"{receiver.url}/a", **CHAT)
    id = hook["webhook"]["id"]
    before = await world.request("GET", f"/utils/webhooks/{id}", token=world.owner)
    await door(update_webhook, world.owner, webhook_id=id, changes={"url": f"{receiver.url}/a"})
    same = await world.request("GET", f"/utils/webhooks/{id}", token=world.owner)
    await door(update_webhook, world.owner, webhook_id=id, changes={"url": f"{receiver.url}/b"})
    after = await world.request("GET", f"/utils/webhooks/{id}", token=world.owner)
    assert before.headers["etag"] == same.headers["etag"] != after.headers["etag"]


async def test_no_name_takes_a_form_links_or_calls_people(world: World, door: Door, receiver: Receiver) -> None:
    await made(world, door, receiver, **CHAT)
    nasty = "<!channel> @all `x` [a](https://evil.example)\n• critical: \u202eforged"
    await happen(world, violation("a.b", Severity.LOW, display_name=nasty))
    (text,) = texts(receiver)
    line = "`(!channel) @all 'x' [a](https://evil.example) • critical: forged`"
    assert text.splitlines() == [
        "1 new violation in `a.b`",
        f"• low: {line} at `a.b`",
        "Decide about the violations in the inbox.",
    ]


async def test_words_of_a_source_are_not_told(world: World, door: Door, receiver: Receiver) -> None:
    await made(world, door, receiver, **CHAT)
    await happen(
        world,
        Happening(
            EventType.RUN_ENDED,
            "a.b",
            Severity.HIGH,
            {"workflow_name": "Nightly", "status": "failed", "run_id": "r", "error_message": "key (Mia Muster) exists"},
        ),
        Happening(
            EventType.CONNECTION_BROKE, None, Severity.HIGH, {"name": "Shop", "message": "no route to db.internal"}
        ),
        Happening(EventType.SCHEMA_CHANGED, "a.b", None, {"change": "columns", "columns": [], "total": 0}),
    )
    (text,) = texts(receiver)
    assert "Muster" not in text
    assert "internal" not in text
    assert text.splitlines()[0] == "1 run ended, 1 broken connection, 1 change of columns or tables"
    assert "• high: `Nightly` failed at `a.b`" in text


async def test_a_test_and_a_replay_reach_a_chat_and_keys_are_not_turned(
    world: World, door: Door, receiver: Receiver
) -> None:
    hook = await made(world, door, receiver, types=["run.ended"], **CHAT)
    id, since = hook["webhook"]["id"], world.clock()
    await door(send_webhook_test, world.owner, webhook_id=id)
    await settle(world)
    assert texts(receiver) == ["1 test\n• `Ours` is tried out by `olga`"]
    await happen(world, Happening(EventType.RUN_ENDED, "a.b", None, {"workflow_name": "W", "status": "completed"}))
    again = await door(replay_webhook, world.owner, webhook_id=id, replay={"since": since})
    assert again == {"deliveries": 1}
    await settle(world)
    assert texts(receiver)[1:] == ["1 run ended in `a.b`\n• `W` completed at `a.b`"] * 2
    refused = await door(rotate_webhook_secret, world.owner, webhook_id=id)
    assert (refused, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "channel")


async def test_a_chat_that_leads_inside_is_refused(world: World, door: Door) -> None:
    where = {"name": "n", "url": "http://169.254.169.254/latest", **CHAT}
    refused = await world.request("POST", "/utils/webhooks", token=world.owner, json=where)
    assert refused.status_code == 422


async def test_a_chat_that_fails_for_three_days_pauses(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver, **CHAT)
    receiver.will_answer(*[503] * 60)
    await tell(world, "a.x", "a.y")
    for _ in range(40):
        await settle(world, hours=2)
    token = world.token("olga", project=world.shop)
    paused = await door(get_webhook, token, webhook_id=hook["webhook"]["id"])
    assert paused["status"] == "paused"
    assert {one["status"] for one in await log(world, door, hook["webhook"]["id"])} == {"given_up"}


async def test_an_address_that_no_longer_opens_pauses_it(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver, **CHAT)
    await world.app.parts.services.store.write(
        lambda uow: uow.connection.execute(secrets.update().values(sealed="v1.none.AAAAAAAAAAAAAAAA.AAAA"))
    )
    await tell(world, "a.x")
    assert receiver.stub.asked == []
    found = await door(get_webhook, world.owner, webhook_id=hook["webhook"]["id"])
    assert found["paused_reason"] == "Its address can no longer be opened. Update its url."
