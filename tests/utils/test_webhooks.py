"""Webhooks: what is signed and how, where nothing is sent, what is tried again, and what is never shown again."""

import asyncio
import base64
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import orjson
import pytest
import sqlalchemy as sa
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from auth.relations import RelationTuple, object_name, subject_of
from persistence.queries.events import Happening
from persistence.tables.governance import secrets
from persistence.tables.webhooks import webhook_deliveries, webhooks
from resolvers.utils.webhook_delivery import LONGEST_PAUSE, pause_after
from resolvers.utils.webhooks import (
    create_webhook,
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
from tests.support.golang import go_program
from tests.support.http_stub import Asked
from tests.support.node import node_script
from tests.utils.receiving import Receiver, log, made, receiver, settle, tell
from tests.world import ORG, World

pytestmark = pytest.mark.anyio

__all__ = ["receiver"]


def verified_by_key(public: str, asked: Asked) -> bool:
    """Return whether one of the `v1a` signatures is of this key, as the specification computes it."""
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public.removeprefix("whpk_")))
    signed = f"{asked.headers['webhook-id']}.{asked.headers['webhook-timestamp']}.".encode() + asked.body
    for one in asked.headers["webhook-signature"].split(" "):
        version, _, signature = one.partition(",")
        if version == "v1a":
            try:
                key.verify(base64.b64decode(signature), signed)
            except InvalidSignature:
                continue
            return True
    return False


async def test_an_event_arrives_signed_and_the_official_library_verifies_it(
    world: World, door: Door, receiver: Receiver
) -> None:
    hook = await made(world, door, receiver)
    await tell(world, "a.b.c.d", severity=Severity.HIGH)
    (asked,) = receiver.stub.asked
    body = Verifier(hook["secret"]).verify(asked.body, dict(asked.headers))
    assert (body["specversion"], body["type"], body["subject"]) == ("1.0", "stoa.violation.opened", "a.b.c.d")
    assert body["id"] == asked.headers["webhook-id"]
    assert asked.headers["content-type"].startswith("application/cloudevents+json")
    assert verified_by_key(hook["webhook"]["public_keys"][0], asked)
    (delivery,) = await log(world, door, hook["webhook"]["id"])
    assert (delivery["status"], delivery["response_status"], delivery["attempts"]) == ("delivered", 204, 1)
    assert delivery["event_id"] == body["id"]


async def delivered(world: World, door: Door, receiver: Receiver, folder: Path) -> tuple[str, bytes]:
    """Write one delivery down as the programs in other languages read it; return the file and the body."""
    hook = await made(world, door, receiver)
    await tell(world, "a.b.ç")
    (asked,) = receiver.stub.asked
    given = {"secret": hook["secret"], "headers": dict(asked.headers), "body": asked.body.decode()}
    (folder / "delivery.json").write_bytes(orjson.dumps(given))
    return str(folder / "delivery.json"), asked.body


async def test_the_official_library_for_javascript_verifies_it_too(
    world: World, door: Door, receiver: Receiver, tmp_path: Path
) -> None:
    file, body = await delivered(world, door, receiver, tmp_path)
    verified = await asyncio.to_thread(node_script, "verify_webhook.mjs", file)
    assert verified.returncode == 0, verified.stderr
    assert orjson.loads(verified.stdout) == orjson.loads(body)


@pytest.mark.long  # compiles a program
@pytest.mark.parametrize("store_kind", ["sqlite"])
async def test_the_official_library_for_go_verifies_it_too(
    world: World, door: Door, receiver: Receiver, tmp_path: Path
) -> None:
    file, body = await delivered(world, door, receiver, tmp_path)
    verified = await asyncio.to_thread(go_program, "verify_webhook.go", file)
    assert verified.returncode == 0, verified.stderr
    assert orjson.loads(verified.stdout) == orjson.loads(body)


async def test_a_forged_or_old_delivery_is_none(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver)
    await tell(world, "a.b")
    (asked,) = receiver.stub.asked
    verifier, headers = Verifier(hook["secret"]), dict(asked.headers)
    stranger = (await made(world, door, receiver, name="Other"))["secret"]
    old = str(int((datetime.now(UTC) - timedelta(hours=1)).timestamp()))
    for forged, with_headers, by in (
        (asked.body.replace(b"a.b", b"a.c"), headers, verifier),
        (asked.body, headers | {"webhook-id": str(uuid4())}, verifier),
        (asked.body, headers | {"webhook-timestamp": old}, verifier),
        (asked.body, headers, Verifier(stranger)),
    ):
        with pytest.raises(WebhookVerificationError):
            by.verify(forged, with_headers)
    changed = Asked(asked.method, asked.path, asked.query, asked.headers, asked.body + b" ")
    assert not verified_by_key(hook["webhook"]["public_keys"][0], changed)


async def test_for_a_day_after_a_rotation_both_keys_verify(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver)
    id, first = hook["webhook"]["id"], hook["secret"]
    turned = await door(rotate_webhook_secret, world.owner, webhook_id=id)
    second, keys = turned["secret"], turned["webhook"]["public_keys"]
    assert first != second
    assert keys[1:] == hook["webhook"]["public_keys"]
    await tell(world, "a.b")
    asked = receiver.stub.asked[-1]
    for secret in (first, second):
        Verifier(secret).verify(asked.body, dict(asked.headers))
    assert all(verified_by_key(key, asked) for key in keys)
    world.clock.moment += timedelta(hours=25)
    await tell(world, "a.b")
    last = receiver.stub.asked[-1]
    assert last.headers["webhook-signature"].count("v1,") == last.headers["webhook-signature"].count("v1a,") == 1
    assert verified_by_key(keys[0], last)
    assert not verified_by_key(keys[1], last)


async def test_a_secret_is_shown_once_and_kept_sealed(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver)
    id, raw = hook["webhook"]["id"], hook["secret"].removeprefix("whsec_")
    shown = [
        await door(get_webhook, world.owner, webhook_id=id),
        await door(list_webhooks, world.owner),
        await door(update_webhook, world.owner, webhook_id=id, changes={"name": "Another"}),
        await door(send_webhook_test, world.owner, webhook_id=id),
        await door(list_webhook_deliveries, world.owner, webhook_id=id),
    ]
    assert raw not in str(shown)
    dumped = str(await world.dump())
    assert raw not in dumped
    assert base64.b64decode(raw).hex() not in dumped
    assert str(base64.b64decode(raw))[2:-1] not in dumped
    through = await world.request("GET", f"/governance/resources/webhook/{id}/secrets/signing-1", token=world.owner)
    assert through.status_code in (400, 404)
    await door(delete_webhook, world.owner, webhook_id=id)
    kept = sa.select(sa.func.count()).select_from(secrets).where(secrets.c.resource_type == "webhook")
    assert await world.app.parts.services.store.read(lambda uow: uow.connection.execute(kept).scalar_one()) == 0
    assert (await door(get_webhook, world.owner, webhook_id=id)) == "RESOURCE_NOT_FOUND"


async def test_a_filter_lets_through_what_passes_all_of_it(world: World, door: Door, receiver: Receiver) -> None:
    about = {"types": ["violation.opened"], "asset_prefix": "a.b", "least_severity": "high"}
    await made(world, door, receiver, **about)
    await made(world, door, receiver, name="Runs", types=["run.ended"])
    await made(world, door, receiver, name="Sales", domains=["Sales"])
    for fqn, severity in (
        ("a.b.c", Severity.CRITICAL), ("a.bc", Severity.CRITICAL), ("a.b", Severity.LOW), ("a.b", None),
        (None, Severity.HIGH), ("a.b", Severity.HIGH),
    ):  # fmt: skip
        await tell(world, fqn, severity=severity)
    assert [(body["subject"], body["severity"]) for body in receiver.bodies] == [("a.b.c", "critical"), ("a.b", "high")]


async def test_a_test_goes_to_one_webhook_whatever_its_filter(world: World, door: Door, receiver: Receiver) -> None:
    await made(world, door, receiver, name="Other")
    hook = await made(world, door, receiver, types=["term.approved"])
    sent = await door(send_webhook_test, world.owner, webhook_id=hook["webhook"]["id"])
    await settle(world)
    (body,) = receiver.bodies
    assert (body["id"], body["type"]) == (sent["event_id"], "stoa.webhook.test")
    await door(update_webhook, world.owner, webhook_id=hook["webhook"]["id"], changes={"status": "paused"})
    assert await door(send_webhook_test, world.owner, webhook_id=hook["webhook"]["id"]) == "VALIDATION_ERROR"


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/hook", "https://user:pass@example.com/", "https://example.com/#part", "https:///hook",
        "http://169.254.169.254/latest", "http://[fd00:ec2::254]/", "https://no-such-name.invalid/", "http://x:99999/",
    ],
)  # fmt: skip
async def test_an_address_that_is_none_or_must_not_be_reached_is_refused(world: World, door: Door, url: str) -> None:
    refused = await door(create_webhook, world.owner, webhook={"name": "n", "url": url})
    assert (refused, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "url")
    assert (await door(list_webhooks, world.owner))["total"] == 0


async def test_what_leads_inside_later_is_not_sent(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver)
    moved = webhooks.update().values(url="http://169.254.169.254/latest")
    await world.app.parts.services.store.write(lambda uow: uow.connection.execute(moved))
    await tell(world, "a.b")
    assert receiver.stub.asked == []
    (delivery,) = await log(world, door, hook["webhook"]["id"])
    assert (delivery["status"], delivery["response_status"]) == ("waiting", None)
    assert "metadata service" in delivery["error"]


async def test_a_redirect_is_a_failure_and_is_not_followed(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver)
    receiver.will_answer(302, 307, headers={"Location": receiver.url + "/elsewhere"})
    await tell(world, "a.b")
    assert [asked.path for asked in receiver.stub.asked] == ["/hook"]
    (delivery,) = await log(world, door, hook["webhook"]["id"])
    assert (delivery["status"], delivery["response_status"], delivery["attempts"]) == ("waiting", 302, 1)
    assert "never read" not in str(delivery)


async def test_a_lane_waits_for_its_first_and_the_others_go_on(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver)
    receiver.will_answer(500)
    await tell(world, "a.x")
    await tell(world, "a.x")
    await tell(world, "a.y")
    assert [body["subject"] for body in receiver.bodies] == ["a.x", "a.y"]
    await settle(world, seconds=6)
    sent = [(body["subject"], int(body["sequence"])) for body in receiver.bodies]
    assert sent == [("a.x", 1), ("a.y", 3), ("a.x", 1), ("a.x", 2)]
    assert receiver.bodies[0]["id"] == receiver.bodies[2]["id"]
    done = await log(world, door, hook["webhook"]["id"])
    assert [(one["status"], one["attempts"]) for one in done] == [("delivered", 2), ("delivered", 1), ("delivered", 1)]
    now = await door(get_webhook, world.owner, webhook_id=hook["webhook"]["id"])
    assert (now["failures"], now["failing_since"]) == (0, None)


async def test_after_three_days_of_failures_it_pauses_and_a_replay_sends_the_rest(
    world: World, door: Door, receiver: Receiver
) -> None:
    hook = await made(world, door, receiver)
    id, since = hook["webhook"]["id"], world.clock()
    receiver.will_answer(*[503] * 60)
    await tell(world, "a.x", "a.y")
    for _ in range(40):
        await settle(world, hours=2)
    token = world.token("olga", project=world.shop)
    paused = await door(get_webhook, token, webhook_id=id)
    assert paused["status"] == "paused"
    assert "three days" in paused["paused_reason"]
    assert "given_up" in {one["status"] for one in await log(world, door, id)}
    attempts = len(receiver.bodies)
    assert 20 <= attempts <= 60
    await tell(world, "a.z")
    assert len(receiver.bodies) == attempts
    receiver.answers.clear()
    assert await door(replay_webhook, token, webhook_id=id, replay={"since": since}) == "VALIDATION_ERROR"
    active = await door(update_webhook, token, webhook_id=id, changes={"status": "active"})
    assert (active["status"], active["paused_reason"], active["failures"]) == ("active", None, 0)
    done = await door(replay_webhook, token, webhook_id=id, replay={"since": since})
    assert done == {"deliveries": 3}
    before = {body["id"] for body in receiver.bodies}
    await settle(world)
    again = receiver.bodies[attempts:]
    assert {body["subject"] for body in again} == {"a.x", "a.y", "a.z"}
    assert {body["id"] for body in again if body["subject"] != "a.z"} == before


async def test_one_that_is_gone_for_good_pauses_at_once(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver)
    receiver.will_answer(410)
    await tell(world, "a.x")
    paused = await door(get_webhook, world.owner, webhook_id=hook["webhook"]["id"])
    assert (paused["status"], "410" in paused["paused_reason"]) == ("paused", True)


async def test_nothing_is_sent_for_somebody_who_may_not_read_any_more(
    world: World, door: Door, receiver: Receiver
) -> None:
    developer = await world.member("developer")
    answer = await door(create_webhook, developer, webhook={"name": "Theirs", "url": receiver.url})
    lost = RelationTuple(
        subject_of("developer-of-project", is_group=False), "developer", object_name("project", world.shop)
    )
    await world.app.parts.services.relations.write(ORG, [], [lost])
    await tell(world, "a.b")
    assert receiver.stub.asked == []
    paused = await door(get_webhook, world.owner, webhook_id=answer["webhook"]["id"])
    assert paused["status"] == "paused"
    assert "developer-of-project" in paused["paused_reason"]


async def test_a_round_of_a_process_that_died_is_begun_again(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver)
    now = world.clock()
    dead = webhooks.update().values(leased_until=now + timedelta(seconds=30), round=7)
    await world.app.parts.services.store.write(lambda uow: uow.connection.execute(dead))
    await tell(world, "a.b")
    assert receiver.stub.asked == []
    await settle(world, seconds=31)
    assert len(receiver.stub.asked) == 1
    state = sa.select(webhooks.c.round, webhooks.c.leased_until)
    left = await world.app.parts.services.store.read(lambda uow: uow.connection.execute(state).one())
    assert tuple(left) == (8, None)
    assert len(await log(world, door, hook["webhook"]["id"])) == 1


async def test_those_that_struggle_leave_places_for_the_others(world: World, door: Door, receiver: Receiver) -> None:
    for number in range(9):
        await made(world, door, receiver, name=f"h{number}")
    services, now = world.app.parts.services, world.clock()
    failing = webhooks.update().where(webhooks.c.name != "h8").values(failures=1)
    await services.store.write(lambda uow: uow.connection.execute(failing))
    happening = Happening(EventType.RUN_ENDED)
    await services.store.write(lambda uow: uow.events.tell(scope_of(world), now, happening))
    await world.app.parts.events.tick()
    later = world.clock()
    taken = await services.store.write(
        lambda uow: uow.webhooks.lease(later, later + timedelta(seconds=30), most=8, most_struggling=4)
    )
    names = sa.select(webhooks.c.name).where(webhooks.c.id.in_([id for id, _ in taken]))
    found = await services.store.read(lambda uow: set(uow.connection.execute(names).scalars()))
    assert len(found) == 5
    assert "h8" in found
    more = await services.store.write(
        lambda uow: uow.webhooks.lease(later, later + timedelta(seconds=30), most=8, most_struggling=4)
    )
    assert more == []


async def test_a_window_of_nothing_and_one_of_too_much_are_refused(
    world: World, door: Door, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = await made(world, door, receiver)
    id, since = hook["webhook"]["id"], world.clock()
    later = since + timedelta(days=1)
    refused = await door(replay_webhook, world.owner, webhook_id=id, replay={"since": later})
    assert (refused, refused.details["field"]) == ("VALIDATION_ERROR", "since")
    await tell(world, "a.x", "a.y", "a.z")
    monkeypatch.setattr("resolvers.utils.webhooks.MOST_REPLAYED", 2)
    refused = await door(replay_webhook, world.owner, webhook_id=id, replay={"since": since})
    assert (refused, refused.details["field"]) == ("VALIDATION_ERROR", "since")


async def test_a_project_has_so_many_webhooks_and_another_ones_are_not_seen(
    world: World, door: Door, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = await made(world, door, receiver)
    monkeypatch.setattr("resolvers.utils.webhooks.MOST_WEBHOOKS", 1)
    assert await door(create_webhook, world.owner, webhook={"name": "n", "url": receiver.url}) == "QUOTA_EXCEEDED"
    assert await door(get_webhook, world.foreign_owner, webhook_id=hook["webhook"]["id"]) == "RESOURCE_NOT_FOUND"
    assert (await door(list_webhooks, world.foreign_owner))["total"] == 0


def test_pauses_double_up_to_some_hours_and_differ() -> None:
    for attempts, longest in ((1, 5), (2, 10), (5, 80), (40, LONGEST_PAUSE.total_seconds())):
        found = {pause_after(attempts).total_seconds() for _ in range(50)}
        assert all(longest / 2 <= one <= longest for one in found)
        assert len(found) > 40


def test_the_table_of_deliveries_has_no_body() -> None:
    assert {"body", "data", "headers"}.isdisjoint(webhook_deliveries.c.keys())
