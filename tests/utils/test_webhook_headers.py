"""Headers of webhooks: sent to the server that they were entered for, sealed, never shown, and replaced as a whole."""

from typing import Any

import pytest
import sqlalchemy as sa

from persistence.tables.governance import secrets
from persistence.tables.webhooks import webhooks
from resolvers.utils.webhooks import (
    create_webhook,
    delete_webhook,
    get_webhook,
    list_webhook_deliveries,
    list_webhooks,
    send_webhook_test,
    update_webhook,
)
from schema.utils.webhook import WebhookChannel
from tests.data_readiness.workflows import written
from tests.doors import Door
from tests.utils.receiving import Receiver, made, receiver, settle, tell
from tests.world import World

pytestmark = pytest.mark.anyio

__all__ = ["receiver"]

TOKEN = "Bearer a-token-that-nobody-is-shown"
LETS_IN = [{"name": "Authorization", "value": TOKEN}, {"name": "X-Api-Key", "value": "k 1"}]


async def changed(world: World, door: Door, hook: dict[str, Any], **changes: Any) -> Any:
    """Update a webhook."""
    return await door(update_webhook, world.owner, webhook_id=hook["webhook"]["id"], changes=changes)


@pytest.mark.parametrize("channel", [WebhookChannel.WEBHOOK, WebhookChannel.CHAT])
async def test_each_request_carries_them_and_nobody_is_shown_them(
    world: World, door: Door, receiver: Receiver, channel: WebhookChannel
) -> None:
    hook = await made(world, door, receiver, headers=LETS_IN, channel=channel.value)
    id = hook["webhook"]["id"]
    assert hook["webhook"]["header_names"] == ["Authorization", "X-Api-Key"]
    await tell(world, "a.b")
    (asked,) = receiver.stub.asked
    assert (asked.headers["authorization"], asked.headers["x-api-key"]) == (TOKEN, "k 1")
    assert asked.headers["content-type"].startswith("application/")
    shown = [
        await door(get_webhook, world.owner, webhook_id=id),
        await door(list_webhooks, world.owner),
        await changed(world, door, hook, name="Another"),
        await door(send_webhook_test, world.owner, webhook_id=id),
        await door(list_webhook_deliveries, world.owner, webhook_id=id),
    ]
    assert TOKEN not in str((hook, shown, await world.dump()))
    await door(delete_webhook, world.owner, webhook_id=id)
    kept = sa.select(sa.func.count()).select_from(secrets).where(secrets.c.resource_type == "webhook")
    assert await world.app.parts.services.store.read(lambda uow: uow.connection.execute(kept).scalar_one()) == 0


async def test_they_go_to_no_other_server(world: World, door: Door, receiver: Receiver) -> None:
    hook = await made(world, door, receiver, headers=LETS_IN)
    elsewhere = f"http://localhost:{receiver.stub.port}/hook"
    refused = await changed(world, door, hook, url=elsewhere)
    assert (refused, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, "headers")
    same = await changed(world, door, hook, url=f"{receiver.url}/further")
    assert same["header_names"] == ["Authorization", "X-Api-Key"]

    def moved(uow: Any) -> None:
        uow.connection.execute(webhooks.update().values(url=elsewhere))

    await written(world, moved)
    await tell(world, "a.b")
    assert receiver.stub.asked == []
    stands = await door(get_webhook, world.owner, webhook_id=hook["webhook"]["id"])
    assert (stands["status"], "another server" in stands["paused_reason"]) == ("paused", True)
    anew = await changed(world, door, hook, headers=LETS_IN[1:], status="active")
    assert anew["header_names"] == ["X-Api-Key"]
    await settle(world, seconds=6)
    (asked,) = receiver.stub.asked
    assert ("authorization" in asked.headers, asked.headers["x-api-key"]) == (False, "k 1")
    none = await changed(world, door, hook, headers=[], url=receiver.url)
    assert none["header_names"] == []
    await tell(world, "a.b")
    assert "x-api-key" not in receiver.stub.asked[-1].headers


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"headers": [{"name": "Webhook-Signature", "value": "v1,x"}]}, "headers.0.name"),
        ({"headers": [*LETS_IN, {"name": "authorization", "value": "x"}]}, "headers.2.name"),
        ({"headers": [{"name": "Transfer-Encoding", "value": "chunked"}]}, "headers.0.name"),
        ({"headers": [{"name": "X-A", "value": "b\r\nX-C: d"}]}, "headers.0.value"),
        ({"headers": [{"name": "X A", "value": "b"}]}, "headers.0.name"),
        ({"headers": [{"name": f"X-{at}", "value": "b"} for at in range(11)]}, "headers"),
    ],
)
async def test_what_is_no_header_or_the_platforms_own_is_refused(
    world: World, door: Door, receiver: Receiver, given: dict[str, Any], field: str
) -> None:
    refused = await door(create_webhook, world.owner, webhook={"name": "n", "url": receiver.url} | given)
    assert (refused, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, field)
    hook = await made(world, door, receiver)
    refused = await changed(world, door, hook, **given)
    assert (refused.status, refused.details["field"]) == (422, field)
