"""Sending what is in line for webhooks, by the durable job engine.

A tick takes the webhooks for which something is due, each under a lease with a number, and queues one job for each: a
round. A round sends for some seconds, several lanes at once and each in order, and keeps how every attempt went. A
process that dies in the middle leaves deliveries that wait and a lease that runs out: they are sent again, under the
same ids. So nothing is lost, and a receiver that sees an id again passes over it.

A program gets each event by itself. People get a message about all that is due, which is put together and written down
before it is sent, so that it is the same message when it is sent again.
"""

import asyncio
import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import orjson

from auth.caller import Caller
from auth.guard import Guard
from persistence.jobs.port import JobContext
from persistence.keyring import SealBroken, secret_data
from persistence.mail_sending import Mail, recipients_of
from persistence.queries.secrets import Sealed
from persistence.queries.waiting import deliveries_wait
from persistence.repository import Scope
from persistence.store import UnitOfWork
from persistence.web_addresses import server_digest
from persistence.webhook_sending import CONTENT_TYPE, Attempt
from persistence.webhook_signing import SigningKeys, signed_headers
from resolvers.context import Services
from resolvers.engines.messages import Message, in_chat, message, plain
from resolvers.utils.event_settings import EventSettings
from resolvers.utils.run_lineage import run_at
from resolvers.utils.webhook_secrets import ADDRESS, HEADERS, SECRETS_OF, key_name
from schema.governance.permission import Permission
from schema.utils.event import PlatformEvent, cloud_event
from schema.utils.webhook import DeliveryStatus, Webhook, WebhookChannel, WebhookDelivery, WebhookFormat, WebhookStatus

log = logging.getLogger("stoa.webhooks")

ROUND_JOB: Final = "webhook-round"
AT_ONCE: Final = 8
"""How many webhooks are sent to at once, in all processes together, whose receivers answer well."""
STRUGGLING_AT_ONCE: Final = 4
"""How many are whose receivers fail or are slow."""
LANES_AT_ONCE: Final = 4
"""How many deliveries of one webhook are on their way at once, each about another asset."""
SLOW: Final = 2_000
"""From how many milliseconds on a receiver counts as slow."""
TRIED_FOR: Final = timedelta(days=3)
"""How long a delivery is tried."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=5), timedelta(hours=4)
FAILURES_IN_A_ROW: Final = 3
"""After how many failures a receiver rests as a whole, whatever is due."""
GONE: Final = 410
MOST_GATHERED: Final = 1_000
"""How many events one message to people tells of."""


_UNSEALED: Final = {
    WebhookChannel.WEBHOOK: "Its keys can no longer be opened. Rotate its secret.",
    WebhookChannel.CHAT: "Its address can no longer be opened. Update its url.",
}


@dataclass(frozen=True, slots=True, repr=False)
class _Round:
    """One lease of a webhook, and what is needed to send."""

    webhook: Webhook
    number: int
    address: str
    keys: tuple[SigningKeys, ...]
    caller: Caller
    headers: Mapping[str, str]
    """What each request carries besides."""

    def kept(self, uow: UnitOfWork) -> Webhook | None:
        """The webhook as it is now, while the lease holds and it sends."""
        leased = uow.webhooks.leased(self.webhook.id, self.number)
        return leased[0] if leased is not None and leased[0].status is WebhookStatus.ACTIVE else None


def pause_after(attempts: int) -> timedelta:
    """How long to wait after so many failed attempts: 5 seconds doubled each time, 4 hours at most, less up to half."""
    longest: timedelta = min(FIRST_PAUSE * 2 ** min(attempts - 1, 30), LONGEST_PAUSE)
    return longest * float(1 - random.random() / 2)  # noqa: S311 - spreads what would come at once; no secret


def _waits_at_most(webhook: Webhook) -> timedelta:
    """How long something may wait before it is tried first."""
    return timedelta(minutes=webhook.digest_minutes, days=0 if webhook.quiet_hours is None else 1)


class Deliveries:
    """Sends what is in line, in whichever process the job engine chooses."""

    def __init__(self, services: Services, settings: EventSettings) -> None:
        self._services, self._settings = services, settings
        self._lease = timedelta(seconds=settings.webhook_round_seconds + 3 * settings.webhook_timeout_seconds)

    def register(self) -> None:
        """Tell the job engine what it can be asked to do."""
        self._services.jobs.register(ROUND_JOB, self._send)

    async def take_up(self) -> None:
        """Queue what is due; leases of processes that died run out by themselves."""
        await self.tick()

    async def tick(self) -> None:
        """Take the webhooks for which something is due, and queue a round for each."""
        now = self._services.clock()

        def work(uow: UnitOfWork) -> list[tuple[str, int]]:
            return uow.webhooks.lease(now, now + self._lease, most=AT_ONCE, most_struggling=STRUGGLING_AT_ONCE)

        store = self._services.store
        if not await deliveries_wait(store.database, now) or not await store.read(
            lambda uow: uow.webhooks.any_due(now)
        ):
            return
        for id, number in await store.write(work):
            await self._services.jobs.enqueue(
                ROUND_JOB, {"webhook_id": id, "round": number}, key=f"webhook-{id}-{number}"
            )

    async def watch(self) -> None:
        """Look for what is due again and again until cancelled."""
        while True:
            try:
                await self.tick()
            except Exception:
                log.exception("webhooks could not be looked through; trying again")
            await asyncio.sleep(self._settings.event_tick_seconds)

    async def _send(self, job: JobContext, arguments: Mapping[str, Any]) -> None:
        """Carry one round out."""
        id, number = arguments["webhook_id"], arguments["round"]
        begun = await self._begun(id, number)
        if begun is not None:
            loop = asyncio.get_running_loop()
            end = loop.time() + self._settings.webhook_round_seconds
            while loop.time() < end and not job.cancelled.is_set() and await self._some(begun):
                pass
        await self._services.store.write(lambda uow: uow.webhooks.release(id, number))
        await self.tick()

    async def _begun(self, id: str, number: int) -> _Round | None:
        """Return what a round needs; None when another one has begun, or who the webhook acts for may not read any
        more.
        """

        def work(uow: UnitOfWork) -> tuple[Webhook, dict[str, Any], dict[str, Sealed]] | None:
            leased = uow.webhooks.leased(id, number)
            if leased is None or leased[0].status is not WebhookStatus.ACTIVE:
                return None
            webhook, caller, version = leased
            sealed = uow.secrets.sealed(Scope(webhook.organization_id), SECRETS_OF, id)
            old = webhook.old_keys_until is not None and webhook.old_keys_until > self._services.clock()
            names = [ADDRESS, HEADERS, key_name(version), *([key_name(version - 1)] if old else [])]
            return webhook, caller, {name: sealed[name] for name in names if name in sealed}

        found = await self._services.store.read(work)
        if found is None:
            return None
        webhook, caller, sealed = found
        if not await self._may_read(Caller.from_dict(caller), webhook):
            reason = f"{caller.get('user_id')} may no longer read this project. Have somebody who may save the webhook."
            await self._pause(webhook.id, reason)
            return None
        try:
            held = sealed.pop(HEADERS, None)
            opened = {name: self._opened(webhook, name, one) for name, one in sealed.items()}
            address = opened.pop(ADDRESS).decode() if webhook.channel is WebhookChannel.CHAT else webhook.url
        except (SealBroken, KeyError):
            await self._pause(webhook.id, _UNSEALED[webhook.channel])
            return None
        try:
            headers = self._headers(webhook, held, address)
        except SealBroken:
            await self._pause(webhook.id, "Its headers can no longer be opened, or are of another server. Update them.")
            return None
        keys = tuple(SigningKeys.unpacked(packed) for packed in opened.values())
        return _Round(webhook, number, address, keys, Caller.from_dict(caller), headers)

    def _headers(self, webhook: Webhook, held: Sealed | None, address: str) -> dict[str, str]:
        """Return what each request carries besides. Raises SealBroken for what was entered for another server."""
        if held is None:
            if webhook.header_names:
                raise SealBroken
            return {}
        if held.bound_to != server_digest(address):
            raise SealBroken
        headers: dict[str, str] = orjson.loads(self._opened(webhook, HEADERS, held))
        return headers

    def _opened(self, webhook: Webhook, name: str, sealed: Sealed) -> bytes:
        place = secret_data(webhook.organization_id, SECRETS_OF, webhook.id, name, sealed.bound_to)
        return self._services.keyring.open(sealed.text, place)

    async def _may_read(self, caller: Caller, webhook: Webhook) -> bool:
        guard = Guard(self._services.relations)
        return await guard.allows(caller, Permission.CAN_READ, "project", webhook.project_id)

    async def _some(self, begun: _Round) -> bool:
        """Send the first of some lanes; whether there may be more to send in this round."""
        if begun.webhook.channel is not WebhookChannel.WEBHOOK:
            return await self._messages(begun)
        now = self._services.clock()

        def work(uow: UnitOfWork) -> tuple[list[WebhookDelivery], dict[str, PlatformEvent]]:
            heads = uow.webhook_deliveries.heads(begun.webhook.id, now, LANES_AT_ONCE) if begun.kept(uow) else []
            return heads, uow.events.of_ids([head.event_id for head in heads])

        heads, events = await self._services.store.read(work)
        went = await asyncio.gather(*(self._one(begun, head, events.get(head.event_id)) for head in heads))
        return bool(went) and all(went)

    async def _one(self, begun: _Round, delivery: WebhookDelivery, event: PlatformEvent | None) -> bool:
        """Make one attempt at one delivery, and keep how it went; whether the receiver took it."""
        if event is None:
            return await self._forgotten(delivery)
        attempt: Attempt | None = None
        for id, content_type, told in await self._bodies(begun, delivery, event):
            body = orjson.dumps(told)
            signed = signed_headers(begun.keys, id, self._services.clock(), body)
            headers = {**begun.headers, "Content-Type": content_type, **signed}
            attempt = await self._services.webhooks.send(begun.address, headers, body)
            if not attempt.taken:
                break  # it is sent again from the first on: receivers know what comes twice by its id
        if attempt is None:
            return await self._forgotten(
                delivery, "The run never began, or is no longer kept: there is nothing to tell."
            )
        return await self._kept(begun, delivery, attempt)

    async def _bodies(
        self, begun: _Round, delivery: WebhookDelivery, event: PlatformEvent
    ) -> list[tuple[str, str, dict[str, Any]]]:
        """Return what is sent of an event, in order: each with its id and its type of content."""
        if begun.webhook.format is WebhookFormat.CLOUDEVENTS:
            return [(event.id, CONTENT_TYPE, cloud_event(event))]
        events = await run_at(self._services.store, Guard(self._services.relations), begun.caller, event)
        last = len(events) - 1
        if last and await self._services.store.read(
            lambda uow: uow.webhook_deliveries.was_told_start(delivery, event.data["run_id"])
        ):
            events, last = events[1:], 0
        return [
            (event.id if at == last else f"{event.id}-{one['eventType']}", "application/json", one)
            for at, one in enumerate(events)
        ]

    async def _messages(self, begun: _Round) -> bool:
        """Send people one message about all that is due, and one about tests; whether there may be more to send."""
        now = self._services.clock()

        def work(uow: UnitOfWork) -> list[tuple[list[WebhookDelivery], dict[str, PlatformEvent]]]:
            webhook = begun.kept(uow)
            if webhook is None:
                return []
            quiet = None if webhook.quiet_hours is None else webhook.quiet_hours.over_at(now)
            if quiet is not None:
                uow.webhook_deliveries.hold_back(webhook.id, now, quiet)
            heads = uow.webhook_deliveries.heads(webhook.id, now, LANES_AT_ONCE)
            gathered = [uow.webhook_deliveries.gathered(head, now, MOST_GATHERED) for head in heads]
            return [(some, uow.events.of_ids([one.event_id for one in some])) for some in gathered]

        told = await self._services.store.write(work)
        went = [await self._message(begun, some, events) for some, events in told]
        return bool(went) and all(went)

    async def _message(
        self, begun: _Round, gathered: list[WebhookDelivery], events: Mapping[str, PlatformEvent]
    ) -> bool:
        """Make one attempt at one message, and keep how it went; whether the receiver took it."""
        first = gathered[0]
        if not events:
            return await self._forgotten(first)
        more, root = len({one.event_id for one in gathered}) - len(events), self._settings.public_url
        by_mail = begun.webhook.channel is WebhookChannel.EMAIL
        said = message(list(events.values()), more=more, root=root, say=plain if by_mail else in_chat)
        attempt = await (self._mailed if by_mail else self._chatted)(begun, first, said)
        return await self._kept(begun, first, attempt)

    async def _chatted(self, begun: _Round, first: WebhookDelivery, said: Message) -> Attempt:
        own = {"Content-Type": "application/json; charset=utf-8", "webhook-id": str(first.message_id)}
        headers = {**begun.headers, **own}
        return await self._services.webhooks.send(begun.address, headers, orjson.dumps({"text": said.text}))

    async def _mailed(self, begun: _Round, first: WebhookDelivery, said: Message) -> Attempt:
        recipients = recipients_of(begun.address)
        mail = Mail(str(first.message_id), recipients, said.headline, said.text, first.created_at)
        return await self._services.mail.send(mail)

    async def _forgotten(self, delivery: WebhookDelivery, said: str = "The event is no longer kept.") -> bool:
        """Give up what tells of nothing that is still kept; True, as what is behind it may go on."""
        over: dict[str, Any] = {"status": DeliveryStatus.GIVEN_UP, "due_at": None, "ended_at": self._services.clock()}
        await self._services.store.write(lambda uow: uow.webhook_deliveries.tried(delivery, **over, error=said))
        return True

    async def _kept(self, begun: _Round, delivery: WebhookDelivery, attempt: Attempt) -> bool:
        """Keep how an attempt went; whether the receiver took it."""
        now = self._services.clock()
        await self._services.store.write(lambda uow: self._keep(uow, begun.webhook, delivery, attempt, now))
        return attempt.taken

    def _keep(
        self, uow: UnitOfWork, sent_for: Webhook, delivery: WebhookDelivery, attempt: Attempt, now: datetime
    ) -> None:
        told: dict[str, Any] = {
            "response_status": attempt.status,
            "error": attempt.error,
            "milliseconds": attempt.milliseconds,
        }
        webhook_id = sent_for.id
        webhook = uow.webhooks.find(Scope(sent_for.organization_id, sent_for.project_id), webhook_id)
        if webhook is None:
            return  # it was deleted meanwhile
        if attempt.taken:
            uow.webhook_deliveries.tried(delivery, status=DeliveryStatus.DELIVERED, due_at=None, ended_at=now, **told)
            uow.webhooks.took(webhook_id, now, is_slow=attempt.milliseconds >= SLOW)
            return
        is_over = now >= delivery.created_at + _waits_at_most(webhook) + TRIED_FOR
        ends = {"status": DeliveryStatus.GIVEN_UP, "due_at": None, "ended_at": now}
        again = {"due_at": now + pause_after(delivery.attempts + 1)}
        uow.webhook_deliveries.tried(delivery, **told, **(ends if is_over else again))
        failures = webhook.failures + 1
        rests = None if failures < FAILURES_IN_A_ROW else now + pause_after(failures - FAILURES_IN_A_ROW + 1)
        uow.webhooks.failed(webhook_id, now, rests)
        if attempt.status == GONE:
            uow.webhooks.pause(webhook_id, "The receiver answered that it is gone for good (HTTP 410).", now)
        elif is_over and webhook.failing_since is not None and webhook.failing_since <= now - TRIED_FOR:
            uow.webhooks.pause(
                webhook_id, f"Nothing was delivered for three days. The last failure: {attempt.error}", now
            )

    async def _pause(self, id: str, reason: str) -> None:
        now = self._services.clock()
        await self._services.store.write(lambda uow: uow.webhooks.pause(id, reason, now))
