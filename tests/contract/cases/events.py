"""Events and webhooks, checked on their project."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from persistence.queries.events import Happening
from persistence.repository import Scope
from schema.utils.event import EventType
from schema.utils.webhook import WebhookCreate, WebhookReplay, WebhookUpdate
from tests.contract.stage import MARK, Case, Place, Stage

NOWHERE = "http://127.0.0.1:1/hook"


async def an_event(stage: Stage, place: Place) -> dict[str, Any]:
    """An event that a list would show."""
    scope, now = Scope(place.organization, place.project), stage.world.clock()
    happening = Happening(EventType.RUN_ENDED, f"{MARK}.db.public.orders", data={"workflow_name": f"{MARK} work"})
    await stage.world.app.parts.services.store.write(lambda uow: uow.events.tell(scope, now, happening))
    await stage.world.app.parts.events.tick()
    return {}


async def new_webhook(stage: Stage, place: Place) -> dict[str, Any]:
    """A webhook to create."""
    return {"webhook": WebhookCreate(name=f"{MARK} {uuid4().hex}", url=NOWHERE)}


async def webhook(stage: Stage, place: Place) -> dict[str, Any]:
    """A webhook that stands."""
    body = {"name": f"{MARK} {uuid4().hex}", "url": f"{NOWHERE}/{MARK}", "types": ["term.approved"]}
    return {"webhook_id": (await stage.made(place, "POST", "/utils/webhooks", body))["webhook"]["id"]}


async def a_list_of_webhooks(stage: Stage, place: Place) -> dict[str, Any]:
    """A webhook that a list would show."""
    await webhook(stage, place)
    return {}


async def changed_webhook(stage: Stage, place: Place) -> dict[str, Any]:
    """A webhook, and a new name."""
    return await webhook(stage, place) | {"changes": WebhookUpdate.model_validate({"name": "new"})}


async def webhook_with_a_window(stage: Stage, place: Place) -> dict[str, Any]:
    """A webhook, and a window of events."""
    since = stage.world.clock() - timedelta(hours=1)
    return await webhook(stage, place) | {"replay": WebhookReplay(since=since)}


CASES = [
    Case("list_events", "project", "can_read", an_event),
    Case("stream_events", "project", "can_read", an_event),
    Case("create_webhook", "project", "can_create_resources", new_webhook),
    Case("list_webhooks", "project", "can_read", a_list_of_webhooks),
    Case("get_webhook", "project", "can_read", webhook, "webhook_id"),
    Case("update_webhook", "project", "can_write", changed_webhook, "webhook_id"),
    Case("delete_webhook", "project", "can_delete", webhook, "webhook_id"),
    Case("rotate_webhook_secret", "project", "can_write", webhook, "webhook_id"),
    Case("send_webhook_test", "project", "can_write", webhook, "webhook_id"),
    Case("list_webhook_deliveries", "project", "can_read", webhook, "webhook_id"),
    Case("replay_webhook", "project", "can_write", webhook_with_a_window, "webhook_id"),
]
